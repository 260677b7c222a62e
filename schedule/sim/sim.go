package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Simulator replays jobs. Its zero value is ready; it keeps its memory
// between runs and allocates nothing once that suffices. It must not be used
// by two goroutines at once.
type Simulator struct {
	cfg   Options
	now   time.Duration
	one   [1]Cloud // where no clouds are given
	whole bool     // no job comes after those submitted

	sites []*site // one for each cloud
	spare []*site // those of earlier runs

	events   heaps.Queue[time.Duration]
	due      []int64 // the order of those of the present moment that are not handled yet
	started  []schedule.Allocation
	begun    int // jobs that have started
	ended    int
	held     int
	busy     int
	nextWeek time.Duration
	course   course
	onStart  func(index int, job *trace.Job, at time.Duration) // nil, or Stream's
	res      Result
	scaler   schedule.Autoscaler
	dues     []time.Duration // next charges of idle instances, for a release check
	gone     []int           // what it gives back

	// Of Stream.
	next     func(trace.Job, error) bool
	previous trace.Job
	most     int // nodes of a job

	pool
	chooser
	roster
}

// Run replays jobs, sorted by (Submit, ID) as [trace.Convert] returns them, and returns the costs
// and the waits. The result's slices are valid until the next Run or Stream. Jobs are not modified.
//
// Run returns a *schedule.InputError for jobs that cannot be replayed: out of order, without nodes
// or run time, with an estimate below the run time, or larger than a local cluster. Run also
// returns a *schedule.InputError for options out of range and for a cost beyond the range of
// pricing.Money. Run leaves out no job.
//
// Time: an event takes O(log E) beside the scheduler's own time, with E jobs running and requests
// booting. A group is a set of idle instances with consecutive numbers that were requested
// together. Choosing instances from g of G groups takes O(log G + g), and O(idle instances) with
// [placement.Random]. A release check takes O(G). Space: O(jobs), for Starts and Levels.
func (s *Simulator) Run(jobs []trace.Job, cfg Options) (Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Result{}, err
	}
	if err := check(jobs, &cfg); err != nil {
		return Result{}, err
	}
	s.reset(cfg, nil, nil, true)
	s.res.Starts = grow.Zero(s.res.Starts, len(jobs))
	for i := range jobs {
		if !s.submit(&jobs[i]) {
			break
		}
	}
	return s.close()
}

// reset prepares a run that keeps starts and levels, or not.
func (s *Simulator) reset(cfg Options, start func(int, *trace.Job, time.Duration), level func(Level), keep bool) {
	s.cfg, s.onStart, s.whole, s.now = cfg, start, false, 0
	s.scaler = schedule.Autoscaler{
		WaitLimit: orAtOnce(cfg.WaitLimit), Expansion: cfg.Expansion, Short: orAtOnce(cfg.Short), ReleaseEvery: cfg.ReleaseEvery,
	}
	clouds := cfg.Clouds
	if len(clouds) == 0 {
		s.one[0] = Cloud{Meter: cfg.Meter, Hourly: cfg.Hourly, Boot: cfg.Boot, Scheduler: cfg.Scheduler}
		clouds = s.one[:]
	}
	if quota := clouds[0].Quota; quota > 0 && len(clouds) == 1 {
		s.scaler.Most = quota // several clouds keep to theirs when they are chosen
	}
	s.nextWeek = schedule.Never
	for len(s.spare) < len(clouds) {
		s.spare = append(s.spare, new(site))
	}
	s.sites = s.spare[:len(clouds)]
	s.course.reset(keep, level)
	for i, c := range s.sites {
		c.reset(i, clouds[i].filledIn(&cfg), cfg.Epoch)
		c.course.reset(keep, nil)
		if clouds[i].Portfolio != nil {
			s.nextWeek = week
		}
	}
	s.events.Reset()
	s.due = s.due[:0]
	s.started = s.started[:0]
	s.begun, s.ended, s.held, s.busy = 0, 0, 0, 0
	if cfg.Mode == Local {
		s.held = cfg.Nodes
		s.sites[0].schd.Reset(cfg.Nodes)
	}
	s.res = Result{Starts: s.res.Starts[:0], Clouds: s.res.Clouds[:0]}
	s.pool.reset()
	s.roster.reset()
}

// submit lets pass what comes before a job, and submits the job. It reports whether the
// simulation goes on.
func (s *Simulator) submit(j *trace.Job) bool {
	if s.submitted == 0 {
		s.first = j.Submit
	}
	if s.cfg.Mode == Individual {
		s.individual(j)
		return s.err == nil
	}
	if !s.advance(j.Submit) {
		return false
	}
	s.at(j.Submit)
	s.gather()
	slot := s.enter(j)
	job := s.job(slot)
	c := s.sites[0]
	if len(s.sites) > 1 {
		c = s.dispatch(job, slot)
	} else {
		s.enqueue(c, job, slot)
		s.pass(c)
	}
	s.look(c)
	s.note()
	return s.err == nil
}

// enqueue puts a job into the queue of a site.
func (s *Simulator) enqueue(c *site, j schedule.Job, slot int32) {
	s.live[slot].site = int32(c.index)
	c.schd.Submit(j)
	c.queued(j, s.cfg.Short, 1)
}

