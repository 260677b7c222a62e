package main

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

// A fitted application has an estimator and what speaks for it.
type fitted struct {
	profile   perfmodel.Profile // what it was fitted to
	left      []perfmodel.Run   // runs beyond saturation, not fitted to
	counts    perfmodel.Counts
	estimator perfmodel.Estimator
	chosen    modelName
	scores    [models]score
	checks    []check
	grown     []check // of the largest case, from the others
	step      float64 // how many times as long it takes as they do

	functions    *mpiprofile.Profile // the whole profile, with times by MPI function if it has them
	beyond       bool                // chosen by leaving out the most processes
	proportional bool                // T_N of cap3 has the exponent 1
	unsplit      int                 // runs that cap3 is not fitted to
}

// A score is what a model was off by on runs left out one by one: root mean square
// of ln(predicted/measured).
type score struct {
	tried bool
	error float64 // +Inf where it could not be fitted
	runs  int
}

// A check is a run and its prediction without it.
type check struct {
	run      perfmodel.Run
	estimate perfmodel.Estimate
}

func (c *check) within() bool {
	return c.estimate.Lower <= c.run.Seconds && c.run.Seconds <= c.estimate.Upper
}

// off is the logarithm of predicted over measured.
func (c *check) off() float64 { return math.Log(c.estimate.Seconds / c.run.Seconds) }

// leaveOut predicts each run from the others, if the others do for that.
func (f *fitted) leaveOut(fit func(without *perfmodel.Profile) (perfmodel.Estimator, error)) (checks []check) {
	estimates := make([]perfmodel.Estimate, len(f.profile.Runs))
	perfmodel.LeaveOutTo(estimates, &f.profile, fit)
	for i, e := range estimates {
		if !math.IsNaN(e.Seconds) {
			checks = append(checks, check{f.profile.Runs[i], e})
		}
	}
	return checks
}

// newModel returns an empty model of one application. Of benchmarks the amount of work is
// known, and stands in the place of the features but for eq1 and eq2.
func newModel(m modelName, f *fitted) perfmodel.Model {
	work, all := perfmodel.Product, false
	var measure func([]float64) float64 // by features
	if b, ok := perfmodel.BenchmarkOf(&f.profile); ok {
		work, all, measure = b.Work, b.AllToAll, b.Work
	}
	switch m {
	case eq1:
		return new(perfmodel.Additive)
	case eq2:
		return new(perfmodel.LogLinear)
	case workOnly:
		return &perfmodel.LogLinear{Work: work}
	case quadratic:
		return &perfmodel.LogLinear{Quadratic: true, Work: measure}
	case sumOfTwo:
		return &perfmodel.CAP3{AllToAll: all, Work: measure, Proportional: f.proportional}
	case functions:
		return &byFunction{mpiprofile.Model{Work: measure, Proportional: f.proportional}, f.functions}
	case amdahl:
		return &perfmodel.USL{Amdahl: true, Work: work}
	}
	return &perfmodel.USL{Work: work}
}

// runsFor is the profile that a model is fitted to: for cap3 the runs whose computation
// and communication were measured apart.
func runsFor(m modelName, p *perfmodel.Profile) perfmodel.Profile {
	if m != sumOfTwo && m != functions {
		return *p
	}
	return p.Select(func(r *perfmodel.Run) bool { return r.Split })
}

// newFitted returns an application that is to be fitted.
func newFitted(p *perfmodel.Profile) *fitted {
	f := &fitted{profile: *p, counts: p.LikelyCounts(), chosen: auto}
	f.profile, f.left = p.Unsaturated()
	split := runsFor(sumOfTwo, &f.profile)
	f.unsplit = len(f.profile.Runs) - len(split.Runs)
	above := countsOf(&split)
	if len(above) > 0 && above[0] == 1 {
		above = above[1:]
	}
	f.proportional = len(above) < 2
	return f
}

