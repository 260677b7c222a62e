package perfmodel

// The standard deviations of a [Machine] that make its profiles likeliest, by coordinate
// search; machine.go has the model.

import "math"

// factor puts the Cholesky factor of the covariances into k. It returns false if
// rounding leaves them without a factor.
func (m *Machine) factor(h *hyper, k []float64) bool {
	n := len(m.cells)
	for i := range n {
		row := k[i*n : i*n+i+1]
		for j := range row {
			row[j] = h.covariance(&m.cells[i], &m.cells[j])
		}
		row[i] += h[4]*h[4] + m.cells[i].noise
	}
	return cholesky(k, n)
}

// cholesky replaces the lower triangle of k by its factor L, k = L·Lᵀ. It returns false
// if rounding leaves k without a factor.
func cholesky(k []float64, n int) bool {
	for i := range n {
		row := k[i*n : i*n+i+1]
		for j := range row {
			other := k[j*n : j*n+j+1]
			s := row[j]
			for q, v := range other[:j] {
				s -= row[q] * v
			}
			if j < i {
				row[j] = s / other[j]
				continue
			}
			if !(s > 0) {
				return false
			}
			row[i] = math.Sqrt(s)
		}
	}
	return true
}

// forward solves L·x = b in place, and back solves Lᵀ·x = b.
func forward(k []float64, n int, b []float64) {
	for i := range n {
		s := b[i]
		for q, v := range k[i*n : i*n+i] {
			s -= v * b[q]
		}
		b[i] = s / k[i*n+i]
	}
}

func back(k []float64, n int, b []float64) {
	for i := n - 1; i >= 0; i-- {
		b[i] /= k[i*n+i]
		for q, v := range k[i*n : i*n+i] {
			b[q] -= v * b[i]
		}
	}
}

// score is the logarithm of the evidence times the prior, up to a constant.
func (m *Machine) score(h *hyper, k []float64) float64 {
	if !m.factor(h, k) {
		return math.Inf(-1)
	}
	n := len(m.cells)
	copy(m.tmp, m.y)
	forward(k, n, m.tmp)
	s := 0.0
	for i, v := range m.tmp {
		s -= v*v/2 + math.Log(k[i*n+i])
	}
	for i, v := range h {
		d := math.Log(v/priorHyper[i]) / priorWidth
		s -= d * d / 2
	}
	return s
}

// search sets m.hyper, m.k and m.alpha.
func (m *Machine) search() {
	m.hyper = priorHyper
	m.evidence = m.score(&m.hyper, m.k)
	// Steps go down to 3% of a standard deviation's factor. The result depends on the
	// machine that computes it only by rounding.
	for step := priorWidth; step > priorWidth/32; step /= 2 {
		for moved := true; moved; {
			moved = false
			for i := range m.hyper {
				for _, d := range [...]float64{-step, step} {
					h := m.hyper
					h[i] *= math.Exp(d)
					// A step must gain something, so that rounding does not decide.
					if s := m.score(&h, m.trial); s > m.evidence+1e-6 {
						m.evidence, m.hyper, moved = s, h, true
						m.k, m.trial = m.trial, m.k
					}
				}
			}
		}
	}
	n := len(m.cells)
	copy(m.alpha, m.y)
	forward(m.k, n, m.alpha)
	back(m.k, n, m.alpha)
}
