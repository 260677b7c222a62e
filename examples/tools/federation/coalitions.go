package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/parallel"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/federation/coalition"
	"github.com/plimsoll/plimsoll/pricing"
)

// coalitions is what every coalition of centres costs by itself, ways to divide what all
// pay together, and the coalitions that would rather leave.
//
// A coalition's cost is that of the best plan found for its tasks on its reservations,
// with its fees. An instance on demand costs what it costs where it runs.
type coalitions struct {
	planner plannerName
	fees    []pricing.Money
	alone   []pricing.Money // by centre, with its fees
	total   pricing.Money   // of all together, with fees
	proved  int             // of the coalitions
	asked   int
	sampler coalition.Sampler // for more than exactCentres
	costs   coalition.Costs   // without fees; nil for more than exactCentres
	bounds  coalition.Costs   // what a coalition pays at least

	divisions []division
	core      coalition.Core
	certain   bool // that no coalition leaves the core, also with a better plan than was found
	parts     []coalition.Set
	partCost  pricing.Money
}

// A division is a way to divide the cost of all.
type division struct {
	name, about string
	shares      []pricing.Money // with fees
	errors      []pricing.Money // standard errors, nil if exact
	leave       []coalition.Departure
}

const (
	// exactCentres is up to how many centres every coalition is planned.
	exactCentres = 10
	samplePairs  = 100
	shownLeaving = 8
)

// planOf is the plan that coalitions are compared with: HGR if it was asked for, or else
// the first.
func (o *options) planOf() plannerName {
	if o.reserve[hgr] {
		return hgr
	}
	return plannerName(slices.Index(o.reserve[:], true))
}

// form finds the costs of coalitions and divides them.
func (o *options) form(centres []*centre, run *cli.Run) (*coalitions, error) {
	r := &coalitions{planner: o.planOf()}
	var plans []*plan
	for _, c := range centres {
		p, err := c.plan(planOptions{planner: r.planner, lambda: o.lambda})
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
		r.fees = append(r.fees, c.Reservation*pricing.Money(p.count))
		r.alone = append(r.alone, p.cost)
	}
	list, all := members(centres, plans, nil), tasks(centres)
	n := len(centres)
	var err error
	if n <= exactCentres {
		err = r.exactly(list, all, run)
	} else {
		err = r.sampled(o, list, all, run)
	}
	if err == nil {
		err = r.byPrices(list, all)
	}
	if err == nil {
		err = r.byAlgorithm3(o, list, all)
	}
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	return r, nil
}

// exactly plans every coalition, and divides by the Shapley value and for the core.
func (r *coalitions) exactly(list []federation.Centre, all []federation.Task, run *cli.Run) error {
	n := len(list)
	found := make([]federation.Optimum, 1<<n)
	workers := make([]federation.Coalitions, parallel.Workers())
	for w := range workers {
		if err := workers[w].Reset(list, all); err != nil {
			return err
		}
	}
	err := parallel.Do(len(found)-1, func(w, k int) (err error) {
		run.Showf("planning coalitions: %d%%", 100*k/len(found))
		s := len(found) - 1 - k // the largest take longest
		found[s], err = workers[w].Cost(coalition.Set(s))
		return err
	})
	if err != nil {
		return err
	}
	r.costs, r.bounds = make(coalition.Costs, len(found)), make(coalition.Costs, len(found))
	for s := coalition.Set(1); int(s) < len(found); s++ {
		r.asked++
		if found[s].Exact() {
			r.proved++
		}
		r.costs[s], r.bounds[s] = found[s].Cost, found[s].Bound
		for part := (s - 1) & s; part > s^part; part = (part - 1) & s { // it may part
			r.costs[s] = min(r.costs[s], r.costs[part]+r.costs[s^part])
		}
	}
	r.total = r.costs[r.costs.All()] + sum(r.fees)
	var solver coalition.Solver
	shapley, core := make([]pricing.Money, n), make([]pricing.Money, n)
	if err := solver.ShapleyTo(shapley, r.costs); err != nil {
		return err
	}
	if r.core, err = solver.Core(core, r.costs); err != nil {
		return err
	}
	r.core.Proof = slices.Clone(r.core.Proof)
	leave, err := r.bounds.AppendDepartures(nil, core)
	if err != nil {
		return err
	}
	r.certain = !r.core.Empty && !slices.ContainsFunc(leave, func(d coalition.Departure) bool { return d.Set != r.costs.All() })
	if r.parts, r.partCost, err = solver.AppendPartition(nil, r.costs); err != nil {
		return err
	}
	for _, d := range []division{
		{name: "Shapley", about: "what a centre adds to the cost, averaged over all orders of joining", shares: shapley},
		{name: "core", about: "every coalition saves as much as can be by staying", shares: core},
	} {
		if err := r.add(d); err != nil {
			return err
		}
	}
	return nil
}

