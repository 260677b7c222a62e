package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
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
	slot   time.Duration // of -demand; an hour of a bill
	notes  []string

	quality usage.Quality
	doubts  []string // about the bill, that can change the order
	shares  shares
	refused string

	back       *backtests
	record     backtests     // forecasts of earlier days
	horizon    time.Duration // of the futures
	spread     bool          // the futures of some kind differ
	shortKinds int           // for which nothing can be ordered

	spending *spend // the savings plan to commit to, or nil
	past     []record
	outcomes []outcome

	groups  []*group
	missed  []miss
	matched map[string]bool

	today, commitment, cost, bound, onDemand pricing.Money
}

// A priceFile is what became of a price list.
type priceFile struct {
	name   string
	prices *offers.Prices
}

// text writes the results for people.
func (r *results) text(w *table.Page) error {
	if r.back != nil {
		r.back.text(w)
		return nil
	}
	switch r.o.show {
	case showWhy:
		r.textWhy(w)
	case showInputs:
		r.textInputs(w)
	case showOrder:
		r.textOrder(w)
	case showQuality:
		r.textQuality(w)
	default:
		rows := r.rows().([]jsonrows.Row)
		if len(rows) == 0 {
			w.Printf("There is none.\n")
			return nil
		}
		titles, cells := "", [][]string{}
		for i := 0; i < len(rows[0]); i += 2 {
			titles += "|<" + strings.ReplaceAll(rows[0][i].(string), "_", " ")
		}
		for _, row := range rows {
			var line []string
			for i := 1; i < len(row); i += 2 {
				line = append(line, fmt.Sprint(row[i]))
			}
			cells = append(cells, line)
		}
		w.Table(titles[1:], cells)
	}
	r.textPast(w)
	r.textNotes(w)
	if !r.o.reads() {
		r.decide(w)
	}
	return nil
}

// most is how many lines of a kind are written without -show why.
const most = 6

// some writes the first lines, and how many more there are.
func (r *results) some(w *table.Page, lines []string) {
	n := len(lines)
	if r.o.show == showOrder {
		n = min(n, most)
	}
	for _, s := range lines[:n] {
		w.Sayf("%s", s)
	}
	if rest := len(lines) - n; rest > 0 {
		w.Printf("and %d more, with -show why\n", rest)
	}
}

func (r *results) textNotes(w *table.Page) {
	var lines []string
	for _, n := range r.allNotes() {
		lines = append(lines, "note: "+n)
	}
	for _, m := range r.missed {
		lines = append(lines, "not planned: "+m.Kind+", which cost "+r.exact(m.Cost)+": "+m.Why)
	}
	if len(lines) > 0 {
		w.Printf("\n")
	}
	r.some(w, lines)
}

// textOrder writes the orders as a table.
func (r *results) textOrder(w *table.Page) {
	for i := range r.bill.Files {
		f := &r.bill.Files[i]
		w.Sayf("%s: %s rows, %s billed, %s of it classified (-show inputs)", f.Name, decimal.Int(int(f.Total.Rows)), r.exact(f.Total.Billed), decimal.Grouped(f.Classified().Billed.String()))
	}
	r.textDoubts(w)
	var rows [][]string
	var held []string
	for _, g := range r.groups {
		for _, o := range g.advice.Orders {
			rows = append(rows, []string{g.name, o.Class, count(o.Units, g.unit), money(o.Upfront),
				money(o.Commitment), risk(g, &o)})
		}
		for _, k := range g.advice.Held {
			held = append(held, fmt.Sprintf("held: %s of %s, until %s%s", count(k.Units, g.unit), cmp.Or(k.Name, k.Class), k.Expires.Format(time.DateOnly), r.renewal(g, &k)))
		}
	}
	if s := r.spending; s != nil {
		rows = slices.Insert(rows, 0, []string{"savings plan, " + decimal.Count(len(s.groups), "kind"), s.name, s.hourly.Fixed(3) + "/h", money(s.today), money(s.commitment), "–"})
	}
	if len(rows) > 0 {
		w.Printf("\n")
		r.orderTable(w, rows)
	}
	if len(held) > 0 {
		w.Printf("\n")
		r.some(w, held)
	}
}

