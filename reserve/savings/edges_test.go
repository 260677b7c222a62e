package savings

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// smallMixed is one type for four hours: 0.1 on demand, 0.08 from the plan, and a reservation of
// two hours for 0.15.
func smallMixed() *Problem {
	return &Problem{
		Slot: time.Hour, Term: 2 * time.Hour, Unit: pricing.Milli,
		Types:   []Type{{Name: "a", Demand: []int{1, 1, 1, 1}, OnDemand: 100 * pricing.Milli, Plan: 80 * pricing.Milli}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: 2 * time.Hour, Upfront: 150 * pricing.Milli}}},
	}
}

// At its limit a value is planned with, and one beyond the limit is refused by the name of its
// field.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, field string
		is          error
		set         func(p *Problem, beyond int)
	}{
		{"slot", "Slot", ErrRange, func(p *Problem, beyond int) {
			p.Slot, p.Term, p.Classes[0].Class.Term = time.Duration(1-beyond), 1, 1
		}},
		{"unit", "Unit", ErrRange, func(p *Problem, beyond int) { p.Unit = -pricing.Money(beyond) }},
		{"shortest term", "Term", ErrTerm, func(p *Problem, beyond int) { p.Term = p.Slot - time.Duration(beyond) }},
		{"whole term", "Term", ErrTerm, func(p *Problem, beyond int) { p.Term += time.Duration(beyond) }},
		{"longest term", "Term", ErrRange, func(p *Problem, beyond int) {
			p.Slot, p.Classes[0].Class.Term = time.Second, 2*time.Second
			p.Term = time.Duration(math.MaxInt32-4+int64(beyond)) * time.Second
		}},
		{"every", "Every", ErrRange, func(p *Problem, beyond int) { p.Every = -beyond }},
		{"horizon", "Horizon", ErrRange, func(p *Problem, beyond int) { p.Horizon = reserve.Pure + reserve.Horizon(beyond) }},
		{"closed", "Closed", ErrRange, func(p *Problem, beyond int) { p.Closed = make([]bool, 4+beyond) }},
		{"on demand", "Types[0].OnDemand", ErrRange, func(p *Problem, beyond int) { p.Types[0].OnDemand = pricing.Money(1 - beyond) }},
		{"plan", "Types[0].Plan", ErrRange, func(p *Problem, beyond int) { p.Types[0].Plan = pricing.Money(-beyond) }},
		{"least demand", "Types[0].Demand", ErrRange, func(p *Problem, beyond int) { p.Types[0].Demand[3] = -beyond }},
		{"most demand", "Types[0].Demand", ErrRange, func(p *Problem, beyond int) {
			p.Types[0].Demand[3], p.Types[0].Plan = math.MaxInt32+beyond, pricing.Milli
		}},
		{"most usage", "Types[0].Demand", ErrOverflow, func(p *Problem, beyond int) {
			p.Types[0].Demand[3], p.Types[0].Plan = (math.MaxInt32+1)/2-1+beyond, 2*pricing.Milli
		}},
		{"units held", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: -beyond, Until: 2}} }},
		{"most units held", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: math.MaxInt32 + beyond, Until: 2}} }},
		{"most units held in all", "Held", ErrOverflow, func(p *Problem, beyond int) {
			p.Held = []pricing.Holding{{Count: math.MaxInt32 - 1, Until: 2}, {Count: 1 + beyond, Until: 3}}
		}},
		{"held until", "Held[0]", ErrRange, func(p *Problem, beyond int) { p.Held = []pricing.Holding{{Count: 1, Until: -beyond}} }},
		{"type of a class", "Classes[0].Type", ErrRange, func(p *Problem, beyond int) { p.Classes[0].Type = beyond }},
		{"first type of a class", "Classes[0].Type", ErrRange, func(p *Problem, beyond int) { p.Classes[0].Type = -beyond }},
		{"upfront", "Classes[0].Class", ErrRange, func(p *Problem, beyond int) { p.Classes[0].Class.Upfront = -pricing.Money(beyond) }},
		{"hourly", "Classes[0].Class", ErrRange, func(p *Problem, beyond int) { p.Classes[0].Class.Hourly = -pricing.Money(beyond) }},
		{"use price", "Classes[0].Class", ErrUnsupported, func(p *Problem, beyond int) {
			p.Classes[0].Class.Billed, p.Classes[0].Class.Hourly = pricing.WhenUsed, pricing.Money(beyond)
		}},
		{"shortest class", "Classes[0].Class", ErrTerm, func(p *Problem, beyond int) { p.Classes[0].Class.Term = p.Slot - time.Duration(beyond) }},
		{"whole class", "Classes[0].Class", ErrTerm, func(p *Problem, beyond int) { p.Classes[0].Class.Term += time.Duration(beyond) }},
		{"longest class", "Classes[0].Class", ErrRange, func(p *Problem, beyond int) {
			p.Slot, p.Term = time.Second, 2*time.Second
			p.Classes[0].Class.Term = time.Duration(math.MaxInt32-4+int64(beyond)) * time.Second
		}},
		{"held class", "HeldReservations[0]", ErrRange, func(p *Problem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Class: beyond, Count: 1, Until: 2}}
		}},
		{"first held class", "HeldReservations[0]", ErrRange, func(p *Problem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Class: -beyond, Count: 1, Until: 2}}
		}},
		{"reservations held", "HeldReservations[0]", ErrRange, func(p *Problem, beyond int) { p.HeldReservations = []pricing.Holding{{Count: -beyond, Until: 2}} }},
		{"most reservations held", "HeldReservations[0]", ErrRange, func(p *Problem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Count: math.MaxInt32 + beyond, Until: 2}}
		}},
		{"reservations held until", "HeldReservations[0]", ErrRange, func(p *Problem, beyond int) { p.HeldReservations = []pricing.Holding{{Count: 1, Until: -beyond}} }},
	} {
		var m Solver
		p := smallMixed()
		c.set(p, 0)
		plan, err := m.Solve(p)
		if err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
			continue
		}
		if err := Verify(p, &plan); err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
		}
		p = smallMixed()
		c.set(p, 1)
		_, err = m.Solve(p)
		if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "savings: "+c.field+": ") {
			t.Errorf("%s: beyond the limit: %v, want %v of %s", c.name, err, c.is, c.field)
		}
		if Verify(p, &plan) == nil {
			t.Errorf("%s: Verify takes what is beyond the limit", c.name)
		}
	}
}

