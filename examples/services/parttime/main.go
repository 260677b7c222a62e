// Parttime shares a cluster's nodes between partitions, the exchange of
// [Duplyakin17] section 3 as processes that talk HTTP with JSON: a host, which
// has the elastic manager, and a client for each partition.
//
//	go run ./examples/services/parttime host -nodes 8
//	go run ./examples/services/parttime client -host URL -name hpc -add 4
//
// README.md says how to install the processes on several machines. What they say to each
// other, and what it guarantees, is told in package preempt/exchange.
//
// Reference: [Duplyakin17] Duplyakin, Johnson, Ricci, The Part-Time Cloud: Enabling
// Balanced Elasticity Between Diverse Computing Environments, ScienceCloud 2017.
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
	"github.com/plimsoll/plimsoll/examples/internal/fsck"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status, and ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && (args[0] == hostRole.String() || args[0] == clientRole.String()) && fsck.Asked(args) {
		return cli.Exit(stderr, program, fsck.Run(program, "state", check, args[1:], stdout))
	}
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return cli.Exit(stderr, program, err)
	}
	if err == nil {
		if o.role == hostRole {
			err = play(ctx, o, stdout, stderr, newHost)
		} else {
			err = play(ctx, o, stdout, stderr, newClient)
		}
	}
	return cli.Exit(stderr, program, err)
}
