package reserve

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
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

// drawExact draws a small problem of the kind that Exact solves.
func drawExact(t *rapid.T) *Problem {
	n := rapid.IntRange(0, 5).Draw(t, "slots")
	p := &Problem{Slot: rapid.SampledFrom([]time.Duration{time.Hour, 20 * time.Minute}).Draw(t, "slot")}
	for range n {
		p.Demand = append(p.Demand, rapid.IntRange(0, 2).Draw(t, "demand"))
	}
	p.Prices.OnDemand = pricing.Money(rapid.Int64Range(1, 9).Draw(t, "on demand")) * pricing.Unit
	use := pricing.Money(rapid.Int64Range(0, 3).Draw(t, "use")) * pricing.Unit
	mixed := rapid.Bool().Draw(t, "mixed")
	for k := range rapid.IntRange(0, 2).Draw(t, "classes") {
		c := pricing.Class{
			Name: strconv.Itoa(k), Term: p.Slot * time.Duration(rapid.IntRange(1, 4).Draw(t, "term")),
			Upfront: pricing.Money(rapid.Int64Range(0, 12).Draw(t, "fee")) * pricing.Unit / 2,
			Billed:  pricing.WhenUsed, Hourly: use,
		}
		if mixed {
			c.Hourly = pricing.Money(rapid.Int64Range(0, 3).Draw(t, "own use")) * pricing.Unit
		}
		if c.Hourly == 0 && rapid.Bool().Draw(t, "always") {
			c.Billed, c.Hourly = pricing.Always, pricing.Unit/4
		}
		p.Prices.Classes = append(p.Prices.Classes, c)
	}
	p.Every = rapid.SampledFrom([]int{0, 0, 2}).Draw(t, "every")
	if rapid.Bool().Draw(t, "dates") {
		for range n {
			p.Closed = append(p.Closed, rapid.Bool().Draw(t, "closed"))
		}
	}
	if rapid.Bool().Draw(t, "caps") {
		p.MaxBuy = rapid.IntRange(0, 1).Draw(t, "max buy")
		p.MaxActive = rapid.IntRange(0, 2).Draw(t, "max active")
	}
	if rapid.IntRange(0, 2).Draw(t, "sale") == 0 {
		p.AtMost = rapid.SliceOfN(rapid.IntRange(NoCap, 1), len(p.Prices.Classes), len(p.Prices.Classes)).Draw(t, "at most")
	}
	for k, c := range p.Prices.Classes {
		if slots := int(c.Term / p.Slot); slots > 1 && c.UsePrice() < p.Prices.OnDemand && rapid.Bool().Draw(t, "holds") {
			p.Held = append(p.Held, pricing.Holding{Class: k, Count: rapid.IntRange(0, 3).Draw(t, "count"), Until: rapid.IntRange(0, slots-1).Draw(t, "until")})
		}
	}
	p.Horizon = Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
	return p
}

// Exact's plan costs what exhaustive search finds, with caps, dates, inventory,
// several terms and both horizons, and Verify agrees.
func TestExactEqualsBruteForce(t *testing.T) {
	var e Exact
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		plan, err := e.Solve(p)
		_, want, ok := bruteForce(p)
		if (err == nil) != ok {
			t.Fatalf("error %v, feasible %v", err, ok)
		}
		if err != nil {
			seen["infeasible"]++
			return
		}
		got := planCost(p, plan.Purchases)
		if len(usedPrices(p)) > 1 {
			seen["mixed"]++
			bound := new(big.Rat).SetInt64(int64(plan.Bound) - 1) // rounded half to even
			if got.Cmp(want) < 0 || bound.Cmp(want) > 0 {
				t.Fatalf("bound %v, optimum %v, plan %v", bound.RatString(), want.RatString(), got.RatString())
			}
			if !plan.Optimal() {
				seen["gap"]++
			}
			if got.Cmp(want) > 0 {
				seen["not optimal"]++
			}
		} else if got.Cmp(want) != 0 || !plan.Optimal() || plan.Gap() != 0 {
			t.Fatalf("the plan %v costs %v, exhaustive search %v", plan.Purchases, got.RatString(), want.RatString())
		}
		if d := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(plan.Cost)), got); d.Abs(d).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("Cost %d, exact %v", plan.Cost, want.RatString())
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatal(err)
		}
		if cost, err := Cost(p, plan.Purchases); err != nil || cost != plan.Cost {
			t.Fatalf("Cost %v, %v, the plan says %v", cost, err, plan.Cost)
		}
		var fresh Exact
		again, err := fresh.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(again, plan, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("a used Exact differs from a fresh one (-fresh +used):\n%s", d)
		}
		seen["purchases"] += min(1, len(plan.Purchases))
		seen["held"] += min(1, len(p.Held))
		seen["capped"] += min(1, p.MaxActive+p.MaxBuy)
		seen["pure"] += int(p.Horizon)
		for k, most := range p.AtMost {
			if most == 0 && slices.ContainsFunc(p.Held, func(h pricing.Holding) bool { return h.Class == k && h.Count > 0 }) {
				seen["held and not for sale"]++
			}
		}
		for _, b := range plan.Purchases {
			if p.AtMost != nil && p.AtMost[b.Class] == 0 {
				t.Fatalf("buys class %d, which is not for sale", b.Class)
			}
		}
	})
	t.Log(seen)
	for _, what := range []string{"mixed", "infeasible", "purchases", "held", "capped", "pure", "held and not for sale"} {
		if seen[what] == 0 {
			seeded.TooFew(t, "no case with %s was drawn", what)
		}
	}
}

