package perfmodel

import (
	"math"
	"slices"
)

// Longest returns the run that took longest, the first of equals. It panics if the profile
// has no run.
func (p *Profile) Longest() *Run {
	if len(p.Runs) == 0 {
		panic("perfmodel: the longest of no runs")
	}
	best := &p.Runs[0]
	for i := range p.Runs {
		if p.Runs[i].Seconds > best.Seconds {
			best = &p.Runs[i]
		}
	}
	return best
}

// Unsaturated returns the profile without the runs on more processes than
// Profile.saturation says help, and those runs. A case that was not run on fewer
// processes stays: nothing tells that it became no faster. The runs share their features
// with those of p. It takes O(n²) time for n runs.
func (p *Profile) Unsaturated() (kept Profile, left []Run) {
	most, saturated := p.saturation()
	if !saturated {
		return *p, nil
	}
	kept = p.Select(func(r *Run) bool {
		fewer := func(x Run) bool { return x.Processes <= most && same(x.Features, r.Features) }
		if r.Processes <= most || !slices.ContainsFunc(p.Runs, fewer) {
			return true
		}
		left = append(left, *r)
		return false
	})
	return kept, left
}

// LikelyCounts returns on which numbers of processes the application is likely to run. It
// is the rule of the benchmark for a profile of one, see [BenchmarkOf]. Otherwise it is
// powers of two if all runs are on such, or else squares if all are, for profiles of up to
// four processes or more; and else any number.
func (p *Profile) LikelyCounts() Counts {
	if b, ok := BenchmarkOf(p); ok {
		return b.Counts
	}
	powers, squares := p.MaxProcesses() >= 4, p.MaxProcesses() >= 4
	for i := range p.Runs {
		n := p.Runs[i].Processes
		powers = powers && n > 0 && n&(n-1) == 0
		squares = squares && isSquare(n)
	}
	switch {
	case powers:
		return PowersOfTwo
	case squares:
		return Squares
	}
	return AnyCount
}

// isSquare reports whether n is the square of a positive number.
func isSquare(n int) bool {
	if n < 1 {
		return false
	}
	for k := max(1, int(math.Sqrt(float64(n)))-1); k <= n/k; k++ { // the root may be off by 1
		if k == n/k && n%k == 0 {
			return true
		}
	}
	return false
}

// BenchmarkOf returns the NAS Parallel Benchmark that a profile is of: that of its
// application's name, if it has the benchmark's features in the benchmark's order, which
// [Profile.Arrange] brings about.
func BenchmarkOf(p *Profile) (Shape, bool) {
	b, err := NPB(p.Application)
	return b, err == nil && slices.Equal(b.Features, p.Features)
}

// Arrange returns the profile with its features in the order of names. The error is an
// *pricing.InputError that unwraps to [ErrMissing] if names does not have the features of p,
// each once. The profile p is not changed.
func (p *Profile) Arrange(names []string) (Profile, error) {
	for i, name := range p.Features {
		if !slices.Contains(names, name) || len(names) != len(p.Features) {
			return Profile{}, badInput("Profile.Features", i, ErrMissing, "%q: want the %d features of %q, each once", names, len(p.Features), p.Application)
		}
	}
	out := Profile{Application: p.Application, Features: names, Runs: slices.Clone(p.Runs)}
	for i := range out.Runs {
		r := &out.Runs[i]
		if len(r.Features) != len(p.Features) {
			return Profile{}, badInput("Profile.Runs[].Features", i, ErrMissing, "%d numbers for the %d features of %q: want one for each", len(r.Features), len(p.Features), p.Application)
		}
		was := r.Features
		r.Features = make([]float64, len(names))
		for k, name := range names {
			r.Features[k] = was[slices.Index(p.Features, name)]
		}
	}
	return out, nil
}

// LeaveOutTo leaves out each run of p in turn, and writes to dst what a fit to the other
// runs predicts of it. A run that cannot be predicted from the others has estimates of
// NaN. It calls fit once for each run, and uses the estimator before the next call. It
// panics unless dst has an element for each run.
func LeaveOutTo(dst []Estimate, p *Profile, fit func(without *Profile) (Estimator, error)) {
	if len(dst) != len(p.Runs) {
		panic("perfmodel: lengths of estimates and runs differ")
	}
	for i := range p.Runs {
		k := -1
		without := p.Select(func(*Run) bool { k++; return k != i })
		e, err := fit(&without)
		if err == nil {
			dst[i], err = At(e, p.Runs[i].Features, p.Runs[i].Processes)
		}
		if err != nil {
			nan := math.NaN()
			dst[i] = Estimate{Seconds: nan, Lower: nan, Upper: nan}
		}
	}
}
