package preempt

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Idle, in [State.Node], is a node without a job.
const Idle = -1

// A Job is what a resource manager knows of a running job. Nobody knows how long the job
// still runs: see [Preemption.Outlast].
type Job struct {
	Nodes     int           // that it runs on, > 0
	Elapsed   time.Duration // since it started, ≥ 0
	Requested time.Duration // run time that its user asked for, 0 where there is none
	Priority  int           // > 0: what its waste counts; 0 stands for 1, the default class

	// Checkpoint says how the job saves its work; nil if it does not. No call keeps or
	// modifies it.
	Checkpoint *Checkpoint
}

// A State says which jobs run on which nodes at one moment. The slices belong to the
// caller. No call keeps or modifies them.
type State struct {
	Jobs []Job
	Node []int // by node: the index in Jobs of the job that runs on it, or Idle
}

// priority returns the weight of a job's waste.
func (j *Job) priority() int { return max(1, j.Priority) }

// overdue reports whether a job has run for longer than its user asked for.
func (j *Job) overdue() bool { return j.Requested > 0 && j.Elapsed > j.Requested }

// check returns what is wrong with the job by itself.
func (j *Job) check(i int) error {
	switch {
	case j.Nodes <= 0:
		return badInput("Jobs.Nodes", i, ErrNoNode, "a job on %d nodes: want at least 1", j.Nodes)
	case j.Elapsed < 0:
		return badInput("Jobs.Elapsed", i, ErrRange, "%v is negative: want the time since the job's start", j.Elapsed)
	case j.Requested < 0:
		return badInput("Jobs.Requested", i, ErrRange, "%v is negative: want a run time, or 0 where none was asked for", j.Requested)
	case j.Priority < 0:
		return badInput("Jobs.Priority", i, ErrRange, "%d is negative: want a weight, or 0 for the default, 1", j.Priority)
	case j.Checkpoint != nil:
		return j.Checkpoint.check(i, j.Elapsed)
	}
	return nil
}

// A census counts the nodes of each job. States of a million jobs are bound by memory,
// so a count is a byte as long as no job has more than 255 nodes.
type census struct {
	narrow []uint8 // by job: its nodes, modulo 256
	wide   []int32 // by job, only where one has more than 255
	nodes  int     // of all jobs so far
	most   int     // of a job so far
}

// reset begins a census of a number of jobs.
func (c *census) reset(jobs int) {
	c.narrow = grow.To(c.narrow, jobs)
	c.nodes, c.most = 0, 0
}

// check returns what is wrong with a state.
func (c *census) check(st *State) error {
	c.reset(len(st.Jobs))
	if err := c.checkJobs(st.Jobs, 0, len(st.Jobs)); err != nil {
		return err
	}
	return c.checkNodes(st)
}

// checkJobs returns what is wrong with each of the jobs from `from` to before `to`, by
// itself. The callers call it for all jobs, in order.
func (c *census) checkJobs(jobs []Job, from, to int) error {
	nodes, most := c.nodes, c.most
	jobs, narrow := jobs[from:to], c.narrow[from:to]
	for i := range narrow {
		j := &jobs[i]
		if j.Nodes <= 0 || int64(j.Elapsed|j.Requested)|int64(j.Priority) < 0 || j.Checkpoint != nil && !j.Checkpoint.valid(j.Elapsed) {
			return j.check(from + i)
		}
		if nodes += j.Nodes; nodes < 0 {
			return badInput("Jobs.Nodes", from+i, ErrOverflow, "the nodes of the jobs up to this one do not fit in an int: want fewer nodes")
		}
		most = max(most, j.Nodes)
		narrow[i] = uint8(j.Nodes)
	}
	c.nodes, c.most = nodes, most
	return nil
}

// checkNodes returns an error unless the number of nodes of each job in st.Node is its Nodes. Call
// checkJobs before checkNodes.
//
// checkNodes has a counter for each job, which begins at the job's Nodes. It subtracts 1 for each
// node of the job. If no job has more than 255 nodes, the counters are bytes, which count modulo
// 256. Proof that bytes are enough: if a counter ends at 0, the job is on Nodes + 256·m nodes for a
// whole number m. m is not negative, since Nodes is at most 255 and a number of nodes is not
// negative. If in addition the number of busy nodes is the sum of all Nodes, every m is 0.
func (c *census) checkNodes(st *State) error {
	var busy, stray int
	var all bool
	if c.most <= math.MaxUint8 {
		busy, stray = countDown(c.narrow, st.Node)
		all = bytes.Count(c.narrow, []byte{0}) == len(c.narrow)
	} else {
		c.wide = grow.To(c.wide, len(st.Jobs))
		for i := range c.wide {
			c.wide[i] = int32(min(st.Jobs[i].Nodes, math.MaxInt32))
		}
		busy, stray = countDown(c.wide, st.Node)
		all = !slices.ContainsFunc(c.wide, func(left int32) bool { return left != 0 })
	}
	switch {
	case stray >= 0:
		return badInput("Node", stray, ErrRange, "job %d of %d: want an index of Jobs, or Idle", st.Node[stray], len(st.Jobs))
	case busy != c.nodes || !all:
		return misplaced(st)
	}
	return nil
}

// countDown subtracts one from a job's count for each of its nodes. It returns how many
// nodes have a job, and the first node whose job does not exist, or -1.
func countDown[T uint8 | int32](left []T, node []int) (busy, stray int) {
	for n, j := range node {
		if uint(j) < uint(len(left)) {
			left[j]--
			busy++
		} else if j != Idle {
			return 0, n
		}
	}
	return busy, -1
}

// misplaced returns the error of the first job that is not on as many nodes as it says.
func misplaced(st *State) error {
	have := make([]int, len(st.Jobs))
	for _, j := range st.Node {
		if j != Idle {
			have[j]++
		}
	}
	for i := range have {
		if have[i] != st.Jobs[i].Nodes {
			return badInput("Jobs.Nodes", i, ErrNoNode, "%d, but State.Node has the job on %d nodes: want the same number", st.Jobs[i].Nodes, have[i])
		}
	}
	return nil
}
