package spotsim

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// planned is what a plan led to.
type planned struct {
	finish               time.Duration
	cost                 pricing.Money
	leases, interrupted  int
	both, stopped, lower int // decisions of interest
}

// followPlan does what a planner says, with no framework, agents or simulator: a
// second implementation of what they do with it together. On demand reads the
// checkpoint that there is when its task starts.
func followPlan(t *testing.T, p *spot.Planner, task *Task, cfg *Options) (r planned) {
	h, c := &cfg.History, &task.Checkpoints
	now, saved := task.Submit, time.Duration(0)
	pay := func(m pricing.Money, err error) {
		if err != nil {
			t.Fatal(err)
		}
		r.cost += m * pricing.Money(task.Instances)
		r.leases++
	}
	for range 10_000 {
		d := p.Decide(spot.BidState{Now: now, Price: h.At(now), Saved: saved})
		switch d.Action {
		case spot.BidWait:
			now += d.For
			continue
		case spot.BidOnDemand:
			length := task.Latency + task.Remaining(saved)
			pay(cfg.Meter.Cost(cfg.OnDemand, length))
			r.finish = now + length
			return r
		}
		if d.Bid < cfg.OnDemand {
			r.lower++
		}
		launch, begin, from := now, task.Latency, time.Duration(0)
		if task.Remaining(saved) < task.Estimate {
			begin, from = begin+c.Restart, saved
		}
		finish := launch + task.Latency + task.SpotRun(saved)
		gone, ok := h.NextAbove(launch, d.Bid)
		if !ok {
			gone = spot.Never
		}
		held := func(at time.Duration) time.Duration {
			if at = min(at, gone); c.Every == 0 || at-launch < begin {
				return saved
			}
			return max(saved, from+min((task.Estimate-from-1)/c.Every, (at-launch-begin)/(c.Every+c.Write))*c.Every)
		}
		for {
			next := min(now+d.For, finish, gone)
			if now = next; now == finish || now == gone {
				break
			}
			d = p.Decide(spot.BidState{Now: now, Price: h.At(now), Saved: saved, Running: true, Elapsed: now - launch, Bid: d.Bid})
			if d.Stop || d.Action != spot.BidSpot {
				break
			}
		}
		switch {
		case now == finish:
			pay(cfg.Spot.Cost(*h, launch, now-launch, pricing.EndedByUser))
			r.finish = now
			return r
		case now == gone:
			pay(cfg.Spot.Cost(*h, launch, now-launch, pricing.EndedByProvider))
			r.interrupted++
		case d.Action == spot.BidBoth && !d.Stop:
			r.both++
			own := now + task.Latency
			own += task.Remaining(held(own))
			r.finish = min(own, finish)
			if gone < r.finish {
				pay(cfg.Spot.Cost(*h, launch, gone-launch, pricing.EndedByProvider))
				r.interrupted++
				r.finish = own
			} else {
				pay(cfg.Spot.Cost(*h, launch, r.finish-launch, pricing.EndedByUser))
			}
			pay(cfg.Meter.Cost(cfg.OnDemand, r.finish-now))
			return r
		default:
			r.stopped++
			pay(cfg.Spot.Cost(*h, launch, now-launch, pricing.EndedByUser))
		}
		saved = held(now)
	}
	t.Fatal("the task does not end")
	return r
}

// A task under a plan ends when, and costs what, the decisions of its planner lead
// to: with and without checkpoints and a second cluster, by the hour and by the
// second, with interruptions and bids below the highest. Seed 8.
func TestPlannedDoesWhatThePlanSays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 20))
	var s Simulator
	var e spot.ChainEstimator
	var p spot.Planner
	var all planned
	taken := 0 // interrupted
	for k, mk := range spikyMarkets(2, 20) {
		for i := range 400 {
			task := randomTasks(&mk.history, 1, rnd.IntN(2) == 0, rnd)[0]
			task.Instances = 2
			slack := task.Deadline - task.Submit - task.Latency - task.Estimate
			task.Estimate = task.Estimate/4/time.Minute*time.Minute + 30*time.Minute
			task.Deadline = task.Submit + task.Latency + task.Estimate + slack/4
			if task.Checkpoints.Every > 0 && rnd.IntN(2) == 0 {
				task.Checkpoints.Every = 40 * time.Minute
			}
			cfg := Options{
				History: mk.history, OnDemand: mk.onDemand, Setup: time.Duration(rnd.IntN(3)) * 5 * time.Minute,
				Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Alone: rnd.IntN(2) == 0,
				Handover: spot.Handover{Rule: spot.RulePlanned},
			}
			if rnd.IntN(2) == 0 {
				cfg.Spot, cfg.Meter = pricing.EC2SpotPerSecond, pricing.EC2PerSecond
			}
			chain, err := e.Estimate(cfg.History, max(0, task.Submit-30*24*time.Hour), task.Submit)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Solve(spot.Market{Chain: chain, Spot: cfg.Spot, OnDemand: cfg.OnDemand, Meter: cfg.Meter, Beside: !cfg.Alone}, &task.Task, task.Submit); err != nil {
				t.Fatal(err)
			}
			if i%10 > 0 { // in the others the simulator plans itself
				cfg.Plan = func(_ *spot.Task, s spot.BidState) spot.BidDecision {
					s.Price = cfg.History.At(s.Now)
					return p.Decide(s)
				}
			}
			want := followPlan(t, &p, &task, &cfg)
			r, err := s.Run([]Task{task}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if o := r.Tasks[0]; o.Finish != want.finish || o.Cost != want.cost || o.Leases != want.leases || o.Interruptions != want.interrupted {
				t.Fatalf("market %d: %+v, want %+v; %+v", k, o, want, r.Leases)
			}
			all.both += want.both
			all.stopped += want.stopped
			all.lower += want.lower
			if want.interrupted > 0 {
				taken++
			}
		}
	}
	if min(all.both, all.stopped, all.lower, taken) < 20 {
		t.Errorf("drawn: %d beside, %d stopped, %d lower bids, %d interrupted; want 20 of each", all.both, all.stopped, all.lower, taken)
	}
}

