package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

// simpleModels returns a model of each kind, in the forms that take one feature.
func simpleModels() map[string]Model {
	return map[string]Model{
		"LogLinear": &LogLinear{}, "LogLinear with work": &LogLinear{Work: Product}, "Quadratic": &LogLinear{Quadratic: true}, "Additive": &Additive{}, "Additive with work": &Additive{Work: Product},
		"Amdahl": &USL{Amdahl: true, Work: Product}, "USL": &USL{Work: Product},
	}
}

// noisyRuns has the runs of a scaling application with errors of 5%.
func noisyRuns(xs []float64, ps []int) Profile {
	r := rand.New(rand.NewPCG(7, 7))
	return runsOf(xs, ps, func(x float64, p int) float64 {
		return x * (1/float64(p) + .05) * math.Exp(.05*r.NormFloat64())
	})
}

// Every model says what is outside of its profile: the feature or the processes, whichever is
// further out, the feature if they are as far; and nothing at the ends of the ranges.
func TestEveryModelSaysWhatIsOutside(t *testing.T) {
	p := noisyRuns([]float64{10, 20, 40}, []int{2, 4, 8, 16})
	for name, m := range simpleModels() {
		if err := m.Fit(&p); err != nil {
			t.Fatal(name, err)
		}
		for _, c := range []struct {
			x    float64
			p    int
			want Extrapolation
		}{
			{10, 2, Extrapolation{}}, {40, 16, Extrapolation{}}, {25, 3, Extrapolation{}},
			{80, 16, Extrapolation{"x", 80, 10, 40, 2}}, {5, 4, Extrapolation{"x", 5, 10, 40, 2}},
			{40, 64, Extrapolation{"processes", 64, 2, 16, 4}}, {10, 1, Extrapolation{"processes", 1, 2, 16, 2}},
			{80, 64, Extrapolation{"processes", 64, 2, 16, 4}}, {80, 32, Extrapolation{"x", 80, 10, 40, 2}}, {200, 32, Extrapolation{"x", 200, 10, 40, 5}},
		} {
			e, err := At(m, []float64{c.x}, c.p)
			if name == "Additive" || name == "Additive with work" {
				if errors.Is(err, ErrNotPositive) {
					continue // Eq. (1) falls below 0
				}
			}
			if err != nil {
				t.Errorf("%s at %v on %d: %v", name, c.x, c.p, err)
			} else if diff := cmp.Diff(c.want, e.Outside); diff != "" || e.Scale != float64(c.p)/16 {
				t.Errorf("%s at %v on %d, scale %v: %s", name, c.x, c.p, e.Scale, diff)
			}
		}
	}
}

// How far out a value is: by its ratio to the end of the range, and without end across 0.
func TestExtrapolationsOfAProfile(t *testing.T) {
	inf := math.Inf(1)
	p := Profile{Features: []string{"up", "down"}, Runs: []Run{{Features: []float64{2, -2}, Processes: 4}, {Features: []float64{8, -8}, Processes: 16}}}
	for _, c := range []struct {
		up, down float64
		p        int
		want     []Extrapolation
	}{
		{2, -8, 4, nil}, {8, -2, 16, nil},
		{16, -2, 8, []Extrapolation{{"up", 16, 2, 8, 2}}},
		{1, -2, 8, []Extrapolation{{"up", 1, 2, 8, 2}}},
		{0, -2, 8, []Extrapolation{{"up", 0, 2, 8, inf}}},
		{-1, -2, 8, []Extrapolation{{"up", -1, 2, 8, inf}}},
		{4, -1, 8, []Extrapolation{{"down", -1, -8, -2, inf}}},
		{4, -16, 2, []Extrapolation{{"down", -16, -8, -2, inf}, {"processes", 2, 4, 16, 2}}},
		{80, 5, 32, []Extrapolation{{"up", 80, 2, 8, 10}, {"down", 5, -8, -2, inf}, {"processes", 32, 4, 16, 2}}},
	} {
		if diff := cmp.Diff(c.want, p.AppendExtrapolations(nil, []float64{c.up, c.down}, c.p)); diff != "" {
			t.Errorf("%v, %v on %d (-want +got)\n%s", c.up, c.down, c.p, diff)
		}
	}
	if got := (&Profile{Features: []string{"x"}}).AppendExtrapolations(nil, []float64{1}, 1); got != nil {
		t.Errorf("%v of no run", got)
	}
	panics(t, "two features of one", func() { p.AppendExtrapolations(nil, []float64{1}, 1) })
}

