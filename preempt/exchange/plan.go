package exchange

import (
	"cmp"
	"math"
	"slices"

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
//   2. Preemptions of nodes that nobody waits for any more are cancelled.
//   3. For each request that still waits, a node is taken: the node of least value of
//      the partition with the greatest share. That share must stay no less than the
//      asker's new share.
//   4. The free nodes are granted.
//
// A request for any kind may have been assigned a node for which a request by name
// waits. Then the request for any kind moves to another node, if there is one: in part 1
// to a node that is free or to end, in part 3 to a node that is taken for it.
//
// Each move of part 3 is from a share of at least (h+1)/w to a share of at most h/w. So
// the greatest shares fall and the least shares rise, in lexicographic order, and no
// sequence of plans goes in circles. If all partitions want more than they have, their
// shares end within one node of max-min fair.
//
// Time: O(N·k + G·(p + r + log N)) for N nodes of k kinds, G moves, p partitions and r
// requests, plus O(G²) if requests by name and for any kind want the same nodes. A plan
// takes no time if nobody waits and no lease ends.

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
	named    []int  // of each kind: nodes asked for by name
	free     []int  // free nodes by kind, then node
	from     []int  // of each kind: where its unused nodes in free begin
	end      []int
	ending   []int // leases to end, by number of preemption
	used     []bool
	first    int                   // all of used before it are true
	grants   []seat                // free nodes that are assigned
	seats    [][]seat              // by kind: nodes for requests for any kind
	heaps    []heaps.Queue[uint64] // of each partition and kind, or any: nodes to take, cheapest first
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
	if m.waiting == 0 && m.ending == 0 && m.reclaim == 0 {
		for i := range m.s.Partitions {
			m.s.Partitions[i].Delaying = false
		}
		return
	}
	w := &m.work
	parts, kinds := m.s.Partitions, len(m.kinds)
	w.held, w.own = grow.Zero(w.held, len(parts)), grow.Zero(w.own, len(parts))
	w.of, w.over = grow.Zero(w.of, len(parts)*(kinds+1)), grow.Zero(w.over, len(parts)*(kinds+1))
	w.stale, w.wanted = grow.Zero(w.stale, len(parts)), grow.Zero(w.wanted, len(parts))
	w.named = grow.Zero(w.named, kinds)
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
		w.stale[i] = !m.fresh(&parts[i])
	}
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		switch {
		case n.Holder < 0:
			w.end[m.kindOf[i]]++
		case n.Preemption > 0:
			w.ending = append(w.ending, i)
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
	m.cancel()
	m.serve((*Manager).takeFor)
	for _, g := range w.grants {
		m.grant(g.node, g.p, g.r)
	}
	for i := range parts {
		parts[i].Delaying = parts[i].Delaying && w.wanted[i]
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
			if k := m.kind(r); k >= 0 && r.rest > 0 {
				w.named[k] += r.rest
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

// kind returns the index of the kind that a request names, -1 for any kind. The request
// is not a refused one.
func (m *Manager) kind(r *requestState) int {
	if r.Kind == "" {
		return -1
	}
	k, _ := slices.BinarySearch(m.kinds, r.Kind)
	return k
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
			w.ending = append(w.ending, m.preempt(v, -1, true))
			part.Reclaim--
			m.reclaim--
		}
		if part.Reclaim > 0 && w.of[v*kinds] == 0 { // the partition has given the nodes back itself
			m.reclaim -= part.Reclaim
			part.Reclaim = 0
		}
		if part.Reclaim == 0 {
			part.ReclaimAt = 0
		}
	}
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
		if k := m.kindOf[i]; m.s.Nodes[i].Holder < 0 {
			w.free[w.end[k]] = i
			w.end[k]++
		}
	}
}

// cancel cancels the preemption of nodes that are assigned to nobody.
func (m *Manager) cancel() {
	w := &m.work
	clear(w.built) // Reclaim took nodes from the heaps
	for j, i := range w.ending {
		n := &m.s.Nodes[i]
		if w.used[j] || n.Forced {
			continue
		}
		n.cancelled = n.Preemption
		n.Preemption, n.First, n.Grace, n.Acked, n.Deadline = 0, 0, 0, false, 0
		n.Next = m.s.Now // send the grant again, if the partition has not listed it
		m.keeps(i, 1)
		m.ending--
		m.due = true
		m.s.Stats.Cancelled++
	}
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			rs[j].blocked = false
		}
	}
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
		if k := m.kind(r); k >= 0 {
			m.work.named[k]--
		}
		r.rest--
		m.work.held[p]++
	}
}

// assign finds a node that is free or to end.
func (m *Manager) assign(p int, r *requestState) bool {
	k := m.kind(r)
	if node, free := m.spare(p, k); node >= 0 {
		m.sit(p, r, node, free)
		return true
	}
	return m.swap(p, r, func(q int) (int, bool) { return m.spare(q, -1) })
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
	if k := m.kindOf[node]; r.Kind == "" {
		w.seats[k] = append(w.seats[k], s)
	}
}

// swap gives a request by name a node that is assigned to a request for any kind. find
// must have another node for the partition of that request; find returns the node, -1 if
// there is none, and whether the node is free.
func (m *Manager) swap(p int, r *requestState, find func(q int) (node int, free bool)) bool {
	k := m.kind(r)
	if k < 0 {
		return false
	}
	w := &m.work
	vain := -1 // a partition for which find has no node
	for j, s := range w.seats[k] {
		if s.p == vain || m.s.Nodes[s.node].Holder == p {
			continue
		}
		w.held[s.p]-- // s.p gives up the node,
		w.held[p]++   // p gets it
		node, free := find(s.p)
		w.held[s.p]++
		w.held[p]--
		if node < 0 {
			vain = s.p
			continue
		}
		w.seats[k] = slices.Delete(w.seats[k], j, j+1)
		if s.grant >= 0 {
			w.own[s.p]--
			w.own[p]++
			w.grants[s.grant].p, w.grants[s.grant].r = p, r
		}
		m.sit(s.p, s.r, node, free)
		return true
	}
	return false
}

// spare returns a node that is not assigned yet, for partition p, and whether the node
// is free; -1 if there is none. The node is of kind k if k is not negative. A free node
// comes first, then the node of another partition whose preemption began first. For any
// kind, nodes that nobody waits for by name come first among each.
func (m *Manager) spare(p, k int) (node int, free bool) {
	w := &m.work
	best := k
	if k < 0 {
		least := math.MaxInt
		for c := range w.from {
			if w.from[c] == w.end[c] {
				continue
			}
			rank := w.free[w.from[c]]
			if w.named[c] > 0 {
				rank += maxNodes
			}
			if rank < least {
				least, best = rank, c
			}
		}
	}
	if best >= 0 && w.from[best] < w.end[best] {
		w.from[best]++
		return w.free[w.from[best]-1], true
	}
	for w.first < len(w.used) && w.used[w.first] {
		w.first++
	}
	found := -1
	for j := w.first; j < len(w.ending); j++ {
		i := w.ending[j]
		if c := m.kindOf[i]; w.used[j] || m.s.Nodes[i].Holder == p || k >= 0 && c != k {
			continue
		} else if k >= 0 || w.named[c] == 0 {
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
