package forecast

import (
	"encoding/json"
	"math"
)

// Defaults of [Rolling].
const (
	DefaultEvery = 13  // a quarter of a year of weeks
	DefaultKeep  = 208 // four years of weeks
	DefaultLeast = 26

	// StartAlpha is the factor of the model before the first fit, half of whose weight
	// is on the last quarter of a year of weeks.
	StartAlpha = 0.05
)

// Rolling is a [Predictor] that fits itself again from time to time, for streams
// that go on for years: it keeps the last observations and, every so many, fits
// the model to them. In between it updates. Its zero value needs a Predictor.Model.
//
// Until the first fit the model goes on with the factors that it was given, for
// which those of [New] are meant; a zero value would draw a line through the first
// two observations.
//
// A fit of 208 weeks takes about a millisecond, see the benchmarks. The JSON form has
// the observations in it, null for a missing one, and resumes to the bit. Check what
// was read from elsewhere.
type Rolling struct {
	Predictor Predictor `json:"predictor"`
	Fitter    Fitter    `json:"fitter"`

	Every int `json:"every,omitempty"` // observations between fits; 0 stands for DefaultEvery
	Keep  int `json:"keep,omitempty"`  // observations to keep; 0 stands for DefaultKeep
	Least int `json:"least,omitempty"` // observations before the first fit; 0 stands for DefaultLeast

	History History `json:"history"` // the last observations, NaN for a missing one
	Since   int     `json:"since"`   // observations since the last fit
	Fitted  bool    `json:"fitted"`  // there was a fit

	// Start forecasts until there is a fit, and is nil after it. If nil before, the
	// first Update makes it: [Simple] with StartAlpha, and the limits and the signal of
	// Predictor.
	Start *Predictor `json:"start,omitempty"`
}

// History is a series whose missing values, NaN, are null in JSON.
type History []float64

// MarshalJSON writes NaN as null.
func (h History) MarshalJSON() ([]byte, error) {
	s := make([]*float64, len(h))
	for i := range h {
		if h[i] == h[i] {
			s[i] = &h[i]
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads null as NaN.
func (h *History) UnmarshalJSON(data []byte) error {
	var s []*float64
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*h = make(History, len(s))
	for i, x := range s {
		(*h)[i] = math.NaN()
		if x != nil {
			(*h)[i] = *x
		}
	}
	return CheckSeries(*h)
}

// count returns n, or standby where n is not positive.
func count(n, standby int) int {
	if n <= 0 {
		return standby
	}
	return n
}

// Update takes the next observation, see [Model], and fits if it is time to. A
// model that cannot be fitted to what there is, since too much of it is missing, goes
// on as it is.
func (r *Rolling) Update(x float64) {
	if !usable(x) {
		x = math.NaN()
	}
	keep := count(r.Keep, DefaultKeep)
	if n := len(r.History); n >= keep {
		copy(r.History, r.History[n-keep+1:])
		r.History = r.History[:keep-1]
	}
	r.History = append(r.History, x)
	r.Since++
	due := r.Since >= count(r.Every, DefaultEvery)
	if !r.Fitted {
		due = len(r.History) >= min(keep, count(r.Least, DefaultLeast))
	}
	if due {
		peak := r.Predictor.Peak
		if _, err := r.Predictor.Fit(&r.Fitter, r.History); err == nil {
			r.Predictor.Peak = max(r.Predictor.Peak, peak)
			r.Since, r.Fitted, r.Start = 0, true, nil
			return
		}
	}
	r.Predictor.Update(x)
	if r.Fitted {
		return
	}
	if r.Start == nil {
		r.Start = &Predictor{Model: &Simple{Alpha: StartAlpha}, Limits: r.Predictor.Limits, Signal: Signal{Phi: r.Predictor.Signal.Phi}}
	}
	r.Start.Update(x)
}

// current is what forecasts now.
func (r *Rolling) current() *Predictor {
	if r.Fitted || r.Start == nil {
		return &r.Predictor
	}
	return r.Start
}

// Ready reports whether what forecasts has its start.
func (r *Rolling) Ready() bool { return r.current().Ready() }

// Forecast sets dst[i] to the forecast i+1 steps ahead, within the limits.
func (r *Rolling) Forecast(dst []float64) { r.current().Forecast(dst) }

// Quantile is [Predictor.Quantile].
func (r *Rolling) Quantile(dst []float64, q float64) { r.current().Quantile(dst, q) }

// Interval is [Predictor.Interval].
func (r *Rolling) Interval(lo, hi []float64, level float64) { r.current().Interval(lo, hi, level) }

// TrackingSignal is [Predictor.TrackingSignal].
func (r *Rolling) TrackingSignal() float64 { return r.current().TrackingSignal() }

// Check returns an [*InputError] if a parameter or the state is out of range.
func (r *Rolling) Check() error {
	if err := CheckSeries(r.History); err != nil {
		return err
	}
	if r.Since < 0 {
		return badInput("Since", -1, ErrFactor, "%d observations: counts are not negative", r.Since)
	}
	if err := r.Fitter.Check(); err != nil {
		return err
	}
	if r.Start != nil {
		if err := r.Start.Check(); err != nil {
			return err
		}
	}
	return r.Predictor.Check()
}
