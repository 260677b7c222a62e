package elastic

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// lab is a local cluster with one core, and a cloud at $1 an hour whose instances
// take a minute to boot and none to go.
func lab(p Policy) Options {
	return Options{
		Local:  1,
		Clouds: []CloudOptions{{Name: "cloud", Price: pricing.Unit, Limit: NoLimit, Boot: Certain(time.Minute), Stop: Certain(0)}},
		Policy: p,
		Budget: Budget{Hourly: 10 * pricing.Unit},
	}
}

func minutesJob(id int64, submit, run, nodes int) trace.Job {
	d := time.Duration(run) * time.Minute
	return trace.Job{ID: id, Submit: time.Duration(submit) * time.Minute, Run: d, Estimate: d, Nodes: nodes}
}

// By hand. Job 1 takes the local core until minute 62. Job 2 (2 cores) makes OD++
// launch two instances at 0, up at 1; it runs until 31. They stay, since their next
// charge is at 60. Job 3 (1 core) comes at 40 and runs on the one of them until
// 80: charged at 60. The other is given back at 60, before its charge. At 80 the
// one that is left is idle, and goes at 120: so 2 + 1 instance-hours. The last end
// is that of job 3.
func TestEnvironmentByHand(t *testing.T) {
	jobs := []trace.Job{minutesJob(1, 0, 62, 1), minutesJob(2, 0, 30, 2), minutesJob(3, 40, 40, 1)}
	cfg := lab(&OD{Plus: true})
	cfg.Decisions = true
	cfg.Horizon = 3 * time.Hour
	var e Simulator
	r, err := e.Run(jobs, cfg)
	if err != nil {
		t.Fatal(err)
	}
	m := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	const dollar = pricing.Unit
	want := Result{
		Jobs: 3,
		// (62 + 2·31 + 40)/4 = 41 and (0 + 2·1 + 0)/4 = .5 minutes
		AWRT: m(41), AWQT: 30 * time.Second,
		Makespan: m(80), Cost: 3 * dollar,
		Evaluations:   36,
		LowestCredits: 8 * dollar, LowestLaunch: 8 * dollar,
		Infrastructures: []InfrastructureResult{
			{Name: "local", CoreHours: 62. / 60, Peak: 1},
			{Name: "cloud", CoreHours: 100. / 60, Hours: 3, Cost: 3 * dollar, Launched: 2, Peak: 2},
		},
		Starts:  []time.Duration{0, m(1), m(40)},
		Places:  []int{0, 1, 1},
		Credits: []CreditLevel{{0, 8 * dollar}, {m(60), 17 * dollar}, {m(120), 27 * dollar}},
		Decisions: []Decision{
			{At: 0, Launch: true, Cloud: 1, Count: 2, Reason: queueNeeds, Jobs: 1, Cores: 2, Credits: 8 * dollar},
			{At: m(60), Cloud: 1, Count: 1, Reason: chargeDue, Credits: 18 * dollar},
			{At: m(120), Cloud: 1, Count: 1, Reason: chargeDue, Credits: 27 * dollar},
		},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// Without a horizon it ends with the last job, at 80, and nothing else changes
	// but that the last termination is not seen.
	cfg.Horizon = 0
	r, err = e.Run(jobs, cfg)
	want.Evaluations = 17 // at 0, 5, …, 80
	want.Credits, want.Decisions = want.Credits[:2], want.Decisions[:2]
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Errorf("without a horizon: %v (-want +got):\n%s", err, diff)
	}
}

// SM under the paper's budget: 58 or 59 instances ([Marshall12] section V.B: 58
// to 59), so that all that accrues in the 306 hours that begin before 1,100,000
// s is spent, and the debt of $0.085, and no more.
func TestSustainedMaximumCosts(t *testing.T) {
	var e Simulator
	for _, debt := range []pricing.Money{0, 85 * pricing.Milli, 50 * pricing.Unit} {
		least := 1 << 30
		r, err := e.Run([]trace.Job{minutesJob(1, 0, 1, 1)}, Options{
			Local: 64, Clouds: Marshall12Clouds(.9), Budget: Budget{Hourly: 5 * pricing.Unit, Debt: debt},
			Policy: &observed{new(SM), func(s *Snapshot) {
				if s.Now > 0 {
					least = min(least, len(s.Clouds[2].Instances))
				}
			}},
			Horizon: Marshall12Horizon, Rand: newSource(1),
		})
		if err != nil {
			t.Fatal(err)
		}
		want, lowest, peak := 306*5*pricing.Unit+debt, -debt, 59
		switch debt {
		case 0: // 58 for ever: $4.93 an hour
			want, lowest, peak = 306*58*85*pricing.Milli, 70*pricing.Milli, 58
		case 50 * pricing.Unit: // 59 for ever: 1.5 cents an hour of the debt
			want, lowest = 306*59*85*pricing.Milli, -459*10*pricing.Milli
		}
		if r.Cost != want || r.LowestCredits != lowest || r.Infrastructures[2].Peak != peak || least < 58 {
			t.Errorf("debt %v: cost %v, lowest credits %v, %d to %d instances, want %v, %v and 58 to %d",
				debt, r.Cost, r.LowestCredits, least, r.Infrastructures[2].Peak, want, lowest, peak)
		}
		if p := r.Infrastructures[1]; p.Peak != 512 || p.Launched != 512 || p.Refused < 3000 {
			t.Errorf("private cloud: %+v, want 512 launched after about 9 refusals each", p)
		}
	}
}