// proved returns by the definition in Verify what a certificate proves, in nanos, and whether the
// certificate is one.
func proved(p *Problem, c *Certificate) (bound *big.Rat, ok bool) {
	n, unit := len(p.Types[0].Demand), int64(p.unitOf())
	parts := new(big.Rat).SetInt(bigOf(c.Parts))
	bound, ok = new(big.Rat), true
	values := make([]*big.Rat, n) // of a unit, in nanos an hour
	for t := range n {
		values[t] = new(big.Rat).SetInt(bigOf(c.Values[t]))
		values[t].Quo(values[t], parts).Mul(values[t], big.NewRat(unit, 1))
		held := 0
		for _, h := range p.Held {
			if t < h.Until {
				held += h.Count
			}
		}
		var least *big.Rat
		for units := held; units <= max(held, mostUnits(p))+1; units++ {
			cost := savingsSlot(p, func(i int) int { return p.Types[i].Demand[t] }, units)
			cost.Add(cost, new(big.Rat).Mul(values[t], big.NewRat(int64(units-held), 1)))
			if least == nil || cost.Cmp(least) < 0 {
				least = cost
			}
		}
		bound.Add(bound, least)
	}
	for s := range n {
		if s%max(1, p.Every) != 0 || p.Closed != nil && p.Closed[s] {
			continue
		}
		worth := new(big.Rat)
		for t := s; t < min(n, s+int(p.Term/p.Slot)); t++ {
			worth.Add(worth, values[t])
		}
		ok = ok && worth.Cmp(savingsFee(p, s)) <= 0
	}
	return bound.Mul(bound, big.NewRat(int64(p.Slot), int64(time.Hour))), ok
}

