package reserve

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Demand that shows step by step.
//
// A buyer decides today, sees a quarter, and decides again. Problem.Tree states that: a node is a
// slot of one past. What is known in a node is the way from the root to the node, so a purchase is
// made in a node, and serves the nodes below it that are less than a term away. With the
// probability P_v of node v,
//
//	minimise   Σ P_v·F_k·R_vk + Σ P_v·(p·max(0, d_v − A_v) + q·min(d_v, A_v)),
//	           A_v = Σ R_wk   over v and the nodes w above v, less than τ_k slots above.
//
// A known demand is a tree without branches. A tree that parts at its root alone, with no demand
// there, is a set of paths that are seen before anything is bought: its optimum is
// Outlook.Hindsight. Problem.Paths is neither: all its purchases are decided before anything is
// seen, and cost as much or more. [Exact.Waiting] compares.
//
// Package reserve/internal/treelp solves the linear program by a simplex whose kernel is eliminated
// from the leaves to the root. With one class, and on a line, the matrix is that of a flow, and the
// optimum is whole. With several classes it need not be, even where fees never change: package
// reserve/theory has the proof and an example of eight nodes. Then the program's optimum is the
// bound, and a search turns it into a plan (tree_whole.go).
//
// Weights. A probability becomes a whole number of parts of 10⁻¹², or of ten, a hundred, … times as
// much where fees are too large for that; each is rounded to the nearest part by itself. Costs,
// plan and bound are exact for the rounded numbers.
//
// Limits. All classes that are for sale or held must have one use price. A tree takes Every,
// Closed, Held, Horizon and AtMost of 0 or NoCap; caps are unsupported.

// A Node is a slot of a demand that shows step by step.
type Node struct {
	// Parent is the index of the node of the slot before, -1 for the first node, the root. A parent
	// comes before its children.
	Parent int
	// Probability is that of reaching the node: 1 for the root, and the sum of those of its
	// children for a node that has children.
	Probability float64
	// Demand is the number of instances needed.
	Demand int
}

// check checks p.Tree.
func (t *scenario) check(p *Problem) error {
	nodes := p.Tree
	if len(nodes) == 0 {
		return badInput("Tree", -1, ErrRange, "it has no nodes: want at least the root")
	}
	if len(nodes) > 1<<28 {
		return badInput("Tree", -1, ErrRange, "%d nodes: want at most %d", len(nodes), 1<<28)
	}
	t.sums, t.depth = grow.Zero(t.sums, len(nodes)), grow.Zero(t.depth, len(nodes))
	sums, depths := t.sums, t.depth
	for i := range nodes {
		v := &nodes[i]
		switch {
		case v.Demand < 0 || v.Demand > math.MaxInt32:
			return badInput("Tree", i, ErrRange, "a demand of %d: want 0 to %d instances", v.Demand, math.MaxInt32)
		case !(v.Probability > 0 && v.Probability <= 1+tolerance):
			return badInput("Tree", i, ErrRange, "a probability of %v: want more than 0, and at most 1", v.Probability)
		case i == 0 && v.Parent != -1:
			return badInput("Tree", i, ErrRange, "parent %d: want -1, since the first node is the root", v.Parent)
		case i == 0 && !(math.Abs(v.Probability-1) <= tolerance):
			return badInput("Tree", i, ErrRange, "the root has the probability %v: want 1", v.Probability)
		case i > 0 && v.Parent < 0:
			return badInput("Tree", i, ErrRange, "a second root: want the index of a parent")
		case v.Parent >= i:
			return badInput("Tree", i, ErrRange, "its parent is %d: want a node before it", v.Parent)
		}
		if i > 0 {
			sums[v.Parent] += v.Probability
			depths[i] = depths[v.Parent] + 1
		}
	}
	slots := depths[len(nodes)-1]
	for i := range nodes {
		v := &nodes[i]
		if sums[i] == 0 {
			if depths[i] != slots {
				return badInput("Tree", i, ErrRange, "it ends a branch of %d slots: want %d, as another branch has", depths[i]+1, slots+1)
			}
		} else if !(math.Abs(sums[i]-v.Probability) <= tolerance) {
			return badInput("Tree", i, ErrRange, "its children have the probability %v together: want its own, %v", sums[i], v.Probability)
		}
	}
	return nil
}

// treeSlots returns the number of slots of a branch of p.Tree.
func (p *Problem) treeSlots() (n int) {
	for v := len(p.Tree) - 1; v >= 0; v = p.Tree[v].Parent {
		if n++; p.Tree[v].Parent >= v {
			break // check says what is wrong
		}
	}
	return n
}

// treeParts is the number of parts of probabilities: a file of probabilities with twelve decimals
// is taken as it is.
const treeParts = 1_000_000_000_000

const (
	// maxTreeFee bounds fees and prices of all parts together, so that sums of their values fit.
	maxTreeFee = 1 << 57
	// treeFiner is by how much the unit is finer where the values of a linear program are
	// fractions: halves, thirds and quarters are whole then.
	treeFiner = 12
)

