package exchange

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/heaps"
)

// A plan decides which nodes move. Each call of the manager reads one message or the
// time, changes the ledger, plans, and collects the messages that follow.
//
// A plan has four parts.
//
//   1. Each free node, and each node that is to end already, is assigned to a waiting
//      request, one by one. The partition with the least share, nodes over weight, comes
//      first.
//   2. Preemptions of nodes that nobody waits for any more are cancelled. If Reclaim waits
//      for nodes, the plan then begins again; each time fewer preemptions can be cancelled.
//   3. For each request that still waits, a node is taken: the node of least value of
//      the partition with the greatest share. That share must stay no less than the
//      asker's new share.
//   4. The free nodes are granted.
//
// If a request by name waits for a node that a request for any kind holds, the request for any
// kind moves to another node. In part 1 the other node is free or to end. In part 3 the plan
// takes the other node from a partition. If there is no other node, nothing moves.
//
// Each move of part 3 is from a share of at least (h+1)/w to a share of at most h/w. So
// the greatest shares fall and the least shares rise, in lexicographic order, and no
// sequence of plans goes in circles. If all partitions want more than they have, their
// shares end within one node of max-min fair.
//
// A request for several kinds, such as for all with a feature, is like a request for any
// kind, among its kinds. Such a request prefers kinds that no request for fewer kinds waits
// for. The kinds of two requests may overlap although neither has all kinds of the other. Then
// at most one request moves for another request, and the plan may serve fewer requests than
// possible.
//
// Time: O(N + G·(p·k + r + log N)) for N nodes of k kinds, G moves, p partitions and r
// requests, plus O(G²) if requests by name and for any kind want the same nodes. A plan
// takes no time if nothing has changed, or if nobody waits and no lease ends.

// planner is the working memory of a plan. Slices by partition and kind begin with the
// sum over all kinds.
type planner struct {
	requests []requestState
	held     []int  // of each partition: nodes that it keeps, and nodes that it will get
	own      []int  // of each partition: nodes that it keeps, and free nodes that it will get
	of       []int  // by partition and kind: nodes that can be taken
	over     []int  // by partition and kind: of silent partitions, those whose leases have run out
	stale    []bool // of each partition: its values are stale
	wanted   []bool // of each partition: a preemption waits for its values
	rest     []int  // of each group: nodes asked for
	narrow   []int  // of each kind: how many kinds has the smallest group with the kind that is asked for
	fit      []int  // kinds that a request fits
	due      []int  // nodes about which something is to be sent
	free     []int  // free nodes by kind, then node
	from     []int  // of each kind: where its unused nodes in free begin
	end      []int
	ending   []int // leases to end, by number of preemption
	used     []bool
	first    int                   // all of used before it are true
	grants   []seat                // free nodes that are assigned
	seats    [][]seat              // by kind: nodes for requests for any kind
	heaps    []heaps.Queue[uint64] // of each partition and kind: nodes to take, cheapest first
	built    []bool
}

// seat is a node for a request. The node is granted if it is free.
type seat struct {
	p     int
	r     *requestState
	node  int
	grant int // place in grants, -1 if the node is not free
}

// plan moves nodes; the head of this file says how.
func (m *Manager) plan() {
	if !m.replan {
		return
	}
	m.replan, m.planned = false, m.s.Now
	if m.waiting == 0 && m.ending == 0 && m.reclaim == 0 {
		for i := range m.s.Partitions {
			if m.s.Partitions[i].Delaying {
				m.s.Partitions[i].Delaying = false
				m.touchPartition(i)
			}
		}
		return
	}
	w := &m.work
	parts, kinds := m.s.Partitions, len(m.kinds)
	w.held, w.own = grow.Zero(w.held, len(parts)), grow.Zero(w.own, len(parts))
	w.of, w.over = grow.Zero(w.of, len(parts)*(kinds+1)), grow.Zero(w.over, len(parts)*(kinds+1))
	w.stale, w.wanted = grow.Zero(w.stale, len(parts)), grow.Zero(w.wanted, len(parts))
	w.rest, w.narrow = grow.Zero(w.rest, len(m.groups)), grow.Zero(w.narrow, kinds)
	w.from, w.end = grow.Zero(w.from, kinds), grow.Zero(w.end, kinds)
	w.free, w.ending, w.grants = w.free[:0], w.ending[:0], w.grants[:0]
	for len(w.seats) < kinds {
		w.seats = append(w.seats, nil)
	}
	for k := range w.seats {
		w.seats[k] = w.seats[k][:0]
	}
	clear(w.built)
	for i := range parts {
		w.stale[i] = !m.fresh(&parts[i], m.s.Now)
	}
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		switch {
		case n.Holder < 0:
			if n.Out <= m.s.Now {
				w.end[m.kindOf[i]]++
			}
		case n.Preemption > 0:
			if !n.Orphan || n.end() < forever {
				w.ending = append(w.ending, i)
			}
		default:
			m.keeps(i, 1)
		}
	}
	m.reclaimAll()
	m.sortFree()
	slices.SortFunc(w.ending, func(a, b int) int { return cmp.Compare(m.s.Nodes[a].Preemption, m.s.Nodes[b].Preemption) })
	w.used, w.first = grow.Zero(w.used, len(w.ending)), 0
	m.rewind()
	m.serve((*Manager).assign)
	if m.cancel() && m.reclaim > 0 { // Reclaim may take what is not to end any more
		m.replan = true
		m.plan()
		return
	}
	m.serve((*Manager).takeFor)
	for _, g := range w.grants {
		m.grant(g.node, g.p, g.r)
	}
	for i := range parts {
		if parts[i].Delaying && !w.wanted[i] {
			parts[i].Delaying = false
			m.touchPartition(i)
		}
	}
}

