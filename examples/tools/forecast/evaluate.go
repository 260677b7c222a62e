package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// now is the clock. Tests have their own.
var now = time.Now

// A result is what came of a model, its score the mean over all forecasts.
type result struct {
	model  string
	score  forecast.Score
	alarms int // series whose tracking signal is one
	took   time.Duration
}

// results are the models that were compared.
type results struct {
	o      *options
	in     *input
	run    *cli.Run
	rows   []result
	series int // that were compared
	first  int // of these, as index of the input
	best   int // the row with the least MASE, the first of equals
	season int // the lag of MASE's scale
	left   left
	cannot []string // models whose scale does not take a series, and why
}

// chosen returns the name of the model to use.
func (r *results) chosen() string { return r.rows[r.best].model }

// Why a series is left out.
const (
	tooShort = 1 + iota
	noScale
	nothingKnown
)

// left are the series that are left out.
type left struct {
	why   [4][]string // names, by reason
	texts [4]string
}

// evaluate compares the models on all series that can be used for all of them.
func (o *options) evaluate(in *input, run *cli.Run) (*results, error) {
	b := forecast.Backtester{Horizon: o.horizon, Origins: o.origins, Level: o.level}
	o.offer(in)
	b.Fitter.Season = o.season
	r := &results{o: o, in: in, run: run, season: max(1, o.season)}
	forecasts := o.forecasts()
	r.left.texts = o.leftTexts(r.season)
	cells := make([][]cell, len(o.models))
	bad := make([]int, len(in.items))
	var first error // that is why the first of them is left out
	skip := make(map[string]bool)
	for i := range in.items {
		if bad[i] = o.unusable(&in.items[i]); bad[i] == tooShort && first == nil {
			verb := "leave"
			if o.origins == 1 {
				verb = "leaves"
			}
			first = fmt.Errorf("has %s, and %s of %s %s %s to fit to",
				decimal.Count(in.items[i].used, "value"), forecasts, decimal.Count(o.horizon, "step"), verb,
				decimal.Int(max(0, in.items[i].used-o.horizon*o.origins)))
		}
	}
models:
	for m, name := range o.models {
		cells[m] = make([]cell, len(in.items))
		p, err := o.predictor(name)
		if err != nil {
			return nil, err
		}
		for i, it := range in.items {
			if bad[i] != 0 {
				continue
			}
			run.Showf("comparing: %s, series %s of %s", name, decimal.Int(i+1), decimal.Int(len(in.items)))
			start := now()
			score, err := b.Run(p, it.all[:it.used])
			took := now().Sub(start)
			switch {
			case errors.Is(err, forecast.ErrShort):
				bad[i] = tooShort
				if first == nil {
					first = fmt.Errorf("leaves too few values to fit %s to: %s", name, strings.Replace(cli.Detail(err), ": want", ", want", 1))
				}
			case errors.Is(err, forecast.ErrScale):
				bad[i] = noScale
			case errors.Is(err, forecast.ErrValue):
				skip[name] = true
				r.cannot = append(r.cannot, fmt.Sprintf("%s cannot take the series %s: %s", name, infile.Quote(it.name), cli.Detail(err)))
				continue models
			case err != nil:
				return nil, err
			}
			cells[m][i] = cell{score, err == nil && p.Alarm(), took}
		}
	}
	if len(skip) == len(o.models) {
		return nil, cli.Mistakef("%s: %s", o.source(), r.cannot[0])
	}
	for i, why := range bad {
		if why == 0 {
			if r.series == 0 {
				r.first = i
			}
			r.series++
		} else {
			r.left.why[why] = append(r.left.why[why], in.items[i].name)
		}
	}
	if r.series == 0 {
		return nil, o.nothing(in, &r.left, first)
	}
	for m, name := range o.models {
		if !skip[name] {
			r.sum(name, cells[m], bad)
		}
	}
	return r, nil
}

// A cell is what came of a model on a series.
type cell struct {
	score forecast.Score
	alarm bool
	took  time.Duration
}

// sum adds the row of a model, of the series that are not bad.
func (r *results) sum(model string, cells []cell, bad []int) {
	row := result{model: model}
	n := float64(r.series)
	for i, c := range cells {
		if bad[i] != 0 {
			continue
		}
		s := &row.score
		s.MASE += c.score.MASE / n
		s.SMAPE += c.score.SMAPE / n
		s.WAPE += c.score.WAPE / n
		s.RMSE += c.score.RMSE / n
		s.Bias += c.score.Bias / n
		s.Coverage += c.score.Coverage / n
		s.N += c.score.N
		s.Unseasoned += c.score.Unseasoned
		row.took += c.took
		if c.alarm {
			row.alarms++
		}
	}
	r.rows = append(r.rows, row)
	if row.score.MASE < r.rows[r.best].score.MASE {
		r.best = len(r.rows) - 1
	}
}

func (o *options) forecasts() string {
	if o.origins > 1 {
		return decimal.Int(o.origins) + " forecasts"
	}
	return "a forecast"
}

