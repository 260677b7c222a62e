package market

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Sum is what a pass over groups adds up to, see [savings.Sum], with a form in bytes. It takes 8
// bytes for each hour and pair of rates: 70 KB for a year. A provider's price list has some hundred
// pairs.
type Sum struct{ savings.Sum }

// ratesOf returns what a unit-hour of a group costs.
func ratesOf(g *record.Group) savings.Rates {
	r := savings.Rates{OnDemand: g.List.OnDemand}
	if group.Covered(g) {
		r.Plan = g.Savings
	}
	return r
}

// Add adds the answer of a group.
func (s *Sum) Add(g *record.Group, a *group.Answer) {
	if len(g.Paths) == 0 {
		s.Sum.Add(ratesOf(g), a.Fees, a.Bound, a.Left, 1)
		return
	}
	s.AddCost(a.Fees, a.Bound, a.Cost-a.Fees, 1)
}

// Merge adds the groups of o, which stays as it is. Both must be of the same terms and the
// same worth.
func (s *Sum) Merge(o *Sum) { s.Sum.Merge(&o.Sum) }

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
	for _, x := range [...]savings.Total{s.Fees, s.Bound, s.OnDemand} {
		b, _ = x.AppendBinary(b)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Left)))
	for _, rates := range s.Rates() {
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
	sum := Sum{savings.Sum{Groups: r.varint()}}
	for _, x := range [...]*savings.Total{&sum.Fees, &sum.Bound, &sum.OnDemand} {
		r.total(x)
	}
	for range r.count() {
		rates := savings.Rates{OnDemand: pricing.Money(r.uvarint()), Plan: pricing.Money(r.uvarint())}
		if _, twice := sum.Left[rates]; twice || rates.Plan <= 0 || rates.OnDemand <= 0 {
			return errSum
		}
		last := int64(0)
		left := make([]int64, r.count())
		for t := range left {
			last += r.varint()
			left[t] = last
		}
		if sum.Left == nil {
			sum.Left = map[savings.Rates][]int64{}
		}
		sum.Left[rates] = left
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

func (r *reader) total(t *savings.Total) {
	if len(r.b) < 16 || t.UnmarshalBinary(r.b[:16]) != nil {
		r.b, r.bad = nil, true
		return
	}
	r.b = r.b[16:]
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
