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

// The transform by hand, and back, on the scales that Auto and models use.
func TestScales(t *testing.T) {
	for _, c := range []struct{ lambda, x, z float64 }{
		{1, 5, 5}, {1, -5, -5}, {0, math.E, 1}, {.5, 9, 4}, {.5, 0, -2},
	} {
		if z := To(c.lambda, c.x); math.Abs(z-c.z) > 1e-15 {
			t.Errorf("λ %v: %v becomes %v, want %v", c.lambda, c.x, z, c.z)
		}
		if x := From(c.lambda, c.z); math.Abs(x-c.x) > 1e-14 {
			t.Errorf("λ %v: %v comes from %v, want %v", c.lambda, c.z, x, c.x)
		}
		if x := Shift(c.lambda, c.x, To(c.lambda, c.x+3)-c.z); c.x > 0 && math.Abs(x-c.x-3) > 1e-14 {
			t.Errorf("λ %v: %v moves to %v", c.lambda, c.x, x)
		}
		if e := Error(c.lambda, c.x+3, c.x); c.x > 0 && e != To(c.lambda, c.x+3)-To(c.lambda, c.x) {
			t.Errorf("λ %v: an error of %v", c.lambda, e)
		}
	}
	if x := From(0, 1e9); x != Largest {
		t.Errorf("the exponential of 10⁹ is %v", x)
	}
	if x := From(.5, 1e90); x != Largest {
		t.Errorf("the square of 10⁹⁰ is %v", x)
	}
	if x := From(.5, -7); x != 0 {
		t.Errorf("what no square root is becomes %v", x)
	}
	for _, c := range []struct{ lambda, forecast, e float64 }{{0, -4, 1}, {.5, -4, 1}, {0, 4, 0}} {
		if x := Shift(c.lambda, c.forecast, c.e); x != c.forecast {
			t.Errorf("λ %v: %v moves by %v to %v", c.lambda, c.forecast, c.e, x)
		}
	}
}

// What a scale takes: any observation, those from 0 on, those above 0.
func TestIn(t *testing.T) {
	for _, c := range []struct {
		lambda, x float64
		want      bool
	}{
		{1, -1, true}, {1, Largest, true}, {1, math.Inf(1), false}, {1, math.NaN(), false}, {0, 0, false}, {0, 1, true},
		{.5, 0, true}, {.5, 1, true}, {.5, -1, false}, {0, -1, false},
	} {
		if got := In(c.lambda, c.x); got != c.want {
			t.Errorf("λ %v takes %v: %v", c.lambda, c.x, got)
		}
	}
}

type scaled struct{}

func (scaled) Lambda() float64 { return .5 }

func TestOf(t *testing.T) {
	if Of(scaled{}) != .5 || Of(nil) != 1 {
		t.Errorf("scales of %v and %v, want .5 and 1", Of(scaled{}), Of(nil))
	}
}
