package rules

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// light and heavy cross at 4 of 10 slots, and light pays from 2 of 10 on: on demand 10 u, light
// 1 + 5 u, heavy 3 with u the share of use, all an hour.
func lightAndHeavy() pricing.List {
	return pricing.List{OnDemand: 10, Classes: []pricing.Class{
		{Name: "light", Term: 10 * time.Hour, Upfront: 10, Hourly: 5, Billed: pricing.WhenUsed},
		{Name: "heavy", Term: 10 * time.Hour, Upfront: 30},
	}}
}

// By hand: instances are used in 10, 4, 3, 2 and 1 of 10 slots. An instance that is used exactly as
// long as where a class takes over gets that class.
func TestShares(t *testing.T) {
	var s Shares
	demand := []int{5, 4, 3, 2, 1, 1, 1, 1, 1, 1}
	if err := s.Add(lightAndHeavy(), demand, 10); err != nil {
		t.Fatal(err)
	}
	want := Shares{Slots: []int64{3 + 2, 10 + 4, 1}, Instances: []int64{2, 2}, Total: 20}
	if d := cmp.Diff(want, Shares{Slots: s.Slots, Instances: s.Instances, Total: s.Total}, cmp.AllowUnexported(Shares{})); d != "" {
		t.Error(d)
	}
	if got := s.Share(1); got != .7 {
		t.Errorf("heavy serves %v, want .7", got)
	}
	// The same demand in twice the time: used half as much.
	if err := s.Add(lightAndHeavy(), demand, 20); err != nil || !cmp.Equal(s.Slots, []int64{5 + 4, 14 + 10, 1 + 3 + 2 + 1}) {
		t.Errorf("%v, %v", s.Slots, err)
	}
	if n := allocs.Once(func() { _ = s.Add(lightAndHeavy(), demand[:0], 20) }); n > 1 { // the list
		t.Errorf("%v allocations", n)
	}
	var none Shares
	if err := none.Add(lightAndHeavy(), nil, 1); err != nil || none.Share(2) != 0 || none.Total != 0 {
		t.Errorf("%+v, %v of no demand", none, err)
	}
}

// Instance by instance: the cheapest of its costs.
func TestSharesAreCheapest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems(kind{slots: 12, peak: 6, classes: 3, terms: 4}).Draw(t, "problem")
		n := len(p.Demand)
		var s Shares
		if err := s.Add(p.Prices, p.Demand, n); err != nil {
			t.Fatal(err)
		}
		served := int64(0)
		for k := range s.Slots {
			served += s.Slots[k]
		}
		sum, cost, least := int64(0), 0.0, 0.0
		for _, d := range p.Demand {
			sum += int64(d)
		}
		perHour := func(k int, used int64, instances int64) float64 { // of instances used in so many of all slots
			if k == len(p.Prices.Classes) {
				return float64(p.Prices.OnDemand) * float64(used)
			}
			c := p.Prices.Classes[k]
			fixed := float64(c.Upfront) / c.Term.Hours()
			if c.Billed == pricing.Always {
				return (fixed + float64(c.Hourly)) * float64(n) * float64(instances)
			}
			return fixed*float64(n)*float64(instances) + float64(c.Hourly)*float64(used)
		}
		for k, used := range s.Slots {
			instances := int64(0)
			if k < len(s.Instances) {
				instances = s.Instances[k]
			}
			cost += perHour(k, used, instances)
		}
		for j := 1; j <= 6; j++ {
			used := int64(0)
			for _, d := range p.Demand {
				if d >= j {
					used++
				}
			}
			if used == 0 {
				break
			}
			one := perHour(len(p.Prices.Classes), used, 0)
			for k := range p.Prices.Classes {
				one = min(one, perHour(k, used, 1))
			}
			least += one
		}
		if served != sum || s.Total != sum || cost > least*(1+1e-9)+1e-9 {
			t.Fatalf("%d and %d of %d served; cost %v, the least %v", served, s.Total, sum, cost, least)
		}
	})
}

func TestSharesErrors(t *testing.T) {
	var s Shares
	for field, err := range map[string]error{"slots": s.Add(lightAndHeavy(), []int{1}, 0), "demand": s.Add(lightAndHeavy(), []int{1, -1}, 2)} {
		var in *inputerr.Error
		if !errors.Is(err, reserve.ErrRange) || !errors.As(err, &in) || in.Field != field || in.Package != "rules" {
			t.Errorf("%s: %v", field, err)
		}
	}
	bad := lightAndHeavy()
	bad.OnDemand = -1
	if err := s.Add(bad, []int{1}, 1); err == nil || s.Total != 0 {
		t.Errorf("%v, %d served", err, s.Total)
	}
	defer func() {
		if recover() == nil {
			t.Error("another list: no panic")
		}
	}()
	_ = s.Add(pricing.List{OnDemand: 1}, []int{rand.IntN(3)}, 1)
}
