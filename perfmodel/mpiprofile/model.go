package mpiprofile

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// allToAll reports whether an MPI function grows as P·log P: in gather, scatter, allgather and
// alltoall a process handles the blocks of all processes. All others, and single messages,
// grow as log P.
func allToAll(function string) bool {
	name := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(function, "P"), prefix))
	name = strings.TrimPrefix(name, "i") // nonblocking
	return strings.Contains(name, "gather") || strings.Contains(name, "scatter") || strings.HasPrefix(name, "alltoall")
}

// Model is the model of [Huang13] section II.B with T_N by MPI function: T_C by Eq. (2), and
// the time of each function by Eq. (3) or Eq. (4). The zero value uses the features.
//
// Seconds, Lower, Upper and Mean are sums of those of the parts, as for [perfmodel.CAP3].
type Model struct {
	Work         func(features []float64) float64 // for all parts, in place of the features
	Proportional bool                             // each function is proportional to its growth, as in perfmodel.Network

	computation perfmodel.LogLinear
	functions   []string // what each model is of
	networks    []*perfmodel.Network
	part        []perfmodel.Estimate
	fitted      bool
}

// other is the name of what functions take that have no model of their own.
const other = "MPI_other"

// Fit fits all parts. Runs on one process have no communication. The errors are those of
// [Profile.Validate] and of [perfmodel.LogLinear.Fit], and ErrMissing if the profile has no
// functions.
func (m *Model) Fit(p *Profile) error {
	m.fitted = false
	if err := p.Validate(); err != nil {
		return err
	}
	if len(p.Functions) == 0 {
		return badInput("Profile.Functions", -1, ErrMissing, "no function: want the times of MPI functions")
	}
	names, seconds := split(p)
	runs := slices.Clone(p.Runs)
	for i := range runs {
		r := &runs[i]
		n := 0.0
		for _, x := range seconds {
			n += x[i]
		}
		if !r.Split {
			r.Split, r.Computation = true, r.Seconds-n
		}
		r.Communication = n
	}
	whole := perfmodel.Profile{Application: p.Application, Features: p.Features, Runs: runs}
	m.computation.Computation, m.computation.Work = true, m.Work
	if err := m.computation.Fit(&whole); err != nil {
		return err
	}
	m.functions, m.networks = names, m.networks[:0]
	for k := range names {
		for i := range runs {
			runs[i].Communication = seconds[k][i]
		}
		n := &perfmodel.Network{AllToAll: allToAll(names[k]), Work: m.Work, Proportional: m.Proportional}
		if err := n.Fit(&whole); err != nil {
			return err
		}
		m.networks = append(m.networks, n)
	}
	m.fitted = true
	return nil
}

// split returns the functions that can have models of their own, with their times by run.
// The times of the others are in the last one, or in the longest.
func split(p *Profile) (names []string, seconds [][]float64) {
	many := func(i int) bool { return p.Runs[i].Processes > 1 }
	positive := func(x []float64) bool {
		for i, v := range x {
			if many(i) && v == 0 {
				return false
			}
		}
		return true
	}
	rest, any := make([]float64, len(p.Runs)), false
	longest, most := 0, -1.0
	for j, name := range p.Functions {
		x := make([]float64, len(p.Runs))
		sum := 0.0
		for i := range p.Runs {
			x[i] = p.Seconds[i][j]
			if many(i) {
				sum += x[i]
			}
		}
		if name == other || !positive(x) {
			any = any || sum > 0
			for i := range rest {
				rest[i] += x[i]
			}
			continue
		}
		if sum > most {
			longest, most = len(names), sum
		}
		names, seconds = append(names, name), append(seconds, x)
	}
	switch {
	case !any && len(names) > 0:
	case positive(rest) || len(names) == 0:
		names, seconds = append(names, other), append(seconds, rest)
	default:
		for i := range rest {
			seconds[longest][i] += rest[i]
		}
	}
	return names, seconds
}

// Functions returns what has a model of its own, in the order of the networks of Parts. The slice belongs
// to the model.
func (m *Model) Functions() []string { return m.functions }

// Parts returns the models of T_C and of the functions. They belong to m.
func (m *Model) Parts() (*perfmodel.LogLinear, []*perfmodel.Network) {
	return &m.computation, m.networks
}

// EstimateTo implements [perfmodel.Estimator]. Time: O(f·(k² + n)) for f functions, k
// coefficients and n process counts.
func (m *Model) EstimateTo(dst []perfmodel.Estimate, q perfmodel.Query) error {
	if !m.fitted {
		return badInput("model", -1, perfmodel.ErrNotFitted, "want a call of Fit before")
	}
	if err := m.computation.EstimateTo(dst, q); err != nil {
		return err
	}
	m.part = grow.To(m.part, len(dst))
	for _, n := range m.networks {
		if err := n.EstimateTo(m.part, q); err != nil {
			return err
		}
		for i := range dst {
			d, x := &dst[i], &m.part[i]
			d.Seconds += x.Seconds
			d.Lower += x.Lower
			d.Upper += x.Upper
			d.Mean += x.Mean
		}
	}
	return nil
}
