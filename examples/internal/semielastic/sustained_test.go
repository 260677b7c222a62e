package semielastic

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// lineCost is what the use of a part of a month costs in a class of that term.
func lineCost(c *pricing.Class, used, month time.Duration) float64 {
	return c.Upfront.Float64()*float64(month)/float64(c.Term) + c.Hourly.Float64()*used.Hours()
}

// The least of the lines is what Google charges for a month, for any use.
func TestSustainedClasses(t *testing.T) {
	hourly := 1680 * pricing.Milli
	classes, err := sustainedClasses(pricing.GCE2014SustainedUse, hourly, planMonth)
	if err != nil || len(classes) != 3 {
		t.Fatal(classes, err)
	}
	for i := range 1001 {
		used := planMonth / 1000 * time.Duration(i)
		least := hourly.Float64() * used.Hours()
		for k := range classes {
			least = min(least, lineCost(&classes[k], used, planMonth))
		}
		want, err := pricing.GCE2014SustainedUse.Cost(hourly, used, planMonth)
		if err != nil || math.Abs(least-want.Float64()) > 1e-7 {
			t.Fatalf("%v: %v, want %v, %v", used, least, want, err)
		}
	}
}

// At 55% of EC2's price and more, the least of all classes and Google without its discount
// is the least with the discount, too, for every steady use: a plan that knows the
// discount cannot be another. At half the price there are uses for which it is.
func TestWhereTheDiscountCounts(t *testing.T) {
	list := pricing.CC28XLarge2013()
	differs := func(ratio float64) bool {
		hourly := pricing.Money(ratio * float64(list.OnDemand))
		for i := range 10001 {
			used := planMonth / 10000 * time.Duration(i)
			reserved := math.Inf(1)
			for k := range list.Classes {
				c := &list.Classes[k]
				if c.Billed == pricing.Always {
					reserved = min(reserved, lineCost(c, planMonth, planMonth))
				} else {
					reserved = min(reserved, lineCost(c, used, planMonth))
				}
			}
			with, err := pricing.GCE2014SustainedUse.Cost(hourly, used, planMonth)
			if err != nil {
				t.Fatal(err)
			}
			plain := hourly.Float64() * used.Hours()
			if min(with.Float64(), reserved) < min(plain, reserved)-1e-6 {
				return true
			}
		}
		return false
	}
	for ratio, want := range map[float64]bool{1: false, .9: false, .8: false, .7: false, .6: false, .55: false, .54: true, .5: true, .4: true} {
		if got := differs(ratio); got != want {
			t.Errorf("at %v of EC2's price: %v, want %v", ratio, got, want)
		}
	}
}

// By hand, at .35 of EC2's price, 0.84 an hour: an instance that is used throughout costs
// .588 at Google, less than the cheapest class, .653 (3y-heavy); without the discount .84
// is more. At .5, .84 with the discount is more, and it is reserved for either way.
func TestPlanKnowsTheDiscount(t *testing.T) {
	list := pricing.CC28XLarge2013()
	demand := make([]int, WeekHours)
	for h := range demand {
		demand[h] = 10
	}
	for _, c := range []struct {
		elsewhere       pricing.Money
		without, withIt bool // whether it buys
	}{{840 * pricing.Milli, true, false}, {1200 * pricing.Milli, true, true}} {
		for _, discount := range []pricing.SustainedUse{{}, pricing.GCE2014SustainedUse} {
			o, err := newOnline(BuyOnline, list, c.elsewhere, discount, forever)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				if _, err := o.Observe(nil, demand); err != nil {
					t.Fatal(err)
				}
			}
			want := c.without
			if discount != (pricing.SustainedUse{}) {
				want = c.withIt
			}
			if buys := len(o.bought) > 0; buys != want {
				t.Errorf("for %v elsewhere, discount %v: %v is bought", c.elsewhere, discount, o.bought)
			}
			for _, q := range o.bought {
				if q.Class >= len(list.Classes) {
					t.Errorf("%v is bought", q)
				}
			}
		}
	}
}
