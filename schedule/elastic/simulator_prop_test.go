package elastic

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// observed is a policy that checks each snapshot before another decides.
type observed struct {
	Policy
	check func(s *Snapshot)
}

func (o *observed) AppendActions(dst []Action, s *Snapshot) []Action {
	o.check(s)
	return o.Policy.AppendActions(dst, s)
}

func (o *observed) Reset() {
	if p, ok := o.Policy.(interface{ Reset() }); ok {
		p.Reset()
	}
}

// anyPolicy draws a policy, and returns a function that makes it anew.
func anyPolicy(t *rapid.T) func() Policy {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	switch rapid.IntRange(0, 4).Draw(t, "policy") {
	case 0:
		return func() Policy { return new(SM) }
	case 1, 2:
		p := OD{Plus: flag("plus"), Printed: flag("printed"), KeepFree: flag("keep")}
		return func() Policy { q := p; return &q }
	case 3:
		p := AQTP{Response: time.Duration(rapid.IntRange(1, 3).Draw(t, "r")) * 30 * time.Minute, KeepFree: flag("keep"),
			Threshold: rapid.SampledFrom([]time.Duration{0, 15 * time.Minute, 2 * time.Hour}).Draw(t, "θ"), Start: rapid.IntRange(0, 6).Draw(t, "start")}
		return func() Policy { q := p; return &q }
	}
	weight := rapid.Float64Range(0, 1).Draw(t, "weight")
	return func() Policy {
		return &MCOP{CostWeight: weight, Rand: newSource(7), Population: 6, Generations: 3}
	}
}

// anyEnvironment draws a small environment and jobs that fit it. Boots take more
// than nothing, as the reference wants.
func anyEnvironment(t *rapid.T) ([]trace.Job, Options, func() Policy) {
	minutes := func(name string, lo, hi int) time.Duration {
		return time.Duration(rapid.IntRange(lo, hi).Draw(t, name)) * time.Minute
	}
	policy := anyPolicy(t)
	cfg := Options{
		Local:       rapid.IntRange(0, 4).Draw(t, "local"),
		Policy:      policy(),
		Every:       minutes("every", 0, 25), // 0 is 5 minutes; most do not divide an hour
		RejectWhole: rapid.Bool().Draw(t, "reject whole"),
		Budget: Budget{
			Hourly:  pricing.Money(rapid.IntRange(1, 4).Draw(t, "hourly")) * pricing.Unit,
			Debt:    pricing.Money(rapid.IntRange(0, 3).Draw(t, "debt")) * pricing.Unit,
			Covered: rapid.Bool().Draw(t, "covered"),
		},
	}
	delay := func(name string) Delay {
		switch rapid.IntRange(0, 3).Draw(t, name) {
		case 0:
			return nil // the measured one
		case 1:
			return Certain(minutes(name, 1, 10))
		case 2:
			return Certain(2 * time.Hour)
		}
		return Delay{{1, time.Minute, 10 * time.Second}, {3, 90 * time.Minute, time.Minute}}
	}
	most := cfg.Local
	for i := range rapid.IntRange(0, 3).Draw(t, "clouds") {
		c := CloudOptions{
			Name:   fmt.Sprint("cloud ", i),
			Price:  pricing.Money(rapid.SampledFrom([]int{0, 5, 7, 10}).Draw(t, "price")) * pricing.Unit / 10,
			Limit:  rapid.IntRange(0, 7).Draw(t, "limit"),
			Reject: []float64{0, 0, .3, .7, 1}[rapid.IntRange(0, 4).Draw(t, "reject")],
			Boot:   delay("boot"),
			Stop:   delay("stop"),
		}
		c.Cores = rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "cores")
		c.Speed = rapid.SampledFrom([]float64{0, 0, 1, .5, 2, 1.7}).Draw(t, "speed")
		lowest := c.Price
		if !cfg.Budget.Covered {
			c.Transfer = minutes("transfer", 0, 2) * 15
			c.TransferPrice = pricing.Money(rapid.IntRange(0, 2).Draw(t, "data")) * pricing.Unit / 20
			if rapid.Bool().Draw(t, "spot") {
				c.Spot, c.Price = anySpot(t), 0
				lowest = c.Spot.lowest()
			}
		}
		if !cfg.Budget.Covered && rapid.IntRange(0, 2).Draw(t, "releases") == 0 {
			c.Release = Delay{{1, 5 * time.Minute, 3 * time.Minute}}
		}
		if lowest > 0 && rapid.Bool().Draw(t, "no limit") {
			c.Limit = NoLimit
		}
		if c.Reject < 1 && (c.Spot == nil || lowest <= c.Spot.Bid) {
			if c.Limit == NoLimit {
				most = max(most, 6)
			}
			most = max(most, c.Limit*max(1, c.Cores))
		}
		cfg.Clouds = append(cfg.Clouds, c)
	}
	if !cfg.Budget.Covered && rapid.IntRange(0, 2).Draw(t, "overhead") == 0 {
		cfg.Overhead = Delay{{1, 4 * time.Minute, 2 * time.Minute}}
	}
	cfg.Lead = rapid.SampledFrom([]time.Duration{0, 0, 3 * time.Minute, 10 * time.Minute}).Draw(t, "lead")
	if most == 0 {
		cfg.Local, most = 1, 1
	}
	var jobs []trace.Job
	at := time.Duration(0)
	for i := range rapid.IntRange(0, 12).Draw(t, "jobs") {
		at += minutes("gap", 0, 90)
		run := minutes("run", 1, 60) * time.Duration(rapid.SampledFrom([]int{1, 4, 15}).Draw(t, "times"))
		jobs = append(jobs, trace.Job{
			ID: int64(i), Submit: at, Run: run,
			Estimate: run + minutes("over", 0, 90),
			Nodes:    rapid.IntRange(1, most).Draw(t, "nodes"),
		})
	}
	cfg.Horizon = minutes("horizon", 1, 60*60)
	return jobs, cfg, policy
}

