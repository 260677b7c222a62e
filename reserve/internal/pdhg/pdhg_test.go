package pdhg

import (
	"math"
	"slices"
	"testing"
)

// The anchor moves where the length of a step has fallen to a fifth, or to four fifths and grows again, or after 36%
// of all steps; then the balance moves half of the way, by logarithm, to the ratio of what prices and purchases have gone.
func TestAnchor(t *testing.T) {
	for _, c := range []struct {
		since, steps        int // with the one that ends
		first, last, length float64
		want                bool
	}{
		{1, 9, 10, 3, 2, false}, {2, 9, 10, 3, 2, true}, {5, 90, 10, 3, 2.1, false},
		{5, 90, 10, 7, 8, true}, {5, 90, 10, 8, 8, false}, {5, 90, 10, 7, 8.1, false},
		{10, 20, 10, 10, 9, false}, {11, 30, 10, 10, 9, true}, {11, 31, 10, 10, 9, false}, {18, 50, 10, 10, 9, false}, {19, 50, 10, 10, 9, true},
	} {
		for _, gone := range [][2]float64{{3, 2}, {0, 2}, {3, 0}, {1e9, 1}, {1, 1e9}} { // purchases and prices
			b := Balance{Omega: 4, first: 2, Steps: c.steps - 1, since: c.since - 1, start: c.first, last: c.last}
			parts := make([]*Vector, 5)
			far, high := 0.0, 0.0
			for i := range parts {
				v := new(Vector)
				v.Reset(4, []float64{1 / (1 + float64(i)), .25})
				for j := range v.X {
					d := gone[0]
					if i > 2 {
						d = gone[1]
					}
					v.X[j], v.before[j], v.Anchor[j] = 5+d, 5, 1
					if i > 2 {
						high += d * d / v.Step[j/2]
					} else {
						far += d * d / v.Step[j/2]
					}
				}
				parts[i] = v
			}
			// A step of that length: dx·Omega + dy/Omega is its square.
			moved := b.Moved(c.length*c.length/8, c.length*c.length*2)
			if moved != c.want || b.Steps != c.steps || b.since != c.since {
				t.Fatalf("%+v: the anchor moves %v, want %v: %+v", c, moved, c.want, b)
			}
			if !c.want {
				start := c.first
				if c.since == 1 {
					start = c.length
				}
				if b.last != c.length || b.start != start || b.Omega != 4 || parts[0].Anchor[0] != 1 {
					t.Fatalf("%+v: %+v", c, b)
				}
				continue
			}
			b.Anchor(parts[:3], parts[3:])
			omega := 4.0
			if far > 0 && high > 0 {
				omega = min(max(math.Sqrt(4*math.Sqrt(high/far)), 2./farthest), 2*farthest)
			}
			if math.Abs(b.Omega-omega) > 1e-12*omega || b.since != 0 {
				t.Fatalf("%v gone: balance %v, want %v", gone, b.Omega, omega)
			}
			for _, v := range parts {
				if !slices.Equal(v.Anchor, v.X) || !slices.Equal(v.before, v.X) {
					t.Fatal("the anchor is not where the iterate is")
				}
			}
		}
	}
}

// A move goes against the slope, between 0 and the limit, is reflected and drawn to the anchor.
func TestMove(t *testing.T) {
	var v Vector
	v.Reset(6, []float64{1, .5})
	copy(v.X, []float64{9, 9, 9, 1, 2, 3})
	copy(v.Anchor, []float64{9, 9, 9, 4, 4, 4})
	at := make([]float64, 3)
	moved := v.Move(1, []float64{-1, 1, 4}, []float64{9, 9, 4}, 4, .75, at)
	// Steps of 4·0.5: 1 - 2 is below 0, 2 + 2 = 4, 3 + 8 is above 4.
	if want := []float64{-1, 6, 5}; !slices.Equal(at, want) {
		t.Errorf("reflected at %v, want %v", at, want)
	}
	if want := []float64{9, 9, 9, -.75 + 1, 4.5 + 1, 3.75 + 1}; !slices.Equal(v.X, want) {
		t.Errorf("at %v, want %v", v.X, want)
	}
	if want := (1 + 4 + 1) / .5; moved != want {
		t.Errorf("moved %v, want %v", moved, want)
	}
	if v.Move(1, []float64{0, 0, 9}, nil, 4, 1, at); at[2] != 4.75+2*18 {
		t.Errorf("without a limit at %v", at)
	}
	var b Balance
	b.Begin(3)
	if b.Weight() != .5 || b.Omega != 3 || b.Moved(1, 1) || b.Weight() != 2./3 {
		t.Errorf("%+v", b)
	}
	new(Balance).Anchor([]*Vector{{}}, nil)
}
