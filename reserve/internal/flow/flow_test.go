package flow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// brute returns the least cost by dynamic programming over the coverage that
// earlier purchases leave to slots t, t+1, ...
func brute(p Problem) int64 {
	T := len(p.Demand)
	peak := slices.Max(p.Demand)
	memo := map[string]int64{}
	var rec func(t, k int, cov []int) int64
	rec = func(t, k int, cov []int) int64 {
		if t == T {
			return 0
		}
		key := fmt.Sprint(t, k, cov)
		if v, ok := memo[key]; ok {
			return v
		}
		best := int64(1) << 60
		if k == len(p.Classes) {
			a := cov[0]
			ok := true
			if p.Held != nil {
				a += p.Held[t]
			}
			if p.MaxActive != nil && p.MaxActive[t] >= 0 && a > p.MaxActive[t] {
				ok = false
			}
			if ok {
				price := p.Price
				if p.Prices != nil {
					price = p.Prices[t]
				}
				best = rec(t+1, 0, cov[1:]) + int64(max(0, p.Demand[t]-a))*price
			}
		} else {
			c := p.Classes[k]
			f := c.Fee
			m := peak
			if c.Max > 0 {
				m = min(m, c.Max)
			}
			if c.Fees != nil {
				if f = c.Fees[t]; f < 0 {
					m = 0
				}
			}
			n := slices.Clone(cov)
			for r := 0; r <= m; r++ {
				if r > 0 {
					for i := range min(c.Term, T-t) {
						n[i]++
					}
				}
				best = min(best, int64(r)*f+rec(t, k+1, n))
			}
		}
		memo[key] = best
		return best
	}
	return rec(0, 0, make([]int, T))
}

func randomProblem(r *rand.Rand, maxT, maxD, maxK int, general bool) Problem {
	T := 1 + r.IntN(maxT)
	p := Problem{Price: 1 + r.Int64N(9)}
	p.Demand = make([]int, T)
	D := 1 + r.IntN(maxD)
	for t := range p.Demand {
		p.Demand[t] = r.IntN(D + 1)
		if r.IntN(3) == 0 && t > 0 {
			p.Demand[t] = p.Demand[t-1]
		}
	}
	for range r.IntN(maxK + 1) {
		c := Class{Term: 1 + r.IntN(T+2)}
		c.Fee = r.Int64N(p.Price*int64(c.Term) + 2)
		if general && r.IntN(3) == 0 {
			c.Max = 1 + r.IntN(2)
		}
		if general && r.IntN(3) == 0 {
			c.Fees = make([]int64, T)
			for t := range c.Fees {
				c.Fees[t] = r.Int64N(p.Price*int64(c.Term)+2) - 1
				if r.IntN(3) == 0 {
					c.Fees[t] = -1
				}
			}
		}
		p.Classes = append(p.Classes, c)
	}
	if general && r.IntN(2) == 0 {
		p.Prices = make([]int64, T)
		for t := range p.Prices {
			p.Prices[t] = 1 + r.Int64N(9)
		}
	}
	if general && r.IntN(2) == 0 {
		p.Held = make([]int, T)
		for t := range p.Held {
			p.Held[t] = r.IntN(D + 1)
		}
	}
	if general && r.IntN(2) == 0 {
		p.MaxActive = make([]int, T)
		for t := range p.MaxActive {
			p.MaxActive[t] = r.IntN(D+2) - 1
			if p.Held != nil && p.MaxActive[t] >= 0 {
				p.MaxActive[t] = max(p.MaxActive[t], p.Held[t])
			}
		}
	}
	return p
}

func check(t *testing.T, s *Solver, p Problem) int64 {
	t.Helper()
	if err := s.Solve(p); err != nil {
		t.Fatalf("%v: %+v", err, p)
	}
	plan := s.AppendPurchases(nil)
	if err := Verify(p, plan, s.Potentials()); err != nil {
		t.Fatalf("%v: %+v plan %v y %v", err, p, plan, s.Potentials())
	}
	_, lo := Cost(p, plan)
	return int64(lo)
}

func testBrute(t *testing.T, general bool, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Solver
	for range n {
		p := randomProblem(r, 7, 3, 3, general)
		got := check(t, &s, p)
		if want := brute(p); got != want {
			t.Fatalf("cost %d, want %d: %+v", got, want, p)
		}
	}
}

