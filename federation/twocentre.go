package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A twoCentre divides parts of tasks optimally between two centres, a and b. The problem is a
// minimum-cost flow on a line, and a twoCentre solves it exactly.
//
// A part is a group of instances that run in the same slots. Let cap be their number, and x the
// number of them that run in b; the other cap − x run in a. Let cost be the cost of an instance's
// traffic in b, less that in a; cost may be negative. Let n_t be the number of instances of all
// parts that run in b in slot t:
//
//	minimise   Σ cost·x  +  Σ_t p_a·(A_t − n_t)⁺ + p_b·(n_t − B_t)⁺.
//
// p_a and p_b are the prices on demand. A_t is the number of instances that a runs on demand if all
// parts are in a, and B_t is the number of reservations that b then has idle.
//
// Idea. n_t − n_{t−1} is the number of parts' instances in b that start in t, less the number whose
// last slot is t−1. Take a node before each slot and a node after the last slot. The x instances of
// a part flow from the node at its start to the node at its end. n_t flows back from node t+1 to
// node t, at a convex cost with two kinks. This is a circulation in a network. A circulation has an
// optimum in whole numbers, and node prices y prove the optimum. The price of slot t is z_t = y_t −
// y_{t+1}. It is between the slopes of the slot's cost on the two sides of n_t, and
//
//	cost + Σ z_t over the part's slots    ≥ 0 where x = 0,  ≤ 0 where x = cap.
//
// The network simplex (steps in pivot.go). A basis is a spanning tree. The first tree is the line
// of slots, or the last tree of the same two centres without the arcs that no longer exist. An arc
// that breaks the condition above enters the tree. The step pushes flow around the cycle of the
// arc, past every kink beyond which one more unit still saves. The arc at whose kink or bound the
// step ends leaves the tree. Only sweeps compute node prices. A sweep lists the worst arc of each
// block of arcs, and a listed arc enters if it still breaks its condition.
//
// Invariant. All flows are multiplied by scale = T+2 for T slots, and each node but the last has
// one more unit of demand. The flow of a tree arc is then a multiple of scale, plus or minus the
// number of nodes on its far side, 1 to T. Therefore no tree arc is at a kink or a bound, every
// step lowers the cost, and the steps end. Dividing by scale, and rounding the extra units off,
// gives a flow within the same kinks and bounds. The same prices prove this flow optimal. Package
// reserve/internal/flow explains this argument at greater length.
//
// Time: a step is linear in its cycle times the kinks passed, a sweep in slots and parts. No
// polynomial bound on the number of steps is known. Space: 70 bytes a part, 120 a slot.
type twoCentre struct {
	slots int
	scale int64

	line        []lineSlot
	first, last int64 // slopes below and above both kinks, -p_a and p_b

	arcs   []arc
	offers []offer // of the arcs: what a sweep looks at

	nodes      []node
	liked      []liked
	firstLiked []int32 // by node: the first of those that start there, through next; -1 if none
	size       []int64 // of the tree below a node, at first
	y          []int64
	stamp      int32

	stack, tails, heads []int32
	listed              []int32

	steps, sweeps int
}

// A lineSlot is the flow in a slot, and its cost.
type lineSlot struct {
	n, low, high int64 // flow and kinks
	mid          int64 // slope between the kinks
	below, above int64 // slopes below and above n; they differ only at a kink, where no slot of the tree is
	in           bool  // in the tree: n is then not up to date, but between the same kinks
	both         bool  // whether both centres are on demand between the kinks
}

// An arc is a part: start → end. x is not up to date while the arc is in the tree.
type arc struct {
	start, end   int32
	cap, x, cost int64
}

// An offer is an arc as a sweep sees it: the arc breaks its condition by
// side·(cost + y[start] − y[end]), if that is positive. side is -1 at 0, 1 at cap, and 0
// in the tree. So a sweep has no branch to guess.
type offer struct {
	start, end int32
	side, cost int64
}

// A liked arc is a part that may be in the first tree.
type liked struct{ arc, next int32 }

// A node hangs from its parent in the tree. What a step needs of the arc between them stands
// here as seen from the node, so that a step reads one place for each node of its cycle.
type node struct {
	parent   int32
	via      int32 // the arc to the parent: of a part, or ^t of slot t
	mark     int32
	cost     int64 // of a unit to the parent
	up, down int64 // units to the parent, or from it, up to the next bound or kink
}

// far is more than any part holds: no flow is that large, see model.load. Up to 2⁶¹ may be added
// or taken away.
const far = 1 << 62

// unbounded is more than any step pushes, and less than what is left of far.
const unbounded = far / 2

