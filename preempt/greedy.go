package preempt

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Least waste, fast: a 2-approximation.
//
// Idea. Go through the jobs by rising waste per node. A job with which the
// nodes so far would suffice is big: it and the small ones so far are a
// candidate, and it is put aside. Any other is small and joins. The best of all
// candidates is the result, after jobs that turn out superfluous have been
// dropped, the most wasteful by node first.
//
// Theorem: the result wastes at most twice the least. After Csirik, Frenk,
// Labbé and Zhang [Csirik91].
//
// Proof. Let O be an optimal set, and O* its waste. All small jobs together free
// fewer than need nodes, so that O has a big job; let b be its first by rising
// waste per node, and S the small jobs before b. S ∪ {b} was a candidate. Jobs of
// O before b are small and so in S; those of O outside of S come not before b,
// and waste at least as much per node as b does, the jobs of S at most as much.
// S frees fewer than need nodes and O at least as many, so that O \ S frees more
// than S \ O, at no less per node: w(S \ O) ≤ w(O \ S), and w(S) ≤ O*. As b is in
// O, w(b) ≤ O*. So the candidate wastes at most 2·O*, and dropping jobs only
// lowers that. ∎
//
// The constant is tight: to free N nodes of three jobs with a, b and c hours on
// N − 2, N − 1 and one node, a < b < c, the one candidate is the first two, and the
// last two are enough. With a = 99, b = 100, c = 101 and N = 100 that is 19,602
// node-hours against 10,001.
//
// The first candidate is what the plain rule takes, jobs by waste per node until
// they suffice. That rule has no bound, even with pruning: of a job of a hundred
// nodes that wastes 99 and one of one node that wastes 1 it takes the first, to
// free one node.
//
// Departures: [Csirik91] does not prune. Here the first candidate is pruned as
// well as the best one, and the better of the two is the result, so that it is
// never worse than the plain rule with pruning.
//
// Time O(jobs·log jobs), space O(jobs).

// AppendGreedy appends to dst jobs to take nodes from, so that p.Take nodes come
// free and the expected waste is at most twice the least, in the order of
// State.Jobs. It is otherwise as [Solver.AppendVictims]: idle nodes come first,
// the set is minimal, and the errors are the same. Jobs of equal waste per node
// are gone through in the order of State.Jobs, and of candidates with equal
// waste and nodes the first is chosen.
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
	// The first and the best candidate, each as the place of its big job.
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

// candidate marks in picked the jobs of the candidate whose big job has a place
// in the order, without those that it can do without, and returns its key.
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

// comparePerNode compares the waste per node of two jobs, as the products of the
// waste of each and the nodes of the other. That a key has the nodes in its low
// bits adds the same to both.
func (s *Solver) comparePerNode(jobs []Job, a, b int32) int {
	x, low := s.keys[a].Times(uint64(jobs[b].Nodes))
	y, rest := s.keys[b].Times(uint64(jobs[a].Nodes))
	return cmp.Or(cmp.Compare(x, y), low.Compare(rest))
}
