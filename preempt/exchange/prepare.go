package exchange

import "time"

// AppendUnprepared appends the nodes that the host has to make ready to dst, by node: they are
// granted, and [ManagerOptions].Prepare keeps them from their partitions. Time: O(nodes).
func (m *Manager) AppendUnprepared(dst []Assignment) []Assignment {
	for i := range m.s.Nodes {
		if n := &m.s.Nodes[i]; n.Unprepared && n.Preemption == 0 {
			dst = append(dst, m.Assignment(i))
		}
	}
	return dst
}

// Prepared says that the host has made a node ready for the lease with the given epoch. It
// returns the messages to send: the grant is among them. Nothing happens if the lease is over
// or was ready before. The error is a *preempt.InputError for a node or an epoch that the
// manager does not know.
func (m *Manager) Prepared(now time.Duration, node int, epoch uint64) ([]Message, error) {
	n, err := m.node(now, node, epoch)
	if err != nil {
		return nil, err
	}
	if n == nil || !n.Unprepared {
		return m.flush(), nil
	}
	n.Unprepared, n.Next = false, m.s.Now
	n.Until = max(n.Until, m.promise())
	m.touch(node, changedLease|changedUntil|changedNext)
	m.due = true
	return m.flush(), nil
}

// PrepareFailed says that the host could not make a node ready for the lease with the given
// epoch. The lease ends, and the manager does not grant the node for the span wait. The
// request of the partition still waits and may get another node at once. The error is that
// of [Manager.Prepared], and a *preempt.InputError for a negative wait.
func (m *Manager) PrepareFailed(now time.Duration, node int, epoch uint64, wait time.Duration) ([]Message, error) {
	if wait < 0 {
		return nil, badInput("wait", -1, ErrRange, "%v: want a span that is not negative", wait)
	}
	n, err := m.node(now, node, epoch)
	if err != nil {
		return nil, err
	}
	if n == nil || !n.Unprepared {
		return m.flush(), nil
	}
	m.back(node)
	n.Out = after(m.s.Now, wait)
	m.plan()
	return m.flush(), nil
}
