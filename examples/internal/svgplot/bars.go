package svgplot

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// Bars compares groups, each with a bar for each series.
type Bars struct {
	Title, Unit string
	Groups      []string // below the bars
	Parts       []string // named beside the panel: what the parts of a bar are, or else the series
	Bars        [][]Bar  // by group, then by series
}

// A Bar is as high as the sum of its parts, none of them negative. A part whose
// spread is positive has a line through its upper end from that much below to that
// much above; Spreads has as many as there are parts, or none. A bar with one part
// has the colour of its series, others the colours of their parts.
type Bar struct {
	Parts, Spreads []float64
}

// barsWidth is the part of a group's place that its bars take.
const barsWidth = .8

// WriteBars draws rows of panels to w, all rows with as many.
func WriteBars(w io.Writer, rows [][]Bars) error {
	panels := make([][]*panel, len(rows))
	for i, row := range rows {
		for _, b := range row {
			panels[i] = append(panels[i], b.panel())
		}
	}
	return write(w, panels...)
}

func (b *Bars) panel() *panel {
	p := newPanel(b.Title, "", b.Unit)
	top := 0.0
	legend := make([]plot.Thumbnailer, len(b.Parts))
	for g, bars := range b.Bars {
		width := barsWidth / float64(len(bars))
		for k, bar := range bars {
			left := float64(g) - barsWidth/2 + float64(k)*width
			height := 0.0
			for i, part := range bar.Parts {
				series := i
				if len(bar.Parts) == 1 {
					series = k
				}
				box := p.polygon(plotter.XYs{
					{X: left, Y: height}, {X: left + width, Y: height}, {X: left + width, Y: height + part}, {X: left, Y: height + part},
				}, classColour(series), inkColour, .4)
				if series < len(legend) {
					legend[series] = box
				}
				height += part
			}
			top = max(top, height)
			// Above the boxes, beside each other.
			height = 0
			for i, spread := range bar.Spreads {
				height += bar.Parts[i]
				if spread <= height*1e-9 { // the rounding of equal values
					continue
				}
				x, half := left+width*float64(i+1)/float64(len(bar.Spreads)+1), width/float64(3+3*len(bar.Spreads))
				low, high := max(0, height-spread), height+spread
				for _, xys := range []plotter.XYs{
					{{X: x, Y: low}, {X: x, Y: high}}, {{X: x - half, Y: high}, {X: x + half, Y: high}}, {{X: x - half, Y: low}, {X: x + half, Y: low}},
				} {
					p.line(xys, inkColour, .8)
				}
				top = max(top, high)
			}
		}
	}
	for i, name := range b.Parts {
		if legend[i] != nil {
			p.name(name, legend[i])
		}
	}
	step := barStep(top)
	places := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	var ticks plot.ConstantTicks
	for i := 0; float64(i)*step <= top; i++ {
		y := float64(i) * step
		// The space keeps the label from the tick.
		ticks = append(ticks, plot.Tick{Value: y, Label: decimal.Grouped(decimal.Fixed(y, places)) + " "})
	}
	p.Y.Tick.Marker = ticks
	p.places(b.Groups)
	p.Y.Min, p.Y.Max = 0, headroom*max(top, step)
	p.style()
	p.X.Tick.LineStyle.Color = color.White // only there to keep the names from the axis
	p.X.Tick.Length = 4
	return p
}

// barStep returns a round distance of four to ten marks up to top.
func barStep(top float64) float64 {
	if !(top > 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(top)))
	switch {
	case top/step >= 5:
		return step
	case top/step >= 2:
		return step / 2
	}
	return step / 5
}
