package main

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/preemptions"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// rows has a row for each policy and grace period. Numbers are rounded so far that they are
// the same on every machine.
func (r *results) rows() any {
	rows := []jsonrows.Row{}
	for k := range preemptions.Kinds {
		for g, grace := range r.Graces {
			if !r.Shown[k] {
				continue
			}
			s := &r.Series[k][g]
			total, high := s.Tally.Total().Seconds(), s.Tally.Of(preemptions.HighPriority).Seconds()
			var over any // nil where exact alone wastes nothing
			if x := r.overExact(k, g); !math.IsInf(x, 1) {
				over = decimal.Number(x, 6)
			}
			amount := func(x float64) json.Number { return decimal.Number(x, 3) }
			rows = append(rows, jsonrows.Row{
				"log", r.Log.Name, "policy", k.String(), "grace_s", decimal.Seconds(grace), "jobs", len(r.Log.Jobs), "states", r.States,
				"mean_node_s", amount(r.PerState(total)), "p25_node_s", amount(s.Dist.Quantile(.25)), "median_node_s", amount(s.Dist.Quantile(.5)),
				"p75_node_s", amount(s.Dist.Quantile(.75)), "max_node_s", amount(s.Dist.Max), "over_exact", over,
				"killed_jobs", decimal.Number(r.killed(k, g), 6),
				"important_node_s", amount(r.PerState(high)), "other_node_s", amount(r.PerState(total - high)),
				"idle_node_s", amount(r.PerState(s.Idle.Seconds())),
			})
		}
	}
	return rows
}

// overExact returns the mean waste over that of the exact choice: 1 where neither
// wastes anything, and infinity where only that one does not.
func (r *results) overExact(k preemptions.Kind, grace int) float64 {
	own, least := r.Series[k][grace].Tally.Total(), r.Series[preemptions.Exact][grace].Tally.Total()
	if own == least {
		return 1
	}
	return own.Seconds() / least.Seconds()
}

// mostGraces is how many grace periods fit a table.
const mostGraces = 6

// text writes a table and the decision.
func (r *results) text(w *table.Page) error {
	w.Sayf("%s: %s in %s days; %d of %d nodes are taken in each of %s.", table.Title(r.Log.Name),
		decimal.Count(len(r.Log.Jobs), "job"), decimal.Fixed(r.Length.Hours()/24, 1), r.Take, r.Nodes, decimal.Count(r.States, "state"))
	w.Printf("\n")
	g := r.PrioritiesGrace()
	for from := 0; from < len(r.Graces); from += mostGraces {
		r.table(w, from, min(from+mostGraces, len(r.Graces)))
		w.Printf("\n")
	}
	w.Sayf("Node-hours of work that a preemption wastes, in the mean, by grace period; the jobs that it ends, and the node-hours that nodes stand idle, with %s.", decimal.Span(r.Graces[g]))
	w.Printf("\n")
	r.priorities(w, g)
	r.decide(w, g)
	return nil
}

// table has a row for each policy and a column for each grace period.
func (r *results) table(w *table.Page, from, to int) {
	titles := "<policy"
	for _, grace := range r.Graces[from:to] {
		titles += "|" + decimal.Span(grace)
	}
	g := r.PrioritiesGrace()
	var rows [][]string
	for k := range preemptions.Kinds {
		if !r.Shown[k] && k != preemptions.Exact {
			continue
		}
		row := []string{k.String()}
		for i := from; i < to; i++ {
			row = append(row, hours(r.mean(k, i)))
		}
		rows = append(rows, append(row, decimal.Fixed(r.killed(k, g), 2), hours(r.idle(k, g))))
	}
	w.Table(titles+"|jobs|idle", rows)
}

func hours(x float64) string { return decimal.Grouped(decimal.Fixed(x, 2)) }

// priorities says what priorities save and cost.
func (r *results) priorities(w *table.Page, g int) {
	with := ""
	if r.Overrun > 1 {
		with = fmt.Sprintf(" with -overrun %d", r.Overrun)
	}
	// compare says what a part of the jobs, the others and all waste.
	compare := func(jobs string, part func(s *preemptions.Series) float64) {
		for _, c := range [][2]preemptions.Kind{{preemptions.PAPPlus, preemptions.PAP}, {preemptions.ExactPlus, preemptions.Exact}} {
			if !r.Shown[c[0]] {
				continue
			}
			a, b := &r.Series[c[0]][g], &r.Series[c[1]][g]
			allA, allB := a.Tally.Total().Hours(), b.Tally.Total().Hours()
			w.Sayf("%v%s against %v: %s waste %s, the others %s, all %s.", c[0], with, c[1], jobs,
				change(part(a), part(b)), change(allA-part(a), allB-part(b)), change(allA, allB))
		}
	}
	if r.Overrun > 1 {
		compare("jobs beyond their requested time", func(s *preemptions.Series) float64 { return s.Beyond.Hours() })
	}
	if r.Log.Important == 0 {
		return
	}
	compare(fmt.Sprintf("important jobs (%s, %s)", decimal.Int(r.Log.Important), r.Log.Which),
		func(s *preemptions.Series) float64 { return s.Tally.Of(preemptions.HighPriority).Hours() })
	if r.Log.Top && r.Shown[preemptions.PAPPlus] {
		w.Sayf("These jobs have the highest values with pap as well, so that priorities hardly matter: -important random=1%% or queue=NAME shows what they do for others.")
	}
}

// decide says which policy to take, and what a longer grace period is worth.
func (r *results) decide(w *table.Page, g int) {
	k := r.best(g)
	least := hours(r.mean(preemptions.Exact, g))
	if k < 0 {
		w.Sayf("Decision: a live system knows no job's end: -policy requested, survival or lifo. The least waste with %s is %s node-hours.", decimal.Span(r.Graces[g]), least)
		return
	}
	text := fmt.Sprintf("Decision: with a grace period of %s take nodes by %v: a preemption wastes %s node-hours and ends %s jobs early, in the mean. If each job's end were known, it would waste %s.",
		decimal.Span(r.Graces[g]), k, hours(r.mean(k, g)), decimal.Fixed(r.killed(k, g), 2), least)
	last := len(r.Graces) - 1
	if l := r.best(last); r.Graces[last] > r.Graces[g] {
		text += fmt.Sprintf(" A grace period of %s wastes %s (%v), and %s node-hours stand idle until it ends.",
			decimal.Span(r.Graces[last]), change(r.mean(l, last), r.mean(k, g)), l, hours(r.idle(l, last)))
	}
	w.Sayf("%s", text)
}

// change says how x relates to base.
func change(x, base float64) string {
	switch {
	case x == base:
		return "the same"
	case base == 0:
		return "more (from none)"
	case x < base:
		return decimal.Fixed(100*(1-x/base), 1) + "% less"
	}
	return decimal.Grouped(decimal.Fixed(100*(x/base-1), 1)) + "% more"
}