// However the values of a certificate are made up, Verify accepts the bound that they prove by
// the definition, and not a nano more; and no values that make a term worth more than it costs.
func TestVerifyProvesByDefinition(t *testing.T) {
	var s Solver
	seen := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := savingsProblems(5, 3, 3, false).Draw(t, "problem")
		plan := solved(t, &s, p)
		c := Certificate{Parts: plan.Certificate.Parts}
		if rapid.Bool().Draw(t, "by hand") {
			c.Parts = uint128{0, rapid.Uint64Range(1, 4).Draw(t, "parts")}
			for range plan.Certificate.Values {
				c.Values = append(c.Values, uint128{0, rapid.Uint64Range(0, 2*c.Parts[1]).Draw(t, "value")})
			}
		} else {
			c.Values = slices.Clone(plan.Certificate.Values)
			if v := &c.Values[rapid.IntRange(0, len(c.Values)-1).Draw(t, "place")]; rapid.Bool().Draw(t, "more") {
				v[1]++
			} else if v[1] > 0 {
				v[1]--
			}
		}
		bound, ok := proved(p, &c)
		forged := plan
		forged.Certificate, forged.Bound = c, toNano(bound)
		if err := Verify(p, &forged); (err == nil) != ok {
			t.Fatalf("%+v: values %v of %v: %v, a certificate %v of %v", p, c.Values, c.Parts, err, ok, forged.Bound)
		}
		forged.Bound++
		if err := Verify(p, &forged); !errors.Is(err, ErrForged) {
			t.Fatalf("a bound that is too high: %v", err)
		}
		seen[ok]++
	})
	if seen[true] < 50 || seen[false] < 50 {
		seeded.TooFew(t, "one-sided: %v", seen)
	}
}

// provedMixed is proved for reservations beside a savings plan, by the definition in joint.go.
func provedMixed(p *Problem, c *Certificate) (bound *big.Rat, ok bool) {
	n := len(p.Types[0].Demand)
	part := func(v int64, bits int) *big.Rat {
		x := new(big.Rat).SetInt64(v)
		if bits >= 0 {
			return x.Quo(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(bits))))
		}
		return x.Mul(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(-bits))))
	}
	bound, ok = new(big.Rat), true
	// most checks that over no term for sale the sum is more than the fee, in nanos an hour.
	most := func(term int, worth func(t int) *big.Rat, fee func(s int) *big.Rat) {
		for s := range n {
			if s%max(1, p.Every) != 0 || p.Closed != nil && p.Closed[s] {
				continue
			}
			sum := new(big.Rat)
			for t := s; t < min(n, s+term); t++ {
				sum.Add(sum, worth(t))
			}
			ok = ok && sum.Cmp(fee(s)) <= 0
		}
	}
	unit := big.NewRat(int64(p.unitOf()), 1)
	worth := func(t int) *big.Rat { return part(int64(c.Values[t][1]), worthBits) }
	most(int(p.Term/p.Slot), func(t int) *big.Rat { return new(big.Rat).Mul(worth(t), unit) }, func(s int) *big.Rat { return savingsFee(p, s) })
	for t := range n {
		for _, h := range p.Held {
			if t < h.Until {
				x := new(big.Rat).Mul(worth(t), unit)
				bound.Sub(bound, x.Mul(x, big.NewRat(int64(h.Count), 1)))
			}
		}
	}
	for i, y := range p.Types {
		price := func(t int) *big.Rat { return part(c.Prices[i*n+t], c.Shift) }
		for t, d := range y.Demand {
			x := price(t)
			ok = ok && x.Sign() >= 0 && x.Cmp(big.NewRat(int64(y.OnDemand), 1)) <= 0
			if y.Plan > 0 {
				ok = ok && x.Cmp(new(big.Rat).Mul(worth(t), big.NewRat(int64(y.Plan), 1))) <= 0
			}
			bound.Add(bound, x.Mul(x, big.NewRat(int64(d), 1)))
		}
		for k, class := range p.Classes {
			if class.Type == i && !class.Withdrawn {
				most(int(class.Class.Term/p.Slot), price, func(s int) *big.Rat {
					fee, _ := mixedReserved(p, []pricing.Purchase{{Slot: s, Class: k, Count: 1}})
					return fee.Mul(fee, big.NewRat(int64(time.Hour), int64(p.Slot)))
				})
			}
		}
	}
	return bound.Mul(bound, big.NewRat(int64(p.Slot), int64(time.Hour))), ok
}

