package flow

import (
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Several classes, by shortest paths: with the demand two bits at a time, or from a plan that the simplex begins.
//
// A problem of one price, of classes of one fee each, and no other rules. It is solved for the demand
// ⌊d/4^k⌋ with k from where that is 0 or 1 down to 0. Four times the demand has four times the plan
// as an optimum, with the same potentials. Two new bits of the demand of slot t are supply at node t
// and are missing at node t+1. The slot takes them itself where it can: on demand if z[t] is the
// price, out of idle capacity if z[t] is 0. If more is held than is asked for, the highest bits are negative,
// and the slot takes them as idle capacity: all z are 0 then. All later bits are at least 0, as ⌊⌋ rounds down.
//
// Where few slots change the demand, a better start is the plan of the simplex when most of its steps for large
// amounts are made (improve). Its potentials are lowered until no arc has a negative length: to the least sum of
// a potential and a distance, over all nodes (lower). Then arcs of a length above 0 give up what they carry.
// It is supply at their beginnings and missing at their ends. From there on all is the same.
//
// What is left is shipped from the nodes that have supply to the nodes that miss it, on shortest
// paths of the residual network. Its arcs are purchases, slots both ways, and purchases given back.
// Lengths are relative to the potentials. This is the algorithm of Dijkstra from all supply at once:
//
//   - All nodes with supply grow trees of shortest paths. A node in a tree keeps its potential, its
//     label. The potentials of all free nodes rise together: such a node has y + Δ, where Δ is the
//     distance reached.
//   - A free node joins a tree when its potential is the label that the tree gives it.
//   - If the node misses units, they come from the tree's root over the tree's path. If the root has supply
//     left, and no arc of the path is full, the tree grows on. Otherwise all its nodes are free, with the
//     potentials of this moment, and other trees may take them. The root begins again if it has supply left.
//
// Invariant: no residual arc has a negative length, and the arcs of trees have length 0.
//
//   - While Δ grows, only arcs from trees to free nodes get shorter, and a free node joins when the
//     first of them has length 0.
//   - Units move on arcs of length 0, so that the arcs back have length 0 too. In a tree that stays they join
//     two nodes of the tree.
//   - A node freed at Δ gets y = label - Δ, so that its potential stays what it is.
//
// The invariant is the condition of the package comment. So when all is shipped, the plan is
// optimal for this demand. There always is a path, as slots can be walked both ways.
//
// A label in the queue may come from a tree that has been freed since. Then other trees give at least
// that label. So when such a node comes out of the queue, it goes back with the least label that
// the trees give it now.
//
// The nodes at the distance Δ itself stand in line, and a node in line is never put in again. To put it in again
// takes a label below its own. Its own puts it at Δ, and the invariant leaves no label that puts a node below Δ.
// A node is freed only out of a tree, and is in no line then.
//
// Overflow. Potentials rise along the line, by p·T at most, after lower too. A node that misses units to the end
// is always free, and a root keeps its label. So Δ is at most 2·p·T, and labels are within 2·p·T and a
// fee. No flow exceeds the units shipped, each counted as often as it is multiplied by four since. At each k that is at
// most the sum over the slots of |d|, rounded up to the next multiple of 4^k: where more is held than asked for, ⌊⌋
// rounds away from 0. So it is at most the sum of |d| and T·4^k, and 4^k is at most twice the peak. From the simplex's
// plan, no flow exceeds the sum of all flows of its basis. Each of these is at most the sum of the supplies.
// checkTotal leaves room for 8·T of it, which is enough for both.
//
// Ties fall as the queue and the order of classes say (queue.go). Nodes at one distance come out first in, first
// out. That keeps trees equally large, which matters: last in, first out took up to 2.6 times as many nodes.
//
// Time: of the order of T·classes for each path at most, but most trees are small. On the sine with ten
// terms there are 8,114 paths, and 519,000 nodes join trees (BENCHMARKS.md, smooth demand).
// Memory: 100 bytes a slot, and 8 for each class, beside that of the simplex.

// The simplex is faster where demand turns often: on three logs of the shared folder, and on a walk, with ten
// terms, scaling takes 2 to 5 times as long. It is also faster where demand only grows, or falls at once
// what it rises in hours: there scaling takes 8 to 130 times as long. So leastRun bounds the mean length
// of a run in which demand does not turn, and leastChanges the slots that rise, as those that fall, times the
// classes for each slot. With fewer than leastSlots slots, both methods take milliseconds.
//
// Where demand has few turns, or changes by many instances, the simplex may take few steps, while the trees of
// paths become as large as the line. On a valley, and on a sine on growth, paths took 20 to 50 times as long. So there
// are to be leastTurns, and demand is to change by at most mostChange instances a slot in the mean. From the simplex's
// plan it is to change by at most a tenth of the number of classes. One hill is solved anew whatever its height: there
// the paths took a tenth to half of the simplex's time.
//
// Even so the simplex may be the faster by far, as with terms of years. So it goes first for a while (solver.go).
// And after mostJoined nodes for each slot, it goes on where it was: that is more than scaling took in any
// case in which it was the faster method.
//
// Where fewer slots change the demand, the simplex's plan is the start. That took a half to a sixth of the simplex's time
// on sines and triangles of a month to three years. On demand that grows on the whole it took up to seven times as long,
// also where sines are on top. On steps of any height it took up to 14 times as long. So leastShare says that one slot in 20 rises and one falls,
// and leastBalance how many tenths of the more frequent the rarer are. mostImproved is mostJoined for this start.
const (
	leastSlots   = 4096
	leastRun     = 64
	leastChanges = 2
	leastTurns   = 4
	mostChange   = 4
	mostJoined   = 250

	leastShare   = 20
	leastBalance = 9
	mostImproved = 64
)

const scaleBits = 2 // at a time; with 1 or 3, a tenth more nodes join trees on the sine and the triangle with ten terms

type scaling struct {
	price   int64
	terms   []int
	fees    []int64
	last    int // node T
	longest int // term, at most T

	y      []int64 // potentials, before and after ship
	fixed  []int64 // the label of a node in a tree, inf of all others
	x      []int64
	excess []int64  // supply of a node; what it misses is negative
	bought []int64  // of class k at slot s: bought[k*T+s]
	sold   []uint64 // the classes of the purchases at a slot
	into   []uint64 // the classes of the purchases that end at a node before T
	toEnd  []int32  // the cheapest class whose purchase at a slot lasts to node T; from slot T-longest on there is one

	root   []int32 // of the node's tree
	member []int32 // the next node of the tree, -1 if there is none
	queue  radixQueue
	stats  *Stats
}

const (
	source   = -1 // none: the node is a root
	slotOn   = -2 // t -> t+1
	slotBack = -3
	giveBack = -4 // giveBack-k: a purchase of class k, from its end to its slot
)

// smooth says whether scaling may solve the problem and is likely to be the faster method: anew, or from
// the simplex's plan.
func (p *Problem) smooth() (anew, from bool) {
	T, K := len(p.Demand), len(p.Classes)
	if p.First != nil || p.Prices != nil || p.MaxActive != nil || T < leastSlots || K < 2 || K > 64 {
		return false, false
	}
	for _, c := range p.Classes {
		if c.Fees != nil || c.Max > 0 || c.Fee < 1 {
			return false, false
		}
	}
	rises, falls, turns, way, hill := 0, 0, 0, 0, false
	change := int64(0) // at most twice the sum of what is asked for and held
	for t := 1; t < T; t++ {
		a, b := p.net(t-1), p.net(t)
		if a == b {
			continue
		}
		now := 1
		if b < a {
			now = -1
			falls++
			change += int64(a) - int64(b)
		} else {
			rises++
			change += int64(b) - int64(a)
		}
		if now == -way {
			turns++
			hill = turns == 1 && way > 0
		}
		way = now
	}
	few, many := min(rises, falls), max(rises, falls)
	if few*K >= leastChanges*T {
		return hill || turns >= leastTurns && turns*leastRun <= T && change <= mostChange*int64(T), false
	}
	return false, turns >= leastTurns && turns*leastRun <= T && 10*change <= int64(K)*int64(T) &&
		few*leastShare >= T && 10*few >= leastBalance*many
}

// net returns the demand of slot t less what is held.
func (p *Problem) net(t int) int {
	if p.Held != nil {
		return p.Demand[t] - p.Held[t]
	}
	return p.Demand[t]
}

// load sets up the network, with nothing bought.
func (c *scaling) load(p *Problem, y []int64, stats *Stats) {
	T, K := len(p.Demand), len(p.Classes)
	c.price, c.last, c.y, c.stats = p.Price, T, y, stats
	c.terms = grow.To(c.terms, K)
	c.fees = grow.To(c.fees, K)
	c.fixed = grow.To(c.fixed, T+1)
	c.x = grow.Zero(c.x, T)
	c.excess = grow.Zero(c.excess, T+1)
	c.bought = grow.Zero(c.bought, K*T)
	c.sold = grow.Zero(c.sold, T+1)
	c.into = grow.Zero(c.into, T+1)
	c.toEnd = grow.To(c.toEnd, T+1)
	c.root = grow.To(c.root, T+1)
	c.member = grow.To(c.member, T+1)
	c.longest = 0
	for k, l := range p.Classes {
		c.terms[k], c.fees[k] = min(l.Term, T), l.Fee
		c.longest = max(c.longest, c.terms[k])
	}
	for s := range c.toEnd {
		c.toEnd[s] = -1
		for k, term := range c.terms {
			if s < T && s+term >= T && (c.toEnd[s] < 0 || c.fees[k] < c.fees[c.toEnd[s]]) {
				c.toEnd[s] = int32(k)
			}
		}
	}
}

// solve fills in bought, and y with the potentials of the package comment.
// If more nodes join trees than mostJoined for each slot, solve gives up and returns false.
func (c *scaling) solve(p *Problem, y []int64, stats *Stats) bool {
	T := len(p.Demand)
	c.load(p, y, stats)
	clear(y)
	most := 0
	for t := range T {
		most = max(most, p.net(t))
	}
	first := bits.Len(uint(most)) / scaleBits * scaleBits
	for shift := first; shift >= 0; shift -= scaleBits {
		for t := range c.x {
			c.x[t] <<= scaleBits
		}
		for i := range c.bought {
			c.bought[i] <<= scaleBits
		}
		for t := range c.x {
			e := int64(p.net(t) >> shift)
			if shift < first {
				e -= int64(p.net(t)>>(shift+scaleBits)) << scaleBits
			}
			z := y[t+1] - y[t]
			if z == c.price || z == 0 && c.x[t]+e <= 0 {
				c.x[t] += e
			} else {
				c.excess[t] += e
				c.excess[t+1] -= e
			}
		}
		if !c.ship(mostJoined) {
			return false
		}
		c.rebase()
	}
	return true
}

// rebase makes the potential of node 0 zero.
func (c *scaling) rebase() {
	for v := c.last; v >= 0; v-- {
		c.y[v] -= c.y[0]
	}
}

// buy adds to the purchases that improve begins with. What lasts to node T is of the cheapest class that does.
func (c *scaling) buy(q Purchase) {
	k, end := q.Class, q.Slot+c.terms[q.Class]
	if end >= c.last {
		k, end = int(c.toEnd[q.Slot]), c.last
	}
	c.bought[k*c.last+q.Slot] += int64(q.Count)
	c.excess[q.Slot] -= int64(q.Count)
	c.excess[end] += int64(q.Count)
}

// improve makes an optimal plan of the purchases of buy, with any numbers in y that are near the
// potentials. If more nodes join trees than mostImproved for each slot, improve gives up and returns false.
func (c *scaling) improve(p *Problem) bool {
	T, y := c.last, c.y
	active := int64(0)
	for t := range T { // until here, the excess is what changes the number of active instances
		active -= c.excess[t]
		c.x[t] = int64(p.net(t)) - active
	}
	clear(c.excess)
	c.lower()
	for k, term := range c.terms {
		for s, n := range c.bought[k*T : (k+1)*T] {
			end := min(T, s+term)
			switch {
			case n == 0:
			case y[end]-y[s] < c.fees[k]:
				c.excess[s] += n
				c.excess[end] -= n
				c.bought[k*T+s] = 0
			default:
				c.sold[s] |= 1 << k
				if end < T {
					c.into[end] |= 1 << k
				}
			}
		}
	}
	for t, x := range c.x {
		z := y[t+1] - y[t]
		if x > 0 && z < c.price || x < 0 && z > 0 {
			c.excess[t] += x
			c.excess[t+1] -= x
			c.x[t] = 0
		}
	}
	if !c.ship(mostImproved) {
		return false
	}
	c.rebase()
	return true
}

// lower lowers y as little as it must to leave no arc of a negative length: y[v] becomes the least
// y[u] plus the distance from u to v, over all nodes u. The least y becomes 0.
func (c *scaling) lower() {
	T, y := c.last, c.y
	q := &c.queue
	q.clear(T + 1)
	low := slices.Min(y)
	for v := range y {
		q.nodes[v].y = 0
		c.reach(v, y[v]-low, 0, 0)
	}
	for v := q.take(); v >= 0; v = q.take() {
		at := q.nodes[v].label
		y[v] = at
		if v > 0 && at < q.nodes[v-1].label {
			c.reach(v-1, at, 0, 0)
		}
		if v == T {
			continue
		}
		if l := at + c.price; l < q.nodes[v+1].label {
			c.reach(v+1, l, 0, 0)
		}
		for k, term := range c.terms {
			end := min(T, v+term)
			if l := at + c.fees[k]; l < q.nodes[end].label {
				c.reach(end, l, 0, 0)
			}
		}
	}
}

// ship ships all supply. It returns false if more nodes join trees, in all, than most for each slot.
func (c *scaling) ship(most int) bool {
	T, y := c.last, c.y
	q := &c.queue
	q.clear(T + 1)
	for v := range q.nodes {
		q.nodes[v].label, q.nodes[v].y, c.fixed[v] = inf, y[v], inf
	}
	roots := 0
	for v, e := range c.excess {
		if e > 0 {
			roots++
			c.reach(v, y[v], v, source)
		}
	}
	most *= T + 1
	for roots > 0 {
		if c.stats.Joined > most {
			return false
		}
		v := q.take()
		if at := &q.nodes[v]; at.how == source {
			c.root[v], c.member[v] = int32(v), -1
		} else {
			u := int(at.from)
			if c.fixed[u]+c.cost(u, v, at.how) != at.label {
				at.label = inf
				c.look(v)
				continue
			}
			r := c.root[u]
			c.root[v], c.member[v] = r, c.member[r]
			c.member[r] = int32(v)
		}
		c.fixed[v] = q.nodes[v].label
		c.stats.Joined++
		if c.excess[v] >= 0 {
			c.spread(v)
		} else if c.augment(v) {
			roots--
		}
	}
	for v := range y {
		y[v] = q.nodes[v].y
	}
	return true
}

// reach gives node v, which is in no tree, a label.
func (c *scaling) reach(v int, label int64, from int, how int32) {
	c.queue.reach(int32(v), label, int32(from), how)
}

// spread labels the nodes at the ends of the residual arcs from node v.
func (c *scaling) spread(v int) {
	T, nodes, x := c.last, c.queue.nodes, c.x
	terms, fees := c.terms, c.fees[:len(c.terms)]
	at := c.fixed[v]
	if v < T {
		if l := at + c.price&^(x[v]>>63); l < nodes[v+1].label {
			c.reach(v+1, l, v, slotOn)
		}
	}
	if v > 0 {
		if l := at - c.price&(-x[v-1]>>63); l < nodes[v-1].label {
			c.reach(v-1, l, v, slotBack)
		}
	}
	if v+c.longest < T {
		for k, term := range terms {
			if l := at + fees[k]; l < nodes[v+term].label {
				c.reach(v+term, l, v, int32(k))
			}
		}
	} else if v < T {
		for k, term := range terms {
			if l := at + fees[k]; v+term < T && l < nodes[v+term].label {
				c.reach(v+term, l, v, int32(k))
			}
		}
		if k := c.toEnd[v]; at+fees[k] < nodes[T].label {
			c.reach(T, at+fees[k], v, k)
		}
	}
	for m := c.into[v]; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m)
		if s := v - terms[k]; at-fees[k] < nodes[s].label {
			c.reach(s, at-fees[k], v, giveBack-int32(k))
		}
	}
	for s := T - c.longest; v == T && s < T; s++ {
		k := c.toEnd[s]
		if c.bought[int(k)*T+s] > 0 && at-fees[k] < nodes[s].label {
			c.reach(s, at-fees[k], v, giveBack-k)
		}
	}
}

