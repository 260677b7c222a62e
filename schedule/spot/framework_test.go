package spot

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/pricing"
)

// whim is a world in which spot requests are served and spot clusters taken at
// the whim of a source of randomness, with no prices at all: one for each task.
type whim struct {
	task    Task
	rnd     *rand.Rand
	saved   time.Duration
	cluster [2]struct {
		open, launched, submitted, taken bool
		ready, start                     time.Duration
		base                             time.Duration // saved when the run began
	}
	finish time.Duration
}

// ownPlace is a cluster's place in whim.cluster: one for spot, one on demand.
func ownPlace(tier Tier) int { return int(min(tier, TierMedium)) }

// tick lets chance act at a time.
func (w *whim) tick(now time.Duration) {
	c := &w.cluster[TierMedium]
	switch {
	case !c.open || c.taken:
	case !c.launched && w.rnd.IntN(4) == 0:
		c.launched, c.ready = true, now+w.task.Latency
	case c.launched && w.rnd.IntN(50) == 0:
		w.look(now, TierMedium)
		if c.submitted {
			c.taken = true
		} else {
			c.launched = false
		}
	}
}

// look is what there is to see of a cluster.
func (w *whim) look(now time.Duration, tier Tier) Observation {
	c := &w.cluster[ownPlace(tier)]
	o := Observation{Launched: c.launched, Ready: c.launched && now >= c.ready, Saved: w.saved}
	if !c.submitted {
		return o
	}
	k := &w.task.Checkpoints
	run := w.task.Remaining(c.base)
	if tier != TierHigh {
		run = w.task.SpotRun(c.base)
	}
	if o.Done = !c.taken && now >= c.start+run; !o.Done && !c.taken && tier != TierHigh && k.Every > 0 {
		at, base := now-c.start, time.Duration(0)
		if w.task.Remaining(c.base) < w.task.Estimate {
			at, base = at-k.Restart, c.base
		}
		if at >= 0 {
			n := min(at/(k.Every+k.Write), (w.task.Estimate-base-1)/k.Every)
			w.saved = max(w.saved, base+n*k.Every)
			o.Saved = w.saved
		}
	}
	o.Interrupted = c.taken
	return o
}

// whims are the worlds of a framework's tasks, by index.
type whims struct {
	now    time.Duration
	world  []*whim
	counts map[[2]int]int // commands by kind, and tier or reason
}

func (w *whims) Look(index int, tier Tier) Observation { return w.world[index].look(w.now, tier) }

// carryOut does what a framework wants and checks that it makes sense.
func (w *whims) carryOut(t *testing.T, rule Rule, c Command) {
	v := w.world[c.Index]
	at := &v.cluster[ownPlace(c.Tier)]
	other := &v.cluster[1-ownPlace(c.Tier)]
	if c.Task != v.task.ID {
		t.Fatalf("command for task %d at the index of %d", c.Task, v.task.ID)
	}
	if w.counts != nil {
		place := ownPlace(c.Tier) * 10
		if c.Interrupted {
			place++
		}
		w.counts[[2]int{int(c.Kind), place}]++
	}
	switch c.Kind {
	case CommandOpen:
		if at.open || other.open && !(rule >= RuleHedged && c.Tier == TierHigh) {
			t.Fatalf("%v: opens a cluster beside another: %+v", rule, c)
		}
		*at = struct {
			open, launched, submitted, taken bool
			ready, start                     time.Duration
			base                             time.Duration
		}{open: true}
		if c.Tier == TierHigh {
			at.launched, at.ready = true, w.now+v.task.Latency
		}
	case CommandSubmit:
		if !at.open || at.submitted || !at.launched || w.now < at.ready {
			t.Fatalf("%v: submits to a cluster that is not ready: %+v", rule, c)
		}
		at.submitted, at.start, at.base = true, w.now, v.saved
	case CommandComplete:
		if v.finish != 0 {
			t.Fatalf("%v: completed twice: %+v", rule, c)
		}
		v.finish = w.now
	case CommandClose:
		if !at.open {
			t.Fatalf("%v: closes what is not open: %+v", rule, c)
		}
		at.open = false
	case CommandReturn:
		if c.Interrupted && at.submitted && !at.taken {
			t.Fatalf("%v: returned with the wrong reason: %+v", rule, c)
		}
	default:
		t.Fatalf("%v: command %v", rule, c.Kind)
	}
}

