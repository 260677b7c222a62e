package main

import (
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
	name    string   // "m5.large in eu-west-1, linux"
	also    []string // what it may have been called when other sizes were in use
	unit    string
	kinds   []usage.Kind
	factor  []int // units of one instance, by kind
	size    int   // of a unit, in hundredths of a normalised unit, 0 where nobody says
	slot    time.Duration
	demand  []int     // units in each slot of the bill
	series  []float64 // the same, of -demand, where a value may be missing
	list    pricing.List
	held    []advice.Contract
	offers  []advice.Offer
	request *advice.Request
	advice  *advice.Advice
}

// A miss is a kind that is not planned, and why.
type miss struct {
	Kind  string       `json:"kind"`
	Why   string       `json:"why"`
	Hours usage.Amount `json:"hours"`
	Cost  usage.Amount `json:"cost"`
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
	demands := slices.Clone(r.bill.Demand)
	for i := range demands {
		if r.o.daily != [2]int{0, 24} { // what is spread over the day is planned by days
			demands[i] = demands[i].Hourly(r.o.daily[0], r.o.daily[1])
		}
	}
	families, why := usage.Families(demands, &prices, r.bill.Currency, func(_ int, o *offers.Offer) error {
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
		if errors.Is(err, usage.ErrNoOffer) && r.groupOfRates(&demands[i]) {
			continue
		}
		used, _ := d.Hours()
		r.missed = append(r.missed, miss{d.Kind.String(), err.Error(), used, costOf(d)})
	}
	for i := range families {
		f := &families[i]
		demand, err := f.Demand(demands)
		if err != nil {
			return err
		}
		g := &group{unit: "instance", factor: f.Units, size: f.Offer.Factor, slot: demand.Slot, list: f.Offer.List, name: place(demand.Kind)}
		family := fmt.Sprintf("%s family in %s, %s%s", f.Offer.Family, f.Offer.Region, f.Offer.System, ofOwner(demand.Kind))
		if len(f.Demands) > 1 {
			g.unit, g.name = f.Offer.Kind, family
		}
		g.also = append(g.also, family)
		for _, i := range f.Demands {
			g.kinds = append(g.kinds, r.bill.Demand[i].Kind)
			g.also = append(g.also, place(r.bill.Demand[i].Kind))
		}
		g.demand, _ = demand.Instances(nil, r.start, g.slot, max(0, int(r.endOf(f.Demands).Sub(r.start)/g.slot)), pricing.HalfUp)
		r.leaveGaps(g)
		r.discount(g, f, demands)
		r.leaveDisturbed(g)
		r.leaveTail(g)
		for _, c := range g.list.Classes {
			if r.permitted(c.Term, payment(&c)) {
				g.offers = append(g.offers, advice.Offer{Class: c})
			}
		}
		r.hold(g)
		r.groups = append(r.groups, g)
	}
	r.idle()
	return nil
}

// groupOfRates makes a group of a demand that has no offer and that a savings plan of the lists pays
// for, such as Fargate: there is nothing to reserve, and the price on demand is what the bill was
// charged. It reports whether there is such a plan and such a price.
func (r *results) groupOfRates(d *usage.Demand) bool {
	rated := slices.ContainsFunc(r.prices.Rates, func(x offers.Rate) bool { return rateIsOf(&x, d.Kind) })
	used, covered := d.Hours()
	hours := used.Minus(covered).Float64()
	if !rated || hours <= 0 || d.Paid.Sign() <= 0 || slices.ContainsFunc(d.Used, func(a usage.Amount) bool { return a.Sign() < 0 }) {
		return false
	}
	g := &group{name: place(d.Kind), unit: "instance", kinds: []usage.Kind{d.Kind}, factor: []int{1}, slot: d.Slot}
	if !strings.Contains(d.Kind.Type, ".") {
		g.unit = "unit"
	}
	g.list.OnDemand = pricing.Money(math.Round(1e9 * d.Paid.Float64() / hours))
	i := slices.IndexFunc(r.bill.Demand, func(x usage.Demand) bool { return x.Kind == d.Kind })
	g.demand, _ = d.Instances(nil, r.start, g.slot, max(0, int(r.endOf([]int{i}).Sub(r.start)/g.slot)), pricing.HalfUp)
	r.leaveGaps(g)
	r.leaveDisturbed(g)
	r.leaveTail(g)
	r.hold(g)
	r.groups = append(r.groups, g)
	return true
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
	return s + ofOwner(k)
}

// ofOwner names whose alone a kind is.
func ofOwner(k usage.Kind) string {
	if k.Owner == "" {
		return ""
	}
	return ", of " + k.Owner
}
