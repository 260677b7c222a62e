package joblog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
		return Read("-trace", path, trace.Options{PerInstance: 2}, progress.New(nil))
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

// The jobs' time 0 is the header's, or the first submission where those are
// calendar times: 1388534400 is the first second of 2014.
func TestStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.swf")
	for text, want := range map[string]time.Time{
		"1 5 0 60 1\n": {},
		"; UnixStartTime: 1388534400\n1 5 0 60 1\n": time.Date(2014, 1, 1, 0, 0, 0, 0, time.UTC),
		"1 1388534405 0 60 1\n":                     time.Date(2014, 1, 1, 0, 0, 5, 0, time.UTC),
		"; UnixStartTime: 0\n1 1388534405 0 60 1\n": time.Date(2014, 1, 1, 0, 0, 5, 0, time.UTC),
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		log, err := Read("-trace", path, trace.Options{PerInstance: 1}, progress.New(nil))
		if err != nil {
			t.Fatal(err)
		}
		if !log.Start.Equal(want) {
			t.Errorf("%q: the start is %v, want %v", text, log.Start, want)
		}
	}
}

// Accounting is told from a log by its content; jobs that have not ended are left out
// and counted.
func TestAccounting(t *testing.T) {
	const text = `JobIDRaw|User|State|Submit|Start|End|Timelimit|NNodes|AllocCPUS
7|ann|COMPLETED|2014-01-01T00:00:05|2014-01-01T00:00:06|2014-01-01T00:01:06|00:02:00|1|4
8|bob|RUNNING|2014-01-01T00:00:07|2014-01-01T00:00:08|Unknown|00:02:00|1|4
`
	path := filepath.Join(t.TempDir(), "sacct.txt")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	log, err := Read("-trace", path, trace.Options{PerInstance: 2}, progress.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := trace.Job{ID: 7, Run: time.Minute, Estimate: 2 * time.Minute, Nodes: 2, User: 1, Queue: -1, Wait: time.Second}
	if len(log.Jobs) != 1 || log.Jobs[0] != want || log.Report.NoRun != 1 || !log.Start.Equal(time.Date(2014, 1, 1, 0, 0, 5, 0, time.UTC)) {
		t.Errorf("%+v, want the job %+v", log, want)
	}
	if err := os.WriteFile(path, []byte("JobID|User\n1|ann\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read("-trace", path, trace.Options{}, progress.New(nil)); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), "Submit") {
		t.Errorf("%v, want a mistake that names the column", err)
	}
}

// Each job keeps its own wait and request, in whatever order they come: two jobs of
// one number change places, job 3 cannot be run, and the estimate of the one that
// outran its request is raised.
func TestRequested(t *testing.T) {
	const text = `4 20 7 60 1 -1 -1 1 30
3 9 1 0 1 -1 -1 1 60
4 10 8 60 1 -1 -1 1 90
5 30 9 60 1
`
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	log, err := Read("-trace", path, trace.Options{}, progress.New(nil))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ submit, wait, requested, estimate time.Duration }{{10, 8, 90, 90}, {20, 7, 30, 60}, {30, 9, -1, 60}} {
		j, s := log.Jobs[i], time.Second
		if j.Submit != want.submit*s || j.Wait != want.wait*s || log.Requested[i] != want.requested*s || j.Estimate != want.estimate*s {
			t.Errorf("job %d: %+v, requested %v; want %+v", i, j, log.Requested[i], want)
		}
	}
	if len(log.Jobs) != 3 || len(log.Requested) != 3 {
		t.Errorf("%d jobs, %d requests", len(log.Jobs), len(log.Requested))
	}
}

// Why no record can be run is said with numbers, and each reason once; so is how odd lines
// were read.
func TestAbout(t *testing.T) {
	read := func(text string) (*Log, error) {
		return From("log", strings.NewReader(text), trace.Options{PerInstance: 1})
	}
	_, err := read("1 0 0 0 4\n2 0 0 5 0\n3 0 0 5 0\n")
	if cli.Status(err) != cli.Mistake || err.Error() != "log: none of its 3 records is a job that can be run (run time 0: 1, no processors: 2)" {
		t.Errorf("%v", err)
	}
	log, err := read("1 0.00000000001 0 60 4\n2 5 0 60 1 -1 -1 1 60 -1 1 1 -1 -1 1 -1 -1 -1 extra\n3 9 0 60 1\n")
	if err != nil {
		t.Fatal(err)
	}
	about := log.About("log")
	for _, want := range []string{"log: 3 records, 3 jobs", "read: lines of fewer than 18 fields, the rest taken as unknown: 2\n",
		"read: lines of more than 18 fields, the rest not read: 1\n", "read: lines with times finer than a nanosecond, rounded: 1"} {
		if !strings.Contains(about, want) {
			t.Errorf("want %q: %s", want, about)
		}
	}
	var b strings.Builder
	run := cli.Quiet()
	run.Stderr = &b
	log.Note(run, "log")
	if !strings.Contains(b.String(), about) {
		t.Errorf("the note is %q, want %q", b.String(), about)
	}
	if log, err = read(strings.Replace(jobs, " extra", "", 1)); err != nil || strings.Contains(log.About("log"), "read:") {
		t.Errorf("of a regular log: %s, %v", log.About("log"), err)
	}
	if _, err := Read("-trace", filepath.Join(t.TempDir(), "none"), trace.Options{}, progress.New(nil)); cli.Status(err) != cli.Mistake || !strings.Contains(err.Error(), "cannot read -trace") {
		t.Errorf("%v", err)
	}
	// From this second on times count from 1970.
	from := int64(trace.AbsoluteFrom / time.Second)
	log, err = read(fmt.Sprintf("1 %d 0 60 1\n", from))
	if err != nil || !log.Start.Equal(time.Unix(from, 0)) {
		t.Errorf("the start is %v, %v", log.Start, err)
	}
}