// usedPrices returns the distinct use prices below on demand.
func usedPrices(p *Problem) map[pricing.Money]bool {
	seen := map[pricing.Money]bool{}
	for _, c := range p.Prices.Classes {
		if u := c.UsePrice(); u < p.Prices.OnDemand {
			seen[u] = true
		}
	}
	return seen
}

// weeklyCases are the rows of the reference file for usage-priced classes. The
// pure cost there is by weeks, so the demand is padded to whole ones.
func weeklyCases(tb testing.TB) (names []string, problems []*Problem, optima []float64) {
	tb.Helper()
	for _, r := range readTable(tb, "weekly-reference") {
		optimum, err := strconv.ParseFloat(r[6], 64)
		if err != nil {
			tb.Fatal(err)
		}
		p := &Problem{Demand: readDemand(tb, r[0]), Slot: time.Hour, Prices: readList(tb, r[1]), Every: 168}
		for len(p.Demand)%168 != 0 {
			p.Demand = append(p.Demand, 0)
		}
		if r[2] == "pure" {
			p.Horizon = Pure
		}
		names = append(names, "demand="+r[0]+"/classes="+r[1]+"/cost="+r[2])
		problems = append(problems, p)
		optima = append(optima, optimum)
	}
	return names, problems, optima
}

// The optima of an independent integer program, within half a unit of the last
// printed digit, each proved by the certificate.
func TestExactWeeklyReference(t *testing.T) {
	names, problems, optima := weeklyCases(t)
	if len(names) != 30 {
		t.Fatalf("%d rows, want 30", len(names))
	}
	var e Exact
	for i, p := range problems {
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(names[i], err)
		}
		if math.Abs(plan.Cost.Float64()-optima[i]) > 0.0051 || !plan.Optimal() {
			t.Errorf("%s: cost %v, bound %v, want %v", names[i], plan.Cost, plan.Bound, optima[i])
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%s: %v", names[i], err)
		}
	}
}

// hourlyCases are the rows of the reference file for prepaid classes.
func hourlyCases(tb testing.TB) (names []string, problems []*Problem, optima []pricing.Money) {
	tb.Helper()
	for _, r := range readTable(tb, "hourly-reference") {
		optimum, err := pricing.ParseMoney(r[2])
		if err != nil {
			tb.Fatal(err)
		}
		names = append(names, "demand="+r[0]+"/classes="+r[1])
		problems = append(problems, &Problem{Demand: readDemand(tb, r[0]), Slot: time.Hour, Prices: readList(tb, r[1])})
		optima = append(optima, optimum)
	}
	return names, problems, optima
}

// The optima of an independent network simplex, to the last printed digit.
func TestExactHourlyReference(t *testing.T) {
	names, problems, optima := hourlyCases(t)
	if len(names) != 13 {
		t.Fatalf("%d rows, want 13", len(names))
	}
	var e Exact
	for i, p := range problems {
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(names[i], err)
		}
		if plan.Cost != optima[i] || plan.Bill.Total != optima[i] {
			t.Errorf("%s: cost %v, bill %v, want %v", names[i], plan.Cost, plan.Bill.Total, optima[i])
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%s: %v", names[i], err)
		}
	}
}

