package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

func (r *results) rows() any {
	classes := r.in.problem.Prices.Classes
	rows := []jsonrows.Row{}
	for i := range r.shown {
		x := &r.shown[i]
		reservations := 0
		for _, p := range x.purchases {
			reservations += p.Count
			if r.o.purchases {
				row := jsonrows.Row{"algo", x.algo.name, "slot", r.slot(p), "class", classes[p.Class].Name, "count", p.Count}
				if r.in.nodes != nil {
					row = append(row, "node", r.in.nodes[p.Slot])
				}
				rows = append(rows, row)
			}
		}
		if r.o.purchases {
			continue
		}
		row := jsonrows.Row{"algo", x.algo.name}
		if x.class >= 0 {
			row = append(row, "class", classes[x.class].Name)
		}
		row = append(row, "cost", x.cost.String(), "lower_bound", nil)
		if bound, by, ok := r.boundOf(x); ok {
			row[len(row)-1] = bound.String()
			row = append(row, "bound", by)
		}
		row = append(row, "gap", jsonrows.Number(x.gap, 9), "saving", decimal.Number(x.saving, 9), "seconds", decimal.Seconds(x.took),
			"purchases", len(x.purchases), "reservations", reservations)
		if r.o.budget >= 0 {
			row = append(row, "spent", r.budgeted.Spent, "price_of_money", r.budgeted.Price)
		}
		if r.in.nodes != nil {
			row = append(row, "root", cli.Series(r.at(x, 0), "and"))
		}
		rows = append(rows, row)
	}
	return rows
}

// boundOf returns the lower bound that stands beside a result, and whose it is.
func (r *results) boundOf(x *result) (bound pricing.Money, by string, ok bool) {
	if x.algo.bound {
		return x.cost, x.algo.name, true
	}
	return r.bound, r.boundBy, r.boundBy != ""
}

// text writes the table with its explanations, and the purchases of a single plan.
func (r *results) text(w *table.Page) error {
	o, classes := r.o, r.in.problem.Prices.Classes
	var rows [][]string
	perClass := false
	for i := range r.shown {
		x := &r.shown[i]
		class := "any"
		switch {
		case x.class >= 0:
			class = table.Clip(classes[x.class].Name, 12)
		case len(x.purchases) == 0:
			class = "none"
		}
		perClass = perClass || x.algo.oneClass && len(classes) > 1
		if x.algo.bound {
			class = "bound"
		}
		lower := "-"
		if bound, _, ok := r.boundOf(x); ok {
			lower = r.money(bound)
		}
		rows = append(rows, []string{x.algo.name, class, r.money(x.cost), percent(x.saving, 1), lower, gap(x.gap), milliseconds(x.took)})
	}
	w.Table("<algorithm|<class|cost|saving|lower bound|gap|ms", rows)
	w.Printf("\n")
	if o.pure {
		w.Printf("Cost is pure cost, without what is left of terms. Saving is over on demand.\n")
	} else {
		w.Printf("Cost is all that is spent. Saving is over on demand.\n")
	}
	switch r.boundBy {
	case boundExact:
		w.Printf("The lower bound is the optimum, which exact proves. The gap is over it.\n")
	case "eq5":
		w.Printf("The lower bound is Eq. (5) of [Niu16]. A gap over the optimum is no larger.\n")
	case boundLP:
		if r.o.budget >= 0 {
			w.Printf("The lower bound is that of any plan within the budget.\n")
			break
		}
		w.Printf("The lower bound is that of exact's linear program. A gap over the optimum is\nno larger.\n")
	case "":
		w.Printf("There is no lower bound for this problem.\n")
	}
	if perClass {
		w.Printf("Rules for one class were run for each, and are shown with the cheapest class.\n")
	}
	for _, s := range r.missing() {
		w.Sayf("%s", s)
	}
	if o.algo != nil && !o.algo.bound {
		if err := r.writeUses(w, &r.shown[0]); err != nil {
			return err
		}
	}
	r.decide(w)
	return nil
}

