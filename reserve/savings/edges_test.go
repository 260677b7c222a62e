package savings

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
	"github.com/plimsoll/plimsoll/reserve"
)

// smallMixed is one type for four hours: 0.1 on demand, 0.08 from the plan, and a reservation of
// two hours for 0.15.
func smallMixed() *MixedProblem {
	return &MixedProblem{
		Problem: Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: pricing.Milli,
			Types: []Type{{Name: "a", Demand: []int{1, 1, 1, 1}, OnDemand: 100 * pricing.Milli, Plan: 80 * pricing.Milli}}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: 2 * time.Hour, Upfront: 150 * pricing.Milli}}},
	}
}

// At its limit a value is planned with, and one beyond the limit is refused by the name of its
// field.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name, field string
		is          error
		set         func(p *MixedProblem, beyond int)
	}{
		{"slot", "Slot", ErrRange, func(p *MixedProblem, beyond int) {
			p.Slot, p.Term, p.Classes[0].Class.Term = time.Duration(1-beyond), 1, 1
		}},
		{"unit", "Unit", ErrRange, func(p *MixedProblem, beyond int) { p.Unit = -pricing.Money(beyond) }},
		{"shortest term", "Term", ErrTerm, func(p *MixedProblem, beyond int) { p.Term = p.Slot - time.Duration(beyond) }},
		{"whole term", "Term", ErrTerm, func(p *MixedProblem, beyond int) { p.Term += time.Duration(beyond) }},
		{"longest term", "Term", ErrRange, func(p *MixedProblem, beyond int) {
			p.Slot, p.Classes[0].Class.Term = time.Second, 2*time.Second
			p.Term = time.Duration(math.MaxInt32-4+int64(beyond)) * time.Second
		}},
		{"every", "Every", ErrRange, func(p *MixedProblem, beyond int) { p.Every = -beyond }},
		{"horizon", "Horizon", ErrRange, func(p *MixedProblem, beyond int) { p.Horizon = reserve.Pure + reserve.Horizon(beyond) }},
		{"closed", "Closed", ErrRange, func(p *MixedProblem, beyond int) { p.Closed = make([]bool, 4+beyond) }},
		{"on demand", "Types[0].OnDemand", ErrRange, func(p *MixedProblem, beyond int) { p.Types[0].OnDemand = pricing.Money(1 - beyond) }},
		{"plan", "Types[0].Plan", ErrRange, func(p *MixedProblem, beyond int) { p.Types[0].Plan = pricing.Money(1 - beyond) }},
		{"least demand", "Types[0].Demand", ErrRange, func(p *MixedProblem, beyond int) { p.Types[0].Demand[3] = -beyond }},
		{"most demand", "Types[0].Demand", ErrRange, func(p *MixedProblem, beyond int) {
			p.Types[0].Demand[3], p.Types[0].Plan = math.MaxInt32+beyond, pricing.Milli
		}},
		{"most usage", "Types[0].Demand", ErrOverflow, func(p *MixedProblem, beyond int) {
			p.Types[0].Demand[3], p.Types[0].Plan = (math.MaxInt32+1)/2-1+beyond, 2*pricing.Milli
		}},
		{"units held", "Held[0]", ErrRange, func(p *MixedProblem, beyond int) { p.Held = []Held{{-beyond, 2}} }},
		{"most units held", "Held[0]", ErrRange, func(p *MixedProblem, beyond int) { p.Held = []Held{{math.MaxInt32 + beyond, 2}} }},
		{"most units held in all", "Held", ErrOverflow, func(p *MixedProblem, beyond int) { p.Held = []Held{{math.MaxInt32 - 1, 2}, {1 + beyond, 3}} }},
		{"held until", "Held[0]", ErrRange, func(p *MixedProblem, beyond int) { p.Held = []Held{{1, -beyond}} }},
		{"type of a class", "Classes[0].Type", ErrRange, func(p *MixedProblem, beyond int) { p.Classes[0].Type = beyond }},
		{"first type of a class", "Classes[0].Type", ErrRange, func(p *MixedProblem, beyond int) { p.Classes[0].Type = -beyond }},
		{"upfront", "Classes[0].Class", ErrRange, func(p *MixedProblem, beyond int) { p.Classes[0].Class.Upfront = -pricing.Money(beyond) }},
		{"hourly", "Classes[0].Class", ErrRange, func(p *MixedProblem, beyond int) { p.Classes[0].Class.Hourly = -pricing.Money(beyond) }},
		{"use price", "Classes[0].Class", ErrUnsupported, func(p *MixedProblem, beyond int) {
			p.Classes[0].Class.Billed, p.Classes[0].Class.Hourly = pricing.WhenUsed, pricing.Money(beyond)
		}},
		{"shortest class", "Classes[0].Class", ErrTerm, func(p *MixedProblem, beyond int) { p.Classes[0].Class.Term = p.Slot - time.Duration(beyond) }},
		{"whole class", "Classes[0].Class", ErrTerm, func(p *MixedProblem, beyond int) { p.Classes[0].Class.Term += time.Duration(beyond) }},
		{"longest class", "Classes[0].Class", ErrRange, func(p *MixedProblem, beyond int) {
			p.Slot, p.Term = time.Second, 2*time.Second
			p.Classes[0].Class.Term = time.Duration(math.MaxInt32-4+int64(beyond)) * time.Second
		}},
		{"held class", "HeldReservations[0]", ErrRange, func(p *MixedProblem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Class: beyond, Count: 1, Until: 2}}
		}},
		{"first held class", "HeldReservations[0]", ErrRange, func(p *MixedProblem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Class: -beyond, Count: 1, Until: 2}}
		}},
		{"reservations held", "HeldReservations[0]", ErrRange, func(p *MixedProblem, beyond int) { p.HeldReservations = []pricing.Holding{{Count: -beyond, Until: 2}} }},
		{"most reservations held", "HeldReservations[0]", ErrRange, func(p *MixedProblem, beyond int) {
			p.HeldReservations = []pricing.Holding{{Count: math.MaxInt32 + beyond, Until: 2}}
		}},
		{"reservations held until", "HeldReservations[0]", ErrRange, func(p *MixedProblem, beyond int) { p.HeldReservations = []pricing.Holding{{Count: 1, Until: -beyond}} }},
	} {
		var m Mixed
		p := smallMixed()
		c.set(p, 0)
		plan, err := m.Solve(p)
		if err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
			continue
		}
		if err := VerifyMixed(p, &plan); err != nil {
			t.Errorf("%s: at the limit: %v", c.name, err)
		}
		p = smallMixed()
		c.set(p, 1)
		_, err = m.Solve(p)
		if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "savings: "+c.field+": ") {
			t.Errorf("%s: beyond the limit: %v, want %v of %s", c.name, err, c.is, c.field)
		}
		if VerifyMixed(p, &plan) == nil {
			t.Errorf("%s: VerifyMixed takes what is beyond the limit", c.name)
		}
	}
}

