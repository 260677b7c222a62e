// Package marginal computes what one more instance of each kind costs in the coming hours,
// given the commitments that are paid for already, and publishes the prices.
//
//	m, err := marginal.ReadKinds(file)        // kinds: list prices, families, rates of plans
//	held, err := marginal.ReadHeld(file)      // commitments: reservations, savings plans
//	book, notes := m.Book(held, region)
//	quotes, err := book.Quotes(demand, now, marginal.Options{})
//	quotes[i].Price, quotes[i].Room, quotes[i].Why
//
// # The price
//
// Commitments cost the same whether they are used or not. bill(n) is the cost of the
// instances n on top of the commitments. The price of a kind is the rise of the bill, per
// hour, if one more instance of the kind runs through the coming hours. A price is 0 if an
// unused commitment pays for the instance, and the price on demand if nothing does. A price
// lies between the two if a commitment pays for a part of the instance, or for some of the
// hours, or for this kind and no longer for another.
//
// # How a cloud applies commitments
//
// In each hour reservations serve first, in a family the smallest size first. What is left
// is paid for by savings plans, the plan for the fewest kinds first; a plan pays for the
// kind with the greatest saving first, and for a part of an hour at the end. The rest runs
// on demand. That is the published order of AWS. Arithmetic is in fractions of integers;
// a price is rounded once, half to even, to a nano.
package marginal

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A Kind is a type of instance with what it costs.
type Kind struct {
	Type   string `json:"type"`             // as the label node.kubernetes.io/instance-type has it
	System string `json:"system,omitempty"` // operating system, as kubernetes.io/os has it; "" is linux
	// Family is the family of which a reservation serves all sizes, and Units the size in
	// it. Without a family a reservation serves its type alone.
	Family   string                   `json:"family,omitempty"`
	Units    int                      `json:"units,omitempty"`
	OnDemand pricing.Money            `json:"on_demand"`         // per hour
	Spot     pricing.Money            `json:"spot,omitempty"`    // per hour; 0 is not known
	Plans    map[string]pricing.Money `json:"plans,omitempty"`   // rates per hour, by the name of the savings plan
	Classes  []Class                  `json:"classes,omitempty"` // reservations for sale, for Options.Plan
}

// A Class is a reservation for sale.
type Class struct {
	Name    string        `json:"name"`
	Term    string        `json:"term"`
	Upfront pricing.Money `json:"upfront"`
	Hourly  pricing.Money `json:"hourly"`
	term    time.Duration
}

// A Held is a commitment: of Units instances of a Type, or of Hourly money under a Plan.
type Held struct {
	ID      string        `json:"id"`
	Region  string        `json:"region,omitempty"`
	Type    string        `json:"type,omitempty"`
	System  string        `json:"system,omitempty"`
	Units   int           `json:"units,omitempty"`
	Plan    string        `json:"plan,omitempty"`
	Hourly  pricing.Money `json:"hourly,omitempty"`
	Expires string        `json:"expires"`
	expires time.Time
}

// A Market is the kinds on offer.
type Market struct {
	Kinds []Kind
	index map[string]int // by type and system
	pools []pool
	pool  []int // of each kind
	plans []plan
}

// A pool is the kinds that a reservation of any of them serves.
type pool struct {
	name  string
	kinds []int // the smallest first
}

// A plan is a kind of savings plan.
type plan struct {
	name  string
	rates []pricing.Money // by kind; 0 where the plan does not pay
	order []int           // kinds, the greatest saving first
}

const (
	maxFile  = 16 << 20
	maxUnits = 1 << 20
	linux    = "linux"
)

// decode reads one JSON value, the whole of the text.
func decode(in io.Reader, v any, want string) error {
	dec := json.NewDecoder(io.LimitReader(in, maxFile))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return fmt.Errorf("%s: want %s", strings.TrimPrefix(err.Error(), "json: "), want)
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is text after the array: want one array")
	}
	return nil
}

