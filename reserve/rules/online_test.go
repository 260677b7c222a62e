package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// trend forecasts along a line through the last mean, and more slope·h than that.
type trend struct {
	Level, Slope, Signal float64
	Seen, Wait           int
}

func (f *trend) Update(x float64) {
	if x == x {
		f.Level = x
	}
	f.Seen++
}

func (f *trend) Forecast(dst []float64) {
	for i := range dst {
		dst[i] = f.Level + f.Slope*float64(i+1)
	}
}

func (f *trend) Quantile(dst []float64, q float64) {
	f.Forecast(dst)
	for i := range dst {
		dst[i] *= 2 * q
	}
}

func (f *trend) TrackingSignal() float64 { return f.Signal }
func (f *trend) Ready() bool             { return f.Seen >= f.Wait }

// plain has what a forecaster must have and nothing else.
type plain struct{ mean float64 }

func (f *plain) Update(x float64)       { f.mean = x }
func (f *plain) Forecast(dst []float64) { fillWith(dst, f.mean) }

func fillWith(dst []float64, x float64) {
	for i := range dst {
		dst[i] = x
	}
}

// fourAndTwo is a list with days for slots and weeks for intervals: a term of four weeks,
// prepaid, and one of two weeks, of which only use costs more than a little.
func fourAndTwo() pricing.List {
	return pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
		{Name: "four", Term: 28 * 24 * time.Hour, Upfront: 20 * pricing.Unit},
		{Name: "two", Term: 14 * 24 * time.Hour, Upfront: 2 * pricing.Unit, Hourly: 60 * pricing.Milli, Billed: pricing.WhenUsed},
	}}
}

func weekly(list pricing.List) *reserve.Problem {
	return &reserve.Problem{Slot: 24 * time.Hour, Every: 7, Prices: list}
}

// observeSeries runs o over a demand of whole intervals.
func observeSeries(tb testing.TB, o *Online, p *reserve.Problem, demand []int) []pricing.Purchase {
	tb.Helper()
	if err := o.Reset(p); err != nil {
		tb.Fatal(err)
	}
	var plan []pricing.Purchase
	var err error
	for every := max(1, p.Every); len(demand) >= every; demand = demand[every:] {
		if plan, err = o.Observe(plan, demand[:every]); err != nil {
			tb.Fatal(err)
		}
	}
	return plan
}

// anyWeeks draws a demand of n weeks of days.
func anyWeeks(rng *rand.Rand, n, peak int) []int {
	d := make([]int, 7*n)
	level := rng.IntN(peak + 1)
	for t := range d {
		if t%7 == 0 {
			level = max(0, min(peak, level+rng.IntN(peak/2+1)-peak/4))
		}
		d[t] = rng.IntN(level + 1)
		if t%7 < 5 {
			d[t] = level
		}
	}
	return d
}

// With a demand that stays as it is, and a forecast that says so, the portfolio buys
// after the first interval what the exact plan buys at once, and renews it: all it
// has to regret is the first interval on demand.
func TestOnlineConstant(t *testing.T) {
	for _, planner := range []reserve.Planner{nil, new(SEC)} {
		o := Online{Forecaster: new(trend), Planner: planner}
		list := fourAndTwo()
		week := []int{5, 5, 5, 4, 4, 1, 0}
		demand := slices.Repeat(week, 13)
		got := observeSeries(t, &o, weekly(list), demand)
		// By hand: a day is $2.40 on demand. "four" costs $5 a week, so pays from 3 days
		// a week on, and "two" $1 and $1.44 a day: from 2 days on beside on demand, but
		// 3 days are dearer than "four". So "four" for levels 1 to 4 (6, 5, 5, 5 days) and 5
		// (3 days: 5 against 5.32 and 7.20), every four weeks.
		want := []pricing.Purchase{{Slot: 7, Class: 0, Count: 5}, {Slot: 35, Class: 0, Count: 5}, {Slot: 63, Class: 0, Count: 5}, {Slot: 91, Class: 0, Count: 5}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("planner %T (-want +got):\n%s", planner, diff)
		}
		p := *weekly(list)
		p.Demand, p.Horizon = demand, reserve.Pure
		within := got[:3] // the last one is bought when the demand has ended
		r, err := regretOf(&p, within)
		if err != nil {
			t.Fatal(err)
		}
		// On demand the first week costs 24·$2.40, in reservations 5·$5.
		if lost, _ := r.Cost.Sub(r.Optimum); lost != 24*2400*pricing.Milli-25*pricing.Unit {
			t.Errorf("regret of %v, want the first week's", lost)
		}
	}
}

