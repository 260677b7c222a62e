package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Two centres, a and b, and parts that may run in either: a minimum-cost flow on a line,
// solved exactly.
//
// Part k has 0 ≤ x ≤ cap instances in b, the others in a. An instance in b costs cost
// more in traffic (less, if negative). With n_t the instances in b in slot t,
//
//	minimise   Σ cost·x  +  Σ_t p_a·(A_t − n_t)⁺ + p_b·(n_t − B_t)⁺,
//
// where A_t is what a must do without b's help beyond its reservations, and B_t what b
// has left.
//
// Idea. n_t − n_{t−1} is what starts in t less what ends there. So put a node before
// each slot and one after the last. x flows from the start of a part to its end, and n_t
// flows back from node t+1 to node t, at a convex cost with two kinks. That is a
// circulation: its matrix is that of a network. So there is an optimum in whole numbers,
// and node prices y prove it. The price of slot t is z_t = y_t − y_{t+1}, between the
// slopes of its cost at n_t, and
//
//	cost + Σ z_t over the part's slots    ≥ 0 where x = 0,  ≤ 0 where x = cap.
//
// The network simplex. A basis is a spanning tree, at first the line of slots. An arc
// with the wrong sign enters. Flow is pushed around its cycle past every kink at which
// that still pays, and the arc of the last kink leaves. Node prices are computed in
// sweeps only, which list the worst arc of each block; the listed arcs enter if they
// still pay.
//
// Invariant. All flows are held scale = T+2 times enlarged, and each node but the last
// has one unit more of demand. The flow of a tree arc is then a multiple of scale plus
// or minus the nodes on its far side, 1 to T of them: never at a kink or a bound. So
// every step makes progress, and the steps end. Dividing by scale, rounded away from
// what the nodes added, gives a flow within the same kinks and bounds, for which the
// same prices are a proof. (Package reserve/internal/flow explains the same argument at
// greater length.)
//
// Time: a step is linear in its cycle times the kinks passed, a sweep in slots and
// parts. No polynomial bound on the number of steps is known. Space: 40 bytes a part, 64
// a slot.
type twoCentre struct {
	slots int
	scale int64

	n, low, high []int64 // flow and kinks of the slots
	mid          []int64 // slope between the kinks
	both         []bool  // whether both centres are on demand between them
	first, last  int64   // slopes below and above both, -p_a and p_b

	arcs []arc

	parent []int32 // of a node, in the tree
	via    []int32 // the arc to the parent: of a part, or ^t of slot t
	y      []int64
	mark   []int32
	stamp  int32

	stack, tails, heads []int32
	listed              []int32

	steps, sweeps int
}

// An arc is a part: start → end.
type arc struct {
	start, end   int32
	cap, x, cost int64
}

// block is how many arcs a sweep lists one of. On the three logs of [Liu21], 16 and 64
// take the same time, 256 twice as long, 1024 three times as long.
const block = 64

const unbounded = math.MaxInt64

// reset makes room for slots slots and no parts.
func (f *twoCentre) reset(slots int, pa, pb int64) {
	f.slots, f.scale = slots, int64(slots+2)
	f.first, f.last = -pa, pb
	f.n, f.low, f.high, f.mid = grow.To(f.n, slots), grow.To(f.low, slots), grow.To(f.high, slots), grow.To(f.mid, slots)
	f.both = grow.To(f.both, slots)
	f.parent, f.via, f.y, f.mark = grow.To(f.parent, slots+1), grow.To(f.via, slots+1), grow.To(f.y, slots+1), grow.To(f.mark, slots+1)
	f.arcs = f.arcs[:0]
	f.steps, f.sweeps = 0, 0
}

// setSlot says that n instances are in b in slot t, that a must do need without b beyond
// its reservations, and that b has room left.
func (f *twoCentre) setSlot(t int, n, need, room int64) {
	f.n[t] = n*f.scale + int64(t+1)
	f.low[t], f.high[t] = min(need, room)*f.scale, max(need, room)*f.scale
	f.mid[t], f.both[t] = 0, need > room
	if need > room {
		f.mid[t] = f.first + f.last
	}
}

// add adds a part of which all (full) or none of count instances are in b.
func (f *twoCentre) add(start, end int, count, cost int64, full bool) {
	x := int64(0)
	if full {
		x = count * f.scale
	}
	f.arcs = append(f.arcs, arc{int32(start), int32(end), count * f.scale, x, cost})
}

// slopes returns the slopes of slot t's cost below and above its flow. They differ only
// at a kink.
func (f *twoCentre) slopes(t int32) (below, above int64) {
	n := f.n[t]
	below, above = f.first, f.last
	if n < f.high[t] {
		above = f.mid[t]
		if n < f.low[t] {
			above = f.first
		}
	}
	if n > f.low[t] {
		below = f.mid[t]
		if n > f.high[t] {
			below = f.last
		}
	}
	return below, above
}

