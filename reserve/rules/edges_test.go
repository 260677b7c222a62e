package rules

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// History keeps as many levels as a term has slots, for a demand that is always served, too.
func TestHistoryForgets(t *testing.T) {
	var a History
	if err := a.Reset(reserve.Offer{Price: 2, Fee: 4, Term: 4}); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		a.Observe(i/50, nil)
		if len(a.los) > 4 || len(a.his) != len(a.los) {
			t.Fatalf("after %d slots %v to %v are kept, of 4 slots", i+1, a.los, a.his)
		}
	}
}

// A portfolio that is used again forgets the prices before, and says that a price on demand is too
// large for its intervals, with a premium, too.
func TestOnlinePricesAreForgotten(t *testing.T) {
	demand := slices.Repeat([]int{5}, 28)
	p := weekly(fourAndTwo())
	var fresh, used Online
	fresh.Forecaster, used.Forecaster = new(trend), new(trend)
	want := observeSeries(t, &fresh, p, demand)
	dear := *p
	dear.Prices.Classes = slices.Clone(p.Prices.Classes)
	for k := range dear.Prices.Classes {
		dear.Prices.Classes[k].Upfront *= 1000
		dear.Prices.Classes[k].Term *= 2
	}
	if got := observeSeries(t, &used, &dear, demand); len(got) != 0 {
		t.Errorf("a thousandfold fee: %v", got)
	}
	if got := observeSeries(t, &used, p, demand); !slices.Equal(got, want) || len(want) == 0 || used.ahead != fresh.ahead {
		t.Errorf("used again it buys %v and looks %d intervals ahead, want %v and %d", got, used.ahead, want, fresh.ahead)
	}
	p.Prices.OnDemand = math.MaxInt64 / 100
	for _, premium := range []float64{0, .5} {
		o := Online{Forecaster: new(trend), Premium: premium}
		if err := o.Reset(p); !errors.Is(err, reserve.ErrOverflow) {
			t.Errorf("premium %v: %v", premium, err)
		}
	}
}

// A rule that was reset with an offer that it refuses is not ready, whatever came before.
func TestRulesNotReadyAfterAnError(t *testing.T) {
	good := reserve.Offer{Price: 10, Fee: 30, Term: 6}
	for _, rule := range []rule{new(RHO), new(Robust), new(Wang), &WangRandom{Rand: rand.New(rand.NewPCG(1, 1))}, new(History)} {
		for _, bad := range []reserve.Offer{{Price: -1, Fee: 30, Term: 6}, {Price: 10, Use: -1, Term: 6}, {Price: 10, Fee: -1, Term: 6}, {Price: 10, Fee: 30}, {Price: 10, Fee: 30, Term: maxTerm + 1}} {
			if err := rule.Reset(good); err != nil {
				t.Fatal(err)
			}
			rule.Observe(1, nil)
			if rule.Reset(bad) == nil {
				t.Errorf("%T takes %+v", rule, bad)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%T observes after %+v, which it refused", rule, bad)
					}
				}()
				rule.Observe(1, nil)
			}()
		}
	}
}

// A class that AtMost says is not for sale is not bought online, and a cap on a purchase delays what
// is wanted.
func TestOnlineAtMost(t *testing.T) {
	for _, c := range []struct{ most, least, largest int }{{reserve.NoCap, 1, math.MaxInt}, {0, 0, 0}, {1, 1, 1}} {
		p := weekly(fourAndTwo())
		p.AtMost = []int{c.most, 0}
		o := Online{Forecaster: new(trend)}
		if err := o.Reset(p); err != nil {
			t.Fatal(err)
		}
		bought := 0
		for range 4 {
			got, err := o.Observe(nil, []int{5, 5, 5, 5, 5, 5, 5})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range got {
				if bought = max(bought, b.Count); b.Class != 0 || b.Count > c.largest {
					t.Errorf("at most %d: %+v", c.most, b)
				}
			}
		}
		if bought < c.least {
			t.Errorf("at most %d: nothing is bought", c.most)
		}
	}
}

