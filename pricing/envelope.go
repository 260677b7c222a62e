package pricing

import "time"

// The lower envelope of a price list.
//
// Input: classes of reservations and a price on demand. Output: for every
// utilisation u in [0, 1], the class that costs least per hour of its term. The cost
// of a reservation of class k is a straight line,
//
//	f_k + q_k·u    f_k = commitment / term,  q_k = use price,
//
// and on demand costs q_0·u, so the answer is the lower envelope of lines. The walk
// begins with the lowest line at u = 0; among equal lines, with the line of least
// slope. The line after a is the line b that falls below a first,
//
//	u = (f_b - f_a)/(q_a - q_b),
//
// before u = 1; if several lines cross a at the same u, b has the least slope. The
// walk is gift wrapping along a convex hull. It ends because slopes only fall.
//
// Invariant: the lines found so far are the envelope on [0, u]. Each of them is
// alone the lowest line on an open interval, except for equal lines further down
// the list. Proof: a line with a slope of q_a or more was not below a at u, so it
// is not below a to the right of u. Among the other lines, the first to cross a is
// the lowest just after its crossing. □
//
// O(n·h) time for n classes, h of them on the envelope; no memory beyond the
// result. Everything is compared in integers. With times in nanoseconds and
// n_k = upfront·1h, plus hourly·term where billed always, f_k = n_k/t_k, so
//
//	u = (n_b·t_a - n_a·t_b) / (t_a·t_b·(q_a - q_b)),
//
// where n has at most 127 bits and t and q 63: 190 and 189 bits, and 380 in the
// cross products that compare two crossings. A long holds 384.
//
// [Niu16] section 5.1 gives the "minimum utilization levels" 6.8% and 38.3% and
// does not say which class each is compared with. The levels are the corners of
// this envelope: each class is compared with its neighbour below, not with on
// demand.

// Level is the part of one class in the lower envelope of a price list: the class
// costs least from From up to the From of the next level, or up to 1.
type Level struct {
	Class int           // index into List.Classes, or -1 for on demand
	From  float64       // least utilisation of the term, in [0, 1)
	Use   time.Duration // From as used time within one term, rounded up to the nanosecond
}

// line is the cost of an instance against its utilisation.
type line struct {
	fixed long   // commitment per term, times one hour: nanos × nanoseconds
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

// crossing returns the utilisation at which m falls below l, as a fraction num/den,
// and num·m.term/den as num/use. m has the lower slope and is above l at 0.
func (l line) crossing(m line) (num, den, use long) {
	num = m.fixed.times(l.term).minus(l.fixed.times(m.term))
	use = product(l.term, l.slope-m.slope)
	return num, use.times(m.term), use
}

// BreakEven returns the least utilisation at which c costs no more than the class against. A
// utilisation is a share of the term, in [0, 1]. BreakEven compares the costs of both classes per
// hour of their own terms. ok is false if there is no such utilisation. For the break-even point
// with on demand, pass [OnDemand] of the price as against.
//
// If c has the lower use price and ok is true, c also costs no more at every utilisation above u.
// If c does not have the lower use price, there are two cases. If u is 0, c may cost more at higher
// utilisations. If ok is false, c costs more at every utilisation.
//
// The comparison is exact, and the result is the float64 nearest to the true ratio. BreakEven
// panics if a term is not positive or a price is negative.
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

// AppendEnvelope finds the class that is cheapest at each utilisation, and appends a [Level] for
// each class that is cheapest on some interval. The levels are the lower envelope of on demand and
// the classes with the given term, or all classes if term is 0. The class of a level is cheapest
// from the utilisation From to the From of the next level. From is 0 at the first level and rises
// from level to level, and use prices fall. To find the cheapest class for a utilisation u, walk
// the levels from the last to the first, and stop at the first level with From ≤ u.
//
// AppendEnvelope compares classes of several terms by their cost per hour of their own terms,
// commitment/term + use price·u. That comparison is right if a reservation is renewed without end
// at one level of use. It ignores the risk of a longer term. A class billed [Always] costs
// upfront/term + hourly at every u.
//
// A class is on the envelope if it alone is cheapest on some open interval of utilisations. If
// several classes cost the same at every utilisation, only the first in the list can be on the
// envelope. None of them is, if on demand costs the same as well. At the utilisation From, a class
// costs the same as the class of the level before.
//
// The error is that of [List.Validate]. AppendEnvelope panics if term is negative. Time O(n·h) for
// n classes and h levels, after O(n²) for the validation; no memory beyond dst.
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
		var num, den, use long
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
		if rest != (long{}) {
			q++
		}
		dst = append(dst, Level{Class: at, From: num.ratio(den), Use: time.Duration(q)})
		low = next
	}
}