// Jobs that need more credits than an hour or two accrue. By hand: at hour h the
// credits and the debt are 5·(h+1) + .085; n cores need .085·n, and the job, an
// hour long, is charged for twice, as it starts a boot later. Covered, both hours
// have to be there.
func TestWideJobs(t *testing.T) {
	certain := func(reject float64) []CloudOptions {
		clouds := Marshall12Clouds(reject)
		for i := range clouds {
			clouds[i].Boot, clouds[i].Stop = Certain(50*time.Second), Certain(13*time.Second)
		}
		return clouds
	}
	var e Simulator
	for _, c := range []struct {
		cores   int
		clouds  []CloudOptions
		covered bool
		hours   int
	}{
		{118, certain(0)[1:], false, 1}, // 10.03
		{119, certain(0)[1:], false, 2}, // 10.115
		{150, certain(0)[1:], false, 2}, // 12.75
		{300, certain(0)[1:], false, 5}, // 25.50
		{150, certain(0)[1:], true, 5},  // 25.50
		{600, certain(0), false, 10},    // 51, and a private cloud of 512 is of no use
		{600, certain(1), false, 10},    // nor one that refuses everything
		{5000, certain(0), false, 84},   // 425
	} {
		for name, p := range map[string]Policy{
			"OD": new(OD), "OD++": &OD{Plus: true}, "OD++ keeps": &OD{Plus: true, KeepFree: true},
			"AQTP":       &AQTP{Response: 10 * time.Minute},
			"MCOP-20-80": &MCOP{CostWeight: .2, Rand: newSource(1)}, "MCOP exact": &MCOP{CostWeight: .2, Exact: true, Rand: newSource(1)},
		} {
			cfg := Options{Local: 64, Clouds: c.clouds, Policy: p, Budget: Marshall12Budget(), Rand: newSource(1)}
			cfg.Budget.Covered = c.covered
			r, err := e.Run([]trace.Job{minutesJob(1, 0, 60, c.cores)}, cfg)
			if err != nil {
				t.Fatal(err)
			}
			start, cost := time.Duration(c.hours)*time.Hour+50*time.Second, pricing.Money(2*c.cores)*85*pricing.Milli
			if r.Unfinished > 0 || r.Starts[0] != start || r.Cost != cost {
				t.Errorf("%s, %d cores, covered %v: start %v, cost %v, want %v and %v", name, c.cores, c.covered, r.Starts, r.Cost, start, cost)
			}
		}
	}
}

