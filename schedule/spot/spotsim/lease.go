package spotsim

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// What ended a [Lease].
const (
	LeaseCompleted   = "completed"   // the task ended on it
	LeaseInterrupted = "interrupted" // the price rose above the bid while the task was on it
	LeaseLost        = "lost"        // the same before the task was on it
	LeaseExpired     = "expired"     // the agent gave the task back
	LeaseWithdrawn   = "withdrawn"   // the task ended elsewhere
)

// A Lease is a cluster that was rented for a task.
type Lease struct {
	Task      int           // index
	Tier      spot.Tier     // TierHigh is on demand
	Bid       pricing.Money // 0 on demand
	Requested time.Duration
	Launched  time.Duration
	Started   time.Duration // when the task began to run; -1 if it did not
	Ended     time.Duration
	End       string        // LeaseCompleted or its like
	Saved     time.Duration // in checkpoints when it ended
	Cost      pricing.Money // of all instances
}

// rented is a cluster that was asked for.
type rented struct {
	open      bool
	tier      spot.Tier
	bid       pricing.Money
	requested time.Duration
	launch    time.Duration // when it is served
	lost      time.Duration // when the provider takes it; spot.Never on demand
	submitted bool
	start     time.Duration // of the run, after the set-up
	read      time.Duration // time for the checkpoint at its start
	base      time.Duration // work that was saved and need not be done again
	work      time.Duration // still to be done
	end       time.Duration // of the run, if nothing interrupts it
	ended     string        // why it will be closed
}

// serve finds when a request is served and lost.
func (r *rented) serve(s *Simulator, from time.Duration) {
	r.launch, r.lost = from, spot.Never
	if r.tier == spot.TierHigh {
		return
	}
	var ok bool
	if r.launch, ok = s.cfg.History.NextWithin(from, r.bid); !ok {
		r.launch = spot.Never
		return
	}
	if r.lost, ok = s.cfg.History.NextAbove(r.launch, r.bid); !ok {
		r.lost = spot.Never
	}
}

// ready returns when the cluster has booted.
func (r *rented) ready(s *Simulator) time.Duration {
	if r.launch == spot.Never {
		return spot.Never
	}
	return r.launch + s.task.Latency - s.cfg.Setup
}

// submit starts the task after the set-up, from the checkpoint that there is by
// then.
func (r *rented) submit(s *Simulator) {
	r.submitted = true
	r.start = s.now + s.cfg.Setup
	saved := s.saved
	if r.tier == spot.TierHigh && s.spot.open && s.spot.submitted {
		saved = max(saved, s.spot.savedAt(s, r.start))
	}
	t := &s.task
	r.work = t.Runtime
	if t.Remaining(saved) < t.Estimate {
		r.read, r.base, r.work = t.Checkpoints.Restart, saved, t.Runtime-saved
	}
	r.end = r.start + r.read + r.work
	if c := &t.Checkpoints; c.Every > 0 && r.tier != spot.TierHigh {
		r.end += (r.work - 1) / c.Every * c.Write
	}
}

// savedAt returns how much work is in checkpoints at a time.
func (r *rented) savedAt(s *Simulator, at time.Duration) time.Duration {
	c := &s.task.Checkpoints
	at = min(at, r.lost)
	if c.Every == 0 || r.tier == spot.TierHigh {
		return s.saved
	}
	// Before the run has read its checkpoint, n is not positive.
	n := min((at-r.start-r.read)/(c.Every+c.Write), (r.work-1)/c.Every)
	return max(s.saved, r.base+n*c.Every)
}

// event returns when something happens next to the cluster, spot.Never if nothing
// does.
func (r *rented) event(s *Simulator) time.Duration {
	next := spot.Never
	if !r.open {
		return next
	}
	soon := func(t time.Duration) {
		if t > s.now {
			next = min(next, t)
		}
	}
	soon(r.launch)
	soon(r.lost)
	if r.submitted {
		soon(r.end)
	} else {
		soon(r.ready(s))
	}
	return next
}

// close ends the lease now, if it has not been lost before.
func (r *rented) close(s *Simulator) {
	switch {
	case r.launch > s.now: // never served
	case r.lost < s.now || r.lost == s.now && r.ended == LeaseInterrupted:
		r.charge(s, r.lost, pricing.EndedByProvider)
	default: // also at the moment at which the price rises
		r.charge(s, s.now, pricing.EndedByUser)
	}
	*r = rented{}
}

// charge notes a lease that ended.
func (r *rented) charge(s *Simulator, at time.Duration, by bool) {
	var cost pricing.Money
	var err error
	if r.tier == spot.TierHigh {
		cost, err = replay.Cost(s.cfg.Meter, s.cfg.OnDemand, at-r.launch, s.task.Instances)
	} else if cost, err = s.cfg.Spot.Cost(s.cfg.History, r.launch, at-r.launch, by); err == nil {
		cost, err = cost.Mul(int64(s.task.Instances))
	}
	if s.err == nil {
		s.err = err
	}
	started := time.Duration(-1)
	if r.submitted && r.start < at {
		started = r.start
	}
	s.leases = append(s.leases, Lease{
		Task: s.index, Tier: r.tier, Bid: r.bid, Requested: r.requested, Launched: r.launch,
		Started: started, Ended: at, End: r.ended, Saved: s.saved, Cost: cost,
	})
}
