package placement

import (
	"math/bits"
	"math/rand/v2"
	"time"
)

// A Selector chooses idle instances. Its zero value is ready. It keeps its memory
// between calls and allocates nothing once the memory suffices. Two goroutines must
// not use it at once.
type Selector struct {
	rank []ranked
}

// A ranked instance: the lower (key, id) comes first.
type ranked struct {
	key time.Duration
	id  int
	pos int
}

func (a *ranked) before(b *ranked) bool {
	if a.key != b.key {
		return a.key < b.key
	}
	return a.id < b.id
}

// AppendSelect appends to dst the positions in idle of the n instances that the
// policy puts first. The chosen set does not depend on the order of idle, except
// with Random. The order of the positions in dst is not specified, but is the same
// for the same idle and the same draws. Only Random draws from rnd: n numbers, by
// rnd.IntN. idle is not modified. AppendSelect panics if n is negative, if idle has
// fewer than n instances, if the policy is unknown, or if the policy is Random and
// rnd is nil.
//
// Time: O(len(idle)) for n of 1 and for Random. Otherwise quickselect takes
// O(len(idle)) on the usual orders and O(len(idle)·log n) on the worst order.
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
	if n == 0 {
		return dst
	}
	if n == len(idle) && policy != Random {
		for i := range idle {
			dst = append(dst, i)
		}
		return dst
	}
	if n == 1 && policy != Random {
		best := ranked{policy.key(&idle[0]), idle[0].ID, 0}
		for i := 1; i < len(idle); i++ {
			if r := (ranked{policy.key(&idle[i]), idle[i].ID, i}); r.before(&best) {
				best = r
			}
		}
		return append(dst, best.pos)
	}
	s.rank = s.rank[:0]
	for i := range idle {
		s.rank = append(s.rank, ranked{policy.key(&idle[i]), idle[i].ID, i})
	}
	if policy == Random { // the first n steps of a Fisher-Yates shuffle
		for i := range n {
			j := i + rnd.IntN(len(s.rank)-i)
			s.rank[i], s.rank[j] = s.rank[j], s.rank[i]
		}
	} else {
		selectFirst(s.rank, n)
	}
	for _, r := range s.rank[:n] {
		dst = append(dst, r.pos)
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

// selectFirst brings the n first of a to its front: Hoare's quickselect with the
// median of three as pivot. After 2·log₂(len) partitions it falls back to selection
// by heap, so that no order of the input makes it quadratic. It stands here, and
// not in internal/selection, because its elements are structs: a comparison through
// a function would not be inlined.
func selectFirst(a []ranked, n int) {
	for budget := 2 * bits.Len(uint(len(a))); n > 0 && n < len(a); budget-- {
		if budget == 0 {
			heapSelect(a, n)
			return
		}
		m := partition(a)
		switch {
		case n <= m:
			a = a[:m]
		default:
			a, n = a[m:], n-m
		}
	}
}

// partition splits a, which has at least two elements, into two parts that are not
// empty. No element of the first part comes after an element of the second.
// partition returns the length of the first part.
func partition(a []ranked) int {
	lo, mid, hi := 0, (len(a)-1)/2, len(a)-1
	if a[mid].before(&a[lo]) {
		a[mid], a[lo] = a[lo], a[mid]
	}
	if a[hi].before(&a[mid]) {
		a[hi], a[mid] = a[mid], a[hi]
		if a[mid].before(&a[lo]) {
			a[mid], a[lo] = a[lo], a[mid]
		}
	}
	pivot := a[mid]
	for i, j := 0, len(a)-1; ; i, j = i+1, j-1 {
		for a[i].before(&pivot) {
			i++
		}
		for pivot.before(&a[j]) {
			j--
		}
		if i >= j {
			return j + 1
		}
		a[i], a[j] = a[j], a[i]
	}
}

// heapSelect brings the n first of a to its front with a heap of n elements, the
// last of the n on top.
func heapSelect(a []ranked, n int) {
	sift := func(i int) {
		for {
			c := 2*i + 1
			if c >= n {
				return
			}
			if c+1 < n && a[c].before(&a[c+1]) {
				c++
			}
			if !a[i].before(&a[c]) {
				return
			}
			a[i], a[c] = a[c], a[i]
			i = c
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		sift(i)
	}
	for i := n; i < len(a); i++ {
		if a[i].before(&a[0]) {
			a[i], a[0] = a[0], a[i]
			sift(0)
		}
	}
}
