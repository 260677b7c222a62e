package forecast

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Paths holds simulated futures of a series, see [Simulate]. Its zero value is
// ready. It keeps its memory.
type Paths struct {
	horizon int
	x       []float64 // path i at i·horizon
	column  []float64
	pool    []float64
	next    [1]float64
}

// Simulate draws n futures of so many steps: each step is the model's forecast
// plus one of the residuals, drawn with rng, and the model is then updated with it.
// So the errors are as skewed, and as heavy in their tails, as those of the past,
// and adaptive models adapt on the way. The analytic [Predictor.Quantile] is faster,
// and sees neither.
//
// residuals are one-step errors, such as [Fitter.Residuals]; those that are missing
// are left out. The model is run in place and put back to what it was, so that
// nothing is allocated; it has to be a plain value, as all models of this package
// are but [Predictor] and [Rolling], for which Simulate panics. It panics also if
// rng is nil and n or horizon below 0. Without residuals, or with one that is not
// finite, it returns an [*InputError]. It takes O(n·horizon) time.
func Simulate[M any, P interface {
	*M
	Model
}](paths *Paths, n, horizon int, model P, residuals []float64, rng *rand.Rand) error {
	if rng == nil {
		panic("forecast: Simulate: nil source of randomness")
	}
	if n < 0 || horizon < 0 {
		panic("forecast: Simulate: negative number of paths or steps")
	}
	switch any(model).(type) {
	case *Predictor, *Rolling:
		panic("forecast: Simulate: a Predictor shares its model with its copy; simulate the model")
	}
	paths.pool = paths.pool[:0]
	for i, e := range residuals {
		if e != e {
			continue
		}
		if !(math.Abs(e) <= 2*Largest) {
			return badInput("residuals", i, ErrValue, "%v is not a finite number; a missing one is NaN", e)
		}
		paths.pool = append(paths.pool, e)
	}
	if len(paths.pool) == 0 {
		return badInput("residuals", -1, ErrShort, "none that is not missing, want 1 at least")
	}
	paths.horizon = horizon
	paths.x = grow.To(paths.x, n*horizon)
	start := *model
	for i := range n {
		*model = start
		for j := range horizon {
			model.Forecast(paths.next[:])
			x := paths.next[0] + paths.pool[rng.IntN(len(paths.pool))]
			x = min(Largest, max(-Largest, x))
			paths.x[i*horizon+j] = x
			model.Update(x)
		}
	}
	*model = start
	return nil
}

// Len returns the number of paths.
func (p *Paths) Len() int {
	if p.horizon == 0 {
		return 0
	}
	return len(p.x) / p.horizon
}

// Path returns the i-th path, valid until the next simulation.
func (p *Paths) Path(i int) []float64 {
	return p.x[i*p.horizon : (i+1)*p.horizon : (i+1)*p.horizon]
}

// Quantile sets dst[i] to the q quantile of the paths i+1 steps ahead, by linear
// interpolation between order statistics. It panics unless 0 ≤ q ≤ 1, there is a
// path, and dst is no longer than the paths are. It takes O(n·log n) time a step.
func (p *Paths) Quantile(dst []float64, q float64) {
	if !(q >= 0 && q <= 1) {
		panic("forecast: Paths.Quantile: q is not in [0, 1]")
	}
	if len(dst) > p.horizon {
		panic("forecast: Paths.Quantile: dst is longer than the paths")
	}
	n := p.Len()
	if n == 0 && len(dst) > 0 {
		panic("forecast: Paths.Quantile: no paths")
	}
	p.column = grow.To(p.column, n)
	for i := range dst {
		for j := range p.column {
			p.column[j] = p.x[j*p.horizon+i]
		}
		slices.Sort(p.column)
		at := q * float64(n-1)
		low := int(at)
		dst[i] = p.column[low]
		if low+1 < n {
			dst[i] += (at - float64(low)) * (p.column[low+1] - p.column[low])
		}
	}
}
