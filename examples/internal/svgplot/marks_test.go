package svgplot

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/plot/plotter"
)

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

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		from, to, least float64
		want            string
	}{
		{0, 420, 0, "0 50 100 150 200 250 300 350 400"},
		{33_100, 41_300, 0, "34,000 35,000 36,000 37,000 38,000 39,000 40,000 41,000"},
		{-.013, .011, 0, "-0.010 -0.005 0.000 0.005 0.010"},
		{1, 4, 1, "1 2 3 4"},
		{0, 1e12, 0, "0 2e+11 4e+11 6e+11 8e+11 1e+12"},
		{0, 3e14, 0, "0 5e+13 1e+14 1.5e+14 2e+14 2.5e+14 3e+14"},
	} {
		var labels []string
		for _, x := range ticks(c.from, c.to, 9, c.least) {
			labels = append(labels, x.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	if list := ticks(1e16, 1e16, 9, 0); list != nil {
		t.Errorf("%v", list)
	}
}

func TestCurves(t *testing.T) {
	nan := math.NaN()
	if diff := cmp.Diff([]float64{2, 5, nan, 7}, means([]float64{1, 3, nan, 5, nan, math.Inf(1), 7}, 2), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("means (-want +got):\n%s", diff)
	}
	want := []plotter.XYs{{{X: 1, Y: 2}, {X: 2, Y: 3}}, {{X: 4, Y: 5}}}
	if diff := cmp.Diff(want, pieces([]float64{nan, 2, 3, math.Inf(1), 5, nan}, -1)); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

// A row of the map is drawn as one cell for each shade, and what is worth nothing
// not at all.
func TestShade(t *testing.T) {
	for v, want := range map[float64]int{0: 0, -1: 0, 1e-9: 1, .124: 1, .126: 2, .999: 8, 1: 8} {
		if got := shade(v); got != want {
			t.Errorf("shade of %v: %d, want %d", v, got, want)
		}
	}
}
