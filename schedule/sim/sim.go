package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/internal/timesum"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Simulator replays jobs. Its zero value is ready; it keeps its memory
// between runs and allocates nothing once that suffices. It must not be used
// by two goroutines at once.
type Simulator struct {
	cfg  Options
	jobs []trace.Job
	now  time.Duration
	one  [1]Cloud // where no clouds are given

	sites []*site // one for each cloud
	spare []*site // those of earlier runs
	where []int32 // by job: its site, where there are several

	events   heaps.Queue[time.Duration]
	due      []int64 // the order of those of the present moment that are not handled yet
	started  []schedule.Allocation
	running  []schedule.Allocation // by job; the zero Allocation when it does not run
	begun    int                   // jobs that have started
	ended    int
	held     int
	busy     int
	nextWeek time.Duration
	res      Result
	scaler   schedule.Autoscaler
	dues     []time.Duration // next charges of idle instances, for a release check
	gone     []int           // what it gives back
	pool
	chooser
}

// Run replays jobs, sorted by (Submit, ID) as [trace.Convert] gives them, and
// returns what came of it. The result's slices are valid until the next Run.
// Jobs are not modified.
//
// It returns an [*InputError] for jobs that cannot be replayed: out of order, without
// nodes or run time, with an estimate below the run time, or larger than a local cluster.
// It also returns one for options out of range, and for a cloud that refuses the
// instances of some job until the end. No job is left out silently. A cost beyond the
// range of pricing.Money is an error, too.
//
// Time: O(log E) an event beside the scheduler's own, with E jobs running and
// requests booting, and O(idle instances) for a placement.
func (s *Simulator) Run(jobs []trace.Job, cfg Options) (Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Result{}, err
	}
	if err := check(jobs, cfg); err != nil {
		return Result{}, err
	}
	s.reset(jobs, cfg)
	var charged timesum.Sum
	switch cfg.Mode {
	case Individual:
		charged, err = s.individual()
	default:
		s.replay()
		charged, err = s.charged()
	}
	if err != nil {
		return Result{}, err
	}
	s.res.summarise(jobs, charged)
	s.tell()
	if cfg.Mode == Local {
		var all timesum.Sum
		all.Add(s.res.Makespan, cfg.Nodes)
		s.res.ChargedHours = all.Hours()
		if s.res.ChargedHours > 0 {
			s.res.Utilisation = s.res.UsedHours / s.res.ChargedHours
		}
	}
	if cfg.Progress != nil {
		cfg.Progress(len(jobs))
	}
	s.jobs, s.cfg = nil, Options{} // nothing of the caller's is kept
	s.one[0] = Cloud{}
	for _, c := range s.sites {
		c.cloud, c.schd = Cloud{}, nil
	}
	return s.res, nil
}

func (s *Simulator) reset(jobs []trace.Job, cfg Options) {
	s.cfg, s.jobs = cfg, jobs
	s.scaler = schedule.Autoscaler{
		WaitLimit: orAtOnce(cfg.WaitLimit), FromNow: cfg.WaitFromNow, Expansion: cfg.Expansion, Short: orAtOnce(cfg.Short),
		ReleaseEvery: cfg.ReleaseEvery, Least: cfg.Least, Most: cfg.Most, Pause: cfg.Pause,
	}
	clouds := cfg.Clouds
	if len(clouds) == 0 {
		s.one[0] = Cloud{Meter: cfg.Meter, Hourly: cfg.Hourly, Boot: cfg.Boot, Scheduler: cfg.Scheduler}
		clouds = s.one[:]
	}
	if quota := clouds[0].Quota; quota > 0 && len(clouds) == 1 && (cfg.Most == 0 || quota < cfg.Most) {
		s.scaler.Most = quota // several clouds keep to theirs when they are chosen
	}
	s.nextWeek = schedule.Never
	for len(s.spare) < len(clouds) {
		s.spare = append(s.spare, new(site))
	}
	s.sites = s.spare[:len(clouds)]
	for i, c := range s.sites {
		c.reset(i, clouds[i].filledIn(&cfg), cfg.Epoch)
		if clouds[i].Portfolio != nil {
			s.nextWeek = week
		}
	}
	s.events.Reset()
	s.due = s.due[:0]
	s.started = s.started[:0]
	s.running = grow.Zero(s.running, len(jobs))
	s.where = s.where[:0]
	if len(clouds) > 1 {
		s.where = grow.Zero(s.where, len(jobs))
	}
	s.begun, s.ended, s.held, s.busy = 0, 0, 0, 0
	if cfg.Mode == Local {
		s.held = cfg.Nodes
		s.sites[0].schd.Reset(cfg.Nodes)
	}
	s.res = Result{Starts: grow.Zero(s.res.Starts, len(jobs)), Levels: s.res.Levels[:0], Clouds: s.res.Clouds[:0]}
	s.pool.reset(len(jobs))
}