// leftTexts says of each reason why a series is left out.
func (o *options) leftTexts(season int) [4]string {
	from := ""
	if o.least > minLeast {
		from = fmt.Sprintf(" from %s or more", decimal.Count(o.least, "value"))
	}
	return [...]string{
		tooShort:     fmt.Sprintf("too short for %s of %s", o.forecasts(), decimal.Count(o.horizon, "step")) + from,
		noScale:      noScaleText(season),
		nothingKnown: fmt.Sprintf("without a known value in one of the spans of %s to compare with", decimal.Count(o.horizon, "step")),
	}
}

// offer sets the season, if it is not given, to what is found in more than half of the
// series, as far as they are before what is forecast.
func (o *options) offer(in *input) {
	if o.season > 0 {
		return
	}
	var f smoothing.Fitter
	count := make(map[int]int)
	for _, it := range in.items {
		if n := it.used - o.horizon*o.origins; n > 0 {
			first, _ := f.Periods(it.all[:n])
			if forecast.Scale(it.all[:n], first) > 0 { // there is something to measure by
				count[first]++
			}
		}
	}
	for season, n := range count {
		if season > 1 && 2*n > len(in.items) {
			o.season, in.found = season, n
		}
	}
}

func noScaleText(season int) string {
	what := "two neighbouring values"
	if season > 1 {
		what = fmt.Sprintf("two values %s steps apart", decimal.Int(season))
	}
	return "without " + what + " that differ, before changes that MASE would measure by them"
}

// predictor returns a new model with the limits of the flags.
func (o *options) predictor(name string) (*forecast.Predictor, error) {
	m, err := forecast.New(name)
	if err != nil {
		return nil, err
	}
	return &forecast.Predictor{Model: m, Limits: o.limits, Analytic: o.analytic}, nil
}

// unusable returns why a series cannot be used for any model, 0 if it can.
func (o *options) unusable(it *item) int {
	at := it.used - o.horizon*o.origins
	if at < o.least {
		return tooShort
	}
	for ; at < it.used; at += o.horizon {
		known := false
		for _, x := range it.all[at : at+o.horizon] {
			known = known || x == x
		}
		if !known {
			return nothingKnown
		}
	}
	return 0
}

// nothing returns the mistake of asking for what no series can be used for.
func (o *options) nothing(in *input, l *left, first error) error {
	if len(in.items) == 1 && first != nil {
		return cli.Mistakef("%s: the series %s %w: want a lower -steps or -least-values, fewer -origins or other -models",
			o.source(), infile.Quote(in.items[0].name), first)
	}
	var texts []string
	for why, names := range l.why {
		if len(names) > 0 {
			texts = append(texts, fmt.Sprintf("%s %s", decimal.Int(len(names)), l.texts[why]))
		}
	}
	if len(in.items) == 1 {
		_, text, _ := strings.Cut(texts[0], " ")
		return cli.Mistakef("%s: the series %s is %s", o.source(), infile.Quote(in.items[0].name), text)
	}
	return cli.Mistakef("%s: none of the %s series can be used for all of the models: %s",
		o.source(), decimal.Int(len(in.items)), strings.Join(texts, ", "))
}

// note says which models and series are left out, and of which season is spoken.
func (r *results) note() {
	switch in, season := r.in, decimal.Int(r.season); {
	case in.found > 0 && len(in.items) == 1:
		r.run.Sayf("a season of %s steps is found: MASE is measured by what came a season before", season)
	case in.found > 0:
		r.run.Sayf("a season of %s steps is found in %s series: MASE is measured by what came a season before", season, decimal.Int(in.found))
	}
	for _, text := range r.cannot {
		r.run.Sayf("note: %s", text)
	}
	r.left.note(r.run)
}

// note says what is left out.
func (l *left) note(run *cli.Run) {
	for why, names := range l.why {
		if len(names) > 0 {
			items := make([]item, len(names))
			for i, name := range names {
				items[i].name = name
			}
			run.Sayf("note: %s left out, %s:\n  %s", seriesAre(len(names)), l.texts[why], some(items))
		}
	}
}

func seriesAre(n int) string {
	if n == 1 {
		return "1 series is"
	}
	return decimal.Int(n) + " series are"
}

// An outlook is a forecast of a series.
type outlook struct {
	mean, low, high []float64
	signal          float64 // tracking signal of the model
	alarm           bool
}

// oracle forecasts with the model to use.
type oracle struct {
	options *options
	fitter  smoothing.Fitter
	p       *forecast.Predictor
}

func (r *results) oracle() (*oracle, error) {
	p, err := r.o.predictor(r.chosen())
	return &oracle{options: r.o, p: p, fitter: smoothing.Fitter{Season: r.o.season, Horizon: r.o.horizon}}, err
}

// look fits the model to the values and forecasts what follows them.
func (c *oracle) look(values []float64) (outlook, error) {
	if _, err := c.p.Fit(&c.fitter, values); err != nil {
		return outlook{}, err
	}
	n := c.options.horizon
	x := outlook{make([]float64, n), make([]float64, n), make([]float64, n), c.p.TrackingSignal(), c.p.Alarm()}
	c.p.Forecast(x.mean)
	c.p.Interval(x.low, x.high, c.options.level)
	return x, nil
}

// finite reports whether x can be printed as a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