// run lets a framework have tasks until they have ended.
func (w *whims) run(t *testing.T, f *Framework, tasks []Task, seed uint64) []time.Duration {
	w.now, w.world = 0, w.world[:0]
	for _, k := range tasks {
		if _, err := f.Take(k, 0); err != nil {
			t.Fatal(err)
		}
		w.world = append(w.world, &whim{task: k, rnd: rand.New(rand.NewPCG(seed, uint64(k.ID)))})
	}
	var commands []Command
	tick := time.Duration(0)
	for f.Len() > 0 {
		for {
			commands = f.AppendCommands(commands[:0], w.now, w.Look)
			if len(commands) == 0 {
				break
			}
			for _, c := range commands {
				w.carryOut(t, f.Handover.Rule, c)
			}
		}
		if f.Len() == 0 {
			break
		}
		next := f.Next()
		if next <= w.now {
			t.Fatalf("%v: next look at %v, and it is %v", f.Handover.Rule, next, w.now)
		}
		if w.now = min(next, tick+time.Minute); w.now == tick+time.Minute {
			tick = w.now
			for _, v := range w.world {
				v.tick(w.now)
			}
		}
	}
	finish := make([]time.Duration, len(tasks))
	for i, v := range w.world {
		finish[i] = v.finish
		for _, c := range v.cluster {
			if c.open {
				t.Fatalf("%v: a cluster is left open", f.Handover.Rule)
			}
		}
	}
	return finish
}

// whimTasks draws tasks that on demand meets.
func whimTasks(n int, rnd *rand.Rand) []Task {
	m := time.Minute
	var tasks []Task
	for i := range n {
		k := Task{ID: int64(i + 1), Estimate: time.Duration(1+rnd.IntN(90)) * m, Latency: time.Duration(rnd.IntN(12)) * m, Instances: 1}
		k.Deadline = k.Latency + k.Estimate + time.Duration(rnd.IntN(250))*m
		if rnd.IntN(2) == 0 {
			k.Checkpoints = Checkpoints{Every: time.Duration(1+rnd.IntN(30)) * m, Write: time.Duration(rnd.IntN(4)) * m, Restart: time.Duration(rnd.IntN(8)) * m}
		}
		tasks = append(tasks, k)
	}
	return tasks
}

// whimPlan is a plan without sense.
func whimPlan(rnd *rand.Rand) func(*Task, BidState) BidDecision {
	return func(_ *Task, s BidState) BidDecision {
		return BidDecision{Action: BidAction(rnd.IntN(5)), Bid: 1, For: time.Duration(rnd.IntN(40)) * time.Minute, Stop: rnd.IntN(5) == 0}
	}
}

