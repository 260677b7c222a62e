package main

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Twenty are needed by day and ten by night; at 45% of the price on demand twenty pay. The last ten
// are needed half of the time, and the mean need is fifteen.
func TestPolicies(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) { b.add(focusRow(at, "m5.large", office(20, 10)(h), nil)) })
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"none":               {nil, 20},
		"the last is needed": {[]string{"-least-use", "0.6"}, 10},
		"the last by day":    {[]string{"-least-use", "0.45"}, 20},
		"a share":            {[]string{"-most-share", "0.8"}, 12},
		"both":               {[]string{"-most-share", "0.5", "-least-use", "0.6"}, 7},
		"one year":           {[]string{"-terms", "1y"}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := advised(t, "policy", &b, offersOf("m5.large@0.45"), append(c.args, "-model", "seasonal-naive")...)
			wants(t, got, text, c.want)
		})
	}
}

// What ends within 90 days is named with what the plan then buys; a commitment that no kind counts is
// named with its money, and so is a kind that is not planned.
func TestNamed(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		b.add(reportRow(at, "m5.large", 10, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": "0.5",
			"reservation/ReservationARN": "ri-soon", "reservation/EndTime": "2026-05-01T00:00:00.000Z"}),
			reportRow(at, "db.r5.large", 2, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": "0.3",
				"lineItem/ProductCode": "AmazonRDS", "lineItem/UsageType": "EU-InstanceUsage:db.r5.large", "product/databaseEngine": "MySQL", "product/deploymentOption": "Single-AZ",
				"lineItem/Operation": "CreateDBInstance:0002", "reservation/ReservationARN": "ri-data", "reservation/EndTime": "2027-01-01T00:00:00.000Z"}))
	})
	_, text := advised(t, "named", &b, offersOf("m5.large"))
	says(t, text, "held: 10 instances of ri-soon, until 2026-05-01 (in 32 days; the plan then buys 10 instances of 1y-standard-no-upfront)",
		"committed to and not planned: ri-data (Reserved Instance), USD 201.6 of it in the bill",
		"not planned: aws eu-west-1 db.r5.large mysql single-az shared, which cost USD 201.6: the price list has no such kind")
	bill := programtest.Write(t, "bill.csv", b.String())
	if text := first(tested.Must(t, "-bill", bill, "-show", "held", "-json")); strings.Count(text, `"use":1`) != 2 {
		t.Error(text)
	}
}

// What of an order can be undone is said as the clouds sell it, and what is not planned though it is
// sold is named with its money.
func TestWaysOut(t *testing.T) {
	_, text := advised(t, "azure", azureDays(35, 150, func(int) float64 { return 24 }), azurePrices)
	says(t, text, "doubt: USD 25,000.00 of the order is beyond the USD 50,000 of reservations that Azure refunds in twelve months") // 150 of 500
	var b textBill
	hourly(21, func(_ int, at time.Time) { b.add(focusRow(at, "m5.large", 2, nil)) })
	_, text = advised(t, "aws", &b, offersOf("m5.large"), "-show", "order")
	if strings.Contains(text, "refunds") {
		t.Error(text)
	}
	why, _ := tested.Must(t, "-bill", programtest.Write(t, "aws.csv", b.String()), "-prices", programtest.Write(t, "list.csv", offersOf("m5.large")), "-little-history", "-show", "why")
	says(t, why, "If 1y-standard-no-upfront is needed no longer, what is left of its term can be sold on the marketplace")
	for class, want := range map[string]string{"aws m5.large 1y-convertible-all-upfront": "exchanged for others", "aws db.r5.large 1y-standard-no-upfront": "neither taken back",
		"azure Standard_D2 1y-reservation": "refunds USD 50,000", "gcp N2 1y-commitment": "neither taken back"} {
		w := strings.Fields(class)
		if got := wayOut(w[0], w[1], w[2]); !strings.Contains(got, want) {
			t.Errorf("%s: %s", class, got)
		}
	}
	var g textBill
	hourly(21, func(_ int, at time.Time) {
		g.add(fields{"sku.description": "N2 Instance Core running in Belgium", "usage_start_time": at.Format("2006-01-02 15:04:05+00:00"), "usage_end_time": at.Add(time.Hour).Format("2006-01-02 15:04:05+00:00"),
			"cost": "2.5", "currency": "USD", "service.description": "Compute Engine", "usage.amount_in_pricing_units": "8", "usage.pricing_unit": "hour", "location.region": "europe-west1"})
	})
	_, text, _ = tested.Try("-bill", programtest.Write(t, "gcp.csv", g.String()))
	says(t, text, "not planned: Google's flexible commitments to spend, which no price list has, and which pay for all of USD 1,260 on demand")
}
