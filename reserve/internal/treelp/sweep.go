package treelp

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Prices of all rows and columns, and the candidates to enter.

type sweep struct {
	whole prices[int64]
	real  prices[float64]
	cands []cand
	pull  []float64 // of a node: what its savings count by
}

// prices are the value of an instance in each node, and what each purchase is worth.
type prices[T int64 | float64] struct {
	value []T
	worth []T // [v·K + k]
	past  []T // [v·K + k]: of the nodes in which purchases of class k at v have just ended

	missing []T // scratch
	rest    []T // if not nil, what columns of the kernel are to be worth, in the place of their fees, and short nodes are worth nothing
}

// A cand is a column or a row that moves up (sign 1) or down, and a score: what a unit saves, over
// the fourth root of the node's weight. Steps at nodes of small weight change few others. Of the
// powers 0, 1/4, 1/2, 3/4 and 1, 1/4 looked at the fewest nodes in all, on the shared trees and on
// two of 10⁵ nodes.
type cand struct {
	score float64
	col   int32 // -1 for none
	row   int32
	sign  float64
}

func (s *Solver) growSweep() {
	s.whole.value, s.real.value = grow.To(s.whole.value, s.n), grow.To(s.real.value, s.n)
	s.whole.worth, s.real.worth = grow.To(s.whole.worth, s.n*s.k), grow.To(s.real.worth, s.n*s.k)
	s.whole.missing, s.real.missing = grow.To(s.whole.missing, s.k), grow.To(s.real.missing, s.k)
	s.pull = grow.To(s.pull, s.n)
	for v, w := range s.p.Weight {
		s.pull[v] = 1 / math.Sqrt(math.Sqrt(float64(w)))
	}
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
		if !s.tight[v] && s.active[v] < s.demand[v] && p.rest == nil {
			z = T(s.price[v])
		}
		p.value[v] = z // pivots of v and above give a tight node its value
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
	total(s, p)
}

// total sums what each purchase is worth at the values of all nodes.
func total[T int64 | float64](s *Solver, p *prices[T]) {
	K := s.k
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
	missing := p.missing[:K]
	for k := range K {
		if missing[k] = -p.worth[base+k]; p.rest == nil {
			missing[k] += T(s.cost[base+k])
		} else {
			missing[k] += p.rest[base+k]
		}
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

// block is the number of nodes that give one candidate: of 4, 16, 64 and 256 it was the fastest on
// the shared trees.
const block = 64

func (s *Solver) collect() { collect(s, &s.whole, 0) }

// collectReal takes what is within rounding errors for nothing.
func (s *Solver) collectReal() { collect(s, &s.real, 1e-11) }

// collect lists the best candidate of each block of nodes.
func collect[T int64 | float64](s *Solver, p *prices[T], tolerance float64) {
	K := s.k
	s.cands = s.cands[:0]
	var best cand
	pull := 0.0
	offer := func(saves, amount float64, c cand) {
		if c.score = saves * pull; c.score > best.score && saves > tolerance*amount {
			best = c
		}
	}
	for v := range s.n {
		pull = s.pull[v]
		for k := range K {
			j := v*K + k
			if s.basic[j] || s.cost[j] < 0 {
				continue
			}
			if d := float64(p.worth[j] - T(s.cost[j])); d > 0 && !s.full[j] {
				offer(d, float64(s.cost[j]), cand{col: int32(j), row: -1, sign: 1})
			} else if d < 0 && s.full[j] {
				offer(-d, float64(s.cost[j]), cand{col: int32(j), row: -1, sign: -1})
			}
		}
		if s.tight[v] {
			z, price := p.value[v], T(s.price[v])
			if z < 0 {
				offer(float64(-z), float64(price), cand{col: -1, row: int32(v), sign: 1})
			} else if z > price {
				offer(float64(z-price), float64(price), cand{col: -1, row: int32(v), sign: -1})
			}
		}
		if v%block == block-1 || v == s.n-1 {
			if best.score > 0 {
				s.cands = append(s.cands, best)
			}
			best = cand{}
		}
	}
}

// least is the score, in parts of the best one, below which a candidate waits for the next sweep:
// until then better ones have mostly changed what it saves. Without this limit, steps on a tree of
// 80,000 nodes with three classes look at five times as many nodes.
const least = 1. / 16

// order sorts the candidates, the best first, and leaves out those that wait.
func (s *Solver) order() {
	slices.SortFunc(s.cands, func(a, b cand) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.col, b.col), cmp.Compare(a.row, b.row))
	})
	n := len(s.cands)
	for s.cands[n-1].score < least*s.cands[0].score {
		n--
	}
	s.cands = s.cands[:n]
}
