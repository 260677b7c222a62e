// Package shared decides which running jobs give way on which nodes, so that waiting pods
// find room and the least work is lost.
//
//	var solver shared.Solver
//	plan := solver.Solve(&problem, shared.Options{Steps: 64})
//	for node, pods := range plan.Hosts { ... } // how many pods of each shape go to which node
//	for _, job := range plan.Lost { ... }      // the jobs that give way
//
// The package knows nothing of Kubernetes. Amounts are integers, so that equal choices are
// equal.
//
// # Problem
//
// Package preempt takes nodes from jobs that have whole nodes, all alike. Here, jobs have
// parts of nodes, several resources count, and the room that two nodes free does not add
// up: a pod runs on one node. A job that gives way on one node is lost on all nodes.
//
//	minimise    Σ w_j over the jobs j that are lost
//	subject to  Σ_s m_{n,s}·a_s ≤ r_n + Σ f_{j,n} over the lost jobs j, on each node n, in each resource
//	            Σ_n m_{n,s} ≥ k_s, for each shape s
//	            Σ d_{j,b} over the lost jobs j ≤ D_b, for each disruption budget b
//
// Of the pods of shape s, k_s wait. Each needs a_s, and m_{n,s} of them go to node n. Node n has
// room r_n, and job j has the part f_{j,n} of it. Budget b counts d_{j,b} pods of job j.
//
// The waste w_j is a vector: what is lost at the highest priority comes first, and only
// among equals what is lost at the next. So a plan of least waste loses no work of a higher
// priority to save work of a lower priority, however much. Approximate may.
//
// # Algorithm
//
// A node alone: the sets of jobs are built job by job, and a set is dropped if another set
// frees as much in each resource, draws as little on each budget, and wastes no more. What
// is left has the least waste of the node for each number of pods.
//
// All nodes: a dynamic program over the nodes shares the pods out. It is exact if no job
// spans two nodes. A job that spans nodes pays each node a share of its waste. If a plan
// loses the job on some nodes only, the shares are too few: the result is a lower bound.
// Branch and bound closes the distance: one branch loses the job, the other keeps it. A
// budget that the nodes overdraw together is branched on in the same way.
//
// Invariant. The bound of a branch is at most the waste of each plan of the branch: the
// shares of a job on the nodes that a plan uses add up to at most its waste.
//
// For one waiting pod, one node hosts it, and the first bound is the optimum. For equal
// pods, one job on each part of a node, and one node of room for each pod, the problem is
// that of preempt.Solver.AppendVictims, and a test holds that both waste the same.
package shared

import (
	"cmp"
	"slices"
)

// levels is how many priorities are told apart: the highest ones in a problem. Those below
// count as the last of them, and a plan that loses jobs at the last level is not exact then.
const levels = 8

// A Cost is what is lost, by priority, the highest first.
type Cost [levels]int64

// Less reports whether less is lost, at the highest priority first.
func (c *Cost) Less(d *Cost) bool {
	for l := range c {
		if c[l] != d[l] {
			return c[l] < d[l]
		}
	}
	return false
}

// Plus returns the sum.
func (c Cost) Plus(d *Cost) Cost {
	for l := range c {
		c[l] += d[l]
	}
	return c
}

// never is more than any plan costs, and any cost can be added to it.
var never = Cost{1 << 61}

// A Shape is a number of waiting pods that need the same.
type Shape struct {
	Needs []int64 // by resource, ≥ 0
	Count int     // > 0
}

// A Job is what is lost together. Jobs that must not be lost are not in the problem.
type Job struct {
	Waste    int64 // what is lost, ≥ 0; the sum over all jobs is less than 2^60
	Priority int32
	Parts    []Part // on one node at most once
	Draws    []Draw // of budgets, each at most once
}

// A Part is what a job frees on a node.
type Part struct {
	Node  int
	Frees []int64 // by resource, ≥ 0
}

// A Draw is a number of pods that a budget counts.
type Draw struct {
	Budget int
	Pods   int64 // > 0
}

