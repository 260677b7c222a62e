package advice

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A Request is what a buyer knows today about one kind of instance.
type Request struct {
	Kind     string // what is bought, for the words: "m5 in eu-west-1, linux"
	Unit     string // what one unit of demand is, in the singular; "" is "instance"
	Currency string // of all amounts, such as "USD"; "" prints amounts without one

	Now  time.Time     // when the order is placed; the first slot of the demand begins then
	Slot time.Duration // length of a slot: an instance that is used in a slot is paid for the whole slot

	// Paths are the futures of the demand: Paths[i][t] units in slot t on path i, all of
	// one length. One path is a forecast without doubt. Weights are the probabilities
	// of the paths and sum to 1; nil: all are equally likely.
	Paths   [][]int
	Weights []float64

	OnDemand pricing.Money // price of a unit without a contract, per hour, > 0
	Offers   []Offer       // every class that is for sale or held
	Held     []Contract    // contracts that serve now

	// Every is how often an order can be placed: the answer says what waiting for so long
	// costs. 0 is a week, or a slot if a week is not a whole number of slots.
	Every time.Duration
	// Horizon says what a contract that outlives the paths counts. The zero value of
	// Request counts the share of its cost until the paths end ([reserve.Pure]): the
	// need goes on. FullHorizon counts all of the cost: the need ends with the paths.
	FullHorizon bool
	// Low and High are the quantiles of the demand for which the answer says what would
	// be bought instead; 0 are .1 and .9.
	Low, High float64
}

// An Offer is a class and whether, and how much of it, can be bought.
type Offer struct {
	pricing.Class
	Withdrawn bool // no longer for sale; contracts of the class may still be held
	AtMost    int  // units that can be ordered at one time; 0 is no limit
}

// A Contract is units of a class that serve until a date.
type Contract struct {
	Name    string // the buyer's own, such as the cloud's identifier; may be empty
	Class   string // the name of one of Request.Offers
	Units   int
	Expires time.Time // the first instant at which the contract serves no longer
}

// maxCells bounds paths times slots, and so memory.
const maxCells = 1 << 28

// validate returns the first thing that is wrong with r, and fills in defaults.
func (r *Request) validate() error {
	if r.Unit == "" {
		r.Unit = "instance"
	}
	if r.Low == 0 {
		r.Low = .1
	}
	if r.High == 0 {
		r.High = .9
	}
	switch {
	case r.Now.IsZero():
		return badInput("Now", -1, ErrMissing, "no date: want the day of the order")
	case r.Slot <= 0:
		return badInput("Slot", -1, ErrRange, "%v: want a positive length", r.Slot)
	case r.OnDemand <= 0:
		return badInput("OnDemand", -1, ErrRange, "%v: want a price above 0, or every contract is dear", r.OnDemand)
	case len(r.Paths) == 0 || len(r.Paths[0]) == 0:
		return badInput("Paths", -1, ErrMissing, "no demand: want at least one path of one slot")
	case len(r.Paths) > maxCells/len(r.Paths[0]):
		return badInput("Paths", -1, ErrRange, "%d paths of %d slots: want %d numbers at most", len(r.Paths), len(r.Paths[0]), maxCells)
	case r.Every < 0:
		return badInput("Every", -1, ErrRange, "%v: want a positive time, or 0 for a week", r.Every)
	case !(r.Low >= 0 && r.Low < r.High && r.High <= 1):
		return badInput("Low", -1, ErrRange, "quantiles %v and %v: want 0 ≤ Low < High ≤ 1", r.Low, r.High)
	}
	if r.Every == 0 {
		r.Every = r.Slot
		if week := 7 * 24 * time.Hour; week%r.Slot == 0 {
			r.Every = week
		}
	}
	if r.Every%r.Slot != 0 {
		return badInput("Every", -1, ErrRange, "%v: want a whole number of slots of %v", r.Every, r.Slot)
	}
	if err := r.validatePaths(); err != nil {
		return err
	}
	return r.validateOffers()
}

