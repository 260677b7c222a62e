package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// What it is worth to see before deciding.
//
// Ways to buy for the same tree, from the one that knows most to the one that knows least:
//
//	Hindsight   each branch is known from the start: no plan can do this
//	Cost        purchases are decided in their nodes: the optimum of the tree
//	Replanned   all purchases are planned at the root as if they had to be decided there, and
//	            planned again wherever a branch shows: what most tools do
//	AtOnce      all purchases are decided at the root, and kept to, as with Problem.Paths
//
// Later is the optimum if nothing is bought before the first branch shows: what it costs to do
// nothing and wait. AtOnce − Cost is what waiting with the right purchases is worth.
//
// Hindsight ≤ Cost ≤ Replanned, and Cost ≤ AtOnce, Later, up to gaps of the plans. Replanned may
// cost more than AtOnce: a plan that does not know that it will be made again buys for a longer
// time than is good.
//
// Time: a solve of Exact for each branch that shows, one for each leaf, and three more.

// A Waiting says what ways of deciding cost on a tree, on average.
type Waiting struct {
	Hindsight, Cost, Replanned, AtOnce, Later pricing.Money
	// Shows is the slot in which the first branch shows, 0 if there is none; Later is then Cost.
	Shows int
}

// Waiting compares ways of deciding for p.Tree. The error is that of [Exact.Solve], or
// [ErrUnsupported] for a problem without a tree. Waiting allocates.
func (e *Exact) Waiting(p *Problem) (w Waiting, err error) {
	if p.Tree == nil {
		return w, badInput("Tree", -1, ErrUnsupported, "there is none: want a problem with a tree")
	}
	plan, err := e.Solve(p)
	if err != nil {
		return w, err
	}
	w.Cost, w.Later = plan.Cost, plan.Cost
	b := waysOf(p)
	if w.Shows = b.shows(); w.Shows > 0 {
		later := *p
		later.Closed = b.closed(0)
		for t := range w.Shows {
			later.Closed[t] = true
		}
		if plan, err = e.Solve(&later); err != nil {
			return w, err
		}
		w.Later = plan.Cost
	}
	once := p.atOnce()
	if plan, err = e.Solve(&once); err != nil {
		return w, err
	}
	w.AtOnce = plan.Cost
	if w.Hindsight, err = b.hindsight(e); err != nil {
		return w, err
	}
	w.Replanned, err = b.replanned(e)
	return w, err
}

// ways are a tree with the children of each node.
type ways struct {
	p     *Problem
	depth []int
	kids  [][]int
	slots int
}

func waysOf(p *Problem) *ways {
	n := len(p.Tree)
	b := &ways{p: p, depth: make([]int, n), kids: make([][]int, n), slots: p.slots()}
	for i := 1; i < n; i++ {
		u := p.Tree[i].Parent
		b.depth[i] = b.depth[u] + 1
		b.kids[u] = append(b.kids[u], i)
	}
	return b
}

// shows returns the slot in which the first branch shows, 0 if there is none.
func (b *ways) shows() int {
	first := 0
	for i, kids := range b.kids {
		if len(kids) > 1 && (first == 0 || b.depth[i]+1 < first) {
			first = b.depth[i] + 1
		}
	}
	return first
}

// closed returns the slots from one on in which nothing can be bought.
func (b *ways) closed(from int) []bool {
	closed := make([]bool, b.slots-from)
	for t := range closed {
		at := from + t
		closed[t] = at%max(1, b.p.Every) != 0 || b.p.Closed != nil && b.p.Closed[at]
	}
	return closed
}

// hindsight returns the mean of the bounds of all ways from the root to a leaf.
func (b *ways) hindsight(e *Exact) (pricing.Money, error) {
	var amounts []pricing.Money
	var weights []int64
	parts := int64(0)
	path := make([]int, b.slots)
	for i := range b.p.Tree {
		if len(b.kids[i]) > 0 {
			continue
		}
		for v := i; v >= 0; v = b.p.Tree[v].Parent {
			path[b.depth[v]] = b.p.Tree[v].Demand
		}
		q := b.p.known(path)
		plan, err := e.Solve(&q)
		if err != nil {
			return 0, err
		}
		w := int64(b.p.Tree[i].Probability*treeParts + .5)
		amounts, weights, parts = append(amounts, plan.Bound), append(weights, w), parts+w
	}
	return meanOf(amounts, weights, parts), nil
}

// replanned returns what it costs to plan at once, at the root and again wherever a branch shows.
func (b *ways) replanned(e *Exact) (pricing.Money, error) {
	type start struct {
		node int
		held []pricing.Holding // until slots of the tree
	}
	var all []pricing.Purchase
	todo := []start{{0, b.p.Held}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		from := b.depth[s.node]
		q := b.rest(s.node)
		q.Held = nil
		for _, h := range s.held {
			if h.Until > from {
				h.Until -= from
				q.Held = append(q.Held, h)
			}
		}
		plan, err := e.Solve(&q)
		if err != nil {
			return 0, err
		}
		held := slices.Clone(s.held)
		v, list := s.node, plan.Purchases
		for {
			for len(list) > 0 && list[0].Slot == b.depth[v]-from {
				x := list[0]
				list = list[1:]
				until := b.depth[v] + int(b.p.Prices.Classes[x.Class].Term/b.p.Slot)
				held = append(held, pricing.Holding{Class: x.Class, Count: x.Count, Until: until})
				all = append(all, pricing.Purchase{Slot: v, Class: x.Class, Count: x.Count})
			}
			if len(b.kids[v]) != 1 {
				break
			}
			v = b.kids[v][0]
		}
		for _, c := range b.kids[v] {
			todo = append(todo, start{c, held})
		}
	}
	sortPurchases(all)
	return Cost(b.p, all)
}

// rest returns the problem of what is left at a node, with all purchases decided there.
func (b *ways) rest(node int) Problem {
	q := *b.p
	from, reach := b.depth[node], b.p.Tree[node].Probability
	q.Tree, q.Every, q.Closed = nil, 0, b.closed(from)
	q.Chances = make([][]Chance, b.slots-from)
	for todo := []int{node}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], b.kids[v]...)
		at := b.depth[v] - from
		q.Chances[at] = append(q.Chances[at], Chance{b.p.Tree[v].Demand, min(1, b.p.Tree[v].Probability/reach)})
	}
	for _, chances := range q.Chances { // files round probabilities: where few are left, by more than the tolerance
		sum := 0.0
		for _, c := range chances {
			sum += c.Probability
		}
		for i := range chances {
			chances[i].Probability /= sum
		}
	}
	return q
}

// atOnce returns the problem with all purchases decided at the root of p's tree.
func (p *Problem) atOnce() Problem {
	q := waysOf(p).rest(0)
	q.Every, q.Closed = p.Every, p.Closed
	return q
}