// A Node is a node that waiting pods may go to.
type Node struct {
	Room []int64 // by resource; negative if more is promised than there is
	// Only, if not nil, are the jobs to lose so that one pod of the first shape finds
	// room. Nothing else is considered on the node.
	Only []int
}

// A Problem is what Solve decides. Solve does not modify a problem.
type Problem struct {
	Shapes  []Shape
	Nodes   []Node
	Jobs    []Job
	Budgets []int64 // how many pods each budget allows to lose, ≥ 0
}

// Options bound the work.
type Options struct {
	Steps int // how many branches are looked at; 1 if less
	// Rounds is how often the shares of jobs that span nodes are adjusted before the first
	// branch. More rounds give a better bound.
	Rounds int
	// Stop, if not nil, is called often. When it returns true, Solve ends with the best plan
	// so far, and with none if it has not looked at all nodes.
	Stop func() bool
	// Hurry, if not nil, is called often. Once it returns true, few sets of a node are kept.
	Hurry func() bool
}

// A Plan is the result of Solve. Its slices are valid until the next call.
type Plan struct {
	Found bool
	Hosts [][]int // by node: how many pods of each shape go there
	Lost  []int   // jobs, ascending
	Waste Cost
	Bound Cost // no plan wastes less
	// Cut is whether the search ended early, or left out sets of jobs of a node. If it is
	// true and Found is false, there may be a plan that was not found.
	Cut bool
	// merged is whether the problem has more priorities than levels.
	merged bool
}

// Exact reports whether no plan wastes less than this one.
func (p *Plan) Exact() bool {
	return p.Found && !p.Bound.Less(&p.Waste) && !(p.merged && p.Waste[levels-1] > 0)
}

// Total returns the sum over the priorities.
func (c Cost) Total() (sum int64) {
	for _, w := range c {
		sum += w
	}
	return sum
}

// The fate of a job in a branch.
const (
	open uint8 = iota
	lost
	kept
)

// An item is a job on a node.
type item struct {
	job   int
	frees []int64
	share Cost // what the job pays here
}

// An option is a number of pods of each shape on a node, and the least that they cost.
type option struct {
	index int // of the numbers, in mixed radix
	hosts []int
	cost  Cost
	items []int32 // what is lost there, of the node's items
}

// A branch is a set of plans: the fates of some jobs are decided.
type branch struct {
	fate    []uint8
	options [][]option // by node
	bound   Cost
	sunk    Cost // of the jobs that are lost
	chosen  []int
}

// A Solver solves problems. The zero value is ready. It is for one goroutine at a time.
type Solver struct {
	p       *Problem
	cost    []Cost
	items   [][]item // by node
	spans   []bool   // by job: on several nodes
	radix   []int    // by shape
	states  int
	total   int // waiting pods
	best    []Cost
	next    []Cost
	from    []uint16 // by node and state: the option + 1
	work    nodeWork
	limit   Cost // sets of a node that cost as much are of no use
	merged  bool // more priorities than levels
	rough   bool // sets of a node were cut
	cutAt   Cost // the least cost of a set that was cut
	stop    func() bool
	hurry   func() bool
	ended   bool // stop has said so
	plan    Plan
	touches [][]int // by budget: nodes whose jobs draw on it
}

