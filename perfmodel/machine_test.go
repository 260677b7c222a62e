package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// madeUpProfiles returns the profiles of S, W and A on a machine made up from a
// seed, and their shapes.
func madeUpProfiles(t testing.TB, seed uint64) ([]Profile, []Shape) {
	t.Helper()
	cases := readCases(t, strings.NewReader(classes))
	r := rand.New(rand.NewPCG(seed, 8))
	m := newMachine(r)
	profiles := m.profiles(cases, r)
	for i := range profiles {
		profiles[i] = profiles[i].Select(func(r *Run) bool { return r.Case != "B" })
	}
	return profiles, shapesOf(t, profiles)
}

// The estimates are those of Gaussian process regression as textbooks have it, with
// the inverse of the whole matrix, from the terms one by one.
func TestMachineIsGaussianProcess(t *testing.T) {
	profiles, shapes := madeUpProfiles(t, 41)
	for a := range profiles { // clocks of several resolutions, some coarse; some scatters are not known
		for i := range profiles[a].Runs {
			r := &profiles[a].Runs[i]
			switch (a + i) % 5 {
			case 0:
				r.Repetitions, r.Spread = 1, 9 // so that a spread says nothing
			case 1, 2:
				r.Spread = 0
			default:
				r.Spread = .01 * float64(1+i)
			}
			r.Resolution = 0.3 * float64((a+i)%3) * r.Seconds
		}
	}
	for _, whole := range []bool{false, true} {
		m := &Machine{Shapes: shapes, WholeWorkingSet: whole}
		if err := m.FitAll(profiles); err != nil {
			t.Fatal(err)
		}
		d := m.deviations()
		type point struct {
			app, p int
			w, set float64
		}
		at := func(app int, x []float64, p int) point {
			q := point{app, p, math.Log(shapes[app].Work(x)), math.Log(shapes[app].WorkingSet(x))}
			if !whole {
				q.set -= math.Log(float64(p))
			}
			return q
		}
		var points []point
		var noise, y []float64
		leastW, leastSet := math.Inf(1), math.Inf(1)
		var own, repeated, spreads, steps []float64
		for a := range profiles {
			for _, r := range profiles[a].Runs {
				q := at(a, r.Features, r.Processes)
				points = append(points, q)
				leastW, leastSet = min(leastW, q.w), min(leastSet, q.set)
				y = append(y, math.Log(r.Seconds)-q.w+math.Log(float64(r.Processes)))
				noise = append(noise, 0)
				own, repeated = append(own, 0), append(repeated, float64(r.Repetitions))
				if r.Repetitions > 1 && r.Spread > 0 {
					own[len(own)-1] = r.Spread
					spreads = append(spreads, r.Spread)
				}
				steps = append(steps, r.Resolution/r.Seconds)
			}
		}
		repeat := median(spreads)
		isNear(t, "repetition", d.Repetition, repeat, 1e-12)
		// The scatter of a median of three is √(π/(2·3+π−2)) of that of one run, which is
		// taken from the usual one, worth 4, and its own, worth 2. One without its own has the usual.
		for i, n := range repeated {
			v := repeat * repeat
			if own[i] > 0 {
				v = (4*v + (n-1)*own[i]*own[i]) / (4 + n - 1)
			}
			noise[i] = v * math.Pi / (2*n + math.Pi - 2)
			noise[i] += steps[i] * steps[i] / 12 // even over a step
		}
		mean := 0.0
		for _, v := range y {
			mean += v / float64(len(y))
		}
		cov := func(a, b point) float64 {
			k := 0.0
			minWalk := func(u, v float64) float64 {
				if u*v <= 0 {
					return 0
				}
				return math.Min(math.Abs(u), math.Abs(v))
			}
			k += d.Memory * d.Memory * minWalk(a.set-leastSet, b.set-leastSet)
			if a.app == b.app {
				k += 100 // the speed, of which nothing is known
				k += d.Drift * d.Drift * minWalk(a.w-leastW, b.w-leastW)
				k += d.Exponent * d.Exponent * (a.w - leastW) * (b.w - leastW)
				k += d.Speedup * d.Speedup * math.Log(float64(a.p)) * math.Log(float64(b.p))
				if a.p == b.p {
					k += d.ProcessDrift * d.ProcessDrift * minWalk(a.w-leastW, b.w-leastW)
				}
			}
			return k
		}
		n := len(points)
		k := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				k.Set(i, j, cov(points[i], points[j]))
			}
			k.Set(i, i, k.At(i, i)+d.Error*d.Error+noise[i])
		}
		var inverse mat.Dense
		if err := inverse.Inverse(k); err != nil {
			t.Fatal(err)
		}
		for a := range profiles {
			x := slices.Clone(profiles[a].Runs[0].Features)
			for _, scale := range []float64{0.5, 1, 7} {
				for _, p := range []int{1, 2, 3} {
					x[0] = profiles[a].Runs[0].Features[0] * scale
					e, err := At(m.Application(a), x, p)
					if err != nil {
						t.Fatal(err)
					}
					q := at(a, x, p)
					want, v := mean+q.w-math.Log(float64(p)), cov(q, q)+d.Error*d.Error+repeat*repeat
					for i := range n {
						s := 0.0
						for j := range n {
							s += inverse.At(i, j) * cov(q, points[j])
						}
						want += s * (y[i] - mean)
						v -= s * cov(q, points[i])
					}
					isNear(t, "median", e.Seconds, math.Exp(want), 1e-7)
					isNear(t, "mean", e.Mean, math.Exp(want+v/2), 1e-7)
					isNear(t, "upper", e.Upper, math.Exp(want+lsq.TQuantile(0.9, float64(d.DegreesOfFree))*math.Sqrt(v)), 1e-6)
				}
			}
		}
	}
}

