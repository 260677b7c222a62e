package shared

import (
	"cmp"
	"math"
	"slices"
)

// Many waiting tasks at once: a good plan in milliseconds, without a proof.
//
// The problem is that of Solve. The exact search of Solve looks at each number of tasks on each
// node and at each state of all nodes, and is too slow for a hundred tasks and thousands of
// nodes. For 180 tasks on 200 nodes with 5,000 pods, this plan loses 56.24 pod-hours
// after 11 ms; the exact search alone loses 57.34 after six minutes, and no plan loses less
// than 55.55 (go run . compare in examples/services/kubernetes).
//
// Idea. Each waiting task of a request s has a price λ_s. A node alone hosts the tasks whose
// prices exceed what is lost for them there:
//
//	V_n(L) = max over the patterns h of (Σ λ_s·h_s - c_n(h, L))
//
// A pattern h hosts h_s tasks of each request s. The jobs of L span nodes and are lost.
// c_n(h, L) is the least loss of jobs that are on node n only, given that L is lost. The
// prices rise until all tasks have a node. A job j that spans nodes is lost if the room of j
// is worth more to the nodes together than the loss w_j of j:
//
//	Σ_n (V_n(L + j) - V_n(L)) > w_j
//
// The lost job makes room, so the prices fall, and another job may then be kept. This goes on
// until nothing changes. At these prices some tasks may have no node and others two: such
// tasks are moved one by one. At the end the method tries for each job that spans nodes to
// lose the job, or to keep it, and repeats this while the plan improves.
//
// Invariant. A plan that is returned is feasible: its numbers fit each node, and no budget
// is overdrawn. No bound is known.
//
// Time: O(nodes·sets²) for the sets, then O(nodes·patterns) for each price that is tried,
// and for each job that is tried. A pattern is a number of tasks of each request on a node.

// A place is a part of a job that spans nodes.
type place struct{ node, item int }

// A joint is a problem while Approximate works on it.
type joint struct {
	s        *Solver
	p        *Problem
	cost     []float64 // by job
	kept     []bool    // by job: a budget rules it out
	lost     []bool    // by job that spans nodes
	gone     []bool    // by job: the plan loses it
	order    []int     // jobs, the cheapest first
	spans    []int     // jobs that span nodes
	parts    [][]place // by job that spans nodes: where its parts are
	patterns [][]int   // the first is empty
	needs    [][]int64 // by pattern and resource
	less     []int     // by pattern: one with a task less
	nodes    []site
	price    []float64 // by request
	limit    float64   // sets of a node that cost more are of no use
	chosen   []int     // by node: the pattern
	short    []int     // by request: tasks that have no node; negative: placed twice

	hosts             [][]int
	missing           []lack
	sets, grown, both []siteSet
	frees             []int64
	ranked            []ranked
	worth             []float64 // by pattern
	table             []float64
	best              []int
	before            []float64
	touched           []bool
	dearest           []int
	trial             []ranked
}

// ranked is a job or an item with what it is worth.
type ranked struct {
	at    int
	worth float64
}

func byWorth(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.at, b.at))
}

// Approximate returns a plan for all tasks, or none: then there may be one. The plan has no
// bound, and Cut is true. Found is false if stop, when it is not nil, returns true before
// there is a plan; later, Approximate returns the best plan that it has. The error is an
// *preempt.InputError about the problem.
func (s *Solver) Approximate(p *Problem, stop func() bool) (Plan, error) {
	if err := s.prepare(p, stop); err != nil {
		return Plan{}, err
	}
	return s.approximate(), nil
}

func (s *Solver) approximate() Plan {
	j := &s.joint
	j.prepare(s)
	if !j.solve() {
		return Plan{Cut: true}
	}
	plan := Plan{Found: true, Cut: true, Hosts: s.hosts(), merged: s.merged}
	for n, i := range j.chosen {
		if i > 0 {
			plan.Hosts[n] = j.patterns[i]
		}
	}
	j.markGone()
	s.lostJobs = s.lostJobs[:0]
	for k, is := range j.gone {
		if is {
			s.lostJobs = append(s.lostJobs, k)
			plan.Waste = plan.Waste.Plus(&s.cost[k])
		}
	}
	plan.Lost = s.counts.copy(s.lostJobs)
	return plan
}

