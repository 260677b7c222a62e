package perfmodel

// Eq. (2) of [Huang13]: the logarithm of a time is linear in the logarithms of the
// features and of the number of processes,
//
//	log T = c_0 + Σ_j c_j·log x_j + c_{r+1}·log P,
//
// so T = e^{c_0}·Π x_j^{c_j}·P^{c_{r+1}}, a power law. The paper calls Eq. (2) the logarithm
// of Eq. (1), which is a sum. Eq. (2) is another model, and the better one: errors of times
// are proportional to the times.
//
// The fit minimises Σ (log T_i − log T̂_i)², by package perfmodel/lsq. Columns that the
// profile cannot tell apart are an error that names them. With the features of Table I
// that happens for all benchmarks but EP: the iterations do not vary over the classes S,
// W and A, and nx = ny = nz. The remedy is a Work, the product that the time grows with.
// Time: O(n·k²) for n runs and k columns.

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// A part says which of a run's times a model is fitted to.
type part uint8

const (
	wholeTime         part = iota // Seconds
	computationTime               // T_C
	communicationTime             // T_N
)

// LogLinear is the model of Eq. (2). The zero value fits the times of whole runs
// to the features as they are.
//
// Its Mean is that of the log-normal distribution without bias, by [Bradu70].
type LogLinear struct {
	// Computation fits T_C in place of the whole time.
	Computation bool
	// Work, if set, replaces the features by one column, log Work.
	// Its value must be positive wherever the features are.
	Work func(features []float64) float64
	// Quadratic adds the column (log P)² [Barnes08], where P is the number of processes. Without
	// the column, the time is a power of P, and each doubling of P has the same speedup. But an
	// application that communicates gains less from each doubling, until its time rises again. Let
	// a be the coefficient of log P, and b the coefficient of (log P)². If b is positive, the
	// model predicts the least time at P = exp(−a/(2b)). The fit needs runs with at least three
	// different numbers of processes.
	//
	// If the application's time still falls at the largest P of the profile, this prediction can
	// be far too large (package sizing, TestFlatteningIsNotBought). Use [USL] then.
	Quadratic bool

	log logModel
}

// Fit fits the model to the runs of p. It keeps its memory between calls. The error is
// that of [Profile.Validate] or an *pricing.InputError: ErrNotPositive for a time or a feature
// without a logarithm, ErrMissing if a run is not Split and Computation is asked for,
// ErrFewRows, or ErrDependent, which names the columns.
func (m *LogLinear) Fit(p *Profile) error {
	time, by := wholeTime, logP
	if m.Computation {
		time = computationTime
	}
	if m.Quadratic {
		by = quadraticP
	}
	return m.log.fit(p, time, m.Work, by)
}

// EstimateTo implements [Estimator]. Time: O(k² + n) for n process counts.
func (m *LogLinear) EstimateTo(dst []Estimate, q Query) error { return m.log.estimateTo(dst, q) }

// Regression returns the fit. Its coefficients are c_0, those of the features or of the work,
// that of ln P, and that of (ln P)² if Quadratic. The fit belongs to the model and is valid
// until the next Fit.
func (m *LogLinear) Regression() *lsq.Regression { return &m.log.reg }

// scaling says by which columns a model depends on the number of processes.
type scaling uint8

const (
	logP       scaling = iota // ln P
	quadraticP                // ln P and (ln P)²
	logLogP                   // ln(lg P)
	logPLogP                  // ln(P·lg P)
)

func (s scaling) columns() int {
	if s == quadraticP {
		return 2
	}
	return 1
}

// values returns the values of the columns; the second is 0 if there is only one.
func (s scaling) values(p int) (float64, float64) {
	if p < len(lnTable) {
		switch s {
		case quadraticP:
			return lnTable[p], lnTable[p] * lnTable[p]
		case logLogP:
			return lnLgTable[p], 0
		case logPLogP:
			return lnTable[p] + lnLgTable[p], 0
		}
		return lnTable[p], 0
	}
	l := math.Log(float64(p))
	switch s {
	case quadraticP:
		return l, l * l
	case logLogP:
		return lnLg(l), 0
	case logPLogP:
		return l + lnLg(l), 0
	}
	return l, 0
}

