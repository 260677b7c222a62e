package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/jsonrows"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// [Liu21] section 2 names three things and then sets them aside: users in groups by the term
// that they reserve for, discounts for volume, and instances of several sizes. A scheme is
// one of the three, planned in several ways, the last of them a joint plan.
type scheme struct {
	name, title, about string
	ways               []way
}

// A way is a way to plan.
type way struct {
	name  string
	costs []pricing.Money // by centre; nil where only the sum has a meaning
	total pricing.Money
	bound pricing.Money // no plan costs less; of joint plans, or 0
}

// A span is a term that is for sale.
type span struct {
	hours  int
	factor float64 // price per hour over that of a day's reservation
}

const (
	maxSize      = 16 // processors of the largest instance
	maxTermHours = 8760
	maxTerms     = 10
)

// defaultSpans are a day at the paper's price, three days and a week. [Liu21] says that longer
// terms cost less per hour, and gives no prices.
const (
	defaultSpans  = "24:1,72:0.9,168:0.8"
	defaultVolume = "5000:0.05,20000:0.1"
)

// setTerms reads the terms that are for sale.
func (o *options) setTerms(s string) error {
	o.spans = nil
	for part := range strings.SplitSeq(s, ",") {
		hours, factor, ok := strings.Cut(part, ":")
		n, err1 := strconv.Atoi(hours)
		x, err2 := strconv.ParseFloat(factor, 64)
		if !ok || err1 != nil || err2 != nil || n < 1 || n > maxTermHours || !(x > 0 && x <= 10) {
			return fmt.Errorf("%q: want pairs HOURS:FACTOR, hours from 1 to %d and factors above 0 and up to 10, such as %s", part, maxTermHours, defaultSpans)
		}
		o.spans = append(o.spans, span{n, x})
	}
	if len(o.spans) > maxTerms {
		return fmt.Errorf("%d terms: want at most %d", len(o.spans), maxTerms)
	}
	slices.SortStableFunc(o.spans, func(a, b span) int { return cmp.Compare(a.hours, b.hours) })
	for k, x := range o.spans[1:] {
		if x.hours == o.spans[k].hours {
			return fmt.Errorf("the term of %s comes twice", decimal.Count(x.hours, "hour"))
		}
	}
	return nil
}

// setVolume reads discounts for volume.
func (o *options) setVolume(s string) error {
	o.volume = reserve.Discounts{}
	for part := range strings.SplitSeq(s, ",") {
		from, discount, ok := strings.Cut(part, ":")
		m, err1 := pricing.ParseMoney(from)
		x, err2 := strconv.ParseFloat(discount, 64)
		if !ok || err1 != nil || err2 != nil {
			return fmt.Errorf("%q: want pairs DOLLARS:DISCOUNT, such as %s", part, defaultVolume)
		}
		o.volume.Tiers = append(o.volume.Tiers, reserve.Tier{From: m, Discount: x})
	}
	if err := o.volume.Validate(); err != nil {
		return errors.New(cli.Detail(err))
	}
	return nil
}

// planSchemes plans all schemes.
func (o *options) planSchemes(centres []*centre, run *cli.Run) ([]scheme, error) {
	var all []scheme
	for _, c := range centres {
		if _, err := c.costs(0, c.total); err != nil {
			return nil, err
		}
	}
	for _, plan := range []func([]*centre) (*scheme, error){o.byTerm, o.byVolume, o.bySize} {
		run.Showf("planning schemes: %d of 3", len(all)+1)
		s, err := plan(centres)
		if err != nil {
			return nil, cli.Mistakef("%w", err)
		}
		all = append(all, *s)
	}
	return all, nil
}

// add adds the cost of a way to plan in one more centre.
func (s *scheme) add(name string, cost, bound pricing.Money) {
	k := slices.IndexFunc(s.ways, func(w way) bool { return w.name == name })
	if k < 0 {
		k = len(s.ways)
		s.ways = append(s.ways, way{name: name})
	}
	w := &s.ways[k]
	w.costs = append(w.costs, cost)
	w.total += cost
	w.bound += bound
}

