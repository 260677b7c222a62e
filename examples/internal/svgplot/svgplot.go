// Package svgplot draws the capacity of a cluster against its use as SVG: all
// of the time above, and where that is too long to see single hours, the five
// days with the most work below.
package svgplot

import (
	"fmt"
	"image/color"
	"io"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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
	// parts of a panel: one for each half point of its width. Four points of two
	// functions, each drawn with two corners, stay below 400 kB a panel.
	parts = 1300
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
	canvas := vgsvg.New(pictureWidth, vg.Length(len(panels))*panelHeight)
	whole := draw.New(canvas)
	plots := make([][]*plot.Plot, len(panels))
	for i, panel := range panels {
		drawn, err := newPlot(panel)
		if err != nil {
			return err
		}
		plots[i] = []*plot.Plot{drawn}
	}
	tiles := draw.Tiles{
		Rows: len(panels), Cols: 1,
		PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 14, PadY: 14,
	}
	for i, row := range plot.Align(plots, tiles, whole) {
		plots[i][0].Draw(row[0])
	}
	_, err := canvas.WriteTo(w)
	return err
}

func newPlot(panel Picture) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = panel.Title
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 6
	clock := scale.NewClock(panel.To-panel.From, 12)
	held := panel.points(panel.Held, clock)
	busy := panel.points(panel.Busy, clock)

	idleArea, err := plotter.NewLine(held)
	if err != nil {
		return nil, err
	}
	idleArea.StepStyle, idleArea.FillColor, idleArea.Width = plotter.PostStep, idleColour, 0
	busyArea, err := plotter.NewLine(busy)
	if err != nil {
		return nil, err
	}
	busyArea.StepStyle, busyArea.FillColor, busyArea.Width = plotter.PostStep, busyColour, 0
	edge, err := plotter.NewLine(held)
	if err != nil {
		return nil, err
	}
	edge.StepStyle, edge.Color, edge.Width = plotter.PostStep, edgeColour, vg.Points(.5)
	p.Add(idleArea, busyArea, edge)

	peak := 0
	for _, h := range held {
		peak = max(peak, int(h.Y))
	}
	p.X.Min, p.X.Max = clock.In(panel.From), clock.In(panel.To)
	p.Y.Min, p.Y.Max = 0, 1.15*float64(max(1, peak)) // the legend has its place above
	p.X.Label.Text = fmt.Sprintf("Time since the start of the log (%s)", clock.Name)
	p.Y.Label.Text = "Capacity (instances)"
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker = plot.TickerFunc(func(_, _ float64) []plot.Tick {
		var ticks []plot.Tick
		for t := clock.First(panel.From); t <= panel.To; t += clock.Step() {
			ticks = append(ticks, plot.Tick{Value: clock.In(t), Label: fmt.Sprint(int64(t / clock.Unit))})
		}
		return ticks
	})
	top := scale.Top(peak)
	p.Y.Tick.Marker = plot.TickerFunc(func(_, hi float64) []plot.Tick {
		var ticks []plot.Tick
		step := max(1, top/4)
		for n := 0; float64(n) <= hi; n += step {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
		}
		return ticks
	})
	p.Legend.Top = true
	p.Legend.ThumbnailWidth = 16
	p.Legend.Padding = 2
	p.Legend.Add("instances held", edge)
	p.Legend.Add("used", busyArea)
	p.Legend.Add("held, idle", idleArea)
	return p, nil
}

// points returns what the panel can show of a step function.
func (p *Picture) points(f []steps.Point, clock scale.Clock) plotter.XYs {
	thin := steps.AppendThin(nil, f, p.From, p.To, parts)
	xys := make(plotter.XYs, len(thin))
	for i, s := range thin {
		xys[i] = plotter.XY{X: clock.In(s.At), Y: float64(s.Value)}
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