// Solve returns the plan of least waste, or the best that the work allows together with a
// bound. Of plans with equal waste, the result is the first that is found; the same
// problem gives the same plan, unless Stop or Hurry comes in between. Found is false if
// there is no plan, or if Cut is true and none was found.
//
// Time: O(sets²) for each node, where sets are the sets of its jobs of which none is better
// than another, usually some tens; O(nodes·states·options) for each step, where states is
// the product of the shapes' counts plus one.
func (s *Solver) Solve(p *Problem, o Options) Plan {
	s.prepare(p)
	s.stop, s.hurry, s.ended = o.Stop, o.Hurry, false
	root := &branch{fate: make([]uint8, len(p.Jobs)), options: make([][]option, len(p.Nodes))}
	for j := range p.Jobs {
		for _, d := range p.Jobs[j].Draws {
			if d.Pods > p.Budgets[d.Budget] {
				root.fate[j] = kept
			}
		}
	}
	s.plan = Plan{Waste: never}
	if o.Steps > 1 && s.total > 1 {
		if p := s.Approximate(p, o.Stop); p.Found {
			s.plan = p
		}
	}
	budgets := make([]int64, len(p.Budgets))
	s.fillBudgets(budgets, root)
	s.limit = never
	for n := range p.Nodes {
		root.options[n] = s.nodeOptions(n, root, budgets)
		if s.halted() {
			return s.early()
		}
		if s.total == 1 && len(root.options[n]) > 0 && root.options[n][0].cost.Less(&s.limit) {
			s.limit = root.options[n][0].cost // one node hosts the pod: no other set may cost as much
		}
	}
	s.limit = never
	s.relax(root)
	if s.ended {
		return s.early()
	}
	s.adjust(root, budgets, o)
	queue := []*branch{root}
	for step := 0; len(queue) > 0; step++ {
		at := 0
		for i, b := range queue {
			if b.bound.Less(&queue[at].bound) {
				at = i
			}
		}
		b := queue[at]
		if s.plan.Found && !b.bound.Less(&s.plan.Waste) || b.bound == never {
			queue = nil
			break
		}
		if step >= max(1, o.Steps) || step > 0 && s.halted() {
			break
		}
		queue[at] = queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		job := s.repair(b)
		if job < 0 {
			continue // the plan of the relaxation is a plan, and none of the branch is better
		}
		for _, fate := range []uint8{lost, kept} {
			c := s.child(b, job, fate)
			if c != nil && c.bound != never && !(s.plan.Found && !c.bound.Less(&s.plan.Waste)) {
				queue = append(queue, c)
			}
		}
		if s.ended { // the children may not be whole
			queue = append(queue, b)
			break
		}
	}
	s.plan.Bound = s.plan.Waste
	for _, b := range queue {
		if b.bound.Less(&s.plan.Bound) {
			s.plan.Bound = b.bound
		}
	}
	if s.rough && s.cutAt.Less(&s.plan.Bound) {
		s.plan.Bound = s.cutAt // a plan with a set that was cut costs no less
	}
	s.plan.Cut = s.rough || len(queue) > 0
	s.plan.merged = s.merged
	if !s.plan.Found {
		s.plan.Waste, s.plan.Bound = Cost{}, Cost{}
	}
	return s.plan
}

// early returns the plan of Approximate, or none, when the time is over before there is a
// bound.
func (s *Solver) early() Plan {
	if !s.plan.Found {
		return Plan{Cut: true}
	}
	return s.plan
}

// prepare reads a problem.
func (s *Solver) prepare(p *Problem) {
	s.p, s.rough, s.cutAt = p, false, never
	var priorities []int32
	for i := range p.Jobs {
		if !slices.Contains(priorities, p.Jobs[i].Priority) {
			priorities = append(priorities, p.Jobs[i].Priority)
		}
	}
	slices.SortFunc(priorities, func(a, b int32) int { return cmp.Compare(b, a) })
	s.merged = len(priorities) > levels
	s.states, s.total = 1, 0
	s.radix = s.radix[:0]
	for _, shape := range p.Shapes {
		s.radix = append(s.radix, s.states)
		s.states *= shape.Count + 1
		s.total += shape.Count
	}
	s.cost = make([]Cost, len(p.Jobs))
	s.spans = make([]bool, len(p.Jobs))
	s.items = make([][]item, len(p.Nodes))
	counts, parts := make([]int, len(p.Nodes)), 0
	for j := range p.Jobs {
		for _, part := range p.Jobs[j].Parts {
			counts[part.Node]++
		}
		parts += len(p.Jobs[j].Parts)
	}
	store := make([]item, parts)
	for n, c := range counts {
		s.items[n], store = store[:0:c], store[c:]
	}
	s.touches = make([][]int, len(p.Budgets))
	for j := range p.Jobs {
		job := &p.Jobs[j]
		level, _ := slices.BinarySearchFunc(priorities, job.Priority, func(a, b int32) int { return cmp.Compare(b, a) })
		level = min(level, levels-1)
		s.cost[j][level] = job.Waste
		s.spans[j] = len(job.Parts) > 1 && s.total > 1
		var share Cost
		share[level] = job.Waste / int64(max(1, min(len(job.Parts), s.total)))
		for _, part := range job.Parts {
			s.items[part.Node] = append(s.items[part.Node], item{job: j, frees: part.Frees, share: share})
			for _, d := range job.Draws {
				if t := s.touches[d.Budget]; len(t) == 0 || t[len(t)-1] != part.Node {
					s.touches[d.Budget] = append(t, part.Node)
				}
			}
		}
	}
}

