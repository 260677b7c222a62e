package shared

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// The exact search: branch and bound over the fates of jobs.
//
// Invariant. The bound of a branch is at most the waste of each plan of the branch: the
// shares of a job on the nodes that a plan uses add up to at most its waste.

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

// An option is a number of tasks of each request on a node, and the least that they cost.
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
	sunk    Cost  // of the jobs that are lost
	chosen  []int // by node: the option of the relaxation, -1 for none
}

// A Solver solves problems. The zero value is ready. It is for one goroutine at a time.
type Solver struct {
	p      *Problem
	cost   []Cost
	items  [][]item // by node
	spans  []bool   // by job: on several nodes
	radix  []int    // by request
	states int
	total  int     // waiting tasks
	merged bool    // more priorities than levels
	limit  Cost    // sets of a node that cost as much are of no use
	rough  bool    // sets of a node were cut
	cutAt  Cost    // the least cost of a set that was cut
	touch  [][]int // by budget: nodes whose jobs draw on it

	stop, hurry func() bool
	ended       bool // stop has said so
	plan        Plan

	// Memory.
	store      []item
	starts     []int
	priorities []int32
	sums       []int64
	best, next []Cost   // relax
	from       []uint16 // relax, by node and state: the option + 1
	left       []int64  // of the budgets
	hit        []int    // repair, by job
	paid       []Cost   // repair, by job
	mark       []bool   // by node
	lostJobs   []int
	queue      []*branch
	branches   []*branch // all
	spare      []*branch
	work       nodeWork
	joint      joint
	options    arena[option]
	counts     arena[int]
	indices    arena[int32]
	amounts    arena[int64]
}

// Solve returns the plan of least waste. If Stop or Hurry ends the search early, Solve returns the
// best plan found, with a bound on the least waste. If several plans have the least waste, Solve
// returns the plan that it finds first. The same problem gives the same plan, unless Stop or Hurry
// ends the search.
//
// Plan.Found is false if there is no plan, or if the search ended early (Plan.Cut) before it found
// a plan. The error is a *preempt.InputError about the problem. It unwraps to ErrTooMany if there
// are more than 65,536 states. states is the product of Request.Count + 1 over all requests. Use
// [Solver.Approximate] for so many tasks.
//
// Time: O(sets²) for each node, and O(nodes·states·options) for each step of the search. sets is
// the number of sets of the node's jobs that no other set beats, usually some tens. options is the
// number of options of a node. An option gives the number of tasks of each request on the node.
func (s *Solver) Solve(p *Problem, o Options) (Plan, error) {
	if err := s.prepare(p, o.Stop); err != nil {
		return Plan{}, err
	}
	if s.states > maxStates {
		return Plan{}, badInput("Requests", -1, ErrTooMany, "more combinations of task counts than %d: want fewer tasks, or Approximate", maxStates)
	}
	s.hurry = o.Hurry
	s.plan = Plan{Waste: never}
	if s.total > 1 {
		if p := s.approximate(); p.Found {
			s.plan = p
		}
	}
	root := s.root()
	if root == nil {
		if !s.plan.Found {
			return Plan{Cut: true}, nil
		}
		return s.plan, nil
	}
	s.search(root, max(1, o.Steps))
	s.finish()
	return s.plan, nil
}

// prepare reads a problem.
func (s *Solver) prepare(p *Problem, stop func() bool) error {
	if err := s.check(p); err != nil {
		return err
	}
	s.p, s.stop, s.hurry, s.ended, s.rough, s.cutAt = p, stop, nil, false, false, never
	s.options.reset()
	s.counts.reset()
	s.indices.reset()
	s.amounts.reset()
	s.queue, s.spare = s.queue[:0], append(s.spare[:0], s.branches...)
	s.states, s.total, s.radix = 1, 0, s.radix[:0]
	for _, r := range p.Requests {
		s.radix = append(s.radix, s.states)
		s.states = min(s.states, maxStates+1) * min(r.Count+1, maxStates+1)
		s.total += r.Count
	}
	s.priorities = s.priorities[:0]
	for i := range p.Jobs {
		if at, ok := slices.BinarySearchFunc(s.priorities, p.Jobs[i].Priority, falling); !ok {
			s.priorities = slices.Insert(s.priorities, at, p.Jobs[i].Priority)
		}
	}
	s.merged = len(s.priorities) > levels
	s.left, s.work.drawn = grow.Zero(s.left, len(p.Budgets)), grow.Zero(s.work.drawn, len(p.Budgets))
	s.hit, s.paid, s.mark = grow.Zero(s.hit, len(p.Jobs)), grow.Zero(s.paid, len(p.Jobs)), grow.Zero(s.mark, len(p.Nodes))
	s.placeItems()
	return nil
}

func falling(a, b int32) int { return cmp.Compare(b, a) }

