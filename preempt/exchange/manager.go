package exchange

import "time"

// A Manager is the elastic manager of a hosting cluster: it grants nodes to partitions
// and takes nodes back.
//
// A Manager is a state machine without a clock. The caller passes each message and the
// time, and saves the manager (json.Marshal) before it sends the messages that come out.
// Any clock will do that does not run back, not even over a restart. If a time is
// earlier than the time before, the later time counts.
//
// Returned messages are valid until the next call. The caller may send them in any order
// or not at all. If the host must prepare a node for its next partition, such as install
// it anew, the caller withholds each NodesAdded message with the node until the node is
// ready. The manager repeats the message.
//
// A Manager is for one goroutine at a time. Make one with [NewManager], or unmarshal a
// saved state into the zero value.
type Manager struct {
	s managerState

	// What follows is derived from s.
	kinds   []string // distinct, ascending
	kindOf  []int    // of each node
	waiting int      // nodes that are asked for and not granted
	ending  int      // leases with a preemption
	reclaim int      // nodes that are to be reclaimed and not chosen yet
	due     bool     // some node's Next is reached
	resumed bool     // restored, and not told the time since

	out  outbox
	work planner
}

// Limits of weights and of nodes, so that their products fit.
const (
	maxWeight = 1 << 20
	maxNodes  = 1 << 30
)

// NewManager returns a manager of len(kinds) free nodes. Node i is of kind kinds[i],
// which is any word, or "". The error is an [*InputError] about the options or kinds.
func NewManager(opts ManagerOptions, kinds []string) (*Manager, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if len(kinds) == 0 || len(kinds) > maxNodes {
		return nil, badInput("kinds", -1, ErrRange, "%d nodes: want 1 to %d", len(kinds), maxNodes)
	}
	m := new(Manager)
	m.s.Options = opts.resolve()
	m.s.Nodes = make([]nodeState, len(kinds))
	for i, k := range kinds {
		m.s.Nodes[i] = nodeState{Kind: k, Holder: -1}
	}
	m.derive()
	return m, nil
}

// SetOptions replaces the options. Leases and notices that are out keep their terms: a
// partition may use a node for the longest Term that it was told, even after a renewal
// with a shorter Term.
func (m *Manager) SetOptions(opts ManagerOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	m.s.Options = opts.resolve()
	return nil
}

// Options returns the options in force, with defaults filled in. A Skew or MaxDelay of
// none is 0; a Term without end is negative.
func (m *Manager) Options() ManagerOptions { return m.s.Options }

// Stats returns the counts since the manager was new.
func (m *Manager) Stats() ManagerStats { return m.s.Stats }

// CreatePartition adds a partition. Its share of the cluster is in proportion to weight,
// 1 to 2^20. Preemption for other partitions leaves the partition floor nodes. The error
// is an [*InputError] about the name, the weight or the floor.
func (m *Manager) CreatePartition(name string, weight, floor int) error {
	switch {
	case name == "":
		return badInput("name", -1, ErrRange, "the name is empty: want a name")
	case m.partition(name) >= 0:
		return badInput("name", -1, ErrRange, "%q is taken: want a name that no other partition has", name)
	case weight < 1 || weight > maxWeight:
		return badInput("weight", -1, ErrRange, "%d: want 1 to %d", weight, maxWeight)
	case floor < 0 || floor > len(m.s.Nodes):
		return badInput("floor", -1, ErrRange, "%d: want 0 to %d, the number of nodes", floor, len(m.s.Nodes))
	}
	m.s.Partitions = append(m.s.Partitions, partitionState{Name: name, Weight: weight, Floor: floor})
	return nil
}

// partition returns the index of the partition with a name, -1 if there is none.
func (m *Manager) partition(name string) int {
	for i := range m.s.Partitions {
		if m.s.Partitions[i].Name == name {
			return i
		}
	}
	return -1
}

