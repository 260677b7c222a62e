package reserve

import (
	"math/bits"
	"slices"
)

// kthLargest returns the k-th largest of s, 1 ≤ k ≤ len(s), and changes the order
// of s. It is quickselect with a median of three as the pivot; after too many
// pivots it sorts what is left. O(n) time in the average, O(n·log n) at worst.
func kthLargest(s []int, k int) int {
	i := len(s) - k // index in rising order
	for tries := 2 * bits.Len(uint(len(s))); len(s) > 12; tries-- {
		if tries == 0 {
			break
		}
		a, b, c := s[0], s[len(s)/2], s[len(s)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		// s[:lo] < pivot, s[lo:at] = pivot, s[hi:] > pivot
		lo, at, hi := 0, 0, len(s)
		for at < hi {
			switch x := s[at]; {
			case x < pivot:
				s[lo], s[at] = x, s[lo]
				lo++
				at++
			case x > pivot:
				hi--
				s[hi], s[at] = x, s[hi]
			default:
				at++
			}
		}
		switch {
		case i < lo:
			s = s[:lo]
		case i >= hi:
			s, i = s[hi:], i-hi
		default:
			return pivot
		}
	}
	slices.Sort(s)
	return s[i]
}
