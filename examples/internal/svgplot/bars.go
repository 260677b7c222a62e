package svgplot

import (
	"bytes"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
)

// Bars compares groups, each with a bar for each series.
type Bars struct {
	Title, Unit string
	Groups      []string // below the bars
	Parts       []string // in the legend: what the parts of a bar are, or else the series
	Bars        [][]Bar  // by group, then by series
}

// A Bar is as high as the sum of its parts, none of them negative. A part whose
// spread is positive has a line through its upper end from that much below to that
// much above; Spreads has as many as there are parts, or none. A bar with one part
// has the colour of its series, others the colours of their parts.
type Bar struct {
	Parts, Spreads []float64
}

// barColours are told apart in grey, too.
var barColours = [...]color.RGBA{
	{0x3b, 0x7e, 0xb5, 0xff}, {0xf7, 0xc9, 0x9b, 0xff}, {0x8a, 0x3b, 0x3b, 0xff}, {0x8f, 0xcf, 0xa0, 0xff}, {0x6a, 0x3d, 0x8f, 0xff},
}

func barColour(i int) color.RGBA { return barColours[i%len(barColours)] }

// barsWidth is the part of a group's place that its bars take.
const barsWidth = .8

// WriteBars draws rows of panels to w, all rows with as many.
func WriteBars(w io.Writer, rows [][]Bars) error {
	plots := make([][]*plot.Plot, len(rows))
	for i, row := range rows {
		for _, b := range row {
			p, err := newBarPlot(b)
			if err != nil {
				return err
			}
			plots[i] = append(plots[i], p)
		}
	}
	columns := len(rows[0])
	width := vg.Length(columns) * pictureWidth
	if columns > 1 {
		width *= .75
	}
	canvas := vgsvg.New(width, vg.Length(len(rows))*panelHeight)
	tiles := draw.Tiles{
		Rows: len(rows), Cols: columns,
		PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14, PadX: 18, PadY: 14,
	}
	for i, row := range plot.Align(plots, tiles, draw.New(canvas)) {
		for k := range row {
			plots[i][k].Draw(row[k])
		}
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"), []byte(families)))
	return err
}

func newBarPlot(b Bars) (*plot.Plot, error) {
	p := plot.New()
	top := 0.0
	legend := make([]plot.Thumbnailer, len(b.Parts))
	for g, bars := range b.Bars {
		width := barsWidth / float64(len(bars))
		for k, bar := range bars {
			left := float64(g) - barsWidth/2 + float64(k)*width
			height := 0.0
			for i, part := range bar.Parts {
				box, err := plotter.NewPolygon(plotter.XYs{
					{X: left, Y: height}, {X: left + width, Y: height}, {X: left + width, Y: height + part}, {X: left, Y: height + part},
				})
				if err != nil {
					return nil, err
				}
				series := i
				if len(bar.Parts) == 1 {
					series = k
				}
				box.Color = barColour(series)
				box.LineStyle = draw.LineStyle{Color: edgeColour, Width: vg.Points(.4)}
				p.Add(box)
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
				if spread > height*1e-9 { // not the rounding of equal values
					x := left + width*float64(i+1)/float64(len(bar.Spreads)+1)
					if err := addSpread(p, x, width/float64(3+3*len(bar.Spreads)), height, spread); err != nil {
						return nil, err
					}
					top = max(top, height+spread)
				}
			}
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	for i, name := range b.Parts {
		if legend[i] != nil {
			p.Legend.Add(line(name), legend[i])
		}
	}
	ticks := make([]plot.Tick, len(b.Groups))
	for i, name := range b.Groups {
		ticks[i] = plot.Tick{Value: float64(i), Label: line(name)}
	}
	p.Title.Text, p.Y.Label.Text = line(b.Title), b.Unit
	step := barStep(top)
	places := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		for i := 0; float64(i)*step <= top; i++ {
			y := float64(i) * step
			// The space keeps the label from the tick.
			ticks = append(ticks, plot.Tick{Value: y, Label: decimal.Grouped(decimal.Fixed(y, places)) + " "})
		}
		return ticks
	})
	p.X.Min, p.X.Max = -.5, float64(len(b.Groups))-.5
	p.Y.Min, p.Y.Max = 0, (1+.07*float64(1+len(b.Parts)))*max(top, step)
	style(p)
	p.X.Tick.LineStyle.Color = color.White // only there to keep the names from the axis
	p.X.Tick.Length = 4
	return p, nil
}

// addSpread draws a line of spread up and down from y.
func addSpread(p *plot.Plot, x, half, y, spread float64) error {
	for _, xys := range []plotter.XYs{
		{{X: x, Y: max(0, y-spread)}, {X: x, Y: y + spread}},
		{{X: x - half, Y: y + spread}, {X: x + half, Y: y + spread}},
		{{X: x - half, Y: max(0, y-spread)}, {X: x + half, Y: max(0, y-spread)}},
	} {
		l, err := plotter.NewLine(xys)
		if err != nil {
			return err
		}
		l.Width, l.Color = vg.Points(.8), outlineColour
		p.Add(l)
	}
	return nil
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
