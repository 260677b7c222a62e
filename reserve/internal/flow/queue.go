package flow

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A radixQueue is a radix heap. List i > 0 holds the nodes whose distance differs from that of the last node
// taken out first in bit i-1. The nodes at that distance itself stand in line, and come out first in, first
// out. A list is emptied from its end, so nodes of equal distance that were put in before may come out in another
// order, but in the same one for the same calls.
type radixQueue struct {
	lists      [65]int32
	filled     uint64 // bit i: list i may hold nodes
	nodes      []node
	reached    int64   // distance of the last node taken out
	line       []int32 // a ring
	head, tail uint
}

// node is a node of the network, with its place in a radixQueue: half a line of the processor's cache.
type node struct {
	label      int64 // inf if it is neither in a tree nor in the queue; there, its distance is label - y
	y          int64 // potential; of a free node, less the distance reached
	from, how  int32 // the last arc to the node: its other end, and a class or one of those of scaling.go
	prev, next int32 // in its list; prev is outside if the node is in no list
}

const outside = -2

// clear empties the queue, for n nodes.
func (q *radixQueue) clear(n int) {
	q.nodes = grow.To(q.nodes, n)
	q.line = grow.To(q.line, 1<<bits.Len(uint(n)))
	for i := range q.lists {
		q.lists[i] = -1
	}
	for v := range q.nodes {
		q.nodes[v].prev = outside
	}
	q.reached, q.filled, q.head, q.tail = 0, 0, 0, 0
}

// reach gives node v a label and puts it in, or moves it if it is in a list. Its distance is then at least that of the
// last node taken out. A node in line must not be put in again.
func (q *radixQueue) reach(v int32, label int64, from, how int32) {
	n := &q.nodes[v]
	old := n.label
	n.label, n.from, n.how = label, from, how
	i := bits.Len64(uint64(label - n.y ^ q.reached))
	if prev := n.prev; prev != outside {
		old := bits.Len64(uint64(old - n.y ^ q.reached))
		if old == i {
			return
		}
		if n.next >= 0 {
			q.nodes[n.next].prev = prev
		}
		if prev >= 0 {
			q.nodes[prev].next = n.next
		} else {
			q.lists[old] = n.next
		}
	}
	q.put(v, n, i)
}

// put puts node v in list i.
func (q *radixQueue) put(v int32, n *node, i int) {
	if i == 0 {
		q.line[q.tail&uint(len(q.line)-1)] = v
		q.tail++
		n.prev = outside
		return
	}
	list := &q.lists[i]
	q.filled |= 1 << i
	n.prev, n.next = -1, *list
	if *list >= 0 {
		q.nodes[*list].prev = v
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
		for v := list; v >= 0; v = q.nodes[v].next {
			q.reached = min(q.reached, q.nodes[v].label-q.nodes[v].y)
		}
		for v := list; v >= 0; {
			n := &q.nodes[v]
			next := n.next
			q.put(v, n, bits.Len64(uint64(n.label-n.y^q.reached)))
			v = next
		}
	}
	v := q.line[q.head&uint(len(q.line)-1)]
	q.head++
	return int(v)
}
