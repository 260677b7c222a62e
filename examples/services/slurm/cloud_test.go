//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
)

// cloud is the command line of a cloud whose instances are processes of this machine,
// and which fails, hangs or lies in a third of its calls. It returns the exit status.
func cloud(command string) int {
	ctx := context.Background()
	dir := os.Getenv("CLOUD_DIR")
	local := &provider.Local{Dir: filepath.Join(dir, "instances"), Boot: bootOf(os.Getenv("CLOUD_BOOT")),
		Command: func(node string) []string {
			return []string{os.Getenv("CLOUD_SLURMD"), "-D", "-N", node, "-f", os.Getenv("SLURM_CONF")}
		}}
	n, err := count(filepath.Join(dir, "calls-"+command))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	kind := ""
	if _, err := os.Stat(filepath.Join(dir, "calm")); err != nil && n%3 == 0 {
		kind = faults[command][n/3%len(faults[command])]
		if f, err := os.OpenFile(filepath.Join(dir, "faults"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err == nil {
			fmt.Fprintf(f, "%s %s\n", command, kind)
			f.Close()
		}
	}
	switch kind {
	case "refuses":
		fmt.Fprintln(os.Stderr, "no capacity today")
		return 3
	case "fails before":
		fmt.Fprintln(os.Stderr, "the connection broke")
		return 1
	case "hangs":
		time.Sleep(time.Minute)
	}
	out := json.NewEncoder(os.Stdout)
	var in provider.Instance
	switch command {
	case "create":
		in, err = local.Create(ctx, os.Getenv("PLIMSOLL_TOKEN"), os.Getenv("PLIMSOLL_NODE"))
	case "delete":
		if kind == "lies" { // it has ended nothing
			in = provider.Instance{ID: os.Getenv("PLIMSOLL_ID"), Created: time.Now(), Ended: time.Now()}
			break
		}
		in, err = local.Delete(ctx, os.Getenv("PLIMSOLL_ID"))
	default:
		var list []provider.Instance
		if list, err = local.List(ctx); err != nil {
			break
		}
		for i, in := range list {
			if kind != "lies" || i%2 == 0 {
				err = errors.Join(err, out.Encode(in))
			}
		}
	}
	if err == nil && in.ID != "" {
		err = out.Encode(in)
	}
	if err == nil && kind == "fails after" {
		err = errors.New("the answer was lost")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// bootOf returns how long an instance of the cloud takes: 100 ms unless it is said.
func bootOf(text string) time.Duration {
	if d, err := time.ParseDuration(text); err == nil {
		return d
	}
	return 100 * time.Millisecond
}

// faults are what becomes of every third call of a command, the first one among them.
var faults = map[string][]string{
	"create": {"fails before", "hangs", "fails after", "refuses"},
	"delete": {"lies", "fails after", "hangs", "refuses", "fails before"},
	"list":   {"lies", "refuses", "fails before", "hangs", "lies", "fails after"},
}

// count returns how often it was called for a file, by whatever process.
func count(file string) (n int, err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return 0, err
	}
	st, err := f.Stat()
	if err != nil {
		return 0, err
	}
	_, err = f.Write([]byte{'.'})
	return int(st.Size()), err
}

// With a cloud that fails, hangs or lies in a third of its calls jobs wait, and then all
// run, once; nothing stays rented; the bill is the cloud's; and the journal tells the
// reasons.
func TestFaultyCloud(t *testing.T) {
	t.Parallel()
	faultyCloud(t)
}

func faultyCloud(t *testing.T) {
	const hour = 2 * time.Second
	s := newStage(t, 4, hour, 100*time.Millisecond)
	self := os.Args[0]
	i := slices.Index(s.args, "-provider")
	s.args = slices.Delete(s.args, i, i+6) // with -instances and -delay
	s.args = append(s.args, "-provider", "exec", "-timeout", "1500ms", "-period", "0")
	slurmd := s.Slurmd("n1")[0]
	env := "CLOUD_DIR=" + s.Dir + " CLOUD_SLURMD=" + slurmd + " "
	s.args = append(s.args, "-create", env+self+" cloud create", "-delete", env+self+" cloud delete", "-list", env+self+" cloud list")
	jobs := map[int64]bool{}
	cmd := s.start()
	for i := range 10 {
		jobs[s.submit(1+i%3, 300*time.Millisecond, hour)] = true
		time.Sleep(300 * time.Millisecond)
	}
	// In the end nothing fails, so that all is told.
	told := func() (n int) {
		for _, e := range s.entries() {
			if e.Kind == manager.Failed || e.Kind == manager.Refused || e.Kind == manager.Stray {
				if n++; e.Reason == "" {
					t.Errorf("without a reason: %+v", e)
				}
			}
		}
		return n
	}
	had := func() (all, failures int) {
		text, err := os.ReadFile(filepath.Join(s.Dir, "faults"))
		if err != nil {
			t.Fatal(err)
		}
		all = strings.Count(string(text), "\n")
		return all, all - strings.Count(string(text), "lies")
	}
	s.finish(cmd, func() bool {
		if err := os.WriteFile(filepath.Join(s.Dir, "calm"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, failures := had()
		return told() >= failures
	})
	s.checkJobs(jobs)
	s.checkBill(hour)
	// Three instances at least are created and ended, after lists.
	all, failures := had()
	if n := told(); all < 5 || n < failures {
		t.Errorf("%d faults, %d of which are failures; %d told of", all, failures, n)
	}
	for command := range faults {
		if _, err := os.Stat(filepath.Join(s.Dir, "calls-"+command)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d faults, %d entries about them", all, told())
}

// entries returns the journal's entries as they are now.
func (s *stage) entries() []manager.Entry {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // elasticd has not begun it as yet
	}
	if err != nil {
		s.t.Fatal(err)
	}
	var all []manager.Entry
	_, err = journal.Replay(text, func(line []byte) error {
		var e manager.Entry
		err := json.Unmarshal(line, &e)
		all = append(all, e)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}
