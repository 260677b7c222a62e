package main

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/spotprices"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// rules are those of cap3 run. A plan of a size is tried by planned.
var rules = [...]struct {
	name string
	rule spot.Rule
}{{"paper", spot.RulePaper}, {"safe", spot.RuleSafe}, {"no-return", spot.RuleNoReturn}, {"hedged", spot.RuleHedged}, {"planned", spot.RulePlanned}}

// A scheduled task has a plan, and what came of it.
type scheduled struct {
	task     spot.Task     // as it is handed in first, at the time at
	at       time.Duration // on the clock of the history
	decision spot.BidDecision
	tried
}

// tried is what came of the plan.
type tried struct {
	starts        int
	possible      int // that on demand would have met
	met, notMet   int
	missed        int // of those possible
	cost          pricing.Money
	onDemand      pricing.Money // of all on demand
	interruptions int
	first         spotsim.Outcome
	leases        []spotsim.Lease // of the first start
	bids          []spotsim.Lease // of all starts, those on spot
}

// schedule hands the choice in at moments of the history.
func (r *results) schedule(s *sized, line *progress.Line) (*scheduled, error) {
	o, in := r.o, r.in
	p := s.picked(o)
	if p.Verdict == sizing.Unprofiled {
		return nil, nil
	}
	wrong := func(err error) error { return cli.Mistakef("%s: %v", nameOf(s.task), err) }
	h := in.history
	from, to := r.startsWithin()
	task := spot.Task{
		Estimate: p.Best.Upper, Latency: o.latency, Instances: p.Best.Instances,
		Checkpoints: spot.Checkpoints{Every: o.checkpoint},
	}
	if o.checkpoint > 0 {
		task.Checkpoints.Write, task.Checkpoints.Restart = o.checkpointCost, o.checkpointCost
	}
	var tasks []spotsim.Task
	for k := range o.starts {
		at := from
		if o.starts > 1 {
			at += time.Duration(float64(to-from) * float64(k) / float64(o.starts-1)).Truncate(time.Second)
		}
		t := spotsim.Task{Task: task, Submit: at, Runtime: p.Best.Time}
		t.ID, t.Deadline = int64(k), at+o.deadline
		tasks = append(tasks, t)
	}
	x := &scheduled{task: tasks[0].Task, at: tasks[0].Submit}
	if err := x.task.Validate(); err != nil {
		return nil, wrong(err)
	}
	chains := spot.ChainEstimator{Step: spotprices.Step(o.deadline)}
	chain, err := chains.Estimate(h, max(h.Start(), x.at-pastWanted), x.at)
	if err != nil {
		return nil, wrong(err)
	}
	var planner spot.Planner
	if err := planner.Solve(spot.Market{Chain: chain, Spot: in.spot, OnDemand: in.instance.Hourly, Meter: in.instance.Meter, Beside: true}, &x.task,
		x.at); err != nil {
		return nil, wrong(err)
	}
	x.decision = planner.Decide(spot.BidState{Now: x.at, Price: h.At(x.at)})
	var simulator spotsim.Simulator
	x.starts = len(tasks)
	for k := range tasks {
		line.Showf("%s: start %d of %d", nameOf(s.task), k+1, len(tasks))
		res, err := simulator.Run(tasks[k:k+1], spotsim.Options{
			History: h, OnDemand: in.instance.Hourly, Spot: in.spot, Meter: in.instance.Meter, Handover: spot.Handover{Rule: spot.RulePlanned}, Step: spotprices.Step(o.deadline),
		})
		if err == nil {
			err = x.add(&res)
		}
		if err != nil {
			return nil, wrong(err)
		}
	}
	return x, nil
}

// add adds what came of a start.
func (t *tried) add(r *spotsim.Result) (err error) {
	if t.met+t.notMet == 0 {
		t.first = r.Tasks[0]
		t.leases = append(t.leases, r.Leases...)
	}
	for _, l := range r.Leases {
		if l.Tier != spot.TierHigh {
			t.bids = append(t.bids, l)
		}
	}
	t.possible += r.Possible
	t.met += r.Met
	t.notMet += 1 - r.Met
	t.missed += r.Missed
	t.interruptions += r.Interruptions
	if t.cost, err = t.cost.Add(r.Cost); err == nil {
		t.onDemand, err = t.onDemand.Add(r.OnDemandOnly)
	}
	return err
}

// startsWithin returns when tasks may be handed in: after 30 days of past prices, or
// half of what there is before a last deadline.
func (r *results) startsWithin() (from, to time.Duration) {
	h := r.in.history
	to = h.End - r.o.deadline
	past := min(pastWanted, max(pastLeast, (to-h.Start())/2))
	return h.Start() + past, to
}
