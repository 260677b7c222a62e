package schedule_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
)

// A cluster of 16 nodes runs a job on 10 of them for two more hours, by its
// estimate. The next in the queue needs all 16, so it gets a reservation at
// 2:00. EASY starts the third job meanwhile, as it ends before, but not the
// fourth, which would hold 4 nodes at 2:00.
func ExampleEASY() {
	s := &schedule.EASY{}
	s.Reset(16)
	for _, j := range []schedule.Job{
		{ID: 1, Estimate: 2 * time.Hour, Nodes: 10},
		{ID: 2, Estimate: 3 * time.Hour, Nodes: 16},
		{ID: 3, Estimate: 90 * time.Minute, Nodes: 2},
		{ID: 4, Estimate: 5 * time.Hour, Nodes: 4},
	} {
		s.Submit(j)
		for _, a := range s.AppendStarts(nil, 0) {
			fmt.Printf("job %d starts on %d nodes\n", a.ID, a.Nodes)
		}
	}
	top, at, _ := s.Top(0)
	waiting, _ := s.Waiting()
	fmt.Printf("job %d will start by %v; %d jobs wait, %d nodes are free\n", top.ID, at, waiting, s.Free())
	// Output:
	// job 1 starts on 10 nodes
	// job 3 starts on 2 nodes
	// job 2 will start by 2h0m0s; 2 jobs wait, 4 nodes are free
}

// Six of eight nodes are in use for an hour. Job 2 waits for six nodes, job 3 for all
// eight, and job 4 for two nodes and five hours. EASY lets job 4 start beside job 2, which
// makes job 3 wait for five hours. With two reservations job 3 starts after two hours.
func ExampleEASY_reservations() {
	for _, reservations := range []int{1, 2} {
		s := &schedule.EASY{Reservations: reservations}
		s.Reset(8)
		s.Submit(schedule.Job{ID: 1, Estimate: time.Hour, Nodes: 6})
		s.AppendStarts(nil, 0)
		s.Submit(schedule.Job{ID: 2, Submit: 1, Estimate: time.Hour, Nodes: 6})
		s.Submit(schedule.Job{ID: 3, Submit: 2, Estimate: time.Hour, Nodes: 8})
		s.Submit(schedule.Job{ID: 4, Submit: 3, Estimate: 5 * time.Hour, Nodes: 2})
		fmt.Printf("%d reserved: %d of the waiting jobs start now\n", reservations, len(s.AppendStarts(nil, time.Minute)))
	}
	// Output:
	// 1 reserved: 1 of the waiting jobs start now
	// 2 reserved: 0 of the waiting jobs start now
}

// The same jobs, strictly in order: nothing overtakes job 2.
func ExampleFCFS() {
	s := &schedule.FCFS{}
	s.Reset(16)
	s.Submit(schedule.Job{ID: 1, Estimate: 2 * time.Hour, Nodes: 10})
	s.Submit(schedule.Job{ID: 2, Estimate: 3 * time.Hour, Nodes: 16})
	s.Submit(schedule.Job{ID: 3, Estimate: 90 * time.Minute, Nodes: 2})
	started := s.AppendStarts(nil, 0)
	waiting, _ := s.Waiting()
	fmt.Println(len(started), "started,", waiting, "wait")

	// Job 1 ends after 40 minutes instead of two hours.
	now := 40 * time.Minute
	s.Finish(started[0], now)
	for _, a := range s.AppendStarts(nil, now) {
		fmt.Printf("job %d starts at %v\n", a.ID, a.Start)
	}
	// Output:
	// 1 started, 2 wait
	// job 2 starts at 40m0s
}

// Every waiting job has a reservation. EASY would start job 4, since it does
// not delay job 2; but it would delay job 3 from 3:00 to 4:00.
func ExampleConservative() {
	for _, s := range []schedule.Scheduler{&schedule.EASY{}, &schedule.Conservative{}} {
		s.Reset(10)
		s.Submit(schedule.Job{ID: 1, Estimate: 2 * time.Hour, Nodes: 8})
		s.Submit(schedule.Job{ID: 2, Estimate: 1 * time.Hour, Nodes: 8})
		s.Submit(schedule.Job{ID: 3, Estimate: 1 * time.Hour, Nodes: 10})
		s.Submit(schedule.Job{ID: 4, Estimate: 4 * time.Hour, Nodes: 2})
		fmt.Printf("%T starts", s)
		for _, a := range s.AppendStarts(nil, 0) {
			fmt.Print(" ", a.ID)
		}
		fmt.Println()
	}
	// Output:
	// *schedule.EASY starts 1 4
	// *schedule.Conservative starts 1
}

