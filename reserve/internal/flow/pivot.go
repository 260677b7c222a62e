package flow

// A step of the network simplex: find the join, find the leaving arc, change the flow,
// update the tree. The sweep finds the entering arcs and updates the potentials (sweep.go).

// An entering arc takes units from node b to node a. The tree takes them back from a to b.
type entering struct {
	a, b  int32
	kind  int32 // as that of a segment whose exit is a; unused for a slot
	gain  int64 // what a unit on the arc saves, without the tree
	room  int64 // units that the arc takes
	class bool  // a purchase, not a slot
}

// A place on the way from an end of the entering arc to the root: a segment, and the node at which
// the way comes into the segment.
type place struct{ left, entry int32 }

// A run is slots [lo, hi) of the cycle in one segment. neg is 0 if the cycle walks the run to
// the left, so that the flows of the slots fall. neg is -1 if the flows rise. at says where the
// segment is.
type run struct{ lo, hi, neg, at int32 }

// Where an arc is on the cycle: 2·i + side for trail[side][i], or
const (
	atJoin  = -1
	nowhere = -2 // the entering arc itself leaves
)

// pivot lets a candidate enter the basis, if it is still violated.
func (s *Solver) pivot(c cand) {
	e, ok := s.entering(c)
	if !ok {
		s.Stats.Stale++
		return
	}
	s.findJoin(e.a, e.b)
	gain, room, slots := s.traceCycle(e.gain, e.room)
	theta := s.findLeaving(c, gain, room, slots)
	if theta == 0 {
		s.Stats.Stale++
		return
	}
	if theta == inf {
		panic("flow: unbounded")
	}
	s.Stats.Pivots++
	slot, at := s.changeFlow(c, &e, theta)
	if at != nowhere {
		s.updateTree(c, &e, theta, slot, at)
	}
}

// entering returns the arc of a candidate, and whether the arc is outside the basis and can take units.
func (s *Solver) entering(c cand) (e entering, ok bool) {
	k := int(c.k)
	switch {
	case k == slotUp || k == slotDn:
		e = entering{a: c.t + 1, b: c.t, room: inf}
		if k == slotDn {
			e.a, e.b = e.b, e.a
		}
		switch {
		case s.steps:
			g := &s.edges[c.t]
			if !g.out {
				return e, false
			}
			if e.gain = -s.kinks[g.k].after; k == slotDn {
				e.gain = g.left
			}
			return e, e.gain != -wall
		case k == slotUp:
			e.gain = -s.prob.Price
		}
		return e, s.x[c.t] == 0
	case k >= 0:
		e = entering{a: s.endOf(k, c.t), b: c.t, kind: c.k << 1, gain: -s.feeAt(k, int(c.t)), room: inf, class: true}
		if s.capped {
			e.room = s.cap[k]
		}
	default:
		k = unbuy - k
		e = entering{a: c.t, b: s.endOf(k, c.t), kind: int32(k)<<1 | 1, gain: s.feeAt(k, int(c.t)), room: s.cap[k], class: true}
	}
	return e, true
}

// endOf returns the node at which a purchase of class k at slot t ends.
func (s *Solver) endOf(k int, t int32) int32 {
	return int32(min(s.T, int(t)+s.prob.Classes[k].Term))
}

// findJoin fills in the ways from both ends of the entering arc to the segment where they meet. It
// climbs from both ends by turns, until one way meets the other.
func (s *Solver) findJoin(a, b int32) {
	segs := s.seg
	pa, pb := s.trail[0][:1], s.trail[1][:1]
	la, lb := s.left(a), s.left(b)
	pa[0], pb[0] = place{la, a}, place{lb, b}
	if la != lb {
		s.stamp += 2
		ma, mb := s.stamp, s.stamp+1
		ga, gb := &segs[la], &segs[lb]
		ga.stamp, ga.pos = ma, 0
		gb.stamp, gb.pos = mb, 0
		for {
			if q := ga.pnode; q >= 0 {
				la = s.left(q)
				pa = append(pa, place{la, q})
				ga = &segs[la]
				if ga.stamp == mb {
					pb = pb[:ga.pos+1]
					break
				}
				ga.stamp, ga.pos = ma, int32(len(pa)-1)
			}
			if q := gb.pnode; q >= 0 {
				lb = s.left(q)
				pb = append(pb, place{lb, q})
				gb = &segs[lb]
				if gb.stamp == ma {
					pa = pa[:gb.pos+1]
					break
				}
				gb.stamp, gb.pos = mb, int32(len(pb)-1)
			}
		}
	}
	s.trail = [2][]place{pa, pb}
}

