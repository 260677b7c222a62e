package rules

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A slotSet is a set of slots, as a tree of words of 64 bits: a bit of a word says whether the
// word below it is not zero. Each operation takes one or two words a level, five for 2³⁰ slots.
type slotSet struct {
	tree [6][]uint64
	high int // number of levels
}

// reset empties the set and gives it room for the slots below n.
func (s *slotSet) reset(n int) {
	for s.high = 0; ; s.high++ {
		n = (n + 63) / 64
		s.tree[s.high] = grow.Zero(s.tree[s.high], max(1, n))
		if n <= 1 {
			s.high++
			return
		}
	}
}

func (s *slotSet) has(i int) bool { return s.tree[0][i>>6]>>(i&63)&1 != 0 }

func (s *slotSet) add(i int) {
	for k := range s.high {
		w := &s.tree[k][i>>6]
		was := *w
		if *w |= 1 << (i & 63); was != 0 {
			return
		}
		i >>= 6
	}
}

func (s *slotSet) remove(i int) {
	for k := range s.high {
		w := &s.tree[k][i>>6]
		if *w &^= 1 << (i & 63); *w != 0 {
			return
		}
		i >>= 6
	}
}

// prev returns the largest element that is at most i, -1 if there is none.
func (s *slotSet) prev(i int) int {
	for k := 0; k < s.high && i >= 0; k++ {
		if w := s.tree[k][i>>6] << (63 - i&63); w != 0 {
			i -= bits.LeadingZeros64(w)
			for ; k > 0; k-- {
				i = i<<6 + 63 - bits.LeadingZeros64(s.tree[k-1][i])
			}
			return i
		}
		i = i>>6 - 1
	}
	return -1
}

// next returns the least element that is at least i, -1 if there is none.
func (s *slotSet) next(i int) int {
	for k := 0; k < s.high && i>>6 < len(s.tree[k]); k++ {
		if w := s.tree[k][i>>6] >> (i & 63); w != 0 {
			i += bits.TrailingZeros64(w)
			for ; k > 0; k-- {
				i = i<<6 + bits.TrailingZeros64(s.tree[k-1][i])
			}
			return i
		}
		i = i>>6 + 1
	}
	return -1
}
