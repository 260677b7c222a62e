package spot

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

// A running cluster is kept with BidSpot, and given back for a new one where the plan
// says Stop. From BidBoth on a cluster on demand runs beside it, even at the point of
// no return. An hour of work due at 3 h has the point of no return at 2 h.
func TestFrameworkDoesWhatThePlanSays(t *testing.T) {
	const hour = time.Hour
	k := Task{ID: 7, Deadline: 3 * hour, Estimate: hour, Instances: 1}
	for _, c := range []struct {
		name string
		at   time.Duration
		says BidDecision
		want []Command
	}{
		{"on", hour, BidDecision{Action: BidSpot, Bid: 5, For: hour}, nil},
		{"stop", hour, BidDecision{Action: BidSpot, Stop: true, Bid: 5, For: hour}, []Command{
			{Kind: CommandReturn, Task: 7, Tier: TierMedium}, {Kind: CommandClose, Task: 7, Tier: TierMedium},
			{Kind: CommandOpen, Task: 7, Tier: TierMedium, Bid: 5},
		}},
		{"both", hour, BidDecision{Action: BidBoth, Bid: 5, For: hour}, []Command{{Kind: CommandOpen, Task: 7, Tier: TierHigh}}},
		{"both at the last moment", 2 * hour, BidDecision{Action: BidBoth, Bid: 5, For: hour}, []Command{{Kind: CommandOpen, Task: 7, Tier: TierHigh}}},
		{"on beyond it", 2 * hour, BidDecision{Action: BidSpot, Bid: 5, For: hour}, []Command{
			{Kind: CommandReturn, Task: 7, Tier: TierMedium}, {Kind: CommandClose, Task: 7, Tier: TierMedium},
			{Kind: CommandOpen, Task: 7, Tier: TierHigh},
		}},
	} {
		says := BidDecision{Action: BidSpot, Bid: 3, For: c.at}
		f := Framework{Handover: Handover{Rule: RulePlanned}, Plan: func(_ *Task, s BidState) BidDecision {
			if s.Running && s.Elapsed != c.at {
				t.Errorf("%s: asked of a cluster that runs since 0 at %v, with %v elapsed", c.name, c.at, s.Elapsed)
			}
			return says
		}}
		if _, err := f.Take(k, 0); err != nil {
			t.Fatal(err)
		}
		// Its task began a moment ago, whenever it is asked.
		world := still{Launched: true, Ready: true}
		for range 3 { // open, submit, run
			f.AppendCommands(nil, 0, world.Look)
		}
		says = c.says
		if commands := f.AppendCommands(nil, c.at/2, world.Look); len(commands) > 0 {
			t.Errorf("%s: %v before it is asked", c.name, commands)
		}
		if next := f.Next(); next != c.at {
			t.Errorf("%s: asks at %v, want %v", c.name, next, c.at)
		}
		if diff := cmp.Diff(c.want, f.AppendCommands(nil, c.at, world.Look)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	// A task without a cluster.
	spot, demand := Command{Kind: CommandOpen, Task: 7, Tier: TierMedium, Bid: 5}, Command{Kind: CommandOpen, Task: 7, Tier: TierHigh}
	for _, c := range []struct {
		says BidDecision
		want []Command
		next time.Duration // when the framework looks again
	}{
		{BidDecision{Action: BidWait, Bid: 5, For: hour}, nil, hour},
		{BidDecision{Action: BidSpot, Bid: 5, For: hour}, []Command{spot}, 0},
		{BidDecision{Action: BidBoth, Bid: 5, For: hour}, []Command{spot, demand}, 0},
		{BidDecision{Action: BidOnDemand, Bid: 5, For: hour}, []Command{demand}, 0},
		{BidDecision{Action: BidBoth + 1, Bid: 5, For: hour}, []Command{demand}, 0},
		{BidDecision{Action: BidWait, Bid: 5}, []Command{demand}, 0},
		{BidDecision{Action: BidSpot, Bid: 5}, []Command{demand}, 0},
		{BidDecision{Action: BidBoth, Bid: 5, For: -1}, []Command{demand}, 0},
	} {
		f := Framework{Handover: Handover{Rule: RulePlanned}, Plan: func(*Task, BidState) BidDecision { return c.says }}
		if _, err := f.Take(k, 0); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, f.AppendCommands(nil, 0, still{}.Look)); diff != "" || f.Next() != c.next {
			t.Errorf("%+v: %s, next at %v", c.says, diff, f.Next())
		}
	}
}

// still shows the same of each cluster always.
type still Observation

func (s still) Look(int, Tier) Observation { return Observation(s) }

// The index of a task that has gone is used again, and those of others stay.
func TestFrameworkUsesIndicesAgain(t *testing.T) {
	f := bidding(Handover{})
	now := time.Duration(0)
	take := func(id int64) int {
		i, err := f.Take(Task{ID: id, Deadline: now + 1000*time.Hour, Estimate: time.Hour, Instances: 1}, now)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	long, short := take(1), take(2)
	ended := short
	look := func(index int, _ Tier) Observation {
		return Observation{Launched: true, Ready: true, Done: index == ended}
	}
	step := func() (closed []int64) {
		for range 4 { // open, submit, end, close
			for _, c := range f.AppendCommands(nil, now, look) {
				if c.Kind == CommandClose {
					closed = append(closed, c.Task)
				}
			}
			now++
		}
		return closed
	}
	if closed := step(); !slices.Equal(closed, []int64{2}) || f.Len() != 1 {
		t.Fatalf("closed %v, %d tasks left", closed, f.Len())
	}
	ended = 2
	if third, fourth := take(3), take(4); third != short || fourth != 2 || f.Len() != 3 {
		t.Errorf("indices %d and %d, %d tasks", third, fourth, f.Len())
	}
	if closed := step(); !slices.Equal(closed, []int64{4}) || f.Len() != 2 {
		t.Errorf("closed %v, %d tasks left", closed, f.Len())
	}
	ended = long
	if closed := step(); !slices.Equal(closed, []int64{1}) {
		t.Errorf("closed %v", closed)
	}
}

// A warm framework allocates nothing: 40 tasks, minute by minute. Clusters boot for five minutes,
// runs last an hour, and every third cluster on spot is taken after half an hour.
func TestFrameworkAllocatesNothing(t *testing.T) {
	const tasks = 40
	var f Framework
	f.Grow(tasks)
	if cap(f.tasks) < tasks || cap(f.free) < tasks {
		t.Errorf("room for %d tasks and %d that end, want %d", cap(f.tasks), cap(f.free), tasks)
	}
	f.Bid = func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }
	f.Plan = func(_ *Task, s BidState) BidDecision {
		action := BidSpot
		if s.Running && s.Elapsed >= 30*time.Minute {
			action = BidBoth
		}
		return BidDecision{Action: action, Bid: 1, For: 10 * time.Minute}
	}
	var now time.Duration
	var opened [tasks][2]time.Duration
	look := func(index int, tier Tier) Observation {
		age := now - opened[index][min(tier, TierMedium)]
		return Observation{
			Launched: true, Ready: age >= 5*time.Minute, Done: age >= 65*time.Minute,
			Interrupted: tier != TierHigh && index%3 == 0 && age >= 35*time.Minute,
		}
	}
	commands := make([]Command, 0, 4*tasks)
	for rule := RulePaper; rule <= RulePlanned; rule++ {
		f.Handover, now = Handover{Rule: rule}, 0
		if n := allocs.Once(func() {
			f.Reset()
			f.Grow(tasks)
			for i := range tasks {
				k := Task{ID: int64(i), Estimate: time.Hour, Latency: 5 * time.Minute, Deadline: time.Duration(70+20*i) * time.Minute, Instances: 1}
				if _, err := f.Take(k, 0); err != nil {
					t.Fatal(err)
				}
			}
		}); n != 0 {
			t.Errorf("%v: Take: %v allocations", rule, n)
		}
		for ; f.Len() > 0 && now < 48*time.Hour; now += time.Minute {
			for more := true; more; more = len(commands) > 0 {
				before, free := slices.Clone(f.tasks), len(f.free)
				if n := allocs.Once(func() { // again and again from the same state
					copy(f.tasks, before)
					f.free = f.free[:free]
					f.Next()
					commands = f.AppendCommands(commands[:0], now, look)
				}); n != 0 {
					t.Fatalf("%v at %v: %v allocations", rule, now, n)
				}
				for _, c := range commands {
					if c.Kind == CommandOpen {
						opened[c.Index][min(c.Tier, TierMedium)] = now
					}
				}
			}
		}
		if f.Len() > 0 {
			t.Errorf("%v: %d tasks left", rule, f.Len())
		}
	}
}
