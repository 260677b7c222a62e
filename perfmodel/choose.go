package perfmodel

// Which model? The model that predicts best what it has not seen. Each model is fitted
// anew to the profile without some of its runs, and predicts these runs. A model's error
// is the root of the mean square of ln(predicted/measured) over all predictions, so 0.1 is
// about 10% off.
//
// Leave out what resembles the question. Leaving out runs one by one tests how a model
// interpolates. To predict more processes, leave out the runs on the most processes: laws
// that agree on the processes profiled promise very different times beyond, and one run in
// the middle does not tell the laws apart (TestStudyProcesses). Time: as many fits of each
// model as there are parts left out; for a [Machine], one fit.

import "math"

// A Score says how well a model predicted runs that it had not seen.
type Score struct {
	Error float64 // root mean square of ln(predicted/measured); +Inf if Err is not nil
	Runs  int     // predicted
	Err   error   // why the model could not be fitted or could not predict
}

// A Chooser chooses the model that best predicts runs that were left out. The zero value
// leaves out one run at a time. A Chooser keeps its memory. It is for one goroutine at a
// time.
type Chooser struct {
	// Most leaves out the runs on the most processes, once, in place of one run at a time.
	// Use it to predict runs on more processes than were profiled.
	Most bool

	train Profile
	one   [1]Estimate
	ask   [1]int
}

// Choose predicts runs of p that a model has not seen, with each of the models, and returns the
// index of the model with the least error. Of equal models, Choose returns the first. Choose
// appends a score for each model to dst. It fits each model to parts of p, and then fits the best
// model to the whole of p. If a model fails on any part, its score has the error, and Choose does
// not choose the model. Choose compares predictions with the times of whole runs, so the models
// must predict whole runs.
//
// The error is that of [Profile.Validate], or ErrMissing if there are no models. If all models
// fail, the error is that of the first model. If the best model does not fit the whole of p, the
// error is that of its fit.
func (c *Chooser) Choose(dst []Score, models []Model, p *Profile) (best int, scores []Score, err error) {
	if err := p.Validate(); err != nil {
		return -1, dst, err
	}
	if len(models) == 0 {
		return -1, dst, badInput("models", -1, ErrMissing, "0 models: want at least one to choose from")
	}
	start := len(dst)
	for _, m := range models {
		dst = append(dst, c.score(m, p))
	}
	if best, err = bestOf(dst[start:]); err == nil {
		err = models[best].Fit(p)
	}
	if err != nil {
		return -1, dst, err
	}
	return best, dst, nil
}

// bestOf returns the index of the best score, the first of equals, or the first error if there is
// no score without one.
func bestOf(scores []Score) (best int, err error) {
	best = -1
	for k, s := range scores {
		if s.Err == nil && (best < 0 || s.Error < scores[best].Error) {
			best = k
		}
	}
	if best < 0 {
		return -1, scores[0].Err
	}
	return best, nil
}

func same(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// score predicts the runs of p that are left out.
func (c *Chooser) score(m Model, p *Profile) Score {
	failed := func(err error) Score { return Score{Error: math.Inf(1), Err: err} }
	if len(p.Runs) == 0 {
		return failed(badInput("Profile.Runs", -1, ErrFewRows, "0 runs: want at least one to leave out"))
	}
	most := p.MaxProcesses()
	parts, left := len(p.Runs), func(part, i int) bool { return i == part }
	if c.Most {
		parts, left = 1, func(_, i int) bool { return p.Runs[i].Processes == most }
	}
	sum, n := 0.0, 0
	for part := range parts {
		c.train.Application, c.train.Features = p.Application, p.Features
		c.train.Runs = c.train.Runs[:0]
		for i := range p.Runs {
			if !left(part, i) {
				c.train.Runs = append(c.train.Runs, p.Runs[i])
			}
		}
		if err := m.Fit(&c.train); err != nil {
			return failed(err)
		}
		for i := range p.Runs {
			if !left(part, i) {
				continue
			}
			r := &p.Runs[i]
			c.ask[0] = r.Processes
			if err := m.EstimateTo(c.one[:], Query{Features: r.Features, Processes: c.ask[:]}); err != nil {
				return failed(err)
			}
			d := math.Log(c.one[0].Seconds / r.Seconds)
			sum += d * d
			n++
		}
	}
	return Score{Error: math.Sqrt(sum / float64(n)), Runs: n}
}

// ChooseMachine predicts each run from all other runs, with each of the machines, and returns the
// index of the machine with the least error. It appends a score for each machine to dst, and fits
// all machines to all profiles. If a profile has only one run, that run is never left out, because
// nothing could then predict its application.
//
// ChooseMachine fits each machine once to all runs, in O(n³) for n runs in all. The prediction of a
// run from the other runs follows from that fit. Let y be the measured values, K their covariance
// and α = K⁻¹y. Then the value of run i is α_i/(K⁻¹)_ii above the prediction from the other runs
// ([Rasmussen06] section 5.4.2).
//
// If there are no machines, the error is ErrMissing. If no machine could be fitted, the error is
// the error of the first machine: that of [Machine.FitAll], or ErrFewRows if no run can be left
// out.
func ChooseMachine(dst []Score, machines []*Machine, profiles []Profile) (best int, scores []Score, err error) {
	if len(machines) == 0 {
		return -1, dst, badInput("machines", -1, ErrMissing, "0 machines: want at least one to choose from")
	}
	start := len(dst)
	for _, m := range machines {
		s := Score{Error: math.Inf(1), Err: m.FitAll(profiles)}
		if s.Err == nil {
			s = m.leaveOut(profiles)
		}
		dst = append(dst, s)
	}
	best, err = bestOf(dst[start:])
	return best, dst, err
}

// leaveOut returns the score of m, which is fitted to profiles, on runs left out one by one.
func (m *Machine) leaveOut(profiles []Profile) Score {
	sum, runs := 0.0, 0
	n := len(m.cells)
	for k := range profiles {
		if len(profiles[k].Runs) < 2 {
			continue
		}
		for i := range profiles[k].Runs {
			at := m.apps[k].first + i
			clear(m.tmp) // becomes column number at of K⁻¹
			m.tmp[at] = 1
			forward(m.k, n, m.tmp)
			back(m.k, n, m.tmp)
			d := m.alpha[at] / m.tmp[at]
			sum += d * d
			runs++
		}
	}
	if runs == 0 {
		return Score{Error: math.Inf(1), Err: badInput("profiles", -1, ErrFewRows, "each application has one run only: want one with two, to leave one out")}
	}
	return Score{Error: math.Sqrt(sum / float64(runs)), Runs: runs}
}

// Candidates returns three machines from which [ChooseMachine] chooses, for applications of which
// only the shapes are known. The first machine has no working sets. The second has the working set
// of all processes together, and the third that of each process.
//
// Use Candidates to predict larger cases on the numbers of processes profiled. A Machine is a
// straight line in the logarithm of the number of processes. To predict more processes than the
// profiles have, use a [Chooser] with Most for each application instead. The laws among which it
// chooses bend, and predict more processes better.
func Candidates(shapes []Shape) []*Machine {
	var alone []Shape
	for _, s := range shapes {
		alone = append(alone, Shape{Work: s.Work})
	}
	return []*Machine{
		{Shapes: alone},
		{Shapes: shapes, WholeWorkingSet: true},
		{Shapes: shapes},
	}
}
