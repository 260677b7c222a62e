package pricing

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// Billing says for which hours of its term a reservation pays its hourly price.
type Billing uint8

const (
	// Always bills every hour of the term, used or not. EC2's heavy utilisation was
	// billed so, and so is everything that EC2 has sold since late 2014.
	Always Billing = iota
	// WhenUsed bills the hours in which the reservation is used. EC2's light and
	// medium utilisation were billed so.
	WhenUsed
)

var billings = enum.New[Billing]("pricing", "Billing", ErrUnknown, "always", "when-used")

// String returns "always" or "when-used".
func (b Billing) String() string { return billings.String(b) }

// MarshalText returns "always" or "when-used". The error, for any other value,
// unwraps to [ErrUnknown].
func (b Billing) MarshalText() ([]byte, error) { return billings.MarshalText(b) }

// UnmarshalText reads "always" or "when-used". The error, for any other text,
// unwraps to [ErrUnknown].
func (b *Billing) UnmarshalText(text []byte) error { return billings.UnmarshalText(b, text) }

// Class is a price class: one reservation costs Upfront when it is bought, and
// lowers the price of one instance to Hourly for the length of Term. It is the
// triple ⟨T, F, P⟩ of [Niu16] section 5.1.1, with the rule by which P is billed.
type Class struct {
	Name    string
	Term    time.Duration // > 0
	Upfront Money         // ≥ 0, per reservation
	Hourly  Money         // ≥ 0, per hour
	Billed  Billing
}

// OnDemand returns the price class of an instance without a reservation: nothing
// upfront, and hourly for each hour used. Its term, one hour, has no meaning.
func OnDemand(hourly Money) Class {
	return Class{Name: "on-demand", Term: time.Hour, Hourly: hourly, Billed: WhenUsed}
}

// Validate returns an [*InputError] about the first field that is wrong: an empty
// Name, a Term that is not positive, a negative price, an unknown Billed, or a
// cost of the whole term that does not fit in [Money].
func (c Class) Validate() error { return c.validate("", -1) }

// validate names the fields after a prefix, such as "Classes.".
func (c Class) validate(prefix string, index int) error {
	switch {
	case c.Name == "":
		return badInput(prefix+"Name", index, ErrMissing, "the class has no name: want one")
	case c.Term <= 0:
		return badInput(prefix+"Term", index, ErrRange, "%v: want a positive length", c.Term)
	case c.Upfront < 0:
		return badInput(prefix+"Upfront", index, ErrRange, "%v: want a price of 0 or more", c.Upfront)
	case c.Hourly < 0:
		return badInput(prefix+"Hourly", index, ErrRange, "%v: want a price of 0 or more", c.Hourly)
	case !billings.Valid(c.Billed):
		return badInput(prefix+"Billed", index, ErrUnknown, "%v: want %s", c.Billed, billings.Want())
	}
	hourly, ok := mulDiv(c.Hourly, int64(c.Term), int64(time.Hour), HalfEven)
	if !ok || hourly > math.MaxInt64-c.Upfront {
		return badInput(prefix+"Hourly", index, ErrOverflow, "%v upfront and %v an hour for %v: want a cost of at most 9223372036.854775807", c.Upfront, c.Hourly, c.Term)
	}
	return nil
}

// Commitment returns the cost of one reservation that is never used: Upfront, and
// Hourly over the whole term if the class is billed [Always], rounded half to
// even. The error is [ErrOverflow].
func (c Class) Commitment() (Money, error) {
	if c.Billed != Always {
		return c.Upfront, nil
	}
	hourly, err := c.Hourly.Over(c.Term, HalfEven)
	if err != nil {
		return 0, err
	}
	return c.Upfront.Add(hourly)
}

// UsePrice returns what an hour of use adds to the commitment: Hourly, or 0 if the
// class is billed [Always].
func (c Class) UsePrice() Money {
	if c.Billed == Always {
		return 0
	}
	return c.Hourly
}

// List is a price list for one type of instance: the price on demand, per hour,
// and the classes of reservations. The order of the classes decides ties, and
// nothing else.
type List struct {
	OnDemand Money
	Classes  []Class
}

// Validate returns an [*InputError] about the first thing that is wrong: a
// negative price on demand, a class that [Class.Validate] refuses, or a name that
// two classes have. A class that costs more than on demand is valid. Time O(n²)
// for n classes; no memory.
func (l List) Validate() error {
	if l.OnDemand < 0 {
		return badInput("OnDemand", -1, ErrRange, "%v: want a price of 0 or more", l.OnDemand)
	}
	for i, c := range l.Classes {
		if err := c.validate("Classes.", i); err != nil {
			return err
		}
		for j := range i {
			if l.Classes[j].Name == c.Name {
				return badInput("Classes.Name", i, ErrDuplicate, "%s is the name of class %d: want another name", inputerr.Quote(c.Name), j)
			}
		}
	}
	return nil
}

// Find returns the index in Classes of the class with the given name, for a
// [Purchase] or a [Holding]. The error, an [*InputError] that unwraps to
// [ErrUnknown], lists the names that there are; the index is then -1. Time O(n).
func (l List) Find(name string) (int, error) {
	for i := range l.Classes {
		if l.Classes[i].Name == name {
			return i, nil
		}
	}
	names := "a name of a list that has classes"
	if len(l.Classes) > 0 {
		names = l.names()
	}
	return -1, badInput("Classes.Name", -1, ErrUnknown, "%s: want %s", inputerr.Quote(name), names)
}

// names returns the names of the classes for an error, at most 20 of them.
func (l List) names() string {
	const most = 20
	var b strings.Builder
	for i, c := range l.Classes {
		switch {
		case i == most:
			b.WriteString(" or one of " + strconv.Itoa(len(l.Classes)-most) + " more")
			return b.String()
		case i > 0 && i == len(l.Classes)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(c.Name)
	}
	return b.String()
}
