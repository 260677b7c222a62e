package shared

import (
	"math"
	"slices"
)

// place chooses a pattern for each node: first the pattern that the prices choose, then the
// changes of mend and thin. It returns the cost of the plan, infinite if tasks have no node.
func (j *joint) place() float64 {
	worth := j.worths()
	for r := range j.short {
		j.short[r] = j.p.Requests[r].Count
	}
	for n := range j.nodes {
		j.chosen[n], _ = j.pick(j.nodes[n].table, worth)
		for r, h := range j.patterns[j.chosen[n]] {
			j.short[r] -= h
		}
	}
	for slices.ContainsFunc(j.short, func(m int) bool { return m > 0 }) {
		if !j.mend() {
			return math.Inf(1)
		}
	}
	for j.thin() {
	}
	sum := 0.0
	for _, k := range j.spans {
		if j.lost[k] {
			sum += j.cost[k]
		}
	}
	for n, i := range j.chosen {
		sum += j.nodes[n].table[i]
	}
	return sum
}

// mend makes the change that costs least for each task that has no node.
func (j *joint) mend() bool {
	node, to, least := -1, 0, math.Inf(1)
	for n := range j.nodes {
		now, table := j.patterns[j.chosen[n]], j.nodes[n].table
		for i, hosts := range j.patterns {
			if table[i] == math.Inf(1) {
				continue
			}
			helps := 0.0
			for r, h := range hosts {
				was, is := max(0, j.short[r]), max(0, j.short[r]+now[r]-h)
				helps += float64(was-is) * j.price[r]
			}
			if c := (table[i] - table[j.chosen[n]]) / helps; helps > 0 && c < least {
				node, to, least = n, i, c
			}
		}
	}
	return j.move(node, to)
}

// thin makes the change that saves most of the tasks that are placed twice.
func (j *joint) thin() bool {
	node, to, most, fewer := -1, 0, 0.0, 0
	for n := range j.nodes {
		if j.chosen[n] == 0 {
			continue
		}
		now, table := j.patterns[j.chosen[n]], j.nodes[n].table
		for i, hosts := range j.patterns {
			saved, tasks, ok := table[j.chosen[n]]-table[i], 0, true
			for r, h := range hosts {
				ok = ok && j.short[r]+now[r]-h <= 0
				tasks += now[r] - h
			}
			if ok && (saved > most || saved == most && tasks > fewer) {
				node, to, most, fewer = n, i, saved, tasks
			}
		}
	}
	return j.move(node, to)
}

// move gives a node another pattern; a node of -1 is none. It reports whether there is one.
func (j *joint) move(node, to int) bool {
	if node < 0 {
		return false
	}
	for r, h := range j.patterns[j.chosen[node]] {
		j.short[r] += h - j.patterns[to][r]
	}
	j.chosen[node] = to
	return true
}