// lnLg returns ln(lg P) of ln P.
func lnLg(l float64) float64 { return math.Log(l / math.Ln2) }

// lnTable and lnLgTable have ln P and ln(lg P) of small P. Per number of processes, a
// logarithm takes longer than everything else that sizing does, except the exponential.
var lnTable, lnLgTable = func() (a, b [1025]float64) {
	for p := range a {
		a[p] = math.Log(float64(p))
		b[p] = lnLg(a[p])
	}
	return a, b
}()

var scalingNames = [...][]string{
	logP:       {"ln P"},
	quadraticP: {"ln P", "(ln P)²"},
	logLogP:    {"ln(lg P)"},
	logPLogP:   {"ln(P·lg P)"},
}

// A logModel is what the models of logarithms share.
type logModel struct {
	solver    lsq.Solver
	reg       lsq.Regression
	names     []string // of the columns
	plain, ln []string // features, and as columns
	x, y, row []float64
	span      span
	work      func(features []float64) float64
	scaling   scaling
	held      bool // the exponent of the number of processes is 1, and has no column
	t         quantile
	fitted    bool
}

// target returns the part of a run's time that is fitted, or an error.
func target(p *Profile, i int, of part) (float64, error) {
	r := &p.Runs[i]
	t, field := r.Seconds, "Profile.Runs[].Seconds"
	if of != wholeTime && !r.Split {
		return 0, badInput("Profile.Runs[].Split", i, ErrMissing, "computation and communication were not measured apart: want both, or a fit of the whole time")
	}
	switch of {
	case computationTime:
		t, field = r.Computation, "Profile.Runs[].Computation"
	case communicationTime:
		t, field = r.Communication, "Profile.Runs[].Communication"
	}
	if t <= 0 {
		return 0, badInput(field, i, ErrNotPositive, "%v seconds have no logarithm: want a positive time", t)
	}
	return t, nil
}

// columns returns how many columns depend on the number of processes.
func (m *logModel) columns() int {
	if m.held {
		return 0
	}
	return m.scaling.columns()
}

func (m *logModel) fit(p *Profile, of part, work func(features []float64) float64, by scaling) error {
	m.fitted = false
	if err := p.Validate(); err != nil {
		return err
	}
	m.work, m.scaling = work, by
	m.names, m.x, m.y = m.names[:0], m.x[:0], m.y[:0]
	if work != nil {
		m.names = append(m.names, "ln work")
	} else {
		if !slices.Equal(m.plain, p.Features) {
			m.plain, m.ln = append(m.plain[:0], p.Features...), m.ln[:0]
			for _, name := range p.Features {
				m.ln = append(m.ln, "ln "+name)
			}
		}
		m.names = append(m.names, m.ln...)
	}
	if !m.held {
		m.names = append(m.names, scalingNames[by]...)
	}
	rows := 0
	for i := range p.Runs {
		r := &p.Runs[i]
		if of == communicationTime && r.Processes == 1 {
			continue // T_N = 0 there
		}
		t, err := target(p, i, of)
		if err != nil {
			return err
		}
		if err := m.appendFeatures(r.Features, "Profile.Runs[].Features", i, p.Features); err != nil {
			return err
		}
		y := math.Log(t)
		switch a, b := by.values(r.Processes); {
		case m.held:
			y -= a
		case by == quadraticP:
			m.x = append(m.x, a, b)
		default:
			m.x = append(m.x, a)
		}
		m.y = append(m.y, y)
		rows++
	}
	if rows == 0 {
		return badInput("Profile.Runs", -1, ErrFewRows, "0 runs: want at least one to fit to")
	}
	opt := lsq.Options{Names: m.names, Intercept: true}
	if err := m.solver.Solve(&m.reg, m.x, rows, len(m.names), m.y, opt); err != nil {
		return ofFit(err)
	}
	m.span.set(p)
	m.fitted = true
	return nil
}

