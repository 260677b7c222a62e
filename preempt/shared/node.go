package shared

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// One node: the least waste for each number of tasks of each request.
//
// Idea. Begin with the empty set and add the jobs one by one. A set has three parts: what
// the set frees, capped at what the most tasks need; what the set draws on budgets that can
// bind on this node; and its cost. A set that another set beats in all three parts is
// dropped. Few sets remain, since tasks come in few sizes and room beyond the need does not
// count.
//
// Invariant: for each set of the jobs so far, some set that remains frees as much, draws
// as little and costs no more.
//
// When a node has more sets than nodeSets, the cheapest sets stay and the search is cut. The
// invariant then holds for sets that cost less than the cheapest set that was cut, so the
// cost of that set is a bound. A greedy choice stands in for what was cut: only large sets
// may make room, and large sets are cut first.

// nodeSets is how many sets of a node are kept. A node with 110 tasks of three sizes has
// some hundreds. Tasks of many sizes in several resources have more.
const nodeSets = 4096

// fewSets is how many sets of a node are kept in a hurry.
const fewSets = 16

// nodeWork is the memory of nodeOptions.
type nodeWork struct {
	room, free, least []int64 // free: what all open jobs free; least: what the most tasks need beyond the room
	lack, missing     []int64 // of a greedy choice
	left              []int64 // of the budgets
	drawn             []int64 // by budget, of all open jobs
	items             []int32 // open jobs, of the node's items
	byWorth           []int32
	taken             []int32
	hosts             []int
	all               []option
	binding, tight    []int // resources and budgets that can bind

	sets, grown, merged []set
	links               []link
	frees, packed       []int64 // of the sets: width each
}

// A set is a set of jobs on the node. What it frees and draws stands in frees.
type set struct {
	cost   Cost
	at     int // in frees
	parent int32
	item   int32 // that was added last, -1 for none
}

// link is a set in the list of all sets that were ever kept.
type link struct{ parent, item int32 }

// nodeOptions returns what a node offers in a branch: for each number of tasks of each
// request that fits, the least that has to be lost. budgets is what the branch leaves.
func (s *Solver) nodeOptions(n int, b *branch, budgets []int64) []option {
	if s.p.Nodes[n].Only != nil {
		return s.onlyOption(n, b, budgets)
	}
	s.openJobs(n, b)
	s.numbers()
	w := &s.work
	if len(w.all) == 0 {
		return nil
	}
	w.binding, w.tight = w.binding[:0], w.tight[:0]
	for d, l := range w.least {
		if l > 0 {
			w.binding = append(w.binding, d)
		}
	}
	for budget, count := range w.drawn {
		if count > budgets[budget] {
			w.tight = append(w.tight, budget)
		}
	}
	// Cheap jobs first: what they free is then known when a dearer set is compared.
	slices.SortStableFunc(w.items, func(i, k int32) int {
		a, c := &s.items[n][i].share, &s.items[n][k].share
		if a.Less(c) {
			return -1
		}
		if c.Less(a) {
			return 1
		}
		return 0
	})
	cut := s.growSets(n, budgets)
	return s.cheapest(n, budgets, cut)
}

// openJobs sets the room of a node, with the jobs that the branch has lost, and the jobs
// that are open.
func (s *Solver) openJobs(n int, b *branch) {
	w := &s.work
	w.room = append(w.room[:0], s.p.Nodes[n].Room...)
	w.free = append(w.free[:0], w.room...)
	clear(w.free)
	w.items = w.items[:0]
	clear(w.drawn)
	for i := range s.items[n] {
		it := &s.items[n][i]
		switch b.fate[it.job] {
		case lost:
			for d, f := range it.frees {
				w.room[d] += f
			}
		case open:
			w.items = append(w.items, int32(i))
			for d, f := range it.frees {
				w.free[d] += f
			}
			for _, d := range s.p.Jobs[it.job].Draws {
				w.drawn[d.Budget] += d.Count
			}
		}
	}
}

// numbers lists the numbers of tasks that fit on the node if all is lost.
func (s *Solver) numbers() {
	w := &s.work
	w.all = w.all[:0]
	w.least = append(w.least[:0], w.free...)
	clear(w.least)
	w.hosts = grow.Zero(w.hosts, len(s.p.Requests))
	hosts := w.hosts
	for {
		r := 0
		for ; r < len(hosts); r++ { // the next numbers, as an odometer counts
			if hosts[r] < s.p.Requests[r].Count {
				hosts[r]++
				if s.reaches(hosts) {
					break
				}
			}
			hosts[r] = 0
		}
		if r == len(hosts) {
			return
		}
		index := 0
		for r, h := range hosts {
			index += h * s.radix[r]
		}
		w.all = append(w.all, option{index: index, hosts: s.counts.copy(hosts), cost: never})
		for d := range w.least {
			w.least[d] = max(w.least[d], s.lack(hosts, d))
		}
	}
}