// replay is the event loop of a cluster that all jobs share. At equal times submissions
// come first, by index, then ends of jobs, by start, then instances that are up, by
// request, one event at a time with a pass of the scheduler after each event. Requests
// that are tried again and release checks follow, by cloud.
func (s *Simulator) replay() {
	next := 0
	for {
		at := schedule.Never
		if next < len(s.jobs) {
			at = s.jobs[next].Submit
		}
		if s.events.Len() > 0 && s.events.Min().Key < at {
			at = s.events.Min().Key
		}
		if len(s.due) > 0 {
			at = s.now
		}
		releasing := s.sites[0]
		for _, c := range s.sites[1:] {
			if c.nextRelease < releasing.nextRelease {
				releasing = c
			}
		}
		releases := releasing.nextRelease < at
		at = min(at, releasing.nextRelease)
		if at == schedule.Never && s.ended < len(s.jobs) {
			s.fail(badInput("Scheduler", -1, ErrRange, "%d jobs wait for ever: want every job started", len(s.jobs)-s.ended))
		}
		if at == schedule.Never || s.err != nil {
			return
		}
		if at > maxTime {
			if c := s.refusing(at); c != nil {
				s.fail(badCloud("Ask", c.index, ErrRange, "cloud %q refuses until the simulated clock passes %.0f s, %d jobs before the end: want a shorter log",
					c.cloud.Name, maxTime.Seconds(), len(s.jobs)-s.ended))
				return
			}
			s.fail(badInput("Submit", -1, ErrRange, "the simulated clock passes %.0f s, %d jobs before the end: want a shorter log", maxTime.Seconds(), len(s.jobs)-s.ended))
			return
		}
		if at >= s.nextWeek {
			s.weeks(at)
		}
		s.now = at
		if releases {
			s.release(releasing)
			continue
		}
		s.gather()
		if next < len(s.jobs) && s.jobs[next].Submit == at {
			s.submit(next)
			next++
			continue
		}
		e := s.due[0]
		s.due = append(s.due[:0], s.due[1:]...)
		switch kindOf(e) {
		case finish:
			s.finish(indexOf(e))
		case booted:
			s.ready(indexOf(e))
		case retry:
			s.again()
		}
	}
}

// refusing returns the site whose cloud refused last if the next event, at a time, asks a
// cloud again; else nil.
func (s *Simulator) refusing(at time.Duration) (last *site) {
	next := false
	for _, c := range s.sites {
		next = next || c.closed == at
		if last == nil || c.closed > last.closed {
			last = c
		}
	}
	if !next {
		return nil
	}
	return last
}

// fail ends the simulation with an error, the first one.
func (s *Simulator) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// gather moves the events of the present moment to due. It frees the instances that the
// scheduler counts as free from now on although their event is still to come: instances
// of jobs that end exactly at their estimate, and instances that have booted.
func (s *Simulator) gather() {
	for s.events.Len() > 0 && s.events.Min().Key == s.now {
		e := s.events.Pop().Tie
		s.due = append(s.due, e)
		switch kindOf(e) {
		case finish:
			if i := indexOf(e); s.running[i].End() == s.now {
				s.vacate(s.at(i), i)
			}
		case booted:
			s.arrive(indexOf(e))
		}
	}
}

func (s *Simulator) submit(i int) {
	j := s.job(i)
	c := s.sites[0]
	if len(s.sites) > 1 {
		c = s.dispatch(j)
	} else {
		s.enqueue(c, j)
		s.pass(c)
	}
	s.look(c)
	s.note()
}

// enqueue puts a job into the queue of a site.
func (s *Simulator) enqueue(c *site, j schedule.Job) {
	if len(s.where) > 0 {
		s.where[j.ID] = int32(c.index)
	}
	c.schd.Submit(j)
	c.queued(j, s.cfg.Short, 1)
}

// at returns the site of a job.
func (s *Simulator) at(job int) *site {
	if len(s.where) == 0 {
		return s.sites[0]
	}
	return s.sites[s.where[job]]
}

// job returns what the scheduler knows of a job: that instances may have to be
// formatted for it, too.
func (s *Simulator) job(i int) schedule.Job {
	j := &s.jobs[i]
	return schedule.Job{ID: int64(i), User: j.User, Submit: j.Submit, Estimate: j.Estimate + s.cfg.Reformat, Nodes: j.Nodes}
}

func (s *Simulator) finish(i int) {
	c := s.at(i)
	if s.running[i].End() != s.now {
		s.vacate(c, i)
	}
	c.schd.Finish(s.running[i], s.now)
	if s.ended++; s.ended == len(s.jobs) {
		s.cfg.Least, s.scaler.Least = 0, 0 // nothing is left to be ready for
	}
	if s.ended%4096 == 0 && s.cfg.Progress != nil {
		s.cfg.Progress(s.ended)
	}
	s.pass(c)
	s.look(c)
	s.note()
}

// pass lets the scheduler of a site start jobs.
func (s *Simulator) pass(c *site) {

	s.started = c.schd.AppendStarts(s.started[:0], s.now)
	for _, a := range s.started {
		c.queued(a.Job, s.cfg.Short, -1)
		s.occupy(c, int(a.ID), a.Nodes)
		s.begin(c, a)
	}
	c.watch(s)
}

// begin notes the start of a job, which may have to wait until instances that
// another user's job had are formatted.
func (s *Simulator) begin(c *site, a schedule.Allocation) {
	i := int(a.ID)
	s.running[i] = a
	start := s.now
	if s.cfg.Reformat > 0 && s.mixed(i) {
		start += s.cfg.Reformat
	}
	s.res.Starts[i] = start
	s.events.Push(start+s.jobs[i].Run, end(s.begun, i))
	s.begun++
	s.busy += a.Nodes
	c.busy += a.Nodes
	c.jobs++
}

// note records the cluster's state if it has changed, and that of each of
// several clouds.
func (s *Simulator) note() {
	s.res.Levels = appendLevel(s.res.Levels, Level{s.now, s.held, s.busy})
	if len(s.sites) > 1 {
		for _, c := range s.sites {
			c.levels = appendLevel(c.levels, Level{s.now, c.held, c.busy})
		}
	}
}

// appendLevel appends a state if it is another than the last. Levels never hold two
// states of one time, or two equal states in a row.
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
