package spotsim

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// tinyMeters are EC2's with hours of five minutes, so that a few minutes have all
// of their rules in them.
var tinyMeters = []pricing.SpotMeter{
	{Meter: pricing.Meter{Minimum: 5 * time.Minute, Increment: 5 * time.Minute}, Reprice: 5 * time.Minute, FreePartial: true},
	{Meter: pricing.Meter{Minimum: time.Minute, Increment: time.Second}, Reprice: 5 * time.Minute, FreeBefore: 5 * time.Minute},
	{Meter: pricing.Meter{Increment: time.Second}},
}

// leastByEnumeration tries every way to rent clusters that are launched at multiples of a
// step of whole minutes, with every bid that makes a difference, and follows each lease
// minute by minute. With safe it lets none go on to a minute from which on demand would be
// late.
func leastByEnumeration(t *Task, cfg *Options, now, saved, step time.Duration, safe bool) pricing.Money {
	return enumerate(map[[2]time.Duration]pricing.Money{}, t, cfg, now, saved, step, safe)
}

// enumerate keeps what it has found for a time and what is saved by then.
func enumerate(found map[[2]time.Duration]pricing.Money, t *Task, cfg *Options, now, saved, step time.Duration, safe bool) (best pricing.Money) {
	const m = time.Minute
	if now > t.Deadline {
		return none
	}
	if least, ok := found[[2]time.Duration{now, saved}]; ok {
		return least
	}
	defer func() { found[[2]time.Duration{now, saved}] = best }()
	best = none
	try := func(cost, rest pricing.Money) {
		if rest != none {
			best = min(best, cost+rest)
		}
	}
	try(0, enumerate(found, t, cfg, now+step, saved, step, safe))
	c := t.Checkpoints
	begin, left := time.Duration(0), t.Estimate // to read, to work
	if saved > 0 && c.Restart < saved {
		begin, left = c.Restart, t.Estimate-saved
	}
	if now+t.Latency+begin+left <= t.Deadline {
		cost, err := cfg.Meter.Cost(cfg.OnDemand, t.Latency+begin+left)
		if err != nil {
			panic(err)
		}
		try(cost, 0)
	}
	for _, bid := range cfg.History.Prices {
		if bid < cfg.History.At(now) {
			continue
		}
		kept, wait, todo, sinceSave, writing := saved, t.Latency+begin, left, time.Duration(0), time.Duration(0)
		for at := now; at < t.Deadline; {
			before := kept
			// One minute of latency, reading, writing or work.
			switch {
			case wait > 0:
				wait -= m
			case writing > 0:
				if writing -= m; writing == 0 {
					kept, sinceSave = max(kept, t.Estimate-todo), 0
				}
			default:
				todo -= m
				sinceSave += m
				if c.Every > 0 && sinceSave == c.Every && todo > 0 {
					if writing = c.Write; writing == 0 {
						kept, sinceSave = max(kept, t.Estimate-todo), 0
					}
				}
			}
			at += m
			if rest := min(t.Estimate, c.Restart+t.Estimate-before); safe && at+t.Latency+rest > t.Deadline && before > 0 || safe && before == 0 && at+t.Latency+t.Estimate > t.Deadline {
				break
			}
			if todo == 0 {
				cost, err := cfg.Spot.Cost(cfg.History, now, at-now, pricing.EndedByUser)
				if err != nil {
					panic(err)
				}
				try(cost, 0)
				break
			}
			by := pricing.EndedByUser
			taken := cfg.History.At(at) > bid
			if taken {
				by = pricing.EndedByProvider
			}
			cost, err := cfg.Spot.Cost(cfg.History, now, at-now, by)
			if err != nil {
				panic(err)
			}
			if cost < best {
				next := now + (at-now+step-1)/step*step
				try(cost, enumerate(found, t, cfg, next, kept, step, safe))
			}
			if taken {
				break
			}
		}
	}
	return best
}

