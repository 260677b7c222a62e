package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// What the template shows.
type (
	page struct {
		Title, Date, Today, Commitment, Cost, Bound, OnDemand, Saving, End string
		Orders                                                             []pageOrder
		Groups                                                             []pageGroup
		Months                                                             template.HTML
		Expiries                                                           []pageExpiry
		Unused                                                             []pageUnused
		Files                                                              []pageFile
		Missed                                                             []miss
		Notes                                                              []string
		Optimal                                                            bool
		Paths                                                              int
		Ours, Later, Record, Of                                            string
		Terms                                                              []pageTerm
		Not                                                                []pageNot
		Doubts                                                             []string
		Spread                                                             bool
		Currency                                                           string
	}
	pageOrder struct {
		Kind, Class, Units, Upfront, Hourly, Commitment, Until, Saving, LastUse, BreakEven, Payback, Loss, Waiting string

		Risk pageRisk
	}
	pageGroup struct {
		Name, Text, Unit string

		Chart, Fan template.HTML
	}
	pageExpiry struct{ Date, Month, Name, Units, What string }
	pageUnused struct{ Name, Type, Used, Unused, Cost string }
	pageFile   struct {
		Name, Format, Rows, Billed, Classified string
		Left                                   []pageLeft
	}
	pageLeft struct{ Reason, Rows, Billed string }
)

// writeHTML writes the page: one file, no script, nothing from elsewhere.
func (r *results) writeHTML(w io.Writer) error {
	p := page{Title: "Purchase of cloud capacity", Date: r.now.Format("2 January 2006"), End: r.now.Add(r.horizon).Format("2 January 2006"),
		Today: r.amount(r.today), Commitment: r.amount(r.commitment), Cost: r.amount(r.cost), Bound: r.amount(r.bound), OnDemand: r.amount(r.onDemand),
		Saving: r.amount(r.onDemand - r.cost), Months: r.months(), Missed: r.missed, Notes: r.notes, Optimal: r.cost == r.bound, Paths: r.o.futures}
	p.Doubts, p.Record, p.Of, p.Spread = r.doubts, r.recordText(), r.of(), r.spread
	p.Currency = r.bill.Currency
	ours := r.ofToday()
	p.Ours, p.Later = r.amount(ours), r.amount(r.onDemand-r.cost-ours)
	if r.refused != "" {
		p.Notes = append(p.Notes, r.refused)
	}
	if s := r.spending; s != nil {
		p.Orders = append(p.Orders, pageOrder{Kind: "savings plan for " + names(s.groups), Class: s.name, Units: "money", Upfront: r.amount(s.today), Hourly: s.hourly.String(),
			Commitment: r.amount(s.commitment), Until: s.until.Format("2 Jan 2006"), Saving: r.amount(s.without - s.cost), LastUse: "–", BreakEven: "–", Loss: "–", Waiting: "–", Payback: "–"})
	}
	for _, g := range r.groups {
		a, below := g.advice, 0
		for _, h := range g.held {
			below += h.Units
		}
		for _, o := range a.Orders {
			x := pageOrder{Kind: g.name, Class: o.Class, Units: count(o.Units, g.unit), Upfront: r.amount(o.Upfront), Hourly: o.Hourly.String(),
				Commitment: r.amount(o.Commitment),
				Until:      o.Until.Format("2 Jan 2006"), Saving: r.amount(o.Saving), LastUse: share(o.LastUse), BreakEven: share(o.BreakEven),
				Loss: risk(g, &o), Risk: r.riskOf(g, &o, below), Waiting: r.amount(o.Waiting), Payback: "after the forecast"}
			if o.Upfront == 0 && !o.Payback.IsZero() && o.Payback.Sub(a.Now) <= 24*time.Hour {
				x.Payback = "at once, since nothing is paid ahead"
			} else if !o.Payback.IsZero() {
				x.Payback = o.Payback.Format("2 Jan 2006")
			}
			p.Orders = append(p.Orders, x)
			below += o.Units
		}
		p.Terms, p.Not = append(p.Terms, r.byTerm(g)...), append(p.Not, r.notOrdered(g)...)
		for _, k := range a.Held {
			p.Expiries = append(p.Expiries, pageExpiry{k.Expires.Format("2006-01-02"), k.Expires.Format("January 2006"), k.Name, count(k.Units, g.unit), g.name})
		}
		p.Groups = append(p.Groups, pageGroup{g.name, a.Text(), g.unit, r.chart(g), r.fan(g)})
	}
	slices.SortStableFunc(p.Expiries, func(a, b pageExpiry) int { return strings.Compare(a.Date, b.Date) })
	for i := range r.bill.Held {
		h := &r.bill.Held[i]
		if h.Unused.Sign() > 0 || h.UnusedCost.Sign() > 0 {
			p.Unused = append(p.Unused, pageUnused{h.ID, h.Type, brief(h.Used) + " " + h.Unit, brief(h.Unused) + " " + h.Unit, r.exact(h.UnusedCost)})
		}
	}
	for i := range r.bill.Files {
		f := &r.bill.Files[i]
		x := pageFile{Name: f.Name, Format: f.Format, Rows: decimal.Int(int(f.Total.Rows)), Billed: decimal.Grouped(f.Total.Billed.String()),
			Classified: decimal.Grouped(f.Classified().Billed.String())}
		for _, l := range f.Left {
			x.Left = append(x.Left, pageLeft{l.Reason, decimal.Int(int(l.Sum.Rows)), decimal.Grouped(l.Sum.Billed.String())})
		}
		p.Files = append(p.Files, x)
	}
	for _, n := range r.bill.Notes {
		p.Notes = append(p.Notes, noted(&n))
	}
	return pageTemplate.Execute(w, p)
}

