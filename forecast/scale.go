package forecast

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// toScale returns z of x.
func toScale(lambda, x float64) float64 {
	switch lambda {
	case 1:
		return x
	case 0:
		return math.Log(x)
	}
	return (math.Pow(x, lambda) - 1) / lambda
}

// fromScale returns x of z, within the range of observations.
func fromScale(lambda, z float64) float64 {
	switch lambda {
	case 1:
		return z
	case 0:
		return min(Largest, math.Exp(z))
	}
	return min(Largest, math.Pow(max(0, lambda*z+1), 1/lambda))
}

// inScale reports whether the transform takes x.
func inScale(lambda, x float64) bool {
	return usable(x) && (lambda == 1 || x > 0 || x == 0 && lambda > 0)
}

// linked is a model whose errors are of one size in a scale of their own.
type linked interface{ Lambda() float64 }

// lambdaOf returns the scale of a model's errors.
func lambdaOf(m Model) float64 {
	if l, ok := m.(linked); ok {
		return l.Lambda()
	}
	return 1
}

// transform returns z of a series.
func transform(dst, series []float64, lambda float64) []float64 {
	dst = grow.To(dst, len(series))
	for i, x := range series {
		dst[i] = x
		if x == x {
			dst[i] = toScale(lambda, x)
		}
	}
	return dst
}
