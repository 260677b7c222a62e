package demandfile

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// The header tells the form: a number a line, a forecast, or a series.
func TestForms(t *testing.T) {
	for text, want := range map[string][]int{
		"instances\n3\n0\n2\n":                               {3, 0, 2},
		"\ufeffinstances\n3\n":                               {3},
		"series,step,forecast,low\na,1,2.5,1\na,2, 3.4 ,1\n": {3, 3}, // halves up
		"forecast,step\n7,1\n8,2\n":                          {7, 8},
		"week,value\n2024-01-01,4\n2024-01-08,5.5\n":         {4, 6},
		"name,v1,v2,v3\nweb,1,2,3\n":                         {1, 2, 3},
	} {
		if got, err := From("text", strings.NewReader(text)); err != nil || !slices.Equal(got, want) {
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
		if got, err := Read("-demand", path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q as gzip: %v, %v, want %v", text, got, err, want)
		}
	}
}

// A mistake is named with the file and the place.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"instances\n3\n-1\n":               "line 3",
		"instances\n3\nmany\n":             "line 3",
		"name,v1\nweb,1\ndb,2\n":           "2 series: want one",
		"name,v1,v2,v3\nweb,1,-2,-3\n":     `step 2 of the series "web": -2: want a demand of 0 or more`,
		"name,v1,v2\nweb,1,\"2\n":          "line 2",
		"step,forecast\n":                  "there is no step after the header line",
		"step,forecast\n1,4\n2,x\n":        `line 3, field 2: "x": want a demand of 0 or more`,
		"step,forecast\n1,-4\n":            `line 2, field 2: "-4": want a demand of 0 or more`,
		"step,forecast\n1,NaN\n":           `line 2, field 2: "NaN"`,
		"step,forecast\n1,1e300\n":         `line 2, field 2: "1e300"`,
		"step,forecast\n1,4,5\n":           "line 2",
		"series,forecast\na,1\na,2\nb,3\n": `line 4: the series "b" after the series "a"`,
		"forecast,\"x\n":                   "line 1",
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
		"the first month":             {mean(0, 31, all), 60 * .48 * .85, 60 * .50},
		"15 h over 1 h":               {mean(0, 60, at(15)) / mean(0, 60, at(1)), 118. / 52 * .9, 118. / 52 * 1.1},
		"Thursday over Sunday":        {mean(0, 90, on(3)) / mean(0, 90, on(6)), 106. / 68 * .9, 106. / 68 * 1.1},
		"a launch":                    {mean(96, 103, all) - mean(89, 96, all), 10, 22}, // 14, and growth
		"November over July":          {(mean(304, 334, all) - launched) / (mean(185, 215, all) - launched), 1.7, 2.3},
		"the batch at 3 h":            {mean(0, 84, func(d, h int) bool { return h == 3 && d%7 < 6 }) - mean(0, 84, func(d, h int) bool { return h == 1 && d%7 < 6 }), batch - 4, batch + 1},
		"no batch on the seventh day": {mean(0, 84, func(d, h int) bool { return h == 3 && d%7 == 6 }) - mean(0, 84, func(d, h int) bool { return h == 1 && d%7 == 6 }), -5, 1},
		"no batch at 5 h":             {mean(0, 84, at(5)) - mean(0, 84, at(1)), -5, 2},
		"the holidays":                {(mean(358, 365, all) - launched) / (mean(351, 358, all) - launched), .5, .6},
		"the batch in the holidays":   {mean(358, 364, at(3)) - mean(358, 364, at(1)), batch - 6, batch + 2},
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
