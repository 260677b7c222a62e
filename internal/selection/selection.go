// Package selection finds the k-th smallest of a slice without sorting it.
package selection

import (
	"cmp"
	"math/bits"
	"slices"
)

// few is a length at which insertion sort is faster than another partition.
const few = 12

// Kth returns the k-th smallest element of a, counted from 0, and reorders a. After the call, a[k]
// is the result, no element before index k is greater, and no element after index k is less. Kth
// panics if k is not an index of a. With a NaN in a, the result has no meaning.
//
// The algorithm is quickselect: split at the median of the first, the middle and the last element,
// and go on with the part that contains index k. Scans stop at elements equal to the pivot, so
// equal elements end up in both parts, and many equal elements do not make Kth slow. After
// 2·log₂(len) splits Kth sorts the rest, so no order of the input takes quadratic time. The result
// and the new order depend on the input alone. Time: O(len) on average, O(len·log len) at worst.
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
