package reserve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// With fine weights and many paths the common denominator of the weights that Front solves for does
// not fit in 64 bits. What is then proved is a little less than the best plan's value, and no more.
func TestFrontFineWeights(t *testing.T) {
	for _, c := range []struct {
		name        string
		paths       int
		last        float64 // weight of the last path
		demands     [2]int  // of the last path and of the others
		level, risk float64
		uneven      float64 // by how much weights differ
		best        float64 // what the best plan is worth, by hand
		bought      int
	}{
		// Nothing bought: .01234567·6·2/.176. One reservation: .2 + .01234567·5·2/.176.
		{"a rare demand", 100_000, .98765433, [2]int{0, 6}, .824, 1, 0, .01234567 * 12 / .176, 0},
		// Two reservations serve all, and one would leave 2 on demand in the worst share.
		{"a frequent demand", 50_000, .97, [2]int{2, 1}, .04, .999, .1, .4, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 2 * pricing.Unit, Classes: []pricing.Class{
				{Name: "hour", Term: time.Hour, Upfront: 200 * pricing.Milli}}}}
			for i := range c.paths - 1 {
				w := (1 - c.last) / float64(c.paths-1) * (1 + c.uneven*math.Sin(2*math.Pi*float64(i)/float64(c.paths-1)))
				p.Weights, p.Paths = append(p.Weights, w), append(p.Paths, c.demands[1:])
			}
			p.Weights, p.Paths = append(p.Weights, c.last), append(p.Paths, c.demands[:1])
			e := new(Exact)
			f, err := e.newFront(p, c.level)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.evaluate(nil); err != nil {
				t.Fatal(err)
			}
			f.share(f.costs, 1)
			f.round()
			_, bound, err := f.solve(int64(math.Round(1000*c.risk)), 1000)
			if err != nil {
				t.Fatal(err)
			}
			if bound /= float64(pricing.Unit); bound > c.best*(1+1e-9) || bound < c.best*.997 {
				t.Errorf("the bound is %v, want %v or a little less", bound, c.best)
			}
			front, err := e.Front(p, c.level, []float64{c.risk}, 12)
			if err != nil {
				t.Fatal(err)
			}
			x := front[0]
			got := (1-c.risk)*x.Mean.Float64() + c.risk*x.CVaR.Float64()
			if math.Abs(got-c.best) > 1e-8 || x.Gap < 0 || x.Gap > .003 || counts(x.Purchases) != c.bought {
				t.Errorf("value %v, gap %v, %v: want %v", got, x.Gap, x.Purchases, c.best)
			}
		})
	}
}

// The weights that Front solves for lie between none and the proper ones, for any number of parts
// that fit, and are the proper ones where those fit.
func TestFrontCombine(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 4)) // seed 42, 4
	exact := 0
	for range 2000 {
		n := 1 + r.IntN(6)
		f := front{grain: 10_000, weights: make([]int64, n), q: make([]int64, n), exact: make([]int64, n), most: 1 + r.Int64N(1<<r.IntN(40))}
		for i := range n {
			f.weights[i] = r.Int64N(1 << r.IntN(30))
			f.parts += f.weights[i]
		}
		if f.parts == 0 {
			continue
		}
		for range f.grain {
			f.q[r.IntN(n)]++
		}
		l := r.Int64N(riskParts + 1)
		parts := f.combine(l, riskParts)
		sum := int64(0)
		for i, got := range f.exact {
			risk := float64(l) / riskParts
			want := (1-risk)*float64(f.weights[i])/float64(f.parts) + risk*float64(f.q[i])/float64(f.grain)
			share := float64(got) / float64(parts)
			if share > want*(1+1e-12) || share < want-2/float64(parts)-1e-12 {
				t.Fatalf("%+v: weight %d is %v, want %v rounded down", f, i, share, want)
			}
			sum += got
		}
		if parts > f.most || sum > parts || parts == f.most && sum < parts-2*int64(n) {
			t.Fatalf("%+v: %d of %d parts, want at most %d", f, sum, parts, f.most)
		}
		if sum == parts {
			exact++
		}
	}
	if exact < 100 || exact > 1900 {
		t.Errorf("%d of 2000 are exact: want both kinds", exact)
	}
}

