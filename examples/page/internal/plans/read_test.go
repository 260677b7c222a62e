package plans

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/page/internal/ask"
)

// Numbers alone are a demand, in a column, in a line or between commas; other texts have to
// be files as the programs read them.
func TestPastedNumbers(t *testing.T) {
	want := map[string]any{"demand": ask.Ints([]int{3, 0, 12})}
	for _, text := range []string{"instances\n3\n0\n12\n", "3\n0\n12", "3 0 12", "3,0,12\n", " 3;\t0\r\n12 "} {
		got, err := read(&ask.Text{Form: "demand", Text: text})
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v %s", text, err, d)
		}
	}
	for text, want := range map[string]string{"3\n-1\n": "no header line", "3\nx": "no header line", "": "", "n\n3\n-1": "line 3"} {
		if _, err := read(&ask.Text{Form: "demand", Text: text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
