package perfmodel

// Machine predicts larger cases of several applications on the one machine on which all
// of them were profiled.
//
// Three small cases of an application say little about how the cost of a unit of work
// grows with size: the data of all three may fit in a cache. But the machine is the same
// for all applications, and the cases of other applications have outgrown that cache. So
// the logarithm of the time per unit of work is a sum of the application's own terms and
// of a term of the machine, by how much memory a process goes over:
//
//	ln T = ln W − ln P + α_a + β_a·ln P + γ_a·ln W + d_a(ln W) + d_aP(ln W) + g(ln(M/P)) + ε
//
//	W, M     work and working set of the case
//	α_a      speed of application a; anything
//	β_a      exponent of P beyond linear speedup, near 0
//	γ_a      exponent of work beyond 1, near 0
//	d_a      drift along the work: a random walk; d_aP another for each P
//	g        drift along the working set of a process: a random walk, the same for
//	         all applications that have a working set
//	ε        error of the model, and of the measurement: by what repetitions differ
//	         and by the resolution of the clock
//
// All terms but α have a normal prior of mean 0, so the whole is Gaussian process
// regression ([Rasmussen06] chapter 2): the prediction is linear in the logarithms of
// the measured times and comes with a variance. Three things follow. The prediction
// starts from the nearest cases, because walks forget what is far. Exponents are drawn
// towards 1. The interval widens with the root of the distance in the logarithm of the
// size.
//
// The six standard deviations are those that make the profiles likeliest, times a
// log-normal prior on each (evidence, [Rasmussen06] section 5.4.1), by coordinate
// search. The priors say how far machines and programs are known to differ. They are
// weak: a factor of 1.65 either way is one standard deviation.
//
// Time: O(n³) for each of some hundreds of evaluations in FitAll, O(n²) for a
// prediction.

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A Machine learns the profiles of several applications together. The zero value is
// ready once Shapes is set. A Machine keeps its memory. It is for one goroutine at a
// time.
type Machine struct {
	// Shapes has the work and the working set of each application, in the order of
	// the profiles.
	Shapes []Shape
	// WholeWorkingSet says that processes share their working sets: g depends on M, not
	// on M/P. It suits processes that share one cache.
	WholeWorkingSet bool

	apps     []machineApplication
	cells    []cell
	y        []float64
	hyper    hyper
	evidence float64
	df       int
	repeat   float64    // standard deviation of one run's ln seconds
	origin   [2]float64 // of ln W and ln of the working set
	centre   float64
	k        []float64 // kernel, then its Cholesky factor, row after row
	trial    []float64
	alpha    []float64
	tmp      []float64
	t        quantile
	fitted   bool
}

// A cell is a run in the terms of the model.
type cell struct {
	app          int
	p            int
	lw           float64 // ln W less the origin
	lm           float64 // ln of the working set less the origin
	lp           float64 // ln P
	noise        float64 // variance of the measurement
	rounding     float64 // part of it, by the resolution of the clock
	reps, spread float64
	mem          bool // whether there is a working set
}

// hyper has the standard deviations of g, d_a, γ_a, β_a, ε and d_aP.
type hyper [6]float64

// priorHyper has the medians of the priors of the six standard deviations:
//
//	0.15  g     the walk along the working set. Over a factor of 1000 it moves by
//	            0.15·√(ln 1000) = 0.39, so the cost grows by half; on real machines it grows
//	            by between nothing and a factor of 4
//	0.1   d_a   the walk along the work
//	0.1   γ_a   the exponent of work is mostly within 0.1 of 1
//	0.15  β_a   while there are cores for the processes, the exponent of their number is
//	            mostly within 0.15 of linear speedup
//	0.08  ε     a law of this form is mostly right to 8%
//	0.1   d_aP  the walk along the work for one number of processes
var priorHyper = hyper{0.15, 0.1, 0.1, 0.15, 0.08, 0.1}

// priorWidth is the standard deviation of the logarithms of the hyperparameters.
const priorWidth = 0.5

// speedVariance is the prior variance of α about the mean of the data. A factor of e¹⁰
// either way is one standard deviation, so the prior says nothing.
const speedVariance = 100

// priorRepetitions is how many repetitions the usual scatter of a run counts for beside
// the run's own. With 4, the precisions 1/σ² of runs scatter about the usual one as χ²
// with 4 degrees of freedom over 4, that is by √(2/4), or 0.7 of it. So the variances of
// runs differ by a factor of about 2 either way.
const priorRepetitions = 4

// defaultRepeat is the scatter of repeated runs if there are none: the prior median of
// the error of the law, from which no single run can tell the scatter.
const defaultRepeat = 0.08