// growSets builds the sets of a node, in the order of cost. It reports whether sets were cut.
func (s *Solver) growSets(n int, budgets []int64) (cut bool) {
	w := &s.work
	width := len(w.binding) + len(w.tight)
	w.frees = w.frees[:0]
	for range width {
		w.frees = append(w.frees, 0)
	}
	w.links = append(w.links[:0], link{-1, -1})
	w.sets = append(w.sets[:0], set{item: -1})
	keep := nodeSets
	for _, i := range w.items {
		it := &s.items[n][i]
		if len(w.binding) > 0 && !slices.ContainsFunc(w.binding, func(d int) bool { return it.frees[d] > 0 }) {
			continue
		}
		s.withItem(i, it, budgets)
		c, ended := s.mergeSets(width, &keep)
		if cut = cut || c; ended {
			return cut
		}
		if len(w.frees) > 1<<16 { // what dropped sets left behind
			w.packed = w.packed[:0]
			for k := range w.sets {
				at := len(w.packed)
				w.packed = append(w.packed, w.frees[w.sets[k].at:w.sets[k].at+width]...)
				w.sets[k].at = at
			}
			w.frees, w.packed = w.packed, w.frees
		}
	}
	return cut
}

// withItem sets w.grown to the sets with one more job, in the order of cost, as w.sets are.
func (s *Solver) withItem(i int32, it *item, budgets []int64) {
	w := &s.work
	w.grown = w.grown[:0]
	for k := range w.sets {
		old := &w.sets[k]
		at, ok := len(w.frees), true
		for x, d := range w.binding {
			w.frees = append(w.frees, min(w.frees[old.at+x]+it.frees[d], w.least[d]))
		}
		for x, budget := range w.tight {
			used := -w.frees[old.at+len(w.binding)+x]
			for _, d := range s.p.Jobs[it.job].Draws {
				if d.Budget == budget {
					used += d.Count
				}
			}
			ok = ok && used <= budgets[budget]
			w.frees = append(w.frees, -used)
		}
		if !ok || slices.Equal(w.frees[at:at+len(w.binding)], w.frees[old.at:old.at+len(w.binding)]) {
			w.frees = w.frees[:at]
			continue
		}
		w.grown = append(w.grown, set{cost: old.cost.Plus(&it.share), at: at, parent: old.parent, item: i})
	}
}

// mergeSets merges w.sets and w.grown into w.sets without the sets that others beat, at most
// keep of them. It reports whether sets were cut, and whether the work has to end.
func (s *Solver) mergeSets(width int, keep *int) (cut, ended bool) {
	w := &s.work
	w.merged = w.merged[:0]
	a, g := 0, 0
	for looked := 0; a < len(w.sets) || g < len(w.grown); looked++ {
		if looked%16 == 0 {
			if s.halted() { // the caller drops the options
				return cut, true
			}
			if *keep > fewSets && s.hurry != nil && s.hurry() {
				*keep = fewSets
			}
		}
		var c *set
		if g == len(w.grown) || a < len(w.sets) && !w.grown[g].cost.Less(&w.sets[a].cost) {
			c = &w.sets[a]
			a++
		} else {
			c = &w.grown[g]
			g++
		}
		if !c.cost.Less(&s.limit) {
			break
		}
		beaten := false
		for k := len(w.merged) - 1; k >= 0 && !beaten; k-- {
			beaten = dominates(w.frees[w.merged[k].at:w.merged[k].at+width], w.frees[c.at:c.at+width])
		}
		if beaten {
			continue
		}
		if len(w.merged) >= *keep {
			s.rough, cut = true, true
			if c.cost.Less(&s.cutAt) {
				s.cutAt = c.cost
			}
			break
		}
		if c.item >= 0 { // new: remember how the set came about
			w.links = append(w.links, link{c.parent, c.item})
			c.parent, c.item = int32(len(w.links)-1), -1
		}
		w.merged = append(w.merged, *c)
	}
	w.sets, w.merged = w.merged, w.sets
	return cut, false
}

// cheapest gives each number of tasks the first set that makes room. Sets are in the order of
// cost, so the set is the cheapest.
func (s *Solver) cheapest(n int, budgets []int64, cut bool) []option {
	w := &s.work
	width, kept := len(w.binding)+len(w.tight), w.all[:0]
	for x, o := range w.all {
		if x%16 == 15 && s.halted() {
			break
		}
		for k := range w.sets {
			frees, enough := w.frees[w.sets[k].at:w.sets[k].at+width], true
			for x, d := range w.binding {
				enough = enough && frees[x] >= s.lack(o.hosts, d)
			}
			if !enough {
				continue
			}
			o.cost = w.sets[k].cost
			w.taken = w.taken[:0]
			for l := w.sets[k].parent; l > 0; l = w.links[l].parent {
				w.taken = append(w.taken, w.links[l].item)
			}
			o.items = s.indices.copy(w.taken)
			break
		}
		if cut {
			s.greedy(n, &o, budgets)
		}
		if o.cost != never {
			kept = append(kept, o)
		}
	}
	return s.options.copy(kept)
}

// halted reports whether the work has to end.
func (s *Solver) halted() bool {
	s.ended = s.ended || s.stop != nil && s.stop()
	return s.ended
}

