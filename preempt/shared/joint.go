package shared

import (
	"cmp"
	"math"
	"slices"
)

// Many waiting pods at once: a good plan soon, without a proof.
//
// The problem is that of Solve. The exact search looks at each number of pods on each node
// and at each state of all nodes. That is too much for a hundred pods and thousands of nodes
// in milliseconds. Two prices take the states apart.
//
// Idea. Each waiting pod of a shape s has a price λ_s. A node alone hosts the pods whose
// prices exceed what is lost for them there:
//
//	V_n(L) = max over the numbers h of (Σ λ_s·h_s - c_n(h, L))
//
// where c_n is the least loss of jobs that are on this node only, given that the jobs of L,
// which span nodes, are lost. The prices are raised until all pods have a node. A job that
// spans nodes is lost if the nodes together gain more by its room than it wastes:
//
//	Σ_n V_n(L + j) - V_n(L) > w_j
//
// Losing it makes room, so the prices fall, and another job may be kept. This ends
// when nothing more changes. The prices may leave pods without a node, or place some twice:
// those are mended one by one. Last, jobs that span nodes are lost or kept on trial, as long
// as the plan gets better.
//
// Invariant. A plan that is returned is feasible: its numbers fit each node, and no budget
// is overdrawn. It is optimal only by chance.
//
// Time: O(nodes·sets²) for the sets, then O(nodes·patterns) for each price that is tried,
// and for each job that is tried. A pattern is a number of pods of each shape on a node.

const (
	// maxPatterns bounds the numbers of pods that a node is asked for. The optimum for
	// 180 pods of two shapes on 200 nodes uses six.
	maxPatterns = 16
	// jointSets is how many sets of jobs of a node are compared, the cheapest.
	jointSets = 32
	// jointItems is how many jobs of a node are looked at, the cheapest: the bits of a word.
	jointItems = 64
)

// A lack is what is missing of a resource.
type lack struct {
	resource int
	amount   int64
}

// A joint is a problem while Approximate works on it.
type joint struct {
	p        *Problem
	stop     func() bool
	cost     []float64 // by job
	kept     []bool    // by job: a budget rules it out
	lost     []bool    // by job that spans nodes
	spans    []int     // jobs that span nodes
	parts    [][]at    // by job that spans nodes: where its parts are
	patterns [][]int   // the first is empty
	needs    [][]int64 // by pattern and resource
	less     []int     // by pattern: one with a pod less
	nodes    []site
	price    []float64 // by shape
	limit    float64   // sets of a node that cost more are of no use
	chosen   []int     // by node: the pattern
	missing  []lack
	sets     []jointSet
	grown    []jointSet
	merged   []jointSet
}

// at is a part of a job: the place of the job on a node.
type at struct{ node, span int }

// A site is a node.
type site struct {
	items []part // jobs that are on this node only, the cheapest first
	spans []part // jobs that span nodes; of given victims, those
	only  bool   // the victims are given, and one pod of the first shape may come
	room  []int64
	sets  []jointSet  // in the order of cost
	table []float64   // by pattern: what is lost
	with  [][]float64 // by job that spans nodes: the same if the job is lost, too
	stale bool        // with is of another room
}

type part struct {
	job   int
	frees []int64
}

type jointSet struct {
	cost  float64
	items uint64
	frees []int64
}

// Approximate returns a plan for all pods, or none: then there may be one. The plan has no
// bound, and Cut is true. Found is false if stop, when it is not nil, returns true before
// there is a plan; later, Approximate returns the best plan that it has.
func (s *Solver) Approximate(p *Problem, stop func() bool) Plan {
	j := &joint{p: p, stop: stop}
	if stop == nil {
		j.stop = func() bool { return false }
	}
	s.prepare(p)
	j.prepare(s.cost)
	if !j.solve() {
		return Plan{Cut: true}
	}
	plan := Plan{Found: true, Cut: true, Hosts: make([][]int, len(p.Nodes)), merged: s.merged}
	gone := j.gone()
	for n, i := range j.chosen {
		if i > 0 {
			plan.Hosts[n] = j.patterns[i]
		}
	}
	for k, is := range gone {
		if is {
			plan.Lost = append(plan.Lost, k)
			plan.Waste = plan.Waste.Plus(&s.cost[k])
		}
	}
	return plan
}

