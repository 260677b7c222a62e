// Victims says which jobs lose their nodes, so that the least work is lost.
package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/preempt"
)

func main() {
	// Another partition wants twelve of forty nodes in a quarter of an hour. Six are idle.
	running := preempt.State{Jobs: []preempt.Job{
		{Nodes: 16, Elapsed: 5 * time.Hour, Requested: 6 * time.Hour},
		{Nodes: 8, Elapsed: 30 * time.Minute, Requested: 2 * time.Hour},
		{Nodes: 10, Elapsed: 10 * time.Minute, Requested: 20 * time.Minute},
	}}
	for job, j := range running.Jobs { // the job of each node
		running.Node = append(running.Node, slices.Repeat([]int{job}, j.Nodes)...)
	}
	running.Node = append(running.Node, slices.Repeat([]int{preempt.Idle}, 6)...)
	p := preempt.Preemption{Take: 12, Grace: 15 * time.Minute, Outlast: make([]float64, 3)}
	preempt.RequestedTo(p.Outlast, running.Jobs, p.Grace) // does a job outlast the grace period?
	victims, err := new(preempt.Solver).AppendVictims(nil, running, p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("take the idle nodes and the nodes of jobs", victims)
	fmt.Println("job 2 ends within the grace period, and no work is lost")
}

// Output:
// take the idle nodes and the nodes of jobs [2]
// job 2 ends within the grace period, and no work is lost