// With as many runs as coefficients there is no end to the intervals, and the times are those
// that were measured.
func TestNoRunsToSpare(t *testing.T) {
	two := runsOf([]float64{10}, []int{1, 4}, func(x float64, p int) float64 { return x/float64(p) + 1 })
	three := runsOf([]float64{10}, []int{1, 4, 16}, func(x float64, p int) float64 { return x/float64(p) + 1 + float64(p)/10 })
	corner := noisyRuns([]float64{10, 20}, []int{1, 4})
	corner.Runs = corner.Runs[:3]
	for name, c := range map[string]struct {
		m Model
		p *Profile
	}{
		"LogLinear": {&LogLinear{}, &corner},
		"Additive":  {&Additive{}, &corner},
		"Amdahl":    {&USL{Amdahl: true}, &two},
		"USL":       {&USL{}, &three},
	} {
		if err := c.m.Fit(c.p); err != nil {
			t.Fatal(name, err)
		}
		for i := range c.p.Runs {
			r := &c.p.Runs[i]
			e, err := At(c.m, r.Features, r.Processes)
			if err != nil || math.Abs(e.Seconds/r.Seconds-1) > 1e-9 || !math.IsInf(e.Upper, 1) || e.Lower != 0 {
				t.Errorf("%s on %d: %+v, %v; want %v s, and from 0 to infinity", name, r.Processes, e, err, r.Seconds)
			}
		}
	}
}

// A time beyond float64, or none, is an error that names the number of processes.
func TestTimesBeyondNumbers(t *testing.T) {
	steep := runsOf([]float64{1, 2, 4}, []int{1, 2, 4}, func(x float64, p int) float64 { return math.Pow(x, 30) / math.Pow(float64(p), 40) })
	line := runsOf([]float64{1, 2, 4}, []int{1, 2, 4, 8}, func(x float64, p int) float64 { return 10*x + float64(p) })
	for name, c := range map[string]struct {
		m Model
		p *Profile
		x float64
		n int
	}{
		"LogLinear, to nothing":  {&LogLinear{}, &steep, 1, 1 << 30},
		"LogLinear, to infinity": {&LogLinear{}, &steep, 1e300, 1},
		"Additive":               {&Additive{Work: Product}, &line, math.MaxFloat64, 1},
		"Amdahl":                 {&USL{Amdahl: true, Work: Product}, &line, math.MaxFloat64, 1},
	} {
		if err := c.m.Fit(c.p); err != nil {
			t.Fatal(name, err)
		}
		var dst [2]Estimate
		err := c.m.EstimateTo(dst[:], Query{Features: []float64{c.x}, Processes: []int{c.n, c.n}})
		var in *inputerr.Error
		if !errors.As(err, &in) || !errors.Is(err, ErrOverflow) || in.Index != 0 {
			t.Errorf("%s: %+v, %v", name, dst[0], err)
		}
	}
}

// A measure without a logarithm is an error, in a profile and in a query.
func TestMeasureWithoutLogarithm(t *testing.T) {
	p := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4})
	for v, want := range map[float64]error{math.Inf(1): ErrNotFinite, math.Inf(-1): ErrNotFinite, 0: ErrNotPositive, -1: ErrNotPositive} {
		bad := false
		work := func(x []float64) float64 {
			if bad {
				return v
			}
			return x[0]
		}
		for name, m := range map[string]Model{"LogLinear": &LogLinear{Work: work}, "Additive": &Additive{Work: work}, "Amdahl": &USL{Amdahl: true, Work: work}, "USL": &USL{Work: work}} {
			bad = false
			if err := m.Fit(&p); err != nil {
				t.Fatal(name, err)
			}
			bad = true
			if _, err := At(m, []float64{2}, 2); !errors.Is(err, want) {
				t.Errorf("%s of a measure of %v: %v, want %v", name, v, err, want)
			}
			if err := m.Fit(&p); !errors.Is(err, want) {
				t.Errorf("%s fitted to a measure of %v: %v, want %v", name, v, err, want)
			}
		}
	}
	if _, err := measured(func([]float64) float64 { return math.NaN() }, "x", 0, nil); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// A law of nothing but W·(P−1) says that one process takes no time, and is not chosen.
