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
	// Term is how long a lease lasts from its renewal. Each SetResourceValues renews the leases.
	//
	// A partition becomes silent when one of its leases has run out and the time Skew has passed
	// since then. The manager needs no fresh values to take a node from a silent partition. If
	// fairness or [Manager.Reclaim] takes a node from a silent partition, the partition loses the
	// node a grace period after the notice. A silent partition keeps all other nodes.
	//
	// The default is 15 minutes. With a negative Term, leases do not run out, and a silent
	// partition keeps its nodes.
	Term time.Duration `json:"term_ns"`
	// Skew is added to each time that the manager waits before it takes a node. Set Skew
	// to the most that a client's clock can gain or lose on the manager's clock over
	// Grace or Term, whichever is longer. The default is 5 seconds; a negative Skew is
	// none.
	Skew time.Duration `json:"skew_ns"`
	// MaxAge is the age from which values are stale: the age that the message gives,
	// plus the time since the manager read the message. The default is 5 minutes.
	MaxAge time.Duration `json:"max_age_ns"`
	// MaxDelay is how long a preemption waits for a partition whose values are stale. After
	// MaxDelay the manager gives up this preemption, and takes nodes from other partitions if the
	// rule of fairness allows that. The partition with stale values may lose nodes again when it
	// has sent new values or its leases have run out. [Manager.Reclaim] does not give up: after
	// MaxDelay it uses the last values. The default is 5 minutes. A negative MaxDelay means no
	// waiting.
	MaxDelay time.Duration `json:"max_delay_ns"`
	// TakeStale lets the manager use the last values after MaxDelay instead of aborting.
	// So no partition can keep its nodes by sending no values.
	TakeStale bool `json:"take_stale"`
	// Prepare makes the manager withhold each grant until [Manager.Prepared] says that the
	// node is ready for its partition. [Manager.AppendUnprepared] lists the nodes.
	Prepare bool `json:"prepare,omitempty"`
	// MaxPartitions is the most partitions. The default is 1024.
	MaxPartitions int `json:"max_partitions,omitempty"`
	// MaxRequests is the most open requests of a partition. The default is 64.
	MaxRequests int `json:"max_requests,omitempty"`
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
	if o.MaxPartitions == 0 {
		o.MaxPartitions = 1024
	}
	if o.MaxRequests == 0 {
		o.MaxRequests = 64
	}
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
	for _, n := range []struct {
		field string
		n     int
	}{{"MaxPartitions", o.MaxPartitions}, {"MaxRequests", o.MaxRequests}} {
		if n.n < 0 || n.n > maxNodes {
			return badInput("Options."+n.field, -1, ErrRange, "%d: want 1 to %d, or 0 for the default", n.n, maxNodes)
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
	// Instance is the name of this client among all clients that the partition has had. The manager
	// reads only messages of the instance that [Manager.ResetClient] named last, and the client
	// reads only answers to its own instance. A long random text keeps others from guessing the
	// name. At most 100 printable bytes. The default is "", the instance of a new partition.
	Instance string `json:"instance,omitempty"`
}
