package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// writeSVG draws the demand, the part that each class serves, and the purchases.
func (r *results) writeSVG(w io.Writer) error {
	p, x := &r.in.problem, r.picked()
	n := len(r.in.curve)
	s := svgplot.Stack{
		Title: fmt.Sprintf("Demand and what serves it: %s, %s (%s%% less than on demand)",
			x.algo.name, r.money(x.cost), decimal.Fixed(100*x.saving, 1)),
		To: time.Duration(n) * p.Slot,
	}
	// What is active of each class, and in all.
	active := make([][]int, len(p.Prices.Classes))
	open := func(class, from, to, count int) {
		if active[class] == nil {
			active[class] = make([]int, n+1)
		}
		active[class][from] += count
		active[class][min(n, to)] -= count
	}
	for _, h := range p.Held {
		open(h.Class, 0, h.Until, h.Count)
	}
	for _, q := range x.purchases {
		open(q.Class, q.Slot, q.Slot+int(p.Prices.Classes[q.Class].Term/p.Slot), q.Count)
	}
	// They serve by use price, the lowest first.
	var order []int
	for k, a := range active {
		if a != nil {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(p.Prices.Classes[i].UsePrice(), p.Prices.Classes[j].UsePrice())
	})
	total := make([]int, n)
	layer := make([]int, len(p.Prices.Classes))
	for i, k := range order {
		count := 0
		served := make([]int, n)
		for t := range n {
			count += active[k][t]
			total[t] += count
			served[t] = min(total[t], r.in.curve[t])
		}
		layer[k] = i
		s.Layers = append(s.Layers, svgplot.Layer{Name: p.Prices.Classes[k].Name, Points: steps.AppendSpans(nil, served, p.Slot)})
	}
	s.Demand = steps.AppendSpans(nil, r.in.curve, p.Slot)
	if len(order) > 0 {
		s.Reserved = steps.AppendSpans(nil, total, p.Slot)
	}
	for _, q := range x.purchases {
		s.Marks = append(s.Marks, svgplot.Mark{At: time.Duration(q.Slot) * p.Slot, Layer: layer[q.Class], Count: q.Count})
	}
	return svgplot.WriteStack(w, s)
}
