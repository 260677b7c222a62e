package reserve

import (
	"github.com/plimsoll/plimsoll/internal/selection"
	"github.com/plimsoll/plimsoll/pricing"
)

// Periodic decisions, the 2-approximation of [Wang15] that [Liu21] compares
// with as 2AH.
//
// Minimise the fees of one class and the price of what runs on demand, with
// purchases at slots 0, τ, 2τ, … only. Then the blocks between them have nothing
// to do with each other, and within one the instances have nothing to do with
// each other: the l-th is busy in the slots with a demand of l or more, and is
// reserved if they are at least F/p. That is the optimum for these dates.
//
// The slots with a demand of l or more number at least K = ⌈F/p⌉ exactly if l is
// at most the K-th largest demand of the block. So that demand is what to
// reserve: one selection a block, O(n) time in the average and O(n·log τ) at
// worst for n slots, in O(τ) space.
//
// Theorem. With the Full horizon the cost is at most twice the optimum for any
// dates. Proof: put two reservations of whole blocks in the place of each
// reservation of the optimum, for the two blocks that it touches. That serves at
// least as much, with twice the fees, and Periodic is the best for such dates. ∎
//
// With the Pure horizon that fails: a reservation that begins shortly before the
// last block costs little more than its share of that block. With τ = 100,
// p = 4·F/τ, n = 105 and a demand of 1 in the last ten slots alone, the optimum
// is 10·F/τ. Periodic pays for five slots on demand, then for five of a
// reservation: 25·F/τ.

// Periodic reserves once a term, for each term by itself, one class. It is the
// 2AH of [Liu21], from [Wang15]. The zero value is ready.
//
// With the Full horizon it costs at most twice the optimum, and no less than the
// optimum for purchases at the beginnings of terms; with the Pure horizon no
// constant bounds it but that it costs at most what on demand only does. A
// practical virtue: it needs to know no more than one term in advance.
//
// It handles any Every that divides the term, both horizons (in a last block
// that is shorter than a term, Pure counts a share of the fee), classes billed
// either way, and inventory of classes whose use costs no more than that of the
// class to buy. It does not handle caps and Closed dates.
type Periodic struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single single
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says. Time O(n) in
// the average for n slots.
func (a *Periodic) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.load(p, a.Class); err != nil {
		return dst, err
	}
	if err := s.refuseDates(p, a.Class); err != nil {
		return dst, err
	}
	if s.gain <= 0 {
		return dst, nil
	}
	n, tau := len(s.demand), s.class.term
	for t := 0; t < n; t += tau {
		block := s.demand[t:min(n, t+tau)]
		k := breakEven(s.class.feeFor(n-t), s.gain)
		if k > int64(len(block)) {
			continue
		}
		if count := selection.Kth(block, len(block)-int(k)); count > 0 {
			dst = append(dst, pricing.Purchase{Slot: t, Class: a.Class, Count: count})
		}
	}
	return dst, nil
}
