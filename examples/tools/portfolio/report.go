package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

func (r *results) rows() any {
	var rows []jsonrows.Row
	over := func(x, y pricing.Money) any {
		if y == 0 {
			return nil
		}
		return decimal.Number(x.Float64()/y.Float64(), 9)
	}
	for _, g := range r.groups {
		for i, s := range g.series {
			for _, a := range g.rows {
				x := a.outcomes[i]
				row := jsonrows.Row{"series", s.name, "source", s.source, "weeks", s.weeks, "algo", a.algo}
				if a.class >= 0 {
					row = append(row, "class", r.in.list.Classes[a.class].Name)
				}
				row = append(row, "cost", x.cost, "ratio", over(x.cost, g.row(hindsight).outcomes[i].cost), "saving", nil)
				if od := g.row(odOnly).outcomes[i].cost; od != 0 {
					row[len(row)-1] = decimal.Number(1-x.cost.Float64()/od.Float64(), 9)
				}
				if gap := g.unsure[i]; a.algo == hindsight && !math.IsInf(gap, 1) {
					row = append(row, "gap", decimal.Number(gap, 9))
				}
				if a.bound {
					rows = append(rows, row)
					continue
				}
				total := x.ledger.total()
				row = append(row, "bought", x.bought(), "reserved_hours", decimal.Number(total.reserved, 6), "idle", decimal.Number(total.idle(), 9),
					"on_demand", decimal.Number(total.rented(), 9))
				if len(x.purchases) > 0 {
					row = append(row, "first_week", x.purchases[0].Slot/s.every)
				}
				if x.decisions > 0 {
					row = append(row, "decisions", x.decisions, "mean_s", decimal.Seconds(x.mean()), "max_s", decimal.Seconds(x.longest))
				}
				if len(x.purchases) > 0 {
					var purchases []jsonrows.Row
					for _, q := range x.purchases {
						purchases = append(purchases, jsonrows.Row{"week", q.Slot / s.every, "class", r.in.list.Classes[q.Class].Name, "count", q.Count})
					}
					row = append(row, "purchases", purchases)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// bought returns the number of reservations.
func (x *outcome) bought() (n int) {
	for _, q := range x.purchases {
		n += q.Count
	}
	return n
}

// mean returns the mean time of a decision.
func (x *outcome) mean() time.Duration { return x.took / time.Duration(x.decisions) }

// text writes the tables with their explanations.
func (r *results) text(w *table.Page) error {
	several := len(r.groups) > 1 || len(r.groups[0].series) > 1
	if several {
		r.writeRatios(w)
	}
	for k := range r.groups {
		g := &r.groups[k]
		if several && (r.o.each || len(g.series) == 1) {
			for i := range g.series {
				w.Printf("\n%s\n\n", table.Clip(g.series[i].name, 80))
				g.writeCosts(w, i, i+1)
			}
		}
		if several && len(g.series) > 1 {
			w.Printf("\nTotal of %s\n\n", g.source.several(len(g.series)))
		}
		if len(g.series) > 1 || !several {
			g.writeCosts(w, 0, len(g.series))
		}
		w.Printf("\n")
		g.writeComparisons(w, r.in)
	}
	if !several {
		g := &r.groups[0]
		writePurchases(w, r.in, g.series[0], g.row(online).outcomes[0])
	}
	cost := "pure cost, without what is left of terms"
	if r.o.total {
		cost = "all that is spent"
	}
	w.Printf("\nCost is %s. Saving is over on demand.\n"+
		"Idle is the part of the reserved hours that is not used. Weeks count from 0.\n"+
		"eq5 is a bound and not a plan: it rents reservations by the week.\n"+
		"Times are those of a weekly decision, several being made at once.\n", cost)
	return nil
}

// writeRatios writes the table of costs over hindsight, a row for each series.
func (r *results) writeRatios(w *table.Page) {
	titles := "<cost over\nhindsight"
	for _, a := range r.groups[0].rows[1:] {
		title := strings.TrimPrefix(a.algo, "online-")
		if at := strings.LastIndexByte(title, '-'); at >= 0 {
			title = title[:at+1] + "\n" + title[at+1:]
		}
		titles += "|" + title
	}
	var rows [][]string
	for _, g := range r.groups {
		for i, s := range g.series {
			cells := []string{table.Clip(s.name, 18)}
			for _, a := range g.rows[1:] {
				cells = append(cells, ratio(a.outcomes[i].cost, g.rows[0].outcomes[i].cost, 3))
			}
			rows = append(rows, cells)
		}
		if len(g.series) > 1 {
			cells := []string{g.source.several(len(g.series))}
			for _, a := range g.rows[1:] {
				cells = append(cells, ratio(a.cost, g.rows[0].cost, 3))
			}
			rows = append(rows, cells)
		}
	}
	w.Table(titles, rows)
}

// ratio is a cost over another, nothing where that is 0.
func ratio(x, y pricing.Money, decimals int) string {
	if y == 0 {
		return "-"
	}
	return decimal.Grouped(decimal.Fixed(x.Float64()/y.Float64(), decimals))
}

// writeCosts writes the table of the algorithms, in total for the series from one to
// before another.
func (g *group) writeCosts(w *table.Page, from, to int) {
	cost := func(a *row) pricing.Money {
		sum := pricing.Money(0)
		for _, x := range a.outcomes[from:to] {
			sum += x.cost // fits: the total does
		}
		return sum
	}
	best, od := cost(g.row(hindsight)), cost(g.row(odOnly))
	decimals := 2
	if od.Float64() >= 1e6 { // cents are beside the point
		decimals = 0
	}
	var rows [][]string
	for i := range g.rows {
		a := &g.rows[i]
		c := cost(a)
		saving := "-"
		if od != 0 {
			saving = percent(1 - c.Float64()/od.Float64())
		}
		cells := []string{a.algo, decimal.Grouped(c.Fixed(decimals)), ratio(c, best, 4), saving, "-", "-", "-", "-"}
		if !a.bound {
			bought := 0
			var sum account
			var longest, took time.Duration
			decisions := 0
			for _, x := range a.outcomes[from:to] {
				bought += x.bought()
				sum.add(x.ledger.total())
				longest = max(longest, x.longest)
				took += x.took
				decisions += x.decisions
			}
			cells[4] = decimal.Int(bought)
			if sum.reserved > 0 {
				cells[5] = percent(sum.idle())
			}
			if decisions > 0 {
				cells[6] = milliseconds(took/time.Duration(decisions), 2)
				cells[7] = milliseconds(longest, 1)
			}
		}
		rows = append(rows, cells)
	}
	w.Table("<algorithm|cost|over\nhindsight|saving|bought|idle|ms,\nmean|ms,\nmost", rows)
}

// writeComparisons says how online compares with each restricted portfolio, and why it
// loses where it does.
func (g *group) writeComparisons(w *table.Page, in *input) {
	mine := g.row(online)
	several := len(g.series) > 1
	if text := g.doubt(); text != "" {
		w.Sayf("%s", text)
	}
	for _, a := range g.rows {
		if !strings.HasPrefix(a.algo, online+"-") {
			continue
		}
		name := a.algo
		if a.class >= 0 {
			name += " (" + in.list.Classes[a.class].Name + ")"
		}
		wins, losses, same := 0, 0, true
		for i, x := range a.outcomes {
			switch y := mine.outcomes[i]; {
			case y.cost < x.cost:
				wins++
			case y.cost > x.cost:
				losses++
			}
			same = same && slices.Equal(x.purchases, mine.outcomes[i].purchases)
		}
		text := compared(mine.cost, a.cost, name)
		if several {
			var counts []string
			for _, c := range []struct {
				n    int
				what string
			}{{wins, "cheaper"}, {losses, "dearer"}, {len(g.series) - wins - losses, "as dear"}} {
				if c.n > 0 {
					counts = append(counts, fmt.Sprintf("%s for %d", c.what, c.n))
				}
			}
			text += " in total"
			switch of := g.source.several(len(g.series)); {
			case same:
			case wins == len(g.series):
				text += ", and for each of the " + of
			default:
				text += fmt.Sprintf("; of the %s it is %s", of, strings.Join(counts, " and "))
			}
		}
		if same && a.algo != odOnly {
			text += ", since it buys the same: the other classes are left alone"
		}
		w.Sayf("%s", text+".")
		for i := range a.outcomes {
			if mine.outcomes[i].cost > a.outcomes[i].cost {
				w.Sayf("%s", g.why(i, &a, in))
			}
		}
	}
	if text := g.shunned(in); text != "" {
		w.Sayf("%s", text)
	}
}

// doubt says for which series hindsight is not proved to be the optimum.
func (g *group) doubt() string {
	var list []string
	for i, x := range g.unsure {
		switch {
		case math.IsInf(x, 1):
			list = append(list, g.series[i].name+" all of its cost")
		case x > 0:
			list = append(list, g.series[i].name+" "+percent(x))
		}
	}
	if list == nil {
		return ""
	}
	return "Hindsight is the best plan found, and not proved to be the optimum; it is above that by at most: " + strings.Join(list, ", ") + "."
}

// compared says how the online portfolio does against another.
func compared(mine, theirs pricing.Money, name string) string {
	x, y := mine.Float64(), theirs.Float64()
	switch {
	case mine == theirs:
		return "online costs what " + name + " does"
	case mine < theirs:
		return fmt.Sprintf("online beats %s by %s", name, percent(1-x/y))
	case theirs == 0:
		return fmt.Sprintf("online loses to %s, which costs nothing", name)
	}
	return fmt.Sprintf("online loses to %s by %s", name, percent(x/y-1))
}

// why says where and why the online portfolio loses to another for a series.
func (g *group) why(i int, a *row, in *input) string {
	s := g.series[i]
	mine, theirs := g.row(online).outcomes[i], a.outcomes[i]
	x := explain(mine.ledger, theirs.ledger, g.row(hindsight).outcomes[i].ledger)
	var b strings.Builder
	if len(g.series) > 1 {
		fmt.Fprintf(&b, "- %s: ", s.name)
	} else {
		b.WriteString("- ")
	}
	lost := mine.cost.Float64() - theirs.cost.Float64()
	by := "by all it costs"
	if theirs.cost > 0 {
		by = "by " + percent(lost/theirs.cost.Float64())
	}
	fmt.Fprintf(&b, "it loses %s, %s. ", by, amount(lost))
	if in.total {
		left := lost - (mine.ledger.total().cost() - theirs.ledger.total().cost())
		fmt.Fprintf(&b, "Of that, %s is for what is left of terms at the end. ", amount(left))
	}
	if x.to == 0 {
		return strings.TrimSpace(b.String())
	}
	span := fmt.Sprintf("weeks %d to %d", x.from, x.to-1)
	if x.to == x.from+1 {
		span = fmt.Sprintf("week %d", x.from)
	}
	fmt.Fprintf(&b, "Most is lost in %s, %s: fees %s, use %s, on demand %s. ", span, amount(x.more),
		signed(x.mine.fees-x.theirs.fees), signed(x.mine.use-x.theirs.use), signed(x.mine.rent-x.theirs.rent))
	hours := float64(x.to-x.from) * week.Hours()
	held := func(a account, l *ledger) string {
		var classes []string
		for k, c := range in.list.Classes {
			if n := l.mean(k, x.from, x.to); n > 0 {
				classes = append(classes, decimal.Fixed(n, 1)+" "+c.Name)
			}
		}
		if classes == nil {
			return "none"
		}
		return fmt.Sprintf("%s reserved (%s), %s idle", decimal.Fixed(a.reserved/hours, 1), strings.Join(classes, ", "), percent(a.idle()))
	}
	fmt.Fprintf(&b, "For a demand of %s on average it had %s; the other %s; hindsight %s. ", decimal.Fixed(x.mine.demand/hours, 1),
		held(x.mine, mine.ledger), held(x.theirs, theirs.ledger), held(x.best, g.row(hindsight).outcomes[i].ledger))
	first := func(c *outcome) string {
		if len(c.purchases) == 0 {
			return "never"
		}
		return fmt.Sprintf("in week %d", c.purchases[0].Slot/s.every)
	}
	switch x.cause {
	case overBought:
		b.WriteString("It had over-bought: more than hindsight.")
	case underBought:
		fmt.Fprintf(&b, "It had under-bought: it first buys %s, the other %s.", first(mine), first(theirs))
	case late:
		fmt.Fprintf(&b, "It was late: it first buys %s, the other %s.", first(mine), first(theirs))
	case otherClasses:
		b.WriteString("It had as many as hindsight, of other classes.")
	}
	return b.String()
}

// shunned names the classes that not even hindsight buys.
func (g *group) shunned(in *input) string {
	used := make([]bool, len(in.list.Classes))
	any := false
	for _, x := range g.row(hindsight).outcomes {
		for _, q := range x.purchases {
			used[q.Class] = true
			any = true
		}
	}
	var names []string
	for k, c := range in.list.Classes {
		if !used[k] {
			names = append(names, c.Name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case !any:
		return "Hindsight buys nothing."
	}
	return "Hindsight buys none of " + strings.Join(names, ", ") + "."
}

// maxLines is how many purchases are listed.
const maxLines = 20

// writePurchases writes what the online portfolio bought.
func writePurchases(w *table.Page, in *input, s *series, x *outcome) {
	if len(x.purchases) == 0 {
		w.Printf("\nonline buys nothing.\n")
		return
	}
	w.Printf("\nWhat online buys:\n\n")
	hours := week.Hours()
	var rows [][]string
	for _, q := range x.purchases[:min(maxLines, len(x.purchases))] {
		at := q.Slot / s.every
		planned := "-"
		if !math.IsNaN(x.ahead[at]) {
			planned = decimal.Fixed(x.ahead[at], 1)
		}
		rows = append(rows, []string{
			decimal.Int(at), table.Clip(in.list.Classes[q.Class].Name, 20), decimal.Int(q.Count),
			decimal.Fixed(x.ledger.weeks[at-1].demand/hours, 1), planned,
			decimal.Fixed(x.ledger.weeks[at].demand/hours, 1),
			decimal.Fixed(x.ledger.weeks[at].reserved/hours, 0),
		})
	}
	w.Table("week|<class|buys|demand of\nthe week\nbefore|planned\nfor|demand of\nthe week|then\nactive", rows)
	if rest := x.purchases[len(rows):]; len(rest) > 0 {
		count := 0
		for _, q := range rest {
			count += q.Count
		}
		w.Printf("and %s of %s; -json has them.\n", decimal.Count(len(rest), "more purchase"), decimal.Count(count, "reservation"))
	}
}

// percent has a decimal, or as many, up to six, as it takes to tell x from 0.
func percent(x float64) string {
	decimals := 1
	for x != 0 && math.Abs(100*x) < .5*math.Pow10(-decimals) {
		if decimals++; decimals > 6 {
			return "less than 0.000001%"
		}
	}
	return decimal.Fixed(100*x, decimals) + "%"
}

func amount(x float64) string { return decimal.Grouped(decimal.Fixed(x, 0)) }

func signed(x float64) string {
	if x < 0 {
		return "−" + amount(-x)
	}
	return "+" + amount(x)
}

func milliseconds(d time.Duration, decimals int) string {
	return decimal.Grouped(decimal.Fixed(d.Seconds()*1000, decimals))
}
