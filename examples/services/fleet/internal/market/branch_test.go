package market

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// Branch and bound against the optimum of package reserve/savings, which searches all plans: the
// bound is at most the optimum, the plan costs at least as much, and both are near.
func TestBranchExact(t *testing.T) {
	cases, weak, committed := 0, 0, 0
	for seed := range uint64(300) {
		x, groups := smallFleet(rand.New(rand.NewPCG(seed, 23)))
		var mixed savings.Solver
		best, err := mixed.Solve(problemOf(x, groups))
		if err != nil {
			t.Fatal(err)
		}
		if !best.Optimal() {
			continue
		}
		var members []*record.Group
		for i := range groups {
			members = append(members, &groups[i])
		}
		f := newFew(x, members)
		// All usage on demand is a plan that is known.
		known, _, err := f.Cost(nil)
		if err != nil {
			t.Fatal(err)
		}
		const goal = 1e-6
		price, err := f.search(Price{}, known.Plus(savings.TotalOf(1)), goal)
		if err != nil {
			t.Fatal(err)
		}
		// Amounts are rounded to a nano for each order, pair of rates and total. The program buys
		// parts of the units of commitments, each 0.001 an hour.
		slack := pricing.Money(1000)
		near := best.Cost/500_000 + slack + pricing.Money(x.Hours*x.Hours)*pricing.Milli
		if price.Least.Compare(savings.TotalOf(best.Cost+slack)) > 0 || price.Least.Compare(savings.TotalOf(best.Cost-near)) < 0 {
			t.Errorf("seed %d: bound %v and optimum %v: want the bound just below", seed, price.Least, best.Cost)
		}
		// The plan is what its orders cost.
		price.Worth = make([]int64, x.Hours)
		plan, _, err := Commit(x, answers(t, x, groups, &price), &price)
		if err != nil || plan.Cost.Compare(savings.TotalOf(best.Cost-slack)) < 0 || plan.Cost.Compare(savings.TotalOf(best.Cost+near)) > 0 {
			t.Errorf("seed %d: the given orders cost %v (%v): want %v", seed, plan.Cost, err, best.Cost)
		}
		if len(plan.Commitments) > 0 {
			committed++
		}
		cases++
		if best.Gap() > Enough {
			weak++
		}
	}
	t.Logf("of %d fleets in %d the bound of the linear program is a thousandth or more below the optimum, and %d commit", cases, weak, committed)
	if cases < 250 || weak < 60 || committed < 60 {
		t.Errorf("of %d fleets %d have a weak bound, %d commit: too few to test anything", cases, weak, committed)
	}
}

// smallFleet draws a fleet of one to three groups of a few units. Reservations of one or two terms
// cost about as much as the savings plan. Some fleets hold money of savings plans, some groups hold
// contracts, and for a group now and then no savings plan pays.
func smallFleet(r *rand.Rand) (*group.Terms, []record.Group) {
	hours := 3 + r.IntN(6)
	x := termsOf(hours)
	x.Every, x.Horizon = 1+r.IntN(3), reserve.Horizon(r.IntN(2))
	x.Term = time.Duration(2+r.IntN(hours)) * time.Hour
	for range r.IntN(3) {
		x.Held = append(x.Held, group.Commitment{Hourly: pricing.Money(100+r.IntN(900)) * pricing.Milli, Until: x.At(1 + r.IntN(hours))})
	}
	var groups []record.Group
	for i := range 1 + r.IntN(3) {
		onDemand := 300 + r.IntN(900)
		g := oneOf(fmt.Sprint(i), 0, 0, 0)
		g.List.OnDemand = pricing.Money(onDemand) * pricing.Milli
		g.Savings = g.List.OnDemand * pricing.Money(55+r.IntN(35)) / 100
		if r.IntN(12) == 0 {
			g.Savings = 0
		}
		level := 1 + r.IntN(3)
		for range hours {
			g.Demand = append(g.Demand, r.IntN(level+1))
		}
		g.List.Classes = nil
		for c := range 1 + r.IntN(2) {
			term := 1 + r.IntN(hours+2)
			k := pricing.Class{Name: []string{"a", "b"}[c], Term: time.Duration(term) * time.Hour, Billed: pricing.Always}
			price := g.List.OnDemand * pricing.Money(35+r.IntN(40)) / 100
			if r.IntN(2) == 0 {
				k.Upfront = price * pricing.Money(term)
			} else {
				k.Hourly = price
			}
			g.List.Classes = append(g.List.Classes, k)
		}
		if r.IntN(3) == 0 {
			g.Held = []record.Contract{{Units: 1, Until: x.At(r.IntN(hours))}}
		}
		groups = append(groups, g)
	}
	return x, groups
}

