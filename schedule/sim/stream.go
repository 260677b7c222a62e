package sim

import (
	"iter"
	"time"

	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Sink receives what [Simulator.Stream] finds, in the order of the simulated time. A nil
// function drops what it would receive. The functions must not call the Simulator.
type Sink struct {
	// Start is called when a job starts, with its index in the sequence and the time of
	// its start. job is valid until Start returns, and must not be modified. Jobs that
	// start at one moment come in the order in which the scheduler chose them.
	Start func(index int, job *trace.Job, at time.Duration)
	// Level is called with each change of the cluster's state: what Result.Levels has.
	Level func(Level)
}

// Stream replays jobs as [Simulator.Run] does and returns the same result, digit by digit,
// without Starts and Levels: sink receives these. A job is taken from the sequence when
// the simulated clock reaches its submission. So memory goes by the jobs that wait and
// run, and not by the length of the log:
//
//   - some 130 bytes for each job that waits or runs, beside what the scheduler keeps,
//   - 16 bytes for each job submitted after the first job that still waits,
//   - 32 bytes for each group of idle instances, and
//   - 8 bytes for each hour of the log, for CloudResult.Hours.
//
// [trace.Jobs] makes such a sequence of a log in the order of submission.
//
// The first error that the sequence yields ends the simulation and is returned as it is.
// The other errors are those of Run. As jobs are checked one by one, Start and Level may
// have been called before an error.
func (s *Simulator) Stream(jobs iter.Seq2[trace.Job, error], cfg Options, sink Sink) (Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return Result{}, err
	}
	s.reset(cfg, sink, false)
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
