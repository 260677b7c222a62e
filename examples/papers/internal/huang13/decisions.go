package huang13

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/papers/internal/claim"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// judged is a decision or a sum of [Huang13], what is computed here of it, and which of the
// comparisons came out.
func judged(place, says, paper, ours string, seen ...bool) claim.Claim {
	c := claim.Holds(place, says, ours, seen...)
	c.Paper = paper
	return c
}

// decisions computes the paper's decisions, on its prices.
func decisions() (list []claim.Claim, err error) {
	for _, f := range []func() (claim.Claim, error){perUnit, scaling, agents, bids, twoRuns} {
		c, err := f()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// perUnit is Table III.
func perUnit() (claim.Claim, error) {
	types := sizing.Huang13InstanceTypes()
	k, err := sizing.CheapestPerUnit(types)
	if err != nil {
		return claim.Claim{}, err
	}
	var list []string
	for _, t := range types {
		list = append(list, fmt.Sprintf("%s $%s", t.Name, unitPrice(t)))
	}
	return judged("Table III", "the cluster instance is cheapest per compute unit and hour", "$0.039 against $0.06",
		strings.Join(list, ", ")+"; chosen: "+types[k].Name,
		types[k].Name == "cc1.4xlarge" && unitPrice(types[k]) == "0.039" && unitPrice(types[0]) == "0.060",
	), nil
}

// unitPrice is the price per compute unit and hour.
func unitPrice(t sizing.InstanceType) string {
	return decimal.Fixed(t.Hourly.Float64()/t.ComputeUnits, 3)
}

// scaling is section III.A: LU scaled well as far as it was profiled, a large size was
// bought, and it did not scale there.
func scaling() (claim.Claim, error) {
	const place, says = "III.A", "LU scales well as far as it is profiled, so that the paper buys 128 processes, " +
		"which is dear, for it does not scale there; here that is seen and not bought"
	profiles, err := study()
	if err != nil {
		return claim.Claim{}, err
	}
	k := slices.IndexFunc(profiles, func(p perfmodel.Profile) bool { return p.Application == "lu" })
	profile, left := profiles[k].Unsaturated()
	features, counts := featuresOf("lu", "D", profile.Features), profile.LikelyCounts()
	shape, err := perfmodel.NPB("lu")
	if err != nil {
		return claim.Claim{}, err
	}
	m := perfmodel.LogLinear{Work: shape.Work}
	if err := m.Fit(&profile); err != nil {
		return claim.Claim{}, err
	}
	types := sizing.Huang13InstanceTypes()
	cluster := types[len(types)-1]
	task := sizing.Target{Features: features, Deadline: 2 * time.Hour, Budget: 20 * pricing.Unit, Counts: perfmodel.AppendCounts(nil, counts, 1, tableIV)}
	var pl sizing.Sizer
	held, err := pl.Size(&m, cluster, task)
	if err != nil {
		return claim.Claim{}, err
	}
	task.MaxScale = tableIV
	free, err := pl.Size(&m, cluster, task)
	if err != nil {
		return claim.Claim{}, err
	}
	// The largest case that was run on most processes, kept from the fit.
	var beyond, within *perfmodel.Run
	most := profile.MaxProcesses()
	for i := range left {
		x := &left[i]
		if beyond == nil || x.Seconds > beyond.Seconds && x.Processes >= beyond.Processes || x.Processes > beyond.Processes {
			beyond = x
		}
	}
	if beyond == nil {
		return judged(place, says, "", "no run on more processes", false), nil
	}
	for i := range profile.Runs {
		if x := &profile.Runs[i]; x.Case == beyond.Case && x.Processes == most {
			within = x
		}
	}
	e, err := perfmodel.At(&m, beyond.Features, beyond.Processes)
	if err != nil {
		return claim.Claim{}, err
	}
	// With these runs in the fit, and a law that bends: [Barnes08].
	bent := perfmodel.LogLinear{Quadratic: true, Work: m.Work}
	if err := bent.Fit(&profiles[k]); err != nil {
		return claim.Claim{}, err
	}
	learnt, err := pl.Size(&bent, cluster, task)
	if err != nil {
		return claim.Claim{}, err
	}
	shown := fmt.Sprintf("promised: %d take %s on %s for $%s; measured: LU %s on %d %s, not %s, after %s on %d; "+
		"bought: %d; with these runs the quadratic law buys at most %d",
		free.Best.Processes, clock(free.Best.Time), decimal.Count(free.Best.Instances, "instance"), dollars(free.Best.Cost),
		beyond.Case, beyond.Processes, decimal.Runtime(beyond.Seconds), decimal.Runtime(e.Seconds), decimal.Runtime(within.Seconds), most, held.Best.Processes, learnt.Best.Processes)
	return judged(place, says, "128", shown,
		free.Best.Processes == tableIV && held.Best.Processes <= most &&
			beyond.Seconds > within.Seconds && e.Seconds < within.Seconds && learnt.Best.Processes <= beyond.Processes), nil
}

// agents is Table II with its thresholds: a task of an hour, with so much slack.
func agents() (claim.Claim, error) {
	all := true
	var list []string
	for _, c := range []struct {
		minutes int // of slack
		want    spot.Tier
	}{{30, spot.TierHigh}, {59, spot.TierHigh}, {60, spot.TierMedium}, {120, spot.TierMedium}, {121, spot.TierLow}, {300, spot.TierLow}} {
		t := spot.Task{Estimate: time.Hour, Latency: 10 * time.Minute, Instances: 1}
		t.Deadline = t.Estimate + t.Latency + time.Duration(c.minutes)*time.Minute
		got := spot.Thresholds{}.Tier(&t, 0, 0)
		all = all && got == c.want
		list = append(list, fmt.Sprintf("PR %s %v", decimal.Fixed(t.PriorityRate(0, 0), 2), got))
	}
	return judged("Table II",
		"a task with PR below 1 goes on demand (agent high), from 1 to 2 on spot "+
			"with a high bid (medium), above 2 with a low one (low)", "", strings.Join(list, ", "), all), nil
}

// cents are amounts of money.
const cents = 10 * pricing.Milli

// bids is section III.B: at $1.30 on demand. The paper does not tell the prices that
// it saw; with $0.21 now and a mean of $0.30 the bids of this library are its.
func bids() (claim.Claim, error) {
	// 27 days at 0.21 and three at 1.11 have a mean of 0.30.
	day := 24 * time.Hour
	h := pricing.SpotHistory{Times: []time.Duration{0, 10 * day, 13 * day}, Prices: []pricing.Money{21 * cents, 111 * cents, 21 * cents}, End: 30 * day}
	low := spot.LowBid(h, h.End, 130*cents)
	medium := spot.MediumBid(h, h.End, 130*cents)
	return judged("III.B", "at $1.30 on demand, the bids of the agents medium and low", "$1.15, $0.21",
		fmt.Sprintf("with $%s now and $%s in the mean of 30 days, which it does not tell: $%s, $%s", dollars(h.At(h.End)), dollars(h.Mean(0, h.End)),
			dollars(medium), dollars(low)),
		medium == 115*cents && low == 21*cents,
	), nil
}

// twoRuns is BT of section III.B: interrupted after 1:20 h, and run again for four
// hours, at $0.21.
func twoRuns() (claim.Claim, error) {
	const start = 10 * 24 * time.Hour
	interrupted := start + 80*time.Minute
	h := pricing.SpotHistory{
		Times:  []time.Duration{0, interrupted, interrupted + 10*time.Minute},
		Prices: []pricing.Money{21 * cents, 200 * cents, 21 * cents}, End: 12 * 24 * time.Hour,
	}
	task := spotsim.Task{Submit: start, Task: spot.Task{Estimate: 4 * time.Hour, Instances: 1, Deadline: start + 24*time.Hour}}
	var s spotsim.Simulator
	r, err := s.Run([]spotsim.Task{task}, spotsim.Options{History: h, OnDemand: 130 * cents, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly})
	if err != nil {
		return claim.Claim{}, err
	}
	var list []string
	for _, l := range r.Leases {
		list = append(list, fmt.Sprintf("agent %v, bid $%s, %v after %s: $%s", l.Tier, dollars(l.Bid), l.End, clock(l.Ended-l.Launched), dollars(l.Cost)))
	}
	return judged("III.B", "BT's two runs on spot, the first of 1:20 h being interrupted and its last partial hour free, and on demand", "$1.05, $5.20",
		fmt.Sprintf("%s; together $%s, on demand $%s", strings.Join(list, "; "), dollars(r.Cost), dollars(r.OnDemandOnly)),
		r.Cost == 105*cents && r.OnDemandOnly == 520*cents,
	), nil
}