// A forged plan or certificate is refused.
func TestVerifyRefuses(t *testing.T) {
	p := &Problem{
		Demand: []int{2, 3, 1, 0, 2, 2}, Slot: time.Hour,
		Prices: pricing.List{OnDemand: 2 * pricing.Unit, Classes: []pricing.Class{{Name: "r", Term: 3 * time.Hour, Upfront: 3 * pricing.Unit, Billed: pricing.Always}}},
	}
	for name, forge := range map[string]func(*Plan){
		"cost":             func(q *Plan) { q.Cost-- },
		"bound":            func(q *Plan) { q.Bound++ },
		"bill":             func(q *Plan) { q.Bill.Total-- },
		"a purchase more":  func(q *Plan) { q.Purchases[0].Count++ },
		"a purchase less":  func(q *Plan) { q.Purchases = q.Purchases[1:] },
		"no such slot":     func(q *Plan) { q.Purchases[0].Slot = 6 },
		"no such class":    func(q *Plan) { q.Purchases[0].Class = 1 },
		"negative":         func(q *Plan) { q.Purchases[0].Count = -1 },
		"a value too high": func(q *Plan) { q.Certificate.Values[0] += q.Certificate.Values[0] + 1 },
		"a value too low":  func(q *Plan) { q.Certificate.Values[0]-- },
		"a negative value": func(q *Plan) { q.Certificate.Values[3] = -1 },
		"values missing":   func(q *Plan) { q.Certificate.Values = q.Certificate.Values[1:] },
		"another unit":     func(q *Plan) { q.Certificate.Num *= 2 },
	} {
		var e Exact
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Fatalf("the true plan: %v", err)
		}
		forge(&plan)
		if err := Verify(p, &plan); err == nil {
			t.Errorf("%s: not noticed", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// Where the linear program is cut short, or not tried, plan and certificate hold all the
// same, and the bound is at least those that take no time: Eq. (5), and the optimum if all
// use were as cheap as the cheapest.
func TestExactLimited(t *testing.T) {
	solvers := []*Exact{{Work: 1}, {direct: true}}
	mixed, gaps, above := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		if rapid.IntRange(0, 3).Draw(t, "known") == 0 {
			uncertain(t, p)
		}
		if p.Prices.OnDemand = max(p.Prices.OnDemand, 2*pricing.Unit); len(p.Prices.Classes) == 2 {
			for k := range p.Prices.Classes {
				c := &p.Prices.Classes[k]
				c.Billed, c.Hourly = pricing.WhenUsed, pricing.Money(k)*pricing.Unit
			}
		}
		_, want, ok := bruteForce(p)
		for i, e := range solvers {
			plan, err := e.Solve(p)
			if (err == nil) != ok {
				t.Fatalf("error %v, feasible %v", err, ok)
			}
			if err != nil || len(usedPrices(p)) < 2 {
				return
			}
			mixed++
			if err := Verify(p, &plan); err != nil {
				t.Fatal(err)
			}
			got := planCost(p, plan.Purchases)
			if got.Cmp(want) < 0 || new(big.Rat).SetInt64(int64(plan.Bound)-1).Cmp(want) > 0 {
				t.Fatalf("bound %v, optimum %v, plan %v", plan.Bound, want.RatString(), got.RatString())
			}
			if !plan.Optimal() {
				gaps++
			}
			if got.Cmp(want) > 0 {
				above++
			}
			bound := plan.Bound
			if p.Demand != nil {
				var c Competitive
				if eq5, err := c.Bound(p); err == nil && bound < eq5-1 {
					t.Fatalf("solver %d: bound %v, Eq. (5) %v", i, bound, eq5)
				}
			}
			cheap := *p
			cheap.Prices.Classes = slices.Clone(p.Prices.Classes)
			least := p.Prices.OnDemand
			for u := range usedPrices(p) {
				least = min(least, u)
			}
			for k := range cheap.Prices.Classes {
				if c := &cheap.Prices.Classes[k]; c.Billed == pricing.WhenUsed && c.Hourly < p.Prices.OnDemand {
					c.Hourly = least
				}
			}
			if relaxed, err := e.Solve(&cheap); err != nil || bound < relaxed.Cost-1 {
				t.Fatalf("solver %d: bound %v, that of the relaxation %v, %v", i, bound, relaxed.Cost, err)
			}
		}
	})
	t.Logf("%d cases, %d with a gap, %d above the optimum", mixed, gaps, above)
	if mixed < 50 {
		t.Errorf("%d cases", mixed)
	}
}

// Beside the simplex, on problems of a few hundred slots with all that a problem has.
func TestDecomposeBesideSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1)) // seed 22, 1
	for i := range 12 {
		n := 100 + r.IntN(100)
		p := &Problem{Slot: time.Hour, Horizon: Horizon(i % 2), Every: []int{0, 1, 3}[r.IntN(3)], Prices: pricing.List{OnDemand: 60 * pricing.Milli}}
		level := 20
		for range n {
			level = max(0, level+r.IntN(9)-4)
			p.Demand = append(p.Demand, level*(1+r.IntN(3))/2)
		}
		for k, term := range []int{12, 24, 36, 48}[:2+r.IntN(3)] {
			use := []pricing.Money{0, 30, 12, 20}[k] * pricing.Milli
			fee := pricing.Money(term) * (pricing.Money(50+r.IntN(30)-4*k)*60*pricing.Milli/100 - use*2/3)
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: strconv.Itoa(k), Term: time.Duration(term) * time.Hour, Upfront: fee, Hourly: use, Billed: pricing.WhenUsed})
		}
		switch i % 6 {
		case 1:
			p.Held = []pricing.Holding{{Class: 0, Count: 3, Until: 6}, {Class: 1, Count: 5, Until: 18}}
		case 2:
			p.MaxBuy = 2
		case 3:
			p.MaxActive = 25
		case 4:
			p.Closed = make([]bool, n)
			for t := range p.Closed {
				p.Closed[t] = r.IntN(3) == 0
			}
		case 5:
			p.AtMost = []int{NoCap, 3, 0, NoCap}[:len(p.Prices.Classes)]
		}
		var e Exact
		d := Exact{direct: true}
		want, err1 := e.Solve(p)
		got, err2 := d.Solve(p)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if err := Verify(p, &got); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		low, high := want.Bound.Float64()/got.Bound.Float64()-1, got.Cost.Float64()/want.Cost.Float64()-1
		t.Logf("%d: simplex gap %.1e, direct %.1e: bound lower by %.1e, cost higher by %.1e", i, want.Gap(), got.Gap(), low, high)
		if got.Cost < want.Bound || got.Bound > want.Cost {
			t.Errorf("%d: cost %v and bound %v, the simplex %v and %v", i, got.Cost, got.Bound, want.Cost, want.Bound)
		}
		if low > 3e-3 || high > 3e-3 {
			t.Errorf("%d: cost %v and bound %v, the simplex %v and %v", i, got.Cost, got.Bound, want.Cost, want.Bound)
		}
	}
}

