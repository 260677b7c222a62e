package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// noisy returns a profile of a noisy law, which every model can be fitted to.
func noisy(seed uint64) Profile {
	r := rand.New(rand.NewPCG(seed, 3))
	p := Profile{Application: "app", Features: []string{"n", "steps"}}
	for _, n := range []float64{1, 5, 20} {
		for _, steps := range []float64{2, 9} {
			for _, processes := range []int{1, 2, 4, 8} {
				c := n * steps * (.1 + .9/float64(processes)) * math.Exp(.2*r.NormFloat64())
				m := .05 * n * math.Log2(float64(processes)) * math.Exp(.2*r.NormFloat64())
				p.Runs = append(p.Runs, Run{Features: []float64{n, steps}, Processes: processes, Seconds: c + m, Computation: c, Communication: m, Split: true, Repetitions: 1})
			}
		}
	}
	return p
}

// What every estimator says of a case, whether it is asked for much or little of it.
func TestEveryEstimate(t *testing.T) {
	type fitted struct {
		e        Estimator
		features []float64
		most     int
		log      bool // intervals are symmetric in the logarithm
	}
	all := map[string]fitted{}
	p := noisy(1)
	for name, m := range everyModel() {
		if err := m.Fit(&p); err != nil {
			t.Fatal(name, err)
		}
		all[name] = fitted{m, []float64{12, 7}, 8, name != "cap3" && name != "amdahl" && name != "usl"}
	}
	additive := &Additive{}
	if err := additive.Fit(&p); err != nil {
		t.Fatal(err)
	}
	all["additive"] = fitted{additive, []float64{20, 9}, 8, false}
	profiles, shapes := madeUpProfiles(t, 43)
	machine := &Machine{Shapes: shapes}
	if err := machine.FitAll(profiles); err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, r := range profiles[2].Runs {
		most = max(most, r.Processes)
	}
	all["machine"] = fitted{machine.Application(2), profiles[2].Runs[0].Features, most, true}

	for name, f := range all {
		for _, counts := range [][]int{{2}, {1, 2, 3, 4, 6, 8}, {8, 7, 6, 5, 4, 3, 2, 1, 3, 5, 2, 4}} {
			ask := func(q Query) []Estimate {
				q.Features, q.Processes = f.features, counts
				dst := make([]Estimate, len(counts))
				for i := range dst { // what is there before must not matter
					dst[i] = Estimate{Processes: 77, Seconds: 77, Lower: 77, Upper: 77, Mean: 77, Scale: 77}
				}
				if err := f.e.EstimateTo(dst, q); err != nil {
					t.Fatal(name, err)
				}
				return dst
			}
			whole, mean := ask(Query{}), ask(Query{Mean: true})
			wide, same := ask(Query{Level: .99}), ask(Query{Level: defaultLevel})
			brief, briefWide, briefMean := ask(Query{Brief: true}), ask(Query{Brief: true, Level: .99}), ask(Query{Brief: true, Mean: true})
			for i, n := range counts {
				e := whole[i]
				if e.Processes != n || e.Scale != float64(n)/float64(f.most) || e.Mean != 0 {
					t.Errorf("%s: %+v on %d processes of %d", name, e, n, f.most)
				}
				if n > 1 && !(e.Lower < e.Seconds && e.Seconds < e.Upper && wide[i].Upper > e.Upper && wide[i].Lower <= e.Lower) {
					t.Errorf("%s: %+v, with 99%% %+v", name, e, wide[i])
				}
				if same[i] != e {
					t.Errorf("%s: the default level gives %+v, want %+v", name, same[i], e)
				}
				if f.log && n > 1 {
					isNear(t, name+": Lower·Upper", e.Lower*e.Upper, e.Seconds*e.Seconds, 1e-9)
				}
				if m := mean[i].Mean; n > 1 && !(m >= e.Seconds*(1-1e-12) && m < e.Upper) {
					t.Errorf("%s: mean %v of %+v", name, m, e)
				}
				if mean[i].Mean = 0; mean[i] != e {
					t.Errorf("%s: with the mean %+v, want %+v", name, mean[i], e)
				}
				for _, b := range []Estimate{brief[i], briefWide[i], briefMean[i]} {
					if b.Processes != n || b.Seconds != e.Seconds || b.Scale != e.Scale {
						t.Errorf("%s: brief %+v, want %+v", name, b, e)
					}
				}
				if briefWide[i].Upper != wide[i].Upper {
					t.Errorf("%s: brief %+v, want %+v", name, briefWide[i], wide[i])
				}
			}
		}
		// So large a case has no time that a float64 holds, or a time; it is no panic.
		huge := make([]float64, len(f.features))
		for _, size := range []float64{1e70, 1e150, 1e300} {
			for i := range huge {
				huge[i] = size
			}
			var dst [1]Estimate
			err := f.e.EstimateTo(dst[:], Query{Features: huge, Processes: []int{int(min(math.MaxInt, int64(1)<<40))}})
			var in *inputerr.Error
			if e := dst[0]; err == nil && !(e.Seconds > 0 && e.Seconds < math.Inf(1)) || err != nil && !errors.As(err, &in) {
				t.Errorf("%s: %+v, %v", name, e, err)
			}
		}
	}
	for name, m := range everyModel() {
		if err := m.EstimateTo(make([]Estimate, 1), Query{Features: []float64{1, 1}, Processes: []int{1}}); !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: not fitted: %v", name, err)
		}
	}
	if err := new(Additive).EstimateTo(make([]Estimate, 1), Query{Features: []float64{1, 1}, Processes: []int{1}}); !errors.Is(err, ErrNotFitted) {
		t.Errorf("additive: not fitted: %v", err)
	}
}

