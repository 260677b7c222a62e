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
		res, err := s.Solve(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
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
			_, bound, err := Verify(p, res.Plan, y)
			if err != nil {
				if !errors.Is(err, ErrDual) {
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

func TestForgedClaims(t *testing.T) {
	// Two weeks' worth in small: three slots, one usage-priced class for all
	// three and a prepaid one for two of them.
	p := counterexamples[0].p()
	p.MaxClass = [][]int{nil, {1, 1, 1}}
	p.MaxActive = []int{2, 1, 2}
	var s Solver
	res, err := s.Solve(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := func(f func(v []int) []int) []int { return f(append([]int(nil), res.Plan...)) }
	duals := func(f func(v []int64) []int64) []int64 { return f(append([]int64(nil), res.Duals...)) }
	same := func(v []int) []int { return v }
	sameD := func(v []int64) []int64 { return v }
	for _, c := range []struct {
		name        string
		plan        []int
		duals       []int64
		cost, bound int64
		want        error
	}{
		{"honest", plan(same), duals(sameD), res.Cost, res.LP, nil},
		{"cost too low", plan(same), duals(sameD), res.Cost - 1, res.LP, ErrClaim},
		{"bound too high", plan(same), duals(sameD), res.Cost, res.LP + 1, ErrClaim},
		{"bound = cost though only the tree proves it", plan(same), duals(sameD), res.Cost, res.Cost + 1, ErrClaim},
		{"negative purchase", plan(func(v []int) []int { v[0] = -1; return v }), duals(sameD), res.Cost, res.LP, ErrPlan},
		{"over the class's cap", plan(func(v []int) []int { v[3] = 2; return v }), duals(sameD), res.Cost, res.LP, ErrPlan},
		{"over the active cap", []int{1, 1, 0, 0, 0, 0}, duals(sameD), res.Cost, res.LP, ErrPlan},
		{"plan too short", res.Plan[:5], duals(sameD), res.Cost, res.LP, ErrPlan},
		{"free lunch", make([]int, 6), duals(sameD), res.Cost, res.LP, ErrClaim},
		{"duals too short", plan(same), res.Duals[:1], res.Cost, res.LP, ErrDual},
		{"negative price of a soft row", plan(same), duals(func(v []int64) []int64 { v[3] = -1; return v }), res.Cost, res.LP, ErrDual},
		{"a price raised", plan(same), duals(func(v []int64) []int64 { v[1] += 4 * nanos; return v }), res.Cost, res.LP, ErrClaim},
		{"prices of zero", plan(same), make([]int64, len(res.Duals)), res.Cost, res.LP, ErrClaim},
		{"prices beyond reason", plan(same), duals(func(v []int64) []int64 { v[0] = math.MaxInt64; return v }), res.Cost, res.LP, ErrClaim},
	} {
		if err := VerifyClaim(p, c.plan, c.duals, c.cost, c.bound); !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// What a plan breaks is said with its class or row, and its period.
func TestPlanErrors(t *testing.T) {
	p := &Problem{Demand: []int{1, 1, 1}, OnDemand: 10, Classes: []Class{{Term: 2, Fee: 9, Rate: 1}, {Term: 1, Fee: 8}},
		MaxClass: [][]int{nil, {1, 1, 1}}, MaxActive: []int{2, 1, 2}}
	for _, c := range []struct {
		plan []int
		want string
	}{
		{[]int{1, 0}, "2 entries, want 6"},
		{[]int{0, 0, 0, 0, 0, 2}, "2 of class 1 at 2"},
		{[]int{0, -1, 0, 0, 0, 0}, "-1 of class 0 at 1"},
		{[]int{0, 2, 0, 0, 1, 0}, "2 over the limit of row 0, period 1"},
	} {
		if _, _, err := Verify(p, c.plan, nil); !errors.Is(err, ErrPlan) || err.Error() != ErrPlan.Error()+": "+c.want {
			t.Errorf("%v: %v, want %s", c.plan, err, c.want)
		}
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
		res, err := s.Solve(c.p(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(res.Relaxed/nanos-c.lp) > 1e-6 || math.Abs(float64(res.Cost)/nanos-c.best) > 1e-6 || res.Bound != res.Cost {
			t.Errorf("%s: LP %.6f, cost %d, bound %d, want %v and %v", c.name, res.Relaxed/nanos, res.Cost, res.Bound, c.lp, c.best)
		}
	}
}
