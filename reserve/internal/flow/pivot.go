package flow

// pivot lets a candidate enter the basis, if it is still violated.
func (s *Solver) pivot(c cand) {
	// The flow is pushed over the entering arc from b to a and back from a to
	// b over the tree. v is by how much each unit lowers the cost; own is how
	// much the entering arc takes.
	var a, b int32
	var v int64
	own := inf
	k := c.k
	switch {
	case k == slotUp || k == slotDn:
		w := s.x[c.t]
		if s.steps {
			e := &s.edges[c.t]
			switch {
			case !e.out, c.k == slotDn && e.left == -wall:
				s.Stats.Stale++
				return
			case c.k == slotUp:
				v = -e.right
			default:
				v = e.left
			}
		} else if s.general {
			lo := s.lo[c.t]
			if w != 0 && w != lo {
				s.Stats.Stale++
				return
			}
			if k == slotUp {
				if w >= 0 {
					v = -s.price[c.t]
				}
			} else {
				if w == lo {
					s.Stats.Stale++
					return
				}
				if lo != noLow {
					own = -lo
				}
			}
		} else {
			if w != 0 {
				s.Stats.Stale++
				return
			}
			if k == slotUp {
				v = -s.prob.Price
			}
		}
		b, a = c.t, c.t+1
		if k == slotDn {
			b, a = a, b
		}
	case k >= 0:
		b = c.t
		a = int32(min(s.T, int(c.t)+s.prob.Classes[k].Term))
		v = -s.feeAt(int(k), int(c.t))
		if s.capped {
			own = s.cap[k]
		}
	default:
		k = unbuy - k
		a = c.t
		b = int32(min(s.T, int(c.t)+s.prob.Classes[k].Term))
		v = s.feeAt(int(k), int(c.t))
		own = s.cap[k]
	}

	if s.live && s.violation(c) <= 0 {
		s.Stats.Stale++
		s.bank += (s.Stats.Slots+hopNodes*s.Stats.Hops)/(s.Stats.Walks+1) + tryNodes
		return
	}
	s.Stats.Walks++

	// Find the path: climb from both ends by turns until one meets the
	// other's trail.
	segs := s.seg
	pa, pb := s.pa[:1], s.pb[:1]
	la, lb := s.left(a), s.left(b)
	pa[0] = step{la, a}
	pb[0] = step{lb, b}
	if la != lb {
		s.it += 2
		ma, mb := s.it, s.it+1
		ga, gb := &segs[la], &segs[lb]
		ga.stamp, ga.pos = ma, 0
		gb.stamp, gb.pos = mb, 0
		for {
			if q := ga.pnode; q >= 0 {
				la = s.left(q)
				pa = append(pa, step{la, q})
				ga = &segs[la]
				if ga.stamp == mb {
					pb = pb[:ga.pos+1]
					break
				}
				ga.stamp, ga.pos = ma, int32(len(pa)-1)
			}
			if q := gb.pnode; q >= 0 {
				lb = s.left(q)
				pb = append(pb, step{lb, q})
				gb = &segs[lb]
				if gb.stamp == ma {
					pa = pa[:gb.pos+1]
					break
				}
				gb.stamp, gb.pos = mb, int32(len(pb)-1)
			}
		}
	}
	// The last elements of pa and pb are both the apex segment. The branches
	// on directions are a coin's toss each; written so that the compiler makes
	// conditional moves of them.
	na, nb := len(pa)-1, len(pb)-1
	pcs := s.pcs[:na+nb+1]
	npc := 0
	hard := own
	slots := 0
	for i, st := range pa {
		g := &segs[st.left]
		from, to := st.entry, g.exit
		tag := int32(i) << 1
		if i == na {
			to = pb[nb].entry
			tag = -1
		} else {
			v += g.cost
			f := g.flow
			if g.kind&1 != 0 {
				f = inf
				if s.capped {
					f = s.cap[g.kind>>1] - g.flow
				}
			}
			hard = min(hard, f)
		}
		neg := (from - to - 1) >> 31
		from, to = min(from, to), max(from, to)
		pcs[npc] = piece{from, to, neg, tag}
		npc += int(uint32(from-to) >> 31)
		slots += int(to - from)
	}
	for i, st := range pb[:nb] {
		g := &segs[st.left]
		v -= g.cost
		f := g.flow
		if g.kind&1 == 0 {
			f = inf
			if s.capped {
				f = s.cap[g.kind>>1] - g.flow
			}
		}
		hard = min(hard, f)
		from, to := g.exit, st.entry
		neg := (from - to - 1) >> 31
		from, to = min(from, to), max(from, to)
		pcs[npc] = piece{from, to, neg, int32(i)<<1 | 1}
		npc += int(uint32(from-to) >> 31)
		slots += int(to - from)
	}
	pcs = pcs[:npc]
	x := s.x
	var theta int64
	if s.steps {
		self := piece{}
		if c.k == slotUp || c.k == slotDn {
			self = piece{c.t, c.t + 1, slotDn - c.k, 0} // -1 rising, 0 falling
		}
		theta = s.longStepSteps(pcs, v, hard, self)
	} else if s.general {
		own0 := int64(0) // own breakpoint inside, of a slot at its lower bound
		if c.k == slotUp {
			own0 = -s.x[c.t]
		}
		theta = s.longStepGeneral(pcs, v, hard, own0, c.t)
	} else {
		theta = s.longStep(pcs, v, hard, slots)
	}
	s.Stats.Hops += na + nb
	s.Stats.Slots += slots
	if theta == 0 {
		s.Stats.Stale++
		return
	}
	if theta == inf {
		panic("flow: unbounded")
	}
	s.Stats.Pivots++

	// Push theta around the cycle. Exactly one arc ends at a breakpoint.
	s.passed = s.sid[:0]
	outSlot, outTag := int32(-1), int32(-2)
	for i := range pcs {
		pc := &pcs[i]
		d := -theta
		if pc.neg != 0 {
			d = theta
		}
		if s.steps {
			if t := s.pushSteps(*pc, theta); t >= 0 {
				outSlot, outTag = t, pc.tag
			}
			continue
		}
		q := x[pc.lo:pc.hi]
		hit := -1
		for i, old := range q {
			w := old + d
			q[i] = w
			if w^old < 0 {
				s.passed = append(s.passed, pc.lo+int32(i))
			}
			if w == 0 {
				hit = i
			}
		}
		if s.general && hit < 0 {
			for i, lo := range s.lo[pc.lo:pc.hi] {
				if q[i] == lo {
					hit = i
				}
			}
		}
		if hit >= 0 {
			outSlot, outTag = pc.lo+int32(hit), pc.tag
		}
	}
	for i, st := range pa[:na] {
		g := &segs[st.left]
		d := -theta
		if g.kind&1 != 0 {
			d = theta
		}
		g.flow += d
		if g.flow == 0 {
			outTag = int32(i) << 1
		}
		if s.capped && g.kind&1 != 0 && g.flow == s.cap[g.kind>>1] {
			outTag = int32(i) << 1
			s.flipUpper(int(g.kind>>1), int(g.exit))
		}
	}
	for i, st := range pb[:nb] {
		g := &segs[st.left]
		d := theta
		if g.kind&1 != 0 {
			d = -theta
		}
		g.flow += d
		if g.flow == 0 {
			outTag = int32(i)<<1 | 1
		}
		if s.capped && g.kind&1 == 0 && g.flow == s.cap[g.kind>>1] {
			outTag = int32(i)<<1 | 1
			s.flipUpper(int(g.kind>>1), int(g.pnode))
		}
	}
	// The entering arc's own new flow.
	flow := theta
	switch {
	case c.k == slotUp:
		x[c.t] += theta
		if s.steps {
			s.settle(int(c.t))
		}
		if outTag == -2 {
			s.repair(-1)
			return // it stopped at its own breakpoint
		}
	case c.k == slotDn:
		x[c.t] -= theta
		if s.steps {
			s.settle(int(c.t))
		}
		if outTag == -2 {
			s.repair(-1)
			return
		}
	case c.k >= 0:
		if outTag == -2 {
			s.flipUpper(int(k), int(c.t))
			s.repair(-1)
			return
		}
	default:
		s.flipUpper(int(k), int(c.t))
		flow = own - theta
		if outTag == -2 {
			s.repair(-1)
			return
		}
	}

	// Cut the leaving arc: the tree falls apart into the root's part and a
	// part that holds a (outA) or b.
	outA := outTag&1 == 0
	if outSlot < 0 {
		path := pb
		if outA {
			path = pa
		}
		g := &segs[path[outTag>>1].left]
		s.unlink(g.exit, g.pnode)
		g.pnode = -1
	} else {
		var l int32
		switch {
		case outTag == -1:
			l = pa[na].left
		case outA:
			l = pa[outTag>>1].left
		default:
			l = pb[outTag>>1].left
		}
		g := &segs[l]
		if g.exit <= outSlot { // the right half comes off
			segs[outSlot+1].pnode = -1
			if outTag == -1 {
				outA = pa[na].entry > outSlot
			}
		} else { // the left half comes off
			segs[outSlot+1] = *g
			g.pnode = -1
			if outTag == -1 {
				outA = pa[na].entry <= outSlot
			}
		}
		s.setLeft(outSlot + 1)
	}

	// Hang the loose part, with its end u of the entering arc as its new top,
	// below the other end w.
	u, w := a, b
	var kind int32
	var cost int64
	if c.k >= 0 {
		kind = k << 1
		cost = s.feeAt(int(k), int(c.t))
	} else if c.k <= unbuy {
		kind = k<<1 | 1
		cost = -s.feeAt(int(k), int(c.t))
	}
	if !outA {
		u, w = b, a
		kind ^= 1
		cost = -cost
	}
	slot := c.k == slotUp || c.k == slotDn
	cur, np := u, w
	for {
		g := &segs[s.left(cur)]
		oe, op, ok, oc, of := g.exit, g.pnode, g.kind, g.cost, g.flow
		g.exit, g.pnode, g.kind, g.cost, g.flow = cur, np, kind, cost, flow
		if op >= 0 {
			s.unlink(oe, op)
		}
		if cur != u || !slot {
			s.link(cur, np)
		}
		if op < 0 {
			break
		}
		cur, np, kind, cost, flow = op, oe, ok^1, -oc, of
	}
	if slot { // join the two segments at slot t
		t := c.t
		if w == t+1 {
			segs[s.left(t)] = segs[t+1]
		}
		s.clearLeft(t + 1)
		s.passed = append(s.passed, t)
		u = -1
	}
	s.repair(u)
}

