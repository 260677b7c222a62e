package shared_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll/preempt/shared"
)

// A task needs four GPUs. Each of two nodes has eight, all taken. On the first node, two jobs
// of four GPUs have run for 90 and 40 minutes; on the second, a job of two GPUs for 15
// minutes, and a gang that has six GPUs there and eight on the third node for 5 minutes. A
// budget keeps the gang: the 40 minutes of four GPUs are lost.
func ExampleSolver_Solve() {
	gpus := func(node int, n int64) shared.Part { return shared.Part{Node: node, Frees: []int64{n}} }
	p := shared.Problem{
		Requests: []shared.Request{{Needs: []int64{4}, Count: 1}},
		Nodes:    []shared.Node{{Room: []int64{0}}, {Room: []int64{0}}, {Room: []int64{0}}},
		Jobs: []shared.Job{
			{Waste: 4 * 90, Parts: []shared.Part{gpus(0, 4)}},
			{Waste: 4 * 40, Parts: []shared.Part{gpus(0, 4)}},
			{Waste: 2 * 15, Parts: []shared.Part{gpus(1, 2)}},
			{Waste: 14 * 5, Parts: []shared.Part{gpus(1, 6), gpus(2, 8)}, Draws: []shared.Draw{{Budget: 0, Count: 2}}},
		},
		Budgets: []int64{1},
	}
	var solver shared.Solver
	for _, allowed := range []int64{1, 2} {
		p.Budgets[0] = allowed
		plan, err := solver.Solve(&p, shared.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("jobs", plan.Lost, "lose", plan.Waste.Total(), "GPU minutes, proven:", plan.Exact())
	}
	// Output:
	// jobs [1] lose 160 GPU minutes, proven: true
	// jobs [3] lose 70 GPU minutes, proven: true
}

// Four tasks of eight processors for two nodes: prices find a plan.
func ExampleSolver_Approximate() {
	p := shared.Problem{Requests: []shared.Request{{Needs: []int64{8}, Count: 4}}}
	for n := range 2 {
		p.Nodes = append(p.Nodes, shared.Node{Room: []int64{0}})
		for k := range int64(4) {
			p.Jobs = append(p.Jobs, shared.Job{Waste: 10 * (k + 1), Parts: []shared.Part{{Node: n, Frees: []int64{8}}}})
		}
	}
	var solver shared.Solver
	plan, err := solver.Approximate(&p, nil)
	fmt.Println(plan.Hosts, plan.Lost, plan.Waste.Total(), err)
	// Output: [[2] [2]] [0 1 4 5] 60 <nil>
}
