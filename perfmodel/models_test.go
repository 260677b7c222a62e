package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// runsOf makes a profile of one feature from a function of it and of P.
func runsOf(xs []float64, ps []int, seconds func(x float64, p int) float64) Profile {
	p := Profile{Application: "app", Features: []string{"x"}}
	for _, x := range xs {
		for _, n := range ps {
			p.Runs = append(p.Runs, Run{Features: []float64{x}, Processes: n, Seconds: seconds(x, n), Repetitions: 1})
		}
	}
	return p
}

func isNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// A power law is found again, with its exponents, also far outside of the profile.
func TestLogLinearPowerLaw(t *testing.T) {
	law := func(x float64, p int) float64 { return 3e-4 * math.Pow(x, 1.25) * math.Pow(float64(p), -0.8) }
	p := runsOf([]float64{10, 100, 1000}, []int{1, 2, 4}, law)
	for name, m := range map[string]Model{"features": &LogLinear{}, "work": &LogLinear{Work: Product}, "quadratic": &LogLinear{Quadratic: true}} {
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		e, err := At(m, []float64{1e6}, 64)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, name, e.Seconds, law(1e6, 64), 1e-9)
		isNear(t, name+" scale", e.Scale, 16, 1e-15)
	}
	m := &LogLinear{}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{math.Log(3e-4), 1.25, -0.8} {
		isNear(t, "coefficient", m.Regression().Coef[i], want, 1e-12)
	}
	if got := strings.Join(m.log.names, ", "); got != "ln x, ln P" {
		t.Error(got)
	}
}

// The quadratic finds the turn of a parabola in log P.
func TestQuadraticTurn(t *testing.T) {
	law := func(x float64, p int) float64 {
		l := math.Log(float64(p))
		return x * math.Exp(-l+l*l/8) // least at ln P = 4
	}
	p := runsOf([]float64{1, 10}, []int{1, 2, 4, 8, 16}, law)
	m := &LogLinear{Quadratic: true}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	c := m.Regression().Coef
	isNear(t, "turn", -c[2]/(2*c[3]), 4, 1e-9)
	for _, n := range []int{1, 32, 55, 1024, 1025, 5000} {
		e, err := At(m, []float64{7}, n)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, "seconds", e.Seconds, law(7, n), 1e-9)
	}
}

// Table I's features of the NAS benchmarks, as they are, on classes S, W and A:
// what cannot be told apart is named, for all but EP. With a Work there is a fit.
func TestTableOneIsRankDeficient(t *testing.T) {
	cases := readCases(t, strings.NewReader(classes))
	for _, b := range benchmarks {
		p := Profile{Application: b.Name, Features: b.Features}
		for _, c := range cases {
			if c.application == b.Name && c.name != "B" {
				for n := 1; n <= 4; n++ { // the times do not matter
					p.Runs = append(p.Runs, Run{Features: c.features, Processes: n, Seconds: b.Work(c.features) / float64(n*n), Repetitions: 1})
				}
			}
		}
		err := new(LogLinear).Fit(&p)
		switch b.Name {
		case "ep":
			if err != nil {
				t.Error(b.Name, err)
			}
		default:
			if !errors.Is(err, ErrDependent) {
				t.Errorf("%s: %v", b.Name, err)
				continue
			}
			want := "ln iterations"
			if b.Name == "bt" || b.Name == "lu" || b.Name == "sp" {
				want = "ln ny"
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not name %s", b.Name, err, want)
			}
		}
		if err := (&LogLinear{Work: b.Work}).Fit(&p); err != nil {
			t.Error(b.Name, err)
		}
	}
}

