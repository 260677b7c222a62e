package niu16

import (
	"io"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/classfile"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/papers/internal/niu16/onlineportfolio"
	"github.com/plimsoll/plimsoll/pricing"
)

// writeSVG draws the online portfolio of each demand week by week; of a single demand also its
// purchases, and what hindsight holds.
func (r *results) writeSVG(w io.Writer) error {
	return svgplot.WritePortfolios(w, r.pictures)
}

// picture returns what a way holds for a demand, and the purchases where they are to be marked.
func picture(d *demand, list pricing.List, x *way, over string, marked bool) svgplot.Portfolio {
	p := svgplot.Portfolio{Title: d.name + ": " + x.name + over, To: time.Duration(len(d.needed)) * d.slot}
	every := d.every()
	weeks := (len(d.needed) + every - 1) / every
	order := classfile.ByUsePrice(list) // as reservations serve, the lowest first
	below := make([]int, weeks)
	for _, k := range order {
		c := list.Classes[k]
		for _, q := range x.bought {
			if q.Class == k {
				first := q.Slot / every // decisions are weekly
				last := min(weeks, first+int((c.Term+onlineportfolio.Week-1)/onlineportfolio.Week))
				for week := first; week < last; week++ {
					below[week] += q.Count
				}
			}
		}
		p.Layers = append(p.Layers, svgplot.Layer{Name: c.Name, Class: k, Points: steps.AppendSpans(nil, below, onlineportfolio.Week)})
	}
	mean, high := make([]float64, weeks), make([]float64, weeks)
	for week := range weeks {
		slots := slices.Clone(d.needed[week*every : min(len(d.needed), (week+1)*every)])
		slices.Sort(slots)
		for _, n := range slots {
			mean[week] += float64(n) / float64(len(slots))
		}
		high[week] = float64(slots[(len(slots)-1)*95/100])
	}
	p.Curves = []svgplot.Curve{{Name: "demand, mean of the week", Span: onlineportfolio.Week, Values: mean}}
	if every > 1 {
		p.Curves = append(p.Curves, svgplot.Curve{Name: "demand, 95% of the week", Kind: svgplot.Extreme, Span: onlineportfolio.Week, Values: high})
	}
	if x.ahead != nil {
		p.Curves = append(p.Curves, svgplot.Curve{Name: "planned for, the week before", Kind: svgplot.Foreseen, Span: onlineportfolio.Week, Values: x.ahead})
	}
	for _, q := range x.bought {
		if marked {
			p.Marks = append(p.Marks, svgplot.Mark{At: time.Duration(q.Slot) * d.slot, Layer: slices.Index(order, q.Class), Count: q.Count})
		}
	}
	return p
}