// prepare sets up the nodes. Costs become numbers: a level counts more than all that could
// be lost at the levels below.
func (j *joint) prepare(cost []Cost) {
	p := j.p
	var total, weight [levels]float64
	for k := range cost {
		for l, c := range cost[k] {
			total[l] += float64(c)
		}
	}
	below := 1.0
	for l := levels - 1; l >= 0; l-- {
		weight[l] = below
		below += weight[l] * total[l]
	}
	j.cost, j.kept, j.lost = make([]float64, len(p.Jobs)), make([]bool, len(p.Jobs)), make([]bool, len(p.Jobs))
	j.parts = make([][]at, len(p.Jobs))
	order := make([]int, len(p.Jobs))
	for k := range p.Jobs {
		order[k] = k
		for l, c := range cost[k] {
			j.cost[k] += weight[l] * float64(c)
		}
		for _, d := range p.Jobs[k].Draws {
			j.kept[k] = j.kept[k] || d.Pods > p.Budgets[d.Budget]
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(j.cost[a], j.cost[b]), cmp.Compare(a, b)) })
	j.nodes = make([]site, len(p.Nodes))
	for n := range p.Nodes {
		j.nodes[n].only = p.Nodes[n].Only != nil
		j.nodes[n].room = slices.Clone(p.Nodes[n].Room)
	}
	for _, k := range order {
		parts := p.Jobs[k].Parts
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
			} else {
				if !j.kept[k] {
					j.parts[k] = append(j.parts[k], at{of.Node, len(node.spans)})
				}
				node.spans = append(node.spans, part{k, of.Frees})
			}
		}
	}
	j.missing = make([]lack, 0, len(p.Shapes[0].Needs))
	j.price = make([]float64, len(p.Shapes))
	j.chosen = make([]int, len(p.Nodes))
	j.makePatterns()
}

// makePatterns lists the numbers of pods that a node is asked for, those with few pods first.
func (j *joint) makePatterns() {
	shapes := j.p.Shapes
	j.patterns, j.less = [][]int{make([]int, len(shapes))}, []int{0}
	for from := 0; from < len(j.patterns) && len(j.patterns) < maxPatterns; from++ {
		last := 0 // one more of the last shape that it has, or of a later one
		for s, h := range j.patterns[from] {
			if h > 0 {
				last = s
			}
		}
		for s := last; s < len(shapes) && len(j.patterns) < maxPatterns; s++ {
			if j.patterns[from][s] < shapes[s].Count {
				more := slices.Clone(j.patterns[from])
				more[s]++
				j.patterns = append(j.patterns, more)
				j.less = append(j.less, from)
			}
		}
	}
	for _, hosts := range j.patterns {
		need := make([]int64, len(shapes[0].Needs))
		for s, h := range hosts {
			for d, a := range shapes[s].Needs {
				need[d] += int64(h) * a
			}
		}
		j.needs = append(j.needs, need)
	}
}

// solve finds a plan: j.chosen and j.lost. It reports whether there is one.
func (j *joint) solve() bool {
	j.limit = math.Inf(1)
	for n := range j.nodes {
		if n%64 == 0 && j.stop() {
			return false
		}
		j.chain(n)
		j.change(n)
	}
	j.firstPrices()
	// At these prices, no set is lost that costs more than its pods are worth. The prices fall
	// as better sets and jobs that span nodes are found.
	j.limit = 0
	for _, hosts := range j.patterns {
		j.limit = max(j.limit, j.worth(hosts))
	}
	for n := range j.nodes {
		if n%16 == 0 && j.stop() {
			return false
		}
		j.enumerate(n)
		j.change(n)
	}
	j.firstPrices()
	j.setPrices()
	for range 12 {
		if j.stop() || !j.exchange() {
			break
		}
		j.setPrices()
	}
	total := j.place()
	for round := 0; round < 16 && total < math.Inf(1) && j.obey(); round++ {
		j.setPrices()
		total = j.place()
	}
	if total == math.Inf(1) || j.obey() {
		return false
	}
	j.improve(total)
	return true
}

