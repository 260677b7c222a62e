package main

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/perfmodel"
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
	tableI    error   // why the features alone do not do, if they do not
}

// A score is what a model was off by on runs left out one by one: root mean square
// of ln(predicted/measured).
type score struct {
	tried bool
	error float64 // +Inf where it could not be fitted
	runs  int
}

// A check is a run that was left out and predicted.
type check struct {
	run      *perfmodel.Run
	estimate perfmodel.Estimate
}

// A pool is what was tried for all benchmarks together.
type pool struct {
	scores []perfmodel.Score
	best   int
	names  []string
}

var poolNames = []string{"no memory", "memory of all processes together", "memory of each process"}

// benchmarkOf returns the benchmark that a profile is of, if it is one.
func benchmarkOf(p *perfmodel.Profile) (perfmodel.Benchmark, bool) {
	b, err := perfmodel.NPB(p.Application)
	return b, err == nil && slices.Equal(b.Features, p.Features)
}

// countsOf tells on which numbers of processes a program runs from those that it was
// profiled on.
func countsOf(p *perfmodel.Profile) perfmodel.Counts {
	if b, ok := benchmarkOf(p); ok {
		return b.Counts
	}
	for _, c := range [...]perfmodel.Counts{perfmodel.PowersOfTwo, perfmodel.Squares} {
		all := perfmodel.AppendCounts(nil, c, 1, p.MaxProcesses())
		outside := func(r perfmodel.Run) bool { return !slices.Contains(all, r.Processes) }
		if p.MaxProcesses() >= 4 && !slices.ContainsFunc(p.Runs, outside) {
			return c
		}
	}
	return perfmodel.AnyCount
}

// newModel returns an empty model of one application; nil for machine.
func newModel(m modelName, p *perfmodel.Profile) perfmodel.Model {
	var measure perfmodel.Measure // nil: by features
	product, collective := perfmodel.Measure(perfmodel.Product), perfmodel.Allreduce
	if b, ok := benchmarkOf(p); ok {
		measure, product, collective = b.Work, b.Work, b.Collective
	}
	switch m {
	case eq2:
		return &perfmodel.LogLinear{}
	case work:
		return &perfmodel.LogLinear{Work: product}
	case quadratic:
		return &perfmodel.Quadratic{Work: measure}
	case sumOfTwo:
		return &perfmodel.CAP3{Collective: collective, Work: measure}
	case amdahl:
		return &perfmodel.Amdahl{Work: product}
	case usl:
		return &perfmodel.USL{Work: product}
	}
	return nil
}

// newFitted returns what is to be fitted: the runs to where more processes stop
// helping. Of a case that was not run on fewer that cannot be said.
func newFitted(p *perfmodel.Profile) *fitted {
	f := &fitted{profile: *p, counts: countsOf(p), chosen: auto}
	if most, saturated := p.Saturation(); saturated {
		f.profile = p.Select(func(r *perfmodel.Run) bool {
			fewer := func(x perfmodel.Run) bool { return x.Processes <= most && slices.Equal(x.Features, r.Features) }
			if r.Processes <= most || !slices.ContainsFunc(p.Runs, fewer) {
				return true
			}
			f.left = append(f.left, *r)
			return false
		})
	}
	return f
}

// fit fits the profiles, and says what was chosen.
func (r *results) fit(line *progress.Line) error {
	o, in := r.o, r.in
	for i := range in.profiles {
		r.fitted = append(r.fitted, newFitted(&in.profiles[i]))
	}
	for _, f := range r.fitted {
		line.Showf("%s: models", f.profile.Application)
		if err := o.fitAlone(f); err != nil {
			return err
		}
	}
	if err := r.fitTogether(line); err != nil {
		return err
	}
	for i, f := range r.fitted {
		if f.estimator == nil {
			return cli.Mistakef("-model machine: %sit is for the NAS Parallel Benchmarks, whose memory is known", of(in.profiles[i].Application))
		}
	}
	return nil
}

// fitAlone tries the models of one application, and chooses one unless the benchmarks
// are to be fitted together.
func (o *options) fitAlone(f *fitted) error {
	var c perfmodel.Chooser
	var first error
	for m := eq2; m < models; m++ {
		if o.model != auto && o.model != m {
			continue
		}
		if m == sumOfTwo && o.model == auto && slices.ContainsFunc(f.profile.Runs, func(r perfmodel.Run) bool { return !r.Split }) {
			continue
		}
		model := newModel(m, &f.profile)
		f.scores[m] = score{true, math.Inf(1), 0}
		err := model.Fit(&f.profile)
		if m == eq2 {
			f.tableI = err
		}
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if _, scores, err := c.Choose(nil, []perfmodel.Model{model}, &f.profile, perfmodel.LeaveRun); err == nil {
			f.scores[m].error, f.scores[m].runs = scores[0].Error, scores[0].Runs
		} else if err := model.Fit(&f.profile); err != nil { // some parts cannot be fitted, the whole can
			return err
		}
		if _, npb := benchmarkOf(&f.profile); npb && o.model == auto {
			continue
		}
		if f.estimator == nil || f.scores[m].error < f.scores[f.chosen].error {
			f.estimator, f.chosen = model, m
		}
	}
	if _, npb := benchmarkOf(&f.profile); f.estimator == nil && o.model != machine && !(npb && o.model == auto) {
		if p := f.profile.Runs[0].Processes; len(f.profile.Runs) > 1 && !slices.ContainsFunc(f.profile.Runs, func(r perfmodel.Run) bool { return r.Processes != p }) {
			return cli.Mistakef("%sno model can be fitted: all runs are on %s, which does not tell how it scales; profile it on others, too", of(f.profile.Application), processes(p))
		}
		return cli.Mistakef("%sno model can be fitted: %s", of(f.profile.Application), inRuns(&f.profile, first))
	}
	if f.estimator != nil && o.checks {
		f.check(f.profile.Runs, func(without *perfmodel.Profile) (perfmodel.Estimator, error) {
			model := newModel(f.chosen, &f.profile)
			return model, model.Fit(without)
		})
	}
	return nil
}