// What is planned for has the forecast's instance-slots, within half a part in sum,
// and the shape that a naive computation gives: every demand repeated k times, the
// parts cut from that, in falling order.
func TestOnlineCurve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		p := &reserve.Problem{Slot: time.Hour, Every: rapid.IntRange(1, 30).Draw(rt, "every"), Prices: pricing.List{OnDemand: pricing.Unit}}
		for range rapid.IntRange(1, 3).Draw(rt, "classes") {
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{
				Name: fmt.Sprint(len(p.Prices.Classes)), Term: time.Duration(1+rng.IntN(6*p.Every)) * time.Hour, Upfront: pricing.Unit * pricing.Money(1+rng.IntN(50)),
			})
		}
		f := &trend{Slope: rng.Float64() - .5}
		o := Online{Forecaster: f, Window: 1 + rng.IntN(3), Quantile: []float64{0, .3}[rng.IntN(2)]}
		demand := make([]int, p.Every*(1+rng.IntN(5)))
		for i := range demand {
			demand[i] = rng.IntN(9) * rng.IntN(2)
		}
		observeSeries(rt2{t, rt}, &o, p, demand)
		k := o.k
		interval, ahead := time.Duration(p.Every)*time.Hour, 1
		for _, c := range p.Prices.Classes {
			ahead = max(ahead, int(math.Floor(float64(c.Term)/float64(interval)+.5)))
		}
		if len(o.demand) != ahead*k || k < parts || time.Duration(k)*o.part != interval {
			rt.Fatalf("%d parts, %d an interval, of %v each: want %d intervals of %v", len(o.demand), k, o.part, ahead, interval)
		}
		recent := demand[max(0, len(demand)-o.Window*p.Every):]
		if slices.Max(recent) == 0 {
			for _, d := range o.demand {
				if d != 0 {
					rt.Fatal("a demand is planned for where there was none")
				}
			}
			return
		}
		var long []int
		mean := 0.0
		for _, d := range recent {
			long = append(long, slices.Repeat([]int{d}, k)...)
			mean += float64(d) / float64(len(recent))
		}
		slices.Sort(long)
		slices.Reverse(long)
		forecasts := make([]float64, len(o.demand)/k)
		if o.Quantile > 0 {
			f.Quantile(forecasts, o.Quantile)
		} else {
			f.Forecast(forecasts)
		}
		sum, want := 0, 0.0
		for i, x := range forecasts {
			for b := range k {
				part := 0
				for _, d := range long[b*len(recent) : (b+1)*len(recent)] {
					part += d
				}
				exact := max(0, x) * float64(part) / float64(len(recent)) / mean
				want += exact
				d := o.demand[i*k+b]
				sum += d
				if math.Abs(float64(d)-exact) >= 1+1e-6 || math.Abs(float64(sum)-want) > .5+1e-6 {
					rt.Fatalf("interval %d, part %d: %d for %v; in sum %d for %v", i, b, d, exact, sum, want)
				}
			}
		}
	})
}

// rt2 lets a helper for testing.TB run within a rapid check.
type rt2 struct {
	testing.TB
	rt *rapid.T
}

func (r rt2) Fatal(args ...any) { r.rt.Helper(); r.rt.Fatal(args...) }
func (r rt2) Helper()           {}

// Every property that holds for any demand, planner and risk control, and that they
// were met in the interesting cases.
func TestOnlineProperties(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		demand := anyWeeks(rng, 3+rng.IntN(12), 1+rng.IntN(12))
		p := weekly(fourAndTwo())
		p.MaxBuy = rng.IntN(2) * (1 + rng.IntN(4))
		if rng.IntN(3) == 0 {
			p.Held = []pricing.Holding{{Class: rng.IntN(2), Count: 1 + rng.IntN(3), Until: rng.IntN(40)}}
		}
		make1 := func(planner reserve.Planner) *Online {
			return &Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Planner: planner, Window: 4}
		}
		var planner reserve.Planner
		if rng.IntN(2) == 0 {
			planner = new(SEC)
		} else if rng.IntN(2) == 0 {
			p.MaxActive = 3 + rng.IntN(6)
		}
		o := make1(planner)
		o.Quantile = []float64{0, .2, .5, .9}[rng.IntN(4)]
		o.Premium = float64(rng.IntN(2)) * rng.Float64()
		if rng.IntN(2) == 0 {
			o.Caps = []int{rng.IntN(5), rng.IntN(5)}
		}
		same := func(x *Online) *Online {
			y := make1(planner)
			y.Quantile, y.Premium, y.Caps = x.Quantile, x.Premium, x.Caps
			return y
		}
		before := slices.Clone(demand)
		plan := observeSeries(rt2{t, rt}, o, p, demand)
		if !slices.Equal(before, demand) {
			rt.Fatal("the demand was modified")
		}
		if len(plan) > 0 {
			met["purchases"]++
		}

		// It is a plan that keeps to dates and caps.
		weeksOf := func(x []pricing.Purchase) bool {
			return slices.IsSortedFunc(x, func(a, b pricing.Purchase) int {
				if a.Slot != b.Slot {
					return a.Slot - b.Slot
				}
				return a.Class - b.Class
			})
		}
		if !weeksOf(plan) {
			rt.Fatalf("not sorted: %v", plan)
		}
		active := func(at, class int) (n int) {
			for _, q := range plan {
				if q.Class == class && q.Slot <= at && at < q.Slot+int(p.Prices.Classes[class].Term/p.Slot) {
					n += q.Count
				}
			}
			for _, h := range p.Held {
				if h.Class == class && at < h.Until {
					n += h.Count
				}
			}
			return n
		}
		held := 0
		for _, h := range p.Held {
			held += h.Count
		}
		for i, q := range plan {
			if q.Slot%7 != 0 || q.Slot < 7 || q.Count < 1 || i > 0 && plan[i-1].Slot == q.Slot && plan[i-1].Class == q.Class {
				rt.Fatalf("purchase %+v", q)
			}
			if p.MaxBuy > 0 && q.Count > p.MaxBuy {
				rt.Fatalf("%+v: more than %d at once", q, p.MaxBuy)
			}
			if p.MaxActive > 0 && active(q.Slot, 0)+active(q.Slot, 1) > max(p.MaxActive, held) {
				rt.Fatalf("%+v: more than %d active", q, p.MaxActive)
			}
			if o.Caps != nil && o.Caps[q.Class] > 0 {
				most, n := o.Caps[q.Class], active(q.Slot, q.Class)
				if n > most {
					rt.Fatalf("%+v: more than %d active", q, most)
				}
				if n == most {
					met["full"]++
				}
			}
		}

		// The inventory is what was bought and has not expired.
		var listed [2]int
		for _, h := range o.Active(nil) {
			listed[h.Class] += h.Count
		}
		if end := len(demand); listed[0] != active(end, 0) || listed[1] != active(end, 1) {
			rt.Fatalf("inventory %v, want %d and %d", listed, active(end, 0), active(end, 1))
		}

		// A state resumes in another portfolio, whose memory has seen other things.
		at := 7 * rng.IntN(len(demand)/7)
		first, second := same(o), same(o)
		observeSeries(rt2{t, rt}, second, p, anyWeeks(rng, 5, 20))
		second.Forecaster = &forecast.Predictor{Model: &smoothing.Simple{}}
		head := observeSeries(rt2{t, rt}, first, p, demand[:at])
		state, err := json.Marshal(first)
		if err != nil {
			rt.Fatal(err)
		}
		if err := second.Reset(p); err != nil {
			rt.Fatal(err)
		}
		if err := json.Unmarshal(state, second); err != nil {
			rt.Fatal(err)
		}
		tail := head
		for d := demand[at:]; len(d) > 0; d = d[7:] {
			if tail, err = second.Observe(tail, d[:7]); err != nil {
				rt.Fatal(err)
			}
		}
		if !slices.Equal(tail, plan) {
			rt.Fatalf("resumed after %d days: %v, want %v", at, tail, plan)
		}

		// A portfolio that is used again knows nothing of the first time.
		second.Forecaster = make1(planner).Forecaster
		if again := observeSeries(rt2{t, rt}, second, p, demand); !slices.Equal(again, plan) {
			rt.Fatalf("used again: %v, want %v", again, plan)
		}

		// Days of a week in another order make no difference.
		shuffled := slices.Clone(demand)
		for i := 0; i < len(shuffled); i += 7 {
			rng.Shuffle(7, func(a, b int) { shuffled[i+a], shuffled[i+b] = shuffled[i+b], shuffled[i+a] })
		}
		if other := observeSeries(rt2{t, rt}, same(o), p, shuffled); !slices.Equal(other, plan) {
			rt.Fatalf("with the days in another order: %v, want %v", other, plan)
		}
	})
	if met["purchases"] < 50 || met["full"] < 20 {
		seeded.TooFew(t, "too few interesting cases: %v", met)
	}
}