// worth is what the prices of pods add up to.
func (j *joint) worth(hosts []int) (sum float64) {
	for s, h := range hosts {
		sum += j.price[s] * float64(h)
	}
	return sum
}

// chain makes sets of a node: the jobs that free most for what they cost, one more in each.
func (j *joint) chain(n int) {
	node := &j.nodes[n]
	node.sets = node.sets[:0]
	if node.only {
		s := jointSet{}
		for i, it := range node.items {
			s.cost += j.cost[it.job]
			s.items |= 1 << i
			if j.kept[it.job] || i == jointItems {
				s.cost = math.Inf(1)
			}
		}
		node.sets = append(node.sets, s)
		return
	}
	most := j.needs[len(j.needs)-1]
	type value struct {
		item  int
		ratio float64
	}
	var order []value
	for i, it := range node.items[:min(len(node.items), jointItems)] {
		worth := 1e-9
		for d, f := range it.frees {
			if most[d] > 0 && node.room[d] < most[d] {
				worth += min(1, float64(f)/float64(most[d]))
			}
		}
		if !j.kept[it.job] {
			order = append(order, value{i, j.cost[it.job] / worth})
		}
	}
	slices.SortFunc(order, func(a, b value) int { return cmp.Or(cmp.Compare(a.ratio, b.ratio), cmp.Compare(a.item, b.item)) })
	s := jointSet{frees: make([]int64, len(node.room))}
	node.sets = append(node.sets, s)
	for _, v := range order {
		it := &node.items[v.item]
		s.frees = slices.Clone(s.frees)
		for d, f := range it.frees {
			s.frees[d] += f
		}
		s.cost += j.cost[it.job]
		s.items |= 1 << v.item
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
	most := make([]int64, dims)
	for d := range most {
		for _, need := range j.needs {
			if need[d] > 0 {
				most[d] = max(most[d], need[d]-node.room[d])
			}
		}
	}
	buffer := make([]int64, 0, dims*256)
	j.sets = append(j.sets[:0], jointSet{frees: make([]int64, dims)})
	for i, it := range node.items[:min(len(node.items), jointItems)] {
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
			at, more := len(buffer), false
			for d, f := range it.frees {
				now := min(old.frees[d]+f, most[d])
				more = more || now > old.frees[d]
				buffer = append(buffer, now)
			}
			if !more {
				buffer = buffer[:at]
				continue
			}
			j.grown = append(j.grown, jointSet{old.cost + c, old.items | 1<<i, buffer[at:len(buffer):len(buffer)]})
		}
		j.merged = j.merged[:0]
		for a, g := 0, 0; (a < len(j.sets) || g < len(j.grown)) && len(j.merged) < jointSets; {
			var s *jointSet
			if g == len(j.grown) || a < len(j.sets) && j.sets[a].cost <= j.grown[g].cost {
				s = &j.sets[a]
				a++
			} else {
				s = &j.grown[g]
				g++
			}
			beaten := false
			for k := len(j.merged) - 1; k >= 0 && !beaten; k-- {
				beaten = dominates(j.merged[k].frees, s.frees)
			}
			if !beaten {
				j.merged = append(j.merged, *s)
			}
		}
		j.sets, j.merged = j.merged, j.sets
	}
	node.sets = append(node.sets, j.sets[1:]...)
	slices.SortStableFunc(node.sets, func(a, b jointSet) int { return cmp.Compare(a.cost, b.cost) })
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
	if node.with == nil {
		node.with = make([][]float64, len(node.spans))
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
	table = slices.Grow(table[:0], len(j.patterns))[:len(j.patterns)]
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
		table[1] = node.sets[0].cost // the first shape
		return table
	}
	var first [maxPatterns]int // the set of each pattern
	for i := 1; i < len(table); i++ {
		// No set that is too small for a pod less is large enough.
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
	sets:
		for ; k < len(node.sets); k++ {
			for _, m := range missing {
				if node.sets[k].frees[m.resource] < m.amount {
					continue sets
				}
			}
			table[i] = node.sets[k].cost
			break
		}
		first[i] = k
	}
	return table
}

