package rules

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// Robust: a rule of our own that follows a forecast as far as the optimum insures it.
//
// Minimise the fees of one class and the cost on demand. Each decision sees a forecast of λ slots,
// and the forecast may be wrong in any way. If the forecast is good, Robust costs about as much as
// the deferred rolling horizon. For every forecast, Robust costs at most c times the optimum. The
// caller chooses c ≥ 2. Without a forecast, no deterministic rule has a constant below 2 for all
// prices.
//
// Robust takes three steps in each slot t. p is the price on demand less the use price, m = ⌈F/p⌉,
// f = F - p·(m-1), N(t) the number of purchases so far, and h_i = d_i + N(i-τ).
//
//  1. A shadow: the eager rule of [Wang] runs on the demand alone. Its cost on demand, plus
//     f for each of its purchases, is a lower bound L on the optimum of the slots so far.
//  2. A net: the eager rule runs again, now on what Robust has bought. While m of the last τ
//     slots have h_i > N, Robust buys one reservation, at any cost.
//  3. Advice: while the deferred rule asks for one more reservation and h_t > N, Robust buys
//     the reservation if, counting it as the k-th purchase, one of two conditions holds:
//
//     (i)  F·k ≤ (c-1)·L,  or
//     (ii) the bill, with the rest of this slot, plus p·(m-1) for each reservation in force
//     is at most c·L.
//
// Condition (i) lets Robust start: each F/(c-1) of L allows one purchase.
// Condition (ii) lets Robust go on: a slot in which the bill grows by less than c times the
// growth of L earns credit.
//
// Invariants after slot t: fewer than m of the last τ slots have h_i > N(t), and (i) or (ii)
// held at each purchase on advice. theory/rules.go has the proofs, which hold for advice
// from any source.
//
// Robust stays beside RHO because it wins with reservations of a month: 1.103 to 1.105 times the
// optimum against 1.109 to 1.112 for Deferred, on the five demand files at errors of the forecast
// of 0, 20 and 40% (go test -run '^$' -bench BenchmarkRule -benchtime 1x ./reserve/rules). With
// reservations of a day, Robust costs 0.1% more.
//
// Robust keeps two order statistics of τ cells and one of λ. Time: O(log τ) a slot, and O(λ)
// more to read a forecast, which Robust does only if the slot is uncovered and there is
// credit. Space: O(λ+τ). Amounts are exact, in 128 bits.

// Robust buys one class by the deferred rule of [RHO]. Robust follows that rule only as long as its
// own cost provably stays within c times the optimum, whatever demand follows. The caller chooses c
// as Ratio. The zero value is ready for Reset, with a window of a term.
//
// With the Full horizon, Robust costs at most c times the optimum for every forecast. If the use
// price is α times the price on demand, the factor is c - (c-1)·α. With a window of a term and an
// exact forecast, Robust buys like the deferred rule, unless c forbids a purchase.
//
// There is a second bound if Robust starts without reservations. Let F be the fee, p the saving of
// a slot, and m = ⌈F/p⌉. Let level k be the k-th instance, which is needed in the slots with a
// demand of k or more. Robust costs at most 1 + 1/(c-1) times the optimum if
//
//   - the demand lasts at most a term,
//   - the window is a term, and the forecast is exact, and
//   - no level is close to break-even: no level is needed in m to m + ⌈F/((c-1)·p)⌉ - 1 slots.
//
// If p/F is small, no deterministic rule that has the first bound for the same c has a better
// second bound.
//
// As a [reserve.Planner], Robust handles the same problems as [Wang].
type Robust struct {
	// Class is the class to buy, an index into the price list. AppendPlan only.
	Class int
	// Window is λ, the slots that a decision looks at, the current one included;
	// 0 is the class's term.
	Window int
	// Ratio is c in thousandths, 2000 to 100000; 0 is 2100.
	//
	// We compared c = 2, 2.1, 2.25, 2.5 and 3 on five logs, with terms of a day and of a month. The
	// errors of the forecast were 0, 20 and 40%. c = 2.1 had the lowest geometric mean of cost over
	// optimum. c = 2 gives the best bound for every forecast. With c = 2, Robust begins to buy more
	// slowly, and loses least to an absurd forecast on long terms.
	Ratio int
	// Forecast is what AppendPlan takes for the demand of each slot as long as it
	// lies ahead, held instances included; nil is the demand itself.
	Forecast []int

	series series
	books  ledger
	net    top
	shadow Wang
	advice advice
	fee    int64     // F
	gain   int64     // p, less the use price
	part   int64     // p·(m-1)
	ratio  int64     // c in thousandths
	bound  wide.Uint // L
	bill   wide.Uint // fees and price on demand of the slots before t
}

const (
	defaultRatio = 2100
	maxRatio     = 100_000 // 2¹⁷: see Reset
)

