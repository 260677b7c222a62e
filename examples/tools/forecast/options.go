package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/forecast"
)

const usageText = `Usage: go run ./examples/tools/forecast [flags]

Compares models of demand on series of the past, says how far off each would
have been, and forecasts what comes next with the best of them. The forms of
files and the measures are in go doc ./examples/tools/forecast

What to forecast
  -demand FILE     CSV: a header line, then a number a line, or week,value, or
                   date,NAME,NAME, or a line for each series, its name first
                   (default: a made-up demand, week by week)
  -test FILE       the values that came after those of -demand, for the same
                   series (default: the end of -demand itself is held out)
  -series NAME     this series alone (default: all)
  -nonnegative     series, forecasts and intervals cannot be below 0

How
  -models LIST     all, or some of these, with commas (default all)
                     naive, drift, mean: the last value, a line, recent values
                     simple, holt, damped, blend: exponential smoothing
                     triple, midpoint, backward, adaptive-triple: with an
                     acceleration, [Niu16] Eq. (7) and repairs
                     seasonal-naive, winters, winters-ratio, two-seasons: with
                     a season
                     harmonics, lags: sine waves, a recursion
                     auto: the mean of the best, the default of the library
  -steps N         steps ahead (default 13)
  -origins N       points of the past to forecast from, -steps apart (default 1
                   with -test; else 5, or as many as leave half of the longest
                   series to fit to)
  -least-values N  leave out series with fewer values to fit to
                   (default: what the models need)
  -season N        steps after which the series repeat, 1 is no season (default:
                   what is found in more than half of the series)
  -level P         probability that the intervals are to have (default 0.95)
  -analytic        intervals grow as the model says, even where its errors have
                   grown more (default: whichever is more)

What comes out
  -all             print all models and all steps, not the best and the first
  -json            print an array with an object for each model
  -forecast OUT    write CSV: series,step,forecast,low,high, of all series
  -paths-out OUT   write CSV: possible futures of the series, a column each
  -futures N       how many (default 100)
  -tree OUT        write CSV: node,parent,probability,demand, the futures as a
                   demand that shows step by step, for -tree of plan
  -stage N         steps from one branch of the tree to the next (default 13)
  -ways N          ways of a branch (default 3)
  -seed N          seed of the futures (default 1)
  -svg OUT         write the picture of the first series and its forecast
  -h               print this
`

// options are the flags.
type options struct {
	demand, test string
	series       string
	models       []string
	horizon      int
	origins      int
	least        int // values to fit to
	level        float64
	limits       forecast.Limits
	analytic     bool
	all          bool
	season       int // 0: to be found
	futures      int
	stage, ways  int // of a tree
	seed         uint64
}

// Bounds of numbers. Of one value there is not even a step to measure errors by;
// beyond the others memory is the limit.
const (
	maxHorizon = 100_000
	maxOrigins = 1000
	minLeast   = 2
	maxLeast   = 1_000_000_000
	maxSeason  = 1_000_000
	maxFutures = 100_000
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{models: forecast.Names(), horizon: 13, least: minLeast, level: .95, futures: 100, stage: 13, ways: 3, seed: 1}
	f.File("demand", &o.demand)
	f.File("test", &o.test)
	f.Name("series", &o.series, "the name of a series")
	f.Switch("nonnegative", &o.limits.NonNegative)
	f.Func("models", func(s string) (err error) {
		o.models, err = pick(s)
		return err
	})
	f.Int("steps", &o.horizon, 1, maxHorizon, "")
	f.Int("origins", &o.origins, 1, maxOrigins, "")
	f.Int("least-values", &o.least, minLeast, maxLeast, "")
	f.Float("level", &o.level, "a probability above 0 and below 1, such as 0.95", func(p float64) bool { return p > 0 && p < 1 })
	f.Switch("analytic", &o.analytic)
	f.Switch("all", &o.all)
	f.Int("season", &o.season, 1, maxSeason, "")
	f.Int("futures", &o.futures, 1, maxFutures, "")
	f.Int("stage", &o.stage, 1, maxHorizon, "")
	f.Int("ways", &o.ways, 1, maxFutures, "")
	f.Seed(&o.seed)
	f.Check(func() error {
		if o.test != "" && o.demand == "" {
			return fmt.Errorf("-test %s needs a -demand: it has the values that came after those", o.test)
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
