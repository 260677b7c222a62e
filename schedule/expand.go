package schedule

import (
	"fmt"
	"time"
)

// An Expansion says how many nodes a growing cluster should have for the jobs
// that wait, once it has to grow at all ([Niu16] section 4.1).
type Expansion uint8

const (
	// BestSize is room for all long jobs and for the first short one: short
	// jobs can run one after another in what is left of the leases. With a
	// threshold of 0 it is SumSize, with one above all estimates FirstSize.
	BestSize Expansion = iota
	// FirstSize is room for the first job of the queue.
	FirstSize
	// SumSize is room for all jobs of the queue.
	SumSize
)

var expansionNames = [...]string{"best", "first", "sum"}

// String returns "best", "first" or "sum".
func (e Expansion) String() string {
	if int(e) < len(expansionNames) {
		return expansionNames[e]
	}
	return fmt.Sprintf("Expansion(%d)", uint8(e))
}

// MarshalText returns the String form, or an error if e is not one of the
// constants.
func (e Expansion) MarshalText() ([]byte, error) {
	if int(e) >= len(expansionNames) {
		return nil, fmt.Errorf("schedule: %v is not an expansion", e)
	}
	return []byte(e.String()), nil
}

// UnmarshalText reads the String form.
func (e *Expansion) UnmarshalText(text []byte) error {
	for i, name := range expansionNames {
		if string(text) == name {
			*e = Expansion(i)
			return nil
		}
	}
	return fmt.Errorf("schedule: %q is not an expansion: want first, sum or best", text)
}

// A Backlog holds the nodes that the jobs of a queue need, by the three sums
// that the expansions ask for.
type Backlog struct {
	Top        int // of the first job
	All        int // of all jobs
	Long       int // of the jobs whose estimate exceeds the threshold
	FirstShort int // of the first job whose estimate does not, 0 if there is none
}

// NewBacklog sums up the jobs of a queue, given in the queue's order, with
// short as the threshold between short and long estimates. Time: O(jobs).
func NewBacklog(waiting []Job, short time.Duration) Backlog {
	var b Backlog
	for i, j := range waiting {
		if i == 0 {
			b.Top = j.Nodes
		}
		b.All += j.Nodes
		if j.Estimate > short {
			b.Long += j.Nodes
		} else if b.FirstShort == 0 {
			b.FirstShort = j.Nodes
		}
	}
	return b
}

// Nodes returns how many nodes the expansion wants for a backlog. What is idle
// or on its way already is not taken off. It panics if e is not one of the
// constants.
func (e Expansion) Nodes(b Backlog) int {
	switch e {
	case BestSize:
		return b.Long + b.FirstShort
	case FirstSize:
		return b.Top
	case SumSize:
		return b.All
	}
	panic("schedule: unknown expansion")
}

// MustGrow reports whether a cluster of the given size has to grow for the top
// job of its queue ([Niu16] section 4.1): the job needs more nodes than there
// are, or the wait that is predicted for it exceeds the limit. The wait counts
// from `since`, the job's submission in the paper's reading; start is the
// predicted start, as [Scheduler.Top] returns it.
func MustGrow(top Job, start time.Duration, nodes int, since, limit time.Duration) bool {
	return top.Nodes > nodes || start == Never || start-since > limit
}

// ReleaseAt returns the first release check, at a multiple of every, at which
// an idle instance whose next charge falls at due is given back: the last
// check at or before that charge ([Niu16] section 4.1, delayed release). An
// instance is so kept as long as it is paid for. It panics if every is not
// positive.
func ReleaseAt(due, every time.Duration) time.Duration {
	if every <= 0 {
		panic("schedule: release checks need a positive period")
	}
	r := due % every
	if r < 0 {
		r += every
	}
	return due - r
}

// NextReleaseAt returns the first release check, at now or later, at which an idle
// instance whose next charge falls at due may be given back. That is [ReleaseAt],
// or if that check is past, and so the lease renews, a check before a later
// charge. due is not before now. It panics if every is not positive.
func NextReleaseAt(due, now, every time.Duration) time.Duration {
	at := ReleaseAt(due, every)
	if at < now {
		at += every
	}
	return at
}

// MustRelease reports whether the release check at time now gives back an idle
// instance whose next charge falls at due, while no job waits: it would be charged
// before the next check, which comes after every.
func MustRelease(due, now, every time.Duration) bool { return due < now+every }
