package rules

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What a problem costs, by its definition, and its optimum by trying everything.
// Nothing here uses the code under test. Amounts are exact, in nanos.

// A tariff is a price list in exact amounts for slots.
type tariff struct {
	price     *big.Rat   // of a slot on demand
	fee, rate []*big.Rat // of a reservation: in all, and per slot
	use       []*big.Rat // of a used slot
	term      []int      // slots
	order     []int      // classes as they serve, most discounted first
}

func tariffOf(p *reserve.Problem) tariff {
	slot := func(hourly pricing.Money) *big.Rat {
		return new(big.Rat).Mul(big.NewRat(int64(hourly), 1), big.NewRat(int64(p.Slot), int64(time.Hour)))
	}
	tf := tariff{price: slot(p.Prices.OnDemand)}
	for k, c := range p.Prices.Classes {
		term := int(c.Term / p.Slot)
		fee, use := big.NewRat(int64(c.Upfront), 1), new(big.Rat)
		if c.Billed == pricing.Always {
			fee.Add(fee, new(big.Rat).Mul(slot(c.Hourly), big.NewRat(int64(term), 1)))
		} else {
			use = slot(c.Hourly)
		}
		tf.term = append(tf.term, term)
		tf.fee = append(tf.fee, fee)
		tf.rate = append(tf.rate, new(big.Rat).Quo(fee, big.NewRat(int64(term), 1)))
		tf.use = append(tf.use, use)
		tf.order = append(tf.order, k)
	}
	slices.SortStableFunc(tf.order, func(i, j int) int { return tf.use[i].Cmp(tf.use[j]) })
	return tf
}

// bought returns what one reservation of class k costs that is bought at slot t.
func (tf *tariff) bought(p *reserve.Problem, k, t int) *big.Rat {
	if left := slotsOf(p) - t; p.Horizon == reserve.Pure && left < tf.term[k] {
		return new(big.Rat).Mul(tf.rate[k], big.NewRat(int64(left), 1))
	}
	return tf.fee[k]
}

// run returns what d instances cost in a slot with the given active reservations
// of each class.
func (tf *tariff) run(d int, active []int) *big.Rat {
	sum := new(big.Rat)
	for _, k := range tf.order {
		served := min(d, active[k])
		d -= served
		sum.Add(sum, new(big.Rat).Mul(tf.use[k], big.NewRat(int64(served), 1)))
	}
	return sum.Add(sum, new(big.Rat).Mul(tf.price, big.NewRat(int64(d), 1)))
}

// planCost returns the cost of a plan, in nanos, [Niu16] Eqs. (1) and (2): slot
// by slot, reservation by reservation. What is held costs its use alone.
func planCost(p *reserve.Problem, plan []pricing.Purchase) *big.Rat {
	tf := tariffOf(p)
	sum := new(big.Rat)
	for _, b := range plan {
		sum.Add(sum, new(big.Rat).Mul(tf.bought(p, b.Class, b.Slot), big.NewRat(int64(b.Count), 1)))
	}
	for t := range slotsOf(p) {
		active := make([]int, len(tf.term))
		for _, h := range p.Held {
			if t < h.Until {
				active[h.Class] += h.Count
			}
		}
		for _, b := range plan {
			if b.Slot <= t && t < b.Slot+tf.term[b.Class] {
				active[b.Class] += b.Count
			}
		}
		sum.Add(sum, tf.mean(p, t, active))
	}
	return sum
}

// slotsOf returns the number of slots of p's demand.
func slotsOf(p *reserve.Problem) int {
	return max(len(p.Demand), len(p.Chances), len(slices.Concat(p.Paths[:min(1, len(p.Paths))]...)))
}

// mean returns what slot t costs in the mean with the given active reservations. It
// takes probabilities for decimals of nine digits.
func (tf *tariff) mean(p *reserve.Problem, t int, active []int) *big.Rat {
	sum := new(big.Rat)
	add := func(probability float64, d int) {
		w, ok := new(big.Rat).SetString(strconv.FormatFloat(probability, 'f', 9, 64))
		if !ok {
			panic("no decimal")
		}
		sum.Add(sum, w.Mul(w, tf.run(d, active)))
	}
	switch {
	case p.Chances != nil:
		for _, c := range p.Chances[t] {
			add(c.Probability, c.Demand)
		}
	case p.Weights != nil:
		for i, path := range p.Paths {
			add(p.Weights[i], path[t])
		}
	case p.Paths != nil:
		for _, path := range p.Paths {
			sum.Add(sum, tf.run(path[t], active))
		}
		sum.Mul(sum, big.NewRat(1, int64(len(p.Paths))))
	default:
		return tf.run(p.Demand[t], active)
	}
	return sum
}

