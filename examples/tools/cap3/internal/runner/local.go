//go:build unix

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
)

// Local are jobs on instances that are processes of this machine, see [provider.Local].
// The first instance of a cluster runs the task's command, by /bin/sh -c. The command
// finds in PLIMSOLL_CHECKPOINT a folder of its task, which outlives the instances. There it
// saves what it likes, and writes the seconds of work that are saved to the file "saved",
// whole (a new file that is renamed). An hour of the clock is a shorter time here, so these
// are seconds of the machine.
type Local struct {
	Dir   string // of the instances and of the tasks
	Clock *clock.Clock
	Boot  time.Duration // on the clock
}

// agent is what an instance runs: its arguments are the folder and the instance's name.
const agent = `
dir=$1 me=$2
echo >"$dir/$me.booted"
while [ ! -e "$dir/$me.job" ]; do sleep 0.02; done
/bin/sh "$dir/$me.job" >"$dir/$me.out" 2>&1
echo $? >"$dir/$me.exit.new"
mv "$dir/$me.exit.new" "$dir/$me.exit"
while :; do sleep 3600; done
`

// Provider returns the provider of the instances.
func (l *Local) Provider() *provider.Local {
	return &provider.Local{Dir: l.Dir, Boot: l.Clock.Unscaled(l.Boot), Command: func(name string) []string {
		return []string{"/bin/sh", "-c", agent, "sh", l.Dir, name}
	}}
}

// folder is that of a task.
func (l *Local) folder(x *Cluster) string {
	return filepath.Join(l.Dir, "task-"+strconv.FormatInt(x.Task.ID, 10))
}

// State reads the files of a cluster and of its task.
func (l *Local) State(x *Cluster) (s State, err error) {
	text, err := os.ReadFile(filepath.Join(l.folder(x), "saved"))
	if err == nil {
		v, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil || !(v >= 0 && v < 1e9) {
			return s, fmt.Errorf("%s: %q: want seconds of work", filepath.Join(l.folder(x), "saved"), text)
		}
		s.Saved = l.Clock.Scaled(time.Duration(v * float64(time.Second)))
	} else if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if len(x.Names) == 0 {
		return s, nil
	}
	s.Ready = true
	for _, name := range x.Names {
		s.Ready = s.Ready && l.has(name, "booted")
	}
	s.Began = l.has(x.Names[0], "job")
	text, err = os.ReadFile(filepath.Join(l.Dir, x.Names[0]+".exit"))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	s.Done = err == nil
	if status := strings.TrimSpace(string(text)); s.Done && status != "0" {
		s.Failed = "exit status " + status
	}
	return s, err
}

func (l *Local) has(name, kind string) bool {
	_, err := os.Stat(filepath.Join(l.Dir, name+"."+kind))
	return err == nil
}

// Submit writes the job of a cluster's first instance.
func (l *Local) Submit(x *Cluster) error {
	if len(x.Names) == 0 {
		return errors.New("the cluster has no instance")
	}
	if l.has(x.Names[0], "job") {
		return nil
	}
	if err := os.MkdirAll(l.folder(x), 0o700); err != nil {
		return err
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	text := fmt.Sprintf("export PLIMSOLL_CHECKPOINT=%s PLIMSOLL_NODES=%s\n%s\n", quote(l.folder(x)), quote(strings.Join(x.Names, " ")), x.Task.Command)
	name := filepath.Join(l.Dir, x.Names[0]+".job")
	if err := os.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Save does nothing: the command saves by itself.
func (l *Local) Save(*Cluster) error { return nil }
