// Plan decides what cloud capacity to reserve for a known demand: how many reservations
// of which class to buy, and when. It runs the exact solver and every published rule,
// and prints what each plan costs, what the plan saves over on demand, and how far from
// the optimum the plan is at most.
//
//	go run ./examples/tools/plan
//
// plans for a made-up year at the price of an m5.xlarge; -demand FILE and -classes FILE are
// your own demand and prices, and -h lists the choices.
//
// # Files
//
// All may be gzip, and have 64 MiB of text at most.
//
// -demand is CSV with a header line: the instances of each slot, a number a line; week,value
// or date,value; or what examples/tools/forecast -forecast writes. -paths has a column for
// each future, all equally likely, and may have one that names the step before them. Dates, or
// a field that is called hour, day, week or 15m, tell the length of a slot.
//
// -classes is JSON, billed "always" or "when-used", prices with 9 decimals at most:
//
//	{"on_demand": 2.4, "classes": [{"name": "1y", "term": "8760h",
//	 "upfront": 5000, "hourly": 0.361, "billed": "always"}]}
//
// -tree has a line for each slot of each past, with the columns node,parent,probability,demand:
// see package treefile.
//
// -held is what package heldfile reads, as examples/tools/advise does, each contract of a class:
//
//	[{"class": "1y", "count": 12, "until": "2000h"}]
//
// # What is compared
//
// A rule for one class runs for every class of the list. The table shows its cheapest plan
// with the class; its time is that of all classes. Rolling horizons and robust look one
// term ahead and know the true demand. Times are those of deciding what to buy, for exact
// also of the bill and the proof; reading and printing are not timed. With -runs the first
// run allocates memory, as with 1, and the others reuse that memory.
//
// With -paths purchases are decided before any path is seen. What a path needs beyond the
// purchases runs on demand. Costs and bounds are means over the paths. Only exact and
// ondemand take paths. With -algo exact the table is followed by what not knowing the path
// costs: what a perfect forecast would save, what planning for the mean path costs, and for
// each purchase the probability that the purchase loses money. The picture is of the median
// demand of each slot.
//
// No plan costs less than the lower bound. Where exact proves its plan optimal, the lower
// bound is the optimum ("exact" in the field "bound"); that is so whenever the use of all
// classes costs the same. Otherwise the lower bound is that of exact's linear program
// ("lp"), or Eq. (5) of [Niu16] where exact does not take the problem ("eq5"). eq5 is a bound
// and not a plan: eq5 rents reservations by the interval.
//
// With -pure and an -every of several slots, slots without demand are added at the end
// to make whole intervals, because a bound by the interval counts whole intervals. The
// added slots change pure costs a little. Full costs stay the same.
//
// With -tree a purchase is decided in its node, when the way there has been seen. Only exact and
// ondemand take a tree. The table is followed by what other ways of deciding cost, and by what is
// bought in each case that shows first. In -json, root is what to buy now, and -purchases has the
// node of each purchase.
//
// With -budget the purchases of exact take so much up front at most, in all. In -json, spent is what they
// take, and price_of_money what a unit more of the budget saves, to first order.
//
// With -algo NAME the table is followed by what the plan buys: the slots of demand served,
// their share of all slots of the purchase (used), when the purchase has saved its fee (paid
// back), and what the purchase saves over on demand. Costs leave out the fees and standing
// charges of held reservations, which are spent whatever the plan.
//
// Fields of -json: algo, class (of a rule for one class), cost, lower_bound, bound, gap (cost
// over lower_bound, less 1; null where lower_bound is 0 and the cost is not), saving (over on
// demand, as a fraction), seconds, purchases and reservations (how many). With -purchases the
// fields are algo, slot, class and count; slots count from 0.
//
// References: [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic
// Virtual Clusters for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS
// 27(7), 2016, section 5.1; [Liu21] Liu et al., An Instance Reservation Framework
// for Cost Effective Services in Geo-Distributed Data Centers, IEEE TSC 14(2), 2021.
package main

import (
	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "plan", Usage: usageText, Define: define, Work: plan, Text: (*results).text, Rows: (*results).rows,
	Files: []cli.File[*results]{{Flag: "svg", Write: (*results).writeSVG}},
}

func main() { program.Main() }

// plan reads the problem and solves it.
func plan(o *options, run *cli.Run) (*results, error) {
	in, err := o.read()
	if err != nil {
		return nil, err
	}
	o.note(run, in)
	r, err := o.solve(in, run)
	if err == nil && run.JSON {
		for _, s := range r.missing() {
			run.Sayf("note: %s", s)
		}
	}
	return r, err
}
