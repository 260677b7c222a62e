package preempt

import (
	"math"
	"math/bits"
)

// AppendLowest appends to dst the nodes that a vector of values gives up: the
// take nodes with the lowest values, of equal ones those with the lowest
// numbers, in the order of their numbers. values is not modified. That it has a
// value for each node of the partition is the caller's to see to: there is nothing
// here to hold its length against.
//
// The error is an [*InputError] if take is negative or more than there are
// nodes, or if a value is not a number from 0 to 1; dst is then returned as it
// was given: nothing is taken.
//
// Time: O(nodes) on the usual orders, by quickselect for the highest value that
// is taken, and O(nodes·log nodes) on the worst.
func (s *Scorer) AppendLowest(dst []int, values []float64, take int) ([]int, error) {
	if err := checkTake(take, len(values)); err != nil {
		return dst, err
	}
	for n, v := range values {
		if !(v >= 0 && v <= 1) {
			return dst, badInput("Values", n, ErrRange, "%v: want a number from 0 to 1", v)
		}
	}
	if take == 0 {
		return dst, nil
	}
	s.copied = append(s.copied[:0], values...)
	limit := kth(s.copied, take-1)
	equal := take // nodes of the value limit that are taken
	for _, v := range values {
		if v < limit {
			equal--
		}
	}
	for n, v := range values {
		if v < limit {
			dst = append(dst, n)
		} else if v == limit && equal > 0 {
			dst = append(dst, n)
			equal--
		}
	}
	return dst, nil
}

func checkTake(take, nodes int) error {
	if take < 0 {
		return badInput("Take", -1, ErrRange, "%d nodes: want a number that is not negative", take)
	}
	if take > nodes {
		return badInput("Take", -1, ErrTooMany, "%d nodes of %d: want no more than there are", take, nodes)
	}
	return nil
}

// kth returns what would stand at index k if a were sorted. It reorders a.
//
// Quickselect in three parts, below, equal to and above a pivot, since vectors
// have few different values: all nodes of a job have one. After 2·log₂(len)
// rounds it bisects the range of values instead, in 62 passes at most, so that
// no order of the input makes it quadratic: numbers from 0 to 1 are in the same
// order as their bits.
func kth(a []float64, k int) float64 {
	for budget := 2 * bits.Len(uint(len(a))); len(a) > 1; budget-- {
		if budget == 0 {
			return bisect(a, k)
		}
		pivot := median(a[0], a[len(a)/2], a[len(a)-1])
		below, above := 0, len(a) // a[:below] < pivot, a[above:] > pivot
		for i := 0; i < above; {
			switch v := a[i]; {
			case v < pivot:
				a[i], a[below] = a[below], v
				below++
				i++
			case v > pivot:
				above--
				a[i], a[above] = a[above], v
			default:
				i++
			}
		}
		switch {
		case k < below:
			a = a[:below]
		case k >= above:
			a, k = a[above:], k-above
		default:
			return pivot
		}
	}
	return a[k]
}

func median(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// bisect returns the least x for which more than k elements of a are at most x.
func bisect(a []float64, k int) float64 {
	lo, hi := uint64(0), math.Float64bits(1)
	for lo < hi {
		mid := lo + (hi-lo)/2
		count := 0
		for _, v := range a {
			if math.Float64bits(v+0) <= mid { // -0 has the bits of 0, then
				count++
			}
		}
		if count > k {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return math.Float64frombits(lo)
}

// AppendHit appends to dst the jobs that lose a node when the nodes are taken,
// each once, in the order of State.Jobs. All of such a job's nodes stop working
// for it, whether they are taken or not.
//
// The error is an [*InputError] for a state that makes no sense and for a node
// that is not one of it; dst is then returned as it was given. A node that
// comes twice counts once. Time: O(jobs + nodes of the state).
func (s *Scorer) AppendHit(dst []int, st State, nodes []int) ([]int, error) {
	if err := s.census.check(&st); err != nil {
		return dst, err
	}
	for i, n := range nodes {
		if uint(n) >= uint(len(st.Node)) {
			return dst, badInput("Nodes", i, ErrRange, "node %d of %d: want an index of State.Node", n, len(st.Node))
		}
	}
	if cap(s.hit) < len(st.Jobs) {
		s.hit = make([]bool, len(st.Jobs))
	}
	s.hit = s.hit[:len(st.Jobs)]
	clear(s.hit)
	for _, n := range nodes {
		if j := st.Node[n]; j != Idle {
			s.hit[j] = true
		}
	}
	for j, hit := range s.hit {
		if hit {
			dst = append(dst, j)
		}
	}
	return dst, nil
}
