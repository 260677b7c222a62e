package elastic

import (
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/schedule"
)

// The exact front of MCOP's problem, for short queues.
//
// MCOP's strings of bits stand for numbers of instances, and the schedule depends on the
// numbers only. So the 2^(jobs·clouds) strings need not be enumerated: the distinct sums of
// cores of subsets of the queue, up to each cloud's room, suffice. The sums come from one
// bitset, in which bit k says that k is a sum. For each job of n cores the set is or-ed with
// itself shifted by n, 64 sums at a time. The configurations are the cross product of the
// clouds' sums, and timetable.search leaves out most of their schedules.
//
// Queued time belongs to the whole schedule. It is no sum over jobs, so no dynamic
// program over jobs, as for a knapsack, gives the front. Queued time is not monotone in
// the number of instances once there are two places to run. One more instance in a cloud
// may start a job there at once; otherwise the job would wait a little elsewhere and
// leave that cloud to a wider job. So nothing is left out on grounds of dominance between
// numbers of instances.
//
// Time: O(jobs·cores/64) for the sums, at most exactConfigurations schedules.

const (
	// exactJobs is the longest queue for which [MCOP] computes the exact front.
	exactJobs = 20
	// exactConfigurations is the largest cross product for which it does.
	exactConfigurations = 1 << 18
)

// A subsetSums computes the sums of cores of all subsets of a queue.
type subsetSums struct{ set []uint64 }

// appendTo appends the sums up to room to dst, in rising order, and reports whether there
// are at most `most` sums. If there are more, dst is as before.
func (b *subsetSums) appendTo(dst []int, jobs []schedule.Job, cores, room, most int) ([]int, bool) {
	total := 0
	for i := range jobs {
		n := needOf(jobs[i].Nodes, cores)
		if n > room {
			continue
		}
		if total > 64*exactConfigurations {
			return dst, false
		}
		total += n
	}
	room = min(room, total)
	if room > 64*exactConfigurations {
		return dst, false
	}
	words := room/64 + 1
	b.set = grow.To(b.set, words)
	clear(b.set)
	b.set[0] = 1
	for i := range jobs {
		n := needOf(jobs[i].Nodes, cores)
		if n > room {
			continue
		}
		shift, rest := n/64, uint(n%64)
		for w := words - 1; w >= shift; w-- {
			v := b.set[w-shift] << rest
			if rest > 0 && w > shift {
				v |= b.set[w-shift-1] >> (64 - rest)
			}
			b.set[w] |= v
		}
	}
	b.set[words-1] &= ^uint64(0) >> (63 - uint(room%64))
	count := 0
	for _, v := range b.set {
		count += bits.OnesCount64(v)
	}
	if count > most {
		return dst, false
	}
	for w, v := range b.set {
		for ; v != 0; v &= v - 1 {
			dst = append(dst, 64*w+bits.TrailingZeros64(v))
		}
	}
	return dst, true
}
