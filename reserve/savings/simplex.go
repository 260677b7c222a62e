package savings

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A dual simplex on a condensed tableau, for the linear programs of branch.go.
//
// Cuts are rows with any coefficients that come while the method runs, and a dual simplex goes on from the
// basis that it has. The simplex of reserve/internal/lpbound has the terms of purchases for columns, a
// matrix of zeros and ones that is fixed, and nowhere to add a row. Neither solves the programs of the
// other, so that no factor between them has been measured.
//
// Variables are columns, with costs of at least 0, and activities of rows, all with bounds.
// Each basic variable is a combination of the others. Costs are at least 0, so the basis of
// all rows is dual feasible, and so is every basis after it, whatever bounds change and
// whatever rows are added. Floats choose plans and parts; program.bound proves in integers. A
// product is converted before it is added, so that no machine fuses the two and all machines
// choose alike.

const (
	tinyBound  = 1e-9 // by how much a value may be beyond a bound, in parts of 1 + the bound
	tinyPivot  = 1e-9
	tinyRatio  = 1e-12 // ratios that differ by less are the same
	mostPivots = 3000  // after which the tableau is computed anew
)

type simplex struct {
	n      int // columns
	cost   []float64
	lo, hi []float64 // of the columns, then of the rows
	value  []float64
	rows   [][]entry
	live   []bool // whether a row is in the program
	free   []int  // numbers of rows that are not

	tab    []float64 // a line of n for each row
	basic  []int     // the variable of each line of tab
	other  []int     // the variable of each column of tab
	at     []int     // the line of a basic variable, -1-column of another
	d      []float64 // reduced costs of the other variables
	weight []float64 // of the lines, as in Devex pricing
	pivots int
	work   int64
}

// An entry is a coefficient of a column in a row.
type entry struct {
	column int
	a      float64
}

// begin makes room for n columns and no rows. The caller sets cost and hi, and calls reset.
func (s *simplex) begin(n int) {
	s.n, s.work = n, 0
	s.cost, s.lo, s.hi = grow.To(s.cost, n), grow.Zero(s.lo, n), grow.To(s.hi, n)
	s.value, s.at, s.other = grow.Zero(s.value, n), grow.To(s.at, n), grow.To(s.other, n)
	s.rows, s.live, s.free = s.rows[:0], s.live[:0], s.free[:0]
}

// reset goes back to the basis of all rows.
func (s *simplex) reset() {
	s.d = append(s.d[:0], s.cost...)
	s.tab, s.basic, s.weight, s.pivots = s.tab[:0], s.basic[:0], s.weight[:0], 0
	for j := range s.other {
		s.other[j], s.at[j] = j, -1-j
	}
	for i, r := range s.rows {
		if s.live[i] {
			s.line(s.n+i, r)
		}
	}
}

// longer returns list with one more element, in the memory that an earlier element left.
func longer[T any](list [][]T) [][]T {
	if len(list) < cap(list) {
		return list[:len(list)+1]
	}
	return append(list, nil)
}

// tabRow returns a line of the tableau.
func (s *simplex) tabRow(i int) []float64 { return s.tab[i*s.n : (i+1)*s.n] }

// line adds the line of a row.
func (s *simplex) line(v int, r []entry) {
	last := len(s.basic)
	s.tab = slices.Grow(s.tab, s.n)[:(last+1)*s.n]
	row := s.tabRow(last)
	clear(row)
	for _, e := range r {
		if at := s.at[e.column]; at < 0 {
			row[-1-at] += e.a
		} else {
			for l, b := range s.tabRow(at) {
				row[l] += float64(e.a * b)
			}
		}
	}
	s.at[v] = last
	s.basic, s.weight = append(s.basic, v), append(s.weight, 1)
}

// add adds a copy of a row and returns its variable.
func (s *simplex) add(r []entry, lo, hi float64) int {
	i := len(s.rows)
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.rows, s.live = longer(s.rows), append(s.live, true)
		s.lo, s.hi, s.value, s.at = append(s.lo, 0), append(s.hi, 0), append(s.value, 0), append(s.at, 0)
	}
	v := s.n + i
	s.rows[i] = append(s.rows[i][:0], r...)
	s.live[i], s.lo[v], s.hi[v], s.value[v] = true, lo, hi, 0
	for _, e := range r {
		s.value[v] += float64(e.a * s.value[e.column])
	}
	s.line(v, s.rows[i])
	return v
}

// drop drops a row, if its variable is basic.
func (s *simplex) drop(v int) bool {
	at := s.at[v]
	if at < 0 {
		return false
	}
	last := len(s.basic) - 1
	copy(s.tabRow(at), s.tabRow(last))
	s.basic[at], s.weight[at] = s.basic[last], s.weight[last]
	s.at[s.basic[at]] = at
	s.tab, s.basic, s.weight = s.tab[:last*s.n], s.basic[:last], s.weight[:last]
	s.live[v-s.n] = false
	s.free = append(s.free, v-s.n)
	return true
}