// solve finds a plan: j.chosen and j.lost. It reports whether there is one.
func (j *joint) solve() bool {
	j.limit = math.Inf(1)
	for n := range j.nodes {
		if n%64 == 0 && j.s.halted() {
			return false
		}
		j.chain(n)
		j.change(n)
	}
	j.firstPrices()
	// At these prices, no set is lost that costs more than its tasks are worth. The prices fall
	// as better sets and jobs that span nodes are found.
	j.limit = slices.Max(j.worths())
	for n := range j.nodes {
		if n%16 == 0 && j.s.halted() {
			return false
		}
		j.enumerate(n)
		j.change(n)
	}
	j.firstPrices()
	j.setPrices()
	for range 12 {
		if j.s.halted() || !j.exchange() {
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

// pick returns the pattern that is worth most at the prices, and how much.
func (j *joint) pick(table, worth []float64) (at int, most float64) {
	for i := 1; i < len(table); i++ {
		if w := worth[i] - table[i]; w > most {
			at, most = i, w
		}
	}
	return at, most
}

// worths returns what each pattern is worth at the prices.
func (j *joint) worths() []float64 {
	j.worth = j.worth[:0]
	for _, hosts := range j.patterns {
		sum := 0.0
		for r, h := range hosts {
			sum += j.price[r] * float64(h)
		}
		j.worth = append(j.worth, sum)
	}
	return j.worth
}

// hosted counts the tasks of a request that nodes host at the prices.
func (j *joint) hosted(request int) (sum int) {
	worth := j.worths()
	for n := range j.nodes {
		at, _ := j.pick(j.nodes[n].table, worth)
		sum += j.patterns[at][request]
	}
	return sum
}

// size is how large a task of a request is beside the largest.
func (j *joint) size(request int) (size float64) {
	for d, a := range j.p.Requests[request].Needs {
		most := int64(1)
		for _, r := range j.p.Requests {
			most = max(most, r.Needs[d])
		}
		size = max(size, float64(a)/float64(most))
	}
	return max(size, 1e-3)
}

// firstPrices sets prices in proportion to the sizes of the tasks, so that nodes host about
// as much as waits.
func (j *joint) firstPrices() {
	top, least, want := 0.0, math.Inf(1), 0.0
	for n := range j.nodes {
		for _, c := range j.nodes[n].table {
			if c > 0 && c < math.Inf(1) {
				top, least = max(top, c), min(least, c)
			}
		}
	}
	for r := range j.price {
		want += j.size(r) * float64(j.p.Requests[r].Count)
	}
	set := func(base float64) {
		for r := range j.price {
			j.price[r] = base * j.size(r)
		}
	}
	lo, hi := max(1e-3, min(least, top)/1024), max(1, 4*top)
	for range 40 {
		mid, sum := math.Sqrt(lo*hi), 0.0
		set(mid)
		for r := range j.price {
			sum += j.size(r) * float64(j.hosted(r))
		}
		if sum >= want {
			hi = mid
		} else {
			lo = mid
		}
	}
	set(hi)
}

// setPrices moves the prices so that about as many tasks of each request are hosted as wait.
func (j *joint) setPrices() {
	for range 2 {
		for r := range j.price {
			enough := func(price float64) bool {
				j.price[r] = price
				return j.hosted(r) >= j.p.Requests[r].Count
			}
			lo, hi := j.price[r], j.price[r]
			for k := 0; k < 60 && !enough(hi); k++ { // two prices around the right one
				lo, hi = hi, hi*1.25
			}
			for k := 0; k < 60 && enough(lo); k++ {
				lo, hi = lo/1.25, lo
			}
			for range 5 {
				if mid := (lo + hi) / 2; enough(mid) {
					hi = mid
				} else {
					lo = mid
				}
			}
			j.price[r] = hi
		}
	}
}

// gain returns what losing a job that spans nodes gains at the prices, or keeping the job if
// it is lost: what the nodes gain, less what is wasted.
func (j *joint) gain(job int, worth []float64) float64 {
	sum := -j.cost[job]
	if j.lost[job] {
		sum = j.cost[job]
	}
	for _, of := range j.parts[job] {
		node := &j.nodes[of.node]
		var table []float64
		if j.lost[job] {
			j.table = j.fill(of.node, j.table, &node.spans[of.item], -1)
			table = j.table
		} else {
			if node.stale {
				j.refresh(of.node)
			}
			table = node.with[of.item]
		}
		_, now := j.pick(node.table, worth)
		_, then := j.pick(table, worth)
		sum += then - now
	}
	return sum
}

// moves ranks the jobs that span nodes by gain.
func (j *joint) moves() []ranked {
	worth := j.worths()
	j.ranked = j.ranked[:0]
	for _, k := range j.spans {
		if !j.kept[k] {
			j.ranked = append(j.ranked, ranked{k, j.gain(k, worth)})
		}
	}
	slices.SortFunc(j.ranked, byWorth)
	return j.ranked
}

// exchange loses jobs that span nodes where that gains at the prices, and keeps those where
// it does not. It reports whether anything changes.
func (j *joint) exchange() (changed bool) {
	clear(j.touched)
	for _, m := range j.moves() {
		if m.worth <= 0 {
			break
		}
		if slices.ContainsFunc(j.parts[m.at], func(of place) bool { return j.touched[of.node] }) {
			continue // its gain is another by now
		}
		for _, of := range j.parts[m.at] {
			j.touched[of.node] = true
		}
		j.toggle(m.at)
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
		for d, f := range node.spans[of.item].frees {
			node.room[d] += sign * f
		}
		j.change(of.node)
	}
}

// markGone marks the jobs that the plan loses.
func (j *joint) markGone() {
	copy(j.gone, j.lost)
	for n, i := range j.chosen {
		if i == 0 {
			continue
		}
		node := &j.nodes[n]
		j.missing = j.missing[:0]
		for d, need := range j.needs[i] {
			if !node.only && need > 0 && need > node.room[d] {
				j.missing = append(j.missing, lack{d, need - node.room[d]})
			}
		}
		for k := range node.sets {
			if s := &node.sets[k]; s.has(j.missing) {
				for x := range node.items[:min(len(node.items), siteItems)] {
					if s.items>>x&1 > 0 {
						j.gone[node.items[x].job] = true
					}
				}
				break
			}
		}
	}
}

// overdrawn sets the budgets that are left, in s.left, and reports whether the plan overdraws
// one.
func (j *joint) overdrawn() (any bool) {
	j.markGone()
	copy(j.s.left, j.p.Budgets)
	for k, is := range j.gone {
		any = is && !j.s.draw(k) || any
	}
	return any
}

// obey keeps the dearest jobs of budgets that the plan overdraws. It reports whether there
// are such budgets.
func (j *joint) obey() bool {
	if !j.overdrawn() {
		return false
	}
	left := j.s.left
	j.ranked = j.ranked[:0]
	for k, is := range j.gone {
		if is {
			j.ranked = append(j.ranked, ranked{k, j.cost[k]})
		}
	}
	slices.SortFunc(j.ranked, byWorth)
	for i := range j.ranked {
		k := j.ranked[i].at
		draws := j.p.Jobs[k].Draws
		if !slices.ContainsFunc(draws, func(d Draw) bool { return left[d.Budget] < 0 }) {
			continue
		}
		for _, d := range draws {
			left[d.Budget] += d.Count
		}
		j.dearest = append(j.dearest, k)
	}
	for _, k := range j.dearest {
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
	j.dearest = j.dearest[:0]
	return true
}

// improve loses and keeps jobs that span nodes on trial. total is what the plan loses.
func (j *joint) improve(total float64) {
	better := func() bool {
		now := j.place()
		if now >= total || j.overdrawn() {
			return false
		}
		total = now
		copy(j.best, j.chosen)
		return true
	}
	j.best = append(j.best[:0], j.chosen...)
	defer func() { copy(j.chosen, j.best) }()
	for again := true; again; {
		again = false
		moves := j.moves()
		j.trial = append(j.trial[:0], moves[:min(len(moves), 24)]...)
		for _, m := range j.trial {
			if j.s.halted() {
				return
			}
			j.toggle(m.at)
			if better() {
				again = true
			} else {
				j.toggle(m.at)
			}
		}
		if again {
			j.before = append(j.before[:0], j.price...)
			if j.setPrices(); !better() {
				copy(j.price, j.before)
			}
		}
	}
}
