package marshall12

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// An assertion is something that [Marshall12] says about policies, at each rejection rate.
type assertion struct {
	place, says, paper string
	on                 string           // a workload, "" for both
	needs              []renting.Policy // nil: those that were run
	any                bool             // one rate is enough
	// see compares the policies that the assertion needs at a rate.
	see func(reject float64, c []*renting.Cell) sight
	why map[string]string // the reason where the assertion does not come out, for each sight that has its key
}

// A sight is what a comparison at one rate shows.
type sight struct {
	full, half bool   // the assertion comes out, or half of it does
	text       string // "": the assertion cannot be judged at this rate
	why        string // a key of assertion.why
}

func (x sight) verdict() claim.Verdict {
	switch {
	case x.full:
		return claim.Yes
	case x.half:
		return claim.InPart
	}
	return claim.No
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

var (
	policySM   = renting.Policy{Kind: renting.SM}
	policyOD   = renting.Policy{Kind: renting.OD}
	policyPlus = renting.Policy{Kind: renting.ODPlus}
	policyAQTP = renting.Policy{Kind: renting.AQTP}
	mcop2080   = renting.Policy{Kind: renting.MCOP, Weight: 20}
	mcop8020   = renting.Policy{Kind: renting.MCOP, Weight: 80}
)

// claims judges what the paper says by what was run: at each rate, and between the rates.
func (r *results) claims() (list []claim.Claim) {
	if r.Opts.Local != elastic.Marshall12Local {
		return nil // the paper says nothing of it
	}
	for _, s := range r.Sources {
		said := slices.DeleteFunc(r.assertions(s), func(a assertion) bool { return a.on != "" && a.on != s.Name })
		for _, at := range r.Setups {
			for i := range said {
				if c, ok := r.judge(s, at, &said[i]); ok && !said[i].any {
					list = append(list, c)
				}
			}
		}
		for i := range said {
			if c, ok := r.judgeOnce(s, &said[i]); ok {
				list = append(list, c)
			}
		}
		if c, ok := r.refusalsCost(s); ok {
			list = append(list, c)
		}
	}
	return list
}

// judgeOnce looks at an assertion for which one rate is enough, at the rate at which it comes
// out best.
func (r *results) judgeOnce(s *renting.Source, a *assertion) (best claim.Claim, found bool) {
	for _, at := range r.Setups {
		if c, ok := r.judge(s, at, a); a.any && ok && (!found || c.Verdict > best.Verdict) {
			best, found = c, true
			best.On, best.Ours = s.Title(), fmt.Sprintf("at %s %s", renting.Percent(at.Reject), c.Ours)
		}
	}
	return best, found
}

// judge looks at an assertion at a rate, if its policies were run and ended jobs.
func (r *results) judge(s *renting.Source, at *renting.Setup, a *assertion) (c claim.Claim, ok bool) {
	var cells []*renting.Cell
	for i := range r.Cells {
		if x := &r.Cells[i]; a.needs == nil && x.Source == s && x.Setup == at {
			cells = append(cells, x)
		}
	}
	for _, p := range a.needs {
		if x := r.Cell(s, at, p); x != nil {
			cells = append(cells, x)
		}
	}
	if len(cells) == 0 || len(cells) < len(a.needs) || slices.ContainsFunc(cells, func(x *renting.Cell) bool { return math.IsNaN(x.Mean(renting.Response)) }) {
		return c, false
	}
	x := a.see(at.Reject, cells)
	c = claim.Claim{On: fmt.Sprintf("%s, %s refused", s.Title(), renting.Percent(at.Reject)), Place: a.place, Text: a.says, Paper: a.paper, Ours: x.text,
		Verdict: x.verdict()}
	return c.Because(a.why[x.why]), x.text != ""
}

func dollars(x float64) string { return "$" + renting.Amount(x) }

// responseOf writes a response time.
func responseOf(c *renting.Cell) string { return hours(c, renting.Response) + " h" }

func hours(c *renting.Cell, f func(*renting.Run) float64) string { return decimal.Fixed(c.Mean(f), 2) }

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
func most(cells []*renting.Cell, f func(*renting.Run) float64, sign float64) *renting.Cell {
	best := cells[0]
	for _, x := range cells {
		if sign*x.Mean(f) > sign*best.Mean(f) {
			best = x
		}
	}
	return best
}

// lowest compares OD and OD++, the second and third cell, with the others.
func lowest(reject float64, c []*renting.Cell) sight {
	best := most(c, renting.Response, -1)
	first := 0 // runs in which one of the two, and no other, has the lowest
	for i := range best.Runs {
		own, other := min(c[1].Runs[i].AWRT, c[2].Runs[i].AWRT), c[0].Runs[i].AWRT
		for _, x := range c[3:] {
			other = min(other, x.Runs[i].AWRT)
		}
		if own < other {
			first++
		}
	}
	onMean, inMost := best == c[1] || best == c[2], 2*first > len(best.Runs)
	x := sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("OD %s, OD++ %s", responseOf(c[1]), responseOf(c[2]))}
	if !onMean {
		x.text += fmt.Sprintf(", %s %s", best.Policy.Label(), responseOf(best))
	}
	x.text += fmt.Sprintf("; first in %d of %d", first, len(best.Runs))
	switch best.Policy.Kind {
	case renting.SM:
		x.why = "S"
	case renting.MCOP:
		x.why = "M"
	}
	return x
}

