package exchange

import (
	"iter"
	"slices"
)

// What has changed of a node since ChangesSaved.
const (
	changedLease uint8 = 1 << iota
	changedUntil
	changedValue
	changedPreemption
	changedNext
	changedKind // of a state: the node is new
	sameUntil   // Until is that of the node before in the same record
)

const changedAll = changedLease | changedUntil | changedValue | changedPreemption | changedNext

// changes notes what has changed since ChangesSaved.
type changes struct {
	nodes      []int32
	what       []uint8 // of each node
	partitions []int32
	partition  []bool
	options    bool
	stats      ManagerStats // as saved
	link, next uint32       // checksum of the last record saved, and of the last record appended
}

// touch notes a change of a node.
func (m *Manager) touch(i int, what uint8) {
	c := &m.changes
	if c.what[i] == 0 {
		c.nodes = append(c.nodes, int32(i))
	}
	c.what[i] |= what
}

// touchPartition notes a change of a partition.
func (m *Manager) touchPartition(p int) {
	c := &m.changes
	for len(c.partition) <= p {
		c.partition = append(c.partition, false)
	}
	if !c.partition[p] {
		c.partition[p] = true
		c.partitions = append(c.partitions, int32(p))
	}
}

// AppendChanges appends to dst a record of the changes of the manager since the last
// [Manager.ChangesSaved]. Without a ChangesSaved, it appends the changes since the manager was new
// or restored. If there is no change to save, AppendChanges appends nothing. [Manager.Restore]
// makes a manager from a state ([Manager.MarshalText]) and the records that follow the state, in
// order. A record takes about 10 bytes for each node whose lease is renewed and whose value
// changes, and about 40 bytes for each node that goes to another partition. Time: O(c log c) for c
// changes.
func (m *Manager) AppendChanges(dst []byte) []byte {
	c := &m.changes
	c.next = c.link
	if len(c.nodes) == 0 && len(c.partitions) == 0 && !c.options && c.stats == m.s.Stats {
		return dst
	}
	slices.Sort(c.partitions)
	slices.Sort(c.nodes)
	dst, c.next = seal(dst, recordChanges, c.link, func(w *coder) { m.s.code(w, c) })
	return dst
}

// ChangesSaved says that what [Manager.AppendChanges] has appended last, or the state, is
// saved.
func (m *Manager) ChangesSaved() {
	c := &m.changes
	for _, i := range c.nodes {
		c.what[i] = 0
	}
	for _, p := range c.partitions {
		c.partition[p] = false
	}
	c.nodes, c.partitions, c.options, c.stats, c.link = c.nodes[:0], c.partitions[:0], false, m.s.Stats, c.next
}

// AppendChanged appends the nodes about which something has changed since the last
// [Manager.ChangesSaved] to dst. Leases that were only renewed are among them.
func (m *Manager) AppendChanged(dst []int) []int {
	for _, i := range m.changes.nodes {
		dst = append(dst, int(i))
	}
	return dst
}

// Restore restores the manager from a state that [Manager.MarshalText] returned and the later
// records of [Manager.AppendChanges], in order. If changes is nil, there are no records.
//
// Each record names the record before it. So Restore returns an error if a record is damaged or out
// of order, belongs to another state, or follows a missing record. Restore stops at the first error
// that changes yields, and returns that error unchanged. Every other error is a
// *preempt.InputError, as from UnmarshalText. After an error the manager is unchanged.
func (m *Manager) Restore(state []byte, changes iter.Seq2[[]byte, error]) error {
	var s managerState
	body, link, _, err := unseal(state, recordState)
	if err == nil {
		err = s.decode(body)
	}
	if err != nil {
		return err
	}
	if changes == nil {
		changes = func(func([]byte, error) bool) {}
	}
	for record, err := range changes {
		if err != nil {
			return err
		}
		body, before, sum, err := open(record, recordChanges)
		if err != nil {
			return err
		}
		if before != link {
			return badInput("changes", -1, ErrRange, "a record follows record %08x, and the one before is %08x: want all records, in order", before, link)
		}
		if err := s.decode(body); err != nil {
			return err
		}
		link = sum
	}
	if err := s.check(); err != nil {
		return err
	}
	m.take(s)
	m.changes.link, m.changes.next = link, link
	return nil
}

// Clone returns a copy of the manager that shares no memory with m, for example to save the
// copy while m goes on.
func (m *Manager) Clone() *Manager {
	s := m.s
	s.Nodes = slices.Clone(s.Nodes)
	s.Partitions = slices.Clone(s.Partitions)
	for i := range s.Partitions {
		s.Partitions[i].Requests = slices.Clone(s.Partitions[i].Requests)
	}
	c := new(Manager)
	c.take(s)
	c.resumed, c.changes.link, c.changes.next = m.resumed, m.changes.link, m.changes.next
	return c
}
