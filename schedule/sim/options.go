package sim

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A Mode is a way of running a log of jobs ([Niu16] section 8.2).
type Mode uint8

const (
	// SEC is the semi-elastic cluster: it grows when the top job would wait
	// too long, and gives idle instances back when their paid time ends.
	SEC Mode = iota
	// Local is a cluster of a fixed number of nodes.
	Local
	// Individual is every job on instances of its own, given back when it ends.
	Individual
	// NoWait is one cluster for all, without a queue. A job that arrives and cannot start
	// takes the idle instances. The cluster requests the rest for the job, which starts
	// when they are up. It is SEC with WaitLimit AtOnce, but
	// for instances that are bound to their job.
	NoWait
)

var modes = enum.New[Mode]("sim", "Mode", ErrRange, "sec", "local", "individual", "nowait")

// String returns "sec", "local", "individual" or "nowait", and Mode(7) for a value 7 that is none of
// the constants.
func (m Mode) String() string { return modes.String(m) }

// MarshalText returns the String form. The error is a *schedule.InputError for a value
// that is none of the constants.
func (m Mode) MarshalText() ([]byte, error) { return modes.MarshalText(m) }

// UnmarshalText reads the String form. The error is a *schedule.InputError.
func (m *Mode) UnmarshalText(text []byte) error { return modes.UnmarshalText(m, text) }

// Options says how jobs are run. Its zero value is the semi-elastic cluster of
// [Niu16] section 8.2 with the paper's parameters.
type Options struct {
	Mode  Mode
	Nodes int // of a Local cluster; nothing else uses it

	// Scheduler decides which job starts when; nil is EASY backfilling, first
	// come, first served. Run resets it. Individual has no queue.
	Scheduler schedule.Scheduler

	// What instances cost and when they are up.
	Meter  pricing.Meter             // the zero value is pricing.EC2Hourly
	Hourly pricing.Money             // the on-demand price of an instance-hour, 0 is $2.40 (cc2.8xlarge in 2013)
	Boot   func(n int) time.Duration // of n instances, n > 0, until all can be used; nil is MeasuredBoot

	// Clouds, if not empty, are where instances are leased: see the package
	// documentation. An empty list is one cloud with the three values above.
	Clouds []Cloud
	Epoch  time.Time // the time 0 of the jobs, for calendar months; the zero Time begins one

	// How the cluster grows and shrinks.
	WaitLimit    time.Duration      // T_waitlmt, 0 is 5 minutes, schedule.AtOnce is 0
	Short        time.Duration      // T_short, 0 is 1 hour, schedule.AtOnce is 0; only BestSize uses it
	Expansion    schedule.Expansion // how much to request
	Placement    placement.Policy   // which idle instances a job gets
	ReleaseEvery time.Duration      // between two release checks, 0 is 1 minute
	Rand         *rand.Rand         // only for placement.Random, which needs it

	// bound binds instances to the jobs that they are requested for. Such a job leaves
	// the queue, keeps the instances that are idle at the request, and starts when its
	// new instances are up. Otherwise the scheduler's order alone decides who gets an
	// instance that comes up.
	bound bool

	// Reformat is the time to format the instances of a job if one of them had a job of
	// another user. The job starts so much later. [Niu16] section 8.7 measured 3.4 s. The
	// scheduler adds it to every estimate.
	Reformat time.Duration

	// Progress, if not nil, is called now and then with the number of jobs that
	// have ended.
	Progress func(ended int)
}

