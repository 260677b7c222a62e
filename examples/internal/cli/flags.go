package cli

import (
	"encoding"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/pricing"
)

// Flags are the flags of a program. A definition names the flag and the variable that
// the flag sets, whose value before is the default. Errors say what the flag wants.
type Flags struct {
	*flag.FlagSet
	JSON   bool      // -json of a [Program]
	inputs []*string // names of files that are read, and must not be written
	checks []func() error
	idles  func(name string) bool
}

// NewFlags returns no flags.
func NewFlags(program string) *Flags {
	f := &Flags{FlagSet: flag.NewFlagSet(program, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	return f
}

// Parse parses the arguments and then calls the functions of [Flags.Check]. The error is
// [flag.ErrHelp] if the arguments ask for help, else the user's mistake.
func (f *Flags) Parse(args []string) error {
	if err := Parse(f.FlagSet, args); err != nil {
		return err
	}
	for _, check := range f.checks {
		if err := check(); err != nil {
			if Status(err) != Mistake {
				err = mistake{err}
			}
			return err
		}
	}
	return nil
}

// Check has a function called when all flags are parsed. An error of the function is the
// user's mistake.
func (f *Flags) Check(check func() error) { f.checks = append(f.checks, check) }

// Given reports, once the flags are parsed, whether a flag is among the arguments.
func (f *Flags) Given(name string) (given bool) {
	f.Visit(func(g *flag.Flag) { given = given || g.Name == name })
	return given
}

// Idle has a function say which flags change nothing, beside the others that are given.
// The program notes those that are given nevertheless.
func (f *Flags) Idle(idle func(name string) bool) { f.idles = idle }

func (f *Flags) idle() (names []string) {
	f.Visit(func(g *flag.Flag) {
		if f.idles != nil && f.idles(g.Name) {
			names = append(names, "-"+g.Name)
		}
	})
	return names
}

// Func defines a flag with a function that takes the flag's value.
func (f *Flags) Func(name string, set func(s string) error) { f.FlagSet.Func(name, "", set) }

// value defines a flag of one kind.
func value[T any](f *Flags, name string, to *T, parse func(s string) (T, bool), want string) {
	f.Func(name, func(s string) error {
		x, ok := parse(s)
		if !ok {
			return errors.New("want " + want)
		}
		*to = x
		return nil
	})
}

func notEmpty(s string) (string, bool) { return s, s != "" }

func (f *Flags) path(name string, to *string) { value(f, name, to, notEmpty, "the name of a file") }

// File defines a flag that names a file to read.
func (f *Flags) File(name string, to *string) {
	f.inputs = append(f.inputs, to)
	f.path(name, to)
}

// Files defines a flag that names a file to read and can be given several times.
func (f *Flags) Files(name string, to *[]string) {
	f.Func(name, func(s string) error {
		if s == "" {
			return errors.New("want the name of a file")
		}
		if slices.Contains(*to, s) {
			return errors.New("the file was given before")
		}
		*to = append(*to, s)
		f.Reads(s)
		return nil
	})
}

// Reads says that files are read.
func (f *Flags) Reads(paths ...string) {
	for i := range paths {
		f.inputs = append(f.inputs, &paths[i])
	}
}

// Name defines a flag with a text that is not empty, such as "the name of a series".
func (f *Flags) Name(name string, to *string, want string) { value(f, name, to, notEmpty, want) }

// Switch defines a flag that is on or off.
func (f *Flags) Switch(name string, to *bool) {
	f.BoolFunc(name, "", func(s string) error {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return errors.New("want true or false")
		}
		*to = on
		return nil
	})
}

// Seed defines the flag -seed, a number that is not negative.
func (f *Flags) Seed(to *uint64) {
	value(f, "seed", to, func(s string) (uint64, bool) {
		n, err := strconv.ParseUint(s, 10, 64)
		return n, err == nil
	}, "a whole number that is not negative")
}

// Int defines a flag with a whole number from least to most, and what the number counts,
// such as " of hours", or nothing.
func (f *Flags) Int(name string, to *int, least, most int, of string) {
	value(f, name, to, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && n >= least && n <= most
	}, fmt.Sprintf("a whole number%s from %s to %s", of, decimal.Int(least), decimal.Int(most)))
}

// Float defines a flag with a number, of which ok says whether the flag takes it.
func (f *Flags) Float(name string, to *float64, want string, ok func(x float64) bool) {
	value(f, name, to, func(s string) (float64, bool) {
		x, err := strconv.ParseFloat(s, 64)
		return x, err == nil && ok(x)
	}, want)
}

// Span defines a flag with a duration, of which ok says whether the flag takes it.
func (f *Flags) Span(name string, to *time.Duration, want string, ok func(d time.Duration) bool) {
	value(f, name, to, func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && ok(d)
	}, want)
}

// Day defines a flag with a day from 1971 on, in UTC.
func (f *Flags) Day(name string, to *time.Time) {
	value(f, name, to, func(s string) (time.Time, bool) {
		t, err := time.Parse(time.DateOnly, s)
		return t, err == nil && t.Year() > 1970
	}, "a day such as 2026-11-23")
}

// Money defines a flag with an amount of money, of which ok says whether the flag takes
// it.
func (f *Flags) Money(name string, to *pricing.Money, want string, ok func(m pricing.Money) bool) {
	value(f, name, to, func(s string) (pricing.Money, bool) {
		m, err := pricing.ParseMoney(s)
		return m, err == nil && ok(m)
	}, want)
}

// Text defines a flag whose value unmarshals a text.
func (f *Flags) Text(name string, to encoding.TextUnmarshaler, want string) {
	f.Func(name, func(s string) error {
		if to.UnmarshalText([]byte(s)) != nil {
			return errors.New("want " + want)
		}
		return nil
	})
}

// Choice defines a flag with one of the names; to is the index of the name.
func Choice[T ~int](f *Flags, name string, to *T, names ...string) {
	value(f, name, to, func(s string) (T, bool) {
		i := slices.Index(names, s)
		return T(i), i >= 0
	}, Series(names, "or"))
}

// List defines a flag with values between commas, at most so many and none twice. parse
// returns the value of a part; its error says what is wrong with the part.
func List[T comparable](f *Flags, name string, to *[]T, most int, parse func(part string) (T, error)) {
	f.Func(name, func(s string) error {
		list := []T{}
		for part := range strings.SplitSeq(s, ",") {
			x, err := parse(strings.TrimSpace(part))
			switch {
			case err != nil:
				return err
			case slices.Contains(list, x):
				return fmt.Errorf("%s is there twice", part)
			case len(list) == most:
				return fmt.Errorf("want at most %s", decimal.Int(most))
			}
			list = append(list, x)
		}
		*to = list
		return nil
	})
}

// Series joins names as a sentence does: "a", "a and b", "a, b and c".
func Series(names []string, and string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + and + " " + names[last]
}

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
