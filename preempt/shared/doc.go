// Package shared decides which running jobs give way on nodes that jobs share, so that
// waiting tasks find room and the least work is lost.
//
//	var solver shared.Solver
//	plan, err := solver.Solve(&problem, shared.Options{Steps: 64})
//	if err != nil { ... }
//	for node, counts := range plan.Hosts { ... } // how many tasks of each request go to node
//	for _, job := range plan.Lost { ... }        // the jobs that give way
//	plan.Exact()                                 // whether no plan loses less
//
//	you have                              you want                       call
//	one task, or few                      the least waste, with a proof  Solver.Solve
//	few tasks and a time limit            the best plan and a bound      Solver.Solve with Options.Stop
//	a hundred tasks, thousands of nodes   a good plan in milliseconds    Solver.Approximate
//
// # Problem
//
// Package preempt takes nodes from jobs that have whole nodes, all alike. Here jobs have
// parts of nodes, and several resources count. Room on two nodes does not add up: a task
// runs on one node. A job that gives way on one node is lost on all its nodes.
//
//	minimise    Σ w_j over the lost jobs j
//	subject to  Σ_s m_{n,s}·a_s ≤ r_n + Σ f_{j,n} over the lost jobs j, on each node n, in each resource
//	            Σ_n m_{n,s} ≥ k_s, for each request s
//	            Σ d_{j,b} over the lost jobs j ≤ D_b, for each disruption budget b
//
// Request s asks for k_s tasks. Each task needs a_s, and m_{n,s} tasks of s go to node n. Node
// n has room r_n, and job j has the part f_{j,n} of node n. Budget b counts d_{j,b} tasks of
// job j.
//
// The waste w_j is a vector with one entry for each priority, the highest first. Vectors are
// compared from the first entry on. So a plan of least waste loses no work of a higher
// priority to save work of a lower priority, however much. Approximate may.
//
// # Algorithms
//
// One node: sets of jobs are built job by job. A set is dropped if another set frees as
// much in each resource, draws as little on each budget, and wastes no more. The sets that
// are left give the least waste of the node for each number of tasks.
//
// All nodes: a dynamic program over the nodes shares the tasks out. The program is exact if
// no job spans two nodes. A job that spans nodes pays each node a share of its waste. If a
// plan loses the job on some nodes only, the shares are too few, and the result is a lower
// bound. Branch and bound closes the gap: one branch loses the job, the other branch keeps
// the job. A budget that the nodes overdraw together is branched on in the same way.
//
// Many tasks: a price for each task takes the nodes apart (prices.go). The plan is feasible
// and has no bound.
//
// For one task, one node hosts the task, and the first bound is the optimum. For equal
// tasks, and nodes that have room for one task each, the problem is that of
// preempt.Solver.AppendVictims. A test holds that both waste the same.
//
// # Units, allocation and concurrency
//
// Amounts, waste and budgets are integers in units of the caller's choice, so equal choices
// are equal. A Solver allocates nothing once warm. It is for one goroutine at a time.
package shared
