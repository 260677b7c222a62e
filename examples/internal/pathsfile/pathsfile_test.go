package pathsfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	got, err := parse(strings.NewReader("\xef\xbb\xbfp0, p1\r\n1,2.5\r\n0, 7\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Names: []string{"p0", "p1"}, Paths: [][]int{{1, 0}, {3, 7}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"":                  "the file is empty",
		"a,b\n":             "no step after the header",
		"1,2\n3,4\n":        `"1" is a number: want a header line`,
		"week,value\n1,2\n": `field 1: "week": want numbers of paths only`,
		"a,\n1,2\n":         "field 2: the name is empty",
		"a,b\n1,2\n3\n":     "line 3: 1 numbers: want 2, one for each path",
		"a,b\n1,-2\n":       `line 2, field 2, path "b": "-2": want a demand of 0`,
		"a,b\n1,Inf\n":      `"Inf": want a demand`,
		"a,b\n1,NaN\n":      `"NaN": want a demand`,
		"a,b\n1,9999999999": `"9999999999": want a demand`,
		"a,b\n1,x\n":        `"x": want a demand`,
		"a,b\n1,\"x\n":      "line 2, column",
	} {
		if _, err := parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
