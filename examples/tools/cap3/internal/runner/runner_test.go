package runner

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

const cent = 10 * pricing.Milli

// prices are calm at about 0.21, with spikes up to 2.50.
func prices(random *rand.Rand, days int) pricing.SpotHistory {
	h := pricing.SpotHistory{End: time.Duration(days) * 24 * time.Hour}
	for at := time.Duration(0); at < h.End; at += time.Duration(5+random.IntN(120)) * time.Minute {
		price := pricing.Money(18+random.IntN(6)) * cent
		if random.IntN(6) == 0 {
			price = pricing.Money(30+random.IntN(220)) * cent
		}
		if n := len(h.Prices); n == 0 || h.Prices[n-1] != price {
			h.Times, h.Prices = append(h.Times, at), append(h.Prices, price)
		}
	}
	return h
}

const onDemand = 130 * cent

// world returns tasks and the market that they run on.
func world(random *rand.Rand, n int) ([]Task, *Market) {
	m := &Market{History: prices(random, 30), OnDemand: onDemand, Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly, Setup: time.Minute}
	for i := range n {
		t := Task{Name: fmt.Sprint("task ", i), Submit: 24*time.Hour + time.Duration(random.IntN(15*24*60))*time.Minute}
		t.ID = int64(i)
		t.Estimate = time.Duration(10+random.IntN(500)) * time.Minute
		t.Latency = time.Duration(2+random.IntN(8)) * time.Minute
		t.Instances = 1 + random.IntN(8)
		t.Deadline = t.Submit + t.Latency + t.Estimate + time.Duration(random.Float64()*4*float64(t.Estimate)).Truncate(time.Second)
		if random.IntN(3) > 0 {
			t.Checkpoints = spot.Checkpoints{Every: time.Duration(5+random.IntN(60)) * time.Minute, Write: time.Minute, Restart: 2 * time.Minute}
		}
		m.Tasks = append(m.Tasks, t)
		m.Runtimes = append(m.Runtimes, t.Estimate)
	}
	return m.Tasks, m
}

func bids(h pricing.SpotHistory) func(t *spot.Task, tier spot.Tier, now, saved time.Duration) pricing.Money {
	return func(_ *spot.Task, tier spot.Tier, now, _ time.Duration) pricing.Money {
		if tier == spot.TierLow {
			return spot.LowBid(h, now, onDemand)
		}
		return spot.MediumBid(h, now, onDemand)
	}
}

// plans returns a plan for each task by its ID, solved by the prices before its submission.
func plans(t *testing.T, tasks []Task, m *Market) func(*spot.Task, spot.BidState) spot.BidDecision {
	t.Helper()
	planners := make([]spot.Planner, len(tasks))
	for i := range tasks {
		x := &tasks[i]
		chains := spot.ChainEstimator{Step: 20 * time.Minute}
		chain, err := chains.Estimate(m.History, 0, x.Submit)
		if err == nil {
			err = planners[i].Solve(spot.Market{Chain: chain, Spot: m.Spot, OnDemand: onDemand, Meter: m.Meter, Beside: true}, &x.Task, x.Submit)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return func(x *spot.Task, s spot.BidState) spot.BidDecision {
		s.Price = m.History.At(s.Now)
		return planners[x.ID].Decide(s)
	}
}

// folder is a folder in memory, where there is such a thing: the runner writes thousands
// of entries, each of which is to be on the disk before it goes on.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "runner")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

type killed struct{}

// live lets a runner live until it is killed or everything is done, on the market's clock.
func live(t *testing.T, o Options, m *Market) (r *Runner, dead bool) {
	t.Helper()
	var err error
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(killed); !ok {
				panic(p)
			}
			dead = true
			if r != nil {
				r.Close()
			}
		}
	}()
	if r, err = Open(o); err != nil {
		t.Fatal(err)
	}
	for {
		happened, err := r.Step(m.Now)
		if err != nil {
			t.Fatal(err)
		}
		if happened {
			continue
		}
		if r.Done() {
			return r, false
		}
		next := min(r.Next(), m.Next())
		if next == spot.Never || next <= m.Now {
			t.Fatalf("nothing happens after %v (next %v)", m.Now, next)
		}
		m.Now = next
	}
}