// Fleets of a few curves of a year: rounds of the search leave a gap, and branch and bound closes it.
func TestFewCurves(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	above := 0
	for _, c := range []struct {
		curves int
		seeds  []uint64
	}{{1, []uint64{1, 6, 7, 9, 12, 13, 14, 17, 18, 19, 22, 23}}, {2, []uint64{1, 5, 6, 7, 13}}, {3, []uint64{6, 13}}, {5, []uint64{7}}} {
		for _, seed := range c.seeds {
			x, groups := seeded(seed, c.curves)
			alone := 0.0
			p, price := plan(t, &x, groups, Search{Round: func(round int, p *Plan) {
				if round == quickRounds && alone == 0 {
					alone = p.Gap()
				}
			}})
			if alone > Enough {
				above++
			}
			if gap := p.Gap(); gap < 0 || gap > defaultGap*1.001 {
				t.Errorf("%d curves, seed %d: the gap is %v, want at most %v", c.curves, seed, gap, defaultGap)
			}
			if c.curves < 3 {
				continue
			}
			slices.Reverse(groups)
			if _, other := plan(t, &x, groups, Search{}); fmt.Sprint(price) != fmt.Sprint(other) {
				t.Errorf("%d curves, seed %d: another price in another order", c.curves, seed)
			}
		}
	}
	if above < 12 {
		t.Errorf("the rounds leave a gap above a thousandth in %d fleets: too few", above)
	}
}

// The bound of branch and bound is for the groups that it saw, and for no others.
func TestBoundOfOthers(t *testing.T) {
	x := termsOf(4)
	groups := []record.Group{oneOf("a", 3, 2, 6, 1, 1, 1, 1), oneOf("b", 4, 2, 12, 1, 1, 1, 1)}
	price := Price{Worth: make([]int64, 4), Groups: 2, Least: savings.TotalOf(13 * pricing.Unit)}
	sum := answers(t, x, groups, &price)
	got, _, err := Commit(x, sum, &price)
	if err != nil || got.Bound != price.Least {
		t.Errorf("bound %v, %v: want that of the price", got.Bound, err)
	}
	got, _, err = Commit(x, answers(t, x, groups[:1], &price), &price)
	if err != nil || got.Bound.Compare(price.Least) >= 0 {
		t.Errorf("bound %v, %v: want that of the sum, of fewer groups", got.Bound, err)
	}
}

// Groups that cannot be planned are left out, and a sample of a larger fleet has no bound of its own.
func TestFewMembers(t *testing.T) {
	x, groups := seeded(6, 1)
	short, foreign := groups[0], groups[0]
	short.Account, short.Demand = "short", short.Demand[:5]
	foreign.Account, foreign.Currency = "foreign", "EUR"
	members := []Member{{short, Whole}, {groups[0], Whole}, {foreign, Whole}}
	price, err := new(Search).Find(&x, members)
	if err != nil || price.Groups != 1 || len(price.Given) != 1 {
		t.Errorf("a bound for %d groups, orders given to %d, %v: want one of each", price.Groups, len(price.Given), err)
	}
	p, _, err := Commit(&x, answers(t, &x, groups, &price), &price)
	if err != nil || p.Gap() > defaultGap {
		t.Errorf("the gap is %v, %v", p.Gap(), err)
	}
	members[1].Times = 3 * Whole
	price, err = new(Search).Find(&x, members)
	if err != nil || price.Groups != 0 || len(price.Given) != 0 || price.Worth == nil {
		t.Errorf("a bound for %d groups, orders given to %d, %v: want none of a sample", price.Groups, len(price.Given), err)
	}
}

// At the price of the second round the amounts of the only group do not fit, which costs nothing and has no
// gap. Find takes a price at which the group is planned.
func TestPriceThatFits(t *testing.T) {
	x := termsOf(32)
	x.Every, x.Horizon, x.Term = 13, reserve.Pure, 40*time.Hour
	x.Held = []group.Commitment{{Hourly: 1_614 * pricing.Milli, Until: x.At(25)}}
	g := oneOf("a", 0, 0, 0)
	g.List.OnDemand, g.Savings = 34_982_221_503, 15_392_177_461
	g.List.Classes = nil
	for _, c := range []struct {
		term    time.Duration
		upfront pricing.Money
	}{{14, 333_030_748_712}, {37, 595_397_409_970}, {5, 99_699_331_284}} {
		g.List.Classes = append(g.List.Classes, pricing.Class{Name: fmt.Sprint(c.term), Term: c.term * time.Hour, Upfront: c.upfront, Billed: pricing.Always})
	}
	g.Demand = []int{2, 2, 2, 2, 2, 2, 2, 2, 0, 2, 2, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 0}
	none := 0
	price, err := (&Search{Round: func(_ int, p *Plan) {
		if p.Groups == 0 {
			none++
		}
	}}).Find(x, []Member{{g, Whole}})
	if err != nil || none == 0 {
		t.Fatalf("%d prices at which nothing fits, %v: want some", none, err)
	}
	p, _, err := Commit(x, answers(t, x, []record.Group{g}, &price), &price)
	if err != nil || p.Groups != 1 || p.Gap() > Enough {
		t.Errorf("%d groups are planned with a gap of %v, %v", p.Groups, p.Gap(), err)
	}
}
