package rules

import (
	"math/big"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// The papers' pseudo-code, word for word and instance by instance, for slots of
// an hour. Nothing here uses the code under test.

// An only is a problem with one class, as these read it.
type only struct {
	k         int
	d         []int
	tau, n    int
	fee, gain *big.Rat
	rate      *big.Rat
	pure      bool
	every     int
}

func onlyClass(p *reserve.Problem, k int) only {
	tf := tariffOf(p)
	o := only{k: k, d: slices.Clone(p.Demand), tau: tf.term[k], n: len(p.Demand), every: max(1, p.Every)}
	for t := range o.d {
		for _, h := range p.Held {
			if t < h.Until {
				o.d[t] = max(0, o.d[t]-h.Count)
			}
		}
	}
	o.fee, o.rate, o.pure = tf.fee[k], tf.rate[k], p.Horizon == reserve.Pure
	o.gain = new(big.Rat).Sub(tf.price, tf.use[k])
	return o
}

func (o *only) feeAt(t int) *big.Rat {
	if left := o.n - t; o.pure && left < o.tau {
		return new(big.Rat).Mul(o.rate, big.NewRat(int64(left), 1))
	}
	return o.fee
}

// worth returns busy·p - F for a reservation at slot t.
func (o *only) worth(busy, t int) *big.Rat {
	x := new(big.Rat).Mul(o.gain, big.NewRat(int64(busy), 1))
	return x.Sub(x, o.feeAt(t))
}

func (o *only) plan(r []int) (plan []pricing.Purchase) {
	for t, count := range r {
		if count > 0 {
			plan = append(plan, pricing.Purchase{Slot: t, Class: o.k, Count: count})
		}
	}
	return plan
}

// naivePeriodic counts the busy slots of each level in each block.
func naivePeriodic(p *reserve.Problem, class int) []pricing.Purchase {
	o := onlyClass(p, class)
	r := make([]int, o.n)
	if o.gain.Sign() <= 0 {
		return nil
	}
	for t := 0; t < o.n; t += o.tau {
		for l := 1; ; l++ {
			busy := 0
			for j := t; j < min(o.n, t+o.tau); j++ {
				if o.d[j] >= l {
					busy++
				}
			}
			if busy == 0 || o.worth(busy, t).Sign() < 0 {
				break
			}
			r[t]++
		}
	}
	return o.plan(r)
}

// naiveSEC is [Niu16] section 5.1.2 with lists of single reservations, and a
// search through all purchases for Eqs. (3) and (4).
func naiveSEC(p *reserve.Problem) (plan []pricing.Purchase) {
	tf := tariffOf(p)
	n, h := len(p.Demand), len(tf.term)
	if n == 0 || h == 0 {
		return nil
	}
	peak := slices.Max(p.Demand)
	type lease struct{ class, end int }
	var held []lease
	for _, x := range p.Held {
		for range x.Count {
			held = append(held, lease{x.Class, x.Until})
		}
	}
	ranked := slices.Clone(tf.order) // by use price
	slices.SortStableFunc(ranked, func(i, j int) int {
		if c := tf.use[i].Cmp(tf.use[j]); c != 0 {
			return c
		}
		return tf.term[j] - tf.term[i]
	})
	for t := range n {
		if !mayBuy(p, t) {
			continue
		}
		// Step 1. A class is met if its level on the envelope of its term is: it
		// is met if it is the cheapest of its term at that utilisation, or one
		// that costs less in use is.
		cost := func(k, used int) *big.Rat {
			if k < 0 {
				return new(big.Rat).Mul(tf.price, big.NewRat(int64(used), 1))
			}
			c := new(big.Rat).Mul(tf.use[k], big.NewRat(int64(used), 1))
			return c.Add(c, tf.bought(p, k, t))
		}
		met := func(k, used int) bool {
			// the class itself is on the envelope: somewhere in (0, 1) it alone
			// is cheapest, or the first of equals
			if !onEnvelope(&tf, k) {
				return false
			}
			for other := -1; other < h; other++ {
				if other >= 0 && (tf.term[other] != tf.term[k] || tf.use[other].Cmp(tf.use[k]) <= 0) {
					continue
				}
				if other < 0 && tf.price.Cmp(tf.use[k]) <= 0 {
					return false
				}
				if cost(k, used).Cmp(cost(other, used)) > 0 {
					return false
				}
			}
			return true
		}
		want := make([]int, h)
		for j := 1; j <= peak; j++ {
			for _, k := range ranked {
				used := 0
				for i := t; i < min(n, t+tf.term[k]); i++ {
					if p.Demand[i] >= j {
						used++
					}
				}
				if used > 0 && met(k, used) {
					want[k]++
					break
				}
			}
		}
		// Step 2.
		have := make([]int, h)
		for _, x := range held {
			if x.end <= t {
				continue
			}
			term := tf.term[x.class]
			for _, other := range tf.term {
				if other >= x.end-t && other < term {
					term = other
				}
			}
			k := x.class
			if term != tf.term[k] {
				k = -1
				own := p.Prices.Classes[x.class]
				for i, c := range p.Prices.Classes {
					if tf.term[i] != term {
						continue
					}
					apart := func(c pricing.Class) [2]pricing.Money {
						d := [2]pricing.Money{0, max(c.Hourly-own.Hourly, own.Hourly-c.Hourly)}
						if c.Billed != own.Billed {
							d[0] = 1
						}
						return d
					}
					if k < 0 || slices.Compare(sl(apart(c)), sl(apart(p.Prices.Classes[k]))) < 0 {
						k = i
					}
				}
			}
			have[k]++
		}
		// Step 3.
		sum := func(buy []int) (eq3, eq4 int) {
			for k := range h {
				x := have[k] + buy[k] - want[k]
				eq3 += x
				eq4 += max(x, -x)
			}
			return max(eq3, -eq3), eq4
		}
		buy, best := make([]int, h), []int(nil)
		for {
			if best == nil {
				best = slices.Clone(buy)
			}
			a3, a4 := sum(buy)
			b3, b4 := sum(best)
			better := a3 < b3 || a3 == b3 && a4 < b4
			if a3 == b3 && a4 == b4 { // more of the more discounted
				for _, k := range ranked {
					if buy[k] != best[k] {
						better = buy[k] > best[k]
						break
					}
				}
			}
			if better {
				best = slices.Clone(buy)
			}
			k := 0
			for ; k < h && buy[k] == peak; k++ {
				buy[k] = 0
			}
			if k == h {
				break
			}
			buy[k]++
		}
		for k, count := range best {
			if count > 0 {
				plan = append(plan, pricing.Purchase{Slot: t, Class: k, Count: count})
				for range count {
					held = append(held, lease{k, t + tf.term[k]})
				}
			}
		}
	}
	return plan
}

func sl(x [2]pricing.Money) []pricing.Money { return x[:] }

// onEnvelope reports whether class k is on the envelope of its term, by the
// middles between all crossings: it costs less there than all classes before it
// in the list and on demand, and no more than those after it.
func onEnvelope(tf *tariff, k int) bool {
	type line struct{ fee, use *big.Rat }
	lines := []line{{new(big.Rat), new(big.Rat).Mul(tf.price, big.NewRat(int64(tf.term[k]), 1))}}
	own := -1
	for i := range tf.term {
		if tf.term[i] == tf.term[k] {
			if i == k {
				own = len(lines)
			}
			lines = append(lines, line{tf.fee[i], new(big.Rat).Mul(tf.use[i], big.NewRat(int64(tf.term[i]), 1))})
		}
	}
	points := []*big.Rat{new(big.Rat), big.NewRat(1, 1)}
	for _, a := range lines {
		for _, b := range lines {
			if slope := new(big.Rat).Sub(a.use, b.use); slope.Sign() != 0 {
				u := new(big.Rat).Sub(b.fee, a.fee)
				if u.Quo(u, slope); u.Sign() > 0 && u.Cmp(big.NewRat(1, 1)) < 0 {
					points = append(points, u)
				}
			}
		}
	}
	slices.SortFunc(points, (*big.Rat).Cmp)
	at := func(l line, u *big.Rat) *big.Rat {
		x := new(big.Rat).Mul(l.use, u)
		return x.Add(x, l.fee)
	}
	for i := 1; i < len(points); i++ {
		u := new(big.Rat).Add(points[i-1], points[i])
		u.Quo(u, big.NewRat(2, 1))
		lowest := true
		for j, l := range lines {
			c := at(lines[own], u).Cmp(at(l, u))
			if j < own && c >= 0 || j > own && c > 0 {
				lowest = false
			}
		}
		if lowest && points[i-1].Cmp(points[i]) < 0 {
			return true
		}
	}
	return false
}