// proved returns by the definition in Verify what a certificate proves, in nanos, and whether the
// certificate is one.
func proved(p *Problem, c *Certificate) (bound *big.Rat, ok bool) {
	n, unit := len(p.Types[0].Demand), int64(p.unitOf())
	parts := new(big.Rat).SetInt(c.Parts.big())
	bound, ok = new(big.Rat), true
	values := make([]*big.Rat, n) // of a unit, in nanos an hour
	for t := range n {
		values[t] = new(big.Rat).SetInt(c.Values[t].big())
		values[t].Quo(values[t], parts).Mul(values[t], big.NewRat(unit, 1))
		held := 0
		for _, h := range p.Held {
			if t < h.Until {
				held += h.Units
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
		plan, err := s.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		c := Certificate{Parts: plan.Certificate.Parts}
		if rapid.Bool().Draw(t, "by hand") {
			c.Parts = Uint128{Lo: rapid.Uint64Range(1, 4).Draw(t, "parts")}
			for range plan.Certificate.Values {
				c.Values = append(c.Values, Uint128{Lo: rapid.Uint64Range(0, 2*c.Parts.Lo).Draw(t, "value")})
			}
		} else {
			c.Values = slices.Clone(plan.Certificate.Values)
			if v := &c.Values[rapid.IntRange(0, len(c.Values)-1).Draw(t, "place")]; rapid.Bool().Draw(t, "more") {
				v.Lo++
			} else if v.Lo > 0 {
				v.Lo--
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

// provedMixed is proved for reservations beside a savings plan, by the definition in mixed.go.
func provedMixed(p *MixedProblem, c *MixedCertificate) (bound *big.Rat, ok bool) {
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
	worth := func(t int) *big.Rat { return part(c.Worth[t], worthBits) }
	most(int(p.Term/p.Slot), func(t int) *big.Rat { return new(big.Rat).Mul(worth(t), unit) }, func(s int) *big.Rat { return savingsFee(&p.Problem, s) })
	for t := range n {
		ok = ok && c.Worth[t] >= 0
		for _, h := range p.Held {
			if t < h.Until {
				x := new(big.Rat).Mul(worth(t), unit)
				bound.Sub(bound, x.Mul(x, big.NewRat(int64(h.Units), 1)))
			}
		}
	}
	for i, y := range p.Types {
		price := func(t int) *big.Rat { return part(c.Prices[i*n+t], c.Shift) }
		for t, d := range y.Demand {
			x := price(t)
			ok = ok && x.Sign() >= 0 && x.Cmp(big.NewRat(int64(y.OnDemand), 1)) <= 0
			if y.Plan < y.OnDemand {
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

// However worths and prices are made up, VerifyMixed accepts the bound that they prove by the
// definition, and not a nano more, and nothing that proves none.
func TestVerifyMixedProvesByDefinition(t *testing.T) {
	m := Mixed{Rounds: 3, Work: -1}
	seen, lowered := map[bool]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(5, 2, 3).Draw(t, "problem")
		for i := range p.Classes {
			p.Classes[i].Withdrawn = rapid.IntRange(0, 4).Draw(t, "withdrawn") == 0
		}
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		c := MixedCertificate{Worth: slices.Clone(plan.Certificate.Worth), Prices: slices.Clone(plan.Certificate.Prices), Shift: plan.Certificate.Shift}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			list := c.Prices
			if rapid.Bool().Draw(t, "worth") {
				list = c.Worth
			}
			v := &list[rapid.IntRange(0, len(list)-1).Draw(t, "place")]
			switch rapid.IntRange(0, 6).Draw(t, "change") {
			case 0, 1:
				*v++
			case 2:
				*v--
			case 3:
				*v = 0
			case 4: // as much as a slot may cost, or one more
				*v = 1<<worthBits + int64(rapid.IntRange(0, 1).Draw(t, "more"))
			default:
				*v -= *v / 4
			}
		}
		bound, ok := provedMixed(p, &c)
		forged := plan
		forged.Certificate, forged.Bound = c, 0
		if ok && bound.Sign() > 0 {
			forged.Bound = toNano(bound)
		} else if ok && len(p.Held) > 0 {
			lowered++
		}
		if err := VerifyMixed(p, &forged); (err == nil) != ok || err != nil && !errors.Is(err, ErrForged) {
			t.Fatalf("%+v: %+v: %v, a certificate %v of %v", p, c, err, ok, forged.Bound)
		}
		forged.Bound++
		if err := VerifyMixed(p, &forged); !errors.Is(err, ErrForged) {
			t.Fatalf("a bound that is too high: %v", err)
		}
		seen[ok]++
	})
	if seen[true] < 50 || seen[false] < 50 || lowered < 5 {
		seeded.TooFew(t, "one-sided: %v, %d prove nothing beside what is held", seen, lowered)
	}
}

// By hand: each limit of a certificate is met exactly, and one part more is refused. The plan
// buys nothing, so that it costs 4·0.1.
func TestVerifyMixedTight(t *testing.T) {
	const one, milli = int64(1) << worthBits, int64(pricing.Milli)
	for _, c := range []struct {
		name          string
		set           func(p *MixedProblem)
		worth, prices []int64
		bound         int64 // thousandths
		more          func(c *MixedCertificate)
		field         string
	}{
		{"worth of a term", nil, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *MixedCertificate) { c.Worth[1]++ }, "Certificate[0]"},
		{"worth of the last term", nil, []int64{one, one, 0, 2 * one}, []int64{75 * milli, 75 * milli, 0, 100 * milli}, 250,
			func(c *MixedCertificate) { c.Worth[3]++ }, "Certificate[2]"},
		{"price from the plan", nil, []int64{one, one, one, one}, []int64{80 * milli, 70 * milli, 80 * milli, 70 * milli}, 300,
			func(c *MixedCertificate) { c.Prices[2]++ }, "Certificate.Prices[2]"},
		{"price of a reservation", nil, []int64{one, one, one, one}, []int64{80 * milli, 70 * milli, 80 * milli, 70 * milli}, 300,
			func(c *MixedCertificate) { c.Prices[1]++ }, "Certificate.Prices[0]"},
		{"price on demand", nil, []int64{one * 3 / 2, one / 2, one * 3 / 2, one / 2}, []int64{100 * milli, 40 * milli, 100 * milli, 40 * milli}, 280,
			func(c *MixedCertificate) { c.Prices[0]++ }, "Certificate.Prices[0]"},
		{"dates", func(p *MixedProblem) { p.Every = 2 }, []int64{one / 2, one * 3 / 2, one * 3 / 2, one / 2}, []int64{40 * milli, 100 * milli, 100 * milli, 40 * milli}, 280,
			func(c *MixedCertificate) { c.Worth[3]++ }, "Certificate[2]"},
		{"closed dates", func(p *MixedProblem) { p.Closed = []bool{false, true, false, true} }, []int64{one / 2, one * 3 / 2, one * 3 / 2, one / 2}, []int64{40 * milli, 100 * milli, 100 * milli, 40 * milli}, 280,
			func(c *MixedCertificate) { c.Worth[3]++ }, "Certificate[2]"},
		{"worth of part of a term", func(p *MixedProblem) { p.Horizon = reserve.Pure }, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *MixedCertificate) { c.Worth[2], c.Worth[3] = 0, one+1; c.Prices[2] = 0 }, "Certificate[3]"},
		{"price of part of a term", func(p *MixedProblem) { p.Horizon = reserve.Pure }, []int64{one, one, one, one}, []int64{75 * milli, 75 * milli, 75 * milli, 75 * milli}, 300,
			func(c *MixedCertificate) { c.Prices[2], c.Prices[3] = 0, 75*milli+1 }, "Certificate.Prices[3]"},
		{"withdrawn", func(p *MixedProblem) { p.Classes[0].Withdrawn = true }, []int64{one, one, one, one}, []int64{80 * milli, 80 * milli, 80 * milli, 80 * milli}, 320,
			func(c *MixedCertificate) { c.Prices[3]++ }, "Certificate.Prices[3]"},
		{"nothing is negative", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0,
			func(c *MixedCertificate) { c.Worth[2] = -1 }, "Certificate.Worth[2]"},
		{"no price is negative", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0,
			func(c *MixedCertificate) { c.Prices[2] = -1 }, "Certificate.Prices[2]"},
		{"greatest shift", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0, func(c *MixedCertificate) { c.Shift = 65 }, "Certificate.Shift"},
		{"least shift", nil, []int64{0, 0, 0, 0}, []int64{0, 0, 0, 0}, 0, func(c *MixedCertificate) { c.Shift = -65 }, "Certificate.Shift"},
	} {
		p := smallMixed()
		if c.set != nil {
			c.set(p)
		}
		for _, shift := range []int{-64, -1, 0, 1, 5, 64} {
			plan := MixedPlan{Unit: p.Unit, Cost: 400 * pricing.Milli, OnDemand: 400 * pricing.Milli, Bound: pricing.Money(c.bound) * pricing.Milli,
				Certificate: MixedCertificate{Worth: slices.Clone(c.worth), Prices: slices.Clone(c.prices), Shift: shift}}
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
			if err := VerifyMixed(p, &plan); err != nil {
				t.Errorf("%s, shift %d: %v", c.name, shift, err)
			}
			plan.Bound++
			if err := VerifyMixed(p, &plan); !errors.Is(err, ErrForged) || !strings.HasPrefix(err.Error(), "savings: Bound: ") {
				t.Errorf("%s, shift %d: a bound that is too high: %v", c.name, shift, err)
			}
			if plan.Bound--; shift != 0 {
				continue
			}
			c.more(&plan.Certificate)
			if err := VerifyMixed(p, &plan); !errors.Is(err, ErrForged) || !strings.HasPrefix(err.Error(), "savings: "+c.field+": ") {
				t.Errorf("%s: one more: %v, want %s", c.name, err, c.field)
			}
		}
	}
}

// Purchases that no plan can have are refused by their index, and the same are accepted where
// they keep to the rules.
func TestVerifyNamesThePurchase(t *testing.T) {
	type list = []pricing.Purchase
	for _, c := range []struct {
		name         string
		set          func(p *MixedProblem)
		reservations list
		commitments  []Commitment
		want         string
	}{
		{"the last slot", nil, list{{Slot: 3, Class: 0, Count: 1}}, []Commitment{{Slot: 3, Units: 1}}, ""},
		{"the first slot", nil, list{{Slot: 0, Class: 0, Count: 1}}, []Commitment{{Slot: 0, Units: 1}}, ""},
		{"beyond the last slot", nil, list{{Slot: 4, Class: 0, Count: 1}}, nil, "Reservations[0]: not a valid plan: 1 of class 0 at slot 4: want some, of a class below 2, at a slot below 4"},
		{"before the first slot", nil, list{{Slot: -1, Class: 0, Count: 1}}, nil, "Reservations[0]: not a valid plan: 1 of class 0 at slot -1: want some, of a class below 2, at a slot below 4"},
		{"beyond the last class", nil, list{{Slot: 0, Class: 0, Count: 1}, {Slot: 0, Class: 2, Count: 1}}, nil, "Reservations[1]: not a valid plan: 1 of class 2 at slot 0: want some, of a class below 2, at a slot below 4"},
		{"before the first class", nil, list{{Slot: 0, Class: -1, Count: 1}}, nil, "Reservations[0]: not a valid plan: 1 of class -1 at slot 0: want some, of a class below 2, at a slot below 4"},
		{"none", nil, list{{Slot: 0, Class: 0, Count: 0}}, nil, "Reservations[0]: not a valid plan: 0 of class 0 at slot 0: want some, of a class below 2, at a slot below 4"},
		{"sorted by slot and class", nil, list{{Slot: 0, Class: 1, Count: 1}, {Slot: 1, Class: 0, Count: 1}, {Slot: 1, Class: 1, Count: 2}}, nil, ""},
		{"not sorted by slot", nil, list{{Slot: 1, Class: 0, Count: 1}, {Slot: 0, Class: 1, Count: 1}}, nil, "Reservations[1]: not a valid plan: not sorted by slot and class"},
		{"not sorted by class", nil, list{{Slot: 1, Class: 1, Count: 1}, {Slot: 1, Class: 0, Count: 1}}, nil, "Reservations[1]: not a valid plan: not sorted by slot and class"},
		{"twice", nil, list{{Slot: 1, Class: 1, Count: 1}, {Slot: 1, Class: 1, Count: 1}}, nil, "Reservations[1]: not a valid plan: not sorted by slot and class"},
		{"no date", func(p *MixedProblem) { p.Every = 2 }, list{{Slot: 1, Class: 1, Count: 1}}, nil, "Reservations[0]: not a valid plan: slot 1 is not for sale"},
		{"closed", func(p *MixedProblem) { p.Closed = []bool{true, false, false, false} }, list{{Slot: 0, Class: 1, Count: 1}}, nil, "Reservations[0]: not a valid plan: slot 0 is not for sale"},
		{"withdrawn", func(p *MixedProblem) { p.Classes[1].Withdrawn = true }, list{{Slot: 1, Class: 1, Count: 1}}, nil, "Reservations[0]: not a valid plan: s is not for sale"},
		{"commitments", nil, nil, []Commitment{{Slot: 0, Units: 1, Hourly: pricing.Milli}, {Slot: 1, Units: 80}}, ""},
		{"a commitment beyond the last slot", nil, nil, []Commitment{{Slot: 4, Units: 1}}, "Commitments[0]: not a valid plan: 1 units at slot 4: want some, at a slot below 4"},
		{"a commitment before the first slot", nil, nil, []Commitment{{Slot: -1, Units: 1}}, "Commitments[0]: not a valid plan: 1 units at slot -1: want some, at a slot below 4"},
		{"no units", nil, nil, []Commitment{{Slot: 0, Units: 1}, {Slot: 1}}, "Commitments[1]: not a valid plan: 0 units at slot 1: want some, at a slot below 4"},
		{"a commitment at no date", func(p *MixedProblem) { p.Every = 3 }, nil, []Commitment{{Slot: 2, Units: 1}}, "Commitments[0]: not a valid plan: slot 2 is not for sale"},
		{"commitments twice", nil, nil, []Commitment{{Slot: 2, Units: 1}, {Slot: 2, Units: 1}}, "Commitments[1]: not a valid plan: slot 2 after slot 2: want them sorted"},
		{"commitments not sorted", nil, nil, []Commitment{{Slot: 2, Units: 1}, {Slot: 1, Units: 1}}, "Commitments[1]: not a valid plan: slot 1 after slot 2: want them sorted"},
		{"another amount", nil, nil, []Commitment{{Slot: 2, Units: 3, Hourly: 2 * pricing.Milli}}, "Commitments[0]: not a valid plan: 0.002 an hour: want 3 units of 0.001"},
	} {
		p := smallMixed()
		p.Classes = append(p.Classes, TypeClass{Class: pricing.Class{Name: "s", Term: time.Hour, Hourly: 90 * pricing.Milli}})
		if c.set != nil {
			c.set(p)
		}
		// The amounts of the plan by the definition.
		plan := MixedPlan{Unit: p.Unit, Reservations: c.reservations, Commitments: c.commitments, Certificate: MixedCertificate{Worth: make([]int64, 4), Prices: make([]int64, 4)}}
		if c.want == "" {
			fees, rest := mixedReserved(p, c.reservations)
			all := savingsCost(rest, c.commitments)
			committed := new(big.Rat)
			for _, x := range c.commitments {
				committed.Add(committed, new(big.Rat).Mul(savingsFee(&p.Problem, x.Slot), big.NewRat(int64(x.Units), 1)))
			}
			plan.Reserved, plan.Committed, plan.OnDemand = toNano(fees), toNano(committed), toNano(new(big.Rat).Sub(all, committed))
			plan.Cost = toNano(fees.Add(fees, all))
			for t := range 4 { // what is left of the commitments
				units := 0
				for _, x := range c.commitments {
					if x.Slot <= t && t < x.Slot+2 {
						units += x.Units
					}
				}
				plan.Unused += max(0, pricing.Money(units)*pricing.Milli-pricing.Money(rest.Types[0].Demand[t])*rest.Types[0].Plan)
			}
			if err := VerifyMixed(p, &plan); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err := VerifyMixed(p, &plan); !errors.Is(err, ErrForged) || err.Error() != "savings: "+c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
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
func wideProblems(bits int) *rapid.Generator[*MixedProblem] {
	return rapid.Custom(func(t *rapid.T) *MixedProblem {
		n := rapid.IntRange(1, 4).Draw(t, "slots")
		p := &MixedProblem{}
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
			p.Held = []Held{{int(anyBits(31).Draw(t, "units")), rapid.IntRange(0, n).Draw(t, "until")}}
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
	m := Mixed{Rounds: 3, Work: 1e5}
	plans, mixed, bought, large, why := 0, 0, 0, 0, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := wideProblems(rapid.SampledFrom([]int{20, 40, 62}).Draw(t, "bits")).Draw(t, "problem")
		plan, err := s.Solve(&p.Problem)
		if err == nil {
			plans++
			if err := Verify(&p.Problem, &plan); err != nil {
				t.Fatalf("%+v: %v", p.Problem, err)
			}
			if plan.Gap() > 1e-2 {
				t.Fatalf("%+v: cost %v, bound %v", p.Problem, plan.Cost, plan.Bound)
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
			if err := VerifyMixed(p, &both); err != nil {
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

func toBig(a wide.Int) *big.Int { return unsigned(a).big() }

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
		if got := unsigned(a).share(unsigned(b)); got != want.Int64() {
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
		if got := (Uint128{Lo: c.a}).share(Uint128{Lo: c.b}); got != int64(c.want) {
			t.Errorf("%d of %d: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := (Uint128{Hi: c.a}).share(Uint128{Hi: c.b}); got != int64(c.want) {
			t.Errorf("%d of %d, times 2⁶⁴: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if most < 20 || far < 5 || large < 5 {
		seeded.TooFew(t, "%d shares at the most, %d of 128 bits, %d worths too large: too few to test anything", most, far, large)
	}
}

// The first-order method of large problems comes to the bound of the linear program, which the
// simplex of small ones finds.
func TestRelaxMeetsTheSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 10)) // seed 22, 10
	simplex, first := Mixed{Work: 1}, Mixed{Rounds: 1, Work: -1}
	steps, problems := 0, 0
	for it := range 120 {
		n := 2 + r.IntN(7)
		p := randomMixed(r, n, 1+r.IntN(2), 1+r.IntN(2), 6, pricing.Milli*pricing.Money(1+r.IntN(50)))
		p.Horizon = reserve.Horizon(r.IntN(2))
		p.Every = r.IntN(3)
		for i := range p.Classes {
			p.Classes[i].Withdrawn = r.IntN(6) == 0
		}
		if it%2 == 0 {
			p.Held = []Held{{Units: r.IntN(30), Until: r.IntN(n + 1)}}
		}
		if it%3 == 0 {
			p.Closed = make([]bool, n)
			p.Closed[r.IntN(n)] = true
		}
		want, err := simplex.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if want.Optimal() {
			continue
		}
		got, err := first.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if first.game.steps > 8000 {
			t.Fatalf("%d steps", first.game.steps)
		}
		if got.Bound.Float64() < want.Bound.Float64()*(1-2e-4)-2e-9 {
			t.Fatalf("%+v: bound %v after %d steps, want %v", p, got.Bound, first.game.steps, want.Bound)
		}
		// From the worths of the first round, how many steps take it there.
		again := Mixed{Rounds: 1, Work: -1}
		if _, err := again.Solve(p); err != nil {
			t.Fatal(err)
		}
		again.bestWorth = append(again.bestWorth[:0], again.next...)
		if err := again.game.ready(&again, p, n); err != nil {
			t.Fatal(err)
		}
		for problems++; again.game.steps < 8000; steps += 10 {
			again.relax(p, n, again.game.steps+10)
			b, err := again.reserve(p, n)
			if err != nil {
				t.Fatal(err)
			}
			if math.Ldexp(float64(b.Hi), 64-again.shift)+math.Ldexp(float64(b.Lo), -again.shift) >= .99999*float64(want.Bound)/p.Slot.Hours() {
				break
			}
		}
	}
	// The refinements are there for speed: 100.8 steps with them.
	if mean := float64(steps) / float64(max(1, problems)); problems < 50 || mean > 108 {
		t.Errorf("%d problems, %.1f steps each", problems, mean)
	}
}

// The parts of the first-order method by their definitions: a projected step, reflected and drawn
// to the anchor, and distances weighed by the inverse of the step; and it begins at the best
// worths, prices and purchases so far.
func TestRelaxByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 11)) // seed 22, 11
	for i := range 200 {
		n, blocks := 1+r.IntN(5), 1+r.IntN(3)
		var v part
		norm := make([]float64, blocks)
		for b := range norm {
			norm[b] = 1 + 5*r.Float64()
		}
		v.reset(n*blocks, norm)
		for i := range v.x {
			v.x[i], v.anchor[i], v.before[i] = 3*r.Float64(), 3*r.Float64(), 3*r.Float64()
		}
		want := 0.0
		for i := range v.x {
			want += (v.x[i] - v.before[i]) * (v.x[i] - v.before[i]) * norm[i/n]
		}
		if got := v.moved(); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("moved %v, want %v", got, want)
		}
		b, length, w := r.IntN(blocks), 4*r.Float64()-2, r.Float64()
		slope, most, at := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range slope {
			slope[i], most[i] = 4*r.Float64()-2, 4*r.Float64()
		}
		if r.IntN(2) == 0 {
			most = nil
		}
		old := slices.Clone(v.x)
		got, moved := v.step(b, slope, most, length, w, at), 0.0
		for i := range v.x {
			x := old[i]
			if i/n == b {
				to := max(0, x+slope[i%n]*length/norm[b])
				if most != nil {
					to = min(to, most[i%n])
				}
				moved += (to - x) * (to - x) * norm[b]
				if reflected := 2*to - x; math.Abs(at[i%n]-reflected) > 1e-12 {
					t.Fatalf("reflected to %v, want %v", at[i%n], reflected)
				}
				x = w*(2*to-x) + (1-w)*v.anchor[i]
			}
			if math.Abs(v.x[i]-x) > 1e-12 {
				t.Fatalf("element %d goes to %v, want %v", i, v.x[i], x)
			}
		}
		if math.Abs(got-moved) > 1e-9*moved {
			t.Fatalf("moved by %v, want %v", got, moved)
		}

		if i%20 != 0 {
			continue
		}
		p := userMixed(30+r.IntN(30), 3, 40, 12+3*r.IntN(6))
		p.Held = []Held{{Units: 10, Until: 9}}
		m := Mixed{Rounds: 1 + r.IntN(3), Work: -1}
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		slots := len(p.Types[0].Demand)
		if err := m.game.ready(&m, p, slots); err != nil {
			t.Fatal(err)
		}
		g := &m.game
		buy, commit := make([]float64, len(g.buy.x)), make([]float64, slots)
		for _, x := range plan.Reservations {
			buy[x.Class*slots+x.Slot] = float64(x.Count) * float64(p.Types[p.Classes[x.Class].Type].Plan)
		}
		for _, x := range plan.Commitments {
			commit[x.Slot] = float64(x.Units) * float64(plan.Unit)
		}
		lambda, nu := make([]float64, len(g.lambda.x)), make([]float64, slots)
		for i, x := range plan.Certificate.Prices {
			lambda[i] = math.Ldexp(float64(x), -plan.Certificate.Shift) / float64(p.Types[i/slots].Plan)
		}
		for i, x := range plan.Certificate.Worth {
			nu[i] = math.Ldexp(float64(x), -worthBits)
		}
		for name, x := range map[string][2][]float64{"purchases": {g.buy.x, buy}, "commitments": {g.commit.x, commit}, "prices": {g.lambda.x, lambda}, "worths": {g.nu.x, nu}, "use": {g.use.x, make([]float64, len(g.use.x))}} {
			if !slices.Equal(x[0], x[1]) {
				t.Fatalf("it begins at other %s", name)
			}
		}
		for _, v := range []*part{&g.buy, &g.commit, &g.use, &g.lambda, &g.nu} {
			if !slices.Equal(v.anchor, v.x) || !slices.Equal(v.before, v.x) {
				t.Fatal("it begins away from its anchor")
			}
		}
	}
}

// A savings plan alone is closed by its first round: neither search nor steps follow. A small
// problem with a gap is searched, without steps.
func TestMixedStops(t *testing.T) {
	searched := 0
	rapid.Check(t, func(t *rapid.T) {
		p := mixedProblems(6, 2, 4).Draw(t, "problem")
		m := Mixed{Work: 1e6}
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if m.game.steps != 0 {
			t.Fatalf("%d steps for a small problem", m.game.steps)
		}
		if plan.Searched {
			searched++
		}
		p.Classes, p.Held, p.Unit = nil, nil, 1_000_000
		for i := range p.Types {
			p.Types[i].OnDemand *= 1_000_000
			p.Types[i].Plan *= 1_000_000
		}
		if plan, err = m.Solve(p); err != nil || plan.Rounds != 1 || plan.Searched || plan.Cost != plan.Bound {
			t.Fatalf("%+v: %d rounds, searched %v, cost %v, bound %v, %v", p, plan.Rounds, plan.Searched, plan.Cost, plan.Bound, err)
		}
	})
	if searched < 20 {
		seeded.TooFew(t, "%d problems searched", searched)
	}
}

// Whole instances of eight sizes without a common measure are too many choices for a slot: then
// nothing is claimed of a search.
func TestWholeTooManyChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 13)) // seed 22, 13
	short := 0
	for range 2 {
		p := &MixedProblem{Problem: Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: 9770, Whole: true}}
		for i := range 8 {
			plan := pricing.Money(900_000 + r.IntN(200_000))
			p.Types = append(p.Types, Type{Name: fmt.Sprint(i), Demand: []int{9, 11}, OnDemand: 2 * plan, Plan: plan})
		}
		p.Held = []Held{{Units: 3_600 + r.IntN(100), Until: 2}} // half of the use, to no whole instance
		p.Classes = []TypeClass{{Type: 0, Class: pricing.Class{Name: "r", Term: time.Hour, Hourly: p.Types[0].Plan}}}
		m := Mixed{Work: 2e6}
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if m.short {
			short++
			if plan.Searched {
				t.Error("searched, though a slot had too many choices")
			}
		}
	}
	if short == 0 {
		t.Error("no slot had too many choices")
	}
}

// Verify gives up where there are too many choices, with types of 2^31 - 1 instances, too. It went on
// counting instances after it had given up, for a minute.
func TestVerifyManyInstances(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 14)) // seed 22, 14
	p := &Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: 400_000_009, Whole: true}
	for i := range 8 {
		plan := pricing.Money(90_000_000 + r.IntN(20_000_000))
		p.Types = append(p.Types, Type{Name: fmt.Sprint(i), Demand: []int{math.MaxInt32}, OnDemand: 2 * plan, Plan: plan})
	}
	p.Held = []Held{{Units: math.MaxInt32, Until: 1}}
	plan := Plan{Unit: p.Unit, Certificate: Certificate{Values: make([]Uint128, 1), Parts: Uint128{Lo: 1}}}
	few := mostChoices
	defer func() { mostChoices = few }()
	mostChoices = 1000
	want := "savings: Types.Demand: not a problem for this algorithm: in slot 0: there are too many choices of whole instances to check"
	if err := Verify(p, &plan); !errors.Is(err, ErrUnsupported) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// VerifyMixed names the price that is forged, of the second type as of the first, and the unit.
func TestVerifyMixedNamesThePrice(t *testing.T) {
	for _, c := range []struct {
		forge func(*MixedPlan)
		want  string
	}{
		{func(q *MixedPlan) {}, ""},
		{func(q *MixedPlan) { q.Unit++ }, "Unit: not a valid plan: the plan says 0.001000001, the problem 0.001"},
		{func(q *MixedPlan) { q.Certificate.Prices = q.Certificate.Prices[:4] }, "Certificate: not a valid plan: 4 worths and 4 prices: want 4 and 8"},
		{func(q *MixedPlan) { q.Certificate.Prices[2] = -1 }, "Certificate.Prices[2]: not a valid plan: -1: want 0 to the price on demand and from the plan"},
		{func(q *MixedPlan) { q.Certificate.Prices[6] = -1 }, "Certificate.Prices[6]: not a valid plan: -1: want 0 to the price on demand and from the plan"},
		{func(q *MixedPlan) { // b is not in the savings plan, and 0.09 an hour are more than 0.15 in two hours
			q.Certificate.Prices[5], q.Certificate.Prices[6] = int64(90*pricing.Milli), int64(90*pricing.Milli)
		}, "Certificate.Prices[5]: not a valid plan: over the term from this slot s would be worth more than it costs"},
	} {
		p := smallMixed()
		p.Types = append(p.Types, Type{Name: "b", Demand: []int{1, 1, 1, 1}, OnDemand: 100 * pricing.Milli, Plan: 100 * pricing.Milli})
		s := p.Classes[0]
		s.Type, s.Class.Name = 1, "s"
		p.Classes = append(p.Classes, s)
		plan := MixedPlan{Unit: p.Unit, OnDemand: 800 * pricing.Milli, Cost: 800 * pricing.Milli, Certificate: MixedCertificate{Worth: make([]int64, 4), Prices: make([]int64, 8)}}
		c.forge(&plan)
		err := VerifyMixed(p, &plan)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrForged) || err.Error() != "savings: "+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// What Verify can say of whole instances, by hand: a slot of one minute with instances of a at 2
// an hour from the plan and 3 on demand, in 60 nanos, and of b at 1, which the plan does not pay.
func TestVerifyWholeByHand(t *testing.T) {
	few := mostChoices
	defer func() { mostChoices = few }()
	type amounts struct{ onDemand, unused pricing.Money }
	for _, c := range []struct {
		name    string
		a       int // instances
		unit    pricing.Money
		held    int // units
		choices int
		price   pricing.Money // of a on demand
		amounts
		is   error
		want string
	}{
		{"half an instance pays for none", 1, 60, 1, few, 180, amounts{3 + 1, 1}, nil, ""},
		{"one of two, and a unit is left", 2, 60, 3, few, 180, amounts{3 + 1, 1}, nil, ""},
		// 2^64 + 224 nanos, which are 224 in 64 bits.
		{"more than 64 bits hold", 10, 1<<62/60*60 + 60, 4, few, 180, amounts{1, (1<<62/60+1)*4 - 20}, nil, ""},
		{"two choices of two", 1, 60, 0, 2, 180, amounts{3 + 1, 0}, nil, ""},
		{"two choices of one", 1, 60, 0, 1, 180, amounts{3 + 1, 0}, ErrUnsupported, "Types.Demand: not a problem for this algorithm: in slot 0: there are too many choices of whole instances to check"},
		{"the most that is checked", 1, 60, 0, few, math.MaxInt64 - 7, amounts{(math.MaxInt64-7)/60 + 1, 0}, nil, ""},
	} {
		mostChoices = c.choices
		p := &Problem{Slot: time.Minute, Term: time.Minute, Unit: c.unit, Whole: true, Held: []Held{{Units: c.held, Until: 1}},
			Types: []Type{{Name: "a", Demand: []int{c.a}, OnDemand: c.price, Plan: 120}, {Name: "b", Demand: []int{1}, OnDemand: 60, Plan: 60}}}
		plan := Plan{Unit: c.unit, OnDemand: c.onDemand, Unused: c.unused, Cost: c.onDemand, Certificate: Certificate{Values: make([]Uint128, 1), Parts: Uint128{Lo: 1}}}
		if err := Verify(p, &plan); !errors.Is(err, c.is) || err != nil && err.Error() != "savings: "+c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if plan.Unused++; c.is == nil && Verify(p, &plan) == nil {
			t.Errorf("%s: a nano too much is unused", c.name)
		}
	}
	mostChoices = few
	// All of a type is charged on demand; 2^62 nanos for each of two instances do not fit.
	p := &Problem{Slot: time.Hour, Term: time.Hour, Whole: true, Types: []Type{{Name: "a", Demand: []int{2}, OnDemand: 1 << 62, Plan: 1}}}
	plan := Plan{Unit: p.unitOf(), Certificate: Certificate{Values: make([]Uint128, 1), Parts: Uint128{Lo: 1}}}
	if err := Verify(p, &plan); !errors.Is(err, ErrOverflow) || !strings.HasSuffix(err.Error(), "in slot 0: whole instances cost too much to be checked") {
		t.Errorf("%v", err)
	}
}

// Where purchases are right and do not move, the steps of prices go on: without a limit of the
// balance the bound of this problem stayed 7% below that of the linear program, for ever.
func TestRelaxKeepsItsBalance(t *testing.T) {
	p := &MixedProblem{Problem: Problem{Slot: time.Hour, Term: 8 * time.Hour, Unit: 12 * pricing.Milli, Every: 2,
		Types: []Type{{Name: "a", Demand: []int{5, 6, 3, 4, 3, 2, 6, 0}, OnDemand: 361 * pricing.Milli, Plan: 234_650 * pricing.Micro}}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: 6 * time.Hour, Hourly: 267_140 * pricing.Micro}}}}
	for _, rounds := range []int{1, 24} {
		m := Mixed{Rounds: rounds, Work: -1}
		plan, err := m.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		if want := 8_880_600 * pricing.Micro; plan.Bound > want || plan.Bound < want-pricing.Micro {
			t.Errorf("%d rounds: bound %v, want %v", rounds, plan.Bound, want)
		}
		if err := VerifyMixed(p, &plan); err != nil {
			t.Error(err)
		}
	}
}

// A problem is small, and searched, if the tableau has at most mostCells: rows for each slot and
// type and for the plan, columns for each purchase at a date and for each use.
func TestSearchSize(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 14)) // seed 22, 14
	seen := map[bool]int{}
	for range 400 {
		n, k := 15+r.IntN(45), 2+r.IntN(2)
		p := randomMixed(r, n, k, r.IntN(3), 2, pricing.Milli)
		p.Every = []int{0, 2, n/2 + 1, n}[r.IntN(4)]
		if r.IntN(2) == 0 {
			p.Closed = make([]bool, n)
			for i := range p.Closed {
				p.Closed[i] = r.IntN(2) == 0
			}
		}
		dates := 0
		for s := range n {
			if s%max(1, p.Every) == 0 && (p.Closed == nil || !p.Closed[s]) {
				dates++
			}
		}
		var m Mixed
		if err := m.load(p, n); err != nil {
			t.Fatal(err)
		}
		m.savings.held = make([]int, n)
		want := n*(k+1)*(dates*(1+len(p.Classes))+2*n*k) <= mostCells
		if got := m.begin(p, n); got != want {
			t.Fatalf("%d slots, %d dates, %d types, %d classes: small %v, want %v", n, dates, k, len(p.Classes), got, want)
		}
		seen[want]++
	}
	if seen[true] < 50 || seen[false] < 50 {
		t.Errorf("one-sided: %v", seen)
	}
}

