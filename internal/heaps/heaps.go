// Package heaps has the priority queue that event loops and searches share.
package heaps

import "cmp"

// An Item is something in a queue: what it is sorted by, then the index that
// decides between equal keys. Tie usually says what the item stands for.
type Item[K cmp.Ordered] struct {
	Key K
	Tie int64
}

// Before reports whether a comes out before b.
func (a Item[K]) Before(b Item[K]) bool { return a.Key < b.Key || a.Key == b.Key && a.Tie < b.Tie }

// A Queue gives back the items that were pushed, the least first: by key, then by tie. A Queue is a
// heap with four children to a node. Such a heap is shallower than a binary heap, and four children
// of 16 bytes share a cache line. The zero value is empty and ready. A Queue allocates only when it
// holds more items than ever before. With a key that is NaN, the order has no meaning.
type Queue[K cmp.Ordered] struct{ items []Item[K] }

// Len returns how many items are in the queue.
func (q *Queue[K]) Len() int { return len(q.items) }

// Reset empties the queue and keeps its memory.
func (q *Queue[K]) Reset() { q.items = q.items[:0] }

// Min returns the item that Pop would return. It panics if the queue is empty.
func (q *Queue[K]) Min() Item[K] { return q.items[0] }

// Push adds an item. Time: O(log Len).
func (q *Queue[K]) Push(key K, tie int64) {
	e := Item[K]{key, tie}
	q.items = append(q.items, e)
	a := q.items
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.Before(a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = e
}

// Add adds an item out of order: Fix must follow before Min or Pop. Adding n
// items and fixing once takes O(n), pushing them O(n·log n).
func (q *Queue[K]) Add(key K, tie int64) { q.items = append(q.items, Item[K]{key, tie}) }

// Fix puts all items in order, however they were added. Time: O(Len).
func (q *Queue[K]) Fix() {
	for i := (len(q.items) - 2) / 4; i >= 0 && len(q.items) > 1; i-- {
		q.down(i, q.items[i])
	}
}

// Pop removes the least item and returns it. It panics if the queue is empty.
// Time: O(log Len).
func (q *Queue[K]) Pop() Item[K] {
	last := len(q.items) - 1
	top, e := q.items[0], q.items[last]
	q.items = q.items[:last]
	if last > 0 {
		q.down(0, e)
	}
	return top
}

// down puts e where it belongs at or below the place i, which is free.
func (q *Queue[K]) down(i int, e Item[K]) {
	a := q.items
	for {
		c := 4*i + 1
		if c >= len(a) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(a)); k++ {
			if a[k].Before(a[best]) {
				best = k
			}
		}
		if !a[best].Before(e) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = e
}
