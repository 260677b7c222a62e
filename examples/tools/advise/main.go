// Advise says what to order today. It reads a bill, or a demand and prices, and what is held,
// and forecasts the demand of each kind of instance. It says what to buy, what that costs and
// saves, and what if the forecast is wrong.
//
//	go run ./examples/tools/advise
//
// advises on a made-up year; -bill FILE is your own bill, -prices FILE the cloud's
// price list, -demand FILE a demand instead, and -h lists the choices. The plan of each kind is
// exact: no other order is cheaper on average over the futures that the forecast sees.
//
// # Files
//
// All may be gzip, and are told apart by their content; bills may have any length, other files
// 64 MiB of text. Bills: FOCUS 1.0 to 1.4 as CSV and Parquet, its contract commitments, and cost
// exports of Azure, Google and Oracle. Prices: AWS offer files and savings plan rates (JSON or
// CSV), Azure retail prices, GCP SKUs. A demand and classes are files of examples/tools/plan, and
// a demand may lack values, as for examples/tools/forecast.
//
// -held and -state are of the form of package heldfile. For a bill a contract has a type and a
// region, or the id alone of a commitment that the bill shows without its end; for a demand a
// class:
//
//	[{"id": "ri-17", "type": "m5.large", "region": "us-east-1", "count": 12, "until": "2027-03-01"},
//	 {"id": "sp-3", "until": "2027-03-01"},
//	 {"class": "1y", "count": 12, "until": "2000h"}]
//
// # What counts
//
// Rows are money: the amount billed in each file is the amount classified plus the
// amounts left out, by reason, to the last digit; -show inputs has the account. Classified are
// hours of instances at the price on demand or covered by commitments, what commitments left
// unused, and their fees. Storage, traffic, taxes and credits are no subject of reservations.
//
// A kind is a type of instance in a region with its system. Where the price list's
// reservations serve all sizes of a family and prices are in proportion to the sizes,
// the family is planned as one, in units of its smallest size in use. A contract that
// is held serves until it expires; a savings plan that is held counts as the hours of
// each kind that it has covered.
//
// A contract is ordered only if the use is known for two weeks and for a sixteenth of its term;
// -little-history orders all the same. The forecast reaches as far as the longest term on offer, so that an
// order of three years is judged on three years. A need ends, or halves, with a chance of -ends a
// year in each future. What is proved is said of the futures; beside it stands how forecasts like
// these did on the same history.
//
// -backtest goes to many earlier days of a demand, orders what the futures of that day call for, and
// looks at what came. Its tables: of the parts of orders said to lose money with a chance, how many
// did (and the same after an isotonic correction, learnt on one half of the days and tested on the
// other); how many means of weeks were within 80 and 95% intervals; and what other rules would have
// saved. A part is a quarter of the units of an order, or of the units above it that nobody orders.
// The order of a backtest is decided at once, for each class as if it alone were for sale.
//
// With -state the program assumes that what it prints is bought. A second run on the same day
// decides that day again, and replaces its order. If something else was bought, begin anew with
// -held.
//
// -past keeps what was advised, and its form is for this program alone. A later run says what
// each order has earned since: its units serve the use beyond what was held before, at the price on
// demand, less what they cost in that time. What was not bought counts until it is advised again.
//
// What the bill leaves in doubt stands before the order. Rows of days do not say the hours: unless
// -daily states them, what is planned is use as if all machines of a day ran at once. No other
// hours let a reservation serve less, so what the order saves it saves whatever the hours were. The
// last hours of a bill are left out where all kinds, or an account, a file or a kind alone, have less
// than is usual, unless -keep-tail says that the fall is real; a day without any use is missing, and
// so is one that was disturbed. A price on demand is what the bill was charged (ContractedCost,
// NetUnblendedCost, rows of discounts) or -discount; reservations are at the list's price, less the
// discount of those that are held (reservation/NetEffectiveCost). A savings plan of the lists is
// planned with the reservations of the kinds that it pays for, and with Fargate and Lambda.
//
// Who used an instance is the account, or what the column of -owner says; -show owners has what each
// cost. Owners of -alone are planned by themselves, with their own reservations.
//
// Fields of -json: kind, class, units, unit, upfront, hourly, commitment (all that is owed),
// until, saving, loss (probability), last_use and break_even (fractions), payback, waiting (what
// a later order costs more), and of the kind: date, currency, cost, lower_bound, on_demand_cost,
// optimal; not_planned says why a kind has no plan. A kind without an order has 0 units. loss is
// null where the futures have no spread. With -backtest: what (reliability, interval or rule), from,
// to, parts, ordered, said, happened, tested, corrected, tested_happened; weeks, level, forecasts,
// held, median_off; rule, orders, of_hindsight, saved, worst_tenth, worst, use.
package main

import (
	"errors"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "advise", Usage: usageText, Define: define, Work: work, Text: (*results).text, Rows: (*results).rows,
	Files:   []cli.File[*results]{{Flag: "html", Write: (*results).writeHTML}, {Flag: "focus", Write: (*results).writeFocus}, {Flag: "svg", Write: (*results).writeSVG}},
	Verdict: (*results).verdict,
}

func main() { program.Main() }

// work reads, groups, forecasts and plans.
func work(o *options, run *cli.Run) (*results, error) {
	if len(o.backtest) > 0 {
		r := &results{o: o}
		return r, r.backtest(run)
	}
	if o.state != "" {
		unlock, err := o.lockState()
		if err != nil {
			return nil, err
		}
		run.Files.OnEnd(unlock)
	}
	r, err := o.read(run)
	if err != nil {
		return nil, err
	}
	if o.show == showQuality {
		if err = r.group(); err == nil {
			r.judge()
		}
	}
	if !o.reads() {
		if err = r.group(); err == nil {
			r.judge()
			if err = r.advise(run); err == nil {
				r.judgeExits()
			}
		}
		if err == nil && o.past != "" {
			if err = r.readPast(); err == nil && len(r.groups) > 0 {
				err = r.writePast(run)
			}
		}
		if err == nil && o.state != "" {
			err = r.writeState(run)
		}
	}
	if err == nil && run.JSON {
		for _, d := range r.doubts {
			run.Sayf("doubt: %s", d)
		}
		if r.refused != "" {
			run.Sayf("%s", r.refused)
		}
		for _, n := range r.allNotes() {
			run.Sayf("note: %s", n)
		}
	}
	return r, err
}

// verdict is an error if nothing could be planned.
func (r *results) verdict() error {
	switch {
	case r.back != nil || r.o.reads() || len(r.groups) > 0:
		return nil
	case r.refused != "":
		return errors.New("the bill is not sound enough for -sound: nothing is ordered")
	}
	return errors.New("nothing is planned: no kind has prices and use")
}
