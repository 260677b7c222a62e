package reserve

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A Problem is the input of a planner: a demand, the prices, and the rules for
// purchases.
type Problem struct {
	// Demand is the number of instances needed in each slot, and Slot the length of a
	// slot. An instance that is used in a slot pays for the whole slot.
	Demand []int
	Slot   time.Duration
	// Paths are the possible futures of a demand that is not known: Paths[i][t] is the
	// number of instances needed in slot t on path i. Purchases are decided before any
	// path is seen, and amounts are means over the paths. Weights are the probabilities
	// of the paths and sum to 1; nil means that all paths are equally likely.
	Paths   [][]int
	Weights []float64
	// Chances is the distribution of the demand in each slot; the probabilities of a slot
	// sum to 1. A problem has one of Demand, Paths and Chances. [Exact], [Verify] and
	// [Cost] take all three; other algorithms want Demand.
	Chances [][]Chance
	// Tree is a demand that shows step by step, with a purchase decided in each node: see [Node]. The
	// Slot of a purchase is then the index of the node. A problem has one of Demand, Paths, Chances and
	// Tree. [Exact], [Verify] and [Cost] take a tree.
	Tree []Node
	// Prices has the price on demand and the classes of reservations. The term of each
	// class must be a whole number of slots: with terms of 365 days, use slots of a day or
	// an hour, and not of a week.
	Prices pricing.List

	// Every is the number of slots between two possible purchases: purchases are possible
	// at slots 0, Every, 2·Every, and so on. 0 is every slot, and 168 is weekly for slots of
	// an hour. [Once] is slot 0 alone, for a decision of today that counts on no later
	// purchase.
	Every int
	// Closed, if not nil, has a true for each slot without purchases.
	Closed []bool
	// MaxBuy caps the reservations of one class bought at one slot. MaxActive caps the
	// reservations of all classes active in one slot, held reservations included. 0 is no
	// cap.
	MaxBuy    int
	MaxActive int
	// AtMost, if not nil, caps for each class the reservations bought at one slot. 0 is a
	// class that is not for sale, whose reservations may still be held. NoCap is a class
	// that MaxBuy alone caps.
	AtMost []int
	// Held is the inventory: reservations bought before slot 0. Their fees are spent and
	// do not count.
	Held []pricing.Holding

	// Horizon says what a term that outlives the demand costs.
	Horizon Horizon
}

// A Horizon says how the cost counts a reservation that outlives the demand. As text a Horizon is
// "full" or "pure".
//
// Use Full if no instances are needed after the end of the demand, or if nothing is known of the
// time after it. A purchase near the end is then worth its price only if it saves its whole fee
// before the end. Use Pure if instances are needed after the end, too. The cost then counts only
// the part of the fee for the part of the term before the end.
//
// Use Pure to decide from a forecast what to buy today. With Full, long terms seem too expensive
// if the forecast is no longer than these terms.
type Horizon uint8

const (
	// Full counts all that is spent, and gives the rest of a term no value
	// (the total cost of [Niu16]).
	Full Horizon = iota
	// Pure deducts the unused part of a term, prorated, and the hours after
	// the horizon (the pure cost of [Niu16] section 5.1.3).
	Pure
)

var horizons = enum.New[Horizon]("reserve", "Horizon", ErrRange, "full", "pure")

// String returns "full" or "pure", or Horizon(7) for an unknown value 7.
func (h Horizon) String() string { return horizons.String(h) }

// MarshalText returns the name of h. The error is for an unknown value.
func (h Horizon) MarshalText() ([]byte, error) { return horizons.MarshalText(h) }

// UnmarshalText sets h to the value of the name "full" or "pure".
func (h *Horizon) UnmarshalText(text []byte) error { return horizons.UnmarshalText(h, text) }

const (
	// NoCap in Problem.AtMost is a class of which any number can be bought.
	NoCap = -1
	// Once, as Problem.Every, allows purchases at slot 0 alone.
	Once = math.MaxInt32
)

// sold reports whether class k is for sale.
func (p *Problem) sold(k int) bool { return p.AtMost == nil || p.AtMost[k] != 0 }

// most returns how many reservations of class k can be bought at a slot, 0 where there
// is no cap, and whether the class is for sale.
func (p *Problem) most(k int) (limit int, sold bool) {
	limit = p.MaxBuy
	if p.AtMost != nil && p.AtMost[k] >= 0 {
		if p.AtMost[k] == 0 {
			return 0, false
		}
		if limit == 0 || p.AtMost[k] < limit {
			limit = p.AtMost[k]
		}
	}
	return limit, true
}

// A market is a Problem in integers. Costs are in units of 1/scale
// nano-currency units, all divided by common, so that they are whole and as
// small as can be.
type market struct {
	tally   tally
	tree    scenario
	price   int64 // of an instance-slot on demand, of one part of its weight
	classes []class
	every   int
	scale   int64
	common  int64
	finest  int64 // of a demand that is not known: times so many parts, fees and values fit
}

