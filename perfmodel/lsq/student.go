package lsq

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// TQuantile returns t with P(|T| ≤ t) = level for Student's t with df degrees of
// freedom. It panics unless level is between 0 and 1, and df at least 1.
func TQuantile(level, df float64) float64 {
	if !(level > 0 && level < 1) {
		panic("lsq: level is not between 0 and 1")
	}
	if !(df >= 1) {
		panic("lsq: less than 1 degree of freedom")
	}
	return tQuantile(level, df)
}

// tQuantile is TQuantile for arguments that were checked: it returns the t for which |T| ≤ t with
// probability level, where T has Student's t distribution with df degrees of freedom.
//
// For 1 and 2 degrees of freedom, tQuantile uses closed forms. Otherwise it computes the quantile
// of the normal distribution, with three terms of the expansion in 1/df [Abramowitz70] 26.7.5. If
// df is at least the constant expansive, 10⁴, that is the result. If df is less, Newton's method
// begins there. Its unknown is log t. If level is at least 1/2, it solves for the given value of
//
//	log P(|T| > t),  P(|T| > t) = I_x(df/2, 1/2),  x = df/(df + t²)
//
// Otherwise it solves for the given value of log P(|T| ≤ t). Both functions are concave in log t.
// So from the second step on, all steps go the same way, and no step goes too far. Newton's method
// ends with a step that changes log t by at most 2⁻⁴⁶, or after 30 steps.
func tQuantile(level, df float64) float64 {
	switch df {
	case 1:
		return math.Tan(level * math.Pi / 2)
	case 2:
		return level * math.Sqrt(2/((1-level)*(1+level)))
	}
	z := math.Sqrt2 * math.Erfinv(level)
	q := z * z
	g1 := (q + 1) / 4
	g2 := ((5*q+16)*q + 3) / 96
	g3 := (((3*q+19)*q+17)*q - 15) / 384
	t := z * (1 + (g1+(g2+g3/df)/df)/df)
	// At 10⁴ degrees of freedom and level 1 − 10⁻⁹, the fourth term is below 10⁻¹².
	const expansive = 1e4
	if df >= expansive {
		return t
	}
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	density := 2 * math.Exp(a-b) / math.Sqrt(df*math.Pi) // of |T| at 0
	// Up to t, the density is between its value at 0 and 1 − t² of it. For so small a level,
	// P(|T| ≤ t) would not be told from 0.
	if t := level / density; t*t < 0x1p-54 {
		return t
	}
	const steps = 30
	for range steps {
		f := density * math.Exp(-(df+1)/2*math.Log1p(t*t/df)) * t
		var step float64
		if level < 0.5 {
			p := mathext.RegIncBeta(0.5, df/2, t*t/(df+t*t))
			step = math.Log(level/p) * p / f
		} else {
			p := mathext.RegIncBeta(df/2, 0.5, df/(df+t*t))
			step = math.Log(p/(1-level)) * p / f
		}
		t *= math.Exp(step)
		if math.Abs(step) <= 0x1p-46 {
			break
		}
	}
	return t
}
