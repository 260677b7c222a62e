package rules

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A class that is held and not for sale serves and is not bought, by no planner, and does
// not turn a flow into a linear program.
func TestNotForSale(t *testing.T) {
	p := &reserve.Problem{Demand: slices.Repeat([]int{9}, 60), Slot: time.Hour, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "old", Term: 30 * time.Hour, Upfront: 30}, // a third of the price of "new"
		{Name: "new", Term: 30 * time.Hour, Upfront: 90},
		{Name: "gone", Term: 30 * time.Hour, Upfront: 1, Hourly: 1, Billed: pricing.WhenUsed},
	}}, AtMost: []int{0, reserve.NoCap, 0}, Held: []pricing.Holding{{Class: 0, Count: 5, Until: 30}}}
	plan, err := new(reserve.Exact).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	want := []pricing.Purchase{{Slot: 0, Class: 1, Count: 4}, {Slot: 30, Class: 1, Count: 9}}
	if d := cmp.Diff(want, plan.Purchases); d != "" || !plan.Optimal() || plan.Certificate.Levels != 1 {
		t.Errorf("%s, %d levels", d, plan.Certificate.Levels)
	}
	if err := reserve.Verify(p, &plan); err != nil {
		t.Error(err)
	}
	for _, a := range append(planners(1), &Wang{Class: 1}) {
		got, err := a.AppendPlan(nil, p)
		if err != nil {
			t.Errorf("%T: %v", a, err)
		}
		for _, b := range got {
			if b.Class != 1 {
				t.Errorf("%T buys %+v", a, b)
			}
		}
	}
	for _, a := range []reserve.Planner{&reserve.HGR{}, &Periodic{}, &Wang{}} {
		if _, err := a.AppendPlan(nil, p); !errors.Is(err, reserve.ErrUnsupported) {
			t.Errorf("%T of a class that is not for sale: %v", a, err)
		}
	}
	// By hand, per instance and hour: "new" 3 against 10 on demand; 5·30 instance-hours are held.
	if bound, err := new(reserve.Competitive).Bound(p); err != nil || bound != 4*90+9*90 {
		t.Errorf("bound %d, %v", int64(bound), err)
	}
	p.AtMost[1] = -2
	if _, err := new(reserve.Exact).Solve(p); !errors.Is(err, reserve.ErrRange) {
		t.Error(err)
	}
}

// A price of 0 on demand is refused, and Once allows slot 0 alone.
func TestOnceAndNoPrice(t *testing.T) {
	p := &reserve.Problem{Demand: slices.Repeat([]int{2}, 96), Slot: time.Hour, Every: reserve.Once,
		Prices: pricing.List{Classes: []pricing.Class{{Name: "day", Term: 24 * time.Hour, Upfront: 5}}}}
	if _, err := new(reserve.Exact).Solve(p); !errors.Is(err, reserve.ErrRange) ||
		err.Error() != "reserve: Prices.OnDemand: value out of range: 0: want the price of an instance on demand, above 0" {
		t.Error(err)
	}
	p.Prices.OnDemand = 1
	plan, err := new(reserve.Exact).Solve(p)
	if err != nil || !slices.Equal(plan.Purchases, []pricing.Purchase{{Slot: 0, Class: 0, Count: 2}}) {
		t.Error(plan.Purchases, err)
	}
}

// Years in weeks: 52 of them, at the fee of the year.
func TestWholeTerms(t *testing.T) {
	list := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
		{Name: "1y", Term: 8760 * time.Hour, Upfront: 1000 * pricing.Unit, Hourly: 100 * pricing.Milli, Billed: pricing.Always},
		{Name: "light", Term: 8760 * time.Hour, Upfront: 500 * pricing.Unit, Hourly: 300 * pricing.Milli, Billed: pricing.WhenUsed},
	}}
	week := 168 * time.Hour
	got, err := reserve.WholeTerms(list, week)
	if err != nil {
		t.Fatal(err)
	}
	want := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
		{Name: "1y", Term: 52 * week, Upfront: 1002400 * pricing.Milli, Hourly: 100 * pricing.Milli, Billed: pricing.Always}, // 24 h more
		{Name: "light", Term: 52 * week, Upfront: 500 * pricing.Unit, Hourly: 300 * pricing.Milli, Billed: pricing.WhenUsed},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := new(reserve.Exact).Solve(&reserve.Problem{Demand: slices.Repeat([]int{3}, 60), Slot: week, Prices: got}); err != nil {
		t.Error(err)
	}
	if _, err := reserve.WholeTerms(list, 9000*time.Hour); !errors.Is(err, reserve.ErrTerm) {
		t.Error(err)
	}
	for _, hourly := range []pricing.Money{math.MaxInt64, math.MaxInt64/2 + 1} { // 1.5 hours cost more than the greatest amount, or fit alone
		dear := pricing.List{OnDemand: 1, Classes: []pricing.Class{{Name: "dear", Term: 7 * time.Hour / 2, Hourly: hourly, Upfront: math.MaxInt64 / 2, Billed: pricing.Always}}}
		if got, err := reserve.WholeTerms(dear, 2*time.Hour); !errors.Is(err, reserve.ErrOverflow) || !strings.Contains(err.Error(), "dear costs too much for the rest of its term, 1h30m0s") {
			t.Error(got, err)
		}
	}
	if got, err := reserve.WholeTerms(pricing.List{OnDemand: 1, Classes: []pricing.Class{{Name: "a", Term: week}}}, week); err != nil || got.Classes[0].Term != week {
		t.Errorf("a term of one slot: %+v, %v", got, err)
	}
	if _, err := reserve.WholeTerms(list, 0); !errors.Is(err, reserve.ErrRange) {
		t.Error(err)
	}
}
