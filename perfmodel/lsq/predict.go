package lsq

import "math"

// Predict returns the value of the model at a row of x, without the 1 of an intercept.
// Dropped columns are ignored: [Regression.CheckEstimable] says whether they matter. It
// panics if the length of row is not the number of columns of x. Time: O(Cols).
func (r *Regression) Predict(row []float64) float64 {
	first := r.first()
	if len(row) != r.Cols-first {
		panic("lsq: length of row is not the number of columns")
	}
	// Terms may be much larger than their sum, so rounding errors are summed, too.
	var s, c float64
	for _, j := range r.kept {
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

// LeverageAt returns the leverage h of a row of x. The variance of the model's value
// there is Sigma²·h, and the variance of a new observation is Sigma²·(1 + h). At a row
// of the data, h is that row's [Regression.Leverage]. A row with a leverage above the
// largest of these lies outside the data in some direction. The relative error is about
// Condition·2⁻⁵². It panics if the length of row is not the number of columns of x.
// Time: O(Cols²).
func (r *Regression) LeverageAt(row []float64) float64 {
	first := r.first()
	if len(row) != r.Cols-first {
		panic("lsq: length of row is not the number of columns")
	}
	h := 0.0
	for k := range r.kept {
		u := r.u[triangle(k):][:k+1]
		t := 0.0
		for i, j := range r.kept[:k+1] {
			if j < first {
				t += u[i]
			} else {
				t += float64(u[i] * (row[j-first] * r.down[i]))
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

// Interval returns the value of the model at a row of x, and the interval
//
//	value ± t·Sigma·√(1 + [Regression.LeverageAt])
//
// where Student's t with DF degrees of freedom is between −t and t with probability level. The interval contains a new observation
// with probability level, if the model is right and the errors of observations are
// independent and normal with one variance. It is on the scale of y. If DF is 0, it is
// from −Inf to +Inf. Interval panics as [Regression.Predict] does, and
// unless level is between 0 and 1.
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

// CheckEstimable returns an error, [ErrNotEstimable], unless the data determine the
// value of the model at a row of x. Each dropped column must be the same combination of
// other columns at the row as in the data. For example, if iterations were 15 in all
// runs, the column was dropped beside the intercept, and nothing is known of 75
// iterations. If no column was dropped, CheckEstimable returns nil for any row.
//
// A dropped column may differ from its combination by rounding. The limit at the row is the
// limit in the data times the root of the row's leverage, since the coefficients of the
// combination are that uncertain at the row. CheckEstimable panics if the length of row is not
// the number of columns of x.
func (r *Regression) CheckEstimable(row []float64) error {
	first := r.first()
	if len(row) != r.Cols-first {
		panic("lsq: length of row is not the number of columns")
	}
	if len(r.Dependencies) == 0 {
		return nil
	}
	at := func(j int) float64 {
		if j < first {
			return 1
		}
		return row[j-first]
	}
	root := math.Sqrt(r.LeverageAt(row))
	for i, d := range r.Dependencies {
		v := at(d.Column)
		sum := 0.0
		for k, j := range d.On {
			sum += float64(d.Coef[k] * at(j))
		}
		if !(math.Abs(v-sum) <= r.limit[i]*root) {
			return badInput("row", d.Column-first, ErrNotEstimable,
				"it is %.12g here: want %.12g, by its relation to other columns in the data", v, sum)
		}
	}
	return nil
}
