package forecast

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// Defaults of [Rolling].
const (
	DefaultEvery = 13  // a quarter of a year of weeks
	defaultKeep  = 208 // four years of weeks
	defaultLeast = 26

	// startAlpha is the factor of the model before the first fit: half of its weight
	// is on the last quarter of a year of weeks.
	startAlpha = 0.05
)

// A Rolling is a [Predictor] that fits its model again from time to time, for streams that go on
// for years. A Rolling keeps the last Keep observations. It fits the model to them after every
// Every observations, and updates the model in between. Set Predictor.Model before use.
//
// Until the first fit, the field Start makes the forecasts, by simple exponential smoothing. A
// model with a trend would take its first trend from the first two observations. From one week to
// the next, demands have more noise than trend, so such a trend is worse than none. For example,
// the online portfolio of package reserve buys for three years from the first weeks on. On six job
// logs, the portfolio paid 21% more than the optimum if the model Blend forecast from the first
// week on, and 4% more with Start.
//
// The tracking signal comes from the errors of the forecasts that were made. A fit does not reset
// the signal, and does not replace these errors by the errors of the fit, which are smaller and
// have no bias. So a fit does not end an alarm. The alarm ends when errors no longer point one way.
//
// A model with a season needs a Keep of two seasons or more. For hourly observations with a season
// of a week, set Keep to 336 to 1344 (2 to 8 weeks), and Every to 24 or 168. A fit of Blend to 208
// weeks takes about a millisecond. The JSON form includes the observations, with null for a missing
// observation. A Rolling read from JSON continues with exactly the same forecasts.
type Rolling struct {
	Predictor Predictor        `json:"predictor"`
	Fitter    smoothing.Fitter `json:"fitter"`

	Every int `json:"every"` // observations between fits; 0 stands for DefaultEvery
	Keep  int `json:"keep"`  // observations to keep; 0 stands for 208
	Least int `json:"least"` // observations before the first fit; 0 stands for 26

	streamed
}

// streamed is the state of a Rolling.
type streamed struct {
	History history `json:"history"` // the last observations, NaN for a missing one
	Since   int     `json:"since"`   // observations since the last fit
	Fitted  bool    `json:"fitted"`  // there was a fit

	// Start forecasts until the first fit, and is nil after the fit. The first Update sets Start
	// to simple smoothing with startAlpha, and the limits and the signal of Predictor.
	Start *Predictor `json:"start"`
}

// history is a series whose missing values, NaN, are null in JSON.
type history []float64

// MarshalJSON writes NaN as null.
func (h history) MarshalJSON() ([]byte, error) {
	s := make([]*float64, len(h))
	for i := range h {
		if h[i] == h[i] {
			s[i] = &h[i]
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads null as NaN.
func (h *history) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var s []*float64
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	n := make(history, len(s))
	for i, x := range s {
		n[i] = math.NaN()
		if x != nil {
			n[i] = *x
		}
	}
	if err := smoothing.CheckSeries(n); err != nil {
		return err
	}
	*h = n
	return nil
}

// count returns n, or standby where n is not positive.
func count(n, standby int) int {
	if n <= 0 {
		return standby
	}
	return n
}

// Update takes the next observation, see [smoothing.Model], and fits the model when a fit is due. If the
// fit fails, since too many values are missing, the model stays as it is. No fit ever
// succeeds with a Fitter or a Keep that Validate refuses: call Validate once.
func (r *Rolling) Update(x float64) {
	if !usable(x) {
		x = math.NaN()
	}
	keep := count(r.Keep, defaultKeep)
	if n := len(r.History); n >= keep {
		copy(r.History, r.History[n-keep+1:])
		r.History = r.History[:keep-1]
	}
	r.History = append(r.History, x)
	r.Since++
	r.Predictor.Update(x)
	due := r.Since >= count(r.Every, DefaultEvery)
	if !r.Fitted {
		if r.Start == nil {
			r.Start = &Predictor{Model: &smoothing.Simple{Alpha: startAlpha}, Limits: r.Predictor.Limits, Signal: smoothing.Signal{Phi: r.Predictor.Signal.Phi}}
		}
		r.Start.Update(x)
		due = len(r.History) >= min(keep, count(r.Least, defaultLeast))
	}
	if !due {
		return
	}
	peak, signal := r.Predictor.Peak, r.current().Signal
	if _, err := r.Predictor.Fit(&r.Fitter, r.History); err != nil {
		return
	}
	signal.Phi = r.Predictor.Signal.Phi
	r.Predictor.Peak, r.Predictor.Signal = max(r.Predictor.Peak, peak), signal
	r.Since, r.Fitted, r.Start = 0, true, nil
}

// current returns the predictor that forecasts now.
func (r *Rolling) current() *Predictor {
	if r.Fitted || r.Start == nil {
		return &r.Predictor
	}
	return r.Start
}

// Ready reports whether the model that forecasts has its start.
func (r *Rolling) Ready() bool { return r.current().Ready() }

// Forecast sets dst[i] to the forecast i+1 steps ahead, within the limits.
func (r *Rolling) Forecast(dst []float64) { r.current().Forecast(dst) }

// Quantile is [Predictor.Quantile].
func (r *Rolling) Quantile(dst []float64, q float64) { r.current().Quantile(dst, q) }

// Interval is [Predictor.Interval].
func (r *Rolling) Interval(lo, hi []float64, level float64) { r.current().Interval(lo, hi, level) }

// TrackingSignal is [Predictor.TrackingSignal].
func (r *Rolling) TrackingSignal() float64 { return r.current().TrackingSignal() }

// Alarm is [Predictor.Alarm].
func (r *Rolling) Alarm() bool { return r.current().Alarm() }

// Validate returns an *pricing.InputError if a parameter or the state is out of range.
//
// Validate also returns an error if no fit can succeed: options of Fitter out of range, or a model
// that wants more values than Keep.
func (r *Rolling) Validate() error {
	if err := r.validateAround(); err != nil {
		return err
	}
	if r.Start != nil {
		if err := r.Start.Validate(); err != nil {
			return err
		}
	}
	if err := r.Predictor.Validate(); err != nil {
		return err
	}
	if kept, least := count(r.Keep, defaultKeep), r.Predictor.Model.Least(); kept < least {
		return badInput("Keep", -1, ErrShort, "%d values: want at least %d, as the model's fit does", kept, least)
	}
	return nil
}

// validateAround is Validate without predictors.
func (r *Rolling) validateAround() error {
	return cmp.Or(checkCount("Every", r.Every), checkCount("Keep", r.Keep), checkCount("Least", r.Least), checkCount("Since", r.Since),
		smoothing.CheckSeries(r.History), r.Fitter.Validate())
}
