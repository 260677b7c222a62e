package coalition

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

const (
	// MaxMembers is the greatest number of members of a [Costs] table.
	MaxMembers = 16
	// MaxCost is the greatest cost of a coalition, and −MaxCost the least: 72 million
	// currency units. Shares are then below 4·MaxCost, and the shares of 16 members add
	// up in 64 bits.
	MaxCost pricing.Money = 1 << 56
)

// Costs has the cost of each coalition of n members: Costs[s] is the cost of the
// coalition s, a [Set]. Its length is 2ⁿ, and the cost of nobody, Costs[0], is 0.
// A cost below 0 is an income.
type Costs []pricing.Money

// Members returns n, the number of members.
func (c Costs) Members() int { return bits.Len(uint(len(c))) - 1 }

// All returns the coalition of all members.
func (c Costs) All() Set { return Set(len(c) - 1) }

// Validate returns a *pricing.InputError unless c has 2ⁿ elements for 1 ≤ n ≤ [MaxMembers],
// the first is 0, and all are from −[MaxCost] to MaxCost.
func (c Costs) Validate() error {
	n := c.Members()
	switch {
	case n < 1 || n > MaxMembers || len(c) != 1<<n:
		return badInput("Costs", -1, ErrLength, "%d costs: want one for each coalition of 1 to %d members, 2, 4, 8, … in number", len(c), MaxMembers)
	case c[0] != 0:
		return badInput("Costs", 0, ErrRange, "%v for a coalition of nobody: want 0", c[0])
	}
	for s, x := range c {
		if x < -MaxCost || x > MaxCost {
			return badInput("Costs", s, ErrOverflow, "%v for coalition %v: want at most %v", x, Set(s), MaxCost)
		}
	}
	return nil
}

// sumOf returns the sum of shares over the members of a coalition.
func (s Set) sumOf(shares []pricing.Money) (sum pricing.Money) {
	for i := range s.Members() {
		sum += shares[i]
	}
	return sum
}

// A Departure is a coalition whose members together pay more than they would by
// themselves.
type Departure struct {
	Set  Set
	Gain pricing.Money // what the coalition pays less by itself
}

// AppendDepartures appends to dst each coalition whose shares add up to more than its own cost. The
// coalition with the greatest gain comes first; ties go to the lower Set. If shares add up to the
// cost of all members and no coalition departs, the shares are in the core. If shares add up to
// more than the cost of all members, the coalition of all members is among the departures.
//
// The error is that of [Costs.Validate], or an [*pricing.InputError] that unwraps to [ErrOverflow]
// if a share is too large. After an error AppendDepartures returns dst unchanged. AppendDepartures
// panics if the number of shares is not the number of members. Time: O(2ⁿ·n) for n members.
func (c Costs) AppendDepartures(dst []Departure, shares []pricing.Money) ([]Departure, error) {
	if err := c.Validate(); err != nil {
		return dst, err
	}
	if len(shares) != c.Members() {
		panic("coalition: number of shares is not the number of members")
	}
	for i, x := range shares {
		if x < -4*MaxCost || x > 4*MaxCost {
			return dst, badInput("shares", i, ErrOverflow, "%v: want at most %v", x, 4*MaxCost)
		}
	}
	from := len(dst)
	for s := Set(1); int(s) < len(c); s++ {
		if gain := s.sumOf(shares) - c[s]; gain > 0 {
			dst = append(dst, Departure{s, gain})
		}
	}
	slices.SortFunc(dst[from:], func(a, b Departure) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Set, b.Set))
	})
	return dst, nil
}
