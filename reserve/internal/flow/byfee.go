package flow

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// One class, by falling fees.
//
// A problem of one class of term τ and fee F, one price p, and no other rules. Let E[v] be
// the number of purchases in the slots before v, for the nodes v = 0..last, where
// last = T-τ+1: a purchase after slot T-τ does nothing that one at slot T-τ does not. A slot
// t is covered by the purchases between its two nodes,
//
//	A[t] = E[head(t)] - E[tail(t)],   tail(t) = max(0, t-τ+1),   head(t) = min(t+1, last),
//
// so that the purchases themselves are potentials on a line:
//
//	minimise    F·E[last] + Σ p·max(0, d[t] - A[t])
//	subject to  0 = E[0] ≤ E[1] ≤ … ≤ E[last].
//
// The dual is a flow of F units from node 0 to node last. Each slot is an arc tail -> head
// that takes z[t] ≤ p units, of worth d[t] each; an arc v -> v+1 takes any number of units,
// worth nothing. F units pass each node, so the z of any τ slots sum to at most F. So the flow
// of greatest worth is the optimal z of the package comment.
//
// At the fee τ·p nothing is bought, and all arcs of slots are full. Each phase lowers the fee
// by p: it takes p units out of the flow, on the path from node last back to node 0 that loses
// least worth. The path may empty a slot, fill a slot, and change the flow of arcs v -> v+1.
// The last phase stops at F.
//
// Invariant: E and the flow are optimal for the present fee. That is so if no arc of the
// residual network has a negative length:
//
//	an arc that may give up units,  z[t] > 0:       d[t] - A[t] ≥ 0,
//	an arc that may take more,      z[t] < p:       A[t] - d[t] ≥ 0,
//	v -> v+1 may always take more:                  E[v+1] - E[v] ≥ 0,
//	v -> v+1 carries units, and may give them up:   E[v] - E[v+1] ≥ 0, so nothing is bought.
//
// A phase finds the distances of the nodes from node 0 in these lengths, by the algorithm of
// Dijkstra, and adds them to E, at most that of node last. As usual, all lengths stay at least 0,
// and those on the shortest path become 0, so that units can move there. There is a path: any
// flow of more than 0 units has one, and its arcs may give units up. All z are 0 or p and all flows
// multiples of p until the last phase, so that p units can always move.
//
// Ties. The last phase computes the distances of all nodes, so that E is the greatest for its flow, at each
// node: of the optimal plans with the fewest purchases, none has bought more before any slot. (If F is a multiple
// of p, an optimal plan may have more purchases: the plan is also optimal for fees a little above F.)
//
// Time: τ-⌊F/p⌋ phases, each O(T·log ΣD) at most, and 15 to 35 ns a slot in practice: the queue is a
// radix heap. Memory: 54 bytes a slot.
//
// byFee is 1.3 to 3.5 times as fast as the simplex on the five logs of the shared folder, for a class of a day: 2.5 times in
// the geometric mean (PLIMSOLL_SHARED=DIR go test -run NONE -bench Day ./reserve/internal/flow).

// byFee solves a problem with at most mostPhases phases; the simplex solves a problem with more. On
// the five logs of the shared folder, byFee is faster than the simplex with 12 phases. With 81
// phases, byFee takes three times as long as the simplex on the log hpc2n.
//
// byFee solves a problem with a discount of at least leastDiscount. The discount is 1 less the fee
// over the price of a whole term on demand. With less discount, few reservations are bought, and
// the simplex needs few steps: for terms of a month at a discount of 4%, byFee takes 3 to 16 times
// as long.
const (
	mostPhases    = 32
	leastDiscount = 1. / 8
)

type byFee struct {
	term, last int
	demand     []int64
	bought     []int64 // E
	dist       []int64
	spare      []int32 // units of the arc v -> v+1, in p
	full       []bool  // the arc of slot t is
	how        []int32 // how the path reaches node v: a slot, or viaMore or viaLess
	path       []int32 // the slots of the last path

	// The queue is a radix heap: list i holds the nodes whose distance differs from that of the
	// last node taken out first in bit i-1, and list 0 those of the same distance.
	lists      [65]int32
	next, prev []int32
	reached    int64 // distance of the last node taken out
}

const (
	viaMore = -1 // arc v -> v+1 takes more, seen from v+1
	viaLess = -2 // arc v-1 -> v gives up units, seen from v-1
)

// phases returns how many phases a problem takes, and whether byFee may solve it.
func (p *Problem) phases() (int, bool) {
	if p.First != nil || p.Prices != nil || p.MaxActive != nil || len(p.Classes) != 1 {
		return 0, false
	}
	c := &p.Classes[0]
	if c.Fees != nil || c.Max > 0 {
		return 0, false
	}
	term := int64(min(c.Term, len(p.Demand)))
	n := term - min(term, c.Fee/p.Price)
	return int(n), c.Fee > 0 && n <= mostPhases && float64(n) >= leastDiscount*float64(term)
}

