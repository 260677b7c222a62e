package svgplot

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// pictures are small ones of each kind, with what a kind can show.
func pictures() map[string]func(io.Writer) error {
	nan, inf := math.NaN(), math.Inf(1)
	hour := time.Hour
	at := func(unit time.Duration, pairs ...int) (list []steps.Point) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, steps.Point{At: time.Duration(pairs[i]) * unit, Value: pairs[i+1]})
		}
		return list
	}
	demand := at(hour, 0, 5, 3, 9, 6, 4, 9, 7)
	layers := []Layer{{"1y-heavy", 1, at(hour, 0, 3, 6, 2)}, {"never bought", 0, at(hour, 0, 3, 6, 2)}, {"3y-light", 2, at(hour, 0, 4, 3, 6, 6, 3)}}
	violin := Violin{Step: 2, Frequency: []float64{.5, .25, 0, .25}, P25: 1, Median: 2, P75: 5}
	curve := []time.Duration{0, hour, 3 * hour}
	fan := Fan{Title: "Weeks & <forecasts>", X: "week", Y: "instances\x01", Band: "90% interval", Values: []float64{4, 5, 6, nan, 9, nan, 8, 7}, First: 1,
		Forecasts: []Forecast{
			{From: 8, Mean: []float64{7, 8, 9, nan, 11}, Low: []float64{6, 6.5, 7, nan, 6}, High: []float64{8, 9.5, 12, nan, inf}},
			{From: 5, Mean: []float64{8.5}, Low: []float64{7.5}, High: []float64{9}},
		}}
	charts := func(list ...Chart) func(io.Writer) error {
		return func(w io.Writer) error { return WriteCharts(w, list) }
	}
	return map[string]func(io.Writer) error{
		"time": func(w io.Writer) error {
			return Write(w, Picture{Title: "A cluster", From: 150 * hour, To: 190 * hour, Held: at(hour, 0, 2, 160, 8, 180, 3), Busy: at(hour, 0, 1, 160, 7, 170, 2)})
		},
		"long-time": func(w io.Writer) error {
			return Write(w, Picture{Title: "Eleven days", From: day, To: 12 * day, Held: at(day, 0, 2, 4, 80, 9, 30), Busy: at(day, 0, 1, 4, 70, 8, 2, 11, 9)})
		},
		"stack": func(w io.Writer) error {
			return WriteStack(w, Stack{Title: "A demand", From: hour, To: 12 * hour, Demand: demand, Reserved: at(hour, 0, 4, 2, 6, 8, 3), Layers: layers,
				Marks: []Mark{{hour, 0, 3}, {2 * hour, 2, 2}, {2*hour + time.Second, 2, 1}, {7 * hour, 0, 1}}})
		},
		"long-stack": func(w io.Writer) error {
			return WriteStack(w, Stack{Title: "Eleven days", To: 11 * day, Demand: at(day, 0, 50, 5, 60, 7, 40), Layers: []Layer{{"a", 0, at(day, 0, 30)}}})
		},
		"portfolio": func(w io.Writer) error {
			return WritePortfolios(w, []Portfolio{{Title: "A portfolio", To: 4 * 168 * hour, Layers: layers[:1], Marks: []Mark{{168 * hour, 0, 2}},
				Curves: []Curve{{"demand", Main, 168 * hour, []float64{2, 4, 3, 5}}, {"forecast", Foreseen, 168 * hour, []float64{nan, 3.5, nan, 4}}, {"peak", Extreme, 168 * hour, []float64{3, 6, 5, 7.2}}}}})
		},
		"fan": func(w io.Writer) error { return WriteFan(w, fan) },
		"preemption": func(w io.Writer) error {
			return WritePreemption(w, Preemption{
				Violins: []Violins{{Title: "Waste <1>", Unit: "node-hours", Groups: []string{"lifo", "pap"}, Sets: []ViolinSet{
					{"60s", []Violin{violin, {Step: 1, Frequency: []float64{0, 2, 1}, P25: 1, Median: 1.5, P75: 2}}}, {"120s", []Violin{violin, {}}}}}},
				Maps: []HeatMap{{Title: "Values", From: hour, To: 10 * hour, Columns: [][]float64{{0, .1, 1}, {.2, .1, 1}, {.2, .6, 0}, {.9, .6, 1}}, Frames: []Frame{{1, 3, 1, 2}}}},
				Sums: []Sums{{Title: "Sums", Unit: "node-hours", Curves: []SumCurve{{"pap", curve, []float64{0, 1, 4}}, {"pap+", curve, []float64{0, 1, 2}}}}},
			})
		},
		"bars": func(w io.Writer) error {
			simple := Bars{Title: "Simple", Unit: "hours", Groups: []string{"one", "two"}, Parts: []string{"low", "high"},
				Bars: [][]Bar{{{Parts: []float64{1}, Spreads: []float64{.5}}, {Parts: []float64{2}, Spreads: []float64{3}}}, {{Parts: []float64{.5}, Spreads: []float64{0}}, {Parts: []float64{3}}}}}
			stacked := Bars{Title: "Stacked", Unit: "dollars", Groups: []string{"g"}, Parts: []string{"local", "private", "none"}, Bars: [][]Bar{{{Parts: []float64{1000, 500}, Spreads: []float64{100, 300}}}}}
			return WriteBars(w, [][]Bars{{simple, stacked}, {stacked, simple}})
		},
		"lines": charts(
			Chart{Title: "Lines", X: "x", Y: "y", Series: []Series{
				{Name: "a line", X: []float64{0, 1, 2, 3}, Y: []float64{1, 3, nan, 2}}, {Name: "points that have a name of two lines", X: []float64{.5, 1.5}, Y: []float64{2, 2.5}, Points: true, Low: []float64{1.5, 3}, High: []float64{2.2, 4}},
				{Name: "on demand", X: []float64{0, 2, 3}, Y: []float64{1, 2, 1}, Steps: true}, {Name: "rings", X: []float64{1}, Y: []float64{3}, Rings: true}}},
			Chart{Title: "One value", Series: []Series{{Name: "v", X: []float64{7}, Y: []float64{-7}}}},
			Chart{Title: "Nothing", X: "none", Series: []Series{{Name: "not here"}}}),
		"logarithms": charts(Chart{Title: "Logarithms", LogX: true, LogY: true, Series: []Series{
			{Name: "wide", X: []float64{.1, 1, 100, 0}, Y: []float64{2, 30, 400, 3}, Low: []float64{1, 40, -1, 1}, High: []float64{5, 50, 500, 4}}}},
			Chart{Title: "One", LogX: true, LogY: true, Series: []Series{{Name: "v", X: []float64{4}, Y: []float64{4}}}},
			Chart{Title: "Half", LogX: true, Series: []Series{{Name: "what ends at the top and has two lines", X: []float64{2, 4, 20}, Y: []float64{1, 2, 3}}}}),
		"aligned": charts(
			Chart{Title: "Wide marks", Series: []Series{{Name: "x", X: []float64{0, 1e6}, Y: []float64{1, 2e6}}}},
			Chart{Title: "Narrow marks", Labels: []string{"a", "b"}, Series: []Series{{Y: []float64{1, 2}}}}),
		"labelled": charts(
			Chart{Title: "Bars", X: "where", Y: "how much", Labels: []string{"here", "there\x02"}, Series: []Series{{Name: "x", Y: []float64{1, 2}}, {Name: "equal", Y: []float64{3, nan}}, {Name: "y", Y: []float64{2, 1}}}},
			Chart{Title: "Below", Labels: slices.Repeat([]string{"p"}, 10), LogY: true, Series: []Series{{Name: "x", Y: []float64{-1, -2, -3, -4, -5, -4, -3, -2, -1, 0}}}}),
	}
}

