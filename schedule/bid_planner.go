package schedule

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// BidAction is what a [BidPlanner] decides.
type BidAction uint8

const (
	BidWait     BidAction = iota // run nothing, ask again
	BidSpot                      // run on a spot instance, or go on running
	BidOnDemand                  // run on demand to the end
)

// A BidDecision is what to do now, and for how long without asking again.
type BidDecision struct {
	Action BidAction
	Bid    pricing.Money // for BidSpot: the most to pay per hour
	For    time.Duration // ask again after this long, or at an interruption if that is sooner
	Cost   float64       // expected cost from now on, in units of the currency
}

// A SpotTask is work with a deadline.
type SpotTask struct {
	Work     time.Duration // that the task needs on an instance without interruption
	Deadline time.Duration // from now on
	Latency  time.Duration // from the launch of an instance to the beginning of work on it; billed
	// Every is the work between two checkpoints; 0: none, an interruption loses all.
	Every time.Duration
	// Cost is the time to write a checkpoint, in which no work is done.
	CheckpointCost time.Duration
}