// anySpot draws a price history of a few days, and a bid.
func anySpot(t *rapid.T) *Spot {
	s := &Spot{Bid: pricing.Money(rapid.IntRange(2, 6).Draw(t, "bid")) * pricing.Unit / 10}
	at := time.Duration(0)
	for range rapid.IntRange(1, 20).Draw(t, "prices") {
		s.History.Times = append(s.History.Times, at)
		s.History.Prices = append(s.History.Prices, pricing.Money(rapid.SampledFrom([]int{1, 2, 8, 3, 15}).Draw(t, "price"))*pricing.Unit/10)
		at += time.Duration(rapid.IntRange(1, 300).Draw(t, "holds")) * time.Minute
	}
	s.History.End = at
	s.From = time.Duration(rapid.IntRange(0, 200).Draw(t, "from")) * time.Minute
	s.From = min(s.From, at)
	return s
}

// What the Simulator does is what the reference does, in every job, charge and
// level of credits, run after run with a used one. And in every snapshot: it is
// valid, no limit is passed, and the busy instances of an infrastructure are those
// of the jobs that run there, so that no job spans two.
func TestPropEnvironmentIsReference(t *testing.T) {
	var env Simulator
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		jobs, cfg, policy := anyEnvironment(t)
		seed := rapid.Uint64().Draw(t, "seed")
		before := slices.Clone(jobs)

		cfg.Rand = newSource(seed)
		want := runPlainly(jobs, cfg)

		cfg.Policy = &observed{policy(), func(s *Snapshot) {
			if err := s.Validate(); err != nil {
				t.Fatalf("at %v: %v", s.Now, err)
			}
			for i, c := range s.Clouds {
				busy, want := 0, 0
				for _, in := range c.Instances {
					if in.State == Busy {
						busy++
					}
				}
				for k, at := range env.res.Starts {
					if at >= 0 && at <= s.Now && env.ends[k] > s.Now && env.res.Places[k] == i {
						want += c.need(jobs[k].Nodes)
					}
				}
				if busy != want {
					t.Fatalf("at %v: %d busy instances at %d, and jobs of %d instances run there", s.Now, busy, i, want)
				}
				if c.Limit != NoLimit && len(c.Instances) > c.Limit {
					t.Fatalf("at %v: %d instances at %d, with a limit of %d", s.Now, len(c.Instances), i, c.Limit)
				}
			}
		}}
		cfg.Rand = newSource(seed)
		r, err := env.Run(jobs, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.outcome(), outcomeOf(r), cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-9, 1e-6)); diff != "" {
			t.Fatalf("reference and environment (-want +got):\n%s", diff)
		}
		if !slices.Equal(before, jobs) {
			t.Fatal("the jobs were changed")
		}

		// The debt rule.
		spent := pricing.Money(0)
		for _, i := range r.Infrastructures {
			spent += i.Cost
			seen["refused"] += min(1, i.Refused)
			seen["revoked"] += min(1, i.Revoked)
			seen["requeued"] += min(1, i.Requeued)
		}
		if spent != r.Cost {
			t.Fatalf("clouds cost %v, the environment %v", spent, r.Cost)
		}
		accrued := pricing.Money((cfg.Horizon-1)/time.Hour+1) * cfg.Budget.Hourly
		if last := r.Credits[len(r.Credits)-1].Credits; last != accrued-r.Cost {
			t.Fatalf("%v accrued less %v spent, but %v left", accrued, r.Cost, last)
		}
		if r.LowestLaunch < -cfg.Budget.Debt {
			t.Fatalf("a launch took the credits to %v, with a debt of %v", r.LowestLaunch, cfg.Budget.Debt)
		}
		if cfg.Budget.Covered && r.LowestCredits < -cfg.Budget.Debt {
			t.Fatalf("credits of %v, with a debt of %v", r.LowestCredits, cfg.Budget.Debt)
		}
		if r.LowestCredits < -cfg.Budget.Debt {
			seen["below the debt by renewals"]++
		}
		if r.Unfinished > 0 {
			seen["unfinished"]++
		} else if len(jobs) > 0 {
			seen["finished"]++
		}
		if r.Cost > 0 {
			seen["cost"]++
		}
	})
	for _, what := range []string{"refused", "revoked", "requeued", "below the debt by renewals", "unfinished", "finished", "cost"} {
		if seen[what] == 0 {
			seeded.TooFew(t, "not one case of %q", what)
		}
	}
	t.Log(seen)
}

