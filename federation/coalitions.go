package federation

import (
	"time"

	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// What each coalition of centres costs by itself: its tasks, on its reservations.
//
// The cost of a coalition is what its tasks run on demand and send, with the plan of
// [Optimizer]. Fees are paid whoever shares, so they are left out: add a centre's fees to
// its share. Leases are paid by one member to another and add up to nothing.
//
// A coalition can always part, so its optimum is at most the sum of the optima of any
// two parts of it. A plan that was found with a gap may cost more; then the sum is taken.
//
// Prices make a division that no coalition leaves [Owen75]. Let π be prices of
// instance-slots, as in bound.go. Let every member pay for its tasks at π, each where it
// is cheapest, and earn π for its reservations:
//
//	x_i = Σ_{k of i} d_k·min_j( send_kj + Σ_{t in k} π_j(t) ) − Σ_t π_i(t)·u_i(t)
//
// Theorem. Σ_i x_i = L(π), and no coalition S costs less by itself than Σ_{i∈S} x_i. So
// if L(π) is the cost of the best plan, the shares are in the core.
//
// Proof. The first is the definition of L. For the second, take the prices of the members
// of S: by the bound, S costs at least L of S alone. There the least is over the centres
// of S only, which is no less than over all. ∎
//
// So with one or two centres the core is never empty. With more centres the core is not
// empty if the optimum is proved; otherwise the shares miss the cost by at most
// Optimum.Cost − Optimum.Bound. No coalition is enumerated, for any number of centres.

// Coalitions computes what coalitions of centres cost. The zero value is ready for
// [Coalitions.Reset]. It keeps its memory. It is for one goroutine at a time.
type Coalitions struct {
	all    []Centre
	tasks  []Task
	opt    Optimizer
	place  []int // of a centre in the coalition
	some   []Centre
	theirs []Task
	delays []time.Duration
}

// Reset makes c ready for the coalitions of centres. It keeps centres and tasks, which
// must not change until the next Reset. The error is an [*InputError], as from
// [Optimizer.Solve]. Reset takes at most 64 centres.
func (c *Coalitions) Reset(centres []Centre, tasks []Task) error {
	if len(centres) > 64 {
		return badInput("Centres", -1, ErrRange, "%d centres: want at most 64", len(centres))
	}
	if err := c.opt.load(centres, tasks); err != nil {
		return err
	}
	if err := c.opt.checkIDs(tasks); err != nil {
		return err
	}
	c.all, c.tasks = centres, tasks
	return nil
}

// Cost returns what a coalition costs by itself: Cost, and Bound, below which no plan of
// the coalition costs. A coalition of one lends and borrows nothing. Cost panics before
// the first Reset, and if the coalition is empty or has members that are no centres. The
// error is an [*InputError] for amounts that are too large. Time: that of
// [Optimizer.Solve] for the coalition.
func (c *Coalitions) Cost(s coalition.Set) (Optimum, error) {
	if s == 0 || s&^coalition.All(len(c.all)) != 0 {
		panic("federation: a coalition of nobody, or of others than the centres")
	}
	c.restrict(s)
	return c.opt.Solve(c.some, c.theirs, OptimumOptions{})
}

// restrict sets some and theirs to the centres of a coalition and their tasks.
func (c *Coalitions) restrict(s coalition.Set) {
	c.place = grow.To(c.place, len(c.all))
	c.some, c.theirs, c.delays = c.some[:0], c.theirs[:0], c.delays[:0]
	for i := range c.all {
		c.place[i] = -1
		if s.Has(i) {
			c.place[i] = len(c.some)
			c.some = append(c.some, c.all[i])
		}
	}
	c.delays = grow.To(c.delays, len(c.some)*len(c.some))
	for k := range c.some {
		if d := c.some[k].Delay; d != nil {
			row := c.delays[k*len(c.some):][:len(c.some)]
			for i := range s.Members() {
				row[c.place[i]] = d[i]
			}
			c.some[k].Delay = row
		}
	}
	for _, t := range c.tasks {
		if p := c.place[t.Home]; p >= 0 {
			t.Home = p
			c.theirs = append(c.theirs, t)
		}
	}
}

// AppendCosts appends to costs what each coalition costs, and to bounds what each costs at
// least, in the order of [coalition.Costs]: 2ⁿ each. If two parts of a coalition cost less
// than the plan that was found, the cost is that of the parts. Costs and bounds are the
// same for every coalition if and only if every plan is proved.
//
// The error is an [*InputError]: for more than [coalition.MaxMembers] centres, and as
// from [Coalitions.Cost]; both slices are then returned as they were. Time: 2ⁿ − 1 plans,
// and O(3ⁿ). With ten centres, that is 1,023 plans.
func (c *Coalitions) AppendCosts(costs, bounds coalition.Costs) (coalition.Costs, coalition.Costs, error) {
	n := len(c.all)
	if n > coalition.MaxMembers {
		return costs, bounds, badInput("Centres", -1, ErrRange, "%d centres: want at most %d, or a sample", n, coalition.MaxMembers)
	}
	from, at := len(costs), len(bounds)
	costs, bounds = append(costs, 0), append(bounds, 0)
	for s := coalition.Set(1); s <= coalition.All(n); s++ {
		o, err := c.Cost(s)
		if err != nil {
			return costs[:from], bounds[:at], err
		}
		least := o.Cost
		for part := (s - 1) & s; part > s^part; part = (part - 1) & s {
			least = min(least, costs[from:][part]+costs[from:][s^part])
		}
		costs, bounds = append(costs, least), append(bounds, o.Bound)
	}
	return costs, bounds, nil
}

// PriceSharesTo puts into dst what each centre pays at prices of instance-slots: for its
// tasks, each where it is cheapest, less what its reservations earn. prices are those of
// the first centre, slot by slot, then those of the second, and so on, each from 0 to the
// centre's price on demand. Fees are not part of the shares.
//
// No coalition of centres costs less by itself than its shares. With the prices of
// [Optimizer.AppendPrices], the shares add up to Optimum.Bound: the sum checks the bound,
// by other code than the search. If the plan is proved to be optimal, the shares divide
// its cost, and no coalition leaves.
//
// The error is an [*InputError]; dst is then unchanged. PriceSharesTo panics if the length
// of dst is not the number of centres. It allocates. Time: O(tasks · centres + slots ·
// centres + slots of the tasks).
func PriceSharesTo(dst []pricing.Money, centres []Centre, tasks []Task, prices []pricing.Money) error {
	if len(dst) != len(centres) {
		panic("federation: length of dst is not the number of centres")
	}
	shares := make([]pricing.Money, len(centres))
	if _, err := bound(centres, tasks, prices, shares); err != nil {
		return err
	}
	copy(dst, shares)
	return nil
}
