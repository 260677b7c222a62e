package demandfile

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// The header tells the form: a number a line, a forecast, or a series.
func TestForms(t *testing.T) {
	for text, want := range map[string][]int{
		"instances\n3\n0\n2\n":                               {3, 0, 2},
		"\ufeffinstances\n3\n":                               {3},
		"series,step,forecast,low\na,1,2.5,1\na,2, 3.4 ,1\n": {3, 3}, // halves up
		"forecast,step,low\n7,1,2\n8,2,3\n":                  {7, 8},
		"week,value\n2024-01-01,4\n2024-01-08,5.5\n":         {4, 6},
		"name,v1,v2,v3\nweb,1,2,3\n":                         {1, 2, 3},
	} {
		if got, err := From("text", strings.NewReader(text)); err != nil || !slices.Equal(got.Slots, want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
		path := filepath.Join(t.TempDir(), "demand.gz")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(f)
		w.Write([]byte(text))
		w.Close()
		f.Close()
		if got, err := Read("-demand", path); err != nil || !slices.Equal(got.Slots, want) {
			t.Errorf("%q as gzip: %v, %v, want %v", text, got, err, want)
		}
	}
}

// A mistake is named with the file and the place.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"instances\n3\n-1\n":                        `step 2 of the series "instances": -1: want a demand of 0 or more`,
		"instances\n3\nmany\n":                      "line 3",
		"name,v1\nweb,1\ndb,2\n":                    "2 series: want one",
		"name,v1,v2,v3\nweb,1,-2,-3\n":              `step 2 of the series "web": -2: want a demand of 0 or more`,
		"name,v1,v2\nweb,1,\"2\n":                   "line 2",
		"step,forecast,low\n":                       "there is no series after the header line",
		"step,forecast,low\n1,4,2\n2,x,1\n":         `line 3, field 2, series "forecast": "x" is not a number`,
		"step,forecast,low\n1,NaN,3\n":              "NaN: want a demand of 0 or more",
		"step,forecast,low\n1,1e30,3\n":             "1e+30: want a demand of 0 or more",
		"step,forecast,low\n1,4,5,6\n":              "line 2: 4 fields: want 3",
		"series,step,forecast\na,1,1\na,2,2\nb,1,3": "2 series: want one",
		"forecast,\"x\n":                            "line 1",
	} {
		_, err := From("text", strings.NewReader(text))
		if cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), "text: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake that says %q", text, err, want)
		}
	}
	if _, err := Read("-demand", filepath.Join(t.TempDir(), "none")); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), "cannot read -demand") {
		t.Errorf("%v", err)
	}
}

