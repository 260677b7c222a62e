package exchange

import (
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// managerState is the part of a manager that is saved.
type managerState struct {
	Options    ManagerOptions
	Now        time.Duration
	Preemption uint64 // the last number given
	Nodes      []nodeState
	Partitions []partitionState
	Stats      ManagerStats
}

// MarshalText returns the state of the manager, for a file or as a string in JSON: a record
// in base64 that carries its length and checksums. The error is nil.
func (m *Manager) MarshalText() ([]byte, error) {
	c := &changes{options: true}
	for i := range m.s.Partitions {
		c.partitions = append(c.partitions, int32(i))
	}
	for i := range m.s.Nodes {
		c.nodes, c.what = append(c.nodes, int32(i)), append(c.what, changedAll|changedKind)
	}
	m.changes.next = m.changes.link // if this is saved, what was appended before does not count
	return sealText(recordState, m.changes.link, func(w *coder) { m.s.code(w, c) }), nil
}

// UnmarshalText restores a state that MarshalText returned. The error is a *preempt.InputError
// for a state that is damaged and for a state that no manager can be in; the manager is then
// unchanged.
func (m *Manager) UnmarshalText(text []byte) error { return m.Restore(text, nil) }

// take makes s the state of the manager.
func (m *Manager) take(s managerState) {
	m.s = s
	m.changes = changes{stats: s.Stats}
	m.derive()
	m.resumed = true
}

// derive computes the fields that follow from the state.
func (m *Manager) derive() {
	m.kinds = m.kinds[:0]
	for i := range m.s.Nodes {
		m.kinds = append(m.kinds, m.s.Nodes[i].Kind)
	}
	slices.Sort(m.kinds)
	m.kinds = slices.Clip(slices.Compact(m.kinds))
	n := len(m.s.Nodes)
	m.kindOf, m.listedAt = grow.Zero(m.kindOf, n), grow.Zero(m.listedAt, n)
	m.after, m.before, m.changes.what = grow.Zero(m.after, n), grow.Zero(m.before, n), grow.Zero(m.changes.what, n)
	m.held, m.endingOf = grow.Zero(m.held, len(m.s.Partitions)), grow.Zero(m.endingOf, len(m.s.Partitions))
	m.head = grow.To(m.head, len(m.s.Partitions))
	for p := range m.head {
		m.head[p] = -1
	}
	m.listed, m.replan, m.planned = 0, true, 0
	m.perKind = grow.Zero(m.perKind, len(m.kinds))
	m.waiting, m.ending, m.reclaim, m.due = 0, 0, 0, false
	for i := range m.s.Nodes {
		m.kindOf[i], _ = slices.BinarySearch(m.kinds, m.s.Nodes[i].Kind)
		m.perKind[m.kindOf[i]]++
		if p := m.s.Nodes[i].Holder; p >= 0 {
			m.link(i)
			if m.s.Nodes[i].Preemption > 0 {
				m.ending++
				m.endingOf[p]++
			}
		}
	}
	all := make([]int, len(m.kinds))
	for k := range all {
		all[k] = k
	}
	m.groups = m.groups[:0]
	m.addGroup(all)
	for i := range m.s.Partitions {
		p := &m.s.Partitions[i]
		m.reclaim += p.Reclaim
		for j := range p.Requests {
			r := &p.Requests[j]
			r.group = -1
			if r.Refused == "" {
				r.group, _ = m.group(Request{Kind: r.Kind})
			}
			m.waiting += r.missing()
		}
	}
}

type clientState struct {
	Partition string
	Instance  string
	Every     time.Duration
	Now       time.Duration
	Number    uint64 // of the next message or request
	HasValues bool
	ValuesAt  time.Duration
	Requests  []Request
	Asked     uint64 // first number with which AddNodes has the open requests
	Queued    uint64 // last number of an AddNodes that was answered
	Leases    []leaseState
	Listings  []listing     // the last ones, by number
	NextBeat  time.Duration // when to send SetResourceValues,
	NextAdd   time.Duration // AddNodes
	NextBack  time.Duration
}

// MarshalText returns the state of the client, as [Manager.MarshalText] does.
func (c *Client) MarshalText() ([]byte, error) {
	return sealText(recordClient, 0, c.s.code), nil
}

// UnmarshalText restores a state that MarshalText returned. The error is a *preempt.InputError
// for a state that is damaged and for a state that no client can be in; the client is then
// unchanged.
func (c *Client) UnmarshalText(text []byte) error {
	body, _, _, err := unseal(text, recordClient)
	if err != nil {
		return err
	}
	var s clientState
	r := &coder{b: body, read: true}
	if s.code(r); !r.whole() {
		return badState()
	}
	if err := s.check(); err != nil {
		return err
	}
	c.s, c.resources = s, nil
	return nil
}