// fillBudgets sets what a branch leaves of each budget, and returns whether it is no less
// than nothing.
func (s *Solver) fillBudgets(left []int64, b *branch) bool {
	copy(left, s.p.Budgets)
	ok := true
	for j, fate := range b.fate {
		if fate == lost {
			for _, d := range s.p.Jobs[j].Draws {
				left[d.Budget] -= d.Pods
				ok = ok && left[d.Budget] >= 0
			}
		}
	}
	return ok
}

// relax shares the pods out among the nodes for the least sum of their options, and sets
// the bound of the branch and the option of each node, or -1.
func (s *Solver) relax(b *branch) {
	s.best, s.next = s.best[:0], s.next[:0]
	for range s.states {
		s.best = append(s.best, never)
	}
	s.next = append(s.next, s.best...)
	s.best[0] = Cost{}
	s.from = slices.Grow(s.from[:0], s.states*len(b.options))[:s.states*len(b.options)]
	clear(s.from)
	reach := 0
	for n, options := range b.options {
		if s.halted() {
			b.bound = never
			b.chosen = slices.Grow(b.chosen[:0], len(b.options))[:len(b.options)]
			for n := range b.chosen {
				b.chosen[n] = -1
			}
			return
		}
		if len(options) == 0 {
			continue
		}
		from := s.from[n*s.states : (n+1)*s.states]
		top := min(s.states-1, reach+options[len(options)-1].index)
		for i := range options {
			top = max(top, min(s.states-1, reach+options[i].index))
		}
		copy(s.next[:top+1], s.best[:top+1])
		for i := range options {
			o := &options[i]
			for state := o.index; state <= top; state++ {
				before := &s.best[state-o.index]
				if before[0] >= never[0] || len(s.radix) > 1 && !s.fits(state, o.hosts) {
					continue
				}
				if with := before.Plus(&o.cost); with.Less(&s.next[state]) {
					s.next[state] = with
					from[state] = uint16(i + 1)
				}
			}
		}
		s.best, s.next = s.next, s.best
		reach = top
	}
	b.chosen = slices.Grow(b.chosen[:0], len(b.options))[:len(b.options)]
	state := s.states - 1
	b.bound = never
	if s.best[state][0] < never[0] {
		b.bound = s.best[state].Plus(&b.sunk)
	}
	for n := len(b.options) - 1; n >= 0; n-- {
		b.chosen[n] = int(s.from[n*s.states+state]) - 1
		if i := b.chosen[n]; i >= 0 && b.bound != never {
			state -= b.options[n][i].index
		}
	}
}

// fits reports whether a state has as many pods of each shape as are to go to a node.
func (s *Solver) fits(state int, hosts []int) bool {
	for shape, h := range hosts {
		if state/s.radix[shape]%(s.p.Shapes[shape].Count+1) < h {
			return false
		}
	}
	return true
}

