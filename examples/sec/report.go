package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/termplot"
	"github.com/plimsoll/plimsoll/pricing"
)

// jsonRun is a mode for machines. Numbers are rounded so far that they are the
// same on every machine.
type jsonRun struct {
	Mode         mode          `json:"mode"`
	Nodes        int           `json:"nodes"`
	Jobs         int           `json:"jobs"`
	MeanWait     json.Number   `json:"mean_wait_s"`
	MeanSlowdown json.Number   `json:"mean_bounded_slowdown"`
	Utilisation  json.Number   `json:"utilisation"`
	UsedHours    json.Number   `json:"used_hours"`
	ChargedHours json.Number   `json:"charged_hours"`
	Reserved     int           `json:"reserved"`
	Cost         pricing.Money `json:"cost"`
	PureCost     pricing.Money `json:"pure_cost"`
	Saving       json.Number   `json:"saving"`
}

func writeJSON(w io.Writer, runs *modeRuns) error {
	rows := make([]jsonRun, len(runs.shown))
	for i, r := range runs.shown {
		rows[i] = jsonRun{
			Mode:         r.mode,
			Nodes:        r.nodes,
			Jobs:         r.Jobs,
			MeanWait:     decimal.Seconds(r.MeanWait),
			MeanSlowdown: decimal.Number(r.MeanSlowdown, 6),
			Utilisation:  decimal.Number(r.Utilisation, 6),
			UsedHours:    decimal.Number(r.UsedHours, 6),
			ChargedHours: decimal.Number(r.ChargedHours, 6),
			Reserved:     r.reserved,
			Cost:         r.cost,
			PureCost:     r.pure,
			Saving:       decimal.Number(r.saving, 6),
		}
	}
	return jsonrows.Write(w, rows)
}

// writeText writes the table, what there is to say about it, and the picture.
func (o *options) writeText(stdout io.Writer, log *jobLog, runs *modeRuns) error {
	w := bufio.NewWriter(stdout)
	columns := []table.Column{
		{Title: "mode", Left: true}, {Title: "nodes"}, {Title: "mean\nwait, s"}, {Title: "bounded\nslowdown"},
		{Title: "used of\ncharged"}, {Title: "charged\nhours"}, {Title: "cost, $"}, {Title: "pure\ncost, $"}, {Title: "saving"},
	}
	var rows [][]string
	for _, r := range runs.shown {
		rows = append(rows, []string{
			r.mode.String(),
			decimal.Int(r.nodes),
			decimal.Grouped(decimal.Fixed(r.MeanWait.Seconds(), 1)),
			decimal.Grouped(decimal.Fixed(r.MeanSlowdown, 2)),
			percent(r.Utilisation),
			decimal.Grouped(decimal.Fixed(r.ChargedHours, 0)),
			decimal.Grouped(r.cost.Fixed(0)),
			decimal.Grouped(r.pure.Fixed(0)),
			percent(r.saving),
		})
	}
	if err := table.Write(w, columns, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if r, base := runs.picked(), runs.individual; r.mode != individual {
		fmt.Fprintf(w, "%v: %s than individual, waits %s\n", r.mode,
			compared(float64(r.pure), float64(base.pure), "cheaper", "dearer"),
			compared(float64(r.MeanWait), float64(base.MeanWait), "shorter", "longer"))
	}
	fmt.Fprintf(w, "Means of %s jobs. Saving is over individual. Nodes are the most held at once.\n"+
		"Waits are from submission to start. An instance costs $%s for every hour begun.\n",
		decimal.Int(len(log.jobs)), runs.prices.OnDemand.Fixed(2))
	if o.cores != instanceProcessors {
		fmt.Fprintf(w, "Prices are those of an instance of %d processors, also where -cores-per-node is %d.\n",
			instanceProcessors, o.cores)
	}
	if o.shows(hybrid, multi) && o.portfolio != buyNothing {
		fmt.Fprintf(w, "The pure cost is less what is left of reserved terms at the end, and the saving\n"+
			"is of it: who goes on will use them.\n")
	}
	if o.shows(gce, multi) {
		fmt.Fprintf(w, "At Google an instance costs %s of that, for each of at least ten minutes, and\n"+
			"down to 40%% of this as it is used throughout a calendar month.\n", percent(o.ratio))
	}
	if o.shows(local) {
		local := runs.shown[len(runs.shown)-1]
		fmt.Fprintf(w, "Local has its nodes throughout, and costs what owning and hosting them would,\n"+
			"without staff: of the cost of three years the part of %s days.\n",
			decimal.Fixed(local.Makespan.Hours()/24, 1))
	}
	fmt.Fprintln(w)
	width, ok := progress.Terminal(stdout)
	if !ok {
		width = 80
	}
	p := newPicture(runs.picked())
	p.Title = "Instances, " + p.Title
	if err := termplot.Write(w, termplot.Picture(p), width); err != nil {
		return err
	}
	return w.Flush()
}

func percent(x float64) string { return decimal.Fixed(100*x, 1) + "%" }

// compared says how x relates to base, in percent, or as a multiple where that
// is easier to read.
func compared(x, base float64, less, more string) string {
	switch {
	case base == 0:
		return "not " + less
	case x <= base:
		return percent(1-x/base) + " " + less
	}
	if x >= 3*base {
		return decimal.Grouped(decimal.Fixed(x/base-1, 1)) + " times " + more
	}
	return percent(x/base-1) + " " + more
}

// newPicture returns the capacity of a run against its use.
func newPicture(r *modeRun) svgplot.Picture {
	p := svgplot.Picture{
		Title: r.mode.String(),
		From:  r.Levels[0].At,
		To:    r.Levels[len(r.Levels)-1].At,
		Held:  make([]steps.Point, len(r.Levels)),
		Busy:  make([]steps.Point, len(r.Levels)),
	}
	if p.From < (p.To-p.From)/50 {
		p.From = 0 // for an axis that starts where it should
	}
	for i, l := range r.Levels {
		p.Held[i] = steps.Point{At: l.At, Value: l.Held}
		p.Busy[i] = steps.Point{At: l.At, Value: l.Busy}
	}
	return p
}

// write writes the files that were asked for.
func (out outputs) write(log *jobLog, r *modeRun) error {
	if out.jobs != nil {
		if err := writeJobs(out.jobs, log, r.Starts); err != nil {
			return err
		}
	}
	if out.demand != nil {
		if err := writeDemand(out.demand, r.AppendDemand(nil, time.Hour)); err != nil {
			return err
		}
	}
	if out.svg != nil {
		p := newPicture(r)
		p.Title = fmt.Sprintf("Capacity and use, mode %v: %s jobs of %s", r.mode, decimal.Int(r.Jobs), title(log.name))
		if err := svgplot.Write(out.svg, p); err != nil {
			return err
		}
	}
	return nil
}

// title is the name of a log without its folder, fit for one line of a
// picture.
func title(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
	if r := []rune(name); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return name
}

func writeJobs(w io.Writer, log *jobLog, starts []time.Duration) error {
	line := []byte("id,submit_s,start_s,wait_s,nodes\n")
	for i, j := range log.jobs {
		line = strconv.AppendInt(line, j.ID, 10)
		for _, t := range [...]time.Duration{j.Submit, starts[i], starts[i] - j.Submit} {
			line = decimal.AppendSeconds(append(line, ','), t)
		}
		line = strconv.AppendInt(append(line, ','), int64(j.Nodes), 10)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}

func writeDemand(w io.Writer, demand []int) error {
	line := []byte("instances\n")
	for _, d := range demand {
		line = strconv.AppendInt(line, int64(d), 10)
		line = append(line, '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}
