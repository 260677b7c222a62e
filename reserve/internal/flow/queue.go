package flow

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A radixQueue is a radix heap whose ties come out first in, first out. List i > 0 holds the nodes
// whose distance differs from that of the last node taken out first in bit i-1. The nodes at that
// distance itself stand in line.
type radixQueue struct {
	lists      [65]int32
	filled     uint64  // bit i: list i may hold nodes
	next, prev []int32 // prev is outside if the node is in no list
	dist       []int64
	reached    int64   // distance of the last node taken out
	line       []int32 // a ring
	head, tail uint
}

const outside = -2

// clear empties the queue, for n nodes.
func (q *radixQueue) clear(n int) {
	q.next = grow.To(q.next, n)
	q.prev = grow.To(q.prev, n)
	q.dist = grow.To(q.dist, n)
	q.line = grow.To(q.line, 1<<bits.Len(uint(n)))
	for i := range q.lists {
		q.lists[i] = -1
	}
	for v := range q.prev {
		q.prev[v] = outside
	}
	q.reached, q.filled, q.head, q.tail = 0, 0, 0, 0
}

// reach puts node v in, or moves it if it is in a list. The distance d is at least that of the
// last node taken out. A node in line must not be put in again.
func (q *radixQueue) reach(v int32, d int64) {
	if prev := q.prev[v]; prev != outside {
		next := q.next[v]
		if next >= 0 {
			q.prev[next] = prev
		}
		if prev >= 0 {
			q.next[prev] = next
		} else {
			q.lists[bits.Len64(uint64(q.dist[v]^q.reached))] = next
		}
	}
	q.dist[v] = d
	q.put(v)
}

// put puts node v in its list.
func (q *radixQueue) put(v int32) {
	i := bits.Len64(uint64(q.dist[v] ^ q.reached))
	if i == 0 {
		q.line[q.tail&uint(len(q.line)-1)] = v
		q.tail++
		q.prev[v] = outside
		return
	}
	list := &q.lists[i]
	q.filled |= 1 << i
	q.prev[v], q.next[v] = -1, *list
	if *list >= 0 {
		q.prev[*list] = v
	}
	*list = v
}

// take takes out a node of least distance, -1 if there is none. If the line is empty, the nodes
// of the first list that is not go before it: each node can move so 63 times.
func (q *radixQueue) take() int {
	if q.head == q.tail {
		i := bits.TrailingZeros64(q.filled)
		for ; q.filled != 0 && q.lists[i] < 0; i = bits.TrailingZeros64(q.filled) {
			q.filled &= q.filled - 1
		}
		if q.filled == 0 {
			return -1
		}
		list := q.lists[i]
		q.lists[i] = -1
		q.reached = math.MaxInt64
		for v := list; v >= 0; v = q.next[v] {
			q.reached = min(q.reached, q.dist[v])
		}
		for v := list; v >= 0; {
			next := q.next[v]
			q.put(v)
			v = next
		}
	}
	v := q.line[q.head&uint(len(q.line)-1)]
	q.head++
	return int(v)
}
