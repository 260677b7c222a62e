package savings

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Problem asks how much money an hour to commit to a savings plan, and which reservations to buy,
// for the demands of several types of instances.
//
// A commitment of c an hour costs c an hour. The choice to pay upfront, partly upfront or not
// upfront changes the rates only.
type Problem struct {
	// Slot is the length of a slot of the demands.
	Slot time.Duration
	// Types are the types of instances. Their demands have equal lengths.
	Types []Type
	// Term is the length of a commitment, a whole number of slots.
	Term time.Duration
	// Unit is the money per hour of which commitments are multiples; 0 is 0.001.
	Unit pricing.Money

	// Every and Closed say when purchases are possible, as in [reserve.Problem].
	Every  int
	Closed []bool
	// Others are further savings plans on offer, each with its own term and rates. Offer 0 has the
	// term Problem.Term and the rates [Type].Plan. Offer k is Others[k-1].
	//
	// In each slot, reservations serve their type first. Then the savings plans pay, in the order
	// of AWS. The pair of an offer and a type with the greatest ratio OnDemand/rate comes first.
	// Among equal ratios the pair with the lowest rate comes first, then the lower offer, then the
	// lower type.
	Others []Offer
	// Held are the commitments made before slot 0: Count units per hour of the offer Class, through the
	// slots before Until. Their cost does not count.
	Held []pricing.Holding
	// Horizon is Full to count the whole term of a purchase, and Pure to count the term up to the
	// end of the demand.
	Horizon reserve.Horizon
	// Weights are how much each path of [Type].Paths counts, as parts of their sum. Nil counts all
	// paths alike. Time and memory grow with the sum of the weights in lowest terms.
	Weights []int

	// Classes are the classes of reservations, each for instances of one type and billed
	// [pricing.Always]. Without classes, money is all that is committed.
	Classes []TypeClass
	// HeldReservations were bought before slot 0, and their fees do not count. Held reservations
	// serve their type first. Class is an index of Classes.
	HeldReservations []pricing.Holding

	split int // slots are divided into so many parts, see paths.go; 0 is not divided
}

// A Type is a type of instances. Demand is its number of instances in each slot. OnDemand and Plan
// are its prices for an instance-hour, on demand and from the savings plan. If Plan is 0, the
// savings plan does not pay for the type. If Plan is not below OnDemand, the savings plan pays for
// the type last, with money that would otherwise pay for nothing.
//
// Paths, in place of Demand, are possible demands, of which one will come. All types follow the
// path of the same index k. Purchases are made before k is known. The amounts of a [Plan] are then
// means over the paths.
type Type struct {
	Name     string
	Demand   []int
	OnDemand pricing.Money
	Plan     pricing.Money
	Paths    [][]int
}

// An Offer is a savings plan: the length of a commitment, and what it pays for. Rates has the rate of
// each type, 0 where the plan does not pay for the type.
type Offer struct {
	Name  string
	Term  time.Duration
	Rates []pricing.Money
}

// slots returns the number of slots of the type's demand.
func (y *Type) slots() int {
	if y.Paths != nil {
		return len(y.Paths[0])
	}
	return len(y.Demand)
}

// paid reports whether the savings plan pays for the type.
func (y *Type) paid() bool { return y.Plan > 0 }

// A TypeClass is a class of reservations for instances of Types[Type]. A class that is
// Withdrawn is not for sale; reservations of the class may be held.
type TypeClass struct {
	Type      int
	Class     pricing.Class
	Withdrawn bool
}

// A Commitment to offer Offer begins with slot Slot and is Units units per hour. Hourly is the same in
// money per hour, Units times the unit. A plan that is passed to [AppendUses] or [Verify]
// may leave Hourly 0.
type Commitment struct {
	Slot   int
	Units  int
	Hourly pricing.Money
	Offer  int
}

// A Plan says how much to commit and what to reserve, when, what that costs, and how near the
// optimum the cost is, with a proof.
type Plan struct {
	// Reservations are sorted by slot, then by class, an index of Classes.
	Reservations []pricing.Purchase
	// Commitments are sorted by slot, then by offer, with at most one for each slot and offer. Unit is the money per
	// hour of one unit. [AppendUses] says what each commitment saves.
	Commitments []Commitment
	Unit        pricing.Money
	// Cost is the sum of Reserved, the fees, Committed, the price of the commitments, and
	// OnDemand, the price of all usage that neither pays for. The sum is taken before the amounts
	// are rounded, half to even. No plan costs less than Bound, rounded in the same way.
	Cost, Reserved, Committed, OnDemand, Bound pricing.Money
	// Unused is the part of the commitments that pays for nothing, within the slots of the
	// demand. Held commitments are included.
	Unused pricing.Money
	// Searched says that branch and bound, or a trial, has looked at all plans, and that none costs less, even
	// if Bound is below Cost: the certificate proves the bound of the linear program, and cannot
	// prove more. Branch and bound compares plans by floats: a plan that is cheaper by 10⁻⁹ of the
	// cost could be missed.
	Searched bool
	// Certificate proves the bound; see Verify.
	Certificate Certificate
}

