package rules

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Advance takes the demand from the start of the series to now, and appends to dst what
// to buy now, as [Online.Observe] does. It learns every whole interval that o has not
// seen, and buys at the end of the last of them alone. A program that runs once a week
// calls Advance with all that it has, after UnmarshalJSON of last week's state.
//
// The slots of an interval that has not ended are not used. If no interval has ended
// since the last call, nothing is bought. The demand of intervals that o has seen is
// not compared with what o saw. Panics and errors are those of Observe; after an error
// [Online.Seen] is the interval that failed, or one more if its plan failed.
func (o *Online) Advance(dst []pricing.Purchase, demand []int) ([]pricing.Purchase, error) {
	if o.every == 0 {
		panic("rules: Advance before a Reset that succeeded")
	}
	for last := len(demand)/o.every - 1; o.seen <= last; {
		interval := demand[o.seen*o.every : (o.seen+1)*o.every]
		if o.seen == last {
			return o.Observe(dst, interval)
		}
		if err := o.Learn(interval); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// Seen returns how many intervals o has seen since Reset.
func (o *Online) Seen() int { return o.seen }

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
