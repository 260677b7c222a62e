package flow

import "github.com/plimsoll/plimsoll/internal/grow"

// Slots with several steps.
//
// The cost of a slot with A active instances is Σ Price·max(0, Demand - A) over its steps.
// That is convex and piecewise linear in A; the mean cost of several demands is an example.
// Let x = (largest demand) - A. The slot is still one arc of the line. The slope of its cost
// in x grows by Price at each breakpoint x = (largest demand) - Demand. A slot in the basis
// is strictly between two breakpoints, and its z is the slope there. A slot outside the
// basis is at a breakpoint, and its z is between the slopes on both sides. A long step
// crosses breakpoints of all slots of the cycle, also several of one slot, in the order of
// their distance. All breakpoints are multiples of n = T+2, by which the package comment
// (Exactness) enlarges everything, so its argument holds unchanged.
//
// A cap on active instances is one more breakpoint, with the slope -wall beyond it, and
// is never crossed.
//
// A step of the simplex first looks at the nearest breakpoint of each slot of the cycle,
// which bounds the length of the step. Then the step looks at the breakpoints within that
// length. So its time is that of the cycle and of the breakpoints crossed, whatever the
// number of steps.

// wall is the weight of a breakpoint that is never crossed: more than any violation.
const wall = inf

// A kink is a breakpoint of a slot: its x, n-fold, and the slope to its right.
type kink struct{ at, after int64 }

// edge is the state of a slot with steps.
type edge struct {
	left   int64 // slope to the left of x; in the basis, on both sides
	dn, up int64 // nearest breakpoints on both sides, -inf and inf if none
	k      int32 // number of the kinks below x, counted from the first of all
	out    bool  // x is a breakpoint: kink k
	walled bool  // the first kink is a cap
}

// initSteps sets up the slots, all on demand. total bounds half of any flow.
func (s *Solver) initSteps(total uint64) error {
	p, T := &s.prob, s.T
	most := T
	if p.First != nil {
		most = len(p.Steps)
	}
	if p.MaxActive != nil {
		most += T
	}
	s.edges = grow.To(s.edges, T)
	s.first = grow.To(s.first, T+1)
	s.kinks = grow.To(s.kinks, most)[:0]
	s.first[0] = 0
	var one [1]Step
	for t := range T {
		demand, held := p.peak(t)
		s.x[t] = int64(demand-held)*s.n + s.sign*int64(t+1)
		low, capped := int64(0), false
		if p.MaxActive != nil && p.MaxActive[t] >= 0 {
			room := p.MaxActive[t] - held
			if room < 0 {
				return ErrInfeasible
			}
			if uint64(room) <= 2*total { // no basic flow reaches more
				low, capped = int64(demand-p.MaxActive[t])*s.n, true
				s.kinks = append(s.kinks, kink{low, 0})
			}
		}
		slope := int64(0)
		for _, st := range p.stepsOf(t, &one) {
			slope += st.Price
			at := int64(demand-st.Demand) * s.n
			if capped && at <= low {
				s.kinks[len(s.kinks)-1].after = slope
			} else {
				s.kinks = append(s.kinks, kink{at, slope})
			}
		}
		s.first[t+1] = int32(len(s.kinks))
		s.edges[t] = edge{k: s.first[t], walled: capped}
		s.settle(t)
	}
	return nil
}

// settle brings the edge of slot t up to date with its x, in the time of the kinks
// between.
func (s *Solver) settle(t int) {
	e, x := &s.edges[t], s.x[t]
	first, end := s.first[t], s.first[t+1]
	k := e.k
	for k > first && s.kinks[k-1].at >= x {
		k--
	}
	for k < end && s.kinks[k].at < x {
		k++
	}
	e.k, e.dn, e.up, e.left = k, -inf, inf, 0
	if k > first {
		e.dn, e.left = s.kinks[k-1].at, s.kinks[k-1].after
	}
	e.out = k < end && s.kinks[k].at == x
	if !e.out {
		if k < end {
			e.up = s.kinks[k].at
		}
		return
	}
	if k == first && e.walled {
		e.left = -wall
	}
	if k+1 < end {
		e.up = s.kinks[k+1].at
	}
}

// weight is by how much the slope of slot t changes at kink k.
func (s *Solver) weight(t, k int32) int64 {
	if k == s.first[t] {
		if s.edges[t].walled {
			return wall
		}
		return s.kinks[k].after
	}
	return s.kinks[k].after - s.kinks[k-1].after
}

