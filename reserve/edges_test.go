package reserve

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// twoHours is a demand of one for four hours, 0.1 on demand or 0.15 for two hours.
func twoHours() *Problem {
	return &Problem{Demand: []int{1, 1, 1, 1}, Slot: time.Hour, Prices: pricing.List{OnDemand: 100 * pricing.Milli,
		Classes: []pricing.Class{{Name: "r", Term: 2 * time.Hour, Upfront: 150 * pricing.Milli}}}}
}

// At its limit a value is planned with, and one beyond the limit is refused by the name of its
// field.
func TestProblemLimits(t *testing.T) {
	for _, c := range []struct {
		name, field string
		is          error
		set         func(p *Problem, beyond int)
	}{
		{"slot", "Slot", ErrRange, func(p *Problem, beyond int) { p.Slot, p.Prices.Classes[0].Term = time.Duration(1-beyond), 2 }},
		{"on demand", "Prices.OnDemand", ErrRange, func(p *Problem, beyond int) { p.Prices.OnDemand = pricing.Money(1 - beyond) }},
		{"least demand", "Demand[3]", ErrRange, func(p *Problem, beyond int) { p.Demand[3] = -beyond }},
		{"most demand", "Demand[3]", ErrRange, func(p *Problem, beyond int) { p.Demand[3] = math.MaxInt32 + beyond }},
		{"most demand of a path", "Paths[1]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Paths = nil, [][]int{{1, 1, 1, 1}, {1, 1, 1, math.MaxInt32 + beyond}}
		}},
		{"least demand of a path", "Paths[1]", ErrRange, func(p *Problem, beyond int) { p.Demand, p.Paths = nil, [][]int{{1, 1}, {1, -beyond}} }},
		{"most demand of a chance", "Chances[1]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Chances = nil, [][]Chance{{{1, 1}}, {{math.MaxInt32 + beyond, .5}, {1, .5}}}
		}},
		{"largest weight", "Weights[0]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Paths, p.Weights = nil, [][]int{{1, 1}}, []float64{1 + (1+float64(beyond))*tolerance}
		}},
		{"least weight", "Weights[0]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Paths, p.Weights = nil, [][]int{{1, 1}, {2, 2}}, []float64{-tolerance * float64(beyond) / 2, 1}
		}},
		{"largest probability", "Chances[0]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Chances = nil, [][]Chance{{{1, 1 + (1+float64(beyond))*tolerance}}}
		}},
		{"least probability", "Chances[0]", ErrRange, func(p *Problem, beyond int) {
			p.Demand, p.Chances = nil, [][]Chance{{{1, -tolerance * float64(beyond) / 2}, {2, 1}}}
		}},
		{"every", "Every", ErrRange, func(p *Problem, beyond int) { p.Every = -beyond }},
		{"closed", "Closed", ErrRange, func(p *Problem, beyond int) { p.Closed = make([]bool, 4+beyond) }},
		{"most of a purchase", "MaxBuy", ErrRange, func(p *Problem, beyond int) { p.MaxBuy = -beyond }},
		{"most active", "MaxActive", ErrRange, func(p *Problem, beyond int) { p.MaxActive = -beyond }},
		{"most of a class", "AtMost[0]", ErrRange, func(p *Problem, beyond int) { p.AtMost = []int{NoCap - beyond} }},
		{"caps of classes", "AtMost", ErrRange, func(p *Problem, beyond int) { p.AtMost = slices.Repeat([]int{NoCap}, 1+beyond) }},
		{"horizon", "Horizon", ErrRange, func(p *Problem, beyond int) { p.Horizon = Pure + Horizon(beyond) }},
		{"held class", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Class: beyond, Count: 1, Until: 1}} }},
		{"first held class", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Class: -beyond, Count: 1, Until: 1}} }},
		{"held", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: -beyond, Until: 1}} }},
		{"most held", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: math.MaxInt32 + beyond, Until: 1}} }},
		{"held until", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: 1, Until: -beyond}} }},
		{"held within MaxActive", "MaxActive", ErrInfeasible, func(p *Problem, beyond int) {
			p.MaxActive, p.Held = 3, []pricing.Holding{{Count: 3 + beyond, Until: 1}}
		}},
		{"shortest term", "Prices.Classes[0].Term", ErrTerm, func(p *Problem, beyond int) { p.Prices.Classes[0].Term = p.Slot - time.Duration(beyond) }},
		{"whole term", "Prices.Classes[0].Term", ErrTerm, func(p *Problem, beyond int) { p.Prices.Classes[0].Term += time.Duration(beyond) }},
		{"longest term", "Prices.Classes[0].Term", ErrRange, func(p *Problem, beyond int) {
			p.Slot = time.Second
			p.Prices.Classes[0].Term = time.Duration(math.MaxInt32-4+int64(beyond)) * time.Second
		}},
	} {
		var e Exact
		p := twoHours()
		c.set(p, 0)
		plan, err := e.Solve(p)
		if err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
			continue
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
		}
		p = twoHours()
		c.set(p, 1)
		if _, err = e.Solve(p); !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "reserve: "+c.field+": ") {
			t.Errorf("%s: beyond the limit: %v, want %v of %s", c.name, err, c.is, c.field)
		}
	}
}

// Purchases that no plan can have are refused by their index, with what is at fault; those at the
// limits are accepted. Two of class 0 are held until slot 2.
func TestVerifyNamesThePurchase(t *testing.T) {
	type list = []pricing.Purchase
	for _, c := range []struct {
		name string
		set  func(p *Problem)
		list list
		want string
	}{
		{"the first and the last slot", nil, list{{Slot: 0, Class: 1, Count: 1}, {Slot: 3, Class: 0, Count: 1}}, ""},
		{"before the first slot", nil, list{{Slot: -1, Class: 0, Count: 1}}, "Purchases[0]: not a valid plan: 1 of class 0 at slot -1: no such slot, class or count"},
		{"beyond the last slot", nil, list{{Slot: 4, Class: 0, Count: 1}}, "Purchases[0]: not a valid plan: 1 of class 0 at slot 4: no such slot, class or count"},
		{"before the first class", nil, list{{Slot: 0, Class: -1, Count: 1}}, "Purchases[0]: not a valid plan: 1 of class -1 at slot 0: no such slot, class or count"},
		{"beyond the last class", nil, list{{Slot: 0, Class: 2, Count: 1}}, "Purchases[0]: not a valid plan: 1 of class 2 at slot 0: no such slot, class or count"},
		{"none", nil, list{{Slot: 0, Class: 0, Count: 1}, {Slot: 1, Class: 0, Count: 0}}, "Purchases[1]: not a valid plan: 0 of class 0 at slot 1: no such slot, class or count"},
		{"most", func(p *Problem) { p.Held = nil }, list{{Slot: 0, Class: 0, Count: math.MaxInt32}}, ""},
		{"twice", nil, list{{Slot: 0, Class: 1, Count: 1}, {Slot: 0, Class: 1, Count: 1}}, "Purchases[1]: not a valid plan: not sorted by slot and class, each once"},
		{"classes out of order", nil, list{{Slot: 0, Class: 1, Count: 1}, {Slot: 0, Class: 0, Count: 1}}, "Purchases[1]: not a valid plan: not sorted by slot and class, each once"},
		{"slots out of order", nil, list{{Slot: 1, Class: 0, Count: 1}, {Slot: 0, Class: 1, Count: 1}}, "Purchases[1]: not a valid plan: not sorted by slot and class, each once"},
		{"a date", func(p *Problem) { p.Every = 2 }, list{{Slot: 2, Class: 0, Count: 1}}, ""},
		{"no date", func(p *Problem) { p.Every = 2 }, list{{Slot: 3, Class: 0, Count: 1}}, "Purchases[0]: not a valid plan: nothing can be bought at slot 3"},
		{"closed", func(p *Problem) { p.Closed = []bool{false, false, true, false} }, list{{Slot: 2, Class: 0, Count: 1}}, "Purchases[0]: not a valid plan: nothing can be bought at slot 2"},
		{"not for sale", func(p *Problem) { p.AtMost = []int{NoCap, 0} }, list{{Slot: 2, Class: 1, Count: 1}}, "Purchases[0]: not a valid plan: s is not for sale"},
		{"as much as a class allows", func(p *Problem) { p.AtMost = []int{NoCap, 3} }, list{{Slot: 2, Class: 0, Count: 9}, {Slot: 2, Class: 1, Count: 3}}, ""},
		{"more than a class allows", func(p *Problem) { p.AtMost = []int{NoCap, 3} }, list{{Slot: 2, Class: 1, Count: 4}}, "Purchases[0]: not a valid plan: 4 bought, 3 allowed"},
		{"as much as a purchase allows", func(p *Problem) { p.MaxBuy = 3 }, list{{Slot: 1, Class: 0, Count: 3}, {Slot: 1, Class: 1, Count: 3}}, ""},
		{"more than a purchase allows", func(p *Problem) { p.MaxBuy = 3 }, list{{Slot: 1, Class: 0, Count: 4}}, "Purchases[0]: not a valid plan: 4 bought, 3 allowed"},
		{"MaxActive with what is held", func(p *Problem) { p.MaxActive = 5 }, list{{Slot: 0, Class: 0, Count: 2}, {Slot: 1, Class: 1, Count: 1}, {Slot: 2, Class: 1, Count: 3}}, ""},
		{"more than MaxActive with what is held", func(p *Problem) { p.MaxActive = 5 }, list{{Slot: 0, Class: 0, Count: 2}, {Slot: 1, Class: 1, Count: 2}}, "MaxActive: not a valid plan: 6 reservations are active in slot 1, 5 allowed"},
		{"more than MaxActive without what is held", func(p *Problem) { p.MaxActive = 5 }, list{{Slot: 2, Class: 0, Count: 3}, {Slot: 3, Class: 1, Count: 3}}, "MaxActive: not a valid plan: 6 reservations are active in slot 3, 5 allowed"},
		{"what has run out", func(p *Problem) { p.MaxActive = 5 }, list{{Slot: 1, Class: 0, Count: 3}, {Slot: 3, Class: 0, Count: 5}}, ""},
		{"held to the end", func(p *Problem) { p.MaxActive, p.Held[0].Until = 5, 9 }, list{{Slot: 3, Class: 0, Count: 4}}, "MaxActive: not a valid plan: 6 reservations are active in slot 3, 5 allowed"},
	} {
		p := twoHours()
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "s", Term: time.Hour, Hourly: 90 * pricing.Milli, Billed: pricing.Always})
		p.Held = []pricing.Holding{{Class: 0, Count: 2, Until: 2}, {Class: 1, Count: 7, Until: 0}}
		if c.set != nil {
			c.set(p)
		}
		var m market
		if err := m.loadAny(p); err != nil {
			t.Fatal(c.name, err)
		}
		err := checkPurchases(p, &m, c.list)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrForged) || err.Error() != "reserve: "+c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// drawLevels draws a problem with two use prices, and Exact after its solve by levels.
