package flow

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/selection"
)

// kth reorders b so that b[:k+1] holds its k+1 smallest, and returns the
// largest of them, b[k]. With k = 0 only b[0] is meaningful afterwards.
func kth(b []int64, k int) int64 {
	if k == 0 {
		b[0] = slices.Min(b)
		return b[0]
	}
	return selection.Kth(b, k)
}

// wselect returns the smallest at such that the weights of the breakpoints up
// to at sum to v or more, and whether there is one. It reorders b.
func wselect(b []wbp, v int64) (int64, bool) {
	for len(b) > 12 {
		n := len(b) - 1
		p, q, r := b[0].at, b[n/2].at, b[n].at
		if p > q {
			p, q = q, p
		}
		if q > r {
			q = max(p, r)
		}
		i, j := 0, n
		for i <= j {
			for b[i].at < q {
				i++
			}
			for b[j].at > q {
				j--
			}
			if i <= j {
				b[i], b[j] = b[j], b[i]
				i++
				j--
			}
		}
		// b[:i] are at most q, b[i:] at least q.
		var w int64
		for _, e := range b[:i] {
			w += e.w
			if w >= v {
				break
			}
		}
		if w >= v {
			if i == len(b) {
				b = b[:i] // cannot happen: the median of three stops both scans
				break
			}
			b = b[:i]
		} else {
			v -= w
			b = b[i:]
		}
	}
	for i := 1; i < len(b); i++ {
		e := b[i]
		j := i
		for j > 0 && b[j-1].at > e.at {
			b[j] = b[j-1]
			j--
		}
		b[j] = e
	}
	for _, e := range b {
		if v -= e.w; v <= 0 {
			return e.at, true
		}
	}
	return 0, false
}
