package exchange

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/heaps"
)

// takeFor takes a node for a request, or waits for the values of the partition that must
// give it. It reports whether there is such a node.
func (m *Manager) takeFor(p int, r *requestState) bool {
	v, ready := m.victim(p, p, m.kind(r))
	switch {
	case v < 0:
		return m.swap(p, r, func(q int) (int, bool) {
			if v, ready := m.victim(q, p, -1); v >= 0 && ready { // p has the node already
				return m.preempt(v, -1, false), false
			}
			return -1, false
		})
	case ready:
		m.sit(p, r, m.preempt(v, m.kind(r), false), false)
		return true
	}
	w, kinds := &m.work, len(m.kinds)+1
	w.held[v]--
	w.own[v]--
	w.of[v*kinds]--
	if k := m.kind(r); k >= 0 {
		w.of[v*kinds+k+1]--
	}
	return true
}

// victim returns the partition with the greatest share from which fairness allows to
// take a node for p, of kind k if k is not negative; -1 if there is none. Fairness must
// allow q, for whose sake the node is taken, the nodes that q has, too. ready reports
// whether the node can be taken now; if not, the manager waits for values. Ties go to
// the partition that was created first.
func (m *Manager) victim(p, q, k int) (v int, ready bool) {
	w, kinds := &m.work, len(m.kinds)+1
	a, b := &m.s.Partitions[p], &m.s.Partitions[q]
	for {
		v := -1
		for i := range m.s.Partitions {
			part := &m.s.Partitions[i]
			switch {
			case i == p, i == q, w.of[i*kinds] <= 0, w.of[i*kinds+k+1] <= 0, w.own[i] <= part.Floor:
			case less(w.own[i]-1, part.Weight, w.held[p]+1, a.Weight), less(w.own[i]-1, part.Weight, w.held[q], b.Weight):
			case part.Passed && !m.s.Options.TakeStale && w.stale[i] && w.over[i*kinds+k+1] == 0:
			case v < 0 || less(w.own[v], m.s.Partitions[v].Weight, w.own[i], part.Weight):
				v = i
			}
		}
		if v < 0 {
			return -1, false
		}
		if m.ready(v, k) {
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
func (m *Manager) ready(v, k int) bool {
	w, part := &m.work, &m.s.Partitions[v]
	if !w.stale[v] || w.over[v*(len(m.kinds)+1)+k+1] > 0 {
		return true
	}
	w.wanted[v] = true
	if !part.Passed {
		if !part.Delaying {
			part.Delaying, part.DelaySince = true, m.s.Now
			m.s.Stats.Delayed++
		}
		if m.s.Now < after(part.DelaySince, m.s.Options.MaxDelay) {
			return false
		}
		part.Passed = true
		if !m.s.Options.TakeStale {
			m.s.Stats.Aborted++
		}
	}
	return m.s.Options.TakeStale
}

// preempt begins to take the node of least value of a partition, of kind k if k is not
// negative. It returns the node. Ties go to the lower node.
func (m *Manager) preempt(v, k int, forced bool) int {
	best := m.cheapest(v, k)
	n := &m.s.Nodes[best]
	m.keeps(best, -1)
	m.s.Preemption++
	n.Preemption, n.Forced = m.s.Preemption, forced
	n.First, n.Grace, n.Next = m.s.Now, m.s.Options.Grace, m.s.Now
	m.ending++
	m.due = true
	m.s.Stats.Preemptions++
	return best
}

// cheapest returns the node of least value that partition v holds and that is not to
// end, of kind k if k is not negative. There is such a node. Nodes of a silent partition
// whose leases have run out come first. The nodes come from a heap for each partition
// and kind that a plan asks for: O(N) time to build a heap and O(log N) for a node.
func (m *Manager) cheapest(v, k int) int {
	w := &m.work
	kinds := len(m.kinds) + 1
	for len(w.heaps) < len(m.s.Partitions)*kinds {
		w.heaps = append(w.heaps, heaps.Queue[uint64]{})
	}
	w.built = append(w.built, make([]bool, max(0, len(w.heaps)-len(w.built)))...)
	h := &w.heaps[v*kinds+k+1]
	if !w.built[v*kinds+k+1] {
		w.built[v*kinds+k+1] = true
		h.Reset()
		for i := range m.s.Nodes {
			if n := &m.s.Nodes[i]; n.Holder == v && n.Preemption == 0 && (k < 0 || m.kindOf[i] == k) {
				h.Add(m.rank(i), int64(i))
			}
		}
		h.Fix()
	}
	for {
		if i := int(h.Pop().Tie); m.s.Nodes[i].Preemption == 0 { // not taken from the heap of another kind
			return i
		}
	}
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
