package spotsim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// What would a user have paid who knew the prices? That cost is the yardstick for rules
// that do not know them: how much of the possible saving did a rule get?
//
// A yardstick minimises the cost of a task, subject to its deadline, over all ways to rent
// one cluster after another. Clusters are launched at multiples of a step after the
// submission. With V(t, q) the least cost from the time t on with q checkpoints' work
// saved and no cluster,
//
//	V(t, q) = min of
//	    V(t + step, q)                                      wait
//	    cost on demand of T_latency + R(q)                  if that ends in time
//	    cost of a lease of length ℓ + V(⌈t + ℓ⌉, q')        spot
//
// A user ends a lease with the task, or just when a checkpoint is written, since a longer
// lease costs no less. The provider ends a lease when the price rises above all prices before
// on that lease, if the bid was the highest of these; that may be free. So few lengths ℓ need
// to be looked at. The value is exact for launches on the grid.
//
// The costs of the leases that begin at one step do not depend on what was saved before: they
// are computed once a step, in ascending order of length. A state then looks at its leases
// until one costs by itself as much as the best so far. A lease in which nothing is saved is
// never better than to wait. Of the leases that the provider ends after the same checkpoints,
// the first is the best. It is looked at if it costs less than a lease that the user ends at
// that checkpoint. A lease that goes on for longer than is safe leads to a state from which
// nothing meets the deadline.
//
// For T steps to the deadline, Q checkpoints, L of which one lease can write, and c changes
// of the price during a lease: O(T·(Q + L)·c·log c + T·Q·L) time, in O(T·Q) memory.

// A yardstick finds the least cost of tasks over a known history. The zero value
// is ready and keeps its memory.
type yardstick struct {
	// Safe asks for the least cost with the guarantee of package spot: at no moment may a
	// request on demand miss the deadline. So Safe says what knowing the prices is worth
	// to a user who gives that guarantee.
	Safe bool

	v     []pricing.Money // of one instance, by step and checkpoints; none where impossible
	kept  []keptLease     // that the user ends with its n-th checkpoint, at index n-1
	taken []takenLease    // that the provider ends, by length
}

// A keptLease is a lease of one step that ends before its task, after some checkpoints.
type keptLease struct {
	cost pricing.Money
	next int // the state in which the next lease begins if this one began with none saved
}

// A takenLease is one that the provider ends.
type takenLease struct {
	keptLease
	length time.Duration
	n      int // checkpoints written in it
}

// none is the cost of what cannot be done.
const none = pricing.Money(1<<63 - 1)

// Cost returns the least cost of a task that ends by its deadline, and whether it can. Of
// the configuration it takes the history, the prices and the meters. The run time is the
// true one. Two clusters at once, as under spot.RuleHedged, are not considered. A cluster
// that is kept after the end of its task, in the hope that the provider takes it for
// free, is not considered either. What costs more than Money holds is not considered
// unless there is nothing else.
//
// The error is that of [Simulator.Run]. The memory has steps times checkpoints values.
func (x *yardstick) Cost(t Task, cfg Options, step time.Duration) (cost pricing.Money, possible bool, err error) {
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
	points := 1
	if e := t.Checkpoints.Every; e > 0 {
		points += int((t.Estimate - 1) / e)
	}
	steps := int((t.Deadline-t.Submit)/step) + 1
	if t.Submit+t.Latency+t.Estimate > t.Deadline {
		return 0, false, nil // on demand at once is the fastest way
	}
	x.v = grow.To(x.v, steps*points)
	for i := steps - 1; i >= 0; i-- {
		x.step(&t, &cfg, step, points, i)
	}
	if x.v[0] == none { // every way costs too much, as on demand at once
		if _, err = cfg.Meter.Cost(cfg.OnDemand, t.Latency+t.Estimate); err == nil {
			_, err = none.Add(1)
		}
		return 0, true, err
	}
	cost, err = x.v[0].Mul(int64(t.Instances))
	return cost, true, err
}

