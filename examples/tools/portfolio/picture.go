package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// writeSVG draws the online portfolio of each series week by week; of a single series
// also its purchases, and what hindsight holds.
func (r *results) writeSVG(w io.Writer) error {
	in := r.in
	var list []svgplot.Portfolio
	for k := range r.groups {
		g := &r.groups[k]
		for i, s := range g.series {
			p := newPicture(in, g, i, online)
			if len(r.groups) == 1 && len(g.series) == 1 {
				for _, q := range g.row(online).outcomes[i].purchases {
					p.Marks = append(p.Marks, svgplot.Mark{
						At:    time.Duration(q.Slot) * s.slot,
						Layer: slices.Index(classfile.ByUsePrice(in.list), q.Class),
						Count: q.Count,
					})
				}
				list = append(list, p, newPicture(in, g, i, hindsight))
				continue
			}
			list = append(list, p)
		}
	}
	return svgplot.WritePortfolios(w, list)
}

// newPicture returns what an algorithm holds for a series.
func newPicture(in *input, g *group, i int, algo string) svgplot.Portfolio {
	s, x := g.series[i], g.row(algo).outcomes[i]
	title := fmt.Sprintf("%s: %s", s.name, algo)
	if over := ratio(x.cost, g.row(hindsight).outcomes[i].cost, 3); algo != hindsight && over != "-" {
		title += ", cost " + over + " of hindsight's"
	}
	p := svgplot.Portfolio{Title: title, To: time.Duration(len(s.demand)) * s.slot}
	// Layers are as reservations serve: by use price, the lowest first.
	below := make([]int, s.weeks)
	for _, k := range classfile.ByUsePrice(in.list) {
		for w, n := range x.ledger.active[k] {
			below[w] += int(math.Round(n))
		}
		p.Layers = append(p.Layers, svgplot.Layer{Name: in.list.Classes[k].Name, Class: k, Points: steps.AppendSpans(nil, below, week)})
	}
	mean, high := make([]float64, s.weeks), make([]float64, s.weeks)
	for w := range s.weeks {
		slots := slices.Clone(s.demand[w*s.every : min(len(s.demand), (w+1)*s.every)])
		slices.Sort(slots)
		for _, d := range slots {
			mean[w] += float64(d) / float64(len(slots))
		}
		high[w] = float64(slots[(len(slots)-1)*95/100])
	}
	name := "demand"
	if s.every > 1 {
		name = "demand, mean of the week"
	}
	p.Curves = append(p.Curves, svgplot.Curve{Name: name, Span: week, Values: mean})
	if s.every > 1 {
		p.Curves = append(p.Curves, svgplot.Curve{Name: "demand, 95% of the week", Kind: svgplot.Extreme, Span: week, Values: high})
	}
	if algo == online {
		p.Curves = append(p.Curves, svgplot.Curve{Name: "planned for, the week before", Kind: svgplot.Foreseen, Span: week, Values: x.ahead})
	}
	return p
}