// Gap returns (Cost − Bound)/Bound. Gap is 0 if the certificate proves that the plan is optimal,
// and +Inf if Bound is 0 and Cost is not.
//
// For a problem with classes, Bound is the bound of the linear program. There, a commitment may be
// any amount and a reservation may be a fraction; Gap may then be above 0 even for an optimal plan.
func (p *Plan) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// Optimal reports whether no plan costs less, to the last nano: by the certificate, or by the search.
func (p *Plan) Optimal() bool { return p.Cost == p.Bound || p.Searched }

// A Certificate proves the Bound of a [Plan]. It is a solution of the dual problem. Values[t]/Parts
// is the worth of commitment in slot t: the money on demand that one unit of money at plan rates
// replaces. Values[t] and Parts are integers of 128 bits, the high half first. The worth over each
// term that can be bought is at most the price of the commitment. With several offers, Values[k·T +
// t] is for offer k in slot t of T slots. With paths, each slot is divided into parts, one for each
// path and unit of weight (paths.go), and the values are for these parts.
//
// Prices is nil for a problem without classes and with one offer. Otherwise Prices[i·T + t]/2^Shift
// nanos an hour is the cost of one more instance of type i in slot t of T slots.
type Certificate struct {
	Values [][2]uint64
	Parts  [2]uint64
	Prices []int64
	Shift  int
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
	parts, err := p.checkPaths()
	if err != nil {
		return 0, err
	}
	n := p.Types[0].slots()
	switch {
	case n > math.MaxInt32/parts:
		return 0, badInput("Types.Demand", 0, ErrRange, "%d slots: want at most %d", n, math.MaxInt32/parts)
	case int64(p.Term/p.Slot) > int64(math.MaxInt32/parts-n):
		return 0, badInput("Term", -1, ErrRange, "%v: want at most %d slots", p.Term, math.MaxInt32/parts-n)
	case p.Closed != nil && len(p.Closed) != n:
		return 0, badInput("Closed", -1, ErrRange, "%d slots: want one for each of the %d of the demands", len(p.Closed), n)
	}
	for i := range p.Types {
		y := &p.Types[i]
		switch {
		case y.OnDemand <= 0:
			return 0, badInput("Types.OnDemand", i, ErrRange, "%s costs %v on demand: want more than 0", y.Name, y.OnDemand)
		case y.Plan < 0:
			return 0, badInput("Types.Plan", i, ErrRange, "%s costs %v from a plan: want more than 0, or 0 if a plan does not pay for it", y.Name, y.Plan)
		}
		if err := p.checkDemand(i, n, y.Demand); y.Paths == nil && err != nil {
			return 0, err
		}
		for _, path := range y.Paths {
			if err := p.checkDemand(i, n, path); err != nil {
				return 0, err
			}
		}
	}
	if err := checkHeld("Held", p.Held, p.offers()); err != nil {
		return 0, err
	}
	if err := p.checkOffers(n, parts); err != nil {
		return 0, err
	}
	return n, p.checkClasses(n, parts)
}

// checkOffers returns what is wrong with the other offers.
func (p *Problem) checkOffers(n, parts int) error {
	for k, o := range p.Others {
		switch {
		case o.Term < p.Slot || o.Term%p.Slot != 0:
			return badInput("Others.Term", k, ErrTerm, "%s has a term of %v: want a whole number of slots of %v", o.Name, o.Term, p.Slot)
		case int64(o.Term/p.Slot) > int64(math.MaxInt32/parts-n):
			return badInput("Others.Term", k, ErrRange, "%s has a term of %v: want at most %d slots", o.Name, o.Term, math.MaxInt32/parts-n)
		case len(o.Rates) != len(p.Types):
			return badInput("Others.Rates", k, ErrRange, "%s has %d: want one for each of %d types", o.Name, len(o.Rates), len(p.Types))
		}
		for i, q := range o.Rates {
			if q < 0 {
				return badInput("Others.Rates", k, ErrRange, "%s costs %v by %s: want more than 0, or 0 if the plan does not pay for it", p.Types[i].Name, q, o.Name)
			}
		}
	}
	return nil
}

// offers returns the number of savings plans on offer.
func (p *Problem) offers() int { return 1 + len(p.Others) }

