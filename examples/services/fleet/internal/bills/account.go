package bills

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// An Input is the bills of a fleet. The workers read the files.
type Input struct {
	Files  []string `json:"files"`
	Prices []string `json:"prices"`
	Pricer Pricer   `json:"pricer"`
}

// A Pricer turns the bills of accounts into groups.
type Pricer struct {
	// From is the first hour of the bills, which have as many hours as the terms. An account
	// with use in other hours is a failure. The terms begin where these hours end.
	From  time.Time
	Model string // of package forecast; "" repeats the hours of the bills
	// Plan names the savings plan of the price list, such as "1y-compute-no-upfront", or one that
	// is bound to a family in a region, such as "1y-ec2-no-upfront/m5/us-east-1"; "" is none. Only
	// the use that its rates are for is paid by it: see [Pricer.Terms].
	Plan string
	// Until is when commitments end whose end the bills do not show. If it is zero, savings
	// plans last through the hours of the terms, and a kind that such a reservation serves is a
	// failure.
	Until time.Time
	// Seed is that of the paths, where the terms have some. Those of a group depend on it, on the
	// key of the group and on its use alone.
	Seed uint64

	lists  []*offers.Prices
	offers usage.Catalog
	rates  map[usage.Kind]pricing.Money // by usage.Kind.Plain
	bound  bool                         // the rates are those of one family in one region
}

// lists are the price lists that the process has read, by path.
var lists struct {
	sync.Mutex
	read map[string]*offers.Prices
}

// Load reads price lists, plain or gzip. A process reads each once.
func (p *Pricer) Load(paths []string) error {
	p.lists, p.offers, p.rates, p.bound = nil, usage.Catalog{}, map[usage.Kind]pricing.Money{}, false
	lists.Lock()
	defer lists.Unlock()
	for _, path := range paths {
		l := lists.read[path]
		if l == nil {
			var err error
			if l, err = infile.ReadUpTo(64<<30, "-prices", path, openOffers); err != nil {
				return err
			}
			if lists.read == nil {
				lists.read = map[string]*offers.Prices{}
			}
			lists.read[path] = l
		}
		p.lists = append(p.lists, l)
		p.offers.Add(l.Offers)
		for i := range l.Rates {
			if r := &l.Rates[i]; p.named(r) {
				p.rates[usage.Kind{Provider: r.Provider, Region: r.Region, Type: r.Kind, System: r.System, Tenancy: r.Tenancy}.Plain()] = r.Hourly
				p.bound = p.bound || binding(r) != ""
			}
		}
	}
	return nil
}

// named reports whether a rate is one of the savings plan that Plan names.
func (p *Pricer) named(r *offers.Rate) bool {
	name, bound, _ := strings.Cut(p.Plan, "/")
	return r.Plan == name && (bound == "" || strings.EqualFold(bound, binding(r)))
}

// binding returns the family and the region that a rate is bound to, "" for none.
func binding(r *offers.Rate) string {
	if r.Family == "" {
		return ""
	}
	return r.Family + "/" + r.Region
}