// look gives node w, which is in no tree, the least label of the residual arcs from trees to it, if
// there are any.
func (c *scaling) look(w int) {
	T, fixed, x := c.last, c.fixed, c.x
	terms, fees := c.terms, c.fees[:len(c.terms)]
	best, from, how := inf/2, 0, int32(0) // above any label
	if w > 0 {
		if l := fixed[w-1] + c.price&^(x[w-1]>>63); l < best {
			best, from, how = l, w-1, slotOn
		}
	}
	if w < T {
		if l := fixed[w+1] - c.price&(-x[w]>>63); l < best {
			best, from, how = l, w+1, slotBack
		}
		least := -inf
		if w >= c.longest { // mostly no tree is near: a pass without branches says so
			least = best
			for k, term := range terms {
				least = min(least, fixed[w-term]+fees[k])
			}
		}
		if least < best {
			for k, term := range terms {
				if s := w - term; s >= 0 {
					if l := fixed[s] + fees[k]; l < best {
						best, from, how = l, s, int32(k)
					}
				}
			}
		}
		for m := c.sold[w]; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			end := min(T, w+terms[k])
			if l := fixed[end] - fees[k]; l < best {
				best, from, how = l, end, giveBack-int32(k)
			}
		}
	}
	for s := T - c.longest; w == T && s < T; s++ {
		k := c.toEnd[s]
		if l := fixed[s] + fees[k]; l < best {
			best, from, how = l, s, k
		}
	}
	if best < inf/2 && best < c.queue.nodes[w].label {
		c.reach(w, best, from, how)
	}
}

