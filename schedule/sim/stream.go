package sim

import (
	"iter"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Stream replays jobs as [Simulator.Run] does. Its result is that of Run, digit by digit, except
// that Starts and Levels are empty: the functions start and level receive them. A job is taken from
// the sequence when the simulated clock reaches its submission. So memory depends on the jobs that
// wait and run, and hardly on the length of the log:
//
//   - some 130 bytes for each job that waits or runs, beside what the scheduler keeps,
//   - 16 bytes for each job submitted after the first job that still waits,
//   - 32 bytes for each group of idle instances, and
//   - 8 bytes for each hour of the log, for CloudResult.Hours.
//
// start is called when a job starts, with its index in the sequence and the time of its start. job
// is valid until start returns, and must not be modified. Jobs that start at one moment come in the
// order in which the scheduler chose them. level is called with each change of the cluster's state.
// Either function may be nil; neither may call s.
//
// The first error that the sequence yields ends the simulation and is returned as it is. The other
// errors are those of Run. Stream checks each job when it takes the job from the sequence. So
// Stream may have called start and level before an error.
func (s *Simulator) Stream(jobs iter.Seq2[trace.Job, error], cfg Options, start func(index int, job *trace.Job, at time.Duration), level func(Level)) (Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Result{}, err
	}
	s.reset(cfg, start, level, false)
	if s.next == nil {
		s.next = s.take // once: a closure for each call would be an allocation
	}
	jobs(s.next)
	return s.close()
}

// take checks and submits the next job of a sequence. It reports whether the simulation
// goes on.
func (s *Simulator) take(j trace.Job, err error) bool {
	if err == nil && s.submitted == maxJobs {
		err = badInput("Jobs", -1, ErrTooLarge, "more than %d jobs: want no more", maxJobs)
	}
	if err == nil {
		if s.submitted == 0 {
			s.previous = j
			s.most = s.cfg.largest()
		}
		err = checkJob(&s.previous, &j, s.submitted, &s.cfg, s.most)
	}
	if err != nil {
		s.fail(err)
		return false
	}
	s.previous = j
	return s.submit(&j)
}