// What is said of runs left out is what the others predict of them, with the
// standard deviations of the whole. The origins of the walks and the centre move when
// the least case is left out, so that one stays.
func TestMachineLeaveOut(t *testing.T) {
	profiles, shapes := madeUpProfiles(t, 61)
	m := &Machine{Shapes: shapes}
	if err := m.FitAll(profiles); err != nil {
		t.Fatal(err)
	}
	n, want := len(m.cells), 0.0
	for a := range profiles {
		for i := range profiles[a].Runs {
			out := m.apps[a].first + i
			// Gaussian process regression from the others, by the whole matrix.
			var in []int
			for j := range n {
				if j != out {
					in = append(in, j)
				}
			}
			k := mat.NewDense(len(in), len(in), nil)
			y := mat.NewVecDense(len(in), nil)
			for i, p := range in {
				for j, q := range in {
					k.Set(i, j, m.hyper.covariance(&m.cells[p], &m.cells[q]))
				}
				k.Set(i, i, k.At(i, i)+m.hyper[4]*m.hyper[4]+m.cells[p].noise)
				y.SetVec(i, m.y[p])
			}
			var weights mat.VecDense
			if err := weights.SolveVec(k, y); err != nil {
				t.Fatal(err)
			}
			d := m.y[out]
			for i, q := range in {
				d -= m.hyper.covariance(&m.cells[out], &m.cells[q]) * weights.AtVec(i)
			}
			want += d * d
		}
	}
	got := m.leaveOut(profiles)
	if got.Runs != n || got.Err != nil {
		t.Fatalf("%+v, want %d runs", got, n)
	}
	isNear(t, "error", got.Error, math.Sqrt(want/float64(n)), 1e-6)
}

// A single run of an application does not take part in the choice: it would be
// predicted from nothing.
func TestChooseMachineKeepsSingleRuns(t *testing.T) {
	profiles, shapes := madeUpProfiles(t, 67)
	_, before, err := ChooseMachine(nil, Candidates(shapes), profiles)
	if err != nil {
		t.Fatal(err)
	}
	single := slices.Clone(profiles)
	k := -1
	single[2] = single[2].Select(func(*Run) bool { k++; return k == 0 })
	_, after, err := ChooseMachine(nil, Candidates(shapes), single)
	if err != nil {
		t.Fatal(err)
	}
	for i := range after {
		if after[i].Runs != before[i].Runs-len(profiles[2].Runs) || after[i].Error > 1.5*before[i].Error {
			t.Errorf("%+v, before %+v", after[i], before[i])
		}
	}
}

// Of equals the first machine is chosen: without working sets the first two are the
// same.
func TestChooseMachineTies(t *testing.T) {
	profiles, shapes := madeUpProfiles(t, 71)
	shapes = slices.Clone(shapes[:2])
	for i := range shapes {
		shapes[i].WorkingSet = nil
	}
	best, scores, err := ChooseMachine(nil, Candidates(shapes), profiles[:2])
	if err != nil || best != 0 || scores[0] != scores[1] || scores[1] != scores[2] {
		t.Error(best, scores, err)
	}
}

// The share of its variance that a median of repetitions has, against a simulation.
func TestMedianVariance(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	for n := 1; n <= 9; n++ {
		const times = 20000
		sum := 0.0
		x := make([]float64, n)
		for range times {
			for i := range x {
				x[i] = r.NormFloat64()
			}
			m := median(x)
			sum += m * m
		}
		// The simulation is off by 1% (√(2/times)), the formula by 5%.
		isNear(t, strconv.Itoa(n), medianVariance(float64(n)), sum/times, 0.09)
	}
}

