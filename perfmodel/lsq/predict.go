package lsq

import "math"

// Predict returns the value of the model at a row of x, without the 1 of an intercept.
// It panics if the length of row is not the number of columns of x. Time: O(Cols).
func (r *Regression) Predict(row []float64) float64 {
	first := r.first()
	if len(row) != r.Cols-first {
		panic("lsq: length of row is not the number of columns")
	}
	// Terms may be much larger than their sum, so rounding errors are summed, too.
	var s, c float64
	for j := range r.Cols {
		v := 1.0
		if j >= first {
			v = row[j-first]
		}
		p := float64(r.Coef[j] * v)
		e := math.FMA(r.coefLo[j], v, math.FMA(r.Coef[j], v, -p))
		t := s + p
		z := t - s
		c += ((s - (t - z)) + (p - z)) + e
		s = t
	}
	return s + c
}

// LeverageAt returns the leverage h of a row of x: the variance of the model's value at that row is
// Sigma²·h, and the variance of a new observation is Sigma²·(1 + h). At a row of the data, h is
// that row's [Regression.Leverage]. If the leverage of a row is above the largest leverage in the
// data, the row lies outside the data in some direction. The relative error of h is about
// Condition·2⁻⁵². LeverageAt panics if the length of row is not the number of columns of x. Time:
// O(Cols²).
func (r *Regression) LeverageAt(row []float64) float64 {
	first := r.first()
	if len(row) != r.Cols-first {
		panic("lsq: length of row is not the number of columns")
	}
	h := 0.0
	for k := range r.Cols {
		t := 0.0
		for i, u := range r.u[triangle(k):][:k+1] {
			if i < first {
				t += u
			} else {
				t += float64(u * (row[i-first] * r.down[i]))
			}
		}
		h += float64(t * t)
	}
	return h
}

// PredictLeverage returns [Regression.Predict] and [Regression.LeverageAt] of a row.
func (r *Regression) PredictLeverage(row []float64) (value, leverage float64) {
	return r.Predict(row), r.LeverageAt(row)
}

// Interval returns the value of the model at a row of x, and the ends low and high of the interval
//
//	value ± t·Sigma·√(1 + [Regression.LeverageAt])
//
// A variable with Student's t distribution and DF degrees of freedom is between −t and t with
// probability level. If the model is right, and the errors of observations are independent and
// normal with one variance, the interval contains a new observation with probability level. The
// interval is on the scale of y. If DF is 0, the interval is from −Inf to +Inf. Interval panics as
// [Regression.Predict] does, and unless level is between 0 and 1.
func (r *Regression) Interval(row []float64, level float64) (value, low, high float64) {
	if !(level > 0 && level < 1) {
		panic("lsq: level is not between 0 and 1")
	}
	value, h := r.PredictLeverage(row)
	half := math.Inf(1)
	if r.DF > 0 {
		half = TQuantile(level, float64(r.DF)) * r.Sigma * math.Sqrt(1+h)
	}
	return value, value - half, value + half
}
