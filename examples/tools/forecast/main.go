// Forecast compares models of demand on your own past. It fits each of them to what
// came before, and has it forecast what came then. It says how far off the model was,
// whether the model's intervals held, and how long the model took. Then the best of them
// forecasts what comes next.
//
//	go run ./examples/tools/forecast
//
// does so for a made-up demand, with -demand FILE for the series of a CSV file, and
// -h lists the choices.
//
// # Files
//
// All may be gzip, and have 64 MiB of text at most. -demand is CSV with a header line: a
// number a line; week,value or date,value; date,NAME,NAME for several series;
// series,date,value for several below each other; or a line for each series, its name first.
// Dates are as 2024-01-31, with a time where steps are shorter; or steps count, as 1, 2, 3. A
// date that is left out is a missing value, and so is a field that is empty, NA or NaN. Empty
// fields at the end of a line are none: series differ in length.
//
// -forecast writes series,week,forecast,low,high and -paths-out writes week,p0,p1, where week
// is the length of a step if the file told it, and step otherwise. examples/tools/plan and
// examples/tools/advise read both. -tree writes node,parent,probability,demand, which plan reads:
// the futures of -paths-out, grown to a tree that branches every -stage steps, each group of futures into
// -ways of equal size by their mean over the stage. The demand of a node is the median of its
// futures. The note says how far the tree is from the futures: times the price of a unit for a step, that
// bounds how much the cost of a plan decided at once differs.
//
// # How models are compared
//
// Without -test the last -origins times -steps values of each series are held out, in
// pieces of -steps. Each piece is forecast from all values before the piece. With -test
// models are fitted to -demand, and their forecasts are compared with the first -steps
// values of -test; where -test has fewer, the end of -demand is held out with them. A series
// that one of the models cannot use is left out for all models: a series that is too short,
// that is constant until the forecast begins and changes then, or that has no known value to
// compare with. A model that cannot take a series, as winters-ratio wants values above 0, is
// left out instead. The program says either.
//
// The measures are means over series and origins. MASE is the mean absolute error,
// over that of repeating the value a season before, or the last value where there is no
// season, within what a model was fitted to: it can be compared between series of any
// size. sMAPE, the mean of 200·|y-p|/(|y|+|p|), and WAPE, the sum of |y-p| over that of |y|,
// are in per cent. RMSE and bias (forecast less value, so above 0 if forecasts are too high)
// are in the units of the series. Within is the part of the values in their intervals. Seconds
// are those of all fits, forecasts and comparisons of a model, on one core.
//
// The model to use has the least MASE, the first of equals. It is fitted to all values, those
// of -test too, for the forecasts. To use another model, name that model alone with -models.
// The picture also shows what the model would have forecast -steps ago.
//
// The tracking signal is the smoothed error over the smoothed absolute error: near 1
// where forecasts of late were too low, near -1 where they were too high. What errors
// by chance exceed once in a hundred steps is an alarm: do not rely on the forecast.
//
// A path is one possible future: the forecast, plus errors drawn from those of the past that
// add up along the path as the model says.
//
// Fields of -json: model, mase, smape (per cent), wape (a fraction), rmse, bias,
// coverage (a fraction), seconds, series, forecasts (series times origins), steps,
// season (the lag of MASE's scale), level, alarms (series whose tracking signal is one
// at the last origin), chosen, default (it is the one that the library takes when not told).
// A measure that is infinite is null, and - in the table.
//
// Reference: [M4] Makridakis, Spiliotis, Assimakopoulos, The M4 Competition: 100,000
// time series and 61 forecasting methods, International Journal of Forecasting
// 36(1), 2020, for the form of the files and the measures.
package main

import (
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

var program = &cli.Program[options, *results]{
	Name: "forecast", Usage: usageText, Define: define, Work: compare, Text: (*results).text, Rows: (*results).json,
	Files: []cli.File[*results]{
		{Flag: "forecast", Write: (*results).writeForecasts},
		{Flag: "svg", Write: (*results).writeSVG},
		{Flag: "paths-out", Write: (*results).writePaths},
		{Flag: "tree", Write: (*results).writeTree},
	},
}

func main() { program.Main() }

// compare reads the series and compares the models.
func compare(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	for _, flag := range []string{"paths-out", "tree"} {
		if run.Asked(flag) && len(in.items) != 1 {
			return nil, cli.Mistakef("-%s: %s has %s series: want one, name it by -series", flag, o.source(), decimal.Int(len(in.items)))
		}
	}
	o.settle(in)
	o.note(run, in)
	r, err := o.evaluate(in, run)
	if err == nil {
		r.note()
	}
	return r, err
}
