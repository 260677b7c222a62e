package liu21

import (
	"fmt"
	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// shown are the planners that were asked for.
func (r *results) shown() []plannerName {
	var list []plannerName
	for p := range planners {
		if r.plain[p] != nil {
			list = append(list, p)
		}
	}
	return list
}

// tabulate adds a table with a title.
func tabulate(w *table.Page, title, columns string, rows [][]string) {
	w.Printf("\n%s\n\n", title)
	w.Table(columns, rows)
}

// writePlans compares the plans, in each centre and in all, without and with sharing:
// Fig. 8.
func (r *results) writePlans(w *table.Page) {
	for i := range len(r.centres) + 1 {
		if i == len(r.centres) && i == 1 {
			break
		}
		all := i == len(r.centres)
		title, onDemand := "All centres", r.onDemand
		if !all {
			c := r.centres[i]
			title, onDemand = table.Clip(c.Name, 60), c.OnDemand*pricing.Money(c.Total)
		}
		rows := [][]string{{"on demand", "", centres.Dollars(onDemand), "", "", "", "", "", ""}}
		for _, p := range r.shown() {
			x := r.plain[p]
			count, cost, used, held, s, saved := x.Count, x.Cost, x.Used, x.Held, &x.Shared.Total, x.Saved()
			if !all {
				a := x.Plans[i]
				count, cost, used, held, s, saved = a.Count, a.Cost, a.Used, a.Held, &x.Shared.Centres[i], x.SavedOf(i)
			}
			rows = append(rows, []string{
				p.String(), decimal.Int(int(count)), centres.Dollars(cost), centres.Percent(centres.Share(onDemand-cost, onDemand)), centres.Use(used, held),
				centres.Dollars(s.Cost()), centres.Percent(saved), centres.Use(int64(s.Own+s.Lent), held), decimal.Int(s.Lent),
			})
		}
		tabulate(w, title, "<plan|reser-\nvations|cost, $|saved|used|shared:\ncost, $|further\nsaved|used|lent,\nhours", rows)
	}
	w.Printf("\n")
	seen := ""
	if slices.ContainsFunc(r.shown(), plannerName.Rolls) {
		seen = fmt.Sprintf(" Rolling horizons see %s.", decimal.Count(r.o.lambda, "hour"))
	}
	w.Sayf("Saved is over on demand, further saved by sharing (Algorithm 3) over the plan without; used is the share of what is reserved. "+
		"A centre's cost with sharing has what it pays to others, less what these pay to it.%s", seen)
}

// writePaths says which data moves where: Table 3.
func (r *results) writePaths(w *table.Page) {
	if len(r.centres) < 2 {
		return
	}
	names := r.shortNames()
	for part := range r.beside() {
		var rows [][]string
		for i := range r.centres {
			for j := range r.centres {
				if i == j {
					continue
				}
				row := []string{names[i], names[j]}
				for _, p := range part {
					row = append(row, centres.Gigabytes(r.plain[p].Shared.Flows[i][j].Sent, 1))
				}
				rows = append(rows, row)
			}
		}
		row := []string{"all", ""}
		for _, p := range part {
			row = append(row, centres.Gigabytes(r.plain[p].Shared.Total.Sent, 1))
		}
		tabulate(w, "Data sent, GB", "<from|<to"+headings(part), append(rows, row))
	}
}

// shortNames are the centres' names cut to a few characters, with their numbers where
// that makes them alike.
func (r *results) shortNames() []string {
	const width = 10
	var names []string
	for _, c := range r.centres {
		names = append(names, table.Clip(c.Name, width))
	}
	for i, a := range names {
		for _, b := range names[:i] {
			if a == b {
				for i, c := range r.centres {
					names[i] = table.Clip(fmt.Sprintf("%d %s", i+1, c.Name), width)
				}
				return names
			}
		}
	}
	return names
}

// beside are the planners that were asked for, as many as fit beside each other in a
// table: rolling horizons stand in a table of their own if there are more.
func (r *results) beside() iter.Seq[[]plannerName] {
	list := r.shown()
	fits, rolling := 8, slices.IndexFunc(list, plannerName.Rolls)
	if len(list) > fits && rolling > 0 {
		fits = rolling
	}
	return slices.Chunk(list, fits)
}

// headings are the planners' names, in two lines where they are long, as columns.
func headings(list []plannerName) (text string) {
	for _, p := range list {
		text += "|" + strings.NewReplacer("rho-", "rho-\n", "periodic", "peri-\nodic", "printed", "prin-\nted", "deferred", "de-\nferred").Replace(p.String())
	}
	return text
}

// writeErrors says what errors of the prediction do: Fig. 9 and Table 4.
func (r *results) writeErrors(w *table.Page) {
	var rows [][]string
	for _, p := range r.shown() {
		for _, x := range r.erred[p] {
			rows = append(rows, []string{
				p.String(), string(decimal.Number(100*x.Error, 6)) + "%", centres.Dollars(x.Cost), centres.Use(x.Used, x.Held),
				centres.Dollars(x.Shared.Cost), centres.Percent(x.Saved()), centres.Use(x.Shared.Hours()), centres.Gigabytes(x.Shared.Total.Sent, 0),
			})
		}
	}
	tabulate(w, "Errors of the predicted demand", "<plan|error\nup to|cost, $|used|shared:\ncost, $|further\nsaved|used|sent,\nGB", rows)
}

// writeSweep compares rolling horizons by the hours that they see: Fig. 10. Three readings
// fit beside each other.
func (r *results) writeSweep(w *table.Page) {
	short := [...]string{"printed", "full", "last", "first", "de-\nferred"}
	var list []plannerName
	for _, p := range r.shown() {
		if p.Rolls() {
			list = append(list, p)
		}
	}
	for part := range slices.Chunk(list, 3) {
		columns := "λ"
		for _, p := range part {
			columns += "|" + short[p-rhoPrinted] + "\ncost, $|used,\n%|shared,\n$"
		}
		var rows [][]string
		for k, x := range r.sweep[part[0]] {
			if !slices.Contains(notable, x.Lambda) && x.Lambda != r.o.lambda && x.Lambda != min(maxLambda, r.o.Hours) {
				continue
			}
			row := []string{strconv.Itoa(x.Lambda)}
			for _, p := range part {
				y := r.sweep[p][k]
				row = append(row, centres.Dollars(y.Cost), strings.TrimSuffix(centres.Use(y.Used, y.Held), "%"), centres.Dollars(y.Shared.Cost))
			}
			rows = append(rows, row)
		}
		tabulate(w, "Rolling horizons by the hours that they see", columns, rows)
	}
}

// list writes numbers with commas between them.
func list(n []int) string {
	var texts []string
	for _, x := range n {
		texts = append(texts, decimal.Int(x))
	}
	return strings.Join(texts, ", ")
}
