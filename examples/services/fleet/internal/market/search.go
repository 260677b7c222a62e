package market

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Member is a group of a sample, which stands for Times/[Whole] groups like it.
type Member struct {
	Group record.Group
	Times int64
}

// Whole is the Times of a group that stands for itself alone.
const Whole = savings.Whole

// A Search looks for worths on the groups of a sample. Its zero value is ready.
type Search struct {
	// Rounds limits the work: a round plans each group of the sample. 0 is 12. If so many or
	// more leave a gap above [Enough], a fleet's groups are split between two prices, which
	// takes some 20 to 100 rounds more. A fleet of few groups takes three rounds, or all with more
	// than a dozen, and then branch and bound.
	Rounds int
	// Gap ends the search when the sample's own gap is at most so much; 0 is 2·10⁻⁴.
	Gap float64
	// Round, if not nil, is called after each round with the plan of the sample, scaled to
	// the fleet.
	Round func(round int, plan *Plan)
}

const (
	defaultRounds = 12
	defaultGap    = 2e-4
)

// Find returns the price that gave the least gap on the sample, and of such prices the one with
// the cheapest plan. A price at which a group has amounts that do not fit is returned only if each price
// that was tried has more such groups. The members may come in any
// order. The worth is nil if the terms have no savings plan, or if the usage of the sample is
// too large for one. Members that cannot be planned at any price are left out: they are failures of
// the fleet. Find works on all cores. It keeps the members and does not modify them.
func (s *Search) Find(x *group.Terms, members []Member) (Price, error) {
	if x.Term == 0 {
		return Price{}, nil
	}
	rounds, goal := s.Rounds, s.Gap
	if rounds <= 0 {
		rounds = defaultRounds
	}
	if goal <= 0 {
		goal = defaultGap
	}
	w := walker{x: x, members: members, failed: make([]bool, len(members)), planners: make([]group.Planner, parallel.Workers())}
	for i := range w.planners {
		w.planners[i].Trust = true
	}
	beside := w.pass(&Price{})
	if beside.Groups == 0 && len(members) > 0 { // all hours would be worth nothing, and amounts too large would count as nothing
		return Price{}, nil
	}
	// A savings plan alone, and a savings plan for what reservations leave.
	plan, worth, err := commit(x, w.unreserved(), nil)
	if err != nil || plan.Failed != "" {
		return Price{}, err
	}
	_, next, err := commit(x, beside, nil)
	if err != nil {
		return Price{}, err
	}
	for t := range worth {
		worth[t] = (worth[t] + next[t]) / 2
	}
	h := hunt{walker: &w, few: w.few(), goal: goal, told: s.Round, planned: -1, least: math.Inf(1)}
	for round := 1; ; round++ {
		_, next, err := h.try(round, Price{Worth: worth})
		if err == nil && h.few.quick() && round == min(rounds, quickRounds) && h.least > goal {
			err = h.branch(round)
		}
		if err != nil {
			return Price{}, err
		}
		if h.least <= goal || round >= rounds {
			break
		}
		savings.Blend(worth, next, int64(round))
	}
	if h.least > goal {
		if err := h.branch(rounds + 1); err != nil {
			return Price{}, err
		}
	}
	if h.least > Enough && !math.IsInf(h.least, 1) && rounds >= defaultRounds {
		if err := w.split(h.best.Worth, func(at Price) (Plan, group.Worth, error) {
			rounds++
			return h.try(rounds+1, at)
		}, func() bool { return h.least <= Enough }); err != nil {
			return Price{}, err
		}
	}
	return h.best, nil
}

// A hunt is a search with the best price so far.
type hunt struct {
	*walker
	few     *few // nil once tried
	goal    float64
	told    func(round int, plan *Plan)
	best    Price
	cost    savings.Total // of the best
	planned int64         // groups, by the best
	least   float64       // gap
}

// try keeps a price if it plans the most groups, and of such prices one whose gap is the least, or the
// same at a lower cost: without a bound above 0 all gaps are +Inf. It returns the plan and the next
// worth.
func (h *hunt) try(round int, at Price) (Plan, group.Worth, error) {
	plan, next, err := commit(h.x, h.pass(&at), at.Worth)
	if err != nil {
		return Plan{}, nil, err
	}
	at.raise(&plan)
	if h.told != nil {
		h.told(round, &plan)
	}
	gap := plan.Gap()
	if plan.Groups > h.planned || plan.Groups == h.planned && (gap < h.least || gap == h.least && plan.Cost.Compare(h.cost) < 0) {
		h.best, h.least, h.cost, h.planned = at, gap, plan.Cost, plan.Groups
		h.best.Worth = slices.Clone(at.Worth)
	}
	return plan, next, nil
}

// branch tries what branch and bound finds, once.
func (h *hunt) branch(round int) error {
	aim := h.goal / 2 // it takes little more
	if !h.few.quick() {
		if h.few == nil || h.least <= Enough {
			return nil
		}
		aim = max(h.goal, Enough/2)
	}
	price, err := h.few.search(h.best, h.cost, aim)
	h.few = nil
	if err != nil {
		return err
	}
	at := h.best.Worth
	plan, _, err := h.try(round, price)
	if err == nil && plan.Groups < price.Groups { // its worth makes amounts too large
		price.Worth = at
		_, _, err = h.try(round, price)
	}
	return err
}

// A walker plans the members of a sample.
type walker struct {
	x        *group.Terms
	members  []Member
	failed   []bool // members that cannot be planned
	planners []group.Planner
}

// pass returns the sum of the members' plans at a price.
func (w *walker) pass(price *Price) *Sum {
	sums := make([]Sum, len(w.planners))
	parallel.Do(len(w.members), func(at, i int) error { // no error: failures are left out
		m := &w.members[i]
		a, failure := price.Plan(&w.planners[at], w.x, &m.Group)
		if w.failed[i] = failure != nil; !w.failed[i] {
			sums[at].Sum.Add(ratesOf(&m.Group), a.Fees, a.Bound, a.Left, m.Times)
		}
		return nil
	})
	var sum Sum
	for i := range sums {
		sum.Merge(&sums[i])
	}
	sum.Scale()
	return &sum
}

// unreserved returns the sum of the members without any orders.
func (w *walker) unreserved() *Sum {
	var sum Sum
	var left []int
	for i := range w.members {
		m := &w.members[i]
		if w.failed[i] {
			continue
		}
		left = w.x.AppendUnheld(left[:0], &m.Group)
		sum.Sum.Add(ratesOf(&m.Group), 0, pricing.Money(1), left, m.Times)
	}
	sum.Scale()
	return &sum
}