// block is how many arcs a sweep lists one of. On the three logs of [Liu21], 16 and 64
// take the same time, 256 twice as long, 1024 three times as long.
const block = 64

// reset makes room for slots slots and no parts.
func (f *twoCentre) reset(slots int, pa, pb int64) {
	f.slots, f.scale = slots, int64(slots+2)
	f.first, f.last = -pa, pb
	f.line = grow.To(f.line, slots)
	f.nodes, f.y = grow.To(f.nodes, slots+1), grow.To(f.y, slots+1)
	f.arcs, f.offers, f.liked = f.arcs[:0], f.offers[:0], f.liked[:0]
	f.firstLiked, f.size = grow.To(f.firstLiked, slots+1), grow.To(f.size, slots+1)
	for v := range f.firstLiked {
		f.firstLiked[v] = -1
	}
	f.steps, f.sweeps = 0, 0
}

// setSlot says that n instances are in b in slot t, that a must do need without b beyond
// its reservations, and that b has room left.
func (f *twoCentre) setSlot(t int, n, need, room int64) {
	l := lineSlot{n: n * f.scale, low: min(need, room) * f.scale, high: max(need, room) * f.scale, both: need > room}
	if l.both {
		l.mid = f.first + f.last
	}
	f.line[t] = l
}

// prefer says that the part that was added last belongs to the first tree if it can.
func (f *twoCentre) prefer() {
	a := int32(len(f.arcs) - 1)
	v := f.source(a)
	f.liked = append(f.liked, liked{a, f.firstLiked[v]})
	f.firstLiked[v] = int32(len(f.liked) - 1)
}

// source returns the node from which the tree may reach the other end of a part: the flow
// that the nodes beyond demand must fit between 0 and cap.
func (f *twoCentre) source(a int32) int32 {
	if p := &f.arcs[a]; p.x > 0 {
		return p.end
	}
	return f.arcs[a].start
}

// add adds a part of which all (full) or none of count instances are in b.
func (f *twoCentre) add(start, end int, count, cost int64, full bool) {
	x, side := int64(0), int64(-1)
	if full {
		x, side = count*f.scale, 1
	}
	f.arcs = append(f.arcs, arc{int32(start), int32(end), count * f.scale, x, cost})
	f.offers = append(f.offers, offer{int32(start), int32(end), side, cost})
}

// slope sets the slopes of slot t's cost, after its flow has changed.
func (f *twoCentre) slope(t int32) {
	l := &f.line[t]
	l.below, l.above = f.first, f.last
	if l.n < l.high {
		l.above = l.mid
		if l.n < l.low {
			l.above = f.first
		}
	}
	if l.n > l.low {
		l.below = l.mid
		if l.n > l.high {
			l.below = f.last
		}
	}
}

// side sets the side of an arc, after its flow has changed.
func (f *twoCentre) side(a int32) {
	p := &f.arcs[a]
	side := int64(0)
	switch p.x {
	case 0:
		side = -1
	case p.cap:
		side = 1
	}
	f.offers[a].side = side
}

// ends returns the ends of an arc: flow goes from tail to head.
func (f *twoCentre) ends(a int32) (tail, head int32) {
	if a < 0 {
		return ^a + 1, ^a
	}
	return f.arcs[a].start, f.arcs[a].end
}

// climbs reports whether the arc of node w leads to the parent.
func (f *twoCentre) climbs(w int32) bool {
	if via := f.nodes[w].via; via >= 0 {
		return f.arcs[via].start == w
	} else {
		return ^via+1 == w
	}
}

// load fills in a node from its arc.
func (f *twoCentre) load(w int32) {
	v := &f.nodes[w]
	var cost, more, less int64
	if v.via >= 0 {
		p := &f.arcs[v.via]
		cost, more, less = p.cost, p.cap-p.x, p.x
	} else {
		l := &f.line[^v.via]
		cost, more, less = l.below, far, far
		if l.n < l.high {
			more = l.high - l.n
		}
		if l.n < l.low {
			more = l.low - l.n
		}
		if l.n > l.low {
			less = l.n - l.low
		}
		if l.n > l.high {
			less = l.n - l.high
		}
	}
	if f.climbs(w) {
		v.cost, v.up, v.down = cost, more, less
	} else {
		v.cost, v.up, v.down = -cost, less, more
	}
}

