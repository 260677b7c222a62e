package perfmodel

// Eqs. (3) and (4) of [Huang13]: the time within MPI, T_N, as a power law in the
// features and in a function f of the number of processes,
//
//	log T_N = c_0 + Σ_j c_j·log x_j + c_{r+1}·log f(P),
//
// where f(P) = log P in Eq. (3) and P·log P in Eq. (4). The way in which the messages of
// the collective operation travel decides which [PjesivacGrbovic07]:
//
//	barrier, broadcast, reduce, allreduce   log P
//	    by trees or recursive doubling: in each of ⌈lg P⌉ rounds a process sends
//	    one message, whose size does not depend on P
//	all-to-all                              P·log P
//	    by Bruck's algorithm: ⌈lg P⌉ rounds, too, but in each a process passes on
//	    the blocks of half of all processes, P/2 of them
//
// One process sends nothing: T_N = 0, and log f(P) is −∞ in both equations. So runs on
// one process are not part of the fit, and the prediction there is 0, with certainty. A
// T_N of 0 on more processes has no logarithm and is an error: the clock was too coarse.
//
// The exponent of f(P) is fitted, as the equations have it, which takes runs on two
// numbers of processes above 1. Section II.B states more: the time of the operation is
// proportional to f(P). With Proportional the exponent is 1, and one number above 1 is
// enough.

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/perfmodel/lsq"
)

// Network is the model of T_N. The zero value is Eq. (3).
//
// Its Mean is that of the log-normal distribution without bias, by [Bradu70].
type Network struct {
	AllToAll     bool                             // the operation is an all-to-all, Eq. (4)
	Work         func(features []float64) float64 // in place of the features, as in LogLinear
	Proportional bool                             // the exponent of f(P) is 1, not fitted

	log logModel
}

// Fit fits the model to the communication times of the runs of p on more than one
// process. The errors are those of [LogLinear.Fit].
func (m *Network) Fit(p *Profile) error {
	by := logLogP
	if m.AllToAll {
		by = logPLogP
	}
	m.log.held = m.Proportional
	return m.log.fit(p, communicationTime, m.Work, by)
}

// EstimateTo implements [Estimator], for T_N. On one process all values are 0.
func (m *Network) EstimateTo(dst []Estimate, q Query) error { return m.log.estimateTo(dst, q) }

// Regression returns the fit. Its last coefficient is that of ln f(P), unless the model is
// Proportional. The fit belongs to the model and is valid until the next Fit.
func (m *Network) Regression() *lsq.Regression { return &m.log.reg }

// CAP3 is the model of [Huang13] section II.B: the run time T is T_C + T_N. The time of
// computation, T_C, follows Eq. (2), and the time of communication, T_N, Eq. (3) or (4). Every run
// of the profile must be Split, with computation above 0.
//
// Seconds, Lower, Upper and Mean are sums over both parts. The sum of means is always right. The
// sum of quantiles is right if both parts are long in the same runs, as on a machine that is
// disturbed. If the parts are independent, the interval is wider than necessary.
type CAP3 struct {
	AllToAll     bool                             // as in Network
	Work         func(features []float64) float64 // for both parts, in place of the features
	Proportional bool                             // T_N is proportional to f(P), as in Network

	computation LogLinear
	network     Network
	part        []Estimate
}

// Fit fits both parts. The errors are those of [LogLinear.Fit].
func (m *CAP3) Fit(p *Profile) error {
	m.computation.Computation, m.computation.Work = true, m.Work
	m.network.AllToAll, m.network.Work, m.network.Proportional = m.AllToAll, m.Work, m.Proportional
	if err := m.computation.Fit(p); err != nil {
		return err
	}
	return m.network.Fit(p)
}

// EstimateTo implements [Estimator]. Time: O(k² + n) for n process counts.
func (m *CAP3) EstimateTo(dst []Estimate, q Query) error {
	if err := m.computation.EstimateTo(dst, q); err != nil {
		return err
	}
	m.part = grow.To(m.part, len(dst))
	if err := m.network.EstimateTo(m.part, q); err != nil {
		return err
	}
	for i := range dst {
		d, n := &dst[i], &m.part[i]
		d.Seconds += n.Seconds
		d.Lower += n.Lower
		d.Upper += n.Upper
		d.Mean += n.Mean
	}
	return nil
}
