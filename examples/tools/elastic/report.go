package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// Numbers for machines are rounded so far that they are the same on every machine.

// key begins a row about a cell.
func (c *cell) key() jsonrows.Row {
	row := jsonrows.Row{"workload", c.source.name}
	if c.setup.lab {
		row = append(row, "reject", decimal.Number(c.setup.reject, 6))
	}
	return append(row, "policy", c.policy.String())
}

// rows has a row for each cell, and for each of a choice.
func (r *results) rows() any {
	var rows []jsonrows.Row
	for i := range r.cells {
		rows = append(rows, r.cells[i].row())
	}
	for _, c := range r.choices {
		for i := range c.moved.cells {
			rows = append(rows, append(jsonrows.Row{"choice", c.flag}, c.moved.cells[i].row()...))
		}
	}
	return rows
}

func (c *cell) row() jsonrows.Row {
	mean := func(f func(*oneRun) float64) json.Number { return decimal.Number(c.over(f).mean, 3) }
	row := c.key()
	if c.source.arrivals != "" {
		row = append(row[:2:2], append(jsonrows.Row{"arrivals", c.source.arrivals}, row[2:]...)...)
	}
	row = append(row, "runs", len(c.runs), "jobs", mean(func(r *oneRun) float64 { return float64(r.jobs) }))
	add := func(name, unit string, of func(*oneRun) float64) {
		x := c.over(of)
		row = append(row, name+unit, nil, name+"_sd"+unit, nil)
		if !math.IsNaN(x.mean) {
			row[len(row)-3] = decimal.Number(x.mean, 3)
		}
		if x.known {
			row[len(row)-1] = decimal.Number(x.deviation, 3)
		}
	}
	add("awrt", "_s", awrt)
	add("awqt", "_s", awqt)
	add("makespan", "_s", makespan)
	add("cost", "", cost)
	for k, name := range c.setup.places() {
		add(name+"_core_hours", "", coreHours(k))
	}
	row = append(row, "lowest_credits", c.lowest(), "refused", mean(func(r *oneRun) float64 { return float64(r.refused) }))
	if c.setup.spots() {
		row = append(row, "requeued", mean(requeued), "lost_core_hours", mean(lost))
	}
	return append(row, "unfinished_jobs", c.unfinished())
}

// writeCredits writes a row for each hour of each cell.
func (r *results) writeCredits(w io.Writer) error {
	var rows []jsonrows.Row
	for i := range r.cells {
		c := &r.cells[i]
		for hour := 0; ; hour++ {
			runs, sum, lowest := 0, 0., pricing.Money(0)
			for k := range c.runs {
				if levels := c.runs[k].levels; hour < len(levels) {
					if runs++; runs == 1 || levels[hour].lowest < lowest {
						lowest = levels[hour].lowest
					}
					sum += levels[hour].at.Float64()
				}
			}
			if runs == 0 {
				break
			}
			rows = append(rows, append(c.key(), "hour", hour, "runs", runs, "credits", decimal.Number(sum/float64(runs), 3), "lowest", lowest))
		}
	}
	return jsonrows.Write(w, rows)
}

// writeDecisions writes a row for each decision of the first run of each cell.
func (r *results) writeDecisions(w io.Writer) error {
	var rows []jsonrows.Row
	for i := range r.cells {
		c := &r.cells[i]
		places := c.setup.places()
		for k := range c.runs[0].decisions {
			d := &c.runs[0].decisions[k]
			rows = append(rows, append(c.key(), "at_s", decimal.Seconds(d.At), "round", d.Round, "action", d.Kind.String(), "cloud", places[d.Cloud],
				"instances", d.Count, "refused", d.Refused, "why", d.Reason, "waiting_jobs", d.Jobs, "waiting_cores", d.Cores, "credits", d.Credits))
		}
	}
	return jsonrows.Write(w, rows)
}

// title describes a workload.
func (s *jobSource) title() string {
	switch {
	case s.log != nil:
		return table.Clip(s.name, 40)
	case s.name == feitelson:
		return s.name + ", arrivals: " + s.arrivals
	}
	return s.name
}

func hours(seconds float64) float64 { return seconds / 3600 }

// inHours scales a figure of seconds.
func inHours(f func(*oneRun) float64) func(*oneRun) float64 {
	return func(r *oneRun) float64 { return hours(f(r)) }
}

