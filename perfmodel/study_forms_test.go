package perfmodel

// The tables of the measurements of the NAS Parallel Benchmarks that the studies read, as
// examples/cap3 reads them.

import (
	"cmp"
	"golang.org/x/exp/stats"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Case is an input of an application that may be predicted: its features.
type Case struct {
	Application string
	Name        string
	Names       []string  // of the features
	Features    []float64 // one for each name
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
	features, err := t.numbered()
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

// numbered returns how many columns of features there are, each with a column of names,
// or an error if a column is missing among them.
func (t *table) numbered() (int, error) {
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
