package lpbound

import "math"

// An edge is the step at hand: the column enter or the active row row moves by sign, and the basic
// columns follow by s.dr, the rows by s.dN.
type edge struct {
	enter, row int // -1 for none
	place      int // of row among the active
	sign       float64
	slope      float64 // of the cost
	events     int     // on the heap
	passed     int32   // breakpoints of row
	t          float64 // how far
	leave      int     // a row, rows + the place of a basic column, itself, or none
}

// What leaves, beside rows and columns.
const (
	itself = -1 // the entering variable stops at its own limit
	none   = -2
)

// step moves along the edge that column enter (or active row row) opens, past
// every breakpoint at which it still pays, and exchanges the basis.
func (s *simplex) step(enter, row int, sign float64) bool {
	e := edge{enter: enter, row: row, place: -1, sign: sign, leave: none}
	s.direction(&e)
	s.rates(&e)
	s.events(&e)
	if !s.longStep(&e) {
		return false // only rounding errors can do this: fees are >= 0 and worths end at 0
	}
	s.move(&e)
	s.exchange(&e)
	return true
}

// direction sets s.dr to the directions of the basic columns, and the slope of the cost.
func (s *simplex) direction(e *edge) {
	p := s.p
	dr := s.dr[:p]
	if e.enter >= 0 {
		// K dr = -sign * a
		at := s.span(e.enter)
		list := s.list[:0]
		for q, r := range s.rowAt[:p] {
			if s.has(r, at) {
				list = append(list, int32(q))
			}
		}
		for c := range p {
			t := 0.0
			row := s.w[c*s.stride : c*s.stride+p]
			for _, q := range list {
				t += row[q]
			}
			dr[c] = -e.sign * t
		}
		e.slope = -math.Abs(s.fee[e.enter] - s.gain(at))
		return
	}
	e.place = int(s.kpos[e.row])
	for c := range p {
		dr[c] = e.sign * s.w[c*s.stride+e.place]
	}
	a := s.seg[e.row]
	if e.sign > 0 {
		e.slope = s.y[e.row] - s.worth(e.row, a+1)
	} else {
		e.slope = s.worth(e.row, a) - s.y[e.row]
	}
}

// rates sets s.dN to the directions of the rows.
func (s *simplex) rates(e *edge) {
	clear(s.diff)
	if e.enter >= 0 {
		s.mark(s.span(e.enter), e.sign)
	}
	dr := s.dr[:s.p]
	for c, f := range dr {
		if math.Abs(f) > drop {
			s.mark(s.colAt[c], f)
		} else {
			dr[c] = 0
		}
	}
	s.cumulate()
}

// mark adds f units of a column to the differences of its level.
func (s *simplex) mark(at span, f float64) {
	W := s.n + 1
	s.diff[int(at.lev)*W+int(at.i)] += f
	s.diff[int(at.lev)*W+int(at.e)] -= f
}

// cumulate sets s.dN to what s.diff adds up to, over time and from the last level on.
func (s *simplex) cumulate() {
	n := s.n
	for k := s.levels - 1; k >= 0; k-- {
		t := 0.0
		d := s.diff[k*(n+1) : (k+1)*(n+1)]
		for i := range n {
			t += d[i]
			v := t
			if k < s.levels-1 {
				v += s.dN[(k+1)*n+i]
			}
			s.dN[k*n+i] = v
		}
	}
}

// push puts an event at t on the heap, which events then orders.
func (s *simplex) push(e *edge, t float64, i int) {
	s.heapT[e.events], s.heapI[e.events] = t, int32(i)
	e.events++
}

// events fills the heap: rows first (index r), then basic columns (rows + place), then the entering
// variable (itself).
func (s *simplex) events(e *edge) {
	for r, d := range s.dN[:s.rows] {
		if s.kpos[r] >= 0 || math.Abs(d) <= tinyMove {
			continue
		}
		a := s.seg[r]
		if d > 0 {
			if a < s.size[r] {
				s.push(e, max(0, (float64(s.val[s.off[r]+a])-s.N[r])/d), r)
			}
		} else if a > 0 {
			s.push(e, max(0, (float64(s.val[s.off[r]+a-1])-s.N[r])/d), r)
		}
	}
	for c, d := range s.dr[:s.p] {
		if math.Abs(d) <= tinyMove {
			continue
		}
		if t := s.reach(int(s.colsK[c]), d); t < inf {
			s.push(e, t, s.rows+c)
		}
	}
	if limit := s.own(e); limit < inf {
		s.push(e, limit, itself)
	}
	for i := e.events/2 - 1; i >= 0; i-- {
		s.sift(i, e.events)
	}
}

