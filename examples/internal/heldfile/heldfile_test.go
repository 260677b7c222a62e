package heldfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/pricing"
)

// Sentences about single fields are tested with examples/plan.
func TestRead(t *testing.T) {
	list := pricing.List{Classes: []pricing.Class{{Name: "a", Term: 2 * time.Hour}, {Name: "b", Term: 9 * time.Hour}}}
	path := filepath.Join(t.TempDir(), "held.json")
	for text, want := range map[string][]pricing.Holding{
		"[]": nil,
		`[{"class": "b", "count": 3, "until": 17}, {"until": "30m", "count": 0, "class": "a"}]`: {{Class: 1, Count: 3, Until: 17}, {Class: 0, Until: 1}},
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Read("-held", path, list, 30*time.Minute)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"":  "is empty",
		"{": "line 1: ",
		`[{"class": "b", "count": 3, "until": 18}]`: "want fewer",
		"[\n{\"class\": \"c\"}]":                    "line 2, field [0].class: the class \"c\" is unknown: there are a, b",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read("-held", path, list, 30*time.Minute)
		if cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), "-held "+path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake that says %q", text, err, want)
		}
	}
	if _, err := Read("-held", path+"x", list, time.Hour); cli.Status(err) != cli.Mistake {
		t.Errorf("no file: %v", err)
	}
}
