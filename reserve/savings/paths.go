package savings

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Demand as paths, exactly.
//
// Each type has W demands, of which one will come, the same one for all types. Purchases are
// made before anyone knows which. Minimise all fees plus the mean cost on demand over the paths.
//
// Divide each slot into W parts of equal length, one for each path. Let part j have the demand
// of path j, and let purchases begin with the first part of a slot. A commitment costs the same
// in all parts together as in the slot, and what part j costs on demand is a W-th of what the slot
// costs on path j. So the divided problem has one demand and the same cost for each plan. All that
// holds for one demand holds for paths: the optimum, the bound and the certificate.
//
// A path of weight w takes w parts. Time and memory are those of W times the slots.

// mostParts bounds the parts of a slot, so that amounts times the parts stay within 128 bits.
const mostParts = 1 << 20

// parts returns into how many parts a slot of p is divided, in a problem that divided has made.
func (p *Problem) parts() int { return max(1, p.split) }

// span returns the number of slots of a term, in parts where slots are divided.
func (p *Problem) span(term time.Duration) int { return int(term/p.Slot) * p.parts() }

// hour is an hour in the units in which p.Slot is the length of a slot, or of a part.
func (p *Problem) hour() int64 { return int64(time.Hour) * int64(p.parts()) }

// checkPaths returns the sum of the weights, in lowest terms, or what is wrong with the paths.
func (p *Problem) checkPaths() (parts int, err error) {
	count := len(p.Types[0].Paths)
	for i := range p.Types {
		y := &p.Types[i]
		switch {
		case y.Paths != nil && (y.Demand != nil || len(y.Paths) == 0):
			return 0, badInput("Types.Paths", i, ErrRange, "%s has %d paths and a demand of %d slots: want a demand, or at least one path", y.Name, len(y.Paths), len(y.Demand))
		case len(y.Paths) != count:
			return 0, badInput("Types.Paths", i, ErrRange, "%s has %d and %s %d: want the same number", y.Name, len(y.Paths), p.Types[0].Name, count)
		}
	}
	if p.Weights == nil {
		parts = max(1, count)
	} else if len(p.Weights) != count {
		return 0, badInput("Weights", -1, ErrRange, "there are %d: want one for each of %d paths", len(p.Weights), count)
	}
	divisor := p.divisor()
	for j, w := range p.Weights {
		if w < 0 || w > math.MaxInt32 {
			return 0, badInput("Weights", j, ErrRange, "%d: want 0 to %d", w, math.MaxInt32)
		}
		parts = min(parts+w/divisor, mostParts+1)
	}
	if parts == 0 || parts > mostParts {
		return 0, badInput("Weights", -1, ErrRange, "they come to %d in lowest terms: want 1 to %d", parts, mostParts)
	}
	return parts, nil
}

// divisor returns the greatest common divisor of the weights, and at least 1.
func (p *Problem) divisor() int {
	d := int64(0)
	for _, w := range p.Weights {
		d = wide.GCD(int64(max(0, w)), d)
	}
	return int(max(1, d))
}

// plain returns p, which is checked, with one demand for each type, from which what held
// reservations serve is taken off, and the number of its slots: p itself where p has neither paths nor
// held reservations.
func (p *Problem) plain(n int) (*Problem, int) {
	if p.Types[0].Paths == nil {
		return p.withoutHeld(n), n
	}
	q := *p
	q.split, _ = p.checkPaths()
	q.Every = max(1, p.Every) * q.split
	if p.Closed != nil {
		q.Closed = make([]bool, n*q.split)
		for t, closed := range p.Closed {
			q.Closed[t*q.split] = closed
		}
	}
	q.Held, q.HeldReservations = slices.Clone(p.Held), slices.Clone(p.HeldReservations)
	for _, held := range [...][]pricing.Holding{q.Held, q.HeldReservations} {
		for i := range held {
			held[i].Until = min(n, held[i].Until) * q.split
		}
	}
	q.Types = slices.Clone(p.Types)
	divisor := p.divisor()
	for i := range q.Types {
		y := &q.Types[i]
		y.Paths, y.Demand = nil, make([]int, 0, n*q.split)
		for t := range n {
			for j, path := range p.Types[i].Paths {
				times := 1
				if p.Weights != nil {
					times = p.Weights[j] / divisor
				}
				for range times {
					y.Demand = append(y.Demand, path[t])
				}
			}
		}
	}
	return q.withoutHeld(n * q.split), n * q.split
}

// undivide turns the slots of a plan's purchases into those of the problem before it was divided.
func (p *Problem) undivide(plan *Plan) {
	for i := range plan.Commitments {
		plan.Commitments[i].Slot /= p.parts()
	}
	for i := range plan.Reservations {
		plan.Reservations[i].Slot /= p.parts()
	}
}

// divide returns plan with the slots of the divided problem p.
func (p *Problem) divide(plan *Plan) *Plan {
	if p.split == 0 {
		return plan
	}
	q := *plan
	q.Commitments, q.Reservations = slices.Clone(plan.Commitments), slices.Clone(plan.Reservations)
	for i := range q.Commitments {
		q.Commitments[i].Slot *= p.split
	}
	for i := range q.Reservations {
		q.Reservations[i].Slot *= p.split
	}
	return &q
}
