package exchange

import "time"

// CreatePartition adds a partition. Its share of the cluster is in proportion to weight, a number
// from 1 to 2^20. floor is a number of nodes: preemption for other partitions never leaves the
// partition fewer nodes. If a partition of the same name was removed before, call
// [Manager.ResetClient] with an instance that no earlier client had: messages of the old client may
// still come. The error is a *preempt.InputError about the name, the weight or the floor.
func (m *Manager) CreatePartition(name string, weight, floor int) error {
	if err := checkName("name", name); err != nil {
		return err
	}
	if m.partition(name) >= 0 {
		return badInput("name", -1, ErrRange, "%q is taken: want a name that no other partition has", name)
	}
	if err := m.checkShare(weight, floor); err != nil {
		return err
	}
	m.replan = true
	live := 0
	for i := range m.s.Partitions {
		switch p := &m.s.Partitions[i]; {
		case !p.Removed:
			live++
		case m.held[i] == 0: // of a partition whose nodes are all back
			*p = partitionState{Name: name, Weight: weight, Floor: floor}
			m.touchPartition(i)
			return nil
		}
	}
	if live >= m.s.Options.MaxPartitions {
		return badInput("name", -1, ErrTooMany, "%q would be partition %d: want at most %d, Options.MaxPartitions", name, live+1, m.s.Options.MaxPartitions)
	}
	m.s.Partitions = append(m.s.Partitions, partitionState{Name: name, Weight: weight, Floor: floor})
	m.head, m.held, m.endingOf = append(m.head, -1), append(m.held, 0), append(m.endingOf, 0)
	m.touchPartition(len(m.s.Partitions) - 1)
	return nil
}

// checkShare checks the weight and the floor of a partition.
func (m *Manager) checkShare(weight, floor int) error {
	switch {
	case weight < 1 || weight > maxWeight:
		return badInput("weight", -1, ErrRange, "%d: want 1 to %d", weight, maxWeight)
	case floor < 0 || floor > len(m.s.Nodes):
		return badInput("floor", -1, ErrRange, "%d: want 0 to %d, the number of nodes", floor, len(m.s.Nodes))
	}
	return nil
}

// SetShare replaces the weight and the floor of a partition, and returns the messages to
// send: nodes may move, with notice and grace. The error is a *preempt.InputError about the
// arguments.
func (m *Manager) SetShare(now time.Duration, partition string, weight, floor int) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	if err := m.checkShare(weight, floor); err != nil {
		return nil, err
	}
	m.begin(now)
	m.s.Partitions[p].Weight, m.s.Partitions[p].Floor = weight, floor
	m.touchPartition(p)
	m.replan = true
	m.plan()
	return m.flush(), nil
}

// ResetClient begins a new client of a partition, for example because the state of the old client
// is lost. instance is the Instance of the new client: from now on the manager reads only messages
// with this instance. The requests of the old client are withdrawn. The leases of the old client
// end when they run out, since the old client may still use the nodes. Pass true as gone if the old
// client has ended and nothing of it runs on the nodes: the leases then end at once. With a
// negative Term, leases do not run out, so they end only if gone is true.
//
// The error is a *preempt.InputError for an unknown partition, for an instance that is too long or
// not printable, and for the instance that the partition has already.
func (m *Manager) ResetClient(now time.Duration, partition, instance string, gone bool) ([]Message, error) {
	p := m.partition(partition)
	switch {
	case p < 0:
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	case !short(instance, maxName):
		return nil, badInput("instance", -1, ErrRange, "%.100q: want at most %d bytes, all of them printable", instance, maxName)
	case instance == m.s.Partitions[p].Instance:
		return nil, badInput("instance", -1, ErrInstance, "%q is the instance of partition %q already: want a new one", instance, partition)
	}
	m.begin(now)
	m.orphan(p, gone)
	part := &m.s.Partitions[p]
	*part = partitionState{Name: part.Name, Weight: part.Weight, Floor: part.Floor, Instance: instance, Requests: part.Requests[:0]}
	m.plan()
	return m.flush(), nil
}

// RemovePartition removes a partition. Messages of its client are refused from now on. Its
// leases end as in [Manager.ResetClient]. Until then the partition counts as one in
// [Manager.AppendPartitions]. The error is a *preempt.InputError for an unknown partition.
func (m *Manager) RemovePartition(now time.Duration, partition string, gone bool) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	m.begin(now)
	m.orphan(p, gone)
	part := &m.s.Partitions[p]
	*part = partitionState{Name: part.Name, Weight: 1, Removed: true, Requests: part.Requests[:0]}
	m.plan()
	return m.flush(), nil
}

// orphan withdraws the requests of a partition and ends its leases: at once if the
// partition cannot use the node, otherwise when the lease has run out.
func (m *Manager) orphan(p int, gone bool) {
	part := &m.s.Partitions[p]
	for j := range part.Requests {
		m.waiting -= part.Requests[j].missing()
	}
	m.reclaim -= part.Reclaim
	part.Requests, part.Reclaim = part.Requests[:0], 0
	m.touchPartition(p)
	m.replan = true
	for i := m.head[p]; i >= 0; {
		next := m.after[i]
		switch n := &m.s.Nodes[i]; {
		case gone || !n.Confirmed:
			m.back(int(i))
		case !n.Orphan:
			if n.Preemption == 0 {
				m.end(int(i), true)
			}
			n.Orphan, n.Forced = true, true
			m.touch(int(i), changedLease|changedPreemption)
		}
		i = next
	}
}

// partition returns the index of the partition with a name, -1 if there is none.
func (m *Manager) partition(name string) int {
	for i := range m.s.Partitions {
		if m.s.Partitions[i].Name == name && !m.s.Partitions[i].Removed {
			return i
		}
	}
	return -1
}
