package sim_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
	"github.com/plimsoll/plimsoll/schedule/workload"
)

// A month of jobs on a machine of 128 nodes: rent job by job, or together?
func Example() {
	jobs, err := workload.AppendLublin(nil, rand.New(rand.NewPCG(1, 1)), 5000, workload.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var s sim.Simulator
	for _, mode := range []sim.Mode{sim.Individual, sim.NoWait, sim.SEC} {
		r, err := s.Run(jobs, sim.Config{Mode: mode})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-10v waits %3.0f s, pays $%v at %2.0f%% utilisation\n",
			mode, r.MeanWait.Seconds(), r.Cost.Fixed(0), 100*r.Utilisation)
	}
	// Output:
	// individual waits 235 s, pays $206465 at 52% utilisation
	// nowait     waits  81 s, pays $144996 at 74% utilisation
	// sec        waits 126 s, pays $135576 at 79% utilisation
}

// The capacity that the cluster needed hour by hour is what a purchase of
// reserved instances is planned for.
func ExampleResult_AppendDemand() {
	jobs := []trace.Job{
		{ID: 1, Submit: 0, Run: 50 * time.Minute, Estimate: time.Hour, Nodes: 4},
		{ID: 2, Submit: 70 * time.Minute, Run: 2 * time.Hour, Estimate: 3 * time.Hour, Nodes: 6},
	}
	var s sim.Simulator
	r, err := s.Run(jobs, sim.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.AppendDemand(nil, time.Hour))
	fmt.Printf("%.0f hours charged for %.2f used\n", r.ChargedHours, r.UsedHours)
	// Output:
	// [4 6 6 6 6]
	// 22 hours charged for 15.33 used
}
