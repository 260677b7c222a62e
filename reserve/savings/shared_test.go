package savings

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"pgregory.net/rapid"
)

// sumOf returns the sum of the types of p without reservations.
func sumOf(p *Problem) *Sum {
	var sum Sum
	for i := range p.Types {
		y := &p.Types[i]
		sum.Add(Rates{y.OnDemand, y.Plan}, 0, 1, y.Demand, 1)
	}
	return &sum
}

// The amounts of a shared plan are those of Verify for the same commitments, up to a nano for each
// pair of rates; and the bound at any fair worth is at most the optimum.
func TestCommitByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(6, 3, 20, true).Draw(t, "problem")
		p.Slot, p.Term = time.Hour, time.Duration(p.Term/p.Slot)*time.Hour
		n := len(p.Types[0].Demand)
		best, err := new(Solver).Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		worth := rapid.SliceOfN(rapid.Int64Range(0, 9<<worthBits), n, n).Draw(t, "worth")
		for Unfair(p, worth) >= 0 {
			for i := range worth {
				worth[i] = worth[i] * 7 / 8
			}
		}
		sum := sumOf(p)
		bound := int64(0) // Σ min(p, q·ν)·d, rounded down
		for i := range p.Types {
			y := &p.Types[i]
			for s, d := range y.Demand {
				price := int64(y.OnDemand)
				if y.paid() {
					price = min(price, int64(y.Plan)*(worth[s]>>20)>>20)
				}
				bound += price * int64(d)
			}
		}
		sum.Bound = TotalOf(pricing.Money(bound))
		plan, next, err := Commit(p, n, sum, worth)
		if err != nil {
			t.Fatal(err)
		}
		if at := Unfair(p, next); at >= 0 {
			t.Fatalf("the next worth is not fair at slot %d", at)
		}
		slack := TotalOf(pricing.Money(2 + len(p.Types)))
		if plan.Bound.Compare(TotalOf(best.Cost).Plus(slack)) > 0 || plan.Cost.Plus(slack).Compare(TotalOf(best.Cost)) < 0 {
			t.Fatalf("bound %v, optimum %v, cost %v: want them in this order", plan.Bound, best.Cost, plan.Cost)
		}
		l, err := newLines(p, n, sum)
		if err != nil {
			t.Fatal(err)
		}
		got := Shared{Commitments: slices.Clone(best.Commitments)}
		l.unit = int64(best.Unit)
		l.price(&got, sum)
		if d := got.Cost.Float64() - best.Cost.Float64(); d < -4e-9 || d > 4e-9 || got.Unused != TotalOf(best.Unused) {
			t.Fatalf("cost %v and unused %v, want %v and %v", got.Cost, got.Unused, best.Cost, best.Unused)
		}
	})
}

// A rate of the plan that is not below the price on demand counts. By hand, with commitments of every
// slot for all slots: a runs in the first slots and b in the last, and the plan pays for both at 1. A
// commitment of 1 pays for a when nothing of b runs. What commits nothing for a, as a's rate is not
// below a's price, costs half as much again, or nearly twice as much.
func TestRateNotBelow(t *testing.T) {
	for _, c := range []struct {
		hours, price int // of a; the price of b
		cost, dear   int
	}{
		{1, 2, 2, 3},
		{9, 10, 10, 19},
	} {
		n := c.hours + 1
		p := &Problem{Slot: time.Hour, Term: time.Duration(n) * time.Hour, Every: n, Unit: 1_000_000,
			Types: []Type{{Name: "a", OnDemand: pricing.Unit, Plan: pricing.Unit, Demand: make([]int, n)},
				{Name: "b", OnDemand: pricing.Money(c.price) * pricing.Unit, Plan: pricing.Unit, Demand: make([]int, n)}}}
		for h := range c.hours {
			p.Types[0].Demand[h] = 1
		}
		p.Types[1].Demand[c.hours] = 1
		for i := range p.Types {
			p.Classes = append(p.Classes, TypeClass{Type: i, Class: pricing.Class{Name: "dear", Term: p.Term, Upfront: 100 * pricing.Unit}})
		}
		plan, err := new(Solver).Solve(p)
		if err != nil || plan.Cost != pricing.Money(c.cost)*pricing.Unit || !plan.Optimal() {
			t.Errorf("%d hours of a: cost %v, bound %v, %v: want %d", c.hours, plan.Cost, plan.Bound, err, c.cost)
		}
		if err := Verify(p, &plan); err != nil {
			t.Error(err)
		}
		shared, _, err := Commit(p, n, sumOf(p), nil)
		if want := TotalOf(pricing.Money(c.cost) * pricing.Unit); err != nil || shared.Cost != want {
			t.Errorf("%d hours of a: shared cost %v, %v: want %v", c.hours, shared.Cost, err, want)
		}
		p.Types[0].Plan = 0 // as if the plan did not pay for a
		if plan, err = new(Solver).Solve(p); err != nil || plan.Cost != pricing.Money(c.dear)*pricing.Unit {
			t.Errorf("%d hours of a, which nothing pays for: cost %v, %v: want %d", c.hours, plan.Cost, err, c.dear)
		}
	}
}

