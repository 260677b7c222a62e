package main

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
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// A group is what is planned as one: a kind, or the sizes of a family.
type group struct {
	name   string // "m5.large in eu-west-1, linux"
	unit   string
	kinds  []usage.Kind
	factor []int     // units of one instance, by kind
	demand []int     // units in each slot of the bill
	series []float64 // the same, of -demand, where a value may be missing
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

// group makes groups of the bill's kinds.
func (r *results) group() error {
	if r.o.demand != "" {
		return nil
	}
	var prices usage.Catalog
	prices.Add(r.prices.Offers)
	families, why := usage.Families(r.bill.Demand, &prices, r.bill.Currency, func(_ int, o *offers.Offer) error {
		if len(o.List.Classes) == 0 {
			return errNoReservation
		}
		return nil
	})
	for i, err := range why {
		d := &r.bill.Demand[i]
		switch {
		case err == nil:
			continue
		case errors.Is(err, usage.ErrNoOffer) && prices.Len() == 0:
			err = errNoPrices
		}
		used, _ := d.Hours()
		r.missed = append(r.missed, miss{d.Kind.String(), err.Error(), used})
	}
	for i := range families {
		f := &families[i]
		demand, err := f.Demand(r.bill.Demand)
		if err != nil {
			return err
		}
		g := &group{unit: "instance", factor: f.Units, list: f.Offer.List, name: place(demand.Kind)}
		if len(f.Demands) > 1 {
			g.unit = f.Offer.Kind
			g.name = fmt.Sprintf("%s family in %s, linux", f.Offer.Family, f.Offer.Region)
		}
		for _, i := range f.Demands {
			g.kinds = append(g.kinds, r.bill.Demand[i].Kind)
		}
		g.demand, _ = demand.Instances(nil, r.start, r.slot, r.slots, pricing.HalfUp)
		for _, c := range g.list.Classes {
			g.offers = append(g.offers, advice.Offer{Class: c})
		}
		r.hold(g)
		r.groups = append(r.groups, g)
	}
	return nil
}

// Why a kind is not planned, beside what package usage says.
var (
	errNoPrices      = errors.New("there is no price list: give one with -prices")
	errNoReservation = errors.New("the price list has no reservation for the kind")
)

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
		end := h.End
		if i := slices.IndexFunc(r.own, func(own ownContract) bool { return own.ID != "" && own.ID == h.ID }); i >= 0 {
			if r.own[i].Type != "" {
				continue // -held knows better, and the contract serves once
			}
			r.matched[h.ID] = true
			end = r.own[i].end
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
		if n > 0 && end.IsZero() && !r.matched[h.ID] {
			r.matched[h.ID] = true
			r.notes = append(r.notes, fmt.Sprintf("%s serves, and the bill does not say until when: it does not count after the bill; give it with -held, "+
				"or the contract commitments with -bill", h.ID))
		}
		if !end.IsZero() {
			add(h.ID, n, end)
		}
	}
	for _, h := range r.own {
		for j, k := range g.kinds {
			units := h.Count
			if c, err := g.list.Find(h.Class); err == nil && h.Spend > 0 {
				units, _ = h.Instances(&g.list.Classes[c])
			}
			if units > 0 && same(h.Type, k.Type) && same(h.Region, k.Region) && same(cmp.Or(h.System, "linux"), cmp.Or(k.System, "linux")) {
				add(cmp.Or(h.ID, h.Type), units*g.factor[j], h.end)
				r.matched[h.ID] = true
			}
		}
	}
}