// countsOf has the numbers of processes of a profile, each once, in ascending order.
func countsOf(p *perfmodel.Profile) (counts []int) {
	for i := range p.Runs {
		counts = append(counts, p.Runs[i].Processes)
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// fit fits the profiles, and says what was chosen.
func (r *results) fit(line *progress.Line) error {
	for i := range r.in.profiles {
		f := newFitted(&r.in.profiles[i])
		if f.functions = r.in.functions[f.profile.Application]; f.functions == nil {
			f.functions = &mpiprofile.Profile{}
		}
		line.Showf("%s: models", f.profile.Application)
		if err := r.o.fitOne(f); err != nil {
			return err
		}
		r.fitted = append(r.fitted, f)
	}
	return nil
}

// fitOne tries the models of one application, and chooses one.
func (o *options) fitOne(f *fitted) error {
	var c perfmodel.Chooser
	var first error
	f.beyond = o.model == auto && o.scale > 1 && len(countsOf(&f.profile)) >= 3
	c.Most = f.beyond
	for m := eq1; m < models; m++ {
		if o.model != auto && o.model != m {
			continue
		}
		runs := runsFor(m, &f.profile)
		if o.model == auto && ((m == sumOfTwo || m == functions) && len(runs.Runs) < len(f.profile.Runs) || m == eq1 || m == functions && len(f.functions.Functions) == 0) {
			continue // it would be compared on other runs; nobody asked for a sum
		}
		model := newModel(m, f)
		f.scores[m] = score{true, math.Inf(1), 0}
		if err := model.Fit(&runs); err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if _, scores, err := c.Choose(nil, []perfmodel.Model{model}, &runs); err == nil {
			f.scores[m].error, f.scores[m].runs = scores[0].Error, scores[0].Runs
		} else if err := model.Fit(&runs); err != nil { // some parts cannot be fitted, the whole can
			return err
		}
		if f.estimator == nil || f.scores[m].error < f.scores[f.chosen].error {
			f.estimator, f.chosen = model, m
		}
	}
	if f.estimator == nil {
		return cli.Mistakef("%s%s", of(f.profile.Application), o.whyNot(f, first))
	}
	if !o.unchecked {
		f.checks = f.leaveOut(func(without *perfmodel.Profile) (perfmodel.Estimator, error) {
			model, runs := newModel(f.chosen, f), runsFor(f.chosen, without)
			return model, model.Fit(&runs)
		})
	}
	return nil
}

// fitWithout predicts the runs of each application's largest case from the others of
// all applications, which is what a profile of small runs is for. Where others do not
// do for a model it says nothing.
func (r *results) fitWithout(line *progress.Line) {
	small := &results{o: &options{}, in: &input{functions: r.in.functions}}
	*small.o = *r.o
	small.o.unchecked = true
	var large [][]perfmodel.Run
	for _, f := range r.fitted {
		longest := f.profile.Longest()
		of := func(x *perfmodel.Run) bool { return slices.Equal(x.Features, longest.Features) }
		rest := f.profile.Select(func(x *perfmodel.Run) bool { return !of(x) })
		if len(rest.Runs) == 0 {
			return
		}
		small.in.profiles = append(small.in.profiles, rest)
		large = append(large, f.profile.Select(of).Runs)
		f.step = longest.Seconds / rest.Longest().Seconds
	}
	line.Showf("largest cases left out")
	if err := small.fit(line); err != nil {
		return
	}
	for i, f := range r.fitted {
		for k := range large[i] {
			x := large[i][k]
			if e, err := perfmodel.At(small.fitted[i].estimator, x.Features, x.Processes); err == nil {
				f.grown = append(f.grown, check{x, e})
			}
		}
	}
}

// A tally is how well runs that were left out were predicted.
type tally struct {
	within, of int     // their intervals
	off        float64 // median of max(predicted/measured, measured/predicted) - 1
}

func (r *results) tally(grown bool) (t tally) {
	var off []float64
	for _, f := range r.fitted {
		checks := f.checks
		if grown {
			checks = f.grown
		}
		for _, c := range checks {
			if c.within() {
				t.within++
			}
			off = append(off, math.Abs(c.off()))
		}
	}
	if t.of = len(off); t.of > 0 {
		slices.Sort(off)
		t.off = math.Expm1((off[(t.of-1)/2] + off[t.of/2]) / 2)
	}
	return t
}

// reach is how many times as long as the longest run profiled a task may take for a
// step as far to have been tried.
func (f *fitted) reach() float64 {
	if len(f.grown) == 0 {
		return 0
	}
	return f.step
}
