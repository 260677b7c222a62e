package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// chain returns the same problem with as many slots in the place of each as it has
// steps: the costs of a slot are what runs on demand in consecutive slots of one demand
// and price each.
func chain(p Problem) Problem {
	m := 1
	for t := range len(p.First) - 1 {
		m = max(m, int(p.First[t+1]-p.First[t]))
	}
	T := len(p.First) - 1
	q := Problem{Demand: make([]int, T*m), Prices: make([]int64, T*m)}
	for t := range T {
		for j := range m {
			q.Prices[t*m+j] = 1
			if i := int(p.First[t]) + j; i < int(p.First[t+1]) {
				q.Demand[t*m+j], q.Prices[t*m+j] = p.Steps[i].Demand, p.Steps[i].Price
			}
		}
	}
	for _, c := range p.Classes {
		d := Class{Term: c.Term * m, Max: c.Max, Fees: make([]int64, T*m)}
		for i := range d.Fees {
			d.Fees[i] = -1
			if i%m == 0 {
				d.Fees[i] = c.Fee
				if c.Fees != nil {
					d.Fees[i] = c.Fees[i/m]
				}
			}
		}
		q.Classes = append(q.Classes, d)
	}
	for i := range T * m {
		if p.Held != nil {
			q.Held = append(q.Held, p.Held[i/m])
		}
		if p.MaxActive != nil {
			q.MaxActive = append(q.MaxActive, p.MaxActive[i/m])
		}
	}
	return q
}

// randomSteps draws a problem whose slots have up to most steps.
func randomSteps(r *rand.Rand, maxT, maxD, maxK, most int) Problem {
	p := randomProblem(r, maxT, maxD, maxK, true)
	T := len(p.Demand)
	peak := slices.Max(p.Demand) + 1
	p.First = []int32{0}
	for range T {
		var demands []int
		for range r.IntN(most + 1) {
			demands = append(demands, 1+r.IntN(peak))
		}
		slices.Sort(demands)
		demands = slices.Compact(demands)
		slices.Reverse(demands)
		for _, d := range demands {
			p.Steps = append(p.Steps, Step{d, 1 + r.Int64N(5)})
		}
		p.First = append(p.First, int32(len(p.Steps)))
	}
	p.Demand, p.Prices = nil, nil
	return p
}

// A plan for slots with steps has its proof, and costs what a plan for the chain costs.
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var s, ref Solver
	for i := range 6000 {
		p := randomSteps(r, 1+i%40, 1+i%12, 3, 1+i%9)
		if i%2 == 0 {
			p.MaxActive = nil
		}
		if i%3 == 0 {
			p.Held = nil
		}
		if p.MaxActive != nil {
			for t := range p.MaxActive {
				if p.Held != nil && p.MaxActive[t] >= 0 {
					p.MaxActive[t] = max(p.MaxActive[t], p.Held[t])
				}
			}
		}
		got := check(t, &s, p)
		if want := check(t, &ref, chain(p)); got != want {
			t.Fatalf("problem %d: cost %d, want %d: %+v", i, got, want, p)
		}
	}
}

// One step a slot, and a price for each slot, are the plain problem.
func TestStepsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	var s Solver
	for range 300 {
		p := randomProblem(r, 300, 40, 4, false)
		want := check(t, &s, p)
		q := p
		q.Demand, q.First = nil, []int32{0}
		for _, d := range p.Demand {
			if d > 0 {
				q.Steps = append(q.Steps, Step{d, p.Price})
			}
			q.First = append(q.First, int32(len(q.Steps)))
		}
		if got := check(t, &s, q); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
		if got := check(t, &s, bySimplex(p)); got != want {
			t.Fatalf("with prices %d, want %d", got, want)
		}
	}
}