// However worths and prices are made up, Verify accepts the bound that they prove by the
// definition, and not a nano more, and nothing that proves none.
func TestVerifyClassesProvesByDefinition(t *testing.T) {
	m := Solver{Work: -1}
	seen, lowered := map[bool]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(5, 2, 3).Draw(t, "problem")
		for i := range p.Classes {
			p.Classes[i].Withdrawn = rapid.IntRange(0, 4).Draw(t, "withdrawn") == 0
		}
		plan := solved(t, &m, p)
		if !p.reserves() {
			return
		}
		worths := make([]int64, len(plan.Certificate.Values))
		for i, v := range plan.Certificate.Values {
			worths[i] = int64(v[1])
		}
		c := Certificate{Parts: plan.Certificate.Parts, Prices: slices.Clone(plan.Certificate.Prices), Shift: plan.Certificate.Shift}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			list := c.Prices
			if rapid.Bool().Draw(t, "worth") {
				list = worths
			}
			v := &list[rapid.IntRange(0, len(list)-1).Draw(t, "place")]
			switch rapid.IntRange(0, 6).Draw(t, "change") {
			case 0, 1:
				*v++
			case 2:
				if *v--; &list[0] == &worths[0] {
					*v = max(0, *v)
				}
			case 3:
				*v = 0
			case 4: // as much as a slot may cost, or one more
				*v = 1<<worthBits + int64(rapid.IntRange(0, 1).Draw(t, "more"))
			default:
				*v -= *v / 4
			}
		}
		c.Values = valuesOf(worths)
		bound, ok := provedMixed(p, &c)
		forged := plan
		forged.Certificate, forged.Bound = c, 0
		if ok && bound.Sign() > 0 {
			forged.Bound = toNano(bound)
		} else if ok && len(p.Held) > 0 {
			lowered++
		}
		if err := Verify(p, &forged); (err == nil) != ok || err != nil && !errors.Is(err, ErrForged) {
			t.Fatalf("%+v: %+v: %v, a certificate %v of %v", p, c, err, ok, forged.Bound)
		}
		forged.Bound++
		if err := Verify(p, &forged); !errors.Is(err, ErrForged) {
			t.Fatalf("a bound that is too high: %v", err)
		}
		seen[ok]++
	})
	if seen[true] < 50 || seen[false] < 50 || lowered < 5 {
		seeded.TooFew(t, "one-sided: %v, %d prove nothing beside what is held", seen, lowered)
	}
}

// valuesOf returns worths as the values of a certificate in parts of 2⁻⁴⁰.
func valuesOf(worths []int64) (values []uint128) {
	for _, w := range worths {
		values = append(values, uint128{0, uint64(w)})
	}
	return values
}

// alone returns p without its classes.
func alone(p *Problem) *Problem {
	q := *p
	q.Classes, q.HeldReservations = nil, nil
	return &q
}

