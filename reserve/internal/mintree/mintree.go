// Package mintree finds least numbers of ranges, to which numbers are added.
package mintree

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A Tree holds numbers in a row and has two operations, each O(log n): add a number to all numbers
// of a range, and find the least number of a range. HGR has one tree for windows and one for slots.
//
// A Tree is a complete binary tree in an array, with the numbers at the leaves. add[v] is still to
// be added to all leaves below node v. least[v] is the least number below v, without the add of the
// nodes above v:
//
//	least[v] = min(least[2v], least[2v+1]) + add[v]
//
// An operation never moves an add down to the children: it walks from the two ends of its range to
// the root.
type Tree struct {
	size  int // a power of two; leaves are size..2·size-1
	least []int64
	add   []int64
}

// None is the number of a leaf that is not there. At most n·d ≤ 2⁶² is subtracted from a
// leaf in all, so None stays above every demand.
const None = math.MaxInt64

// Reset makes room for n numbers, all [None]. The caller sets numbers with Set and then calls
// Build.
func (t *Tree) Reset(n int) {
	t.size = 1 << bits.Len(uint(max(1, n)-1))
	t.add = grow.Zero(t.add, t.size)
	t.least = grow.Zero(t.least, 2*t.size)
	for i := range t.least {
		t.least[i] = None
	}
}

// Set sets number i, before Build.
func (t *Tree) Set(i int, x int64) { t.least[t.size+i] = x }

// Least returns the least of all numbers.
func (t *Tree) Least() int64 { return t.least[1] }

// Build makes the tree of the numbers that were set.
func (t *Tree) Build() {
	for v := t.size - 1; v > 0; v-- {
		t.least[v] = min(t.least[2*v], t.least[2*v+1])
	}
}

// pull brings the ancestors of v up to date.
func (t *Tree) pull(v int) {
	for v >>= 1; v > 0; v >>= 1 {
		t.least[v] = min(t.least[2*v], t.least[2*v+1]) + t.add[v]
	}
}

// Plus adds x to the numbers from l up to before r.
func (t *Tree) Plus(l, r int, x int64) {
	if l >= r {
		return
	}
	l, r = l+t.size, r+t.size
	first, last := l, r-1
	for ; l < r; l, r = l>>1, r>>1 {
		if l&1 == 1 {
			t.apply(l, x)
			l++
		}
		if r&1 == 1 {
			r--
			t.apply(r, x)
		}
	}
	t.pull(first)
	t.pull(last)
}

func (t *Tree) apply(v int, x int64) {
	t.least[v] += x
	if v < t.size {
		t.add[v] += x
	}
}

// Min returns the least of the numbers from l up to before r, where l < r.
func (t *Tree) Min(l, r int) int64 {
	l, r = l+t.size, r-1+t.size
	a, b := t.least[l], t.least[r]
	for l>>1 != r>>1 {
		if l&1 == 0 {
			a = min(a, t.least[l+1])
		}
		if r&1 == 1 {
			b = min(b, t.least[r-1])
		}
		l, r = l>>1, r>>1
		a, b = a+t.add[l], b+t.add[r]
	}
	x := min(a, b) // siblings, or one leaf
	for l >>= 1; l > 0; l >>= 1 {
		x += t.add[l]
	}
	return x
}

// First returns the index of the first of the least numbers.
func (t *Tree) First() int {
	v := 1
	for v < t.size {
		v *= 2
		if t.least[v+1] < t.least[v] {
			v++
		}
	}
	return v - t.size
}

// Last returns the index of the last of the least numbers.
func (t *Tree) Last() int {
	v := 1
	for v < t.size {
		v *= 2
		if t.least[v+1] <= t.least[v] {
			v++
		}
	}
	return v - t.size
}

// Remove makes number i None.
func (t *Tree) Remove(i int) {
	t.least[t.size+i] = None
	t.pull(t.size + i)
}