// Without a horizon a simulation is given up when nothing runs or starts for 60
// days, and what came of it until then is the result. The second job is too wide
// for SM, and the third is behind it.
func TestGivenUp(t *testing.T) {
	jobs := []trace.Job{minutesJob(1, 0, 600, 60), minutesJob(2, 3, 10, 600), minutesJob(3, 700, 10, 1)}
	var e Simulator
	r, err := e.Run(jobs, Options{Local: 64, Clouds: Marshall12Clouds(0), Policy: new(SM), Budget: Marshall12Budget(), Rand: newSource(1)})
	if err != nil {
		t.Fatal(err)
	}
	// The last event is the end of job 1, at 10 h.
	if want := (600 + 60*24*60) / 5; r.Evaluations != want {
		t.Errorf("%d evaluations in 60 days and 10 hours, want %d", r.Evaluations, want)
	}
	if end := r.Credits[len(r.Credits)-1].At; r.Unfinished != 2 || r.Starts[1] != -1 || r.AWQT != 0 || r.Infrastructures[0].CoreHours != 600 || end < patience+9*time.Hour || end > patience+11*time.Hour {
		t.Errorf("%d jobs have not ended, AWQT %v, starts %v, %v core-hours, given up at %v", r.Unfinished, r.AWQT, r.Starts, r.Infrastructures[0].CoreHours, end)
	}
	// 3,000 hours on 50 instances leave a debt of $6,255; it takes 52 days to
	// recover, and another 13 to save for the next one.
	jobs = []trace.Job{minutesJob(1, 0, 3000*60, 59), minutesJob(2, 3, 10, 18000)}
	cfg := Options{Clouds: Marshall12Clouds(0)[1:], Policy: new(OD), Budget: Marshall12Budget(), Rand: newSource(1)}
	cfg.Clouds[0].Price = 200 * pricing.Milli
	cfg.Budget.Debt = 10 * pricing.Unit
	r, err = e.Run(jobs, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if wait := r.Starts[1] - jobs[0].Run; r.Unfinished != 0 || wait < patience || r.LowestCredits > -20000*pricing.Unit {
		t.Errorf("%d jobs have not ended, the second starts %v after the first, lowest credits %v", r.Unfinished, wait, r.LowestCredits)
	}
}

// asNew asks whether a simulator that returned an error runs as a new one.
func asNew(t *testing.T, used *Simulator) {
	t.Helper()
	var results [2]Result
	for i, e := range []*Simulator{new(Simulator), used} {
		var jobs []trace.Job
		for k := range 40 {
			jobs = append(jobs, minutesJob(int64(k), 7*k, 10+k*37%90, 1+k*11%100))
		}
		got, err := e.Run(jobs, Options{Local: 16, Clouds: Marshall12Clouds(.3), Policy: &OD{Plus: true}, Budget: Marshall12Budget(), Rand: newSource(9), Horizon: 30 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		results[i] = got
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("a used simulator (-new +used):\n%s", diff)
	}
}

// Bad input is told before anything runs: what is wrong where, and what would be
// right.
func TestEnvironmentErrors(t *testing.T) {
	jobs := []trace.Job{minutesJob(1, 0, 10, 2), minutesJob(2, 1, 10, 600)}
	with := func(f func(c *Options)) Options {
		c := Options{Local: 64, Clouds: Marshall12Clouds(.1), Policy: new(OD), Budget: Marshall12Budget(), Rand: newSource(1)}
		f(&c)
		return c
	}
	cloud := func(f func(c *CloudOptions)) Options {
		return with(func(c *Options) { f(&c.Clouds[0]) })
	}
	for _, c := range []struct {
		cfg  Options
		err  error
		want string
	}{
		{with(func(c *Options) { c.Clouds = c.Clouds[:1] }), ErrTooLarge, "Jobs[1].Nodes: more instances than there can be: job 2 needs 600 cores, and no infrastructure can ever have more than 512"},
		{with(func(c *Options) { c.Clouds[1].Reject = 1 }), ErrTooLarge, "more than 512"},
		{with(func(c *Options) { c.Budget = Budget{} }), ErrTooLarge, "more than 512"},
		{with(func(c *Options) { c.Clouds = nil }), ErrTooLarge, "more than 64"},
		{with(func(c *Options) { c.Clouds[1].Price = 7 * pricing.Unit }), ErrTooLarge, "more than 514, for which the credits of 30 days pay"}, // (720·5 + .085)/7
		{with(func(c *Options) { c.Clouds[1].Price, c.Budget.Covered = 3100*pricing.Milli, true }), ErrTooLarge, "more than 580, for which"},  // 3600/6.2: an hour and one to come
		{cloud(func(c *CloudOptions) { c.Reject = 1.01 }), ErrRange, "Clouds[0].Reject: value out of range: a rejection rate of 1.01: want a probability from 0 to 1"},
		{cloud(func(c *CloudOptions) { c.Reject = -.1 }), ErrRange, "Clouds[0].Reject"},
		{cloud(func(c *CloudOptions) { c.Reject = math.NaN() }), ErrRange, "Clouds[0].Reject"},
		{cloud(func(c *CloudOptions) { c.Price = -1 }), ErrRange, "Clouds[0].Price"},
		{cloud(func(c *CloudOptions) { c.Limit = NoLimit }), ErrRange, "Clouds[0].Limit: value out of range: a free cloud without a limit"},
		{cloud(func(c *CloudOptions) { c.Limit = -2 }), ErrRange, "Clouds[0].Limit"},
		{cloud(func(c *CloudOptions) { c.Limit = replay.MaxHeld + 1 }), ErrRange, "Clouds[0].Limit"},
		{cloud(func(c *CloudOptions) { c.Boot = Certain(-1) }), ErrRange, "Clouds[0].Boot"},
		{cloud(func(c *CloudOptions) { c.Boot = Delay{{-1, 1, 1}} }), ErrRange, "Clouds[0].Boot"},
		{cloud(func(c *CloudOptions) { c.Stop = Delay{{math.NaN(), 1, 1}} }), ErrRange, "Clouds[0].Stop"},
		{cloud(func(c *CloudOptions) { c.Stop = Delay{{1, 1, -1}} }), ErrRange, "Clouds[0].Stop"},
		{cloud(func(c *CloudOptions) { c.Boot = Delay{{1e308, 1, 1}, {1e308, 1, 1}} }), ErrRange, "the weights add up to infinity"},
		{with(func(c *Options) { // no credits accrue, and the debt pays for three
			c.Local, c.Clouds, c.Budget = 0, []CloudOptions{{Name: "cloud", Price: pricing.Unit, Limit: NoLimit}}, Budget{Debt: 3 * pricing.Unit}
		}), ErrTooLarge, "more than 3, for which the credits of 30 days pay"},
		{with(func(c *Options) { c.Budget.Hourly = -1 }), ErrRange, "Budget.Hourly"},
		{with(func(c *Options) { c.Budget.Debt = -1 }), ErrRange, "Budget.Debt"},
		{with(func(c *Options) { c.Policy = new(AQTP) }), ErrRange, "elastic: AQTP.Response: value out of range: a desired response of 0s: want more than 0"},
		{with(func(c *Options) { c.Policy = nil }), ErrRange, "Policy"},
		{with(func(c *Options) { c.Rand = nil }), ErrRange, "without a source of randomness"},
		{with(func(c *Options) { c.Local = -1 }), ErrRange, "Local"},
		{with(func(c *Options) { c.Local, c.Clouds = 0, nil }), ErrRange, "neither a local cluster nor a cloud"},
		{with(func(c *Options) { c.Every = -1 }), ErrRange, "Every"},
		{with(func(c *Options) { c.Every = time.Second - 1 }), ErrRange, "Every"},
		{with(func(c *Options) { c.Horizon = -1 }), ErrRange, "Horizon"},
		{with(func(c *Options) { c.Clouds = make([]CloudOptions, maxClouds+1) }), ErrRange, "clouds: want at most"},
	} {
		var e Simulator
		_, err := e.Run(jobs, c.cfg)
		var input *inputerr.Error
		if !errors.As(err, &input) || !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an InputError that is %q and says %q", err, c.err, c.want)
		}
		if e.now != 0 || e.ids != 0 {
			t.Errorf("%v: something has run", err)
		}
		asNew(t, &e)
		if testing.Verbose() {
			t.Log(err)
		}
	}

	// Jobs.
	for _, jobs := range [][]trace.Job{
		{minutesJob(1, 5, 1, 1), minutesJob(2, 0, 1, 1)}, {minutesJob(1, 0, 0, 1)}, {minutesJob(1, 0, 1, 0)}, {minutesJob(1, -1, 1, 1)},
		{{ID: 1, Run: 2, Estimate: 1, Nodes: 1}},
	} {
		var input *inputerr.Error
		if _, err := new(Simulator).Run(jobs, with(func(*Options) {})); !errors.As(err, &input) || input.Index < 0 {
			t.Errorf("jobs %v: %v, want an InputError with the job's index", jobs, err)
		}
	}
}

// What is just within the limits is taken.
func TestEnvironmentLimits(t *testing.T) {
	o := Options{
		Local: 1, Every: time.Second, Policy: new(OD),
		Budget: Budget{Hourly: pricing.Unit},
		Clouds: []CloudOptions{
			{Name: "rejects all", Limit: replay.MaxHeld, Reject: 1, Boot: Certain(replay.MaxTime), Stop: Delay{{1, replay.MaxTime, 0}}},
			{Name: "slow", Price: 1, Limit: NoLimit, Speed: 1. / maxSpeed, Stop: Certain(0)},
			{Name: "fast", Price: 1, Limit: 0, Speed: maxSpeed},
			{Name: "spot from its last price on", Limit: 1, Spot: &Spot{History: history(0, 2, 60, 50), From: time.Hour, Bid: 1}},
			{Name: "spot from its first price on", Limit: NoLimit, Spot: &Spot{History: history(0, 2, 60, 50), Bid: 1}},
		},
		Rand: newSource(1),
	}
	jobs := []trace.Job{{ID: 1, Run: 1, Estimate: replay.MaxTime, Nodes: 1}, {ID: 1, Submit: 1, Run: 1, Estimate: 1, Nodes: 1}, {ID: 1, Submit: 1, Run: 1, Estimate: 1, Nodes: 1}}
	if r, err := new(Simulator).Run(jobs, o); err != nil || r.Unfinished != 0 {
		t.Errorf("%d unfinished, %v", r.Unfinished, err)
	}
	o = Options{Local: 1, Every: replay.MaxTime, Policy: new(OD)}
	if r, err := new(Simulator).Run(jobs[1:], o); err != nil || r.Unfinished != 0 {
		t.Errorf("evaluated at the beginning alone: %d unfinished, %v", r.Unfinished, err)
	}
}

// Credits beyond the range of Money, over 30 days, pay for every job.
func TestCreditsBeyondMoney(t *testing.T) {
	o := lab(new(OD))
	o.Budget.Hourly, o.Horizon = math.MaxInt64/2, 100*time.Minute
	if r, err := new(Simulator).Run([]trace.Job{minutesJob(1, 0, 10, 20)}, o); err != nil || r.Unfinished > 0 {
		t.Errorf("%d unfinished, %v", r.Unfinished, err)
	}
}

// What is refused is drawn below the probability.
func TestRejectBelow(t *testing.T) {
	for _, whole := range []bool{false, true} {
		first := newSource(3).Float64()
		for _, reject := range []float64{first, math.Nextafter(first, 1)} {
			o := lab(new(OD))
			o.Clouds[0].Reject, o.RejectWhole, o.Rand, o.Horizon, o.Local = reject, whole, newSource(3), time.Minute, 0
			r, err := new(Simulator).Run([]trace.Job{minutesJob(1, 0, 10, 1)}, o)
			if got := r.Infrastructures[1].Refused; err != nil || got > 0 != (reject > first) {
				t.Errorf("whole %v: %v is drawn, and of a probability of %v %d are refused, %v", whole, first, reject, got, err)
			}
		}
	}
}

// A run is given up 60 days after the last job has ended or begun to wait alone, to the
// evaluation.
func TestGivenUpWhen(t *testing.T) {
	o := lab(policyFunc(func(dst []Action, _ *Snapshot) []Action { return dst }))
	const day = 24 * 60
	var jobs []trace.Job
	for i := range 130 {
		jobs = append(jobs, minutesJob(int64(i), 0, 1, 1))
	}
	for _, c := range []struct {
		jobs []trace.Job
		days int
	}{
		{append(jobs[:130:130], minutesJob(900, 59*day, 10, 2)), 59 + 60},
		{append(jobs[:130:130], minutesJob(900, 10*day, 20*day, 1), minutesJob(901, 10*day, 10, 2), minutesJob(902, 70*day, 10, 2)), 30 + 60},
	} {
		r, err := new(Simulator).Run(c.jobs, o)
		if want := c.days * day / 5; err != nil || r.Evaluations != want {
			t.Errorf("%d evaluations, want %d in %d days; %v", r.Evaluations, want, c.days, err)
		}
	}
}

// A simulation without a horizon ends within the range of times, or is an error.
func TestTooLong(t *testing.T) {
	for _, run := range []time.Duration{replay.MaxTime - 1, replay.MaxTime} {
		_, err := new(Simulator).Run([]trace.Job{{ID: 1, Run: run, Estimate: run, Nodes: 1}}, Options{Local: 1, Policy: new(OD)})
		if run < replay.MaxTime != (err == nil) || err != nil && (!errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "want a Horizon")) {
			t.Errorf("a job of %v: %v", run, err)
		}
	}
}

// Cores of speed 1 run a job for just its time, however long, and sums of times end at Never.
func TestTimesAreExact(t *testing.T) {
	const long = 1<<53 + 1 // no float64
	if got := lastsAt(long, 1); got != long {
		t.Errorf("%d ns at speed 1 last %d", int64(long), got)
	}
	if got := lastsAt(3, 2); got != 2 {
		t.Errorf("3 ns at speed 2 last %d, want 2", got)
	}
	if got := lastsAt(math.MaxInt64/2, 1./maxSpeed); got != math.MaxInt64 {
		t.Errorf("146 years at a thousandth of the speed last %v", got)
	}
	if got := lastsAt(1<<62, .5); got != math.MaxInt64 {
		t.Errorf("half of 2⁶³ ns at half the speed last %d", int64(got))
	}
	if a, b := addCapped(schedule.Never, 1), addCapped(schedule.Never-2, 1); a != schedule.Never || b != schedule.Never-1 {
		t.Errorf("Never and a nanosecond are %d, and just before it %d", a, b)
	}
	if a, b := timesCapped(schedule.Never/2, 3), timesCapped(2, 3); a != schedule.Never || b != 6 {
		t.Errorf("three times half of Never is %d, three times 2 is %d", a, b)
	}
}

// Policies of other packages that ask for what cannot be are errors.
func TestEnvironmentBadPolicies(t *testing.T) {
	var used Simulator
	one := func(a Action) Policy {
		return policyFunc(func(dst []Action, s *Snapshot) []Action { return append(dst, a) })
	}
	for _, c := range []struct {
		policy Policy
		reject float64
		want   string
	}{
		{one(Action{Launch: true, Cloud: 1, Count: 513}), 0, "which has 0 of at most 512"},
		{one(Action{Launch: true, Cloud: 1}), 0, "it launches 0 instances"},
		{one(Action{Launch: true, Cloud: 2, Count: 60}), 0, "with 5 left and a debt of 0.085"},
		{one(Action{Launch: true, Cloud: 0, Count: 1}), 0, "none can be rented"},
		{one(Action{Launch: true, Cloud: 3, Count: 1}), 0, "none can be rented"},
		{one(Action{Launch: true, Cloud: -1, Count: 1}), 0, "none can be rented"},
		{one(Action{Cloud: 1}), 0, "which is not idle"},
		{one(Action{Launch: true, Cloud: 1, Count: 1}), .999, "asks a cloud again that has refused"},
	} {
		_, err := used.Run([]trace.Job{minutesJob(1, 0, 10, 65)}, Options{
			Local: 64, Clouds: Marshall12Clouds(c.reject), Policy: c.policy, Budget: Marshall12Budget(), Rand: newSource(1),
		})
		if err == nil || !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want it to say %q", err, c.want)
		}
		asNew(t, &used)
	}
	// Amounts that pass the range of Money.
	cfg := lab(new(OD))
	cfg.Budget.Hourly = math.MaxInt64
	if _, err := used.Run([]trace.Job{minutesJob(1, 0, 600, 1)}, cfg); !errors.Is(err, pricing.ErrOverflow) {
		t.Errorf("%v, want pricing.ErrOverflow", err)
	}
	asNew(t, &used)
}

