package smoothing

import (
	"cmp"
	"math"
)

// A drift is a model that forecasts along the straight line through the first and the last
// observation. For a random walk, this line has the mean step of the past.
//
// Start: after one observation the forecast is that observation. After a missing observation,
// forecasts are one step further along the line.
type drift struct {
	First float64 `json:"first"` // the first observation
	Last  float64 `json:"last"`  // the last observation
	Steps int     `json:"steps"` // from the first to the last
	Gap   int     `json:"gap"`   // missing ones since the last
	N     int     `json:"n"`     // observations taken, without missing ones
}

// Ready reports whether there are two observations.
func (m *drift) Ready() bool { return m.N > 1 }

func (m *drift) Update(x float64) {
	switch {
	case !usable(x):
		if m.N > 0 {
			m.Gap++
		}
		return
	case m.N == 0:
		m.First = x
	default:
		m.Steps += m.Gap + 1
	}
	m.Last, m.Gap = x, 0
	m.N++
}

// slope returns the mean step.
func (m *drift) slope() float64 {
	if m.Steps <= 0 {
		return 0
	}
	return (m.Last - m.First) / float64(m.Steps)
}

func (m *drift) Forecast(dst []float64) {
	b := m.slope()
	for i := range dst {
		dst[i] = m.Last + float64(m.Gap+i+1)*b
	}
}

// Spread sets dst[i] to the standard deviation of the forecast i+1 steps ahead, in
// units of the standard deviation of a step: √(h·(1 + h/T)) for h steps after T. The second
// part is there because the mean step is an estimate.
func (m *drift) Spread(dst []float64) {
	for i := range dst {
		h := float64(i + 1)
		v := h
		if m.Steps > 0 {
			v += h * h / float64(m.Steps)
		}
		dst[i] = math.Sqrt(v)
	}
}

func (m *drift) Validate() error {
	return cmp.Or(checkCount("Steps", m.Steps, mostCount), checkCount("Gap", m.Gap, mostCount), checkState(m.N, 0, m.First, m.Last))
}

// Deviate leaves out that the slope is an estimate, which Spread has.
func (m *drift) Deviate(dst []float64) { new(naive).Deviate(dst) }

// Fit takes the line through the series, see [Model]. Fit wants two values.
func (m *drift) Fit(f *Fitter, series []float64) (Fit, error) {
	return f.run(m, series, func() { *m = drift{} })
}

func (m *drift) Least() int { return 2 }