var decimals = regexp.MustCompile(`-?\d+\.\d+`)

// rounded writes the numbers of a picture with two decimals, which nobody can see beyond.
func rounded(picture string) string {
	return decimals.ReplaceAllStringFunc(picture, func(s string) string {
		x, _ := strconv.ParseFloat(s, 64)
		return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 2, 64), "-0.00")
	})
}

// Each picture is that in testdata, to a hundredth of a point: positions, texts, colours, and their
// order. After a change that is meant, look at what is new:
//
//	go test ./examples/internal/svgplot -run Golden -update
func TestGolden(t *testing.T) {
	for name, draw := range pictures() {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			t.Fatal(err)
		}
		programtest.WellFormed(t, b.String())
		got, file := rounded(b.String()), filepath.Join("testdata", name+".svg")
		if flag.Lookup("update").Value.String() == "true" {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(got, "\n")
		for i, w := range strings.Split(string(want), "\n") {
			if i >= len(lines) {
				t.Errorf("%s: %d lines, want more", name, len(lines))
				break
			}
			if !alike(lines[i], w) {
				t.Errorf("%s, line %d:\n%s\nwant\n%s", name, i+1, lines[i], w)
				break
			}
		}
		if n := strings.Count(string(want), "\n"); len(lines) > n+1 {
			t.Errorf("%s: %d lines, want %d", name, len(lines), n+1)
		}
	}
}

