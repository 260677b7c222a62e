package federation

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// An Optimum is the result of [Optimizer.Solve]. Reservations are paid for, and what the
// centres pay each other for them adds up to nothing. So a plan costs the federation
// what it runs on demand and what it sends.
type Optimum struct {
	Cost     pricing.Money // of the plan: OnDemand + Traffic
	OnDemand pricing.Money
	Traffic  pricing.Money
	Bound    pricing.Money // no plan whose parts stay in one centre costs less
	Rounds   int           // over all pairs of centres
	Steps    int           // of the prices that prove Bound
}

// OptimumOptions are the work limits of [Optimizer.Solve]. The zero value is right for
// most problems.
type OptimumOptions struct {
	// Start are the bookings of another plan, for example of [Share]. The plan found
	// does not cost more than Start, if each part of Start stays where it starts.
	Start []Booking
	// MaxRounds limits the rounds over all pairs of centres, of all descents together; 0
	// is 100. A negative number is none: the plan is then Start, all tasks at home, or
	// what the prices suggest, whichever costs least. A round is not interrupted: it
	// solves a flow for each pair of centres.
	MaxRounds int
	// MaxSteps limits the steps of the prices; 0 is 1,000. A negative number is none:
	// Bound is then what the pairs and the slots by themselves prove.
	MaxSteps int
}

// enough is the least gain of a round, as a share of the cost, that is worth another
// round. Ten more rounds at this rate change the sixth digit of the cost on demand.
const enough = 3e-7

// An Optimizer plans which instances of which tasks run in which centre, so that the federation
// pays least for given reservations. The optimum is the yardstick for the plan of [Share]. The
// problem is to
//
//	minimise   Σ_j Σ_t p_j·(n_j(t) − u_j(t))⁺  +  Σ ω·φ_home over instances that are not at home.
//
// n_j(t) is the number of instances in centre j in slot t, u_j(t) the number of reservations of
// centre j, and p_j its price on demand. ω·φ_home is the cost of sending an instance's data from
// its home. The instances of a task may be divided between centres, and each instance stays in one
// centre from start to end. [Sharer] decides task by task and centre by centre, from expectations.
// An Optimizer knows all tasks.
//
// With one or two centres the plan is optimal, if the work limit allows one round. With three or
// more centres, Optimum.Bound says how far the plan may be from the optimum.
//
// An Optimizer improves one pair of centres at a time. A minimum-cost flow (twocentre.go) divides
// the instances of the pair optimally between the two centres. The pairs take turns until a round
// saves next to nothing. Prices of instance-slots then prove a lower bound (bound.go). With three
// centres the bound may be below the optimum, since the best prices only give the value of the
// linear relaxation (TestOptimumGap: 6 against 5.5). Of 895 random cases of three and four centres,
// 894 plans were optimal, and the bound proved 887 of them (go test -run OptimumSmall -v).
//
// With any number of centres the problem is NP-hard, by reduction from the colouring of circular
// arcs with k colours [Garey80]. Cut the circle at a point that at most k arcs contain. Add short
// arcs across the cut until k arcs cross the cut. The short arcs meet only arcs that cross the cut.
// Each arc across the cut becomes a centre with one reservation, which is active from the end of
// the arc to its beginning. Each other arc becomes a task. Sending data is free, and an instance on
// demand is not. The optimum is 0 if and only if k colours suffice. For a fixed number of centres,
// three or more, we know neither a polynomial algorithm nor a proof that there is none.
//
//	[Garey80] Garey, Johnson, Miller, Papadimitriou, The complexity of coloring circular
//	          arcs and chords, SIAM J. Algebraic Discrete Methods 1(2), 1980.
//
// The zero value is ready. An Optimizer keeps its memory, and allocates nothing once warm. Only one
// goroutine at a time may use an Optimizer.
type Optimizer struct {
	model
	pair  twoCentre
	refs  []int32   // the task of each arc of pair
	trees [][]int32 // by two centres: the tasks in the tree of the last flow
	likes []int     // by task: stamp if it was in the tree
	stamp int
	x, x0 []int64 // task by task, the instances in each centre
	used  []int64 // slot by slot of a centre
	used2 []int64
	need  []int64

	prices, pairPrices []int64 // centre by centre
	ascent
	slot slotwise
	ids  []int32
}

