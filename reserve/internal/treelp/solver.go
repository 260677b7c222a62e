package treelp

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Class is a class of reservations: Fee buys an instance for Term slots.
type Class struct {
	Term int
	Fee  int64
}

// A Problem is what Solve minimises; see the package comment. Nodes are in preorder: the subtree of
// a node follows the node. The caller sees to it that all numbers are in range.
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
	slots  []int32   // of the classes
	way    []int32   // scratch
	price  []int64   // on demand, of a node
	cost   []int64   // of a column, -1 if not for sale
	demand []float64 // scaled and moved
	scale  float64

	least []int     // purchases of a column that are made: what bounds of a search leave of the demand is need
	most  []float64 // of a column, scaled; +Inf if there is no bound
	full  []bool    // columns outside of the kernel that are at most
	need  []int

	tight  []bool    // rows of the kernel
	active []float64 // reservations of a node
	basic  []bool    // columns of the kernel
	basics []uint8   // how many of a node
	count  []float64 // of a column: purchases

	factor
	direction
	sweep
	search
	rest []float64 // see correct
}

// Solve finds an optimal solution of the linear program.
func (s *Solver) Solve(p Problem) {
	s.load(p)
	s.solve()
}

// solve makes the empty basis optimal.
func (s *Solver) solve() {
	s.reset()
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
		before, exact := s.Stats.Steps, s.unimodular()
		for i := range s.cands {
			s.enter(&s.cands[i], i == 0 && exact)
		}
		if s.Stats.Steps == before {
			return // what is left are rounding errors
		}
	}
}

// load reads the problem.
func (s *Solver) load(p Problem) {
	n, K := len(p.Parent), len(p.Classes)
	s.p, s.n, s.k, s.Stats = p, n, K, Stats{}
	s.end, s.depth, s.anc = grow.To(s.end, n), grow.To(s.depth, n), grow.To(s.anc, n*K)
	s.price, s.cost = grow.To(s.price, n), grow.To(s.cost, n*K)
	s.demand, s.active, s.need = grow.To(s.demand, n), grow.To(s.active, n), grow.To(s.need, n)
	s.tight, s.basic, s.basics = grow.To(s.tight, n), grow.To(s.basic, n*K), grow.To(s.basics, n)
	s.count, s.least, s.most, s.full = grow.To(s.count, n*K), grow.Zero(s.least, n*K), grow.To(s.most, n*K), grow.To(s.full, n*K)
	for j := range s.most {
		s.most[j] = math.Inf(1)
	}
	peak := 1
	for v := range n {
		s.end[v] = int32(v + 1)
		peak = max(peak, p.Demand[v])
	}
	for v := n - 1; v > 0; v-- {
		u := p.Parent[v]
		s.end[u] = max(s.end[u], s.end[v])
	}
	s.slots = s.slots[:0]
	for _, c := range p.Classes {
		s.slots = append(s.slots, int32(c.Term))
	}
	s.scale = 1
	for float64(peak)*s.scale < 1<<50 {
		s.scale *= 2
	}
	way := grow.To(s.way, n) // to the node at hand, by depth
	s.way = way
	for v := range n {
		u := p.Parent[v]
		if s.depth[v] = 0; u >= 0 {
			s.depth[v] = s.depth[u] + 1
		}
		way[s.depth[v]] = int32(v)
		s.price[v] = p.Price * p.Weight[v]
		for k, c := range p.Classes {
			s.cost[v*K+k] = c.Fee * p.Weight[v]
			if p.Fees != nil {
				s.cost[v*K+k] = p.Fees[v*K+k]
			}
			s.anc[v*K+k] = -1
			if d := int(s.depth[v]) - c.Term; d >= 0 {
				s.anc[v*K+k] = way[d]
			}
		}
	}
	s.growFactor()
	s.growDirection()
	s.growSweep()
}

// reset sets up the plan that buys what is made already, with an empty kernel.
func (s *Solver) reset() {
	clear(s.tight)
	clear(s.basic)
	clear(s.basics)
	clear(s.count)
	clear(s.full)
	clear(s.active)
	clear(s.passed)
	s.odd = 0
	for i := range s.value {
		s.value[i] = 1
	}
	// A move is a millionth of a unit at most, or a thousandth for demands beyond 2³⁰.
	unit := max(1, s.scale/(1<<40))
	moves := uint64(min(1<<20, s.scale/(1<<10)))
	state := uint64(0x9e3779b97f4a7c15)
	for v, made := range s.covered(s.least) {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		s.need[v] = s.p.Demand[v] - made
		s.demand[v] = float64(s.need[v])*s.scale - float64(1+state>>33%moves)*unit
	}
}
