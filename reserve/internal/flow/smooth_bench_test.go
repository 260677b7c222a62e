package flow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkSmooth is on demands that change slowly. Many plans tie there, and most steps of a simplex change the tree alone:
//
//   - a sine and a triangle, with ten terms from a day to a month or with a day alone,
//   - a sine of a year over three years, demand that only grows, a saw and stairs, with the ten terms,
//   - walks, with a day alone,
//   - stairs and growth with thirty terms of 2 to 31 hours, where the first plan is bought as demand rises.
func BenchmarkSmooth(b *testing.B) {
	of := func(n int, at func(t int) int) []int {
		demand := make([]int, n)
		for t := range demand {
			demand[t] = at(t)
		}
		return demand
	}
	day := []Class{{Term: 24, Fee: 9500}}
	ten := []Class{
		{Term: 24, Fee: 9500}, {Term: 48, Fee: 17_484}, {Term: 72, Fee: 24_980}, {Term: 120, Fee: 39_158}, {Term: 168, Fee: 52_651},
		{Term: 240, Fee: 72_065}, {Term: 336, Fee: 96_898}, {Term: 504, Fee: 138_445}, {Term: 672, Fee: 178_329}, {Term: 720, Fee: 189_492},
	}
	sine := of(8760, func(t int) int { return int(500 + 400*math.Sin(float64(t)/720*2*math.Pi)) })
	triangle := of(8760, func(t int) int { return max(t%2000-1000, 1000-t%2000) })
	year := of(26_280, func(t int) int { return int(500 + 400*math.Sin(float64(t)/8760*2*math.Pi)) })
	growth := of(26_280, func(t int) int { return 1000 + t })
	saw := of(8760, func(t int) int { return t % 256 })
	stairs := of(8760, func(t int) int { return t / 24 % 60 * 10 })
	var thirty []Class
	for term := 2; term <= 31; term++ {
		thirty = append(thirty, Class{Term: term, Fee: int64(12 * term * (51 - term))})
	}
	type problem struct {
		name    string
		demand  []int
		classes []Class
	}
	problems := []problem{
		{"sine/terms=10", sine, ten}, {"triangle/terms=10", triangle, ten},
		{"year/terms=10", year, ten}, {"growth/terms=10", growth, ten}, {"saw/terms=10", saw, ten},
		{"stairs/terms=10", stairs, ten}, {"stairs/terms=30", stairs, thirty}, {"growth/terms=30", growth, thirty},
		{"sine/terms=1", sine, day}, {"triangle/terms=1", triangle, day},
	}
	for _, n := range []int{8760, 17_520, 35_040} {
		r := rand.New(rand.NewPCG(7, 0))
		x := 500
		walk := of(n, func(int) int { x = max(0, x+r.IntN(5)-2); return x })
		problems = append(problems, problem{fmt.Sprintf("walk/slots=%d/terms=1", n), walk, day})
	}
	for _, p := range problems {
		b.Run("demand="+p.name, func(b *testing.B) {
			var s Solver
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Solve(Problem{Demand: p.demand, Price: 600, Classes: p.classes}); err != nil {
					b.Fatal(err)
				}
			}
			if s.Stats.Phases > 0 {
				b.ReportMetric(float64(s.Stats.Phases), "paths")
				return
			}
			if s.Stats.Paths > 0 {
				b.ReportMetric(float64(s.Stats.Paths), "paths")
				b.ReportMetric(float64(s.Stats.Joined), "nodes")
				return
			}
			b.ReportMetric(float64(s.Stats.Pivots), "steps")
			b.ReportMetric(float64(s.Stats.Stale), "stale")
			b.ReportMetric(float64(s.Stats.Sweeps), "sweeps")
			b.ReportMetric(float64(s.Stats.Hops)/float64(max(s.Stats.Pivots, 1)), "arcs/step")
		})
	}
}
