package treelp

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A step: an entering column or row moves, the basic columns follow, and the move ends at the first
// breakpoint past which it no longer pays.

// rounding is the part of a sum of amounts that rounding errors may make.
const rounding = 1e-12

// tiny is a rate that stops nothing: it is no safe pivot.
const tiny = 1e-7

type direction struct {
	dn     []float64 // [v·K + k]: change of the purchases of class k on the way down to v
	last   []int32   // [v·K + k]: depth of the last purchase of class k on the way to v that changes, or far above
	da     []float64 // change of the reservations of a node
	nodes  []int32   // whose reservations change
	cols   []int32   // basic columns that change
	rates  []float64 // theirs
	events []event   // nodes that become tight
	gain   float64   // what short nodes save a unit
	sum    float64   // of the amounts that make it
}

type event struct {
	at, weight float64
	row        int32
}

func (s *Solver) growDirection() {
	s.dn, s.last = grow.To(s.dn, s.n*s.k), grow.To(s.last, s.n*s.k)
	s.da = grow.To(s.da, s.n)
}

// enter lets a candidate enter, if it still pays. sure says that nothing has changed since its
// price was computed.
func (s *Solver) enter(c *cand, sure bool) {
	if c.col >= 0 && s.basic[c.col] || c.col < 0 && !s.tight[c.row] {
		s.Stats.Stale++
		return
	}
	s.follow(c)
	slope, sum := s.slope(c)
	if sure && slope < sum*rounding { // and not more, which only a price beyond 64 bits can bring about
		slope = min(slope, -sum*1e-15)
	} else if slope >= -sum*rounding {
		s.Stats.Stale++
		return
	}
	theta, row, col, ok := s.longStep(c, slope)
	if !ok {
		s.Stats.Stale++
		return
	}
	s.Stats.Steps++
	s.move(theta)
	if row < 0 && col < 0 { // the entering column goes from one bound to the other
		s.full[c.col] = c.sign > 0
		s.count[c.col] = 0
		if c.sign > 0 {
			s.count[c.col] = theta
		}
		return
	}
	if len(s.terms)+len(s.rows) > s.limit {
		s.refactorAll()
	}
	// A row comes before a column comes, and a column goes before a row goes: every column always
	// has a row.
	if col >= 0 {
		s.setBasic(col, false)
		if s.full[col] = s.count[col] > s.most[col]/2; s.full[col] {
			s.count[col] = s.most[col]
		} else {
			s.count[col] = 0
		}
	}
	if row >= 0 {
		s.active[row] = s.demand[row]
		s.tight[row] = true
		s.refactor(int(row))
	}
	if c.col >= 0 {
		s.count[c.col] += theta * c.sign
		s.full[c.col] = false
		s.setBasic(c.col, true)
	} else {
		s.tight[c.row] = false
		s.active[c.row] = s.demand[c.row] + theta*c.sign
		s.refactor(int(c.row))
	}
}

func (s *Solver) setBasic(col int32, on bool) {
	v := int(col) / s.k
	s.basic[col] = on
	if on {
		s.basics[v]++
	} else {
		s.basics[v]--
		s.setValue(int(col), 1)
	}
	s.refactor(v)
}

// follow computes how basic columns and nodes change.
func (s *Solver) follow(c *cand) {
	K := s.k
	at, class := int(c.row), -1
	if c.col >= 0 {
		at, class = int(c.col)/K, int(c.col)%K
	}
	top := s.top(at, class, c.row)
	s.nodes, s.cols, s.rates, s.events = s.nodes[:0], s.cols[:0], s.rates[:0], s.events[:0]
	s.gain, s.sum = 0, 0
	end, depth, terms := s.end, s.depth, s.slots[:K]
	for u := top; u < int(end[top]); {
		s.Stats.Touched++
		base := u * K
		dn, last := s.dn[base:base+K], s.last[base:base+K]
		if u == top {
			clear(dn)
			for k := range last {
				last[k] = math.MinInt32 / 2
			}
		} else {
			up := int(s.p.Parent[u]) * K
			above, past := s.dn[up:up+K], s.last[up:up+K]
			inert, d := u > at || int(end[u]) <= at, depth[u]
			for k, t := range terms {
				dn[k], last[k] = above[k], past[k]
				inert = inert && d-past[k] >= t
			}
			if inert {
				u = int(end[u])
				continue
			}
		}
		if u == at && class >= 0 {
			dn[class] += c.sign
			last[class] = depth[u]
		}
		if s.basics[u] > 0 {
			s.respond(u, top, at, class, c)
		}
		if !s.tight[u] {
			d := 0.0
			for k, a := range s.anc[base : base+K] {
				d += dn[k]
				if int(a) >= top {
					d -= s.dn[int(a)*K+k]
				}
			}
			if d > 1e-9 || d < -1e-9 {
				s.da[u] = d
				s.nodes = append(s.nodes, int32(u))
				s.meet(u, d)
			}
		}
		u++
	}
}

