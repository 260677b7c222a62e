package rules

import (
	"errors"
	"flag"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	_ "github.com/plimsoll/plimsoll/internal/seeded" // repeatable
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// More cases than the usual 100, unless -rapid.checks asks for others.
func init() {
	if err := flag.Set("rapid.checks", "400"); err != nil {
		panic(err)
	}
}

// A kind says which problems to draw.
type kind struct {
	slots, peak, classes int  // at most
	terms                int  // of at most so many slots
	every, closed, held  bool // purchases at some slots only; inventory
	caps, pure           bool
	prepaid              bool // classes without a use price
}

var names = []string{"a", "b", "c", "d", "e"}

// problems draws problems of a kind, with whole prices in nanos and slots of an
// hour, so that ties are common.
func problems(k kind) *rapid.Generator[*reserve.Problem] {
	return rapid.Custom(func(t *rapid.T) *reserve.Problem {
		p := &reserve.Problem{Slot: time.Hour}
		p.Demand = rapid.SliceOfN(rapid.IntRange(0, k.peak), 1, k.slots).Draw(t, "demand")
		p.Prices.OnDemand = pricing.Money(rapid.IntRange(1, 6).Draw(t, "price"))
		for i := range rapid.IntRange(1, k.classes).Draw(t, "classes") {
			c := pricing.Class{Name: names[i]}
			c.Term = time.Duration(rapid.IntRange(1, k.terms).Draw(t, "term")) * time.Hour
			c.Upfront = pricing.Money(rapid.IntRange(0, 16).Draw(t, "upfront"))
			if !k.prepaid && rapid.Bool().Draw(t, "hourly") {
				c.Hourly = pricing.Money(rapid.IntRange(0, 5).Draw(t, "use"))
				c.Billed = pricing.Billing(rapid.IntRange(0, 1).Draw(t, "billed"))
			}
			p.Prices.Classes = append(p.Prices.Classes, c)
		}
		n := len(p.Demand)
		if k.every {
			p.Every = rapid.IntRange(0, 4).Draw(t, "every")
		}
		if k.closed && rapid.Bool().Draw(t, "closed?") {
			p.Closed = rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "closed")
		}
		if k.caps {
			p.MaxBuy = rapid.IntRange(0, 2).Draw(t, "max buy")
			p.MaxActive = rapid.IntRange(0, 3).Draw(t, "max active")
		}
		if k.held {
			for range rapid.IntRange(0, 2).Draw(t, "held") {
				p.Held = append(p.Held, pricing.Holding{
					Class: rapid.IntRange(0, len(p.Prices.Classes)-1).Draw(t, "class"),
					Count: rapid.IntRange(0, 2).Draw(t, "count"),
					Until: rapid.IntRange(0, k.terms+1).Draw(t, "until"),
				})
			}
		}
		if k.pure {
			p.Horizon = reserve.Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
		}
		return p
	})
}

// small has all that there is, at sizes for brute force.
var small = kind{slots: 6, peak: 2, classes: 2, terms: 4, every: true, closed: true, held: true, pure: true}

// large has what the pseudo-code can follow.
var large = kind{slots: 24, peak: 9, classes: 4, terms: 9, every: true, closed: true, held: true, pure: true}

// planners returns one planner of each algorithm, new or used before.
func planners(class int) []reserve.Planner {
	return []reserve.Planner{&reserve.HGR{Class: class}, &Periodic{Class: class}, &SEC{},
		&Constant{Class: class, Peak: true}, &Constant{Class: class}}
}

// mustPlan returns a plan, or ok = false if the problem is not for the planner.
// It checks the form.
func mustPlan(t interface {
	Helper()
	Fatalf(string, ...any)
}, a reserve.Planner, p *reserve.Problem) (plan []pricing.Purchase, ok bool) {
	t.Helper()
	mark := pricing.Purchase{Slot: 7, Class: 7, Count: 7}
	plan, err := a.AppendPlan([]pricing.Purchase{mark}, p)
	if len(plan) == 0 || plan[0] != mark {
		t.Fatalf("%T: what was in dst is gone: %v", a, plan)
	}
	plan = plan[1:]
	if err != nil {
		var input *inputerr.Error
		if !errors.As(err, &input) || !errors.Is(err, reserve.ErrUnsupported) || len(plan) > 0 {
			t.Fatalf("%T: %v with %v", a, err, plan)
		}
		return nil, false
	}
	for i, b := range plan {
		if b.Slot < 0 || b.Slot >= len(p.Demand) || !mayBuy(p, b.Slot) || b.Class < 0 || b.Class >= len(p.Prices.Classes) || b.Count <= 0 {
			t.Fatalf("%T: purchase %+v", a, b)
		}
		if i > 0 && (plan[i-1].Slot > b.Slot || plan[i-1].Slot == b.Slot && plan[i-1].Class >= b.Class) {
			t.Fatalf("%T: not sorted: %v", a, plan)
		}
	}
	return plan, true
}

