package reserve

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// start makes the mixture the best plan alone.
func (f *front) start(risk float64) {
	f.theta = f.theta[:0]
	for _, c := range f.plans {
		x := 0.0
		if slices.Equal(c.purchases, f.best.Purchases) {
			x = 1
			copy(f.mixing, c.costs)
		}
		f.theta = append(f.theta, x)
	}
}

// worth returns the slope of the smoothed value at costs, along a direction of costs.
func (f *front) worth(costs, direction []float64, risk, soft float64) (slope float64) {
	f.share(costs, soft)
	for i, w := range f.weights {
		slope += direction[i] * ((1-risk)*float64(w)/float64(f.parts) + risk*f.target[i]/float64(f.grain))
	}
	return slope
}

// correct finds the mixture of the plans with the least smoothed value. In each step correct
// weights the paths by the smoothed worst share of the mixture. It moves weight from the plan of
// the mixture that costs most to the plan that costs least, as far as that lowers the value. At
// the end target has the smoothed worst share of the mixture.
func (f *front) correct(risk, soft float64) {
	step := make([]float64, len(f.mixing))
	for range 20 + 4*len(f.plans) {
		f.share(f.mixing, soft)
		from, to := -1, -1
		high, low := math.Inf(-1), math.Inf(1)
		for k, c := range f.plans {
			cost := 0.0
			for i, w := range f.weights {
				cost += c.costs[i] * ((1-risk)*float64(w)/float64(f.parts) + risk*f.target[i]/float64(f.grain))
			}
			if f.theta[k] > 0 && cost > high {
				from, high = k, cost
			}
			if cost < low {
				to, low = k, cost
			}
		}
		if from < 0 || high-low <= 1e-10*math.Abs(high) {
			return
		}
		for i := range step {
			step[i] = f.plans[to].costs[i] - f.plans[from].costs[i]
		}
		slope := func(x float64) float64 {
			for i := range step {
				f.along[i] = f.mixing[i] + x*step[i]
			}
			return f.worth(f.along, step, risk, soft)
		}
		lo, hi := 0.0, f.theta[from]
		if slope(hi) > 0 {
			for range 24 {
				if mid := (lo + hi) / 2; slope(mid) > 0 {
					hi = mid
				} else {
					lo = mid
				}
			}
		}
		f.theta[from] -= hi
		f.theta[to] += hi
		for i := range step {
			f.mixing[i] += hi * step[i]
		}
	}
	f.share(f.mixing, soft)
}

// mixed returns the value of the mixture, not smoothed.
func (f *front) mixed(risk float64) float64 {
	copy(f.costs, f.mixing)
	mean := 0.0
	for i, c := range f.costs {
		mean += c * float64(f.weights[i]) / float64(f.parts)
	}
	return (1-risk)*mean + risk*f.tail()
}

// mixture returns how many reservations the mixture has at each place.
func (f *front) mixture() map[spot]float64 {
	sum := map[spot]float64{}
	for k, c := range f.plans {
		if f.theta[k] > 0 {
			for _, b := range c.purchases {
				sum[spot{b.Slot, b.Class}] += f.theta[k] * float64(b.Count)
			}
		}
	}
	return sum
}

// places returns where the mixture has purchases, by slot and class.
func places(sum map[spot]float64) (keys []spot) {
	for k := range sum {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b spot) int { return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.class, b.class)) })
	return keys
}

// A spot is the slot and class of a purchase.
type spot struct{ slot, class int }

// whole returns the mixture in whole numbers. For each class, the purchases up to any slot sum to
// those of the mixture within one half, unless a cap is lower.
func (f *front) whole() (list []pricing.Purchase) {
	sum := f.mixture()
	carry := make([]float64, len(f.p.Prices.Classes))
	for _, k := range places(sum) {
		x := sum[k] + carry[k.class]
		count := math.Floor(x + .5)
		if limit, _ := f.p.most(k.class); limit > 0 {
			count = min(count, float64(limit))
		}
		carry[k.class] = x - count
		if count > 0 {
			list = append(list, pricing.Purchase{Slot: k.slot, Class: k.class, Count: int(count)})
		}
	}
	return list
}
