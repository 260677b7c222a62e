package perfmodel

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// studentT returns t with P(|T| ≤ t) = level for Student's t with df ≥ 1 degrees of
// freedom, from the inverse of the incomplete beta function
//
//	P(|T| > t) = I_x(df/2, 1/2),   x = df/(df + t²)
//
// and in closed form for one and two degrees of freedom, where tails are longest.
func studentT(level, df float64) float64 {
	switch df {
	case 1:
		return math.Tan(level * math.Pi / 2)
	case 2:
		return level * math.Sqrt(2/((1-level)*(1+level)))
	}
	x := mathext.InvRegIncBeta(df/2, 0.5, 1-level)
	return math.Sqrt(df * (1 - x) / x)
}
