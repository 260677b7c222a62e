package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// jsonCell is a cell for machines. Numbers are rounded so far that they are the
// same on every machine.
type jsonCell struct {
	Workload            string        `json:"workload"`
	Arrivals            string        `json:"arrivals,omitempty"`
	Reject              json.Number   `json:"reject"`
	Policy              string        `json:"policy"`
	Runs                int           `json:"runs"`
	Jobs                json.Number   `json:"jobs"`
	AWRT                json.Number   `json:"awrt_s"`
	AWRTDeviation       *json.Number  `json:"awrt_sd_s"`
	AWQT                json.Number   `json:"awqt_s"`
	AWQTDeviation       *json.Number  `json:"awqt_sd_s"`
	Makespan            json.Number   `json:"makespan_s"`
	MakespanDeviation   *json.Number  `json:"makespan_sd_s"`
	Cost                json.Number   `json:"cost"`
	CostDeviation       *json.Number  `json:"cost_sd"`
	Local               json.Number   `json:"local_core_hours"`
	LocalDeviation      *json.Number  `json:"local_core_hours_sd"`
	Private             json.Number   `json:"private_core_hours"`
	PrivateDeviation    *json.Number  `json:"private_core_hours_sd"`
	Commercial          json.Number   `json:"commercial_core_hours"`
	CommercialDeviation *json.Number  `json:"commercial_core_hours_sd"`
	Lowest              pricing.Money `json:"lowest_credits"`
	Refused             json.Number   `json:"refused"`
	Unfinished          int           `json:"unfinished_jobs"`
}

func (r *results) writeJSON(w io.Writer) error {
	rows := make([]jsonCell, len(r.cells))
	for i := range r.cells {
		c := &r.cells[i]
		mean := func(f func(*oneRun) float64) json.Number { return decimal.Number(c.over(f).mean, 3) }
		both := func(f func(*oneRun) float64) (json.Number, *json.Number) {
			x := c.over(f)
			if !x.known {
				return decimal.Number(x.mean, 3), nil
			}
			deviation := decimal.Number(x.deviation, 3)
			return decimal.Number(x.mean, 3), &deviation
		}
		row := jsonCell{
			Workload: c.source.name, Arrivals: c.source.arrivals, Reject: decimal.Number(c.reject, 6), Policy: c.policy.String(),
			Runs: len(c.runs), Jobs: mean(func(r *oneRun) float64 { return float64(r.jobs) }),
			Lowest:     c.lowest(),
			Refused:    mean(func(r *oneRun) float64 { return float64(r.refused) }),
			Unfinished: c.unfinished(),
		}
		row.AWRT, row.AWRTDeviation = both(awrt)
		row.AWQT, row.AWQTDeviation = both(awqt)
		row.Makespan, row.MakespanDeviation = both(makespan)
		row.Cost, row.CostDeviation = both(cost)
		row.Local, row.LocalDeviation = both(coreHours(0))
		row.Private, row.PrivateDeviation = both(coreHours(1))
		row.Commercial, row.CommercialDeviation = both(coreHours(2))
		rows[i] = row
	}
	return jsonrows.Write(w, rows)
}

// jsonLevel is the credits of an hour.
type jsonLevel struct {
	Workload string        `json:"workload"`
	Reject   json.Number   `json:"reject"`
	Policy   string        `json:"policy"`
	Hour     int           `json:"hour"`
	Runs     int           `json:"runs"`
	Credits  json.Number   `json:"credits"`
	Lowest   pricing.Money `json:"lowest"`
}

func (r *results) writeCredits(w io.Writer) error {
	var rows []jsonLevel
	for i := range r.cells {
		c := &r.cells[i]
		for hour := 0; ; hour++ {
			row := jsonLevel{Workload: c.source.name, Reject: decimal.Number(c.reject, 6), Policy: c.policy.String(), Hour: hour}
			sum := 0.
			for k := range c.runs {
				if levels := c.runs[k].levels; hour < len(levels) {
					if row.Runs++; row.Runs == 1 || levels[hour].lowest < row.Lowest {
						row.Lowest = levels[hour].lowest
					}
					sum += levels[hour].at.Float64()
				}
			}
			if row.Runs == 0 {
				break
			}
			row.Credits = decimal.Number(sum/float64(row.Runs), 3)
			rows = append(rows, row)
		}
	}
	return jsonrows.Write(w, rows)
}

