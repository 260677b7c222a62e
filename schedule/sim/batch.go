package sim

import (
	"cmp"
	"math/bits"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Batch simulates jobs that are submitted at the same time and run on a fixed number of nodes. It
// shows the state of the nodes after short spans of time and after each end of a job: which job
// runs where, and since when. A Batch is the simulator of [Duplyakin17] section 4, which computes
// for each state what a preemption would do. A Batch passes the states on one by one and stores
// none, so memory does not grow with their number.
//
// A Batch keeps its memory between runs and allocates nothing once that memory suffices. Two
// goroutines must not use a Batch at once.
//
// Jobs. All jobs are submitted at time 0, in the order of the slice; the Batch ignores their
// Submit. The scheduler decides by their Estimate which jobs start. A job that starts gets the free
// nodes with the lowest numbers. Jobs that end at one moment end one by one, in the jobs' order,
// and the scheduler runs after each end. So after the first of these ends, a job may overtake the
// top job, the first waiting job, although the next ends free nodes for the top job at the same
// moment.
//
// States. There is a state after each moment at which jobs end, once the scheduler has started jobs
// on the freed nodes. Between two such moments, and between time 0 and the first, there is a state
// after each span Every. With an Every of 30 s and 100 s between two ends, there are states 30, 60
// and 90 s after the first end. There is no state at time 0, and no state after the last job's end,
// when nothing runs.
//
// The paper says "while advancing between these moments, every T seconds". The reading above gives
// the paper's numbers of states. The other reading is a clock that ticks every T seconds regardless
// of ends. It does not give these numbers: the paper reports "over 14K" states for its log HTC,
// which has 11,200 ends of jobs. HTC's 1379 node-hours on 20 nodes last for only 8,274 ticks of 30
// s.
type Batch struct {
	Nodes int // of the cluster, > 0

	// Scheduler decides which job starts when; nil is EASY backfilling, first
	// come, first served. Run resets it.
	Scheduler schedule.Scheduler

	// Every is the time between two states while no job ends; 0 is 30 s, and
	// schedule.Never is only the ends of jobs.
	Every time.Duration

	easy    schedule.EASY
	events  heaps.Queue[time.Duration]
	started []schedule.Allocation
	running []schedule.Allocation // by job; the zero Allocation when it does not run
	first   []int32               // by job: its first node
	next    []int32               // by node: the next node of the same job, -1 at the end
	free    []uint64              // a bit for each free node
	least   int                   // no word of free before this one has a bit
	state   BatchState
}

// A BatchState is the state of the nodes at one moment. It is valid until the
// function that it was given to returns, and must not be modified.
type BatchState struct {
	At      time.Duration
	Node    []int           // by node: the index of the job that runs on it, -1 when it is idle
	Running []int           // the jobs that run, in the order in which they started
	Starts  []time.Duration // by job: when it started; of those that wait, 0
	Ended   int             // how many jobs have ended
	// Changed says that jobs have ended or started since the last state; when
	// it is false, only time has passed.
	Changed bool
}

// Run runs the jobs and gives each state to yield, in the order of time, until yield returns false.
// Before the first state, Run returns a *schedule.InputError for jobs that cannot run (no nodes or
// run time, an estimate below the run time, more nodes than there are) and for fields out of range.
// After the last state, Run returns a *schedule.InputError if the simulated clock leaves its range
// or if the scheduler never starts some job.
//
// Time: O(log R + n/64) for a start or an end of n nodes, with R jobs running on N nodes,
// beside the scheduler's own time and a scan of N/64 words for free nodes. A state takes
// O(1) beside yield's own time. Jobs are not modified.
func (b *Batch) Run(jobs []trace.Job, yield func(*BatchState) bool) error {
	if err := b.check(jobs); err != nil {
		return err
	}
	sched, every := b.Scheduler, cmp.Or(b.Every, 30*time.Second)
	if sched == nil {
		sched = &b.easy
	}
	sched.Reset(b.Nodes)
	b.reset(jobs)
	s := &b.state
	for i := range jobs {
		sched.Submit(schedule.Job{ID: int64(i), User: jobs[i].User, Estimate: jobs[i].Estimate, Nodes: jobs[i].Nodes})
	}
	b.start(jobs, sched)
	for s.Ended < len(jobs) {
		if b.events.Len() == 0 {
			return badInput("Scheduler", -1, ErrRange, "%d jobs wait for ever: want every job started", len(jobs)-s.Ended)
		}
		end := b.events.Min().Key
		if end > replay.MaxTime {
			return badInput("Run", -1, ErrRange, "the simulated clock passes %.0f s, %d jobs before the end: want a shorter log", replay.MaxTime.Seconds(), len(jobs)-s.Ended)
		}
		for end-s.At > every {
			s.At += every
			if !yield(s) {
				return nil
			}
			s.Changed = false
		}
		s.At = end
		b.finish(jobs, sched)
		if s.Ended < len(jobs) && !yield(s) {
			return nil
		}
		s.Changed = false
	}
	return nil
}

func (b *Batch) check(jobs []trace.Job) error {
	if err := checkNumber(jobs); err != nil {
		return err
	}
	if b.Nodes <= 0 || b.Nodes > replay.MaxHeld {
		return badInput("Nodes", -1, ErrRange, "a cluster of %d nodes: want 1 to %d", b.Nodes, replay.MaxHeld)
	}
	if b.Every < 0 {
		return badInput("Every", -1, ErrRange, "%v between two states: want a span of time, or 0 for 30 s", b.Every)
	}
	for i := range jobs {
		if err := replay.CheckJob("sim", &jobs[i], i); err != nil {
			return err
		}
		if jobs[i].Nodes > b.Nodes {
			return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d nodes: want at most %d, the size of the cluster", jobs[i].ID, jobs[i].Nodes, b.Nodes)
		}
	}
	return nil
}

func (b *Batch) reset(jobs []trace.Job) {
	b.events.Reset()
	b.running = grow.Zero(b.running, len(jobs))
	b.first = grow.Zero(b.first, len(jobs))
	b.next = grow.Zero(b.next, b.Nodes)
	b.free = grow.Zero(b.free, (b.Nodes+63)/64)
	b.least = 0
	for n := range b.Nodes {
		b.free[n/64] |= 1 << (n % 64)
	}
	b.state = BatchState{
		Node:    grow.Zero(b.state.Node, b.Nodes),
		Running: b.state.Running[:0],
		Starts:  grow.Zero(b.state.Starts, len(jobs)),
	}
	for n := range b.state.Node {
		b.state.Node[n] = -1
	}
}

// finish handles the ends of jobs at the present moment, in the jobs' order, with a
// pass of the scheduler after each. All their nodes come free before:
// the scheduler counts those of a job at its estimated end as free even while
// its Finish is still to come.
func (b *Batch) finish(jobs []trace.Job, sched schedule.Scheduler) {
	s := &b.state
	s.Changed = true
	due := 0
	for k := 0; k < len(s.Running); k++ {
		i := s.Running[k]
		if s.Starts[i]+jobs[i].Run == s.At {
			b.vacate(i)
			due++
			continue
		}
		s.Running[k-due] = i
	}
	s.Running = s.Running[:len(s.Running)-due]
	for range due {
		i := indexOf(b.events.Pop().Tie)
		sched.Finish(b.running[i], s.At)
		s.Ended++
		b.start(jobs, sched)
	}
}

// start lets the scheduler start jobs.
func (b *Batch) start(jobs []trace.Job, sched schedule.Scheduler) {
	s := &b.state
	b.started = sched.AppendStarts(b.started[:0], s.At)
	for _, a := range b.started {
		i := int(a.ID)
		b.running[i] = a
		s.Starts[i] = s.At
		s.Running = append(s.Running, i)
		b.events.Push(s.At+jobs[i].Run, replay.Order(replay.Finish, int64(i)))
		b.occupy(i, a.Nodes)
	}
	if len(b.started) > 0 {
		s.Changed = true
	}
}

// occupy gives a job the n free nodes with the lowest numbers.
func (b *Batch) occupy(job, n int) {
	last := &b.first[job]
	for w := b.least; n > 0; w++ {
		for ; b.free[w] != 0 && n > 0; n-- {
			k := bits.TrailingZeros64(b.free[w])
			b.free[w] &^= 1 << k
			node := int32(w*64 + k)
			b.state.Node[node] = job
			*last, last = node, &b.next[node]
		}
		b.least = w
	}
	*last = -1
}

// vacate makes the nodes of a job idle.
func (b *Batch) vacate(job int) {
	b.least = min(b.least, int(b.first[job]/64))
	for n := b.first[job]; n >= 0; n = b.next[n] {
		b.state.Node[n] = -1
		b.free[n/64] |= 1 << (n % 64)
	}
}
