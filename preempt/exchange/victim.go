package exchange

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/heaps"
)

// takeFor takes a node for a request, or waits for the values of the partition that must
// give it. It reports whether there is such a node.
func (m *Manager) takeFor(p int, r *requestState) bool {
	v, ready := m.victim(p, p, r.group)
	switch {
	case v < 0:
		return m.swap(p, r, func(q, g int) (int, bool) {
			if v, ready := m.victim(q, p, g); v >= 0 && ready { // p has the node already
				return m.preempt(v, g, false), false
			}
			return -1, false
		})
	case ready:
		m.sit(p, r, m.preempt(v, r.group, false), false)
		return true
	}
	w, kinds := &m.work, len(m.kinds)+1
	w.held[v]--
	w.own[v]--
	w.of[v*kinds]--
	if r.group > 0 {
		for _, k := range m.groups[r.group].kinds {
			if w.of[v*kinds+k+1] > 0 {
				w.of[v*kinds+k+1]--
				break
			}
		}
	}
	return true
}

// victim returns the partition that gives up a node for partition p. The node is of one of the
// kinds in group g. victim returns -1 if fairness allows no partition to give up a node. Among the
// partitions that may give up a node, victim returns the partition with the greatest share. Ties go
// to the partition that was created first.
//
// q is the partition that started the exchange. If q = p, p requests a node. If not, p has already
// given up a node for q, and needs another node in its place. Fairness has two conditions: after
// the exchange the victim has a share no smaller than the share of p, and no smaller than the share
// of q.
//
// ready reports whether the manager can take the node now. If not, the manager waits for the
// victim's values.
func (m *Manager) victim(p, q, g int) (v int, ready bool) {
	w, kinds := &m.work, len(m.kinds)+1
	a, b := &m.s.Partitions[p], &m.s.Partitions[q]
	for {
		v := -1
		for i := range m.s.Partitions {
			part := &m.s.Partitions[i]
			switch {
			case i == p, i == q, w.of[i*kinds] <= 0, m.sum(w.of, i, g) <= 0, w.own[i] <= part.Floor:
			case less(w.own[i]-1, part.Weight, w.held[p]+1, a.Weight), less(w.own[i]-1, part.Weight, w.held[q], b.Weight):
			case part.Passed && !m.s.Options.TakeStale && w.stale[i] && m.sum(w.over, i, g) == 0:
			case v < 0 || less(w.own[v], m.s.Partitions[v].Weight, w.own[i], part.Weight):
				v = i
			}
		}
		if v < 0 {
			return -1, false
		}
		if m.ready(v, g) {
			return v, true
		}
		if !m.s.Partitions[v].Passed {
			return v, false
		}
	}
}

// ready reports whether a node may be taken from a partition, because its values are
// fresh or a lease has run out. If not, ready notes since when the manager waits for
// values.
func (m *Manager) ready(v, g int) bool {
	w, part := &m.work, &m.s.Partitions[v]
	if !w.stale[v] || m.sum(w.over, v, g) > 0 {
		return true
	}
	w.wanted[v] = true
	if !part.Passed {
		if !part.Delaying {
			part.Delaying, part.DelaySince = true, m.s.Now
			m.touchPartition(v)
			m.s.Stats.Delayed++
		}
		if m.s.Now < after(part.DelaySince, m.s.Options.MaxDelay) {
			return false
		}
		part.Passed = true
		m.touchPartition(v)
		if !m.s.Options.TakeStale {
			m.s.Stats.Aborted++
		}
	}
	return m.s.Options.TakeStale
}

// preempt begins to take the node of least value of a partition, of the kinds of a group.
// It returns the node. Ties go to the lower node.
func (m *Manager) preempt(v, g int, forced bool) int {
	best := m.cheapest(v, g)
	m.keeps(best, -1)
	m.end(best, forced)
	return best
}

// cheapest returns the next node to preempt from partition v, and removes it from the heaps. The
// candidates are the nodes of v whose kind is in group g and that are not yet marked to end. The
// caller makes sure that there is a candidate. cheapest chooses the candidate of least value. If v
// is silent, nodes whose leases have run out come before all others.
//
// cheapest keeps a heap of nodes for each partition and kind. It takes O(n) to build the heaps of a
// partition with n nodes, and O(k + log n) to take a node of a group of k kinds.
func (m *Manager) cheapest(v, g int) int {
	w, kinds := &m.work, len(m.kinds)
	for len(w.heaps) < len(m.s.Partitions)*kinds {
		w.heaps = append(w.heaps, heaps.Queue[uint64]{})
	}
	w.built = append(w.built, make([]bool, max(0, len(m.s.Partitions)-len(w.built)))...)
	if !w.built[v] {
		w.built[v] = true
		for k := range kinds {
			w.heaps[v*kinds+k].Reset()
		}
		for i := m.head[v]; i >= 0; i = m.after[i] {
			if m.s.Nodes[i].Preemption == 0 {
				w.heaps[v*kinds+m.kindOf[i]].Add(m.rank(int(i)), int64(i))
			}
		}
		for k := range kinds {
			w.heaps[v*kinds+k].Fix()
		}
	}
	var best *heaps.Queue[uint64]
	for _, k := range m.groups[g].kinds {
		if h := &w.heaps[v*kinds+k]; h.Len() > 0 && (best == nil || h.Min().Before(best.Min())) {
			best = h
		}
	}
	return int(best.Pop().Tie)
}

// rank returns the key by which nodes are taken: nodes whose leases have run out first,
// then by value. Numbers that are not negative have the same order as their bits; -0 + 0
// is 0.
func (m *Manager) rank(i int) uint64 {
	key := math.Float64bits(m.s.Nodes[i].Value + 0)
	if !m.lapsed(i) {
		key |= 1 << 63
	}
	return key
}

// end begins the preemption of a node.
func (m *Manager) end(i int, forced bool) {
	n := &m.s.Nodes[i]
	m.s.Preemption++
	n.Preemption, n.Forced = m.s.Preemption, forced
	n.First, n.Grace, n.Next = m.s.Now, m.s.Options.Grace, m.s.Now
	m.ending++
	m.endingOf[n.Holder]++
	m.due = true
	m.s.Stats.Preemptions++
	m.touch(i, changedPreemption|changedNext)
}