// Terms that end within an interval. By hand: 3 instances are needed 5 days a week at
// $2.40, and ten days of a reservation cost three quarters of that for every day, used
// or not. So it never pays, whichever five days they are, and does at two thirds.
func TestOnlineUnevenTerms(t *testing.T) {
	for _, week := range [][]int{{0, 0, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 0, 0}} {
		for _, c := range []struct {
			share float64
			want  int
		}{{.75, 0}, {.667, 20}} {
			p := weekly(pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
				{Name: "ten days", Term: 240 * time.Hour, Upfront: pricing.Money(c.share * 24 * float64(pricing.Unit))},
			}})
			o := Online{Forecaster: new(trend)}
			plan := observeSeries(t, &o, p, slices.Repeat(week, 20))
			// At the end of a week the last ten days' reservations have ended or do so in
			// three days, less than half a week, and are replaced.
			if len(plan) != c.want || len(plan) > 0 && plan[7].Count != 3 {
				t.Errorf("%v at %v: %v, want %d purchases of 3", week, c.share, plan, c.want)
			}
		}
	}
	// Eleven days leave four of them, and are replaced every second week.
	p := weekly(pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
		{Name: "eleven days", Term: 264 * time.Hour, Upfront: 10 * pricing.Unit},
	}})
	o := Online{Forecaster: new(trend)}
	plan := observeSeries(t, &o, p, slices.Repeat([]int{1, 1, 1, 1, 1, 1, 1}, 6))
	want := []pricing.Purchase{{Slot: 7, Count: 1}, {Slot: 21, Count: 1}, {Slot: 35, Count: 1}}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("eleven days (-want +got):\n%s", diff)
	}
}

// Terms of years in weeks of hours, which do not divide: any list of few classes, and
// small demands as well as large ones, are planned for.
func TestOnlineYears(t *testing.T) {
	all := pricing.CC28XLarge2013()
	for k := range all.Classes {
		for _, price := range []pricing.Money{all.OnDemand, all.OnDemand / 5, 1_234_567_891} {
			for _, d := range []int{1, 3, 7, 50_000} {
				p := &reserve.Problem{Slot: time.Hour, Every: 168, Prices: pricing.List{OnDemand: price, Classes: all.Classes[k : k+1]}}
				o := Online{Forecaster: new(trend)}
				plan := observeSeries(t, &o, p, slices.Repeat([]int{d, d, d, d + 1}, 2*42))
				rate := all.Classes[k].Upfront.Float64()/all.Classes[k].Term.Hours() + all.Classes[k].Hourly.Float64()
				if want := rate < price.Float64(); want != (len(plan) > 0) {
					t.Errorf("%s at %v for %d instances: bought %v", all.Classes[k].Name, price, d, plan)
				} else if want && plan[0].Count < d {
					t.Errorf("%s at %v for %d instances: %v", all.Classes[k].Name, price, d, plan[0])
				}
			}
		}
	}
}

// History is learnt from without purchases, and is as if it had been observed.
func TestOnlineLearn(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4)) // seed 3, 4
	demand := anyWeeks(rng, 20, 30)
	o := Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}}
	if err := o.Reset(weekly(fourAndTwo())); err != nil {
		t.Fatal(err)
	}
	for d := demand; len(d) > 7; d = d[7:] {
		if err := o.Learn(d[:7]); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Learn([]int{0, -1, 0, 0, 0, 0, 0}); !errors.Is(err, reserve.ErrRange) {
		t.Errorf("a negative demand: %v", err)
	}
	if h := o.Active(nil); len(h) > 0 {
		t.Fatalf("%v is held, and nothing was bought", h)
	}
	got, err := o.Observe(nil, demand[len(demand)-7:])
	if err != nil {
		t.Fatal(err)
	}
	// One that has caps of which nothing is left until the end buys the same then.
	p := weekly(fourAndTwo())
	p.Held = []pricing.Holding{{Class: 0, Count: 1, Until: len(demand)}, {Class: 1, Count: 1, Until: len(demand)}}
	o = Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Caps: []int{1, 1}}
	if before := observeSeries(t, &o, p, demand[:len(demand)-7]); len(before) > 0 {
		t.Fatalf("bought %v", before)
	}
	o.Caps = nil
	want, err := o.Observe(nil, demand[len(demand)-7:])
	if err != nil || len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("after 19 weeks of history %v is bought, want %v, %v", got, want, err)
	}
}

