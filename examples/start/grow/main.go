// Grow says whether a cluster should grow now, and by how many nodes.
package main

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
)

func main() {
	scaler := schedule.Autoscaler{WaitLimit: 30 * time.Minute, Most: 16}
	_, view := scaler.Predict(&schedule.Snapshot{Now: 5 * time.Minute, Idle: 2,
		Running: []schedule.Allocation{{Job: schedule.Job{ID: 1, Estimate: 2 * time.Hour, Nodes: 6}}},
		Waiting: []schedule.Job{
			{ID: 2, Submit: 1 * time.Minute, Estimate: 2 * time.Hour, Nodes: 4},
			{ID: 3, Submit: 2 * time.Minute, Estimate: 2 * time.Hour, Nodes: 8},
		}})
	verdict := scaler.Decide(nil, &view)
	fmt.Printf("job %d would wait until %v: request %d nodes, %d more without the limit\n",
		view.Top.ID, view.Start, verdict.Grow, verdict.Withheld)
}

// Output:
// job 2 would wait until 2h0m0s: request 8 nodes, 2 more without the limit
