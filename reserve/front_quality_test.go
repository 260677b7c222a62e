package reserve

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The weights that project finds are the nearest ones: each is what was there less a shift
// that is common to all, cut off at 0 and at its cap, and they sum to the grain.
func TestFrontProject(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 4))
	for range 3000 {
		n := 1 + rng.IntN(9)
		f := front{grain: 10_000, caps: make([]int64, n), target: make([]float64, n)}
		room := int64(0)
		for i := range f.caps {
			f.caps[i] = rng.Int64N(2 * f.grain)
			room += f.caps[i]
			f.target[i] = 20_000 * rng.NormFloat64()
		}
		if room <= f.grain {
			f.caps[0] += f.grain
		}
		before := append([]float64(nil), f.target...)
		f.project()
		sum, shift := 0.0, math.NaN()
		for i, q := range f.target {
			if q < 0 || q > float64(f.caps[i]) {
				t.Fatalf("weight %v, cap %d", q, f.caps[i])
			}
			sum += q
			if q > 0 && q < float64(f.caps[i]) {
				shift = before[i] - q
			}
		}
		if math.Abs(sum-float64(f.grain)) > 1e-6*float64(f.grain) {
			t.Fatalf("the weights sum to %v", sum)
		}
		if math.IsNaN(shift) { // all at their ends
			continue
		}
		for i, q := range f.target {
			if want := min(float64(f.caps[i]), max(0, before[i]-shift)); math.Abs(q-want) > 1e-6*float64(f.grain) {
				t.Fatalf("weight %d is %v, want %v: %v becomes %v", i, q, want, before, f.target)
			}
		}
	}
}

// On problems that are too large to try all, the gap that is proved stays small, and so
// does the number of rounds that reach it.
func TestFrontGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 4))
	var e Exact
	sum, worst, points := 0.0, 0.0, 0
	for k := range 12 {
		p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
			{Name: "a", Term: 12 * time.Hour, Upfront: 7 * pricing.Unit}, {Name: "b", Term: 24 * time.Hour, Upfront: 11 * pricing.Unit}}}}
		if k%3 == 2 {
			p.MaxBuy = 4
		}
		for range 8 {
			level := 5 + 20*rng.Float64()
			path := make([]int, 48)
			for t := range path {
				path[t] = max(0, int(level*(1+.4*math.Sin(float64(t)/4))+2*rng.NormFloat64()))
			}
			p.Paths = append(p.Paths, path)
		}
		front, err := e.Front(p, []float64{.5, .8, .95}[k%3], []float64{0, .3, .7, 1}, 12)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range front {
			if x.CVaR < x.Mean || i > 0 && (x.Mean < front[i-1].Mean-front[i-1].Mean/500 || x.CVaR > front[i-1].CVaR+front[i-1].CVaR/500) {
				t.Errorf("problem %d: %+v", k, x)
			}
			sum, worst, points = sum+x.Gap, max(worst, x.Gap), points+1
		}
		// A point alone is as good.
		alone, err := e.Front(p, []float64{.5, .8, .95}[k%3], []float64{.7}, 0)
		if err != nil || alone[0].Gap > 2e-3 {
			t.Errorf("problem %d: %+v, %v", k, alone, err)
		}
	}
	if mean := sum / float64(points); mean > 1e-4 || worst > 2e-3 {
		t.Errorf("gaps of %.3g in the mean, %.3g at most", mean, worst)
	}
}

// A plan that buys a class whose use costs what on demand costs is refused, and a holding of
// none adds no level to a certificate.
func TestVerifyUselessClass(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: []int{2, 2, 2}, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "good", Term: 3 * time.Hour, Upfront: 12}, {Name: "useless", Term: 3 * time.Hour, Hourly: 10, Billed: pricing.WhenUsed},
		{Name: "other", Term: 2 * time.Hour, Upfront: 5, Hourly: 4, Billed: pricing.WhenUsed}}}, AtMost: []int{NoCap, NoCap, 0}}
	var e Exact
	plan, err := e.Solve(p)
	if err != nil || plan.Certificate.Levels != 1 || Verify(p, &plan) != nil {
		t.Fatalf("%+v, %v, %v", plan, err, Verify(p, &plan))
	}
	for _, h := range []pricing.Holding{{Class: 2, Count: 0, Until: 1}, {Class: 2, Count: 3, Until: 0}} {
		p.Held = []pricing.Holding{h}
		if plan, err := e.Solve(p); err != nil || plan.Certificate.Levels != 1 || Verify(p, &plan) != nil {
			t.Errorf("%+v: %d levels, %v, %v", h, plan.Certificate.Levels, err, Verify(p, &plan))
		}
	}
	p.Held = []pricing.Holding{{Class: 2, Count: 1, Until: 1}}
	if plan, err := e.Solve(p); err != nil || plan.Certificate.Levels != 2 || Verify(p, &plan) != nil {
		t.Errorf("held: %d levels, %v, %v", plan.Certificate.Levels, err, Verify(p, &plan))
	}
	p.Held = nil
	if plan, err = e.Solve(p); err != nil {
		t.Fatal(err)
	}
	plan.Purchases = append(plan.Purchases, pricing.Purchase{Class: 1, Count: 1})
	if err := Verify(p, &plan); !errors.Is(err, ErrForged) {
		t.Errorf("a class that saves nothing: %v", err)
	}
}

// One reservation more or less at a place changes the plan there alone.
func TestFrontChanged(t *testing.T) {
	best := []pricing.Purchase{{Slot: 0, Class: 0, Count: 2}, {Slot: 0, Class: 1, Count: 1}, {Slot: 5, Class: 1, Count: 3}}
	f := front{p: &Problem{MaxBuy: 3, Prices: pricing.List{Classes: make([]pricing.Class, 2)}}, best: FrontPoint{Purchases: best}}
	for _, c := range []struct {
		at   spot
		by   int
		want []pricing.Purchase
	}{
		{spot{0, 0}, 1, []pricing.Purchase{{Slot: 0, Class: 0, Count: 3}, {Slot: 0, Class: 1, Count: 1}, {Slot: 5, Class: 1, Count: 3}}},
		{spot{0, 1}, -1, []pricing.Purchase{{Slot: 0, Class: 0, Count: 2}, {Slot: 5, Class: 1, Count: 3}}},
		{spot{5, 0}, 1, []pricing.Purchase{{Slot: 0, Class: 0, Count: 2}, {Slot: 0, Class: 1, Count: 1}, {Slot: 5, Class: 0, Count: 1}, {Slot: 5, Class: 1, Count: 3}}},
		{spot{3, 1}, -1, nil}, // there is none
		{spot{5, 1}, 1, nil},  // more than may be bought
	} {
		got, ok := f.changed(c.at, c.by)
		if ok != (c.want != nil) || !slices.Equal(got, c.want) {
			t.Errorf("%+v by %d: %v, %v, want %v", c.at, c.by, got, ok, c.want)
		}
		if best[0].Count != 2 || len(f.best.Purchases) != 3 {
			t.Fatal("the best plan is changed")
		}
	}
	f.p.MaxBuy = 0 // no cap
	if got, ok := f.changed(spot{5, 1}, 1); !ok || got[2].Count != 4 {
		t.Errorf("one more without a cap: %v, %v", got, ok)
	}
}
