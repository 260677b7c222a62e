package exchange

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// A Message is one call between a [Client] and the [Manager], in either direction. The
// constants of type [Call] say which fields each call has. Messages may come late,
// twice, out of order or never.
type Message struct {
	Call      Call          `json:"call"`
	Partition string        `json:"partition"`           // of the client
	Instance  string        `json:"instance,omitempty"`  // which client of the partition
	Number    uint64        `json:"number,omitempty"`    // ascending over the client's messages
	Sent      time.Duration `json:"sent_ns,omitempty"`   // by the client's clock; the answer repeats it
	Age       time.Duration `json:"age_ns,omitempty"`    // of the values when the client sent them; negative: no values
	Term      time.Duration `json:"term_ns,omitempty"`   // of a lease; negative: no end
	Last      uint64        `json:"last,omitempty"`      // in LeasesRenewed: the last number of a preemption that the manager gave
	Requests  []Request     `json:"requests,omitempty"`  // by ascending ID
	Leases    []Lease       `json:"leases,omitempty"`    // by ascending Node
	Resources []Resource    `json:"resources,omitempty"` // by ascending Node
}

// Clone returns a copy that shares no memory with m.
func (m Message) Clone() Message {
	m.Requests = slices.Clone(m.Requests)
	m.Leases = slices.Clone(m.Leases)
	m.Resources = slices.Clone(m.Resources)
	return m
}

// A Lease says something about one node while one partition has the node. Node and Epoch
// together are the name of the lease: each grant of a node raises its epoch.
type Lease struct {
	Node       int           `json:"node"`
	Epoch      uint64        `json:"epoch"`
	Request    uint64        `json:"request,omitempty"`    // the request that the lease was granted for
	Value      float64       `json:"value,omitempty"`      // to the partition, in [0, 1]
	Preemption uint64        `json:"preemption,omitempty"` // the number of the preemption that ends the lease, 0 for none
	Since      time.Duration `json:"since_ns,omitempty"`   // time since the client read the first notice, Grace at most
	Grace      time.Duration `json:"grace_ns,omitempty"`   // time from the first notice read to the end
	State      LeaseState    `json:"state,omitempty"`      // in LeasesRenewed
}

// A LeaseState is the manager's answer about a lease that the client has listed.
type LeaseState uint8

const (
	// Renewed: the lease belongs to the partition for another term.
	Renewed LeaseState = iota
	// Ended: the lease does not belong to the partition any more.
	Ended
	// Pending: the lease is to end, and the manager has read no acknowledgement of a
	// notice, or the listing shows another Preemption. The lease is not renewed. The entry
	// is a notice.
	Pending
	// Cancelled: the preemption is off, and the lease is renewed.
	Cancelled
)

var leaseStates = enum.New[LeaseState]("exchange", "LeaseState", ErrUnknown, "renewed", "ended", "pending", "cancelled")

// String returns "renewed", "ended", "pending" or "cancelled", or LeaseState(n) for a
// value n that has no name.
func (s LeaseState) String() string { return leaseStates.String(s) }

// MarshalText returns the text that String returns. A value that has no name is an
// *preempt.InputError.
func (s LeaseState) MarshalText() ([]byte, error) { return leaseStates.MarshalText(s) }

// UnmarshalText reads a name. Any other text is a *preempt.InputError, and s is
// unchanged.
func (s *LeaseState) UnmarshalText(text []byte) error { return leaseStates.UnmarshalText(s, text) }

// A Request asks for Count nodes of a kind.
type Request struct {
	ID      uint64 `json:"id"`
	Kind    string `json:"kind,omitempty"` // kind and features, such as "epyc+gpu", "epyc", "+gpu" or "" for any node
	Count   int    `json:"count"`
	Granted int    `json:"granted,omitempty"` // nodes granted, and listed by the partition
	Refused string `json:"refused,omitempty"` // why the manager does not queue the request, "" if it does
}

