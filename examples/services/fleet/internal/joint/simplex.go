package joint

import "math"

// A dual simplex on a condensed tableau, for the linear programs of branch.go.
//
// Variables are columns, with costs of at least 0, and activities of rows, all with bounds.
// Each basic variable is a combination of the others. Costs are at least 0, so the basis of
// all rows is dual feasible, and so is every basis after it, whatever bounds change and
// whatever rows are added. Its floats choose, and prove nothing. A product is converted before it is
// added, so that no machine fuses the two and all machines choose alike.

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
	rows   [][]entry // a row that was dropped is nil
	free   []int     // numbers of such rows

	tab    [][]float64
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

// begin sets s to columns and no rows.
func (s *simplex) begin(cost, hi []float64) {
	*s = simplex{n: len(cost), cost: cost, lo: make([]float64, len(cost)), hi: hi, value: make([]float64, len(cost)), at: make([]int, len(cost))}
	s.other = make([]int, s.n)
	s.reset()
}

// reset goes back to the basis of all rows.
func (s *simplex) reset() {
	s.d = append(s.d[:0], s.cost...)
	s.tab, s.basic, s.weight, s.pivots = s.tab[:0], s.basic[:0], s.weight[:0], 0
	for j := range s.other {
		s.other[j], s.at[j] = j, -1-j
	}
	for i, r := range s.rows {
		if r != nil {
			s.line(s.n+i, r)
		}
	}
}

// line adds the line of a row.
func (s *simplex) line(v int, r []entry) {
	row := make([]float64, s.n)
	for _, e := range r {
		if at := s.at[e.column]; at < 0 {
			row[-1-at] += e.a
		} else {
			for l, b := range s.tab[at] {
				row[l] += float64(e.a * b)
			}
		}
	}
	s.at[v] = len(s.tab)
	s.tab, s.basic, s.weight = append(s.tab, row), append(s.basic, v), append(s.weight, 1)
}

// add adds a row and returns its variable.
func (s *simplex) add(r []entry, lo, hi float64) int {
	i := len(s.rows)
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.rows, s.lo, s.hi, s.value, s.at = append(s.rows, nil), append(s.lo, 0), append(s.hi, 0), append(s.value, 0), append(s.at, 0)
	}
	v := s.n + i
	s.rows[i], s.lo[v], s.hi[v], s.value[v] = r, lo, hi, 0
	for _, e := range r {
		s.value[v] += float64(e.a * s.value[e.column])
	}
	s.line(v, r)
	return v
}

// drop drops a row, if its variable is basic.
func (s *simplex) drop(v int) bool {
	at := s.at[v]
	if at < 0 {
		return false
	}
	last := len(s.tab) - 1
	s.tab[at], s.basic[at], s.weight[at] = s.tab[last], s.basic[last], s.weight[last]
	s.at[s.basic[at]] = at
	s.tab, s.basic, s.weight = s.tab[:last], s.basic[:last], s.weight[:last]
	s.rows[v-s.n] = nil
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
	for i, row := range s.tab {
		x := 0.0
		for j, a := range row {
			if a != 0 {
				x += float64(a * s.value[s.other[j]])
			}
		}
		s.value[s.basic[i]] = x
	}
	s.work += int64(s.n * len(s.tab))
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
	for n := 1; n < 200+20*(len(s.tab)+s.n); n++ {
		if n%200 == 0 {
			s.place()
		}
		if s.objective() >= most {
			return beyond, 0
		}
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
		if r < 0 {
			return optimal, 0
		}
		leaving, row := s.basic[r], s.tab[r]
		to, sign := s.lo[leaving], 1.0
		if s.value[leaving] > to {
			to, sign = s.hi[leaving], -1
		}
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
		if enter < 0 {
			return empty, r
		}
		s.pivot(r, enter, to)
	}
	return stuck, 0
}

// pivot exchanges the variable of line r, which goes to the value to, for that of column j.
func (s *simplex) pivot(r, j int, to float64) {
	row := s.tab[r]
	leaving, entering := s.basic[r], s.other[j]
	a, w := row[j], s.weight[r]
	move := (to - s.value[leaving]) / a // of the entering variable
	for l := range row {
		row[l] = -row[l] / a
	}
	row[j] = 1 / a
	for i, line := range s.tab {
		f := line[j]
		if i == r || f == 0 {
			continue
		}
		s.value[s.basic[i]] += float64(f * move)
		line[j] = 0
		line = line[:len(row)]
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
	s.work += int64(s.n * len(s.tab))
}
