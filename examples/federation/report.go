package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
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

// use writes the share of what is reserved that is used, if anything is.
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

// A printer writes tables, and keeps the first error.
type printer struct {
	*bufio.Writer
	err error
}

func (w *printer) say(format string, args ...any) {
	fmt.Fprintln(w, table.Wrap(fmt.Sprintf(format, args...)))
}

func (w *printer) table(title string, columns []table.Column, rows [][]string) {
	fmt.Fprintf(w, "\n%s\n\n", title)
	if err := table.Write(w, columns, rows); w.err == nil {
		w.err = err
	}
}

// writeText writes tables, what there is to say about them, and findings.
func (r *results) writeText(stdout io.Writer) error {
	w := &printer{Writer: bufio.NewWriter(stdout)}
	r.writeSummary(w)
	r.writeCentres(w)
	r.writePlans(w)
	r.writePaths(w)
	r.writeErrors(w)
	r.writeSweep(w)
	r.writeReadings(w)
	r.writeBest(w)
	r.writeFindings(w)
	if w.err != nil {
		return w.err
	}
	return w.Flush()
}

// writeSummary says in a few lines what reserving and sharing save, what greed leaves and
// what most depends on: for HGR, the paper's planner, or else the first that was asked
// for.
func (r *results) writeSummary(w *printer) {
	p := r.shown()[0]
	if r.plain[hgr] != nil {
		p = hgr
	}
	x := r.plain[p]
	text := fmt.Sprintf("In short: on demand everything costs %s. Reserving by %s, each centre by itself, saves %s",
		amount(r.onDemand), p.label(), percent(share(r.onDemand-x.cost, r.onDemand)))
	if len(r.centres) == 1 {
		w.say("%s.", text)
		fmt.Fprintln(w)
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
	w.say("%s What tasks send is drawn at random (-seed).", text)
	fmt.Fprintln(w)
}

// writeCentres says what the centres are.
func (r *results) writeCentres(w *printer) {
	fmt.Fprintf(w, "%s of %s; reservations of %d hours\n\n", decimal.Count(len(r.centres), "centre"), decimal.Count(r.o.hours, "hour"), term)
	columns := []table.Column{
		{Title: "centre", Left: true}, {Title: "from\nhour"}, {Title: "jobs"}, {Title: "instance-\nhours"}, {Title: "peak"}, {Title: "fluctu-\nation"},
		{Title: "on de-\nmand, $"}, {Title: "reser-\nved, $"}, {Title: "traffic,\n$/GB"},
	}
	var rows [][]string
	for _, c := range r.centres {
		rows = append(rows, []string{
			table.Clip(c.Name, 13), strconv.Itoa(c.from), decimal.Int(len(c.jobs)), hours(c.total), decimal.Int(slices.Max(c.demand)),
			decimal.Fixed(c.fluctuation(), 2), c.OnDemand.String(), c.Reservation.String(), c.Traffic.String(),
		})
	}
	if err := table.Write(w, columns, rows); w.err == nil {
		w.err = err
	}
	fmt.Fprintln(w)
	w.say("Fluctuation is the standard deviation of the demand over its mean. Prices are per hour on demand and for %d hours reserved.", term)
}

// writePlans compares the plans, in each centre and in all, without and with sharing:
// Fig. 8.
func (r *results) writePlans(w *printer) {
	columns := []table.Column{
		{Title: "plan", Left: true}, {Title: "reser-\nvations"}, {Title: "cost, $"}, {Title: "saved"}, {Title: "used"},
		{Title: "shared:\ncost, $"}, {Title: "further\nsaved"}, {Title: "used"}, {Title: "lent,\nhours"},
	}
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
			var row []string
			if all {
				row = []string{
					p.String(), hours(x.count), dollars(x.cost), percent(share(onDemand-x.cost, onDemand)), use(x.used, x.held),
					dollars(x.shared.cost), percent(x.saved()), use(x.shared.hours()), decimal.Int(x.shared.total.Lent),
				}
			} else {
				a, b := x.plans[i], &x.shared.centres[i]
				row = []string{
					p.String(), hours(a.count), dollars(a.cost), percent(share(onDemand-a.cost, onDemand)), use(a.used, a.held),
					dollars(b.Cost()), percent(x.savedOf(i)), use(x.shared.hoursOf(i), a.held), decimal.Int(b.Lent),
				}
			}
			rows = append(rows, row)
		}
		w.table(title, columns, rows)
	}
	fmt.Fprintln(w)
	seen := ""
	if slices.ContainsFunc(r.shown(), plannerName.rolls) {
		seen = fmt.Sprintf(" Rolling horizons see %s.", decimal.Count(r.o.lambda, "hour"))
	}
	w.say("Saved is over on demand, further saved by sharing (Algorithm 3) over the plan without; used is the share of what is reserved. "+
		"A centre's cost with sharing has what it pays to others, less what these pay to it.%s", seen)
}

