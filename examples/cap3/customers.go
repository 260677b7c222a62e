package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/pricing"
)

// Several customers, as the future work of [Huang13] asks. Their tasks share clusters on
// demand: tasks on as many instances run one after the other on one cluster, so that they
// share the hour that is charged.
//
// Tasks of one size are packed longest first, each on the first cluster on which the task
// still ends in time. That uses at most 11/9 of the fewest clusters, and one more (first fit
// decreasing). A cluster that costs more than its tasks would alone is given up. Each task
// pays of its cluster in proportion to its time. A customer over the budget gives up the
// task with the largest share, and all are packed anew.

// A customerOf is a part of -customers.
type customerOf struct {
	name, budget, tasks string
}

func parseCustomerOf(part string) (c customerOf, err error) {
	parts := strings.Split(part, ":")
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return c, errors.New("want NAME:BUDGET:TASK+TASK, such as ann:2.60:cg+ep, with commas between them")
	}
	if m, err := pricing.ParseMoney(parts[1]); err != nil || m < 0 || m > maxAmount*pricing.Unit {
		return c, errors.New("want a budget such as 2.60, or 0 for no limit")
	}
	return customerOf{parts[0], parts[1], parts[2]}, nil
}

// A client is a customer with tasks.
type client struct {
	name          string
	budget        pricing.Money
	tasks         []*joint
	alone, shares pricing.Money
	gave          []string // tasks over the budget
}

// joint is a task of a customer.
type joint struct {
	s       *sized
	of      *client
	size    perfmodel.Size
	cluster int // from 1; 0: given up
	share   pricing.Money
}

// share packs the tasks of all customers.
func (r *results) share() ([]*client, error) {
	var clients []*client
	var tasks []*joint
	for _, c := range r.o.customers {
		m, err := pricing.ParseMoney(c.budget)
		if err != nil {
			return nil, err
		}
		x := &client{name: c.name, budget: m}
		for name := range strings.SplitSeq(c.tasks, "+") {
			k := slices.IndexFunc(r.sized, func(s *sized) bool { return s.task.Application == name })
			if k < 0 {
				return nil, cli.Mistakef("-customers %s: there is no task of %q; -task says which there are", c.name, name)
			}
			if slices.ContainsFunc(tasks, func(t *joint) bool { return t.s == r.sized[k] }) {
				return nil, cli.Mistakef("-customers %s: %q is a task of a customer before", c.name, name)
			}
			p := r.sized[k].picked(r.o)
			if p.Verdict != perfmodel.Fits {
				x.gave = append(x.gave, name+" ("+verdictOf(p.Verdict)+")")
				continue
			}
			t := &joint{s: r.sized[k], of: x, size: p.Best}
			tasks, x.tasks = append(tasks, t), append(x.tasks, t)
			if x.alone, err = x.alone.Add(p.Best.Cost); err != nil {
				return nil, err
			}
		}
		clients = append(clients, x)
	}
	for {
		if err := r.pack(tasks); err != nil {
			return nil, err
		}
		over := false
		for _, x := range clients {
			x.shares = 0
			var dearest *joint
			for _, t := range x.tasks {
				if t.cluster == 0 {
					continue
				}
				x.shares += t.share
				if dearest == nil || t.share > dearest.share {
					dearest = t
				}
			}
			if x.budget > 0 && x.shares > x.budget && !over {
				over = true
				x.gave = append(x.gave, dearest.s.task.Application)
				tasks = slices.DeleteFunc(tasks, func(t *joint) bool { return t == dearest })
				dearest.cluster, dearest.share = 0, 0
			}
		}
		if !over {
			return clients, nil
		}
	}
}

