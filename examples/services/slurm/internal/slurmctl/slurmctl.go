// Package slurmctl reads a Slurm cluster's queue and nodes, and changes the state of
// nodes, with Slurm's own commands.
//
// The queue and the nodes are read with squeue --json and sinfo --json, which Slurm has
// from 21.08 on, and not through slurmrestd. The commands need no daemon beside those that
// every cluster has, and no token. They take ten milliseconds. Commands and slurmrestd give
// the same structures, in which numbers became objects and states became lists from one
// version to the next. Both forms are read.
package slurmctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/plain"
	"github.com/plimsoll/plimsoll/examples/internal/processes"
)

// ErrAbsent: Slurm's commands are not on this machine.
var ErrAbsent = errors.New("no Slurm on this machine")

// ErrVersion: the version of Slurm is too old.
var ErrVersion = errors.New("this version of Slurm is too old")

// ErrUnknownNode: Slurm does not know a node.
var ErrUnknownNode = errors.New("not a node that Slurm knows")

// ErrConf: Slurm is installed, and has no slurm.conf, or one that it cannot read.
var ErrConf = errors.New("no usable slurm.conf")

// How to get Slurm, for messages.
const how = "install slurm-wlm and munge (on Debian and Ubuntu: apt-get install slurm-wlm munge), or put Slurm's bin and sbin folders into PATH"

// Find returns the path of a command, also where PATH lacks the system's folders. The
// error says how to get it, and unwraps to ErrAbsent.
func Find(command string) (string, error) {
	if path, err := exec.LookPath(command); err == nil {
		return path, nil
	}
	for _, dir := range [...]string{"/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/slurm/sbin", "/opt/slurm/bin"} {
		path := filepath.Join(dir, command)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: there is no command %s: %s", ErrAbsent, command, how)
}

// oldest is the first version whose commands write JSON: the year, and the month.
const oldest = "21.08"

var versionText = regexp.MustCompile(`\b(\d\d\.\d\d)\b`)

// CheckVersion reads what Slurm's commands write with --version. The error unwraps to ErrVersion if the
// version has no JSON.
func CheckVersion(text string) error {
	m := versionText.FindString(text)
	switch {
	case m == "":
		return fmt.Errorf("%q has no version of Slurm in it", text)
	case m < oldest:
		return fmt.Errorf("%w: %s; squeue --json needs %s or later", ErrVersion, m, oldest)
	}
	return nil
}

// A Client runs Slurm's commands. Its methods may be called by several goroutines.
type Client struct {
	Conf    string        // slurm.conf, "" for what the commands find
	Timeout time.Duration // of one command, 0 for 10 s

	squeue, sinfo, scontrol string
}

// New finds the commands and checks their version.
func New(ctx context.Context, conf string) (*Client, error) {
	c := &Client{Conf: conf}
	for _, f := range []struct {
		path *string
		name string
	}{{&c.squeue, "squeue"}, {&c.sinfo, "sinfo"}, {&c.scontrol, "scontrol"}} {
		var err error
		if *f.path, err = Find(f.name); err != nil {
			return nil, err
		}
	}
	text, err := c.run(ctx, c.sinfo, "--version")
	if err != nil {
		return nil, err
	}
	return c, CheckVersion(string(text))
}

// run runs a command and returns its output. What it says on standard error is in the
// error.
func (c *Client) run(ctx context.Context, path string, args ...string) ([]byte, error) {
	return c.feed(ctx, "", path, args...)
}

// feed runs a command that reads a text.
func (c *Client) feed(ctx context.Context, text, path string, args ...string) ([]byte, error) {
	limit := c.Timeout
	if limit == 0 {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	// What a killed program last asked for must not come after what its successor asks for.
	processes.EndWithParent(cmd)
	cmd.Stdin = strings.NewReader(text)
	// The same on every machine; times are read as seconds since 1970.
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	if c.Conf != "" {
		cmd.Env = append(cmd.Env, "SLURM_CONF="+c.Conf)
	}
	var out, msg bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &msg
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		said := plain.Cut(msg.Bytes(), 400)
		if said == "" {
			return nil, fmt.Errorf("%s %s: %w", filepath.Base(path), strings.Join(args, " "), err)
		}
		if strings.Contains(said, "Invalid node name") {
			err = ErrUnknownNode
		}
		if strings.Contains(said, "configuration source") || strings.Contains(said, "configuration file") {
			err = ErrConf
		}
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(path), strings.Join(args, " "), err, said)
	}
	return out.Bytes(), nil
}

// Jobs returns the jobs that wait or run, and those that ended not long ago (MinJobAge
// of slurm.conf), by their numbers.
func (c *Client) Jobs(ctx context.Context) ([]Job, error) {
	text, err := c.run(ctx, c.squeue, "--json")
	if err != nil {
		return nil, err
	}
	return DecodeJobs(text)
}

// Nodes returns the nodes of the cluster, in Slurm's order.
func (c *Client) Nodes(ctx context.Context) ([]Node, error) {
	text, err := c.run(ctx, c.sinfo, "--json")
	if err != nil {
		return nil, err
	}
	return DecodeNodes(text)
}

// Drain lets a node start no more jobs.
func (c *Client) Drain(ctx context.Context, node, reason string) error {
	return c.update(ctx, "nodename="+node, "state=drain", "reason="+reason)
}

// Undrain takes Drain back.
func (c *Client) Undrain(ctx context.Context, node string) error {
	return c.update(ctx, "nodename="+node, "state=undrain")
}

// Down says that a node is not there: what runs on it is ended and queued again. With
// ReturnToService=2 it is there again when its daemon registers.
func (c *Client) Down(ctx context.Context, node, reason string) error {
	return c.update(ctx, "nodename="+node, "state=down", "reason="+reason)
}

// A Weight is a node's: jobs get nodes of the least weight first.
type Weight struct {
	Node   string
	Weight int
}

// Weigh sets weights, all by one command.
func (c *Client) Weigh(ctx context.Context, weights []Weight) error {
	var b strings.Builder
	for _, w := range weights {
		fmt.Fprintf(&b, "update nodename=%s weight=%d\n", w.Node, w.Weight)
	}
	_, err := c.feed(ctx, b.String(), c.scontrol)
	return err
}

// Promote sets a waiting job's priority.
func (c *Client) Promote(ctx context.Context, job int64, priority uint32) error {
	return c.update(ctx, fmt.Sprintf("jobid=%d", job), fmt.Sprintf("priority=%d", priority))
}

// Eligible lets a job that was queued again start at once.
func (c *Client) Eligible(ctx context.Context, job int64) error {
	return c.update(ctx, fmt.Sprintf("jobid=%d", job), "starttime=now")
}

// Requeue queues a job again that runs or has ended.
func (c *Client) Requeue(ctx context.Context, job int64) error {
	_, err := c.run(ctx, c.scontrol, "requeue", strconv.FormatInt(job, 10))
	return err
}

// Signal sends a signal to a job, such as USR1 for its steps, or B:USR1 for its batch script
// alone, as sbatch --signal has it.
func (c *Client) Signal(ctx context.Context, job int64, signal string) error {
	path, err := Find("scancel")
	if err != nil {
		return err
	}
	args := []string{"--signal=" + signal}
	if name, batch := strings.CutPrefix(signal, "B:"); batch {
		args = []string{"--batch", "--signal=" + name}
	}
	_, err = c.run(ctx, path, append(args, strconv.FormatInt(job, 10))...)
	return err
}

func (c *Client) update(ctx context.Context, args ...string) error {
	_, err := c.run(ctx, c.scontrol, append([]string{"update"}, args...)...)
	return err
}
