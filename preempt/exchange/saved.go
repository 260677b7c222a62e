package exchange

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// managerState is the part of a manager that is saved.
type managerState struct {
	Options    ManagerOptions   `json:"options"`
	Now        time.Duration    `json:"now_ns"`
	Preemption uint64           `json:"preemption"` // the last number given
	Nodes      []nodeState      `json:"nodes"`
	Partitions []partitionState `json:"partitions"`
	Stats      ManagerStats     `json:"stats"`
}

// MarshalJSON returns the state of the manager.
func (m *Manager) MarshalJSON() ([]byte, error) { return json.Marshal(&m.s) }

// UnmarshalJSON restores a state that MarshalJSON returned. The error is that of
// encoding/json, or an [*InputError] for a state that no manager can be in; the manager
// is then unchanged.
func (m *Manager) UnmarshalJSON(data []byte) error {
	s, err := readManager(data)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return err
	}
	m.take(s)
	return nil
}

// readManager reads a state without a check. A state of an earlier version has no limits
// and gets the default ones.
func readManager(data []byte) (s managerState, err error) {
	if err := json.Unmarshal(data, &s); err != nil {
		return s, err
	}
	defaults := ManagerOptions{}.resolve()
	if s.Options.MaxPartitions == 0 {
		s.Options.MaxPartitions = defaults.MaxPartitions
	}
	if s.Options.MaxRequests == 0 {
		s.Options.MaxRequests = defaults.MaxRequests
	}
	return s, nil
}

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

// check says what is wrong with a state.
func (s *managerState) check() error {
	o := s.Options
	if o.Grace < 0 || o.Every <= 0 || o.Term == 0 || o.Term < -1 || o.Skew < 0 || o.MaxAge < 0 || o.MaxDelay < 0 || o.MaxPartitions < 0 || o.MaxRequests < 0 {
		return badInput("options", -1, ErrRange, "%+v: want options that a manager has saved", o)
	}
	if s.Now < 0 {
		return badInput("now_ns", -1, ErrRange, "%d: want a time that is not negative", s.Now)
	}
	if len(s.Nodes) == 0 || len(s.Nodes) > maxNodes {
		return badInput("nodes", -1, ErrRange, "%d nodes: want 1 to %d", len(s.Nodes), maxNodes)
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		if p.Name == "" || p.Weight < 1 || p.Weight > maxWeight || p.Floor < 0 || p.Floor > len(s.Nodes) || p.Reclaim < 0 || p.Reclaim > len(s.Nodes) || p.DelaySince < 0 || p.ReclaimAt < 0 || p.Removed && (len(p.Requests) > 0 || p.Reclaim > 0) {
			return badInput("partitions", i, ErrRange, "partition %q: want a name, a weight of 1 or more, a floor and a reclaim of 0 to all nodes, and times that are not negative", p.Name)
		}
		for j := range i {
			if s.Partitions[j].Name == p.Name && !s.Partitions[j].Removed && !p.Removed {
				return badInput("partitions", i, ErrRange, "%q is also partition %d: want distinct names", p.Name, j)
			}
		}
		for j := range p.Requests {
			r := &p.Requests[j]
			if r.ID == 0 || j > 0 && r.ID <= p.Requests[j-1].ID || r.Count < 1 || r.Granted < 0 || r.Granted > r.Given || r.Given > r.Count ||
				r.Refused == "" && r.Count > len(s.Nodes) || r.Refused != "" && r.Given > 0 {
				return badInput("partitions", i, ErrRange, "request %d of %q: want ascending IDs, and no more nodes granted than were asked for", r.ID, p.Name)
			}
			if r.Refused == "" && r.Kind != "" && !slices.ContainsFunc(s.Nodes, func(n nodeState) bool { return fits(r.Kind, n.Kind) }) {
				return badInput("partitions", i, ErrRange, "request %d of %q is for kind %q: want a kind that the cluster has", r.ID, p.Name, r.Kind)
			}
		}
	}
	seen := map[uint64]bool{}
	type offer struct {
		holder  int
		request uint64
	}
	offered := map[offer]int{} // leases that their partitions have not listed
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case n.Holder == -1:
			if *n != (nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1, Out: n.Out}) || n.Out < 0 {
				return badInput("nodes", i, ErrRange, "the node is free and has a lease: want one of the two")
			}
		case n.Holder < -1 || n.Holder >= len(s.Partitions):
			return badInput("nodes", i, ErrUnknown, "holder %d: want -1 or the index of a partition", n.Holder)
		case n.Out != 0 || n.Orphan && !(n.Forced && n.Confirmed && n.Preemption > 0) || n.Unprepared && n.Confirmed:
			return badInput("nodes", i, ErrRange, "the lease of the node: want a lease that ends if its client was reset, and no lease that was listed before the node was ready")
		case n.Epoch == 0 || !(n.Value >= 0 && n.Value <= 1) || n.Until < 0 || n.Next < 0:
			return badInput("nodes", i, ErrRange, "the lease of the node: want an epoch from 1, a value from 0 to 1, and times that are not negative")
		case n.Preemption == 0:
			if n.Forced || n.First != 0 || n.Grace != 0 || n.Acked || n.Deadline != 0 {
				return badInput("nodes", i, ErrRange, "the node has a notice and no preemption: want both or neither")
			}
		case n.Preemption > s.Preemption || seen[n.Preemption] || n.First < 0 || n.Grace < 0 || n.Deadline < 0 || n.Acked && n.Deadline < n.First:
			return badInput("nodes", i, ErrRange, "the preemption of the node: want a number of its own, up to the last one, and times that are not negative")
		}
		if n.Preemption > 0 {
			seen[n.Preemption] = true
		}
		if n.Holder >= 0 && !n.Confirmed {
			offered[offer{n.Holder, n.Request}]++
		}
	}
	for i := range s.Partitions {
		for j := range s.Partitions[i].Requests {
			if r := &s.Partitions[i].Requests[j]; r.Given-r.Granted != offered[offer{i, r.ID}] {
				return badInput("partitions", i, ErrRange, "%d nodes granted for request %d of %q are not confirmed: want as many as the ledger has such leases, %d",
					r.Given-r.Granted, r.ID, s.Partitions[i].Name, offered[offer{i, r.ID}])
			}
		}
	}
	return nil
}