func drawLevels(t *rapid.T) (*Problem, *Exact, bool) {
	p := drawExact(t)
	p.Prices.OnDemand = max(p.Prices.OnDemand, 2*pricing.Unit)
	for k := range p.Prices.Classes {
		c := &p.Prices.Classes[k]
		c.Billed, c.Hourly = pricing.WhenUsed, pricing.Money(k)*pricing.Unit
	}
	e := &Exact{direct: true}
	_, err := e.Solve(p)
	return p, e, err == nil && len(e.prices) > 1
}

// raise finds the best values of a level beside those of the other levels: no others prove more.
// ascend does that for each level in turn.
func TestRaiseIsBest(t *testing.T) {
	raised, better := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, e, ok := drawLevels(t)
		if !ok || p.MaxActive > 0 {
			return
		}
		n, v := p.slots(), &e.dual
		if err := v.load(p, &e.market, nil); err != nil {
			t.Fatal(err)
		}
		start := make([]int64, len(e.values))
		for i := range start {
			if start[i] = rapid.Int64Range(0, v.worth[i/n]).Draw(t, "value"); rapid.Bool().Draw(t, "none") {
				start[i] = 0
			}
		}
		bound := func(y []int64) *big.Int {
			b, err := v.bound(y, 1)
			if err != nil {
				t.Fatal(err)
			}
			return toBig(b)
		}
		copy(e.values, start)
		for k := len(e.prices) - 1; k >= 0; k-- {
			before := slices.Clone(e.values)
			e.raise(p, k, 0)
			for i, y := range e.values {
				if i/n != k && y != before[i] {
					t.Fatalf("raising level %d changes a value of level %d", k, i/n)
				}
			}
			// Where the other levels alone are worth more than a fee there is nothing to find.
			alone, dear := slices.Clone(before), false
			clear(alone[k*n : (k+1)*n])
			for c := range e.market.classes {
				if _, sold := p.most(c); !sold || v.level[c] < k {
					continue
				}
				v.sums(v.before, alone, c)
				for s := range n {
					dear = dear || mayBuy(p, s) && v.reduced(v.before, c, s) < 0
				}
			}
			got := bound(e.values)
			if dear {
				if !slices.Equal(e.values, before) {
					t.Fatalf("level %d is raised beside values that are too high", k)
				}
				continue
			}
			raised++
			if got.Cmp(bound(before)) > 0 {
				better++
			}
			for range 20 {
				other := slices.Clone(e.values)
				for i := range n {
					other[k*n+i] = max(0, other[k*n+i]+rapid.Int64Range(-3, 3).Draw(t, "by")*max(1, v.worth[k]/rapid.Int64Range(1, 8).Draw(t, "part")))
				}
				if b := bound(other); b.Cmp(got) > 0 {
					t.Fatalf("%+v: level %d of %v is raised to %v, which proves %v; %v proves %v", p, k, start, e.values, got, other, b)
				}
			}
		}
		want := slices.Clone(e.values)
		copy(e.values, start)
		if err := e.ascend(p, 0); err != nil || !slices.Equal(e.values, want) {
			t.Fatalf("%+v: from %v to %v, %v, want %v", p, start, e.values, err, want)
		}
	})
	if raised < 30 || better < 15 {
		seeded.TooFew(t, "%d levels raised, %d of them to a better bound: too few to test anything", raised, better)
	}
}

// The flow's amounts are divided by the least power of two with which the largest of them, taken
// as often as a slot has arcs, is 2^60 at most. A class that never pays does not count.
func TestCoarser(t *testing.T) {
	for _, c := range []struct {
		price, use, parts, fee int64
		term, slots, want      int
		ok                     bool
	}{
		{price: 100, use: 50, parts: 1, fee: 150, term: 2, slots: 6, ok: true},
		{price: 1 << 56, use: 1, parts: 1, fee: 1, term: 2, slots: 6, ok: true}, // 16·2^56 = 2^60
		{price: 1<<56 + 1, use: 1, parts: 1, fee: 1, term: 2, slots: 6, want: 1, ok: true},
		{price: 1 << 56, use: 1, parts: 1, fee: 1, term: 2, slots: 7, want: 1, ok: true},
		{price: 1 << 40, use: 1, parts: 1 << 17, fee: 1, term: 2, slots: 6, want: 1, ok: true},
		{price: 1 << 40, use: 1, parts: 1, fee: 1 << 58, term: 1 << 20, slots: 6, want: 2, ok: true},
		{price: 1 << 40, use: 1 << 40, parts: 1, fee: 1 << 58, term: 1 << 20, slots: 6, ok: true}, // never pays
		{price: 1 << 40, use: 1, parts: 1, fee: 1 << 58, term: 2, slots: 6, ok: true},             // nor does this fee
		{price: 1 << 40, use: 1, parts: 1 << 30, fee: 1, term: 2, slots: 6},
	} {
		var e Exact
		e.market.price, e.market.tally.parts = c.price, c.parts
		e.market.classes = []class{{term: c.term, fee: c.fee, use: c.use}}
		if got, ok := e.coarser(&Problem{Demand: make([]int, c.slots)}); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %d, %v", c, got, ok)
		}
	}
}

