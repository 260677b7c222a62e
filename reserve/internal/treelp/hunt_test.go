package treelp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

func TestHunt(t *testing.T) {
	sec, _ := strconv.Atoi(os.Getenv("HUNT"))
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	kk, _ := strconv.Atoi(os.Getenv("KK"))
	star := os.Getenv("STAR") != ""
	free := os.Getenv("FREE") != ""
	if sec == 0 {
		t.Skip()
	}
	rng := rand.New(rand.NewPCG(uint64(seed), 1))
	best := map[int]float64{}
	tried, gaps := 0, 0
	var s Solver
	for t0 := time.Now(); time.Since(t0) < time.Duration(sec)*time.Second; {
		n, K := 4+rng.IntN(8), kk
		if star {
			n += 6
		}
		var p Problem
		p.Parent, p.Weight, p.Demand = make([]int32, n), make([]int64, n), make([]int, n)
		p.Parent[0] = -1
		for v := 1; v < n; v++ {
			u := int32(v - 1)
			for u > 0 && rng.IntN(4) == 0 {
				u = p.Parent[u]
			}
			if star && u != int32(v-1) {
				u = 0
			}
			p.Parent[v] = u
		}
		if os.Getenv("SHAPE") != "" {
			n = 7
			p.Parent = []int32{-1, 0, 1, 2, 1, 4, 5}
			p.Weight, p.Demand = make([]int64, n), make([]int, n)
		}
		kids := make([]int, n)
		for v := 1; v < n; v++ {
			kids[p.Parent[v]]++
		}
		for v := range n {
			p.Weight[v] = 720720
			if v > 0 {
				p.Weight[v] = p.Weight[p.Parent[v]] / int64(kids[p.Parent[v]])
			}
			p.Demand[v] = rng.IntN(4)
		}
		p.Price = 60
		f := int64(0)
		tau := 0
		for range K {
			tau += 1 + rng.IntN(4)
			if f == 0 {
				f = int64(float64(tau) * 60 * (.3 + .7*rng.Float64()))
			} else {
				f += int64(rng.IntN(60 * 3))
			}
			p.Classes = append(p.Classes, Class{tau, f})
		}
		if free {
			p.Fees = make([]int64, n*K)
			for j := range p.Fees {
				p.Fees[j] = int64(rng.IntN(400)) * 720720 / 4
			}
			for v := range n {
				p.Weight[v] = int64(1+rng.IntN(4)) * 720720 / 4
			}
		}
		tried++
		s.Solve(p)
		if s.unimodular() {
			continue
		}
		s.exact()
		b := s.bound()
		s.Search()
		if s.bestCost > b*(1+1e-9) {
			gaps++
			if g := s.bestCost/b - 1; g > best[n] {
				best[n] = g
				fmt.Println("n", n, "gap", g, p.Parent, p.Demand, p.Classes, p.Fees, p.Weight, "lp", b/720720/60, "best", s.bestCost/720720/60)
			}
		}
	}
	fmt.Println("tried", tried, "gaps", gaps)
}
