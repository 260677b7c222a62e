package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/mintree"
)

// The heuristic-greedy reservation, [Liu21] Alg. 1.
//
// Minimise the fees of one class and the cost on demand. Among all windows of one term's
// length τ, take the window with the most busy slots, ν, the first of equals. If ν·p ≥ F,
// an instance in the window costs no less on demand than reserved. Then reserve σ instances
// from the start of the window, where σ is the least demand in its busy slots, and subtract
// them from the demand. Repeat until no window is worth a reservation.
//
// Invariant: each reservation replaces at least F of on-demand cost, so the plan costs at
// most as much as everything on demand.
//
// Each step takes the demand of at least one slot to zero, where the demand stays. So there
// are at most n steps, for every demand. Two trees of n leaves (package mintree) hold F - ν·p for
// each window, what the window costs more than it saves, and the rest of the demand. A step
// looks at the root of the first tree, and takes one range minimum and one subtraction in
// the second tree. A slot that reaches zero takes one addition over the windows that contain
// the slot. Time: O(n·log n) for n slots, for any number of instances. Space: O(n). The
// paper takes O(n·max d) steps, each over a window.
//
// Departures. Alg. 1 buys once before it tests (repeat ... until); here the test comes
// first. t* runs over [1, T-τ+1], as the output of the algorithm does, and not over [1, T]
// as in line 9. T ≤ τ is no special case: there is one window. Where purchases are possible
// at some slots only, windows start there, and the first such slot after T-τ counts too.
// With the Pure horizon, windows that reach beyond the horizon cost their share of the fee,
// and all of them count. The choice of the largest ν becomes the choice of the largest
// saving ν·p - F, which is the same for equal fees. With a use price q, p is p - q (see
// single).

// HGR is the heuristic-greedy reservation of [Liu21] Alg. 1, for one class. The zero value is
// ready.
//
// Compared with everything on demand, HGR saves at least half as much as the optimum, for all
// problems that HGR handles. To bound the cost, let F be the fee, τ the slots of a term, and p the
// price of a slot on demand. Let α = F/(τ·p) ≤ 1. With the Full horizon, the cost is then at most
//
//	(1 + 1/α)/2          for α ≥ 1/2
//	3/2 + ln(1/(2α))     for α ≤ 1/2
//
// times the optimum; reserve/theory has the proofs. [Liu21] Theorem 3 says 2 - α. The bound 2 - α
// holds for α ≥ 1/2, and is false for every α < 1/2. The cost can be more than twice the optimum:
// the worst ratio known is 20 to 9. Whether one constant holds for all α is open. If the demand is
// no longer than the term, the plan is optimal.
//
// HGR handles any Every, Closed dates, both horizons, and classes billed either way. HGR handles
// inventory of classes whose use costs no more than the use of the class to buy. HGR does not
// handle MaxBuy and MaxActive.
type HGR struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single  single
	windows mintree.Tree // F - ν·p, by start
	slots   mintree.Tree // demand left, none where there is none
	starts  []int
	before  []int32 // starts before a slot
	buy     []int   // by start
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says. Windows
// that save the same are taken from the front. Time O(n·log n) for n slots.
func (h *HGR) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	s := &h.single
	if err := s.load(p, h.Class); err != nil {
		return dst, err
	}
	n, tau := len(s.demand), s.class.term
	if n == 0 || s.gain <= 0 {
		return dst, nil
	}
	h.open(p)
	if len(h.starts) == 0 {
		return dst, nil
	}
	h.slots.Reset(n)
	for t, d := range s.demand {
		if d > 0 {
			h.slots.Set(t, int64(d))
		}
	}
	h.slots.Build()
	h.windows.Reset(len(h.starts))
	busy, from, to := int64(0), 0, 0 // busy slots from from up to before to
	for i, t := range h.starts {
		for ; to < min(n, t+tau); to++ {
			if s.demand[to] > 0 {
				busy++
			}
		}
		for ; from < t; from++ {
			if s.demand[from] > 0 {
				busy--
			}
		}
		h.windows.Set(i, s.class.feeFor(n-t)-busy*s.gain)
	}
	h.windows.Build()

	h.buy = grow.Zero(h.buy, len(h.starts))
	for { // [Liu21] Alg. 1, line 8
		over := h.windows.Least()
		if over > 0 || over == 0 && s.class.fee == 0 { // not worth it, or nothing left
			break
		}
		i := h.windows.First() // line 9
		t := h.starts[i]
		end := min(n, t+tau)
		sigma := h.slots.Min(t, end) // line 10
		h.slots.Plus(t, end, -sigma) // line 11
		h.buy[i] += int(sigma)       // line 12
		for h.slots.Least() == 0 {   // slots that have just got empty
			z := h.slots.First()
			h.slots.Remove(z)
			h.windows.Plus(int(h.before[max(0, z-tau+1)]), int(h.before[z+1]), s.gain)
		}
	}
	for i, count := range h.buy {
		if count > 0 {
			dst = append(dst, pricing.Purchase{Slot: h.starts[i], Class: h.Class, Count: count})
		}
	}
	return dst, nil
}

// open lists the slots where a window may start. With the Full horizon those
// after the first that reaches the horizon are within it, and so never better.
func (h *HGR) open(p *Problem) {
	s := &h.single
	n := len(s.demand)
	h.starts = slices.Grow(h.starts[:0], (n-1)/s.every+1)
	h.before = grow.Zero(h.before, n+1)
	last := false
	for t := range n {
		h.before[t] = int32(len(h.starts))
		if t%s.every == 0 && !last && (p.Closed == nil || !p.Closed[t]) {
			h.starts = append(h.starts, t)
			last = p.Horizon == Full && t >= n-s.class.term
		}
	}
	h.before[n] = int32(len(h.starts))
}
