package flow

import "math/bits"

// Potentials of all nodes, and the arcs that they violate.

// A candidate is an arc outside the basis that saves v for each unit. t is a slot; k is a class or one of the
// following.
type cand struct {
	v    int64
	t, k int32
}

const (
	slotUp = -1 // the slot enters, its flow rising
	slotDn = -2 // the slot enters, its flow falling
	unbuy  = -3 // k <= unbuy: class unbuy-k leaves its cap
)

const minBlock = 8 // slots; smaller ones only added stale candidates on the reference problems

// nextBlock adapts the pricing block so that a sweep and the pivots that it
// feeds take about the same work, and not too many candidates go stale.
func (s *Solver) nextBlock(block int, before Stats) int {
	att := s.Stats.Pivots - before.Pivots + s.Stats.Stale - before.Stale
	work, sweep := s.stepWork(before), s.sweepWork()
	stale := s.Stats.Stale - before.Stale
	switch {
	case work < sweep:
		block = max(minBlock, block/2)
	case stale*2 > att && work > 2*sweep:
		block = min(block*2, s.T)
	}
	return block
}

// stepWork returns the work of the steps since before, and sweepWork that of a sweep, in
// the same unit: half of what looking at an arc takes.
func (s *Solver) stepWork(before Stats) int {
	att := s.Stats.Pivots - before.Pivots + s.Stats.Stale - before.Stale
	return 2*(s.Stats.Slots-before.Slots) + 20*(s.Stats.Hops-before.Hops) + 200*att
}

func (s *Solver) sweepWork() int { return 2 * s.T * (6 + len(s.prob.Classes)) }

// order sorts the candidates into 64 classes of falling violation, keeping
// their order inside a class.
func (s *Solver) order(top int64) {
	if len(s.cand) < 2 {
		return
	}
	const nb = 64
	var cnt [nb + 1]int32
	sh := max(0, bits.Len64(uint64(top))-31)
	mul := (uint64(nb) << 32) / (uint64(top)>>sh + 1)
	key := func(v int64) uint64 { return nb - 1 - min(nb-1, (uint64(v)>>sh)*mul>>32) }
	for i := range s.cand {
		cnt[key(s.cand[i].v)+1]++
	}
	for i := 1; i < nb; i++ {
		cnt[i] += cnt[i-1]
	}
	out := s.cnd2[:len(s.cand)]
	for _, c := range s.cand {
		k := key(c.v)
		out[cnt[k]] = c
		cnt[k]++
	}
	s.cand, s.cnd2 = out, s.cand
}

// potentials recomputes y from the tree, y[T] = 0 at the root segment's exit.
func (s *Solver) potentials() {
	T := s.T
	x, y, sid, rt := s.x[:T], s.y[:T+1], s.sid[:T+1], s.rt
	var v int64
	id := int32(0)
	if s.steps {
		for t := range x {
			e := &s.edges[t]
			y[t], sid[t], rt[id] = v, id, int32(t)
			o := int32(0)
			if e.out {
				o = 1
			}
			v += e.left & int64(o-1)
			id += o
		}
	} else {
		p := s.prob.Price
		for t, w := range x {
			y[t], sid[t], rt[id] = v, id, int32(t)
			v += p & (-w >> 63)
			id += int32((w|-w)>>63) + 1
		}
	}
	y[T] = v
	sid[T] = id
	rt[id] = int32(T)
	n := id + 1
	off := s.off[:n]
	for i := range off {
		off[i] = unset
	}
	st := s.trail[0][:0]
	for i := range n {
		if off[i] != unset {
			continue
		}
		c := i
		var o int64
		for {
			l := int32(0)
			if c > 0 {
				l = rt[c-1] + 1
			}
			g := &s.seg[l]
			if g.pnode < 0 {
				o = -y[g.exit]
				off[c] = o
				break
			}
			f := g.cost + y[g.pnode] - y[g.exit]
			q := sid[g.pnode]
			if off[q] != unset {
				o = off[q] + f
				off[c] = o
				break
			}
			st = append(st, place{left: c})
			off[c] = f // provisional, made final below
			c = q
		}
		for k := len(st) - 1; k >= 0; k-- {
			c := st[k].left
			o += off[c]
			off[c] = o
		}
		st = st[:0]
	}
	for t, id := range sid {
		y[t] += off[id]
	}
}

// sweep collects the most violated arc of every block of slots and returns
// the largest violation.
func (s *Solver) sweep(block int) (top int64) {
	s.cand = s.cand[:0]
	b := 0
	if block == minBlock && s.plain {
		for ; b+stripSlots+s.longest <= s.T; b += stripSlots {
			top = max(top, s.sweepStrip(b))
		}
	}
	for ; b < s.T; b += block {
		best := s.worst(b, min(s.T, b+block))
		if best.v > 0 {
			s.cand = append(s.cand, best)
			top = max(top, best.v)
		}
	}
	return top
}

const (
	stripBlocks = 32
	stripSlots  = stripBlocks * minBlock
)

