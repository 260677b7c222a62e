package bills

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/record"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// Savings plans that are held.
//
// A savings plan pays for use of many accounts, and what nothing used of it stands in the bill of
// its owner. So each account says what the plan paid for it in each hour, and [Pricer.Held]
// adds up the accounts. An account that is not planned says nothing: what the plan paid for it,
// and what it paid for other use than instances, is not there for the accounts that are planned.

// savings returns the savings plans that the account holds or uses when the terms begin, or why the
// account cannot be planned beside one.
func (p *Pricer) savings(x *group.Terms, all []*commitment) (plans record.Inventory, reason string) {
	for _, c := range all {
		if !c.Spend || stated(x, c.ID) {
			continue
		}
		end := p.end(&c.Held)
		ended := !end.IsZero() && !end.After(x.Start) // which other accounts may not know
		// What it paid within the hours of the bills.
		first := int(c.Money.Start.Sub(p.From) / time.Hour)
		from, to := max(0, -first), min(len(c.Money.Hours), x.Hours-first)
		money, sum := record.Series{}, usage.Amount{}
		if from < to {
			money = record.Series{Start: c.Money.Start.Add(time.Duration(from) * time.Hour), Hours: c.Money.Hours[from:to]}
		}
		for _, a := range money.Hours {
			sum = sum.Plus(a)
		}
		switch {
		case ended:
		case x.Term == 0:
			return plans, fmt.Sprintf("the savings plan %q pays for use of the account, and without -plan it is not known at which rates: want -plan with the name of its rates", c.ID)
		case !strings.EqualFold(c.Provider, x.Provider):
			return plans, fmt.Sprintf("the savings plan %q is of %s, and -plan names one of %s: want accounts of one cloud", c.ID, c.Provider, x.Provider)
		case !strings.EqualFold(c.Unit, x.Currency):
			return plans, fmt.Sprintf("the savings plan %q has its quantities in %q: want %s", c.ID, c.Unit, x.Currency)
		case len(c.hours) > 0 && sum.Sign() <= 0:
			return plans, fmt.Sprintf("the savings plan %q pays for use, and its rows say no money: want CommitmentDiscountQuantity or EffectiveCost in them, or a line for it in -held", c.ID)
		}
		h := c.Held
		h.Kinds, h.Money = nil, money
		plans.Merge(&record.Inventory{Held: []record.Held{h}})
	}
	return plans, ""
}

