package lsq

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
)

// repeat checks a property on more cases than rapid does by itself.
func repeat(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range times {
			property(t)
		}
	})
}

// A leastCase is a problem of small integers: exact answers are at hand, and
// dependent columns are frequent.
type leastCase struct {
	x, y       []float64
	rows, cols int
	opt        Options
}

func drawLeast(t *rapid.T) leastCase {
	c := leastCase{cols: rapid.IntRange(1, 4).Draw(t, "cols")}
	c.opt.Intercept = rapid.Bool().Draw(t, "intercept")
	n := c.cols
	if c.opt.Intercept {
		n++
	}
	c.rows = n + rapid.IntRange(0, 6).Draw(t, "more rows")
	// Few values make dependent columns.
	limit := rapid.SampledFrom([]int{1, 2, 9}).Draw(t, "limit")
	entry := rapid.IntRange(-limit, limit)
	for range c.rows * c.cols {
		c.x = append(c.x, float64(entry.Draw(t, "x")))
	}
	if c.cols > 1 && rapid.IntRange(0, 2).Draw(t, "combination") == 0 {
		j := rapid.IntRange(0, c.cols-1).Draw(t, "column")
		from, by := rapid.IntRange(0, c.cols-1).Draw(t, "from"), float64(entry.Draw(t, "by"))
		plus := float64(entry.Draw(t, "plus"))
		for i := range c.rows {
			c.x[i*c.cols+j] = plus + by*c.x[i*c.cols+from]
		}
	}
	for range c.rows {
		c.y = append(c.y, float64(rapid.IntRange(-9, 9).Draw(t, "y")))
	}
	return c
}

// solve fits with a solver and a result that have been used before.
func (c leastCase) solve(s *Solver) (*Regression, error) {
	r := &dirty
	return r, s.Solve(r, c.x, c.rows, c.cols, c.y, c.opt)
}

var (
	dirty       Regression
	dirtySolver Solver
)

