package placement

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/selection"
)

// A Selector chooses idle instances. Its zero value is ready. It keeps its memory
// between calls and allocates nothing once the memory suffices. Two goroutines must
// not use it at once.
type Selector struct {
	keys      []time.Duration // of the instances, twice: in the order of idle, and in any order
	positions []int           // then the IDs of the instances that tie for the last place
}

// AppendSelect appends to dst the positions in idle of the n instances that the policy ranks first.
// The chosen set does not depend on the order of idle, except with Random. The order of the
// positions in dst is not specified, but is the same for the same idle and the same draws. Only
// Random draws from rnd: n numbers, by rnd.IntN. AppendSelect does not modify idle. It panics if n
// is negative, if idle has fewer than n instances, if the policy is unknown, or if the policy is
// Random and rnd is nil.
//
// Time: O(len(idle)) for n of 1 and for Random. Otherwise quickselect takes O(len(idle)) on the
// usual orders and O(len(idle)·log len(idle)) on the worst order.
func (s *Selector) AppendSelect(dst []int, idle []Instance, n int, policy Policy, rnd *rand.Rand) []int {
	if n < 0 {
		panic("placement: selection of a negative number")
	}
	if n > len(idle) {
		panic("placement: selection of more instances than are idle")
	}
	if !policyTable.Valid(policy) {
		panic("placement: unknown policy")
	}
	if policy == Random && rnd == nil {
		panic("placement: nil source of randomness")
	}
	switch {
	case n == 0:
		return dst
	case policy == Random: // the first n steps of a Fisher-Yates shuffle
		s.positions = s.positions[:0]
		for i := range idle {
			s.positions = append(s.positions, i)
		}
		for i := range n {
			j := i + rnd.IntN(len(idle)-i)
			s.positions[i], s.positions[j] = s.positions[j], s.positions[i]
		}
		return append(dst, s.positions[:n]...)
	case n == 1:
		best := 0
		for i := range idle {
			if k, least := policy.key(&idle[i]), policy.key(&idle[best]); k < least || k == least && idle[i].ID < idle[best].ID {
				best = i
			}
		}
		return append(dst, best)
	}
	s.keys, s.positions = grow.To(s.keys, 2*len(idle)), s.positions[:0]
	keys, order := s.keys[:len(idle)], s.keys[len(idle):]
	for i := range idle {
		keys[i] = policy.key(&idle[i])
	}
	copy(order, keys)
	limit := selection.Kth(order, n-1)
	ids := s.positions
	for i, k := range keys {
		if k < limit {
			dst = append(dst, i)
			n--
		} else if k == limit {
			ids = append(ids, idle[i].ID)
		}
	}
	s.positions = ids
	last := selection.Kth(ids, n-1) // of the instances of key limit, the n of the lowest IDs go
	for i, k := range keys {
		if k == limit && idle[i].ID <= last && n > 0 {
			dst = append(dst, i)
			n--
		}
	}
	return dst
}

// key returns the sort key of an instance: the policy takes the least keys.
func (p Policy) key(in *Instance) time.Duration {
	switch p {
	case MaxMarginFirst:
		return -in.Due
	case MinMarginFirst:
		return in.Due
	case MaxIdleFirst:
		return in.Since
	case MinIdleFirst:
		return -in.Since
	}
	return 0
}
