package schedule

import "slices"

// blockLen is how many elements a block holds at most.
const blockLen = 64

// blockList is the blocks of a queue, a profile or a plan in order, and spare blocks to use again.
// Each of the three keeps two invariants: no block is empty, and two neighbours together hold more
// than half a block.
type blockList[B any] struct {
	blocks []*B
	spare  []*B
}

// clear makes all blocks spare.
func (l *blockList[B]) clear() {
	l.spare = append(l.spare, l.blocks...)
	l.blocks = l.blocks[:0]
}

// open puts a block before block k and returns it, with what it held when it became spare.
func (l *blockList[B]) open(k int) *B {
	var b *B
	if n := len(l.spare); n > 0 {
		b, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		b = new(B)
	}
	l.blocks = slices.Insert(l.blocks, k, b)
	return b
}

// drop makes block k spare.
func (l *blockList[B]) drop(k int) {
	l.spare = append(l.spare, l.blocks[k])
	l.blocks = append(l.blocks[:k], l.blocks[k+1:]...)
}