// traded compares MCOP-20-80 and MCOP-80-20.
func traded(reject float64, c []*renting.Cell) sight {
	onMean := c[1].Mean(renting.Cost) < c[0].Mean(renting.Cost) && c[1].Mean(renting.Response) > c[0].Mean(renting.Response)
	cheaper, slower, runs := c[1].Wins(c[0], renting.Cost), c[0].Wins(c[1], renting.Response), len(c[0].Runs)
	inMost := 2*cheaper > runs && 2*slower > runs
	return sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("%s, %s; %s, %s; in %d and %d of %d",
		dollars(c[1].Mean(renting.Cost)), responseOf(c[1]), dollars(c[0].Mean(renting.Cost)), responseOf(c[0]), cheaper, slower, runs)}
}

// refused compares OD++ and MCOP-80-20 where most requests are refused.
func refused(reject float64, c []*renting.Cell) (x sight) {
	if reject <= .5 {
		return x
	}
	a, b := c[0].Mean(renting.Cost), c[1].Mean(renting.Cost)
	dearer, sooner, runs := c[1].Wins(c[0], renting.Cost), c[0].Wins(c[1], renting.Queued), len(c[0].Runs)
	above := a > wellAbove*b && 2*dearer > runs
	less := c[0].Mean(renting.Queued) < c[1].Mean(renting.Queued) && 2*sooner > runs
	return sight{full: above && less, half: above, text: fmt.Sprintf("%s more (in %d of %d); %s h, %s h (less in %d)",
		dollars(a-b), dearer, runs, hours(c[0], renting.Queued), hours(c[1], renting.Queued), sooner)}
}

// flexible looks for the policy that comes nearest to both cuts against SM, the first cell.
func flexible(reject float64, c []*renting.Cell) (x sight) {
	base, price := c[0].Mean(renting.Queued), c[0].Mean(renting.Cost)
	if base == 0 || price == 0 {
		return x
	}
	nearest := math.Inf(-1)
	for _, y := range c[1:] {
		queue, cheaper := 1-y.Mean(renting.Queued)/base, 1-y.Mean(renting.Cost)/price
		if near := min(queue/paperQueue, cheaper/paperCost); near > nearest {
			nearest = near
			x.text = fmt.Sprintf("%s: queue %s, cost %s", y.Policy.Label(), than(-queue), than(-cheaper))
		}
		x.half = x.half || queue >= atLeast*paperQueue || cheaper >= atLeast*paperCost
	}
	x.full = nearest >= atLeast
	return x
}

