package usage

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
)

// Kinds that the same reservations serve.
//
// Databases of AWS without a licence are like linux below, each engine by itself.
//
// A reservation of AWS for linux on shared machines is of flexible size: it serves all sizes of
// its family in its region, and a size counts as many units as its normalisation factor says. A
// plan for the family is right if a unit costs the same in every size, on demand and reserved, but
// for what prices are rounded by.
// Then the family is one demand: the sum of all sizes, in instances of the smallest. If a price
// is not in proportion, each kind is planned by itself; so is every other kind.
//
// Where corrections exceed the use of a slot, the hours that they take back were charged in
// another slot, and the bill does not say which. Counted as 0, the other slots keep hours that
// nobody used, and a plan buys for them. So such a kind is in no family, and the bill has to be
// put right first.

// Why a demand is in no family, beside [ErrCurrency].
var (
	// ErrNoOffer: no price list has the kind.
	ErrNoOffer = errors.New("the price list has no such kind: want a list with its prices")
	// ErrNegative: corrections take back more hours of a slot than it has.
	ErrNegative = errors.New("corrections exceed the use")
	// ErrNoUse: every slot is 0.
	ErrNoUse = errors.New("there is no use in the time of the bill")
)

// Plain returns the kind in the form in which kinds are compared: in lower case, of no owner, and
// linux on a shared machine where the bill does not say.
func (k Kind) Plain() Kind {
	return Kind{Provider: strings.ToLower(k.Provider), Region: strings.ToLower(k.Region), Type: strings.ToLower(k.Type),
		System: cmp.Or(strings.ToLower(k.System), "linux"), Tenancy: cmp.Or(strings.ToLower(k.Tenancy), "shared")}
}

// A Catalog finds the offer for a kind. The zero value is empty.
type Catalog struct{ offers map[Kind]*offers.Offer }

// Add adds the offers of a price list, which the catalog refers to. Of two offers for a kind the
// first that was added counts.
func (c *Catalog) Add(list []offers.Offer) {
	if c.offers == nil {
		c.offers = map[Kind]*offers.Offer{}
	}
	for i := range list {
		o := &list[i]
		k := Kind{Provider: o.Provider, Region: o.Region, Type: o.Kind, System: o.System, Tenancy: o.Tenancy}.Plain()
		if c.offers[k] == nil {
			c.offers[k] = o
		}
	}
}

// Find returns the offer for a kind, nil if there is none. Kinds are compared by [Kind.Plain].
func (c *Catalog) Find(k Kind) *offers.Offer { return c.offers[k.Plain()] }

// Len returns for how many kinds the catalog has an offer.
func (c *Catalog) Len() int { return len(c.offers) }

// A Family is what is planned as one: kinds that the same reservations serve, or one kind.
type Family struct {
	Offer *offers.Offer // that of the smallest kind, whose instances are the family's units
	// Demands are the indices of its demands, in their order. An instance of Demands[i] counts as
	// Units[i] units.
	Demands, Units []int
}

