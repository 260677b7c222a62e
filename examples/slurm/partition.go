//go:build unix

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/slurm/internal/slurmctl"
)

// partitionUsage is what partition -h prints.
const partitionUsage = `Usage: go run ./examples/slurm partition -client URL -nodes LIST [flags]

partition makes a Slurm cluster a partition of a hosting cluster [Duplyakin17]: Slurm
knows all nodes of the host, and nodes outside of the partition are drained. The
command is the framework of a client of examples/parttime, which talks with the host:

  go run ./examples/parttime host -nodes 4
  go run ./examples/parttime client -host URL -name hpc -add 4
  go run ./examples/slurm partition -client URL -nodes n[1-4]

The command tells the client the values of nodes, so that a host that takes -take
nodes takes those whose jobs waste least. A node that the host takes is drained, and
given back when its job has ended. If the job still runs at the end of the grace
period, the command ends the job, which Slurm queues again. The command may be killed
and started again at any time.

At its start the command drains all nodes of -nodes that the client does not hold.
Jobs on them run to their ends, unless the client held the node before, or -force is
given.

  -client URL          URL that the client prints
  -nodes LIST          Slurm's names of the host's nodes 0, 1, ..., such as n[1-4]
  -conf FILE           slurm.conf (default: what Slurm's commands find)
  -take N              nodes that a preemption is expected to take (default 0: half)
  -grace D             the host's grace period, for what jobs would waste (default 2m)
  -margin D            how long before the end of a grace period jobs are ended
                       (default 10s)
  -poll D              time between two looks (default 2s)
  -force               end also jobs on nodes that the client never held; Slurm queues
                       them again
  -minute D            let a minute of the exchange take D, as for the client
                       (default 1m). -grace, -margin and -poll are real times
  -h                   print this

The exit status is 0, also after an interrupt, 1 if the program fails, and 2 for a
mistake in the flags.
`

// partitionOptions are the flags of partition.
type partitionOptions struct {
	client, nodes, conf string
	minute              time.Duration
	agent               partition.Options
}

func (o *partitionOptions) define(flags *flag.FlagSet) {
	flags.StringVar(&o.client, "client", "", "")
	flags.StringVar(&o.nodes, "nodes", "", "")
	flags.StringVar(&o.conf, "conf", "", "")
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
		return o, cli.Mistakef("no -client and no -nodes: want the URL that a client of examples/parttime prints, and a list such as n[1-16]")
	case err != nil || u.Scheme != "http" || u.Host == "":
		return o, cli.Mistakef("-client %q: want the URL that a client of examples/parttime prints", o.client)
	case o.nodes == "":
		return o, cli.Mistakef("no -nodes: want a list such as n[1-16]")
	case o.minute <= 0:
		return o, cli.Mistakef("-minute %v: want a positive span of time", o.minute)
	}
	o.client = "http://" + u.Host
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
	slurm, err := connect(ctx, o.conf, o.agent.Names)
	if err != nil {
		return mistaken(err)
	}
	agent, err := partition.New(&partition.Framework{URL: o.client, Minute: o.minute}, slurm, o.agent)
	if err != nil {
		return mistaken(err)
	}
	agent.Run(ctx)
	return nil
}
