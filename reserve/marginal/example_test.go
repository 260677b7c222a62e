package marginal_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

// Ten m5.large are reserved and nine run: one more is free of charge, and an m5.xlarge, twice
// as large, costs half of its list price. A batch job that takes either goes to the m5.large.
func ExampleBook_Quotes() {
	market, err := marginal.NewMarket([]marginal.Kind{
		{Type: "m5.large", Family: "m5", Units: 4, OnDemand: 96 * pricing.Milli},
		{Type: "m5.xlarge", Family: "m5", Units: 8, OnDemand: 192 * pricing.Milli},
		{Type: "c5.large", OnDemand: 85 * pricing.Milli},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	book, _ := market.Book([]marginal.Held{{ID: "ri-1", Type: "m5.large", Units: 10, Expires: now.AddDate(1, 0, 0)}}, "")
	quotes, err := book.Quotes([]int{9, 0, 2}, now, marginal.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, q := range quotes {
		fmt.Printf("%-9s  %v of %v: %s\n", market.Kinds[q.Kind].Type, q.Price, q.List, q.Why)
	}
	// Output:
	// m5.large   0 of 0.096: reservation ri-1: 4 of 40 units unused, serves all of it
	// m5.xlarge  0.096 of 0.192: reservation ri-1: 4 of 40 units unused, serves 0.5 of it; the rest, 0.5, runs on demand
	// c5.large   0.085 of 0.085: no commitment serves this kind: on demand
}