// Families groups demands into families: the same reservations can serve all demands of a [Family].
// prices has the list prices, which must be in the given currency; "" accepts any currency. Each
// demand is in one family, or why[i] says why demand i is in none. why[i] is [ErrNoOffer],
// [ErrCurrency], [ErrNegative], [ErrNoUse], or the error of unfit. Families calls unfit, unless it
// is nil, with the index of a demand and the offer for it. Families come in the order of their
// first demands. Time is linear in the slots.
func Families(demands []Demand, prices *Catalog, currency string, unfit func(i int, o *offers.Offer) error) (families []Family, why []error) {
	why = make([]error, len(demands))
	type flexible struct{ region, family, engine, owner string }
	index := map[flexible]int{}
	found := make([]*offers.Offer, len(demands))
	var groups [][]int // of demands
	for i := range demands {
		o := prices.Find(demands[i].Kind)
		err := demands[i].plannable(o, currency)
		if err == nil && unfit != nil {
			err = unfit(i, o)
		}
		if err != nil {
			why[i] = err
			continue
		}
		found[i] = o
		engine, ok := anySize(o)
		if !ok {
			groups = append(groups, []int{i})
			continue
		}
		key := flexible{strings.ToLower(o.Region), strings.ToLower(o.Family), engine, demands[i].Kind.Owner}
		n, ok := index[key]
		if !ok {
			n = len(groups)
			index[key], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	for _, g := range groups {
		families = appendFamilies(families, g, found)
	}
	return families, why
}

// engines are the databases whose reservations serve every size of a family, of one zone and of
// several, which count twice. Those with a licence in the price serve one size.
var engines = []string{"mysql", "postgresql", "mariadb", "aurora mysql", "aurora postgresql", "redis", "valkey", "memcached"}

// anySize reports whether reservations of an offer serve every size of its family, and for which
// engine; "" is no database.
func anySize(o *offers.Offer) (engine string, ok bool) {
	if o.Provider != "aws" || o.Family == "" || o.Factor <= 0 {
		return "", false
	}
	if strings.HasPrefix(o.Kind, "db.") || strings.HasPrefix(o.Kind, "cache.") {
		engine = strings.TrimSuffix(strings.TrimSuffix(o.System, " single-az"), " multi-az")
		return engine, slices.Contains(engines, engine)
	}
	return "", o.System == "linux" && o.Tenancy == "shared"
}

// plannable returns why a demand with an offer, or nil, is in no family.
func (d *Demand) plannable(o *offers.Offer, currency string) error {
	switch {
	case o == nil:
		return ErrNoOffer
	case o.Currency != "" && currency != "" && !strings.EqualFold(o.Currency, currency):
		return fmt.Errorf("%w: the price list is in %s and the bill in %s: want a price list in %[3]s", ErrCurrency, o.Currency, currency)
	}
	negative, used := 0, false
	for _, a := range d.Used {
		used = used || a.Sign() != 0
		if a.Sign() < 0 {
			negative++
		}
	}
	switch {
	case negative > 0:
		return fmt.Errorf("%w in %d slots: want use of at least 0 in each slot", ErrNegative, negative)
	case !used:
		return ErrNoUse
	}
	return nil
}

// appendFamilies appends a family of the demands, or one for each if their prices are not in
// proportion.
func appendFamilies(dst []Family, demands []int, found []*offers.Offer) []Family {
	base := found[slices.MinFunc(demands, func(a, b int) int { return cmp.Compare(found[a].Factor, found[b].Factor) })]
	f := Family{Offer: base}
	for _, i := range demands {
		units, o := 1, found[i]
		if len(demands) > 1 {
			if units = o.Factor / base.Factor; o.Factor%base.Factor != 0 || !scaled(&base.List, &o.List, units) {
				for _, i := range demands {
					dst = append(dst, Family{found[i], []int{i}, []int{1}})
				}
				return dst
			}
		}
		f.Demands, f.Units = append(f.Demands, i), append(f.Units, units)
	}
	return append(dst, f)
}

// sameUnit bounds the difference between prices per unit within a family. Prices per unit of two
// sizes may differ by one part in sameUnit, a hundredth, because price lists round. Lists round to
// a tenth of a cent, so a price can be off by $.0005, and the reserved price of a large instance
// may be as low as $.06. A reservation that costs a hundredth more pays off at a use that is a
// hundredth higher. So planning all sizes as one unit stays nearly right. If prices differ more,
// each size is planned by itself.
const sameUnit = 100

// scaled reports whether the prices of b are n times those of a, class by class, but for what
// sameUnit allows.
func scaled(a, b *pricing.List, n int) bool {
	times := func(x, y pricing.Money) bool {
		z, err := x.Mul(int64(n))
		return err == nil && max(z-y, y-z) <= z/sameUnit
	}
	return times(a.OnDemand, b.OnDemand) && slices.EqualFunc(a.Classes, b.Classes, func(c, d pricing.Class) bool {
		return c.Name == d.Name && c.Term == d.Term && c.Billed == d.Billed && times(c.Upfront, d.Upfront) && times(c.Hourly, d.Hourly)
	})
}

// Demand returns the demand of the family in its units, exactly: the sum of its members, in the
// longest slot that one of them has. The sums of rows are those of all members; Together is theirs
// if slots are days. The error
// unwraps to [ErrRange] for more than 2³¹ - 1 units at once.
func (f *Family) Demand(demands []Demand) (Demand, error) {
	first := &demands[f.Demands[0]]
	sum := Demand{Kind: first.Kind, Slot: first.Slot}
	smallest := f.Units[0]
	for k, i := range f.Demands {
		d := &demands[i]
		sum.Slot = max(sum.Slot, d.Slot)
		if f.Units[k] < smallest {
			sum.Kind, smallest = d.Kind, f.Units[k]
		}
		sum.OnDemand.add(&d.OnDemand)
		sum.Committed.add(&d.Committed)
	}
	var b buckets
	for k, i := range f.Demands {
		d, units := &demands[i], int64(f.Units[k])
		most := Units(math.MaxInt32).times(int64(sum.Slot / time.Hour))
		for t, used := range d.Used {
			if used == (Amount{}) {
				continue
			}
			if used.Compare(most) > 0 || used.times(units).Compare(most) > 0 {
				return sum, badInput("Used", t, ErrRange, "%v hours of %s: want at most %d units at once", used, d.Kind, math.MaxInt32)
			}
			at := floor(d.Start.Add(time.Duration(t)*d.Slot).Unix(), int64(sum.Slot/time.Second))
			b.add(at, d.Covered[t].times(units), true)
			b.add(at, used.Minus(d.Covered[t]).times(units), false)
			if total := b.slot[at-b.base].used; total.Compare(most) > 0 {
				return sum, badInput("Used", t, ErrRange, "%v hours of units of %s: want at most %d units at once", total, sum.Kind, math.MaxInt32)
			}
		}
	}
	b.trim()
	sum.Start = time.Unix(b.base*int64(sum.Slot/time.Second), 0).UTC()
	for _, v := range b.slot {
		sum.Used, sum.Covered = append(sum.Used, v.used), append(sum.Covered, v.covered)
	}
	if sum.Slot == 24*time.Hour {
		sum.Together = f.together(demands, b.base, len(b.slot))
	}
	return sum, nil
}

// together returns the hours of n days from the first if all machines of a day begin at once, in
// units: the sum of the members, of which those of hours count with the hours of the most use first.
func (f *Family) together(demands []Demand, first int64, n int) [][24]Amount {
	days := make([][24]Amount, n)
	for k, i := range f.Demands {
		d, units := &demands[i], int64(f.Units[k])
		if d.Slot == 24*time.Hour && d.Together == nil {
			return nil // nobody says
		}
		for t := range days {
			var day [24]Amount
			if at := first + int64(t) - floor(d.Start.Unix(), 86400); d.Together == nil {
				for h := range day {
					if j := 24*(first+int64(t)) + int64(h) - floor(d.Start.Unix(), 3600); j >= 0 && j < int64(len(d.Used)) {
						day[h] = d.Used[j]
					}
				}
				slices.SortFunc(day[:], func(a, b Amount) int { return b.Compare(a) })
			} else if at >= 0 && at < int64(len(d.Together)) {
				day = d.Together[at]
			}
			for h, a := range day {
				days[t][h] = days[t][h].Plus(a.times(units))
			}
		}
	}
	return days
}
