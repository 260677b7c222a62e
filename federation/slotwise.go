package federation

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Tasks split by slot. Here each instance of a task may run in another centre in each
// slot. An instance that is away in some of its slots pays that share of what sending its
// data costs. So a task is a bag of pieces of work, one for each instance and slot, each
// with its piece of the data.
//
// A plan whose parts stay in one centre costs the same under this rule: a part that is
// away is away in all of its slots and pays all of the traffic. So the least cost here is
// a lower bound of the least cost there, and says what splitting could save at most.
//
// The slots do not depend on each other, and each is a transportation problem. Let w be
// the cost of sending an instance in this slot, the same to any centre. If a centre has o
// more instances than reservations, the o instances with the least w may go. Each saves
// p − w with an idle reservation elsewhere, and p − w − p_min on demand in the cheapest
// centre. So sort the instances by what they save, and let the first take the idle
// reservations, which are all alike.
//
// Proof. Let λ be what the first instance left without an idle reservation would save
// with one, from 0 to p_min, or 0 if none is left. Let an instance-slot cost λ in
// centres with idle reservations or none missing, and min(p, λ + w) in the others, where
// w is that of the o-th instance (p if fewer than o can go). At these prices every
// instance is where it is cheapest. Each centre whose price is below p has no instance
// on demand or is the cheapest centre. No centre with a price above 0 has an idle
// reservation. So L(π) of bound.go, slot by slot, is the cost. □ In the bound for parts
// that stay, these prices prove at least as much: the least of sums is at least the sum
// of the leasts.
//
// A task's traffic is divided among its slots in whole nanos: the q-th of L slots pays
// c·(q+1)/L − c·q/L, rounded down each, which adds up to c.
//
// Time: O(a log a) a slot in which a tasks run. Space: linear in tasks.
type slotwise struct {
	byStart []int32
	active  []int32
	items   []item  // of the slot
	offers  []item  // of the slot: the items that may go
	over    []int64 // by centre, instances less reservations
	least   []int64 // by centre, w of the last instance that may go, or MaxInt64
}

// An item is n instances of a task with the same w, or the same gain.
type item struct {
	value int64
	n     int64
	task  int32
	home  int32
}

// solve returns the least cost of a model, and writes the prices that prove it if there is
// room for them.
func (s *slotwise) solve(m *model, prices []int64) (cost int64) {
	n := m.centres
	s.byStart = grow.To(s.byStart, len(m.tasks))
	for k := range m.tasks {
		s.byStart[k] = int32(k)
	}
	slices.SortFunc(s.byStart, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.tasks[a].start, m.tasks[b].start), cmp.Compare(a, b))
	})
	s.over, s.least = grow.To(s.over, n), grow.To(s.least, n)
	low := slices.Min(m.price)
	s.active = s.active[:0]
	next := 0
	for t := range int32(m.slots) {
		s.active = slices.DeleteFunc(s.active, func(k int32) bool { return m.tasks[k].end <= t })
		for ; next < len(s.byStart) && m.tasks[s.byStart[next]].start == t; next++ {
			s.active = append(s.active, s.byStart[next])
		}
		idle, atHome := s.load(m, t)
		cost += atHome
		lambda := int64(0)
		if slices.Max(s.over) > 0 {
			s.goers(m)
			var saved int64
			saved, lambda = s.lend(idle, low)
			cost -= saved
		}
		if prices == nil {
			continue
		}
		for j := range n {
			p := lambda
			if s.over[j] > 0 {
				p = m.price[j]
				if s.least[j] < p-lambda {
					p = lambda + s.least[j]
				}
			}
			prices[j*m.slots+int(t)] = p
		}
	}
	return cost
}

// load sets over and items to slot t with all instances at home. It returns the idle
// reservations of all centres, and what the slot costs.
func (s *slotwise) load(m *model, t int32) (idle, cost int64) {
	for j := range s.over {
		s.over[j], s.least[j] = m.base[j*m.slots+int(t)], math.MaxInt64
	}
	s.items = s.items[:0]
	for _, k := range s.active {
		task := &m.tasks[k]
		length, q := int64(task.end-task.start), int64(t-task.start)
		w := task.send*(q+1)/length - task.send*q/length
		s.items = append(s.items, item{w, task.n, k, task.home})
		s.over[task.home] += task.n
	}
	for j, o := range s.over {
		idle += max(0, -o)
		cost += max(0, o) * m.price[j]
	}
	return idle, cost
}

// goers sets offers to the instances that may go, what saves most first: of each centre as
// many as it lacks reservations, those with the least w.
func (s *slotwise) goers(m *model) {
	slices.SortFunc(s.items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.home, b.home), cmp.Compare(a.value, b.value), cmp.Compare(a.task, b.task))
	})
	s.offers = s.offers[:0]
	for i := 0; i < len(s.items); {
		home := s.items[i].home
		left := s.over[home]
		for ; i < len(s.items) && s.items[i].home == home; i++ {
			if it := s.items[i]; left > 0 {
				it.n = min(it.n, left)
				left -= it.n
				s.least[home] = it.value
				it.value = m.price[home] - it.value
				s.offers = append(s.offers, it)
			}
		}
		if left > 0 {
			s.least[home] = math.MaxInt64
		}
	}
	slices.SortFunc(s.offers, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.task, b.task))
	})
}

// lend lets the first offers take the idle reservations, and further offers run on demand
// in the cheapest centre, at the price low, if that saves. It returns what is saved, and λ.
func (s *slotwise) lend(idle, low int64) (saved, lambda int64) {
	for _, of := range s.offers {
		if of.value <= 0 {
			break
		}
		take := min(idle, of.n)
		idle -= take
		saved += take * of.value
		if rest := of.n - take; rest > 0 {
			lambda = max(lambda, min(of.value, low))
			if of.value <= low {
				break
			}
			saved += rest * (of.value - low)
		}
	}
	return saved, lambda
}
