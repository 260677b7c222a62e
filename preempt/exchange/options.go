package exchange

import "time"

// ManagerOptions are the terms of the exchange. The zero value is the default.
type ManagerOptions struct {
	// Grace is how long a partition has to free a node after it has read the
	// first notice. The default is 2 minutes, the shortest that [Duplyakin17] uses.
	Grace time.Duration `json:"grace_ns"`
	// Every is the time between notices, and of what else is repeated. The
	// default is a minute [Duplyakin17].
	Every time.Duration `json:"every_ns"`
	// Term is how long a lease lasts from its renewal, which comes with each
	// SetResourceValues. When it is over, and Skew, a silent partition's values need
	// not be fresh any more: what fairness, or [Manager.Reclaim], takes from it is
	// gone a grace period later, or at once if the notice is that old. What fairness
	// leaves it stays with it. The default is 15 minutes. A negative term never ends:
	// the nodes of a silent partition then stay with it.
	Term time.Duration `json:"term_ns"`
	// Skew is added to what the manager waits for before it takes a node, for
	// clocks that do not run alike: at least as much as a client's clock can gain
	// or lose on the manager's over the longer one of Grace and Term. The default is
	// 5 seconds, negative is none.
	Skew time.Duration `json:"skew_ns"`
	// MaxAge is the age from which values are stale. The default is 5 minutes. The age
	// is that which the message says it has, and the time since it was read.
	MaxAge time.Duration `json:"max_age_ns"`
	// MaxDelay is how long a preemption waits for a partition whose values are
	// stale before it is aborted; other partitions are then taken from, if the
	// rule allows, and this one when it has sent new values or its leases have run
	// out. A [Manager.Reclaim] is not aborted but takes by the last values. The default
	// is 5 minutes, negative is none.
	MaxDelay time.Duration `json:"max_delay_ns"`
	// TakeStale takes nodes by the last values after MaxDelay instead, so that no
	// partition can keep its nodes by saying nothing about them.
	TakeStale bool `json:"take_stale"`
}

// resolve returns the options with defaults filled in and none as zero. A Term that
// never ends stays negative.
func (o ManagerOptions) resolve() ManagerOptions {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		} else if *d < 0 {
			*d = 0
		}
	}
	if o.Term == 0 {
		o.Term = 15 * time.Minute
	} else if o.Term < 0 {
		o.Term = -1
	}
	def(&o.Grace, 2*time.Minute)
	def(&o.Every, time.Minute)
	def(&o.Skew, 5*time.Second)
	def(&o.MaxAge, 5*time.Minute)
	def(&o.MaxDelay, 5*time.Minute)
	return o
}

func (o ManagerOptions) check() error {
	for _, d := range []struct {
		field string
		d     time.Duration
	}{{"Grace", o.Grace}, {"Every", o.Every}, {"MaxAge", o.MaxAge}} {
		if d.d < 0 {
			return badInput("Options."+d.field, -1, ErrRange, "%v: want a positive span, or 0 for the default", d.d)
		}
	}
	return nil
}

// ClientOptions are a client's settings.
type ClientOptions struct {
	// Every is the time between two SetResourceValues, and of what else is
	// repeated. The default is a minute. A lease is renewed that often, and is to
	// last for several.
	Every time.Duration `json:"every_ns"`
	// First is the number of the client's first message and request. A client that
	// takes the place of one whose state was lost is to begin above all numbers that
	// one has used; the time in nanoseconds since some year will do. The most is 2^62, the
	// default 1.
	First uint64 `json:"first"`
}