// placeItems lists the jobs of each node with what each pays there: an equal share, but no
// more nodes pay than tasks wait.
func (s *Solver) placeItems() {
	p := s.p
	s.cost, s.spans = grow.Zero(s.cost, len(p.Jobs)), grow.Zero(s.spans, len(p.Jobs))
	s.starts = grow.Zero(s.starts, len(p.Nodes)+1)
	for j := range p.Jobs {
		for _, part := range p.Jobs[j].Parts {
			s.starts[part.Node+1]++
		}
	}
	for n := range p.Nodes {
		s.starts[n+1] += s.starts[n]
	}
	s.store, s.items = grow.To(s.store, s.starts[len(p.Nodes)]), grow.To(s.items, len(p.Nodes))
	for n := range s.items {
		s.items[n] = s.store[s.starts[n]:s.starts[n]:s.starts[n+1]]
	}
	s.touch = grow.To(s.touch, len(p.Budgets))
	for b := range s.touch {
		s.touch[b] = s.touch[b][:0]
	}
	for j := range p.Jobs {
		job := &p.Jobs[j]
		level, _ := slices.BinarySearchFunc(s.priorities, job.Priority, falling)
		level = min(level, levels-1)
		s.cost[j][level] = job.Waste
		s.spans[j] = len(job.Parts) > 1 && s.total > 1
		var share Cost
		share[level] = job.Waste / int64(max(1, min(len(job.Parts), s.total)))
		for _, part := range job.Parts {
			s.items[part.Node] = append(s.items[part.Node], item{job: j, frees: part.Frees, share: share})
			for _, d := range job.Draws {
				if t := s.touch[d.Budget]; len(t) == 0 || t[len(t)-1] != part.Node {
					s.touch[d.Budget] = append(t, part.Node)
				}
			}
		}
	}
}

// newBranch returns a copy of a branch, or a branch in which all fates are open for nil.
func (s *Solver) newBranch(of *branch) *branch {
	if len(s.spare) == 0 {
		s.branches = append(s.branches, new(branch))
		s.spare = append(s.spare, s.branches[len(s.branches)-1])
	}
	b := s.spare[len(s.spare)-1]
	s.spare = s.spare[:len(s.spare)-1]
	b.fate, b.options = grow.Zero(b.fate, len(s.p.Jobs)), grow.Zero(b.options, len(s.p.Nodes))
	b.bound, b.sunk = Cost{}, Cost{}
	if of != nil {
		copy(b.fate, of.fate)
		copy(b.options, of.options)
		b.sunk = of.sunk
	}
	return b
}

// root returns the first branch with its relaxation, nil if the time is over before.
func (s *Solver) root() *branch {
	root := s.newBranch(nil)
	for j := range s.p.Jobs {
		for _, d := range s.p.Jobs[j].Draws {
			if d.Count > s.p.Budgets[d.Budget] {
				root.fate[j] = kept
			}
		}
	}
	s.fillBudgets(root)
	s.limit = never
	for n := range s.p.Nodes {
		root.options[n] = s.nodeOptions(n, root, s.left)
		if s.halted() {
			return nil
		}
		if s.total == 1 && len(root.options[n]) > 0 && root.options[n][0].cost.Less(&s.limit) {
			s.limit = root.options[n][0].cost // one node hosts the task: no other set may cost as much
		}
	}
	s.limit = never
	if s.relax(root); s.ended {
		return nil
	}
	return root
}

// search looks at branches, the least bound first. What it did not look at is left in s.queue.
func (s *Solver) search(root *branch, steps int) {
	s.queue = append(s.queue, root)
	for step := 0; len(s.queue) > 0; step++ {
		at := 0
		for i, b := range s.queue {
			if b.bound.Less(&s.queue[at].bound) {
				at = i
			}
		}
		b := s.queue[at]
		if s.beaten(b) {
			s.queue = s.queue[:0]
			return
		}
		if step >= steps || step > 0 && s.halted() {
			return
		}
		s.queue[at] = s.queue[len(s.queue)-1]
		s.queue = s.queue[:len(s.queue)-1]
		if job := s.repair(b); job >= 0 { // else no plan of the branch is better
			for _, fate := range [...]uint8{lost, kept} {
				if c := s.child(b, job, fate); c != nil {
					s.queue = append(s.queue, c)
				}
			}
		}
		if s.ended { // the children may not be whole
			s.queue = append(s.queue, b)
			return
		}
		s.spare = append(s.spare, b)
	}
}

// beaten reports whether a branch has no plan that is better than the best.
func (s *Solver) beaten(b *branch) bool {
	return b.bound == never || s.plan.Found && !b.bound.Less(&s.plan.Waste)
}

// finish sets the bound of the plan.
func (s *Solver) finish() {
	p := &s.plan
	p.Bound = p.Waste
	for _, b := range s.queue {
		if b.bound.Less(&p.Bound) {
			p.Bound = b.bound
		}
	}
	if s.rough && s.cutAt.Less(&p.Bound) {
		p.Bound = s.cutAt // a plan with a set that was cut costs no less
	}
	p.Cut, p.merged = s.rough || len(s.queue) > 0, s.merged
	if !p.Found {
		p.Waste, p.Bound = Cost{}, Cost{}
	}
}

