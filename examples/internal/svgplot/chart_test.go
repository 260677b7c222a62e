package svgplot

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Charts with odd values are drawn, as well-formed SVG with their texts.
func TestWriteCharts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, charts := range map[string][]Chart{
		"bars":    {{Title: "a<b", X: "where", Y: "how much", Labels: []string{"one", "two"}, Series: []Series{{Name: "low", Y: []float64{1, 2}}, {Name: "high", Y: []float64{3, nan}}}}},
		"lines":   {{Title: "up", Series: []Series{{Name: "x", X: []float64{0, 1, 2}, Y: []float64{3, inf, 5}}, {Name: "dots", X: []float64{1}, Y: []float64{4}, Points: true}, {Name: "steps", X: []float64{0, 2}, Y: []float64{1, 2}, Steps: true}}}},
		"one":     {{Title: "flat", Series: []Series{{Name: "x", X: []float64{7}, Y: []float64{7}}}}},
		"nothing": {{Title: "empty", Series: []Series{{Name: "x"}, {Name: "y", X: []float64{1}, Y: []float64{nan}}}}},
		"logs": {{Title: "wide", LogX: true, LogY: true, Series: []Series{{Name: "x", X: []float64{1e-3, 1, 1e4, 5, 0}, Y: []float64{1e-2, 1, 1e5, -1, 3},
			Low: []float64{1e-3, 0, nan, -2, 1}, High: []float64{1, 2, inf, 2, 4}}}}, {Title: "no logs", LogX: true, LogY: true, Series: []Series{{X: []float64{0}, Y: []float64{0}}}}},
		"intervals": {{Title: "bars", Series: []Series{{Name: "x", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}, Low: []float64{0, 1, 4}, High: []float64{2, inf, 5}, Points: true}, {Name: "rings", X: []float64{2}, Y: []float64{2}, Rings: true}}}},
		"zero":      {{Title: "none", Labels: []string{"one"}, Series: []Series{{Y: []float64{0}}}}, {Title: "below", Labels: []string{"one"}, Series: []Series{{Y: []float64{-2}}}}},
	} {
		var out bytes.Buffer
		if err := WriteCharts(&out, charts); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := out.String()
		programtest.WellFormed(t, text)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: a number that is none is drawn", name)
		}
		for _, c := range charts {
			if want := strings.ReplaceAll(c.Title, "<", "&lt;"); !strings.Contains(text, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// Steps have a corner between two values, and no points.
func TestSteps(t *testing.T) {
	shapes := func(steps bool) (paths, lines int) {
		var out bytes.Buffer
		if err := WriteCharts(&out, []Chart{{Title: "up", Series: []Series{{X: []float64{0, 1, 2}, Y: []float64{3, 4, 5}, Steps: steps}}}}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(out.String(), "<path"), strings.Count(out.String(), "L")
	}
	paths, lines := shapes(false)
	stepPaths, stepLines := shapes(true)
	if stepPaths != paths-3 || stepLines != lines+2 {
		t.Errorf("%d paths of %d lines, with steps %d of %d: want three points less and two corners more", paths, lines, stepPaths, stepLines)
	}
}

// An axis of logarithms has round numbers, not too many, from its end to its other end.
func TestPowers(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{.01, 1000, "0.01 0.1 1 10 100 1,000"},
		{3, 60, "5 10 20 50"},
		{1, 1e20, "1 100 10,000 1,000,000 100,000,000 10,000,000,000 1e+12 1e+14 1e+16 1e+18 1e+20"},
	} {
		var got []string
		for _, tick := range powers(c.from, c.to) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
