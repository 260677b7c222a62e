package renting

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// Numbers for machines are rounded so far that they are the same on every machine.

// key begins a row about a cell.
func (c *Cell) key() jsonrows.Row {
	row := jsonrows.Row{"workload", c.Source.Name}
	if c.Setup.Lab {
		row = append(row, "reject", decimal.Number(c.Setup.Reject, 6))
	}
	return append(row, "policy", c.Policy.String())
}

// Row is an object about the cell, whose money is text.
func (c *Cell) Row() jsonrows.Row {
	mean := func(f func(*Run) float64) json.Number { return decimal.Number(c.Over(f).Mean, 3) }
	row := c.key()
	if c.Source.Arrivals != "" {
		row = append(row[:2:2], append(jsonrows.Row{"arrivals", c.Source.Arrivals}, row[2:]...)...)
	}
	row = append(row, "runs", len(c.Runs), "jobs", mean(func(r *Run) float64 { return float64(r.Jobs) }))
	add := func(name, unit string, scale float64, of func(*Run) float64) {
		x := c.Over(of)
		row = append(row, name+unit, nil, name+"_sd"+unit, nil)
		if !math.IsNaN(x.Mean) {
			row[len(row)-3] = decimal.Number(scale*x.Mean, 3)
		}
		if x.known {
			row[len(row)-1] = decimal.Number(scale*x.Deviation, 3)
		}
	}
	add("awrt", "_s", 3600, Response)
	add("awqt", "_s", 3600, Queued)
	add("makespan", "_s", 3600, Makespan)
	x := c.Over(Cost)
	row = append(row, "cost", decimal.Fixed(x.Mean, 3), "cost_sd", nil)
	if x.known {
		row[len(row)-1] = decimal.Fixed(x.Deviation, 3)
	}
	for k, name := range c.Setup.Places() {
		add(name+"_core_hours", "", 1, CoreHours(k))
	}
	row = append(row, "lowest_credits", c.lowest().String(), "refused", mean(func(r *Run) float64 { return float64(r.refused) }))
	if c.Setup.Spots() {
		row = append(row, "requeued", mean(requeued), "lost_core_hours", mean(lost))
	}
	return append(row, "unfinished_jobs", c.Unfinished())
}

func requeued(r *Run) float64 { return float64(r.requeued) }
func lost(r *Run) float64     { return r.lost }

// WriteCredits writes a row for each hour of each cell.
func (r *Results) WriteCredits(w io.Writer) error {
	var rows []jsonrows.Row
	for i := range r.Cells {
		c := &r.Cells[i]
		for hour := 0; ; hour++ {
			runs, sum, lowest := 0, 0., pricing.Money(0)
			for k := range c.Runs {
				if levels := c.Runs[k].levels; hour < len(levels) {
					if runs++; runs == 1 || levels[hour].lowest < lowest {
						lowest = levels[hour].lowest
					}
					sum += levels[hour].at.Float64()
				}
			}
			if runs == 0 {
				break
			}
			rows = append(rows, append(c.key(), "hour", hour, "runs", runs, "credits", decimal.Fixed(sum/float64(runs), 3), "lowest", lowest.String()))
		}
	}
	return jsonrows.Write(w, rows)
}

// WriteDecisions writes a row for each decision of the first run of each cell.
func (r *Results) WriteDecisions(w io.Writer) error {
	var rows []jsonrows.Row
	for i := range r.Cells {
		c := &r.Cells[i]
		places := c.Setup.Places()
		for k := range c.Runs[0].decisions {
			d := &c.Runs[0].decisions[k]
			action := "terminate"
			if d.Launch {
				action = "launch"
			}
			rows = append(rows, append(c.key(), "at_s", decimal.Seconds(d.At), "round", d.Round, "action", action, "cloud", places[d.Cloud],
				"instances", d.Count, "refused", d.Refused, "why", d.Reason, "waiting_jobs", d.Jobs, "waiting_cores", d.Cores, "credits", d.Credits.String()))
		}
	}
	return jsonrows.Write(w, rows)
}

// Title describes a workload.
func (s *Source) Title() string {
	switch {
	case s.Log != nil:
		return table.Title(s.Name)
	case s.Name == Feitelson:
		return s.Name + ", arrivals: " + s.Arrivals
	}
	return s.Name
}

// String describes the setup in a heading.
func (s *Setup) String() string {
	if s.Lab {
		return "private cloud refuses " + Percent(s.Reject) + " of requests"
	}
	return "clouds: " + strings.Join(s.Places()[1:], ", ")
}

// Percent writes a rate or a share without superfluous decimals.
func Percent(x float64) string { return string(decimal.Number(100*x, 2)) + "%" }

// ByAmount stands for the decimals of digits.
const ByAmount = -1

// digits returns how many decimals an amount of dollars or core-hours has, and its
// deviation: two below 10, where a whole number would hide most of it, else none.
func digits(x, deviation float64) int {
	if math.Abs(x) < 10 && (x != math.Trunc(x) || deviation > 0) {
		return 2
	}
	return 0
}

// Amount writes dollars or core-hours.
func Amount(x float64) string { return decimal.Grouped(decimal.Fixed(x, digits(x, 0))) }

// PlusMinus writes a spread; of a single run the figure alone, and "-" if no run has it.
func PlusMinus(s Spread, decimals int) string {
	if math.IsNaN(s.Mean) {
		return "-"
	}
	if decimals == ByAmount {
		decimals = digits(s.Mean, s.Deviation)
	}
	mean := decimal.Grouped(decimal.Fixed(s.Mean, decimals))
	if !s.known {
		return mean
	}
	return mean + " ± " + decimal.Grouped(decimal.Fixed(s.Deviation, decimals))
}