// Largest returns, of the types that are among the kinds, the largest of each family and
// each without a family: what one instance of an unknown one of the types takes at most of
// each commitment. Equally large ones count as the first.
func (m *Market) Largest(types []string, system string) (kinds []int) {
	for _, t := range types {
		k, ok := m.Find(t, system)
		if !ok {
			continue
		}
		at := slices.IndexFunc(kinds, func(other int) bool { return m.pool[other] == m.pool[k] })
		if at < 0 {
			kinds = append(kinds, k)
		} else if m.Kinds[k].Units > m.Kinds[kinds[at]].Units {
			kinds[at] = k
		}
	}
	return kinds
}

// ReadKinds reads the kinds on offer: a JSON array of objects as [Kind] has them.
func ReadKinds(in io.Reader) (*Market, error) {
	var kinds []Kind
	if err := decode(in, &kinds, "an array of objects with type, on_demand and, where there are any, system, family, units, plans and classes"); err != nil {
		return nil, err
	}
	return NewMarket(kinds)
}

// NewMarket checks the kinds.
func NewMarket(kinds []Kind) (*Market, error) {
	m := &Market{Kinds: kinds, index: map[string]int{}, pool: make([]int, len(kinds))}
	pools := map[string]int{}
	plans := map[string]int{}
	if len(kinds) == 0 {
		return nil, errors.New("there are no kinds: want at least one")
	}
	for i := range kinds {
		k := &kinds[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("kind %d (%s): %s", i, k.Type, fmt.Sprintf(format, args...))
		}
		k.System = cmp.Or(k.System, linux)
		if k.Family == "" && k.Units == 0 {
			k.Units = 1
		}
		switch {
		case k.Type == "":
			return nil, bad("no type: want one such as m5.large")
		case k.OnDemand <= 0:
			return nil, bad("on_demand %v: want a price above 0", k.OnDemand)
		case k.Spot < 0:
			return nil, bad("spot %v: want a price above 0, or none", k.Spot)
		case k.Units < 1 || k.Units > maxUnits:
			return nil, bad("units %d: want the size in the family, 1 to %d", k.Units, maxUnits)
		}
		if _, ok := m.index[key(k.Type, k.System)]; ok {
			return nil, bad("a second kind with this type and system %s: want each once", k.System)
		}
		m.index[key(k.Type, k.System)] = i
		name := "family " + k.Family + " " + k.System
		if k.Family == "" {
			name = "type " + k.Type + " " + k.System
		}
		at, ok := pools[name]
		if !ok {
			at = len(m.pools)
			pools[name] = at
			m.pools = append(m.pools, pool{name: name})
		}
		m.pool[i] = at
		m.pools[at].kinds = append(m.pools[at].kinds, i)
		for name, rate := range k.Plans {
			if rate <= 0 {
				return nil, bad("the rate of plan %s is %v: want a price above 0, or no such plan", name, rate)
			}
			if _, ok := plans[name]; !ok {
				plans[name] = 0
				m.plans = append(m.plans, plan{name: name, rates: make([]pricing.Money, len(kinds))})
			}
		}
		for j := range k.Classes {
			c := &k.Classes[j]
			var err error
			if c.term, err = time.ParseDuration(c.Term); err != nil || c.term < time.Hour || c.term%time.Hour != 0 {
				return nil, bad("class %s: term %q: want whole hours such as 8760h", c.Name, c.Term)
			}
			if err := c.class().Validate(); err != nil {
				return nil, bad("class %d: %v", j, err)
			}
		}
	}
	for i := range m.pools {
		list := m.pools[i].kinds
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(kinds[a].Units, kinds[b].Units) })
	}
	for i := range m.plans {
		p := &m.plans[i]
		for k := range kinds {
			// A plan does not pay for what it does not make cheaper.
			if rate := kinds[k].Plans[p.name]; rate > 0 && rate < kinds[k].OnDemand {
				p.rates[k] = rate
				p.order = append(p.order, k)
			}
		}
		slices.SortStableFunc(p.order, func(a, b int) int {
			return cmp.Or(ratio(kinds[b].OnDemand, p.rates[b]).Cmp(ratio(kinds[a].OnDemand, p.rates[a])), cmp.Compare(p.rates[a], p.rates[b]))
		})
	}
	slices.SortFunc(m.plans, func(a, b plan) int {
		return cmp.Or(cmp.Compare(len(a.order), len(b.order)), strings.Compare(a.name, b.name))
	})
	return m, nil
}

