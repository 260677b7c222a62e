package flow

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// The basis: a spanning tree of the nodes, held as a tree of segments.

// seg is a maximal run of nodes joined by slots in the basis, seen as one node
// of a tree. Its parent is reached over one purchase arc.
type seg struct {
	flow  int64 // of the arc to the parent
	cost  int64 // y[exit] - y[pnode]
	exit  int32 // own end of the arc
	pnode int32 // the parent's end of the arc, or -1 at the root
	kind  int32 // class<<1 | 1 if the arc runs from exit to pnode
	stamp uint32
	pos   int32
}

// initBasis sets up the basis of all slots on demand. total bounds half of any flow.
func (s *Solver) initBasis(total uint64) error {
	p, T := &s.prob, s.T
	s.n, s.sign = int64(T+2), -1
	if p.MaxActive != nil {
		s.sign = 1
	}
	s.reset()
	if s.steps {
		if err := s.initSteps(total); err != nil {
			return err
		}
	} else {
		for t := range s.x {
			demand, held := p.peak(t)
			s.x[t] = int64(demand-held)*s.n + s.sign*int64(t+1)
		}
	}
	s.initClasses()
	s.setLeft(0)
	s.seg[0] = seg{exit: int32(T), pnode: -1}
	return nil
}

// reset makes room for the simplex, with an empty tree.
func (s *Solver) reset() {
	T, p := s.T, &s.prob
	s.steps = p.First != nil || p.Prices != nil || p.MaxActive != nil
	s.x = grow.To(s.x, T)
	s.seg = grow.Zero(s.seg, T+1)
	s.sid = grow.To(s.sid, T+1)
	s.rt = grow.To(s.rt, T+1)
	s.off = grow.To(s.off, T+1)
	s.paths = grow.To(s.paths, 2*T+4)
	s.trail = [2][]place{s.paths[: T+2 : T+2], s.paths[T+2:]}
	s.runs = grow.To(s.runs, T+2)
	s.cand = grow.To(s.cand, T/minBlock+1)
	s.cnd2 = grow.To(s.cnd2, T/minBlock+1)
	s.w0 = grow.Zero(s.w0, T>>6+1)
	s.w1 = grow.Zero(s.w1, len(s.w0)>>6+1)
	s.stamp = 0
	if s.steps {
		s.kinksOf = grow.To(s.kinksOf, T+1)[:0]
	} else {
		s.buf = grow.To(s.buf, T+2)
	}
}

// initClasses sets up what the sweep and the steps read of the classes.
func (s *Solver) initClasses() {
	p := &s.prob
	s.longest, s.plain, s.capped = 1, !s.steps, false
	for _, c := range p.Classes {
		s.longest = max(s.longest, min(c.Term, s.T))
		s.plain = s.plain && c.Fees == nil && c.Max == 0
		s.capped = s.capped || c.Max > 0
	}
	if !s.capped {
		return
	}
	s.cap = grow.To(s.cap, len(p.Classes))
	for k, c := range p.Classes {
		s.cap[k] = inf
		if c.Max > 0 {
			s.cap[k] = int64(c.Max) * s.n
		}
	}
	s.upper = grow.Zero(s.upper, (len(p.Classes)*s.T+63)/64)
}

// left returns the leftmost node of the segment of node t.
func (s *Solver) left(t int32) int32 {
	w := uint(t) >> 6
	if b := s.w0[w] << (63 - uint(t)&63); b != 0 {
		return t - int32(bits.LeadingZeros64(b))
	}
	w--
	v := w >> 6
	c := s.w1[v] << (63 - w&63)
	for c == 0 {
		v--
		w = v<<6 | 63
		c = s.w1[v]
	}
	w -= uint(bits.LeadingZeros64(c))
	return int32(w<<6) + 63 - int32(bits.LeadingZeros64(s.w0[w]))
}

func (s *Solver) setLeft(t int32) {
	w := uint(t) >> 6
	s.w0[w] |= 1 << (uint(t) & 63)
	s.w1[w>>6] |= 1 << (w & 63)
}

func (s *Solver) clearLeft(t int32) {
	w := uint(t) >> 6
	s.w0[w] &^= 1 << (uint(t) & 63)
	if s.w0[w] == 0 {
		s.w1[w>>6] &^= 1 << (w & 63)
	}
}

// atUpper says whether the purchase of class k at slot t is outside the basis, at its cap.
func (s *Solver) atUpper(k, t int) bool {
	i := uint(k*s.T + t)
	return s.upper[i>>6]>>(i&63)&1 != 0
}

func (s *Solver) flipUpper(k, t int) {
	i := uint(k*s.T + t)
	s.upper[i>>6] ^= 1 << (i & 63)
}

func (s *Solver) feeAt(k, t int) int64 {
	c := &s.prob.Classes[k]
	if c.Fees != nil {
		return c.Fees[t]
	}
	return c.Fee
}

// bought returns the purchases of the arc from a segment to its parent, a Count of 0 if there are none.
func (s *Solver) bought(g *seg) Purchase {
	if g.pnode < 0 {
		return Purchase{}
	}
	// A basic arc's perturbed flow is n times its true flow, plus or minus a
	// number from 1 to n-1: plus if the perturbation of the nodes behind the
	// arc, seen from node T, runs with it. So it is rounded down or up.
	up, down := int64(0), s.n-1 // what to add to arcs that run to the parent, and from it
	if s.sign < 0 {
		up, down = down, up
	}
	if g.kind&1 != 0 {
		return Purchase{int(g.exit), int(g.kind >> 1), int((g.flow + up) / s.n)}
	}
	return Purchase{int(g.pnode), int(g.kind >> 1), int((g.flow + down) / s.n)}
}
