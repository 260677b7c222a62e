package reserve

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// uncertain turns a problem into one whose demand is not known: paths, weighted or not,
// or chances.
func uncertain(t *rapid.T, p *Problem) {
	n := len(p.Demand)
	if n == 0 {
		return
	}
	p.Demand = nil
	tenths := func() []float64 {
		left, list := 10, []float64(nil)
		for left > 0 {
			w := rapid.IntRange(0, left).Draw(t, "tenths")
			if len(list) == 2 {
				w = left
			}
			list = append(list, float64(w)/10)
			left -= w
		}
		return list
	}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		for range rapid.IntRange(1, 4).Draw(t, "paths") {
			p.Paths = append(p.Paths, rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "path"))
		}
	case 1:
		p.Weights = tenths()
		for range p.Weights {
			p.Paths = append(p.Paths, rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "path"))
		}
	default:
		for range n {
			var list []Chance
			for _, w := range tenths() {
				list = append(list, Chance{rapid.IntRange(0, 2).Draw(t, "demand"), w})
			}
			p.Chances = append(p.Chances, list)
		}
	}
}

// The plan for a demand that is not known costs what exhaustive search finds, with all
// that a problem has, and Verify agrees.
func TestPathsEqualBruteForce(t *testing.T) {
	var e Exact
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		uncertain(t, p)
		before := fmt.Sprint(*p)
		plan, err := e.Solve(p)
		if fmt.Sprint(*p) != before {
			t.Fatal("the problem has changed")
		}
		_, want, ok := bruteForce(p)
		if (err == nil) != ok {
			t.Fatalf("error %v, feasible %v", err, ok)
		}
		if err != nil {
			return
		}
		got := planCost(p, plan.Purchases)
		if len(usedPrices(p)) > 1 {
			seen["mixed"]++
			bound := new(big.Rat).SetInt64(int64(plan.Bound) - 1) // rounded half to even
			if got.Cmp(want) < 0 || bound.Cmp(want) > 0 {
				t.Fatalf("bound %v, optimum %v, plan %v", bound.RatString(), want.RatString(), got.RatString())
			}
		} else if got.Cmp(want) != 0 || !plan.Optimal() || plan.Gap() != 0 {
			t.Fatalf("the plan %v costs %v, exhaustive search %v", plan.Purchases, got.RatString(), want.RatString())
		}
		if d := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(plan.Cost)), got); d.Abs(d).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("Cost %d, exact %v", plan.Cost, got.RatString())
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
		if cost, err := Cost(p, plan.Purchases); err != nil || cost != plan.Cost {
			t.Fatalf("Cost %v, %v, the plan says %v", cost, err, plan.Cost)
		}
		again, err := new(Exact).Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(again, plan, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("a used Exact differs from a fresh one (-fresh +used):\n%s", d)
		}
		seen["purchases"] += min(1, len(plan.Purchases))
		seen["weighted"] += min(1, len(p.Weights))
		seen["chances"] += min(1, len(p.Chances))
		seen["held"] += min(1, len(p.Held))
		seen["capped"] += min(1, p.MaxActive+p.MaxBuy)
		seen["pure"] += int(p.Horizon)
	})
	t.Log(seen)
	for _, what := range []string{"mixed", "purchases", "weighted", "chances", "held", "capped", "pure"} {
		if seen[what] < 10 {
			seeded.TooFew(t, "%d cases with %s were drawn", seen[what], what)
		}
	}
}

// One path, and paths that are all alike, are the demand itself.
func TestOnePath(t *testing.T) {
	var e Exact
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		p.Demand = append(p.Demand, 1)
		p.Closed = nil
		want, err := e.Solve(p)
		if err != nil {
			return
		}
		cost, bound := want.Cost, want.Bound
		buys := slices.Clone(want.Purchases)
		byPaths := e.solver.Stats.Phases > 0 // a single class of a short term has a method of its own, with other ties
		q := *p
		q.Demand = nil
		for range rapid.IntRange(1, 3).Draw(t, "paths") {
			q.Paths = append(q.Paths, p.Demand)
		}
		got, err := e.Solve(&q)
		if err != nil || got.Cost != cost || got.Bound != bound && got.Bound < cost {
			t.Fatalf("cost %v, bound %v, %v: want %v, %v", got.Cost, got.Bound, err, cost, bound)
		}
		if len(q.Paths) == 1 && !byPaths && p.MaxActive == 0 && !slices.Equal(got.Purchases, buys) {
			t.Fatalf("purchases %v, want %v", got.Purchases, buys)
		}
	})
}

