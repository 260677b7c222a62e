package treelp

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// made makes up a problem: mostly ways without branches, with probabilities that fall at branches.
// With branches of its own that are not there a node has children of less than its weight.
func made(rng *rand.Rand, nodes, classes, demand int) Problem {
	p := Problem{
		Parent: make([]int32, nodes), Weight: make([]int64, nodes), Demand: make([]int, nodes),
		Price: int64(3 + rng.IntN(8)),
	}
	left := make([]int64, nodes)
	for v := range nodes {
		p.Parent[v], p.Weight[v] = -1, 5040
		if v > 0 {
			u := int32(v - 1)
			for u > 0 && rng.IntN(4) == 0 {
				u = p.Parent[u]
			}
			p.Parent[v] = u
			p.Weight[v] = max(1, left[u]/int64(1+rng.IntN(3)))
			left[u] -= p.Weight[v]
		}
		left[v] = p.Weight[v]
		p.Demand[v] = rng.IntN(demand + 1)
	}
	term, fee := 0, int64(0)
	for range classes {
		term += 1 + rng.IntN(4)
		fee += 1 + rng.Int64N(p.Price*3)
		p.Classes = append(p.Classes, Class{term, fee})
	}
	if rng.IntN(3) == 0 {
		p.Fees = make([]int64, nodes*classes)
		for j := range p.Fees {
			p.Fees[j] = rng.Int64N(p.Price * 12000)
			if rng.IntN(5) == 0 {
				p.Fees[j] = -1
			}
		}
	}
	return p
}

// fee is the fee of class k at node v, -1 if it is not for sale.
func (p *Problem) fee(v, k int) int64 {
	if p.Fees != nil {
		return p.Fees[v*len(p.Classes)+k]
	}
	return p.Classes[k].Fee * p.Weight[v]
}

// brute finds the cheapest whole plan: for each node and each number of active reservations by the
// slots that they have left, all purchases.
func brute(p *Problem) int64 {
	most, longest := slices.Max(p.Demand), 0
	for _, c := range p.Classes {
		longest = max(longest, c.Term)
	}
	kids := make([][]int, len(p.Parent))
	for v := 1; v < len(kids); v++ {
		kids[p.Parent[v]] = append(kids[p.Parent[v]], v)
	}
	type state struct {
		node int
		left [16]uint8
	}
	seen := map[state]int64{}
	var from func(s state) int64
	from = func(s state) int64 {
		if c, ok := seen[s]; ok {
			return c
		}
		best := int64(math.MaxInt64)
		var buy func(k int, left [16]uint8, cost int64)
		buy = func(k int, left [16]uint8, cost int64) {
			if k < len(p.Classes) {
				fee := p.fee(s.node, k)
				for n := 0; n <= most && (n == 0 || fee >= 0); n++ {
					l := left
					l[p.Classes[k].Term] += uint8(n)
					buy(k+1, l, cost+int64(n)*max(0, fee))
				}
				return
			}
			active := 0
			for _, n := range left {
				active += int(n)
			}
			cost += int64(max(0, p.Demand[s.node]-active)) * p.Price * p.Weight[s.node]
			next := state{}
			copy(next.left[:], left[1:])
			next.left[0] = 0
			for _, c := range kids[s.node] {
				next.node = c
				if cost < best {
					cost += from(next)
				}
			}
			best = min(best, cost)
		}
		buy(0, s.left, 0)
		seen[s] = best
		return best
	}
	return from(state{})
}

// invariants checks the basis: what is active, and the pivots of the kernel.
func (s *Solver) invariants(t *testing.T) {
	t.Helper()
	K, rows, cols := s.k, 0, 0
	for u := range s.n {
		a := 0.0
		for k := range K {
			w := u
			for d := 0; w >= 0 && d < s.p.Classes[k].Term; d++ {
				a += s.count[w*K+k]
				w = int(s.p.Parent[w])
			}
			if int32(w) != s.anc[u*K+k] {
				t.Fatalf("node %d, class %d: ended at %d, want %d", u, k, s.anc[u*K+k], w)
			}
			if x := s.count[u*K+k]; x < -1 || x > s.most[u*K+k]+1 || !s.basic[u*K+k] && x != 0 && !s.full[u*K+k] {
				t.Fatalf("column %d has %v", u*K+k, x)
			}
			if s.basic[u*K+k] {
				cols++
				s.pivotRow(t, u, k)
			}
		}
		if math.Abs(a-s.active[u]) > s.scale*1e-6 {
			t.Fatalf("node %d has %v, want %v", u, s.active[u]/s.scale, a/s.scale)
		}
		if s.tight[u] {
			rows++
		}
	}
	if rows != cols {
		t.Fatalf("%d rows, %d columns", rows, cols)
	}
}

// pivotRow checks that the pivot row of a column has no other column of its subtree.
func (s *Solver) pivotRow(t *testing.T, v, k int) {
	t.Helper()
	K := s.k
	piv := s.pivot[v*K+k]
	for w := v; w < int(s.end[v]); w++ {
		for q := range K {
			e, want := 0.0, 0.0
			for _, x := range s.terms[piv.from:piv.to] {
				if s.covers(w, q, x.row) {
					e += x.by
				}
			}
			if w == v && q == k {
				want = s.value[v*K+k]
			}
			if s.basic[w*K+q] && math.Abs(e-want) > 1e-9 {
				t.Fatalf("the pivot row of column %d has %v in column %d, want %v", v*K+k, e, w*K+q, want)
			}
		}
	}
}