// The same on what was measured, on 1 and 2 processes and on all: where there are
// fewer runs than coefficients the columns are named all the same.
func TestTableOneOnRealTimes(t *testing.T) {
	profiles := sharedNPB(t)
	for i := range profiles {
		for _, most := range []int{2, 16} {
			train := profiles[i].Select(func(r *Run) bool { return r.Case != "B" && r.Processes <= most })
			err := new(LogLinear).Fit(&train)
			t.Log(train.Application, most, err)
			if train.Application == "ep" {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			var d *lsq.DependenceError
			if !errors.Is(err, ErrDependent) || !errors.As(err, &d) || len(d.Dependencies) == 0 {
				t.Error(train.Application, err)
			}
			// Constant, intercept and so on: the columns that are out in the end are these.
			want := "ln iterations"
			switch train.Application {
			case "bt", "sp", "lu":
				want = "ln ny and ln nz"
				if few := len(train.Runs) < 7; few != errors.Is(err, ErrFewRows) {
					t.Error(train.Application, len(train.Runs), err)
				}
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not name %s", train.Application, err, want)
			}
		}
	}
}

// growth is lg P, or P·lg P of an all-to-all.
func growth(allToAll bool, p int) float64 {
	if allToAll {
		return float64(p) * math.Log2(float64(p))
	}
	return math.Log2(float64(p))
}

// Eq. (3) and (4), and what one process costs.
func TestNetwork(t *testing.T) {
	for _, all := range []bool{false, true} {
		law := func(x float64, p int) float64 { return 1e-3 * math.Pow(x, 0.5) * math.Pow(growth(all, p), 1.5) }
		p := Profile{Application: "app", Features: []string{"x"}}
		for _, x := range []float64{1, 10, 100} {
			for _, n := range []int{1, 2, 4, 8} {
				p.Runs = append(p.Runs, Run{Features: []float64{x}, Processes: n, Seconds: 1, Computation: 1 / float64(n), Communication: law(x, n), Split: true, Repetitions: 1})
			}
		}
		m := &Network{AllToAll: all}
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		if rows := m.Regression().Rows; rows != 9 {
			t.Errorf("%d runs in the fit, want those on more than one process", rows)
		}
		for _, n := range []int{1, 2, 64, 2048} {
			e, err := At(m, []float64{50}, n)
			if err != nil {
				t.Fatal(err)
			}
			isNear(t, "T_N", e.Seconds, law(50, n), 1e-9)
			if n == 1 && (e.Upper != 0 || e.Mean != 0) {
				t.Error("something is sent on one process:", e)
			}
		}
		both := &CAP3{AllToAll: all}
		if err := both.Fit(&p); err != nil {
			t.Fatal(err)
		}
		e, err := At(both, []float64{50}, 64)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, "T_C + T_N", e.Seconds, 1./64+law(50, 64), 1e-9)
		e, err = At(both, []float64{50}, 1)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, "T_C on one process", e.Seconds, 1, 1e-9)

		// A time of 0 on two processes has no logarithm.
		p.Runs[1].Communication = 0
		checkInput(t, "no time", m.Fit(&p), "Profile.Runs[].Communication", 1, ErrNotPositive)
		if _, err := At(m, []float64{50}, 2); !errors.Is(err, ErrNotFitted) {
			t.Error("predicts after an error:", err)
		}
		p.Runs[1].Split = false
		checkInput(t, "not apart", m.Fit(&p), "Profile.Runs[].Split", 1, ErrMissing)
		checkInput(t, "not apart", both.Fit(&p), "Profile.Runs[].Split", 1, ErrMissing)
	}
	// Only on one process: nothing to fit to.
	alone := runsOf([]float64{1, 2}, []int{1}, func(float64, int) float64 { return 1 })
	checkInput(t, "one process", new(Network).Fit(&alone), "Profile.Runs", -1, ErrFewRows)
}

// serial is σ.
func serial(m *USL) float64 {
	_, sigma, _ := m.Coefficients()
	return sigma
}