// Terms sets the term and the provider of the savings plan that Plan names, from the price
// lists that Load has read. The error is the user's mistake: there is no such plan, its rates
// are in another currency, or it is bound to a family in a region and the lists have several of
// the name.
func (p *Pricer) Terms(x *group.Terms) error {
	if p.Plan == "" {
		return nil
	}
	all, named := map[string]bool{}, map[string]bool{} // plans that would do, and those of the name
	var found *offers.Rate
	for _, l := range p.lists {
		for i := range l.Rates {
			r := &l.Rates[i]
			full := strings.TrimSuffix(r.Plan+"/"+binding(r), "/")
			if r.Currency == "" || r.Currency == x.Currency {
				all[full] = true
			}
			if !p.named(r) {
				continue
			}
			if r.Currency != "" && r.Currency != x.Currency {
				return cli.Mistakef("-plan %s: its rates are in %s, and the fleet is planned in %s: want a list with its rates in %s", p.Plan, r.Currency, x.Currency,
					x.Currency)
			}
			found, named[full] = r, true
		}
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { // first those that are bound to nothing
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	switch {
	case len(named) > 1:
		return cli.Mistakef("-plan %s: a savings plan of this name pays for one family in one region, and the price lists have %d: want one, such as %s",
			p.Plan, len(named), slices.Min(slices.Collect(maps.Keys(named))))
	case found == nil && len(names) == 0:
		return cli.Mistakef("-plan %s: no price list has a savings plan: want a list with the rates of one", p.Plan)
	case found == nil:
		return cli.Mistakef("-plan %s: no price list has a savings plan of this name: want %s", p.Plan, cli.Series(names[:min(len(names), 8)], "or"))
	}
	x.Term, x.Provider = found.Term, found.Provider
	return nil
}

// name returns how orders name what is reserved: a type or a family.
func name(k usage.Kind, reserved string) string {
	at := k.Plain()
	return strings.Join([]string{at.Provider, reserved, at.System, at.Tenancy}, " ")
}

// Account returns the groups of one account, in order, from what the files of a bill say of
// it, the savings plans that the account holds or uses, and what cannot be planned. The files may
// come in any order.
func (p *Pricer) Account(x *group.Terms, uses []record.Usage) (groups []record.Group, plans record.Inventory, failed []record.Failure) {
	slices.SortFunc(uses, func(a, b record.Usage) int { return cmp.Compare(a.File, b.File) })
	key := record.Key{Account: uses[0].Account}
	fail := func(format string, args ...any) {
		failed = append(failed, record.Failure{Key: key, Reason: fmt.Sprintf(format, args...)})
	}
	for i := range uses {
		u := &uses[i]
		switch {
		case i > 0 && u.Currency != uses[0].Currency:
			fail("the account is billed in %s (%s) and in %s (%s): want one currency", uses[0].Currency, uses[0].File, u.Currency, u.File)
			return nil, plans, failed
		case u.Currency != x.Currency:
			fail("the account is billed in %q (%s): want %s, the currency of the fleet", u.Currency, u.File, x.Currency)
			return nil, plans, failed
		}
	}
	if a, b, n := repeated(uses); n > 0 {
		failed = append(failed, record.Failure{Key: key, File: b, Reason: fmt.Sprintf("%d rows of the account are in %s, too: want each row once", n, a)})
		return nil, plans, failed
	}
	contracts := p.commitments(uses)
	spends, reason := p.savings(x, contracts)
	if reason != "" {
		fail("%s", reason)
		return nil, record.Inventory{}, failed
	}
	all, outside := merge(x, p.From, uses)
	if outside > 0 {
		fail("%d hours of use are before %s or %d hours later: want bills of the hours that are planned", outside, p.From.Format(time.RFC3339), x.Hours)
		return nil, record.Inventory{}, failed
	}
	families, why := usage.Families(all, &p.offers, x.Currency, func(i int, _ *offers.Offer) error {
		return p.misfit(x, spends, all[i].Kind.Plain())
	})
	for i, err := range why {
		k := all[i].Kind
		key = record.Key{Account: uses[0].Account, Region: k.Region, Kind: name(k, k.Type)}
		if err != nil && !errors.Is(err, usage.ErrNoUse) {
			fail("%v", err)
		}
	}
	planned := map[usage.Kind]bool{}
	for i := range families {
		f := &families[i]
		k := all[f.Demands[0]].Kind
		reserved := k.Type
		if len(f.Demands) > 1 {
			reserved = f.Offer.Family + " family"
		}
		key = record.Key{Account: uses[0].Account, Region: k.Region, Kind: name(k, reserved)}
		g, err := p.group(x, key, f, all, contracts)
		if err != nil {
			fail("%v", err)
			continue
		}
		groups = append(groups, g)
		for _, i := range f.Demands {
			planned[all[i].Kind.Plain()] = true
		}
	}
	slices.SortStableFunc(groups, func(a, b record.Group) int { return a.Key.Compare(b.Key) })
	return groups, p.inventory(x, spends, all, planned), failed
}

// Groups returns the groups of one account from the records of what the files say of it: a
// Usage or a Failure each, and its savings plans. An account with a failure in its records has
// neither. What could not be planned is sorted.
func (p *Pricer) Groups(x *group.Terms, records [][]byte) (groups []record.Group, plans record.Inventory, failed []record.Failure, err error) {
	uses, failed, err := split(records)
	if err == nil && len(failed) == 0 {
		groups, plans, failed = p.Account(x, uses)
	}
	slices.SortFunc(failed, func(a, b record.Failure) int { return a.Compare(&b) })
	return groups, plans, failed, err
}

// split reads records of usages and failures.
func split(records [][]byte) (uses []record.Usage, failed []record.Failure, err error) {
	for _, b := range records {
		if len(b) > 0 && b[0] == 'F' {
			failed = append(failed, record.Failure{})
			err = record.Read(b, &failed[len(failed)-1])
		} else {
			uses = append(uses, record.Usage{})
			err = record.Read(b, &uses[len(uses)-1])
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return uses, failed, nil
}

// merge adds up the files of an account by kind, in the order of their names. outside is how many
// hours with use are not among those of the terms.
func merge(x *group.Terms, from time.Time, uses []record.Usage) (all []usage.Demand, outside int) {
	index := map[usage.Kind]int{}
	for i := range uses {
		for j := range uses[i].Series {
			s := &uses[i].Series[j]
			n, ok := index[s.Kind.Plain()]
			if !ok {
				n = len(all)
				index[s.Kind.Plain()] = n
				all = append(all, usage.Demand{Kind: s.Kind, Slot: time.Hour, Start: from, Used: make([]usage.Amount, x.Hours), Covered: make([]usage.Amount, x.Hours)})
			}
			if s.Kind.String() < all[n].Kind.String() { // one spelling, whatever the order of the files
				all[n].Kind = s.Kind
			}
			first := int(s.Start.Sub(from) / time.Hour)
			for t, a := range s.Hours {
				switch t += first; {
				case a == usage.Amount{}:
				case t < 0 || t >= x.Hours:
					outside++
				default:
					all[n].Used[t] = all[n].Used[t].Plus(a)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b usage.Demand) int { return cmp.Compare(a.Kind.String(), b.Kind.String()) })
	return all, outside
}

// group returns the group of a family, in units of its smallest kind.
func (p *Pricer) group(x *group.Terms, key record.Key, f *usage.Family, all []usage.Demand, contracts []*commitment) (record.Group, error) {
	demand, err := f.Demand(all)
	g := record.Group{Key: key, Currency: x.Currency, Unit: demand.Kind.Type, Start: x.Start, List: f.Offer.List, Savings: p.rates[demand.Kind.Plain()]}
	if err != nil {
		return g, fmt.Errorf("%s: %v", group.Overflow, err.(*pricing.InputError).Err)
	}
	used := make([]usage.Amount, x.Hours)
	copy(used[demand.Start.Sub(p.From)/time.Hour:], demand.Used)
	factors := map[usage.Kind]int{}
	for k, i := range f.Demands {
		factors[all[i].Kind.Plain()] = f.Units[k]
	}
	if g.Held, err = held(x, p.From, used, factors, contracts); err != nil {
		return g, err
	}
	begin := usage.Units(int64(hash(0, []byte(key.String()))>>44)).Scale(1, 1<<20)
	if p.Model != "" {
		return g, p.predict(x, &g, used, begin)
	}
	g.Demand = whole(used, begin)
	return g, nil
}

// whole returns use in whole units. What an hour has beyond them goes on to the next hour, so
// units are neither lost nor added: the sum over any hours is off by less than 1. The first hour
// begins with a fraction of a unit, below 1. It differs between groups, so that the same fraction
// in many groups does not become a unit in the same hour of all.
func whole(used []usage.Amount, begin usage.Amount) []int {
	sums := usage.Demand{Slot: time.Hour, Used: make([]usage.Amount, len(used))}
	sum := begin
	for t, a := range used {
		sum = sum.Plus(a)
		sums.Used[t] = sum
	}
	units, _ := sums.Instances(nil, sums.Start, time.Hour, len(used), pricing.Down)
	for t := len(units) - 1; t > 0; t-- {
		units[t] -= units[t-1]
	}
	return units
}

// A commitment is what all files say of a contract that the account uses or owns.
type commitment struct {
	record.Held
	perHour float64 // of the files that say when it ends
	hours   map[usage.Kind]usage.Amount
}

// commitments returns the commitments of the bills, in order. They do not depend on the
// order of the files, nor on how rows are split into files.
func (p *Pricer) commitments(uses []record.Usage) []*commitment {
	type name struct{ provider, id string }
	byName := map[name]*commitment{}
	for i := range uses {
		for j := range uses[i].Held {
			h := &uses[i].Held[j]
			at := name{h.Provider, h.ID}
			c := byName[at]
			if c == nil {
				c = &commitment{Held: record.Held{Provider: h.Provider, ID: h.ID}, hours: map[usage.Kind]usage.Amount{}}
				byName[at] = c
			}
			c.Add(h)
			if !h.End.IsZero() {
				c.perHour = max(c.perHour, h.PerHour.Float64())
			}
			for _, k := range h.Kinds {
				c.hours[k.Kind.Plain()] = c.hours[k.Kind.Plain()].Plus(k.Hours)
			}
		}
	}
	for _, c := range byName {
		if !c.Spend { // accounts tell each other when a savings plan ends
			c.End = p.end(&c.Held)
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *commitment) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Provider, b.Provider))
	})
}

// held returns the contracts of the bills that serve the group when the terms begin. A
// reservation counts as the bill says that it was bought. But if the use that its units could
// have served went without them, other accounts have them, and the reservations of the group
// count as what they served on average. The error is about a reservation whose end is not known.
func held(x *group.Terms, from time.Time, used []usage.Amount, factors map[usage.Kind]int, all []*commitment) ([]record.Contract, error) {
	type share struct {
		*commitment
		units, mean float64 // an hour
		first, last int     // hours of the bills, without the last
	}
	var shares []share
	served := 0.0
	for _, c := range all {
		var units usage.Amount
		factor := 0
		for k, h := range c.hours {
			if f := factors[k]; f > 0 {
				units, factor = units.Plus(h.Scale(int64(f), 1)), f
			}
		}
		if units.Sign() <= 0 || c.Spend {
			continue
		}
		if c.End.IsZero() {
			return nil, fmt.Errorf("the reservation %q serves the use, and no row of the account says until when: want the bill with its purchase, too, or -held-until", c.ID)
		}
		s := share{commitment: c, last: min(x.Hours, max(0, int(c.End.Sub(from)/time.Hour)))}
		if c.Start.After(from) {
			s.first = min(x.Hours, int(c.Start.Sub(from)/time.Hour))
		}
		s.mean = units.Float64() / float64(max(1, s.last-s.first))
		s.units = s.mean
		if len(c.hours) == 1 && c.perHour > 0 && c.Unit == "Hours" {
			s.units = c.perHour * float64(factor)
		}
		served += units.Float64()
		shares = append(shares, s)
	}
	could := 0.0
	for t, a := range used {
		units := 0.0
		for i := range shares {
			if s := &shares[i]; t >= s.first && t < s.last {
				units += s.units
			}
		}
		could += min(units, a.Float64())
	}
	const most = 0.99 // of what could be served; the rest are hours that began late
	var contracts []record.Contract
	for _, s := range shares {
		if served < most*could {
			s.units = s.mean
		}
		if n := int(math.Round(min(s.units, math.MaxInt32))); n > 0 && s.End.After(x.Start) {
			contracts = append(contracts, record.Contract{ID: s.ID, Units: n, Until: s.End})
		}
	}
	return contracts, nil
}

// repeated returns two files that have rows in common, and how many, or 0. uses are sorted
// by file.
func repeated(uses []record.Usage) (a, b string, n int) {
	if len(uses) < 2 {
		return "", "", 0
	}
	in := map[uint64]int{} // the first file with a row
	shared := map[[2]int]int{}
	for i := range uses {
		for _, h := range uses[i].Rows {
			if first, ok := in[h]; !ok {
				in[h] = i
			} else if first != i {
				shared[[2]int{first, i}]++
			}
		}
	}
	var worst [2]int
	for pair, k := range shared {
		if k > n || k == n && slices.Compare(pair[:], worst[:]) < 0 {
			worst, n = pair, k
		}
	}
	return uses[worst[0]].File, uses[worst[1]].File, n
}

// predict sets the demand of g to the forecast of its use for as many hours more, in whole units
// as [whole] makes them, and its paths to futures that the model draws.
func (p *Pricer) predict(x *group.Terms, g *record.Group, used []usage.Amount, begin usage.Amount) error {
	model, err := forecast.New(p.Model)
	if err != nil {
		return err
	}
	series := make([]float64, len(used))
	for t, a := range used {
		series[t] = a.Float64()
	}
	f := forecast.Predictor{Model: model, Limits: forecast.Limits{NonNegative: true, Multiple: 4}}
	var fitter smoothing.Fitter
	if _, err := f.Fit(&fitter, series); err != nil {
		return fmt.Errorf("the demand cannot be forecast by %s: %w", p.Model, err)
	}
	f.Forecast(series)
	g.Demand = wholeOf(series, begin)
	if x.Paths == 0 {
		return nil
	}
	futures := make([][]float64, x.Paths)
	for i := range futures {
		futures[i] = make([]float64, len(series))
	}
	f.Paths(futures, rand.New(rand.NewPCG(p.Seed, hash(1, []byte(g.Key.String())))))
	for _, future := range futures {
		g.Paths = append(g.Paths, wholeOf(future, begin))
	}
	return nil
}

// wholeOf returns a forecast in whole units.
func wholeOf(series []float64, begin usage.Amount) []int {
	rest := begin.Float64()
	demand := make([]int, len(series))
	for t, y := range series {
		rest += max(0, y)
		units := math.Floor(rest)
		demand[t] = int(min(math.MaxInt32, units))
		rest -= units
	}
	return demand
}

func openOffers(in io.Reader) (*offers.Prices, error) { return offers.Read(in, offers.Options{}) }
