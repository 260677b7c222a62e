package group_test

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/plimsoll/plimsoll/examples/internal/seeded"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"pgregory.net/rapid"
)

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func terms(hours int) group.Terms {
	return group.Terms{Currency: "USD", Start: start, Hours: hours, Every: 2, Horizon: reserve.Pure, Term: time.Duration(hours) * time.Hour}
}

func one(demand ...int) record.Group {
	g := record.Group{Key: record.Key{Account: "a", Region: "r", Kind: "k"}, Currency: "USD", Start: start, Demand: demand, Savings: 70 * pricing.Milli}
	g.List = pricing.List{OnDemand: 100 * pricing.Milli, Classes: []pricing.Class{
		{Name: "short", Term: 2 * time.Hour, Hourly: 80 * pricing.Milli, Billed: pricing.Always},
		{Name: "long", Term: 6 * time.Hour, Upfront: 360 * pricing.Milli, Billed: pricing.Always},
	}}
	return g
}

func draw(t *rapid.T) (group.Terms, record.Group, group.Worth) {
	hours := rapid.IntRange(1, 8).Draw(t, "hours")
	x := terms(hours)
	x.Every = rapid.IntRange(0, hours).Draw(t, "every")
	x.Horizon = reserve.Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
	g := one(rapid.SliceOfN(rapid.IntRange(0, 4), hours, hours).Draw(t, "demand")...)
	g.Savings = pricing.Money(rapid.IntRange(0, 120).Draw(t, "plan")) * pricing.Milli
	for range rapid.IntRange(0, 2).Draw(t, "contracts") {
		g.Held = append(g.Held, record.Contract{Units: rapid.IntRange(0, 3).Draw(t, "units"),
			Until: start.Add(time.Duration(rapid.IntRange(-60, 600).Draw(t, "until")) * time.Minute)})
	}
	var worth group.Worth
	if rapid.Bool().Draw(t, "priced") {
		worth = rapid.SliceOfN(rapid.Int64Range(0, 2*group.Parts), hours, hours).Draw(t, "worth")
	}
	return x, g, worth
}

// price returns the least cost of a unit of g in hour t, exactly, in nanos.
func price(g *record.Group, worth group.Worth, t int) *big.Rat {
	p := new(big.Rat).SetInt64(int64(g.List.OnDemand))
	if worth == nil || !group.Covered(g) {
		return p
	}
	q := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(int64(g.Savings)), big.NewInt(worth[t])), big.NewInt(group.Parts))
	if q.Cmp(p) < 0 {
		return q
	}
	return p
}

// No plan of at most four units a date costs less than the bound, at the prices of the worth.
// The bound is near: for each unit-hour at most 1/8,192 of the price on demand below the best.
func TestBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, g, worth := draw(t)
		var p group.Planner
		a, failure := p.Plan(&x, &g, worth)
		if failure != nil {
			t.Fatal(failure.Reason)
		}
		unheld := x.AppendUnheld(nil, &g)
		cost := func(orders []record.Order) *big.Rat {
			active, sum := make([]int, x.Hours), new(big.Rat)
			for i := range orders {
				o := &orders[i]
				fee, err := x.Cost(o)
				if err != nil {
					t.Fatal(err)
				}
				sum.Add(sum, new(big.Rat).SetInt64(int64(fee)))
				for h := x.Index(o.Start); h < min(x.Hours, x.Index(o.Start)+int(o.Term/time.Hour)); h++ {
					active[h] += o.Units
				}
			}
			for h, d := range unheld {
				left := new(big.Rat).SetInt64(int64(max(0, d-active[h])))
				sum.Add(sum, left.Mul(left, price(&g, worth, h)))
			}
			return sum
		}
		bound := new(big.Rat).SetInt64(int64(a.Bound) - 1)
		var others []record.Order
		for range rapid.IntRange(0, 4).Draw(t, "others") {
			h := rapid.IntRange(0, x.Hours-1).Draw(t, "at")
			c := g.List.Classes[rapid.IntRange(0, 1).Draw(t, "class")]
			if x.Open(h) {
				others = append(others, record.Order{Class: c.Name, Units: rapid.IntRange(1, 4).Draw(t, "units"), Start: x.At(h), Term: c.Term, Upfront: c.Upfront,
					Hourly: c.Hourly})
			}
		}
		slack := new(big.Rat).SetInt64(20) // each order is rounded to half a nano a unit
		if c := cost(others); c.Add(c, slack).Cmp(bound) < 0 {
			t.Errorf("a plan costs %v and the bound is %v", c.FloatString(3), a.Bound)
		}
		units := 0
		for _, d := range unheld {
			units += d
		}
		most := new(big.Rat).Add(bound, new(big.Rat).SetInt64(int64(units)*int64(g.List.OnDemand)/8192+20))
		if c := cost(a.Orders); c.Cmp(most) > 0 {
			t.Errorf("the plan costs %v and the bound is %v", c.FloatString(3), a.Bound)
		}
		// What is left is the demand less contracts and orders.
		for h, left := range a.Left {
			active := 0
			for i := range g.Held {
				if !g.Held[i].Until.Before(x.At(h + 1)) {
					active += g.Held[i].Units
				}
			}
			for i := range a.Orders {
				if o := &a.Orders[i]; !o.Start.After(x.At(h)) && o.Start.Add(o.Term).After(x.At(h)) {
					active += o.Units
				}
			}
			if want := max(0, g.Demand[h]-active); left != want {
				t.Errorf("%d units are left in hour %d, want %d", left, h, want)
			}
		}
		// A planner that has planned other groups gives the same.
		again := clone(a)
		other, otherGroup, otherWorth := draw(t)
		p.Plan(&other, &otherGroup, otherWorth)
		p.Trust = true
		b, _ := p.Plan(&x, &g, worth)
		if d := cmp.Diff(again, clone(b)); d != "" {
			t.Error(d)
		}
	})
}

