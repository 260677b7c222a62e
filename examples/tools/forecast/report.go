package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/forecast"
)

// jsonModel is a model for machines. A measure that is not finite is nil.
type jsonModel struct {
	Model     string       `json:"model"`
	MASE      *json.Number `json:"mase"`
	SMAPE     *json.Number `json:"smape"`
	WAPE      *json.Number `json:"wape"`
	RMSE      *json.Number `json:"rmse"`
	Bias      *json.Number `json:"bias"`
	Coverage  *json.Number `json:"coverage"`
	Seconds   json.Number  `json:"seconds"`
	Series    int          `json:"series"`
	Forecasts int          `json:"forecasts"`
	Steps     int          `json:"steps"`
	Season    int          `json:"season"`
	Level     float64      `json:"level"`
	Alarms    int          `json:"alarms"`
	Chosen    bool         `json:"chosen"`
	Default   bool         `json:"default"`
	// Unseasoned of the forecasts are without the season, since fewer than two came before them.
	Unseasoned int `json:"unseasoned,omitempty"`
}

func (r *results) json() any {
	rows := make([]jsonModel, len(r.rows))
	for i, x := range r.rows {
		s := &x.score
		rows[i] = jsonModel{
			x.model, number(s.MASE), number(s.SMAPE), number(s.WAPE), number(s.RMSE), number(s.Bias), number(s.Coverage),
			decimal.Seconds(x.took), r.series, s.N, r.o.horizon, r.season, r.o.level, x.alarms, i == r.best, x.model == forecast.Default, s.Unseasoned,
		}
	}
	return rows
}

// number returns x for JSON, nil if it is not finite.
func number(x float64) *json.Number {
	if !finite(x) {
		return nil
	}
	n := json.Number(digits(x))
	return &n
}

