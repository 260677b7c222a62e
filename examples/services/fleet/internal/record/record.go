package record

import (
	"cmp"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Key names what is planned as one: the use of one account, in one region, of one kind
// or of one family of sizes. Kind begins with the provider, such as "aws m5 family linux
// shared" or "aws m5.large linux shared".
type Key struct {
	Account, Region, Kind string
}

// Compare orders keys by account, region and kind.
func (k Key) Compare(l Key) int {
	return cmp.Or(cmp.Compare(k.Account, l.Account), cmp.Compare(k.Region, l.Region), cmp.Compare(k.Kind, l.Kind))
}

// String returns the parts with a comma between them, "all" for the zero Key.
func (k Key) String() string {
	s := k.Account
	for _, part := range []string{k.Region, k.Kind} {
		if part != "" {
			if s != "" {
				s += ", "
			}
			s += part
		}
	}
	return cmp.Or(s, "all")
}

// A Group is the demand of one Key with all that a plan of it needs: prices are those of
// one unit, so that a worker needs nothing else.
type Group struct {
	Key
	Currency string
	Unit     string    // what one unit of Demand is, such as "m5.large"
	Start    time.Time // the first hour of Demand, in UTC
	Demand   []int     // units by hour, each ≥ 0
	// Paths are futures of the demand, equally likely and as long as it, if the group is
	// planned over them. Demand is then the forecast of which they are paths.
	Paths [][]int

	List pricing.List // price on demand and classes of a unit
	// Savings is the rate of a unit-hour out of the commitment of the savings plan; 0
	// where the plan does not cover the kind.
	Savings pricing.Money
	Held    []Contract
}

// A Contract is units of the group that serve without further cost until a time: a
// reservation that is held.
type Contract struct {
	ID    string
	Units int
	Until time.Time // the first instant at which the contract serves no longer
}

// An Order is a purchase: units of one class at one hour. Upfront and Hourly are the
// prices of one unit.
type Order struct {
	Class           string
	Units           int
	Start           time.Time
	Term            time.Duration
	Upfront, Hourly pricing.Money
}

// A Plan is what the planner of a group answers. No plan of the group costs less than
// Bound.
type Plan struct {
	Key
	Currency string
	Hours    int64 // of the demand
	Cost     pricing.Money
	Bound    pricing.Money
	Orders   []Order
}

// A Failure is something that could not be read or planned. Parts of Key that are not
// known are empty; Line 0 is no line.
type Failure struct {
	Key
	File   string
	Line   int
	Reason string // one sentence: what is there, and what would be right
}

// Compare orders failures by key, file, line and reason.
func (f *Failure) Compare(g *Failure) int {
	return cmp.Or(f.Key.Compare(g.Key), cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.Reason, g.Reason))
}

// Totals are sums over plans and failures. What plans cost is in the joint plan of the fleet.
type Totals struct {
	Curves, Hours, Orders, Units, Failures int64
}

// Add counts a plan. That of no account, the savings plan, is no curve.
func (t *Totals) Add(p *Plan) {
	if p.Key != (Key{}) {
		t.Curves++
		t.Hours += p.Hours
	}
	t.Orders += int64(len(p.Orders))
	for i := range p.Orders {
		t.Units += int64(p.Orders[i].Units)
	}
}

// Merge adds u to t.
func (t *Totals) Merge(u *Totals) {
	t.Curves += u.Curves
	t.Hours += u.Hours
	t.Orders += u.Orders
	t.Units += u.Units
	t.Failures += u.Failures
}

// Tag implements [Record].
func (*Group) Tag() byte { return 'G' }

// Tag implements [Record].
func (*Plan) Tag() byte { return 'P' }

// Tag implements [Record].
func (*Failure) Tag() byte { return 'F' }

// Tag implements [Record].
func (*Totals) Tag() byte { return 'T' }
