package main

import (
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// near is how far a number may be from the paper's, as a fraction of that, to have
// come out.
const near = .15

// claims compares the findings of [Niu16] on its log with this log. A number comes out if
// it is near the paper's ("yes") or of the same sign ("direction"), an order if it holds.
func (s *study) claims(table1 figure, drawn []result, fig7 map[string]float64) figure {
	f := figure{name: "claims", header: "claim,paper,here,came_out"}
	add := func(claim, paper, here, came string) { f.rows = append(f.rows, []string{claim, paper, here, came}) }
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	number := func(claim string, paper, here float64, decimals int) {
		text, came := "infinitely much", "no"
		if finite(here) {
			text = decimal.Fixed(here, decimals)
			switch {
			case math.Abs(here-paper) <= near*math.Abs(paper):
				came = "yes"
			case here*paper > 0:
				came = "direction"
			}
		}
		add(claim, decimal.Fixed(paper, decimals), text, came)
	}
	within := func(claim string, low, high, least, most float64, decimals int) {
		span := func(a, b float64) string {
			if a == b {
				return decimal.Fixed(a, decimals)
			}
			return decimal.Fixed(a, decimals) + " to " + decimal.Fixed(b, decimals)
		}
		switch {
		case !finite(least):
			add(claim, decimal.Fixed(low, decimals)+" to "+decimal.Fixed(high, decimals), "infinitely much", "no")
		case least >= low && most <= high:
			add(claim, span(low, high), span(least, most), "yes")
		case most >= low && least <= high:
			add(claim, span(low, high), span(least, most), "in part")
		default:
			add(claim, span(low, high), span(least, most), "no")
		}
	}
	holds := func(claim string, ok bool, here string) {
		add(claim, "", here, map[bool]string{true: "yes", false: "no"}[ok])
	}
	m, base := s.modes, s.modes[individual]
	saving := func(r result) float64 { return 100 * (1 - r.pure/base.pure) }
	longer := func(r result) float64 { return 100 * (float64(r.wait)/float64(base.wait) - 1) }
	ratio := func(a, b float64) string {
		if b == 0 {
			return "infinitely much"
		}
		return decimal.Fixed(a/b, 3)
	}

	for i, x := range fig2Modes {
		number("Fig. 2: utilisation of "+x.mode.String()+", % (jobs ours, see fig2.go)", x.utilisation, drawn[i].utilisation, 1)
	}
	number("Fig. 2: wait of local, minutes (jobs ours)", 15, drawn[1].wait.Minutes(), 1)
	number("saving of sec over individual, %", 13.3, saving(m[sec]), 1)
	number("saving of hybrid over individual, pure, %", 61.0, saving(m[hybrid]), 1)
	number("saving of gce over individual, %", 35.4, saving(m[gce]), 1)
	number("wait of sec against individual, %", -24.2, longer(m[sec]), 1)
	number("wait of gce against individual, %", 18.4, longer(m[gce]), 1)
	number("utilisation of gce, %", 98.4, 100*m[gce].utilisation, 1)
	holds("gce has the highest utilisation", m[gce].utilisation > max(base.utilisation, m[nowait].utilisation, m[sec].utilisation), "")
	number("wait of nowait, s", 82, m[nowait].wait.Seconds(), 1)
	holds("nowait waits least and costs nearer to individual than to hybrid",
		m[nowait].wait < min(base.wait, m[sec].wait, m[gce].wait) && base.pure-m[nowait].pure < m[nowait].pure-m[hybrid].pure, "")

	papers := map[string]float64{"cluster" + medium: 73.66, "cluster" + light: 15.75, "clusteron-demand": 10.59, "users aloneon-demand": 99.85}
	for _, row := range table1.rows {
		if paper, ok := papers[row[0]+row[1]]; ok {
			share, _ := strconv.ParseFloat(row[4], 64)
			number("Table 1: "+row[0]+", "+row[1]+", %", paper, 100*share, 2)
		}
	}

	h := m[hybrid]
	holds("local-1.5x is cheaper than hybrid", s.local[2].pure < h.pure, ratio(s.local[2].pure, h.pure)+" of its rate")
	number("wait of local-1.5x over hybrid's", 4.8, float64(s.local[2].wait)/float64(h.wait), 1)
	number("rate of local-1.75x over hybrid's", 1, s.local[3].pure/h.pure, 2)
	holds("hybrid waits less than local-2x", h.wait < s.local[4].wait, ratio(float64(h.wait), float64(s.local[4].wait))+" of its wait")

	rising, falling := s.monotone(len(waitLimits), func(i int) result { return s.at(i, 2, 0) })
	holds("wait rises with T_waitlmt", rising, "")
	holds("rate falls with T_waitlmt", falling, "")
	rising, falling = s.monotone(len(shorts), func(i int) result { return s.at(1, i, 0) })
	holds("wait rises with T_short", rising, "")
	holds("rate falls with T_short", falling, "")
	cheapest, quickest := true, true
	for p := range places {
		cheapest = cheapest && s.at(1, 2, 0).total <= s.at(1, 2, p).total
		quickest = quickest && s.at(1, 2, 1).wait <= s.at(1, 2, p).wait
	}
	holds("max-margin costs least of the placements", cheapest, "")
	holds("min-margin waits least of the placements", quickest, "")
	// The other three "perform very close to each other and provide a compromise".
	others := []result{s.at(1, 2, 2), s.at(1, 2, 3), s.at(1, 2, 4)}
	spread := func(of func(result) float64) float64 {
		least, most := math.Inf(1), math.Inf(-1)
		for _, r := range others {
			least, most = min(least, of(r)), max(most, of(r))
		}
		return 100 * (most/least - 1)
	}
	rate, wait := spread(func(r result) float64 { return r.total }), spread(func(r result) float64 { return float64(r.wait) })
	within("the other three placements differ in rate by, % (very close; bound ours)", 0, 1, rate, rate, 2)
	within("the other three placements differ in wait by, % (very close; bound ours)", 0, 5, wait, wait, 1)
	between := true
	for _, r := range others {
		between = between && r.total >= s.at(1, 2, 0).total && r.total <= s.at(1, 2, 1).total && r.wait <= s.at(1, 2, 0).wait && r.wait >= s.at(1, 2, 1).wait
	}
	holds("the other three placements are between the two by margin in rate and wait", between, "")

	change := 0.0
	for j := range expands {
		least, most := math.Inf(1), 0.0
		for i := range alphas {
			u := s.estimate[i*len(expands)+j].utilisation
			least, most = min(least, u), max(most, u)
		}
		change = max(change, 100*(most-least))
	}
	within("overestimation changes utilisation by at most, % points", 0, .95, change, change, 2)

	// The paper's own method (Eq. (7), factors of Trigg and Leach, greedy rule), and ours.
	for _, x := range []string{"online-paper", "online"} {
		one := min(fig7[x+"-1y-only"], fig7[x+"-3y-only"])
		over := 100 * (fig7[x]/fig7["offline-greedy"] - 1)
		here := ratio(fig7[x], one) + " of the better"
		if fig7[x] == one {
			here = "the same as the better"
		}
		holds(x+" costs less than "+x+" with one term only", fig7[x] < one, here)
		holds(x+" costs less than on demand only", fig7[x] < fig7["on-demand-only"], ratio(fig7[x], fig7["on-demand-only"])+" of it")
		within(x+" over offline greedy, pure, % (very close; bounds ours)", -10, 10, over, over, 1)
		add(x+" over the exact hindsight optimum, pure, %", "", decimal.Fixed(100*(fig7[x]/fig7["offline-exact"]-1), 1), "")
	}

	within("both clouds below the better one at r = 0.8, %", 2.8, 10.9, 100*s.below(2), 100*s.below(2), 1)
	number("EC2's rate over GCE's at r = 0.8", 1, s.ec2.total/s.ratio[2].gce.total, 2)
	ratios := []float64{100 * s.below(0), 100 * s.below(1), 100 * s.below(3)}
	within("both clouds below the better one at r = 1, 0.9, 0.7: less, or dearer, % (lower bound ours)", -10, 100*s.below(2),
		slices.Min(ratios), slices.Max(ratios), 1)

	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range waitLimits {
		for j := range expands {
			wait, rate := s.changes(i, j)
			low[0], high[0] = min(low[0], 100*wait), max(high[0], 100*wait)
			low[1], high[1] = min(low[1], 100*rate), max(high[1], 100*rate)
		}
	}
	within("overhead, of wait, %", .5, 4.9, low[0], high[0], 2)
	within("overhead, of rate, %", .02, .37, low[1], high[1], 2)

	// What the disciplines of the queue change, and what a better choice would save.
	standard := s.at(1, 2, 0)
	for d := 1; d < len(disciplines); d++ {
		r := s.queued(d, 1, 2, 0)
		add(disciplines[d].String()+" instead of easy: wait and rate, %", "", decimal.Fixed(100*(float64(r.wait)/float64(standard.wait)-1), 1)+" and "+decimal.Fixed(100*(r.total/standard.total-1), 2), "")
	}
	all := s.choices()
	better := func(claim string, ok func(c *choice) bool) {
		var best *choice
		for i := range all {
			if c := &all[i]; ok(c) && (best == nil || c.total < best.total) {
				best = c
			}
		}
		add(claim, "", decimal.Fixed(100*(1-best.total/standard.total), 2)+" ("+best.String()+")", "")
	}
	easyOnly := func(c *choice) bool { return c.discipline.String() == disciplines[0].String() }
	quick := func(c *choice) bool { return c.wait <= standard.wait }
	better("rate saved by another T_waitlmt, T_short and placement without more wait, %", func(c *choice) bool { return easyOnly(c) && quick(c) })
	better("rate saved by another T_waitlmt, T_short, placement and queue without more wait, %", quick)
	better("rate saved by another T_waitlmt, T_short and placement at any wait, %", easyOnly)
	better("rate saved by another T_waitlmt, T_short, placement and queue at any wait, %", func(*choice) bool { return true })
	return f
}

// monotone reports whether the wait never falls and the rate never rises, from one
// result to the next.
func (s *study) monotone(n int, at func(int) result) (rising, falling bool) {
	rising, falling = true, true
	for i := 1; i < n; i++ {
		rising = rising && at(i).wait >= at(i-1).wait
		falling = falling && at(i).total <= at(i-1).total
	}
	return rising, falling
}