// Without classes nothing is bought, and all is well.
func TestOnlineOnDemandOnly(t *testing.T) {
	o := Online{Forecaster: new(trend), Window: math.MaxInt}
	if plan := observeSeries(t, &o, weekly(pricing.List{OnDemand: pricing.Unit}), slices.Repeat([]int{3}, 28)); len(plan) > 0 {
		t.Errorf("bought %v", plan)
	}
	if len(o.recent) != 28 {
		t.Errorf("%d slots are kept, want all", len(o.recent))
	}
}

// Whoever holds more than may be active buys nothing until that has changed.
func TestOnlineHeldBeyondCap(t *testing.T) {
	p := weekly(fourAndTwo())
	p.MaxActive = 3
	p.Held = []pricing.Holding{{Class: 0, Count: 5, Until: 21}}
	o := Online{Forecaster: new(trend)}
	plan := observeSeries(t, &o, p, slices.Repeat([]int{9}, 28))
	if want := []pricing.Purchase{{Slot: 21, Class: 0, Count: 3}}; !slices.Equal(plan, want) {
		t.Errorf("bought %v, want %v", plan, want)
	}
	// Nor does it if that changes within an interval: it waits for the next.
	for until, slot := range map[int]int{21: 21, 22: 28, 24: 28, 25: 28, 28: 28} {
		for _, classes := range [][]pricing.Holding{{{Class: 0, Count: 5, Until: until}}, {{Class: 0, Count: 1, Until: until}, {Class: 1, Count: 2, Until: until}}} {
			p.Held = classes
			plan := observeSeries(t, &o, p, slices.Repeat([]int{9}, 35))
			if want := []pricing.Purchase{{Slot: slot, Class: 0, Count: 3}}; !slices.Equal(plan, want) {
				t.Errorf("held until %d: bought %v, want %v", until, plan, want)
			}
		}
	}
}

// A portfolio that is used again forgets which classes were for sale.
func TestOnlineSaleIsForgotten(t *testing.T) {
	demand := slices.Repeat([]int{5}, 28)
	p := weekly(fourAndTwo())
	var fresh, used Online
	fresh.Forecaster, used.Forecaster = new(trend), new(trend)
	want := observeSeries(t, &fresh, p, demand)
	limited := *p
	limited.AtMost = []int{0, reserve.NoCap}
	for _, q := range observeSeries(t, &used, &limited, demand) {
		if q.Class == 0 {
			t.Errorf("%+v of a class that is not for sale", q)
		}
	}
	if got := observeSeries(t, &used, p, demand); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("used again it buys %v, want %v", got, want)
	}
}

// A class that is full is not planned with, however small the gain of what stands in:
// $67.20 is four weeks on demand, and the other class saves a cent of it.
func TestOnlineFullClass(t *testing.T) {
	list := pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
		{Name: "good", Term: 672 * time.Hour, Upfront: 20 * pricing.Unit},
		{Name: "poor", Term: 672 * time.Hour, Upfront: 67*pricing.Unit + 190*pricing.Milli},
	}}
	o := Online{Forecaster: new(trend), Caps: []int{2, 0}}
	plan := observeSeries(t, &o, weekly(list), slices.Repeat([]int{5}, 14))
	want := []pricing.Purchase{{Slot: 7, Class: 0, Count: 2}, {Slot: 7, Class: 1, Count: 3}}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A script is a planner that returns one plan after another, and notes the prices.
type script struct {
	plans [][]pricing.Purchase
	fees  [][]pricing.Money
}

func (s *script) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	var fees []pricing.Money
	for _, c := range p.Prices.Classes {
		fees = append(fees, c.Upfront)
	}
	if s.fees = append(s.fees, fees); len(s.fees) > len(s.plans) {
		return dst, nil
	}
	return append(dst, s.plans[len(s.fees)-1]...), nil
}

// Where a class is planned for beyond its cap, it is filled up, and the rest is planned for again
// without the classes that are full: they cost more than all of their terms on demand. Below the
// cap, and at the cap exactly, there is no other plan.
func TestOnlinePlansAgain(t *testing.T) {
	list := pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
		{Name: "a", Term: 672 * time.Hour, Upfront: 20 * pricing.Unit},
		{Name: "b", Term: 672 * time.Hour, Upfront: 21 * pricing.Unit},
		{Name: "c", Term: 672 * time.Hour, Upfront: 22 * pricing.Unit},
	}}
	plan := func(counts ...int) (buys []pricing.Purchase) {
		for k, n := range counts {
			if n > 0 {
				buys = append(buys, pricing.Purchase{Class: k, Count: n})
			}
		}
		return append(buys, pricing.Purchase{Slot: 1, Class: 1, Count: 9}) // later ones are not bought
	}
	for _, c := range []struct {
		plans [][]pricing.Purchase
		full  []bool // in the second plan, nil if there is none
		want  []int
	}{
		{[][]pricing.Purchase{plan(2, 3, 4)}, nil, []int{2, 3, 4}},
		{[][]pricing.Purchase{plan(2, 4, 4), plan(0, 0, 1)}, []bool{true, true, false}, []int{2, 3, 5}},
		{[][]pricing.Purchase{plan(1, 5, 4), plan(1, 0, 1)}, []bool{false, true, false}, []int{2, 3, 5}},
	} {
		s := &script{plans: c.plans}
		o := Online{Forecaster: new(trend), Planner: s, Caps: []int{2, 3, 0}}
		got := observeSeries(t, &o, weekly(list), slices.Repeat([]int{5}, 7))
		counts := make([]int, 3)
		for _, q := range got {
			counts[q.Class] += q.Count
		}
		if plans := 1 + min(1, len(c.full)); !slices.Equal(counts, c.want) || len(s.fees) != plans {
			t.Fatalf("%v: buys %v after %d plans, want %v after %d", c.plans, counts, len(s.fees), c.want, plans)
		}
		for k, full := range c.full {
			if (s.fees[1][k] > 672*list.OnDemand) != full {
				t.Errorf("%v: the fees are %v then, want those of %v prohibitive", c.plans, s.fees[1], c.full)
			}
		}
	}
}

