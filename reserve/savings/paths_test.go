package savings

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
)

// pathsCost returns what a plan costs in the mean over the paths, by the definition: each path by
// itself is a problem with one demand.
func pathsCost(p *Problem, reservations []pricing.Purchase, commitments []Commitment) *big.Rat {
	sum, weights := new(big.Rat), int64(0)
	for j := range p.Types[0].Paths {
		weight := int64(1)
		if p.Weights != nil {
			weight = int64(p.Weights[j])
		}
		fees, rest := mixedReserved(onPath(p, j), reservations)
		cost := fees.Add(fees, savingsCost(rest, commitments))
		sum.Add(sum, cost.Mul(cost, big.NewRat(weight, 1)))
		weights += weight
	}
	return sum.Quo(sum, big.NewRat(weights, 1))
}

// onPath returns p with path j for its demand.
func onPath(p *Problem, j int) *Problem {
	q := copySavings(p)
	q.Weights = nil
	for i := range q.Types {
		q.Types[i].Demand, q.Types[i].Paths = p.Types[i].Paths[j], nil
	}
	return q
}

// pathProblems draws problems with one to three paths.
func pathProblems(slots, types, peak int) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		p := mixedProblems(slots, types, peak).Draw(t, "problem")
		count, n := rapid.IntRange(1, 3).Draw(t, "paths"), len(p.Types[0].Demand)
		for i := range p.Types {
			y := &p.Types[i]
			y.Paths, y.Demand = [][]int{y.Demand}, nil
			for range count - 1 {
				y.Paths = append(y.Paths, rapid.SliceOfN(rapid.IntRange(0, peak), n, n).Draw(t, "path"))
			}
		}
		if rapid.Bool().Draw(t, "weights?") {
			p.Weights = rapid.SliceOfN(rapid.IntRange(0, 2), count, count).Draw(t, "weights")
			p.Weights[0] += 2
		}
		p.Classes = p.Classes[:min(1, len(p.Classes))]
		for mostOnPaths(p) > 3 { // few enough to try all
			p.Unit *= 2
		}
		for k := range p.Classes {
			if rapid.Bool().Draw(t, "held?") {
				p.HeldReservations = append(p.HeldReservations, pricing.Holding{Class: k, Count: 1, Until: rapid.IntRange(0, n+1).Draw(t, "until")})
			}
		}
		return p
	})
}

// The plan for several paths costs what its purchases cost in the mean, no commitments cost less,
// and the certificate holds.
func TestPathsBrute(t *testing.T) {
	var used Solver
	optimal, cases, reserved := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := pathProblems(3, 2, 2).Draw(t, "problem")
		old := fmt.Sprint(*p)
		plan := solved(t, &used, p)
		if fmt.Sprint(*p) != old {
			t.Fatal("the problem has changed")
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
		served := copySavings(p) // what is held is less demand on each path
		for _, h := range p.HeldReservations {
			for _, path := range served.Types[p.Classes[h.Class].Type].Paths {
				for s := range min(len(path), h.Until) {
					path[s] = max(0, path[s]-h.Count)
				}
			}
		}
		if got := toNano(pathsCost(served, plan.Reservations, plan.Commitments)); got != plan.Cost {
			t.Fatalf("the plan says %v, by the definition %v", plan.Cost, got)
		}
		var least *big.Rat
		try := func(reservations []pricing.Purchase) {
			eachSavings(onPath(served, 0), mostOnPaths(served), func(list []Commitment) {
				if cost := pathsCost(served, reservations, list); least == nil || cost.Cmp(least) < 0 {
					least = cost
				}
			})
		}
		eachReservations(served, 2, try)
		if optimum := toNano(least); plan.Bound > optimum || plan.Cost < optimum {
			t.Fatalf("bound %v, optimum %v, plan %v", plan.Bound, optimum, plan.Cost)
		} else if plan.Cost == optimum {
			optimal++
		} else {
			t.Errorf("the plan costs %v, the optimum %v", plan.Cost, optimum)
		}
		cases++
		if len(plan.Reservations) > 0 {
			reserved++
		}
	})
	if t.Logf("%d of %d optimal, %d with reservations", optimal, cases, reserved); reserved < 5 {
		seeded.TooFew(t, "%d plans with reservations", reserved)
	}
}

// mostOnPaths returns a number of units that no slot of a path needs more of.
func mostOnPaths(p *Problem) (most int) {
	for j := range p.Types[0].Paths {
		most = max(most, mostUnits(onPath(p, j)))
	}
	return most
}

// eachReservations calls f with all reservations of up to most instances a purchase.
func eachReservations(p *Problem, most int, f func([]pricing.Purchase)) {
	var list []pricing.Purchase
	n := p.Types[0].slots()
	var rec func(at int)
	rec = func(at int) {
		if at == n*len(p.Classes) {
			f(list)
			return
		}
		rec(at + 1)
		slot, class := at/len(p.Classes), at%len(p.Classes)
		if slot%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[slot]) && !p.Classes[class].Withdrawn {
			for count := 1; count <= most; count++ {
				list = append(list, pricing.Purchase{Slot: slot, Class: class, Count: count})
				rec(at + 1)
				list = list[:len(list)-1]
			}
		}
	}
	rec(0)
}

// Paths that are all alike are the demand itself, of one offer and of several.
func TestPathsAlike(t *testing.T) {
	var s Solver
	rapid.Check(t, func(t *rapid.T) {
		p, weights := mixedProblems(3, 2, 2).Draw(t, "problem"), []int{4, 2, 0}
		if rapid.Bool().Draw(t, "several") {
			p, weights = severalProblems(1, 2, 2).Draw(t, "several offers"), nil
		}
		one := solved(t, &s, p)
		cost := one.Cost
		q := copySavings(p)
		for i := range q.Types {
			q.Types[i].Paths, q.Types[i].Demand = [][]int{p.Types[i].Demand, p.Types[i].Demand, p.Types[i].Demand}, nil
		}
		q.Weights = weights
		three, err := s.Solve(q)
		if err == nil {
			err = Verify(q, &three)
		}
		if err != nil || three.Cost != cost {
			t.Fatalf("one path costs %v, three that are alike %v, %v", cost, three.Cost, err)
		}
	})
}

// Terms in parts of slots fit in 32 bits, to the last slot.
func TestPathsLimits(t *testing.T) {
	const most = math.MaxInt32/2 - 2
	for _, c := range []struct {
		name string
		set  func(p *Problem, term time.Duration)
	}{
		{"the plan", func(p *Problem, term time.Duration) { p.Term = term }},
		{"another offer", func(p *Problem, term time.Duration) { p.Others[0].Term = term }},
		{"a class", func(p *Problem, term time.Duration) { p.Classes[0].Class.Term = term }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Slot: 1, Term: 1, Types: []Type{{Name: "a", OnDemand: 2, Plan: 1, Paths: [][]int{{1, 2}, {3, 4}}}},
				Others: []Offer{{"b", 1, []pricing.Money{1}}}, Classes: []TypeClass{{Class: pricing.Class{Name: "c", Term: 1}}}}
			c.set(p, most)
			if n, err := p.check(); n != 2 || err != nil {
				t.Errorf("%d slots, %v", n, err)
			}
			c.set(p, most+1)
			if _, err := p.check(); !errors.Is(err, ErrRange) {
				t.Errorf("%v: want ErrRange", err)
			}
		})
	}
}
