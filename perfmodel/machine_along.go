package perfmodel

// Many numbers of processes for one case, as sizing asks for. In an estimate, only ln P
// and the working set of a process depend on P, and the working set matters only by how
// many of the profiled working sets it exceeds. So between two neighbouring profiled
// working sets the covariance with run j is
//
//	u_j + v_j·ln P,
//
// the mean is a straight line in ln P, and the variance a parabola, with coefficients
// from K⁻¹, where K is the covariance of the runs:
//
//	mean     = m_0 − ln P + u·α + (v·α)·ln P
//	variance = k − (u·K⁻¹u + 2·(u·K⁻¹v)·ln P + (v·K⁻¹v)·(ln P)²)
//
// From one such stretch to the next above it, u and v change for a single run, K⁻¹u and
// K⁻¹v by a multiple of one column of K⁻¹, and the coefficients follow from both. So all
// stretches of n runs take O(n²), and each estimate then O(1). Numbers of processes on
// which the application was profiled also have the term d_aP, and are estimated one by
// one. A property test compares both ways.

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A stretch has the coefficients for working sets of a process whose logarithm is at
// most high, and above the high of the stretch before it.
type stretch struct {
	high        float64
	mean, slope float64    // u·α, v·α
	q           [3]float64 // u·K⁻¹u, u·K⁻¹v, v·K⁻¹v
}

// along holds the stretches of the last case.
type along struct {
	features  []float64 // of the case
	c         cell      // the case on one process
	lw        float64   // its ln W
	own       float64   // of its variance, what does not depend on P
	stretches []stretch
	ku, kv    []float64 // K⁻¹u, K⁻¹v
	valid     bool
}

// few numbers of processes are estimated one by one: the stretches cost as much as about
// eight estimates. On 1,000 numbers, with 42 runs, the stretches are some 40 times as fast
// (go test ./perfmodel/sizing -bench Machine, with and without a few of 1 << 30).
const few = 8

// prepare fills a.along for a case, unless it has the case.
func (a *machineApplication) prepare(features []float64) error {
	s := &a.along
	if s.valid && slices.Equal(s.features, features) {
		return nil
	}
	s.valid = false
	m := a.m
	var err error
	if s.c, s.lw, err = m.cell(a.index, features, 1, "Query.Features", -1); err != nil {
		return err
	}
	c := &s.c
	c.lw -= m.origin[0]
	c.lm -= m.origin[1]
	n, h := len(m.cells), &m.hyper
	s.own = speedVariance + (h[1]*h[1]+h[5]*h[5])*math.Abs(c.lw) + h[2]*h[2]*c.lw*c.lw
	s.ku, s.kv = grow.To(s.ku, n), grow.To(s.kv, n)
	clear(s.ku)
	clear(s.kv)
	s.stretches = grow.To(s.stretches, n+2)[:0]
	memory := h[0] * h[0]
	moving := c.mem && !m.WholeWorkingSet
	// At or below the origin of working sets: the application by itself.
	t := stretch{high: math.Inf(1)}
	for j := range m.cells {
		d := &m.cells[j]
		u, v := 0.0, 0.0
		if c.mem && d.mem && !moving {
			u = memory * walk(c.lm, d.lm)
		}
		if d.app == a.index {
			u += speedVariance + h[1]*h[1]*walk(c.lw, d.lw) + h[2]*h[2]*c.lw*d.lw
			v += h[3] * h[3] * d.lp
		}
		if u != 0 || v != 0 {
			a.change(&t, j, u, v)
		}
	}
	if moving {
		t.high = 0
		s.stretches = append(s.stretches, t)
		// Above it, the case has c.lm − ln P in common with every run that has more.
		for _, j := range m.byMemory {
			a.change(&t, j, memory*c.lm, -memory)
		}
		for _, j := range m.byMemory {
			t.high = m.cells[j].lm
			s.stretches = append(s.stretches, t)
			// Above that, the run has less.
			a.change(&t, j, memory*(m.cells[j].lm-c.lm), memory)
		}
		t.high = math.Inf(1)
	}
	s.stretches = append(s.stretches, t)
	s.features = append(s.features[:0], features...)
	s.valid = true
	return nil
}

// change adds du and dv to u and v for run j.
func (a *machineApplication) change(t *stretch, j int, du, dv float64) {
	s, m := &a.along, a.m
	n := len(m.cells)
	column := m.inverse[j*n : (j+1)*n]
	t.mean += du * m.alpha[j]
	t.slope += dv * m.alpha[j]
	t.q[0] += du * (2*s.ku[j] + du*column[j])
	t.q[1] += du*s.kv[j] + dv*s.ku[j] + du*dv*column[j]
	t.q[2] += dv * (2*s.kv[j] + dv*column[j])
	for i, k := range column {
		s.ku[i] += du * k
		s.kv[i] += dv * k
	}
}

// invert sets m.inverse and m.byMemory.
func (m *Machine) invert() {
	n := len(m.cells)
	m.inverse = grow.To(m.inverse, n*n)
	clear(m.inverse)
	m.byMemory = m.byMemory[:0]
	for j := range n {
		column := m.inverse[j*n : (j+1)*n]
		column[j] = 1
		forward(m.k, n, column)
		back(m.k, n, column)
		if m.cells[j].mem {
			m.byMemory = append(m.byMemory, j)
		}
	}
	slices.SortFunc(m.byMemory, func(i, j int) int {
		switch a, b := m.cells[i].lm, m.cells[j].lm; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return i - j
	})
}

// posterior returns mean and variance of ln T without the error of a run, from the
// stretches. at is the place of the stretch for the number of processes before.
func (a *machineApplication) posterior(p int, at *int) (mean, variance float64) {
	s, h := &a.along, &a.m.hyper
	lp := lnOf(p)
	lm := s.c.lm
	if s.c.mem && !a.m.WholeWorkingSet {
		lm -= lp
		k := *at
		for k > 0 && lm <= s.stretches[k-1].high {
			k--
		}
		for lm > s.stretches[k].high {
			k++
		}
		*at = k
	}
	t := &s.stretches[*at]
	mean = a.m.centre + s.lw - lp + t.mean + lp*t.slope
	variance = s.own + h[3]*h[3]*lp*lp
	if s.c.mem {
		variance += h[0] * h[0] * math.Abs(lm)
	}
	return mean, variance - (t.q[0] + lp*(2*t.q[1]+lp*t.q[2]))
}

// lnOf returns ln P.
func lnOf(p int) float64 {
	if p < len(lnTable) {
		return lnTable[p]
	}
	return math.Log(float64(p))
}
