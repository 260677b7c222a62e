package exchange

import "github.com/plimsoll/plimsoll/internal/enum"

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

var calls = enum.New[Call]("exchange", "Call", ErrUnknown, "", "AddNodes", "DeleteNodes", "DiscoverResources", "SetResourceValues", "AcknowledgeDelete",
	"NodesQueued", "NodesAdded", "NodesDeleted", "ResourcesDiscovered", "LeasesRenewed", "NotifyDeletePending", "DeleteCancelled")

// String returns the name of the call, such as "AddNodes", or Call(n) for a value n that has no name.
func (c Call) String() string { return calls.String(c) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (c Call) MarshalText() ([]byte, error) { return calls.MarshalText(c) }

// UnmarshalText reads a name. Any other text is an [*InputError], and c is
// unchanged.
func (c *Call) UnmarshalText(text []byte) error { return calls.UnmarshalText(c, text) }
