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
	Workload        string        `json:"workload"`
	Arrivals        string        `json:"arrivals,omitempty"`
	Reject          json.Number   `json:"reject"`
	Policy          string        `json:"policy"`
	Runs            int           `json:"runs"`
	Jobs            json.Number   `json:"jobs"`
	AWRT            json.Number   `json:"awrt_s"`
	AWRTDeviation   json.Number   `json:"awrt_sd_s"`
	AWQT            json.Number   `json:"awqt_s"`
	AWQTDeviation   json.Number   `json:"awqt_sd_s"`
	Makespan        json.Number   `json:"makespan_s"`
	MakespanDev     json.Number   `json:"makespan_sd_s"`
	Cost            json.Number   `json:"cost"`
	CostDeviation   json.Number   `json:"cost_sd"`
	LocalHours      json.Number   `json:"local_core_hours"`
	PrivateHours    json.Number   `json:"private_core_hours"`
	CommercialHours json.Number   `json:"commercial_core_hours"`
	Lowest          pricing.Money `json:"lowest_credits"`
	Refused         json.Number   `json:"refused"`
	Unfinished      int           `json:"unfinished_jobs"`
}

func (r *results) writeJSON(w io.Writer) error {
	rows := make([]jsonCell, len(r.cells))
	for i := range r.cells {
		c := &r.cells[i]
		number := func(x float64) json.Number { return decimal.Number(x, 3) }
		mean := func(f func(*oneRun) float64) json.Number { return number(c.over(f).mean) }
		deviation := func(f func(*oneRun) float64) json.Number { return number(c.over(f).deviation) }
		rows[i] = jsonCell{
			Workload: c.source.name, Arrivals: c.source.arrivals, Reject: decimal.Number(c.reject, 6), Policy: c.policy.String(),
			Runs: len(c.runs), Jobs: mean(func(r *oneRun) float64 { return float64(r.jobs) }),
			AWRT: mean(awrt), AWRTDeviation: deviation(awrt),
			AWQT: mean(awqt), AWQTDeviation: deviation(awqt),
			Makespan: mean(makespan), MakespanDev: deviation(makespan),
			Cost: mean(cost), CostDeviation: deviation(cost),
			LocalHours: mean(coreHours(0)), PrivateHours: mean(coreHours(1)), CommercialHours: mean(coreHours(2)),
			Lowest:     c.lowest(),
			Refused:    mean(func(r *oneRun) float64 { return float64(r.refused) }),
			Unfinished: c.unfinished(),
		}
	}
	return jsonrows.Write(w, rows)
}

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

// plusMinus writes a spread.
func plusMinus(s spread, decimals int) string {
	return decimal.Grouped(decimal.Fixed(s.mean, decimals)) + " ± " + decimal.Grouped(decimal.Fixed(s.deviation, decimals))
}

// writeText writes a table for each workload, what there is to say about them, and
// the paper's findings.
func (r *results) writeText(stdout io.Writer) error {
	w := bufio.NewWriter(stdout)
	columns := []table.Column{
		{Title: "policy", Left: true}, {Title: "AWRT, h"}, {Title: "AWQT, h"}, {Title: "cost, $"},
		{Title: "local"}, {Title: "private\ncore-hours"}, {Title: "commercial"}, {Title: "makespan\ns"}, {Title: "lowest\ncredits, $"},
	}
	for _, s := range r.sources {
		for _, reject := range r.opts.reject {
			fmt.Fprintf(w, "%s; private cloud refuses %s of requests\n\n", r.title(s), percent(reject))
			var rows [][]string
			for i := range r.cells {
				c := &r.cells[i]
				if c.source != s || c.reject != reject {
					continue
				}
				scaled := func(f func(*oneRun) float64) spread {
					x := c.over(f)
					return spread{hours(x.mean), hours(x.deviation)}
				}
				whole := func(f func(*oneRun) float64) string { return decimal.Grouped(decimal.Fixed(c.over(f).mean, 0)) }
				rows = append(rows, []string{
					c.policy.label(), plusMinus(scaled(awrt), 2), plusMinus(scaled(awqt), 2), plusMinus(c.over(cost), 0),
					whole(coreHours(0)), whole(coreHours(1)), whole(coreHours(2)), whole(makespan),
					decimal.Grouped(c.lowest().Fixed(0)),
				})
			}
			if err := table.Write(w, columns, rows); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(w, table.Wrap(fmt.Sprintf("Means ± standard deviations over %s; the lowest credits are those of any run. "+
		"AWRT and AWQT are response and queued time, weighted by cores. $%v an hour accrue and accumulate; launches overdraw "+
		"them by $%v at the most, and what falls below that renews instances on which jobs run.",
		decimal.Count(r.opts.runs, "run"), r.opts.budget.Hourly, r.opts.budget.Debt)))
	for _, s := range r.sources {
		if n := r.unfinished(s); n > 0 {
			fmt.Fprintln(w, table.Wrap(fmt.Sprintf("%s: %s in all runs together had not ended after %s s, and are not in the means.",
				s.name, decimal.Count(n, "job"), decimal.Int(int(s.horizon.Seconds())))))
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
	rates := make([]string, len(r.opts.reject))
	order := ""
	for i, x := range r.opts.reject {
		rates[i] = percent(x) + " refused"
		if i > 0 {
			order += ", "
		}
		order += percent(x)
	}
	groups := make([]string, len(r.opts.policies))
	for i, p := range r.opts.policies {
		groups[i] = p.label()
	}
	rows := make([][]svgplot.Bars, 3)
	for _, s := range r.sources {
		figures := [3]svgplot.Bars{
			{Title: r.title(s) + ": average weighted response time", Unit: "hours", Parts: rates},
			{Title: r.title(s) + ": core-hours, at " + order + " refused", Unit: "core-hours", Parts: []string{"local", "private", "commercial"}},
			{Title: r.title(s) + ": cost", Unit: "dollars", Parts: rates},
		}
		for i := range figures {
			figures[i].Groups = groups
			for _, p := range r.opts.policies {
				var bars []svgplot.Bar
				for _, reject := range r.opts.reject {
					c := r.cell(s, reject, p)
					var b svgplot.Bar
					switch i {
					case 0:
						x := c.over(awrt)
						b = svgplot.Bar{Parts: []float64{hours(x.mean)}, Spread: hours(x.deviation)}
					case 1:
						for k := range 3 {
							b.Parts = append(b.Parts, c.over(coreHours(k)).mean)
						}
					case 2:
						x := c.over(cost)
						b = svgplot.Bar{Parts: []float64{x.mean}, Spread: x.deviation}
					}
					bars = append(bars, b)
				}
				figures[i].Bars = append(figures[i].Bars, bars)
			}
			rows[i] = append(rows[i], figures[i])
		}
	}
	return svgplot.WriteBars(w, rows)
}