// By hand: each limit of a certificate is met exactly, and one part more is refused. The plan
// buys nothing, so that it costs 4·0.1.
func TestVerifyTight(t *testing.T) {
	const one, milli = int64(1) << worthBits, int64(pricing.Milli)
	for _, c := range []struct {
		name          string
		set           func(p *Problem)
		worth, prices []int64
		bound         int64 // thousandths
		more          func(c *Certificate)
		field         string
	}{
		{"worth of a term", nil, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *Certificate) { c.Values[1][1]++ }, "Certificate[0]"},
		{"worth of the last term", nil, []int64{one, one, 0, 2 * one}, []int64{75 * milli, 75 * milli, 0, 100 * milli}, 250,
			func(c *Certificate) { c.Values[3][1]++ }, "Certificate[2]"},
		{"price from the plan", nil, []int64{one, one, one, one}, []int64{80 * milli, 70 * milli, 80 * milli, 70 * milli}, 300,
			func(c *Certificate) { c.Prices[2]++ }, "Certificate.Prices[2]"},
		{"price of a reservation", nil, []int64{one, one, one, one}, []int64{80 * milli, 70 * milli, 80 * milli, 70 * milli}, 300,
			func(c *Certificate) { c.Prices[1]++ }, "Certificate.Prices[0]"},
		{"price on demand", nil, []int64{one * 3 / 2, one / 2, one * 3 / 2, one / 2}, []int64{100 * milli, 40 * milli, 100 * milli, 40 * milli}, 280,
			func(c *Certificate) { c.Prices[0]++ }, "Certificate.Prices[0]"},
		{"dates", func(p *Problem) { p.Every = 2 }, []int64{one / 2, one * 3 / 2, one * 3 / 2, one / 2}, []int64{40 * milli, 100 * milli, 100 * milli, 40 * milli}, 280,
			func(c *Certificate) { c.Values[3][1]++ }, "Certificate[2]"},
		{"closed dates", func(p *Problem) { p.Closed = []bool{false, true, false, true} }, []int64{one / 2, one * 3 / 2, one * 3 / 2, one / 2}, []int64{40 * milli, 100 * milli, 100 * milli, 40 * milli}, 280,
			func(c *Certificate) { c.Values[3][1]++ }, "Certificate[2]"},
		{"worth of part of a term", func(p *Problem) { p.Horizon = reserve.Pure }, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *Certificate) { c.Values[2][1], c.Values[3][1] = 0, uint64(one)+1; c.Prices[2] = 0 }, "Certificate[3]"},
		{"price of part of a term", func(p *Problem) { p.Horizon = reserve.Pure }, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *Certificate) { c.Prices[2], c.Prices[3] = 0, 75*milli+1 }, "Certificate.Prices[3]"},
		{"no price is negative", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0,
			func(c *Certificate) { c.Prices[2] = -1 }, "Certificate.Prices[2]"},
		{"greatest shift", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0, func(c *Certificate) { c.Shift = 65 }, "Certificate.Shift"},
		{"least shift", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0, func(c *Certificate) { c.Shift = -65 }, "Certificate.Shift"},
	} {
		p := smallMixed()
		if c.set != nil {
			c.set(p)
		}
		for _, shift := range []int{-64, -1, 0, 1, 5, 64} {
			plan := Plan{Unit: p.Unit, Cost: 400 * pricing.Milli, OnDemand: 400 * pricing.Milli, Bound: pricing.Money(c.bound) * pricing.Milli,
				Certificate: Certificate{Values: valuesOf(c.worth), Parts: uint128{0, 1 << worthBits}, Prices: slices.Clone(c.prices), Shift: shift}}
			if (shift == -64 || shift == 64) && slices.Max(c.prices) > 0 {
				continue // no prices of that unit
			}
			for i, v := range c.prices {
				if shift >= 0 {
					v <<= shift
				} else {
					v >>= -shift
				}
				plan.Certificate.Prices[i] = v
			}
			if err := Verify(p, &plan); err != nil {
				t.Errorf("%s, shift %d: %v", c.name, shift, err)
			}
			plan.Bound++
			if err := Verify(p, &plan); !errors.Is(err, ErrForged) || !strings.HasPrefix(err.Error(), "savings: Bound: ") {
				t.Errorf("%s, shift %d: a bound that is too high: %v", c.name, shift, err)
			}
			if plan.Bound--; shift != 0 {
				continue
			}
			c.more(&plan.Certificate)
			if err := Verify(p, &plan); !errors.Is(err, ErrForged) || !strings.HasPrefix(err.Error(), "savings: "+c.field+": ") {
				t.Errorf("%s: one more: %v, want %s", c.name, err, c.field)
			}
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

// wideProblems draws problems with amounts, spans and counts of every size that check takes.
func wideProblems(bits int) *rapid.Generator[*Problem] {
	return rapid.Custom(func(t *rapid.T) *Problem {
		n := rapid.IntRange(1, 4).Draw(t, "slots")
		p := &Problem{}
		round := 0 // all amounts are multiples of a power of two
		if rapid.Bool().Draw(t, "round") {
			round = rapid.IntRange(0, bits-min(bits, 24)).Draw(t, "factor")
		}
		money := func(name string) pricing.Money {
			return pricing.Money(max(1, anyBits(bits-round).Draw(t, name))) << round
		}
		p.Slot = time.Duration(max(1, anyBits(44).Draw(t, "slot")))
		term := func() time.Duration {
			most := min(int64(math.MaxInt32-n), math.MaxInt64/int64(p.Slot))
			return p.Slot * time.Duration(min(most, 1+anyBits(31).Draw(t, "term")))
		}
		p.Term = term()
		p.Unit = money("unit")
		p.Horizon = reserve.Horizon(rapid.IntRange(0, 1).Draw(t, "horizon"))
		for i := range rapid.IntRange(1, 3).Draw(t, "types") {
			y := Type{Name: names[i], Plan: money("plan")}
			y.OnDemand = money("on demand")
			if rapid.Bool().Draw(t, "near") && y.Plan < math.MaxInt64/3 {
				y.OnDemand = y.Plan + y.Plan/3 + 1
			}
			most := rapid.IntRange(0, 31).Draw(t, "most")
			y.Demand = rapid.SliceOfN(rapid.Map(anyBits(most), func(v int64) int { return int(v) }), n, n).Draw(t, "demand")
			p.Types = append(p.Types, y)
		}
		if rapid.Bool().Draw(t, "held?") {
			p.Held = []pricing.Holding{{Count: int(anyBits(31).Draw(t, "units")), Until: rapid.IntRange(0, n).Draw(t, "until")}}
		}
		for k := range rapid.IntRange(0, 2).Draw(t, "classes") {
			i := rapid.IntRange(0, len(p.Types)-1).Draw(t, "type")
			c := pricing.Class{Name: names[k], Term: term(), Hourly: money("hourly"), Upfront: money("upfront")}
			p.Classes = append(p.Classes, TypeClass{Type: i, Class: c})
		}
		return p
	})
}

// Whatever the sizes of amounts, spans and counts: a plan with right amounts and a certificate
// that holds, or an error that says what is too large.
func TestWide(t *testing.T) {
	var s Solver
	m := Solver{Work: 1e5}
	plans, mixed, bought, large, why := 0, 0, 0, 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := wideProblems(rapid.SampledFrom([]int{20, 40, 62}).Draw(t, "bits")).Draw(t, "problem")
		plan, err := s.Solve(alone(p))
		if err == nil {
			plans++
			if err := Verify(alone(p), &plan); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			if plan.Gap() > 1e-2 {
				t.Fatalf("%+v: cost %v, bound %v", p, plan.Cost, plan.Bound)
			}
			if len(plan.Commitments) > 0 {
				bought++
			}
		} else if large++; !errors.Is(err, ErrOverflow) {
			t.Fatal(err)
		} else {
			why[strings.Join(strings.Fields(err.Error())[:3], " ")]++
		}
		both, err := m.Solve(p)
		if err == nil {
			mixed++
			if err := Verify(p, &both); err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
		} else if !errors.Is(err, ErrOverflow) {
			t.Fatal(err)
		}
	})
	t.Logf("%d plans, %d of them with commitments, %d mixed, %d too large: %v", plans, bought, mixed, large, why)
	if bought < 20 || mixed < 50 || large < 20 {
		seeded.TooFew(t, "%d plans, %d of them with commitments, %d mixed, %d too large: too few to test anything", plans, bought, mixed, large)
	}
}

