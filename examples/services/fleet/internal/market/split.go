package market

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// Groups that are alike.
//
// Groups with the same demand and prices answer a price alike: all of them reserve or none does,
// where the best plan has some of them reserve. At the best price they do not care which. So the
// search closes in on that price from both sides. It ends when the prices on the two sides are all
// but equal and the answers still differ. A share of the groups then answers the one price, and the
// rest the other. By the hash of its key a group is on the same side in the sample and in the fleet, in
// any bundle and on any worker.

const (
	splits   = 3  // each from the best price of the one before
	halvings = 10 // of the distance between the two prices
)

// split tries prices with a share, from worth on, until enough says that the best is good enough.
// try returns the plan of the sample at a price, and the next worth.
func (w *walker) split(worth group.Worth, try func(Price) (Plan, group.Worth, error), enough func() bool) error {
	_, next, err := try(Price{Worth: worth})
	for n := 0; err == nil && n < splits && !enough(); n++ {
		from, to := worth, next
		for range halvings {
			mid := make(group.Worth, len(from))
			for t := range mid {
				mid[t] = (from[t] + to[t]) / 2
			}
			if w.rises(w.pass(&Price{Worth: mid}), from, mid, to) {
				from = mid
			} else {
				to = mid
			}
		}
		// The cost is almost convex in the number of groups that answer the second price.
		numbers := w.torn(from, to)
		cheapest, best := savings.Total{}, len(numbers)/2
		next = nil
		look := func(k int) error {
			if k < 0 || k > len(numbers) {
				return nil
			}
			share := uint32(math.MaxUint32)
			if k < len(numbers) {
				share = numbers[k]
			}
			plan, after, err := try(Price{Worth: from, Other: to, Share: share})
			if err == nil && (next == nil || plan.Cost.Compare(cheapest) < 0) {
				cheapest, best, next = plan.Cost, k, after
			}
			return err
		}
		err = look(best)
		for step, last := len(numbers), len(numbers) == 0; err == nil && !last; {
			last = step == 1
			step = (step + 1) / 2
			middle := best
			if err = look(middle - step); err == nil {
				err = look(middle + step)
			}
		}
		worth = from
	}
	return err
}

// torn returns the numbers of the members whose answers at two prices differ, in order.
func (w *walker) torn(a, b group.Worth) []uint32 {
	differ := make([]bool, len(w.members))
	parallel.Do(len(w.members), func(at, i int) error {
		if g := &w.members[i].Group; !w.failed[i] {
			x, _ := w.planners[at].Plan(w.x, g, a)
			left := slices.Clone(x.Left)
			y, _ := w.planners[at].Plan(w.x, g, b)
			differ[i] = x.Fees != y.Fees || !slices.Equal(left, y.Left)
		}
		return nil
	})
	var numbers []uint32
	for i := range w.members {
		if differ[i] {
			numbers = append(numbers, number(w.members[i].Group.Key))
		}
	}
	slices.Sort(numbers)
	return numbers
}

// rises reports whether the bound rises from mid towards to, where sum is what the groups answer
// to mid: whether the usage that the savings plan pays for at that price costs more than the held
// commitments hold.
func (w *walker) rises(sum *Sum, from, mid, to group.Worth) bool {
	slope := 0.0
	held, rates := heldOf(w.x), sum.Rates()
	for t, v := range mid {
		money := -float64(held[t])
		for _, r := range rates {
			if float64(v)*float64(r.Plan) < group.Parts*float64(r.OnDemand) {
				money += float64(float64(r.Plan) * float64(sum.Left[r][t]))
			}
		}
		slope += float64(money * float64(to[t]-from[t]))
	}
	return slope > 0
}

// heldOf returns the money an hour that is committed before the first hour.
func heldOf(x *group.Terms) []int64 {
	held := make([]int64, x.Hours)
	for _, h := range x.Held {
		for t := range x.Index(h.Until) {
			held[t] += int64(h.Hourly)
		}
	}
	return held
}
