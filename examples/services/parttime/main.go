// Parttime shares a cluster's nodes between partitions, the exchange of
// [Duplyakin17] section 3 as processes that talk HTTP with JSON: a host, which
// has the elastic manager, and a client for each partition. Without arguments it
// shows a preemption between two clients of its own.
//
//	go run ./examples/services/parttime
//
// Processes on several machines need credentials: certificates (-cert, -key, -ca) or
// shared keys (-keys). A test authority with openssl:
//
//	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority
//	openssl req -newkey rsa:2048 -nodes -keyout host.key -out host.csr -subj /CN=host
//	openssl x509 -req -in host.csr -CA ca.pem -CAkey ca.key -days 90 -out host.pem
//
// and the same for /CN=hpc, the name of a partition, and for /CN=admin. Then
//
//	go run ./examples/services/parttime host -listen :8443 -cert host.pem -key host.key -ca ca.pem
//	go run ./examples/services/parttime client -name hpc -host https://HOST:8443 -listen :8444 -url https://ADDRESS:8444 -cert hpc.pem -key hpc.key -ca ca.pem
//	curl -k --cert admin.pem --key admin.key https://HOST:8443/Status
//
// -h lists the choices. What the processes say to each other, and what it
// guarantees, is told in package preempt/exchange.
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
)

// tied is set in the environment of processes that the demonstration starts: they
// end when their standard input does, and so when it ends, however that comes.
const tied = "PARTTIME_TIED"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if os.Getenv(tied) != "" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			stop()
		}()
	}
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status, and ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, usage)
		return cli.Exit(stderr, program, err)
	}
	if err == nil {
		switch o.role {
		case hostRole:
			err = play(ctx, o, stdout, stderr, newHost)
		case clientRole:
			err = play(ctx, o, stdout, stderr, newClient)
		default:
			err = demonstrate(ctx, o, stdout)
		}
	}
	return cli.Exit(stderr, program, err)
}