type clientState struct {
	Partition string        `json:"partition"`
	Instance  string        `json:"instance,omitempty"`
	Every     time.Duration `json:"every_ns"`
	Now       time.Duration `json:"now_ns"`
	Number    uint64        `json:"number"` // of the next message or request
	HasValues bool          `json:"has_values,omitempty"`
	ValuesAt  time.Duration `json:"values_at_ns,omitempty"`
	Requests  []Request     `json:"requests,omitempty"`
	Asked     uint64        `json:"asked,omitempty"`  // first number with which AddNodes has the open requests
	Queued    uint64        `json:"queued,omitempty"` // last number of an AddNodes that was answered
	Leases    []leaseState  `json:"leases,omitempty"`
	Listings  []listing     `json:"listings,omitempty"` // the last ones, by number
	NextBeat  time.Duration `json:"next_beat_ns"`       // when to send SetResourceValues,
	NextAdd   time.Duration `json:"next_add_ns"`        // AddNodes
	NextBack  time.Duration `json:"next_back_ns"`
}

// MarshalJSON returns the state of the client.
func (c *Client) MarshalJSON() ([]byte, error) { return json.Marshal(&c.s) }

// UnmarshalJSON restores a state that MarshalJSON returned. The error is that of
// encoding/json, or an [*InputError] for a state that no client can be in; the client is
// then unchanged.
func (c *Client) UnmarshalJSON(data []byte) error {
	var s clientState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	c.s, c.resources = s, nil
	return nil
}

// check says what is wrong with a state.
func (s *clientState) check() error {
	if s.Partition == "" || s.Every <= 0 || s.Now < 0 || s.Number == 0 || s.Number > maxNumber || s.ValuesAt < 0 || s.ValuesAt > s.Now ||
		s.Asked > s.Number || s.Queued >= s.Number || s.NextBeat < 0 || s.NextAdd < 0 || s.NextBack < 0 {
		return badInput("client", -1, ErrRange, "the name, numbers or times of the client: want those of a client that was saved")
	}
	if err := checkRequests(s.Requests); err != nil {
		return err
	}
	if len(s.Listings) > maxListings {
		return badInput("listings", -1, ErrRange, "%d: want at most %d", len(s.Listings), maxListings)
	}
	for i, l := range s.Listings {
		if l.Number >= s.Number || i > 0 && l.Number <= s.Listings[i-1].Number || l.Sent < 0 || l.Sent > s.Now {
			return badInput("listings", i, ErrRange, "number %d at %v: want ascending numbers below %d, and times up to now", l.Number, l.Sent, s.Number)
		}
	}
	for i := range s.Requests {
		if s.Requests[i].ID >= s.Number {
			return badInput("requests", i, ErrRange, "ID %d: want one below the next number, %d", s.Requests[i].ID, s.Number)
		}
	}
	for i := range s.Leases {
		l := &s.Leases[i]
		if l.Node < 0 || i > 0 && l.Node <= s.Leases[i-1].Node || l.Epoch == 0 || !(l.Value >= 0 && l.Value <= 1) || l.Valid < 0 ||
			l.First < 0 || l.First > s.Now || l.Grace < 0 || l.Draining && l.Preemption == 0 {
			return badInput("leases", i, ErrRange, "node %d: want ascending nodes, an epoch from 1, a value from 0 to 1, and times up to now", l.Node)
		}
	}
	return nil
}
