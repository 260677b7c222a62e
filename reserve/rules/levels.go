package rules

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
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
// From level to level little changes, and the algorithm visits what changes:
//
//   - Levels with the same costly slots get the same plan. An event is a slot that becomes
//     costly: when its level comes, or when the last idle reservation that covers the slot is
//     used up. There is one event for each slot at most, since a costly slot stays costly.
//   - After an event at slot t the recursion runs again from t on, until V has changed by the
//     same amount in all slots of a term. From there on all decisions are as before.
//   - The plan is the path of decisions from the last slot back. A changed decision changes the
//     path from there back to the first slot at which it meets the old path.
//   - An idle reservation is used up at a known level as long as the plan does not cover the
//     slot. A queue holds these levels.
//
// So an event costs the slots of the terms that it changes, mostly two or three, and O(log n).
// Time: O(n·(τ + log n)) if changes die out within a number of terms, as on all demand that
// was tried, and O(n²) at worst. Space: O(n). A Fenwick tree finds the coverage of a slot that
// becomes busy in O(log n).
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
	done   int64    // levels planned
	cover  []int64  // changes of the active reservations that left the plan: a Fenwick tree
	buy    []int    // by slot / every

	// The recursion. V before slot t is value[t] + base[t/valueBlock].
	value  []int64
	base   []int64
	costly []bool
	start  []int32 // of the reservation that is to end with a slot, -1 for none
	takes  slotSet // slots with such a reservation

	// The plan: reservations, by the slot that each is to end with.
	path  slotSet
	first []int32 // as start when the plan was made
	begin []int32 // first, or later where the reservation before ends later
	since []int64 // levels planned when the reservation entered the plan

	// Busy slots with idle reservations.
	spare   slotSet
	idle    []int64 // their number; in slots that the plan does not cover, the level at which they are used up
	running []bool  // the plan does not cover the slot
	queue   heaps.Queue[int64]

	joined, fresh []int32
	out, in       []change
}

// A change is a reservation that leaves or enters the plan.
type change struct{ end, begin int32 }

// valueBlock is the number of slots whose values share a base: adding to all later values
// takes n/valueBlock + valueBlock steps.
const valueBlock = 512

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time: near-linear in the
// slots times the term, see the file; O(n²) at worst for n slots.
func (a *Levels) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
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
	pure := p.Horizon == reserve.Pure
	for i := 0; i < n; {
		level := a.demand(i) // the highest of a band of levels
		if level == 0 {
			break
		}
		a.joined, a.fresh = a.joined[:0], a.fresh[:0]
		for ; i < n && a.demand(i) == level; i++ {
			t := int32(uint32(a.order[i]))
			if a.idle[t] = a.covered(int(t)); a.idle[t] == 0 {
				a.joined = append(a.joined, t)
			} else {
				a.fresh = append(a.fresh, t)
			}
		}
		next := 0
		if i < n {
			next = a.demand(i)
		}
		a.join(pure)
		for _, t := range a.fresh {
			a.spare.add(int(t))
			if a.covering(int(t)) < 0 {
				a.resume(int(t))
			}
		}
		end := a.done + int64(level-next)
		for a.queue.Len() > 0 && a.queue.Min().Key <= end {
			a.done = a.queue.Min().Key
			a.joined = a.joined[:0]
			for a.queue.Len() > 0 && a.queue.Min().Key == a.done {
				t := a.queue.Pop().Tie
				if a.spare.has(int(t)) && a.running[t] && a.idle[t] == a.done {
					a.spare.remove(int(t))
					a.joined = append(a.joined, int32(t))
				}
			}
			a.join(pure)
		}
		a.done = end
	}
	for e := a.path.next(0); e >= 0; e = a.path.next(e + 1) {
		a.leave(e)
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
	a.done = 0
	a.joined, a.fresh = slices.Grow(a.joined[:0], n), slices.Grow(a.fresh[:0], n)
	a.cover = grow.Zero(a.cover, n+1)
	a.buy = grow.Zero(a.buy, (n-1)/a.single.every+1)
	a.value, a.base = grow.Zero(a.value, n+1), grow.Zero(a.base, n/valueBlock+1)
	a.costly, a.running = grow.Zero(a.costly, n), grow.Zero(a.running, n)
	a.start, a.idle = grow.To(a.start, n), grow.To(a.idle, n)
	for t := range a.start {
		a.start[t] = -1
	}
	a.first, a.begin, a.since = grow.To(a.first, n), grow.To(a.begin, n), grow.To(a.since, n)
	a.takes.reset(n)
	a.path.reset(n)
	a.spare.reset(n)
	a.queue.Reset()
}

