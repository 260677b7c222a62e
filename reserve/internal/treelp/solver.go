package treelp

import (
	"github.com/plimsoll/plimsoll/internal/grow"
)

// Class is a class of reservations: Fee buys an instance for Term slots.
type Class struct {
	Term int
	Fee  int64
}

// A Problem is what Solve minimises; see the package comment. Nodes are in preorder: the subtree of a
// node follows the node. The caller sees to it that all numbers are in range.
type Problem struct {
	Parent  []int32 // of each node, -1 for the root, node 0
	Weight  []int64 // of each node, above 0
	Demand  []int
	Price   int64 // of an instance on demand, in a node of weight 1
	Classes []Class
	// Fees, if not nil, has the fee of each purchase in the place of Fee times weight: that of
	// class k at node v is Fees[v·K + k], for K classes. A negative fee is not for sale.
	Fees []int64
}

// Stats counts the work of the last Solve.
type Stats struct {
	Sweeps, Steps, Stale int
	Touched              int // nodes that steps looked at
	Factors              int // nodes that were eliminated again
}

// A Solver keeps its memory between calls. The zero value is ready. One goroutine at a time.
type Solver struct {
	Stats Stats

	p      Problem
	n, k   int
	end    []int32   // one past the subtree of a node
	anc    []int32   // [v·K + k]: the last node above v whose purchases of class k have ended in v, or -1
	depth  []int32   // of a node
	price  []int64   // on demand, of a node
	cost   []int64   // of a column, -1 if not for sale
	demand []float64 // scaled and moved
	scale  float64

	tight  []bool    // rows of the kernel
	active []float64 // reservations of a node
	basic  []bool    // columns of the kernel
	basics []uint8   // how many of a node
	count  []float64 // of a column: purchases

	factor
	direction
	sweep
}

// Solve finds an optimal solution of the linear program.
func (s *Solver) Solve(p Problem) {
	s.load(p)
	s.refactorAll()
	for {
		s.Stats.Sweeps++
		if s.unimodular() {
			priceAll(s, &s.whole)
			s.collect()
		} else {
			priceAll(s, &s.real)
			s.collectReal()
		}
		if len(s.cands) == 0 {
			return
		}
		s.order()
		for i := range s.cands {
			s.enter(&s.cands[i], i == 0)
		}
	}
}

// load sets up the empty plan.
func (s *Solver) load(p Problem) {
	n, K := len(p.Parent), len(p.Classes)
	s.p, s.n, s.k, s.Stats = p, n, K, Stats{}
	s.end, s.depth, s.anc = grow.To(s.end, n), grow.To(s.depth, n), grow.To(s.anc, n*K)
	s.price, s.cost = grow.To(s.price, n), grow.To(s.cost, n*K)
	s.demand, s.active = grow.To(s.demand, n), grow.Zero(s.active, n)
	s.tight, s.basic, s.basics = grow.Zero(s.tight, n), grow.Zero(s.basic, n*K), grow.Zero(s.basics, n)
	s.count = grow.Zero(s.count, n*K)
	peak := 1
	for v := range n {
		s.end[v] = int32(v + 1)
		peak = max(peak, p.Demand[v])
	}
	for v := n - 1; v > 0; v-- {
		u := p.Parent[v]
		s.end[u] = max(s.end[u], s.end[v])
	}
	s.scale = 1
	for float64(peak)*s.scale < 1<<48 {
		s.scale *= 2
	}
	state := uint64(0x9e3779b97f4a7c15)
	for v := range n {
		u := p.Parent[v]
		if u >= 0 {
			s.depth[v] = s.depth[u] + 1
		} else {
			s.depth[v] = 0
		}
		s.price[v] = p.Price * p.Weight[v]
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		s.demand[v] = float64(p.Demand[v])*s.scale - float64(1+state>>33%(1<<20))*max(1, s.scale/(1<<40))
		for k, c := range p.Classes {
			s.cost[v*K+k] = c.Fee * p.Weight[v]
			if p.Fees != nil {
				s.cost[v*K+k] = p.Fees[v*K+k]
			}
			a := int32(-1)
			switch {
			case int(s.depth[v]) < c.Term:
			case c.Term == 1:
				a = u
			default: // one below the last node above the parent
				a = s.below(v, int(u), k)
			}
			s.anc[v*K+k] = a
		}
	}
	s.loadFactor()
	s.loadDirection()
	s.loadSweep()
}

// below returns the node on the way to v that is one slot below what s.anc has for its parent u.
func (s *Solver) below(v, u, k int) int32 {
	a := s.anc[u*s.k+k]
	if u > 0 && v == u+1 && a >= 0 && s.end[a+1] > int32(v) { // the usual case, without branches
		return a + 1
	}
	c := int32(0)
	if a >= 0 {
		c = a + 1
	}
	for s.end[c] <= int32(v) {
		c = s.end[c]
	}
	return c
}
