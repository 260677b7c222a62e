package perfmodel

import (
	"math"
	"slices"
	"strings"
)

// A Run has the measurements of one run of an application, or the medians of several runs
// of the same case on the same number of processes. Times are in seconds.
type Run struct {
	Case          string    // what the case is called, such as the class of a benchmark
	Features      []float64 // as Profile.Features names them
	Processes     int       // P ≥ 1
	Seconds       float64   // T > 0, the run as a whole
	Computation   float64   // T_C ≥ 0, if Split
	Communication float64   // T_N ≥ 0, if Split
	Split         bool      // Computation and Communication were measured
	Repetitions   int       // ≥ 1, the runs that the times are medians of
	Spread        float64   // standard deviation of ln Seconds over the repetitions, 0 if unknown
	Resolution    float64   // seconds by which times were told apart, of the clock or as printed; 0 if unknown
}

// A Profile has the measured runs of one application on one type of machine. Methods other
// than Validate may panic for a profile that Validate refuses.
type Profile struct {
	Application string
	Features    []string // names of the features
	Runs        []Run
}

// Validate returns an *pricing.InputError about the first feature or run that is wrong. A feature
// is wrong if its name is empty, has spaces around it, is repeated or is a column of
// [ReadProfiles]. A run is wrong in these cases: it has another number of features than the
// profile; a number is not finite; it has no processes, no repetitions or no time; or its
// computation, communication, spread or resolution is negative. Validate accepts features of either
// sign. A model that takes the logarithm of a feature returns an error of its own.
func (p *Profile) Validate() error {
	for i, name := range p.Features {
		switch {
		case name == "" || strings.TrimSpace(name) != name:
			return badInput("Profile.Features[]", i, ErrMissing, "the name %q: want a name without spaces around it", name)
		case slices.Contains(reserved[:], name):
			return badInput("Profile.Features[]", i, ErrRange, "%q is the name of another column: want another name for the feature", name)
		case slices.Contains(p.Features[:i], name):
			return badInput("Profile.Features[]", i, ErrRange, "%q is there twice: want distinct names", name)
		}
	}
	for i := range p.Runs {
		if err := p.checkRun(i); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) checkRun(i int) error {
	r := &p.Runs[i]
	if len(r.Features) != len(p.Features) {
		return badInput("Profile.Runs[].Features", i, ErrMissing, "%d values for the %d features of %q: want one for each", len(r.Features), len(p.Features), p.Application)
	}
	for j, x := range r.Features {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return badInput("Profile.Runs[].Features", i, ErrNotFinite, "%s is %v: want a finite number", p.Features[j], x)
		}
	}
	switch {
	case r.Processes < 1:
		return badInput("Profile.Runs[].Processes", i, ErrRange, "%d processes: want at least 1", r.Processes)
	case r.Repetitions < 1:
		return badInput("Profile.Runs[].Repetitions", i, ErrRange, "%d repetitions: want at least 1", r.Repetitions)
	case math.IsNaN(r.Seconds) || math.IsInf(r.Seconds, 0):
		return badInput("Profile.Runs[].Seconds", i, ErrNotFinite, "%v seconds: want a finite time", r.Seconds)
	case r.Seconds <= 0:
		return badInput("Profile.Runs[].Seconds", i, ErrNotPositive, "%v seconds: want a positive time", r.Seconds)
	case !(r.Spread >= 0) || math.IsInf(r.Spread, 0):
		return badInput("Profile.Runs[].Spread", i, ErrRange, "%v: want a standard deviation of 0 or more", r.Spread)
	case !(r.Resolution >= 0) || math.IsInf(r.Resolution, 0):
		return badInput("Profile.Runs[].Resolution", i, ErrRange, "%v seconds: want 0 or more", r.Resolution)
	}
	if r.Split {
		if !(r.Computation >= 0) || math.IsInf(r.Computation, 0) {
			return badInput("Profile.Runs[].Computation", i, ErrRange, "%v seconds: want 0 or more", r.Computation)
		}
		if !(r.Communication >= 0) || math.IsInf(r.Communication, 0) {
			return badInput("Profile.Runs[].Communication", i, ErrRange, "%v seconds: want 0 or more", r.Communication)
		}
	}
	return nil
}

// Select returns a profile with the runs of p that keep accepts, in the same order. The
// runs share their features with those of p.
func (p *Profile) Select(keep func(*Run) bool) Profile {
	out := Profile{Application: p.Application, Features: p.Features}
	for i := range p.Runs {
		if keep(&p.Runs[i]) {
			out.Runs = append(out.Runs, p.Runs[i])
		}
	}
	return out
}

// MaxProcesses returns the greatest number of processes that was profiled, 0 if
// there is no run.
func (p *Profile) MaxProcesses() int {
	most := 0
	for i := range p.Runs {
		most = max(most, p.Runs[i].Processes)
	}
	return most
}

// saturationGain is the least gain in speed that counts for Profile.saturation.
// Medians of three runs that scatter by 8% differ by 1.2 or more in one pair of a
// hundred. A doubling brings five times that gain at best.
const saturationGain = 1.2

// saturation returns the number of processes up to which the profile gains speed. A run gains if it
// is faster by a factor of 1.2 or more than all runs of its case on fewer processes. The runs of a
// case that was run on a single number of processes count as gains. The result is the greatest
// number of processes of a run that gains. If no run gains, it is the least number of the profile.
// saturated reports whether a case with runs on several numbers of processes has a run on more
// processes than that.
//
// More processes than that are probably more than the machine has cores. The operating system lets
// such processes take turns, and their times say nothing about a machine with enough cores. Leave
// such runs out ([Profile.Unsaturated]), or choose a model whose time may rise. saturation returns
// 0 and false for a profile without runs. Time: O(n²) for n runs.
func (p *Profile) saturation() (processes int, saturated bool) {
	for i := range p.Runs {
		if n := p.Runs[i].Processes; i == 0 || n < processes {
			processes = n
		}
	}
	most := 0 // on which a case was run that was run on fewer
	for i := range p.Runs {
		a := &p.Runs[i]
		// Does the run gain on all runs of its case on fewer processes?
		gains, compared, other := true, false, false
		for j := range p.Runs {
			b := &p.Runs[j]
			if b.Processes == a.Processes || !same(a.Features, b.Features) {
				continue
			}
			other = true
			if b.Processes < a.Processes {
				compared = true
				gains = gains && b.Seconds >= saturationGain*a.Seconds
			}
		}
		if compared {
			most = max(most, a.Processes)
		}
		if compared && gains || !other {
			processes = max(processes, a.Processes)
		}
	}
	return processes, processes < most
}

// median returns the median of x, and sorts x. Unlike stats.Median, median allocates
// nothing, for fits that are repeated.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	if n%2 == 1 {
		return x[n/2]
	}
	return x[n/2-1]/2 + x[n/2]/2
}