// place puts the other variables at the bounds that their reduced costs want.
func (s *simplex) place() {
	for j, v := range s.other {
		s.value[v] = s.lo[v]
		if (s.d[j] < 0 || math.IsInf(s.lo[v], -1)) && !math.IsInf(s.hi[v], 1) {
			s.value[v] = s.hi[v]
		}
	}
	for i, v := range s.basic {
		x := 0.0
		for j, a := range s.tabRow(i) {
			if a != 0 {
				x += float64(a * s.value[s.other[j]])
			}
		}
		s.value[v] = x
	}
	s.work += int64(len(s.tab))
}

// objective returns the cost of the values.
func (s *simplex) objective() float64 {
	sum := 0.0
	for j, v := range s.other {
		if s.d[j] != 0 {
			sum += float64(s.d[j] * s.value[v])
		}
	}
	return sum
}

// reduced returns the reduced cost of a variable.
func (s *simplex) reduced(v int) float64 {
	if at := s.at[v]; at < 0 {
		return s.d[-1-at]
	}
	return 0
}

// How solve ends.
const (
	optimal = iota
	beyond  // the objective is at least most
	empty   // no values are within the bounds: those of line at cannot be
	stuck
)

// solve runs the dual simplex.
func (s *simplex) solve(most float64) (how, at int) {
	if s.pivots > mostPivots {
		s.reset()
	}
	s.place()
	for n := 1; n < 200+20*(len(s.basic)+s.n); n++ {
		if n%200 == 0 {
			s.place()
		}
		if s.objective() >= most {
			return beyond, 0
		}
		r := s.leaving()
		if r < 0 {
			return optimal, 0
		}
		v := s.basic[r]
		to, sign := s.lo[v], 1.0
		if s.value[v] > to {
			to, sign = s.hi[v], -1
		}
		enter := s.entering(s.tabRow(r), sign)
		if enter < 0 {
			return empty, r
		}
		s.pivot(r, enter, to)
	}
	return stuck, 0
}

// leaving returns the line whose variable is furthest beyond a bound for its weight, or -1.
func (s *simplex) leaving() int {
	r, worst := -1, 0.0
	for i, v := range s.basic {
		x := s.value[v]
		over, bound := s.lo[v]-x, s.lo[v]
		if x > s.hi[v] {
			over, bound = x-s.hi[v], s.hi[v]
		}
		if over > tinyBound*(1+math.Abs(bound)) {
			if p := over * over / s.weight[i]; p > worst {
				r, worst = i, p
			}
		}
	}
	return r
}

// entering is the ratio test of a row whose variable has to rise (sign 1) or to fall (sign -1).
// It returns the column that keeps all reduced costs right, or -1. Of equal ratios the largest
// element is taken.
func (s *simplex) entering(row []float64, sign float64) int {
	best, enter := math.Inf(1), -1
	for j, a := range row {
		if a > -tinyPivot && a < tinyPivot {
			continue
		}
		v := s.other[j]
		if s.lo[v] == s.hi[v] {
			continue
		}
		if up := s.value[v] <= s.lo[v]; up != (a*sign > 0) {
			continue
		}
		q := math.Abs(s.d[j] / a)
		if q < best-tinyRatio || q <= best+tinyRatio && math.Abs(a) > math.Abs(row[enter]) {
			best, enter = min(q, best), j
		}
	}
	return enter
}

// pivot exchanges the variable of line r, which goes to the value to, for that of column j.
func (s *simplex) pivot(r, j int, to float64) {
	row := s.tabRow(r)
	leaving, entering := s.basic[r], s.other[j]
	a, w := row[j], s.weight[r]
	move := (to - s.value[leaving]) / a // of the entering variable
	for l := range row {
		row[l] = -row[l] / a
	}
	row[j] = 1 / a
	for i, v := range s.basic {
		line := s.tabRow(i)[:len(row)]
		f := line[j]
		if i == r || f == 0 {
			continue
		}
		s.value[v] += float64(f * move)
		line[j] = 0
		for l, v := range row {
			line[l] += float64(f * v)
		}
		s.weight[i] = max(s.weight[i], float64(f/a*(f/a)*w))
	}
	s.weight[r] = max(1, w/(a*a))
	f := s.d[j]
	s.d[j] = 0
	for l, v := range row {
		s.d[l] += float64(f * v)
	}
	s.value[entering] += move
	s.value[leaving] = to
	s.basic[r], s.other[j] = entering, leaving
	s.at[entering], s.at[leaving] = r, -1-j
	s.pivots++
	s.work += int64(len(s.tab))
}