// peakFrom returns the largest demand from slot t on.
func peakFrom(p *reserve.Problem, t int) (most int) {
	for _, d := range p.Demand[min(t, len(p.Demand)):] {
		most = max(most, d)
	}
	for _, path := range p.Paths {
		most = max(most, slices.Max(path[t:]))
	}
	for _, chances := range p.Chances[min(t, len(p.Chances)):] {
		for _, c := range chances {
			most = max(most, c.Demand)
		}
	}
	return most
}

// mayBuy reports whether slot t is open for purchases.
func mayBuy(p *reserve.Problem, t int) bool {
	return t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t])
}

// bruteForce returns a cheapest plan and its cost in nanos, with all that a
// Problem has: several terms, both billings, Every, Closed, MaxBuy, MaxActive,
// Held, both horizons. It tries every number of reservations of every class at
// every open slot, up to the largest demand to come, and remembers what each
// state leads to. ok is false if no plan keeps to MaxActive (for what is held).
// For problems of a few slots, instances and classes: the states are the active
// reservations of each class by remaining slots.
func bruteForce(p *reserve.Problem) (plan []pricing.Purchase, cost *big.Rat, ok bool) {
	tf := tariffOf(p)
	n, h := slotsOf(p), len(tf.term)
	// A state has at k*(n+1)+r the reservations of class k that are active for
	// another r slots; more than what is left counts as that.
	type choice struct {
		cost *big.Rat // nil: infeasible
		buy  []int
	}
	known := map[string]choice{}
	key := func(t int, state []int) string {
		b := []byte{byte(t)}
		for _, x := range state {
			b = append(b, byte(x), byte(x>>8))
		}
		return string(b)
	}
	normal := func(t int, state []int) {
		for k := range h {
			for r := n; r > n-t; r-- {
				state[k*(n+1)+n-t] += state[k*(n+1)+r]
				state[k*(n+1)+r] = 0
			}
			state[k*(n+1)] = 0
		}
	}
	bought := func(t int, state, buy []int) []int {
		next := slices.Clone(state)
		for k, count := range buy {
			next[k*(n+1)+min(tf.term[k], n-t)] += count
		}
		return next
	}
	later := func(t int, state []int) []int { // state in slot t, to that of slot t+1
		next := make([]int, len(state))
		for k := range h {
			copy(next[k*(n+1):k*(n+1)+n], state[k*(n+1)+1:(k+1)*(n+1)])
		}
		normal(t+1, next)
		return next
	}
	var best func(t int, state []int) choice
	best = func(t int, state []int) choice {
		if t == n {
			return choice{cost: new(big.Rat)}
		}
		id := key(t, state)
		if c, ok := known[id]; ok {
			return c
		}
		most := make([]int, h)
		for k := range most {
			if mayBuy(p, t) {
				most[k] = peakFrom(p, t)
				if p.MaxBuy > 0 {
					most[k] = min(most[k], p.MaxBuy)
				}
				if p.AtMost != nil && p.AtMost[k] != reserve.NoCap {
					most[k] = min(most[k], p.AtMost[k])
				}
			}
		}
		var found choice
		buy := make([]int, h)
		for {
			next := bought(t, state, buy)
			active, all := make([]int, h), 0
			for k := range h {
				for r := 1; r <= n; r++ {
					active[k] += next[k*(n+1)+r]
				}
				all += active[k]
			}
			if p.MaxActive == 0 || all <= p.MaxActive {
				if rest := best(t+1, later(t, next)); rest.cost != nil {
					c := new(big.Rat).Add(rest.cost, tf.mean(p, t, active))
					for k, count := range buy {
						c.Add(c, new(big.Rat).Mul(tf.bought(p, k, t), big.NewRat(int64(count), 1)))
					}
					if found.cost == nil || c.Cmp(found.cost) < 0 {
						found = choice{c, slices.Clone(buy)}
					}
				}
			}
			k := 0 // the next vector of counts
			for ; k < h && buy[k] == most[k]; k++ {
				buy[k] = 0
			}
			if k == h {
				break
			}
			buy[k]++
		}
		known[id] = found
		return found
	}
	state := make([]int, h*(n+1))
	for _, held := range p.Held {
		if r := min(held.Until, n); r > 0 {
			state[held.Class*(n+1)+r] += held.Count
		}
	}
	start := best(0, state)
	if start.cost == nil {
		return nil, nil, false
	}
	for t := range n {
		buy := best(t, state).buy
		for k, count := range buy {
			if count > 0 {
				plan = append(plan, pricing.Purchase{Slot: t, Class: k, Count: count})
			}
		}
		state = later(t, bought(t, state, buy))
	}
	slices.SortFunc(plan, func(a, b pricing.Purchase) int {
		return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Class, b.Class))
	})
	return plan, start.cost, true
}
