package market

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/plimsoll/plimsoll/examples/internal/seeded"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/savings"
	"pgregory.net/rapid"
)

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// oneOf returns a group with one class of reservations for all its hours, in whole units of
// the currency.
func oneOf(name string, onDemand, plan, fee int, demand ...int) record.Group {
	g := record.Group{Currency: "USD", Start: start, Demand: demand, Savings: pricing.Money(plan) * pricing.Unit}
	g.Account = name
	g.List.OnDemand = pricing.Money(onDemand) * pricing.Unit
	g.List.Classes = []pricing.Class{{Name: "reserved", Term: time.Duration(len(demand)) * time.Hour, Upfront: pricing.Money(fee) * pricing.Unit,
		Billed: pricing.Always}}
	return g
}

func termsOf(hours int) *group.Terms {
	return &group.Terms{Currency: "USD", Start: start, Hours: hours, Every: hours, Term: time.Duration(hours) * time.Hour}
}

// answers returns the sum of the plans of groups at a price.
func answers(t testing.TB, x *group.Terms, groups []record.Group, price *Price) *Sum {
	t.Helper()
	var sum Sum
	var p group.Planner
	for i := range groups {
		a, failure := price.Plan(&p, x, &groups[i])
		if failure != nil {
			t.Fatal(failure.Reason)
		}
		sum.Add(&groups[i], &a)
	}
	return &sum
}

// plan does the four steps with all groups in the sample, and returns the plan and its worth.
func plan(t testing.TB, x *group.Terms, groups []record.Group, s Search) (Plan, Price) {
	t.Helper()
	var members []Member
	for i := range groups {
		members = append(members, Member{groups[i], Whole})
	}
	price, err := s.Find(x, members)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := Commit(x, answers(t, x, groups, &price), &price)
	if err != nil {
		t.Fatal(err)
	}
	return p, price
}

// problemOf states the fleet as package savings does, with a type for each group.
func problemOf(x *group.Terms, groups []record.Group) *savings.Problem {
	p := &savings.Problem{Slot: time.Hour, Term: x.Term, Every: x.Every, Horizon: x.Horizon}
	for _, h := range x.Held {
		p.Held = append(p.Held, pricing.Holding{Count: int(h.Hourly / pricing.Milli), Until: x.Index(h.Until)})
	}
	for i := range groups {
		g := &groups[i]
		rate := ratesOf(g).Plan
		p.Types = append(p.Types, savings.Type{Name: g.Key.String(), Demand: x.AppendUnheld(nil, g), OnDemand: g.List.OnDemand, Plan: rate})
		for _, c := range g.List.Classes {
			p.Classes = append(p.Classes, savings.TypeClass{Type: i, Class: c})
		}
	}
	return p
}

// Two groups run one unit for four hours. A reservation of the first costs 6, and the savings
// plan 2 an hour; a reservation of the second costs 12, and the savings plan 2 an hour too. So
// the first should reserve and the second should not.
func TestOneAfterTheOther(t *testing.T) {
	x := termsOf(4)
	groups := []record.Group{oneOf("a", 3, 2, 6, 1, 1, 1, 1), oneOf("b", 4, 2, 12, 1, 1, 1, 1)}
	reservationsFirst, _, err := Commit(x, answers(t, x, groups, &Price{}), &Price{})
	if err != nil {
		t.Fatal(err)
	}
	var none Sum
	for i := range groups {
		none.Sum.Add(ratesOf(&groups[i]), 0, 1, groups[i].Demand, 1)
	}
	savingsFirst, _, err := Commit(x, &none, &Price{}) // commits 4 an hour: nothing is left to reserve for
	if err != nil {
		t.Fatal(err)
	}
	both, _ := plan(t, x, groups, Search{Rounds: 100})
	got := []savings.Total{reservationsFirst.Cost, savingsFirst.Cost, both.Cost}
	if want := []savings.Total{savings.TotalOf(18 * pricing.Unit), savings.TotalOf(16 * pricing.Unit),
		savings.TotalOf(14 * pricing.Unit)}; !slices.Equal(got, want) {
		t.Errorf("reservations first, savings plan first and joint cost %v, want %v", got, want)
	}
	if reservationsFirst.Bounded || both.Gap() > 1e-3 || both.Gap() < 0 {
		t.Errorf("bounds %v (%v) and %v: want none, and one for 14", reservationsFirst.Bound, reservationsFirst.Bounded, both.Bound)
	}
}

