package preempt

import "github.com/plimsoll/plimsoll/internal/grow"

// VectorTo fills dst with values for a host that takes the nodes with the lowest values, so that
// the host takes the nodes of the victims. The victims are those of [Solver.AppendVictims] or
// [Solver.AppendGreedy]:
//
//	0                    idle nodes
//	1/8 + x/4            nodes of victims
//	1/2 + x/2            nodes of other jobs
//
// x is the job's value by PAPPlus with the given overrun, divided by the greatest such value among
// the victims, or among the other jobs. So x is from 0 to 1, and the ranges of the three kinds do
// not overlap.
//
// If a host takes another number of nodes than the victims were chosen for, it takes nodes of low
// value first, but not always the best set. The best set for one number of nodes need not contain
// the best set for a smaller number. If it does not, no vector is best for both numbers.
//
// If the host takes as many nodes as the victims were chosen for, each victim loses a node, and no
// other job does. Proof: the host takes the idle nodes first. The victims have at least the nodes
// that are still missing, so the host takes no node of another job. The set of victims is minimal,
// so without the nodes of one victim too few nodes come free.
//
// The error is an [*InputError] for a state that contradicts itself, a negative Overrun, or a
// victim that is no job of the state; dst is then unchanged. VectorTo panics if the lengths of dst
// and State.Node differ. Time: O(jobs + nodes).
func (s *Scorer) VectorTo(dst []float64, st State, victims []int, overrun int) error {
	if len(dst) != len(st.Node) {
		panic("preempt: vector and nodes of different lengths")
	}
	if _, err := s.prepare(&st, PAPPlus, ValueOptions{Overrun: overrun}); err != nil {
		return err
	}
	for i, j := range victims {
		if uint(j) >= uint(len(st.Jobs)) {
			return badInput("Victims", i, ErrRange, "job %d of %d: want an index of State.Jobs", j, len(st.Jobs))
		}
	}
	s.hit = grow.Zero(s.hit, len(st.Jobs))
	for _, j := range victims {
		s.hit[j] = true
	}
	var greatest [2]float64 // of the others and of the victims
	for j, x := range s.byJob {
		if s.hit[j] {
			greatest[1] = max(greatest[1], x)
		} else {
			greatest[0] = max(greatest[0], x)
		}
	}
	for j, x := range s.byJob {
		if s.hit[j] {
			s.byJob[j] = 1./8 + x/greatest[1]/4
		} else {
			s.byJob[j] = 1./2 + x/greatest[0]/2
		}
	}
	for n, j := range st.Node {
		if j == Idle {
			dst[n] = 0
		} else {
			dst[n] = s.byJob[j]
		}
	}
	return nil
}