// What rules take at their limits, and the names of what is beyond.
func TestRuleLimits(t *testing.T) {
	for _, term := range []int{1, maxTerm, 0, maxTerm + 1} {
		if err := check(&reserve.Offer{Term: term}); (err == nil) != (term >= 1 && term <= maxTerm) {
			t.Errorf("term %d: %v", term, err)
		}
		if term == 0 {
			continue // no term of a list
		}
		p := &reserve.Problem{Slot: 1, Demand: []int{1}, Prices: pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "a", Term: time.Duration(term), Upfront: 1}}}}
		if err := new(series).load(p, 0, nil); (err == nil) != (term <= maxTerm) || err != nil && !errors.Is(err, reserve.ErrTerm) {
			t.Errorf("term %d: %v", term, err)
		}
	}
	if window, err := checkWindow(math.MaxInt32, 5); err != nil || window != math.MaxInt32 {
		t.Error(window, err)
	}
	p := problemOf(reserve.Offer{Price: 2, Fee: 4, Term: 4}, digits("1111111111"))
	for name, a := range onlineRules(0) {
		want, _ := mustPlan(t, a, p)
		if r, ok := a.(*WangRandom); ok {
			r.Rand = rand.New(rand.NewPCG(1, 1))
			want, _ = mustPlan(t, a, p)
			r.Rand = rand.New(rand.NewPCG(1, 1))
		}
		q := clone(p)
		q.Every = 1
		if got, ok := mustPlan(t, a, q); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: every slot: %v, want %v", name, got, want)
		}
	}
	// Held reservations of none, or that have ended, are no dearer inventory.
	p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "dear", Term: time.Hour, Hourly: pricing.Unit, Billed: pricing.WhenUsed})
	for _, h := range []pricing.Holding{{Class: 1, Count: 1}, {Class: 1, Until: 3}, {Class: 0, Count: 1, Until: 3}} {
		p.Held = []pricing.Holding{h}
		if _, err := new(Wang).AppendPlan(nil, p); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
	// A fee, and what a slot saves, of 2⁵² units.
	for _, beyond := range []int64{0, 1} {
		for _, o := range []reserve.Offer{{Price: 1, Fee: 1<<52 + beyond, Term: 5}, {Price: 1<<52 + beyond, Fee: 1, Term: 5}} {
			if err := new(Robust).Reset(o); beyond == 0 && err != nil || beyond > 0 && !errors.Is(err, reserve.ErrOverflow) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	for ratio, ok := range map[int]bool{1999: false, 2000: true, 100_000: true, 100_001: false} {
		if err := (&Robust{Ratio: ratio}).Reset(reserve.Offer{Price: 2, Fee: 4, Term: 4}); (err == nil) != ok || err != nil && !errors.Is(err, reserve.ErrRange) {
			t.Errorf("ratio %d: %v", ratio, err)
		}
	}
	// Where use is free, WangRandom's threshold is break-even at most, for the largest number that is drawn, too.
	if got := threshold(&reserve.Offer{Price: 10, Fee: 50, Term: 20}, math.Nextafter(1, 0)); got != 5 {
		t.Errorf("threshold %d, want 5: 5 slots on demand cost the fee", got)
	}
	if dst, err := appendThresholds(nil, reserve.Offer{Term: 1, Fee: -1}); !errors.Is(err, reserve.ErrRange) || dst != nil {
		t.Error(dst, err)
	}
	if dst, err := new(WangRandom).appendPlanAt(nil, &reserve.Problem{}, 1); !errors.Is(err, reserve.ErrRange) || dst != nil {
		t.Error(dst, err)
	}
}

// Before the first interval a portfolio buys nothing, though its forecaster expects something.
func TestOnlineBeforeTheFirstInterval(t *testing.T) {
	o := Online{Forecaster: &trend{Level: 5}}
	if err := o.Reset(weekly(fourAndTwo())); err != nil {
		t.Fatal(err)
	}
	if o.ready() {
		t.Error("the portfolio may buy before it has seen any demand")
	}
	if buys, err := o.Advance(nil, []int{9, 9, 9}); err != nil || len(buys) > 0 {
		t.Errorf("%v, %v", buys, err)
	}
}

// The limits of a portfolio's options are part of what is allowed.
func TestOnlineLimits(t *testing.T) {
	p := &reserve.Problem{Slot: time.Hour, Prices: month()}
	for name, c := range map[string]struct {
		change func(o *Online)
		ok     bool
	}{
		"defaults": {func(o *Online) {}, true}, "alarm 1": {func(o *Online) { o.Alarm = 1 }, true}, "alarm above": {func(o *Online) { o.Alarm = 1.01 }, false}, "alarm below": {func(o *Online) { o.Alarm = -.01 }, false},
		"premium 1000": {func(o *Online) { o.Premium = 1000 }, true}, "premium above": {func(o *Online) { o.Premium = 1001 }, false}, "premium below": {func(o *Online) { o.Premium = -1 }, false},
		"quantile 1": {func(o *Online) { o.Quantile = 1 }, false}, "quantile": {func(o *Online) { o.Quantile = .99 }, true}, "quantile below": {func(o *Online) { o.Quantile = -.1 }, false},
		"window below": {func(o *Online) { o.Window = -1 }, false}, "paths below": {func(o *Online) { o.Paths = -1 }, false}, "paths": {func(o *Online) { o.Paths = mostPaths }, true},
		"paths above": {func(o *Online) { o.Paths = mostPaths + 1 }, false}, "both": {func(o *Online) { o.Paths, o.Quantile = 2, .5 }, false}, "nobody": {func(o *Online) { o.Forecaster = nil }, false},
	} {
		o := Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Planner: &reserve.Exact{}}
		c.change(&o)
		if err := o.check(len(p.Prices.Classes)); (err == nil) != c.ok || err != nil && !errors.Is(err, reserve.ErrRange) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A rule that is reset is as new, whatever it has seen, also for a class that saves nothing.
func TestRulesAsNewAfterReset(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	make := []func() rule{
		func() rule { return new(RHO) }, func() rule { return new(Robust) }, func() rule { return new(Wang) },
		func() rule { return &WangRandom{Rand: rand.New(rand.NewPCG(1, 1))} }, func() rule { return new(History) },
	}
	for k, f := range make {
		for range 60 {
			used := f()
			first := reserve.Offer{Price: 1 + rng.Int64N(20), Fee: rng.Int64N(60), Term: 1 + rng.IntN(12)}
			first.Use = rng.Int64N(first.Price + 1)
			if err := used.Reset(first); err != nil {
				t.Fatal(err)
			}
			for range 40 {
				used.Observe(rng.IntN(5), nil)
			}
			next := reserve.Offer{Price: 1 + rng.Int64N(20), Fee: rng.Int64N(60), Term: 1 + rng.IntN(12)}
			if next.Use = rng.Int64N(next.Price + 1); rng.IntN(3) == 0 {
				next.Use = next.Price
			}
			fresh := f()
			if w, ok := used.(*WangRandom); ok {
				w.Rand = rand.New(rand.NewPCG(1, 1))
			}
			if err := errors.Join(used.Reset(next), fresh.Reset(next)); err != nil {
				t.Fatal(err)
			}
			for i := range 60 {
				d := rng.IntN(5)
				if a, b := used.Observe(d, nil), fresh.Observe(d, nil); a != b {
					t.Fatalf("rule %d, %+v after %+v: buys %d at slot %d, a new one %d", k, next, first, a, i, b)
				}
			}
			if a, ok := used.(*Robust); ok {
				if b := fresh.(*Robust); a.fee != b.fee || a.gain != b.gain || a.part != b.part || a.bill != b.bill || a.bound != b.bound {
					t.Fatalf("%+v after %+v: another state", next, first)
				}
			}
		}
	}
}

// Quotients in 128 bits, and their limits, by big integers.
func TestQuotientByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86)) // seed 85, 86
	word := func() uint64 { return r.Uint64() >> r.IntN(64) }
	amount := func() int64 { return max(1, int64(word()>>1)) }
	toBig := func(u wide.Uint) *big.Int {
		w := new(big.Int).Lsh(new(big.Int).SetUint64(u.Hi), 64)
		return w.Add(w, new(big.Int).SetUint64(u.Lo))
	}
	for range 20_000 {
		w, x := wide.Uint{Hi: word(), Lo: r.Uint64()}, wide.Uint{Hi: word(), Lo: r.Uint64()}
		scale, most := amount(), amount()
		want := new(big.Int).Sub(toBig(w), toBig(x))
		want.Quo(want, big.NewInt(scale))
		if want.Sign() < 0 {
			want.SetInt64(0)
		} else if want.Cmp(big.NewInt(most)) > 0 {
			want.SetInt64(most)
		}
		if got := quotient(w, x, scale, most); got != want.Int64() {
			t.Fatalf("(%v - %v)/%d, at most %d: %d, want %v", w, x, scale, most, got, want)
		}
	}
}