// percent writes a rate or a share without superfluous decimals.
func percent(x float64) string { return string(decimal.Number(100*x, 2)) + "%" }

// byAmount stands for the decimals of digits.
const byAmount = -1

// digits returns how many decimals an amount of dollars or core-hours has, and its
// deviation: two below 10, where a whole number would hide most of it, else none.
func digits(x, deviation float64) int {
	if math.Abs(x) < 10 && (x != math.Trunc(x) || deviation > 0) {
		return 2
	}
	return 0
}

// amount writes dollars or core-hours.
func amount(x float64) string { return decimal.Grouped(decimal.Fixed(x, digits(x, 0))) }

// plusMinus writes a spread; of a single run the figure alone, and "-" if no run has it.
func plusMinus(s spread, decimals int) string {
	if math.IsNaN(s.mean) {
		return "-"
	}
	if decimals == byAmount {
		decimals = digits(s.mean, s.deviation)
	}
	mean := decimal.Grouped(decimal.Fixed(s.mean, decimals))
	if !s.known {
		return mean
	}
	return mean + " ± " + decimal.Grouped(decimal.Fixed(s.deviation, decimals))
}

// text writes tables for each workload, remarks on them, and the paper's findings.
func (r *results) text(w *table.Page) error {
	for _, s := range r.sources {
		for _, at := range r.setups {
			w.Printf("%s; %v\n\n", s.title(), at)
			if r.choices != nil {
				r.tabulateChoices(w, s, at)
				continue
			}
			titles := "<policy|AWRT, h|AWQT, h|cost, $|makespan, s|lowest\ncredits, $"
			spots := at.spots()
			if spots {
				titles += "|jobs that\nlost work|lost\ncore-hours"
			}
			unfinished := r.unfinished(s) > 0
			if unfinished {
				titles += "|unfinished\njobs"
			}
			var rows, where [][]string
			for i := range r.cells {
				c := &r.cells[i]
				if c.source != s || c.setup != at {
					continue
				}
				row := []string{
					c.policy.label(), plusMinus(c.over(inHours(awrt)), 2), plusMinus(c.over(inHours(awqt)), 2), plusMinus(c.over(cost), byAmount),
					plusMinus(c.over(makespan), 0), amount(c.lowest().Float64()),
				}
				if spots {
					row = append(row, plusMinus(c.over(requeued), 0), plusMinus(c.over(lost), byAmount))
				}
				if unfinished {
					row = append(row, decimal.Int(c.unfinished()))
				}
				rows = append(rows, row)
				row = []string{c.policy.label()}
				for k := range at.places() {
					row = append(row, plusMinus(c.over(coreHours(k)), byAmount))
				}
				where = append(where, row)
			}
			w.Table(titles, rows)
			w.Printf("\n")
			w.Table("<core-hours|"+strings.Join(at.places(), "|"), where)
			w.Printf("\n")
		}
	}
	what := fmt.Sprintf("Means ± standard deviations over %s; the lowest credits are those of any run.", decimal.Count(r.opts.runs, "run"))
	if r.opts.runs == 1 {
		what = "Of one run, so that the deviations between runs are not known."
	}
	if slices.ContainsFunc(r.cells, func(c cell) bool { return math.IsNaN(c.over(awrt).mean) }) {
		what += ` Where no job ended the times are "-".`
	}
	below := "what falls below that renews instances on which jobs run."
	if slices.ContainsFunc(r.setups, func(s *setup) bool { return s.data() }) {
		below = "what falls below that renews instances on which jobs run, or pays for data. The price of data is paid when a job starts, " +
			"and is not checked against the credits: policies do not know of it."
	}
	w.Sayf("%s AWRT and AWQT are response and queued time, weighted by cores. $%v an hour accrue and "+
		"accumulate; launches and idle instances overdraw them by $%v at the most, and %s", what, r.opts.budget.Hourly, r.opts.budget.Debt, below)
	for _, at := range r.setups[:1] {
		for i := range at.clouds {
			if s := at.clouds[i].Spot; s != nil {
				of := s.History.Series.String()
				if s.History.Series.Type == madeUp {
					of = "made-up"
				}
				w.Sayf("The cloud %s has %s prices from $%v to $%v, %s days of them, and a bid of $%v. Where the price is above the bid, all its instances end.", at.clouds[i].Name, of,
					slices.Min(s.History.Prices), slices.Max(s.History.Prices), decimal.Fixed(s.History.Span().Hours()/24, 0), s.Bid)
			}
		}
	}
	w.Sayf("The rules that the paper leaves open: %s.", r.opts.rules())
	for i := range r.cells {
		if line := r.cells[i].unended(); line != "" {
			w.Sayf("%s", line)
		}
	}
	say := func(r *results, with string) {
		for _, s := range r.sources {
			for i, f := range r.findings(s) {
				if i == 0 {
					w.Printf("\nFindings of [Marshall12] on %s%s, at each rejection rate:\n", s.title(), with)
				}
				w.Sayf("%v", f)
			}
		}
	}
	say(r, "")
	for _, c := range r.choices {
		if c.flag == asPrinted || c.flag == asJobs {
			say(r.with(c), ", with "+c.flag)
		}
	}
	return nil
}

