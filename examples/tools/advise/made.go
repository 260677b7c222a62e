package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/focus"
	"github.com/plimsoll/plimsoll/pricing/offers"
	"github.com/plimsoll/plimsoll/pricing/usage"
)

// A madeKind is a kind of the made-up year: about the prices of a list of 2026.
type madeKind struct {
	kind, family    string
	factor          int
	base            float64 // instances at night
	day, week, grow float64 // more by day, less at weekends, growth over the year
}

var madeKinds = []madeKind{
	{"m5.large", "m5", 400, 22, .6, .4, .15},
	{"m5.xlarge", "m5", 800, 9, .3, .2, .1},
	{"c5.2xlarge", "c5", 1600, 4, 1.5, .9, .3},
	{"r5.large", "r5", 400, 12, 0, 0, -.2},
}

const madeRegion = "us-east-1"

// madePrice is the price on demand of a large of a family, and the parts of it that
// reservations cost.
var madePrice = map[string]pricing.Money{"m5": 96 * pricing.Milli, "c5": 85 * pricing.Milli, "r5": 126 * pricing.Milli}

// madePrices is the price list of the made-up year.
func madePrices() *offers.Prices {
	list := &offers.Prices{Form: "made-up prices"}
	for _, k := range madeKinds {
		price := madePrice[k.family] * pricing.Money(k.factor/400)
		l := pricing.List{OnDemand: price, Classes: []pricing.Class{
			{Name: "1y-upfront", Term: 8760 * time.Hour, Upfront: price * 8760 * 59 / 100, Billed: pricing.Always},
			{Name: "1y", Term: 8760 * time.Hour, Hourly: price * 63 / 100, Billed: pricing.Always},
			{Name: "3y", Term: 3 * 8760 * time.Hour, Hourly: price * 43 / 100, Billed: pricing.Always},
		}}
		list.Offers = append(list.Offers, offers.Offer{Provider: "aws", Region: madeRegion, Kind: k.kind, System: "linux", Tenancy: "shared",
			Currency: "USD", Family: k.family, Factor: k.factor, List: l})
		list.Prices += 1 + len(l.Classes)
	}
	list.Used = list.Prices
	return list
}

// madeUp writes a year of rows as FOCUS, reads the text back as it reads the user's
// files, and adds the price list of the year to r.
func (r *results) madeUp(c *usage.Collector) error {
	rng := rand.New(rand.NewPCG(r.o.seed, 17))
	start := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	var text bytes.Buffer
	rows := focus.NewWriter(&text)
	list := madePrices()
	r.addPrices("made-up prices", list)

	const reserved = 10 // of m5.large, until four months after the year
	held := usage.Commitment{ID: "ri-made-up", Name: "1y m5.large", Type: "Reserved Instance", Unit: "Hours",
		Start: start.AddDate(0, 4, 0), End: start.AddDate(1, 4, 0), Region: madeRegion}
	add := func(row usage.Row) error {
		row.Account, row.Currency = "made-up", "USD"
		row.Kind.Provider = "aws"
		return rows.Write(&row)
	}
	for h := range 365 * 24 {
		at := start.Add(time.Duration(h) * time.Hour)
		end := at.Add(time.Hour)
		for i, k := range madeKinds {
			x := k.base * (1 + k.grow*float64(h)/8760)
			if hour := at.Hour(); hour >= 7 && hour < 20 {
				swing := k.day
				if d := at.Weekday(); d == time.Saturday || d == time.Sunday {
					swing *= 1 - k.week
				}
				x *= 1 + swing
			}
			n := int(math.Round(x * (1 + .04*rng.NormFloat64())))
			kind := usage.Kind{Provider: "aws", Region: madeRegion, Type: k.kind, System: "linux", Tenancy: "shared"}
			price := usage.AmountOf(list.Offers[i].List.OnDemand)
			times := func(n int) usage.Amount {
				var sum usage.Amount
				for range n {
					sum = sum.Plus(price)
				}
				return sum
			}
			covered := 0
			if i == 0 && !at.Before(held.Start) {
				covered = min(n, reserved)
				fee := usage.AmountOf(list.Offers[i].List.Classes[1].Hourly * pricing.Money(covered))
				hours := held
				hours.Quantity = usage.Units(int64(covered))
				if err := add(usage.Row{Start: at, End: end, Charge: usage.Covered, Kind: kind, Hours: hours.Quantity, Effective: fee, Billed: fee,
					List: times(covered), Commitment: hours}); err != nil {
					return err
				}
			}
			if n > covered {
				cost := times(n - covered)
				if err := add(usage.Row{Start: at, End: end, Charge: usage.OnDemand, Kind: kind, Hours: usage.Units(int64(n - covered)), Billed: cost,
					Effective: cost, List: cost}); err != nil {
					return err
				}
			}
		}
		if at.Day() == 1 && at.Hour() == 0 {
			for _, x := range []struct{ reason, cost string }{{usage.OtherUsage, "412.5"}, {usage.Tax, "96.31"}, {usage.Credit, "-50"}} {
				cost, _, err := usage.Parse(x.cost)
				if err != nil {
					return fmt.Errorf("made-up amount: %w", err)
				}
				if err := add(usage.Row{Start: at, End: end, Reason: x.reason, Billed: cost, Effective: cost}); err != nil {
					return err
				}
			}
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	if err := focus.Read(c, "a made-up year", &text); err != nil {
		return err
	}
	text.Reset()
	hours := int64(held.End.Sub(held.Start)/time.Hour) * reserved
	cost, err := list.Offers[0].List.Classes[1].Hourly.Mul(hours)
	if err != nil {
		return err
	}
	if err := focus.WriteContracts(&text, []usage.Contract{{ID: held.ID, Type: held.Type, Description: held.Name, Cost: usage.AmountOf(cost),
		Quantity: usage.Units(hours), Unit: "Hours", Currency: "USD", Start: held.Start, End: held.End}}); err != nil {
		return err
	}
	return focus.Read(c, "its contracts", &text)
}