// meet notes what node u saves while its reservations change by d, and where that ends.
func (s *Solver) meet(u int, d float64) {
	gap, price := s.demand[u]-s.active[u], float64(s.price[u])
	if gap > 0 {
		s.gain += d * price
		s.sum += math.Abs(d) * price
	}
	if d > tiny && gap > 0 || d < -tiny && gap < 0 {
		s.events = append(s.events, event{gap / d, math.Abs(d) * price, int32(u)})
	}
}

// respond sets the changes of the basic columns of node u: their rows keep what they have.
func (s *Solver) respond(u, top, at, class int, c *cand) {
	K := s.k
	base := u * K
	ahead := class >= 0 && u < at && int(s.end[u]) > at // the entering column is below u
	first := len(s.cols)
	for k := range K {
		if !s.basic[base+k] {
			continue
		}
		piv := s.pivot[base+k]
		sum := 0.0
		for _, t := range s.terms[piv.from:piv.to] {
			d := 0.0
			if t.row == c.row {
				d = -c.sign
			}
			if ahead && s.covers(at, class, t.row) {
				d += c.sign
			}
			for q := range K {
				a := int(s.anc[int(t.row)*K+q])
				if a < top {
					d += s.dn[base+q]
				} else if a < u {
					d += s.dn[base+q] - s.dn[a*K+q]
				}
			}
			sum += t.by * d
		}
		if sum > 1e-9 || sum < -1e-9 {
			s.cols = append(s.cols, int32(base+k))
			s.rates = append(s.rates, -sum/s.value[base+k])
		}
	}
	for i := first; i < len(s.cols); i++ {
		s.dn[s.cols[i]] += s.rates[i]
		s.last[s.cols[i]] = s.depth[u]
	}
}

// covers reports whether a purchase of a class at a node serves a row.
func (s *Solver) covers(at, class int, row int32) bool {
	return int(row) >= at && row < s.end[at] && int(s.anc[int(row)*s.k+class]) < at
}

// top returns the highest node with a column that changes, at least at.
func (s *Solver) top(at, class int, row int32) int {
	K := s.k
	top := at
	for w := int(s.p.Parent[at]); w >= 0; w = int(s.p.Parent[w]) {
		if s.basics[w] == 0 {
			continue
		}
		for k := range K {
			if !s.basic[w*K+k] {
				continue
			}
			piv := s.pivot[w*K+k]
			sum := 0.0
			for _, t := range s.terms[piv.from:piv.to] {
				if t.row == row || class >= 0 && s.covers(at, class, t.row) {
					sum += t.by
				}
			}
			if sum > 1e-9 || sum < -1e-9 {
				top = w
			}
		}
	}
	return top
}

// slope returns by how much the cost changes a unit, and the sum of the amounts that make it.
func (s *Solver) slope(c *cand) (slope, sum float64) {
	if c.col >= 0 {
		sum = float64(s.cost[c.col])
		slope = c.sign * sum
	} else if c.sign < 0 {
		slope = float64(s.price[c.row])
		sum = slope
	}
	for i, j := range s.cols {
		x := s.rates[i] * float64(s.cost[j])
		slope += x
		sum += math.Abs(x)
	}
	return slope - s.gain, sum + s.sum
}

// longStep returns how far to go, and the row or the column that leaves, -1 and -1 if the entering
// column gets to its own bound. It reports false if there is no end, which only rounding errors
// bring about.
func (s *Solver) longStep(c *cand, slope float64) (theta float64, row, col int32, ok bool) {
	room, row, col := math.Inf(1), int32(-1), int32(-1)
	if c.col >= 0 {
		room = s.most[c.col]
	}
	for i, j := range s.cols {
		t := math.Inf(1)
		if r := s.rates[i]; r < -tiny {
			t = max(0, s.count[j]) / -r
		} else if r > tiny {
			t = max(0, s.most[j]-s.count[j]) / r
		}
		if t < room {
			room, col = t, j
		}
	}
	ev := s.events
	n := 0
	for _, e := range ev {
		if e.at < room {
			ev[n] = e
			n++
		}
	}
	ev = ev[:n]
	for i := len(ev)/2 - 1; i >= 0; i-- {
		sift(ev, i)
	}
	var last event
	for len(ev) > 0 {
		last = ev[0]
		if slope += last.weight; slope >= 0 {
			return last.at, last.row, -1, true
		}
		ev[0] = ev[len(ev)-1]
		ev = ev[:len(ev)-1]
		if len(ev) > 0 {
			sift(ev, 0)
		}
	}
	if room == math.Inf(1) && last.weight > 0 { // a purchase for nothing pays up to the last node, but for rounding errors
		return last.at, last.row, -1, true
	}
	return room, -1, col, room < math.Inf(1)
}

func sift(ev []event, i int) {
	e := ev[i]
	for {
		c := 2*i + 1
		if c >= len(ev) {
			break
		}
		if c+1 < len(ev) && ev[c+1].at < ev[c].at {
			c++
		}
		if ev[c].at >= e.at {
			break
		}
		ev[i] = ev[c]
		i = c
	}
	ev[i] = e
}

// move goes theta far.
func (s *Solver) move(theta float64) {
	for _, u := range s.nodes {
		s.active[u] += theta * s.da[u]
	}
	for i, j := range s.cols {
		s.count[j] += theta * s.rates[i]
	}
}
