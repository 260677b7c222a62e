package exchange

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// AppendResources appends the host's view of all nodes for a partition to dst, by node. This view
// is the preemption vector of the host ([Duplyakin17] 3.1). Suppose that the partition now requests
// some number of nodes of any kind. 1 − Value is the probability that the request gets the node, as
// far as the host can tell. Value is
//
//	0              for a free node
//	(r+1)/(k+1)    for a node that another partition may have to give up: k is the largest
//	               number of nodes that fairness may take from that partition, and r is the
//	               number of its nodes that it gives up before this node, r < k
//	1              for every other node: in use, to end, not ready, or the partition's own
//
// Nodes of partitions whose values are stale count as in use. The manager does not know the size of
// the request. If the request takes 0, 1, … or k of the k nodes, each number with the same
// probability, then 1 − (r+1)/(k+1) is the exact probability.
//
// The error is a *preempt.InputError for an unknown partition. Time: O(N log N) for N nodes.
func (m *Manager) AppendResources(dst []Resource, partition string) ([]Resource, error) {
	p := m.partition(partition)
	if p < 0 {
		return dst, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	return m.appendResources(dst, p), nil
}

// PushResources returns a message to a partition with the host's view of the nodes, as if
// the partition had sent DiscoverResources. The error and the time are those of
// [Manager.AppendResources].
func (m *Manager) PushResources(now time.Duration, partition string) ([]Message, error) {
	p := m.partition(partition)
	if p < 0 {
		return nil, badInput("partition", -1, ErrUnknown, "%q: want the name of a partition", partition)
	}
	m.begin(now)
	m.discover(p)
	return m.flush(), nil
}

func (m *Manager) appendResources(dst []Resource, p int) []Resource {
	first := len(dst)
	free := 0
	for i := range m.s.Nodes {
		n := &m.s.Nodes[i]
		r := Resource{Node: i, Kind: n.Kind, Mine: n.Holder == p && !n.Orphan, Value: 1}
		if n.Holder < 0 && n.Out <= m.s.Now {
			r.Value = 0
			free++
		}
		dst = append(dst, r)
	}
	// The most nodes that fairness lets the partition take from others, when it has the free
	// nodes.
	low, high := 0, len(m.s.Nodes)
	for low < high {
		y := (low + high + 1) / 2
		total := 0
		for v := range m.s.Partitions {
			total += m.gives(v, p, free+y)
		}
		if total >= y {
			low = y
		} else {
			high = y - 1
		}
	}
	if low == 0 {
		return dst
	}
	m.work.of = grow.Zero(m.work.of, len(m.s.Partitions))
	excess := -low
	for v := range m.s.Partitions {
		m.work.of[v] = m.gives(v, p, free+low)
		excess += m.work.of[v]
	}
	for ; excess > 0; excess-- { // the node that fairness would take last: of the least share before
		last := -1
		for v, k := range m.work.of {
			if k > 0 && (last < 0 || !less(m.held[last]-m.endingOf[last]-m.work.of[last]+1, m.s.Partitions[last].Weight, m.held[v]-m.endingOf[v]-k+1, m.s.Partitions[v].Weight)) {
				last = v
			}
		}
		m.work.of[last]--
	}
	for v, k := range m.work.of {
		if k == 0 {
			continue
		}
		list := m.work.due[:0]
		for i := m.head[v]; i >= 0; i = m.after[i] {
			if n := &m.s.Nodes[i]; n.Preemption == 0 {
				list = append(list, int(i))
			}
		}
		m.work.due = list
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(math.Float64bits(m.s.Nodes[a].Value+0), math.Float64bits(m.s.Nodes[b].Value+0)), a-b)
		})
		for r, i := range list[:k] {
			dst[first+i].Value = float64(r+1) / float64(k+1)
		}
	}
	return dst
}

// gives returns how many nodes fairness lets partition p take from v, if p gets more nodes
// in all.
func (m *Manager) gives(v, p, more int) int {
	from, to := &m.s.Partitions[v], &m.s.Partitions[p]
	if v == p || from.Removed || !m.fresh(from, m.s.Now) {
		return 0
	}
	h := m.held[v] - m.endingOf[v]
	least := (from.Weight*(m.held[p]-m.endingOf[p]+more) + to.Weight - 1) / to.Weight // so that its share is no less
	return max(0, h-max(from.Floor, least))
}