func clone(a group.Answer) group.Answer {
	a.Orders = append([]record.Order{}, a.Orders...)
	a.Left = append([]int{}, a.Left...)
	return a
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(g *record.Group)
		want   string
	}{
		{"overflow", func(g *record.Group) {
			g.Demand[1] = math.MaxInt32
			g.List.OnDemand = math.MaxInt64 / 2
		}, "overflow: "},
		{"negative", func(g *record.Group) { g.Demand[1] = -1 }, "malformed: it needs -1 units in hour 1: want 0 to 2147483647"},
		{"too much", func(g *record.Group) { g.Demand[2] = math.MaxInt32 + 1 }, "malformed: it needs 2147483648 units in hour 2"},
		{"short", func(g *record.Group) { g.Demand = g.Demand[:3] },
			"malformed: its demand is of 3 hours from 2024-01-01T00:00:00Z: want 4 hours from 2024-01-01T00:00:00Z"},
		{"late", func(g *record.Group) { g.Start = start.Add(time.Hour) }, "malformed: its demand is of 4 hours from 2024-01-01T01:00:00Z"},
		{"currency", func(g *record.Group) { g.Currency = "EUR" }, `malformed: its prices are in "EUR": want "USD", as the fleet`},
		{"contract", func(g *record.Group) { g.Held = []record.Contract{{ID: "x", Units: -1}} }, `malformed: the contract "x" is for -1 units: want 0 to`},
		{"use price", func(g *record.Group) { g.List.Classes[0].Billed = pricing.WhenUsed }, "malformed: short has a use price: want classes that are billed always"},
		{"term", func(g *record.Group) { g.List.Classes[0].Term = time.Minute }, "malformed: reserve: "},
		{"free", func(g *record.Group) { g.List.OnDemand = 0 }, "malformed: reserve: "},
		{"paths", func(g *record.Group) { g.Paths = [][]int{{1, 2, 3, 4}} }, "malformed: it has 1 paths: want 0"},
		{"rate", func(g *record.Group) { g.Savings = -1 }, "malformed: the savings plan costs"},
	} {
		x, g := terms(4), one(1, 2, 3, 4)
		c.change(&g)
		for _, worth := range []group.Worth{nil, {1, 1 << 40, 0, 1 << 39}} {
			_, failure := new(group.Planner).Plan(&x, &g, worth)
			if failure == nil || failure.Key != g.Key || !strings.HasPrefix(failure.Reason, c.want) {
				t.Errorf("%s: got %+v, want the reason %q", c.name, failure, c.want)
			}
		}
	}
}

func TestTerms(t *testing.T) {
	good := terms(4)
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		change func(x *group.Terms)
		want   string
	}{
		{func(x *group.Terms) { x.Hours = 0 }, "0 hours"},
		{func(x *group.Terms) { x.Every = -1 }, "every -1 hours"},
		{func(x *group.Terms) { x.Horizon = 2 }, "horizon"},
		{func(x *group.Terms) { x.Term = time.Minute }, "term of 1m0s"},
		{func(x *group.Terms) { x.Held = []group.Commitment{{Hourly: -1}} }, "held commitment 1 is -0.000000001 an hour"},
		{func(x *group.Terms) { x.Held = []group.Commitment{{Hourly: math.MaxInt64}, {Hourly: 1}} },
			"the held commitments come to more than 9223372036.854775807 an hour"},
		{func(x *group.Terms) { x.Paths = 2 }, "2 paths beside a savings plan: want no paths"},
		{func(x *group.Terms) { x.Paths = -1 }, "-1 paths"},
		{func(x *group.Terms) { x.Term, x.Held = 0, []group.Commitment{{Hourly: 1}} }, "want its term"},
	} {
		x := terms(4)
		c.change(&x)
		if err := x.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	x := terms(4)
	for minutes, want := range map[int]int{-1: 0, 0: 0, 59: 0, 60: 1, 239: 3, 240: 4, 100000: 4} {
		if got := x.Index(start.Add(time.Duration(minutes) * time.Minute)); got != want {
			t.Errorf("%d minutes are hour %d, want %d", minutes, got, want)
		}
	}
}

