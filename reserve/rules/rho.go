package rules

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/internal/mintree"
)

// The rolling horizon, [Liu21] Algorithm 2, as printed, mended and deferred.
//
// Minimise the fees of one class and the cost on demand, seeing λ slots at a time. At slot t
// Algorithm 1 plans for the window [t, t+λ), the rule makes the purchases of the plan, and
// the window moves on.
//
// For λ < τ, and for λ = τ without AnyStart, the window has one start only, and Algorithm 1 buys
// each level that is uncovered in at least m = ⌈F/p⌉ slots of the window. Let N(t) be the number of
// purchases up to slot t, and f_i the forecast. The k-th purchase helps in slot i if k ≤ f_i +
// N(i-τ) (theory/rules.go), so
//
//	N(t) = max(N(t-1), m-th largest f_i + N(i-τ) of the window).
//
// The rule has three readings. Printed subtracts a purchase from the demand of the window only
// (line 3). So Printed forgets the purchase λ slots later and buys again: N(i-λ) takes the
// place of N(i-τ). Mended subtracts a purchase for its whole term (ERRATA [Liu21] 5). Printed
// and Mended buy as soon as they see enough demand, even if the demand begins late in the
// window. So they may waste most of each term, and cost up to τp/F times the optimum. Deferred
// is our own reading. Deferred buys a level only if
// the current slot needs it: N(t) is capped by d_t + N(t-τ).
//
// For λ > τ, and for λ = τ with AnyStart, the greedy of Algorithm 1 plans the window
// ([reserve.HGR]), with two trees as there. Line 2 takes all decisions of the window. A purchase
// for slot t' > t of the window [t, t+λ) is made at t', whatever later windows show, and later
// windows plan for the demand less the instances of that purchase. With FirstSlot the rule makes
// the purchases at t alone, and plans the others anew. Deferred plans in the same way, moves each
// reservation to the first slot that needs it, and buys those that begin in the current slot.
//
// Invariant for λ ≤ τ: the keys of the window are those of the last forecast, and the m-th
// largest key is known. Invariant for λ > τ: type commitments holds the decisions of earlier
// windows. Its diff says how the number subtracted from the demand changes in each slot from t
// on, and its buys says how many purchases to make there.
//
// Time a slot: O(λ) to compare the forecast with the last forecast, and O(log λ) for each
// slot that differs; O(log λ) if the window only moves on; O(λ·log λ) for λ > τ. Deferred
// reads nothing in a slot that is covered. Space: O(λ+τ).
//
// Departures. Algorithm 1 tests before it buys (ERRATA [Liu21] 3). The paper stops at slot
// T-λ+1, and so does the rule that commits. The other readings let the window shrink at the
// end of the demand.

