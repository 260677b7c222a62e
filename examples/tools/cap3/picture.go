package main

import (
	"fmt"
	"io"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/schedule/spot/spotsim"
)

// writeSVG draws what was predicted against what was measured, cost against time, and
// the price with bids and interruptions.
func (r *results) writeSVG(w io.Writer) error { return svgplot.WriteCharts(w, r.charts()) }

func (r *results) charts() []svgplot.Chart {
	return append([]svgplot.Chart{r.predictions(), r.costs()}, r.prices()...)
}

// predictions are of runs that were left out, with intervals for 90%.
func (r *results) predictions() svgplot.Chart {
	c := svgplot.Chart{
		Title: "Runs left out one by one, predicted from the others (bars: 90%)", X: "measured, s", Y: "predicted, s", LogX: true, LogY: true,
	}
	low, high := 0., 0.
	for _, f := range r.fitted {
		s := svgplot.Series{Name: f.profile.Application + ", " + f.chosen.String(), Points: true}
		for _, x := range f.checks {
			s.X, s.Y = append(s.X, x.run.Seconds), append(s.Y, x.estimate.Seconds)
			s.Low, s.High = append(s.Low, x.estimate.Lower), append(s.High, x.estimate.Upper)
			if low == 0 || x.run.Seconds < low {
				low = x.run.Seconds
			}
			high = max(high, x.run.Seconds)
		}
		c.Series = append(c.Series, s)
	}
	ends := []float64{low, high}
	c.Series = append(c.Series, svgplot.Series{Name: "equal", X: ends, Y: ends, Steps: false})
	return c
}

// costs are those of all numbers of processes.
func (r *results) costs() svgplot.Chart {
	c := svgplot.Chart{
		Title: "Cost against time, from few processes (right) to many, profiled or not", X: "predicted run time, s", Y: "cost on demand, $", LogX: true, LogY: true,
	}
	chosen := svgplot.Series{Name: "chosen", Rings: true}
	add := func(s *svgplot.Series, x *sizing.Size) {
		s.X, s.Y = append(s.X, x.Time.Seconds()), append(s.Y, x.Cost.Float64())
	}
	for _, s := range r.sized {
		line := svgplot.Series{Name: nameOf(s.task)}
		for i := range s.options {
			x := &s.options[i]
			if len(s.options) > 64 && i%(1+len(s.options)/64) != 0 {
				continue // more than can be seen
			}
			add(&line, x)
		}
		c.Series = append(c.Series, line)
		if p := s.picked(r.o); p.Verdict != sizing.Unprofiled {
			add(&chosen, &p.Best)
		}
	}
	c.Series = append(c.Series, chosen)
	return c
}

// around is how much of the history is drawn before the first start.
const around = 24 * time.Hour

// prices are those of the task that was interrupted most.
func (r *results) prices() (charts []svgplot.Chart) {
	h := r.in.history
	var worst *sized
	for _, s := range r.sized {
		if s.scheduled != nil && (worst == nil || s.scheduled.interruptions > worst.scheduled.interruptions) {
			worst = s
		}
	}
	if worst != nil {
		t := &worst.scheduled.tried
		from, _ := r.startsWithin()
		from = max(h.Start(), from-around)
		day := func(d time.Duration) float64 { return (d - h.Start()).Hours() / 24 }
		c := svgplot.Chart{
			Title: fmt.Sprintf("Spot price and bids: %s, %s in %s", table.Clip(nameOf(worst.task), 30),
				decimal.Count(t.interruptions, "interruption"), decimal.Count(t.starts, "start")),
			X: "days of the history", Y: "$ per instance-hour",
		}
		if r.o.spot == "" {
			c.X = "days of the MADE-UP history"
		}
		price := svgplot.Series{Name: "spot price", Steps: true}
		for i := h.Index(from); i < len(h.Times); i++ {
			price.X, price.Y = append(price.X, day(max(from, h.Times[i]))), append(price.Y, h.Prices[i].Float64())
		}
		price.X, price.Y = append(price.X, day(h.End)), append(price.Y, h.Prices[len(h.Prices)-1].Float64())
		onDemand := r.in.instance.Hourly.Float64()
		c.Series = append(c.Series, price,
			svgplot.Series{Name: "on demand", X: []float64{day(from), day(h.End)}, Y: []float64{onDemand, onDemand}, Steps: true})
		bids, lost := svgplot.Series{Name: "bids", Points: true}, svgplot.Series{Name: "interruptions", Points: true}
		for _, l := range t.bids {
			bids.X, bids.Y = append(bids.X, day(l.Requested)), append(bids.Y, l.Bid.Float64())
			if l.End == spotsim.LeaseInterrupted || l.End == spotsim.LeaseLost {
				lost.X, lost.Y = append(lost.X, day(l.Ended)), append(lost.Y, h.At(min(l.Ended, h.End)).Float64())
			}
		}
		c.Series = append(c.Series, bids, svgplot.Series{}, lost) // a colour further, to be seen
		charts = append(charts, c)
	}
	return charts
}
