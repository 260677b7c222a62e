// Package seriesfile reads series of numbers from CSV with a header line, which may be
// either way round:
//
//	instances          a number a line, one series
//	week,value         a line for each step: a date, or a number that counts
//	week,east,west     the same for several series, or futures of one, a column for each
//	series,week,value  the same for several series below each other; of a forecast, as
//	                   examples/tools/forecast writes, the column forecast is the value
//	name,1,2,3         a line for each series, its name first
//
// Dates tell the length of a step, and so does a field of steps that is called minute, hour,
// day, week, or by a duration such as 15m.
package seriesfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

// A Series is a line of a file. Missing values are NaN; empty fields at the end of
// the line count for nothing.
type Series struct {
	Name   string
	Line   int // where the series begins
	Values []float64
	Step   time.Duration // 0 if the file does not tell
	Start  time.Time     // of the first step, zero if the file does not tell
}

// Read reads the file that was given with a flag, such as "-series", plain or gzip:
// at least a series, which may have no value. The error is the user's mistake, and says
// where it is.
func Read(flag, path string) ([]Series, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	list, err := parse(data)
	if err != nil {
		return nil, cli.Mistakef("%s %s: %w", flag, path, err)
	}
	return list, nil
}

// From reads a text that is no file of a flag, such as one that a person pasted, as [Read]
// does. The error begins with the name.
func From(name string, text io.Reader) ([]Series, error) {
	return infile.From(name, text, func(in io.Reader) ([]Series, error) {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		return parse(data)
	})
}

// ReadPaths reads a file of futures of one series: a header line with a name for each, then a
// line for each step with a number for each. A first field that names the step may be there.
func ReadPaths(flag, path string) ([]Series, error) {
	return infile.Read(flag, path, func(in io.Reader) ([]Series, error) {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		rows, err := records(data)
		if err != nil {
			return nil, err
		}
		header := rows[0].fields
		if allNumbers(header) {
			return nil, fmt.Errorf("line %d: %s is a number: want a header line with a name for each path, such as week,p0,p1", rows[0].line, infile.Quote(header[0]))
		}
		if len(rows) == 1 {
			return nil, errors.New("there is no step after the header line: want a number for each path a line")
		}
		l := columnsOf(header, -1)
		if dates, counts := all(rows[1:], 0); isStep(header[0]) && len(header) > 1 && (dates || counts) {
			l = columnsOf(header, 0)
		}
		for _, x := range rows[1:] {
			if len(x.fields) != len(header) {
				return nil, fmt.Errorf("line %d: %d fields: want %d, as in the header", x.line, len(x.fields), len(header))
			}
		}
		return l.read(rows[1:])
	})
}

// A row is a record with its place in the file.
type row struct {
	line   int
	fields []string
}

// parse reads the records, finds out which way round the file is, and reads the series.
func parse(data []byte) ([]Series, error) {
	rows, err := records(data)
	if err != nil {
		return nil, err
	}
	if len(rows) == 1 {
		if err := checkHeader(rows[0].fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", rows[0].line, err)
		}
		return nil, errors.New("there is no series after the header line")
	}
	return read(rows)
}

// records reads the lines, at least one.
func records(data []byte) ([]row, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	var rows []row
	for {
		record, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF && len(rows) == 0:
			return nil, errors.New("the file is empty: want a header line, then a line for each series, its name first, or a line for each step")
		case err == io.EOF:
			return rows, nil
		case errors.As(err, &bad):
			return nil, fmt.Errorf("line %d, column %d: %v", bad.Line, bad.Column, bad.Err)
		case err != nil:
			return nil, err
		}
		line, _ := r.FieldPos(0)
		rows = append(rows, row{line, record})
	}
}

// read reads the series of a file with a header and at least a row after it.
func read(rows []row) ([]Series, error) {
	header, rows := rows[0], rows[1:]
	if len(header.fields) == 1 && !slices.ContainsFunc(rows, func(x row) bool { return len(x.fields) != 1 }) {
		if err := checkHeader(header.fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", header.line, err)
		}
		if allNumbers(header.fields) {
			return nil, fmt.Errorf("line %d: %s is a number: want a header line, such as instances, before the first", header.line, infile.Quote(header.fields[0]))
		}
		return columnsOf(header.fields, -1).read(rows)
	}
	if d := down(header.fields, rows); d != nil {
		if _, err := parseDate(strings.TrimSpace(header.fields[0])); err == nil || allNumbers(header.fields) {
			return nil, fmt.Errorf("line %d: %s is a step: want a header line, such as date,value, before the first", header.line, infile.Quote(header.fields[0]))
		}
		return d.read(rows)
	}
	if err := checkHeader(header.fields); err != nil {
		return nil, fmt.Errorf("line %d: %w", header.line, err)
	}
	return across(rows)
}

// across reads a series from each line, its name first.
func across(rows []row) ([]Series, error) {
	var list []Series
	lines := make(map[string]int)
	for _, x := range rows {
		s := Series{Name: strings.TrimSpace(x.fields[0]), Line: x.line}
		if s.Name == "" {
			return nil, fmt.Errorf("line %d, field 1: the name is empty: want the name of the series", x.line)
		}
		if before := lines[s.Name]; before > 0 {
			return nil, fmt.Errorf("line %d, field 1: the series %s is there twice, first in line %d", x.line, infile.Quote(s.Name), before)
		}
		lines[s.Name] = x.line
		fields := x.fields[1:]
		for len(fields) > 0 && strings.TrimSpace(fields[len(fields)-1]) == "" {
			fields = fields[:len(fields)-1]
		}
		s.Values = make([]float64, len(fields))
		for i, f := range fields {
			v, why := parseValue(f)
			if why != "" {
				return nil, fmt.Errorf("line %d, field %d, series %s: %s: want a number, or NA or nothing where a value is missing",
					x.line, 2+i, infile.Quote(s.Name), why)
			}
			s.Values[i] = v
		}
		list = append(list, s)
	}
	return list, nil
}

// checkHeader returns an error if the first line is a series and no header. A line of
// numbers is a header if the numbers count up, as 1, 2, 3 or 2023, 2024.
func checkHeader(record []string) error {
	if len(record) == 1 {
		if strings.ContainsAny(record[0], ";\t") {
			return fmt.Errorf("%s: want fields with commas between them", infile.Quote(record[0]))
		}
		return nil
	}
	var before float64
	numbers, counts := 0, true
	for _, f := range record[1:] {
		x, why := parseValue(f)
		switch {
		case why != "":
			return nil
		case x == x:
			counts = counts && (numbers == 0 || x == before+1)
			before = x
			numbers++
		}
	}
	if counts {
		return nil
	}
	return fmt.Errorf("%s has numbers after it: want a header line, such as name,1,2,3, before the series, or date,value before a line for each "+
		"step", infile.Quote(record[0]))
}

// parseValue reads a value, NaN for a missing one. why is not empty if it is none.
func parseValue(s string) (x float64, why string) {
	s = strings.TrimSpace(s)
	if s == "" || strings.EqualFold(s, "NA") || strings.EqualFold(s, "NaN") {
		return math.NaN(), ""
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && math.Abs(x) > smoothing.Largest && !math.IsInf(x, 0):
		return 0, infile.Quote(s) + fmt.Sprintf(" is beyond %g", float64(smoothing.Largest))
	case err != nil:
		return 0, infile.Quote(s) + " is not a number"
	case math.IsInf(x, 0):
		return 0, infile.Quote(s) + " is not finite"
	}
	return x, ""
}