// Of all orders of at most three units, those of the plan cost least on average over the paths, and
// the bound says so. The demand of the group does not count.
func TestPaths(t *testing.T) {
	differ := 0 // from the plan of the mean path
	rapid.Check(t, func(t *rapid.T) {
		const hours, paths = 6, 4
		x := terms(hours)
		x.Term, x.Every, x.Paths = 0, 3, paths
		g := one(rapid.SliceOfN(rapid.IntRange(0, 3), hours, hours).Draw(t, "demand")...)
		g.Savings = 0
		mean := one(make([]int, hours)...)
		mean.Savings = 0
		for range paths {
			path := rapid.SliceOfN(rapid.IntRange(0, 3), hours, hours).Draw(t, "path")
			g.Paths = append(g.Paths, path)
			for h, d := range path {
				mean.Demand[h] += d
			}
		}
		for h := range mean.Demand {
			mean.Demand[h] = (mean.Demand[h] + paths/2) / paths
		}
		for range rapid.IntRange(0, 1).Draw(t, "contracts") {
			g.Held = append(g.Held, record.Contract{Units: rapid.IntRange(0, 2).Draw(t, "units"), Until: x.At(rapid.IntRange(0, hours).Draw(t, "until"))})
		}
		mean.Held = g.Held
		// cost returns four times the mean cost of units of the two classes at hours 0 and 3.
		cost := func(units [2][2]int) (sum pricing.Money) {
			active := [hours]int{}
			for at, buys := range units {
				for k, n := range buys {
					c := g.List.Classes[k]
					term := int(c.Term / time.Hour)
					paid := min(term, hours-3*at)
					fee, _ := c.Commitment()
					sum += paths * fee * pricing.Money(n*paid) / pricing.Money(term) // whole milli-units
					for h := 3 * at; h < 3*at+paid; h++ {
						active[h] += n
					}
				}
			}
			for _, path := range g.Paths {
				for h, d := range path {
					for _, held := range g.Held {
						if x.Index(held.Until) > h {
							d -= held.Units
						}
					}
					sum += g.List.OnDemand * pricing.Money(max(0, d-active[h]))
				}
			}
			return sum
		}
		least := pricing.Money(math.MaxInt64)
		for n := range 256 {
			least = min(least, cost([2][2]int{{n & 3, n >> 2 & 3}, {n >> 4 & 3, n >> 6}}))
		}
		var p group.Planner
		of := func(x *group.Terms, g *record.Group) (units [2][2]int, a group.Answer) {
			a, failure := p.Plan(x, g, nil)
			if failure != nil {
				t.Fatal(failure.Reason)
			}
			for _, o := range a.Orders {
				k := 0
				if o.Class == "long" {
					k = 1
				}
				units[x.Index(o.Start)/3][k] += o.Units
			}
			return units, a
		}
		units, a := of(&x, &g)
		if got := cost(units); got != least || a.Left != nil {
			t.Fatalf("%v costs %v on %d paths, want %v, and %v left", units, got, paths, least, a.Left)
		}
		if paths*a.Cost != least || a.Bound > a.Cost || a.Bound < a.Cost-1 {
			t.Fatalf("the cost %v and the bound %v: want %v/%d", a.Cost, a.Bound, least, paths)
		}
		x.Paths = 0
		if units, _ := of(&x, &mean); cost(units) > least {
			differ++
		}
	})
	if !testing.Short() && differ < 20 { // of 20 draws, too few differ
		t.Errorf("the plan of the mean path costs more in %d cases of 100: want 20 or more", differ)
	}
}

func TestPathsRefused(t *testing.T) {
	x := terms(2)
	x.Term, x.Paths = 0, 2
	for _, c := range []struct {
		paths [][]int
		want  string
	}{
		{nil, "malformed: it has 0 paths: want 2"},
		{[][]int{{1, 2}, {1}}, "malformed: its path 2 has 1 hours: want 2"},
		{[][]int{{1, 2}, {1, -3}}, "malformed: it needs -3 units in hour 1"},
	} {
		g := one(1, 2)
		g.Paths = c.paths
		if _, failure := new(group.Planner).Plan(&x, &g, nil); failure == nil || !strings.HasPrefix(failure.Reason, c.want) {
			t.Errorf("got %+v, want %q", failure, c.want)
		}
	}
}