// withDefaults checks the configuration and fills in the defaults.
func (c Options) withDefaults() (Options, error) {
	if c.Mode > NoWait {
		return c, badInput("Mode", -1, ErrRange, "%v: want sec, local, individual or nowait", c.Mode)
	}
	if c.Mode == Local && c.Nodes <= 0 {
		return c, badInput("Nodes", -1, ErrRange, "a local cluster of %d nodes: want at least 1", c.Nodes)
	}
	if c.Mode == Local && c.Nodes > math.MaxInt32 {
		return c, badInput("Nodes", -1, ErrTooLarge, "a local cluster of %d nodes: want at most %d", c.Nodes, math.MaxInt32)
	}
	if c.Mode == NoWait { // a job that cannot start at once gets instances of its own
		c.WaitLimit, c.Expansion, c.bound = schedule.AtOnce, schedule.SumSize, true
	}
	if c.Meter == (pricing.Meter{}) {
		c.Meter = pricing.EC2Hourly
	}
	if err := c.Meter.Validate(); err != nil {
		return c, badInput("Meter", -1, err, "")
	}
	if c.Meter.Minimum > replay.MaxTime || c.Meter.Increment > replay.MaxTime {
		return c, badInput("Meter", -1, ErrRange, "%v and steps of %v: want at most %.0f s", c.Meter.Minimum, c.Meter.Increment, replay.MaxTime.Seconds())
	}
	if c.Hourly == 0 {
		c.Hourly = 2_400_000_000
	}
	if c.Hourly < 0 {
		return c, badInput("Hourly", -1, ErrRange, "%v: want 0 or more", c.Hourly)
	}
	if c.Boot == nil {
		c.Boot = MeasuredBoot
	}
	var err error
	if c.WaitLimit, err = limit("WaitLimit", c.WaitLimit, 5*time.Minute); err != nil {
		return c, err
	}
	if c.Short, err = limit("Short", c.Short, time.Hour); err != nil {
		return c, err
	}
	if c.ReleaseEvery == 0 {
		c.ReleaseEvery = time.Minute
	}
	if c.ReleaseEvery < 0 || c.ReleaseEvery > replay.MaxTime {
		return c, badInput("ReleaseEvery", -1, ErrRange, "%v: want a period of at most %.0f s, or 0 for the default", c.ReleaseEvery, replay.MaxTime.Seconds())
	}
	if c.Reformat < 0 || c.Reformat > replay.MaxTime {
		return c, badInput("Reformat", -1, ErrRange, "%v: want a time from 0 to %.0f s", c.Reformat, replay.MaxTime.Seconds())
	}
	if c.Mode == Local || c.Mode == Individual {
		c.Reformat = 0 // no instance goes from one user to another, or no instance is formatted
	}
	if c.Reformat > 0 { // a job that is short without it stays short
		c.Short = min(c.Short+c.Reformat, replay.MaxTime)
	}
	if c.Expansion > schedule.SumSize {
		return c, badInput("Expansion", -1, ErrRange, "%v: want best, first or sum", c.Expansion)
	}
	if c.Placement > placement.Random {
		return c, badInput("Placement", -1, ErrRange, "%v: want one of the constants", c.Placement)
	}
	if c.Placement == placement.Random && c.Rand == nil && (c.Mode == SEC || c.Mode == NoWait) {
		return c, badInput("Rand", -1, ErrRange, "random placement without a source of randomness: want such as rand.New(rand.NewPCG(1, 2))")
	}
	return c, c.checkClouds()
}

// orAtOnce returns a resolved limit as an option of [schedule.Autoscaler].
func orAtOnce(limit time.Duration) time.Duration {
	if limit == 0 {
		return schedule.AtOnce
	}
	return limit
}

// limit resolves the special values of a limit.
func limit(name string, value, standard time.Duration) (time.Duration, error) {
	switch {
	case value == 0:
		return standard, nil
	case value == schedule.AtOnce:
		return 0, nil
	case value < 0:
		return 0, badInput(name, -1, ErrRange, "%v: want a span of time, 0 for the default or schedule.AtOnce for none", value)
	case value > replay.MaxTime:
		return replay.MaxTime, nil // the same: no wait or estimate is longer
	}
	return value, nil
}

// check checks the jobs against the options.
func check(jobs []trace.Job, cfg *Options) error {
	if err := checkNumber(jobs); err != nil {
		return err
	}
	most := cfg.largest()
	for i := range jobs {
		if err := checkJob(&jobs[max(0, i-1)], &jobs[i], i, cfg, most); err != nil {
			return err
		}
	}
	return nil
}

// checkJob checks job i, which comes after job p; p is the job itself if it is the first.
func checkJob(p, j *trace.Job, i int, cfg *Options, most int) error {
	if err := replay.CheckSubmission("sim", p, j, i); err != nil {
		return err
	}
	switch {
	case (cfg.Mode == SEC || cfg.Mode == NoWait) && j.Nodes > replay.MaxHeld:
		return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d instances: want at most %d", j.ID, j.Nodes, replay.MaxHeld)
	case j.Nodes > most:
		return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d instances: want at most %d, the largest quota of a cloud", j.ID, j.Nodes, most)
	case cfg.Mode == Local && j.Nodes > cfg.Nodes:
		return badInput("Jobs.Nodes", i, ErrTooLarge, "job %d needs %d nodes: want at most %d, the size of the cluster", j.ID, j.Nodes, cfg.Nodes)
	}
	return nil
}

// checkNumber checks how many jobs there are.
func checkNumber(jobs []trace.Job) error {
	if len(jobs) > maxJobs {
		return badInput("Jobs", -1, ErrTooLarge, "%d jobs: want at most %d", len(jobs), maxJobs)
	}
	return nil
}