// add adds a division of what is paid beside the fees.
func (r *coalitions) add(d division) (err error) {
	if r.costs == nil {
		d.leave = r.sampler.AppendDepartures(nil, d.shares)
	} else if d.leave, err = r.costs.AppendDepartures(nil, d.shares); err != nil {
		return err
	}
	for i, fee := range r.fees {
		d.shares[i] += fee
	}
	r.divisions = append(r.divisions, d)
	return nil
}

// sampled divides by a sample of orders, for many centres.
func (r *coalitions) sampled(o *options, list []federation.Centre, all []federation.Task, run *cli.Run) error {
	var c federation.Coalitions
	if err := c.Reset(list, all); err != nil {
		return err
	}
	orders, err := r.sampler.Shapley(nil, len(list), func(set coalition.Set) (pricing.Money, error) {
		run.Showf("planning coalitions: %d", r.asked)
		best, err := c.Cost(set)
		r.asked++
		if best.Exact() {
			r.proved++
		}
		if set == coalition.All(len(list)) {
			r.total = best.Cost + sum(r.fees)
		}
		return best.Cost, err
	}, coalition.SampleOptions{Pairs: o.pairs, Rand: rand.New(rand.NewPCG(o.seed, streamOrders))})
	if err != nil {
		return err
	}
	d := division{name: "Shapley", about: fmt.Sprintf("what a centre adds to the cost, averaged over %d random orders of joining", 2*o.pairs)}
	for _, x := range orders {
		d.shares = append(d.shares, x.Cost)
		d.errors = append(d.errors, x.StdErr)
	}
	return r.add(d)
}

// byPrices divides by the prices of instance-hours that prove the optimum.
func (r *coalitions) byPrices(list []federation.Centre, all []federation.Task) error {
	var o federation.Optimizer
	if _, err := o.Solve(list, all, federation.OptimumOptions{}); err != nil {
		return err
	}
	d := division{name: "prices", about: "tasks pay, and reservations earn, the prices of instance-hours that prove the optimum; nobody leaves, but the sum may miss the cost by the gap of the proof", shares: make([]pricing.Money, len(list))}
	if err := federation.PriceSharesTo(d.shares, list, all, o.AppendPrices(nil)); err != nil {
		return err
	}
	return r.add(d)
}

// byAlgorithm3 divides as Algorithm 3 does, task by task and lease by lease.
func (r *coalitions) byAlgorithm3(o *options, list []federation.Centre, all []federation.Task) error {
	how := o.reading().options
	if how.Excess == federation.AtHomePrice {
		how.Excess = federation.AtLender // as in the plans
	}
	if how.Price == federation.BorrowerFee {
		how.Price = federation.LenderFee // the borrower's fee goes with the borrower's price on demand
	}
	bookings, err := federation.Share(nil, list, all, how)
	if err != nil {
		return err
	}
	var l federation.Ledger
	l.Reset(len(list))
	if err := l.Post(bookings...); err != nil {
		return err
	}
	d := division{name: "Alg. 3", about: "what the centres pay each other with Algorithm 3 for leases, and on demand the price there"}
	for i := range list {
		d.shares = append(d.shares, l.Statement(i).Cost())
	}
	return r.add(d)
}

func sum(list []pricing.Money) (s pricing.Money) {
	for _, x := range list {
		s += x
	}
	return s
}

