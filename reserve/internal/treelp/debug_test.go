package treelp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func (s *Solver) checkState() string {
	K := s.k
	rows, cols := 0, 0
	for u := range s.n {
		a := 0.0
		for k := range K {
			w := u
			for d := 0; w >= 0 && d < s.p.Classes[k].Term; d++ {
				a += s.count[w*K+k]
				w = int(s.p.Parent[w])
			}
			if int32(w) != s.anc[u*K+k] {
				return fmt.Sprint("anc ", u, k, w, s.anc[u*K+k])
			}
			if s.basic[u*K+k] {
				cols++
			} else if s.count[u*K+k] != 0 {
				return "nonbasic count"
			}
			if s.count[u*K+k] < 0 {
				return "negative"
			}
		}
		if s.tight[u] {
			rows++
		}
		if math.Abs(a-s.active[u]) > 1 {
			return fmt.Sprint("active ", u, a, s.active[u], s.tight[u])
		}
	}
	if rows != cols {
		return fmt.Sprint("rows cols ", rows, cols)
	}
	return ""
}

func random(rng *rand.Rand, n, K int) Problem {
	var p Problem
	p.Parent = make([]int32, n)
	p.Weight = make([]int64, n)
	p.Demand = make([]int, n)
	p.Parent[0] = -1
	for v := 1; v < n; v++ {
		u := int32(v - 1)
		for u > 0 && rng.IntN(4) == 0 {
			u = p.Parent[u]
		}
		p.Parent[v] = u
	}
	left := make([]int64, n)
	for v := range n {
		p.Weight[v] = 1 << 30
		if v > 0 {
			u := p.Parent[v]
			p.Weight[v] = max(1, left[u]/int64(1+rng.IntN(3)))
			left[u] -= p.Weight[v]
		}
		left[v] = p.Weight[v]
		p.Demand[v] = rng.IntN(6)
	}
	p.Price = int64(5 + rng.IntN(5))
	f := int64(0)
	for range K {
		f += int64(3 + rng.IntN(10))
		p.Classes = append(p.Classes, Class{1 + rng.IntN(8), f})
	}
	return p
}

func TestState(t *testing.T) {
	odd, gaps := 0, 0
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := random(rng, 2+rng.IntN(30), 1+rng.IntN(3))
		var s Solver
		s.Solve(p)
		if !s.unimodular() {
			odd++
		}
		if m := s.checkState(); m != "" {
			t.Fatal(seed, m)
		}
		if m := s.factors(); m != "" {
			t.Fatal(seed, m)
		}
		s.exact()
		b := s.bound()
		s.Search()
		if s.bestCost < b*(1-1e-12) {
			t.Fatal(seed, "bound", b, "best", s.bestCost)
		}
		if s.bestCost > b*(1+1e-12) {
			gaps++
			fmt.Println(seed, b, s.bestCost, s.left)
		}
	}
	fmt.Println(odd, gaps)
}

// factors checks that each pivot row has its own entry alone at its node and below.
func (s *Solver) factors() string {
	K := s.k
	for v := range s.n {
		for k := range K {
			if !s.basic[v*K+k] {
				continue
			}
			piv := s.pivot[v*K+k]
			for w := v; w < int(s.end[v]); w++ {
				for q := range K {
					if !s.basic[w*K+q] {
						continue
					}
					e := 0.0
					for _, t := range s.terms[piv.from:piv.to] {
						if !s.tight[t.row] {
							return fmt.Sprint("pivot of ", v, k, " has row ", t.row, " not tight")
						}
						if int(t.row) >= w && t.row < s.end[w] && int(s.anc[int(t.row)*K+q]) < w {
							e += t.by
						}
					}
					want := 0.0
					if w == v && q == k {
						want = s.value[v*K+k]
					}
					if math.Abs(e-want) > 1e-9 {
						return fmt.Sprint("pivot of ", v, " ", k, " has ", e, " in column ", w, " ", q, " not ", want, s.terms[piv.from:piv.to])
					}
				}
			}
		}
	}
	return ""
}
