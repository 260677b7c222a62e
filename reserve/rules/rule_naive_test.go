package rules

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The online rules as they are printed: literal, slow, sharing nothing with the
// rules under test but Offer. Purchases are a number for each slot.

// onlineCost is the bill for demand d with purchases r.
func onlineCost(o reserve.Offer, d, r []int) int64 {
	var sum int64
	active := 0
	for t := range d {
		active += r[t]
		if t >= o.Term {
			active -= r[t-o.Term]
		}
		od := max(0, d[t]-active)
		sum += o.Fee*int64(r[t]) + o.Price*int64(od) + o.Use*int64(d[t]-od)
	}
	return sum
}

// regretted is the least number of slots with a price on demand of no less than
// the fee, or, strictly, more.
func regretted(o reserve.Offer, strictly bool) int {
	for m := 1; ; m++ {
		spent := int64(m) * (o.Price - o.Use)
		if spent > o.Fee || spent == o.Fee && !strictly {
			return m
		}
	}
}

// naiveWang is [Wang13] Algorithm 1 with x_i stored and phantom updates.
func naiveWang(d []int, term, m int) []int {
	x := make([]int, len(d)+term)
	r := make([]int, len(d))
	for t := range d {
		for {
			count := 0
			for i := max(0, t-term+1); i <= t; i++ {
				if d[i] > x[i] {
					count++
				}
			}
			if count < m {
				break
			}
			r[t]++
			for i := max(0, t-term+1); i < t+term; i++ {
				x[i]++
			}
		}
	}
	return r
}

// naiveHistory counts each level's slots on demand of the last term.
func naiveHistory(d []int, term, m int) []int {
	r := make([]int, len(d))
	u := make([]int, len(d)+term)
	for t := range d {
		for {
			level, count := u[t]+1, 0
			for i := max(0, t-term+1); i <= t; i++ {
				if u[i] < level && level <= d[i] {
					count++
				}
			}
			if count < m {
				break
			}
			r[t]++
			for i := t; i < t+term; i++ {
				u[i]++
			}
		}
	}
	return r
}

// naiveRHO is [Liu21] Algorithm 2 with one array of what has been subtracted from
// each slot's demand.
func naiveRHO(d, f []int, term, lambda, m int, rule RHORule, anyStart, last bool) []int {
	r := make([]int, len(d))
	cover := make([]int, len(d)+term+lambda)
	for t := range d {
		g := slices.Clone(f[t:min(len(d), t+lambda)])
		g[0] = d[t]
		for i := range g {
			g[i] = max(0, g[i]-cover[t+i])
		}
		needed := g[0]
		buy := 0
		for { // Algorithm 1, one reservation at a time
			most, at := -1, 0
			for s := 0; s < len(g) && (anyStart || s == 0 || s+term <= len(g)); s++ {
				count := 0
				for j := s; j < min(len(g), s+term); j++ {
					if g[j] > 0 {
						count++
					}
				}
				if count > most || last && count == most {
					most, at = count, s
				}
			}
			if most < m {
				break
			}
			if rule == Deferred {
				for g[at] == 0 {
					at++
				}
			}
			for j := at; j < min(len(g), at+term); j++ {
				g[j] = max(0, g[j]-1)
			}
			if at == 0 {
				buy++
			}
		}
		if rule == Deferred {
			buy = min(buy, needed)
		}
		r[t] = buy
		span := term
		if rule == Printed {
			span = lambda
		}
		for i := t; i < t+span; i++ {
			cover[i] += buy
		}
	}
	return r
}

// naiveCommit is [Liu21] Algorithm 2 as printed for a window of several starts: all
// that Algorithm 1 buys for a window is bought, one reservation at a time, and the
// last window ends with the demand.
func naiveCommit(d, f []int, term, lambda, m int, rule RHORule, anyStart, last bool) []int {
	r := make([]int, len(d))
	cover := make([]int, len(d)+term+lambda)
	for t := 0; t+lambda <= len(d); t++ {
		g := slices.Clone(f[t : t+lambda])
		g[0] = d[t]
		for i := range g {
			g[i] = max(0, g[i]-cover[t+i])
		}
		for {
			most, at := -1, 0
			for s := 0; s < len(g) && (anyStart || s == 0 || s+term <= len(g)); s++ {
				count := 0
				for j := s; j < min(len(g), s+term); j++ {
					if g[j] > 0 {
						count++
					}
				}
				if count > most || last && count == most {
					most, at = count, s
				}
			}
			if most < m {
				break
			}
			end := at + term
			if rule == Printed {
				end = min(end, lambda)
			}
			for j := at; j < end; j++ {
				cover[t+j]++
				if j < len(g) {
					g[j] = max(0, g[j]-1)
				}
			}
			r[t+at]++
		}
	}
	return r
}

// A robustState is Robust slot by slot, with sums and scans over the purchases.
type robustState struct {
	d      []int
	ra, rw []int // purchases of Robust and of the shadow
	l      int64 // the bound
}

func (s robustState) clone() robustState {
	return robustState{slices.Clone(s.d), slices.Clone(s.ra), slices.Clone(s.rw), s.l}
}

