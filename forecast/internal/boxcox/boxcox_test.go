package boxcox

import (
	"math"
	"testing"
)

// A forecast that a scale does not have has no error there.
func TestErrorOutsideOfTheScale(t *testing.T) {
	for _, c := range []struct{ x, forecast float64 }{{-1, 5}, {5, -1}, {0, 5}} {
		if e := Error(0, c.x, c.forecast); !math.IsNaN(e) {
			t.Errorf("the logarithms of %v and %v differ by %v", c.x, c.forecast, e)
		}
		if e := Error(1, c.x, c.forecast); e != c.x-c.forecast {
			t.Errorf("%v less %v is %v", c.x, c.forecast, e)
		}
	}
	if e := Error(0, math.E, 1); math.Abs(e-1) > 1e-15 {
		t.Errorf("the logarithms of e and 1 differ by %v", e)
	}
}
