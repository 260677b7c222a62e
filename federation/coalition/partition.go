package coalition

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// AppendPartition finds the federations that should form: the partition of all members into
// coalitions that together cost least. AppendPartition appends the coalitions to dst, in the order
// of their lowest members, and returns the cost of the partition.
//
// Ties: of partitions with equal costs, AppendPartition takes the partition whose first coalition,
// that of member 0, is the greatest Set. If the first coalitions are equal, the second coalitions
// decide, and so on. All members stay together if no partition saves money. The error is that of
// [Costs.Validate]; dst is then unchanged.
//
// The best partition of a set consists of a coalition with the lowest member of the set, and the
// best partition of the other members. Time: O(3ⁿ) for n members. Space: O(2ⁿ).
func (s *Solver) AppendPartition(dst []Set, c Costs) ([]Set, pricing.Money, error) {
	if err := c.Validate(); err != nil {
		return dst, 0, err
	}
	s.best, s.part = grow.To(s.best, len(c)), grow.To(s.part, len(c))
	s.best[0] = 0
	for set := Set(1); int(set) < len(c); set++ {
		first := set & -set
		rest := set ^ first
		least, part := c[set], set
		for others := rest; others != 0; { // proper subsets of rest, descending
			others = (others - 1) & rest
			if x := c[first|others] + s.best[rest^others]; x < least {
				least, part = x, first|others
			}
		}
		s.best[set], s.part[set] = least, part
	}
	for set := c.All(); set != 0; set &^= s.part[set] { // the part of the lowest member is the next
		dst = append(dst, s.part[set])
	}
	return dst, s.best[c.All()], nil
}
