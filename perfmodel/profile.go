package perfmodel

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/stats"
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

// A Case is an input of an application that may be predicted: its features.
type Case struct {
	Application string
	Name        string
	Names       []string  // of the features
	Features    []float64 // one for each name
}

// Validate returns an [*InputError] about the first thing that is wrong. A feature is wrong
// if its name is empty, has spaces around it, is repeated or is a column of [ReadProfiles]. A
// run is wrong with another number of features, with a number that is not finite, without
// processes, repetitions or time, or with a negative part. Features may be of either sign
// here. A model that takes their logarithm returns its own error.
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

func (p *Profile) minProcesses() int {
	least := math.MaxInt
	for i := range p.Runs {
		least = min(least, p.Runs[i].Processes)
	}
	return least
}

// saturationGain is the least gain in speed that counts for [Profile.Saturation].
// Medians of three runs that scatter by 8% differ by 1.2 or more in one pair of a
// hundred. A doubling brings five times that gain at best.
const saturationGain = 1.2

// Saturation returns the least number of processes beyond which no case of the profile
// becomes faster by a factor of 1.2 or more, and whether some case was run on more. If
// so, these are probably more processes than the machine has cores: the operating system
// lets them take turns, and their times say nothing about a machine that has the cores.
// Leave these runs out of models, or choose a model whose time may rise. A case that was
// run on one number of processes says nothing against that number. It returns 0 and
// false for a profile without runs. Time: O(n²) for n runs.
func (p *Profile) Saturation() (processes int, saturated bool) {
	most := 0 // on which a case was run that was run on fewer
	for i := range p.Runs {
		a := &p.Runs[i]
		if processes == 0 {
			processes = p.minProcesses()
		}
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

// reserved has the columns of [ReadProfiles] that are not features.
var reserved = [...]string{"application", "case", "processes", "seconds", "computation", "communication", "repetitions", "spread", "resolution"}

// ReadProfiles reads profiles from a table in CSV, to the end of r. The first line has the
// titles, and each other line a run. The columns may stand in any order.
//
//	application    groups runs into profiles; optional
//	case           a name for the input; optional
//	processes      the number of processes
//	seconds        the time of the run; optional beside the next two, whose sum it is
//	computation    the seconds of the run outside of MPI, T_C
//	communication  the seconds of the run within MPI, T_N
//	repetitions    the number of runs that the times are medians of; default 1
//	spread         standard deviation of ln seconds over the repetitions; default 0
//	resolution     the seconds by which times are told apart; by default the step of
//	               the last decimal that any time of the table has, at most 1
//
// Every other column is a feature, such as the size of the input. An application has the
// features for which its lines have values, and each of its lines must have all of them.
// Computation and communication may be empty where they were not measured, if seconds is
// not. Profiles come in the order of their first lines.
//
// The error is an [*InputError] with the column as Field and the Line, or an error of r. Time
// O(n log n) in the size of the table.
func ReadProfiles(r io.Reader) ([]Profile, error) {
	t, err := readTable(r, "profile")
	if err != nil {
		return nil, err
	}
	const application, caseName, processes, seconds, computation, communication, repetitions, spread, resolution = 0, 1, 2, 3, 4, 5, 6, 7, 8
	var at [len(reserved)]int
	for i, name := range reserved {
		at[i] = t.column(name)
	}
	if at[processes] < 0 {
		return nil, badLine("processes", 1, ErrMissing, "the first line has no such column: want one")
	}
	if at[seconds] < 0 && (at[computation] < 0 || at[communication] < 0) {
		return nil, badLine("seconds", 1, ErrMissing, "the first line has no such column: want one, or both of computation and communication")
	}
	step := t.resolution(at[seconds], at[computation], at[communication])
	var features []int // columns
	for i, name := range t.titles {
		if !slices.Contains(reserved[:], name) {
			features = append(features, i)
		}
	}
	var out []Profile
	var has [][]int // columns of the features of each profile
	index := map[string]int{}
	for i := range t.rows {
		name := t.text(i, at[application])
		k, ok := index[name]
		if !ok {
			k = len(out)
			index[name] = k
			out = append(out, Profile{Application: name})
			has = append(has, nil)
			for _, c := range features {
				if t.text(i, c) != "" {
					has[k] = append(has[k], c)
					out[k].Features = append(out[k].Features, t.titles[c])
				}
			}
		}
		run := Run{Case: t.text(i, at[caseName]), Repetitions: 1}
		for _, c := range features {
			used := slices.Contains(has[k], c)
			switch empty := t.text(i, c) == ""; {
			case used && empty:
				return nil, badLine(t.titles[c], t.lines[i], ErrMissing, "the cell is empty: want the feature in every line of application %q, as in its first one", name)
			case !used && !empty:
				return nil, badLine(t.titles[c], t.lines[i], ErrMissing, "the first line of application %q leaves the cell empty: want it empty in every line of the application", name)
			case used:
				x, err := t.number(i, c)
				if err != nil {
					return nil, err
				}
				run.Features = append(run.Features, x)
			}
		}
		if run.Processes, err = t.count(i, at[processes]); err != nil {
			return nil, err
		}
		if t.text(i, at[repetitions]) != "" {
			if run.Repetitions, err = t.count(i, at[repetitions]); err != nil {
				return nil, err
			}
		}
		if t.text(i, at[spread]) != "" {
			if run.Spread, err = t.atLeast0(i, at[spread]); err != nil {
				return nil, err
			}
		}
		run.Resolution = step
		if t.text(i, at[resolution]) != "" {
			if run.Resolution, err = t.atLeast0(i, at[resolution]); err != nil {
				return nil, err
			}
		}
		if err := t.times(&run, i, at[seconds], at[computation], at[communication]); err != nil {
			return nil, err
		}
		out[k].Runs = append(out[k].Runs, run)
	}
	return out, nil
}

// WriteProfiles writes profiles as [ReadProfiles] reads them, with columns in an order
// in which each profile's features keep their order. The error is that of
// [Profile.Validate], an [*InputError], or that of w. The InputError is about a profile
// that has the application of another one, or features in an order that no table has
// together with the profiles before it. Profiles without a run leave no trace; there must
// be one run at least. What ReadProfiles would refuse or change is an error too: more than
// 2³¹ − 1 processes or repetitions, and spaces around a name or a carriage return in it.
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

// ReadCases reads the features of cases from a table in CSV with the columns
// benchmark, class, x1_name, x1, x2_name, x2 and so on. A feature without a name
// is not there; the cases of an application have the same features.
//
// The error is an [*InputError] with the column as Field and the Line, or an error of r.
func ReadCases(r io.Reader) ([]Case, error) {
	t, err := readTable(r, "features")
	if err != nil {
		return nil, err
	}
	application, name := t.column("benchmark"), t.column("class")
	if application < 0 || name < 0 {
		return nil, badLine("benchmark", 1, ErrMissing, "the first line has no such column: want benchmark and class")
	}
	features, err := t.features()
	if err != nil {
		return nil, err
	}
	var out []Case
	for i := range t.rows {
		c := Case{Application: t.text(i, application), Name: t.text(i, name)}
		for k := 1; k <= features; k++ {
			x := "x" + strconv.Itoa(k)
			at, value := t.column(x+"_name"), t.column(x)
			feature := t.text(i, at)
			if feature == "" {
				if t.text(i, value) != "" {
					return nil, badLine(x+"_name", t.lines[i], ErrMissing, "a value has no name: want a name for each value")
				}
				continue
			}
			if slices.Contains(c.Names, feature) {
				return nil, badLine(x+"_name", t.lines[i], ErrRange, "the feature %q is there twice: want it once", feature)
			}
			if slices.Contains(reserved[:], feature) {
				return nil, badLine(x+"_name", t.lines[i], ErrRange, "%q is the name of another column: want another name for the feature", feature)
			}
			v, err := t.number(i, value)
			if err != nil {
				return nil, err
			}
			c.Names, c.Features = append(c.Names, feature), append(c.Features, v)
		}
		for k := range out {
			switch {
			case out[k].Application != c.Application:
			case out[k].Name == c.Name:
				return nil, badLine("class", t.lines[i], ErrRange, "%s %s is there twice: want it once", c.Application, c.Name)
			case !slices.Equal(out[k].Names, c.Names):
				return nil, badLine("x1_name", t.lines[i], ErrRange, "%s has the features %q in class %s and %q in class %s: want the same in every class", c.Application, out[k].Names, out[k].Name, c.Names, c.Name)
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// features returns how many columns of features there are, each with a column of names,
// or an error if a column is missing among them.
func (t *table) features() (int, error) {
	last := 0
	for _, title := range t.titles {
		k, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(title, "x"), "_name"))
		if err == nil && k > 0 && (title == "x"+strconv.Itoa(k) || title == "x"+strconv.Itoa(k)+"_name") {
			last = max(last, k)
		}
	}
	for k := range last {
		x := "x" + strconv.Itoa(k+1)
		for _, title := range []string{x + "_name", x} {
			if t.column(title) < 0 {
				return 0, badLine(title, 1, ErrMissing, "the first line has no such column: want one, since there are features up to x%d", last)
			}
		}
	}
	return last, nil
}

// FindCase returns the case of an application with the given name, or an
// [*InputError] that unwraps to [ErrUnknown].
func FindCase(cases []Case, application, name string) (Case, error) {
	for _, c := range cases {
		if c.Application == application && c.Name == name {
			return c, nil
		}
	}
	return Case{}, badInput("case", -1, ErrUnknown, "case %q of %q: want a case of the table", name, application)
}

// ReadTimings reads single timings from a table in CSV with the columns benchmark, class,
// procs and seconds, and optionally comp_s, comm_s and clean. It returns a profile for each
// application with timings. A run of a profile has the medians of the timings with the same
// class and procs. Runs are in the order of cases and then by procs. Timings with a clean of
// 0 were disturbed and are left out; without that column all timings count. A run is Split
// if all its timings have both parts. The medians of the parts are taken one by one and need
// not sum to the median of the whole. Resolution is the step of the last decimal that any
// time of the table has, at most 1 second: benchmarks that print seconds with two decimals
// say little of runs that take three of those steps.
//
// The error is an [*InputError] with the column as Field and the Line, or an error of r. It
// unwraps to [ErrUnknown] for a class that cases does not have.
func ReadTimings(r io.Reader, cases []Case) ([]Profile, error) {
	t, err := readTable(r, "times")
	if err != nil {
		return nil, err
	}
	need := [...]string{"benchmark", "class", "procs", "seconds"}
	var at [len(need)]int
	for i, name := range need {
		if at[i] = t.column(name); at[i] < 0 {
			return nil, badLine(name, 1, ErrMissing, "the first line has no such column: want one")
		}
	}
	comp, comm, clean := t.column("comp_s"), t.column("comm_s"), t.column("clean")
	step := t.resolution(at[3], comp, comm)
	type timing struct {
		index int // of the case
		run   Run
	}
	var all []timing
	for i := range t.rows {
		if clean >= 0 {
			switch t.text(i, clean) {
			case "1":
			case "0":
				continue
			default:
				return nil, badLine("clean", t.lines[i], ErrRange, "%q: want 0 or 1", t.text(i, clean))
			}
		}
		k := slices.IndexFunc(cases, func(c Case) bool { return c.Application == t.text(i, at[0]) && c.Name == t.text(i, at[1]) })
		if k < 0 {
			return nil, badLine("class", t.lines[i], ErrUnknown, "%s %s: want a case of the table of features", t.text(i, at[0]), t.text(i, at[1]))
		}
		one := timing{index: k}
		if one.run.Processes, err = t.count(i, at[2]); err != nil {
			return nil, err
		}
		if err := t.times(&one.run, i, at[3], comp, comm); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, badInput("clean", -1, ErrMissing, "every run was disturbed: want at least one with clean 1")
	}
	slices.SortStableFunc(all, func(a, b timing) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.run.Processes, b.run.Processes))
	})
	var out []Profile
	index := map[string]int{}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].index == all[0].index && all[n].run.Processes == all[0].run.Processes {
			n++
		}
		c := &cases[all[0].index]
		run := Run{Case: c.Name, Features: slices.Clone(c.Features), Processes: all[0].run.Processes, Repetitions: n, Resolution: step, Split: true}
		var total, computation, communication []float64
		for _, one := range all[:n] {
			total = append(total, one.run.Seconds)
			computation = append(computation, one.run.Computation)
			communication = append(communication, one.run.Communication)
			run.Split = run.Split && one.run.Split
		}
		run.Spread = logSpread(total)
		run.Seconds = stats.Median(total)
		if run.Split {
			run.Computation, run.Communication = stats.Median(computation), stats.Median(communication)
		}
		k, ok := index[c.Application]
		if !ok {
			k = len(out)
			index[c.Application] = k
			out = append(out, Profile{Application: c.Application, Features: slices.Clone(c.Names)})
		}
		out[k].Runs = append(out[k].Runs, run)
		all = all[n:]
	}
	return out, nil
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

