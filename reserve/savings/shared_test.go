package savings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/seeded"
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
		best := solved(t, new(Solver), p)
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
		if i%4 == 1 { // no plan pays for it: what an instance is worth is at most p
			p.Types[0].Plan = 0
		}
		n := len(p.Types[0].Demand)
		if i%3 > 0 {
			p.Held = []pricing.Holding{{Count: r.IntN(int(600 * pricing.Milli / p.Unit)), Until: 1 + r.IntN(n)}}
		}
		best := TotalOf(leastMixed(t, p))
		slack := TotalOf(1000)
		var s Solver
		if err := s.loadFees(p, n); err != nil {
			t.Fatal(err)
		}
		if _, err := s.beside(p, n); err != nil {
			t.Fatal(err)
		}
		s.planned = p
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

// With ratios of three decimals and few rates, Commit finds the optimum of Solver, also where a rate is
// not below its price on demand; and it bounds only with a worth.
func TestCommitIsTheOptimum(t *testing.T) {
	committed, dear := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(8, 4, 30, false).Draw(t, "problem")
		p.Slot, p.Term, p.Unit = time.Hour, time.Duration(p.Term/p.Slot)*time.Hour, 0
		n := len(p.Types[0].Demand)
		for i := range p.Types {
			y := &p.Types[i]
			y.Plan = pricing.Money(rapid.IntRange(0, 9).Draw(t, "plan")) * 100 * pricing.Milli
			y.OnDemand = max(y.Plan, pricing.Unit) * pricing.Money(rapid.IntRange(600, 4000).Draw(t, "ratio")) / 1000
			if y.paid() && y.Plan >= y.OnDemand {
				dear++
			}
		}
		best := solved(t, new(Solver), p)
		plan, next, err := Commit(p, n, sumOf(p), nil)
		if err != nil || plan.Bounded || plan.Bound != (Total{}) || plan.Failed != "" || len(next) != n {
			t.Fatalf("%+v, %v", plan, err)
		}
		if d := plan.Cost.Float64() - best.Cost.Float64(); d < -1e-8 || d > 1e-8 || plan.Unit != pricing.Milli {
			t.Fatalf("cost %v in units of %v, want %v", plan.Cost, plan.Unit, best.Cost)
		}
		if committed += len(plan.Commitments); plan.Cost != plan.Fees.Plus(plan.Committed).Plus(plan.OnDemand) {
			t.Fatalf("%+v does not add up", plan)
		}
		again, _, err := Commit(p, n, sumOf(p), next)
		if err != nil || !again.Bounded || again.Cost != plan.Cost {
			t.Fatalf("with a worth: %+v, %v", again, err)
		}
	})
	if committed < 50 || dear < 50 {
		seeded.TooFew(t, "%d commitments, %d rates that are not below those on demand", committed, dear)
	}
}

// What Commit cannot do, by hand: two hours of units at 3 on demand and 2 from the plan.
func TestCommitByHand(t *testing.T) {
	p := &Problem{Slot: time.Hour, Term: 2 * time.Hour, Every: 2}
	rates := Rates{3 * pricing.Unit, 2 * pricing.Unit}
	full := []int{math.MaxInt32, math.MaxInt32}
	for _, c := range []struct {
		name   string
		fees   pricing.Money
		times  int64
		cost   string
		failed string
		unit   pricing.Money
	}{
		{"an hour", 1, 1 << 20, "13510798875820032.001048576", "overflow: the usage of hour 0 costs more than 9223372036.854775807 an hour", 1 << 62},
		{"commitments", math.MaxInt64, 2, "44216547837.709551614", "overflow: its commitments would cost 17179860000 in all", 10_000 * pricing.Unit},
		{"a total", math.MaxInt64, 1, "", "", 10_000 * pricing.Unit},
	} {
		var sum Sum
		sum.Add(rates, c.fees, 1, full, c.times)
		plan, _, err := Commit(p, 2, &sum, []int64{0, 0})
		if err != nil || !strings.HasPrefix(plan.Failed, c.failed) || (plan.Failed == "") != (c.failed == "") || !plan.Bounded {
			t.Errorf("%s: %+v, %v", c.name, plan, err)
		}
		if c.cost != "" && (plan.Cost.String() != c.cost || len(plan.Commitments) > 0) || c.cost == "" && len(plan.Commitments) != 1 {
			t.Errorf("%s: cost %v, want %s", c.name, plan.Cost, c.cost)
		}
		if c.unit < 1<<62 && plan.Unit != c.unit {
			t.Errorf("%s: units of %v, want %v", c.name, plan.Unit, c.unit)
		}
	}
	for _, c := range []struct {
		units int // at 2 from the plan
		want  pricing.Money
	}{{499, pricing.Milli}, {500, 10 * pricing.Milli}} { // 10⁶ units of 0.001 are too fine
		var sum Sum
		sum.Add(rates, 0, 1, []int{c.units, 0}, 1)
		if plan, _, err := Commit(p, 2, &sum, nil); err != nil || plan.Unit != c.want {
			t.Errorf("%d: units of %v, want %v: %v", c.units, plan.Unit, c.want, err)
		}
	}
	var short, negative Sum
	short.Add(rates, 0, 1, []int{1}, 1)
	negative.Add(rates, 0, 1, []int{1, -1}, 1)
	for _, sum := range []*Sum{&short, &negative} {
		if _, _, err := Commit(p, 2, sum, nil); err == nil {
			t.Errorf("%+v has a plan", sum)
		}
	}
	const one = 1 << worthBits
	for _, c := range []struct {
		worth []int64
		want  int
	}{
		{[]int64{one, one}, -1}, {[]int64{one, one + 1}, 0}, {[]int64{0, 2 * one}, -1}, {[]int64{one, -1}, 1}, {[]int64{mostWorth + 1, 0}, 0},
	} {
		if got := Unfair(p, c.worth); got != c.want {
			t.Errorf("%v: unfair at %d, want %d", c.worth, got, c.want)
		}
		var sum Sum
		sum.Add(rates, 0, 1, []int{1, 1}, 1)
		if _, _, err := Commit(p, 2, &sum, c.worth); (err == nil) != (c.want < 0) {
			t.Errorf("%v: %v", c.worth, err)
		}
	}
	free := *p
	free.Term = 0
	if Unfair(&free, []int64{9 * one, 9 * one}) >= 0 {
		t.Error("without a savings plan no worth is unfair")
	}
}

