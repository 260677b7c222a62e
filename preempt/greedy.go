package preempt

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Least waste, fast: a 2-approximation.
//
// Idea. Go through the jobs by rising waste per node. A job is big if its nodes and the
// nodes so far are enough. A big job together with the small jobs so far is a candidate;
// the big job is then put aside. Any other job is small and joins the small jobs. The
// result is the best candidate, after superfluous jobs have been dropped, the most
// wasteful by node first.
//
// Theorem. The result wastes at most twice the least, after Csirik, Frenk, Labbé and
// Zhang [Csirik91].
//
// Proof. Let O be an optimal set and O* its waste. All small jobs together free fewer
// than need nodes, so O has a big job. Let b be the first big job of O by rising waste
// per node, and S the small jobs before b. S ∪ {b} was a candidate. The jobs of O before
// b are small, so they are in S. The jobs of O outside S do not come before b, and waste
// at least as much per node as b; the jobs of S waste at most as much per node as b. S
// frees fewer than need nodes and O at least need. So O \ S frees more nodes than S \ O,
// at no less waste per node: w(S \ O) ≤ w(O \ S), and w(S) ≤ O*. As b is in O, w(b) ≤
// O*. So the candidate wastes at most 2·O*, and dropping jobs only lowers that. ∎
//
// The constant is tight. Free N nodes of three jobs with a < b < c hours on N − 2, N − 1
// and one node. The only candidate is the first two jobs, and the last two are enough.
// With a = 99, b = 100, c = 101 and N = 100, that is 19,602 node-hours against 10,001.
//
// The first candidate is what the plain rule takes: jobs by waste per node until they
// are enough. The plain rule has no bound, even with pruning. From a job of a hundred
// nodes that wastes 99 and a job of one node that wastes 1, it takes the first, to free
// one node.
//
// Differences: [Csirik91] does not prune. Here the first candidate and the best
// candidate are pruned, and the better of the two is the result. So the result is never
// worse than the plain rule with pruning.
//
// Time O(jobs·log jobs), space O(jobs).

// AppendGreedy appends to dst the jobs to take nodes from, in the order of State.Jobs, so that
// p.Take nodes come free. The expected waste is at most twice the least possible waste. Idle nodes
// are taken first, the set of jobs is minimal, and errors are those of [Solver.AppendVictims].
//
// The algorithm goes through the jobs by rising waste per node and collects candidate sets: see the
// top of this file. Jobs with equal waste per node come in the order of State.Jobs. Among candidate
// sets with equal waste and equal numbers of nodes, AppendGreedy chooses the first.
//
// Time: O(jobs·log jobs + nodes).
func (s *Solver) AppendGreedy(dst []int, st State, p Preemption) ([]int, error) {
	need, err := s.prepare(st, p)
	if err != nil || need == 0 {
		return dst, err
	}
	s.order = s.order[:0]
	for j := range st.Jobs {
		s.order = append(s.order, int32(j))
	}
	jobs := st.Jobs
	slices.SortFunc(s.order, func(a, b int32) int {
		if c := s.comparePerNode(jobs, a, b); c != 0 {
			return c
		}
		return int(a - b)
	})
	// The first and the best candidate, each as the place of its big job in the order.
	first, best := -1, -1
	least := never
	var small wide.Uint
	freed := 0
	for at, j := range s.order {
		n := jobs[j].Nodes
		if freed+n < need {
			freed += n
			small = small.Plus(s.keys[j])
			continue
		}
		if first < 0 {
			first = at
		}
		if k := small.Plus(s.keys[j]); k.Less(least) {
			least, best = k, at
		}
	}
	key := s.candidate(jobs, need, best)
	if first != best {
		if other := s.candidate(jobs, need, first); key.Less(other) {
			s.candidate(jobs, need, best)
		}
	}
	for j, picked := range s.picked {
		if picked {
			dst = append(dst, j)
		}
	}
	return dst, nil
}

// candidate marks in picked the jobs of the candidate whose big job is at place big,
// without superfluous jobs, and returns their key.
func (s *Solver) candidate(jobs []Job, need, big int) (sum wide.Uint) {
	s.picked = grow.Zero(s.picked, len(jobs))
	freed := 0
	for at, j := range s.order[:big+1] {
		if n := jobs[j].Nodes; at == big || freed+n < need {
			s.picked[j] = true
			freed += n
		}
	}
	for at := big; at >= 0; at-- {
		j := s.order[at]
		if !s.picked[j] {
			continue
		}
		if n := jobs[j].Nodes; freed-n >= need {
			s.picked[j] = false
			freed -= n
		} else {
			sum = sum.Plus(s.keys[j])
		}
	}
	return sum
}

// comparePerNode compares the waste per node of two jobs: the waste of each times the
// nodes of the other. The nodes in the low bits of a key add the same to both products.
func (s *Solver) comparePerNode(jobs []Job, a, b int32) int {
	x, low := s.keys[a].Times(uint64(jobs[b].Nodes))
	y, rest := s.keys[b].Times(uint64(jobs[a].Nodes))
	return cmp.Or(cmp.Compare(x, y), low.Compare(rest))
}
