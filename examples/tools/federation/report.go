package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// mostLoans is how many pairs of centres are shown, and mostCentres how many centres.
const mostLoans, mostCentres = 6, 8

func amount(m pricing.Money) string { return "$" + centres.Dollars(m) }

// text writes the centres, the plans and the loans, and the decision last.
func (r *results) text(w *table.Page) error {
	r.writeCentres(w)
	r.writePlans(w)
	r.writeLoans(w)
	w.Printf("\n")
	r.decide(w)
	return nil
}

// writeCentres says what the centres are, and what becomes of their costs.
func (r *results) writeCentres(w *table.Page) {
	var rows [][]string
	for i, c := range r.centres[:min(mostCentres, len(r.centres))] {
		p, s := r.chosen.Plans[i], &r.chosen.Shared.Centres[i]
		rows = append(rows, []string{
			table.Clip(c.Name, 13), decimal.Int(len(c.Jobs)), decimal.Int(int(c.Total)), decimal.Int(slices.Max(c.Demand)),
			amount(c.OnDemand * pricing.Money(c.Total)), amount(p.Cost), amount(s.Cost()), centres.Use(p.Used, p.Held), centres.Use(int64(s.Own+s.Lent), p.Held),
		})
	}
	w.Printf("%s of %s; reservations of %d hours by %v\n\n", decimal.Count(len(r.centres), "centre"), decimal.Count(r.o.Hours, "hour"), centres.Term, r.chosen.Planner)
	w.Table("<centre|jobs|instance-\nhours|peak|on\ndemand|reserved|shared|used|used\nshared", rows)
	if n := len(r.centres) - mostCentres; n > 0 {
		w.Sayf("And %d more (-json).", n)
	}
}

// writePlans compares the planners.
func (r *results) writePlans(w *table.Page) {
	var rows [][]string
	for _, x := range r.plans {
		rows = append(rows, []string{
			x.Planner.String(), decimal.Int(int(x.Count)), amount(x.Cost), centres.Use(x.Used, x.Held), amount(x.Shared.Cost), centres.Use(x.Shared.Hours()),
			decimal.Int(x.Shared.Total.Lent), centres.Gigabytes(x.Shared.Total.Sent, 0),
		})
	}
	w.Printf("\n")
	w.Table("<plan|reservations|alone|used|shared|used|lent, hours|sent, GB", rows)
}

// A loan is what the tasks of one centre borrow of another.
type loan struct {
	home, owner int
	federation.Statement
}

// loans are those of the chosen plan, the most hours first.
func (r *results) loans() (list []loan) {
	for i, row := range r.chosen.Shared.Flows {
		for j, f := range row {
			if f.Borrowed > 0 {
				list = append(list, loan{i, j, f})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b loan) int { return cmp.Compare(b.Borrowed, a.Borrowed) })
	return list
}

// writeLoans says who lends to whom.
func (r *results) writeLoans(w *table.Page) {
	list := r.loans()
	if len(list) == 0 {
		return
	}
	var rows [][]string
	for _, x := range list[:min(mostLoans, len(list))] {
		rows = append(rows, []string{
			table.Clip(r.centres[x.owner].Name, 20), table.Clip(r.centres[x.home].Name, 20), decimal.Int(x.Borrowed), amount(x.Paid),
			amount(x.Traffic), centres.Gigabytes(x.Sent, 1),
		})
	}
	w.Printf("\n")
	w.Table("<owner|<lends to|hours|for|traffic|GB", rows)
	if n := len(list) - mostLoans; n > 0 {
		w.Sayf("And %d more pairs.", n)
	}
}

// decide says what to do.
func (r *results) decide(w *table.Page) {
	x := r.chosen
	text := fmt.Sprintf("Decision: reserve by %v, each centre by itself: %s instead of %s on demand.", x.Planner, amount(x.Cost), amount(r.onDemand))
	list := r.loans()
	switch {
	case len(r.centres) == 1:
		text += " One centre has nobody to lend to."
	case x.Shared.Cost >= x.Cost:
		text += fmt.Sprintf(" Do not lend: shared it would cost %s.", amount(x.Shared.Cost))
	default:
		text += fmt.Sprintf(" Then share: that saves %s (%s)", amount(x.Cost-x.Shared.Cost), centres.Percent(x.Saved()))
		if len(list) > 0 {
			text += fmt.Sprintf(", most of all lend %s of %s to %s", decimal.Count(list[0].Borrowed, "idle hour"), r.centres[list[0].owner].Name, r.centres[list[0].home].Name)
		}
		text += "."
	}
	if y := r.erred; y != nil && y.Guarded != nil && len(r.centres) > 1 {
		text += fmt.Sprintf(" If the predicted demand is wrong by up to %s, sharing saves %s.", centres.Percent(y.Error), centres.Percent(centres.Share(y.Cost-y.Guarded.Cost, y.Cost)))
	}
	if r.best != nil {
		text += fmt.Sprintf(" The best sharing found, with all tasks known, would cost %s, and none costs less than %s.", amount(r.best.Optimum), amount(r.best.Bound))
	}
	if r.o.lend != nil && len(r.centres) > 1 {
		text += fmt.Sprintf(" Of %d needless reservations that were tried %d would pay their owner (-lend)", temptations, len(r.tempted))
		if len(r.tempted) > 0 {
			t := r.tempted[0]
			text += fmt.Sprintf(": %s gains %s by one from hour %d", r.centres[t.centre].Name, amount(t.gain), t.start)
		}
		text += "."
	}
	w.Sayf("%s", text)
}

// rows are the plans in each centre and in all. Numbers are rounded so far that they are the
// same on every machine.
func (r *results) rows() any {
	rows := []jsonrows.Row{}
	add := func(x *centres.Outcome, centre string, hours int64, onDemand pricing.Money, count int64, cost pricing.Money, used, held int64, s *federation.Statement) {
		part := func(n int64) any {
			if held == 0 {
				return nil
			}
			return decimal.Number(centres.Utilisation(n, held), 6)
		}
		rows = append(rows, jsonrows.Row{"plan", x.Planner.String(), "centre", centre, "instance_hours", hours, "on_demand_cost", onDemand, "reservations", count,
			"cost", cost, "utilisation", part(used), "shared_cost", s.Cost(), "shared_utilisation", part(int64(s.Own + s.Lent)),
			"lent_hours", s.Lent, "paid", s.Paid, "received", s.Received, "sent_gb", decimal.Number(float64(s.Sent)/centres.Gigabyte, 3)})
	}
	for _, x := range r.plans {
		for i, c := range r.centres {
			p := x.Plans[i]
			add(x, c.Name, c.Total, c.OnDemand*pricing.Money(c.Total), p.Count, p.Cost, p.Used, p.Held, &x.Shared.Centres[i])
		}
		add(x, "all", r.hours, r.onDemand, x.Count, x.Cost, x.Used, x.Held, &x.Shared.Total)
	}
	return rows
}
