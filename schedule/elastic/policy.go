package elastic

import (
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// A Policy decides, at each evaluation, which instances an elastic environment launches and which
// it gives back ([Marshall12] section II). [SM], [OD], [AQTP] and [MCOP] are Policies. With a
// [Draft], a policy of your own takes about ten lines.
//
// AppendActions appends the actions at s.Now to dst, launches before terminations. The decision
// depends on the snapshot, on the policy's source of randomness if it has one, and on earlier
// evaluations if the policy's type says so. AppendActions does not modify or keep the snapshot, and
// once warm allocates nothing but room in dst. The snapshot must be valid. [Snapshot.Validate]
// costs about as much as an evaluation, so a caller that builds valid snapshots need not call
// Validate each time.
//
// The actions are feasible together: they keep to the limits of the clouds, and leave the credits
// at −Budget.Debt or more. They terminate idle instances only, each once, and never instances of a
// fixed infrastructure.
//
// A policy may also have a method
//
//	Rests(s *Snapshot) (credits pricing.Money, rests bool)
//
// which a caller calls after an evaluation without an action. An event is the submission, start or
// end of a job, a change of an instance's state, or a change of a cloud's price. rests is true if
// the policy promises this: until the next event, and as long as the credits are below the returned
// credits, an evaluation has no action and leaves the policy unchanged. The promise must hold
// although the time, the credits and the next charges change without an event. The [Simulator]
// skips the evaluations that the promise covers. All policies of this package have the method.
//
// A policy that remembers something between evaluations may have the methods
//
//	Memory() int
//	Recall(memory int)
//
// Memory returns what the policy remembers, and Recall sets it. A program writes Memory to a file
// when it ends, and calls Recall when it starts again. The policy then decides as if the program
// had not ended. AQTP has the methods; the other policies remember nothing.
type Policy interface {
	AppendActions(dst []Action, s *Snapshot) []Action
}

// A Snapshot is what a policy knows at an evaluation. A job of n nodes needs n cores, and takes
// whole instances of one infrastructure: n instances if they have one core.
//
// An evaluation has rounds, since clouds may refuse requests. The caller carries out the actions of
// a round. If a cloud refuses a launch in part or in whole, the caller notes that in Cloud.Refused,
// updates the snapshot, sets Again and asks the policy once more. The evaluation ends with the
// round in which no launch is refused. A policy does not ask a cloud again after a refusal, so
// there are at most as many refusals as clouds.
type Snapshot struct {
	Now     time.Duration  // the time of the evaluation, ≥ 0
	Every   time.Duration  // the next evaluation is at Now + Every; > 0
	Again   bool           // a second or later round of this evaluation
	Jobs    []schedule.Job // that wait, in the order in which they will start
	Clouds  []Cloud        // the infrastructures, in any order
	Credits pricing.Money  // left to spend; negative in debt
	Budget  Budget         // by which credits accrue, and how far launches may overdraw
}

// A Cloud is an infrastructure: a cloud, or the local cluster (Fixed).
type Cloud struct {
	Price     pricing.Money // of an instance for an hour begun now, ≥ 0
	Limit     int           // the most instances at once, or NoLimit
	Fixed     bool          // nothing can be launched or terminated here: the local cluster
	Boot      time.Duration // how long an instance takes to boot, as expected; ≥ 0
	Refused   int           // instances that it refused at this evaluation; ≥ 0
	Closed    bool          // nothing can be launched here now: a spot cloud whose price is above the bid
	Cores     int           // of an instance, which runs one job at a time; ≥ 0, 0 stands for 1
	Speed     float64       // a job runs for its estimate divided by Speed here; ≥ 0, 0 stands for 1
	Instances []Instance    // that there are, in any order
}

// NoLimit is the Limit of a cloud without one.
const NoLimit = -1

// An Instance is one rented machine, or one core of a fixed infrastructure.
type Instance struct {
	ID    int64         // the caller's; policies do not look at it
	State InstanceState // what it does
	// Due is when it is charged next, or, in a free cloud, would be; Never if
	// that does not happen. An instance that is terminated at Due is not
	// charged again, as pricing.Meter has it; so at equal times evaluations
	// come before charges.
	Due time.Duration
	// Ready is when the instance can take a job, as far as is known: for Busy the end of
	// its job by the estimate, for Booting the end of the boot. In the past it means now.
	// It does not matter for the others.
	Ready time.Duration
}

// An InstanceState says what an instance does.
type InstanceState uint8

const (
	Idle     InstanceState = iota // up, without a job
	Busy                          // runs a job, alone or with others
	Booting                       // launched, not yet up
	Stopping                      // terminated, not yet gone: still counts for the limit
)

var instanceStates = enum.New[InstanceState]("elastic", "InstanceState", ErrRange, "idle", "busy", "booting", "stopping")

// String returns "idle", "busy", "booting" or "stopping", and InstanceState(7) for a value 7 that is none of
// the constants.
func (st InstanceState) String() string { return instanceStates.String(st) }

// An Action is one decision of a policy.
type Action struct {
	Launch   bool   // instances are launched; otherwise an instance is terminated
	Cloud    int    // the index in Snapshot.Clouds
	Count    int    // how many instances, > 0; a termination: 1
	Instance int    // a termination: the index in Cloud.Instances of the snapshot; a launch: 0
	Reason   string // why, as a clause
}

// Why the policies of this package take an action.
const (
	sustainMax  = "limits and budget allow more instances"                               // SM
	queueNeeds  = "waiting jobs need more instances than are free"                       // OD
	firstNeed   = "the first jobs of the queue need more instances than are free"        // AQTP
	bestTrade   = "the chosen trade of cost for queued time has these instances"         // MCOP
	afterRefuse = "a cheaper cloud has refused"                                          // OD
	queueEmpty  = "the instance is idle and no job waits"                                // OD
	chargeDue   = "the instance is idle and would be charged before the next evaluation" // all but SM
)

// Validate returns a *schedule.InputError for the first value of the snapshot that policies cannot
// use. The error unwraps to
//
//   - [ErrTooLarge] for a job that no infrastructure can ever hold,
//   - [ErrUnbounded] for a free cloud without a limit,
//   - pricing.ErrOverflow if the sum of the credits and the debt is out of range,
//   - [ErrRange] for all other values.
//
// Time: O(jobs + instances).
func (s *Snapshot) Validate() error {
	if s.Now < 0 {
		return badInput("Now", -1, ErrRange, "%v: want a time from the start of the trace", s.Now)
	}
	if s.Every <= 0 {
		return badInput("Every", -1, ErrRange, "%v between evaluations: want more than 0", s.Every)
	}
	if err := s.Budget.Validate(); err != nil {
		return err
	}
	if _, err := s.Credits.Add(s.Budget.Debt); err != nil {
		return badInput("Credits", -1, err, "")
	}
	most := 0
	for i := range s.Clouds {
		c := &s.Clouds[i]
		if err := c.check(i); err != nil {
			return err
		}
		switch {
		case c.Boot < 0:
			return badInput("Clouds.Boot", i, ErrRange, "%v: want 0 or more", c.Boot)
		case c.Refused < 0:
			return badInput("Clouds.Refused", i, ErrRange, "%d instances: want 0 or more", c.Refused)
		case !c.Fixed && c.Price == 0 && c.Limit == NoLimit:
			return badInput("Clouds.Limit", i, ErrUnbounded, "a free cloud without a limit: want a limit, such as 512")
		}
		for k := range c.Instances {
			if c.Instances[k].State > Stopping {
				return badInput("Clouds.Instances", i, ErrRange, "instance %d has the state %d: want Idle, Busy, Booting or Stopping", k, c.Instances[k].State)
			}
		}
		switch {
		case c.Fixed:
			most = max(most, c.cores(len(c.Instances)))
		case c.Limit == NoLimit:
			most = math.MaxInt
		default:
			most = max(most, c.cores(c.Limit))
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		switch {
		case j.Nodes <= 0:
			return badInput("Jobs.Nodes", i, ErrRange, "%d nodes: want 1 or more", j.Nodes)
		case j.Nodes > most:
			return badInput("Jobs.Nodes", i, ErrTooLarge, "%d nodes: want at most %d, the size of the largest infrastructure", j.Nodes, most)
		case j.Estimate < 0:
			return badInput("Jobs.Estimate", i, ErrRange, "%v: want 0 or more", j.Estimate)
		case j.Submit < 0 || j.Submit > s.Now:
			return badInput("Jobs.Submit", i, ErrRange, "%v: want a time between 0 and now, %v", j.Submit, s.Now)
		}
	}
	return nil
}

// check checks what cloud i is, without what happens there.
func (c *Cloud) check(i int) error {
	switch {
	case c.Price < 0:
		return badEnvironment("Price", i, ErrRange, "%v an hour: want 0 or more", c.Price)
	case c.Limit < NoLimit:
		return badEnvironment("Limit", i, ErrRange, "%d instances: want 0 or more, or NoLimit", c.Limit)
	case c.Cores < 0 || c.Cores > replay.MaxHeld:
		return badEnvironment("Cores", i, ErrRange, "%d cores: want 1 to %d, or 0 for 1", c.Cores, replay.MaxHeld)
	case !speedOK(c.Speed):
		return badEnvironment("Speed", i, ErrRange, "%v: want %v to %v, or 0 for 1", c.Speed, 1./maxSpeed, maxSpeed)
	}
	return nil
}
