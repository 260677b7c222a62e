package rules

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// absent is the key of a cell that holds nothing. It ranks below all others.
const absent = math.MinInt64

// A top is a row of cells with keys that knows its k-th largest. Two heaps share
// one array of cells: order[:k] is a min-heap of the k largest, order[k:] a
// max-heap of the rest, so that order[0] has the k-th largest. To set a cell is
// O(log n), to look O(1).
type top struct {
	key   []int64
	order []int32 // by position in the heaps, cell
	pos   []int32 // by cell, position
	k     int     // more than there are cells: the k-th largest is absent
}

// reset makes n cells, all absent.
func (w *top) reset(n int, k int64) {
	w.key = grow.To(w.key, n)
	w.order = grow.To(w.order, n)
	w.pos = grow.To(w.pos, n)
	w.k = int(min(k, int64(n)+1))
	for i := range w.key {
		w.key[i] = absent
		w.order[i] = int32(i)
		w.pos[i] = int32(i)
	}
}

// kth is the k-th largest key, or absent if fewer than k are present.
func (w *top) kth() int64 {
	if w.k > len(w.key) {
		return absent
	}
	return w.key[w.order[0]]
}

// set gives cell c the key v.
func (w *top) set(c int, v int64) {
	old := w.key[c]
	w.key[c] = v
	if old == v || w.k > len(w.key) {
		return
	}
	p, k, n := int(w.pos[c]), w.k, len(w.key)
	switch {
	case p < k && v < old:
		w.up(p, 0, false)
	case p < k:
		w.down(p, 0, k, false)
	case v > old:
		w.up(p-k, k, true)
	default:
		w.down(p-k, k, n-k, true)
	}
	if k < n && w.key[w.order[0]] < w.key[w.order[k]] {
		w.swap(0, k)
		w.down(0, 0, k, false)
		w.down(0, k, n-k, true)
	}
}

func (w *top) swap(i, j int) {
	a, b := w.order[i], w.order[j]
	w.order[i], w.order[j] = b, a
	w.pos[a], w.pos[b] = int32(j), int32(i)
}

// before reports whether position i belongs above j in a heap.
func (w *top) before(i, j int, largest bool) bool {
	a, b := w.key[w.order[i]], w.key[w.order[j]]
	if largest {
		return a > b
	}
	return a < b
}

func (w *top) up(i, base int, largest bool) {
	for i > 0 {
		j := (i - 1) / 2
		if !w.before(base+i, base+j, largest) {
			return
		}
		w.swap(base+i, base+j)
		i = j
	}
}

func (w *top) down(i, base, n int, largest bool) {
	for {
		j := 2*i + 1
		if j >= n {
			return
		}
		if j+1 < n && w.before(base+j+1, base+j, largest) {
			j++
		}
		if !w.before(base+j, base+i, largest) {
			return
		}
		w.swap(base+i, base+j)
		i = j
	}
}
