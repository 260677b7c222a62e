package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// model is a problem in the form that the solvers need. Tasks for which sending costs as
// much as running on demand at home stay there; they are in base.
type model struct {
	centres, slots int
	price          []int64 // on demand
	base           []int64 // centre by centre, instances that stay less reservations
	total          []int64 // instances of all tasks
	tasks          []moving
	fixed          int // tasks that stay
	count          int
}

type moving struct {
	index      int32
	home       int32
	start, end int32
	n          int64
	send       int64 // for one instance
}

// load reads and checks a problem.
func (m *model) load(centres []Centre, tasks []Task) error {
	slots, err := checkCentres(centres)
	if err != nil {
		return err
	}
	n := len(centres)
	if len(tasks) > math.MaxInt32 || slots >= math.MaxInt32 {
		return badInput("Tasks", -1, ErrOverflow, "%d tasks, %d slots: want fewer than 2³¹ of each", len(tasks), slots)
	}
	m.centres, m.slots, m.count = n, slots, len(tasks)
	m.price, m.tasks, m.fixed = m.price[:0], m.tasks[:0], 0
	dearest := int64(0)
	for _, c := range centres {
		m.price = append(m.price, int64(c.OnDemand))
		dearest = max(dearest, int64(c.OnDemand))
	}
	// Node prices of a pair are sums of at most T arcs, none dearer than T slots on
	// demand.
	if most, fits := wide.MulUint(uint64(slots+2)*uint64(slots+2), uint64(dearest)); slots > 1<<31-3 || !fits || most > 1<<61 {
		return badInput("Centres.OnDemand", -1, ErrOverflow, "%v a slot over %d slots: want %v at most", pricing.Money(dearest), slots, pricing.Money((1<<61)/uint64(slots+2)/uint64(slots+2)))
	}
	m.base, m.total = grow.To(m.base, n*slots), grow.To(m.total, slots+1)
	clear(m.base)
	clear(m.total)
	var instances, cost uint64
	for k, t := range tasks {
		if err := checkTask(t, k, slots); err != nil {
			return err
		}
		if t.Home < 0 || t.Home >= n {
			return badInput("Tasks.Home", k, ErrRange, "task %d is from centre %d: want 0 to %d", t.ID, t.Home, n-1)
		}
		send, err := centres[t.Home].trafficFor(t.Disk)
		if err != nil {
			return badInput("Tasks.Disk", k, ErrOverflow, "the cost of sending %d bytes of task %d does not fit: want fewer bytes", t.Disk, t.ID)
		}
		d := uint64(t.Instances)
		all, fits := wide.MulUint(d, uint64(t.Slots())*uint64(dearest))
		flow, fits2 := wide.MulUint(d, uint64(slots+2))
		if !fits || !fits2 || all > 1<<60 || flow > 1<<60 {
			return badInput("Tasks.Instances", k, ErrOverflow, "the cost of %d instances over %d slots of task %d does not fit: want fewer instances", t.Instances, t.Slots(), t.ID)
		}
		instances += flow
		cost += all // on demand; to send costs less, and so do reservations
		if instances > 1<<61 || cost > 1<<61/uint64(n+2) {
			return badInput("Tasks.Instances", k, ErrOverflow, "the cost of the tasks up to task %d does not fit: want fewer tasks", t.ID)
		}
		m.total[t.Start] += int64(t.Instances)
		m.total[t.End] -= int64(t.Instances)
		if int64(send) >= int64(t.Slots())*m.price[t.Home] {
			b := m.base[t.Home*slots:]
			b[t.Start] += int64(t.Instances)
			if t.End < slots {
				b[t.End] -= int64(t.Instances)
			}
			m.fixed++
			continue
		}
		m.tasks = append(m.tasks, moving{int32(k), int32(t.Home), int32(t.Start), int32(t.End), int64(t.Instances), int64(send)})
	}
	at := int64(0)
	for t, d := range m.total {
		at += d
		m.total[t] = at
	}
	for j, c := range centres {
		b := m.base[j*slots:][:slots]
		at = 0
		for t := range b {
			at += b[t]
			// Reservations beyond what all tasks need do not count.
			b[t] = at - min(int64(c.Reserved[t]), m.total[t])
		}
	}
	return nil
}

// sum returns what a plan costs. It overwrites use.
func (m *model) sum(x, use []int64) (onDemand, traffic int64) {
	n, slots := m.centres, m.slots
	clear(use)
	for k, t := range m.tasks {
		for j, d := range x[k*n : k*n+n] {
			if d == 0 {
				continue
			}
			u := use[j*(slots+1):]
			u[t.start] += d
			u[t.end] -= d
			if j != int(t.home) {
				traffic += d * t.send
			}
		}
	}
	for j := range n {
		at := int64(0)
		over := int64(0)
		for t, b := range m.base[j*slots:][:slots] {
			at += use[j*(slots+1)+t]
			over += max(0, at+b)
		}
		onDemand += over * m.price[j]
	}
	return onDemand, traffic
}
