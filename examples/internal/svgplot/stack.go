package svgplot

import (
	"fmt"
	"image/color"
	"io"
	"strings"
	"time"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// A Stack is a demand, the layers of reservations that serve it from the bottom
// up, and what was bought when.
type Stack struct {
	Title    string
	From, To time.Duration // To is later
	Demand   []steps.Point
	Reserved []steps.Point // in use or not; nil: there is none
	Layers   []Layer
	Marks    []Mark
}

// A Layer is the demand that a class of reservations serves, with what all layers
// below it serve. The last is at most the demand.
type Layer struct {
	Name   string
	Points []steps.Point
}

// A Mark is a purchase of Count reservations of the class of a layer.
type Mark struct {
	At           time.Duration
	Layer, Count int
}

// layerColours are told apart by colour, and neighbours in grey, too. With more
// layers they recur.
var layerColours = [...]color.RGBA{
	{0x1d, 0x4f, 0x82, 0xff}, {0x5f, 0xa3, 0xd6, 0xff}, {0x1c, 0x7a, 0x5a, 0xff}, {0x8f, 0xcf, 0xa0, 0xff},
	{0x6a, 0x3d, 0x8f, 0xff}, {0xc0, 0xa0, 0xdc, 0xff}, {0x8a, 0x3b, 0x3b, 0xff}, {0xd9, 0xb3, 0x8c, 0xff},
}

var (
	reservedColour = color.RGBA{0xd4, 0xd4, 0xd4, 0xff}
	outlineColour  = color.RGBA{0x30, 0x30, 0x30, 0xff}
)

func layerColour(i int) color.RGBA { return layerColours[i%len(layerColours)] }

// markColumns is how many purchases of a class are seen side by side.
const markColumns = 240

// WriteStack draws s to w: all of the time, where that is long the five days with
// the largest demand, and the purchases.
func WriteStack(w io.Writer, s Stack) error {
	s.Title = line(s.Title)
	whole, err := newStackPlot(s)
	if err != nil {
		return err
	}
	panels := []*plot.Plot{whole}
	if s.To-s.From > long {
		zoom := s
		zoom.From = busiest(Picture{From: s.From, To: s.To, Busy: s.Demand})
		zoom.To = zoom.From + window
		zoom.Title = fmt.Sprintf("The five days with the largest demand, from day %d", zoom.From/day)
		drawn, err := newStackPlot(zoom)
		if err != nil {
			return err
		}
		panels = append(panels, drawn)
	}
	if len(s.Marks) > 0 {
		drawn, err := newMarkPlot(s)
		if err != nil {
			return err
		}
		panels = append(panels, drawn)
	}
	return write(w, panels)
}

// newStackPlot draws the layers.
func newStackPlot(s Stack) (*plot.Plot, error) {
	p := plot.New()
	clock := scale.NewClock(s.To-s.From, 12)
	panel := Picture{From: s.From, To: s.To}
	read := panel.points
	unit, edge := "instances", vg.Points(.6)
	if max(len(panel.points(s.Demand, clock)), len(panel.points(s.Reserved, clock))) > 2*columns {
		// More than an eye can follow.
		read = panel.peaks
		unit += fmt.Sprintf(" (peaks in %s)", approximate((s.To-s.From)/columns))
		edge = vg.Points(.3)
	}
	peak := 0.
	// From the back to the front; the legend lists them from the top.
	add := func(points []steps.Point, fill, outline color.Color, width vg.Length) (*plotter.Line, error) {
		xys := read(points, clock)
		for _, v := range xys {
			peak = max(peak, v.Y)
		}
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.StepStyle, line.FillColor = plotter.PostStep, fill
		line.Width = width
		if outline != nil {
			line.Color = outline
		}
		p.Add(line)
		return line, nil
	}
	p.Legend.Top, p.Legend.Left = true, true
	if s.Reserved != nil {
		idle, err := add(s.Reserved, reservedColour, nil, 0)
		if err != nil {
			return nil, err
		}
		p.Legend.Add("reserved, not used", idle)
	}
	demand, err := add(s.Demand, idleColour, nil, 0)
	if err != nil {
		return nil, err
	}
	p.Legend.Add("on demand", demand)
	for i := len(s.Layers) - 1; i >= 0; i-- {
		layer, err := add(s.Layers[i].Points, layerColour(i), nil, 0)
		if err != nil {
			return nil, err
		}
		p.Legend.Add(line(s.Layers[i].Name), layer)
	}
	if _, err := add(s.Demand, nil, outlineColour, edge); err != nil {
		return nil, err
	}
	rows := 2 + len(s.Layers)
	p.Title.Text = s.Title
	p.X.Label.Text = since(clock)
	p.Y.Label.Text = unit
	finish(p, s.From, s.To, clock, int(peak), 1+.085*float64(rows))
	return p, nil
}

// newMarkPlot draws the purchases: a mark for each, as high as their number, or
// where they are too dense to be told apart one for all of a class in a while.
func newMarkPlot(s Stack) (*plot.Plot, error) {
	p := plot.New()
	clock := scale.NewClock(s.To-s.From, 12)
	p.Title.Text = "Purchases"
	p.X.Label.Text = since(clock)
	p.Y.Label.Text = "reservations"
	type key struct{ column, layer int }
	counts := make(map[key]int)
	at := make(map[key]time.Duration)
	var keys []key
	joined := false
	for _, m := range s.Marks {
		// float64 is exact enough for a column, and has no overflow
		k := key{int(float64(m.At-s.From) / float64(s.To-s.From) * markColumns), m.Layer}
		if _, ok := counts[k]; !ok {
			keys = append(keys, k)
			at[k] = m.At
		} else {
			joined = true
		}
		counts[k] += m.Count
	}
	if joined {
		p.Y.Label.Text += fmt.Sprintf(" (in %s)", approximate((s.To-s.From)/markColumns))
	}
	peak, rows := 0, 0
	p.Legend.Top, p.Legend.Left = true, true
	for i := len(s.Layers) - 1; i >= 0; i-- {
		var xys plotter.XYs
		for _, k := range keys {
			if k.layer == i {
				xys = append(xys, plotter.XY{X: clock.In(at[k]), Y: float64(counts[k])})
				peak = max(peak, counts[k])
			}
		}
		if xys == nil {
			continue
		}
		for _, v := range xys {
			stem, err := plotter.NewLine(plotter.XYs{{X: v.X, Y: 0}, v})
			if err != nil {
				return nil, err
			}
			stem.Color, stem.Width = layerColour(i), vg.Points(.8)
			p.Add(stem)
		}
		marks, err := plotter.NewScatter(xys)
		if err != nil {
			return nil, err
		}
		marks.Color, marks.Radius, marks.Shape = layerColour(i), vg.Points(2.2), draw.CircleGlyph{}
		p.Add(marks)
		p.Legend.Add(line(s.Layers[i].Name), marks)
		rows++
	}
	finish(p, s.From, s.To, clock, peak, 1+.085*float64(max(1, rows)))
	return p, nil
}

func since(clock scale.Clock) string {
	return fmt.Sprintf("time since the start of the demand (%s)", clock.Name)
}

// line makes a text fit for one line of a picture.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return s
}