// assertions returns what the paper says, in the order in which it is told.
func (r *results) assertions(s *renting.Source) []assertion {
	bursts := fmt.Sprintf("%d of %d samples have a burst of more than the %d cores that SM holds", r.bursts[s], r.Opts.Runs, sustained)
	noBursts := "It needs bursts, and only " + bursts
	if s.Arrivals == "poisson" {
		noBursts += ": see -arrivals campaigns"
	}
	cost, response := renting.Cost, renting.Response
	return []assertion{{
		place: "Fig. 4", says: "SM costs most or nearly so", needs: renting.AllPolicies,
		see: func(reject float64, c []*renting.Cell) sight {
			own, next := c[0].Mean(cost), most(c[1:], cost, 1)
			return sight{full: own >= nearly*next.Mean(cost), text: fmt.Sprintf("%s; %s %s", dollars(own), next.Policy.Label(), dollars(next.Mean(cost)))}
		},
		why: map[string]string{"": "Renewals of the instances on which jobs run may cost more than accrues."},
	}, {
		place: "Fig. 2", on: renting.Feitelson, says: "OD and OD++ have the lowest AWRT", needs: renting.AllPolicies, see: lowest,
		why: map[string]string{
			"M": "OD and OD++ turn to the commercial cloud as soon as the private one refuses, which is most of their cost and leaves fewer credits for a burst; " +
				"MCOP weighs the whole queue, and asks the private cloud again.",
			"S": "SM has instances up before jobs come, and only " + bursts + ".",
		},
	}, {
		place: "Fig. 2", on: renting.Feitelson, says: "OD and OD++ have a lower AWRT than SM", needs: []renting.Policy{policySM, policyOD, policyPlus},
		see: func(reject float64, c []*renting.Cell) sight {
			a, b, base := c[1].Mean(response), c[2].Mean(response), c[0].Mean(response)
			inA, inB, runs := c[1].Wins(c[0], response), c[2].Wins(c[0], response), len(c[0].Runs)
			onMean, inMost := a < base && b < base, 2*inA > runs && 2*inB > runs
			return sight{full: onMean && inMost, half: onMean || inMost, text: fmt.Sprintf("SM %s, OD %s, OD++ %s; lower in %d and %d of %d", responseOf(c[0]),
				responseOf(c[1]), responseOf(c[2]), inA, inB, runs)}
		},
		why: map[string]string{"": noBursts + "."},
	}, {
		place: "V", on: renting.Feitelson, says: "AQTP saves against OD++ for more AWRT, in one case", paper: "40%, 18%", any: true,
		needs: []renting.Policy{policyPlus, policyAQTP},
		see: func(reject float64, c []*renting.Cell) (x sight) {
			base := c[0].Mean(cost)
			if base == 0 {
				return x
			}
			saving, longer := 1-c[1].Mean(cost)/base, c[1].Mean(response)/c[0].Mean(response)-1
			near := func(x, paper float64) bool { return x > paper/2 && x < 1.5*paper }
			return sight{full: near(saving, aqtpSaving) && near(longer, aqtpLonger), half: saving > 0 && longer > 0,
				text: fmt.Sprintf("cost %s, AWRT %s", than(-saving), than(longer))}
		},
		why: map[string]string{"": fmt.Sprintf("How far it goes depends on r and θ, which the paper does not give for its evaluation "+
			"(here its example, %v h and %v min) and on how many jobs wait: where few do, it launches for one at a time.",
			r.Opts.AQTP.Response.Hours(), r.Opts.AQTP.Threshold.Minutes())},
	}, {
		place: "Fig. 4", on: renting.Feitelson, says: "MCOP-80-20 is cheaper and slower than MCOP-20-80", needs: []renting.Policy{mcop2080, mcop8020}, see: traded,
		why: map[string]string{"": "Where no job waits for long there is nothing to trade, and the two do the same."},
	}, {
		place: "V", on: renting.Feitelson, paper: "$1,811 more; 5 h, 12.5 h",
		says:  "when most requests are refused, OD++ costs well above MCOP-80-20, and its jobs wait for less",
		needs: []renting.Policy{policyPlus, mcop8020}, see: refused,
		why: map[string]string{"": "The costs agree in kind. MCOP does not wait for longer here: " +
			"it asks the private cloud for the whole queue at each evaluation, and with what is refused it asks again."},
	}, {
		place: "Fig. 4", on: renting.Grid5000, says: "AQTP and MCOP cost nothing", paper: "$0", needs: []renting.Policy{policyAQTP, mcop2080, mcop8020},
		see: func(reject float64, c []*renting.Cell) sight {
			x := sight{full: true}
			var costs []string
			for _, y := range c {
				x.full = x.full && y.Mean(cost) == 0
				costs = append(costs, dollars(y.Mean(cost)))
			}
			x.text = strings.Join(costs, ", ")
			return x
		},
		why: map[string]string{"": "Some samples have a burst that the private cloud does not serve."},
	}, {
		place: "Fig. 3", on: renting.Grid5000, says: "the jobs primarily use local resources",
		see: func(reject float64, c []*renting.Cell) sight {
			least, most := 1., 0.
			for _, x := range c {
				local := x.Mean(renting.CoreHours(0))
				share := local / (local + x.Mean(renting.CoreHours(1)) + x.Mean(renting.CoreHours(2)))
				least, most = min(least, share), max(most, share)
			}
			return sight{full: least > .5, text: fmt.Sprintf("%s to %s", rounded(least), rounded(most))}
		},
	}, {
		place: "Abstract", paper: "up to 58%, 38%",
		says: "flexible policies cut queued time and cost against SM (nine tenths of both, by one policy)", needs: renting.AllPolicies, see: flexible,
		why: map[string]string{"": "To cut what jobs wait under SM takes bursts, and only " + bursts + "."},
	}, {
		place: "V", says: "makespans hardly differ", needs: renting.AllPolicies,
		see: func(reject float64, c []*renting.Cell) sight {
			least, most := most(c, renting.Makespan, -1).Mean(renting.Makespan), most(c, renting.Makespan, 1).Mean(renting.Makespan)
			return sight{full: most <= (1+hardly)*least, text: fmt.Sprintf("%s to %s h", decimal.Fixed(least, 1), decimal.Fixed(most, 1))}
		},
	}}
}

