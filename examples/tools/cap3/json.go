package main

import (
	"encoding/json"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// finite is a number of so many digits, nil for what is none. Times of runs are from
// microseconds to years, so that decimals would not do.
func finite(x float64) *json.Number {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	decimals := 6
	if x != 0 {
		decimals = min(12, max(0, 5-int(math.Floor(math.Log10(math.Abs(x))))))
	}
	n := decimal.Number(x, decimals)
	return &n
}

// rounded is a predicted time: of milliseconds, for what is behind them may differ
// from machine to machine.
func rounded(d time.Duration) json.Number { return decimal.Seconds(d.Round(time.Millisecond)) }

// rows has the objects that -h lists.
func (r *results) rows() any {
	var rows []jsonrows.Row
	add := func(kind string, row ...any) { rows = append(rows, append(jsonrows.Row{"kind", kind}, row...)) }
	t := &r.in.instance
	add("instance", "instance", t.Name, "processes", t.Processes, "on_demand", t.Hourly.String())
	for _, f := range r.fitted {
		for m := eq1; m < models; m++ {
			if s := f.scores[m]; s.tried {
				add("model", "application", f.profile.Application, "model", m.String(), "error", finite(s.error), "runs", s.runs, "chosen", m == f.chosen)
			}
		}
	}
	for _, f := range r.fitted {
		for k, checks := range [...][]check{f.checks, f.grown} {
			left := [...]string{"run", "largest"}[k]
			for _, c := range checks {
				add("check", "application", f.profile.Application, "case", c.run.Case, "left", left, "processes", c.run.Processes,
					"measured_s", finite(c.run.Seconds), "predicted_s", finite(c.estimate.Seconds), "lower_s", finite(c.estimate.Lower), "upper_s", finite(c.estimate.Upper))
			}
		}
	}
	for _, s := range r.sized {
		task := jsonrows.Row{"application", s.task.Application, "case", s.task.Name}
		of := func(kind string, row ...any) { add(kind, append(task[:4:4], row...)...) }
		option := func(x *sizing.Size) jsonrows.Row {
			upper := x.Upper // that of the choice sure; others were sized without
			if e, err := s.estimate(r.o, x.Processes); err == nil && upper == x.Time {
				upper = toDuration(e.Upper)
			}
			return jsonrows.Row{"processes", x.Processes, "instances", x.Instances, "time_s", rounded(x.Time), "upper_s", rounded(upper), "cost",
				x.Cost.String(), "outside", x.Outside.String()}
		}
		for i := range s.front {
			of("front", option(&s.front[i])...)
		}
		for k := range s.choices {
			p := &s.choices[k]
			of("choice", append(jsonrows.Row{"choice", choiceName(k).String(), "verdict", verdictOf(p.Verdict)}, option(&p.Best)...)...)
		}
		x := s.scheduled
		if x == nil {
			continue
		}
		var bid any // nil: no spot
		if x.decision.Action == spot.BidSpot {
			bid = x.decision.Bid.String()
		}
		of("schedule", "estimate_s", rounded(x.task.Estimate), "planned", x.decision.Action.String(), "planned_bid", bid, "expected_cost",
			decimal.Fixed(x.decision.Cost, 4),
			"starts", x.starts, "met", x.met, "missed", x.missed, "cost", x.cost.String(), "on_demand_cost", x.onDemand.String(), "interruptions", x.interruptions)
		for _, l := range x.leases {
			var bid any // nil: on demand
			if l.Tier != spot.TierHigh {
				bid = l.Bid.String()
			}
			of("lease", "bid", bid, "from_s", rounded(l.Launched-x.at), "to_s", rounded(l.Ended-x.at), "end", l.End, "cost", l.Cost.String())
		}
	}
	return rows
}