// optimumOf returns the least cost of p, in nanos, and whether there is a proof of it.
func optimumOf(t *rapid.T, p *reserve.Problem) (*big.Rat, bool) {
	whole := clone(p) // in a currency in which all amounts of a problem drawn here are whole
	whole.Prices.OnDemand *= 2520
	for k := range whole.Prices.Classes {
		whole.Prices.Classes[k].Upfront *= 2520
		whole.Prices.Classes[k].Hourly *= 2520
	}
	plan, err := new(reserve.Exact).Solve(whole)
	if errors.Is(err, reserve.ErrUnsupported) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return planCost(p, plan.Purchases), plan.Optimal()
}

// No plan costs less than the optimum, the bound no more; and what the proofs of
// the one-class algorithms say holds.
func TestAgainstOptimum(t *testing.T) {
	var used []reserve.Planner
	for k := range small.classes {
		used = append(used, planners(k)...)
	}
	handled := map[reflect.Type]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := problems(small).Draw(t, "problem")
		optimum, ok := optimumOf(t, p)
		if !ok {
			return
		}
		if bound, err := new(reserve.Competitive).Bound(p); err == nil {
			if big.NewRat(int64(bound), 1).Cmp(optimum) > 0 {
				t.Fatalf("bound %v, optimum %v", bound, optimum.FloatString(3))
			}
		} else if !errors.Is(err, reserve.ErrUnsupported) {
			t.Fatal(err)
		}
		none := planCost(p, nil)
		for _, a := range used {
			class := 0
			switch a := a.(type) {
			case *reserve.HGR:
				class = a.Class
			case *Periodic:
				class = a.Class
			case *Constant:
				class = a.Class
			}
			if class >= len(p.Prices.Classes) {
				continue
			}
			plan, ok := mustPlan(t, a, p)
			if !ok {
				continue
			}
			handled[reflect.TypeOf(a)]++
			cost := planCost(p, plan)
			if cost.Cmp(optimum) < 0 {
				t.Fatalf("%T costs %v, the optimum %v", a, cost, optimum)
			}
			constant, ok := a.(*Constant)
			peak := ok && constant.Peak
			_, sec := a.(*SEC)
			if !peak && !(sec && len(p.Prices.Classes) > 1) && cost.Cmp(none) > 0 {
				t.Fatalf("%T costs %v, on demand only %v", a, cost, none)
			}
		}
	})
	for _, a := range planners(0) {
		if n := handled[reflect.TypeOf(a)]; n < 20 {
			t.Errorf("%T: only %d problems were for it", a, n)
		}
	}
}

// HGR saves at least half of what the optimum saves over on demand, under all rules that it
// handles. (reserve/theory has the proof.)
func TestHGRSavesHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(kind{slots: 9, peak: 2, classes: 1, terms: 5, held: true, every: true, closed: true, pure: true}).Draw(t, "problem")
		plan, ok := mustPlan(t, &reserve.HGR{}, p)
		if !ok {
			return
		}
		optimum, ok := optimumOf(t, p)
		if !ok {
			return
		}
		none, cost := planCost(p, nil), planCost(p, plan)
		half := new(big.Rat).Add(none, optimum)
		if half.Mul(half, big.NewRat(1, 2)); cost.Cmp(half) > 0 {
			t.Fatalf("hgr %v, optimum %v, on demand %v: want at most %v", cost, optimum, none, half)
		}
	})
	// Two terms of demand, and two slots without demand that break the ties: HGR buys the
	// middle, and leaves two pieces of nearly half a term, which are not worth a fee.
	var opt optimum
	k := 100
	d := slices.Repeat([]int{1}, 4*k)
	d[k-1], d[3*k] = 0, 0
	o := reserve.Offer{Price: 1, Fee: int64(k), Term: 2 * k}
	plan, _ := mustPlan(t, &reserve.HGR{}, problemOf(o, d))
	if cost, best := onlineCost(o, d, bySlot(plan, len(d))), opt.cost(o, d); cost != int64(3*k-2) || best != int64(2*k) {
		t.Errorf("%d/%d, want %d/%d", cost, best, 3*k-2, 2*k)
	}
}

