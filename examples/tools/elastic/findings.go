package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A claim is something that [Marshall12] says about policies, at each rejection rate.
type claim struct {
	on    string // a workload, "" for both
	says  string
	needs []policy // nil: those that were run
	// see compares the policies that the claim needs at a rate.
	see func(reject float64, c []*cell) sight
	any bool              // one rate is enough
	why map[string]string // the reason where the claim does not come out, for each sight that has its key
}

// A sight is what a comparison at one rate shows.
type sight struct {
	full, half bool   // the claim comes out, or half of it does
	text       string // "": the claim cannot be judged at this rate
	why        string // keys of claim.why
}

// Words of the paper as numbers.
const (
	nearly     = .95 // of the most: "most or nearly so"
	hardly     = .02 // "hardly differ"
	wellAbove  = 1.5 // times: "well above"
	paperQueue = .58 // "by up to 58%"
	paperCost  = .38 // "by up to 38%"
	atLeast    = .9  // of the paper's number, since it says "up to"
	aqtpSaving = .40 // "about 40%"
	aqtpLonger = .18 // for "18%" more
)

// findings judges the claims on a workload by what was run.
func (r *results) findings(s *jobSource) (all []finding.Finding) {
	if s.log != nil || !r.setups[0].lab || r.setups[0].spots() || r.opts.local != elastic.Marshall12Local {
		return nil // the paper says nothing of it
	}
	add := func(f finding.Finding) {
		if f.Shown != "" {
			all = append(all, f)
		}
	}
	claims := r.claims(s)
	for i := range claims {
		if i == len(claims)-1 {
			add(r.refusalsCost(s))
		}
		if c := &claims[i]; c.on == "" || c.on == s.name {
			add(r.judge(s, c))
		}
	}
	return all
}

// judge looks at a claim at each rate at which its policies were run.
func (r *results) judge(s *jobSource, c *claim) finding.Finding {
	var shown []string
	var full []bool
	some, all, why := false, false, ""
	for _, at := range r.setups {
		var cells []*cell
		for i := range r.cells {
			if x := &r.cells[i]; c.needs == nil && x.source == s && x.setup == at {
				cells = append(cells, x)
			}
		}
		for _, p := range c.needs {
			if x := r.cell(s, at, p); x != nil {
				cells = append(cells, x)
			}
		}
		if len(cells) == 0 || len(cells) < len(c.needs) || slices.ContainsFunc(cells, func(x *cell) bool { return math.IsNaN(mean(x, awrt)) }) {
			continue
		}
		if x := c.see(at.reject, cells); x.text != "" {
			full, some, all = append(full, x.full), some || x.half, all || x.full
			shown = append(shown, fmt.Sprintf("at %s %s", percent(at.reject), x.text))
			why += x.why
		}
	}
	f := finding.Finding{Verdict: finding.Judge(full...), Says: c.says, Shown: strings.Join(shown, "; ")}
	if c.any && all {
		f.Verdict = finding.CameOut
	} else if f.Verdict == finding.DidNot && some {
		f.Verdict = finding.InPart
	}
	var reasons []string
	for _, key := range []string{"", "M", "S"} {
		if text := c.why[key]; text != "" && strings.Contains(why, key) {
			reasons = append(reasons, text)
		}
	}
	f.Why = strings.Join(reasons, " ")
	return f
}

func dollars(x float64) string { return "$" + amount(x) }

func mean(c *cell, f func(*oneRun) float64) float64 { return c.over(f).mean }

// awrtOf writes a response time.
func awrtOf(c *cell) string { return decimal.Fixed(hours(mean(c, awrt)), 2) + " h" }

// wins counts the runs in which a is below b.
func wins(a, b *cell, f func(*oneRun) float64) (n int) {
	for i := range a.runs {
		if f(&a.runs[i]) < f(&b.runs[i]) {
			n++
		}
	}
	return n
}

// than writes a change in whole percent.
func than(change float64) string {
	if change < 0 {
		return rounded(-change) + " less"
	}
	return rounded(change) + " more"
}

// rounded is a share in whole percent.
func rounded(x float64) string { return decimal.Fixed(100*x, 0) + "%" }

// most returns the cell with the greatest mean of a figure, or with the least if sign is
// negative; the first of equals.
func most(cells []*cell, f func(*oneRun) float64, sign float64) *cell {
	best := cells[0]
	for _, x := range cells {
		if sign*mean(x, f) > sign*mean(best, f) {
			best = x
		}
	}
	return best
}