// Reclaim takes count nodes from a partition for an operator, not for another partition.
// The partition loses its nodes of least value, with notice and grace, even below its
// floor. Stale values delay Reclaim for MaxDelay at most; then Reclaim uses the last
// values. It uses the last values of run-out leases at once. So no partition can stop
// Reclaim by silence.
//
// A node that is over is free and goes to a partition that waits. That may be the same
// partition, if it has an open request: let it cancel the request first.
//
// The error is an [*InputError]: [ErrUnknown] for the partition, [ErrRange] for a count
// below 1, and [ErrTooMany] for more nodes than the partition has without those that are
// to end.
func (m *Manager) Reclaim(now time.Duration, partition string, count int) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	if count < 1 {
		return nil, badInput("count", -1, ErrRange, "%d: want a positive number of nodes", count)
	}
	has := -m.s.Partitions[p].Reclaim
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder == p && n.Preemption == 0 {
			has++
		}
	}
	if count > has {
		return nil, badInput("count", -1, ErrTooMany, "%d nodes of partition %q: want at most %d, the nodes that it keeps so far", count, partition, has)
	}
	m.begin(now)
	part := &m.s.Partitions[p]
	if part.Reclaim == 0 {
		part.ReclaimAt = m.s.Now
	}
	part.Reclaim += count
	m.reclaim += count
	m.plan()
	if part.Reclaim > 0 {
		m.s.Stats.Delayed++
	}
	return m.flush(), nil
}

// Handle reads a message of a client and returns the messages to send. The error is an
// [*InputError] about the message; the manager is then unchanged. Time: O(nodes), plus
// the time of a plan (plan.go).
func (m *Manager) Handle(now time.Duration, msg Message) ([]Message, error) {
	p := m.partition(msg.Partition)
	if p < 0 {
		return nil, badInput("Partition", -1, ErrUnknown, "%q: want the name of a partition", msg.Partition)
	}
	if err := m.check(p, &msg); err != nil {
		return nil, err
	}
	m.begin(now)
	switch msg.Call {
	case AddNodes:
		m.addNodes(p, &msg)
	case DeleteNodes:
		m.deleteNodes(p, &msg)
	case DiscoverResources:
		m.discover(p)
		return m.out.msgs, nil
	case SetResourceValues:
		if !m.setValues(p, &msg) {
			return m.out.msgs, nil
		}
	case AcknowledgeDelete:
		for _, l := range msg.Leases {
			if n := m.lease(p, l); n != nil {
				m.acknowledge(n, l)
			}
		}
	}
	m.plan()
	return m.flush(), nil
}

// check says what is wrong with a message. It changes nothing.
func (m *Manager) check(p int, msg *Message) error {
	switch msg.Call {
	case AddNodes, DeleteNodes, DiscoverResources, SetResourceValues, AcknowledgeDelete:
	default:
		return badInput("Call", -1, ErrUnknown, "%v is not for a manager: want AddNodes, DeleteNodes, DiscoverResources, SetResourceValues or AcknowledgeDelete", msg.Call)
	}
	if msg.Sent < 0 {
		return badInput("Sent", -1, ErrRange, "%v: want a time that is not negative", msg.Sent)
	}
	if err := checkLeases(msg.Leases); err != nil {
		return err
	}
	for i, l := range msg.Leases {
		if l.Node >= len(m.s.Nodes) {
			return badInput("Leases.Node", i, ErrUnknown, "%d: want a node from 0 to %d", l.Node, len(m.s.Nodes)-1)
		}
		n := &m.s.Nodes[l.Node]
		if l.Epoch > n.Epoch || l.Preemption > m.s.Preemption {
			return badInput("Leases.Epoch", i, ErrRange, "node %d has epoch %d and preemption %d, and the manager has reached only epoch %d and preemption %d: want a manager restored from the state that it saved last",
				l.Node, l.Epoch, l.Preemption, n.Epoch, m.s.Preemption)
		}
		if n.Holder == p && n.Epoch == l.Epoch && n.Preemption == l.Preemption && n.Preemption > 0 && l.Since > n.Grace {
			return badInput("Leases.Since", i, ErrRange, "%v: want the grace period, %v, at most", l.Since, n.Grace)
		}
	}
	if err := checkRequests(msg.Requests); err != nil {
		return err
	}
	if msg.Call == AddNodes && msg.Number > m.s.Partitions[p].LastAdd {
		for i, r := range msg.Requests {
			if old := m.request(p, r.ID); old != nil && (old.Kind != r.Kind || old.Count != r.Count) {
				return badInput("Requests", i, ErrRange, "%d nodes of kind %q, but request %d was for %d of kind %q: want a new ID for a new request", r.Count, r.Kind, r.ID, old.Count, old.Kind)
			}
		}
	}
	return nil
}

