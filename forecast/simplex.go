package forecast

import (
	"math"
	"slices"
)

// Limits of [Fitter.simplex]: evaluations a run, and the spread of the values, in
// parts of the least, and of the points at which it ends.
const (
	simplexEvaluations = 120
	simplexValues      = 1e-8
	simplexPoints      = 1e-5
)

// A vertex is a point and its value.
type vertex struct {
	x [3]float64
	v float64
}

// simplex is Nelder and Mead's method on the first d factors, points outside of
// the box moved to its border. The first simplex has sides of side times a fifth of
// the box's, towards its middle.
func (f *Fitter) simplex(x [3]float64, v float64, d int, side float64) ([3]float64, float64) {
	var s [4]vertex
	s[0] = vertex{x, v}
	for i := range d {
		y := x
		step := side * .2 * (f.hi[i] - f.lo[i])
		if y[i]+y[i] > f.lo[i]+f.hi[i] {
			step = -step
		}
		y[i] += step
		s[i+1] = vertex{y, f.value(&y)}
	}
	order := func() {
		slices.SortStableFunc(s[:d+1], func(a, b vertex) int {
			switch {
			case a.v < b.v:
				return -1
			case a.v > b.v:
				return 1
			}
			return 0
		})
	}
	try := func(center *[3]float64, t float64) vertex {
		var p vertex
		for i := range d {
			p.x[i] = min(f.hi[i], max(f.lo[i], center[i]+t*(s[d].x[i]-center[i])))
		}
		p.v = f.value(&p.x)
		return p
	}
	end := f.evals + simplexEvaluations
	for order(); f.evals < end; order() {
		size := 0.0
		for i := range d {
			size = max(size, math.Abs(s[d].x[i]-s[0].x[i]))
		}
		if s[d].v-s[0].v <= simplexValues*s[0].v && size <= .1 || size <= simplexPoints {
			break
		}
		var center [3]float64
		for i := range d {
			for _, p := range s[:d] {
				center[i] += p.x[i]
			}
			center[i] /= float64(d)
		}
		switch p := try(&center, -1); {
		case p.v < s[0].v:
			if q := try(&center, -2); q.v < p.v {
				p = q
			}
			s[d] = p
		case p.v < s[d-1].v:
			s[d] = p
		default:
			q := try(&center, .5)
			if p.v < s[d].v {
				q = try(&center, -.5)
			}
			if q.v < min(p.v, s[d].v) {
				s[d] = q
				continue
			}
			for i := 1; i <= d; i++ { // shrink
				for j := range d {
					s[i].x[j] = (s[i].x[j] + s[0].x[j]) / 2
				}
				s[i].v = f.value(&s[i].x)
			}
		}
	}
	return s[0].x, s[0].v
}
