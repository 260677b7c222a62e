package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
)

// What the answers would have been worth.
//
// -backtest goes to many earlier days of a demand, the origins. At each, the futures are drawn from
// what was known then, and for each class alone the units are ordered whose use over the futures
// pays. Then the demand that came is looked at: did the parts of the order lose money as often as the
// futures said, were the means of weeks within the intervals, and what would others have ordered?
//
// An order is judged in parts, and so are units above it up to the highest future, which nobody
// ordered: all chances from 0 to 1 are seen. A unit serves the demand above the units below it.

const (
	backParts    = 4   // of an order, and of the units above it
	backFutures  = 200 // of each origin, unless -futures is given
	backWhole    = 1200
	backOrigins  = 40
	backLeast    = 4
	backHistory  = 26 * 7 * 24 * time.Hour // before the first order
	backInterval = 400                     // futures of weeks, for intervals
)

// Weeks ahead at which intervals are looked at, and what they say.
var (
	backWeeks  = [...]int{13, 26, 52, 104}
	backLevels = [...]float64{.8, .95}
)

// A part is units of an order, or above one.
type part struct {
	said    float64 // probability of a loss
	lost    bool
	ordered bool
	later   bool // of the half that a correction is tested on
}

// An outcome of a rule at an origin, in parts of what the demand cost on demand.
type earned struct {
	saving       float64
	bought, used float64 // unit slots
}

// The rules, the last with the demand that came in sight.
const (
	ruleOurs = iota
	rule30
	rule60
	ruleTenth
	ruleCover
	ruleHindsight
	rules
)

var ruleNames = [rules]string{"advise", "best constant of 30 days", "best constant of 60 days", "tenth percentile of 60 days", "80% of the use of 60 days",
	"hindsight"}

// backtests are what came of all origins.
type backtests struct {
	series, origins int
	parts           []part
	held, asked     [len(backWeeks)][len(backLevels)]int
	miss            [len(backWeeks)]float64 // mean |error| of the median, in parts of the mean
	earned          [rules][]earned
	left            []string // series that are too short, and why
	fixed           *correction
}