// appendFeatures appends the columns of the features to m.x.
func (m *logModel) appendFeatures(x []float64, field string, index int, names []string) error {
	if m.work != nil {
		w, err := measured(m.work, field, index, x)
		if err != nil {
			return err
		}
		m.x = append(m.x, math.Log(w))
		return nil
	}
	for j, v := range x {
		if v <= 0 {
			return badInput(field, index, ErrNotPositive, "%s is %v and has no logarithm: want a positive number", names[j], v)
		}
		m.x = append(m.x, math.Log(v))
	}
	return nil
}

// A curve is a model along the number of processes for one case: the mean of the
// logarithm is m + a·u + b·v and its leverage the quadratic form in (1, u, v).
type curve struct {
	m, a, b                  float64
	h, hu, hv, huu, huv, hvv float64
}

// along returns the curve of a case.
func (m *logModel) along(q *Query) (curve, error) {
	var c curve
	if err := q.finite(m.span.names); err != nil {
		return c, err
	}
	keep := len(m.x)
	if err := m.appendFeatures(q.Features, "Query.Features[]", -1, m.span.names); err != nil {
		m.x = m.x[:keep]
		return c, err
	}
	m.row = append(m.row[:0], m.x[keep:]...)
	m.x = m.x[:keep]
	n := len(m.row)
	m.row = append(m.row, 0, 0)[:n+m.columns()]
	if m.held {
		c.m, c.h = m.reg.PredictLeverage(m.row)
		c.a = 1
		return c, nil
	}
	at := func(u, v float64) (float64, float64) {
		m.row[n] = u
		if m.scaling == quadraticP {
			m.row[n+1] = v
		}
		return m.reg.PredictLeverage(m.row)
	}
	value, h := at(0, 0)
	up, hUp := at(1, 0)
	_, hDown := at(-1, 0)
	c.m, c.a, c.h = value, up-value, h
	c.hu, c.huu = (hUp-hDown)/2, (hUp+hDown)/2-h
	if m.scaling == quadraticP {
		right, hRight := at(0, 1)
		_, hLeft := at(0, -1)
		_, hBoth := at(1, 1)
		c.b, c.hv, c.hvv = right-value, (hRight-hLeft)/2, (hRight+hLeft)/2-h
		c.huv = hBoth - h - c.hu - c.hv - c.huu - c.hvv
	}
	return c, nil
}

func (m *logModel) estimateTo(dst []Estimate, q Query) error {
	if !m.fitted {
		return badInput("model", -1, ErrNotFitted, "want a call of Fit before")
	}
	level := q.check(dst, len(m.span.names))
	c, err := m.along(&q)
	if err != nil {
		return err
	}
	var features Extrapolation
	if !q.Brief {
		features = m.span.worst(q.Features)
	}
	perProcess := 1 / float64(m.span.maxP)
	half := math.Inf(1)
	if m.reg.DF > 0 {
		half = m.t.at(level, m.reg.DF) * m.reg.Sigma
	}
	none := m.scaling == logLogP || m.scaling == logPLogP // T_N = 0 on one process
	for i, p := range q.Processes {
		e := &dst[i]
		if q.Brief {
			e.Processes, e.Scale = p, float64(p)*perProcess
		} else {
			*e = Estimate{Processes: p, Scale: float64(p) * perProcess}
			m.span.note(e, &features)
		}
		if none && p == 1 {
			e.Seconds, e.Upper = 0, 0
			continue
		}
		u, v := m.scaling.values(p)
		mean := c.m + c.a*u + c.b*v
		h := max(0, c.h+u*(c.hu+c.huu*u)+v*(c.hv+c.hvv*v+c.huv*u))
		e.Seconds = math.Exp(mean)
		if !q.Brief || q.Level != 0 {
			f := math.Exp(half * math.Sqrt(1+h))
			e.Upper = e.Seconds * f
			if !q.Brief {
				e.Lower = e.Seconds / f
			}
		}
		if q.Mean {
			e.Mean = logMean(mean, h, m.reg.Sigma, m.reg.DF)
		}
		if !(e.Seconds > 0 && e.Seconds < math.Inf(1)) {
			return badInput("Query.Processes[]", i, ErrOverflow, "exp(%v) seconds on %d processes: want a case nearer to the profile", mean, p)
		}
	}
	return nil
}
