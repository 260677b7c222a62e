//go:build unix

// Withslurm runs a command beside a Slurm cluster of its own, and ends the cluster when the
// command has ended. Slurm's commands find the cluster by the environment.
//
//	go run ./examples/services/slurm/internal/withslurm -nodes 2 sbatch --wait job.sh
//
// With -kill the program kills a running job now and then, as a failing machine would.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/cluster"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

const usage = `Usage: withslurm [flags] COMMAND [ARGUMENT ...]

Runs a command beside a Slurm cluster of its own, and ends with the command's status.

  -nodes N       nodes of one processor (default 2)
  -kill D        kill a running job, drawn at random, each D on average (default 0: none)
  -kills N       end that after so many (default 10)
  -seed N        of the kills (default 1)
`

type options struct {
	nodes, kills int
	kill         time.Duration
	seed         uint64
}

func main() {
	o := options{nodes: 2, kills: 10, seed: 1}
	f := cli.NewFlags("withslurm")
	f.Int("nodes", &o.nodes, 1, 64, "")
	f.Int("kills", &o.kills, 0, 10_000, "")
	f.Span("kill", &o.kill, "a duration such as 3s", func(d time.Duration) bool { return d >= 0 })
	f.Seed(&o.seed)
	err := f.FlagSet.Parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		fmt.Print(usage)
		os.Exit(0)
	}
	if err != nil {
		err = cli.Mistakef("%w (-h lists the flags)", err)
	} else if f.NArg() == 0 {
		err = cli.Mistakef("no command: want one to run beside the cluster")
	}
	status := 0
	if err == nil {
		status, err = run(&o, f.Args())
	}
	if err != nil {
		status = cli.Exit(os.Stderr, "withslurm", err)
	}
	os.Exit(status)
}

// run runs the command and returns its status.
func run(o *options, command []string) (status int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := cluster.Start(ctx, o.nodes)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	dir := filepath.Join(c.Dir, "instances")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return 0, err
	}
	local := &provider.Local{Dir: dir, Command: c.Slurmd, Environment: c.Environment()}
	for _, name := range c.Names {
		if _, err := local.Create(ctx, "node-"+name, name); err != nil {
			return 0, err
		}
	}
	slurm, err := slurmctl.New(ctx, c.Conf)
	if err != nil {
		return 0, err
	}
	if err := ready(ctx, slurm, o.nodes); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), c.Environment()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, cli.Mistakef("%v", err)
	}
	killing, done := context.WithCancel(ctx)
	ended := make(chan int)
	go func() { ended <- kill(killing, slurm, o) }()
	err = cmd.Wait()
	done()
	if n := <-ended; n > 0 {
		fmt.Fprintf(os.Stderr, "withslurm: %d jobs were killed\n", n)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// ready waits until all nodes are up.
func ready(ctx context.Context, slurm *slurmctl.Client, nodes int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		all, err := slurm.Nodes(ctx)
		up := 0
		for i := range all {
			if all[i].Up() {
				up++
			}
		}
		if err == nil && up == nodes {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%d of %d nodes are up", up, nodes), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// kill kills running jobs until the context ends, and returns how many.
func kill(ctx context.Context, slurm *slurmctl.Client, o *options) (killed int) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	for o.kill > 0 && killed < o.kills {
		select {
		case <-ctx.Done():
			return killed
		case <-time.After(time.Duration(r.ExpFloat64() * float64(o.kill))):
		}
		jobs, err := slurm.Jobs(ctx)
		if err != nil {
			continue
		}
		var running []int64
		for i := range jobs {
			if jobs[i].State == "RUNNING" {
				running = append(running, jobs[i].ID)
			}
		}
		if len(running) > 0 && slurm.Signal(ctx, running[r.IntN(len(running))], "B:KILL") == nil {
			killed++
		}
	}
	return killed
}
