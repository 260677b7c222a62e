package sim

import (
	"math/bits"
	"time"

	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A roster holds the jobs that wait or run, each in a slot from its submission to its end.
// So a simulation needs memory for these jobs, however long the log is.
//
// The schedulers know a job by its number: how many jobs were submitted before it. slots
// leads from the number of a job that has not started to its slot. It is a hash table with
// linear probing. Numbers are scattered (Fibonacci hashing): jobs that were submitted one
// after the other would otherwise form one long run, and who leaves it would look at all
// jobs behind.
type roster struct {
	live      []liveJob
	freeSlot  int32   // the first unused slot, through next; -1 if none
	slots     []int32 // 1 + slot; 0 is none; the length is a power of 2
	waits     int     // entries of slots
	submitted int
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
	r.live, r.freeSlot = r.live[:0], -1
	clear(r.slots)
	r.waits, r.submitted = 0, 0
}

// enter gives a job a number and a slot. It enters slots if a scheduler will know it by
// its number.
func (r *roster) enter(j *trace.Job, waits bool) int32 {
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
	if waits {
		if 2*r.waits >= len(r.slots) {
			r.rehash()
		}
		r.put(k)
		r.waits++
	}
	return k
}

// rehash doubles the table.
func (r *roster) rehash() {
	old := r.slots
	r.slots = make([]int32, max(16, 2*len(old)))
	for _, k := range old {
		if k > 0 {
			r.put(k - 1)
		}
	}
}

// home returns where the table looks for a number first.
func (r *roster) home(number int) int {
	return int(uint64(number)*0x9E3779B97F4A7C15>>32) & (len(r.slots) - 1)
}

func (r *roster) put(slot int32) {
	mask := len(r.slots) - 1
	at := r.home(r.live[slot].number)
	for r.slots[at] > 0 {
		at = (at + 1) & mask
	}
	r.slots[at] = slot + 1
}

// place returns where slots has the job with a number that has not started, or -1.
func (r *roster) place(number int) int {
	if len(r.slots) == 0 || number < 0 {
		return -1
	}
	mask := len(r.slots) - 1
	for at := r.home(number); r.slots[at] > 0; at = (at + 1) & mask {
		if r.live[r.slots[at]-1].number == number {
			return at
		}
	}
	return -1
}

// slot returns the slot of a job that has not started.
func (r *roster) slot(number int64) int32 { return r.slots[r.place(int(number))] - 1 }

// forget takes the job at a place out of slots.
func (r *roster) forget(at int) {
	r.waits--
	mask := len(r.slots) - 1
	for next := (at + 1) & mask; r.slots[next] > 0; next = (next + 1) & mask {
		// An entry moves up to the gap if its own place is not behind the gap.
		if home := r.home(r.live[r.slots[next]-1].number); (next-home)&mask >= (next-at)&mask {
			r.slots[at] = r.slots[next]
			at = next
		}
	}
	r.slots[at] = 0
}

// leave frees the slot of a job that has ended.
func (r *roster) leave(slot int32) {
	r.live[slot].next = r.freeSlot
	r.freeSlot = slot
}

// totals are sums over the jobs that have started.
//
// Slowdowns are added in the order of submission, since the order of additions of floats
// shows in the last digits. So those of the jobs from the first that has not started on
// are kept in a ring.
type totals struct {
	wait, used replay.Sum
	slow       float64
	first, end time.Duration // the first submission, the last end
	ring       []float64     // by number: a slowdown, 0 of a job that has not started
	head       int           // all jobs with a lower number are in slow
}

func (t *totals) reset() {
	clear(t.ring)
	*t = totals{ring: t.ring}
}

// expect makes room for the slowdown of the job with a number.
func (t *totals) expect(number int) {
	if number-t.head < len(t.ring) {
		return
	}
	old := t.ring
	t.ring = make([]float64, max(64, 1<<bits.Len(uint(number-t.head))))
	for k := t.head; k < t.head+len(old); k++ {
		t.ring[k&(len(t.ring)-1)] = old[k&(len(old)-1)]
	}
}

// add adds a job that starts.
func (t *totals) add(j *trace.Job, number int, start time.Duration) {
	wait := start - j.Submit
	t.wait.Add(wait, 1)
	t.used.Add(j.Run, j.Nodes)
	t.end = max(t.end, start+j.Run)
	s := slowdown(wait, j.Run)
	mask := len(t.ring) - 1
	if number != t.head {
		t.ring[number&mask] = s
		return
	}
	for ; s > 0; s = t.ring[t.head&mask] {
		t.slow += s
		t.ring[t.head&mask] = 0
		t.head++
	}
}

// A course is the states that a cluster goes through: it keeps them, or tells them one by
// one. Then it holds back the last one, since another of the same time may replace it.
type course struct {
	kept    []Level
	keep    bool
	tell    func(Level)
	peak    int
	before  Level // told last
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
	if c.keep {
		c.kept = appendLevel(c.kept, l)
		return
	}
	if c.pending && c.last.At != l.At {
		c.flush()
	}
	c.last, c.pending = l, !c.told || c.before.Held != l.Held || c.before.Busy != l.Busy
}

// appendLevel is note for states that are kept.
func appendLevel(levels []Level, l Level) []Level {
	n := len(levels)
	if n > 0 && levels[n-1].At == l.At {
		n--
	}
	if levels = levels[:n]; n > 0 && levels[n-1].Held == l.Held && levels[n-1].Busy == l.Busy {
		return levels
	}
	return append(levels, l)
}

// flush tells the state that is held back.
func (c *course) flush() {
	if !c.pending {
		return
	}
	c.before, c.told, c.pending = c.last, true, false
	c.peak = max(c.peak, c.last.Held)
	if c.tell != nil {
		c.tell(c.last)
	}
}

// end returns the states that were kept, and the most instances held at once.
func (c *course) end() (levels []Level, peak int) {
	if !c.keep {
		c.flush()
		return nil, c.peak
	}
	for i := range c.kept {
		peak = max(peak, c.kept[i].Held)
	}
	return c.kept, peak
}