// At a worth of 2 in each hour, money of the savings plan costs half of what it is worth. The
// sum of the groups' answers at this price is above the cost of the best plan.
func TestUnfairPrice(t *testing.T) {
	x := termsOf(4)
	groups := []record.Group{oneOf("a", 3, 1, 20, 1, 1, 1, 1)}
	unfairWorth := group.Worth{2 * group.Parts, 2 * group.Parts, 2 * group.Parts, 2 * group.Parts}
	sum := answers(t, x, groups, &Price{Worth: unfairWorth})
	best, _ := plan(t, x, groups, Search{})
	if claimed := sum.Bound; claimed.Compare(best.Cost) <= 0 {
		t.Fatalf("the price claims %v and the plan costs %v: no example", claimed, best.Cost)
	}
	if _, _, err := Commit(x, sum, &Price{Worth: unfairWorth}); err == nil || !strings.Contains(err.Error(), "slot 0 would be worth more than its price") {
		t.Errorf("got %v: want an error about hour 0", err)
	}
	unfairWorth[3] = -1
	if _, _, err := Commit(x, sum, &Price{Worth: unfairWorth}); err == nil {
		t.Error("a worth below 0 proves a bound")
	}
}

// genFleet draws a fleet for which the exact plan can be found by looking at all plans: hours
// of hundreds of units, or of a few.
func genFleet(t *rapid.T, hours, most int) (*group.Terms, []record.Group) {
	x := termsOf(hours)
	x.Every = rapid.IntRange(1, hours).Draw(t, "every")
	x.Term = time.Duration(rapid.IntRange(1, 2*hours).Draw(t, "term")) * time.Hour
	x.Horizon = reserve.Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
	if rapid.Bool().Draw(t, "held") {
		x.Held = []group.Commitment{{Hourly: pricing.Money(rapid.IntRange(0, 3*most).Draw(t, "hourly")) * pricing.Unit,
			Until: x.At(rapid.IntRange(0, hours).Draw(t, "until"))}}
	}
	var groups []record.Group
	for i := range rapid.IntRange(1, 3).Draw(t, "groups") {
		onDemand := rapid.IntRange(2, 9).Draw(t, "on demand")
		term := rapid.IntRange(1, 2*hours).Draw(t, "term of reservations")
		g := oneOf(fmt.Sprint(i), onDemand, rapid.IntRange(1, onDemand-1).Draw(t, "plan"), rapid.IntRange(0, onDemand*term).Draw(t, "fee"),
			rapid.SliceOfN(rapid.IntRange(0, most), hours, hours).Draw(t, "demand")...)
		g.List.Classes[0].Term = time.Duration(term) * time.Hour
		if rapid.Bool().Draw(t, "contract") {
			g.Held = []record.Contract{{Units: rapid.IntRange(0, most).Draw(t, "units"), Until: x.At(rapid.IntRange(0, hours).Draw(t, "end"))}}
		}
		groups = append(groups, g)
	}
	return x, groups
}