func toBig(a wide.Int) *big.Int { return bigOf(unsigned(a)) }

// any128 draws an integer of up to so many bits, all lengths alike.
func any128(bits int) *rapid.Generator[wide.Int] {
	return rapid.Custom(func(t *rapid.T) wide.Int {
		n := rapid.IntRange(0, bits).Draw(t, "bits")
		a := wide.Int{Hi: rapid.Int64Range(0, math.MaxInt64).Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")}
		return shifted(a, n-127)
	})
}

// The integers of 128 bits by those of math/big: products, quotients, shifts and the worths
// that certificates of both solvers share.
func TestIntsByDefinition(t *testing.T) {
	large, most, far := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a := any128(127).Draw(t, "a")
		x := toBig(a)
		f := rapid.Int64Range(0, math.MaxInt64>>rapid.IntRange(0, 62).Draw(t, "bits")).Draw(t, "factor")
		want := new(big.Int).Mul(x, big.NewInt(f))
		if got, ok := times(a, f); ok != (want.BitLen() < 128) || ok && toBig(got).Cmp(want) != 0 {
			t.Fatalf("%v times %d: %v, %v, want %v", x, f, toBig(got), ok, want)
		}
		q, rest := over(a, max(1, f))
		wantQ, wantRest := new(big.Int).QuoRem(x, big.NewInt(max(1, f)), new(big.Int))
		if toBig(q).Cmp(wantQ) != 0 || rest != wantRest.Int64() {
			t.Fatalf("%v over %d: %v, %d", x, f, toBig(q), rest)
		}
		if length(a) != x.BitLen() {
			t.Fatalf("%v has a length of %d", x, length(a))
		}
		by := rapid.IntRange(-127, 127-length(a)).Draw(t, "shift")
		if by > 0 {
			want.Lsh(x, uint(by))
		} else {
			want.Rsh(x, uint(-by))
		}
		if got := shifted(a, by); toBig(got).Cmp(want) != 0 {
			t.Fatalf("%v shifted by %d: %v, want %v", x, by, toBig(got), want)
		}

		b := any128(rapid.SampledFrom([]int{64, 110}).Draw(t, "parts")).Draw(t, "b")
		if b == (wide.Int{}) {
			b.Lo = 1
		}
		if rapid.IntRange(0, 3).Draw(t, "near") > 0 { // a share of about one
			a = shifted(b, rapid.IntRange(-3, 13).Draw(t, "about"))
			a.Lo |= rapid.Uint64().Draw(t, "odd")
		}
		want.Lsh(toBig(a), worthBits).Quo(want, toBig(b))
		if want.Cmp(big.NewInt(mostWorth)) >= 0 {
			want.SetInt64(mostWorth)
			most++
		} else if b.Hi != 0 {
			far++
		}
		if got := share(unsigned(a), unsigned(b)); got != want.Int64() {
			t.Fatalf("%v of %v: %d, want %v", toBig(a), toBig(b), got, want)
		}

		unit, units, worth := max(1, anyBits(62).Draw(t, "unit")), int(anyBits(31).Draw(t, "units")), min(mostWorth, anyBits(53).Draw(t, "worth"))
		if rapid.Bool().Draw(t, "great") {
			unit, units, worth = unit|1<<61, units|1<<30, max(worth, mostWorth/2)
		}
		shift := rapid.IntRange(-20, 30).Draw(t, "shift of prices")
		exact := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(unit), big.NewInt(int64(units))))
		exact.Mul(exact, big.NewRat(worth, 1<<worthBits))
		if shift >= 0 {
			exact.Mul(exact, big.NewRat(1<<shift, 1))
		} else {
			exact.Mul(exact, big.NewRat(1, 1<<-shift))
		}
		got, ok := heldWorth(unit, units, worth, shift)
		if !ok {
			large++
			if exact.Cmp(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 118))) < 0 {
				t.Fatalf("%d units of %d at %d, shift %d: said to be too large", units, unit, worth, shift)
			}
			return
		}
		above := new(big.Rat).Sub(new(big.Rat).SetInt(toBig(got)), exact)
		if above.Sign() < 0 || above.Cmp(big.NewRat(2, 1)) > 0 {
			t.Fatalf("%d units of %d at %d, shift %d: %v, which is %v above the worth", units, unit, worth, shift, toBig(got), above.FloatString(3))
		}
	})
	if _, ok := times(wide.Int{Hi: 1 << 62}, 2); ok {
		t.Error("2¹²⁷ is said to fit")
	}
	for _, c := range []struct{ a, b, want uint64 }{
		{1, 1, 1 << worthBits}, {1, 3, 366503875925}, {4096, 1, mostWorth}, {4095, 1, 4095 << worthBits}, {4096*7 + 6, 7, mostWorth}, {4096*7 - 1, 7, 4503442554280813},
	} {
		if got := share(uint128{0, c.a}, uint128{0, c.b}); got != int64(c.want) {
			t.Errorf("%d of %d: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := share(uint128{c.a, 0}, uint128{c.b, 0}); got != int64(c.want) {
			t.Errorf("%d of %d, times 2⁶⁴: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if most < 20 || far < 5 || large < 5 {
		seeded.TooFew(t, "%d shares at the most, %d of 128 bits, %d worths too large: too few to test anything", most, far, large)
	}
}

// By hand: what is held pays for half an instance, so that the linear program reserves the other half.
// The term of a commitment is so long that its price does not fit in 127 bits, which no bound may
// suffer from.
func TestSearchOfLongTerms(t *testing.T) {
	p := &Problem{
		Slot: time.Second, Term: 1 << 30 * time.Second, Unit: 1 << 58, Held: []pricing.Holding{{Count: 1, Until: 1}},
		Types:   []Type{{Name: "a", Demand: []int{1}, OnDemand: 1 << 60, Plan: 1 << 59}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: time.Second, Hourly: 5 << 57}}},
	}
	var m Solver
	plan := solved(t, &m, p)
	if want := toNano(big.NewRat(1<<59, 3600)); plan.Cost != want || len(plan.Reservations) != 0 {
		t.Errorf("%+v, want a cost of %v", plan, want)
	}
	if err := Verify(p, &plan); err != nil {
		t.Error(err)
	}
}

