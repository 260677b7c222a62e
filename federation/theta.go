package federation

import (
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Rates are the prices in [Liu21] Eq. (20).
type Rates struct {
	OnDemand  pricing.Money // at home, per instance and slot
	Elsewhere pricing.Money // on demand in the other centre, per instance and slot
	Share     pricing.Money // an idle reservation of the other centre, per instance and slot
	Traffic   pricing.Money // sending an instance's data, once
}

// A Splitter decides how much of a task runs in another centre. The zero value is
// ready. It keeps its memory between calls.
type Splitter struct {
	kinks []kink
}

type kink struct {
	at    int
	steps pricing.Money
}

// Theta returns the least θ that minimises [Liu21] Eq. (20),
//
//	Σ_t OnDemand·(missing_t − θ)⁺ + Elsewhere·(θ − idle_t)⁺ + Share·min(θ, idle_t)  +  θ·Traffic.
func (s *Splitter) Theta(missing, idle []int, r Rates) int {
	if len(missing) != len(idle) {
		panic("federation: lengths of missing and idle differ")
	}
	// The slope to the right of 0.
	slope := r.Traffic + r.Share*pricing.Money(len(missing))
	s.kinks = s.kinks[:0]
	for t, m := range missing {
		if m > 0 {
			slope -= r.OnDemand
			s.kinks = append(s.kinks, kink{m, r.OnDemand})
		}
		if idle[t] > 0 {
			s.kinks = append(s.kinks, kink{idle[t], r.Elsewhere - r.Share})
		} else {
			slope += r.Elsewhere - r.Share
		}
	}
	slices.SortFunc(s.kinks, func(a, b kink) int { return a.at - b.at })
	best, theta, value, at := pricing.Money(0), 0, pricing.Money(0), 0
	for _, k := range s.kinks {
		value += slope * pricing.Money(k.at-at)
		at = k.at
		slope += k.steps
		if value < best {
			best, theta = value, at
		}
	}
	return theta
}
