//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/slurm/internal/journal"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/provider"
)

// cloud is the command line of a cloud whose instances are processes of this machine,
// and which fails, hangs or lies in a third of its calls. It returns the exit status.
func cloud(command string) int {
	ctx := context.Background()
	dir := os.Getenv("CLOUD_DIR")
	local := &provider.Local{Dir: filepath.Join(dir, "instances"), Boot: 100 * time.Millisecond,
		Command: func(node string) []string {
			return []string{os.Getenv("CLOUD_SLURMD"), "-D", "-N", node, "-f", os.Getenv("SLURM_CONF")}
		}}
	kind := ""
	if rand.IntN(3) == 0 {
		kind = [...]string{"refuses", "fails before", "fails after", "hangs", "lies"}[rand.IntN(5)]
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
	var err error
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

// With a cloud that fails, hangs or lies in a third of its calls jobs wait, and then all
// run, once; nothing stays rented; the bill is the cloud's; and the journal tells the
// reasons.
func TestFaultyCloud(t *testing.T) {
	t.Parallel()
	const hour = 2 * time.Second
	s := newStage(t, 4, hour, 100*time.Millisecond)
	self := os.Args[0]
	i := slices.Index(s.args, "-provider")
	s.args = slices.Delete(s.args, i, i+6) // with -instances and -delay
	s.args = append(s.args, "-provider", "exec", "-timeout", "500ms", "-period", "0")
	slurmd := s.Slurmd("n1")[0]
	env := "CLOUD_DIR=" + s.Dir + " CLOUD_SLURMD=" + slurmd + " "
	s.args = append(s.args, "-create", env+self+" cloud create", "-delete", env+self+" cloud delete", "-list", env+self+" cloud list")
	jobs := map[int64]bool{}
	cmd := s.start()
	for i := range 10 {
		id, err := s.Submit(s.ctx, 1+i%3, fmt.Sprintf("echo $SLURM_JOB_ID >>%s/ran; sleep 0.3; echo $SLURM_JOB_ID >>%s/ended", s.Dir, s.Dir), "--comment=estimate=15m")
		if err != nil {
			t.Fatal(err)
		}
		jobs[id] = true
		time.Sleep(500 * time.Millisecond)
	}
	for !s.settled() {
		select {
		case <-s.ctx.Done():
			cmd.Process.Kill()
			cmd.Wait()
			t.Fatal("it does not come to an end")
		case <-time.After(50 * time.Millisecond):
		}
	}
	// It has to hear that the last instances have ended.
	entries := 0
	for quiet := 0; quiet < 30; quiet++ {
		time.Sleep(100 * time.Millisecond)
		if n := len(s.entries()); n != entries {
			entries, quiet = n, 0
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s.checkJobs(jobs)
	s.checkBill(hour)
	faults, err := os.ReadFile(filepath.Join(s.Dir, "faults"))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, e := range s.entries() {
		if e.Kind == manager.Failed || e.Kind == manager.Refused || e.Kind == manager.Stray {
			if told++; e.Reason == "" {
				t.Errorf("without a reason: %+v", e)
			}
		}
	}
	n := strings.Count(string(faults), "\n")
	failed := n - strings.Count(string(faults), "lies")
	if n < 5 || told < failed-1 { // one may have been cut short in the end
		t.Errorf("%d faults, %d of which are failures; %d told of", n, failed, told)
	}
	t.Logf("%d faults, %d entries about them", n, told)
}

// entries returns the journal's entries as they are now.
func (s *stage) entries() []manager.Entry {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "journal"))
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