// A matrix that is not positive definite has no factor.
func TestNoFactor(t *testing.T) {
	for _, c := range []struct {
		k    []float64
		want bool
	}{
		{[]float64{4, 0, 2, 5}, true}, {[]float64{4, 0, 2, 1}, false}, {[]float64{4, 0, 3, 1}, false}, {[]float64{0}, false}, {[]float64{-1}, false}, {[]float64{math.NaN()}, false},
	} {
		n := 1
		if len(c.k) == 4 {
			n = 2
		}
		if got := cholesky(c.k, n); got != c.want || got && (c.k[0] != 2 || c.k[2] != 1 || c.k[3] != 2) {
			t.Errorf("%v: a factor %v, want %v", c.k, got, c.want)
		}
	}
}

func TestMachineErrors(t *testing.T) {
	profiles, shapes := madeUpProfiles(t, 47)
	m := &Machine{Shapes: shapes[:1]}
	if err := m.FitAll(profiles[:1]); err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(profiles[:1])
	bad[0].Runs = slices.Clone(bad[0].Runs)
	bad[0].Runs[2].Seconds = 0
	if err := m.FitAll(bad); !errors.Is(err, ErrNotPositive) || err.Error() != `perfmodel: profiles[0]: application "cg": Profile.Runs[2].Seconds: number is not positive: 0 seconds: want a positive time` {
		t.Error(err)
	}
	if _, err := At(m.Application(0), bad[0].Runs[0].Features, 1); !errors.Is(err, ErrNotFitted) {
		t.Error("after an error:", err)
	}
	one := profiles[0].Select(func(r *Run) bool { return r.Case == "S" })
	checkInput(t, "one case", m.FitAll([]Profile{one}), "profiles", -1, ErrFewRows)
	bad[0] = profiles[0].Select(func(*Run) bool { return true })
	bad[0].Runs[1].Features = []float64{1400, -1, 15, 10} // no nonzeros, no work
	err := m.FitAll(bad)
	checkInput(t, "no work", err, "profiles", 0, ErrNotPositive)
	if !strings.Contains(err.Error(), `"cg"`) || !strings.Contains(err.Error(), "Profile.Runs[1].Features") {
		t.Error("which run?", err)
	}
	if err := m.FitAll(profiles[:1]); err != nil {
		t.Fatal(err)
	}
	_, err = At(m.Application(0), []float64{0, 1, 1, 1}, 1)
	checkInput(t, "no rows", err, "Query.Features[]", -1, ErrNotPositive)
	_, err = At(m.Application(0), []float64{1, 1, math.NaN(), 1}, 1)
	checkInput(t, "NaN", err, "Query.Features[]", 2, ErrNotFinite)
	// An application without runs is not predicted; the others are.
	m.Shapes = shapes[:2]
	nothing := Profile{Application: "ep", Features: []string{"pairs"}}
	if err := m.FitAll([]Profile{profiles[0], nothing}); err != nil {
		t.Fatal(err)
	}
	_, err = At(m.Application(1), []float64{1e6}, 1)
	checkInput(t, "no run", err, "model", -1, ErrNotFitted)
	if !strings.Contains(err.Error(), `"ep"`) {
		t.Error(err)
	}
	if _, err := At(m.Application(0), profiles[0].Runs[0].Features, 1); err != nil {
		t.Error(err)
	}
	m.Shapes = shapes[:1]
	panics(t, "shapes", func() { m.FitAll(profiles) })
	panics(t, "work", func() { (&Machine{Shapes: make([]Shape, 1)}).FitAll(profiles[:1]) })
	panics(t, "deviations", func() { new(Machine).deviations() })
	if _, err := NPB("ua"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// deviations are the standard deviations of a [Machine]'s terms, all of logarithms
// of times; those of walks are per root of a factor e.
type deviations struct {
	Memory        float64 // g, along the working set of a process
	Drift         float64 // d_a, along the work
	Exponent      float64 // γ_a, of the work
	Speedup       float64 // β_a, of the processes
	Error         float64 // ε without the measurement
	ProcessDrift  float64 // d_aP
	Repetition    float64 // one run against another of the same
	DegreesOfFree int     // of the intervals: cases less applications
}

// deviations returns the standard deviations that FitAll found. It panics if m is not
// fitted.
func (m *Machine) deviations() deviations {
	if !m.fitted {
		panic("perfmodel: deviations of a machine that is not fitted")
	}
	h := &m.hyper
	return deviations{h[0], h[1], h[2], h[3], h[4], h[5], m.repeat, m.df}
}
