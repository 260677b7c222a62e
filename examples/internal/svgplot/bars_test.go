package svgplot

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Panels of all kinds are well formed, with every name in them.
func TestWriteBars(t *testing.T) {
	simple := Bars{
		Title: "a < b", Unit: "hours", Groups: []string{"one", "two"}, Parts: []string{"10%", "90%"},
		Bars: [][]Bar{{{Parts: []float64{1}, Spreads: []float64{.5}}, {Parts: []float64{2}, Spreads: []float64{3}}}, {{Parts: []float64{0}}, {Parts: []float64{12345}}}},
	}
	stacked := Bars{
		Title: "stacked", Unit: "core-hours", Groups: []string{"one", "two"}, Parts: []string{"local", "private", "commercial"},
		Bars: [][]Bar{{{Parts: []float64{1, 2, 3}, Spreads: []float64{.5, 0, 7}}}, {{Parts: []float64{0, 0, 0}}}},
	}
	nothing := Bars{Title: "nothing", Unit: "dollars", Groups: []string{"one"}, Parts: []string{"costs"}, Bars: [][]Bar{{{Parts: []float64{0}}}}}
	for _, rows := range [][][]Bars{{{simple, stacked}, {nothing, simple}}, {{nothing}}} {
		var b bytes.Buffer
		if err := WriteBars(&b, rows); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for _, bars := range row {
				for _, name := range append(append([]string{bars.Unit}, bars.Groups...), bars.Parts...) {
					if !strings.Contains(b.String(), name) {
						t.Errorf("no %q in the picture", name)
					}
				}
			}
		}
		programtest.WellFormed(t, b.String())
	}
}

func TestBarStep(t *testing.T) {
	for top, want := range map[float64]float64{0: 1, 1: .2, 1.9: .2, 2: .5, 4.9: .5, 5: 1, 9.99: 1, 1535: 200, 6000: 1000} {
		if got := barStep(top); got != want {
			t.Errorf("barStep(%v) = %v, want %v", top, got, want)
		}
		if marks := top / barStep(top); top > 0 && (marks < 4 || marks >= 10) {
			t.Errorf("%v marks for %v", marks, top)
		}
	}
}