// Terms of a day and of three days at two use prices, bought at any hour: demand of the
// kinds that shared/demand/hard/make.py writes, made here, and one of the reference logs.
func TestUsedHourly(t *testing.T) {
	list := usedDays()
	problems := map[string]*Problem{}
	for name, demand := range hardDemands(rand.New(rand.NewPCG(7, 0)), 1000) { // seed 7, 0
		problems[name] = &Problem{Demand: demand, Slot: time.Hour, Prices: list}
	}
	if os.Getenv(shared.Env) != "" {
		problems["unilu-gaia"] = &Problem{Demand: readDemand(t, "unilu-gaia"), Slot: time.Hour, Prices: list}
	}
	var e Exact
	for name, p := range problems {
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Error(name, err)
		}
		if plan.Limited || plan.Gap() > farGap {
			t.Errorf("%s: gap %.1e, limited %v", name, plan.Gap(), plan.Limited)
		}
		t.Logf("%s: cost %v, gap %.1e", name, plan.Cost, plan.Gap())
	}
}

// usedDays has classes of a day and of three days, light and heavy (used2d.json of the
// shared demands).
func usedDays() pricing.List {
	const milli = pricing.Milli
	return pricing.List{OnDemand: 60 * milli, Classes: []pricing.Class{
		{Name: "1d-light", Term: 24 * time.Hour, Upfront: 300 * milli, Hourly: 30 * milli, Billed: pricing.WhenUsed},
		{Name: "1d-heavy", Term: 24 * time.Hour, Upfront: 750 * milli, Billed: pricing.Always},
		{Name: "3d-light", Term: 72 * time.Hour, Upfront: 700 * milli, Hourly: 30 * milli, Billed: pricing.WhenUsed},
		{Name: "3d-heavy", Term: 72 * time.Hour, Upfront: 2000 * milli, Billed: pricing.Always},
	}}
}

