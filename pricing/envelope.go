package pricing

import "time"

// The lower envelope of a price list.
//
// Given classes of reservations and a price on demand, find for every utilisation
// u in [0, 1] what costs least per hour of the term. A reservation of class k
// costs a straight line,
//
//	f_k + q_k·u    f_k = commitment / term,  q_k = use price,
//
// and on demand costs q_0·u, so what is sought is the lower envelope of lines.
// Begin with the line that is lowest at u = 0 and, of those, at u = 0+. From the
// lowest line a, the next one is, of all lines that fall below a before u = 1,
// the one that does so first,
//
//	u = (f_b - f_a)/(q_a - q_b),
//
// and of those that do so together the one with the least slope. That is gift
// wrapping, the walk along a convex hull. Slopes only fall, so it ends.
//
// Invariant: the lines found so far are the envelope on [0, u], and each is the
// only lowest one on an open interval, but for copies of it further down the
// list. Proof: to the right of u no line with a slope of q_a or more can get below
// a, since it was not below at u; of the others the first to cross is the lowest
// just after its crossing.
//
// O(n·h) time for n classes, h of them on the envelope; no memory beyond the
// result. Everything is compared in integers. With times in nanoseconds and
// n_k = upfront·1h, plus hourly·term where billed always, f_k = n_k/t_k, so
//
//	u = (n_b·t_a - n_a·t_b) / (t_a·t_b·(q_a - q_b)),
//
// where n has at most 127 bits and t and q 63: 190 and 189 bits, and 380 in the
// cross products that compare two crossings. A wide holds 384.
//
// [Niu16] section 5.1 gives the "minimum utilization levels" 6.8% and 38.3% and
// does not say against what: they are the corners of this envelope, against the
// neighbour below, not against on demand.

// Level is the part that one class has in the lower envelope of a price list:
// from From up to the From of the next level, or 1, it costs least.
type Level struct {
	Class int           // index into List.Classes, or -1 for on demand
	From  float64       // least utilisation of the term, in [0, 1)
	Use   time.Duration // the same as used time within one term, rounded up to the nanosecond
}

// line is the cost of an instance against its utilisation.
type line struct {
	fixed wide   // commitment per term, times one hour: nanos × nanoseconds
	term  uint64 // nanoseconds
	slope uint64 // use price, nanos per hour
}

// lineOf returns the line of c. It panics unless c has a positive term and no
// negative price.
func lineOf(c Class) line {
	if c.Term <= 0 || c.Upfront < 0 || c.Hourly < 0 {
		panic("pricing: Class without a positive term, or with a negative price")
	}
	l := line{
		fixed: product(uint64(c.Upfront), uint64(time.Hour)),
		term:  uint64(c.Term),
		slope: uint64(c.UsePrice()),
	}
	if c.Billed == Always {
		l.fixed = l.fixed.plus(product(uint64(c.Hourly), uint64(c.Term)))
	}
	return l
}

// compareAtZero compares l and m at utilisation 0.
func (l line) compareAtZero(m line) int {
	return l.fixed.times(m.term).compare(m.fixed.times(l.term))
}

// crossing returns the utilisation at which m, flatter than l and above it at 0,
// gets below l, as a fraction num/den, and num·m.term/den as num/use.
func (l line) crossing(m line) (num, den, use wide) {
	num = m.fixed.times(l.term).minus(l.fixed.times(m.term))
	use = product(l.term, l.slope-m.slope)
	return num, use.times(m.term), use
}

// BreakEven returns the least utilisation of its term, in [0, 1], at which c
// costs no more than against, both taken per hour of their terms; ok is false if
// there is none. For the break-even point with instances on demand, against is
// [OnDemand] of their price.
//
// If c has the lower use price it costs no more from there on, up to 1. If it has
// not, the answer is 0 or none, and c may be dearer further up. The comparison is
// exact and the result the float64 nearest to the true ratio. It panics if a term
// is not positive or a price is negative.
func (c Class) BreakEven(against Class) (u float64, ok bool) {
	l, m := lineOf(against), lineOf(c)
	switch {
	case m.compareAtZero(l) <= 0:
		return 0, true
	case m.slope >= l.slope:
		return 0, false
	}
	num, den, _ := l.crossing(m)
	if num.compare(den) > 0 {
		return 0, false
	}
	return num.ratio(den), true
}

// AppendEnvelope appends the lower envelope of on demand and the classes with
// the given term, or with term 0 of all classes, to dst: the levels with From
// rising from 0 and use prices falling. A planner that looks for the cheapest
// class walks it from the end, the most discounted class, and stops at the first
// level that is met.
//
// Classes of several terms are compared per hour of their own terms, as lines
// commitment/term + use price·u: which is right for a reservation that is renewed
// for ever at one level of use, and silent on the risk of the longer term. A
// class that is billed [Always] is the level line upfront/term + hourly.
//
// A class is on the envelope if it alone is cheapest on some open interval of
// utilisations; of classes with equal lines the first in the list stands for all,
// and on demand before any. At From itself a class costs the same as the level
// before. A class that is dominated, by another or by two others together, is
// not on it.
//
// The error is that of [List.Validate]. It panics if term is negative. Time
// O(n·h) for n classes and h levels, after O(n²) for the validation; no memory
// beyond dst.
func (l List) AppendEnvelope(dst []Level, term time.Duration) ([]Level, error) {
	if term < 0 {
		panic("pricing: negative term")
	}
	if err := l.Validate(); err != nil {
		return dst, err
	}
	at, low := -1, lineOf(OnDemand(l.OnDemand))
	for k, c := range l.Classes {
		if term != 0 && c.Term != term {
			continue
		}
		m := lineOf(c)
		if side := m.compareAtZero(low); side < 0 || side == 0 && m.slope < low.slope {
			at, low = k, m
		}
	}
	dst = append(dst, Level{Class: at})
	for {
		var next line
		var num, den, use wide
		at = -1
		for k, c := range l.Classes {
			if term != 0 && c.Term != term {
				continue
			}
			m := lineOf(c)
			if m.slope >= low.slope {
				continue
			}
			n, d, u := low.crossing(m)
			if n.compare(d) >= 0 {
				continue
			}
			if at >= 0 {
				side := n.by(den).compare(num.by(d))
				if side > 0 || side == 0 && m.slope >= next.slope {
					continue
				}
			}
			at, next, num, den, use = k, m, n, d, u
		}
		if at < 0 {
			return dst, nil
		}
		q, rest, _ := num.over(use) // at most the term: num < den
		if rest != (wide{}) {
			q++
		}
		dst = append(dst, Level{Class: at, From: num.ratio(den), Use: time.Duration(q)})
		low = next
	}
}