func TestBrute(t *testing.T)        { testBrute(t, false, 4000) }
func TestBruteGeneral(t *testing.T) { testBrute(t, true, 4000) }

// The certificate alone proves optimality, so that larger problems need no
// second solver.
func TestCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var s Solver
	for i := range 3000 {
		check(t, &s, randomProblem(r, 1+i%400, 1+i%50, 6, i%2 == 0))
	}
}

func TestAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, general := range []bool{false, true} {
		var ps []Problem
		for range 20 {
			ps = append(ps, randomProblem(r, 2000, 300, 4, general))
		}
		big := randomProblem(r, 1, 300, 4, false)
		big.Demand = make([]int, 2000)
		big.Classes = make([]Class, 4)
		for k := range big.Classes {
			big.Classes[k] = Class{Term: 24 * (k + 1), Fee: int64(k) * 50, Max: 3}
		}
		if !general {
			for k := range big.Classes {
				big.Classes[k].Max = 0
			}
		}
		var s Solver
		if err := s.Solve(big); err != nil {
			t.Fatal(err)
		}
		plan := make([]Purchase, 0, 10000)
		for i, p := range ps {
			if n := allocs.Once(func() {
				s.Solve(p)
				plan = s.AppendPurchases(plan[:0])
			}); n != 0 {
				t.Errorf("problem %d: %v allocations", i, n)
			}
		}
	}
}

// A dirty solver gives what a fresh one gives, and inputs stay as they were.
func TestDirty(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var dirty Solver
	for i := range 500 {
		p := randomProblem(r, 200, 30, 4, i%2 == 0)
		q := p
		q.Demand = slices.Clone(p.Demand)
		check(t, &dirty, p)
		var fresh Solver
		check(t, &fresh, p)
		if !slices.Equal(dirty.AppendPurchases(nil), fresh.AppendPurchases(nil)) ||
			!slices.Equal(dirty.Potentials(), fresh.Potentials()) {
			t.Fatal("dirty solver differs")
		}
		if !slices.Equal(p.Demand, q.Demand) {
			t.Fatal("demand modified")
		}
	}
}

// The breakpoint at which a saving of v is used up, by sorting.
func TestSelectKink(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 3000 {
		w := make([]breakpoint, 1+r.IntN(100))
		for i := range w {
			w[i] = breakpoint{r.Int64N(50), 1 + r.Int64N(5)}
		}
		v := 1 + r.Int64N(300)
		d := slices.Clone(w)
		slices.SortFunc(d, func(a, b breakpoint) int { return int(min(1, max(-1, a.at-b.at))) })
		want, ok, sum := int64(0), false, int64(0)
		for _, e := range d {
			if sum += e.weight; sum >= v {
				want, ok = e.at, true
				break
			}
		}
		if got, ok2 := selectKink(w, v); got != want || ok != ok2 {
			t.Fatalf("%d %v, want %d %v", got, ok2, want, ok)
		}
	}
}

// BenchmarkSolve is on a made-up demand with a day, a week and a season in it;
// package reserve has the real ones.
func BenchmarkSolve(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 0))
	demand := make([]int, 26280)
	level := 150.0
	for t := range demand {
		level += r.NormFloat64() * 3
		level = max(20, min(400, level))
		demand[t] = int(level)
		if t%24 >= 8 && t%24 < 20 && t/24%7 < 5 {
			demand[t] *= 2
		}
	}
	for _, c := range []struct {
		name    string
		classes []Class
	}{
		{"day", []Class{{Term: 24, Fee: 750}}},
		{"year", []Class{{Term: 8760, Fee: 200_000}}},
		{"six", []Class{{Term: 24, Fee: 1_000}, {Term: 168, Fee: 6_500}, {Term: 720, Fee: 26_000}, {Term: 2190, Fee: 72_000}, {Term: 8760, Fee: 260_000}, {Term: 26280, Fee: 640_000}}},
	} {
		b.Run("classes="+c.name, func(b *testing.B) {
			var s Solver
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Solve(Problem{Demand: demand, Price: 60, Classes: c.classes}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.Stats.Pivots), "pivots")
		})
	}
}
