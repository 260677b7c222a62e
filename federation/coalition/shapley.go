package coalition

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The Shapley value, exactly.
//
//	φ_i = Σ_{S∌i} |S|!·(n−|S|−1)!/n! · (c(S∪i) − c(S))
//
// Idea. Let the members join in random order, each paying what its joining adds to
// the cost. The Shapley value is the mean of that payment over all n! orders. n!·φ_i is
// a whole number of nanos, so the sum is exact in 128 bits.
//
// Rounding. ⌊φ_i⌋ is at most a nano below φ_i, and the shares together are r < n nanos
// short. The r members with the greatest remainders pay a nano more; ties go to the
// lower member. So the shares add up to the cost of all, to the nano.
//
// Time: O(2ⁿ·n). Space: O(n).

// A Solver computes shares from a table of costs. The zero value is ready. A Solver
// keeps its memory and allocates nothing once it suffices. It is for one goroutine at
// a time.
type Solver struct {
	sums  []wide.Int
	rests []uint64

	// Of the core.
	adjoint []int64    // D·B⁻¹, row by row
	base    []Set      // by row of the basis; 0 is the price of all, row 0
	entry   []int64    // a column times adjoint
	x       []wide.Int // D times the shares, then D times the slack
	by      []wide.Int // by coalition: the sum of x
	proof   []Weighted

	best []pricing.Money // by coalition: the least cost of a partition
	part []Set           // its first part
}

// ShapleyTo puts the Shapley value of each member into dst. The shares are rounded to
// nanos and add up to the cost of all members. The error is that of
// [Costs.Validate]; dst is then unchanged. It panics if the length of dst is not the
// number of members. Time: O(2ⁿ·n).
func (s *Solver) ShapleyTo(dst []pricing.Money, c Costs) error {
	if err := c.Validate(); err != nil {
		return err
	}
	n := c.Members()
	if len(dst) != n {
		panic("coalition: length of dst is not the number of members")
	}
	// weight[k] = k!·(n−k−1)!
	var weight [MaxMembers]int64
	factorial := int64(1)
	for k := 1; k < n; k++ {
		factorial *= int64(k)
	}
	weight[0] = factorial // (n−1)!
	for k := 1; k < n; k++ {
		weight[k] = weight[k-1] / int64(n-k) * int64(k)
	}
	s.sums = grow.Zero(s.sums, n)
	for set := Set(0); int(set) < len(c); set++ {
		for rest := c.All() &^ set; rest != 0; rest &= rest - 1 {
			one := rest & -rest
			i := (one - 1).Len()
			s.sums[i].AddProduct(weight[set.Len()], int64(c[set|one]-c[set]))
		}
	}
	s.divide(dst, s.sums, uint64(factorial)*uint64(n), c[c.All()])
	return nil
}

// divide puts sums/by into dst, rounded so that dst adds up to total. The exact
// quotients add up to total.
func (s *Solver) divide(dst []pricing.Money, sums []wide.Int, by uint64, total pricing.Money) {
	s.rests = grow.To(s.rests, len(dst))
	left := total
	for i := range dst {
		q, rest := floor(sums[i], by)
		dst[i], s.rests[i] = pricing.Money(q), rest
		left -= dst[i]
	}
	for ; left > 0; left-- {
		most := 0
		for i, r := range s.rests {
			if r > s.rests[most] {
				most = i
			}
		}
		dst[most]++
		s.rests[most] = 0
	}
}

// floor returns ⌊x/n⌋ and what is left. The quotient fits in an int64.
func floor(x wide.Int, n uint64) (q int64, rest uint64) {
	u, rest, _ := x.Unsigned().Over(n)
	if x.Sign() >= 0 {
		return int64(u), rest
	}
	if rest == 0 {
		return -int64(u), 0
	}
	return -int64(u) - 1, n - rest
}
