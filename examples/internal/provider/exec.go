//go:build unix

package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/plain"
)

// Exec is a provider of a user's own commands, such as a cloud's command line in a
// script. Each is run by /bin/sh -c.
//
//	CreateCommand  rents an instance with the PLIMSOLL_TOKEN and for the PLIMSOLL_NODE
//	               of its environment, and writes it to its standard output
//	DeleteCommand  ends the instance PLIMSOLL_ID, and writes it; it has the others, too,
//	               if the list has the instance
//	ListCommand    writes all that are rented, and those that have ended if it knows
//	BuyCommand     buys PLIMSOLL_COUNT reservations of PLIMSOLL_CLASS, a name of the
//	               list of prices, for PLIMSOLL_HOURS from now on; what it writes is
//	               what the cloud calls them. It may be "", and then Buy is not called
//
// An instance is a JSON object on a line of its own, with the names of [Instance]: id,
// token, node, created and, where it has ended, ended, as RFC 3339 has times. A command
// exits with 0, or with 3 if the instance is refused and has not been created, such as
// for want of capacity; what it writes to standard error is the reason. All else is a
// failure that leaves open what has happened. An instance that the cloud has forgotten
// has ended: DeleteCommand then writes its id and when it ended, such as now. Without
// ended it says that the instance still ends, and is asked again.
//
// A command may leave processes behind. They hold it up for a second if they keep its
// output open, which what they write later is not part of.
//
// The commands need not know whether they were called before: CreateCommand is called
// if ListCommand has no instance with the token, and DeleteCommand if it does not say
// that the instance has ended. A cloud whose lists lag behind has client tokens for
// that, which are to be used in CreateCommand. Where it has none, and a creation is not
// answered, there may be two instances with one token; the manager ends one of them
// when a list has both. BuyCommand is called again, with the same PLIMSOLL_TOKEN, until it
// has exited with 0: it is to look what was bought with that token before it buys.
type Exec struct {
	CreateCommand, DeleteCommand, ListCommand, BuyCommand string

	// Timeout ends a command with all that it has started, 0 is a minute.
	Timeout time.Duration
	// Environment is added to what a command inherits.
	Environment []string
}

// refusedStatus is the exit status of a command that refuses.
const refusedStatus = 3