// pack packs tasks on clusters.
func (r *results) pack(tasks []*joint) error {
	type cluster struct {
		instances int
		busy      time.Duration
		tasks     []*joint
	}
	order := slices.Clone(tasks)
	slices.SortStableFunc(order, func(a, b *joint) int { return cmp.Compare(b.size.Time, a.size.Time) })
	var clusters []*cluster
	limit := r.o.deadline - r.o.latency
	for _, t := range order {
		k := slices.IndexFunc(clusters, func(c *cluster) bool { return c.instances == t.size.Instances && c.busy+t.size.Time <= limit })
		if k < 0 {
			k = len(clusters)
			clusters = append(clusters, &cluster{instances: t.size.Instances})
		}
		clusters[k].busy += t.size.Time
		clusters[k].tasks = append(clusters[k].tasks, t)
	}
	number := 0
	for _, c := range clusters {
		one, err := r.in.instance.Meter.Cost(r.in.instance.Hourly, c.busy)
		if err != nil {
			return err
		}
		cost, err := one.Mul(int64(c.instances))
		if err != nil {
			return err
		}
		alone := pricing.Money(0)
		for _, t := range c.tasks {
			alone += t.size.Cost
		}
		if cost >= alone { // nothing is gained
			for _, t := range c.tasks {
				number++
				t.cluster, t.share = number, t.size.Cost
			}
			continue
		}
		number++
		left, busy := cost, c.busy
		for _, t := range c.tasks { // the last one pays the rest, so that nothing is lost
			if t.share, err = left.Prorate(t.size.Time, busy, pricing.Down); err != nil {
				return err
			}
			t.cluster = number
			left, busy = left-t.share, busy-t.size.Time
		}
	}
	return nil
}

// writeCustomers writes what each customer pays.
func (r *results) writeCustomers(w *table.Page) {
	if len(r.clients) == 0 {
		return
	}
	w.Printf("\nSEVERAL CUSTOMERS\n")
	var rows [][]string
	var alone, together pricing.Money
	clusters := map[int]bool{}
	for _, c := range r.clients {
		var tasks []string
		for _, t := range c.tasks {
			if t.cluster > 0 {
				clusters[t.cluster] = true
				tasks = append(tasks, fmt.Sprintf("%s on %d", t.s.task.Application, t.cluster))
			}
		}
		alone, together = alone+c.alone, together+c.shares
		rows = append(rows, []string{table.Clip(c.name, 20), budgetOf(c.budget), dollars(c.alone), dollars(c.shares), list(tasks), list(c.gave)})
	}
	tabulate(w, "<customer|budget|alone, $|shared, $|<tasks, on cluster|<given up", rows)
	w.Sayf("%s on demand; $%s in all, $%s if each task had a cluster of its own. Tasks on as many instances run one after the other while all end by the deadline, and pay of the cluster by their time. A customer over the budget gives up the task that costs most.",
		decimal.Count(len(clusters), "cluster"), dollars(together), dollars(alone))
	var names []string
	for _, s := range r.nobodys() {
		names = append(names, s.task.Application)
	}
	if names != nil {
		w.Sayf("Note: no customer of -customers has %s.", cli.Series(names, "and"))
	}
}

// nobodys returns the tasks that no customer has.
func (r *results) nobodys() (all []*sized) {
	for _, s := range r.sized {
		if !slices.ContainsFunc(r.o.customers, func(c customerOf) bool {
			return slices.Contains(strings.Split(c.tasks, "+"), s.task.Application)
		}) {
			all = append(all, s)
		}
	}
	return all
}

// clientRows are the objects of customers.
func (r *results) clientRows(add func(kind string, row ...any)) {
	for _, c := range r.clients {
		for _, t := range c.tasks {
			add("shared", "customer", c.name, "application", t.s.task.Application, "case", t.s.task.Name, "cluster", t.cluster, "instances", t.size.Instances, "time_s", rounded(t.size.Time),
				"alone_cost", t.size.Cost.String(), "cost", t.share.String())
		}
	}
	if r.clients != nil {
		for _, s := range r.nobodys() {
			add("nobodys", "application", s.task.Application, "case", s.task.Name)
		}
	}
}

// list joins names, "none" if there is no name.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