// step sets the states of step i.
func (x *yardstick) step(t *Task, cfg *Options, step time.Duration, points, i int) {
	at := t.Submit + time.Duration(i)*step
	steps := len(x.v) / points
	row := x.v[i*points:][:points]
	c := &t.Checkpoints
	// From how many checkpoints on the last one is read, rather than the run begun again.
	first := points
	if c.Every > 0 {
		first = int(min(c.Restart/c.Every+1, time.Duration(points)))
	}
	charged, whole := time.Duration(-1), none // of the last lease to the end of the task
	for q := points - 1; q >= 0; q-- {
		from, read := 0, time.Duration(0)
		if q >= first {
			from, read = q, c.Restart
		}
		switch q {
		case points - 1:
			if q >= first {
				x.partLeases(t, cfg, step, points, i, read, points-1-first)
			} else {
				x.partLeases(t, cfg, step, points, i, read, points-1)
			}
		case first - 1:
			x.partLeases(t, cfg, step, points, i, read, points-1)
		}
		best := none
		if i+1 < steps {
			best = x.v[(i+1)*points+q]
		}
		saved := time.Duration(q) * c.Every
		if need := t.Latency + t.Remaining(saved); at+need <= t.Deadline {
			best = min(best, orNone(cfg.Meter.Cost(cfg.OnDemand, need)))
		}
		// The checkpoints to the end, and which of them are written in time.
		base := time.Duration(from) * c.Every
		all := points - 1 - from
		most := all
		if x.Safe {
			most = x.safe(t, at, read, base, saved, all)
		}
		finish := t.Latency + t.SpotRun(saved)
		ends := most == all && at+finish <= t.Deadline
		if x.Safe {
			ends = ends && at+finish <= t.PointOfNoReturn(max(saved, base+time.Duration(all)*c.Every))
		}
		if ends {
			// Leases to the end grow as q falls, and with them what they cost.
			if whole < best || whole == none {
				if b := cfg.Spot.Charged(finish, pricing.EndedByUser); b != charged {
					charged, whole = b, orNone(cfg.Spot.Cost(cfg.History, at, finish, pricing.EndedByUser))
				}
			}
			best = min(best, whole)
		}
		for n := q - from; n < min(most, len(x.kept)); n++ {
			l := &x.kept[n]
			if l.cost >= best {
				break
			}
			if rest := x.v[l.next+from]; rest < best-l.cost {
				best = l.cost + rest
			}
		}
		for k := range x.taken {
			l := &x.taken[k]
			if l.cost >= best || l.n > most || l.length >= finish {
				break
			}
			if rest := x.v[l.next+from]; rest < best-l.cost {
				best = l.cost + rest
			}
		}
		row[q] = best
	}
}

// orNone is what that costs: none for what overflows.
func orNone(cost pricing.Money, err error) pricing.Money {
	if err != nil {
		return none
	}
	return cost
}

// safe returns how many of the checkpoints of a lease are written, up to most, if the lease
// ends when a request on demand would miss the deadline. Just before a checkpoint is
// written that comes soonest, and the later the sooner.
func (x *yardstick) safe(t *Task, at, read, base, saved time.Duration, most int) int {
	c := &t.Checkpoints
	begin := at + t.Latency + read
	lo, hi := 0, most // lo are written, hi + 1 are not
	for lo < hi {
		n := time.Duration(lo + (hi-lo+1)/2)
		if begin+n*(c.Every+c.Write) <= t.PointOfNoReturn(max(saved, base+(n-1)*c.Every)) {
			lo = int(n)
		} else {
			hi = int(n) - 1
		}
	}
	return lo
}

// partLeases lists the leases of step i with up to most checkpoints after which another
// lease can begin, if read is the time for the checkpoint at their start.
func (x *yardstick) partLeases(t *Task, cfg *Options, step time.Duration, points, i int, read time.Duration, most int) {
	x.kept, x.taken = x.kept[:0], x.taken[:0]
	steps := len(x.v) / points
	at := t.Submit + time.Duration(i)*step
	c := &t.Checkpoints
	begin := t.Latency + read
	longest := min(t.Deadline-at, time.Duration(steps-1-i)*step)
	next := func(length time.Duration) int { return (i + int((length+step-1)/step)) * points }
	charged, cost := time.Duration(-1), pricing.Money(0)
	for n := 1; n <= most; n++ {
		length := begin + time.Duration(n)*(c.Every+c.Write)
		if length > longest {
			break
		}
		if b := cfg.Spot.Charged(length, pricing.EndedByUser); b != charged && cost < none {
			charged, cost = b, orNone(cfg.Spot.Cost(cfg.History, at, length, pricing.EndedByUser))
		}
		x.kept = append(x.kept, keptLease{cost, next(length) + n})
	}
	if len(x.kept) == 0 || cfg.Spot.FreeBefore == 0 && !cfg.Spot.FreePartial {
		return // who ends the lease himself pays no more
	}
	// The price rises above all before at risen.
	risen, high, last := at, cfg.History.At(at), 0
	for {
		var rises bool
		risen, rises = cfg.History.NextAbove(risen, high)
		length := risen - at
		if !rises || length > longest || length >= cfg.Spot.FreeBefore && !cfg.Spot.FreePartial {
			return
		}
		high = cfg.History.At(risen)
		n := 0
		if length > begin {
			n = int((length - begin) / (c.Every + c.Write))
		}
		if n > most {
			return
		}
		if n == last {
			continue // later than another with as much saved
		}
		last = n
		if cost := orNone(cfg.Spot.Cost(cfg.History, at, length, pricing.EndedByProvider)); cost < x.kept[n-1].cost {
			x.taken = append(x.taken, takenLease{keptLease{cost, next(length) + n}, length, n})
		}
	}
}
