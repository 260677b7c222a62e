package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/plain"
)

// A Command is a part of a program that has several.
type Command struct {
	Usage string // what -h of the command prints
	// Run does the work. The error is [flag.ErrHelp] if the arguments ask for help, and the
	// user's mistake if [Mistakef] made it.
	Run func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

// RunCommand runs the command that args begin with. usage is what -h prints without a command. The
// error of a mistake begins with the name of the command.
func RunCommand(ctx context.Context, usage string, commands map[string]Command, args []string, stdout, stderr io.Writer) error {
	want := "want " + Series(slices.Sorted(maps.Keys(commands)), "or") + "; -h explains"
	if len(args) == 0 {
		return Mistakef("no command: %s", want)
	}
	out := plain.Writer(stdout) // names of others are shown and not obeyed
	defer out.Flush()
	stdout = out
	name := args[0]
	switch name {
	case "-h", "-help", "--help", "help":
		_, err := io.WriteString(stdout, usage)
		return err
	}
	c, ok := commands[name]
	if !ok {
		return Mistakef("%q is not a command: %s", name, want)
	}
	err := c.Run(ctx, args[1:], stdout, stderr)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, c.Usage)
	} else if Status(err) == Mistake {
		err = Mistakef("%s: %w", name, err)
	}
	return err
}
