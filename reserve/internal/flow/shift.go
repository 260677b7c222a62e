package flow

import "math/bits"

// The live tree.
//
// Three of four candidates of a sweep are no longer violated when their turn comes, where
// demand changes slowly: there, cycles are chains of a hundred terms that touch. To walk the
// cycle only to find that out takes most of the time. So a step also moves the potentials:
// those of the part of the tree that it hangs elsewhere, and those beyond each slot whose
// slope it changes. Then two potentials tell whether a candidate is violated.
//
// A part may be most of the tree. So a step may move only as many potentials as the
// candidates that were refused without a walk have paid for (bank). If a step needs more, the
// potentials stay as they are, candidates are walked again, and the next sweep computes
// all of them. Time is therefore at most a constant times that of walking alone.

// link enters the arc from node q to the child whose end of the arc is node e.
func (s *Solver) link(e, q int32) {
	h := s.head[q]
	s.next[e], s.prev[e] = h, -1
	if h >= 0 {
		s.prev[h] = e
	}
	s.head[q] = e
}

// unlink takes the arc from node q to node e out.
func (s *Solver) unlink(e, q int32) {
	n, p := s.next[e], s.prev[e]
	if n >= 0 {
		s.prev[n] = p
	}
	if p >= 0 {
		s.next[p] = n
	} else {
		s.head[q] = n
	}
}

// slope returns z of a slot in the basis.
func (s *Solver) slope(t int32) int64 {
	switch {
	case s.steps:
		return s.edges[t].left
	case s.general:
		return s.price[t] & (-s.x[t] >> 63)
	}
	return s.prob.Price & (-s.x[t] >> 63)
}

// violation returns by how much the live potentials violate the condition of a candidate that is outside the basis: it
// is above 0 if they still ask for it.
func (s *Solver) violation(c cand) int64 {
	y := s.y
	if c.k == slotUp || c.k == slotDn {
		z := y[c.t+1] - y[c.t]
		switch {
		case c.k == slotDn && s.steps:
			return s.edges[c.t].left - z
		case c.k == slotDn:
			return -z
		case s.steps:
			return z - s.edges[c.t].right
		case s.general && s.x[c.t] < 0:
			return z
		case s.general:
			return z - s.price[c.t]
		}
		return z - s.prob.Price
	}
	k, sign := int(c.k), int64(1)
	if k < 0 {
		k, sign = unbuy-k, -1
	}
	end := min(s.T, int(c.t)+s.prob.Classes[k].Term)
	return (y[end] - y[c.t] - s.feeAt(k, int(c.t))) * sign
}

// repair brings live potentials up to date after a step: at the slots that were passed
// and, if u is not negative, at the arc from the segment of node u to its parent. It goes
// from the apex of the cycle down, so that each potential moves once.
func (s *Solver) repair(u int32) {
	if !s.live {
		return
	}
	y := s.y
	for i := len(s.passed) - 1; i >= 0 && s.live; i-- {
		t := s.passed[i]
		if s.w0[uint(t+1)>>6]>>(uint(t+1)&63)&1 != 0 {
			continue // the slot has left the basis
		}
		d := s.slope(t) - (y[t+1] - y[t])
		if d == 0 {
			continue
		}
		l, r := s.span(t)
		if s.seg[l].exit <= t { // the root is to the left
			s.shift(l, t+1, t+1, r, d)
		} else {
			s.shift(l, t, l, t, -d)
		}
	}
	if u >= 0 && s.live {
		l, r := s.span(u)
		g := &s.seg[l]
		if d := y[g.pnode] + g.cost - y[g.exit]; d != 0 {
			s.shift(l, g.exit, l, r, d)
		}
	}
}

// shift adds d to the potential of node e, and moves those of the nodes lo to hi, around e
// and in the segment whose left end is l, and those of all nodes below. If the bank does
// not suffice, the tree is no longer live.
func (s *Solver) shift(l, e, lo, hi int32, d int64) {
	todo := s.rt[:0] // which only potentials needs otherwise
	y, it := s.y, s.it
	for {
		n := int(hi-lo) + 1
		s.Stats.Shifted += n
		if s.bank -= n + 3; s.bank < 0 {
			s.live = false
			return
		}
		done := len(todo)
		for _, c := range s.head[lo : hi+1] {
			for ; c >= 0; c = s.next[c] {
				todo = append(todo, c)
			}
		}
		// Off the trail from a, all moves alike, also what is below. (A slot that was passed on
		// the trail from b moves what is beyond it in its own turn.)
		if it-s.seg[l].stamp > 1 {
			q := y[lo : hi+1]
			for i := range q {
				q[i] += d
			}
			for n := len(todo) - 1; n >= done; n = len(todo) - 1 {
				lo, hi := s.span(todo[n])
				todo = todo[:n]
				n = int(hi-lo) + 1
				s.Stats.Shifted += n
				if s.bank -= n + 3; s.bank < 0 {
					s.live = false
					return
				}
				q, h := y[lo:hi+1], s.head[lo:hi+1]
				for i := range q {
					q[i] += d
					for c := h[i]; c >= 0; c = s.next[c] {
						todo = append(todo, c)
					}
				}
			}
		} else {
			y[e] += d
			for t := e; t > lo; t-- {
				y[t-1] = y[t] - s.slope(t-1)
			}
			for t := e; t < hi; t++ {
				y[t+1] = y[t] + s.slope(t)
			}
		}
		for {
			n := len(todo)
			if n == 0 {
				return
			}
			e = todo[n-1]
			todo = todo[:n-1]
			lo, hi = s.span(e)
			l = lo
			g := &s.seg[l]
			if d = y[g.pnode] + g.cost - y[e]; d != 0 {
				break
			}
		}
	}
}

// span returns the leftmost and the rightmost node of the segment of node t.
func (s *Solver) span(t int32) (l, r int32) {
	w, b := uint(t)>>6, uint(t)&63
	word := s.w0[w]
	if below := word << (63 - b); below != 0 {
		l = t - int32(bits.LeadingZeros64(below))
	} else {
		l = s.left(t)
	}
	if above := word >> b >> 1; above != 0 {
		return l, t + int32(bits.TrailingZeros64(above))
	}
	for w++; int(w) < len(s.w0); w++ {
		if word := s.w0[w]; word != 0 {
			return l, int32(w<<6) + int32(bits.TrailingZeros64(word)) - 1
		}
	}
	return l, int32(s.T)
}
