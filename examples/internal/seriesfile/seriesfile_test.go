package seriesfile

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
)

func TestParse(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text string
		want []Series
	}{
		{"name,1,2\na,1,2\nb,-3.5,,1e3,NA, nan ,,\n", []Series{{Name: "a", Line: 2, Values: []float64{1, 2}}, {Name: "b", Line: 3,
			Values: []float64{-3.5, nan, 1000, nan, nan}}}},
		{"\xef\xbb\xbf\"V1\",\"V2\"\r\n\r\n\" a \",\"1\"\r\n", []Series{{Name: "a", Line: 3, Values: []float64{1}}}},
		{"name,,\na,,\nb", []Series{{Name: "a", Line: 2, Values: []float64{}}, {Name: "b", Line: 3, Values: []float64{}}}},
		{"week,2024,2025,2026\na,1", []Series{{Name: "a", Line: 2, Values: []float64{1}}}},
		{"week,1,2,total\na,1", []Series{{Name: "a", Line: 2, Values: []float64{1}}}},
		// A line for each step.
		{"week,value\n1,5\n2,NA\n4,7\n", []Series{{Name: "value", Line: 2, Values: []float64{5, nan, nan, 7}}}},
		{"day,demand\n2024-02-28,5\n2024-02-29,6\n2024-03-02,8\n", []Series{{Name: "demand", Line: 2, Values: []float64{5, 6, nan, 8}}}},
		{"ds,y\n2024-03-30T23:00,1\n2024-03-31T00:00,2\n2024-03-31T01:00,3\n", []Series{{Name: "y", Line: 2, Values: []float64{1, 2, 3}}}},
		{"month,n\n2023-11-30,1\n2023-12-31,2\n2024-01-31,3\n2024-02-29,4\n", []Series{{Name: "n", Line: 2, Values: []float64{1, 2, 3, 4}}}},
		{"month,n\n2023-11,1\n2023-12,2\n2024-02,4\n", []Series{{Name: "n", Line: 2, Values: []float64{1, 2, nan, 4}}}},
		{"week,n\n2020-W52,1\n2020-W53,2\n2021-W01,3\n", []Series{{Name: "n", Line: 2, Values: []float64{1, 2, 3}}}},
		{"date,east,west\n2024-01-01,1,2\n2024-01-08,3\n2024-01-15,5,6\n2024-01-22,7,\n",
			[]Series{{Name: "east", Line: 2, Values: []float64{1, 3, 5, 7}}, {Name: "west", Line: 2, Values: []float64{2, nan, 6}}}},
		{"step,a,b\n1,1,2\n2,3,4\n", []Series{{Name: "a", Line: 2, Values: []float64{1, 3}}, {Name: "b", Line: 2, Values: []float64{2, 4}}}},
		{"series,week,value\na,1,5\na,2,6\nb,1,7\n", []Series{{Name: "a", Line: 2, Values: []float64{5, 6}}, {Name: "b", Line: 4, Values: []float64{7}}}},
		{"name,when,x\na,2024-01-01,5\na,2024-01-02,6\n", []Series{{Name: "a", Line: 2, Values: []float64{5, 6}}}},
		{"date,value\n2024-01-01,5\n", []Series{{Name: "value", Line: 2, Values: []float64{5}}}},
		// A number a line, and what the program forecast writes.
		{"instances\n11\n12\n11\n", []Series{{Name: "instances", Line: 2, Values: []float64{11, 12, 11}}}},
		{"\xef\xbb\xbfn\n11\nNA\n", []Series{{Name: "n", Line: 2, Values: []float64{11, nan}}}},
		{"series,week,forecast,low,high\na,1,5,4,6\na,2,6,4,8\nb,1,7,1,9\n", []Series{{Name: "a", Line: 2, Values: []float64{5, 6}}, {Name: "b",
			Line: 4, Values: []float64{7}}}},
		{"15m,forecast,low\n1,5,4\n2,6,4\n", []Series{{Name: "forecast", Line: 2, Values: []float64{5, 6}}}},
		// Names that are numbers, a line for each series.
		{"name,V1,V2\n1,5,6\n2,7,8\n", []Series{{Name: "1", Line: 2, Values: []float64{5, 6}}, {Name: "2", Line: 3, Values: []float64{7, 8}}}},
	} {
		got, err := parse([]byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs(), cmpopts.IgnoreFields(Series{}, "Step", "Start")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// A file tells the length of its steps by dates or by the name of a field.
func TestStep(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"instances\n1\n2\n":                              0,
		"week,n\n1,1\n2,2\n":                             168 * time.Hour,
		"Day,n\n1,1\n3,2\n":                              48 * time.Hour, // every second day
		"hour,a,b\n1,1,1\n2,2,1\n":                       time.Hour,
		"minute,n\n1,1\n2,2\n":                           time.Minute,
		"15m,n\n1,1\n2,2\n":                              15 * time.Minute,
		"step,n\n1,1\n2,2\n":                             0,
		"date,n\n2024-01-01,1\n2024-01-08,2\n":           168 * time.Hour,
		"month,n\n2024-01,1\n2024-02,2\n":                0,
		"day,n\n2024-01-31,1\n":                          24 * time.Hour,
		"series,week,forecast,low\na,1,5,4\na,2,6,4\n":   168 * time.Hour,
		"ds,y\n2024-03-30T23:00,1\n2024-03-31T00:00,2\n": time.Hour,
		"name,1,2\na,1,2\n":                              0,
	} {
		list, err := parse([]byte(text))
		if err != nil || list[0].Step != want {
			t.Errorf("%q: %v, %v, want steps of %v", text, list, err, want)
		}
	}
	for _, d := range []time.Duration{time.Minute, 15 * time.Minute, time.Hour, 24 * time.Hour, 90 * time.Hour, 168 * time.Hour} {
		if got := lengthOf(StepName(d)); got != d {
			t.Errorf("the name %s of %v says %v", StepName(d), d, got)
		}
	}
	if name := StepName(0); name != "step" || lengthOf(name) != 0 {
		t.Errorf("an unknown length is called %s", name)
	}
	list, err := parse([]byte("date,n\n2024-01-01,1\n2024-01-08,2\n"))
	if want := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); err != nil || !list[0].Start.Equal(want) {
		t.Errorf("%v, %v, want the start %v", list, err, want)
	}
}

func TestParseMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "the file is empty",
		"\n\n":                     "the file is empty",
		"name,1\n":                 "there is no series after the header line",
		"a,1,3,2\nb,1,2,4\n":       `line 1: "a" has numbers after it: want a header line`,
		"a,1,NA,3\nb,1,2,4\n":      `line 1: "a" has numbers after it: want a header line`,
		"name;1;2\na;1;2\n":        `line 1: "name;1;2": want fields with commas between them`,
		"name\na,1,x,3\n":          `line 2, field 3, series "a": "x" is not a number: want a number, or NA or nothing`,
		"name\n\na,1\nb,1,2,1.2.3": `line 4, field 4, series "b": "1.2.3" is not a number`,
		"name\na,1,inf\n":          `line 2, field 3, series "a": "inf" is not finite`,
		"name\na,1,1e999\n":        `"1e999" is beyond 1e+150`,
		"name\na,1,-2e150\n":       `"-2e150" is beyond 1e+150`,
		"name\n,1,2\n":             "line 2, field 1: the name is empty",
		"name\na,1\nb,2\na,3\n":    `line 4, field 1: the series "a" is there twice, first in line 2`,
		"name\na\n":                `line 2, field 1, series "name": "a" is not a number`,
		"3\n4\n":                   `line 1: "3" is a number: want a header line`,
		"name\na,\"1,2\n":          "line 2, column ",
		"name\na,1\"2\n":           "line 2, column 4: bare",

		"week,value\nw1,5\nw2,6\nw3,7\n": `line 2, field 1: "w1": want a date as 2024-01-31, with a time as in ` +
			`2024-01-31T08:00 if need be, or steps that count, as 1, 2, 3; or a line for each series, its name first`,
		"date,value\n31/01/2024,5\n01/02/2024,6\n,7\n": `line 2, field 1: "31/01/2024": want a date as 2024-01-31`,
		"date,value\n2024-01-02,5\n2024-01-01,6\n": `line 3, field 1: "2024-01-01" comes after "2024-01-02" in line 2: ` +
			`want each step once, in order`,
		"date,value\n2024-01-02,5\n2024-01-02,6\n": "want each step once",
		"date,value\n2024-01-01,5\n2024-01-08,6\n2024-01-19,6\n2024-01-26,1\n": `line 4, field 1: "2024-01-19" is no whole number of steps after ` +
			`"2024-01-08" in line 3: want steps of one length`,
		"date,value\n2024-01-01,x\n":                 `line 2, field 2, series "value": "x" is not a number`,
		"date,a,a\n2024-01-01,1,2\n":                 `the header has the name "a" twice`,
		"date,a,\n2024-01-01,1,2\n":                  "the header has no name in field 3",
		"date,a\n2024-01-01,1,2\n":                   "line 2: 3 fields: want 2, as in the header",
		"2024-01-01,5\n2024-01-02,6\n2024-01-03,7\n": `line 1: "2024-01-01" is a step: want a header line, such as date,value`,
		"1,5\n2,6\n3,7\n":                            `line 1: "1" is a step: want a header line`,
		"series,week,value\na,1,5\nb,1,7\na,2,6\n": `line 4: the series "a" goes on, which begins in line 2: want the ` +
			`lines of a series together`,
		"week,value\n1,5\n2,6\n99999999,7\n": "is 99,999,998 steps after the first, and the file has 3 rows: want " +
			"most steps to be there",
	} {
		list, err := parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want it to say %q", text, list, err, want)
		}
	}
}

