package reserve

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// keepsRules reports whether purchases keep to all rules of p, from what the fields of
// Problem say.
func keepsRules(p *Problem, purchases []pricing.Purchase) bool {
	n := len(p.Demand)
	for i, q := range purchases {
		if q.Slot < 0 || q.Slot >= n || q.Class < 0 || q.Class >= len(p.Prices.Classes) || q.Count < 1 || !mayBuy(p, q.Slot) ||
			p.MaxBuy > 0 && q.Count > p.MaxBuy {
			return false
		}
		if p.AtMost != nil && p.AtMost[q.Class] != 0 && (p.AtMost[q.Class] < 0 || q.Count > p.AtMost[q.Class]) {
			return false
		}
		for _, r := range purchases[:i] {
			if r.Slot > q.Slot || r.Slot == q.Slot && r.Class >= q.Class {
				return false
			}
		}
	}
	for t := 0; t < n && p.MaxActive > 0; t++ {
		active := 0
		for _, h := range p.Held {
			if t < h.Until {
				active += h.Count
			}
		}
		for _, q := range purchases {
			if q.Slot <= t && t < q.Slot+int(p.Prices.Classes[q.Class].Term/p.Slot) {
				active += q.Count
			}
		}
		if active > p.MaxActive {
			return false
		}
	}
	return true
}

// Whatever purchases are made up, they are refused if and only if they break a rule: caps a
// purchase and of what is active with the inventory, dates, offers, order.
func TestVerifyKeepsRules(t *testing.T) {
	seen, capped := map[bool]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		n := len(p.Demand)
		if n == 0 || len(p.Prices.Classes) == 0 {
			return
		}
		if p.AtMost != nil { // 0 is no limit of its own in Problem; NoCap forbids
			for k := range p.AtMost {
				p.AtMost[k] = rapid.SampledFrom([]int{NoCap, 0, 1, 2}).Draw(t, "most")
			}
		}
		if p.MaxActive > 0 {
			p.MaxActive = rapid.IntRange(1, 6).Draw(t, "active")
		}
		var m market
		if err := m.loadAny(p); err != nil {
			return
		}
		var list []pricing.Purchase
		wild := rapid.IntRange(0, 3).Draw(t, "wild") == 0
		for range rapid.IntRange(0, 4).Draw(t, "purchases") {
			q := pricing.Purchase{
				Slot:  rapid.IntRange(0, n).Draw(t, "slot"),
				Class: rapid.IntRange(0, len(p.Prices.Classes)).Draw(t, "class"),
				Count: rapid.IntRange(0, 3).Draw(t, "count"),
			}
			if !wild { // what is left to break are the caps
				q.Class, q.Count = q.Class%len(p.Prices.Classes), max(1, q.Count)
				if q.Slot %= n; !mayBuy(p, q.Slot) || slices.ContainsFunc(list, func(b pricing.Purchase) bool { return b.Slot == q.Slot && b.Class == q.Class }) {
					continue
				}
			}
			list = append(list, q)
		}
		if !wild || rapid.Bool().Draw(t, "sorted") {
			sortPurchases(list)
		}
		limits := true
		for _, q := range list {
			limits = limits && q.Class < len(p.Prices.Classes)
		}
		want := limits && ruled(p, list)
		err := checkPurchases(p, &m, list)
		if err != nil && strings.Contains(err.Error(), "MaxActive") {
			capped++
		}
		if (err == nil) != want || err != nil && !errors.Is(err, ErrForged) {
			t.Fatalf("%+v of %+v: %v, within the rules %v", list, p, err, want)
		}
		seen[want]++
	})
	if seen[true] < 20 || seen[false] < 20 || capped < 5 {
		seeded.TooFew(t, "one-sided: %v, %d above MaxActive", seen, capped)
	}
}

// ruled is keepsRules with the meaning of AtMost.
func ruled(p *Problem, list []pricing.Purchase) bool {
	q := *p
	q.AtMost = nil
	if !keepsRules(&q, list) {
		return false
	}
	for _, b := range list {
		if p.AtMost == nil {
			continue
		}
		if limit := p.AtMost[b.Class]; limit == 0 || limit > 0 && b.Count > limit {
			return false
		}
	}
	return true
}

