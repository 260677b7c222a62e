//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/pricing"
)

// demoUsage is what demo -h prints.
const demoUsage = `Usage: slurm demo [flags]

demo starts a Slurm of its own in a temporary folder, with no node up, and submits
six jobs. Like elasticd it rents instances, which are slurmd processes of this
machine, and gives back an idle instance when its paid hour ends. Then it says what
that cost. It installs nothing, and leaves nothing behind, even when it is
interrupted or killed.

It needs Slurm, 21.08 or later, and munge (on Debian and Ubuntu: slurm-wlm, munge),
and takes half a minute.

  -hour D           how long an hour of the bill takes (default 6s)
  -h                print this

Decisions go to standard error when they are made, the bill to standard output.

The exit status is 0, 1 if the program fails, 2 for a mistake in the flags or if
there is no Slurm, and 130 if it is interrupted.
`

// demoNodes is how many names instances may have.
const demoNodes = 8

// demoJobs are the jobs of the demonstration, in hours of the bill: two waves, between which the cluster shrinks.
var demoJobs = []struct {
	at, run float64
	nodes   int
}{{0, 0.3, 2}, {0.1, 0.5, 4}, {0.4, 0.2, 2}, {0.68, 0.2, 3}, {2.2, 0.3, 3}, {2.6, 0.25, 2}}

// errInterrupted ends a demonstration that was interrupted; the exit status is interrupted.
var errInterrupted = errors.New("interrupted; nothing is left behind")

const interrupted = 130

// parseDemo returns the options of the manager.
func parseDemo(args []string) (m manager.Options, err error) {
	if err := parse(func(flags *flag.FlagSet) { defineDemo(&m, flags) }, args); err != nil {
		return m, err
	}
	if m.Hour < time.Second || m.Hour > time.Hour {
		return m, cli.Mistakef("-hour %v: want 1s to 1h", m.Hour)
	}
	for i := range demoNodes {
		m.Nodes = append(m.Nodes, fmt.Sprintf("n%d", i+1)) // as package cluster names them
	}
	m.Poll, m.Timeout = 50*time.Millisecond, 20*time.Second // a look at Slurm takes 20 ms
	m.WaitLimit, m.Short, m.Boot = 5*time.Minute, time.Hour, 3*time.Minute
	m.ReleaseEvery = max(5*time.Minute, scaledUp(4*m.Poll, m.Hour)) // no check is missed
	// Draining a node and ending its daemon take 50 to 100 ms, and more on a busy machine.
	m.Lead = scaledUp(300*time.Millisecond, m.Hour)
	m.RetryEvery, m.AuditEvery = m.ReleaseEvery, 30*time.Minute
	m.BootLimit = m.Boot + scaledUp(20*time.Second, m.Hour)
	m.Meter, m.Prices = pricing.EC2Hourly, pricing.CC28XLarge2013()
	return m, m.Check()
}

func defineDemo(m *manager.Options, flags *flag.FlagSet) {
	flags.DurationVar(&m.Hour, "hour", 6*time.Second, "")
}

// demo runs the demonstration. The cluster is gone when demo returns.
func demo(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseDemo(args)
	if err != nil {
		return err
	}
	c, err := cluster.Start(ctx, demoNodes)
	if err == nil {
		fmt.Fprintf(stderr, "started a Slurm of %d nodes, all of them down, in %s\n", demoNodes, c.Dir)
		err = errors.Join(play(ctx, c, &o, stdout, stderr), c.Close())
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	return mistaken(err)
}

// play lets a manager run the jobs on a cluster, and says what they cost.
func play(ctx context.Context, c *cluster.Cluster, o *manager.Options, stdout, stderr io.Writer) error {
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		return err
	}
	instances := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(instances, 0o700); err != nil {
		return err
	}
	p := &provider.Local{Dir: instances, Boot: scaled(o.Boot, o.Hour), Command: c.Slurmd, Environment: c.Environment()}
	var mu sync.Mutex // of open, while the manager runs
	open := map[string]bool{}
	o.Watch = func(e *manager.Entry, _ *manager.Status) {
		if e == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		switch e.Kind {
		case manager.Asking:
			open[e.Token] = true
		case manager.Gone, manager.Refused:
			delete(open, e.Token)
			if e.Kind == manager.Gone {
				return
			}
		case manager.Rented, manager.Up, manager.Ran:
			return // what came of a decision
		}
		fmt.Fprintln(stderr, line(e))
	}
	m, err := manager.Open(filepath.Join(c.Dir, "journal"), slurm, p, *o)
	if err != nil {
		return err
	}
	defer m.Close()
	run, stop := context.WithCancel(ctx)
	managed := make(chan error, 1)
	go func() {
		defer stop() // a manager that fails ends the wait
		managed <- m.Run(run)
	}()
	err = submit(run, c, o.Hour)
	for done := false; err == nil && !done; {
		select {
		case <-run.Done():
			err = run.Err()
		case <-time.After(2 * o.Poll):
			done, err = completed(run, slurm)
			mu.Lock()
			done = done && len(open) == 0
			mu.Unlock()
		}
	}
	stop()
	if err := errors.Join(<-managed, err); err != nil {
		return err
	}
	users, err := m.Users()
	if err != nil {
		return err
	}
	return writeInvoice(stdout, m, &users, o.Prices)
}

// submit submits the jobs, each at its time. A job's estimate is its run time.
func submit(ctx context.Context, c *cluster.Cluster, hour time.Duration) error {
	real := func(hours float64) time.Duration { return time.Duration(hours * float64(hour)) }
	begin := time.Now()
	for _, j := range demoJobs {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(begin.Add(real(j.at)))):
		}
		estimate := time.Duration(j.run * float64(time.Hour))
		if _, err := c.Submit(ctx, j.nodes, fmt.Sprintf("sleep %.2f", real(j.run).Seconds()), fmt.Sprintf("--comment=estimate=%v", estimate)); err != nil {
			return err
		}
	}
	return nil
}

// completed reports whether all jobs have completed. A job that has ended otherwise is an error.
func completed(ctx context.Context, slurm *slurmctl.Client) (done bool, err error) {
	jobs, err := slurm.Jobs(ctx)
	if err != nil {
		return false, err
	}
	done = true
	for _, j := range jobs {
		if open := j.Waits() || j.Holds(); open {
			done = false
		} else if j.State != "COMPLETED" {
			return false, fmt.Errorf("job %d did not complete: %s", j.ID, j.State)
		}
	}
	return done, nil
}
