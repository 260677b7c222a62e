// Advise turns a bill into an order. It reads what a cloud has charged, what the
// cloud asks, and what is held, and forecasts the demand of each kind of instance.
// It says what to buy today, what that costs and saves, and what if the forecast
// is wrong.
//
//	go run ./examples/tools/advise
//
// advises on a made-up year; -bill FILE is your own bill, -prices FILE the cloud's
// price list, and -h lists the choices. The plan of each kind is exact: no other
// order is cheaper on average over the futures that the forecast sees.
//
// Bills: FOCUS as CSV and Parquet, and cost exports of Azure, Google and Oracle.
// Prices: AWS offer files, savings plan rates, Azure retail prices, GCP SKUs.
package main

import "github.com/plimsoll/plimsoll/examples/internal/cli"

var program = &cli.Program[options, *results]{
	Name: "advise", Usage: usageText, Define: define, Work: work, Text: (*results).text, Rows: (*results).object,
	Files: []cli.File[*results]{{Flag: "html", Write: (*results).writeHTML}, {Flag: "focus", Write: (*results).writeFocus}},
}

func main() { program.Main() }

// work reads, groups, forecasts and plans.
func work(o *options, run *cli.Run) (*results, error) {
	r, err := o.read(run)
	if err != nil || o.inputs {
		return r, err
	}
	if err := r.group(); err != nil {
		return nil, err
	}
	return r, r.advise(run)
}
