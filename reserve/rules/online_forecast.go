package rules

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/reserve"
)

// parts is the least number of parts into which an interval's load-duration curve is divided. A
// part has one demand, the mean of its slots. An instance that is used in some slots of a part then
// looks used in the whole part. A part must therefore be shorter than the least use that pays: in
// the 2013 prices, the lightest class pays if it is used for 7% of the time or more.
//
// On the six logs of BENCHMARKS.md, the portfolio with 14, 28, 56 and 84 parts pays 1.042, 1.026,
// 1.027 and 1.027 times the optimum. A plan takes 2.4, 3.0, 3.7 and 4.5 ms.
const parts = 28

type readier interface{ Ready() bool }

type validator interface{ Validate() error }

type quantiler interface {
	Quantile(dst []float64, q float64)
}

type pather interface {
	Paths(dst [][]float64, rng *rand.Rand)
}

type signaller interface{ TrackingSignal() float64 }

// foresee makes the demand to plan for: the load-duration curve, scaled to the forecast of each
// interval, or imagine's.
func (o *Online) foresee() error {
	m := o.ahead
	if o.Paths > 0 {
		return o.imagine()
	}
	o.means = grow.To(o.means, m)
	if o.Quantile > 0 {
		o.Forecaster.(quantiler).Quantile(o.means, o.Quantile)
	} else {
		o.Forecaster.Forecast(o.means)
	}
	if !o.curve() {
		o.demand = grow.Zero(o.demand, m*o.k)
		return nil
	}
	o.demand = o.demand[:0]
	carry := 0.0
	for i, f := range o.means {
		if f != f {
			return badInput("Forecaster", i, reserve.ErrRange, "the forecast is not a number")
		}
		f = max(0, f)
		for _, s := range o.shape {
			x := f*s + carry
			if !(x < math.MaxInt32) {
				return badInput("Forecaster", i, reserve.ErrRange, "a mean of %.3g instances is forecast: want a plan for at most %d; damp or cap the trend", f, math.MaxInt32)
			}
			d := math.Floor(x + .5)
			o.demand = append(o.demand, int(max(0, d)))
			carry = x - max(0, d)
		}
	}
	return nil
}

// mostPaths bounds Online.Paths: more futures change a plan by less than the parts of a
// load-duration curve do.
const mostPaths = 10_000

// imagine makes the demand to plan for from futures of the mean. Within an interval only the
// expected load-duration curve counts (see online.go). The curve that several futures expect is the
// curve of all their demands together. So imagine sorts the demands of an interval on all futures,
// splits them into as many groups as there are parts, and takes the mean of each group.
func (o *Online) imagine() error {
	m, paths := o.ahead, o.Paths
	for len(o.futures) < paths {
		o.futures = append(o.futures, nil)
	}
	for i := range paths {
		o.futures[i] = grow.To(o.futures[i], m)
	}
	if o.rng == nil {
		o.rng = rand.New(&o.source)
	}
	o.source.Seed(o.Seed, uint64(o.seen))
	o.Forecaster.(pather).Paths(o.futures[:paths], o.rng)
	if !o.curve() {
		o.demand = grow.Zero(o.demand, m*o.k)
		return nil
	}
	o.demand = o.demand[:0]
	o.means = grow.Zero(o.means, m)
	carry := 0.0
	for i := range m {
		o.values = o.values[:0]
		for _, future := range o.futures[:paths] {
			f := future[i]
			if f != f {
				return badInput("Forecaster", i, reserve.ErrRange, "a path is not a number")
			}
			if !(f*o.shape[0] < math.MaxInt32) {
				return badInput("Forecaster", i, reserve.ErrRange, "a mean of %.3g instances is on a path: want a plan for at most %d; damp or cap the trend", f, math.MaxInt32)
			}
			o.means[i] += max(0, f) / float64(paths)
			for _, s := range o.shape {
				o.values = append(o.values, max(0, f)*s)
			}
		}
		slices.Sort(o.values)
		for b := o.k - 1; b >= 0; b-- {
			x := carry
			for _, v := range o.values[b*paths : (b+1)*paths] {
				x += v / float64(paths)
			}
			d := max(0, math.Floor(x+.5))
			o.demand = append(o.demand, int(d))
			carry = x - d
		}
	}
	return nil
}

// curve makes the shape of the load-duration curve. It reports false if there was no
// demand.
func (o *Online) curve() bool {
	o.sorted = append(o.sorted[:0], o.recent...)
	slices.Sort(o.sorted)
	n := len(o.sorted)
	total := 0.0
	for _, d := range o.sorted {
		total += float64(d)
	}
	o.shape = o.shape[:0]
	if total == 0 {
		return false
	}
	// Part b has the values from place b·n/k to (b+1)·n/k, those at the ends in
	// part. All is in units of 1/k of a place, which are whole.
	for b := range o.k {
		sum := 0.0
		for x, end := b*n, (b+1)*n; x < end; {
			i := x / o.k
			next := min(end, (i+1)*o.k)
			sum += float64(next-x) * float64(o.sorted[n-1-i])
			x = next
		}
		o.shape = append(o.shape, sum/total)
	}
	return true
}

func (o *Online) window() int {
	if o.Window == 0 {
		return defaultWindow
	}
	return o.Window
}

// ready reports whether the portfolio may buy now.
func (o *Online) ready() bool {
	if len(o.terms) == 0 || len(o.recent) == 0 {
		return false
	}
	if f, ok := o.Forecaster.(readier); ok && !f.Ready() {
		return false
	}
	if o.Alarm > 0 && math.Abs(o.Forecaster.(signaller).TrackingSignal()) > o.Alarm {
		return false
	}
	return true
}

// Next returns the mean demand that o plans for in the next interval: the forecast, or
// its Quantile. It is NaN before Reset, and while the forecaster is not ready.
func (o *Online) Next() float64 {
	if f, ok := o.Forecaster.(readier); o.every == 0 || ok && !f.Ready() {
		return math.NaN()
	}
	o.means = slices.Grow(o.means[:0], 1)[:1]
	if o.Quantile > 0 {
		o.Forecaster.(quantiler).Quantile(o.means, o.Quantile)
	} else {
		o.Forecaster.Forecast(o.means)
	}
	return o.means[0]
}
