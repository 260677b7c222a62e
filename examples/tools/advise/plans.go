package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/advice"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// Savings plans beside reservations.
//
// A savings plan pays for kinds of many groups, so all groups that it pays for are planned
// together, by package savings: reservations serve first, then the plan pays for the usage with the
// highest discount, as AWS and Azure apply theirs. Each plan of the price lists is tried by itself, and
// the cheapest is taken, if it is cheaper than reservations alone.

// A spend is a savings plan to commit to.
type spend struct {
	name                 string   // of the plan, with the family that it is bound to
	groups, left         []*group // planned with it; it pays for these, too, and they are not
	hourly               pricing.Money
	term                 time.Duration
	today, commitment    pricing.Money
	cost, bound, without pricing.Money // of the groups until the horizon, with it and without
	optimal              bool
	counts               map[*group][]advice.Count
	unused               pricing.Money // of the plan's money, until the horizon
	until                time.Time
	rates                map[*group]pricing.Money
}

// mostTogether is how many groups are planned with one savings plan: those that cost most on demand.
// The others are named with their money. Time grows with the groups, a second or so for each.
const mostTogether = 24

// A planKey is a savings plan of a price list: those of EC2 are bound to a family in a region.
type planKey struct{ plan, family, region string }

// spend plans savings plans, and has the groups follow the cheapest.
func (r *results) spend(run *cli.Run) error {
	rates := map[planKey]map[*group]pricing.Money{}
	terms := map[planKey]time.Duration{}
	for i := range r.prices.Rates {
		x := &r.prices.Rates[i]
		if !r.permitted(x.Term, planPayment(x.Plan)) || x.Currency != "" && r.bill.Currency != "" && !same(x.Currency, r.bill.Currency) {
			continue
		}
		g := r.groupOf(x)
		if g == nil || !r.o.short && r.history(g) < least(x.Term) {
			continue
		}
		key := planKey{plan: x.Plan, family: x.Family}
		if x.Family != "" {
			key.region = x.Region
		}
		if rates[key] == nil {
			rates[key] = map[*group]pricing.Money{}
		}
		rates[key][g], terms[key] = x.Hourly, x.Term
	}
	keys := slices.SortedFunc(maps.Keys(rates), func(a, b planKey) int {
		return cmp.Or(cmp.Compare(a.plan, b.plan), cmp.Compare(a.family, b.family), cmp.Compare(a.region, b.region))
	})
	var best *spend
	for _, key := range keys {
		run.Showf("planning the savings plan %s", key.plan)
		s, err := r.trySpend(key, terms[key], rates[key])
		if err != nil {
			return cli.Mistakef("savings plan %s: %w", key.plan, err)
		}
		if s != nil && (best == nil || s.without-s.cost > best.without-best.cost) {
			best = s
		}
	}
	if best == nil || best.cost >= best.without {
		return nil
	}
	r.spending = best
	if len(best.left) > 0 {
		var cost pricing.Money
		for _, g := range best.left {
			cost += g.advice.OnDemand
		}
		r.doubts = append(r.doubts, fmt.Sprintf("%s pays for %s more, of %s on demand until the horizon, which are not planned with it: more of it may pay", best.name,
			decimal.Count(len(best.left), "kind"), r.amount(cost)))
	}
	for _, g := range best.groups {
		var err error
		if g.advice, err = advice.Explain(g.request, best.counts[g]); err != nil {
			return cli.Mistakef("%s: %w", g.name, err)
		}
	}
	return nil
}

// record is what -past keeps of a savings plan.
func (s *spend) record(r *results) *recordPlan {
	p := &recordPlan{Name: s.name, Hourly: s.hourly, Until: s.until.Format(time.DateOnly), Saving: s.without - s.cost, Horizon: r.horizon.Seconds()}
	for _, g := range s.groups {
		k := recordRate{Kind: g.name, Unit: g.unit, OnDemand: g.list.OnDemand, Rate: s.rates[g]}
		for _, h := range g.held {
			k.Below += h.Units
		}
		for _, o := range g.advice.Orders {
			k.Below += o.Units
		}
		p.Kinds = append(p.Kinds, k)
	}
	slices.SortStableFunc(p.Kinds, func(a, b recordRate) int {
		return savings.Rates{OnDemand: a.OnDemand, Plan: a.Rate}.Compare(savings.Rates{OnDemand: b.OnDemand, Plan: b.Rate})
	})
	return p
}

