package huang13

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/perfmodel"
)

// The two tables of the measurements of [Huang13]: the features of the cases of each
// benchmark (-features), and single timings of these cases (-profile).

// A kase is an input of an application that may be planned: its features.
type kase struct {
	Application string
	Name        string
	Names       []string  // of the features
	Features    []float64 // one for each name
}

// arrange returns the case with the features of names alone, in that order.
func (c kase) arrange(names []string) (kase, error) {
	out := kase{Application: c.Application, Name: c.Name, Names: names}
	for i, name := range names {
		k := slices.Index(c.Names, name)
		if k < 0 {
			return out, &perfmodel.InputError{Package: "cap3", Field: "names", Index: i, Err: fmt.Errorf("%w: %s %s has no feature %q", perfmodel.ErrMissing,
				c.Application, c.Name, name)}
		}
		out.Features = append(out.Features, c.Features[k])
	}
	return out, nil
}

// badCell returns the error about a column of a line of a table.
func badCell(column string, line int, sentinel error, format string, args ...any) error {
	return &perfmodel.InputError{Package: "cap3", Field: column, Index: -1, Line: line, Err: fmt.Errorf("%w: %w", sentinel, fmt.Errorf(format, args...))}
}

// A csvTable is a table: its titles, its rows and the lines where they stand.
type csvTable struct {
	titles []string
	rows   [][]string
	lines  []int
}

func readTable(r io.Reader, what string) (*csvTable, error) {
	text := bufio.NewReader(r)
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" { // of spreadsheets
		text.Discard(len(mark))
	}
	in := csv.NewReader(text)
	in.TrimLeadingSpace = true
	t := new(csvTable)
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, badCell(what, syntax.Line, perfmodel.ErrSyntax, "%v", syntax.Err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if t.titles == nil {
			t.titles = row
			for i, title := range row {
				if slices.Contains(row[:i], title) {
					return nil, badCell(title, line, perfmodel.ErrSyntax, "two columns have this title: want distinct titles")
				}
			}
			continue
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, line)
	}
	if len(t.rows) == 0 {
		return nil, badCell(what, 0, perfmodel.ErrMissing, "want a line of titles and at least one line of numbers")
	}
	return t, nil
}

// columns returns where columns are; each must be there.
func (t *csvTable) columns(titles ...string) ([]int, error) {
	var at []int
	for _, title := range titles {
		k := slices.Index(t.titles, title)
		if k < 0 {
			return nil, badCell(title, 1, perfmodel.ErrMissing, "the first line has no such column: want %s", strings.Join(titles, ", "))
		}
		at = append(at, k)
	}
	return at, nil
}