func key(kind, system string) string { return system + " " + kind }

func (c *Class) class() pricing.Class {
	return pricing.Class{Name: c.Name, Term: c.term, Upfront: c.Upfront, Hourly: c.Hourly, Billed: pricing.Always}
}

// Find returns the index of a kind; the system "" is linux.
func (m *Market) Find(kind, system string) (int, bool) {
	i, ok := m.index[key(kind, cmp.Or(system, linux))]
	return i, ok
}

// ReadHeld reads commitments: a JSON array of objects as [Held] has them. A file that
// examples/tools/advise reads with -held is such a file.
func ReadHeld(in io.Reader) ([]Held, error) {
	var list []Held
	if err := decode(in, &list, "an array of objects with id, expires, and type and units, or plan and hourly"); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for i := range list {
		h := &list[i]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("commitment %d (%s): %s", i, h.ID, fmt.Sprintf(format, args...))
		}
		var err error
		if h.expires, err = time.Parse(time.DateOnly, h.Expires); err != nil {
			h.expires, err = time.Parse(time.RFC3339, h.Expires)
		}
		switch {
		case h.ID == "":
			return nil, bad("no id: want a name")
		case ids[h.ID]:
			return nil, bad("a second commitment with this id: want each once, or it counts twice")
		case err != nil:
			return nil, bad("expires %q: want a day such as 2027-03-01, or a time such as 2027-03-01T12:00:00Z", h.Expires)
		case (h.Type == "") == (h.Plan == ""):
			return nil, bad("type %q and plan %q: want one of the two", h.Type, h.Plan)
		case h.Type != "" && (h.Units < 1 || h.Units > math.MaxInt32 || h.Hourly != 0):
			return nil, bad("%d units and %v an hour: want 1 to %d units and no money", h.Units, h.Hourly, math.MaxInt32)
		case h.Plan != "" && (h.Hourly <= 0 || h.Units != 0):
			return nil, bad("%v an hour and %d units: want money above 0 and no units", h.Hourly, h.Units)
		}
		ids[h.ID] = true
	}
	return list, nil
}

// Expired reports whether the commitment has ended at t.
func (h *Held) Expired(t time.Time) bool { return !h.expires.After(t) }

// A Book is a market with the commitments that serve in it.
type Book struct {
	*Market
	reserved []entry // in units of a pool
	funded   []entry // in nanos an hour of a plan
}

// An entry is a commitment of a Book.
type entry struct {
	id     string
	at     int // pool or plan
	amount int64
	until  time.Time
}

// Book enters the commitments of a region; an empty region is that of all commitments. The
// notes say which commitments serve nothing, and why.
func (m *Market) Book(held []Held, region string) (*Book, []string) {
	b := &Book{Market: m}
	var notes []string
	for _, h := range held {
		note := func(format string, args ...any) {
			notes = append(notes, h.ID+": "+fmt.Sprintf(format, args...))
		}
		if region != "" && h.Region != "" && !strings.EqualFold(region, h.Region) {
			note("the commitment is for %s and the cluster is in %s: the commitment does not count", h.Region, region)
			continue
		}
		if h.Plan != "" {
			at := slices.IndexFunc(m.plans, func(p plan) bool { return p.name == h.Plan })
			if at < 0 || len(m.plans[at].order) == 0 {
				note("no kind has a rate below its price on demand for plan %s: the commitment does not count", h.Plan)
				continue
			}
			b.funded = append(b.funded, entry{h.ID, at, int64(h.Hourly), h.expires})
			continue
		}
		k, ok := m.Find(h.Type, h.System)
		if !ok {
			note("%s (%s) is not among the kinds: the reservation does not count", h.Type, cmp.Or(h.System, linux))
			continue
		}
		b.reserved = append(b.reserved, entry{h.ID, m.pool[k], int64(h.Units) * int64(m.Kinds[k].Units), h.expires})
	}
	return b, notes
}
