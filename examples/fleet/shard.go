package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/examples/fleet/internal/engine"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/fleet/internal/shard"
	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

const shardUsage = `Usage: fleet shard [flags] I/N

Plans a part of a made-up fleet, without an engine: task I of N of a batch system. The tasks share
a folder. A fleet takes two rounds of N tasks, and fleet merge after each; a task sees
which round it is. A task that was killed can run again and goes on where it was; a task
that is done does nothing.

  -dir DIR       the folder, which all tasks reach (default fleet.work)
  -curves N      curves of the made-up fleet, a year of hours each (default 1000)
  -poison N      one curve of so many cannot be planned (default 0: none)
  -seed N        of the made-up fleet and of the sample (default 1)
  -sample N      curves on which the price of the savings plan is found (default 1000)
  -rounds N      rounds of the search for the price (default 12)
  -part N        curves after which a task saves what it has (default 500)
  -h             print this

Exits with 2 if another process works on the shard, or the folder holds another fleet.
`

const mergeUsage = `Usage: fleet merge [flags]

Does what comes after a round of fleet shard. After the first round it finds the price of
the savings plan on the sample, and exits with 3: the shards must run again. After the
second it commits, writes the orders, and prints the line that fleet prints on an engine.
It can run again at any time, and gives the same.

  -dir DIR       the folder of the shards (default fleet.work)
  -out DIR       folder for plans, orders and failures, in parts by account (default: none)
  -format LIST   of orders: csv, parquet, focus, with commas between (default csv)
  -parts N       files of each kind (default 8)
  -h             print this

Exits with 2 if shards are missing, and names them.
`

const workDir = "fleet.work"

// command runs a subcommand that prints its usage for -h.
func command(name, usage string, work func() error) int {
	err := work()
	if errors.Is(err, flag.ErrHelp) {
		fmt.Print(usage)
		return cli.OK
	}
	return cli.Exit(os.Stderr, "fleet "+name, err)
}

func note(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func shardCommand(args []string) int {
	return command("shard", shardUsage, func() error {
		j := shard.Job{Dir: workDir, Plan: shard.Plan{Fleet: generate.Fleet{Seed: 1, Curves: 1000}, Sample: 1000, Rounds: 12}}
		f := cli.NewFlags("fleet shard")
		f.Name("dir", &j.Dir, "the name of a folder")
		f.Int("curves", &j.Fleet.Curves, 1, 20_000_000, "")
		f.Int("poison", &j.Fleet.Poison, 0, 20_000_000, " of curves")
		f.Seed(&j.Fleet.Seed)
		f.Int("sample", &j.Sample, 1, 100_000, " of curves")
		f.Int("rounds", &j.Rounds, 1, 1000, "")
		f.Int("part", &j.Part, 1, 1_000_000, " of curves")
		// The shard comes last, as in fleet shard -dir DIR 3/16, or first.
		name := ""
		switch n := len(args); {
		case n > 0 && !strings.HasPrefix(args[0], "-"):
			name, args = args[0], args[1:]
		case n > 0 && !strings.HasPrefix(args[n-1], "-"):
			name, args = args[n-1], args[:n-1]
		}
		if err := f.Parse(args); err != nil {
			return err
		}
		if name == "" {
			return cli.Mistakef("no shard: want fleet shard I/N, such as fleet shard 1/16")
		}
		i, of, err := shardOf(name)
		if err != nil {
			return err
		}
		j.Of, j.Seed = of, j.Fleet.Seed
		return j.Shard(i, note)
	})
}

// shardOf parses the name of a shard, such as 3/16.
func shardOf(s string) (i, of int, err error) {
	a, b, ok := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	of, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > of || of > shard.MostShards {
		return 0, 0, cli.Mistakef("the shard %q: want I/N, from 1/N to N/N, with N at most %d", s, shard.MostShards)
	}
	return i, of, nil
}

func mergeCommand(args []string) int {
	return command("merge", mergeUsage, func() error {
		start := time.Now()
		dir, out, formats, parts := workDir, "", []string{"csv"}, 8
		f := cli.NewFlags("fleet merge")
		f.Name("dir", &dir, "the name of a folder")
		f.Name("out", &out, "the name of a folder")
		cli.List(f, "format", &formats, len(engine.Formats), parseFormat)
		f.Int("parts", &parts, 1, 100_000, " of files")
		if err := f.Parse(args); err != nil {
			return err
		}
		if out != "" {
			if err := outDir(out, formats, parts); err != nil {
				return err
			}
		}
		j, err := shard.Open(dir)
		if err != nil {
			return err
		}
		r, err := j.Merge(note)
		if err != nil {
			return err
		}
		if r == nil {
			return cli.Shortf("the price is found: run the shards again, and then fleet merge")
		}
		totals, err := engine.Write(out, formats, parts, &r.Terms, &r.Joint, r.Records)
		if err != nil {
			return err
		}
		e := &r.Joint
		if text := gapNote(e); text != "" {
			fmt.Fprintln(os.Stderr, "fleet merge:", text)
		}
		note("%d curves of %d hours planned, %d not", totals.Curves, r.Terms.Hours, totals.Failures)
		note("orders %d cost %v bound %v seconds %.1f", totals.Orders, e.Cost, e.Bound, time.Since(start).Seconds())
		return nil
	})
}

func parseFormat(s string) (string, error) {
	if !slices.Contains(engine.Formats, s) {
		return "", fmt.Errorf("%q: want csv, parquet or focus", s)
	}
	return s, nil
}
