package svgplot

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Names stand right of a panel, each at the height at which what it names ends, and in its
// colour, with a sample before it: no legend covers data. What has no end, such as bars, is
// named from the top down.

// A name is what a line, an area or a mark stands for.
type name struct {
	lines  []string
	colour color.Color
	y      float64 // in units of the axis; NaN: no place of its own
	sample shape
	dashes []vg.Length
}

// A shape is what a sample looks like.
type shape int

const (
	box shape = iota
	stroke
	dot
	ring
)

const (
	nameSize   = vg.Length(9)
	nameHeight = vg.Length(11)
	sampleWide = vg.Length(9)
	nameGap    = vg.Length(8) // from the panel
)

// name names what a sample shows.
func (p *panel) name(text string, sample plot.Thumbnailer) {
	n := name{lines: wrap(line(text)), y: math.NaN(), colour: inkColour}
	end := func(xys plotter.XYs) {
		for i, v := range xys {
			if i == 0 || v.X >= xys[0].X {
				n.y, xys[0].X = v.Y, max(v.X, xys[0].X)
			}
		}
	}
	switch s := sample.(type) {
	case *plotter.Line:
		end(slices.Clone(s.XYs))
		n.colour, n.sample, n.dashes = s.Color, stroke, s.Dashes
		if s.FillColor != nil {
			n.colour, n.sample = s.FillColor, box
		}
	case *plotter.Scatter:
		n.colour, n.sample = s.GlyphStyle.Color, dot
		if _, ok := s.GlyphStyle.Shape.(draw.RingGlyph); ok {
			n.sample = ring
		}
	case *plotter.BarChart:
		n.colour = s.Color
	case *plotter.Polygon:
		n.colour = s.Color
	}
	p.names = append(p.names, n)
}

// wrap breaks a name that is long into two lines.
func wrap(s string) []string {
	if len(s) <= 24 {
		return []string{s}
	}
	best := -1
	for i, r := range s {
		if r == ' ' && i > 0 && (best < 0 || abs(2*i-len(s)) < abs(2*best-len(s))) {
			best = i
		}
	}
	if best < 0 {
		return []string{s}
	}
	return []string{s[:best], strings.TrimSpace(s[best:])}
}

func abs(i int) int { return max(i, -i) }

func (n *name) style(p *panel) text.Style {
	style := p.X.Tick.Label
	style.Font = typeface
	style.Font.Size = nameSize
	style.Color = textColour(n.colour)
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	return style
}

// namesWidth is the room that the names of a panel take.
func (p *panel) namesWidth() (width vg.Length) {
	for i := range p.names {
		style := p.names[i].style(p)
		for _, l := range p.names[i].lines {
			width = max(width, nameGap+sampleWide+4+style.Width(l))
		}
	}
	return width
}

// drawNames draws the names right of a panel that was drawn on c.
func (p *panel) drawNames(c draw.Canvas) {
	if len(p.names) == 0 {
		return
	}
	data := p.DataCanvas(c)
	_, y := p.Transforms(&data)
	type placed struct {
		*name
		middle, half vg.Length
	}
	var list []placed
	next := data.Max.Y // for what has no place, from the top down
	for i := range p.names {
		n := &p.names[i]
		half := nameHeight * vg.Length(len(n.lines)) / 2
		at := next - half
		if n.y == n.y && !math.IsInf(n.y, 0) {
			at = min(data.Max.Y-half, max(data.Min.Y+half, y(n.y)))
		} else {
			next -= 2 * half
		}
		list = append(list, placed{n, at, half})
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		switch {
		case a.middle > b.middle:
			return -1
		case a.middle < b.middle:
			return 1
		}
		return 0
	})
	for i := 1; i < len(list); i++ { // down, apart from each other
		list[i].middle = min(list[i].middle, list[i-1].middle-list[i-1].half-list[i].half)
	}
	low := data.Min.Y
	for i := len(list) - 1; i >= 0; i-- { // and up again, from the bottom
		list[i].middle = max(list[i].middle, low+list[i].half)
		low = list[i].middle + list[i].half
	}
	x := data.Max.X + nameGap
	for _, n := range list {
		at := vg.Point{X: x, Y: n.middle}
		line := draw.LineStyle{Color: n.colour, Width: vg.Points(1.6), Dashes: n.dashes}
		switch n.sample {
		case box:
			c.FillPolygon(n.colour, []vg.Point{{X: x, Y: at.Y - 3.5}, {X: x + 7, Y: at.Y - 3.5}, {X: x + 7, Y: at.Y + 3.5}, {X: x, Y: at.Y + 3.5}})
		case stroke:
			c.StrokeLine2(line, x, at.Y, x+sampleWide, at.Y)
		case dot:
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: n.colour, Radius: 2.6, Shape: draw.CircleGlyph{}}, vg.Point{X: x + 3.5, Y: at.Y})
		case ring:
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: n.colour, Radius: 3, Shape: draw.RingGlyph{}}, vg.Point{X: x + 3.5, Y: at.Y})
		}
		style := n.style(p)
		for k, l := range n.lines {
			c.FillText(style, vg.Point{X: x + sampleWide + 4, Y: at.Y + nameHeight*(vg.Length(len(n.lines)-1)/2-vg.Length(k))}, l)
		}
	}
}
