package bills

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/heldfile"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Savings plans that are held.
//
// A savings plan pays for use of many accounts, and what nothing used of it stands in the bill of
// its owner. So each account says what the plan paid for it in each hour, and [Pricer.Held]
// adds up the accounts. An account that is not planned says nothing: what the plan paid for it,
// and what it paid for other use than instances, is not there for the accounts that are planned. Nor
// is what it paid for a kind that is not planned: see [Pricer.inventory].

// savings returns the savings plans that the account holds or uses when the terms begin, with what
// they paid within the hours of the bills, or why the account cannot be planned beside one.
func (p *Pricer) savings(x *group.Terms, all []*commitment) (plans []*commitment, reason string) {
	for _, c := range all {
		if !c.Spend || stated(x, c.ID) {
			continue
		}
		c.Money = p.within(x, &c.Money)
		for i := range c.Paid {
			c.Paid[i] = p.within(x, &c.Paid[i])
		}
		sum := total(&c.Money)
		switch {
		case p.ended(x, &c.Held): // which other accounts may not know
		case x.Paths > 0:
			return plans, fmt.Sprintf("the savings plan %q pays for use of the account, and -futures plans without savings plans: want this account planned without -futures, by -plan with the name of its rates", c.ID)
		case x.Term == 0:
			return plans, fmt.Sprintf("the savings plan %q pays for use of the account, and without -plan it is not known at which rates: want -plan with the name of its rates", c.ID)
		case !strings.EqualFold(c.Provider, x.Provider):
			return plans, fmt.Sprintf("the savings plan %q is of %s, and -plan names one of %s: want accounts of one cloud", c.ID, c.Provider, x.Provider)
		case !strings.EqualFold(c.Unit, x.Currency):
			return plans, fmt.Sprintf("the savings plan %q has its quantities in %q: want %s", c.ID, c.Unit, x.Currency)
		case len(c.hours) > 0 && sum.Sign() <= 0:
			return plans, fmt.Sprintf("the savings plan %q pays for use, and its rows say no money: want CommitmentDiscountQuantity or EffectiveCost in them, or a line for it in -held", c.ID)
		}
		plans = append(plans, c)
	}
	return plans, ""
}

// within returns what of a series is in the hours of the bills.
func (p *Pricer) within(x *group.Terms, s *record.Series) record.Series {
	first := int(s.Start.Sub(p.From) / time.Hour)
	from, to := max(0, -first), min(len(s.Hours), x.Hours-first)
	if from >= to {
		return record.Series{Kind: s.Kind}
	}
	return record.Series{Kind: s.Kind, Start: s.Start.Add(time.Duration(from) * time.Hour), Hours: s.Hours[from:to]}
}

func total(s *record.Series) (sum usage.Amount) {
	for _, a := range s.Hours {
		sum = sum.Plus(a)
	}
	return sum
}

// bound reports whether a bill says that a savings plan pays for one family only: AWS names those
// "EC2InstanceSavingsPlans".
func bound(h *record.Held) bool {
	name := strings.ToLower(strings.ReplaceAll(h.Name, " ", ""))
	return strings.Contains(name, "ec2instance") || strings.Contains(name, "ec2savings")
}

// misfit returns why a kind cannot be planned beside the savings plans that pay for it, nil if it
// can: money that -plan has no rate for, or that may pay for one family only, would go elsewhere.
func (p *Pricer) misfit(x *group.Terms, plans []*commitment, at usage.Kind) error {
	for _, c := range plans {
		for i := range c.Paid {
			switch s := &c.Paid[i]; {
			case p.ended(x, &c.Held) || s.Kind.Plain() != at || total(s).Sign() == 0:
			case p.rates[at] == 0:
				return fmt.Errorf("the savings plan %q pays for it, and -plan %s has no rate for it, so that both are left out: want -plan with the name of a savings plan that has one, or a line for %[1]q in -held", c.ID, p.Plan)
			case bound(&c.Held) && !p.bound:
				return fmt.Errorf("the savings plan %q (%s) pays for one family only, and -plan %s for all, so that both are left out: want -plan with a savings plan of the family, or a line for %[1]q in -held", c.ID, c.Name, p.Plan)
			}
		}
	}
	return nil
}

