package federation

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Task needs a number of instances in each slot t with Start ≤ t < End. Each instance has Disk
// bytes of data, which must be sent if the instance runs in another centre than its home.
//
// In [Liu21] a task also runs in the slot End. In this package, End is the first slot without the
// task.
type Task struct {
	ID         int   // unique within a run; ties of Start are broken by it
	Home       int   // the centre whose user submits it, from 0
	Start, End int   // slots, Start < End
	Instances  int   // d, at least 1
	Disk       int64 // ω, bytes per instance
}

// Slots returns End − Start.
func (t Task) Slots() int { return t.End - t.Start }

// A Centre is a data centre of the federation. A call reads the slices that it is given
// and does not keep them.
type Centre struct {
	// Reserved has the reservations that are active in each slot, u(t). All centres have
	// the same slots.
	Reserved []int

	// Demand is what the centre expects its own tasks to need in each slot, d(t). The
	// centre keeps that much for itself. A task takes what it needs from the expectation
	// when it starts. If Demand is nil, the centre keeps nothing: all reservations that
	// no task has taken count as idle, and the centre's later tasks may miss them.
	Demand []int

	OnDemand pricing.Money // price of an instance on demand, per slot
	Fee      pricing.Money // price of a reservation, for all of its term
	Term     int           // slots of a reservation, at least 1
	Traffic  pricing.Money // price of 10⁹ bytes that leave the centre

	// Delay has, for each home, the delay between its users and this centre. Nil means
	// no delay.
	Delay []time.Duration
}

// gigabyte is the unit of traffic prices.
const gigabyte = 1_000_000_000

// trafficFor returns what it costs to send disk bytes out of c: Traffic·disk/10⁹,
// rounded to the nearest nano, halves to the even nano. It is rounded for each instance,
// so the traffic of a booking is this amount times its instances. The error is an
// [*pricing.InputError] that unwraps to [ErrOverflow]. It panics if disk is negative.
func (c Centre) trafficFor(disk int64) (pricing.Money, error) {
	if disk < 0 {
		panic("federation: negative disk")
	}
	q, fits := wide.Product(uint64(c.Traffic), uint64(disk)).Nearest(gigabyte)
	if c.Traffic < 0 || !fits || q > math.MaxInt64 {
		return 0, badInput("Centres.Traffic", -1, ErrOverflow, "%v for 10⁹ bytes, times %d bytes, does not fit: want a lower price or fewer bytes", c.Traffic, disk)
	}
	return pricing.Money(q), nil
}

// AddDemand adds to dst[t] the number of instances that the tasks of one home need in slot t. If
// dst is all 0 before the call, dst is afterwards the expected demand d(t), for [Centre].Demand.
//
// The error is an [*pricing.InputError]. It unwraps to [ErrRange] if a task does not fit into the
// slots of dst or has no instance. It unwraps to [ErrOverflow] if sums may not fit, and names the
// first task that makes them too large. After an error dst is unchanged. Time: O(slots of dst, plus
// the slots of each of the home's tasks).
func AddDemand(dst []int, tasks []Task, home int) error {
	sum := 0
	for _, d := range dst {
		sum = max(sum, d)
	}
	for k, t := range tasks {
		if err := checkTask(t, k, len(dst)); err != nil {
			return err
		}
		if t.Home != home {
			continue
		}
		if t.Instances > math.MaxInt-sum {
			return badInput("Tasks.Instances", k, ErrOverflow, "with the %d of task %d the instances do not fit in an int: want fewer", t.Instances, t.ID)
		}
		sum += t.Instances
	}
	for _, t := range tasks {
		if t.Home == home {
			for s := t.Start; s < t.End; s++ {
				dst[s] += t.Instances
			}
		}
	}
	return nil
}

// checkTask checks a task without its centre.
func checkTask(t Task, k, slots int) error {
	switch {
	case t.End <= t.Start:
		return badInput("Tasks.End", k, ErrRange, "task %d ends before slot %d and starts in slot %d: want a later end", t.ID, t.End, t.Start)
	case t.Start < 0:
		return badInput("Tasks.Start", k, ErrRange, "task %d starts in slot %d: want 0 or later", t.ID, t.Start)
	case t.End > slots:
		return badInput("Tasks.End", k, ErrRange, "task %d ends before slot %d, and the centres have %d slots: want the task cut there, or more slots", t.ID, t.End, slots)
	case t.Instances < 1:
		return badInput("Tasks.Instances", k, ErrRange, "task %d has %d instances: want 1 or more", t.ID, t.Instances)
	case t.Disk < 0:
		return badInput("Tasks.Disk", k, ErrRange, "task %d has %d bytes an instance: want 0 or more", t.ID, t.Disk)
	}
	return nil
}

// checkCentres checks centres, and returns their slots.
func checkCentres(centres []Centre) (slots int, err error) {
	if len(centres) == 0 {
		return 0, badInput("Centres", -1, ErrLength, "0 centres: want 1 or more")
	}
	slots = len(centres[0].Reserved)
	most := pricing.Money(math.MaxInt64 / 8 / int64(max(slots, 1)))
	for i, c := range centres {
		switch {
		case len(c.Reserved) != slots:
			return 0, badInput("Centres.Reserved", i, ErrLength, "%d slots, and the first centre has %d: want the same in all centres", len(c.Reserved), slots)
		case c.Demand != nil && len(c.Demand) != slots:
			return 0, badInput("Centres.Demand", i, ErrLength, "%d slots of demand and %d of reservations: want one for each, or nil", len(c.Demand), slots)
		case c.Delay != nil && len(c.Delay) != len(centres):
			return 0, badInput("Centres.Delay", i, ErrLength, "%d delays for %d centres: want one for each home, or nil", len(c.Delay), len(centres))
		case c.Term < 1:
			return 0, badInput("Centres.Term", i, ErrRange, "%d slots: want 1 or more", c.Term)
		}
		for _, p := range []struct {
			field string
			price pricing.Money
		}{{"Centres.OnDemand", c.OnDemand}, {"Centres.Fee", c.Fee}, {"Centres.Traffic", c.Traffic}} {
			if p.price < 0 {
				return 0, badInput(p.field, i, ErrRange, "%v: want a price of 0 or more", p.price)
			}
		}
		if c.OnDemand > most || c.Fee/pricing.Money(c.Term) > most {
			return 0, badInput("Centres.OnDemand", i, ErrOverflow, "%v on demand and %v for %d slots reserved do not fit over %d slots: want lower prices", c.OnDemand, c.Fee, c.Term, slots)
		}
		for t, u := range c.Reserved {
			if u < 0 {
				return 0, badInput("Centres.Reserved", i, ErrRange, "%d in slot %d: want 0 or more", u, t)
			}
		}
		for t, d := range c.Demand {
			if d < 0 {
				return 0, badInput("Centres.Demand", i, ErrRange, "%d in slot %d: want 0 or more", d, t)
			}
		}
		for h, d := range c.Delay {
			if d < 0 {
				return 0, badInput("Centres.Delay", i, ErrRange, "%v to users of centre %d: want 0 or more", d, h)
			}
		}
	}
	return slots, nil
}
