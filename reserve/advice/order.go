package advice

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// order is the answer for purchase i of the plan, one of slot 0.
func (r *Request) order(p *reserve.Problem, plan *reserve.Plan, i int) (Order, error) {
	b := plan.Purchases[i]
	class := r.Offers[b.Class].Class
	o := Order{Class: class.Name, Units: b.Count, Hourly: class.Hourly, Until: r.Now.Add(class.Term), BreakEven: 1}
	var err error
	if o.Upfront, err = class.Upfront.Mul(int64(b.Count)); err != nil {
		return o, err
	}
	owed, err := class.Commitment()
	if err != nil {
		return o, err
	}
	if o.Commitment, err = owed.Mul(int64(b.Count)); err != nil {
		return o, err
	}
	if u, ok := class.BreakEven(pricing.OnDemand(r.OnDemand)); ok {
		o.BreakEven = u
	}
	relaxed := *p // limits do not bind what is only compared
	relaxed.AtMost = nil
	without := slices.Delete(slices.Clone(plan.Purchases), i, i+1)
	if err := r.compare(&o, &relaxed, plan, b, without); err != nil {
		return o, err
	}
	if o.Loss, err = r.loss(&relaxed, plan.Purchases, without); err != nil {
		return o, err
	}
	r.use(&o, class, active(p, plan.Purchases, len(r.Paths[0]), -1), active(p, plan.Purchases, len(r.Paths[0]), i))
	return o, nil
}

// compare fills in what the order b saves, and what waiting for one period costs: differences to the
// plan without the order.
func (r *Request) compare(o *Order, p *reserve.Problem, plan *reserve.Plan, b pricing.Purchase, without []pricing.Purchase) error {
	cost, err := reserve.Cost(p, without)
	if err != nil {
		return err
	}
	if o.Saving, err = cost.Sub(plan.Cost); err != nil {
		return err
	}
	if p.Every < len(r.Paths[0]) {
		late := slices.Clone(without)
		b.Slot = p.Every
		at, found := slices.BinarySearchFunc(late, b, func(q, b pricing.Purchase) int {
			return cmp.Or(cmp.Compare(q.Slot, b.Slot), cmp.Compare(q.Class, b.Class))
		})
		if found {
			late[at].Count += b.Count
		} else {
			late = slices.Insert(late, at, b)
		}
		if cost, err = reserve.Cost(p, late); err != nil {
			return err
		}
	}
	o.Waiting, err = cost.Sub(plan.Cost)
	return err
}

// loss returns the probability of the paths on which the plan costs more than without the order.
func (r *Request) loss(p *reserve.Problem, plan, without []pricing.Purchase) (loss float64, err error) {
	for k := range r.Paths {
		one := *p
		one.Paths, one.Weights, one.Demand = nil, nil, r.Paths[k]
		with, err := reserve.Cost(&one, plan)
		if err != nil {
			return 0, err
		}
		saved, err := reserve.Cost(&one, without)
		if err != nil {
			return 0, err
		}
		if with > saved {
			loss += r.weight(k)
		}
	}
	return min(1, loss), nil
}

// use fills in how much of the term the last unit is needed, and when the money is back. all and less
// are the active units with and without the order. Units serve in the order of their use prices,
// as in [reserve.Cost].
func (r *Request) use(o *Order, class pricing.Class, all, less [][]int) {
	var serving []int
	for k, offer := range r.Offers {
		if offer.UsePrice() < r.OnDemand {
			serving = append(serving, k)
		}
	}
	slices.SortStableFunc(serving, func(a, b int) int { return cmp.Compare(r.Offers[a].UsePrice(), r.Offers[b].UsePrice()) })
	term := min(len(r.Paths[0]), int(class.Term/r.Slot))
	hours := r.Slot.Hours()
	saved, busy := 0.0, 0.0
	for t := range term {
		units := 0 // that serve no later than those of the order
		for k := range all {
			if r.Offers[k].UsePrice() <= class.UsePrice() {
				units += all[k][t]
			}
		}
		for k, path := range r.Paths {
			if path[t] >= units {
				busy += r.weight(k)
			}
			saved += r.weight(k) * hours * (r.run(path[t], t, serving, less) - r.run(path[t], t, serving, all))
		}
		paid := float64(o.Upfront)
		if class.Billed == pricing.Always {
			paid += float64(class.Hourly) * float64(o.Units) * hours * float64(t+1)
		}
		if o.Payback.IsZero() && saved >= paid*(1-1e-12) {
			o.Payback = r.Now.Add(time.Duration(t+1) * r.Slot)
		}
	}
	o.LastUse = busy / float64(term)
}

// active is how many units of each class serve in each slot: held, and bought by the
// plan. The purchase skip does not count; -1 counts all.
func active(p *reserve.Problem, purchases []pricing.Purchase, n, skip int) [][]int {
	units := make([][]int, len(p.Prices.Classes))
	for k := range units {
		units[k] = make([]int, n+1)
	}
	for _, h := range p.Held {
		units[h.Class][0] += h.Count
		units[h.Class][min(n, h.Until)] -= h.Count
	}
	for i, b := range purchases {
		if i != skip {
			units[b.Class][b.Slot] += b.Count
			units[b.Class][min(n, b.Slot+int(p.Prices.Classes[b.Class].Term/p.Slot))] -= b.Count
		}
	}
	for k, a := range units {
		for t := 1; t < n; t++ {
			a[t] += a[t-1]
		}
		units[k] = a[:n]
	}
	return units
}

// run is what an hour of a demand d in slot t costs for use and on demand. Classes serve
// in the given order, and units[k][t] of class k are active.
func (r *Request) run(d, t int, order []int, units [][]int) float64 {
	sum := 0.0
	for _, k := range order {
		used := min(d, units[k][t])
		sum += float64(used) * float64(r.Offers[k].UsePrice())
		d -= used
	}
	return sum + float64(d)*float64(r.OnDemand)
}

// weight is the probability of path i.
func (r *Request) weight(i int) float64 {
	if r.Weights == nil {
		return 1 / float64(len(r.Paths))
	}
	return r.Weights[i]
}