// hardDemands returns n hours of a wave, a triangle, stairs, walks and bursts.
func hardDemands(r *rand.Rand, n int) map[string][]int {
	walk := func(by int) func(int) int {
		x := 500
		return func(int) int { x = max(0, x+r.IntN(2*by+1)-by); return x }
	}
	demands := map[string][]int{}
	for name, at := range map[string]func(t int) int{
		"sine":     func(t int) int { return int(500 + 400*math.Sin(float64(t)/720*2*math.Pi)) },
		"day":      func(t int) int { return int(100 + 80*math.Sin(float64(t)/24*2*math.Pi)) },
		"triangle": func(t int) int { return max(t%2000-1000, 1000-t%2000) },
		"stairs":   func(t int) int { return t / 24 % 60 * 10 },
	} {
		for t := range n {
			demands[name] = append(demands[name], at(t))
		}
	}
	for _, by := range []int{2, 30} {
		step := walk(by)
		for t := range n {
			demands[fmt.Sprint("walk", by)] = append(demands[fmt.Sprint("walk", by)], step(t))
		}
	}
	for t := range n {
		burst := 0
		if t%50 < 5 {
			burst = r.IntN(400)
		}
		demands["burst"] = append(demands["burst"], 10+burst)
	}
	return demands
}

// A certificate whose sums would wrap proves nothing, and neither do counts that
// would.
func TestVerifyRefusesWraps(t *testing.T) {
	p := &Problem{Demand: []int{1, 1, 1, 1}, Slot: time.Hour, Every: 4, Prices: pricing.List{OnDemand: 100}}
	for k := range 4 {
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: strconv.Itoa(k), Term: time.Hour, Upfront: 1<<61 - 1, Hourly: pricing.Money(90 - k), Billed: pricing.WhenUsed})
	}
	p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "4", Term: 4 * time.Hour, Upfront: 8, Hourly: 86, Billed: pricing.WhenUsed})
	var m market
	if err := m.load(p); err != nil {
		t.Fatal(err)
	}
	bill, err := new(pricing.Biller).Bill(p.Prices, p.Demand, p.Slot, nil)
	if err != nil {
		t.Fatal(err)
	}
	forged := Plan{Cost: 400, Bound: 400, Bill: bill, Certificate: Certificate{Levels: 5, Num: m.common, Den: m.scale}}
	for range 5 * 4 {
		forged.Certificate.Values = append(forged.Certificate.Values, 1<<59-10)
	}
	if err := Verify(p, &forged); err == nil {
		t.Error("values that wrap are taken for a proof")
	}
	var e Exact
	if plan, err := e.Solve(p); err != nil || plan.Cost != 352 || Verify(p, &plan) != nil {
		t.Errorf("cost %d, %v, %v; want 352", plan.Cost, err, Verify(p, &plan))
	}

	q := &Problem{Demand: []int{1}, Slot: time.Hour, MaxActive: 1, Prices: pricing.List{OnDemand: 1}}
	var all []pricing.Purchase
	for k := range 4 {
		q.Prices.Classes = append(q.Prices.Classes, pricing.Class{Name: strconv.Itoa(k), Term: time.Hour})
		all = append(all, pricing.Purchase{Class: k, Count: math.MaxInt/2 + 1})
	}
	if _, err := Cost(q, all); !errors.Is(err, ErrForged) {
		t.Errorf("counts that wrap: %v", err)
	}
}

