package preempt

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// A Policy gives each node of a partition a value from 0 to 1; the host takes
// the nodes with the lowest ([Duplyakin17] section 3.3). Idle nodes have the
// value 0 with each, and all nodes of a job the same with each but Random.
//
// None of them has a bound on the waste that it leads to: a policy values
// nodes, and it is whole jobs that die. See [Solver].
type Policy uint8

const (
	// Random values nodes at random, each for itself: what a host does that is
	// told nothing. It is the yardstick.
	Random Policy = iota
	// FIFO takes the job first that has run longest.
	FIFO
	// LIFO takes the job first that has run shortest.
	LIFO
	// PAP, parallel-aware, takes the job first that has used the least
	// node-time: run time by nodes. It is LIFO when each job has one node.
	PAP
	// PAPPlus is PAP with node-time times the job's priority, PAP+ in the paper.
	PAPPlus
)

var policies = enum.New[Policy]("preempt", "Policy", ErrRange, "random", "fifo", "lifo", "pap", "pap+")

// String returns "random", "fifo", "lifo", "pap" or "pap+", or Policy(n) for a value n that has no name.
func (p Policy) String() string { return policies.String(p) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (p Policy) MarshalText() ([]byte, error) { return policies.MarshalText(p) }

// UnmarshalText reads a name. Any other text is an [*InputError], and p is
// unchanged.
func (p *Policy) UnmarshalText(text []byte) error { return policies.UnmarshalText(p, text) }

// Weights say what the waste of a job counts. The zero value is 1 for each.
type Weights struct {
	// ByPriority weighs with Job.Priority.
	ByPriority bool
	// Overrun divides the weight of a job that has run for longer than its user
	// asked for ([Duplyakin17] section 5). 0 and 1 change nothing.
	Overrun int
}

// of returns the weight of a job, times Overrun for each so that it is whole:
// only ratios of weights matter. It fits unless the factors are absurd; its
// users check their products.
func (w Weights) of(j *Job) (priority, factor uint64) {
	priority, factor = 1, 1
	if w.ByPriority {
		priority = uint64(j.priority())
	}
	if w.Overrun > 1 && !j.overdue() {
		factor = uint64(w.Overrun)
	}
	return priority, factor
}

func (w Weights) check() error {
	if w.Overrun < 0 {
		return badInput("Overrun", -1, ErrRange, "%d is negative: want a divisor, or 0 to change nothing", w.Overrun)
	}
	return nil
}

// ValueOptions are what some policies need beside the state.
type ValueOptions struct {
	Rand    *rand.Rand // only for Random, which needs it
	Overrun int        // only for PAPPlus: see Weights
}

// A Scorer gives nodes their values and finds what a vector of values gives
// up. Its zero value is ready; it keeps its memory between calls, allocates
// nothing once that suffices, and must not be used by two goroutines at once.
type Scorer struct {
	byJob  []float64
	census census
	copied []float64
	hit    []bool
}

// ValuesTo fills dst with the value of each node of a state by a policy, scaled
// by the greatest so that this is 1:
//
//	Random   a number from rnd, in (0, 1]; these are not scaled
//	FIFO     greatest elapsed − elapsed
//	LIFO     elapsed
//	PAP      elapsed·nodes
//	PAPPlus  elapsed·nodes·priority
//
// A nanosecond is added to each, so that a job which has only just started, or is
// the oldest by FIFO, has a value above that of an idle node, which is 0. Jobs of
// equal product have equal values, and ties go by node.
//
// The error is an [*InputError] for a state that makes no sense or a negative
// Overrun; dst is then as it was. It panics if dst has not as many elements as
// the state has nodes, if the policy is unknown, or if it is Random and
// opts.Rand is nil. Random draws a number for each node that is not idle, in
// order, by Float64. Time: O(jobs + nodes).
func (s *Scorer) ValuesTo(dst []float64, st State, policy Policy, opts ValueOptions) error {
	switch {
	case len(dst) != len(st.Node):
		panic("preempt: vector and nodes of different lengths")
	case policy > PAPPlus:
		panic("preempt: unknown policy")
	case policy == Random && opts.Rand == nil:
		panic("preempt: nil source of randomness")
	}
	if policy == Random {
		if err := (Weights{Overrun: opts.Overrun}).check(); err != nil {
			return err
		}
		if err := s.census.check(&st); err != nil {
			return err
		}
		for n, j := range st.Node {
			if dst[n] = 0; j != Idle {
				dst[n] = 1 - opts.Rand.Float64()
			}
		}
		return nil
	}
	greatest, err := s.prepare(&st, policy, opts.Overrun)
	if err != nil {
		return err
	}
	values := s.byJob
	for n, j := range st.Node {
		if dst[n] = 0; j != Idle {
			dst[n] = values[j] / greatest
		}
	}
	return nil
}

// prepare checks a state and fills byJob with the values of its jobs by a policy
// other than Random. They are not scaled; it returns the greatest.
func (s *Scorer) prepare(st *State, policy Policy, overrun int) (greatest float64, err error) {
	if err := (Weights{Overrun: overrun}).check(); err != nil {
		return 0, err
	}
	jobs := st.Jobs
	s.census.reset(len(jobs))
	s.byJob = grow.To(s.byJob, len(jobs))
	var oldest time.Duration
	if policy == FIFO {
		for i := range jobs {
			oldest = max(oldest, jobs[i].Elapsed)
		}
	}
	// In parts that stay in the cache from the check to the value.
	const part = 1024
	for from := 0; from < len(jobs); from += part {
		to := min(from+part, len(jobs))
		if err := s.census.checkJobs(jobs, from, to); err != nil {
			return 0, err
		}
		greatest = max(greatest, rankJobs(s.byJob[from:to], jobs[from:to], policy, overrun, oldest))
	}
	return greatest, s.census.checkNodes(st)
}

// rankJobs fills values with those of the jobs, not scaled, and returns the
// greatest. A product of whole numbers below 2⁵³ is exact, so that jobs with equal
// ones have equal values.
func rankJobs(values []float64, jobs []Job, policy Policy, overrun int, oldest time.Duration) (greatest float64) {
	jobs = jobs[:len(values)]
	switch policy {
	case FIFO:
		for i := range values {
			values[i] = float64(oldest - jobs[i].Elapsed)
		}
	case LIFO:
		for i := range values {
			values[i] = float64(jobs[i].Elapsed)
		}
	case PAP:
		for i := range values {
			values[i] = float64(jobs[i].Elapsed) * float64(jobs[i].Nodes)
		}
	case PAPPlus:
		for i := range values {
			j := &jobs[i]
			weight := float64(j.Nodes) * float64(j.priority())
			if overrun > 1 && !j.overdue() {
				weight *= float64(overrun)
			}
			values[i] = float64(j.Elapsed) * weight
		}
	}
	for i, v := range values {
		v++
		values[i] = v
		if v > greatest {
			greatest = v
		}
	}
	return greatest
}