// A problem without slots has no values, whatever problem came before.
func TestNoSlotsAfterSlots(t *testing.T) {
	p := Problem{Slot: time.Hour, Types: []Type{{Name: "a", Demand: []int{3, 2}, OnDemand: 4, Plan: 2}}, Term: 2 * time.Hour, Unit: 1}
	var s Solver
	if _, err := s.Solve(&p); err != nil {
		t.Fatal(err)
	}
	p.Types[0].Demand = nil
	if plan, err := s.Solve(&p); err != nil || len(plan.Commitments) > 0 || len(plan.Certificate.Values) > 0 || plan.Cost != 0 {
		t.Errorf("%+v, %v", plan, err)
	} else if err := Verify(&p, &plan); err != nil {
		t.Error(err)
	}
}

// Blend gives next the weight 2/(round + 2), rounded down, for the greatest worths and rounds too.
func TestBlend(t *testing.T) {
	for _, w := range []int64{0, 1, 7, mostWorth, math.MaxInt64} {
		for _, next := range []int64{0, 1, 8, mostWorth - 1, math.MaxInt64} {
			for _, round := range []int64{0, 1, 2, 23, math.MaxInt32} {
				sum := new(big.Int).Mul(big.NewInt(round), big.NewInt(w))
				sum.Add(sum, new(big.Int).Mul(big.NewInt(2), big.NewInt(next)))
				got := []int64{w}
				Blend(got, []int64{next}, round)
				if want := sum.Quo(sum, big.NewInt(round+2)).Int64(); got[0] != want {
					t.Errorf("Blend(%d, %d, %d): %d, want %d", w, next, round, got[0], want)
				}
			}
		}
	}
	for _, round := range []int64{-1, math.MaxInt32 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("round %d: no panic", round)
				}
			}()
			Blend(nil, nil, round)
		}()
	}
}

