package liu21

import (
	"fmt"
	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"io"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/svgplot"
	"github.com/plimsoll/plimsoll/examples/internal/table"
	"github.com/plimsoll/plimsoll/pricing"
)

// writeSVG draws the paper's Figs. 7 to 10.
func (r *results) writeSVG(w io.Writer) error { return svgplot.WriteCharts(w, r.charts()) }

func (r *results) charts() []svgplot.Chart {
	// Rolling horizons have figures of their own, unless there are no other planners.
	var offline, rolling []plannerName
	for _, p := range r.shown() {
		if p.Rolls() {
			rolling = append(rolling, p)
		} else {
			offline = append(offline, p)
		}
	}
	if offline == nil {
		offline = rolling
	}
	charts := r.demandCharts(offline)
	charts = append(charts, r.planCharts(offline)...)
	charts = append(charts, r.errorCharts(offline)...)
	return append(charts, r.sweepCharts(rolling)...)
}

// demandCharts are Fig. 7.
func (r *results) demandCharts(list []plannerName) []svgplot.Chart {
	var charts []svgplot.Chart
	floats := func(values []int) (list []float64) {
		for _, v := range values {
			list = append(list, float64(v))
		}
		return list
	}
	for i, c := range r.centres {
		hour := make([]float64, len(c.Demand))
		for t := range hour {
			hour[t] = float64(t)
		}
		chart := svgplot.Chart{
			Title: table.Clip(c.Name, 40) + ": demand and reservations", X: "hours", Y: "instances",
			Series: []svgplot.Series{{Name: "demand", X: hour, Y: floats(c.Demand), Steps: true}},
		}
		for _, p := range list {
			chart.Series = append(chart.Series, svgplot.Series{Name: p.String(), X: hour, Y: floats(r.plain[p].Plans[i].Active), Steps: true})
		}
		charts = append(charts, chart)
	}
	return charts
}

// planCharts are Fig. 8.
func (r *results) planCharts(list []plannerName) []svgplot.Chart {
	cost := svgplot.Chart{Title: "Cost, alone and shared", Y: "dollars"}
	use := svgplot.Chart{Title: "Use of what is reserved, alone and shared", Y: "percent"}
	onDemand := svgplot.Series{Name: "on demand"}
	for _, c := range r.centres {
		cost.Labels = append(cost.Labels, table.Clip(c.Name, 24))
		onDemand.Y = append(onDemand.Y, (c.OnDemand * pricing.Money(c.Total)).Float64())
	}
	use.Labels = cost.Labels
	cost.Series = append(cost.Series, onDemand)
	for _, p := range list {
		x := r.plain[p]
		var bars [4]svgplot.Series // cost and use, alone and shared
		for k := range bars {
			bars[k].Name = p.String()
			if k%2 == 1 {
				bars[k].Name += ", shared"
			}
		}
		for i := range r.centres {
			a, b := x.Plans[i], &x.Shared.Centres[i]
			for k, y := range []float64{a.Cost.Float64(), b.Cost().Float64(), 100 * centres.Utilisation(a.Used, a.Held), 100 * centres.Utilisation(x.Shared.HoursOf(i), a.Held)} {
				bars[k].Y = append(bars[k].Y, y)
			}
		}
		cost.Series = append(cost.Series, bars[0], bars[1])
		use.Series = append(use.Series, bars[2], bars[3])
	}
	return []svgplot.Chart{cost, use}
}

// lines are the figures of outcomes along X: cost, use and data sent.
func lines(cost, use, sent *svgplot.Chart, name string, list []*outcome, at func(x *outcome) float64) {
	var alone, shared, used, usedShared, data svgplot.Series
	alone.Name, shared.Name, data.Name = name, name+", shared", name
	used.Name, usedShared.Name = alone.Name, shared.Name
	for _, x := range list {
		useAlone, useShared := 100*x.Utilisation(), 100*x.Shared.Used()
		if x.Held == 0 {
			useAlone, useShared = math.NaN(), math.NaN() // which is not drawn
		}
		for _, s := range []struct {
			series *svgplot.Series
			y      float64
		}{
			{&alone, x.Cost.Float64()}, {&shared, x.Shared.Cost.Float64()},
			{&used, useAlone}, {&usedShared, useShared},
			{&data, float64(x.Shared.Total.Sent) / centres.Gigabyte},
		} {
			s.series.X, s.series.Y = append(s.series.X, at(x)), append(s.series.Y, s.y)
		}
	}
	cost.Series = append(cost.Series, alone, shared)
	use.Series = append(use.Series, used, usedShared)
	sent.Series = append(sent.Series, data)
}

// errorCharts are Fig. 9.
func (r *results) errorCharts(list []plannerName) []svgplot.Chart {
	if len(r.o.errors) < 2 {
		return nil
	}
	const x = "error of the predicted demand, up to, percent"
	cost := svgplot.Chart{Title: "Cost by error", X: x, Y: "dollars"}
	use := svgplot.Chart{Title: "Use of what is reserved, by error", X: x, Y: "percent"}
	for _, p := range list {
		lines(&cost, &use, new(svgplot.Chart), p.String(), r.erred[p], func(x *outcome) float64 { return 100 * x.Error })
	}
	return []svgplot.Chart{cost, use}
}

// sweepCharts are Fig. 10.
func (r *results) sweepCharts(list []plannerName) []svgplot.Chart {
	if list == nil {
		return nil
	}
	x := fmt.Sprintf("hours that are seen; a reservation lasts %d", centres.Term)
	cost := svgplot.Chart{Title: "Rolling horizons: cost", X: x, Y: "dollars"}
	use := svgplot.Chart{Title: "Rolling horizons: use of what is reserved", X: x, Y: "percent"}
	sent := svgplot.Chart{Title: "Rolling horizons: data sent", X: x, Y: "GB"}
	near := svgplot.Chart{Title: "Rolling horizons: cost, of two terms at most", X: x, Y: "dollars"}
	for _, p := range list {
		lambda := func(x *outcome) float64 { return float64(x.Lambda) }
		lines(&cost, &use, &sent, p.String(), r.sweep[p], lambda)
		dense := slices.DeleteFunc(slices.Clone(r.sweep[p]), func(x *outcome) bool { return x.Lambda > denseUntil })
		lines(&near, new(svgplot.Chart), new(svgplot.Chart), p.String(), dense, lambda)
	}
	return []svgplot.Chart{near, cost, use, sent}
}
