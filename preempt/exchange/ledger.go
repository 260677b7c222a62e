package exchange

import (
	"slices"
	"time"
)

type nodeState struct {
	Kind   string
	Epoch  uint64
	Holder int           // -1: none; the fields below Out are then 0
	Out    time.Duration // of a free node: the manager does not grant it before
	// Fields of the lease.
	Unprepared bool // the host has not made the node ready
	Orphan     bool // of a client that was reset: it ends when the lease has run out
	Request    uint64
	Confirmed  bool          // the partition has listed the lease
	Until      time.Duration // until when the partition may use the node, plus Skew
	Value      float64
	Next       time.Duration // when to send the grant or notice again
	// Fields of the preemption.
	Preemption uint64
	Forced     bool // for Reclaim: never cancelled
	First      time.Duration
	Grace      time.Duration
	Acked      bool
	Deadline   time.Duration // once acknowledged

	cancelled uint64 // in this call
}

type partitionState struct {
	Name       string
	Instance   string // of the client whose messages count
	Removed    bool   // the partition has only leases that are to end
	Weight     int
	Floor      int
	LastAdd    uint64
	LastValues uint64
	Requests   []requestState
	HasValues  bool
	ValuesAt   time.Duration
	Delaying   bool // a preemption waits for values
	DelaySince time.Duration
	Passed     bool          // a preemption has waited long enough
	Reclaim    int           // nodes that Reclaim has not chosen yet
	ReclaimAt  time.Duration // since when
}

type requestState struct {
	Request     // Granted: confirmed
	Given   int // nodes granted, confirmed or not

	group   int // of classes that fit, -1 for a refused request; derived
	rest    int // in a plan
	blocked bool
}

// end returns when the manager may take a node that is to end.
func (n *nodeState) end() time.Duration {
	if n.Acked {
		return n.Deadline
	}
	return max(n.Until, after(n.First, n.Grace))
}

// lease returns the node of a lease that partition p has, nil for any other lease.
func (m *Manager) lease(p int, l Lease) *nodeState {
	if l.Node >= len(m.s.Nodes) {
		return nil
	}
	if n := &m.s.Nodes[l.Node]; n.Holder == p && n.Epoch == l.Epoch && !n.Orphan {
		return n
	}
	return nil
}

