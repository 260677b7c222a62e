package shared

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// madeUp is a cluster: nodes of 32 processors and 128 GiB, pods of 1 to 4 processors, a
// third of them in gangs of 2 to 16 over the nodes, 25 pods on a node.
func madeUp(rng *rand.Rand, nodes, perNode, waiting int) *Problem {
	p := &Problem{Requests: []Request{{Needs: []int64{4000, 16 << 10, 1}, Count: waiting}}, Budgets: make([]int64, 40)}
	for b := range p.Budgets {
		p.Budgets[b] = rng.Int64N(4)
	}
	for range nodes {
		p.Nodes = append(p.Nodes, Node{Room: []int64{rng.Int64N(3000), rng.Int64N(16 << 10), 85}})
	}
	for left := nodes * perNode; left > 0; {
		size := 1
		if rng.IntN(12) == 0 {
			size = min(2+rng.IntN(15), left, nodes)
		}
		j := Job{Priority: rng.Int32N(2) * 100}
		lost := rng.ExpFloat64() * 4 * 3600e3
		cpu := 1 + rng.Int64N(4)
		for _, n := range rng.Perm(nodes)[:size] {
			j.Parts = append(j.Parts, Part{n, []int64{cpu * 500, cpu << 11, 1}})
			j.Waste += int64(lost)
		}
		if rng.IntN(10) == 0 {
			j.Draws = []Draw{{rng.IntN(40), int64(size)}}
		}
		p.Jobs = append(p.Jobs, j)
		left -= size
	}
	return p
}

func BenchmarkSolve(b *testing.B) {
	for _, c := range []struct{ nodes, perNode, waiting, steps int }{
		{1000, 10, 1, 1}, {1000, 10, 20, 1}, {1000, 10, 100, 1}, {200, 25, 1, 1}, {200, 25, 20, 16}, {200, 25, 100, 16}, {200, 25, 200, 200},
	} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/waiting=%d/steps=%d", c.nodes, c.nodes*c.perNode, c.waiting, c.steps), func(b *testing.B) {
			p := madeUp(rand.New(rand.NewPCG(1, 2)), c.nodes, c.perNode, c.waiting)
			var s Solver
			var plan Plan
			for b.Loop() {
				plan = solve(b, &s, p, Options{Steps: c.steps})
			}
			b.ReportMetric(float64(plan.Waste.Total())/float64(max(1, plan.Bound.Total()))-1, "gap-ratio")
		})
	}
}
