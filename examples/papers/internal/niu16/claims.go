package niu16

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
)

// near is how far a number may be from the paper's, as a fraction of that, to have
// come out.
const near = .15

// claims compares the findings of [Niu16] on its log with this log.
func (s *study) claims() (list []claim.Claim) {
	for _, part := range []func() []claim.Claim{s.example, s.ofModes, s.ofOwned, s.ofGrowth, s.ofBuying, s.ofClouds, s.ofOverhead} {
		list = append(list, part()...)
	}
	for i := range list {
		list[i].On = s.log.Title()
	}
	return list
}

// example has the claims of Fig. 2.
func (s *study) example() (list []claim.Claim) {
	for i, x := range fig2Modes {
		list = append(list, claim.Number("Fig. 2", "utilisation of "+x.mode.String()+", % (jobs ours)", x.utilisation, s.drawn[i].utilisation, near, 1))
	}
	return append(list, claim.Number("Fig. 2", "wait of local, minutes (jobs ours)", 15, s.drawn[1].wait.Minutes(), near, 1))
}

// ofModes has the claims of Fig. 4a and Table 1.
func (s *study) ofModes() []claim.Claim {
	m, base := s.modes, s.modes[semielastic.Individual]
	sec, nowait, hybrid, gce := m[semielastic.SEC], m[semielastic.NoWait], m[semielastic.Hybrid], m[semielastic.GCE]
	saving := func(r result) float64 { return 100 * (1 - r.pure/base.pure) }
	longer := func(r result) float64 { return 100 * (float64(r.wait)/float64(base.wait) - 1) }
	number := func(text string, paper, ours float64) claim.Claim {
		return claim.Number("Fig. 4a", text, paper, ours, near, 1)
	}
	list := []claim.Claim{
		number("saving of sec over individual, %", 13.3, saving(sec)),
		number("saving of hybrid over individual, pure, %", 61.0, saving(hybrid)),
		number("saving of gce over individual, %", 35.4, saving(gce)),
		number("wait of sec against individual, %", -24.2, longer(sec)),
		number("wait of gce against individual, %", 18.4, longer(gce)).Because("The paper does not state its boot times at Google."),
		number("utilisation of gce, %", 98.4, 100*gce.utilisation),
		claim.Holds("Fig. 4a", "gce has the highest utilisation", "", gce.utilisation > max(base.utilisation, nowait.utilisation, sec.utilisation)),
		number("wait of nowait, s", 82, nowait.wait.Seconds()),
		claim.Holds("Fig. 4a", "nowait waits least and costs nearer to individual than to hybrid", "",
			nowait.wait < min(base.wait, sec.wait, gce.wait), base.pure-nowait.pure < nowait.pure-hybrid.pure),
	}
	papers := map[string]float64{"cluster" + medium: 73.66, "cluster" + light: 15.75, "clusteron-demand": 10.59, "users aloneon-demand": 99.85}
	for _, row := range s.table1.rows {
		if paper, ok := papers[row[0]+row[1]]; ok {
			share, _ := strconv.ParseFloat(row[4], 64)
			c := claim.Number("Table 1", row[0]+", "+row[1]+", %", paper, 100*share, near, 2)
			if row[0] != "cluster" {
				c = c.Because("The paper does not state its rule for users.")
			}
			list = append(list, c)
		}
	}
	return list
}

// ratio is a over b in words.
func ratio(a, b float64) string {
	if b == 0 {
		return "infinite"
	}
	return decimal.Fixed(a/b, 3)
}