func (m *Manager) request(p int, id uint64) *requestState {
	rs := m.s.Partitions[p].Requests
	i, ok := slices.BinarySearchFunc(rs, id, func(r requestState, id uint64) int {
		switch {
		case r.ID < id:
			return -1
		case r.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &rs[i]
}

// grant gives a free node to a partition.
func (m *Manager) grant(i, p int, r *requestState) {
	n := &m.s.Nodes[i]
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch + 1, Holder: p, Request: r.ID, Next: m.s.Now, Unprepared: m.s.Options.Prepare}
	n.Until = m.promise()
	m.link(i)
	m.touch(i, changedAll)
	m.touchPartition(p)
	r.Given++
	m.waiting--
	m.due = true
	m.s.Stats.Granted++
}

// promise returns when a lease that is renewed now is over for certain.
func (m *Manager) promise() time.Duration {
	if m.s.Options.Term < 0 {
		return forever
	}
	return after(after(m.s.Now, m.s.Options.Term), m.s.Options.Skew)
}

// free ends a lease. If the partition never listed the lease, its request still waits
// for a node.
func (m *Manager) free(i int) {
	n := &m.s.Nodes[i]
	if r := m.request(n.Holder, n.Request); r != nil && !n.Confirmed {
		r.Given--
		m.waiting++
		m.touchPartition(n.Holder)
	}
	m.unlink(i)
	if n.Preemption > 0 {
		m.ending--
		m.endingOf[n.Holder]--
	}
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1}
	m.touch(i, changedAll)
	m.replan = true
}

// back ends a lease that the partition gives back.
func (m *Manager) back(i int) {
	if m.s.Nodes[i].Preemption > 0 {
		m.s.Stats.Completed++
	} else {
		m.s.Stats.Returned++
	}
	m.free(i)
}

// addNodes replaces the requests of a partition.
func (m *Manager) addNodes(p int, msg *Message) {
	part := &m.s.Partitions[p]
	if msg.Number > part.LastAdd {
		part.LastAdd = msg.Number
		if len(m.groups) > maxGroups {
			m.regroup()
		}
		next := m.work.requests[:0]
		for _, r := range msg.Requests {
			if old := m.request(p, r.ID); old != nil {
				next = append(next, *old)
				continue
			}
			for i := m.head[p]; i >= 0; i = m.after[i] { // granted for a withdrawn request of the same ID
				if n := &m.s.Nodes[i]; n.Request == r.ID && !n.Confirmed {
					n.Request = 0
					m.touch(int(i), changedLease)
				}
			}
			s := requestState{Request: Request{ID: r.ID, Kind: r.Kind, Count: r.Count}}
			s.group, s.Refused = m.group(r)
			next = append(next, s)
		}
		m.touchPartition(p)
		m.replan = true
		for i := range part.Requests {
			m.waiting -= part.Requests[i].missing()
		}
		part.Requests, m.work.requests = append(part.Requests[:0], next...), next
		for i := range part.Requests {
			m.waiting += part.Requests[i].missing()
		}
	}
	at := m.out.mark()
	for i := range part.Requests {
		m.out.requests = append(m.out.requests, part.Requests[i].Request)
	}
	m.send(p, Message{Call: NodesQueued, Number: part.LastAdd}, at)
}

// missing returns how many nodes of a request are not granted yet.
func (r *requestState) missing() int {
	if r.Refused != "" {
		return 0
	}
	return r.Count - r.Given
}

// deleteNodes ends the leases that the partition gives back. A message that is older than the
// last listing does not end a lease that the partition has listed: the listing says which
// leases the partition gives back.
func (m *Manager) deleteNodes(p int, msg *Message) {
	at := m.out.mark()
	for _, l := range msg.Leases {
		if n := m.lease(p, l); n != nil {
			if n.Confirmed && msg.Number <= m.s.Partitions[p].LastValues {
				continue
			}
			m.back(l.Node)
		}
		m.out.leases = append(m.out.leases, Lease{Node: l.Node, Epoch: l.Epoch})
	}
	m.send(p, Message{Call: NodesDeleted}, at)
}

// discover answers with all nodes.
func (m *Manager) discover(p int) {
	at := m.out.mark()
	m.out.resources = m.appendResources(m.out.resources, p)
	m.send(p, Message{Call: ResourcesDiscovered}, at)
}

// acknowledge reads for how long the partition has known that the node is to end.
func (m *Manager) acknowledge(n *nodeState, l Lease) {
	if n.Preemption == 0 || l.Preemption != n.Preemption || l.Grace > n.Grace {
		return // of a preemption that was cancelled, or of a forged notice
	}
	known := max(n.First, m.s.Now-l.Since) // not before the preemption began
	end := after(after(known, n.Grace), m.s.Options.Skew)
	if !n.Acked || end < n.Deadline {
		n.Acked, n.Deadline = true, end
		m.touch(l.Node, changedPreemption)
	}
}

// setValues reads the leases of a partition with their values, and renews the leases. It
// reports whether the message was new.
func (m *Manager) setValues(p int, msg *Message) bool {
	part := &m.s.Partitions[p]
	if msg.Number <= part.LastValues {
		return false
	}
	part.LastValues = msg.Number
	m.touchPartition(p)
	if msg.Age >= 0 {
		m.replan = m.replan || !m.fresh(part, m.s.Now)
		part.HasValues, part.ValuesAt = true, m.s.Now-msg.Age
		if m.fresh(part, m.s.Now) {
			part.Delaying, part.Passed = false, false
		}
	}
	at := m.out.mark()
	m.listed++
	for _, l := range msg.Leases {
		m.out.leases = append(m.out.leases, m.renew(p, l))
	}
	for i := m.head[p]; i >= 0; {
		next := m.after[i]
		if n := &m.s.Nodes[i]; m.listedAt[i] != m.listed && n.Confirmed && !n.Orphan {
			m.back(int(i)) // given back; DeleteNodes is late or lost
		}
		i = next
	}
	m.send(p, Message{Call: LeasesRenewed, Number: msg.Number, Sent: msg.Sent, Term: m.s.Options.Term, Last: m.s.Preemption}, at)
	return true
}

// renew reads a listed lease and returns the answer. A lease that the manager never gave
// is over: a manager that was restored from an old state, or a forged grant.
func (m *Manager) renew(p int, l Lease) Lease {
	answer := Lease{Node: l.Node, Epoch: l.Epoch, State: Ended}
	if l.Node >= len(m.s.Nodes) || l.Epoch > m.s.Nodes[l.Node].Epoch {
		m.s.Stats.Unknown++
		return answer
	}
	n := m.lease(p, l)
	if n == nil || n.Unprepared {
		return answer
	}
	m.listedAt[l.Node] = m.listed
	if !n.Confirmed {
		n.Confirmed = true
		if r := m.request(p, n.Request); r != nil {
			r.Granted++
		}
		m.touch(l.Node, changedLease)
	}
	if n.Value != l.Value {
		n.Value = l.Value
		m.touch(l.Node, changedValue)
	}
	if l.Preemption > m.s.Preemption {
		m.s.Stats.Unknown++
	}
	m.acknowledge(n, l)
	if n.Preemption > 0 && (!n.Acked || l.Preemption != n.Preemption) {
		answer.State, answer.Preemption, answer.Grace = Pending, n.Preemption, n.Grace
		return answer
	}
	if until := m.promise(); until > n.Until {
		n.Until = until
		m.touch(l.Node, changedUntil)
	}
	answer.State = Renewed
	if n.Preemption == 0 && l.Preemption > 0 {
		answer.State, answer.Preemption = Cancelled, l.Preemption
	}
	return answer
}