// decide says in words what the cheapest plan buys first.
func (r *results) decide(w *table.Page) {
	x, p, o := r.picked(), &r.in.problem, r.o
	if x == nil || x.algo.bound {
		return
	}
	now := r.at(x, 0)
	later, last := 0, 0
	for _, q := range x.purchases {
		if q.Slot > 0 {
			later, last = later+q.Count, q.Slot
		}
	}
	if p.Tree != nil {
		later = 0 // writeTree says what, in which case
	}
	text := "Buy nothing at the start"
	if len(now) > 0 {
		text = "Buy " + cli.Series(now, "and") + " at the start"
	}
	if later > 0 {
		text += fmt.Sprintf(", %s more until day %s", decimal.Int(later), day(last, p.Slot))
	}
	text += fmt.Sprintf(" (%s): %s in all, %s less than on demand", x.algo.name, r.money(x.cost), percent(x.saving, 1))
	if x.gap == 0 && r.boundBy != "" {
		text += "; no plan costs less"
	}
	w.Printf("\n")
	w.Sayf("%s.", text)
	switch b := &r.budgeted; {
	case o.budget < 0:
	case b.Price == 0:
		w.Sayf("The budget of %s does not bind: %s are spent up front.", r.money(o.budget), r.money(b.Spent))
	default:
		w.Sayf("%s of the budget of %s are spent up front; the last 1,000 of the budget save about %s.",
			r.money(b.Spent), r.money(o.budget), r.money(1000*b.Price))
	}
}

// maxLines is how many purchases are listed without -purchases.
const maxLines = 10

func (r *results) lines(n int) int {
	if r.o.purchases {
		return n
	}
	return min(maxLines, n)
}

// writeUses writes what the purchases of a plan do.
func (r *results) writeUses(w *table.Page, x *result) error {
	p := &r.in.problem
	if len(x.purchases) == 0 {
		w.Printf("\nNothing is bought.\n")
		return nil
	}
	switch {
	case p.Tree != nil:
		return r.writeTree(w, x)
	case p.Paths != nil:
		return r.writeOutlook(w, x)
	}
	uses, err := reserve.AppendUses(nil, p, x.purchases)
	if err != nil {
		return err
	}
	// By class.
	type total struct{ count, served, active, saved float64 }
	totals := make([]total, len(p.Prices.Classes))
	for _, u := range uses {
		t := &totals[u.Purchase.Class]
		t.count += float64(u.Purchase.Count)
		t.served += float64(u.Slots)
		term := int(p.Prices.Classes[u.Purchase.Class].Term / p.Slot)
		t.active += float64(u.Purchase.Count) * float64(min(term, len(p.Demand)-u.Purchase.Slot))
		t.saved += u.Saved.Float64()
	}
	demand := 0.0
	for _, d := range p.Demand {
		demand += float64(d)
	}
	left := demand - float64(x.onDemand)
	var rows [][]string
	for k, t := range totals {
		if t.count == 0 {
			continue
		}
		rows = append(rows, []string{
			table.Clip(p.Prices.Classes[k].Name, 20),
			decimal.Grouped(decimal.Fixed(t.count, 0)),
			decimal.Grouped(decimal.Fixed(t.served, 0)),
			percent(t.served/demand, 1),
			percent(t.served/t.active, 1),
			decimal.Grouped(decimal.Fixed(t.saved, r.decimals())),
		})
		left -= t.served
	}
	other := func(name string, served float64) {
		if served > 0 {
			rows = append(rows, []string{name, "", decimal.Grouped(decimal.Fixed(served, 0)), percent(served/demand, 1), "", ""})
		}
	}
	other("held before", left)
	other("on demand", float64(x.onDemand))
	w.Printf("\n")
	w.Table("<class|bought|slots\nserved|of the\ndemand|used|saves", rows)
	w.Printf("\n")
	rows = rows[:0]
	for _, u := range uses[:r.lines(len(uses))] {
		paid := "never"
		if u.BreakEven >= 0 {
			paid = day(u.BreakEven+1, p.Slot)
		}
		rows = append(rows, []string{
			decimal.Int(u.Purchase.Slot), day(u.Purchase.Slot, p.Slot), table.Clip(p.Prices.Classes[u.Purchase.Class].Name, 20),
			decimal.Int(u.Purchase.Count), decimal.Int(int(u.Slots)), percent(u.Utilisation, 1), paid, r.money(u.Saved),
		})
	}
	w.Table("slot|day|<class|buy|slots\nserved|used|paid back\non day|saves", rows)
	if rest := uses[len(rows):]; len(rest) > 0 {
		count, saved := 0, 0.0
		for _, u := range rest {
			count += u.Purchase.Count
			saved += u.Saved.Float64()
		}
		w.Printf("and %s of %s, which save %s in all;\n-purchases lists them.\n", decimal.Count(len(rest), "more purchase"),
			decimal.Count(count, "reservation"), decimal.Grouped(decimal.Fixed(saved, r.decimals())))
	}
	w.Printf("Days and slots count from 0. A purchase is paid back when it has saved its fee.\n")
	return nil
}