// fillBudgets sets s.left to what a branch leaves of each budget, and reports whether no
// budget is overdrawn.
func (s *Solver) fillBudgets(b *branch) bool {
	copy(s.left, s.p.Budgets)
	ok := true
	for j, fate := range b.fate {
		if fate == lost {
			ok = s.draw(j) && ok
		}
	}
	return ok
}

// draw takes what a job draws from s.left, and reports whether the budgets allow it.
func (s *Solver) draw(j int) bool {
	ok := true
	for _, d := range s.p.Jobs[j].Draws {
		s.left[d.Budget] -= d.Count
		ok = ok && s.left[d.Budget] >= 0
	}
	return ok
}

// repair makes plans of a branch's relaxation and keeps the best. It returns a job to
// branch on, or -1 if no plan of the branch is better than the best.
func (s *Solver) repair(b *branch) int {
	clear(s.hit)
	for n, i := range b.chosen {
		if i < 0 {
			continue
		}
		for _, k := range b.options[n][i].items {
			it := &s.items[n][k]
			if s.hit[it.job]++; s.hit[it.job] == 1 {
				s.paid[it.job] = Cost{}
			}
			s.paid[it.job] = s.paid[it.job].Plus(&it.share)
		}
	}
	s.keep(b)
	if s.plan.Found && !b.bound.Less(&s.plan.Waste) {
		return -1
	}
	if j := s.shortest(b); j >= 0 {
		return j
	}
	return s.overdrawing(b) // or -1: the relaxation is a plan, and kept
}

// refresh computes the options of the marked nodes anew.
func (s *Solver) refresh(b *branch) {
	for n := range b.options {
		if s.mark[n] {
			b.options[n] = s.nodeOptions(n, b, s.left)
		}
	}
}

// shortest returns the open job whose shares fall most short of its waste, -1 for none.
func (s *Solver) shortest(b *branch) int {
	at, most := -1, Cost{}
	for j, times := range s.hit {
		if times == 0 || !s.spans[j] || b.fate[j] != open {
			continue
		}
		short := s.cost[j]
		for l := range short {
			short[l] -= s.paid[j][l]
		}
		if most.Less(&short) {
			at, most = j, short
		}
	}
	return at
}

// overdrawing returns the open job that draws most on a budget that the relaxation overdraws,
// -1 for none.
func (s *Solver) overdrawing(b *branch) int {
	s.fillBudgets(b)
	for j, times := range s.hit {
		if times > 0 && b.fate[j] == open {
			s.draw(j)
		}
	}
	at, draws := -1, int64(0)
	for j, times := range s.hit {
		if times > 0 && b.fate[j] == open {
			for _, d := range s.p.Jobs[j].Draws {
				if s.left[d.Budget] < 0 && d.Count > draws {
					at, draws = j, d.Count
				}
			}
		}
	}
	return at
}

// keep keeps the plan that a branch's relaxation makes if the plan is feasible and better.
func (s *Solver) keep(b *branch) {
	s.fillBudgets(b)
	waste, ok := b.sunk, true
	s.lostJobs = s.lostJobs[:0]
	for j := range s.p.Jobs {
		if s.hit[j] == 0 && b.fate[j] != lost {
			continue
		}
		s.lostJobs = append(s.lostJobs, j)
		if b.fate[j] != lost {
			waste = waste.Plus(&s.cost[j])
			ok = s.draw(j) && ok
		}
	}
	if !ok || s.plan.Found && !waste.Less(&s.plan.Waste) {
		return
	}
	if s.plan.Hosts == nil {
		s.plan.Hosts = s.hosts()
	}
	s.plan.Found, s.plan.Waste, s.plan.Lost = true, waste, s.counts.copy(s.lostJobs)
	for n, i := range b.chosen {
		if s.plan.Hosts[n] = nil; i >= 0 {
			s.plan.Hosts[n] = b.options[n][i].hosts
		}
	}
}

// hosts returns the memory of Plan.Hosts.
func (s *Solver) hosts() [][]int {
	s.joint.hosts = grow.Zero(s.joint.hosts, len(s.p.Nodes))
	return s.joint.hosts
}

// child is the part of a branch in which the fate of a job is decided; nil if there is no
// better plan there.
func (s *Solver) child(b *branch, job int, fate uint8) *branch {
	c := s.newBranch(b)
	c.fate[job] = fate
	clear(s.mark)
	for _, part := range s.p.Jobs[job].Parts {
		s.mark[part.Node] = true
	}
	if fate == lost {
		c.sunk = c.sunk.Plus(&s.cost[job])
		for _, d := range s.p.Jobs[job].Draws {
			for _, n := range s.touch[d.Budget] {
				s.mark[n] = true
			}
		}
	}
	if s.fillBudgets(c) {
		s.refresh(c)
		s.relax(c)
		if c.bound.Less(&b.bound) {
			c.bound = b.bound // rounding of shares
		}
		if !s.beaten(c) {
			return c
		}
	}
	s.spare = append(s.spare, c)
	return nil
}
