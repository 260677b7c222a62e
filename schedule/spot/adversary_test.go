package spot

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// ownPlace is a cluster's place in foe.clusters: one on demand, one for spot.
func ownPlace(tier Tier) int { return int(min(tier, TierMedium)) }

// foe is an adversary of one task: it has no prices, times to the nanosecond, and
// takes spot clusters where that hurts most. Its clusters are on demand and on
// spot. It is told of by its own next events and the framework's Next only.
type foe struct {
	task           Task
	setup, runtime time.Duration
	now, saved     time.Duration
	clusters       [2]foeCluster
}

type foeCluster struct {
	open, launched, submitted bool
	launch, ready, taken      time.Duration
	start, read, base, work   time.Duration
}

// end returns when the run on cluster i ends.
func (w *foe) end(i int) time.Duration {
	c, k := &w.clusters[i], &w.task.Checkpoints
	end := c.start + c.read + c.work
	if i == 1 && k.Every > 0 {
		end += (c.work - 1) / k.Every * k.Write
	}
	return end
}

// held returns what is saved at a time.
func (w *foe) held(at time.Duration) time.Duration {
	c, k := &w.clusters[1], &w.task.Checkpoints
	if !c.submitted || k.Every == 0 {
		return w.saved
	}
	worked := min(at, c.taken) - c.start - c.read
	if worked < 0 {
		return w.saved
	}
	return max(w.saved, c.base+min(worked/(k.Every+k.Write), (c.work-1)/k.Every)*k.Every)
}

func (w *foe) Look(_ int, tier Tier) Observation {
	i := ownPlace(tier)
	c := &w.clusters[i]
	if i == 1 {
		if c.open && !c.submitted && c.launched && c.taken <= w.now {
			c.launched, c.launch, c.taken = false, Never, Never
		}
		w.saved = w.held(w.now)
	}
	o := Observation{Launched: c.launched, Ready: c.launched && w.now >= c.ready, Saved: w.saved}
	if c.submitted {
		o.Done = w.end(i) <= min(w.now, c.taken)
		o.Interrupted = c.taken <= w.now
	}
	return o
}

// boot serves the request for cluster i now.
func (w *foe) boot(i int, span func(minutes int) time.Duration, rnd *rand.Rand) {
	c := &w.clusters[i]
	c.launched, c.launch, c.ready = true, w.now, w.now+w.task.Latency-w.setup
	if i == 1 && rnd.IntN(4) == 0 {
		c.taken = w.now + 1 + span(15)
	}
}

// submit starts the task on cluster i and lays a trap on spot.
func (w *foe) submit(i int, span func(minutes int) time.Duration, rnd *rand.Rand) {
	c, t := &w.clusters[i], &w.task
	c.submitted, c.start, c.work = true, w.now+w.setup, w.runtime
	saved := w.saved
	if i == 0 && w.clusters[1].open {
		saved = w.held(c.start)
	}
	if t.Remaining(saved) < t.Estimate && saved < w.runtime {
		c.read, c.base, c.work = t.Checkpoints.Restart, saved, w.runtime-saved
	}
	if i == 0 {
		return
	}
	switch end := w.end(1); rnd.IntN(8) {
	case 0:
		c.taken = end - 1
	case 1:
		c.taken = end
	case 2:
		c.taken = c.start + time.Duration(rnd.Int64N(int64(end-c.start)))
	case 3:
		c.taken = t.PointOfNoReturn(w.saved)
	case 4:
		c.taken = t.PointOfNoReturn(w.saved) - 1
	case 5: // just before a checkpoint
		if k := &t.Checkpoints; k.Every > 0 {
			c.taken = c.start + c.read + time.Duration(1+rnd.IntN(4))*(k.Every+k.Write) - 1
		}
	case 6:
		c.taken = w.now + 1 + span(3)
	case 7:
		c.taken = Never
	}
	c.taken = max(c.taken, w.now+1)
}

// next returns the next event after now, within until.
func (w *foe) next(until time.Duration) time.Duration {
	soon := func(at time.Duration) {
		if at > w.now {
			until = min(until, at)
		}
	}
	for i := range w.clusters {
		c, k := &w.clusters[i], &w.task.Checkpoints
		if !c.open {
			continue
		}
		soon(c.launch)
		soon(c.taken)
		if c.launched {
			soon(c.ready)
		}
		if c.submitted {
			soon(w.end(i))
			if n := max(0, w.now-c.start-c.read)/max(1, k.Every+k.Write) + 1; i == 1 && k.Every > 0 && n <= (c.work-1)/k.Every {
				soon(c.start + c.read + n*(k.Every+k.Write))
			}
		}
	}
	return until
}