// backtest reads the files of -backtest and goes through them.
func (r *results) backtest(run *cli.Run) error {
	o := r.o
	file, err := classfile.Read("-classes", o.classes, classfile.Default)
	if err != nil {
		return err
	}
	var list []seriesfile.Series
	for _, path := range o.backtest {
		more, err := seriesfile.Read("-backtest", path)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	b := &backtests{}
	r.back = b
	most := min(backOrigins, max(backLeast, backWhole/max(1, len(list))))
	for i := range list {
		s := &list[i]
		run.Showf("going through %s, series %d of %d", s.Name, i+1, len(list))
		j := judge{o: o, b: b, s: s, slot: o.slot, later: i%2 == 1, only: len(list) == 1}
		if j.slot == 0 {
			j.slot = s.Step
		}
		if j.slot == 0 {
			j.slot = time.Hour
		}
		if err := j.series(&file.List, most); err != nil {
			b.left = append(b.left, fmt.Sprintf("%s: %s", s.Name, cli.Detail(err)))
		}
	}
	if len(b.parts) == 0 {
		why := "there is no series"
		if len(b.left) > 0 {
			why = b.left[0]
		}
		return cli.Mistakef("-backtest: nothing can be judged: %s", why)
	}
	b.fixed = learn(b.parts)
	return nil
}

// A judge goes through the origins of a series.
type judge struct {
	o           *options
	b           *backtests
	s           *seriesfile.Series
	slot        time.Duration
	later, only bool
	fitter      smoothing.Fitter
}

// slots is a span in slots of the series, 1 at least.
func (j *judge) slots(d time.Duration) int { return max(1, int(d/j.slot)) }

// series judges the classes whose terms the series has twice.
func (j *judge) series(list *pricing.List, most int) error {
	n := len(j.s.Values)
	var classes []pricing.Class
	longest, shortest := 0, math.MaxInt
	for _, c := range list.Classes {
		if t := j.slots(c.Term); c.Term >= j.slot && t+j.slots(max(least(c.Term), backHistory)) <= n {
			classes = append(classes, c)
			longest, shortest = max(longest, t), min(shortest, t)
		}
	}
	if len(classes) == 0 {
		return fmt.Errorf("%d values: want the term of a class and half a year before it at least", n)
	}
	first := j.slots(max(least(time.Duration(shortest)*j.slot), backHistory))
	last := n - shortest
	if first > last {
		first = last
	}
	origins := min(most, last-first+1)
	j.b.series++
	for i := range origins {
		at := last
		if origins > 1 {
			at = first + (last-first)*i/(origins-1)
		}
		if j.only {
			j.later = 2*i >= origins
		}
		if err := j.origin(at, classes, list.OnDemand); err != nil {
			return err
		}
		j.b.origins++
	}
	return nil
}

// origin judges what is said after the first at values.
func (j *judge) origin(at int, classes []pricing.Class, onDemand pricing.Money) error {
	model, err := forecast.New(j.o.model)
	if err != nil {
		return err
	}
	f := newFutures(j.o, model, j.slot)
	if err := f.Fit(&j.fitter, j.s.Values[:at]); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(j.o.seed, uint64(at)))
	j.intervals(f, at, rng)
	horizon := 0
	for _, c := range classes {
		if t := j.slots(c.Term); at+t <= len(j.s.Values) {
			horizon = max(horizon, t)
		}
	}
	n := backFutures
	if j.o.given {
		n = j.o.futures
	}
	rows := make([][]float64, n)
	paths := make([][]int, n)
	for i := range rows {
		rows[i], paths[i] = make([]float64, horizon), make([]int, horizon)
	}
	f.Paths(rows, rng)
	for i, row := range rows {
		forecast.Whole(paths[i], row)
	}
	for i := range classes {
		if t := j.slots(classes[i].Term); at+t <= len(j.s.Values) {
			j.class(at, t, &classes[i], onDemand, paths)
		}
	}
	return nil
}

// intervals looks whether the means of the blocks were within what was said.
func (j *judge) intervals(f *forecast.Futures, at int, rng *rand.Rand) {
	block := f.Block
	ahead := func(weeks int) int {
		return int(time.Duration(weeks) * 7 * 24 * time.Hour / (time.Duration(block) * j.slot))
	}
	rows := make([][]float64, backInterval)
	for i := range rows {
		rows[i] = make([]float64, ahead(backWeeks[len(backWeeks)-1]))
	}
	f.Levels(rows, rng)
	column := make([]float64, len(rows))
	for k, weeks := range backWeeks {
		h := ahead(weeks)
		from := at + (h-1)*block
		if h < 1 || from+block > len(j.s.Values) {
			continue
		}
		truth := mean(j.s.Values[from : from+block])
		if truth != truth {
			continue
		}
		for i, row := range rows {
			column[i] = row[h-1]
		}
		slices.Sort(column)
		for l, level := range backLevels {
			out := (1 - level) / 2 * float64(len(column))
			if rounding := 1e-9 * math.Abs(truth); truth+rounding >= column[int(out)] && truth-rounding <= column[len(column)-1-int(out)] {
				j.b.held[k][l]++
			}
			j.b.asked[k][l]++
		}
		if scale := mean(j.s.Values[:at]); scale > 0 {
			j.b.miss[k] += math.Abs(truth-column[len(column)/2]) / scale
		}
	}
}

