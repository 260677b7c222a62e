//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/exchangehttp"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// partitionUsage is what partition -h prints.
const partitionUsage = `Usage: slurm partition -client URL -nodes LIST [flags]

partition makes a Slurm cluster a partition of a host that takes nodes back
[Duplyakin17]: Slurm knows all nodes of the host, and nodes outside of the partition
are drained. A node that the host takes is drained, and given back when its job has
ended. A job that still runs at the end of the grace period is ended; Slurm queues it
again. README.md says how to start the host and a client, and what jobs may say.

  -client URL       URL that a client of examples/services/parttime prints
  -name NAME        the name of the partition, where the client has credentials
` + exchangehttp.Usage + `  -nodes LIST       Slurm's names of the host's nodes 0, 1, ..., such as n[1-4]
  -conf FILE        slurm.conf (default: what Slurm's commands find)
  -poll D           time between two looks (default 2s)
  -minute D         how long a minute of the exchange takes (default 1m)
  -force            end also jobs on nodes that the client never held
What a node is worth
  -policy NAME      exact (least waste), exact+ (weighed with -priority), survival
                    (by earlier jobs of a user), or by rank: fifo, lifo, pap, pap+,
                    random, blind (default exact)
  -raw              take users' estimates as they are
  -priority LIST    what jobs count, such as qos:high=10,partition:debug=2
  -seed N           of random and blind (default 1)
  -take N           nodes that a preemption is expected to take (default 0: half)
  -grace D          the host's grace period (default 2m)
  -margin D         how long before its end jobs are ended (default 10s)
Nodes by need
  -scale            ask for nodes when jobs wait, and give idle nodes back
  -wait D           how long a job waits before nodes are asked for (default 1m)
  -idle D           how long a node is idle before it is given back (default 10m)
  -hold D           how long a node stays at least (default 10m)
  -worth X          worth of an idle node to others, over its worth here (default 1)
  -move D           what it costs to get a node again, in its time (default 5m)
  -pool N           idle nodes to keep in reserve (default 0)
  -least N          the fewest nodes (default 0)
  -most N           the most nodes (default: all of -nodes)

The exit status is 0, also after an interrupt, which changes no node; 1 if the
program fails, and 2 for a mistake in the flags.
`

// partitionOptions are the flags of partition.
type partitionOptions struct {
	client, nodes, conf string
	name                string
	credentials         exchangehttp.Credentials
	minute              time.Duration
	agent               partition.Options
	scale               bool
	scaling             scaling.Options
}

// priorities reads the list of -priority.
func (o *partitionOptions) priorities(list string) error {
	o.agent.Priorities = map[string]int{}
	for _, part := range strings.Split(list, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1_000_000 || partition.CheckPriority(name) != nil {
			return fmt.Errorf("%q: want qos:NAME=N or partition:NAME=N, N from 1 to 1000000", part)
		}
		o.agent.Priorities[name] = n
	}
	return nil
}

func (o *partitionOptions) define(flags *flag.FlagSet) {
	flags.StringVar(&o.client, "client", "", "")
	flags.StringVar(&o.nodes, "nodes", "", "")
	flags.StringVar(&o.name, "name", "", "")
	o.credentials.Define(func(name string, to *string) { flags.StringVar(to, name, "", "") })
	flags.StringVar(&o.conf, "conf", "", "")
	flags.Func("policy", "", func(s string) (err error) {
		o.agent.Policy, err = partition.ParsePolicy(s)
		return err
	})
	flags.BoolVar(&o.agent.Raw, "raw", false, "")
	flags.Func("priority", "", o.priorities)
	flags.Uint64Var(&o.agent.Seed, "seed", 1, "")
	flags.BoolVar(&o.scale, "scale", false, "")
	flags.DurationVar(&o.scaling.Wait, "wait", time.Minute, "")
	flags.DurationVar(&o.scaling.Idle, "idle", 10*time.Minute, "")
	flags.DurationVar(&o.scaling.Hold, "hold", 10*time.Minute, "")
	flags.DurationVar(&o.scaling.Move, "move", 5*time.Minute, "")
	flags.Float64Var(&o.agent.Worth, "worth", 1, "")
	flags.IntVar(&o.scaling.Pool, "pool", 0, "")
	flags.IntVar(&o.scaling.Least, "least", 0, "")
	flags.IntVar(&o.scaling.Most, "most", 0, "")
	flags.IntVar(&o.agent.Take, "take", 0, "")
	flags.DurationVar(&o.agent.Grace, "grace", 2*time.Minute, "")
	flags.DurationVar(&o.agent.Margin, "margin", 10*time.Second, "")
	flags.DurationVar(&o.agent.Poll, "poll", 2*time.Second, "")
	flags.BoolVar(&o.agent.Force, "force", false, "")
	flags.DurationVar(&o.minute, "minute", time.Minute, "")
}

func parsePartition(args []string) (partitionOptions, error) {
	var o partitionOptions
	if err := parse(o.define, args); err != nil {
		return o, err
	}
	u, err := url.Parse(o.client)
	switch {
	case o.client == "" && o.nodes == "":
		return o, cli.Mistakef("no -client and no -nodes: want the URL that a client of examples/services/parttime prints, and a list such as n[1-16]")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return o, cli.Mistakef("-client %q: want the URL that a client of examples/services/parttime prints", o.client)
	case o.nodes == "":
		return o, cli.Mistakef("no -nodes: want a list such as n[1-16]")
	case o.credentials != (exchangehttp.Credentials{}) && o.name == "":
		return o, cli.Mistakef("no -name: want the name of the partition that the credentials are for")
	case o.minute <= 0:
		return o, cli.Mistakef("-minute %v: want a positive span of time", o.minute)
	}
	o.client = u.Scheme + "://" + u.Host
	for _, d := range []*time.Duration{&o.scaling.Wait, &o.scaling.Idle, &o.scaling.Hold, &o.scaling.Move} {
		if *d < 0 {
			return o, cli.Mistakef("%v: want no negative span of time", *d)
		}
		if *d == 0 { // in scaling.Options 0 is the default
			*d = -1
		}
	}
	if o.scale {
		o.agent.Scaling = &o.scaling
	}
	if o.agent.Names, err = slurmctl.Expand(o.nodes); err != nil {
		return o, cli.Mistakef("-nodes: %w", err)
	}
	return o, nil
}

// runPartition keeps a cluster to what its client says, until ctx ends.
func runPartition(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parsePartition(args)
	if err != nil {
		return err
	}
	o.agent.Tell = func(node, what string) {
		text := time.Now().Format(time.TimeOnly) + "  "
		if node != "" {
			text += node + " "
		}
		fmt.Fprintln(stderr, text+what)
	}
	secure, err := exchangehttp.NewSecurity(o.credentials, o.name)
	if err != nil {
		return err
	}
	slurm, err := connect(ctx, o.conf, o.agent.Names)
	if err != nil {
		return mistaken(err)
	}
	agent, err := partition.New(&partition.Framework{URL: o.client, Minute: o.minute, Client: secure.Client(o.name)}, slurm, o.agent)
	if err != nil {
		return mistaken(err)
	}
	agent.Run(ctx)
	return nil
}
