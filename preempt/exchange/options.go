package exchange

import "time"

// ManagerOptions are the terms of the exchange. A field that is 0 has its default.
type ManagerOptions struct {
	// Grace is the time that a partition has to free a node after it has read the first
	// notice. The default is 2 minutes, the shortest time that [Duplyakin17] uses.
	Grace time.Duration `json:"grace_ns"`
	// Every is the time between two notices, and between repetitions of other messages.
	// The default is a minute [Duplyakin17].
	Every time.Duration `json:"every_ns"`
	// Term is how long a lease lasts from its renewal. Each SetResourceValues renews the
	// leases. A partition whose lease has run out, and Skew later, counts as silent: the
	// manager needs no fresh values to take a node from it. The node that fairness or
	// [Manager.Reclaim] takes is gone a grace period later, or at once if the notice is
	// that old. A silent partition keeps the nodes that fairness leaves it. The default
	// is 15 minutes. With a negative Term, leases do not end, and a silent partition
	// keeps its nodes.
	Term time.Duration `json:"term_ns"`
	// Skew is added to each time that the manager waits before it takes a node. Set Skew
	// to the most that a client's clock can gain or lose on the manager's clock over
	// Grace or Term, whichever is longer. The default is 5 seconds; a negative Skew is
	// none.
	Skew time.Duration `json:"skew_ns"`
	// MaxAge is the age from which values are stale: the age that the message gives,
	// plus the time since the manager read the message. The default is 5 minutes.
	MaxAge time.Duration `json:"max_age_ns"`
	// MaxDelay is how long a preemption waits for a partition whose values are stale.
	// Then the preemption is aborted, and other partitions lose nodes, if the rule of
	// fairness allows. The partition may lose nodes again when it has sent new values or
	// its leases have run out. A [Manager.Reclaim] is not aborted: after MaxDelay it
	// uses the last values. The default is 5 minutes; a negative MaxDelay is none.
	MaxDelay time.Duration `json:"max_delay_ns"`
	// TakeStale lets the manager use the last values after MaxDelay instead of aborting.
	// So no partition can keep its nodes by sending no values.
	TakeStale bool `json:"take_stale"`
}

// resolve fills in the defaults and replaces negative times by 0. A negative Term stays
// negative.
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

// ClientOptions are the settings of a client. A field that is 0 has its default.
type ClientOptions struct {
	// Every is the time between two SetResourceValues, and between repetitions of other
	// messages. Each SetResourceValues renews the leases, so Every must be well below
	// the manager's Term. The default is a minute.
	Every time.Duration `json:"every_ns"`
	// First is the number of the client's first message and request. A client that
	// replaces a client whose state was lost must begin above all numbers of the old
	// client; the nanoseconds since some year will do. The greatest First is 2^62. The
	// default is 1.
	First uint64 `json:"first"`
}