// The bound at any fair price is at most the optimum, which branch and bound finds, and the
// plan costs at least as much, however bad the price.
func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, groups := genFleet(t, rapid.IntRange(1, 8).Draw(t, "hours"), rapid.SampledFrom([]int{1, 3, 40}).Draw(t, "most"))
		var mixed savings.Solver
		best, err := mixed.Solve(problemOf(x, groups))
		if err != nil {
			t.Fatal(err)
		}
		if !best.Optimal() {
			t.Skip("no optimum")
		}
		// A fair price: any, scaled down where a term would be worth more than its price.
		worth := make(group.Worth, x.Hours)
		for i := range worth {
			worth[i] = rapid.Int64Range(0, 9*group.Parts).Draw(t, "worth")
		}
		for savings.Unfair(savingsPlan(x), worth) >= 0 {
			for i := range worth {
				worth[i] = worth[i] * 7 / 8
			}
		}
		var sum Sum
		var p group.Planner
		for i := range groups {
			a, failure := p.Plan(x, &groups[i], worth)
			if failure != nil {
				t.Fatal(failure.Reason)
			}
			sum.Add(&groups[i], &a)
		}
		got, next, err := Commit(x, &sum, &Price{Worth: worth})
		if err != nil {
			t.Fatal(err)
		}
		// Amounts are rounded to a nano for each order, pair of rates and total.
		slack := pricing.Money(1000)
		if got.Bound.Compare(savings.TotalOf(best.Cost+slack)) > 0 || got.Cost.Compare(savings.TotalOf(best.Cost-slack)) < 0 {
			t.Errorf("bound %v, optimum %v, cost %v: want them in this order", got.Bound, best.Cost, got.Cost)
		}
		if at := savings.Unfair(savingsPlan(x), next); at >= 0 {
			t.Errorf("the next price is not fair at hour %d", at)
		}
	})
}

// Against the exact plan, on fleets with hundreds of units: the plan costs at most a thousandth
// more than the optimum.
func TestAgainstExact(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	worst := 0.0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		hours := 12 + r.IntN(9)
		x := termsOf(hours)
		x.Every, x.Horizon = 4, reserve.Pure
		var groups []record.Group
		for i := range 3 {
			onDemand := 300 + r.IntN(300)
			g := oneOf(fmt.Sprint(i), onDemand, onDemand*(60+r.IntN(25))/100, onDemand*hours*(45+r.IntN(30))/100)
			level, swing := 200+r.IntN(800), r.IntN(200)
			for h := range hours {
				g.Demand = append(g.Demand, level+int(float64(swing)*math.Sin(float64(h)*.8+float64(i)))+r.IntN(1+level/10))
			}
			g.List.Classes[0].Term = time.Duration(hours) * time.Hour
			groups = append(groups, g)
		}
		var mixed savings.Solver
		best, err := mixed.Solve(problemOf(x, groups))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := plan(t, x, groups, Search{Rounds: 60, Gap: 1e-4})
		above := got.Cost.Float64()/best.Cost.Float64() - 1
		worst = max(worst, above)
		if above > Enough || got.Bound.Compare(savings.TotalOf(best.Cost)) > 0 {
			t.Errorf("seed %d: cost %v is %.1e above the best known, %v (optimal: %v); bound %v", seed, got.Cost, above, best.Cost, best.Optimal(), got.Bound)
		}
	}
	t.Logf("at most %.1e above the exact plan", worst)
}

// fleet returns a made-up fleet.
func fleet(n int) (group.Terms, []record.Group) { return seeded(3, n) }

func seeded(seed uint64, n int) (group.Terms, []record.Group) {
	f := generate.Fleet{Seed: seed, Curves: n}
	var c generate.Curves
	groups := make([]record.Group, n)
	for i := range groups {
		c.At(&f, i, &groups[i])
	}
	return f.Terms(), groups
}

// A year of hours: the gap is below a thousandth.
func TestYear(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	x, groups := fleet(12)
	got, _ := plan(t, &x, groups, Search{Gap: 5e-4})
	if gap := got.Gap(); gap < 0 || gap > 1e-3 {
		t.Errorf("the gap is %v: want at most 10⁻³", gap)
	}
	if sum := got.Fees.Plus(got.Committed).Plus(got.OnDemand); sum != got.Cost {
		t.Errorf("the parts sum to %v and the cost is %v", sum, got.Cost)
	}
}