func TestAmdahlAndUSL(t *testing.T) {
	amdahl := func(x float64, p int) float64 { return x * 0.01 * (0.05 + 0.95/float64(p)) }
	p := runsOf([]float64{10, 30}, []int{1, 2, 4, 8, 16}, amdahl)
	a := &USL{Amdahl: true, Work: Product}
	if err := a.Fit(&p); err != nil {
		t.Fatal(err)
	}
	isNear(t, "serial share", serial(a), 0.05, 1e-9)
	u := &USL{Work: Product}
	if err := u.Fit(&p); err != nil {
		t.Fatal(err)
	}
	lambda, sigma, kappa := u.Coefficients()
	isNear(t, "lambda", lambda, 100, 1e-9)
	isNear(t, "sigma", sigma, 0.05, 1e-9)
	if kappa > 1e-12 {
		t.Error("kappa", kappa)
	}
	for _, m := range []Model{a, u} {
		e, err := At(m, []float64{300}, 128)
		if err != nil {
			t.Fatal(err)
		}
		isNear(t, "seconds", e.Seconds, amdahl(300, 128), 1e-9)
	}
	usl := func(x float64, p int) float64 {
		n := float64(p)
		return x * (1 + 0.03*(n-1) + 0.0005*n*(n-1)) / (20 * n)
	}
	p = runsOf([]float64{1}, []int{1, 2, 4, 8, 16, 32}, usl)
	u.Work = nil
	if err := u.Fit(&p); err != nil {
		t.Fatal(err)
	}
	lambda, sigma, kappa = u.Coefficients()
	isNear(t, "lambda", lambda, 20, 1e-9)
	isNear(t, "sigma", sigma, 0.03, 1e-8)
	isNear(t, "kappa", kappa, 0.0005, 1e-8)
	isNear(t, "peak", u.Peak(), math.Sqrt(0.97/0.0005), 1e-8)
	// Of shares that fit as well as fewer the most are taken, and those that time nothing are 0: a run on twice the processes in
	// half the time, to the last bit.
	p = runsOf([]float64{1}, []int{1, 2, 4, 8}, func(x float64, p int) float64 { return 64 / float64(p) })
	if err := a.Fit(&p); err != nil {
		t.Fatal(err)
	}
	if a.support != 3 || serial(a) != 0 {
		t.Errorf("shares of %b, %v of them serial", a.support, serial(a))
	}
	// Speedup beyond P: no share may be negative, so σ and κ are 0.
	p = runsOf([]float64{1}, []int{1, 2, 4, 8}, func(x float64, p int) float64 { return math.Pow(float64(p), -1.1) })
	for _, m := range []Model{&USL{Amdahl: true}, u} {
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
	}
	if _, sigma, kappa = u.Coefficients(); sigma != 0 || kappa != 0 || !math.IsInf(u.Peak(), 1) {
		t.Error("superlinear:", sigma, kappa, u.Peak())
	}
	// What they cannot tell.
	p = runsOf([]float64{1}, []int{4, 4, 4, 4}, func(x float64, p int) float64 { return 1 })
	if err := a.Fit(&p); !errors.Is(err, ErrDependent) {
		t.Error(err)
	}
	p = runsOf([]float64{1}, []int{1, 4, 4, 4}, func(x float64, p int) float64 { return 1 })
	if err := u.Fit(&p); !errors.Is(err, ErrDependent) {
		t.Error(err)
	}
}