// Two plans of equal cost, where the fee is a multiple of the price: nothing, and one reservation at
// slot 0. Which of the two Solve returns is not promised.
func TestExactTie(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: digits("2012"), Prices: prepaid(2, 6, 6)}
	plan, err := new(Exact).Solve(p)
	none, err1 := Cost(p, nil)
	one, err2 := Cost(p, []pricing.Purchase{{Count: 1}})
	if want := 10 * pricing.Unit; err != nil || err1 != nil || err2 != nil || plan.Cost != want || !plan.Optimal() || none != want || one != want {
		t.Errorf("%v, %v, %v: want 10 each (%v, %v, %v)", plan.Cost, none, one, err, err1, err2)
	}
}

// Amounts that are too large for the linear program's floats, and an inconvenient
// common multiple, make the bound a trifle lower and nothing else.
func TestExactLargeAmounts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	for _, horizon := range []Horizon{Full, Pure} {
		p := &Problem{Slot: time.Hour, Every: 168, Horizon: horizon, Prices: pricing.List{OnDemand: 16_000_123_456_789}}
		for range 168 * 40 {
			p.Demand = append(p.Demand, 20+r.IntN(20))
		}
		for k, term := range []int{13, 29, 52} {
			p.Prices.Classes = append(p.Prices.Classes, pricing.Class{
				Name: strconv.Itoa(k), Term: time.Duration(term) * 168 * time.Hour, Billed: pricing.WhenUsed,
				Upfront: pricing.Money(term) * 168 * (4_000_987_654_321 - 300_000_000_003*pricing.Money(k)), Hourly: 5_000_555_555_551 - 1_000_000_000_007*pricing.Money(k),
			})
		}
		var e Exact
		plan, err := e.Solve(p)
		if err != nil {
			t.Fatal(horizon, err)
		}
		if err := Verify(p, &plan); err != nil {
			t.Error(horizon, err)
		}
		if plan.Gap() > 1e-6 || plan.Limited {
			t.Errorf("horizon %v: gap %v, limited %v", horizon, plan.Gap(), plan.Limited)
		}
	}
}

// One usage-priced class beside a prepaid one is not a flow in general: the
// smallest case, in which the linear program's bound is 3.5 and rounded up to a
// whole number of its unit, 4, the optimum.
func TestUseIsNoFlow(t *testing.T) {
	small := &Problem{
		Demand: []int{1, 1, 1}, Slot: time.Hour,
		Prices: pricing.List{OnDemand: 2, Classes: []pricing.Class{
			{Name: "light", Term: 3 * time.Hour, Upfront: 1, Hourly: 1, Billed: pricing.WhenUsed},
			{Name: "prepaid", Term: 2 * time.Hour, Upfront: 2, Billed: pricing.Always},
		}},
	}
	var e Exact
	plan, err := e.Solve(small)
	if err != nil || plan.Cost != 4 || !plan.Optimal() {
		t.Errorf("cost %d, bound %d, %v; want 4 and 4", plan.Cost, plan.Bound, err)
	}
	for i := range small.Demand {
		small.Demand[i] *= 2
	}
	if plan, err = e.Solve(small); err != nil || plan.Cost != 7 || !plan.Optimal() {
		t.Errorf("twice the demand: cost %d, bound %d, %v; want 7, less than twice 4", plan.Cost, plan.Bound, err)
	}

	p := &Problem{
		Demand: []int{0, 1, 1, 1}, Slot: time.Hour,
		Prices: pricing.List{OnDemand: 7 * pricing.Unit, Classes: []pricing.Class{
			{Name: "prepaid", Term: 2 * time.Hour, Upfront: 7 * pricing.Unit, Billed: pricing.Always},
			{Name: "light", Term: 4 * time.Hour, Upfront: 3 * pricing.Unit, Hourly: 3 * pricing.Unit, Billed: pricing.WhenUsed},
		}},
	}
	_, one, _ := bruteForce(p)
	for i := range p.Demand {
		p.Demand[i] *= 2
	}
	_, two, _ := bruteForce(p)
	unit := big.NewRat(int64(pricing.Unit), 1)
	if one.Cmp(new(big.Rat).Mul(big.NewRat(12, 1), unit)) != 0 || two.Cmp(new(big.Rat).Mul(big.NewRat(23, 1), unit)) != 0 {
		t.Errorf("optima %v and %v, want 12 and 23: the optimum is not linear in the demand", one, two)
	}
}

