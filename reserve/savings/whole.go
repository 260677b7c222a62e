package savings

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// Savings plans that pay for whole instances only.
//
// With Problem.Whole, a commitment that is not enough for one more instance pays for no part
// of it. In slot t it pays for the whole instances s_i that save most:
//
//	maximise Σ p_i·s_i  subject to  Σ q_i·s_i ≤ u·(H_t + A_t),  0 ≤ s_i ≤ d_it whole.
//
// Integer programs for this purchase have such an s. A slot is then a knapsack, its cost is
// no longer convex in the commitment, and the problem is no flow.
//
// The bound. Where the line of a slot (savings.go) reaches the end of an instance, whole
// instances cost what fractions cost; between, they cost more. So the convex hull of the cost
// of whole instances is the cost of fractions, but for the rounding of ends to units. Dual
// prices of commitment can prove no better bound than that of fractions.
//
// The plan. Solver takes the commitments that are optimal for fractions, lowers each to what
// its slots use, and compares with no commitment. Mixed uses that in its rounds. Where the
// problem is small, the search of search.go also branches on s. Once reservations and s are
// whole, the commitments have to reach Σ q_i·s_i in each slot. The cheapest commitments that
// do are a flow. So the search ends with the optimum.
//
// The knapsack is solved by depth first search in the order of p/q, which stops where the
// fraction of the next type would not save more. What is left counts in multiples of the
// greatest common divisor of the rates to come: sizes of one family have one ratio and rates
// that divide each other. After mostCovers choices the best one stands.

const mostCovers = 1 << 16

// A cover chooses whole instances.
type cover struct {
	counts, best []int64
	gcd          []int64 // of the rates of type i and those after it
	left         []int64
	short        bool  // a slot took more than mostCovers steps
	steps        int64 // of all slots
}

// ready prepares the cover for the types of s.
func (s *Solver) readyCover() {
	c, k := &s.cover, len(s.types)
	c.counts, c.best = grow.Zero(c.counts, k), grow.Zero(c.best, k)
	c.gcd, c.left = grow.Zero(c.gcd, k+1), grow.Zero(c.left, k+1)
	c.short, c.steps = false, 0
	for i := k - 1; i >= 0; i-- {
		c.gcd[i] = wide.GCD(s.types[i].rate, c.gcd[i+1])
	}
}

// covered sets s.cover.best to the whole instances of slot t that so many grains pay for,
// and returns what is left of the grains.
func (s *Solver) covered(t int, grains int64) (left int64) {
	c, k := &s.cover, len(s.types)
	value, best := int64(0), int64(-1)
	steps := 0
	// more reports whether type i and those after it, the last one in a fraction, can add
	// enough to value with so many grains.
	more := func(i int, grains int64) bool {
		sum := value
		for ; i < k; i++ {
			y := &s.types[i]
			d := int64(y.demand[t])
			if y.rate*d > grains {
				if sum > best {
					return true
				}
				hi, lo := bits.Mul64(uint64(grains), uint64(y.price))
				h2, l2 := bits.Mul64(uint64(best-sum), uint64(y.rate))
				return hi > h2 || hi == h2 && lo > l2
			}
			sum += d * y.price
			grains -= y.rate * d
		}
		return sum > best
	}
	c.left[0] = grains
	for i := 0; ; {
		for ; i < k; i++ { // as many as possible of the types to come
			y := &s.types[i]
			n := min(int64(y.demand[t]), c.left[i]/y.rate)
			c.counts[i] = n
			value += n * y.price
			c.left[i+1] = c.left[i] - n*y.rate
		}
		if value > best {
			best, left = value, c.left[k]
			copy(c.best, c.counts)
		}
		c.steps++
		if steps++; steps > mostCovers {
			c.short = true
			return left
		}
	back:
		for i--; i >= 0; i-- { // fewer of the last type of which fewer may do
			y := &s.types[i]
			for c.counts[i] > 0 {
				c.counts[i]--
				value -= y.price
				c.left[i+1] += y.rate
				if !more(i+1, c.left[i+1]) { // nor do fewer still
					break
				}
				if more(i+1, c.left[i+1]-c.left[i+1]%max(1, c.gcd[i+1])) {
					break back
				}
			}
			value -= c.counts[i] * y.price
			c.counts[i] = 0
		}
		if i < 0 {
			return left
		}
		i++
	}
}

// wholes makes s.buy a plan for whole instances: what is there, less what no slot of a
// commitment uses, or nothing; and s.paid what that pays for.
func (s *Solver) wholes() {
	s.readyCover()
	s.activate()
	k := len(s.types)
	s.unspent = grow.To(s.unspent, s.slots)
	s.paid = grow.Zero(s.paid, 2*k) // by the plan, and by what is held
	gain := 0.0                     // of the plan over no commitments
	unit := float64(s.unit) * float64(s.grain)
	for t := range s.slots {
		s.unspent[t] = int(s.covered(t, int64(s.active[t])*s.unit) / s.unit)
		for i, n := range s.cover.best {
			s.paid[i] += n * s.types[i].rate
			gain += float64(n) * float64(s.types[i].price)
		}
		if s.held[t] > 0 {
			s.covered(t, int64(s.held[t])*s.unit)
			for i, n := range s.cover.best {
				s.paid[k+i] += n * s.types[i].rate
				gain -= float64(n) * float64(s.types[i].price)
			}
		}
	}
	for t, units := range s.buy {
		end := min(s.slots, t+s.term)
		for i := t; i < end && units > 0; i++ {
			units = min(units, s.unspent[i])
		}
		if units > 0 {
			s.buy[t] -= units
			for i := t; i < end; i++ {
				s.unspent[i] -= units
			}
		}
		gain -= float64(s.buy[t]) * unit * float64(s.charged(t))
	}
	if gain < 0 {
		clear(s.buy)
		copy(s.paid, s.paid[k:])
	}
	s.activate()
}

// reach sets m.savings.given to the cheapest commitments that pay for so many instances of
// each type in each slot, a column of the search for each.
func (m *Mixed) reach(p *MixedProblem, n int, round func(float64) float64) error {
	s := &m.search
	m.need = grow.Zero(m.need, n)
	m.spent = grow.Zero(m.spent, n)
	for j, c := range s.kinds {
		if c.kind == uses {
			m.spent[c.slot] += int64(max(0, round(s.value[j]))) * int64(p.Types[c.index].Plan)
		}
	}
	unit := int64(p.unitOf())
	m.dates = grow.To(m.dates, n)
	most := 0
	for t := range n {
		m.need[t] = max(0, int((m.spent[t]+unit-1)/unit)-m.savings.held[t])
		m.dates[t] = -1
		if p.sold(t) {
			m.dates[t] = int64(p.charged(n, t))
			most = max(most, p.charged(n, t))
		}
	}
	m.cover[0] = flow.Class{Term: int(p.Term / p.Slot), Fees: m.dates}
	if err := m.solver.Solve(flow.Problem{Demand: m.need, Price: int64(most) + 1, Classes: m.cover[:]}); err != nil {
		return badInput("Types.Demand", -1, ErrOverflow, "the demands are too large for 64 bits: %w", err)
	}
	m.savings.given = grow.Zero(m.savings.given, n)
	m.bought = m.solver.AppendPurchases(m.bought[:0])
	for _, b := range m.bought {
		m.savings.given[b.Slot] += b.Count
	}
	return nil
}
