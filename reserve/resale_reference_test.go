package reserve_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// What the comment of AppendClasses says, class by class and sale by sale: the least of
// those that differ in nothing but the upfront fee stays, the first of equals.
func TestAppendClassesByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list pricing.List
		list.OnDemand = 9
		for k := range rapid.IntRange(0, 4).Draw(t, "classes") {
			list.Classes = append(list.Classes, pricing.Class{
				Name: string(rune('a' + k)), Term: time.Duration(rapid.IntRange(1, 6).Draw(t, "term")) * time.Hour,
				Upfront: pricing.Money(rapid.IntRange(0, 12).Draw(t, "upfront")),
				Hourly:  pricing.Money(rapid.IntRange(0, 1).Draw(t, "hourly")), Billed: pricing.Billing(rapid.IntRange(0, 1).Draw(t, "billed")),
			})
		}
		m := reserve.Resale{Share: float64(rapid.IntRange(0, 4).Draw(t, "quarters")) / 4,
			Every: time.Duration(rapid.IntRange(1, 3).Draw(t, "every")) * time.Hour, Longest: time.Duration(rapid.IntRange(0, 7).Draw(t, "longest")) * time.Hour}
		want, stand := slices.Clone(list.Classes), []int{}
		for k := range list.Classes {
			stand = append(stand, k)
		}
		for held := m.Every; held <= m.Longest; held += m.Every {
			var more []pricing.Class
			var of []int
			for k, c := range list.Classes {
				if held >= c.Term {
					continue
				}
				// What is left, down to a nano, and the share of that, down to a nano.
				left := quotient(int64(c.Upfront)*int64(c.Term-held), int64(c.Term))
				back := quotient(left*int64(m.Share*4), 4)
				sold := c
				sold.Name, sold.Term, sold.Upfront = fmt.Sprintf("%s for %v", c.Name, held), held, c.Upfront-pricing.Money(back)
				keep := true
				for _, x := range list.Classes {
					first := slices.IndexFunc(list.Classes, func(y pricing.Class) bool {
						return y.Term == x.Term && y.Hourly == x.Hourly && y.Billed == x.Billed
					})
					if x.Term == held && x.Hourly == c.Hourly && x.Billed == c.Billed && list.Classes[first].Upfront <= sold.Upfront {
						keep = false
					}
				}
				if !keep {
					continue
				}
				i := slices.IndexFunc(more, func(y pricing.Class) bool { return y.Hourly == c.Hourly && y.Billed == c.Billed })
				switch {
				case i < 0:
					more, of = append(more, sold), append(of, k)
				case more[i].Upfront > sold.Upfront:
					more[i], of[i] = sold, k
				}
			}
			want, stand = append(want, more...), append(stand, of...)
		}
		before, sales := []pricing.Class{{Name: "kept"}}, []int{7}
		got, gotSales, err := m.AppendClasses(before, sales, list)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(append(before, want...), got); d != "" {
			t.Fatalf("%+v of %+v: %s", m, list, d)
		}
		if d := cmp.Diff(append(sales, stand...), gotSales); d != "" {
			t.Fatalf("%+v of %+v: %s", m, list, d)
		}
	})
}

// quotient divides, and rounds down.
func quotient(a, b int64) int64 { return new(big.Int).Div(big.NewInt(a), big.NewInt(b)).Int64() }

// At most 100,000 classes and times of sale are allowed.
func TestMostSales(t *testing.T) {
	list := pricing.List{OnDemand: 9, Classes: []pricing.Class{{Name: "a", Term: 1 << 50, Upfront: 1}, {Name: "b", Term: 3, Upfront: 1}}}
	for longest, want := range map[time.Duration]bool{50_000: true, 50_001: false} {
		_, sales, err := reserve.Resale{Share: 0, Every: 1, Longest: longest}.AppendClasses(nil, nil, list)
		if (err == nil) != want || err != nil && !errors.Is(err, reserve.ErrRange) || want && len(sales) < 50_000 {
			t.Errorf("%d times: %d sales, %v", longest, len(sales), err)
		}
	}
	if _, _, err := (reserve.Resale{Share: .5, Every: 1, Longest: 100_000}).AppendClasses(nil, nil, pricing.List{OnDemand: 9}); err != nil {
		t.Errorf("no classes: %v", err)
	}
}