// A market of whole units of the currency: fee says what a reservation costs, and whether that fits.
type testMarket struct {
	fee int64
	ok  bool
}

func (m testMarket) Fee(class, slot int) (int64, bool) { return m.fee, m.ok }
func (m testMarket) Cost(list []pricing.Purchase) (Total, bool, error) {
	return TotalOf(1000 * pricing.Unit), true, nil
}

// A program is loaded up to its limits, and not beyond them.
func TestBranchLimits(t *testing.T) {
	problem := func() *Problem {
		return &Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: 1, Types: []Type{{Demand: []int{1, 2}, OnDemand: 3, Plan: 2}},
			Classes: []TypeClass{{Class: pricing.Class{Term: time.Hour}}}}
	}
	for _, c := range []struct {
		name string
		set  func(p *Problem, beyond int)
		fee  testMarket
	}{
		{"on demand", func(p *Problem, beyond int) { p.Types[0].OnDemand = mostRate + pricing.Money(beyond) }, testMarket{5, true}},
		{"plan", func(p *Problem, beyond int) { p.Types[0].Plan = mostRate + pricing.Money(beyond) }, testMarket{5, true}},
		{"money", func(p *Problem, beyond int) { p.Types[0].Plan, p.Types[0].Demand[1] = mostRate, 1<<10+beyond }, testMarket{5, true}},
		{"held", func(p *Problem, beyond int) {
			p.Unit = math.MaxInt64 / 2
			p.Held = []pricing.Holding{{Count: 2 + beyond, Until: 1}}
		}, testMarket{5, true}},
	} {
		for beyond, want := range []bool{true, false} {
			p := problem()
			c.set(p, beyond)
			if got := new(Branch).Load(p, c.fee); got != want {
				t.Errorf("%s, %d beyond: loaded %v", c.name, beyond, got)
			}
		}
	}
	if new(Branch).Load(problem(), testMarket{5, false}) {
		t.Error("a fee that does not fit is loaded")
	}
	// 2,200 columns: a date is one of the class, one of the plan and one period.
	for _, dates := range []int{733, 734} {
		p := problem()
		p.Types[0].Demand = make([]int, dates)
		var b Branch
		if got := b.Load(p, testMarket{5, true}); got != (dates == 733) || got && b.Columns() != 3*dates {
			t.Errorf("%d dates: loaded %v, %d columns", dates, got, b.Columns())
		}
	}
}

// The share of the bound, by hand; equal amounts have no gap, also where both are nothing.
func TestSharedGap(t *testing.T) {
	for _, c := range []struct {
		cost, bound pricing.Money
		want        float64
	}{{0, 0, 0}, {7, 7, 0}, {9, 8, .125}, {1, 0, math.Inf(1)}} {
		p := Shared{Cost: TotalOf(c.cost), Bound: TotalOf(c.bound)}
		if got := p.Gap(); got != c.want && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d above %d: %v, want %v", c.cost, c.bound, got, c.want)
		}
	}
}
