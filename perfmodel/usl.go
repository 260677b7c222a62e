package perfmodel

// The Universal Scalability Law [Gunther93]: what P processes do in a time, against one
// process, is
//
//	C(P) = λ·P / (1 + σ·(P−1) + κ·P·(P−1)),
//
// where λ is the speed of one process, σ contention (waiting for a turn) and κ coherence
// (every process informs every other). With T = W/C, a = (1−σ)/λ, b = σ/λ and c = κ/λ,
//
//	T = W·(a/P + b + c·(P−1)),
//
// linear in the coefficients, none of which is negative: σ is in [0, 1] and κ ≥ 0. With
// κ > 0 the time is least at P = √((1−σ)/κ). With κ = 0, the law is Amdahl's
// [Amdahl67]: a share σ of the work is serial, the rest divides evenly. Faster than
// linear speedup, σ < 0, which Gunther allows, is not fitted.
//
// The fit makes the sum of squared relative errors, Σ (T_i/T̂_i − 1)², small. Each round is
// a linear least squares that divides each row by the prediction of the round before; the
// first round divides by T_i. Dividing by T_i in all rounds would favour runs that were
// fast by chance: for log-normal errors the fit ends at exp(−3σ²/2) times the median.
//
// A solution with a negative coefficient is not taken. All problems with some
// coefficients held at 0 are solved, too. The best without a negative coefficient is the
// optimum under the constraint, because the optimum solves the problem of its own
// support. Time: O(n) for n runs.
//
// The law stands beside Eq. (2) because a power law has no limit, and no least time. Made-up
// programs on 1 to 8 processes were predicted on 16 and 32. A tenth of the predictions of a
// power law are off by 76% or more. Of a Chooser with Most among these laws, a tenth are off by
// 31% or more (go test -run TestStudyProcesses -v ./perfmodel).

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// USL is the Universal Scalability Law, a model of the run time. The zero value fits the times of
// whole runs of one case.
//
// Mean is the prediction T̂ of the fit. For given weights, T̂ is linear in the measured times. So
// errors of mean 0 do not bias T̂, as long as no coefficient is held at 0. Let s be the relative
// standard deviation of the residuals. The median, Seconds, is T̂/√(1+s²), as for a log-normal time
// with the relative standard deviation s. The interval is the median times
// exp(±t·√(ln(1+s²)·(1+h))), where t is the quantile of Student's t and h is the leverage.
type USL struct {
	// Amdahl holds κ at 0: the time never rises with P. The fit needs two numbers of
	// processes, and three without Amdahl.
	Amdahl bool
	// Work is proportional to the times. Without Work all runs, and all queries, have the same
	// features: the law alone knows nothing of a larger input.
	Work func(features []float64) float64

	solver  lsq.Solver
	try     lsq.Regression
	reg     lsq.Regression
	x, y    []float64
	weight  []float64
	sub, wy []float64 // of the problem solved
	span    span
	work    func(features []float64) float64
	support uint8 // of the columns, as bits
	t       quantile
	fitted  bool
}

// Coefficients returns λ per second and unit of work, σ and κ. It panics if m is
// not fitted.
func (m *USL) Coefficients() (lambda, sigma, kappa float64) {
	a, b, c := m.coefficients()
	return 1 / (a + b), b / (a + b), c / (a + b)
}

// Peak returns the number of processes at which the time is least, √((1−σ)/κ), or +Inf
// if the time always falls. It is not rounded and may be below 1. It panics if m is not
// fitted.
func (m *USL) Peak() float64 {
	a, _, c := m.coefficients()
	if c == 0 {
		return math.Inf(1)
	}
	return math.Sqrt(a / c)
}

var uslNames = [...]string{"W/P", "W", "W·(P−1)"}

// maskedNames has the names of the columns of each support.
var maskedNames = func() (names [8][]string) {
	for mask := range names {
		for j, name := range uslNames {
			if mask>>j&1 == 1 {
				names[mask] = append(names[mask], name)
			}
		}
	}
	return names
}()

// Fit fits the law to the runs of p. The errors are those of [LogLinear.Fit]. Runs on too
// few numbers of processes are ErrDependent, and runs of different features without Work
// ErrMissing.
func (m *USL) Fit(p *Profile) error {
	m.fitted = false
	if err := p.Validate(); err != nil {
		return err
	}
	m.work = m.Work
	m.x, m.y = m.x[:0], m.y[:0]
	for i := range p.Runs {
		r := &p.Runs[i]
		t, err := target(p, i, wholeTime)
		if err != nil {
			return err
		}
		w := 1.0
		if m.work != nil {
			if w, err = measured(m.work, "Profile.Runs[].Features", i, r.Features); err != nil {
				return err
			}
		}
		if m.work == nil && !same(r.Features, p.Runs[0].Features) {
			return m.needsWork("Profile.Runs[].Features", i, r.Features, p.Runs[0].Features)
		}
		n := float64(r.Processes)
		m.x = append(m.x, w/n, w, w*(n-1))
		m.y = append(m.y, t)
	}
	rows := len(m.y)
	if rows == 0 {
		return badInput("Profile.Runs", -1, ErrFewRows, "0 runs: want at least one to fit to")
	}
	all := uint8(7)
	if m.Amdahl {
		all = 3
	}
	m.weight = grow.To(m.weight, rows)
	for i := range m.y {
		m.weight[i] = 1 / m.y[i]
	}
	for range reweightings {
		if err := m.round(all); err != nil {
			return err
		}
		a, b, c := m.coefficients()
		for i := range m.y {
			m.weight[i] = 1 / (a*m.x[3*i] + b*m.x[3*i+1] + c*m.x[3*i+2])
		}
	}
	m.span.set(p)
	return nil
}