// inventory returns what the savings plans paid for the kinds that are planned, for others and for
// nothing.
func (p *Pricer) inventory(x *group.Terms, plans []*commitment, used []usage.Demand, planned map[usage.Kind]bool) (all record.Inventory) {
	last := p.From
	for i := range used {
		s := record.Series{Start: p.From, Hours: used[i].Used}
		if _, to := paying(&s); to.After(last) {
			last = to
		}
	}
	for _, c := range plans {
		if _, to := paying(&c.Money); to.After(last) {
			last = to
		}
	}
	for _, c := range plans {
		h := c.Held
		h.Kinds, h.Paid, h.Last = nil, nil, last
		h.Idle = record.Series{Start: h.Money.Start, Hours: slices.Clone(h.Money.Hours)}
		for i := range c.Paid {
			s := c.Paid[i]
			if !planned[s.Kind.Plain()] {
				h.Left.Add(&s)
			}
			s.Hours = slices.Clone(s.Hours)
			for t := range s.Hours {
				s.Hours[t] = s.Hours[t].Scale(-1, 1)
			}
			h.Idle.Add(&s)
		}
		if bound(&h) && !p.bound {
			h.Left.Add(&h.Idle)
			h.Idle = record.Series{}
		}
		all.Merge(&record.Inventory{Held: []record.Held{h}})
	}
	return all
}

// paying returns the first hour of a series that is not 0, and the end of the last: zero times if
// all are.
func paying(s *record.Series) (from, to time.Time) {
	for t, a := range s.Hours {
		if a.Sign() == 0 {
			continue
		}
		if from.IsZero() {
			from = s.Start.Add(time.Duration(t) * time.Hour)
		}
		to = s.Start.Add(time.Duration(t+1) * time.Hour)
	}
	return from, to
}

// end returns when a commitment ends, zero if nothing tells.
func (p *Pricer) end(h *record.Held) time.Time {
	if h.End.IsZero() {
		return p.Until
	}
	return h.End
}

// ended reports whether it is known that a commitment ends before the hours that are planned.
func (p *Pricer) ended(x *group.Terms, h *record.Held) bool {
	end := p.end(h)
	return !end.IsZero() && !end.After(x.Start)
}

// stated reports whether the terms have a commitment of this name already.
func stated(x *group.Terms, id string) bool {
	for i := range x.Held {
		if x.Held[i].ID == id {
			return true
		}
	}
	return false
}

const (
	// silent is how long before the end of the bills a savings plan that has ended paid last.
	silent = 48 * time.Hour
	// recent is over how many hours, the last ones, a savings plan shows what it holds.
	recent = 168 * time.Hour
)

// Held adds to the terms what the savings plans of all accounts hold, and returns those that it
// cannot add. A plan holds in each hour what it paid for use that is planned, and what nothing
// used of it. That is an average over the last week in which it has rows. If the bills say that at
// most a hundredth more was bought, it holds what was bought, since amounts of rows are rounded.
//
// The rows may not say when a plan ends. Then it has ended if it paid nothing in the last two days
// of the bills of the accounts that it paid for. It has also ended if another plan began to pay when
// it ceased. A plan that has ended is among those of the terms, with no money and until it ceased.
func (p *Pricer) Held(x *group.Terms, plans *record.Inventory) (failed []record.Failure) {
	x.Held = slices.Clip(x.Held) // other terms have the same memory
	total := int64(0)
	for _, h := range x.Held {
		total += int64(h.Hourly) // fits: the terms are valid
	}
	begin := make([]time.Time, len(plans.Held)) // of what each paid
	for i := range plans.Held {
		begin[i], _ = paying(&plans.Held[i].Money)
	}
	for i := range plans.Held {
		h := &plans.Held[i]
		end := p.end(h)
		if p.ended(x, h) {
			continue
		}
		if to := ceased(i, plans, begin); h.End.IsZero() && !to.IsZero() {
			x.Held = append(x.Held, group.Commitment{ID: h.ID, Until: to, Assumed: true})
			continue
		}
		hourly, gaps, reason := perHour(h)
		money, err := hourly.Money(pricing.HalfEven)
		sum, overflow := pricing.Money(total).Add(money)
		switch {
		case h.Start.After(x.Start):
			reason = fmt.Sprintf("it begins at %s, after the first hour that is planned, %s: want savings plans that are held then",
				h.Start.UTC().Format(time.RFC3339), x.Start.UTC().Format(time.RFC3339))
		case reason != "":
		case err != nil || overflow != nil:
			reason = fmt.Sprintf("%s: with it the savings plans come to more than %v an hour: want fewer", group.Overflow, pricing.Money(math.MaxInt64))
		case money <= 0:
			reason = fmt.Sprintf("its rows come to %v an hour: want an amount above 0, or a line for it in -held", money)
		default:
			c := group.Commitment{ID: h.ID, Hourly: money, Until: end, Gaps: gaps}
			if end.IsZero() {
				c.Until, c.Assumed = x.At(x.Hours), true
			}
			x.Held, total = append(x.Held, c), int64(sum)
			continue
		}
		failed = append(failed, record.Failure{Reason: fmt.Sprintf("the savings plan %q that is held: %s", h.ID, reason)})
	}
	return failed
}

