package svgplot

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// odd are pictures of what a picture can hardly show: very much, nothing, and numbers that are none.
func odd() map[string]func(io.Writer) error {
	all := map[string]func(io.Writer) error{}
	for name, charts := range oddCharts() {
		all["chart of "+name] = func(w io.Writer) error { return WriteCharts(w, charts) }
	}
	for name, values := range oddSeries() {
		all["fan of "+name] = func(w io.Writer) error { return WriteFan(w, fanOf(values)) }
	}
	for _, gap := range []time.Duration{time.Nanosecond, time.Second, time.Minute} {
		all[fmt.Sprint("capacity each ", gap)] = func(w io.Writer) error { return Write(w, longPicture(gap)) }
	}
	for _, gap := range []time.Duration{time.Second, time.Hour} {
		all[fmt.Sprint("stack each ", gap)] = func(w io.Writer) error { return WriteStack(w, longStack(gap)) }
	}
	for name, change := range map[string]func(*Preemption){
		"nothing in it":    func(p *Preemption) { p.Violins[0].Sets[0].Violins[0] = Violin{} },
		"no time":          func(p *Preemption) { p.Sums[0].Curves[0].At, p.Sums[0].Curves[0].Values = nil, nil },
		"one part":         func(p *Preemption) { p.Violins, p.Sums = nil, nil },
		"nothing is worth": func(p *Preemption) { p.Maps[0].Columns = [][]float64{{0}, {0}} },
	} {
		p := somePreemption()
		change(&p)
		all["preemption: "+name] = func(w io.Writer) error { return WritePreemption(w, p) }
	}
	all["portfolios"] = func(w io.Writer) error { return WritePortfolios(w, oddPortfolios()) }
	all["bars of nothing"] = func(w io.Writer) error {
		return WriteBars(w, [][]Bars{{{Title: "nothing", Unit: "dollars", Groups: []string{"one"}, Parts: []string{"costs"}, Bars: [][]Bar{{{Parts: []float64{0}}}}}}})
	}
	return all
}

// Whatever is shown, a picture is well formed, below 1 MB, and free of numbers that are none; and a
// writer that fails is an error.
func TestOddPictures(t *testing.T) {
	for name, draw := range odd() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := draw(&b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			programtest.WellFormed(t, text)
			if b.Len() > 1_000_000 || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Errorf("%d bytes, or numbers that are none", b.Len())
			}
			if strings.Contains(text, ">unseen<") {
				t.Error("what is not there is named")
			}
		})
	}
	if odd()["bars of nothing"](programtest.Broken{}) == nil {
		t.Error("no error of a broken writer")
	}
}

func oddCharts() map[string][]Chart {
	nan, inf := math.NaN(), math.Inf(1)
	return map[string][]Chart{
		"bars":    {{Title: "a<b", X: "where", Y: "how much", Labels: []string{"one", "two"}, Series: []Series{{Name: "low", Y: []float64{1, 2}}, {Name: "high", Y: []float64{3, nan}}}}},
		"lines":   {{Title: "up", Series: []Series{{Name: "x", X: []float64{0, 1, 2}, Y: []float64{3, inf, 5}}}}},
		"nothing": {{Title: "empty", Series: []Series{{Name: "unseen"}, {Name: "unseen", X: []float64{1}, Y: []float64{nan}}}}},
		"logs": {{Title: "wide", LogX: true, LogY: true, Series: []Series{{Name: "x", X: []float64{1e-3, 1, 1e4, 5, 0}, Y: []float64{1e-2, 1, 1e5, -1, 3},
			Low: []float64{1e-3, 0, nan, -2, 1}, High: []float64{1, 2, inf, 2, 4}}}}, {Title: "no logs", LogX: true, LogY: true, Series: []Series{{X: []float64{0}, Y: []float64{0}}}}},
		"intervals": {{Title: "bars", Series: []Series{{Name: "x", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Low: []float64{0, 1, 4}, High: []float64{2, inf, 5}, Points: true}}}},
		"zero":      {{Title: "none", Labels: []string{"one"}, Series: []Series{{Y: []float64{0}}}}, {Title: "below", Labels: []string{"one"}, Series: []Series{{Y: []float64{-2}}}}},
	}
}