// A Resource is one node of the hosting cluster, as a partition sees the node. Value is
// the host's value of the node, from 0 to 1. 1 - Value is the probability that the
// partition gets the node if the partition asks for nodes now ([Duplyakin17] 3.1).
// [Manager.AppendResources] says how the manager computes it.
type Resource struct {
	Node  int     `json:"node"`
	Kind  string  `json:"kind,omitempty"`
	Value float64 `json:"value"`
	Mine  bool    `json:"mine,omitempty"` // the partition that asks has the node
}

// checkLeases checks the leases of a message, as both sides require them.
func checkLeases(leases []Lease) error {
	for i, l := range leases {
		switch {
		case l.Node < 0 || l.Node >= maxNodes:
			return badInput("Leases.Node", i, ErrRange, "%d: want a node from 0 to %d", l.Node, maxNodes-1)
		case i > 0 && l.Node <= leases[i-1].Node:
			return badInput("Leases.Node", i, ErrRange, "%d after %d: want ascending nodes", l.Node, leases[i-1].Node)
		case l.Epoch == 0 || l.Epoch > maxEpoch:
			return badInput("Leases.Epoch", i, ErrRange, "%d: want an epoch from 1 to %d", l.Epoch, uint64(maxEpoch))
		case l.Preemption > maxEpoch:
			return badInput("Leases.Preemption", i, ErrRange, "%d: want %d at most", l.Preemption, uint64(maxEpoch))
		case !(l.Value >= 0 && l.Value <= 1):
			return badInput("Leases.Value", i, ErrRange, "%v: want a value from 0 to 1", l.Value)
		case l.Since < 0:
			return badInput("Leases.Since", i, ErrRange, "%v: want a span that is not negative", l.Since)
		case l.Grace < 0:
			return badInput("Leases.Grace", i, ErrRange, "%v: want a span that is not negative", l.Grace)
		case !leaseStates.Valid(l.State):
			return badInput("Leases.State", i, ErrUnknown, "%v: want %s", l.State, leaseStates.Want())
		}
	}
	return nil
}

// checkRequests checks the requests of a message, as both sides require them.
func checkRequests(requests []Request) error {
	for i, r := range requests {
		switch {
		case r.ID == 0 || i > 0 && r.ID <= requests[i-1].ID:
			return badInput("Requests.ID", i, ErrRange, "%d: want positive, ascending numbers", r.ID)
		case r.Count < 1:
			return badInput("Requests.Count", i, ErrRange, "%d: want a positive number of nodes", r.Count)
		case r.Granted < 0 || r.Granted > r.Count:
			return badInput("Requests.Granted", i, ErrRange, "%d of %d nodes: want none to all of them", r.Granted, r.Count)
		case !short(r.Kind, maxKind):
			return badInput("Requests.Kind", i, ErrRange, "%d bytes: want at most %d, all of them printable", len(r.Kind), maxKind)
		case !short(r.Refused, maxKind):
			return badInput("Requests.Refused", i, ErrRange, "%d bytes: want at most %d, all of them printable", len(r.Refused), maxKind)
		}
	}
	return nil
}

// checkResources checks the nodes of a message as a client requires them.
func checkResources(resources []Resource) error {
	for i, r := range resources {
		switch {
		case r.Node < 0 || r.Node >= maxNodes || i > 0 && r.Node <= resources[i-1].Node:
			return badInput("Resources.Node", i, ErrRange, "%d: want ascending nodes from 0 to %d", r.Node, maxNodes-1)
		case !(r.Value >= 0 && r.Value <= 1):
			return badInput("Resources.Value", i, ErrRange, "%v: want a value from 0 to 1", r.Value)
		case !short(r.Kind, maxKind):
			return badInput("Resources.Kind", i, ErrRange, "%d bytes: want at most %d, all of them printable", len(r.Kind), maxKind)
		}
	}
	return nil
}
