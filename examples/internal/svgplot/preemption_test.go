package svgplot

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

func somePreemption() Preemption {
	violin := Violin{Step: 2, Frequency: []float64{.5, .25, 0, .25}, P25: 1, Median: 2, P75: 5}
	columns := make([][]float64, 50)
	for k := range columns {
		columns[k] = []float64{0, float64(k) / 50, 1}
	}
	at := []time.Duration{0, time.Hour, 3 * time.Hour}
	return Preemption{
		Violins: []Violins{{Title: "Waste <1>", Unit: "node-hours", Groups: []string{"lifo", "pap"}, Sets: []ViolinSet{
			{"60s", []Violin{violin, violin}}, {"120s", []Violin{violin, {}}},
		}}},
		Maps: []HeatMap{{Title: "Values & nodes", From: time.Hour, To: 10 * time.Hour, Columns: columns, Frames: []Frame{{3, 9, 1, 3}}}},
		Sums: []Sums{{Title: "Sums", Unit: "node-hours", Curves: []SumCurve{{"pap", at, []float64{0, 1, 4}}, {"pap+", at, []float64{0, 1, 2}}}}},
	}
}

func TestWritePreemption(t *testing.T) {
	for name, change := range map[string]func(*Preemption){
		"whole":            func(*Preemption) {},
		"nothing in it":    func(p *Preemption) { p.Violins[0].Sets[0].Violins[0] = Violin{} },
		"no time":          func(p *Preemption) { p.Sums[0].Curves[0].At, p.Sums[0].Curves[0].Values = nil, nil },
		"one part":         func(p *Preemption) { p.Violins, p.Sums = nil, nil },
		"nothing is worth": func(p *Preemption) { p.Maps[0].Columns = [][]float64{{0}, {0}} },
	} {
		p := somePreemption()
		change(&p)
		var b bytes.Buffer
		if err := WritePreemption(&b, p); err != nil {
			t.Fatal(name, err)
		}
		programtest.WellFormed(t, b.String())
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: the picture has numbers that are none", name)
		}
		if name == "whole" {
			for _, part := range []string{"Waste &lt;1&gt;", "Values &amp; nodes", "node-hours", "lifo", "pap+", "60s", "time since the start (hours)"} {
				if !strings.Contains(b.String(), part) {
					t.Errorf("the picture does not say %q", part)
				}
			}
		}
	}
	if err := WritePreemption(brokenPreemption{}, somePreemption()); err == nil {
		t.Error("no error of a broken writer")
	}
}

type brokenPreemption struct{}

func (brokenPreemption) Write([]byte) (int, error) { return 0, errors.New("broken") }

// A row of the map is drawn as one cell for each shade, and what is worth nothing
// not at all.
func TestShade(t *testing.T) {
	for v, want := range map[float64]int{0: 0, -1: 0, 1e-9: 1, .124: 1, .126: 2, .999: 8, 1: 8} {
		if got := shade(v); got != want {
			t.Errorf("shade of %v: %d, want %d", v, got, want)
		}
	}
}