// Planners without caps name the cap; planners without paths, the paths.
func TestCapsAndPathsAreRefused(t *testing.T) {
	all := append(planners(0), &Wang{}, &Robust{}, &RHO{}, &History{})
	p := &reserve.Problem{Slot: time.Hour, Demand: digits("1111"), Prices: prepaid(1, 1, 2), AtMost: []int{1}}
	paths := &reserve.Problem{Slot: time.Hour, Prices: month(), Paths: [][]int{{1, 2, 3}, {4, 5, 6}}}
	for _, a := range all {
		var in *inputerr.Error
		if _, err := a.AppendPlan(nil, p); !errors.Is(err, reserve.ErrUnsupported) || !errors.As(err, &in) || in.Field != "AtMost" || in.Index != 0 {
			t.Errorf("%T: %v", a, err)
		}
		if _, err := a.AppendPlan(nil, paths); !errors.Is(err, reserve.ErrUnsupported) {
			t.Errorf("%T: %v", a, err)
		}
	}
	p.AtMost, p.Demand[2] = nil, -1
	var in *inputerr.Error
	if _, err := new(Wang).AppendPlan(nil, p); !errors.Is(err, reserve.ErrRange) || !errors.As(err, &in) || in.Field != "Demand" || in.Index != 2 {
		t.Error(err)
	}
}
