package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// A verdict says whether a finding came out.
type verdict int

const (
	didNot verdict = iota
	partly
	cameOut
)

func (v verdict) String() string {
	return [...]string{"DID NOT COME OUT", "came out IN PART", "came out"}[v]
}

// A finding is something that [Marshall12] says, and what these runs say of it.
type finding struct {
	verdict verdict
	source  *jobSource
	says    string
	shown   []string // numbers, a rate each
	why     string   // where it did not come out
}

func (f *finding) String() string {
	shown := strings.Join(f.shown, "; ")
	s := fmt.Sprintf("%v: %s. %s.", f.verdict, f.says, strings.ToUpper(shown[:1])+shown[1:])
	if f.verdict != cameOut && f.why != "" {
		s += " " + f.why
	}
	return s
}

// judge sums up what was seen at each rate.
func judge(seen []bool) verdict {
	n := 0
	for _, ok := range seen {
		if ok {
			n++
		}
	}
	switch {
	case n == len(seen):
		return cameOut
	case n > 0:
		return partly
	}
	return didNot
}

// What counts as what the paper says in words.
const (
	nearly     = .95 // of the most: "most or nearly so"
	hardly     = .02 // "hardly differ"
	wellAbove  = 1.5 // times: "well above"
	paperQueue = .58 // "by up to 58%"
	paperCost  = .38 // "by up to 38%"
	atLeast    = .9  // of what the paper has: it says "up to"
	aqtpSaving = .40 // "about 40%"
	aqtpLonger = .18 // for "18%" more
)

// findings returns those that can be judged with what was run.
func (r *results) findings() []finding {
	var all []finding
	for _, s := range r.sources {
		if s.log != nil {
			continue // the paper says nothing of it
		}
		add := func(f *finding) {
			if f != nil && len(f.shown) > 0 {
				f.source = s
				all = append(all, *f)
			}
		}
		add(r.smCostsMost(s))
		if s.name == feitelson {
			add(r.onDemandLowest(s))
			add(r.onDemandBelowSM(s))
			add(r.aqtpTrade(s))
			add(r.mcopTrade(s))
			add(r.odPlusAboveMCOP(s))
		} else {
			add(r.nothingSpent(s))
			add(r.mostlyLocal(s))
		}
		add(r.savings(s))
		add(r.refusalsCost(s))
		add(r.sameMakespan(s))
	}
	return all
}

// each calls f with the cells of the policies at each rate at which all were run.
func (r *results) each(s *jobSource, ps []policyName, f func(reject float64, cells []*cell)) {
	for _, reject := range r.opts.reject {
		var cells []*cell
		for _, p := range ps {
			if c := r.cell(s, reject, p); c != nil {
				cells = append(cells, c)
			}
		}
		if len(cells) == len(ps) {
			f(reject, cells)
		}
	}
}

var allPolicies = []policyName{sm, od, odPlus, aqtp, mcop2080, mcop8020}

func dollars(x float64) string { return "$" + decimal.Grouped(decimal.Fixed(x, 0)) }
func inHours(s float64) string { return decimal.Fixed(hours(s), 2) + " h" }

func mean(c *cell, f func(*oneRun) float64) float64 { return c.over(f).mean }

// wins counts the runs in which a is below b.
func wins(a, b *cell, f func(*oneRun) float64) int {
	n := 0
	for i := range a.runs {
		if f(&a.runs[i]) < f(&b.runs[i]) {
			n++
		}
	}
	return n
}

func (r *results) smCostsMost(s *jobSource) *finding {
	f := finding{says: "SM costs most or nearly so"}
	var seen []bool
	r.each(s, allPolicies, func(reject float64, c []*cell) {
		next := c[1]
		for _, x := range c[1:] {
			if mean(x, cost) > mean(next, cost) {
				next = x
			}
		}
		own := mean(c[0], cost)
		seen = append(seen, own >= nearly*mean(next, cost))
		f.shown = append(f.shown, fmt.Sprintf("at %s %s, then %s with %s", percent(reject), dollars(own), next.policy.label(), dollars(mean(next, cost))))
	})
	f.verdict = judge(seen)
	f.why = "Renewals of the instances on which jobs run may cost more than accrues."
	return &f
}