// orderTable writes orders, the longest names and classes on several lines.
func (r *results) orderTable(w *table.Page, rows [][]string) {
	titles := []string{"order for", "class", "how much", "today", "in all", "risk of"}
	wide := make([]int, len(titles)) // of the columns
	for i, title := range titles {
		wide[i] = len(title)
		for _, row := range rows {
			wide[i] = max(wide[i], utf8.RuneCountInString(row[i]))
		}
	}
	wide[1] = min(wide[1], 12)
	rest := 80
	for _, n := range wide[1:] {
		rest -= 2 + n
	}
	wide[0] = max(12, min(30, rest))
	var lines [][]string
	shown := 0
	for _, row := range rows {
		name, class := table.Fold(row[0], wide[0]), table.Fold(row[1], wide[1])
		n := max(len(name), len(class))
		if len(lines)+n > 2*most && shown > 0 && r.o.show == showOrder {
			break
		}
		for i := range n {
			line := make([]string, len(row))
			if i == 0 {
				copy(line, row)
			}
			line[0], line[1] = "", ""
			if i < len(name) {
				line[0] = name[i]
			}
			if i < len(class) {
				line[1] = class[i]
			}
			lines = append(lines, line)
		}
		shown++
	}
	w.Table("<order for|<class|<how much|today|in all|risk of\na loss", lines)
	if rest := len(rows) - shown; rest > 0 {
		w.Printf("and %d more, with -show why\n", rest)
	}
}

// textWhy writes all that is known about the orders.
func (r *results) textWhy(w *table.Page) {
	r.textInputs(w)
	r.textDoubts(w)
	if s := r.spending; s != nil {
		fmt.Fprintf(w, "\n%s\nSavings plan %s\n\n", strings.Repeat("─", 60), s.name)
		w.Sayf("Commit to %s an hour until %s: %s today, %s in all, used or not.", r.amount(s.hourly), s.until.Format("2 January 2006"), r.amount(s.today), r.amount(s.commitment))
		w.Sayf("It pays for what reservations leave of these kinds, the highest discount first: %s.", names(s.groups))
		w.Sayf("They cost %s with it, %s with reservations alone, and no plan costs less than %s. What it leaves unused costs %s.", r.amount(s.cost), r.amount(s.without),
			r.amount(s.bound), r.amount(s.unused))
		w.Sayf("The figures of the reservations below are those without it.")
	}
	for _, g := range r.groups {
		fmt.Fprintf(w, "\n%s\n%s", strings.Repeat("─", 60), g.advice.Text())
		for _, o := range g.advice.Orders {
			if len(g.kinds) > 0 {
				w.Sayf("If %s is needed no longer, %s.", o.Class, wayOut(g.kinds[0].Provider, g.kinds[0].Type, o.Class))
			}
		}
	}
}

// decide says the order in words.
func (r *results) decide(w *table.Page) {
	if r.refused != "" {
		w.Printf("\n")
		w.Sayf("%s", r.refused)
	}
	if len(r.groups) == 0 {
		return
	}
	units, orders := 0, 0
	optimal := true
	if s := r.spending; s != nil {
		orders, optimal = 1, s.optimal
	}
	for _, g := range r.groups {
		for _, o := range g.advice.Orders {
			units, orders = units+o.Units, orders+1
		}
		optimal = optimal && (g.advice.Optimal || r.spending != nil && slices.Contains(r.spending.groups, g))
	}
	w.Printf("\n")
	by := r.now.Add(r.horizon).Format("2 January 2006")
	day := r.now.Format("2 January 2006")
	if orders == 0 && r.shortKinds == len(r.groups) {
		w.Sayf("Order nothing on %s: the history is too short to order on. The need until %s would cost %s on demand, %s. To order all the same: -little-history.", day, by,
			r.amount(r.onDemand), r.onAverage())
		return
	} else if orders == 0 {
		w.Sayf("Order nothing on %s: the need until %s costs %s %s, with what is ordered later.", day, by, r.amount(r.cost), r.onAverage())
	} else {
		what := decimal.Count(units, "unit")
		if s := r.spending; s != nil {
			what += fmt.Sprintf(" and %s an hour of %s", strings.TrimSpace(r.bill.Currency+" "+s.hourly.Fixed(3)), s.name)
		}
		w.Sayf("Sign on %s: %s of %s, %s today and %s in all over the terms.", day, decimal.Count(orders, "order"), what, r.amount(r.today), r.amount(r.commitment))
		w.Sayf("Until %s the need costs %s with them and later ones, %s with none ever, %s; today's save %s of the difference.", by, r.amount(r.cost),
			r.amount(r.onDemand), r.onAverage(), r.amount(r.ofToday()))
	}
	what := "reservations"
	if s := r.spending; s != nil {
		what += fmt.Sprintf(", and of %s for %s,", s.name, decimal.Count(len(s.groups), "kind"))
	}
	r.textRecord(w)
	if optimal {
		w.Sayf("%s no plan of %s costs less (proved). The reasons and what if: -show why.", r.of(), what)
	} else {
		w.Sayf("%s no plan of %s costs less than %s (proved). The reasons and what if: -show why.", r.of(), what, r.amount(r.bound))
	}
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
		fmt.Fprintf(w, "%s: %s, %s prices, %s used\n", l.name, l.prices.Form, decimal.Int(l.prices.Prices), decimal.Int(l.prices.Used))
		for _, x := range l.prices.Left {
			fmt.Fprintf(w, "  left out: %s: %s\n", x.Reason, decimal.Int(x.Prices))
		}
	}
}