// mean is the mean of known values, NaN of none.
func mean(x []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range x {
		if v == v {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// A deal is what a unit of a class costs and is worth.
type deal struct {
	fixed, use float64 // money for the term whether used or not, and for each slot that is used
	worth      float64 // of a slot on demand
	pays       float64 // the share of the term from which on it pays
}

func (j *judge) deal(c *pricing.Class, onDemand pricing.Money) (d deal, ok bool) {
	hours := j.slot.Hours()
	d = deal{fixed: c.Upfront.Float64(), worth: onDemand.Float64() * hours}
	if c.Billed == pricing.Always {
		d.fixed += c.Hourly.Float64() * c.Term.Hours()
	} else {
		d.use = c.Hourly.Float64() * hours
	}
	d.pays, ok = c.BreakEven(pricing.OnDemand(onDemand))
	return d, ok
}

// earns is what units above others earn with a demand.
func earns(d *deal, demand []int, below, units int) (money, used float64) {
	n := 0
	for _, x := range demand {
		n += max(0, min(units, x-below))
	}
	return float64(n)*(d.worth-d.use) - float64(units)*d.fixed, float64(n)
}

// class judges an order of one class of t slots.
func (j *judge) class(at, t int, c *pricing.Class, onDemand pricing.Money, paths [][]int) {
	d, ok := j.deal(c, onDemand)
	if !ok {
		return
	}
	actual, past := whole(j.s.Values[at:at+t]), whole(j.s.Values[:at])
	short := make([][]int, len(paths))
	pool := make([]int, 0, len(paths)*t)
	for i := range paths {
		short[i] = paths[i][:t]
		pool = append(pool, short[i]...)
	}
	slices.Sort(pool)
	units := [rules]int{ruleOurs: level(pool, d.pays), rule30: j.constant(past, 30, d.pays), rule60: j.constant(past, 60, d.pays), ruleTenth: j.constant(past, 60, .9),
		ruleCover: covering(past[max(0, len(past)-j.slots(60*24*time.Hour)):], .8)}
	sorted := slices.Clone(actual)
	slices.Sort(sorted)
	units[ruleHindsight] = level(sorted, d.pays)
	cost := 0.0
	for _, x := range actual {
		cost += float64(x) * d.worth
	}
	if cost <= 0 {
		cost = d.worth // nothing was needed: a loss counts by units
	}
	for k, n := range units {
		money, used := earns(&d, actual, 0, n)
		j.b.earned[k] = append(j.b.earned[k], earned{money / cost, float64(n) * float64(t), used})
	}
	ours, top := units[ruleOurs], pool[len(pool)-1-len(pool)/50]
	for _, p := range [][2]int{{0, ours}, {ours, max(ours, top)}} {
		for i := range backParts {
			from, to := p[0]+(p[1]-p[0])*i/backParts, p[0]+(p[1]-p[0])*(i+1)/backParts
			if from == to {
				continue
			}
			x := part{ordered: to <= ours, later: j.later}
			for _, path := range short {
				if money, _ := earns(&d, path, from, to-from); money < 0 {
					x.said += 1 / float64(len(short))
				}
			}
			x.said = chance(x.said)
			money, _ := earns(&d, actual, from, to-from)
			x.lost = money < 0
			j.b.parts = append(j.b.parts, x)
		}
	}
}

// whole is a demand in whole units, with what is missing as the value before.
func whole(x []float64) []int {
	out := make([]int, len(x))
	last := 0
	for i, v := range x {
		if v == v {
			last = int(math.Round(min(max(0, v), math.MaxInt32)))
		}
		out[i] = last
	}
	return out
}

// level is how many units are each needed for a share of the slots at least, of sorted demands.
func level(sorted []int, share float64) int {
	need := max(1, int(math.Ceil(share*float64(len(sorted))-1e-9)))
	return sorted[len(sorted)-min(need, len(sorted))]
}

// constant is the level of the last days.
func (j *judge) constant(past []int, days int, share float64) int {
	window := slices.Clone(past[max(0, len(past)-j.slots(time.Duration(days)*24*time.Hour)):])
	slices.Sort(window)
	return level(window, share)
}

// covering is how many units serve a share of all that was used.
func covering(window []int, share float64) int {
	all := 0
	for _, x := range window {
		all += x
	}
	n := 0
	for step := 1 << 30; step > 0; step >>= 1 {
		served := 0
		for _, x := range window {
			served += min(x, n+step)
		}
		if float64(served) < share*float64(all) {
			n += step
		}
	}
	if all > 0 {
		n++
	}
	return n
}
