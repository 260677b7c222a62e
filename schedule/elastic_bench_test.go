package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// crowd is a snapshot with so many jobs and clouds, each cloud with 100
// instances of which a fifth each are idle and boot. Every second cloud has a
// limit; all have room.
func crowd(seed uint64, jobs, clouds int) *Snapshot {
	rnd := rand.New(rand.NewPCG(seed, 78))
	s := &Snapshot{Now: 50 * time.Hour, Every: 300 * time.Second, Budget: Marshall12Budget(), Credits: 250 * pricing.Unit}
	for i := range clouds {
		c := Cloud{Price: pricing.Money(rnd.IntN(20)) * 10 * pricing.Milli, Limit: 512, Boot: 50 * time.Second}
		if i%2 == 1 && c.Price > 0 {
			c.Limit = NoLimit
		}
		for k := range 100 {
			in := Instance{ID: int64(k), State: Busy, Due: s.Now + time.Duration(rnd.IntN(3600))*time.Second, Ready: s.Now + time.Duration(rnd.IntN(7200))*time.Second}
			switch rnd.IntN(5) {
			case 0:
				in.State = Idle
			case 1:
				in.State = Booting
			}
			c.Instances = append(c.Instances, in)
		}
		s.Clouds = append(s.Clouds, c)
	}
	for i := range jobs {
		s.Jobs = append(s.Jobs, Job{ID: int64(i), Nodes: 1 << rnd.IntN(7), Submit: s.Now - time.Duration(rnd.IntN(600))*time.Minute,
			Estimate: time.Duration(1+rnd.IntN(240)) * time.Minute})
	}
	return s
}

// BenchmarkPolicy: one evaluation. Asked for: less than 50 µs with 1,000 jobs and
// 10 clouds, for MCOP less than 100 ms with 100 jobs and 3 clouds.
func BenchmarkPolicy(b *testing.B) {
	for _, c := range []struct {
		p            Policy
		jobs, clouds int
	}{
		{&SM{}, 1000, 10}, {&OD{}, 1000, 10}, {&OD{WholeJobs: true}, 1000, 10}, {&OD{Pooled: true}, 1000, 10}, {&ODPlus{}, 1000, 10},
		{&AQTP{Response: 2 * time.Hour, Min: 1000}, 1000, 10},
		{&MCOP{CostWeight: .2}, 100, 2}, {&MCOP{CostWeight: .2}, 100, 3}, {&MCOP{CostWeight: .8}, 100, 3}, {&MCOP{CostWeight: .2}, 1000, 3},
		{&MCOP{CostWeight: .2}, 100, 10}, {&MCOP{CostWeight: .2, Search: Evolved}, 100, 3}, {&MCOP{CostWeight: .2, Search: Exact}, 16, 2},
		{&MCOP{CostWeight: .2, Search: Exact}, 20, 2},
	} {
		name := fmt.Sprint(c.p)
		if m, ok := c.p.(*MCOP); ok {
			name += "-" + m.Search.String()
			m.Rand = seeded(1)
		}
		if o, ok := c.p.(*OD); ok && o.WholeJobs {
			name += "-whole"
		} else if ok && o.Pooled {
			name += "-pooled"
		}
		b.Run(fmt.Sprintf("policy=%s/jobs=%d/clouds=%d", name, c.jobs, c.clouds), func(b *testing.B) {
			s := crowd(1, c.jobs, c.clouds)
			if c.p.(fmt.Stringer).String()[0] == 'M' {
				s = burst(1, c.jobs, c.clouds)
			}
			dst := c.p.AppendActions(nil, s)
			m, _ := c.p.(*MCOP)
			if m != nil {
				m.table.runs = 0
			}
			b.ReportAllocs()
			for b.Loop() {
				dst = c.p.AppendActions(dst[:0], s)
			}
			b.ReportMetric(float64(len(dst)), "actions")
			if m != nil {
				b.ReportMetric(float64(m.table.runs)/float64(b.N), "schedules")
			}
		})
	}
}
