// Package svgplot draws pictures as SVG: a cluster's capacity and use ([Picture]), a
// demand and what serves it ([Stack]), what a portfolio holds ([Portfolio]), a series and
// its forecasts ([Fan]), bars, lines and points ([Chart], [Bars]), and what preemptions
// waste ([Preemption]). A picture of any log is below 1 MB: values too dense to be seen
// are thinned, and their peaks stay.
package svgplot

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/scale"
)

const (
	pictureWidth = 9 * vg.Inch
	panelHeight  = 3.4 * vg.Inch
	// columns of a panel, about one for each point of its width. Four points
	// of two functions in each, drawn with two corners, are below 400 kB.
	columns = 600
)

// families are fonts of the same widths, of which a viewer takes the first
// that it has: Liberation Sans alone, which the picture is set in, is
// missing from most machines.
const families = "font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;"

// typeface is metrically that of Arial and Helvetica. See families.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

// A panel is a plot, the names of what is drawn on it, and the first error of that.
type panel struct {
	*plot.Plot
	names []name
	err   error
}

func newPanel(title, x, y string) *panel {
	p := &panel{Plot: plot.New()}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = line(title), line(x), y
	return p
}

// drawn adds what gonum made, unless it could not.
func drawn[T plot.Plotter](p *panel, made T, err error, set func(T)) T {
	if err != nil {
		p.err = cmp.Or(p.err, err)
		return made
	}
	set(made)
	p.Add(made)
	return made
}

func (p *panel) line(xys plotter.XYs, c color.Color, width float64, dashes ...vg.Length) *plotter.Line {
	l, err := plotter.NewLine(xys)
	return drawn(p, l, err, func(l *plotter.Line) { l.Color, l.Width, l.Dashes = c, vg.Points(width), dashes })
}

// steps draws a function whose values last until the next; an area if it has a fill, a
// line if it has a width.
func (p *panel) steps(xys plotter.XYs, fill, edge color.Color, width float64, dashes ...vg.Length) *plotter.Line {
	l, err := plotter.NewLine(xys)
	return drawn(p, l, err, func(l *plotter.Line) {
		l.StepStyle, l.FillColor, l.Width, l.Dashes = plotter.PostStep, fill, vg.Points(width), dashes
		if edge != nil {
			l.Color = edge
		}
	})
}

func (p *panel) polygon(ring plotter.XYs, fill, edge color.Color, width float64) *plotter.Polygon {
	a, err := plotter.NewPolygon(ring)
	return drawn(p, a, err, func(a *plotter.Polygon) {
		a.Color, a.LineStyle.Width = fill, vg.Points(width)
		if edge != nil {
			a.LineStyle = draw.LineStyle{Color: edge, Width: vg.Points(width)}
		}
	})
}

func (p *panel) dots(xys plotter.XYs, c color.Color, radius float64, shape draw.GlyphDrawer) *plotter.Scatter {
	s, err := plotter.NewScatter(xys)
	return drawn(p, s, err, func(s *plotter.Scatter) {
		s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	})
}