// pick returns the pattern that is worth most at the prices, and how much.
func (j *joint) pick(table []float64, worth []float64) (at int, most float64) {
	for i := 1; i < len(table); i++ {
		if w := worth[i] - table[i]; w > most {
			at, most = i, w
		}
	}
	return at, most
}

// worths returns what each pattern is worth at the prices.
func (j *joint) worths() []float64 {
	w := make([]float64, len(j.patterns))
	for i, hosts := range j.patterns {
		w[i] = j.worth(hosts)
	}
	return w
}

// hosted counts the pods of a shape that nodes host at the prices.
func (j *joint) hosted(shape int) (sum int) {
	worth := j.worths()
	for n := range j.nodes {
		at, _ := j.pick(j.nodes[n].table, worth)
		sum += j.patterns[at][shape]
	}
	return sum
}

// size is how large a pod of a shape is beside the largest.
func (j *joint) size(shape int) (size float64) {
	for d, a := range j.p.Shapes[shape].Needs {
		most := int64(1)
		for _, s := range j.p.Shapes {
			most = max(most, s.Needs[d])
		}
		size = max(size, float64(a)/float64(most))
	}
	return max(size, 1e-3)
}

// firstPrices sets prices in proportion to the sizes of the pods, so that nodes host about
// as much as waits.
func (j *joint) firstPrices() {
	top, least := 0.0, math.Inf(1)
	for n := range j.nodes {
		for _, c := range j.nodes[n].table {
			if c > 0 && c < math.Inf(1) {
				top, least = max(top, c), min(least, c)
			}
		}
	}
	want := 0.0
	for s := range j.price {
		want += j.size(s) * float64(j.p.Shapes[s].Count)
	}
	lo, hi := max(1e-3, min(least, top)/1024), max(1, 4*top)
	for range 40 {
		mid := math.Sqrt(lo * hi)
		for s := range j.price {
			j.price[s] = mid * j.size(s)
		}
		sum := 0.0
		for s := range j.price {
			sum += j.size(s) * float64(j.hosted(s))
		}
		if sum >= want {
			hi = mid
		} else {
			lo = mid
		}
	}
	for s := range j.price {
		j.price[s] = hi * j.size(s)
	}
}

// setPrices moves the prices so that about as many pods of each shape are hosted as wait.
func (j *joint) setPrices() {
	for range 2 {
		for s := range j.price {
			want := j.p.Shapes[s].Count
			lo, hi := j.price[s], j.price[s]
			for range 60 { // two prices around the right one
				j.price[s] = hi
				if j.hosted(s) >= want {
					break
				}
				lo, hi = hi, hi*1.25
			}
			for range 60 {
				j.price[s] = lo
				if j.hosted(s) < want {
					break
				}
				lo, hi = lo/1.25, lo
			}
			for range 5 {
				j.price[s] = (lo + hi) / 2
				if j.hosted(s) >= want {
					hi = j.price[s]
				} else {
					lo = j.price[s]
				}
			}
			j.price[s] = hi
		}
	}
}

// gain returns what nodes gain at the prices if a job that spans nodes is lost, less what
// it wastes.
func (j *joint) gain(job int, worth []float64) float64 {
	sum := -j.cost[job]
	for _, of := range j.parts[job] {
		node := &j.nodes[of.node]
		if node.stale {
			j.refresh(of.node)
		}
		_, now := j.pick(node.table, worth)
		_, then := j.pick(node.with[of.span], worth)
		sum += then - now
	}
	return sum
}