// A fee that no use can earn is lowered to one more than the price of the whole term, for all parts of
// the demand, where that fits in 64 bits.
func TestFair(t *testing.T) {
	for _, c := range []struct {
		price, parts, fee, want int64
		term                    int
	}{{10, 1, 30, 30, 3}, {10, 1, 32, 31, 3}, {10, 4, 130, 121, 3}, {math.MaxInt64 / 7, 1, 5, 5, 7}, {math.MaxInt64 / 7, 1, math.MaxInt64, math.MaxInt64, 7}, {1 << 62, 2, math.MaxInt64, math.MaxInt64, 1}, {1 << 62, 1, 1<<62 + 5, 1<<62 + 1, 1}} {
		var m market
		m.price, m.tally.parts = c.price, c.parts
		if got := m.fair(&class{term: c.term}, c.fee); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// replan finds the best purchases of a level beside those of the other level: trying all finds
// none that cost less. descend does that for each level, and goes on.
func TestReplanIsBest(t *testing.T) {
	replanned, better, twice := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, e, ok := drawLevels(t)
		n := len(p.Demand)
		if !ok || n == 0 {
			return
		}
		var start []pricing.Purchase
		for s := range n {
			for c := range e.market.classes {
				next := append(slices.Clone(start), pricing.Purchase{Slot: s, Class: c, Count: rapid.IntRange(0, 2).Draw(t, "count")})
				if ruled(p, next) {
					start = next
				}
			}
		}
		d, v := &e.decomposed, &e.dual
		load := func() *big.Int {
			if err := v.load(p, &e.market, d.plan); err != nil {
				t.Fatal(err)
			}
			return toBig(v.cost())
		}
		d.plan = append(d.plan[:0], start...)
		for k := len(e.prices) - 1; k >= 0; k-- {
			first := load()
			rest := slices.DeleteFunc(slices.Clone(d.plan), func(q pricing.Purchase) bool { return v.level[q.Class] == k })
			var best *big.Int
			var try func(s int, list []pricing.Purchase)
			class := slices.Index(v.level, k)
			try = func(s int, list []pricing.Purchase) {
				if s == n {
					all := append(slices.Clone(rest), list...)
					sortPurchases(all)
					if ruled(p, all) {
						if err := v.load(p, &e.market, all); err != nil {
							t.Fatal(err)
						}
						if cost := toBig(v.cost()); best == nil || cost.Cmp(best) < 0 {
							best = cost
						}
					}
					return
				}
				try(s+1, list)
				for count := 1; count <= 2 && mayBuy(p, s); count++ {
					try(s+1, append(slices.Clone(list), pricing.Purchase{Slot: s, Class: class, Count: count}))
				}
			}
			try(0, nil)
			load()
			e.replan(p, k, 0)
			got := load()
			if !ruled(p, d.plan) || got.Cmp(best) != 0 {
				t.Fatalf("%+v: level %d of %v: %v costs %v, the best %v", p, k, start, d.plan, got, best)
			}
			replanned++
			if got.Cmp(first) < 0 {
				better++
			}
		}
		once := load()
		for k := len(e.prices) - 1; k >= 0; k-- {
			e.replan(p, k, 0)
			load()
		}
		two := load()
		if two.Cmp(once) < 0 {
			twice++
		}
		d.plan = append(d.plan[:0], start...)
		if err := e.descend(p, wide.Uint{}, 0); err != nil {
			t.Fatal(err)
		}
		if got := load(); !ruled(p, d.plan) || got.Cmp(two) > 0 {
			t.Fatalf("%+v: from %v to %v for %v, each level twice costs %v", p, start, d.plan, got, two)
		}
	})
	if replanned < 30 || better < 15 || twice == 0 {
		seeded.TooFew(t, "%d levels planned anew, %d of them for less, %d by a second round: too few to test anything", replanned, better, twice)
	}
}

// randomFront returns a front of random paths, before its first point, with some plans.
func randomFront(t *testing.T, r *rand.Rand) *front {
	p := &Problem{Slot: time.Hour, Prices: pricing.List{OnDemand: 1000 * pricing.Milli}, Horizon: Horizon(r.IntN(2))}
	n := 2 + r.IntN(8)
	for range 2 + r.IntN(6) {
		path := make([]int, n)
		for i := range path {
			path[i] = r.IntN(12)
		}
		p.Paths = append(p.Paths, path)
	}
	if r.IntN(2) == 0 {
		left := 100
		for i := range p.Paths {
			w := left
			if i < len(p.Paths)-1 {
				w = 1 + r.IntN(left-(len(p.Paths)-1-i))
			}
			left -= w
			p.Weights = append(p.Weights, float64(w)/100)
		}
	}
	for k := range 1 + r.IntN(3) {
		term := 1 + r.IntN(4)
		use := pricing.Money(r.IntN(500)) * pricing.Milli
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: fmt.Sprint(k), Term: time.Duration(term) * time.Hour,
			Upfront: pricing.Money(term*(200+r.IntN(600))) * pricing.Milli, Hourly: use, Billed: pricing.WhenUsed})
	}
	f, err := new(Exact).newFront(p, []float64{.3, .5, .9}[r.IntN(3)])
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for range 2 + r.IntN(12) {
		var list []pricing.Purchase
		for s := range n {
			for k := range p.Prices.Classes {
				if r.IntN(4) == 0 {
					list = append(list, pricing.Purchase{Slot: s, Class: k, Count: 1 + r.IntN(9)})
				}
			}
		}
		if err := f.evaluate(list); err != nil {
			t.Fatal(err)
		}
		f.plans = append(f.plans, candidate{list, slices.Clone(f.costs)})
		f.theta = append(f.theta, max(0, r.Float64()*1.3-.3))
		sum += f.theta[len(f.theta)-1]
	}
	clear(f.mixing)
	for k := range f.theta {
		f.theta[k] /= sum
		for i := range f.mixing {
			f.mixing[i] += f.theta[k] * f.plans[k].costs[i]
		}
	}
	return f
}

// The parts of a front by their definitions: costs on each path, the mean of the worst share, the
// smoothed worst weights, weights in whole numbers, and mixtures in whole numbers.
func TestFrontByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 9)) // seed 41, 9
	improved := 0
	for range 300 {
		f := randomFront(t, r)
		// Costs: those of the plan if the path were the demand.
		last := f.plans[len(f.plans)-1]
		for i, path := range f.p.Paths {
			q := *f.p
			q.Paths, q.Weights, q.Demand = nil, nil, path
			want, _ := planCost(&q, last.purchases).Float64()
			if got := last.costs[i]; math.Abs(got-want) > 1e-9*want+1e-6 {
				t.Fatalf("%+v: %v costs %v on path %d, want %v", f.p, last.purchases, got, i, want)
			}
		}
		// CVaR: the least of v + the mean excess over v, by the share.
		copy(f.costs, last.costs)
		tail := math.Inf(1)
		for _, v := range f.costs {
			x := v
			for i, c := range f.costs {
				x += max(0, c-v) * float64(f.weights[i]) / float64(f.parts) / (1 - f.level)
			}
			tail = min(tail, x)
		}
		if got := f.tail(); math.Abs(got-tail) > 1e-9*tail {
			t.Fatalf("the worst share of %v costs %v, want %v", f.costs, got, tail)
		}
		// Smoothed: no move of weight from one path to another is better.
		spread := slices.Max(f.costs) - slices.Min(f.costs) + 1
		soft := spread * (.1 + 3*r.Float64())
		smooth := func(q, costs []float64) (sum float64) {
			for i, w := range f.weights {
				x := q[i] / float64(f.grain)
				d := x - float64(w)/float64(f.parts)
				sum += x*costs[i] - soft/2*d*d
			}
			return sum
		}
		f.share(f.costs, soft)
		best := smooth(f.target, f.costs)
		for i := range f.target {
			for j := range f.target {
				for _, part := range []float64{.01, .3, 1} {
					by := part * min(float64(f.caps[i])-f.target[i], f.target[j])
					if by <= 0 || i == j {
						continue
					}
					q := slices.Clone(f.target)
					q[i] += by
					q[j] -= by
					if got := smooth(q, f.costs); got > best+1e-6*spread {
						t.Fatalf("costs %v: weights %v are worth %v, %v %v", f.costs, f.target, best, q, got)
					}
				}
			}
		}
		// Whole weights: near, within the caps, of the sum.
		f.round()
		sum := int64(0)
		for i, q := range f.q {
			sum += q
			if q < 0 || q > f.caps[i] || math.Abs(float64(q)-f.target[i]) > 2 {
				t.Fatalf("%v is rounded to %v, caps %v", f.target, f.q, f.caps)
			}
		}
		if sum != f.grain {
			t.Fatalf("%v is rounded to %v, of the sum %d", f.target, f.q, sum)
		}
		// The mixture: sums of Σ θ·count, by slot and class; in whole numbers right within half
		// up to any slot.
		mixture := f.mixture()
		keys := places(mixture)
		if !slices.IsSortedFunc(keys, func(a, b spot) int { return (a.slot-b.slot)*100 + a.class - b.class }) || len(keys) != len(mixture) {
			t.Fatalf("%v out of order", keys)
		}
		if r.IntN(3) == 0 {
			f.p.MaxBuy = 1 + r.IntN(4)
		}
		whole := f.whole()
		for class := range f.p.Prices.Classes {
			carry := 0.0
			for s := range f.p.slots() {
				want, got := 0.0, 0
				for k, c := range f.plans {
					for _, b := range c.purchases {
						if b.Slot == s && b.Class == class {
							want += f.theta[k] * float64(b.Count)
						}
					}
				}
				for _, b := range whole {
					if b.Slot == s && b.Class == class {
						got += b.Count
					}
				}
				if want == 0 {
					if got != 0 {
						t.Fatalf("%d at slot %d, where no plan has any", got, s)
					}
					continue
				}
				carry += want - float64(got)
				if f.p.MaxBuy > 0 && got == f.p.MaxBuy && carry > 0 {
					continue
				}
				if math.Abs(carry) > .5+1e-9 || f.p.MaxBuy > 0 && got > f.p.MaxBuy {
					t.Fatalf("class %d up to slot %d: off by %v", class, s, carry)
				}
			}
		}
		f.p.MaxBuy = 0
		// It begins at the best plan alone.
		k := r.IntN(len(f.plans))
		theta, mixing := slices.Clone(f.theta), slices.Clone(f.mixing)
		f.best.Purchases = f.plans[k].purchases
		f.start(.5)
		for i, x := range f.theta {
			same := slices.Equal(f.plans[i].purchases, f.best.Purchases)
			if same != (x == 1) || !same && x != 0 || same && !slices.Equal(f.mixing, f.plans[i].costs) {
				t.Fatalf("it begins at %v, not at plan %d alone", f.theta, k)
			}
		}
		copy(f.theta, theta)
		copy(f.mixing, mixing)
		// The best mixture: no random one has a lower smoothed value.
		risk := r.Float64()
		value := func(theta []float64) float64 {
			costs := make([]float64, len(f.costs))
			mean := 0.0
			for k, c := range f.plans {
				for i, x := range c.costs {
					costs[i] += theta[k] * x
				}
			}
			for i, w := range f.weights {
				mean += costs[i] * float64(w) / float64(f.parts)
			}
			f.share(costs, soft)
			return (1-risk)*mean + risk*smooth(f.target, costs)
		}
		mean := 0.0
		for i, w := range f.weights {
			mean += f.mixing[i] * float64(w) / float64(f.parts)
		}
		copy(f.costs, f.mixing)
		want := (1-risk)*mean + risk*f.tail()
		if got := f.mixed(risk); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("the mixture costs %v, want %v", got, want)
		}
		f.correct(risk, soft)
		total := 0.0
		for _, x := range f.theta {
			total += x
			if x < 0 {
				t.Fatalf("mixture %v", f.theta)
			}
		}
		if math.Abs(total-1) > 1e-9 {
			t.Fatalf("mixture %v", f.theta)
		}
		got := value(f.theta)
		for range 60 {
			theta := slices.Clone(f.theta)
			to, part := r.IntN(len(theta)), r.Float64()*r.Float64()
			for k := range theta {
				theta[k] *= 1 - part
			}
			theta[to] += part
			if v := value(theta); v < got-5e-3*spread {
				t.Fatalf("mixture %v has the value %v, %v %v", f.theta, got, theta, v)
			}
		}
		// Improved: no reservation more or less is better where the mixture has some.
		if len(f.mixture()) > 12 {
			continue // more than the tries may be needed
		}
		improved++
		f.value = math.Inf(1)
		if err := f.try(f.plans[k].purchases, risk); err != nil {
			t.Fatal(err)
		}
		first := f.value
		if err := f.improve(first, risk); err != nil || f.value != first {
			t.Fatalf("a plan at its bound of %v becomes one of %v, %v", first, f.value, err)
		}
		if err := f.improve(0, risk); err != nil {
			t.Fatal(err)
		}
		reached := f.value
		for _, at := range places(f.mixture()) {
			for _, by := range []int{-1, 1} {
				if list, ok := f.changed(at, by); ok {
					if err := f.try(list, risk); err != nil || f.value < reached-1e-9*reached {
						t.Fatalf("%d more at %v are better: %v, %v after %v", by, at, err, f.value, reached)
					}
				}
			}
		}
	}
	if improved < 20 {
		t.Errorf("%d plans were improved", improved)
	}
}

