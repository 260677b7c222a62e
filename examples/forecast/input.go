package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/forecast"
)

// A series is a line of a file. Missing values are NaN.
type series struct {
	name   string
	line   int
	values []float64
}

// An item is a series to forecast, its values those of both files.
type item struct {
	name string
	all  []float64
	used int // so many of all, at the end of which the last forecast ends that is compared
}

// input is what to forecast.
type input struct {
	items   []item
	given   int    // series in the file
	shorter int    // test series shorter than the horizon
	step    string // what a step is, and a value, as far as we know
	unit    string
}

// read reads the files, or takes what is made up.
func (o *options) read() (*input, error) {
	in := &input{step: "step", unit: "value"}
	if o.train == "" {
		values := madeUp()
		in.items = []item{{madeUpName, values, len(values)}}
		in.step, in.unit = "week", "instances"
	} else {
		train, err := readSeries("-train", o.train)
		if err != nil {
			return nil, err
		}
		for _, s := range train {
			in.items = append(in.items, item{s.name, s.values, len(s.values)})
		}
	}
	in.given = len(in.items)
	if o.test != "" {
		test, err := readSeries("-test", o.test)
		if err != nil {
			return nil, err
		}
		if err := o.join(in, test); err != nil {
			return nil, err
		}
	}
	if o.series == "" {
		return in, nil
	}
	for i := range in.items {
		if in.items[i].name == o.series {
			in.items = in.items[i : i+1]
			return in, nil
		}
	}
	return nil, cli.Mistakef("-series %s: %s has no such series: there is %s", quote(o.series), o.source(), some(in.items))
}

// source names where the series come from.
func (o *options) source() string {
	if o.train == "" {
		return "the made-up demand"
	}
	return "-train " + o.train
}

// join adds the values of a test file.
func (o *options) join(in *input, test []series) error {
	byName := make(map[string]*series, len(test))
	for i := range test {
		byName[test[i].name] = &test[i]
	}
	for i := range in.items {
		it := &in.items[i]
		s := byName[it.name]
		if s == nil {
			return cli.Mistakef("-test %s: the series %s of -train %s is not in it: want a line for each", o.test, quote(it.name), o.train)
		}
		delete(byName, it.name)
		if len(s.values) == 0 {
			return cli.Mistakef("-test %s: line %d: the series %s has no value", o.test, s.line, quote(s.name))
		}
		it.used = len(it.all) + min(o.horizon, len(s.values))
		it.all = append(it.all, s.values...)
		if len(s.values) < o.horizon && (o.series == "" || o.series == it.name) {
			in.shorter++
		}
	}
	for _, s := range test { // the first of them
		if byName[s.name] != nil {
			return cli.Mistakef("-test %s: line %d: the series %s is not in -train %s", o.test, s.line, quote(s.name), o.train)
		}
	}
	return nil
}

// some lists the first names.
func some(items []item) string {
	const most = 5
	var names []string
	for _, it := range items[:min(most, len(items))] {
		names = append(names, quote(it.name))
	}
	text := strings.Join(names, ", ")
	if rest := len(items) - most; rest > 0 {
		text += " and " + decimal.Int(rest) + " more"
	}
	return text
}

// readSeries reads the file that was given with a flag.
func readSeries(flag, path string) ([]series, error) {
	data, err := infile.ReadAll(flag, path)
	if err != nil {
		return nil, err
	}
	list, err := parseSeries(data)
	if err != nil {
		return nil, cli.Mistakef("%s %s: %w", flag, path, err)
	}
	return list, nil
}

