//go:build unix

// Slurm runs a semi-elastic cluster [Niu16] on a real Slurm: elasticd rents nodes when
// the queue needs them, and gives them back when they are idle and their paid time
// ends.
//
//	go run ./examples/services/slurm demo
//	go run ./examples/services/slurm elasticd -journal FILE -nodes LIST -provider exec ...
//	go run ./examples/services/slurm invoice -journal FILE
//	go run ./examples/services/slurm partition -client URL -nodes LIST
//
// demo starts a Slurm of its own and shows it. invoice charges the users. partition makes a Slurm cluster a
// partition of a host that takes nodes back [Duplyakin17]. -h of each lists the choices.
// README.md says how to install the program, and has the forms of its files. What is
// decided, and how it recovers, is told in internal/manager.
//
// References:
//
//   - [Niu16] Niu, Zhai, Ma, Tang, Chen, Zheng, Building Semi-Elastic Virtual Clusters
//     for Cost-Effective HPC Cloud Resource Provisioning, IEEE TPDS 27(7), 2016. Sections
//     7 and 8.7.
//   - [Marshall12] Marshall, Tufo, Keahey, Provisioning Policies for Elastic Computing
//     Environments, IPDPS Workshops 2012. Sections II and III.
//   - [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud: Enabling Balanced
//     Elasticity Between Diverse Computing Environments, ScienceCloud 2017. Section 3.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/manager"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/partition"
	"github.com/plimsoll/plimsoll/examples/services/slurm/internal/slurmctl"
)

const program = "slurm"

// usage is what -h prints.
const usage = `Usage: go run ./examples/services/slurm COMMAND [flags]

  demo       starts a Slurm of its own, runs six jobs, says what they cost
  elasticd   manages the nodes of a Slurm cluster: rents what the queue needs, and
             gives it back when its paid time ends
  invoice    says what the nodes cost until now, and what each user pays of it
  partition  makes a Slurm cluster a partition of a host, which takes nodes back with
             notice and a grace period

COMMAND -h lists the choices.
`

// commands are the parts of the program.
var commands = map[string]cli.Command{
	"demo":      {Usage: demoUsage, Run: demo},
	"elasticd":  {Usage: elasticUsage, Run: elasticd},
	"invoice":   {Usage: invoiceUsage, Run: invoice},
	"partition": {Usage: partitionUsage, Run: runPartition},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := cli.RunCommand(ctx, usage, commands, args, stdout, stderr)
	status := cli.Exit(stderr, program, err)
	if errors.Is(err, errInterrupted) {
		status = interrupted
	}
	return status
}

// parse parses the flags that define defines, and notes in given which there were. The error is [flag.ErrHelp] or the user's
// mistake.
func parse(define func(*flag.FlagSet), args []string, given ...map[string]bool) error {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	define(flags)
	err := cli.Parse(flags, args)
	for _, g := range given {
		flags.Visit(func(f *flag.Flag) { g[f.Name] = true })
	}
	return err
}

// mistaken marks errors that are the user's mistakes.
func mistaken(err error) error {
	for _, theirs := range []error{slurmctl.ErrAbsent, slurmctl.ErrVersion, slurmctl.ErrUnknownNode, manager.ErrOptions, partition.ErrOptions,
		errFolder, journal.ErrHeld, journal.ErrDamaged, slurmctl.ErrConf, os.ErrNotExist, os.ErrPermission, syscall.EISDIR} {
		if errors.Is(err, theirs) {
			return cli.Mistakef("%w", err)
		}
	}
	return err
}