// solve fills in bought, and y with the potentials of the package comment.
func (b *byFee) solve(p *Problem, phases int, y []int64) {
	T := len(p.Demand)
	b.term = min(p.Classes[0].Term, T)
	b.last = T - b.term + 1
	n := b.last + 1
	b.bought = grow.Zero(b.bought, n)
	b.spare = grow.Zero(b.spare, n)
	b.dist = grow.To(b.dist, n)
	b.how = grow.To(b.how, n)
	b.next = grow.To(b.next, n)
	b.prev = grow.To(b.prev, n)
	b.demand = grow.To(b.demand, T)
	b.full = grow.To(b.full, T)
	b.path = grow.To(b.path, T)
	for t, d := range p.Demand {
		b.full[t] = true
		b.demand[t] = int64(d)
		if p.Held != nil {
			b.demand[t] = int64(max(0, d-p.Held[t]))
		}
	}
	for phase := range phases {
		b.search(phase == phases-1)
		b.push()
	}

	for t, full := range b.full {
		y[t+1] = 0
		if full {
			y[t+1] = p.Price
		}
	}
	if phases > 0 { // the last path goes part of the way, to a flow of F
		rest := p.Classes[0].Fee - int64(b.term-phases)*p.Price
		for _, t := range b.path {
			if b.full[t] {
				y[t+1] = p.Price - rest
			} else {
				y[t+1] = rest
			}
		}
	}
	y[0] = 0
	for t := range T {
		if p.Held != nil && p.Held[t] > p.Demand[t] {
			y[t+1] = 0 // as good as any, where demand is taken as 0
		}
		y[t+1] += y[t]
	}
}

func (b *byFee) tail(t int) int { return max(0, t-b.term+1) }
func (b *byFee) head(t int) int { return min(t+1, b.last) }

// search adds the distances from node 0 to bought: those of all nodes, or at most that of node
// last, where it may then end.
func (b *byFee) search(all bool) {
	for v := range b.dist {
		b.dist[v] = inf
	}
	for i := range b.lists {
		b.lists[i] = -1
	}
	b.reach(0, 0, 0)
	bought, last, T := b.bought, b.last, len(b.full)
	for v := b.take(); v >= 0 && (all || v != last); v = b.take() {
		at, have := b.reached, bought[v]
		if v > 0 {
			b.reach(v-1, at+have-bought[v-1], viaMore)
		}
		if v < last && b.spare[v] > 0 {
			b.reach(v+1, at+have-bought[v+1], viaLess)
		}
		// The slots whose tail is v, and those whose head is v.
		from, to := v+b.term-1, min(v+b.term, T)
		if v == 0 {
			from = 0
		}
		for t := from; t < to; t++ {
			if b.full[t] {
				w := b.head(t)
				b.reach(w, at+b.demand[t]-(bought[w]-have), int32(t))
			}
		}
		from, to = max(0, v-1), v
		if v == last {
			to = T
		}
		for t := from; t < to; t++ {
			if !b.full[t] {
				w := b.tail(t)
				b.reach(w, at+(have-bought[w])-b.demand[t], int32(t))
			}
		}
	}
	most := inf
	if !all {
		most = b.dist[last]
	}
	for v, d := range b.dist {
		bought[v] += min(d, most)
	}
}

// push moves a unit on the path that search found.
func (b *byFee) push() {
	path := b.path[:0]
	for v := b.last; v != 0; {
		switch t := b.how[v]; t {
		case viaMore:
			b.spare[v]++
			v++
		case viaLess:
			v--
			b.spare[v]--
		default:
			path = append(path, t)
			b.full[t] = !b.full[t]
			if b.full[t] {
				v = b.head(int(t))
			} else {
				v = b.tail(int(t))
			}
		}
	}
	b.path = path
}

// reach brings the distance of node v down to d, if it is greater.
func (b *byFee) reach(v int, d int64, how int32) {
	old := b.dist[v]
	if d >= old {
		return
	}
	if old < inf {
		prev, next := b.prev[v], b.next[v]
		if next >= 0 {
			b.prev[next] = prev
		}
		if prev >= 0 {
			b.next[prev] = next
		} else {
			b.lists[bits.Len64(uint64(old^b.reached))] = next
		}
	}
	b.dist[v], b.how[v] = d, how
	b.put(int32(v))
}

// put puts node v in its list.
func (b *byFee) put(v int32) {
	list := &b.lists[bits.Len64(uint64(b.dist[v]^b.reached))]
	b.prev[v], b.next[v] = -1, *list
	if *list >= 0 {
		b.prev[*list] = v
	}
	*list = v
}

// take takes out a node of least distance, -1 if there is none. If list 0 is empty, the nodes
// of the first list that is not go to lists before it: each node can move so 64 times.
func (b *byFee) take() int {
	if b.lists[0] < 0 {
		i := 1
		for b.lists[i] < 0 {
			if i++; i == len(b.lists) {
				return -1
			}
		}
		list := b.lists[i]
		b.lists[i] = -1
		least := inf
		for v := list; v >= 0; v = b.next[v] {
			least = min(least, b.dist[v])
		}
		b.reached = least
		for v := list; v >= 0; {
			next := b.next[v]
			b.put(v)
			v = next
		}
	}
	v := b.lists[0]
	next := b.next[v]
	b.lists[0] = next
	if next >= 0 {
		b.prev[next] = -1
	}
	return int(v)
}

// appendPurchases appends the plan.
func (b *byFee) appendPurchases(dst []Purchase) []Purchase {
	for v := range b.last {
		if n := b.bought[v+1] - b.bought[v]; n > 0 {
			dst = append(dst, Purchase{Slot: v, Count: int(n)})
		}
	}
	return dst
}