// parseSeries reads a header line, and a series a line.
func parseSeries(data []byte) ([]series, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	var list []series
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
		s := series{name: strings.TrimSpace(record[0]), line: line}
		if s.name == "" {
			return nil, fmt.Errorf("line %d, field 1: the name is empty: want the name of the series", line)
		}
		if before := lines[s.name]; before > 0 {
			return nil, fmt.Errorf("line %d, field 1: the series %s is there twice, first in line %d", line, quote(s.name), before)
		}
		lines[s.name] = line
		fields := record[1:]
		for len(fields) > 0 && strings.TrimSpace(fields[len(fields)-1]) == "" {
			fields = fields[:len(fields)-1]
		}
		s.values = make([]float64, len(fields))
		for i, f := range fields {
			x, why := parseValue(f)
			if why != "" {
				at, _ := r.FieldPos(1 + i)
				return nil, fmt.Errorf("line %d, field %d, series %s: %s: want a number, or NA or nothing where a value is missing",
					at, 2+i, quote(s.name), why)
			}
			s.values[i] = x
		}
		list = append(list, s)
	}
}

// checkHeader tells a header from a series: fields that are all numbers are a
// header if they count, as 1, 2, 3 or 2023, 2024 do.
func checkHeader(record []string) error {
	if len(record) == 1 {
		if strings.ContainsAny(record[0], ";\t") {
			return fmt.Errorf("%s: want fields with commas between them", quote(record[0]))
		}
		return nil
	}
	var before float64
	counts := true
	for i, f := range record[1:] {
		x, err := strconv.ParseFloat(strings.TrimSpace(f), 64)
		if err != nil {
			return nil
		}
		counts = counts && (i == 0 || x == before+1)
		before = x
	}
	if counts {
		return nil
	}
	return fmt.Errorf("%s has numbers after it: want a header line, such as name,1,2,3, before the series", quote(record[0]))
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
		return 0, quote(s) + fmt.Sprintf(" is beyond %g", float64(forecast.Largest))
	case err != nil:
		return 0, quote(s) + " is not a number"
	case math.IsInf(x, 0):
		return 0, quote(s) + " is not finite"
	}
	return x, ""
}

// quote quotes a piece of a file, cut to a length that fits in a sentence.
func quote(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		s = string([]rune(s)[:40]) + "…"
	}
	return strconv.Quote(s)
}

// note says on stderr what is forecast, and from where.
func (o *options) note(stderr io.Writer, in *input) {
	least, most, missing := math.MaxInt, 0, 0
	for _, it := range in.items {
		least, most = min(least, len(it.all)), max(most, len(it.all))
		for _, x := range it.all {
			if x != x {
				missing++
			}
		}
	}
	length := decimal.Count(most, "value")
	if least < most {
		length = decimal.Int(least) + " to " + length
	}
	length += fmt.Sprintf(", %s of them missing", decimal.Int(missing))
	if o.train == "" {
		fmt.Fprintf(stderr, "%s: no -train, so a made-up demand: the instances that a service needs, week by week,\n  %s\n", program, length)
	} else {
		files := o.train
		if o.test != "" {
			files += " and " + o.test
		}
		what := decimal.Int(len(in.items)) + " series"
		if o.series != "" {
			what = fmt.Sprintf("the series %s, one of %s,", quote(o.series), decimal.Int(in.given))
		}
		fmt.Fprintf(stderr, "%s: %s: %s of %s\n", program, files, what, length)
	}
	steps := decimal.Count(o.horizon, "step")
	switch {
	case o.origins > 1:
		fmt.Fprintf(stderr, "  forecast %s ahead from %d points of the past, the last %s values of each series in all\n",
			steps, o.origins, decimal.Int(o.horizon*o.origins))
	case o.test == "":
		fmt.Fprintf(stderr, "  forecast %s ahead from one point of the past, %s before the end of each series\n", steps, steps)
	case in.shorter > 0:
		fmt.Fprintf(stderr, "  forecast %s ahead from one point of the past, before the end of -train where -test has fewer\n"+
			"  values, which is so for %s series\n", steps, decimal.Int(in.shorter))
	default:
		fmt.Fprintf(stderr, "  forecast %s ahead from one point of the past, the end of -train\n", steps)
	}
}
