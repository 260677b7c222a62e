//go:build unix

package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
)

// What a status command may write, and what that says.
func TestParseStatus(t *testing.T) {
	for text, want := range map[string]State{
		"booting\n":      {},
		"none 3600":      {Saved: time.Hour},
		"ready":          {Ready: true},
		" running 0.5\n": {Ready: true, Began: true, Saved: 500 * time.Millisecond},
		"done 90":        {Ready: true, Began: true, Done: true, Saved: 90 * time.Second},
		"failed":         {Ready: true, Began: true, Done: true, Failed: "the status command says so"},
		"running 0":      {Ready: true, Began: true},
	} {
		if got, err := ParseStatus(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "has written nothing", " \n": "has written nothing", "soon": `has written "soon": want booting`, "running x": `has written "x": want seconds`,
		"running -1": "want seconds", "done NaN": "want seconds", "done 1e9": "want seconds",
	} {
		if _, err := ParseStatus(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The commands find the task in their environment, and run in their order: the move first, and
// neither where the task has begun. One that fails or takes too long is told.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	say := func(what string) string {
		return fmt.Sprintf(`echo %s "$PLIMSOLL_TASK" "$PLIMSOLL_COMMAND" "$PLIMSOLL_CLUSTER" "$PLIMSOLL_INSTANCES" "$PLIMSOLL_NODES" >>%s`, what, log)
	}
	x := &Cluster{Task: &Task{Name: "lu", Command: "run it"}, Token: "t-1", IDs: []string{"i1", "i2"}, Names: []string{"n1", "n2"}}
	read := func() string {
		text, _ := os.ReadFile(log)
		os.Remove(log)
		return string(text)
	}
	c := &Commands{StatusCommand: "echo ready", MoveCommand: say("move"), SubmitCommand: say("submit"), SaveCommand: say("save")}
	const env = " lu run it t-1 i1 i2 n1 n2\n"
	if err := c.Submit(x); err != nil || read() != "move"+env+"submit"+env {
		t.Errorf("submit: %v", err)
	}
	if err := c.Save(x); err != nil || read() != "save"+env {
		t.Errorf("save: %v", err)
	}
	c.MoveCommand = ""
	if err := c.Submit(x); err != nil || read() != "submit"+env {
		t.Errorf("submit without a move: %v", err)
	}
	c.StatusCommand = "echo running 60"
	if err := c.Submit(x); err != nil || read() != "" {
		t.Errorf("a task that runs is started again: %v", err)
	}
	if s, err := c.State(x); err != nil || s != (State{Ready: true, Began: true, Saved: time.Minute}) {
		t.Errorf("%+v, %v", s, err)
	}
	c.SaveCommand = ""
	if err := c.Save(x); err != nil {
		t.Error(err)
	}
	c.StatusCommand, c.SubmitCommand = "echo ready", "echo no room >&2; exit 3"
	if err := c.Submit(x); err == nil || !strings.HasSuffix(err.Error(), "exit status 3: no room") {
		t.Errorf("a command that fails: %v", err)
	}
	c.MoveCommand, c.SubmitCommand = "exit 4", say("submit")
	if err := c.Submit(x); err == nil || read() != "" {
		t.Errorf("submitted though the move has failed: %v", err)
	}
	c.StatusCommand = "exit 5"
	if err := c.Submit(x); err == nil || !strings.Contains(err.Error(), "exit status 5") || read() != "" {
		t.Errorf("submitted though nobody knows the status: %v", err)
	}
	c.StatusCommand, c.Timeout = "sleep 300", 20*time.Millisecond
	if _, err := c.State(x); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a command without end: %v", err)
	}
}

// The files of a local cluster and of its task say how far it is. By hand, an hour is 36 s
// here: a second of work that is saved is 100 s of the clock.
func TestLocalState(t *testing.T) {
	l := &Local{Dir: t.TempDir(), Clock: clock.New(time.Now(), 36*time.Second)}
	x := &Cluster{Task: &Task{Name: "lu", Command: "echo 'it''s done'"}, Names: []string{"n1", "n2"}}
	x.Task.ID = 7
	none := &Cluster{Task: x.Task}
	want := func(x *Cluster, s State) {
		t.Helper()
		if got, err := l.State(x); err != nil || got != s {
			t.Errorf("%+v, %v, want %+v", got, err, s)
		}
	}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want(x, State{})
	want(none, State{})
	put("n1.booted", "")
	want(x, State{})
	put("n2.booted", "")
	want(x, State{Ready: true})
	if err := l.Submit(x); err != nil {
		t.Fatal(err)
	}
	want(x, State{Ready: true, Began: true})
	text, err := os.ReadFile(filepath.Join(l.Dir, "n1.job"))
	if err != nil || string(text) != "export PLIMSOLL_CHECKPOINT='"+filepath.Join(l.Dir, "task-7")+"' PLIMSOLL_NODES='n1 n2'\n"+x.Task.Command+"\n" {
		t.Errorf("the job is %q, %v", text, err)
	}
	put("n1.job", "another")
	if err := l.Submit(x); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(filepath.Join(l.Dir, "n1.job")); string(text) != "another" {
		t.Errorf("a job is written twice: %q", text)
	}
	if err := l.Submit(none); err == nil {
		t.Error("a job without an instance")
	}
	put("task-7/saved", "2.5\n")
	want(x, State{Ready: true, Began: true, Saved: 250 * time.Second})
	want(none, State{Saved: 250 * time.Second})
	put("n1.exit", "0\n")
	want(x, State{Ready: true, Began: true, Done: true, Saved: 250 * time.Second})
	put("n1.exit", "3\n")
	want(x, State{Ready: true, Began: true, Done: true, Failed: "exit status 3", Saved: 250 * time.Second})
	for _, text := range []string{"x", "-1", "1e9", "NaN"} {
		put("task-7/saved", text)
		if _, err := l.State(x); err == nil || !strings.Contains(err.Error(), "want seconds of work") {
			t.Errorf("%q saved: %v", text, err)
		}
	}
	os.Remove(filepath.Join(l.Dir, "task-7/saved"))
	os.Mkdir(filepath.Join(l.Dir, "task-7/saved"), 0o700)
	if _, err := l.State(x); err == nil {
		t.Error("a folder in the place of the file")
	}
}