func oddSeries() map[string][]float64 {
	random, nan := rand.New(rand.NewPCG(1, 3)), math.NaN()
	noise := func(n int, gaps, size, level float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = level + size*random.NormFloat64()
			if random.Float64() < gaps {
				values[i] = nan
			}
		}
		return values
	}
	return map[string][]float64{
		"long": noise(200_000, 0, 1, 0), "gaps": noise(200_000, .5, 1, 0), "constant": {5, 5, 5, 5}, "zero": {0, 0, 0}, "tiny": noise(50, 0, 1e-300, 0),
		"huge": noise(50, 0, 1e150, 0), "far away": noise(50, 0, 1, 1e15), "one": {3}, "missing": {nan, nan}, "none": nil, "not finite": {1, 2, math.Inf(1), 3, 4},
	}
}

// fanOf is a fan with a forecast from the middle and one from the end.
func fanOf(values []float64) Fan {
	random := rand.New(rand.NewPCG(1, 4))
	f := Fan{Title: "a < b & c\x00", X: "step", Y: "value", Band: "95% interval", Values: values}
	for _, from := range []int{len(values) / 2, len(values)} {
		c := Forecast{From: from}
		for range 1 + len(values)/2 {
			x := random.NormFloat64()
			if len(values) <= 1000 && random.Float64() < .1 { // few gaps, as WriteFan says
				x = math.NaN()
			}
			c.Mean, c.Low, c.High = append(c.Mean, x), append(c.Low, x-1), append(c.High, x+2)
		}
		f.Forecasts = append(f.Forecasts, c)
	}
	return f
}

// longPicture has 600,000 changes.
func longPicture(gap time.Duration) Picture {
	random, p := rand.New(rand.NewPCG(1, 1)), Picture{Title: "a < b & c"}
	for i := range 600_000 {
		at, n := time.Duration(i)*gap, 100+random.IntN(900)
		p.Held = append(p.Held, steps.Point{At: at, Value: n})
		p.Busy = append(p.Busy, steps.Point{At: at, Value: random.IntN(n)})
		p.To = at
	}
	return p
}

// longStack has nine layers, with 200,000 changes and purchases each.
func longStack(gap time.Duration) Stack {
	const n = 200_000
	random, s := rand.New(rand.NewPCG(1, 2)), Stack{Title: "a < b & c\x00", To: n * gap, Layers: make([]Layer, 9)}
	for i := range n {
		at, served := time.Duration(i)*gap, 0
		for k := range s.Layers {
			served += random.IntN(50)
			s.Layers[k].Name = fmt.Sprintf("<%d>", k)
			s.Layers[k].Points = append(s.Layers[k].Points, steps.Point{At: at, Value: served})
		}
		s.Demand = append(s.Demand, steps.Point{At: at, Value: served + random.IntN(50)})
		s.Reserved = append(s.Reserved, steps.Point{At: at, Value: served + random.IntN(20)})
		s.Marks = append(s.Marks, Mark{at, random.IntN(9), 1 + random.IntN(9)})
	}
	return s
}

func somePreemption() Preemption {
	violin := Violin{Step: 2, Frequency: []float64{.5, .25, 0, .25}, P25: 1, Median: 2, P75: 5}
	at := []time.Duration{0, time.Hour, 3 * time.Hour}
	return Preemption{
		Violins: []Violins{{Title: "Waste", Groups: []string{"lifo", "pap"}, Sets: []ViolinSet{{"60s", []Violin{violin, violin}}, {"120s", []Violin{violin, {}}}}}},
		Maps:    []HeatMap{{Title: "Values", From: time.Hour, To: 10 * time.Hour, Columns: [][]float64{{0, .5, 1}, {0, 1, 1}}}},
		Sums:    []Sums{{Title: "Sums", Curves: []SumCurve{{"pap", at, []float64{0, 1, 4}}, {"pap+", at, []float64{0, 1, 2}}}}},
	}
}

// oddPortfolios are of 3,000 weeks, and of two with a gap and a curve without a value.
func oddPortfolios() []Portfolio {
	const weeks, span = 3000, 168 * time.Hour
	long, held := make([]float64, weeks), make([]int, weeks)
	for i := range long {
		long[i], held[i] = float64(i%97), i%89
	}
	return []Portfolio{
		{Title: "long & <odd>\x01", To: weeks * span, Layers: []Layer{{Name: "a<b", Points: steps.AppendSpans(nil, held, span)}},
			Curves: []Curve{{Name: "demand", Span: span, Values: long}, {"forecast", Foreseen, span, long}, {"peaks", Extreme, span, long}}},
		{Title: "short", To: 2 * span, Layers: []Layer{{Name: "none", Points: []steps.Point{{}}}},
			Curves: []Curve{{"gap", Foreseen, span, []float64{math.NaN(), 3}}, {Name: "unseen", Span: span}}, Marks: []Mark{{At: span, Count: 2}}},
	}
}