// Create rents an instance.
func (e *Exec) Create(ctx context.Context, token, node string) (Instance, error) {
	if err := checkToken(token); err != nil {
		return Instance{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	match := func(in *Instance) bool { return in.Token == token }
	in, err := e.do(ctx, e.CreateCommand, Instance{}, match, func(*Instance) bool { return true },
		"PLIMSOLL_TOKEN="+token, "PLIMSOLL_NODE="+node)
	if err == nil && in.Node != node {
		err = fmt.Errorf("the instance %s is for node %q, and %q was asked for", in.ID, in.Node, node)
	}
	return in, err
}

// Delete ends an instance.
func (e *Exec) Delete(ctx context.Context, id string) (Instance, error) {
	match := func(in *Instance) bool { return in.ID == id }
	return e.do(ctx, e.DeleteCommand, Instance{ID: id}, match, func(in *Instance) bool { return !in.Live() }, "PLIMSOLL_ID="+id)
}

// List returns what the list command writes.
func (e *Exec) List(ctx context.Context) ([]Instance, error) {
	text, err := e.run(ctx, e.ListCommand)
	if err != nil {
		return nil, err
	}
	list, err := Decode(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.ListCommand, err)
	}
	return list, err
}

// Buy runs the buy command.
func (e *Exec) Buy(ctx context.Context, r Reservation) (string, error) {
	text, err := e.run(ctx, e.BuyCommand, "PLIMSOLL_TOKEN="+r.Token, "PLIMSOLL_CLASS="+r.Class, "PLIMSOLL_COUNT="+strconv.Itoa(r.Count),
		"PLIMSOLL_HOURS="+strconv.FormatFloat(r.Term.Hours(), 'f', -1, 64))
	return plain.Cut(text, said), err
}

// do runs a command unless the list has what it is to achieve. Of the instance it is
// known what the list has, or else what the caller knows.
func (e *Exec) do(ctx context.Context, command string, known Instance, match, achieved func(*Instance) bool, environment ...string) (Instance, error) {
	list, err := e.List(ctx)
	if err != nil {
		// What refuses to list has not refused to do it.
		return Instance{}, fmt.Errorf("%s: %s", e.ListCommand, err)
	}
	for i := range list {
		if !match(&list[i]) {
			continue
		}
		if achieved(&list[i]) {
			return list[i], nil
		}
		known = list[i]
		environment = append(environment, "PLIMSOLL_TOKEN="+known.Token, "PLIMSOLL_NODE="+known.Node)
	}
	text, err := e.run(ctx, command, environment...)
	if err != nil {
		return Instance{}, err
	}
	if list, err = decode(text, known); err != nil {
		return Instance{}, fmt.Errorf("%s: %w", command, err)
	}
	for i := range list {
		if match(&list[i]) {
			return list[i], nil
		}
	}
	return Instance{}, fmt.Errorf("%s: it has not written the instance", command)
}

// most is how much of a command's output is read: a hundred thousand instances.
const most = 16 << 20

var errOutput = fmt.Errorf("more than %d bytes of output", most)

// said is how much is kept of what a command says, in characters.
const said = 400

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	const keep = 4 * said // a character has four bytes at most
	t.text = append(t.text, p[max(0, len(p)-keep):]...)
	if extra := len(t.text) - keep; extra > keep {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// limited is a buffer that an endless output does not fill memory with.
type limited struct {
	text []byte
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if len(l.text)+len(p) > most {
		l.full = true
		return 0, errOutput
	}
	l.text = append(l.text, p...)
	return len(p), nil
}

// run runs a command and returns what it writes.
func (e *Exec) run(ctx context.Context, command string, environment ...string) ([]byte, error) {
	limit := e.Timeout
	if limit == 0 {
		limit = time.Minute
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Env = append(append(os.Environ(), e.Environment...), environment...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out limited
	var msg tail
	cmd.Stdout, cmd.Stderr = &out, &msg
	err := cmd.Run()
	reason := plain.Cut(msg.text, said)
	var exit *exec.ExitError
	switch {
	case out.full:
		return nil, fmt.Errorf("%s: %w", command, errOutput)
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // which is said of success only
		return out.text, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: it was ended after %v: %w: %s", command, time.Since(begin).Round(time.Millisecond), ctx.Err(), reason)
	case errors.As(err, &exit) && exit.ExitCode() == refusedStatus:
		return nil, fmt.Errorf("%w: %s", ErrRefused, reason)
	}
	return nil, fmt.Errorf("%s: %w: %s", command, err, reason)
}

// Decode reads instances, a JSON object each.
func Decode(text []byte) ([]Instance, error) { return decode(text, Instance{}) }

// decode reads instances. What is not said of one with the known ID is as it was known;
// if nobody knows when that was created it has ended as soon.
func decode(text []byte, known Instance) ([]Instance, error) {
	var list []Instance
	d := json.NewDecoder(bytes.NewReader(text))
	for d.More() {
		var in Instance
		if err := d.Decode(&in); err != nil {
			return nil, fmt.Errorf("instance %d of its output: %w", len(list), err)
		}
		if in.ID == known.ID && in.ID != "" {
			in.Token, in.Node = cmp.Or(in.Token, known.Token), cmp.Or(in.Node, known.Node)
			for _, t := range [...]time.Time{known.Created, in.Ended} {
				if in.Created.IsZero() {
					in.Created = t
				}
			}
		}
		switch {
		case in.ID == "":
			return nil, fmt.Errorf("instance %d of its output has no id", len(list))
		case in.Created.IsZero():
			return nil, fmt.Errorf("instance %s of its output has no time of creation", in.ID)
		case !in.Live() && in.Ended.Before(in.Created):
			return nil, fmt.Errorf("instance %s of its output ended before it was created", in.ID)
		}
		list = append(list, in)
	}
	return list, nil
}
