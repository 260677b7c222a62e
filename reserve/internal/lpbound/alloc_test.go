package lpbound

import (
	"math/rand/v2"
	"testing"
)

func TestAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var ps []*Problem
	for it := range 200 {
		ps = append(ps, small(r, it%32))
	}
	for _, c := range counterexamples {
		ps = append(ps, c.p())
	}
	// One hard weekly problem without files: 150 weeks, six classes.
	p := &Problem{Period: 24, OnDemand: 2400e6}
	for t := range 150 * 24 {
		p.Demand = append(p.Demand, r.IntN(40)+20*(t/300%3)+t/100)
	}
	for _, term := range []int{13, 52} {
		m := int64(term * 24)
		p.Classes = append(p.Classes, Class{term, m * 200e6, 904e6}, Class{term, m * 700e6, 540e6}, Class{term, m * 1300e6, 0})
	}
	ps = append(ps, p)
	var s Solver
	for _, p := range ps {
		for range 2 {
			solve(t, &s, p, Options{MaxNodes: 200})
		}
	}
	i := 0
	if n := testing.AllocsPerRun(2*len(ps), func() {
		if _, err := s.Solve(ps[i%len(ps)], Options{MaxNodes: 200}); err != nil {
			t.Fatal(err)
		}
		i++
	}); n != 0 {
		t.Errorf("%v allocations a warm solve", n)
	}
	// A solver that has seen one problem only has exactly the room for it.
	for i, p := range append(ps[:40:40], ps[len(ps)-1]) {
		var s Solver
		if n := testing.AllocsPerRun(1, func() {
			solve(t, &s, p, Options{MaxNodes: 200})
		}); n != 0 {
			t.Errorf("problem %d: %v allocations a warm solve", i, n)
		}
	}
}
