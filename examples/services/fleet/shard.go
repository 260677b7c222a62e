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

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/engine"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/shard"
)

const shardUsage = `Usage: fleet shard [flags] I/N

Plans a part of a fleet, without an engine: task I of N of a batch system. The tasks share
a folder. A fleet takes two rounds of N tasks, and three if it comes from bills, with
fleet merge after each; a task sees which round it is. A task that was killed can run
again and goes on where it was; a task that is done does nothing.

  -dir DIR       the folder, which all tasks reach (default fleet.work)
  -part N        curves after which a task saves what it has (default 500)
  -h             print this

The other flags say what to plan, are those of fleet -h, and must be the same for each
task: -bill, -start, -hours, -prices, -plan, -held, -held-until, -model, -paths,
-currency, -curves, -poison, -seed, -sample and -rounds.

Exits with 2 if another process works on the shard, or the folder holds another fleet.
`

const mergeUsage = `Usage: fleet merge [flags]

Does what comes after a round of fleet shard. Where bills are read, it lets the shards
group them; then it finds the price of the savings plan on the sample. It exits with 3
each time: the shards must run again. After the last round it commits, writes the orders, and prints the line that fleet prints on an engine.
It can run again at any time, and gives the same.

  -dir DIR       the folder of the shards (default fleet.work)
  -out DIR       folder for plans, orders and failures, in parts by account (default: none)
  -format LIST   of orders: csv, parquet, focus, with commas between (default csv)
  -parts N       files of each kind (default 8)
  -strict        exit with 1 if an account, kind or file is not planned
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
		j := shard.Job{Dir: workDir}
		var o input
		f := cli.NewFlags("fleet shard")
		o.define(f)
		f.Name("dir", &j.Dir, "the name of a folder")
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
		j.Plan = shard.Plan{Sample: o.sample, Seed: o.seed, Rounds: o.rounds}
		var x group.Terms
		if j.Bills, j.Fleet, x, err = o.fleet(); err != nil {
			return err
		}
		if j.Bills != nil {
			j.Terms = &x
		}
		j.Of = of
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
		strict := false
		f := cli.NewFlags("fleet merge")
		f.Switch("strict", &strict)
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
			return cli.Shortf("this round is done: run the shards again, and then fleet merge")
		}
		totals, err := engine.Write(out, formats, parts, &r.Terms, &r.Joint, r.Records)
		if err != nil {
			return err
		}
		e := &r.Joint
		for _, text := range append(heldNotes(&r.Terms), gapNote(e)) {
			if text != "" {
				fmt.Fprintln(os.Stderr, "fleet merge:", text)
			}
		}
		note("%d curves of %d hours planned, %d not", totals.Curves, r.Terms.Hours, totals.Failures)
		if text := coveredNote(r.Covered, r.Terms.Hours, r.Terms.Start.Add(-time.Duration(r.Terms.Hours)*time.Hour)); text != "" {
			fmt.Fprintln(os.Stderr, "fleet merge:", text)
		}
		note("orders %d cost %v bound %v seconds %.1f", totals.Orders, e.Cost, e.Bound, time.Since(start).Seconds())
		if len(r.Unread) > 0 {
			return fmt.Errorf("%d bills were not read whole, such as %s: the plan lacks what they say", len(r.Unread), r.Unread[0])
		}
		if strict && totals.Failures > 0 {
			return fmt.Errorf("-strict: %d accounts, kinds or files are not planned", totals.Failures)
		}
		if totals.Curves == 0 {
			return fmt.Errorf("nothing is planned: %d accounts, kinds or files failed", totals.Failures)
		}
		return nil
	})
}

func parseFormat(s string) (string, error) {
	if !slices.Contains(engine.Formats, s) {
		return "", fmt.Errorf("%q: want csv, parquet or focus", s)
	}
	return s, nil
}
