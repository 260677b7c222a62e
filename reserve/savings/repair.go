package savings

import (
	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"math"
)

// Optimal for the true values: negative cycles, from a plan that is almost optimal.
//
// The plan of the flow is optimal for values of units that are right in about eight digits.
// The plan is optimal for the true values if and only if there are potentials y with
//
//	δ_t(N_t + 1) ≤ y_{t+1} - y_t ≤ δ_t(N_t)      for each slot t with N_t active units,
//	y_e - y_s ≤ F_s, with = where units are bought, for each slot s where units can be bought,
//
// where e is the end of the term and F_s the price of a unit. Each condition is on a
// difference of two potentials, so it is an arc with a length. Either potentials exist,
// and the passes of Bellman and Ford converge to them, or some arcs form a cycle of negative
// length. Such a cycle is a cheaper plan: one unit more here, one less there, and N changes
// by one in the slots between. The cycle is carried out as often as the lengths of its arcs
// stay the same, and the passes go on.
//
// The arcs lie on a line, so a pass to the right and a pass to the left carry a change to
// both ends. The potentials of the flow are off by only 10⁻⁸ of a unit, so a few passes
// and cycles suffice. Every cycle lowers the cost. A limit on the passes bounds the time;
// none of the cases tried reached the limit. Lengths are integers of 128 bits.

// mendPasses is the limit on passes. The largest case of BenchmarkSavings takes 54.
const mendPasses = 4000

type repair struct {
	y        []wide.Int
	up, down []wide.Int // δ(N) and δ(N+1)
	parent   []int32
	kind     []int8
	stamp    []int32
	cycle    []int32
	passes   int
	cycles   int
}

// How a node got its potential.
const (
	viaNothing = int8(iota)
	viaLess    // from the node to the left: a unit less in the slot between
	viaMore    // from the node to the right: a unit more
	viaBuying  // from the node where a term begins
	viaSelling // from the node where it ends
)

// mend makes s.buy optimal for the true values, s.values its certificate in parts
// of units128, and reports whether it came to an end.
func (s *exact) mend() bool {
	n, r := s.slots, &s.repair
	r.y = grow.To(r.y, n+1)
	r.up = grow.To(r.up, n)
	r.down = grow.To(r.down, n)
	r.parent = grow.Zero(r.parent, n+1)
	r.kind = grow.To(r.kind, n+1)
	r.stamp = grow.Zero(r.stamp, n+1)
	clear(r.kind)

	whole, part := over(s.units128, s.units)
	sum := int64(0)
	r.y[0] = wide.Int{}
	for t := range n {
		sum += int64(s.values[t][1])
		a, ok := times(whole, sum)
		if !ok {
			return false
		}
		b, _ := over(wide.ProductInt(sum, part), s.units)
		r.y[t+1] = a.Plus(b)
		s.slopes(t)
	}
	for r.passes, r.cycles = 0, 0; r.passes < mendPasses; r.passes++ {
		if !s.pass() {
			for t := range n {
				s.values[t] = unsigned(r.y[t+1].Minus(r.y[t]))
			}
			return true
		}
		if v := r.onCycle(); v >= 0 {
			s.cancel(v)
			r.cycles++
			clear(r.kind)
		}
	}
	return false
}

// pass relaxes all arcs and reports whether that changed a potential.
func (s *exact) pass() (changed bool) {
	n, r := s.slots, &s.repair
	relax := func(to, from int, length wide.Int, kind int8) {
		if y := r.y[from].Plus(length); y.Less(r.y[to]) {
			r.y[to], r.parent[to], r.kind[to] = y, int32(from), kind
			changed = true
		}
	}
	for t := range n {
		relax(t+1, t, r.up[t], viaLess)
		if s.problem.sold(t) {
			relax(min(n, t+s.term), t, s.fee128(t), viaBuying)
		}
	}
	for t := n - 1; t >= 0; t-- {
		relax(t, t+1, r.down[t].Neg(), viaMore)
		if s.buy[t] > 0 {
			relax(t, min(n, t+s.term), s.fee128(t).Neg(), viaSelling)
		}
	}
	return changed
}

// fee128 returns the price of a unit bought at slot t.
func (s *exact) fee128(t int) wide.Int {
	f, _ := times(s.units128, int64(s.charged(t))) // scale has seen to it that it fits
	return f
}

// slopes computes the true values next to the active units of slot t.
func (s *exact) slopes(t int) {
	s.repair.up[t], _, _ = s.worth(t, max(1, s.active[t]))
	s.repair.down[t], _, _ = s.worth(t, s.active[t]+1)
}

// worth returns the true value of unit n ≥ 1 of slot t, and a range of units
// around it with the same value.
func (s *exact) worth(t, n int) (value wide.Int, from, to int) {
	a := int64(n-1) * s.unit
	b := a + s.unit
	at := int64(0)
	for i := range s.types {
		y := &s.types[i]
		end := at + y.rate*int64(y.demand[t])
		if lo, hi := max(a, at), min(b, end); lo < hi {
			if lo == a && hi == b {
				first := (at + s.unit - 1) / s.unit // units before the first whole one
				value, _ = times(y.true128, s.unit)
				return value, int(first) + 1, int(end / s.unit)
			}
			v, _ := times(y.true128, hi-lo)
			value = value.Plus(v)
		}
		at = end
	}
	if a >= at {
		return value, int((at+s.unit-1)/s.unit) + 1, math.MaxInt / 2
	}
	return value, n, n
}

// onCycle returns a node of a cycle of parents, or -1. Its length is negative.
func (r *repair) onCycle() int {
	clear(r.stamp)
	for v := range r.parent {
		u := v
		for r.stamp[u] == 0 && r.kind[u] != viaNothing {
			r.stamp[u] = int32(v) + 1
			u = int(r.parent[u])
		}
		if r.kind[u] != viaNothing && r.stamp[u] == int32(v)+1 {
			return u
		}
	}
	return -1
}

// cancel carries out the cycle through node v.
func (s *exact) cancel(v int) {
	r := &s.repair
	r.cycle = r.cycle[:0]
	times := math.MaxInt / 2
	for u := v; ; {
		r.cycle = append(r.cycle, int32(u))
		from := int(r.parent[u])
		switch r.kind[u] {
		case viaLess:
			_, first, _ := s.worth(from, s.active[from])
			times = min(times, s.active[from]-first+1)
		case viaMore:
			_, _, last := s.worth(u, s.active[u]+1)
			times = min(times, last-s.active[u])
		case viaSelling:
			times = min(times, s.buy[u])
		}
		if u = from; u == v {
			break
		}
	}
	for _, u := range r.cycle {
		from := int(r.parent[u])
		switch r.kind[u] {
		case viaLess:
			s.active[from] -= times
			s.slopes(from)
		case viaMore:
			s.active[u] += times
			s.slopes(int(u))
		case viaBuying:
			s.buy[from] += times
		case viaSelling:
			s.buy[u] -= times
		}
	}
}
