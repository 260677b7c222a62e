package exchange

import "time"

// A Manager is the elastic manager of a hosting cluster: it grants nodes to partitions and takes
// nodes back.
//
// A Manager is a state machine without a clock. The caller passes each message and the time, and
// saves the manager (json.Marshal) before it sends the messages that come out. The clock may start
// at any time, but must not run back, even when the manager is restarted. If a time is earlier than
// the time of the call before, the manager uses the later time.
//
// Returned messages are valid until the next call. The caller may send them in any order or not at
// all. If the host must prepare a node for its next partition, for example install it anew, the
// caller sets [ManagerOptions].Prepare. The manager then offers the node to the partition when
// [Manager.Prepared] says that the node is ready.
//
// A Manager is for one goroutine at a time. Make one with [NewManager], or unmarshal a saved state
// into the zero value.
type Manager struct {
	s managerState

	// What follows is derived from s.
	kinds    []string // distinct, ascending
	kindOf   []int    // of each node
	perKind  []int    // nodes of each kind
	groups   []group  // of kinds, that requests ask for
	head     []int32  // of each partition: its first node, -1 for none
	after    []int32  // of each node: the next node of its partition, -1 for none
	before   []int32
	held     []int         // nodes of each partition
	endingOf []int         // nodes of each partition that are to end
	waiting  int           // nodes that are asked for and not granted
	ending   int           // leases with a preemption
	reclaim  int           // nodes that are to be reclaimed and not chosen yet
	due      bool          // some node's Next is reached
	replan   bool          // something has changed that the last plan did not know
	planned  time.Duration // time of the last plan: what the clock has passed since, a call to Tick has to see
	resumed  bool          // restored, and not told the time since
	listed   uint64        // listings read
	listedAt []uint64      // of each node: the last listing that had it

	changes changes
	out     outbox
	work    planner
}

// NewManager returns a manager of len(kinds) free nodes. Node i is of kind kinds[i],
// which is "" or any word, and after it features of the node, such as "epyc+gpu+ib".
// The error is a *preempt.InputError about the options or kinds.
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
		if !short(k, maxKind) {
			return nil, badInput("kinds", i, ErrRange, "%.200q: want at most %d bytes, all of them printable", k, maxKind)
		}
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
	m.replan, m.changes.options = true, true
	return nil
}

// Stats returns the counts since the manager was new.
func (m *Manager) Stats() ManagerStats { return m.s.Stats }

// Fence tells the manager that the host has cut a node off from the partition that holds the lease
// with the given epoch: nothing of this partition runs on the node any more. The lease ends at
// once, although the client does not know yet. The manager tells the client in the answer to the
// next SetResourceValues. Use Fence for a node that was powered off, and for the nodes of a dead
// partition whose leases do not run out. If the lease has ended already, Fence changes nothing. The
// error is a *preempt.InputError for a node or an epoch that the manager does not know.
func (m *Manager) Fence(now time.Duration, node int, epoch uint64) ([]Message, error) {
	n, err := m.node(now, node, epoch)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return m.flush(), nil
	}
	m.s.Stats.Fenced++
	m.free(node)
	m.plan()
	return m.flush(), nil
}

// node begins a step about a lease, and returns its node if the lease is not over.
func (m *Manager) node(now time.Duration, node int, epoch uint64) (*nodeState, error) {
	if node < 0 || node >= len(m.s.Nodes) {
		return nil, badInput("node", -1, ErrUnknown, "%d: want a node from 0 to %d", node, len(m.s.Nodes)-1)
	}
	n := &m.s.Nodes[node]
	if epoch > n.Epoch {
		return nil, badInput("epoch", -1, ErrUnknown, "%d: want an epoch of node %d, %d at most", epoch, node, n.Epoch)
	}
	m.begin(now)
	if n.Holder < 0 || n.Epoch != epoch {
		return nil, nil
	}
	return n, nil
}

// Reclaim takes count nodes from a partition for an operator, not for another partition. The
// partition loses its nodes of least value, with a notice and a grace period, even below its floor.
// If the partition's values are stale, Reclaim waits for new values, but no longer than MaxDelay.
// Then Reclaim uses the last values. If leases have run out, Reclaim uses the last values at once.
// So a silent partition cannot stop Reclaim. A node may already be marked to end for the request of
// another partition. If that request is withdrawn, Reclaim may take the node in the same call.
//
// When the partition has lost a node, the node is free and goes to a partition with an open
// request. That can be the partition that lost the node. To prevent this, let the partition cancel
// its request first.
//
// The error is a *preempt.InputError: [ErrUnknown] for the partition, [ErrRange] for a count below
// 1, and [ErrTooMany] for more nodes than the partition has. Nodes that are already marked to end
// do not count.
func (m *Manager) Reclaim(now time.Duration, partition string, count int) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	if count < 1 {
		return nil, badInput("count", -1, ErrRange, "%d: want a positive number of nodes", count)
	}
	has := max(0, m.held[p]-m.endingOf[p]-m.s.Partitions[p].Reclaim)
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
	m.touchPartition(p)
	m.replan = true
	m.plan()
	if part.Reclaim > 0 {
		m.s.Stats.Delayed++
	}
	return m.flush(), nil
}

