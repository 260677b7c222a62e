package reserve

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// The finest parts of weights are such that fees times parts fit: a fee of a power of two times the
// finest is just below the limit.
func TestFrontFinest(t *testing.T) {
	p := &Problem{Slot: time.Hour, Paths: [][]int{{2, 1}, {1, 2}}, Weights: []float64{1.7e-8, 1 - 1.7e-8},
		Prices: pricing.List{OnDemand: pricing.Unit / 4, Classes: []pricing.Class{{Name: "a", Term: 4 * time.Hour, Upfront: 2 * pricing.Unit}}}}
	var e Exact
	points, err := e.Front(p, .5, []float64{0, .5, 1}, 0)
	if err != nil || len(points) != 3 {
		t.Fatalf("%v, %v", points, err)
	}
	// Three instance-hours on demand cost .75, on each path.
	for _, at := range points {
		if at.Mean != 75*pricing.Unit/100 || at.CVaR != at.Mean || len(at.Purchases) != 0 {
			t.Errorf("%+v", at)
		}
	}
}
