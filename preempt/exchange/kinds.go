package exchange

import (
	"slices"
	"strings"
)

// A kind is a word and features, each after a plus: "epyc+gpu+ib". A request for
// "epyc+gpu" fits the nodes of kind "epyc" that have the feature "gpu", among others. A
// request for "+gpu" fits nodes of any kind with the feature. A request for "" fits any
// node.

// fits reports whether a node of a kind is what a request wants.
func fits(want, kind string) bool {
	word, features, _ := strings.Cut(want, "+")
	has, rest, _ := strings.Cut(kind, "+")
	if word != "" && word != has {
		return false
	}
	for features != "" {
		var f string
		f, features, _ = strings.Cut(features, "+")
		if f != "" && !feature(rest, f) {
			return false
		}
	}
	return true
}

// feature reports whether f is among the features of a kind.
func feature(features, f string) bool {
	for features != "" {
		var x string
		if x, features, _ = strings.Cut(features, "+"); x == f {
			return true
		}
	}
	return false
}

// A group is a set of kinds that some request asks for. Group 0 has all kinds.
type group struct {
	kinds []int // ascending indices
	has   []bool
	nodes int
}

// maxGroups is from how many groups the groups that nobody asks for are forgotten.
const maxGroups = 256

// group returns the group of the nodes that a request wants, or why the manager can never
// grant the request.
func (m *Manager) group(r Request) (g int, refused string) {
	m.work.fit = m.work.fit[:0]
	for k, kind := range m.kinds {
		if fits(r.Kind, kind) {
			m.work.fit = append(m.work.fit, k)
		}
	}
	if len(m.work.fit) == 0 {
		return -1, "the cluster has no node of the kind"
	}
	g = slices.IndexFunc(m.groups, func(g group) bool { return slices.Equal(g.kinds, m.work.fit) })
	if g < 0 {
		g = m.addGroup(m.work.fit)
	}
	if r.Count > m.groups[g].nodes {
		return -1, "more nodes than the cluster has of the kind"
	}
	return g, ""
}

// addGroup adds a group of kinds.
func (m *Manager) addGroup(kinds []int) int {
	g := group{kinds: slices.Clone(kinds), has: make([]bool, len(m.kinds))}
	for _, k := range kinds {
		g.has[k] = true
		g.nodes += m.perKind[k]
	}
	m.groups = append(m.groups, g)
	return len(m.groups) - 1
}

// regroup forgets the groups that no request asks for.
func (m *Manager) regroup() {
	old := m.groups
	m.groups = append([]group(nil), old[0])
	now := make([]int, len(old))
	for i := range m.s.Partitions {
		rs := m.s.Partitions[i].Requests
		for j := range rs {
			if g := rs[j].group; g > 0 {
				if now[g] == 0 {
					now[g] = len(m.groups)
					m.groups = append(m.groups, old[g])
				}
				rs[j].group = now[g]
			}
		}
	}
}
