package shared

import "github.com/plimsoll/plimsoll/internal/grow"

// levels is how many priorities are told apart: the highest ones of a problem. Lower
// priorities count as the last level. A plan that loses jobs of several priorities at that
// level is not exact.
const levels = 8

// most bounds sums of amounts and of waste: two such sums add up without overflow.
const most = 1 << 60

// maxStates bounds the product of all Request.Count + 1, the states of the dynamic program.
const maxStates = 1 << 16

// A Cost is what is lost, by priority, the highest first.
type Cost [levels]int64

// Less reports whether less is lost, at the highest priority first.
func (c *Cost) Less(d *Cost) bool {
	for l := range c {
		if c[l] != d[l] {
			return c[l] < d[l]
		}
	}
	return false
}

// Plus returns the sum.
func (c Cost) Plus(d *Cost) Cost {
	for l := range c {
		c[l] += d[l]
	}
	return c
}

// Total returns the sum over the priorities.
func (c Cost) Total() (sum int64) {
	for _, w := range c {
		sum += w
	}
	return sum
}

// never is more than any plan costs, and any cost can be added to it.
var never = Cost{1 << 61}

// A Request asks for room for Count equal tasks.
type Request struct {
	Needs []int64 // of each task, by resource, ≥ 0
	Count int     // > 0
}

// A Job is what is lost together. Jobs that must not be lost are not in the problem.
type Job struct {
	Waste    int64 // what is lost, ≥ 0; the sum over all jobs is at most 2^60
	Priority int32
	Parts    []Part // on one node at most once
	Draws    []Draw // of budgets, each at most once
}

// A Part is what a job frees on a node.
type Part struct {
	Node  int
	Frees []int64 // by resource, ≥ 0
}

// A Draw is a number of tasks that a budget counts.
type Draw struct {
	Budget int
	Count  int64 // > 0
}

// A Node is a node that waiting tasks may go to.
type Node struct {
	Room []int64 // by resource; negative if more is promised than there is
	// Only, if not nil, are the jobs to lose so that one task of the first request finds
	// room. Solve considers no other choice on the node.
	Only []int
}

// A Problem is what Solve decides. Solve does not modify a problem. Sums of the amounts of a
// resource, over the jobs of a node or over the requests, are at most 2^60.
type Problem struct {
	Requests []Request
	Nodes    []Node
	Jobs     []Job
	Budgets  []int64 // how many tasks each budget allows to lose, ≥ 0
}

// Options bound the work. The zero value looks at one branch.
type Options struct {
	Steps int // how many branches are looked at; 1 if less
	// Stop, if not nil, is called often. When Stop returns true, Solve ends with the best
	// plan so far, and with none before Solve has looked at all nodes.
	Stop func() bool
	// Hurry, if not nil, is called often. Once Hurry returns true, few sets of a node are kept.
	Hurry func() bool
}

// A Plan is the result of Solve. Its slices are valid until the next call.
type Plan struct {
	Found bool
	Hosts [][]int // by node: how many tasks of each request go there; nil for none
	Lost  []int   // jobs, ascending
	Waste Cost
	Bound Cost // no plan wastes less
	// Cut is whether the search ended early, or left out sets of jobs of a node. If Cut is
	// true and Found is false, there may be a plan that was not found.
	Cut bool
	// merged is whether the problem has more priorities than levels.
	merged bool
}

// Exact reports whether no plan wastes less than this one.
func (p *Plan) Exact() bool {
	return p.Found && !p.Bound.Less(&p.Waste) && !(p.merged && p.Waste[levels-1] > 0)
}

// check says what is wrong with a problem. Time: O(jobs·parts·resources).
func (s *Solver) check(p *Problem) error {
	if len(p.Requests) == 0 {
		return badInput("Requests", -1, ErrRange, "none: want at least one")
	}
	dims := len(p.Requests[0].Needs)
	s.sums = grow.Zero(s.sums, dims*(len(p.Nodes)+1))
	for i, r := range p.Requests {
		switch {
		case len(r.Needs) != dims:
			return badInput("Requests.Needs", i, ErrLength, "%d resources: want %d, as the first request has", len(r.Needs), dims)
		case r.Count < 1 || int64(r.Count) > most:
			return badInput("Requests.Count", i, ErrRange, "%d: want a positive number of tasks", r.Count)
		case !add(s.sums[:dims], r.Needs, int64(r.Count)):
			return badInput("Requests.Needs", i, ErrRange, "%d of %v: want amounts from 0, and sums up to 2^60", r.Count, r.Needs)
		}
	}
	for n, node := range p.Nodes {
		if len(node.Room) != dims {
			return badInput("Nodes.Room", n, ErrLength, "%d resources: want %d, as the requests have", len(node.Room), dims)
		}
		for _, r := range node.Room {
			if r < -most || r > most {
				return badInput("Nodes.Room", n, ErrRange, "%d: want -2^60 to 2^60", r)
			}
		}
		for _, j := range node.Only {
			if j < 0 || j >= len(p.Jobs) {
				return badInput("Nodes.Only", n, ErrRange, "job %d: want 0 to %d", j, len(p.Jobs)-1)
			}
		}
	}
	for b, allowed := range p.Budgets {
		if allowed < 0 {
			return badInput("Budgets", b, ErrRange, "%d: want 0 or more", allowed)
		}
	}
	return s.checkJobs(p, dims)
}

func (s *Solver) checkJobs(p *Problem, dims int) error {
	waste := int64(0)
	for j := range p.Jobs {
		job := &p.Jobs[j]
		if job.Waste < 0 || job.Waste > most-waste {
			return badInput("Jobs.Waste", j, ErrRange, "%d: want 0 or more, and a sum up to 2^60", job.Waste)
		}
		waste += job.Waste
		for _, part := range job.Parts {
			switch n := part.Node; {
			case n < 0 || n >= len(p.Nodes):
				return badInput("Jobs.Parts", j, ErrRange, "node %d: want 0 to %d", n, len(p.Nodes)-1)
			case len(part.Frees) != dims:
				return badInput("Jobs.Parts", j, ErrLength, "%d resources: want %d, as the requests have", len(part.Frees), dims)
			case !add(s.sums[(n+1)*dims:(n+2)*dims], part.Frees, 1):
				return badInput("Jobs.Parts", j, ErrRange, "frees %v: want amounts from 0, and sums up to 2^60", part.Frees)
			}
		}
		for _, d := range job.Draws {
			if d.Budget < 0 || d.Budget >= len(p.Budgets) || d.Count < 1 || d.Count > most {
				return badInput("Jobs.Draws", j, ErrRange, "%d tasks of budget %d: want a positive number of a budget from 0 to %d", d.Count, d.Budget, len(p.Budgets)-1)
			}
		}
	}
	return nil
}

// add adds times·amounts to sums, and reports whether all of them are in range.
func add(sums, amounts []int64, times int64) bool {
	for d, a := range amounts {
		if a < 0 || a > (most-sums[d])/times {
			return false
		}
		sums[d] += times * a
	}
	return true
}
