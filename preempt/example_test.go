package preempt_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/preempt"
)

// partition is ten nodes with four jobs: two that have just started, one on four
// nodes that has run for an hour, and one for a day.
func partition() preempt.State {
	return preempt.State{
		Jobs: []preempt.Job{
			{Nodes: 1, Elapsed: 50 * time.Minute, Requested: 2 * time.Hour},
			{Nodes: 2, Elapsed: 10 * time.Minute, Requested: 12 * time.Minute},
			{Nodes: 4, Elapsed: 45 * time.Minute, Requested: 8 * time.Hour},
			{Nodes: 2, Elapsed: 24 * time.Hour, Requested: 48 * time.Hour, Priority: 10},
		},
		Node: []int{0, 1, 1, 2, 2, 2, 2, 3, 3, preempt.Idle},
	}
}

// A partition reports what its nodes are worth to it, and its host takes the four
// with the lowest values.
func Example() {
	st := partition()
	var scorer preempt.Scorer
	values := make([]float64, len(st.Node))
	if err := scorer.ValuesTo(values, st, preempt.PAP, preempt.ValueOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("values %.3f\n", values)
	nodes, err := scorer.AppendLowest(nil, values, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	hit, err := scorer.AppendHit(nil, st, nodes)
	if err != nil {
		fmt.Println(err)
		return
	}
	remaining := []time.Duration{time.Hour, time.Minute, 4 * time.Hour, 6 * time.Hour}
	fmt.Println("nodes", nodes, "jobs", hit, "waste", preempt.SumWasted(st.Jobs, remaining, hit, 2*time.Minute))
	// Output:
	// values [0.017 0.007 0.007 0.063 0.063 0.063 0.063 1.000 1.000 0.000]
	// nodes [0 1 2 9] jobs [0 1] waste 3120 node-seconds
}

// Which jobs to lose so that five nodes come free: by rank it is jobs 0, 1 and 2,
// of which job 0 dies for nothing, since job 2 frees four nodes when three are
// needed.
func ExampleSolver_AppendVictims() {
	st := partition()
	remaining := []time.Duration{time.Hour, time.Hour, 4 * time.Hour, 6 * time.Hour}
	p := preempt.Preemption{Take: 5, Grace: 2 * time.Minute, Outlast: make([]float64, len(st.Jobs))}
	preempt.OutlastTo(p.Outlast, remaining, p.Grace)

	var scorer preempt.Scorer
	values := make([]float64, len(st.Node))
	scorer.ValuesTo(values, st, preempt.PAP, preempt.ValueOptions{})
	nodes, _ := scorer.AppendLowest(nil, values, p.Take)
	hit, _ := scorer.AppendHit(nil, st, nodes)
	fmt.Println("by rank", hit, preempt.SumWasted(st.Jobs, remaining, hit, p.Grace))

	var solver preempt.Solver
	victims, err := solver.AppendVictims(nil, st, p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("least waste", victims, preempt.SumWasted(st.Jobs, remaining, victims, p.Grace))
	// Output:
	// by rank [0 1 2] 15840 node-seconds
	// least waste [2] 11280 node-seconds
}

// With many jobs the greedy form is quicker, and wastes at most twice the least.
// A host takes 40 of 64 nodes, in two minutes. Without checkpoints, the least loss is all
// that the two youngest of the large jobs have done. Two jobs write a checkpoint when
// they are told to, one saves each half hour: other jobs go, and nearly nothing is lost.
func ExampleCheckpoint() {
	state := preempt.State{Jobs: []preempt.Job{
		{Nodes: 24, Elapsed: 5 * time.Hour},
		{Nodes: 16, Elapsed: 3 * time.Hour},
		{Nodes: 16, Elapsed: 40 * time.Minute},
		{Nodes: 8, Elapsed: 35 * time.Minute},
	}}
	for j, job := range state.Jobs {
		state.Node = append(state.Node, slices.Repeat([]int{j}, job.Nodes)...)
	}
	remaining := slices.Repeat([]time.Duration{time.Hour}, 4) // nobody knows, but that is how long
	var solver preempt.Solver
	report := func(title string) {
		p := preempt.Preemption{Take: 40, Grace: 2 * time.Minute}
		victims, err := solver.AppendVictims(nil, state, p)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: jobs %v, %.2f node-hours\n", title, victims, preempt.SumWasted(state.Jobs, remaining, victims, p.Grace).Hours())
		for _, j := range victims {
			if after, ask := state.Jobs[j].AskAfter(p.Grace); ask {
				fmt.Printf("  ask job %d to save %v after the notice\n", j, after)
			}
		}
	}
	report("without checkpoints")
	state.Jobs[0].Checkpoint = &preempt.Checkpoint{Saved: 4*time.Hour + 50*time.Minute, Cost: time.Minute, OnRequest: true}
	state.Jobs[1].Checkpoint = &preempt.Checkpoint{Saved: 2*time.Hour + 45*time.Minute, Every: 30 * time.Minute}
	state.Jobs[2].Checkpoint = &preempt.Checkpoint{Saved: 20 * time.Minute, Cost: 90 * time.Second, OnRequest: true}
	report("with checkpoints")
	// Output:
	// without checkpoints: jobs [1 2 3], 64.67 node-hours
	// with checkpoints: jobs [0 2], 0.80 node-hours
	//   ask job 0 to save 1m0s after the notice
	//   ask job 2 to save 30s after the notice
}

func ExampleSolver_AppendGreedy() {
	st := partition()
	var solver preempt.Solver
	victims, err := solver.AppendGreedy(nil, st, preempt.Preemption{Take: 5, Grace: 2 * time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(victims)
	// Output:
	// [2]
}

// The best set for a host that only ranks nodes: its five lowest are those of the
// victims, and the idle one.
func ExampleScorer_VectorTo() {
	st := partition()
	var solver preempt.Solver
	victims, err := solver.AppendVictims(nil, st, preempt.Preemption{Take: 5, Grace: 2 * time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	var scorer preempt.Scorer
	values := make([]float64, len(st.Node))
	if err := scorer.VectorTo(values, st, victims, 0); err != nil {
		fmt.Println(err)
		return
	}
	nodes, _ := scorer.AppendLowest(nil, values, 5)
	fmt.Printf("%.2f\n%v\n", values, nodes)
	// Output:
	// [0.50 0.50 0.50 0.38 0.38 0.38 0.38 1.00 1.00 0.00]
	// [3 4 5 6 9]
}

// A job that has run for 20 minutes: will it end within the grace period of ten?
// Its user asked for two hours, as for all jobs; those that ran as long seldom
// took half an hour.
func ExampleSurvival() {
	var s preempt.Survival
	const user, other = 1, 2
	for _, minutes := range []int{2, 25, 3, 28, 22, 27, 1, 24, 55, 26} {
		s.Observe(user, time.Duration(minutes)*time.Minute)
	}
	for range 50 {
		s.Observe(other, 3*time.Hour)
	}
	job := preempt.Job{Nodes: 4, Elapsed: 20 * time.Minute, Requested: 2 * time.Hour}
	grace := 10 * time.Minute
	requested := make([]float64, 1)
	preempt.RequestedTo(requested, []preempt.Job{job}, grace)
	fmt.Printf("as requested: %.2f\n", requested[0])
	fmt.Printf("this user's: %.2f\n", s.Chance(user, job.Elapsed, grace))
	fmt.Printf("the other's: %.2f\n", s.Chance(other, job.Elapsed, grace))
	// Output:
	// as requested: 1.00
	// this user's: 0.42
	// the other's: 0.99
}

// What the priority of a queue costs the others, over two preemptions.
func ExampleTally() {
	st := partition()
	remaining := []time.Duration{time.Hour, time.Hour, 4 * time.Hour, 6 * time.Hour}
	var pap, plus preempt.Tally
	pap.Add(st.Jobs, remaining, []int{0, 1, 3}, time.Minute)
	plus.Add(st.Jobs, remaining, []int{2}, time.Minute)
	for _, t := range []*preempt.Tally{&pap, &plus} {
		fmt.Printf("priority 10: %.1f node-hours, others: %.1f\n", t.Of(10).Hours(), t.Of(1).Hours())
	}
	// Output:
	// priority 10: 48.0 node-hours, others: 1.2
	// priority 10: 0.0 node-hours, others: 3.1
}