func TestUSLOnOneProcess(t *testing.T) {
	p := runsOf([]float64{1, 3}, []int{2, 4, 8, 16}, func(x float64, p int) float64 { return float64(p - 1) }) // 3 takes the time of 1
	m := USL{Work: Product}
	if err := m.Fit(&p); err != nil {
		t.Fatal(err)
	}
	if e, err := At(&m, []float64{1}, 1); err != nil || !(e.Seconds > 0) {
		t.Errorf("on one process: %v, %v", e.Seconds, err)
	}
}

// What is left out is each run in turn: a run that the others cannot predict has no estimate,
// and the others have theirs.
func TestLeaveOutToTellsWhichFail(t *testing.T) {
	p := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4})
	dst := make([]Estimate, len(p.Runs))
	i := 0
	LeaveOutTo(dst, &p, func(without *Profile) (Estimator, error) {
		if len(without.Runs) != len(p.Runs)-1 {
			t.Errorf("%d runs without run %d", len(without.Runs), i)
		}
		for k := range without.Runs {
			at := k
			if k >= i {
				at++
			}
			if without.Runs[k].Seconds != p.Runs[at].Seconds {
				t.Errorf("run %d without run %d is another", k, i)
			}
		}
		i++
		m := &LogLinear{}
		if i == 4 {
			return nil, ErrFewRows
		}
		return m, m.Fit(without)
	})
	for k, e := range dst {
		if k == 3 {
			if !math.IsNaN(e.Seconds) || !math.IsNaN(e.Lower) || !math.IsNaN(e.Upper) {
				t.Errorf("run %d: %+v, want none", k, e)
			}
		} else if !(math.Abs(math.Log(e.Seconds/p.Runs[k].Seconds)) < .5) || e.Processes != p.Runs[k].Processes {
			t.Errorf("run %d: %+v of %v s", k, e, p.Runs[k].Seconds)
		}
	}
	panics(t, "lengths", func() { LeaveOutTo(dst[1:], &p, nil) })
}

// Of equal models the first is chosen, and a profile that is not valid is named.
func TestChooseTheFirstOfEquals(t *testing.T) {
	p := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4, 8})
	var c Chooser
	for most, want := range map[bool]int{false: 12, true: 3} {
		c.Most = most
		best, scores, err := c.Choose(nil, []Model{&Additive{}, &LogLinear{}, &LogLinear{}}, &p)
		if err != nil || best != 1 || scores[1] != scores[2] {
			t.Errorf("%v: model %d, %v, %v", most, best, scores, err)
		}
		if scores[1].Runs != want {
			t.Errorf("%v: %d runs predicted, want %d", most, scores[1].Runs, want)
		}
	}
	bad := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4})
	bad.Application, bad.Runs[2].Seconds = "second", -1
	best, scores, err := ChooseMachine(nil, Candidates([]Shape{{Work: Product}, {Work: Product}}), []Profile{p, bad})
	if best != -1 || len(scores) != 3 || !errors.Is(err, ErrNotPositive) || !strings.Contains(err.Error(), "profiles[1]") {
		t.Errorf("pool %d, %v, %v", best, scores, err)
	}
}

// After an error of Fit a model is not fitted, whatever it was before.
func TestNotFittedAfterAnError(t *testing.T) {
	good := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4, 8})
	invalid, few := noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4, 8}), noisyRuns([]float64{1, 2, 4}, []int{1, 2, 4, 8})
	invalid.Runs[3].Seconds = -1
	few.Runs = few.Runs[:1]
	models := simpleModels()
	models["whole"], models["part"] = &USL{Amdahl: true, Work: Product}, &LogLinear{}
	for name, m := range models {
		for _, bad := range []*Profile{&invalid, &few, {Features: []string{"x"}}} {
			if err := m.Fit(&good); err != nil {
				t.Fatal(name, err)
			}
			if _, err := At(m, []float64{2}, 2); err != nil {
				t.Fatal(name, err)
			}
			if m.Fit(bad) == nil {
				t.Errorf("%s: %d runs are enough", name, len(bad.Runs))
			}
			if _, err := At(m, []float64{2}, 2); !errors.Is(err, ErrNotFitted) {
				t.Errorf("%s: after a failed fit to %d runs: %v", name, len(bad.Runs), err)
			}
		}
	}
}
