package smoothing

import (
	"cmp"
	"math"
)

// A blend is the mean of two damped trends, Near and Far. Both are fitted to the last 208 values,
// four years of weeks. Of the models without a season that were tried on the 359 weekly series of
// the M4 competition, blend is the best: see package forecast.
//
// Near is quick: its fit minimises the errors one step ahead. Near has a trend only if Akaike's
// criterion prefers the trend; otherwise Near is [Simple]. Near tends to follow a passing trend too
// far, since the next step says little about a trend.
//
// Far is careful: its fit minimises the errors 1 to blendSteps steps ahead. Far is slow to see a
// change. Near and Far make different errors, so their mean is better than each. A series of less
// than forty values is too short for Far, and Far is then equal to Near.
//
// On a steady straight line, damping is wrong, and the models holt and drift are better.
type blend struct {
	Near Holt `json:"near"` // fitted to one-step errors
	Far  Holt `json:"far"`  // fitted to errors of blendSteps steps
}

// The settings of Fit.
const (
	blendWindow = 208 // four years of weeks; 150 to 300 are as good
	blendSteps  = 10  // of which a series of n values allows n/20
)

// Ready reports whether both models have their start.
func (m *blend) Ready() bool { return m.Near.Ready() && m.Far.Ready() }

func (m *blend) Update(x float64) {
	m.Near.Update(x)
	m.Far.Update(x)
}

func (m *blend) Forecast(dst []float64) {
	a, b := m.Near.walk(), m.Far.walk()
	for i := range dst {
		dst[i] = (a.next() + b.next()) / 2
	}
}

// A trendWalk goes up a damped trend.
type trendWalk struct{ l, b, phi float64 }

func (m *Holt) walk() trendWalk { return trendWalk{m.Level, m.Trend, damping(m.Phi)} }

func (w *trendWalk) next() float64 {
	w.b *= w.phi
	w.l += w.b
	return w.l
}

// Fit fits both models to the last blendWindow values, and Far to the errors up to blendSteps
// steps ahead unless f has Steps, see [Model]. Fit wants three values.
func (m *blend) Fit(f *Fitter, series []float64) (Fit, error) {
	if err := cmp.Or(f.Validate(), CheckSeries(series)); err != nil {
		return Fit{}, err
	}
	steps := f.Steps
	defer func() { f.Steps = steps }()
	f.Steps = 1
	part, err := f.Cut(series[max(0, len(series)-blendWindow):], m.Least())
	if err != nil {
		return Fit{}, err
	}
	n := known(part)
	x, s, _, err := f.fit(kindSimple, part)
	if err != nil {
		return Fit{}, err
	}
	near := Holt{Alpha: x[0], motion: motion{Level: s[0], N: 2}}
	evals, free := f.evals, kindSimple.free()
	if n > kindDamped.free()+1 {
		simple := f.value(&x)
		x, s, _, err = f.fit(kindDamped, part)
		if err != nil {
			return Fit{}, err
		}
		evals += f.evals
		if aicc(f.value(&x), n, kindDamped.free()+1) < aicc(simple, n, kindSimple.free()+1) {
			near = Holt{Alpha: x[0], Beta: x[1], Phi: x[2], motion: motion{Level: s[0], Trend: s[1], N: 2}}
			free = kindDamped.free()
		}
	}
	far := near
	if f.Steps = min(cmp.Or(steps, blendSteps), n/20); f.Steps > 1 {
		x, s, _, err = f.fit(kindDamped, part)
		if err != nil {
			return Fit{}, err
		}
		evals += f.evals
		far = Holt{Alpha: x[0], Beta: x[1], Phi: x[2], motion: motion{Level: s[0], Trend: s[1], N: 2}}
		free = kindDamped.free()
	}
	f.evals = evals
	*m = blend{near, far}
	fit := f.replay(m, part, free)
	m.Near.N, m.Far.N = fit.N, fit.N
	return fit, nil
}

// aicc returns Akaike's criterion with the correction for small samples, for n
// errors of a mean square and k fitted parameters, their variance among them.
func aicc(square float64, n, k int) float64 {
	if n <= k+1 {
		return math.Inf(1)
	}
	return float64(n)*math.Log(square) + 2*float64(k*n)/float64(n-k-1)
}

func (m *blend) Validate() error {
	return cmp.Or(m.Near.Validate(), m.Far.Validate())
}

// Deviate is the mean of the deviations of the two trends, see [Model].
func (m *blend) Deviate(dst []float64) {
	p, q := damping(m.Near.Phi), damping(m.Far.Phi)
	var l, b, k, c float64
	for i, e := range dst {
		b *= p
		c *= q
		l += b
		k += c
		dst[i] = (l+k)/2 + e
		l += m.Near.Alpha * e
		b += m.Near.Alpha * m.Near.Beta * e
		k += m.Far.Alpha * e
		c += m.Far.Alpha * m.Far.Beta * e
	}
}

func (m *blend) Least() int { return kindSimple.free() + 1 } // then it is one