// A node of the search is solved: its values fit the rows and their bounds, and no reduced cost disagrees.
// Its bound is the Lagrangian of any prices, and at the prices of its end the value of the program.
func TestSearchNodeByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 15)) // seed 22, 15
	solved, infeasible, pivots := 0, 0, 0
	for range 150 {
		n, k := 2+r.IntN(7), 1+r.IntN(3)
		p := randomMixed(r, n, k, r.IntN(3), 5, pricing.Milli*pricing.Money(1+r.IntN(60)))
		p.Horizon, p.Every = reserve.Horizon(r.IntN(2)), r.IntN(3)
		for i := range p.Classes {
			p.Classes[i].Withdrawn = r.IntN(5) == 0
		}
		var m Mixed
		if err := m.load(p, n); err != nil {
			t.Fatal(err)
		}
		m.savings.held = make([]int, n)
		for i := range m.savings.held {
			m.savings.held[i] = r.IntN(2) * r.IntN(20)
		}
		s := &m.search
		if !m.begin(p, n) {
			t.Fatal("too large")
		}
		unit, part := float64(p.unitOf()), math.Ldexp(1, -m.shift)
		worth := func(t int) float64 { return math.Ldexp(float64(s.worth[t]), -worthBits) }
		lambda := func(i, t int) float64 { return float64(s.lambda[i*n+t]) * part }
		bound := func() (sum float64) { // the Lagrangian
			for i := range p.Types {
				for t, d := range p.Types[i].Demand {
					sum += lambda(i, t) * float64(d)
				}
			}
			for t, units := range m.savings.held {
				sum -= worth(t) * unit * float64(units)
			}
			for j, c := range s.kinds {
				reduced := 0.0
				switch c.kind {
				case buys:
					reduced = float64(m.fees[c.index*n+c.slot]) * part
					for t := c.from; t < c.to; t++ {
						reduced -= lambda(p.Classes[c.index].Type, t)
					}
				case commits:
					reduced = float64(p.charged(n, c.slot))
					for t := c.from; t < c.to; t++ {
						reduced -= worth(t)
					}
					reduced *= unit
				case uses:
					reduced = float64(p.Types[c.index].Plan)*worth(c.slot) - lambda(c.index, c.slot)
				}
				sum += min(reduced*s.lo[j], max(-1e300, reduced*min(1e15, s.hi[j])))
			}
			return sum
		}
		for range 6 {
			ended := s.solve()
			pivots += s.pivots
			cost := 0.0
			for i := range k + 1 {
				for at := range n {
					left := 0.0
					if i < k {
						left = float64(p.Types[i].Demand[at])
					} else {
						left = float64(m.savings.held[at])
					}
					v := s.n + i*n + at
					left -= s.value[v]
					for j, c := range s.kinds {
						x := s.value[j]
						switch {
						case c.kind == buys && i < k && p.Classes[c.index].Type == i && c.from <= at && at < c.to, c.kind == uses && c.index == i && c.slot == at:
							left -= x
						case c.kind == idles && c.index == i && c.slot == at, c.kind == commits && i == k && c.from <= at && at < c.to:
							left += x
						}
						if c.kind == uses && i == k && c.slot == at {
							left -= x * float64(p.Types[c.index].Plan) / unit
						}
					}
					if math.Abs(left) > 1e-5*(1+math.Abs(s.value[v])) {
						t.Fatalf("row %d of slot %d is off by %v", i, at, left)
					}
				}
			}
			for v, x := range s.value {
				cost += x * s.cost[v]
				if at := s.at[v]; ended && (x < s.lo[v]-1e-6 || x > s.hi[v]+1e-6) {
					t.Fatalf("variable %d is %v, not within %v and %v", v, x, s.lo[v], s.hi[v])
				} else if at < 0 {
					if d := s.d[-1-at]; d < -1e-3 && x < s.hi[v]-1e-6 || d > 1e-3 && x > s.lo[v]+1e-6 {
						t.Fatalf("variable %d has the reduced cost %v at %v of %v to %v", v, d, x, s.lo[v], s.hi[v])
					}
				}
			}
			m.dualPrices(p, n)
			got := m.nodeBound(p, n)
			if want := bound(); math.Abs(got-want) > 1e-9*math.Abs(want)+1e-2 {
				t.Fatalf("bound %v, want %v", got, want)
			}
			if !ended {
				infeasible++
				break
			}
			if solved++; math.Abs(got-cost) > 1e-8*cost+1 {
				t.Fatalf("the program costs %v, its bound is %v", cost, got)
			}
			for i := range s.lambda { // other prices
				if r.IntN(2) == 0 {
					s.lambda[i] = r.Int64N(1 + int64(float64(p.Types[i/n].OnDemand)/part))
				}
			}
			for i := range s.worth {
				if r.IntN(2) == 0 {
					s.worth[i] = r.Int64N(2 << worthBits)
				}
			}
			if got, want := m.nodeBound(p, n), bound(); math.Abs(got-want) > 1e-9*math.Abs(want)+1e-2 {
				t.Fatalf("bound %v at made-up prices, want %v", got, want)
			}
			// A branch.
			j := r.IntN(s.n)
			if c := s.kinds[j].kind; c == idles || s.lo[j] == s.hi[j] {
				continue
			}
			if x := math.Floor(s.value[j]); r.IntN(2) == 0 {
				s.hi[j] = min(s.hi[j], max(s.lo[j], x))
			} else {
				s.lo[j] = max(s.lo[j], min(s.hi[j], x+1))
			}
		}
	}
	if solved < 500 || infeasible == 0 || pivots < 5000 {
		t.Errorf("%d nodes solved, %d without an end, %d pivots: too few to test anything", solved, infeasible, pivots)
	}
}