// Tick tells the manager the time and returns the messages to send. Tick takes the nodes
// whose grace period or lease is over, and repeats notices and grants that are due.
// Time: O(nodes), plus the time of a plan.
func (m *Manager) Tick(now time.Duration) []Message {
	m.begin(now)
	m.due = true
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		if n.Preemption == 0 || m.s.Now < n.end() {
			continue
		}
		if n.Acked {
			m.s.Stats.Withdrawn++
		} else {
			m.s.Stats.Fenced++
		}
		m.free(n)
	}
	m.plan()
	return m.flush()
}

// NextTick returns when Tick has something to do, if no message comes before. The time
// may be in the past. It returns false if there is nothing to wait for. Time: O(nodes).
func (m *Manager) NextTick() (time.Duration, bool) {
	if m.resumed {
		return m.s.Now, true
	}
	next := forever
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Holder >= 0 && (n.Preemption > 0 || !n.Confirmed) {
			next = min(next, n.Next)
			if n.Preemption > 0 {
				next = min(next, n.end())
			}
		}
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if p.Delaying && !p.Passed {
			next = min(next, after(p.DelaySince, m.s.Options.MaxDelay))
		}
		if p.Reclaim > 0 {
			next = min(next, after(p.ReclaimAt, m.s.Options.MaxDelay))
		}
	}
	if m.waiting > 0 || m.reclaim > 0 {
		for i := range m.s.Nodes { // leases of the silent run out
			if n := &m.s.Nodes[i]; n.Holder >= 0 && n.Preemption == 0 && n.Until > m.s.Now && !m.fresh(&m.s.Partitions[n.Holder]) {
				next = min(next, n.Until)
			}
		}
	}
	return next, next < forever
}

func (m *Manager) begin(now time.Duration) {
	m.s.Now = max(m.s.Now, now)
	m.out.reset()
	if !m.resumed {
		return
	}
	// While the manager was down, partitions could not reach it, and a saved notice need
	// not have been sent. So notices that are not acknowledged begin anew, and so does
	// waiting for values. No lease counts as run out before the manager has waited for
	// values.
	m.resumed = false
	wait := after(m.s.Now, m.s.Options.MaxDelay)
	for i := range m.s.Nodes {
		switch n := &m.s.Nodes[i]; {
		case n.Holder < 0:
		case n.Preemption == 0:
			n.Until = max(n.Until, wait)
		case !n.Acked:
			n.First, n.Next = m.s.Now, m.s.Now
			m.due = true
		}
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if p.Delaying {
			p.DelaySince = m.s.Now
		}
		if p.Reclaim > 0 {
			p.ReclaimAt = m.s.Now
		}
	}
}

// flush sends the grants and notices that are due, at most one message of each kind to
// each partition. It returns all messages of this call.
func (m *Manager) flush() []Message {
	if !m.due {
		return m.out.msgs
	}
	m.due = false
	next := after(m.s.Now, m.s.Options.Every)
	for p := range m.s.Partitions {
		name := m.s.Partitions[p].Name
		at := m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && n.cancelled > 0 {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.cancelled})
				n.cancelled = 0
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: DeleteCancelled, Partition: name}, at)
		}
		at = m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && n.Preemption > 0 && m.s.Now >= n.Next {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.Preemption, Grace: n.Grace})
				n.Next = next
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: NotifyDeletePending, Partition: name}, at)
		}
		at = m.out.mark()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == p && !n.Confirmed && n.Preemption == 0 && m.s.Now >= n.Next {
				m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Request: n.Request})
				n.Next = next
			}
		}
		if len(m.out.leases) > at.leases {
			m.out.send(Message{Call: NodesAdded, Partition: name}, at)
		}
	}
	return m.out.msgs
}

// Now returns the latest time that the manager was told. After a restart, its clock must
// not begin earlier.
func (m *Manager) Now() time.Duration { return m.s.Now }
