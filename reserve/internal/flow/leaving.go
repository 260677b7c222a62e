package flow

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/selection"
)

// The leaving arc, found by a long step.
//
// gain is what a unit around the cycle saves, without the slots' cost. Each slot that the cycle
// walks to the left saves its price while its flow is above 0, and each slot walked to the right costs its
// price then. So each breakpoint lowers the saving. The step ends at the breakpoint where nothing is saved any more, or
// where a purchase arc can take no more units.

// findLeaving returns how many units to push around the cycle, 0 if that saves nothing.
func (s *Solver) findLeaving(c cand, gain, room int64, slots int) (theta int64) {
	if s.steps {
		own := run{} // the entering slot has breakpoints too
		if c.k == slotUp || c.k == slotDn {
			own = run{lo: c.t, hi: c.t + 1, neg: slotDn - c.k} // -1 rising, 0 falling
		}
		return s.longStepSteps(gain, room, own)
	}
	return s.longStep(gain, room, slots)
}

// longStep counts the slots on demand, and so the breakpoints to cross. Then it keeps only as many.
func (s *Solver) longStep(gain, room int64, slots int) (theta int64) {
	x, buf, p := s.x, s.buf, s.prob.Price
	var saving int64
	for i := range s.runs {
		r := &s.runs[i]
		var c uint64
		for _, w := range x[r.lo:r.hi] {
			c += uint64(-w) >> 63
		}
		neg := int64(r.neg)
		saving += (int64(c) ^ neg) - neg
	}
	gain += saving * p
	if gain <= 0 {
		return 0
	}
	m := slots + 1
	if q := (gain + p - 1) / p; q < int64(m) {
		m = int(q)
	}
	// Keep the m smallest breakpoints below room, cutting back when 2m+32 are held.
	n, lim, most := 0, min(2*m+32, len(buf)), room
	for i := range s.runs {
		r := &s.runs[i]
		neg := int64(r.neg)
		for _, w := range x[r.lo:r.hi] {
			w = (w ^ neg) - neg
			if uint64(w-1) < uint64(most-1) {
				if n == lim {
					most = kth(buf[:n], m-1)
					n = m
					if w >= most {
						continue
					}
				}
				buf[n] = w
				n++
			}
		}
	}
	if n >= m {
		return kth(buf[:n], m-1)
	}
	return room
}

// kth reorders b so that b[:k+1] holds its k+1 smallest, and returns the
// largest of them, b[k]. With k = 0 only b[0] is meaningful afterwards.
func kth(b []int64, k int) int64 {
	if k == 0 {
		b[0] = slices.Min(b)
		return b[0]
	}
	return selection.Kth(b, k)
}
