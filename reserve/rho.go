package reserve

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// The rolling horizon, [Liu21] Algorithm 2, as printed, mended and deferred.
//
// Minimise the fees of one class and the price of what runs on demand, seeing λ
// slots at a time. At slot t Algorithm 1 plans for the window [t, t+λ), what it
// would buy at t is bought, and the window moves on.
//
// For λ ≤ τ the window is one candidate only, and Algorithm 1 buys each level that
// is uncovered in m = ⌈F/p⌉ slots of it or more. With N(t) the purchases up to slot
// t and f_i the forecast, the k-th purchase helps in slot i if k ≤ f_i + N(i-τ)
// (theory/rules.go), so
//
//	N(t) = max(N(t-1), m-th largest f_i + N(i-τ) of the window).
//
// Printed subtracts a purchase from the demand in the window only (line 3), so
// that it is forgotten λ slots later and bought again: N(i-λ) in the place of
// N(i-τ). Mended subtracts it for its whole term (ERRATA [Liu21] 5). Both buy as
// soon as enough demand is in sight, however far, and may waste most of each term:
// up to τp/F times the optimum. Deferred, of our own, buys a level only if the
// current slot needs it: N(t) is capped by d_t + N(t-τ).
//
// For λ > τ the window is planned by the greedy of Algorithm 1 ([HGR]), with two
// trees as there. Deferred then moves each reservation to the first slot that needs
// it, and buys those that begin in the current slot.
//
// Invariant: the keys of the window are those of the last forecast; the k-th
// largest is at hand. Time a slot: O(λ) to compare the forecast with the last one,
// O(log λ) for each slot in which it differs; O(log λ) if it just moves on. For
// λ > τ O(λ·log λ). Deferred reads nothing in a slot that is covered. O(λ+τ) space.
//
// Departures. The paper stops at slot T-λ+1; here the window shrinks at the end of
// the demand. Algorithm 1 tests before it buys (ERRATA [Liu21] 3).

// RHO is the rolling horizon of [Liu21] Algorithm 2, for one class. The zero value
// is the paper's rule, with a window of a term.
//
// No constant bounds it: not 3, as [Liu21] Theorem 4 has it, but τp/F, even with
// an exact forecast; see the package documentation. With an exact forecast Deferred
// is near the optimum on real demands, within a few per cent for short terms,
// but it has no constant either. A false forecast makes a single slot of demand cost
// it F/p times the optimum, and the other two any multiple. [Robust] has a bound.
//
// As a [Planner] it handles what [Wang] does.
type RHO struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int
	// Window is λ, the slots that a decision looks at, the current one included;
	// 0 is the class's term.
	Window int
	// Rule is which of the three.
	Rule RHORule
	// Forecast is what AppendPlan takes for the demand of each slot as long as it
	// lies ahead, held instances included; nil is the demand itself.
	Forecast []int

	series series
	books  ledger
	advice advice
}

// An RHORule is a reading of [Liu21] Algorithm 2. As text an RHORule is "printed",
// "mended" or "deferred".
type RHORule uint8

const (
	// Printed forgets a purchase at the end of the window that it was made in.
	Printed RHORule = iota
	// Mended remembers it for its term.
	Mended
	// Deferred is Mended, and waits until the current slot needs the instance.
	Deferred
)

var rhoRules = enum.New[RHORule]("reserve", "RHORule", ErrRange, "printed", "mended", "deferred")

// String returns the name of r, or RHORule(7) for an unknown value 7.
func (r RHORule) String() string { return rhoRules.String(r) }

// MarshalText returns the name of r. The error is for an unknown value.
func (r RHORule) MarshalText() ([]byte, error) { return rhoRules.MarshalText(r) }

// UnmarshalText sets r to the value of a name.
func (r *RHORule) UnmarshalText(text []byte) error { return rhoRules.UnmarshalText(r, text) }

