package smoothing

import "math"

// How often minimise scans for a better valley, and at how many points a factor.
const (
	scans      = 4
	scanPoints = 6
)

// A walk from the best of a few points along β = 0 is worth it if its value is below edgeNear
// times the least value so far.
const edgeNear = 1.03

// minimise returns the factors with the least value that it finds, down from the best point
// of a grid. With a trend there often is a second valley along β = 0, where the trend of the
// start goes on: minimise walks along that valley as well, and down from there if it is lower.
func (f *Fitter) minimise() point {
	// Many series want a quick level and a slow trend: the grid is finer there.
	var phis [2]float64
	grid := [3][]float64{{.03, .1, .4, .7, .95}, {.01, .1, .4}, {.02, .1, .4}}
	if f.kind == kindDamped {
		w := f.hi[2] - f.lo[2]
		phis = [2]float64{f.lo[2] + .1*w, f.lo[2] + .9*w}
		grid[2] = phis[:]
	}
	zeros := [1]float64{}
	d := f.kind.factors()
	if d < 3 {
		grid[2] = zeros[:1]
	}
	if d < 2 {
		grid[1] = zeros[:1]
	}
	best, low := point{}, math.Inf(1)
	for _, a := range grid[0] {
		for _, b := range grid[1] {
			for _, c := range grid[2] {
				x := point{a, b, c}
				if v := f.value(&x); v < low {
					best, low = x, v
				}
			}
		}
	}
	best, low = f.descend(best, low, d)
	if f.kind != kindHolt && f.kind != kindDamped {
		return best
	}
	edge, least := best, math.Inf(1)
	for _, a := range [...]float64{0, .05, .2, .5} {
		for _, c := range [...]float64{(f.lo[2] + f.hi[2]) / 2, f.hi[2]} {
			x := point{a, 0, c}
			if v := f.value(&x); v < least {
				edge, least = x, v
			}
		}
	}
	if least < low*edgeNear {
		edge, least = f.walker.simplex(f, &f.lo, &f.hi, edge, least, 1, .5)
	}
	if least < low*(1-simplexValues) {
		best, _ = f.descend(edge, least, d)
	}
	return best
}

// descend goes down from a point by Nelder and Mead's simplex. A simplex goes flat at a
// bound, and φ hardly matters where β is 0. So descend scans each factor from the end of the
// walk, and starts again from a better point.
func (f *Fitter) descend(best point, low float64, d int) (point, float64) {
	side := .5
	for range scans {
		best, low = f.walker.simplex(f, &f.lo, &f.hi, best, low, d, side)
		x, v := f.scan(best, low, d)
		if !(v < low*(1-simplexValues)) {
			break
		}
		best, low, side = x, v, .1
	}
	return best, low
}

// scan returns the best point on the lines through x along each factor.
func (f *Fitter) scan(x point, v float64, d int) (point, float64) {
	best, low := x, v
	for i := range d {
		for j := range scanPoints {
			y := x
			y[i] = f.lo[i] + (f.hi[i]-f.lo[i])*float64(j)/(scanPoints-1)
			if v := f.value(&y); v < low {
				best, low = y, v
			}
		}
	}
	return best, low
}