// keeps counts a node that its partition keeps (d = 1) or loses (d = -1).
func (m *Manager) keeps(i, d int) {
	w, v, kinds := &m.work, m.s.Nodes[i].Holder, len(m.kinds)+1
	k := m.kindOf[i] + 1
	w.held[v] += d
	w.own[v] += d
	w.of[v*kinds] += d
	w.of[v*kinds+k] += d
	if m.lapsed(i) {
		w.over[v*kinds] += d
		w.over[v*kinds+k] += d
	}
}

// lapsed reports whether the lease of a node has run out and its partition is silent.
// The node's value does not matter then.
func (m *Manager) lapsed(i int) bool {
	n := &m.s.Nodes[i]
	return m.s.Now >= n.Until && m.work.stale[n.Holder]
}

// rewind makes all requests candidates again.
func (m *Manager) rewind() {
	w := &m.work
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			r := &rs[j]
			r.rest, r.blocked = r.missing(), false
			if r.rest > 0 {
				w.rest[r.group] += r.rest
			}
		}
	}
	m.narrows()
}

// narrows computes for each kind how many kinds has the smallest group that has the kind
// and that somebody waits for.
func (m *Manager) narrows() {
	w := &m.work
	for k := range w.narrow {
		w.narrow[k] = len(m.kinds) + 1
	}
	for g, rest := range w.rest {
		if rest > 0 {
			for _, k := range m.groups[g].kinds {
				w.narrow[k] = min(w.narrow[k], len(m.groups[g].kinds))
			}
		}
	}
}

// neediest returns the partition with the least share among those with a request that is
// not blocked, and the first such request. Ties go to the partition that was created
// first.
func (m *Manager) neediest() (p int, r *requestState) {
	p = -1
	for i := range m.s.Partitions {
		part := &m.s.Partitions[i]
		if p >= 0 && !less(m.work.held[i], part.Weight, m.work.held[p], m.s.Partitions[p].Weight) {
			continue
		}
		for j := range part.Requests {
			if q := &part.Requests[j]; q.rest > 0 && !q.blocked {
				p, r = i, q
				break
			}
		}
	}
	return p, r
}

// less reports a/v < b/w.
func less(a, v, b, w int) bool { return a*w < b*v }

// sum adds up the counts of a partition over the kinds of a group. Counts by partition and
// kind begin with the sum over all kinds.
func (m *Manager) sum(counts []int, v, g int) int {
	at := v * (len(m.kinds) + 1)
	if g == 0 {
		return counts[at]
	}
	total := 0
	for _, k := range m.groups[g].kinds {
		total += counts[at+k+1]
	}
	return total
}

// reclaimAll chooses the nodes for [Manager.Reclaim].
func (m *Manager) reclaimAll() {
	if m.reclaim == 0 {
		return
	}
	w, kinds := &m.work, len(m.kinds)+1
	for v := range m.s.Partitions {
		part := &m.s.Partitions[v]
		for part.Reclaim > 0 && w.of[v*kinds] > 0 &&
			(!w.stale[v] || w.over[v*kinds] > 0 || m.s.Now >= after(part.ReclaimAt, m.s.Options.MaxDelay)) {
			w.ending = append(w.ending, m.preempt(v, 0, true))
			m.touchPartition(v)
			part.Reclaim--
			m.reclaim--
		}
		if part.Reclaim > 0 && w.of[v*kinds] == 0 && !m.endsForOthers(v) { // the partition has given the nodes back itself
			m.reclaim -= part.Reclaim
			part.Reclaim = 0
			m.touchPartition(v)
		}
		if part.Reclaim == 0 && part.ReclaimAt != 0 {
			part.ReclaimAt = 0
			m.touchPartition(v)
		}
	}
}

// endsForOthers reports whether a partition has a node that is to end for another partition.
func (m *Manager) endsForOthers(v int) bool {
	for i := m.head[v]; i >= 0; i = m.after[i] {
		if n := &m.s.Nodes[i]; n.Preemption > 0 && !n.Forced {
			return true
		}
	}
	return false
}

// sortFree lists the free nodes by kind.
func (m *Manager) sortFree() {
	w := &m.work
	total := 0
	for k := range w.end {
		w.from[k] = total
		total += w.end[k]
		w.end[k] = w.from[k]
	}
	w.free = grow.Zero(w.free, total)
	for i := range m.s.Nodes {
		if k := m.kindOf[i]; m.s.Nodes[i].Holder < 0 && m.s.Nodes[i].Out <= m.s.Now {
			w.free[w.end[k]] = i
			w.end[k]++
		}
	}
}