// ceased returns when a savings plan ceased to pay, zero if it pays at the end of the bills. begin
// is when each began to.
func ceased(n int, plans *record.Inventory, begin []time.Time) time.Time {
	h := &plans.Held[n]
	_, to := paying(&h.Money)
	if to.IsZero() || !to.Before(h.Last) {
		return time.Time{}
	}
	renewed := false
	for i := range plans.Held {
		o := &plans.Held[i]
		renewed = renewed || i != n && o.Provider == h.Provider && !begin[i].Before(to.Add(-time.Hour)) // both may pay in the hour
	}
	if !renewed && h.Last.Sub(to) < silent {
		return time.Time{}
	}
	return to
}

// perHour returns the money of an hour of a savings plan, of how many of the hours that show it there
// is no row, or why there is none.
func perHour(h *record.Held) (money usage.Amount, gaps int, reason string) {
	from, to := paying(&h.Money)
	switch {
	case from.IsZero() && h.PerHour.Sign() > 0:
		return money, 0, "its purchase is in the bills, and no row says what it pays for: want a line for it in -held"
	case from.IsZero():
		return money, 0, ""
	}
	if h.Last.Sub(to) >= silent { // it is bought, and pays for what no row shows
		to = h.Last
	}
	if begin := to.Add(-recent); from.Before(begin) {
		from = begin
	}
	shown := int64(0)
	within := func(s *record.Series) (sum usage.Amount) {
		shown = 0
		for t, a := range s.Hours {
			if at := s.Start.Add(time.Duration(t) * time.Hour); !at.Before(from) && at.Before(to) {
				sum = sum.Plus(a)
				if a.Sign() != 0 {
					shown++
				}
			}
		}
		return sum
	}
	left, idle, all := within(&h.Left), within(&h.Idle), within(&h.Money)
	hours := int64(to.Sub(from) / time.Hour)
	held := all.Plus(left.Scale(-1, 1))
	if left.Sign() > 0 && held.Plus(idle.Scale(-1, 1)).Sign() <= 0 {
		return money, 0, "it paid for no use that is planned at the end of the bills, and for other use: what it paid is not held, want a line for it in -held"
	}
	mean := held.Scale(1, hours)
	if most := h.PerHour.Scale(99, 100); left.Sign() == 0 && mean.Compare(h.PerHour) < 0 && mean.Compare(most) >= 0 {
		return h.PerHour, int(hours - shown), ""
	}
	return mean, int(hours - shown), ""
}

// Stated returns the savings plans that a file of contracts says are held when the terms begin:
// each has an id, as the bills have it, and what it spends an hour in the currency of the terms.
func Stated(contracts []heldfile.Contract, x *group.Terms) (held []group.Commitment, err error) {
	total := pricing.Money(0)
	for i := range contracts {
		c := &contracts[i]
		until, err := c.End(x.Start, time.Hour)
		sum, overflow := total.Add(c.Spend)
		switch {
		case err != nil:
			return nil, fmt.Errorf("contract %d: %w", i, err)
		case c.ID == "" || c.Spend == 0:
			return nil, fmt.Errorf("contract %d: want savings plans, each with an id and spend: reservations are read from the bills", i)
		case slices.ContainsFunc(held, func(h group.Commitment) bool { return h.ID == c.ID }):
			return nil, fmt.Errorf("contract %d: the savings plan %q is there twice: want it once", i, c.ID)
		case overflow != nil:
			return nil, fmt.Errorf("contract %d: with it the savings plans come to more than %v an hour: want fewer", i, pricing.Money(math.MaxInt64))
		}
		total = sum
		held = append(held, group.Commitment{ID: c.ID, Hourly: c.Spend, Until: until})
	}
	return held, nil
}