// Every model refuses what has no logarithm, too few runs, and use before a fit.
func TestModelsErrors(t *testing.T) {
	for name, m := range map[string]Model{
		"loglinear": &LogLinear{}, "quadratic": &LogLinear{Quadratic: true}, "amdahl": &USL{Amdahl: true, Work: Product}, "usl": &USL{Work: Product}, "work": &LogLinear{Work: Product},
		"additive": &Additive{Work: Product},
	} {
		if _, err := At(m, nil, 1); !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: %v", name, err)
		}
		p := runsOf([]float64{1, 2, 4}, []int{1, 2, 4}, func(x float64, p int) float64 { return x / float64(p) })
		p.Runs[4].Features[0] = 0
		checkInput(t, name, m.Fit(&p), "Profile.Runs[].Features", 4, ErrNotPositive)
		p.Runs[4].Features[0] = 2
		p.Runs[2].Seconds = -1
		checkInput(t, name, m.Fit(&p), "Profile.Runs[].Seconds", 2, ErrNotPositive)
		p.Runs[2].Seconds = 1
		p.Runs[3].Repetitions = 0
		checkInput(t, name, m.Fit(&p), "Profile.Runs[].Repetitions", 3, ErrRange) // that of Validate
		p.Runs[3].Repetitions = 1
		if err := m.Fit(&Profile{Features: []string{"x"}}); !errors.Is(err, ErrFewRows) || !strings.Contains(err.Error(), "0 runs: want at least one to fit to") {
			t.Errorf("%s: %v", name, err)
		}
		few := Profile{Features: p.Features, Runs: p.Runs[:1]}
		if err := m.Fit(&few); !errors.Is(err, ErrFewRows) {
			t.Errorf("%s: %v", name, err)
		}
		if err := m.Fit(&p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_, err := At(m, []float64{-1}, 1)
		checkInput(t, name, err, "Query.Features[]", -1, ErrNotPositive)
		_, err = At(m, []float64{math.Inf(1)}, 1)
		checkInput(t, name, err, "Query.Features[]", 0, ErrNotFinite)
		for what, f := range map[string]func(){
			"dst":      func() { m.EstimateTo(nil, Query{Features: []float64{1}, Processes: []int{1}}) },
			"features": func() { At(m, nil, 1) },
			"P":        func() { At(m, []float64{1}, 0) },
			"level":    func() { m.EstimateTo(nil, Query{Features: []float64{1}, Level: 1}) },
		} {
			panics(t, name+" "+what, f)
		}
	}
	one := runsOf([]float64{1, 2, 4}, []int{2}, func(x float64, p int) float64 { return x })
	if err := (&LogLinear{}).Fit(&one); !errors.Is(err, ErrDependent) || !strings.HasPrefix(err.Error(), "perfmodel: ") {
		t.Errorf("one number of processes: %v", err)
	}
	panics(t, "serial", func() { (&USL{Amdahl: true}).Coefficients() })
	// As many runs as coefficients: a prediction, and an interval without ends.
	p := runsOf([]float64{1, 2}, []int{1, 2}, func(x float64, p int) float64 { return x / float64(p) })
	p.Runs = p.Runs[:3]
	m := &LogLinear{}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	e, err := At(m, []float64{2}, 2)
	if err != nil || !math.IsInf(e.Upper, 1) || e.Lower != 0 || !math.IsNaN(e.Mean) {
		t.Error(e, err)
	}
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		r := recover()
		if s, ok := r.(string); !ok || !strings.HasPrefix(s, "perfmodel: ") {
			t.Errorf("%s: panic %v", what, r)
		}
	}()
	f()
}

// By which feature a prediction goes beyond the profile, and how far.
func TestExtrapolation(t *testing.T) {
	p := Profile{Application: "app", Features: []string{"keys", "iterations"}}
	for i, keys := range []float64{100, 1000, 10000} {
		for j, n := range []int{2, 4, 8} {
			p.Runs = append(p.Runs, Run{Features: []float64{keys, float64(4 + (i+j)%3)}, Processes: n, Seconds: keys / float64(n), Repetitions: 1})
		}
	}
	m := &LogLinear{}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    []float64
		p    int
		want string
		all  int
	}{
		{[]float64{100, 4}, 2, "", 0},
		{[]float64{10000, 6}, 8, "", 0},
		{[]float64{40000, 6}, 8, "outside the profiled range: keys is 40000, 4 times the largest profiled, 10000", 1},
		{[]float64{40000, 30}, 8, "outside the profiled range: iterations is 30, 5 times the largest profiled, 6", 2},
		{[]float64{40000, 6}, 128, "outside the profiled range: processes is 128, 16 times the largest profiled, 8", 2},
		{[]float64{100, 2}, 1, "outside the profiled range: iterations is 2, 2 times below the smallest profiled, 4", 2},
		{[]float64{10, 4}, 1, "outside the profiled range: keys is 10, 10 times below the smallest profiled, 100", 2},
	} {
		e, err := At(m, c.x, c.p)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Outside.String(); got != c.want {
			t.Errorf("%v on %d: %q, want %q", c.x, c.p, got, c.want)
		}
		if all := p.AppendExtrapolations(nil, c.x, c.p); len(all) != c.all {
			t.Errorf("%v on %d: %v", c.x, c.p, all)
		}
	}
	if e := outside("shift", 3, -2, -1); !math.IsInf(e.Factor, 1) {
		t.Error(e)
	}
}

