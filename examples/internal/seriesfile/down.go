package seriesfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
)

// A layout is a file with a line for each step.
type layout struct {
	at     int      // the field with the step, -1 if there is none
	step   string   // its name
	name   int      // the field with the name of the series, -1 if there is none
	values []int    // the fields with values, a series each; one if there is a name
	names  []string // of these series
	width  int      // fields of a line at most
}

// stepWords are names of a field that has steps.
var stepWords = []string{"date", "datetime", "time", "timestamp", "day", "week", "month", "quarter", "year", "hour", "minute", "period",
	"step", "slot", "index", "ds", "t"}

// down returns the layout of a file with a line for each step, nil if it has a line for
// each series. It is told by the steps: the first field of all rows is a date, or counts, or
// the second is and the names before it repeat.
func down(header []string, rows []row) *layout {
	width := len(header)
	if value := slices.Index(header, "forecast"); value >= 0 && width > 2 {
		for at := range header {
			if isStep(header[at]) {
				l := &layout{at: at, step: header[at], name: slices.Index(header, "series"), values: []int{value}, width: width}
				if l.name < 0 {
					l.names = []string{"forecast"}
				}
				return l
			}
		}
	}
	dates, counts := all(rows, 0)
	switch {
	case width >= 2 && dates, width == 2 && counts && len(rows) > 1, width > 2 && counts && isStep(header[0]) && !allNumbers(header[1:]):
		return columnsOf(header, 0)
	case width == 2 && isStep(header[0]) && !allNumbers(header[1:]) && len(rows) > 2 && onlyPairs(rows):
		// week,value over names that neither are dates nor count: to be refused where it is
		// read.
		return columnsOf(header, 0)
	case width == 3 && (isStep(header[1]) || repeats(rows)):
		if dates, counts := all(rows, 1); dates || counts {
			return &layout{at: 1, step: header[1], name: 0, values: []int{2}, width: 3}
		}
	}
	return nil
}

// columnsOf is the layout of a file with a column for each series after that of the steps,
// which is the one at, or none.
func columnsOf(header []string, at int) *layout {
	l := &layout{at: at, name: -1, width: len(header)}
	if at >= 0 {
		l.step = header[at]
	}
	for i := at + 1; i < len(header); i++ {
		l.values = append(l.values, i)
		l.names = append(l.names, strings.TrimSpace(header[i]))
	}
	return l
}

func isStep(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return slices.Contains(stepWords, name) || lengthOf(name) > 0
}

// lengthOf returns how long a step of this name is, 0 if the name does not tell.
func lengthOf(name string) time.Duration {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "minute":
		return time.Minute
	case "hour":
		return time.Hour
	case "day":
		return 24 * time.Hour
	case "week":
		return 168 * time.Hour
	}
	d, _ := time.ParseDuration(name)
	return max(0, d)
}

// StepName returns the name of a field with steps of a length, from which a reader tells the
// length.
func StepName(step time.Duration) string {
	switch step {
	case 0:
		return "step"
	case time.Minute:
		return "minute"
	case time.Hour:
		return "hour"
	case 24 * time.Hour:
		return "day"
	case 168 * time.Hour:
		return "week"
	}
	return decimal.Span(step)
}

// all reports whether a field of all rows is a date, and whether all are whole numbers
// that ascend but where a name before changes.
func all(rows []row, field int) (dates, counts bool) {
	dates, counts = true, true
	before, name := math.MinInt, ""
	for _, x := range rows {
		if len(x.fields) <= field {
			return false, false
		}
		f := strings.TrimSpace(x.fields[field])
		if dates {
			_, err := parseDate(f)
			dates = err == nil
		}
		n, err := strconv.Atoi(f)
		if field > 0 && x.fields[0] != name {
			name, before = x.fields[0], math.MinInt
		}
		counts = counts && err == nil && n > before
		before = n
		if !dates && !counts {
			return false, false
		}
	}
	return dates, counts
}

func allNumbers(fields []string) bool {
	for _, f := range fields {
		if _, err := strconv.ParseFloat(strings.TrimSpace(f), 64); err != nil {
			return false
		}
	}
	return true
}

