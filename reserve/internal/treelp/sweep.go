package treelp

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Prices of all rows and columns, and the candidates to enter.

type sweep struct {
	whole prices[int64]
	real  prices[float64]
	cands []cand
}

// prices are the value of an instance in each node, and what each purchase is worth.
type prices[T int64 | float64] struct {
	value []T
	worth []T // [v·K + k]
	past  []T // [v·K + k]: of the nodes in which purchases of class k at v have just ended
}

// A cand is a column, or a row that moves up (sign 1) or down, and how good it looks.
type cand struct {
	score float64
	col   int32 // -1 for none
	row   int32
	sign  float64
}

func (s *Solver) loadSweep() {
	s.whole.value, s.real.value = grow.To(s.whole.value, s.n), grow.To(s.real.value, s.n)
	s.whole.worth, s.real.worth = grow.To(s.whole.worth, s.n*s.k), grow.To(s.real.worth, s.n*s.k)
	s.whole.past, s.real.past = grow.To(s.whole.past, s.n*s.k), grow.To(s.real.past, s.n*s.k)
}

// priceAll solves for the values of the tight rows: the columns of the kernel are worth their fees.
func priceAll[T int64 | float64](s *Solver, p *prices[T]) {
	K := s.k
	clear(p.worth)
	clear(p.past)
	for v := s.n - 1; v >= 0; v-- {
		base := v * K
		var z T
		if !s.tight[v] && s.active[v] < s.demand[v] {
			z = T(s.price[v])
		}
		// The pivots below have given the value of a tight row its parts; they are in p.value.
		if s.tight[v] {
			z = 0
		}
		p.value[v] = z
		for k := range K {
			if a := s.anc[base+k]; a >= 0 {
				p.past[int(a)*K+k] += z
			}
			p.worth[base+k] += z - p.past[base+k]
		}
		if s.basics[v] > 0 {
			apply(s, p, v)
		}
		if u := int(s.p.Parent[v]); u >= 0 {
			for k := range K {
				p.worth[u*K+k] += p.worth[base+k]
			}
		}
	}
	clear(p.worth)
	clear(p.past)
	for v := s.n - 1; v >= 0; v-- {
		base, z := v*K, p.value[v]
		u := int(s.p.Parent[v])
		for k := range K {
			if a := s.anc[base+k]; a >= 0 {
				p.past[int(a)*K+k] += z
			}
			p.worth[base+k] += z - p.past[base+k]
			if u >= 0 {
				p.worth[u*K+k] += p.worth[base+k]
			}
		}
	}
}

// apply changes the values of the pivot rows of node v such that its columns are worth their fees.
func apply[T int64 | float64](s *Solver, p *prices[T], v int) {
	K := s.k
	base := v * K
	var missing [8]T
	for k := range K {
		missing[k] = T(s.cost[base+k]) - p.worth[base+k]
	}
	for k := range K {
		if !s.basic[base+k] {
			continue
		}
		y := missing[k] / T(s.value[base+k])
		piv := s.pivot[base+k]
		for _, t := range s.terms[piv.from:piv.to] {
			d := y * T(t.by)
			p.value[t.row] += d
			for q := range K {
				if a := int(s.anc[int(t.row)*K+q]); a < v {
					p.worth[base+q] += d
					if a >= 0 {
						p.past[a*K+q] += d
					}
				}
			}
		}
	}
}

// block is the number of nodes that give one candidate.
var block = 64

func (s *Solver) collect() { collect(s, &s.whole, 0) }

func (s *Solver) collectReal() { collect(s, &s.real, 1e-11) }

// collect lists the best candidate of each block.
func collect[T int64 | float64](s *Solver, p *prices[T], tol float64) {
	K := s.k
	s.cands = s.cands[:0]
	best := cand{}
	for v := range s.n {
		if v%block == 0 {
			if best.score > 0 {
				s.cands = append(s.cands, best)
			}
			best = cand{}
		}
		for k := range K {
			j := v*K + k
			if s.basic[j] || s.cost[j] < 0 {
				continue
			}
			if d := float64(p.worth[j] - T(s.cost[j])); d > tol*float64(s.cost[j]) {
				if d > best.score {
					best = cand{d, int32(j), -1, 1}
				}
			}
		}
		if s.tight[v] {
			z := p.value[v]
			if d := float64(-z); d > tol*float64(s.price[v]) {
				if d > best.score {
					best = cand{d, -1, int32(v), 1}
				}
			} else if d := float64(z - T(s.price[v])); d > tol*float64(s.price[v]) {
				if d > best.score {
					best = cand{d, -1, int32(v), -1}
				}
			}
		}
	}
	if best.score > 0 {
		s.cands = append(s.cands, best)
	}
}

// order sorts the candidates, the best first.
func (s *Solver) order() {
	slices.SortFunc(s.cands, func(a, b cand) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.col, b.col), cmp.Compare(a.row, b.row))
	})
}
