package svgplot

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Chart is one panel of bars, lines or points.
type Chart struct {
	Title, X, Y string
	// Labels, if not nil, are the places along X: each series is drawn as a bar at
	// each place, side by side.
	Labels []string
	Series []Series
}

// A Series is what one colour stands for. X and Y have one length; bars have no X and
// as many Y as there are labels. Values that are not finite are not drawn.
type Series struct {
	Name   string
	X, Y   []float64
	Points bool // no lines between them
	Steps  bool // a line without points: each value lasts until the next one
}

// WriteCharts draws charts below each other to w.
func WriteCharts(w io.Writer, charts []Chart) error {
	panels := make([]*plot.Plot, len(charts))
	for i, c := range charts {
		var err error
		if panels[i], err = newChart(c); err != nil {
			return err
		}
	}
	return write(w, panels)
}

func newChart(c Chart) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = line(c.Title), line(c.X), line(c.Y)
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	entries := 0 // of the legend
	for i, s := range c.Series {
		var sample plot.Thumbnailer
		var err error
		if c.Labels != nil {
			sample, err = addBars(p, c, i)
		} else {
			sample, err = addCurve(p, s, i)
		}
		if err != nil {
			return nil, err
		}
		if sample != nil && s.Name != "" {
			p.Legend.Add(line(s.Name), sample)
			entries++
		}
	}
	if c.Labels != nil {
		labels := make([]string, len(c.Labels))
		for i, l := range c.Labels {
			labels[i] = line(l)
		}
		p.NominalX(labels...)
	}
	if c.Labels != nil {
		p.Y.Min, p.Y.Max = min(p.Y.Min, 0), max(p.Y.Max, 0) // bars begin at 0
		p.X.Min, p.X.Max = -.5, float64(len(c.Labels))-.5
	} else {
		p.X.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick { return ticks(from, to, 12, 0) })
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		if !(a.Max > a.Min) { // one value, or none
			if math.IsInf(a.Min, 0) {
				a.Min, a.Max = 0, 0
			}
			a.Min, a.Max = a.Min-.5, a.Max+.5
		}
	}
	room := .07 // of an entry of the legend
	if c.Labels != nil {
		room = .1 // bars are as high over all of their place
	}
	p.Y.Max += (.04 + room*float64(entries)) * (p.Y.Max - p.Y.Min)
	p.Y.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick { return ticks(from, to, 7, 0) })
	style(p)
	return p, nil
}

// placeWidth is what the bars of one place take together.
const placeWidth = 60

func addBars(p *plot.Plot, c Chart, i int) (plot.Thumbnailer, error) {
	width := vg.Points(placeWidth) / vg.Length(len(c.Series)) * vg.Length(min(1, 8/float64(len(c.Labels))))
	values := make(plotter.Values, len(c.Series[i].Y))
	for k, y := range c.Series[i].Y {
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			values[k] = y
		}
	}
	bars, err := plotter.NewBarChart(values, width)
	if err != nil {
		return nil, err
	}
	bars.Color, bars.LineStyle.Width = layerColour(i), vg.Points(.3)
	bars.Offset = width * vg.Length(2*i+1-len(c.Series)) / 2
	p.Add(bars)
	return bars, nil
}

func addCurve(p *plot.Plot, s Series, i int) (plot.Thumbnailer, error) {
	var xys plotter.XYs
	for k, y := range s.Y {
		if x := s.X[k]; !math.IsNaN(x+y) && !math.IsInf(x+y, 0) {
			xys = append(xys, plotter.XY{X: x, Y: y})
		}
	}
	if len(xys) == 0 {
		return nil, nil
	}
	points, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	points.Color, points.Radius, points.Shape = layerColour(i), vg.Points(2), draw.CircleGlyph{}
	if s.Points {
		p.Add(points)
		return points, nil
	}
	drawn, err := plotter.NewLine(xys)
	if err != nil {
		return nil, err
	}
	drawn.Color, drawn.Width = layerColour(i), vg.Points(1.2)
	if s.Steps {
		drawn.StepStyle = plotter.PostStep
		p.Add(drawn)
		return drawn, nil
	}
	p.Add(drawn, points)
	return drawn, nil
}