// problem is that of a demand in the centre, with terms that are for sale.
func (c *centre) problem(demand []int, spans ...span) *reserve.Problem {
	p := &reserve.Problem{Demand: demand, Slot: time.Hour, Prices: pricing.List{OnDemand: c.OnDemand}}
	for _, x := range spans {
		fee := math.Round(x.factor * float64(x.hours) / term * float64(c.Reservation))
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: decimal.Count(x.hours, "hour"), Term: time.Duration(x.hours) * time.Hour, Upfront: pricing.Money(fee)})
	}
	return p
}

// day is the paper's reservation.
var day = span{term, 1}

// needed is the demand of some of the centre's jobs.
func (c *centre) needed(jobs []trace.Job) ([]int, error) {
	return trace.AppendDemand(nil, jobs, nil, trace.DemandOptions{Sharing: trace.Unshared, Slots: len(c.demand)})
}

// solve plans by the planner that was asked for first, and says what the plan costs.
func (o *options) solve(p *reserve.Problem) ([]pricing.Purchase, pricing.Money, error) {
	purchases, err := planOptions{planner: o.planOf(), lambda: o.lambda}.reserver().AppendPlan(nil, p)
	if err != nil {
		return nil, 0, err
	}
	cost, err := reserve.Cost(p, purchases)
	if err == nil && cost > maxCost/maxTerms {
		err = cli.Mistakef("a group costs more than %s, which is too much to add up", decimal.Grouped((maxCost / maxTerms).Fixed(0)))
	}
	return purchases, cost, err
}

// byTerm has each user reserve for the term that is cheapest for that user alone. The users
// of a term are a group. "Before making the reservation decisions, users in each group prefer
// to utilize already reserved but unused instances from other groups" (section 2.2).
func (o *options) byTerm(centres []*centre) (*scheme, error) {
	s := &scheme{name: "terms", title: "Users in groups by term"}
	counts, unknown := make([]int, len(o.spans)), 0
	for _, c := range centres {
		groups, n, err := o.groups(c, counts)
		if err != nil {
			return nil, err
		}
		unknown += n
		short := make([]int, len(o.spans))
		for k := range short {
			short[k] = k
		}
		long := slices.Clone(short)
		slices.Reverse(long)
		alone, pooled, err := o.inTurn(c, groups, short, false)
		if err != nil {
			return nil, err
		}
		s.add("each group by itself", alone, 0)
		s.add("idle serves all groups", pooled, 0)
		for k, order := range [][]int{short, long} {
			if _, pooled, err = o.inTurn(c, groups, order, true); err != nil {
				return nil, err
			}
			s.add([]string{"leftovers, short first", "leftovers, long first"}[k], pooled, 0)
		}
		var solver reserve.Exact
		joint, err := solver.Solve(c.problem(c.demand, o.spans...))
		if err != nil {
			return nil, err
		}
		s.add("one joint plan", joint.Cost, joint.Bound)
	}
	var texts []string
	for k, x := range o.spans {
		texts = append(texts, fmt.Sprintf("%s at %s times a day's price per hour: %s", decimal.Count(x.hours, "hour"), strconv.FormatFloat(x.factor, 'g', -1, 64), decimal.Count(counts[k], "user")))
	}
	s.about = fmt.Sprintf("Each user reserves for the term that is cheapest for that user alone (-terms): %s. Groups plan by %v. In the first row each group plans and runs by itself; in all others what is idle in an hour serves all groups. With leftovers, the groups plan in turn, from the shortest term on or from the longest, and each for what idle instances of those before do not serve.",
		strings.Join(texts, "; "), o.planOf())
	if unknown > 0 {
		s.about += fmt.Sprintf(" %s without a user: those with as many processors count as one user's.", decimal.Count(unknown, "job"))
	}
	return s, nil
}

