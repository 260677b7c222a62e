package market

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// A Ticket is a group's part in the drawing of a sample: its key, its size, and a number that
// its key and a seed draw. Size is the cost on demand, in nanos, of all that contracts do not
// serve. It is 0 for a group that cannot be planned.
type Ticket struct {
	Key    record.Key
	Size   uint64
	Number uint64
}

// Draw returns the ticket of a group.
func Draw(x *group.Terms, g *record.Group, seed uint64) Ticket {
	t := Ticket{Key: g.Key, Number: hash(g.Key, seed)}
	if x.Check(g) != nil {
		return t
	}
	units := uint64(0)
	for _, d := range x.AppendUnheld(nil, g) {
		units += uint64(d)
	}
	if hi, lo := bits.Mul64(units, uint64(max(0, g.List.OnDemand))); hi == 0 && lo <= math.MaxInt64 {
		t.Size = lo
	}
	return t
}

// hash is FNV-1a of the key with a zero after each part, mixed as SplitMix64 does.
func hash(k record.Key, seed uint64) uint64 {
	h := uint64(0xcbf29ce484222325) ^ seed
	for _, part := range [...]string{k.Account, k.Region, k.Kind} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 0x100000001b3
		}
		h *= 0x100000001b3
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// compare orders tickets by Size/(Number+1), the highest first, and then by key.
func (t *Ticket) compare(o *Ticket) int {
	th, tl := product(t.Size, o.Number)
	oh, ol := product(o.Size, t.Number)
	return cmp.Or(cmp.Compare(oh, th), cmp.Compare(ol, tl), t.Key.Compare(o.Key))
}

// product returns a·(b+1) in 128 bits.
func product(a, b uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, a, 0)
	return hi + carry, lo
}

// A Sample is a priority sample of groups, drawn by size: of Duffield, Lund and Thorup,
// "Priority sampling for estimation of arbitrary subset sums", J. ACM 54(6), 2007. A group of
// size w that draws u in (0, 1] has the priority w/u. The Want groups of the highest
// priorities are in the sample, and each stands for max(1, τ/w) groups like it, where τ is
// the highest priority that is not in the sample. Sums over a sample are then right on
// average, and a group that is large in the fleet is in every sample and stands for itself.
//
// A Sample is the same in any order of groups and bundles. The zero value with Want set is
// the sample of no groups.
type Sample struct {
	Want int
	// Tickets are the best of all that were added, in order, at most Want + 1.
	Tickets []Ticket
}

// Add adds a ticket.
func (s *Sample) Add(t Ticket) {
	if len(s.Tickets) > s.Want && s.Tickets[s.Want].compare(&t) <= 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(s.Tickets, t, func(a, b Ticket) int { return a.compare(&b) })
	s.Tickets = slices.Insert(s.Tickets, i, t)
	s.Tickets = s.Tickets[:min(len(s.Tickets), s.Want+1)]
}

// Merge adds the tickets of o, which stays as it is.
func (s *Sample) Merge(o *Sample) {
	for _, t := range o.Tickets {
		s.Add(t)
	}
}

// Times returns how many groups, in parts of 1/[Whole], the group of a ticket stands for: 0
// if the group is not in the sample.
func (s *Sample) Times(t Ticket) int64 {
	if len(s.Tickets) <= s.Want {
		return Whole
	}
	last := &s.Tickets[s.Want]
	if t.compare(last) >= 0 {
		return 0
	}
	// τ/w, with both sides of the division in floating point: a correctly rounded quotient
	// of correctly rounded numbers is the same everywhere.
	tau := float64(last.Size) / (float64(last.Number) + 1) * (1 << 64)
	times := tau / float64(max(1, t.Size)) * Whole
	return max(Whole, int64(min(times, mostTimes*Whole)))
}

// mostTimes keeps sums over a sample within 64 bits.
const mostTimes = 1 << 20

// Tag implements [record.Record].
func (*Sample) Tag() byte { return 'D' }
