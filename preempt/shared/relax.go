package shared

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// The relaxation of a branch: each node pays for itself, and a job that spans nodes pays
// shares. A dynamic program shares the tasks out among the nodes. A state says how many tasks
// of each request have a node.

// relax finds the least sum of the nodes' options for all tasks, and sets the bound of the
// branch and the option of each node.
func (s *Solver) relax(b *branch) {
	s.best, s.next = grow.To(s.best, s.states), grow.To(s.next, s.states)
	for i := range s.best {
		s.best[i], s.next[i] = never, never
	}
	s.best[0] = Cost{}
	s.from = grow.Zero(s.from, s.states*len(b.options))
	b.chosen, b.bound = grow.To(b.chosen, len(b.options)), never
	reach := 0
	for n, options := range b.options {
		if s.halted() {
			for n := range b.chosen {
				b.chosen[n] = -1
			}
			return
		}
		if len(options) == 0 {
			continue
		}
		top := reach
		for i := range options {
			top = max(top, min(s.states-1, reach+options[i].index))
		}
		s.addNode(options, s.from[n*s.states:(n+1)*s.states], top)
		reach = top
	}
	state := s.states - 1
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

// addNode adds a node to the dynamic program: states up to top may be reached.
func (s *Solver) addNode(options []option, from []uint16, top int) {
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
}

// fits reports whether a state has as many tasks of each request as are to go to a node.
func (s *Solver) fits(state int, hosts []int) bool {
	for r, h := range hosts {
		if state/s.radix[r]%(s.p.Requests[r].Count+1) < h {
			return false
		}
	}
	return true
}

// shares is the memory of adjust. A place is a part of an open job that spans nodes.
type shares struct {
	start  []int // by job: the first of its places
	places []place
	best   []Cost // by place: the shares of the best bound
	taken  []bool
	nodes  []bool // with places
}

type place struct{ node, item int }

// list lists the places of the jobs, the nodes ascending.
func (h *shares) list(s *Solver, root *branch) {
	h.start = grow.Zero(h.start, len(s.p.Jobs)+2)
	h.nodes = grow.Zero(h.nodes, len(s.items))
	each := func(do func(n, i, j int)) {
		for n := range s.items {
			for i := range s.items[n] {
				if j := s.items[n][i].job; s.spans[j] && root.fate[j] == open {
					do(n, i, j)
				}
			}
		}
	}
	each(func(n, i, j int) { h.start[j+2]++; h.nodes[n] = true })
	for j := range s.p.Jobs {
		h.start[j+2] += h.start[j+1]
	}
	h.places = grow.To(h.places, h.start[len(s.p.Jobs)+1])
	each(func(n, i, j int) {
		h.places[h.start[j+1]] = place{n, i}
		h.start[j+1]++
	})
}

func (h *shares) save(s *Solver) {
	h.best = h.best[:0]
	for _, p := range h.places {
		h.best = append(h.best, s.items[p.node][p.item].share)
	}
}

// adjust moves the shares of jobs that span nodes towards the nodes where the relaxation
// loses them, which raises the bound.
func (s *Solver) adjust(root *branch, o Options) {
	h := &s.shares
	if o.Rounds == 0 || root.bound == never {
		return
	}
	h.list(s, root)
	h.save(s)
	s.fillBudgets(root)
	best := root.bound
	for round := range o.Rounds {
		if s.halted() {
			break
		}
		clear(s.mark)
		moved := false
		for j := range s.p.Jobs {
			if at := h.places[h.start[j]:h.start[j+1]]; len(at) > 0 && len(at) <= s.total && s.move(root, j, at, 1/(2+float64(round)/4)) {
				moved = true
				s.markNodes(j)
			}
		}
		if !moved {
			break
		}
		s.refresh(root)
		if s.relax(root); s.ended {
			break
		}
		if best.Less(&root.bound) {
			best = root.bound
			h.save(s)
		}
	}
	// The best shares are set up again, and a plan of them made, even past the end.
	stop, ended := s.stop, s.ended
	s.stop, s.ended = nil, false
	for i, p := range h.places {
		s.items[p.node][p.item].share = h.best[i]
	}
	copy(s.mark, h.nodes)
	s.refresh(root)
	s.relax(root)
	s.stop, s.ended = stop, ended
}

// move moves a part of a job's shares from the nodes where the relaxation keeps the job to
// the nodes where it loses the job. It reports whether both exist.
func (s *Solver) move(root *branch, j int, at []place, step float64) bool {
	taken, sum := s.shares.taken[:0], 0
	for _, p := range at {
		c := root.chosen[p.node]
		is := c >= 0 && slices.Contains(root.options[p.node][c].items, int32(p.item))
		if taken = append(taken, is); is {
			sum++
		}
	}
	s.shares.taken = taken
	if sum == 0 || sum == len(at) {
		return false
	}
	for l, all := range s.cost[j] {
		if all == 0 {
			continue
		}
		move, left := int64(0), int64(sum)
		for k, p := range at { // what the others can spare
			if share := &s.items[p.node][p.item].share; !taken[k] {
				d := int64(step * float64(share[l]))
				share[l] -= d
				move += d
			}
		}
		for k, p := range at {
			if taken[k] {
				d := move / left
				s.items[p.node][p.item].share[l] += d
				move -= d
				left--
			}
		}
	}
	return true
}
