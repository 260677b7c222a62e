package cli

import (
	"errors"
	"flag"
	"strconv"
)

// Parse parses the arguments of a program that takes flags alone. The error is
// [flag.ErrHelp] if they ask for help, else the user's mistake.
func Parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return Mistakef("%v (-h lists the flags)", err)
	}
	if flags.NArg() > 0 {
		return Mistakef("%q is not a flag, and nothing else is expected (-h lists the flags)", flags.Arg(0))
	}
	return nil
}

// Seed defines the flag -seed, a number that is not negative.
func Seed(flags *flag.FlagSet, to *uint64) {
	flags.Func("seed", "", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return errors.New("want a whole number that is not negative")
		}
		*to = n
		return nil
	})
}

// Switch defines a flag that is on or off, with an error in words.
func Switch(flags *flag.FlagSet, name string, to *bool) {
	flags.BoolFunc(name, "", func(s string) error {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("want true or false")
		}
		*to = on
		return nil
	})
}
