package flow

// kth reorders b so that b[:k+1] holds its k+1 smallest, and returns the
// largest of them, b[k].
func kth(b []int64, k int) int64 {
	if k == 0 {
		m := b[0]
		for _, v := range b[1:] {
			m = min(m, v)
		}
		b[0] = m // the rest is not needed
		return m
	}
	lo, hi := 0, len(b)-1
	for hi-lo >= 12 {
		p, q, r := b[lo], b[lo+(hi-lo)/2], b[hi]
		if p > q {
			p, q = q, p
		}
		if q > r {
			q = max(p, r)
		}
		i, j := lo, hi
		for i <= j {
			for b[i] < q {
				i++
			}
			for b[j] > q {
				j--
			}
			if i <= j {
				b[i], b[j] = b[j], b[i]
				i++
				j--
			}
		}
		if k <= j {
			hi = j
		} else if k >= i {
			lo = i
		} else {
			return b[k]
		}
	}
	for i := lo + 1; i <= hi; i++ {
		v := b[i]
		j := i
		for j > lo && b[j-1] > v {
			b[j] = b[j-1]
			j--
		}
		b[j] = v
	}
	return b[k]
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
