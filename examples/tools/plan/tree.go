package main

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// A demand that shows step by step: what to buy now, what in each later case, and what it is worth
// to wait.

// slot returns the slot of a purchase.
func (r *results) slot(q pricing.Purchase) int {
	if r.in.nodes == nil {
		return q.Slot
	}
	return r.depth(q.Slot)
}

// depth returns the slot of a node.
func (r *results) depth(node int) (slot int) {
	tree := r.in.problem.Tree
	for v := tree[node].Parent; v >= 0; v = tree[v].Parent {
		slot++
	}
	return slot
}

// at returns in words what a plan buys at a slot or in a node.
func (r *results) at(x *result, at int) (list []string) {
	for _, q := range x.purchases {
		if q.Slot == at {
			list = append(list, decimal.Int(q.Count)+" of "+table.Clip(r.in.problem.Prices.Classes[q.Class].Name, 30))
		}
	}
	return list
}

// writeTree writes what ways of deciding cost, and what to buy in which case.
func (r *results) writeTree(w *table.Page, x *result) error {
	p := &r.in.problem
	wait, err := new(reserve.Exact).Waiting(p)
	if err != nil {
		return err
	}
	line := func(name string, cost pricing.Money) []string {
		return []string{name, r.money(cost), r.money(cost - wait.Cost)}
	}
	rows := [][]string{
		line("knowing each branch: a perfect forecast", wait.Hindsight),
		line("deciding each purchase when it is due", wait.Cost),
		line("planning all, and again at each branch", wait.Replanned),
		line("deciding all at the start", wait.AtOnce),
	}
	if wait.Shows > 0 {
		rows = append(rows, line(fmt.Sprintf("buying nothing before slot %d", wait.Shows), wait.Later))
	}
	w.Printf("\n")
	w.Table("<way of deciding|mean cost|over the optimum", append(rows, line("nothing reserved", r.onDemand)))
	r.writeCases(w, x, wait.Shows)
	return nil
}

// writeCases writes what is bought where the first branch shows.
func (r *results) writeCases(w *table.Page, x *result, shows int) {
	p := &r.in.problem
	kids := make([][]int, len(p.Tree))
	for i := 1; i < len(p.Tree); i++ {
		kids[p.Tree[i].Parent] = append(kids[p.Tree[i].Parent], i)
	}
	if shows == 0 {
		w.Sayf("The demand has no branches.")
		return
	}
	var cases []int
	for i := range p.Tree {
		if u := p.Tree[i].Parent; u >= 0 && len(kids[u]) > 1 && r.depth(i) == shows {
			cases = append(cases, i)
		}
	}
	slices.SortStableFunc(cases, func(a, b int) int { return p.Tree[a].Demand - p.Tree[b].Demand })
	var rows [][]string
	for _, c := range cases[:r.lines(len(cases))] {
		rows = append(rows, []string{table.Clip(r.in.nodes[c], 12), decimal.Int(p.Tree[c].Demand), percent(p.Tree[c].Probability, 1), r.until(x, kids, c)})
	}
	w.Printf("\n")
	w.Printf("What shows in slot %d (day %s), and what is bought until more shows:\n", shows, day(shows, p.Slot))
	w.Table("<node|demand|probability|<buy", rows)
	if rest := len(cases) - len(rows); rest > 0 {
		w.Printf("and %s; -purchases lists all.\n", decimal.Count(rest, "more case"))
	}
	w.Printf("Days and slots count from 0.\n")
}

// until returns in words what is bought from a node on until the next branch.
func (r *results) until(x *result, kids [][]int, v int) string {
	counts := make([]int, len(r.in.problem.Prices.Classes))
	for {
		for _, q := range x.purchases {
			if q.Slot == v {
				counts[q.Class] += q.Count
			}
		}
		if len(kids[v]) != 1 {
			break
		}
		v = kids[v][0]
	}
	var list []string
	for k, n := range counts {
		if n > 0 {
			list = append(list, decimal.Int(n)+" of "+table.Clip(r.in.problem.Prices.Classes[k].Name, 20))
		}
	}
	if list == nil {
		return "nothing"
	}
	return cli.Series(list, "and")
}
