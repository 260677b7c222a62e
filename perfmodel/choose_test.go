package perfmodel

import (
	"errors"
	"math"
	"math/rand/v2"
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
	models := []Model{&LogLinear{}, &LogLinear{Quadratic: true}}
	var c Chooser
	for range 2 {
		bent := noisy(0.1)
		best, scores, err := c.Choose(nil, models, &bent)
		if err != nil || best != 1 || !(scores[1].Error < 0.05 && scores[0].Error > 2*scores[1].Error) || scores[0].Runs != 15 {
			t.Error(best, scores, err)
		}
	}
	straight := 0
	for range 40 {
		p := noisy(0)
		best, _, err := c.Choose(nil, models, &p)
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

// The score is that of fits to the other runs.
func TestChooseIsLeaveOneOut(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	p := runsOf([]float64{1, 3, 9}, []int{1, 2, 4, 8}, func(x float64, p int) float64 {
		return x / float64(p) * math.Exp(0.3*r.NormFloat64())
	})
	var c Chooser
	_, scores, err := c.Choose(nil, []Model{&LogLinear{}}, &p)
	if err != nil {
		t.Fatal(err)
	}
	others := make([]Estimate, len(p.Runs))
	LeaveOutTo(others, &p, func(without *Profile) (Estimator, error) { m := new(LogLinear); return m, m.Fit(without) })
	sum := 0.0
	for i, e := range others {
		d := math.Log(e.Seconds / p.Runs[i].Seconds)
		sum += d * d
	}
	isNear(t, "error", scores[0].Error, math.Sqrt(sum/12), 1e-12)
	// The most processes: three runs.
	c.Most = true
	_, scores, err = c.Choose(nil, []Model{&LogLinear{}}, &p)
	if err != nil || scores[0].Runs != 3 {
		t.Error(scores, err)
	}
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &Profile{}); !errors.Is(err, ErrFewRows) {
		t.Error(err)
	}
}

// A machine that cannot be fitted is passed over, with the reason.
func TestChooseMachinePassesOver(t *testing.T) {
	p := runsOf([]float64{3, 9}, []int{1, 2, 4}, func(x float64, p int) float64 { return x / float64(p) })
	constant := func([]float64) float64 { return 1 }
	machines := []*Machine{{Shapes: []Shape{{Work: constant}}}, {Shapes: []Shape{{Work: Product}}}}
	best, scores, err := ChooseMachine(nil, machines, []Profile{p})
	if err != nil || best != 1 || !errors.Is(scores[0].Err, ErrFewRows) || !math.IsInf(scores[0].Error, 1) || scores[0].Runs != 0 || scores[1].Runs != 6 {
		t.Error(best, scores, err)
	}
}

func TestChooseErrors(t *testing.T) {
	var c Chooser
	p := runsOf([]float64{1, 3, 9, 27, 81}, []int{2}, func(x float64, p int) float64 { return x })
	// The parts of the times were not measured; the model that minds is passed over, with the reason.
	whole := runsOf([]float64{1, 3, 9}, []int{1, 2, 4}, func(x float64, p int) float64 { return x })
	best, scores, err := c.Choose(nil, []Model{&CAP3{}, &LogLinear{}}, &whole)
	if err != nil || best != 1 || !errors.Is(scores[0].Err, ErrMissing) || !math.IsInf(scores[0].Error, 1) {
		t.Error(best, scores, err)
	}
	if best, _, err := c.Choose(nil, []Model{&LogLinear{}}, &p); best != -1 || !errors.Is(err, ErrDependent) {
		t.Error(best, err)
	}
	if _, _, err := c.Choose(nil, nil, &p); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &Profile{}); !errors.Is(err, ErrFewRows) {
		t.Error(err)
	}
	p.Runs[0].Seconds = 0
	if _, _, err := c.Choose(nil, []Model{&LogLinear{}}, &p); !errors.Is(err, ErrNotPositive) {
		t.Error(err)
	}
	pools := Candidates([]Shape{{Work: Product}})
	if _, _, err := ChooseMachine(nil, pools, []Profile{p}); !errors.Is(err, ErrNotPositive) {
		t.Error(err)
	}
	if _, _, err := ChooseMachine(nil, nil, nil); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
	p.Runs[0].Seconds = 1
	one := p.Select(func(r *Run) bool { return r.Features[0] == 1 })
	if best, _, err := ChooseMachine(nil, pools, []Profile{one}); best != -1 || !errors.Is(err, ErrFewRows) {
		t.Error(best, err)
	}
}

// Without Work the laws know nothing of a larger input: runs of two inputs, and a query for an
// input beside those of the runs, are errors, and a Chooser does not accept the laws.
func TestWorkIsMissing(t *testing.T) {
	law := func(x float64, p int) float64 { return x/float64(p) + .1*x }
	p, one := runsOf([]float64{1, 1000}, []int{1, 2, 4, 8}, law), runsOf([]float64{1000}, []int{1, 2, 4, 8}, law)
	for name, m := range map[string]*USL{"Amdahl": {Amdahl: true}, "USL": {}} {
		t.Run(name, func(t *testing.T) {
			checkInput(t, "two inputs", m.Fit(&p), "Profile.Runs[].Features", 4, ErrMissing)
			if err := m.Fit(&one); err != nil {
				t.Fatal(err)
			}
			_, err := At(m, []float64{1e9}, 2)
			checkInput(t, "another input", err, "Query.Features[]", -1, ErrMissing)
			if _, scores, err := new(Chooser).Choose(nil, []Model{m}, &p); !errors.Is(err, ErrMissing) || !errors.Is(scores[0].Err, ErrMissing) {
				t.Errorf("%v, %+v: want ErrMissing", err, scores)
			}
			with := &USL{Amdahl: m.Amdahl, Work: Product}
			if best, _, err := new(Chooser).Choose(nil, []Model{m, with}, &p); best != 1 || err != nil {
				t.Errorf("the best is %d, %v: want the law with Work", best, err)
			}
		})
	}
}
