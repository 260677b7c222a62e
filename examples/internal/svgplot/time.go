package svgplot

import (
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

const (
	day    = 24 * time.Hour
	window = 5 * day
	// long is from where on the window is shown.
	long = 10 * day
)

// A Picture is the instances held and busy over time.
type Picture struct {
	Title      string
	From, To   time.Duration // To is later
	Held, Busy []steps.Point // busy is at most held
}

// Write draws p to w: all of the time, and where that is long the five days with the
// most work.
func Write(w io.Writer, p Picture) error {
	panels := []*panel{p.panel()}
	if p.To-p.From > long {
		p.From = busiest(p)
		p.To = p.From + window
		p.Title = fmt.Sprintf("The five days with the most work, from day %d", p.From/day)
		panels = append(panels, p.panel())
	}
	return write(w, column(panels)...)
}

func (x *Picture) panel() *panel {
	s := newSpan(x.From, x.To)
	p := newPanel(x.Title, "time since the start of the log ("+s.clock.Name+")", "instances")
	edge := .5
	// More than an eye can follow: the edges would cover the areas.
	if dense := s.dense(x.Held, x.Busy); dense && x.To-x.From > long {
		p.Y.Label.Text, edge, s.peaks = s.unit(columns), .2, true
	}
	idle := p.steps(s.xys(x.Held), idleColour, nil, 0)
	p.name("used", p.steps(s.xys(x.Busy), classColour(0), nil, 0))
	p.name("idle or booting", idle)
	p.steps(s.xys(x.Held), nil, inkColour, edge)
	p.overTime(x.From, x.To, s.clock, int(s.peak))
	return p
}

// A timeSpan turns step functions into points of a panel over time.
type timeSpan struct {
	from, to time.Duration
	clock    scale.Clock
	peaks    bool    // show the greatest value in each column
	peak     float64 // the greatest value shown
}

func newSpan(from, to time.Duration) *timeSpan {
	return &timeSpan{from: from, to: to, clock: scale.NewClock(to-from, 12)}
}

// dense reports whether functions change more often than can be seen.
func (s *timeSpan) dense(list ...[]steps.Point) bool {
	for _, f := range list {
		if len(steps.AppendThin(nil, f, s.from, s.to, columns)) > 2*columns {
			return true
		}
	}
	return false
}

// unit says that instances are peaks within one of n parts of the time.
func (s *timeSpan) unit(n int) string {
	return fmt.Sprintf("instances (peaks in %s)", approximate((s.to-s.from)/time.Duration(n)))
}

// xys returns what the panel can show of a step function.
func (s *timeSpan) xys(f []steps.Point) plotter.XYs {
	var xys plotter.XYs
	if s.peaks {
		peaks := steps.AppendPeaks(nil, f, s.from, s.to, columns)
		for k := range columns + 1 {
			t := float64(k) / columns
			xys = append(xys, plotter.XY{X: s.clock.In(s.from)*(1-t) + s.clock.In(s.to)*t, Y: float64(peaks[min(k, columns-1)])})
		}
	} else {
		for _, p := range steps.AppendThin(nil, f, s.from, s.to, columns) {
			xys = append(xys, plotter.XY{X: s.clock.In(p.At), Y: float64(p.Value)})
		}
	}
	s.include(xys)
	return xys
}

func (s *timeSpan) include(xys plotter.XYs) {
	for _, v := range xys {
		s.peak = max(s.peak, v.Y)
	}
}

func (s *timeSpan) label() string { return "time since the start of the demand (" + s.clock.Name + ")" }

// busiest returns the start of the window with the most work, of those that
// begin with a day and end within p; the first of several.
func busiest(p Picture) time.Duration {
	first := (p.From + day - 1) / day
	days := int((p.To - first*day) / day)
	work := make([]int64, days) // instance-seconds
	for i, b := range p.Busy {
		from, to := b.At, p.To
		if i+1 < len(p.Busy) {
			to = p.Busy[i+1].At
		}
		from = max(from, first*day)
		for from < to {
			k := int(from/day - first)
			if k >= days {
				break
			}
			end := min(to, (first+time.Duration(k)+1)*day)
			work[k] += int64(b.Value) * int64((end-from)/time.Second)
			from = end
		}
	}
	best, at := int64(-1), 0
	n := int(window / day)
	for k := 0; k+n <= days; k++ {
		sum := int64(0)
		for _, x := range work[k : k+n] {
			sum += x
		}
		if sum > best {
			best, at = sum, k
		}
	}
	return (first + time.Duration(at)) * day
}

// A Stack is a demand, the layers of reservations that serve it from the bottom
// up, and the purchases.
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
	Class  int // its place in the price list, which chooses the colour
	Points []steps.Point
}

// A Mark is a purchase of Count reservations of the class of a layer.
type Mark struct {
	At           time.Duration
	Layer, Count int
}

// WriteStack draws s to w: all of the time, where that is long the five days with
// the largest demand, and the purchases.
func WriteStack(w io.Writer, s Stack) error {
	panels := []*panel{s.panel()}
	if s.To-s.From > long {
		zoom := s
		zoom.From = busiest(Picture{From: s.From, To: s.To, Busy: s.Demand})
		zoom.To = zoom.From + window
		zoom.Title = fmt.Sprintf("The five days with the largest demand, from day %d", zoom.From/day)
		panels = append(panels, zoom.panel())
	}
	if len(s.Marks) > 0 {
		panels = append(panels, s.purchases())
	}
	return write(w, column(panels)...)
}