// allNotes returns the notes of the bill and ours.
func (r *results) allNotes() (list []string) {
	for i := range r.bill.Notes {
		list = append(list, noted(&r.bill.Notes[i]))
	}
	return append(list, r.notes...)
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
		return r.bill.Currency + " " + decimal.Grouped(a.String())
	}
	return decimal.Grouped(a.String())
}

// money writes money with two decimals.
func money(m pricing.Money) string { return decimal.Grouped(m.Fixed(2)) }

// amount writes money with two decimals and the currency.
func (r *results) amount(m pricing.Money) string {
	s := money(m)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if r.bill.Currency != "" {
		sign += r.bill.Currency + " "
	}
	return sign + s
}

// rows are the lines of -show for machines. Money is decimal strings.
func (r *results) rows() any {
	if r.back != nil {
		return r.back.rows()
	}
	rows := []jsonrows.Row{}
	add := func(row ...any) { rows = append(rows, row) }
	switch r.o.show {
	case showQuality:
		r.qualityRows(add)
	case showInputs:
		for i := range r.bill.Files {
			f := &r.bill.Files[i]
			c := f.Classified()
			line := func(what string, s usage.Sum) {
				add("file", f.Name, "format", f.Format, "currency", f.Currency, "what", what, "rows", s.Rows, "billed", s.Billed.String(), "effective",
					s.Effective.String(), "list", s.List.String())
			}
			line("total", f.Total)
			line("classified", c)
			for _, l := range f.Left {
				line("left out: "+l.Reason, l.Sum)
			}
		}
	case showDemand:
		for i := range r.bill.Demand {
			d := &r.bill.Demand[i]
			used, covered := d.Hours()
			add("kind", d.Kind.String(), "start", d.Start.Format(time.RFC3339), "slot_seconds", d.Slot.Seconds(), "slots", len(d.Used), "hours",
				used.String(), "covered_hours", covered.String())
		}
	case showHeld:
		for i := range r.bill.Held {
			h := &r.bill.Held[i]
			until := ""
			if !h.End.IsZero() {
				until = h.End.Format(time.DateOnly)
			}
			add("id", h.ID, "type", h.Type, "until", until, "per_hour", h.PerHour.String(), "unit", h.Unit, "used", h.Used.String(), "unused", h.Unused.String(), "use", decimal.Number(r.useOf(h), 6))
		}
	case showOwners:
		r.ownerRows(add)
	default:
		for _, g := range r.groups {
			a := g.advice
			orders := a.Orders
			if len(orders) == 0 {
				orders = []advice.Order{{}}
			}
			for _, o := range orders {
				until, payback := "", ""
				if !o.Until.IsZero() {
					until = o.Until.Format(time.DateOnly)
				}
				if !o.Payback.IsZero() {
					payback = o.Payback.Format(time.DateOnly)
				}
				add("kind", g.name, "class", o.Class, "units", o.Units, "unit", g.unit, "upfront", o.Upfront.String(), "hourly", o.Hourly.String(),
					"commitment", o.Commitment.String(),
					"until", until, "saving", o.Saving.String(), "loss", lossOf(g, &o), "last_use", decimal.Number(o.LastUse, 6), "break_even",
					decimal.Number(o.BreakEven, 6),
					"payback", payback, "waiting", o.Waiting.String(), "date", r.now.Format(time.DateOnly), "currency", r.bill.Currency, "cost", a.Cost.String(),
					"lower_bound", a.Bound.String(), "on_demand_cost", a.OnDemand.String(), "optimal", a.Optimal, "not_planned", "")
			}
		}
		if s := r.spending; s != nil {
			add("kind", "savings plan", "class", s.name, "units", 0, "unit", "money", "upfront", s.today.String(), "hourly", s.hourly.String(), "commitment", s.commitment.String(),
				"until", s.until.Format(time.DateOnly), "saving", (s.without - s.cost).String(), "loss", 0, "last_use", 0, "break_even", 0, "payback", "", "waiting", "0",
				"date", r.now.Format(time.DateOnly), "currency", r.bill.Currency, "cost", s.cost.String(), "lower_bound", s.bound.String(), "on_demand_cost", "0", "optimal", s.optimal,
				"not_planned", "")
		}
		r.pastRows(add)
		for _, m := range r.missed {
			add("kind", m.Kind, "class", "", "units", 0, "cost", m.Cost.String(), "not_planned", m.Why)
		}
	}
	return rows
}
