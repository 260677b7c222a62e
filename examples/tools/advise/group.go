package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// A group is what is planned as one: a kind, or the sizes of a family.
type group struct {
	name   string // "m5.large in eu-west-1, linux"
	unit   string
	kinds  []usage.Kind
	factor []int // units of one instance, by kind
	demand []int // units in each slot of the bill
	list   pricing.List
	held   []advice.Contract
	offers []advice.Offer
	advice *advice.Advice
}

// A miss is a kind that is not planned, and why.
type miss struct {
	Kind  string       `json:"kind"`
	Why   string       `json:"why"`
	Hours usage.Amount `json:"hours"`
}

// same compares texts of bills and price lists.
func same(a, b string) bool { return strings.EqualFold(a, b) }

// offerOf finds the offer for a kind. A bill that does not say the system or the
// tenancy means linux and shared.
func (r *results) offerOf(k usage.Kind) *offers.Offer {
	system, tenancy := cmp.Or(k.System, "linux"), cmp.Or(k.Tenancy, "shared")
	for i := range r.prices.Offers {
		o := &r.prices.Offers[i]
		if same(o.Provider, k.Provider) && same(o.Region, k.Region) && same(o.Kind, k.Type) && same(cmp.Or(o.System, "linux"), system) && same(cmp.Or(o.Tenancy, "shared"), tenancy) {
			return o
		}
	}
	return nil
}

// flexible reports whether reservations of the offer serve all sizes of the family: as
// AWS sells them, for linux on shared machines.
func flexible(o *offers.Offer) bool {
	return o.Provider == "aws" && o.Family != "" && o.Factor > 0 && o.System == "linux" && o.Tenancy == "shared"
}

// group makes groups of the bill's kinds.
func (r *results) group() error {
	type member struct {
		demand *usage.Demand
		offer  *offers.Offer
	}
	families := map[string][]member{}
	var order []string
	for i := range r.bill.Demand {
		d := &r.bill.Demand[i]
		used, _ := d.Hours()
		o := r.offerOf(d.Kind)
		switch {
		case o == nil && len(r.prices.Offers) == 0:
			r.missed = append(r.missed, miss{d.Kind.String(), "there is no price list: give one with -prices", used})
			continue
		case o == nil:
			r.missed = append(r.missed, miss{d.Kind.String(), "the price list has no such kind", used})
			continue
		case o.Currency != "" && r.bill.Currency != "" && !same(o.Currency, r.bill.Currency):
			r.missed = append(r.missed, miss{d.Kind.String(), fmt.Sprintf("the price list is in %s and the bill in %s: give a price list in %s", o.Currency, r.bill.Currency, r.bill.Currency), used})
			continue
		case len(o.List.Classes) == 0:
			r.missed = append(r.missed, miss{d.Kind.String(), "the price list has no reservation for the kind", used})
			continue
		case used.Sign() <= 0:
			r.missed = append(r.missed, miss{d.Kind.String(), "there is no use in the time of the bill", used})
			continue
		}
		key := d.Kind.String()
		if flexible(o) {
			key = "family " + strings.Join([]string{o.Provider, o.Region, o.Family, o.Currency}, " ")
		}
		if families[key] == nil {
			order = append(order, key)
		}
		families[key] = append(families[key], member{d, o})
	}
	for _, key := range order {
		members := families[key]
		unit := 0
		for _, m := range members {
			unit = gcd(unit, m.offer.Factor)
		}
		base := slices.MinFunc(members, func(a, b member) int { return cmp.Compare(a.offer.Factor, b.offer.Factor) })
		proportional := len(members) > 1 && base.offer.Factor == unit
		for _, m := range members {
			if proportional && !scaled(&base.offer.List, &m.offer.List, m.offer.Factor/max(1, unit)) {
				proportional = false
			}
		}
		parts := [][]member{members}
		if !proportional && len(members) > 1 {
			parts = nil
			for _, m := range members {
				parts = append(parts, []member{m})
			}
		}
		for _, part := range parts {
			g := &group{unit: "instance", list: part[0].offer.List, name: place(part[0].demand.Kind)}
			if len(part) > 1 {
				g.list, g.unit = base.offer.List, base.offer.Kind
				g.name = fmt.Sprintf("%s family in %s, linux", base.offer.Family, base.offer.Region)
			}
			g.demand = make([]int, r.slots)
			for _, m := range part {
				factor := 1
				if len(part) > 1 {
					factor = m.offer.Factor / unit
				}
				g.kinds, g.factor = append(g.kinds, m.demand.Kind), append(g.factor, factor)
				counts, negative := m.demand.Instances(nil, r.start, r.slot, r.slots, pricing.HalfUp)
				if negative > 0 {
					r.notes = append(r.notes, fmt.Sprintf("%s: corrections exceed the use in %d slots, which count as 0", m.demand.Kind, negative))
				}
				for t, n := range counts {
					if n > math.MaxInt32/factor-g.demand[t] {
						return fmt.Errorf("%s: more than %d units in one slot", g.name, math.MaxInt32)
					}
					g.demand[t] += n * factor
				}
			}
			for _, c := range g.list.Classes {
				g.offers = append(g.offers, advice.Offer{Class: c})
			}
			r.hold(g)
			r.groups = append(r.groups, g)
		}
	}
	return nil
}

