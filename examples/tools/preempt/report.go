package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// rows has a row for each log, policy and grace period. Numbers are rounded so far that
// they are the same on every machine.
func (all *results) rows() any {
	if all.claims {
		return all.claimsRows()
	}
	rows := []jsonrows.Row{}
	for _, r := range all.logs {
		for k := range kinds {
			for g, grace := range all.graces {
				if !all.shown[k] {
					continue
				}
				s := &r.series[k][g]
				total, high := s.tally.Total().Seconds(), s.tally.Of(highPriority).Seconds()
				var over any // nil where exact alone wastes nothing
				if x := r.overExact(k, g); !math.IsInf(x, 1) {
					over = decimal.Number(x, 6)
				}
				amount := func(x float64) json.Number { return decimal.Number(x, 3) }
				rows = append(rows, jsonrows.Row{
					"log", r.log.name, "policy", k.String(), "grace_s", decimal.Seconds(grace), "jobs", len(r.log.jobs), "states", r.states,
					"mean_node_s", amount(r.perState(total)), "p25_node_s", amount(s.dist.quantile(.25)), "median_node_s", amount(s.dist.quantile(.5)),
					"p75_node_s", amount(s.dist.quantile(.75)), "max_node_s", amount(s.dist.max), "over_exact", over,
					"killed_jobs", decimal.Number(r.perState(float64(s.tally.Killed())), 6),
					"important_node_s", amount(r.perState(high)), "other_node_s", amount(r.perState(total - high)),
					"idle_node_s", amount(r.perState(s.idle.Seconds())),
				})
			}
		}
	}
	return rows
}

func (r *result) perState(x float64) float64 { return x / float64(max(1, r.states)) }

// overExact returns the mean waste over that of the exact choice: 1 where neither
// wastes anything, and infinity where only that one does not.
func (r *result) overExact(k kind, grace int) float64 {
	own, least := r.series[k][grace].tally.Total(), r.series[exact][grace].tally.Total()
	if own == least {
		return 1
	}
	return own.Seconds() / least.Seconds()
}

// text writes tables.
func (all *results) text(w *table.Page) error {
	o := all.options
	if o.claims {
		all.claimsText(w)
		return nil
	}
	for i, r := range all.logs {
		if i > 0 {
			w.Printf("\n")
		}
		w.Printf("%s: %s in %s days; %d of %d nodes are taken in each of %s\n\n", title(r.log.name),
			decimal.Count(len(r.log.jobs), "job"), decimal.Fixed(r.length.Hours()/24, 1), o.take, o.nodes, decimal.Count(r.states, "state"))
		if r.states == 0 {
			w.Printf("All jobs end at once: there is no state to preempt in.\n")
			continue
		}
		w.Printf("Median of the wasted node-hours\n")
		o.table(w, false, func(k kind, g int) string {
			return decimal.Grouped(decimal.Fixed(r.series[k][g].dist.quantile(.5)/3600, 2))
		})
		w.Printf("\nMean of the wasted node-hours, and of the others over that of exact\n")
		o.table(w, true, func(k kind, g int) string {
			over := r.overExact(k, g)
			switch {
			case k == exact:
				return decimal.Grouped(decimal.Fixed(r.perState(r.series[k][g].tally.Total().Hours()), 2))
			case math.IsInf(over, 1):
				return "∞"
			case over >= 1000:
				return "> 1,000"
			}
			return decimal.Fixed(over, 3)
		})
		w.Printf("\nMean of the node-hours that nodes stand idle until the grace period ends\n")
		o.table(w, false, func(k kind, g int) string {
			return decimal.Grouped(decimal.Fixed(r.perState(r.series[k][g].idle.Hours()), 2))
		})
		o.priorities(w, r)
	}
	return nil
}

// table writes a row for each grace period and a column for each policy.
func (o *options) table(w *table.Page, withExact bool, cell func(k kind, grace int) string) {
	titles := "grace"
	rows := make([][]string, len(o.graces))
	for g, grace := range o.graces {
		rows[g] = []string{decimal.Span(grace)}
	}
	for k := range kinds {
		if !o.shown[k] && !(withExact && k == exact) {
			continue
		}
		name := k.String()
		switch k {
		case requested:
			name = "re-\nquested"
		case survival:
			name = "sur-\nvival"
		case corrected:
			name = "cor-\nrected"
		}
		titles += "|" + name
		for g := range o.graces {
			rows[g] = append(rows[g], cell(k, g))
		}
	}
	w.Table(titles, rows)
}

// prioritiesGrace is the grace period with which priorities are compared: the
// paper's 120 s, or if that is not there the first.
func (o *options) prioritiesGrace() int { return max(0, slices.Index(o.graces, 120*time.Second)) }

// priorities says what priorities save and cost.
func (o *options) priorities(w *table.Page, r *result) {
	g := o.prioritiesGrace()
	with := ""
	if o.overrun > 1 {
		with = fmt.Sprintf(" with -overrun %d", o.overrun)
	}
	// compare says what a part of the jobs, the others and all waste.
	compare := func(jobs string, part func(s *series) float64) {
		for _, c := range [][2]kind{{papPlus, pap}, {exactPlus, exact}} {
			if !o.shown[c[0]] {
				continue
			}
			a, b := &r.series[c[0]][g], &r.series[c[1]][g]
			allA, allB := a.tally.Total().Hours(), b.tally.Total().Hours()
			w.Printf("\n%v%s against %v, grace %s: %s%s, the others %s, all %s\n", c[0], with, c[1], decimal.Span(o.graces[g]), jobs,
				change(part(a), part(b)), change(allA-part(a), allB-part(b)), change(allA, allB))
		}
	}
	if o.overrun > 1 {
		compare("jobs beyond their requested time waste\n", func(s *series) float64 { return s.beyond.Hours() })
	}
	if r.log.important == 0 {
		return
	}
	compare(fmt.Sprintf("important jobs (%s, %s)\nwaste ", decimal.Int(r.log.important), r.log.which),
		func(s *series) float64 { return s.tally.Of(highPriority).Hours() })
	if r.log.top && o.shown[papPlus] {
		w.Printf("\nThese jobs have the highest values with pap as well, so that priorities hardly matter:\n" +
			"-important random=1%% or queue=NAME shows what they do for others.\n")
	}
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

// title is the name of a log without its folder, fit for a line of a picture.
func title(name string) string {
	name = name[strings.LastIndexAny(name, `/\\`)+1:]
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
