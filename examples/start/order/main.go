// Order says what to order today, by a bill: go run . [BILL.csv ...]
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/bill"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"github.com/plimsoll/plimsoll/reserve/advice"
)

// madeUp is a bill of 26 weeks: ten machines, and six more on workdays from 8 to 20 o'clock.
func madeUp(c *usage.Collector) {
	kind := usage.Kind{Provider: "aws", Region: "us-east-1", Type: "m5.xlarge", System: "linux", Tenancy: "shared"}
	c.Begin("made up", "rows")
	first := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	for at := first; at.Before(first.AddDate(0, 0, 182)); at = at.Add(time.Hour) {
		n := int64(10)
		if at.Weekday()%6 != 0 && at.Hour() >= 8 && at.Hour() < 20 {
			n = 16
		}
		paid := usage.AmountOf(pricing.Money(n) * 192 * pricing.Milli)
		row := usage.Row{Currency: "USD", Start: at, End: at.Add(time.Hour), Charge: usage.OnDemand,
			Kind: kind, Hours: usage.Units(n), Billed: paid, Effective: paid, List: paid}
		if err := c.Add(&row); err != nil {
			log.Fatal(err)
		}
	}
}

func main() {
	var rows usage.Collector
	for _, name := range os.Args[1:] {
		f, err := os.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		if err := bill.Read(&rows, name, f); err != nil {
			log.Fatal(err)
		}
	}
	if len(os.Args) == 1 {
		madeUp(&rows)
	}
	b, err := rows.Bill()
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range b.Demand {
		hours, _ := d.Instances(nil, d.Start, d.Slot, len(d.Used), pricing.Up)
		past := make([]float64, len(hours))
		for t, n := range hours {
			past[t] = float64(n)
		}
		// Twenty futures of a year that are as likely as the past makes them.
		model, err := forecast.New(forecast.Default)
		if err != nil {
			log.Fatal(err)
		}
		p := forecast.Predictor{Model: model}
		if _, err := p.Fit(new(smoothing.Fitter), past); err != nil {
			log.Fatal(err)
		}
		futures, paths := make([][]float64, 20), make([][]int, 20)
		for i := range futures {
			futures[i] = make([]float64, 8760)
		}
		p.Paths(futures, rand.New(rand.NewPCG(1, 2)))
		for i, f := range futures {
			for _, x := range f {
				paths[i] = append(paths[i], int(max(0, x)+.5))
			}
		}
		// The prices are about those of the kind in 2026; package offers reads the cloud's lists.
		a, err := advice.Advise(&advice.Request{Kind: d.Kind.String(), Currency: b.Currency, Now: b.End, Slot: d.Slot, Paths: paths,
			OnDemand: 192 * pricing.Milli, Offers: []advice.Offer{
				{Class: pricing.Class{Name: "1y no upfront", Term: pricing.Year, Hourly: 121 * pricing.Milli, Billed: pricing.Always}}}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v\n", d.Kind)
		for _, o := range a.Orders { // a.Text has the whole page to sign
			fmt.Printf("order %d of %s: saves %s %v in a year, on average\n", o.Units, o.Class, a.Currency, o.Saving.Fixed(0))
		}
		fmt.Printf("then the year costs %v instead of %v\n", a.Cost.Fixed(0), a.OnDemand.Fixed(0))
	}
}

// Output:
// aws us-east-1 m5.xlarge linux shared
// order 10 of 1y no upfront: saves USD 6220 in a year, on average
// then the year costs 14208 instead of 20427
