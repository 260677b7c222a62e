package exchange

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// forever is a time that never comes.
const forever = time.Duration(math.MaxInt64)

// after returns t+d, or forever if the sum does not fit in a Duration. Neither is
// negative.
func after(t, d time.Duration) time.Duration {
	if d > forever-t {
		return forever
	}
	return t + d
}

// outbox collects messages in memory that the next call uses again.
type outbox struct {
	msgs      []Message
	leases    []Lease
	requests  []Request
	resources []Resource
}

func (o *outbox) reset() {
	o.msgs, o.leases, o.requests, o.resources = o.msgs[:0], o.leases[:0], o.requests[:0], o.resources[:0]
}

// send adds a message. Its lists are the elements that were appended to the outbox's
// lists since mark was taken.
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

// send adds a message to the client of a partition to the outbox.
func (m *Manager) send(p int, msg Message, at mark) {
	msg.Partition, msg.Instance = m.s.Partitions[p].Name, m.s.Partitions[p].Instance
	m.out.send(msg, at)
}

// flush sends the grants and notices that are due, at most one message of each kind to
// each partition. It returns all messages of this call.
func (m *Manager) flush() []Message {
	if !m.due {
		return m.out.msgs
	}
	m.due = false
	next := after(m.s.Now, m.s.Options.Every)
	due := m.work.due[:0]
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		if n.Holder < 0 || n.Orphan || n.cancelled == 0 && (n.Preemption == 0 && (n.Confirmed || n.Unprepared) || m.s.Now < n.Next) {
			continue
		}
		due = append(due, i)
	}
	m.work.due = due
	slices.SortFunc(due, func(a, b int) int {
		return cmp.Or(m.s.Nodes[a].Holder-m.s.Nodes[b].Holder, a-b)
	})
	for len(due) > 0 {
		p := m.s.Nodes[due[0]].Holder
		count := 1
		for count < len(due) && m.s.Nodes[due[count]].Holder == p {
			count++
		}
		m.flushTo(p, due[:count], next)
		due = due[count:]
	}
	return m.out.msgs
}

// flushTo sends a partition what is due about its nodes.
func (m *Manager) flushTo(p int, nodes []int, next time.Duration) {
	at := m.out.mark()
	for _, i := range nodes {
		if n := &m.s.Nodes[i]; n.cancelled > 0 {
			m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.cancelled})
			n.cancelled = 0
		}
	}
	if len(m.out.leases) > at.leases {
		m.send(p, Message{Call: DeleteCancelled}, at)
	}
	at = m.out.mark()
	for _, i := range nodes {
		if n := &m.s.Nodes[i]; n.Preemption > 0 && m.s.Now >= n.Next {
			m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Preemption: n.Preemption, Grace: n.Grace})
			n.Next = next
			m.touch(i, changedNext)
		}
	}
	if len(m.out.leases) > at.leases {
		m.send(p, Message{Call: NotifyDeletePending}, at)
	}
	at = m.out.mark()
	for _, i := range nodes {
		if n := &m.s.Nodes[i]; !n.Confirmed && !n.Unprepared && n.Preemption == 0 && m.s.Now >= n.Next {
			m.out.leases = append(m.out.leases, Lease{Node: i, Epoch: n.Epoch, Request: n.Request})
			n.Next = next
			m.touch(i, changedNext)
		}
	}
	if len(m.out.leases) > at.leases {
		m.send(p, Message{Call: NodesAdded}, at)
	}
}