// check predicts runs from the others. What cannot be predicted has no check.
func (f *fitted) check(runs []perfmodel.Run, fit func(without *perfmodel.Profile) (perfmodel.Estimator, error)) {
	for i := range runs {
		k := -1
		without := f.profile.Select(func(*perfmodel.Run) bool { k++; return k != i })
		e, err := fit(&without)
		if err != nil {
			continue
		}
		var one [1]perfmodel.Estimate
		if err := e.EstimateTo(one[:], perfmodel.Query{Features: runs[i].Features, Processes: []int{runs[i].Processes}}); err == nil {
			f.checks = append(f.checks, check{&runs[i], one[0]})
		}
	}
}

// fitTogether fits the benchmarks among the profiles as what they are on one machine.
func (r *results) fitTogether(line *progress.Line) error {
	if r.o.model != auto && r.o.model != machine {
		return nil
	}
	var at []int
	var train []perfmodel.Profile
	var shapes []perfmodel.Shape
	for i, f := range r.fitted {
		if b, ok := benchmarkOf(&f.profile); ok {
			at, train, shapes = append(at, i), append(train, f.profile), append(shapes, b.Shape)
		}
	}
	if at == nil {
		return nil
	}
	pools := perfmodel.Candidates(shapes)
	var c perfmodel.Chooser
	for k := range pools {
		line.Showf("all benchmarks: %s", poolNames[k])
		_, scores, err := c.ChoosePool(nil, pools[k:k+1], train, perfmodel.LeaveRun)
		if err != nil {
			return cli.Mistakef("no model of the machine can be fitted: %s", inData(err))
		}
		r.pool.scores = append(r.pool.scores, scores[0])
		if scores[0].Error < r.pool.scores[r.pool.best].Error {
			r.pool.best = k
		}
	}
	r.pool.names = poolNames
	chosen := pools[r.pool.best]
	// Each run once more from all others, for its interval.
	for k, i := range at {
		line.Showf("%s: runs left out", train[k].Application)
		f := r.fitted[i]
		f.chosen = machine
		if !r.o.checks {
			continue
		}
		f.check(f.profile.Runs, func(without *perfmodel.Profile) (perfmodel.Estimator, error) {
			others := slices.Clone(train)
			others[k] = *without
			err := chosen.FitAll(others)
			return chosen.Application(k), err
		})
		sum := 0.
		for _, c := range f.checks {
			d := math.Log(c.estimate.Seconds / c.run.Seconds)
			sum += d * d
		}
		f.scores[machine] = score{true, math.Sqrt(sum / float64(len(f.checks))), len(f.checks)}
	}
	if err := chosen.FitAll(train); err != nil {
		return cli.Mistakef("no model of the machine can be fitted: %s", inData(err))
	}
	for k, i := range at {
		r.fitted[i].estimator = chosen.Application(k)
	}
	return nil
}

// fitWithout predicts the runs of each application's largest case from the others of
// all applications, which is what a profile of small runs is for. Where others do not
// do for a model it says nothing.
func (r *results) fitWithout(line *progress.Line) {
	small := &results{o: &options{}, in: &input{}}
	*small.o = *r.o
	small.o.checks = false
	var large [][]perfmodel.Run
	for _, f := range r.fitted {
		longest := largest(&f.profile)
		of := func(x *perfmodel.Run) bool { return slices.Equal(x.Features, longest.Features) }
		rest := f.profile.Select(func(x *perfmodel.Run) bool { return !of(x) })
		if len(rest.Runs) == 0 {
			return
		}
		small.in.profiles = append(small.in.profiles, rest)
		large = append(large, f.profile.Select(of).Runs)
		f.step = longest.Seconds / largest(&rest).Seconds
	}
	line.Showf("largest cases left out")
	if err := small.fit(line); err != nil {
		return
	}
	for i, f := range r.fitted {
		for k := range large[i] {
			x := &large[i][k]
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

func (r *results) tally(checks func(*fitted) []check) (t tally) {
	var off []float64
	for _, f := range r.fitted {
		for _, c := range checks(f) {
			t.of++
			if c.estimate.Lower <= c.run.Seconds && c.run.Seconds <= c.estimate.Upper {
				t.within++
			}
			off = append(off, math.Abs(math.Log(c.estimate.Seconds/c.run.Seconds)))
		}
	}
	if slices.Sort(off); len(off) > 0 {
		t.off = math.Expm1((off[(len(off)-1)/2] + off[len(off)/2]) / 2)
	}
	return t
}

func alone(f *fitted) []check { return f.checks }
func grown(f *fitted) []check { return f.grown }

// reach is how many times as long as the longest run profiled a task may take for a
// step as far to have been tried.
func (r *results) reach(f *fitted) float64 {
	if len(f.grown) == 0 {
		return 0
	}
	if f.chosen != machine {
		return f.step
	}
	most := 0.
	for _, g := range r.fitted {
		if g.chosen == machine {
			most = max(most, g.step)
		}
	}
	return most
}
