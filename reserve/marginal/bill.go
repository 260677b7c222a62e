package marginal

import (
	"math"
	"math/big"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// What instances cost in an hour on top of the commitments, as the package comment says.
//
// All amounts are fractions: a savings plan pays for a part of an instance-hour at the end,
// and a reservation of a family for a part of an instance. So two bills can be subtracted,
// and the difference is exact.

// serving is what the commitments give in one hour.
type serving struct {
	units  []int64 // by pool
	hourly []int64 // nanos, by plan
}

// at returns what serves in the hour that begins at t. A commitment that ends within the
// hour does not count.
func (b *Book) at(t time.Time) serving {
	s := serving{make([]int64, len(b.pools)), make([]int64, len(b.plans))}
	end := t.Add(time.Hour)
	add := func(to *int64, amount int64) { // saturates: nobody uses so much
		*to = min(*to, math.MaxInt64-amount) + amount
	}
	for _, e := range b.reserved {
		if !e.until.Before(end) {
			add(&s.units[e.at], e.amount)
		}
	}
	for _, e := range b.funded {
		if !e.until.Before(end) {
			add(&s.hourly[e.at], e.amount)
		}
	}
	return s
}

// An account is how an hour is paid for.
type account struct {
	reserved []int64    // units that reservations serve, by pool
	paid     []*big.Rat // nanos out of each plan
	onDemand []*big.Rat // instances on demand, by kind; nil is none
	cost     *big.Rat   // nanos on demand
}

// bill pays for the counts of each kind. Time is O(kinds·plans), and for a kind that does
// not run next to nothing.
func (b *Book) bill(counts []int, s serving) account {
	a := account{reserved: make([]int64, len(b.pools)), paid: make([]*big.Rat, len(b.plans)), onDemand: make([]*big.Rat, len(counts)), cost: new(big.Rat)}
	for i := range b.pools {
		free := s.units[i]
		for _, k := range b.pools[i].kinds {
			if counts[k] == 0 {
				continue
			}
			size := int64(b.Kinds[k].Units)
			need := int64(counts[k]) * size
			served := min(free, need)
			free -= served
			if need > served {
				a.onDemand[k] = big.NewRat(need-served, size)
			}
		}
		a.reserved[i] = s.units[i] - free
	}
	for i := range b.plans {
		p := &b.plans[i]
		a.paid[i] = new(big.Rat)
		left := big.NewRat(s.hourly[i], 1)
		for _, k := range p.order {
			if left.Sign() == 0 {
				break
			}
			if a.onDemand[k] == nil {
				continue
			}
			rate := big.NewRat(int64(p.rates[k]), 1)
			need := new(big.Rat).Mul(a.onDemand[k], rate)
			if need.Cmp(left) <= 0 {
				left.Sub(left, need)
				a.paid[i].Add(a.paid[i], need)
				a.onDemand[k] = nil
				continue
			}
			a.paid[i].Add(a.paid[i], left)
			a.onDemand[k].Sub(a.onDemand[k], left.Quo(left, rate))
			break
		}
	}
	for k, n := range a.onDemand {
		if n != nil {
			a.cost.Add(a.cost, new(big.Rat).Mul(n, big.NewRat(int64(b.Kinds[k].OnDemand), 1)))
		}
	}
	return a
}

func ratio(a, b pricing.Money) *big.Rat { return big.NewRat(int64(a), int64(b)) }

// money rounds nanos half to even. It reports false if they do not fit.
func money(r *big.Rat) (pricing.Money, bool) {
	q, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // rest ≥ 0
	switch rest.Lsh(rest, 1).Cmp(r.Denom()) {
	case 1:
		q.Add(q, big.NewInt(1))
	case 0:
		q.Add(q, big.NewInt(int64(q.Bit(0))))
	}
	return pricing.Money(q.Int64()), q.IsInt64()
}

// Bill returns what the instances cost in the hour that begins now, on top of the
// commitments.
func (b *Book) Bill(counts []int, now time.Time) (pricing.Money, error) {
	m, ok := money(b.bill(counts, b.at(now)).cost)
	if !ok {
		return 0, ErrOverflow
	}
	return m, nil
}
