package spotsim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// What would a user have paid who knew the prices? That cost is the yardstick for rules
// that do not know them: how much of the possible saving did a rule get?
//
// Hindsight minimises the cost of a task, subject to its deadline, over all ways to rent
// one cluster after another. Clusters are launched at multiples of a step after the
// submission. With V(t, q) the least cost from the time t on with q checkpoints' work
// saved and no cluster,
//
//	V(t, q) = min of
//	    V(t + step, q)                                      wait
//	    cost on demand of T_latency + R(q)                  if that ends in time
//	    cost of a lease of length ℓ + V(⌈t + ℓ⌉, q')        spot
//
// Who ends a lease himself ends it with the task or just when a checkpoint is
// written, since a longer one costs no less. And the provider ends it when the
// price rises above all before on that lease, if the bid was the highest of
// those: that may be free. So few lengths ℓ need to be looked at. The value is
// exact for launches on the grid.
//
// O(T·Q·(Q + c)) leases are looked at for T steps to the deadline, Q checkpoints and c
// changes of the price during a run, in O(T·Q) memory.

// A Hindsight finds the least cost of tasks over a known history. The zero value
// is ready; it keeps its memory and allocates nothing once warm.
type Hindsight struct {
	// Safe asks for the least cost with the guarantee of package spot: at no moment may a
	// request on demand miss the deadline. So Safe says what knowing the prices is worth
	// to a user who gives that guarantee.
	Safe bool

	v []pricing.Money // of one instance, by step and checkpoints; none where impossible
}

// none is the cost of what cannot be done.
const none = pricing.Money(1<<63 - 1)

// Cost returns the least cost of a task that ends by its deadline, and whether it can. Of
// the configuration it takes the history, the prices and the meters. The run time is the
// true one. Two clusters at once, as under spot.RuleHedged, are not considered. A cluster
// that is kept after the end of its task, in the hope that the provider takes it for
// free, is not considered either.
//
// The error is that of [Simulator.Run], also for a deadline in the past, or
// [spot.ErrRange] with Field "Tasks.Deadline" for more than 2²⁶ states: steps to the
// deadline times checkpoints. It panics if step is not positive.
func (x *Hindsight) Cost(t Task, cfg Options, step time.Duration) (cost pricing.Money, possible bool, err error) {
	if step <= 0 {
		panic("spotsim: Hindsight with a step that is not positive")
	}
	if err := cfg.complete(); err != nil {
		return 0, false, err
	}
	s := Simulator{cfg: cfg}
	if err := s.check(0, &t); err != nil {
		return 0, false, err
	}
	if t.Runtime > 0 {
		t.Estimate = t.Runtime
	}
	span := t.Deadline - t.Submit
	points := 1
	if e := t.Checkpoints.Every; e > 0 {
		points += int((t.Estimate - 1) / e)
	}
	steps := int(span/step) + 1
	if float64(steps)*float64(points) > 1<<26 {
		return 0, false, badInput("Tasks.Deadline", 0, spot.ErrRange, "%d steps of %v until then, with %d checkpoints each: want at most 2²⁶, such as with a longer step", steps, step, points-1)
	}
	x.v = grow.To(x.v, steps*points)
	for i := steps - 1; i >= 0; i-- {
		for q := range points {
			best := none
			if i+1 < steps {
				best = x.v[(i+1)*points+q]
			}
			if best, err = x.launch(&t, &cfg, step, points, i, q, best); err != nil {
				return 0, false, err
			}
			x.v[i*points+q] = best
		}
	}
	if x.v[0] == none {
		return 0, false, nil
	}
	cost, err = x.v[0].Mul(int64(t.Instances))
	return cost, true, err
}

// launch returns the least cost of renting something at step i, or best if that is
// less.
func (x *Hindsight) launch(t *Task, cfg *Options, step time.Duration, points, i, q int, best pricing.Money) (pricing.Money, error) {
	at := t.Submit + time.Duration(i)*step
	saved := time.Duration(q) * t.Checkpoints.Every
	need := t.Latency + t.Remaining(saved)
	if at+need <= t.Deadline {
		cost, err := cfg.Meter.Cost(cfg.OnDemand, need)
		if err != nil {
			return 0, err
		}
		best = min(best, cost)
	}
	r := rented{start: at + t.Latency, work: t.Estimate, lost: spot.Never, tier: spot.TierMedium}
	if t.Remaining(saved) < t.Estimate {
		r.read, r.base, r.work = t.Checkpoints.Restart, saved, t.Estimate-saved
	}
	c := &t.Checkpoints
	finish := t.Latency + t.SpotRun(saved)
	// The price rises at risen; until then it was at most high.
	high := cfg.History.At(at)
	risen, rises := cfg.History.NextAbove(at, high)
	for n := time.Duration(1); ; {
		length, by, done := finish, pricing.EndedByUser, true
		if c.Every > 0 && n <= (r.work-1)/c.Every {
			length, done = r.start+r.read+n*(c.Every+c.Write)-at, false
		}
		if rises && risen-at < length {
			length, by, done = risen-at, pricing.EndedByProvider, false
			high = cfg.History.At(risen)
			risen, rises = cfg.History.NextAbove(risen, high)
		} else {
			n++
		}
		if at+length > t.Deadline {
			return best, nil
		}
		if x.Safe {
			// Until just before its end the lease has what was saved strictly before.
			kept := saved
			if before := length - t.Latency - r.read - 1; c.Every > 0 && before >= 0 {
				kept = max(kept, r.base+min(before/(c.Every+c.Write), (r.work-1)/c.Every)*c.Every)
			}
			if at+length > t.PointOfNoReturn(kept) {
				return best, nil
			}
		}
		rest := pricing.Money(0)
		if !done {
			q := q
			if after := length - t.Latency - r.read; c.Every > 0 && after >= 0 {
				q = max(q, int(r.base/c.Every+min(after/(c.Every+c.Write), (r.work-1)/c.Every)))
			}
			next := i + int((length+step-1)/step)
			if next >= len(x.v)/points {
				continue // nothing can be launched after it
			}
			if rest = x.v[next*points+q]; rest == none || rest >= best {
				continue
			}
		}
		cost, err := cfg.Spot.Cost(cfg.History, at, length, by)
		if err != nil {
			return 0, err
		}
		if cost, err = cost.Add(rest); err != nil {
			return 0, err
		}
		best = min(best, cost)
		if done {
			return best, nil
		}
	}
}