// own returns how far the entering variable itself may go.
func (s *simplex) own(e *edge) float64 {
	switch {
	case e.enter >= 0 && e.sign > 0:
		return s.hi[e.enter] - s.x[e.enter]
	case e.enter >= 0:
		return s.x[e.enter] - s.lo[e.enter]
	case e.sign > 0:
		return s.piece(e.row, s.seg[e.row])
	}
	return s.piece(e.row, s.seg[e.row]-1)
}

// piece returns the distance from breakpoint a of row r to the next, inf if there is none.
func (s *simplex) piece(r int, a int32) float64 {
	if a < 0 || a+1 >= s.size[r] {
		return inf
	}
	return float64(s.val[s.off[r]+a+1] - s.val[s.off[r]+a])
}

// longStep passes the events in the order in which they come, until the step no longer pays. It
// reports false if it passes all.
func (s *simplex) longStep(e *edge) bool {
	for e.events > 0 {
		e.t = s.heapT[0]
		at := int(s.heapI[0])
		var next float64 // the next event of the same variable
		var stop bool
		switch {
		case at == itself:
			next, stop = s.passOwn(e)
		case at < s.rows:
			next, stop = s.passRow(e, at)
		default:
			next, stop = s.passColumn(e, at-s.rows)
		}
		if stop {
			e.leave = at
			return true
		}
		if next < inf {
			s.heapT[0], s.heapI[0] = next, int32(at)
		} else {
			e.events--
			s.heapT[0], s.heapI[0] = s.heapT[e.events], s.heapI[e.events]
		}
		s.sift(0, e.events)
	}
	return false
}

// passOwn passes the next breakpoint of the entering row. An entering column stops.
func (s *simplex) passOwn(e *edge) (next float64, stop bool) {
	if e.enter >= 0 {
		return 0, true
	}
	a := s.seg[e.row] + e.passed
	if e.sign > 0 {
		a++ // reaches breakpoint a
		e.passed++
		if s.hard[e.row] && a == s.size[e.row]-1 {
			return 0, true
		}
	} else {
		a--
		e.passed--
	}
	e.slope += s.worth(e.row, a) - s.worth(e.row, a+1)
	if e.sign < 0 {
		a-- // the piece below
	}
	return e.t + s.piece(e.row, a), e.slope >= 0
}

// passRow passes the next breakpoint of an inactive row.
func (s *simplex) passRow(e *edge, r int) (next float64, stop bool) {
	d, a := s.dN[r], s.seg[r]
	if d > 0 {
		if s.hard[r] && a == s.size[r]-1 {
			return 0, true
		}
		if e.slope += d * (s.worth(r, a) - s.worth(r, a+1)); e.slope >= 0 {
			return 0, true
		}
		s.seg[r], s.yi[r] = a+1, s.worth(r, a+1)
		return e.t + s.piece(r, a)/d, false
	}
	e.slope -= d * (s.worth(r, a-1) - s.worth(r, a))
	if s.seg[r] = a - 1; e.slope >= 0 {
		return 0, true
	}
	s.yi[r] = s.worth(r, a-1)
	return e.t - s.piece(r, a-2)/d, false
}

// passColumn passes a bound of a basic column that came from outside its bounds, and goes on to the
// other one.
func (s *simplex) passColumn(e *edge, c int) (next float64, stop bool) {
	j, d := int(s.colsK[c]), s.dr[c]
	e.slope += math.Abs(d) * s.big
	if s.lo[j] == s.hi[j] && math.Abs(s.x[j]-s.lo[j]) > tinyStep {
		e.slope += math.Abs(d) * s.big // both bounds are here
	}
	if e.slope >= 0 {
		return 0, true
	}
	at := s.x[j] + e.t*d
	if d > 0 && at < s.hi[j]-tinyStep && s.hi[j] < inf {
		return (s.hi[j] - s.x[j]) / d, false
	} else if d < 0 && at > s.lo[j]+tinyStep {
		return (s.lo[j] - s.x[j]) / d, false
	}
	return inf, false
}

// move goes to the end of the step.
func (s *simplex) move(e *edge) {
	for r, d := range s.dN[:s.rows] {
		if d != 0 && s.kpos[r] < 0 {
			s.N[r] += e.t * d
		}
	}
	for c, d := range s.dr[:s.p] {
		if d != 0 {
			s.x[s.colsK[c]] += e.t * d
		}
	}
	if e.enter >= 0 {
		s.x[e.enter] += e.sign * e.t
	}
}