// greedy gives an option the jobs that a greedy choice loses, if they cost less than what
// the option has: once in the order of cost, once in the order of cost for what they free.
func (s *Solver) greedy(n int, o *option, budgets []int64) {
	w := &s.work
	w.lack = append(w.lack[:0], w.room...)
	for d := range w.lack {
		w.lack[d] = max(0, s.lack(o.hosts, d))
	}
	worth := func(i int32) (sum float64) { // how much of what is missing a job frees
		for d, l := range w.lack {
			if l > 0 {
				sum += min(1, float64(s.items[n][i].frees[d])/float64(l))
			}
		}
		return sum
	}
	w.byWorth = append(w.byWorth[:0], w.items...)
	slices.SortStableFunc(w.byWorth, func(i, k int32) int {
		a, b, wa, wb := &s.items[n][i].share, &s.items[n][k].share, worth(i), worth(k)
		for l := range a {
			if x, y := float64(a[l])*wb, float64(b[l])*wa; x != y {
				return cmp.Compare(x, y)
			}
		}
		return 0
	})
	for _, order := range [2][]int32{w.items, w.byWorth} {
		if !s.takeUntil(n, order, budgets) {
			continue
		}
		var cost Cost
		for _, i := range w.taken {
			cost = cost.Plus(&s.items[n][i].share)
		}
		if cost.Less(&o.cost) {
			o.cost, o.items = cost, s.indices.copy(w.taken)
		}
	}
}

// takeUntil takes jobs in an order until nothing is missing of w.lack, and then leaves out in
// reverse what is not needed. The result is w.taken. It reports whether the jobs suffice.
func (s *Solver) takeUntil(n int, order []int32, budgets []int64) bool {
	w := &s.work
	w.missing = append(w.missing[:0], w.lack...)
	missing := w.missing
	w.left = append(w.left[:0], budgets...)
	change := func(i int32, times int64) {
		for _, d := range s.p.Jobs[s.items[n][i].job].Draws {
			w.left[d.Budget] -= times * d.Count
		}
		for d, f := range s.items[n][i].frees {
			missing[d] -= times * f
		}
	}
	lacks := func() bool { return slices.ContainsFunc(missing, func(m int64) bool { return m > 0 }) }
	w.taken = w.taken[:0]
	for _, i := range order {
		if !lacks() {
			break
		}
		helps := false
		for d, f := range s.items[n][i].frees {
			helps = helps || missing[d] > 0 && f > 0
		}
		if !helps {
			continue
		}
		change(i, 1)
		if slices.ContainsFunc(s.p.Jobs[s.items[n][i].job].Draws, func(d Draw) bool { return w.left[d.Budget] < 0 }) {
			change(i, -1)
			continue
		}
		w.taken = append(w.taken, i)
	}
	if lacks() {
		return false
	}
	for k := len(w.taken) - 1; k >= 0; k-- {
		change(w.taken[k], -1)
		if lacks() {
			change(w.taken[k], 1)
			continue
		}
		w.taken = slices.Delete(w.taken, k, k+1)
	}
	return true
}

// dominates reports whether a is at least b everywhere.
func dominates(a, b []int64) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// need returns what tasks need of a resource.
func (s *Solver) need(hosts []int, d int) (sum int64) {
	for r, h := range hosts {
		sum += int64(h) * s.p.Requests[r].Needs[d]
	}
	return sum
}

// lack returns what tasks need of a resource beyond the room. A task that needs nothing of a
// resource fits, even if more of the resource is promised than there is.
func (s *Solver) lack(hosts []int, d int) int64 {
	if need := s.need(hosts, d); need > 0 {
		return need - s.work.room[d]
	}
	return 0
}

// reaches reports whether tasks fit if all is lost.
func (s *Solver) reaches(hosts []int) bool {
	for d, room := range s.work.room {
		if need := s.need(hosts, d); need > 0 && need > room+s.work.free[d] {
			return false
		}
	}
	return true
}

// onlyOption is what a node offers whose victims are given.
func (s *Solver) onlyOption(n int, b *branch, budgets []int64) []option {
	w := &s.work
	o := option{index: s.radix[0], hosts: s.counts.take(len(s.p.Requests))}
	o.hosts[0] = 1
	w.taken = w.taken[:0]
	clear(w.drawn)
	for _, j := range s.p.Nodes[n].Only {
		if b.fate[j] == kept {
			return nil
		}
		if b.fate[j] == lost {
			continue
		}
		for i := range s.items[n] {
			if it := &s.items[n][i]; it.job == j {
				w.taken = append(w.taken, int32(i))
				o.cost = o.cost.Plus(&it.share)
			}
		}
		for _, d := range s.p.Jobs[j].Draws {
			if w.drawn[d.Budget] += d.Count; w.drawn[d.Budget] > budgets[d.Budget] {
				return nil
			}
		}
	}
	o.items = s.indices.copy(w.taken)
	row := s.options.take(1)
	row[0] = o
	return row
}
