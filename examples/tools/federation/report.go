package main

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/finding"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// dollars writes an amount in whole dollars, and a small one with cents.
func dollars(m pricing.Money) string {
	if m > -100*pricing.Unit && m < 100*pricing.Unit {
		return m.Fixed(2)
	}
	return decimal.Grouped(m.Fixed(0))
}

// percent writes a share.
func percent(x float64) string { return decimal.Fixed(100*x, 1) + "%" }

// use writes the used share of the reserved hours, if anything is reserved.
func use(used, held int64) string {
	if held == 0 {
		return "-"
	}
	return percent(utilisation(used, held))
}

// gigabytes writes bytes, in GB.
func gigabytes(n int64, decimals int) string {
	return decimal.Grouped(decimal.Fixed(float64(n)/gigabyte, decimals))
}

func hours(n int64) string { return decimal.Int(int(n)) }

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

// text writes tables with their explanations, and findings.
func (r *results) text(w *table.Page) error {
	if r.coalitions != nil {
		r.writeCoalitions(w)
		return nil
	}
	if r.schemes != nil {
		r.writeSchemes(w)
		return nil
	}
	r.writeSummary(w)
	r.writeCentres(w)
	r.writePlans(w)
	r.writePaths(w)
	r.writeErrors(w)
	r.writeSweep(w)
	r.writeReadings(w)
	r.writeLending(w)
	r.writeBest(w)
	r.writeFindings(w)
	return nil
}

// writeSummary says in a few lines what reserving and sharing save, how much more the best
// sharing would save, and what errors change: for HGR, the paper's planner, or else for the
// first planner that was asked for.
func (r *results) writeSummary(w *table.Page) {
	p := r.shown()[0]
	if r.plain[hgr] != nil {
		p = hgr
	}
	x := r.plain[p]
	text := fmt.Sprintf("In short: on demand everything costs %s. Reserving by %s, each centre by itself, saves %s",
		amount(r.onDemand), p.label(), percent(share(r.onDemand-x.cost, r.onDemand)))
	if len(r.centres) == 1 {
		w.Sayf("%s.", text)
		w.Printf("\n")
		return
	}
	text += fmt.Sprintf("; sharing a further %s, %s.", percent(x.saved()), amount(x.cost-x.shared.cost))
	b := r.best[p]
	text += fmt.Sprintf(" The best plan found for the same reservations would save %s, Algorithm 3 at the same prices (roaming) %s.",
		percent(share(x.cost-b.optimum, x.cost)), percent(share(x.cost-r.read[p][roaming].cost, x.cost)))
	if y := r.erredMost(p); y != nil {
		text += fmt.Sprintf(" That is if centres know what their tasks will need: where they are wrong by up to %s, the cost changes by %s and sharing saves %s.",
			whole(y.bound), signed(share(y.cost-x.cost, x.cost)), percent(share(y.cost-y.guarded.cost, y.cost)))
	}
	w.Sayf("%s What tasks send is drawn at random (-seed).", text)
	w.Printf("\n")
}