// refusalsCost compares the least and the greatest rejection rate.
func (r *results) refusalsCost(s *renting.Source) (c claim.Claim, ok bool) {
	lo, hi := r.Setups[0], r.Setups[0]
	for _, x := range r.Setups {
		if x.Reject < lo.Reject {
			lo = x
		}
		if x.Reject > hi.Reject {
			hi = x
		}
	}
	var shown []string
	var seen []bool
	for _, p := range r.Opts.Policies {
		if p.Kind == renting.SM || lo == hi {
			continue // SM spends its budget in any case
		}
		a, b := r.Cell(s, lo, p).Mean(renting.Cost), r.Cell(s, hi, p).Mean(renting.Cost)
		if s.Name == renting.Grid5000 && a == 0 && b == 0 {
			continue
		}
		seen = append(seen, b > a)
		shown = append(shown, fmt.Sprintf("%s %s and %s", p.Label(), dollars(a), dollars(b)))
	}
	if shown == nil {
		return c, false
	}
	c = claim.Holds("Fig. 4", fmt.Sprintf("more refusals cost more (%s and %s)", renting.Percent(lo.Reject), renting.Percent(hi.Reject)),
		strings.Join(shown, "; "), seen...)
	c.On = s.Title()
	return c.Because("Where the credits are used up in any case, refusals change where jobs run and not what it costs."), true
}