// Reset begins a series, as the package comment says. Prices of which the fee, or the price
// on demand less the use price, is above 2⁵² in the largest unit in which both
// are whole are [reserve.ErrOverflow].
func (a *Robust) Reset(o reserve.Offer) error {
	a.books.reset(0)
	if err := check(&o); err != nil {
		return err
	}
	ratio := a.Ratio
	if ratio == 0 {
		ratio = defaultRatio
	}
	if ratio < 2000 || ratio > maxRatio {
		return badInput("Ratio", -1, reserve.ErrRange, "%d: want 2000 to %d thousandths, or 0 for %d", ratio, maxRatio, defaultRatio)
	}
	window, err := checkWindow(a.Window, o.Term)
	if err != nil {
		return err
	}
	m := breakEvenOf(&o)
	a.fee, a.gain, a.part = 1, 0, 0 // of a class that saves nothing, and is not bought
	if m < math.MaxInt64 {
		g := max(1, wide.GCD(o.Fee, o.Price-o.Use))
		a.fee, a.gain = o.Fee/g, (o.Price-o.Use)/g
		// A bill of at most 2¹¹⁰ and this limit keep everything within 128 bits.
		if limit := int64(1) << 52; a.fee > limit || a.gain > limit {
			return badInput("Offer.Fee", -1, reserve.ErrOverflow, "the fee and what a slot saves are as %d to %d: want both at most %d", a.fee, a.gain, limit)
		}
		a.part = a.gain * (m - 1)
	}
	a.ratio = int64(ratio)
	a.bound, a.bill = wide.Uint{}, wide.Uint{}
	a.books.reset(o.Term)
	a.net.reset(o.Term, m)
	a.shadow.reset(o.Term, m)
	a.advice.reset(&o, window, Deferred)
	return nil
}

// Observe returns how many to buy, as the package comment says. O(λ + log τ) time; O(λ·log λ)
// for λ > τ. It panics if the bill exceeds 2¹¹⁰ units, that is after 2²⁶ slots of
// the largest prices and demands that there are.
func (a *Robust) Observe(demand int, forecast []int) int {
	a.books.ready()
	d := instances(demand)
	n, most := a.sense(d)
	if most > n {
		n = max(n, min(most, a.advice.target(&a.books, d, forecast)))
	}
	return a.settle(d, n)
}

func (a *Robust) preview(forecast []int) { a.advice.preview(forecast) }

func (a *Robust) slide(demand, next int, known bool) int {
	d := int64(demand)
	want := a.advice.slid(&a.books, d, next, known)
	n, most := a.sense(d)
	return a.settle(d, max(n, min(want, most)))
}

// sense brings the shadow, its bound and the net up to date. It returns N(t) as
// the net has it, and the largest N(t) of use in the slot that the credit allows,
// or less than n if there is none.
func (a *Robust) sense(d int64) (n, most int64) {
	w := &a.shadow
	level := d + w.books.expired(0)
	bought := w.observe(d)
	accumulate(&a.bound, a.fee-a.part, int64(bought))
	accumulate(&a.bound, a.gain, max(0, level-w.books.n))

	l := &a.books
	gone := l.expired(0)
	h := d + gone
	a.net.set(l.cell(0), h)
	n = max(l.n, a.net.kth())
	if h <= n { // as always where m is 1, so that below m ≥ 2 and F > 0
		return n, n
	}
	// (i): the largest k with 1000·F·k ≤ (1000·c-1000)·L
	most = quotient(times(a.bound, a.ratio-1000), wide.Uint{}, 1000*a.fee, h)
	// (ii): what N(t) = n leaves, and how often what one more takes goes into it
	bill := a.bill
	accumulate(&bill, a.fee, n-l.n)
	accumulate(&bill, a.gain, h-n)
	accumulate(&bill, a.part, n-gone)
	more := quotient(times(a.bound, a.ratio), times(bill, 1000), 1000*(a.fee-a.gain+a.part), h-n)
	return n, max(most, n+more)
}

// settle ends the slot with N(t) = n.
func (a *Robust) settle(d, n int64) int {
	accumulate(&a.bill, a.fee, n-a.books.n)
	accumulate(&a.bill, a.gain, max(0, d+a.books.expired(0)-n))
	if a.bill.Hi>>46 != 0 {
		panic("rules: Robust.Observe: the bill is too large")
	}
	return a.books.close(n)
}

// AppendPlan appends the plan's purchases to dst, as [reserve.Planner] says. Time
// O(n·log(λ+τ)) for n slots, O(n·λ·log λ) for λ > τ.
func (a *Robust) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	if err := a.series.load(p, a.Class, a.Forecast); err != nil {
		return dst, err
	}
	if err := a.Reset(a.series.class); err != nil {
		return dst, err
	}
	if a.advice.window > a.advice.term {
		return a.series.run(dst, a.Class, a, a.advice.window), nil
	}
	return a.series.slide(dst, a.Class, a, a.advice.window), nil
}

// accumulate adds a·b, neither negative, to sum.
func accumulate(sum *wide.Uint, a, b int64) { sum.AddProduct(uint64(a), uint64(b)) }

// times returns w·x, which must fit; x is not negative.
func times(w wide.Uint, x int64) wide.Uint {
	_, p := w.Times(uint64(x))
	return p
}

// quotient returns min(most, ⌊(x-y)/z⌋) for z > 0, and 0 if x < y.
func quotient(x, y wide.Uint, z, most int64) int64 {
	if x.Less(y) {
		return 0
	}
	q, _, ok := x.Minus(y).Over(uint64(z))
	if !ok {
		return most
	}
	return int64(min(q, uint64(most)))
}