// Sums of any bundles in any order are the same, in memory and as bytes.
func TestSumMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, groups := genFleet(t, 5, 9)
		for i := range rapid.IntRange(0, 5).Draw(t, "more") {
			groups = append(groups, groups[i%len(groups)])
		}
		var p group.Planner
		var whole Sum
		parts := make([]Sum, 3)
		for i := range groups {
			a, failure := p.Plan(x, &groups[i], nil)
			if failure != nil {
				t.Fatal(failure.Reason)
			}
			whole.Add(&groups[i], &a)
			parts[rapid.IntRange(0, 2).Draw(t, "bundle")].Add(&groups[i], &a)
		}
		var merged Sum
		for _, i := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			var part Sum
			if err := record.Read(record.Append(nil, &parts[i]), &part); err != nil {
				t.Fatal(err)
			}
			merged.Merge(&part)
		}
		if d := cmp.Diff(whole, merged, cmp.AllowUnexported(savings.Total{})); d != "" {
			t.Error(d)
		}
	})
}

// A sample does not depend on the order of groups or on bundles, and its sums are right on
// average.
func TestSample(t *testing.T) {
	x, groups := fleet(400)
	var all float64
	estimate := func(seed uint64, want int) float64 {
		whole := Sample{Want: want}
		parts := []Sample{{Want: want}, {Want: want}, {Want: want}}
		tickets := make([]Ticket, len(groups))
		all = 0
		for i := range groups {
			tickets[i] = Draw(&x, &groups[i], seed)
			all += float64(tickets[i].Size)
			whole.Add(tickets[i])
			parts[i*7%3].Add(tickets[len(groups)-1-i])
		}
		for i := range tickets[:3] {
			parts[(i*2)%3].Add(Draw(&x, &groups[i], seed+1)) // of another drawing
			parts[(i*2)%3] = Sample{Want: want}
		}
		for i := range groups {
			parts[i*7%3].Add(tickets[len(groups)-1-i])
		}
		merged := Sample{Want: want}
		for i := range parts {
			var part Sample
			if err := record.Read(record.Append(nil, &parts[i]), &part); err != nil {
				t.Fatal(err)
			}
			merged.Merge(&part)
		}
		if d := cmp.Diff(whole, merged); d != "" {
			t.Fatal(d)
		}
		sum, members := 0.0, 0
		for i := range tickets {
			if times := whole.Times(tickets[i]); times > 0 {
				members++
				sum += float64(times) / Whole * float64(tickets[i].Size)
			}
		}
		if want < len(groups) && members != want {
			t.Fatalf("%d members: want %d", members, want)
		}
		return sum / all
	}
	if got := estimate(1, 1000); got != 1 {
		t.Errorf("a sample of all is %v of all", got)
	}
	mean := 0.0
	for seed := range uint64(60) {
		mean += estimate(seed, 40) / 60
	}
	if math.Abs(mean-1) > .03 {
		t.Errorf("samples of 40 are on average %v of all, want 1", mean)
	}
}

// A group that cannot be planned takes nobody's place in a sample.
func TestDrawPoisoned(t *testing.T) {
	x, groups := fleet(2)
	for _, spoil := range []func(g *record.Group){
		func(g *record.Group) { g.Currency = "EUR" },
		func(g *record.Group) { g.Demand = g.Demand[:5] },
		func(g *record.Group) {
			g.Demand = g.Demand[:5]
			g.Held = []record.Contract{{Units: 1, Until: x.At(100)}}
		},
		func(g *record.Group) { g.List.OnDemand = math.MaxInt64 },
	} {
		g := groups[1]
		spoil(&g)
		if size := Draw(&x, &g, 1).Size; size != 0 {
			t.Errorf("size %d, want 0", size)
		}
	}
}

