//go:build unix

// Slurm runs a semi-elastic cluster [Niu16] on a real Slurm: elasticd rents nodes when
// the queue needs them, and gives them back when they are idle and their paid time
// ends.
//
//	go run ./examples/slurm demo
//	go run ./examples/slurm elasticd -journal FILE -nodes LIST -provider exec ...
//	go run ./examples/slurm partition -client URL -nodes LIST
//
// demo starts a Slurm of its own and shows it. partition makes a Slurm cluster a
// partition of a host that takes nodes back [Duplyakin17]. -h of each lists the choices.
// What is decided, and how it recovers, is told in internal/manager.
//
// # Without elasticd
//
// Slurm has a way of its own to start and end nodes: SuspendProgram and ResumeProgram.
// Nodes are declared with State=CLOUD; Slurm runs ResumeProgram with the names of nodes that it
// has given to jobs, and SuspendProgram with those that were idle for SuspendTime. In
// slurm.conf:
//
//	ResumeProgram=/usr/local/sbin/rent          # create instances for the nodes in $1
//	SuspendProgram=/usr/local/sbin/give-back    # end them
//	ResumeTimeout=600
//	SuspendTime=3300                            # most of an hour that is paid for
//	NodeName=n[1-16] CPUs=1 State=CLOUD
//
// The commands are those of -create and -delete, with a loop over the names that
// "scontrol show hostnames $1" prints. It needs no daemon beside slurmctld, and it is
// simpler. What it cannot do: Slurm requests nodes for every job that it can start, so
// there is no limit of waiting (T_waitlmt) and no expansion rule; what is given back goes by how
// long it was idle, not by when it is charged again, so that an instance whose hour has
// just begun goes as soon as one whose hour ends; and nothing is written down, so that
// an instance whose creation failed halfway stays rented until somebody looks.
//
// References:
//
//   - [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters
//     for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016. Sections
//     7 and 8.7.
//   - [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud: Enabling Balanced
//     Elasticity Between Diverse Computing Environments, ScienceCloud 2017. Section 3.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// usage is what -h prints.
const usage = `Usage: go run ./examples/slurm COMMAND [flags]

  demo                 starts a Slurm of its own, replays fifty jobs, shows what is
                       decided, and compares with the simulator
  elasticd             manages the nodes of a Slurm cluster: rents what the queue
                       needs, and gives it back when its paid time ends
  partition            makes a Slurm cluster a partition of a hosting cluster, which
                       takes nodes back with notice and a grace period

COMMAND -h lists the choices.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status, and ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	command := ""
	if len(args) > 0 {
		command, args = args[0], args[1:]
	}
	var err error
	switch command {
	case "elasticd":
		err = elasticd(ctx, args, stdout, stderr)
	case "partition":
		err = runPartition(ctx, args, stdout, stderr)
	case "demo":
		err = demo(ctx, args, stdout, stderr)
	case "-h", "-help", "--help", "help":
		_, err = io.WriteString(stdout, usage)
	case "":
		err = cli.Mistakef("want a command: demo, elasticd or partition; -h explains")
	default:
		err = cli.Mistakef("%q is not a command: want demo, elasticd or partition; -h explains", command)
	}
	status := cli.Exit(stderr, program, err)
	if errors.Is(err, errInterrupted) {
		status = interrupted
	}
	return status
}
