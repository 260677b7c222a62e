package exchange

import "github.com/plimsoll/plimsoll/internal/enum"

// A Call says what a [Message] is. AddNodes, DeleteNodes, DiscoverResources,
// SetResourceValues and NotifyDeletePending are the calls of [Duplyakin17] 3.1. The
// other calls are their answers, and DeleteCancelled.
type Call uint8

// The calls. Clients send the first five to the manager.
const (
	_ Call = iota
	// AddNodes has all open Requests of the partition, and a Number. Of two such
	// messages, the message with the higher Number counts. The client repeats AddNodes
	// until it is answered, and while a request is open.
	AddNodes
	// DeleteNodes gives Leases back, each by Node and Epoch. The client repeats
	// DeleteNodes until it is answered. Once the manager has read a SetResourceValues with a
	// higher Number, DeleteNodes ends only leases that the partition never listed.
	DeleteNodes
	// DiscoverResources asks for the nodes of the hosting cluster. The client does not
	// repeat it.
	DiscoverResources
	// SetResourceValues lists all Leases that the partition holds and does not give back, by Node
	// and Epoch, with their Value. A lease that is to end has Preemption, Since and Grace, too. Age
	// is the age of the values. The client sends SetResourceValues regularly, which renews the
	// leases. If messages come out of order, the message with the highest Number counts.
	SetResourceValues
	// AcknowledgeDelete answers NotifyDeletePending. Each of its Leases has the
	// Preemption, the time Since the client first read the notice, and the Grace that the
	// client has read. It does not count if a SetResourceValues with a higher Number has
	// been read.
	AcknowledgeDelete

	// NodesQueued answers AddNodes. It has the manager's Requests, how many nodes of
	// each are granted, and the last Number that the manager has read.
	NodesQueued
	// NodesAdded grants Leases, by Node, Epoch and Request. The manager repeats
	// NodesAdded until the partition lists the leases in SetResourceValues.
	NodesAdded
	// NodesDeleted answers DeleteNodes: these Leases are over.
	NodesDeleted
	// ResourcesDiscovered answers DiscoverResources.
	ResourcesDiscovered
	// LeasesRenewed answers SetResourceValues with the State of each lease. The renewed
	// leases belong to the partition for a Term that begins when the client Sent the
	// question.
	LeasesRenewed
	// NotifyDeletePending says that Leases will end: each has its Preemption and its
	// Grace. The manager repeats the notice until the partition has given the nodes back
	// or the grace period is over.
	NotifyDeletePending
	// DeleteCancelled says that Leases stay after all; each has the Preemption that is
	// off. The client answers with SetResourceValues, and believes the answer. The manager
	// does not repeat DeleteCancelled, because LeasesRenewed says the same.
	DeleteCancelled

	lastCall = DeleteCancelled
)

var calls = enum.New[Call]("exchange", "Call", ErrUnknown, "", "AddNodes", "DeleteNodes", "DiscoverResources", "SetResourceValues", "AcknowledgeDelete",
	"NodesQueued", "NodesAdded", "NodesDeleted", "ResourcesDiscovered", "LeasesRenewed", "NotifyDeletePending", "DeleteCancelled")

// String returns the name of the call, such as "AddNodes", or Call(n) for a value n that
// has no name.
func (c Call) String() string { return calls.String(c) }

// MarshalText returns the text that String returns. A value that has no name is an
// *preempt.InputError.
func (c Call) MarshalText() ([]byte, error) { return calls.MarshalText(c) }

// UnmarshalText reads a name. Any other text is a *preempt.InputError, and c is
// unchanged.
func (c *Call) UnmarshalText(text []byte) error { return calls.UnmarshalText(c, text) }
