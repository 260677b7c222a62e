package main

import (
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
)

// The history that the picture shows, in horizons and in values at least.
const (
	shownHorizons = 8
	shownLeast    = 104
)

// writeSVG draws the first series that was compared, what the model to use forecasts of it, and what it
// would have forecast a horizon ago.
func (r *results) writeSVG(w io.Writer) error {
	o, in := r.o, r.in
	c, err := r.oracle()
	if err != nil {
		return err
	}
	it := &in.items[r.first]
	f := svgplot.Fan{
		Title:  fmt.Sprintf("%s: forecast by %s, and what it was %s ago", it.name, r.chosen(), decimal.Count(o.horizon, "step")),
		X:      in.step,
		Y:      in.unit,
		Band:   o.percent() + " interval",
		Values: it.all,
		First:  max(0, len(it.all)-max(shownLeast, shownHorizons*o.horizon)),
	}
	at := []int{len(it.all) - o.horizon, len(it.all)}
	for _, n := range at {
		if n < 1 {
			continue
		}
		x, err := c.look(it.all[:n])
		if err != nil && n == len(it.all) {
			return err
		}
		if err == nil {
			f.Forecasts = append(f.Forecasts, svgplot.Forecast{From: n, Mean: x.mean, Low: x.low, High: x.high})
		}
	}
	return svgplot.WriteFan(w, f)
}