// ofOwned has the claims of Fig. 4b.
func (s *study) ofOwned() []claim.Claim {
	h := s.modes[semielastic.Hybrid]
	return []claim.Claim{
		claim.Holds("Fig. 4b", "local-1.5x is cheaper than hybrid", ratio(s.local[2].pure, h.pure)+" of its rate", s.local[2].pure < h.pure),
		claim.Number("Fig. 4b", "wait of local-1.5x over hybrid's", 4.8, float64(s.local[2].wait)/float64(h.wait), near, 1),
		claim.Number("Fig. 4b", "rate of local-1.75x over hybrid's", 1, s.local[3].pure/h.pure, near, 2).
			Because("Owning is prorated to the log's part of three years at the prices of Table 3."),
		claim.Holds("Fig. 4b", "hybrid waits less than local-2x", ratio(float64(h.wait), float64(s.local[4].wait))+" of its wait", h.wait < s.local[4].wait),
	}
}

// ofGrowth has the claims about T_waitlmt, T_short, placements and overestimates.
func (s *study) ofGrowth() []claim.Claim {
	waits, rates := monotone(len(waitLimits), func(i int) result { return s.at(i, 2, 0) })
	shortWaits, shortRates := monotone(len(shorts), func(i int) result { return s.at(1, i, 0) })
	cheapest, quickest := true, true
	for p := range places {
		cheapest = cheapest && s.at(1, 2, 0).total <= s.at(1, 2, p).total
		quickest = quickest && s.at(1, 2, 1).wait <= s.at(1, 2, p).wait
	}
	// The other three "perform very close to each other and provide a compromise".
	others := []result{s.at(1, 2, 2), s.at(1, 2, 3), s.at(1, 2, 4)}
	between := true
	for _, r := range others {
		between = between && r.total >= s.at(1, 2, 0).total && r.total <= s.at(1, 2, 1).total && r.wait <= s.at(1, 2, 0).wait && r.wait >= s.at(1, 2, 1).wait
	}
	spread := func(of func(result) float64) float64 {
		least, most := math.Inf(1), math.Inf(-1)
		for _, r := range others {
			least, most = min(least, of(r)), max(most, of(r))
		}
		return 100 * (most/least - 1)
	}
	rate, wait := spread(func(r result) float64 { return r.total }), spread(func(r result) float64 { return float64(r.wait) })
	change := 0.0
	for j := range expands {
		least, most := math.Inf(1), 0.0
		for i := range alphas {
			u := s.estimate[i*len(expands)+j].utilisation
			least, most = min(least, u), max(most, u)
		}
		change = max(change, 100*(most-least))
	}
	return []claim.Claim{
		claim.Holds("Fig. 5", "wait rises with T_waitlmt", "", waits),
		claim.Holds("Fig. 5", "rate falls with T_waitlmt", "", rates),
		claim.Holds("Fig. 5", "wait rises with T_short", "", shortWaits),
		claim.Holds("Fig. 5", "rate falls with T_short", "", shortRates),
		claim.Holds("8.3", "max-margin costs least of the placements", "", cheapest),
		claim.Holds("8.3", "min-margin waits least of the placements", "", quickest),
		claim.Within("8.3", "the other three placements differ in rate by, % (very close; bound ours)", 0, 1, rate, rate, 2),
		claim.Within("8.3", "the other three placements differ in wait by, % (very close; bound ours)", 0, 5, wait, wait, 1),
		claim.Holds("8.3", "the other three placements are between the two by margin in rate and wait", "", between),
		claim.Within("Fig. 6", "overestimation changes utilisation by at most, % points", 0, .95, change, change, 2).
			Because("Exact estimates make the difference: they say which jobs are short."),
	}
}

// ofBuying has the claims of Fig. 7, of the paper's own method (Eq. (7), factors of Trigg and
// Leach, greedy rule), and of ours.
func (s *study) ofBuying() (list []claim.Claim) {
	for _, x := range []string{"online-paper", "online"} {
		r := s.rates
		one := min(r[x+"-1y-only"], r[x+"-3y-only"])
		over, above := 100*(r[x]/r["offline-greedy"]-1), 100*(r[x]/r["offline-exact"]-1)
		here, why := ratio(r[x], one)+" of the better", ""
		if r[x] == one {
			here, why = "the same as the better", "One term has all that both terms buy."
		}
		list = append(list,
			claim.Holds("Fig. 7", x+" costs less than "+x+" with one term only", here, r[x] < one).
				Because(why),
			claim.Holds("Fig. 7", x+" costs less than on demand only", ratio(r[x], r["on-demand-only"])+" of it", r[x] < r["on-demand-only"]),
			claim.Within("Fig. 7", x+" over offline greedy, pure, % (very close; bounds ours)", -10, 10, over, over, 1),
			claim.Within("Fig. 7", x+" over the exact optimum in hindsight, pure, % (very close; bounds ours)", 0, 10, above, above, 1))
	}
	return list
}