// A scenario is a tree in integers. Nodes have the indices of Problem.Tree, and order has them such
// that a node's subtree follows the node.
type scenario struct {
	weight []int64
	parts  int64
	slots  int
	depth  []int32
	order  []int32 // the node at a place
	place  []int32 // of a node
	size   []int32 // of the subtree
	next   []int32 // scratch
	sums   []float64
}

// loadTree fills in m.tree, and makes m's unit that of a part of a probability.
func (m *market) loadTree(p *Problem) error {
	if err := m.tree.check(p); err != nil {
		return err
	}
	if err := refuseCaps(p); err != nil {
		return err
	}
	return m.tree.load(p, m)
}

// load fills in t for a problem whose tree was checked, and whose market m has the prices of one
// part. It makes m's unit finer by the number of parts.
func (t *scenario) load(p *Problem, m *market) error {
	t.slots = p.slots()
	dearest, ok := wide.Mul(m.price, int64(t.slots+1))
	for i := range m.classes {
		dearest = max(dearest, m.classes[i].fee)
	}
	dearest = max(dearest, m.scale)
	t.parts = treeParts
	for ok && t.parts > 1 && t.parts > maxTreeFee/dearest {
		t.parts /= 10
	}
	if !ok || dearest > maxTreeFee {
		return badInput("Prices", -1, ErrOverflow, "prices and terms are too large together")
	}
	n := len(p.Tree)
	t.weight = grow.To(t.weight, n)
	g := t.parts
	for i := range p.Tree {
		w := int64(math.Round(p.Tree[i].Probability * float64(t.parts)))
		if i == 0 {
			w = t.parts
		}
		switch {
		case w == 0 && t.parts < treeParts:
			return badInput("Prices", -1, ErrOverflow, "fees are too large for the probability %v of node %d: want one of at least 1/%d",
				p.Tree[i].Probability, i, t.parts)
		case w == 0:
			return badInput("Tree", i, ErrRange, "a probability of %v: want at least 1/%d", p.Tree[i].Probability, t.parts)
		}
		t.weight[i] = w
		g = wide.GCD(g, w)
	}
	t.parts /= g
	for i := range t.weight {
		t.weight[i] /= g
	}
	m.scale *= t.parts
	t.sort(p.Tree)
	return nil
}

// sort fills in depth, order, place and size.
func (t *scenario) sort(nodes []Node) {
	n := len(nodes)
	t.depth, t.order, t.place, t.size = grow.To(t.depth, n), grow.To(t.order, n), grow.To(t.place, n), grow.To(t.size, n)
	for i := range t.size {
		t.size[i] = 1
	}
	for i := n - 1; i > 0; i-- {
		t.size[nodes[i].Parent] += t.size[i]
	}
	t.depth[0], t.place[0], t.order[0] = 0, 0, 0
	t.next = grow.To(t.next, n)
	next := t.next // of a node: the place of its next child
	next[0] = 1
	for i := 1; i < n; i++ {
		u := nodes[i].Parent
		t.depth[i] = t.depth[u] + 1
		t.place[i] = next[u]
		next[u] += t.size[i]
		next[i] = t.place[i] + 1
		t.order[t.place[i]] = int32(i)
	}
}

// feeAt returns the fee of class c in node v.
func (t *scenario) feeAt(c *class, v int) int64 {
	return c.feeFor(t.slots-int(t.depth[v])) * t.weight[v]
}

// slotOf returns the slot of a purchase: the depth of its node if the demand is a tree.
func (m *market) slotOf(p *Problem, at int) int {
	if p.Tree != nil {
		return int(m.tree.depth[at])
	}
	return at
}

// treeUse returns the one use price of the classes of p that are for sale or held, or the price on
// demand if there are none.
func treeUse(p *Problem, m *market) (int64, error) {
	use := m.price
	take := func(k int) bool {
		u := m.classes[k].use
		if u >= m.price || use == m.price || u == use {
			use = min(use, u)
			return true
		}
		return false
	}
	mixed := func(k int) error {
		return badInput("Tree", -1, ErrUnsupported, "the use of %s costs something else than that of other classes: want one price of use", p.Prices.Classes[k].Name)
	}
	for k := range m.classes {
		if p.sold(k) && !take(k) {
			return 0, mixed(k)
		}
	}
	for i, h := range p.Held {
		if h.Count == 0 || h.Until == 0 {
			continue
		}
		if m.classes[h.Class].use >= m.price {
			return 0, badInput("Held", i, ErrUnsupported, "use of %s costs no less than on demand", p.Prices.Classes[h.Class].Name)
		}
		if !take(h.Class) {
			return 0, mixed(h.Class)
		}
	}
	return use, nil
}

// heldIn returns how many reservations of the inventory are active in each slot.
func heldIn(dst []int64, p *Problem) []int64 {
	n := p.slots()
	dst = grow.Zero(dst, n+1)
	for _, h := range p.Held {
		dst[min(n, h.Until)] += int64(h.Count)
	}
	for t := n - 1; t >= 0; t-- {
		dst[t] += dst[t+1]
	}
	copy(dst, dst[1:])
	return dst[:n]
}
