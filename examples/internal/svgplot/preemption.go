package svgplot

import (
	"image/color"
	"io"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
)

// A Preemption is what preemptions waste, and by what values. Parts that are empty
// are not drawn.
type Preemption struct {
	Violins []Violins
	Maps    []HeatMap
	Sums    []Sums
}

// Violins are distributions side by side: a cluster for each group, and in it a
// violin for each set.
type Violins struct {
	Title, Unit string
	Groups      []string
	Sets        []ViolinSet
}

// A ViolinSet has a violin for each group.
type ViolinSet struct {
	Name    string
	Violins []Violin
}

// A Violin is a distribution of amounts that are not negative: how frequent they
// are in equal steps from 0 on, and its quartiles.
type Violin struct {
	Step             float64
	Frequency        []float64
	P25, Median, P75 float64
}

// A HeatMap has a row for each node and a column for each of equal spans of time,
// the values, from 0 to 1, column by column. Frames are parts of it to be seen.
type HeatMap struct {
	Title    string
	From, To time.Duration
	Columns  [][]float64
	Frames   []Frame
}

// A Frame is columns and rows, the last of each not included.
type Frame struct{ Column, ToColumn, Row, ToRow int }

// Sums are amounts that rise with time.
type Sums struct {
	Title, Unit string
	Curves      []SumCurve
}

// A SumCurve is an amount at moments.
type SumCurve struct {
	Name   string
	At     []time.Duration
	Values []float64
}

// WritePreemption draws p to w, one panel below the other.
func WritePreemption(w io.Writer, p Preemption) error {
	var panels []*panel
	for _, v := range p.Violins {
		panels = append(panels, v.panel())
	}
	for _, m := range p.Maps {
		panels = append(panels, m.panel())
	}
	for _, s := range p.Sums {
		panels = append(panels, s.panel())
	}
	return write(w, column(panels)...)
}

func (v *Violins) panel() *panel {
	p := newPanel(v.Title, "the bar is from the first to the third quartile, the dot the median", v.Unit)
	width := .8 / float64(max(1, len(v.Sets)))
	peak := 0.
	for s, set := range v.Sets {
		for g, violin := range set.Violins {
			centre := float64(g) + (float64(s)-float64(len(v.Sets)-1)/2)*width
			most := 0.
			for _, f := range violin.Frequency {
				most = max(most, f)
			}
			if most == 0 {
				continue
			}
			peak = max(peak, violin.Step*float64(len(violin.Frequency)))
			var right, outline plotter.XYs
			for i, f := range violin.Frequency {
				half, y := width*.46*f/most, violin.Step*float64(i)
				right = append(right, plotter.XY{X: half, Y: y}, plotter.XY{X: half, Y: y + violin.Step})
			}
			for _, v := range right {
				outline = append(outline, plotter.XY{X: centre + v.X, Y: v.Y})
			}
			for _, v := range slices.Backward(right) {
				outline = append(outline, plotter.XY{X: centre - v.X, Y: v.Y})
			}
			area := p.polygon(outline, classColour(s), nil, 0)
			if g == 0 {
				p.name(set.Name, area)
			}
			p.line(plotter.XYs{{X: centre, Y: violin.P25}, {X: centre, Y: violin.P75}}, inkColour, 1.6)
			p.dots(plotter.XYs{{X: centre, Y: violin.Median}}, color.White, 1.4, draw.CircleGlyph{})
		}
	}
	p.overTime(0, time.Hour, scale.NewClock(time.Hour, 12), int(math.Ceil(peak)))
	p.places(v.Groups)
	return p
}

// shades are the values 0, and then equal parts of (0, 1], as light to dark. Cells
// of one shade in a row are drawn as one.
var shades = [...]color.Gray{{255}, {235}, {210}, {185}, {160}, {130}, {100}, {65}, {25}}

func shade(v float64) int {
	if v <= 0 {
		return 0
	}
	return min(len(shades)-1, 1+int(v*float64(len(shades)-1)))
}

// cells draws a heat map. It is a [plot.Plotter].
type cells struct {
	HeatMap
	clock scale.Clock
}

func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(column int) vg.Length {
		part := float64(column) / float64(len(m.Columns))
		return x(m.clock.In(m.From)*(1-part) + m.clock.In(m.To)*part)
	}
	box := func(from, to int, row, toRow int) []vg.Point {
		a, b, lo, hi := at(from), at(to), y(float64(row)), y(float64(toRow))
		return []vg.Point{{X: a, Y: lo}, {X: b, Y: lo}, {X: b, Y: hi}, {X: a, Y: hi}}
	}
	for row := range m.Columns[0] {
		from := 0
		for k := 1; k <= len(m.Columns); k++ {
			s := shade(m.Columns[from][row])
			if k < len(m.Columns) && shade(m.Columns[k][row]) == s {
				continue
			}
			if s > 0 {
				c.FillPolygon(shades[s], box(from, k, row, row+1))
			}
			from = k
		}
	}
	for _, f := range m.Frames {
		b := box(f.Column, f.ToColumn, f.Row, f.ToRow)
		c.StrokeLines(draw.LineStyle{Color: demandColour, Width: vg.Points(1.4)}, append(b, b[0]))
	}
}

func (m *HeatMap) panel() *panel {
	clock := scale.NewClock(m.To-m.From, 12)
	p := newPanel(m.Title, "time since the start ("+clock.Name+")", "node")
	p.Add(cells{*m, clock})
	nodes := len(m.Columns[0])
	p.overTime(m.From, m.To, clock, nodes)
	p.Y.Max = float64(nodes)
	return p
}

func (s *Sums) panel() *panel {
	var last time.Duration
	peak := 0.
	for _, c := range s.Curves {
		for i, at := range c.At {
			last, peak = max(last, at), max(peak, c.Values[i])
		}
	}
	clock := scale.NewClock(last, 12)
	p := newPanel(s.Title, "time since the start ("+clock.Name+")", s.Unit)
	for k, c := range s.Curves {
		xys := make(plotter.XYs, len(c.At))
		for i, at := range c.At {
			xys[i] = plotter.XY{X: clock.In(at), Y: c.Values[i]}
		}
		var dashes []vg.Length
		if k%2 == 1 {
			dashes = []vg.Length{vg.Points(5), vg.Points(2)}
		}
		p.name(c.Name, p.line(xys, classColour(k), 1.4, dashes...))
	}
	p.overTime(0, max(last, time.Second), clock, int(math.Ceil(peak)))
	return p
}
