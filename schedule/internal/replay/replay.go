package replay

import (
	"errors"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// MaxTime keeps every sum of a time of the clock and up to three spans within a
// time.Duration: 73 years.
const MaxTime = time.Duration(math.MaxInt64 / 4)

// MaxHeld is how many instances may be leased at once, for a few gigabytes of memory.
const MaxHeld = 1 << 26

var (
	// ErrOrder: the jobs are not sorted by (Submit, ID).
	ErrOrder = errors.New("jobs out of order")
	// ErrRange: a value is outside of its range.
	ErrRange = errors.New("value out of range")
)

// A Kind is what happens in an event. Of the events of one moment ends of jobs come first,
// then boots. Submissions come before both and are in no queue.
type Kind int64

const (
	Finish Kind = iota // a job ends
	Booted             // instances are up
)

const kindShift = 56

// Order packs the kind and the index of an event, below 2⁵⁶, into the tie of its time.
func Order(k Kind, index int64) int64 { return int64(k)<<kindShift | index }

// KindOf returns the kind that Order has packed.
func KindOf(order int64) Kind { return Kind(order >> kindShift) }

// IndexOf returns the index that Order has packed.
func IndexOf(order int64) int64 { return order & (1<<kindShift - 1) }

// CheckJob checks what a job needs to be replayed: nodes, a run time, and an estimate that is
// not below the run time. pkg is the package that the error names, and i the job's index.
func CheckJob(pkg string, j *trace.Job, i int) error {
	switch {
	case j.Nodes <= 0:
		return inputerr.New(pkg, "Jobs.Nodes", i, ErrRange, "job %d needs %d nodes: want at least 1", j.ID, j.Nodes)
	case j.Run <= 0 || j.Run > MaxTime:
		return inputerr.New(pkg, "Jobs.Run", i, ErrRange, "job %d runs for %.0f s: want more than 0 and at most %.0f", j.ID, j.Run.Seconds(), MaxTime.Seconds())
	case j.Estimate < j.Run || j.Estimate > MaxTime:
		return inputerr.New(pkg, "Jobs.Estimate", i, ErrRange, "job %d is estimated at %.0f s: want at least its run time, %.0f s, and at most %.0f", j.ID, j.Estimate.Seconds(), j.Run.Seconds(), MaxTime.Seconds())
	}
	return nil
}

// CheckSubmission checks job j, and that its submission comes after that of job p. For the
// first job p is the job itself.
func CheckSubmission(pkg string, p, j *trace.Job, i int) error {
	if err := CheckJob(pkg, j, i); err != nil {
		return err
	}
	switch {
	case j.Submit < 0 || j.Submit > MaxTime:
		return inputerr.New(pkg, "Jobs.Submit", i, ErrRange, "job %d is submitted at %.0f s: want 0 to %.0f s after the start of the trace", j.ID, j.Submit.Seconds(), MaxTime.Seconds())
	case p.Submit > j.Submit || p.Submit == j.Submit && p.ID > j.ID:
		return inputerr.New(pkg, "Jobs.Submit", i, ErrOrder, "job %d (submitted at %.0f s) comes after job %d (%.0f s): want them sorted by submission, then by ID", j.ID, j.Submit.Seconds(), p.ID, p.Submit.Seconds())
	}
	return nil
}

// Cost returns what n leases of one length cost.
func Cost(m pricing.Meter, hourly pricing.Money, length time.Duration, n int) (pricing.Money, error) {
	one, err := m.Cost(hourly, length)
	if err != nil {
		return 0, err
	}
	return one.Mul(int64(n))
}
