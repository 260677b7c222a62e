// Package selection finds the k-th smallest of a slice without sorting it.
package selection

import (
	"cmp"
	"math/bits"
	"slices"
)

// few is a length at which insertion sort is faster than another partition.
const few = 12

// Kth returns the k-th smallest of a, counted from 0, and reorders a so that it
// stands at index k, none before it is greater and none after it is less. It
// panics if k is not an index of a. A NaN in a makes the result meaningless.
//
// The idea is quickselect: split at the median of the first, the middle and the
// last element, and go on with the part that k is in. Scans stop at elements
// equal to the pivot, so that equal elements end up in both parts and many of
// them do not make it slow. After 2·log₂(len) splits the rest is sorted, so that
// no order of the input makes it quadratic. The result and the order left behind
// depend on the input alone. Time: O(len) in the average, O(len·log len) at worst.
func Kth[T cmp.Ordered](a []T, k int) T {
	_ = a[k]
	lo, hi := 0, len(a)-1
	for budget := 2 * bits.Len(uint(len(a))); hi-lo >= few; budget-- {
		if budget == 0 {
			slices.Sort(a[lo : hi+1])
			return a[k]
		}
		p, q, r := a[lo], a[lo+(hi-lo)/2], a[hi]
		if p > q {
			p, q = q, p
		}
		if q > r {
			q = max(p, r)
		}
		i, j := lo, hi
		for i <= j {
			for a[i] < q {
				i++
			}
			for a[j] > q {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		// a[lo:j+1] ≤ q ≤ a[i:hi+1], and what is between is q.
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return a[k]
		}
	}
	for i := lo + 1; i <= hi; i++ {
		v := a[i]
		j := i
		for j > lo && a[j-1] > v {
			a[j] = a[j-1]
			j--
		}
		a[j] = v
	}
	return a[k]
}
