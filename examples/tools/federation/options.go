package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/reserve"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/tools/federation [flags]

Plans reservations of a day for data centres, each centre for its own demand, and lends
idle reservations to the tasks of the other centres [Liu21]. Prints what the plans cost
with and without sharing, how much of the reservations is used, which data moves, what
errors of the prediction change, how far from the optimum sharing is, and which of the
paper's findings come out.

What runs
  -traces A,B,C        logs in the Standard Workload Format, plain or gzip, a centre
                       each: every job that is submitted in the window takes its
                       processors in each hour that it touches, from its submission
                       (default: three made-up centres, in Luxembourg, San Diego and
                       Los Alamos)
  -centres N           how many centres to make up, 1 to 16 (default 3)
  -from LIST           hour of each log at which the window begins, one for all or one
                       for each (default: the hour of its first job). The paper's
                       figures are compared only with its logs, 600 hours and, in
                       the order UniLu-Gaia, SDSC-BLUE, LANL-CM5, -from 747,478,172
  -hours N             length of the window, 24 to 26280 (default 600, as in the paper)
  -prices FILE         JSON: prices and places of the centres, in their order
                         [{"name": "east", "on_demand": 0.075, "reservation": 0.80,
                           "traffic": 0.02, "latitude": 49.5, "longitude": 5.95}]
                       on demand per hour, a reservation for 24 hours, outgoing
                       traffic per GB, degrees (default: the paper's, for logs whose
                       names begin as its three do, else in this order: UniLu-Gaia,
                       SDSC-BLUE, LANL-CM5)