// names lists groups.
func names(groups []*group) string {
	var list []string
	for _, g := range groups {
		list = append(list, g.name)
	}
	return strings.Join(list, "; ")
}

// groupOf returns the group whose unit a rate is for, or nil. Owners who share nothing are no part
// of a plan.
func (r *results) groupOf(x *offers.Rate) *group {
	for _, g := range r.groups {
		for j, k := range g.kinds {
			if k.Owner == "" && g.factor[j] == 1 && rateIsOf(x, k) {
				return g
			}
		}
	}
	return nil
}

// rateIsOf reports whether a rate is for a kind.
func rateIsOf(x *offers.Rate, k usage.Kind) bool {
	if !same(k.Type, x.Kind) || !same(k.Region, x.Region) || !same(k.Provider, x.Provider) {
		return false
	}
	k = k.Plain()
	return same(k.System, cmp.Or(x.System, "linux")) && same(k.Tenancy, cmp.Or(x.Tenancy, "shared"))
}

// planPayment returns how a savings plan is paid, by its name.
func planPayment(plan string) string {
	switch {
	case strings.HasSuffix(plan, "all-upfront"):
		return "all"
	case strings.HasSuffix(plan, "partial-upfront"):
		return "partial"
	}
	return "none"
}

// trySpend plans the groups that a savings plan pays for, with it and with reservations. It returns
// nil if nothing of the plan is to be bought today.
func (r *results) trySpend(key planKey, term time.Duration, rates map[*group]pricing.Money) (*spend, error) {
	s := &spend{name: key.plan, term: term, counts: map[*group][]advice.Count{}, rates: rates}
	if key.family != "" {
		s.name = fmt.Sprintf("%s of %s in %s", key.plan, key.family, key.region)
	}
	for _, g := range r.groups {
		if rates[g] > 0 && r.slotOf(g) == r.slot {
			s.groups = append(s.groups, g)
		}
	}
	slices.SortStableFunc(s.groups, func(a, b *group) int { return cmp.Compare(b.advice.OnDemand, a.advice.OnDemand) })
	n := min(len(s.groups), mostTogether)
	s.groups, s.left = s.groups[:n], s.groups[n:]
	if len(s.groups) == 0 || term < r.slot || term%r.slot != 0 {
		return nil, nil
	}
	p := &savings.Problem{Slot: r.slot, Term: term, Every: int(r.o.every / r.slot), Horizon: reserve.Pure}
	if r.o.needEnds {
		p.Horizon = reserve.Full
	}
	type place struct {
		g     *group
		class string
	}
	var places []place
	for i, g := range s.groups {
		p.Types = append(p.Types, savings.Type{Name: g.name, OnDemand: g.list.OnDemand, Plan: rates[g], Paths: g.all(r.o.futures)})
		s.without += g.advice.Cost
		for _, o := range g.offers {
			if o.Billed == pricing.Always {
				p.Classes = append(p.Classes, savings.TypeClass{Type: i, Class: o.Class, Withdrawn: o.Withdrawn})
				places = append(places, place{g, o.Name})
			}
		}
		for _, h := range g.held {
			class := slices.Index(places, place{g, h.Class})
			p.HeldReservations = append(p.HeldReservations, pricing.Holding{Class: class, Count: h.Units, Until: int(h.Expires.Sub(r.now) / r.slot)})
		}
	}
	var solver savings.Solver
	plan, err := solver.Solve(p)
	if err != nil {
		return nil, err
	}
	s.cost, s.bound, s.optimal, s.unused = plan.Cost, plan.Bound, plan.Optimal(), plan.Unused
	for _, c := range plan.Commitments {
		if c.Slot == 0 {
			s.hourly += c.Hourly
		}
	}
	for _, b := range plan.Reservations {
		if b.Slot == 0 {
			at := places[b.Class]
			s.counts[at.g] = append(s.counts[at.g], advice.Count{Class: at.class, Units: b.Count})
		}
	}
	if s.hourly == 0 {
		return nil, nil
	}
	s.until = r.now.Add(term)
	if s.commitment, err = s.hourly.Mul(int64(term / time.Hour)); err != nil {
		return nil, err
	}
	switch planPayment(key.plan) {
	case "all":
		s.today = s.commitment
	case "partial":
		s.today = s.commitment / 2
	}
	return s, nil
}
