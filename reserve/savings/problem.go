package savings

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Problem is what to plan commitments for: the demands of several types
// of instances that one savings plan pays for.
//
// Payment upfront, all of it, a part or none, makes no difference but to the
// rates: a commitment of c an hour costs c an hour.
type Problem struct {
	// Slot is the length of a slot of the demands.
	Slot time.Duration
	// Types are the types of instances, with demands of equal length.
	Types []Type
	// Term is the length of a commitment, a whole number of slots.
	Term time.Duration
	// Unit is what commitments are multiples of, money per hour; 0 is 0.001.
	Unit pricing.Money

	// Every and Closed say when one may commit, as in [reserve.Problem].
	Every  int
	Closed []bool
	// Held is what was committed before slot 0, whose cost does not count.
	Held []Held
	// Horizon is Full to count commitments over their whole term, Pure up to the
	// end of the demand.
	Horizon reserve.Horizon
}

// A Type is a type of instances, its demand in instances per slot and its
// rates per instance-hour, on demand and paid from a savings plan. A type that a
// plan does not make cheaper, Plan ≥ OnDemand, runs on demand always.
type Type struct {
	Name     string
	Demand   []int
	OnDemand pricing.Money
	Plan     pricing.Money
}

// A Commitment is made at the beginning of a slot, of so many units per hour. Hourly is
// the same in money per hour, Units times the unit; a plan that is passed to [AppendUses]
// or [Verify] may leave Hourly 0.
type Commitment struct {
	Slot   int
	Units  int
	Hourly pricing.Money
}

// A Held is a commitment of so many units per hour that was made before
// slot 0 and lasts through the slots before Until.
type Held struct {
	Units int
	Until int
}

// A Plan is what to commit, what that costs, and a proof of how near the
// optimum it is.
type Plan struct {
	// Commitments are sorted by slot, with at most one for each. A unit of them is Unit an
	// hour. [AppendUses] says what each saves.
	Commitments []Commitment
	Unit        pricing.Money
	// Cost is Committed, the price of the commitments, plus OnDemand, the price of
	// what they do not pay for; the sum is taken before all three are rounded, half
	// to even. Bound is what no plan costs less than, rounded in the same way.
	Cost, Committed, OnDemand, Bound pricing.Money
	// Unused is the part of the commitments, held ones included, that pays for
	// nothing, in the slots of the demand.
	Unused pricing.Money
	// Certificate proves the bound; see Verify.
	Certificate Certificate
}

// Gap returns how far the plan's cost is above the bound, as a share of the
// bound: 0 for an optimal plan.
func (p *Plan) Gap() float64 { return gapOf(p.Cost, p.Bound) }

// Optimal reports whether the certificate proves that no plan costs less, to the
// last nano.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound }

func gapOf(cost, bound pricing.Money) float64 {
	if cost == bound {
		return 0
	}
	return cost.Float64()/bound.Float64() - 1
}

// A Certificate is a dual solution: Values[t]/Parts is what one more unit
// of commitment is worth in slot t, as a multiple of what it costs. Over no term
// that is for sale are they worth more than they cost.
type Certificate struct {
	Values []Uint128
	Parts  Uint128
}

const defaultUnit = pricing.Milli

// unitOf returns the unit of commitments.
func (p *Problem) unitOf() pricing.Money {
	if p.Unit == 0 {
		return defaultUnit
	}
	return p.Unit
}

// check returns what is wrong with p, or the slots of its demands.
func (p *Problem) check() (slots int, err error) {
	switch {
	case p.Slot <= 0:
		return 0, badInput("Slot", -1, ErrRange, "%v: want a positive length", p.Slot)
	case len(p.Types) == 0:
		return 0, badInput("Types", -1, ErrRange, "there are none: want at least one")
	case p.Unit < 0:
		return 0, badInput("Unit", -1, ErrRange, "%v: want a positive amount, or 0 for %v", p.Unit, defaultUnit)
	case p.Term < p.Slot || p.Term%p.Slot != 0:
		return 0, badInput("Term", -1, ErrTerm, "%v: want a whole number of slots of %v", p.Term, p.Slot)
	case p.Every < 0:
		return 0, badInput("Every", -1, ErrRange, "%d: want a number of slots, or 0 for every slot", p.Every)
	case p.Horizon > reserve.Pure:
		return 0, badInput("Horizon", -1, ErrRange, "%d: want Full or Pure", p.Horizon)
	}
	n := len(p.Types[0].Demand)
	switch {
	case n > math.MaxInt32:
		return 0, badInput("Types.Demand", 0, ErrRange, "%d slots: want at most %d", n, math.MaxInt32)
	case int64(p.Term/p.Slot) > int64(math.MaxInt32-n):
		return 0, badInput("Term", -1, ErrRange, "%v: want at most %d slots", p.Term, math.MaxInt32-n)
	case p.Closed != nil && len(p.Closed) != n:
		return 0, badInput("Closed", -1, ErrRange, "%d slots: want one for each of the %d of the demands", len(p.Closed), n)
	}
	for i := range p.Types {
		y := &p.Types[i]
		switch {
		case len(y.Demand) != n:
			return 0, badInput("Types.Demand", i, ErrRange, "%s has %d slots and %s %d: want equal lengths", y.Name, len(y.Demand), p.Types[0].Name, n)
		case y.OnDemand <= 0:
			return 0, badInput("Types.OnDemand", i, ErrRange, "%s costs %v on demand: want more than 0", y.Name, y.OnDemand)
		case y.Plan <= 0:
			return 0, badInput("Types.Plan", i, ErrRange, "%s costs %v from a plan: want more than 0 (as much as on demand if a plan does not pay for it)", y.Name, y.Plan)
		}
		for t, d := range y.Demand {
			if d < 0 || d > math.MaxInt32 {
				return 0, badInput("Types.Demand", i, ErrRange, "%s needs %d in slot %d: want 0 to %d instances", y.Name, d, t, math.MaxInt32)
			}
		}
	}
	for i, h := range p.Held {
		if h.Units < 0 || h.Units > math.MaxInt32 || h.Until < 0 {
			return 0, badInput("Held", i, ErrRange, "%d units for %d slots: want none negative, and at most %d units", h.Units, h.Until, math.MaxInt32)
		}
	}
	return n, nil
}
