package shared

import "github.com/plimsoll/plimsoll/internal/grow"

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