// Futures of a demand have a column each, and perhaps one that names the step.
func TestReadPaths(t *testing.T) {
	read := func(text string) ([][]int, time.Duration, error) {
		path := filepath.Join(t.TempDir(), "paths.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadPaths("-paths", path)
	}
	for _, c := range []struct {
		text string
		want [][]int
		slot time.Duration
	}{
		{"\xef\xbb\xbfp0, p1\r\n1,2.5\r\n0, 7\r\n", [][]int{{1, 0}, {3, 7}}, 0},
		{"week,p0,p1\n1,4,5\n2,6,7\n", [][]int{{4, 6}, {5, 7}}, 168 * time.Hour},
		{"date,p0\n2024-01-01,4\n2024-01-02,6\n", [][]int{{4, 6}}, 24 * time.Hour},
		{"step,p0\n1,4\n2,6\n", [][]int{{4, 6}}, 0},
	} {
		got, slot, err := read(c.text)
		if d := cmp.Diff(c.want, got); d != "" || err != nil || slot != c.slot {
			t.Errorf("%q: %v, %v (-want +got):\n%s", c.text, slot, err, d)
		}
	}
	for text, want := range map[string]string{
		"":                  "the file is empty",
		"a,b\n":             "no step after the header",
		"1,2\n3,4\n":        `"1" is a number: want a header line`,
		"a,\n1,2\n":         "no name in field 2",
		"a,b\n1,2\n3\n":     "line 3: 1 fields: want 2",
		"a,b\n1,-2\n":       `step 1 of the series "b": -2: want a demand of 0`,
		"a,b\n1,Inf\n":      `"Inf" is not finite`,
		"a,b\n1,NaN\n":      "NaN: want a demand",
		"a,b\n1,9999999999": "want a demand",
		"a,b\n1,x\n":        `"x" is not a number`,
		"a,b\n1,\"x\n":      "line 2, column",
		"a,a\n1,2\n":        `the name "a" twice`,
	} {
		if _, _, err := read(text); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The made-up year has what its comment says. On average a working hour needs more than the
// night, Wednesday more than Sunday, and the autumn more than the start. The days after a launch
// need more than those before. On six nights of seven the hours of the batch need more than those
// around them. The holidays need little.
func TestMadeUp(t *testing.T) {
	year := MadeUp()
	if len(year) != 365*24 || !slices.Equal(year, MadeUp()) {
		t.Fatalf("%d hours, or another year each time", len(year))
	}
	mean := func(from, to int, in func(day, hour int) bool) float64 { // of the days from and to
		sum, n := 0., 0.
		for t, x := range year[from*24 : to*24] {
			if day, hour := from+t/24, t%24; in(day, hour) {
				sum, n = sum+float64(x), n+1
			}
		}
		return sum / n
	}
	quiet := func(hour int) bool { return hour < batchHour || hour >= batchHour+batchHours }
	at := func(hour int) func(int, int) bool { return func(_, h int) bool { return h == hour } }
	on := func(weekday int) func(int, int) bool {
		return func(d, h int) bool { return d%7 == weekday && quiet(h) }
	}
	all := func(_, h int) bool { return quiet(h) }
	for what, c := range map[string]struct{ x, least, most float64 }{
		// 60 instances at 48% in the middle of January and 52% in that of February.
		"the first month":      {mean(0, 31, all), 60 * .48 * .85, 60 * .50},
		"15 h over 1 h":        {mean(0, 60, at(15)) / mean(0, 60, at(1)), 118. / 52 * .9, 118. / 52 * 1.1},
		"Thursday over Sunday": {mean(0, 90, on(3)) / mean(0, 90, on(6)), 106. / 68 * .9, 106. / 68 * 1.1},
		"a launch":             {mean(96, 103, all) - mean(89, 96, all), 10, 22}, // 14, and growth
		"November over July":   {(mean(304, 334, all) - launched) / (mean(185, 215, all) - launched), 1.7, 2.3},
		"the batch at 3 h": {mean(0, 84, func(d, h int) bool { return h == 3 && d%7 < 6 }) - mean(0, 84, func(d,
			h int) bool {
			return h == 1 && d%7 < 6
		}), batch - 4, batch + 1},
		"no batch on the seventh day": {mean(0, 84, func(d, h int) bool { return h == 3 && d%7 == 6 }) - mean(0, 84, func(d,
			h int) bool {
			return h == 1 && d%7 == 6
		}), -5, 1},
		"no batch at 5 h":           {mean(0, 84, at(5)) - mean(0, 84, at(1)), -5, 2},
		"the holidays":              {(mean(358, 365, all) - launched) / (mean(351, 358, all) - launched), .5, .6},
		"the batch in the holidays": {mean(358, 364, at(3)) - mean(358, 364, at(1)), batch - 6, batch + 2},
	} {
		if !(c.x >= c.least && c.x <= c.most) {
			t.Errorf("%s: %.2f, want %.2f to %.2f", what, c.x, c.least, c.most)
		}
	}
	// A percentage more or less, but never twice or half of the same hour a week ago.
	for d := range 40 {
		if a, b := year[d*24+15], year[(d+7)*24+15]; float64(a) < .75*float64(b) || float64(a) > 1.25*float64(b) {
			t.Errorf("day %d has %d instances at 15 h, and a week later %d", d, a, b)
		}
	}
}