func (r *results) onDemandLowest(s *jobSource) *finding {
	f := finding{says: "OD and OD++ have the lowest AWRT"}
	var seen, either []bool
	bestSM, bestMCOP := false, false
	r.each(s, allPolicies, func(reject float64, c []*cell) {
		best := c[0]
		for _, x := range c {
			if mean(x, awrt) < mean(best, awrt) {
				best = x
			}
		}
		first := 0 // runs in which one of the two, and no other, has the lowest
		for i := range best.runs {
			own, other := min(c[1].runs[i].awrt, c[2].runs[i].awrt), c[0].runs[i].awrt
			for _, x := range c[3:] {
				other = min(other, x.runs[i].awrt)
			}
			if own < other {
				first++
			}
		}
		onMean, inMost := best == c[1] || best == c[2], 2*first > len(best.runs)
		bestSM = bestSM || best == c[0]
		bestMCOP = bestMCOP || best == c[4] || best == c[5]
		seen = append(seen, onMean && inMost)
		either = append(either, onMean || inMost)
		text := fmt.Sprintf("at %s OD %s and OD++ %s", percent(reject), inHours(mean(c[1], awrt)), inHours(mean(c[2], awrt)))
		if !onMean {
			text += fmt.Sprintf(", but %s %s", best.policy.label(), inHours(mean(best, awrt)))
		}
		f.shown = append(f.shown, text+fmt.Sprintf(" (one of the two is first in %d of %d runs)", first, len(best.runs)))
	})
	if f.verdict = judge(seen); f.verdict == didNot && judge(either) != didNot {
		f.verdict = partly
	}
	if bestMCOP {
		f.why = "OD and OD++ turn to the commercial cloud as soon as the private one refuses, which is most of their cost and leaves fewer credits for a burst; MCOP weighs the whole queue, and asks the private cloud again."
	}
	if bestSM {
		f.why += fmt.Sprintf(" SM has instances up before jobs come, and only %d of %d samples need more than its %d.", s.bursts, r.opts.runs, sustained)
	}
	f.why = strings.TrimSpace(f.why)
	return &f
}

func (r *results) onDemandBelowSM(s *jobSource) *finding {
	f := finding{says: "OD and OD++ have a lower AWRT than SM"}
	var seen, either []bool
	r.each(s, []policyName{sm, od, odPlus}, func(reject float64, c []*cell) {
		a, b, base := mean(c[1], awrt), mean(c[2], awrt), mean(c[0], awrt)
		inA, inB, runs := wins(c[1], c[0], awrt), wins(c[2], c[0], awrt), len(c[0].runs)
		seen = append(seen, a < base && b < base && 2*inA > runs && 2*inB > runs)
		either = append(either, a < base && b < base || 2*inA > runs && 2*inB > runs)
		f.shown = append(f.shown, fmt.Sprintf("at %s SM %s, OD %s (lower in %d of %d runs), OD++ %s (in %d)",
			percent(reject), inHours(base), inHours(a), inA, runs, inHours(b), inB))
	})
	if f.verdict = judge(seen); f.verdict == didNot && judge(either) != didNot {
		f.verdict = partly
	}
	f.why = fmt.Sprintf("It needs bursts of more than the %d cores that SM holds, and only %d of %d samples have one", sustained, s.bursts, r.opts.runs)
	if s.arrivals == "poisson" {
		f.why += ": see -arrivals campaigns"
	}
	f.why += "."
	return &f
}