// A class of a market; indices are those of the price list.
type class struct {
	term int   // slots
	fee  int64 // of a reservation, used or not, over the whole term
	use  int64 // of each slot used
	// With the Pure horizon a reservation that serves s slots of the demand
	// costs s·rate, and fee = term·rate; with Full, rate is 0.
	rate int64
}

// feeFor returns the fee of a reservation that has the given number of slots
// to the horizon.
func (c *class) feeFor(slots int) int64 {
	if c.rate != 0 && slots < c.term {
		return c.rate * int64(slots)
	}
	return c.fee
}

// Validate returns what is wrong with p, an [*InputError], or nil. The demand may be known or not.
func (p *Problem) Validate() error {
	var m market
	return m.loadAny(p)
}

// load checks p, whose demand must be known, and fills in m.
func (m *market) load(p *Problem) error {
	if p.uncertain() {
		if err := p.checkDemand(); err != nil {
			return err
		}
		field := "Paths"
		switch {
		case p.Tree != nil:
			field = "Tree"
		case p.Paths == nil:
			field = "Chances"
		}
		return badInput(field, -1, ErrUnsupported, "demand that is not known: want Demand alone, or Exact")
	}
	return m.loadAny(p)
}

// loadAny is load for a demand that is known or not. It fills in m.tally for one that is
// not.
func (m *market) loadAny(p *Problem) error {
	if p.Slot <= 0 {
		return badInput("Slot", -1, ErrRange, "%v: want a positive length", p.Slot)
	}
	if err := p.Prices.Validate(); err != nil {
		return &InputError{Package: "reserve", Field: "Prices", Index: -1, Err: err}
	}
	if p.Prices.OnDemand == 0 {
		return badInput("Prices.OnDemand", -1, ErrRange, "0: want the price of an instance on demand, above 0")
	}
	if err := p.checkDemand(); err != nil {
		return err
	}
	switch {
	case p.Every < 0:
		return badInput("Every", -1, ErrRange, "%d: want a number of slots, or 0 for every slot", p.Every)
	case p.Closed != nil && len(p.Closed) != p.slots():
		return badInput("Closed", -1, ErrRange, "%d slots: want one for each of the %d of Demand", len(p.Closed), p.slots())
	case p.MaxBuy < 0:
		return badInput("MaxBuy", -1, ErrRange, "%d: want a cap, or 0 for none", p.MaxBuy)
	case p.AtMost != nil && len(p.AtMost) != len(p.Prices.Classes):
		return badInput("AtMost", -1, ErrRange, "%d caps: want one for each of the %d classes, or none", len(p.AtMost), len(p.Prices.Classes))
	case p.MaxActive < 0:
		return badInput("MaxActive", -1, ErrRange, "%d: want a cap, or 0 for none", p.MaxActive)
	case p.Horizon > Pure:
		return badInput("Horizon", -1, ErrRange, "%d: want Full or Pure", p.Horizon)
	}
	for k, count := range p.AtMost {
		if count < NoCap {
			return badInput("AtMost", k, ErrRange, "%d: want a number of reservations, or NoCap", count)
		}
	}
	for i, h := range p.Held {
		if h.Class < 0 || h.Class >= len(p.Prices.Classes) {
			return badInput("Held", i, ErrRange, "class %d: the list has %d", h.Class, len(p.Prices.Classes))
		}
		if h.Count < 0 || h.Until < 0 || h.Count > math.MaxInt32 {
			return badInput("Held", i, ErrRange, "%d reservations for %d slots: want none negative", h.Count, h.Until)
		}
	}
	m.every = max(1, p.Every)
	if err := m.prices(p); err != nil {
		return err
	}
	m.tally.parts = 1
	switch {
	case p.Tree != nil:
		return m.loadTree(p)
	case !p.uncertain():
		return nil
	}
	// Fees and the values of a certificate are to fit, see maxValue.
	fine, dearest := int64(fineParts), m.scale
	for i := range m.classes {
		dearest = max(dearest, m.classes[i].fee)
	}
	values, ok := wide.Mul(m.price, int64(p.slots()+1)*int64(len(m.classes)))
	if !ok {
		values = math.MaxInt64
	}
	m.finest = (maxValue - 1) / max(dearest, values, 1)
	for fine > 1 && fine > m.finest {
		fine /= 10
	}
	if err := m.tally.load(p, fine); err != nil {
		return err
	}
	return m.weigh(m.tally.parts)
}

// weigh makes the unit finer by the weights of the demand: what runs on demand is counted
// by the weight, fees and rates count for all weights.
func (m *market) weigh(parts int64) error {
	fits := true
	times := func(x *int64) {
		v, ok := wide.Mul(*x, parts)
		*x, fits = v, fits && ok && v <= math.MaxInt64/4
	}
	for i := range m.classes {
		times(&m.classes[i].fee)
		times(&m.classes[i].rate)
	}
	times(&m.scale)
	if !fits {
		return badInput("Prices", -1, ErrOverflow, "fees do not fit in 64 bits %d-fold, the common denominator of the weights", parts)
	}
	return nil
}

