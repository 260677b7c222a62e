package marginal

import (
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Prices that count on purchases. Let C(d) be the least cost of a demand d over the horizon:
// fees of the reservations that are bought in the first hour, and all that runs on demand.
// Package reserve finds C with a proof. The price of a kind of u units is
//
//	(C(d + u in each coming hour) - C(d)) / coming hours.
//
// Two bounds of the price need only the plan for d. The dual prices of the plan give a lower
// bound: u times what one more unit costs at least, in the mean of the coming hours. The
// purchases of the plan, unchanged, give an upper bound: the cost on demand of what held and
// planned reservations do not serve. If the bounds are equal, they are the price. Otherwise
// the function plans for d + u too.

// plan sets the prices of kinds that reservations for sale could serve.
func (b *Book) plan(quotes []Quote, running []int, now time.Time, o *Options) error {
	var exact reserve.Exact
	for at := range b.pools {
		f, why := b.family(at, running, now, o)
		if why != "" {
			for _, k := range b.pools[at].kinds {
				quotes[k].Why += "; purchases do not count: " + why
			}
			continue
		}
		if f == nil {
			continue
		}
		if err := f.price(&exact, quotes, o); err != nil {
			return fmt.Errorf("%s: %w", b.pools[at].name, err)
		}
	}
	return nil
}

// A family is the problem of one pool, in its smallest common unit.
type family struct {
	problem reserve.Problem
	kinds   []int
	size    []int   // units of each
	held    []int64 // units, by hour
}

// family returns the problem of a pool: nil if nothing is for sale, and words if purchases
// cannot be priced.
func (b *Book) family(at int, running []int, now time.Time, o *Options) (*family, string) {
	kinds := b.pools[at].kinds
	f := &family{kinds: kinds}
	unit := 0
	seller := -1
	for _, k := range kinds {
		unit = int(wide.GCD(int64(unit), int64(b.Kinds[k].Units)))
		if seller < 0 && len(b.Kinds[k].Classes) > 0 {
			seller = k
		}
	}
	if seller < 0 {
		return nil, ""
	}
	for _, e := range b.funded {
		for _, k := range kinds {
			if b.plans[e.at].rates[k] > 0 && e.until.After(now) {
				return nil, "savings plan " + e.id + " pays for kinds of the family"
			}
		}
	}
	base := &b.Kinds[kinds[0]]
	per := func(m pricing.Money, k *Kind) *big.Rat { return big.NewRat(int64(m), int64(k.Units/unit)) }
	price := per(base.OnDemand, base)
	for _, k := range kinds {
		if per(b.Kinds[k].OnDemand, &b.Kinds[k]).Cmp(price) != 0 {
			return nil, "prices of the family are not in proportion to its sizes"
		}
		f.size = append(f.size, b.Kinds[k].Units/unit)
	}
	p := &f.problem
	p.Slot, p.Every, p.Horizon = time.Hour, reserve.Once, reserve.Pure
	ok := price.IsInt()
	p.Prices.OnDemand = pricing.Money(price.Num().Int64())
	for _, c := range b.Kinds[seller].Classes {
		upfront, hourly := per(c.Upfront, &b.Kinds[seller]), per(c.Hourly, &b.Kinds[seller])
		ok = ok && upfront.IsInt() && hourly.IsInt()
		c.Upfront, c.Hourly = pricing.Money(upfront.Num().Int64()), pricing.Money(hourly.Num().Int64())
		p.Prices.Classes = append(p.Prices.Classes, c)
		p.AtMost = append(p.AtMost, reserve.NoCap)
	}
	if !ok {
		return nil, "a unit of the family has a price of more than nine decimals"
	}
	if why := f.hold(b, at, unit, now, o); why != "" {
		return nil, why
	}
	return f, f.demand(b, running, o)
}

// hold adds what is held: a class of its own that is not for sale, since its fees are spent.
func (f *family) hold(b *Book, at, unit int, now time.Time, o *Options) (why string) {
	p := &f.problem
	p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "held", Term: maxHours * time.Hour, Billed: pricing.Always})
	p.AtMost = append(p.AtMost, 0)
	f.held = make([]int64, o.Plan)
	for _, e := range b.reserved {
		if e.at != at {
			continue
		}
		until := min(int64(o.Plan), int64(e.until.Sub(now)/time.Hour))
		count := e.amount / int64(unit)
		if until <= 0 {
			continue
		}
		if count > math.MaxInt32 {
			return "more units are held than 32 bits have"
		}
		p.Held = append(p.Held, pricing.Holding{Class: len(p.Prices.Classes) - 1, Count: int(count), Until: int(until)})
		for t := range until {
			f.held[t] += count
		}
	}
	return ""
}