// Estimates of the whole are those of the parts together.
func TestCAP3IsTheSumOfItsParts(t *testing.T) {
	p := noisy(2)
	for _, m := range []*CAP3{{}, {AllToAll: true}, {Work: Product, Proportional: true}} {
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		q := Query{Features: []float64{12, 7}, Processes: []int{1, 2, 5, 8, 100}, Level: .8, Mean: true}
		whole, c, n := make([]Estimate, 5), make([]Estimate, 5), make([]Estimate, 5)
		computation, network := &m.computation, &m.network
		if err := errors.Join(m.EstimateTo(whole, q), computation.EstimateTo(c, q), network.EstimateTo(n, q)); err != nil {
			t.Fatal(err)
		}
		for i, e := range whole {
			if e.Seconds != c[i].Seconds+n[i].Seconds || e.Lower != c[i].Lower+n[i].Lower || e.Upper != c[i].Upper+n[i].Upper || e.Mean != c[i].Mean+n[i].Mean {
				t.Errorf("%+v, want the sums of %+v and %+v", e, c[i], n[i])
			}
		}
		bad := Profile{Application: p.Application, Features: p.Features, Runs: append([]Run(nil), p.Runs...)}
		bad.Runs[3].Computation = 0
		if err := m.Fit(&bad); !errors.Is(err, ErrNotPositive) {
			t.Error(err)
		}
		if err := m.EstimateTo(whole, q); !errors.Is(err, ErrNotFitted) {
			t.Errorf("after a fit that failed: %v", err)
		}
	}
}

