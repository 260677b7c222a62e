package preempt

import (
	"math/bits"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Why a set of jobs is chosen, and why the choice is right.
//
// # Ranking nodes is not optimal
//
// Job 0 has run for an hour on one node, job 1 for 45 minutes on two nodes. GP is 0,
// and neither job ends. To free one node it is best to lose job 0: 1 node-hour
// instead of 1.5. To free two nodes it is best to lose job 1 alone: 1.5 node-hours
// instead of 2.5. For one node, the lowest value must be that of job 0. For two nodes,
// the two lowest values must be those of job 1. So no vector is right for both
// numbers, whatever it is computed from. PAP gives job 0 the lower value, and is wrong
// for two nodes. LIFO gives job 1 the lower value, and is wrong for one node.
//
// There is no smaller example. With at most two nodes, or with jobs on one node each,
// the cheapest jobs for P nodes are among the cheapest jobs for P + 1.
//
// So the choice is a set of jobs, not of nodes, for a given P:
//
//	minimise    Σ_{j∈V} w_j,   w_j = s_j·l_j·n_j·p_j
//	subject to  Σ_{j∈V} n_j ≥ need
//
// This is the minimum knapsack cover problem. It is NP-hard when numbers are large,
// but here the n_j are numbers of nodes. Dynamic programming over the nodes freed is
// exact in O(jobs·need).
//
// Theorem. To take the idle nodes first, and then nodes of a least set V, wastes
// least among all ways to take P nodes.
//
// Proof. Let T be any P nodes. T has at most as many idle nodes as there are, so at
// least need nodes of T belong to jobs. The jobs hit by T have Σ n_j ≥ need, so they
// are a feasible set, whose waste is at least that of V. Taking the idle nodes and
// nodes of V hits no job outside V. ∎
//
// Lemma. The V that is returned is minimal: without any of its jobs, fewer than need
// nodes come free. A job that could be left out would add waste, or, if its waste is
// 0, nodes; and of sets with equal waste the set with fewer nodes is chosen. So any
// need nodes of V hit every job of V. That is why a host takes V by rank if the
// values of V are below the values of all other jobs.
//
// Theorem and lemma need only that the waste of a set is the sum over its jobs, and that
// no job's part is negative or depends on the other jobs of the set.
//
// greedy.go has the greedy algorithm and the proof of its factor 2. The obvious rule,
// to take jobs by waste per node until they are enough, has no such factor, even if
// superfluous jobs are dropped afterwards.

// Least waste: minimise Σ w_j over the jobs j of a set V, subject to
//
//	Σ n_j over V ≥ need = max(0, P − idle)
//
// w_j is the expected waste of losing job j, times its weight. This is the minimum
// knapsack cover problem: whole jobs are lost, and nodes beyond need gain nothing. (The
// paper minimises the same sum, and then chooses nodes by rank, which is another
// problem: see the package comment.)
//
// Idea. best[c], for jobs j and later, is the least waste that frees c nodes or more:
// either without job j, or with job j and best[c − n_j] of the jobs after j. The table
// is filled in place, from the last job to the first. One bit a cell remembers whether
// the job was taken. The set is read off from the first job to the last. A linear relaxation
// decides most jobs before: see core.go.
//
// Invariant. After job j, best[c] is least over all sets of jobs j, j+1, …, in this
// order: waste, nodes freed, and then the set that has the earliest job in which two
// sets differ. The order is total, so the result does not depend on how the table is
// filled.
//
// Exactness. Waste is a whole number: nanoseconds that a node loses · nodes · priority ·
// chance in units of 2⁻²⁰. A node of a job that does not save loses elapsed + grace; see
// checkpoint.go for the others. With the nodes freed in the low bits, one 127-bit number
// holds both keys of the order, and additions and comparisons are exact. Amounts that do
// not fit are an error. 100,000 nodes for a year with a priority of 100,000 fit.
//
// Time O(jobs·log jobs + core·need), and O(jobs·need) at worst; space core·need/8
// bytes and 16·need.

// chanceBits is the resolution of a chance to outlast, 2⁻²⁰: about a millionth, finer
// than any window of finished jobs can tell.
const chanceBits = 20

// A Preemption says how many nodes are taken, and what is known of the jobs.
type Preemption struct {
	Take  int           // P, how many nodes are taken
	Grace time.Duration // GP, how long jobs may still run, ≥ 0

	// Outlast[j] is the chance, from 0 to 1, that job j does not end within the grace period.
	// [OutlastTo], [RequestedTo], [Estimates.OutlastTo] and [Survival.OutlastTo] compute such
	// chances. Each chance is rounded to the nearest 2⁻²⁰. The expected waste of losing a job is
	// the chance times the waste if the job does not end: (elapsed + grace)·nodes, or less for a
	// job with a [Checkpoint]. If Outlast is nil, every chance counts as 1.
	Outlast []float64

	// ByPriority lets the waste of a job count Job.Priority times; otherwise each job
	// counts 1.
	ByPriority bool
	// Overrun divides the weight of a job that has run for longer than its user asked
	// for ([Duplyakin17] section 5). 0 and 1 change nothing.
	Overrun int
}

// weight returns how much the waste of a job counts, times Overrun, in two factors, so
// that the weight is a whole number. Only ratios of weights matter. The callers check that
// their products fit.
func (p *Preemption) weight(j *Job) (priority, factor uint64) {
	priority, factor = 1, 1
	if p.ByPriority {
		priority = uint64(j.priority())
	}
	if p.Overrun > 1 && !j.overdue() {
		factor = uint64(p.Overrun)
	}
	return priority, factor
}

// A Solver finds the jobs whose loss wastes least. The zero value is ready. A Solver
// keeps its memory between calls and allocates nothing once it suffices. It is for one
// goroutine at a time.
type Solver struct {
	census census
	keys   []wide.Uint // by job
	best   []wide.Uint // by nodes that are freed
	taken  []uint64    // by job of the program: a bit for each number of nodes
	order  []int32
	picked []bool
	ranks  []ranked
	core   []int32 // the jobs of the program
}

// The key of a job has its waste in the high bits and its nodes in the low bits. never
// is more than any sum of keys, and any sum of keys can be added to it.
var never = wide.Uint{Hi: 1 << 63}

// AppendVictims appends to dst the jobs to take nodes from, in the order of State.Jobs, so that
// p.Take nodes come free and the expected waste is least. Idle nodes are taken first and cost
// nothing, so the set is empty if they are enough. If several sets have the least waste,
// AppendVictims takes the set that frees the fewest nodes. If two sets still tie, AppendVictims
// looks at the first job that is in only one of them, and takes the set with that job.
//
// The set is minimal: without any of its jobs, too few nodes come free. So if the host takes all
// idle nodes, and any nodes of the victims until it has p.Take nodes, each victim loses a node, and
// no other job does.
//
// The error is an [*InputError] for a state or a Preemption that contradicts itself, for more nodes
// than there are, and for amounts beyond 127 bits; dst is then returned unchanged. Time: O(jobs·log
// jobs + core·need + nodes), memory: core·need/8 bytes, where need is p.Take less the idle nodes.
// core is the number of jobs left for the exact search after a linear relaxation has decided the
// others: usually some tens of a thousand jobs, at worst all jobs.
func (s *Solver) AppendVictims(dst []int, st State, p Preemption) ([]int, error) {
	need, err := s.prepare(st, p)
	if err != nil || need == 0 {
		return dst, err
	}
	s.picked = grow.Zero(s.picked, len(st.Jobs))
	left := need
	if len(st.Jobs)*need < coreFrom {
		s.core = s.core[:0]
		for j := range st.Jobs {
			s.core = append(s.core, int32(j))
		}
	} else {
		left = s.decide(st.Jobs, need)
	}
	if left > 0 {
		s.program(st.Jobs, s.core, left)
		words := left/64 + 1
		for i, c := 0, left; c > 0; i++ {
			if s.taken[i*words+c/64]>>(c%64)&1 != 0 {
				s.picked[s.core[i]] = true
				c = max(0, c-st.Jobs[s.core[i]].Nodes)
			}
		}
	}
	for j, picked := range s.picked {
		if picked {
			dst = append(dst, j)
		}
	}
	return dst, nil
}

// program fills taken for the jobs of a list, in order, and returns the least key
// of their sets that free need nodes, never where there is none.
func (s *Solver) program(jobs []Job, list []int32, need int) wide.Uint {
	if need <= 0 {
		return wide.Uint{}
	}
	words := need/64 + 1
	s.taken = grow.Zero(s.taken, words*len(list))
	s.best = s.best[:0]
	for range need + 1 {
		s.best = append(s.best, never)
	}
	s.best[0] = wide.Uint{}
	reach := 0 // no more nodes come free with the jobs so far
	for i := len(list) - 1; i >= 0; i-- {
		n, w := jobs[list[i]].Nodes, s.keys[list[i]]
		reach = min(reach+n, need)
		fill(s.best[:reach+1], s.taken[i*words:(i+1)*words], n, w)
	}
	return s.best[need]
}

// fill lets the sets of best have a job of n nodes, too, and marks where they do.
func fill(best []wide.Uint, taken []uint64, n int, w wide.Uint) {
	c := len(best) - 1
	for from := best[:max(0, c-n+1)]; len(from) > 0; c-- {
		with := from[len(from)-1].Plus(w)
		from = from[:len(from)-1]
		if !best[c].Less(with) {
			best[c] = with
			taken[c/64] |= 1 << (c % 64)
		}
	}
	for ; c > 0 && !best[c].Less(w); c-- { // best never falls with c
		best[c] = w
		taken[c/64] |= 1 << (c % 64)
	}
}

// prepare checks the input, fills keys and returns how many nodes jobs must give.
func (s *Solver) prepare(st State, p Preemption) (need int, err error) {
	if err := s.census.check(&st); err != nil {
		return 0, err
	}
	if err := checkTake(p.Take, len(st.Node)); err != nil {
		return 0, err
	}
	if p.Grace < 0 {
		return 0, badInput("Grace", -1, ErrRange, "%v is negative: want a span of time, or 0", p.Grace)
	}
	if err := checkOverrun(p.Overrun); err != nil {
		return 0, err
	}
	if p.Outlast != nil && len(p.Outlast) != len(st.Jobs) {
		return 0, badInput("Outlast", -1, ErrLength, "%d chances of %d jobs: want one for each, or nil", len(p.Outlast), len(st.Jobs))
	}
	busy := 0
	for i := range st.Jobs {
		busy += st.Jobs[i].Nodes
		if p.Outlast != nil && !(p.Outlast[i] >= 0 && p.Outlast[i] <= 1) {
			return 0, badInput("Outlast", i, ErrRange, "%v: want a chance from 0 to 1", p.Outlast[i])
		}
	}
	need = max(0, p.Take-(len(st.Node)-busy))
	if need == 0 {
		return 0, nil
	}
	shift := bits.Len(uint(busy))
	s.keys = s.keys[:0]
	var sum wide.Uint
	for i := range st.Jobs {
		k, ok := p.key(i, &st.Jobs[i], shift)
		if sum = sum.Plus(k); !ok || !sum.Less(never) {
			return 0, badInput("Jobs", i, ErrOverflow, "the waste of the jobs up to this one does not fit in 127 bits: want smaller priorities, or a smaller Overrun")
		}
		s.keys = append(s.keys, k)
	}
	return need, nil
}

// key returns the key of job i, and whether the key fits.
func (p *Preemption) key(i int, j *Job, shift int) (wide.Uint, bool) {
	chance := uint64(1 << chanceBits)
	if p.Outlast != nil {
		chance = uint64(p.Outlast[i]*(1<<chanceBits) + 0.5)
	}
	if chance == 0 {
		return wide.Uint{Lo: uint64(j.Nodes)}, true
	}
	priority, factor := p.weight(j)
	times, fits := wide.MulUint(priority, factor)
	times, fits2 := wide.MulUint(times, uint64(j.Nodes))
	times, fits3 := wide.MulUint(times, chance)
	waste := wide.Product(times, j.lost(p.Grace))
	if !fits || !fits2 || !fits3 || bits.LeadingZeros64(waste.Hi) <= shift {
		return never, false
	}
	return wide.Uint{Hi: waste.Hi<<shift | waste.Lo>>(64-shift), Lo: waste.Lo<<shift | uint64(j.Nodes)}, true
}
