package placement

import (
	"errors"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Which cloud to request instances from ([Niu16] section 6, step 2).
//
// Given is what each cloud asks at this moment, and how many instances are
// wanted. Chosen is the cloud at which they cost least for an hour, as things
// stand: the instant charging rate. A cloud's instances are ranked from 1 in the
// order in which they were taken, and what the next ones cost goes by their
// ranks: the first ranks are those that reservations serve, the cheapest class
// first; above them each is on demand, less the discount that its rank has
// earned by its use in this month.
//
// It is greedy and looks at nothing else: not at how long the instances will
// be kept, nor at what the choice leaves for the jobs to come. A job cannot move
// once it runs, so that a wrong choice stays; [Niu16] Fig. 8 has cases in which
// two clouds cost more than the better one alone. No bound is known.

// ErrNegative: a price, a number of instances or a time below zero.
var ErrNegative = errors.New("placement: negative number in the description of a cloud")

// ErrMonth: a month whose length is not above 0, or above 366 days.
var ErrMonth = errors.New("placement: want a month of more than 0 and at most 366 days")

const longestMonth = 366 * 24 * time.Hour

// A Reservation is a number of reserved instances of one class.
type Reservation struct {
	Count int           // active now, ≥ 0
	Rate  pricing.Money // what an hour of use adds to what is paid anyway, ≥ 0: 0 where all hours are billed
}

// A Cloud is what a cloud asks for instances at this moment. Its zero value
// gives them away.
type Cloud struct {
	Hourly   pricing.Money        // the price on demand, ≥ 0
	Discount pricing.SustainedUse // the zero value is no discount
	Month    time.Duration        // the length of this calendar month, > 0; only for Discount
	// Used is for how long rank k+1 was used in this month so far, at Used[k]: the
	// inferred instances of package pricing. Ranks beyond it were not used.
	Used     []time.Duration
	Reserved []Reservation // the reservations that serve now, by rising Rate
	Taken    int           // instances in use or spoken for: what comes next has rank Taken+1; ≥ 0
	Quota    int           // the most instances at once, 0 is no limit
	Closed   bool          // whatever it costs, it is not to be chosen
}

// Fits reports whether n more instances are within the quota.
func (c *Cloud) Fits(n int) bool { return c.Quota <= 0 || n <= c.Quota-c.Taken }

// Rate returns what the next n instances together cost for an hour at this
// moment: the instant charging rate of [Niu16] section 6, times n. A discounted
// price is rounded to the nano, half to even, for each instance.
//
// The error is ErrNegative, ErrMonth, pricing.ErrOverflow, or that of the discount's
// Validate.
// It panics if n is negative. Time O(classes), and O(n) with a discount.
func (c *Cloud) Rate(n int) (pricing.Money, error) {
	if n < 0 {
		panic("placement: negative number of instances")
	}
	if c.Hourly < 0 || c.Taken < 0 {
		return 0, ErrNegative
	}
	if n > math.MaxInt-c.Taken {
		return 0, pricing.ErrOverflow
	}
	var sum pricing.Money
	rank, end := c.Taken, c.Taken+n // ranks rank+1 to end are to be priced
	below := 0                      // ranks that the classes so far serve, up to end
	for _, r := range c.Reserved {
		if r.Count < 0 || r.Rate < 0 {
			return 0, ErrNegative
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
	if err := c.Discount.Validate(); err != nil {
		return 0, err
	}
	for ; rank < min(end, len(c.Used)); rank++ {
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

// discounted returns the price of an hour for an instance that was used for a
// time within this month.
func (c *Cloud) discounted(used time.Duration) (pricing.Money, error) {
	if used < 0 {
		return 0, ErrNegative
	}
	if c.Month <= 0 || c.Month > longestMonth {
		return 0, ErrMonth
	}
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

// Choose returns the index of the cloud at which the next n instances cost least,
// among those that are not closed and that n more fit: the first of several. It
// returns -1 if there is none. The error is that of [Cloud.Rate]. It allocates
// nothing. Time O(clouds) rates.
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
			return -1, err
		}
		if best < 0 || rate < least {
			best, least = i, rate
		}
	}
	return best, nil
}