// The mixture of [Marshall12] section IV.A, by its moments: of a mixture the
// mean is Σ w·μ = 49.91 s and the variance Σ w·(σ² + μ²) − mean² = 33.20 s².
// Tolerances are five standard errors.
func TestDelays(t *testing.T) {
	const n = 200_000
	rng := newSource(1)
	moments := func(d Delay) (mean, variance float64) {
		for range n {
			x := d.draw(rng).Seconds()
			mean += x
			variance += x * x
		}
		mean /= n
		return mean, variance/n - mean*mean
	}
	w := []float64{.63, .25, .12}
	mu := []float64{50.86, 42.34, 60.69}
	sigma := []float64{1.91, 2.56, 2.14}
	wantMean, wantVariance := 0., 0.
	for i := range w {
		wantMean += w[i] * mu[i]
		wantVariance += w[i] * (sigma[i]*sigma[i] + mu[i]*mu[i])
	}
	wantVariance -= wantMean * wantMean
	mean, variance := moments(MeasuredLaunch())
	if math.Abs(mean-wantMean) > 5*math.Sqrt(wantVariance/n) || math.Abs(variance/wantVariance-1) > 5*math.Sqrt(2./n) {
		t.Errorf("launches take %.3f s with a variance of %.2f, want %.3f and %.2f", mean, variance, wantMean, wantVariance)
	}
	if got := MeasuredLaunch().Mean().Seconds(); math.Abs(got-wantMean) > 1e-6 {
		t.Errorf("mean of the mixture %v, want %v", got, wantMean)
	}
	mean, variance = moments(measuredStop)
	if math.Abs(mean-12.92) > 5*.5/math.Sqrt(n) || math.Abs(variance/.25-1) > 5*math.Sqrt(2./n) {
		t.Errorf("terminations take %.4f s with a variance of %.4f", mean, variance)
	}
	if d := Certain(3 * time.Second); d.draw(nil) != 3*time.Second || d.Mean() != 3*time.Second {
		t.Error("a certain delay is not")
	}
	// Mostly negative draws are drawn again.
	for range 1000 {
		if d := (Delay{{1, 0, time.Second}}).draw(rng); d < 0 {
			t.Fatal("a negative delay")
		}
	}
	// The longest delay can be drawn; and weights that rounding makes large are shares all the same.
	if got := (Delay{{1, replay.MaxTime, 1}}).draw(rng); got != replay.MaxTime.Round(time.Millisecond) {
		t.Errorf("a delay of %v is %v", replay.MaxTime, got)
	}
	const tiny = math.SmallestNonzeroFloat64
	parts := map[time.Duration]int{}
	for range 600 {
		parts[(Delay{{tiny, time.Second, 0}, {tiny, 2 * time.Second, 0}, {tiny, 3 * time.Second, 0}}).draw(rng)]++
	}
	if len(parts) != 3 || parts[2*time.Second] < 150 {
		t.Errorf("of three parts of equal weight: %v", parts)
	}
	// A part of no time at all can be drawn; and so can what comes after two draws of one half, for
	// which the polar method has no answer.
	for range 50 {
		if got := (Delay{{1, 0, 0}, {1, time.Second, 0}}).draw(rng); got != 0 && got != time.Second {
			t.Fatal(got)
		}
	}
	halves := drawn{1 << 52, 1 << 52, 1 << 51, 3 << 51, 1 << 50, 7 << 50} // of 2^53
	if got := (Delay{{1, time.Minute, time.Second}}).draw(rand.New(&halves)); got < 50*time.Second || got > 70*time.Second || len(halves) != 2 {
		t.Errorf("after two halves: %v, with %d numbers left", got, len(halves))
	}
}