// adjust moves the shares of jobs that span nodes towards the nodes where the relaxation
// loses them, which raises the bound.
func (s *Solver) adjust(root *branch, budgets []int64, o Options) {
	if o.Rounds == 0 || root.bound == never {
		return
	}
	type place struct{ node, item int }
	places := map[int][]place{}
	var jobs []int
	for n := range s.items {
		for i := range s.items[n] {
			if j := s.items[n][i].job; s.spans[j] && root.fate[j] == open {
				if places[j] == nil {
					jobs = append(jobs, j)
				}
				places[j] = append(places[j], place{n, i})
			}
		}
	}
	best := root.bound
	save := func() (shares [][]Cost) {
		for n := range s.items {
			var row []Cost
			for i := range s.items[n] {
				row = append(row, s.items[n][i].share)
			}
			shares = append(shares, row)
		}
		return shares
	}
	kept := save()
	for round := range o.Rounds {
		if s.halted() {
			break
		}
		step := 1 / (2 + float64(round)/4)
		touched := map[int]bool{}
		for _, j := range jobs {
			at := places[j]
			if len(at) > s.total {
				continue
			}
			taken := make([]bool, len(at))
			sum := 0
			for k, p := range at {
				if c := root.chosen[p.node]; c >= 0 && slices.Contains(root.options[p.node][c].items, int32(p.item)) {
					taken[k] = true
					sum++
				}
			}
			if sum == 0 || sum == len(at) {
				continue
			}
			for l, all := range s.cost[j] {
				if all == 0 {
					continue
				}
				move, left := int64(0), 0
				for k, p := range at { // what the others can spare
					if !taken[k] {
						d := int64(step * float64(s.items[p.node][p.item].share[l]))
						s.items[p.node][p.item].share[l] -= d
						move += d
					} else {
						left++
					}
				}
				for k, p := range at {
					if taken[k] {
						d := move / int64(left)
						s.items[p.node][p.item].share[l] += d
						move -= d
						left--
					}
				}
			}
			for _, p := range at {
				touched[p.node] = true
			}
		}
		if len(touched) == 0 {
			break
		}
		for n := range root.options {
			if touched[n] {
				root.options[n] = s.nodeOptions(n, root, budgets)
			}
		}
		s.relax(root)
		if s.ended {
			break
		}
		if best.Less(&root.bound) {
			best = root.bound
			kept = save()
		}
	}
	// What was reached is set up again, and a plan of it made, even past the end.
	stop, ended := s.stop, s.ended
	s.stop, s.ended = nil, false
	defer func() { s.stop, s.ended = stop, ended }()
	for n := range s.items {
		for i := range s.items[n] {
			s.items[n][i].share = kept[n][i]
		}
		root.options[n] = s.nodeOptions(n, root, budgets)
	}
	s.relax(root)
}

