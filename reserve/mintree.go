package reserve

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A minTree holds numbers and has two operations, each O(log n): add to all numbers of a
// range, and find the least number of a range.
//
// The tree is a complete binary tree in an array, with the numbers at the leaves. add[v] has
// been added to all numbers below v. least[v] is the least number below v, without the
// additions above v:
//
//	least[v] = min(least[2v], least[2v+1]) + add[v]
//
// So nothing is ever pushed down, and an operation walks from two leaves to the root. [HGR]
// has one tree for windows and one for slots.
type minTree struct {
	size  int // a power of two; leaves are size..2·size-1
	least []int64
	add   []int64
}

// none is the number of a leaf that is not there. At most n·d ≤ 2⁶² is subtracted from a
// leaf in all, so none stays above every demand.
const none = math.MaxInt64

// reset makes room for n numbers, all none. The caller sets leaves by
// least[size+i] = x and then calls build.
func (t *minTree) reset(n int) {
	t.size = 1 << bits.Len(uint(max(1, n)-1))
	t.add = grow.Zero(t.add, t.size)
	t.least = grow.Zero(t.least, 2*t.size)
	for i := range t.least {
		t.least[i] = none
	}
}

func (t *minTree) build() {
	for v := t.size - 1; v > 0; v-- {
		t.least[v] = min(t.least[2*v], t.least[2*v+1])
	}
}

// pull brings the ancestors of v up to date.
func (t *minTree) pull(v int) {
	for v >>= 1; v > 0; v >>= 1 {
		t.least[v] = min(t.least[2*v], t.least[2*v+1]) + t.add[v]
	}
}

// plus adds x to the numbers from l up to before r.
func (t *minTree) plus(l, r int, x int64) {
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

func (t *minTree) apply(v int, x int64) {
	t.least[v] += x
	if v < t.size {
		t.add[v] += x
	}
}

// min returns the least of the numbers from l up to before r, where l < r.
func (t *minTree) min(l, r int) int64 {
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

// first returns the index of the first of the least numbers.
func (t *minTree) first() int {
	v := 1
	for v < t.size {
		v *= 2
		if t.least[v+1] < t.least[v] {
			v++
		}
	}
	return v - t.size
}

// last returns the index of the last of the least numbers.
func (t *minTree) last() int {
	v := 1
	for v < t.size {
		v *= 2
		if t.least[v+1] <= t.least[v] {
			v++
		}
	}
	return v - t.size
}

// remove makes number i none.
func (t *minTree) remove(i int) {
	t.least[t.size+i] = none
	t.pull(t.size + i)
}
