// Package seriesfile reads series of numbers: CSV with a header line and then a
// series a line, its name first.
package seriesfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/forecast"
)

// A Series is a line of a file. Missing values are NaN; empty fields at the end of
// the line count for nothing.
type Series struct {
	Name   string
	Line   int
	Values []float64
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

// parse reads a header line, and a series a line.
func parse(data []byte) ([]Series, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	var list []Series
	lines := make(map[string]int)
	for first := true; ; first = false {
		record, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err == io.EOF && first:
			return nil, errors.New("the file is empty: want a header line, then a line for each series, its name first")
		case err == io.EOF && len(list) == 0:
			return nil, errors.New("there is no series after the header line")
		case err == io.EOF:
			return list, nil
		case errors.As(err, &bad):
			return nil, fmt.Errorf("line %d, column %d: %v", bad.Line, bad.Column, bad.Err)
		case err != nil:
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if first {
			if err := checkHeader(record); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			continue
		}
		s := Series{Name: strings.TrimSpace(record[0]), Line: line}
		if s.Name == "" {
			return nil, fmt.Errorf("line %d, field 1: the name is empty: want the name of the series", line)
		}
		if before := lines[s.Name]; before > 0 {
			return nil, fmt.Errorf("line %d, field 1: the series %s is there twice, first in line %d", line, infile.Quote(s.Name), before)
		}
		lines[s.Name] = line
		fields := record[1:]
		for len(fields) > 0 && strings.TrimSpace(fields[len(fields)-1]) == "" {
			fields = fields[:len(fields)-1]
		}
		s.Values = make([]float64, len(fields))
		for i, f := range fields {
			x, why := parseValue(f)
			if why != "" {
				at, _ := r.FieldPos(1 + i)
				return nil, fmt.Errorf("line %d, field %d, series %s: %s: want a number, or NA or nothing where a value is missing",
					at, 2+i, infile.Quote(s.Name), why)
			}
			s.Values[i] = x
		}
		list = append(list, s)
	}
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
	return fmt.Errorf("%s has numbers after it: want a header line, such as name,1,2,3, before the series", infile.Quote(record[0]))
}

// parseValue reads a value, NaN for a missing one. why is not empty if it is none.
func parseValue(s string) (x float64, why string) {
	s = strings.TrimSpace(s)
	if s == "" || strings.EqualFold(s, "NA") || strings.EqualFold(s, "NaN") {
		return math.NaN(), ""
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && math.Abs(x) > forecast.Largest && !math.IsInf(x, 0):
		return 0, infile.Quote(s) + fmt.Sprintf(" is beyond %g", float64(forecast.Largest))
	case err != nil:
		return 0, infile.Quote(s) + " is not a number"
	case math.IsInf(x, 0):
		return 0, infile.Quote(s) + " is not finite"
	}
	return x, ""
}
