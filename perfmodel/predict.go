package perfmodel

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Predict returns the value of the model at a row of x, without the 1 of an
// intercept. Columns that were dropped count as the combinations that they are;
// [Regression.CheckEstimable] tells whether the row has that, too.
func (r *Regression) Predict(row []float64) float64 {
	value, _ := r.predict(row)
	return value
}

// PredictLeverage returns the value of the model at a row and the row's leverage
// h: the variance of the value is Sigma²·h, and that of a new observation there
// Sigma²·(1 + h).
func (r *Regression) PredictLeverage(row []float64) (value, leverage float64) {
	value, first := r.predict(row)
	for k := range r.Rank {
		t := 0.0
		for i, u := range r.u[k*(k+1)/2:][:k+1] {
			j := r.kept[i]
			switch {
			case first == 0:
				t += u * row[j]
			case j == 0:
				t += u
			default:
				t += u * row[j-1]
			}
		}
		leverage += t * t
	}
	return value, leverage
}

func (r *Regression) predict(row []float64) (float64, int) {
	first := 0
	if r.Intercept {
		first = 1
	}
	if len(row) != r.Cols-first {
		panic("perfmodel: length of row is not the number of columns")
	}
	var s, c float64
	for _, j := range r.kept {
		v := 1.0
		if j >= first {
			v = row[j-first]
		}
		p := float64(r.Coef[j] * v)
		e := math.FMA(r.Coef[j], v, -p) + float64(r.coefLo[j]*v)
		t := s + p
		z := t - s
		c += ((s - (t - z)) + (p - z)) + e
		s = t
	}
	return s + c, first
}

// A Prediction is a value of the model and an interval around it.
type Prediction struct {
	Value     float64
	Low, High float64 // where a new observation is, at the level asked for
	Leverage  float64
}

// Interval returns the prediction at a row and the interval that has a new
// observation there with the given probability, by Student's t with DF degrees of
// freedom. With DF 0 it is from −Inf to +Inf.
func (r *Regression) Interval(row []float64, level float64) Prediction {
	value, h := r.PredictLeverage(row)
	half := math.Inf(1)
	if r.DF > 0 {
		half = r.TQuantile(level) * r.Sigma * math.Sqrt(1+h)
	}
	return Prediction{value, value - half, value + half, h}
}

// TQuantile returns t such that Student's t with DF degrees of freedom is within
// ±t with the given probability; +Inf if DF is 0.
func (r *Regression) TQuantile(level float64) float64 {
	if !(level > 0 && level < 1) {
		panic("perfmodel: level is not between 0 and 1")
	}
	if r.DF == 0 {
		return math.Inf(1)
	}
	return studentT(level, float64(r.DF))
}

// studentT returns t with P(|T| ≤ t) = level for df degrees of freedom.
func studentT(level, df float64) float64 {
	x := mathext.InvRegIncBeta(df/2, 0.5, 1-level)
	return math.Sqrt(df * (1 - x) / x)
}

// CheckEstimable returns an error unless the value of the model at a row is
// determined by the data: a dropped column must be there the same combination of
// others that it is in the data.
func (r *Regression) CheckEstimable(row []float64) error {
	first := 0
	if r.Intercept {
		first = 1
	}
	at := func(j int) float64 {
		if j < first {
			return 1
		}
		return row[j-first]
	}
	for _, d := range r.Dependencies {
		diff, extent := at(d.Column), math.Abs(at(d.Column))
		for k, j := range d.On {
			diff -= d.Coef[k] * at(j)
			extent += math.Abs(d.Coef[k] * at(j))
		}
		if math.Abs(diff) > r.tol*extent {
			return badInput("row", d.Column-first, ErrNotEstimable, "it is not the combination of others there that it is in the data")
		}
	}
	return nil
}
