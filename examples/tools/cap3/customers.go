package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

// Several customers, as the future work of [Huang13] asks. Their tasks share clusters on
// demand, as sizing.Share packs them.

// A customerOf is a part of -customers.
type customerOf struct {
	name, budget, tasks string
}

func parseCustomerOf(part string) (c customerOf, err error) {
	parts := strings.SplitN(part, ":", 3) // a task may have a colon, too
	if len(parts) != 3 || parts[0] == "" || parts[2] == "" {
		return c, errors.New("want NAME:BUDGET:TASK+TASK, such as ann:2.60:cg+ep or ann:2.60:cg:C+cg:D, with commas between them")
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
	alone, shares pricing.Money // of the tasks that are not given up
}

// joint is a task of a customer.
type joint struct {
	s       *sized
	size    sizing.Size
	cluster int // from 1; 0: given up
	share   pricing.Money
	gaveUp  string // why it is given up; "" if it is not
}

// overBudget is why a task is given up that would fit.
const overBudget = "over the budget"

// taskOf is the name of a task in -customers: its application, with its case if several
// tasks of the application are planned.
func (r *results) taskOf(s *sized) string {
	for _, other := range r.sized {
		if other != s && other.task.Application == s.task.Application {
			return s.task.Application + ":" + s.task.Name
		}
	}
	return s.task.Application
}

// share packs the tasks of all customers. An application without a case stands for each of
// its tasks.
func (r *results) share() ([]*client, error) {
	var clients []*client
	owner := map[*sized]string{}
	for _, c := range r.o.customers {
		m, err := pricing.ParseMoney(c.budget)
		if err != nil {
			return nil, err
		}
		x := &client{name: c.name, budget: m}
		for name := range strings.SplitSeq(c.tasks, "+") {
			application, only, given := strings.Cut(name, ":")
			known := false
			for _, s := range r.sized {
				if s.task.Application != application || given && s.task.Name != only {
					continue
				}
				known = true
				if who, taken := owner[s]; taken {
					return nil, cli.Mistakef("-customers %s: %q is a task of %s already: want each task once", c.name, r.taskOf(s), who)
				}
				owner[s] = c.name
				p := s.picked(r.o)
				t := &joint{s: s, size: p.Best}
				x.tasks = append(x.tasks, t)
				if p.Verdict != sizing.Fits {
					t.gaveUp = verdictOf(p.Verdict)
				}
			}
			if !known {
				return nil, cli.Mistakef("-customers %s: there is no task of %q; -task says which there are", c.name, name)
			}
		}
		clients = append(clients, x)
	}
	for _, s := range r.sized {
		if _, taken := owner[s]; !taken {
			r.nobodys = append(r.nobodys, s)
		}
	}
	return clients, r.pack(clients)
}

// pack packs the tasks that fit on clusters, and says what each customer pays.
func (r *results) pack(clients []*client) error {
	customers := make([]sizing.Customer, len(clients))
	tasks := make([][]*joint, len(clients))
	for i, x := range clients {
		customers[i].Budget = x.budget
		for _, t := range x.tasks {
			if t.gaveUp == "" {
				tasks[i] = append(tasks[i], t)
				customers[i].Runs = append(customers[i].Runs, t.size)
			}
		}
	}
	places, err := sizing.Share(customers, r.in.instance, r.o.deadline-r.o.latency)
	if err != nil {
		return err
	}
	for i, x := range clients {
		for k, t := range tasks[i] {
			if t.cluster, t.share = places[i][k].Cluster, places[i][k].Share; t.cluster == 0 {
				t.gaveUp = overBudget
				continue
			}
			if x.alone, err = x.alone.Add(t.size.Cost); err != nil {
				return err
			}
			x.shares += t.share
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
	kept, gaveUp := 0, 0
	clusters := map[int]bool{}
	for _, c := range r.clients {
		var tasks, given []string
		for _, t := range c.tasks {
			switch name := r.taskOf(t.s); t.gaveUp {
			case "":
				clusters[t.cluster] = true
				tasks = append(tasks, fmt.Sprintf("%s on %d", name, t.cluster))
			case overBudget:
				given = append(given, name)
			default:
				given = append(given, name+" ("+t.gaveUp+")")
			}
		}
		kept, gaveUp = kept+len(tasks), gaveUp+len(given)
		alone, together = alone+c.alone, together+c.shares
		rows = append(rows, []string{table.Clip(c.name, 20), budgetOf(c.budget), dollars(c.alone), dollars(c.shares), list(tasks), list(given)})
	}
	tabulate(w, "<customer|budget|alone, $|shared, $|<tasks, on cluster|<given up", rows)
	without := ""
	if gaveUp > 0 {
		without = fmt.Sprintf(", both without the %d given up", gaveUp)
	}
	w.Sayf("%s on demand for %s; $%s in all, $%s if each task had a cluster of its own%s. Tasks on as many instances run one after the other while all end by the deadline, and pay of the cluster by their time. A customer over the budget gives up the task that costs most.",
		decimal.Count(len(clusters), "cluster"), decimal.Count(kept, "task"), dollars(together), dollars(alone), without)
	var names []string
	for _, s := range r.nobodys {
		names = append(names, r.taskOf(s))
	}
	if names != nil {
		w.Sayf("Note: no customer of -customers has %s.", cli.Series(names, "and"))
	}
}

// clientRows are the objects of customers.
func (r *results) clientRows(add func(kind string, row ...any)) {
	for _, c := range r.clients {
		for _, t := range c.tasks {
			var instances, takes, alone, why any // nil: no size lies within the profile; it is not given up
			if t.size.Processes > 0 {
				instances, takes, alone = t.size.Instances, rounded(t.size.Time), t.size.Cost.String()
			}
			if t.gaveUp != "" {
				why = t.gaveUp
			}
			add("shared", "customer", c.name, "application", t.s.task.Application, "case", t.s.task.Name, "cluster", t.cluster, "instances", instances, "time_s", takes,
				"alone_cost", alone, "cost", t.share.String(), "given_up", why)
		}
	}
	for _, s := range r.nobodys {
		add("nobodys", "application", s.task.Application, "case", s.task.Name)
	}
}

// list joins names, "none" if there is no name.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
