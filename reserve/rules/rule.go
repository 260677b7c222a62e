package rules

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A rule decides slot by slot how many reservations of one class to buy, as the package comment
// says.
type rule interface {
	Reset(o reserve.Offer) error
	Observe(demand int, forecast []int) int
}

var (
	_ rule            = (*RHO)(nil)
	_ rule            = (*Robust)(nil)
	_ rule            = (*Wang)(nil)
	_ rule            = (*WangRandom)(nil)
	_ rule            = (*History)(nil)
	_ reserve.Planner = (*RHO)(nil)
	_ reserve.Planner = (*Robust)(nil)
	_ reserve.Planner = (*Wang)(nil)
	_ reserve.Planner = (*WangRandom)(nil)
	_ reserve.Planner = (*History)(nil)
)

// maxTerm bounds the terms of rules, which keep some numbers for each slot of a term: 128
// MiB for each number. A term of three years has fewer slots if a slot has 6 seconds or more.
const maxTerm = 1 << 24

// check returns what is wrong with an offer.
func check(o *reserve.Offer) error {
	switch {
	case o.Price < 0:
		return badInput("Offer.Price", -1, reserve.ErrRange, "%d: want none negative", o.Price)
	case o.Use < 0:
		return badInput("Offer.Use", -1, reserve.ErrRange, "%d: want none negative", o.Use)
	case o.Fee < 0:
		return badInput("Offer.Fee", -1, reserve.ErrRange, "%d: want none negative", o.Fee)
	case o.Term < 1 || o.Term > maxTerm:
		return badInput("Offer.Term", -1, reserve.ErrTerm, "%d slots: want 1 to %d", o.Term, maxTerm)
	}
	return nil
}

// breakEvenOf returns the least number of used slots, at least 1, in which a
// reservation costs no more than on demand: m = ⌈F/(p-αp)⌉, and MaxInt64 if there
// is none.
func breakEvenOf(o *reserve.Offer) int64 {
	if o.Price <= o.Use {
		return math.MaxInt64
	}
	return breakEven(o.Fee, o.Price-o.Use)
}

// checkWindow returns the window of a rule, with its default.
func checkWindow(window, term int) (int, error) {
	if window < 0 || window > math.MaxInt32 {
		return 0, badInput("Window", -1, reserve.ErrRange, "%d: want a number of slots, or 0 for the term", window)
	}
	if window == 0 {
		return term, nil
	}
	return window, nil
}

// instances checks a demand or a forecast and returns it.
func instances(d int) int64 {
	if d < 0 || d > math.MaxInt32 {
		panic("rules: Observe: demand is not in 0 to math.MaxInt32")
	}
	return int64(d)
}

// A ledger is what every rule keeps: N(t), the reservations bought up to and
// including slot t, and the same for the term before.
type ledger struct {
	t    int     // slots seen, the index of the next
	n    int64   // N of the last slot
	past []int64 // past[i%τ] = N(i) for i in [t-τ, t)
}

func (l *ledger) reset(term int) {
	l.t, l.n = 0, 0
	l.past = grow.Zero(l.past, term)
}

// ready panics if there was no reset.
func (l *ledger) ready() {
	if len(l.past) == 0 {
		panic("rules: Observe before a Reset that succeeded")
	}
}

// cell is the index of slot t+j in a ring of a term, 0 ≤ j ≤ τ.
func (l *ledger) cell(j int) int { return (l.t + j) % len(l.past) }

// expired is N(t+j-τ), how many of those bought will have expired when slot
// t+j begins, 0 ≤ j < τ.
func (l *ledger) expired(j int) int64 { return l.past[l.cell(j)] }

// close ends slot t with N(t) = n and returns the number bought in it.
func (l *ledger) close(n int64) int {
	r := n - l.n
	l.n = n
	l.past[l.cell(0)] = n
	l.t++
	return int(r)
}

// A series is a problem for an online rule: its demand and what is forecast.
type series struct {
	single
	forecast []int
	ahead    reserve.Input // of a problem with the forecast for its demand
}

// load checks p and fills in s for class k. A nil forecast is the demand.
func (s *series) load(p *reserve.Problem, k int, forecast []int) error {
	if err := s.single.load(p, k); err != nil {
		return err
	}
	if s.single.class.Term > maxTerm {
		return badInput("Prices.Classes[].Term", k, reserve.ErrTerm, "%d slots: want at most %d for a rule", s.single.class.Term, maxTerm)
	}
	if p.Every > 1 {
		return badInput("Every", -1, reserve.ErrUnsupported, "%d slots: want purchases at every slot", p.Every)
	}
	if err := refuseClosed(p); err != nil {
		return err
	}
	if forecast == nil {
		s.forecast = s.demand
		return nil
	}
	if len(forecast) != len(p.Demand) {
		return badInput("Forecast", -1, reserve.ErrRange, "%d slots: want one for each of the %d of Demand", len(forecast), len(p.Demand))
	}
	for t, d := range forecast {
		if d < 0 || d > math.MaxInt32 {
			return badInput("Forecast", t, reserve.ErrRange, "%d: want 0 to %d instances", d, math.MaxInt32)
		}
	}
	expected := *p
	expected.Demand = forecast
	if err := s.ahead.LoadClass(&expected, k); err != nil {
		return err
	}
	s.forecast = s.ahead.Demand
	return nil
}

// plan is AppendPlan for a rule without a forecast.
func (s *series) plan(dst []pricing.Purchase, p *reserve.Problem, k int, r rule) ([]pricing.Purchase, error) {
	if err := s.load(p, k, nil); err != nil {
		return dst, err
	}
	if err := r.Reset(s.class); err != nil {
		return dst, err
	}
	return s.run(dst, k, r, 1), nil
}

// run appends what a rule that has just been reset buys, shown window slots at
// a time, the current one included.
func (s *series) run(dst []pricing.Purchase, k int, r rule, window int) []pricing.Purchase {
	if s.gain <= 0 {
		return dst
	}
	n := len(s.demand)
	for t, d := range s.demand {
		next := min(t+1, n)
		if count := r.Observe(d, s.forecast[next:max(next, min(n, t+window))]); count > 0 {
			dst = append(dst, pricing.Purchase{Slot: t, Class: k, Count: count})
		}
	}
	return dst
}

// A slider is a rule for which a window that moves on by one slot is less work
// than a new forecast.
type slider interface {
	preview(forecast []int)
	slide(demand, next int, known bool) int
}

// slide is run for a rule whose window is at most a term.
func (s *series) slide(dst []pricing.Purchase, k int, rule slider, window int) []pricing.Purchase {
	if s.gain <= 0 {
		return dst
	}
	n := len(s.demand)
	rule.preview(s.forecast[:min(n, window-1)])
	for t, d := range s.demand {
		next, known := 0, t < n-(window-1)
		if known {
			next = s.forecast[t+window-1]
		}
		if count := rule.slide(d, next, known); count > 0 {
			dst = append(dst, pricing.Purchase{Slot: t, Class: k, Count: count})
		}
	}
	return dst
}