// augment ships what it can from the root of the tree of node v to that node. If the root has supply left and
// no arc of the path is full, the tree stays, and node v is a node as any other. Otherwise augment frees the
// tree's nodes. It returns whether the root has nothing left.
func (c *scaling) augment(v int) bool {
	c.stats.Paths++
	r := int(c.root[v])
	room := inf
	for w := v; w != r; w = int(c.queue.nodes[w].from) {
		room = min(room, c.room(w))
	}
	f := min(-c.excess[v], c.excess[r], room)
	c.excess[r] -= f
	c.excess[v] += f
	for w := v; w != r; w = int(c.queue.nodes[w].from) {
		c.push(w, f)
	}
	if c.excess[r] > 0 && f < room {
		c.spread(v)
		return false
	}
	reached := c.queue.reached
	for w := r; w >= 0; w = int(c.member[w]) {
		n := &c.queue.nodes[w]
		n.y = n.label - reached
		n.label, c.fixed[w] = inf, inf
	}
	if c.excess[r] > 0 {
		c.reach(r, c.queue.nodes[r].y+reached, r, source)
	}
	for w := r; w >= 0; w = int(c.member[w]) {
		c.look(w)
	}
	return c.excess[r] == 0
}

// cost returns the cost of a residual arc from u to v.
func (c *scaling) cost(u, v int, how int32) int64 {
	switch {
	case how >= 0:
		return c.fees[how]
	case how == slotOn:
		return c.price &^ (c.x[u] >> 63)
	case how == slotBack:
		return -(c.price & (-c.x[v] >> 63))
	}
	return -c.fees[giveBack-how]
}