// medianVariance returns an approximation of v(n), the variance of the median of n normal values
// divided by the variance of one value. For odd n, medianVariance returns π/(2n + π − 2). This is
// exact for n = 1, is 2% low for n = 3 and 5, and has the right limit, π/(2n). The median of two
// values is their mean, so v(2) = ½. For even n > 2, medianVariance returns its value for n + 1,
// which is 5% low for n = 4 and 6. TestMedianVariance simulates all of these.
func medianVariance(n float64) float64 {
	switch {
	case n == 2:
		return 0.5
	case math.Mod(n, 2) == 0:
		n++
	}
	return math.Pi / (2*n + math.Pi - 2)
}

type machineApplication struct {
	m     *Machine
	index int
	name  string
	span  span
	first int // of its runs
	runs  int
}

// FitAll fits the machine to the profiles, and copies the data that it needs. FitAll panics if the
// numbers of shapes and profiles differ, or if a shape has no Work.
//
// The error is an *pricing.InputError. An error about a profile has the profile's Index. It is that
// of [Profile.Validate], or ErrNotPositive if a measure is not positive. If no application has two
// cases that differ in work, the runs do not tell how times grow: the error is ErrFewRows, with the
// Index −1.
//
// A profile without runs is not an error. The machine then predicts the other applications, and a
// prediction for the application of that profile returns ErrNotFitted.
func (m *Machine) FitAll(profiles []Profile) error {
	if len(m.Shapes) != len(profiles) {
		panic("perfmodel: number of shapes is not that of the profiles")
	}
	for _, s := range m.Shapes {
		if s.Work == nil {
			panic("perfmodel: shape without a Work")
		}
	}
	m.fitted = false
	m.apps = grow.To(m.apps, len(profiles))
	m.cells, m.y, m.tmp, m.df = m.cells[:0], m.y[:0], m.tmp[:0], 0
	for a := range profiles {
		p := &profiles[a]
		if err := p.Validate(); err != nil {
			return named("profiles", a, err, p)
		}
		m.apps[a].m, m.apps[a].index, m.apps[a].name = m, a, p.Application
		m.apps[a].span.set(p)
		m.apps[a].runs = len(p.Runs)
		first := len(m.cells)
		m.apps[a].first = first
		sizes := 0
		for i := range p.Runs {
			r := &p.Runs[i]
			c, w, err := m.cell(a, r.Features, r.Processes, "Profile.Runs[].Features", i)
			if err != nil {
				return named("profiles", a, err, p)
			}
			c.reps, c.spread = float64(r.Repetitions), r.Spread
			// A time rounded to steps of q is anywhere within q of it with equal chance:
			// variance q²/12.
			q := r.Resolution / r.Seconds
			c.rounding = q * q / 12
			if r.Repetitions > 1 && r.Spread > 0 {
				m.tmp = append(m.tmp, r.Spread)
			}
			if !slices.ContainsFunc(m.cells[first:], func(d cell) bool { return d.lw == c.lw }) {
				sizes++
			}
			m.cells = append(m.cells, c)
			m.y = append(m.y, math.Log(r.Seconds)-w+c.lp)
		}
		m.df += max(0, sizes-1)
	}
	if m.df == 0 {
		return badInput("profiles", -1, ErrFewRows, "each application was profiled with one amount of work: want one with two, so that the runs tell how times grow")
	}
	m.weigh()
	n := len(m.cells)
	m.k, m.trial = grow.To(m.k, n*n), grow.To(m.trial, n*n)
	m.alpha, m.tmp = grow.To(m.alpha, n), grow.To(m.tmp, n)
	m.search()
	m.fitted = true
	return nil
}

// weigh sets the noise of the runs, and moves origins and centre to 0.
func (m *Machine) weigh() {
	m.repeat = defaultRepeat
	if len(m.tmp) > 0 {
		m.repeat = median(m.tmp)
	}
	m.origin = [2]float64{math.Inf(1), math.Inf(1)}
	m.centre = 0
	for i := range m.cells {
		c := &m.cells[i]
		// The run's own scatter counts by its repetitions, against priorRepetitions with
		// the usual scatter.
		v := m.repeat * m.repeat
		if c.reps > 1 && c.spread > 0 {
			v = (priorRepetitions*v + (c.reps-1)*c.spread*c.spread) / (priorRepetitions + c.reps - 1)
		}
		c.noise = v*medianVariance(c.reps) + c.rounding
		m.origin[0] = min(m.origin[0], c.lw)
		if c.mem {
			m.origin[1] = min(m.origin[1], c.lm)
		}
		m.centre += m.y[i] / float64(len(m.y))
	}
	for i := range m.cells {
		m.cells[i].lw -= m.origin[0]
		m.cells[i].lm -= m.origin[1]
		m.y[i] -= m.centre
	}
}

