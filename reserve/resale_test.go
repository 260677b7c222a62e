package reserve_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// By hand. Class a costs 120 for 12 hours and class b 60 for 6; the share is a half. Sold
// after 3 hours, 9 and 3 hours are left: a brings 45 and b 15, so a has cost 75 and b 45.
// After 6 hours a has cost 90, more than b, whose term that is. After 9 hours a has cost 105.
// c, whose hours cost 1 each, used or not, keeps that price, and brings 12 after 3 hours.
func TestResaleByHand(t *testing.T) {
	const h = time.Hour
	list := pricing.List{OnDemand: 100, Classes: []pricing.Class{
		{Name: "a", Term: 12 * h, Upfront: 120}, {Name: "b", Term: 6 * h, Upfront: 60},
		{Name: "c", Term: 6 * h, Upfront: 48, Hourly: 1, Billed: pricing.Always},
	}}
	before := append([]pricing.Class(nil), list.Classes...)
	got, of, err := reserve.Resale{Share: .5, Every: 3 * h, Longest: 11 * h}.AppendClasses(nil, nil, list)
	if err != nil {
		t.Fatal(err)
	}
	want := append(append([]pricing.Class(nil), before...),
		pricing.Class{Name: "b for 3h0m0s", Term: 3 * h, Upfront: 45},
		pricing.Class{Name: "c for 3h0m0s", Term: 3 * h, Upfront: 36, Hourly: 1, Billed: pricing.Always},
		pricing.Class{Name: "a for 9h0m0s", Term: 9 * h, Upfront: 105})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 1, 2, 0}, of); diff != "" {
		t.Errorf("of (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, list.Classes); diff != "" {
		t.Errorf("the list is changed:\n%s", diff)
	}
	// Days are days, and what is there stays.
	again, more, err := reserve.Resale{Share: 1, Every: 24 * h, Longest: 24 * h}.AppendClasses(got[:1:1], of[:1:1],
		pricing.List{OnDemand: 100, Classes: []pricing.Class{{Name: "d", Term: 72 * h, Upfront: 100}}})
	if err != nil || len(again) != 3 || len(more) != 3 || again[2].Name != "d for 1d" || again[2].Upfront != 34 || again[2].Term != 24*h || more[2] != 0 {
		t.Errorf("%+v, %+v, %v", again, more, err)
	}
}

func TestResaleErrors(t *testing.T) {
	list := pricing.List{OnDemand: 2, Classes: []pricing.Class{{Name: "a", Term: time.Hour, Upfront: 1}}}
	for field, r := range map[string]reserve.Resale{
		"Share":   {Share: 1.1, Every: 1, Longest: 1},
		"Every":   {Every: 0, Longest: 1},
		"Longest": {Every: 1, Longest: -1},
	} {
		_, _, err := r.AppendClasses(nil, nil, list)
		var input *reserve.InputError
		if !errors.As(err, &input) || input.Field != field || !errors.Is(err, reserve.ErrRange) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []reserve.Resale{{Share: math.NaN(), Every: 1}, {Share: -1, Every: 1}, {Every: 1, Longest: time.Hour}} {
		if _, _, err := r.AppendClasses(nil, nil, list); !errors.Is(err, reserve.ErrRange) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	list.OnDemand = -1
	if _, _, err := (reserve.Resale{Every: 1}).AppendClasses(nil, nil, list); !errors.Is(err, pricing.ErrRange) || !strings.Contains(err.Error(), "Prices") {
		t.Errorf("prices: %v", err)
	}
}

// A sale at any slot for all of the rest costs at most what Pure counts; a greater share
// never costs more, and nothing at all is Full, for classes that owe no hours.
func TestResaleBetweenFullAndPure(t *testing.T) {
	var exact reserve.Exact
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "slots")
		p := reserve.Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 12 * pricing.Unit}}
		for range n {
			p.Demand = append(p.Demand, rapid.IntRange(0, 3).Draw(t, "demand"))
		}
		for k := range rapid.IntRange(1, 3).Draw(t, "classes") {
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{
				Name: string(rune('a' + k)), Term: time.Duration(rapid.IntRange(1, 12).Draw(t, "term")) * time.Hour,
				Upfront: pricing.Money(rapid.IntRange(0, 60).Draw(t, "upfront")) * pricing.Unit,
			})
		}
		cost := func(p reserve.Problem) pricing.Money {
			plan, err := exact.Solve(&p)
			if err != nil {
				t.Fatal(err)
			}
			return plan.Cost
		}
		full := cost(p)
		pure := p
		pure.Horizon = reserve.Pure
		last := full
		for _, share := range []float64{0, .3, .6, 1} {
			q := p
			var err error
			q.Prices.Classes, _, err = reserve.Resale{Share: share, Every: time.Hour, Longest: time.Duration(n) * time.Hour}.AppendClasses(nil, nil, p.Prices)
			if err != nil {
				t.Fatal(err)
			}
			c := cost(q)
			switch {
			case share == 0 && c != full:
				t.Fatalf("given away it costs %v, want %v", c, full)
			case c > last:
				t.Fatalf("a share of %v costs %v, and a smaller one %v", share, c, last)
			case share == 1 && c > cost(pure)+pricing.Money(100): // each fee is rounded up
				t.Fatalf("sold for all of it %v, pure %v", c, cost(pure))
			}
			last = c
		}
	})
}
