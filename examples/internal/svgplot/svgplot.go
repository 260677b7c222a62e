// Package svgplot draws the capacity of a cluster against its use as SVG: all
// of the time above, and where that is too long to see single hours, the five
// days with the most work below. A picture of any log is below 1 MB: what
// is too dense to be seen is thinned, and its peaks stay. A [Stack] is the demand
// of a cluster and what serves it, a [Fan] a series and its forecasts.
package svgplot

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/plimsoll/plimsoll/examples/internal/scale"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// A Picture is the instances held and busy over time.
type Picture struct {
	Title      string
	From, To   time.Duration // To is later
	Held, Busy []steps.Point // busy is at most held
}

// Light, dark and black as seen in grey, too: relative luminances of about 75, 25
// and 0%.
var (
	idleColour = color.RGBA{0xf7, 0xc9, 0x9b, 0xff}
	busyColour = color.RGBA{0x3b, 0x7e, 0xb5, 0xff}
	edgeColour = color.RGBA{0x50, 0x14, 0x14, 0xff}
)

const (
	day    = 24 * time.Hour
	window = 5 * day
	// long is from where on the window is shown.
	long = 10 * day

	pictureWidth = 9 * vg.Inch
	panelHeight  = 3.4 * vg.Inch
	// columns of a panel, about one for each point of its width. Four points
	// of two functions in each, drawn with two corners, are below 400 kB.
	columns = 600
)

// Write draws p to w.
func Write(w io.Writer, p Picture) error {
	panels := []Picture{p}
	if p.To-p.From > long {
		zoom := p
		zoom.From = busiest(p)
		zoom.To = zoom.From + window
		zoom.Title = fmt.Sprintf("The five days with the most work, from day %d", zoom.From/day)
		panels = append(panels, zoom)
	}
	plots := make([]*plot.Plot, len(panels))
	for i, panel := range panels {
		var err error
		if plots[i], err = newPlot(panel); err != nil {
			return err
		}
	}
	return write(w, plots)
}

// write writes panels below each other, their axes aligned.
func write(w io.Writer, panels []*plot.Plot) error {
	canvas := vgsvg.New(pictureWidth, vg.Length(len(panels))*panelHeight)
	whole := draw.New(canvas)
	plots := make([][]*plot.Plot, len(panels))
	for i := range panels {
		plots[i] = panels[i : i+1]
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1,
		PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14, PadY: 14,
	}
	for i, row := range plot.Align(plots, tiles, whole) {
		plots[i][0].Draw(row[0])
	}
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(svg.Bytes(), []byte("font-family:Liberation Sans;"), []byte(families)))
	return err
}

// families are fonts of the same widths, of which a viewer takes the first
// that it has: Liberation Sans alone, which the picture is set in, is
// missing from most machines.
const families = "font-family:'Liberation Sans',Arimo,Arial,Helvetica,sans-serif;"

// typeface is metrically that of Arial and Helvetica. See families.
var typeface = font.Font{Typeface: "Liberation", Variant: "Sans"}

func newPlot(panel Picture) (*plot.Plot, error) {
	p := plot.New()
	clock := scale.NewClock(panel.To-panel.From, 12)
	unit, edge := "instances", vg.Points(.5)
	held, busy := panel.points(panel.Held, clock), panel.points(panel.Busy, clock)
	if panel.To-panel.From > long && max(len(held), len(busy)) > 2*columns {
		// More than an eye can follow: the edges would cover the areas.
		held, busy = panel.peaks(panel.Held, clock), panel.peaks(panel.Busy, clock)
		unit += fmt.Sprintf(" (peaks in %s)", approximate((panel.To-panel.From)/columns))
		edge = vg.Points(.2)
	}
	var areas [3]*plotter.Line // idle, busy, edge
	for i, xys := range [...]plotter.XYs{held, busy, held} {
		line, err := plotter.NewLine(xys)
		if err != nil {
			return nil, err
		}
		line.StepStyle, line.Width = plotter.PostStep, 0
		areas[i] = line
		p.Add(line)
	}
	areas[0].FillColor, areas[1].FillColor = idleColour, busyColour
	areas[2].Color, areas[2].Width = edgeColour, edge

	peak := 0
	for _, h := range held {
		peak = max(peak, int(h.Y))
	}
	p.Title.Text = panel.Title
	p.X.Label.Text = fmt.Sprintf("time since the start of the log (%s)", clock.Name)
	p.Y.Label.Text = unit
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Add("used", areas[1])
	p.Legend.Add("idle or booting", areas[0])
	finish(p, panel.From, panel.To, clock, peak, 1.22) // the legend has its place above
	return p, nil
}

// finish sets the axes and the style of a panel whose largest value is peak, and
// leaves room above for a legend: the axis ends at headroom times the peak.
func finish(p *plot.Plot, from, to time.Duration, clock scale.Clock, peak int, headroom float64) {
	top := scale.Top(peak)
	p.X.Min, p.X.Max = clock.In(from), clock.In(to)
	p.Y.Min, p.Y.Max = 0, headroom*float64(max(1, peak))
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		for t := clock.First(from); t <= to; t += clock.Step() {
			ticks = append(ticks, plot.Tick{Value: clock.In(t), Label: fmt.Sprint(int64(t / clock.Unit))})
		}
		return ticks
	})
	p.Y.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		step := top / 2
		if top%4 == 0 {
			step = top / 4
		}
		for n := 0; n <= top; n += step {
			if float64(n) <= p.Y.Max {
				ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
			}
		}
		return ticks
	})
	style(p)
}

// style sets the fonts and distances of a panel.
func style(p *plot.Plot) {
	p.BackgroundColor = color.White
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 6, 3, 3
	p.X.Padding, p.Y.Padding = 0, 0
	// The text is right of its sample, so that no font makes them overlap.
	p.Legend.ThumbnailWidth = 16
	p.Legend.Padding = 2
	p.Legend.XOffs = 6
	for style, size := range map[*text.Style]vg.Length{
		&p.Title.TextStyle:   12,
		&p.X.Label.TextStyle: 10,
		&p.Y.Label.TextStyle: 10,
		&p.X.Tick.Label:      9,
		&p.Y.Tick.Label:      9,
		&p.Legend.TextStyle:  9,
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

// points returns what the panel can show of a step function.
func (p *Picture) points(f []steps.Point, clock scale.Clock) plotter.XYs {
	thin := steps.AppendThin(nil, f, p.From, p.To, columns)
	xys := make(plotter.XYs, len(thin))
	for i, s := range thin {
		xys[i] = plotter.XY{X: clock.In(s.At), Y: float64(s.Value)}
	}
	return xys
}

// peaks returns the greatest value in each column of the panel.
func (p *Picture) peaks(f []steps.Point, clock scale.Clock) plotter.XYs {
	peaks := steps.AppendPeaks(nil, f, p.From, p.To, columns)
	xys := make(plotter.XYs, columns+1)
	for k := range xys {
		t := float64(k) / columns
		xys[k].X = clock.In(p.From)*(1-t) + clock.In(p.To)*t
		xys[k].Y = float64(peaks[min(k, columns-1)])
	}
	return xys
}

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