// ends returns the ends of an arc: flow goes from tail to head.
func (f *twoCentre) ends(a int32) (tail, head int32) {
	if a < 0 {
		return ^a + 1, ^a
	}
	return f.arcs[a].start, f.arcs[a].end
}

// costOf returns the cost of a unit along a tree arc.
func (f *twoCentre) costOf(a int32) int64 {
	if a < 0 {
		c, _ := f.slopes(^a)
		return c
	}
	return f.arcs[a].cost
}

// climbs reports whether the arc above node w leads to its parent.
func (f *twoCentre) climbs(w int32) bool {
	a := f.via[w]
	if a < 0 {
		return ^a+1 == w
	}
	return f.arcs[a].start == w
}

// up returns the cost of a unit from w to its parent.
func (f *twoCentre) up(w int32) int64 {
	c := f.costOf(f.via[w])
	if f.climbs(w) {
		return c
	}
	return -c
}

// nextStamp starts a new marking of nodes.
func (f *twoCentre) nextStamp() int32 {
	if f.stamp == math.MaxInt32 {
		clear(f.mark)
		f.stamp = 0
	}
	f.stamp++
	return f.stamp
}

// price computes the node prices: cost + y[tail] = y[head] for tree arcs.
func (f *twoCentre) price() {
	stamp := f.nextStamp()
	root := int32(f.slots)
	f.mark[root], f.y[root] = stamp, 0
	for v := range root {
		stack := f.stack[:0]
		for w := v; f.mark[w] != stamp; w = f.parent[w] {
			f.mark[w] = stamp
			stack = append(stack, w)
		}
		for i := len(stack) - 1; i >= 0; i-- {
			w := stack[i]
			f.y[w] = f.y[f.parent[w]] - f.up(w)
		}
		f.stack = stack
	}
}

// slotPrice returns z, the cost of one more instance in b in slot t.
func (f *twoCentre) slotPrice(t int) int64 { return f.y[t] - f.y[t+1] }

// wrong returns by how much an arc outside the tree breaks its condition.
func (f *twoCentre) wrong(a int32) int64 {
	if a < 0 {
		t := ^a
		if f.n[t] != f.low[t] && f.n[t] != f.high[t] {
			return 0
		}
		below, above := f.slopes(t)
		z := f.slotPrice(int(t))
		return max(z-above, below-z)
	}
	p := &f.arcs[a]
	r := p.cost + f.y[p.start] - f.y[p.end]
	if p.x == 0 {
		return -r
	}
	if p.x == p.cap {
		return r
	}
	return 0
}

// begin makes the line of slots the tree.
func (f *twoCentre) begin() {
	for t := range f.slots {
		f.parent[t], f.via[t] = int32(t+1), ^int32(t)
	}
	f.parent[f.slots] = -1
	f.stamp = 0
	clear(f.mark)
}

// solve finds an optimum. Flows are then not enlarged, and prices prove the optimum.
func (f *twoCentre) solve() {
	f.begin()
	for {
		f.price()
		f.sweeps++
		f.listed = f.listed[:0]
		worst, by, seen := int32(0), int64(0), 0
		for a := -int32(f.slots); int(a) < len(f.arcs); a++ {
			if v := f.wrong(a); v > by {
				worst, by = a, v
			}
			if seen++; seen == block {
				if by > 0 {
					f.listed = append(f.listed, worst)
				}
				by, seen = 0, 0
			}
		}
		if by > 0 {
			f.listed = append(f.listed, worst)
		}
		if len(f.listed) == 0 {
			break
		}
		for _, a := range f.listed {
			f.enter(a)
		}
	}
	for w := range int32(f.slots) { // what is not in the tree is a multiple of scale
		if a := f.via[w]; a >= 0 {
			p := &f.arcs[a]
			if f.climbs(w) {
				p.x += f.scale - 1
			}
			p.x -= p.x % f.scale
		}
	}
	for a := range f.arcs {
		f.arcs[a].x /= f.scale
	}
}

// cycle finds the tree paths from the ends of an arc to where they meet.
func (f *twoCentre) cycle(tail, head int32) {
	tails, heads := f.tails[:0], f.heads[:0]
	mt, mh := f.nextStamp(), f.nextStamp()
	if mh < mt { // the marks were cleared in between
		mt = f.nextStamp()
	}
	f.mark[tail], f.mark[head] = mt, mh
	meet := int32(-1)
	for meet < 0 {
		if up := f.parent[tail]; up >= 0 {
			tails = append(tails, tail)
			tail = up
			if f.mark[tail] == mh {
				meet = tail
				break
			}
			f.mark[tail] = mt
		}
		if up := f.parent[head]; up >= 0 {
			heads = append(heads, head)
			head = up
			if f.mark[head] == mt {
				meet = head
				break
			}
			f.mark[head] = mh
		}
	}
	f.tails, f.heads = cut(tails, meet), cut(heads, meet)
}