// Whole weights by hand: rounded down, the largest remainders get what is left, none gets more than
// its cap.
func TestFrontRound(t *testing.T) {
	for _, c := range []struct {
		target     []float64
		caps, want []int64
	}{
		{[]float64{5.2, 2.7, 2.1}, []int64{9, 9, 9}, []int64{5, 3, 2}},
		{[]float64{2.7, 5.2, 2.1}, []int64{9, 9, 9}, []int64{3, 5, 2}},
		{[]float64{3.5, 3.5, 3}, []int64{9, 9, 9}, []int64{4, 3, 3}},
		{[]float64{5.9, 4.1}, []int64{5, 9}, []int64{5, 5}},
		{[]float64{5.9, 2.1, 2}, []int64{5, 3, 9}, []int64{5, 3, 2}},
		{[]float64{0, 0, 6}, []int64{9, 1, 6}, []int64{3, 1, 6}}, // in more than one turn
	} {
		f := front{grain: 10, target: c.target, caps: c.caps, q: make([]int64, len(c.caps))}
		if f.round(); !slices.Equal(f.q, c.want) {
			t.Errorf("%v within %v: %v, want %v", c.target, c.caps, f.q, c.want)
		}
	}
}

// The caps leave room for all the weight, for any number of paths and at the least level, and no
// weight is above its share of the worst paths.
func TestFrontLoad(t *testing.T) {
	for _, n := range []int{1, 49, 50, 51, 101, 3000} {
		f := front{weights: slices.Repeat([]int64{1}, n), parts: int64(n)}
		f.load(.01)
		room := int64(0)
		for _, c := range f.caps {
			room += c
			if share := float64(f.grain) / float64(n) / .99; float64(c) > share || float64(c) < share-1.001 {
				t.Fatalf("%d paths: a cap of %d, want %v rounded down", n, c, share)
			}
		}
		if room < f.grain {
			t.Errorf("%d paths: room for %d of %d", n, room, f.grain)
		}
	}
}

// Either path alone could have a reservation, and no plan may have both: each costs 2 on its own path
// and 12 on the other, none costs 10 on both. The mixture of both is worth 7, so that the plans that
// are best by mean, by both, and by the worst path leave gaps that are known.
func TestFrontGap(t *testing.T) {
	p := &Problem{Slot: time.Hour, Paths: [][]int{{1, 0, 0}, {0, 0, 1}}, Closed: []bool{false, false, true}, MaxActive: 1,
		Prices: pricing.List{OnDemand: 10 * pricing.Unit, Classes: []pricing.Class{{Name: "a", Term: 2 * time.Hour, Upfront: 2 * pricing.Unit}}}}
	want := []FrontPoint{
		{Risk: 0, Mean: 7 * pricing.Unit, CVaR: 12 * pricing.Unit},
		{Risk: .5, Mean: 7 * pricing.Unit, CVaR: 12 * pricing.Unit, Gap: 9.5/7 - 1},
		{Risk: 1, Mean: 10 * pricing.Unit, CVaR: 10 * pricing.Unit, Gap: 10./7 - 1},
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1}, {2}} {
		var risks []float64
		for _, i := range order {
			risks = append(risks, want[i].Risk)
		}
		// The number of rounds is a limit only: when the mixture is proved best, they end.
		got, err := new(Exact).Front(p, .5, risks, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		for k, i := range order {
			x := got[k]
			if x.Risk != want[i].Risk || x.Mean != want[i].Mean || x.CVaR != want[i].CVaR || math.Abs(x.Gap-want[i].Gap) > 1e-6 || (len(x.Purchases) == 0) != (i == 2) {
				t.Errorf("risks %v: %+v, want %+v", risks, x, want[i])
			}
		}
	}
	// What no plan may have is refused, and the best stays.
	f, err := new(Exact).newFront(p, .5)
	if err != nil {
		t.Fatal(err)
	}
	f.value = 1
	if err := f.try([]pricing.Purchase{{Slot: 0, Count: 1}, {Slot: 1, Count: 1}}, .5); !errors.Is(err, ErrForged) || f.best.Purchases != nil {
		t.Errorf("two at a time: %v, %v", err, f.best)
	}
}

// The distribution of the demand in each slot by hand, in the least whole numbers: demands that fall,
// without 0 and without those of no weight.
func TestTallyLoad(t *testing.T) {
	for name, c := range map[string]struct {
		p     Problem
		parts int64
		want  [][]step
	}{
		"known":          {Problem{Demand: []int{0, 2, 0}}, 1, [][]step{{}, {{2, 1}}, {}}},
		"equal paths":    {Problem{Paths: [][]int{{1, 0, 4}, {1, 3, 2}}}, 2, [][]step{{{1, 2}}, {{3, 1}}, {{4, 1}, {2, 1}}}},
		"alike":          {Problem{Paths: [][]int{{2, 0}, {2, 0}}}, 1, [][]step{{{2, 1}}, {}}},
		"weighted":       {Problem{Paths: [][]int{{1, 2}, {2, 2}}, Weights: []float64{.25, .75}}, 4, [][]step{{{2, 3}, {1, 1}}, {{2, 4}}}},
		"without weight": {Problem{Paths: [][]int{{5}, {2}}, Weights: []float64{0, 1}}, 1, [][]step{{{2, 1}}}},
		"chances":        {Problem{Chances: [][]Chance{{{1, .5}, {1, .25}, {0, .25}}, {{7, .25}, {9, .75}}}}, 4, [][]step{{{1, 3}}, {{9, 3}, {7, 1}}}},
		"halves":         {Problem{Chances: [][]Chance{{{1, .5}, {2, .5}}, {{3, .5}, {3, .5}}}}, 2, [][]step{{{2, 1}, {1, 1}}, {{3, 2}}}},
	} {
		var l tally
		if err := l.load(&c.p, fineParts); err != nil || l.parts != c.parts || len(l.first) != len(c.want)+1 {
			t.Errorf("%s: %v, %d parts, %d slots", name, err, l.parts, len(l.first)-1)
			continue
		}
		for s, want := range c.want {
			if got := l.of(s); !slices.Equal(got, want) {
				t.Errorf("%s: slot %d has %v, want %v", name, s, got, want)
			}
		}
	}
}

