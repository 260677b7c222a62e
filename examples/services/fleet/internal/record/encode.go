package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Version is the version of the encoding.
const Version = 5

// ErrEncoding: bytes are no record of the type that is wanted.
var ErrEncoding = errors.New("record: malformed bytes")

// longest is the most hours that a demand may have: what a bill may span.
const longest = 10 * 366 * 24

// A Record is a pointer to one of the types of this package that have an encoding.
type Record interface {
	tag() byte
	code(c *coder)
}

// Append appends the encoding of r to dst. It panics if a demand is longer than ten
// years.
func Append(dst []byte, r Record) []byte {
	c := coder{b: append(dst, r.tag(), Version), writes: true}
	r.code(&c)
	return c.b
}

// Read reads the encoding of a record into r, all of it. It replaces every field of r;
// slices of r are used again where they are large enough. The error unwraps to
// [ErrEncoding], and r is of no use then.
func Read(b []byte, r Record) error {
	switch {
	case len(b) < 2 || b[0] != r.tag():
		return fmt.Errorf("%w: want a record of type %c", ErrEncoding, r.tag())
	case b[1] != Version:
		return fmt.Errorf("%w: version %d: want version %d, as this program writes", ErrEncoding, b[1], Version)
	}
	c := coder{b: b[2:]}
	r.code(&c)
	if c.bad == "" && len(c.b) > 0 {
		c.bad = fmt.Sprintf("%d bytes after the record: want none", len(c.b))
	}
	if c.bad != "" {
		return fmt.Errorf("%w: %s", ErrEncoding, c.bad)
	}
	return nil
}

// A coder writes fields to the end of b, or reads them from its beginning, so that each
// record names its fields once.
type coder struct {
	b      []byte
	writes bool
	bad    string // the first fault
}

func (c *coder) fail(text string) {
	if c.bad == "" {
		c.bad, c.b = text, nil
	}
}

func (c *coder) uvarint(n *uint64) {
	if c.writes {
		c.b = binary.AppendUvarint(c.b, *n)
		return
	}
	v, size := binary.Uvarint(c.b)
	if size <= 0 {
		c.fail("it ends within a number: want the whole record")
		v, size = 0, 0
	}
	*n, c.b = v, c.b[size:]
}

func number[T ~int | ~int64](c *coder, n *T) {
	if c.writes {
		c.b = binary.AppendVarint(c.b, int64(*n))
		return
	}
	v, size := binary.Varint(c.b)
	if size <= 0 {
		c.fail("it ends within a number: want the whole record")
		v, size = 0, 0
	}
	if int64(T(v)) != v {
		c.fail("a number is too large for this machine: want 64 bits")
	}
	*n, c.b = T(v), c.b[size:]
}

