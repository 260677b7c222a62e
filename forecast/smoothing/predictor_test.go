package smoothing

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// √(h·(1 + h/T)) by hand: four steps to the last observation.
func TestDriftSpread(t *testing.T) {
	var m Drift
	for _, x := range []float64{3, 1, 4, 1, 5} {
		m.Update(x)
	}
	got := make([]float64, 4)
	m.Spread(got)
	want := []float64{math.Sqrt(1.25), math.Sqrt(3), math.Sqrt(5.25), math.Sqrt(8)}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