// writeCentres says what the centres are.
func (r *results) writeCentres(w *table.Page) {
	w.Printf("%s of %s; reservations of %d hours\n\n", decimal.Count(len(r.centres), "centre"), decimal.Count(r.o.hours, "hour"), term)
	var rows [][]string
	for _, c := range r.centres {
		rows = append(rows, []string{
			table.Clip(c.Name, 13), strconv.Itoa(c.from), decimal.Int(len(c.jobs)), hours(c.total), decimal.Int(slices.Max(c.demand)),
			decimal.Fixed(c.fluctuation(), 2), c.OnDemand.String(), c.Reservation.String(), c.Traffic.String(),
		})
	}
	w.Table("<centre|from\nhour|jobs|instance-\nhours|peak|fluctu-\nation|on de-\nmand, $|reser-\nved, $|traffic,\n$/GB", rows)
	w.Printf("\n")
	w.Sayf("Fluctuation is the standard deviation of the demand over its mean. Prices are per hour on demand and for %d hours reserved.", term)
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
			title, onDemand = table.Clip(c.Name, 60), c.OnDemand*pricing.Money(c.total)
		}
		rows := [][]string{{"on demand", "", dollars(onDemand), "", "", "", "", "", ""}}
		for _, p := range r.shown() {
			x := r.plain[p]
			count, cost, used, held, s, saved := x.count, x.cost, x.used, x.held, &x.shared.total, x.saved()
			if !all {
				a := x.plans[i]
				count, cost, used, held, s, saved = a.count, a.cost, a.used, a.held, &x.shared.centres[i], x.savedOf(i)
			}
			rows = append(rows, []string{
				p.String(), hours(count), dollars(cost), percent(share(onDemand-cost, onDemand)), use(used, held),
				dollars(s.Cost()), percent(saved), use(int64(s.Own+s.Lent), held), decimal.Int(s.Lent),
			})
		}
		tabulate(w, title, "<plan|reser-\nvations|cost, $|saved|used|shared:\ncost, $|further\nsaved|used|lent,\nhours", rows)
	}
	w.Printf("\n")
	seen := ""
	if slices.ContainsFunc(r.shown(), plannerName.rolls) {
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
					row = append(row, gigabytes(r.plain[p].shared.moved[i][j], 1))
				}
				rows = append(rows, row)
			}
		}
		row := []string{"all", ""}
		for _, p := range part {
			row = append(row, gigabytes(r.plain[p].shared.total.Sent, 1))
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
	fits, rolling := 8, slices.IndexFunc(list, plannerName.rolls)
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
				p.String(), string(decimal.Number(100*x.bound, 6)) + "%", dollars(x.cost), use(x.used, x.held),
				dollars(x.shared.cost), percent(x.saved()), use(x.shared.hours()), gigabytes(x.shared.total.Sent, 0),
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
		if p.rolls() {
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
			if !slices.Contains(notable, x.lambda) && x.lambda != r.o.lambda && x.lambda != min(maxLambda, r.o.hours) {
				continue
			}
			row := []string{strconv.Itoa(x.lambda)}
			for _, p := range part {
				y := r.sweep[p][k]
				row = append(row, dollars(y.cost), strings.TrimSuffix(use(y.used, y.held), "%"), dollars(y.shared.cost))
			}
			rows = append(rows, row)
		}
		tabulate(w, "Rolling horizons by the hours that they see", columns, rows)
	}
}

// writeReadings compares ways to share.
func (r *results) writeReadings(w *table.Page) {
	if len(r.centres) < 2 {
		return
	}
	for part := range r.beside() {
		var rows [][]string
		for i := range readings {
			row := []string{readings[i].name}
			for _, p := range part {
				row = append(row, dollars(r.read[p][i].cost))
			}
			rows = append(rows, row)
		}
		tabulate(w, "Ways to share", "<cost shared, $"+headings(part), rows)
	}
	w.Printf("\n")
	var texts []string
	for _, x := range readings {
		texts = append(texts, x.name+": "+x.about)
	}
	w.Sayf("%s. All else here is with %s (-share).", strings.Join(texts, "; "), readings[r.o.share].name)
}

// writeLending says whether the price of -lend tempts centres to reserve what they do not
// need.
func (r *results) writeLending(w *table.Page) {
	if r.o.lend == nil || len(r.centres) < 2 {
		return
	}
	w.Printf("\n")
	text := fmt.Sprintf("The price of lent instances (-lend) was checked on %d needless reservations, with the plan %s", temptations, r.o.planOf())
	if len(r.tempted) == 0 {
		w.Sayf("%s: none pays.", text)
		return
	}
	x := r.tempted[0]
	w.Sayf("%s: %d of them pay, because others rent what they make idle. The one that pays most is of %s from hour %d: it would lose %s alone and gains %s.",
		text, len(r.tempted), r.centres[x.Centre].Name, x.Start, x.Alone, x.Gain)
}

