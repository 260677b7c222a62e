package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// slowdownBound is the least run time that a bounded slowdown counts a job as
// having, so that jobs of a few seconds do not dominate its mean.
const slowdownBound = 10 * time.Second

// A Level is the state of a cluster from a time on.
type Level struct {
	At   time.Duration
	Held int // instances that are paid for: booting, idle or busy; the nodes of a local cluster
	Busy int // of these, running a job
}

// A Result is what a simulation found.
type Result struct {
	Jobs         int
	MeanWait     time.Duration // from submission to start, rounded to the nanosecond
	MeanSlowdown float64       // mean bounded slowdown: max(1, (wait + run)/max(run, 10 s))
	UsedHours    float64       // Σ nodes·run, in instance-hours
	// ChargedHours are the instance-hours that the meter charges; for a local
	// cluster its nodes from the first submission to the last end.
	ChargedHours float64
	Utilisation  float64 // UsedHours/ChargedHours
	// Cost is what the leases cost on demand. A local cluster has none: see
	// pricing.Niu16Cluster.
	Cost     pricing.Money
	Makespan time.Duration // from the first submission to the last end
	Peak     int           // the most instances held at once

	// Clouds has what came of each cloud, in their order; it has one where none
	// were given, and none for a local cluster. Valid until the next Run.
	Clouds []CloudResult

	// Starts has the start of each job, in the order of the jobs. Levels has
	// the changes of the cluster's state, by time, each time once; before the
	// first nothing is held. Both are valid until the Simulator's next Run.
	Starts []time.Duration
	Levels []Level
}

// A CloudResult is what a simulation found at one cloud.
type CloudResult struct {
	Name         string
	Jobs         int           // that ran there
	Leases       int           // instances requested, each for one lease
	Peak         int           // the most instances held at once
	ChargedHours float64       // the instance-hours that the meter charges
	Cost         pricing.Money // on demand, less the discount

	// Hours has the instances charged for in each hour of the trace: the demand that
	// reservations serve. With an hourly meter it is how many hours of leases begin in
	// the hour, and the sum is ChargedHours. With another meter it is the mean over the
	// hour, rounded.
	Hours  []int
	Levels []Level // as those of Result, of this cloud
}

// slowdown returns the bounded slowdown of a job that waited.
func slowdown(wait, run time.Duration) float64 {
	return max(1, float64(wait+run)/float64(max(run, slowdownBound)))
}

// maxSlots bounds a demand curve, 512 MiB.
const maxSlots = 1 << 26

// AppendDemand appends to dst the demand curve of the capacity: the most instances held
// at once in each slot of the given length. Slots go from time 0 to the last time at
// which an instance is held. It is what package reserve plans for. It panics if slot is
// not positive, or so short that there are more than 2²⁶ slots. Time: O(levels + slots).
func (r *Result) AppendDemand(dst []int, slot time.Duration) []int {
	if slot <= 0 {
		panic("sim: demand in slots without a length")
	}
	first := len(dst)
	for i, l := range r.Levels {
		if l.Held == 0 {
			continue
		}
		if i+1 == len(r.Levels) {
			break // a local cluster's nodes are held no longer than its last job runs
		}
		last := (r.Levels[i+1].At - 1) / slot
		if last >= maxSlots {
			panic("sim: demand in more than 1<<26 slots: want longer ones")
		}
		if n := first + int(last) + 1; n > len(dst) {
			dst = append(dst, make([]int, n-len(dst))...)
		}
		for k := first + int(l.At/slot); k <= first+int(last); k++ {
			dst[k] = max(dst[k], l.Held)
		}
	}
	return dst
}