// Prices without a common unit leave room for few parts.
func TestFrontOddPrices(t *testing.T) {
	p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 123_456_789, Classes: []pricing.Class{
		{Name: "day", Term: 24 * time.Hour, Upfront: 1_234_567_891}}}}
	for _, d := range []int{3, 5, 8} {
		p.Paths = append(p.Paths, slices.Repeat([]int{d}, 8760))
	}
	front, err := new(Exact).Front(p, .5, []float64{0, .5, 1}, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range front {
		if !(x.Gap < 1e-4) || math.IsNaN(x.Gap) {
			t.Errorf("risk %v: a gap of %v", x.Risk, x.Gap)
		}
	}
}

// Without weight of risk, Front's plan is that of Exact, and so is its gap. With several use prices
// the gap need not be 0: twice (1,1,1) costs 8 at best, and 7 in the linear program.
func TestFrontGapWithoutRisk(t *testing.T) {
	p := &Problem{Slot: time.Hour, Paths: [][]int{digits("11100001110000")}, Prices: pricing.List{OnDemand: 2 * pricing.Unit, Classes: []pricing.Class{
		{Name: "by use", Term: 3 * time.Hour, Upfront: pricing.Unit, Hourly: pricing.Unit, Billed: pricing.WhenUsed},
		{Name: "prepaid", Term: 2 * time.Hour, Upfront: 2 * pricing.Unit}}}}
	front, err := new(Exact).Front(p, .5, []float64{0}, 0)
	if err != nil || front[0].Mean != 8*pricing.Unit || math.Abs(front[0].Gap-1./7) > 1e-9 {
		t.Errorf("%+v, %v: want 8 and a gap of 1/7", front, err)
	}
}

// counts returns how many reservations a plan buys.
func counts(plan []pricing.Purchase) (n int) {
	for _, b := range plan {
		n += b.Count
	}
	return n
}

// The bound that a gap stands for is at most what the best plan is worth, for weights of any digits: with
// terms of one slot all plans can be tried.
func TestFrontBoundOfWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	var e Exact
	for range 12 {
		p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
			{Name: "hour", Term: time.Hour, Upfront: pricing.Money(1+rng.IntN(90)) * 10 * pricing.Milli}}}}
		sum := 0.0
		for range 20 + rng.IntN(60) {
			p.Weights, p.Paths = append(p.Weights, rng.Float64()), append(p.Paths, []int{rng.IntN(6)})
			sum += p.Weights[len(p.Weights)-1]
		}
		for i := range p.Weights {
			p.Weights[i] /= sum
		}
		level, risks := .5+.4*rng.Float64(), []float64{.3, .7, 1}
		points, err := e.Front(p, level, risks, 20)
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range points {
			best := math.Inf(1)
			for bought := range 7 {
				best = min(best, worthOf(p, bought, level, risks[k]))
			}
			got := (1-x.Risk)*x.Mean.Float64() + x.Risk*x.CVaR.Float64()
			if bound := got / (1 + x.Gap); bound > best*(1+1e-6) || got < best*(1-1e-6) {
				t.Fatalf("risk %v, level %v, %d paths: %v with the bound %v, and the best plan is worth %v", x.Risk, level, len(p.Paths), got, bound, best)
			}
		}
	}
}

// worthOf returns (1−λ)·mean + λ·CVaR of so many reservations in the one slot of p.
func worthOf(p *Problem, bought int, level, risk float64) float64 {
	order := make([]int, len(p.Paths))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return p.Paths[b][0] - p.Paths[a][0] })
	fee, left, mean, tail := p.Prices.Classes[0].Upfront.Float64()*float64(bought), 1-level, 0.0, 0.0
	for _, i := range order {
		cost := fee + float64(max(0, p.Paths[i][0]-bought))
		mean += p.Weights[i] * cost
		w := min(left, p.Weights[i])
		tail += w * cost
		left -= w
	}
	return (1-risk)*mean + risk*tail/(1-level)
}