// By hand: which variable the search branches on, and where. Units of the plan cost 1, and 1/400 of
// the best plan matters. Of equal fractions it is the first.
func TestSearchChoosesByHand(t *testing.T) {
	r, c, u, idle := buys, commits, uses, idles
	for _, x := range []struct {
		name   string
		kinds  []uint8
		values []float64
		fixed  int // a variable that is, or -1
		least  float64
		whole  bool
		v      int
		below  float64
	}{
		{"the largest fraction", []uint8{r, r, r}, []float64{.9, 1.5, 2.3}, -1, 1, false, 1, 1},
		{"the first of equal ones", []uint8{r, r, r}, []float64{1, .5, 1.5}, -1, 1, false, 1, 0},
		{"the first of all", []uint8{r, r}, []float64{.25, 1}, -1, 1, false, 0, 0},
		{"not a fixed one", []uint8{r, r}, []float64{.5, 1.25}, 0, 1, false, 1, 1},
		{"purchases before commitments", []uint8{r, c}, []float64{.9, 2.5}, -1, 1, false, 0, 0},
		{"the first commitment", []uint8{r, c, c}, []float64{1, 2.25, 2.5}, -1, 1, false, 1, 2},
		{"commitments alone", []uint8{c, c}, []float64{2.25, 2.5}, -1, 1, false, 0, 2},
		{"units that matter", []uint8{r, c}, []float64{2, .5}, -1, 399, false, 1, 0},
		{"units that do not", []uint8{r, c}, []float64{2, .5}, -1, 400, false, 0, 1},
		{"whole, but not fixed", []uint8{r, r, u}, []float64{0, 2, .5}, 0, 1, false, 1, 1},
		{"whole, and at its least", []uint8{c, r, r}, []float64{1, 0, 3}, -1, 1, false, 1, 0},
		{"nothing is left", []uint8{r, c, u, idle}, []float64{1, 3, .5, .5}, 0, 1, false, -1, 0},
		{"purchases before use", []uint8{r, r, c, u}, []float64{1.1, 1, .5, 2.5}, -1, 1, true, 0, 1},
		{"the largest use", []uint8{r, c, u, u, idle}, []float64{1, .5, .25, 1.5, .5}, -1, 1, true, 3, 1},
		{"the first of equal uses", []uint8{r, c, u, u}, []float64{1, .5, 1.5, .5}, -1, 1, true, 2, 1},
		{"the first of equal purchases", []uint8{r, r, u}, []float64{1.5, .5, .5}, -1, 1, true, 0, 1},
		{"a commitment, if uses are whole", []uint8{r, c, u}, []float64{1, .5, 2}, -1, 1, true, 1, 0},
		{"use that is whole, but not fixed", []uint8{r, c, u}, []float64{1, 1, 2}, 0, 1, true, 2, 1},
	} {
		s := search{value: x.values}
		for j, k := range x.kinds {
			s.kinds = append(s.kinds, column{kind: k})
			s.lo, s.hi, s.cost = append(s.lo, 0), append(s.hi, 5), append(s.cost, 1)
			if j == x.fixed {
				s.hi[j] = 0
			}
		}
		if v, below := s.choose(x.least, x.whole); v != x.v || below != x.below {
			t.Errorf("%s: variable %d at %v, want %d at %v", x.name, v, below, x.v, x.below)
		}
	}
}