// hgrRatio is what is proved of HGR with the Full horizon, by α = F/(τ·p).
func hgrRatio(alpha float64) float64 {
	if alpha >= .5 {
		return (1 + 1/alpha) / 2
	}
	return 1.5 + math.Log(1/(2*alpha))
}

// What is proved, for one class, the Full horizon and purchases at any slot: hgrRatio for
// HGR, twice the optimum for Periodic.
func TestRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(kind{slots: 9, peak: 2, classes: 1, terms: 5, held: true}).Draw(t, "problem")
		optimum, ok := optimumOf(t, p)
		if !ok {
			return
		}
		costs := map[string]*big.Rat{}
		for name, a := range map[string]reserve.Planner{"hgr": &reserve.HGR{}, "periodic": &Periodic{}} {
			plan, ok := mustPlan(t, a, p)
			if !ok {
				t.Fatalf("%s does not handle it", name)
			}
			costs[name] = planCost(p, plan)
		}
		twice := new(big.Rat).Mul(optimum, big.NewRat(2, 1))
		if costs["periodic"].Cmp(twice) > 0 {
			t.Fatalf("periodic %v, optimum %v", costs["periodic"], optimum)
		}
		o := onlyClass(p, 0)
		whole := new(big.Rat).Mul(o.gain, big.NewRat(int64(o.tau), 1)) // τ·p
		if o.fee.Cmp(whole) > 0 {                                      // Assumption 1 does not hold: nothing is bought
			if costs["hgr"].Cmp(optimum) != 0 {
				t.Fatalf("hgr %v, optimum %v", costs["hgr"], optimum)
			}
			return
		}
		limit := new(big.Rat).Set(optimum)
		if o.fee.Sign() > 0 {
			ratio, _ := new(big.Rat).Quo(whole, o.fee).Float64()
			limit.Mul(limit, new(big.Rat).SetFloat64(hgrRatio(1/ratio)+1e-12))
		}
		if o.n <= o.tau { // [Liu21] section 3.3.1
			limit = optimum
		}
		if costs["hgr"].Cmp(limit) > 0 {
			t.Fatalf("hgr %v, optimum %v, limit %v", costs["hgr"], optimum, limit)
		}
	})
}

// Where one may buy once a term, Periodic is optimal.
func TestPeriodicIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(kind{slots: 9, peak: 3, classes: 1, terms: 5, pure: true, held: true}).Draw(t, "problem")
		p.Every = int(p.Prices.Classes[0].Term / p.Slot)
		optimum, proved := optimumOf(t, p)
		if !proved {
			return
		}
		plan, ok := mustPlan(t, &Periodic{}, p)
		if !ok {
			t.Fatal("not handled")
		}
		if planCost(p, plan).Cmp(optimum) != 0 {
			t.Fatalf("periodic %v, optimum %v", planCost(p, plan), optimum)
		}
	})
}

// Every algorithm buys what the papers' pseudo-code buys.
func TestNaive(t *testing.T) {
	check := func(t *rapid.T, a reserve.Planner, p *reserve.Problem, want []pricing.Purchase) {
		t.Helper()
		if got, ok := mustPlan(t, a, p); ok && !slices.Equal(got, want) {
			t.Fatalf("%T: got %v, want %v", a, got, want)
		}
	}
	// Workspaces that have been used, for a new one each time.
	periodic, sec := &Periodic{}, &SEC{}
	rapid.Check(t, func(t *rapid.T) {
		p := problems(large).Draw(t, "problem")
		k := rapid.IntRange(0, len(p.Prices.Classes)-1).Draw(t, "class")
		periodic.Class = k
		check(t, periodic, p, naivePeriodic(p, k))
	})
	rapid.Check(t, func(t *rapid.T) {
		k := large
		k.peak, k.slots, k.classes = 4, 12, 3
		p := problems(k).Draw(t, "problem")
		want := naiveSEC(p)
		check(t, sec, p, want)
		check(t, &SEC{}, p, want)
	})
}

// The constant quantities are the best of all constant quantities.
func TestConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(large).Draw(t, "problem")
		cost := func(k, count int) *big.Rat {
			var plan []pricing.Purchase
			for s := 0; s < len(p.Demand); s += int(p.Prices.Classes[k].Term / p.Slot) {
				plan = append(plan, pricing.Purchase{Slot: s, Class: k, Count: count})
			}
			return planCost(p, plan)
		}
		for k := range p.Prices.Classes {
			plan, ok := mustPlan(t, &Constant{Class: k}, p)
			if !ok {
				continue
			}
			least := planCost(p, nil)
			for count := range slices.Max(p.Demand) + 1 {
				if c := cost(k, count); c.Cmp(least) < 0 {
					least = c
				}
			}
			if c := planCost(p, plan); c.Cmp(least) != 0 {
				t.Fatalf("class %d: %v costs %v, the best %v", k, plan, c, least)
			}
		}
	})
}