// exchange takes what enters into the basis, in the place of what leaves.
func (s *simplex) exchange(e *edge) {
	dr := s.dr[:s.p]
	if e.leave >= 0 {
		s.devex(e.enter, e.row, e.leave, dr)
	}
	switch {
	case e.leave == itself && e.enter >= 0:
		if e.sign > 0 {
			s.x[e.enter] = s.hi[e.enter]
		} else {
			s.x[e.enter] = s.lo[e.enter]
		}
	case e.leave == itself:
		s.seg[e.row] += e.passed
		s.N[e.row] = float64(s.val[s.off[e.row]+s.seg[e.row]])
	case e.enter >= 0 && e.leave < s.rows:
		s.growKernel(e.enter, e.leave, e.sign)
	case e.enter >= 0:
		s.leaveAt(e.leave-s.rows, dr)
		s.swapColumn(e.leave-s.rows, e.enter, e.sign)
	case e.leave < s.rows:
		s.releaseRow(e.row, e.sign, e.passed, e.t)
		s.swapRow(e.place, e.leave)
	default:
		s.releaseRow(e.row, e.sign, e.passed, e.t)
		s.leaveAt(e.leave-s.rows, dr)
		s.shrinkKernel(e.leave-s.rows, e.place)
	}
}

// devex updates the reference weights for the exchange to come: pivot row
// entries alpha against the entering one's. The row b^T w of a leaving row
// stays in v for the kernel's update; y and sum are scratch here, prices fills
// them again.
func (s *simplex) devex(enter, row, leave int, dr []float64) {
	var alpha, own float64
	if enter >= 0 {
		own = s.weight[enter]
	} else {
		own = s.rowWeight[row]
	}
	var v []float64
	var at place
	if leave < s.rows {
		alpha = s.dN[leave]
		v = s.rowTimes(leave)
		at = s.place(leave)
	} else {
		c := leave - s.rows
		alpha = dr[c]
		v = s.w[c*s.stride : c*s.stride+s.p]
		at = place{-1, -1}
	}
	scale := own / (alpha * alpha)
	clear(s.y)
	for q, f := range v {
		if f != 0 {
			r := s.rowsK[q]
			s.y[r] = f
			if t := f * f * scale; t > s.rowWeight[r] {
				s.rowWeight[r] = t
			}
		}
	}
	s.prefix(s.y)
	n := s.n
	for c := range s.classes {
		lev := s.level[c]
		if lev < 0 {
			continue
		}
		sum := s.sum[lev*(n+1) : (lev+1)*(n+1)]
		weight := s.weight[c*n : (c+1)*n]
		for i := range n {
			f := sum[min(i+s.term[c], n)] - sum[i]
			if at.k >= 0 && s.has(at, span{int32(i), int32(min(i+s.term[c], n)), int32(lev)}) {
				f--
			}
			if t := f * f * scale; t > weight[i] {
				weight[i] = t
			}
		}
	}
	out := max(scale, 1)
	if leave < s.rows {
		s.rowWeight[leave] = out
	} else {
		s.weight[s.colsK[leave-s.rows]] = out
	}
}

// leaveAt puts the basic column at place c exactly on the bound it reached.
func (s *simplex) leaveAt(c int, dr []float64) {
	j := s.colsK[c]
	if math.Abs(s.x[j]-s.lo[j]) <= math.Abs(s.x[j]-s.hi[j]) {
		s.x[j] = s.lo[j]
	} else {
		s.x[j] = s.hi[j]
	}
}

// releaseRow makes the active row inactive, t away from where it was held.
func (s *simplex) releaseRow(row int, sign float64, steps int32, t float64) {
	s.N[row] = float64(s.val[s.off[row]+s.seg[row]]) + sign*t
	if sign > 0 {
		s.seg[row] += steps + 1
	} else {
		s.seg[row] += steps
	}
	s.yi[row] = s.worth(row, s.seg[row])
}

// reach is how far the basic column j goes along d before its next bound.
func (s *simplex) reach(j int, d float64) float64 {
	x, lo, hi := s.x[j], s.lo[j], s.hi[j]
	if d > 0 {
		if x < lo-tinyStep {
			return (lo - x) / d
		}
		if x > hi+tinyStep {
			return inf
		}
		return max(0, (hi-x)/d)
	}
	if x > hi+tinyStep {
		return (hi - x) / d
	}
	if x < lo-tinyStep {
		return inf
	}
	return max(0, (lo-x)/d)
}

func (s *simplex) sift(i, n int) {
	t, e := s.heapT[i], s.heapI[i]
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && s.heapT[c+1] < s.heapT[c] {
			c++
		}
		if s.heapT[c] >= t {
			break
		}
		s.heapT[i], s.heapI[i] = s.heapT[c], s.heapI[c]
		i = c
	}
	s.heapT[i], s.heapI[i] = t, e
}