// Whatever a file holds, its series are finite or missing, and have different names.
func FuzzParse(f *testing.F) {
	f.Add([]byte("name,1,2\na,1,2\nb,NA,,3,,\n"))
	f.Add([]byte("\"V1\"\n\"a\",\"1e3\",\"\"\n"))
	f.Add([]byte("week,value\n1,2\n3,4\n"))
	f.Add([]byte("date,a,b\n2024-01-01,2,3\n2024-01-03,4,5\n"))
	f.Add([]byte("series,week,value\na,1,2\na,2,3\n"))
	f.Add([]byte("\xef\xbb\xbfx\n a ,nan,-0,0x1p-2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(data)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		var again strings.Builder
		again.WriteString("name,1,2\n")
		w := csv.NewWriter(&again)
		for _, s := range list {
			if seen[s.Name] || s.Name == "" {
				t.Errorf("a second series %q", s.Name)
			}
			seen[s.Name] = true
			if err := smoothing.CheckSeries(s.Values); err != nil {
				t.Error(err)
			}
			fields := []string{s.Name}
			for _, x := range s.Values {
				fields = append(fields, fmt.Sprint(x))
			}
			w.Write(fields)
		}
		w.Flush()
		if len(list) == 0 {
			t.Fatal("no series and no error")
		}
		// Written and read again it is the same.
		second, err := parse([]byte(again.String()))
		if err != nil {
			t.Fatalf("%q: %v", again.String(), err)
		}
		if diff := cmp.Diff(list, second, cmpopts.EquateNaNs(),
			cmpopts.IgnoreFields(Series{}, "Line", "Step", "Start")); diff != "" {
			t.Error(diff)
		}
	})
}

