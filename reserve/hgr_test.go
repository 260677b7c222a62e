package reserve

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"pgregory.net/rapid"
)

// A kind says which problems to draw.
type kind struct {
	slots, peak, classes int  // at most
	terms                int  // of at most so many slots
	every, closed, held  bool // purchases at some slots only; inventory
	caps, pure           bool
	prepaid              bool // classes without a use price
}

// problems draws problems of a kind, with whole prices in nanos and slots of an
// hour, so that ties are common.
func problems(k kind) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		p := &Problem{Slot: time.Hour}
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
			p.Horizon = Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
		}
		return p
	})
}

// large has what the pseudo-code can follow.
var large = kind{slots: 24, peak: 9, classes: 4, terms: 9, every: true, closed: true, held: true, pure: true}

// mustPlan returns a plan, or ok = false if the problem is not for the planner.
// It checks the form.
func mustPlan(t interface {
	Helper()
	Fatalf(string, ...any)
}, a Planner, p *Problem) (plan []pricing.Purchase, ok bool) {
	t.Helper()
	mark := pricing.Purchase{Slot: 7, Class: 7, Count: 7}
	plan, err := a.AppendPlan([]pricing.Purchase{mark}, p)
	if len(plan) == 0 || plan[0] != mark {
		t.Fatalf("%T: what was in dst is gone: %v", a, plan)
	}
	plan = plan[1:]
	if err != nil {
		var input *InputError
		if !errors.As(err, &input) || !errors.Is(err, ErrUnsupported) || len(plan) > 0 {
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

// An only is a problem with one class, as these read it.
type only struct {
	k         int
	d         []int
	tau, n    int
	fee, gain *big.Rat
	rate      *big.Rat
	pure      bool
	every     int
}

func onlyClass(p *Problem, k int) only {
	tf := tariffOf(p)
	o := only{k: k, d: slices.Clone(p.Demand), tau: tf.term[k], n: len(p.Demand), every: max(1, p.Every)}
	for t := range o.d {
		for _, h := range p.Held {
			if t < h.Until {
				o.d[t] = max(0, o.d[t]-h.Count)
			}
		}
	}
	o.fee, o.rate, o.pure = tf.fee[k], tf.rate[k], p.Horizon == Pure
	o.gain = new(big.Rat).Sub(tf.price, tf.use[k])
	return o
}

func (o *only) feeAt(t int) *big.Rat {
	if left := o.n - t; o.pure && left < o.tau {
		return new(big.Rat).Mul(o.rate, big.NewRat(int64(left), 1))
	}
	return o.fee
}

// worth returns busy·p - F for a reservation at slot t.
func (o *only) worth(busy, t int) *big.Rat {
	x := new(big.Rat).Mul(o.gain, big.NewRat(int64(busy), 1))
	return x.Sub(x, o.feeAt(t))
}

func (o *only) plan(r []int) (plan []pricing.Purchase) {
	for t, count := range r {
		if count > 0 {
			plan = append(plan, pricing.Purchase{Slot: t, Class: o.k, Count: count})
		}
	}
	return plan
}

// naiveHGR is [Liu21] Alg. 1 read as while, with windows at the open slots only
// and the saving as the priority where fees differ.
func naiveHGR(p *Problem, class int) []pricing.Purchase {
	o := onlyClass(p, class)
	r := make([]int, o.n)
	if o.gain.Sign() <= 0 {
		return nil
	}
	for {
		at, best, sigma := -1, new(big.Rat), 0
		for t := range o.n {
			if !mayBuy(p, t) {
				continue
			}
			busy, least := 0, 0
			for j := t; j < min(o.n, t+o.tau); j++ {
				if o.d[j] > 0 {
					busy++
					if least == 0 || o.d[j] < least {
						least = o.d[j]
					}
				}
			}
			if w := o.worth(busy, t); busy > 0 && w.Sign() >= 0 && (at < 0 || w.Cmp(best) > 0) {
				at, best, sigma = t, w, least
			}
		}
		if at < 0 {
			return o.plan(r)
		}
		for j := at; j < min(o.n, at+o.tau); j++ {
			o.d[j] = max(0, o.d[j]-sigma)
		}
		r[at] += sigma
	}
}

// printedHGR is [Liu21] Alg. 1 as it stands, line by line, but for repeat read as
// while and t* over [1, T-τ+1]: purchases at any slot, the full horizon.
func printedHGR(p *Problem, class int) []pricing.Purchase {
	o := onlyClass(p, class)
	r := make([]int, o.n)
	if o.gain.Sign() <= 0 {
		return nil
	}
	nu := func(t, end int) (busy, least int) {
		for j := t; j < end; j++ {
			if o.d[j] > 0 {
				busy++
				if least == 0 || o.d[j] < least {
					least = o.d[j]
				}
			}
		}
		return busy, least
	}
	enough := func(busy int) bool { return busy > 0 && o.worth(busy, 0).Sign() >= 0 }
	if o.n <= o.tau { // line 1
		for {
			busy, sigma := nu(0, o.n)
			if !enough(busy) {
				return o.plan(r)
			}
			for t := range o.n { // line 4
				o.d[t] = max(0, o.d[t]-sigma)
			}
			r[0] += sigma // line 5
		}
	}
	for { // line 8
		star, most, sigma := 0, -1, 0
		for t := 0; t <= o.n-o.tau; t++ { // line 9
			if busy, least := nu(t, t+o.tau); busy > most {
				star, most, sigma = t, busy, least // line 10
			}
		}
		if !enough(most) {
			return o.plan(r)
		}
		for t := star; t < star+o.tau; t++ { // line 11
			o.d[t] = max(0, o.d[t]-sigma)
		}
		r[star] += sigma // line 12
	}
}

// naiveBound is Eq. (5), instance by instance, in intervals of the given length,
// of which the last is counted whole unless the horizon is Pure.
func naiveBound(p *Problem, length int) *big.Rat {
	tf := tariffOf(p)
	n := len(p.Demand)
	sum := new(big.Rat)
	for t := 0; t < n; t += length {
		slots := length
		if p.Horizon == Pure {
			slots = min(length, n-t)
		}
		for j := 1; ; j++ {
			used := 0
			for i := t; i < min(n, t+length); i++ {
				if p.Demand[i] >= j {
					used++
				}
			}
			if used == 0 {
				break
			}
			u := big.NewRat(int64(used), 1)
			least := new(big.Rat).Mul(tf.price, u)
			for k := range tf.term {
				c := new(big.Rat).Mul(tf.rate[k], big.NewRat(int64(slots), 1))
				if c.Add(c, new(big.Rat).Mul(tf.use[k], u)); c.Cmp(least) < 0 {
					least = c
				}
			}
			sum.Add(sum, least)
		}
	}
	return sum
}

// The bound is Eq. (5), rounded down.
func TestBoundNaive(t *testing.T) {
	var c Competitive
	rapid.Check(t, func(t *rapid.T) {
		k := large
		k.held = false
		p := problems(k).Draw(t, "problem")
		want := naiveBound(p, commonLength(p))
		floor := new(big.Int).Quo(want.Num(), want.Denom())
		got, err := c.Bound(p)
		if err != nil || int64(got) != floor.Int64() {
			t.Fatalf("%d, %v, want %v", got, err, want)
		}
	})
}

// commonLength is the largest number of slots that divides Every and all terms.
func commonLength(p *Problem) int {
	for length := max(1, p.Every); ; length-- {
		ok := max(1, p.Every)%length == 0
		for _, c := range p.Prices.Classes {
			ok = ok && int(c.Term/p.Slot)%length == 0
		}
		if ok {
			return length
		}
	}
}

// The bound with a last interval that is not whole: Full counts all of it, since
// a reservation pays for it; Pure its part.
func TestBoundLastInterval(t *testing.T) {
	p := &Problem{Demand: digits("111111"), Slot: time.Hour, Prices: prepaid(1, 4, 8), Every: 4}
	// Four slots at the share 2; then two slots, on demand 2 against 2 or 1.
	for horizon, want := range map[Horizon]pricing.Money{Full: 4 * pricing.Unit, Pure: 3 * pricing.Unit} {
		p.Horizon = horizon
		if got, err := new(Competitive).Bound(p); err != nil || got != want {
			t.Errorf("horizon %d: %v, %v, want %v", horizon, got, err, want)
		}
	}
	// No instance of the last interval is cheaper with the class: both horizons give what is on demand.
	for _, horizon := range []Horizon{Full, Pure} {
		p := &Problem{Demand: digits("111"), Slot: time.Hour, Prices: prepaid(1, 100, 2), Every: 2, Horizon: horizon}
		if got, err := new(Competitive).Bound(p); err != nil || got != 3*pricing.Unit {
			t.Errorf("horizon %d: %v, %v, want 3", horizon, got, err)
		}
	}
	// Rounded down: 1 nano for 3 slots, in each of 4.
	p = &Problem{Demand: digits("1111"), Slot: time.Hour, Prices: pricing.List{OnDemand: 1, Classes: []pricing.Class{
		{Name: "a", Term: 3 * time.Hour, Upfront: 1},
	}}}
	if got, err := new(Competitive).Bound(p); err != nil || got != 1 {
		t.Errorf("%d, %v, want 1, the floor of 4/3", got, err)
	}
	// Inventory is taken off, and its use counted: 2 slots at 1, 2 at 2 + 1.
	p = &Problem{Demand: digits("1111"), Slot: time.Hour, Held: []pricing.Holding{{Count: 1, Until: 2}}, Prices: pricing.List{OnDemand: 9, Classes: []pricing.Class{
		{Name: "a", Term: 3 * time.Hour, Upfront: 6, Hourly: 1, Billed: pricing.WhenUsed},
	}}}
	if got, err := new(Competitive).Bound(p); err != nil || got != 8 {
		t.Errorf("%d, %v, want 8", got, err)
	}
}

// Plans of HGR by hand. F/p is the least number of busy slots that is worth a fee.
func TestHGRPlans(t *testing.T) {
	type buys = []pricing.Purchase
	for _, c := range []struct {
		name    string
		planner Planner
		p       Problem
		want    buys
	}{
		// Windows of 3, F/p = 2. The one from 2 is all busy, with 1 at least; what
		// is left is 1 in slot 3 and 2 in slot 4, and it is the first with both.
		// Then slot 4 is alone.
		{"hgr", &HGR{}, Problem{Demand: digits("0012300"), Prices: prepaid(1, 2, 3)}, buys{{Slot: 2, Count: 2}}},
		// No demand: "repeat ... until" would buy.
		{"hgr, no demand", &HGR{}, Problem{Demand: digits("00000"), Prices: prepaid(1, 2, 3)}, nil},
		{"hgr, free", &HGR{}, Problem{Demand: digits("01000"), Prices: prepaid(1, 0, 3)}, buys{{Slot: 0, Count: 1}}},
		// T < τ: one window, levels with two busy slots or more.
		{"hgr, short", &HGR{}, Problem{Demand: digits("3120"), Prices: prepaid(1, 2, 9)}, buys{{Slot: 0, Count: 2}}},
		// The window from 4 reaches the horizon; it saves as much as the one from 3,
		// but 3 is not open.
		{"hgr, every 2", &HGR{}, Problem{Demand: digits("000011"), Prices: prepaid(1, 2, 3), Every: 2}, buys{{Slot: 4, Count: 1}}},
		{"hgr, once", &HGR{}, Problem{Demand: digits("0111111"), Prices: prepaid(1, 2, 3), Every: math.MaxInt}, buys{{Slot: 0, Count: 1}}},
		{"hgr, closed", &HGR{}, Problem{Demand: digits("1111"), Prices: prepaid(1, 2, 4), Closed: []bool{true, false, false, false}}, buys{{Slot: 1, Count: 1}}},
		{"no slots", &HGR{}, Problem{Prices: prepaid(1, 2, 3)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Slot = time.Hour
			if got, ok := mustPlan(t, c.planner, &c.p); !ok || !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// HGR buys what the paper's pseudo-code buys, new or used before.
func TestHGRNaive(t *testing.T) {
	var used HGR
	rapid.Check(t, func(t *rapid.T) {
		p := problems(large).Draw(t, "problem")
		k := rapid.IntRange(0, len(p.Prices.Classes)-1).Draw(t, "class")
		used.Class = k
		for _, a := range []Planner{&used, &HGR{Class: k}} {
			if plan, ok := mustPlan(t, a, p); ok {
				if want := naiveHGR(p, k); !slices.Equal(plan, want) {
					t.Fatalf("%v, want %v", plan, want)
				}
				if p.Every <= 1 && p.Closed == nil && p.Horizon == Full && !slices.Equal(plan, printedHGR(p, k)) {
					t.Fatalf("%v, as printed %v", plan, printedHGR(p, k))
				}
			}
		}
	})
}