// Where terms are one slot each slot is a newsvendor: reserve the least number that the
// demand exceeds with a probability of at most fee/price, the critical fractile.
func TestNewsvendor(t *testing.T) {
	var e Exact
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.IntRange(2, 20).Draw(t, "price")
		fee := rapid.IntRange(1, price-1).Draw(t, "fee")
		p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: pricing.Money(price), Classes: []pricing.Class{
			{Name: "slot", Term: time.Hour, Upfront: pricing.Money(fee)}}}}
		n := rapid.IntRange(1, 5).Draw(t, "slots")
		for range rapid.IntRange(1, 9).Draw(t, "paths") {
			p.Paths = append(p.Paths, rapid.SliceOfN(rapid.IntRange(0, 30), n, n).Draw(t, "path"))
		}
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		bought := make([]int, n)
		for _, b := range plan.Purchases {
			bought[b.Slot] += b.Count
		}
		for s := range n {
			// exceed is how many paths need more than a. A plan of a is best if one more
			// does not pay, and one less does not either.
			exceed := func(a int) (count int) {
				for _, path := range p.Paths {
					if path[s] > a {
						count++
					}
				}
				return count
			}
			a, all := bought[s], len(p.Paths)
			if exceed(a)*price > fee*all {
				t.Fatalf("slot %d: %d reserved, %d of %d paths need more", s, a, exceed(a), all)
			}
			if a > 0 && exceed(a-1)*price < fee*all {
				t.Fatalf("slot %d: %d reserved, only %d of %d paths need the last", s, a, exceed(a-1), all)
			}
		}
	})
}