// groups returns the demand of each group of users, counts the users, and returns how many
// jobs are without one.
func (o *options) groups(c *centre, counts []int) (groups [][]int, unknown int, err error) {
	byUser := map[int][]trace.Job{}
	var users []int
	for _, j := range c.jobs {
		u := j.User
		if u < 0 {
			u = -j.Nodes
			unknown++
		}
		if byUser[u] == nil {
			users = append(users, u)
		}
		byUser[u] = append(byUser[u], j)
	}
	groups = make([][]int, len(o.spans))
	for k := range groups {
		groups[k] = make([]int, len(c.demand))
	}
	for _, u := range users {
		demand, err := c.needed(byUser[u])
		if err != nil {
			return nil, 0, err
		}
		best, least := 0, pricing.Money(math.MaxInt64)
		for k, x := range o.spans {
			_, cost, err := o.solve(c.problem(demand, x))
			if err != nil {
				return nil, 0, err
			}
			if cost < least {
				best, least = k, cost
			}
		}
		counts[best]++
		for t, n := range demand {
			groups[best][t] += n
		}
	}
	return groups, unknown, nil
}

// inTurn plans for the groups one after another. With leftovers a group plans for the demand
// that idle instances of the groups before do not serve. Alone is the cost if each group uses
// its own instances and these leftovers; pooled if in each hour idle instances serve all.
func (o *options) inTurn(c *centre, groups [][]int, order []int, leftovers bool) (alone, pooled pricing.Money, err error) {
	idle, active := make([]int, len(c.demand)), make([]int, len(c.demand))
	fees, missing, missingPooled := pricing.Money(0), 0, 0
	for _, k := range order {
		rest := slices.Clone(groups[k])
		for t := range rest {
			if leftovers {
				used := min(rest[t], idle[t])
				rest[t] -= used
				idle[t] -= used
			}
		}
		p := c.problem(rest, o.spans[k])
		purchases, _, err := o.solve(p)
		if err != nil {
			return 0, 0, err
		}
		own := make([]int, len(c.demand))
		for _, b := range purchases {
			fees += p.Prices.Classes[0].Upfront * pricing.Money(b.Count)
			for t := b.Slot; t < min(b.Slot+o.spans[k].hours, len(own)); t++ {
				own[t] += b.Count
			}
		}
		for t, n := range own {
			active[t] += n
			idle[t] += max(0, n-rest[t])
			missing += max(0, rest[t]-n)
		}
	}
	for t, n := range c.demand {
		missingPooled += max(0, n-active[t])
	}
	return fees + c.OnDemand*pricing.Money(missing), fees + c.OnDemand*pricing.Money(missingPooled), nil
}

// byVolume has discounts on large purchases, of each centre or of all centres together.
func (o *options) byVolume(centres []*centre) (*scheme, error) {
	s := &scheme{name: "volume", title: "Discounts for volume"}
	var exact reserve.Exact
	var problems []*reserve.Problem
	var listed [][]pricing.Purchase
	for _, c := range centres {
		p := c.problem(c.demand, day)
		plan, err := exact.Solve(p)
		if err != nil {
			return nil, err
		}
		s.add("no discount", plan.Cost, plan.Bound)
		bought := slices.Clone(plan.Purchases)
		problems, listed = append(problems, p), append(listed, bought)
		cost, err := o.volume.Cost([][]pricing.Purchase{bought}, p)
		if err != nil {
			return nil, err
		}
		s.add("list prices, own discount", cost, 0)
		own, err := exact.SolveDiscounted(o.volume, p)
		if err != nil {
			return nil, err
		}
		s.add("planned with own discount", own.Cost, own.Bound)
	}
	together, err := o.volume.Cost(listed, problems...)
	if err != nil {
		return nil, err
	}
	joint, err := exact.SolveDiscounted(o.volume, problems...)
	if err != nil {
		return nil, err
	}
	s.ways = append(s.ways, way{name: "list prices, together", total: together},
		way{name: "one joint plan, together", total: joint.Cost, bound: joint.Bound})
	var texts []string
	for _, t := range o.volume.Tiers {
		texts = append(texts, fmt.Sprintf("%s off beyond %s", percent(t.Discount), amount(t.From)))
	}
	s.about = fmt.Sprintf("Fees at list prices add up, and what lies beyond an amount costs less: %s (-volume). Each row has the optimum of what it knows: plans at list prices get the discount and do not count on it, and together the fees of all centres add up.", strings.Join(texts, ", "))
	return s, nil
}