// The runner is killed at random under every rule, with 120 tasks under each. No task is
// lost, and no cluster is leaked. No task repeats what it had saved. The bill is the
// simulator's to the nano, although the market is another program.
func TestKilled(t *testing.T) {
	for _, rule := range []spot.Rule{spot.RulePaper, spot.RuleSafe, spot.RuleNoReturn, spot.RuleHedged, spot.RulePlanned} {
		t.Run(rule.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(19, uint64(rule)))
			tasks, m := world(random, 120)
			plan := plans(t, tasks, m)
			o := Options{
				Journal: filepath.Join(folder(t), "journal"), Tasks: tasks, Handover: spot.Handover{Rule: rule}, Bid: bids(m.History), Cloud: m,
				Plan: func(i int, s spot.BidState) spot.BidDecision { return plan(&tasks[i].Task, s) },
			}
			kills := 0
			for {
				o.Crash = func() {
					if random.IntN(120) == 0 {
						panic(killed{})
					}
				}
				r, dead := live(t, o, m)
				if dead {
					kills++
					continue
				}
				check(t, r, m, o, plan)
				r.Close()
				break
			}
			t.Logf("%d kills, %d stays of %d tasks, bill $%v", kills, len(m.Ran), len(tasks), m.Bill())
			if kills < 40 {
				t.Errorf("only %d kills", kills)
			}
		})
	}
}

// check compares what became of tasks with the simulator.
func check(t *testing.T, r *Runner, m *Market, o Options, plan func(*spot.Task, spot.BidState) spot.BidDecision) {
	t.Helper()
	if live, _ := m.Live(); len(live) > 0 {
		t.Errorf("leaked: %q", live)
	}
	var s spotsim.Simulator
	var list []spotsim.Task
	for i := range o.Tasks {
		list = append(list, spotsim.Task{Task: o.Tasks[i].Task, Submit: o.Tasks[i].Submit, Runtime: m.Runtimes[i]})
	}
	want, err := s.Run(list, spotsim.Options{History: m.History, OnDemand: m.OnDemand, Spot: m.Spot, Meter: m.Meter, Setup: m.Setup, Handover: o.Handover, Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	if m.Bill() != want.Cost {
		t.Errorf("the bill is $%v, the simulator's $%v", m.Bill(), want.Cost)
	}
	for i := range o.Tasks {
		got, err := r.Result(i)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Done || got.Finish != want.Tasks[i].Finish || got.Cost != want.Tasks[i].Cost {
			t.Errorf("task %d: %+v, simulated %+v", i, got, want.Tasks[i])
		}
	}
	// Stays of a task: each on a cluster of its own, from what was saved, and, but for a
	// hedge, one after the other.
	tokens := map[string]bool{}
	before := map[int][]Stay{}
	for _, x := range m.Ran {
		if tokens[x.Token] || x.End < 0 || x.From != 0 && x.From != x.Saved {
			t.Errorf("a stay that should not be: %+v", x)
		}
		tokens[x.Token] = true
		for _, p := range before[x.Task] {
			if p.End > x.Begin {
				if o.Handover.Rule < spot.RuleHedged {
					t.Errorf("two stays at a time: %+v, %+v", p, x)
				}
				continue
			}
			if c := o.Tasks[x.Task].Checkpoints; c.Every > 0 && x.From > 0 && p.To-x.From > c.Every {
				t.Errorf("task %d repeats %v, though it saves every %v", x.Task, p.To-x.From, c.Every)
			}
		}
		before[x.Task] = append(before[x.Task], x)
	}
}

// A journal whose tasks have all ended has nothing left to do: who opens it again carries
// out no command and writes nothing.
func TestEnded(t *testing.T) {
	tasks, m := world(rand.New(rand.NewPCG(2, 2)), 5)
	o := Options{Journal: filepath.Join(folder(t), "journal"), Tasks: tasks, Bid: bids(m.History), Cloud: m}
	r, _ := live(t, o, m)
	r.Close()
	before, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	o.Note = func(_ time.Duration, task int, what string) { t.Errorf("again: task %d %s", task, what) }
	r, _ = live(t, o, m)
	r.Close()
	if after, err := os.ReadFile(o.Journal); err != nil || string(after) != string(before) {
		t.Errorf("the journal has grown from %d to %d bytes, %v", len(before), len(after), err)
	}
	if x, err := Check(o.Journal); err != nil || x.Records < 10 || x.Torn != 0 {
		t.Errorf("-fsck: %+v, %v", x, err)
	}
	before[len(before)-1] ^= 1
	if err := os.WriteFile(o.Journal, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err := Check(o.Journal); err == nil {
		t.Errorf("-fsck of a damaged journal: %+v", x)
	}
}