// The optimum is that of enumeration.
func TestHindsightEqualsEnumeration(t *testing.T) {
	var x yardstick
	onSpot, mixed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := time.Minute
		minutes := func(lo, hi int, name string) time.Duration {
			return time.Duration(rapid.IntRange(lo, hi).Draw(t, name)) * m
		}
		h := pricing.SpotHistory{}
		for at := time.Duration(0); at < 12*m; at += minutes(1, 6, "held") {
			h.Times, h.Prices = append(h.Times, at), append(h.Prices, pricing.Money(rapid.IntRange(1, 9).Draw(t, "price"))*pricing.Unit)
		}
		h.End = 20 * m
		k := Task{Submit: minutes(0, 2, "submit")}
		k.Estimate, k.Latency, k.Instances = minutes(1, 6, "estimate"), minutes(0, 2, "latency"), 1
		k.Deadline = k.Submit + minutes(1, 9, "due")
		if rapid.Bool().Draw(t, "saves") {
			k.Checkpoints = spot.Checkpoints{Every: minutes(1, 3, "every"), Write: minutes(0, 1, "write"), Restart: minutes(0, 2, "restart")}
		}
		cfg := Options{
			History: h, OnDemand: pricing.Money(rapid.IntRange(3, 20).Draw(t, "on demand")) * pricing.Unit,
			Spot: rapid.SampledFrom(tinyMeters).Draw(t, "meter"), Meter: tinyMeters[0].Meter,
		}
		x.Safe = rapid.Bool().Draw(t, "safe")
		step := minutes(1, 3, "step")
		got, possible, err := x.Cost(k, cfg, step)
		if err != nil {
			t.Fatal(err)
		}
		want := leastByEnumeration(&k, &cfg, k.Submit, 0, step, x.Safe)
		if possible != (want != none) || possible && got != want {
			t.Fatalf("got %v, %v, want %v", got, possible, want)
		}
		if !possible {
			return
		}
		if onDemand, err := cfg.Meter.Cost(cfg.OnDemand, k.Latency+k.Estimate); err != nil || got < onDemand {
			onSpot++
		}
		if k.Checkpoints.Every > 0 && got > 0 {
			mixed++
		}
	})
	if onSpot < 20 || mixed < 20 {
		seeded.TooFew(t, "only %d cases on spot, %d with checkpoints", onSpot, mixed)
	}
}