// What saves less than the unit of a coarser flow is no step of that flow: all steps have a price.
func TestReplanCoarse(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: []int{2, 2, 2}, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "light", Term: 2 * time.Hour, Upfront: 1, Hourly: 9, Billed: pricing.WhenUsed}, {Name: "heavy", Term: 2 * time.Hour, Upfront: 12}}}}
	e := Exact{direct: true}
	if _, err := e.Solve(p); err != nil {
		t.Fatal(err)
	}
	e.decomposed.plan = e.decomposed.plan[:0]
	if err := e.dual.load(p, &e.market, nil); err != nil {
		t.Fatal(err)
	}
	for k, worth := range e.dual.worth {
		shift := 0
		for worth>>shift > 0 {
			shift++
		}
		before := slices.Clone(e.values)
		if e.raise(p, k, shift); !slices.Equal(e.values, before) {
			t.Errorf("level %d, shift %d: values %v become %v", k, shift, before, e.values)
		}
		for s, want := range map[int]bool{shift: k == 1 && e.dual.worth[0]>>shift > 0, shift - 1: true} {
			e.replan(p, k, s)
			if got := len(e.steps) > 0; got != want || slices.ContainsFunc(e.steps, func(st flow.Step) bool { return st.Price < 1 }) {
				t.Errorf("level %d, shift %d: steps %v", k, s, e.steps)
			}
			e.decomposed.plan = e.decomposed.plan[:0]
		}
	}
}

// Levels one at a time may leave a gap. The plan is then no dearer than the class alone whose use is
// cheapest, and the optimum lies between bound and cost.
func TestDecomposedKeepsTheBest(t *testing.T) {
	for _, c := range []struct {
		demand               string
		lightTerm, heavyTerm int
		light, heavy         pricing.Money
		active               int
	}{{"3545", 3, 2, 8, 9, 0}, {"3222", 4, 3, 8, 15, 0}, {"511500", 5, 3, 5, 8, 0}, {"113312525", 4, 2, 9, 9, 0}, {"0542112233", 5, 4, 7, 9, 4}} {
		p := &Problem{Slot: time.Hour, Demand: digits(c.demand), MaxActive: c.active, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
			{Name: "light", Term: time.Duration(c.lightTerm) * time.Hour, Upfront: c.light, Hourly: 4, Billed: pricing.WhenUsed},
			{Name: "heavy", Term: time.Duration(c.heavyTerm) * time.Hour, Upfront: c.heavy}}}}
		plan, err := (&Exact{direct: true}).Solve(p)
		if err != nil || !plan.Limited {
			t.Errorf("%+v: %v, limited %v", c, err, plan.Limited)
			continue
		}
		best, err := new(Exact).Solve(p)
		if err != nil || best.Limited || plan.Bound > best.Cost || plan.Cost < best.Cost || plan.Cost > best.Cost*21/20 {
			t.Errorf("%+v: cost %v, bound %v, optimum %v, %v", c, plan.Cost, plan.Bound, best.Cost, err)
		}
		q := *p
		q.AtMost = []int{0, NoCap}
		if alone, err := new(Exact).Solve(&q); err != nil || plan.Cost > alone.Cost {
			t.Errorf("%+v: cost %v, %v with the heavy class alone, %v", c, plan.Cost, alone.Cost, err)
		}
	}
}

// Of what is active in a slot the cheapest use serves first, whatever was bought first; the fee of 12
// is saved by two instances at 9 an hour in the first slot, that of 25 in no slot.
func TestUsesCheapestFirst(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: []int{2, 3}, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "dear", Term: 2 * time.Hour, Upfront: 25, Hourly: 5, Billed: pricing.WhenUsed}, {Name: "cheap", Term: 2 * time.Hour, Upfront: 6, Hourly: 1, Billed: pricing.WhenUsed}}}}
	got, err := AppendUses(nil, p, []pricing.Purchase{{Class: 0, Count: 1}, {Class: 1, Count: 2}})
	if err != nil || len(got) != 2 || got[0].Slots != 1 || got[0].BreakEven != -1 || got[0].Saved != 5-25 || got[1].Slots != 4 || got[1].BreakEven != 0 || got[1].Saved != 36-12 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Values that no certificate has are named by their place: that of slot 2 at the second level is the
// sixth of four slots.
func TestVerifyNamesTheValue(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: []int{3, 2, 3, 1}, Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "light", Term: 2 * time.Hour, Upfront: 3, Hourly: 4, Billed: pricing.WhenUsed}, {Name: "heavy", Term: 3 * time.Hour, Upfront: 15}}}}
	var e Exact
	plan, err := e.Solve(p)
	if err != nil || plan.Certificate.Levels != 2 {
		t.Fatal(plan.Certificate.Levels, err)
	}
	for value, want := range map[int64]string{-1: "-1 is negative, and no cap holds slot 2", math.MaxInt64: "9223372036854775807 is out of range"} {
		q := plan
		q.Certificate.Values = slices.Clone(plan.Certificate.Values)
		q.Certificate.Values[4+2] = value
		if err := Verify(p, &q); !errors.Is(err, ErrForged) || !strings.Contains(err.Error(), "Certificate.Values[6]: ") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// One Exact for problems with known demand and with paths in turn: what it has seen changes
// nothing.
func TestExactAfterPaths(t *testing.T) {
	var used Exact
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		if rapid.Bool().Draw(t, "paths") {
			uncertain(t, p)
		}
		used.direct = rapid.Bool().Draw(t, "direct")
		fresh := Exact{direct: used.direct}
		a, err1 := used.Solve(p)
		b, err2 := fresh.Solve(p)
		if fmt.Sprintf("%+v %v", a, err1) != fmt.Sprintf("%+v %v", b, err2) {
			t.Fatalf("%+v: used %+v, %v, fresh %+v, %v", p, a, err1, b, err2)
		}
	})
}

// round gives whole purchases whose sums up to each date are those of the relaxation, rounded:
// less only where a cap on a purchase, or MaxActive with what is held, leaves no room.
func TestRoundByDefinition(t *testing.T) {
	capped, some := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p, e, ok := drawLevels(t)
		n := len(p.Demand)
		if !ok || n == 0 {
			return
		}
		last := len(e.prices) - 1
		g := rapid.IntRange(1, 3).Draw(t, "slots of a date")
		dates := (n + g - 1) / g
		x := make([]float64, dates*len(e.index))
		for i := range x {
			if x[i] = rapid.Float64Range(0, 2).Draw(t, "x"); !mayBuy(p, i%dates*g) {
				x[i] = 0
			}
		}
		if rapid.Bool().Draw(t, "held below a cap") {
			p.MaxActive, p.Held = 3, []pricing.Holding{{Class: 0, Count: 2, Until: rapid.IntRange(1, n+1).Draw(t, "until")}}
		}
		if err := e.dual.load(p, &e.market, nil); err != nil {
			t.Fatal(err)
		}
		e.program.period, e.program.dates = g, dates
		e.round(p, x)
		sums, bought := make([]float64, len(e.index)), make([]int, len(e.index))
		var want []pricing.Purchase
		for s := 0; s < n; s += g {
			for j, c := range e.index {
				if e.dual.level[c] == last && p.MaxActive == 0 {
					continue // descend finds these
				}
				room := math.MaxInt
				if p.MaxActive > 0 {
					room = p.MaxActive
					for _, h := range p.Held {
						if s < h.Until {
							room -= h.Count
						}
					}
					for _, q := range want {
						if s < q.Slot+e.market.classes[q.Class].term {
							room -= q.Count
						}
					}
				}
				sums[j] += x[j*dates+s/g]
				count := int(math.Floor(sums[j]+.5)) - bought[j]
				if limit, _ := p.most(c); limit > 0 {
					room = min(room, limit)
				}
				if count > room {
					capped++
				}
				if count = min(count, room); count > 0 {
					want = append(want, pricing.Purchase{Slot: s, Class: c, Count: count})
					bought[j] += count
					some++
				}
			}
		}
		if !slices.Equal(e.decomposed.plan, want) {
			t.Fatalf("%+v: %v is rounded to %v, want %v", p, x, e.decomposed.plan, want)
		}
	})
	if capped < 5 || some < 20 {
		seeded.TooFew(t, "%d purchases, %d of them capped: too few to test anything", some, capped)
	}
}

// The competitive bound takes the horizons that there are, and names what it refuses.
func TestCompetitiveLimits(t *testing.T) {
	var c Competitive
	for h := range Pure + 2 {
		p := twoHours()
		p.Horizon = h
		if bound, err := c.Bound(p); h <= Pure && (err != nil || bound != 300*pricing.Milli) || h > Pure && !errors.Is(err, ErrRange) {
			t.Errorf("horizon %d: %v, %v", h, bound, err)
		}
	}
}

