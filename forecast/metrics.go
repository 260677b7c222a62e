package forecast

import "math"

// The measures compare actual values with forecasts, and follow the M4
// competition [M4]. Pairs with a NaN on either side do not count; without any pair
// a measure is 0. All measures panic if lengths differ, and take O(n) time.
//
// Division by zero: 0/0 is 0, since nothing was wrong; anything else over 0
// is +Inf. So no measure is ever NaN.

// ratio returns a/b as the measures divide.
func ratio(a, b float64) float64 {
	switch {
	case a == 0:
		return 0
	case b == 0:
		return math.Inf(1)
	}
	return a / b
}

func mustMatch(actual, forecast []float64) {
	if len(actual) != len(forecast) {
		panic("forecast: actual and forecast differ in length")
	}
}

// mean returns the mean of f over the pairs.
func mean(actual, forecast []float64, f func(y, p float64) float64) float64 {
	mustMatch(actual, forecast)
	sum, n := 0.0, 0
	for i, y := range actual {
		if p := forecast[i]; y == y && p == p {
			sum += f(y, p)
			n++
		}
	}
	return ratio(sum, float64(n))
}

// MAE returns the mean absolute error.
func MAE(actual, forecast []float64) float64 {
	return mean(actual, forecast, func(y, p float64) float64 { return math.Abs(y - p) })
}

// RMSE returns the root of the mean squared error.
func RMSE(actual, forecast []float64) float64 {
	return math.Sqrt(mean(actual, forecast, func(y, p float64) float64 { return (y - p) * (y - p) }))
}

// Bias returns the mean of forecast less actual, above 0 if forecasts are too high.
func Bias(actual, forecast []float64) float64 {
	return mean(actual, forecast, func(y, p float64) float64 { return p - y })
}

// SMAPE returns the symmetric mean absolute percentage error, the mean of
// 200·|y − p|/(|y| + |p|), from 0 to 200.
func SMAPE(actual, forecast []float64) float64 {
	return mean(actual, forecast, func(y, p float64) float64 {
		return 200 * ratio(math.Abs(y-p), math.Abs(y)+math.Abs(p))
	})
}

// WAPE returns Σ|y − p|/Σ|y|, the error in parts of the actual values.
func WAPE(actual, forecast []float64) float64 {
	return ratio(MAE(actual, forecast), mean(actual, forecast, func(y, p float64) float64 { return math.Abs(y) }))
}

// Scale returns the unit in which MASE measures errors: the mean absolute error of a naive forecast
// of train, the series to which a model was fitted. The naive forecast repeats the value lag steps
// before. With a lag of 0 or 1, it is the naive forecast of textbooks. With the steps of a season
// as lag, it is the seasonal naive forecast. Pairs with a missing value do not count. Scale is 0 if
// the series repeats after lag steps without a change, and for a series of at most lag values.
func Scale(train []float64, lag int) float64 {
	lag = max(1, lag)
	if len(train) <= lag {
		return 0
	}
	return MAE(train[lag:], train[:len(train)-lag])
}

// MASE returns the mean absolute scaled error, the mean absolute error over scale:
// below 1, the forecast errs less over its horizon than the naive forecast does over the lag
// of the scale, see [Scale]. With a scale of 0 MASE is 0 for a forecast without errors and
// infinite for any other.
func MASE(actual, forecast []float64, scale float64) float64 {
	return ratio(MAE(actual, forecast), scale)
}

// Coverage returns the part of the actual values within [lo, hi].
func Coverage(actual, lo, hi []float64) float64 {
	mustMatch(actual, lo)
	mustMatch(actual, hi)
	in, n := 0, 0
	for i, y := range actual {
		if y == y && lo[i] == lo[i] && hi[i] == hi[i] {
			n++
			if lo[i] <= y && y <= hi[i] {
				in++
			}
		}
	}
	return ratio(float64(in), float64(n))
}
