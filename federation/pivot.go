package federation

import "slices"

// The steps of the network simplex of twocentre.go: a sweep lists arcs that break their
// condition; a listed arc enters the tree, flow is pushed around its cycle, and the arc
// of the last kink leaves.

// sweep lists, of each block of slots and arcs, the one that breaks its condition most.
func (f *twoCentre) sweep() {
	f.sweeps++
	listed, y := f.listed[:0], f.y
	worst, by, left := int32(0), int64(0), block
	for t := f.slots - 1; t >= 0; t-- {
		z, l := y[t]-y[t+1], &f.line[t]
		if v := max(z-l.above, l.below-z); v > by {
			worst, by = ^int32(t), v
		}
		if left--; left == 0 {
			if by > 0 {
				listed = append(listed, worst)
			}
			by, left = 0, block
		}
	}
	for rest, from := f.offers, 0; len(rest) > 0; {
		k := min(left, len(rest))
		for a := range rest[:k] {
			p := &rest[a]
			if v := p.side * (p.cost + y[p.start] - y[p.end]); v > by {
				worst, by = int32(from+a), v
			}
		}
		rest, from = rest[k:], from+k
		if left -= k; left == 0 {
			if by > 0 {
				listed = append(listed, worst)
			}
			by, left = 0, block
		}
	}
	if by > 0 {
		listed = append(listed, worst)
	}
	f.listed = listed
}

// cycle finds the tree paths from the ends of an arc to where they meet.
func (f *twoCentre) cycle(tail, head int32) {
	tails, heads := f.tails[:0], f.heads[:0]
	mt, mh := f.nextStamp(), f.nextStamp()
	if mh < mt { // the marks were cleared in between
		mt = f.nextStamp()
	}
	nodes := f.nodes
	nodes[tail].mark, nodes[head].mark = mt, mh
	meet := int32(-1)
	for meet < 0 {
		if up := nodes[tail].parent; up >= 0 {
			tails = append(tails, tail)
			tail = up
			if nodes[tail].mark == mh {
				meet = tail
				break
			}
			nodes[tail].mark = mt
		}
		if up := nodes[head].parent; up >= 0 {
			heads = append(heads, head)
			head = up
			if nodes[head].mark == mt {
				meet = head
				break
			}
			nodes[head].mark = mh
		}
	}
	f.tails, f.heads = cut(tails, meet), cut(heads, meet)
}

// cut cuts a path off at a node.
func cut(path []int32, at int32) []int32 {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == at {
			return path[:i]
		}
	}
	return path
}

// An entering arc, as a step sees it.
type entering struct {
	arc  int32
	sign int64 // +1 if flow is pushed along the arc, -1 against it
	pays int64 // by how much a unit pushed lowers the cost
	own  int64 // units up to the arc's own bound or kink
	loss int64 // by how much less a unit pays beyond it
}

// enter lets an arc enter the tree if that pays.
func (f *twoCentre) enter(a int32) {
	if a < 0 && f.line[^a].in || a >= 0 && f.offers[a].side == 0 {
		return // it is in the tree by now
	}
	tail, head := f.ends(a)
	f.cycle(tail, head)
	e := f.priced(a)
	if e.pays <= 0 {
		return
	}
	f.steps++
	push, out := f.leaving(e)
	if a < 0 {
		f.line[^a].n += e.sign * push
		f.slope(^a)
	} else {
		f.arcs[a].x += e.sign * push
		f.side(a)
	}
	f.move(f.heads, e.sign*push)
	f.move(f.tails, -e.sign*push)
	if out >= 0 { // else the arc went from one end to the other
		f.exchange(a, tail, head, out)
	}
}