// sum adds up r from slot from to before slot to.
func sum(r []int, from, to int) (n int) {
	for i := max(0, from); i < min(len(r), to); i++ {
		n += r[i]
	}
	return n
}

// short counts the slots of the last term with a demand above the purchases less
// than a term before or after them.
func short(d, r []int, term int) (n int) {
	for i := max(0, len(d)-term); i < len(d); i++ {
		if d[i] > sum(r, i-term+1, i+term) {
			n++
		}
	}
	return n
}

// begin adds a slot: shadow, bound and net. It returns the most that advice may
// add to the slot's purchases.
func (s *robustState) begin(o reserve.Offer, d int, ratio int64) (most int) {
	p, m := o.Price-o.Use, regretted(o, false)
	net := reserve.Offer{Price: p, Fee: o.Fee, Term: o.Term}
	t := len(s.d)
	s.d, s.ra, s.rw = append(s.d, d), append(s.ra, 0), append(s.rw, 0)
	for short(s.d, s.rw, o.Term) >= m {
		s.rw[t]++
	}
	s.l = onlineCost(net, s.d, s.rw) - p*int64(m-1)*int64(sum(s.rw, 0, t+1))
	for short(s.d, s.ra, o.Term) >= m {
		s.ra[t]++
	}
	own := s.ra[t]
	for d > sum(s.ra, t-o.Term+1, t+1) {
		s.ra[t]++
		k, active := int64(sum(s.ra, 0, t+1)), int64(sum(s.ra, t-o.Term+1, t+1))
		if 1000*o.Fee*k > (ratio-1000)*s.l && // (i)
			1000*(onlineCost(net, s.d, s.ra)+p*int64(m-1)*active) > ratio*s.l { // (ii)
			break
		}
		most++
	}
	s.ra[t] = own
	return most
}

// naiveRobust takes the deferred rule's advice, for windows of at most a term.
func naiveRobust(o reserve.Offer, d, f []int, lambda, ratio int) (r []int, bound int64) {
	var s robustState
	m := regretted(o, false)
	for t := range d {
		for most := s.begin(o, d[t], int64(ratio)); most > 0; most-- {
			count := 0
			for j := t; j < min(len(d), t+lambda); j++ {
				x := f[j]
				if j == t {
					x = d[t]
				}
				if x > sum(s.ra, j-o.Term+1, t+1) {
					count++
				}
			}
			if count < m {
				break
			}
			s.ra[t]++
		}
	}
	return s.ra, s.l
}

// onlineCase draws a demand with runs, a forecast of any quality and a class whose
// term may be worth its fee.
func onlineCase(rng *rand.Rand, slots, term, peak int) (d, f []int, o reserve.Offer) {
	o = reserve.Offer{Price: int64(1 + rng.IntN(4)), Term: 1 + rng.IntN(term)}
	if o.Price > 1 && rng.IntN(3) == 0 {
		o.Use = rng.Int64N(o.Price)
	}
	o.Fee = 1 + rng.Int64N((o.Price-o.Use)*int64(o.Term))
	d = make([]int, 1+rng.IntN(slots))
	v, stay := 0, rng.Float64()
	for i := range d {
		if rng.Float64() > stay {
			v = rng.IntN(2) * rng.IntN(peak+1)
		}
		d[i] = v
	}
	f = slices.Clone(d)
	switch rng.IntN(3) {
	case 1:
		for i := range f {
			f[i] = max(0, f[i]+rng.IntN(3)-1)
		}
	case 2:
		for i := range f {
			f[i] = rng.IntN(peak + 1)
		}
	}
	return d, f, o
}

// observeAll is a rule's purchases slot by slot.
func observeAll(rule rule, o reserve.Offer, d, f []int) []int {
	if err := rule.Reset(o); err != nil {
		panic(err)
	}
	r := make([]int, len(d))
	for t := range d {
		r[t] = rule.Observe(d[t], f[t+1:])
	}
	return r
}

// problemOf is the class and the demand as a Problem.
func problemOf(o reserve.Offer, d []int) *reserve.Problem {
	return &reserve.Problem{Demand: d, Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Money(o.Price), Classes: []pricing.Class{
		{Name: "a", Term: time.Duration(o.Term) * time.Hour, Upfront: pricing.Money(o.Fee), Hourly: pricing.Money(o.Use), Billed: pricing.WhenUsed},
	}}}
}

// bySlot is a plan as a number for each slot.
func bySlot(plan []pricing.Purchase, slots int) []int {
	r := make([]int, slots)
	for _, b := range plan {
		r[b.Slot] += b.Count
	}
	return r
}

// An optimum solves for the least cost, in the prices of an Offer.
type optimum struct {
	exact reserve.Exact
	plan  []pricing.Purchase
}

func (x *optimum) cost(o reserve.Offer, d []int) int64 {
	var err error
	if x.plan, err = x.exact.AppendPlan(x.plan[:0], problemOf(o, d)); err != nil {
		panic(err)
	}
	return onlineCost(o, d, bySlot(x.plan, len(d)))
}
