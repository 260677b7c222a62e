package preempt

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// ErrUnknown: there is no such partition, node, request or call. An [InputError]
// of the exchange unwraps to it.
var ErrUnknown = errors.New("not known")

// A Call says what a [Message] is. AddNodes, DeleteNodes, DiscoverResources,
// SetResourceValues and NotifyDeletePending are those of [Duplyakin17] 3.1; the
// others are their answers, and DeleteCancelled.
type Call uint8

// The calls. The first five go from a client to the manager.
const (
	_ Call = iota
	// AddNodes has all open Requests of the partition, and a Number: of two such
	// messages the one with the higher number counts. It is repeated until it is
	// answered, and while a request is open.
	AddNodes
	// DeleteNodes gives Leases back, each by Node and Epoch. It is repeated until
	// it is answered.
	DeleteNodes
	// DiscoverResources asks for the hosting cluster's nodes. It is not repeated.
	DiscoverResources
	// SetResourceValues has all Leases that the partition holds and does not give
	// back, by Node and Epoch, with Value, and where it is giving one up with
	// Preemption and Since; and the Age of the values. It is repeated in any case,
	// and with that renews the leases. Of two the one with the higher Number counts.
	SetResourceValues
	// AcknowledgeDelete answers NotifyDeletePending: Leases with Preemption, and
	// how long Since the first notice of it.
	AcknowledgeDelete

	// NodesQueued answers AddNodes: the manager's Requests and how much of each has
	// been granted, and the last Number that it has read.
	NodesQueued
	// NodesAdded grants Leases, by Node, Epoch and Request. It is repeated until
	// the partition lists them in SetResourceValues.
	NodesAdded
	// NodesDeleted answers DeleteNodes: these Leases are over.
	NodesDeleted
	// ResourcesDiscovered answers DiscoverResources.
	ResourcesDiscovered
	// LeasesRenewed answers SetResourceValues: what has become of each of the
	// Leases, and for how long (Term) after the time when the question was Sent the
	// renewed ones are the partition's.
	LeasesRenewed
	// NotifyDeletePending says that the Leases will end, under which Preemption and
	// after what Grace. It is repeated until the partition has given them back or
	// the grace period is over.
	NotifyDeletePending
	// DeleteCancelled says that the Leases stay after all, under which Preemption
	// they were to end. It is not repeated; LeasesRenewed says the same.
	DeleteCancelled

	lastCall = DeleteCancelled
)

var callNames = [...]string{"", "AddNodes", "DeleteNodes", "DiscoverResources", "SetResourceValues", "AcknowledgeDelete",
	"NodesQueued", "NodesAdded", "NodesDeleted", "ResourcesDiscovered", "LeasesRenewed", "NotifyDeletePending", "DeleteCancelled"}

// String returns the call's name.
func (c Call) String() string {
	if c == 0 || c > lastCall {
		return fmt.Sprintf("Call(%d)", uint8(c))
	}
	return callNames[c]
}

// MarshalText returns the call's name. It is an error for what is no call.
func (c Call) MarshalText() ([]byte, error) {
	if c == 0 || c > lastCall {
		return nil, badInput("Call", -1, ErrUnknown, "%d; want one of the constants", uint8(c))
	}
	return []byte(callNames[c]), nil
}

// UnmarshalText reads the call's name.
func (c *Call) UnmarshalText(text []byte) error {
	for i, name := range callNames {
		if i > 0 && name == string(text) {
			*c = Call(i)
			return nil
		}
	}
	return badInput("Call", -1, ErrUnknown, "%q; want a name such as AddNodes", text)
}

// A Message is one call between a [Client] and the [Manager], in either direction;
// the constants of type [Call] say which fields each has. A receiver is not
// harmed by one that comes late, twice, out of order or never.
type Message struct {
	Call      Call          `json:"call"`
	Partition string        `json:"partition"`           // the client's
	Number    uint64        `json:"number,omitempty"`    // of the client's messages, ascending
	Sent      time.Duration `json:"sent_ns,omitempty"`   // by the client's clock; echoed
	Age       time.Duration `json:"age_ns,omitempty"`    // of the values when sent, not when read; negative: there are none
	Term      time.Duration `json:"term_ns,omitempty"`   // of a lease; negative: without end
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

// A Lease is what a message says about one node while one partition has it. Node
// and Epoch together are its name: a node's epoch rises each time it is granted.
type Lease struct {
	Node       int           `json:"node"`
	Epoch      uint64        `json:"epoch"`
	Request    uint64        `json:"request,omitempty"`    // that it was granted for
	Value      float64       `json:"value,omitempty"`      // in [0, 1], to its partition
	Preemption uint64        `json:"preemption,omitempty"` // under which it is to end, 0 for none
	Since      time.Duration `json:"since_ns,omitempty"`   // the first notice of it, Grace at most
	Grace      time.Duration `json:"grace_ns,omitempty"`   // from the first notice received
	Status     LeaseStatus   `json:"status,omitempty"`     // in LeasesRenewed
}

// LeaseStatus is what has become of a lease that the client has listed.
type LeaseStatus uint8

const (
	// Renewed leases are the partition's for another term.
	Renewed LeaseStatus = iota
	// Ended leases are not the partition's any more.
	Ended
	// Pending leases are to end and no notice of it has been acknowledged. They
	// are not renewed. The entry is a notice.
	Pending
	// Cancelled leases are renewed, and Preemption is off.
	Cancelled

	lastStatus = Cancelled
)

var statusNames = [...]string{"renewed", "ended", "pending", "cancelled"}

// String returns the status in lower case.
func (s LeaseStatus) String() string {
	if s > lastStatus {
		return fmt.Sprintf("LeaseStatus(%d)", uint8(s))
	}
	return statusNames[s]
}

// MarshalText returns the status in lower case. It is an error for what is none.
func (s LeaseStatus) MarshalText() ([]byte, error) {
	if s > lastStatus {
		return nil, badInput("LeaseStatus", -1, ErrUnknown, "%d; want one of the constants", uint8(s))
	}
	return []byte(statusNames[s]), nil
}

// UnmarshalText reads the status.
func (s *LeaseStatus) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = LeaseStatus(i)
			return nil
		}
	}
	return badInput("LeaseStatus", -1, ErrUnknown, "%q; want renewed, ended, pending or cancelled", text)
}

