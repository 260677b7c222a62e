package savings

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// severalCost returns what a plan costs by the definition, in nanos: reservations serve first, and
// then the pair of an offer and a type that saves the greatest share pays first.
func severalCost(p *Problem, reservations []pricing.Purchase, commitments []Commitment) *big.Rat {
	n := len(p.Types[0].Demand)
	rate := func(k, i int) int64 {
		if k == 0 {
			return int64(p.Types[i].Plan)
		}
		return int64(p.Others[k-1].Rates[i])
	}
	term := func(k int) int {
		if k == 0 {
			return int(p.Term / p.Slot)
		}
		return int(p.Others[k-1].Term / p.Slot)
	}
	var order [][2]int
	for k := range 1 + len(p.Others) {
		for i := range p.Types {
			if rate(k, i) > 0 {
				order = append(order, [2]int{k, i})
			}
		}
	}
	slices.SortFunc(order, func(a, b [2]int) int {
		ra, rb := rate(a[0], a[1]), rate(b[0], b[1])
		share := func(x [2]int, q int64) *big.Rat { return big.NewRat(q, int64(p.Types[x[1]].OnDemand)) }
		return cmp.Or(share(a, ra).Cmp(share(b, rb)), cmp.Compare(ra, rb), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	fees, rest := mixedReserved(p, reservations)
	perHour := new(big.Rat)
	for t := range n {
		free := make([]*big.Rat, 1+len(p.Others))
		for k := range free {
			units := 0
			for _, h := range p.Held {
				if h.Class == k && t < h.Until {
					units += h.Count
				}
			}
			for _, c := range commitments {
				if c.Offer == k && c.Slot <= t && t < c.Slot+term(k) {
					units += c.Units
				}
			}
			free[k] = big.NewRat(int64(units)*int64(p.Unit), 1)
		}
		hours := make([]*big.Rat, len(p.Types))
		for i := range hours {
			hours[i] = big.NewRat(int64(rest.Types[i].Demand[t]), 1)
		}
		for _, x := range order {
			q := big.NewRat(rate(x[0], x[1]), 1)
			paid := new(big.Rat).Quo(free[x[0]], q)
			if paid.Cmp(hours[x[1]]) > 0 {
				paid = hours[x[1]]
			}
			free[x[0]] = new(big.Rat).Sub(free[x[0]], new(big.Rat).Mul(paid, q))
			hours[x[1]] = new(big.Rat).Sub(hours[x[1]], paid)
		}
		for i, h := range hours {
			perHour.Add(perHour, h.Mul(h, big.NewRat(int64(p.Types[i].OnDemand), 1)))
		}
	}
	for _, c := range commitments {
		slots := term(c.Offer)
		if p.Horizon == reserve.Pure {
			slots = min(slots, n-c.Slot)
		}
		perHour.Add(perHour, big.NewRat(int64(c.Units)*int64(p.Unit)*int64(slots), 1))
	}
	return fees.Add(fees, perHour.Mul(perHour, big.NewRat(int64(p.Slot), int64(time.Hour))))
}

// severalProblems draws problems with two or three offers, reservations, and commitments held.
func severalProblems(slots, types, peak int) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		p := mixedProblems(slots, types, peak).Draw(t, "problem")
		for i := range p.Types {
			p.Types[i].OnDemand = max(p.Types[i].OnDemand, p.Types[i].Plan*2)
		}
		p.Classes = p.Classes[:min(1, len(p.Classes))]
		n := len(p.Types[0].Demand)
		for k := range rapid.IntRange(1, 2).Draw(t, "others") {
			o := Offer{Name: names[k], Term: p.Slot * time.Duration(rapid.IntRange(1, slots).Draw(t, "term"))}
			for i := range p.Types {
				o.Rates = append(o.Rates, p.Types[i].Plan*pricing.Money(rapid.SampledFrom([]int{0, 6, 8, 9, 10, 11}).Draw(t, "tenths"))/10)
			}
			p.Others = append(p.Others, o)
		}
		if rapid.Bool().Draw(t, "held?") {
			p.Held = append(p.Held, pricing.Holding{Count: 1, Until: rapid.IntRange(0, n).Draw(t, "until"), Class: rapid.IntRange(0, len(p.Others)).Draw(t, "offer")})
		}
		for mostUnitsOf(p) > 3 {
			p.Unit *= 2
		}
		return p
	})
}

// mostUnitsOf returns a number of units that no slot needs more of, of any offer.
func mostUnitsOf(p *Problem) int {
	most := 0
	for k := range p.offers() {
		q := copySavings(p)
		for i := range q.Types {
			q.Types[i].Plan = p.rate(k, i)
		}
		most = max(most, mostUnits(q))
	}
	return most
}

// eachSeveral calls f with all commitments of up to most units a slot and offer.
func eachSeveral(p *Problem, most int, f func([]Commitment)) {
	var plan []Commitment
	offers := 1 + len(p.Others)
	var rec func(at int)
	rec = func(at int) {
		if at == offers*len(p.Types[0].Demand) {
			f(plan)
			return
		}
		rec(at + 1)
		if t := at / offers; t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t]) {
			for units := 1; units <= most; units++ {
				plan = append(plan, Commitment{Slot: t, Units: units, Offer: at % offers})
				rec(at + 1)
				plan = plan[:len(plan)-1]
			}
		}
	}
	rec(0)
}

