// Package fsck is the flag -fsck of the programs whose state survives a crash: it reads the
// state, changes nothing, and says whether the state is whole.
package fsck

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/plimsoll/plimsoll/examples/internal/chain"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/journal"
)

// A Finding is what a state that is whole, or can be gone on from, has.
type Finding struct {
	Records  int
	Torn     int64 // bytes of a last record that was being written
	BadMarks int
	Of       string // whose it is, such as "a host with 20 nodes"
}

// Asked reports whether arguments have the flag.
func Asked(args []string) bool {
	return slices.ContainsFunc(args, func(s string) bool { return s == "-fsck" || s == "--fsck" })
}

// Run is a program that is asked for -fsck: the flag that names the file is the only other one.
// check reads the file. Its error is the damage.
func Run(program, flag string, check func(path string) (Finding, error), args []string, stdout io.Writer) error {
	var path string
	f := cli.NewFlags(program)
	f.Switch("fsck", new(bool))
	f.Name(flag, &path, "the name of a file")
	if err := f.Parse(args); err != nil {
		return err
	}
	if path == "" {
		return cli.Mistakef("-fsck: want -%s and the name of a file", flag)
	}
	x, err := check(path)
	if err != nil {
		return fmt.Errorf("-%s %s: %w", flag, path, pathless(err))
	}
	more := ""
	if x.Torn > 0 {
		more += fmt.Sprintf(", and %d bytes of a last one that was being written, which will be left out", x.Torn)
	}
	if x.BadMarks > 0 {
		more += fmt.Sprintf("; %s damaged, and the other says what there is", decimal.Count(x.BadMarks, "mark"))
	}
	_, err = fmt.Fprintf(stdout, "-%s %s is whole: %s, %s%s\n", flag, path, x.Of, decimal.Count(x.Records, "record"), more)
	return err
}

func pathless(err error) error {
	if p := new(os.PathError); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Journal checks a journal. apply is told its entries.
func Journal(path, of string, apply func(entry []byte) error) (x Finding, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return x, err
	}
	if x.Torn, err = journal.Replay(data, func(entry []byte) error { x.Records++; return apply(entry) }); err != nil {
		return x, err
	}
	if s, err := chain.Scan(data); err == nil && s.BadMark {
		x.BadMarks = 1
	}
	x.Of = of
	return x, nil
}