// rate returns the rate of offer k for type i, 0 if the offer does not pay for the type.
func (p *Problem) rate(k, i int) pricing.Money {
	if k == 0 {
		return p.Types[i].Plan
	}
	return p.Others[k-1].Rates[i]
}

// term returns the slots of a commitment to offer k.
func (p *Problem) term(k int) int {
	if k == 0 {
		return p.span(p.Term)
	}
	return p.span(p.Others[k-1].Term)
}

// checkDemand returns what is wrong with a demand or a path of type i.
func (p *Problem) checkDemand(i, n int, demand []int) error {
	y := &p.Types[i]
	if len(demand) != n {
		return badInput("Types.Demand", i, ErrRange, "%s has %d slots and %s %d: want equal lengths", y.Name, len(demand), p.Types[0].Name, n)
	}
	for t, d := range demand {
		if d < 0 || d > math.MaxInt32 {
			return badInput("Types.Demand", i, ErrRange, "%s needs %d in slot %d: want 0 to %d instances", y.Name, d, t, math.MaxInt32)
		}
	}
	return nil
}

// checkClasses returns what is wrong with the classes and the held reservations of p.
func (p *Problem) checkClasses(n, parts int) error {
	for i := range p.Classes {
		c := &p.Classes[i].Class
		switch {
		case p.Classes[i].Type < 0 || p.Classes[i].Type >= len(p.Types):
			return badInput("Classes.Type", i, ErrRange, "%s is for type %d: there are %d", c.Name, p.Classes[i].Type, len(p.Types))
		case c.Upfront < 0 || c.Hourly < 0:
			return badInput("Classes.Class", i, ErrRange, "%s costs %v upfront and %v an hour: want none negative", c.Name, c.Upfront, c.Hourly)
		case c.Billed != pricing.Always && c.Hourly > 0:
			return badInput("Classes.Class", i, ErrUnsupported, "%s has a use price: want prepaid classes", c.Name)
		case c.Term < p.Slot || c.Term%p.Slot != 0:
			return badInput("Classes.Class", i, ErrTerm, "%s has a term of %v: want a whole number of slots of %v", c.Name, c.Term, p.Slot)
		case int64(c.Term/p.Slot) > int64(math.MaxInt32/parts-n):
			return badInput("Classes.Class", i, ErrRange, "%s has a term of %v: want at most %d slots", c.Name, c.Term, math.MaxInt32/parts-n)
		}
	}
	return checkHeld("HeldReservations", p.HeldReservations, len(p.Classes))
}

// checkHeld returns what is wrong with what is held of so many classes or offers.
func checkHeld(field string, held []pricing.Holding, classes int) error {
	for i, h := range held {
		switch {
		case h.Class < 0 || h.Class >= classes:
			return badInput(field, i, ErrRange, "class %d: there are %d", h.Class, classes)
		case h.Count < 0 || h.Count > math.MaxInt32 || h.Until < 0:
			return badInput(field, i, ErrRange, "%d for %d slots: want none negative, and at most %d", h.Count, h.Until, math.MaxInt32)
		}
	}
	return nil
}

// charged returns the slots for which a purchase of so long a term, made at slot t, is paid for, with
// n slots of demand.
func (p *Problem) charged(n, term, t int) int {
	if p.Horizon == reserve.Pure {
		return min(term, n-t)
	}
	return term
}

// sold reports whether one may buy at slot t.
func (p *Problem) sold(t int) bool {
	return t%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[t])
}

// withoutHeld returns p with the held reservations taken off the demands of n slots: p
// itself where there are none.
func (p *Problem) withoutHeld(n int) *Problem {
	if len(p.HeldReservations) == 0 {
		return p
	}
	q := *p
	q.HeldReservations = nil
	q.Types = append([]Type(nil), p.Types...)
	change := make([]int64, n+1)
	for i := range q.Types {
		clear(change)
		for _, h := range p.HeldReservations {
			if p.Classes[h.Class].Type == i {
				change[min(n, h.Until)] += int64(h.Count)
			}
		}
		left, active := make([]int, n), int64(0)
		for t := n - 1; t >= 0; t-- {
			active += change[t+1]
			left[t] = int(max(0, int64(p.Types[i].Demand[t])-active))
		}
		q.Types[i].Demand = left
	}
	return &q
}

// heldMoney sets dst to the money an hour that is committed before slot 0, by slot, and reports whether
// that fits.
func (p *Problem) heldMoney(dst []int64, n int) ([]int64, bool) {
	dst = grow.Zero(dst, n)
	fits := true
	for _, h := range p.Held {
		m, ok := wide.Mul(int64(h.Count), int64(p.unitOf()))
		for t := range min(n, h.Until) {
			var fit bool
			dst[t], fit = wide.Add(dst[t], m)
			fits = fits && ok && fit
		}
	}
	return dst, fits
}