// alike compares texts whose numbers may differ in the last of their two decimals: machines round
// them otherwise.
func alike(got, want string) bool {
	if decimals.ReplaceAllString(got, "#") != decimals.ReplaceAllString(want, "#") {
		return false
	}
	a, b := decimals.FindAllString(got, -1), decimals.FindAllString(want, -1)
	for i := range a {
		x, _ := strconv.ParseFloat(a[i], 64)
		y, _ := strconv.ParseFloat(b[i], 64)
		if math.Abs(x-y) > .0101 {
			return false
		}
	}
	return true
}

var (
	turned  = regexp.MustCompile(`(?s)<g transform="rotate.*?</g>`)
	viewBox = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)
	texts   = regexp.MustCompile(`<text x="(-?[\d.]+)" y="(-?[\d.]+)" transform="scale\(1, -1\)"\s+style="[^"]*font-size:([\d.]+)[^>]*>([^<]*)<`)
)

// The texts of each picture are within it, and those that are not turned do not overlap. A
// character is taken to be 0.45 of its size wide, which is narrow.
func TestTextsApart(t *testing.T) {
	for name, draw := range pictures() {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			t.Fatal(err)
		}
		box := viewBox.FindStringSubmatch(b.String())
		if box == nil {
			t.Fatalf("%s has no frame: %.300s", name, b.String())
		}
		width, _ := strconv.ParseFloat(box[1], 64)
		height, _ := strconv.ParseFloat(box[2], 64)
		type place struct {
			x, y, wide, high float64
			text             string
		}
		var all []place
		for _, m := range texts.FindAllStringSubmatch(turned.ReplaceAllString(b.String(), ""), -1) {
			var v [3]float64
			for i := range v {
				v[i], _ = strconv.ParseFloat(m[1+i], 64)
			}
			text := strings.TrimSpace(m[4])
			all = append(all, place{v[0], -v[1], .45 * v[2] * float64(len([]rune(text))), .6 * v[2], text})
		}
		if len(all) < 5 {
			t.Errorf("%s: %d texts", name, len(all))
		}
		for i, p := range all {
			if p.x < 0 || p.x+p.wide > width || p.y < 0 || p.y+p.high > height {
				t.Errorf("%s: %q at %v, %v is not within %v, %v", name, p.text, p.x, p.y, width, height)
			}
			for _, q := range all[:i] {
				if p.x < q.x+q.wide && q.x < p.x+p.wide && p.y < q.y+q.high && q.y < p.y+p.high {
					t.Errorf("%s: %q and %q overlap", name, p.text, q.text)
				}
			}
		}
	}
}

