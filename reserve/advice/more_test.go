package advice

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// small is a request of a few days, whose classes are prepaid, with the answer in sight.
func small(paths ...[]int) *Request {
	day := 24 * time.Hour
	return &Request{Now: monday, Slot: day, Every: day, OnDemand: money("1"), Paths: paths, FullHorizon: true, Offers: []Offer{
		{Class: pricing.Class{Name: "two", Term: 2 * day, Upfront: money("36"), Billed: pricing.Always}},   // 18 a day
		{Class: pricing.Class{Name: "four", Term: 4 * day, Upfront: money("48"), Billed: pricing.Always}}}} // 12 a day
}

// Units of an order beyond what an int32 holds, from one line or from two of a class, are an
// error with the line; orders of nothing are none.
func TestExplainCounts(t *testing.T) {
	r := small([]int{1, 1, 1, 1})
	for _, c := range []struct {
		order []Count
		index int
	}{
		{[]Count{{"two", math.MaxInt32}, {"two", 1}}, 1},
		{[]Count{{"four", 0}, {"two", -1}}, 1},
		{[]Count{{"two", 1}, {"four", 1}, {"two", math.MaxInt32}}, 2},
	} {
		_, err := Explain(r, c.order)
		var in *inputerr.Error
		if !errors.As(err, &in) || !errors.Is(err, ErrRange) || in.Index != c.index {
			t.Errorf("%v: %v, want line %d", c.order, err, c.index)
		}
	}
	a, err := Explain(r, []Count{{"two", 0}, {"four", 1}, {"four", 0}})
	if err != nil || len(a.Orders) != 1 || a.Orders[0].Units != 1 || a.Orders[0].Class != "four" {
		t.Errorf("%+v, %v", a, err)
	}
	two, err := Explain(r, []Count{{"four", 1}, {"two", 1}, {"four", 2}})
	if err != nil || len(two.Orders) != 2 || two.Orders[0].Units != 1 || two.Orders[1].Units != 3 {
		t.Errorf("%+v, %v", two, err)
	}
}

// An amount beyond all money is an error and no wrong number, wherever it arises: whatever the
// scale of the prices, the answer is that of small prices times the scale, or an error.
func TestTooMuchMoney(t *testing.T) {
	right, wrong := 0, 0
	for shift := range 57 {
		for _, order := range [][]Count{{{"two", 2}}, {{"two", 1}, {"four", 3}}, {{"used", 7}}} {
			at := func(shift int) (*Advice, error) {
				r := small([]int{1, 4, 1, 3})
				r.Offers = append(r.Offers, Offer{Class: pricing.Class{Name: "used", Term: 48 * time.Hour, Hourly: money("0.3"), Billed: pricing.Always}})
				r.OnDemand = 1 << shift
				r.Offers[0].Upfront, r.Offers[1].Upfront, r.Offers[2].Hourly = 36<<shift, 48<<shift, max(pricing.Money(1)<<shift/4, 1)
				return Explain(r, order)
			}
			a, err := at(shift)
			if err != nil {
				if a != nil || !strings.Contains(err.Error(), "too large") && !strings.Contains(err.Error(), "overflow") && !errors.Is(err, pricing.ErrOverflow) {
					t.Errorf("shift %d: %v", shift, err)
				}
				wrong++
				continue
			}
			if shift < 2 {
				continue
			}
			base, err := at(2)
			if err != nil {
				t.Fatal(err)
			}
			scale := pricing.Money(1) << (shift - 2)
			if a.Cost != base.Cost*scale || a.Today != base.Today*scale || a.Commitment != base.Commitment*scale || a.OnDemand != base.OnDemand*scale || a.Orders[0].Saving != base.Orders[0].Saving*scale {
				t.Errorf("shift %d: %+v, want %v times %+v", shift, a, scale, base)
			}
			right++
		}
	}
	if right < 100 || wrong < 3 {
		t.Errorf("%d answers, %d errors", right, wrong)
	}
}

