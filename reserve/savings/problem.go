package savings

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Problem asks how much money an hour to commit for the demands of several types of
// instances, which one savings plan pays for.
//
// Whether a commitment is paid upfront, partly upfront or not upfront changes only the
// rates: a commitment of c an hour costs c an hour.
type Problem struct {
	// Slot is the length of a slot of the demands.
	Slot time.Duration
	// Types are the types of instances. Their demands have equal lengths.
	Types []Type
	// Term is the length of a commitment, a whole number of slots.
	Term time.Duration
	// Unit is the money per hour of which commitments are multiples; 0 is 0.001.
	Unit pricing.Money

	// Whole says that a savings plan pays for whole instances only: of the usage of an hour,
	// for the whole instances that save most. Otherwise a plan pays for a fraction of an
	// instance-hour where the commitment ends, as AWS's plans do.
	Whole bool

	// Every and Closed say when commitments are possible, as in [reserve.Problem].
	Every  int
	Closed []bool
	// Held are the commitments made before slot 0. Their cost does not count.
	Held []Held
	// Horizon is Full to count the whole term of a commitment, and Pure to count the term
	// up to the end of the demand.
	Horizon reserve.Horizon
}

// A Type is a type of instances: its demand in instances per slot, and its rates per
// instance-hour, on demand and from the savings plan. A type that the plan does not make
// cheaper, Plan ≥ OnDemand, always runs on demand.
type Type struct {
	Name     string
	Demand   []int
	OnDemand pricing.Money
	Plan     pricing.Money
}

// A Commitment begins with slot Slot and is Units units per hour. Hourly is the same in
// money per hour, Units times the unit. A plan that is passed to [AppendUses] or [Verify]
// may leave Hourly 0.
type Commitment struct {
	Slot   int
	Units  int
	Hourly pricing.Money
}

// A Held is a commitment of Units units per hour, made before slot 0, that lasts through
// the slots before Until.
type Held struct {
	Units int
	Until int
}

// A Plan says how much to commit and when, what that costs, and how near the optimum the
// cost is, with a proof.
type Plan struct {
	// Commitments are sorted by slot, with at most one for each slot. Unit is the money per
	// hour of one unit. [AppendUses] says what each commitment saves.
	Commitments []Commitment
	Unit        pricing.Money
	// Cost is Committed, the price of the commitments, plus OnDemand, the price of all
	// usage that the commitments do not pay for. The sum is taken before the three amounts
	// are rounded, half to even. No plan costs less than Bound, rounded in the same way.
	Cost, Committed, OnDemand, Bound pricing.Money
	// Unused is the part of the commitments that pays for nothing, within the slots of the
	// demand. Held commitments are included.
	Unused pricing.Money
	// Certificate proves the bound; see Verify.
	Certificate Certificate
}

// Gap returns by which share of the bound the plan's cost is above the bound: 0 for an
// optimal plan.
func (p *Plan) Gap() float64 { return gapOf(p.Cost, p.Bound) }

// Optimal reports whether the certificate proves that no plan costs less, to the last nano.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound }

func gapOf(cost, bound pricing.Money) float64 {
	if cost == bound {
		return 0
	}
	return cost.Float64()/bound.Float64() - 1
}

// A Certificate is a dual solution. One more unit of commitment in slot t is worth
// Values[t]/Parts times its price. Over each term that can be bought, a unit is worth its
// price at most.
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

// check returns the number of slots of p's demands, or what is wrong with p.
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