// Risk controls do what they say.
func TestOnlineControls(t *testing.T) {
	demand := slices.Repeat([]int{9, 9, 9, 9, 9, 9, 9}, 6)
	count := func(o *Online, p *reserve.Problem) (n [2][6]int) {
		if o.Forecaster == nil {
			o.Forecaster = new(trend)
		}
		for _, q := range observeSeries(t, o, p, demand) {
			n[q.Class][q.Slot/7-1] += q.Count
		}
		return n
	}
	for _, c := range []struct {
		name string
		o    Online
		buy  int
		want [2][6]int // bought by class at the end of week 1, 2, …
	}{
		{"none", Online{}, 0, [2][6]int{{9, 0, 0, 0, 9, 0}}},
		{"ladder", Online{}, 4, [2][6]int{{4, 4, 1, 0, 4, 4}}},
		{"cap: the other class stands in", Online{Caps: []int{5, 0}}, 0, [2][6]int{{5, 0, 0, 0, 5, 0}, {4, 0, 4, 0, 4, 0}}},
		{"cap and ladder: the ladder is not filled up", Online{Caps: []int{5, 0}}, -2, [2][6]int{{2, 2, 1, 0, 2, 2}, {4, 0, 4, 0, 4, 0}}},
		{"both capped", Online{Caps: []int{5, 1}}, 0, [2][6]int{{5, 0, 0, 0, 5, 0}, {1, 0, 1, 0, 1, 0}}},
		{"premium: the shorter term", Online{Premium: 9}, 0, [2][6]int{1: {9, 0, 9, 0, 9, 0}}},
		{"quantile", Online{Quantile: .25}, 0, [2][6]int{{5, 0, 0, 0, 5, 0}}}, // 4.5, halves up and down by turns: the fifth pays
		{"alarm", Online{Forecaster: &trend{Signal: -.81}, Alarm: .8}, 0, [2][6]int{}},
		{"no alarm", Online{Forecaster: &trend{Signal: -.8}, Alarm: .8}, 0, [2][6]int{{9, 0, 0, 0, 9, 0}}},
		{"not ready", Online{Forecaster: &trend{Wait: 4}}, 0, [2][6]int{{0, 0, 0, 9, 0, 0}}},
		{"a demand that goes away: the shorter term", Online{Forecaster: &trend{Slope: -4.5}}, 0, [2][6]int{1: {5, 0, 5, 0, 5, 0}}},
		{"ladder by AtMost", Online{}, -4, [2][6]int{{4, 4, 1, 0, 4, 4}}},
	} {
		p := weekly(fourAndTwo())
		if p.MaxBuy = c.buy; c.buy < 0 {
			p.MaxBuy, p.AtMost = 0, []int{-c.buy, reserve.NoCap}
		}
		if diff := cmp.Diff(c.want, count(&c.o, p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Fees that are billed by the hour count for the premium as those paid in advance do.
func TestOnlinePremium(t *testing.T) {
	demand := slices.Repeat([]int{9, 9, 9, 9, 9, 9, 9}, 2)
	bought := func(billed pricing.Class) int {
		list := fourAndTwo()
		list.Classes[0] = billed
		o := Online{Forecaster: new(trend), Premium: 2} // the fee of four weeks counts three times
		plan := observeSeries(t, &o, weekly(list), demand)
		return plan[0].Class
	}
	// $5 a week becomes $15, more than the $1 + $10.08 of the shorter class.
	for _, c := range []pricing.Class{
		{Name: "advance", Term: 28 * 24 * time.Hour, Upfront: 20 * pricing.Unit},
		{Name: "hourly", Term: 28 * 24 * time.Hour, Hourly: 20 * pricing.Unit / (28 * 24)},
	} {
		if k := bought(c); k != 1 {
			t.Errorf("%s: class %d, want the shorter one", c.Name, k)
		}
	}
	// At $1.50 a week and $4.50 in the planner's eyes it is the better one still.
	if k := bought(pricing.Class{Name: "cheap", Term: 28 * 24 * time.Hour, Hourly: 6 * pricing.Unit / (28 * 24)}); k != 0 {
		t.Errorf("class %d, want the cheap one", k)
	}
}

// hollow forecasts a mean of -level, then of level.
type hollow struct{ level float64 }

func (f *hollow) Update(x float64) { f.level = x }
func (f *hollow) Forecast(dst []float64) {
	for i := range dst {
		dst[i] = f.level
		if i == 0 {
			dst[i] = -f.level
		}
	}
}

// A negative forecast is one of no demand, and takes nothing from what comes later.
// What is held for ages is held beyond the horizon.
func TestOnlineExtremes(t *testing.T) {
	o := Online{Forecaster: new(hollow)}
	observeSeries(t, &o, weekly(fourAndTwo()), []int{8, 8, 8, 8, 8, 8, 8})
	want := slices.Concat(make([]int, o.k), slices.Repeat([]int{8}, 3*o.k))
	if diff := cmp.Diff(want, o.demand); diff != "" {
		t.Errorf("planned for (-want +got):\n%s", diff)
	}
	p := weekly(fourAndTwo())
	p.Held = []pricing.Holding{{Class: 0, Count: 8, Until: math.MaxInt}}
	o = Online{Forecaster: new(trend)}
	if plan := observeSeries(t, &o, p, slices.Repeat([]int{8}, 70)); len(plan) > 0 {
		t.Errorf("all is held for ever, and %v is bought", plan)
	}
}

// Intervals that no number of parts divides are one part each, and paths of a demand of nothing buy nothing. A
// forecast of the largest demand is one too much, and of one less is not.
func TestOnlineParts(t *testing.T) {
	for slot, parts := range map[time.Duration]int{1: 1, 5: 1, 28: 28, 56: 28, 58: 29, 1<<20 + 7: 1, 1_048_583 * 31: 31} {
		dear := pricing.Money(1 << 50) // a nanosecond costs something
		if slot > time.Microsecond {
			dear = 1 << 34 // and the product of price and slot fits
		}
		half, err := dear.Over(slot, pricing.HalfEven) // of two slots on demand
		if err != nil {
			t.Fatal(err)
		}
		p := &reserve.Problem{Slot: slot, Prices: pricing.List{OnDemand: dear, Classes: []pricing.Class{{Name: "two", Term: 2 * slot, Upfront: half}}}}
		o := Online{Forecaster: new(trend)}
		if plan := observeSeries(t, &o, p, []int{3, 3}); o.k != parts || o.part*time.Duration(o.k) != slot || len(plan) != 1 || plan[0].Count != 3 {
			t.Errorf("slots of %v: %d parts of %v, %v bought", slot, o.k, o.part, plan)
		}
	}
	for _, paths := range []int{0, 3} {
		for demand, ok := range map[int]bool{0: true, 7: true, math.MaxInt32 - 1: true, math.MaxInt32: false} {
			o := Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .3}}, Paths: paths}
			if err := o.Reset(weekly(fourAndTwo())); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := o.Learn(slices.Repeat([]int{demand}, 7)); err != nil {
					t.Fatal(err)
				}
			}
			err := o.foresee()
			if (err == nil) != ok || err != nil && !errors.Is(err, reserve.ErrRange) || ok && !slices.Equal(o.demand, slices.Repeat([]int{demand}, 4*o.k)) {
				t.Errorf("%d paths, demand %d: %v, %v", paths, demand, o.demand, err)
			}
		}
	}
}

