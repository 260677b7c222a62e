package advice

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// day writes a date as people do.
func day(t time.Time) string { return t.Format("2 January 2006") }

// amount writes money with two decimals and separators: USD 1,234,567.89.
func (a *Advice) amount(m pricing.Money) string {
	s := m.Fixed(2)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, cents, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if a.Currency != "" {
		return sign + a.Currency + " " + whole + "." + cents
	}
	return sign + whole + "." + cents
}

// units writes a number of units: 1 instance, 5 instances.
func (a *Advice) units(n int) string {
	if n == 1 || strings.ContainsAny(a.Unit, ".0123456789_") { // a name, such as m5.large
		return fmt.Sprintf("%d %s", n, a.Unit)
	}
	return fmt.Sprintf("%d %ss", n, a.Unit)
}

func percent(x float64) string {
	p := 100 * x
	switch {
	case p == math.Round(p):
		return fmt.Sprintf("%.0f%%", p)
	case p > 99.9 || p < .1:
		return fmt.Sprintf("%.2f%%", p)
	}
	return fmt.Sprintf("%.1f%%", p)
}

// counts lists what is bought: "5 of 1y, 2 of 3y", or "nothing".
func counts(list []Count) string {
	if len(list) == 0 {
		return "nothing"
	}
	var s []string
	for _, c := range list {
		s = append(s, fmt.Sprintf("%d of %s", c.Units, c.Class))
	}
	return strings.Join(s, ", ")
}

// Text returns the answer in words: the order first, then what supports it, in lines
// of 80 columns at most where names and amounts allow it.
func (a *Advice) Text() string {
	var b page
	kind := ""
	if a.Kind != "" {
		kind = " of " + a.Kind
	}
	b.line("Purchase%s on %s", kind, day(a.Now))
	b.line("")
	if len(a.Orders) == 0 {
		b.line("Order nothing today.")
	} else {
		b.line("Order today:")
	}
	for i := range a.Orders {
		a.orderText(&b, &a.Orders[i])
	}
	if len(a.Orders) > 0 {
		b.line("")
		b.line("To sign: %s today, %s in all over the terms.", a.amount(a.Today), a.amount(a.Commitment))
	}
	a.costText(&b)
	a.doubtText(&b)
	a.laterText(&b)
	a.heldText(&b)
	if len(a.Cut) > 0 {
		b.line("")
		b.line("The terms of %s are no whole number of slots. They count as the whole slots in them, at the whole price.", strings.Join(a.Cut, ", "))
	}
	return b.String()
}

// A page is text in lines.
type page struct{ strings.Builder }

