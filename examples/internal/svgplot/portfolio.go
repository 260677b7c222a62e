package svgplot

import (
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
)

// A Portfolio is the reservations that are active over time, and what is needed.
type Portfolio struct {
	Title  string
	To     time.Duration // from 0, which is before
	Layers []Layer       // reservations active by class, each with all below it
	Curves []Curve
	Marks  []Mark // if there are any, they have a panel of their own
}

// A Curve is a value, not below 0, for each of equal spans from 0 on. What is not
// finite is not drawn.
type Curve struct {
	Name   string
	Kind   CurveKind
	Span   time.Duration
	Values []float64
}

// A CurveKind is what a curve looks like.
type CurveKind int

const (
	Main     CurveKind = iota // the eye goes to it
	Extreme                   // thin
	Foreseen                  // dashed
)

// curveColours are seen on layers, and beside them.
var curveColours = [...]color.RGBA{
	Main: {0xe8, 0x59, 0x0c, 0xff}, Extreme: {0x7a, 0x2e, 0x00, 0xff}, Foreseen: {0x20, 0x20, 0x20, 0xff},
}

// WritePortfolios draws the portfolios to w, below each other.
func WritePortfolios(w io.Writer, list []Portfolio) error {
	var panels []*plot.Plot
	for _, f := range list {
		p, err := newPortfolioPlot(f)
		if err != nil {
			return err
		}
		panels = append(panels, p)
		if len(f.Marks) > 0 {
			if p, err = newMarkPlot(Stack{To: f.To, Layers: f.Layers, Marks: f.Marks}); err != nil {
				return err
			}
			panels = append(panels, p)
		}
	}
	return write(w, panels)
}

func newPortfolioPlot(f Portfolio) (*plot.Plot, error) {
	p := plot.New()
	clock := scale.NewClock(f.To, 12)
	panel := Picture{To: f.To}
	p.Legend.Top, p.Legend.Left = true, true
	peak := 0.
	for i := len(f.Layers) - 1; i >= 0; i-- { // from the back to the front
		points := f.Layers[i].Points
		xys := panel.points(points, clock)
		if len(xys) > 2*columns { // more than an eye can follow
			xys = panel.peaks(points, clock)
		}
		area, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		for _, v := range xys {
			peak = max(peak, v.Y)
		}
		area.StepStyle, area.FillColor, area.Width = plotter.PostStep, layerColour(i), 0
		p.Add(area)
		p.Legend.Add(line(f.Layers[i].Name)+", active", area)
	}
	for _, c := range f.Curves {
		name, values, span := line(c.Name), c.Values, c.Span
		if n := (len(values) + columns - 1) / columns; n > 1 {
			values, span = means(values, n), time.Duration(n)*span
			name += fmt.Sprintf(" (means of %s)", approximate(span))
		}
		legend := false
		for _, piece := range finitePieces(values) {
			for _, v := range piece {
				peak = max(peak, v.Y)
			}
			xys := make(plotter.XYs, len(piece)+1)
			for j, v := range piece {
				xys[j] = plotter.XY{X: clock.In(time.Duration(v.X) * span), Y: v.Y}
			}
			end := piece[len(piece)-1]
			xys[len(piece)] = plotter.XY{X: clock.In(min(f.To, time.Duration(end.X+1)*span)), Y: end.Y}
			drawn, err := plotter.NewLine(xys)
			if err != nil {
				return nil, err
			}
			drawn.StepStyle, drawn.Color, drawn.Width = plotter.PostStep, curveColours[c.Kind], vg.Points(1.1)
			switch c.Kind {
			case Extreme:
				drawn.Width = vg.Points(.5)
			case Foreseen:
				drawn.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
			}
			p.Add(drawn)
			if !legend {
				p.Legend.Add(name, drawn)
				legend = true
			}
		}
	}
	p.Title.Text = line(f.Title)
	p.X.Label.Text = since(clock)
	p.Y.Label.Text = "instances"
	finish(p, 0, f.To, clock, int(peak+.999), 1+.085*float64(len(f.Layers)+len(f.Curves)))
	return p, nil
}

// means returns the means of n values each, of those that are finite.
func means(values []float64, n int) []float64 {
	var out []float64
	for first := 0; first < len(values); first += n {
		sum, count := 0., 0
		for _, v := range values[first:min(len(values), first+n)] {
			if v-v == 0 {
				sum += v
				count++
			}
		}
		out = append(out, sum/float64(count)) // NaN if there is none
	}
	return out
}

// finitePieces cuts a list at what is not finite. A value has its index for X.
func finitePieces(values []float64) []plotter.XYs {
	var list []plotter.XYs
	open := false
	for i, v := range values {
		if v-v != 0 {
			open = false
			continue
		}
		if !open {
			list = append(list, nil)
			open = true
		}
		last := &list[len(list)-1]
		*last = append(*last, plotter.XY{X: float64(i), Y: v})
	}
	return list
}