// cell returns a case in the terms of the model, without its noise, and its ln W.
func (m *Machine) cell(app int, x []float64, processes int, field string, index int) (cell, float64, error) {
	c := cell{app: app, p: processes, lp: math.Log(float64(processes))}
	w, err := measured(m.Shapes[app].Work, field, index, x)
	if err != nil {
		return c, 0, err
	}
	c.lw = math.Log(w)
	if f := m.Shapes[app].WorkingSet; f != nil {
		b, err := measured(f, field, index, x)
		if err != nil {
			return c, 0, err
		}
		c.mem, c.lm = true, math.Log(b)
		if !m.WholeWorkingSet {
			c.lm -= c.lp
		}
	}
	return c, c.lw, nil
}

// walk is the covariance of a random walk that is 0 at the origin, at two places.
func walk(u, v float64) float64 {
	switch {
	case u > 0 && v > 0:
		return min(u, v)
	case u < 0 && v < 0:
		return -max(u, v)
	}
	return 0
}

// covariance returns the covariance of the logarithms of two times, without noise.
func (h *hyper) covariance(a, b *cell) float64 {
	v := 0.0
	if a.mem && b.mem {
		v = h[0] * h[0] * walk(a.lm, b.lm)
	}
	if a.app != b.app {
		return v
	}
	d := walk(a.lw, b.lw)
	v += speedVariance + h[1]*h[1]*d + h[2]*h[2]*a.lw*b.lw + h[3]*h[3]*a.lp*b.lp
	if a.p == b.p {
		v += h[5] * h[5] * d
	}
	return v
}

// Application returns the estimator of the application with the given index. The estimator belongs
// to the machine and is valid until the next FitAll. Application panics if FitAll had no profile
// with that index.
//
// In the estimates, Seconds is the median time. Let m and v be the mean and the variance of the
// logarithm of the time, given the runs. Mean is exp(m + v/2). This is the mean of a log-normal
// time. The variance v covers the uncertainty of the median and the scatter of single runs.
//
// The interval is for a single run, by Student's t distribution. Its degrees of freedom are a sum
// over all applications with runs. An application whose runs have k different amounts of work adds
// k − 1.
//
// Time: O(n²) for each number of processes, where n is the number of runs of all profiles.
func (m *Machine) Application(i int) Estimator {
	if i < 0 || i >= len(m.apps) {
		panic("perfmodel: no application with that index")
	}
	return &m.apps[i]
}

// EstimateTo implements [Estimator].
func (a *machineApplication) EstimateTo(dst []Estimate, q Query) error {
	m := a.m
	if !m.fitted {
		return badInput("model", -1, ErrNotFitted, "want a call of FitAll before")
	}
	level := q.check(dst, len(a.span.names))
	if a.runs == 0 {
		return badInput("model", -1, ErrNotFitted, "application %q has no run, so its speed is not known: want at least one run", a.name)
	}
	if err := q.finite(a.span.names); err != nil {
		return err
	}
	var features Extrapolation
	if !q.Brief {
		features = a.span.worst(q.Features)
	}
	perProcess := 1 / float64(a.span.maxP)
	t := m.t.at(level, m.df)
	error2 := m.hyper[4]*m.hyper[4] + m.repeat*m.repeat
	interval := !q.Brief || q.Level != 0
	for i, p := range q.Processes {
		e := &dst[i]
		if q.Brief {
			e.Processes, e.Scale = p, float64(p)*perProcess
		} else {
			*e = Estimate{Processes: p, Scale: float64(p) * perProcess}
			a.span.note(e, &features)
		}
		mean, v, err := a.posterior(q.Features, p)
		if err != nil {
			return err
		}
		e.Seconds = math.Exp(mean)
		if !(e.Seconds > 0 && e.Seconds < math.Inf(1)) {
			return badInput("Query.Processes[]", i, ErrOverflow, "exp(%v) seconds on %d processes: want a case nearer to the profile", mean, p)
		}
		if !interval && !q.Mean {
			continue
		}
		v = max(0, v) + error2
		half := t * math.Sqrt(v)
		e.Upper = math.Exp(mean + half)
		if !q.Brief {
			e.Lower = math.Exp(mean - half)
		}
		if q.Mean {
			e.Mean = math.Exp(mean + v/2)
		}
	}
	return nil
}

// posterior returns mean and variance of ln T without the error of a run, for one number of
// processes, as in [Rasmussen06] Alg. 2.1.
func (a *machineApplication) posterior(features []float64, p int) (mean, variance float64, err error) {
	m := a.m
	n := len(m.cells)
	c, lw, err := m.cell(a.index, features, p, "Query.Features[]", -1)
	if err != nil {
		return 0, 0, err
	}
	c.lw -= m.origin[0]
	c.lm -= m.origin[1]
	mean = m.centre + lw - c.lp
	for j := range m.cells {
		m.tmp[j] = m.hyper.covariance(&c, &m.cells[j])
		mean += m.tmp[j] * m.alpha[j]
	}
	forward(m.k, n, m.tmp)
	variance = m.hyper.covariance(&c, &c)
	for _, x := range m.tmp {
		variance -= x * x
	}
	return mean, variance, nil
}
