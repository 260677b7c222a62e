package perfmodel

// What a machine predicts of runs that it has not seen, for [Chooser.ChoosePool].
// Fitting it anew without each of n runs would take O(n⁴). Instead, keep the standard
// deviations of the fit to all runs, and so one covariance K of the runs. Then runs G
// are measured above what the other runs predict of them by
//
//	y_G − ŷ_G = (K⁻¹_GG)⁻¹·α_G,
//
// where K⁻¹_GG has the rows and columns of G of K⁻¹, and α = K⁻¹y ([Rasmussen06] section
// 5.4.2 has it for one run: α_i/K⁻¹_ii). Time: O(|G|³) beyond the fit. A test compares
// it with predictions from the other runs.

// leaveOut sums the squares of the errors in ln T of the runs of application a in group
// g, predicted from all other runs.
func (m *Machine) leaveOut(a int, group []int, g int) (sum float64, runs int) {
	first := m.apps[a].first
	m.out = m.out[:0]
	for i, of := range group {
		if of == g {
			m.out = append(m.out, first+i)
		}
	}
	n, k := len(m.cells), len(m.out)
	for i, p := range m.out {
		m.tmp[i] = m.alpha[p]
		for j, q := range m.out[:i+1] {
			m.trial[i*k+j] = m.inverse[p*n+q]
		}
	}
	if !cholesky(m.trial, k) {
		return 0, 0
	}
	e := m.tmp[:k]
	forward(m.trial, k, e)
	back(m.trial, k, e)
	for _, d := range e {
		sum += d * d
	}
	return sum, k
}
