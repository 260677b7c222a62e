//go:build unix

package replay

import (
	"cmp"
	"slices"
	"time"
)

// Delays returns how long jobs waited although they could have started. A job's delay
// begins when three things hold: the job is submitted, the jobs before it in the queue
// can start, and enough further nodes are up and free. The delay ends when the job runs.
// slurmctld causes the delay: it looks for jobs to start once a second, and starting a
// job takes time. Jobs that started before their turn are left out, since the time at
// which they could have started is not known.
//
// The runs are in the order of submission, which is the order of the queue. Time is
// O(n²·(n + m)) for n runs and m leases.
func Delays(runs []Run, leases []*Lease, early func(slurm int64) bool) []time.Duration {
	var all []time.Duration
	could := make([]time.Duration, len(runs)) // when each could have started
	for i := range runs {
		r := &runs[i]
		could[i] = r.Start
		if early(r.Slurm) {
			continue
		}
		first := r.Submit
		for k := range i {
			if !early(runs[k].Slurm) {
				first = max(first, could[k])
			}
		}
		// Nodes come free when jobs end and when instances are up.
		moments := []time.Duration{first}
		for k := range runs {
			moments = append(moments, runs[k].End)
		}
		for _, l := range leases {
			moments = append(moments, l.Up)
		}
		for _, at := range moments {
			if at < first || at >= could[i] {
				continue
			}
			free := 0
			for _, l := range leases {
				if l.Up >= 0 && l.Up <= at && (l.Leaves < 0 || at < l.Leaves) {
					free++
				}
			}
			for k := range runs {
				if k != i && at < runs[k].End && (runs[k].Start <= at || k < i && could[k] <= at) {
					free -= runs[k].Nodes
				}
			}
			if free >= r.Nodes {
				could[i] = at
			}
		}
		all = append(all, r.Start-could[i])
	}
	return all
}

// Boots says how long it took from a request until the last of its instances was up, by
// the number of instances: the mean, for the numbers there were, in their order.
type Boots []Boot

// A Boot is the mean over requests of one size.
type Boot struct {
	Instances, Requests int
	Mean                time.Duration
}

// MeasureBoots returns the boots of leases.
func MeasureBoots(leases []*Lease) Boots {
	sets := map[int][]*Lease{}
	for _, l := range leases {
		if l.Up >= 0 {
			sets[l.Set] = append(sets[l.Set], l)
		}
	}
	sums := map[int]Boot{}
	for _, set := range sets {
		n := len(set)
		last := slices.MaxFunc(set, func(a, b *Lease) int { return cmp.Compare(a.Up, b.Up) })
		b := sums[n]
		sums[n] = Boot{n, b.Requests + 1, b.Mean + last.Up - set[0].Asked}
	}
	var all Boots
	for _, b := range sums {
		b.Mean /= time.Duration(b.Requests)
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b Boot) int { return cmp.Compare(a.Instances, b.Instances) })
	return all
}

// Of returns the boot of n instances: that of the nearest number there was, the smaller
// one of two as near; 0 if there was none.
func (b Boots) Of(n int) time.Duration {
	if len(b) == 0 {
		return 0
	}
	away := func(x Boot) int { return max(n-x.Instances, x.Instances-n) }
	return slices.MinFunc(b, func(x, y Boot) int { return cmp.Compare(away(x), away(y)) }).Mean
}
