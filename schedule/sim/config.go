package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
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
	// NoWait is one cluster for all, without a queue: a job that arrives and
	// cannot start takes what is idle and has the rest requested for it, to
	// start when they are up. It is SEC with WaitLimit AtOnce and Bound.
	NoWait
)

var modeNames = [...]string{"sec", "local", "individual", "nowait"}

// String returns "sec", "local", "individual" or "nowait".
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// MarshalText returns the String form.
func (m Mode) MarshalText() ([]byte, error) {
	if m > NoWait {
		return nil, fmt.Errorf("sim: %v is not a mode", m)
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads the String form.
func (m *Mode) UnmarshalText(text []byte) error {
	for i, name := range modeNames {
		if string(text) == name {
			*m = Mode(i)
			return nil
		}
	}
	return fmt.Errorf("sim: %q is not a mode: want sec, local, individual or nowait", text)
}

// AtOnce, as a limit of [Options], is a limit of zero; the zero value stands for
// the default.
const AtOnce time.Duration = -1

// Options says how jobs are run. Its zero value is the semi-elastic cluster of
// [Niu16] section 8.2 with the paper's parameters.
type Options struct {
	Mode  Mode
	Nodes int // of a Local cluster; nothing else uses it

	// Scheduler decides which job starts when; nil is EASY backfilling, first
	// come, first served. Run resets it. Individual has no queue.
	Scheduler schedule.Scheduler

	// What instances cost and when they are up.
	Meter  pricing.Meter // the zero value is pricing.EC2Hourly
	Hourly pricing.Money // the on-demand price of an instance-hour, 0 is $2.40 (cc2.8xlarge in 2013)
	Boot   Boot          // nil is MeasuredBoot

	// Clouds, if not empty, are where instances are leased: see the package
	// documentation. An empty list is one cloud with the three values above.
	Clouds     []Cloud
	RetryEvery time.Duration // when a cloud that refused is asked again, 0 is 1 minute
	Epoch      time.Time     // the time 0 of the jobs, for calendar months; the zero Time begins one

	// How the cluster grows and shrinks.
	WaitLimit    time.Duration      // T_waitlmt, 0 is 5 minutes, AtOnce is 0
	Short        time.Duration      // T_short, 0 is 1 hour, AtOnce is 0; only BestSize uses it
	Expansion    schedule.Expansion // how much to request
	Placement    placement.Policy   // which idle instances a job gets
	ReleaseEvery time.Duration      // between two release checks, 0 is 1 minute
	Rand         *rand.Rand         // only for placement.Random, which needs it

	// WaitFromNow makes the wait that is compared with WaitLimit count from the
	// present, not from the job's submission.
	WaitFromNow bool
	// Bound binds instances to the jobs that they are requested for: such a
	// job leaves the queue, keeps what is idle at the request, gets the new
	// instances when they are up and starts then. Otherwise the scheduler's
	// order alone decides who gets an instance that comes up.
	Bound bool

	// Reformat is how long it takes to format the instances of a job if one of them
	// had a job of another user: the job starts so much later. [Niu16] section 8.7
	// measured 3.4 s. The scheduler adds it to every estimate.
	Reformat time.Duration

	// Progress, if not nil, is called now and then with the number of jobs that
	// have ended.
	Progress func(ended int)
}

// withDefaults checks the configuration and fills in the defaults.
func (c Options) withDefaults() (Options, error) {
	if c.Mode > NoWait {
		return c, badInput("Mode", -1, ErrRange, "%v is not a mode", c.Mode)
	}
	if c.Mode == Local && c.Nodes <= 0 {
		return c, badInput("Nodes", -1, ErrRange, "a local cluster of %d nodes: want at least 1", c.Nodes)
	}
	if c.Mode == NoWait { // whoever cannot start at once gets instances of its own
		c.WaitLimit, c.Expansion, c.WaitFromNow, c.Bound = AtOnce, schedule.SumSize, false, true
	}
	if c.Meter == (pricing.Meter{}) {
		c.Meter = pricing.EC2Hourly
	}
	if err := c.Meter.Validate(); err != nil {
		return c, &InputError{"Meter", -1, err}
	}
	if c.Meter.Minimum > maxTime || c.Meter.Increment > maxTime {
		return c, badInput("Meter", -1, ErrRange, "%v and steps of %v: want at most %.0f s", c.Meter.Minimum, c.Meter.Increment, maxTime.Seconds())
	}
	if c.Hourly == 0 {
		c.Hourly = 2_400_000_000
	}
	if c.Hourly < 0 {
		return c, badInput("Hourly", -1, ErrRange, "%v is negative", c.Hourly)
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
	if c.ReleaseEvery < 0 || c.ReleaseEvery > maxTime {
		return c, badInput("ReleaseEvery", -1, ErrRange, "%v: want a period of at most %.0f s, or 0 for the default", c.ReleaseEvery, maxTime.Seconds())
	}
	if c.RetryEvery == 0 {
		c.RetryEvery = time.Minute
	}
	if c.RetryEvery < 0 || c.RetryEvery > maxTime {
		return c, badInput("RetryEvery", -1, ErrRange, "%v: want a period of at most %.0f s, or 0 for the default", c.RetryEvery, maxTime.Seconds())
	}
	if c.Reformat < 0 || c.Reformat > maxTime {
		return c, badInput("Reformat", -1, ErrRange, "%v: want a time from 0 to %.0f s", c.Reformat, maxTime.Seconds())
	}
	if c.Mode == Local || c.Mode == Individual {
		c.Reformat = 0 // nobody's instances are another's, or nobody formats them
	}
	if c.Reformat > 0 { // what is short without it is short with it
		c.Short = min(c.Short+c.Reformat, maxTime)
	}
	if c.Expansion > schedule.SumSize {
		return c, badInput("Expansion", -1, ErrRange, "%v is not an expansion", c.Expansion)
	}
	if c.Placement > placement.Random {
		return c, badInput("Placement", -1, ErrRange, "%v is not a placement", c.Placement)
	}
	if c.Placement == placement.Random && c.Rand == nil && (c.Mode == SEC || c.Mode == NoWait) {
		return c, badInput("Rand", -1, ErrRange, "random placement needs a source of randomness")
	}
	return c, c.checkClouds()
}

// limit resolves the special values of a limit.
func limit(name string, value, standard time.Duration) (time.Duration, error) {
	switch {
	case value == 0:
		return standard, nil
	case value == AtOnce:
		return 0, nil
	case value < 0:
		return 0, badInput(name, -1, ErrRange, "%v is negative: want a span of time, 0 for the default or AtOnce for none", value)
	case value > maxTime:
		return maxTime, nil // the same: no wait or estimate is longer
	}
	return value, nil
}
