package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/renting"
	"github.com/plimsoll/plimsoll/examples/internal/table"
)

// text writes what the policies do, and the decision.
func (r results) text(w *table.Page) error {
	s, at := r.Sources[0], r.Setups[0]
	w.Printf("%s; %v\n\n", s.Title(), at)
	r.Tables(w, s, at)
	r.Notes(w)
	for i := range at.Clouds {
		if s := at.Clouds[i].Spot; s != nil {
			of := s.History.Series.String()
			if s.History.Series.Type == madeUp {
				of = "made-up"
			}
			w.Sayf("The cloud %s has %s prices from $%v to $%v, %s days of them, and a bid of $%v.", at.Clouds[i].Name, of,
				slices.Min(s.History.Prices), slices.Max(s.History.Prices), decimal.Fixed(s.History.Span().Hours()/24, 0), s.Bid)
		}
	}
	w.Printf("\n")
	r.decide(w)
	return nil
}

// choose returns the policy to take, and the policy with the lowest response time: of the
// policies that leave the fewest jobs unfinished, the cheapest whose response time is within
// the tolerance. Of equals it takes the first. Both are nil where no job ends.
func (r results) choose() (best, quickest *renting.Cell) {
	fewest := math.MaxInt
	for i := range r.Cells {
		fewest = min(fewest, r.Cells[i].Unfinished())
	}
	var all []*renting.Cell
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.Unfinished() > fewest || math.IsNaN(c.Mean(renting.Response)) {
			continue
		}
		all = append(all, c)
		if quickest == nil || c.Mean(renting.Response) < quickest.Mean(renting.Response) {
			quickest = c
		}
	}
	for _, c := range all {
		if c.Mean(renting.Response) <= (1+r.tolerance)*quickest.Mean(renting.Response) && (best == nil || c.Mean(renting.Cost) < best.Mean(renting.Cost)) {
			best = c
		}
	}
	return best, quickest
}

// decide says which policy to take, and what others would change.
func (r results) decide(w *table.Page) {
	best, quickest := r.choose()
	if best == nil {
		w.Sayf("No policy ends a job: there is nothing to choose by.")
		return
	}
	what := func(c *renting.Cell) string {
		return fmt.Sprintf("%s h a job and $%s a run", decimal.Fixed(c.Mean(renting.Response), 2), renting.Amount(c.Mean(renting.Cost)))
	}
	var cheaper []string // that leave no more jobs unfinished
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Mean(renting.Cost) < best.Mean(renting.Cost) && c.Unfinished() == best.Unfinished() {
			cheaper = append(cheaper, fmt.Sprintf("%s (%s)", c.Policy.Label(), what(c)))
		}
	}
	if cheaper != nil {
		w.Sayf("Cheaper, but slower than -tolerance allows: %s.", cli.Series(cheaper, "and"))
	}
	if n := best.Unfinished(); n > 0 {
		w.Sayf("WARNING: every policy leaves jobs unfinished; %s leaves %s in all runs together.", best.Policy.Label(), decimal.Int(n))
	}
	if best == quickest {
		w.Sayf("Take %s: %s, the quickest, and no policy within %s of it costs less.", best.Policy.Label(), what(best), renting.Percent(r.tolerance))
		return
	}
	w.Sayf("Take %s: %s, the least cost within %s of the quickest, %s (%s). It is cheaper than %s in %d of %s.", best.Policy.Label(), what(best),
		renting.Percent(r.tolerance),
		quickest.Policy.Label(), what(quickest), quickest.Policy.Label(), best.Wins(quickest, renting.Cost), decimal.Count(len(best.Runs), "run"))
}
