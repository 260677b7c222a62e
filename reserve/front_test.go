package reserve

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
)

// The front of shared/scenarios: gaps are certified and small, the mean rises and CVaR
// falls from one end to the other.
func TestFrontReference(t *testing.T) {
	var e Exact
	names, problems, _ := sharedCases(t)
	for i, p := range problems {
		began := time.Now()
		front, err := e.Front(p, .9, []float64{0, .333, .667, 1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		for _, x := range front {
			t.Logf("%s: risk %.1f mean %v CVaR %v gap %.2g", names[i], x.Risk, x.Mean, x.CVaR, x.Gap)
			if x.Gap > 5e-4 {
				t.Errorf("%s: a gap of %v at risk %v", names[i], x.Gap, x.Risk)
			}
		}
		t.Log(took)
	}
}

// bruteFront returns the least (1-λ)·mean + λ·CVaR over all plans of up to most
// purchases of each class at each slot, in nanos, by the definitions.
func bruteFront(p *Problem, level, risk float64, most int) float64 {
	best := math.Inf(1)
	var plan []pricing.Purchase
	n, h := len(p.Paths[0]), len(p.Prices.Classes)
	var rec func(at int)
	rec = func(at int) {
		if at < n*h {
			rec(at + 1)
			for count := 1; count <= most; count++ {
				plan = append(plan, pricing.Purchase{Slot: at / h, Class: at % h, Count: count})
				rec(at + 1)
				plan = plan[:len(plan)-1]
			}
			return
		}
		for t := range n {
			active := 0
			for _, b := range plan {
				if b.Slot <= t && t < b.Slot+int(p.Prices.Classes[b.Class].Term/p.Slot) {
					active += b.Count
				}
			}
			if p.MaxActive > 0 && active > p.MaxActive {
				return
			}
		}
		var costs []float64
		mean := 0.0
		for _, path := range p.Paths {
			q := *p
			q.Demand, q.Paths = path, nil
			c, _ := planCost(&q, plan).Float64()
			costs = append(costs, c)
			mean += c / float64(len(p.Paths))
		}
		// CVaR is the least η + mean of max(0, c - η)/(1-α), reached at one of the costs.
		tail := math.Inf(1)
		for _, eta := range costs {
			sum := eta
			for _, c := range costs {
				sum += max(0, c-eta) / (1 - level) / float64(len(costs))
			}
			tail = min(tail, sum)
		}
		best = min(best, (1-risk)*mean+risk*tail)
	}
	rec(0)
	return best
}

// No plan is below the bound that a point proves, and the point is near the best.
func TestFrontBrute(t *testing.T) {
	var e Exact
	points, missed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 1000}}
		n := rapid.IntRange(1, 2).Draw(t, "slots")
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			p.Paths = append(p.Paths, rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "path"))
		}
		for range rapid.IntRange(1, 2).Draw(t, "classes") {
			term := rapid.IntRange(1, 3).Draw(t, "term")
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: names[len(p.Prices.Classes)], Term: time.Duration(term) * time.Hour,
				Upfront: pricing.Money(rapid.IntRange(200, 900*term).Draw(t, "fee"))})
		}
		p.MaxActive = max(0, rapid.IntRange(-3, 2).Draw(t, "cap"))
		level := rapid.SampledFrom([]float64{.3, .5, .9}).Draw(t, "level")
		front, err := e.Front(p, level, []float64{0, .5, 1}, 25)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range front {
			if err := checkPurchases(p, &e.market, x.Purchases); err != nil {
				t.Fatal(err)
			}
			want := bruteFront(p, level, x.Risk, 2)
			got := (1-x.Risk)*float64(x.Mean) + x.Risk*float64(x.CVaR)
			bound := got / (1 + x.Gap)
			if bound > want+1 { // CVaR is rounded
				t.Fatalf("risk %v: bound %v, the best plan costs %v", x.Risk, bound, want)
			}
			if got < want-1 {
				t.Fatalf("risk %v: %v, below the best plan's %v", x.Risk, got, want)
			}
			points++
			if got > want*1.02+1 {
				missed++
			}
		}
	})
	if missed*10 > points {
		t.Errorf("%d of %d points are more than 2%% above the best plan", missed, points)
	}
	t.Log(missed, points)
}

func TestFrontErrors(t *testing.T) {
	var e Exact
	p := &Problem{Slot: time.Hour, Prices: month(), Paths: [][]int{{1, 2, 3}, {4, 5, 6}}}
	// After an error, a solver is as new.
	good := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 1000, Classes: []pricing.Class{{Name: "a", Term: 2 * time.Hour, Upfront: 900}, {Name: "b", Term: 3 * time.Hour, Upfront: 1700}}},
		Paths: [][]int{{1, 0, 2, 2, 0}, {0, 3, 1, 0, 1}, {2, 2, 2, 1, 1}}, MaxActive: 2}
	fresh, err := new(Exact).Front(good, .5, []float64{0, .3, 1}, 5)
	if err != nil {
		t.Fatal(err)
	}
	asNew := func(what any) {
		t.Helper()
		got, err := e.Front(good, .5, []float64{0, .3, 1}, 5)
		if diff := cmp.Diff(fresh, got); err != nil || diff != "" {
			t.Errorf("after %+v: %v (-new +used):\n%s", what, err, diff)
		}
	}
	for _, o := range []struct {
		level  float64
		risks  []float64
		rounds int
	}{{1, nil, 0}, {-1, nil, 0}, {math.NaN(), nil, 0}, {.9, []float64{1.5}, 0}, {.9, []float64{math.NaN()}, 0}, {.9, nil, -1}} {
		if _, err := e.Front(p, o.level, o.risks, o.rounds); !errors.Is(err, ErrRange) {
			t.Errorf("%+v: %v", o, err)
		}
		asNew(o)
	}
	for _, level := range []float64{.01, .5} { // and the ends of what is allowed
		if front, err := e.Front(p, level, []float64{0, 1}, 1); err != nil || len(front) != 2 {
			t.Errorf("level %v: %v, %v", level, front, err)
		}
	}
	// Risks are rounded to thousandths.
	if front, err := e.Front(p, .5, []float64{.3334, .9996}, 1); err != nil || front[0].Risk != .333 || front[1].Risk != 1 {
		t.Errorf("%v, %v", front, err)
	}
	// An error of Exact is Front's.
	p.Held, p.MaxActive = []pricing.Holding{{Count: 2, Until: 1}}, 1
	if front, err := e.Front(p, .95, []float64{0, 1}, 0); !errors.Is(err, ErrInfeasible) || front != nil {
		t.Error(front, err)
	}
	asNew("no plan")
	p.Held, p.MaxActive = nil, 0
	p.Paths, p.Demand = nil, []int{1}
	if _, err := e.Front(p, .95, nil, 0); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
	asNew("no paths")
	p.Paths, p.Demand, p.Slot = [][]int{{1}, {2}}, nil, 7*time.Minute
	if _, err := e.Front(p, .95, nil, 0); !errors.Is(err, ErrTerm) {
		t.Error(err)
	}
	asNew("a term of no whole slots")
	p.Slot = time.Hour
	// One path has no risk: all points are the same.
	p.Paths, p.Demand = [][]int{slices.Repeat([]int{2}, 800)}, nil
	front, err := e.Front(p, .95, nil, 0)
	if err != nil || len(front) != 11 {
		t.Fatal(len(front), err)
	}
	for _, x := range front {
		if x.Gap != 0 || x.Mean != x.CVaR || x.Mean != front[0].Mean {
			t.Errorf("%+v", x)
		}
	}
}
