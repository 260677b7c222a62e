// Package boxcox has the scale of a model's errors: the transforms of Box and Cox [BoxCox64],
//
//	z = (x^λ − 1)/λ,    z = log x for λ = 0.
//
// Swings and errors that grow with the level become swings and errors of one size. λ = 0 takes
// values above 0, λ in (0, 1) values from 0 on, and λ = 1 leaves any value as it is.
package boxcox

import "math"

// Largest is the largest magnitude of an observation.
const Largest = 1e150

// Of returns λ of a model's errors: 1 unless the model has a method Lambda.
func Of(model any) float64 {
	if l, ok := model.(interface{ Lambda() float64 }); ok {
		return l.Lambda()
	}
	return 1
}

// To returns z of x.
func To(lambda, x float64) float64 {
	switch lambda {
	case 1:
		return x
	case 0:
		return math.Log(x)
	}
	return (math.Pow(x, lambda) - 1) / lambda
}

// From returns x of z, within the range of observations.
func From(lambda, z float64) float64 {
	switch lambda {
	case 1:
		return z
	case 0:
		return min(Largest, math.Exp(z))
	}
	return min(Largest, math.Pow(max(0, lambda*z+1), 1/lambda))
}

// In reports whether the transform takes x.
func In(lambda, x float64) bool {
	return math.Abs(x) <= Largest && (lambda == 1 || x > 0 || x == 0 && lambda > 0)
}

// Error returns the error of a forecast in z, NaN if z has no such error.
func Error(lambda, x, forecast float64) float64 {
	if lambda == 1 {
		return x - forecast
	}
	if !In(lambda, x) || !In(lambda, forecast) {
		return math.NaN()
	}
	return To(lambda, x) - To(lambda, forecast)
}

// Shift moves a forecast by an error in z, and leaves a forecast that z does not have.
func Shift(lambda, forecast, e float64) float64 {
	if e == 0 || !In(lambda, forecast) {
		return forecast
	}
	return From(lambda, To(lambda, forecast)+e)
}