// demand returns the demand of the i-th slot in their order.
func (a *Levels) demand(i int) int { return int(^uint32(a.order[i] >> 32)) }

// join makes the slots of a.joined costly, which rise, and brings the plan up to date.
func (a *Levels) join(pure bool) {
	for i := 0; i < len(a.joined); {
		first := int(a.joined[i])
		last := 0
		last, i = a.recur(i, pure)
		a.retrace(first, last)
	}
}

// recur makes the i-th joined slot costly, and those soon after, and runs the recursion from
// there until all later decisions are as before. It returns the last slot that it visited and
// how many of the joined slots are costly now.
func (a *Levels) recur(i int, pure bool) (last, joined int) {
	s := &a.single
	n, tau, every := len(s.demand), s.class.Term, s.every
	zone := n // slots whose purchases may outlive the demand, in the Pure horizon
	if pure {
		zone = max(0, (n-tau)/every*every+every)
		if n < tau {
			zone = 0
		}
	}
	value := func(t int) int64 { return a.value[t] + a.base[t/valueBlock] }
	fee, gain := s.class.Fee, s.gain
	t := int(a.joined[i])
	if zone < t {
		t = zone // the best late start is that of all costly slots from there on
	}
	late, lateStart := int64(-1), 0
	shift, mark := int64(0), -tau-1 // by how much V has changed, and the slot since when
	before := value(t)
	for ; t < n; t++ {
		if i < len(a.joined) && int(a.joined[i]) == t {
			a.costly[t] = true
			i++
		}
		after, at := before, -1
		if a.costly[t] {
			// The earliest start is the best: V does not fall with its slot.
			start := max(0, t-tau+1)
			if every > 1 {
				start = (start + every - 1) / every * every
			}
			with := value(start) + fee
			at = start
			if pure {
				with = value(start) + s.class.FeeFor(n-start)
				// But beyond n-τ a later one costs less, and the latest that
				// serves t is the best of those since the last costly slot.
				if b := t - t%every; b > n-tau {
					if c := value(b) + s.class.FeeFor(n-b); late < 0 || c < late {
						late, lateStart = c, b
					}
				}
				if late >= 0 && late < with {
					with, at = late, lateStart
				}
			}
			if without := before + gain; with <= without {
				after = with
			} else {
				after, at = without, -1
			}
		}
		if was := a.start[t]; int(was) != at {
			a.start[t] = int32(at)
			if at < 0 {
				a.takes.remove(t)
			} else if was < 0 {
				a.takes.add(t)
			}
		}
		if by := after - value(t+1); by != shift {
			shift, mark = by, t
		}
		a.value[t+1] = after - a.base[(t+1)/valueBlock]
		before = after
		if t >= mark+tau-1 && t < zone {
			break
		}
	}
	if t >= n {
		return n - 1, i
	}
	if shift != 0 {
		for j := t + 2; j <= n; {
			if j%valueBlock == 0 {
				for b := j / valueBlock; b < len(a.base); b++ {
					a.base[b] += shift
				}
				break
			}
			a.value[j] += shift
			j++
		}
	}
	return t, i
}