// Whatever a provider does with spot clusters, and whatever a plan says, the
// mended rules meet every deadline; clusters are opened, used and closed in order;
// and tasks of one framework do not disturb each other. Seed 8.
func TestFrameworkMeetsDeadlinesOnAWhim(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 0))
	var shared Framework // used again and again
	missed := map[Rule]int{}
	bid := func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }
	all := whims{counts: map[[2]int]int{}}
	for round := range 150 {
		tasks := whimTasks(1+rnd.IntN(6), rnd)
		for rule := RulePaper; rule <= RulePlanned; rule++ {
			shared.Reset()
			shared.Handover, shared.Bid, shared.Plan = Handover{Rule: rule}, bid, whimPlan(rand.New(rand.NewPCG(8, 1)))
			finish := all.run(t, &shared, tasks, uint64(round))
			var alone []time.Duration
			for _, k := range tasks {
				f := Framework{Handover: Handover{Rule: rule}, Bid: bid, Plan: shared.Plan}
				alone = append(alone, new(whims).run(t, &f, []Task{k}, uint64(round))...)
			}
			if diff := cmp.Diff(alone, finish); diff != "" && rule != RulePlanned { // whose plan is drawn anew
				t.Fatalf("%v: together they end otherwise than alone: %s", rule, diff)
			}
			for i, k := range tasks {
				if finish[i] > k.Deadline {
					missed[rule]++
					if rule != RulePaper {
						t.Errorf("round %d, %v: ends at %v, due at %v: %+v", round, rule, finish[i], k.Deadline, k)
					}
				}
			}
		}
	}
	for _, c := range [][2]int{
		{int(CommandComplete), 0}, {int(CommandComplete), 10}, // on demand, on spot
		{int(CommandReturn), 10}, {int(CommandReturn), 11},
	} {
		if all.counts[c] < 100 {
			t.Errorf("%v happened only %d times: %v", c, all.counts[c], all.counts)
		}
	}
}

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
	f := Framework{Bid: func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }}
	w := &whims{}
	take := func(id int64, estimate time.Duration) int {
		k := Task{ID: id, Deadline: w.now + 1000*time.Hour, Estimate: estimate, Instances: 1}
		i, err := f.Take(k, w.now)
		if err != nil {
			t.Fatal(err)
		}
		v := &whim{task: k, rnd: rand.New(rand.NewPCG(1, uint64(id)))}
		if i < len(w.world) {
			w.world[i] = v
		} else {
			w.world = append(w.world, v)
		}
		return i
	}
	long, short := take(1, 200*time.Hour), take(2, time.Minute)
	for ; f.Len() > 1; w.now += time.Minute {
		for _, v := range w.world {
			v.tick(w.now)
		}
		for _, c := range f.AppendCommands(nil, w.now, w.Look) {
			w.carryOut(t, RulePaper, c)
		}
	}
	if w.world[short].finish == 0 || w.world[long].finish != 0 {
		t.Fatal("the short task has not ended first")
	}
	if third, fourth := take(3, time.Minute), take(4, time.Minute); third != short || fourth != 2 || f.Len() != 3 {
		t.Errorf("indices %d and %d, %d tasks", third, fourth, f.Len())
	}
	for end := w.now + 20*time.Hour; f.Len() > 1 && w.now < end; w.now += time.Minute {
		for _, v := range w.world {
			v.tick(w.now)
		}
		for _, c := range f.AppendCommands(nil, w.now, w.Look) {
			w.carryOut(t, RulePaper, c)
		}
	}
	if w.world[short].finish == 0 || w.world[2].finish == 0 {
		t.Errorf("%d tasks are left", f.Len())
	}
}

// A warm framework allocates nothing: a day of 40 tasks, step by step.
func TestFrameworkAllocatesNothing(t *testing.T) {
	tasks := whimTasks(40, rand.New(rand.NewPCG(9, 0)))
	var f Framework
	f.Grow(len(tasks))
	if cap(f.tasks) < len(tasks) || cap(f.free) < len(tasks) {
		t.Errorf("room for %d tasks and %d that end, want %d", cap(f.tasks), cap(f.free), len(tasks))
	}
	f.Bid = func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 }
	f.Plan = func(_ *Task, s BidState) BidDecision {
		action := BidSpot
		if s.Running && s.Elapsed >= 30*time.Minute {
			action = BidBoth
		}
		return BidDecision{Action: action, Bid: 1, For: 10 * time.Minute}
	}
	w := &whims{}
	commands := make([]Command, 0, 4*len(tasks))
	for rule := RulePaper; rule <= RulePlanned; rule++ {
		f.Reset()
		f.Handover = Handover{Rule: rule}
		w.now, w.world = 0, w.world[:0]
		for _, k := range tasks {
			w.world = append(w.world, &whim{task: k, rnd: rand.New(rand.NewPCG(1, uint64(k.ID)))})
		}
		if n := allocs.Once(func() {
			f.Reset()
			f.Grow(len(tasks))
			for _, k := range tasks {
				if _, err := f.Take(k, 0); err != nil {
					t.Fatal(err)
				}
			}
		}); n != 0 {
			t.Errorf("%v: Take: %v allocations", rule, n)
		}
		for ; f.Len() > 0 && w.now < 48*time.Hour; w.now += time.Minute {
			for _, v := range w.world {
				v.tick(w.now)
			}
			for {
				n := allocs.Once(func() { f.Next() })
				before := slices.Clone(f.tasks)
				free := len(f.free)
				n += allocs.Once(func() {
					copy(f.tasks, before)
					f.free = f.free[:free]
					commands = f.AppendCommands(commands[:0], w.now, w.Look)
				})
				if n != 0 {
					t.Fatalf("%v at %v: %v allocations", rule, w.now, n)
				}
				for _, c := range commands {
					w.carryOut(t, rule, c)
				}
				if len(commands) == 0 {
					break
				}
			}
		}
		if f.Len() > 0 {
			t.Errorf("%v: %d tasks left", rule, f.Len())
		}
	}
}
