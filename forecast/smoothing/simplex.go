package smoothing

import (
	"math"
	"slices"
)

// maxFactors is the largest number of factors that a fit has.
const maxFactors = 6

// A point has the factors of a model.
type point [maxFactors]float64

// An objective is what simplex makes small.
type objective interface{ value(x *point) float64 }

// Limits of simplex: evaluations in a run, and the spread of the values, in
// parts of the least, and of the points at which a run ends.
const (
	simplexEvaluations = 120
	simplexValues      = 1e-8
	simplexPoints      = 1e-5
)

// A walker holds the point at which simplex evaluates the objective, so that no evaluation
// allocates one.
type walker struct{ trial point }

// A vertex is a point and its value.
type vertex struct {
	x point
	v float64
}

// simplex is Nelder and Mead's method on the first d factors. Points outside of
// the box move to its border. The sides of the first simplex are side times a fifth of
// the sides of the box, towards its middle.
func (w *walker) simplex(f objective, lo, hi *point, x point, v float64, d int, side float64) (point, float64) {
	var s [maxFactors + 1]vertex
	evals := 0
	value := func(x *point) float64 {
		evals++
		w.trial = *x
		return f.value(&w.trial)
	}
	s[0] = vertex{x, v}
	for i := range d {
		y := x
		step := side * .2 * (hi[i] - lo[i])
		if y[i]+y[i] > lo[i]+hi[i] {
			step = -step
		}
		y[i] += step
		s[i+1] = vertex{y, value(&y)}
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
	try := func(center *point, t float64) vertex {
		var p vertex
		for i := range d {
			p.x[i] = min(hi[i], max(lo[i], center[i]+t*(s[d].x[i]-center[i])))
		}
		p.v = value(&p.x)
		return p
	}
	// The first d evaluations are those of the first simplex.
	for order(); evals < d+simplexEvaluations; order() {
		size := 0.0
		for i := range d {
			size = max(size, math.Abs(s[d].x[i]-s[0].x[i]))
		}
		if s[d].v-s[0].v <= simplexValues*s[0].v && size <= .1 || size <= simplexPoints {
			break
		}
		var center point
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
				s[i].v = value(&s[i].x)
			}
		}
	}
	return s[0].x, s[0].v
}
