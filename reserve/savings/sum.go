package savings

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Rates are what an instance-hour costs on demand and from a savings plan.
type Rates struct {
	OnDemand, Plan pricing.Money
}

// Compare orders rates as a savings plan pays: those with the highest OnDemand/Plan first,
// then those with the lowest Plan.
func (r Rates) Compare(o Rates) int {
	ah, al := bits.Mul64(uint64(r.OnDemand), uint64(o.Plan))
	bh, bl := bits.Mul64(uint64(o.OnDemand), uint64(r.Plan))
	return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al), cmp.Compare(r.Plan, o.Plan))
}

// A Sum adds up the answers of groups in one pass, for [Commit]. The numbers of a Sum are whole.
// Groups can therefore be added in any order, and Sums to Sums, with the same result. The zero
// value is the Sum of no groups.
//
// A Sum takes 8 bytes for each hour and pair of rates: 70 KB a year for each pair. A provider's
// price list has some hundred pairs.
type Sum struct {
	// Groups is the number of groups.
	Groups int64
	// Fees is the sum of what the groups' orders cost in nanos, and Bound the sum of the
	// groups' bounds at the prices of the pass, each less one nano for its rounding.
	Fees, Bound Total
	// OnDemand is what the usage costs, in nanos, that reservations leave and that no savings
	// plan pays for.
	OnDemand Total
	// Left is all other usage that reservations leave, by rates and hour, in units.
	Left map[Rates][]int64
}

// Add adds a group so many times: what its reservations cost, a bound on what it costs at the worths
// of the pass, and the usage that its reservations leave, in units by slot. A Plan of 0 says that the
// savings plan does not pay for the group.
func (s *Sum) Add(r Rates, fees, bound pricing.Money, left []int, times int64) {
	s.AddCost(fees, bound, 0, times)
	if r.Plan <= 0 || r.OnDemand <= 0 {
		units := int64(0) // below 2³¹ units for below 2³¹ slots
		for _, d := range left {
			units += int64(d)
		}
		cost, ok := wide.Mul(int64(r.OnDemand), units)
		if !ok { // the group has no plan, and is here for the search alone
			cost = math.MaxInt64
		}
		s.OnDemand.nanos.AddProduct(cost, times)
		return
	}
	to := s.left(r, len(left))
	for t, d := range left {
		more, ok := wide.Mul(int64(d), times)
		if !ok {
			more = math.MaxInt64
		}
		to[t] = plus(to[t], more)
	}
}

// AddCost adds a group, so many times, for which the savings plan does not pay.
func (s *Sum) AddCost(fees, bound, onDemand pricing.Money, times int64) {
	s.Groups += times
	s.Fees.nanos.AddProduct(int64(fees), times)
	s.Bound.nanos.AddProduct(int64(bound)-1, times)
	s.OnDemand.nanos.AddProduct(int64(onDemand), times)
}

// plus adds numbers that are not negative. A sum beyond 64 bits is the largest number, in any
// order of additions; only members of a sample, counted many times, come so far.
func plus(a, b int64) int64 {
	if sum, ok := wide.Add(a, b); ok {
		return sum
	}
	return math.MaxInt64
}

func (s *Sum) left(r Rates, hours int) []int64 {
	if s.Left == nil {
		s.Left = make(map[Rates][]int64)
	}
	left := s.Left[r]
	if left == nil {
		left = make([]int64, hours)
		s.Left[r] = left
	}
	return left
}

// Merge adds the groups of o, which stays as it is. Both must be of the same terms and the
// same worth.
func (s *Sum) Merge(o *Sum) {
	s.Groups += o.Groups
	s.Fees = s.Fees.Plus(o.Fees)
	s.Bound = s.Bound.Plus(o.Bound)
	s.OnDemand = s.OnDemand.Plus(o.OnDemand)
	for rates, more := range o.Left {
		left := s.left(rates, len(more))
		for t, d := range more {
			left[t] = plus(left[t], d)
		}
	}
}

// Rates returns the rates of the sum in the order in which a savings plan pays.
func (s *Sum) Rates() []Rates {
	return slices.SortedFunc(maps.Keys(s.Left), Rates.Compare)
}

// Scale turns a sum of parts of 1/[Whole] groups into one of groups.
func (s *Sum) Scale() {
	s.Groups /= Whole
	for _, v := range [...]*wide.Int{&s.Fees.nanos, &s.Bound.nanos, &s.OnDemand.nanos} {
		*v = shiftDown(*v, wholeBits)
	}
	for _, left := range s.Left {
		for t, d := range left {
			left[t] = d/Whole + (d%Whole+Whole/2)/Whole
		}
	}
}

// Whole is the number of times that a group counts which stands for itself alone, in a sample whose
// sums are then scaled.
const Whole = 1 << wholeBits

const wholeBits = 10
