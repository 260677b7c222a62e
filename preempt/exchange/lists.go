package exchange

// The nodes of each partition are in a list, so that a listing costs what it lists and not
// what the cluster has. The order of a list is of no meaning.

// link adds a node to the list of its holder.
func (m *Manager) link(i int) {
	p := m.s.Nodes[i].Holder
	m.after[i], m.before[i] = m.head[p], -1
	if m.head[p] >= 0 {
		m.before[m.head[p]] = int32(i)
	}
	m.head[p] = int32(i)
	m.held[p]++
}

// unlink removes a node from the list of its holder.
func (m *Manager) unlink(i int) {
	p := m.s.Nodes[i].Holder
	if m.before[i] >= 0 {
		m.after[m.before[i]] = m.after[i]
	} else {
		m.head[p] = m.after[i]
	}
	if m.after[i] >= 0 {
		m.before[m.after[i]] = m.before[i]
	}
	m.held[p]--
}