// jsonDecision is a decision of the first run.
type jsonDecision struct {
	Workload  string        `json:"workload"`
	Reject    json.Number   `json:"reject"`
	Policy    string        `json:"policy"`
	At        json.Number   `json:"at_s"`
	Round     int           `json:"round"`
	Action    string        `json:"action"`
	Cloud     string        `json:"cloud"`
	Instances int           `json:"instances"`
	Refused   int           `json:"refused"`
	Why       string        `json:"why"`
	Jobs      int           `json:"waiting_jobs"`
	Cores     int           `json:"waiting_cores"`
	Credits   pricing.Money `json:"credits"`
}

func (r *results) writeDecisions(w io.Writer) error {
	var rows []jsonDecision
	for i := range r.cells {
		c := &r.cells[i]
		for k := range c.runs[0].decisions {
			d := &c.runs[0].decisions[k]
			rows = append(rows, jsonDecision{
				Workload: c.source.name, Reject: decimal.Number(c.reject, 6), Policy: c.policy.String(),
				At: decimal.Seconds(d.At), Round: d.Round, Action: d.Kind.String(), Cloud: places[d.Cloud],
				Instances: d.Count, Refused: d.Refused, Why: d.Why(), Jobs: d.Jobs, Cores: d.Cores, Credits: d.Credits,
			})
		}
	}
	return jsonrows.Write(w, rows)
}

// Where jobs run.
var places = [3]string{"local", "private", "commercial"}

// title says what a workload is.
func (r *results) title(s *jobSource) string {
	if s.log != nil {
		return table.Clip(s.name, 40)
	}
	if s.name == feitelson {
		return s.name + ", arrivals: " + s.arrivals
	}
	return s.name
}

func hours(seconds float64) float64 { return seconds / 3600 }

// percent writes a rate or a share without decimals that are not needed.
func percent(x float64) string { return string(decimal.Number(100*x, 2)) + "%" }

// plusMinus writes a spread, of a single run the figure alone.
func plusMinus(s spread, decimals int) string {
	if !s.known {
		return decimal.Grouped(decimal.Fixed(s.mean, decimals))
	}
	return decimal.Grouped(decimal.Fixed(s.mean, decimals)) + " ± " + decimal.Grouped(decimal.Fixed(s.deviation, decimals))
}

