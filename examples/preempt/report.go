package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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

// jsonRow is a log, policy and grace period for machines. Numbers are rounded so
// far that they are the same on every machine.
type jsonRow struct {
	Log       string       `json:"log"`
	Policy    string       `json:"policy"`
	Grace     json.Number  `json:"grace_s"`
	Jobs      int          `json:"jobs"`
	States    int          `json:"states"`
	Mean      json.Number  `json:"mean_node_s"`
	P25       json.Number  `json:"p25_node_s"`
	Median    json.Number  `json:"median_node_s"`
	P75       json.Number  `json:"p75_node_s"`
	Max       json.Number  `json:"max_node_s"`
	OverExact *json.Number `json:"over_exact"` // nil where exact alone wastes nothing
	Killed    json.Number  `json:"killed_jobs"`
	Important json.Number  `json:"important_node_s"`
	Other     json.Number  `json:"other_node_s"`
}

func (o *options) writeJSON(w io.Writer, results []*result) error {
	rows := []jsonRow{}
	for _, r := range results {
		n := float64(r.states)
		for k := range kinds {
			if !o.shown[k] {
				continue
			}
			for g, grace := range o.graces {
				s := &r.series[k][g]
				high := s.tally.Of(highPriority).Seconds()
				var over *json.Number
				if x := r.overExact(k, g); !math.IsInf(x, 1) {
					number := decimal.Number(x, 6)
					over = &number
				}
				rows = append(rows, jsonRow{
					Log:       r.log.name,
					Policy:    k.String(),
					Grace:     decimal.Seconds(grace),
					Jobs:      len(r.log.jobs),
					States:    r.states,
					Mean:      decimal.Number(r.perState(s.tally.Total().Seconds()), 3),
					P25:       decimal.Number(s.dist.quantile(.25), 3),
					Median:    decimal.Number(s.dist.quantile(.5), 3),
					P75:       decimal.Number(s.dist.quantile(.75), 3),
					Max:       decimal.Number(s.dist.max, 3),
					OverExact: over,
					Killed:    decimal.Number(float64(s.tally.Killed())/max(1, n), 6),
					Important: decimal.Number(r.perState(high), 3),
					Other:     decimal.Number(r.perState(s.tally.Total().Seconds()-high), 3),
				})
			}
		}
	}
	return jsonrows.Write(w, rows)
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

// writeText writes tables.
func (o *options) writeText(stdout io.Writer, results []*result) error {
	w := bufio.NewWriter(stdout)
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s in %s days; %d of %d nodes are taken in each of %s\n\n", title(r.log.name),
			decimal.Count(len(r.log.jobs), "job"), decimal.Fixed(r.length.Hours()/24, 1), o.take, o.nodes, decimal.Count(r.states, "state"))
		if r.states == 0 {
			fmt.Fprintln(w, "All jobs end at once: there is no state to preempt in.")
			continue
		}
		fmt.Fprintln(w, "Median of the wasted node-hours")
		if err := o.writeTable(w, func(k kind, g int) string {
			return decimal.Grouped(decimal.Fixed(r.series[k][g].dist.quantile(.5)/3600, 2))
		}, false); err != nil {
			return err
		}
		fmt.Fprintln(w, "\nMean of the wasted node-hours, and of the others over that of exact")
		if err := o.writeTable(w, func(k kind, g int) string {
			if k == exact {
				return decimal.Grouped(decimal.Fixed(r.perState(r.series[k][g].tally.Total().Hours()), 2))
			}
			switch over := r.overExact(k, g); {
			case math.IsInf(over, 1):
				return "∞"
			case over >= 1000:
				return "> 1,000"
			default:
				return decimal.Fixed(over, 3)
			}
		}, true); err != nil {
			return err
		}
		o.writePriorities(w, r)
	}
	return w.Flush()
}

// writeTable writes a row for each grace period and a column for each policy.
func (o *options) writeTable(w io.Writer, cell func(k kind, grace int) string, withExact bool) error {
	columns := []table.Column{{Title: "grace"}}
	var list []kind
	for k := range kinds {
		if o.shown[k] || withExact && k == exact {
			list = append(list, k)
			name := k.String()
			switch k {
			case requested:
				name = "re-\nquested"
			case survival:
				name = "sur-\nvival"
			}
			columns = append(columns, table.Column{Title: name})
		}
	}
	var rows [][]string
	for g, grace := range o.graces {
		row := []string{short(grace)}
		for _, k := range list {
			row = append(row, cell(k, g))
		}
		rows = append(rows, row)
	}
	return table.Write(w, columns, rows)
}

// prioritiesGrace is the grace period with which priorities are compared: the
// paper's 120 s, or if that is not there the first.
func (o *options) prioritiesGrace() int { return max(0, slices.Index(o.graces, 120*time.Second)) }

// writePriorities says what priorities save and cost.
func (o *options) writePriorities(w io.Writer, r *result) {
	g := o.prioritiesGrace()
	with := ""
	if o.overrun > 1 {
		with = fmt.Sprintf(" with -overrun %d", o.overrun)
		for _, c := range [][2]kind{{papPlus, pap}, {exactPlus, exact}} {
			if !o.shown[c[0]] {
				continue
			}
			a, b := &r.series[c[0]][g], &r.series[c[1]][g]
			fmt.Fprintf(w, "\n%v%s against %v, grace %s: jobs beyond their requested time waste\n%s, the others %s, all %s\n",
				c[0], with, c[1], short(o.graces[g]), change(a.beyond.Hours(), b.beyond.Hours()),
				change(a.tally.Total().Hours()-a.beyond.Hours(), b.tally.Total().Hours()-b.beyond.Hours()),
				change(a.tally.Total().Hours(), b.tally.Total().Hours()))
		}
	}
	if r.log.important == 0 {
		return
	}
	for _, c := range [][2]kind{{papPlus, pap}, {exactPlus, exact}} {
		if !o.shown[c[0]] {
			continue
		}
		a, b := &r.series[c[0]][g].tally, &r.series[c[1]][g].tally
		highA, highB := a.Of(highPriority).Hours(), b.Of(highPriority).Hours()
		fmt.Fprintf(w, "\n%v%s against %v, grace %s: important jobs (%s, %s)\nwaste %s, the others %s, all %s\n", c[0], with, c[1],
			short(o.graces[g]), decimal.Int(r.log.important), r.log.which, change(highA, highB),
			change(a.Total().Hours()-highA, b.Total().Hours()-highB), change(a.Total().Hours(), b.Total().Hours()))
	}
	if r.log.top && o.shown[papPlus] {
		fmt.Fprint(w, "\nThese jobs have the highest values with pap as well, so that priorities hardly matter:\n"+
			"-important random=1% or queue=NAME shows what they do for others.\n")
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

// short is a span of time without what is zero: 2m and not 2m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
