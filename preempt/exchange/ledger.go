package exchange

import (
	"slices"
	"time"
)

type nodeState struct {
	Kind   string `json:"kind,omitempty"`
	Epoch  uint64 `json:"epoch"`
	Holder int    `json:"holder"` // -1: none; the fields below are then 0
	// Fields of the lease.
	Request   uint64        `json:"request,omitempty"`
	Confirmed bool          `json:"confirmed,omitempty"` // the partition has listed the lease
	Until     time.Duration `json:"until_ns,omitempty"`  // until when the partition may use the node, plus Skew
	Value     float64       `json:"value,omitempty"`
	Next      time.Duration `json:"next_ns,omitempty"` // when to send the grant or notice again
	// Fields of the preemption.
	Preemption uint64        `json:"preemption,omitempty"`
	Forced     bool          `json:"forced,omitempty"` // for Reclaim: never cancelled
	First      time.Duration `json:"first_ns,omitempty"`
	Grace      time.Duration `json:"grace_ns,omitempty"`
	Acked      bool          `json:"acked,omitempty"`
	Deadline   time.Duration `json:"deadline_ns,omitempty"` // once acknowledged

	cancelled uint64 // in this call
}

type partitionState struct {
	Name       string         `json:"name"`
	Weight     int            `json:"weight"`
	Floor      int            `json:"floor,omitempty"`
	LastAdd    uint64         `json:"last_add,omitempty"`
	LastValues uint64         `json:"last_values,omitempty"`
	Requests   []requestState `json:"requests,omitempty"`
	HasValues  bool           `json:"has_values,omitempty"`
	ValuesAt   time.Duration  `json:"values_at_ns,omitempty"`
	Delaying   bool           `json:"delaying,omitempty"` // a preemption waits for values
	DelaySince time.Duration  `json:"delay_since_ns,omitempty"`
	Passed     bool           `json:"passed,omitempty"`        // a preemption has waited long enough
	Reclaim    int            `json:"reclaim,omitempty"`       // nodes that Reclaim has not chosen yet
	ReclaimAt  time.Duration  `json:"reclaim_at_ns,omitempty"` // since when
}

type requestState struct {
	Request     // Granted: confirmed
	Given   int `json:"given,omitempty"` // nodes granted, confirmed or not

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
	if n := &m.s.Nodes[l.Node]; n.Holder == p && n.Epoch == l.Epoch {
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
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch + 1, Holder: p, Request: r.ID, Next: m.s.Now}
	n.Until = m.promise()
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
func (m *Manager) free(n *nodeState) {
	if r := m.request(n.Holder, n.Request); r != nil && !n.Confirmed {
		r.Given--
		m.waiting++
	}
	if n.Preemption > 0 {
		m.ending--
	}
	*n = nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1}
}

// back ends a lease that the partition gives back.
func (m *Manager) back(n *nodeState) {
	if n.Preemption > 0 {
		m.s.Stats.Completed++
	} else {
		m.s.Stats.Returned++
	}
	m.free(n)
}

