package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// results are what was read and what is advised.
type results struct {
	o      *options
	bill   *usage.Bill
	prices offers.Prices
	lists  []priceFile
	own    []ownContract
	start  time.Time     // of the first slot of the bill
	now    time.Time     // of the order
	slot   time.Duration // an hour, or a day
	slots  int           // of the bill
	notes  []string

	groups  []*group
	missed  []miss
	matched map[string]bool

	today, commitment, cost, bound, onDemand pricing.Money
}

// A priceFile is what became of a price list.
type priceFile struct {
	name   string
	report offers.Report
}

// text writes the results for people.
func (r *results) text(w *table.Page) error {
	r.textInputs(w)
	if r.o.inputs {
		return nil
	}
	for _, g := range r.groups {
		fmt.Fprintf(w, "\n%s\n%s", strings.Repeat("─", 60), g.advice.Text())
	}
	if len(r.groups) > 1 {
		fmt.Fprintf(w, "\n%s\nAll kinds: %s today, %s in all over the terms.\n", strings.Repeat("─", 60), r.amount(r.today), r.amount(r.commitment))
		fmt.Fprintf(w, "Until %s: %s with these orders and later ones, %s with none.\n", r.now.Add(r.o.horizon).Format("2 January 2006"), r.amount(r.cost), r.amount(r.onDemand))
		fmt.Fprintf(w, "No plan costs less than %s (proved).\n", r.amount(r.bound))
	}
	for i, m := range r.missed {
		if i == 0 {
			fmt.Fprintf(w, "\nNot planned:\n")
		}
		fmt.Fprintf(w, "  %s: %s\n", m.Kind, m.Why)
	}
	return nil
}

// textInputs writes what became of each file's rows.
func (r *results) textInputs(w *table.Page) {
	for i := range r.bill.Files {
		f := &r.bill.Files[i]
		c := f.Classified()
		fmt.Fprintf(w, "%s: %s, %s rows, %s billed\n", f.Name, f.Format, decimal.Int(int(f.Total.Rows)), r.exact(f.Total.Billed))
		for _, s := range []struct {
			what string
			sum  usage.Sum
		}{{"on demand", f.OnDemand}, {"covered by commitments", f.Covered}, {"commitments unused", f.Unused}, {"purchases", f.Purchases}} {
			if s.sum.Rows > 0 {
				fmt.Fprintf(w, "  %-28s %12s rows  %20s\n", s.what, decimal.Int(int(s.sum.Rows)), s.sum.Billed)
			}
		}
		for _, l := range f.Left {
			fmt.Fprintf(w, "  left out: %-18s %12s rows  %20s\n", l.Reason, decimal.Int(int(l.Sum.Rows)), l.Sum.Billed)
		}
		fmt.Fprintf(w, "  %-28s %12s rows  %20s\n", "classified in all", decimal.Int(int(c.Rows)), c.Billed)
	}
	for _, l := range r.lists {
		fmt.Fprintf(w, "%s: %s, %s prices, %s used\n", l.name, l.report.Form, decimal.Int(l.report.Prices), decimal.Int(l.report.Used))
		for _, x := range l.report.Left {
			fmt.Fprintf(w, "  left out: %s: %s\n", x.Reason, decimal.Int(x.Prices))
		}
	}
	for _, n := range r.bill.Notes {
		fmt.Fprintf(w, "note: %s\n", noted(&n))
	}
	for _, n := range r.notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
}

// noted is a note of the bill: the file, the line of the first row where the file has lines,
// and how many rows with how much.
func noted(n *usage.Note) string {
	at := n.File
	if n.Line > 0 {
		at += fmt.Sprintf(", line %d", n.Line)
	}
	at += ": " + n.Text
	if n.Rows > 1 {
		at += fmt.Sprintf(" (%s rows, %s billed)", decimal.Int(int(n.Rows)), n.Billed)
	}
	return at
}

func (r *results) exact(a usage.Amount) string {
	if r.bill.Currency != "" {
		return r.bill.Currency + " " + a.String()
	}
	return a.String()
}

// amount writes money with two decimals and the currency.
func (r *results) amount(m pricing.Money) string {
	s := m.Fixed(2)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, cents, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if r.bill.Currency != "" {
		sign += r.bill.Currency + " "
	}
	return sign + whole + "." + cents
}