// By hand: what is held pays for half an instance, so that the linear program reserves the other half.
// The term of a commitment is so long that its price does not fit in 127 bits, which no bound may
// suffer from.
func TestSearchOfLongTerms(t *testing.T) {
	p := &MixedProblem{
		Problem: Problem{Slot: time.Second, Term: 1 << 30 * time.Second, Unit: 1 << 58, Held: []Held{{Units: 1, Until: 1}},
			Types: []Type{{Name: "a", Demand: []int{1}, OnDemand: 1 << 60, Plan: 1 << 59}}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: time.Second, Hourly: 5 << 57}}},
	}
	var m Mixed
	plan, err := m.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if want := toNano(big.NewRat(1<<59, 3600)); plan.Cost != want || !plan.Searched || len(plan.Reservations) != 0 {
		t.Errorf("%+v, want a cost of %v", plan, want)
	}
	if err := VerifyMixed(p, &plan); err != nil {
		t.Error(err)
	}
	if !m.begin(p, 1) || !m.search.solve() {
		t.Fatal("no linear program")
	}
	m.dualPrices(p, 1)
	if got, want := m.nodeBound(p, 1), 2.5*(1<<57); math.Abs(got-want) > 1e-9*want {
		t.Errorf("bound %v, want %v", got, want)
	}
}