// cut cuts a path off at a node.
func cut(path []int32, at int32) []int32 {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == at {
			return path[:i]
		}
	}
	return path
}

// enter lets an arc enter the tree if that pays.
func (f *twoCentre) enter(a int32) {
	tail, head := f.ends(a)
	if a < 0 {
		if f.n[^a] != f.low[^a] && f.n[^a] != f.high[^a] {
			return // it is in the tree by now
		}
	} else if p := &f.arcs[a]; p.x != 0 && p.x != p.cap {
		return
	}
	f.cycle(tail, head)
	// back is the cost of a unit on its way back from head to tail through the tree.
	back := int64(0)
	for _, w := range f.heads {
		back += f.up(w)
	}
	for _, w := range f.tails {
		back -= f.up(w)
	}
	// pays is by how much a unit pushed lowers the cost. sign is +1 if it is pushed
	// along the arc. own and ownLoss are the arc's own limit or kink.
	var pays, sign int64
	own, ownLoss := int64(unbounded), int64(unbounded)
	if a < 0 {
		t := ^a
		below, above := f.slopes(t)
		switch {
		case above+back < 0:
			pays, sign = -above-back, 1
			if f.n[t] < f.high[t] {
				own, ownLoss = f.high[t]-f.n[t], f.last-f.mid[t]
			}
		case below+back > 0:
			pays, sign = below+back, -1
			if f.n[t] > f.low[t] {
				own, ownLoss = f.n[t]-f.low[t], f.mid[t]-f.first
			}
		default:
			return
		}
	} else {
		p := &f.arcs[a]
		own = p.cap
		switch r := p.cost + back; {
		case p.x == 0 && r < 0:
			pays, sign = -r, 1
		case p.x == p.cap && r > 0:
			pays, sign = r, -1
		default:
			return
		}
	}
	f.steps++
	push, out := int64(0), int32(-1)
	for pays > 0 {
		at, loss := own, ownLoss
		if at <= push {
			at = unbounded
		}
		out = -1
		at, loss, out = f.next(f.heads, sign > 0, push, at, loss, out)
		at, loss, out = f.next(f.tails, sign < 0, push, at, loss, out)
		if at == unbounded {
			panic("federation: the flow has no limit") // every cycle has a part, and parts are bounded
		}
		push = at
		if loss == unbounded {
			break
		}
		pays -= loss
	}
	if a < 0 {
		f.n[^a] += sign * push
	} else {
		f.arcs[a].x += sign * push
	}
	f.move(f.heads, sign*push)
	f.move(f.tails, -sign*push)
	if out < 0 {
		return // the arc went from one end to the other
	}
	// The part of the tree below out now hangs from the arc that entered.
	w, up := tail, head
	for _, h := range f.heads {
		if h == out {
			w, up = head, tail
		}
	}
	for via := a; ; {
		f.parent[w], up = up, f.parent[w]
		f.via[w], via = via, f.via[w]
		if w == out {
			return
		}
		w, up = up, w
	}
}

// next finds the nearest kink or bound beyond push, and nearer than at, on a path on
// which flow is pushed up (or down) the tree. loss is by how much less each unit pays
// beyond it.
func (f *twoCentre) next(path []int32, up bool, push, at, loss int64, out int32) (int64, int64, int32) {
	for _, w := range path {
		more := f.climbs(w) == up
		a := f.via[w]
		if a >= 0 {
			p := &f.arcs[a]
			left := p.x
			if more {
				left = p.cap - p.x
			}
			if left < at {
				at, loss, out = left, unbounded, w
			}
			continue
		}
		t := ^a
		low, high := f.low[t]-f.n[t], f.high[t]-f.n[t]
		if !more {
			low, high = -low, -high
		}
		if low > push && low < at {
			at, loss, out = low, f.mid[t]-f.first, w
			if low == high {
				loss = f.last - f.first
			}
		}
		if high > push && high < at {
			at, loss, out = high, f.last-f.mid[t], w
		}
	}
	return at, loss, out
}

// move pushes flow up the tree along a path.
func (f *twoCentre) move(path []int32, d int64) {
	for _, w := range path {
		e := d
		if !f.climbs(w) {
			e = -d
		}
		if a := f.via[w]; a < 0 {
			f.n[^a] += e
		} else {
			f.arcs[a].x += e
		}
	}
}

// crowded reports whether in slot t both centres can be on demand at once: there
// is more to do than both have reserved.
func (f *twoCentre) crowded(t int) bool { return f.both[t] }
