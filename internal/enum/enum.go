// Package enum gives enumerations their text: String, MarshalText and
// UnmarshalText from one table of names.
//
//	var policies = enum.New[Policy]("placement", "Policy", ErrUnknown, "max-margin", "min-margin")
//
//	func (p Policy) String() string                { return policies.String(p) }
//	func (p Policy) MarshalText() ([]byte, error)  { return policies.MarshalText(p) }
//	func (p *Policy) UnmarshalText(t []byte) error { return policies.UnmarshalText(p, t) }
package enum

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// Integer is what an enumeration is made of.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// A Table has the names of the values 0, 1, 2, … of an enumeration. It does not
// change and may be used by several goroutines at once.
type Table[T Integer] struct {
	pkg, kind string
	sentinel  error
	names     []string
}

// New returns a table. Errors about values are input errors of package pkg with
// the name of the type, kind, as the field, and unwrap to the sentinel. A value
// whose name is "" is not one of the enumeration.
func New[T Integer](pkg, kind string, sentinel error, names ...string) *Table[T] {
	return &Table[T]{pkg, kind, sentinel, slices.Clone(names)}
}

// Valid reports whether v has a name.
func (t *Table[T]) Valid(v T) bool {
	return v >= 0 && uint64(v) < uint64(len(t.names)) && t.names[v] != ""
}

// String returns the name of v, or Kind(7) for a value 7 that has none.
func (t *Table[T]) String(v T) string {
	if t.Valid(v) {
		return t.names[v]
	}
	n := strconv.FormatUint(uint64(v), 10)
	if v < 0 {
		n = strconv.FormatInt(int64(v), 10)
	}
	return t.kind + "(" + n + ")"
}

// Want returns the names for the end of an error: "fifo, lifo or random".
func (t *Table[T]) Want() string {
	var known []string
	for _, name := range t.names {
		if name != "" {
			known = append(known, name)
		}
	}
	if len(known) < 2 {
		return strings.Join(known, "")
	}
	last := len(known) - 1
	return strings.Join(known[:last], ", ") + " or " + known[last]
}

// MarshalText returns the name of v. The error is for a value that has none.
func (t *Table[T]) MarshalText(v T) ([]byte, error) {
	if !t.Valid(v) {
		return nil, inputerr.New(t.pkg, t.kind, -1, t.sentinel, "%s: want %s", t.String(v), t.Want())
	}
	return []byte(t.names[v]), nil
}

// UnmarshalText sets *v to the value of the name. For text that is no name it
// returns an error that lists the names, and leaves *v as it is.
func (t *Table[T]) UnmarshalText(v *T, text []byte) error {
	if i := slices.Index(t.names, string(text)); i >= 0 && len(text) > 0 {
		*v = T(i)
		return nil
	}
	return inputerr.New(t.pkg, t.kind, -1, t.sentinel, "%q: want %s", inputerr.Cut(text), t.Want())
}