// onlyPairs reports whether all rows have two fields, the second a value.
func onlyPairs(rows []row) bool {
	for _, x := range rows {
		if len(x.fields) != 2 {
			return false
		}
		if _, why := parseValue(x.fields[1]); why != "" {
			return false
		}
	}
	return true
}

// repeats reports whether a name is there twice, as it never is in a file with a line for
// each series.
func repeats(rows []row) bool {
	seen := make(map[string]bool)
	for _, x := range rows {
		if seen[x.fields[0]] {
			return true
		}
		seen[x.fields[0]] = true
	}
	return false
}

// dateForms are the forms of dates that are read. Days of months written with slashes are
// refused: half of the world reads them the other way round.
var dateForms = []string{"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04",
	"2006/01/02", "2006-01", "20060102"}

var errDate = errors.New("want a date as 2024-01-31, with a time as in 2024-01-31T08:00 if need be, or steps that count, as 1, 2, 3")

// parseDate reads a date; a week as 2024-W05 is its Monday.
func parseDate(s string) (time.Time, error) {
	if len(s) == 8 && s[4:6] == "-W" {
		year, err1 := strconv.Atoi(s[:4])
		week, err2 := strconv.Atoi(s[6:])
		if err1 == nil && err2 == nil && week >= 1 && week <= 53 {
			fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in week 1
			monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
			return monday.AddDate(0, 0, 7*(week-1)), nil
		}
	}
	if len(s) == 8 && !strings.HasPrefix(s, "19") && !strings.HasPrefix(s, "20") {
		return time.Time{}, errDate // a number that counts
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errDate
}

// read reads the series.
func (l *layout) read(rows []row) ([]Series, error) {
	if l.name < 0 {
		return l.columns(rows)
	}
	var list []Series
	seen := make(map[string]int)
	for len(rows) > 0 {
		name, n := strings.TrimSpace(rows[0].fields[l.name]), 1
		for n < len(rows) && len(rows[n].fields) > l.name && strings.TrimSpace(rows[n].fields[l.name]) == name {
			n++
		}
		if name == "" {
			return nil, fmt.Errorf("line %d, field %d: the name is empty: want the name of the series", rows[0].line, l.name+1)
		}
		if before := seen[name]; before > 0 {
			return nil, fmt.Errorf("line %d: the series %s goes on, which begins in line %d: want the lines of a series together", rows[0].line,
				infile.Quote(name), before)
		}
		seen[name] = rows[0].line
		part := layout{at: l.at, step: l.step, width: l.width, name: -1, values: l.values, names: []string{name}}
		series, err := part.columns(rows[:n])
		if err != nil {
			return nil, err
		}
		list = append(list, series...)
		rows = rows[n:]
	}
	return list, nil
}

// columns reads a series from each field with values.
func (l *layout) columns(rows []row) ([]Series, error) {
	places, step, start, err := l.places(rows)
	if err != nil {
		return nil, err
	}
	list := make([]Series, len(l.values))
	for k, field := range l.values {
		s := &list[k]
		s.Name, s.Line, s.Step, s.Start = l.names[k], rows[0].line, step, start
		if s.Name == "" {
			return nil, fmt.Errorf("the header has no name in field %d: want the name of the series below", field+1)
		}
		if i := slices.Index(l.names[:k], s.Name); i >= 0 {
			return nil, fmt.Errorf("the header has the name %s twice: want each series once", infile.Quote(s.Name))
		}
		s.Values = make([]float64, places[len(places)-1]+1)
		for i := range s.Values {
			s.Values[i] = math.NaN()
		}
		for i, x := range rows {
			if len(x.fields) > l.width {
				return nil, fmt.Errorf("line %d: %s: want %d, as in the header", x.line, decimal.Count(len(x.fields), "field"), l.width)
			}
			if len(x.fields) <= field {
				continue // left out at the end of the line
			}
			v, why := parseValue(x.fields[field])
			if why != "" {
				return nil, fmt.Errorf("line %d, field %d, series %s: %s: want a number, or NA or nothing where a value is missing",
					x.line, field+1, infile.Quote(s.Name), why)
			}
			s.Values[places[i]] = v
		}
		n := len(s.Values)
		for n > 0 && s.Values[n-1] != s.Values[n-1] && strings.TrimSpace(last(rows[len(rows)-1].fields, field)) == "" {
			n--
		}
		if n < len(s.Values) && len(l.values) > 1 {
			s.Values = s.Values[:n]
		}
	}
	return list, nil
}

// last returns a field, "" if there is none.
func last(fields []string, i int) string {
	if i < len(fields) {
		return fields[i]
	}
	return ""
}

// stepsForRow bounds how many steps a file has for each of its rows: a date far away, or
// two close to each other, is a slip.
const stepsForRow = 100

// places returns the step of each row, from 0. Steps that are left out leave their place
// empty: a step is the least difference between two rows. The length and the start are 0 if
// the file does not tell.
func (l *layout) places(rows []row) (places []int, length time.Duration, start time.Time, err error) {
	places = make([]int, len(rows))
	if l.at < 0 {
		for i := range places {
			places[i] = i
		}
		return places, 0, start, nil
	}
	days := make([]time.Time, len(rows))
	counts := make([]int, len(rows))
	dated := true
	for i, x := range rows {
		f := strings.TrimSpace(last(x.fields, l.at))
		t, err := parseDate(f)
		if dated = dated && err == nil; !dated {
			break
		}
		days[i] = t
	}
	if !dated {
		for i, x := range rows {
			f := strings.TrimSpace(last(x.fields, l.at))
			n, err := strconv.Atoi(f)
			if err != nil {
				return nil, 0, start, fmt.Errorf("line %d, field %d: %s: %w; or a line for each series, its name first", x.line, l.at+1, infile.Quote(f), errDate)
			}
			counts[i] = n
		}
	} else if start = days[0]; months(days) {
		length = -1
		for i, t := range days {
			counts[i] = 12*t.Year() + int(t.Month())
		}
	} else {
		for i, t := range days {
			counts[i] = int(t.Unix())
		}
	}
	step := math.MaxInt
	for i := 1; i < len(rows); i++ {
		d := counts[i] - counts[i-1]
		if d <= 0 {
			return nil, 0, start, fmt.Errorf("line %d, field %d: %s comes after %s in line %d: want each step once, in order",
				rows[i].line, l.at+1, infile.Quote(last(rows[i].fields, l.at)), infile.Quote(last(rows[i-1].fields, l.at)), rows[i-1].line)
		}
		step = min(step, d)
	}
	switch {
	case length < 0 || len(rows) < 2 && dated:
		length = lengthOf(l.step)
	case dated:
		length = time.Duration(step) * time.Second
	case len(rows) < 2:
		length = lengthOf(l.step)
	default:
		length = time.Duration(step) * lengthOf(l.step)
	}
	for i := 1; i < len(rows); i++ {
		d := counts[i] - counts[i-1]
		n := d / step
		if d%step != 0 {
			return nil, 0, start, fmt.Errorf("line %d, field %d: %s is no whole number of steps after %s in line %d: want steps of one length",
				rows[i].line, l.at+1, infile.Quote(last(rows[i].fields, l.at)), infile.Quote(last(rows[i-1].fields, l.at)), rows[i-1].line)
		}
		if places[i] = places[i-1] + n; places[i] > stepsForRow*len(rows) {
			return nil, 0, start, fmt.Errorf("line %d, field %d: %s is %s steps after the first, and the file has %s: want most steps to be there",
				rows[i].line, l.at+1, infile.Quote(last(rows[i].fields, l.at)), decimal.Int(places[i]), decimal.Count(len(rows), "row"))
		}
	}
	return places, length, start, nil
}

// months reports whether dates are those of months or quarters: all on the same day of the
// month, or all on the last, and none less than 28 days after another.
func months(days []time.Time) bool {
	if len(days) < 2 {
		return false
	}
	same, end := true, true
	for i, t := range days {
		same = same && t.Day() == days[0].Day() && t.Hour() == days[0].Hour() && t.Minute() == days[0].Minute()
		end = end && t.AddDate(0, 0, 1).Day() == 1
		if i > 0 && t.Sub(days[i-1]) < 28*24*time.Hour {
			return false
		}
	}
	return same || end
}
