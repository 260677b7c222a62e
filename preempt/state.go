package preempt

import "time"

// Idle, in [State.Node], is a node on which no job runs.
const Idle = -1

// A Job is what a resource manager knows of a job that runs. How long it still
// runs is not part of it, because nobody knows that: see [Preemption.Outlast].
type Job struct {
	Nodes     int           // that it runs on, > 0
	Elapsed   time.Duration // since it started, ≥ 0
	Requested time.Duration // run time that its user asked for, 0 where there is none
	Priority  int           // > 0: what its waste counts; 0 stands for 1, the default class
}

// A State is which jobs run on which nodes at one moment. Slices are the
// caller's: they are neither kept nor modified.
type State struct {
	Jobs []Job
	Node []int // by node: the index in Jobs of the job that runs on it, or Idle
}

// priority returns the weight of a job's waste.
func (j *Job) priority() int { return max(1, j.Priority) }

// overdue reports whether a job has run for longer than its user asked for.
func (j *Job) overdue() bool { return j.Requested > 0 && j.Elapsed > j.Requested }

// check returns what is wrong with the jobs alone, and on how many nodes they
// run.
func checkJobs(jobs []Job) (nodes int, err error) {
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.Nodes <= 0:
			return 0, badInput("Jobs.Nodes", i, ErrNoNode, "a job on %d nodes: want at least 1", j.Nodes)
		case j.Elapsed < 0:
			return 0, badInput("Jobs.Elapsed", i, ErrRange, "%v is negative: want the time since the job's start", j.Elapsed)
		case j.Requested < 0:
			return 0, badInput("Jobs.Requested", i, ErrRange, "%v is negative: want a run time, or 0 where none was asked for", j.Requested)
		case j.Priority < 0:
			return 0, badInput("Jobs.Priority", i, ErrRange, "%d is negative: want a weight, or 0 for the default, 1", j.Priority)
		}
		if nodes += j.Nodes; nodes < 0 {
			return 0, badInput("Jobs.Nodes", i, ErrOverflow, "the nodes of all jobs are more than an int can count")
		}
	}
	return nodes, nil
}

// check returns what is wrong with a state. counts is scratch.
func (st *State) check(counts *[]int32) error {
	if _, err := checkJobs(st.Jobs); err != nil {
		return err
	}
	c := *counts
	if cap(c) < len(st.Jobs) {
		c = make([]int32, len(st.Jobs))
	}
	c = c[:len(st.Jobs)]
	*counts = c
	clear(c)
	for n, j := range st.Node {
		if uint(j) < uint(len(c)) {
			c[j]++
		} else if j != Idle {
			return badInput("Node", n, ErrRange, "job %d of %d: want an index of Jobs, or Idle", j, len(c))
		}
	}
	for i, have := range c {
		if int(have) != st.Jobs[i].Nodes {
			return badInput("Jobs.Nodes", i, ErrNoNode, "%d, and Node has the job on %d", st.Jobs[i].Nodes, have)
		}
	}
	return nil
}