// Handle reads a message of a client and returns the messages to send. The error is an
// *preempt.InputError about the message; the manager is then unchanged. Time: O(nodes), plus
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
		return m.flush(), nil // notices, after a restart
	case SetResourceValues:
		if !m.setValues(p, &msg) {
			return m.flush(), nil
		}
	case AcknowledgeDelete:
		for _, l := range msg.Leases {
			if l.Node >= len(m.s.Nodes) || l.Epoch > m.s.Nodes[l.Node].Epoch || l.Preemption > m.s.Preemption {
				m.s.Stats.Unknown++
			} else if n := m.lease(p, l); n != nil && msg.Number > m.s.Partitions[p].LastValues { // a later listing has said it
				m.acknowledge(n, l)
			}
		}
	}
	m.plan()
	return m.flush(), nil
}

// check says what is wrong with a message. It changes nothing. A lease that the manager
// never gave is no error: the answer says that the lease is over, so that a client with a
// forged grant finds back to the truth.
func (m *Manager) check(p int, msg *Message) error {
	switch msg.Call {
	case AddNodes, DeleteNodes, DiscoverResources, SetResourceValues, AcknowledgeDelete:
	default:
		return badInput("Call", -1, ErrUnknown, "%v is not for a manager: want AddNodes, DeleteNodes, DiscoverResources, SetResourceValues or AcknowledgeDelete", msg.Call)
	}
	part := &m.s.Partitions[p]
	if msg.Instance != part.Instance {
		return badInput("Instance", -1, ErrInstance, "%.100q: partition %q has another client by now: want ResetClient first", msg.Instance, part.Name)
	}
	if last := max(part.LastAdd, part.LastValues); (msg.Call == AddNodes || msg.Call == SetResourceValues) && max(msg.Number, last)-last > maxJump && (last > 0 || msg.Instance != "") {
		return badInput("Number", -1, ErrRange, "%d after %d: want %d more at most", msg.Number, last, uint64(maxJump))
	}
	if msg.Sent < 0 {
		return badInput("Sent", -1, ErrRange, "%v: want a time that is not negative", msg.Sent)
	}
	if err := checkLeases(msg.Leases); err != nil {
		return err
	}
	for i, l := range msg.Leases {
		if n := m.lease(p, l); n != nil && n.Preemption == l.Preemption && n.Preemption > 0 && l.Grace <= n.Grace && l.Since > n.Grace {
			return badInput("Leases.Since", i, ErrRange, "%v: want the grace period, %v, at most", l.Since, n.Grace)
		}
	}
	if err := checkRequests(msg.Requests); err != nil {
		return err
	}
	if most := m.s.Options.MaxRequests; len(msg.Requests) > most {
		return badInput("Requests", -1, ErrTooMany, "%d open requests: want %d at most, Options.MaxRequests", len(msg.Requests), most)
	}
	if msg.Call == AddNodes && msg.Number > part.LastAdd {
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
	m.due, m.replan = true, true
	if m.ending > 0 {
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
			m.free(i)
		}
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
		n := &m.s.Nodes[i]
		switch {
		case n.Holder < 0:
			if m.waiting > 0 && n.Out > m.planned {
				next = min(next, n.Out)
			}
			continue
		case n.Preemption > 0:
			next = min(next, n.end())
			if n.Orphan {
				continue
			}
		case n.Confirmed || n.Unprepared:
			continue
		}
		next = min(next, n.Next)
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if m.waiting > 0 && p.HasValues && m.fresh(p, m.planned) { // when the values turn stale
			next = min(next, after(max(0, p.ValuesAt), m.s.Options.MaxAge)+1)
		}
		if p.Delaying && !p.Passed {
			next = min(next, after(p.DelaySince, m.s.Options.MaxDelay))
		}
		if p.Reclaim > 0 && m.held[i] > m.endingOf[i] {
			next = min(next, after(p.ReclaimAt, m.s.Options.MaxDelay))
		}
	}
	if m.waiting > 0 || m.reclaim > 0 {
		for i := range m.s.Nodes { // leases of the silent run out
			if n := &m.s.Nodes[i]; n.Holder >= 0 && n.Preemption == 0 && n.Until > m.planned && !m.fresh(&m.s.Partitions[n.Holder], m.planned) {
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
	// m.resumed says that the state was restored and that this is the first call since then. While
	// the manager was down, partitions could not reach it, and it may have ended before it sent a
	// notice of the saved state. So every wait for values begins anew, and no lease runs out before
	// MaxDelay has passed. Every notice that the client has not acknowledged counts as new, with
	// the present time, since the grace period counts from the notice. This call returns these
	// notices.
	m.resumed, m.replan = false, true
	wait := after(m.s.Now, m.s.Options.MaxDelay)
	for i := range m.s.Nodes {
		switch n := &m.s.Nodes[i]; {
		case n.Holder < 0:
		case n.Preemption == 0:
			if n.Until < wait {
				n.Until = wait
				m.touch(i, changedUntil)
			}
		case !n.Acked:
			n.First, n.Next = m.s.Now, m.s.Now
			m.due = true
			m.touch(i, changedPreemption|changedNext)
		}
	}
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		if p.Delaying {
			p.DelaySince = m.s.Now
			m.touchPartition(i)
		}
		if p.Reclaim > 0 {
			p.ReclaimAt = m.s.Now
			m.touchPartition(i)
		}
	}
}

// Now returns the latest time that the manager was told. After a restart, its clock must
// not begin earlier.
func (m *Manager) Now() time.Duration { return m.s.Now }