// pass lets the scheduler of a site start jobs.
func (s *Simulator) pass(c *site) {
	s.started = c.schd.AppendStarts(s.started[:0], s.now)
	for _, a := range s.started {
		slot := s.slot(a.ID)
		if slot < 0 {
			panic("sim: the Scheduler starts a job that does not wait")
		}
		c.queued(a.Job, s.cfg.Short, -1)
		s.occupy(c, slot, a.Nodes)
		s.begin(c, slot, a)
	}
	c.watch(s)
}

// begin notes the start of a job, which may have to wait until instances that
// another user's job had are formatted.
func (s *Simulator) begin(c *site, slot int32, a schedule.Allocation) {
	j := &s.live[slot]
	j.alloc, j.ends = a, a.End()
	start := s.now
	if s.cfg.Reformat > 0 && s.mixed(slot) {
		start += s.cfg.Reformat
	}
	s.events.Push(start+j.Run, end(s.begun, int(slot)))
	s.begun++
	s.busy += a.Nodes
	c.busy += a.Nodes
	c.jobs++
	s.tellStart(&j.Job, j.number, start)
}

func (s *Simulator) finish(slot int32) {
	c := s.siteOf(slot)
	a := s.live[slot].alloc
	if s.live[slot].ends != s.now {
		s.vacate(c, slot)
	}
	s.leave(slot)
	c.schd.Finish(a, s.now)
	if s.ended++; s.ended%4096 == 0 && s.cfg.Progress != nil {
		s.cfg.Progress(s.ended)
	}
	s.pass(c)
	s.look(c)
	s.note()
}

// advance is the event loop of a cluster that all jobs share: it handles what comes
// before a submission. At equal times submissions come first, by number, then ends of
// jobs, by start, then instances that are up, by request, one event at a time with a pass
// of the scheduler after each event. Release checks follow, by cloud. It reports whether the simulation goes on.
func (s *Simulator) advance(until time.Duration) bool {
	for s.err == nil {
		at := schedule.Never
		if len(s.due) > 0 {
			at = s.now
		} else if s.events.Len() > 0 {
			at = s.events.Min().Key
		}
		releasing := s.sites[0]
		for _, c := range s.sites[1:] {
			if c.nextRelease < releasing.nextRelease {
				releasing = c
			}
		}
		releases := releasing.nextRelease < at
		at = min(at, releasing.nextRelease)
		if at >= until {
			if s.whole && s.ended < s.submitted {
				s.fail(badInput("Scheduler", -1, ErrRange, "%d jobs wait for ever: want every job started", s.submitted-s.ended))
			}
			return s.err == nil
		}
		if at > replay.MaxTime {
			s.fail(badInput("Submit", -1, ErrRange, "the simulated clock passes %.0f s, %d jobs before the end: want a shorter log", replay.MaxTime.Seconds(), s.submitted-s.ended))
			return false
		}
		s.at(at)
		if releases {
			s.release(releasing)
			continue
		}
		s.gather()
		e := s.due[0]
		s.due = append(s.due[:0], s.due[1:]...)
		switch replay.KindOf(e) {
		case replay.Finish:
			s.finish(int32(indexOf(e)))
		case replay.Booted:
			s.ready(indexOf(e))
		}
	}
	return false
}

// at moves the clock.
func (s *Simulator) at(now time.Duration) {
	if now >= s.nextWeek {
		s.weeks(now)
	}
	s.now = now
}

// gather moves the events of the present moment to due. It frees the instances that the
// scheduler counts as free from now on although their event is still to come: instances
// of jobs that end exactly at their estimate, and instances that have booted.
func (s *Simulator) gather() {
	for s.events.Len() > 0 && s.events.Min().Key == s.now {
		e := s.events.Pop().Tie
		s.due = append(s.due, e)
		switch replay.KindOf(e) {
		case replay.Finish:
			if k := int32(indexOf(e)); s.live[k].ends == s.now {
				s.vacate(s.siteOf(k), k)
			}
		case replay.Booted:
			s.arrive(indexOf(e))
		}
	}
}

// fail ends the simulation with an error, the first one.
func (s *Simulator) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// close lets pass what comes after the last job, and sums up.
func (s *Simulator) close() (Result, error) {
	s.whole = true
	if s.cfg.Mode == Individual {
		s.leaving(schedule.Never)
	} else {
		s.advance(schedule.Never)
	}
	charged, err := s.charged()
	if err == nil {
		s.sum(charged)
		s.tell()
		if s.cfg.Progress != nil {
			s.cfg.Progress(s.submitted)
		}
	}
	s.cfg, s.onStart, s.course.tell = Options{}, nil, nil // nothing of the caller's is kept
	s.one[0] = Cloud{}
	for _, c := range s.sites {
		c.cloud, c.schd = Cloud{}, nil
	}
	if err != nil {
		return Result{}, err
	}
	return s.res, nil
}

// sum fills in what follows from the totals of a run.
func (s *Simulator) sum(charged replay.Sum) {
	r, n := &s.res, s.submitted
	r.Jobs = n
	r.UsedHours, r.ChargedHours = s.used.Hours(), charged.Hours()
	if n > 0 {
		r.MeanWait = s.wait.Mean(n)
		r.MeanSlowdown = s.slow / float64(n)
		r.Makespan = s.roster.end - s.first
	}
	if s.cfg.Mode == Local {
		var all replay.Sum
		all.Add(r.Makespan, s.cfg.Nodes)
		r.ChargedHours = all.Hours()
	}
	if r.ChargedHours > 0 {
		r.Utilisation = r.UsedHours / r.ChargedHours
	}
	r.Levels, r.Peak = s.course.states()
}