// RHO is the rolling horizon of [Liu21] Algorithm 2, for one class. The zero value is the paper's
// rule, with a window of a term.
//
// The rule has three readings: Printed, Mended and Deferred. The fields AnyStart, FirstSlot and
// LastOfEqual are further choices. For the bounds on the cost, let F be the fee, τ the slots of a
// term, and p the saving of a slot; a fee pays back in F/p slots:
//
//	all readings, any window and        at most τp/F times the optimum, if the forecast is
//	choices                             exact and F ≤ τp. Each purchase replaces F or more
//	                                    of on-demand cost, and the plan costs at most as
//	                                    much as everything on demand. Printed and Mended
//	                                    reach τp/F, and Deferred comes near it: no constant
//	                                    bounds any reading
//	Printed, window ≥ term              the same plan as Mended, without AnyStart
//	                                    and FirstSlot
//	Printed or Mended, AppendPlan,      the bound of [reserve.HGR], with or without
//	the whole demand in the window      LastOfEqual, but not with FirstSlot. [Liu21] Theorem
//	and an exact forecast               3 says 2 - α for α = F/(τp). That is true for
//	                                    1/2 ≤ α ≤ 1. For each α below 1/2, it is false for
//	                                    some term and demand
//	Deferred                            near the optimum on real demands, within a few
//	                                    per cent for short terms
//	all readings, window = term         3 times the optimum is no bound: [Liu21] Theorem 4
//	                                    is false
//
// With a false forecast and a single slot of demand, Deferred can cost F/p times the optimum, and
// the other two readings can cost any multiple. [Robust] has a bound for every forecast.
//
// As a [reserve.Planner], RHO handles the same problems as [Wang].
type RHO struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int
	// Window is λ, the slots that a decision looks at, the current one included;
	// 0 is the class's term.
	Window int
	// Rule is which of the three.
	Rule RHORule

	// Three more readings of the paper, which the program federation compares with the costs that
	// the paper prints. They matter for Printed and Mended with a window longer than a term. With a
	// window of a term LastOfEqual and FirstSlot matter only with AnyStart, and AnyStart alone changes
	// one thing: Printed and Mended plan no window that reaches beyond the demand. With a shorter
	// window all three are ignored.

	// FirstSlot keeps of a window's purchases those of its first slot alone, and plans
	// anew at each slot. As printed (Alg. 2, line 2) all purchases of a window are
	// made, and at λ = T the rule is one run of Algorithm 1.
	FirstSlot bool
	// AnyStart lets a reservation begin in each slot of the window, as Alg. 1, line 9
	// prints. Otherwise the reservation ends within the window, as the algorithm's
	// output says: t* in [1, λ-τ+1].
	AnyStart bool
	// LastOfEqual takes the last of the terms that are busy in equally many slots. The
	// paper says the first, after Eq. (10).
	LastOfEqual bool

	// Forecast is what AppendPlan takes for the demand of each slot as long as it
	// lies ahead, held instances included; nil is the demand itself.
	Forecast []int

	series series
	books  ledger
	advice advice
	commit commitments
}

// An RHORule is a reading of [Liu21] Algorithm 2.
type RHORule uint8

const (
	// Printed forgets a purchase at the end of the window that it was made in.
	Printed RHORule = iota
	// Mended remembers it for its term.
	Mended
	// Deferred is Mended, and waits until the current slot needs the instance.
	Deferred
)

// Reset begins a series, as the package comment says.
func (a *RHO) Reset(o reserve.Offer) error { return a.reset(o, math.MaxInt32) }

// reset is Reset for a demand of the given number of slots. To the rule that makes
// all purchases of a window, a window longer than the demand is the demand. If that is shorter
// than a term, the first slot is the one place to buy, also with AnyStart.
func (a *RHO) reset(o reserve.Offer, slots int) error {
	a.books.reset(0)
	if err := check(&o); err != nil {
		return err
	}
	if a.Rule > Deferred {
		return badInput("Rule", -1, reserve.ErrRange, "%d: want Printed, Mended or Deferred", a.Rule)
	}
	window, err := checkWindow(a.Window, o.Term)
	if err != nil {
		return err
	}
	if a.Rule != Deferred && !a.FirstSlot && window >= o.Term {
		window = min(window, max(1, slots))
	}
	if window > maxTerm {
		return badInput("Window", -1, reserve.ErrRange, "%d slots: want at most %d", window, maxTerm)
	}
	if a.Rule == Printed {
		a.books.reset(window)
	} else {
		a.books.reset(o.Term)
	}
	a.advice.any, a.advice.last = a.AnyStart && a.Rule != Deferred, a.LastOfEqual && a.Rule != Deferred
	a.advice.reset(&o, window, a.Rule)
	if a.commits() {
		a.commit.reset(window, o.Term)
	}
	return nil
}

// commits reports whether all purchases of a window are made.
func (a *RHO) commits() bool { return a.Rule != Deferred && !a.FirstSlot && a.advice.many() }

// Observe returns how many to buy, as the package comment says.
func (a *RHO) Observe(demand int, forecast []int) int {
	a.books.ready()
	if a.commits() {
		return a.commit.observe(a, instances(demand), forecast)
	}
	return a.books.close(a.advice.target(&a.books, instances(demand), forecast))
}

func (a *RHO) preview(forecast []int) { a.advice.preview(forecast) }

