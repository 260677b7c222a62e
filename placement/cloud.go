package placement

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Which cloud to request instances from ([Niu16] section 6, step 2).
//
// Input: the current prices of each cloud, and the number of instances wanted. The
// choice minimises the cost of an hour at these prices, the instant charging rate.
// The instances of a cloud are ranked from 1 in the order in which they were taken,
// and the rank of an instance decides its price. Reservations serve the first
// ranks, the cheapest class first. Each rank above the reservations is on demand,
// less the discount that the use of the rank in this month has earned.
//
// The choice is greedy. It ignores how long the instances will be kept, and what it
// leaves for later jobs. A running job cannot move, so a wrong choice stays; [Niu16]
// Fig. 8 has cases in which two clouds cost more than the better cloud alone. No
// bound is known.

const longestMonth = 366 * 24 * time.Hour

// A Reservation is a number of reserved instances of one class.
type Reservation struct {
	Count int           // active now, ≥ 0
	Rate  pricing.Money // price of an hour of use, ≥ 0; 0 if every hour is billed anyway
}

// A Cloud is a cloud with its current prices. The zero value is a cloud that is
// free.
type Cloud struct {
	Hourly   pricing.Money        // the price on demand, ≥ 0
	Discount pricing.SustainedUse // the zero value is no discount
	Month    time.Duration        // the length of this calendar month, > 0; only for Discount
	// Used[k] is the time for which rank k+1 was used in this month so far: the
	// inferred instances of [pricing.SustainedUse]. Ranks above len(Used) were not
	// used.
	Used     []time.Duration
	Reserved []Reservation // the active reservations, by rising Rate
	Taken    int           // instances in use or promised, ≥ 0: the next instance has rank Taken+1
	Quota    int           // the most instances at once, 0 is no limit
	Closed   bool          // never choose this cloud
}

// Validate returns an [*pricing.InputError] about the first field that is wrong: a negative
// price, number or time, or reservations that do not rise by Rate. With a Discount it also
// refuses a Month outside of (0, 366 days], and a Discount that
// [pricing.SustainedUse.Validate] refuses. O(reservations + ranks used).
func (c *Cloud) Validate() error {
	if err := c.check(); err != nil {
		return err
	}
	for i, r := range c.Reserved {
		if err := r.check(i); err != nil {
			return err
		}
		if i > 0 && r.Rate < c.Reserved[i-1].Rate {
			return badInput("Reserved.Rate", i, ErrRange, "%v: want at least %v, the rate of the reservation before", r.Rate, c.Reserved[i-1].Rate)
		}
	}
	if c.Quota < 0 {
		return badInput("Quota", -1, ErrRange, "%d: want a limit, or 0 for none", c.Quota)
	}
	for k, used := range c.Used {
		if used < 0 {
			return badInput("Used", k, ErrRange, "%v: want a time of 0 or more", used)
		}
	}
	return nil
}

// check is the part of Validate that every Rate needs and that takes no time.
func (c *Cloud) check() error {
	switch {
	case c.Hourly < 0:
		return badInput("Hourly", -1, ErrRange, "%v: want a price of 0 or more", c.Hourly)
	case c.Taken < 0:
		return badInput("Taken", -1, ErrRange, "%d: want 0 or more", c.Taken)
	case c.Discount == (pricing.SustainedUse{}):
		return nil
	case c.Month <= 0 || c.Month > longestMonth:
		return badInput("Month", -1, ErrRange, "%v: want more than 0 and at most 366 days", c.Month)
	}
	if err := c.Discount.Validate(); err != nil {
		return &pricing.InputError{Package: "placement", Field: "Discount", Index: -1, Err: err}
	}
	return nil
}

func (r Reservation) check(i int) error {
	if r.Count < 0 {
		return badInput("Reserved.Count", i, ErrRange, "%d: want 0 or more", r.Count)
	}
	if r.Rate < 0 {
		return badInput("Reserved.Rate", i, ErrRange, "%v: want a rate of 0 or more", r.Rate)
	}
	return nil
}

// Fits reports whether n more instances are within the quota.
func (c *Cloud) Fits(n int) bool { return c.Quota <= 0 || n <= c.Quota-c.Taken }