// Tables writes what the policies do on a workload in a setup, and where jobs run.
func (r *Results) Tables(w *table.Page, s *Source, at *Setup) {
	titles := "<policy|AWRT, h|AWQT, h|cost, $|makespan, h|lowest\ncredits, $"
	spots := at.Spots()
	if spots {
		titles += "|jobs that\nlost work|lost\ncore-hours"
	}
	unfinished := false
	for i := range r.Cells {
		unfinished = unfinished || r.Cells[i].Source == s && r.Cells[i].Unfinished() > 0
	}
	if unfinished {
		titles += "|unfinished\njobs"
	}
	var rows, where [][]string
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Source != s || c.Setup != at {
			continue
		}
		row := []string{
			c.Policy.Label(), PlusMinus(c.Over(Response), 2), PlusMinus(c.Over(Queued), 2), PlusMinus(c.Over(Cost), ByAmount),
			PlusMinus(c.Over(Makespan), 0), Amount(c.lowest().Float64()),
		}
		if spots {
			row = append(row, PlusMinus(c.Over(requeued), 0), PlusMinus(c.Over(lost), ByAmount))
		}
		if unfinished {
			row = append(row, decimal.Int(c.Unfinished()))
		}
		rows = append(rows, row)
		row = []string{c.Policy.Label()}
		for k := range at.Places() {
			row = append(row, PlusMinus(c.Over(CoreHours(k)), ByAmount))
		}
		where = append(where, row)
	}
	w.Table(titles, rows)
	w.Printf("\n")
	w.Table("<core-hours|"+strings.Join(at.Places(), "|"), where)
	w.Printf("\n")
}

// Notes says how to read the tables, and which jobs did not end.
func (r *Results) Notes(w *table.Page) {
	what := fmt.Sprintf("Means ± standard deviations over %s; the lowest credits are those of any run.", decimal.Count(r.Opts.Runs, "run"))
	if r.Opts.Runs == 1 {
		what = "Of one run, so that the deviations between runs are not known."
	}
	ended, data := true, false
	for i := range r.Cells {
		ended = ended && !math.IsNaN(r.Cells[i].Mean(Response))
		for _, c := range r.Cells[i].Setup.Clouds {
			data = data || c.TransferPrice > 0
		}
	}
	if !ended {
		what += ` Where no job ended the times are "-".`
	}
	w.Sayf("%s AWRT and AWQT are response and queued time, weighted by cores. "+
		"$%v an hour accrue; launches and idle instances overdraw them by at most $%v, and renewals of busy instances by more.",
		what, r.Opts.Budget.Hourly, r.Opts.Budget.Debt)
	if data {
		w.Sayf("The price of data is paid when a job starts, and is not checked against the credits: policies do not know of it.")
	}
	for i := range r.Cells {
		if line := r.Cells[i].Unended(); line != "" {
			w.Sayf("%s", line)
		}
	}
}

// Unended says which jobs of a cell did not end, and why, or nothing.
func (c *Cell) Unended() string {
	n := c.Unfinished()
	if n == 0 {
		return ""
	}
	line := fmt.Sprintf("%s, %s (%v): %s of all runs together did not end, and are not in the means", table.Title(c.Source.Name), c.Policy.Label(), c.Setup,
		decimal.Count(n, "job"))
	if c.Source.Log == nil {
		return line + fmt.Sprintf(": the simulated time ends after %s s.", decimal.Int(int(c.Source.Horizon.Seconds())))
	}
	for i := range c.Runs {
		if k := c.Runs[i].Stuck; k >= 0 {
			j := &c.Source.Log.Jobs[k]
			line += fmt.Sprintf(". The first is job %d, of %s: it did not start in 60 days in which nothing else ran", j.ID, decimal.Count(j.Nodes, "core"))
			break
		}
	}
	return line + "."
}

// WriteSVG draws Figs. 2 to 4 of the paper: a column for each workload.
func (r *Results) WriteSVG(w io.Writer) error {
	rows := make([][]svgplot.Bars, 3)
	for _, s := range r.Sources {
		for i, f := range r.figures(s) {
			rows[i] = append(rows[i], f)
		}
	}
	return svgplot.WriteBars(w, rows)
}

// figures returns the panels of a workload, with the spread of everything.
func (r *Results) figures(s *Source) []svgplot.Bars {
	var refused, rates []string
	at := ""
	for _, x := range r.Setups {
		if refused = append(refused, "all clouds"); x.Lab {
			refused[len(refused)-1], rates = Percent(x.Reject)+" refused", append(rates, Percent(x.Reject))
			at = ", at " + strings.Join(rates, ", ") + " refused"
		}
	}
	var hours []func(*Run) float64
	places := r.Setups[0].Places()
	for k := range places {
		hours = append(hours, CoreHours(k))
	}
	var panels []svgplot.Bars
	for _, f := range []struct {
		title, unit string
		legend      []string
		parts       []func(*Run) float64
	}{
		{"average weighted response time", "hours", refused, []func(*Run) float64{Response}},
		{"core-hours" + at, "core-hours", places, hours},
		{"cost", "dollars", refused, []func(*Run) float64{Cost}},
	} {
		panel := svgplot.Bars{Title: s.Title() + ": " + f.title, Unit: f.unit, Parts: f.legend}
		for _, p := range r.Opts.Policies {
			panel.Groups = append(panel.Groups, p.Label())
			var bars []svgplot.Bar
			for _, at := range r.Setups {
				var b svgplot.Bar
				for _, part := range f.parts {
					x := r.Cell(s, at, p).Over(part)
					if !math.IsNaN(x.Mean) {
						b.Parts, b.Spreads = append(b.Parts, x.Mean), append(b.Spreads, x.Deviation)
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