// Up to the greatest amounts a plan is proved, and beyond there is an error: prices, demands, and both are
// doubled until nothing fits, for each kind of problem.
func TestEdgeOfMoney(t *testing.T) {
	kinds := map[string]func(p *Problem){
		"plan":    func(p *Problem) { p.Classes = nil },
		"classes": func(p *Problem) {},
		"held":    func(p *Problem) { p.Held = []pricing.Holding{{Count: 3, Until: 4}} },
		"offers": func(p *Problem) {
			o := Offer{Name: "c", Term: 4 * time.Hour}
			for _, y := range p.Types {
				o.Rates = append(o.Rates, y.Plan*9/10)
			}
			p.Others = []Offer{o}
		},
		"paths": func(p *Problem) {
			for i := range p.Types {
				y := &p.Types[i]
				y.Paths = [][]int{y.Demand, slices.Repeat([]int{y.Demand[0]}, len(y.Demand))}
				y.Demand = nil
			}
		},
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			solved, refused := 0, 0
			for bits := range 64 {
				for what := range 3 { // prices, demands, or half of each
					prices, demands := []int{bits, 0, bits / 2}[what], []int{0, bits, (bits + 1) / 2}[what]
					if demands > 27 || prices > 35 {
						continue
					}
					p := userMixed(6, 2, 10, 3)
					p.Unit <<= min(prices, 30)
					for i := range p.Types {
						y := &p.Types[i]
						y.OnDemand, y.Plan = y.OnDemand<<prices, y.Plan<<prices
						for t := range y.Demand {
							y.Demand[t] <<= demands
						}
					}
					for i := range p.Classes {
						p.Classes[i].Class.Hourly <<= prices
					}
					kind(p)
					s := Solver{Work: 1e6}
					plan, err := s.Solve(p)
					if err != nil {
						if !errors.Is(err, ErrOverflow) && !errors.Is(err, ErrRange) {
							t.Fatalf("prices by 2^%d, demands by 2^%d: %v", prices, demands, err)
						}
						refused++
						continue
					}
					if err := Verify(p, &plan); err != nil {
						t.Fatalf("prices by 2^%d, demands by 2^%d: %v", prices, demands, err)
					}
					solved++
				}
			}
			t.Logf("%d solved, %d refused", solved, refused)
			if solved < 10 || refused < 5 {
				t.Errorf("%d solved, %d refused", solved, refused)
			}
		})
	}
}
