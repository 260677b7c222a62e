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
	types := r.in.types
	if r.o.spot != "" {
		types = []sizing.InstanceType{r.in.instance}
	}
	for _, t := range types {
		add("instance", "instance", t.Name, "processes", t.Processes, "compute_units", decimal.Number(t.ComputeUnits, 3), "on_demand", t.Hourly.String(),
			"per_unit", decimal.Fixed(t.Hourly.Float64()/t.ComputeUnits, 6), "chosen", t.Name == r.in.instance.Name)
	}
	for _, f := range r.fitted {
		for m := machine; m < models; m++ {
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
			return jsonrows.Row{"processes", x.Processes, "instances", x.Instances, "time_s", rounded(x.Time), "upper_s", rounded(upper), "cost", x.Cost.String(), "outside", x.Outside.String()}
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
		of("schedule", "estimate_s", rounded(x.task.Estimate), "priority_rate", decimal.Number(x.rate, 4), "agent", x.tier.String(), "low_bid", x.low.String(),
			"medium_bid", x.medium.String(), "planned", x.decision.Action.String(), "planned_bid", bid, "expected_cost", decimal.Fixed(x.decision.Cost, 4))
		for k := range x.runs {
			t := &x.runs[k]
			of("rule", "rule", r.o.way(k).name, "starts", t.starts, "met", t.met, "missed", t.missed, "cost", t.cost.String(), "on_demand_cost", t.onDemand.String(), "interruptions", t.interruptions)
		}
		for k := range x.runs {
			for _, l := range x.runs[k].leases {
				var bid any // nil: on demand
				if l.Tier != spot.TierHigh {
					bid = l.Bid.String()
				}
				of("lease", "rule", r.o.way(k).name, "agent", l.Tier.String(), "bid", bid, "from_s", rounded(l.Launched-x.at), "to_s", rounded(l.Ended-x.at), "end", l.End.String(), "cost", l.Cost.String())
			}
		}
	}
	for i := range r.figures {
		f := &r.figures[i]
		add("figure", "application", f.s.task.Application, "case", f.s.task.Name, "cap3_processes", f.ours.Processes, "customer_processes", f.theirs.Processes, "agent", f.tier.String(),
			"cap3_in_time", f.meets, "cap3_in_budget", f.within, "customer_in_time", f.meets2, "customer_in_budget", f.theirs2,
			"cap3_cost", f.ours.Cost.String(), "customer_cost", f.theirs.Cost.String(), "spot_share", decimal.Fixed(f.bid, 4))
		for k := range f.types {
			p := &f.types[k]
			add("type", "application", f.s.task.Application, "case", f.s.task.Name, "instance", r.in.types[k].Name, "processes", p.Processes, "cost", p.Cost.String(), "time_s", rounded(p.Time), "figure", true)
		}
	}
	r.clientRows(add)
	for _, t := range r.typed {
		for k := range t.sizes {
			if p := &t.sizes[k]; p.Verdict == sizing.Fits {
				add("type", "application", t.s.task.Application, "case", t.s.task.Name, "instance", r.in.types[k].Name, "processes", p.Best.Processes, "cost", p.Best.Cost.String(), "time_s", rounded(p.Best.Time), "figure", false)
			}
		}
	}
	for _, f := range append(r.findings[:len(r.findings):len(r.findings)], r.judgeFigures()...) {
		row := f.Row()
		add(row.Kind, "verdict", row.Verdict, "says", row.Says, "shown", row.Shown, "why", row.Why)
	}
	return rows
}