// Rate returns the cost of the next n instances together for an hour at the current prices. That is
// n times the instant charging rate of [Niu16] section 6. The discounted price of each instance is
// rounded to the nano, half to even.
//
// The error is the [*pricing.InputError] of [Cloud.Validate] for a field on which the n instances
// depend, or unwraps to [pricing.ErrOverflow]. Rate does not check the order of Reserved. Rate
// panics if n is negative. Time O(classes), and O(n) with a discount; no memory.
func (c *Cloud) Rate(n int) (pricing.Money, error) {
	if n < 0 {
		panic("placement: negative number of instances")
	}
	if err := c.check(); err != nil {
		return 0, err
	}
	if n > math.MaxInt-c.Taken {
		return 0, badInput("Taken", -1, pricing.ErrOverflow, "%d and %d more: want fewer than 2⁶³ instances", c.Taken, n)
	}
	var sum pricing.Money
	rank, end := c.Taken, c.Taken+n // ranks rank+1 to end have no price yet
	below := 0                      // ranks that the classes so far serve, up to end
	for i, r := range c.Reserved {
		if err := r.check(i); err != nil {
			return 0, err
		}
		below += min(r.Count, end-below)
		if k := below - rank; k > 0 {
			if err := addTimes(&sum, r.Rate, k); err != nil {
				return 0, err
			}
			rank += k
		}
	}
	if c.Discount == (pricing.SustainedUse{}) {
		err := addTimes(&sum, c.Hourly, end-rank)
		return sum, err
	}
	for ; rank < min(end, len(c.Used)); rank++ {
		if c.Used[rank] < 0 {
			return 0, badInput("Used", rank, ErrRange, "%v: want a time of 0 or more", c.Used[rank])
		}
		price, err := c.discounted(c.Used[rank])
		if err == nil {
			err = addTimes(&sum, price, 1)
		}
		if err != nil {
			return 0, err
		}
	}
	price, err := c.discounted(0)
	if err == nil && rank < end {
		err = addTimes(&sum, price, end-rank)
	}
	return sum, err
}

// discounted returns the price of an hour for an instance that was used for the
// given time, which is not negative, within this month.
func (c *Cloud) discounted(used time.Duration) (pricing.Money, error) {
	quarter := len(c.Discount) - 1
	if used < c.Month {
		quarter = int(4 * used / c.Month)
	}
	return c.Hourly.Prorate(time.Duration(c.Discount[quarter]), 10000, pricing.HalfEven)
}

func addTimes(sum *pricing.Money, price pricing.Money, n int) error {
	all, err := price.Mul(int64(n))
	if err == nil {
		*sum, err = sum.Add(all)
	}
	return err
}

// Choose returns the index of the cloud at which the next n instances cost least, or -1 if no cloud
// can take them. Choose leaves out closed clouds, and clouds whose quota would be exceeded with n
// more instances. Of several cheapest clouds, Choose returns the first. The error is that of
// [Cloud.Rate], with a Field such as "clouds[2].Hourly". Choose panics as Rate does. Time O(clouds)
// calls of Rate; no memory.
func Choose(clouds []Cloud, n int) (int, error) {
	best := -1
	var least pricing.Money
	for i := range clouds {
		c := &clouds[i]
		if c.Closed || !c.Fits(n) {
			continue
		}
		rate, err := c.Rate(n)
		if err != nil {
			return -1, inCloud(i, err)
		}
		if best < 0 || rate < least {
			best, least = i, rate
		}
	}
	return best, nil
}

// inCloud says of an error of Rate in which of the clouds it is.
func inCloud(i int, err error) error {
	in, ok := err.(*pricing.InputError)
	if !ok {
		return err
	}
	head := "clouds[" + strconv.Itoa(i) + "]."
	if in.Package != "placement" { // a product or a sum of money
		return &pricing.InputError{Package: "placement", Field: head + "Hourly", Index: -1, Err: err}
	}
	field := in.Field
	if in.Index >= 0 { // the index belongs to the first part of the field
		first, rest, dotted := strings.Cut(field, ".")
		if field = first + "[]"; dotted {
			field += "." + rest
		}
	}
	return &pricing.InputError{Package: in.Package, Field: head + field, Index: in.Index, Err: in.Err}
}