// anyBits draws an amount of up to so many bits, all lengths alike.
func anyBits(bits int) *rapid.Generator[int64] {
	return rapid.Custom(func(t *rapid.T) int64 {
		n := rapid.IntRange(0, bits).Draw(t, "bits")
		return rapid.Int64Range(int64(1)<<n>>1, int64(1)<<n-1).Draw(t, "amount")
	})
}

// Whatever the sizes of amounts, terms and counts: a plan whose amounts and certificate hold, or
// an error that says what is too large. Amounts of forty bits in all are never too large.
func TestExactWide(t *testing.T) {
	plans, several, bought, large := 0, 0, 0, 0
	var e Exact
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SampledFrom([]int{20, 40, 62}).Draw(t, "bits")
		n := rapid.IntRange(1, 4).Draw(t, "slots")
		p := &Problem{Slot: time.Hour, Horizon: Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))}
		p.Prices.OnDemand = pricing.Money(max(1, anyBits(bits).Draw(t, "on demand")))
		most := rapid.IntRange(0, 31).Draw(t, "most")
		if bits < 62 {
			most = 3
		}
		p.Demand = rapid.SliceOfN(rapid.Map(anyBits(most), func(v int64) int { return int(v) }), n, n).Draw(t, "demand")
		for k := range rapid.IntRange(1, 3).Draw(t, "classes") {
			c := pricing.Class{Name: fmt.Sprint(k), Term: time.Duration(1+rapid.IntRange(0, 9).Draw(t, "term")) * time.Hour, Billed: pricing.WhenUsed}
			c.Upfront = pricing.Money(anyBits(bits).Draw(t, "fee"))
			if rapid.Bool().Draw(t, "worth it") {
				c.Upfront = pricing.Money(rapid.Int64Range(0, int64(p.Prices.OnDemand)).Draw(t, "low fee"))
			}
			if c.Hourly = pricing.Money(rapid.Int64Range(0, int64(p.Prices.OnDemand)).Draw(t, "use")); k > 0 && rapid.Bool().Draw(t, "near") {
				c.Hourly = max(0, p.Prices.Classes[0].Hourly-pricing.Money(rapid.IntRange(0, 1).Draw(t, "by")))
			}
			p.Prices.Classes = append(p.Prices.Classes, c)
		}
		if rapid.IntRange(0, 2).Draw(t, "held") == 0 && p.Prices.Classes[0].Hourly < p.Prices.OnDemand {
			p.Held = []pricing.Holding{{Count: int(anyBits(most).Draw(t, "count")), Until: rapid.IntRange(0, n).Draw(t, "until")}}
		}
		e.direct = rapid.Bool().Draw(t, "direct")
		plan, err := e.Solve(p)
		if err != nil {
			if large++; !errors.Is(err, ErrOverflow) || bits <= 40 {
				t.Fatalf("%+v: %v", p, err)
			}
			return
		}
		plans++
		if err := Verify(p, &plan); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if len(usedPrices(p)) > 1 {
			several++
		} else if !plan.Optimal() {
			t.Fatalf("%+v: cost %v, bound %v", p, plan.Cost, plan.Bound)
		}
		if len(plan.Purchases) > 0 {
			bought++
		}
	})
	t.Logf("%d plans, %d with several use prices, %d with purchases, %d too large", plans, several, bought, large)
	if several < 10 || bought < 20 || large < 5 {
		seeded.TooFew(t, "%d plans, %d with several use prices, %d with purchases, %d too large: too few to test anything", plans, several, bought, large)
	}
}

// Several use prices with fine weights are refused where the slots times the weights'
// denominator are too many.
func TestFineWeightsLimit(t *testing.T) {
	p := &Problem{Slot: time.Hour, Weights: []float64{.1234567, .8765433}, Prices: pricing.List{OnDemand: 10 * pricing.Unit, Classes: []pricing.Class{
		{Name: "a", Term: 2 * time.Hour, Upfront: pricing.Unit, Hourly: pricing.Unit, Billed: pricing.WhenUsed}, {Name: "b", Term: 2 * time.Hour, Upfront: 3 * pricing.Unit}}}}
	for d := range 2 {
		p.Paths = append(p.Paths, slices.Repeat([]int{d + 1}, 16))
	}
	if _, err := new(Exact).Solve(p); !errors.Is(err, ErrUnsupported) {
		t.Errorf("16 slots of ten million parts: %v", err)
	}
}

// The values of the relaxation, in which the use of each class costs what that of the cheapest
// costs, prove its optimum for the problem itself; and better values stay.
func TestRelaxProvesTheCheapProblem(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		p, e, ok := drawLevels(t)
		if !ok {
			return
		}
		cheap := *p
		cheap.Prices.Classes = slices.Clone(p.Prices.Classes)
		least := p.Prices.OnDemand
		for u := range usedPrices(p) {
			least = min(least, u)
		}
		for k := range cheap.Prices.Classes {
			cheap.Prices.Classes[k].Hourly = least
		}
		want, err := new(Exact).Solve(&cheap)
		if err != nil {
			t.Fatal(err)
		}
		for _, begin := range [][]int64{slices.Clone(e.values), make([]int64, len(e.values))} {
			before, err := e.dual.bound(begin, e.finer)
			if err != nil {
				t.Fatal(err)
			}
			copy(e.values, begin)
			if err := e.relax(p); err != nil {
				t.Fatal(err)
			}
			after, err := e.dual.bound(e.values, e.finer)
			if err != nil || after.Less(before) {
				t.Fatalf("%+v: from %v to %v, %v", p, before, after, err)
			}
			if got, fits := e.market.money(after); !fits || got < want.Cost-1 {
				t.Fatalf("%+v: values %v prove %v, the relaxation costs %v", p, e.values, got, want.Cost)
			}
		}
		if want.Cost > 0 {
			proved++
		}
	})
	if proved < 20 {
		seeded.TooFew(t, "%d relaxations: too few to test anything", proved)
	}
}

// With several use prices the demand and the inventory may be up to 2³⁰, by the simplex and by levels.
// More is an overflow in the planner's own words.
func TestSeveralUsePricesTooLarge(t *testing.T) {
	for _, c := range []struct {
		demand, held int
		ok           bool
	}{{1 << 30, 0, true}, {1<<30 + 1, 0, false}, {math.MaxInt32, 0, false}, {1, 1 << 30, true}, {1, 1<<30 + 1, false}, {1 << 30, 1 << 30, true}} {
		for _, direct := range []bool{false, true} {
			p := &Problem{Slot: time.Hour, Demand: slices.Repeat([]int{c.demand}, 6), Prices: pricing.List{OnDemand: 10, Classes: []pricing.Class{
				{Name: "a", Term: 2 * time.Hour, Upfront: 3, Hourly: 3, Billed: pricing.WhenUsed}, {Name: "b", Term: 2 * time.Hour, Upfront: 12}}}}
			if c.held > 0 {
				p.Held = []pricing.Holding{{Class: 0, Count: c.held, Until: 1}}
			}
			e := Exact{direct: direct}
			plan, err := e.Solve(p)
			var in *InputError
			switch {
			case !c.ok && (!errors.Is(err, ErrOverflow) || !errors.As(err, &in)):
				t.Errorf("%+v, direct %v: %v, want ErrOverflow", c, direct, err)
			case c.ok && (err != nil || Verify(p, &plan) != nil):
				t.Errorf("%+v, direct %v: %v, %v", c, direct, err, Verify(p, &plan))
			}
		}
	}
}

// Planners of a known demand say which field makes a demand unknown; a certificate of the wrong
// size says what is there and what would be right.
func TestNamedFields(t *testing.T) {
	p := twoHours()
	p.Demand, p.Paths = nil, [][]int{{1, 1, 1, 1}, {2, 2, 2, 2}}
	if _, err := new(HGR).AppendPlan(nil, p); !errors.Is(err, ErrUnsupported) || !strings.HasPrefix(err.Error(), "reserve: Paths: ") {
		t.Error(err)
	}
	var in *InputError
	p.Paths[1][2] = -1 // what is wrong with the paths themselves comes first
	if _, err := new(HGR).AppendPlan(nil, p); !errors.Is(err, ErrRange) || !errors.As(err, &in) || in.Field != "Paths" || in.Index != 1 {
		t.Error(err)
	}
	p.Paths, p.Chances = nil, slices.Repeat([][]Chance{{{Demand: 1, Probability: .5}, {Demand: 2, Probability: .5}}}, 4)
	if _, err := new(HGR).AppendPlan(nil, p); !errors.Is(err, ErrUnsupported) || !strings.HasPrefix(err.Error(), "reserve: Chances: ") {
		t.Error(err)
	}
	q := twoHours()
	plan, err := new(Exact).Solve(q)
	if err != nil {
		t.Fatal(err)
	}
	plan.Certificate.Values = plan.Certificate.Values[1:]
	if err := Verify(q, &plan); !errors.Is(err, ErrForged) || !strings.HasSuffix(err.Error(), "1 levels and 3 values: want 1 and 4") {
		t.Error(err)
	}
}