// The marks of axes are round numbers at equal distances, from end to end, and not too many.
func TestRoundMarks(t *testing.T) {
	for _, from := range []float64{0, -3.7, 12.5, -1e6, .0021, 997} {
		for _, span := range []float64{.00013, 1, 7, 10, 23.4, 999, 5e7} {
			if span < 1e-9*math.Abs(from) {
				continue // more digits than a float has
			}
			for _, most := range []int{5, 9, 12} {
				list := ticks(from, from+span, most, 0)
				if len(list) < 2 || len(list) > most+1 {
					t.Errorf("from %v to %v: %d marks for at most about %d", from, from+span, len(list), most)
					continue
				}
				step := list[1].Value - list[0].Value
				if m := step / math.Pow(10, math.Floor(math.Log10(step*(1+1e-6)))); math.Abs(m-1) > 1e-3 && math.Abs(m-2) > 1e-3 && math.Abs(m-5) > 1e-3 {
					t.Errorf("from %v to %v: marks are %v apart", from, from+span, step)
				}
				for i, x := range list {
					if math.Abs(x.Value-list[0].Value-float64(i)*step) > 1e-6*step || x.Value < from-1e-6*step || x.Value > from+span+1e-6*step {
						t.Errorf("from %v to %v: a mark at %v", from, from+span, x.Value)
					}
					if v, err := strconv.ParseFloat(strings.ReplaceAll(x.Label, ",", ""), 64); err != nil || math.Abs(v-x.Value) > step*1e-3+math.Abs(x.Value)*1e-5 {
						t.Errorf("the mark at %v is named %q", x.Value, x.Label)
					}
				}
				if list[0].Value-from > step*(1+1e-9) || from+span-list[len(list)-1].Value > step*(1+1e-9) {
					t.Errorf("from %v to %v: marks only from %v to %v", from, from+span, list[0].Value, list[len(list)-1].Value)
				}
			}
		}
	}
}

// The busiest window begins with a whole day, the first of equal ones, and lies within the picture.
func TestBusiestWindow(t *testing.T) {
	at := func(pairs ...int) (list []steps.Point) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, steps.Point{At: time.Duration(pairs[i]) * time.Hour, Value: pairs[i+1]})
		}
		return list
	}
	for _, c := range []struct {
		from, to, want int // hours
		busy           []steps.Point
	}{
		{0, 288, 0, at(0, 5)},
		{1, 288, 24, at(0, 5)},
		{0, 288, 168, at(0, 1, 168, 2)},
		{0, 287, 144, at(0, 1, 168, 2)}, // the last day is not whole
		{0, 288, 24, at(0, 1, 48, 9, 49, 1, 140, 3, 142, 1)},
		{0, 288, 0, at(0, 1, 100, 2, 101, 1)},
		{0, 288, 72, at(100, 1, 190, 0)},
		{24, 288, 24, at(0, 100, 30, 0)},
	} {
		got := busiest(Picture{From: time.Duration(c.from) * time.Hour, To: time.Duration(c.to) * time.Hour, Busy: c.busy})
		if got != time.Duration(c.want)*time.Hour {
			t.Errorf("from %d h to %d h: %v, want %d h", c.from, c.to, got, c.want)
		}
	}
}

// An axis begins at 0 where that leaves half of it to the values, has room at its ends, and is not
// empty for one value.
func TestAxis(t *testing.T) {
	for _, c := range []struct{ low, high, from, to float64 }{
		{0, 10, 0, 10.4}, {5, 10, 0, 10.4}, {6, 10, 5.84, 10.1664}, {-5, 10, -5.6, 10.624}, {-2, -1, -2.04, -.9584},
		{0, 0, -1.08e-300, 1.0832e-300}, {5, 5, 4.46, 5.5416}, {-5, -5, -5.54, -4.4584},
		{math.Inf(1), math.Inf(-1), 0, 1.04},
	} {
		s := span{c.low, c.high}
		if from, to := s.axis(); math.Abs(from-c.from) > 1e-9*math.Abs(c.from) || math.Abs(to-c.to) > 1e-9*math.Abs(c.to) {
			t.Errorf("from %v to %v: an axis from %v to %v, want %v to %v", c.low, c.high, from, to, c.from, c.to)
		}
	}
}

