package resale

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Market is where the rest of a term can be sold.
type Market struct {
	// Share is what a sale brings of the upfront price of the rest of the term, after
	// the marketplace's fee, from 0 to 1. Whoever sells at a discount of 20% and
	// pays a fee of 12% has .8·.88 = .704. With 0 the rest is given away, which still ends
	// the hourly price of a class that is billed for all hours.
	Share float64
	// Every is the time between two times of sale of a reservation, counted from its
	// purchase: sales are possible after Every, 2·Every, …
	Every time.Duration
	// Longest is the longest time that a reservation is held before a sale: the length of
	// the demand, usually.
	Longest time.Duration
}

// A Sale says what a class of a list with sales stands for.
type Sale struct {
	Class int           // of the list without sales
	After time.Duration // when the rest is sold; the term of the class if it is not
}

// AppendClasses appends to dst the classes of list, which keep their places, and the same
// sold after each time of sale; and to sales what each of them stands for. Where both are
// nil, class k of the result stands for sales[k]. To plan with sales, make the result
// the Classes of the list, and take the Horizon [reserve.Full]. The name of a class that is
// sold after 84 days is that of its class and " for 84d".
//
// Prices are rounded up to the nano. The error is that of [pricing.List.Validate], or an
// [*InputError]: [ErrRange] for a share that is not from 0 to 1, a time of sale that is not
// positive, a negative Longest, and more than 100,000 classes.
func (m Market) AppendClasses(dst []pricing.Class, sales []Sale, list pricing.List) ([]pricing.Class, []Sale, error) {
	if err := list.Validate(); err != nil {
		return dst, sales, &InputError{Package: "resale", Field: "Prices", Index: -1, Err: err}
	}
	switch {
	case !(m.Share >= 0 && m.Share <= 1):
		return dst, sales, badInput("Share", ErrRange, "%v: want 0 to 1", m.Share)
	case m.Every <= 0:
		return dst, sales, badInput("Every", ErrRange, "%v: want a positive time between two sales", m.Every)
	case m.Longest < 0:
		return dst, sales, badInput("Longest", ErrRange, "%v: want a time of at least 0", m.Longest)
	}
	times := int64(m.Longest / m.Every)
	if times > maxSales/int64(max(1, len(list.Classes))) {
		return dst, sales, badInput("Every", ErrRange, "%v in %v: want at most %d classes and times of sale", m.Every, m.Longest, maxSales)
	}
	for k := range list.Classes {
		dst = append(dst, list.Classes[k])
		sales = append(sales, Sale{k, list.Classes[k].Term})
	}
	millionths := int64(math.Round(m.Share * 1e6))
	for i := int64(1); i <= times; i++ {
		held := time.Duration(i) * m.Every
		from := len(dst)
		for k := range list.Classes {
			c := list.Classes[k]
			if held >= c.Term {
				continue
			}
			back, err := c.Upfront.Prorate(c.Term-held, c.Term, pricing.Down)
			if err == nil {
				back, err = back.Prorate(time.Duration(millionths), 1e6, pricing.Down)
			}
			if err != nil {
				return dst, sales, &InputError{Package: "resale", Field: "Prices", Index: k, Err: err}
			}
			sold := c
			sold.Name, sold.Term, sold.Upfront = c.Name+" for "+spell(held), held, c.Upfront-back
			like := func(x pricing.Class) bool {
				return x.Term == sold.Term && x.Hourly == sold.Hourly && x.Billed == sold.Billed
			}
			if i := slices.IndexFunc(list.Classes, like); i >= 0 && list.Classes[i].Upfront <= sold.Upfront {
				continue
			}
			switch i := slices.IndexFunc(dst[from:], like); {
			case i < 0:
				dst, sales = append(dst, sold), append(sales, Sale{k, held})
			case dst[from+i].Upfront > sold.Upfront:
				dst[from+i], sales[len(sales)-len(dst)+from+i] = sold, Sale{k, held}
			}
		}
	}
	return dst, sales, nil
}

// maxSales bounds the classes of a list with sales.
const maxSales = 100_000

// spell writes a time in days if it is whole days.
func spell(d time.Duration) string {
	const day = 24 * time.Hour
	if d%day != 0 {
		return d.String()
	}
	return strconv.FormatInt(int64(d/day), 10) + "d"
}