// digits returns x with as many digits as a machine wants that reads it, ten.
func digits(x float64) string {
	if x == 0 { // and no -0
		return "0"
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// text returns the table and what there is to say about it, and for a single series
// the forecast.
func (r *results) text(w *table.Page) error {
	o, in := r.o, r.in
	largest, longest := 0.0, time.Duration(0)
	for _, x := range r.rows {
		longest = max(longest, x.took)
		for _, v := range [...]float64{x.score.RMSE, x.score.Bias} {
			if finite(v) {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	decimals := 3
	if longest < 100*time.Millisecond {
		decimals = 6
	}
	var rows [][]string
	without := 0
	for _, x := range r.shown() {
		s := &x.score
		name := x.model
		if s.Unseasoned > 0 {
			name += "*"
			without = max(without, s.Unseasoned)
		}
		rows = append(rows, []string{
			name, measure(s.MASE), measure(s.SMAPE), measure(100 * s.WAPE), inUnits(s.RMSE, largest), inUnits(s.Bias, largest),
			fixed(100*s.Coverage, 1) + "%", decimal.Grouped(decimal.Fixed(x.took.Seconds(), decimals)),
		})
	}
	w.Table("<model|MASE|sMAPE, %|WAPE, %|RMSE|bias|within\n"+o.percent()+"|seconds", rows)
	w.Printf("\n")
	w.Printf("%s of %s, from %s of %s.\n", forecasts(r.rows[0].score.N), decimal.Count(o.horizon, "step"),
		decimal.Count(o.origins, "point"), decimal.Int(r.series)+" series")
	if without > 0 {
		w.Sayf("* without the season in up to %s: fewer than two seasons came before them.", decimal.Count(without, "forecast"))
	}
	if rest := len(r.rows) - len(rows); rest > 0 {
		w.Printf("%s with -all.\n", decimal.Count(rest, "more model"))
	}
	if len(in.items) == 1 {
		return r.foresee(w, &in.items[0])
	}
	r.advise(w)
	return nil
}

// most is how many models, and steps of a forecast, are shown without -all.
const (
	mostModels = 5
	mostSteps  = 13
)

// shown returns the models of least MASE, the least first, and naive; with -all all as they
// are listed.
func (r *results) shown() []result {
	if r.o.all || len(r.rows) <= mostModels {
		return r.rows
	}
	rows := slices.Clone(r.rows)
	slices.SortStableFunc(rows, func(a, b result) int { return cmp.Compare(a.score.MASE, b.score.MASE) })
	n := 0
	for i, x := range rows {
		if i < mostModels || x.model == "naive" {
			rows[n] = x
			n++
		}
	}
	return rows[:n]
}

func forecasts(n int) string {
	if n == 1 {
		return "One forecast"
	}
	return "Means over " + decimal.Int(n) + " forecasts"
}

// advise says which model to use.
func (r *results) advise(w *table.Page) {
	if len(r.rows) == 1 {
		return
	}
	best := &r.rows[r.best]
	text := fmt.Sprintf("Use %s, whose MASE is the least", best.model)
	for i := range r.rows {
		x := &r.rows[i]
		switch {
		case x.model != "naive" || !finite(x.score.MASE) || x.score.MASE == 0:
		case i == r.best:
			text += ": no model is better than the last value"
		default:
			text += fmt.Sprintf(": its errors are %s%% below those of naive",
				decimal.Fixed(100*(1-best.score.MASE/x.score.MASE), 1))
		}
	}
	w.Printf("%s.\n", text)
}

// steps is how many of n steps are listed.
func (r *results) steps(n int) int {
	if r.o.all {
		return n
	}
	return min(mostSteps, n)
}

// foresee writes the forecast of the only series.
func (r *results) foresee(w *table.Page, it *item) error {
	c, err := r.oracle()
	if err != nil {
		return err
	}
	x, err := c.look(it.all)
	if err != nil {
		return err
	}
	largest := 0.0
	for _, list := range [...][]float64{x.mean, x.low, x.high} {
		for _, v := range list[:r.steps(len(list))] {
			if finite(v) {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	var rows [][]string
	for i := range x.mean[:r.steps(len(x.mean))] {
		rows = append(rows, []string{
			decimal.Int(i + 1), inUnits(x.mean[i], largest), inUnits(x.low[i], largest), inUnits(x.high[i], largest),
		})
	}
	w.Printf("\n")
	w.Table("step|"+r.chosen()+"|low|high", rows)
	w.Printf("\n")
	if rest := len(x.mean) - len(rows); rest > 0 {
		w.Printf("%s more with -all, or with -forecast OUT.\n", decimal.Count(rest, "step"))
	}
	w.Printf("Forecast of %s by %s, fitted to all of it. Low to high is to hold %s.\n",
		infile.Quote(it.name), r.chosen(), r.o.percent())
	for _, c := range forecast.Changes(it.all, r.season) {
		w.Sayf("From step %s on the level is %s %s than before, which is no trend.", decimal.Int(c.At+1), inUnits(math.Abs(c.Level), largest), higher(c.Level))
	}
	if x.alarm {
		fmt.Fprintf(w, "The tracking signal is %s: errors of late point one way, do not rely on it.\n", decimal.Fixed(x.signal, 2))
	} else {
		fmt.Fprintf(w, "The tracking signal is %s, as it is of errors by chance.\n", decimal.Fixed(x.signal, 2))
	}
	r.advise(w)
	return nil
}

func higher(x float64) string {
	if x < 0 {
		return "lower"
	}
	return "higher"
}

// writeForecasts writes the forecasts of all series that the model to use can be fitted to.
func (r *results) writeForecasts(w io.Writer) error {
	c, err := r.oracle()
	if err != nil {
		return err
	}
	out := plain.NewCSV(w)
	out.Write("series", r.in.step, "forecast", "low", "high")
	var missing []item
	for i, it := range r.in.items {
		r.run.Showf("forecasting: series %s of %s", decimal.Int(i+1), decimal.Int(len(r.in.items)))
		x, err := c.look(it.all)
		switch {
		case errors.Is(err, forecast.ErrShort):
			missing = append(missing, it)
			continue
		case err != nil:
			return err
		}
		for k := range x.mean {
			out.Write(it.name, strconv.Itoa(k+1), digits(x.mean[k]), digits(x.low[k]), digits(x.high[k]))
		}
	}
	if len(missing) > 0 {
		r.run.Sayf("note: %s not in -forecast, too short to fit %s to:\n  %s",
			seriesAre(len(missing)), r.chosen(), some(missing))
	}
	return out.Flush()
}

// percent returns the level of the intervals.
func (o *options) percent() string { return strconv.FormatFloat(100*o.level, 'g', 12, 64) + "%" }

// measure returns a measure with three decimals, "-" if it is not finite.
func measure(x float64) string { return fixed(x, 3) }

func fixed(x float64, decimals int) string {
	switch {
	case !finite(x):
		return "-"
	case math.Abs(x) >= 1e6:
		return strconv.FormatFloat(x, 'e', 3, 64)
	}
	return decimal.Grouped(decimal.Fixed(x, decimals))
}

// inUnits returns a number of a column whose largest is given: five digits of that,
// with an exponent only where it would be too long without.
func inUnits(x, largest float64) string {
	switch {
	case !finite(x):
		return "-"
	case x == 0:
		return "0"
	case largest >= 1e9 || largest < 1e-5:
		return strconv.FormatFloat(x, 'e', 4, 64)
	}
	return decimal.Grouped(decimal.Fixed(x, max(0, 4-int(math.Floor(math.Log10(largest))))))
}