// prices turns the price list into integers.
//
// A slot is num/den hours in lowest terms. A slot on demand costs OnDemand·num/den. The costs of a
// class depend on Billed. If it is [pricing.Always], the fee is Upfront plus Hourly·num/den for
// each slot of the term, and use is free. Otherwise the fee is Upfront, and a slot in use costs
// Hourly·num/den. With the Pure horizon, each slot of the term counts fee/(slots of the term).
//
// All these amounts are whole after multiplication by scale. With Full, scale is den. With Pure,
// scale is the least common multiple of den and all terms in slots. prices then divides all
// amounts by their greatest common divisor.
func (m *market) prices(p *Problem) error {
	g := wide.GCD(int64(p.Slot), int64(time.Hour))
	num, den := int64(p.Slot)/g, int64(time.Hour)/g
	scale := den
	m.classes = m.classes[:0]
	for i := range p.Prices.Classes {
		c := &p.Prices.Classes[i]
		if c.Term < p.Slot || c.Term%p.Slot != 0 {
			return badInput("Prices.Classes[].Term", i, ErrTerm, "%s has a term of %v: want a whole number of slots of %v, as WholeTerms makes", c.Name, c.Term, p.Slot)
		}
		slots := int64(c.Term / p.Slot)
		if limit := int64(math.MaxInt32 - p.slots()); slots > limit {
			return badInput("Prices.Classes[].Term", i, ErrRange, "%s has a term of %d slots: want at most %d", c.Name, slots, limit)
		}
		m.classes = append(m.classes, class{term: int(slots)})
		if p.Horizon == Pure {
			var ok bool
			if scale, ok = wide.Mul(scale/wide.GCD(scale, slots), slots); !ok {
				return badInput("Prices.Classes[].Term", i, ErrOverflow, "the terms have no common multiple in range")
			}
		}
	}
	m.scale = scale
	// First the common divisor, in 128 bits since the products may not fit.
	var over bool
	each := func(f func(x *int64, a, b int64)) {
		f(&m.price, int64(p.Prices.OnDemand), num*(scale/den))
		for i := range m.classes {
			c, k := &p.Prices.Classes[i], &m.classes[i]
			k.use, k.rate = 0, 0
			f(&k.fee, int64(c.Upfront), scale)
			if c.Billed == pricing.Always {
				f(&k.rate, int64(c.Hourly), num*(scale/den))
			} else {
				f(&k.use, int64(c.Hourly), num*(scale/den))
			}
		}
	}
	m.common = 0
	each(func(_ *int64, a, b int64) { m.common = gcd128(m.common, a, b) })
	if p.Horizon == Pure { // rates are fee/term: the divisor must leave them whole
		for i := range m.classes {
			c := &p.Prices.Classes[i]
			m.common = gcd128(m.common, int64(c.Upfront), scale/int64(m.classes[i].term))
		}
	}
	if m.common == 0 {
		m.common = 1
	}
	each(func(x *int64, a, b int64) {
		hi, lo := bits.Mul64(uint64(a), uint64(b))
		if hi >= uint64(m.common) {
			over = true
			return
		}
		q, _ := bits.Div64(hi, lo, uint64(m.common))
		if q > math.MaxInt64/4 {
			over = true
			return
		}
		*x = int64(q)
	})
	for i := range m.classes {
		k := &m.classes[i]
		hours, ok := wide.Mul(k.rate, int64(k.term))
		over = over || !ok
		fee, ok := wide.Add(k.fee, hours)
		over = over || !ok
		if p.Horizon == Pure && !over {
			k.rate += k.fee / int64(k.term)
		} else {
			k.rate = 0
		}
		k.fee = fee
	}
	if over {
		return badInput("Prices", -1, ErrOverflow, "prices per slot do not fit in 64 bits")
	}
	return nil
}

// refine makes the unit f times finer. It reports false if amounts do not fit.
func (m *market) refine(f int64) bool {
	if f < 1 {
		return false
	}
	all := true
	times := func(x *int64) {
		v, ok := wide.Mul(*x, f)
		*x, all = v, all && ok
	}
	times(&m.price)
	for i := range m.classes {
		c := &m.classes[i]
		times(&c.fee)
		times(&c.use)
		times(&c.rate)
	}
	times(&m.scale)
	return all
}

// usePrices appends the distinct use prices below the price on demand of the classes that
// are for sale or held, falling.
func usePrices(dst []int64, p *Problem, m *market) []int64 {
	dst = dst[:0]
	for k, c := range m.classes {
		if c.use < m.price && p.sold(k) {
			dst = append(dst, c.use)
		}
	}
	for _, h := range p.Held {
		if c := &m.classes[h.Class]; c.use < m.price && h.Count > 0 && h.Until > 0 {
			dst = append(dst, c.use)
		}
	}
	slices.Sort(dst)
	dst = slices.Compact(dst)
	slices.Reverse(dst)
	return dst
}

// dated reports whether what a purchase costs depends on the slot.
func (m *market) dated(p *Problem) bool { return m.every > 1 || p.Closed != nil || p.Horizon == Pure }

// closed reports whether there are no purchases at a slot.
func (m *market) closed(p *Problem, slot int) bool {
	return slot%m.every != 0 || p.Closed != nil && p.Closed[slot]
}
