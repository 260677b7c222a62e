package preempt

import "github.com/plimsoll/plimsoll/internal/grow"

// VectorTo fills dst with values by which a host that only ranks nodes takes the
// victims, as [Solver.AppendVictims] or [Solver.AppendGreedy] chose them:
//
//	0                    idle nodes
//	1/8 + x/4            nodes of victims
//	1/2 + x/2            nodes of other jobs
//
// x, from 0 to 1, is the job's value by PAPPlus with the given Overrun, scaled by
// the greatest among the victims or the others. So all three kinds are apart, and
// a host that takes fewer nodes or more than the victims were chosen for still
// takes sensible ones first, although no longer the best set: the best sets for
// two numbers of nodes need not contain one another, and then no vector gives
// both.
//
// That the lowest Take nodes are those of the best set follows from its being
// minimal: idle nodes come first, the victims free the rest or more, and one
// victim less would not. So each of them loses a node, and nobody else does.
//
// The error is an [*InputError] for a state that makes no sense, a negative
// Overrun, or a victim that is not one of its jobs; dst is then as it was. It
// panics if dst has not as many elements as the state has nodes. Time:
// O(jobs + nodes).
func (s *Scorer) VectorTo(dst []float64, st State, victims []int, overrun int) error {
	if len(dst) != len(st.Node) {
		panic("preempt: vector and nodes of different lengths")
	}
	if _, err := s.prepare(&st, PAPPlus, overrun); err != nil {
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
