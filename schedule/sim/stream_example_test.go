package sim_test

import (
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/schedule/sim"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A log of years does not fit in memory: read it, replay it and write the waits line by
// line. The reader holds a buffer, and the simulator the jobs that wait or run.
func ExampleSimulator_Stream() {
	// os.Open gives a log of any length, plain or gzip.
	file := strings.NewReader(`; MaxProcs: 64
1    0 -1 5400 32 -1 -1 32 7200 -1 1 7 -1 -1 -1 -1 -1 -1
2  600 -1 1800 16 -1 -1 16 3600 -1 1 8 -1 -1 -1 -1 -1 -1
3 7000 -1  900 48 -1 -1 48  900 -1 1 7 -1 -1 -1 -1 -1 -1
`)
	jobs := func(yield func(trace.Job, error) bool) {
		for r, err := range trace.NewReader(file).Records() {
			j := trace.Job{ID: r.ID, Submit: r.Submit, Run: r.Run, Estimate: r.ReqTime, Nodes: (r.Processors + 15) / 16, User: r.User}
			if !yield(j, err) {
				return
			}
		}
	}
	var s sim.Simulator
	r, err := s.Stream(jobs, sim.Options{},
		func(_ int, j *trace.Job, at time.Duration) {
			fmt.Printf("job %d of user %d waits %v\n", j.ID, j.User, at-j.Submit)
		},
		func(l sim.Level) { /* write l.Held to a file */ },
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f instance-hours charged, $%v\n", r.ChargedHours, r.Cost.Fixed(2))
	// Output:
	// job 1 of user 7 waits 3m6s
	// job 2 of user 8 waits 2m6s
	// job 3 of user 7 waits 2m6s
	// 8 instance-hours charged, $19.20
}
