package flow

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Stats counts the work of the last Solve.
type Stats struct {
	Pivots int // exchanges of a basis arc, or flips of an arc to its other bound
	Stale  int // candidates that were no longer violated when their turn came
	Sweeps int // pricing passes over all arcs
	Slots  int // slots on the cycles, summed over Pivots and Stale
	Hops   int // purchase arcs on the cycles, likewise
	Phases int // of byFee, which counts nothing else
}

// A Solver keeps its memory between calls. The zero value is ready. It must
// not be used by two goroutines at once.
type Solver struct {
	Stats Stats

	prob Problem
	T    int
	n    int64 // perturbation scale: every true quantity is held n-fold
	sign int64 // of the perturbation of every slot's demand

	// problems of one class that byFee solves
	fees    byFee
	falling bool // the problem is one

	// the basis
	x   []int64 // net on-demand flow of slot t: on demand minus idle
	y   []int64 // potentials, as of the last sweep
	seg []seg   // by the segment's leftmost node
	w0  []uint64
	w1  []uint64 // of the words of w0 that are not 0

	// the sweep
	cand    []cand
	cnd2    []cand
	sid     []int32 // dense segment number of a node
	rt      []int32 // last node of a segment
	off     []int64 // potential offset of a segment
	longest int     // term, at most the horizon
	plain   bool    // no class has Fees or Max, and all slots have one price

	// a step
	trail [2][]place // from both ends of the entering arc to the join
	paths []place    // the memory of trail
	runs  []run      // the slots of the cycle
	buf   []int64    // breakpoints
	stamp uint32

	// classes with Max
	capped bool
	cap    []int64  // per class, n-fold; inf if none
	upper  []uint64 // bit (class*T + slot): nonbasic at its cap

	// slots with steps: Steps, Prices or MaxActive
	steps   bool
	edges   []edge
	first   []int32 // kinks of slot t: kinks[first[t]:first[t+1]]
	kinks   []kink
	kinksOf []breakpoint // of a cycle
}

const (
	inf   = int64(1) << 62
	unset = -int64(1) << 63
)

// Solve finds an optimal plan. Its results are read with AppendPurchases and
// Potentials.
func (s *Solver) Solve(p Problem) error {
	total, err := s.load(p)
	if err != nil || s.T == 0 {
		return err
	}
	phases, ok := p.phases()
	if s.falling = ok; ok {
		s.Stats.Phases = phases
		s.fees.solve(&s.prob, phases, s.y)
		return nil
	}
	return s.simplex(total)
}

// load checks the problem. It returns a bound on half the flow of any arc.
func (s *Solver) load(p Problem) (total uint64, err error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	if total, err = p.supply(); err != nil {
		return 0, err
	}
	s.prob, s.T, s.Stats = p, p.slots(), Stats{}
	s.y = grow.To(s.y, s.T+1)
	return total, nil
}

// simplex makes a basis optimal: a sweep lists violated arcs, and they enter in turn.
func (s *Solver) simplex(total uint64) error {
	if err := s.initBasis(total); err != nil {
		return err
	}
	block := max(minBlock, s.longest)
	for {
		s.potentials()
		s.Stats.Sweeps++
		top := s.sweep(block)
		if len(s.cand) == 0 {
			return nil
		}
		before := s.Stats
		s.order(top)
		for _, c := range s.cand {
			s.pivot(c)
		}
		block = s.nextBlock(block, before)
	}
}

// AppendPurchases appends the plan of the last Solve to dst, each slot and
// class at most once, in no particular order.
func (s *Solver) AppendPurchases(dst []Purchase) []Purchase {
	switch {
	case s.T == 0:
		return dst
	case s.falling:
		return s.fees.appendPurchases(dst)
	}
	for i, w := range s.w0 {
		for ; w != 0; w &= w - 1 {
			if p := s.bought(&s.seg[i<<6|bits.TrailingZeros64(w)]); p.Count > 0 {
				dst = append(dst, p)
			}
		}
	}
	if s.capped {
		for k, c := range s.prob.Classes {
			for t := 0; c.Max > 0 && t < s.T; t++ {
				if s.atUpper(k, t) {
					dst = append(dst, Purchase{t, k, c.Max})
				}
			}
		}
	}
	return dst
}

// Potentials returns the dual solution y, T+1 values; it is valid until the
// next Solve.
func (s *Solver) Potentials() []int64 { return s.y }
