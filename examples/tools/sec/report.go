package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/termplot"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// rows are the modes for machines. Numbers are rounded so far that they are the same on
// every machine.
func (runs *modeRuns) rows() any {
	var rows []jsonrows.Row
	for _, r := range runs.shown {
		n := func(x float64) any { return decimal.Number(x, 6) }
		row := jsonrows.Row{
			"mode", r.mode, "nodes", r.nodes, "jobs", r.Jobs, "mean_wait_s", decimal.Seconds(r.MeanWait), "mean_bounded_slowdown", n(r.MeanSlowdown),
			"utilisation", n(r.Utilisation), "used_hours", n(r.UsedHours), "charged_hours", n(r.ChargedHours),
			"reserved", r.reserved, "cost", r.cost, "pure_cost", r.pure, "saving", n(r.saving),
		}
		if m := runs.market; m != nil && r.mode == hybrid {
			row = append(row, "cost_sold", m.sold, "hindsight_cost", m.whole, "hindsight_cost_sold", m.plan)
		}
		rows = append(rows, row)
	}
	return rows
}

// text writes the table with its explanations, and the picture.
func (runs *modeRuns) text(w *table.Page) error {
	o := runs.o
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
	w.Table("<mode|nodes|mean\nwait, s|bounded\nslowdown|used of\ncharged|charged\nhours|cost, $|pure\ncost, $|saving", rows)
	w.Printf("\n")
	if r, base := runs.picked(), runs.individual; r.mode != individual {
		w.Printf("%v: %s than individual, waits %s\n", r.mode,
			compared(float64(r.pure), float64(base.pure), "cheaper", "dearer"),
			compared(float64(r.MeanWait), float64(base.MeanWait), "shorter", "longer"))
	}
	w.Printf("Means of %s jobs. Saving is over individual. Nodes are the most held at once.\n"+
		"Waits are from submission to start. An instance costs $%s for every hour begun.\n",
		decimal.Int(len(runs.log.jobs)), runs.prices.OnDemand.Fixed(2))
	if o.cores != instanceProcessors {
		w.Printf("Prices are those of an instance of %d processors, also where -cores-per-node is %d.\n",
			instanceProcessors, o.cores)
	}
	if o.shows(hybrid, multi) && o.portfolio != buyNothing {
		w.Printf("The pure cost is less what is left of reserved terms at the end, and the saving\n" +
			"is of it: who goes on will use them.\n")
	}
	if o.shows(hybrid) && o.shows(multi) && o.portfolio != buyOffline && o.portfolio != buyExact && o.portfolio != buyNothing {
		w.Printf("Hybrid and multi reserve alike: neither knows when the log ends.\n")
	}
	if o.shows(gce, multi) {
		w.Printf("At Google an instance costs %s of that, for each of at least ten minutes, and\n"+
			"down to 40%% of this as it is used throughout a calendar month.\n", percent(o.ratio))
	}
	if o.shows(local) {
		local := runs.shown[len(runs.shown)-1]
		w.Printf("Local has its nodes throughout, and costs what owning and hosting them would,\n"+
			"without staff: of the cost of three years the part of %s days.\n",
			decimal.Fixed(local.Makespan.Hours()/24, 1))
	}
	w.Printf("\n")
	runs.marketText(w)
	if runs.users != nil {
		if picked := runs.picked(); picked.mode == individual {
			w.Sayf("Users of individual: each pays for the instances of the user's own jobs, $%s in all.", decimal.Grouped(picked.pure.Fixed(2)))
		} else {
			userbill.Say(w, picked.mode.String(), runs.users)
		}
		w.Printf("\n")
	}
	p := newPicture(runs.picked())
	p.Title = "Instances, " + p.Title
	return termplot.Write(w, termplot.Picture(p), runs.columns)
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

func (runs *modeRuns) writeSVG(w io.Writer) error {
	r := runs.picked()
	p := newPicture(r)
	p.Title = fmt.Sprintf("Capacity and use, mode %v: %s jobs of %s", r.mode, decimal.Int(r.Jobs), title(runs.log.name))
	return svgplot.Write(w, p)
}

func (runs *modeRuns) writeDemand(w io.Writer) error {
	return trace.WriteDemand(w, runs.picked().AppendDemand(nil, time.Hour))
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
	return table.Clip(name, 41)
}

func (runs *modeRuns) writeJobs(w io.Writer) error {
	line := []byte("id,submit_s,start_s,wait_s,nodes,user\n")
	starts := runs.picked().Starts
	for i, j := range runs.log.jobs {
		line = strconv.AppendInt(line, j.ID, 10)
		for _, t := range [...]time.Duration{j.Submit, starts[i], starts[i] - j.Submit} {
			line = decimal.AppendSeconds(append(line, ','), t)
		}
		line = strconv.AppendInt(append(line, ','), int64(j.Nodes), 10)
		line = append(strconv.AppendInt(append(line, ','), int64(j.User), 10), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line = line[:0]
	}
	return nil
}
