package exchange

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// ManagerStats counts what a manager has done. The counts are saved with the manager.
type ManagerStats struct {
	Granted     int `json:"granted"`     // leases granted
	Returned    int `json:"returned"`    // leases given back without a notice
	Preemptions int `json:"preemptions"` // preemptions begun
	Completed   int `json:"completed"`   // nodes given back within the grace period
	Withdrawn   int `json:"withdrawn"`   // nodes taken by the manager after the grace period
	Fenced      int `json:"fenced"`      // nodes taken without an acknowledgement, after the lease ran out
	Cancelled   int `json:"cancelled"`   // preemptions cancelled because nobody waited any more
	Delayed     int `json:"delayed"`     // times that stale values delayed preemptions from a partition
	Aborted     int `json:"aborted"`     // delays that MaxDelay ended
	// Unknown counts leases and preemptions of messages that the manager never gave. The
	// manager was restored from an old state, or a message was forged.
	Unknown int `json:"unknown,omitempty"`
}

// An Assignment is the ledger's entry of a node.
type Assignment struct {
	Node       int
	Kind       string
	Partition  string // "" for a free node; the fields below are then zero
	Epoch      uint64
	Confirmed  bool // the partition has listed the lease
	Value      float64
	Preemption uint64        // 0 unless the node is to end
	End        time.Duration // of a node that is to end: the latest end, as far as the manager knows
	Noticed    bool          // the partition has acknowledged the notice
	Unprepared bool          // the host has not made the node ready for the partition
	Out        time.Duration // of a free node: the manager does not grant the node before
}

// AppendAssignments appends the ledger to dst, by node. Time: O(nodes).
func (m *Manager) AppendAssignments(dst []Assignment) []Assignment {
	for i := range m.s.Nodes {
		dst = append(dst, m.Assignment(i))
	}
	return dst
}

// Assignment returns the ledger's entry of a node. It panics if there is no such node.
func (m *Manager) Assignment(node int) Assignment {
	if node < 0 || node >= len(m.s.Nodes) {
		panic("exchange: no such node")
	}
	n := &m.s.Nodes[node]
	a := Assignment{Node: node, Kind: n.Kind, Out: n.Out}
	if n.Holder >= 0 {
		a.Partition, a.Epoch, a.Confirmed, a.Value = m.s.Partitions[n.Holder].Name, n.Epoch, n.Confirmed, n.Value
		a.Unprepared = n.Unprepared
		if n.Preemption > 0 {
			a.Preemption, a.End, a.Noticed = n.Preemption, n.end(), n.Acked
		}
	}
	return a
}

// Nodes returns how many nodes the cluster has.
func (m *Manager) Nodes() int { return len(m.s.Nodes) }

// A PartitionStatus is what the manager knows of a partition, and why the partition
// waits.
type PartitionStatus struct {
	Name     string
	Instance string // of the client whose messages count
	Removed  bool   // the partition waits only for its leases to end
	Weight   int
	Floor    int
	Held     int  // nodes of the partition
	Ending   int  // nodes of the partition that are to end
	Waiting  int  // nodes asked for and not granted yet
	Reclaim  int  // nodes that Reclaim waits to choose
	Fresh    bool // the values of the partition are not stale
	Delaying bool // a preemption waits for values of the partition
	Passed   bool // a preemption has waited for values in vain
}

// AppendPartitions appends the status of each partition to dst, in the order of their
// creation; a partition may have the place of one that was removed before. Removed
// partitions are there while they have nodes. Time: O(partitions and their requests).
func (m *Manager) AppendPartitions(dst []PartitionStatus) []PartitionStatus {
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if p.Removed && m.held[i] == 0 {
			continue
		}
		s := PartitionStatus{Name: p.Name, Instance: p.Instance, Removed: p.Removed, Weight: p.Weight, Floor: p.Floor, Reclaim: p.Reclaim,
			Held: m.held[i], Ending: m.endingOf[i],
			Fresh: m.fresh(p, m.s.Now), Delaying: p.Delaying && !p.Passed, Passed: p.Passed && !m.fresh(p, m.s.Now)}
		for j := range p.Requests {
			s.Waiting += p.Requests[j].missing()
		}
		dst = append(dst, s)
	}
	return dst
}

// A NodeState is what a partition may do with a node.
type NodeState uint8

const (
	// Offered: the manager has granted the node and has not confirmed the grant. Do not
	// use the node yet.
	Offered NodeState = iota
	// Usable: the partition may use the node.
	Usable
	// Draining: the partition may use the node until End, and must have given the node
	// back by then.
	Draining
	// Unsure: the lease has run out, because the client did not hear of the manager for
	// a term. Another partition may have the node. If none has, the node becomes usable
	// again.
	Unsure
	// Returned: the partition has given the node back, and the manager has not confirmed
	// that.
	Returned
)

var nodeStates = enum.New[NodeState]("exchange", "NodeState", ErrUnknown, "offered", "usable", "draining", "unsure", "returned")

// String returns "offered", "usable", "draining", "unsure" or "returned", or
// NodeState(n) for a value n that has no name.
func (s NodeState) String() string { return nodeStates.String(s) }

// MarshalText returns the text that String returns. A value that has no name is an
// *preempt.InputError.
func (s NodeState) MarshalText() ([]byte, error) { return nodeStates.MarshalText(s) }

// UnmarshalText reads a name. Any other text is a *preempt.InputError, and s is
// unchanged.
func (s *NodeState) UnmarshalText(text []byte) error { return nodeStates.UnmarshalText(s, text) }

// A NodeStatus is what a client knows of a node.
type NodeStatus struct {
	Node       int
	Epoch      uint64
	Request    uint64 // the request that it was granted for
	State      NodeState
	Value      float64
	Preemption uint64        // of a draining node
	End        time.Duration // until when the partition may use a usable or draining node, without another renewal
}

// AppendNodes appends what the client knows of its nodes at the time now to dst, by
// node. The partition may use a node if and only if the node is Usable or Draining, and
// only before End. Time: O(n), n the number of nodes that the client knows.
func (c *Client) AppendNodes(dst []NodeStatus, now time.Duration) []NodeStatus {
	now = max(now, c.s.Now)
	for i := range c.s.Leases {
		l := &c.s.Leases[i]
		h := NodeStatus{Node: l.Node, Epoch: l.Epoch, Request: l.Request, Value: l.Value}
		switch {
		case l.Returned || l.Draining && now >= l.deadline():
			h.State = Returned
		case !l.Confirmed:
			h.State = Offered
		case now >= l.Valid:
			h.State = Unsure
		case l.Draining:
			h.State, h.Preemption, h.End = Draining, l.Preemption, min(l.Valid, l.deadline())
		default:
			h.State, h.End = Usable, l.Valid
		}
		dst = append(dst, h)
	}
	return dst
}