func count(n int, unit string) string {
	if n == 1 || strings.ContainsAny(unit, ".0123456789_") {
		return fmt.Sprintf("%d %s", n, unit)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

func share(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// brief writes an amount with two decimals.
func brief(a usage.Amount) string { return fmt.Sprintf("%.2f", a.Float64()) }

// months draws what each month was billed, stacked by what for.
func (r *results) months() template.HTML {
	type part struct {
		class string
		of    func(m *usage.Month) float64
	}
	parts := []part{
		{"demand", func(m *usage.Month) float64 { return m.OnDemand.Billed.Float64() }},
		{"covered", func(m *usage.Month) float64 { return m.Covered.Billed.Float64() + m.Purchases.Billed.Float64() }},
		{"unused", func(m *usage.Month) float64 { return m.Unused.Billed.Float64() }},
		{"other", func(m *usage.Month) float64 { return m.Left.Billed.Float64() }},
	}
	months := r.bill.Months
	if n := len(months); n > 36 {
		months = months[n-36:]
	}
	most := 0.0
	for i := range months {
		sum := 0.0
		for _, p := range parts {
			sum += max(0, p.of(&months[i]))
		}
		most = max(most, sum)
	}
	if most <= 0 || len(months) == 0 {
		return ""
	}
	step := niceStep(most / 4)
	top := math.Ceil(most/step) * step
	const width, height, left, bottom = 720.0, 220.0, 64.0, 24.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="Amounts billed each month">`, width, height+bottom+8)
	for y := 0.0; y <= top*1.0001; y += step {
		at := 8 + height*(1-y/top)
		fmt.Fprintf(&b, `<line class="grid" x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f"/><text x="%.0f" y="%.1f" text-anchor="end">%s</text>`, left,
			width, at, at, left-6, at+4, thousands(y))
	}
	each := (width - left) / float64(len(months))
	for i := range months {
		m, y := &months[i], 8+height
		x := left + each*float64(i)
		for _, p := range parts {
			v := max(0, p.of(m))
			h := height * v / top
			if h > 0 {
				y -= h
				fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="%.2f" width="%.1f" height="%.2f"><title>%s %s: %s</title></rect>`, p.class, x+each*.12, y,
					each*.76, h, m.Start.Format("January 2006"), p.class, thousands(v))
			}
		}
		if every := 1 + len(months)/13; i%every == 0 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="middle">%s</text>`, x+each/2, height+8+16, m.Start.Format("Jan 06"))
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// chart draws the demand of the bill's time with what is held and what is ordered as
// levels behind it: each column of the picture is the mean of its slots, with their
// least and most as a band.
func (r *results) chart(g *group) template.HTML {
	const width, height, left, bottom = 720.0, 200.0, 48.0, 24.0
	n := len(g.demand)
	if n == 0 {
		return ""
	}
	cols := min(n, 336)
	type col struct{ low, mean, high float64 }
	c := make([]col, cols)
	most := 1.0
	for i := range c {
		from, to := i*n/cols, (i+1)*n/cols
		c[i].low = math.Inf(1)
		for _, d := range g.demand[from:to] {
			x := float64(d)
			c[i].low, c[i].high = min(c[i].low, x), max(c[i].high, x)
			c[i].mean += x / float64(to-from)
		}
		most = max(most, c[i].high)
	}
	held, ordered := 0, 0
	for _, h := range g.held {
		held += h.Units
	}
	for _, o := range g.advice.Orders {
		ordered += o.Units
	}
	most = max(most, float64(held+ordered))
	step := max(1, niceStep(most/4))
	top := math.Ceil(most/step) * step
	x := func(i int) float64 { return left + (width-left)*float64(i)/float64(cols) }
	y := func(v float64) float64 { return 8 + height*(1-v/top) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="Demand of %s with what is held and ordered">`, width, height+bottom+8,
		template.HTMLEscapeString(g.name))
	level := func(class string, from, to float64, what string) {
		if to > from {
			fmt.Fprintf(&b, `<rect class="%s" x="%.0f" y="%.2f" width="%.0f" height="%.2f"><title>%s</title></rect>`, class, left, y(to), width-left,
				y(from)-y(to), what)
		}
	}
	level("held", 0, float64(held), fmt.Sprintf("held: %d", held))
	level("order", float64(held), float64(held+ordered), fmt.Sprintf("ordered today: %d", ordered))
	for v := 0.0; v <= top*1.0001; v += step {
		fmt.Fprintf(&b, `<line class="grid" x1="%.0f" x2="%.0f" y1="%.1f" y2="%.1f"/><text x="%.0f" y="%.1f" text-anchor="end">%s</text>`, left,
			width, y(v), y(v), left-6, y(v)+4, thousands(v))
	}
	b.WriteString(`<polygon class="band" points="`)
	for i := range c {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(i), y(c[i].high))
	}
	for i := len(c) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(i), y(c[i].low))
	}
	b.WriteString(`"/><polyline class="line" points="`)
	for i := range c {
		fmt.Fprintf(&b, "%.1f,%.1f ", x(i), y(c[i].mean))
	}
	b.WriteString(`"/>`)
	for i := range 5 {
		at := r.start.Add(time.Duration(float64(n)*float64(i)/4) * r.slotOf(g))
		anchor := []string{"start", "middle", "middle", "middle", "end"}[i]
		fmt.Fprintf(&b, `<text x="%.1f" y="%.0f" text-anchor="%s">%s</text>`, left+(width-left)*float64(i)/4, height+8+16, anchor, at.Format("2 Jan 06"))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// niceStep is the next of 1, 2, 5, 10, ... at or above x.
func niceStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// thousands writes a number as people do on an axis.
func thousands(x float64) string {
	switch {
	case x >= 1e6:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x/1e6), ".0") + "M"
	case x >= 1e4:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x/1e3), ".0") + "k"
	case x == math.Trunc(x):
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