// loses returns what nodes lose at the prices if a job that is lost is kept, less what it
// wastes.
func (j *joint) loses(job int, worth []float64) float64 {
	sum := -j.cost[job]
	var table []float64
	for _, of := range j.parts[job] {
		node := &j.nodes[of.node]
		_, now := j.pick(node.table, worth)
		table = j.fill(of.node, table, &node.spans[of.span], -1)
		_, then := j.pick(table, worth)
		sum += now - then
	}
	return sum
}

// exchange loses jobs that span nodes where that gains at the prices, and keeps those where
// it does not. It reports whether anything changes.
func (j *joint) exchange() (changed bool) {
	worth := j.worths()
	type move struct {
		job  int
		gain float64
	}
	var moves []move
	for _, k := range j.spans {
		switch {
		case j.kept[k]:
		case !j.lost[k]:
			if g := j.gain(k, worth); g > 0 {
				moves = append(moves, move{k, g})
			}
		default:
			if g := j.loses(k, worth); g < 0 {
				moves = append(moves, move{k, -g})
			}
		}
	}
	slices.SortFunc(moves, func(a, b move) int { return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.job, b.job)) })
	touched := make([]bool, len(j.nodes))
	for _, m := range moves {
		if slices.ContainsFunc(j.parts[m.job], func(of at) bool { return touched[of.node] }) {
			continue // its gain is another by now
		}
		for _, of := range j.parts[m.job] {
			touched[of.node] = true
		}
		j.toggle(m.job)
		changed = true
	}
	return changed
}

// toggle loses a job that spans nodes, or keeps it.
func (j *joint) toggle(job int) {
	sign := int64(1)
	if j.lost[job] {
		sign = -1
	}
	j.lost[job] = !j.lost[job]
	for _, of := range j.parts[job] {
		node := &j.nodes[of.node]
		for d, f := range node.spans[of.span].frees {
			node.room[d] += sign * f
		}
		j.change(of.node)
	}
}

// place chooses a pattern for each node: what the prices say, and then one by one the change
// that costs least for each pod that is missing, or saves most. It returns the cost of the
// plan, infinite if pods are left without a node.
func (j *joint) place() float64 {
	worth := j.worths()
	missing := make([]int, len(j.price))
	for s := range missing {
		missing[s] = j.p.Shapes[s].Count
	}
	for n := range j.nodes {
		j.chosen[n], _ = j.pick(j.nodes[n].table, worth)
		for s, h := range j.patterns[j.chosen[n]] {
			missing[s] -= h
		}
	}
	for slices.ContainsFunc(missing, func(m int) bool { return m > 0 }) {
		node, to, least := -1, 0, math.Inf(1)
		for n := range j.nodes {
			now, table := j.patterns[j.chosen[n]], j.nodes[n].table
			before := table[j.chosen[n]]
			for i, hosts := range j.patterns {
				if table[i] == math.Inf(1) {
					continue
				}
				helps := 0.0
				for s, h := range hosts {
					was, is := max(0, missing[s]), max(0, missing[s]+now[s]-h)
					helps += float64(was-is) * j.price[s]
				}
				if helps > 0 {
					if c := (table[i] - before) / helps; c < least {
						node, to, least = n, i, c
					}
				}
			}
		}
		if node < 0 {
			return math.Inf(1)
		}
		j.move(node, to, missing)
	}
	for { // pods that are placed twice
		node, to, most, fewer := -1, 0, 0.0, 0
		for n := range j.nodes {
			if j.chosen[n] == 0 {
				continue
			}
			now, table := j.patterns[j.chosen[n]], j.nodes[n].table
			for i, hosts := range j.patterns {
				saved, pods, ok := table[j.chosen[n]]-table[i], 0, true
				for s, h := range hosts {
					ok = ok && missing[s]+now[s]-h <= 0
					pods += now[s] - h
				}
				if ok && (saved > most || saved == most && pods > fewer) {
					node, to, most, fewer = n, i, saved, pods
				}
			}
		}
		if node < 0 {
			break
		}
		j.move(node, to, missing)
	}
	return j.total()
}