// cancel cancels the preemption of nodes that are assigned to nobody. It reports whether
// there are any.
func (m *Manager) cancel() (some bool) {
	w := &m.work
	clear(w.built) // Reclaim took nodes from the heaps
	for j, i := range w.ending {
		n := &m.s.Nodes[i]
		if w.used[j] || n.Forced {
			continue
		}
		some = true
		n.cancelled = n.Preemption
		n.Preemption, n.First, n.Grace, n.Acked, n.Deadline = 0, 0, 0, false, 0
		n.Next = m.s.Now // send the grant again, if the partition has not listed it
		m.touch(i, changedPreemption|changedNext)
		m.keeps(i, 1)
		m.ending--
		m.endingOf[n.Holder]--
		m.due = true
		m.s.Stats.Cancelled++
	}
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			rs[j].blocked = false
		}
	}
	return some
}

// serve finds nodes for the waiting requests, one by one. find assigns a node to a
// request and reports whether it found one.
func (m *Manager) serve(find func(m *Manager, p int, r *requestState) bool) {
	for {
		p, r := m.neediest()
		if p < 0 {
			return
		}
		if !find(m, p, r) {
			r.blocked = true
			continue
		}
		if m.work.rest[r.group]--; m.work.rest[r.group] == 0 {
			m.narrows()
		}
		r.rest--
		m.work.held[p]++
	}
}

// assign finds a node that is free or to end.
func (m *Manager) assign(p int, r *requestState) bool {
	if node, free := m.spare(p, r.group); node >= 0 {
		m.sit(p, r, node, free)
		return true
	}
	return m.swap(p, r, m.spare)
}

// sit assigns a node to a request.
func (m *Manager) sit(p int, r *requestState, node int, free bool) {
	w := &m.work
	s := seat{p, r, node, -1}
	if free {
		s.grant = len(w.grants)
		w.grants = append(w.grants, s)
		w.own[p]++
	}
	if k := m.kindOf[node]; len(m.groups[r.group].kinds) > 1 {
		w.seats[k] = append(w.seats[k], s)
	}
}

// swap gives a request a node that is assigned to a request for other kinds, too. find must
// have another node for the partition q and the group of that request; find returns the
// node, -1 if there is none, and whether the node is free.
func (m *Manager) swap(p int, r *requestState, find func(q, g int) (node int, free bool)) bool {
	w := &m.work
	vain := seat{p: -1} // a partition and a group for which find has no node
	for _, k := range m.groups[r.group].kinds {
		for j, s := range w.seats[k] {
			if s.p == vain.p && s.r.group == vain.node || m.s.Nodes[s.node].Holder == p || s.r.group == r.group {
				continue
			}
			w.held[s.p]-- // s.p gives up the node,
			w.held[p]++   // p gets it
			node, free := find(s.p, s.r.group)
			w.held[s.p]++
			w.held[p]--
			if node < 0 {
				vain = seat{p: s.p, node: s.r.group}
				continue
			}
			w.seats[k] = slices.Delete(w.seats[k], j, j+1)
			if s.grant >= 0 {
				w.own[s.p]--
				w.own[p]++
				w.grants[s.grant].p, w.grants[s.grant].r = p, r
			}
			if len(m.groups[r.group].kinds) > 1 {
				w.seats[k] = append(w.seats[k], seat{p, r, s.node, s.grant})
			}
			m.sit(s.p, s.r, node, free)
			return true
		}
	}
	return false
}

// spare returns a node of a group that is not assigned yet, for partition p, and whether
// the node is free; -1 if there is none. A free node comes first, then the node of another
// partition whose preemption began first. Among each, nodes come first whose kind no
// request for fewer kinds waits for.
func (m *Manager) spare(p, g int) (node int, free bool) {
	w := &m.work
	kinds := m.groups[g].kinds
	best, least := -1, math.MaxInt
	for _, c := range kinds {
		if w.from[c] == w.end[c] {
			continue
		}
		rank := w.free[w.from[c]]
		if w.narrow[c] < len(kinds) {
			rank += maxNodes
		}
		if rank < least {
			least, best = rank, c
		}
	}
	if best >= 0 {
		w.from[best]++
		return w.free[w.from[best]-1], true
	}
	for w.first < len(w.used) && w.used[w.first] {
		w.first++
	}
	found := -1
	for j := w.first; j < len(w.ending); j++ {
		i := w.ending[j]
		if c := m.kindOf[i]; w.used[j] || m.s.Nodes[i].Holder == p || !m.groups[g].has[c] {
			continue
		} else if w.narrow[c] >= len(kinds) {
			found = j
			break
		}
		if found < 0 {
			found = j
		}
	}
	if found < 0 {
		return -1, false
	}
	w.used[found] = true
	return w.ending[found], false
}

// fresh reports whether the values of a partition are not stale at a time.
func (m *Manager) fresh(p *partitionState, at time.Duration) bool {
	return p.HasValues && p.ValuesAt >= at-m.s.Options.MaxAge // neither side overflows
}