func (b *page) line(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// orderText says what an order costs, saves and risks.
func (a *Advice) orderText(b *page, o *Order) {
	b.line("")
	b.line("  %s of %s", a.units(o.Units), o.Class)
	b.line("    you pay      %s", a.payments(o))
	b.line("    you save     %s net%s, by %s", a.amount(o.Saving), a.onAverage(), day(a.End))
	if o.Upfront == 0 && !o.Payback.IsZero() && o.Payback.Sub(a.Now) <= 24*time.Hour {
		b.line("    money back   at once, since nothing is paid ahead")
	} else if o.Payback.IsZero() {
		b.line("    money back   not before %s, where the forecast ends", day(a.End))
	} else {
		b.line("    money back   on %s", day(o.Payback))
	}
	b.line("    last unit    is needed %s of the time; a unit pays from %s on", percent(o.LastUse), percent(o.BreakEven))
	b.line("    risk         %s", a.futures(o.Loss))
	if o.Waiting >= 0 {
		b.line("    waiting      until %s costs %s", day(a.Next), a.amount(o.Waiting))
	} else {
		b.line("    waiting      until %s saves %s, but for the orders beside this one", day(a.Next), a.amount(-o.Waiting))
	}
}

// costText compares the plan with other plans.
func (a *Advice) costText(b *page) {
	b.line("")
	if a.Paths == 1 {
		b.line("Until %s, by this one forecast:", day(a.End))
	} else {
		b.line("Until %s, on average over %s:", day(a.End), plural(a.Paths, "possible future"))
	}
	row := func(what string, m pricing.Money, more string) { b.line("  %-40s %s%s", what, a.amount(m), more) }
	row("nothing ordered, now or later", a.OnDemand, "")
	row("nothing ordered before "+day(a.Next), a.Waiting, "")
	row("with this order and later ones", a.Cost, "")
	row("no plan costs less than", a.Bound, " (proved)")
	if a.Optimal {
		b.line("  So this plan is the cheapest.")
	} else {
		b.line("  So this plan is within %s of the cheapest.", percent(a.gap()))
	}
	if a.Pure {
		b.line("  A contract that outlives that day counts with its price's share until then.")
	} else {
		b.line("  A contract that outlives that day counts in full, as if worthless afterwards.")
	}
}

// doubtText says what would be ordered under other assumptions.
func (a *Advice) doubtText(b *page) {
	b.line("")
	b.line("If other assumptions hold, today's order would be:")
	if a.Paths > 1 {
		b.line("  low demand, the %s quantile of the futures:  %s", percent(a.Low.Quantile), counts(a.Low.Orders))
		b.line("  high demand, the %s quantile of the futures: %s", percent(a.High.Quantile), counts(a.High.Orders))
	}
	if a.Pure {
		b.line("  no need after %s: %s", day(a.End), counts(a.Other.Orders))
	} else {
		b.line("  the need goes on after %s: %s", day(a.End), counts(a.Other.Orders))
	}
}

// laterText lists what the plan expects to buy later.
func (a *Advice) laterText(b *page) {
	if len(a.Later) == 0 {
		return
	}
	b.line("")
	b.line("Expected later (not an order; decide again then):")
	for i, l := range a.Later {
		if i == 12 {
			b.line("  ... and %d more", len(a.Later)-i)
			break
		}
		b.line("  %-18s %s of %s, %s up front", day(l.When), a.units(l.Units), l.Class, a.amount(l.Upfront))
	}
}

// heldText lists the contracts held.
func (a *Advice) heldText(b *page) {
	if len(a.Held) == 0 {
		return
	}
	b.line("")
	b.line("Held:")
	for _, k := range a.Held {
		name := k.Class
		if k.Name != "" {
			name = k.Name + " (" + k.Class + ")"
		}
		sold := ""
		if !k.Sold {
			sold = "; not for sale"
		}
		b.line("  %s of %s, until %s, needed %s of the time%s", a.units(k.Units), name, day(k.Expires), percent(k.Use), sold)
	}
}

// payments says what is paid for an order, and when.
func (a *Advice) payments(o *Order) string {
	today := "nothing today"
	if o.Upfront != 0 {
		today = a.amount(o.Upfront) + " today"
	}
	end := "\n                 " + a.amount(o.Commitment) + " in all until " + day(o.Until) + ", used or not"
	switch {
	case o.Hourly == 0:
		return fmt.Sprintf("%s and nothing later, until %s", today, day(o.Until))
	case o.Commitment == o.Upfront:
		return fmt.Sprintf("%s and %s per %s-hour that is used,\n                 until %s", today, a.amountFine(o.Hourly), a.Unit, day(o.Until))
	}
	return fmt.Sprintf("%s and %s per %s-hour;%s", today, a.amountFine(o.Hourly), a.Unit, end)
}

// onAverage says of an amount that it is a mean.
func (a *Advice) onAverage() string {
	if a.Paths == 1 {
		return ""
	}
	return ", on average"
}

// futures says how likely a loss is.
func (a *Advice) futures(p float64) string {
	switch {
	case a.Paths == 1 && p == 0:
		return "no loss in this forecast; one path says nothing about the odds"
	case a.Paths == 1:
		return "a loss in this forecast, which orders beside this one make good"
	case p == 0:
		return fmt.Sprintf("a loss in none of the %d futures", a.Paths)
	}
	return fmt.Sprintf("a loss in %s of the futures", percent(p))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// amountFine writes a price per hour with the decimals that it has, two at least.
func (a *Advice) amountFine(m pricing.Money) string {
	s := m.String()
	whole, frac, _ := strings.Cut(s, ".")
	for len(frac) < 2 {
		frac += "0"
	}
	if a.Currency != "" {
		return a.Currency + " " + whole + "." + frac
	}
	return whole + "." + frac
}
