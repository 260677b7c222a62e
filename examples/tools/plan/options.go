package main

import (
	"errors"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
)

const usageText = `Usage: go run ./examples/tools/plan [flags]

Decides what to reserve for a demand and when to buy it, exactly and by each
published rule. Prints what each plan costs, what it saves over on demand, and
how far from the optimum it is at most. The forms of files are in
go doc ./examples/tools/plan

What to plan for
  -demand FILE    CSV: a header line, then the instances of each slot, one
                  a line; or week,value or date,value; or a forecast, as
                  -forecast of forecast writes (default: a made-up year)
  -paths FILE     CSV: futures that the demand may take, a column each, as
                  -paths-out of forecast writes; instead of -demand
  -tree FILE      CSV: node,parent,probability,demand, a demand that shows step
                  by step, as -tree of forecast writes; instead of -demand
  -classes FILE   JSON: price on demand and classes of reservations
                  (default: about those of an m5.xlarge on AWS)
  -held FILE      JSON: contracts held, reservations and savings plans
  -slot D         length of a slot of the demand (default: what the file says,
                  or else 1h for -demand; -paths and -tree need it); a term
                  that is no whole number of slots counts as the whole slots
  -date DAY       on which the demand begins, such as 2026-11-23, for -held
                  (default: what the file says)
  -every D        buy at the start of every such interval only, 168h is weekly
                  (default: the slot, so at any)
  -budget AMOUNT  money to spend at most up front, in all; -algo exact alone
                  (default: no limit)
  -pure           of a reservation that outlives the demand count only the share
                  of its cost before the end (default: its full fee)

How
  -algo NAME      all, or one of (default all)
                    exact: the optimum, with its proof
                    sec: greedy by minimum utilisation, [Niu16] 5.1.2
                    hgr: greedy by the busiest window, [Liu21] Alg. 1
                    rho, rho-mended, rho-deferred: rolling horizon,
                    [Liu21] Alg. 2
                    robust: rho-deferred, insured against its forecast
                    periodic: each term by itself, [Wang15]
                    wang, wang-random, history: know the past only, [Wang13],
                    [Wang15]
                    eq5: the bound of [Niu16] Eq. (5), no plan
                    ondemand, peak: nothing reserved, the peak throughout
                    constant: the best constant number
  -seed N         of wang-random (default 1)
  -runs N         solve N times and give the median time (default 1)

What comes out
  -purchases      list every purchase; with -json an object for each of them
  -json           print an array with an object for each algorithm
  -svg OUT        write the picture of demand, what serves it, and purchases
  -h              print this
`

// options are the flags.
type options struct {
	demand, classes, held string
	paths, tree           string
	slot, every           time.Duration // 0: what the file says; the slot
	date                  time.Time
	pure, purchases       bool
	budget                pricing.Money // -1: none
	algo                  *algorithm    // nil: all
	seed                  uint64
	runs                  int
}

// maxRuns bounds -runs: the times are kept.
const maxRuns = 1_000_000

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{seed: 1, runs: 1, budget: -1}
	f.File("demand", &o.demand)
	f.File("paths", &o.paths)
	f.File("tree", &o.tree)
	f.File("classes", &o.classes)
	f.File("held", &o.held)
	positive := func(d time.Duration) bool { return d > 0 }
	f.Span("slot", &o.slot, "a span of time above 0, such as 1h, 15m or 168h", positive)
	f.Span("every", &o.every, "a span of time above 0, such as 1h, 15m or 168h", positive)
	f.Day("date", &o.date)
	f.Money("budget", &o.budget, "an amount of money that is not negative, such as 10000", func(m pricing.Money) bool { return m >= 0 })
	f.Switch("pure", &o.pure)
	f.Switch("purchases", &o.purchases)
	f.Func("algo", func(s string) error {
		o.algo = nil
		names := "all"
		for i := range algorithms {
			if algorithms[i].name == s {
				o.algo = &algorithms[i]
				return nil
			}
			names += ", " + algorithms[i].name
		}
		if s != "all" {
			return errors.New("want one of " + names)
		}
		return nil
	})
	f.Seed(&o.seed)
	f.Int("runs", &o.runs, 1, maxRuns, "")
	f.Check(func() error {
		switch {
		case o.paths != "" && o.demand != "":
			return errors.New("-paths and -demand are both there: want one of them")
		case o.tree != "" && (o.paths != "" || o.demand != ""):
			return errors.New("-tree is there beside -demand or -paths: want one of them")
		case o.budget >= 0 && (o.algo == nil || o.algo.name != "exact"):
			return errors.New("-budget limits the plan of -algo exact alone: want -algo exact")
		case o.budget >= 0 && o.tree != "":
			return errors.New("-budget and -tree are both there: want a budget for -demand or -paths")
		case o.tree != "" && f.Given("svg"):
			return errors.New("-svg shows one demand: want it with -demand or -paths, and not with -tree")
		}
		return nil
	})
	f.Idle(func(name string) bool { return name == "seed" && o.algo != nil && !o.algo.random })
}
