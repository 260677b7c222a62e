package main

import (
	"encoding/json"
	"fmt"
	"io"
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
	return jsonrows.Row{"workload", c.source.name, "reject", decimal.Number(c.reject, 6), "policy", c.policy.String()}
}

// rows has a row for each cell.
func (r *results) rows() any {
	rows := make([]jsonrows.Row, len(r.cells))
	for i := range r.cells {
		c := &r.cells[i]
		mean := func(f func(*oneRun) float64) json.Number { return decimal.Number(c.over(f).mean, 3) }
		row := c.key()
		if c.source.arrivals != "" {
			row = append(row[:2:2], append(jsonrows.Row{"arrivals", c.source.arrivals}, row[2:]...)...)
		}
		row = append(row, "runs", len(c.runs), "jobs", mean(func(r *oneRun) float64 { return float64(r.jobs) }))
		for _, f := range []struct {
			name, unit string
			of         func(*oneRun) float64
		}{
			{"awrt", "_s", awrt}, {"awqt", "_s", awqt}, {"makespan", "_s", makespan}, {"cost", "", cost},
			{"local_core_hours", "", coreHours(0)}, {"private_core_hours", "", coreHours(1)}, {"commercial_core_hours", "", coreHours(2)},
		} {
			x := c.over(f.of)
			row = append(row, f.name+f.unit, decimal.Number(x.mean, 3), f.name+"_sd"+f.unit, nil)
			if x.known {
				row[len(row)-1] = decimal.Number(x.deviation, 3)
			}
		}
		rows[i] = append(row, "lowest_credits", c.lowest(), "refused", mean(func(r *oneRun) float64 { return float64(r.refused) }), "unfinished_jobs", c.unfinished())
	}
	return rows
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
		for k := range c.runs[0].decisions {
			d := &c.runs[0].decisions[k]
			rows = append(rows, append(c.key(), "at_s", decimal.Seconds(d.At), "round", d.Round, "action", d.Kind.String(), "cloud", places[d.Cloud],
				"instances", d.Count, "refused", d.Refused, "why", d.Why(), "waiting_jobs", d.Jobs, "waiting_cores", d.Cores, "credits", d.Credits))
		}
	}
	return jsonrows.Write(w, rows)
}

// places are where jobs run.
var places = [3]string{"local", "private", "commercial"}

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

// plusMinus writes a spread; of a single run the figure alone.
func plusMinus(s spread, decimals int) string {
	mean := decimal.Grouped(decimal.Fixed(s.mean, decimals))
	if !s.known {
		return mean
	}
	return mean + " ± " + decimal.Grouped(decimal.Fixed(s.deviation, decimals))
}

// text writes tables for each workload, remarks on them, and the paper's findings.
func (r *results) text(w *table.Page) error {
	for _, s := range r.sources {
		for _, reject := range r.opts.reject {
			w.Printf("%s; private cloud refuses %s of requests\n\n", s.title(), percent(reject))
			titles := "<policy|AWRT, h|AWQT, h|cost, $|makespan, s|lowest\ncredits, $"
			unfinished := r.unfinished(s) > 0
			if unfinished {
				titles += "|unfinished\njobs"
			}
			var rows, where [][]string
			for i := range r.cells {
				c := &r.cells[i]
				if c.source != s || c.reject != reject {
					continue
				}
				row := []string{
					c.policy.label(), plusMinus(c.over(inHours(awrt)), 2), plusMinus(c.over(inHours(awqt)), 2), plusMinus(c.over(cost), 0),
					plusMinus(c.over(makespan), 0), decimal.Grouped(c.lowest().Fixed(0)),
				}
				if unfinished {
					row = append(row, decimal.Int(c.unfinished()))
				}
				rows = append(rows, row)
				row = []string{c.policy.label()}
				for k := range places {
					row = append(row, plusMinus(c.over(coreHours(k)), 0))
				}
				where = append(where, row)
			}
			w.Table(titles, rows)
			w.Printf("\n")
			w.Table("<core-hours|"+strings.Join(places[:], "|"), where)
			w.Printf("\n")
		}
	}
	what := fmt.Sprintf("Means ± standard deviations over %s; the lowest credits are those of any run.", decimal.Count(r.opts.runs, "run"))
	if r.opts.runs == 1 {
		what = "Of one run, so that the deviations between runs are not known."
	}
	w.Sayf("%s AWRT and AWQT are response and queued time, weighted by cores. $%v an hour accrue and "+
		"accumulate; launches and idle instances overdraw them by $%v at the most, and what falls below that renews instances on which jobs run.",
		what, r.opts.budget.Hourly, r.opts.budget.Debt)
	for i := range r.cells {
		if line := r.cells[i].unended(); line != "" {
			w.Sayf("%s", line)
		}
	}
	for _, s := range r.sources {
		for i, f := range r.findings(s) {
			if i == 0 {
				w.Printf("\nFindings of [Marshall12] on %s, at each rejection rate:\n", s.title())
			}
			w.Sayf("%v", f)
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
	line := fmt.Sprintf("%s, %s at %s: %s of all runs together did not end, and are not in the means", c.source.name, c.policy.label(), percent(c.reject), decimal.Count(n, "job"))
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
	for _, x := range r.opts.reject {
		refused, rates = append(refused, percent(x)+" refused"), append(rates, percent(x))
	}
	var panels []svgplot.Bars
	for _, f := range []struct {
		title, unit string
		legend      []string
		parts       []func(*oneRun) float64
	}{
		{"average weighted response time", "hours", refused, []func(*oneRun) float64{inHours(awrt)}},
		{"core-hours, at " + strings.Join(rates, ", ") + " refused", "core-hours", places[:], []func(*oneRun) float64{coreHours(0), coreHours(1), coreHours(2)}},
		{"cost", "dollars", refused, []func(*oneRun) float64{cost}},
	} {
		panel := svgplot.Bars{Title: s.title() + ": " + f.title, Unit: f.unit, Parts: f.legend}
		for _, p := range r.opts.policies {
			panel.Groups = append(panel.Groups, p.label())
			var bars []svgplot.Bar
			for _, reject := range r.opts.reject {
				var b svgplot.Bar
				for _, part := range f.parts {
					x := r.cell(s, reject, p).over(part)
					b.Parts, b.Spreads = append(b.Parts, x.mean), append(b.Spreads, x.deviation)
				}
				bars = append(bars, b)
			}
			panel.Bars = append(panel.Bars, bars)
		}
		panels = append(panels, panel)
	}
	return panels
}
