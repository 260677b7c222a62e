package rules

import (
	"github.com/plimsoll/plimsoll/internal/selection"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Periodic decisions: the 2-approximation of [Wang15], which [Liu21] calls 2AH.
//
// Minimise the fees of one class and the cost on demand, with purchases at slots 0, τ, 2τ, …
// only. Then the blocks between these slots are independent. Within a block, the instances
// are independent: the l-th instance is busy in the slots with a demand of at least l, and
// is reserved if there are at least F/p such slots. That is the optimum for these dates.
//
// A block has at least K = ⌈F/p⌉ slots with a demand of at least l exactly if l is at most
// the K-th largest demand of the block. So the number to reserve is the K-th largest demand.
// Time: one selection a block, O(n) on average and O(n·log τ) at worst for n slots. Space:
// O(τ).
//
// Theorem. With the Full horizon, the cost is at most twice the optimum for any dates.
// Proof: replace each reservation of the optimum by two reservations of whole blocks, for
// the two blocks that the reservation touches. These serve at least as much for twice the
// fees, and Periodic is the best plan with such dates. ∎
//
// With the Pure horizon the theorem fails: a reservation that begins shortly before the
// last block costs little more than its share of that block. Example: τ = 100, p = 4·F/τ,
// n = 105, and a demand of 1 in the last ten slots alone. The optimum is 10·F/τ. Periodic
// pays for five slots on demand, and for five slots of a reservation: 25·F/τ.

// Periodic buys one class at the beginning of each term, and plans each term by itself. [Wang15]
// published the method, and [Liu21] calls it 2AH. The zero value is ready.
//
// With the Full horizon, Periodic costs at most twice the optimum, and its plan is optimal among
// plans that buy at the beginnings of terms. With the Pure horizon, Periodic costs at most as much
// as everything on demand, and no constant times the optimum bounds its cost. For a purchase,
// Periodic needs to know the demand of one term only.
//
// Periodic handles any Every that divides the term, both horizons, and a class that is billed
// always or when used. If the last term ends after the horizon, Pure counts a share of the fee.
// Periodic handles inventory of classes whose use costs at most as much as the use of the class to
// buy. Periodic does not handle caps and Closed dates.
type Periodic struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single single
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time O(n) in
// the average for n slots.
func (a *Periodic) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.loadDates(p, a.Class); err != nil {
		return dst, err
	}
	if s.gain <= 0 {
		return dst, nil
	}
	n, tau := len(s.demand), s.class.Term
	for t := 0; t < n; t += tau {
		block := s.demand[t:min(n, t+tau)]
		k := breakEven(s.class.FeeFor(n-t), s.gain)
		if k > int64(len(block)) {
			continue
		}
		if count := selection.Kth(block, len(block)-int(k)); count > 0 {
			dst = append(dst, pricing.Purchase{Slot: t, Class: a.Class, Count: count})
		}
	}
	return dst, nil
}
