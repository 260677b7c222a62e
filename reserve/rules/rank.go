package rules

import (
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A ranking answers, for a set of slots that changes by one slot at a time, what
// its k-th largest demand is. It is a Fenwick tree of counts over the distinct
// values of the demand: O(log n) for a change and for an answer, O(n·log n) to
// begin.
type ranking struct {
	values []int   // distinct demands, rising
	rank   []int32 // by slot, index into values
	count  []int32 // Fenwick tree over the values, from 1
	top    int     // the largest power of two ≤ len(values)
	slots  int     // in the set
}

// sortValues prepares values and ranks of the demand; keys is its memory.
func (r *ranking) sortValues(demand []int, keys []uint64) []uint64 {
	keys = slices.Grow(keys[:0], len(demand))
	for t, d := range demand {
		keys = append(keys, uint64(d)<<32|uint64(t))
	}
	slices.Sort(keys)
	r.values = slices.Grow(r.values[:0], len(demand))
	r.rank = grow.To(r.rank, len(demand))
	for _, key := range keys {
		d := int(key >> 32)
		if len(r.values) == 0 || r.values[len(r.values)-1] != d {
			r.values = append(r.values, d)
		}
		r.rank[uint32(key)] = int32(len(r.values) - 1)
	}
	r.top = 1 << bits.Len(uint(len(r.values))) >> 1
	return keys
}

// share takes over the values and ranks of q, for another set of its slots.
func (r *ranking) share(q *ranking) { r.values, r.rank, r.top = q.values, q.rank, q.top }

// empty takes all slots out of the set.
func (r *ranking) empty() {
	r.count = grow.Zero(r.count, len(r.values)+1)
	r.slots = 0
}

// put adds slot t, or takes it out with by = -1.
func (r *ranking) put(t int, by int32) {
	r.slots += int(by)
	for i := int(r.rank[t]) + 1; i < len(r.count); i += i & -i {
		r.count[i] += by
	}
}

// kth returns the k-th largest demand of the slots in the set, 0 if they are
// fewer than k ≥ 1.
func (r *ranking) kth(k int64) int {
	if k > int64(r.slots) {
		return 0
	}
	rest := int32(r.slots - int(k)) // slots with a smaller demand, at most
	at := 0
	for step := r.top; step > 0; step >>= 1 {
		if next := at + step; next < len(r.count) && r.count[next] <= rest {
			at = next
			rest -= r.count[next]
		}
	}
	return r.values[at]
}
