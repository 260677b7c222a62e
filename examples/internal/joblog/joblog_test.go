package joblog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/progress"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

const jobs = `; UnixStartTime: 0
1 0 0 60 4 -1 -1 4 60 -1 1 1 -1 -1 1 -1 -1 -1
2 5 0 60 1 -1 -1 1 60 -1 1 1 -1 -1 1 -1 -1 -1 extra
3 9 0 0 1 -1 -1 1 60 -1 1 1 -1 -1 1 -1 -1 -1
`

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.swf")
	read := func(text string) (*Log, error) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return Read("-trace", path, trace.Options{PerInstance: 2, Alpha: trace.NewAlpha(1)}, progress.New(nil))
	}
	log, err := read(jobs)
	if err != nil {
		t.Fatal(err)
	}
	// Two of three records can be run; the first is of two instances.
	if len(log.Jobs) != 2 || log.Jobs[0].Nodes != 2 || log.Report.Records != 3 || log.Stats.Extra != 1 {
		t.Errorf("%+v", log)
	}
	for text, want := range map[string]string{
		"":                                "there is no job in it",
		"; Version: 2\n":                  "there is no job in it",
		"1 0 0 0 4 -1":                    "none of its 1 records is a job that can be run (",
		"1 0 0 60 four -1":                "line 1",
		jobs + "1 9 0 60 1e99 -1 -1 1 60": "line 5",
	} {
		_, err := read(text)
		if cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake that says %q", text, err, want)
		}
	}
}
