package record

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Version is the version of the encoding.
const Version = 7

// ErrEncoding: bytes are no record of the type that is wanted.
var ErrEncoding = errors.New("record: malformed bytes")

// longest is the most hours that a series may have: what a bill may span.
const longest = 10 * 366 * 24

// A Record is a pointer to a struct that the steps pass to each other. Its exported fields are
// what is encoded.
type Record interface {
	// Tag is a letter for the type.
	Tag() byte
}

// Append appends the encoding of r to dst. It panics if a series is longer than ten years.
func Append(dst []byte, r Record) []byte {
	c := coder{b: append(dst, r.Tag(), Version), writes: true}
	c.value(reflect.ValueOf(r).Elem())
	return c.b
}

// Read reads the encoding of a record into r, all of it. It replaces every field of r;
// slices of r are used again where they are large enough. The error unwraps to
// [ErrEncoding], and r is of no use then.
func Read(b []byte, r Record) error {
	switch {
	case len(b) < 2 || b[0] != r.Tag():
		return fmt.Errorf("%w: want a record of type %c", ErrEncoding, r.Tag())
	case b[1] != Version:
		return fmt.Errorf("%w: version %d: want version %d, as this program writes", ErrEncoding, b[1], Version)
	}
	c := coder{b: b[2:]}
	c.value(reflect.ValueOf(r).Elem())
	if c.bad == "" && len(c.b) > 0 {
		c.bad = fmt.Sprintf("%d bytes after the record: want none", len(c.b))
	}
	return c.err()
}

// Account returns the account of an encoded Usage, Group, Plan or Failure, which is the first field of
// each, and reads no more of it.
func Account(b []byte) (name string, err error) {
	if len(b) < 2 || b[1] != Version {
		return "", fmt.Errorf("%w: want a record of version %d", ErrEncoding, Version)
	}
	c := coder{b: b[2:]}
	c.text(&name)
	return name, c.err()
}

// A coder writes fields to the end of b, or reads them from its beginning.
type coder struct {
	b      []byte
	writes bool
	bad    string // the first fault
}

func (c *coder) err() error {
	if c.bad == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrEncoding, c.bad)
}

func (c *coder) fail(text string) {
	if c.bad == "" {
		c.bad, c.b = text, nil
	}
}

// value writes or reads a value, which must be addressable.
func (c *coder) value(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *[]int:
		series(c, p, func(n *int, last int) {
			d := int64(*n - last)
			c.number(&d)
			*n = last + int(d)
		})
		return
	case *[]int64:
		series(c, p, func(n *int64, last int64) {
			d := *n - last
			c.number(&d)
			*n = last + d
		})
		return
	case *[]usage.Amount:
		series(c, p, func(a *usage.Amount, last usage.Amount) {
			d := a.Minus(last)
			c.marshalled(d, &d)
			*a = last.Plus(d)
		})
		return
	case *time.Time:
		*p = c.moment(*p)
		return
	case encoding.TextUnmarshaler:
		if m, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() == reflect.Struct {
			c.marshalled(m, p)
			return
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			c.value(v.Field(i))
		}
	case reflect.Slice:
		n := c.length(v.Len())
		if v.Cap() < n {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
		}
		v.SetLen(n)
		for i := range n {
			c.value(v.Index(i))
		}
	case reflect.Map:
		c.table(v)
	case reflect.String:
		s := v.String()
		c.text(&s)
		v.SetString(s)
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		c.uvarint(&n)
		v.SetBool(n != 0)
	case reflect.Int, reflect.Int64:
		n := v.Int()
		c.number(&n)
		v.SetInt(n)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		n := v.Uint()
		c.uvarint(&n)
		if v.OverflowUint(n) {
			c.fail("a number is too large for its field")
			n = 0
		}
		v.SetUint(n)
	default:
		panic("record: no encoding of a " + v.Type().String())
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

func (c *coder) number(n *int64) {
	if c.writes {
		c.b = binary.AppendVarint(c.b, *n)
		return
	}
	v, size := binary.Varint(c.b)
	if size <= 0 {
		c.fail("it ends within a number: want the whole record")
		v, size = 0, 0
	}
	*n, c.b = v, c.b[size:]
}

// length writes or reads a number of things that take a byte each or more.
func (c *coder) length(n int) int {
	v := uint64(n)
	if c.uvarint(&v); !c.writes && v > uint64(len(c.b)) {
		c.fail("it ends within a list or a text: want the whole record")
		v = 0
	}
	return int(v)
}

func (c *coder) text(s *string) {
	n := c.length(len(*s))
	if c.writes {
		c.b = append(c.b, *s...)
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

// marshalled writes what has a form as text, such as an amount, or reads it.
func (c *coder) marshalled(from encoding.TextMarshaler, to encoding.TextUnmarshaler) {
	var s string
	if c.writes {
		b, err := from.MarshalText()
		if err != nil {
			panic("record: " + err.Error())
		}
		s = string(b)
	}
	c.text(&s)
	if !c.writes && c.bad == "" {
		if err := to.UnmarshalText([]byte(s)); err != nil {
			c.fail(err.Error())
		}
	}
}

// moment writes a time, or reads one.
func (c *coder) moment(t time.Time) time.Time {
	t = t.UTC()
	c.marshalled(t, &t)
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		c.fail("a time is in no year from 0 to 9999")
	}
	return t
}

// table writes a map in the order of the encoded keys, or reads one.
func (c *coder) table(v reflect.Value) {
	n := c.length(v.Len())
	key, of := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	if c.writes {
		all := make([][]byte, 0, n)
		for k, x := range v.Seq2() {
			one := coder{writes: true}
			key.Set(k)
			one.value(key)
			of.Set(x)
			one.value(of)
			all = append(all, one.b)
		}
		slices.SortFunc(all, bytes.Compare)
		c.b = append(c.b, bytes.Join(all, nil)...)
		return
	}
	v.SetZero()
	for range n {
		key.SetZero()
		of.SetZero()
		c.value(key)
		c.value(of)
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if v.MapIndex(key).IsValid() {
			c.fail("a key is there twice")
			return
		}
		v.SetMapIndex(key, of)
	}
}

// series writes or reads hours: of each, the difference from the hour before, and after a
// difference of 0 how many more hours are equal.
func series[T comparable](c *coder, hours *[]T, hour func(x *T, last T)) {
	n := uint64(len(*hours))
	if c.writes && n > longest {
		panic("record: a series longer than ten years")
	}
	c.uvarint(&n)
	if n > longest {
		c.fail(fmt.Sprintf("a series of %d hours: want at most %d", n, longest))
		n = 0
	}
	if !c.writes {
		*hours = slices.Grow((*hours)[:0], int(n))[:n]
	}
	var last T
	for t := 0; t < int(n) && c.bad == ""; {
		x := (*hours)[t]
		hour(&x, last)
		run := uint64(0)
		if x == last {
			for c.writes && t+1+int(run) < int(n) && (*hours)[t+1+int(run)] == x {
				run++
			}
			if c.uvarint(&run); run >= n-uint64(t) {
				c.fail("equal hours go on after the series: want as many as the series has")
				return
			}
		}
		for range run + 1 {
			(*hours)[t] = x
			t++
		}
		last = x
	}
}
