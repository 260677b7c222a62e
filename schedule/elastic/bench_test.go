package elastic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
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
		s.Jobs = append(s.Jobs, schedule.Job{ID: int64(i), Nodes: 1 << rnd.IntN(7), Submit: s.Now - time.Duration(rnd.IntN(600))*time.Minute,
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
		rich         bool
	}{
		{&SM{}, 1000, 10, false}, {&OD{}, 1000, 10, false}, {&OD{}, 1000, 10, true},
		{&OD{WholeJobs: true}, 1000, 10, false}, {&OD{Pooled: true}, 1000, 10, false}, {&ODPlus{}, 1000, 10, false},
		{&AQTP{Response: 2 * time.Hour, Min: 1000}, 1000, 10, false}, {&AQTP{Response: 2 * time.Hour, Min: 1000}, 1000, 10, true},
		{&MCOP{CostWeight: .2}, 100, 2, false}, {&MCOP{CostWeight: .2}, 100, 3, false}, {&MCOP{CostWeight: .8}, 100, 3, false},
		{&MCOP{CostWeight: .2}, 1000, 3, false}, {&MCOP{CostWeight: .2}, 100, 10, false},
		{&MCOP{CostWeight: .2, Search: Evolved}, 100, 3, false},
		{&MCOP{CostWeight: .2, Search: Exact}, 16, 2, false}, {&MCOP{CostWeight: .2, Search: Exact}, 20, 2, false},
	} {
		name := fmt.Sprint(c.p)
		if m, ok := c.p.(*MCOP); ok {
			name += "-" + m.Search.String()
			m.Rand = newRand(1)
		}
		if o, ok := c.p.(*OD); ok && o.WholeJobs {
			name += "-whole"
		} else if ok && o.Pooled {
			name += "-pooled"
		}
		if c.rich {
			name += "-rich"
		}
		b.Run(fmt.Sprintf("policy=%s/jobs=%d/clouds=%d", name, c.jobs, c.clouds), func(b *testing.B) {
			s := crowd(1, c.jobs, c.clouds)
			if c.rich {
				s.Credits = 1e6 * pricing.Unit // so that everything is launched
			}
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

// BenchmarkServe: the worst known for the search of a place: nine clouds with
// limits that most jobs miss, before the one that has room for all.
func BenchmarkServe(b *testing.B) {
	rnd := rand.New(rand.NewPCG(3, 4))
	s := &Snapshot{Now: 50 * time.Hour, Every: 300 * time.Second, Credits: 1e6 * pricing.Unit, Budget: Marshall12Budget()}
	for i := range 10 {
		c := Cloud{Price: pricing.Money(10+i) * pricing.Milli, Limit: 100 + 3*(9-i), Boot: 50 * time.Second}
		if i == 9 {
			c.Limit = NoLimit
		}
		for k := range 100 {
			c.Instances = append(c.Instances, Instance{ID: int64(k), State: Busy, Due: s.Now + time.Duration(rnd.IntN(3600))*time.Second, Ready: s.Now + time.Hour})
		}
		s.Clouds = append(s.Clouds, c)
	}
	for i := range 1000 {
		s.Jobs = append(s.Jobs, schedule.Job{ID: int64(i), Nodes: 28 + rnd.IntN(36), Submit: s.Now - time.Duration(rnd.IntN(600))*time.Minute, Estimate: time.Hour})
	}
	p := new(OD)
	dst := p.AppendActions(nil, s)
	b.ReportAllocs()
	for b.Loop() {
		dst = p.AppendActions(dst[:0], s)
	}
}

// relative returns the hypervolume of a front over that of the best known one,
// both scaled so that the best one's ends are 0 and 1, with the reference point
// (1.1, 1.1); and by how much the weighted sum of the choice exceeds that of the
// best one's.
func relative(front, best []Configuration, weight float64) (ratio, regret float64) {
	lo, hi := best[0], best[len(best)-1]
	scale := func(c Configuration) objectives {
		var o objectives
		if hi.Cost > lo.Cost {
			o[0] = float64(c.Cost-lo.Cost) / float64(hi.Cost-lo.Cost)
		}
		if lo.Wait > hi.Wait {
			o[1] = float64(c.Wait-hi.Wait) / float64(lo.Wait-hi.Wait)
		}
		return o
	}
	area := func(f []Configuration) float64 {
		var v []objectives
		for _, c := range f {
			v = append(v, scale(c))
		}
		return hypervolume(v, objectives{1.1, 1.1})
	}
	sum := func(c Configuration) float64 { o := scale(c); return weight*o[0] + (1-weight)*o[1] }
	least := math.Inf(1)
	for _, c := range best {
		least = min(least, sum(c))
	}
	return area(front) / area(best), sum(front[Choose(front, weight)]) - least
}

// BenchmarkFront compares the fronts of the searches with the exact front, over 20
// queues. hv-ratio and hv-least are the mean and the least hypervolume over that of
// the exact front. missed is the share of queues in which the weighted choice is not
// the best one, and regret how much larger its weighted sum is on average. points is
// the mean number of points of a front. Beyond 20 jobs the exact front is not known.
// The best known front then has all that both searches found, and what NSGA-II found
// once more with 200 individuals and 200 generations.
func BenchmarkFront(b *testing.B) {
	const queues, weight = 20, .2
	for _, size := range []struct{ jobs, clouds int }{{8, 1}, {16, 1}, {20, 1}, {8, 2}, {16, 2}, {20, 2}, {16, 3}, {50, 2}, {100, 2}, {100, 3}} {
		var snaps []*Snapshot
		var best [][]Configuration
		for q := range uint64(queues) {
			s := burst(100+q, size.jobs, size.clouds)
			snaps = append(snaps, s)
			p := &MCOP{Search: Exact, Rand: newRand(q)}
			if size.jobs <= exactJobs {
				best = append(best, p.AppendFront(nil, s))
				continue
			}
			all := &MCOP{Rand: newRand(q), CostWeight: weight}
			all.explore(s)
			more := &MCOP{Search: Evolved, Rand: newRand(q)}
			more.size.population, more.size.generations = 200, 200
			for i, p := range []*MCOP{{CostWeight: weight}, {Search: Evolved}, more} {
				p.Rand = newRand(q + uint64(i)*1000)
				for _, c := range p.AppendFront(nil, s) {
					all.front.add(c.Cost, c.Wait, c.Launch, all.Rand)
				}
			}
			var f []Configuration
			for i := range all.front.entries {
				f = append(f, all.front.at(i))
			}
			best = append(best, f)
		}
		for _, search := range []Search{Genetic, Evolved, Exact} {
			if search == Exact && size.jobs > exactJobs {
				continue
			}
			b.Run(fmt.Sprintf("search=%v/jobs=%d/clouds=%d", search, size.jobs, size.clouds), func(b *testing.B) {
				p := &MCOP{Search: search, CostWeight: weight}
				var front []Configuration
				var sum, worst, points, missed, regrets float64
				for b.Loop() {
					sum, worst, points, missed, regrets = 0, 1, 0, 0, 0
					for q, s := range snaps {
						p.Rand = newRand(uint64(q))
						front = p.AppendFront(front[:0], s)
						b.StopTimer()
						ratio, regret := relative(front, best[q], weight)
						sum += ratio
						worst = min(worst, ratio)
						points += float64(len(front))
						regrets += regret
						if regret > 1e-9 {
							missed++
						}
						b.StartTimer()
					}
				}
				b.ReportMetric(sum/queues, "hv-ratio")
				b.ReportMetric(worst, "hv-least")
				b.ReportMetric(missed/queues, "missed")
				b.ReportMetric(regrets/queues, "regret")
				b.ReportMetric(points/queues, "points")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/queues, "µs/front")
			})
		}
	}
}
