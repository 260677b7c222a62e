package perfmodel

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// reserved has the columns of [ReadProfiles] that are not features.
var reserved = [...]string{"application", "case", "processes", "seconds", "computation", "communication", "repetitions", "spread", "resolution"}

// ReadProfiles reads profiles from a table in CSV, to the end of r. The first line has the titles
// of the columns, in any order. Each other line is a run. These columns have a meaning:
//
//	application    groups runs into profiles; optional
//	case           a name for the input; optional
//	processes      the number of processes
//	seconds        the time of the run, the sum of the next two; optional if both are there
//	computation    the seconds of the run outside of MPI, T_C
//	communication  the seconds of the run within MPI, T_N
//	repetitions    the number of runs that the times are medians of; default 1
//	spread         standard deviation of ln seconds over the repetitions; default 0
//	resolution     the step in which times were measured, in seconds; by default the step of
//	               the last decimal that any time of the table has, at most 1
//
// Every other column is a feature, such as the size of the input. An application has the features
// for which its lines have values. Each of its lines must have all of them. If a line has seconds,
// its computation and communication may be empty, for a run in which they were not measured.
// Profiles come in the order of their first lines.
//
// The error is an *pricing.InputError with the Line, and the column as Field, or an error of r.
// Time O(n log n) in the size of the table.
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
		run := Run{Case: t.text(i, at[caseName]), Repetitions: 1, Resolution: step}
		if run.Features, err = t.features(i, features, has[k], name); err != nil {
			return nil, err
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

// features reads the features of a row of an application that has some of the columns.
func (t *table) features(row int, columns, has []int, application string) (x []float64, err error) {
	for _, c := range columns {
		used := slices.Contains(has, c)
		switch empty := t.text(row, c) == ""; {
		case used && empty:
			return nil, badLine(t.titles[c], t.lines[row], ErrMissing, "the cell is empty: want the feature in every line of application %q, as in its first one", application)
		case !used && !empty:
			return nil, badLine(t.titles[c], t.lines[row], ErrMissing, "the first line of application %q leaves the cell empty: want it empty in every line of the application", application)
		case used:
			v, err := t.number(row, c)
			if err != nil {
				return nil, err
			}
			x = append(x, v)
		}
	}
	return x, nil
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