// By hand: what is held pays for half an instance, so for none. The linear program pays for the other
// half by reservations, and without them all runs on demand, at a cost that is no amount of money. The
// search passes by that, and finds that one more unit for both hours is best.
func TestSearchPassesByWhatIsTooLarge(t *testing.T) {
	const e18 = pricing.Money(1e18)
	p := &MixedProblem{
		Problem: Problem{Slot: time.Hour, Term: 2 * time.Hour, Unit: e18, Whole: true, Held: []Held{{Units: 1, Until: 2}},
			Types: []Type{{Name: "a", Demand: []int{1, 1}, OnDemand: 5 * e18, Plan: 2 * e18}}},
		Classes: []TypeClass{{Class: pricing.Class{Name: "r", Term: time.Hour, Hourly: 9 * e18 / 5}}},
	}
	var m Mixed
	plan, err := m.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Cost != 2*e18 || !plan.Searched || !slices.Equal(plan.Commitments, []Commitment{{0, 1, e18}}) {
		t.Errorf("%+v, want a cost of %v", plan, 2*e18)
	}
	if err := VerifyMixed(p, &plan); err != nil {
		t.Error(err)
	}
}

// A problem without slots has no values, whatever problem came before.
func TestNoSlotsAfterSlots(t *testing.T) {
	p := Problem{Slot: time.Hour, Types: []Type{{Name: "a", Demand: []int{3, 2}, OnDemand: 4, Plan: 2}}, Term: 2 * time.Hour, Whole: true, Unit: 1}
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

// The anchor moves where the length of a step has fallen to a fifth, or to four fifths and grows again, or after 36%
// of all steps; then the balance moves half of the way, by logarithm, to the ratio of what prices and purchases have gone.
func TestRelaxAnchor(t *testing.T) {
	for _, c := range []struct {
		since, steps        int
		first, last, length float64
		want                bool
	}{
		{1, 9, 10, 3, 2, false}, {2, 9, 10, 3, 2, true}, {5, 90, 10, 3, 2.1, false},
		{5, 90, 10, 7, 8, true}, {5, 90, 10, 8, 8, false}, {5, 90, 10, 7, 8.1, false},
		{10, 20, 10, 10, 9, false}, {11, 30, 10, 10, 9, true}, {11, 31, 10, 10, 9, false}, {18, 50, 10, 10, 9, false}, {19, 50, 10, 10, 9, true},
	} {
		for _, gone := range [][2]float64{{3, 2}, {0, 2}, {3, 0}, {1e9, 1}, {1, 1e9}} { // purchases and prices
			g := relaxed{since: c.since, steps: c.steps, first: c.first, last: c.last, omega: 4, omega0: 2}
			parts := []*part{&g.buy, &g.commit, &g.use, &g.lambda, &g.nu}
			far, high := 0.0, 0.0
			for i, v := range parts {
				norm := []float64{1 + float64(i), 7}
				v.reset(4, norm)
				for j := range v.x {
					d := gone[0]
					if i > 2 {
						d = gone[1]
					}
					v.x[j], v.before[j], v.anchor[j] = 5+d, 5, 1
					if i > 2 {
						high += d * d * norm[j/2]
					} else {
						far += d * d * norm[j/2]
					}
				}
			}
			g.anchor(c.length)
			if moved := g.since == 0; moved != c.want {
				t.Fatalf("%+v: the anchor moves %v, want %v", c, moved, c.want)
			}
			if !c.want {
				first := c.first
				if c.since == 1 {
					first = c.length
				}
				if g.last != c.length || g.first != first || g.omega != 4 || g.buy.anchor[0] != 1 {
					t.Fatalf("%+v: %+v", c, g)
				}
				continue
			}
			omega := 4.0
			if far > 0 && high > 0 {
				omega = min(max(math.Sqrt(4*math.Sqrt(high/far)), 2./farthest), 2*farthest)
			}
			if math.Abs(g.omega-omega) > 1e-12*omega {
				t.Fatalf("%v gone: balance %v, want %v", gone, g.omega, omega)
			}
			for _, v := range parts {
				if !slices.Equal(v.anchor, v.x) || !slices.Equal(v.before, v.x) {
					t.Fatal("the anchor is not where the iterate is")
				}
			}
		}
	}
}

// Whole instances of a slot that cost more on demand than Money holds are an error of both solvers,
// and not a plan that leaves instances on demand which held commitments pay for. What just fits is
// planned, and the plan is verified.
func TestWholeInstancesBeyondMoney(t *testing.T) {
	for demand, fits := range map[int]bool{2: true, 3: false} {
		p := MixedProblem{Problem: Problem{
			Slot: time.Hour, Term: 3 * time.Hour, Unit: 5, Every: 2, Whole: true, Held: []Held{{Units: math.MaxInt32, Until: 2}},
			Types: []Type{{Demand: []int{1, demand}, OnDemand: math.MaxInt64 / 2, Plan: 134_722_152}},
		}}
		plan, err := new(Solver).Solve(&p.Problem)
		mixed, err2 := new(Mixed).Solve(&p)
		if !fits {
			const want = "savings: Types[0].Demand: amount too large: in slot 1 whole instances cost more than 9223372036.854775807 an hour on demand"
			for _, err := range []error{err, err2} {
				if !errors.Is(err, ErrOverflow) || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
			}
			continue
		}
		if err != nil || plan.Cost != 0 || Verify(&p.Problem, &plan) != nil {
			t.Errorf("%+v, %v, verified: %v", plan, err, Verify(&p.Problem, &plan))
		}
		if err2 != nil || mixed.Cost != 0 || VerifyMixed(&p, &mixed) != nil {
			t.Errorf("%+v, %v, verified: %v", mixed, err2, VerifyMixed(&p, &mixed))
		}
	}
}