// logSpread returns the standard deviation of the logarithms of x, 0 for one value.
func logSpread(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	var mean, sum float64
	for _, v := range x {
		mean += math.Log(v) / float64(len(x))
	}
	for _, v := range x {
		d := math.Log(v) - mean
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(x)-1))
}

// A table is a CSV file: its titles, its rows and the lines where they stand.
type table struct {
	titles []string
	rows   [][]string
	lines  []int
}

func readTable(r io.Reader, what string) (*table, error) {
	// Spreadsheets begin a file in UTF-8 with a byte order mark.
	text := bufio.NewReader(r)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" {
		text.Discard(len(mark))
	}
	in := csv.NewReader(text)
	in.TrimLeadingSpace = true
	t := &table{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, badLine(what, syntax.Line, ErrSyntax, "%v", syntax.Err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if t.titles == nil {
			for i, title := range row {
				if title == "" {
					return nil, badLine(what, line, ErrSyntax, "column %d has no title: want a title", i+1)
				}
				if slices.Contains(row[:i], title) {
					return nil, badLine(title, line, ErrSyntax, "two columns have this title: want distinct titles")
				}
			}
			t.titles = row
			continue
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
	if len(t.rows) == 0 {
		return nil, badInput(what, -1, ErrMissing, "want a line of titles and at least one line of numbers")
	}
	return t, nil
}

func (t *table) column(title string) int { return slices.Index(t.titles, title) }

// text returns a cell, "" if there is no such column.
func (t *table) text(row, col int) string {
	if col < 0 {
		return ""
	}
	return t.rows[row][col]
}

// resolution returns the step of the last decimal that any time in the columns has, at
// most 1: of the times of whole runs, or, if there are none, of the parts.
func (t *table) resolution(seconds, computation, communication int) float64 {
	most := 0
	for i := range t.rows {
		if s := t.text(i, seconds); s != "" {
			most = max(most, decimals(s))
		} else {
			most = max(most, decimals(t.text(i, computation)), decimals(t.text(i, communication)))
		}
	}
	return math.Pow10(-most)
}

// decimals returns how many decimals a number is written with, 0 if there are none or if
// s is not a decimal number.
func decimals(s string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	by, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil || strings.Trim(fraction, "0123456789") != "" {
		return 0
	}
	return max(0, len(fraction)-by)
}

func (t *table) number(row, col int) (float64, error) {
	s := t.rows[row][col]
	x, err := strconv.ParseFloat(s, 64)
	if s == "" {
		return 0, badLine(t.titles[col], t.lines[row], ErrMissing, "the cell is empty: want a number")
	}
	if err != nil && errors.Is(err, strconv.ErrSyntax) {
		return 0, badLine(t.titles[col], t.lines[row], ErrSyntax, "%q: want a number", s)
	}
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, badLine(t.titles[col], t.lines[row], ErrNotFinite, "%q: want a finite number", s)
	}
	return x, nil
}

func (t *table) atLeast0(row, col int) (float64, error) {
	x, err := t.number(row, col)
	if err == nil && x < 0 {
		err = badLine(t.titles[col], t.lines[row], ErrRange, "%v: want 0 or more", x)
	}
	return math.Abs(x), err // -0 is 0
}

func (t *table) count(row, col int) (int, error) {
	s := t.rows[row][col]
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return 0, badLine(t.titles[col], t.lines[row], ErrRange, "%q: want a whole number from 1 to %d", s, math.MaxInt32)
	}
	return n, nil
}

