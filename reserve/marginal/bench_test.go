package marginal

import (
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A market of 800 types in 100 families, of which 30 run, with a reservation in each tenth
// family and two savings plans: the size of a large cluster on a large cloud.
func BenchmarkQuotes(b *testing.B) {
	var kinds []Kind
	for f := range 100 {
		price := pricing.Money(80+f) * pricing.Milli
		for s := range 8 {
			u := 1 << s
			kinds = append(kinds, Kind{Type: fmt.Sprintf("f%d.%d", f, u), Family: fmt.Sprint(f), Units: u, OnDemand: price * pricing.Money(u),
				Plans: map[string]pricing.Money{"all": price * pricing.Money(u) * pricing.Money(50+f%7) / 100}})
		}
	}
	m, err := NewMarket(kinds)
	if err != nil {
		b.Fatal(err)
	}
	until := now.Add(10000 * time.Hour)
	held := []Held{{ID: "sp1", Plan: "all", Hourly: 3 * pricing.Unit, Expires: until}, {ID: "sp2", Plan: "all", Hourly: pricing.Unit, Expires: until}}
	for f := 0; f < 100; f += 10 {
		held = append(held, Held{ID: fmt.Sprint("ri", f), Type: kinds[8*f].Type, Units: 40, Expires: until})
	}
	book, notes := m.Book(held, "")
	if len(notes) > 0 {
		b.Fatal(notes)
	}
	running := make([]int, len(kinds))
	for i := range 30 {
		running[i*26] = 1 + i%5
	}
	for b.Loop() {
		if _, err := book.Quotes(running, now, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