// end returns when a commitment ends, zero if nothing tells.
func (p *Pricer) end(h *record.Held) time.Time {
	if h.End.IsZero() {
		return p.Until
	}
	return h.End
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

// Held adds to the terms what the savings plans of all accounts hold, and returns those that it
// cannot add. A plan holds in each hour what it paid on average in the hours in which it has
// rows, or what was bought if that is at most a hundredth more: amounts of rows are rounded.
func (p *Pricer) Held(x *group.Terms, plans *record.Inventory) (failed []record.Failure) {
	x.Held = slices.Clip(x.Held) // other terms have the same memory
	total := int64(0)
	for _, h := range x.Held {
		total += int64(h.Hourly) // fits: the terms are valid
	}
	for i := range plans.Held {
		h := &plans.Held[i]
		money, err := perHour(h).Money(pricing.HalfEven)
		sum, fits := wide.Add(total, int64(money))
		reason, end := "", p.end(h)
		switch {
		case !end.IsZero() && !end.After(x.Start):
			continue
		case err != nil || !fits:
			reason = fmt.Sprintf("%s: with it the savings plans come to more than %v an hour: want fewer", group.Overflow, pricing.Money(math.MaxInt64))
		case money <= 0:
			reason = fmt.Sprintf("its rows come to %v an hour: want an amount above 0, or a line for it in -held", money)
		case h.Start.After(x.Start):
			reason = fmt.Sprintf("it begins at %s, after the first hour that is planned, %s: want savings plans that are held then", h.Start.UTC().Format(time.RFC3339), x.Start.UTC().Format(time.RFC3339))
		default:
			c := group.Commitment{ID: h.ID, Hourly: money, Until: end}
			if end.IsZero() {
				c.Until, c.Assumed = x.At(x.Hours), true
			}
			x.Held, total = append(x.Held, c), sum
			continue
		}
		failed = append(failed, record.Failure{Reason: fmt.Sprintf("the savings plan %q that is held: %s", h.ID, reason)})
	}
	return failed
}

// perHour returns the money of an hour of a savings plan.
func perHour(h *record.Held) usage.Amount {
	var sum usage.Amount
	n := int64(0)
	for _, a := range h.Money.Hours {
		if a.Sign() != 0 {
			sum, n = sum.Plus(a), n+1
		}
	}
	if n == 0 {
		return h.PerHour
	}
	mean := sum.Scale(1, n)
	if most := h.PerHour.Scale(99, 100); mean.Compare(h.PerHour) < 0 && mean.Compare(most) >= 0 {
		return h.PerHour
	}
	return mean
}

// ReadHeld reads the savings plans that a file of CSV says are held when the terms begin. It has
// the columns id, hourly, from and until, in any order: money an hour in the currency of the terms,
// and times as 2025-11-01 or in RFC 3339. from and until may be empty or missing: held already,
// and held through the hours of the terms. The error names the line.
func ReadHeld(in io.Reader, x *group.Terms) (held []group.Commitment, err error) {
	r := csv.NewReader(in)
	header, err := r.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	at := map[string]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
		if _, again := at[name]; again || !slices.Contains(heldColumns, name) {
			return nil, fmt.Errorf("line 1: the column %q: want id, hourly, from and until, each once", name)
		}
		at[name] = i
	}
	for _, name := range heldColumns[:2] {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("line 1: no column %s: want a header with id, hourly, from and until", name)
		}
	}
	total := pricing.Money(0)
	lines := map[string]int{}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return held, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		field := func(name string) string {
			if i, ok := at[name]; ok {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		bad := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
		}
		c := group.Commitment{ID: field("id"), Until: x.At(x.Hours)}
		if c.ID == "" {
			return nil, bad("no id: want the name of the savings plan, as the bills have it")
		}
		if before, ok := lines[c.ID]; ok {
			return nil, bad("the savings plan %q is in line %d, too: want it once", c.ID, before)
		}
		lines[c.ID] = line
		if c.Hourly, err = pricing.ParseMoney(field("hourly")); err != nil || c.Hourly <= 0 {
			return nil, bad("hourly is %q: want money an hour above 0, such as 1.25", field("hourly"))
		}
		if total, err = total.Add(c.Hourly); err != nil {
			return nil, bad("with this line the savings plans come to more than %v an hour: want fewer", pricing.Money(math.MaxInt64))
		}
		var from time.Time
		for i, to := range [...]*time.Time{&from, &c.Until} {
			name := heldColumns[2+i]
			if s := field(name); s != "" {
				if *to, err = usage.ParseTime(s); err != nil {
					return nil, bad("%s is %q: want a day such as 2025-11-01, or a time such as 2025-11-01T06:00:00Z", name, s)
				}
			}
		}
		if from.After(x.Start) {
			return nil, bad("the savings plan %q begins at %s, after the first hour that is planned, %s: want savings plans that are held then", c.ID, from.Format(time.RFC3339), x.Start.Format(time.RFC3339))
		}
		if !c.Until.After(from) {
			return nil, bad("the savings plan %q ends at %s and begins at %s: want an end after it", c.ID, c.Until.Format(time.RFC3339), from.Format(time.RFC3339))
		}
		held = append(held, c)
	}
}

// heldColumns are the columns of a file of savings plans; the first two are needed.
var heldColumns = []string{"id", "hourly", "from", "until"}