// A long list keeps, in each column, its least and its greatest value, in their order; a short one
// keeps everything.
func TestThin(t *testing.T) {
	values := make([]float64, 10*columns)
	for i := range values {
		values[i] = float64(i % 7)
	}
	values[3333], values[4444] = 99, -99
	if got := thin(pieces(values[:4*columns-1], 0)); len(got[0]) != 4*columns-1 {
		t.Errorf("%d points of %d", len(got[0]), 4*columns-1)
	}
	// Ten points a column are two of five, of which each has its least and greatest.
	got := thin(pieces(values, 0))[0]
	if len(got) != 2*columns {
		t.Errorf("%d points, want %d", len(got), 2*columns)
	}
	seen := map[float64]bool{}
	for i, v := range got {
		seen[v.Y] = true
		if v.Y != values[int(v.X)-1] || i > 0 && v.X <= got[i-1].X {
			t.Fatalf("point %d is %v", i, v)
		}
	}
	if !seen[99] || !seen[-99] {
		t.Error("the peaks are gone")
	}
	if got := thin(pieces(values[:4*columns], 0)); len(got[0]) != 2*columns {
		t.Errorf("%d points of %d", len(got[0]), 4*columns)
	}
	// Of as many gaps as nobody can see every other piece, or so, goes.
	gaps := make([]float64, 20*columns)
	for i := range gaps {
		if gaps[i] = 1; i%2 == 1 {
			gaps[i] = math.NaN()
		}
	}
	if got := thin(pieces(gaps, 0)); len(got) != columns {
		t.Errorf("%d pieces of %d, want %d", len(got), 10*columns, columns)
	}
}

// Two intervals are areas, from the upper ends there to the lower ends back; one value has half a
// step on either side.
func TestRings(t *testing.T) {
	nan := math.NaN()
	got := rings(Forecast{From: 4, Mean: []float64{1, 2, 3, 4}, Low: []float64{0, 1, nan, 3}, High: []float64{2, 4, 5, 6}})
	if want := "[[{5 2} {6 4} {6 1} {5 0}] [{7.5 6} {8.5 6} {8.5 3} {7.5 3}]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	n := 2*columns + 4
	long := Forecast{Mean: make([]float64, n), Low: make([]float64, n), High: make([]float64, n)}
	if got := rings(long); len(got) != 1 || len(got[0]) != n || got[0][1].X != 3 {
		t.Errorf("a long forecast has %d corners, want %d", len(got[0]), n)
	}
}

// Dense functions are shown by the peak of each column, from end to end of the picture.
func TestPeaks(t *testing.T) {
	s := &timeSpan{from: 2 * time.Hour, to: 8 * time.Hour, peaks: true, clock: newSpan(0, 8*time.Hour).clock}
	got := s.xys([]steps.Point{{At: 0, Value: 3}, {At: 5 * time.Hour, Value: 7}, {At: 8 * time.Hour, Value: 9}})
	if len(got) != columns+1 || got[0].X != 2 || got[columns].X != 8 || got[0].Y != 3 || got[columns/2].X != 5 || got[columns/2-1].Y != 3 || got[columns/2].Y != 7 || got[columns].Y != 9 || s.peak != 9 {
		t.Errorf("%d points, from %v to %v, in the middle %v, %v; a peak of %v", len(got), got[0], got[columns], got[columns/2-1], got[columns/2], s.peak)
	}
}

// A curve has a value for each column at most; then it says of what its means are.
func TestMeansOfCurves(t *testing.T) {
	for n, want := range map[int]string{columns: "", columns + 1: " (means of 2.0 hours)", 2 * columns: " (means of 2.0 hours)", 2*columns + 1: " (means of 3.0 hours)"} {
		f := Portfolio{To: time.Duration(n) * time.Hour, Curves: []Curve{{Name: "demand", Span: time.Hour, Values: make([]float64, n)}}}
		if p := f.panel(); strings.Join(p.names[0].lines, " ") != "demand"+want {
			t.Errorf("%d values: %q, want %q", n, p.names[0].lines, "demand"+want)
		}
	}
}

// A text of a picture is one line of at most 100 characters that print.
func TestLine(t *testing.T) {
	hundred := strings.Repeat("é", 100)
	for text, want := range map[string]string{"a\nb\x00c\xff": "a?b?c?", hundred: hundred, hundred + "x": hundred + "…", "": ""} {
		if got := line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Parts without a name are drawn, and not named.
func TestUnnamedParts(t *testing.T) {
	b := Bars{Groups: []string{"g"}, Parts: []string{"only"}, Bars: [][]Bar{{{Parts: []float64{1, 2, 3}}}}}
	if p := b.panel(); len(p.names) != 1 || p.names[0].lines[0] != "only" || p.Y.Max != 6*headroom {
		t.Errorf("%d names, up to %v", len(p.names), p.Y.Max)
	}
}
