package preempt

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
)

// Where the paper leaves a choice, this package takes the following.
//
//   - Each value gets a nanosecond on one node before it is scaled. The paper's
//     product is 0 both for a job that has just started and for an idle node, so the
//     host could not tell them apart. Equal products stay equal.
//   - The paper has no formula for FIFO. Here the value falls with the elapsed time.
//   - [Preemption.Overrun] makes jobs beyond their requested time cheaper. That needs the
//     request as the user made it: a simulation that raises estimates to run times has
//     no such jobs. On the log of BENCHMARKS.md, with a divisor of 10, the jobs beyond their
//     request waste 9 times as much, the other jobs 0.1% less, and all jobs 0.1% more. Few
//     jobs of the log run longer than requested.
//   - Values are scaled by the greatest. Ties go to the lower node.
//   - Of sets with equal waste, the set that frees the fewest nodes is taken, and of
//     these the set with the earliest job.

// A Policy gives each node of a partition a value from 0 to 1. The host takes the nodes with the
// lowest values ([Duplyakin17] section 3.3). Idle nodes have value 0, except with Blind. All nodes
// of a job have the same value, except with Random and Blind.
//
// FIFO, LIFO and PAP can waste many times the least possible waste, since these policies value
// nodes one by one, but a job that loses one node is lost as a whole. No constant bounds this
// factor: it grows with the number of nodes (ERRATA [Duplyakin17] 4). A [Solver] finds the least
// waste.
type Policy uint8

const (
	// Random gives each node with a job a random value, and takes idle nodes first: a
	// host that knows which nodes are idle, and nothing else.
	Random Policy = iota
	// FIFO takes the job that has run longest first.
	FIFO
	// LIFO takes the job that has run shortest first, since its last save if it saves.
	LIFO
	// PAP, parallel-aware, takes the job with the least node-time first: run time, since
	// the last save, times nodes. PAP is LIFO if each job has one node.
	PAP
	// PAPPlus is PAP with node-time times the job's priority: PAP+ in the paper.
	PAPPlus
	// Blind gives each node a random value, idle nodes, too: a host that is told nothing,
	// the base case of the paper.
	Blind
)

var policies = enum.New[Policy]("preempt", "Policy", ErrRange, "random", "fifo", "lifo", "pap", "pap+", "blind")

// String returns "random", "fifo", "lifo", "pap", "pap+" or "blind", or Policy(n) for a value n
// that has no name.
func (p Policy) String() string { return policies.String(p) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (p Policy) MarshalText() ([]byte, error) { return policies.MarshalText(p) }

// UnmarshalText reads a name. Any other text is an [*InputError], and p is
// unchanged.
func (p *Policy) UnmarshalText(text []byte) error { return policies.UnmarshalText(p, text) }

// checkOverrun returns the error for a negative divisor.
func checkOverrun(overrun int) error {
	if overrun < 0 {
		return badInput("Overrun", -1, ErrRange, "%d is negative: want a divisor, or 0 to change nothing", overrun)
	}
	return nil
}

// ValueOptions are the inputs that some policies need beside the state.
type ValueOptions struct {
	Rand    *rand.Rand // only for Random and Blind, which need it
	Overrun int        // only for PAPPlus: see Preemption.Overrun
	// Grace is the grace period, ≥ 0. Only jobs that save on request need it: by LIFO, PAP
	// and PAPPlus they are worth one save if that fits in.
	Grace time.Duration
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

// ValuesTo fills dst with the value of each node of a state by a policy. An idle node has the value
// 0, except by Blind. Every other node has the value of its job. Except by Random and Blind, values
// are scaled so that the greatest is 1:
//
//	Random   a number from opts.Rand, in (0, 1]; not scaled
//	FIFO     greatest elapsed − elapsed
//	LIFO     risk
//	PAP      risk·nodes
//	PAPPlus  risk·nodes·priority, times opts.Overrun if that is above 1 and the job has
//	         run no longer than its user asked for, or its request is unknown
//	Blind    a number from opts.Rand, in (0, 1], for idle nodes, too; not scaled
//
// risk is the work that a job can lose on each node. Without a [Checkpoint] it is elapsed. With a
// Checkpoint it is elapsed − Saved. If the job can be asked to save within opts.Grace, risk is at
// most Cost.
//
// Before scaling, ValuesTo adds 1 ns to the value of each job in the table. So a job that has just
// started, or the oldest job by FIFO, has a value above 0, the value of an idle node. Jobs with
// equal values in the table keep equal values. Among equal values the host takes the lower node
// first.
//
// The error is an [*InputError] for a state that contradicts itself, a negative Overrun or a
// negative Grace; dst is then unchanged. ValuesTo panics if the lengths of dst and State.Node
// differ, if the policy is unknown, or if the policy is Random or Blind and opts.Rand is nil.
// Random draws a number for each node that is not idle, and Blind for each node, in order, by
// Float64. Time: O(jobs + nodes).
func (s *Scorer) ValuesTo(dst []float64, st State, policy Policy, opts ValueOptions) error {
	switch {
	case len(dst) != len(st.Node):
		panic("preempt: vector and nodes of different lengths")
	case policy > Blind:
		panic("preempt: unknown policy")
	case (policy == Random || policy == Blind) && opts.Rand == nil:
		panic("preempt: nil source of randomness")
	}
	if opts.Grace < 0 {
		return badInput("Grace", -1, ErrRange, "%v is negative: want a span of time, or 0", opts.Grace)
	}
	if policy == Random || policy == Blind {
		if err := checkOverrun(opts.Overrun); err != nil {
			return err
		}
		if err := s.census.check(&st); err != nil {
			return err
		}
		for n, j := range st.Node {
			if dst[n] = 0; j != Idle || policy == Blind {
				dst[n] = 1 - opts.Rand.Float64()
			}
		}
		return nil
	}
	greatest, err := s.prepare(&st, policy, opts)
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

// prepare checks a state, fills byJob with the values of its jobs by a policy that is not
// random, and returns the greatest. The values are not scaled.
func (s *Scorer) prepare(st *State, policy Policy, opts ValueOptions) (greatest float64, err error) {
	if err := checkOverrun(opts.Overrun); err != nil {
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
		greatest = max(greatest, rankJobs(s.byJob[from:to], jobs[from:to], policy, opts, oldest))
	}
	return greatest, s.census.checkNodes(st)
}

// rankJobs fills values with the values of the jobs, not scaled, and returns the
// greatest. A product of whole numbers below 2⁵³ is exact, so jobs with equal products
// have equal values.
func rankJobs(values []float64, jobs []Job, policy Policy, opts ValueOptions, oldest time.Duration) (greatest float64) {
	jobs = jobs[:len(values)]
	switch policy {
	case FIFO:
		for i := range values {
			values[i] = float64(oldest - jobs[i].Elapsed)
		}
	case LIFO:
		for i := range values {
			values[i] = float64(jobs[i].risk(opts.Grace))
		}
	case PAP:
		for i := range values {
			values[i] = float64(jobs[i].risk(opts.Grace)) * float64(jobs[i].Nodes)
		}
	case PAPPlus:
		for i := range values {
			j := &jobs[i]
			weight := float64(j.Nodes) * float64(j.priority())
			if opts.Overrun > 1 && !j.overdue() {
				weight *= float64(opts.Overrun)
			}
			values[i] = float64(j.risk(opts.Grace)) * weight
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
