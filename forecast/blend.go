package forecast

import "math"

// Blend is the mean of two damped trends, one fitted to the next step and one to
// the next quarter of a year, both to the last four years of weeks: the library's
// default, and the best of those tried on the 359 weekly series of the M4
// competition, see the package documentation.
//
// Least squares of one-step errors asks for the factors that follow the series, and
// over many steps these follow too much; least squares of 1 to 13 steps asks for
// those that last, and is slow to see what is new. Their errors differ, so that the
// mean is better than each.
//
// The zero value is ready for Fit. To stream without a fit, set the factors of Near
// and Far, and Phi of both to a value in (0, 1).
type Blend struct {
	Near Holt `json:"near"` // fitted to one-step errors
	Far  Holt `json:"far"`  // fitted to errors of BlendSteps steps
}

// What [Blend.Fit] uses unless its [Fitter] says otherwise.
const (
	BlendWindow = 208 // four years of weeks; 156 to 260 are as good
	BlendSteps  = 13  // a quarter of a year
)

// Ready reports whether both models have their start.
func (m *Blend) Ready() bool { return m.Near.Ready() && m.Far.Ready() }

// Update takes the next observation, see [Model].
func (m *Blend) Update(x float64) {
	m.Near.Update(x)
	m.Far.Update(x)
}

// Forecast sets dst[i] to the forecast i+1 steps ahead, see [Model].
func (m *Blend) Forecast(dst []float64) {
	a, b := m.Near.walk(), m.Far.walk()
	for i := range dst {
		dst[i] = (a.next() + b.next()) / 2
	}
}

// Spread sets dst[i] to the standard deviation of the forecast i+1 steps ahead, in
// units of that of one-step errors, as if the means of the two models' gains were
// those of one, see [Holt.Spread].
func (m *Blend) Spread(dst []float64) {
	a := trendWalk{m.Near.Alpha, m.Near.Alpha * m.Near.Beta, m.Near.phi()}
	b := trendWalk{m.Far.Alpha, m.Far.Alpha * m.Far.Beta, m.Far.phi()}
	v := 1.0
	for i := range dst {
		dst[i] = math.Sqrt(v)
		c := (a.next() + b.next()) / 2
		v += c * c
	}
}

// A trendWalk goes up a damped trend.
type trendWalk struct{ l, b, phi float64 }

func (m *Holt) walk() trendWalk { return trendWalk{m.Level, m.Trend, m.phi()} }

func (w *trendWalk) next() float64 {
	w.b *= w.phi
	w.l += w.b
	return w.l
}

// Fit fits both models, to the last BlendWindow values and up to BlendSteps steps
// unless f has a Window or Steps, see [Fittable]. It wants six values.
func (m *Blend) Fit(f *Fitter, series []float64) (Fit, error) {
	window, steps := f.Window, f.Steps
	defer func() { f.Window, f.Steps = window, steps }()
	if window <= 0 {
		f.Window = BlendWindow
	}
	far := steps
	if far <= 0 {
		far = BlendSteps
	}
	n := Blend{Holt{Phi: .9}, Holt{Phi: .9}}
	f.Steps = 1
	fit, err := n.Near.Fit(f, series)
	if err != nil {
		return fit, err
	}
	f.kept = append(f.kept[:0], f.resid...)
	f.Steps = far
	second, err := n.Far.Fit(f, series)
	if err != nil {
		return fit, err
	}
	fit.SSE = 0
	fit.Evaluations += second.Evaluations
	for i, e := range f.kept {
		e = (e + f.resid[i]) / 2
		f.resid[i] = e
		if e == e {
			fit.SSE += e * e
		}
	}
	*m = n
	return fit, nil
}

// Check returns an [*InputError] if a factor or the state is out of range.
func (m *Blend) Check() error {
	if err := m.Near.Check(); err != nil {
		return err
	}
	return m.Far.Check()
}
