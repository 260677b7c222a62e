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
	tableI    error   // why the features alone do not do, if they do not

	functions    *mpiprofile.Profile // the whole profile, with times by MPI function if it has them
	beyond       bool                // chosen by leaving out the most processes
	proportional bool                // T_N of cap3 has the exponent 1
	unsplit      int                 // runs that cap3 is not fitted to
	tasks        []kase              // to be planned
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

// A pool is what was tried for all benchmarks together.
type pool struct {
	scores []perfmodel.Score
	best   int
	names  []string
}

var poolNames = []string{"no memory", "memory of all processes together", "memory of each process"}

// newModel returns an empty model of one application; nil for machine.
func (o *options) newModel(m modelName, f *fitted) perfmodel.Model {
	work, collective := perfmodel.Measure(perfmodel.Product), perfmodel.Allreduce
	b, benchmark := perfmodel.BenchmarkOf(&f.profile)
	if benchmark {
		work, collective = b.Work, b.Collective
	}
	measure := work // nil: by features
	switch {
	case o.by == byWork:
	case o.by == byFeatures, !benchmark, m == eq1, m == eq2:
		measure = nil
	}
	if o.by == byFeatures && (m == amdahl || m == usl) {
		measure = work // they have no features
	}
	drop := o.drop == 1
	switch m {
	case eq1:
		return &perfmodel.Additive{Work: measure, DropDependent: drop}
	case eq2:
		return &perfmodel.LogLinear{Work: measure, DropDependent: drop}
	case workOnly:
		return &perfmodel.LogLinear{Work: work}
	case quadratic:
		return &perfmodel.LogLinear{Quadratic: true, Work: measure, DropDependent: drop}
	case sumOfTwo:
		return &perfmodel.CAP3{Collective: collective, Work: measure, Proportional: f.proportional, DropDependent: drop}
	case functions:
		return &byFunction{mpiprofile.Model{Work: measure, Proportional: f.proportional, DropDependent: drop}, f.functions}
	case amdahl:
		return &perfmodel.USL{Amdahl: true, Work: work}
	case usl:
		return &perfmodel.USL{Work: work}
	}
	return nil
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
func (o *options) newFitted(p *perfmodel.Profile) *fitted {
	f := &fitted{profile: *p, counts: p.LikelyCounts(), chosen: auto}
	if o.oversubscribed == dropped {
		f.profile, f.left = p.Unsaturated()
	}
	split := runsFor(sumOfTwo, &f.profile)
	f.unsplit = len(f.profile.Runs) - len(split.Runs)
	above := countsOf(&split)
	if len(above) > 0 && above[0] == 1 {
		above = above[1:]
	}
	f.proportional = o.network == networkProportional || o.network == networkAuto && len(above) < 2
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
	o, in := r.o, r.in
	for i := range in.profiles {
		f := o.newFitted(&in.profiles[i])
		f.functions = in.functions[in.profiles[i].Application]
		if f.functions == nil {
			f.functions = &mpiprofile.Profile{}
		}
		for _, c := range in.tasks {
			if c.Application == f.profile.Application {
				f.tasks = append(f.tasks, c)
			}
		}
		r.fitted = append(r.fitted, f)
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
	f.beyond = o.beyond(f)
	c.Most = f.beyond
	for m := eq1; m < models; m++ {
		if o.model != auto && o.model != m {
			continue
		}
		runs := runsFor(m, &f.profile)
		if o.model == auto && ((m == sumOfTwo || m == functions) && len(runs.Runs) < len(f.profile.Runs) || m == eq1 && o.by == byAuto || m == functions && len(f.functions.Functions) == 0) {
			continue // it would be compared on other runs; nobody asked for a sum
		}
		model := o.newModel(m, f)
		f.scores[m] = score{true, math.Inf(1), 0}
		err := model.Fit(&runs)
		if m == eq2 {
			f.tableI = err
		}
		if err != nil {
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
		if _, npb := perfmodel.BenchmarkOf(&f.profile); npb && o.model == auto && !f.beyond {
			continue
		}
		if f.estimator == nil || f.scores[m].error < f.scores[f.chosen].error {
			f.estimator, f.chosen = model, m
		}
	}
	if _, npb := perfmodel.BenchmarkOf(&f.profile); f.estimator == nil && o.model != machine && !(npb && o.model == auto) {
		return cli.Mistakef("%s%s", of(f.profile.Application), o.whyNot(f, first))
	}
	if f.estimator != nil && o.checks {
		f.checks = f.leaveOut(func(without *perfmodel.Profile) (perfmodel.Estimator, error) {
			model, runs := o.newModel(f.chosen, f), runsFor(f.chosen, without)
			return model, model.Fit(&runs)
		})
	}
	return nil
}

// beyond tells whether the models of an application are chosen by how they predict more
// processes: if -scale lets a choice go beyond the profile, and the profile without the
// most processes still tells how the application scales. The machine that all benchmarks
// share has a straight line in the logarithm of the processes, and is no match there.
func (o *options) beyond(f *fitted) bool {
	return o.model == auto && o.scale > 1 && len(countsOf(&f.profile)) >= 3
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
		if b, ok := perfmodel.BenchmarkOf(&f.profile); ok {
			at, train, shapes = append(at, i), append(train, f.profile), append(shapes, b)
		}
	}
	if !slices.ContainsFunc(at, func(i int) bool { return r.fitted[i].estimator == nil }) {
		return nil
	}
	pools := perfmodel.Candidates(shapes)
	for k := range pools {
		line.Showf("all benchmarks: %s", poolNames[k])
		_, scores, err := perfmodel.ChooseMachine(nil, pools[k:k+1], train)
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
		if f.estimator != nil {
			continue
		}
		f.chosen = machine
		if !r.o.checks {
			continue
		}
		f.checks = f.leaveOut(func(without *perfmodel.Profile) (perfmodel.Estimator, error) {
			others := slices.Clone(train)
			others[k] = *without
			err := chosen.FitAll(others)
			return chosen.Application(k), err
		})
		sum := 0.
		for _, c := range f.checks {
			sum += c.off() * c.off()
		}
		f.scores[machine] = score{true, math.Sqrt(sum / float64(len(f.checks))), len(f.checks)}
	}
	if err := chosen.FitAll(train); err != nil {
		return cli.Mistakef("no model of the machine can be fitted: %s", inData(err))
	}
	for k, i := range at {
		if r.fitted[i].estimator == nil {
			r.fitted[i].estimator = chosen.Application(k)
		}
	}
	return nil
}

// fitWithout predicts the runs of each application's largest case from the others of
// all applications, which is what a profile of small runs is for. Where others do not
// do for a model it says nothing.
func (r *results) fitWithout(line *progress.Line) {
	small := &results{o: &options{}, in: &input{functions: r.in.functions}}
	*small.o = *r.o
	small.o.checks = false
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