// writeText writes tables for each workload, what there is to say about them, and
// the paper's findings.
func (r *results) writeText(stdout io.Writer) error {
	w := bufio.NewWriter(stdout)
	for _, s := range r.sources {
		for _, reject := range r.opts.reject {
			fmt.Fprintf(w, "%s; private cloud refuses %s of requests\n\n", r.title(s), percent(reject))
			columns := []table.Column{
				{Title: "policy", Left: true}, {Title: "AWRT, h"}, {Title: "AWQT, h"}, {Title: "cost, $"},
				{Title: "makespan, s"}, {Title: "lowest\ncredits, $"},
			}
			unfinished := r.unfinished(s) > 0
			if unfinished {
				columns = append(columns, table.Column{Title: "unfinished\njobs"})
			}
			where := []table.Column{{Title: "core-hours", Left: true}, {Title: places[0]}, {Title: places[1]}, {Title: places[2]}}
			var rows, whereRows [][]string
			for i := range r.cells {
				c := &r.cells[i]
				if c.source != s || c.reject != reject {
					continue
				}
				scaled := func(f func(*oneRun) float64) spread {
					x := c.over(f)
					return spread{hours(x.mean), hours(x.deviation), x.known}
				}
				row := []string{
					c.policy.label(), plusMinus(scaled(awrt), 2), plusMinus(scaled(awqt), 2), plusMinus(c.over(cost), 0),
					plusMinus(c.over(makespan), 0), decimal.Grouped(c.lowest().Fixed(0)),
				}
				if unfinished {
					row = append(row, decimal.Int(c.unfinished()))
				}
				rows = append(rows, row)
				whereRows = append(whereRows, []string{
					c.policy.label(), plusMinus(c.over(coreHours(0)), 0), plusMinus(c.over(coreHours(1)), 0), plusMinus(c.over(coreHours(2)), 0),
				})
			}
			for _, t := range []struct {
				columns []table.Column
				rows    [][]string
			}{{columns, rows}, {where, whereRows}} {
				if err := table.Write(w, t.columns, t.rows); err != nil {
					return err
				}
				fmt.Fprintln(w)
			}
		}
	}
	what := fmt.Sprintf("Means ± standard deviations over %s; the lowest credits are those of any run.", decimal.Count(r.opts.runs, "run"))
	if r.opts.runs == 1 {
		what = "Of one run, so that the deviations between runs are not known."
	}
	fmt.Fprintln(w, table.Wrap(fmt.Sprintf("%s AWRT and AWQT are response and queued time, weighted by cores. $%v an hour accrue and "+
		"accumulate; launches and idle instances overdraw them by $%v at the most, and what falls below that renews instances on which jobs run.",
		what, r.opts.budget.Hourly, r.opts.budget.Debt)))
	for i := range r.cells {
		if line := r.unended(&r.cells[i]); line != "" {
			fmt.Fprintln(w, table.Wrap(line))
		}
	}
	if findings := r.findings(); len(findings) > 0 {
		for i := range findings {
			f := &findings[i]
			if i == 0 || f.source != findings[i-1].source {
				fmt.Fprintf(w, "\nFindings of [Marshall12] on %s, at each rejection rate:\n", r.title(f.source))
			}
			fmt.Fprintln(w, table.Wrap(f.String()))
		}
	}
	return w.Flush()
}

// unended says which jobs of a cell did not end, and why, or nothing.
func (r *results) unended(c *cell) string {
	n := c.unfinished()
	if n == 0 {
		return ""
	}
	line := fmt.Sprintf("%s, %s at %s: %s of all runs together did not end, and are not in the means", c.source.name, c.policy.label(), percent(c.reject), decimal.Count(n, "job"))
	if c.source.log == nil {
		return line + fmt.Sprintf(": the simulated time ends after %s s.", decimal.Int(int(c.source.horizon.Seconds())))
	}
	if _, k := c.stuck(); k >= 0 {
		j := &c.source.log.Jobs[k]
		line += fmt.Sprintf(". The first is job %d, of %s: it did not start in 60 days in which nothing else ran", j.ID, decimal.Count(j.Nodes, "core"))
	}
	return line + "."
}

func (r *results) unfinished(s *jobSource) int {
	n := 0
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
func (r *results) figures(s *jobSource) [3]svgplot.Bars {
	rates := make([]string, len(r.opts.reject))
	order := ""
	for i, x := range r.opts.reject {
		rates[i] = percent(x) + " refused"
		if i > 0 {
			order += ", "
		}
		order += percent(x)
	}
	figures := [3]svgplot.Bars{
		{Title: r.title(s) + ": average weighted response time", Unit: "hours", Parts: rates},
		{Title: r.title(s) + ": core-hours, at " + order + " refused", Unit: "core-hours", Parts: places[:]},
		{Title: r.title(s) + ": cost", Unit: "dollars", Parts: rates},
	}
	parts := [3][]func(*oneRun) float64{
		{func(r *oneRun) float64 { return hours(awrt(r)) }},
		{coreHours(0), coreHours(1), coreHours(2)},
		{cost},
	}
	for i := range figures {
		for _, p := range r.opts.policies {
			figures[i].Groups = append(figures[i].Groups, p.label())
			var bars []svgplot.Bar
			for _, reject := range r.opts.reject {
				var b svgplot.Bar
				for _, f := range parts[i] {
					x := r.cell(s, reject, p).over(f)
					b.Parts, b.Spreads = append(b.Parts, x.mean), append(b.Spreads, x.deviation)
				}
				bars = append(bars, b)
			}
			figures[i].Bars = append(figures[i].Bars, bars)
		}
	}
	return figures
}
