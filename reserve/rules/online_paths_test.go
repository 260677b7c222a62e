package rules

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// fan forecasts the last mean, and draws paths around it: with Spread 0 they are alike.
type fan struct {
	Level, Spread float64
	Bad           bool
}

func (f *fan) Update(x float64)       { f.Level = x }
func (f *fan) Forecast(dst []float64) { fillWith(dst, f.Level) }
func (f *fan) Paths(dst [][]float64, rng *rand.Rand) {
	for _, row := range dst {
		x := f.Level * (1 + f.Spread*(2*rng.Float64()-1))
		if f.Bad {
			x = math.NaN()
		}
		fillWith(row, x)
	}
}

// Paths that are all the forecast are planned for as the forecast is.
func TestOnlinePathsAlike(t *testing.T) {
	demand := anyWeeks(rand.New(rand.NewPCG(3, 3)), 30, 40)
	var want []pricing.Purchase
	for _, paths := range []int{0, 1, 7} {
		o := Online{Forecaster: &fan{}, Window: 6, Paths: paths}
		if err := o.Reset(weekly(fourAndTwo())); err != nil {
			t.Fatal(err)
		}
		var got []pricing.Purchase
		for d := demand; len(d) > 0; d = d[7:] {
			var err error
			if got, err = o.Observe(got, d[:7]); err != nil {
				t.Fatal(err)
			}
		}
		if paths == 0 {
			want = got
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d paths: %v, want %v", paths, got, want)
		}
	}
}

// What is planned for is the expected curve: each interval has the mean of its paths, and
// its parts are the groups of all the demands of all paths in order.
func TestOnlinePathsCurve(t *testing.T) {
	o := Online{Forecaster: &fan{Spread: .8}, Window: 3, Paths: 11, Seed: 5}
	p := weekly(fourAndTwo())
	if err := o.Reset(p); err != nil {
		t.Fatal(err)
	}
	demand := anyWeeks(rand.New(rand.NewPCG(4, 3)), 3, 400)
	for d := demand; len(d) > 0; d = d[7:] {
		if _, err := o.Observe(nil, d[:7]); err != nil {
			t.Fatal(err)
		}
	}
	paths := make([][]float64, 11)
	for i := range paths {
		paths[i] = make([]float64, o.ahead)
	}
	o.Forecaster.(*fan).Paths(paths, rand.New(rand.NewPCG(5, 3)))
	for i := range o.ahead {
		var all []float64
		for _, path := range paths {
			for _, s := range o.shape {
				all = append(all, path[i]*s)
			}
		}
		slices.Sort(all)
		for b := range o.k {
			mean := 0.0
			for _, x := range all[(o.k-1-b)*11 : (o.k-b)*11] {
				mean += x / 11
			}
			if d := float64(o.demand[i*o.k+b]); math.Abs(d-mean) >= 1+1e-9 {
				t.Fatalf("interval %d, part %d: %v, want about %v", i, b, d, mean)
			}
		}
	}
	if again := slices.Clone(o.demand); o.imagine() != nil || !slices.Equal(again, o.demand) {
		t.Error("the same state draws other paths")
	}
}

func TestOnlinePathsErrors(t *testing.T) {
	for _, c := range []struct {
		o    Online
		want error
	}{
		{Online{Forecaster: &fan{}, Paths: -1}, reserve.ErrRange},
		{Online{Forecaster: &forecast.Predictor{Model: &smoothing.Simple{Alpha: .2}}, Paths: 3, Quantile: .4}, reserve.ErrRange},
		{Online{Forecaster: &plain{}, Paths: 3}, reserve.ErrUnsupported},
	} {
		if err := c.o.Reset(weekly(fourAndTwo())); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
	o := Online{Forecaster: &fan{Bad: true}, Paths: 2}
	if err := o.Reset(weekly(fourAndTwo())); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Observe(nil, []int{1, 2, 3, 4, 5, 6, 7}); !errors.Is(err, reserve.ErrRange) {
		t.Error(err)
	}
}

func TestOnlinePathsAllocs(t *testing.T) {
	demand := anyWeeks(rand.New(rand.NewPCG(5, 6)), 60, 40)
	o := Online{Forecaster: &fan{Spread: .5}, Window: 6, Paths: 20, Seed: 1}
	dst := make([]pricing.Purchase, 0, 200)
	reset := func() {
		if err := o.Reset(weekly(fourAndTwo())); err != nil {
			t.Fatal(err)
		}
	}
	run := func() {
		reset()
		dst = dst[:0]
		for d := demand; len(d) > 0; d = d[7:] {
			var err error
			if dst, err = o.Observe(dst, d[:7]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, m := allocs.Once(run), allocs.Once(reset); n > m || len(dst) < 5 {
		t.Errorf("%v allocations beside the %v of Reset, %d purchases", n, m, len(dst))
	}
}
