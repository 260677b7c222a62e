// Fleet plans the purchases of a whole company: the demand curves of all accounts,
// regions and kinds, on an engine that many machines share.
//
//	cd examples/services/fleet && go run .
//
// plans a made-up fleet of 60 curves in this program; -h lists the choices, and
// README.md tells how other engines and batch systems do the same work.
//
// Each curve is planned exactly, with a certificate that is checked. One savings plan
// pays for all curves: the price of each hour of it is found on a sample, and a bound for
// the whole fleet says how good the plan is.
package main

import (
	"flag"
	"io"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// program plans a fleet on an engine.
var program = &cli.Program[options, *results]{Name: "fleet", Usage: usageText, Define: define, Work: work, Text: (*results).text,
	Rows: (*results).object, Verdict: (*results).verdict,
	Kept: "the parts in -out may be of two runs; there is no _SUCCESS until a run is done"}

// merging puts shards together.
var merging = &cli.Program[mergeOptions, *results]{Name: "fleet merge", Usage: mergeUsage, Define: defineMerge, Work: merge, Text: (*results).text,
	Rows: (*results).object, Verdict: (*results).verdict}

// execute is the program. It returns the exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) > 0 && args[0] == "shard":
		return shardCommand(args[1:], stdout, stderr)
	case len(args) > 0 && args[0] == "merge":
		return merging.Run(args[1:], stdout, stderr)
	}
	return program.Run(args, stdout, stderr)
}

func main() {
	quiet()
	if slices.ContainsFunc(os.Args[1:], func(a string) bool { return a == "--worker" || a == "--worker=true" }) {
		flag.Parse() // an engine has started this program as a worker: the flags are Beam's
		beam.Init()  // does not return
	}
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
