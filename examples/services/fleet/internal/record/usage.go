package record

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A Usage is what one file of a bill says of one account.
type Usage struct {
	Account, Currency, File string
	Series                  []Series
	Held                    []Held
	// Rows are hashes of the rows, sorted: all of them, or the smallest of a long file.
	Rows []uint64
}

// A Series is how many instance-hours of a kind were used in each hour. Corrections can
// make an hour negative.
type Series struct {
	Kind  usage.Kind
	Start time.Time // of the first hour, in UTC
	Hours []usage.Amount
}

// Add adds the hours of o, which begins a whole number of hours before or after s. Both begin
// at a time if they have hours.
func (s *Series) Add(o *Series) {
	if len(o.Hours) == 0 {
		return
	}
	if len(s.Hours) == 0 {
		s.Start = o.Start
	}
	if n := int(s.Start.Sub(o.Start) / time.Hour); n > 0 {
		s.Start, s.Hours = o.Start, append(make([]usage.Amount, n), s.Hours...)
	}
	first := int(o.Start.Sub(s.Start) / time.Hour)
	if n := first + len(o.Hours) - len(s.Hours); n > 0 {
		s.Hours = append(s.Hours, make([]usage.Amount, n)...)
	}
	for t, a := range o.Hours {
		s.Hours[first+t] = s.Hours[first+t].Plus(a)
	}
}

// A Held is a commitment that a bill shows: see [usage.Held].
type Held struct {
	Provider, ID, Unit string
	Spend              bool // committed to money
	Start, End         time.Time
	PerHour            usage.Amount
	Kinds              []usage.KindHours
	// Money is what a commitment to money paid in each hour, for instances and for nothing.
	// What it paid for other use is not in it. It has no Kind.
	Money Series
	// Paid is what of Money paid for each kind. It is empty in an Inventory, which has two sums
	// instead: Left is what of Money paid for use that is not planned, and Idle what nothing used.
	Paid       []Series
	Left, Idle Series
	// Name is what the bill calls it and its type. Last is when the bills of the accounts that
	// it pays for end.
	Name string
	Last time.Time
}

// Add adds what another file or another account says of the same commitment. The sum does
// not depend on the order, but for that of the kinds.
func (h *Held) Add(o *Held) {
	h.Unit = max(h.Unit, o.Unit)
	h.Spend = h.Spend || o.Spend
	if !o.Start.IsZero() && (h.Start.IsZero() || o.Start.Before(h.Start)) {
		h.Start = o.Start
	}
	if o.End.After(h.End) {
		h.End = o.End
	}
	if o.PerHour.Compare(h.PerHour) > 0 {
		h.PerHour = o.PerHour
	}
	h.Kinds = append(h.Kinds, o.Kinds...)
	h.Money.Add(&o.Money)
	h.Paid = append(h.Paid, o.Paid...)
	h.Left.Add(&o.Left)
	h.Idle.Add(&o.Idle)
	h.Name = max(h.Name, o.Name)
	if o.Last.After(h.Last) {
		h.Last = o.Last
	}
}

// An Inventory is what accounts hold together, sorted by provider and ID.
type Inventory struct{ Held []Held }

// Merge adds what o holds, which stays as it is.
func (v *Inventory) Merge(o *Inventory) {
	for i := range o.Held {
		h := &o.Held[i]
		at, ok := slices.BinarySearchFunc(v.Held, h, func(a Held, b *Held) int {
			return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
		})
		if !ok {
			v.Held = slices.Insert(v.Held, at, Held{Provider: h.Provider, ID: h.ID})
		}
		v.Held[at].Add(h)
	}
}

// Tag implements [Record].
func (*Usage) Tag() byte { return 'U' }

// Tag implements [Record].
func (*Inventory) Tag() byte { return 'H' }
