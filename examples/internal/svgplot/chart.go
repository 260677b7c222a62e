package svgplot

import (
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// A Chart is one panel of bars, lines or points.
type Chart struct {
	Title, X, Y string
	// Labels, if not nil, are the places along X: each series is drawn as a bar at
	// each place, side by side.
	Labels []string
	Series []Series
	// LogX and LogY have powers of ten at equal distances. Values that are not above
	// 0 are not drawn then. Bars have no logarithms.
	LogX, LogY bool
}

// A Series is what one colour stands for. X and Y have one length; bars have no X and
// as many Y as there are labels. Values that are not finite are not drawn.
type Series struct {
	Name   string
	X, Y   []float64
	Points bool // no lines between them
	Steps  bool // a line without points: each value lasts until the next one
	Rings  bool // points as black rings, to be seen around others
	// Low and High, if not nil, are the ends of an interval around each value, drawn
	// as a bar if both are finite. Only where there are no labels.
	Low, High []float64
}

// WriteCharts draws charts below each other to w.
func WriteCharts(w io.Writer, charts []Chart) error {
	var panels []*panel
	for _, c := range charts {
		panels = append(panels, c.panel())
	}
	return write(w, column(panels)...)
}

func (c *Chart) panel() *panel {
	p := newPanel(c.Title, c.X, line(c.Y))
	bars := c.Labels != nil
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColour, gridColour
	p.Add(grid)
	for i, s := range c.Series {
		var sample plot.Thumbnailer
		if bars {
			sample = c.addBars(p, i)
		} else {
			sample = c.addCurve(p, s, i)
		}
		if sample != nil && s.Name != "" {
			p.name(s.Name, sample)
		}
	}
	if bars {
		labels := make([]string, len(c.Labels))
		for i, l := range c.Labels {
			labels[i] = line(l)
		}
		p.NominalX(labels...)
		p.X.Min, p.X.Max = -.5, float64(len(c.Labels))-.5
	} else {
		p.X.Tick.Marker = ticker(12, 0)
	}
	for i, a := range []*plot.Axis{&p.X, &p.Y} {
		if ![...]bool{c.LogX, c.LogY}[i] || bars {
			if !(a.Max > a.Min) { // one value, or none
				if math.IsInf(a.Min, 0) {
					a.Min, a.Max = 0, 0
				}
				a.Min, a.Max = a.Min-.5, a.Max+.5
			}
		}
	}
	p.Y.Tick.Marker = ticker(7, 0)
	if c.LogX && !bars {
		logarithmic(&p.X, 1)
	}
	if c.LogY && !bars {
		logarithmic(&p.Y, headroom)
	} else {
		p.Y.Max += (headroom - 1) * (p.Y.Max - p.Y.Min)
	}
	p.style()
	return p
}

// meanings are the colours of what has the same colour in all pictures.
var meanings = map[string]color.RGBA{
	"on demand": demandColour, "demand": inkColour, "equal": softColour, "spot price": priceColour,
}

// colour is that of a series: what its name means, else its own, after those before it.
func (c *Chart) colour(i int) color.RGBA {
	if m, ok := meanings[c.Series[i].Name]; ok {
		return m
	}
	own := 0
	for _, s := range c.Series[:i] {
		if _, ok := meanings[s.Name]; !ok {
			own++
		}
	}
	return classColour(own)
}

// placeWidth is what the bars of one place take together.
const placeWidth = 60

func (c *Chart) addBars(p *panel, i int) plot.Thumbnailer {
	width := vg.Points(placeWidth) / vg.Length(len(c.Series)) * vg.Length(min(1, 8/float64(len(c.Labels))))
	values := make(plotter.Values, len(c.Series[i].Y))
	for k, y := range c.Series[i].Y {
		if finite(y) {
			values[k] = y
		}
	}
	bars, err := plotter.NewBarChart(values, width)
	return drawn(p, bars, err, func(b *plotter.BarChart) {
		b.Color, b.LineStyle.Width = c.colour(i), vg.Points(.3)
		b.Offset = width * vg.Length(2*i+1-len(c.Series)) / 2
	})
}

// logarithmic makes an axis of values above 0 one of powers of ten, longer by the
// given factor.
func logarithmic(a *plot.Axis, longer float64) {
	switch {
	case !(a.Min > 0) || math.IsInf(a.Min, 0): // nothing is drawn
		a.Min, a.Max = 1, 10
	case !(a.Max > a.Min): // one value
		a.Min, a.Max = a.Min/2, 2*a.Max
	}
	a.Scale = plot.LogScale{}
	a.Max = a.Min * math.Pow(a.Max/a.Min, longer)
	a.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick { return powers(from, to) })
}

// powers returns round numbers from one to another, at equal factors: powers of ten,
// of as many as fit, or 2 and 5 times these where there are few.
func powers(from, to float64) (list []plot.Tick) {
	decades := math.Log10(to / from)
	steps := []float64{1}
	if decades < 2.5 {
		steps = []float64{1, 2, 5}
	}
	every := max(1, int(math.Ceil(decades/10)))
	for e := int(math.Floor(math.Log10(from))); e <= int(math.Ceil(math.Log10(to))); e++ {
		for _, m := range steps {
			v := m * math.Pow(10, float64(e))
			if v < from*(1-1e-9) || v > to*(1+1e-9) || e%every != 0 {
				continue
			}
			label := strconv.FormatFloat(v, 'g', 6, 64)
			if e >= -6 && e < 12 {
				label = decimal.Grouped(decimal.Fixed(v, max(0, -e)))
			}
			list = append(list, plot.Tick{Value: v, Label: label})
		}
	}
	return list
}

// intervals are bars from Low to High around points.
type intervals struct {
	plotter.XYs
	plotter.YErrors
}

func (c *Chart) addCurve(p *panel, s Series, i int) plot.Thumbnailer {
	var xys plotter.XYs
	var bars intervals
	for k, y := range s.Y {
		x := s.X[k]
		if !finite(x+y) || c.LogX && x <= 0 || c.LogY && y <= 0 {
			continue
		}
		xys = append(xys, plotter.XY{X: x, Y: y})
		if s.Low == nil {
			continue
		}
		if low, high := s.Low[k], s.High[k]; low <= y && y <= high && finite(high-low) && !(c.LogY && low <= 0) {
			bars.XYs = append(bars.XYs, plotter.XY{X: x, Y: y})
			bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{y - low, high - y})
		}
	}
	if len(bars.XYs) > 0 {
		errors, err := plotter.NewYErrorBars(bars)
		drawn(p, errors, err, func(e *plotter.YErrorBars) {
			e.Color, e.Width, e.CapWidth = c.colour(i), vg.Points(.6), vg.Points(3)
		})
	}
	switch {
	case len(xys) == 0:
		return nil
	case s.Rings:
		return p.dots(xys, inkColour, 3.6, draw.RingGlyph{})
	case s.Points:
		return p.dots(xys, c.colour(i), 2, draw.CircleGlyph{})
	case s.Steps:
		return p.steps(xys, nil, c.colour(i), 1.2)
	}
	drawn := p.line(xys, c.colour(i), 1.2)
	p.dots(xys, c.colour(i), 2, draw.CircleGlyph{})
	return drawn
}