// priced returns an arc with what a unit of flow around its cycle pays.
func (f *twoCentre) priced(a int32) entering {
	// back is the cost of a unit on its way back from head to tail through the tree.
	back := int64(0)
	for _, w := range f.heads {
		back += f.nodes[w].cost
	}
	for _, w := range f.tails {
		back -= f.nodes[w].cost
	}
	e := entering{arc: a, own: unbounded, loss: unbounded}
	if a >= 0 {
		p := &f.arcs[a]
		e.own = p.cap
		switch r := p.cost + back; p.x {
		case 0:
			e.sign, e.pays = 1, -r
		case p.cap:
			e.sign, e.pays = -1, r
		}
		return e
	}
	l := &f.line[^a]
	switch {
	case l.above+back < 0:
		e.sign, e.pays = 1, -l.above-back
		if l.n < l.high {
			e.own, e.loss = l.high-l.n, f.last-l.mid
		}
	case l.below+back > 0:
		e.sign, e.pays = -1, l.below+back
		if l.n > l.low {
			e.own, e.loss = l.n-l.low, l.mid-f.first
		}
	}
	return e
}

// leaving returns how many units to push around the cycle: past every kink beyond which a
// unit still pays. out is the node whose arc to its parent leaves the tree, or -1 if the
// entering arc goes from one end to the other.
func (f *twoCentre) leaving(e entering) (push int64, out int32) {
	for e.pays > 0 {
		at, loss := e.own, e.loss
		if at <= push {
			at = unbounded
		}
		out = -1
		at, loss, out = f.next(f.heads, e.sign > 0, push, at, loss, out)
		at, loss, out = f.next(f.tails, e.sign < 0, push, at, loss, out)
		if at >= unbounded {
			panic("federation: the flow has no limit") // every cycle has a part, and parts are bounded
		}
		push = at
		if loss == unbounded {
			break
		}
		e.pays -= loss
	}
	return push, out
}

// exchange lets the part of the tree below out hang from arc a, which enters.
func (f *twoCentre) exchange(a, tail, head, out int32) {
	w, up := tail, head
	if slices.Contains(f.heads, out) {
		w, up = head, tail
	}
	if a < 0 {
		f.line[^a].in = true
	}
	was := f.nodes[w]
	f.nodes[w].parent, f.nodes[w].via = up, a
	f.load(w)
	for w != out {
		up, w = w, was.parent
		v := &f.nodes[w]
		was, *v = *v, node{up, was.via, v.mark, -was.cost, was.down, was.up}
	}
	if was.via < 0 {
		f.line[^was.via].in = false
	}
}

// next looks at a path on which flow is pushed up (or down) the tree. It finds the nearest
// kink or bound that is beyond push and nearer than at. loss is by how much less each unit
// pays beyond it.
func (f *twoCentre) next(path []int32, up bool, push, at, loss int64, out int32) (int64, int64, int32) {
	found := int32(-1)
	for _, w := range path {
		v := &f.nodes[w]
		left := v.down
		if up {
			left = v.up
		}
		if left <= push { // the kink of a slot, passed already
			l := &f.line[^v.via]
			if l.low <= l.n && l.n <= l.high {
				continue
			}
			left += l.high - l.low
		}
		if left < at && left > push {
			at, found = left, w
		}
	}
	if found < 0 {
		return at, loss, out
	}
	return at, f.loss(found, up, at), found
}

// loss returns by how much less a unit pays, pushed up (or down) from node w, once it
// has passed the bound or kink that is at units away.
func (f *twoCentre) loss(w int32, up bool, at int64) int64 {
	v := &f.nodes[w]
	if v.via >= 0 {
		return unbounded
	}
	l := &f.line[^v.via]
	left := v.down
	if up {
		left = v.up
	}
	rises := f.climbs(w) == up
	switch {
	case l.low == l.high:
		return f.last - f.first
	case l.low <= l.n && l.n <= l.high:
		if rises {
			return f.last - l.mid
		}
	case rises != (at == left): // the second of two kinks on its way up, the first on its way down
		return f.last - l.mid
	}
	return l.mid - f.first
}

// move pushes flow up the tree along a path.
func (f *twoCentre) move(path []int32, d int64) {
	for _, w := range path {
		v := &f.nodes[w]
		v.up -= d
		v.down += d
		if v.up > 0 && v.down > 0 {
			continue
		}
		f.store(w)
		if v.via >= 0 {
			f.side(v.via)
		} else {
			f.slope(^v.via)
			f.load(w)
		}
	}
}
