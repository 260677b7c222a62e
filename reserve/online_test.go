package reserve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every rule buys what its literal form buys, slot by slot and over a whole series,
// with a workspace that has seen other cases.
func TestOnlineNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7)) // seed 7, 7
	var wang, eager Wang
	var at WangRandom
	var history History
	var rho RHO
	var robust Robust
	eager.Eager = true
	for n := range 3000 {
		d, f, o := onlineCase(rng, 40, 9, 6)
		m := regretted(o, false)
		check := func(name string, got, want []int) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Fatalf("%d: %s: %+v d=%v f=%v\ngot  %v\nwant %v", n, name, o, d, f, got, want)
			}
		}
		both := func(name string, rule interface {
			Online
			Planner
		}, want []int) {
			t.Helper()
			check(name+", streaming", observeAll(rule, o, d, f), want)
			plan, ok := mustPlan(t, rule, problemOf(o, d))
			if !ok {
				t.Fatalf("%s: not handled", name)
			}
			check(name+", whole", bySlot(plan, len(d)), want)
		}
		for z := 0; z <= m+1; z++ {
			want := make([]int, len(d))
			if z > 0 {
				want = naiveWang(d, o.Term, z)
			}
			plan, err := at.AppendPlanAt(nil, problemOf(o, d), int64(z))
			if err != nil {
				t.Fatal(err)
			}
			check("threshold", bySlot(plan, len(d)), want)
		}
		both("wang", &wang, naiveWang(d, o.Term, regretted(o, true)))
		both("wang, eager", &eager, naiveWang(d, o.Term, m))
		both("history", &history, naiveHistory(d, o.Term, m))
		lambda := 1 + rng.IntN(2*o.Term+2)
		for rule := Printed; rule <= Deferred; rule++ {
			rho.Window, rho.Rule, rho.Forecast = lambda, rule, f
			both(fmt.Sprintf("rho %d, window %d", rule, lambda), &rho, naiveRHO(d, f, o.Term, lambda, m, rule))
		}
		robust.Window = 1 + rng.IntN(o.Term)
		robust.Ratio = []int{2000, 2250, 3000, 7000}[rng.IntN(4)]
		robust.Forecast = f
		want, bound := naiveRobust(o, d, f, robust.Window, robust.Ratio)
		both("robust", &robust, want)
		if g := gcd(o.Fee, o.Price-o.Use); robust.bound != (wide{lo: uint64(bound / g)}) {
			t.Fatalf("%d: bound %v, want %d/%d", n, robust.bound, bound, g)
		}
		rho.Window, robust.Window, rho.Forecast = o.Term+1+rng.IntN(o.Term), o.Term+1+rng.IntN(o.Term), nil
	}
}
