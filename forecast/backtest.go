package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Defaults of [Backtester].
const (
	DefaultOrigins = 5
	defaultLevel   = 0.95
)

// Backtester measures how well a model would have forecast the past. The zero value
// needs a Horizon. A Backtester keeps its memory, and allocates nothing once it has seen the
// longest series. The work is one fit for each point, and no more.
type Backtester struct {
	Horizon int              // steps ahead, at least 1
	Origins int              // points of the series to forecast from; 0 stands for DefaultOrigins
	Step    int              // observations between these points; 0 stands for Horizon
	Level   float64          // of the intervals; 0 stands for defaultLevel
	Fitter  smoothing.Fitter // fits the model anew at each point; its Season is also the lag of MASE's scale, see Scale

	path, lo, hi []float64
	offered      int // the season of the whole series
}

// A Score has a model's measures, each the mean over forecasts. A forecast of many
// steps counts once, as in the M4 competition. See the functions of the same names.
type Score struct {
	MASE     float64 `json:"mase"`
	SMAPE    float64 `json:"smape"` // per cent
	WAPE     float64 `json:"wape"`
	RMSE     float64 `json:"rmse"` // in units of the series
	Bias     float64 `json:"bias"` // in units of the series
	Coverage float64 `json:"coverage"`
	N        int     `json:"n"` // forecasts
	// Unseasoned of these are of models without the season that was stated or found, since the
	// values to fit to were too few.
	Unseasoned int `json:"unseasoned"`
}

// add counts another score.
func (s *Score) add(t Score) {
	s.MASE += t.MASE
	s.SMAPE += t.SMAPE
	s.WAPE += t.WAPE
	s.RMSE += t.RMSE
	s.Bias += t.Bias
	s.Coverage += t.Coverage
	s.N += t.N
	s.Unseasoned += t.Unseasoned
}

// mean turns sums into means.
func (s *Score) mean() {
	n := float64(max(1, s.N))
	s.MASE /= n
	s.SMAPE /= n
	s.WAPE /= n
	s.RMSE /= n
	s.Bias /= n
	s.Coverage /= n
}

// Score fits p to train, forecasts one step for each value of actual, and compares the forecast
// with actual. actual has the values that came after train. p stays fitted to train.
//
// The error is an *pricing.InputError if a value is infinite, if a parameter of p is out of range,
// and in these cases:
//
//	ErrHorizon  actual is empty
//	ErrShort    actual has no known value, or train is too short
//	ErrScale    the forecast has errors, but MASE has no unit for them: [Scale] of train is 0
func (b *Backtester) Score(p *Predictor, train, actual []float64) (Score, error) {
	h := len(actual)
	if h == 0 {
		return Score{}, badInput("horizon", -1, ErrHorizon, "0 steps ahead: want 1 at least")
	}
	for i, x := range actual {
		if x == x && !usable(x) {
			return Score{}, badInput("actual", i, ErrValue, "%v: want a magnitude of at most %v", x, smoothing.Largest)
		}
	}
	if known(actual) == 0 {
		return Score{}, badInput("actual", -1, ErrShort, "all %d values are missing: want 1 at least to compare with", h)
	}
	fit, err := b.fit(p, train, h)
	if err != nil {
		return Score{}, err
	}
	b.path, b.lo, b.hi = grow.To(b.path, h), grow.To(b.lo, h), grow.To(b.hi, h)
	p.Forecast(b.path)
	p.Interval(b.lo, b.hi, cmp.Or(b.Level, defaultLevel))
	scale := Scale(train, b.Fitter.Season)
	if scale == 0 && MAE(actual, b.path) > 0 {
		return Score{}, badInput("train", -1, ErrScale, "no value differs from the one %d before: want a series that changes", max(1, b.Fitter.Season))
	}
	s := Score{
		MASE: MASE(actual, b.path, scale), SMAPE: SMAPE(actual, b.path), WAPE: WAPE(actual, b.path),
		RMSE: RMSE(actual, b.path), Bias: Bias(actual, b.path), Coverage: Coverage(actual, b.lo, b.hi), N: 1,
	}
	if fit.Unseasoned {
		s.Unseasoned = 1
	}
	return s, nil
}

