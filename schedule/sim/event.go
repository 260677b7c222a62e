package sim

// Events fall by time, then by order. Submissions, which are not in the queue of
// events, come before all of them.
type kind int64

const (
	finish kind = iota // a job ends
	booted             // the instances of a request are up
)

const (
	indexBits = 28
	kindShift = 2 * indexBits

	// maxJobs bounds the jobs of a log, so that an index fits its bits.
	maxJobs = 1<<indexBits - 1
)

// order is the kind and the index of an event as the tie of its time.
func order(k kind, index int) int64 { return int64(k)<<kindShift | int64(index) }

// end is the order of the end of a job, the started-th job to start. So ends of one
// moment come in the order in which the jobs started.
func end(started, job int) int64 {
	return int64(finish)<<kindShift | int64(started)<<indexBits | int64(job)
}

func kindOf(order int64) kind { return kind(order >> kindShift) }
func indexOf(order int64) int { return int(order & (1<<indexBits - 1)) }
