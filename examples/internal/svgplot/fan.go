package svgplot

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Fan is a series and forecasts of it with their intervals.
type Fan struct {
	Title     string
	X, Y      string    // what the axes show; the series has its first value at 1
	Band      string    // what the intervals are
	Values    []float64 // NaN for a missing one
	First     int       // the index of the first value to show
	Forecasts []Forecast
}

// A Forecast is one of the values From, From+1 and so on. Its lists have one length.
type Forecast struct {
	From            int
	Mean, Low, High []float64
}

// WriteFan draws f to w. What is not finite is not drawn. A picture is below 1 MB
// as long as there are few forecasts, and few gaps in these.
func WriteFan(w io.Writer, f Fan) error {
	p := newPanel(f.Title, f.X, line(f.Y))
	y := span{math.Inf(1), math.Inf(-1)}
	end := len(f.Values)
	var samples [3]plot.Thumbnailer
	for _, c := range f.Forecasts {
		end = max(end, c.From+len(c.Mean))
		for _, ring := range rings(c) {
			samples[2] = p.polygon(ring, bandColour, nil, 0)
			y.include(ring)
		}
	}
	for _, piece := range thin(pieces(f.Values[f.First:], f.First)) {
		y.include(piece)
		if len(piece) == 1 { // a line of one point would not be seen
			p.dots(piece, inkColour, 1, draw.CircleGlyph{})
		} else {
			samples[0] = p.line(piece, inkColour, 1)
		}
	}
	for _, c := range f.Forecasts {
		for _, piece := range thin(pieces(c.Mean, c.From)) {
			y.include(piece)
			samples[1] = p.line(piece, classColour(0), 1.5, vg.Points(4), vg.Points(2))
			if len(piece) == 1 {
				p.dots(piece, classColour(0), 2, draw.CircleGlyph{})
			}
		}
	}
	for i, text := range [...]string{"history", "forecast", f.Band} {
		if samples[i] != nil {
			p.name(text, samples[i])
		}
	}
	p.X.Min, p.X.Max = float64(f.First+1), float64(max(f.First+2, end))
	p.Y.Min, p.Y.Max = y.axis()
	p.X.Tick.Marker, p.Y.Tick.Marker = ticker(10, 1), ticker(9, 0)
	p.style()
	return write(w, []*panel{p})
}

// bandColour is light, for lines to be seen upon it.
var bandColour = color.RGBA{0xc6, 0xd8, 0xee, 0xff}

// A span is the values between two.
type span struct{ low, high float64 }

func (s *span) include(xys plotter.XYs) {
	for _, v := range xys {
		s.low, s.high = min(s.low, v.Y), max(s.high, v.Y)
	}
}

// axis returns the ends of an axis: from 0 where that leaves half of it to the
// values.
func (s *span) axis() (from, to float64) {
	from, to = s.low, s.high
	if !(from <= to) {
		from, to = 0, 1
	}
	if from >= 0 && from <= to/2 {
		from = 0
	}
	if room := max(math.Abs(from), math.Abs(to)) * 1e-9; to-from <= room {
		room = max(1e-300, room*1e8)
		from, to = from-room, to+room
	}
	if from != 0 {
		from -= .04 * (to - from)
	}
	return from, to + (headroom-1)*(to-from)
}

// thin leaves out what is too dense to be seen: of as many points as there are in
// a column it keeps the lowest and the highest.
func thin(list []plotter.XYs) []plotter.XYs {
	n := 0
	for _, piece := range list {
		n += len(piece)
	}
	per := n / (2 * columns)
	if per < 2 {
		return list
	}
	var out []plotter.XYs
	for k, piece := range list {
		if len(list) > 2*columns && k%(len(list)/columns) != 0 {
			continue // more gaps than can be seen
		}
		var kept plotter.XYs
		for i := 0; i < len(piece); i += 2 * per {
			part := piece[i:min(len(piece), i+2*per)]
			low, high := 0, 0
			for j, v := range part {
				if v.Y < part[low].Y {
					low = j
				}
				if v.Y > part[high].Y {
					high = j
				}
			}
			kept = append(kept, part[min(low, high)])
			if low != high {
				kept = append(kept, part[max(low, high)])
			}
		}
		out = append(out, kept)
	}
	return out
}

// rings returns the interval as areas.
func rings(c Forecast) []plotter.XYs {
	var list []plotter.XYs
	width := make([]float64, len(c.Mean)) // not finite where an end is not
	for i := range width {
		width[i] = c.High[i] - c.Low[i]
	}
	step := 1 + len(width)/(2*columns)
	for _, piece := range pieces(width, c.From) {
		var ring plotter.XYs
		for i := 0; i < len(piece); i += step {
			ring = append(ring, plotter.XY{X: piece[i].X, Y: c.High[int(piece[i].X)-1-c.From]})
		}
		if len(ring) == 1 { // half a step to either side, to be seen
			x := ring[0].X
			ring = append(ring, plotter.XY{X: x + .5, Y: ring[0].Y})
			ring[0].X = x - .5
			low := c.Low[int(x)-1-c.From]
			list = append(list, append(ring, plotter.XY{X: x + .5, Y: low}, plotter.XY{X: x - .5, Y: low}))
			continue
		}
		for i := len(ring) - 1; i >= 0; i-- {
			x := ring[i].X
			ring = append(ring, plotter.XY{X: x, Y: c.Low[int(x)-1-c.From]})
		}
		list = append(list, ring)
	}
	return list
}
