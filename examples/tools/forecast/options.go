package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/forecast"
)

// usage is what -h prints.
func usage() string {
	var list strings.Builder
	for _, name := range forecast.Names() {
		text, _ := forecast.About(name)
		if name == forecast.Default {
			text += ", the default"
		}
		fmt.Fprintf(&list, "                         %-16s%s\n", name, text)
	}
	return strings.Replace(usageText, "MODELS\n", list.String(), 1)
}

const usageText = `Usage: go run ./examples/tools/forecast [flags]

Compares models of demand on series of the past, says how far off each would have
been, and forecasts what comes next with the best of them.

What to forecast
  -train FILE          CSV: a header line, then a line for each series, its name first;
                       plain or gzip (default: a made-up demand, week by week)
  -test FILE           CSV of the same form: the values that came after those of -train,
                       for the same series in any order (default: the end of -train
                       itself is held out)
  -series NAME         this series alone (default: all)
  -nonnegative         the series cannot be below 0, nor forecasts and intervals

How
  -models LIST         all, or some of these, with commas (default all)
MODELS
  -horizon N           steps ahead (default 13)
  -origins N           points of the past to forecast from, each with a fit of its own,
                       a horizon apart (default 1 with -test; else 5, or as many
                       as leave half of the longest series to fit to)
  -least N             leave out series with fewer values to fit to before the first
                       of these points (default: what the models need)
  -season N            steps after which the series repeat: what models with a season
                       are offered, and the lag of the scale of MASE; 1 is no season
                       (default: what is found in more than half of the series, else
                       a lag of 1, and each series its own)
  -interval P          probability that the intervals are to have, between 0 and 1
                       (default 0.95)
  -analytic            intervals grow with the horizon as the model says, even where its
                       errors have grown more (default: whichever is more)

What comes out
  -json                print an array with an object for each model, not a table
  -forecast FILE       write CSV: series,step,forecast,low,high, of all series
  -paths FILE          write CSV: -draws possible futures of the series, a header with a
                       name for each path, then a line for each step
  -draws N             paths in that file (default 100)
  -seed N              seed of the paths (default 1)
  -svg FILE            write the picture of the first series, or of that of -series,
                       its forecast and its interval
  -h                   print this

Instead of a line a series, -train may have a line a step: fields week,value, or any
other names, for one series; date,NAME,NAME for several; series,date,value for several
below each other. Dates are as 2024-01-31, with a time where steps are shorter; or
steps count, as 1, 2, 3. A date that is left out is a missing value.

A field that is empty, NA or NaN is a missing value, which no model minds. Empty
fields at the end of a line are none: series differ in length.

Without -test the last -origins times -horizon values of each series are held out, in
pieces of a horizon. Each piece is forecast from all values before the piece. With -test
models are fitted to -train, and their forecasts are compared with the first -horizon
values of -test; where -test has fewer, the end of -train is held out with them. So
-horizon 52 with a -test of 13 values forecasts the last 52 values of both together, and
-least 104 takes only series with two years of weeks before. A series that one of the
models cannot use is left out for all models, and the program says so: a series that is
too short, that is constant until the forecast begins and changes then, or that has no
known value to compare with. A model that cannot take a series, as
winters-ratio wants values above 0, is left out instead, and that is said.

The measures are means over series and origins. MASE is the mean absolute error,
over that of repeating the value a season before, or the last value where there is no
season, within what a model was fitted to: it can be compared between series of any
size. sMAPE, the mean of
200·|y-p|/(|y|+|p|), and WAPE, the sum of |y-p| over that of |y|, are in per cent.
RMSE and bias (forecast less value, so above 0 if forecasts are too high) are in
the units of the series, so that large series outweigh the others. Within is the part of
the values in their intervals. Seconds are those of all fits, forecasts and
comparisons of a model, on one core.

The model to use is the model with the least MASE, the first of equals. That model is
fitted to all values, those of -test too, for the forecasts of -forecast and -svg, and
for the forecast that follows the table of a single series. The picture also shows what
the model would have forecast a horizon ago, as a broken line with its interval. To use
another model, name that model alone with -models.

The tracking signal is the smoothed error over the smoothed absolute error: near 1
where forecasts of late were too low, near -1 where they were too high. What errors
by chance exceed once in a hundred steps is an alarm: do not rely on the forecast,
look at what has changed, and fit to what came since. It is said for one series, and
counted for many.

A path is one possible future: the forecast of the model to use, plus errors drawn
from those of the past that add up along the path as the model says. At each step the
paths have the spread of the intervals. -paths wants one series; another program, such
as examples/tools/plan, plans on all paths at once.

Fields of -json: model, mase, smape (per cent), wape (a fraction), rmse, bias,
coverage (a fraction), seconds, series, forecasts (series times origins), horizon,
season (the lag of MASE's scale), interval, alarms (series whose tracking signal is one
at the last origin), chosen (it is the one to use), default (it is the one that the
library takes when not told). A measure that is infinite, as WAPE is
where all values are 0 and the forecast is not, is null, and - in the table.
`

// options are the flags.
type options struct {
	train, test string
	series      string
	models      []string
	horizon     int
	origins     int
	least       int // values to fit to
	level       float64
	limits      forecast.Limits
	analytic    bool
	season      int // 0: to be found
	draws       int
	seed        uint64
}

// Bounds of numbers. Of one value there is not even a step to measure errors by;
// beyond the others memory is the limit.
const (
	maxHorizon = 100_000
	maxOrigins = 1000
	minLeast   = 2
	maxLeast   = 1_000_000_000
	maxSeason  = 1_000_000
	maxDraws   = 100_000
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{models: forecast.Names(), horizon: 13, least: minLeast, level: .95, draws: 100, seed: 1}
	f.File("train", &o.train)
	f.File("test", &o.test)
	f.Name("series", &o.series, "the name of a series")
	f.Switch("nonnegative", &o.limits.NonNegative)
	f.Func("models", func(s string) (err error) {
		o.models, err = pick(s)
		return err
	})
	f.Int("horizon", &o.horizon, 1, maxHorizon, "")
	f.Int("origins", &o.origins, 1, maxOrigins, "")
	f.Int("least", &o.least, minLeast, maxLeast, "")
	f.Float("interval", &o.level, "a probability above 0 and below 1, such as 0.95", func(p float64) bool { return p > 0 && p < 1 })
	f.Switch("analytic", &o.analytic)
	f.Int("season", &o.season, 1, maxSeason, "")
	f.Int("draws", &o.draws, 1, maxDraws, "")
	f.Seed(&o.seed)
	f.Check(func() error {
		if o.test != "" && o.train == "" {
			return fmt.Errorf("-test %s needs a -train: it has the values that came after those", o.test)
		}
		return nil
	})
}

// pick returns the models of a list.
func pick(list string) ([]string, error) {
	all := forecast.Names()
	if list == "all" {
		return all, nil
	}
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(all, name):
			return nil, fmt.Errorf("%q is no model: want all, or some of %s", name, strings.Join(all, ","))
		case slices.Contains(names, name):
			return nil, fmt.Errorf("%q is there twice", name)
		}
		names = append(names, name)
	}
	return names, nil
}
