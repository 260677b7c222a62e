//go:build unix

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/processes"
)

// Local is a provider whose instances are processes of this machine. An instance is a
// process group. It waits as long as a boot takes, and then runs slurmd, the daemon of a
// node. The instance goes on when the program that created it ends, for any reason. A folder
// has a file for each instance, with all that is known of the instance.
//
// The order of steps keeps the files and the processes consistent. Create writes the file of
// an instance, which is then rented, and starts its process. The process writes its own
// number, and only then looks whether the instance was deleted. Delete writes the deletion,
// and only then looks for the number. So one of the two sees the other, and no process is
// left over, at whichever moment either is killed.
type Local struct {
	// Dir is the folder; it exists, and is nobody else's.
	Dir string
	// Boot is how long an instance takes before its daemon starts.
	Boot time.Duration
	// Command returns the command line of a node's daemon, which stays in the
	// foreground.
	Command func(node string) []string
	// Environment is added to what the daemon inherits.
	Environment []string
	// Quota is the most instances at once, 0 for no limit.
	Quota int
}

// boot is the program of an instance: its arguments are the folder, the token, the
// seconds of the boot, and the command.
const boot = `
dir=$1 token=$2 pause=$3
shift 3
echo $$ >"$dir/$token.pid.$$" && ln "$dir/$token.pid.$$" "$dir/$token.pid" 2>/dev/null
mine=$?
rm -f "$dir/$token.pid.$$"
[ $mine = 0 ] || exit 0 # another process is the instance
sleep "$pause" &
trap 'kill $! 2>/dev/null; exit' TERM
wait $!
trap - TERM
[ -e "$dir/$token.ended" ] && exit
exec "$@"
`

// mark is in the environment of an instance's processes, with the folder and its token.
const mark = "PLIMSOLL_INSTANCE="

// mark returns the mark of an instance.
func (l *Local) mark(token string) string { return mark + filepath.Join(l.Dir, token) }

func (l *Local) path(token, kind string) string { return filepath.Join(l.Dir, token+"."+kind) }

func checkToken(token string) error {
	for _, c := range token {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return fmt.Errorf("the token %q: want letters, digits, - and _", token)
		}
	}
	if token == "" {
		return errors.New("a token that is empty")
	}
	return nil
}