func (r *results) aqtpTrade(s *jobSource) *finding {
	f := finding{says: "AQTP saves about 40% for about 18% more AWRT, in one case"}
	close, trades := false, false
	r.each(s, []policyName{odPlus, aqtp}, func(reject float64, c []*cell) {
		base := mean(c[0], cost)
		if base == 0 {
			return
		}
		saving, longer := 1-mean(c[1], cost)/base, mean(c[1], awrt)/mean(c[0], awrt)-1
		trades = trades || saving > 0 && longer > 0
		close = close || saving > aqtpSaving/2 && saving < 1.5*aqtpSaving && longer > aqtpLonger/2 && longer < 1.5*aqtpLonger
		f.shown = append(f.shown, fmt.Sprintf("at %s it costs %s than OD++ for %s AWRT",
			percent(reject), than(-saving, "more", "less"), than(longer, "more", "less")))
	})
	switch {
	case close:
		f.verdict = cameOut
	case trades:
		f.verdict = partly
	}
	f.why = fmt.Sprintf("How far it goes depends on r and θ, which the paper does not give for its evaluation (here its example, %v h and %v min) and on how many jobs wait: where few do, it launches for one at a time.",
		response.Hours(), threshold.Minutes())
	return &f
}

// than writes a change in whole percent.
func than(change float64, more, less string) string {
	if change < 0 {
		return rounded(-change) + " " + less
	}
	return rounded(change) + " " + more
}

// rounded is a share in whole percent.
func rounded(x float64) string { return decimal.Fixed(100*x, 0) + "%" }

func (r *results) mcopTrade(s *jobSource) *finding {
	f := finding{says: "MCOP-80-20 is cheaper and slower than MCOP-20-80"}
	var seen, either []bool
	r.each(s, []policyName{mcop2080, mcop8020}, func(reject float64, c []*cell) {
		onMean := mean(c[1], cost) < mean(c[0], cost) && mean(c[1], awrt) > mean(c[0], awrt)
		cheaper, slower, runs := wins(c[1], c[0], cost), wins(c[0], c[1], awrt), len(c[0].runs)
		inMost := 2*cheaper > runs && 2*slower > runs
		seen, either = append(seen, onMean && inMost), append(either, onMean || inMost)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s and %s against %s and %s (cheaper in %d of %d runs, slower in %d)", percent(reject),
			dollars(mean(c[1], cost)), inHours(mean(c[1], awrt)), dollars(mean(c[0], cost)), inHours(mean(c[0], awrt)), cheaper, runs, slower))
	})
	if f.verdict = judge(seen); f.verdict == didNot && judge(either) != didNot {
		f.verdict = partly
	}
	f.why = "Where no job waits for long there is nothing to trade, and the two do the same."
	return &f
}

func (r *results) odPlusAboveMCOP(s *jobSource) *finding {
	f := finding{says: "when most requests are refused, OD++ costs well above MCOP-80-20 ($1,811 in the paper), and its jobs wait for less (5 h against 12.5 h)"}
	var seen, either []bool
	r.each(s, []policyName{odPlus, mcop8020}, func(reject float64, c []*cell) {
		if reject <= .5 {
			return
		}
		a, b := mean(c[0], cost), mean(c[1], cost)
		dearer, sooner, runs := wins(c[1], c[0], cost), wins(c[0], c[1], awqt), len(c[0].runs)
		above := a > wellAbove*b && 2*dearer > runs
		seen = append(seen, above && mean(c[0], awqt) < mean(c[1], awqt) && 2*sooner > runs)
		either = append(either, above)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s more (dearer in %d of %d runs), and AWQT %s against %s (less in %d)",
			percent(reject), dollars(a-b), dearer, runs, inHours(mean(c[0], awqt)), inHours(mean(c[1], awqt)), sooner))
	})
	if f.verdict = judge(seen); f.verdict == didNot && judge(either) != didNot {
		f.verdict = partly
	}
	f.why = "The costs agree in kind. MCOP does not wait for longer here: it asks the private cloud for the whole queue at each evaluation, and with what is refused it asks again."
	return &f
}

func (r *results) nothingSpent(s *jobSource) *finding {
	f := finding{says: "AQTP and MCOP cost nothing"}
	var seen []bool
	r.each(s, []policyName{aqtp, mcop2080, mcop8020}, func(reject float64, c []*cell) {
		ok := true
		var costs []string
		for _, x := range c {
			ok = ok && mean(x, cost) == 0
			costs = append(costs, "$"+decimal.Fixed(mean(x, cost), 2))
		}
		seen = append(seen, ok)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s", percent(reject), strings.Join(costs, ", ")))
	})
	f.verdict = judge(seen)
	f.why = "Some samples have a burst that the private cloud does not serve."
	return &f
}

