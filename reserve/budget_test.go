package reserve

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// bruteWithin tries all purchases of at most most each, and returns the least cost within a budget.
func bruteWithin(t *testing.T, p *Problem, budget pricing.Money, most int) pricing.Money {
	t.Helper()
	best := pricing.Money(math.MaxInt64)
	n, K := p.slots(), len(p.Prices.Classes)
	var list []pricing.Purchase
	var from func(i int, paid pricing.Money)
	from = func(i int, paid pricing.Money) {
		if i == n*K {
			cost, err := Cost(p, list)
			if err != nil {
				t.Fatal(err)
			}
			best = min(best, cost)
			return
		}
		for count := range most + 1 {
			pay := paid + pricing.Money(count)*p.Prices.Classes[i%K].Upfront
			if pay > budget {
				break
			}
			before := len(list)
			if count > 0 {
				list = append(list, pricing.Purchase{Slot: i / K, Class: i % K, Count: count})
			}
			from(i+1, pay)
			list = list[:before]
		}
	}
	from(0, 0)
	return best
}

// The optimum within a budget lies between bound and cost, and mostly is the cost. A budget that
// does not bind changes nothing.
func TestWithin(t *testing.T) {
	runs := 150
	if os.Getenv("PLIMSOLL_LONG") != "" {
		runs = 1000
	}
	var e Exact
	best := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 41))
		p := &Problem{Slot: time.Hour, Prices: madeTree(rng, 1, 1+rng.IntN(2)).Prices}
		for k := range p.Prices.Classes {
			if rng.IntN(3) == 0 { // half as much up front, and the rest by the hour
				c := &p.Prices.Classes[k]
				c.Upfront /= 2
				c.Hourly = c.Upfront / pricing.Money(c.Term/p.Slot)
			}
		}
		for range 6 / len(p.Prices.Classes) {
			p.Demand = append(p.Demand, rng.IntN(3))
		}
		free, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		cost, need := free.Cost, spent(p, free.Purchases)
		same, err := e.Within(p, need)
		if err != nil || same.Cost != cost || same.Price != 0 || same.Bound != cost {
			t.Fatalf("seed %d: %+v, %v within %v, want %v", seed, same, err, need, cost)
		}
		budget := pricing.Money(rng.Float64() * need.Float64() * float64(pricing.Unit))
		b, err := e.Within(p, budget)
		if err != nil {
			t.Fatal(err)
		}
		if err := VerifyWithin(p, budget, &b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := bruteWithin(t, p, budget, 2)
		if b.Bound > want || b.Cost < want {
			t.Fatalf("seed %d: cost %v, bound %v, want %v between", seed, b.Cost, b.Bound, want)
		}
		if b.Cost == want {
			best++
		}
	}
	t.Logf("%d of %d are optimal", best, runs)
	if best < runs*9/10 {
		t.Errorf("%d of %d are optimal, want 90%%", best, runs)
	}
}

// On real demand a budget of half of what the optimum takes leaves a gap of about what one purchase saves, and the price of
// money says what a little more of the budget saves.
func TestWithinReal(t *testing.T) {
	p := &Problem{Demand: readDemand(t, "fleet-3y"), Slot: time.Hour, Every: 168, Prices: readList(t, "cc2.8xlarge-2013-1y-3y-heavy")}
	var e Exact
	free, err := e.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	budget := spent(p, free.Purchases) / 2
	b, err := e.Within(p, budget)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyWithin(p, budget, &b); err != nil {
		t.Error(err)
	}
	if gap := b.Cost.Float64()/b.Bound.Float64() - 1; gap > 2e-3 {
		t.Errorf("gap %v", gap)
	}
	t.Logf("cost %v, within %v: %v, bound %v, price of money %v", free.Cost, budget, b.Cost, b.Bound, b.Price)
}

func TestWithinErrors(t *testing.T) {
	p := &Problem{Demand: []int{1, 2}, Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
		{Name: "a", Term: 2 * time.Hour, Upfront: pricing.Unit}}}}
	var e Exact
	if _, err := e.Within(p, -1); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	tree := *p
	tree.Demand, tree.Tree = nil, []Node{{-1, 1, 1}}
	if _, err := e.Within(&tree, 1); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	b, err := e.Within(p, pricing.Unit)
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(b *Budgeted){
		"cost":  func(b *Budgeted) { b.Cost-- },
		"spent": func(b *Budgeted) { b.Spent-- },
		"bound": func(b *Budgeted) { b.Bound++ },
		"price": func(b *Budgeted) { b.Price += pricing.Unit },
		"count": func(b *Budgeted) { b.Purchases[0].Count++ },
	} {
		t.Run(name, func(t *testing.T) {
			x := b
			x.Purchases = append([]pricing.Purchase(nil), b.Purchases...)
			forge(&x)
			if err := VerifyWithin(p, pricing.Unit, &x); !errors.Is(err, ErrForged) {
				t.Errorf("%v, want ErrForged", err)
			}
		})
	}
}
