package joint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Rates are what a unit-hour costs on demand and from the savings plan.
type Rates struct {
	OnDemand, Plan pricing.Money
}

// compare orders rates as a savings plan pays: those with the highest OnDemand/Plan first,
// then those with the lowest Plan.
func (r Rates) compare(o Rates) int {
	ah, al := bits.Mul64(uint64(r.OnDemand), uint64(o.Plan))
	bh, bl := bits.Mul64(uint64(o.OnDemand), uint64(r.Plan))
	return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al), cmp.Compare(r.Plan, o.Plan))
}

// A Sum is what a pass over groups adds up to. All of it is whole numbers, so that a sum of
// sums is the same in any order and any bundles. The zero value is the sum of no groups.
//
// A Sum takes 8 bytes for each hour and pair of rates: 70 KB for a year. A provider's price
// list has some hundred pairs.
type Sum struct {
	// Groups is the number of groups.
	Groups int64
	// Fees is the sum of what the groups' orders cost in nanos, and Bound the sum of the
	// groups' bounds at the prices of the pass, each less one nano for its rounding.
	Fees, Bound wide.Int
	// OnDemand is what the usage costs, in nanos, that reservations leave and that no savings
	// plan pays for.
	OnDemand wide.Int
	// Left is all other usage that reservations leave, by rates and hour, in units.
	Left map[Rates][]int64
}

// Add adds the answer of a group.
func (s *Sum) Add(g *record.Group, a *group.Answer) {
	if len(g.Paths) == 0 {
		s.add(g, a.Fees, a.Bound, a.Left, 1)
		return
	}
	s.Groups++
	for to, m := range map[*wide.Int]pricing.Money{&s.Fees: a.Fees, &s.Bound: a.Bound - 1, &s.OnDemand: a.Cost - a.Fees} {
		to.AddProduct(int64(m), 1)
	}
}

// add adds a group so many times.
func (s *Sum) add(g *record.Group, fees, bound pricing.Money, left []int, times int64) {
	s.Groups += times
	s.Fees.AddProduct(int64(fees), times)
	s.Bound.AddProduct(int64(bound)-1, times)
	if !group.Covered(g) {
		units := int64(0) // below 2³¹ units for below 2¹⁷ hours
		for _, d := range left {
			units += int64(d)
		}
		cost, ok := wide.Mul(int64(g.List.OnDemand), units)
		if !ok { // the group has no plan, and is here for the search alone
			cost = math.MaxInt64
		}
		s.OnDemand.AddProduct(cost, times)
		return
	}
	to := s.left(Rates{g.List.OnDemand, g.Savings}, len(left))
	for t, d := range left {
		more, ok := wide.Mul(int64(d), times)
		if !ok {
			more = math.MaxInt64
		}
		to[t] = plus(to[t], more)
	}
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

// rates returns the rates of the sum in the order in which a savings plan pays.
func (s *Sum) rates() []Rates {
	return slices.SortedFunc(maps.Keys(s.Left), Rates.compare)
}

// sumVersion is the first byte of an encoded Sum.
const sumVersion = 1

// MarshalBinary returns the same bytes for the same sum:
//
//   - the version 1,
//   - the number of groups as a varint,
//   - fees, bound and on demand, each 16 bytes, the most significant byte first,
//   - the number of rates as a uvarint,
//   - the rates in the order in which a savings plan pays.
//
// A rate is its two prices in nanos and the number of its hours as uvarints, and each
// hour's units less those of the hour before as a varint.
func (s *Sum) MarshalBinary() ([]byte, error) {
	b := []byte{sumVersion}
	b = binary.AppendVarint(b, s.Groups)
	for _, x := range [...]wide.Int{s.Fees, s.Bound, s.OnDemand} {
		b = binary.BigEndian.AppendUint64(b, uint64(x.Hi))
		b = binary.BigEndian.AppendUint64(b, x.Lo)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Left)))
	for _, rates := range s.rates() {
		left := s.Left[rates]
		for _, v := range [...]uint64{uint64(rates.OnDemand), uint64(rates.Plan), uint64(len(left))} {
			b = binary.AppendUvarint(b, v)
		}
		before := int64(0)
		for _, d := range left {
			b = binary.AppendVarint(b, d-before)
			before = d
		}
	}
	return b, nil
}

// errSum says that bytes are not an encoded Sum.
var errSum = errors.New("these bytes are not a sum of groups")

// UnmarshalBinary sets s to the sum that MarshalBinary encoded.
func (s *Sum) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != sumVersion {
		return fmt.Errorf("%w of version %d", errSum, sumVersion)
	}
	r := reader{b: b[1:]}
	sum := Sum{Groups: r.varint()}
	for _, x := range [...]*wide.Int{&sum.Fees, &sum.Bound, &sum.OnDemand} {
		x.Hi, x.Lo = int64(r.word()), r.word()
	}
	for range r.count() {
		rates := Rates{pricing.Money(r.uvarint()), pricing.Money(r.uvarint())}
		if _, twice := sum.Left[rates]; twice || rates.Plan <= 0 || rates.OnDemand <= 0 {
			return errSum
		}
		last := int64(0)
		left := sum.left(rates, r.count())
		for t := range left {
			last += r.varint()
			left[t] = last
		}
	}
	if r.bad || len(r.b) > 0 {
		return errSum
	}
	*s = sum
	return nil
}

// A reader takes numbers off bytes. After an error all numbers are 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) skip(n int) {
	if n <= 0 || n > len(r.b) {
		r.b, r.bad = nil, true
		return
	}
	r.b = r.b[n:]
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	r.skip(n)
	return v
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	r.skip(n)
	return v
}

// count returns a number of things that take at least a byte each.
func (r *reader) count() int {
	v := r.uvarint()
	if v > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return 0
	}
	return int(v)
}

func (r *reader) word() uint64 {
	if len(r.b) < 8 {
		r.b, r.bad = nil, true
		return 0
	}
	v := binary.BigEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

func (r *reader) text() string {
	n := r.count()
	if n == 0 {
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
