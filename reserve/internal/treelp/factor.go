package treelp

import "github.com/plimsoll/plimsoll/internal/grow"

// The kernel, and how it is solved.
//
// The kernel has a row for each tight node and a column for each basic purchase. A column covers
// rows of its own subtree alone. So elimination goes up the tree: a node takes over the rows that
// its children have not used, adds its own if it is tight, picks a pivot row for each of its
// columns, clears the column in the other rows, and passes these on. As many rows are passed on as
// there are columns above to use them, which is few.
//
// A reduced row is kept as the combination of original rows that makes it, and not by its entries.
// The entries in columns above follow from the combination, so that a new column changes nothing
// below itself. A step changes the elimination on the ways from two nodes to the root, up to where
// the rows passed on are the same as before.

// A span is a part of the table of combinations, or of the table of rows.
type span struct{ from, to int32 }

// A term is a row of a combination.
type term struct {
	row int32
	by  float64
}

type factor struct {
	terms  []term
	rows   []span // each a combination
	passed []span // of a node: the rows passed on
	pivot  []span // of a basic column: the combination that has no other column of its node or below
	value  []float64
	limit  int // of len(terms), before the tables are made anew
	odd    int // pivots that are not 1 or -1

	front   []span
	entries []float64 // of the front, K a row
}

func (s *Solver) growFactor() {
	s.passed = grow.To(s.passed, s.n)
	s.pivot, s.value = grow.To(s.pivot, s.n*s.k), grow.To(s.value, s.n*s.k)
}

// unimodular reports whether the kernel's inverse has whole entries as far as the pivots show.
func (s *Solver) unimodular() bool { return s.odd == 0 }

// refactorAll eliminates all nodes, in fresh tables.
func (s *Solver) refactorAll() {
	s.terms, s.rows = s.terms[:0], s.rows[:0]
	for v := s.n - 1; v >= 0; v-- {
		s.eliminate(v)
	}
	s.limit = 4*(len(s.terms)+len(s.rows)) + 16*s.n + 1024
}

// refactor eliminates the nodes from v up to the root, as far as that changes anything.
func (s *Solver) refactor(v int) {
	for w := v; w >= 0; w = int(s.p.Parent[w]) {
		before := s.passed[w]
		if s.basics[w] == 0 && !s.tight[w] && w+1 < s.n && s.end[w+1] == s.end[w] { // an only child
			s.passed[w] = s.passed[w+1]
		} else {
			s.eliminate(w)
		}
		if s.same(before, s.passed[w]) {
			s.passed[w] = before
			return
		}
	}
}

func (s *Solver) same(a, b span) bool {
	if a == b {
		return true
	}
	if a.to-a.from != b.to-b.from {
		return false
	}
	for i := range a.to - a.from {
		x, y := s.rows[a.from+i], s.rows[b.from+i]
		if x == y {
			continue
		}
		if x.to-x.from != y.to-y.from {
			return false
		}
		for j := range x.to - x.from {
			if s.terms[x.from+j] != s.terms[y.from+j] {
				return false
			}
		}
	}
	return true
}

// eliminate sets the pivots of node v and the rows that it passes on.
func (s *Solver) eliminate(v int) {
	s.Stats.Factors++
	front, only := s.front[:0], span{}
	parts := 0
	for c := int32(v + 1); c < s.end[v]; c = s.end[c] {
		if p := s.passed[c]; p.to > p.from {
			front = append(front, s.rows[p.from:p.to]...)
			only = p
			parts++
		}
	}
	if s.tight[v] {
		from := int32(len(s.terms))
		s.terms = append(s.terms, term{int32(v), 1})
		front = append(front, span{from, from + 1})
		parts = 2
	}
	s.front = front
	if s.basics[v] == 0 {
		if parts > 1 {
			only.from = int32(len(s.rows))
			s.rows = append(s.rows, front...)
			only.to = int32(len(s.rows))
		}
		s.passed[v] = only
		return
	}
	s.pivots(v)
	from := int32(len(s.rows))
	s.rows = append(s.rows, s.front...)
	s.passed[v] = span{from, int32(len(s.rows))}
}

// pivots picks a pivot row for each column of node v, and leaves the others in the front.
func (s *Solver) pivots(v int) {
	K := s.k
	s.entries = s.entries[:0]
	for _, r := range s.front {
		for k := range K {
			e := 0.0
			if s.basic[v*K+k] {
				for _, t := range s.terms[r.from:r.to] {
					if int(s.anc[int(t.row)*K+k]) < v {
						e += t.by
					}
				}
			}
			s.entries = append(s.entries, e)
		}
	}
	used := 0 // the first rows of the front are pivots
	for k := range K {
		if !s.basic[v*K+k] {
			continue
		}
		best, quality := -1, 0.0
		for i := used; i < len(s.front); i++ {
			e := max(s.entries[i*K+k], -s.entries[i*K+k])
			if e < 1e-7 {
				continue
			}
			q := 1 / float64(1+s.front[i].to-s.front[i].from)
			if e != 1 {
				q *= 1e-3 * min(e, 1/e)
			}
			if q > quality {
				best, quality = i, q
			}
		}
		if best < 0 {
			panic("treelp: singular kernel")
		}
		s.swap(best, used)
		p := s.entries[used*K+k]
		for i := range s.front {
			if e := s.entries[i*K+k]; i != used && e != 0 {
				s.subtract(i, used, e/p)
			}
		}
		used++
	}
	i := 0
	for k := range K {
		if s.basic[v*K+k] {
			s.pivot[v*K+k] = s.front[i]
			s.setValue(v*K+k, s.entries[i*K+k])
			i++
		}
	}
	s.front = append(s.front[:0], s.front[used:]...)
}

func (s *Solver) setValue(j int, p float64) {
	if old := s.value[j]; old != 1 && old != -1 {
		s.odd--
	}
	if p != 1 && p != -1 {
		s.odd++
	}
	s.value[j] = p
}

func (s *Solver) swap(i, j int) {
	K := s.k
	s.front[i], s.front[j] = s.front[j], s.front[i]
	for k := range K {
		s.entries[i*K+k], s.entries[j*K+k] = s.entries[j*K+k], s.entries[i*K+k]
	}
}

// subtract takes row j of the front, by times, off row i.
func (s *Solver) subtract(i, j int, by float64) {
	a, b := s.front[i], s.front[j]
	from := int32(len(s.terms))
	x, y := a.from, b.from
	for x < a.to || y < b.to {
		switch {
		case y == b.to || x < a.to && s.terms[x].row < s.terms[y].row:
			s.terms = append(s.terms, s.terms[x])
			x++
		case x == a.to || s.terms[y].row < s.terms[x].row:
			s.terms = append(s.terms, term{s.terms[y].row, -by * s.terms[y].by})
			y++
		default:
			if e := s.terms[x].by - by*s.terms[y].by; e > 1e-11 || e < -1e-11 {
				s.terms = append(s.terms, term{s.terms[x].row, e})
			}
			x++
			y++
		}
	}
	s.front[i] = span{from, int32(len(s.terms))}
	K := s.k
	for k := range K {
		e := s.entries[i*K+k] - by*s.entries[j*K+k]
		if e < 1e-11 && e > -1e-11 {
			e = 0
		}
		s.entries[i*K+k] = e
	}
}