func (a *RHO) slide(demand, next int, known bool) int {
	return a.books.close(a.advice.slid(&a.books, int64(demand), next, known))
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time
// O(n·log λ) for n slots, O(n·λ·log λ) for λ > τ.
func (a *RHO) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	if err := a.series.load(p, a.Class, a.Forecast); err != nil {
		return dst, err
	}
	if err := a.reset(a.series.class, len(a.series.demand)); err != nil {
		return dst, err
	}
	if a.advice.many() {
		return a.series.run(dst, a.Class, a, a.advice.window), nil
	}
	return a.series.slide(dst, a.Class, a, a.advice.window), nil
}

// An advice computes the N(t) that a rolling horizon asks for.
type advice struct {
	rule   RHORule
	window int // λ
	term   int
	m      int64
	any    bool // a term may begin in each slot of the window
	last   bool // of equal windows the last counts
	ahead  top  // f_i + N(i-τ) for i in [t, t+λ), in cell i mod λ; λ ≤ τ
	greedy greedy
}

// many reports whether a window has several starts, so that the greedy plans it.
func (a *advice) many() bool { return a.window > a.term || a.any && a.window == a.term }

func (a *advice) reset(o *reserve.Offer, window int, rule RHORule) {
	a.rule, a.window, a.term, a.m = rule, window, o.Term, breakEvenOf(o)
	if !a.many() {
		a.ahead.reset(window, a.m)
	}
}

// target is N(t) as asked for, at least l.n.
func (a *advice) target(l *ledger, d int64, forecast []int) int64 {
	if a.rule == Deferred && d+l.expired(0) <= l.n {
		return l.n
	}
	forecast = forecast[:min(len(forecast), a.window-1)]
	if a.many() {
		return l.n + a.greedy.plan(a, l, d, forecast)
	}
	a.ahead.set(l.t%a.window, d+l.expired(0))
	cell := l.t % a.window
	for j := 1; j < a.window; j++ {
		if cell++; cell == a.window {
			cell = 0
		}
		v := int64(absent)
		if j <= len(forecast) {
			v = instances(forecast[j-1]) + l.expired(j)
		}
		if a.ahead.key[cell] != v {
			a.ahead.set(cell, v)
		}
	}
	return a.ask(l, d)
}

// preview stores the forecast of the first λ-1 slots, in which nothing expires, for calls of slid.
func (a *advice) preview(forecast []int) {
	for j, f := range forecast {
		a.ahead.set(j, int64(f))
	}
}

// slid is target for a window that has moved on by one slot: only the forecast of slot t+λ-1 is
// new.
func (a *advice) slid(l *ledger, d int64, next int, known bool) int64 {
	a.ahead.set(l.t%a.window, d+l.expired(0))
	if last := a.window - 1; last > 0 {
		v := int64(absent)
		if known {
			v = int64(next) + l.expired(last)
		}
		a.ahead.set((l.t+last)%a.window, v)
	}
	return a.ask(l, d)
}

func (a *advice) ask(l *ledger, d int64) int64 {
	n := a.ahead.kth()
	if a.rule == Deferred {
		n = min(n, d+l.expired(0))
	}
	return max(l.n, n)
}

// commitments are what the windows so far have decided.
type commitments struct {
	now  int64   // subtracted from the demand of the slot before
	diff []int64 // diff[(t+j) mod len]: the change in slot t+j; λ+τ cells
	buys []int64 // buys[(t+j) mod len]: to be bought in slot t+j; λ cells
}

func (c *commitments) reset(window, term int) {
	c.now = 0
	c.diff = grow.Zero(c.diff, window+term)
	c.buys = grow.Zero(c.buys, window)
}