// traceCycle lists the runs of slots on the cycle. It returns what a unit around the cycle saves, the cost of
// the slots left out, how many units the purchase arcs take, and the number of slots. gain and room are those of
// the entering arc.
func (s *Solver) traceCycle(gain, room int64) (all, least int64, slots int) {
	na, nb := len(s.trail[0])-1, len(s.trail[1])-1
	runs, n := s.runs[:na+nb+1], 0
	for side, trail := range s.trail {
		side := int32(side)
		sign := int64(-side) // -1 turns the cost round, on the way down to b
		for i, st := range trail[:len(trail)-1] {
			g := &s.seg[st.left]
			gain += g.cost ^ sign - sign
			f := g.flow
			if g.kind&1 != side { // the flow of the arc rises
				f = inf
				if s.capped {
					f = s.cap[g.kind>>1] - g.flow
				}
			}
			room = min(room, f)
			// Both directions are as likely, so that half of the branches would be predicted
			// wrongly. Written like this they become conditional moves.
			from, to := st.entry, g.exit
			neg := (from-to-1)>>31 ^ -side
			from, to = min(from, to), max(from, to)
			runs[n] = run{from, to, neg, int32(i)<<1 | side}
			n += int(uint32(from-to) >> 31)
			slots += int(to - from)
		}
	}
	from, to := s.trail[0][na].entry, s.trail[1][nb].entry
	neg := (from - to - 1) >> 31
	from, to = min(from, to), max(from, to)
	runs[n] = run{from, to, neg, atJoin}
	n += int(uint32(from-to) >> 31)
	s.runs = runs[:n]
	slots += int(to - from)
	s.Stats.Hops += na + nb
	s.Stats.Slots += slots
	return gain, room, slots
}

// changeFlow pushes theta units around the cycle. Exactly one arc of the cycle comes to a breakpoint: changeFlow
// returns where, and its slot, -1 if it is a purchase.
func (s *Solver) changeFlow(c cand, e *entering, theta int64) (slot, at int32) {
	slot, at = -1, nowhere
	for i := range s.runs {
		r := &s.runs[i]
		if t := s.push(r, theta); t >= 0 {
			slot, at = t, r.at
		}
	}
	for side, trail := range s.trail {
		for i, st := range trail[:len(trail)-1] {
			g := &s.seg[st.left]
			if int(g.kind&1) == side {
				if g.flow -= theta; g.flow == 0 {
					at = int32(i<<1 | side)
				}
				continue
			}
			g.flow += theta
			if s.capped && g.flow == s.cap[g.kind>>1] {
				at = int32(i<<1 | side)
				s.flipUpper(int(g.kind>>1), int([2]int32{g.exit, g.pnode}[g.kind&1^1]))
			}
		}
	}
	switch {
	case e.class:
		if c.k < 0 || at == nowhere {
			s.flipUpper(int(e.kind>>1), int(c.t))
		}
		return slot, at
	case c.k == slotUp:
		s.x[c.t] += theta
	default:
		s.x[c.t] -= theta
	}
	if s.steps {
		s.settle(int(c.t))
	}
	return slot, at
}

// push moves the flows of the slots of a run, and returns the slot that comes to a breakpoint, -1 if
// none does.
func (s *Solver) push(r *run, theta int64) (slot int32) {
	if r.neg == 0 {
		theta = -theta
	}
	if s.steps {
		return s.pushSteps(r, theta)
	}
	hit := -1
	x := s.x[r.lo:r.hi]
	for i, w := range x {
		w += theta
		x[i] = w
		if w == 0 {
			hit = i
		}
	}
	if hit < 0 {
		return -1
	}
	return r.lo + int32(hit)
}

// updateTree takes the leaving arc out of the tree. The part that falls off hangs by the entering arc from then on.
func (s *Solver) updateTree(c cand, e *entering, theta int64, slot, at int32) {
	u, w, kind, cost := e.a, e.b, e.kind, -e.gain
	if !s.cut(slot, at) {
		u, w, kind, cost = w, u, kind^1, -cost
	}
	if !e.class {
		s.hang(u, w, 0, 0, 0)
		// Join the two segments at the slot.
		if w == c.t+1 {
			s.seg[s.left(c.t)] = s.seg[w]
		}
		s.clearLeft(c.t + 1)
		return
	}
	flow := theta
	if c.k < 0 {
		flow = e.room - theta
	}
	s.hang(u, w, kind, cost, flow)
}

// cut takes the leaving arc out. The tree falls apart into the root's part and a part that holds one end of the
// entering arc: cut returns whether that is node a.
func (s *Solver) cut(slot, at int32) bool {
	if slot < 0 {
		s.seg[s.trail[at&1][at>>1].left].pnode = -1
		return at&1 == 0
	}
	join := s.trail[0][len(s.trail[0])-1]
	l := join.left
	if at != atJoin {
		l = s.trail[at&1][at>>1].left
	}
	g := &s.seg[l]
	right := g.exit <= slot // the right half comes off
	if right {
		s.seg[slot+1].pnode = -1
	} else {
		s.seg[slot+1] = *g
		g.pnode = -1
	}
	s.setLeft(slot + 1)
	if at == atJoin {
		return (join.entry > slot) == right
	}
	return at&1 == 0
}

// hang makes node u the top of the part of the tree that fell off, below node w. All arcs from
// u to the part's old top turn round.
func (s *Solver) hang(u, w, kind int32, cost, flow int64) {
	for {
		g := &s.seg[s.left(u)]
		old := *g
		g.exit, g.pnode, g.kind, g.cost, g.flow = u, w, kind, cost, flow
		if old.pnode < 0 {
			return
		}
		u, w, kind, cost, flow = old.pnode, old.exit, old.kind^1, -old.cost, old.flow
	}
}