// Run fits p at several points of the series, scores each forecast, and returns the means of the
// scores. Origins is the number of points. The last point has Horizon values after it, and each
// point is Step values before the next point. At each point, Run fits p to the values before the
// point, and compares the forecast with the Horizon values after the point. If all of these values
// are missing, Run skips the point and does not count it in N.
//
// Run looks for the season in the whole series. A point with one season before it, but less than
// two, uses that season, unless Fitter.Season states another. p stays fitted at the last point that
// is not skipped.
//
// The error is ErrShort if the series is too short for all points, or if Run skips all points.
// Other errors are those of [Backtester.Score].
func (b *Backtester) Run(p *Predictor, series []float64) (Score, error) {
	if b.Horizon < 1 {
		return Score{}, badInput("Horizon", -1, ErrHorizon, "%d steps ahead: want 1 at least", b.Horizon)
	}
	if b.Origins < 0 || b.Step < 0 {
		return Score{}, badInput("Origins", -1, ErrFactor, "%d points %d apart: want 0 for the defaults, or more", b.Origins, b.Step)
	}
	origins, step := count(b.Origins, DefaultOrigins), count(b.Step, b.Horizon)
	back, fits := wide.Mul(int64(origins-1), int64(step))
	if fits {
		back, fits = wide.Add(back, int64(b.Horizon))
	}
	if !fits || back >= int64(len(series)) {
		if !fits {
			back = math.MaxInt64
		}
		return Score{}, badInput("series", -1, ErrShort, "%d values: want more than %d for %d forecasts of %d steps",
			len(series), back, origins, b.Horizon)
	}
	first := len(series) - int(back)
	b.offered, _ = b.Fitter.Periods(series)
	defer func() { b.offered = 0 }()
	var sum Score
	for i := range origins {
		at := first + i*step
		actual := series[at : at+b.Horizon]
		if known(actual) == 0 {
			continue
		}
		s, err := b.Score(p, series[:at], actual)
		if err != nil {
			return Score{}, err
		}
		sum.add(s)
	}
	if sum.N == 0 {
		return sum, badInput("series", -1, ErrShort, "no value after any of the %d points is known: want 1 at least to compare with", origins)
	}
	sum.mean()
	return sum, nil
}

// Evaluate scores p on many series, fitted to train[i] and compared with
// actual[i]. An error, as for [Backtester.Score], names the series.
func (b *Backtester) Evaluate(p *Predictor, train, actual [][]float64) (Score, error) {
	var sum Score
	if len(train) != len(actual) {
		return Score{}, badInput("actual", -1, ErrLength, "%d series: want one for each of the %d of train", len(actual), len(train))
	}
	for i := range train {
		s, err := b.Score(p, train[i], actual[i])
		if err != nil {
			return Score{}, fmt.Errorf("series %d: %w", i, err)
		}
		sum.add(s)
	}
	sum.mean()
	return sum, nil
}

// Select backtests each candidate with [Backtester.Run], and returns the index of the candidate
// with the least MASE. Of equal candidates, Select returns the first. Select then fits that
// candidate to the whole series. Unless scores is nil, scores[i] receives the score of candidate i.
//
// If Run returns [ErrShort] or [ErrScale] for a candidate, Select does not choose that candidate:
// its score is the zero value, with N 0. If no candidate is left, Select returns the error of the
// first candidate. Any other error of Run ends Select, and names the candidate. Select panics if
// there are no candidates, or if scores and candidates differ in length.
func (b *Backtester) Select(candidates []*Predictor, series []float64, scores []Score) (int, error) {
	if len(candidates) == 0 {
		panic("forecast: Select: no candidates")
	}
	if scores != nil && len(scores) != len(candidates) {
		panic("forecast: Select: scores and candidates differ in length")
	}
	best, least := -1, 0.0
	var first error
	for i, p := range candidates {
		s, err := b.Run(p, series)
		if scores != nil {
			scores[i] = s
		}
		switch {
		case err == nil:
			if best < 0 || s.MASE < least {
				best, least = i, s.MASE
			}
		case !errors.Is(err, ErrShort) && !errors.Is(err, ErrScale):
			return 0, fmt.Errorf("candidate %d: %w", i, err)
		case first == nil:
			first = fmt.Errorf("candidate %d: %w", i, err)
		}
	}
	if best < 0 {
		return 0, first
	}
	_, err := b.fit(candidates[best], series, b.Horizon)
	return best, err
}

// fit fits p for forecasts of a horizon, unless Fitter says of which.
func (b *Backtester) fit(p *Predictor, series []float64, horizon int) (smoothing.Fit, error) {
	season, given := b.Fitter.Season, b.Fitter.Horizon
	if given == 0 {
		b.Fitter.Horizon = horizon
	}
	if season == 0 && len(series) >= b.offered && len(series) < 2*b.offered {
		b.Fitter.Season = b.offered
	}
	fit, err := p.Fit(&b.Fitter, series)
	b.Fitter.Season, b.Fitter.Horizon = season, given
	return fit, err
}

// known returns the number of values that are not missing.
func known(series []float64) int {
	n := 0
	for _, x := range series {
		if x == x {
			n++
		}
	}
	return n
}
