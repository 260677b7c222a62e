package pricing

import (
	"math"
	"strconv"
	"time"
)

// Billing says for which hours of its term a reservation pays its hourly price.
type Billing uint8

const (
	// Always: for every hour of the term, used or not. So it was with EC2's heavy
	// utilisation, and so it is with all that EC2 has sold since late 2014.
	Always Billing = iota
	// WhenUsed: for the hours in which the reservation is used. So it was with
	// EC2's light and medium utilisation.
	WhenUsed
)

// String returns "always" or "when-used".
func (b Billing) String() string {
	switch b {
	case Always:
		return "always"
	case WhenUsed:
		return "when-used"
	}
	return "Billing(" + strconv.Itoa(int(b)) + ")"
}

// MarshalText returns "always" or "when-used"; the error, for any other value,
// unwraps to [ErrUnknown].
func (b Billing) MarshalText() ([]byte, error) {
	if b > WhenUsed {
		return nil, badInput("billed", -1, ErrUnknown, "the value %d is neither Always nor WhenUsed", uint8(b))
	}
	return []byte(b.String()), nil
}

// UnmarshalText reads "always" or "when-used"; the error, for any other text,
// unwraps to [ErrUnknown].
func (b *Billing) UnmarshalText(text []byte) error {
	switch string(text) {
	case "always":
		*b = Always
	case "when-used":
		*b = WhenUsed
	default:
		return badInput("billed", -1, ErrUnknown, `%s is neither "always" nor "when-used"`, quote(string(text)))
	}
	return nil
}

// Class is a price class: one reservation costs Upfront when it is bought and
// lowers the price of one instance to Hourly for the length of Term. It is the
// triple ⟨T, F, P⟩ of [Niu16] section 5.1.1, and how P is billed.
type Class struct {
	Name    string
	Term    time.Duration // > 0
	Upfront Money         // ≥ 0, per reservation
	Hourly  Money         // ≥ 0, per hour
	Billed  Billing
}

// OnDemand returns the price class of instances without a reservation: nothing
// upfront, the given price for each hour used. Its term, which means nothing, is
// one hour.
func OnDemand(hourly Money) Class {
	return Class{Name: "on-demand", Term: time.Hour, Hourly: hourly, Billed: WhenUsed}
}

// Commitment returns what one reservation costs even if it is never used:
// Upfront, and where it is billed Always also Hourly over the whole term, rounded
// half to even. The error is [ErrOverflow].
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

// UsePrice returns what each hour of use adds to the commitment: Hourly, or
// nothing where the class is billed Always.
func (c Class) UsePrice() Money {
	if c.Billed == Always {
		return 0
	}
	return c.Hourly
}

// Cost returns what one reservation costs over its whole term when it is used
// for the given time of it: the commitment and the use price, each rounded half
// to even. The error is [ErrOverflow], or [ErrRange] unless 0 ≤ used ≤ c.Term.
func (c Class) Cost(used time.Duration) (Money, error) {
	if used < 0 || used > c.Term {
		return 0, badInput("used", -1, ErrRange, "%v is not between 0 and the term of %v", used, c.Term)
	}
	fixed, err := c.Commitment()
	if err != nil {
		return 0, err
	}
	use, err := c.UsePrice().Over(used, HalfEven)
	if err != nil {
		return 0, err
	}
	return fixed.Add(use)
}

// List is a price list for one type of instance: the price on demand, per hour,
// and the classes of reservations. The order of the classes decides ties, and
// nothing else.
type List struct {
	OnDemand Money
	Classes  []Class
}

// Validate returns an [*InputError] about the first thing that is wrong: a
// negative price, an empty or repeated name, a term that is not positive, an
// unknown billing, or a commitment that does not fit in [Money]. A class that no
// one should buy is not wrong. Time O(n²) in the number of classes; no memory.
func (l List) Validate() error {
	if l.OnDemand < 0 {
		return badInput("on_demand", -1, ErrRange, "the price %v is negative", l.OnDemand)
	}
	for i, c := range l.Classes {
		switch {
		case c.Name == "":
			return badInput("classes.name", i, ErrMissing, "the class has no name")
		case c.Term <= 0:
			return badInput("classes.term", i, ErrRange, "%v is not positive", c.Term)
		case c.Upfront < 0:
			return badInput("classes.upfront", i, ErrRange, "the price %v is negative", c.Upfront)
		case c.Hourly < 0:
			return badInput("classes.hourly", i, ErrRange, "the price %v is negative", c.Hourly)
		case c.Billed > WhenUsed:
			return badInput("classes.billed", i, ErrUnknown, "the value %d is neither Always nor WhenUsed", uint8(c.Billed))
		}
		hourly, ok := mulDiv(c.Hourly, int64(c.Term), int64(time.Hour), HalfEven)
		if !ok || hourly > math.MaxInt64-c.Upfront {
			return badInput("classes.hourly", i, ErrOverflow, "the price of a whole term does not fit in an amount of money")
		}
		for j := range i {
			if l.Classes[j].Name == c.Name {
				return badInput("classes.name", i, ErrDuplicate, "%s is already the name of class %d", quote(c.Name), j)
			}
		}
	}
	return nil
}

// WhenUsed returns a copy of the list with every class billed [WhenUsed]. It is
// how [Niu16] reads heavy utilisation, which EC2 billed for every hour.
func (l List) WhenUsed() List {
	classes := make([]Class, len(l.Classes))
	for i, c := range l.Classes {
		c.Billed = WhenUsed
		classes[i] = c
	}
	l.Classes = classes
	return l
}
