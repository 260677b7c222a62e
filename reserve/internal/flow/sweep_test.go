package flow

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A strip gives the candidates that its blocks give one by one, for any potentials: also where
// arcs tie, and whichever class or slot is the worst.
func TestSweepStrip(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52)) // seed 51, 52
	p := Problem{Demand: make([]int, 1000), Price: 40}
	var s Solver
	seen := map[int32]int{}
	for i := range 2000 {
		p.Classes = p.Classes[:0]
		for range 2 + r.IntN(2+i%20) {
			term := 1 + r.IntN(1+i%5*60)
			p.Classes = append(p.Classes, Class{Term: term, Fee: int64(term*30) + r.Int64N(80)})
		}
		if err := s.Solve(p); err != nil {
			t.Fatal(err)
		}
		s.y[0] = 0
		for v := range p.Demand {
			s.y[v+1] = s.y[v] + 28 + r.Int64N(4)
			if r.IntN(10+20*(i%10)) == 0 {
				s.y[v+1] += r.Int64N(60) - 45
			}
		}
		var want []cand
		most := int64(0)
		b := r.IntN(1000 - s.longest - stripSlots)
		for e := b; e < b+stripSlots; e += minBlock {
			if c := s.worst(e, e+minBlock); c.v > 0 {
				want = append(want, c)
				most = max(most, c.v)
				seen[min(c.k, 1)]++ // slots, and the first class and the others
			}
		}
		s.cand = s.cand[:0]
		if top := s.sweepStrip(b); top != most || !slices.Equal(s.cand, want) {
			t.Fatalf("at most %d, %v, want %d, %v", top, s.cand, most, want)
		}
	}
	for _, k := range []int32{slotDn, slotUp, 0, 1} {
		if seen[k] < 100 {
			t.Errorf("%d candidates of class %d", seen[k], k)
		}
	}
}
