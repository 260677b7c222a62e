package perfmodel

import "github.com/plimsoll/plimsoll/perfmodel/lsq"

// Eq. (2) with a second term in the number of processes [Barnes08]:
//
//	log T = c_0 + Σ_j c_j·log x_j + a·log P + b·(log P)².
//
// A power law in P has the same speedup for every doubling of P, without end. An
// application that communicates gains less each time, until the time rises again. With b
// > 0 the model can say so: its minimum is at P = exp(−a/(2b)). It needs three numbers
// of processes.
//
// The model bends evenly, while real times fall straight and then turn at once. From a
// profile that ends before the turn, it expects the turn too far out
// (TestFlatteningIsNotBought has a turn near 45 processes that the model puts beyond
// 128). If the profile ends early take [USL]. [Huang13] profiled LU to 32 processes,
// where LU scaled well, and bought 128, where it did not (section III.A).

// Quadratic is the model of [Barnes08]. Its fields are those of [LogLinear].
type Quadratic struct {
	Part          Part
	Work          Measure
	Proportional  bool
	DropDependent bool

	log logModel
}

// Fit fits the model as [LogLinear.Fit] does.
func (m *Quadratic) Fit(p *Profile) error {
	return m.log.fit(p, m.Part, m.Work, m.Proportional, m.DropDependent, quadraticP)
}

// EstimateTo implements [Estimator]. Time: O(k² + n) for n process counts.
func (m *Quadratic) EstimateTo(dst []Estimate, q Query) error { return m.log.estimateTo(dst, q) }

// Regression returns the fit. Its last two coefficients are a and b. The fit belongs to
// the model and is valid until the next Fit.
func (m *Quadratic) Regression() *lsq.Regression { return &m.log.reg }

// Columns returns the names of the coefficients after the first, c_0.
func (m *Quadratic) Columns() []string { return m.log.names }