// No adversary makes a rule after the paper's late, whatever a plan says: 120,000
// tasks, to the nanosecond, that on demand meets with agents that look as often.
// Of those many end exactly on the deadline. Seed 77.
func TestFrameworkMeetsDeadlinesAgainstAnAdversary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(77, 1))
	span := func(minutes int) time.Duration {
		return time.Duration(rnd.Int64N(int64(minutes)*int64(time.Minute) + 1))
	}
	f := Framework{
		Bid: func(*Task, Tier, time.Duration, time.Duration) pricing.Money { return 1 },
		Plan: func(*Task, BidState) BidDecision {
			return BidDecision{
				Action: BidAction(rnd.IntN(5)), Bid: 1, Stop: rnd.IntN(5) == 0,
				For: []time.Duration{-1, 0, 1, span(40), Never}[rnd.IntN(5)],
			}
		},
	}
	tight, spot, hedged := map[Rule]int{}, map[Rule]int{}, map[Rule]int{}
	var commands []Command
	for range 120_000 {
		k := Task{ID: 1, Instances: 1, Estimate: 1 + span(90), Latency: span(15)}
		if rnd.IntN(3) == 0 {
			k.Latency = 0
		}
		if rnd.IntN(2) == 0 {
			k.Checkpoints = Checkpoints{Every: max(time.Second, span(40)), Write: span(5), Restart: span(12)}
			if rnd.IntN(4) == 0 {
				k.Checkpoints.Write = 0
			}
			if rnd.IntN(4) == 0 {
				k.Checkpoints.Restart = 0
			}
		}
		rule := RuleSafe + Rule(rnd.IntN(4))
		h := Handover{Rule: rule, SpotRatio: []float64{0, .01, .5, .9, 1}[rnd.IntN(5)]}
		if rnd.IntN(2) == 0 {
			th1 := rnd.Float64()*4 - 2
			h.Thresholds = Thresholds{th1, th1 + rnd.Float64()*2}
		}
		if rule != RulePlanned && rnd.IntN(2) == 0 {
			h.Interval = max(5*time.Second, span(8))
		}
		w := &foe{task: k, now: span(50), runtime: k.Estimate}
		switch rnd.IntN(3) {
		case 0:
			w.setup = k.Latency
		case 1:
			w.setup = time.Duration(rnd.Int64N(int64(k.Latency) + 1))
		}
		if rnd.IntN(4) == 0 {
			w.runtime = 1 + time.Duration(rnd.Int64N(int64(k.Estimate)))
		}
		// What on demand needs, with agents that look every interval.
		boot := k.Latency - w.setup
		if i := h.Interval; i > 0 {
			boot = (boot + i - 1) / i * i
		}
		k.Deadline = w.now + boot + w.setup + k.Estimate + []time.Duration{0, span(5), span(250), span(250)}[rnd.IntN(4)]
		w.task = k
		f.Reset()
		f.Handover = h
		if _, err := f.Take(k, w.now); err != nil {
			t.Fatal(err)
		}
		finish, opened := Never, [2]int{}
		for steps := 0; ; steps++ {
			commands = f.AppendCommands(commands[:0], w.now, w.Look)
			for _, c := range commands {
				i := ownPlace(c.Tier)
				at := &w.clusters[i]
				switch c.Kind {
				case CommandOpen:
					*at = foeCluster{open: true, launch: w.now, taken: Never}
					opened[i]++
					if w.clusters[1-i].open {
						hedged[rule]++
					}
					if i == 0 || rnd.IntN(2) == 0 {
						w.boot(i, span, rnd)
					} else {
						at.launch = w.now + 1 + span(60)
					}
				case CommandSubmit:
					w.submit(i, span, rnd)
				case CommandComplete:
					for i := range w.clusters {
						if c := &w.clusters[i]; c.submitted && w.end(i) <= min(w.now, c.taken) {
							finish = min(finish, w.end(i))
						}
					}
				case CommandClose:
					*at = foeCluster{}
				}
			}
			if len(commands) > 0 {
				continue
			}
			if f.Len() == 0 {
				break
			}
			next := f.Next()
			if next <= w.now || steps > 20_000 {
				t.Fatalf("%v: next look at %v at %v: %+v", rule, next, w.now, k)
			}
			if h.Interval == 0 {
				next = w.next(next)
			}
			if next == Never {
				t.Fatalf("%v: waits for ever: %+v", rule, k)
			}
			w.now = next
			if c := &w.clusters[1]; c.open && !c.launched && c.launch <= w.now {
				w.boot(1, span, rnd)
			}
		}
		if finish > k.Deadline {
			t.Fatalf("%v: late by %v: %+v, %+v, set-up %v, runs %v", rule, finish-k.Deadline, k, h, w.setup, w.runtime)
		}
		if opened[1] > 0 {
			spot[rule]++
			if finish == k.Deadline {
				tight[rule]++
			}
		}
	}
	t.Logf("on spot %v, of these just in time %v, hedged %v", spot, tight, hedged)
	for rule := RuleSafe; rule <= RulePlanned; rule++ {
		if spot[rule] < 4000 || rule >= RuleNoReturn && tight[rule] < 20 || rule >= RuleHedged && hedged[rule] < 500 {
			t.Errorf("%v: %d on spot, %d just in time, %d hedged", rule, spot[rule], tight[rule], hedged[rule])
		}
	}
}
