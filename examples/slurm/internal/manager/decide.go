package manager

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// What to do is decided by the same functions as in schedule/sim: schedule.EASY says
// which jobs start and when the first one will, schedule.MustGrow whether the cluster
// is too small for that, an Expansion by how much, schedule.MustRelease when an
// instance goes, and a placement.Selector which instances a job gets.
//
// The simulator tells its scheduler what happens. A manager may have missed something,
// so it tells a fresh one what there is: the nodes, the jobs that run and until when, and
// the queue. The answers are the same, since they depend on that alone.

// A rules holds the parameters of decisions, in the scaled clock's time.
type rules struct {
	WaitLimit, Short, ReleaseEvery time.Duration
	Expansion                      schedule.Expansion
	Placement                      placement.Policy
	Quota                          int
}

// A runner is a job that has nodes, at least until a time.
type runner struct {
	id    int64
	nodes int
	end   time.Duration
}

// A view is a cluster at a moment.
type view struct {
	now     time.Duration
	idle    int
	booting []time.Duration // when each is up
	running []runner
	waiting []schedule.Job // in the queue's order
}

// A verdict is what is to be done.
type verdict struct {
	start   []int64       // jobs that start now, in order
	early   []int64       // those of them that are not the first ones of the queue
	top     schedule.Job  // the first job that waits then
	expect  time.Duration // when it will start
	waits   bool
	request int // instances to ask for
}

// A decider keeps a scheduler's memory.
type decider struct {
	easy     schedule.EASY
	starts   []schedule.Allocation
	left     []schedule.Job
	selector placement.Selector
}

// decide says which jobs start and how many instances are needed.
func (d *decider) decide(v *view, r *rules) verdict {
	d.easy.Reset(v.idle)
	for _, at := range v.booting {
		d.easy.AddNodes(1, max(at, v.now+1))
	}
	for _, j := range v.running {
		// What has been running counts from now on: its end is what matters.
		d.easy.AddNodes(j.nodes, v.now)
		d.easy.Start(schedule.Job{ID: j.id, Submit: 0, Estimate: max(j.end-v.now, 1), Nodes: j.nodes}, v.now)
	}
	for _, j := range v.waiting {
		d.easy.Submit(j)
	}
	var out verdict
	d.starts = d.easy.AppendStarts(d.starts[:0], v.now)
	for i, a := range d.starts {
		out.start = append(out.start, a.ID)
		if v.waiting[i].ID != a.ID {
			out.early = append(out.early, a.ID)
		}
	}
	out.top, out.expect, out.waits = d.easy.Top(v.now)
	if !out.waits || !schedule.MustGrow(out.top, out.expect, d.easy.Nodes(), out.top.Submit, r.WaitLimit) {
		return out
	}
	d.left = d.easy.AppendWaiting(d.left[:0])
	have := d.easy.Free() + len(v.booting)
	want := r.Expansion.Nodes(schedule.NewBacklog(d.left, r.Short)) - have
	if r.Quota > 0 {
		held := v.idle + len(v.booting)
		for _, j := range v.running {
			held += j.nodes
		}
		want = min(want, r.Quota-held)
	}
	out.request = max(0, want)
	return out
}

// rank returns the positions of idle instances in the order in which jobs are to get
// them.
func (d *decider) rank(idle []placement.Instance, p placement.Policy) []int {
	left := slices.Clone(idle)
	at := make([]int, len(idle))
	for i := range at {
		at[i] = i
	}
	var order, one []int
	for len(left) > 0 {
		one = d.selector.AppendSelect(one[:0], left, 1, p, nil)
		k := one[0]
		order = append(order, at[k])
		left = slices.Delete(left, k, k+1)
		at = slices.Delete(at, k, k+1)
	}
	return order
}

// queueOrder sorts jobs as Slurm does: by priority, then by number.
func queueOrder(a, b *queued) int {
	return cmp.Or(-cmp.Compare(a.priority, b.priority), cmp.Compare(a.job.ID%taskUnit, b.job.ID%taskUnit), cmp.Compare(a.job.ID, b.job.ID))
}

type queued struct {
	job      schedule.Job
	priority uint32
}