// Branch and bound against the optimum by brute force: the bound is at most the optimum, also with
// wrong costs in the linear program, whose floats prove nothing, and for a search that ends early.
func TestBranchBound(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1)) // seed 35, 1
	divided, open := 0, 0
	for i := range 120 {
		p := randomMixed(r, 2+r.IntN(2), 1+r.IntN(2), 1+r.IntN(2), 2, []pricing.Money{1, 40}[i%2]*pricing.Milli)
		p.Every = r.IntN(3)
		n := len(p.Types[0].Demand)
		best := TotalOf(leastMixed(t, p))
		slack := TotalOf(1000)
		var s Solver
		if err := s.loadFees(p, n); err != nil {
			t.Fatal(err)
		}
		if _, err := s.beside(p, n); err != nil {
			t.Fatal(err)
		}
		s.problem = p
		for _, c := range []struct {
			wrong bool
			goal  float64
			work  int64
		}{{false, 0, 1e8}, {true, 1e-6, 1e7}, {false, 1e-2, 0}, {false, 1e-2, 1000}, {false, 1e-2, 100_000}} {
			if !s.branch.Load(p, (*market)(&s)) {
				t.Fatal("too large")
			}
			if c.wrong {
				for j := range s.branch.buys {
					s.branch.lp.cost[j] *= .25 + 4*r.Float64()
				}
				s.branch.lp.reset()
			}
			if err := s.branch.Search(best.Plus(slack).Plus(best), c.goal, c.work); err != nil {
				t.Fatal(err)
			}
			bound := s.branch.Bound()
			if bound.Compare(best.Plus(slack)) > 0 {
				t.Errorf("problem %d, %+v: bound %v, optimum %v", i, c, bound, best)
			}
			if c.goal == 0 && (bound.Plus(slack).Compare(best) < 0 || s.branch.cost.Compare(best.Plus(slack)) > 0) {
				t.Errorf("problem %d: bound %v and cost %v after %d nodes: want both near %v", i, bound, s.branch.cost, s.branch.nodes, best)
			}
			if c.goal == 0 && s.branch.nodes > 1 {
				divided++
			}
			if len(s.branch.open) > 0 {
				open++
			}
			for k := range p.Types { // no level is above what levels are said to be at most
				for w := range s.branch.periods() {
					units := 0
					list, _ := s.branch.Best()
					for _, b := range s.branch.buys[s.branch.first[k]:s.branch.first[k+1]] {
						for _, q := range list {
							if q.Slot == b.slot && q.Class == b.class && b.from <= w && w < b.to {
								units += q.Count
							}
						}
					}
					if top := s.branch.top(level{k, w}); float64(units) > top {
						t.Errorf("problem %d: %d of type %d are active in period %d, and %v at most", i, units, k, w, top)
					}
				}
			}
		}
	}
	if divided < 20 || open < 8 {
		t.Errorf("%d problems divided, %d searches ended early: too few to test anything", divided, open)
	}
}

// Sums of any bundles are the same, and a total is the bytes that it appends.
func TestSumsAndTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 3
		var whole, a, b Sum
		for range rapid.IntRange(0, 6).Draw(t, "groups") {
			r := Rates{pricing.Money(rapid.IntRange(1, 3).Draw(t, "p")), pricing.Money(rapid.IntRange(0, 3).Draw(t, "q"))}
			left := rapid.SliceOfN(rapid.IntRange(0, 9), n, n).Draw(t, "left")
			times := rapid.Int64Range(1, 3).Draw(t, "times")
			fees := pricing.Money(rapid.Int64Range(0, 1<<62).Draw(t, "fees"))
			part := []*Sum{&a, &b}[rapid.IntRange(0, 1).Draw(t, "bundle")]
			for _, s := range []*Sum{&whole, part} {
				s.Add(r, fees, 7, left, times*Whole)
				s.AddCost(1, 2, 3, Whole)
			}
		}
		b.Merge(&a)
		if fmt.Sprint(whole) != fmt.Sprint(b) {
			t.Fatalf("%v in one, %v in two", whole, b)
		}
		groups := whole.Groups
		whole.Scale()
		if whole.Groups != groups/Whole {
			t.Fatalf("%d groups of %d", whole.Groups, groups)
		}
		text, _ := whole.Fees.AppendBinary(nil)
		var again Total
		if err := again.UnmarshalBinary(text); err != nil || again != whole.Fees || again.UnmarshalBinary(text[1:]) == nil {
			t.Fatalf("%v, %v", again, err)
		}
	})
}
