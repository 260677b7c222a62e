package mpiprofile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/perfmodel"
)

// A Profile is a profile with the times of MPI functions.
type Profile struct {
	perfmodel.Profile
	Functions []string    // such as "MPI_Send"
	Seconds   [][]float64 // of each run, one for each function
}

// Validate returns a *pricing.InputError if the profile is not valid by
// [perfmodel.Profile.Validate], if the times are not one for each run and function, or if a
// time is negative or not finite.
func (p *Profile) Validate() error {
	if err := p.Profile.Validate(); err != nil {
		return err
	}
	if len(p.Seconds) != len(p.Runs) {
		return badInput("Profile.Seconds", -1, ErrMissing, "%d for %d runs: want one for each", len(p.Seconds), len(p.Runs))
	}
	for i, x := range p.Seconds {
		if len(x) != len(p.Functions) {
			return badInput("Profile.Seconds", i, ErrMissing, "%d times of %d functions: want one for each", len(x), len(p.Functions))
		}
		for j, v := range x {
			if !(v >= 0) || math.IsInf(v, 0) {
				return badInput("Profile.Seconds", i, ErrRange, "%v seconds in %s: want 0 or more", v, p.Functions[j])
			}
		}
	}
	return nil
}

// prefix begins the names of columns with times of functions.
const prefix = "MPI_"

// ReadProfiles reads profiles from a table in CSV as [perfmodel.ReadProfiles] does. It also reads
// the seconds of MPI functions, from the columns whose titles begin with MPI_. An empty cell there
// stands for 0. A profile has the functions for which its lines have a time above 0.
//
// The error is a *pricing.InputError with the column as Field and the Line, or an error of r.
func ReadProfiles(r io.Reader) ([]Profile, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	titles, err := in.Read()
	ours := func(title string) bool { return strings.HasPrefix(strings.TrimSpace(title), prefix) }
	if err != nil || !slices.ContainsFunc(titles, ours) {
		return plain(text)
	}
	// Without the columns of functions the table is that of perfmodel, line by line.
	split := func(record []string) (theirs, functions []string) {
		for i, cell := range record {
			if ours(titles[i]) {
				functions = append(functions, strings.TrimSpace(cell))
			} else {
				theirs = append(theirs, cell)
			}
		}
		return theirs, functions
	}
	var rest bytes.Buffer
	out := csv.NewWriter(&rest)
	theirs, functions := split(titles)
	for i, name := range functions {
		if slices.Contains(functions[:i], name) {
			return nil, badLine(name, 1, ErrSyntax, "there are two such columns: want one")
		}
	}
	out.Write(theirs)
	application := slices.IndexFunc(titles, func(t string) bool { return strings.TrimSpace(t) == "application" })
	var lines []functionLine
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return nil, badLine("table", broken.Line, ErrSyntax, "%v: want cells with commas between them", broken.Err)
		}
		l := functionLine{}
		l.number, _ = in.FieldPos(0)
		if len(record) != len(titles) {
			return nil, badLine("table", l.number, ErrSyntax, "%d cells: want %d, as in the first line", len(record), len(titles))
		}
		theirs, l.cells = split(record)
		out.Write(theirs)
		if application >= 0 {
			l.application = strings.TrimSpace(record[application])
		}
		lines = append(lines, l)
	}
	out.Flush()
	profiles, err := plain(rest.Bytes())
	var bad *inputerr.Error
	if errors.As(err, &bad) && bad.Line > 1 && bad.Line-2 < len(lines) {
		bad.Line = lines[bad.Line-2].number
	}
	if err != nil {
		return nil, err
	}
	for k := range profiles {
		if err := profiles[k].setFunctions(functions, lines); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// A functionLine has the cells of functions of a line of a table.
type functionLine struct {
	number      int
	application string
	cells       []string
}

// setFunctions reads the times of functions of the lines of p, and leaves out functions that
// take no time.
func (p *Profile) setFunctions(functions []string, lines []functionLine) error {
	p.Seconds = p.Seconds[:0]
	for _, l := range lines {
		if l.application != p.Application {
			continue
		}
		row := make([]float64, len(functions))
		for j, cell := range l.cells {
			if cell == "" {
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return badLine(functions[j], l.number, ErrSyntax, "%.40q: want a number of seconds", cell)
			}
			if !(v >= 0) || math.IsInf(v, 0) {
				return badLine(functions[j], l.number, ErrRange, "%v seconds: want 0 or more", v)
			}
			row[j] = v
		}
		p.Seconds = append(p.Seconds, row)
	}
	p.Functions = slices.Clone(functions)
	for j := len(functions) - 1; j >= 0; j-- {
		if !slices.ContainsFunc(p.Seconds, func(x []float64) bool { return x[j] > 0 }) {
			p.Functions = slices.Delete(p.Functions, j, j+1)
			for i := range p.Seconds {
				p.Seconds[i] = slices.Delete(p.Seconds[i], j, j+1)
			}
		}
	}
	return nil
}

// plain reads a table without functions.
func plain(text []byte) ([]Profile, error) {
	list, err := perfmodel.ReadProfiles(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var out []Profile
	for _, p := range list {
		out = append(out, Profile{Profile: p, Seconds: make([][]float64, len(p.Runs))})
	}
	return out, nil
}

// WriteProfiles writes profiles as [ReadProfiles] reads them. The errors are those of
// [Profile.Validate], of [perfmodel.WriteProfiles] and of w.
func WriteProfiles(w io.Writer, profiles []Profile) error {
	var list []perfmodel.Profile
	var functions []string
	for i := range profiles {
		p := &profiles[i]
		if err := p.Validate(); err != nil {
			return err
		}
		for j, name := range p.Functions {
			if !strings.HasPrefix(name, prefix) || strings.TrimSpace(name) != name || slices.Contains(p.Functions[:j], name) {
				return badInput("Profile.Functions", j, ErrSyntax, "%q: want distinct names that begin with MPI_", name)
			}
			if !slices.Contains(functions, name) {
				functions = append(functions, name)
			}
		}
		for _, name := range p.Features {
			if strings.HasPrefix(name, prefix) {
				return badInput("Profile.Features", -1, ErrSyntax, "%q: want the name of a feature that does not begin with MPI_", name)
			}
		}
		list = append(list, p.Profile)
	}
	slices.Sort(functions)
	var text bytes.Buffer
	if err := perfmodel.WriteProfiles(&text, list); err != nil {
		return err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return err
	}
	rows[0] = append(rows[0], functions...)
	k := 0
	for i := range profiles {
		p := &profiles[i]
		for r := range p.Runs {
			k++
			for _, name := range functions {
				cell := ""
				if j := slices.Index(p.Functions, name); j >= 0 {
					cell = strconv.FormatFloat(p.Seconds[r][j], 'g', -1, 64)
				}
				rows[k] = append(rows[k], cell)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
