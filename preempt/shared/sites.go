package shared

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Nodes as Approximate sees them: for each pattern of tasks, what the node loses.

const (
	// maxPatterns bounds the numbers of tasks that a node is asked for. The optimum for
	// 180 tasks of two requests on 200 nodes uses six.
	maxPatterns = 16
	// siteSets is how many sets of jobs of a node are compared, the cheapest.
	siteSets = 32
	// siteItems is how many jobs of a node are looked at, the cheapest: the bits of a word.
	siteItems = 64
)

// A site is a node.
type site struct {
	items []part // jobs that are on this node only, the cheapest first
	spans []part // jobs that span nodes; of given victims, those
	only  bool   // the victims are given, and one task of the first request may come
	room  []int64
	sets  []siteSet   // in the order of cost
	table []float64   // by pattern: what is lost
	with  [][]float64 // by job that spans nodes: the same if the job is lost, too
	stale bool        // with is of another room
}

type part struct {
	job   int
	frees []int64
}

// A siteSet is a set of the jobs of a site.
type siteSet struct {
	cost  float64
	items uint64
	frees []int64
}

// A lack is what is missing of a resource.
type lack struct {
	resource int
	amount   int64
}

// prepare sets up the nodes. Costs become numbers: a level counts more than all that could
// be lost at the levels below.
func (j *joint) prepare(s *Solver) {
	j.s, j.p = s, s.p
	p := s.p
	var total, weight [levels]float64
	for k := range s.cost {
		for l, c := range s.cost[k] {
			total[l] += float64(c)
		}
	}
	below := 1.0
	for l := levels - 1; l >= 0; l-- {
		weight[l] = below
		below += weight[l] * total[l]
	}
	j.cost, j.kept = grow.Zero(j.cost, len(p.Jobs)), grow.Zero(j.kept, len(p.Jobs))
	j.lost, j.gone = grow.Zero(j.lost, len(p.Jobs)), grow.Zero(j.gone, len(p.Jobs))
	j.order, j.spans = grow.To(j.order, len(p.Jobs)), j.spans[:0]
	for k := range p.Jobs {
		j.order[k] = k
		for l, c := range s.cost[k] {
			j.cost[k] += weight[l] * float64(c)
		}
		for _, d := range p.Jobs[k].Draws {
			j.kept[k] = j.kept[k] || d.Count > p.Budgets[d.Budget]
		}
	}
	slices.SortFunc(j.order, func(a, b int) int { return cmp.Or(cmp.Compare(j.cost[a], j.cost[b]), cmp.Compare(a, b)) })
	j.placeParts()
	j.price, j.chosen = grow.Zero(j.price, len(p.Requests)), grow.Zero(j.chosen, len(p.Nodes))
	j.touched, j.short = grow.Zero(j.touched, len(p.Nodes)), grow.Zero(j.short, len(p.Requests))
	j.makePatterns()
}

// placeParts lists the jobs of each node, the cheapest first.
func (j *joint) placeParts() {
	p := j.p
	for len(j.nodes) < len(p.Nodes) {
		j.nodes = append(j.nodes, site{})
	}
	j.nodes = j.nodes[:len(p.Nodes)]
	for n := range p.Nodes {
		node := &j.nodes[n]
		node.only, node.items, node.spans = p.Nodes[n].Only != nil, node.items[:0], node.spans[:0]
		node.room = append(node.room[:0], p.Nodes[n].Room...)
	}
	for len(j.parts) < len(p.Jobs) {
		j.parts = append(j.parts, nil)
	}
	for _, k := range j.order {
		parts := p.Jobs[k].Parts
		j.parts[k] = j.parts[k][:0]
		if len(parts) > 1 && !j.kept[k] {
			j.spans = append(j.spans, k)
		}
		for _, of := range parts {
			node := &j.nodes[of.Node]
			if node.only && !slices.Contains(p.Nodes[of.Node].Only, k) {
				continue
			}
			if len(parts) == 1 {
				node.items = append(node.items, part{k, of.Frees})
				continue
			}
			if !j.kept[k] {
				j.parts[k] = append(j.parts[k], place{of.Node, len(node.spans)})
			}
			node.spans = append(node.spans, part{k, of.Frees})
		}
	}
}

// makePatterns lists the numbers of tasks that a node is asked for, those with few tasks first.
func (j *joint) makePatterns() {
	requests, dims := j.p.Requests, len(j.p.Requests[0].Needs)
	j.patterns, j.less, j.needs = append(j.patterns[:0], j.s.counts.take(len(requests))), append(j.less[:0], 0), j.needs[:0]
	for from := 0; from < len(j.patterns) && len(j.patterns) < maxPatterns; from++ {
		last := 0 // one more of the last request that it has, or of a later one
		for r, h := range j.patterns[from] {
			if h > 0 {
				last = r
			}
		}
		for r := last; r < len(requests) && len(j.patterns) < maxPatterns; r++ {
			if j.patterns[from][r] < requests[r].Count {
				more := j.s.counts.copy(j.patterns[from])
				more[r]++
				j.patterns, j.less = append(j.patterns, more), append(j.less, from)
			}
		}
	}
	for _, hosts := range j.patterns {
		need := j.s.amounts.take(dims)
		for r, h := range hosts {
			for d, a := range requests[r].Needs {
				need[d] += int64(h) * a
			}
		}
		j.needs = append(j.needs, need)
	}
}

