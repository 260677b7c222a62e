package pricing

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The prices of [Niu16]: 2.40 on demand, light 2710 + .904, medium 6378 + .540
// over 26,280 h. Expected by hand:
//
//	light against on demand   2710/(26280·(2.40-.904))       =  6.893%, printed 6.8
//	medium against light      (6378-2710)/(26280·(.904-.54)) = 38.344%, printed 38.3
//	medium against on demand  6378/(26280·(2.40-.54))        = 13.048%
func TestBreakEvenNiu16(t *testing.T) {
	l := CC28XLarge2013()
	demand, light, medium, heavy := OnDemand(l.OnDemand), l.Classes[3], l.Classes[4], l.Classes[5]
	type point struct {
		U  float64
		Ok bool
	}
	pack := func(u float64, ok bool) point { return point{u, ok} }
	got := []point{
		pack(light.BreakEven(demand)),
		pack(medium.BreakEven(light)),
		pack(medium.BreakEven(demand)),
		pack(light.BreakEven(medium)),
		pack(demand.BreakEven(light)),
		pack(light.BreakEven(heavy)),
		pack(light.BreakEven(light)),
		pack(heavy.BreakEven(demand)),
	}
	want := []point{
		{2710 / (26280 * 1.496), true},
		{3668 / (26280 * .364), true},
		{6378 / (26280 * 1.860), true},
		{0, true}, // no dearer when idle, though it is above 38%
		{0, true},
		{0, true},
		{0, true},
		{17157.08 / (26280 * 2.40), true},
	}
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// approx allows for the roundings of the expected values, which are computed in
// float64, and for nothing else.
var approx = cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) <= 4e-16 })

func TestBreakEvenNever(t *testing.T) {
	demand := OnDemand(10 * Unit)
	for _, tt := range []struct {
		name string
		c    Class
		u    float64
		ok   bool
	}{
		{"a whole term", Class{Term: 10 * time.Hour, Upfront: 100 * Unit}, 1, true},
		{"a nano beyond", Class{Term: 10 * time.Hour, Upfront: 100*Unit + 1}, 0, false},
		{"same slope", Class{Term: 10 * time.Hour, Upfront: 1, Hourly: 10 * Unit, Billed: WhenUsed}, 0, false},
		{"dearer to use", Class{Term: 10 * time.Hour, Upfront: 1, Hourly: 11 * Unit, Billed: WhenUsed}, 0, false},
		{"free", Class{Term: 10 * time.Hour}, 0, true},
		{"dearer to use, but no dearer idle", Class{Term: time.Hour, Hourly: 11 * Unit, Billed: WhenUsed}, 0, true},
		{"half a term", Class{Term: 10 * time.Hour, Upfront: 50 * Unit}, .5, true},
	} {
		u, ok := tt.c.BreakEven(demand)
		if u != tt.u || ok != tt.ok {
			t.Errorf("%s: %v, %v, want %v, %v", tt.name, u, ok, tt.u, tt.ok)
		}
	}
}

