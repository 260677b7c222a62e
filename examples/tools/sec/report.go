package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/examples/internal/userbill"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// rows are the modes for machines. Numbers are rounded so far that they are the same on
// every machine; money is exact.
func (runs *modeRuns) rows() any {
	var rows []jsonrows.Row
	for i := range runs.shown {
		r := &runs.shown[i]
		n := func(x float64) any { return decimal.Number(x, 6) }
		rows = append(rows, jsonrows.Row{
			"mode", r.Mode, "nodes", r.Nodes, "jobs", r.Jobs, "mean_wait_s", decimal.Seconds(r.MeanWait), "mean_bounded_slowdown", n(r.MeanSlowdown),
			"utilisation", n(r.Utilisation), "used_hours", n(r.UsedHours), "charged_hours", n(r.ChargedHours),
			"reserved", r.Reserved, "cost", r.Paid.String(), "pure_cost", r.Pure.String(), "saving", n(runs.saving(r)),
		})
	}
	return rows
}

// text writes the table, the picture, what the numbers mean, and the decision.
func (runs *modeRuns) text(w *table.Page) error {
	var rows [][]string
	for i := range runs.shown {
		r := &runs.shown[i]
		rows = append(rows, []string{
			r.Mode.String(),
			decimal.Int(r.Nodes),
			decimal.Grouped(decimal.Fixed(r.MeanWait.Seconds(), 1)),
			decimal.Grouped(decimal.Fixed(r.MeanSlowdown, 2)),
			percent(r.Utilisation),
			decimal.Grouped(r.Paid.Fixed(0)),
			decimal.Grouped(r.Pure.Fixed(0)),
			percent(runs.saving(r)),
		})
	}
	w.Table("<mode|nodes|mean\nwait, s|bounded\nslowdown|used of\ncharged|cost, $|pure\ncost, $|saving", rows)
	w.Printf("\n")
	p := newPicture(runs.picked())
	p.Title = "Instances, " + p.Title
	if err := plot(w, p, runs.columns); err != nil {
		return err
	}
	w.Printf("\n")
	runs.explain(w)
	if picked := runs.picked(); runs.users != nil && picked.Mode == semielastic.Individual {
		w.Sayf("Users of individual: each pays for the instances of the user's own jobs, $%s in all.", decimal.Grouped(picked.Pure.Fixed(2)))
	} else if runs.users != nil {
		userbill.Say(w, picked.Mode.String(), runs.users)
	}
	runs.decide(w)
	return nil
}

// explain says what the numbers mean.
func (runs *modeRuns) explain(w *table.Page) {
	o := runs.o
	w.Sayf("Means of %s jobs; saving is of pure cost, over individual. An instance costs $%s for every hour begun.",
		decimal.Int(len(runs.log.Jobs)), runs.prices.OnDemand.Fixed(2))
	if o.cores != instanceProcessors && o.classes == "" {
		w.Sayf("Prices are those of an instance of %d processors, also where -cores-per-node is %d.", instanceProcessors, o.cores)
	}
	if o.shows(semielastic.Hybrid, semielastic.Multi) && o.portfolio != semielastic.BuyNothing {
		w.Sayf("Pure cost is less what is left of reserved terms at the end of the log.")
	}
	if o.shows(semielastic.GCE, semielastic.Multi) {
		w.Sayf("At Google an instance costs %s of that, for each of at least ten minutes, and down to 40%% of this as it is used throughout a month.",
			percent(o.policy.Ratio))
	}
	if o.shows(semielastic.Local) {
		w.Sayf("Local costs what owning and hosting its nodes would for these %s days, of three years, without staff.",
			decimal.Fixed(runs.shown[len(runs.shown)-1].Makespan.Hours()/24, 1))
	}
}

// decide says which mode to choose: the cheapest of those in which jobs wait no longer than on
// instances of their own or, if there is none, of all but the owned cluster.
func (runs *modeRuns) decide(w *table.Page) {
	base := &runs.individual
	var best, owned *semielastic.Run
	for _, longer := range []bool{false, true} {
		for i := range runs.shown {
			switch r := &runs.shown[i]; {
			case r.Mode == semielastic.Local:
				owned = r
			case (longer || r.MeanWait <= base.MeanWait) && (best == nil || r.Pure < best.Pure):
				best = r
			}
		}
		if best != nil {
			break
		}
	}
	against := func(r, base *semielastic.Run, name string) string {
		return fmt.Sprintf("%s than %s, waits %s", compared(r.Pure.Float64(), base.Pure.Float64(), "cheaper", "dearer"), name,
			compared(float64(r.MeanWait), float64(base.MeanWait), "shorter", "longer"))
	}
	w.Printf("\n")
	switch {
	case best == nil:
		w.Sayf("Decision: local is %s.", against(owned, base, "individual"))
		return
	case best.Mode == semielastic.Individual && len(runs.shown) > 1:
		w.Sayf("Decision: individual. No other mode costs less without more wait.")
	case best.Mode == semielastic.Individual:
		w.Sayf("Decision: none, since individual has nothing beside it; -mode all compares.")
	default:
		w.Sayf("Decision: %v is %s.", best.Mode, against(best, base, "individual"))
	}
	if best.Reserved > 0 {
		w.Sayf("It reserves %s, and pays $%s until the terms end, which saves only if the load goes on so long.", decimal.Count(best.Reserved, "instance"),
			decimal.Grouped(best.Paid.Fixed(0)))
	}
	if owned != nil {
		w.Sayf("Owning %s is %s.", decimal.Count(owned.Nodes, "node"), against(owned, best, best.Mode.String()))
	}
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
func newPicture(r *semielastic.Run) svgplot.Picture {
	p := svgplot.Picture{
		Title: r.Mode.String(),
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
	p.Title = fmt.Sprintf("Capacity and use, mode %v: %s jobs of %s", r.Mode, decimal.Int(r.Jobs), runs.log.Title())
	return svgplot.Write(w, p)
}

func (runs *modeRuns) writeDemand(w io.Writer) error {
	return trace.WriteDemand(w, runs.picked().AppendDemand(nil, time.Hour))
}

func (runs *modeRuns) writeJobs(w io.Writer) error {
	line := []byte("id,submit_s,start_s,wait_s,nodes,user\n")
	starts := runs.picked().Starts
	for i, j := range runs.log.Jobs {
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