// An interval that is not known is missing for the forecaster, not without demand,
// and holdings expire in it.
func TestOnlineUnknown(t *testing.T) {
	f := new(smoothing.Simple)
	f.Alpha = .5
	o := Online{Forecaster: f}
	p := weekly(fourAndTwo())
	p.Held = []pricing.Holding{{Class: 0, Count: 2, Until: 14}}
	if err := o.Reset(p); err != nil {
		t.Fatal(err)
	}
	if plan, err := o.Observe(nil, nil); err != nil || len(plan) > 0 {
		t.Fatalf("nothing is known, and %v is bought, %v", plan, err)
	}
	week := []int{3, 3, 3, 3, 3, 3, 3}
	plan, err := o.Observe(nil, week)
	if want := []pricing.Purchase{{Slot: 14, Class: 0, Count: 3}}; err != nil || !slices.Equal(plan, want) {
		t.Fatalf("bought %v, %v, want %v: what was held has expired", plan, err, want)
	}
	for range 4 {
		if plan, err = o.Observe(nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if want := []pricing.Purchase{{Slot: 42, Class: 0, Count: 3}}; !slices.Equal(plan, want) {
		t.Errorf("after four weeks in the dark %v is bought, want %v", plan, want)
	}
}

// What is wrong is said, and nothing is bought on it.
func TestOnlineErrors(t *testing.T) {
	predictor := func() *forecast.Predictor { return &forecast.Predictor{Model: &smoothing.Simple{Alpha: .2}} }
	run := func(o *Online) string {
		o.Forecaster, o.Window, o.Quantile, o.Paths, o.Alarm, o.Premium, o.Caps = &trend{Slope: .1}, 3, .6, 0, 0, .2, []int{0, 9}
		p := weekly(fourAndTwo())
		p.Held, p.AtMost, p.MaxActive = []pricing.Holding{{Class: 1, Count: 2, Until: 9}}, []int{3, reserve.NoCap}, 8
		if err := o.Reset(p); err != nil {
			t.Fatal(err)
		}
		bought := observeSeries(t, o, p, anyWeeks(rand.New(rand.NewPCG(3, 3)), 9, 8))
		state, err := json.Marshal(o)
		return fmt.Sprint(bought, string(state), err, o.Next())
	}
	fresh := run(new(Online))
	var used Online
	for _, c := range []struct {
		name string
		o    Online
		edit func(*reserve.Problem)
		want error
		text string
	}{
		{"no forecaster", Online{}, nil, reserve.ErrRange, "Forecaster"},
		{"window", Online{Forecaster: predictor(), Window: -1}, nil, reserve.ErrRange, "Window"},
		{"quantile", Online{Forecaster: predictor(), Quantile: 1}, nil, reserve.ErrRange, "Quantile"},
		{"quantile", Online{Forecaster: predictor(), Quantile: math.NaN()}, nil, reserve.ErrRange, "Quantile"},
		{"quantile", Online{Forecaster: &plain{}, Quantile: .5}, nil, reserve.ErrUnsupported, "quantiles"},
		{"alarm", Online{Forecaster: predictor(), Alarm: 1.5}, nil, reserve.ErrRange, "Alarm"},
		{"alarm", Online{Forecaster: &plain{}, Alarm: .5}, nil, reserve.ErrUnsupported, "tracking signal"},
		{"premium", Online{Forecaster: predictor(), Premium: -1}, nil, reserve.ErrRange, "Premium"},
		{"caps", Online{Forecaster: predictor(), Caps: []int{0}}, nil, reserve.ErrRange, "2 classes"},
		{"caps", Online{Forecaster: predictor(), Caps: []int{0, -1}}, nil, reserve.ErrRange, "Caps[1]"},
		{"no model", Online{Forecaster: new(forecast.Predictor)}, nil, forecast.ErrKind, "Forecaster"},
		{"unstable", Online{Forecaster: &forecast.Predictor{Model: &smoothing.Triple{Alpha: .1, Beta: .5, Gamma: .9}}}, nil, smoothing.ErrUnstable, "Forecaster"},
		{"premium", Online{Forecaster: predictor(), Premium: 1001}, nil, reserve.ErrRange, "Premium"},
		{"slot", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Slot = 0 }, reserve.ErrRange, "Slot"},
		{"term", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Slot = 25 * time.Hour }, reserve.ErrTerm, "four"},
		{"every", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Every = -1 }, reserve.ErrRange, "Every"},
		{"every", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Every = math.MaxInt }, reserve.ErrRange, "too long"},
		{"interval", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Every = 107_000 }, reserve.ErrRange, "too long"},
		{"held", Online{Forecaster: predictor()}, func(p *reserve.Problem) { p.Held = []pricing.Holding{{Class: 2}} }, reserve.ErrRange, "Held[0]"},
		{"fee", Online{Forecaster: predictor(), Premium: 1000}, func(p *reserve.Problem) { p.Prices.Classes[0].Upfront = math.MaxInt64 / 1000 }, reserve.ErrOverflow, "four"},
	} {
		p := weekly(fourAndTwo())
		if c.edit != nil {
			c.edit(p)
		}
		err := c.o.Reset(p)
		// A portfolio whose Reset failed is as new when the next one succeeds.
		used.Forecaster, used.Window, used.Quantile, used.Paths, used.Alarm, used.Premium, used.Caps = c.o.Forecaster, c.o.Window, c.o.Quantile, c.o.Paths, c.o.Alarm, c.o.Premium, c.o.Caps
		if again := used.Reset(p); err == nil || again == nil || again.Error() != err.Error() {
			t.Errorf("%s: %v of a used portfolio, want %v", c.name, again, err)
		}
		if got := run(&used); got != fresh {
			t.Errorf("%s: then a used portfolio buys\n%s, want\n%s", c.name, got, fresh)
		}
		var in *inputerr.Error
		if !errors.Is(err, c.want) || !errors.As(err, &in) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.want, c.text)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Observe after a Reset that failed does not panic", c.name)
				}
			}()
			c.o.Observe(nil, make([]int, 7))
		}()
	}

	// After a Reset that failed, Observe panics also if an earlier one succeeded.
	func() {
		o := Online{Forecaster: new(trend)}
		if err := o.Reset(weekly(fourAndTwo())); err != nil {
			t.Fatal(err)
		}
		bad := weekly(fourAndTwo())
		bad.Every = -1
		if err := o.Reset(bad); !errors.Is(err, reserve.ErrRange) {
			t.Fatal(err)
		}
		defer func() {
			if recover() == nil {
				t.Error("Observe after a Reset that failed does not panic")
			}
		}()
		o.Observe(nil, make([]int, 7))
	}()

	// Reservations of one class with one end are one in the inventory, and those that have ended none.
	twice := weekly(fourAndTwo())
	twice.Held = []pricing.Holding{{Class: 0, Count: 2, Until: 9}, {Class: 1, Count: 1, Until: 9}, {Class: 0, Count: 3, Until: 9}, {Class: 0, Count: 4, Until: 8}, {Class: 0, Count: 5}, {Class: 1, Until: 3}}
	held := Online{Forecaster: new(trend)}
	if err := held.Reset(twice); err != nil {
		t.Fatal(err)
	}
	if want := []pricing.Holding{{Class: 0, Count: 5, Until: 9}, {Class: 1, Count: 1, Until: 9}, {Class: 0, Count: 4, Until: 8}}; !slices.Equal(held.active, want) {
		t.Errorf("held %v, want %v", held.active, want)
	}

	// Demands that are none are not observed.
	o := Online{Forecaster: new(trend)}
	if err := o.Reset(weekly(fourAndTwo())); err != nil {
		t.Fatal(err)
	}
	dst := []pricing.Purchase{{Slot: 1}}
	got, err := o.Observe(dst, []int{1, 2, -3, 0, 0, 0, 0})
	if !errors.Is(err, reserve.ErrRange) || !strings.Contains(err.Error(), "demand[2]") || len(got) != 1 || o.seen != 0 {
		t.Errorf("a negative demand: %v, %v after %d intervals", got, err, o.seen)
	}

	// Neither are forecasts that are none planned for.
	for _, level := range []float64{math.NaN(), math.Inf(1), 1e12} {
		f := new(trend)
		o := Online{Forecaster: f}
		if err := o.Reset(weekly(fourAndTwo())); err != nil {
			t.Fatal(err)
		}
		f.Slope = level
		got, err := o.Observe(dst, []int{3, 3, 3, 3, 3, 3, 3})
		if !errors.Is(err, reserve.ErrRange) || !strings.Contains(err.Error(), "Forecaster[0]") || len(got) != 1 ||
			strings.HasSuffix(err.Error(), "the forecast is not a number") != math.IsNaN(level) {
			t.Errorf("slope %v: %v, %v", level, got, err)
		}
		f.Slope = 0
		if got, err = o.Observe(dst, []int{3, 3, 3, 3, 3, 3, 3}); err != nil || len(got) != 2 || got[1].Slot != 14 {
			t.Errorf("after it: %v, %v", got, err)
		}
	}

	// A portfolio goes on after an error as a portfolio does that only learned the interval, or
	// never saw the demand.
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		f, g := &trend{}, &trend{}
		broken, whole := Online{Forecaster: f, Window: 3}, Online{Forecaster: g, Window: 3}
		for _, o := range []*Online{&broken, &whole} {
			if err := o.Reset(weekly(fourAndTwo())); err != nil {
				t.Fatal(err)
			}
		}
		for range 12 {
			demand := anyWeeks(rng, 1, 8)
			kind := rng.IntN(4)
			switch kind {
			case 0: // not observed
				bad := slices.Clone(demand)
				bad[rng.IntN(len(bad))] = -1
				if _, err := broken.Observe(nil, bad); !errors.Is(err, reserve.ErrRange) {
					t.Fatal(err)
				}
			case 1, 2: // observed, and nothing is bought
				f.Slope = []float64{math.NaN(), 1e12}[kind-1]
				if got, err := broken.Observe(nil, demand); !errors.Is(err, reserve.ErrRange) && slices.Max(demand) > 0 || len(got) > 0 {
					t.Fatal(got, err)
				}
				f.Slope = 0
				if err := whole.Learn(demand); err != nil {
					t.Fatal(err)
				}
				continue
			}
			got, err := broken.Observe(nil, demand)
			want, err2 := whole.Observe(nil, demand)
			if err != nil || err2 != nil || !slices.Equal(got, want) || broken.Next() != whole.Next() || !slices.Equal(broken.Active(nil), whole.Active(nil)) {
				t.Fatalf("seed %d: after errors %v, %v and %v are bought, want %v, %v and %v", seed, got, err, broken.Active(nil), want, err2, whole.Active(nil))
			}
		}
	}

	// What the planner cannot do is its error.
	o = Online{Forecaster: new(trend), Planner: new(SEC)}
	p := weekly(fourAndTwo())
	p.MaxActive = 3
	if err := o.Reset(p); err != nil {
		t.Fatal(err)
	}
	if got, err = o.Observe(dst, []int{3, 3, 3, 3, 3, 3, 3}); !errors.Is(err, reserve.ErrUnsupported) || len(got) != 1 {
		t.Errorf("a cap for SEC: %v, %v", got, err)
	}
}