// drawn is a source of given numbers.
type drawn []uint64

func (d *drawn) Uint64() uint64 {
	x := (*d)[0]
	*d = (*d)[1:]
	return x
}

// The same seed gives the same run on every machine. The numbers are those of the
// first run of this code.
func TestEnvironmentPinned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	jobs, err := workload.AppendFeitelson(nil, rng, 200, workload.SampleOptions{Arrivals: workload.Campaigns})
	if err != nil {
		t.Fatal(err)
	}
	r, err := new(Simulator).Run(jobs, Options{
		Local: 64, Clouds: Marshall12Clouds(.5), Policy: &OD{Plus: true}, Budget: Marshall12Budget(), Rand: rng,
	})
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		AWRT     time.Duration
		Cost     pricing.Money
		Launched int
	}
	if got, want := (key{r.AWRT, r.Cost, r.Infrastructures[1].Launched}), (key{10759546103755, 301240 * pricing.Milli, 549}); got != want {
		t.Errorf("%#v, want %#v", got, want)
	}
}

// A warm Simulator allocates nothing, with whatever policy and jobs.
func TestEnvironmentAllocatesNothing(t *testing.T) {
	src := rand.NewPCG(1, 2)
	rng := rand.New(src)
	logs := make([][]trace.Job, 3)
	for i := range logs {
		var err error
		o := workload.SampleOptions{Arrivals: workload.Arrivals(i % 2), Span: 24 * time.Hour, CampaignJobs: 50}
		if logs[i], err = workload.AppendFeitelson(nil, newSource(uint64(i)), 200-50*i, o); err != nil {
			t.Fatal(err)
		}
	}
	for name, p := range map[string]Policy{
		"SM":   new(SM),
		"OD":   new(OD),
		"OD++": &OD{Plus: true},
		"AQTP": &AQTP{Response: time.Hour},
		"MCOP": &MCOP{CostWeight: .5, Rand: rng, Population: 6, Generations: 2},
	} {
		for _, covered := range []bool{false, true} {
			cfg := Options{
				Local: 64, Clouds: Marshall12Clouds(.5), Policy: p, Budget: Marshall12Budget(), Rand: rng,
				Decisions: true, Horizon: 60 * time.Hour,
			}
			cfg.Budget.Covered = covered
			var e Simulator
			one := func(jobs []trace.Job) {
				src.Seed(1, 2)
				if _, err := e.Run(jobs, cfg); err != nil {
					t.Fatal(name, err)
				}
			}
			for _, jobs := range logs {
				one(jobs)
			}
			for k, jobs := range logs {
				if n := allocs.Once(func() { one(jobs) }); n != 0 {
					t.Errorf("%s, covered %v, log %d: %v allocations", name, covered, k, n)
				}
			}
		}
	}
}

