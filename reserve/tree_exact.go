package reserve

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/treelp"
)

// A tree is the part of Exact for a demand that is a tree.
type tree struct {
	solver  treelp.Solver
	problem treelp.Problem
	index   []int // of the classes in the list
	held    []int64
	dual    treeDual
}

// planTree fills in e.purchases, e.values and e.finer.
func (e *Exact) planTree(p *Problem) error {
	m, t := &e.market, &e.nodes
	use, err := treeUse(p, m)
	if err != nil {
		return err
	}
	e.purchases, e.limited = e.purchases[:0], false
	t.load(p, m, use)
	t.solver.Solve(t.problem)
	e.finer = t.solver.Scale(treeFiner)
	e.values = grow.To(e.values, len(p.Tree))
	t.solver.Values(e.values, e.finer)
	e.byNode(&m.tree)
	m.refine(e.finer)
	t.solver.Search()
	for v := range p.Tree {
		for k, i := range t.index {
			if n := t.solver.Bought(int(m.tree.place[v]), k); n > 0 {
				e.purchases = append(e.purchases, pricing.Purchase{Slot: v, Class: i, Count: n})
			}
		}
	}
	return nil
}

// byNode brings e.values from the order of places to that of nodes.
func (e *Exact) byNode(s *scenario) {
	e.proposal = append(e.proposal[:0], e.values...)
	for v, at := range s.place {
		e.values[v] = e.proposal[at]
	}
}

// load fills in the linear program.
func (t *tree) load(p *Problem, m *market, use int64) {
	s, lp := &m.tree, &t.problem
	n := len(p.Tree)
	t.held = heldIn(t.held, p)
	lp.Parent, lp.Weight, lp.Demand = grow.To(lp.Parent, n), grow.To(lp.Weight, n), grow.To(lp.Demand, n)
	for at, v := range s.order {
		u := p.Tree[v].Parent
		lp.Parent[at] = -1
		if u >= 0 {
			lp.Parent[at] = s.place[u]
		}
		lp.Weight[at] = s.weight[v]
		lp.Demand[at] = max(0, p.Tree[v].Demand-int(min(t.held[s.depth[v]], 1<<40)))
	}
	lp.Price = m.price - use
	lp.Classes, t.index = lp.Classes[:0], t.index[:0]
	for i := range m.classes {
		if c := &m.classes[i]; c.use < m.price && p.sold(i) {
			lp.Classes = append(lp.Classes, treelp.Class{Term: c.term, Fee: c.fee})
			t.index = append(t.index, i)
		}
	}
	K := len(lp.Classes)
	lp.Fees = grow.To(lp.Fees, n*K)
	for at, v := range s.order {
		for k, i := range t.index {
			fee := int64(-1)
			if !m.closed(p, int(s.depth[v])) {
				fee = s.feeAt(&m.classes[i], int(v))
			}
			lp.Fees[at*K+k] = fee
		}
	}
}

// certifyTree fills in the plan's cost, and the bound that e.values prove.
func (e *Exact) certifyTree(p *Problem, plan *Plan) error {
	m, v := &e.market, &e.nodes.dual
	if err := v.load(p, m, e.purchases); err != nil {
		return err
	}
	bound, err := v.proves(e.values, e.finer)
	if err != nil {
		return err
	}
	var ok [2]bool
	plan.Cost, ok[0] = m.money(v.cost(e.purchases))
	plan.Bound, ok[1] = m.money(bound)
	if ok != [2]bool{true, true} {
		return badInput("Tree", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	plan.Certificate = Certificate{Levels: 1, Values: e.values, Num: m.common, Den: m.scale}
	return nil
}