// room returns how much the last arc to node v takes.
func (c *scaling) room(v int) int64 {
	u, how := c.queue.nodes[v].from, c.queue.nodes[v].how
	switch {
	case how == slotOn && c.x[u] < 0:
		return -c.x[u]
	case how == slotBack && c.x[v] > 0:
		return c.x[v]
	case how <= giveBack:
		return c.bought[int(giveBack-how)*c.last+v]
	}
	return inf
}

// push pushes f over the last arc to node v.
func (c *scaling) push(v int, f int64) {
	u, how := int(c.queue.nodes[v].from), c.queue.nodes[v].how
	switch {
	case how >= 0:
		c.bought[int(how)*c.last+u] += f
		c.sold[u] |= 1 << how
		if v < c.last {
			c.into[v] |= 1 << how
		}
	case how == slotOn:
		c.x[u] += f
	case how == slotBack:
		c.x[v] -= f
	default:
		k := giveBack - how
		r := &c.bought[int(k)*c.last+v]
		if *r -= f; *r == 0 {
			c.sold[v] &^= 1 << k
			c.into[u] &^= 1 << k
		}
	}
}

// appendPurchases appends the plan.
func (c *scaling) appendPurchases(dst []Purchase) []Purchase {
	for k := range c.terms {
		for s, n := range c.bought[k*c.last : (k+1)*c.last] {
			if n > 0 {
				dst = append(dst, Purchase{s, k, int(n)})
			}
		}
	}
	return dst
}
