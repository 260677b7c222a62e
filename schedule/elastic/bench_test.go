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
		{&OD{Plus: true}, 1000, 10, false},
		{&AQTP{Response: 2 * time.Hour, Min: 1000}, 1000, 10, false}, {&AQTP{Response: 2 * time.Hour, Min: 1000}, 1000, 10, true},
		{&MCOP{CostWeight: .2}, 100, 2, false}, {&MCOP{CostWeight: .2}, 100, 3, false}, {&MCOP{CostWeight: .8}, 100, 3, false},
		{&MCOP{CostWeight: .2}, 1000, 3, false}, {&MCOP{CostWeight: .2}, 100, 10, false},
		{&MCOP{CostWeight: .2, Exact: true}, 16, 2, false}, {&MCOP{CostWeight: .2, Exact: true}, 20, 2, false},
	} {
		name := fmt.Sprint(c.p)
		if m, ok := c.p.(*MCOP); ok {
			name += map[bool]string{true: "-exact", false: "-genetic"}[m.Exact]
			m.Rand = newRand(1)
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

// objectives are cost and queued time, scaled.
type objectives [2]float64

// hypervolume returns the area that points dominate within the rectangle that
// the reference point closes from above. Larger is better; it is the usual
// measure of how near an approximate front is to the true one, and how well
// spread. Points outside of the rectangle add nothing, dominated ones neither.
// The points have to be sorted by their first value; it panics if they are not.
// Time: O(n).
func hypervolume(points []objectives, ref objectives) float64 {
	area, low := 0.0, ref[1]
	for i, p := range points {
		if i > 0 && p[0] < points[i-1][0] {
			panic("elastic: points of a hypervolume out of order")
		}
		if p[0] < ref[0] && p[1] < low {
			area += (ref[0] - p[0]) * (low - p[1])
			low = p[1]
		}
	}
	return area
}

// relative returns the hypervolume of a front over that of the best known one,
// both scaled so that the best one's ends are 0 and 1, with the reference point
// (1.1, 1.1); and by how much the weighted sum of the choice exceeds that of the
// best one's.
func relative(front, best []configuration, weight float64) (ratio, regret float64) {
	lo, hi := best[0], best[len(best)-1]
	scale := func(c configuration) objectives {
		var o objectives
		if hi.cost > lo.cost {
			o[0] = float64(c.cost-lo.cost) / float64(hi.cost-lo.cost)
		}
		if lo.wait > hi.wait {
			o[1] = float64(c.wait-hi.wait) / float64(lo.wait-hi.wait)
		}
		return o
	}
	area := func(f []configuration) float64 {
		var v []objectives
		for _, c := range f {
			v = append(v, scale(c))
		}
		return hypervolume(v, objectives{1.1, 1.1})
	}
	sum := func(c configuration) float64 { o := scale(c); return weight*o[0] + (1-weight)*o[1] }
	least := math.Inf(1)
	for _, c := range best {
		least = min(least, sum(c))
	}
	return area(front) / area(best), sum(front[frontOf(front).choose(weight)]) - least
}

// BenchmarkFront compares the front of the genetic search with the exact front, over 20
// queues. hv-ratio and hv-least are the mean and the least hypervolume over that of
// the exact front. missed is the share of queues in which the weighted choice is not
// the best one, and regret how much larger its weighted sum is on average. points is
// the mean number of points of a front.
func BenchmarkFront(b *testing.B) {
	const queues, weight = 20, .2
	for _, size := range []struct{ jobs, clouds int }{{8, 1}, {16, 1}, {20, 1}, {8, 2}, {16, 2}, {20, 2}, {16, 3}} {
		for _, exact := range []bool{false, true} {
			b.Run(fmt.Sprintf("exact=%v/jobs=%d/clouds=%d", exact, size.jobs, size.clouds), func(b *testing.B) {
				var snaps []*Snapshot
				var best [][]configuration
				for q := range uint64(queues) {
					snaps = append(snaps, burst(100+q, size.jobs, size.clouds))
					best = append(best, (&MCOP{Exact: true, Rand: newRand(q)}).appendFront(nil, snaps[q]))
				}
				p := &MCOP{Exact: exact, CostWeight: weight}
				var front []configuration
				var sum, worst, points, missed, regrets float64
				for b.Loop() {
					sum, worst, points, missed, regrets = 0, 1, 0, 0, 0
					for q, s := range snaps {
						p.Rand = newRand(uint64(q))
						front = p.appendFront(front[:0], s)
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