// Sums in 128 bits, and the amounts of money that they are, by big integers: of all lengths, also those that do not fit.
func TestSumsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86)) // seed 85, 86
	word := func() uint64 { return r.Uint64() >> r.IntN(64) }
	amount := func() int64 { return max(1, int64(word()>>1)) }
	fit, over := 0, 0
	for range 20_000 {
		w := wide.Uint{Hi: word(), Lo: r.Uint64()}
		if r.IntN(2) == 0 {
			w.Hi = 0
		}
		m := market{common: amount(), scale: amount()}
		product := new(big.Int).Mul(toBig(w), big.NewInt(m.common))
		q, rest := new(big.Int).QuoRem(product, big.NewInt(m.scale), new(big.Int))
		down := q.IsInt64()
		if got, ok := floor(w, m.common, m.scale); ok && (!down || int64(got) != q.Int64()) ||
			!ok && down && product.BitLen() <= 128 {
			t.Fatalf("floor of %v·%d/%d: %d, %v, want %v", w, m.common, m.scale, got, ok, q)
		}
		if c := rest.Lsh(rest, 1).Cmp(big.NewInt(m.scale)); c > 0 || c == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
		got, ok := m.money(w)
		if ok && (!q.IsInt64() || int64(got) != q.Int64()) || !ok && q.IsInt64() && product.BitLen() <= 128 {
			t.Fatalf("%v·%d/%d: %d, %v, want %v", w, m.common, m.scale, got, ok, q)
		}
		if ok {
			fit++
		} else {
			over++
		}
		if h := toBig(half(w)); h.Cmp(new(big.Int).Rsh(toBig(w), 1)) != 0 {
			t.Fatalf("half of %v is %v", w, h)
		}
		x := wide.Uint{Hi: word(), Lo: r.Uint64()}
		want := new(big.Int).Sub(toBig(w), toBig(x))
		if diff, less := difference(w, x); less != (want.Sign() < 0) || toBig(diff).Cmp(new(big.Int).Abs(want)) != 0 {
			t.Fatalf("%v - %v is %v, %v", w, x, diff, less)
		}
		g, a, b := amount()-1, amount()-1, amount()-1
		p := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		d := gcd128(g, a, b)
		if best := new(big.Int).GCD(nil, nil, big.NewInt(g), p); g == 0 && !p.IsInt64() {
			if d <= 1 || new(big.Int).Mod(p, big.NewInt(d)).Sign() != 0 {
				t.Fatalf("%d does not divide %d·%d", d, a, b)
			}
		} else if best.Cmp(big.NewInt(d)) != 0 {
			t.Fatalf("common divisor of %d and %d·%d: %d, want %v", g, a, b, d, best)
		}
	}
	if fit < 1000 || over < 1000 {
		t.Errorf("%d amounts, %d that do not fit: too few to test anything", fit, over)
	}
	// The largest amount is one.
	m := market{common: 1, scale: 1}
	for lo, want := range map[uint64]bool{math.MaxInt64: true, math.MaxInt64 + 1: false} {
		if _, ok := m.money(wide.Uint{Lo: lo}); ok != want {
			t.Errorf("%d is money: %v", lo, ok)
		}
		if _, ok := floor(wide.Uint{Lo: lo}, 1, 1); ok != want {
			t.Errorf("%d, rounded down, is money: %v", lo, ok)
		}
	}
	for _, c := range []struct {
		cost, bound uint64
		want        float64
	}{{0, 0, 0}, {5, 5, 0}, {4, 5, 0}, {6, 5, .2}, {5, 0, math.Inf(1)}} {
		if got := share(wide.Uint{Lo: c.cost}, wide.Uint{Lo: c.bound}); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%d is %v above %d, want %v", c.cost, got, c.bound, c.want)
		}
	}
	if got := share(wide.Uint{Hi: 3}, wide.Uint{Hi: 2}); got != .5 {
		t.Errorf("3·2⁶⁴ is %v above 2·2⁶⁴", got)
	}
}

