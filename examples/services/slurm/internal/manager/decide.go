package manager

import (
	"cmp"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/schedule"
)

// A schedule.Autoscaler decides, as in schedule/sim: which jobs start, when the first
// waiting job will start, whether the cluster has to grow and by how much, and which
// instances go. A placement.Selector decides which instances a job gets.
//
// The simulator tells its scheduler every event. The manager may have missed events, so
// it shows the autoscaler a snapshot: the nodes, the running jobs with their ends, and
// the queue. Both get the same answers, since an answer depends on the snapshot alone.

// scaler returns the rules of the options.
func (o *Options) scaler() schedule.Autoscaler {
	return schedule.Autoscaler{
		WaitLimit: orAtOnce(o.WaitLimit), Short: orAtOnce(o.Short), Expansion: o.Expansion,
		ReleaseEvery: o.ReleaseEvery, Lead: o.Lead, Least: o.Least, Most: o.Most, Pause: o.Pause,
	}
}

// orAtOnce returns a limit in which 0 is no default.
func orAtOnce(limit time.Duration) time.Duration {
	if limit == 0 {
		return schedule.AtOnce
	}
	return limit
}

// early returns the jobs that start before one that is ahead of them in the queue.
func early(waiting []schedule.Job, starts []schedule.Allocation) (ids []int64) {
	for i, a := range starts {
		if waiting[i].ID != a.ID {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// rank returns the positions of idle instances in the order in which jobs are to get
// them.
func rank(selector *placement.Selector, idle []placement.Instance, p placement.Policy) []int {
	left := slices.Clone(idle)
	at := make([]int, len(idle))
	for i := range at {
		at[i] = i
	}
	var order, one []int
	for len(left) > 0 {
		one = selector.AppendSelect(one[:0], left, 1, p, nil)
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