func TestEnvelope(t *testing.T) {
	hours := func(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
	const term = 100 * time.Hour
	class := func(name string, upfront, hourly Money) Class {
		return Class{Name: name, Term: term, Upfront: upfront * Unit, Hourly: hourly * Unit, Billed: WhenUsed}
	}
	niu := CC28XLarge2013()
	// Use is the upfront difference over the price difference, in hours.
	light, medium := hours(2710/1.496), hours(3668/.364)
	heavy := hours((17157.08 - 6378) / .54)
	tests := []struct {
		name string
		list List
		term time.Duration
		want []Level
	}{
		{"no classes", List{OnDemand: Unit}, 0, []Level{{Class: -1}}},
		{"no class with the term", niu, time.Hour, []Level{{Class: -1}}},
		{"[Niu16], three years", niu, 3 * Year, []Level{
			{Class: -1},
			{3, 2710 / (26280 * 1.496), light},
			{4, 3668 / (26280 * .364), medium},
			{5, (17157.08 - 6378) / (26280 * .54), heavy},
		}},
		// As the paper reads it, heavy is (7670-2710)/(.904-.361) h from light, and
		// medium is above the two everywhere.
		{"[Niu16], three years, used hours only", whenUsed(niu), 3 * Year, []Level{
			{Class: -1},
			{3, 2710 / (26280 * 1.496), light},
			{5, 4960 / (26280 * .543), hours(4960 / .543)},
		}},
		{"[Niu16], one year", niu, Year, []Level{
			{Class: -1},
			{0, 1762 / (8760 * 1.496), hours(1762 / 1.496)},
			{1, 2384 / (8760 * .364), hours(2384 / .364)},
			{2, (8162.36 - 4146) / (8760 * .54), hours((8162.36 - 4146) / .54)},
		}},
		// Per hour, three years are below one year for each kind.
		{"[Niu16], all terms", niu, 0, []Level{
			{Class: -1},
			{3, 2710 / (26280 * 1.496), light},
			{4, 3668 / (26280 * .364), medium},
			{5, (17157.08 - 6378) / (26280 * .54), heavy},
		}},
		{"dominated by one", List{10 * Unit, []Class{class("dear", 300, 5), class("cheap", 200, 5)}}, term, []Level{
			{Class: -1}, {1, .4, 40 * time.Hour},
		}},
		{"dominated by two together", List{10 * Unit, []Class{class("a", 100, 7), class("b", 280, 5), class("c", 400, 3)}}, term, []Level{
			{Class: -1}, {0, 1. / 3, 33*time.Hour + 20*time.Minute}, {2, .75, 75 * time.Hour},
		}},
		// b meets the crossing of a and c, at 75%, and is nowhere the only cheapest.
		{"touching in a corner", List{10 * Unit, []Class{class("a", 100, 7), class("b", 250, 5), class("c", 400, 3)}}, term, []Level{
			{Class: -1}, {0, 1. / 3, 33*time.Hour + 20*time.Minute}, {2, .75, 75 * time.Hour},
		}},
		{"a nano below the corner", List{10 * Unit, []Class{class("a", 100, 7),
			{Name: "b", Term: term, Upfront: 250*Unit - 1, Hourly: 5 * Unit, Billed: WhenUsed}, class("c", 400, 3)}}, term, []Level{
			{Class: -1}, {0, 1. / 3, 33*time.Hour + 20*time.Minute},
			// (150-1e-9)/2 h, and (150+1e-9)/2 h: half a nano is 1.8 µs
			{1, .75 - .5e-11, 75*time.Hour - 1800*time.Nanosecond}, {2, .75 + .5e-11, 75*time.Hour + 1800*time.Nanosecond},
		}},
		{"three lines in one corner: the flattest", List{10 * Unit, []Class{class("a", 200, 6), class("b", 400, 2), class("c", 300, 4)}}, term, []Level{
			{Class: -1}, {1, .5, 50 * time.Hour},
		}},
		{"only at full use", List{10 * Unit, []Class{class("a", 1000, 0)}}, term, []Level{{Class: -1}}},
		{"equal lines: the first", List{10 * Unit, []Class{class("a", 100, 5), class("b", 100, 5)}}, term, []Level{
			{Class: -1}, {0, .2, 20 * time.Hour},
		}},
		{"equal to on demand", List{10 * Unit, []Class{class("a", 0, 10)}}, term, []Level{{Class: -1}}},
		{"below on demand from the start", List{10 * Unit, []Class{class("a", 0, 9), class("b", 0, 8)}}, term, []Level{{Class: 1}}},
		{"free", List{0, []Class{class("a", 0, 0)}}, term, []Level{{Class: -1}}},
		{"always and when used with equal lines", List{10 * Unit, []Class{
			{Name: "a", Term: term, Hourly: 4 * Unit, Billed: Always}, class("b", 400, 0)}}, term, []Level{
			{Class: -1}, {0, .4, 40 * time.Hour},
		}},
		// 100 a 10 hours is 10 an hour, the line of 1000 for 100 hours.
		{"terms in proportion", List{20 * Unit, []Class{class("long", 1000, 0), {Name: "short", Term: term / 10, Upfront: 100 * Unit}}}, 0, []Level{
			{Class: -1}, {0, .5, 50 * time.Hour},
		}},
	}
	near := cmp.Comparer(func(x, y time.Duration) bool { return (x - y).Abs() <= time.Microsecond/10 })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.list.AppendEnvelope([]Level{{Class: 99}}, tt.term)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]Level{{Class: 99}}, tt.want...), got, approx, near); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if _, err := (List{OnDemand: -1}).AppendEnvelope(nil, 0); err == nil {
		t.Error("no error for a price below zero")
	}
}
