package spotsim

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// flatBid bids the same always.
func flatBid(b pricing.Money) func(pricing.SpotHistory, time.Duration, pricing.Money) pricing.Money {
	return func(pricing.SpotHistory, time.Duration, pricing.Money) pricing.Money { return b }
}

func steps(end time.Duration, at []time.Duration, prices ...pricing.Money) pricing.SpotHistory {
	return pricing.SpotHistory{Times: at, Prices: prices, End: end}
}

const cents = 10 * pricing.Milli

// BT of [Huang13] section III.B: on spot at $0.21 it is interrupted after 1 h 20
// min, runs again for 4 h, and Amazon charges for five hours: $1.05, against $5.20
// for 4 h on demand at $1.30.
func TestBTOfThePaper(t *testing.T) {
	cfg := Options{
		History:  steps(24*time.Hour, []time.Duration{0, 80 * time.Minute, 90 * time.Minute}, 21*cents, 2*pricing.Unit, 21*cents),
		OnDemand: 130 * cents, Low: flatBid(21 * cents), Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly,
	}
	var s Simulator
	r, err := s.Run([]Task{{Task: spot.Task{Deadline: 20 * time.Hour, Estimate: 4 * time.Hour, Instances: 1}}}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := time.Hour
	want := Result{
		Met: 1, Possible: 1, Cost: 105 * cents, OnDemandOnly: 520 * cents, Interruptions: 1,
		Tasks: []Outcome{{Finish: 5*h + h/2, Met: true, Possible: true, Cost: 105 * cents, OnDemandOnly: 520 * cents, Interruptions: 1, Leases: 2}},
		Leases: []Lease{
			{Tier: spot.TierLow, Bid: 21 * cents, Ended: 80 * time.Minute, End: LeaseInterrupted, Cost: 21 * cents},
			{Tier: spot.TierLow, Bid: 21 * cents, Requested: 80 * time.Minute, Launched: 90 * time.Minute, Started: 90 * time.Minute, Ended: 5*h + h/2, End: LeaseCompleted, Cost: 84 * cents},
		},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
}

// The paper's th1 = 1 misses deadlines that on demand meets. A run of 60 min
// with a latency of 10 min and 130 min to go has PR = 1 exactly, and goes on spot;
// the price rises a minute before its end.
//
//	the latency is set-up, the agent is told at once:    10 + 59 + 10 + 60 = 139 > 130
//	no set-up, the agent looks every 7 min:              see the row
//
// The mended rules meet it. Worked by hand.
func TestPaperRuleMissesDeadlines(t *testing.T) {
	m := time.Minute
	for _, c := range []struct {
		name            string
		deadline        time.Duration
		setup, interval time.Duration
		rise            time.Duration
		rule            spot.Rule
		finish          time.Duration
	}{
		{"second latency", 130 * m, 10 * m, 0, 69 * m, spot.RulePaper, 139 * m},
		{"just possible", 70 * m, 10 * m, 0, 69 * m, spot.RuleNoReturn, 70 * m},
		{"second latency, safe threshold", 130 * m, 10 * m, 0, 69 * m, spot.RuleSafe, 70 * m},
		{"second latency, no return", 130 * m, 10 * m, 0, 69 * m, spot.RuleNoReturn, 70 * m},
		{"second latency, hedged", 130 * m, 10 * m, 0, 69 * m, spot.RuleHedged, 130 * m},
		// Looks at 0 and 7 (PR = (137 - 7 - 70)/60 = 1), ready at 10, seen at 14; runs
		// until 73, seen at 77 (looks from 14 on); ready on demand at 87, seen at 91: 151.
		{"late looks", 137 * m, 0, 7 * m, 73 * m, spot.RulePaper, 151 * m},
		{"late looks, safe threshold", 137 * m, 0, 7 * m, 73 * m, spot.RuleSafe, 74 * m},
		{"late looks, no return", 137 * m, 0, 7 * m, 73 * m, spot.RuleNoReturn, 74 * m},
		// Point of no return 67, two looks before it 53, so the look at 56; seen ready at 70.
		{"late looks, hedged", 137 * m, 0, 7 * m, 73 * m, spot.RuleHedged, 130 * m},
	} {
		cfg := Options{
			History:  steps(24*time.Hour, []time.Duration{0, c.rise}, 30*cents, 200*cents),
			OnDemand: 100 * cents, Medium: flatBid(50 * cents), Setup: c.setup,
			Handover: spot.Handover{Rule: c.rule, Interval: c.interval},
		}
		var s Simulator
		r, err := s.Run([]Task{{Task: spot.Task{Deadline: c.deadline, Estimate: 60 * m, Latency: 10 * m, Instances: 1}}}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Tasks[0].Finish; got != c.finish {
			t.Errorf("%s: ends at %v, want %v; %+v", c.name, got, c.finish, r.Leases)
		}
		if r.Possible != 1 || (r.Missed == 1) != (c.rule == spot.RulePaper) {
			t.Errorf("%s: possible %d, missed %d", c.name, r.Possible, r.Missed)
		}
	}
}

// A hedge at work: due at 105 a run of 60 minutes that saves every 30 and takes 5
// to read that back has its point of no return at 35 until it has saved at 40. The
// cluster on demand that is requested at 35 is set up at 45 and reads what was
// saved at 40: it ends at 45 + 5 + 30, ten minutes after the spot cluster would
// have ended if the price had not risen at 59, within its free first hour. Worked by
// hand.
func TestHedge(t *testing.T) {
	m := time.Minute
	task := Task{Task: spot.Task{
		Deadline: 105 * m, Estimate: 60 * m, Latency: 10 * m, Instances: 2,
		Checkpoints: spot.Checkpoints{Every: 30 * m, Restart: 5 * m},
	}}
	for _, c := range []struct {
		rise   time.Duration
		finish time.Duration
		leases []Lease
	}{
		{59 * m, 80 * m, []Lease{
			{Tier: spot.TierLow, Bid: 50 * cents, Started: 10 * m, Ended: 59 * m, End: LeaseInterrupted, Saved: 30 * m},
			{Tier: spot.TierHigh, Requested: 35 * m, Launched: 35 * m, Started: 45 * m, Ended: 80 * m, End: LeaseCompleted, Saved: 30 * m, Cost: 150 * cents},
		}},
		{71 * m, 70 * m, []Lease{
			{Tier: spot.TierLow, Bid: 50 * cents, Started: 10 * m, Ended: 70 * m, End: LeaseCompleted, Saved: 30 * m, Cost: 70 * cents},
			{Tier: spot.TierHigh, Requested: 35 * m, Launched: 35 * m, Started: 45 * m, Ended: 70 * m, End: LeaseWithdrawn, Saved: 30 * m, Cost: 35 * 200 * cents / 60},
		}},
	} {
		cfg := Options{
			History:  steps(24*time.Hour, []time.Duration{0, c.rise}, 30*cents, 200*cents),
			OnDemand: 100 * cents, Low: flatBid(50 * cents), Medium: flatBid(50 * cents), Setup: 10 * m,
			Handover: spot.Handover{Rule: spot.RuleHedged, SpotRatio: .4, Thresholds: spot.Thresholds{Medium: .1, Low: .2}},
		}
		var s Simulator
		r, err := s.Run([]Task{task}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Tasks[0].Finish != c.finish {
			t.Errorf("ends at %v, want %v", r.Tasks[0].Finish, c.finish)
		}
		if diff := cmp.Diff(c.leases, r.Leases); diff != "" {
			t.Errorf("price rises at %v: %s", c.rise, diff)
		}
	}
}

// Both clusters of a hedge end the task between two looks: it ended with the first.
func TestFirstEndCounts(t *testing.T) {
	for _, ends := range [][2]time.Duration{{106, 103}, {103, 106}, {103, 121}, {121, 103}} {
		s := Simulator{
			now:  120,
			spot: rented{submitted: true, end: ends[0], lost: spot.Never},
			high: rented{submitted: true, end: ends[1], lost: spot.Never},
		}
		o := Outcome{Finish: spot.Never}
		s.carryOut(&spot.Command{Kind: spot.CommandComplete, Tier: spot.TierMedium}, &o)
		if o.Finish != 103 {
			t.Errorf("ends %v: %v", ends, o.Finish)
		}
	}
}

// A request that is served at the very moment at which the agent gives up waiting is a
// lease, and costs the least that a lease costs: a minute. A moment later there is none. By
// the paper's rule a run of an hour, with ten minutes to boot and due at 190 minutes, goes
// on demand when PR falls below 1, just after an hour.
func TestServedAsItIsGivenUp(t *testing.T) {
	const gone = time.Hour + 1
	for _, c := range []struct {
		falls time.Duration
		want  []Lease
	}{
		{gone, []Lease{
			{Tier: spot.TierMedium, Bid: 10 * cents, Launched: gone, Started: -1, Ended: gone, End: LeaseExpired, Cost: cents / 10},
			{Tier: spot.TierHigh, Requested: gone, Launched: gone, Started: gone + 10*time.Minute, Ended: gone + 70*time.Minute, End: LeaseCompleted, Cost: 70 * cents},
		}},
		{gone + 1, []Lease{
			{Tier: spot.TierHigh, Requested: gone, Launched: gone, Started: gone + 10*time.Minute, Ended: gone + 70*time.Minute, End: LeaseCompleted, Cost: 70 * cents},
		}},
	} {
		cfg := Options{
			History:  steps(24*time.Hour, []time.Duration{0, c.falls}, 20*cents, 6*cents),
			OnDemand: 60 * cents, Low: flatBid(10 * cents), Medium: flatBid(10 * cents),
		}
		r, err := new(Simulator).Run([]Task{{Task: spot.Task{Deadline: 190 * time.Minute, Estimate: time.Hour, Latency: 10 * time.Minute, Instances: 1}}}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, r.Leases); diff != "" {
			t.Errorf("the price falls at %v: %s", c.falls, diff)
		}
	}
}

// lateBid is a cent in the first hour, and ten cents from then on.
func lateBid(_ pricing.SpotHistory, now time.Duration, _ pricing.Money) pricing.Money {
	if now < time.Hour {
		return cents
	}
	return 10 * cents
}

// A task that waits for ever, for a price that never comes, leaves nothing to the next one.
func TestNextAfterOneThatNeverEnds(t *testing.T) {
	never := math.Inf(-1)
	cfg := Options{
		History:  steps(24*time.Hour, []time.Duration{0}, 6*cents),
		OnDemand: 60 * cents, Low: lateBid, Medium: lateBid, Handover: spot.Handover{Thresholds: spot.Thresholds{Medium: never, Low: never}},
	}
	task := Task{Task: spot.Task{Deadline: 2 * time.Hour, Estimate: time.Hour, Instances: 1}}
	next := task
	next.Submit, next.Deadline = 3*time.Hour, 5*time.Hour
	r, err := new(Simulator).Run([]Task{task, next}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r.Tasks[0], r.Tasks[1]; a.Finish != spot.Never || a.Met || b.Finish != 4*time.Hour || b.Cost != 6*cents || len(r.Leases) != 1 {
		t.Errorf("%+v, then %+v, leases %+v", a, b, r.Leases)
	}
}

// A plan is told for how long a cluster has run since its launch, at which nothing else happens: a
// request of the first moment is served at 30 minutes.
func TestPlanKnowsTheLaunch(t *testing.T) {
	const m = time.Minute
	var asked []spot.BidState
	cfg := Options{
		History:  steps(24*time.Hour, []time.Duration{0, 30 * m}, 20*cents, 6*cents),
		OnDemand: 60 * cents, Handover: spot.Handover{Rule: spot.RulePlanned},
		Plan: func(_ *spot.Task, s spot.BidState) spot.BidDecision {
			asked = append(asked, s)
			return spot.BidDecision{Action: spot.BidSpot, Bid: 10 * cents, For: 40 * m}
		},
	}
	_, err := new(Simulator).Run([]Task{{Task: spot.Task{Deadline: 10 * time.Hour, Estimate: 30 * m, Latency: 10 * m, Instances: 1}}}, cfg)
	want := []spot.BidState{{}, {Now: 40 * m, Running: true, Bid: 10 * cents, Elapsed: 10 * m}}
	if diff := cmp.Diff(want, asked); diff != "" || err != nil {
		t.Errorf("%v, asked (-want +got):\n%s", err, diff)
	}
}

// A task that ends at the very moment at which its cluster is taken has ended.
func TestTakenAsItEnds(t *testing.T) {
	for _, c := range []struct {
		rise        time.Duration
		interrupted int
	}{{time.Hour, 0}, {time.Hour - 1, 1}} {
		cfg := Options{
			History:  steps(24*time.Hour, []time.Duration{0, c.rise}, 6*cents, 20*cents),
			OnDemand: 60 * cents, Low: flatBid(10 * cents), Medium: flatBid(10 * cents),
			Handover: spot.Handover{Rule: spot.RuleNoReturn},
		}
		r, err := new(Simulator).Run([]Task{{Task: spot.Task{Deadline: 3 * time.Hour, Estimate: time.Hour, Instances: 1}}}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Tasks[0]; (o.Finish == time.Hour) != (c.interrupted == 0) || o.Interruptions != c.interrupted || !o.Met {
			t.Errorf("the price rises at %v: %+v, want %d interruptions", c.rise, o, c.interrupted)
		}
	}
}

// A task whose cluster is taken just when it would begin, after the set-up, did not run.
func TestTakenAsItStarts(t *testing.T) {
	const m = time.Minute
	for _, c := range []struct{ rise, started time.Duration }{{10 * m, -1}, {10*m + 1, 10 * m}} {
		cfg := Options{
			History:  steps(24*time.Hour, []time.Duration{0, c.rise}, 6*cents, 20*cents),
			OnDemand: 60 * cents, Low: flatBid(10 * cents), Medium: flatBid(10 * cents), Setup: 10 * m,
			Handover: spot.Handover{Rule: spot.RuleNoReturn},
		}
		r, err := new(Simulator).Run([]Task{{Task: spot.Task{Deadline: 10 * time.Hour, Estimate: time.Hour, Latency: 10 * m, Instances: 1}}}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if l := r.Leases[0]; l.Started != c.started || l.End != LeaseInterrupted || l.Ended != c.rise {
			t.Errorf("the price rises at %v: %+v, want a start at %v", c.rise, l, c.started)
		}
	}
}

// PR falls below the thresholds of these tasks only after the deadline. Such a task goes on
// demand when PR is below th1, however long its request has waited. The run takes two hours and
// is due at 10 h, so PR = (8 h − now)/2 h. The price takes the cluster away at 1 h and never
// falls again. With th2 = −4 and th1 = −5, PR reaches th2 at 16 h. There the low agent hands the
// task to the medium agent. PR falls below th1 just after 18 h, and the task goes on demand.
// With th1 = −300,000 this happens just after 600,008 h. With th1 = −400,000 it would happen
// after 91 years: the simulator counts a wait of more than 73 years as a wait without end.
func TestGivesUpAfterTheDeadline(t *testing.T) {
	const h = time.Hour
	for _, c := range []struct {
		th1, th2         float64
		interval, finish time.Duration
		requests         []time.Duration // that are served
	}{
		{-5, -4, 0, 20*h + 1, []time.Duration{0, 18*h + 1}},
		{-5, -4, 30 * time.Minute, 20*h + 30*time.Minute, []time.Duration{0, 18*h + 30*time.Minute}},
		{-5, -4, 3 * h, 23 * h, []time.Duration{0, 21 * h}},
		{-3e5, -3e5, 0, 600_010*h + 1, []time.Duration{0, 600_008*h + 1}},
		{-3e5, -3e5, h, 600_011 * h, []time.Duration{0, 600_009 * h}},
		{-4e5, -3e5, 0, spot.Never, []time.Duration{0}},
		{-4e5, -3e5, h, spot.Never, []time.Duration{0}},
		{math.Inf(-1), math.Inf(-1), 0, spot.Never, []time.Duration{0}},
		{math.Inf(-1), math.Inf(-1), h, spot.Never, []time.Duration{0}},
	} {
		cfg := Options{
			History:  steps(24*h, []time.Duration{0, h}, 6*cents, 200*cents),
			OnDemand: 60 * cents, Low: flatBid(10 * cents), Medium: flatBid(10 * cents),
			Handover: spot.Handover{Thresholds: spot.Thresholds{Medium: c.th1, Low: c.th2}, Interval: c.interval},
		}
		r, err := new(Simulator).Run([]Task{{Task: spot.Task{Deadline: 10 * h, Estimate: 2 * h, Instances: 1}}}, cfg)
		if err != nil {
			t.Fatal(err)
		}
		var requests []time.Duration
		for _, l := range r.Leases {
			requests = append(requests, l.Requested)
		}
		if o := r.Tasks[0]; o.Finish != c.finish || o.Met || cmp.Diff(c.requests, requests) != "" {
			t.Errorf("thresholds %v and %v, looks every %v: %+v, requests at %v", c.th1, c.th2, c.interval, o, requests)
		}
	}
}