// No rule that has one cluster at a time is cheaper than hindsight, if it meets
// the deadline and closes a cluster when the task ends: an agent that looks later
// may find that the provider has taken it for free.
func TestNoRuleBeatsHindsight(t *testing.T) {
	var s Simulator
	var x yardstick
	equal, above := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawOptions(t, drawSpotHistory(t))
		cfg.Handover.Thresholds, cfg.Handover.Interval, cfg.Alone = spot.Thresholds{}, 0, true
		task := drawTask(t)
		task.Submit += 30 * time.Minute
		task.Deadline += 30 * time.Minute
		least, possible, err := x.Cost(task, cfg, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		x := yardstick{Safe: true}
		safe, _, err := x.Cost(task, cfg, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range []spot.Rule{spot.RulePaper, spot.RuleSafe, spot.RuleNoReturn, spot.RulePlanned} {
			cfg.Handover.Rule = rule
			r, err := s.Run([]Task{task}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if o := r.Tasks[0]; o.Possible && rule >= spot.RuleNoReturn && o.Cost < safe {
				t.Fatalf("%v costs %v, safe hindsight %v: %+v", rule, o.Cost, safe, r.Leases)
			} else if o.Met && (!possible || o.Cost < least) {
				t.Fatalf("%v costs %v, hindsight %v, possible %v: %+v", rule, o.Cost, least, possible, r.Leases)
			} else if o.Met && o.Cost == least {
				equal++
			} else if o.Met {
				above++
			}
		}
	})
	if equal < 20 || above < 20 {
		seeded.TooFew(t, "as cheap as hindsight %d times, dearer %d times", equal, above)
	}
}

// What hindsight cannot take is an error.
func TestHindsightErrors(t *testing.T) {
	good := Task{Task: spot.Task{Deadline: time.Hour, Estimate: time.Minute, Instances: 1}}
	cfg := Options{History: steps(time.Hour, []time.Duration{0}, pricing.Unit), OnDemand: pricing.Unit}
	var x yardstick
	for _, c := range []struct {
		field string
		set   func(*Task, *Options)
	}{
		{"Tasks.Instances", func(t *Task, _ *Options) { t.Instances = 0 }},
		{"Tasks.Estimate", func(t *Task, _ *Options) { t.Estimate, t.Runtime = 0, time.Minute }},
		{"Tasks.Submit", func(t *Task, _ *Options) { t.Submit = -1 }},
		{"Tasks.Submit", func(t *Task, c *Options) { t.Submit, c.History.Times = -1, []time.Duration{-time.Hour} }},
		{"Tasks.Runtime", func(t *Task, _ *Options) { t.Runtime = -1 }},
		{"Tasks.Latency", func(_ *Task, c *Options) { c.Setup = time.Second }},
		{"Tasks.Deadline", func(t *Task, _ *Options) { t.Deadline = -1 }},
		{"Tasks.Deadline", func(t *Task, _ *Options) { t.Submit = t.Deadline }},
		// The estimate has a second's checkpoints, and the run 100 hours' of 1000 s a microsecond.
		{"Tasks.Checkpoints.Write", func(t *Task, _ *Options) {
			t.Estimate, t.Runtime, t.Checkpoints = time.Second, 100*time.Hour, spot.Checkpoints{Every: time.Microsecond, Write: 1000 * time.Second}
		}},
		{"Tasks.Checkpoints.Every", func(t *Task, _ *Options) { t.Checkpoints.Every = 10 * time.Microsecond }},
		{"Options.Step", func(_ *Task, c *Options) { c.Step = -1 }},
		{"Options.OnDemand", func(_ *Task, c *Options) { c.OnDemand = 0 }},
		{"Options.Setup", func(_ *Task, c *Options) { c.Setup = -1 }},
	} {
		k, f := good, cfg
		c.set(&k, &f)
		_, _, err := x.Cost(k, f, time.Second)
		var in *inputerr.Error
		if !errors.As(err, &in) || in.Field != c.field {
			t.Errorf("hindsight, %s: %v", c.field, err)
		}
		if _, err = new(Simulator).Run([]Task{k}, f); !errors.As(err, &in) || in.Field != c.field {
			t.Errorf("simulator, %s: %v", c.field, err)
		}
	}
	// Meters are those of package pricing, and so are their errors.
	for _, set := range []func(*Options){
		func(c *Options) { c.Spot = pricing.SpotMeter{Reprice: -1} },
		func(c *Options) { c.Meter = pricing.Meter{Increment: -1} },
	} {
		f := cfg
		set(&f)
		var in *pricing.InputError
		if _, _, err := x.Cost(good, f, time.Second); !errors.As(err, &in) {
			t.Errorf("hindsight with a meter of no use: %v", err)
		}
		if _, err := new(Simulator).Run([]Task{good}, f); !errors.As(err, &in) {
			t.Errorf("simulator with a meter of no use: %v", err)
		}
	}
	if _, possible, err := x.Cost(Task{Task: spot.Task{Deadline: 59 * time.Second, Estimate: time.Minute, Instances: 1}}, cfg, time.Second); possible || err != nil {
		t.Errorf("a run of a minute in 59 seconds: %v, %v", possible, err)
	}
	late := good
	late.Submit = time.Hour
	if _, err := new(Simulator).Run([]Task{good, late}, cfg); !errors.Is(err, spot.ErrPast) || err.Error() != "spotsim: Tasks[1].Deadline: deadline in the past: 1h0m0s: want a time after 1h0m0s, when the task is submitted" {
		t.Errorf("deadline in the past: %v", err)
	}
	if _, _, err := x.Cost(late, cfg, time.Second); !errors.Is(err, spot.ErrPast) {
		t.Errorf("hindsight with a deadline in the past: %v", err)
	}
	// What a plan needs.
	planned := cfg
	planned.Handover.Rule = spot.RulePlanned
	for _, c := range []struct {
		field string
		index int
		set   func(*Task, *Options)
	}{
		{"Tasks.Submit", 0, func(*Task, *Options) {}},
		{"Options.Spot", -1, func(t *Task, c *Options) { c.Step = 7 * time.Minute }},
		{"Options.Step", -1, func(t *Task, c *Options) { c.Step = time.Second; t.Deadline = 1e18 }},
	} {
		k, f := good, planned
		if k.Submit = 30 * time.Minute; c.index == 0 {
			k.Submit = 0
		}
		c.set(&k, &f)
		var in *inputerr.Error
		if _, err := new(Simulator).Run([]Task{k}, f); !errors.As(err, &in) || in.Field != c.field || in.Index != c.index {
			t.Errorf("plan, %s: %v", c.field, err)
		}
	}
	var price *pricing.InputError
	if _, _, err := x.Cost(good, Options{OnDemand: 1}, time.Second); !errors.As(err, &price) {
		t.Errorf("no history: %v", err)
	}
}

// What is just within the limits is taken: 2²⁰ checkpoints, of which the last would be
// at the end of the run and is not written.
func TestLimitsAreTaken(t *testing.T) {
	cfg := Options{History: steps(time.Hour, []time.Duration{0}, pricing.Unit), OnDemand: 2 * pricing.Unit}
	task := Task{Task: spot.Task{Deadline: 10 * time.Hour, Estimate: (1<<20 + 1) * time.Millisecond, Instances: 1, Checkpoints: spot.Checkpoints{Every: time.Millisecond}}}
	if r, err := new(Simulator).Run([]Task{task}, cfg); r.Met != 1 || err != nil {
		t.Errorf("2²⁰ checkpoints: %+v, %v", r, err)
	}
	task.Estimate++
	var in *inputerr.Error
	if _, err := new(Simulator).Run([]Task{task}, cfg); !errors.As(err, &in) || in.Field != "Tasks.Checkpoints.Every" {
		t.Errorf("one checkpoint more: %v", err)
	}
	// 2²⁸ looks of a second, to the last price and a run of an hour after it.
	task = Task{Task: spot.Task{Deadline: 10 * time.Hour, Estimate: time.Hour, Instances: 1}}
	cfg.Handover.Interval = time.Second
	last := 1<<28*time.Second - time.Hour
	for _, late := range []time.Duration{0, time.Second} {
		cfg.History = steps(replay.MaxTime, []time.Duration{0, last + late}, pricing.Unit, pricing.Unit/2)
		if r, err := new(Simulator).Run([]Task{task}, cfg); (late == 0) != (err == nil) || err == nil && r.Met != 1 {
			t.Errorf("the last price %v late: %+v, %v", late, r, err)
		}
	}
}

// What costs more than Money holds is an error, of whatever sum it is.
func TestCostOverflows(t *testing.T) {
	const much = pricing.Money(math.MaxInt64)
	hour := spot.Task{Deadline: 10 * time.Hour, Estimate: time.Hour, Instances: 1}
	var x yardstick
	var s Simulator
	for _, c := range []struct {
		name           string
		spot, onDemand pricing.Money
		tasks          int
		set            func(*Task)
	}{
		{"one lease on spot", much, much, 1, func(t *Task) { t.Estimate += time.Hour }},
		{"its instances", much / 2, much / 2, 1, func(t *Task) { t.Instances = 3 }},
		{"two leases", much / 4 * 3, much / 4 * 3, 2, func(*Task) {}},
		{"what it costs on demand only", 1, much, 1, func(t *Task) { t.Estimate += time.Hour }},
		{"the instances of that", 1, much / 2, 1, func(t *Task) { t.Instances = 3 }},
		{"two tasks on demand only", 1, much / 4 * 3, 2, func(*Task) {}},
	} {
		task := Task{Task: hour}
		c.set(&task)
		cfg := Options{History: steps(10*time.Hour, []time.Duration{0}, c.spot), OnDemand: c.onDemand, Low: flatBid(much)}
		if r, err := s.Run(slices.Repeat([]Task{task}, c.tasks), cfg); !errors.Is(err, pricing.ErrOverflow) {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if c.tasks > 1 {
			continue
		}
		// Hindsight takes what can be paid: instances at a nano an hour.
		want := pricing.Money(task.Estimate/time.Hour) * pricing.Money(task.Instances)
		cost, possible, err := x.Cost(task, cfg, time.Hour)
		if c.spot > 1 && !(possible && errors.Is(err, pricing.ErrOverflow)) || c.spot == 1 && (cost != want || !possible || err != nil) {
			t.Errorf("hindsight, %s: %v, %v, %v", c.name, cost, possible, err)
		}
	}
	// What it costs on spot only.
	dear := Options{History: steps(10*time.Hour, []time.Duration{0}, much), OnDemand: 1, Low: flatBid(much), Medium: flatBid(much)}
	long := hour
	long.Estimate += time.Hour
	if r, err := s.Run([]Task{{Task: long}}, dear); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("one lease on spot, nothing on demand: %+v, %v", r, err)
	}
	// A run that is taken away each hour, each of which costs most of what there is.
	task := Task{Task: hour}
	task.Estimate, task.Checkpoints = 2*time.Hour, spot.Checkpoints{Every: 30 * time.Minute}
	cfg := Options{
		History:  steps(10*time.Hour, []time.Duration{0, time.Hour, 2 * time.Hour}, much/4*3, much, much/4*3),
		OnDemand: much / 3, Low: flatBid(much / 4 * 3),
	}
	if r, err := s.Run([]Task{task}, cfg); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("two leases of a task: %+v, %v", r, err)
	}
	// Hindsight passes that over: half an hour is saved on a lease that is taken for free, and
	// the rest goes on demand, at half of much.
	if cost, possible, err := x.Cost(task, cfg, 30*time.Minute); cost != much/2 || !possible || err != nil {
		t.Errorf("hindsight, two leases of a task: %v, %v, %v", cost, possible, err)
	}
}