// Create starts an instance.
func (l *Local) Create(ctx context.Context, token, node string) (Instance, error) {
	if err := checkToken(token); err != nil {
		return Instance{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := ctx.Err(); err != nil {
		return Instance{}, err
	}
	in, err := l.read(token)
	if err == nil {
		return in, l.start(in)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Instance{}, err
	}
	if l.Quota > 0 {
		all, err := l.List(ctx)
		if err != nil {
			return Instance{}, err
		}
		live := 0
		for i := range all {
			if all[i].Live() {
				live++
			}
		}
		if live >= l.Quota {
			return Instance{}, fmt.Errorf("%w: the quota of %d instances is used up", ErrRefused, l.Quota)
		}
	}
	in = Instance{ID: token, Token: token, Node: node, Created: time.Now().Round(0)}
	text, err := json.Marshal(in)
	if err != nil {
		return Instance{}, err
	}
	if err := l.write(token, "instance", text); err != nil {
		return Instance{}, err
	}
	return in, l.start(in)
}

// write writes a file that is there whole or not at all.
func (l *Local) write(token, kind string, text []byte) error {
	f, err := os.CreateTemp(l.Dir, "new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(chain.Seal(token+"."+kind, text))
	if err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		// A link fails if the file is there: the first one counts.
		if err = os.Link(f.Name(), l.path(token, kind)); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// open returns the text of a file, which proves itself.
func (l *Local) open(token, kind string) ([]byte, error) {
	data, err := os.ReadFile(l.path(token, kind))
	if err != nil {
		return nil, err
	}
	text, err := chain.Open(token+"."+kind, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.path(token, kind), err)
	}
	return text, nil
}

// read returns an instance.
func (l *Local) read(token string) (Instance, error) {
	text, err := l.open(token, "instance")
	if err != nil {
		return Instance{}, err
	}
	var in Instance
	if err := json.Unmarshal(text, &in); err != nil {
		return Instance{}, fmt.Errorf("%s: %w", l.path(token, "instance"), err)
	}
	text, err = l.open(token, "ended")
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(l.path(token, "over")); err == nil {
			return Instance{}, fmt.Errorf("%s is missing, and %s is there: want both files, or neither", l.path(token, "ended"), l.path(token, "over"))
		}
		return in, nil
	}
	if err == nil {
		err = in.Ended.UnmarshalText(text)
	}
	return in, err
}

// start starts the process of an instance that has none yet. Of two that are started
// one at the same time is the first to write its number down, and the other ends.
func (l *Local) start(in Instance) error {
	if !in.Live() {
		return nil
	}
	if _, err := os.Stat(l.path(in.Token, "pid")); err == nil {
		return nil
	}
	log, err := os.OpenFile(l.path(in.Token, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	left := max(0, l.Boot-time.Since(in.Created))
	args := append([]string{"-c", boot, "sh", l.Dir, in.Token, strconv.FormatFloat(left.Seconds(), 'f', 3, 64)}, l.Command(in.Node)...)
	cmd := exec.Command("/bin/sh", args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(append(os.Environ(), l.Environment...), l.mark(in.Token))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // while this program runs its children need somebody to wait for them
	return nil
}

// Delete ends an instance.
func (l *Local) Delete(ctx context.Context, id string) (Instance, error) {
	in, err := l.read(id)
	if err != nil {
		return Instance{}, err
	}
	if in.Live() {
		text, err := time.Now().Round(0).MarshalText()
		if err != nil {
			return Instance{}, err
		}
		if err := l.write(id, "ended", text); err != nil {
			return Instance{}, err
		}
		if in, err = l.read(id); err != nil {
			return Instance{}, err
		}
	}
	// So that it is seen if the file of its end goes missing: it would run again.
	if err := l.write(id, "over", nil); err != nil {
		return Instance{}, err
	}
	return in, l.kill(ctx, id)
}

// kill ends the processes of an instance: its group, and then the jobs that its daemon
// started, which have groups of their own.
func (l *Local) kill(ctx context.Context, token string) error {
	for n := 0; ; n++ {
		group, err := l.group(token)
		if err != nil {
			return err
		}
		if group == 0 {
			_, err := processes.Kill(func(pid int) bool { return processes.Marked(pid, l.mark(token)) })
			return err
		}
		sig := syscall.SIGTERM
		if n >= 20 {
			sig = syscall.SIGKILL
		}
		if err := syscall.Kill(-group, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond << min(n, 4)):
		}
	}
}

// group returns the process group of an instance that runs, 0 if none does.
func (l *Local) group(token string) (int, error) {
	text, err := os.ReadFile(l.path(token, "pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 1 {
		return 0, fmt.Errorf("%s: %q is no process", l.path(token, "pid"), text)
	}
	// The number may be another's by now; the environment is not.
	if !processes.Marked(pid, l.mark(token)) {
		return 0, nil // ended, or a zombie
	}
	return pid, nil
}

// Running reports whether an instance's process runs.
func (l *Local) Running(token string) (bool, error) {
	group, err := l.group(token)
	return group != 0, err
}

// List returns all instances that there have been. What runs although it has ended,
// since whoever deleted it was killed halfway, is ended now.
func (l *Local) List(ctx context.Context) ([]Instance, error) {
	files, err := os.ReadDir(l.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	all := make([]Instance, 0, len(files))
	for _, f := range files {
		token, kind, _ := strings.Cut(f.Name(), ".")
		if kind != "instance" {
			if err := l.orphan(token, kind); err != nil {
				return nil, err
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, err := l.read(token)
		if err == nil && !in.Live() {
			err = l.kill(ctx, token)
		}
		if err == nil && in.Live() {
			err = l.start(in) // whoever created it was killed halfway
		}
		if err != nil {
			return nil, err
		}
		all = append(all, in)
	}
	return all, nil
}

// orphan returns an error if a file is of an instance whose own file is missing.
func (l *Local) orphan(token, kind string) error {
	if _, err := os.Lstat(l.path(token, "instance")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	missing := kind == "ended" || kind == "over"
	if kind == "pid" { // it may be a file of something else
		group, err := l.group(token)
		missing = err == nil && group != 0
	}
	if missing {
		return fmt.Errorf("%s is missing, and %s is there: want all files of an instance", l.path(token, "instance"), l.path(token, kind))
	}
	return nil
}
