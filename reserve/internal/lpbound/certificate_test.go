package lpbound

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// However the duals are made up, what they prove is never above the optimum.
func TestForgedDualsProveNothingFalse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Solver
	tight := 0
	for it := range 2000 {
		p := small(r, it%32)
		res := solve(t, &s, p, Options{})
		want := brute(p)
		y := append([]int64(nil), res.Duals...)
		for range 20 {
			if len(y) == 0 {
				break
			}
			i := r.IntN(len(y))
			switch r.IntN(5) {
			case 0:
				y[i] += 1 + r.Int64N(5*nanos)
			case 1:
				y[i] -= 1 + r.Int64N(5*nanos)
			case 2:
				y[i] = -y[i]
			case 3:
				y[i] = r.Int64N(math.MaxInt64) - r.Int64N(math.MaxInt64)
			case 4:
				copy(y, res.Duals)
			}
			_, bound, err := verify(p, res.Plan, y)
			if err != nil {
				if !errors.Is(err, errDual) {
					t.Fatalf("%v", err)
				}
				continue
			}
			if bound > want {
				t.Fatalf("%+v: duals %v prove %d > %d", p, y, bound, want)
			}
			if bound == want {
				tight++
			}
		}
	}
	if tight == 0 {
		t.Error("no perturbed certificate was tight: the test tests nothing")
	}
}

// counterexamples: one usage-priced class beside prepaid ones, bought per slot,
// is no flow. LP values and optima by HiGHS (search/counterexamples.py).
var counterexamples = []struct {
	name     string
	p        func() *Problem
	lp, best float64
}{
	{"prepaid term shorter", func() *Problem {
		return &Problem{Demand: []int{1, 1, 1}, OnDemand: 2 * nanos, Classes: []Class{
			{Term: 3, Fee: 1 * nanos, Rate: 1 * nanos}, {Term: 2, Fee: 2 * nanos}}}
	}, 3.5, 4},
	{"prepaid term longer", func() *Problem {
		return &Problem{Demand: []int{1, 2, 1, 2, 1}, OnDemand: 2 * nanos, Classes: []Class{
			{Term: 3, Fee: 1 * nanos, Rate: 1 * nanos}, {Term: 4, Fee: 5 * nanos}}}
	}, 9.5, 10},
	{"equal terms, pure cost", func() *Problem {
		p := &Problem{Demand: []int{2, 0, 2, 2, 1, 2, 1, 2, 1}, OnDemand: 10 * nanos, Classes: []Class{
			{Term: 4, Fee: 4130e6, Rate: 5451e6}, {Term: 4, Fee: 23159e6}}}
		proRata(p)
		return p
	}, 83.55925, 83.898},
	{"equal terms, total cost", func() *Problem {
		return &Problem{Demand: []int{2, 2, 1, 4, 4, 0, 3, 3, 3, 2, 4, 2, 3, 4, 4, 0, 3, 2, 0}, OnDemand: 10 * nanos, Classes: []Class{
			{Term: 5, Fee: 5918e6, Rate: 7413e6}, {Term: 5, Fee: 42828e6}}}
	}, 404.6545, 404.732},
	{"two longer prepaid terms, demand 1 throughout", func() *Problem {
		return &Problem{Demand: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, OnDemand: 6 * nanos, Classes: []Class{
			{Term: 3, Fee: 2 * nanos, Rate: 4 * nanos}, {Term: 5, Fee: 22 * nanos}, {Term: 4, Fee: 23 * nanos}}}
	}, 41, 42},
}

func TestCounterexamples(t *testing.T) {
	var s Solver
	for _, c := range counterexamples {
		res := solve(t, &s, c.p(), Options{})
		var root Solver
		solve(t, &root, c.p(), Options{MaxNodes: -1})
		lp := root.s.objective()
		if math.Abs(lp/nanos-c.lp) > 1e-6 || math.Abs(float64(res.Cost)/nanos-c.best) > 1e-6 || res.Bound != res.Cost {
			t.Errorf("%s: LP %.6f, cost %d, bound %d, want %v and %v", c.name, lp/nanos, res.Cost, res.Bound, c.lp, c.best)
		}
	}
}