// longStep returns how far to push: to the breakpoint at which the violation
// reaches zero, or to the first arc that can take no more. The violation falls
// by the price at every slot that changes sides. v is the violation but for the
// slots. Without a violation longStep returns 0.
func (s *Solver) longStep(pcs []piece, v, hard int64, slots int) (theta int64) {
	x := s.x
	buf := s.buf
	p := s.prob.Price
	n := 0
	var cnt int64 // slots on demand walked to the left, less those to the right
	if slots <= shortCycle {
		// One pass: a breakpoint is where the net flow moves towards zero. To
		// the right, the slots that are none are on demand.
		for i := range pcs {
			pc := &pcs[i]
			neg := int64(pc.neg)
			n0 := n
			q := x[pc.lo:pc.hi]
			for _, w := range q {
				w = (w ^ neg) - neg
				buf[n] = w
				n += int(uint64(-w) >> 63)
			}
			cnt += int64(n-n0) - int64(len(q))&neg
		}
		v += cnt * p
		if v <= 0 {
			return 0
		}
		if v <= int64(n)*p {
			m := 0
			if v > p {
				m = int((v - 1) / p)
			}
			if th := kth(buf[:n], m); th < hard {
				s.Stats.Crossed += m
				return th
			}
		}
		return hard
	}
	for i := range pcs {
		pc := &pcs[i]
		var c uint64
		for _, w := range x[pc.lo:pc.hi] {
			c += uint64(-w) >> 63
		}
		neg := int64(pc.neg)
		cnt += (int64(c) ^ neg) - neg
	}
	v += cnt * p
	if v <= 0 {
		return 0
	}
	m := slots + 1
	if q := (v + p - 1) / p; q < int64(m) {
		m = int(q)
	}
	// Keep the m smallest breakpoints below hard, cutting back when 2m+32 are
	// held.
	lim := min(2*m+32, len(buf))
	thr := hard
	for i := range pcs {
		pc := &pcs[i]
		neg := int64(pc.neg)
		for _, w := range x[pc.lo:pc.hi] {
			w = (w ^ neg) - neg
			if uint64(w-1) < uint64(thr-1) {
				if n == lim {
					thr = kth(buf[:n], m-1)
					n = m
					if w >= thr {
						continue
					}
				}
				buf[n] = w
				n++
			}
		}
	}
	if n >= m {
		s.Stats.Crossed += m - 1
		return kth(buf[:n], m-1)
	}
	s.Stats.Crossed += n
	return hard
}

