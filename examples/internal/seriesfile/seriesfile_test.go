package seriesfile

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/forecast"
)

func TestParse(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text string
		want []Series
	}{
		{"name,1,2\na,1,2\nb,-3.5,,1e3,NA, nan ,,\n", []Series{{"a", 2, []float64{1, 2}}, {"b", 3, []float64{-3.5, nan, 1000, nan, nan}}}},
		{"\xef\xbb\xbf\"V1\",\"V2\"\r\n\r\n\" a \",\"1\"\r\n", []Series{{"a", 3, []float64{1}}}},
		{"name,,\na,,\nb", []Series{{"a", 2, []float64{}}, {"b", 3, []float64{}}}},
		{"week,2024,2025,2026\na,1", []Series{{"a", 2, []float64{1}}}},
		{"week,1,2,total\na,1", []Series{{"a", 2, []float64{1}}}},
	} {
		got, err := parse([]byte(c.text))
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
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
		"name\na,\"1,2\n":          "line 2, column ",
		"name\na,1\"2\n":           "line 2, column 4: bare",
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
	f.Add([]byte("\xef\xbb\xbfx\n a ,nan,-0,0x1p-2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(data)
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		var again strings.Builder
		again.WriteString("name\n")
		w := csv.NewWriter(&again)
		for _, s := range list {
			if seen[s.Name] || s.Name == "" {
				t.Errorf("a second series %q", s.Name)
			}
			seen[s.Name] = true
			if err := forecast.CheckSeries(s.Values); err != nil {
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
			cmpopts.IgnoreFields(Series{}, "Line")); diff != "" {
			t.Error(diff)
		}
	})
}
