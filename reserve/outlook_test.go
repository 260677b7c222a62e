package reserve

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// What uncertainty costs, by hand: two slots of an hour, on demand 10, a reservation of
// both slots for 12; paths (2,2), (0,0) and (1,3), the last with half of all probability.
//
//	level 1 is needed in 2·¼ + 2·½ = 1.5 slots: 15 on demand, reserved 12
//	level 2 in 2·¼ + 1·½ = 1 slot: 10 on demand, reserved 12; level 3 in ½
//	plan: one, 12 + ¼·(10+10) + ½·(0+20) = 27
//	mean path (1, 2): one as well (level 1: 20 against 12, level 2: 10), 27
//	path (2,2): two, 24; (0,0): 0; (1,3): one and 20, 32; mean 6 + 0 + 16 = 22
//	the purchase saves 8 on the first path and the third, and loses 12 on the second
func TestOutlook(t *testing.T) {
	p := &Problem{Slot: time.Hour, Paths: [][]int{{2, 2}, {0, 0}, {1, 3}}, Weights: []float64{.25, .25, .5},
		Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{{Name: "both", Term: 2 * time.Hour, Upfront: 12}}}}
	var e Exact
	plan, err := e.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	o, err := e.Outlook(p, plan.Purchases)
	if err != nil {
		t.Fatal(err)
	}
	if o.Cost != 27 || plan.Cost != 27 || o.MeanPath != 27 || o.Hindsight != 22 ||
		!slices.Equal(o.PathCosts, []pricing.Money{32, 12, 32}) || !slices.Equal(o.Losses, []float64{.25}) {
		t.Errorf("%+v", o)
	}
	for q, want := range map[float64][]int{0: {0, 0}, .25: {0, 0}, .26: {1, 2}, .5: {1, 2}, .75: {1, 3}, .76: {2, 3}, 1: {2, 3}} {
		if got, err := p.AppendQuantile(nil, q); err != nil || !slices.Equal(got, want) {
			t.Errorf("quantile %v: %v, %v, want %v", q, got, err, want)
		}
	}
	if _, err := p.AppendQuantile(nil, math.NaN()); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
	p.Paths, p.Weights, p.Demand = nil, nil, []int{1}
	if _, err := e.Outlook(p, nil); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

// The mean of the paths' costs is the cost, knowing costs no more, and planning for the
// mean no less.
func TestOutlookOrder(t *testing.T) {
	var e Exact
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 16))
		p := &Problem{Slot: time.Hour, Prices: month(), Horizon: Horizon(seed % 2)}
		p.Prices.Classes = slices.Delete(p.Prices.Classes, 1, 2)
		for range 6 {
			p.Paths = append(p.Paths, anyDemand(rng, 1500, 30))
		}
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		cost := plan.Cost
		o, err := e.Outlook(p, plan.Purchases)
		if err != nil {
			t.Fatal(err)
		}
		sum := pricing.Money(0)
		for _, c := range o.PathCosts {
			sum += c
		}
		if o.Cost != cost || (sum/6-cost).Float64() > 1e-8 || o.Hindsight > cost || o.MeanPath < cost {
			t.Errorf("cost %v, %v; knowing %v, mean path %v", cost, sum/6, o.Hindsight, o.MeanPath)
		}
	}
}

// The reference program's costs of planning for the mean and the median path. Its plans
// for these paths, among others of equal cost, are its own, and so is what they cost on
// the paths: within a hundredth.
func TestOutlookReference(t *testing.T) {
	var e Exact
	text, err := os.ReadFile(shared.File(t, "scenarios/reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		MeanPath float64 `json:"mean_path"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	names, problems, _ := sharedCases(t)
	for i, p := range problems {
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		o, err := e.Outlook(p, plan.Purchases)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(o.MeanPath.Float64()/list[i].MeanPath-1) > .01 {
			t.Errorf("%s: planning for the mean path costs %v, the reference program's plan %v", names[i], o.MeanPath, list[i].MeanPath)
		}
		t.Logf("%s: cost %v, mean path %v, knowing %v, losses %.2f", names[i], o.Cost, o.MeanPath, o.Hindsight, o.Losses)
	}
}
