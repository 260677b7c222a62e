package preempt

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// A Policy gives each node of a partition a value from 0 to 1. The host takes the nodes
// with the lowest values ([Duplyakin17] section 3.3). Idle nodes have value 0. All nodes
// of a job have the same value, except with Random.
//
// No bound is known on the waste of any policy: a policy values nodes, and whole jobs
// are lost. See [Solver].
type Policy uint8

const (
	// Random gives each node a random value, as a host does that knows nothing. It is
	// the yardstick for the others.
	Random Policy = iota
	// FIFO takes the job that has run longest first.
	FIFO
	// LIFO takes the job that has run shortest first.
	LIFO
	// PAP, parallel-aware, takes the job with the least node-time first: run time times
	// nodes. PAP is LIFO if each job has one node.
	PAP
	// PAPPlus is PAP with node-time times the job's priority: PAP+ in the paper.
	PAPPlus
)

var policies = enum.New[Policy]("preempt", "Policy", ErrRange, "random", "fifo", "lifo", "pap", "pap+")

// String returns "random", "fifo", "lifo", "pap" or "pap+", or Policy(n) for a value n
// that has no name.
func (p Policy) String() string { return policies.String(p) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (p Policy) MarshalText() ([]byte, error) { return policies.MarshalText(p) }

// UnmarshalText reads a name. Any other text is an [*InputError], and p is
// unchanged.
func (p *Policy) UnmarshalText(text []byte) error { return policies.UnmarshalText(p, text) }

// Weights say how much the waste of a job counts. With the zero value, each job counts
// 1.
type Weights struct {
	// ByPriority lets the waste of a job count Job.Priority times.
	ByPriority bool
	// Overrun divides the weight of a job that has run for longer than its user asked
	// for ([Duplyakin17] section 5). 0 and 1 change nothing.
	Overrun int
}

// of returns the weight of a job times Overrun, in two factors, so that the weight is a
// whole number. Only ratios of weights matter. The callers check that their products
// fit.
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

// ValueOptions are the inputs that some policies need beside the state.
type ValueOptions struct {
	Rand    *rand.Rand // only for Random, which needs it
	Overrun int        // only for PAPPlus: see Weights
}

// A Scorer gives nodes their values and finds the nodes that a vector of values gives
// up. The zero value is ready. A Scorer keeps its memory between calls and allocates
// nothing once it suffices. It is for one goroutine at a time.
type Scorer struct {
	byJob  []float64
	census census
	copied []float64
	hit    []bool
}

// ValuesTo fills dst with the value of each node of a state by a policy. Values are
// scaled so that the greatest is 1:
//
//	Random   a number from opts.Rand, in (0, 1]; not scaled
//	FIFO     greatest elapsed − elapsed
//	LIFO     elapsed
//	PAP      elapsed·nodes
//	PAPPlus  elapsed·nodes·priority
//
// Each value gets a nanosecond on one node, so that a job that has just started, or the
// oldest job by FIFO, has a value above 0, the value of an idle node. Jobs of equal
// product have equal values. Ties go by node.
//
// The error is an [*InputError] for a state that contradicts itself or a negative
// Overrun; dst is then unchanged. ValuesTo panics if the lengths of dst and State.Node
// differ, if the policy is unknown, or if it is Random and opts.Rand is nil. Random
// draws a number for each node that is not idle, in order, by Float64. Time: O(jobs +
// nodes).
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

// prepare checks a state, fills byJob with the values of its jobs by a policy other than
// Random, and returns the greatest. The values are not scaled.
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
	// Parts of this size stay in the cache from the check to the value.
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

// rankJobs fills values with the values of the jobs, not scaled, and returns the
// greatest. A product of whole numbers below 2⁵³ is exact, so jobs with equal products
// have equal values.
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
