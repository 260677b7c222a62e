package perfmodel

// Eq. (1) of [Huang13]: a time is a sum of terms in the features and in the number of
// processes,
//
//	T = c_0 + Σ_j c_j·x_j + c_{r+1}·P.
//
// The fit minimises Σ (T_i − T̂_i)², by package perfmodel/lsq. The longest runs decide the
// fit, and the errors of short runs do not count. The term in P is a straight line: every
// further process saves the same number of seconds, for every input. So the prediction of a
// small input on many processes may be below 0. Such a prediction is an error and not
// a number. [Huang13] takes the power law of Eq. (2) instead "to increase the accuracy";
// this model is here so that a user can compare both. Time: O(n·k²) for n runs and k
// columns.

import (
	"math"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// Additive is the model of [Huang13] Eq. (1): the run time is a sum of terms in the features and in
// the number of processes. The zero value fits the times of whole runs to the features as they are.
//
// Additive assumes that errors are normal. So the median, Seconds, and the mean, Mean, are both the
// predicted time T̂. The interval is T̂ ± t·s·√(1+h), where t is the quantile of Student's t, s is
// the standard deviation of the residuals, and h is the leverage of the prediction. If the lower
// end is below 0, Lower is 0.
type Additive struct {
	// Work, if set, replaces the features by one column.
	Work func(features []float64) float64

	solver    lsq.Solver
	reg       lsq.Regression
	names     []string
	x, y, row []float64
	span      span
	work      func(features []float64) float64
	t         quantile
	fitted    bool
}

// Fit fits the model to the runs of p. It keeps its memory between calls. The error is
// that of [Profile.Validate] or an *pricing.InputError: ErrFewRows, or ErrDependent, which
// names the columns.
func (m *Additive) Fit(p *Profile) error {
	m.fitted = false
	if err := p.Validate(); err != nil {
		return err
	}
	m.work = m.Work
	m.names, m.x, m.y = m.names[:0], m.x[:0], m.y[:0]
	if m.work != nil {
		m.names = append(m.names, "work")
	} else {
		m.names = append(m.names, p.Features...)
	}
	m.names = append(m.names, "P")
	for i := range p.Runs {
		r := &p.Runs[i]
		t, err := target(p, i, wholeTime)
		if err != nil {
			return err
		}
		if m.x, err = m.appendRow(m.x, r.Features, r.Processes, "Profile.Runs[].Features", i); err != nil {
			return err
		}
		m.y = append(m.y, t)
	}
	if len(m.y) == 0 {
		return badInput("Profile.Runs", -1, ErrFewRows, "0 runs: want at least one to fit to")
	}
	opt := lsq.Options{Names: m.names, Intercept: true}
	if err := m.solver.Solve(&m.reg, m.x, len(m.y), len(m.names), m.y, opt); err != nil {
		return ofFit(err)
	}
	m.span.set(p)
	m.fitted = true
	return nil
}

// appendRow appends the columns of one run.
func (m *Additive) appendRow(dst, features []float64, processes int, field string, index int) ([]float64, error) {
	if m.work != nil {
		w, err := measured(m.work, field, index, features)
		if err != nil {
			return dst, err
		}
		return append(dst, w, float64(processes)), nil
	}
	return append(append(dst, features...), float64(processes)), nil
}

// EstimateTo implements [Estimator]. A prediction that is not above 0 is an *pricing.InputError
// that unwraps to ErrNotPositive. Time: O(k²) for each process count and k columns.
func (m *Additive) EstimateTo(dst []Estimate, q Query) error {
	if !m.fitted {
		return badInput("model", -1, ErrNotFitted, "want a call of Fit before")
	}
	level := q.check(dst, len(m.span.names))
	if err := q.finite(m.span.names); err != nil {
		return err
	}
	features := m.span.worst(q.Features)
	half := math.Inf(1)
	if m.reg.DF > 0 {
		half = m.t.at(level, m.reg.DF) * m.reg.Sigma
	}
	for i, p := range q.Processes {
		var err error
		if m.row, err = m.appendRow(m.row[:0], q.Features, p, "Query.Features[]", -1); err != nil {
			return err
		}
		e := &dst[i]
		*e = Estimate{Processes: p, Scale: float64(p) / float64(m.span.maxP)}
		m.span.note(e, &features)
		v, h := m.reg.PredictLeverage(m.row)
		switch {
		case math.IsInf(v, 0) || math.IsNaN(v):
			return badInput("Query.Processes[]", i, ErrOverflow, "%v seconds on %d processes: want a case nearer to the profile", v, p)
		case v <= 0:
			return badInput("Query.Processes[]", i, ErrNotPositive, "Eq. (1) predicts %.3g seconds on %d processes: want a model that cannot fall below 0, such as LogLinear", v, p)
		}
		e.Seconds = v
		e.Lower, e.Upper = max(0, v-half*math.Sqrt(1+h)), v+half*math.Sqrt(1+h)
		if q.Mean {
			e.Mean = v
		}
	}
	return nil
}

// Regression returns the fit. Its coefficients are c_0, those of the features or of the
// work, and that of P. The fit belongs to the model and is valid until the next Fit.
func (m *Additive) Regression() *lsq.Regression { return &m.reg }