// place names a kind for people.
func place(k usage.Kind) string {
	s := k.Type
	if k.Region != "" {
		s += " in " + k.Region
	}
	if k.System != "" {
		s += ", " + k.System
	}
	if k.Tenancy != "" && k.Tenancy != "shared" {
		s += ", " + k.Tenancy
	}
	return s
}

// scaled reports whether the prices of b are n times those of a, class by class.
func scaled(a, b *pricing.List, n int) bool {
	times := func(x, y pricing.Money) bool {
		z, err := x.Mul(int64(n))
		return err == nil && z == y
	}
	if !times(a.OnDemand, b.OnDemand) || len(a.Classes) != len(b.Classes) {
		return false
	}
	for i := range a.Classes {
		c, d := a.Classes[i], b.Classes[i]
		if c.Name != d.Name || c.Term != d.Term || c.Billed != d.Billed || !times(c.Upfront, d.Upfront) || !times(c.Hourly, d.Hourly) {
			return false
		}
	}
	return true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// hold adds the contracts of the bill and of -held that serve the group after the day
// of the order. Each is a class of its own that is not for sale: what the bill shows of
// a contract is that it serves, not under which name it is sold.
func (r *results) hold(g *group) {
	add := func(name string, units int, expires time.Time) {
		if units <= 0 || !expires.After(r.now) {
			return
		}
		class := "held " + name
		for n := 2; slices.ContainsFunc(g.offers, func(o advice.Offer) bool { return o.Name == class }); n++ {
			class = fmt.Sprintf("held %s (%d)", name, n)
		}
		g.offers = append(g.offers, advice.Offer{Withdrawn: true, Class: pricing.Class{Name: class, Term: 8760 * time.Hour, Billed: pricing.Always}})
		g.held = append(g.held, advice.Contract{Name: name, Class: class, Units: units, Expires: expires})
	}
	for i := range r.bill.Held {
		h := &r.bill.Held[i]
		if slices.ContainsFunc(r.own, func(own ownContract) bool { return own.ID == h.ID }) {
			continue // -held knows better, and the contract serves once
		}
		units, kinds := 0.0, 0
		for _, k := range h.Kinds {
			x := k.Hours.Float64()
			kinds++
			for j, mine := range g.kinds {
				if k.Kind == mine {
					units += x * float64(g.factor[j])
				}
			}
		}
		if units <= 0 {
			continue
		}
		hours := r.bill.End.Sub(r.bill.Start).Hours()
		if !h.Start.IsZero() && h.Start.After(r.bill.Start) {
			hours = r.bill.End.Sub(h.Start).Hours()
		}
		serve := units / max(1, hours)
		if per := h.PerHour.Float64(); !h.Spend && kinds == 1 && per > 0 && h.Unit == "Hours" {
			serve = per * float64(g.factor[slices.Index(g.kinds, h.Kinds[0].Kind)])
		}
		n := int(math.Round(serve))
		if n > 0 && h.End.IsZero() && !r.matched[h.ID] {
			r.matched[h.ID] = true
			r.notes = append(r.notes, fmt.Sprintf("%s serves, and the bill does not say until when: it does not count after the bill; give it with -held, or the contract commitments with -bill", h.ID))
		}
		if !h.End.IsZero() {
			add(h.ID, n, h.End)
		}
	}
	for _, h := range r.own {
		for j, k := range g.kinds {
			if same(h.Type, k.Type) && same(h.Region, k.Region) && same(cmp.Or(h.System, "linux"), cmp.Or(k.System, "linux")) {
				add(h.ID, h.Units*g.factor[j], h.expires)
				r.matched[h.ID] = true
			}
		}
	}
}