func (r *results) mostlyLocal(s *jobSource) *finding {
	f := finding{says: "the jobs primarily use local resources"}
	var seen []bool
	for _, reject := range r.opts.reject {
		least, most := 1., 0.
		for i := range r.cells {
			if c := &r.cells[i]; c.source == s && c.reject == reject {
				local := mean(c, coreHours(0))
				share := local / (local + mean(c, coreHours(1)) + mean(c, coreHours(2)))
				least, most = min(least, share), max(most, share)
			}
		}
		seen = append(seen, least > .5)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s to %s of the core-hours", percent(reject), rounded(least), rounded(most)))
	}
	f.verdict = judge(seen)
	return &f
}

func (r *results) savings(s *jobSource) *finding {
	f := finding{says: "flexible policies cut queued time by up to 58% and cost by up to 38% against SM (counted if one policy has nine tenths of both)"}
	var seen, either []bool
	r.each(s, allPolicies, func(reject float64, c []*cell) {
		base, price := mean(c[0], awqt), mean(c[0], cost)
		if base == 0 || price == 0 {
			return
		}
		cuts := func(x *cell) (queue, cheaper float64) { return 1 - mean(x, awqt)/base, 1 - mean(x, cost)/price }
		// The one that comes nearest to both.
		best, nearest := c[1], math.Inf(-1)
		any := false
		for _, x := range c[1:] {
			queue, cheaper := cuts(x)
			if near := min(queue/paperQueue, cheaper/paperCost); near > nearest {
				best, nearest = x, near
			}
			any = any || queue >= atLeast*paperQueue || cheaper >= atLeast*paperCost
		}
		queue, cheaper := cuts(best)
		seen, either = append(seen, nearest >= atLeast), append(either, any)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s has %s queued time and %s cost",
			percent(reject), best.policy.label(), than(-queue, "more", "less"), than(-cheaper, "more", "less")))
	})
	if f.verdict = judge(seen); f.verdict == didNot && judge(either) != didNot {
		f.verdict = partly
	}
	f.why = fmt.Sprintf("To cut what jobs wait under SM takes bursts of more than its %d cores, which %d of %d samples have.", sustained, s.bursts, r.opts.runs)
	return &f
}

func (r *results) refusalsCost(s *jobSource) *finding {
	if len(r.opts.reject) < 2 {
		return nil
	}
	lo, hi := r.opts.reject[0], r.opts.reject[0]
	for _, x := range r.opts.reject {
		lo, hi = min(lo, x), max(hi, x)
	}
	f := finding{says: "more refusals cost more"}
	var seen []bool
	for _, p := range r.opts.policies {
		if p == sm {
			continue // spends its budget in any case
		}
		a, b := mean(r.cell(s, lo, p), cost), mean(r.cell(s, hi, p), cost)
		if s.name == grid5000 && a == 0 && b == 0 {
			continue
		}
		seen = append(seen, b > a)
		f.shown = append(f.shown, fmt.Sprintf("%s %s and %s", p.label(), dollars(a), dollars(b)))
	}
	if len(f.shown) == 0 {
		return nil
	}
	f.shown[0] = fmt.Sprintf("At %s and %s: %s", percent(lo), percent(hi), f.shown[0])
	f.verdict = judge(seen)
	f.why = "Where the credits are used up in any case, refusals change where jobs run and not what it costs."
	return &f
}

func (r *results) sameMakespan(s *jobSource) *finding {
	f := finding{says: "makespans hardly differ"}
	var seen []bool
	r.each(s, allPolicies, func(reject float64, c []*cell) {
		least, most := mean(c[0], makespan), mean(c[0], makespan)
		for _, x := range c {
			least, most = min(least, mean(x, makespan)), max(most, mean(x, makespan))
		}
		seen = append(seen, most <= (1+hardly)*least)
		f.shown = append(f.shown, fmt.Sprintf("at %s %s to %s s", percent(reject), decimal.Grouped(decimal.Fixed(least, 0)), decimal.Grouped(decimal.Fixed(most, 0))))
	})
	f.verdict = judge(seen)
	return &f
}