// A warm Exact allocates nothing, for whatever problem it is given.
func TestExactAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	var problems []*Problem
	for i := range 4 {
		p := &Problem{Slot: time.Hour, Prices: pricing.CC28XLarge2013()}
		p.Prices.Classes = []pricing.Class{p.Prices.Classes[2], p.Prices.Classes[5]}
		for range 2000 >> i {
			p.Demand = append(p.Demand, r.IntN(40))
		}
		for k := range p.Prices.Classes {
			p.Prices.Classes[k].Term /= time.Duration(1) << (3 + i)
			p.Prices.Classes[k].Term = p.Prices.Classes[k].Term.Truncate(time.Hour)
			p.Prices.Classes[k].Upfront >>= 3 + i
		}
		switch i {
		case 1:
			p.MaxActive, p.MaxBuy = 20, 3
		case 2:
			p.Horizon, p.Every = Pure, 24
		case 3:
			p.Held = []pricing.Holding{{Count: 4, Until: 99}}
		}
		problems = append(problems, p)
	}
	light := &Problem{Demand: problems[0].Demand[:1000], Slot: time.Hour, Prices: pricing.CC28XLarge2013(), Every: 24}
	for k := range light.Prices.Classes {
		light.Prices.Classes[k].Term = time.Duration(1+k%3) * 240 * time.Hour
		light.Prices.Classes[k].Upfront /= 30
	}
	problems = append(problems, light)
	hourly := &Problem{Demand: problems[0].Demand[:700], Slot: time.Hour, Prices: light.Prices} // decomposed
	hourly.Prices.Classes = slices.Clone(hourly.Prices.Classes)
	for k := range hourly.Prices.Classes {
		hourly.Prices.Classes[k].Term /= 20
		hourly.Prices.Classes[k].Upfront /= 20
	}
	problems = append(problems, hourly)
	var e Exact
	solve := func(p *Problem) {
		if _, err := e.Solve(p); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range problems {
		solve(p)
	}
	for i, p := range problems {
		if n := allocs.Once(func() { solve(p) }); n != 0 {
			t.Errorf("problem %d: %v allocations", i, n)
		}
	}
}

// What each purchase does, by hand.
func TestAppendUses(t *testing.T) {
	p := &Problem{
		Demand: []int{2, 3, 1, 0, 2, 2}, Slot: time.Hour,
		Prices: pricing.List{OnDemand: 2 * pricing.Unit, Classes: []pricing.Class{
			{Name: "a", Term: 3 * time.Hour, Upfront: 3 * pricing.Unit, Billed: pricing.Always},
			{Name: "b", Term: 6 * time.Hour, Upfront: 2 * pricing.Unit, Hourly: pricing.Unit, Billed: pricing.WhenUsed},
		}},
		Held: []pricing.Holding{{Class: 0, Count: 1, Until: 1}},
	}
	// Slot 0: the held one serves first, then a's; b gets nothing. Slot 1: a 1 of
	// 1, b 1 of 1. Slot 2: a 1. Slots 4 and 5: a's second, 1; b 1.
	got, err := AppendUses(nil, p, []pricing.Purchase{{Slot: 0, Class: 0, Count: 1}, {Slot: 0, Class: 1, Count: 1}, {Slot: 4, Class: 0, Count: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Use{
		{Purchase: pricing.Purchase{Slot: 0, Class: 0, Count: 1}, Slots: 3, Utilisation: 1, BreakEven: 1, Saved: 3 * pricing.Unit},
		{Purchase: pricing.Purchase{Slot: 0, Class: 1, Count: 1}, Slots: 3, Utilisation: 0.5, BreakEven: 4, Saved: pricing.Unit},
		{Purchase: pricing.Purchase{Slot: 4, Class: 0, Count: 1}, Slots: 2, Utilisation: 1, BreakEven: 5, Saved: pricing.Unit},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// BenchmarkExact is the reference file's cases; BENCHMARKS.md has LEMON's times
// beside it.
func BenchmarkExact(b *testing.B) {
	names, problems, _ := hourlyCases(b)
	for i, p := range problems {
		b.Run(names[i], func(b *testing.B) {
			b.ReportAllocs()
			var e Exact
			if _, err := e.Solve(p); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := e.Solve(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