// The interval of the Universal Scalability Law is exp(±t·√(ln(1+s²)·(1+h))) times the median,
// with the leverage h of the relative problem by the normal equations.
func TestUSLInterval(t *testing.T) {
	p := Profile{Application: "a", Features: []string{"n"}}
	for i, processes := range []int{1, 2, 3, 4, 6, 8, 12, 16} {
		n := float64(processes)
		run := Run{Features: []float64{1}, Processes: processes, Repetitions: 1, Seconds: (90/n + 10 + 0.8*(n-1)) * (1 + 0.05*float64(i%3-1))}
		p.Runs = append(p.Runs, run)
	}
	m := &USL{}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	a, b, c := m.coefficients()
	if a*b*c == 0 {
		t.Fatalf("the law has a share of 0: %v, %v, %v", a, b, c)
	}
	row := func(processes int) []float64 { // relative to the time that the law gives
		n := float64(processes)
		mean := a/n + b + c*(n-1)
		return []float64{1 / n / mean, 1 / mean, (n - 1) / mean}
	}
	X := mat.NewDense(len(p.Runs), 3, nil)
	rss := 0.0
	for i, r := range p.Runs {
		x := row(r.Processes)
		X.SetRow(i, x)
		d := r.Seconds/(1/x[1]) - 1
		rss += d * d
	}
	var normal, inverse mat.Dense
	normal.Mul(X.T(), X)
	if err := inverse.Inverse(&normal); err != nil {
		t.Fatal(err)
	}
	df := float64(len(p.Runs) - 3)
	s2 := rss / df
	for _, processes := range []int{1, 5, 16, 40} {
		x := mat.NewVecDense(3, row(processes))
		h := mat.Inner(x, &inverse, x)
		f := math.Exp(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(.95) * math.Sqrt(math.Log(1+s2)*(1+h)))
		median := 1 / x.AtVec(1) / math.Sqrt(1+s2)
		var e [1]Estimate
		if err := m.EstimateTo(e[:], Query{Features: []float64{1}, Processes: []int{processes}}); err != nil {
			t.Fatal(err)
		}
		isNear(t, "Seconds", e[0].Seconds, median, 1e-4)
		isNear(t, "Upper", e[0].Upper, median*f, 1e-4)
		isNear(t, "Lower", e[0].Lower, median/f, 1e-4)
	}
}

// The interval of Eq. (1) is that of textbooks, v ± t·s·√(1 + x'(X'X)⁻¹x).
func TestAdditiveInterval(t *testing.T) {
	p := noisy(4)
	m := &Additive{}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	rows := len(p.Runs)
	X, y := mat.NewDense(rows, 4, nil), mat.NewVecDense(rows, nil)
	for i, r := range p.Runs {
		X.SetRow(i, []float64{1, r.Features[0], r.Features[1], float64(r.Processes)})
		y.SetVec(i, r.Seconds)
	}
	var normal, inverse mat.Dense
	normal.Mul(X.T(), X)
	if err := inverse.Inverse(&normal); err != nil {
		t.Fatal(err)
	}
	var b, xy, fit mat.VecDense
	xy.MulVec(X.T(), y)
	b.MulVec(&inverse, &xy)
	fit.MulVec(X, &b)
	rss := 0.0
	for i := range rows {
		d := y.AtVec(i) - fit.AtVec(i)
		rss += d * d
	}
	df := float64(rows - 4)
	for _, level := range []float64{.5, .9} {
		half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1+level)/2) * math.Sqrt(rss/df)
		for _, processes := range []int{1, 8, 16} {
			x := mat.NewVecDense(4, []float64{1, 30, 9, float64(processes)})
			v, h := mat.Dot(x, &b), mat.Inner(x, &inverse, x)
			var e [1]Estimate
			if err := m.EstimateTo(e[:], Query{Features: []float64{30, 9}, Processes: []int{processes}, Level: level, Mean: true}); err != nil {
				t.Fatal(err)
			}
			isNear(t, "Seconds", e[0].Seconds, v, 1e-9)
			isNear(t, "Mean", e[0].Mean, v, 1e-9)
			isNear(t, "Upper", e[0].Upper, v+half*math.Sqrt(1+h), 1e-9)
			isNear(t, "Lower", e[0].Lower, max(0, v-half*math.Sqrt(1+h)), 1e-9)
		}
	}
}
