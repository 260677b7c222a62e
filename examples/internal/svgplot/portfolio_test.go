package svgplot

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/plot/plotter"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

func TestWritePortfolios(t *testing.T) {
	weeks := 3000
	long := make([]float64, weeks)
	held := make([]int, weeks)
	for i := range long {
		long[i], held[i] = float64(i%97), i%89
	}
	span := 168 * time.Hour
	list := []Portfolio{
		{Title: "long & <odd>\x01", To: time.Duration(weeks) * span,
			Layers: []Layer{{Name: "a<b", Points: steps.AppendSpans(nil, held, span)}},
			Curves: []Curve{{Name: "demand", Span: span, Values: long}, {"forecast", Foreseen, span, long}, {"peaks", Extreme, span, long}}},
		{Title: "short", To: 2 * span, Layers: []Layer{{Name: "none", Points: []steps.Point{{}}}},
			Curves: []Curve{{"gap", Foreseen, span, []float64{math.NaN(), 3}}, {Name: "nothing", Span: span}},
			Marks:  []Mark{{At: span, Count: 2}}},
	}
	var b bytes.Buffer
	if err := WritePortfolios(&b, list); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<19 {
		t.Errorf("%d bytes", b.Len())
	}
	programtest.WellFormed(t, b.String())
	for _, want := range []string{"long &amp; &lt;odd&gt;?", "demand (means", "gap", "Purchases", "a&lt;b, active"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), ">nothing<") {
		t.Error("what is not there is drawn")
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