// chain makes sets of a node: the jobs that free most for what they cost, one more in each.
func (j *joint) chain(n int) {
	node := &j.nodes[n]
	node.sets = node.sets[:0]
	if node.only {
		s := siteSet{}
		for i, it := range node.items {
			s.cost += j.cost[it.job]
			s.items |= 1 << i
			if j.kept[it.job] || i == siteItems {
				s.cost = math.Inf(1)
			}
		}
		node.sets = append(node.sets, s)
		return
	}
	most := j.needs[len(j.needs)-1]
	j.ranked = j.ranked[:0]
	for i, it := range node.items[:min(len(node.items), siteItems)] {
		worth := 1e-9
		for d, f := range it.frees {
			if most[d] > 0 && node.room[d] < most[d] {
				worth += min(1, float64(f)/float64(most[d]))
			}
		}
		if !j.kept[it.job] {
			j.ranked = append(j.ranked, ranked{i, -j.cost[it.job] / worth})
		}
	}
	slices.SortFunc(j.ranked, byWorth)
	s := siteSet{frees: j.s.amounts.take(len(node.room))}
	node.sets = append(node.sets, s)
	for _, v := range j.ranked {
		it := &node.items[v.at]
		s.frees = j.s.amounts.copy(s.frees)
		for d, f := range it.frees {
			s.frees[d] += f
		}
		s.cost += j.cost[it.job]
		s.items |= 1 << v.at
		node.sets = append(node.sets, s)
	}
}

// enumerate adds the sets of a node of which none frees more and costs less.
func (j *joint) enumerate(n int) {
	node := &j.nodes[n]
	if node.only {
		return
	}
	dims := len(node.room)
	most := j.s.amounts.take(dims)
	for d := range most {
		for _, need := range j.needs {
			if need[d] > 0 {
				most[d] = max(most[d], need[d]-node.room[d])
			}
		}
	}
	j.frees = grow.Zero(j.frees, dims)
	j.sets = append(j.sets[:0], siteSet{frees: j.frees})
	for i, it := range node.items[:min(len(node.items), siteItems)] {
		c := j.cost[it.job]
		if c > j.limit {
			break
		}
		if j.kept[it.job] {
			continue
		}
		j.grown = j.grown[:0]
		for k := range j.sets {
			old := &j.sets[k]
			if old.cost+c > j.limit {
				break
			}
			at, more := len(j.frees), false
			for d, f := range it.frees {
				now := min(old.frees[d]+f, most[d])
				more = more || now > old.frees[d]
				j.frees = append(j.frees, now)
			}
			if !more {
				j.frees = j.frees[:at]
				continue
			}
			j.grown = append(j.grown, siteSet{old.cost + c, old.items | 1<<i, j.frees[at:len(j.frees):len(j.frees)]})
		}
		j.merge()
	}
	for _, s := range j.sets[1:] {
		s.frees = j.s.amounts.copy(s.frees)
		node.sets = append(node.sets, s)
	}
	slices.SortStableFunc(node.sets, func(a, b siteSet) int { return cmp.Compare(a.cost, b.cost) })
}

// merge merges j.sets and j.grown into j.sets without the sets that others beat.
func (j *joint) merge() {
	j.both = j.both[:0]
	for a, g := 0, 0; (a < len(j.sets) || g < len(j.grown)) && len(j.both) < siteSets; {
		var s *siteSet
		if g == len(j.grown) || a < len(j.sets) && j.sets[a].cost <= j.grown[g].cost {
			s = &j.sets[a]
			a++
		} else {
			s = &j.grown[g]
			g++
		}
		beaten := false
		for k := len(j.both) - 1; k >= 0 && !beaten; k-- {
			beaten = dominates(j.both[k].frees, s.frees)
		}
		if !beaten {
			j.both = append(j.both, *s)
		}
	}
	j.sets, j.both = j.both, j.sets
}

// change fills in what a node loses for each pattern, after its room or its sets changed.
func (j *joint) change(n int) {
	node := &j.nodes[n]
	node.table = j.fill(n, node.table, nil, 0)
	node.stale = true
}

// refresh fills in the same for each further job that spans nodes, if it is lost, too.
func (j *joint) refresh(n int) {
	node := &j.nodes[n]
	for len(node.with) < len(node.spans) {
		node.with = append(node.with, nil)
	}
	for k := range node.spans {
		if s := &node.spans[k]; !j.lost[s.job] && !j.kept[s.job] {
			node.with[k] = j.fill(n, node.with[k], s, 1)
		}
	}
	node.stale = false
}

// fill fills in what a node loses for each pattern, with the room of one more job, if extra
// is not nil and sign is 1, or of one job less, if sign is -1.
func (j *joint) fill(n int, table []float64, extra *part, sign int64) []float64 {
	node := &j.nodes[n]
	table = grow.To(table, len(j.patterns))
	table[0] = 0
	for i := 1; i < len(table); i++ {
		table[i] = math.Inf(1)
	}
	if node.only {
		for _, s := range node.spans {
			lost := j.lost[s.job]
			if extra != nil && s.job == extra.job {
				lost = sign > 0
			}
			if !lost {
				return table
			}
		}
		table[1] = node.sets[0].cost // the first request
		return table
	}
	var first [maxPatterns]int // the set of each pattern
	for i := 1; i < len(table); i++ {
		// No set that is too small for a task less is large enough.
		k := first[j.less[i]]
		missing := j.missing[:0]
		for d, need := range j.needs[i] {
			if need == 0 {
				continue
			}
			if need -= node.room[d]; extra != nil {
				need -= sign * extra.frees[d]
			}
			if need > 0 {
				missing = append(missing, lack{d, need})
			}
		}
		for j.missing = missing; k < len(node.sets) && !node.sets[k].has(missing); k++ {
		}
		if first[i] = k; k < len(node.sets) {
			table[i] = node.sets[k].cost
		}
	}
	return table
}

// has reports whether a set frees what is missing.
func (s *siteSet) has(missing []lack) bool {
	for _, m := range missing {
		if s.frees[m.resource] < m.amount {
			return false
		}
	}
	return true
}
