// Forecast compares models of demand on your own past. It fits each of them to what
// came before, and has it forecast what came then. It says how far off the model was,
// whether the model's intervals held, and how long the model took. Then the best of them forecasts what
// comes next.
//
//	go run ./examples/tools/forecast
//
// does so for a made-up demand, with -train FILE for the series of a CSV file, and
// -h lists the choices.
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
	Name: "forecast", Usage: usage(), Define: define, Work: compare, Text: (*results).text, Rows: (*results).json,
	Files: []cli.File[*results]{
		{Flag: "forecast", Write: (*results).writeForecasts},
		{Flag: "svg", Write: (*results).writeSVG},
		{Flag: "paths", Write: (*results).writePaths},
	},
}

func main() { program.Main() }

// compare reads the series and compares the models.
func compare(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	if run.Asked("paths") && len(in.items) != 1 {
		return nil, cli.Mistakef("-paths: %s has %s series: want one, name it by -series", o.source(), decimal.Int(len(in.items)))
	}
	o.settle(in)
	o.note(run, in)
	r, err := o.evaluate(in, run)
	if err == nil {
		r.note()
	}
	return r, err
}