// Amounts that 64 bits do not hold: the totals are exact, and the fleet goes on without a savings
// plan where one hour is too dear.
func TestCommitOverflow(t *testing.T) {
	x := termsOf(2)
	huge := oneOf("a", 3, 2, 6, math.MaxInt32, math.MaxInt32)
	zero := group.Worth{0, 0}
	for _, c := range []struct {
		name      string
		fees      pricing.Money
		times     int64
		worth     group.Worth
		cost      string
		committed bool
		failed    string
	}{
		// 2²⁰ groups of 2³¹-1 units at 3 for two hours, and 2²⁰ nanos of fees.
		{"an hour", 1, 1 << 20, zero, "13510798875820032.001048576", false, "overflow: the usage of hour 0 costs more than 9223372036.854775807 an hour"},
		// Fees of 2⁶³-1 nanos; usage of 2³¹-1 units from the savings plan at 2.
		{"a total", math.MaxInt64, 1, zero, "17813306624.854775807", true, ""},
		// The same of two groups, on demand at 3.
		{"commitments", math.MaxInt64, 2, zero, "44216547837.709551614", false, "overflow: its commitments would cost 17179860000 in all"},
		{"no price", 1, 1, nil, "8589934588.000000001", true, "overflow: the usage of the sample is too large"},
	} {
		var sum Sum
		sum.Sum.Add(ratesOf(&huge), c.fees, 1, huge.Demand, c.times)
		got, _, err := Commit(x, &sum, &Price{Worth: c.worth})
		if err != nil {
			t.Fatal(err)
		}
		var want savings.Total
		if err := want.UnmarshalText([]byte(c.cost)); err != nil {
			t.Fatal(err)
		}
		// Commitments are whole units, of which the dearest hour has 100,000 at least.
		above := got.Cost.Float64()/want.Float64() - 1
		if above < 0 || above > 1e-5 || !c.committed && got.Cost != want {
			t.Errorf("%s: cost %v: want %v", c.name, got.Cost, want)
		}
		if (len(got.Commitments) > 0) != c.committed || !strings.HasPrefix(got.Failed, c.failed) || (got.Failed == "") != (c.failed == "") {
			t.Errorf("%s: %d commitments, %q: want %v, %q", c.name, len(got.Commitments), got.Failed, c.committed, c.failed)
		}
		var again Plan
		b, err := json.Marshal(&got)
		if err == nil {
			err = json.Unmarshal(b, &again)
		}
		if d := cmp.Diff(got, again, cmp.AllowUnexported(savings.Total{})); err != nil || d != "" {
			t.Errorf("%s: as JSON: %v %s", c.name, err, d)
		}
	}
	var short Sum
	short.Sum.Add(ratesOf(&huge), 0, 1, huge.Demand[:1], 1)
	if _, _, err := Commit(x, &short, &Price{}); err == nil || !strings.Contains(err.Error(), "has 1 slots: want 2") {
		t.Errorf("got %v, want an error about the hours", err)
	}
}

// The search stops at nothing: a sample whose counts or money do not fit has no price.
func TestFindOverflow(t *testing.T) {
	x := termsOf(2)
	for _, times := range []int64{Whole, 1 << 40, mostTimes * Whole} {
		g := oneOf("a", 2, 1, 6, math.MaxInt32, math.MaxInt32)
		price, err := new(Search).Find(x, []Member{{g, times}, {g, times}})
		if err != nil || (price.Worth == nil) != (times > Whole) {
			t.Errorf("%d times: %v, %d hours", times, err, len(price.Worth))
		}
	}
}

// A rate of the savings plan that is not below that on demand is of use to money that is committed
// anyway, and to no other.
func TestDearRate(t *testing.T) {
	for _, c := range []struct {
		plan, hourly int
		cost         int
	}{
		{3, 6, 0},  // pays for both units
		{3, 3, 12}, // for one of them: 3 an hour for four hours are left
		{4, 4, 12},
		{4, 2, 18}, // for half a unit
		{4, 0, 24},
	} {
		x := termsOf(4)
		x.Held = []group.Commitment{{Hourly: pricing.Money(c.hourly) * pricing.Unit, Until: x.At(4)}}
		groups := []record.Group{oneOf("a", 3, c.plan, 100, 2, 2, 2, 2)}
		got, _ := plan(t, x, groups, Search{})
		if got.Cost != savings.TotalOf(pricing.Money(c.cost)*pricing.Unit) || got.Bound.Compare(got.Cost) > 0 || len(got.Commitments) > 0 {
			t.Errorf("rate %d, %d held: cost %v, bound %v, %d commitments: want %d", c.plan, c.hourly, got.Cost, got.Bound, len(got.Commitments), c.cost)
		}
	}
}