// Coefficients, deviations, leverages, R² and residuals are those of rational arithmetic; columns are found to depend
// iff there is no inverse. In 4 columns and an intercept of integers up to 9 there is
// none below a singular value of 10⁻⁷, so that this is exact.
func TestPropExact(t *testing.T) {
	full, deficient := 0, 0
	repeat(t, 3, func(t *rapid.T) {
		c := drawLeast(t)
		x, y := slices.Clone(c.x), slices.Clone(c.y)
		r, err := c.solve(&dirtySolver)
		if !slices.Equal(x, c.x) || !slices.Equal(y, c.y) {
			t.Fatal("input modified")
		}
		e := newRational(c.x, c.rows, c.cols, c.y, c.opt.Intercept)
		if (e.inv == nil) != errors.Is(err, ErrDependent) {
			t.Fatalf("inverse: %v, error: %v", e.inv != nil, err)
		}
		if e.inv == nil {
			deficient++
			var dep *DependenceError
			if !errors.As(err, &dep) {
				t.Fatal(err)
			}
			for _, d := range dep.Dependencies { // what they say holds in the data
				for i, row := range e.x {
					sum := -float(row[d.Column])
					for k, j := range d.On {
						sum += d.Coef[k] * float(row[j])
					}
					if math.Abs(sum) > 1e-13 {
						t.Fatalf("row %d is off by %v in %+v", i, sum, d)
					}
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		full++
		close := func(what string, i int, got, want, units float64) {
			t.Helper()
			if !near(got, want, units) && !(want == 0 && math.Abs(got) < 1e-25) {
				t.Fatalf("%s %d: %v, want %v", what, i, got, want)
			}
		}
		rss := float(e.rss)
		close("RSS", 0, r.RSS, rss, 2)
		sigma := math.NaN()
		if r.DF > 0 {
			sigma = math.Sqrt(rss / float64(r.DF))
		}
		for j, b := range e.beta {
			close("coefficient", j, r.Coef[j], float(b), 1)
			close("standard error", j, r.StdErr[j], sigma*math.Sqrt(float(e.inv[j][j])), 8)
		}
		for i, row := range e.x {
			close("residual", i, r.Residuals[i], float(e.residual(row, e.y[i])), 1)
			h := e.leverage(row)
			close("leverage", i, r.Leverage[i], h, 16)
		}
	})
	t.Logf("%d of full rank, %d not", full, deficient)
	if full < 100 || deficient < 30 {
		seeded.TooFew(t, "the interesting cases were not drawn")
	}
}

// A realCase has normal numbers, columns of different units, and some of them
// nearly dependent.
func drawReal(t *rapid.T) (c leastCase, rnd *rand.Rand) {
	rnd = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	c.cols = rapid.IntRange(1, 7).Draw(t, "cols")
	c.rows = c.cols + 2 + rapid.IntRange(0, 90).Draw(t, "more rows")
	c.opt.Intercept = rapid.Bool().Draw(t, "intercept")
	units := make([]float64, c.cols)
	for j := range units {
		units[j] = math.Exp(10 * rnd.NormFloat64())
	}
	near := 0.0
	if rapid.Bool().Draw(t, "nearly dependent") {
		near = 0.99999
	}
	for range c.rows {
		common := rnd.NormFloat64()
		for j := range units {
			c.x = append(c.x, units[j]*(near*common+(1-near)*rnd.NormFloat64()))
		}
		c.y = append(c.y, 5+100*rnd.NormFloat64())
	}
	return c, rnd
}

// What least squares is: residuals are orthogonal to each column, as far as their
// own rounding lets them. Fitted values and residuals make up y, the leverages the
// rank. At a row of the data, predictions have its fitted value and its leverage.
func TestPropResidualsOrthogonal(t *testing.T) {
	repeat(t, 20, func(t *rapid.T) {
		c, _ := drawReal(t)
		r, err := c.solve(&dirtySolver)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, h := range r.Leverage {
			if h < 0 || h > 1 {
				t.Fatalf("leverage %v", h)
			}
			sum += h
			row := c.x[i*c.cols:][:c.cols]
			if got, want := r.Predict(row), c.y[i]-r.Residuals[i]; math.Abs(got-want) > 4e-16*(math.Abs(c.y[i])+math.Abs(got)) {
				t.Fatalf("row %d: prediction %v, fitted value %v", i, got, want)
			}
			if got := r.LeverageAt(row); math.Abs(got-h) > 0x1p-48*r.Condition {
				t.Fatalf("row %d: leverage %v, predicted with %v", i, h, got)
			}
			if value, low, high := r.Interval(row, 0.9); !(low < value && value < high) || value != r.Predict(row) {
				t.Fatalf("value %v, interval %v to %v", value, low, high)
			}
		}
		if math.Abs(sum-float64(r.Cols)) > 1e-12 {
			t.Fatalf("leverages have the sum %v, rank %d", sum, r.Cols)
		}
		for j := range c.cols {
			var dot, size, norm float64
			for i, e := range r.Residuals {
				dot = math.FMA(e, c.x[i*c.cols+j], dot)
				size += math.Abs(e * c.x[i*c.cols+j])
				norm = max(norm, math.Abs(c.x[i*c.cols+j]))
			}
			if math.Abs(dot) > 1e-14*size+1e-25*norm {
				t.Fatalf("column %d: %v of %v", j, dot, size)
			}
		}
	})
}

// A column that is computed from others is found, with just those, whatever their
// units; moved by 10⁻⁹ of its norm it is not. Between the tolerance of 1.4·10⁻¹⁴,
// times and over the root of the number of columns, either may be.
func TestPropDependentFound(t *testing.T) {
	repeat(t, 20, func(t *rapid.T) {
		c, rnd := drawReal(t)
		c.rows = max(c.rows, c.cols+3)
		n := c.cols + 1
		at := rnd.IntN(n) // where the new column goes
		coef := make([]float64, c.cols)
		var want []int
		for k, j := range rnd.Perm(c.cols) {
			if k < rapid.IntRange(1, 3).Draw(t, "terms") {
				coef[j] = float64(1+rnd.IntN(3)) * float64(1-2*rnd.IntN(2))
			}
		}
		units := make([]float64, c.cols)
		for j := range units {
			units[j] = math.Exp(10 * rnd.NormFloat64())
		}
		wobble, close := 0.0, 1.0
		switch rapid.IntRange(0, 2).Draw(t, "wobble") {
		case 0:
			wobble = 1e-9
		case 1:
			// The first two columns are the same but for 10⁻⁶. Computing with them loses six
			// digits, and the coefficients of all others with them: still the combination is
			// found, and no column that is not part of it.
			close = 1e-6
		}
		var x []float64
		c.y = nil
		for range c.rows {
			row := make([]float64, c.cols)
			sum := 0.0
			for j := range row {
				row[j] = units[j] * rnd.NormFloat64()
				if j == 1 && close < 1 {
					row[j] = row[0] / units[0] * units[1] * (1 + close*rnd.NormFloat64())
				}
				sum += coef[j] / units[j] * row[j]
			}
			sum *= 1 + wobble*rnd.NormFloat64()
			x = append(x, slices.Insert(row, at, sum)...)
			c.y = append(c.y, rnd.NormFloat64())
		}
		// The columns of the combination in the table, where it is one of them: the last
		// depends on the others.
		for j, v := range coef {
			if v != 0 {
				if j >= at {
					j++
				}
				want = append(want, j)
			}
		}
		want = append(want, at)
		slices.Sort(want)
		if c.opt.Intercept {
			for k := range want {
				want[k]++
			}
		}
		_, err := Fit(x, c.rows, n, c.y, c.opt)
		var dep *DependenceError
		switch found := errors.As(err, &dep); {
		case wobble > 0 && err != nil:
			t.Fatalf("off by 1e-9: %v", err)
		case wobble > 0:
		case !found:
			t.Fatalf("not found: %v", err)
		default:
			last := len(want) - 1
			if diff := cmp.Diff([]Dependency{{Column: want[last], On: want[:last]}}, dep.Dependencies, cmpopts.IgnoreFields(Dependency{}, "Coef")); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