func (c *coder) text(s *string) {
	n := uint64(len(*s))
	c.uvarint(&n)
	if c.writes {
		c.b = append(c.b, *s...)
		return
	}
	if n > uint64(len(c.b)) {
		c.fail("it ends within a text: want the whole record")
		n = 0
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

// moment writes seconds, the least number for the zero time, and nanoseconds.
func (c *coder) moment(t *time.Time) {
	s, nanos := int64(math.MinInt64), uint64(0)
	if c.writes && !t.IsZero() {
		s, nanos = t.Unix(), uint64(t.Nanosecond())
	}
	number(c, &s)
	c.uvarint(&nanos)
	if nanos >= uint64(time.Second) || s == math.MinInt64 && nanos > 0 {
		c.fail("a time has more nanoseconds than a second")
		nanos = 0
	}
	if c.writes {
		return
	}
	*t = time.Time{}
	if s != math.MinInt64 {
		*t = time.Unix(s, int64(nanos)).UTC()
	}
}

// span writes nanoseconds.
func (c *coder) span(d *time.Duration) { number(c, d) }

func (c *coder) key(k *Key) {
	c.text(&k.Account)
	c.text(&k.Region)
	c.text(&k.Kind)
}

// list writes a list; least is the fewest bytes of an element.
func list[T any](c *coder, s *[]T, least int, element func(*T)) {
	n := uint64(len(*s))
	c.uvarint(&n)
	if !c.writes {
		if n > uint64(len(c.b)/least) {
			c.fail("a list is longer than the record: want the whole record")
			n = 0
		}
		if *s = (*s)[:0]; uint64(cap(*s)) < n {
			*s = make([]T, 0, n)
		}
		*s = (*s)[:n]
	}
	for i := range *s {
		element(&(*s)[i])
	}
}

// demand writes hours as differences, with runs of equal hours.
func (c *coder) demand(d *[]int) {
	n := uint64(len(*d))
	if c.writes && n > longest {
		panic("record: a demand longer than ten years")
	}
	c.uvarint(&n)
	if c.writes {
		last := 0
		for i := 0; i < len(*d); {
			x := (*d)[i]
			i++
			delta := x - last
			c.b = binary.AppendVarint(c.b, int64(delta))
			last = x
			if delta == 0 {
				run := i
				for i < len(*d) && (*d)[i] == x {
					i++
				}
				c.b = binary.AppendUvarint(c.b, uint64(i-run))
			}
		}
		return
	}
	if n > longest {
		c.fail(fmt.Sprintf("a demand of %d hours: want at most %d", n, longest))
		n = 0
	}
	if *d = (*d)[:0]; uint64(cap(*d)) < n {
		*d = make([]int, 0, n)
	}
	last := 0
	for uint64(len(*d)) < n && c.bad == "" {
		delta := 0
		number(c, &delta)
		last += delta
		run := uint64(0)
		if delta == 0 {
			c.uvarint(&run)
		}
		if run >= n-uint64(len(*d)) {
			c.fail("equal hours go on after the demand: want as many as the demand has")
			return
		}
		if last < 0 || last > math.MaxInt32 {
			c.fail(fmt.Sprintf("a demand of %d units: want 0 to %d", last, math.MaxInt32))
			return
		}
		for range run + 1 {
			*d = append(*d, last)
		}
	}
}

func (c *coder) class(k *pricing.Class) {
	c.text(&k.Name)
	c.span(&k.Term)
	number(c, &k.Upfront)
	number(c, &k.Hourly)
	billed := int64(k.Billed)
	number(c, &billed)
	if !c.writes {
		if k.Billed = pricing.Billing(billed); int64(k.Billed) != billed {
			c.fail("an unknown way of billing")
		}
	}
}

func (*Group) tag() byte   { return 'G' }
func (*Plan) tag() byte    { return 'P' }
func (*Order) tag() byte   { return 'O' }
func (*Failure) tag() byte { return 'F' }
func (*Totals) tag() byte  { return 'T' }

func (g *Group) code(c *coder) {
	c.key(&g.Key)
	c.text(&g.Currency)
	c.text(&g.Unit)
	c.moment(&g.Start)
	c.demand(&g.Demand)
	list(c, &g.Paths, 1, c.demand)
	number(c, &g.List.OnDemand)
	list(c, &g.List.Classes, 5, c.class)
	number(c, &g.Savings)
	list(c, &g.Held, 3, func(k *Contract) {
		c.text(&k.ID)
		number(c, &k.Units)
		c.moment(&k.Until)
	})
}

func (p *Plan) code(c *coder) {
	c.key(&p.Key)
	c.text(&p.Currency)
	number(c, &p.Hours)
	number(c, &p.Cost)
	number(c, &p.Bound)
	list(c, &p.Orders, 6, func(o *Order) {
		o.rest(c)
		if !c.writes {
			o.Key, o.Currency = p.Key, p.Currency
		}
	})
}

func (o *Order) code(c *coder) {
	c.key(&o.Key)
	c.text(&o.Currency)
	o.rest(c)
}

func (o *Order) rest(c *coder) {
	c.text(&o.Class)
	number(c, &o.Units)
	c.moment(&o.Start)
	c.span(&o.Term)
	number(c, &o.Upfront)
	number(c, &o.Hourly)
}

func (f *Failure) code(c *coder) {
	c.key(&f.Key)
	c.text(&f.File)
	number(c, &f.Line)
	c.text(&f.Reason)
}

func (t *Totals) code(c *coder) {
	for _, n := range []*int64{&t.Curves, &t.Hours, &t.Orders, &t.Units, &t.Failures} {
		number(c, n)
	}
}
