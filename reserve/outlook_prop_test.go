package reserve

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// An outlook by its definition, path by path: what a plan costs, what knowing would, how
// likely each purchase loses, and what the plan for the mean path costs. Quantiles are the
// least demand that the true one exceeds with a probability of at most 1 - q.
func TestOutlookByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 88))
	var e, other Exact
	for range 400 {
		n, k := 1+rng.IntN(6), 1+rng.IntN(5)
		p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 8 * pricing.Unit, Classes: []pricing.Class{
			{Name: "a", Term: time.Duration(1+rng.IntN(4)) * time.Hour, Upfront: pricing.Money(rng.IntN(25)) * pricing.Unit}}}}
		parts := make([]int, k)
		for i := range parts {
			parts[i] = 1
		}
		for range 20 - k { // twentieths
			parts[rng.IntN(k)]++
		}
		for i := range k {
			path := make([]int, n)
			for t := range path {
				path[t] = rng.IntN(5)
			}
			p.Paths = append(p.Paths, path)
			p.Weights = append(p.Weights, float64(parts[i])/20)
		}
		if rng.IntN(3) == 0 { // equally likely
			p.Weights = nil
			for i := range parts {
				parts[i] = 1
			}
		}
		whole := 0
		for _, w := range parts {
			whole += w
		}
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		purchases := slices.Clone(plan.Purchases)
		got, err := e.Outlook(p, purchases)
		if err != nil {
			t.Fatal(err)
		}
		hindsight, losses := 0.0, make([]float64, len(purchases))
		mean := make([]float64, n)
		for i, path := range p.Paths {
			q := *p
			q.Demand, q.Paths, q.Weights = path, nil, nil
			known, err := other.Solve(&q)
			if err != nil {
				t.Fatal(err)
			}
			hindsight += known.Cost.Float64() * float64(parts[i]) / float64(whole)
			cost, err := Cost(&q, purchases)
			if err != nil || cost != got.PathCosts[i] {
				t.Fatalf("path %d costs %v, want %v: %v", i, got.PathCosts[i], cost, err)
			}
			uses, err := AppendUses(nil, &q, purchases)
			if err != nil {
				t.Fatal(err)
			}
			for j, u := range uses {
				if u.Saved < 0 {
					losses[j] += float64(parts[i]) / float64(whole)
				}
			}
			for t, d := range path {
				mean[t] += float64(d*parts[i]) / float64(whole)
			}
		}
		if got.Cost != plan.Cost || math.Abs(got.Hindsight.Float64()-hindsight) > 1e-8 {
			t.Fatalf("%+v: cost %v, knowing %v, want %v and %v", p, got.Cost, got.Hindsight, plan.Cost, hindsight)
		}
		for j, v := range losses {
			if math.Abs(v-got.Losses[j]) > 1e-9 {
				t.Fatalf("%+v: losses %v, want %v", p, got.Losses, losses)
			}
		}
		q := *p
		q.Demand, q.Paths, q.Weights = make([]int, n), nil, nil
		for t, v := range mean {
			q.Demand[t] = int(math.RoundToEven(math.Round(v*1e9) / 1e9))
		}
		middle, err := other.Solve(&q)
		if err != nil {
			t.Fatal(err)
		}
		if want, err := Cost(p, middle.Purchases); err != nil || got.MeanPath != want {
			t.Fatalf("%+v: the plan for the mean path costs %v, want %v: %v", p, got.MeanPath, want, err)
		}
		for twentieths := range 21 {
			level := float64(twentieths) / 20
			quantile, err := p.AppendQuantile([]int{7}, level)
			if err != nil || len(quantile) != n+1 || quantile[0] != 7 {
				t.Fatal(quantile, err)
			}
			for s := range n {
				want := 0
				for ; ; want++ {
					above := 0
					for i, path := range p.Paths {
						if path[s] > want {
							above += parts[i]
						}
					}
					if above*20 <= (20-twentieths)*whole {
						break
					}
				}
				if quantile[s+1] != want {
					t.Fatalf("%+v: quantile %v of slot %d: %d, want %d", p, level, s, quantile[s+1], want)
				}
			}
		}
	}
}

// A problem that is wrong in itself has no outlook and no quantile.
func TestOutlookErrors(t *testing.T) {
	good := func() *Problem {
		return &Problem{Slot: time.Hour, Paths: [][]int{{2, 2}, {0, 1}}, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{{Name: "a", Term: time.Hour, Upfront: 5}}}}
	}
	var e Exact
	for name, c := range map[string]struct {
		change    func(p *Problem)
		purchases []pricing.Purchase
		quantile  bool // is wrong, too
		want      error
	}{
		"a negative demand":        {func(p *Problem) { p.Paths[1][0] = -1 }, nil, true, ErrRange},
		"a path too short":         {func(p *Problem) { p.Paths[1] = []int{1} }, nil, true, nil},
		"weights of another sum":   {func(p *Problem) { p.Weights = []float64{.5, .6} }, nil, true, nil},
		"no such class":            {func(p *Problem) {}, []pricing.Purchase{{Class: 1, Count: 1}}, false, ErrForged},
		"more than may be active":  {func(p *Problem) { p.MaxActive = 1 }, []pricing.Purchase{{Count: 2}}, false, ErrForged},
		"amounts beyond all money": {func(p *Problem) { p.Prices.OnDemand = math.MaxInt64 / 2; p.Paths[0][0] = 1 << 30 }, nil, false, nil},
	} {
		p := good()
		c.change(p)
		if _, err := e.Outlook(p, c.purchases); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, err := p.AppendQuantile(nil, .5); (err != nil) != c.quantile {
			t.Errorf("%s: quantile: %v", name, err)
		}
	}
	for _, q := range []float64{-.01, 1.01, math.Inf(1)} {
		if _, err := good().AppendQuantile(nil, q); !errors.Is(err, ErrRange) {
			t.Errorf("quantile %v: %v", q, err)
		}
	}
}