// sharedPaths reads a case of shared/scenarios.
func sharedPaths(tb testing.TB, name string, hours int) *Problem {
	tb.Helper()
	f, err := os.Open(shared.File(tb, "scenarios/"+name+".csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	p := &Problem{Slot: time.Duration(hours) * time.Hour, Paths: make([][]int, len(rows[0]))}
	for _, row := range rows[1:] {
		for i, x := range row {
			d, err := strconv.Atoi(x)
			if err != nil {
				tb.Fatal(err)
			}
			p.Paths[i] = append(p.Paths[i], d)
		}
	}
	text, err := os.ReadFile(shared.File(tb, "scenarios/"+name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var spec struct {
		OnDemand json.Number `json:"on_demand"`
		Classes  []struct {
			Name, Term, Billed string
			Upfront, Hourly    json.Number
		}
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		tb.Fatal(err)
	}
	p.Prices.OnDemand = money(tb, string(spec.OnDemand))
	for _, c := range spec.Classes {
		term, err := time.ParseDuration(c.Term)
		if err != nil {
			tb.Fatal(err)
		}
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: c.Name, Term: term,
			Upfront: money(tb, string(c.Upfront)), Hourly: money(tb, string(c.Hourly)), Billed: pricing.Always})
	}
	return p
}

// sharedCases returns the cases of shared/scenarios with their reference optima, the
// values of a linear program as shared/peers/scenarios.py has HiGHS solve it.
func sharedCases(tb testing.TB) (names []string, problems []*Problem, optima []float64) {
	text, err := os.ReadFile(shared.File(tb, "scenarios/reference.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var list []struct {
		Case    string
		Hours   int `json:"slot_hours"`
		Optimum float64
	}
	if err := json.Unmarshal(text, &list); err != nil {
		tb.Fatal(err)
	}
	for _, c := range list {
		names = append(names, c.Case)
		problems = append(problems, sharedPaths(tb, c.Case, c.Hours))
		optima = append(optima, c.Optimum)
	}
	return names, problems, optima
}

// The optima of the linear program, to the last digit that it prints, with a proof.
func TestPathsReference(t *testing.T) {
	var e Exact
	names, problems, optima := sharedCases(t)
	for i, p := range problems {
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%s: %v", names[i], err)
		}
		if math.Abs(plan.Cost.Float64()-optima[i]) > .5e-6 || !plan.Optimal() {
			t.Errorf("%s: cost %v, bound %v: want %v", names[i], plan.Cost, plan.Bound, optima[i])
		}
	}
}

// yearOfHours is a year of hours on 50 paths: a level that wanders, days, weeks.
func yearOfHours() [][]int {
	rng := rand.New(rand.NewPCG(16, 50))
	paths := make([][]int, 50)
	for i := range paths {
		level := 150.0
		for t := range 8760 {
			level = max(20, min(400, level+3*rng.NormFloat64()))
			d := level
			if t%24 >= 8 && t%24 < 20 && t/24%7 < 5 {
				d *= 2
			}
			paths[i] = append(paths[i], int(d))
		}
	}
	return paths
}

// Weights that have no common denominator are rounded to nine decimals, and amounts that
// are too large for the flow are rounded; the bound holds, and the gap is a trifle.
func TestPathsFineWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	p := &Problem{Slot: time.Hour, Prices: month(), Horizon: Pure, Every: 7}
	for range 5 {
		p.Paths = append(p.Paths, anyDemand(rng, 3000, 60))
	}
	p.Prices.Classes = slices.Delete(p.Prices.Classes, 1, 2)
	p.Prices.OnDemand = 60_123_457
	sum := 0.0
	for range 4 {
		w := rng.Float64() / 4
		p.Weights = append(p.Weights, w)
		sum += w
	}
	p.Weights = append(p.Weights, 1-sum)
	plan, err := new(Exact).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(p, &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Gap() > 1e-8 || len(plan.Purchases) == 0 {
		t.Errorf("gap %v, %d purchases", plan.Gap(), len(plan.Purchases))
	}
	// Thirds, with nine decimals, are thirds.
	p.Paths, p.Weights = p.Paths[:3], []float64{.333333333, .333333334, .333333333}
	third, err := new(Exact).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	p.Weights = nil
	want, err := new(Exact).Solve(p)
	if err != nil || third.Cost != want.Cost || !third.Optimal() {
		t.Errorf("thirds cost %v, equal paths %v, %v", third.Cost, want.Cost, err)
	}
}

// A plan or proof that is not what it says is found out.
func TestPathsForged(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := &Problem{Slot: time.Hour, Prices: month()}
	p.Prices.Classes = p.Prices.Classes[:1]
	for range 4 {
		p.Paths = append(p.Paths, anyDemand(rng, 900, 40))
	}
	plan, err := new(Exact).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(q *Plan){
		"cost":     func(q *Plan) { q.Cost-- },
		"bound":    func(q *Plan) { q.Bound++ },
		"value":    func(q *Plan) { q.Certificate.Values[17] += 1 + q.Certificate.Values[17] },
		"count":    func(q *Plan) { q.Purchases[0].Count++ },
		"purchase": func(q *Plan) { q.Purchases = q.Purchases[1:] },
		"unit":     func(q *Plan) { q.Certificate.Num *= 2 },
	} {
		q := plan
		q.Purchases, q.Certificate.Values = slices.Clone(plan.Purchases), slices.Clone(plan.Certificate.Values)
		change(&q)
		if err := Verify(p, &q); !errors.Is(err, ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bad input is refused in one sentence that says where and what would be right.
func TestPathsErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *Problem)
		want   string
	}{
		{"lengths", func(p *Problem) { p.Paths[1] = p.Paths[1][:2] }, "reserve: Paths[1]: value out of range: 2 slots: want 3, as the first path has"},
		{"negative", func(p *Problem) { p.Paths[1][2] = -1 }, "reserve: Paths[1]: value out of range: -1 in slot 2: want 0 to 2147483647 instances"},
		{"none", func(p *Problem) { p.Paths = [][]int{} }, "reserve: Paths: value out of range: there are none: want at least one"},
		{"both", func(p *Problem) { p.Demand = []int{1} }, "reserve: Demand: value out of range: it is there beside paths, chances or a tree: want one of Demand, Paths, Chances and Tree"},
		{"all", func(p *Problem) { p.Chances = [][]Chance{{{1, 1}}} }, "reserve: Chances: value out of range: they are there beside paths: want one of Demand, Paths and Chances"},
		{"weights", func(p *Problem) { p.Weights = []float64{1} }, "reserve: Weights: value out of range: there are 1: want one for each of the 2 paths"},
		{"sum", func(p *Problem) { p.Weights = []float64{.5, .4} }, "reserve: Weights: value out of range: they sum to 0.9: want 1"},
		{"NaN", func(p *Problem) { p.Weights = []float64{.5, math.NaN()} }, "reserve: Weights[1]: value out of range: NaN: want a probability from 0 to 1"},
		{"minus", func(p *Problem) { p.Weights = []float64{1.5, -.5} }, "reserve: Weights[0]: value out of range: 1.5: want a probability from 0 to 1"},
		{"lonely", func(p *Problem) { p.Paths, p.Weights = nil, []float64{1} }, "reserve: Weights: value out of range: there are 1, and no paths: want Paths as well"},
		{"chances", func(p *Problem) { p.Paths, p.Chances = nil, [][]Chance{{{1, .5}, {2, .5}}, {{1, .5}, {2, .25}}} }, "reserve: Chances[1]: value out of range: the probabilities sum to 0.75: want 1"},
		{"chance", func(p *Problem) { p.Paths, p.Chances = nil, [][]Chance{{{-3, 1}}} }, "reserve: Chances[0]: value out of range: a demand of -3: want 0 to 2147483647 instances"},
		{"infinite", func(p *Problem) { p.Paths, p.Chances = nil, [][]Chance{{{3, math.Inf(1)}}} }, "reserve: Chances[0]: value out of range: a probability of +Inf: want 0 to 1"},
		{"closed", func(p *Problem) { p.Closed = make([]bool, 2) }, "reserve: Closed: value out of range: 2 slots: want one for each of the 3 of Demand"},
	} {
		p := &Problem{Slot: time.Hour, Prices: month(), Paths: [][]int{{1, 2, 3}, {4, 5, 6}}}
		c.change(p)
		_, err := new(Exact).Solve(p)
		var input *InputError
		if !errors.As(err, &input) || !errors.Is(err, ErrRange) || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	for _, x := range []float64{-1, math.NaN(), math.Inf(1), 1e10} {
		if list, err := AppendInstances([]int{7}, []float64{1, x}); !errors.Is(err, ErrRange) || !slices.Equal(list, []int{7}) || !strings.Contains(err.Error(), "path[1]") {
			t.Errorf("%v: %v, %v", x, list, err)
		}
	}
	if list, err := AppendInstances(nil, []float64{0, .49, .5, 7.2}); err != nil || !slices.Equal(list, []int{0, 0, 1, 7}) {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := new(HGR).AppendPlan(nil, &Problem{Slot: time.Hour, Prices: month(), Paths: [][]int{{1, 2, 3}, {4, 5, 6}}}); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

// Exact allocates nothing for paths, chances and weights once it has seen the largest.
func TestPathsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	var problems []*Problem
	for i, n := range []int{4000, 1, 3000, 700} {
		p := &Problem{Slot: time.Hour, Prices: month(), Horizon: Horizon(i % 2), Held: []pricing.Holding{{Count: 3, Until: n / 2}}}
		p.Prices.Classes = slices.Delete(p.Prices.Classes, 1, 2)
		for range 8 - i {
			p.Paths = append(p.Paths, anyDemand(rng, n, 90))
		}
		if i%2 == 1 {
			p.Weights = make([]float64, len(p.Paths))
			for k := range p.Weights {
				p.Weights[k] = 1 / float64(len(p.Paths))
			}
		}
		problems = append(problems, p)
	}
	var e Exact
	dst := make([]pricing.Purchase, 0, 10_000)
	for i, p := range append(problems[:1:1], problems...) {
		n := allocs.Once(func() {
			var err error
			if dst, err = e.AppendPlan(dst[:0], p); err != nil {
				t.Fatal(err)
			}
		})
		if i > 1 && n != 0 {
			t.Errorf("problem %d: %v allocations", i-1, n)
		}
	}
}

// BenchmarkPaths plans for the paths of shared/scenarios, which HiGHS takes 2.6 to 3.4 s
// for (reference.json), and for a year of hours on 50 paths.
func BenchmarkPaths(b *testing.B) {
	run := func(name string, p *Problem) {
		b.Run(fmt.Sprintf("alg=exact/case=%s/slots=%d/paths=%d", name, len(p.Paths[0]), len(p.Paths)), func(b *testing.B) {
			var e Exact
			plan, err := e.Solve(p)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if plan, err = e.Solve(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(plan.Gap(), "gap-ratio")
			b.ReportMetric(float64(len(plan.Purchases)), "purchases")
		})
	}
	if os.Getenv(shared.Env) != "" {
		names, problems, _ := sharedCases(b)
		for i, p := range problems {
			run(names[i], p)
		}
	}
	paths := yearOfHours()
	list := month()
	list.Classes = slices.Delete(list.Classes, 1, 2)
	day := pricing.List{OnDemand: list.OnDemand, Classes: []pricing.Class{
		{Name: "day", Term: 24 * time.Hour, Upfront: 900 * pricing.Milli},
		{Name: "week", Term: 168 * time.Hour, Upfront: 5500 * pricing.Milli},
		{Name: "month", Term: 720 * time.Hour, Upfront: 22 * pricing.Unit},
	}}
	run("months", &Problem{Slot: time.Hour, Prices: list, Paths: paths})
	run("days", &Problem{Slot: time.Hour, Prices: day, Paths: paths})
}

// With several use prices, plans for many paths are as near the optimum as plans for one:
// fees count for all paths, and a slot on demand for one of them.
func TestPathsSeveralUsePrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	list := pricing.CC28XLarge2013()
	for k := range list.Classes {
		list.Classes[k].Term = list.Classes[k].Term / (168 * time.Hour) * (168 * time.Hour)
	}
	var e Exact
	for _, n := range []int{1, 3, 5, 10, 20, 50} {
		p := &Problem{Slot: 168 * time.Hour, Prices: list, Horizon: Pure}
		for range n {
			path, d := make([]int, 52), 30
			for i := range path {
				d = max(0, d+rng.IntN(5)-2)
				path[i] = d
			}
			p.Paths = append(p.Paths, path)
		}
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Gap() > 1e-3 {
			t.Errorf("%d paths: the plan costs %v, the bound is %v", n, plan.Cost, plan.Bound)
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%d paths: %v", n, err)
		}
	}
}