// Solve plans the tasks. The delays, expected demands, fees and terms of the centres do not change
// the plan.
//
// The error is the [*pricing.InputError] that [Share] returns for the same input, or one that
// unwraps to [ErrOverflow] if amounts are too large for the flows. For T slots, each price on
// demand times (T+2)² must be at most 2⁶¹ nanos.
//
// Ties: of plans with equal cost, Solve returns the plan that its steps reach first. The same input
// always gives the same plan.
//
// Solve makes up to three descents, and keeps the cheapest plan. The first descent starts with all
// tasks at home, the second with the plan OptimumOptions.Start if there is one. The third starts
// with each task in the centre that is cheapest at the prices of the bound. A round of a descent
// solves one flow for each pair of centres.
//
// Time, for n centres: a round solves n·(n−1)/2 flows by the network simplex, for which no
// polynomial bound is known. A flow starts from the last spanning tree of the same pair, and later
// rounds therefore take about a tenth of the steps. A step of the prices takes O((tasks +
// slots)·n). Space: O((tasks + slots)·n), and at most 4 bytes for each slot of each pair.
// [OptimumOptions] has the work limits.
func (o *Optimizer) Solve(centres []Centre, tasks []Task, opts OptimumOptions) (Optimum, error) {
	if err := o.load(centres, tasks); err != nil {
		return Optimum{}, err
	}
	if err := o.checkIDs(tasks); err != nil {
		return Optimum{}, err
	}
	n, slots := o.centres, o.slots
	o.used = grow.To(o.used, n*(slots+1))
	o.used2 = grow.To(o.used2, slots+1)
	o.need = grow.To(o.need, slots+1)
	o.prices, o.pairPrices = grow.To(o.prices, n*slots), grow.To(o.pairPrices, n*slots)
	o.x0 = grow.To(o.x0, len(o.tasks)*n)
	o.x = grow.To(o.x, len(o.tasks)*n)
	for len(o.trees) < n*n {
		o.trees = append(o.trees, nil)
	}
	for i := range o.trees {
		o.trees[i] = o.trees[i][:0]
	}
	o.likes, o.stamp = grow.Zero(o.likes, len(o.tasks)), 0
	started := opts.Start != nil
	if started {
		if err := o.start(tasks, opts.Start); err != nil {
			return Optimum{}, err
		}
	}
	clear(o.x)
	for k, t := range o.tasks {
		o.x[k*n+int(t.home)] = t.n
	}
	limit := max(0, opts.MaxRounds)
	if opts.MaxRounds == 0 {
		limit = 100
	}
	var res Optimum
	cost, rounds := o.descend(o.x, limit, o.prices)
	res.Rounds = rounds
	if started && (n > 2 || limit == 0) {
		other, rounds := o.descend(o.x0, limit-res.Rounds, o.pairPrices)
		res.Rounds += rounds
		if other < cost {
			cost = other
			o.x, o.x0 = o.x0, o.x
			if rounds > 0 { // else they are 0, and prove nothing
				o.prices, o.pairPrices = o.pairPrices, o.prices
			}
		}
	}
	bound := o.value(&o.model, o.prices, nil)
	if bound < cost {
		o.slot.solve(&o.model, o.pairPrices)
		if b := o.value(&o.model, o.pairPrices, nil); b > bound {
			bound = b
			o.prices, o.pairPrices = o.pairPrices, o.prices
		}
		steps := opts.MaxSteps
		if steps == 0 {
			steps = 1000
		}
		bound, res.Steps = o.raise(&o.model, o.prices, bound, cost, steps)
	}
	if bound < cost {
		o.value(&o.model, o.prices, o.x0)
		other, rounds := o.descend(o.x0, limit-res.Rounds, o.pairPrices)
		res.Rounds += rounds
		if other < cost {
			cost = other
			o.x, o.x0 = o.x0, o.x
		}
	}
	onDemand, traffic := o.sum(o.x, o.used)
	res.OnDemand, res.Traffic, res.Cost = pricing.Money(onDemand), pricing.Money(traffic), pricing.Money(cost)
	res.Bound = pricing.Money(bound)
	return res, nil
}

// checkIDs sorts the indices of the tasks by ID.
func (o *Optimizer) checkIDs(tasks []Task) error {
	o.ids = grow.To(o.ids, len(tasks))
	for k := range tasks {
		o.ids[k] = int32(k)
	}
	slices.SortFunc(o.ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(tasks[a].ID, tasks[b].ID), cmp.Compare(a, b))
	})
	for i := 1; i < len(o.ids); i++ {
		if a, b := o.ids[i-1], o.ids[i]; tasks[a].ID == tasks[b].ID {
			return badInput("Tasks.ID", int(b), ErrDuplicate, "task %d is there twice: want distinct IDs", tasks[b].ID)
		}
	}
	return nil
}

// start sets o.x0 to where bookings have the tasks when they start.
func (o *Optimizer) start(tasks []Task, bookings []Booking) error {
	n := o.centres
	// o.used2 is too short for tasks. Count in x0, task by task; tasks that stay have no
	// place.
	clear(o.x0)
	place := grow.To(o.refs, len(tasks))
	o.refs = place
	for k := range place {
		place[k] = -1
	}
	for p, t := range o.tasks {
		place[t.index] = int32(p)
	}
	for i, b := range bookings {
		at, ok := slices.BinarySearchFunc(o.ids, b.Task, func(k int32, id int) int { return cmp.Compare(tasks[k].ID, id) })
		if !ok {
			return badInput("Start", i, ErrUnbalanced, "a booking of task %d, which is not there: want bookings of the tasks", b.Task)
		}
		k := o.ids[at]
		if b.Start != tasks[k].Start || place[k] < 0 {
			continue
		}
		if b.Centre < 0 || b.Centre >= n {
			return badInput("Start", i, ErrRange, "a booking in centre %d: want 0 to %d", b.Centre, n-1)
		}
		if b.Reserved < 0 || b.OnDemand < 0 || b.Reserved > tasks[k].Instances || b.OnDemand > tasks[k].Instances {
			return badInput("Start", i, ErrUnbalanced, "a booking of %d + %d instances of task %[4]d: want 1 to %[3]d", b.Reserved, b.OnDemand, tasks[k].Instances, b.Task)
		}
		o.x0[int(place[k])*n+b.Centre] += int64(b.Reserved) + int64(b.OnDemand)
	}
	for p, t := range o.tasks {
		sum := int64(0)
		for _, d := range o.x0[p*n : p*n+n] {
			sum += d
		}
		if sum != t.n {
			return badInput("Start", -1, ErrUnbalanced, "%d instances of task %[3]d are booked in its first slot: want %[2]d", sum, t.n, tasks[t.index].ID)
		}
	}
	return nil
}

