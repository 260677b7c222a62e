package elastic

import "time"

// An event is something that a simulation has coming. Events fall by time,
// then by order.
type event struct {
	at    time.Duration
	order int64 // kind and index, see order
}

type kind int64

// Submissions, which are not in the heap, come before all of these.
const (
	finish kind = iota // a job ends
	booted             // the instances of a request are up
)

const kindShift = 56

func order(k kind, index int) int64 { return int64(k)<<kindShift | int64(index) }
func (e event) kind() kind          { return kind(e.order >> kindShift) }
func (e event) index() int          { return int(e.order & (1<<kindShift - 1)) }
func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// A heap is a 4-ary heap of events: shallower than a binary one, and its four
// children share a cache line.
type heap []event

func (h *heap) push(e event) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = e
}

func (h *heap) pop() event {
	a := *h
	top, e := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= len(a) {
			break
		}
		best := c
		for k := c + 1; k < min(c+4, len(a)); k++ {
			if a[k].before(a[best]) {
				best = k
			}
		}
		if !a[best].before(e) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = e
	return top
}
