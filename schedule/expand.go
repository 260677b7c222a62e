package schedule

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// An Expansion says how many nodes a growing cluster should have for the jobs
// that wait, once it has to grow at all ([Niu16] section 4.1).
type Expansion uint8

const (
	// BestSize is room for all long jobs and for the first short job. Short jobs can run
	// one after another in the rest of the leases. With a threshold of 0 it is SumSize,
	// with one above all estimates FirstSize.
	BestSize Expansion = iota
	// FirstSize is room for the first job of the queue.
	FirstSize
	// SumSize is room for all jobs of the queue.
	SumSize
)

var expansions = enum.New[Expansion]("schedule", "Expansion", ErrRange, "best", "first", "sum")

// String returns "best", "first" or "sum", and Expansion(7) for a value 7 that is
// none of the constants.
func (e Expansion) String() string { return expansions.String(e) }

// MarshalText returns the String form. The error is an [*InputError] for a value
// that is none of the constants.
func (e Expansion) MarshalText() ([]byte, error) { return expansions.MarshalText(e) }

// UnmarshalText reads the String form. The error is an [*InputError].
func (e *Expansion) UnmarshalText(text []byte) error { return expansions.UnmarshalText(e, text) }

// A backlog holds the nodes that the jobs of a queue need, by the three sums
// that the expansions ask for.
type backlog struct {
	top        int // of the first job
	all        int // of all jobs
	long       int // of the jobs whose estimate exceeds the threshold
	firstShort int // of the first job whose estimate does not, 0 if there is none
}

// newBacklog sums up the jobs of a queue, given in the queue's order, with
// short as the threshold between short and long estimates. A sum that does not fit in an
// int is math.MaxInt. Time: O(jobs).
func newBacklog(waiting []Job, short time.Duration) backlog {
	var b backlog
	for i, j := range waiting {
		if i == 0 {
			b.top = j.Nodes
		}
		b.all = sumNodes(b.all, j.Nodes)
		if j.Estimate > short {
			b.long = sumNodes(b.long, j.Nodes)
		} else if b.firstShort == 0 {
			b.firstShort = j.Nodes
		}
	}
	return b
}

// sumNodes returns a + b of counts, and the greatest int if that does not fit.
func sumNodes(a, b int) int {
	if b > math.MaxInt-a {
		return math.MaxInt
	}
	return a + b
}

// nodes returns how many nodes the expansion wants for a backlog, math.MaxInt at most.
// Nodes that are idle or boot are not subtracted. It panics if e is not one of the constants.
func (e Expansion) nodes(b backlog) int {
	switch e {
	case BestSize:
		return sumNodes(b.long, b.firstShort)
	case FirstSize:
		return b.top
	case SumSize:
		return b.all
	}
	panic("schedule: unknown expansion")
}