// write writes rows of panels below each other, their axes aligned.
func write(w io.Writer, rows ...[]*panel) error {
	across := len(rows[0])
	width := vg.Length(across) * pictureWidth
	if across > 1 {
		width *= .75
	}
	plots := make([][]*plot.Plot, len(rows))
	for i, row := range rows {
		for _, p := range row {
			if p.err != nil {
				return p.err
			}
			plots[i] = append(plots[i], p.Plot)
		}
	}
	// Names stand right of their panels. The panels of a column leave the same room.
	room := make([]vg.Length, across)
	for _, row := range rows {
		for k, p := range row {
			room[k] = max(room[k], p.namesWidth())
		}
	}
	most := slices.Max(room)
	canvas := vgsvg.New(width+vg.Length(across)*most, vg.Length(len(rows))*panelHeight)
	tiles := draw.Tiles{
		Rows: len(rows), Cols: across,
		PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14 + most, PadX: 18 + most, PadY: 14,
	}
	paper := draw.New(canvas)
	r := paper.Rectangle
	paper.FillPolygon(color.White, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
	places := plot.Align(plots, tiles, paper)
	for k := range across { // Align counts what marks take beyond the axes: the axes go below each other
		left, right := vg.Length(0), vg.Length(math.Inf(1))
		for i := range rows {
			data := plots[i][k].DataCanvas(places[i][k])
			left, right = max(left, data.Min.X), min(right, data.Max.X)
		}
		for i := range rows {
			c := &places[i][k]
			data := plots[i][k].DataCanvas(*c)
			c.Min.X += left - data.Min.X
			c.Max.X += right - data.Max.X
		}
	}
	for i, row := range places {
		for k := range row {
			plots[i][k].Draw(row[k])
			rows[i][k].drawNames(row[k])
		}
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"), []byte(families)))
	return err
}

// column is panels below each other.
func column(panels []*panel) [][]*panel {
	rows := make([][]*panel, len(panels))
	for i := range rows {
		rows[i] = panels[i : i+1]
	}
	return rows
}

// headroom is how much longer an axis is than the largest value.
const headroom = 1.04

// overTime sets the axes and the style of a panel whose largest value is peak.
func (p *panel) overTime(from, to time.Duration, clock scale.Clock, peak int) {
	top := scale.Top(peak)
	p.X.Min, p.X.Max = clock.In(from), clock.In(to)
	p.Y.Min, p.Y.Max = 0, headroom*float64(max(1, peak))
	var times, values plot.ConstantTicks
	for t := clock.First(from); t <= to; t += clock.Step() {
		times = append(times, plot.Tick{Value: clock.In(t), Label: fmt.Sprint(int64(t / clock.Unit))})
	}
	step := top / 2
	if top%4 == 0 {
		step = top / 4
	}
	for n := 0; n <= top; n += step {
		if float64(n) <= p.Y.Max {
			values = append(values, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = times, values
	p.style()
}

// places names the places 0, 1 and so on along the X axis.
func (p *panel) places(names []string) {
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: line(name)})
	}
	p.X.Min, p.X.Max, p.X.Tick.Marker = -.5, float64(len(names))-.5, ticks
}

// style sets the fonts and distances of a panel.
func (p *panel) style() {
	p.BackgroundColor = color.White
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 6, 3, 3
	p.X.Padding, p.Y.Padding = 0, 0
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Color, a.Tick.LineStyle.Color = softColour, softColour
		a.Label.TextStyle.Color, a.Tick.Label.Color = softColour, softColour
	}
	p.Title.TextStyle.Color = inkColour
	for style, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle:   12,
		&p.X.Label.TextStyle: 10,
		&p.Y.Label.TextStyle: 10,
		&p.X.Tick.Label:      9,
		&p.Y.Tick.Label:      9,
	} {
		style.Font = typeface
		style.Font.Size = size
	}
}

// approximate is a span in words, for a title.
func approximate(d time.Duration) string {
	c := scale.NewClock(d, 1)
	return fmt.Sprintf("%.1f %s", c.In(d), c.Name)
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

// finite reports whether x can be drawn.
func finite(x float64) bool { return x-x == 0 }

// pieces cuts a list at what is not finite. The first value has its point at 1 more
// than first.
func pieces(values []float64, first int) []plotter.XYs {
	var list []plotter.XYs
	open := false
	for i, v := range values {
		if !finite(v) {
			open = false
			continue
		}
		if !open {
			list = append(list, nil)
			open = true
		}
		last := &list[len(list)-1]
		*last = append(*last, plotter.XY{X: float64(first + i + 1), Y: v})
	}
	return list
}

// ticks returns round numbers from one to another, at most so many and a bit, with
// at least the given distance.
func ticks(from, to float64, most int, least float64) []plot.Tick {
	raw := max(least, (to-from)/float64(most))
	if !(raw > 0) || math.IsInf(raw, 0) {
		return nil
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, k := range [...]float64{1, 2, 5} {
		if k*power >= raw*(1-1e-9) {
			step = k * power
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var list []plot.Tick
	first := math.Ceil(from/step - 1e-9)
	for k := range most + 2 {
		v := (first + float64(k)) * step
		if v > to+step*1e-9 {
			break
		}
		label := strconv.FormatFloat(v, 'g', 6, 64)
		if big := max(math.Abs(from), math.Abs(to)); big < 1e12 && decimals <= 6 {
			label = decimal.Grouped(decimal.Fixed(v, decimals))
		}
		list = append(list, plot.Tick{Value: v, Label: label})
	}
	return list
}

// ticker is an axis of about so many round numbers.
func ticker(most int, least float64) plot.TickerFunc {
	return func(from, to float64) []plot.Tick { return ticks(from, to, most, least) }
}