// named writes the members of a coalition.
func (r *results) named(s coalition.Set) string {
	names := r.shortNames()
	all := coalition.All(len(names))
	join := func(s coalition.Set) string {
		var list []string
		for i := range s.Members() {
			list = append(list, names[i])
		}
		return strings.Join(list, " + ")
	}
	if rest := all &^ s; len(names) > 3 && rest.Len() < len(names)/2 {
		if rest == 0 {
			return "all"
		}
		return "all but " + join(rest)
	}
	return join(s)
}

// listed writes the members of a coalition for machines: all whole names.
func (r *results) listed(s coalition.Set) string {
	var list []string
	for i := range s.Members() {
		list = append(list, r.centres[i].Name)
	}
	return strings.Join(list, " + ")
}

// writeCoalitions prints the division of the cost, and who would leave.
func (r *results) writeCoalitions(w *table.Page) {
	c := r.coalitions
	r.writeCentres(w)
	columns := "<cost, $|alone"
	for _, d := range c.divisions {
		columns += "|" + d.name
		if d.errors != nil {
			columns += "|± stan-\ndard\nerror"
		}
	}
	row := func(name string, alone pricing.Money, of func(d *division) (share, se pricing.Money)) []string {
		row := []string{name, dollars(alone)}
		for k := range c.divisions {
			share, se := of(&c.divisions[k])
			row = append(row, dollars(share))
			if c.divisions[k].errors != nil {
				row = append(row, dollars(se))
			}
		}
		return row
	}
	var rows [][]string
	names := r.shortNames()
	for i := range r.centres {
		rows = append(rows, row(names[i], c.alone[i], func(d *division) (pricing.Money, pricing.Money) {
			if d.errors != nil {
				return d.shares[i], d.errors[i]
			}
			return d.shares[i], 0
		}))
	}
	rows = append(rows, row("all", sum(c.alone), func(d *division) (pricing.Money, pricing.Money) { return sum(d.shares), 0 }))
	tabulate(w, fmt.Sprintf("What each centre pays, with reservations by %s and their fees", c.planner), columns, rows)
	w.Printf("\n")
	var texts []string
	for _, d := range c.divisions {
		texts = append(texts, d.name+": "+d.about)
	}
	w.Sayf("%s. Together the centres pay %s, %s less than alone. %s planned; %d of the plans proved to be optimal.",
		strings.Join(texts, "; "), amount(c.total), amount(sum(c.alone)-c.total), decimal.Count(c.asked, "coalition"), c.proved)
	if len(r.centres) == 1 {
		w.Sayf("A coalition of one shares with nobody.")
		return
	}
	if c.costs != nil {
		r.writeCore(w)
		r.writeTogether(w)
	}
	r.writeLeaving(w)
}

// writeCore says whether there is a division that no coalition leaves.
func (r *results) writeCore(w *table.Page) {
	c := r.coalitions
	w.Printf("\n")
	if !c.core.Empty {
		certain := "."
		if c.certain {
			certain = ", which holds even if some coalition has a better plan than was found: its bound says so."
		}
		w.Sayf("The core is not empty: with the shares of that column no coalition pays more than by itself, and each saves %s or more by staying%s", amount(c.core.Slack), certain)
	} else {
		var sets []string
		for _, x := range c.core.Proof {
			sets = append(sets, fmt.Sprintf("%d/%d of %s", x.Weight, c.core.Den, r.named(x.Set)))
		}
		w.Sayf("The core is empty, so under every division some coalition pays more than by itself. The proof: these coalitions have every centre once in sum, and cost less than all together: %s. The shares of the column core make the greatest gain of leaving least, %s.",
			strings.Join(sets, ", "), amount(-c.core.Slack))
	}
	if len(c.parts) > 1 {
		var sets []string
		for _, s := range c.parts {
			sets = append(sets, r.named(s))
		}
		w.Sayf("It costs least to part into %s: %s.", strings.Join(sets, " and "), amount(c.partCost+sum(c.fees)))
	}
}