// Dates by hand: ISO week 1 is that of the fourth of January, whose Monday may be in December.
// Eight digits are a date of this century or the last, and otherwise a number that counts.
func TestParseDate(t *testing.T) {
	for text, want := range map[string]string{
		"2024-W01": "2024-01-01", "2024-W05": "2024-01-29", "2026-W01": "2025-12-29", "2020-W53": "2020-12-28", "2023-W01": "2023-01-02",
		"20240131": "2024-01-31", "19991231": "1999-12-31", "2024-01": "2024-01-01", "2024/02/29": "2024-02-29", "2024-01-31T08:00": "2024-01-31",
		"2024-W00": "", "2024-W54": "", "18991231": "", "21000101": "", "20241301": "", "2024-1-1": "", "31/01/2024": "", "12": "", "": "", "1234-567": "",
	} {
		got, err := parseDate(text)
		if (err == nil) != (want != "") || err == nil && got.Format("2006-01-02") != want {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

// Months are of one day of the month, or all of its last, and not of weeks.
func TestMonths(t *testing.T) {
	for text, want := range map[string]bool{
		"2024-01-01 2024-02-01": true, "2024-01-31 2024-02-29 2024-04-30": true, "2024-01-15 2024-02-16": false, "2024-01-31": false,
		"2024-01-01 2024-01-29": false, "2024-01-30 2024-02-29 2024-03-30": false, "2023-02-28 2023-03-31": true, "2024-01-05 2024-01-05": false,
		"2024-01-31 2024-02-28": false, "2024-01-01 2024-04-01 2024-07-01": true,
	} {
		var days []time.Time
		for d := range strings.FieldsSeq(text) {
			x, err := parseDate(d)
			if err != nil {
				t.Fatal(err)
			}
			days = append(days, x)
		}
		if got := months(days); got != want {
			t.Errorf("%s are months: %v", text, got)
		}
	}
	if months([]time.Time{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 2, 1, 1, 0, 0, 0, time.UTC)}) {
		t.Error("at another hour")
	}
}

// The made-up demand is what its comment says: growth that slows down after the start and
// after the launch, two weeks that nobody knows, and quiet ends of years.
func TestMadeUp(t *testing.T) {
	x := MadeUp()
	if len(x) != 208 {
		t.Fatalf("%d weeks", len(x))
	}
	for i, v := range x {
		if lost := i == 61 || i == 62; math.IsNaN(v) != lost || !lost && (v != math.Trunc(v) || v < 90 || v > 1000) {
			t.Errorf("week %d: %v", i, v)
		}
	}
	mean := func(from, to int) (m float64) {
		for _, v := range x[from:to] {
			m += v / float64(to-from)
		}
		return m
	}
	// A speed of 2.6 a week that loses a fiftieth a week: 2.6·49 instances in all, and after
	// the launch 4.2·49 more, less what is cut off and what chance takes.
	for what, c := range map[string]struct{ x, least, most float64 }{
		"the first weeks":      {mean(0, 4), 110, 140},
		"growth until week 40": {mean(38, 43) - mean(0, 4), 50, 100},
		"after the launch":     {mean(200, 208) - mean(84, 92), 110, 210},
		"the first year of it": {mean(140, 148) - mean(84, 92), 90, 180},
		"the end of a year":    {mean(77, 79) / mean(72, 76), .84, .95},
	} {
		if !(c.x >= c.least && c.x <= c.most) {
			t.Errorf("%s: %.1f, want %v to %v", what, c.x, c.least, c.most)
		}
	}
}

// A text and a file are read alike, and a mistake begins with the name.
func TestFrom(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{"week,value\n2024-01-01,4\n2024-01-08,5\n": "", "": "the file is empty",
		"name,v\n": "there is no series after the header line", "name,a\nweb,many\n": "line 2"} {
		path := filepath.Join(dir, "series")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := From("pasted", strings.NewReader(text))
		again, err2 := Read("-series", path)
		if want == "" {
			if err != nil || err2 != nil || len(list) != 1 || len(again) != 1 || again[0].Values[1] != 5 || list[0].Values[1] != 5 {
				t.Errorf("%q: %v, %v, %v, %v", text, list, err, again, err2)
			}
			continue
		}
		if cli.Status(err) != cli.Mistake || cli.Status(err2) != cli.Mistake || !strings.HasPrefix(err.Error(), "pasted: ") ||
			!strings.HasPrefix(err2.Error(), "-series "+path+": ") || !strings.Contains(err.Error(), want) || !strings.Contains(err2.Error(), want) {
			t.Errorf("%q: %v, and as a file %v", text, err, err2)
		}
	}
	if _, err := Read("-series", filepath.Join(dir, "none")); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}
