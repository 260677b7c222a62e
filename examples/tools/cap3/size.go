package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/sizing"
	"github.com/plimsoll/plimsoll/pricing"
)

// results are what came of it all.
type results struct {
	o      *options
	in     *input
	fitted []*fitted // by profile
	sized  []*sized  // by task
}

// plan fits, sizes and schedules.
func (o *options) plan(in *input, line *progress.Line) (*results, error) {
	r := &results{o: o, in: in}
	if err := r.fit(line); err != nil {
		return nil, err
	}
	r.fitWithout(line)
	for _, c := range in.tasks {
		line.Showf("%s", nameOf(c))
		s, err := r.size(c)
		if err != nil {
			return nil, err
		}
		r.sized = append(r.sized, s)
		if s.scheduled, err = r.schedule(s, line); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// nameOf is application and case.
func nameOf(c task) string {
	switch {
	case c.Application == "" && c.Name == "":
		return "the task"
	case c.Application == "":
		return c.Name
	case c.Name == "":
		return c.Application
	}
	return c.Application + " " + c.Name
}

// A sized task has its options.
type sized struct {
	task      task
	fitted    *fitted
	front     []sizing.Size
	options   []sizing.Size // all, those beyond the profile, too
	choices   [choices]sizing.Choice
	promise   *sizing.Size // what the paper would take, beyond the profile
	outside   []perfmodel.Extrapolation
	interval  perfmodel.Estimate // of the choice scheduled
	scheduled *scheduled         // nil where there is nothing to schedule
}

// picked is the plan that is scheduled.
func (s *sized) picked(o *options) *sizing.Choice { return &s.choices[o.choose] }

// farthest is the number of processes up to which a model is asked what it promises.
const farthest = 128

// maxProcesses is the largest number that is looked at in any case.
const maxProcesses = 1 << 16

// size finds the options of a task.
func (r *results) size(c task) (*sized, error) {
	o := r.o
	s := &sized{task: c}
	for i := range r.in.profiles {
		if r.in.profiles[i].Application == c.Application {
			s.fitted = r.fitted[i]
		}
	}
	profiled := s.fitted.profile.MaxProcesses()
	most := min(maxProcesses, max(farthest, int(o.scale*float64(profiled))))
	counts := perfmodel.AppendCounts(nil, s.fitted.counts, 1, most)
	// Eq. (1) may have no prediction beyond the profile; a choice needs none there.
	within := slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return float64(n) > o.scale*float64(profiled) })
	target := sizing.Target{
		Features: c.Features,
		Deadline: o.deadline - o.latency,
		Counts:   within,
		MaxScale: o.scale,
	}
	if len(within) == 0 { // the verdict says so
		target.Counts = counts
	}
	wrong := func(err error) error {
		if errors.Is(err, perfmodel.ErrNotPositive) {
			for i, x := range c.Features {
				if !(x > 0) {
					return cli.Mistakef("%s: %s is %v, and the model takes its logarithm: want a number above 0", nameOf(c), c.Names[i], x)
				}
			}
		}
		return cli.Mistakef("%s: %s", nameOf(c), unpredictable(o, err))
	}
	var pl sizing.Sizer
	var err error
	if s.front, err = pl.AppendFront(nil, s.fitted.estimator, r.in.instance, target); err != nil {
		return nil, wrong(err)
	}
	for k := range s.choices {
		t := target
		switch choiceName(k) {
		case fast:
			t.Budget = o.budget
		case cheap:
			t.Cheapest = true
		case sure:
			t.Cheapest, t.Budget, t.Confidence = true, o.budget, o.confidence
		}
		if s.choices[k], err = pl.Size(s.fitted.estimator, r.in.instance, t); err != nil {
			return nil, wrong(err)
		}
	}
	// What would be taken if nobody asked whether it was ever tried.
	t := target
	t.Budget, t.MaxScale, t.Counts = o.budget, float64(most), counts
	// A model may promise so much out there that it is no number; it is not bought.
	if all, err := pl.AppendSizes(nil, s.fitted.estimator, r.in.instance, t); err == nil {
		s.options = all
	}
	if p, err := pl.Size(s.fitted.estimator, r.in.instance, t); err == nil && p.Verdict == sizing.Fits && float64(p.Best.Processes) > o.scale*float64(profiled) {
		s.promise = &p.Best
	}
	p := s.picked(o)
	if p.Verdict == sizing.Unprofiled {
		return s, nil
	}
	s.outside = s.fitted.profile.AppendExtrapolations(nil, c.Features, p.Best.Processes)
	if s.interval, err = s.estimate(o, p.Best.Processes); err != nil {
		return nil, wrong(err)
	}
	return s, nil
}

// estimate returns the estimate of the run time on so many processes, whose upper end is
// kept with the probability of -confidence.
func (s *sized) estimate(o *options, processes int) (perfmodel.Estimate, error) {
	one := []perfmodel.Estimate{{}}
	err := s.fitted.estimator.EstimateTo(one, perfmodel.Query{Features: s.task.Features, Processes: []int{processes}, Level: 2*o.confidence - 1 + tiny,
		Mean: true})
	return one[0], err
}

// tiny keeps the level of intervals above 0, for a confidence of a half.
const tiny = 1e-12

// verdictOf says what a choice came to.
func verdictOf(v sizing.Verdict) string {
	switch v {
	case sizing.Fits:
		return "fits"
	case sizing.TooLate:
		return "too late"
	case sizing.TooDear:
		return "too dear"
	}
	return "not profiled"
}

// dollars is an amount with two decimals.
func dollars(m pricing.Money) string { return m.Fixed(2) }

// clock is a span for people.
func clock(d time.Duration) string {
	switch {
	case d == 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%.3fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		if d%time.Minute < time.Second {
			return fmt.Sprintf("%dm", d/time.Minute)
		}
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	if d = d.Round(time.Minute); d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
