// Replay says what the jobs of a log cost, and how long they wait: go run . [LOG.swf]
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

func main() {
	// A thousand jobs of a supercomputer, made up, or those of a log in the Standard Workload Format.
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 2)), 1000, workload.Options{Nodes: 64})
	if len(os.Args) > 1 {
		var f *os.File
		if f, err = os.Open(os.Args[1]); err == nil {
			jobs, _, err = trace.Convert(trace.NewReader(f).Records(), trace.Options{PerInstance: 4}) // processors
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	// Every user rents alone, or all share a cluster that grows and shrinks.
	for _, mode := range []sim.Mode{sim.Individual, sim.SEC} {
		r, err := new(sim.Simulator).Run(jobs, sim.Options{Mode: mode, Hourly: 192 * pricing.Milli})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-10v waits %v, costs $%v\n", mode, r.MeanWait.Round(time.Second), r.Cost.Fixed(0))
	}
}

// Output:
// individual waits 3m37s, costs $1104
// sec        waits 1m10s, costs $423