// repair makes plans of a branch's relaxation and keeps the best. It returns a job to
// branch on, or -1 if no plan of the branch is better than the best.
func (s *Solver) repair(b *branch) int {
	hit := make([]int, len(s.p.Jobs)) // by job: on how many nodes the relaxation loses it
	var paid = make(map[int]Cost)
	for n, i := range b.chosen {
		if i < 0 {
			continue
		}
		for _, k := range b.options[n][i].items {
			it := &s.items[n][k]
			hit[it.job]++
			if s.spans[it.job] {
				c := paid[it.job]
				paid[it.job] = c.Plus(&it.share)
			}
		}
	}
	s.keep(b, hit)
	if s.plan.Found && !b.bound.Less(&s.plan.Waste) {
		return -1
	}
	// The same with the jobs that it loses lost everywhere, and the other jobs that span
	// nodes kept.
	second := &branch{fate: slices.Clone(b.fate), options: slices.Clone(b.options), sunk: b.sunk}
	left := make([]int64, len(s.p.Budgets))
	changed := map[int]bool{}
	for j := range hit {
		if !s.spans[j] || b.fate[j] != open {
			continue
		}
		second.fate[j] = kept
		if hit[j] > 0 {
			second.fate[j] = lost
			second.sunk = second.sunk.Plus(&s.cost[j])
		}
		for _, part := range s.p.Jobs[j].Parts {
			changed[part.Node] = true
		}
	}
	if len(changed) > 0 && s.fillBudgets(left, second) {
		for n := range second.options {
			if changed[n] {
				second.options[n] = s.nodeOptions(n, second, left)
			}
		}
		s.relax(second)
		if second.bound != never {
			again := make([]int, len(s.p.Jobs))
			for n, i := range second.chosen {
				if i >= 0 {
					for _, k := range second.options[n][i].items {
						again[s.items[n][k].job]++
					}
				}
			}
			s.keep(second, again)
		}
	}
	// The job whose shares fall most short of its waste; else a job of an overdrawn budget.
	at, most := -1, Cost{}
	for j := range s.p.Jobs {
		if c, ok := paid[j]; ok && b.fate[j] == open {
			short := s.cost[j]
			for l := range short {
				short[l] -= c[l]
			}
			if at < 0 || most.Less(&short) {
				at, most = j, short
			}
		}
	}
	if at >= 0 && most != (Cost{}) {
		return at
	}
	s.fillBudgets(left, b)
	for j := range s.p.Jobs {
		if hit[j] > 0 && b.fate[j] == open {
			for _, d := range s.p.Jobs[j].Draws {
				left[d.Budget] -= d.Pods
			}
		}
	}
	at = -1
	draws := int64(0)
	for j := range s.p.Jobs {
		if hit[j] > 0 && b.fate[j] == open {
			for _, d := range s.p.Jobs[j].Draws {
				if left[d.Budget] < 0 && d.Pods > draws {
					at, draws = j, d.Pods
				}
			}
		}
	}
	if at < 0 && s.plan.Found && b.bound.Less(&s.plan.Waste) {
		for j := range s.p.Jobs { // shares that rounding left short
			if hit[j] > 0 && b.fate[j] == open && s.spans[j] {
				return j
			}
		}
	}
	return at
}

// keep keeps the plan that a branch's relaxation makes if it is one and better.
func (s *Solver) keep(b *branch, hit []int) {
	if b.bound == never {
		return
	}
	left := make([]int64, len(s.p.Budgets))
	s.fillBudgets(left, b)
	waste := b.sunk
	var gone []int
	for j := range s.p.Jobs {
		if hit[j] == 0 && b.fate[j] != lost {
			continue
		}
		gone = append(gone, j)
		if b.fate[j] == lost {
			continue
		}
		waste = waste.Plus(&s.cost[j])
		for _, d := range s.p.Jobs[j].Draws {
			if left[d.Budget] -= d.Pods; left[d.Budget] < 0 {
				return
			}
		}
	}
	if s.plan.Found && !waste.Less(&s.plan.Waste) {
		return
	}
	s.plan = Plan{Found: true, Waste: waste, Lost: gone, Hosts: make([][]int, len(s.p.Nodes))}
	for n, i := range b.chosen {
		if i >= 0 {
			s.plan.Hosts[n] = b.options[n][i].hosts
		}
	}
}

// child is the part of a branch in which the fate of a job is decided; nil if a budget
// rules it out.
func (s *Solver) child(b *branch, job int, fate uint8) *branch {
	c := &branch{fate: slices.Clone(b.fate), options: slices.Clone(b.options), sunk: b.sunk}
	c.fate[job] = fate
	left := make([]int64, len(s.p.Budgets))
	if fate == lost {
		c.sunk = c.sunk.Plus(&s.cost[job])
	}
	if !s.fillBudgets(left, c) {
		return nil
	}
	changed := map[int]bool{}
	for _, part := range s.p.Jobs[job].Parts {
		changed[part.Node] = true
	}
	if fate == lost {
		for _, d := range s.p.Jobs[job].Draws {
			for _, n := range s.touches[d.Budget] {
				changed[n] = true
			}
		}
	}
	for n := range c.options {
		if changed[n] {
			c.options[n] = s.nodeOptions(n, c, left)
		}
	}
	s.relax(c)
	if c.bound.Less(&b.bound) {
		c.bound = b.bound // rounding of shares
	}
	return c
}
