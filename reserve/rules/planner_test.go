package rules

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// digits reads a demand with a digit a slot.
func digits(s string) []int {
	d := make([]int, 0, len(s))
	for _, c := range s {
		d = append(d, int(c-'0'))
	}
	return d
}

// prepaid is a list with one class that has a fee alone, in whole units and slots
// of an hour.
func prepaid(price, fee pricing.Money, term int) pricing.List {
	return pricing.List{OnDemand: price * pricing.Unit, Classes: []pricing.Class{
		{Name: "prepaid", Term: time.Duration(term) * time.Hour, Upfront: fee * pricing.Unit},
	}}
}

// Plans by hand. F/p is the least number of busy slots that is worth a fee.
func TestPlans(t *testing.T) {
	type buys = []pricing.Purchase
	for _, c := range []struct {
		name    string
		planner reserve.Planner
		p       reserve.Problem
		want    buys
	}{
		// Windows of 3, F/p = 2. The one from 2 is all busy, with 1 at least; what
		// is left is 1 in slot 3 and 2 in slot 4, and it is the first with both.
		// Then slot 4 is alone.
		{"hgr", &reserve.HGR{}, reserve.Problem{Demand: digits("0012300"), Prices: prepaid(1, 2, 3)}, buys{{Slot: 2, Count: 2}}},
		// No demand: "repeat ... until" would buy.
		{"hgr, no demand", &reserve.HGR{}, reserve.Problem{Demand: digits("00000"), Prices: prepaid(1, 2, 3)}, nil},
		{"hgr, free", &reserve.HGR{}, reserve.Problem{Demand: digits("01000"), Prices: prepaid(1, 0, 3)}, buys{{Slot: 0, Count: 1}}},
		// T < τ: one window, levels with two busy slots or more.
		{"hgr, short", &reserve.HGR{}, reserve.Problem{Demand: digits("3120"), Prices: prepaid(1, 2, 9)}, buys{{Slot: 0, Count: 2}}},
		// The window from 4 reaches the horizon; it saves as much as the one from 3,
		// but 3 is not open.
		{"hgr, every 2", &reserve.HGR{}, reserve.Problem{Demand: digits("000011"), Prices: prepaid(1, 2, 3), Every: 2}, buys{{Slot: 4, Count: 1}}},
		{"hgr, once", &reserve.HGR{}, reserve.Problem{Demand: digits("0111111"), Prices: prepaid(1, 2, 3), Every: math.MaxInt}, buys{{Slot: 0, Count: 1}}},
		{"sec, once", &SEC{}, reserve.Problem{Demand: digits("0111111"), Prices: prepaid(1, 2, 3), Every: math.MaxInt}, buys{{Slot: 0, Count: 1}}},
		{"hgr, closed", &reserve.HGR{}, reserve.Problem{Demand: digits("1111"), Prices: prepaid(1, 2, 4), Closed: []bool{true, false, false, false}}, buys{{Slot: 1, Count: 1}}},
		// Blocks 0-2, 3-5, 6: second largest demands 2, 1, none.
		{"periodic", &Periodic{}, reserve.Problem{Demand: digits("3210119"), Prices: prepaid(1, 2, 3)}, buys{{Slot: 0, Count: 2}, {Slot: 3, Count: 1}}},
		// With the Pure horizon the last block costs 2/3, less than one slot.
		{"periodic, pure", &Periodic{}, reserve.Problem{Demand: digits("3210119"), Prices: prepaid(1, 2, 3), Horizon: reserve.Pure},
			buys{{Slot: 0, Count: 2}, {Slot: 3, Count: 1}, {Slot: 6, Count: 9}}},
		{"periodic, inventory", &Periodic{}, reserve.Problem{Demand: digits("321011"), Prices: prepaid(1, 2, 3), Held: []pricing.Holding{{Count: 1, Until: 4}}},
			buys{{Slot: 0, Count: 1}, {Slot: 3, Count: 1}}},
		{"peak", &Constant{Peak: true}, reserve.Problem{Demand: digits("0130"), Prices: prepaid(1, 9, 3)}, buys{{Slot: 0, Count: 3}, {Slot: 3, Count: 3}}},
		// Two terms cost 4: the fourth largest demand.
		{"constant", &Constant{}, reserve.Problem{Demand: digits("2021220"), Prices: prepaid(1, 2, 4)}, buys{{Slot: 0, Count: 2}, {Slot: 4, Count: 2}}},
		{"no slots", &reserve.HGR{}, reserve.Problem{Prices: prepaid(1, 2, 3)}, nil},
		{"no slots", &SEC{}, reserve.Problem{Prices: prepaid(1, 2, 3)}, nil},
		{"no slots", &Periodic{}, reserve.Problem{Prices: prepaid(1, 2, 3)}, nil},
		{"no classes", &SEC{}, reserve.Problem{Demand: digits("12"), Prices: pricing.List{OnDemand: 1}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Slot = time.Hour
			got, ok := mustPlan(t, c.planner, &c.p)
			if !ok {
				t.Fatal("not handled")
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The counterexample of periodic.go: 2.5 times the pure optimum.
func TestPeriodicPure(t *testing.T) {
	demand := make([]int, 105)
	for i := 95; i < 105; i++ {
		demand[i] = 1
	}
	p := &reserve.Problem{Demand: demand, Slot: time.Hour, Prices: prepaid(4, 100, 100), Horizon: reserve.Pure}
	plan, _ := mustPlan(t, &Periodic{}, p)
	if got := planCost(p, plan); got.Cmp(big.NewRat(25e9, 1)) != 0 {
		t.Errorf("periodic costs %v, want 25 units", got)
	}
	best := []pricing.Purchase{{Slot: 95, Count: 1}}
	if got := planCost(p, best); got.Cmp(big.NewRat(10e9, 1)) != 0 {
		t.Errorf("the better plan costs %v, want 10 units", got)
	}
}

// The least used slots at which SEC takes a class are its level on the envelope:
// 6.89, 38.34 and 75.96% of three years for the list of 2013 with heavy
// utilisation billed always (ERRATA [Niu16] 4).
func TestSECThresholds(t *testing.T) {
	list := pricing.CC28XLarge2013()
	p := &reserve.Problem{Demand: make([]int, 9000), Slot: time.Hour, Prices: list}
	var sec SEC
	if _, err := sec.AppendPlan(nil, p); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range sec.ranked {
		levels, err := list.AppendEnvelope(nil, list.Classes[c.class].Term)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range levels {
			if l.Class == c.class {
				seen++
				if want := int64((l.Use + time.Hour - 1) / time.Hour); c.need != want {
					t.Errorf("%s: %d slots, want %d", list.Classes[c.class].Name, c.need, want)
				}
			}
		}
	}
	if seen < 4 || seen != len(sec.ranked) {
		t.Errorf("%d levels seen of %d classes", seen, len(sec.ranked))
	}
}

// Rests count as classes of the shortest term that is no shorter, billed alike
// and with the nearest hourly price ([Niu16] section 5.1.2, step 2). Counted by
// hand: a rest of four slots is that of a short term.
func TestSECInventory(t *testing.T) {
	short, long := 4*time.Hour, 12*time.Hour
	p := &reserve.Problem{Demand: digits("00000000000000"), Slot: time.Hour, Prices: pricing.List{OnDemand: 9, Classes: []pricing.Class{
		{Name: "short-heavy", Term: short, Upfront: 9, Hourly: 1},
		{Name: "short-light", Term: short, Upfront: 2, Hourly: 5, Billed: pricing.WhenUsed},
		{Name: "short-medium", Term: short, Upfront: 5, Hourly: 3, Billed: pricing.WhenUsed},
		{Name: "long-heavy", Term: long, Upfront: 20, Hourly: 5},
		{Name: "long-middle", Term: long, Upfront: 10, Hourly: 4, Billed: pricing.WhenUsed},
	}}, Held: []pricing.Holding{
		{Class: 3, Count: 1, Until: 10},
		{Class: 4, Count: 2, Until: 6},
		{Class: 0, Count: 3, Until: 2},
		{Class: 1, Count: 4, Until: 0},
		{Class: 4, Count: 1, Until: 99},
	}}
	want := map[int]string{
		0: "33000011110000", // short-heavy: its own, and the rest of long-heavy
		1: "00222200000000", // short-light is as near to long-middle as medium, and first
		2: "00000000000000",
		3: "11111100000000",
		4: "33111111111111",
	}
	var sec SEC
	if _, err := sec.AppendPlan(nil, p); err != nil {
		t.Fatal(err)
	}
	for k := range p.Prices.Classes {
		stock, got := 0, ""
		for s := range p.Demand {
			stock += int(sec.enter[k*len(p.Demand)+s])
			got += string(rune('0' + stock))
		}
		if got != want[k] {
			t.Errorf("%s: %s by slot, want %s", p.Prices.Classes[k].Name, got, want[k])
		}
	}
}

// What is refused, and where the error points.
func TestErrors(t *testing.T) {
	ok := reserve.Problem{Demand: digits("1234"), Slot: time.Hour, Prices: prepaid(1, 2, 3)}
	used := ok
	used.Prices = pricing.List{OnDemand: 5, Classes: []pricing.Class{
		{Name: "prepaid", Term: 3 * time.Hour, Upfront: 6},
		{Name: "light", Term: 3 * time.Hour, Upfront: 2, Hourly: 1, Billed: pricing.WhenUsed},
	}}
	used.Held = []pricing.Holding{{Class: 0, Count: 1, Until: 2}, {Class: 1, Count: 1, Until: 2}}
	one := []reserve.Planner{&reserve.HGR{}, &Periodic{}, &Constant{Peak: true}, &Constant{}}
	dates := []reserve.Planner{&Periodic{}, &Constant{Peak: true}, &Constant{}}
	all := append(slices.Clone(one), &SEC{})
	for _, c := range []struct {
		name     string
		planners []reserve.Planner
		change   func(p *reserve.Problem)
		field    string
		index    int
		sentinel error
	}{
		{"cap", append(slices.Clone(one), &SEC{}), func(p *reserve.Problem) { p.MaxBuy = 1 }, "MaxBuy", -1, reserve.ErrUnsupported},
		{"active cap", append(slices.Clone(one), &SEC{}), func(p *reserve.Problem) { p.MaxActive = 1 }, "MaxActive", -1, reserve.ErrUnsupported},
		{"closed", dates, func(p *reserve.Problem) { p.Closed = []bool{false, true, false, false} }, "Closed", 1, reserve.ErrUnsupported},
		{"every", dates, func(p *reserve.Problem) { p.Every = 2 }, "Every", -1, reserve.ErrUnsupported},
		{"dearer inventory", one, func(p *reserve.Problem) { *p = *clone(&used) }, "Held", 1, reserve.ErrUnsupported},
		{"class", []reserve.Planner{&reserve.HGR{Class: 1}, &Periodic{Class: -1}, &Constant{Class: 1, Peak: true}, &Constant{Class: 1}}, func(p *reserve.Problem) {}, "Prices.Classes[]", 1, reserve.ErrRange},
		{"demand", all, func(p *reserve.Problem) { p.Demand[2] = -1 }, "Demand", 2, reserve.ErrRange},
		{"slot", all, func(p *reserve.Problem) { p.Slot = 0 }, "Slot", -1, reserve.ErrRange},
		{"term", all, func(p *reserve.Problem) { p.Slot = 2 * time.Hour }, "Prices.Classes[].Term", 0, reserve.ErrTerm},
		{"price", all, func(p *reserve.Problem) { p.Prices.OnDemand = -1 }, "Prices", -1, pricing.ErrRange},
		{"amount", []reserve.Planner{&reserve.HGR{}, &Periodic{}, &Constant{Peak: true}, &Constant{}}, func(p *reserve.Problem) {
			p.Demand = make([]int, 100)
			p.Prices.OnDemand = math.MaxInt64/4 - 1
			p.Prices.Classes[0].Upfront = 1
		}, "Prices", -1, reserve.ErrOverflow},
	} {
		for _, a := range c.planners {
			p := clone(&ok)
			c.change(p)
			plan, err := a.AppendPlan([]pricing.Purchase{{Slot: 9}}, p)
			var input *inputerr.Error
			if !errors.As(err, &input) || !errors.Is(err, c.sentinel) {
				t.Errorf("%s: %T: %v, want %v", c.name, a, err, c.sentinel)
				continue
			}
			index := c.index
			if c.name == "class" {
				index = input.Index // that of the planner
			}
			if input.Field != c.field || input.Index != index || len(plan) != 1 {
				t.Errorf("%s: %T: %v, field %s[%d] and %v, want %s[%d]", c.name, a, err, input.Field, input.Index, plan, c.field, c.index)
			}
		}
	}
	if _, err := new(reserve.Competitive).Bound(&used); !errors.Is(err, reserve.ErrUnsupported) {
		t.Errorf("bound with dear inventory: %v", err)
	}
	huge := clone(&ok)
	huge.Prices.OnDemand, huge.Prices.Classes = math.MaxInt64/8, nil
	if _, err := new(reserve.Competitive).Bound(huge); !errors.Is(err, reserve.ErrOverflow) {
		t.Errorf("bound of a huge cost: %v", err)
	}
}