// writeTogether says what coalitions save.
func (r *results) writeTogether(w *table.Page) {
	c := r.coalitions
	type saving struct {
		set   coalition.Set
		saved pricing.Money
	}
	var list []saving
	for s := coalition.Set(1); int(s) < len(c.costs); s++ {
		if s.Len() > 1 {
			saved := -c.costs[s]
			for i := range s.Members() {
				saved += c.costs[coalition.Of(i)]
			}
			list = append(list, saving{s, saved})
		}
	}
	slices.SortStableFunc(list, func(a, b saving) int { return int(min(1, max(-1, b.saved-a.saved))) })
	var rows [][]string
	for _, x := range list[:min(len(list), 2*shownLeaving)] {
		cost, alone := c.costs[x.set], pricing.Money(0)
		for i := range x.set.Members() {
			cost += c.fees[i]
			alone += c.alone[i]
		}
		rows = append(rows, []string{table.Clip(r.named(x.set), 40), dollars(alone), dollars(cost), dollars(x.saved), percent(share(x.saved, alone))})
	}
	title := "What coalitions save"
	if len(rows) < len(list) {
		title += fmt.Sprintf(", the first %d of %d", len(rows), len(list))
	}
	tabulate(w, title, "<coalition|alone, $|together, $|saved, $|saved", rows)
}

// writeLeaving says which coalitions would pay less by themselves.
func (r *results) writeLeaving(w *table.Page) {
	var rows [][]string
	var nobody []string
	for _, d := range r.coalitions.divisions {
		if len(d.leave) == 0 {
			nobody = append(nobody, d.name)
		}
		for k, x := range d.leave[:min(len(d.leave), shownLeaving)] {
			name := ""
			if k == 0 {
				name = d.name
			}
			rows = append(rows, []string{name, table.Clip(r.named(x.Set), 56), dollars(x.Gain)})
		}
		if more := len(d.leave) - shownLeaving; more > 0 {
			rows = append(rows, []string{"", fmt.Sprintf("and %d more", more), ""})
		}
	}
	if rows != nil {
		tabulate(w, "Who would rather leave", "<division|<coalition|gain, $", rows)
	}
	w.Printf("\n")
	if nobody != nil {
		among := ""
		if r.coalitions.costs == nil {
			among = ", among the coalitions that were planned"
		}
		w.Sayf("Nobody leaves by %s%s.", cli.Series(nobody, "and"), among)
	}
	all := coalition.All(len(r.centres))
	for _, d := range r.coalitions.divisions {
		if slices.ContainsFunc(d.leave, func(x coalition.Departure) bool { return x.Set == all }) {
			w.Sayf("All together would leave %s: another plan costs less.", d.name)
		}
	}
}

// coalitionRows are the same for machines.
func (r *results) coalitionRows() any {
	c := r.coalitions
	rows := []any{}
	for i, x := range r.centres {
		for _, d := range c.divisions {
			one := jsonrows.Row{"kind", "share", "plan", c.planner.String(), "centre", x.Name, "division", d.name, "cost", d.shares[i], "standard_error", nil, "alone", c.alone[i]}
			if d.errors != nil {
				one[11] = d.errors[i]
			}
			rows = append(rows, one)
		}
	}
	for s := coalition.Set(1); int(s) < len(c.costs); s++ {
		cost := c.costs[s]
		for i := range s.Members() {
			cost += c.fees[i]
		}
		rows = append(rows, jsonrows.Row{"kind", "coalition", "plan", c.planner.String(), "members", r.listed(s), "cost", cost})
	}
	for _, d := range c.divisions {
		for _, x := range d.leave {
			rows = append(rows, jsonrows.Row{"kind", "departure", "plan", c.planner.String(), "division", d.name, "members", r.listed(x.Set), "gain", x.Gain})
		}
	}
	if c.costs != nil {
		rows = append(rows, jsonrows.Row{"kind", "core", "plan", c.planner.String(), "empty", c.core.Empty, "slack", c.core.Slack})
		for _, x := range c.core.Proof {
			rows = append(rows, jsonrows.Row{"kind", "proof", "plan", c.planner.String(), "members", r.listed(x.Set), "weight", x.Weight, "of", c.core.Den})
		}
	}
	return rows
}