How
  -reserve LIST        all, or some of these (default all)
                         periodic      once a day for the day (the paper's 2AH)
                         hgr           heuristic-greedy, Algorithm 1
                         exact         the optimum of each centre by itself
                         wang          online without a prediction: a reservation when
                                       the past day's cost on demand that it would have
                                       saved exceeds its price [Wang13]
                         history       online by history: [Wang15], which the paper
                                       compares with
                         rho           rolling horizon, Algorithm 2, in five readings:
                         rho-printed     as printed: all purchases of a window are made,
                                         each is subtracted within the window only
                         rho-full        subtracted for its full term
                         rho-last        as rho-full; from a term on a reservation can
                                         begin in each hour of the window, and of equal
                                         intervals the last counts
                         rho-first       as rho-full; only the first hour's purchases of
                                         a window are made
                         rho-deferred    as rho-first, bought when needed, not before
  -lambda N            hours that rho sees, the current one included (default 13)
  -error LIST          bounds of the error of predicted demand, each from 0 to 1: with
                       0.2 it is drawn from 80 to 120% of the true one (default
                       0,0.2,0.4)
  -share NAME          how idle reservations are lent to the tasks of others, nearest
                       centre first, with Algorithm 3 (default printed)
                         printed   prices as in the paper: those of the task's home
                         lender    for a lent instance its owner's fee; on demand the
                                   price of the task's home, wherever that is
                         idle      as lender, and no part of a task moves that would
                                   partly run on demand
                         roaming   as lender, and on demand the price of where it runs
                         cheapest  as lender, and the cheapest centre first
                         midpoint  as lender, half-way to the price on demand
                         free      as lender, at no charge
                         open      as lender, and centres keep nothing for their own
                                   later tasks; else they keep what these will need
  -lend LIST           what a lent instance costs, as a multiple of its owner's
                       reservation per hour, by the share of the owner's reservations
                       that is idle: 0:1.5,0.5:1,1:0.25 asks 1.5 times when little is
                       idle and a quarter when all is. It must not rise. Takes the
                       place of the price that -share names
  -seed N              of made-up centres, errors and disk space (default 1)

What comes out
  -coalitions          instead of all else: what every coalition of centres costs by
                       itself, what each centre pays of the cost of all by the Shapley
                       value, in the core (or the proof that the core is empty), by
                       prices and by Algorithm 3, and which coalitions would rather
                       leave; with the first plan of -reserve, or hgr. Up to 10 centres
                       exactly, above that by sampling
  -schemes             instead of all else: what section 2 of the paper sets aside, each
                       beside one joint plan: users in groups by term that use what
                       other groups leave idle (-terms), discounts for large purchases
                       (-volume), and instances of several sizes against compute units;
                       groups and sizes plan by the first plan of -reserve, or hgr
  -terms LIST          terms that users choose from, in hours, and their price per hour
                       as a multiple of a day's (default 24:1,72:0.9,168:0.8)
  -volume LIST         discounts on the fees beyond an amount, in dollars (default
                       5000:0.05,20000:0.1)
  -json                print an array of objects instead of tables
  -svg OUT             write a picture: the paper's Figs. 7 to 10
  -h                   print this

A task is a job from the hour of its submission to the hour of its end, or to the end of
the window. The disk space of the task's instances is the data that the task sends when
it runs elsewhere. Disk space is drawn from 5 MB to 65 GB by the power law P(more than
x) ~ 1/x, which has as much data in each decade of sizes; the paper gives no exponent.
Planners are told a demand with errors. Sharing knows what tasks will need, except with
-share open. A rolling horizon is told the true demand of the current hour. A cost is
for the whole term of a reservation, used or not.

Objects of -json have a kind. Of "plan": plan, lambda (null where it has none), error,
centre ("all" for the sum), instance_hours, on_demand_cost (without reservations),
reservations, cost, utilisation (without sharing; null where nothing is reserved),
shared_cost, shared_utilisation, lent_hours, paid and received (to and from other
centres), sent_gb, optimum_cost and optimum_bound (of sharing the same reservations:
best plan found, and what none costs less than; null but for all centres without
errors). Of "path": plan, lambda, error, from, to, sent_gb. Of "finding", a sentence of
the paper, and "check", figures of an independent program for the paper's windows:
verdict, says, shown, why (where it did not come out and that is known).

With -coalitions the kinds are "share": plan, centre, division, cost, standard_error
(null where it is exact), alone; "coalition": members (their names, with " + " between
two), cost; "departure": division, members, gain; "core": empty, slack (the least that a
coalition saves by staying); and "proof", a coalition of the proof that the core is
empty: members, weight, of.

With -schemes the kind is "scheme": scheme (terms, volume or sizes), plan, centre ("all"
for the sum), cost, bound (of a joint plan: what no plan costs less than; else null).

A finding came out if savings and use are within 2 points of the paper's, amounts and
counts within 2%, and data sent within 25%. Each figure of a rolling horizon is compared
in the reading that is nearest.

The whole evaluation takes about eight seconds of one core, a year of three logs with
one plan about as long, and with rolling horizons minutes.
`

// A plannerName is a way to reserve that can be chosen.
type plannerName int

const (
	periodic plannerName = iota
	hgr
	exact
	wang
	history
	rhoPrinted
	rhoFull
	rhoLast
	rhoFirst
	rhoDeferred
	planners // how many
)

var plannerNames = [planners]string{"periodic", "hgr", "exact", "wang", "history", "rho-printed", "rho-full", "rho-last", "rho-first", "rho-deferred"}

func (p plannerName) String() string { return plannerNames[p] }

// label is the paper's name of the planner. Periodic is called 2AH in another paper of the
// same authors.
func (p plannerName) label() string {
	switch p {
	case periodic:
		return "Periodic"
	case hgr:
		return "HGR"
	}
	return p.String()
}

// rolls reports whether the planner is a rolling horizon.
func (p plannerName) rolls() bool { return p >= rhoPrinted }

// predicts reports whether the planner uses a predicted demand. Wang and history know the
// past and the present hour only.
func (p plannerName) predicts() bool { return p != wang && p != history }

// options are the flags.
type options struct {
	traces     []string
	from       []int // hours; nil: of the first job
	hours      int
	prices     string
	reserve    [planners]bool
	lambda     int
	share      int // of readings
	made       int // centres to make up
	lend       *federation.Lending
	coalitions bool
	schemes    bool
	spans      []span // rising
	volume     reserve.Discounts
	errors     []float64
	seed       uint64
	pairs      int  // of orders, for many centres
	sparse     bool // sweep only the notable windows: for tests, which have no flag for it
}

const (
	term       = 24 // hours, the paper's τ
	maxCentres = 16
	maxHours   = 3 * 8760
	maxErrors  = 100
)

// define defines the flags.
func define(o *options, f *cli.Flags) {
	*o = options{hours: 600, lambda: 13, made: len(shapes), pairs: samplePairs, errors: []float64{0, .2, .4}, seed: 1}
	o.setReserve("all")
	if err := errors.Join(o.setTerms(defaultSpans), o.setVolume(defaultVolume)); err != nil {
		panic(err) // defaults
	}
	cli.List(f, "traces", &o.traces, maxCentres, func(part string) (string, error) {
		if part == "" {
			return "", errors.New("want names of files, with commas between them")
		}
		f.Reads(part)
		return part, nil
	})
	f.Func("from", func(s string) error {
		o.from = o.from[:0]
		for part := range strings.SplitSeq(s, ",") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n > maxFrom {
				return fmt.Errorf("%q is no hour of a log: want whole numbers from 0 to %s", part, decimal.Int(maxFrom))
			}
			o.from = append(o.from, n)
		}
		return nil
	})
	f.File("prices", &o.prices)
	f.Int("hours", &o.hours, term, maxHours, " of hours")
	f.Int("lambda", &o.lambda, 1, maxHours, " of hours")
	f.Func("reserve", o.setReserve)
	var names []string
	for _, x := range readings {
		names = append(names, x.name)
	}
	cli.Choice(f, "share", &o.share, names...)
	cli.List(f, "error", &o.errors, maxErrors, func(part string) (float64, error) {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil || !(x >= 0 && x <= 1) { // NaN is neither
			return 0, fmt.Errorf("%q is no bound of an error: want numbers from 0 to 1", part)
		}
		return math.Abs(x), nil // not -0
	})
	f.Int("centres", &o.made, 1, maxCentres, " of centres")
	f.Func("lend", o.setLend)
	f.Switch("coalitions", &o.coalitions)
	f.Switch("schemes", &o.schemes)
	f.Func("terms", o.setTerms)
	f.Func("volume", o.setVolume)
	f.Seed(&o.seed)
	f.Check(func() error {
		if n := len(o.traces); n > 0 && len(o.from) > 1 && len(o.from) != n {
			return fmt.Errorf("-from has %s for %s: want one for all or one for each", decimal.Count(len(o.from), "hour"), decimal.Count(n, "log"))
		}
		if f.Given("svg") && (o.schemes || o.coalitions) {
			return errors.New("-svg draws the evaluation, and not what -coalitions and -schemes print: leave out one of them")
		}
		if o.schemes && o.coalitions {
			return errors.New("-schemes and -coalitions: each prints its own tables instead of all else: want one of them")
		}
		if o.lambda > o.hours {
			return fmt.Errorf("-lambda %d: the window has only %d hours (-hours)", o.lambda, o.hours)
		}
		return nil
	})
	f.Idle(func(name string) bool {
		return name == "from" && o.traces == nil || name == "centres" && o.traces != nil || name == "error" && (o.coalitions || o.schemes) || (name == "terms" || name == "volume") && !o.schemes || (name == "share" || name == "lend") && o.schemes || name == "lambda" && !slices.Contains(o.reserve[rhoPrinted:], true)
	})
}

// setLend reads the price of lent instances.
func (o *options) setLend(s string) error {
	var points []federation.PricePoint
	for part := range strings.SplitSeq(s, ",") {
		idle, factor, ok := strings.Cut(part, ":")
		x, err1 := strconv.ParseFloat(idle, 64)
		y, err2 := strconv.ParseFloat(factor, 64)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("%q: want pairs SHARE:FACTOR, such as 0:1.5,0.5:1,1:0.25", part)
		}
		points = append(points, federation.PricePoint{Idle: x, Factor: y})
	}
	lend, err := federation.LendingByIdle(points)
	if err != nil {
		return errors.New(cli.Detail(err))
	}
	o.lend = lend
	return nil
}

// maxFrom is the last hour that a window may begin in: within the range of
// time.Duration with its end.
const maxFrom = 2_000_000

func (o *options) setReserve(s string) error {
	o.reserve = [planners]bool{}
	for name := range strings.SplitSeq(s, ",") {
		k := plannerName(slices.Index(plannerNames[:], name))
		for p := range planners {
			o.reserve[p] = o.reserve[p] || name == "all" || name == "rho" && p.rolls() || p == k
		}
		if k < 0 && name != "all" && name != "rho" {
			return fmt.Errorf("want all, or some of rho, %s", strings.Join(plannerNames[:], ", "))
		}
	}
	return nil
}

// base is the name of a log without its folder and endings.
func base(path string) string {
	name := filepath.Base(path)
	name = strings.TrimSuffix(name, ".gz")
	return strings.TrimSuffix(name, ".swf")
}
