package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A law with a term in (ln P)² is told from one without by leaving runs out, and
// the other way round where the noise would feed the term.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	noisy := func(bend float64) Profile {
		return runsOf([]float64{1, 3, 9}, []int{1, 2, 4, 8, 16}, func(x float64, p int) float64 {
			l := math.Log(float64(p))
			return x * math.Exp(-l+bend*l*l+0.02*r.NormFloat64())
		})
	}
	models := []Model{&LogLinear{}, &Quadratic{}}
	var c Chooser
	for _, leave := range []Leave{LeaveRun, LeaveCase} {
		bent := noisy(0.1)
		best, scores, err := c.Choose(nil, models, &bent, leave)
		if err != nil || best != 1 || !(scores[1].Error < 0.05 && scores[0].Error > 2*scores[1].Error) || scores[0].Runs != 15 {
			t.Error(best, scores, err)
		}
	}
	straight := 0
	for range 40 {
		p := noisy(0)
		best, _, err := c.Choose(nil, models, &p, LeaveRun)
		if err != nil {
			t.Fatal(err)
		}
		if best == 0 {
			straight++
		}
	}
	if straight < 25 {
		t.Errorf("the simpler law was chosen %d times of 40", straight)
	}
}

// The score is that of the residuals without a row that least squares has in closed
// form.
func TestChooseIsLeaveOneOut(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	p := runsOf([]float64{1, 3, 9}, []int{1, 2, 4, 8}, func(x float64, p int) float64 {
		return x / float64(p) * math.Exp(0.3*r.NormFloat64())
	})
	m := &LogLinear{}
	var c Chooser
	_, scores, err := c.Choose(nil, []Model{m}, &p, LeaveRun)
	if err != nil {
		t.Fatal(err)
	}
	isNear(t, "error", scores[0].Error, math.Sqrt(m.Regression().PRESS()/12), 1e-9)
	// The largest case: two runs of the longest.
	_, scores, err = c.Choose(nil, []Model{m}, &p, LeaveLargest)
	if err != nil || scores[0].Runs != 4 {
		t.Error(scores, err)
	}
}

// askedPool predicts what was measured, and fails if it is fitted to as many runs as it may not be.
type askedPool struct {
	t        *testing.T
	profiles []Profile
	fails    int
}

var errPool = errors.New("too many runs")

func (a *askedPool) FitAll(profiles []Profile) error {
	n := 0
	for _, p := range profiles {
		n += len(p.Runs)
	}
	if n >= a.fails {
		return errPool
	}
	return nil
}

func (a *askedPool) Application(i int) Estimator { return &askedApplication{a, i} }

type askedApplication struct {
	*askedPool
	i int
}

func (a *askedApplication) EstimateTo(dst []Estimate, q Query) error {
	for _, r := range a.profiles[a.i].Runs {
		if len(q.Processes) == 1 && r.Processes == q.Processes[0] && slices.Equal(r.Features, q.Features) {
			dst[0] = Estimate{Processes: r.Processes, Seconds: r.Seconds}
			return nil
		}
	}
	a.t.Errorf("application %d has no run such as %+v", a.i, q)
	return errPool
}

// A pool is asked for the runs that are left out, and fitted to all runs in the end, which may
// fail though no fit to a part did.
func TestChoosePoolAsks(t *testing.T) {
	p := runsOf([]float64{1, 3, 9}, []int{2, 4, 8}, func(x float64, p int) float64 { return x / float64(p) })
	q := runsOf([]float64{2, 5}, []int{1, 16}, func(x float64, p int) float64 { return x })
	profiles := []Profile{p, q}
	for _, leave := range []Leave{LeaveRun, LeaveCase, LeaveLargest, LeaveMost} {
		for _, fails := range []int{100, 13} { // 9 and 4 runs
			var c Chooser
			best, scores, err := c.ChoosePool(nil, []Pool{&askedPool{t, profiles, fails}}, profiles, leave)
			if len(scores) != 1 || scores[0].Error != 0 || scores[0].Err != nil {
				t.Fatalf("%v: %+v, want no error", leave, scores)
			}
			if fails == 13 && (best != -1 || err != errPool) || fails == 100 && (best != 0 || err != nil) {
				t.Errorf("%v: %d, %v", leave, best, err)
			}
		}
	}
}

// A machine that cannot be fitted is passed over, with the reason.
func TestChoosePoolPassesOver(t *testing.T) {
	p := runsOf([]float64{3}, []int{1, 2, 4}, func(x float64, p int) float64 { return x / float64(p) })
	var c Chooser
	best, scores, err := c.ChoosePool(nil, []Pool{&Machine{Shapes: []Shape{{Work: Product}}}, &askedPool{t, []Profile{p}, 9}}, []Profile{p}, LeaveRun)
	if err != nil || best != 1 || !errors.Is(scores[0].Err, ErrFewRows) || !math.IsInf(scores[0].Error, 1) || scores[0].Runs != 0 {
		t.Error(best, scores, err)
	}
}

// The largest case is that of the longest run, the first of equals.
func TestLeaveLargestOfEquals(t *testing.T) {
	p := runsOf([]float64{1, 2, 3}, []int{1, 2}, func(x float64, p int) float64 { return min(x, 2) / float64(p) })
	var c Chooser
	if n := c.groups(&p, LeaveLargest); n != 1 || !slices.Equal(c.group, []int{-1, -1, 0, 0, -1, -1}) {
		t.Errorf("%d groups, %v", n, c.group)
	}
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &Profile{}, LeaveMost); !errors.Is(err, ErrFewRows) {
		t.Error(err)
	}
}

func TestChooseErrors(t *testing.T) {
	var c Chooser
	p := runsOf([]float64{1, 3, 9, 27, 81}, []int{2}, func(x float64, p int) float64 { return x })
	// ln P does not vary; the model that minds is passed over, with the reason.
	best, scores, err := c.Choose(nil, []Model{&LogLinear{}, &LogLinear{DropDependent: true}}, &p, LeaveRun)
	if err != nil || best != 1 || !errors.Is(scores[0].Err, ErrDependent) || !math.IsInf(scores[0].Error, 1) {
		t.Error(best, scores, err)
	}
	if best, _, err := c.Choose(nil, []Model{&LogLinear{}}, &p, LeaveRun); best != -1 || !errors.Is(err, ErrDependent) {
		t.Error(best, err)
	}
	if _, _, err := c.Choose(nil, nil, &p, LeaveRun); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &Profile{}, LeaveRun); !errors.Is(err, ErrFewRows) {
		t.Error(err)
	}
	p.Runs[0].Seconds = 0
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &p, LeaveRun); !errors.Is(err, ErrNotPositive) {
		t.Error(err)
	}
	pools := Candidates([]Shape{{Work: Product}})
	if _, _, err := c.ChoosePool(nil, pools, []Profile{p}, LeaveRun); !errors.Is(err, ErrNotPositive) {
		t.Error(err)
	}
	if _, _, err := c.ChoosePool(nil, nil, nil, LeaveRun); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	p.Runs[0].Seconds = 1
	one := p.Select(func(r *Run) bool { return r.Features[0] == 1 })
	if best, _, err := c.ChoosePool(nil, pools, []Profile{one}, LeaveRun); best != -1 || !errors.Is(err, ErrFewRows) {
		t.Error(best, err)
	}
	separate := Separate{&LogLinear{}}
	if err := separate.FitAll([]Profile{p}); !errors.Is(err, ErrDependent) {
		t.Error(err)
	}
	panics(t, "separate", func() { separate.FitAll(nil) })
}