// Limits of a request, on both sides.
func TestRequestLimits(t *testing.T) {
	r := small([]int{1, 1, 1, 1})
	r.Offers[0].Term = r.Slot // a term of one slot
	if _, err := Advise(r); err != nil {
		t.Errorf("a term of a slot: %v", err)
	}
	r.Low, r.High = .5, .5
	var in *inputerr.Error
	if _, err := Advise(r); !errors.As(err, &in) || in.Field != "Low" {
		t.Errorf("equal quantiles: %v", err)
	}
	r.Low, r.High = .5, 1
	if _, err := Advise(r); err != nil {
		t.Errorf("the greatest of all futures: %v", err)
	}
	r.Paths = [][]int{{0, math.MaxInt32, 0, 0}}
	if _, err := Advise(r); err != nil && errors.As(err, &in) && in.Field == "Paths" {
		t.Errorf("the greatest demand: %v", err)
	}
	// A path that is shared makes a request of as many numbers as are taken, and of more.
	path := make([]int, 1<<14)
	many := slices.Repeat([][]int{path}, maxCells/len(path)+1)
	r.Paths = many
	if _, err := Advise(r); !errors.As(err, &in) || in.Field != "Paths" || !strings.Contains(err.Error(), fmt.Sprint(maxCells)) {
		t.Errorf("%d numbers: %v", len(many)*len(path), err)
	}
	r.Paths = many[1:]
	r.Slot = -1 // is looked at before; after it the number of cells
	if _, err := Advise(r); !errors.As(err, &in) || in.Field != "Slot" {
		t.Error(err)
	}
	r.Slot, r.Low, r.High = 24*time.Hour, .9, .1
	if _, err := Advise(r); !errors.As(err, &in) || in.Field != "Low" {
		t.Errorf("as many numbers as are taken: %v", err)
	}
	for _, bad := range []pricing.Class{{Name: "", Term: time.Hour}, {Name: "x", Term: 48 * time.Hour, Upfront: -1}} {
		r = small([]int{1})
		r.Offers[1].Class = bad
		if _, err := Advise(r); !errors.As(err, &in) || in.Index != 1 {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// The quantile of the futures is the least demand that has at least the probability.
func TestQuantileOfPaths(t *testing.T) {
	r := small([]int{3, 0}, []int{1, 5}, []int{2, 5}, []int{4, 5})
	quantile := func(q float64) []int {
		if err := r.validate(); err != nil {
			t.Fatal(err)
		}
		p, _, err := r.problem()
		if err != nil {
			t.Fatal(err)
		}
		demand, err := p.AppendQuantile(nil, q)
		if err != nil {
			t.Fatal(err)
		}
		return demand
	}
	for q, want := range map[float64][]int{.25: {1, 0}, .26: {2, 5}, .5: {2, 5}, .75: {3, 5}, .76: {4, 5}, 1: {4, 5}} {
		if got := quantile(q); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
	r.Weights = []float64{.1, .2, .3, .4}
	for q, want := range map[float64][]int{.2: {1, 5}, .1: {1, 0}, .5: {2, 5}, .6: {3, 5}, .61: {4, 5}} {
		if got := quantile(q); !slices.Equal(got, want) {
			t.Errorf("weighted %v: %v, want %v", q, got, want)
		}
	}
}

// Contracts serve one after the other: what one covers, the next does not.
func TestHeldUse(t *testing.T) {
	r := small([]int{5, 5, 3, 0}, []int{1, 1, 1, 2})
	r.Offers[1].Withdrawn = true
	at := func(days int) time.Time { return monday.AddDate(0, 0, days) }
	r.Held = []Contract{{Name: "a", Class: "two", Units: 2, Expires: at(2)}, {Name: "b", Class: "four", Units: 2, Expires: at(4)}, {Name: "c", Class: "two", Units: 1, Expires: at(1)}, {Name: "d", Class: "two", Units: 3, Expires: monday.Add(time.Hour)}}
	a, err := Advise(r)
	if err != nil {
		t.Fatal(err)
	}
	// By hand: a covers 2, 2 and 1, 1 of 2·2 twice; b what is above 2 on two days and all then;
	// c what is above 4 on the first day; d ends within the first slot.
	want := []float64{(4 + 2) / 8., (2 + 2 + 2 + 0 + 0 + 0 + 1 + 2) / 16., 1 / 2., 0}
	for i, k := range a.Held {
		if !(math.Abs(k.Use-want[i]) <= 1e-12) || k.Name != r.Held[i].Name || k.Sold != (k.Class == "two") {
			t.Errorf("%+v, want a use of %v", k, want[i])
		}
	}
}

// Money that comes back to the cent is back; a plan that is as good as the bound is the
// cheapest.
func TestPayback(t *testing.T) {
	r := small([]int{1, 1, 1, 1})
	a, err := Advise(r) // 48 for four days, which cost 24 each: back after two
	if err != nil || len(a.Orders) != 1 || !a.Orders[0].Payback.Equal(monday.AddDate(0, 0, 2)) || !a.Optimal || a.Orders[0].LastUse != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	if o := a.Orders[0]; o.Class != "four" || o.Saving != money("48") || o.Loss != 0 || math.Abs(o.BreakEven-.5) > 1e-12 {
		t.Errorf("%+v", o)
	}
	// Waiting a day costs a day on demand more, and the contract outlives the end.
	if got := a.Orders[0].Waiting; got != money("24") {
		t.Errorf("waiting costs %v, want 24", got)
	}
}

// Orders that meet at the next date are one: what waiting costs is what the plan costs in
// which both are bought then.
func TestWaitingJoins(t *testing.T) {
	r := small([]int{1, 3, 3, 3, 3, 3}, []int{2, 4, 3, 4, 3, 4})
	r.FullHorizon = false
	for _, order := range [][]Count{{{"four", 1}}, {{"two", 1}}, {{"two", 1}, {"four", 1}}} {
		a, err := Explain(r, order)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range a.Orders {
			var all []pricing.Purchase
			add := func(slot, class, n int) {
				for j := range all {
					if all[j].Slot == slot && all[j].Class == class {
						all[j].Count += n
						return
					}
				}
				all = append(all, pricing.Purchase{Slot: slot, Class: class, Count: n})
			}
			for j, x := range a.Orders {
				slot := 0
				if i == j {
					slot = 1
				}
				add(slot, slices.IndexFunc(r.Offers, func(of Offer) bool { return of.Name == x.Class }), x.Units)
			}
			for _, x := range a.Later {
				add(int(x.When.Sub(r.Now)/r.Slot), slices.IndexFunc(r.Offers, func(of Offer) bool { return of.Name == x.Class }), x.Units)
			}
			slices.SortFunc(all, func(x, y pricing.Purchase) int { return 10*(x.Slot-y.Slot) + x.Class - y.Class })
			cost, err := reserve.Cost(a.problem, all)
			if err != nil {
				t.Fatal(err)
			}
			if o.Waiting != cost-a.Cost {
				t.Errorf("%v: waiting with %s costs %v, want %v: %v", order, o.Class, o.Waiting, cost-a.Cost, a.Later)
			}
		}
	}
}

// A future in which an order neither saves nor costs anything is no loss.
func TestNoLoss(t *testing.T) {
	r := small([]int{1, 1, 0, 0}, []int{1, 1, 1, 1}, []int{0, 0, 0, 1})
	r.Offers[1].Upfront = money("48") // as two days on demand
	a, err := Explain(r, []Count{{"four", 1}})
	if err != nil || math.Abs(a.Orders[0].Loss-1/3.) > 1e-12 {
		t.Errorf("%+v, %v, want a loss in the third future alone", a, err)
	}
}

// The words of rare answers.
func TestWords(t *testing.T) {
	for x, want := range map[float64]string{0: "0%", 1: "100%", .5: "50%", .999: "99.9%", .9991: "99.91%", .001: "0.1%", .0009: "0.09%", .123: "12.3%", .00001: "0.00%"} {
		if got := percent(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	if got := plural(1, "future") + ", " + plural(2, "future") + ", " + plural(0, "future"); got != "1 future, 2 futures, 0 futures" {
		t.Error(got)
	}
	a := Advice{Unit: "instance", Now: monday, Next: monday.AddDate(0, 0, 7), End: monday.AddDate(1, 0, 0), Paths: 2, Cost: 1, Bound: 1, Optimal: true,
		Orders: []Order{{Class: "1y", Units: 1, Upfront: money("100"), Waiting: -money("5"), Until: monday.AddDate(1, 0, 0)}}}
	text := a.Text()
	for _, want := range []string{
		"money back   not before 23 November 2027, where the forecast ends",
		"waiting      until 30 November 2026 saves 5.00, but for the orders beside this one",
		"you pay      100.00 today and nothing later, until 23 November 2027",
		"risk         a loss in none of the 2 futures", "on average over 2 possible futures:", "So this plan is the cheapest.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	a.Orders[0].Upfront, a.Orders[0].Payback, a.Orders[0].Hourly, a.Orders[0].Waiting, a.Paths = 0, monday.Add(24*time.Hour), money(".1"), 0, 1
	for _, want := range []string{"money back   at once, since nothing is paid ahead", "until 30 November 2026 costs 0.00", "by this one forecast:", "you pay      nothing today and 0.10 per instance-hour that is used,"} {
		if text := a.Text(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	a.Orders[0].Payback = monday.Add(25 * time.Hour)
	if text := a.Text(); !strings.Contains(text, "money back   on 24 November 2026") {
		t.Error(text)
	}
	if d := cmp.Diff("1 m5.large, 2 m5.large, 1 instance, 3 instances", (&Advice{Unit: "m5.large"}).units(1)+", "+(&Advice{Unit: "m5.large"}).units(2)+", "+a.units(1)+", "+a.units(3)); d != "" {
		t.Error(d)
	}
}