// States that do not fit are refused, and change nothing.
func TestOnlineState(t *testing.T) {
	o := Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .2}}}
	if _, err := json.Marshal(&o); err == nil {
		t.Error("a state before Reset")
	}
	if err := json.Unmarshal([]byte("{}"), &o); err == nil {
		t.Error("a state is taken before Reset")
	}
	observeSeries(t, &o, weekly(fourAndTwo()), []int{1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7})
	good, err := json.Marshal(&o)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{`"every":7`, `"every":6`},
		{`"slot_ns":86400000000000`, `"slot_ns":3600000000000`},
		{`"terms":[28,14]`, `"terms":[28]`},
		{`"seen":2`, `"seen":-2`},
		{`"seen":2`, `"seen":1`},
		{`"seen":2`, `"seen":3000000000`},
		{`"active":[`, `"active":[{"class":0,"count":1,"until":99999999999999},{"class":7},`},
		{`"recent":[1,`, `"recent":[`},
		{`"recent":[1,`, `"recent":[-1,`},
		{`"class":0`, `"class":2`},
		{`"count":`, `"count":-`},
		{`"until":42`, `"until":14`},
		{`"class":0,"count":`, `"class":0,"count":2147483648,"until":42},{"class":0,"count":`},
		{`"forecaster":{`, `"forecaster":[{`},
		{`"forecaster":`, `"oracle":`},
		{`"seen"`, `"saw"`},
		{`"seen":2`, `"seen":2,"more":1`},
	} {
		if bad := strings.Replace(string(good), c[0], c[1], 1); bad == string(good) {
			t.Errorf("%s is not in %s", c[0], good)
		} else if err := json.Unmarshal([]byte(bad), &o); err == nil {
			t.Errorf("%s is accepted", bad)
		} else if strings.HasPrefix(c[1], `"until":14`) && !strings.Contains(err.Error(), "until slot 14: want some of a class below 2 that last beyond slot 14") {
			t.Error(err)
		} else if c[1] == `"seen":-2` && !strings.Contains(err.Error(), "state.seen: value out of range: -2 intervals: want 0 to 2147483647") && math.MaxInt > math.MaxInt32 {
			t.Error(err)
		}
		if now, err := json.Marshal(&o); err != nil || string(now) != string(good) {
			t.Fatalf("%s has changed the state to %s, %v", c[1], now, err)
		}
	}
	head, _, _ := strings.Cut(string(good), `,"forecaster":`)
	for _, bad := range []string{head + "}", head + `,"forecaster":null}`} {
		if err := json.Unmarshal([]byte(bad), &o); !errors.Is(err, reserve.ErrRange) || !strings.Contains(err.Error(), "state.forecaster") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	most := strings.Replace(string(good), `"class":0,"count":`, `"class":0,"count":2147483647,"until":42},{"class":0,"count":`, 1)
	if err := json.Unmarshal([]byte(most), &o); err != nil || o.Active(nil)[0].Count != math.MaxInt32 {
		t.Errorf("the most reservations: %v, %v", o.Active(nil), err)
	}
}

