package perfmodel

import "math"

// LeaveOneOutTo puts into dst what each row's residual is when the model is fitted
// without that row: e_i/(1−h_i). It is +Inf where the other rows do not determine
// the coefficients.
func (r *Regression) LeaveOneOutTo(dst []float64) []float64 {
	if len(dst) != r.Rows {
		panic("perfmodel: length of dst is not the number of rows")
	}
	for i, e := range r.Residuals {
		if r.slack[i] <= r.tol {
			dst[i] = math.Inf(1)
			continue
		}
		dst[i] = e / r.slack[i]
	}
	return dst
}

// PRESS returns the sum of squares of the residuals of [Regression.LeaveOneOutTo].
func (r *Regression) PRESS() float64 {
	sum := 0.0
	for i, e := range r.Residuals {
		if r.slack[i] <= r.tol {
			return math.Inf(1)
		}
		t := e / r.slack[i]
		sum += t * t
	}
	return sum
}