// demand sets the demand: what runs, and the futures beside it.
func (f *family) demand(b *Book, running []int, o *Options) (why string) {
	p := &f.problem
	for i := range max(1, len(o.Beside)) {
		path := make([]int, o.Plan)
		for t := range path {
			sum := int64(0)
			for j, k := range f.kinds {
				n := int64(running[k])
				if o.Beside != nil && len(o.Beside[i][k]) > 0 {
					n += int64(o.Beside[i][k][min(t, len(o.Beside[i][k])-1)])
				}
				sum += n * int64(f.size[j])
			}
			if sum > math.MaxInt32 {
				return "the demand has more units than 32 bits"
			}
			path[t] = int(sum)
		}
		p.Paths = append(p.Paths, path)
	}
	if len(p.Paths) == 1 {
		p.Demand, p.Paths = p.Paths[0], nil
	}
	return ""
}

// price sets the quotes of the family.
func (f *family) price(exact *reserve.Exact, quotes []Quote, o *Options) error {
	base, err := exact.Solve(&f.problem)
	if err != nil {
		return err
	}
	if !base.Optimal() {
		return fmt.Errorf("the plan is not proven optimal: cost %v, bound %v", base.Cost, base.Bound)
	}
	// serve is what held and planned reservations serve in each hour.
	serve, words := append([]int64(nil), f.held[:o.Hours]...), ""
	for _, p := range base.Purchases {
		class := &f.problem.Prices.Classes[p.Class]
		for t := range min(int64(o.Hours), int64(class.Term/time.Hour)) {
			serve[t] += int64(p.Count)
		}
		words += fmt.Sprintf("; the plan buys %d units of %s now", p.Count, class.Name)
	}
	demands := f.problem.Paths
	if demands == nil {
		demands = [][]int{f.problem.Demand}
	}
	// The dual of an hour: what one more unit adds at least.
	dual := new(big.Rat)
	if c := base.Certificate; c.Levels > 0 {
		for _, v := range c.Values[:o.Hours] {
			dual.Add(dual, big.NewRat(v, 1))
		}
		dual.Mul(dual, big.NewRat(c.Num, c.Den))
	}
	hours := int64(o.Hours)
	for j, k := range f.kinds {
		q := &quotes[k]
		units := f.size[j] * o.Round
		low := new(big.Rat).Mul(dual, big.NewRat(int64(units), 1))
		// With the purchases as they are: what nothing serves runs on demand.
		beyond, idle := int64(0), int64(math.MaxInt32)
		for _, demand := range demands {
			for t, n := range serve {
				free := max(0, n-int64(demand[t]))
				beyond += max(0, int64(units)-free)
				if t == 0 {
					idle = min(idle, free)
				}
			}
		}
		q.Room = max(q.Room, min(MaxRoom, int(idle)/f.size[j]))
		high := big.NewRat(beyond, int64(len(demands)))
		high.Mul(high, big.NewRat(int64(f.problem.Prices.OnDemand), 1))
		q.Why += words
		if q.Bound, err = perHour(low, hours*int64(o.Round)); err != nil {
			return err
		}
		extra := high
		if low.Cmp(high) != 0 {
			q.Solved = true
			if extra, err = f.difference(base.Cost, units, o.Hours); err != nil {
				return err
			}
		}
		if q.Price, err = perHour(extra, hours*int64(o.Round)); err != nil {
			return err
		}
	}
	return nil
}

// difference is the cost of a second plan, with more units in the first hours, less cost.
func (f *family) difference(cost pricing.Money, units, hours int) (*big.Rat, error) {
	p := f.problem
	more := func(d []int) []int {
		d = append([]int(nil), d...)
		for t := range hours {
			d[t] += units
		}
		return d
	}
	if p.Demand != nil {
		p.Demand = more(p.Demand)
	}
	p.Paths = nil
	for _, path := range f.problem.Paths {
		p.Paths = append(p.Paths, more(path))
	}
	var second reserve.Exact
	plan, err := second.Solve(&p)
	if err != nil {
		return nil, err
	}
	if !plan.Optimal() {
		return nil, fmt.Errorf("the plan with more instances is not proven optimal: cost %v, bound %v", plan.Cost, plan.Bound)
	}
	return big.NewRat(int64(plan.Cost)-int64(cost), 1), nil
}

// perHour divides nanos by hours and rounds.
func perHour(nanos *big.Rat, hours int64) (pricing.Money, error) {
	m, ok := money(new(big.Rat).Quo(nanos, big.NewRat(hours, 1)))
	if !ok {
		return 0, ErrOverflow
	}
	return m, nil
}
