package smoothing

import (
	"cmp"
	"math"

	"github.com/plimsoll/plimsoll/forecast/internal/boxcox"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// defaultLeads is up to how many steps ahead a fit looks at its errors, a quarter of
// the series at most.
const defaultLeads = 52

// replay updates a model, which is in its state before a series that [Fitter.Cut]
// returned, with that series. replay keeps the one-step errors since the model was
// ready, and the sums of squares of the errors of more steps.
func (f *Fitter) replay(m Model, series []float64, free int) Fit {
	fit := Fit{Free: free, Evaluations: f.evals + 1}
	leads := min(cmp.Or(f.Leads, defaultLeads), max(1, len(series)/4))
	f.path, f.squares, f.counts = grow.To(f.path, leads), grow.To(f.squares, leads), grow.To(f.counts, leads)
	flat(f.squares, 0)
	flat(f.counts, 0)
	f.resid = f.resid[:0]
	lambda := boxcox.Of(m)
	for i, x := range series {
		e := math.NaN()
		if m.Ready() {
			ahead := series[i:min(len(series), i+leads)]
			path := f.path[:len(ahead)]
			m.Forecast(path)
			e = boxcox.Error(lambda, x, path[0])
			for j, y := range ahead {
				if d := boxcox.Error(lambda, y, path[j]); d == d {
					f.squares[j] += d * d
					f.counts[j]++
				}
			}
		}
		f.resid = append(f.resid, e)
		m.Update(x)
	}
	fit.SSE, fit.N = f.squares[0], int(f.counts[0])
	fit.Residuals, fit.Growth = f.resid, f.grown(fit)
	return fit
}

// enoughErrors is how many errors Growth wants of a number of steps ahead.
const enoughErrors = 20

// grown returns the growth of the errors of a fit.
func (f *Fitter) grown(fit Fit) []float64 {
	f.growth = f.growth[:0]
	one := fit.Variance()
	if !(one > 0) {
		return f.growth
	}
	for i, s := range f.squares {
		if f.counts[i] < enoughErrors {
			break
		}
		f.growth = append(f.growth, math.Sqrt(s/max(1, f.counts[i]-float64(fit.Free))/one))
	}
	return f.growth
}

// run is the Fit of a model that chooses nothing: it resets the model, and updates it with the series.
func (f *Fitter) run(m Model, series []float64, reset func()) (Fit, error) {
	series, err := f.Cut(series, m.Least())
	if err != nil {
		return Fit{}, err
	}
	reset()
	return f.replay(m, series, 0), nil
}

// Cut begins a fit, and returns the part of a series that is fitted, without missing
// values at its beginning. The error is ErrShort if fewer than least values are known.
func (f *Fitter) Cut(series []float64, least int) ([]float64, error) {
	f.evals = 0
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if err := CheckSeries(series); err != nil {
		return nil, err
	}
	for len(series) > 0 && series[0] != series[0] {
		series = series[1:]
	}
	if n := known(series); n < least {
		return nil, badInput("series", -1, ErrShort, "%d known values: want %d at least", n, least)
	}
	return series, nil
}
