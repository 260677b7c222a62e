package sim

import (
	"math/bits"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A roster holds the jobs that wait or run. Each job has a slot of the roster from its submission
// to its end. So a simulation needs memory for these jobs only, even if the log is long.
//
// The schedulers know a job by its number: how many jobs were submitted before it. A ring buffer,
// indexed by number, holds the slot of each job that has not started. After the start of a job, the
// ring holds the job's slowdown until all jobs with lower numbers have started. So the roster adds
// slowdowns in the order of submission: another order would change the last digits of the sum of
// floats.
type roster struct {
	live      []liveJob
	freeSlot  int32   // the first unused slot, through next; -1 if none
	ring      []place // by number from head on; the length is a power of 2
	head      int     // all jobs with a lower number have started
	submitted int

	// Sums over the jobs that have started.
	wait, used replay.Sum
	slow       float64       // of those before head
	first, end time.Duration // the first submission, the last end
}

// A place is what the ring has of a job.
type place struct {
	slot int32   // 1 + slot of a job that has not started; else 0
	slow float64 // the slowdown of a job that has started; else 0
}

// A liveJob is a job that waits or runs.
type liveJob struct {
	trace.Job
	number int
	ends   time.Duration       // by its estimate, once it has started
	alloc  schedule.Allocation // has no nodes until the job starts
	list   int32               // its first span, -1 if none
	site   int32
	next   int32
}

func (r *roster) reset() {
	clear(r.ring)
	*r = roster{live: r.live[:0], freeSlot: -1, ring: r.ring}
}

// enter gives a job a number and a slot.
func (r *roster) enter(j *trace.Job) int32 {
	k := r.freeSlot
	if k >= 0 {
		r.freeSlot = r.live[k].next
	} else {
		k = int32(len(r.live))
		r.live = append(r.live, liveJob{})
	}
	l := &r.live[k]
	l.Job = *j
	l.number = r.submitted
	l.alloc.Nodes = 0
	l.list, l.site = -1, 0
	r.submitted++
	if l.number-r.head >= len(r.ring) {
		r.widen(l.number)
	}
	r.at(l.number).slot = k + 1
	return k
}

// widen makes room in the ring for a number.
func (r *roster) widen(number int) {
	old := r.ring
	r.ring = make([]place, max(64, 1<<bits.Len(uint(number-r.head))))
	for k := r.head; k < r.head+len(old); k++ {
		*r.at(k) = old[k&(len(old)-1)]
	}
}

// at returns the place of a number in the ring.
func (r *roster) at(number int) *place { return &r.ring[number&(len(r.ring)-1)] }

// slot returns the slot of a job that has not started, -1 if no such job has the number.
func (r *roster) slot(number int64) int32 {
	if number < int64(r.head) || number >= int64(r.submitted) {
		return -1
	}
	return r.at(int(number)).slot - 1
}

// leave frees the slot of a job that has ended.
func (r *roster) leave(slot int32) {
	r.live[slot].next = r.freeSlot
	r.freeSlot = slot
}

// starts notes that a job starts, and adds it to the sums.
func (r *roster) starts(j *trace.Job, number int, start time.Duration) {
	wait := start - j.Submit
	r.wait.Add(wait, 1)
	r.used.Add(j.Run, j.Nodes)
	r.end = max(r.end, start+j.Run)
	*r.at(number) = place{slow: slowdown(wait, j.Run)}
	for p := r.at(r.head); p.slow > 0; p = r.at(r.head) {
		r.slow += p.slow
		*p = place{}
		r.head++
	}
}

// A course is the states that a cluster goes through. It holds back the last state, since
// another of the same time may replace it, and keeps or tells the others.
type course struct {
	kept    []Level
	keep    bool
	tell    func(Level)
	peak    int
	before  Level // the state before last
	last    Level // held back
	told    bool  // before is there
	pending bool  // last is there
}

func (c *course) reset(keep bool, tell func(Level)) {
	*c = course{kept: c.kept[:0], keep: keep, tell: tell}
}

// note adds a state if it is another than the last. No two states have one time, and no
// two in a row are equal.
func (c *course) note(l Level) {
	if c.pending && c.last.At != l.At {
		c.flush()
	}
	c.last, c.pending = l, !c.told || c.before.Held != l.Held || c.before.Busy != l.Busy
}

// flush keeps or tells the state that is held back.
func (c *course) flush() {
	if !c.pending {
		return
	}
	c.before, c.told, c.pending = c.last, true, false
	c.peak = max(c.peak, c.last.Held)
	if c.keep {
		c.kept = append(c.kept, c.last)
	}
	if c.tell != nil {
		c.tell(c.last)
	}
}

// states returns the states that were kept, nil without keep, and the most instances held
// at once.
func (c *course) states() (levels []Level, peak int) {
	c.flush()
	if c.keep {
		levels = c.kept
	}
	return levels, c.peak
}

// note records the cluster's state if it has changed, and that of each of
// several clouds.
func (s *Simulator) note() {
	s.course.note(Level{s.now, s.held, s.busy})
	if len(s.sites) > 1 {
		for _, c := range s.sites {
			c.course.note(Level{s.now, c.held, c.busy})
		}
	}
}

// tellStart notes when a job starts.
func (s *Simulator) tellStart(j *trace.Job, number int, start time.Duration) {
	s.roster.starts(j, number, start)
	if s.course.keep {
		s.res.Starts[number] = start
	}
	if s.onStart != nil {
		s.onStart(number, j, start)
	}
}

// job returns what the scheduler knows of a job: that instances may have to be
// formatted for it, too.
func (s *Simulator) job(slot int32) schedule.Job {
	j := &s.live[slot]
	return schedule.Job{ID: int64(j.number), User: j.User, Submit: j.Submit, Estimate: j.Estimate + s.cfg.Reformat, Nodes: j.Nodes}
}

// siteOf returns the site of a job.
func (s *Simulator) siteOf(slot int32) *site { return s.sites[s.live[slot].site] }
