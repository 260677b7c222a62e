package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
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
again; a task that is done does nothing. With more shards less is lost by a kill.

  -dir DIR       the folder, which all tasks reach (default fleet.work)
  -h             print this

The other flags say what to plan, are those of fleet -h, and must be the same for each
task: -bill, -start, -hours, -prices, -plan, -held, -held-until, -model, -futures,
-currency, -curves, -poison, -seed, -sample and -rounds.

Exits with 2 if another process works on the shard, or the folder holds another fleet.
`

const mergeUsage = `Usage: fleet merge [flags]

Does what comes after a round of fleet shard. Where bills are read, it lets the shards
group them; then it finds the price of the savings plan on the sample. It exits with 3
each time: the shards must run again. After the last round it commits, writes the orders,
and prints what fleet prints on an engine. It can run again at any time, and gives the same.

  -dir DIR       the folder of the shards (default fleet.work)
  -out DIR       folder for plans, orders and failures, in parts by account (default: none)
  -format LIST   of orders: csv, parquet, focus, with commas between (default csv)
  -parts N       files of each kind (default 8)
  -strict        exit with 1 if an account, kind or file is not planned
  -json          print one object
  -h             print this

Exits with 2 if shards are missing, and names them.
`

const workDir = "fleet.work"

// shardCommand is fleet shard. It returns the exit status.
func shardCommand(args []string, stdout, stderr io.Writer) int {
	err := planShard(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		_, err = io.WriteString(stdout, shardUsage)
	}
	return cli.Exit(stderr, "fleet shard", err)
}

func planShard(args []string, stdout io.Writer) error {
	j := shard.Job{Dir: workDir}
	var o input
	f := cli.NewFlags("fleet shard")
	o.define(f)
	f.Name("dir", &j.Dir, "the name of a folder")
	// The shard comes last, as in fleet shard -dir DIR 3/16, or first.
	name := ""
	switch n := len(args); {
	case n > 0 && !strings.HasPrefix(args[0], "-"):
		name, args = args[0], args[1:]
	case n > 0 && !strings.HasPrefix(args[n-1], "-"):
		name, args = args[n-1], args[:n-1]
	}
	err := f.Parse(args)
	if err != nil {
		return err
	}
	if name == "" {
		return cli.Mistakef("no shard: want fleet shard I/N, such as fleet shard 1/16")
	}
	i := 0
	if i, j.Of, err = shardOf(name); err != nil {
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
	return j.Shard(i, func(format string, args ...any) { fmt.Fprintf(stdout, format+"\n", args...) })
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

// mergeOptions are the flags of merge.
type mergeOptions struct {
	output
	dir string
}

func defineMerge(o *mergeOptions, f *cli.Flags) {
	o.dir = workDir
	o.output.define(f)
	f.Name("dir", &o.dir, "the name of a folder")
}

// merge does what comes after a round of shards.
func merge(o *mergeOptions, run *cli.Run) (*results, error) {
	start := time.Now()
	if o.out != "" {
		if err := o.outDir(); err != nil {
			return nil, err
		}
	}
	j, err := shard.Open(o.dir)
	if err != nil {
		return nil, err
	}
	got, err := j.Merge(run.Sayf)
	if err != nil {
		return nil, err
	}
	if got == nil {
		return nil, cli.Shortf("this round is done: run the shards again, and then fleet merge")
	}
	totals, err := engine.Write(o.out, o.formats, o.parts, &got.Terms, &got.Joint, got.Records)
	if err != nil {
		return nil, err
	}
	r := &results{output: o.output, summary: &engine.Summary{Terms: got.Terms, Totals: totals, Joint: got.Joint}, covered: got.Covered, unread: got.Unread,
		took: time.Since(start)}
	return r, r.tell(run)
}
