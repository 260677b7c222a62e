package marginal

import (
	"cmp"
	"fmt"
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
	OnDemand pricing.Money            `json:"on_demand"`       // per hour
	Spot     pricing.Money            `json:"spot,omitempty"`  // per hour; 0 is not known
	Plans    map[string]pricing.Money `json:"plans,omitempty"` // rates per hour, by the name of the savings plan
	Classes  []pricing.Class          `json:"-"`               // reservations for sale, billed always, for Options.Plan
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
	Expires time.Time     `json:"-"`
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
	maxUnits = 1 << 20
	linux    = "linux"
)

// Largest returns the kinds of the given types that could take most of a commitment: the largest of each
// family, the first of equals, and each kind without a family. An instance of one of the types, whichever
// it is, takes at most as much. Types that are not among the kinds do not count.
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

// NewMarket checks the kinds.
func NewMarket(kinds []Kind) (*Market, error) {
	m := &Market{Kinds: kinds, index: map[string]int{}, pool: make([]int, len(kinds))}
	pools := map[string]int{}
	plans := map[string]int{}
	if len(kinds) == 0 {
		return nil, badInput("Kinds", -1, "none: want at least one")
	}
	for i := range kinds {
		k := &kinds[i]
		bad := func(format string, args ...any) error {
			return badInput("Kinds", i, "%s: %w", k.Type, fmt.Errorf(format, args...))
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
		for j, c := range k.Classes {
			if err := c.Validate(); err != nil {
				return nil, bad("class %d: %w", j, err)
			}
			if c.Term%time.Hour != 0 || c.Billed != pricing.Always {
				return nil, bad("class %s: term %v, billed %v: want whole hours such as 8760h, and always", c.Name, c.Term, c.Billed)
			}
		}
	}
	m.sort()
	return m, nil
}

// sort puts the kinds of pools and plans, and the plans, into the order in which they are
// served.
func (m *Market) sort() {
	kinds := m.Kinds
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
}

func key(kind, system string) string { return system + " " + kind }

// Find returns the index of a kind; the system "" is linux.
func (m *Market) Find(kind, system string) (int, bool) {
	i, ok := m.index[key(kind, cmp.Or(system, linux))]
	return i, ok
}

// Expired reports whether the commitment has ended at t.
func (h *Held) Expired(t time.Time) bool { return !h.Expires.After(t) }

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
			b.funded = append(b.funded, entry{h.ID, at, int64(h.Hourly), h.Expires})
			continue
		}
		k, ok := m.Find(h.Type, h.System)
		if !ok {
			note("%s (%s) is not among the kinds: the reservation does not count", h.Type, cmp.Or(h.System, linux))
			continue
		}
		b.reserved = append(b.reserved, entry{h.ID, m.pool[k], int64(h.Units) * int64(m.Kinds[k].Units), h.Expires})
	}
	return b, notes
}
