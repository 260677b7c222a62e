package flow

import "math/bits"

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
