package reserve

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A marketplace for rests of terms.
//
// [Niu16] section 8.6 counts a reservation whole, since "selling off all the unused reserved
// instances is not an easy thing". The horizon Full does the same. Pure counts as if the rest of
// each term were sold at its prorated price when the demand ends. A marketplace differs from Pure
// in two ways. A sale brings only a share of the prorated upfront price. And a reservation can be
// sold at any time, not only when the demand ends.
//
// Buying class k and selling it after the time h is buying a class of the term h, with the upfront
// price
//
//	F_k − s·F_k·(1 − h/τ_k)
//
// where s is the share, F_k the upfront price of class k and τ_k its term. The hourly prices stay:
// the buyer of the rest owes the rest of the hours. So a list with a class for each class and time
// of sale describes the marketplace, and each planner takes such a list. Of classes that are sold
// at the same time and have the same hourly price only the cheapest is in the list, the first of
// equals.
//
// The plan knows the demand, and the marketplace buys all that is offered at one price. So the
// saving is an upper bound on what the marketplace is worth to a buyer who does not know the
// demand.

// A Resale is a marketplace where the rest of a term can be sold.
type Resale struct {
	// Share is what a sale brings of the upfront price of the rest of the term, after
	// the marketplace's fee, from 0 to 1: .8·.88 = .704 for a sale at a discount of 20% and a
	// fee of 12%. With 0 a sale brings nothing, and still ends
	// the hourly price of a class that is billed for all hours.
	Share float64
	// Every is the time between two times of sale of a reservation, counted from its
	// purchase: sales are possible after Every, 2·Every, …
	Every time.Duration
	// Longest is the longest time that a reservation is held before a sale: the length of
	// the demand, usually.
	Longest time.Duration
}

// AppendClasses appends to dst the classes of list, in their order, and then classes for sale. A
// class for sale stands for the purchase of a class of list and its sale before the end of the
// term, after Every, 2·Every, …, at most Longest. Its Term ends with the sale, and its Upfront is
// lower by the money that the sale brings. Its name is the name of the class followed by the time
// of sale, such as "heavy for 84d".
//
// Of classes for sale with equal Term, Hourly and Billed, AppendClasses appends only the cheapest,
// the first of equals. AppendClasses appends none of them if a class of list with the same Term,
// Hourly and Billed is at least as cheap.
//
// The slice named of says where each class comes from. For each class appended to dst,
// AppendClasses appends to that slice one index into list.Classes. AppendClasses returns both
// slices.
//
// To plan with sales, use the result as the Classes of the price list, with the Horizon Full. Pure
// would count the rest of each term as refunded, in addition to the sales.
//
// Prices are rounded up to the nano. The error is that of [pricing.List.Validate], or an
// [*InputError]. It unwraps to [ErrRange] if Share is not from 0 to 1, Every is not positive,
// Longest is negative, or there are more than 100,000 combinations of a class and a time of sale.
// Time: O(m²·n) for m classes and n times of sale. AppendClasses allocates the names of the
// classes for sale.
func (m Resale) AppendClasses(dst []pricing.Class, of []int, list pricing.List) ([]pricing.Class, []int, error) {
	if err := list.Validate(); err != nil {
		return dst, of, &InputError{Package: "reserve", Field: "Prices", Index: -1, Err: err}
	}
	switch {
	case !(m.Share >= 0 && m.Share <= 1):
		return dst, of, badInput("Share", -1, ErrRange, "%v: want 0 to 1", m.Share)
	case m.Every <= 0:
		return dst, of, badInput("Every", -1, ErrRange, "%v: want a positive time between two sales", m.Every)
	case m.Longest < 0:
		return dst, of, badInput("Longest", -1, ErrRange, "%v: want a time of at least 0", m.Longest)
	}
	times := int64(m.Longest / m.Every)
	if times > maxSales/int64(max(1, len(list.Classes))) {
		return dst, of, badInput("Every", -1, ErrRange, "%v in %v: want at most %d classes and times of sale", m.Every, m.Longest, maxSales)
	}
	for k := range list.Classes {
		dst = append(dst, list.Classes[k])
		of = append(of, k)
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
				return dst, of, &InputError{Package: "reserve", Field: "Prices", Index: k, Err: err}
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
				dst, of = append(dst, sold), append(of, k)
			case dst[from+i].Upfront > sold.Upfront:
				dst[from+i], of[len(of)-len(dst)+from+i] = sold, k
			}
		}
	}
	return dst, of, nil
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
