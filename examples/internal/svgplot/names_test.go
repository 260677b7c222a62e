package svgplot

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/steps"
)

// Names stand right of the panel, apart from each other, however many end at one place.
func TestNames(t *testing.T) {
	c := Chart{Title: "t", X: "x", Y: "y"}
	for i := range 12 {
		c.Series = append(c.Series, Series{Name: fmt.Sprintf("name-%d", i), X: []float64{0, 1}, Y: []float64{float64(i), 5}})
	}
	var b bytes.Buffer
	if err := WriteCharts(&b, []Chart{c}); err != nil {
		t.Fatal(err)
	}
	var x, y []float64
	for _, m := range regexp.MustCompile(`<text x="([-0-9.e]+)" y="([-0-9.e]+)"[^>]*>\s*name-`).FindAllStringSubmatch(b.String(), -1) {
		px, err1 := strconv.ParseFloat(m[1], 64)
		py, err2 := strconv.ParseFloat(m[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(m)
		}
		x, y = append(x, px), append(y, py)
	}
	if len(y) != 12 {
		t.Fatalf("%d names of 12:\n%.600s", len(y), b.String())
	}
	for i := range y {
		if x[i] != x[0] {
			t.Errorf("name %d stands at %v, others at %v", i, x[i], x[0])
		}
		for k := range i {
			if d := y[i] - y[k]; d < float64(nameHeight)*.95 && d > -float64(nameHeight)*.95 {
				t.Errorf("names %d and %d are %v apart", i, k, d)
			}
		}
	}
}

// A layer that never exceeds the layer below adds nothing.
func TestAdds(t *testing.T) {
	low := []steps.Point{{At: 0, Value: 3}, {At: 5, Value: 1}, {At: 9, Value: 4}}
	layers := []Layer{{Name: "a", Points: low}, {Name: "b", Points: low}, {Name: "c", Points: []steps.Point{{At: 0, Value: 3}, {At: 5, Value: 2}, {At: 9, Value: 4}}}, {Name: "d"}}
	var got []bool
	for i := range layers {
		got = append(got, adds(layers, i))
	}
	if diff := cmp.Diff([]bool{true, false, true, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	for s, want := range map[string][]string{
		"short":                          {"short"},
		"planned for, the week before":   {"planned for,", "the week before"},
		"averyveryveryverylongwordalone": {"averyveryveryverylongwordalone"},
	} {
		if diff := cmp.Diff(want, wrap(s)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", s, diff)
		}
	}
}
