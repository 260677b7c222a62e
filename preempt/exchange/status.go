package exchange

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// ManagerStats counts what a manager has done. It is saved with the rest.
type ManagerStats struct {
	Granted     int `json:"granted"`     // leases
	Returned    int `json:"returned"`    // leases given back without notice
	Preemptions int `json:"preemptions"` // begun
	Completed   int `json:"completed"`   // by the partition, within the grace period
	Withdrawn   int `json:"withdrawn"`   // by the manager, after the grace period
	Fenced      int `json:"fenced"`      // by the manager, without acknowledgement, after the lease
	Cancelled   int `json:"cancelled"`   // as nobody waited any more
	Delayed     int `json:"delayed"`     // times that stale values delayed preemptions from a partition
	Aborted     int `json:"aborted"`     // of those, ended by MaxDelay
}

// An Assignment is what the ledger says of a node.
type Assignment struct {
	Node       int
	Kind       string
	Partition  string // "" for a free node, for which the rest is zero
	Epoch      uint64
	Confirmed  bool // the partition has listed it
	Value      float64
	Preemption uint64        // 0 unless it is to end
	End        time.Duration // when it ends at the latest, as far as is known; for one that is to end
	Noticed    bool          // and a notice has been acknowledged
}

// AppendAssignments appends the ledger to dst, by node.
func (m *Manager) AppendAssignments(dst []Assignment) []Assignment {
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		a := Assignment{Node: i, Kind: n.Kind}
		if n.Holder >= 0 {
			a.Partition, a.Epoch, a.Confirmed, a.Value = m.s.Partitions[n.Holder].Name, n.Epoch, n.Confirmed, n.Value
			if n.Preemption > 0 {
				a.Preemption, a.End, a.Noticed = n.Preemption, n.end(), n.Acked
			}
		}
		dst = append(dst, a)
	}
	return dst
}

// A PartitionStatus is what the manager knows of a partition, and says why it waits.
type PartitionStatus struct {
	Name     string
	Weight   int
	Floor    int
	Held     int  // nodes
	Ending   int  // of those, nodes that are to end
	Waiting  int  // nodes that it has asked for and that are not granted
	Reclaim  int  // nodes that are to be reclaimed when there are values
	Fresh    bool // its values are
	Delaying bool // a preemption waits for its values,
	Passed   bool // or has waited for them in vain
}

// AppendPartitions appends what there is to know of the partitions to dst, in the order
// of their creation. It takes O(N) time.
func (m *Manager) AppendPartitions(dst []PartitionStatus) []PartitionStatus {
	first := len(dst)
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		s := PartitionStatus{Name: p.Name, Weight: p.Weight, Floor: p.Floor, Reclaim: p.Reclaim,
			Fresh: m.fresh(p), Delaying: p.Delaying && !p.Passed, Passed: p.Passed && !m.fresh(p)}
		for j := range p.Requests {
			s.Waiting += p.Requests[j].missing()
		}
		dst = append(dst, s)
	}
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder >= 0 {
			dst[first+n.Holder].Held++
			if n.Preemption > 0 {
				dst[first+n.Holder].Ending++
			}
		}
	}
	return dst
}

// NodeState is what a partition may do with a node.
type NodeState uint8

const (
	// Offered nodes have been granted, and the grant is not confirmed. They are not
	// to be used yet.
	Offered NodeState = iota
	// Usable nodes are the partition's.
	Usable
	// Draining nodes are the partition's until their End, by when it is to have
	// given them back.
	Draining
	// Unsure nodes are those whose lease has run out, as the manager was not heard of
	// for its term. Another partition may have them. If not, they become usable again.
	Unsure
	// Returned nodes have been given back, which the manager has not confirmed.
	Returned
)

var nodeStates = enum.New[NodeState]("exchange", "NodeState", ErrUnknown, "offered", "usable", "draining", "unsure", "returned")

// String returns "offered", "usable", "draining", "unsure" or "returned", or NodeState(n) for a value n that has no name.
func (s NodeState) String() string { return nodeStates.String(s) }

// MarshalText returns the text that String returns. A value that has no name is an
// [*InputError].
func (s NodeState) MarshalText() ([]byte, error) { return nodeStates.MarshalText(s) }

// UnmarshalText reads a name. Any other text is an [*InputError], and s is
// unchanged.
func (s *NodeState) UnmarshalText(text []byte) error { return nodeStates.UnmarshalText(s, text) }

// A NodeStatus is what a client knows of a node.
type NodeStatus struct {
	Node       int
	Epoch      uint64
	Request    uint64 // that it was granted for
	State      NodeState
	Value      float64
	Preemption uint64        // of a draining node
	End        time.Duration // until when a usable or draining node is the partition's, without further renewal
}

// AppendNodes appends what the client knows of its nodes to dst, by node. A node is the
// partition's if and only if it is Usable or Draining, before its End.
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