// Nobody starves under the policies that launch for all that waits. Where no cloud
// refuses and boots take less than an hour, every job ends. That holds however many
// hours it takes to save for the job, whatever is in front of it and behind it, and
// with the debt and all to come covered or not. Idle instances alone never take the
// credits below the debt.
func TestPropNobodyStarves(t *testing.T) {
	var env Simulator
	saved := 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := Options{
			Local: rapid.IntRange(0, 4).Draw(t, "local"),
			Clouds: []CloudOptions{
				{Name: "commercial", Price: pricing.Unit, Limit: NoLimit, Boot: Certain(time.Minute), Stop: Certain(time.Second)},
				{Name: "private", Limit: rapid.IntRange(0, 6).Draw(t, "limit"), Boot: Certain(time.Minute), Stop: Certain(time.Second)},
				{Name: "dear", Price: 2 * pricing.Unit, Limit: 20, Boot: Certain(50 * time.Minute), Stop: Certain(time.Hour)},
			},
			Budget: Budget{
				Hourly:  pricing.Money(rapid.IntRange(1, 4).Draw(t, "hourly")) * pricing.Unit,
				Debt:    pricing.Money(rapid.IntRange(0, 3).Draw(t, "debt")) * pricing.Unit,
				Covered: rapid.Bool().Draw(t, "covered"),
			},
		}
		var jobs []trace.Job
		for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
			run := time.Duration(rapid.IntRange(1, 400).Draw(t, "run")) * time.Minute
			jobs = append(jobs, trace.Job{ID: int64(i), Submit: time.Duration(i*rapid.IntRange(0, 40).Draw(t, "gap")) * time.Minute, Run: run, Estimate: run, Nodes: 1 + i*7%29})
		}
		slices.SortStableFunc(jobs, func(a, b trace.Job) int { return int((a.Submit - b.Submit) / time.Minute) })
		for i := range jobs {
			jobs[i].ID = int64(i)
		}
		for name, p := range map[string]Policy{
			"OD": new(OD), "OD keeps": &OD{KeepFree: true}, "OD++": &OD{Plus: true}, "OD++ keeps": &OD{Plus: true, KeepFree: true},
			"AQTP": &AQTP{Response: time.Hour}, "AQTP late": &AQTP{Response: time.Hour, Threshold: 10 * time.Minute},
		} {
			cfg.Policy = p
			r, err := env.Run(jobs, cfg)
			if err != nil {
				t.Fatal(name, err)
			}
			if r.Unfinished > 0 {
				t.Fatalf("%s: %d of %d jobs have not ended, starts %v, cost %v, lowest credits %v", name, r.Unfinished, len(jobs), r.Starts, r.Cost, r.LowestCredits)
			}
			if cfg.Budget.Covered && r.LowestCredits < -cfg.Budget.Debt {
				t.Fatalf("%s: credits of %v", name, r.LowestCredits)
			}
			if r.Infrastructures[1].Launched > 0 && r.AWQT > 6*time.Hour {
				saved++
			}
		}
	})
	if saved < 100 {
		t.Errorf("jobs waited for long %d times: the test looks at too little", saved)
	}
}

// Evaluations that are skipped change nothing: the outcome is that of the same policy
// without the method Rests, in every field of the result, with gaps of days between jobs.
func TestPropRestingIsExact(t *testing.T) {
	var env, plain Simulator
	rapid.Check(t, func(t *rapid.T) {
		jobs, cfg, policy := anyEnvironment(t)
		var away time.Duration
		for i := range jobs {
			away += rapid.SampledFrom([]time.Duration{0, 0, 0, 2 * 24 * time.Hour, 7 * 24 * time.Hour}).Draw(t, "away")
			jobs[i].Submit += away
		}
		cfg.Horizon += away
		if rapid.Bool().Draw(t, "to the end") {
			cfg.Horizon = 0
		}
		cfg.Decisions = true
		run := func(e *Simulator, p Policy) (Result, string) {
			cfg.Policy, cfg.Rand = p, newSource(3)
			r, err := e.Run(jobs, cfg)
			if err != nil {
				return r, err.Error()
			}
			return r, ""
		}
		resting, asked := policy(), policy()
		got, failed := run(&env, resting)
		want, wanted := run(&plain, &observed{asked, func(*Snapshot) {}})
		if p, ok := resting.(*AQTP); ok && failed == "" && p.n != asked.(*AQTP).n {
			t.Fatalf("n is %d, want %d", p.n, asked.(*AQTP).n)
		}
		if diff := cmp.Diff(want, got); diff != "" || failed != wanted {
			t.Fatalf("%q, want %q (-want +got):\n%s", failed, wanted, diff)
		}
	})
}