// writePaths says which data moves where: Table 3.
func (r *results) writePaths(w *printer) {
	if len(r.centres) < 2 {
		return
	}
	columns := []table.Column{{Title: "from", Left: true}, {Title: "to", Left: true}}
	for _, p := range r.shown() {
		columns = append(columns, table.Column{Title: heading(p)})
	}
	names := r.shortNames()
	var rows [][]string
	for i := range r.centres {
		for j := range r.centres {
			if i == j {
				continue
			}
			row := []string{names[i], names[j]}
			for _, p := range r.shown() {
				row = append(row, gigabytes(r.plain[p].shared.moved[i][j], 1))
			}
			rows = append(rows, row)
		}
	}
	row := []string{"all", ""}
	for _, p := range r.shown() {
		row = append(row, gigabytes(r.plain[p].shared.total.Sent, 1))
	}
	w.table("Data sent, GB", columns, append(rows, row))
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

// heading is a planner's name in two lines where that is long.
func heading(p plannerName) string {
	if p.rolls() {
		return "rho-\n" + p.String()[len("rho-"):]
	}
	return p.String()
}

// writeErrors says what errors of the prediction do: Fig. 9 and Table 4.
func (r *results) writeErrors(w *printer) {
	columns := []table.Column{
		{Title: "plan", Left: true}, {Title: "error\nup to"}, {Title: "cost, $"}, {Title: "used"},
		{Title: "shared:\ncost, $"}, {Title: "further\nsaved"}, {Title: "used"}, {Title: "sent,\nGB"},
	}
	var rows [][]string
	for _, p := range r.shown() {
		for _, x := range r.erred[p] {
			rows = append(rows, []string{
				p.String(), string(decimal.Number(100*x.bound, 6)) + "%", dollars(x.cost), use(x.used, x.held),
				dollars(x.shared.cost), percent(x.saved()), use(x.shared.hours()), gigabytes(x.shared.total.Sent, 0),
			})
		}
	}
	w.table("Errors of the predicted demand", columns, rows)
}

// writeSweep says what rolling horizons do by what they see: Fig. 10.
func (r *results) writeSweep(w *printer) {
	columns := []table.Column{{Title: "λ"}}
	short := [...]string{"printed", "full", "de-\nferred"}
	var some plannerName = -1
	for _, p := range r.shown() {
		if p.rolls() {
			columns = append(columns, table.Column{Title: short[p-rhoPrinted] + "\ncost, $"}, table.Column{Title: "used,\n%"}, table.Column{Title: "shared,\n$"})
			some = p
		}
	}
	if some < 0 {
		return
	}
	var rows [][]string
	for k, x := range r.sweep[some] {
		if !slices.Contains(notable, x.lambda) && x.lambda != r.o.lambda && x.lambda != min(maxLambda, r.o.hours) {
			continue
		}
		row := []string{strconv.Itoa(x.lambda)}
		for _, p := range r.shown() {
			if p.rolls() {
				y := r.sweep[p][k]
				row = append(row, dollars(y.cost), strings.TrimSuffix(use(y.used, y.held), "%"), dollars(y.shared.cost))
			}
		}
		rows = append(rows, row)
	}
	w.table("Rolling horizons by the hours that they see", columns, rows)
}

// writeReadings compares ways to share.
func (r *results) writeReadings(w *printer) {
	if len(r.centres) < 2 {
		return
	}
	columns := []table.Column{{Title: "cost shared, $", Left: true}}
	for _, p := range r.shown() {
		columns = append(columns, table.Column{Title: heading(p)})
	}
	var rows [][]string
	for i := range readings {
		row := []string{readings[i].name}
		for _, p := range r.shown() {
			row = append(row, dollars(r.read[p][i].cost))
		}
		rows = append(rows, row)
	}
	w.table("Ways to share", columns, rows)
	fmt.Fprintln(w)
	text := ""
	for i, x := range readings {
		if i > 0 {
			text += "; "
		}
		text += x.name + ": " + x.about
	}
	w.say("%s. All else here is with %s (-share).", text, readings[r.o.share].name)
}

// writeBest says how far Algorithm 3 is from the optimum.
func (r *results) writeBest(w *printer) {
	if len(r.centres) < 2 {
		return
	}
	columns := []table.Column{
		{Title: "plan", Left: true}, {Title: "alone, $"}, {Title: "Algorithm 3,\nroaming, $"}, {Title: "optimum, $"}, {Title: "proved\nwithin"}, {Title: "of what can\nbe saved"}, {Title: "split by\nhour, $"},
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
	w.table("What greed leaves: the optimum of sharing the same reservations", columns, rows)
	fmt.Fprintln(w)
	w.say("The optimum knows all tasks, and each part stays where it starts; split by hour it may move. Of what can be saved by sharing Algorithm 3 takes the share given. "+
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

// jsonRow is a plan in a centre, or in all, for machines. Numbers are rounded so far
// that they are the same on every machine.
type jsonRow struct {
	Kind         string         `json:"kind"`
	Plan         string         `json:"plan"`
	Lambda       *int           `json:"lambda"` // nil where the plan has none
	Error        json.Number    `json:"error"`
	Centre       string         `json:"centre"`
	Hours        int64          `json:"instance_hours"`
	OnDemand     pricing.Money  `json:"on_demand_cost"`
	Reservations int64          `json:"reservations"`
	Cost         pricing.Money  `json:"cost"`
	Used         *json.Number   `json:"utilisation"` // nil where nothing is reserved
	SharedCost   pricing.Money  `json:"shared_cost"`
	SharedUsed   *json.Number   `json:"shared_utilisation"`
	Lent         int            `json:"lent_hours"`
	Paid         pricing.Money  `json:"paid"`
	Received     pricing.Money  `json:"received"`
	Sent         json.Number    `json:"sent_gb"`
	Optimum      *pricing.Money `json:"optimum_cost"` // nil but for all centres, without errors
	Bound        *pricing.Money `json:"optimum_bound"`
}

// jsonPath is what tasks of one centre did in another.
type jsonPath struct {
	Kind   string      `json:"kind"`
	Plan   string      `json:"plan"`
	Lambda *int        `json:"lambda"`
	Error  json.Number `json:"error"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Sent   json.Number `json:"sent_gb"`
}

// jsonFinding is a finding, or a figure of another program.
type jsonFinding struct {
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	Says    string `json:"says"`
	Shown   string `json:"shown"`
	Why     string `json:"why"` // empty where it came out
}

func (r *results) writeJSON(w io.Writer) error {
	rows := []any{}
	add := func(x *outcome, best *best) {
		row := jsonRow{Kind: "plan", Plan: x.planner.String(), Error: decimal.Number(x.bound, 6)}
		if x.planner.rolls() {
			row.Lambda = &x.lambda
		}
		path := jsonPath{Kind: "path", Plan: row.Plan, Lambda: row.Lambda, Error: row.Error}
		used := func(n, held int64) *json.Number {
			if held == 0 {
				return nil
			}
			x := decimal.Number(utilisation(n, held), 6)
			return &x
		}
		put := func(row *jsonRow, s *federation.Statement, held int64) {
			row.SharedCost, row.SharedUsed = s.Cost(), used(int64(s.Own+s.Lent), held)
			row.Lent, row.Paid, row.Received, row.Sent = s.Lent, s.Paid, s.Received, decimal.Number(float64(s.Sent)/gigabyte, 3)
		}
		all := row
		all.Centre, all.Hours, all.OnDemand, all.Reservations = "all", r.hours, r.onDemand, x.count
		all.Cost, all.Used = x.cost, used(x.used, x.held)
		put(&all, &x.shared.total, x.held)
		if best != nil {
			all.Optimum, all.Bound = &best.optimum, &best.bound
		}
		for i, c := range r.centres {
			a := x.plans[i]
			row.Centre, row.Hours, row.OnDemand, row.Reservations = c.Name, c.total, c.OnDemand*pricing.Money(c.total), a.count
			row.Cost, row.Used = a.cost, used(a.used, a.held)
			put(&row, &x.shared.centres[i], a.held)
			rows = append(rows, row)
		}
		rows = append(rows, all)
		for i, a := range r.centres {
			for j, b := range r.centres {
				if i != j {
					path.From, path.To, path.Sent = a.Name, b.Name, decimal.Number(float64(x.shared.moved[i][j])/gigabyte, 3)
					rows = append(rows, path)
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
		rows = append(rows, jsonFinding{"check", verdict, c.what + " " + list(c.theirs), list(c.ours), c.why})
	}
	for _, f := range r.allFindings() {
		why := f.why
		if f.verdict == cameOut {
			why = ""
		}
		rows = append(rows, jsonFinding{"finding", f.verdict.String(), f.says, f.shown, why})
	}
	return jsonrows.Write(w, rows)
}

// list writes numbers with commas between them.
func list(n []int) string {
	text := ""
	for i, x := range n {
		if i > 0 {
			text += ", "
		}
		text += decimal.Int(x)
	}
	return text
}