// writeBest says how far Algorithm 3 is from the optimum.
func (r *results) writeBest(w *table.Page) {
	if len(r.centres) < 2 {
		return
	}
	var rows [][]string
	for _, p := range r.shown() {
		x, b, greedy := r.plain[p], r.best[p], r.read[p][roaming].cost
		took := "-"
		if x.cost > b.optimum {
			took = percent(share(x.cost-greedy, x.cost-b.optimum))
		}
		rows = append(rows, []string{
			p.String(), dollars(x.cost), dollars(greedy), dollars(b.optimum), within(share(b.optimum-b.bound, b.bound)), took, dollars(b.split),
		})
	}
	tabulate(w, "What greed leaves: the optimum of sharing the same reservations",
		"<plan|alone, $|Algorithm 3,\nroaming, $|optimum, $|proved\nwithin|of what can\nbe saved|split by\nhour, $", rows)
	w.Printf("\n")
	w.Sayf("The optimum knows all tasks, and each part stays where it starts; split by hour it may move. Of what can be saved by sharing Algorithm 3 takes the share given. "+
		"Each centre by itself costs %s at the least (exact), and no reservations with any sharing cost less than %s: all demand planned as one at the lowest prices, with free traffic.",
		amount(r.optimum.cost), amount(r.joint))
}

// within writes a gap, in hundredths of a percent.
func within(gap float64) string {
	switch {
	case gap == 0:
		return "exact"
	case gap < .0001:
		return "< 0.01%"
	}
	return decimal.Fixed(100*gap, 2) + "%"
}

// rows are plans in each centre and in all, what tasks of one centre did in another, and
// findings. Numbers are rounded so far that they are the same on every machine.
func (r *results) rows() any {
	if r.coalitions != nil {
		return r.coalitionRows()
	}
	if r.schemes != nil {
		return r.schemeRows()
	}
	rows := []any{}
	add := func(x *outcome, found *best) {
		var lambda any
		if x.planner.rolls() {
			lambda = x.lambda
		}
		begin := func(kind string) jsonrows.Row {
			return jsonrows.Row{"kind", kind, "plan", x.planner.String(), "lambda", lambda, "error", decimal.Number(x.bound, 6)}
		}
		used := func(n, held int64) any {
			if held == 0 {
				return nil
			}
			return decimal.Number(utilisation(n, held), 6)
		}
		gigabytes := func(n int64) any { return decimal.Number(float64(n)/gigabyte, 3) }
		plan := func(centre string, hours int64, onDemand pricing.Money, count int64, cost pricing.Money, n, held int64, s *federation.Statement, best *best) {
			row := append(begin("plan"), "centre", centre, "instance_hours", hours, "on_demand_cost", onDemand, "reservations", count,
				"cost", cost, "utilisation", used(n, held), "shared_cost", s.Cost(), "shared_utilisation", used(int64(s.Own+s.Lent), held),
				"lent_hours", s.Lent, "paid", s.Paid, "received", s.Received, "sent_gb", gigabytes(s.Sent), "optimum_cost", nil, "optimum_bound", nil)
			if best != nil {
				row[len(row)-3], row[len(row)-1] = best.optimum, best.bound
			}
			rows = append(rows, row)
		}
		for i, c := range r.centres {
			a := x.plans[i]
			plan(c.Name, c.total, c.OnDemand*pricing.Money(c.total), a.count, a.cost, a.used, a.held, &x.shared.centres[i], nil)
		}
		plan("all", r.hours, r.onDemand, x.count, x.cost, x.used, x.held, &x.shared.total, found)
		for i, a := range r.centres {
			for j, b := range r.centres {
				if i != j {
					rows = append(rows, append(begin("path"), "from", a.Name, "to", b.Name, "sent_gb", gigabytes(x.shared.moved[i][j])))
				}
			}
		}
	}
	for _, p := range r.shown() {
		add(r.plain[p], r.best[p])
		for _, x := range r.erred[p] {
			if x.bound > 0 {
				add(x, nil)
			}
		}
		for _, x := range r.sweep[p] {
			if x.lambda != r.o.lambda {
				add(x, nil)
			}
		}
	}
	for _, c := range r.checks() {
		verdict := "the same"
		if !c.same() {
			verdict = "NOT THE SAME"
		}
		rows = append(rows, finding.Row{Kind: "check", Verdict: verdict, Says: c.what + " " + list(c.theirs), Shown: list(c.ours)})
	}
	for _, f := range r.allFindings() {
		rows = append(rows, f.Row())
	}
	return rows
}

// list writes numbers with commas between them.
func list(n []int) string {
	var texts []string
	for _, x := range n {
		texts = append(texts, decimal.Int(x))
	}
	return strings.Join(texts, ", ")
}