// Two jobs ten years apart take the time of two jobs: the evaluations in between, a million,
// are counted and not made.
func TestGapOfYears(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	jobs := []trace.Job{{ID: 1, Run: 10 * time.Second, Estimate: time.Minute, Nodes: 100}, {ID: 2, Submit: years, Run: 10 * time.Second, Estimate: time.Minute, Nodes: 100}}
	for name, p := range everyPolicy(1) {
		if name == "OD++ printed" {
			continue // its 100 instances are in two clouds, and the job never starts
		}
		calls := 0
		counted := &counting{Policy: p, calls: &calls}
		var e Simulator
		r, err := e.Run(jobs, Options{Clouds: Marshall12Clouds(.1), Policy: counted, Budget: Marshall12Budget(), Rand: newSource(1)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := int(years/DefaultEvery) + 1; r.Evaluations < want || r.Unfinished > 0 {
			t.Errorf("%s: %d evaluations, want %d or more; %d jobs do not end", name, r.Evaluations, want, r.Unfinished)
		}
		if name != "SM" && calls > 100 {
			t.Errorf("%s was asked %d times", name, calls)
		}
		if name == "SM" && calls > 3*int(years/time.Hour) { // it waits for the credits of its last instance
			t.Errorf("%s was asked %d times", name, calls)
		}
	}
}

// counting counts how often a policy is asked.
type counting struct {
	Policy
	calls *int
}

func (c *counting) AppendActions(dst []Action, s *Snapshot) []Action {
	*c.calls++
	return c.Policy.AppendActions(dst, s)
}

func (c *counting) Rests(s *Snapshot) (pricing.Money, bool) {
	return c.Policy.(rester).Rests(s)
}

// On a local cluster alone the simulator starts jobs when an independent EASY does, and in
// several infrastructures no job loses or gains work.
func TestEASYAgainstPlain(t *testing.T) {
	earlier := 0
	for seed := range uint64(80) {
		rng := newSource(seed)
		const cores = 6
		var jobs []trace.Job
		at := time.Duration(0)
		for i := range 30 {
			at += time.Duration(rng.IntN(40)) * time.Minute
			run := time.Duration(1+rng.IntN(200)) * time.Minute
			jobs = append(jobs, trace.Job{ID: int64(i), Submit: at, Run: run, Estimate: run + time.Duration(rng.IntN(2)*rng.IntN(100))*time.Minute, Nodes: 1 + rng.IntN(cores)})
		}
		var e Simulator
		r, err := e.Run(jobs, Options{Local: cores, Policy: new(OD), Backfill: true})
		if err != nil {
			t.Fatal(err)
		}
		want := plainEASY(jobs, cores)
		if diff := cmp.Diff(want, r.Starts); diff != "" {
			t.Fatalf("seed %d (-plain +simulator):\n%s", seed, diff)
		}
		for i := 1; i < len(want); i++ {
			if want[i] < want[i-1] {
				earlier++
			}
		}
	}
	if earlier < 80 {
		t.Errorf("only %d jobs overtook the job before", earlier)
	}
}

// plainEASY returns when jobs start on one cluster, minute by minute.
func plainEASY(jobs []trace.Job, cores int) []time.Duration {
	starts := make([]time.Duration, len(jobs))
	for i := range starts {
		starts[i] = -1
	}
	for now, left := time.Duration(0), len(jobs); left > 0; now += time.Minute {
		idle := func(at time.Duration, estimated bool) int { // at a time from now on
			n := cores
			for i, j := range jobs {
				length := j.Run
				if estimated {
					length = j.Estimate
				}
				if starts[i] >= 0 && now < starts[i]+j.Run && at < starts[i]+length {
					n -= j.Nodes
				}
			}
			return n
		}
		head, shadow, extra := -1, time.Duration(0), 0
		for i, j := range jobs {
			if starts[i] >= 0 || j.Submit > now {
				continue
			}
			fits := j.Nodes <= idle(now, false)
			switch {
			case head < 0 && fits:
				starts[i] = now
				left--
			case head < 0:
				head = i
				for shadow = now; idle(shadow, true) < j.Nodes; shadow += time.Minute {
				}
				extra = idle(shadow, true) - j.Nodes
			case fits && now+j.Estimate <= shadow:
				starts[i] = now
				left--
			case fits && j.Nodes <= extra:
				starts[i], extra = now, extra-j.Nodes
				left--
			}
		}
	}
	return starts
}

// Of two infrastructures that have enough at the same time, the reservation is in the
// cheaper one, and at equal prices in the first. So the last job, which is long, takes the idle
// instance of the other.
func TestEASYTie(t *testing.T) {
	for _, price := range []pricing.Money{0, pricing.Unit} {
		policy := policyFunc(func(dst []Action, s *Snapshot) []Action {
			if s.Now == 0 {
				dst = append(dst, Action{Launch: true, Cloud: 1, Count: 3})
			}
			return dst
		})
		jobs := []trace.Job{minutesJob(0, 1, 59, 2), minutesJob(1, 1, 59, 2), minutesJob(2, 2, 10, 3), minutesJob(3, 3, 300, 1)}
		var e Simulator
		r, err := e.Run(jobs, Options{Local: 3, Clouds: []CloudOptions{{Price: price, Limit: 3, Boot: Certain(time.Minute), Stop: Certain(0)}},
			Policy: policy, Backfill: true, Horizon: 3 * time.Hour, Budget: Budget{Hourly: 20 * pricing.Unit}})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int{0, 1, 0, 1}, r.Places); diff != "" || r.Starts[2] != time.Hour || r.Starts[3] != 3*time.Minute {
			t.Errorf("at $%v: starts %v, places (-want +got)\n%s", price, r.Starts, diff)
		}
	}
}

// EASY in several infrastructures, by hand, in minutes. The policy launches once, at 0, and
// instances take a minute to boot.
func TestEASYInfrastructures(t *testing.T) {
	cloud := func(price pricing.Money, limit int) CloudOptions {
		return CloudOptions{Price: price, Limit: limit, Boot: Certain(time.Minute), Stop: Certain(0)}
	}
	// Job 0 holds local cores for an hour, and job 1, of three cores, waits.
	jobs := func(held, run int) []trace.Job {
		return []trace.Job{minutesJob(0, 0, 60, held), minutesJob(1, 2, 10, 3), minutesJob(2, 3, run, 1)}
	}
	moved := cloud(0, 4)
	moved.Transfer = 5 * time.Minute
	for _, c := range []struct {
		name    string
		local   int
		clouds  []CloudOptions
		launch  []int // by cloud
		covered bool
		jobs    []trace.Job
		want    []int // starts, -1 for never
	}{
		{"not where the reservation is", 3, []CloudOptions{cloud(0, 1)}, []int{1}, false, jobs(2, 300), []int{0, 60, 3}},
		{"there, until the reservation", 3, []CloudOptions{cloud(0, 1)}, []int{0}, false, jobs(2, 57), []int{0, 60, 3}},
		{"there, and too long", 3, []CloudOptions{cloud(0, 1)}, []int{0}, false, jobs(2, 58), []int{0, 60, 70}},
		{"no reservation, where the first job may run", 1, []CloudOptions{cloud(0, 3)}, []int{2}, false, jobs(1, 30), []int{0, -1, 60}},
		{"no reservation, where it cannot run", 1, []CloudOptions{cloud(0, 3), cloud(0, 2)}, []int{0, 1}, false, jobs(1, 30), []int{0, -1, 3}},
		{"no reservation, and a price", 1, []CloudOptions{cloud(0, 3), cloud(pricing.Unit, 2)}, []int{0, 1}, false, jobs(1, 30), []int{0, -1, 60}},
		{"a price", 3, []CloudOptions{cloud(pricing.Unit, 1)}, []int{1}, false, jobs(2, 300), []int{0, 60, 3}},
		{"a price, covered", 3, []CloudOptions{cloud(pricing.Unit, 1)}, []int{1}, true, jobs(2, 300), []int{0, 60, 60}}, // then it is the first
		{"data that moves", 0, []CloudOptions{moved}, []int{4}, false,
			[]trace.Job{minutesJob(0, 1, 60, 3), minutesJob(1, 2, 10, 4), minutesJob(2, 3, 60, 1)}, []int{1, 66, 81}},
	} {
		policy := policyFunc(func(dst []Action, s *Snapshot) []Action {
			for i, n := range c.launch {
				if s.Now == 0 && n > 0 {
					dst = append(dst, Action{Launch: true, Cloud: 1 + i, Count: n})
				}
			}
			return dst
		})
		var e Simulator
		r, err := e.Run(c.jobs, Options{Local: c.local, Clouds: c.clouds, Policy: policy, Backfill: true, Horizon: 3 * time.Hour,
			Budget: Budget{Hourly: 20 * pricing.Unit, Covered: c.covered}})
		if err != nil {
			t.Fatal(c.name, err)
		}
		for i, want := range c.want {
			if at := r.Starts[i]; want < 0 && at >= 0 || want >= 0 && at != time.Duration(want)*time.Minute {
				t.Errorf("%s: job %d starts at %v, want minute %d", c.name, i, at, want)
			}
		}
	}
}
