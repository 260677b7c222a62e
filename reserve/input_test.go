package reserve

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

// A problem as a planner of a user's own reads it, by hand. Prices of 4, 2 and 1 a slot of half an hour
// and fees of 6 and 9 are whole in units of a nano, and no coarser unit. With the Pure horizon, fees of
// three slots are 2 and 3 a slot.
func TestInput(t *testing.T) {
	p := &Problem{Demand: []int{3, 1, 4, 1, 5}, Slot: time.Hour / 2, Every: 1,
		Prices: pricing.List{OnDemand: 8, Classes: []pricing.Class{
			{Name: "light", Term: 3 * time.Hour / 2, Upfront: 6, Hourly: 2, Billed: pricing.WhenUsed},
			{Name: "heavy", Term: 3 * time.Hour / 2, Upfront: 6, Hourly: 2},
		}},
		Held: []pricing.Holding{{Class: 1, Count: 2, Until: 3}, {Class: 1, Count: 1, Until: 1}}}
	full := []Offer{{Price: 4, Use: 1, Fee: 6, Term: 3}, {Price: 4, Fee: 9, Term: 3}}
	var in Input
	if err := in.Load(p); err != nil || !cmp.Equal(in.Offers, full) {
		t.Errorf("%+v, %v, want %+v", in.Offers, err, full)
	}
	if err := in.LoadClass(p, 0); err != nil || !cmp.Equal(in.Demand, []int{0, 0, 2, 1, 5}) || !cmp.Equal(in.Offers, full) {
		t.Errorf("%v, %+v, %v", in.Demand, in.Offers, err)
	}
	if got := full[1].FeeFor(2); got != 9 {
		t.Errorf("a fee of %d with the Full horizon, want 9", got)
	}
	p.Horizon = Pure
	pure := []Offer{{Price: 4, Use: 1, Fee: 6, Term: 3, Rate: 2}, {Price: 4, Fee: 9, Term: 3, Rate: 3}}
	if err := in.Load(p); err != nil || !cmp.Equal(in.Offers, pure) {
		t.Errorf("%+v, %v, want %+v", in.Offers, err, pure)
	}
	for slots, want := range map[int]int64{0: 0, 2: 6, 3: 9, 7: 9} {
		if got := pure[1].FeeFor(slots); got != want {
			t.Errorf("%d slots cost %d, want %d", slots, got, want)
		}
	}
	if o, err := OfferOf(p, 1); err != nil || o != full[1] {
		t.Errorf("%+v, %v, want %+v", o, err, full[1])
	}
	if n := allocs.Once(func() { _ = in.LoadClass(p, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What an Input refuses, and Validate does not.
func TestInputRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *Problem)
		field  string
		valid  bool
	}{
		"cap":          {func(p *Problem) { p.MaxBuy = 1 }, "MaxBuy", true},
		"active":       {func(p *Problem) { p.MaxActive = 1 }, "MaxActive", true},
		"cap of class": {func(p *Problem) { p.AtMost = []int{2} }, "AtMost", true},
		"paths":        {func(p *Problem) { p.Demand, p.Paths = nil, [][]int{{1, 2, 3, 4}} }, "Paths", true},
		"demand":       {func(p *Problem) { p.Demand[1] = -1 }, "Demand", false},
		"slot":         {func(p *Problem) { p.Slot = 0 }, "Slot", false},
	} {
		p := twoHours()
		c.change(p)
		var in Input
		for _, err := range []error{in.Load(p), in.LoadClass(p, 0)} {
			var bad *InputError
			if !errors.As(err, &bad) || bad.Field != c.field || errors.Is(err, ErrUnsupported) != c.valid {
				t.Errorf("%s: %v, want %s", name, err, c.field)
			}
		}
		if err := p.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: Validate: %v", name, err)
		}
	}
	p := twoHours()
	for _, k := range []int{-1, 1} {
		_, one := OfferOf(p, k)
		if two := new(Input).LoadClass(p, k); !errors.Is(one, ErrRange) || !errors.Is(two, ErrRange) {
			t.Errorf("class %d: %v, %v", k, one, two)
		}
	}
}

// A held class of dearer use is refused if it serves, and amounts that do not fit.
func TestLoadClassRefuses(t *testing.T) {
	p := twoHours()
	p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "used", Term: 2 * time.Hour, Hourly: 50 * pricing.Milli, Billed: pricing.WhenUsed})
	for _, c := range []struct {
		held pricing.Holding
		ok   bool
	}{{pricing.Holding{Class: 1, Count: 1, Until: 1}, false}, {pricing.Holding{Class: 1, Count: 0, Until: 1}, true}, {pricing.Holding{Class: 1, Count: 1, Until: 0}, true}, {pricing.Holding{Class: 0, Count: 1, Until: 1}, true}} {
		p.Held = []pricing.Holding{c.held}
		if err := new(Input).LoadClass(p, 0); (err == nil) != c.ok || !c.ok && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%+v: %v", c.held, err)
		}
	}
	p.Held, p.Demand, p.Prices.OnDemand = nil, make([]int, 16), 1<<60+1
	if err := new(Input).LoadClass(p, 0); !errors.Is(err, ErrOverflow) || !strings.Contains(err.Error(), "for the whole of the demand") {
		t.Errorf("16 slots of 2⁶⁰: %v", err)
	}
}

// With the Pure horizon, a purchase in the last of four hours pays half of its fee of .15: it saves
// .1 − .075.
func TestUsesOfALatePurchase(t *testing.T) {
	p := twoHours()
	p.Horizon = Pure
	uses, err := AppendUses(nil, p, []pricing.Purchase{{Slot: 3, Count: 1}})
	if err != nil || uses[0].Saved != 25*pricing.Milli || uses[0].BreakEven != 3 {
		t.Errorf("%+v, %v", uses, err)
	}
}

// Five instances at 10, at most two reserved for 3, by hand: at a value of 4 the slot costs at least
// 3·10 + 2·4, and two purchases are worth 1 more than their fees. That is the cost of the best plan.
func TestBoundUnderACap(t *testing.T) {
	p := &Problem{Demand: []int{5}, Slot: time.Hour, MaxActive: 2, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{{Name: "a", Term: time.Hour, Upfront: 3}}}}
	var m market
	var v dual
	if err := errors.Join(m.load(p), v.load(p, &m, nil)); err != nil {
		t.Fatal(err)
	}
	if bound, err := v.bound([]int64{4}, 1); err != nil || bound.Hi != 0 || bound.Lo != 36 {
		t.Errorf("%v, %v, want 36", bound, err)
	}
}