// A Request asks for Count nodes of a kind.
type Request struct {
	ID      uint64 `json:"id"`
	Kind    string `json:"kind,omitempty"` // of node, "" for any
	Count   int    `json:"count"`
	Granted int    `json:"granted,omitempty"` // nodes that the partition has listed since
	Refused string `json:"refused,omitempty"` // why the manager does not queue it, "" if it does
}

// A Resource is one node of the hosting cluster, as a partition sees it. Value is
// the host's preemption value in the simple form of [Duplyakin17] 3.1: 0 for a node
// that nobody has, 1 for one in use.
type Resource struct {
	Node  int     `json:"node"`
	Kind  string  `json:"kind,omitempty"`
	Value float64 `json:"value"`
	Mine  bool    `json:"mine,omitempty"` // the partition that asks has it
}

// forever is a time that does not come.
const forever = time.Duration(math.MaxInt64)

// after returns t+d, or forever where that is later than a Duration can be. Neither
// is negative.
func after(t, d time.Duration) time.Duration {
	if d > forever-t {
		return forever
	}
	return t + d
}

// outbox collects messages in memory that is used again.
type outbox struct {
	msgs      []Message
	leases    []Lease
	requests  []Request
	resources []Resource
}

func (o *outbox) reset() {
	o.msgs, o.leases, o.requests, o.resources = o.msgs[:0], o.leases[:0], o.requests[:0], o.resources[:0]
}

// send adds a message whose lists are what was appended to the outbox's since
// mark was taken.
func (o *outbox) send(m Message, from mark) {
	m.Leases = o.leases[from.leases:len(o.leases):len(o.leases)]
	m.Requests = o.requests[from.requests:len(o.requests):len(o.requests)]
	m.Resources = o.resources[from.resources:len(o.resources):len(o.resources)]
	if len(m.Leases) == 0 {
		m.Leases = nil
	}
	if len(m.Requests) == 0 {
		m.Requests = nil
	}
	if len(m.Resources) == 0 {
		m.Resources = nil
	}
	o.msgs = append(o.msgs, m)
}

type mark struct{ leases, requests, resources int }

func (o *outbox) mark() mark { return mark{len(o.leases), len(o.requests), len(o.resources)} }

// checkLeases checks what both sides ask of a message's leases.
func checkLeases(leases []Lease) error {
	for i, l := range leases {
		switch {
		case l.Node < 0:
			return badInput("Leases.Node", i, ErrRange, "%d; nodes count from 0", l.Node)
		case i > 0 && l.Node <= leases[i-1].Node:
			return badInput("Leases.Node", i, ErrRange, "%d after %d; want ascending nodes", l.Node, leases[i-1].Node)
		case l.Epoch == 0:
			return badInput("Leases.Epoch", i, ErrRange, "0; the first lease of a node has epoch 1")
		case !(l.Value >= 0 && l.Value <= 1):
			return badInput("Leases.Value", i, ErrRange, "%v; want a value from 0 to 1", l.Value)
		case l.Since < 0:
			return badInput("Leases.Since", i, ErrRange, "%v; want a span that is not negative", l.Since)
		case l.Grace < 0:
			return badInput("Leases.Grace", i, ErrRange, "%v; want a span that is not negative", l.Grace)
		case l.Status > lastStatus:
			return badInput("Leases.Status", i, ErrUnknown, "%d; want one of the constants", uint8(l.Status))
		}
	}
	return nil
}

// checkRequests checks what both sides ask of a message's requests.
func checkRequests(requests []Request) error {
	for i, r := range requests {
		switch {
		case r.ID == 0 || i > 0 && r.ID <= requests[i-1].ID:
			return badInput("Requests.ID", i, ErrRange, "%d; want positive, ascending numbers", r.ID)
		case r.Count < 1:
			return badInput("Requests.Count", i, ErrRange, "%d; want a positive number of nodes", r.Count)
		case r.Granted < 0 || r.Granted > r.Count:
			return badInput("Requests.Granted", i, ErrRange, "%d of %d; want 0 to all of the nodes", r.Granted, r.Count)
		}
	}
	return nil
}
