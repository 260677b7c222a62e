package bills

import (
	"cmp"
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
	offers map[place]*offers.Offer
	rates  map[place]pricing.Money
	bound  bool // the rates are those of one family in one region
}

// A place is what an offer is found by, in lower case.
type place struct{ provider, region, kind, system, tenancy string }

// where returns where a kind is found: kinds that a bill spells in two ways are at one place.
func where(k usage.Kind) place { return placeOf(k.Provider, k.Region, k.Type, k.System, k.Tenancy) }

func placeOf(provider, region, kind, system, tenancy string) place {
	return place{strings.ToLower(provider), strings.ToLower(region), strings.ToLower(kind), cmp.Or(strings.ToLower(system), "linux"), cmp.Or(strings.ToLower(tenancy), "shared")}
}

// lists are the price lists that the process has read, by path.
var lists struct {
	sync.Mutex
	read map[string]*offers.Prices
}

// Load reads price lists, plain or gzip. A process reads each once.
func (p *Pricer) Load(paths []string) error {
	p.lists, p.offers, p.rates, p.bound = nil, map[place]*offers.Offer{}, map[place]pricing.Money{}, false
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
		for i := range l.Offers {
			o := &l.Offers[i]
			at := placeOf(o.Provider, o.Region, o.Kind, o.System, o.Tenancy)
			if p.offers[at] == nil {
				p.offers[at] = o
			}
		}
		for i := range l.Rates {
			if r := &l.Rates[i]; p.named(r) {
				p.rates[placeOf(r.Provider, r.Region, r.Kind, r.System, r.Tenancy)] = r.Hourly
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
				return cli.Mistakef("-plan %s: its rates are in %s, and the fleet is planned in %s: want a list with its rates in %s", p.Plan, r.Currency, x.Currency, x.Currency)
			}
			found, named[full] = r, true
		}
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { // first those that are bound to nothing
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	switch {
	case len(named) > 1:
		return cli.Mistakef("-plan %s: a savings plan of this name pays for one family in one region, and the price lists have %d: want one, such as %s", p.Plan, len(named), slices.Min(slices.Collect(maps.Keys(named))))
	case found == nil && len(names) == 0:
		return cli.Mistakef("-plan %s: no price list has a savings plan: want a list with the rates of one", p.Plan)
	case found == nil:
		return cli.Mistakef("-plan %s: no price list has a savings plan of this name: want %s", p.Plan, cli.Series(names[:min(len(names), 8)], "or"))
	}
	x.Term, x.Provider = found.Term, found.Provider
	return nil
}

// A member is the use of one kind, in instance-hours.
type member struct {
	place
	kind  usage.Kind // as the bill spells it
	offer *offers.Offer
	used  []usage.Amount
}

// name returns how orders name what is reserved: a type or a family.
func (m *member) name(reserved string) string {
	return strings.Join([]string{m.provider, reserved, m.system, m.tenancy}, " ")
}

// A family is the members that reservations of flexible size may serve.
type family struct {
	key     record.Key
	members []member
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
	index := map[place]int{}
	var families []family
	planned := map[place]bool{}
	for i := range all {
		m := &all[i]
		key = record.Key{Account: uses[0].Account, Region: m.kind.Region, Kind: m.name(m.kind.Type)}
		o := p.offers[m.place]
		switch {
		case o == nil:
			fail("the price list has no such kind: want a list with its prices")
			continue
		case o.Currency != "" && o.Currency != x.Currency:
			fail("the price list is in %s: want one in %s", o.Currency, x.Currency)
			continue
		}
		negative, none := 0, true
		for _, a := range m.used {
			none = none && a.Sign() == 0
			if a.Sign() < 0 {
				negative++
			}
		}
		if negative > 0 {
			fail("corrections exceed the use in %d hours: want use of at least 0 in each hour", negative)
			continue
		}
		if none {
			continue
		}
		if reason := p.misfit(x, spends, m.place); reason != "" {
			fail("%s", reason)
			continue
		}
		m.offer = o
		shared := m.place
		if o.Provider == "aws" && o.Family != "" && o.Factor > 0 && o.System == "linux" && o.Tenancy == "shared" {
			shared.kind = o.Family + " family"
			key.Kind = m.name(shared.kind)
		}
		n, ok := index[shared]
		if !ok {
			n = len(families)
			index[shared], families = n, append(families, family{key: key})
		}
		families[n].members = append(families[n].members, *m)
	}
	slices.SortFunc(families, func(a, b family) int { return a.key.Compare(b.key) })
	for _, f := range families {
		for _, part := range parts(f.members) {
			key = f.key
			if len(part) == 1 { // as a kind, if the prices of the family are not in proportion
				key.Kind = part[0].name(part[0].kind.Type)
			}
			g, err := p.group(x, key, part, contracts)
			if err != nil {
				fail("%v", err)
				continue
			}
			groups = append(groups, g)
			for _, m := range part {
				planned[m.place] = true
			}
		}
	}
	return groups, p.inventory(x, spends, all, planned), failed
}

// Groups returns the groups of one account from the records of what the files say of it: a
// Usage or a Failure each, and its savings plans. An account with a failure in its records has
// neither. What could not be planned is sorted. For no account, whose records are of [Coverage], it
// returns in how many hours there is use.
func (p *Pricer) Groups(x *group.Terms, account string, records [][]byte) (groups []record.Group, plans record.Inventory, failed []record.Failure, hours int, err error) {
	var uses []record.Usage
	for _, b := range records {
		if len(b) > 0 && b[0] == 'F' {
			var one record.Failure
			if err := record.Read(b, &one); err != nil {
				return nil, plans, nil, 0, err
			}
			failed = append(failed, one)
			continue
		}
		var one record.Usage
		if err := record.Read(b, &one); err != nil {
			return nil, plans, nil, 0, fmt.Errorf("account %q: %w", account, err)
		}
		uses = append(uses, one)
	}
	switch {
	case account == "":
		hours = Hours(uses)
	case len(failed) == 0:
		groups, plans, failed = p.Account(x, uses)
	}
	slices.SortFunc(failed, func(a, b record.Failure) int { return a.Compare(&b) })
	return groups, plans, failed, hours, nil
}

// merge adds up the files of an account by kind, in the order of their names. outside is how many
// hours with use are not among those of the terms.
func merge(x *group.Terms, from time.Time, uses []record.Usage) (all []member, outside int) {
	index := map[place]int{}
	for i := range uses {
		for j := range uses[i].Series {
			s := &uses[i].Series[j]
			n, ok := index[where(s.Kind)]
			if !ok {
				n = len(all)
				index[where(s.Kind)] = n
				all = append(all, member{place: where(s.Kind), kind: s.Kind, used: make([]usage.Amount, x.Hours)})
			}
			if s.Kind.String() < all[n].kind.String() { // one spelling, whatever the order of the files
				all[n].kind = s.Kind
			}
			first := int(s.Start.Sub(from) / time.Hour)
			for t, a := range s.Hours {
				switch t += first; {
				case a == usage.Amount{}:
				case t < 0 || t >= x.Hours:
					outside++
				default:
					all[n].used[t] = all[n].used[t].Plus(a)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b member) int { return cmp.Compare(a.kind.String(), b.kind.String()) })
	return all, outside
}

// parts returns the members as one part if reservations of the smallest serve all of them,
// at prices in proportion to their sizes, and each alone otherwise. Members are sorted by
// size.
func parts(members []member) [][]member {
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.offer.Factor, b.offer.Factor) })
	base := members[0].offer
	for _, m := range members[1:] {
		if base.Factor <= 0 || m.offer.Factor%base.Factor != 0 || !scaled(&base.List, &m.offer.List, m.offer.Factor/base.Factor) {
			var each [][]member
			for _, m := range members {
				each = append(each, []member{m})
			}
			return each
		}
	}
	return [][]member{members}
}

