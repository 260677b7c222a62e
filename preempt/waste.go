package preempt

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// A NodeTime is an amount of node-time, such as an hour on ten nodes. It is exact to the
// nanosecond on one node. Two amounts are equal with == if and only if they are the
// same. The zero value is no node-time. The greatest amount is 292 thousand million
// node-years.
type NodeTime struct {
	sec  int64
	nsec int64 // 0 to 999,999,999
}

// NodeTimeOf returns d on a number of nodes. It panics if d or nodes is negative or the
// product does not fit.
func NodeTimeOf(d time.Duration, nodes int) NodeTime {
	if d < 0 || nodes < 0 {
		panic("preempt: negative node-time")
	}
	return nodeTime(uint64(d), nodes)
}

// nodeTime is NodeTimeOf for spans up to 2^64-1 ns.
func nodeTime(d uint64, nodes int) NodeTime {
	sec, nsec, ok := wide.Product(d, uint64(nodes)).Over(uint64(time.Second))
	if !ok || sec > math.MaxInt64 {
		panic("preempt: node-time out of range")
	}
	return NodeTime{int64(sec), int64(nsec)}
}

// Add returns a + b. It panics if the sum does not fit.
func (a NodeTime) Add(b NodeTime) NodeTime {
	sec, nsec := a.sec+b.sec, a.nsec+b.nsec
	if nsec >= int64(time.Second) {
		sec, nsec = sec+1, nsec-int64(time.Second)
	}
	if sec < a.sec {
		panic("preempt: node-time out of range")
	}
	return NodeTime{sec, nsec}
}

// Compare returns -1, 0 or 1 as a is less than, equal to or greater than b.
func (a NodeTime) Compare(b NodeTime) int {
	switch {
	case a.sec < b.sec || a.sec == b.sec && a.nsec < b.nsec:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// Seconds returns a in node-seconds, rounded to a float64.
func (a NodeTime) Seconds() float64 { return float64(a.sec) + float64(a.nsec)/1e9 }

// Hours returns a in node-hours, rounded to a float64.
func (a NodeTime) Hours() float64 { return a.Seconds() / 3600 }

// String returns a in node-seconds, such as "90.5 node-seconds".
func (a NodeTime) String() string {
	if a.nsec == 0 {
		return fmt.Sprintf("%d node-seconds", a.sec)
	}
	return fmt.Sprintf("%d.%s node-seconds", a.sec, trimZeros(fmt.Sprintf("%09d", a.nsec)))
}

func trimZeros(s string) string {
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return s
}

// Outlasts reports whether a job with the given remaining run time does not end within
// the grace period. The inequality is strict, as in [Duplyakin17] section 4.1: a job
// ends in time if and only if remaining < grace.
func Outlasts(remaining, grace time.Duration) bool { return remaining >= grace }

// WastedCycles returns WC, the waste of a job that loses a node ([Duplyakin17] section 4.1). If the
// job does not end within the grace period, all work of its nodes is lost, from the start of the
// job to the end of the grace period:
//
//	0                          if remaining < grace
//	(elapsed + grace)·nodes    otherwise
//
// A job with a [Checkpoint] loses only the work that is not saved when the grace period ends. If
// the job saves on request within the grace period, it loses at most the cost of that save: see
// checkpoint.go.
//
// remaining is the true remaining run time, so the result is the actual cost of the preemption, not
// an estimate. WastedCycles panics if a time, the job's nodes or its priority are negative, if its
// Checkpoint contradicts itself, and if the waste does not fit in a [NodeTime].
func WastedCycles(j Job, remaining, grace time.Duration) NodeTime {
	switch {
	case remaining < 0 || grace < 0 || j.Elapsed < 0:
		panic("preempt: negative time")
	case j.Nodes < 0:
		panic("preempt: negative number of nodes")
	case j.Priority < 0:
		panic("preempt: negative priority")
	case j.Checkpoint != nil && !j.Checkpoint.valid(j.Elapsed):
		panic("preempt: checkpoint out of range")
	}
	if !Outlasts(remaining, grace) {
		return NodeTime{}
	}
	return nodeTime(j.lost(grace), j.Nodes)
}

// SumWasted returns the waste of the jobs that are hit; hit has indices of jobs.
// remaining has the true remaining run time of each job. SumWasted panics if the lengths of
// jobs and remaining differ, if hit has an index of no job, or if the sum does not fit in a
// [NodeTime]. For each job that is hit it panics as [WastedCycles] does. Time: O(hit).
func SumWasted(jobs []Job, remaining []time.Duration, hit []int, grace time.Duration) NodeTime {
	if len(jobs) != len(remaining) {
		panic("preempt: jobs and remaining times of different lengths")
	}
	var sum NodeTime
	for _, j := range hit {
		if j < 0 || j >= len(jobs) {
			panic("preempt: a job that is hit does not exist")
		}
		sum = sum.Add(WastedCycles(jobs[j], remaining[j], grace))
	}
	return sum
}

// A Tally adds up the waste of many preemptions, by the priority of the jobs. The zero
// value is empty. A Tally allocates only when it meets a priority for the first time. It
// is for one goroutine at a time.
type Tally struct {
	classes []class // by rising priority
	total   NodeTime
	killed  int
}

type class struct {
	priority int
	wasted   NodeTime
}

// Add adds the waste of the jobs that are hit, and returns the sum of this preemption.
// Arguments and panics are those of [SumWasted]. Add also panics if the total does not
// fit in a [NodeTime]; nothing has been added then. Time: O(hit·log classes).
func (t *Tally) Add(jobs []Job, remaining []time.Duration, hit []int, grace time.Duration) NodeTime {
	sum := SumWasted(jobs, remaining, hit, grace)
	t.total = t.total.Add(sum)
	for _, j := range hit {
		w := WastedCycles(jobs[j], remaining[j], grace)
		if w == (NodeTime{}) {
			continue
		}
		t.killed++
		c := t.class(jobs[j].priority())
		c.wasted = c.wasted.Add(w) // no more than the total, which is in range
	}
	return sum
}

func (t *Tally) class(priority int) *class {
	at, ok := slices.BinarySearchFunc(t.classes, priority, func(c class, p int) int { return c.priority - p })
	if !ok {
		t.classes = slices.Insert(t.classes, at, class{priority: priority})
	}
	return &t.classes[at]
}

// Total returns the waste of all preemptions that were added.
func (t *Tally) Total() NodeTime { return t.total }

// Killed returns how many jobs did not end within the grace period.
func (t *Tally) Killed() int { return t.killed }

// Of returns the waste of the jobs of a priority; priorities 0 and 1 are the same. It is
// zero for a negative priority, which no job has.
func (t *Tally) Of(priority int) NodeTime {
	if priority == 0 {
		priority = 1
	}
	for _, c := range t.classes {
		if c.priority == priority {
			return c.wasted
		}
	}
	return NodeTime{}
}

// Reset empties the tally and keeps its memory.
func (t *Tally) Reset() { *t = Tally{classes: t.classes[:0]} }
