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
// their distance. All breakpoints are multiples of n, so the argument of the package comment
// (Exactness) holds unchanged.
//
// A cap on active instances is one more breakpoint, with the slope -wall beyond it.
//
// A step of the simplex first looks at the nearest breakpoint of each slot of the cycle,
// which bounds the length of the step. Then the step looks at the breakpoints within that
// length. So its time is that of the cycle and of the breakpoints crossed, whatever the
// number of steps.

// A Step is a part of the cost of a slot: Price for each instance by which Demand
// exceeds the active ones.
type Step struct {
	Demand int
	Price  int64
}

// wall is the weight of a breakpoint that is never crossed: more than any violation.
const wall = inf

// A kink is a breakpoint of a slot: its x, n-fold, and the slope to its right.
type kink struct{ at, after int64 }

// edge is the state of a slot with steps.
type edge struct {
	left, right int64 // slopes on both sides of x: equal in the basis
	dn, up      int64 // nearest breakpoints on both sides, -inf and inf if none
	k           int32 // number of the kinks below x, counted from the first of all
	out         bool  // x is a breakpoint
	walled      bool  // the first kink is a cap
}

// initSteps sets up the slots, all on demand. total is a bound on the flows so far; initSteps
// returns the bound with the demands added.
func (s *Solver) initSteps(p *Problem, total uint64) (uint64, error) {
	T := s.T
	s.edges = grow.To(s.edges, T)
	s.first = grow.To(s.first, T+1)
	most := len(p.Steps)
	if p.MaxActive != nil {
		most += T
	}
	s.kinks = grow.To(s.kinks, most)[:0]
	at := func(t int) (steps []Step, top, held int64) {
		steps = p.Steps[p.First[t]:p.First[t+1]]
		if len(steps) > 0 {
			top = int64(steps[0].Demand)
		}
		if p.Held != nil {
			held = int64(p.Held[t])
		}
		return steps, top, held
	}
	for t := range T {
		_, top, held := at(t)
		if held < 0 {
			return 0, ErrInput
		}
		if total += uint64(top) + uint64(held); total >= 1<<60 {
			return 0, ErrOverflow
		}
	}
	for t := range T {
		steps, top, held := at(t)
		s.x[t] = (top-held)*s.n + s.sign*int64(t+1)
		s.first[t] = int32(len(s.kinks))
		low, capped := int64(0), false
		if p.MaxActive != nil && p.MaxActive[t] >= 0 {
			if int64(p.MaxActive[t]) < held {
				return 0, ErrInfeasible
			}
			if uint64(int64(p.MaxActive[t])-held) <= 2*total { // no basic flow reaches more
				low, capped = (top-int64(p.MaxActive[t]))*s.n, true
			}
		}
		slope := int64(0)
		if capped {
			s.kinks = append(s.kinks, kink{low, 0})
		}
		for _, st := range steps {
			slope += st.Price
			at := (top - int64(st.Demand)) * s.n
			if last := len(s.kinks) - 1; capped && at <= low {
				s.kinks[last].after = slope
			} else {
				s.kinks = append(s.kinks, kink{at, slope})
			}
		}
		s.edges[t].k, s.edges[t].walled = s.first[t], capped
	}
	s.first[T] = int32(len(s.kinks))
	for t := range T {
		s.settle(t)
	}
	return total, nil
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
		e.right = e.left
		if k < end {
			e.up = s.kinks[k].at
		}
		return
	}
	e.right = s.kinks[k].after
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

// longStepSteps is longStep for slots with steps; own is the entering slot as a piece,
// hi = lo if it is none.
func (s *Solver) longStepSteps(pcs []piece, v, hard int64, own piece) int64 {
	for _, pc := range pcs {
		sum := int64(0)
		for i := pc.lo; i < pc.hi; i++ {
			sum += s.edges[i].left
		}
		v += (sum ^ int64(pc.neg)) - int64(pc.neg)
	}
	if v <= 0 {
		return 0
	}
	// Up to so many kinks of each slot, until they suffice: the length of the step is
	// at most that of these alone.
	thr := hard
	for depth := int32(1); ; depth *= 4 {
		buf, more := s.wbuf[:0], false
		for _, pc := range pcs {
			buf, more = s.appendKinks(buf, pc, depth, thr, more)
		}
		buf, more = s.appendKinks(buf, own, depth, thr, more)
		s.wbuf = buf
		at, ok := wselect(buf, v)
		if ok {
			thr = at
		}
		if !more {
			return thr
		}
		if ok { // those within thr are all that count now
			depth = 1 << 28
		}
	}
}

// appendKinks appends the kinks at a distance of less than thr, at most depth of each
// slot of a piece. It sets more if there are further ones.
func (s *Solver) appendKinks(buf []wbp, pc piece, depth int32, thr int64, more bool) ([]wbp, bool) {
	for t := pc.lo; t < pc.hi; t++ {
		e, x := &s.edges[t], s.x[t]
		if pc.neg == 0 {
			if x-e.dn > thr {
				continue
			}
			k := e.k - 1
			for end := max(s.first[t], e.k-depth); k >= end; k-- {
				d := x - s.kinks[k].at
				if d > thr {
					break
				}
				buf = append(buf, wbp{d, s.weight(t, k)})
			}
			more = more || k >= s.first[t] && x-s.kinks[k].at <= thr
		} else {
			if e.up-x > thr {
				continue
			}
			k := e.k
			if e.out {
				k++
			}
			for end := min(s.first[t+1], k+depth); k < end; k++ {
				d := s.kinks[k].at - x
				if d > thr {
					break
				}
				buf = append(buf, wbp{d, s.weight(t, k)})
			}
			more = more || k < s.first[t+1] && s.kinks[k].at-x <= thr
		}
	}
	return buf, more
}

// pushSteps moves the slots of a piece and returns the one that came to stand at a
// kink, -1 if none did.
func (s *Solver) pushSteps(pc piece, theta int64) int32 {
	hit := int32(-1)
	if pc.neg == 0 {
		theta = -theta
	}
	for t := pc.lo; t < pc.hi; t++ {
		w := s.x[t] + theta
		s.x[t] = w
		if e := &s.edges[t]; w <= e.dn || w >= e.up {
			old := e.left
			s.settle(int(t))
			if e.out {
				hit = t
			} else if e.left != old {
				s.passed = append(s.passed, t)
			}
		}
	}
	return hit
}

// sweepSteps is the slots' part of sweep.
func (s *Solver) sweepSteps(b, e int) (best cand) {
	for t := b; t < e; t++ {
		g := &s.edges[t]
		z := s.y[t+1] - s.y[t]
		if v := z - g.right; v > best.v {
			best = cand{v, int32(t), slotUp}
		}
		if v := g.left - z; v > best.v {
			best = cand{v, int32(t), slotDn}
		}
	}
	return best
}

// checkSteps checks the form of Steps and First.
func (p *Problem) checkSteps() error {
	if len(p.First) == 0 || p.First[0] != 0 || int(p.First[len(p.First)-1]) != len(p.Steps) {
		return ErrInput
	}
	for t := range len(p.First) - 1 {
		if p.First[t] > p.First[t+1] {
			return ErrInput
		}
		for i := p.First[t]; i < p.First[t+1]; i++ {
			st := &p.Steps[i]
			if st.Demand < 1 || st.Price < 1 || i > p.First[t] && p.Steps[i-1].Demand <= st.Demand {
				return ErrInput
			}
		}
	}
	return nil
}
