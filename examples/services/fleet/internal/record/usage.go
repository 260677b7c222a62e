package record

import (
	"cmp"
	"encoding/binary"
	"fmt"
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

// MarshalBinary returns the encoding.
func (v *Inventory) MarshalBinary() ([]byte, error) { return Append(nil, v), nil }

// UnmarshalBinary reads what MarshalBinary writes.
func (v *Inventory) UnmarshalBinary(b []byte) error { return Read(b, v) }

func (*Usage) tag() byte     { return 'U' }
func (*Inventory) tag() byte { return 'H' }

// Account returns the account of an encoded Usage, and reads no more of it.
func Account(b []byte) (string, error) {
	if len(b) < 2 || b[0] != 'U' || b[1] != Version {
		return "", fmt.Errorf("%w: want a record of type U and version %d", ErrEncoding, Version)
	}
	c := coder{b: b[2:]}
	var name string
	c.text(&name)
	if c.bad != "" {
		return "", fmt.Errorf("%w: %s", ErrEncoding, c.bad)
	}
	return name, nil
}

func (u *Usage) code(c *coder) {
	c.text(&u.Account)
	c.text(&u.Currency)
	c.text(&u.File)
	list(c, &u.Series, 7, c.series)
	list(c, &u.Held, 8, c.held)
	list(c, &u.Rows, 8, c.hash)
}

func (v *Inventory) code(c *coder) { list(c, &v.Held, 8, c.held) }

func (c *coder) held(h *Held) {
	c.text(&h.Provider)
	c.text(&h.ID)
	c.text(&h.Unit)
	spend := 0
	if h.Spend {
		spend = 1
	}
	number(c, &spend)
	h.Spend = spend != 0
	c.moment(&h.Start)
	c.moment(&h.End)
	c.amount(&h.PerHour)
	list(c, &h.Kinds, 6, func(k *usage.KindHours) {
		c.kind(&k.Kind)
		c.amount(&k.Hours)
	})
	c.moment(&h.Money.Start)
	c.amounts(&h.Money.Hours)
	list(c, &h.Paid, 7, c.series)
	c.series(&h.Left)
	c.series(&h.Idle)
	c.text(&h.Name)
	c.moment(&h.Last)
}

func (c *coder) series(s *Series) {
	c.kind(&s.Kind)
	c.moment(&s.Start)
	c.amounts(&s.Hours)
}

// hash writes eight bytes, the lowest first.
func (c *coder) hash(h *uint64) {
	if c.writes {
		c.b = binary.LittleEndian.AppendUint64(c.b, *h)
		return
	}
	if len(c.b) < 8 {
		c.fail("it ends within a hash: want the whole record")
		return
	}
	*h, c.b = binary.LittleEndian.Uint64(c.b), c.b[8:]
}

func (c *coder) kind(k *usage.Kind) {
	for _, s := range []*string{&k.Provider, &k.Region, &k.Type, &k.System, &k.Tenancy} {
		c.text(s)
	}
}

// amount writes the shortest exact decimal as a text.
func (c *coder) amount(a *usage.Amount) {
	var s string
	if c.writes {
		s = a.String()
	}
	c.text(&s)
	if c.writes {
		return
	}
	*a = usage.Amount{}
	if c.bad == "" {
		if err := a.UnmarshalText([]byte(s)); err != nil {
			c.fail("an amount is no decimal")
		}
	}
}

// amounts writes hours as runs: an amount, and how many hours after it are equal.
func (c *coder) amounts(hours *[]usage.Amount) {
	n := uint64(len(*hours))
	if c.writes && n > longest {
		panic("record: a series longer than ten years")
	}
	c.uvarint(&n)
	if c.writes {
		for i := 0; i < len(*hours); {
			a := (*hours)[i]
			from := i
			for i < len(*hours) && (*hours)[i] == a {
				i++
			}
			c.amount(&a)
			c.b = binary.AppendUvarint(c.b, uint64(i-from-1))
		}
		return
	}
	if n > longest {
		c.fail(fmt.Sprintf("a series of %d hours: want at most %d", n, longest))
		n = 0
	}
	*hours = (*hours)[:0]
	for uint64(len(*hours)) < n && c.bad == "" {
		var a usage.Amount
		var run uint64
		c.amount(&a)
		c.uvarint(&run)
		if run >= n-uint64(len(*hours)) {
			c.fail("equal hours go on after the series: want as many as the series has")
			return
		}
		for range run + 1 {
			*hours = append(*hours, a)
		}
	}
}
