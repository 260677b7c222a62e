package reserve

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// Discounts for large purchases, the assumption of one fee in [Liu21] section 2.2 dropped.
//
// Minimise the fees with the discounts and the cost on demand. Fees add up over all purchases, at
// list prices, and the part of the sum beyond the From of a tier costs the tier's Discount less.
// Let L be the list value of a plan's fees, and δ_0 = 0 < δ_1 < … the discounts of the tiers from
// f_0 = 0 < f_1 < … on. The fees cost
//
//	φ(L) = min over i of  (1-δ_i)·L + a_i,    a_i = Σ_{j≤i} f_j·(δ_j - δ_{j-1}),
//
// since φ is concave and each tier is one of its lines. So the least cost of a plan is the least,
// over the tiers, of a_i and the optimum with all fees δ_i lower. [Exact] solves each of these
// problems. The bound is the least of the bounds. With t tiers there are t+1 problems an account.
//
// A purchase can be worth its fee only because of other purchases: with the discount of a tier more
// levels of the demand are worth a reservation, and their fees reach the tier. A planner that
// looks at list prices does not see that, and neither does a search purchase by purchase.

// A Tier is a discount on the fees beyond an amount.
type Tier struct {
	// From is the list value of fees from which on the discount holds, 0 or more.
	From pricing.Money
	// Discount is the share that a fee beyond From costs less, at least 0 and below 1.
	Discount float64
}

// Discounts are what a provider gives for volume. The zero value is no discount. A discount is for
// what is bought beyond a tier's From, as AWS has it, and not for all that was bought before. Fees
// count from the first slot on, of contracts that have ended too.
type Discounts struct {
	// Tiers rise, both in From and in Discount.
	Tiers []Tier
	// Counted is the list value of fees that count already, for contracts bought before.
	Counted pricing.Money
}

// million is in how many parts a discount is counted.
const million = 1_000_000

func (t Tier) millionths() time.Duration { return time.Duration(math.Round(t.Discount * million)) }

// Validate returns an [*InputError] about the first field that is wrong. The error unwraps
// to [ErrRange] for an amount below 0, a discount that is not in [0, 1), and tiers that do not rise.
func (d Discounts) Validate() error {
	if d.Counted < 0 {
		return badInput("Counted", -1, ErrRange, "%v: want 0 or more", d.Counted)
	}
	for i, t := range d.Tiers {
		switch {
		case t.From < 0:
			return badInput("Tiers[].From", i, ErrRange, "%v: want 0 or more", t.From)
		case !(t.Discount >= 0 && t.Discount < 1) || t.millionths() == million:
			return badInput("Tiers[].Discount", i, ErrRange, "%v: want a share from 0 to below 1", t.Discount)
		case i > 0 && t.From <= d.Tiers[i-1].From:
			return badInput("Tiers[].From", i, ErrRange, "%v after %v: want tiers in the order of their amounts", t.From, d.Tiers[i-1].From)
		case i > 0 && t.millionths() <= d.Tiers[i-1].millionths():
			return badInput("Tiers[].Discount", i, ErrRange, "%v after %v: want a larger discount for a larger amount", t.Discount, d.Tiers[i-1].Discount)
		}
	}
	return nil
}

// A line is a part of the concave cost of fees: base, and fees less a discount.
type line struct {
	tier int // -1 for the list price
	base pricing.Money
	off  time.Duration // millionths
}

// appendLines appends a line for each tier that a purchase can reach.
func (d Discounts) appendLines(dst []line) ([]line, error) {
	if err := d.Validate(); err != nil {
		return dst, err
	}
	last := line{tier: -1}
	for i, t := range d.Tiers {
		if t.From <= d.Counted { // all purchases are beyond
			last = line{tier: i, off: t.millionths()}
		}
	}
	dst = append(dst, last)
	for i, t := range d.Tiers {
		if t.From <= d.Counted {
			continue
		}
		more, _ := (t.From - d.Counted).Prorate(t.millionths()-last.off, million, pricing.HalfEven) // a part of From: it fits
		last = line{tier: i, base: last.base + more, off: t.millionths()}                           // at most From
		dst = append(dst, last)
	}
	return dst, nil
}

// discounted writes the classes of a list with their fees lowered by off millionths.
func discounted(dst []pricing.Class, classes []pricing.Class, off time.Duration) []pricing.Class {
	dst = append(dst[:0], classes...)
	lower := func(m *pricing.Money) {
		if x, err := m.Prorate(million-off, million, pricing.HalfEven); err == nil { // less than m: it fits
			*m = x
		}
	}
	for k := range dst {
		lower(&dst[k].Upfront)
		if dst[k].Billed == pricing.Always {
			lower(&dst[k].Hourly)
		}
	}
	return dst
}

