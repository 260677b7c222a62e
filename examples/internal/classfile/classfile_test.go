package classfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const list = `{"on_demand": 2, "note": {"classes": 1}, "classes": [
  {"name": "a", "term": "4h", "upfront": 5, "hourly": 0, "billed": "always"},
  {"name": "b",
   "term": "90m", "upfront": 5, "hourly": 0, "billed": "when-used"}]}
`

// More mistakes are tested with examples/plan.
func TestFile(t *testing.T) {
	plain := `{"on_demand": 2, ` + list[len(`{"on_demand": 2, "note": {"classes": 1}, `):]
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte(plain), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Read("-classes", path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.List.Classes) != 2 || f.List.Classes[1].Term != 90*time.Minute {
		t.Errorf("%+v", f.List)
	}
	for _, c := range []struct {
		slot time.Duration
		want string
	}{
		{30 * time.Minute, ""},
		{time.Hour, `line 4 (classes[1].term): the term of "b", 1h30m, is not a whole number of slots of 1h`},
		{2 * time.Hour, `line 4 (classes[1].term): the term of "b", 1h30m, is shorter than a slot of 2h`},
		{3 * time.Hour, `line 2 (classes[0].term): the term of "a", 4h, is not a whole number of slots of 3h`},
	} {
		got, want := "", c.want
		if want != "" {
			want = "-classes " + path + ": " + want
		}
		err := f.Fits(c.slot)
		if err != nil {
			got = err.Error()
		}
		if got != want || (err != nil) != (cli.Status(err) == cli.Mistake) {
			t.Errorf("slots of %v: %q, want %q", c.slot, got, want)
		}
	}
	for _, text := range []string{"", " \n", "[]", list, plain[:60]} {
		if _, err := Parse("the list", []byte(text)); cli.Status(err) != cli.Mistake || fmt.Sprint(err)[:10] != "the list: " {
			t.Errorf("%q: %v, want a mistake that names the list", text, err)
		}
	}
	if _, err := Read("-classes", path+"x"); cli.Status(err) != cli.Mistake {
		t.Errorf("no file: %v", err)
	}
}