// readCases reads the features of cases from a table in CSV with the columns benchmark,
// class, x1_name, x1, x2_name, x2 and so on. A feature without a name is not there. All
// cases of an application must have the same features. The error is a
// *perfmodel.InputError with the column as Field and the Line, or an error of r.
func readCases(r io.Reader) ([]kase, error) {
	t, err := readTable(r, "features")
	if err != nil {
		return nil, err
	}
	titles := []string{"benchmark", "class"}
	last := 0
	for _, title := range t.titles {
		k, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(title, "x"), "_name"))
		if err == nil && k > 0 && (title == "x"+strconv.Itoa(k) || title == "x"+strconv.Itoa(k)+"_name") {
			last = max(last, k)
		}
	}
	for k := range min(last, len(t.titles)) { // fewer columns are there than a number says
		titles = append(titles, "x"+strconv.Itoa(k+1)+"_name", "x"+strconv.Itoa(k+1))
	}
	at, err := t.columns(titles...)
	if err != nil {
		return nil, err
	}
	var out []kase
	for i, row := range t.rows {
		c := kase{Application: row[at[0]], Name: row[at[1]]}
		for k := 2; k < len(at); k += 2 {
			if err := c.add(titles[k], t.lines[i], row[at[k]], row[at[k+1]]); err != nil {
				return nil, err
			}
		}
		for _, o := range out {
			switch {
			case o.Application != c.Application:
			case o.Name == c.Name:
				return nil, badCell("class", t.lines[i], perfmodel.ErrRange, "%s %s is there twice: want it once", c.Application, c.Name)
			case !slices.Equal(o.Names, c.Names):
				return nil, badCell("x1_name", t.lines[i], perfmodel.ErrRange,
					"%s has the features %q in class %s and %q in class %s: want the same in every class", c.Application, o.Names, o.Name, c.Names, c.Name)
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// add adds a feature that a line of the table gives, with the title of the column of its
// name.
func (c *kase) add(title string, line int, feature, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	named := perfmodel.Profile{Features: append(slices.Clone(c.Names), feature)}
	switch {
	case feature == "" && value == "":
		return nil
	case feature == "":
		return badCell(title, line, perfmodel.ErrMissing, "a value has no name: want a name for each value")
	case named.Validate() != nil:
		return badCell(title, line, perfmodel.ErrRange, "%q is there twice, or the name of another column: want another name for the feature", feature)
	case value == "":
		return badCell(strings.TrimSuffix(title, "_name"), line, perfmodel.ErrMissing, "the cell is empty: want a number")
	case errors.Is(err, strconv.ErrSyntax):
		return badCell(strings.TrimSuffix(title, "_name"), line, perfmodel.ErrSyntax, "%q: want a number", value)
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		return badCell(strings.TrimSuffix(title, "_name"), line, perfmodel.ErrNotFinite, "%q: want a finite number", value)
	}
	c.Names, c.Features = append(c.Names, feature), append(c.Features, x)
	return nil
}

// timingTitles are the columns of a table of timings, and their titles in a profile.
var timingTitles = map[string]string{"benchmark": "application", "class": "case", "procs": "processes", "seconds": "seconds", "comp_s": "computation",
	"comm_s": "communication"}

// readTimings reads single timings from a table in CSV with the columns benchmark, class,
// procs and seconds, and optionally comp_s, comm_s and clean. It returns a profile for
// each application with timings. A run of a profile has the medians of the timings with
// the same class and procs. Runs are in the order of cases and then by procs. Timings
// with a clean of 0 were disturbed and are left out. A run is Split if all its timings
// have both parts. The medians of the parts are taken one by one and need not sum to the
// median of the whole.
//
// The error is a *perfmodel.InputError with the column as Field and the Line, or an error
// of r. It unwraps to perfmodel.ErrUnknown for a class that cases does not have.
func readTimings(r io.Reader, cases []kase) ([]perfmodel.Profile, error) {
	t, err := readTable(r, "times")
	if err != nil {
		return nil, err
	}
	at, err := t.columns("benchmark", "class", "procs", "seconds")
	if err != nil {
		return nil, err
	}
	clean := slices.Index(t.titles, "clean")
	var lines []int
	keep := func(row []string) (out []string) {
		for i, cell := range row {
			if timingTitles[t.titles[i]] != "" {
				out = append(out, cell)
			}
		}
		return out
	}
	titles := keep(t.titles)
	for i := range titles {
		titles[i] = timingTitles[titles[i]]
	}
	table := [][]string{titles}
	for i, row := range t.rows {
		if clean >= 0 && row[clean] == "0" {
			continue
		}
		switch {
		case clean >= 0 && row[clean] != "1":
			return nil, badCell("clean", t.lines[i], perfmodel.ErrRange, "%q: want 0 or 1", row[clean])
		case !slices.ContainsFunc(cases, func(c kase) bool { return c.Application == row[at[0]] && c.Name == row[at[1]] }):
			return nil, badCell("class", t.lines[i], perfmodel.ErrUnknown, "%s %s: want a case of the table of features", row[at[0]], row[at[1]])
		}
		table, lines = append(table, keep(row)), append(lines, t.lines[i])
	}
	if len(lines) == 0 {
		return nil, badCell("clean", 0, perfmodel.ErrMissing, "every run was disturbed: want at least one with clean 1")
	}
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(table); err != nil {
		return nil, err
	}
	single, err := perfmodel.ReadProfiles(&text)
	var bad *perfmodel.InputError
	if errors.As(err, &bad) {
		for ours, theirs := range timingTitles {
			if bad.Field == theirs {
				bad.Field = ours
				break
			}
		}
		if k := bad.Line - 2; 0 <= k && k < len(lines) {
			bad.Line = lines[k]
		}
	}
	if err != nil {
		return nil, err
	}
	return medians(single, cases), nil
}

// medians returns profiles with the medians of single runs, in the order of cases.
func medians(single []perfmodel.Profile, cases []kase) (out []perfmodel.Profile) {
	for _, c := range cases {
		k := slices.IndexFunc(single, func(p perfmodel.Profile) bool { return p.Application == c.Application })
		if k < 0 {
			continue
		}
		all := single[k].Select(func(r *perfmodel.Run) bool { return r.Case == c.Name }).Runs
		slices.SortStableFunc(all, func(a, b perfmodel.Run) int { return cmp.Compare(a.Processes, b.Processes) })
		for len(all) > 0 {
			n := 1
			for n < len(all) && all[n].Processes == all[0].Processes {
				n++
			}
			at := slices.IndexFunc(out, func(p perfmodel.Profile) bool { return p.Application == c.Application })
			if at < 0 {
				at = len(out)
				out = append(out, perfmodel.Profile{Application: c.Application, Features: slices.Clone(c.Names)})
			}
			out[at].Runs = append(out[at].Runs, medianRun(all[:n], slices.Clone(c.Features)))
			all = all[n:]
		}
	}
	return out
}

// medianRun returns the medians of runs of one case on one number of processes.
func medianRun(runs []perfmodel.Run, features []float64) perfmodel.Run {
	out := runs[0]
	out.Features, out.Repetitions = features, len(runs)
	median := func(of func(*perfmodel.Run) float64) float64 {
		var x []float64
		for i := range runs {
			x = append(x, of(&runs[i]))
		}
		slices.Sort(x)
		n := len(x)
		if n%2 == 1 {
			return x[n/2]
		}
		return x[n/2-1]/2 + x[n/2]/2
	}
	out.Seconds = median(func(r *perfmodel.Run) float64 { return r.Seconds })
	for _, r := range runs {
		out.Split = out.Split && r.Split
	}
	out.Computation, out.Communication = 0, 0
	if out.Split {
		out.Computation = median(func(r *perfmodel.Run) float64 { return r.Computation })
		out.Communication = median(func(r *perfmodel.Run) float64 { return r.Communication })
	}
	// Spread is the standard deviation of ln Seconds.
	n := float64(len(runs))
	var mean, sum float64
	for _, r := range runs {
		mean += math.Log(r.Seconds) / n
	}
	for _, r := range runs {
		d := math.Log(r.Seconds) - mean
		sum += d * d
	}
	if n > 1 {
		out.Spread = math.Sqrt(sum / (n - 1))
	}
	return out
}
