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
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const program = "kubernetes"

// A command is a part of the program.
type command struct {
	about string // what the command does, in a line or more of the program's -h
	usage string // what -h of the command prints
	// run does the work. The error is [flag.ErrHelp] if the arguments ask for help, and the
	// user's mistake if cli.Mistakef made it.
	run func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

// commands are the parts of the program, by name. A file adds its own commands.
var commands = map[string]command{}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	names := slices.Sorted(maps.Keys(commands))
	want := "want " + cli.Series(names, "or") + "; -h explains"
	c, ok := commands[name]
	var err error
	switch name {
	case "-h", "-help", "--help", "help":
		_, err = io.WriteString(stdout, usage())
	case "":
		err = cli.Mistakef("no command: %s", want)
	default:
		if !ok {
			err = cli.Mistakef("%q is not a command: %s", name, want)
			break
		}
		err = c.run(ctx, args, stdout, stderr)
		if errors.Is(err, flag.ErrHelp) {
			_, err = io.WriteString(stdout, c.usage)
		} else if cli.Status(err) == cli.Mistake {
			err = cli.Mistakef("%s: %w", name, err)
		}
	}
	return cli.Exit(stderr, program, err)
}

// usage is what -h prints.
func usage() string {
	var b strings.Builder
	b.WriteString("Usage: go run . COMMAND [flags]\n\n")
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		about := strings.ReplaceAll(commands[name].about, "\n", "\n"+strings.Repeat(" ", 16))
		b.WriteString("  " + name + strings.Repeat(" ", max(1, 14-len(name))) + about + "\n")
	}
	b.WriteString("\nCOMMAND -h lists the choices.\n")
	return b.String()
}
