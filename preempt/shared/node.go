package shared

import (
	"cmp"
	"slices"
)

// A node alone: the least waste for each number of pods of each shape.
//
// Idea. Add the jobs one by one to sets that begin with the empty set. A set is what it
// frees, capped at what the most pods need; what it draws on budgets that can bind on this
// node; and its cost. Sets that another set beats in all three are dropped, so few remain:
// pods come in few sizes, and what is beyond the need does not count.
//
// Invariant: for each set of the jobs so far, some set that remains frees as much, draws
// as little and costs no more.
//
// When a node has more sets than nodeSets, the cheapest stay and the search is cut. The
// invariant then holds for sets that cost less than the cheapest set that was cut, so that
// cost is a bound. A greedy choice takes the place of what was cut: large sets are the ones
// that are lost, and a large set may be the only one that makes room.

// nodeSets is how many sets of a node are kept. A node with 110 pods of three sizes has
// some hundreds. Pods of many sizes in several resources have more.
const nodeSets = 4096

// fewSets is how many sets of a node are kept in a hurry.
const fewSets = 16

// nodeWork is the memory of nodeOptions.
type nodeWork struct {
	sets, grown []set
	frees       []int64 // of the sets: width each
	spare       []int64
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

// nodeOptions returns what a node offers: for each number of pods of each shape that fits,
// the least that has to be lost.
func (s *Solver) nodeOptions(n int, b *branch, budgets []int64) []option {
	node := &s.p.Nodes[n]
	if node.Only != nil {
		return s.onlyOption(n, b, budgets)
	}
	dims := len(node.Room)
	room := slices.Clone(node.Room)
	free := make([]int64, dims) // room if all is lost
	var items []int32
	draws := map[int]int64{}
	for i := range s.items[n] {
		it := &s.items[n][i]
		switch b.fate[it.job] {
		case lost:
			for d := range room {
				room[d] += it.frees[d]
			}
		case open:
			items = append(items, int32(i))
			for d := range free {
				free[d] += it.frees[d]
			}
			for _, d := range s.p.Jobs[it.job].Draws {
				draws[d.Budget] += d.Pods
			}
		}
	}
	// The numbers of pods that fit at all.
	var all []option
	hosts := make([]int, len(s.p.Shapes))
	least := make([]int64, dims) // what the most need, beyond the room
	for {
		shape := 0
		for ; shape < len(hosts); shape++ { // the next numbers, as an odometer counts
			if hosts[shape] < s.p.Shapes[shape].Count {
				hosts[shape]++
				if s.reaches(room, free, hosts) {
					break
				}
			}
			hosts[shape] = 0
		}
		if shape == len(hosts) {
			break
		}
		index := 0
		for sh, h := range hosts {
			index += h * s.radix[sh]
		}
		all = append(all, option{index: index, hosts: slices.Clone(hosts), cost: never})
		for d := range least {
			least[d] = max(least[d], s.lack(hosts, room, d))
		}
	}
	if len(all) == 0 {
		return nil
	}
	var binding []int
	for d := range least {
		if least[d] > 0 {
			binding = append(binding, d)
		}
	}
	var tight []int
	for budget, pods := range draws {
		if pods > budgets[budget] {
			tight = append(tight, budget)
		}
	}
	slices.Sort(tight)
	// Cheap jobs first: what they free is then known when a dearer set is compared.
	slices.SortStableFunc(items, func(i, k int32) int {
		a, c := &s.items[n][i].share, &s.items[n][k].share
		if a.Less(c) {
			return -1
		}
		if c.Less(a) {
			return 1
		}
		return 0
	})
	w := &s.work
	width := len(binding) + len(tight)
	w.frees = w.frees[:0]
	for range width {
		w.frees = append(w.frees, 0)
	}
	links := []link{{-1, -1}}
	w.sets = append(w.sets[:0], set{item: -1, parent: 0})
	cut, most := false, nodeSets
items:
	for _, i := range items {
		it := &s.items[n][i]
		if len(binding) > 0 && !slices.ContainsFunc(binding, func(d int) bool { return it.frees[d] > 0 }) {
			continue
		}
		// The sets with the item, in the order of cost, as the sets without it are.
		w.grown = w.grown[:0]
		for k := range w.sets {
			old := &w.sets[k]
			at := len(w.frees)
			ok := true
			for x, d := range binding {
				w.frees = append(w.frees, min(w.frees[old.at+x]+it.frees[d], least[d]))
			}
			for x, budget := range tight {
				used := -w.frees[old.at+len(binding)+x]
				for _, d := range s.p.Jobs[it.job].Draws {
					if d.Budget == budget {
						used += d.Pods
					}
				}
				ok = ok && used <= budgets[budget]
				w.frees = append(w.frees, -used)
			}
			if !ok || slices.Equal(w.frees[at:at+len(binding)], w.frees[old.at:old.at+len(binding)]) {
				w.frees = w.frees[:at]
				continue
			}
			w.grown = append(w.grown, set{cost: old.cost.Plus(&it.share), at: at, parent: old.parent, item: i})
		}
		merged := make([]set, 0, len(w.sets)+len(w.grown))
		a, g := 0, 0
		for looked := 0; a < len(w.sets) || g < len(w.grown); looked++ {
			if looked%16 == 0 && s.halted() { // whoever called drops the options
				break items
			}
			if looked%16 == 0 && most > fewSets && s.hurry != nil && s.hurry() {
				most = fewSets
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
			for k := len(merged) - 1; k >= 0 && !beaten; k-- {
				beaten = dominates(w.frees[merged[k].at:merged[k].at+width], w.frees[c.at:c.at+width])
			}
			if beaten {
				continue
			}
			if len(merged) >= most {
				s.cut(c.cost)
				cut = true
				break
			}
			if c.item >= 0 { // new: remember how it came about
				links = append(links, link{c.parent, c.item})
				c.parent, c.item = int32(len(links)-1), -1
			}
			merged = append(merged, *c)
		}
		w.sets = merged
		if len(w.frees) > 1<<16 { // what dropped sets left behind
			w.spare = w.spare[:0]
			for k := range w.sets {
				at := len(w.spare)
				w.spare = append(w.spare, w.frees[w.sets[k].at:w.sets[k].at+width]...)
				w.sets[k].at = at
			}
			w.frees, w.spare = w.spare, w.frees
		}
	}
	// Sets are in the order of cost: the first that suffices is the cheapest.
	options := all[:0]
	for x, o := range all {
		if x%16 == 15 && s.halted() {
			break
		}
		for k := range w.sets {
			frees := w.frees[w.sets[k].at : w.sets[k].at+width]
			enough := true
			for x, d := range binding {
				enough = enough && frees[x] >= s.lack(o.hosts, room, d)
			}
			if !enough {
				continue
			}
			o.cost = w.sets[k].cost
			for l := w.sets[k].parent; l > 0; l = links[l].parent {
				o.items = append(o.items, links[l].item)
			}
			break
		}
		if cut {
			s.greedy(n, &o, items, room, budgets)
		}
		if o.cost != never {
			options = append(options, o)
		}
	}
	return options
}

// cut notes that sets of a node were dropped that cost no less than c, though no other set
// beats them.
func (s *Solver) cut(c Cost) {
	s.rough = true
	if c.Less(&s.cutAt) {
		s.cutAt = c
	}
}

// halted reports whether the work has to end.
func (s *Solver) halted() bool {
	s.ended = s.ended || s.stop != nil && s.stop()
	return s.ended
}

// greedy gives an option the jobs that a greedy choice loses, if they cost less than what
// the option has. It takes jobs until the pods fit, and then leaves out in reverse what is
// not needed: once in the order of cost, once in the order of cost for what they free.
// items are in the order of cost.
func (s *Solver) greedy(n int, o *option, items []int32, room, budgets []int64) {
	lack := make([]int64, len(room))
	for d := range room {
		lack[d] = max(0, s.lack(o.hosts, room, d))
	}
	worth := func(i int32) (w float64) { // how much of what is missing a job frees
		for d, l := range lack {
			if l > 0 {
				w += min(1, float64(s.items[n][i].frees[d])/float64(l))
			}
		}
		return w
	}
	byWorth := slices.Clone(items)
	slices.SortStableFunc(byWorth, func(i, k int32) int {
		a, b, wa, wb := &s.items[n][i].share, &s.items[n][k].share, worth(i), worth(k)
		for l := range a {
			if x, y := float64(a[l])*wb, float64(b[l])*wa; x != y {
				return cmp.Compare(x, y)
			}
		}
		return 0
	})
	for _, order := range [][]int32{items, byWorth} {
		left := slices.Clone(budgets)
		missing := slices.Clone(lack)
		change := func(i int32, times int64) {
			for _, d := range s.p.Jobs[s.items[n][i].job].Draws {
				left[d.Budget] -= times * d.Pods
			}
			for d, f := range s.items[n][i].frees {
				missing[d] -= times * f
			}
		}
		lacks := func() bool { return slices.ContainsFunc(missing, func(m int64) bool { return m > 0 }) }
		var taken []int32
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
			if slices.ContainsFunc(s.p.Jobs[s.items[n][i].job].Draws, func(d Draw) bool { return left[d.Budget] < 0 }) {
				change(i, -1)
				continue
			}
			taken = append(taken, i)
		}
		if lacks() {
			continue
		}
		for k := len(taken) - 1; k >= 0; k-- {
			change(taken[k], -1)
			if lacks() {
				change(taken[k], 1)
				continue
			}
			taken = slices.Delete(taken, k, k+1)
		}
		var cost Cost
		for _, i := range taken {
			cost = cost.Plus(&s.items[n][i].share)
		}
		if cost.Less(&o.cost) {
			o.cost, o.items = cost, taken
		}
	}
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

// need returns what pods need of a resource.
func (s *Solver) need(hosts []int, d int) (sum int64) {
	for shape, h := range hosts {
		sum += int64(h) * s.p.Shapes[shape].Needs[d]
	}
	return sum
}

// lack returns what pods need of a resource beyond the room. Who needs nothing of a
// resource does not mind that more of it is promised than there is.
func (s *Solver) lack(hosts []int, room []int64, d int) int64 {
	need := s.need(hosts, d)
	if need == 0 {
		return 0
	}
	return need - room[d]
}

// reaches reports whether pods fit if all is lost.
func (s *Solver) reaches(room, free []int64, hosts []int) bool {
	for d := range room {
		if need := s.need(hosts, d); need > 0 && need > room[d]+free[d] {
			return false
		}
	}
	return true
}

// onlyOption is what a node offers whose victims are given.
func (s *Solver) onlyOption(n int, b *branch, budgets []int64) []option {
	o := option{index: s.radix[0], hosts: make([]int, len(s.p.Shapes))}
	o.hosts[0] = 1
	draws := map[int]int64{}
	for _, j := range s.p.Nodes[n].Only {
		switch b.fate[j] {
		case kept:
			return nil
		case lost:
			continue
		}
		for i := range s.items[n] {
			if it := &s.items[n][i]; it.job == j {
				o.items = append(o.items, int32(i))
				o.cost = o.cost.Plus(&it.share)
			}
		}
		for _, d := range s.p.Jobs[j].Draws {
			if draws[d.Budget] += d.Pods; draws[d.Budget] > budgets[d.Budget] {
				return nil
			}
		}
	}
	return []option{o}
}
