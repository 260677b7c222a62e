package reserve

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

const unit = pricing.Unit

// problemOf has one class for each term, whose fees are whole units.
func problemOf(demand []int, onDemand int, classes ...[2]int) *Problem {
	p := &Problem{Demand: demand, Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Money(onDemand) * unit}}
	for i, c := range classes {
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: fmt.Sprint("c", i), Term: time.Duration(c[0]) * time.Hour, Upfront: pricing.Money(c[1]) * unit})
	}
	return p
}

// discounts in hundredths, from whole units on.
func discounts(pairs ...int) (d Discounts) {
	for i := 0; i < len(pairs); i += 2 {
		d.Tiers = append(d.Tiers, Tier{pricing.Money(pairs[i]) * unit, float64(pairs[i+1]) / 100})
	}
	return d
}

// A demand of four instances for three hours at 3 on demand, a term for 10: at list prices
// nothing is worth a fee of 10, and on demand costs 36. With half off beyond 20 of fees all
// four cost 20 + 10 = 30. The first two cost more than on demand, by hand.
func TestTogether(t *testing.T) {
	p := problemOf([]int{4, 4, 4}, 3, [2]int{3, 10})
	d := discounts(20, 50)
	var s Exact
	plan, err := s.SolveDiscounted(d, p)
	want := DiscountedPlan{Purchases: [][]pricing.Purchase{{{Count: 4}}}, Cost: 30 * unit, Bound: 30 * unit}
	if err != nil || !cmp.Equal(plan, want) || !plan.Optimal() {
		t.Errorf("%v %s", err, cmp.Diff(want, plan))
	}
	if plan, err = s.SolveDiscounted(Discounts{}, p); err != nil || plan.Cost != 36*unit || plan.Tier != -1 || len(plan.Purchases[0]) != 0 {
		t.Errorf("without a discount: %+v %v, want 36 on demand", plan, err)
	}
	// Two accounts of two instances reach the tier together only.
	a, b := problemOf([]int{2, 2, 2}, 3, [2]int{3, 10}), problemOf([]int{2, 2, 2}, 3, [2]int{3, 10})
	if plan, err = s.SolveDiscounted(d, a, b); err != nil || plan.Cost != 30*unit || plan.Tier != 0 {
		t.Errorf("two accounts: %+v %v, want 30", plan, err)
	}
	if plan, err = s.SolveDiscounted(d, a); err != nil || plan.Cost != 18*unit {
		t.Errorf("one account: %+v %v, want 18", plan, err)
	}
	// What counts already brings the tier nearer: 10 at the list price and 30 at half.
	d.Counted = 10 * unit
	if plan, err = s.SolveDiscounted(d, p); err != nil || plan.Cost != 25*unit {
		t.Errorf("10 counted: %+v %v, want 25", plan, err)
	}
	for _, counted := range []pricing.Money{20, 25} {
		d.Counted = counted * unit
		if plan, err = s.SolveDiscounted(d, p); err != nil || plan.Cost != 20*unit || plan.Tier != 0 {
			t.Errorf("%v counted: %+v %v, want 20", counted, plan, err)
		}
	}
	// No discount is a discount, and of plans that cost the same the lowest tier is taken.
	if plan, err = s.SolveDiscounted(discounts(5, 0, 1000, 50), p); err != nil || plan.Cost != 36*unit || plan.Tier != -1 {
		t.Errorf("a discount of 0: %+v %v, want 36", plan, err)
	}
}

// fees are what fees of a list value cost, part by part.
func fees(d Discounts, list pricing.Money) float64 {
	sum, at, off := 0., 0., 0.
	x := list.Float64()
	for _, t := range d.Tiers {
		from := t.From.Float64()
		sum += (1 - off) * max(0, min(x, from)-at)
		at, off = from, t.Discount
	}
	return sum + (1-off)*max(0, x-at)
}