// proved is the bound of the values y by its definition, in the unit of the market: every
// minimum is sought by trying all numbers.
func proved(p *Problem, v *dual, y []int64) *big.Int {
	n, m := len(p.Demand), v.m
	peak := slices.Max(p.Demand)
	sum := new(big.Int)
	add := func(a, b int64) { sum.Add(sum, new(big.Int).Mul(big.NewInt(a), big.NewInt(b))) }
	inventory := func(k, t int) (count int64) {
		for _, h := range p.Held {
			if t < h.Until && m.classes[h.Class].use <= v.prices[k] {
				count += int64(h.Count)
			}
		}
		return count
	}
	last := m.price
	for k, u := range v.prices {
		w := last - u
		last = u
		for t, d := range p.Demand {
			least := new(big.Int)
			most := peak + 2
			if p.MaxActive > 0 {
				most = p.MaxActive
			}
			for N := 0; N <= most; N++ {
				c := new(big.Int).Mul(big.NewInt(w), big.NewInt(int64(max(0, d-N))))
				c.Add(c, new(big.Int).Mul(big.NewInt(y[k*n+t]), big.NewInt(int64(N))))
				if N == 0 || c.Cmp(least) < 0 {
					least = c
				}
			}
			sum.Add(sum, least)
			add(-y[k*n+t], inventory(k, t))
		}
	}
	for _, d := range p.Demand {
		add(last, int64(d))
	}
	for c := range m.classes {
		most := peak
		if p.MaxActive > 0 {
			most = min(most, p.MaxActive)
		}
		if p.MaxBuy > 0 {
			most = min(most, p.MaxBuy)
		}
		if p.AtMost != nil && p.AtMost[c] != NoCap {
			most = min(most, p.AtMost[c])
		}
		if m.classes[c].use >= m.price {
			continue
		}
		for s := range n {
			if !mayBuy(p, s) {
				continue
			}
			left := m.classes[c].feeFor(n - s)
			for t := s; t < min(n, s+m.classes[c].term); t++ {
				for k, u := range v.prices {
					if m.classes[c].use <= u {
						left -= y[k*n+t]
					}
				}
			}
			if left < 0 {
				add(left, int64(most))
			}
		}
	}
	return sum
}

// However the values are made up, the bound is what its definition says, is not above the
// optimum, and is claimed no higher: with inventory, MaxActive, dates, caps, and several use
// prices.
func TestVerifyProvesByDefinition(t *testing.T) {
	var e Exact
	tight, negative := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawExact(t)
		if len(p.Demand) == 0 {
			return
		}
		plan, err := e.Solve(p)
		if err != nil {
			return
		}
		var m market
		if err := m.loadAny(p); err != nil {
			t.Fatal(err)
		}
		finer := plan.Certificate.Den / m.scale
		if !m.refine(finer) {
			t.Fatal("the unit of the certificate")
		}
		var v dual
		if err := v.load(p, &m, plan.Purchases); err != nil {
			t.Fatal(err)
		}
		y := slices.Clone(plan.Certificate.Values)
		changed := rapid.IntRange(0, 3).Draw(t, "changes")
		for range changed {
			if len(y) == 0 {
				break
			}
			i := rapid.IntRange(0, len(y)-1).Draw(t, "place")
			least := int64(0)
			if p.MaxActive > 0 {
				least = -m.price
			}
			y[i] = rapid.Int64Range(least, 2*m.price).Draw(t, "value")
			if rapid.Bool().Draw(t, "whole") { // a tie: what a unit is worth
				y[i] = v.worth[i/len(p.Demand)]
			}
		}
		got, err := v.bound(y, finer)
		if err != nil {
			t.Fatal(err)
		}
		want := proved(p, &v, y)
		if want.Sign() < 0 {
			want.SetInt64(0)
			negative++
		}
		want.Add(want, big.NewInt(finer-1)).Quo(want, big.NewInt(finer)).Mul(want, big.NewInt(finer)) // up to a whole unit
		if toBig(got).Cmp(want) != 0 {
			t.Fatalf("%+v: values %v prove %v, want %v", p, y, toBig(got), want)
		}
		claimed, ok := m.money(got)
		_, best, _ := bruteForce(p)
		if exact := new(big.Rat).SetInt64(int64(claimed) - 1); !ok || exact.Cmp(best) > 0 {
			t.Fatalf("%+v: values %v prove %v, the optimum is %v", p, y, claimed, best)
		}
		forged := plan
		forged.Certificate.Values, forged.Bound = y, claimed
		if err := Verify(p, &forged); err != nil {
			t.Fatalf("%+v: values %v that prove %v: %v", p, y, claimed, err)
		}
		forged.Bound++
		if err := Verify(p, &forged); !errors.Is(err, ErrForged) {
			t.Fatalf("a bound that is too high: %v", err)
		}
		if claimed == plan.Cost {
			tight++
		} else if why := v.slack(y); why == "" && p.MaxActive == 0 && p.MaxBuy == 0 && p.AtMost == nil && !p.uncertain() &&
			new(big.Rat).SetInt64(int64(claimed)).Cmp(planCost(p, plan.Purchases)) < 0 && negative == 0 {
			// Values and plan that fit together everywhere are both optimal.
			t.Fatalf("%+v: the values %v prove only %v of %v, and no place is at fault", p, y, claimed, plan.Cost)
		}
	})
	if tight < 20 {
		t.Errorf("only %d certificates were tight", tight)
	}
}