// move gives a node another pattern.
func (j *joint) move(node, to int, missing []int) {
	for s, h := range j.patterns[j.chosen[node]] {
		missing[s] += h
	}
	j.chosen[node] = to
	for s, h := range j.patterns[to] {
		missing[s] -= h
	}
}

// total returns what the plan loses.
func (j *joint) total() (sum float64) {
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

// gone returns the jobs that the plan loses.
func (j *joint) gone() []bool {
	gone := slices.Clone(j.lost)
	for n, i := range j.chosen {
		if i == 0 {
			continue
		}
		node := &j.nodes[n]
		for k := range node.sets {
			s := &node.sets[k]
			if !j.covers(n, s, i) {
				continue
			}
			for x := range node.items[:min(len(node.items), jointItems)] {
				if s.items>>x&1 > 0 {
					gone[node.items[x].job] = true
				}
			}
			break
		}
	}
	return gone
}

// covers reports whether a set makes room for a pattern.
func (j *joint) covers(n int, s *jointSet, pattern int) bool {
	node := &j.nodes[n]
	for d, need := range j.needs[pattern] {
		if !node.only && need > 0 && need > node.room[d]+s.frees[d] {
			return false
		}
	}
	return true
}

// overdrawn returns the budgets that the plan overdraws, and by how much.
func (j *joint) overdrawn(gone []bool) (left []int64, any bool) {
	left = slices.Clone(j.p.Budgets)
	for k, is := range gone {
		if is {
			for _, d := range j.p.Jobs[k].Draws {
				left[d.Budget] -= d.Pods
				any = any || left[d.Budget] < 0
			}
		}
	}
	return left, any
}

// obey keeps the dearest jobs of budgets that the plan overdraws. It reports whether there
// are such budgets.
func (j *joint) obey() bool {
	gone := j.gone()
	left, any := j.overdrawn(gone)
	if !any {
		return false
	}
	order := make([]int, 0, len(gone))
	for k, is := range gone {
		if is {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(j.cost[b], j.cost[a]), cmp.Compare(a, b)) })
	for _, k := range order {
		draws := j.p.Jobs[k].Draws
		if !slices.ContainsFunc(draws, func(d Draw) bool { return left[d.Budget] < 0 }) {
			continue
		}
		for _, d := range draws {
			left[d.Budget] += d.Pods
		}
		if j.lost[k] {
			j.toggle(k)
		}
		j.kept[k] = true
		for _, of := range j.p.Jobs[k].Parts {
			j.chain(of.Node)
			j.enumerate(of.Node)
			j.change(of.Node)
		}
	}
	return true
}

// improve loses and keeps jobs that span nodes on trial. total is what the plan loses.
func (j *joint) improve(total float64) {
	best := slices.Clone(j.chosen)
	for again := true; again; {
		again = false
		for _, k := range j.candidates() {
			if j.stop() {
				copy(j.chosen, best)
				return
			}
			j.toggle(k)
			if now := j.place(); now < total {
				if _, any := j.overdrawn(j.gone()); !any {
					total, again = now, true
					copy(best, j.chosen)
					continue
				}
			}
			j.toggle(k)
		}
		if again {
			before := slices.Clone(j.price)
			j.setPrices()
			if now := j.place(); now < total {
				if _, any := j.overdrawn(j.gone()); !any {
					total = now
					copy(best, j.chosen)
					continue
				}
			}
			copy(j.price, before)
		}
	}
	copy(j.chosen, best)
}

// candidates returns jobs that span nodes and are lost, or would be soon.
func (j *joint) candidates() []int {
	worth := j.worths()
	type near struct {
		job  int
		gain float64
	}
	var list []near
	for _, k := range j.spans {
		if j.kept[k] {
			continue
		}
		g := 0.0
		if j.lost[k] {
			g = -j.loses(k, worth)
		} else {
			g = j.gain(k, worth)
		}
		list = append(list, near{k, g})
	}
	slices.SortFunc(list, func(a, b near) int { return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.job, b.job)) })
	var jobs []int
	for _, c := range list[:min(len(list), 24)] {
		jobs = append(jobs, c.job)
	}
	return jobs
}
