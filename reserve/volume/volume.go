package volume

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Tier is a discount on the fees beyond an amount.
type Tier struct {
	// From is the list value of fees from which on the discount holds, 0 or more.
	From pricing.Money
	// Discount is the share that a fee beyond From costs less, at least 0 and below 1.
	Discount float64
}

// Discounts are what a provider gives for volume. The zero value is no discount.
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
// to [ErrRange] for an amount below 0 or a discount that is not in [0, 1), and to [ErrOrder]
// for tiers that do not rise.
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
			return badInput("Tiers[].From", i, ErrOrder, "%v after %v: want tiers in the order of their amounts", t.From, d.Tiers[i-1].From)
		case i > 0 && t.millionths() <= d.Tiers[i-1].millionths():
			return badInput("Tiers[].Discount", i, ErrOrder, "%v after %v: want a larger discount for a larger amount", t.Discount, d.Tiers[i-1].Discount)
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

// A Plan is what to buy for each problem, and what all of them cost together. It is valid
// until the next call of its Solver.
type Plan struct {
	// Purchases[i] is what to buy for problem i, sorted by slot, then by class.
	Purchases [][]pricing.Purchase
	// Cost is what the problems cost together, with the discounts. Bound is what no plan
	// costs less than.
	Cost, Bound pricing.Money
	// Tier is the tier at whose discount the last fee is paid, -1 for the list price.
	Tier int
}

// Optimal reports whether no plan costs less.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound }

// A Solver finds plans of least cost under discounts. The zero value is ready.
type Solver struct {
	exact   reserve.Exact
	problem reserve.Problem
	classes []pricing.Class
	lines   []line
	found   [2][][]pricing.Purchase // the best, and the line at hand
}

// Solve returns a plan of least cost for one or more problems whose fees count together, such
// as the accounts of one payer. The prices of the problems are list prices.
//
// The plan is optimal where [reserve.Exact] finds an optimum for each problem and tier.
// Otherwise Cost is at least what the plan costs, and the bound holds. Ties go to the lowest
// tier. Time: for each tier and problem that of Exact.
//
// The error is that of [Discounts.Validate] or of a problem, or an [*InputError] that unwraps
// to [ErrUnsupported] for a horizon that is not Full, or to [ErrOverflow].
func (s *Solver) Solve(d Discounts, problems ...*reserve.Problem) (Plan, error) {
	var err error
	if s.lines, err = d.appendLines(s.lines[:0]); err != nil {
		return Plan{}, err
	}
	for len(s.found[0]) < len(problems) {
		s.found[0], s.found[1] = append(s.found[0], nil), append(s.found[1], nil)
	}
	best := Plan{Cost: math.MaxInt64, Bound: math.MaxInt64}
	for _, l := range s.lines {
		cost, bound := l.base, l.base
		for i, p := range problems {
			if p.Horizon != reserve.Full {
				return Plan{}, pure(i)
			}
			s.classes = discounted(s.classes, p.Prices.Classes, l.off)
			s.problem = *p
			s.problem.Prices.Classes = s.classes
			found, err := s.exact.Solve(&s.problem)
			if err != nil {
				return Plan{}, err
			}
			var errs [2]error
			cost, errs[0] = cost.Add(found.Cost)
			bound, errs[1] = bound.Add(found.Bound)
			if errs != [2]error{} {
				return Plan{}, tooLarge(i)
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
	s.problem = reserve.Problem{}
	return best, nil
}

func pure(i int) error {
	return badInput("problems[].Horizon", i, ErrUnsupported, "pure: want full, since a fee counts in full")
}

func tooLarge(i int) error {
	return badInput("problems", i, ErrOverflow, "costs add up to more than 9223372036.854775807: want smaller amounts")
}

// Cost returns what purchases cost with the discounts, on demand included: purchases[i] are
// those of problem i, sorted by slot, then by class. The error is that of [Solver.Solve], or
// of [reserve.Cost] for purchases that break the rules of their problem. Cost panics if there
// are not as many lists of purchases as problems.
func Cost(d Discounts, purchases [][]pricing.Purchase, problems ...*reserve.Problem) (pricing.Money, error) {
	if len(purchases) != len(problems) {
		panic("volume: purchases and problems differ in number")
	}
	lines, err := d.appendLines(nil)
	if err != nil {
		return 0, err
	}
	least := pricing.Money(math.MaxInt64)
	for _, l := range lines {
		cost := l.base
		for i, p := range problems {
			if p.Horizon != reserve.Full {
				return 0, pure(i)
			}
			q := *p
			q.Prices.Classes = discounted(nil, p.Prices.Classes, l.off)
			one, err := reserve.Cost(&q, slices.Clone(purchases[i]))
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
