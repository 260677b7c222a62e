package svgplot

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// A picture of any series is well formed, below 1 MB and free of numbers that are
// none: long, with as many gaps as values, constant, tiny, huge, or without a value.
func TestWriteFan(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	nan := math.NaN()
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
	for name, values := range map[string][]float64{
		"long":       noise(200_000, 0, 1, 0),
		"gaps":       noise(200_000, .5, 1, 0),
		"constant":   {5, 5, 5, 5},
		"zero":       {0, 0, 0},
		"tiny":       noise(50, 0, 1e-300, 0),
		"huge":       noise(50, 0, 1e150, 0),
		"far away":   noise(50, 0, 1, 1e15),
		"one":        {3},
		"missing":    {nan, nan},
		"none":       nil,
		"not finite": {1, 2, math.Inf(1), 3, 4},
	} {
		n := len(values)
		f := Fan{Title: "a < b & c\x00", X: "step", Y: "value", Band: "95% interval", Values: values}
		for _, from := range []int{n / 2, n} {
			gaps := .1
			if n > 1000 {
				gaps = 0 // few, as WriteFan says
			}
			mean := noise(1+n/2, gaps, 1, 0)
			low, high := make([]float64, len(mean)), make([]float64, len(mean))
			for i, x := range mean {
				low[i], high[i] = x-1, x+2
			}
			f.Forecasts = append(f.Forecasts, Forecast{from, mean, low, high})
		}
		var b bytes.Buffer
		if err := WriteFan(&b, f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b.Len() > 1_000_000 {
			t.Errorf("%s: %d bytes", name, b.Len())
		}
		if text := b.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: numbers that are none", name)
		}
		programtest.WellFormed(t, b.String())
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