// retrace brings the plan up to date after decisions of the slots from..to have changed.
func (a *Levels) retrace(from, to int) {
	n, tau := len(a.single.demand), a.single.class.Term
	above := a.path.next(to + 1) // the first reservation of the plan that stays
	at := n - 1
	if above >= 0 {
		at = int(a.first[above]) - 1
	}
	if at < from { // the plan passes over the changes
		return
	}
	// What leaves: the old path down to the first reservation that the new one has as well,
	// before the changes.
	a.in, a.out = a.in[:0], a.out[:0]
	keep := -1
	for e := a.takes.prev(at); e >= 0; e = a.takes.prev(int(a.start[e]) - 1) {
		if e < from && a.path.has(e) {
			keep = e
			break
		}
		a.in = append(a.in, change{end: int32(e), begin: a.start[e]})
	}
	for e := a.path.prev(at); e > keep; e = a.path.prev(e - 1) {
		a.out = append(a.out, change{end: int32(e), begin: a.begin[e]})
	}
	slices.Reverse(a.in)
	slices.Reverse(a.out)
	// Reservations do not overlap: each begins no earlier than the one before ends.
	end := 0
	if keep >= 0 {
		end = int(a.begin[keep]) + tau
	}
	for i := range a.in {
		c := &a.in[i]
		c.begin = int32(max(int(c.begin), end))
		end = int(c.begin) + tau
	}
	for e := above; e >= 0; e = a.path.next(e + 1) { // until one begins as before
		begin := max(int(a.first[e]), end)
		if begin == int(a.begin[e]) {
			break
		}
		a.out = append(a.out, change{int32(e), a.begin[e]})
		a.in = append(a.in, change{int32(e), int32(begin)})
		end = begin + tau
	}
	a.exchange()
}

// exchange takes a.out out of the plan and puts a.in into it, both in the order of slots.
func (a *Levels) exchange() {
	n, tau := len(a.single.demand), a.single.class.Term
	for _, c := range a.out {
		a.leave(int(c.end))
		a.path.remove(int(c.end))
	}
	for _, c := range a.in {
		e := int(c.end)
		a.path.add(e)
		a.first[e], a.begin[e], a.since[e] = a.start[e], c.begin, a.done
	}
	// Slots that only one of both covers.
	i, j, at := 0, 0, 0
	for at < n {
		for i < len(a.out) && int(a.out[i].begin)+tau <= at {
			i++
		}
		for j < len(a.in) && int(a.in[j].begin)+tau <= at {
			j++
		}
		was, is, next := false, false, n
		if i < len(a.out) {
			if b := int(a.out[i].begin); b <= at {
				was, next = true, min(next, b+tau)
			} else {
				next = min(next, b)
			}
		}
		if j < len(a.in) {
			if b := int(a.in[j].begin); b <= at {
				is, next = true, min(next, b+tau)
			} else {
				next = min(next, b)
			}
		}
		if was != is {
			for t := a.spare.next(at); t >= 0 && t < next; t = a.spare.next(t + 1) {
				if was {
					a.resume(t)
				} else {
					a.pause(t)
				}
			}
		}
		at = next
	}
}

// leave counts the levels for which the reservation that is to end with slot e was in the plan.
func (a *Levels) leave(e int) {
	t, levels := int(a.begin[e]), a.done-a.since[e]
	if t >= len(a.single.demand) || levels == 0 { // beyond the demand nothing is left to serve
		return
	}
	a.buy[t/a.single.every] += int(levels)
	a.change(t, levels)
	a.change(t+a.single.class.Term, -levels)
}

// resume says that the plan does not cover spare slot t any more.
func (a *Levels) resume(t int) {
	if !a.running[t] {
		a.running[t] = true
		a.idle[t] += a.done
		a.queue.Push(a.idle[t], int64(t))
	}
}

// pause says that the plan covers spare slot t now.
func (a *Levels) pause(t int) {
	if a.running[t] {
		a.running[t] = false
		a.idle[t] -= a.done
	}
}

// covering returns the reservation of the plan that covers slot t, -1 if none does.
func (a *Levels) covering(t int) int {
	e := a.path.next(t)
	if e < 0 || int(a.begin[e]) > t {
		if e < 0 {
			e = len(a.single.demand)
		}
		for e = a.path.prev(e - 1); e >= 0 && int(a.begin[e]) > t; e = a.path.prev(e - 1) {
		}
	}
	if e >= 0 && t < int(a.begin[e])+a.single.class.Term {
		return e
	}
	return -1
}

// change adds x to the active reservations from slot t on.
func (a *Levels) change(t int, x int64) {
	for i := t + 1; i < len(a.cover); i += i & -i {
		a.cover[i] += x
	}
}

// covered returns the number of reservations that are active in slot t.
func (a *Levels) covered(t int) (x int64) {
	if e := a.covering(t); e >= 0 {
		x = a.done - a.since[e]
	}
	for i := t + 1; i > 0; i -= i & -i {
		x += a.cover[i]
	}
	return x
}
