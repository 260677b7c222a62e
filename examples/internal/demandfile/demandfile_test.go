package demandfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// Sentences about single lines are tested with examples/plan.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.csv")
	for text, want := range map[string][]int{
		"n\n0\n7\n":                  {0, 7},
		"\xef\xbb\xbfn\r\n1\r\n2":    {1, 2},
		"instances\n 3 \n\n\n":       {3},
		"n\n2147483647\n":            {2147483647},
		"":                           nil,
		"n\n":                        nil,
		"1\n2\n":                     nil,
		"n\n-1\n":                    nil,
		"n\n2147483648\n":            nil,
		"n\n" + "1" + "\n\n" + "2\n": nil,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Read("-demand", path)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if want == nil && (cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), "-demand "+path+": ")) {
			t.Errorf("%q: %v, want a mistake that names the flag and the file", text, err)
		}
	}
	if _, err := Read("-demand", path+"x"); cli.Status(err) != cli.Mistake {
		t.Errorf("no file: %v", err)
	}
}