// bySize has instances of 1, 2, 4, 8 and 16 processors that cost as much by the processor.
// Each job runs on the largest size that divides its processors. A plan in compute units
// covers any size.
func (o *options) bySize(centres []*centre) (*scheme, error) {
	s := &scheme{name: "sizes", title: "Instances of several sizes"}
	var solver reserve.Exact
	var texts []string
	for _, c := range centres {
		apart, apartExact := pricing.Money(0), pricing.Money(0)
		var shares []string
		for size := 1; size <= maxSize; size *= 2 {
			var jobs []trace.Job
			for _, j := range c.jobs {
				if j.Nodes%size == 0 && (size == maxSize || j.Nodes%(2*size) != 0) {
					j.Nodes /= size
					jobs = append(jobs, j)
				}
			}
			demand, err := c.needed(jobs)
			if err != nil {
				return nil, err
			}
			of := *c
			of.OnDemand *= pricing.Money(size)
			of.Reservation *= pricing.Money(size)
			p := of.problem(demand, day)
			_, cost, err := o.solve(p)
			if err != nil {
				return nil, err
			}
			best, err := solver.Solve(p)
			if err != nil {
				return nil, err
			}
			apart += cost
			apartExact += best.Cost
			hours := 0
			for _, n := range demand {
				hours += n * size
			}
			shares = append(shares, fixed(100*float64(hours)/float64(max(1, c.total)), 0))
		}
		p := c.problem(c.demand, day)
		_, units, err := o.solve(p)
		if err != nil {
			return nil, err
		}
		joint, err := solver.Solve(p)
		if err != nil {
			return nil, err
		}
		s.add(fmt.Sprintf("each size, %v", o.planOf()), apart, 0)
		if o.planOf() != exact {
			s.add("each size, optimum", apartExact, 0)
			s.add(fmt.Sprintf("compute units, %v", o.planOf()), units, 0)
		}
		s.add("compute units, joint plan", joint.Cost, joint.Bound)
		texts = append(texts, fmt.Sprintf("%s %s%%", c.Name, strings.Join(shares, "/")))
	}
	s.about = fmt.Sprintf("Instances of 1, 2, 4, 8 and 16 processors cost as much by the processor. A job runs on the largest size that divides its processors; of the hours these are %s. A compute unit is one processor.", strings.Join(texts, ", "))
	return s, nil
}

// writeSchemes prints the schemes.
func (r *results) writeSchemes(w *table.Page) {
	r.writeCentres(w)
	names := r.shortNames()
	for _, s := range r.schemes {
		columns := "<cost, $"
		for _, name := range names {
			columns += "|" + name
		}
		columns += "|all, $|over\njoint"
		joint := s.ways[len(s.ways)-1]
		var rows [][]string
		for _, x := range s.ways {
			row := []string{x.name}
			for i := range names {
				if x.costs == nil {
					row = append(row, "")
				} else {
					row = append(row, dollars(x.costs[i]))
				}
			}
			rows = append(rows, append(row, dollars(x.total), percent(share(x.total-joint.total, joint.total))))
		}
		tabulate(w, s.title, columns, rows)
		proved := "is proved to be the least"
		if joint.bound < joint.total {
			proved = fmt.Sprintf("is proved within %s of the least", within(share(joint.total-joint.bound, joint.bound)))
		}
		w.Printf("\n")
		w.Sayf("%s The joint plan %s.", s.about, proved)
	}
}

// schemeRows are the same for machines.
func (r *results) schemeRows() any {
	rows := []any{}
	for _, s := range r.schemes {
		for _, x := range s.ways {
			for i := range x.costs {
				rows = append(rows, jsonrows.Row{"kind", "scheme", "scheme", s.name, "plan", x.name, "centre", r.centres[i].Name, "cost", x.costs[i], "bound", nil})
			}
			row := jsonrows.Row{"kind", "scheme", "scheme", s.name, "plan", x.name, "centre", "all", "cost", x.total, "bound", nil}
			if x.bound > 0 {
				row[len(row)-1] = x.bound
			}
			rows = append(rows, row)
		}
	}
	return rows
}