func toBig(u wide.Uint) *big.Int {
	b := new(big.Int).SetUint64(u.Hi)
	return b.Add(b.Lsh(b, 64), new(big.Int).SetUint64(u.Lo))
}

// What is said of a certificate that proves less than the plan costs names the place at fault.
func TestVerifyNamesThePlace(t *testing.T) {
	// A class of three slots at 5, on demand 2 a slot: reserved where two of three slots have
	// demand. Four slots of demand 1 and one of 0 at the end.
	p := &Problem{Demand: []int{1, 1, 1, 0, 1}, Slot: time.Hour, Prices: pricing.List{OnDemand: 2, Classes: []pricing.Class{{Name: "r", Term: 3 * time.Hour, Upfront: 5}}}}
	var e Exact
	plan, err := e.Solve(p)
	if err != nil || plan.Cost != 7 || !plan.Optimal() {
		t.Fatalf("%+v, %v", plan, err)
	}
	unit := plan.Certificate.Den
	values := func(v ...int64) []int64 { return v }
	for _, c := range []struct {
		name   string
		values []int64
		max    int
		want   string
	}{
		{"not worth enough", values(2, 2, 0, 0, 2), 0, "purchase 0 costs 1 more than it is worth"},
		{"worth too much", values(2, 2, 2, 2, 2), 0, "a reservation of r bought at slot 0 would be worth more than its fee"},
		{"idle", values(2, 2, 3, 0, 2), 0, "slot 2 has idle reservations of level 0, and a value of 3, not 2 or less"},
		{"short", values(2, 2, 1, 0, 1), 0, "slot 4 is short of reservations of level 0, and its value is 1, not 2 or more"},
		{"short below the cap", values(2, 2, 1, 0, 1), 1, "slot 4 is short of reservations of level 0, and its value is 1, not 2 or more"},
	} {
		q := *p
		q.MaxActive = c.max
		forged := plan
		forged.Certificate.Values = c.values
		err := Verify(&q, &forged)
		if unit != 1 || !errors.Is(err, ErrForged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	// Both purchases of two classes cost more than nothing: the first is named, whatever its class.
	p.Demand = []int{1, 1, 1, 1}
	p.Prices.Classes = append(p.Prices.Classes, pricing.Class{Name: "s", Term: time.Hour, Upfront: 1})
	if plan, err = e.Solve(p); err != nil {
		t.Fatal(err)
	}
	for class, want := range []string{"purchase 0 costs 5 more than it is worth", "purchase 0 costs 1 more than it is worth"} {
		forged := plan
		forged.Certificate.Values = make([]int64, len(plan.Certificate.Values))
		forged.Purchases, forged.Cost, forged.Bound = []pricing.Purchase{{Slot: 0, Class: 0, Count: 1}, {Slot: 3, Class: 1, Count: 1}}, 6, 6
		if class == 1 {
			forged.Purchases = []pricing.Purchase{{Slot: 0, Class: 1, Count: 1}, {Slot: 1, Class: 0, Count: 1}}
		}
		if err := Verify(p, &forged); !errors.Is(err, ErrForged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", forged.Purchases, err, want)
		}
	}
}
