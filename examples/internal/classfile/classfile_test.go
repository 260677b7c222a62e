package classfile

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

const list = `{"on_demand": 2, "classes": [
  {"name": "a", "term": "4h", "upfront": 5, "hourly": 0, "billed": "always"},
  {"name": "b", "term": "90m", "upfront": 5, "hourly": 1, "billed": "when-used"},
  {"name": "c", "term": "6h", "upfront": 5, "hourly": 1, "billed": "always"}]}
`

func TestFile(t *testing.T) {
	path := programtest.Write(t, "c.json", list)
	f, err := Read("-classes", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, Names(f.List)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2, 1}, ByUsePrice(f.List)); diff != "" { // b's use costs 1
		t.Errorf("by use price (-want +got):\n%s", diff)
	}
	for slot, want := range map[time.Duration]string{
		30 * time.Minute: "",
		time.Hour:        `classes[1].term: the term of "b" is 1h30m: want a whole number of slots of 1h`,
		3 * time.Hour:    `classes[0].term: the term of "a" is 4h: want a whole number of slots of 3h`,
	} {
		err := f.Fits(slot)
		if want == "" && err != nil || want != "" && (cli.Status(err) != cli.Mistake || err.Error() != "-classes "+path+": "+want) {
			t.Errorf("slots of %v: %v, want %q", slot, err, want)
		}
	}
	for _, text := range []string{"", " \n", "[]", list + "x", list[:60]} {
		path := programtest.Write(t, "c.json", text)
		if _, err := Read("-classes", path, nil); cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), "-classes "+path+": line ") {
			t.Errorf("%q: %v, want a mistake that names the file and the line", text, err)
		}
	}
	if f, err := Read("-classes", "", []byte(list)); err != nil || len(f.List.Classes) != 3 {
		t.Errorf("own list: %v", err)
	}
	if _, err := Read("-classes", path+"x", nil); cli.Status(err) != cli.Mistake {
		t.Errorf("no file: %v", err)
	}
}
