package federation

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A slotwise computes the least cost of the tasks if an instance may run in a different centre in
// each slot. In each slot away from home, the instance then pays for an equal share of its data.
//
// Under the rule of [Optimizer], an instance stays in one centre from start to end. A plan of
// Optimizer costs the same under the slotwise rule: an instance that is away is away in all slots,
// and pays for all of its data. The slotwise optimum is therefore a lower bound on the optimum of
// Optimizer. The difference is the most that splitting can save.
//
// The slots are independent, and each slot is a transportation problem. Let w be the cost of
// sending an instance in this slot, the same to any centre. Let p be the price on demand in a
// centre, and p_min the lowest price on demand of all centres. If a centre has o more instances
// than reservations, the o instances with the least w may leave. An instance that leaves saves p −
// w if it takes an idle reservation elsewhere, and p − w − p_min if it runs on demand in the
// cheapest centre. All idle reservations are alike, and the instances that save most take them.
//
// Proof. The proof sets a price π for an instance-slot in each centre. Let λ be p − w of the first
// instance that gets no idle reservation, but at least 0 and at most p_min. λ is 0 if every
// instance gets an idle reservation. The price is λ in each centre that has no more instances than
// reservations. In a centre with o more instances than reservations, the price is min(p, λ + w)
// with the w of the o-th instance, or p if fewer than o instances can leave. Three things follow.
// Every instance is in a centre that is cheapest for the instance. A centre with a price below p
// has no instance on demand, or is the cheapest centre. A centre with a price above 0 has no idle
// reservation. Therefore L(π) of bound.go, slot by slot, equals the cost. □
//
// For instances that stay in one centre, the same prices prove at least as much: the least of the
// centres' sums over slots is at least the sum of the slots' least prices.
//
// A task's traffic is divided among its slots in whole nanos. With a traffic of c for an instance,
// slot q of L slots, from 0, pays ⌊c·(q+1)/L⌋ − ⌊c·q/L⌋. The slots together pay c.
//
// Time: O(a log a) for each slot in which a tasks run. Space: linear in tasks.
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