// The bound is at most, and the plan at least, the optimum by brute force; the plan costs what the
// definition says; and the certificate holds.
func TestSeveralBrute(t *testing.T) {
	var used Solver
	cases, optimal, both, near := 0, 0, 0, 0
	worst := 0.0
	rapid.Check(t, func(t *rapid.T) {
		p := severalProblems(2, 2, 2).Draw(t, "problem")
		old := fmt.Sprint(*p)
		plan := solved(t, &used, p)
		if fmt.Sprint(*p) != old {
			t.Fatal("the problem has changed")
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
		var fresh Solver
		if again, err := fresh.Solve(p); err != nil || fmt.Sprint(again) != fmt.Sprint(plan) {
			t.Fatalf("a fresh workspace gives %v, %v; a used one %v", again, err, plan)
		}
		if got := toNano(severalCost(p, plan.Reservations, plan.Commitments)); got != plan.Cost {
			t.Fatalf("the plan says %v, by the definition %v", plan.Cost, got)
		}
		var least *big.Rat
		eachReservations(p, 2, func(reservations []pricing.Purchase) {
			eachSeveral(p, mostUnitsOf(p), func(list []Commitment) {
				if cost := severalCost(p, reservations, list); least == nil || cost.Cmp(least) < 0 {
					least = cost
				}
			})
		})
		optimum := toNano(least)
		if plan.Bound > optimum || plan.Cost < optimum {
			t.Fatalf("bound %v, optimum %v, plan %v", plan.Bound, optimum, plan.Cost)
		}
		if plan.Cost != optimum || !plan.Optimal() {
			t.Fatalf("few plans: the optimum is %v, the plan costs %v", optimum, plan.Cost)
		}
		// As if there were many plans.
		used.Work = -1
		many, err := used.Solve(p)
		used.Work = 0
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &many); err != nil {
			t.Fatal(err)
		}
		if got := toNano(severalCost(p, many.Reservations, many.Commitments)); got != many.Cost || many.Searched || many.Bound > optimum || many.Cost < optimum {
			t.Fatalf("many plans: bound %v, optimum %v, plan %v, by the definition %v", many.Bound, optimum, many.Cost, got)
		}
		cases++
		if many.Cost == optimum {
			optimal++
		} else {
			worst = max(worst, many.Cost.Float64()/optimum.Float64()-1)
		}
		if many.Bound.Float64() > .5*optimum.Float64() {
			near++
		}
		offers := map[int]bool{}
		for _, c := range plan.Commitments {
			offers[c.Offer] = true
		}
		if len(offers) > 1 {
			both++
		}
	})
	t.Logf("%d of %d plans optimal, %d of several offers, %d bounds near; the worst %.4f above the optimum", optimal, cases, both, near, worst)
	if near*2 < cases {
		t.Errorf("%d of %d bounds are more than half of the optimum", near, cases)
	}
	if both < 2 {
		seeded.TooFew(t, "%d plans of several offers", both)
	}
	if optimal*10 < cases*8 {
		t.Errorf("%d of %d plans are optimal: want eight in ten", optimal, cases)
	}
}

// An offer that pays for nothing, or costs too much, changes neither the cost nor what is bought.
func TestSeveralOfOne(t *testing.T) {
	var s Solver
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(6, 2, 5, true).Draw(t, "problem")
		one := solved(t, &s, p)
		cost := one.Cost
		q := copySavings(p)
		q.Others = []Offer{{Name: "none", Term: p.Term, Rates: make([]pricing.Money, len(p.Types))}}
		two := solved(t, &s, q)
		if two.Cost < cost || two.Bound > cost || two.Cost.Float64() > 1.05*cost.Float64() {
			t.Fatalf("alone the plan costs %v; beside an offer that pays for nothing %v, bound %v", cost, two.Cost, two.Bound)
		}
	})
}

// What each commitment to an offer does: the uses add up to what all commitments save.
func TestSeveralUses(t *testing.T) {
	var s Solver
	rapid.Check(t, func(t *rapid.T) {
		p := severalProblems(2, 2, 2).Draw(t, "problem")
		plan := solved(t, &s, p)
		uses, err := AppendUses(nil, p, &plan)
		if err != nil {
			t.Fatal(err)
		}
		saved := new(big.Rat).Sub(severalCost(p, plan.Reservations, nil), severalCost(p, plan.Reservations, plan.Commitments))
		sum := pricing.Money(0)
		for i, u := range uses {
			sum += u.Saved
			if u.Commitment != plan.Commitments[i] {
				t.Fatalf("use %d is of %v: want %v", i, u.Commitment, plan.Commitments[i])
			}
		}
		if diff := sum - toNano(saved); diff < -3 || diff > 3 {
			t.Fatalf("the uses save %v, the commitments %v", sum, toNano(saved))
		}
	})
}