// The object of -json. Money is decimal strings.
type (
	jsonResults struct {
		Inputs     []jsonInput  `json:"inputs"`
		Prices     []jsonPrices `json:"prices"`
		Notes      []string     `json:"notes"`
		Date       string       `json:"date"`
		Currency   string       `json:"currency"`
		Orders     []jsonOrder  `json:"orders"`
		Demand     []jsonDemand `json:"demand"`
		Held       []jsonHeld   `json:"held"`
		NotPlanned []miss       `json:"not_planned"`
		Today      string       `json:"today"`
		Commitment string       `json:"commitment"`
		Cost       string       `json:"cost"`
		Bound      string       `json:"bound"`
		OnDemand   string       `json:"on_demand_cost"`
		Saving     string       `json:"saving"`
		Optimal    bool         `json:"optimal"`
	}
	jsonInput struct {
		File       string     `json:"file"`
		Format     string     `json:"format"`
		Rows       int64      `json:"rows"`
		Currency   string     `json:"currency"`
		Billed     string     `json:"billed"`
		Classified string     `json:"classified"`
		Effective  string     `json:"effective"`
		List       string     `json:"list"`
		LeftOut    []jsonLeft `json:"left_out"`
	}
	jsonLeft struct {
		Reason string `json:"reason"`
		Rows   int64  `json:"rows"`
		Billed string `json:"billed"`
	}
	jsonPrices struct {
		File   string `json:"file"`
		Format string `json:"format"`
		Prices int    `json:"prices"`
		Used   int    `json:"used"`
	}
	jsonOrder struct {
		Kind       string  `json:"kind"`
		Class      string  `json:"class"`
		Units      int     `json:"units"`
		Unit       string  `json:"unit"`
		Upfront    string  `json:"upfront"`
		Hourly     string  `json:"hourly"`
		Commitment string  `json:"commitment"`
		Until      string  `json:"until"`
		Saving     string  `json:"saving"`
		Loss       float64 `json:"loss"`
		LastUse    float64 `json:"last_use"`
		BreakEven  float64 `json:"break_even"`
		Payback    string  `json:"payback,omitempty"`
		Waiting    string  `json:"waiting"`
	}
	jsonDemand struct {
		Kind         string  `json:"kind"`
		SlotSeconds  float64 `json:"slot_seconds"`
		Start        string  `json:"start"`
		Slots        int     `json:"slots"`
		Hours        string  `json:"hours"`
		CoveredHours string  `json:"covered_hours"`
	}
	jsonHeld struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		PerHour string `json:"per_hour"`
		Unit    string `json:"unit"`
		Used    string `json:"used"`
		Unused  string `json:"unused"`
		Expires string `json:"expires,omitempty"`
	}
)

// object is the results as -json prints them.
func (r *results) object() any {
	j := jsonResults{Inputs: []jsonInput{}, Prices: []jsonPrices{}, Notes: []string{}, Orders: []jsonOrder{}, Demand: []jsonDemand{}, Held: []jsonHeld{}, NotPlanned: []miss{},
		Currency: r.bill.Currency, Date: r.now.Format(time.DateOnly)}
	for i := range r.bill.Files {
		f := &r.bill.Files[i]
		in := jsonInput{File: f.Name, Format: f.Format, Rows: f.Total.Rows, Currency: f.Currency, Billed: f.Total.Billed.String(),
			Classified: f.Classified().Billed.String(), Effective: f.Total.Effective.String(), List: f.Total.List.String(), LeftOut: []jsonLeft{}}
		for _, l := range f.Left {
			in.LeftOut = append(in.LeftOut, jsonLeft{l.Reason, l.Sum.Rows, l.Sum.Billed.String()})
		}
		j.Inputs = append(j.Inputs, in)
	}
	for _, l := range r.lists {
		j.Prices = append(j.Prices, jsonPrices{l.name, l.report.Form, l.report.Prices, l.report.Used})
	}
	for _, n := range r.bill.Notes {
		j.Notes = append(j.Notes, noted(&n))
	}
	j.Notes = append(j.Notes, r.notes...)
	for i := range r.bill.Demand {
		d := &r.bill.Demand[i]
		used, covered := d.Hours()
		j.Demand = append(j.Demand, jsonDemand{d.Kind.String(), d.Slot.Seconds(), d.Start.Format(time.RFC3339), len(d.Used), used.String(), covered.String()})
	}
	for i := range r.bill.Held {
		h := &r.bill.Held[i]
		x := jsonHeld{ID: h.ID, Type: h.Type, PerHour: h.PerHour.String(), Unit: h.Unit, Used: h.Used.String(), Unused: h.Unused.String()}
		if !h.End.IsZero() {
			x.Expires = h.End.Format(time.RFC3339)
		}
		j.Held = append(j.Held, x)
	}
	if r.o.inputs {
		return struct {
			Inputs []jsonInput  `json:"inputs"`
			Prices []jsonPrices `json:"prices"`
			Notes  []string     `json:"notes"`
			Demand []jsonDemand `json:"demand"`
			Held   []jsonHeld   `json:"held"`
		}{j.Inputs, j.Prices, j.Notes, j.Demand, j.Held}
	}
	j.Optimal = true
	for _, g := range r.groups {
		j.Optimal = j.Optimal && g.advice.Optimal
		for _, o := range g.advice.Orders {
			x := jsonOrder{Kind: g.name, Class: o.Class, Units: o.Units, Unit: g.unit, Upfront: o.Upfront.String(), Hourly: o.Hourly.String(), Commitment: o.Commitment.String(),
				Until: o.Until.Format(time.DateOnly), Saving: o.Saving.String(), Loss: o.Loss, LastUse: o.LastUse, BreakEven: o.BreakEven, Waiting: o.Waiting.String()}
			if !o.Payback.IsZero() {
				x.Payback = o.Payback.Format(time.DateOnly)
			}
			j.Orders = append(j.Orders, x)
		}
	}
	j.NotPlanned = append(j.NotPlanned, r.missed...)
	j.Today, j.Commitment, j.Cost, j.Bound, j.OnDemand = r.today.String(), r.commitment.String(), r.cost.String(), r.bound.String(), r.onDemand.String()
	if s, err := r.onDemand.Sub(r.cost); err == nil {
		j.Saving = s.String()
	}
	return j
}