// What is read as a state is the same written and read again, and both go on in the same way.
func FuzzOnlineState(f *testing.F) {
	portfolio := func() *Online {
		o := &Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .2}}, Window: 3, Caps: []int{20, 0}}
		if err := o.Reset(weekly(fourAndTwo())); err != nil {
			f.Fatal(err)
		}
		return o
	}
	o := portfolio()
	demand := anyWeeks(rand.New(rand.NewPCG(1, 2)), 9, 8)
	for t := 0; t < len(demand); t += 7 {
		state, err := json.Marshal(o)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(state)
		if _, err := o.Observe(nil, demand[t:t+7]); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		a, b := portfolio(), portfolio()
		if json.Unmarshal(state, a) != nil {
			return
		}
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, b); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		for k := 0; k < 2*7; k += 7 {
			got, err := a.Observe(nil, demand[k:k+7])
			want, err2 := b.Observe(nil, demand[k:k+7])
			if (err == nil) != (err2 == nil) || !slices.Equal(got, want) || !slices.Equal(a.Active(nil), b.Active(nil)) {
				t.Fatalf("%s goes on to buy %v, %v, and written and read again %v, %v", state, got, err, want, err2)
			}
		}
	})
}

// Nothing is allocated once it is warm.
func TestOnlineAllocs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6)) // seed 5, 6
	for _, planner := range []reserve.Planner{nil, new(SEC)} {
		f := &forecast.Predictor{Model: &smoothing.Simple{Alpha: .2}}
		o := Online{Forecaster: f, Planner: planner, Window: 6, Quantile: .4, Caps: []int{20, 0}}
		demand := anyWeeks(rng, 60, 40)
		p := weekly(fourAndTwo())
		dst := make([]pricing.Purchase, 0, 200)
		run := func() {
			f.Model.(*smoothing.Simple).N = 0
			if err := o.Reset(p); err != nil {
				t.Fatal(err)
			}
			dst = dst[:0]
			for d := demand; len(d) > 0; d = d[7:] {
				var err error
				if dst, err = o.Observe(dst, d[:7]); err != nil {
					t.Fatal(err)
				}
			}
		}
		reset := func() {
			if err := o.Reset(p); err != nil {
				t.Fatal(err)
			}
		}
		if n, m := allocs.Once(run), allocs.Once(reset); n > m {
			t.Errorf("planner %T: %v allocations in 60 intervals beside the %v of Reset, want 0", planner, n, m)
		}
		if len(dst) < 10 {
			t.Errorf("planner %T: only %d purchases", planner, len(dst))
		}
	}
}