// writeOutlook writes what not knowing the path costs, and the purchases of a plan.
func (r *results) writeOutlook(w *table.Page, x *result) error {
	p := &r.in.problem
	outlook, err := new(reserve.Exact).Outlook(p, x.purchases)
	if err != nil {
		return err
	}
	sorted := slices.Sorted(slices.Values(outlook.PathCosts))
	w.Printf("\n")
	w.Table("<what not knowing the path costs|mean cost|over the plan", [][]string{
		{"knowing each path: a perfect forecast", r.money(outlook.Hindsight), r.money(outlook.Hindsight - outlook.Cost)},
		{"the plan", r.money(outlook.Cost), r.money(0)},
		{"planning for the mean path", r.money(outlook.MeanPath), r.money(outlook.MeanPath - outlook.Cost)},
	})
	w.Sayf("On the cheapest path the plan costs %s, on the median path %s, on the dearest %s.",
		r.money(sorted[0]), r.money(sorted[(len(sorted)-1)/2]), r.money(sorted[len(sorted)-1]))
	w.Printf("\n")
	var rows [][]string
	for i, q := range x.purchases[:r.lines(len(x.purchases))] {
		rows = append(rows, []string{
			decimal.Int(q.Slot), day(q.Slot, p.Slot), table.Clip(p.Prices.Classes[q.Class].Name, 20),
			decimal.Int(q.Count), percent(outlook.Losses[i], 1),
		})
	}
	w.Table("slot|day|<class|buy|loses money\nwith probability", rows)
	if rest := x.purchases[len(rows):]; len(rest) > 0 {
		w.Printf("and %s; -purchases lists them.\n", decimal.Count(len(rest), "more purchase"))
	}
	w.Printf("Days and slots count from 0.\n")
	return nil
}

// day returns when a slot begins, in days.
func day(slot int, length time.Duration) string {
	return decimal.Grouped(decimal.Fixed(float64(slot)*length.Hours()/24, 1))
}

// decimals is with how many decimals amounts are printed: none where cents are
// beside the point, and would take a table beyond 80 columns.
func (r *results) decimals() int {
	if r.onDemand.Float64() >= 10e6 {
		return 0
	}
	return 2
}

func (r *results) money(m pricing.Money) string { return decimal.Grouped(m.Fixed(r.decimals())) }

func percent(x float64, decimals int) string { return decimal.Fixed(100*x, decimals) + "%" }

func gap(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return percent(x, 3)
}

func milliseconds(d time.Duration) string {
	return decimal.Grouped(decimal.Fixed(d.Seconds()*1000, 3))
}

// writeSVG draws the demand, the part that each class serves, and the purchases.
func (r *results) writeSVG(w io.Writer) error {
	p, x := &r.in.problem, r.picked()
	n := len(r.in.curve)
	s := svgplot.Stack{
		Title: fmt.Sprintf("Demand and what serves it: %s, %s (%s%% less than on demand)",
			x.algo.name, r.money(x.cost), decimal.Fixed(100*x.saving, 1)),
		To: time.Duration(n) * p.Slot,
	}
	// What is active of each class, and in all.
	active := make([][]int, len(p.Prices.Classes))
	open := func(class, from, to, count int) {
		if active[class] == nil {
			active[class] = make([]int, n+1)
		}
		active[class][from] += count
		active[class][min(n, to)] -= count
	}
	for _, h := range p.Held {
		open(h.Class, 0, h.Until, h.Count)
	}
	for _, q := range x.purchases {
		open(q.Class, q.Slot, q.Slot+int(p.Prices.Classes[q.Class].Term/p.Slot), q.Count)
	}
	// They serve by use price, the lowest first.
	order := slices.DeleteFunc(classfile.ByUsePrice(p.Prices), func(k int) bool { return active[k] == nil })
	total := make([]int, n)
	layer := make([]int, len(p.Prices.Classes))
	for i, k := range order {
		count := 0
		served := make([]int, n)
		for t := range n {
			count += active[k][t]
			total[t] += count
			served[t] = min(total[t], r.in.curve[t])
		}
		layer[k] = i
		s.Layers = append(s.Layers, svgplot.Layer{Name: p.Prices.Classes[k].Name, Class: k, Points: steps.AppendSpans(nil, served, p.Slot)})
	}
	s.Demand = steps.AppendSpans(nil, r.in.curve, p.Slot)
	if len(order) > 0 {
		s.Reserved = steps.AppendSpans(nil, total, p.Slot)
	}
	for _, q := range x.purchases {
		s.Marks = append(s.Marks, svgplot.Mark{At: time.Duration(q.Slot) * p.Slot, Layer: layer[q.Class], Count: q.Count})
	}
	return svgplot.WriteStack(w, s)
}