// descend lets each pair of centres in turn divide between them what they have, as long
// as that lowers the cost, in at most limit rounds. It writes the prices of the last
// round, 0 if there is none.
func (o *Optimizer) descend(x []int64, limit int, prices []int64) (cost int64, rounds int) {
	n, slots := o.centres, o.slots
	d, s := o.sum(x, o.used)
	cost = d + s
	if n == 1 {
		at := int64(0)
		for t, b := range o.base {
			at += o.used[t]
			prices[t] = 0
			if at+b > 0 {
				prices[t] = o.price[0]
			}
		}
		return cost, 0
	}
	clear(prices[:n*slots])
	for rounds < limit {
		rounds++
		clear(prices[:n*slots])
		for a := range n {
			for b := a + 1; b < n; b++ {
				o.between(x, a, b, prices)
			}
		}
		before := cost
		d, s := o.sum(x, o.used)
		cost = d + s
		if n == 2 || float64(before-cost) <= enough*float64(cost) {
			break
		}
	}
	return cost, rounds
}

// between divides what centres a and b have between them at the least cost. It raises
// the prices to those that prove it.
func (o *Optimizer) between(x []int64, a, b int, prices []int64) {
	n, slots := o.centres, o.slots
	f := &o.pair
	f.reset(slots, o.price[a], o.price[b])
	o.refs = o.refs[:0]
	tree := &o.trees[a*n+b]
	o.stamp++
	for _, k := range *tree {
		o.likes[k] = o.stamp
	}
	both, there := o.need, o.used2
	clear(both)
	clear(there)
	for k, t := range o.tasks {
		xa, xb := x[k*n+a], x[k*n+b]
		if xa+xb == 0 {
			continue
		}
		both[t.start] += xa + xb
		both[t.end] -= xa + xb
		there[t.start] += xb
		there[t.end] -= xb
		cost := int64(0)
		switch int(t.home) {
		case a:
			cost = t.send
		case b:
			cost = -t.send
		}
		liked := o.likes[k] == o.stamp
		if xb > 0 {
			f.add(int(t.start), int(t.end), xb, cost, true)
			o.refs = append(o.refs, int32(k))
			if liked {
				f.prefer()
			}
		}
		if xa > 0 {
			f.add(int(t.start), int(t.end), xa, cost, false)
			o.refs = append(o.refs, int32(k))
			if liked {
				f.prefer()
			}
		}
		x[k*n+a], x[k*n+b] = xa+xb, 0
	}
	baseA, baseB := o.base[a*slots:][:slots], o.base[b*slots:][:slots]
	var m, nb int64
	for t := range slots {
		m += both[t]
		nb += there[t]
		f.setSlot(t, nb, m+baseA[t], -baseB[t])
	}
	f.solve()
	*tree = (*tree)[:0]
	for _, v := range f.nodes[:slots] {
		if v.via >= 0 {
			*tree = append(*tree, o.refs[v.via])
		}
	}
	for i, k := range o.refs {
		d := f.arcs[i].x
		x[int(k)*n+a] -= d
		x[int(k)*n+b] += d
	}
	pa, pb := o.price[a], o.price[b]
	ya, yb := prices[a*slots:][:slots], prices[b*slots:][:slots]
	for t := range slots {
		z := f.slotPrice(t)
		va, vb := max(0, -z), max(0, z)
		if f.line[t].both {
			va, vb = min(pa, pb-z), min(pb, pa+z)
		}
		ya[t], yb[t] = max(ya[t], va), max(yb[t], vb)
	}
}

// SplitCost returns the least cost of the last problem of Solve if tasks may be split by slot.
// Each instance may then run in another centre in each slot. An instance that is away from home in
// a share of its slots pays the same share of its traffic. No plan of Solve costs less, and
// SplitCost is therefore a lower bound on Optimum.Cost. Optimum.Cost less SplitCost is the most
// that splitting can save. Time: O(m·log m) for each slot, where m is the number of tasks that run
// in the slot.
func (o *Optimizer) SplitCost() pricing.Money { return pricing.Money(o.slot.solve(&o.model, nil)) }