// Reset begins a series, as [Rule] says.
func (a *RHO) Reset(o Offer) error {
	a.books.reset(0)
	if err := o.check(); err != nil {
		return err
	}
	if a.Rule > Deferred {
		return badInput("Rule", -1, ErrRange, "%d: want Printed, Mended or Deferred", a.Rule)
	}
	window, err := checkWindow(a.Window, o.Term)
	if err != nil {
		return err
	}
	if a.Rule == Printed {
		a.books.reset(window)
	} else {
		a.books.reset(o.Term)
	}
	a.advice.reset(&o, window, a.Rule)
	return nil
}

// Observe returns how many to buy, as [Rule] says.
func (a *RHO) Observe(demand int, forecast []int) int {
	a.books.ready()
	return a.books.close(a.advice.target(&a.books, instances(demand), forecast))
}

func (a *RHO) preview(forecast []int) { a.advice.preview(&a.books, forecast) }

func (a *RHO) slide(demand, next int, known bool) int {
	return a.books.close(a.advice.slid(&a.books, int64(demand), next, known))
}

// AppendPlan appends the plan's purchases to dst, as [Planner] says. Time
// O(n·log λ) for n slots, O(n·λ·log λ) for λ > τ.
func (a *RHO) AppendPlan(dst []pricing.Purchase, p *Problem) ([]pricing.Purchase, error) {
	if err := a.series.load(p, a.Class, a.Forecast); err != nil {
		return dst, err
	}
	if err := a.Reset(a.series.offer()); err != nil {
		return dst, err
	}
	if a.advice.window > a.advice.term {
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
	ahead  top // f_i + N(i-τ) for i in [t, t+λ), in cell i mod λ; λ ≤ τ
	greedy greedy
}

func (a *advice) reset(o *Offer, window int, rule RHORule) {
	a.rule, a.window, a.term, a.m = rule, window, o.Term, o.breakEven()
	if window <= o.Term {
		a.ahead.reset(window, a.m)
	}
}

// target is N(t) as asked for, at least l.n.
func (a *advice) target(l *ledger, d int64, forecast []int) int64 {
	if a.rule == Deferred && d+l.expired(0) <= l.n {
		return l.n
	}
	forecast = forecast[:min(len(forecast), a.window-1)]
	if a.window > a.term {
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

// preview stores the forecast of the first λ-1 slots, for calls of slid.
func (a *advice) preview(l *ledger, forecast []int) {
	for j, f := range forecast {
		a.ahead.set(j, int64(f)+l.expired(j))
	}
}

// slid is target where the forecast is the last one and that of slot t+λ-1.
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

// A greedy is [Liu21] Algorithm 1 for a window longer than a term, as in [HGR]:
// one tree has the uncovered demand of the slots, the other minus the number of
// busy slots in the term from each start.
type greedy struct {
	left   []int64 // uncovered demand
	next   []int32 // a slot at or after which the next busy one is
	slots  minTree
	starts minTree
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
	w.next = grow.Zero(w.next, n+1)
	w.slots.reset(n)
	for j, x := range w.left {
		w.next[j] = int32(j)
		if x > 0 {
			w.slots.least[w.slots.size+j] = x
		} else {
			w.next[j]++
		}
	}
	w.next[n] = int32(n)
	w.slots.build()
	w.starts.reset(max(1, n-tau+1))
	busy, to := int64(0), 0
	for s := range max(1, n-tau+1) {
		for ; to < min(n, s+tau); to++ {
			if w.left[to] > 0 {
				busy++
			}
		}
		if s > 0 && w.left[s-1] > 0 {
			busy--
		}
		w.starts.least[w.starts.size+s] = -busy
	}
	w.starts.build()

	bought := int64(0)
	for -w.starts.least[1] >= a.m { // line 8
		at := w.starts.first() // line 9
		if a.rule == Deferred {
			at = w.busy(at)
		}
		end := min(n, at+tau)
		sigma := w.slots.min(at, end) // line 10
		w.slots.plus(at, end, -sigma) // line 11
		if at == 0 {                  // line 12
			bought += sigma
		}
		for w.slots.least[1] == 0 { // slots that have just got empty
			z := w.slots.first()
			w.slots.remove(z)
			w.next[z]++
			w.starts.plus(max(0, z-tau+1), min(z, max(0, n-tau))+1, 1)
		}
	}
	return bought
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
