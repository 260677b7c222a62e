package preempt

import "time"

// Checkpoints: what a job loses that saves its work. The jobs of the paper lose all their work.
//
// Idea. A job that saves loses only the run time since its last save. The grace period
// helps twice: the job may come to its next save by itself, and the job may be asked to
// save. The job is asked as late as possible, Cost before the end of the grace period, so
// that nothing but the save itself is lost. With
//
//	l   the end of the last save that is complete when the grace period ends
//	C   the cost of a save
//
// each node of a job that outlasts the grace period loses
//
//	e_j + GP        without a Checkpoint, as in the paper
//	e_j + GP − l    with a Checkpoint
//	C               if the job saves on request, C ≤ GP, and C is less than e_j + GP − l
//
// Invariant. The loss of a job depends on this job and on GP alone, not on the other
// victims. So the waste of a set of jobs is still a sum, and the victims of
// [Solver.AppendVictims] are still exact: the proof in the package comment uses no more.
// That would not hold if saves slowed each other down, as they do on storage that is too
// slow for all of them. Give each job the Cost that holds when many jobs save at once, and add
// the time that a restart loses. The model also leaves out a job that would have ended during
// the requested save: a caller that knows of such an end does not ask.
//
// [LIFO], [PAP] and [PAPPlus] value a job by the run time that the job would lose now. FIFO
// orders jobs by their start, with or without checkpoints. For a job that went on from a save,
// [Survival] counts the run time before the save too.

// A Checkpoint says how a job saves its work. Times count as [Job.Elapsed] does, from the
// job's latest start.
type Checkpoint struct {
	// Saved is the elapsed time at which the job's last save was complete, from 0 to
	// Elapsed. All run time until then is safe. 0 is no save since the start.
	Saved time.Duration
	// Every is the time from the end of one save to the end of the next, if the job saves
	// by itself; 0 if it does not. Saves count for the future only: if Saved is older than
	// Every, the job has missed a save, and none is expected of it.
	Every time.Duration
	// Cost is how long a save takes. The job does not work meanwhile.
	Cost time.Duration
	// OnRequest says that the job saves when it is asked to: see [Job.AskAfter].
	OnRequest bool
	// Resumed is the run time that the job had saved before its latest start and went on
	// from. It is safe, and it is part of the run time that [Survival.OutlastTo] expects.
	Resumed time.Duration
}

// check returns what is wrong with the Checkpoint of a job.
func (c *Checkpoint) check(i int, elapsed time.Duration) error {
	switch {
	case c.Saved < 0 || c.Saved > elapsed:
		return badInput("Jobs.Checkpoint.Saved", i, ErrRange, "%v of a job that has run for %v: want the elapsed time at the last save, or 0", c.Saved, elapsed)
	case c.Every < 0:
		return badInput("Jobs.Checkpoint.Every", i, ErrRange, "%v is negative: want the time between two saves, or 0 where the job takes none by itself", c.Every)
	case c.Cost < 0:
		return badInput("Jobs.Checkpoint.Cost", i, ErrRange, "%v is negative: want the time that a save takes", c.Cost)
	case c.Every > 0 && c.Cost > c.Every:
		return badInput("Jobs.Checkpoint.Cost", i, ErrRange, "%v, and the job saves each %v: want a save that is over before the next", c.Cost, c.Every)
	case c.Resumed < 0:
		return badInput("Jobs.Checkpoint.Resumed", i, ErrRange, "%v is negative: want a run time, or 0", c.Resumed)
	}
	return nil
}

// valid reports whether check has nothing to say.
func (c *Checkpoint) valid(elapsed time.Duration) bool { return c.check(0, elapsed) == nil }

// unsaved returns what each node of a job loses at the end of a grace period if the job
// is not asked to save.
func (j *Job) unsaved(grace time.Duration) uint64 {
	end := uint64(j.Elapsed) + uint64(grace)
	c := j.Checkpoint
	if c == nil {
		return end
	}
	lost := end - uint64(c.Saved)
	if c.Every > 0 && j.Elapsed-c.Saved < c.Every {
		lost %= uint64(c.Every)
	}
	return lost
}

// lost returns what each node of a job loses that does not end within a grace period.
func (j *Job) lost(grace time.Duration) uint64 {
	lost := j.unsaved(grace)
	if c := j.Checkpoint; c != nil && c.OnRequest && c.Cost <= grace {
		lost = min(lost, uint64(c.Cost))
	}
	return lost
}

// AskAfter returns how long after a notice a job should be asked to save, and whether it
// should: if it saves on request, within the grace period, and loses less that way. The
// save then ends with the grace period. A caller that ends jobs earlier than that, for
// safety, passes a shorter grace period. It panics if the grace period is negative.
func (j Job) AskAfter(grace time.Duration) (after time.Duration, ask bool) {
	if grace < 0 {
		panic("preempt: negative time")
	}
	c := j.Checkpoint
	if c == nil || !c.OnRequest || c.Cost > grace || uint64(c.Cost) >= j.unsaved(grace) {
		return 0, false
	}
	return grace - c.Cost, true
}

// risk returns how much of a job's run time would be lost now, on each node: all of it
// without a Checkpoint. A job that can still be asked to save loses a save at most.
func (j *Job) risk(grace time.Duration) time.Duration {
	c := j.Checkpoint
	if c == nil {
		return j.Elapsed
	}
	lost := j.Elapsed - c.Saved
	if c.OnRequest && c.Cost <= grace {
		lost = min(lost, c.Cost)
	}
	return lost
}
