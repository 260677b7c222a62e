package federation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/reserve/rules"
)

// BenchmarkShare has the windows of [Liu21]'s evaluation, a year of the same logs
// (or all of them, where a log is shorter), and federations by the number of
// centres and the length of tasks. The saving is that of the federation over the
// same centres alone.
func BenchmarkShare(b *testing.B) {
	for _, c := range []struct {
		name  string
		hours int
	}{{"logs=600h", 600}, {"logs=year", 8760}} {
		b.Run(c.name, func(b *testing.B) {
			centres, tasks, _ := liuFederation(b, c.hours, &rules.Periodic{})
			benchShare(b, centres, tasks)
		})
	}
	for _, n := range []int{2, 8, 32} {
		for _, count := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("centres=%d/tasks=%d", n, count), func(b *testing.B) {
				centres, tasks := busyFederation(n, 8760, count, 1)
				for i := range centres {
					centres[i].Demand = nil
				}
				benchShare(b, centres, tasks)
			})
		}
	}
}

func benchShare(b *testing.B, centres []Centre, tasks []Task) {
	var s Sharer
	var out []Booking
	slots := 0
	for _, t := range tasks {
		slots += t.Slots()
	}
	for b.Loop() {
		if err := s.Reset(centres, Options{}); err != nil {
			b.Fatal(err)
		}
		var err error
		if out, err = s.Share(out[:0], tasks); err != nil {
			b.Fatal(err)
		}
	}
	with := sum(costsOf(len(centres), out))
	alone, err := Share(nil, centres, tasks, Options{Order: Alone})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(tasks))*float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
	b.ReportMetric(float64(slots)/float64(len(tasks)), "slots/task")
	b.ReportMetric(1-with.Float64()/sum(costsOf(len(centres), alone)).Float64(), "saving-of-on-demand")
	b.ReportMetric(float64(len(tasks)), "tasks")
}

// BenchmarkTheta compares Eq. (20) by weighted selection with sorting, and with
// trying all θ.
func BenchmarkTheta(b *testing.B) {
	for _, n := range []int{1, 4, 24, 100, 1000, 8760} {
		rnd := rand.New(rand.NewPCG(1, uint64(n)))
		const d = 256
		missing, idle := make([]int, n), make([]int, n)
		for t := range missing {
			missing[t], idle[t] = 1+rnd.IntN(d), rnd.IntN(d)
		}
		r := rates{onDemand: 75, elsewhere: 60, share: 31, traffic: 3}
		want := exhaustive(d, missing, idle, r)
		for _, alg := range []struct {
			name string
			f    func(s *splitter) int
		}{
			{"select", func(s *splitter) int { return s.theta(missing, idle, r, nil) }},
			{"sort", func(s *splitter) int { return s.bySorting(missing, idle, r) }},
			{"exhaustive", func(*splitter) int { return exhaustive(d, missing, idle, r) }},
		} {
			b.Run(fmt.Sprintf("alg=%s/slots=%d", alg.name, n), func(b *testing.B) {
				var s splitter
				for b.Loop() {
					if got := alg.f(&s); got != want {
						b.Fatalf("%d, want %d", got, want)
					}
				}
			})
		}
	}
}

// bySorting is theta with all kinks sorted.
func (s *splitter) bySorting(missing, idle []int, r rates) int {
	slope := r.traffic
	s.kinks = s.kinks[:0]
	for t := range missing {
		slope += r.share - r.onDemand
		s.kinks = append(s.kinks, kink{missing[t], r.onDemand}, kink{idle[t], r.elsewhere - r.share})
	}
	slices.SortFunc(s.kinks, func(a, b kink) int { return a.at - b.at })
	if slope >= 0 {
		return 0
	}
	for _, k := range s.kinks {
		if slope += k.step; slope >= 0 {
			return k.at
		}
	}
	return s.kinks[len(s.kinks)-1].at
}
