package main

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

type jsonInstance struct {
	Kind         string      `json:"kind"`
	Instance     string      `json:"instance"`
	Processes    int         `json:"processes"`
	ComputeUnits json.Number `json:"compute_units"`
	OnDemand     string      `json:"on_demand"`
	PerUnit      string      `json:"per_unit"`
	Chosen       bool        `json:"chosen"`
}

type jsonModel struct {
	Kind        string       `json:"kind"`
	Application string       `json:"application"`
	Model       string       `json:"model"`
	Error       *json.Number `json:"error"` // nil: it could not be fitted
	Runs        int          `json:"runs"`
	Chosen      bool         `json:"chosen"`
}

type jsonCheck struct {
	Kind        string       `json:"kind"`
	Application string       `json:"application"`
	Case        string       `json:"case"`
	Left        string       `json:"left"`
	Processes   int          `json:"processes"`
	Measured    json.Number  `json:"measured_s"`
	Predicted   *json.Number `json:"predicted_s"`
	Lower       *json.Number `json:"lower_s"`
	Upper       *json.Number `json:"upper_s"`
}

type jsonOption struct {
	Kind        string      `json:"kind"`
	Application string      `json:"application"`
	Case        string      `json:"case"`
	Choice      string      `json:"choice,omitempty"`
	Verdict     string      `json:"verdict,omitempty"`
	Processes   int         `json:"processes"`
	Instances   int         `json:"instances"`
	Time        json.Number `json:"time_s"`
	Upper       json.Number `json:"upper_s"`
	Cost        string      `json:"cost"`
	Outside     string      `json:"outside"`
}

type jsonSchedule struct {
	Kind         string      `json:"kind"`
	Application  string      `json:"application"`
	Case         string      `json:"case"`
	Estimate     json.Number `json:"estimate_s"`
	PriorityRate json.Number `json:"priority_rate"`
	Agent        string      `json:"agent"`
	LowBid       string      `json:"low_bid"`
	MediumBid    string      `json:"medium_bid"`
	Planned      string      `json:"planned"`
	PlannedBid   *string     `json:"planned_bid"` // nil: no spot
	Expected     string      `json:"expected_cost"`
}

type jsonRule struct {
	Kind          string `json:"kind"`
	Application   string `json:"application"`
	Case          string `json:"case"`
	Rule          string `json:"rule"`
	Starts        int    `json:"starts"`
	Met           int    `json:"met"`
	Missed        int    `json:"missed"`
	Cost          string `json:"cost"`
	OnDemand      string `json:"on_demand_cost"`
	Interruptions int    `json:"interruptions"`
}

type jsonLease struct {
	Kind        string      `json:"kind"`
	Application string      `json:"application"`
	Case        string      `json:"case"`
	Rule        string      `json:"rule"`
	Agent       string      `json:"agent"`
	Bid         *string     `json:"bid"` // nil: on demand
	From        json.Number `json:"from_s"`
	To          json.Number `json:"to_s"`
	End         string      `json:"end"`
	Cost        string      `json:"cost"`
}

type jsonFinding struct {
	Kind    string `json:"kind"`
	Says    string `json:"says"`
	Shown   string `json:"shown"`
	CameOut bool   `json:"came_out"`
}

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

func (r *results) writeJSON(w io.Writer) error {
	var rows []any
	types := r.in.types
	if r.o.spot != "" {
		types = []perfmodel.Instance{r.in.instance}
	}
	for _, t := range types {
		rows = append(rows, jsonInstance{"instance", t.Name, t.Processes, decimal.Number(t.ComputeUnits, 3), t.Hourly.String(), decimal.Fixed(t.Hourly.Float64()/t.ComputeUnits, 6), t.Name == r.in.instance.Name})
	}
	for _, f := range r.fitted {
		for m := machine; m < models; m++ {
			if s := f.scores[m]; s.tried {
				rows = append(rows, jsonModel{"model", f.profile.Application, m.String(), finite(s.error), s.runs, m == f.chosen})
			}
		}
	}
	for _, f := range r.fitted {
		for k, checks := range [...][]check{f.checks, f.grown} {
			left := [...]string{"run", "largest"}[k]
			for _, c := range checks {
				rows = append(rows, jsonCheck{"check", f.profile.Application, c.run.Case, left, c.run.Processes, *finite(c.run.Seconds), finite(c.estimate.Seconds), finite(c.estimate.Lower), finite(c.estimate.Upper)})
			}
		}
	}
	for _, s := range r.sized {
		option := func(kind string, x *perfmodel.Option) jsonOption {
			return jsonOption{
				Kind: kind, Application: s.task.Application, Case: s.task.Name, Processes: x.Processes, Instances: x.Instances,
				Time: rounded(x.Time), Upper: rounded(x.Upper), Cost: x.Cost.String(), Outside: x.Outside.String(),
			}
		}
		for i := range s.front {
			rows = append(rows, option("front", &s.front[i]))
		}
		for k := range s.choices {
			p := &s.choices[k]
			x := option("choice", &p.Best)
			x.Choice, x.Verdict = choiceName(k).String(), verdictOf(p.Verdict)
			rows = append(rows, x)
		}
		rows = append(rows, r.scheduleRows(s)...)
	}
	for _, f := range r.findings {
		rows = append(rows, jsonFinding{"finding", f.says, f.shown, f.cameOut})
	}
	return jsonrows.Write(w, rows)
}

func (r *results) scheduleRows(s *sized) (rows []any) {
	x := s.scheduled
	if x == nil {
		return nil
	}
	text := func(m pricing.Money) *string { t := m.String(); return &t }
	app, name := s.task.Application, s.task.Name
	row := jsonSchedule{
		Kind: "schedule", Application: app, Case: name, Estimate: rounded(x.task.Estimate), PriorityRate: decimal.Number(x.rate, 4), Agent: x.tier.String(),
		LowBid: x.low.String(), MediumBid: x.medium.String(), Planned: x.decision.Action.String(), Expected: decimal.Fixed(x.decision.Cost, 4),
	}
	if x.decision.Action == spot.BidSpot {
		row.PlannedBid = text(x.decision.Bid)
	}
	rows = append(rows, row)
	for k := range x.runs {
		t := &x.runs[k]
		rows = append(rows, jsonRule{"rule", app, name, ways[k].name, t.starts, t.met, t.missed, t.cost.String(), t.onDemand.String(), t.interruptions})
	}
	for k := range x.runs {
		for _, l := range x.runs[k].leases {
			row := jsonLease{"lease", app, name, ways[k].name, l.Tier.String(), nil, rounded(l.Launched - x.at), rounded(l.Ended - x.at), l.End.String(), l.Cost.String()}
			if l.Tier != spot.TierHigh {
				row.Bid = text(l.Bid)
			}
			rows = append(rows, row)
		}
	}
	return rows
}
