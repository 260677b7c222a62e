package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// What a history is too short for.
//
// A contract binds for years, so days of use are no ground for one: a class is weighed only if the
// use is known for leastHistory, and for a leastPart of its term. -little-history weighs it all the same. The
// history of a kind begins with its first use.

const (
	leastHistory = 14 * 24 * time.Hour
	leastPart    = 16 // of a term: 23 days of a year, 69 days of three
)

// least returns how long a use has to be known for a contract of a term.
func least(term time.Duration) time.Duration { return max(leastHistory, term/leastPart) }

// history returns how long the use of a group is known.
func (r *results) history(g *group) time.Duration {
	series, known := g.values(), 0
	first := slices.IndexFunc(series, func(x float64) bool { return x > 0 })
	for _, x := range series[max(0, first):] {
		if x == x {
			known++
		}
	}
	return time.Duration(known) * r.slotOf(g)
}

// values is the use of a group as it is forecast: NaN where it is missing.
func (g *group) values() []float64 {
	if g.series != nil {
		return g.series
	}
	series := make([]float64, len(g.demand))
	for t, n := range g.demand {
		series[t] = float64(n)
	}
	return series
}

// shorten takes the classes off sale for which the history of a group is too short, and says so.
func (r *results) shorten(g *group) {
	if r.o.short {
		return
	}
	known := r.history(g)
	var classes []string
	need, sold := time.Duration(0), 0
	for i := range g.offers {
		o := &g.offers[i]
		switch {
		case o.Withdrawn:
		case known < least(o.Term):
			o.Withdrawn = true
			classes = append(classes, o.Name)
			need = max(need, least(o.Term))
		default:
			sold++
		}
	}
	if len(classes) == 0 {
		return
	}
	what := cli.Series(classes, "and") + " cannot be ordered"
	if sold == 0 {
		r.shortKinds++
		what = "nothing is ordered"
	}
	r.doubts = append(r.doubts, fmt.Sprintf("%s: the use is known for %s, and a contract wants two weeks and a sixteenth of its term (%s here): %s; "+
		"-little-history orders all the same", g.name, spanText(known), spanText(need), what))
}

// spanText writes a span in days, or in hours below two days.
func spanText(d time.Duration) string {
	if d < 48*time.Hour {
		return decimal.Count(int(d.Hours()), "hour")
	}
	return decimal.Count(int(d.Hours()/24+.5), "day")
}

// spread reports whether the futures of a group differ: where they do not, they say nothing of risk.
func spread(paths [][]int) bool {
	return slices.ContainsFunc(paths, func(p []int) bool { return !slices.Equal(p, paths[0]) })
}

// all are the futures of a group, as many as asked for where they have no spread.
func (g *group) all(n int) [][]int {
	paths := g.request.Paths
	if len(paths) == 1 {
		return slices.Repeat(paths, n)
	}
	return paths
}

// term returns the longest term on offer, and a year where nothing is.
func (r *results) term() time.Duration {
	longest := time.Duration(0)
	for _, g := range r.groups {
		for i := range g.offers {
			if o := &g.offers[i]; !o.Withdrawn {
				longest = max(longest, o.Term)
			}
		}
	}
	day := 24 * time.Hour
	if longest = (longest + day - 1) / day * day; longest == 0 {
		longest = 365 * day
	}
	return min(longest, 5*365*day)
}

// onAverage says over how many futures amounts are means.
func (r *results) onAverage() string {
	if r.spread {
		return fmt.Sprintf("on average over %d futures", r.o.futures)
	}
	return "in the one future that the history allows"
}

// of says for what a proof holds.
func (r *results) of() string {
	if r.spread {
		return fmt.Sprintf("For these %d futures", r.o.futures)
	}
	return "For this one future"
}

// risk writes the probability of a loss, and none where the futures have no spread.
func risk(g *group, o *advice.Order) string {
	return riskText(g.advice.Paths, o.Loss)
}

func riskText(paths int, loss float64) string {
	if paths < 2 {
		return "–"
	}
	return share(chance(loss))
}

// lossOf is risk for machines.
func lossOf(g *group, o *advice.Order) any {
	if g.advice.Paths < 2 && o.Units > 0 {
		return nil
	}
	if o.Units == 0 {
		return decimal.Number(0, 6)
	}
	return decimal.Number(chance(o.Loss), 6)
}
