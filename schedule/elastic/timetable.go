package elastic

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/schedule"
)

// A timetable builds a schedule of the waiting jobs, as in [Marshall12] section III.C. It assumes
// that a given number of instances is launched now in each cloud, and returns the total queued time
// of the jobs.
//
// The schedule. Jobs start in the queue's order, and no job starts before the job ahead of it. A
// job goes to the infrastructure in which enough instances come free first. If several
// infrastructures are equally early, the job goes to the cheapest, then to the first. Idle
// instances are free now, busy instances when their jobs end by the estimates, booting instances
// when they are up, and launched instances after the cloud's Boot. A job runs for its estimate
// divided by the speed of the infrastructure. If no infrastructure can ever hold a job, the
// schedule ends there. The job and all jobs behind it then count as waiting for a further span, the
// constant stall, since a later evaluation may still serve them. So a launch that serves only jobs
// behind such a job does not lower the queued time.
//
// Representation. A release is a time and a number of instances that come free then. So a job of
// many nodes costs no more than a job of one node. Jobs start in the order of time, so an
// infrastructure has three parts: the number of its free instances, the releases known beforehand,
// and the releases of launched instances and placed jobs. The releases known beforehand are sorted
// once for all schedules of an evaluation. The other releases are kept sorted.
//
// Slack. Each time that a job starts in cloud c, some instances of c stay free. low[c] is the least
// such number over all starts in c. lowUp[c] is the least number over the starts after the launched
// instances are up. If up to lowUp[c] fewer instances are launched in c, the schedule stays the
// same: each start in c still finds room, and a job that starts elsewhere has even less reason to
// go to c. For the same reason the schedule stays the same if c has up to low[c] fewer idle
// instances. So timetable.search skips most configurations.
//
// Time: O(jobs·(clouds + releases)) a schedule in the worst case, about O(jobs·clouds) when few
// jobs end before the last job starts. Space: O(jobs + instances).
type timetable struct {
	now   time.Duration
	stall time.Duration
	jobs  []schedule.Job
	done  time.Duration   // Σ (now − submit): what the jobs have waited already
	infra []site          // in the order in which ties are settled
	low   []int           // by cloud, for the last schedule
	lowUp []int           // by cloud, for the last schedule
	ready []time.Duration // scratch
	runs  int             // schedules built, for tests and benchmarks
}

// A site is an infrastructure within a timetable.
type site struct {
	cloud int
	boot  time.Duration // when what is launched is up
	cores int           // of an instance
	speed float64
	idle  int        // free at now
	total int        // instances that there are
	known []handback // releases known beforehand, sorted by time

	// For the schedule that is being built:
	free  int
	k, m  int        // the next of known, of more
	more  []handback // releases of launched instances and of placed jobs, sorted
	all   int        // total and launched
	low   int
	lowUp int
}

// A handback is a time at which instances come free.
type handback struct {
	at time.Duration
	n  int
}

// reset prepares for the snapshot; order has all its clouds, best first.
func (t *timetable) reset(s *Snapshot, order []int, stall time.Duration) {
	t.now, t.stall, t.jobs, t.done = s.Now, stall, s.Jobs, 0
	for i := range s.Jobs {
		t.done = addCapped(t.done, s.Now-s.Jobs[i].Submit)
	}
	t.infra = grow.To(t.infra, len(order))
	t.low = grow.To(t.low, len(order))
	t.lowUp = grow.To(t.lowUp, len(order))
	for i, c := range order {
		cl := &s.Clouds[c]
		f := &t.infra[i]
		f.cloud, f.boot, f.idle, f.known = c, addCapped(s.Now, cl.Boot), 0, f.known[:0]
		f.cores, f.speed = cl.size(), cl.speed()
		t.ready = t.ready[:0]
		for k := range cl.Instances {
			switch in := &cl.Instances[k]; {
			case in.State == Stopping:
			case in.State == Idle || in.Ready <= s.Now:
				f.idle++
			default:
				t.ready = append(t.ready, in.Ready)
			}
		}
		slices.Sort(t.ready)
		f.total = f.idle + len(t.ready)
		for _, at := range t.ready {
			if n := len(f.known); n > 0 && f.known[n-1].at == at {
				f.known[n-1].n++
			} else {
				f.known = append(f.known, handback{at, 1})
			}
		}
	}
}