// store brings the flow of a node's arc up to date.
func (f *twoCentre) store(w int32) {
	v := &f.nodes[w]
	more, less := v.up, v.down
	if !f.climbs(w) {
		more, less = less, more
	}
	if v.via >= 0 {
		f.arcs[v.via].x = less
		return
	}
	l := &f.line[^v.via]
	switch {
	case l.n < l.low:
		l.n = l.low - more
	case l.n > l.high:
		l.n = l.high + less
	default:
		l.n = l.low + less
	}
}

// nextStamp starts a new marking of nodes.
func (f *twoCentre) nextStamp() int32 {
	if f.stamp == math.MaxInt32 {
		f.unmark()
	}
	f.stamp++
	return f.stamp
}

func (f *twoCentre) unmark() {
	for v := range f.nodes {
		f.nodes[v].mark = 0
	}
	f.stamp = 0
}

// price computes the node prices: cost + y[tail] = y[head] for tree arcs.
func (f *twoCentre) price() {
	stamp := f.nextStamp()
	root := int32(f.slots)
	f.nodes[root].mark, f.y[root] = stamp, 0
	nodes, y, stack := f.nodes, f.y, f.stack
	for w := range root {
		stack = stack[:0]
		v := &nodes[w]
		for ; v.mark != stamp; v = &nodes[w] {
			v.mark = stamp
			stack = append(stack, w)
			w = v.parent
		}
		at := y[w]
		for i := len(stack) - 1; i >= 0; i-- {
			w := stack[i]
			at -= nodes[w].cost
			y[w] = at
		}
	}
	f.stack = stack
}

// slotPrice returns z, the cost of one more instance in b in slot t.
func (f *twoCentre) slotPrice(t int) int64 { return f.y[t] - f.y[t+1] }

// begin makes the first tree. From the last node on it goes through slots that are at no
// kink, which must be in the tree, and through parts that are liked. Where these lead no
// further, it goes through other slots. Without liked parts that is the line of slots. Then
// each arc of the tree gets the flow that the nodes below demand.
func (f *twoCentre) begin() {
	f.unmark()
	f.stamp = 1
	order := f.stack[:0]
	root := int32(f.slots)
	order = f.reach(order, root, -1, -1)
	for t, next := root-1, 0; len(order) <= f.slots; t-- {
		for ; next < len(order); next++ {
			v := order[next]
			for i := f.firstLiked[v]; i >= 0; i = f.liked[i].next {
				a := f.liked[i].arc
				w := f.arcs[a].start + f.arcs[a].end - v
				if f.nodes[w].mark == 0 {
					order = f.reach(order, w, v, a)
				}
			}
		}
		if t >= 0 && f.nodes[t].mark == 0 { // all nodes behind are reached
			order = f.reach(order, t, t+1, ^t)
		}
	}
	for v := range f.size {
		f.size[v] = 1
	}
	for i := len(order) - 1; i > 0; i-- {
		w := order[i]
		v := &f.nodes[w]
		d := f.size[w]
		f.size[v.parent] += d
		if f.climbs(w) {
			d = -d
		}
		if v.via < 0 {
			f.line[^v.via].n += d
			f.line[^v.via].in = true
		} else {
			f.arcs[v.via].x += d
			f.offers[v.via].side = 0
		}
	}
	for t := range int32(f.slots) {
		f.slope(t)
	}
	for w := range root {
		f.load(w)
	}
	f.stack = order
}

// reach hangs a node in the tree, and with it the nodes that slots at no kink link to it.
func (f *twoCentre) reach(order []int32, v, parent, via int32) []int32 {
	f.nodes[v] = node{parent: parent, via: via, mark: f.stamp}
	order = append(order, v)
	for w := v; w > 0 && f.free(w-1) && f.nodes[w-1].mark == 0; w-- {
		f.nodes[w-1] = node{parent: w, via: ^(w - 1), mark: f.stamp}
		order = append(order, w-1)
	}
	for w := v; int(w) < f.slots && f.free(w) && f.nodes[w+1].mark == 0; w++ {
		f.nodes[w+1] = node{parent: w, via: ^w, mark: f.stamp}
		order = append(order, w+1)
	}
	return order
}

// free reports whether a slot is at no kink.
func (f *twoCentre) free(t int32) bool {
	l := &f.line[t]
	return l.n != l.low && l.n != l.high
}

// solve finds an optimum. Flows are then not enlarged, and prices prove the optimum.
func (f *twoCentre) solve() {
	f.begin()
	for {
		f.price()
		f.sweep()
		if len(f.listed) == 0 {
			break
		}
		for _, a := range f.listed {
			f.enter(a)
		}
	}
	for w := range int32(f.slots) { // what is not in the tree is a multiple of scale
		if a := f.nodes[w].via; a >= 0 {
			f.store(w)
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
