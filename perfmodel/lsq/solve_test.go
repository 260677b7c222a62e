package lsq

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mathext"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// A rational is the exact reference: the normal equations in rational arithmetic.
type rational struct {
	x    [][]*big.Rat // rows, with the intercept
	y    []*big.Rat
	beta []*big.Rat
	inv  [][]*big.Rat // (Aᵀ·A)⁻¹; nil if there is none
	rss  *big.Rat
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func newRational(x []float64, rows, cols int, y []float64, intercept bool) rational {
	e := rational{}
	for i := range rows {
		var row []*big.Rat
		if intercept {
			row = append(row, rat(1))
		}
		for _, v := range x[i*cols:][:cols] {
			row = append(row, rat(v))
		}
		e.x = append(e.x, row)
		e.y = append(e.y, rat(y[i]))
	}
	return e.solve()
}

func (e rational) solve() rational {
	n := len(e.x[0])
	g := make([][]*big.Rat, n)
	for j := range g {
		g[j] = make([]*big.Rat, 2*n)
		for k := range 2 * n {
			g[j][k] = new(big.Rat)
		}
		g[j][n+j].SetInt64(1)
		for k := range n {
			for i := range e.x {
				g[j][k].Add(g[j][k], new(big.Rat).Mul(e.x[i][j], e.x[i][k]))
			}
		}
	}
	for p := range n {
		q := p
		for q < n && g[q][p].Sign() == 0 {
			q++
		}
		if q == n {
			return e
		}
		g[p], g[q] = g[q], g[p]
		f := new(big.Rat).Inv(g[p][p])
		for k := range g[p] {
			g[p][k].Mul(g[p][k], f)
		}
		for j := range n {
			if j == p || g[j][p].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(g[j][p])
			for k := range g[j] {
				g[j][k].Sub(g[j][k], new(big.Rat).Mul(f, g[p][k]))
			}
		}
	}
	for j := range n {
		e.inv = append(e.inv, g[j][n:])
	}
	for j := range n {
		b := new(big.Rat)
		for i := range e.x {
			for k := range n {
				t := new(big.Rat).Mul(e.inv[j][k], e.x[i][k])
				b.Add(b, t.Mul(t, e.y[i]))
			}
		}
		e.beta = append(e.beta, b)
	}
	e.rss = new(big.Rat)
	for i := range e.x {
		r := e.residual(e.x[i], e.y[i])
		e.rss.Add(e.rss, r.Mul(r, r))
	}
	return e
}

// residual is what the model lacks of y at a row.
func (e rational) residual(row []*big.Rat, y *big.Rat) *big.Rat {
	r := new(big.Rat).Set(y)
	for j, b := range e.beta {
		r.Sub(r, new(big.Rat).Mul(b, row[j]))
	}
	return r
}

// leverage is row·(Aᵀ·A)⁻¹·rowᵀ.
func (e rational) leverage(row []*big.Rat) float64 {
	h := new(big.Rat)
	for j := range row {
		for k := range row {
			t := new(big.Rat).Mul(row[j], e.inv[j][k])
			h.Add(h, t.Mul(t, row[k]))
		}
	}
	return float(h)
}

func float(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}

// near reports whether two numbers differ by the given number of rounding units
// of the second at most.
func near(got, want, units float64) bool {
	return got == want || math.Abs(got-want) <= units*0x1p-52*math.Abs(want) || math.IsNaN(got) && math.IsNaN(want)
}

// Harder than NIST's: n columns of Hilbert's matrix on n + 1 rows, whole when
// multiplied by a common denominator. y is off the span of the columns by as much as
// one likes: the coefficients of the n-th Legendre polynomial on (0, 1) are orthogonal
// to all columns, since Σ_i w_i/(i+j+1) is its integral with x^j. An error of ε in
// Aᵀ·r becomes ε·κ² in the coefficients, up to 10²⁸·ε here. All is compared with
// rational arithmetic.
func TestIllConditioned(t *testing.T) {
	for _, tt := range []struct {
		n         int
		condition float64 // at least
	}{{5, 1e5}, {7, 1e8}, {8, 3e9}, {9, 1e11}, {10, 3e12}, {11, 1e14}} {
		for _, size := range []float64{0, 1e-3, 1, 1e6} { // of what y is off
			x, y := hilbertLegendre(tt.n, size)
			r, err := Fit(x, tt.n+1, tt.n, y, Options{})
			if err != nil {
				t.Errorf("%d columns: %v", tt.n, err)
				continue
			}
			if r.Condition < tt.condition {
				t.Errorf("%d columns: condition %g, want at least %g", tt.n, r.Condition, tt.condition)
			}
			e := newRational(x, tt.n+1, tt.n, y, false)
			units := 0.0
			for j, b := range e.beta {
				units = max(units, math.Abs(r.Coef[j]/float(b)-1)*0x1p52)
				v := new(big.Rat).Mul(e.inv[j][j], e.rss) // one degree of freedom
				if want := math.Sqrt(float(v)); size > 0 && !near(r.StdErr[j], want, 4) {
					t.Errorf("%d columns, off by %g: standard error %v, want %v", tt.n, size, r.StdErr[j], want)
				}
			}
			t.Logf("%2d columns, off by %5g: condition %.1e, last correction %.1e, %g units off", tt.n, size, r.Condition, r.Correction, units)
			// The first step changes something, and what is off is told by the last one.
			if tt.n >= 7 && size > 0 && r.Correction == 0 {
				t.Errorf("%d columns, off by %g: no correction at a condition of %g", tt.n, size, r.Condition)
			}
			// On 9 columns and more it takes a second step to know that the first was right.
			if !(r.Correction <= refined) {
				t.Errorf("%d columns, off by %g: the last correction is %g", tt.n, size, r.Correction)
			}
			if !(units <= 4) {
				t.Errorf("%d columns, off by %g: coefficients are off by %g units", tt.n, size, units)
			}
			for i, row := range e.x {
				if want := float(e.residual(row, e.y[i])); size > 0 && !near(r.Residuals[i], want, 4) {
					t.Errorf("%d columns, off by %g: residual %v, want %v", tt.n, size, r.Residuals[i], want)
				}
			}
		}
	}
	// With 13 columns, condition 10¹⁷, the numbers do not tell them apart any more.
	x, y := hilbertLegendre(13, 1)
	if _, err := Fit(x, 14, 13, y, Options{}); !errors.Is(err, ErrDependent) {
		t.Errorf("13 columns: error %v", err)
	}
}

// hilbertLegendre returns n + 1 rows of n columns of Hilbert's matrix, whole, and the
// sums of the rows and size times that of Legendre's coefficients.
func hilbertLegendre(n int, size float64) (x, y []float64) {
	common := new(big.Int).SetInt64(1)
	for i := int64(2); i <= 2*int64(n); i++ {
		gcd := new(big.Int).GCD(nil, nil, common, big.NewInt(i))
		common.Mul(common, gcd.Div(big.NewInt(i), gcd))
	}
	denominator, _ := new(big.Float).SetInt(common).Float64()
	for i := range n + 1 {
		sum := 0.0
		for j := range n {
			v := denominator / float64(i+j+1)
			x = append(x, v)
			sum += v
		}
		w, _ := new(big.Float).SetInt(new(big.Int).Mul(
			new(big.Int).Binomial(int64(n), int64(i)),
			new(big.Int).Binomial(int64(n+i), int64(i)))).Float64()
		if i%2 == 1 {
			w = -w
		}
		y = append(y, sum+math.Pi*size*w)
	}
	return x, y
}

// Four points on a line but for ±1, by hand: y = 1 + 2x + (1, -1, -1, 1) at x = -3, -1,
// 1, 3. The errors are orthogonal to both columns.
func TestByHand(t *testing.T) {
	x, y := []float64{-3, -1, 1, 3}, []float64{-4, -2, 2, 8}
	r, err := Fit(x, 4, 1, y, Options{Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	got := *r
	want := Regression{
		Rows: 4, Cols: 2, DF: 2, Intercept: true,
		Coef:      []float64{1, 2},
		StdErr:    []float64{math.Sqrt2 / 2, math.Sqrt2 / math.Sqrt(20)}, // Sigma/√4, Sigma/√Σx²
		Residuals: []float64{1, -1, -1, 1},
		Leverage:  []float64{0.7, 0.3, 0.3, 0.7}, // 1/4 + x²/20
		RSS:       4, TSS: 84,                    // 4 + 4·20
		R2:        1 - 4./84,
		AdjR2:     1 - 2./28,
		Sigma:     math.Sqrt2,
		Condition: 2, // orthogonal: √2·√2
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Regression{}), cmpopts.EquateApprox(1e-15, 0), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	// Without an intercept R² is about 0: RSS = 4·(1+1), TSS = 84 + 4.
	r, err = Fit(x, 4, 1, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{8, 88, 1 - 8./88, 1 - (8./3)/(88./4)}, []float64{r.RSS, r.TSS, r.R2, r.AdjR2}, cmpopts.EquateApprox(1e-15, 0)); diff != "" {
		t.Error(diff)
	}
}

// With as many rows as coefficients nothing is known of the noise.
func TestNoDegreesOfFreedom(t *testing.T) {
	r, err := Fit([]float64{1, 2, 4}, 3, 1, []float64{3, 5, 9}, Options{Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.DF != 1 || r.RSS > 1e-50 {
		t.Errorf("three points on a line: DF %d, RSS %g", r.DF, r.RSS)
	}
	r, err = Fit([]float64{1, 2}, 2, 1, []float64{3, 5}, Options{Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 2}, r.Coef, cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Error(diff)
	}
	for name, v := range map[string]float64{"Sigma": r.Sigma, "AdjR2": r.AdjR2, "StdErr": r.StdErr[1]} {
		if !math.IsNaN(v) {
			t.Errorf("%s is %v with no degrees of freedom, want NaN", name, v)
		}
	}
	value, low, high := r.Interval([]float64{3}, 0.9)
	if value != 7 || !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("prediction %v, %v to %v", value, low, high)
	}
	// A constant y leaves nothing to explain.
	r, err = Fit([]float64{1, 2, 4}, 3, 1, []float64{7, 7, 7}, Options{Intercept: true})
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(r.R2) || !math.IsNaN(r.AdjR2) || r.Coef[0] != 7 || r.Coef[1] != 0 || r.Sigma != 0 {
		t.Errorf("constant y: %+v", r)
	}
}

// Errors name what cannot be told apart, as a user of NAS benchmark features would
// have it.
func TestDependentColumns(t *testing.T) {
	for _, tt := range []struct {
		name    string
		columns []string
		x       []float64
		opt     Options
		want    string
		deps    []Dependency
	}{
		{
			"constant", []string{"size", "iterations"},
			[]float64{1, 15, 2, 15, 4, 15, 7, 15},
			Options{Intercept: true},
			`lsq: columns[1]: the data cannot tell columns apart: iterations is constant, as the intercept is; leave out iterations`,
			[]Dependency{{2, []int{0}, []float64{15}}},
		},
		{
			"cube", []string{"nx", "ny", "nz", "iterations", "depth"},
			[]float64{12, 12, 12, 4, 4, 33, 33, 33, 4, 4, 64, 64, 64, 4, 4, 102, 102, 102, 4, 4, 162, 162, 162, 4, 4, 408, 408, 408, 4, 4},
			Options{Intercept: true},
			`lsq: columns[1]: the data cannot tell columns apart: ny and nz are the same as nx; iterations and depth are constant, as the intercept is; leave out ny, nz, iterations and depth`,
			[]Dependency{{2, []int{1}, []float64{1}}, {3, []int{1}, []float64{1}}, {4, []int{0}, []float64{4}}, {5, []int{0}, []float64{4}}},
		},
		{
			"pairs", []string{"a", "b", "c", "d", "e"},
			[]float64{1, 4, 1, 4, 0, 2, 5, 2, 5, 0, 3, 5, 3, 5, 0, 7, 1, 7, 1, 0, 4, 4, 4, 4, 0},
			Options{},
			`lsq: columns[2]: the data cannot tell columns apart: c is the same as a; d is the same as b; e is 0 in every row; leave out c, d and e`,
			[]Dependency{{2, []int{0}, []float64{1}}, {3, []int{1}, []float64{1}}, {Column: 4}},
		},
		{
			"sum", []string{"a", "b", "c", "d"},
			// c = 2a - b/4 exactly; d is free.
			[]float64{1, 4, 1, 3, 2, 0, 4, 1, 3, 4, 5, 4, 5, 8, 8, 1, 7, 4, 13, 5},
			Options{},
			`lsq: columns[2]: the data cannot tell columns apart: c = 2·a - 0.25·b; leave out c`,
			[]Dependency{{2, []int{0, 1}, []float64{2, -0.25}}},
		},
		{
			"zero, no names", nil,
			[]float64{1, 0, 2, 0, 3, 0},
			Options{},
			`lsq: columns[1]: the data cannot tell columns apart: column 1 is 0 in every row; leave out column 1`,
			[]Dependency{{Column: 1}},
		},
		{
			"first is zero", []string{"a", "b"},
			[]float64{0, 1, 0, 2, 0, 4},
			Options{},
			`lsq: columns[0]: the data cannot tell columns apart: a is 0 in every row; leave out a`,
			[]Dependency{{Column: 0}},
		},
		{
			"multiple", []string{"bytes", "kilobytes", "x"},
			[]float64{1000, 1, 5, 3000, 3, 1, 7000, 7, 2, 4000, 4, 9},
			Options{},
			`lsq: columns[1]: the data cannot tell columns apart: kilobytes = 0.001·bytes; leave out kilobytes`,
			[]Dependency{{1, []int{0}, []float64{0.001}}},
		},
		{
			// The logarithm of a product, each rounded.
			"logarithms", []string{"log n", "log i", "log work"},
			func() (x []float64) {
				for _, p := range [][2]float64{{1400, 15}, {7000, 25}, {14000, 40}, {75000, 75}, {150000, 80}} {
					x = append(x, math.Log(p[0]), math.Log(p[1]), math.Log(p[0]*p[1]))
				}
				return x
			}(),
			Options{Intercept: true},
			`lsq: columns[2]: the data cannot tell columns apart: log work = log n + log i; leave out log work`,
			[]Dependency{{3, []int{1, 2}, []float64{1, 1}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cols := len(tt.columns)
			if cols == 0 {
				cols = 2
			}
			rows := len(tt.x) / cols
			y := make([]float64, rows)
			for i := range y {
				y[i] = float64(i * i)
			}
			opt := tt.opt
			opt.Names = tt.columns
			_, err := Fit(tt.x, rows, cols, y, opt)
			var dep *DependenceError
			var in *inputerr.Error
			if !errors.Is(err, ErrDependent) || !errors.As(err, &dep) || !errors.As(err, &in) {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			approx := cmpopts.EquateApprox(1e-5, 0)
			if diff := cmp.Diff(tt.deps, dep.Dependencies, approx, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInputErrors(t *testing.T) {
	// After an error, a solver and its result are as new.
	rng := rand.New(rand.NewPCG(4, 4))
	var good [3]leastCase
	for i := range good {
		c := leastCase{rows: 7, cols: 1 + i, opt: Options{Intercept: i != 1}}
		for range c.rows {
			for range c.cols {
				c.x = append(c.x, float64(rng.IntN(9)))
			}
			c.y = append(c.y, rng.NormFloat64())
		}
		good[i] = c
	}
	tell := func(s *Solver, r *Regression) (told string) {
		for _, c := range good {
			if err := s.Solve(r, c.x, c.rows, c.cols, c.y, c.opt); err != nil {
				t.Fatal(err)
			}
			told += fmt.Sprint(r.Rows, r.Cols, r.DF, r.Intercept, r.Coef, r.StdErr, r.Residuals, r.Leverage, r.RSS, r.TSS, r.R2, r.AdjR2, r.Sigma, r.Condition)
		}
		return told
	}
	fresh := tell(new(Solver), new(Regression))
	var used Solver
	var result Regression
	for _, tt := range []struct {
		name string
		x, y []float64
		opt  Options
		err  error
		want string
	}{
		{"few rows", []float64{1, 2, 3, 4}, []float64{1, 2}, Options{Intercept: true}, ErrFewRows,
			"lsq: y: fewer rows than columns: 2 for 3 coefficients: want one for each, and more to tell the noise"},
		{"no rows", nil, nil, Options{}, ErrFewRows,
			"lsq: y: fewer rows than columns: 0 for 2 coefficients: want one for each, and more to tell the noise"},
		{"NaN in y", []float64{1, 2, 3, 4}, []float64{1, math.NaN()}, Options{}, ErrNotFinite,
			"lsq: y[1]: number is not finite: NaN: want a finite number"},
		{"infinity in x", []float64{1, 2, 3, math.Inf(-1)}, []float64{1, 2}, Options{Names: []string{"a", "b"}}, ErrNotFinite,
			"lsq: x[3]: number is not finite: -Inf in row 1, b: want a finite number"},
		{"coefficient", []float64{0x1p-1050, 0, 0, 0x1p-1000}, []float64{2, 1}, Options{}, ErrOverflow,
			"lsq: columns[0]: result too large: the coefficient of the column: want the column multiplied by a power of ten"},
		{"coefficient beside an intercept", []float64{0, 0, 0x1p-1050, 0, 0, 1}, []float64{0, 2, 0}, Options{Intercept: true}, ErrOverflow,
			"lsq: columns[0]: result too large: the coefficient of the column: want the column multiplied by a power of ten"},
		{"sum of squares", []float64{1, 0, 0, 1}, []float64{1e200, 1}, Options{}, ErrOverflow,
			"lsq: y: result too large: the sum of squares of y: want y divided by a power of ten"},
		{"dependent", []float64{1, 2, 3, 6, 5, 10}, []float64{1, 2, 4}, Options{}, ErrDependent, ""},
	} {
		_, err := Fit(tt.x, len(tt.y), 2, tt.y, tt.opt)
		if !errors.Is(err, tt.err) || tt.want != "" && err.Error() != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
		if again := used.Solve(&result, tt.x, len(tt.y), 2, tt.y, tt.opt); err != nil && (again == nil || again.Error() != err.Error()) {
			t.Errorf("%s: a used solver says %v, want %v", tt.name, again, err)
		}
		if got := tell(&used, &result); got != fresh {
			t.Errorf("%s: then a used solver finds\n%s, want\n%s", tt.name, got, fresh)
		}
		if in := new(inputerr.Error); !errors.As(err, &in) {
			t.Errorf("%s: %T", tt.name, err)
		}
	}
}

// With fewer rows than columns the error names the columns that more rows of the same kind
// would not help: those that are 0, constant or equal, if there are two rows to tell.
func TestTooFewRows(t *testing.T) {
	x := []float64{ // zero, a, b, c as a, six, three, d
		0, 1, 2, 1, 6, 3, 7,
		0, 4, 2.5, 4, 6, 3, 9,
	}
	names := []string{"zero", "a", "b", "c", "six", "three", "d"}
	const row = 7
	for _, c := range []struct {
		rows int
		opt  Options
		want []Dependency
	}{
		{2, Options{Names: names}, []Dependency{{0, []int{}, []float64{}}, {3, []int{1}, []float64{1}}, {5, []int{4}, []float64{.5}}}},
		{2, Options{Names: names, Intercept: true}, []Dependency{{1, []int{}, []float64{}}, {4, []int{2}, []float64{1}}, {5, []int{0}, []float64{6}}, {6, []int{0}, []float64{3}}}},
		{1, Options{Names: names}, nil},
	} {
		_, err := Fit(x[:c.rows*row], c.rows, row, make([]float64, c.rows), c.opt)
		if !errors.Is(err, ErrFewRows) {
			t.Fatalf("%d rows: %v", c.rows, err)
		}
		var e *DependenceError
		if found := errors.As(err, &e); found != (c.want != nil) {
			t.Errorf("%d rows, %+v: %v", c.rows, c.opt, err)
		} else if found {
			if diff := cmp.Diff(c.want, e.Dependencies); diff != "" {
				t.Errorf("%+v: %s", c.opt, diff)
			}
			all, constant := names, []bool{true, false, false, false, true, true, false}
			if c.opt.Intercept {
				all, constant = append([]string{"the intercept"}, names...), append([]bool{true}, constant...)
			}
			if diff := cmp.Diff(all, e.Names) + cmp.Diff(constant, e.Constant); diff != "" {
				t.Errorf("%+v: %s", c.opt, diff)
			}
		}
	}
	// A number in two rows is enough to be seen as another.
	if _, err := Fit([]float64{1, 2, 3, 4, 4, 9}, 2, 3, []float64{1, 2}, Options{}); errors.Is(err, ErrDependent) {
		t.Errorf("nothing depends: %v", err)
	}
}

func TestPanics(t *testing.T) {
	var s Solver
	var r Regression
	fitted, err := Fit([]float64{1, 2, 4}, 3, 1, []float64{1, 2, 3}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	three := []float64{1, 2, 3}
	exact, err := Fit(three[:2], 2, 1, three[:2], Options{Intercept: true})
	if err != nil || exact.DF != 0 {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"x":          func() { s.Solve(&r, three, 2, 2, three[:2], Options{}) },
		"rows":       func() { s.Solve(&r, nil, -1, 0, nil, Options{}) },
		"y":          func() { s.Solve(&r, three, 3, 1, three[:2], Options{}) },
		"names":      func() { s.Solve(&r, three, 3, 1, three, Options{Names: []string{"a", "b"}}) },
		"level 0":    func() { fitted.Interval(three[:1], 0) },
		"nothing":    func() { s.Solve(&r, nil, 3, 0, three, Options{}) },
		"row":        func() { fitted.Predict(three) },
		"leverage":   func() { fitted.LeverageAt(three) },
		"level":      func() { fitted.Interval(three[:1], 1) },
		"no freedom": func() { exact.Interval(three[:1], 1) },
		"level NaN":  func() { fitted.Interval(three[:1], math.NaN()) },
		"all of it":  func() { TQuantile(1, 3) },
		"quantile":   func() { TQuantile(0, 3) },
		"freedom":    func() { TQuantile(0.9, 0) },
	} {
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "lsq: ") {
					t.Errorf("%s: panic %v", name, v)
				}
			}()
			f()
		}()
	}
}

// Columns of any unit: numbers near both ends of float64, subnormal ones included.
func TestRange(t *testing.T) {
	base := []float64{1, 5, 2, 3, 4, 1, 6, 8, 7, 2}
	y := []float64{1, 4, 2, 8, 5}
	want, err := Fit(base, 5, 2, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []int{-1060, -1000, -300, 0, 300, 1000, 1020} {
		for _, ey := range []int{-500, 0, 500} {
			x := append([]float64(nil), base...)
			for i := 0; i < len(x); i += 2 {
				x[i] = math.Ldexp(x[i], e)
			}
			ys := append([]float64(nil), y...)
			for i := range ys {
				ys[i] = math.Ldexp(ys[i], ey)
			}
			r, err := Fit(x, 5, 2, ys, Options{})
			if ey-e > 1023 {
				if !errors.Is(err, ErrOverflow) {
					t.Errorf("2^%d, 2^%d: error %v", e, ey, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("2^%d, 2^%d: %v", e, ey, err)
				continue
			}
			got := []float64{math.Ldexp(r.Coef[0], e-ey), math.Ldexp(r.Coef[1], -ey), math.Ldexp(r.StdErr[0], e-ey), math.Ldexp(r.Sigma, -ey), r.R2, r.Leverage[1]}
			exact := []float64{want.Coef[0], want.Coef[1], want.StdErr[0], want.Sigma, want.R2, want.Leverage[1]}
			if ey-e < -1000 { // subnormal
				got, exact = got[3:], exact[3:]
			}
			if diff := cmp.Diff(exact, got); diff != "" {
				t.Errorf("2^%d, 2^%d: %s", e, ey, diff)
			}
		}
	}
}

// What is 0 in all rows has the coefficients 0, without a correction.
func TestAllZero(t *testing.T) {
	r, err := Fit([]float64{1, 5, 2, 3, 4, 1}, 3, 2, []float64{0, 0, 0}, Options{})
	if err != nil || r.Coef[0] != 0 || r.Coef[1] != 0 || r.Correction != 0 {
		t.Errorf("coefficients %v, correction %v, %v", r.Coef, r.Correction, err)
	}
}

// Rows of very different size are all as well fitted as small ones would be alone:
// what weights do.
func TestRowsOfDifferentSize(t *testing.T) {
	// One row fixes a + b = 1 with weight 2⁶⁰, the others fit a - b.
	const w = 0x1p60
	x := []float64{w, w, 1, -1, 1, -1, 1, -1}
	y := []float64{w, 0.25, 0.5, 0.75}
	r, err := Fit(x, 4, 2, y, Options{})
	if err != nil {
		// B has the singular value 2⁻⁶⁰·√3: below the tolerance, rightly, for the
		// entries of the large row are known to no more than 2⁷.
		if !errors.Is(err, ErrDependent) {
			t.Fatal(err)
		}
	} else {
		t.Errorf("2⁶⁰: no error, condition %g", r.Condition)
	}
	const v = 0x1p40
	x[0], x[1], y[0] = v, v, v
	r, err = Fit(x, 4, 2, y, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := newRational(x, 4, 2, y, false)
	for j, b := range e.beta {
		if !near(r.Coef[j], float(b), 1) {
			t.Errorf("coefficient %d is %v, want %v", j, r.Coef[j], float(b))
		}
	}
}

// Quantiles of Student's t from closed forms: with one degree of freedom it is
// Cauchy's distribution, and for 2 and 4 the distribution function is algebraic,
// see W. T. Shaw, "Sampling Student's T distribution", J. Comp. Finance 9, 2006. The
// others are those of printed tables.
func TestStudentT(t *testing.T) {
	four := func(level float64) float64 {
		a := (1 - level) * (1 + level) // 4p(1-p), p = (1+level)/2
		root := math.Sqrt(a)
		return 2 * math.Sqrt(math.Cos(math.Acos(root)/3)/root-1)
	}
	for _, level := range []float64{0.05, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999} {
		for _, c := range []struct{ df, want float64 }{
			{1, math.Tan(math.Pi / 2 * level)},
			{2, level * math.Sqrt(2/((1-level)*(1+level)))},
			{4, four(level)},
		} {
			if got := TQuantile(level, c.df); !(math.Abs(got/c.want-1) <= 1e-12) {
				t.Errorf("level %v, %v degrees of freedom: %v, want %v", level, c.df, got, c.want)
			}
		}
	}
	// For small levels it is level over twice the density at 0, and where the
	// expansion takes over from Newton's method there is no seam: t − z is as 1/df.
	for _, df := range []float64{1, 2, 3, 10, 9999, 1e4, 1e6} { // linear near 0, however near
		if got, want := TQuantile(1e-170, df)*1e-100, TQuantile(1e-20, df)*1e-250; !(math.Abs(got/want-1) <= 1e-12) {
			t.Errorf("df %v: %v, want %v", df, got, want)
		}
	}
	if got, want := TQuantile(1e-9, 3), 1e-9*math.Sqrt(3)*math.Pi/4; !(math.Abs(got/want-1) <= 1e-12) {
		t.Errorf("level 1e-9: %v, want %v", got, want)
	}
	for _, level := range []float64{0.1, 0.9, 0.99999} {
		z := math.Sqrt2 * math.Erfinv(level)
		below, above := 9999*(TQuantile(level, 9999)-z), 10000*(TQuantile(level, 10000)-z)
		if !(math.Abs(below/above-1) <= 1e-6) {
			t.Errorf("level %v: %v below 10,000 degrees of freedom, %v from there", level, below, above)
		}
	}
	// On either side of it the tail beyond t is 1 − level.
	for _, level := range []float64{0.5, 0.9, 0.999, 0.999999, 0.999999999} {
		for _, df := range []float64{30, 100, 300, 3000, 10000, 20000} {
			x := TQuantile(level, df)
			if p := mathext.RegIncBeta(df/2, 0.5, df/(df+x*x)); !(math.Abs(p/(1-level)-1) <= 1e-9) {
				t.Errorf("level %v, %v degrees of freedom: beyond %v are %v", level, df, x, p)
			}
		}
	}
	// And below t is level, where that is less than half.
	for _, level := range []float64{1e-6, 0.1, 0.3, 0.499} {
		for _, df := range []float64{3, 5, 30, 3000} {
			x := TQuantile(level, df)
			if p := mathext.RegIncBeta(0.5, df/2, x*x/(df+x*x)); !(math.Abs(p/level-1) <= 1e-11) {
				t.Errorf("level %v, %v degrees of freedom: below %v are %v", level, df, x, p)
			}
		}
	}
	for _, c := range []struct{ level, df, want float64 }{
		{0.90, 3, 2.353}, {0.95, 5, 2.571}, {0.99, 10, 3.169}, {0.80, 20, 1.325},
		{0.95, 30, 2.042}, {0.999, 7, 5.408}, {0.95, 120, 1.980}, {0.95, 1e7, 1.960},
	} {
		if got := TQuantile(c.level, c.df); !(math.Abs(got-c.want) <= 5e-4) {
			t.Errorf("level %v, %v degrees of freedom: %v, want %v", c.level, c.df, got, c.want)
		}
	}
}

// y is orthogonal to both columns: the coefficients are 0, and nothing of them is
// right, relatively; refinement stops as soon as they do not matter in y.
func TestOrthogonal(t *testing.T) {
	r, err := Fit([]float64{78, 76, 49, 4, 74, 52}, 3, 2, []float64{2252, 1568, -3412}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(r.Coef[0])+math.Abs(r.Coef[1]) > 1e-29 || r.Correction > 0x1p-60 {
		t.Errorf("coefficients %g, correction %g", r.Coef, r.Correction)
	}
	if diff := cmp.Diff([]float64{2252, 1568, -3412}, r.Residuals); diff != "" {
		t.Error(diff)
	}
}

// Sizes that no memory holds panic with the package's name, before memory is taken.
func TestSizesBeyond(t *testing.T) {
	for name, f := range map[string]func(){
		"columns": func() { _, _ = Fit(nil, 0, math.MaxInt, nil, Options{}) },
		"product": func() { _, _ = Fit(nil, math.MaxInt/2+1, 4, nil, Options{}) },
	} {
		func() {
			defer func() {
				if m, _ := recover().(string); !strings.HasPrefix(m, "lsq: ") {
					t.Errorf("%s: panic %q", name, m)
				}
			}()
			f()
		}()
	}
}

// A correction is relative to the largest term: where terms cancel, so that each is 2²⁵ times the sum, it is still no more
// than the precision of sums of products times the condition.
func TestCorrectionIsRelative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2)) // seed 1, 2
	for _, e := range []int{5, 10, 15, 20, 25} {
		var x, y []float64
		for range 20 {
			a, d := 1+rng.Float64(), rng.NormFloat64()
			x = append(x, a, a+math.Ldexp(d, -e))
			y = append(y, d+.1*rng.NormFloat64())
		}
		var r Regression
		if err := new(Solver).Solve(&r, x, 20, 2, y, Options{}); err != nil {
			t.Fatal(err)
		}
		if r.Correction == 0 || r.Correction > twoParts*r.Condition {
			t.Errorf("columns that differ by 2^-%d: a correction of %g with a condition of %g", e, r.Correction, r.Condition)
		}
	}
}
