package preempt

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// The core of a minimum knapsack cover: the jobs whose fate the linear relaxation
// leaves open.
//
// Idea. Sort the jobs by waste per node. The relaxation takes them in this order
// until need is reached within the break job b, and proves the bound
//
//	LB = Σ w_j over the jobs before b + λ·(nodes still needed), λ = w_b/n_b.
//
// A set that leaves out a job before b wastes at least LB + λ·n_j − w_j, and a set
// that takes a job after b at least LB + w_j − λ·n_j. If that is more than the
// waste of a set at hand, no best set differs from the relaxation in job j. Then the
// job is decided. The dynamic program runs over the others, the core, for the nodes
// that are left to free.
//
// The set at hand is the best of a few jobs around b, chosen by the same program.
// With it the core of a thousand jobs has some tens.
//
// Invariant: a job is decided only if every set of least key agrees on it. So the
// set that the order of [Solver.AppendVictims] singles out is the one that the
// program over all jobs finds. Bounds are computed in floating point; a job is
// decided only if its bound exceeds the set at hand by a millionth of the sums,
// thousands of times what rounding can add up to.
//
// Time O(jobs·log jobs + core·left), where left ≤ need is what the decided jobs do
// not free; at worst the core is all jobs. Space as the program's.

const (
	// coreFrom is how many cells, jobs times nodes, the plain program has where
	// sorting begins to pay.
	coreFrom = 1 << 13
	// coreStart is how many jobs around the break job choose the set at hand, half of
	// them on either side. More make a better set and a smaller core, at more time:
	// of 32, 64 and 128 this was the fastest with a thousand jobs.
	coreStart = 64
	// coreMargin is the part of the sums by which a bound has to exceed the set at
	// hand. A sum of a million terms is off by 10⁶·2⁻⁵³ of itself at most, 10⁻¹⁰.
	coreMargin = 1e-6
)

// ranked is a job in the order of the relaxation.
type ranked struct {
	perNode float64
	job     int32
}

// decide fills core with the jobs that are open, in order, marks in picked the jobs
// that every best set takes, and returns how many nodes are left to free.
func (s *Solver) decide(jobs []Job, need int) (left int) {
	s.ranks = grow.To(s.ranks, len(jobs))
	for j := range jobs {
		s.ranks[j] = ranked{float(s.keys[j]) / float64(jobs[j].Nodes), int32(j)}
	}
	slices.SortFunc(s.ranks, func(a, b ranked) int {
		if a.perNode != b.perNode {
			return cmp.Compare(a.perNode, b.perNode)
		}
		return int(a.job - b.job)
	})
	// The break job, and the bound.
	bound, freed, at := 0.0, 0, 0
	for ; at < len(s.ranks)-1; at++ {
		j := s.ranks[at].job
		if freed+jobs[j].Nodes >= need {
			break
		}
		freed += jobs[j].Nodes
		bound += float(s.keys[j])
	}
	lambda := s.ranks[at].perNode
	bound += lambda * float64(need-freed)

	// The set at hand: the jobs before those around the break job, and the best of these.
	from, to := max(0, at-coreStart/2), min(len(jobs), at+coreStart/2)
	var upper wide.Uint
	left = need
	for _, r := range s.ranks[:from] {
		upper = upper.Plus(s.keys[r.job])
		left -= jobs[r.job].Nodes
	}
	s.core = s.core[:0]
	for _, r := range s.ranks[from:to] {
		s.core = append(s.core, r.job)
	}
	slices.Sort(s.core)
	best := s.program(jobs, s.core, left)
	if !best.Less(never) { // the jobs around do not suffice: all are open
		best, upper = wide.Uint{}, never
	}
	most := float(upper.Plus(best))
	most += coreMargin * (most + bound)

	s.core = s.core[:0]
	left = need
	for i, r := range s.ranks {
		reduced := float(s.keys[r.job]) - lambda*float64(jobs[r.job].Nodes)
		switch {
		case i < at && bound-reduced > most:
			s.picked[r.job] = true
			left -= jobs[r.job].Nodes
		case i > at && bound+reduced > most:
		default:
			s.core = append(s.core, r.job)
		}
	}
	slices.Sort(s.core)
	return left
}

// float is x as the nearest float64, or one beside it.
func float(x wide.Uint) float64 { return float64(x.Hi)*(1<<64) + float64(x.Lo) }