// Against all plans of small problems, whose fees are added up part by part, with a solver
// that has seen other problems; and Cost of the plan is the plan's.
func TestBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4)) // seed 3, 4
	var s Exact
	reached := map[int]int{}
	for n := range 600 {
		demand := make([]int, 3+rng.IntN(2))
		for i := range demand {
			demand[i] = rng.IntN(3)
		}
		p := problemOf(demand, 1+rng.IntN(6), [2]int{2, 1 + rng.IntN(9)}, [2]int{3, 1 + rng.IntN(9)})
		if rng.IntN(3) == 0 { // the same fee, by the hour
			c := &p.Prices.Classes[0]
			c.Upfront, c.Hourly, c.Billed = 0, c.Upfront/2, pricing.Always
		}
		d := discounts(1+rng.IntN(6), 5*(1+rng.IntN(5)), 8+rng.IntN(9), 50)
		plan, err := s.SolveDiscounted(d, p)
		if err != nil {
			t.Fatal(err)
		}
		reached[plan.Tier]++
		best := math.Inf(1)
		counts := make([]int, 2*len(demand))
		for {
			list, cost := pricing.Money(0), 0.
			for i := range demand {
				active := 0
				for j := 0; j <= i; j++ {
					for k, term := range []int{2, 3} {
						if i < j+term {
							active += counts[2*j+k]
						}
					}
				}
				cost += p.Prices.OnDemand.Float64() * float64(max(0, demand[i]-active))
			}
			for i, x := range counts {
				c := p.Prices.Classes[i%2]
				list += (c.Upfront + c.Hourly*pricing.Money(c.Term/time.Hour)) * pricing.Money(x)
			}
			best = min(best, cost+fees(d, list))
			i := 0
			for i < len(counts) && counts[i] == 2 {
				counts[i] = 0
				i++
			}
			if i == len(counts) {
				break
			}
			counts[i]++
		}
		if math.Abs(plan.Cost.Float64()-best) > 1e-6 || !plan.Optimal() {
			t.Fatalf("%d: %v, %+v: %v, bound %v, want %v", n, demand, d, plan.Cost, plan.Bound, best)
		}
		if cost, err := d.Cost(plan.Purchases, p); err != nil || cost != plan.Cost {
			t.Fatalf("%d: the plan costs %v (%v), want %v", n, cost, err, plan.Cost)
		}
	}
	if reached[-1] < 10 || reached[0] < 10 || reached[1] < 10 {
		t.Errorf("tiers reached: %v, want each", reached)
	}
}

func TestBadInput(t *testing.T) {
	p := problemOf([]int{1}, 1, [2]int{1, 1})
	pure := *p
	pure.Horizon = Pure
	dear := problemOf([]int{1, 1}, 1, [2]int{2, 1})
	dear.Prices.OnDemand, dear.Prices.Classes[0].Upfront = 4_500_000_000*unit, 9_000_000_000*unit
	for name, c := range map[string]struct {
		d     Discounts
		p     []*Problem
		want  error
		field string
		index int
	}{
		"counted":      {Discounts{Counted: -1}, []*Problem{p}, ErrRange, "Counted", -1},
		"from":         {Discounts{Tiers: []Tier{{-1, .1}}}, []*Problem{p}, ErrRange, "Tiers[].From", 0},
		"nan":          {Discounts{Tiers: []Tier{{0, math.NaN()}}}, []*Problem{p}, ErrRange, "Tiers[].Discount", 0},
		"below":        {discounts(1, -10), []*Problem{p}, ErrRange, "Tiers[].Discount", 0},
		"above":        {discounts(1, 150), []*Problem{p}, ErrRange, "Tiers[].Discount", 0},
		"all":          {discounts(1, 100), []*Problem{p}, ErrRange, "Tiers[].Discount", 0},
		"nearly all":   {Discounts{Tiers: []Tier{{0, .99999999}}}, []*Problem{p}, ErrRange, "Tiers[].Discount", 0},
		"falling from": {discounts(5, 10, 5, 20), []*Problem{p}, ErrRange, "Tiers[].From", 1},
		"falling off":  {discounts(5, 20, 6, 20), []*Problem{p}, ErrRange, "Tiers[].Discount", 1},
		"pure":         {discounts(1, 10), []*Problem{p, &pure}, ErrUnsupported, "problems[].Horizon", 1},
		"two dear":     {discounts(1, 10), []*Problem{dear, dear}, ErrOverflow, "problems", 1},
		"no problem":   {discounts(1, 10), []*Problem{{Slot: time.Hour, Demand: []int{-1}}}, ErrRange, "", 0},
	} {
		var s Exact
		purchases := make([][]pricing.Purchase, len(c.p))
		for i := range c.p {
			if c.p[i] == dear {
				purchases[i] = []pricing.Purchase{{Count: 1}}
			}
		}
		_, err := s.SolveDiscounted(c.d, c.p...)
		_, same := c.d.Cost(purchases, c.p...)
		var bad *InputError
		if !errors.Is(err, c.want) || !errors.As(err, &bad) || !errors.Is(same, c.want) || c.field != "" && (bad.Field != c.field || bad.Index != c.index) {
			t.Errorf("%s: %v (Cost %v), want %v of %s", name, err, same, c.want, c.field)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("purchases for no problem: no panic")
		}
	}()
	Discounts{}.Cost(nil, p)
}

func TestAllocs(t *testing.T) {
	large := make([]int, 300)
	for i := range large {
		large[i] = i * 7 % 23
	}
	d := discounts(40, 10, 400, 20)
	var s Exact
	a, b := problemOf(large, 2, [2]int{24, 20}, [2]int{100, 70}), problemOf(large[:100], 2, [2]int{24, 20})
	if n := allocs.Once(func() {
		if _, err := s.SolveDiscounted(d, a, b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
