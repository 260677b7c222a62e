package perfmodel

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteProfiles writes profiles as a table that [ReadProfiles] reads. Each profile's features keep
// their order in the columns. WriteProfiles leaves out profiles without a run.
//
// The error is that of [Profile.Validate], that of w, or an *pricing.InputError for these cases:
//
//   - Two profiles have the same application.
//   - The features of two profiles have orders that contradict each other, so that no order of
//     columns keeps both.
//   - No profile has a run.
//   - ReadProfiles would refuse or change a value: a number of processes or repetitions above 2³¹ −
//     1, a name with spaces around it, or a name with a carriage return.
func WriteProfiles(w io.Writer, profiles []Profile) error {
	titles := slices.Clone(reserved[:])
	for i := range profiles {
		if err := profiles[i].Validate(); err != nil {
			return err
		}
		for j := range i {
			if profiles[j].Application == profiles[i].Application {
				return badInput("profiles", i, ErrRange, "application %q is that of profile %d, too: want one profile an application", profiles[i].Application, j)
			}
		}
		features, ok := merge(titles[len(reserved):], profiles[:i+1])
		if !ok {
			return badInput("profiles", i, ErrRange, "the features %q are in another order than in the profiles before: want the same order", profiles[i].Features)
		}
		titles = append(titles[:len(reserved)], features...)
		if err := profiles[i].checkText(i); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(profiles, func(p Profile) bool { return len(p.Runs) > 0 }) {
		return badInput("profiles", -1, ErrMissing, "no run: want at least one")
	}
	out := csv.NewWriter(w)
	if err := out.Write(titles); err != nil {
		return err
	}
	num := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	cells := make([]string, len(titles))
	for i := range profiles {
		p := &profiles[i]
		for j := range p.Runs {
			r := &p.Runs[j]
			clear(cells)
			copy(cells, []string{p.Application, r.Case, strconv.Itoa(r.Processes), num(r.Seconds), "", "", strconv.Itoa(r.Repetitions), num(r.Spread), num(r.Resolution)})
			if r.Split {
				cells[4], cells[5] = num(r.Computation), num(r.Communication)
			}
			for k, x := range r.Features {
				cells[slices.Index(titles, p.Features[k])] = num(x)
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// checkText returns an error about what a table in CSV cannot say of profile number i.
func (p *Profile) checkText(i int) error {
	plain := func(s string) bool { return strings.TrimSpace(s) == s && !strings.Contains(s, "\r") }
	if !plain(p.Application) {
		return badInput("profiles", i, ErrSyntax, "the application %q: want a name without spaces around it and without a carriage return", p.Application)
	}
	for j, name := range p.Features {
		if !plain(name) {
			return badInput("Profile.Features[]", j, ErrSyntax, "the name %q: want a name without a carriage return", name)
		}
	}
	for j := range p.Runs {
		r := &p.Runs[j]
		switch {
		case !plain(r.Case):
			return badInput("Profile.Runs[].Case", j, ErrSyntax, "the name %q: want a name without spaces around it and without a carriage return", r.Case)
		case r.Processes > math.MaxInt32:
			return badInput("Profile.Runs[].Processes", j, ErrRange, "%d processes: want at most %d in a table", r.Processes, math.MaxInt32)
		case r.Repetitions > math.MaxInt32:
			return badInput("Profile.Runs[].Repetitions", j, ErrRange, "%d repetitions: want at most %d in a table", r.Repetitions, math.MaxInt32)
		}
	}
	return nil
}

// merge returns the features of all profiles, each once, in an order in which every
// profile's features keep their order, and false if there is no such order. Of several
// orders it takes the one whose first feature comes first among known, then among those
// of the last profile, and so on. Time: O(n²·k) for n features of k profiles.
func merge(known []string, profiles []Profile) ([]string, bool) {
	left := slices.Clone(known)
	for _, name := range profiles[len(profiles)-1].Features {
		if !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	var out []string
	for len(left) > 0 {
		// The first feature that has no remaining feature before it in any profile.
		next := slices.IndexFunc(left, func(name string) bool {
			for i := range profiles {
				before := slices.Index(profiles[i].Features, name)
				for j := range before {
					if slices.Contains(left, profiles[i].Features[j]) {
						return false
					}
				}
			}
			return true
		})
		if next < 0 {
			return nil, false
		}
		out = append(out, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return out, true
}
