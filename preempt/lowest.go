package preempt

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/selection"
)

// AppendLowest appends to dst the nodes that a host takes by a vector of values: as many nodes as
// take says, with the lowest values. The nodes are appended in the order of their numbers. Ties go
// to the lower number. values is not modified. The caller must pass one value for each node of the
// partition; this function cannot check that.
//
// The error is an [*InputError] if take is negative or more than the nodes, or if a value is not a
// number from 0 to 1; dst is then returned unchanged.
//
// Time: O(nodes) on average, by quickselect, and O(nodes·log nodes) at worst.
func (s *Scorer) AppendLowest(dst []int, values []float64, take int) ([]int, error) {
	if err := checkTake(take, len(values)); err != nil {
		return dst, err
	}
	for n, v := range values {
		if !(v >= 0 && v <= 1) {
			return dst, badInput("Values", n, ErrRange, "%v: want a number from 0 to 1", v)
		}
	}
	if take == 0 {
		return dst, nil
	}
	s.copied = append(s.copied[:0], values...)
	limit := selection.Kth(s.copied, take-1)
	equal := take // nodes of the value limit that are taken
	for _, v := range values {
		if v < limit {
			equal--
		}
	}
	for n, v := range values {
		if v < limit {
			dst = append(dst, n)
		} else if v == limit && equal > 0 {
			dst = append(dst, n)
			equal--
		}
	}
	return dst, nil
}

func checkTake(take, nodes int) error {
	if take < 0 {
		return badInput("Take", -1, ErrRange, "%d nodes: want a number that is not negative", take)
	}
	if take > nodes {
		return badInput("Take", -1, ErrTooMany, "%d nodes of %d: want no more than there are", take, nodes)
	}
	return nil
}

// AppendHit appends to dst the jobs that lose a node if the host takes the given nodes. Each job is
// appended once, in the order of State.Jobs. A job that loses one node stops on all its nodes.
//
// The error is an [*InputError] for a state that contradicts itself and for a node that is not in
// the state; dst is then returned unchanged. If nodes has a node twice, the node counts once. Time:
// O(jobs + nodes of the state).
func (s *Scorer) AppendHit(dst []int, st State, nodes []int) ([]int, error) {
	if err := s.census.check(&st); err != nil {
		return dst, err
	}
	for i, n := range nodes {
		if uint(n) >= uint(len(st.Node)) {
			return dst, badInput("Nodes", i, ErrRange, "node %d of %d: want an index of State.Node", n, len(st.Node))
		}
	}
	s.hit = grow.Zero(s.hit, len(st.Jobs))
	for _, n := range nodes {
		if j := st.Node[n]; j != Idle {
			s.hit[j] = true
		}
	}
	for j, hit := range s.hit {
		if hit {
			dst = append(dst, j)
		}
	}
	return dst, nil
}
