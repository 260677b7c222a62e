package flow

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"
)

// Problems with many equal plans have one plan, on every machine and after every change of
// the code that is not meant to change it. The sum is of the plans that the solver found
// when this test was written: which of equal plans is found depends on the order of the
// sweep alone (see the package comment). After a meant change of that order put in the new
// sum.
func TestTiedPlansArePinned(t *testing.T) {
	const want = 0xb1100649409590de
	r := rand.New(rand.NewPCG(5, 9))
	sum := fnv.New64a()
	word := func(n int) {
		for range 4 {
			sum.Write([]byte{byte(n)})
			n >>= 8
		}
	}
	var s Solver
	for n := range 36 {
		slots, level := 400+r.IntN(2500), 5
		p := Problem{Demand: make([]int, slots), Price: int64(1 + r.IntN(4))}
		for i := range p.Demand {
			if r.IntN(3) == 0 {
				level = max(0, level+r.IntN(7)-3)
			}
			p.Demand[i] = level
		}
		for range 2 + r.IntN(4) {
			term := 2 + r.IntN(200)
			p.Classes = append(p.Classes, Class{Term: term, Fee: int64(1+r.IntN(term)) * p.Price / 2})
		}
		switch n % 3 {
		case 1:
			p.MaxActive = make([]int, slots)
			for i := range p.MaxActive {
				p.MaxActive[i] = 3 + r.IntN(6)
			}
		case 2:
			p.Classes[0].Max = 2
			p.Prices = make([]int64, slots)
			for i := range p.Prices {
				p.Prices[i] = int64(1 + r.IntN(3))
			}
		}
		if err := s.Solve(p); err != nil {
			t.Fatal(n, err)
		}
		plan := s.AppendPurchases(nil)
		word(len(plan))
		for _, b := range plan {
			word(b.Slot)
			word(b.Class)
			word(b.Count)
		}
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("the plans of 36 problems have the sum %#x, want %#x", got, uint64(want))
	}
}