// addNodes replaces the requests of a partition.
func (m *Manager) addNodes(p int, msg *Message) {
	part := &m.s.Partitions[p]
	if msg.Number > part.LastAdd {
		part.LastAdd = msg.Number
		next := m.work.requests[:0]
		for _, r := range msg.Requests {
			if old := m.request(p, r.ID); old != nil {
				next = append(next, *old)
				continue
			}
			for i := range m.s.Nodes { // granted for a withdrawn request of the same ID
				if n := &m.s.Nodes[i]; n.Holder == p && n.Request == r.ID && !n.Confirmed {
					n.Request = 0
				}
			}
			s := requestState{Request: Request{ID: r.ID, Kind: r.Kind, Count: r.Count}}
			s.Refused = m.refuse(r)
			next = append(next, s)
		}
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
	m.out.send(Message{Call: NodesQueued, Partition: part.Name, Number: part.LastAdd}, at)
}

// missing returns how many nodes of a request are not granted yet.
func (r *requestState) missing() int {
	if r.Refused != "" {
		return 0
	}
	return r.Count - r.Given
}

// refuse says why a request can never be granted, "" if it can.
func (m *Manager) refuse(r Request) string {
	total := len(m.s.Nodes)
	if r.Kind != "" {
		total = 0
		if k, ok := slices.BinarySearch(m.kinds, r.Kind); ok {
			for _, kind := range m.kindOf {
				if kind == k {
					total++
				}
			}
		}
	}
	switch {
	case total == 0:
		return "the cluster has no node of the kind"
	case r.Count > total:
		return "more nodes than the cluster has of the kind"
	}
	return ""
}

// deleteNodes ends the leases that the partition gives back.
func (m *Manager) deleteNodes(p int, msg *Message) {
	at := m.out.mark()
	for _, l := range msg.Leases {
		if n := m.lease(p, l); n != nil {
			m.back(n)
		}
		m.out.leases = append(m.out.leases, Lease{Node: l.Node, Epoch: l.Epoch})
	}
	m.out.send(Message{Call: NodesDeleted, Partition: msg.Partition}, at)
}

// discover answers with all nodes.
func (m *Manager) discover(p int) {
	at := m.out.mark()
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		r := Resource{Node: i, Kind: n.Kind, Mine: n.Holder == p}
		if n.Holder >= 0 {
			r.Value = 1
		}
		m.out.resources = append(m.out.resources, r)
	}
	m.out.send(Message{Call: ResourcesDiscovered, Partition: m.s.Partitions[p].Name}, at)
}

// acknowledge reads for how long the partition has known that the node is to end.
func (m *Manager) acknowledge(n *nodeState, l Lease) {
	if n.Preemption == 0 || l.Preemption != n.Preemption {
		return // of a preemption that was cancelled
	}
	known := max(n.First, m.s.Now-l.Since) // not before the preemption began
	end := after(after(known, n.Grace), m.s.Options.Skew)
	if !n.Acked || end < n.Deadline {
		n.Acked, n.Deadline = true, end
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
	if msg.Age >= 0 {
		part.HasValues, part.ValuesAt = true, m.s.Now-msg.Age
		if m.fresh(part) {
			part.Delaying, part.Passed = false, false
		}
	}
	at := m.out.mark()
	listed := msg.Leases
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		if len(listed) == 0 || listed[0].Node != i {
			if n.Holder == p && n.Confirmed {
				m.back(n) // given back; DeleteNodes is late or lost
			}
			continue
		}
		l := listed[0]
		listed = listed[1:]
		answer := Lease{Node: i, Epoch: l.Epoch}
		switch {
		case n.Holder != p || n.Epoch != l.Epoch:
			answer.State = Ended
			if n.Holder == p && n.Confirmed {
				m.back(n)
			}
		default:
			if !n.Confirmed {
				n.Confirmed = true
				if r := m.request(p, n.Request); r != nil {
					r.Granted++
				}
			}
			n.Value = l.Value
			m.acknowledge(n, l)
			if n.Preemption > 0 && !n.Acked {
				answer.State, answer.Preemption, answer.Grace = Pending, n.Preemption, n.Grace
			} else {
				n.Until = max(n.Until, m.promise())
				if n.Preemption == 0 && l.Preemption > 0 {
					answer.State, answer.Preemption = Cancelled, l.Preemption
				}
			}
		}
		m.out.leases = append(m.out.leases, answer)
	}
	m.out.send(Message{Call: LeasesRenewed, Partition: part.Name, Number: msg.Number, Sent: msg.Sent, Term: m.s.Options.Term}, at)
	return true
}

// fresh reports whether the values of a partition are not stale.
func (m *Manager) fresh(p *partitionState) bool {
	return p.HasValues && p.ValuesAt >= m.s.Now-m.s.Options.MaxAge // neither side overflows
}