// longStepGeneral is longStep with prices per slot and lower bounds. own0 is
// the entering slot's own breakpoint, or 0.
func (s *Solver) longStepGeneral(pcs []piece, v, hard, own0 int64, own int32) int64 {
	x, lo, price := s.x, s.lo, s.price
	for _, pc := range pcs {
		if pc.neg == 0 {
			for t := pc.lo; t < pc.hi; t++ {
				w := x[t]
				v += price[t] & (-w >> 63)
				if lo[t] != noLow {
					hard = min(hard, w-lo[t])
				}
			}
		} else {
			for t := pc.lo; t < pc.hi; t++ {
				v -= price[t] & (-x[t] >> 63)
			}
		}
	}
	if v <= 0 {
		return 0
	}
	buf := s.wbuf[:0]
	for _, pc := range pcs {
		if pc.neg == 0 {
			for t := pc.lo; t < pc.hi; t++ {
				if w := x[t]; uint64(w-1) < uint64(hard-1) {
					buf = append(buf, wbp{w, price[t]})
				}
			}
		} else {
			for t := pc.lo; t < pc.hi; t++ {
				if w := -x[t]; uint64(w-1) < uint64(hard-1) {
					buf = append(buf, wbp{w, price[t]})
				}
			}
		}
	}
	if own0 > 0 && own0 < hard {
		buf = append(buf, wbp{own0, price[own]})
	}
	if th, ok := wselect(buf, v); ok {
		return th
	}
	return hard
}