// times reads the time of a run and its parts.
func (t *table) times(run *Run, row, seconds, computation, communication int) error {
	first, second := t.text(row, computation) != "", t.text(row, communication) != ""
	switch {
	case first && !second:
		return t.withoutOther(row, computation, communication)
	case second && !first:
		return t.withoutOther(row, communication, computation)
	}
	var err error
	if first {
		run.Split = true
		if run.Computation, err = t.atLeast0(row, computation); err != nil {
			return err
		}
		if run.Communication, err = t.atLeast0(row, communication); err != nil {
			return err
		}
	}
	if t.text(row, seconds) == "" {
		if !first {
			return badLine("seconds", t.lines[row], ErrMissing, "the cell is empty: want a time, or both of its parts")
		}
		run.Seconds = run.Computation + run.Communication
		if math.IsInf(run.Seconds, 0) {
			return badLine(t.titles[computation], t.lines[row], ErrNotFinite, "the sum of the parts is too large: want smaller numbers")
		}
	} else if run.Seconds, err = t.number(row, seconds); err != nil {
		return err
	}
	if run.Seconds <= 0 {
		return badLine("seconds", t.lines[row], ErrNotPositive, "%v seconds say nothing of a run that is too short for the clock: want a positive time, or the line left out", run.Seconds)
	}
	return nil
}

// withoutOther returns the error for one part of a time without the other. Its Field is
// the empty column or, if there is no such column, the column that is not empty.
func (t *table) withoutOther(row, there, missing int) error {
	if missing < 0 {
		return badLine(t.titles[there], t.lines[row], ErrMissing, "no column has the other part of the time: want computation and communication, or neither")
	}
	return badLine(t.titles[missing], t.lines[row], ErrMissing, "the cell is empty, and %s is not: want both or neither", t.titles[there])
}