// A DiscountedPlan is what to buy for each problem, and what all of them cost together. The plan is
// valid until the next call of its [Exact].
type DiscountedPlan struct {
	// Purchases[i] is what to buy for problem i, sorted by slot, then by class.
	Purchases [][]pricing.Purchase
	// Cost is what the problems cost together, with the discounts. Bound is what no plan
	// costs less than.
	Cost, Bound pricing.Money
	// Tier is the tier at whose discount the last fee is paid, -1 for the list price.
	Tier int
}

// Optimal reports whether no plan costs less.
func (p *DiscountedPlan) Optimal() bool { return p.Cost == p.Bound }

// A discounting is the memory of SolveDiscounted.
type discounting struct {
	problem Problem
	classes []pricing.Class
	lines   []line
	found   [2][][]pricing.Purchase // the best, and the line at hand
}

// SolveDiscounted returns a plan of least cost for one or more problems whose fees count together, such
// as the accounts of one payer. The prices of the problems are list prices.
//
// Discounts and fees are rounded to a nano once. The plan is optimal where Exact finds an optimum for
// each problem and tier. Otherwise Cost is at least what the plan costs, and the bound holds. Ties go to the lowest
// tier. Time: for each tier and problem that of Exact.
//
// The error is that of [Discounts.Validate] or of a problem, or an [*InputError] that unwraps
// to [ErrUnsupported] for a horizon that is not Full, or to [ErrOverflow].
func (e *Exact) SolveDiscounted(d Discounts, problems ...*Problem) (DiscountedPlan, error) {
	s := &e.discounting
	var err error
	if s.lines, err = d.appendLines(s.lines[:0]); err != nil {
		return DiscountedPlan{}, err
	}
	for len(s.found[0]) < len(problems) {
		s.found[0], s.found[1] = append(s.found[0], nil), append(s.found[1], nil)
	}
	best := DiscountedPlan{Cost: math.MaxInt64, Bound: math.MaxInt64}
	for _, l := range s.lines {
		cost, bound := l.base, l.base
		for i, p := range problems {
			if p.Horizon != Full {
				return DiscountedPlan{}, pure(i)
			}
			s.classes = discounted(s.classes, p.Prices.Classes, l.off)
			s.problem = *p
			s.problem.Prices.Classes = s.classes
			found, err := e.Solve(&s.problem)
			if err != nil {
				return DiscountedPlan{}, err
			}
			var errs [2]error
			cost, errs[0] = cost.Add(found.Cost)
			bound, errs[1] = bound.Add(found.Bound)
			if errs != [2]error{} {
				return DiscountedPlan{}, tooLarge(i)
			}
			s.found[1][i] = append(s.found[1][i][:0], found.Purchases...)
		}
		best.Bound = min(best.Bound, bound)
		if cost < best.Cost {
			best.Cost, best.Tier = cost, l.tier
			s.found[0], s.found[1] = s.found[1], s.found[0]
		}
	}
	best.Purchases = s.found[0][:len(problems):len(problems)]
	s.problem = Problem{}
	return best, nil
}

func pure(i int) error {
	return badInput("problems[].Horizon", i, ErrUnsupported, "pure: want full, since a fee counts in full")
}

func tooLarge(i int) error {
	return badInput("problems", i, ErrOverflow, "costs add up to more than 9223372036.854775807: want smaller amounts")
}

// Cost returns what purchases cost with the discounts, on demand included: purchases[i] are those
// of problem i, sorted by slot, then by class. The error is that of [Exact.SolveDiscounted], or of
// the function [Cost] for purchases that break the rules of their problem. The method panics if
// there are not as many lists of purchases as problems.
func (d Discounts) Cost(purchases [][]pricing.Purchase, problems ...*Problem) (pricing.Money, error) {
	if len(purchases) != len(problems) {
		panic("reserve: Discounts.Cost: purchases and problems differ in number")
	}
	lines, err := d.appendLines(nil)
	if err != nil {
		return 0, err
	}
	least := pricing.Money(math.MaxInt64)
	for _, l := range lines {
		cost := l.base
		for i, p := range problems {
			if p.Horizon != Full {
				return 0, pure(i)
			}
			q := *p
			q.Prices.Classes = discounted(nil, p.Prices.Classes, l.off)
			one, err := Cost(&q, slices.Clone(purchases[i]))
			if err != nil {
				return 0, err
			}
			if cost, err = cost.Add(one); err != nil {
				return 0, tooLarge(i)
			}
		}
		least = min(least, cost)
	}
	return least, nil
}