// wait returns the total queued time with launch[c] instances launched in each
// cloud c, and leaves the slack in low and lowUp. Once the total is certain to
// exceed bound it returns some number larger than bound instead, and no slack.
func (t *timetable) wait(launch []int, bound time.Duration) time.Duration {
	t.runs++
	for i := range t.infra {
		f := &t.infra[i]
		f.free, f.k, f.m, f.more = f.idle, 0, 0, f.more[:0]
		f.all = f.total
		f.low, f.lowUp = math.MaxInt, math.MaxInt
		if n := launch[f.cloud]; n > 0 {
			f.more = append(f.more, handback{f.boot, n})
			f.all += n
		}
	}
	cur := t.now
	total := t.done
	for i := range t.jobs {
		j := &t.jobs[i]
		best, at := -1, schedule.Never
		for c := range t.infra {
			if when := t.infra[c].earliest(needOf(j.Nodes, t.infra[c].cores), cur, at); when < at {
				best, at = c, when
				if at == cur {
					break
				}
			}
		}
		if best < 0 {
			at = addCapped(cur, t.stall)
			total = addCapped(total, timesCapped(at-t.now, len(t.jobs)-i))
			if total > bound {
				return schedule.Never
			}
			break
		}
		if at != cur {
			cur = at
			// What is left waits until then at the least.
			if addCapped(total, timesCapped(cur-t.now, len(t.jobs)-i)) > bound {
				return schedule.Never
			}
		}
		total = addCapped(total, cur-t.now)
		f := &t.infra[best]
		f.start(needOf(j.Nodes, f.cores), cur, addCapped(cur, lastsAt(j.Estimate, f.speed)))
	}
	for i := range t.infra {
		t.low[t.infra[i].cloud], t.lowUp[t.infra[i].cloud] = t.infra[i].low, t.infra[i].lowUp
	}
	return total
}

// earliest returns the first time from cur on at which n instances are free,
// limit or later if there is none before limit.
func (f *site) earliest(n int, cur, limit time.Duration) time.Duration {
	for f.k < len(f.known) && f.known[f.k].at <= cur {
		f.free += f.known[f.k].n
		f.k++
	}
	for f.m < len(f.more) && f.more[f.m].at <= cur {
		f.free += f.more[f.m].n
		f.m++
	}
	if f.free >= n {
		return cur
	}
	if f.all < n {
		return schedule.Never
	}
	k, m := f.k, f.m
	for free := f.free; ; {
		var at time.Duration
		switch {
		case m < len(f.more) && (k == len(f.known) || f.more[m].at <= f.known[k].at):
			free += f.more[m].n
			at = f.more[m].at
			m++
		case k < len(f.known):
			free += f.known[k].n
			at = f.known[k].at
			k++
		default:
			return schedule.Never
		}
		if free >= n || at >= limit {
			return at
		}
	}
}

// start places a job from cur to end.
func (f *site) start(n int, cur, end time.Duration) {
	f.earliest(n, cur, cur) // takes in what is free by cur
	f.free -= n
	f.low = min(f.low, f.free)
	if cur >= f.boot {
		f.lowUp = min(f.lowUp, f.free)
	}
	f.more = append(f.more, handback{end, n})
	i := len(f.more) - 1
	for ; i > f.m && f.more[i-1].at > end; i-- {
		f.more[i] = f.more[i-1]
	}
	f.more[i] = handback{end, n}
}

// addCapped adds two spans that are not negative; what exceeds the range is
// Never, which is later and longer than all.
func addCapped(a, b time.Duration) time.Duration {
	if a > schedule.Never-b {
		return schedule.Never
	}
	return a + b
}

// timesCapped multiplies a span that is not negative likewise.
func timesCapped(a time.Duration, n int) time.Duration {
	if product, ok := wide.Mul(int64(a), int64(n)); ok {
		return time.Duration(product)
	}
	return schedule.Never
}
