package pricing

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// An error quotes forty bytes of a name at most.
func TestQuoteCuts(t *testing.T) {
	l := List{Classes: []Class{{Name: "a", Term: time.Hour}}}
	for _, n := range []int{39, 40, 41, 5000} {
		name := strings.Repeat("x", n)
		_, err := l.Find(name)
		want := `"` + name[:min(n, 40)] + `"`
		if n > 40 {
			want += "..."
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%d bytes: %v, want %s", n, err, want)
		}
	}
}

// An exponent is a whole number, and nothing follows it.
func TestExponents(t *testing.T) {
	for text, want := range map[string]Money{"1e2": 100 * Unit, "1E+2": 100 * Unit, "1200e-2": 12 * Unit, "1e": 0, "1e+": 0, "1e-": 0, "1e2x": 0, "1e2.5": 0, "1ex2": 0, "1e/2": 0, "1e:2": 0, "1e2 ": 0} {
		var m Money
		if err := m.UnmarshalJSON([]byte(text)); m != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v, want %v", text, m, err, want)
		}
	}
}

// A history that ends where it begins has no span, and using nothing or for nothing is free.
func TestNothing(t *testing.T) {
	if span := (SpotHistory{Times: []time.Duration{5}, Prices: []Money{1}, End: 5}).Span(); span != 0 {
		t.Errorf("a span of %v", span)
	}
	for _, used := range []time.Duration{0, 700 * time.Hour} {
		if cost, err := GCE2014SustainedUse.Cost(0, used, 720*time.Hour); cost != 0 || err != nil {
			t.Errorf("%v for nothing: %v, %v", used, cost, err)
		}
	}
	if cost, err := GCE2014SustainedUse.Cost(Unit, 0, 720*time.Hour); cost != 0 || err != nil {
		t.Errorf("nothing: %v, %v", cost, err)
	}
}

// What is held serves by its own class: two inventories of two classes together are billed as one
// for each.
func TestBillHeldByClass(t *testing.T) {
	l := List{OnDemand: 10 * Unit, Classes: []Class{{Name: "a", Term: 4 * time.Hour, Upfront: Unit, Hourly: 2 * Unit, Billed: WhenUsed}, {Name: "b", Term: 4 * time.Hour, Upfront: Unit, Hourly: Unit, Billed: Always}}}
	var b Biller
	got, err := b.BillHeld(l, []int{5, 5, 5, 5}, time.Hour, nil, []Holding{{Class: 0, Count: 2, Until: 3}, {Class: 1, Count: 1, Until: 2}, {Class: 0, Count: 1, Until: 1}})
	if err != nil {
		t.Fatal(err)
	}
	// By hand: hour 0 has b 1, a 3, hour 1 b 1, a 2, hour 2 a 2; the rest, 1 + 2 + 3 + 5, runs on demand.
	if got.OnDemandSlots != 11 || got.OnDemand != 110*Unit || got.Classes[0].Hourly != 14*Unit || got.Total != 124*Unit+got.Classes[1].Total() {
		t.Errorf("%+v", got)
	}
}

// Classes of one hourly price serve by what their use costs.
func TestDiscountByUse(t *testing.T) {
	got := []int{0, 1, 2}
	sortByDiscount(got, []Class{{Hourly: 4, Billed: WhenUsed}, {Hourly: 4, Billed: Always}, {Hourly: 4, Billed: WhenUsed}})
	if !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("the order is %v", got)
	}
}
