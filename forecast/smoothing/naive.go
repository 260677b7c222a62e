package smoothing

// A naive model forecasts the last observation: the baseline that any other model has to beat,
// and the best forecast of a random walk.
//
// Start: one observation. A missing observation changes nothing.
type naive struct {
	level // the last observation
}

// Ready reports whether there is an observation.
func (m *naive) Ready() bool { return m.N > 0 }

func (m *naive) Update(x float64) {
	if usable(x) {
		m.Level = x
		m.N++
	}
}

func (m *naive) Forecast(dst []float64) { flat(dst, m.Level) }

func (m *naive) Validate() error { return checkState(m.N, 0, m.Level) }

func (m *naive) Deviate(dst []float64) {
	sum := 0.0
	for i, e := range dst {
		sum += e
		dst[i] = sum
	}
}

// Fit takes the last value of the series, see [Model]. Fit wants one value.
func (m *naive) Fit(f *Fitter, series []float64) (Fit, error) {
	return f.run(m, series, func() { *m = naive{} })
}

func (m *naive) Least() int { return 1 }