// Over many profiles drawn from one law (seed 31) the mean is met without bias, the
// median by half of the predictions, and the interval covers what it says. The
// usual correction exp(s²/2) is shown to be off.
func TestNoBias(t *testing.T) {
	const (
		n     = 20000
		sigma = 0.6
	)
	r := rand.New(rand.NewPCG(31, 8))
	m := &LogLinear{Work: Product}
	truth := math.Log(2 * 64 / 16.0) // T = 2·x/P at x = 64 on P = 16
	var mean, usual float64
	above, covered := 0, 0
	for range n {
		p := runsOf([]float64{1, 4, 16}, []int{1, 8}, func(x float64, p int) float64 {
			return 2 * x / float64(p) * math.Exp(sigma*r.NormFloat64())
		})
		if err := m.Fit(&p); err != nil {
			t.Fatal(err)
		}
		e, err := At(m, []float64{64}, 16)
		if err != nil {
			t.Fatal(err)
		}
		mean += e.Mean / n
		s := m.Regression().Sigma
		usual += e.Seconds * math.Exp(s*s/2) / n
		if math.Log(e.Seconds) > truth {
			above++
		}
		run := math.Exp(truth + sigma*r.NormFloat64())
		if e.Lower <= run && run <= e.Upper {
			covered++
		}
	}
	want := math.Exp(truth + sigma*sigma/2)
	t.Logf("mean %.4f, unbiased estimate %.4f, usual %.4f, medians above %.3f, covered %.4f", want, mean, usual, float64(above)/n, float64(covered)/n)
	if math.Abs(mean/want-1) > 0.025 { // four standard errors
		t.Errorf("mean %v, want %v", mean, want)
	}
	if usual/want < 1.2 {
		t.Errorf("the usual correction gives %v, want more than 1.2 times %v: is the test still one?", usual, want)
	}
	if d := float64(above)/n - 0.5; math.Abs(d) > 0.015 {
		t.Errorf("%v of the medians are above", d+0.5)
	}
	if d := float64(covered)/n - defaultLevel; math.Abs(d) > 0.01 {
		t.Errorf("the intervals cover %v", d+defaultLevel)
	}
}

// finney against the closed form for two degrees of freedom: with ν = 2 the k-th
// term is (2/3·t)^k·(2+2k)·2^k / (2·4···(2+2k)) / k! = (2/3·t)^k / (k!)².
func TestFinney(t *testing.T) {
	for _, x := range []float64{0, 0.1, 1, 5, -0.5, 30} {
		want, term := 0.0, 1.0
		for k := 1.0; k < 200; k++ {
			want += term
			term *= 2. / 3 * x / k / k
		}
		isNear(t, "finney", finney(2, x), want, 1e-13)
	}
	// And its limit.
	isNear(t, "finney", finney(1e9, 0.7), math.Exp(0.7), 1e-8)
}

func TestAppendCounts(t *testing.T) {
	for _, c := range []struct {
		c         Counts
		low, high int
		want      []int
	}{
		{AnyCount, 3, 6, []int{3, 4, 5, 6}},
		{Squares, 1, 30, []int{1, 4, 9, 16, 25}},
		{Squares, 5, 36, []int{9, 16, 25, 36}},
		{PowersOfTwo, 1, 32, []int{1, 2, 4, 8, 16, 32}},
		{PowersOfTwo, 5, 33, []int{8, 16, 32}},
		{PowersOfTwo, 5, 7, nil},
		{PowersOfTwo, math.MaxInt - 1, math.MaxInt, nil},
		{Squares, 5, 4, nil},
	} {
		if d := cmp.Diff(c.want, AppendCounts(nil, c.c, c.low, c.high)); d != "" {
			t.Errorf("%v %d..%d: %s", c.c, c.low, c.high, d)
		}
	}
	panics(t, "low", func() { AppendCounts(nil, AnyCount, 0, 1) })
	most, low := 1<<24, 1000
	if math.MaxInt > 1<<60 { // the squares from low² on are one too many
		panics(t, "squares", func() { AppendCounts(nil, Squares, low*low-5, (low+most)*(low+most)) })
	}
	panics(t, "any", func() { AppendCounts(nil, AnyCount, 7, most+7) })
	panics(t, "kind", func() { AppendCounts(nil, Counts(9), 1, 1) })
}