// ofClouds has the claims of Fig. 8.
func (s *study) ofClouds() []claim.Claim {
	others := []float64{100 * s.below(0), 100 * s.below(1), 100 * s.below(3)}
	return []claim.Claim{
		claim.Within("Fig. 8", "both clouds below the better one at r = 0.8, %", 2.8, 10.9, 100*s.below(2), 100*s.below(2), 1).
			Because("The better EC2's reservations are bought, the less Google adds."),
		claim.Number("Fig. 8", "EC2's rate over GCE's at r = 0.8", 1, s.ec2.total/s.ratio[2].gce.total, near, 2),
		claim.Within("Fig. 8", "both clouds below the better one at r = 1, 0.9, 0.7: less, or dearer, % (lower bound ours)", -10, 100*s.below(2),
			slices.Min(others), slices.Max(others), 1),
	}
}

// ofOverhead has the claims of Fig. 9.
func (s *study) ofOverhead() []claim.Claim {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range waitLimits {
		for j := range expands {
			wait, rate := s.changes(i, j)
			low[0], high[0] = min(low[0], 100*wait), max(high[0], 100*wait)
			low[1], high[1] = min(low[1], 100*rate), max(high[1], 100*rate)
		}
	}
	return []claim.Claim{
		claim.Within("Fig. 9", "overhead, of wait, %", .5, 4.9, low[0], high[0], 2),
		claim.Within("Fig. 9", "overhead, of rate, %", .02, .37, low[1], high[1], 2),
	}
}

// beyond says what the disciplines of the queue change, and what a better choice would save,
// which the paper does not try.
func (s *study) beyond() (list []string) {
	standard := s.at(1, 2, 0)
	for d := 1; d < len(semielastic.Disciplines); d++ {
		r := s.queued(d, 1, 2, 0)
		list = append(list, fmt.Sprintf("%v instead of easy: wait %s%%, rate %s%%.", semielastic.Disciplines[d],
			decimal.Fixed(100*(float64(r.wait)/float64(standard.wait)-1), 1), decimal.Fixed(100*(r.total/standard.total-1), 2)))
	}
	all := s.choices()
	better := func(what string, ok func(c *choice) bool) {
		var best *choice
		for i := range all {
			if c := &all[i]; ok(c) && (best == nil || c.total < best.total) {
				best = c
			}
		}
		list = append(list, fmt.Sprintf("%s saves %s%% of the rate: %v.", what, decimal.Fixed(100*(1-best.total/standard.total), 2), best))
	}
	easyOnly := func(c *choice) bool { return c.discipline.String() == semielastic.Disciplines[0].String() }
	quick := func(c *choice) bool { return c.wait <= standard.wait }
	better("Another T_waitlmt, T_short and placement without more wait", func(c *choice) bool { return easyOnly(c) && quick(c) })
	better("Another T_waitlmt, T_short, placement and queue without more wait", quick)
	better("Another T_waitlmt, T_short and placement at any wait", easyOnly)
	better("Another T_waitlmt, T_short, placement and queue at any wait", func(*choice) bool { return true })
	return list
}

// monotone reports whether the wait never falls and the rate never rises, from one
// result to the next.
func monotone(n int, at func(int) result) (rising, falling bool) {
	rising, falling = true, true
	for i := 1; i < n; i++ {
		rising = rising && at(i).wait >= at(i-1).wait
		falling = falling && at(i).total <= at(i-1).total
	}
	return rising, falling
}