// longStepSteps is longStep for slots with steps. own is the entering slot, empty if a purchase enters.
func (s *Solver) longStepSteps(gain, room int64, own run) int64 {
	for _, r := range s.runs {
		sum := int64(0)
		for i := r.lo; i < r.hi; i++ {
			sum += s.edges[i].left
		}
		gain += (sum ^ int64(r.neg)) - int64(r.neg)
	}
	if gain <= 0 {
		return 0
	}
	// Up to so many kinks of each slot, until they suffice: the length of the step is
	// at most that of these alone.
	for depth := int32(2); ; depth *= 4 {
		buf, more := s.kinksOf[:0], false
		for _, r := range s.runs {
			buf, more = s.appendKinks(buf, r, depth, room, more)
		}
		buf, more = s.appendKinks(buf, own, depth, room, more)
		s.kinksOf = buf
		at, ok := selectKink(buf, gain)
		if ok {
			room = at
		}
		if !more {
			return room
		}
		if ok { // those within room are all that count now
			depth = 1 << 28
		}
	}
}

// appendKinks appends the kinks at a distance of at most room, at most depth of each
// slot of a run. It sets more if there are further ones.
func (s *Solver) appendKinks(buf []breakpoint, r run, depth int32, room int64, more bool) ([]breakpoint, bool) {
	edges, flows, first, kinks := s.edges[:r.hi], s.x[:r.hi], s.first[:r.hi+1], s.kinks
	for t := r.lo; t < r.hi; t++ {
		e, x := &edges[t], flows[t]
		if r.neg == 0 {
			if x-e.dn > room {
				continue
			}
			k := e.k - 1
			for end := max(first[t], e.k-depth); k >= end; k-- {
				d := x - kinks[k].at
				if d > room {
					break
				}
				buf = append(buf, breakpoint{d, s.weight(t, k)})
			}
			more = more || k >= first[t] && x-kinks[k].at <= room
			continue
		}
		if e.up-x > room {
			continue
		}
		k := e.k
		if e.out {
			k++
		}
		for end := min(first[t+1], k+depth); k < end; k++ {
			d := kinks[k].at - x
			if d > room {
				break
			}
			buf = append(buf, breakpoint{d, s.weight(t, k)})
		}
		more = more || k < first[t+1] && kinks[k].at-x <= room
	}
	return buf, more
}

// pushSteps moves the flows of the slots of a run, and returns the slot that comes to a kink, -1 if none does.
func (s *Solver) pushSteps(r *run, theta int64) int32 {
	hit := int32(-1)
	for t := r.lo; t < r.hi; t++ {
		w := s.x[t] + theta
		s.x[t] = w
		if e := &s.edges[t]; w <= e.dn || w >= e.up {
			if s.settle(int(t)); e.out {
				hit = t
			}
		}
	}
	return hit
}

// sweepSteps is the slots' part of sweep.
func (s *Solver) sweepSteps(b, e int) (best cand) {
	for t := b; t < e; t++ {
		g := &s.edges[t]
		if !g.out {
			continue
		}
		z := s.y[t+1] - s.y[t]
		if v := z - s.kinks[g.k].after; v > best.v {
			best = cand{v, int32(t), slotUp}
		}
		if v := g.left - z; v > best.v {
			best = cand{v, int32(t), slotDn}
		}
	}
	return best
}

// A breakpoint of a cycle: its distance, and by how much less a unit saves from there on.
type breakpoint struct{ at, weight int64 }

// selectKink returns the smallest at such that the weights of the breakpoints up
// to at sum to v or more, and whether there is one. It reorders b.
func selectKink(b []breakpoint, v int64) (int64, bool) {
	for len(b) > 12 {
		n := len(b) - 1
		p, q, r := b[0].at, b[n/2].at, b[n].at
		if p > q {
			p, q = q, p
		}
		if q > r {
			q = max(p, r)
		}
		i, j := 0, n
		for i <= j {
			for b[i].at < q {
				i++
			}
			for b[j].at > q {
				j--
			}
			if i <= j {
				b[i], b[j] = b[j], b[i]
				i++
				j--
			}
		}
		// b[:i] are at most q, b[i:] at least q.
		var sum int64
		for _, e := range b[:i] {
			sum += e.weight
			if sum >= v {
				break
			}
		}
		if sum >= v {
			b = b[:i] // shorter: the median of three stops both scans
		} else {
			v -= sum
			b = b[i:]
		}
	}
	for i := 1; i < len(b); i++ {
		e := b[i]
		j := i
		for j > 0 && b[j-1].at > e.at {
			b[j] = b[j-1]
			j--
		}
		b[j] = e
	}
	for _, e := range b {
		if v -= e.weight; v <= 0 {
			return e.at, true
		}
	}
	return 0, false
}