// The program's optimum is at most that of whole plans, equal with one class, and what the values
// prove. A search that ends finds the cheapest whole plan.
func TestBrute(t *testing.T) {
	runs := 1500
	if os.Getenv("PLIMSOLL_LONG") != "" {
		runs = 100_000
	}
	var s Solver
	gaps, odd := 0, 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 39))
		p := made(rng, 1+rng.IntN(8), 1+rng.IntN(3), 1+rng.IntN(2))
		s.Solve(p)
		s.invariants(t)
		if !s.unimodular() {
			odd++
			if len(p.Classes) == 1 {
				t.Fatalf("seed %d: a pivot is not 1 or -1 with one class", seed)
			}
		}
		finer := s.Scale(12)
		values := make([]int64, s.n)
		s.Values(values, finer)
		proved := proves(t, &p, values, finer)
		s.exact()
		bound := s.bound()
		if math.Abs(proved-bound) > 1e-9*bound {
			t.Fatalf("seed %d: the values prove %v, want %v", seed, proved, bound)
		}
		optimal := s.Search()
		want := float64(brute(&p))
		if bound > want*(1+1e-12) || !optimal || s.bestCost != want {
			t.Fatalf("seed %d: bound %v, plan %v, want %v", seed, bound, s.bestCost, want)
		}
		if want > bound*(1+1e-9) {
			gaps++
			if len(p.Classes) == 1 {
				t.Fatalf("seed %d: a gap with one class", seed)
			}
		}
	}
	t.Logf("%d runs, %d with a gap, %d with pivots that are not 1 or -1", runs, gaps, odd)
}

// proves returns what values prove, by the definition.
func proves(t *testing.T, p *Problem, values []int64, finer int64) (sum float64) {
	t.Helper()
	K := len(p.Classes)
	worth := make([]int64, len(values)*K)
	for u, z := range values {
		if z < 0 || z > p.Price*p.Weight[u]*finer {
			t.Fatalf("node %d has the value %d of %d", u, z, p.Price*p.Weight[u]*finer)
		}
		sum += float64(z) / float64(finer) * float64(p.Demand[u])
		for k, c := range p.Classes {
			for v, d := int32(u), 0; v >= 0 && d < c.Term; v, d = p.Parent[v], d+1 {
				worth[int(v)*K+k] += z
			}
		}
	}
	for j, w := range worth {
		if fee := p.fee(j/K, j%K); fee >= 0 && w > fee*finer {
			t.Fatalf("column %d is worth %d, more than %d", j, w, fee*finer)
		}
	}
	return sum
}

// Linear programs whose optimum is not that of whole plans. The first is that of reserve/theory:
// fees never change. The second has fees that change from node to node, and was found at random.
func TestGaps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		p     Problem
		bound float64
		whole float64
	}{
		{"constant fees", Problem{
			Parent: []int32{-1, 0, 1, 2, 1, 4, 5}, Weight: []int64{2, 2, 1, 1, 1, 1, 1}, Demand: []int{1, 2, 0, 1, 2, 2, 1},
			Price: 1, Classes: []Class{{3, 2}, {5, 3}},
		}, 9.5, 10},
		{"free fees", Problem{
			Parent: []int32{-1, 0, 1, 2, 3, 1, 5, 0, 7}, Weight: []int64{3, 5, 5, 3, 5, 6, 4, 5, 4}, Demand: []int{0, 1, 2, 0, 1, 1, 1, 1, 0},
			Price: 1, Classes: []Class{{3, 0}, {5, 0}}, Fees: []int64{1, 2, 1, 4, 8, 1, 1, 14, 4, 10, 3, 4, 4, 12, 10, 8, 3, 5},
		}, 2.5, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Solver
			s.Solve(tt.p)
			s.invariants(t)
			values := make([]int64, s.n)
			s.Values(values, s.Scale(12))
			if got := proves(t, &tt.p, values, 12); got != tt.bound {
				t.Errorf("the values prove %v, want %v", got, tt.bound)
			}
			if optimal := s.Search(); !optimal || s.bestCost != tt.whole || float64(brute(&tt.p)) != tt.whole {
				t.Errorf("optimal %v: the best whole plan costs %v, want %v", optimal, s.bestCost, tt.whole)
			}
		})
	}
}

// Invariants hold on trees that are too large for brute force, and values prove the optimum.
func TestLarger(t *testing.T) {
	var s Solver
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 40))
		p := made(rng, 200+rng.IntN(800), 1+rng.IntN(12), 20)
		s.Solve(p)
		s.invariants(t)
		finer := s.Scale(12)
		values := make([]int64, s.n)
		s.Values(values, finer)
		if finer > 1 {
			continue // rounded down, and a little above what columns may be worth
		}
		proved := proves(t, &p, values, finer)
		s.exact()
		if bound := s.bound(); math.Abs(proved-bound) > 1e-12*bound {
			t.Errorf("seed %d: the values prove %v, want %v", seed, proved, bound)
		}
	}
}

// A Solver that has solved a problem solves it again without allocating.
func TestAllocs(t *testing.T) {
	var s Solver
	large := made(rand.New(rand.NewPCG(1, 41)), 2000, 3, 20)
	small := made(rand.New(rand.NewPCG(2, 41)), 300, 2, 5)
	n := allocs.Once(func() {
		s.Solve(small)
		s.Search()
		s.Solve(large)
		s.Search()
	})
	if n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