// sweepStrip finds the most violated arc of each block of slots, for the 32 blocks of the strip
// that begins at slot b. An arc is violated if a change of its flow would lower the cost.
// sweepStrip appends the arcs to s.cand and returns the largest violation.
//
// sweepStrip goes through the strip class by class, and is faster than a call of worst for each
// block. It requires blocks of the least size, minBlock, one fee for each class, and terms that all
// end within the horizon.
//
// Without sweepStrip a solve takes longer: 2 to 11% on the reference demands with terms of months
// and years, and 17 to 35% with ten terms. To measure it, run this with and without the loop over
// strips in sweep:
//
//	PLIMSOLL_SHARED=DIR go test -run NONE -bench Exact ./reserve
func (s *Solver) sweepStrip(b int) (top int64) {
	var most [stripBlocks]int64
	var best [stripBlocks]int32
	strip := s.y[b : b+stripSlots+1]
	p := s.prob.Price
	for i := range most {
		y := (*[minBlock + 1]int64)(strip[i*minBlock:])
		up, dn := y[1]-y[0], y[1]-y[0]
		for j := 1; j < minBlock; j++ {
			z := y[j+1] - y[j]
			up, dn = max(up, z), min(dn, z)
		}
		best[i] = slotUp
		if up-p <= -dn {
			best[i] = slotDn
		}
		most[i] = max(up-p, -dn, 0)
	}
	for k := range s.prob.Classes {
		c := &s.prob.Classes[k]
		ends := s.y[b+c.Term : b+c.Term+stripSlots]
		for i := range most {
			y := (*[minBlock]int64)(strip[i*minBlock:])
			e := (*[minBlock]int64)(ends[i*minBlock:])
			m := max(max(max(e[0]-y[0], e[1]-y[1]), max(e[2]-y[2], e[3]-y[3])),
				max(max(e[4]-y[4], e[5]-y[5]), max(e[6]-y[6], e[7]-y[7]))) - c.Fee
			if m > most[i] {
				most[i], best[i] = m, int32(k)
			}
		}
	}
	for i, v := range most {
		if v > 0 {
			s.cand = append(s.cand, cand{v, s.find(b+i*minBlock, best[i], v), best[i]})
			top = max(top, v)
		}
	}
	return top
}

// find returns the first slot from b on at which slot or class k has the violation v.
func (s *Solver) find(b int, k int32, v int64) int32 {
	y, t := s.y, b
	switch {
	case k == slotUp:
		for y[t+1]-y[t]-s.prob.Price != v {
			t++
		}
	case k == slotDn:
		for y[t]-y[t+1] != v {
			t++
		}
	default:
		c := &s.prob.Classes[k]
		for y[min(s.T, t+c.Term)]-y[t]-c.Fee != v {
			t++
		}
	}
	return int32(t)
}

// worst returns the most violated arc that begins in the slots b to e-1: of several, a slot before a class,
// the first class, and the first slot.
func (s *Solver) worst(b, e int) (best cand) {
	T := s.T
	y := s.y[:T+1]
	if s.steps {
		best = s.sweepSteps(b, e)
	} else {
		y0 := y[b]
		up, dn := int64(0), int64(0)
		for _, y1 := range y[b+1 : e+1] {
			z := y1 - y0
			y0 = y1
			up = max(up, z)
			dn = min(dn, z)
		}
		up -= s.prob.Price
		if best = (cand{up, -1, slotUp}); up <= -dn {
			best = cand{-dn, -1, slotDn}
		}
	}
	for k := range s.prob.Classes {
		c := &s.prob.Classes[k]
		if c.Fees != nil || c.Max > 0 {
			if one := s.sweepClass(b, e, k); one.v > best.v {
				best = one
			}
			continue
		}
		m := int64(-1) << 62
		e1 := max(b, min(e, T-c.Term))
		if b < e1 {
			m = mostRise(y[b:e1], y[b+c.Term:])
		}
		for _, v := range y[e1:e] {
			m = max(m, y[T]-v)
		}
		if m -= c.Fee; m > best.v {
			best = cand{m, -1, int32(k)}
		}
	}
	if best.v > 0 && best.t < 0 {
		best.t = s.find(b, best.k, best.v)
	}
	return best
}

// mostRise returns the largest of b[i] - a[i] over a, by four chains of comparisons.
func mostRise(a, b []int64) int64 {
	b = b[:len(a)]
	m0, m1, m2, m3 := b[0]-a[0], int64(-1)<<62, int64(-1)<<62, int64(-1)<<62
	for len(a) >= 4 && len(b) >= 4 {
		m0 = max(m0, b[0]-a[0])
		m1 = max(m1, b[1]-a[1])
		m2 = max(m2, b[2]-a[2])
		m3 = max(m3, b[3]-a[3])
		a, b = a[4:], b[4:]
	}
	for i := range a {
		m0 = max(m0, b[i]-a[i])
	}
	return max(max(m0, m1), max(m2, m3))
}

// sweepClass is the part of sweep of one class with Fees or Max.
func (s *Solver) sweepClass(b, e, k int) (best cand) {
	c := &s.prob.Classes[k]
	for t := b; t < e; t++ {
		f := c.Fee
		if c.Fees != nil {
			if f = c.Fees[t]; f < 0 {
				continue
			}
		}
		v := s.y[min(s.T, t+c.Term)] - s.y[t] - f
		if v > best.v {
			if s.capped && s.atUpper(k, t) {
				continue
			}
			best = cand{v, int32(t), int32(k)}
		} else if s.capped && -v > best.v && s.atUpper(k, t) {
			best = cand{-v, int32(t), int32(unbuy - k)}
		}
	}
	return best
}