// validatePaths returns what is wrong with the paths and their weights.
func (r *Request) validatePaths() error {
	n := len(r.Paths[0])
	for i, path := range r.Paths {
		if len(path) != n {
			return badInput("Paths", i, ErrRange, "%d slots where path 0 has %d: want paths of one length", len(path), n)
		}
		for t, d := range path {
			if d < 0 || d > math.MaxInt32 {
				return badInput("Paths", i, ErrRange, "%d %ss in slot %d: want 0 to %d", d, r.Unit, t, math.MaxInt32)
			}
		}
	}
	if r.Weights != nil && len(r.Weights) != len(r.Paths) {
		return badInput("Weights", -1, ErrRange, "%d weights for %d paths: want one for each, or none", len(r.Weights), len(r.Paths))
	}
	return nil
}

// validateOffers returns what is wrong with the offers and the contracts.
func (r *Request) validateOffers() error {
	seen := map[string]bool{}
	for i, o := range r.Offers {
		if err := o.Class.Validate(); err != nil {
			return badInput("Offers", i, ErrRange, "%w", err)
		}
		switch {
		case seen[o.Name]:
			return badInput("Offers", i, ErrDuplicate, "a second class %q: want each name once", o.Name)
		case o.AtMost < 0:
			return badInput("Offers[].AtMost", i, ErrRange, "%d: want a number of units, or 0 for no limit", o.AtMost)
		case o.Term < r.Slot:
			return badInput("Offers[].Term", i, ErrRange, "%v is shorter than a slot of %v: want shorter slots", o.Term, r.Slot)
		}
		seen[o.Name] = true
	}
	for i, c := range r.Held {
		switch {
		case !seen[c.Class]:
			return badInput("Held[].Class", i, ErrUnknown, "%q: want one of the offers (%s); give a class that is no longer sold as a withdrawn offer", c.Class, r.names())
		case c.Units <= 0:
			return badInput("Held[].Units", i, ErrRange, "%d: want 1 or more", c.Units)
		case !c.Expires.After(r.Now):
			return badInput("Held[].Expires", i, ErrExpired, "%s, and the order is placed on %s: want contracts that serve now", day(c.Expires), day(r.Now))
		}
	}
	return nil
}

// names lists the classes for an error.
func (r *Request) names() string {
	s := ""
	for i, o := range r.Offers {
		if i > 0 {
			s += ", "
		}
		s += o.Name
	}
	if s == "" {
		return "there are none"
	}
	return s
}

// problem is the request as package reserve plans for it, and the classes whose
// terms had to be cut to whole slots.
func (r *Request) problem() (*reserve.Problem, []string, error) {
	p := &reserve.Problem{Slot: r.Slot, Paths: r.Paths, Weights: r.Weights, Every: int(r.Every / r.Slot), Horizon: reserve.Pure,
		Prices: pricing.List{OnDemand: r.OnDemand}}
	if r.FullHorizon {
		p.Horizon = reserve.Full
	}
	var cut []string
	for _, o := range r.Offers {
		if o.Term%r.Slot != 0 {
			cut = append(cut, o.Name)
		}
		p.Prices.Classes = append(p.Prices.Classes, o.Class)
		most := reserve.NoCap
		switch {
		case o.Withdrawn:
			most = 0
		case o.AtMost > 0:
			most = o.AtMost
		}
		p.AtMost = append(p.AtMost, most)
	}
	var err error
	if p.Prices, err = reserve.WholeTerms(p.Prices, r.Slot); err != nil {
		return nil, nil, err
	}
	for _, c := range r.Held {
		class, _ := p.Prices.Find(c.Class)
		until := int64(c.Expires.Sub(r.Now) / r.Slot)
		p.Held = append(p.Held, pricing.Holding{Class: class, Count: c.Units, Until: int(min(until, math.MaxInt32/2))})
	}
	return p, cut, nil
}