// What a plan with a second cluster promises is what tasks cost in the simulator on
// the average over prices drawn from its model, and no deadline is missed. With
// checkpoints they may cost less: the plan does not count on one that is written
// while the second cluster boots. Seed 2013.
func TestPlannedBesideCostsWhatItPromises(t *testing.T) {
	const hour, milli = time.Hour, pricing.Milli
	chain := spot.PriceChain{
		Step:   10 * time.Minute,
		Tops:   []pricing.Money{210 * milli, 600 * milli, 2000 * milli},
		Prices: []pricing.Money{210 * milli, 600 * milli, 2000 * milli},
		Move:   []float64{.97, .02, .01, .10, .80, .10, .20, .20, .60},
	}
	for _, c := range []struct {
		name   string
		spot   pricing.SpotMeter
		meter  pricing.Meter
		slack  time.Duration
		checks spot.Checkpoints
	}{
		{"hourly", pricing.EC2SpotHourly, pricing.EC2Hourly, 2 * hour, spot.Checkpoints{}},
		{"per second", pricing.EC2SpotPerSecond, pricing.EC2PerSecond, 3 * hour, spot.Checkpoints{}},
		{"checkpoints", pricing.EC2SpotPerSecond, pricing.EC2PerSecond, hour, spot.Checkpoints{Every: 100 * time.Minute, Write: time.Minute}},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := Task{Task: spot.Task{Estimate: 3*hour + 50*time.Minute, Latency: 4 * time.Minute, Instances: 1, Checkpoints: c.checks}}
			task.Deadline = task.Latency + task.Estimate + c.slack
			market := spot.Market{Chain: chain, Spot: c.spot, OnDemand: 1300 * milli, Meter: c.meter, Beside: true}
			var p spot.Planner
			if err := p.Solve(market, &task.Task, 0); err != nil {
				t.Fatal(err)
			}
			promise := p.Decide(spot.BidState{Price: chain.Tops[0]}).Cost
			h := pricing.SpotHistory{Times: make([]time.Duration, 60), Prices: make([]pricing.Money, 60), End: 60 * chain.Step}
			cfg := Options{
				History: h, OnDemand: market.OnDemand, Spot: c.spot, Meter: c.meter, Handover: spot.Handover{Rule: spot.RulePlanned},
				Plan: func(_ *spot.Task, s spot.BidState) spot.BidDecision {
					s.Price = h.At(s.Now)
					return p.Decide(s)
				},
			}
			rnd := rand.New(rand.NewPCG(2013, 8))
			var s Simulator
			const runs = 8000
			sum, squares, hedged := 0.0, 0.0, 0
			for range runs {
				level := 0
				for k := range h.Times {
					h.Times[k], h.Prices[k] = time.Duration(k)*chain.Step, chain.Prices[level]
					u := rnd.Float64()
					row := chain.Move[3*level : 3*level+3]
					for level = 0; level < 2 && u >= row[level]; level++ {
						u -= row[level]
					}
				}
				r, err := s.Run([]Task{task}, cfg)
				if err != nil {
					t.Fatal(err)
				}
				if r.Missed > 0 {
					t.Fatalf("missed: %+v", r)
				}
				for _, l := range r.Leases {
					if l.End == LeaseWithdrawn {
						hedged++
					}
				}
				v := r.Cost.Float64()
				sum += v
				squares += v * v
			}
			mean := sum / runs
			se := math.Sqrt((squares/runs - mean*mean) / runs)
			t.Logf("promised %.4f, paid %.4f ± %.4f on average, %d second clusters", promise, mean, se, hedged)
			if mean > promise+4*se || c.checks.Every == 0 && mean < promise-4*se {
				t.Errorf("promised %.4f, paid %.4f ± %.4f on average", promise, mean, se)
			}
			if hedged < runs/20 {
				t.Errorf("only %d tasks had a second cluster", hedged)
			}
		})
	}
}
