package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// The greedy algorithm over levels of [Wang15].
//
// Minimise the fees of one class and the cost on demand. Level l is the l-th instance: it
// is busy in the slots with a demand of at least l. A recursion solves the problem of a
// single level exactly. The algorithm takes the levels from the top, where demand is least,
// and passes the unused time of a level's reservations to the level below. Let c(t) = 0 if
// level l is not busy in slot t, or if an unused reservation covers slot t. Otherwise
// c(t) = p. Then
//
//	V(t) = min(V(t-1) + c(t), V(t-τ) + F)
//
// is the least cost of the level up to slot t. The level reserves if the second term is at
// most the first.
//
// Invariants: for a busy slot, left[t] is the number of reservations of the levels above
// that are idle in slot t. The reservations of one level do not overlap. So a busy slot
// without an idle reservation has none for any level below.
//
// V changes at costly slots only, where c(t) = p, and the recursion visits these slots
// alone. Levels with the same costly slots get the same plan, and are planned together:
// the levels between two neighbouring values of the demand, until a slot has no idle
// reservation left. That happens once per slot, so there are at most
// min(max d, n + distinct values) steps, each of O(busy slots). Time: O(n·m) for n slots
// and m such steps, after sorting. Space: O(n). A Fenwick tree finds the coverage of a slot
// that becomes busy in O(log n).
//
// Departures. A reservation for slots (t-τ, t] with t < τ would begin before slot 0. Such a
// reservation begins at 0. The next reservations of the level move later where they would
// overlap, and serve the same slots. Where purchases are possible at multiples of Every
// only, each reservation begins at the first possible slot. With the Pure horizon, F is the
// cost of a reservation from its slot to the horizon.

// Levels is the greedy algorithm over levels of [Wang15], for one class. The zero value is
// ready.
//
// Levels costs at most as much as [Periodic]. So with the Full horizon and purchases at any
// slot, Levels costs at most twice the optimum. Proof: idle reservations make c, and so V,
// no larger. So the cost is at most the sum of the least costs of the levels, each planned
// alone; and Periodic plans each level alone. If the demand never exceeds one instance, the
// plan is optimal. With the Pure horizon, Levels costs at most as much as Periodic and as
// everything on demand, and no other bound is known.
//
// Levels handles any Every that divides the term, both horizons, classes billed either way,
// and inventory of classes whose use costs no more than that of the class to buy. Levels
// does not handle caps and Closed dates.
type Levels struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single single
	order  []uint64 // demand, falling, and slot, in one number
	costly []int32  // busy slots with nothing left over, rising
	spare  []int32  // the other busy slots, rising
	joined []int32  // slots that are about to join either
	left   []int64  // what is left over, by spare slot
	cover  []int64  // changes of the active reservations of all levels: a Fenwick tree
	buy    []int    // by slot / every

	// Of one level:
	cost   []int64 // V at costly slots; cost[i] is that of those before the i-th
	start  []int32 // of the reservation that is to end with a slot, -1 for none
	before []int32 // costly slots before start
	plan   []int   // starts, rising
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says. Time
// O(n·min(2n, max d)) at worst for n slots, and near-linear in the instance-slots
// of the distinct levels that are not left over from levels above.
func (a *Levels) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.load(p, a.Class); err != nil {
		return dst, err
	}
	if err := s.refuseDates(p, a.Class); err != nil {
		return dst, err
	}
	n := len(s.demand)
	if n == 0 || s.gain <= 0 {
		return dst, nil
	}
	a.prepare()
	for i := 0; i < n; {
		level := a.demand(i) // the highest of a band of levels
		if level == 0 {
			break
		}
		from := i
		a.joined = a.joined[:0]
		for ; i < n && a.demand(i) == level; i++ {
			t := int32(uint32(a.order[i]))
			if a.left[t] = a.covered(int(t)); a.left[t] == 0 {
				a.joined = append(a.joined, t)
			}
		}
		a.costly = merge(a.costly, a.joined)
		a.joined = a.joined[:0]
		for _, key := range a.order[from:i] {
			if t := int32(uint32(key)); a.left[t] > 0 {
				a.joined = append(a.joined, t)
			}
		}
		a.spare = merge(a.spare, a.joined)
		next := 0
		if i < n {
			next = a.demand(i)
		}
		for level > next {
			a.decide(p.Horizon)
			level -= a.apply(level - next)
		}
	}
	for i, count := range a.buy {
		if count > 0 {
			dst = append(dst, pricing.Purchase{Slot: i * s.every, Class: a.Class, Count: count})
		}
	}
	return dst, nil
}

