package reserve

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The cost of purchases on a tree, and what values of its nodes prove.
//
// In node v of weight W_v let w_v = (p − q)·W_v be what a reservation saves, H_v the reservations
// held, and A_v those active in all. The cost of a plan is
//
//	Σ q·W_v·d_v + Σ w_v·max(0, d_v − A_v) + Σ fees.
//
// For any values z_v ≥ 0, Σ z_v·(H_v + active purchases − A_v) = 0. Take this sum off and minimise
// over each A_v and each purchase by itself, as certificate.go does for a line: every plan costs at
// least
//
//	Σ q·W_v·d_v + Σ min(w_v, z_v)·d_v − Σ z_v·H_v + Σ_purchases min(0, fee − Σ z over the nodes served)·peak.
//
// A purchase in node v serves the subtree of v without the nodes a term or more below. Let end(u)
// be the last node on the way to u whose purchases of a class have ended in u. A node u is served
// by the purchases between: so the sum over the subtree of v of z_u, less those of the nodes u with
// end(u) in the subtree, is what a purchase in v is worth. That is a pass from the last node to the
// first.
//
// Nothing here is part of the solver: [Verify] and [Cost] call it. Arithmetic is exact, in 128
// bits. Time: O(nodes × classes).

// A treeDual is a tree, its prices, and the reservations of a plan.
type treeDual struct {
	p    *Problem
	m    *market
	t    *scenario
	use  int64 // q, or the price on demand where nothing is for sale
	held []int64

	total []int64 // [v]: active, held ones included
	bound []int64 // scratch
	path  []int32
}

// load counts the reservations of a plan in each node.
func (v *treeDual) load(p *Problem, m *market, plan []pricing.Purchase) (err error) {
	v.p, v.m, v.t = p, m, &m.tree
	if v.use, err = treeUse(p, m); err != nil {
		return err
	}
	n, slots := len(p.Tree), p.slots()
	v.held = heldIn(v.held, p)
	v.total = grow.To(v.total, n)
	for i := range n {
		v.total[i] = v.held[v.t.depth[i]]
	}
	v.path = grow.To(v.path, slots)
	v.bound = grow.To(v.bound, n)
	for c := range m.classes {
		if m.classes[c].use >= m.price {
			continue
		}
		count, some := grow.Zero(v.bound, n), false
		for _, q := range plan {
			if q.Class == c {
				count[q.Slot] += int64(q.Count)
				some = true
			}
		}
		if !some {
			continue
		}
		for i := 1; i < n; i++ {
			count[i] += count[p.Tree[i].Parent]
		}
		v.ends(m.classes[c].term, func(i, end int32) {
			v.total[i] += count[i]
			if end >= 0 {
				v.total[i] -= count[end]
			}
		})
	}
	return nil
}

// ends calls f for each node i, in the order of the tree, with the last node on its way whose
// purchases have ended after a term, -1 for none.
func (v *treeDual) ends(term int, f func(i, end int32)) {
	for _, i := range v.t.order {
		d := int(v.t.depth[i])
		v.path[d] = i
		if d < term {
			f(i, -1)
		} else {
			f(i, v.path[d-term])
		}
	}
}

// cost is what the plan costs.
func (v *treeDual) cost(plan []pricing.Purchase) (sum wide.Uint) {
	for i := range v.p.Tree {
		d, w := int64(v.p.Tree[i].Demand), v.t.weight[i]
		accumulate(&sum, v.use*w, d)
		accumulate(&sum, (v.m.price-v.use)*w, max(0, d-v.total[i]))
	}
	for _, q := range plan {
		accumulate(&sum, v.t.feeAt(&v.m.classes[q.Class], q.Slot), int64(q.Count))
	}
	return sum
}

// proves returns what values prove, rounded up to a multiple of unit, in which all costs are whole.
func (v *treeDual) proves(values []int64, unit int64) (wide.Uint, error) {
	var proved balance
	n, peak, sum := len(v.p.Tree), int64(0), int64(0)
	for i := range v.p.Tree {
		d, w, z := int64(v.p.Tree[i].Demand), v.t.weight[i], values[i]
		if z < 0 || z > maxValue-sum {
			return wide.Uint{}, badInput("Certificate.Values[]", i, ErrForged, "%d is out of range", z)
		}
		sum += z
		peak = max(peak, d)
		proved.add(v.use*w, d)
		proved.add(min((v.m.price-v.use)*w, z), d)
		proved.add(-z, v.held[v.t.depth[i]])
	}
	for c := range v.m.classes {
		k := &v.m.classes[c]
		if k.use >= v.m.price || !v.p.sold(c) {
			continue
		}
		worth := v.bound
		copy(worth, values)
		v.ends(k.term, func(i, end int32) {
			if end >= 0 {
				worth[end] -= values[i]
			}
		})
		for i := n - 1; i >= 0; i-- {
			if u := v.p.Tree[i].Parent; u >= 0 {
				worth[u] += worth[i]
			}
			if v.m.closed(v.p, int(v.t.depth[i])) {
				continue
			}
			if left := v.t.feeAt(k, i) - worth[i]; left < 0 {
				proved.add(left, peak)
			}
		}
	}
	bound, neg := difference(proved.plus, proved.minus)
	if neg {
		return wide.Uint{}, nil
	}
	if rest := bits.Rem64(bound.Hi, bound.Lo, uint64(unit)); rest > 0 {
		accumulate(&bound, unit-int64(rest), 1)
	}
	return bound, nil
}

// costTree returns the cost of purchases on p.Tree.
func costTree(p *Problem, m *market, purchases []pricing.Purchase) (pricing.Money, error) {
	var v treeDual
	if err := v.load(p, m, purchases); err != nil {
		return 0, err
	}
	cost, ok := m.money(v.cost(purchases))
	if !ok {
		return 0, badInput("Tree", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	return cost, nil
}

// verifyTree is Verify for a tree.
func verifyTree(p *Problem, m *market, plan *Plan) error {
	c := &plan.Certificate
	finer := c.Den / m.scale
	if c.Num != m.common || finer > treeFiner || c.Den%m.scale != 0 || !m.refine(finer) {
		return badInput("Certificate", -1, ErrForged, "the unit is %d/%d: want a part of %d/%d", c.Num, c.Den, m.common, m.scale)
	}
	if c.Levels != 1 || len(c.Values) != len(p.Tree) {
		return badInput("Certificate", -1, ErrForged, "%d levels and %d values: want 1 and %d", c.Levels, len(c.Values), len(p.Tree))
	}
	var v treeDual
	if err := v.load(p, m, plan.Purchases); err != nil {
		return err
	}
	bound, err := v.proves(c.Values, finer)
	if err != nil {
		return err
	}
	if claimed, ok := m.money(v.cost(plan.Purchases)); !ok || claimed != plan.Cost {
		return badInput("Cost", -1, ErrForged, "the plan says %v, its purchases cost %v", plan.Cost, claimed)
	}
	if claimed, ok := m.money(bound); !ok || claimed != plan.Bound {
		return badInput("Bound", -1, ErrForged, "the plan says %v, its certificate proves %v", plan.Bound, claimed)
	}
	return nil
}
