package plans

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
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
	for text, want := range map[string]string{"3\n-1\n": "want a header line", "3\nx": "want a header line", "": "", "n\n3\n-1": "step 2"} {
		if _, err := read(&ask.Text{Form: "demand", Text: text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Demands and price lists are read as the programs read them, or an error says what is wrong.
func TestRead(t *testing.T) {
	list := `{"on_demand":"0.4","classes":[{"name":"a","term":"720h","upfront":"3","hourly":"0.1","billed":"always"},{"name":"b","term":"48h","upfront":"3.5","hourly":"0","billed":"when-used"}]}`
	for _, c := range []struct {
		q    ask.Text
		want any // a string is the error
	}{
		{ask.Text{Form: "classes", Text: list}, map[string]any{"on_demand": "0.4", "classes": []classQuestion{
			{Name: "a", Term: "720h0m0s", Upfront: "3", Hourly: "0.1", Always: true}, {Name: "b", Term: "48h0m0s", Upfront: "3.5", Hourly: "0"}}}},
		{ask.Text{Form: "classes", Text: `{"on_demand":"0.4","classes":[]}`}, map[string]any{"on_demand": "0.4", "classes": []classQuestion{}}},
		{ask.Text{Form: "classes", Text: `{"on_demand":"0.4","classes":3}`}, "classes: the pasted text: line 1 (classes): malformed text: a number: want an array of classes"},
		{ask.Text{Form: "demand", Text: "1000000"}, map[string]any{"demand": ask.Ints{1_000_000}}},
		{ask.Text{Form: "demand", Name: "d.csv", Text: "1 1000001"}, "demand: d.csv: slot 2: 1000001: the page takes at most 1,000,000 instances; examples/tools/plan takes more"},
		{ask.Text{Form: "made-up"}, map[string]any{"demand": ask.Ints(demandfile.MadeUp())}},
	} {
		got, err := read(&c.q)
		if text, ok := c.want.(string); ok {
			if err == nil || err.Error() != text || got != nil {
				t.Errorf("%+v: %v, %v, want %q", c.q, got, err, text)
			}
		} else if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%+v: %v (-want +got)\n%s", c.q, err, diff)
		}
	}
}