// prepare sorts the slots and empties everything.
func (a *Levels) prepare() {
	n := len(a.single.demand)
	a.order = slices.Grow(a.order[:0], n)
	for t, d := range a.single.demand {
		a.order = append(a.order, uint64(^uint32(d))<<32|uint64(t))
	}
	slices.Sort(a.order)
	a.spare = slices.Grow(a.spare[:0], n)
	a.joined = slices.Grow(a.joined[:0], n)
	a.left = grow.Zero(a.left, n)
	a.cover = grow.Zero(a.cover, n+1)
	a.buy = grow.Zero(a.buy, (n-1)/a.single.every+1)
	a.costly = slices.Grow(a.costly[:0], n)
	a.cost = grow.To(a.cost, n+1)
	a.start = grow.To(a.start, n)
	a.before = grow.To(a.before, n)
	a.plan = a.plan[:0]
}

// demand returns the demand of the i-th slot in their order.
func (a *Levels) demand(i int) int { return int(^uint32(a.order[i] >> 32)) }

// merge merges slots that rise into others that do and has room for them.
func merge(slots, joined []int32) []int32 {
	i, j := len(slots)-1, len(joined)-1
	slots = slots[:len(slots)+len(joined)]
	for k := len(slots) - 1; j >= 0; k-- {
		if i >= 0 && slots[i] > joined[j] {
			slots[k] = slots[i]
			i--
		} else {
			slots[k] = joined[j]
			j--
		}
	}
	return slots
}

// decide plans for one level.
func (a *Levels) decide(horizon Horizon) {
	s := &a.single
	n, tau, every := len(s.demand), s.class.term, s.every
	pure := horizon == Pure
	costly := a.costly
	cost, starts, before := a.cost[:len(costly)+1], a.start[:len(costly)], a.before[:len(costly)]
	fee, gain := s.class.fee, s.gain
	cost[0] = 0
	head, tail := int32(0), int32(0)                    // costly slots before the earliest, the latest start for slot t
	late, lateStart, lateHead := int64(-1), 0, int32(0) // the best start beyond n-τ
	for i, slot := range costly {
		t := int(slot)
		// The earliest start is the best: V does not fall with its slot.
		start := max(0, t-tau+1)
		if every > 1 {
			start = (start + every - 1) / every * every
		}
		for int(costly[head]) < start {
			head++
		}
		with, at, bought := cost[head]+fee, start, head
		if pure {
			with = cost[head] + s.class.feeFor(n-start)
			// But beyond n-τ a later one costs less, and the latest that
			// serves t is the best of those since the last costly slot.
			if b := t - t%every; b > n-tau {
				for int(costly[tail]) < b {
					tail++
				}
				if c := cost[tail] + s.class.feeFor(n-b); late < 0 || c < late {
					late, lateStart, lateHead = c, b, tail
				}
			}
			if late >= 0 && late < with {
				with, at, bought = late, lateStart, lateHead
			}
		}
		if without := cost[i] + gain; with <= without {
			cost[i+1], starts[i], before[i] = with, int32(at), bought
		} else {
			cost[i+1], starts[i] = without, -1
		}
	}
	a.plan = a.plan[:0]
	for i := len(a.costly) - 1; i >= 0; {
		if a.start[i] < 0 {
			i--
			continue
		}
		a.plan = append(a.plan, int(a.start[i]))
		i = int(a.before[i]) - 1
	}
	slices.Reverse(a.plan)
	for i := 1; i < len(a.plan); i++ { // apart
		a.plan[i] = max(a.plan[i], a.plan[i-1]+tau)
		if a.plan[i] >= n { // has nothing left to serve: its fee is 0
			a.plan = a.plan[:i]
		}
	}
}

// apply buys the plan for as many levels as it is the same for, at most the
// given number, and returns their number.
func (a *Levels) apply(levels int) int {
	tau := a.single.class.term
	same := int64(levels)
	end, next := 0, 0 // of the last reservation begun; the next one's index
	for _, t := range a.spare {
		for next < len(a.plan) && a.plan[next] <= int(t) {
			end = a.plan[next] + tau
			next++
		}
		if int(t) >= end {
			same = min(same, a.left[t])
		}
	}
	end, next = 0, 0
	a.joined = a.joined[:0]
	rest := a.spare[:0]
	for _, t := range a.spare {
		for next < len(a.plan) && a.plan[next] <= int(t) {
			end = a.plan[next] + tau
			next++
		}
		if int(t) >= end {
			a.left[t] -= same
			if a.left[t] == 0 {
				a.joined = append(a.joined, t)
				continue
			}
		}
		rest = append(rest, t)
	}
	a.spare = rest
	a.costly = merge(a.costly, a.joined)
	for _, t := range a.plan {
		a.buy[t/a.single.every] += int(same)
		a.change(t, same)
		a.change(t+tau, -same)
	}
	return int(same)
}

// change adds x to the active reservations from slot t on.
func (a *Levels) change(t int, x int64) {
	for i := t + 1; i < len(a.cover); i += i & -i {
		a.cover[i] += x
	}
}

// covered returns the number of reservations that are active in slot t.
func (a *Levels) covered(t int) (x int64) {
	for i := t + 1; i > 0; i -= i & -i {
		x += a.cover[i]
	}
	return x
}
