package rules

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

var advancePrices = pricing.List{OnDemand: 100, Classes: []pricing.Class{
	{Name: "short", Term: 4 * time.Hour, Upfront: 250, Billed: pricing.Always},
	{Name: "long", Term: 8 * time.Hour, Upfront: 390, Billed: pricing.Always},
}}

// Whatever the calls of Advance see of a series, and though the state is text between
// them, the portfolio is that which learns all intervals but the last of each call, and
// observes that.
func TestAdvance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fresh := func() *Online {
			o := &Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Quantile: .4, Window: 3}
			if err := o.Reset(&reserve.Problem{Slot: time.Hour, Every: 2, Prices: advancePrices}); err != nil {
				t.Fatal(err)
			}
			return o
		}
		demand := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 30).Draw(t, "demand")
		ends := rapid.SliceOfN(rapid.IntRange(0, len(demand)), 0, 5).Draw(t, "ends")
		slices.Sort(ends)
		o, want := fresh(), fresh()
		for _, end := range ends {
			got, err := o.Advance(nil, demand[:end])
			var bought []pricing.Purchase
			for i := want.seen; i < end/2; i++ {
				week := demand[2*i : 2*i+2]
				if i < end/2-1 {
					want.Learn(week)
				} else {
					bought, _ = want.Observe(nil, week)
				}
			}
			if diff := cmp.Diff(bought, got); err != nil || diff != "" || o.Seen() != end/2 {
				t.Fatalf("seen %d of %d slots, %v (-want +got):\n%s", o.Seen(), end, err, diff)
			}
			if a, b := o.Next(), want.Next(); a != b && (a == a || b == b) {
				t.Fatalf("plans for %v, want %v", a, b)
			}
			state, err := json.Marshal(o)
			o = fresh()
			if err == nil {
				err = json.Unmarshal(state, o)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// By hand: Next is NaN while the forecaster is not ready, then twice the quantile times
// the level of 3; a plain forecaster is always ready. A negative demand is that of an
// interval not seen.
func TestNext(t *testing.T) {
	o := Online{Forecaster: &trend{Wait: 1}, Quantile: .25}
	if x := o.Next(); x == x {
		t.Errorf("%v before Reset, want NaN", x)
	}
	p := &reserve.Problem{Slot: time.Hour, Every: 2, Prices: advancePrices}
	if err := o.Reset(p); err != nil {
		t.Fatal(err)
	}
	if x := o.Next(); x == x {
		t.Errorf("%v before an interval, want NaN", x)
	}
	if _, err := o.Advance(nil, []int{2, 4, 9}); err != nil || o.Next() != 1.5 || o.Seen() != 1 {
		t.Errorf("%v, %v after %d, want 1.5 after 1", err, o.Next(), o.Seen())
	}
	var in *inputerr.Error
	if _, err := o.Advance(nil, []int{2, 4, 1, -1, 1, 1}); !errors.As(err, &in) || o.Seen() != 1 {
		t.Errorf("%v after %d, want an input error after 1", err, o.Seen())
	}
	o = Online{Forecaster: &plain{7}}
	if err := o.Reset(p); err != nil || o.Next() != 7 {
		t.Errorf("%v, %v, want 7", err, o.Next())
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic before Reset")
		}
	}()
	new(Online).Advance(nil, nil)
}

func TestAdvanceAllocates(t *testing.T) {
	o := Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Planner: new(SEC), Window: 4}
	p := &reserve.Problem{Slot: time.Hour, Every: 4, Prices: advancePrices}
	demand := make([]int, 4*40)
	for i := range demand {
		demand[i] = 3 + i%5
	}
	if err := o.Reset(p); err != nil {
		t.Fatal(err)
	}
	dst, end := []pricing.Purchase{}, 0
	step := func() {
		end += 4
		var err error
		if dst, err = o.Advance(dst[:0], demand[:end]); err != nil || o.Next() == 0 {
			t.Fatal(err, o.Next())
		}
	}
	for range 20 {
		step()
	}
	if n := allocs.Once(step); n != 0 || o.Seen() != end/4 {
		t.Errorf("%v allocations for an interval, want 0", n)
	}
}