// unended says which jobs of a cell did not end, and why, or nothing.
func (c *cell) unended() string {
	n := c.unfinished()
	if n == 0 {
		return ""
	}
	at := c.setup.String()
	if c.setup.lab {
		at = "at " + percent(c.setup.reject)
	}
	line := fmt.Sprintf("%s, %s %s: %s of all runs together did not end, and are not in the means", c.source.name, c.policy.label(), at, decimal.Count(n, "job"))
	if c.source.log == nil {
		return line + fmt.Sprintf(": the simulated time ends after %s s.", decimal.Int(int(c.source.horizon.Seconds())))
	}
	for i := range c.runs {
		if k := c.runs[i].stuck; k >= 0 {
			j := &c.source.log.Jobs[k]
			line += fmt.Sprintf(". The first is job %d, of %s: it did not start in 60 days in which nothing else ran", j.ID, decimal.Count(j.Nodes, "core"))
			break
		}
	}
	return line + "."
}

func (r *results) unfinished(s *jobSource) (n int) {
	for i := range r.cells {
		if r.cells[i].source == s {
			n += r.cells[i].unfinished()
		}
	}
	return n
}

// writeSVG draws Figs. 2 to 4 of the paper: a column for each workload.
func (r *results) writeSVG(w io.Writer) error {
	rows := make([][]svgplot.Bars, 3)
	for _, s := range r.sources {
		for i, f := range r.figures(s) {
			rows[i] = append(rows[i], f)
		}
	}
	return svgplot.WriteBars(w, rows)
}

// figures returns the panels of a workload, with the spread of everything.
func (r *results) figures(s *jobSource) []svgplot.Bars {
	var refused, rates []string
	at := ""
	for _, x := range r.setups {
		if refused = append(refused, "all clouds"); x.lab {
			refused[len(refused)-1], rates = percent(x.reject)+" refused", append(rates, percent(x.reject))
			at = ", at " + strings.Join(rates, ", ") + " refused"
		}
	}
	var hours []func(*oneRun) float64
	places := r.setups[0].places()
	for k := range places {
		hours = append(hours, coreHours(k))
	}
	var panels []svgplot.Bars
	for _, f := range []struct {
		title, unit string
		legend      []string
		parts       []func(*oneRun) float64
	}{
		{"average weighted response time", "hours", refused, []func(*oneRun) float64{inHours(awrt)}},
		{"core-hours" + at, "core-hours", places, hours},
		{"cost", "dollars", refused, []func(*oneRun) float64{cost}},
	} {
		panel := svgplot.Bars{Title: s.title() + ": " + f.title, Unit: f.unit, Parts: f.legend}
		for _, p := range r.opts.policies {
			panel.Groups = append(panel.Groups, p.label())
			var bars []svgplot.Bar
			for _, at := range r.setups {
				var b svgplot.Bar
				for _, part := range f.parts {
					x := r.cell(s, at, p).over(part)
					if !math.IsNaN(x.mean) {
						b.Parts, b.Spreads = append(b.Parts, x.mean), append(b.Spreads, x.deviation)
					}
				}
				bars = append(bars, b)
			}
			panel.Bars = append(panel.Bars, bars)
		}
		panels = append(panels, panel)
	}
	return panels
}