// scaled reports whether the prices of b are n times those of a, class by class.
func scaled(a, b *pricing.List, n int) bool {
	times := func(x, y pricing.Money) bool {
		z, err := x.Mul(int64(n))
		return err == nil && z == y
	}
	return times(a.OnDemand, b.OnDemand) && slices.EqualFunc(a.Classes, b.Classes, func(c, d pricing.Class) bool {
		return c.Name == d.Name && c.Term == d.Term && c.Billed == d.Billed && times(c.Upfront, d.Upfront) && times(c.Hourly, d.Hourly)
	})
}

// group returns the group of members that are planned as one, in units of the smallest.
func (p *Pricer) group(x *group.Terms, key record.Key, members []member, contracts []*commitment) (record.Group, error) {
	base := members[0]
	g := record.Group{Key: key, Currency: x.Currency, Unit: base.kind.Type, Start: x.Start, List: base.offer.List, Savings: p.rates[base.place]}
	used := make([]usage.Amount, x.Hours)
	factors := map[place]int{}
	for _, m := range members {
		factor := 1
		if len(members) > 1 {
			factor = m.offer.Factor / base.offer.Factor
		}
		factors[m.place] = factor
		for t, a := range m.used {
			used[t] = used[t].Plus(a.Scale(int64(factor), 1))
			if used[t].Compare(usage.Units(math.MaxInt32)) > 0 {
				return g, fmt.Errorf("%s: %v units of %s in one hour: want at most %d", group.Overflow, used[t], g.Unit, math.MaxInt32)
			}
		}
	}
	var err error
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
	hours   map[place]usage.Amount
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
				c = &commitment{Held: record.Held{Provider: h.Provider, ID: h.ID}, hours: map[place]usage.Amount{}}
				byName[at] = c
			}
			c.Add(h)
			if !h.End.IsZero() {
				c.perHour = max(c.perHour, h.PerHour.Float64())
			}
			for _, k := range h.Kinds {
				c.hours[where(k.Kind)] = c.hours[where(k.Kind)].Plus(k.Hours)
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
func held(x *group.Terms, from time.Time, used []usage.Amount, factors map[place]int, all []*commitment) ([]record.Contract, error) {
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
	var fitter forecast.Fitter
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