// needsWork is the error of features that differ where no Work says how the times do.
func (m *USL) needsWork(field string, index int, other, first []float64) error {
	return badInput(field, index, ErrMissing, "features %v beside %v without Work: set Work to what the time is proportional to, such as Product", other, first)
}

// reweightings is how often the rows are divided anew. Each time changes the result by
// about the relative variance times the change before. So 8 leave nothing of errors of
// 10%, and little of errors of 50%.
const reweightings = 8

// round solves the problem with the present weights on every support.
func (m *USL) round(all uint8) error {
	rows := len(m.y)
	m.wy = grow.To(m.wy, rows)
	for i, t := range m.y {
		m.wy[i] = t * m.weight[i]
	}
	best := math.Inf(1)
	m.fitted = false
	for mask := all; mask > 0; mask-- { // the whole first: it says what cannot be told apart
		m.sub = m.sub[:0]
		for i, v := range m.x {
			if mask>>(i%3)&1 == 1 {
				m.sub = append(m.sub, v*m.weight[i/3])
			}
		}
		names := maskedNames[mask]
		err := m.solver.Solve(&m.try, m.sub, rows, len(names), m.wy, lsq.Options{Names: names})
		if err != nil && mask == all {
			return ofFit(err)
		}
		ok := err == nil
		for _, c := range m.try.Coef {
			ok = ok && c >= 0
		}
		// W·(P−1) alone says that one process takes no time.
		ok = ok && mask != 4
		if ok && m.try.RSS < best {
			best, m.support = m.try.RSS, mask
			m.reg, m.try = m.try, m.reg
			m.fitted = true
		}
	}
	return nil
}

func (m *USL) coefficients() (a, b, c float64) {
	if !m.fitted {
		panic("perfmodel: coefficients of a model that is not fitted")
	}
	var all [3]float64
	k := 0
	for j := range all {
		if m.support>>j&1 == 1 {
			all[j] = m.reg.Coef[k]
			k++
		}
	}
	return all[0], all[1], all[2]
}

// EstimateTo implements [Estimator]. Time: O(n) for n process counts.
func (m *USL) EstimateTo(dst []Estimate, q Query) error {
	if !m.fitted {
		return badInput("model", -1, ErrNotFitted, "want a call of Fit before")
	}
	level := q.check(dst, len(m.span.names))
	if err := q.finite(m.span.names); err != nil {
		return err
	}
	w := 1.0
	if m.work != nil {
		var err error
		if w, err = measured(m.work, "Query.Features[]", -1, q.Features); err != nil {
			return err
		}
	}
	if m.work == nil && !same(q.Features, m.span.low) {
		return m.needsWork("Query.Features[]", -1, q.Features, m.span.low)
	}
	var features Extrapolation
	if !q.Brief {
		features = m.span.worst(q.Features)
	}
	perProcess := 1 / float64(m.span.maxP)
	half, shift := math.Inf(1), 1.0
	if m.reg.DF > 0 {
		square := 1 + m.reg.Sigma*m.reg.Sigma
		half = m.t.at(level, m.reg.DF) * math.Sqrt(math.Log(square))
		shift = 1 / math.Sqrt(square)
	}
	a, b, c := m.coefficients()
	var row [3]float64
	for i, p := range q.Processes {
		e := &dst[i]
		if q.Brief {
			e.Processes, e.Scale = p, float64(p)*perProcess
		} else {
			*e = Estimate{Processes: p, Scale: float64(p) * perProcess}
			m.span.note(e, &features)
		}
		n := float64(p)
		mean := w * (a/n + b + c*(n-1))
		if !(mean > 0 && mean < math.Inf(1)) {
			return badInput("Query.Processes[]", i, ErrOverflow, "%v seconds on %d processes: want a case nearer to the profile", mean, p)
		}
		e.Seconds = mean * shift
		if !q.Brief || q.Level != 0 {
			k := 0
			for j, v := range [...]float64{w / n, w, w * (n - 1)} {
				if m.support>>j&1 == 1 {
					row[k] = v / mean
					k++
				}
			}
			h := m.reg.LeverageAt(row[:k])
			f := math.Exp(half * math.Sqrt(1+h))
			e.Lower, e.Upper = e.Seconds/f, e.Seconds*f
		}
		if q.Mean {
			e.Mean = mean
		}
	}
	return nil
}