// A planner gives the same with a workspace that has seen other problems, and
// leaves its input alone. Prices in another currency change nothing; nor does a
// class that another one beats.
func TestInvariance(t *testing.T) {
	used := planners(0)
	rapid.Check(t, func(t *rapid.T) {
		p := problems(large).Draw(t, "problem")
		before := clone(p)
		scaled, more := clone(p), clone(p)
		scaled.Prices.OnDemand *= 1000
		for k := range scaled.Prices.Classes {
			scaled.Prices.Classes[k].Upfront *= 1000
			scaled.Prices.Classes[k].Hourly *= 1000
		}
		worse := more.Prices.Classes[rapid.IntRange(0, len(more.Prices.Classes)-1).Draw(t, "beaten")]
		worse.Name = "worse"
		worse.Upfront++
		more.Prices.Classes = append(more.Prices.Classes, worse)
		for i, fresh := range planners(0) {
			want, ok := mustPlan(t, fresh, p)
			if got, again := mustPlan(t, used[i], p); again != ok || !slices.Equal(got, want) {
				t.Fatalf("%T: a used workspace gives %v, a new one %v", fresh, got, want)
			}
			if got, again := mustPlan(t, used[i], scaled); again != ok || !slices.Equal(got, want) {
				t.Fatalf("%T: scaled prices give %v, not %v", fresh, got, want)
			}
			if got, again := mustPlan(t, used[i], more); again != ok || !slices.Equal(got, want) {
				t.Fatalf("%T: a class that is beaten changes %v to %v", fresh, want, got)
			}
		}
		if diff := cmp.Diff(before, p); diff != "" {
			t.Fatalf("the input was changed:\n%s", diff)
		}
	})
}

func clone(p *reserve.Problem) *reserve.Problem {
	q := *p
	q.Demand = slices.Clone(p.Demand)
	q.Closed = slices.Clone(p.Closed)
	q.Held = slices.Clone(p.Held)
	q.Prices.Classes = slices.Clone(p.Prices.Classes)
	return &q
}

// The evaluator that the tests rest on agrees with the one that users have.
func TestPlanCostIsBill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := large
		k.held = false
		p := problems(k).Draw(t, "problem")
		var plan []pricing.Purchase
		for range rapid.IntRange(0, 5).Draw(t, "purchases") {
			plan = append(plan, pricing.Purchase{
				Slot:  rapid.IntRange(0, len(p.Demand)-1).Draw(t, "slot"),
				Class: rapid.IntRange(0, len(p.Prices.Classes)-1).Draw(t, "class"),
				Count: rapid.IntRange(0, 3).Draw(t, "count"),
			})
		}
		var b pricing.Biller
		bill, err := b.Bill(p.Prices, p.Demand, p.Slot, plan)
		if err != nil {
			t.Fatal(err)
		}
		cost := planCost(p, plan)
		want, slack := bill.Total, int64(0)
		if p.Horizon == reserve.Pure {
			want, slack = bill.Pure, int64(len(p.Prices.Classes)) // the residual of each class is rounded
		}
		off := new(big.Rat).Sub(cost, big.NewRat(int64(want), 1))
		if off.Abs(off).Cmp(big.NewRat(slack, 2)) > 0 {
			t.Fatalf("%v, the bill %v", cost, want)
		}
	})
}

// The order statistics are those of the sorted slots.
func TestOrderStatistics(t *testing.T) {
	var r ranking
	rapid.Check(t, func(t *rapid.T) {
		demand := rapid.SliceOfN(rapid.IntRange(0, rapid.SampledFrom([]int{1, 5, 1000}).Draw(t, "peak")), 1, 200).Draw(t, "demand")
		k := rapid.IntRange(1, len(demand)).Draw(t, "k")
		r.sortValues(demand, nil)
		r.empty()
		var in []int
		for i, d := range demand {
			if rapid.Bool().Draw(t, "in") {
				r.put(i, 1)
				in = append(in, d)
			}
		}
		slices.Sort(in)
		want := 0
		if k <= len(in) {
			want = in[len(in)-k]
		}
		if got := r.kth(int64(k)); got != want {
			t.Fatalf("ranked %d, want %d", got, want)
		}
	})
}
