package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// pastDebt is the reason of a termination that no policy decided.
const pastDebt = "its charge would take the credits below the debt"

// A Decision is what a policy decided at an evaluation and what came of it:
// launches in one cloud, or terminations in one cloud for one reason.
type Decision struct {
	At      time.Duration
	Round   int           // 0, and one more after each round with a refusal
	Launch  bool          // otherwise a termination
	Cloud   int           // in Result.Infrastructures
	Count   int           // instances asked for, or terminated
	Refused int           // of these
	Reason  string        // as a clause
	Jobs    int           // that wait
	Cores   int           // that they need
	Credits pricing.Money // afterwards
}

// A CreditLevel is the credits from a time on.
type CreditLevel struct {
	At      time.Duration
	Credits pricing.Money
}

// An InfrastructureResult is what became of the local cluster or a cloud.
type InfrastructureResult struct {
	Name      string  // "local" or CloudOptions.Name
	CoreHours float64 // that jobs ran, until the horizon; without LostHours
	LostHours float64 // core-hours that jobs ran in vain, on instances that a spot cloud ended
	Requeued  int     // how often a job lost its work so
	Revoked   int     // instances that the spot cloud ended
	Hours     int64   // instance-hours charged or, at a price of 0, begun; none of the local cluster
	Cost      pricing.Money
	Launched  int // instances
	Refused   int // requests for an instance
	Peak      int // the most instances at once, those that boot or are about to go included
}

// An Result is what a simulation of an elastic environment found.
// Its slices are valid until the Simulator's next Run.
type Result struct {
	Jobs int
	// Unfinished is how many jobs had not ended at the horizon, or, without a horizon,
	// would never have started. In the second case the policy cannot or will not serve
	// the first job whose start is -1. The means are over the others.
	Unfinished int

	AWRT     time.Duration // average response time, weighted by cores ([Marshall12] section V)
	AWQT     time.Duration // average queued time, weighted by cores
	Makespan time.Duration // from the first submission to the last end
	Cost     pricing.Money // of all clouds

	Evaluations int // of the policy, rounds after a refusal not counted

	// LowestCredits is the least that the credits were, and LowestLaunch the least
	// that they were right after a launch that costs: it is never below the debt.
	// Without such a launch it is what there was at the start.
	LowestCredits, LowestLaunch pricing.Money

	// Infrastructures has the local cluster first, also when it has no cores, and
	// then the clouds in the configuration's order.
	Infrastructures []InfrastructureResult

	// Starts and Places have, for each job, when it started and on which of
	// Infrastructures; -1 both of a job that had not started.
	Starts []time.Duration
	Places []int

	Credits   []CreditLevel // by time, each time once, from time 0 on
	Decisions []Decision    // if Options.Decisions asks for them
}