// A professor's job is worth eight hours in the queue of a student's, and large
// jobs get a little ahead so that they do not starve.
func ExampleWeights() {
	const student, professor = 1, 2
	w := schedule.Weights{User: map[int]float64{professor: 8}, Hour: 1, Node: 0.1}
	s := &schedule.EASY{Order: w.Priority}
	s.Reset(0) // nothing can start: only the order matters here
	s.Submit(schedule.Job{ID: 1, User: student, Submit: 0, Estimate: time.Hour, Nodes: 4})
	s.Submit(schedule.Job{ID: 2, User: student, Submit: 3 * time.Hour, Estimate: time.Hour, Nodes: 64})
	s.Submit(schedule.Job{ID: 3, User: professor, Submit: 7 * time.Hour, Estimate: time.Hour, Nodes: 4})
	s.Submit(schedule.Job{ID: 4, User: professor, Submit: 9 * time.Hour, Estimate: time.Hour, Nodes: 4})
	for _, j := range s.AppendWaiting(nil) {
		fmt.Printf("job %d: %+.1f\n", j.ID, w.Priority(j))
	}
	// Output:
	// job 2: +3.4
	// job 3: +1.4
	// job 1: +0.4
	// job 4: -0.6
}

// Shortest first in place of first come, first served.
func ExampleShortestFirst() {
	s := &schedule.FCFS{Order: schedule.ShortestFirst}
	s.Reset(8)
	s.Submit(schedule.Job{ID: 1, Estimate: 10 * time.Hour, Nodes: 8})
	s.Submit(schedule.Job{ID: 2, Estimate: time.Hour, Nodes: 8})
	fmt.Println("job", s.AppendStarts(nil, 0)[0].ID, "starts")
	// Output:
	// job 2 starts
}

// A job of eight nodes waits, and six are up. By how many nodes should the cluster
// grow? BestSize counts the long jobs and the first short one, behind which the other
// short jobs can run.
func ExampleExpansion() {
	waiting := []schedule.Job{
		{ID: 1, Estimate: 6 * time.Hour, Nodes: 8},
		{ID: 2, Estimate: 20 * time.Minute, Nodes: 2},
		{ID: 3, Estimate: 30 * time.Minute, Nodes: 4},
		{ID: 4, Estimate: 2 * time.Hour, Nodes: 1},
	}
	var a schedule.Autoscaler
	_, view := a.Predict(&schedule.Snapshot{Running: []schedule.Allocation{{Job: schedule.Job{ID: 9, Estimate: time.Hour, Nodes: 6}}}, Waiting: waiting})
	for _, e := range []schedule.Expansion{schedule.FirstSize, schedule.BestSize, schedule.SumSize} {
		a.Expansion = e
		fmt.Printf("%-5v %2d nodes\n", e, a.Decide(nil, &view).Grow)
	}
	// Output:
	// first  8 nodes
	// best  11 nodes
	// sum   15 nodes
}

// Should my cluster grow now? At 9:00 two of its ten nodes are idle, a job has the
// other eight until 11:00, and two jobs wait. The first one would wait for two hours,
// so the cluster grows, to twelve nodes at most. An hour later nobody waits, and
// of three idle nodes the two go that are charged again within the next minute.
func ExampleAutoscaler() {
	a := schedule.Autoscaler{Most: 12, Pause: 10 * time.Minute}
	if err := a.Validate(); err != nil {
		panic(err)
	}
	now := 9 * time.Hour
	starts, view := a.Predict(&schedule.Snapshot{
		Now: now, Idle: 2,
		Running: []schedule.Allocation{{Job: schedule.Job{ID: 1, Estimate: 4 * time.Hour, Nodes: 8}, Start: 7 * time.Hour}},
		Waiting: []schedule.Job{
			{ID: 2, Submit: now, Estimate: 6 * time.Hour, Nodes: 5},
			{ID: 3, Submit: now, Estimate: time.Hour, Nodes: 2},
		},
	})
	verdict := a.Decide(nil, &view)
	fmt.Printf("job %d starts before its turn\n", starts[0].ID)
	fmt.Printf("job %d would start at %v: request %d nodes, and %d more without the limit (%v)\n",
		view.Top.ID, view.Start, verdict.Grow, verdict.Withheld, verdict.Cause)

	now += time.Hour
	due := []time.Duration{now + 20*time.Second, now + 30*time.Minute, now + 59*time.Second}
	_, view = a.Predict(&schedule.Snapshot{Now: now, Idle: 3, Due: due, Until: verdict.Until})
	fmt.Println("give back", a.Decide(nil, &view).Release)
	// Output:
	// job 3 starts before its turn
	// job 2 would start at 11h0m0s: request 2 nodes, and 3 more without the limit (wait)
	// give back [0 2]
}

// A lease begun at 8:10:30 is charged again at 9:10:30. With a check every
// minute, the instance goes at 9:10:00 if it is idle then, and not earlier.
func ExampleAutoscaler_NextCheck() {
	var a schedule.Autoscaler
	due := 9*time.Hour + 10*time.Minute + 30*time.Second
	fmt.Println(a.NextCheck(due, 8*time.Hour+20*time.Minute))
	// Output:
	// 9h10m0s
}
