package preempt

import "github.com/plimsoll/plimsoll/internal/grow"

// VectorTo fills dst with values that make a host take the victims, if the host only
// ranks nodes. The victims are those of [Solver.AppendVictims] or [Solver.AppendGreedy]:
//
//	0                    idle nodes
//	1/8 + x/4            nodes of victims
//	1/2 + x/2            nodes of other jobs
//
// x, from 0 to 1, is the job's value by PAPPlus with the given Overrun, over the greatest such
// value among the victims or among the others. So the three kinds are apart. If a host takes fewer
// or more nodes than the victims were chosen for, it still takes sensible nodes first, but not the
// best set. The best set for one number of nodes need not contain the best set for a smaller
// number, and then no vector is right for both.
//
// The lowest Take nodes are nodes of the victims, because the set is minimal. Idle
// nodes come first, the victims free the rest or more, and one victim less would free
// too few. So each victim loses a node, and no other job does.
//
// The error is an [*InputError] for a state that contradicts itself, a negative Overrun,
// or a victim that is no job of the state; dst is then unchanged. VectorTo panics if the
// lengths of dst and State.Node differ. Time: O(jobs + nodes).
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