// claims returns what the paper says, in the order in which it is told.
func (r *results) claims(s *jobSource) []claim {
	bursts := func(format string) string { return fmt.Sprintf(format, sustained, s.bursts, r.opts.runs) }
	noBursts := bursts("It needs bursts of more than the %d cores that SM holds, and only %d of %d samples have one")
	if s.arrivals == "poisson" {
		noBursts += ": see -arrivals campaigns"
	}
	return []claim{{
		says: "SM costs most or nearly so", needs: allPolicies,
		see: func(reject float64, c []*cell) sight {
			own, next := mean(c[0], cost), most(c[1:], cost, 1)
			return sight{full: own >= nearly*mean(next, cost), text: fmt.Sprintf("%s, then %s with %s", dollars(own), next.policy.label(), dollars(mean(next, cost)))}
		},
		why: map[string]string{"": "Renewals of the instances on which jobs run may cost more than accrues."},
	}, {
		on: feitelson, says: "OD and OD++ have the lowest AWRT", needs: allPolicies,
		see: func(reject float64, c []*cell) sight {
			best := most(c, awrt, -1)
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
			x := sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("OD %s and OD++ %s", awrtOf(c[1]), awrtOf(c[2]))}
			if !onMean {
				x.text += fmt.Sprintf(", but %s %s", best.policy.label(), awrtOf(best))
			}
			x.text += fmt.Sprintf(" (one of the two is first in %d of %d runs)", first, len(best.runs))
			switch best.policy.kind {
			case sm:
				x.why = "S"
			case mcop:
				x.why = "M"
			}
			return x
		},
		why: map[string]string{
			"M": "OD and OD++ turn to the commercial cloud as soon as the private one refuses, which is most of their cost and leaves fewer credits for a burst; MCOP weighs the whole queue, and asks the private cloud again.",
			"S": fmt.Sprintf("SM has instances up before jobs come, and only %d of %d samples need more than its %d.", s.bursts, r.opts.runs, sustained),
		},
	}, {
		on: feitelson, says: "OD and OD++ have a lower AWRT than SM", needs: []policy{{kind: sm}, {kind: od}, {kind: odPlus}},
		see: func(reject float64, c []*cell) sight {
			a, b, base := mean(c[1], awrt), mean(c[2], awrt), mean(c[0], awrt)
			inA, inB, runs := wins(c[1], c[0], awrt), wins(c[2], c[0], awrt), len(c[0].runs)
			onMean, inMost := a < base && b < base, 2*inA > runs && 2*inB > runs
			return sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("SM %s, OD %s (lower in %d of %d runs), OD++ %s (in %d)", awrtOf(c[0]), awrtOf(c[1]), inA, runs, awrtOf(c[2]), inB)}
		},
		why: map[string]string{"": noBursts + "."},
	}, {
		on: feitelson, says: "AQTP saves about 40% for about 18% more AWRT, in one case", needs: []policy{{kind: odPlus}, {kind: aqtp}}, any: true,
		see: func(reject float64, c []*cell) (x sight) {
			base := mean(c[0], cost)
			if base == 0 {
				return x
			}
			saving, longer := 1-mean(c[1], cost)/base, mean(c[1], awrt)/mean(c[0], awrt)-1
			near := func(x, paper float64) bool { return x > paper/2 && x < 1.5*paper }
			return sight{full: near(saving, aqtpSaving) && near(longer, aqtpLonger), half: saving > 0 && longer > 0,
				text: fmt.Sprintf("it costs %s than OD++ for %s AWRT", than(-saving), than(longer))}
		},
		why: map[string]string{"": fmt.Sprintf("How far it goes depends on r and θ, which the paper does not give for its evaluation (here its example, %v h and %v min) and on how many jobs wait: where few do, it launches for one at a time.",
			r.opts.aqtp.Response.Hours(), r.opts.aqtp.Threshold.Minutes())},
	}, {
		on: feitelson, says: "MCOP-80-20 is cheaper and slower than MCOP-20-80", needs: []policy{mcop2080, mcop8020},
		see: func(reject float64, c []*cell) sight {
			onMean := mean(c[1], cost) < mean(c[0], cost) && mean(c[1], awrt) > mean(c[0], awrt)
			cheaper, slower, runs := wins(c[1], c[0], cost), wins(c[0], c[1], awrt), len(c[0].runs)
			inMost := 2*cheaper > runs && 2*slower > runs
			return sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("%s and %s against %s and %s (cheaper in %d of %d runs, slower in %d)",
				dollars(mean(c[1], cost)), awrtOf(c[1]), dollars(mean(c[0], cost)), awrtOf(c[0]), cheaper, runs, slower)}
		},
		why: map[string]string{"": "Where no job waits for long there is nothing to trade, and the two do the same."},
	}, {
		on: feitelson, says: "when most requests are refused, OD++ costs well above MCOP-80-20 ($1,811 in the paper), and its jobs wait for less (5 h against 12.5 h)", needs: []policy{{kind: odPlus}, mcop8020},
		see: func(reject float64, c []*cell) (x sight) {
			if reject <= .5 {
				return x
			}
			a, b := mean(c[0], cost), mean(c[1], cost)
			qa, qb := mean(c[0], awqt), mean(c[1], awqt)
			dearer, sooner, runs := wins(c[1], c[0], cost), wins(c[0], c[1], awqt), len(c[0].runs)
			above := a > wellAbove*b && 2*dearer > runs
			return sight{full: above && qa < qb && 2*sooner > runs, half: above, text: fmt.Sprintf("%s more (dearer in %d of %d runs), and AWQT %s h against %s h (less in %d)",
				dollars(a-b), dearer, runs, decimal.Fixed(hours(qa), 2), decimal.Fixed(hours(qb), 2), sooner)}
		},
		why: map[string]string{"": "The costs agree in kind. MCOP does not wait for longer here: it asks the private cloud for the whole queue at each evaluation, and with what is refused it asks again."},
	}, {
		on: grid5000, says: "AQTP and MCOP cost nothing", needs: []policy{{kind: aqtp}, mcop2080, mcop8020},
		see: func(reject float64, c []*cell) sight {
			x := sight{full: true}
			var costs []string
			for _, y := range c {
				x.full = x.full && mean(y, cost) == 0
				costs = append(costs, dollars(mean(y, cost)))
			}
			x.text = strings.Join(costs, ", ")
			return x
		},
		why: map[string]string{"": "Some samples have a burst that the private cloud does not serve."},
	}, {
		on: grid5000, says: "the jobs primarily use local resources",
		see: func(reject float64, c []*cell) sight {
			least, most := 1., 0.
			for _, x := range c {
				local := mean(x, coreHours(0))
				share := local / (local + mean(x, coreHours(1)) + mean(x, coreHours(2)))
				least, most = min(least, share), max(most, share)
			}
			return sight{full: least > .5, text: fmt.Sprintf("%s to %s of the core-hours", rounded(least), rounded(most))}
		},
	}, {
		says: "flexible policies cut queued time by up to 58% and cost by up to 38% against SM (counted if one policy has nine tenths of both)", needs: allPolicies,
		see: func(reject float64, c []*cell) (x sight) {
			base, price := mean(c[0], awqt), mean(c[0], cost)
			if base == 0 || price == 0 {
				return x
			}
			nearest := math.Inf(-1) // the policy that comes nearest to both
			for _, y := range c[1:] {
				queue, cheaper := 1-mean(y, awqt)/base, 1-mean(y, cost)/price
				if near := min(queue/paperQueue, cheaper/paperCost); near > nearest {
					nearest = near
					x.text = fmt.Sprintf("%s has %s queued time and %s cost", y.policy.label(), than(-queue), than(-cheaper))
				}
				x.half = x.half || queue >= atLeast*paperQueue || cheaper >= atLeast*paperCost
			}
			x.full = nearest >= atLeast
			return x
		},
		why: map[string]string{"": bursts("To cut what jobs wait under SM takes bursts of more than its %d cores, which %d of %d samples have.")},
	}, {
		says: "makespans hardly differ", needs: allPolicies,
		see: func(reject float64, c []*cell) sight {
			least, most := mean(most(c, makespan, -1), makespan), mean(most(c, makespan, 1), makespan)
			return sight{full: most <= (1+hardly)*least, text: fmt.Sprintf("%s to %s s", decimal.Grouped(decimal.Fixed(least, 0)), decimal.Grouped(decimal.Fixed(most, 0)))}
		},
	}}
}

// refusalsCost compares the least and the greatest rejection rate.
func (r *results) refusalsCost(s *jobSource) (f finding.Finding) {
	lo, hi := r.setups[0], r.setups[0]
	for _, x := range r.setups {
		if x.reject < lo.reject {
			lo = x
		}
		if x.reject > hi.reject {
			hi = x
		}
	}
	var shown []string
	var seen []bool
	for _, p := range r.opts.policies {
		if p.kind == sm || lo == hi {
			continue // SM spends its budget in any case
		}
		a, b := mean(r.cell(s, lo, p), cost), mean(r.cell(s, hi, p), cost)
		if s.name == grid5000 && a == 0 && b == 0 {
			continue
		}
		seen = append(seen, b > a)
		shown = append(shown, fmt.Sprintf("%s %s and %s", p.label(), dollars(a), dollars(b)))
	}
	if shown == nil {
		return f
	}
	return finding.Finding{
		Verdict: finding.Judge(seen...), Says: "more refusals cost more", Shown: fmt.Sprintf("at %s and %s: %s", percent(lo.reject), percent(hi.reject), strings.Join(shown, "; ")),
		Why: "Where the credits are used up in any case, refusals change where jobs run and not what it costs.",
	}
}