// Of accounts that are alike some should reserve and some should not, which no price alone
// brings about: branch and bound does, and where it is too much work, a second price for a share of
// the groups. Day users and night users need a unit for twelve hours a day each: as many day
// users as there are night users share their hours of the savings plan, at 7 an hour, and the
// others reserve, at 4 an hour.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		day, night, every int
		gap               float64
		share             bool
	}{
		{20, 10, 168, 1e-9, false}, // few columns: branch and bound
		{40, 20, 168, 1e-9, false},
		{70, 20, 168, 1e-9, false},
		{20, 10, 2, Enough, true}, // 84 dates for each: too many columns
		{40, 20, 2, Enough, true},
		{70, 20, 2, 0.03, true}, // the bound is weak
	} {
		x := termsOf(168)
		x.Every = c.every
		var groups []record.Group
		for i := range c.day + c.night {
			demand := make([]int, x.Hours)
			for h := range demand {
				if (h%24 < 12) == (i < c.day) {
					demand[h] = 1
				}
			}
			groups = append(groups, oneOf(fmt.Sprint(i), 10, 7, 168*4, demand...))
		}
		alone := math.Inf(1)
		got, price := plan(t, x, groups, Search{Round: func(round int, p *Plan) {
			if c.share && round <= defaultRounds || round < quickRounds {
				alone = min(alone, p.Gap())
			}
		}})
		best := savings.TotalOf(pricing.Money(c.night*168*7+(c.day-c.night)*168*4) * pricing.Unit)
		if got.Cost.Compare(best) > 0 || got.Gap() > c.gap || alone < 0.05 || (price.Other != nil) != c.share {
			t.Errorf("%d and %d, every %d: cost %v, bound %v, gap of prices alone %v: want a cost of %v and a gap of at most %v, by a share: %v", c.day, c.night,
				c.every, got.Cost, got.Bound, alone, best, c.gap, c.share)
		}
		var again Price
		if err := record.Read(record.Append(nil, &price), &again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(price, again, cmp.AllowUnexported(savings.Total{})); d != "" {
			t.Error(d)
		}
		// Members in another order find the same price.
		slices.Reverse(groups)
		if _, other := plan(t, x, groups, Search{}); !cmp.Equal(price, other, cmp.AllowUnexported(savings.Total{})) {
			t.Errorf("%d and %d: another price in another order", c.day, c.night)
		}
	}
}

// Without a bound above 0 all prices have the same gap, and the search keeps the one with the
// cheapest plan. No savings plan pays here, so the first price says that all usage is free.
func TestNoBound(t *testing.T) {
	short := oneOf("a", 5, 6, 4, 2, 2)
	short.List.Classes[0].Term = time.Hour
	for _, c := range []struct {
		hours int
		group record.Group
		cost  int
	}{
		{1, oneOf("a", 7, 7, 1, 1), 1}, // 7 on demand
		{2, short, 18},                 // 20 on demand
	} {
		got, _ := plan(t, termsOf(c.hours), []record.Group{c.group}, Search{})
		if got.Cost != savings.TotalOf(pricing.Money(c.cost)*pricing.Unit) || got.Bound.Compare(got.Cost) > 0 {
			t.Errorf("cost %v, bound %v: want a cost of %d", got.Cost, got.Bound, c.cost)
		}
	}
}

