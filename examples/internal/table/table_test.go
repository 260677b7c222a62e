package table

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	err := Write(&b, []Column{{Title: "größe", Left: true}, {Title: "mean\nwait"}, {Title: "n", Left: true}},
		[][]string{{"ä", "1,000.5", "1"}, {"sechs", "2", ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := "" +
		"          mean\n" +
		"größe     wait  n\n" +
		"─────  ───────  ─\n" +
		"ä      1,000.5  1\n" +
		"sechs        2\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	word := "123456789"
	line := strings.TrimSpace(strings.Repeat(word+" ", 8)) // 79 columns
	for s, want := range map[string]string{
		"":                             "",
		"a  b\nc":                      "a b c",
		line:                           line,
		line + " " + word + "x":        line + "\n  " + word + "x",
		strings.Repeat("x", 99) + " é": strings.Repeat("x", 99) + "\n  é",
	} {
		if got := Wrap(s); got != want {
			t.Errorf("Wrap(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for s, want := range map[string]string{"": "", "éé": "éé", "éééé": "éééé", "ééééé": "ééé…"} {
		if got := Clip(s, 4); got != want {
			t.Errorf("Clip(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for path, want := range map[string]string{"a/b.swf": "b.swf", `c:\b`: "b", "a\x01b\xff": "a?b?", strings.Repeat("x", 42): strings.Repeat("x", 40) + "…"} {
		if got := Title(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// A name is on lines of at most so many characters, and none of its characters is lost.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want []string
	}{
		{"short", 12, []string{"short"}},
		{"m5 family in eu-west-1, linux", 16, []string{"m5 family in eu-", "west-1, linux"}},
		{"1y-standard-no-upfront", 12, []string{"1y-standard-", "no-upfront"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"äöü äöü", 3, []string{"äöü", "äöü"}},
		{"ab cd", 2, []string{"ab", "cd"}},
	} {
		if got := Fold(c.s, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.s, got, c.want)
		}
	}
}