// panel draws the layers, from the back to the front; the legend lists them from the top.
func (x *Stack) panel() *panel {
	s := newSpan(x.From, x.To)
	p := newPanel(x.Title, s.label(), "instances")
	edge := .6
	if s.dense(x.Demand, x.Reserved) {
		p.Y.Label.Text, edge, s.peaks = s.unit(columns), .3, true
	}
	if x.Reserved != nil {
		p.name("reserved, not used", p.steps(s.xys(x.Reserved), idleColour, nil, 0))
	}
	p.name("on demand", p.steps(s.xys(x.Demand), demandColour, nil, 0))
	for i := len(x.Layers) - 1; i >= 0; i-- {
		if !adds(x.Layers, i) {
			continue
		}
		p.name(x.Layers[i].Name, p.steps(s.xys(x.Layers[i].Points), classColour(x.Layers[i].Class), nil, 0))
	}
	p.steps(s.xys(x.Demand), nil, inkColour, edge)
	p.overTime(x.From, x.To, s.clock, int(s.peak))
	return p
}

// adds reports whether a layer is ever above the layer below it. A class that is never bought
// is not, and has no name in a picture.
func adds(layers []Layer, i int) bool {
	var low []steps.Point
	if i > 0 {
		low = layers[i-1].Points
	}
	at, below := 0, 0 // of low
	for _, p := range layers[i].Points {
		for ; at < len(low) && low[at].At <= p.At; at++ {
			below = low[at].Value
		}
		if p.Value > below {
			return true
		}
	}
	return false
}

// markColumns is how many purchases of a class are seen side by side.
const markColumns = 240

// purchases draws a mark for each, as high as their number, or where they are too dense
// to be told apart one for all of a class in a while.
func (x *Stack) purchases() *panel {
	s := newSpan(x.From, x.To)
	p := newPanel("Purchases", s.label(), "reservations")
	type key struct{ column, layer int }
	index := make(map[key]int)
	marks := make([]plotter.XYs, len(x.Layers))
	joined := false
	for _, m := range x.Marks {
		// float64 is exact enough for a column, and has no overflow
		k := key{int(float64(m.At-x.From) / float64(x.To-x.From) * markColumns), m.Layer}
		i, ok := index[k]
		if !ok {
			i = len(marks[m.Layer])
			index[k] = i
			marks[m.Layer] = append(marks[m.Layer], plotter.XY{X: s.clock.In(m.At)})
		}
		joined = joined || ok
		marks[m.Layer][i].Y += float64(m.Count)
	}
	if joined {
		p.Y.Label.Text += fmt.Sprintf(" (in %s)", approximate((x.To-x.From)/markColumns))
	}
	rows := 0
	for i := len(x.Layers) - 1; i >= 0; i-- {
		if marks[i] == nil {
			continue
		}
		for _, v := range marks[i] {
			p.line(plotter.XYs{{X: v.X, Y: 0}, v}, classColour(x.Layers[i].Class), .8)
		}
		p.name(x.Layers[i].Name, p.dots(marks[i], classColour(x.Layers[i].Class), 2.2, draw.CircleGlyph{}))
		s.include(marks[i])
		rows++
	}
	p.overTime(x.From, x.To, s.clock, int(s.peak))
	return p
}

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
	Main: inkColour, Extreme: inkColour, Foreseen: priceColour,
}

// WritePortfolios draws the portfolios to w, below each other.
func WritePortfolios(w io.Writer, list []Portfolio) error {
	var panels []*panel
	for _, f := range list {
		panels = append(panels, f.panel())
		if len(f.Marks) > 0 {
			s := Stack{To: f.To, Layers: f.Layers, Marks: f.Marks}
			panels = append(panels, s.purchases())
		}
	}
	return write(w, column(panels)...)
}

func (f *Portfolio) panel() *panel {
	s := newSpan(0, f.To)
	p := newPanel(f.Title, s.label(), "instances")
	for i := len(f.Layers) - 1; i >= 0; i-- { // from the back to the front
		if !adds(f.Layers, i) {
			continue
		}
		s.peaks = s.dense(f.Layers[i].Points)
		p.name(line(f.Layers[i].Name)+", active", p.steps(s.xys(f.Layers[i].Points), classColour(f.Layers[i].Class), nil, 0))
	}
	for _, c := range f.Curves {
		name, values, span := line(c.Name), c.Values, c.Span
		if n := (len(values) + columns - 1) / columns; n > 1 {
			values, span = means(values, n), time.Duration(n)*span
			name += fmt.Sprintf(" (means of %s)", approximate(span))
		}
		width := 1.1
		var dashes []vg.Length
		switch c.Kind {
		case Extreme:
			width = .4
		case Foreseen:
			dashes = []vg.Length{vg.Points(4), vg.Points(2)}
		}
		for i, xys := range pieces(values, -1) {
			last := xys[len(xys)-1]
			xys = append(xys, plotter.XY{X: last.X + 1, Y: last.Y})
			for j := range xys {
				xys[j].X = s.clock.In(min(f.To, time.Duration(xys[j].X)*span))
			}
			s.include(xys)
			if drawn := p.steps(xys, nil, curveColours[c.Kind], width, dashes...); i == 0 {
				p.name(name, drawn)
			}
		}
	}
	p.overTime(0, f.To, s.clock, int(s.peak+.999))
	return p
}

// means returns the means of n values each, of those that are finite.
func means(values []float64, n int) []float64 {
	var out []float64
	for first := 0; first < len(values); first += n {
		sum, count := 0., 0
		for _, v := range values[first:min(len(values), first+n)] {
			if finite(v) {
				sum += v
				count++
			}
		}
		out = append(out, sum/float64(count)) // NaN if there is none
	}
	return out
}
