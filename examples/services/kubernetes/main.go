// Kubernetes puts two decisions of Plimsoll into a Kubernetes cluster: which pods give way
// to pods of a higher priority, and what one more node costs given everything that is
// committed already.
//
// The program is a module of its own. A program that imports the library gets none of the
// modules of Kubernetes. In a copy of this repository:
//
//	cd examples/services/kubernetes
//	go run . COMMAND [flags]
//
// README.md says how to install the program in a cluster. COMMAND -h lists the choices.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const program = "kubernetes"

// usage is what -h prints.
const usage = `Usage: go run . COMMAND [flags]

  certs         makes the certificate of the extender
  extender      answers kube-scheduler which pods give way, so that the least work is lost
  oracle        prices one more node of each kind given what is committed, for Karpenter and
                the cluster-autoscaler

COMMAND -h lists the choices.
`

// commands are the parts of the program.
var commands = map[string]cli.Command{
	"certs":    {Usage: certsUsage, Run: runCerts},
	"extender": {Usage: extenderUsage, Run: runExtender},
	"oracle":   {Usage: oracleUsage, Run: runOracle},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Exit(stderr, program, cli.RunCommand(ctx, usage, commands, args, stdout, stderr))
}
