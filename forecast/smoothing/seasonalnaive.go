package smoothing

import (
	"cmp"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// SeasonalNaive is a model that forecasts the value of Period steps before, and so repeats the last
// season. It is the baseline of every model with a season.
//
// Start: a whole season. Until then forecasts are the last observation. In the place of a missing
// observation, the model keeps the value of the season before. In the first season, it keeps the
// last observation there. With a Period of 0 or 1 the forecast is the last observation.
//
// A copy of the model shares its season.
type SeasonalNaive struct {
	Period int `json:"period"` // steps of a season
	cycle
}

// A cycle is the state of SeasonalNaive.
type cycle struct {
	Season []float64 `json:"season"` // the last observation at each phase, made by Update
	At     int       `json:"at"`     // the phase of the next observation
	Level  float64   `json:"level"`  // the last observation
	Seen   int       `json:"seen"`   // steps seen, a season at most
	N      int       `json:"n"`      // observations taken, without missing ones
}

// Ready reports whether there is a whole season.
func (m *SeasonalNaive) Ready() bool { return m.N > 0 && m.Seen >= len(m.Season) }

// Update takes the next observation, see [Model].
func (m *SeasonalNaive) Update(x float64) {
	if n := max(1, m.Period); len(m.Season) != n {
		m.Season, m.At, m.Seen = grow.Zero(m.Season, n), 0, 0
	}
	switch {
	case usable(x):
		m.Season[m.At], m.Level = x, x
		m.N++
	case m.N == 0:
		return
	case m.Seen < len(m.Season):
		m.Season[m.At] = m.Level
	}
	m.Seen = min(m.Seen+1, len(m.Season))
	m.At = after(m.At, len(m.Season))
}

// Forecast repeats the last season, see [Model].
func (m *SeasonalNaive) Forecast(dst []float64) {
	if !m.Ready() {
		flat(dst, m.Level)
		return
	}
	at := m.At
	for i := range dst {
		dst[i] = m.Season[at]
		at = after(at, len(m.Season))
	}
}

// Deviate replaces errors by what they add to the forecasts, see [Model].
func (m *SeasonalNaive) Deviate(dst []float64) {
	p := max(1, m.Period)
	for i := p; i < len(dst); i++ {
		dst[i] += dst[i-p]
	}
}

// Validate returns a *pricing.InputError if the period or the state is out of range.
func (m *SeasonalNaive) Validate() error {
	return cmp.Or(checkPeriod("Period", m.Period), checkRing("Season", m.Season, max(1, m.Period), m.At, m.Seen, m.N), checkState(m.N, 0, m.Level))
}

// Fit takes the last season of the series, see [Model]. The period is that of f, else
// found, see [Fitter.Periods]. Fit wants one value.
func (m *SeasonalNaive) Fit(f *Fitter, series []float64) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	period, _ := f.offered(series, none)
	*m = SeasonalNaive{Period: period, cycle: cycle{Season: m.Season[:0]}}
	fit := f.replay(m, series, 0)
	fit.Unseasoned = len(series) < period
	return fit, nil
}

// Least returns how many values Fit wants.
func (m *SeasonalNaive) Least() int { return 1 }