// No groups and no usage are a plan, too.
func TestNothing(t *testing.T) {
	x := termsOf(3)
	price, err := new(Search).Find(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := Commit(x, &Sum{}, &price)
	if err != nil || p.Cost != (savings.Total{}) || p.Bound != (savings.Total{}) || !p.Bounded || p.Gap() != 0 {
		t.Errorf("plan %+v, %v", p, err)
	}
	x.Term = 0 // no savings plan
	idle := oneOf("a", 3, 2, 6, 1, 0, 1)
	got, _ := plan(t, x, []record.Group{idle}, Search{})
	if got.Cost != savings.TotalOf(6*pricing.Unit) || got.Bound.Compare(savings.TotalOf(6*pricing.Unit-1)) < 0 || len(got.Commitments) > 0 {
		t.Errorf("without a savings plan: %+v", got)
	}
}

// A fleet of few groups of few units: the search alone stays far from the best plan, and the orders
// that are given together bring it near.
func TestFewGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	x, groups := seeded(6, 5)
	alone := 0.0
	p, price := plan(t, &x, groups, Search{Round: func(round int, p *Plan) {
		if round == quickRounds && alone == 0 {
			alone = p.Gap()
		}
	}})
	if alone < Enough || p.Gap() > Enough || len(price.Given) == 0 {
		t.Errorf("the gap is %v, and %v after %d rounds, with orders given to %d groups: want one above 10⁻³ that comes below", p.Gap(), alone, quickRounds,
			len(price.Given))
	}
	// What is given passes through an engine as bytes, and what is wrong with it is the group's
	// failure.
	var again Price
	if err := record.Read(record.Append(nil, &price), &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(price, again, cmp.AllowUnexported(savings.Total{})); d != "" {
		t.Error(d)
	}
	for _, q := range []pricing.Purchase{{Slot: 1, Count: 1}, {Slot: x.Hours, Count: 1}, {Class: 3, Count: 1}, {Count: 0}} {
		again.Given[groups[0].Key] = []pricing.Purchase{q}
		if _, failure := again.Plan(new(group.Planner), &x, &groups[0]); failure == nil || !strings.HasPrefix(failure.Reason, group.Malformed) {
			t.Errorf("%+v: %v", q, failure)
		}
	}
	// No orders cost what the usage costs at the price: at least the group's own best.
	var planner group.Planner
	own, _ := planner.Plan(&x, &groups[0], price.Worth)
	best := own.Cost
	again.Given[groups[0].Key] = nil
	none, failure := again.Plan(&planner, &x, &groups[0])
	if failure != nil || none.Cost < best || len(none.Orders) > 0 || none.Fees != 0 || none.Bound > best {
		t.Errorf("no orders: %v, cost %v, bound %v, best %v", failure, none.Cost, none.Bound, best)
	}
	// The orders of the group's own plan, given, cost as much.
	var given []pricing.Purchase
	own, _ = planner.Plan(&x, &groups[0], price.Worth)
	for _, o := range own.Orders {
		class := slices.IndexFunc(groups[0].List.Classes, func(c pricing.Class) bool { return c.Name == o.Class })
		given = append(given, pricing.Purchase{Slot: x.Index(o.Start), Class: class, Count: o.Units})
	}
	again.Given[groups[0].Key] = given
	same, failure := again.Plan(&planner, &x, &groups[0])
	if failure != nil || len(given) == 0 || same.Cost-best > 1000 || best-same.Cost > 1000 {
		t.Errorf("%d orders given: %v, cost %v, want %v", len(given), failure, same.Cost, best)
	}
}

// Where no group of the sample can be planned, the hours have no price: at a price of 0 the amounts
// of groups that are too large would fit.
func TestNoMember(t *testing.T) {
	x := group.Terms{Currency: "USD", Start: time.Unix(0, 0).UTC(), Hours: 4, Horizon: reserve.Pure, Term: 4 * time.Hour}
	g := record.Group{Key: record.Key{Account: "a"}, Currency: "USD", Start: x.Start, Demand: []int{1, 1, 1, 1}, Savings: 1}
	g.List = pricing.List{OnDemand: math.MaxInt64, Classes: []pricing.Class{{Name: "r", Term: 2 * time.Hour, Hourly: 1, Billed: pricing.Always}}}
	if _, failure := new(group.Planner).Plan(&x, &g, nil); failure == nil {
		t.Fatal("the group can be planned: want one that is too large")
	}
	price, err := new(Search).Find(&x, []Member{{g, Whole}})
	if err != nil || price.Worth != nil {
		t.Errorf("%v, %v: want no price", price.Worth, err)
	}
}