// observe plans the window that begins with the current slot, if the window is
// whole, and returns how many to buy now.
func (c *commitments) observe(a *RHO, d int64, forecast []int) int {
	l, w, window, tau := &a.books, &a.advice.greedy, a.advice.window, a.advice.term
	if len(forecast) >= window-1 {
		w.left = grow.To(w.left, window)
		covered := c.now
		for j := range window {
			covered += c.diff[(l.t+j)%len(c.diff)]
			x := d
			if j > 0 {
				x = instances(forecast[j-1])
			}
			w.left[j] = max(0, x-covered)
		}
		starts := max(1, window-tau+1)
		if a.advice.any {
			starts = window
		}
		w.run(tau, starts, a.advice.m, a.advice.last, false)
		for j, count := range w.buy {
			if count == 0 {
				continue
			}
			end := j + tau
			if a.Rule == Printed { // line 3: within the window
				end = min(end, window)
			}
			c.buys[(l.t+j)%len(c.buys)] += count
			c.diff[(l.t+j)%len(c.diff)] += count
			c.diff[(l.t+end)%len(c.diff)] -= count
		}
	}
	now, cell := l.t%len(c.buys), l.t%len(c.diff)
	bought := c.buys[now]
	c.now += c.diff[cell]
	c.buys[now], c.diff[cell] = 0, 0
	return l.close(l.n + bought)
}

// A greedy is [Liu21] Algorithm 1 for a window longer than a term, as in [reserve.HGR]:
// one tree has the uncovered demand of the slots, the other minus the number of
// busy slots in the term from each start.
type greedy struct {
	left   []int64 // uncovered demand
	buy    []int64 // reservations by start
	next   []int32 // a slot at or after which the next busy one is
	slots  mintree.Tree
	starts mintree.Tree
}

// plan returns how many of the greedy's reservations start in slot t, the first
// of the window.
func (w *greedy) plan(a *advice, l *ledger, d int64, forecast []int) int64 {
	n, tau := 1+len(forecast), a.term
	w.left = slices.Grow(w.left[:0], n)
	for j := range n {
		x := d
		if j > 0 {
			x = instances(forecast[j-1])
		}
		if j < len(l.past) {
			x = max(0, x-(l.n-l.expired(j)))
		}
		w.left = append(w.left, x)
	}
	starts := max(1, n-tau+1)
	if a.any {
		starts = n
	}
	w.run(tau, starts, a.m, a.last, a.rule == Deferred)
	return w.buy[0]
}

// run fills buy for the demand left, for starts in [0, starts). A term may reach
// beyond the demand. With late a reservation begins in its first busy slot.
func (w *greedy) run(tau, starts int, m int64, last, late bool) {
	n := len(w.left)
	w.buy = grow.Zero(w.buy, n)
	w.next = grow.Zero(w.next, n+1)
	w.slots.Reset(n)
	for j, x := range w.left {
		w.next[j] = int32(j)
		if x > 0 {
			w.slots.Set(j, x)
		} else {
			w.next[j]++
		}
	}
	w.next[n] = int32(n)
	w.slots.Build()
	w.starts.Reset(starts)
	busy, to := int64(0), 0
	for s := range starts {
		for ; to < min(n, s+tau); to++ {
			if w.left[to] > 0 {
				busy++
			}
		}
		if s > 0 && w.left[s-1] > 0 {
			busy--
		}
		w.starts.Set(s, -busy)
	}
	w.starts.Build()

	for -w.starts.Least() >= m { // line 8
		at := 0
		if last {
			at = w.starts.Last()
		} else {
			at = w.starts.First() // line 9
		}
		if late {
			at = w.busy(at)
		}
		end := min(n, at+tau)
		sigma := w.slots.Min(at, end) // line 10
		w.slots.Plus(at, end, -sigma) // line 11
		w.buy[at] += sigma            // line 12
		for w.slots.Least() == 0 {    // slots that have just got empty
			z := w.slots.First()
			w.slots.Remove(z)
			w.next[z]++
			w.starts.Plus(max(0, z-tau+1), min(z, starts-1)+1, 1)
		}
	}
}

// busy returns the first busy slot from j on.
func (w *greedy) busy(j int) int {
	i := j
	for int(w.next[i]) != i {
		i = int(w.next[i])
	}
	for int(w.next[j]) != j { // the way is shorter next time
		w.next[j], j = int32(i), int(w.next[j])
	}
	return i
}
