//go:build unix

// Slurm runs a semi-elastic cluster [Niu16] on a real Slurm: elasticd rents nodes when
// the queue needs them, and gives them back when they are idle and their paid time
// ends.
//
//	go run ./examples/slurm elasticd -journal FILE -nodes LIST -provider local ...
//
// -h lists the choices. What is decided, and how it recovers, is told in
// internal/manager.
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
	"flag"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

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
		err = elasticd(ctx, args, stderr)
	case "demo":
		err = demo(ctx, args, stdout, stderr)
	case "-h", "-help", "--help", "help":
		err = flag.ErrHelp
	case "":
		err = cli.Mistakef("want a command: elasticd; -h explains")
	default:
		err = cli.Mistakef("%q is not a command: want elasticd; -h explains", command)
	}
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
	}
	return cli.Exit(stderr, program, err)
}
