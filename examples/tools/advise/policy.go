package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// payment returns how a class is paid: none, partial or all of its price ahead.
func payment(c *pricing.Class) string {
	switch {
	case c.Upfront == 0:
		return "none"
	case c.Hourly == 0:
		return "all"
	}
	return "partial"
}

// soon is how long before a contract ends the answer says what to renew.
const soon = 90 * 24 * time.Hour

// renewal says what the plan buys when a contract of a group ends, if that is soon.
func (r *results) renewal(g *group, k *advice.Kept) string {
	left := k.Expires.Sub(r.now)
	if left > soon {
		return ""
	}
	n, class := 0, ""
	for _, l := range g.advice.Later {
		if d := l.When.Sub(k.Expires); d >= -r.o.every && d <= r.o.every {
			n, class = n+l.Units, l.Class
		}
	}
	text := fmt.Sprintf(" (in %d days", int(left.Hours()/24))
	if n == 0 {
		return text + "; the plan renews nothing then)"
	}
	return text + fmt.Sprintf("; the plan then buys %s of %s)", count(n, g.unit), class)
}

// useOf returns the share of a commitment that was used in the time of the bill.
func (r *results) useOf(h *usage.Held) float64 {
	all := h.Used.Plus(h.Unused).Float64()
	if h.Unused.Sign() == 0 {
		from, to := r.bill.Start, r.bill.End
		if h.Start.After(from) {
			from = h.Start
		}
		if !h.End.IsZero() && h.End.Before(to) {
			to = h.End
		}
		all = max(all, h.PerHour.Float64()*to.Sub(from).Hours())
	}
	if all <= 0 {
		return 0
	}
	return h.Used.Float64() / all
}

// most returns how many units of an order -least-use and -most-share permit. Before is how many are
// held or ordered before them, and held how many of these are held.
func (r *results) most(g *group, o *advice.Order, held, before int) int {
	n := o.Units
	if r.o.mostShare > 0 {
		sum, cells := 0.0, 0
		for _, path := range g.request.Paths {
			for _, d := range path {
				sum, cells = sum+float64(d), cells+1
			}
		}
		n = min(n, max(0, int(r.o.mostShare*sum/float64(cells))-before))
	}
	if r.o.leastUse > 0 {
		low, slot := 0, r.slotOf(g) // low is permitted
		term := min(len(g.request.Paths[0]), int(o.Until.Sub(r.now)/slot))
		for high := n; low < high; {
			mid, needed := (low+high+1)/2, 0
			for _, path := range g.request.Paths {
				for t, d := range path[:term] {
					units := before - held + mid // those ordered before these, and these
					for _, c := range g.held {
						if c.Expires.After(r.now.Add(time.Duration(t) * slot)) {
							units += c.Units
						}
					}
					if d >= units {
						needed++
					}
				}
			}
			if float64(needed) >= r.o.leastUse*float64(term*len(g.request.Paths)) {
				low = mid
			} else {
				high = mid - 1
			}
		}
		n = low
	}
	return n
}

// permitted reports whether -terms and -payments permit a contract.
func (r *results) permitted(term time.Duration, payment string) bool {
	years := fmt.Sprintf("%.0fy", term.Hours()/8760)
	return (len(r.o.terms) == 0 || slices.Contains(r.o.terms, years)) && (len(r.o.payments) == 0 || slices.Contains(r.o.payments, payment))
}

// ownerRows adds an object for each owner: what its instances cost, and its share, which is its share
// of an order, too.
func (r *results) ownerRows(add func(row ...any)) {
	var all usage.Amount
	for _, s := range r.bill.Owners {
		all = all.Plus(s.Effective)
	}
	for _, name := range slices.Sorted(maps.Keys(r.bill.Owners)) {
		s := r.bill.Owners[name]
		share := 0.0
		if all.Sign() > 0 {
			share = s.Effective.Float64() / all.Float64()
		}
		add("owner", name, "rows", s.Rows, "billed", s.Billed.String(), "effective", s.Effective.String(), "share", decimal.Number(share, 6))
	}
}

// azureRefunds is what Azure refunds of reservations in twelve months, in dollars.
const azureRefunds = 50_000

// wayOut says what can be done with a contract that is needed no longer, as its cloud sells it.
func wayOut(provider, kind, class string) string {
	database := strings.HasPrefix(kind, "db.") || strings.HasPrefix(kind, "cache.")
	switch {
	case provider == "aws" && strings.Contains(class, "convertible"):
		return "it can be exchanged for others of at least its value, and not be sold"
	case provider == "aws" && strings.Contains(class, "standard") && !database:
		return "what is left of its term can be sold on the marketplace, where the payment ahead brings what a buyer gives, less a fee of 12%; it is not taken back"
	case provider == "azure":
		return "it can be exchanged, and Azure refunds USD 50,000 of reservations in twelve months"
	}
	return "it is neither taken back nor sold on"
}

// judgeExits says what of the orders cannot be undone, and what is not planned though it is sold.
func (r *results) judgeExits() {
	var owed pricing.Money
	var google usage.Amount
	for _, g := range r.groups {
		for _, k := range g.kinds[:min(1, len(g.kinds))] {
			for _, o := range g.advice.Orders {
				if k.Provider == "azure" {
					owed += o.Commitment
				}
			}
		}
	}
	if beyond := owed - azureRefunds*pricing.Unit; beyond > 0 {
		r.doubts = append(r.doubts, fmt.Sprintf("%s of the order is beyond the USD 50,000 of reservations that Azure refunds in twelve months, and can only be exchanged", r.amount(beyond)))
	}
	for i := range r.bill.Demand {
		if d := &r.bill.Demand[i]; d.Kind.Provider == "gcp" {
			google = google.Plus(d.Paid)
		}
	}
	if google.Sign() > 0 {
		r.notes = append(r.notes, fmt.Sprintf("not planned: Google's flexible commitments to spend, which no price list has, and which pay for all of %s on demand; resource-based ones are",
			r.exact(google)))
	}
}
