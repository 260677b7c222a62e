// Fleet plans the purchases of a whole company: the demand curves of all accounts,
// regions and kinds, on an engine that many machines share.
//
//	cd examples/services/fleet && go run .
//
// plans a made-up fleet of 1,000 curves in this program; -h lists the choices, and
// README.md tells how other engines and batch systems do the same work.
//
// Each curve is planned exactly, with a certificate that is checked. One savings plan
// pays for all curves: the price of each hour of it is found on a sample, and a bound for
// the whole fleet says how good the plan is.
package main

import (
	"flag"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

var program = &cli.Program[options, *results]{
	Name: "fleet", Usage: usageText, Define: define, Work: work, Text: (*results).text, Rows: (*results).object,
	Files:   []cli.File[*results]{{Flag: "profile", Write: (*results).writeProfile}},
	Verdict: (*results).verdict, ShortIf: "a bill is not read whole or, with -strict, anything\nis not planned",
}

// commands are the subcommands by name. Without one, the fleet is planned on an engine.
var commands = map[string]func(args []string) int{
	"engine": engineCommand,
	"worker": workerCommand,
	"shard":  shardCommand,
	"merge":  mergeCommand,
}

func main() {
	quiet()
	if slices.ContainsFunc(os.Args[1:], func(a string) bool { return a == "--worker" || a == "--worker=true" }) {
		flag.Parse() // an engine has started this program as a worker: the flags are Beam's
		beam.Init()  // does not return
	}
	if len(os.Args) > 1 {
		if run, ok := commands[os.Args[1]]; ok {
			os.Exit(run(os.Args[2:]))
		}
	}
	program.Main()
}
