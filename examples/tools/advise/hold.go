package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

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
	sum := 0.0 // units of the contracts before
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
		serve := r.serves(g, h)
		n := 0
		if !end.IsZero() && end.After(r.now) { // whole units of all contracts together
			n = int(math.Round(sum+serve)) - int(math.Round(sum))
			sum += serve
		} else {
			n = int(math.Round(serve))
		}
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
			if units > 0 && k.Owner == "" && same(h.Type, k.Type) && same(h.Region, k.Region) && same(cmp.Or(h.System, "linux"), cmp.Or(k.System, "linux")) {
				add(cmp.Or(h.ID, h.Type), units*g.factor[j], h.end)
				r.matched[h.ID] = true
			}
		}
	}
}

// idle names the commitments that no group counts, with what they cost in the bill, and the money
// that several groups share.
func (r *results) idle() {
	for i := range r.bill.Held {
		h := &r.bill.Held[i]
		groups := 0
		for _, g := range r.groups {
			if r.serves(g, h) > 0 {
				groups++
			}
		}
		if h.Spend && groups > 1 && h.End.After(r.now) {
			r.notes = append(r.notes, fmt.Sprintf("%s pays for %d kinds, and counts for each with its part of the money: if they take turns, it pays for more than that", h.ID, groups))
		}
		if groups > 0 || !h.End.IsZero() && !h.End.After(r.now) || len(r.groups) == 0 {
			continue
		}
		cost := h.UsedCost.Plus(h.UnusedCost)
		if cost.Sign() == 0 {
			cost = h.Paid
		}
		r.notes = append(r.notes, fmt.Sprintf("committed to and not planned: %s (%s), %s of it in the bill", h.ID, strings.TrimSpace(h.Type+" "+h.Name), r.exact(cost)))
	}
}

// serves is how many units of a group a contract of the bill serves in each hour: its size, in
// the part of its hours, or of a savings plan its money, that were the group's, or where the bill
// does not say the size, the mean that it served.
func (r *results) serves(g *group, h *usage.Held) float64 {
	units, mine, all := 0.0, 0.0, 0.0
	for _, k := range h.Kinds {
		x := k.Hours.Float64()
		all += x
		if j := slices.Index(g.kinds, k.Kind); j >= 0 {
			units, mine = units+x*float64(g.factor[j]), mine+x
		}
	}
	bought := slices.Index(g.kinds, h.Kind)
	if len(h.Kinds) == 0 && bought >= 0 { // nothing has used it
		units, mine, all = float64(g.factor[bought]), 1, 1
	}
	if units <= 0 {
		return 0
	}
	switch per := h.PerHour.Float64(); {
	case h.Spend && h.UsedCost.Sign() > 0: // so much money pays for as many units as its part did
		return per * units / h.UsedCost.Float64()
	case h.Spend || per <= 0:
	case strings.HasPrefix(strings.ToLower(h.Unit), "normali") && g.size > 0: // a small is one normalised unit
		return per * 100 / float64(g.size) * mine / all
	case h.Unit == "Hours" && bought >= 0:
		return per * float64(g.factor[bought]) * mine / all
	case h.Unit == "Hours":
		return per * units / all
	}
	hours := r.bill.End.Sub(r.bill.Start).Hours()
	if !h.Start.IsZero() && h.Start.After(r.bill.Start) {
		hours = r.bill.End.Sub(h.Start).Hours()
	}
	return units / max(1, hours)
}