// Amounts that do not fit are named, wherever they come up.
func TestAmountsTooLarge(t *testing.T) {
	one := func(onDemand, fee pricing.Money) *Problem {
		return &Problem{Slot: time.Hour, Demand: []int{1 << 30}, Prices: pricing.List{OnDemand: onDemand, Classes: []pricing.Class{{Name: "a", Term: time.Hour, Upfront: fee}}}}
	}
	uses := func(p *Problem) error {
		dst, err := AppendUses(make([]Use, 3), p, []pricing.Purchase{{Count: 1 << 30}})
		if len(dst) != 3 && err != nil {
			t.Errorf("%d uses beside an error", len(dst))
		}
		return err
	}
	solve := func(p *Problem) error { _, err := new(Exact).Solve(p); return err }
	front := func(p *Problem) error { _, err := new(Exact).Front(p, .5, nil, 0); return err }
	mean := func(p *Problem) error { _, err := new(Exact).Front(p, .5, []float64{0}, 0); return err }
	paths := func(p *Problem, list ...[]int) *Problem {
		p.Demand, p.Paths = nil, list
		return p
	}
	second := func(p *Problem, fee pricing.Money) *Problem {
		p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "b", Term: time.Hour, Upfront: fee})
		return p
	}
	none := one(1<<40, 1)
	none.Prices.Classes = nil
	prime := one(1, 1) // a term of a prime number of slots, of which 3.6·10¹² are an hour
	prime.Slot, prime.Prices.Classes[0].Term, prime.Horizon = 1, 1<<31-19, Pure
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"fees of a purchase", uses(one(2, 1<<40)), "reserve: Demand: amount too large: the fees of purchase 0 do not fit"},
		{"what a purchase saves", uses(one(1<<40, 1)), "reserve: Prices: amount too large: what purchase 0 saves does not fit"},
		{"a purchase", uses(one(1<<32, 1)), ""},
		{"a bill", solve(none), "too large"},
		{"a front", front(paths(one(1<<40, 1<<39), []int{1 << 30}, []int{1})), "too large"},
		{"a front of the least mean, whose weights are those of the paths", mean(paths(one(1, 1<<59), []int{1}, []int{2})), ""},
		{"a fee for all paths", solve(paths(one(1, 1<<60), []int{1}, []int{2}, []int{3})), "reserve: Prices: amount too large: fees do not fit in 64 bits 3-fold, the common denominator of the weights"},
		{"the first fee for all paths", solve(paths(second(one(1, 1<<60), 1), []int{1}, []int{2}, []int{3})), "3-fold"},
		{"the second fee for all paths", solve(paths(second(one(1, 1), 1<<60), []int{1}, []int{2}, []int{3})), "3-fold"},
		{"terms without a common multiple", solve(prime), "reserve: Prices.Classes[0].Term: amount too large: the terms have no common multiple in range"},
		{"the largest fee for one path", solve(paths(one(1, 1<<61-1), []int{1})), ""},
	} {
		var in *InputError
		if c.want == "" && c.err != nil || c.want != "" && (!errors.As(c.err, &in) || !strings.Contains(c.err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	for parts, weights := range map[int64][]float64{10_000: {.0001, .9999}, fineParts: {1. / 10_007, 10_006. / 10_007}} {
		if got := denominator(fineParts, weights, nil); got != parts {
			t.Errorf("%v: denominator %d, want %d", weights, got, parts)
		}
	}
	if !multiple(tolerance, 1) {
		t.Error("what is off by the tolerance is no multiple")
	}
	for _, off := range []float64{-1.1, -.9, .9, 1.1} {
		for _, parts := range []int64{1, 3, 5000} {
			if got := multiple(2/float64(parts)+off*tolerance, parts); got != (math.Abs(off) < 1) {
				t.Errorf("2/%d is missed by %v of the tolerance: %v", parts, off, got)
			}
		}
	}
}

// Too much is an error, whichever of the amounts it is: the saving or the fees of a constant number
// of reservations, the fee or the use of an instance in an interval, the cost of one path alone.
func TestEachAmountTooLarge(t *testing.T) {
	for name, m := range map[string]market{
		"fee":   {price: 1, classes: []class{{rate: 1 << 62}}},
		"use":   {price: 1, classes: []class{{use: 1 << 62}}},
		"price": {price: 1 << 62},
		"sum":   {price: 1, classes: []class{{rate: 1 << 60, use: 1<<61 + 1<<60}}},
	} {
		c := Competitive{market: m}
		if err := c.price(&Problem{}, 3, 2); !errors.Is(err, ErrOverflow) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The mean over four paths fits in an amount of money, and the cost of the first path does not.
	p := &Problem{Slot: time.Hour, Paths: [][]int{{math.MaxInt32}, {0}, {0}, {0}}, Prices: pricing.List{OnDemand: 1 << 33}}
	if _, err := Cost(p, nil); err != nil {
		t.Error(err)
	}
	if _, err := new(Exact).Outlook(p, nil); !errors.Is(err, ErrOverflow) {
		t.Errorf("outlook: %v", err)
	}
}

// What rounding gives too much is taken from the smallest remainders, from the last first, and never
// from a weight of 0.
func TestShareTakesBack(t *testing.T) {
	for _, c := range []struct {
		parts int64
		of    []float64
		want  []int64
	}{
		{1, []float64{1, 1, 0}, []int64{1, 0, 0}}, {1, []float64{1, 0, 1}, []int64{1, 0, 0}}, {4, []float64{.5, .25, .25, .25}, []int64{2, 1, 1, 0}},
		{10, []float64{.35, .4, .5}, []int64{3, 3, 4}}, {2, []float64{1, 1, .9}, []int64{1, 1, 0}}, {3, []float64{.5, .5}, []int64{2, 1}},
	} {
		var l tally
		l.parts = c.parts
		got := make([]int64, len(c.of))
		l.share(len(c.of), func(i int) float64 { return c.of[i] }, got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v of %d parts: %v, want %v", c.of, c.parts, got, c.want)
		}
	}
}

// A holding of nothing, or one that is over, is none to the bound, however dear its use.
func TestBoundOfNoHolding(t *testing.T) {
	p := &Problem{Slot: time.Hour, Demand: digits("1234"), Prices: pricing.List{OnDemand: 5, Classes: []pricing.Class{
		{Name: "prepaid", Term: 3 * time.Hour, Upfront: 6},
		{Name: "light", Term: 3 * time.Hour, Upfront: 2, Hourly: 1, Billed: pricing.WhenUsed},
	}}}
	want, err := new(Competitive).Bound(p)
	if err != nil {
		t.Fatal(err)
	}
	p.Held = []pricing.Holding{{Class: 1, Count: 0, Until: 2}, {Class: 1, Count: 3, Until: 0}}
	if got, err := new(Competitive).Bound(p); err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// The texts of the options, and of values that have no name.
func TestTexts(t *testing.T) {
	for want, got := range map[string]fmt.Stringer{"full": Full, "pure": Pure, "Horizon(7)": Horizon(7)} {
		if got.String() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	for _, h := range []Horizon{Full, Pure} {
		var back Horizon
		if text, err := h.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != h {
			t.Errorf("%v comes back as %v, %v", h, back, err)
		}
	}
	h := Pure
	_, err1 := Horizon(7).MarshalText()
	for i, err := range []error{err1, h.UnmarshalText([]byte("half"))} {
		if !errors.Is(err, ErrRange) || h != Pure {
			t.Errorf("case %d: %v, %v", i, err, h)
		}
	}
}

// Each of the functions that take a problem says what is wrong with it, by field and index.
func TestMalformedEverywhere(t *testing.T) {
	calls := map[string]func(p *Problem, buys []pricing.Purchase) error{
		"bound":  func(p *Problem, _ []pricing.Purchase) error { _, err := new(Competitive).Bound(p); return err },
		"exact":  func(p *Problem, _ []pricing.Purchase) error { _, err := new(Exact).AppendPlan(nil, p); return err },
		"solve":  func(p *Problem, _ []pricing.Purchase) error { _, err := new(Exact).Solve(p); return err },
		"verify": func(p *Problem, buys []pricing.Purchase) error { return Verify(p, &Plan{Purchases: buys}) },
		"cost":   func(p *Problem, buys []pricing.Purchase) error { _, err := Cost(p, buys); return err },
		"uses":   func(p *Problem, buys []pricing.Purchase) error { _, err := AppendUses(nil, p, buys); return err },
		"offer":  func(p *Problem, _ []pricing.Purchase) error { _, err := OfferOf(p, 0); return err },
		"hgr":    func(p *Problem, _ []pricing.Purchase) error { _, err := new(HGR).AppendPlan(nil, p); return err },
		"input":  func(p *Problem, _ []pricing.Purchase) error { return new(Input).Load(p) },
		"class":  func(p *Problem, _ []pricing.Purchase) error { return new(Input).LoadClass(p, 0) },
	}
	for _, c := range []struct {
		field  string
		index  int
		err    error
		who    string // all if empty
		change func(p *Problem, buys *[]pricing.Purchase)
	}{
		{"Slot", -1, ErrRange, "", func(p *Problem, _ *[]pricing.Purchase) { p.Slot = 0 }},
		{"Prices.OnDemand", -1, ErrRange, "", func(p *Problem, _ *[]pricing.Purchase) { p.Prices.OnDemand = 0 }},
		{"Demand", 2, ErrRange, "bound exact solve verify cost uses hgr input class", func(p *Problem, _ *[]pricing.Purchase) { p.Demand[2] = -1 }},
		{"Horizon", -1, ErrRange, "bound exact solve verify cost uses", func(p *Problem, _ *[]pricing.Purchase) { p.Horizon = 7 }},
		{"Weights", -1, ErrRange, "exact solve verify cost", func(p *Problem, _ *[]pricing.Purchase) { p.Weights = []float64{1} }},
		{"Weights", -1, ErrRange, "exact solve verify cost", func(p *Problem, _ *[]pricing.Purchase) {
			p.Demand, p.Weights, p.Chances = nil, []float64{1}, [][]Chance{{{Demand: 1, Probability: 1}}}
		}},
		{"Purchases", 1, ErrForged, "verify cost uses", func(_ *Problem, buys *[]pricing.Purchase) { (*buys)[1].Slot = 4 }},
		{"Purchases", 0, ErrForged, "verify cost uses", func(_ *Problem, buys *[]pricing.Purchase) { (*buys)[0].Count = 0 }},
	} {
		for name, call := range calls {
			if c.who != "" && !slices.Contains(strings.Fields(c.who), name) {
				continue
			}
			p := twoHours()
			buys := []pricing.Purchase{{Slot: 0, Count: 1}, {Slot: 2, Count: 1}}
			c.change(p, &buys)
			var in *InputError
			if err := call(p, buys); !errors.Is(err, c.err) || !errors.As(err, &in) || in.Field != c.field || in.Index != c.index {
				t.Errorf("%s: %v, want %s[%d]", name, err, c.field, c.index)
			}
		}
	}
	p := twoHours()
	p.AtMost = []int{1}
	for _, a := range []Planner{&HGR{}} {
		var in *InputError
		if _, err := a.AppendPlan(nil, p); !errors.Is(err, ErrUnsupported) || !errors.As(err, &in) || in.Field != "AtMost" || in.Index != 0 {
			t.Errorf("%T: %v", a, err)
		}
	}
}

// Two reservations of two hours serve one instance: half of their hours are used.
func TestUtilisationOfSeveral(t *testing.T) {
	uses, err := AppendUses(nil, twoHours(), []pricing.Purchase{{Slot: 0, Count: 2}, {Slot: 3, Count: 2}})
	if err != nil || len(uses) != 2 || uses[0].Utilisation != .5 || uses[1].Utilisation != .5 {
		t.Errorf("%+v, %v", uses, err)
	}
}

// A class whose fee no use can earn is never bought: it changes neither plan nor bound, however
// large the fee, nor makes amounts too large.
func TestNeverBought(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		if rapid.IntRange(0, 2).Draw(t, "known") == 0 {
			uncertain(t, p)
		}
		e := Exact{direct: rapid.Bool().Draw(t, "direct")}
		want, err := e.Solve(p)
		if err != nil {
			return
		}
		q := *p
		use := pricing.Money(0) // no use price of its own, which would be a level of the certificate
		if len(p.Prices.Classes) > 0 {
			use = p.Prices.Classes[0].UsePrice()
		} else {
			return
		}
		q.Prices.Classes = append(slices.Clone(p.Prices.Classes), pricing.Class{Name: "dear", Term: p.Slot * time.Duration(rapid.IntRange(1, 4).Draw(t, "dear term")),
			Upfront: pricing.Money(1) << rapid.IntRange(37, 52).Draw(t, "dear fee"), Hourly: use, Billed: pricing.WhenUsed})
		if p.AtMost != nil {
			q.AtMost = append(slices.Clone(p.AtMost), NoCap)
		}
		dear := Exact{direct: e.direct}
		got, err := dear.Solve(&q)
		if err != nil || Verify(&q, &got) != nil {
			t.Fatalf("%+v: %v, %v", q, err, Verify(&q, &got))
		}
		if len(usedPrices(p)) < 2 && (got.Cost != want.Cost || got.Bound != want.Bound) || got.Cost.Float64() > want.Cost.Float64()*1.01 || got.Bound.Float64() < want.Bound.Float64()*.99 {
			t.Fatalf("%+v: cost %v, bound %v; without the class %v, %v", q, got.Cost, got.Bound, want.Cost, want.Bound)
		}
	})
}
