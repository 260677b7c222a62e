package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Ten are ordered after four weeks. After eight, of which the last four need eight, they have
// earned 8·.096 − 10·.06048 an hour, 109.67 in 28 days; ten in use were forecast, which is 238.69.
// A second run on a day replaces the record of the day.
func TestPast(t *testing.T) {
	bill := func(days int) string {
		var b textBill
		hourly(days, func(h int, at time.Time) {
			n := 10.0
			if h >= 28*24 {
				n = 8
			}
			b.add(focusRow(at, "m5.large", n, nil))
		})
		return programtest.Write(t, "bill.csv", b.String())
	}
	list, past := programtest.Write(t, "prices.csv", offersOf("m5.large")), filepath.Join(t.TempDir(), "past.json")
	args := func(days int) []string {
		return []string{"-bill", bill(days), "-prices", list, "-past", past, "-model", "naive"}
	}
	var kept string
	for range 2 {
		if text, _ := tested.Must(t, args(28)...); strings.Contains(text, "past orders") {
			t.Error(text)
		}
		data, err := os.ReadFile(past)
		if err != nil || kept != "" && kept != string(data) {
			t.Fatal(err, kept, string(data))
		}
		kept = string(data)
	}
	text, _ := tested.Must(t, args(56)...)
	programtest.Narrow(t, text, 80)
	says(t, text, "all past orders, if bought as advised: earned 109.67, 238.69 forecast",
		"2026-03-30: 10 of 1y-standard-no-upfront for m5.large in eu-west-1, linux, 0 bought since: earned 109.67 in 28 days, 238.69 forecast; use 8.0 on average, 10.0 forecast")
	if rows := first(tested.Must(t, append(args(56), "-json")...)); !strings.Contains(rows, `"past":"2026-03-30"`) || !strings.Contains(rows, `"earned":109.67`) {
		t.Errorf("-json says nothing of past orders: %s", rows)
	}
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{
		{Args: []string{"-past", programtest.Write(t, "bad.json", `{}`)}, Want: "want the array that -past has written"},
		{Args: []string{"-past", programtest.Write(t, "day.json", `[{"date":"soon"}]`)}, Want: "want a day such as"},
	})
}

// pastBill writes a bill of days with m5.large.
func pastBill(t *testing.T, days int, rows func(b *textBill, h int, at time.Time)) string {
	var b textBill
	hourly(days, func(h int, at time.Time) { rows(&b, h, at) })
	return programtest.Write(t, "bill.csv", b.String())
}

// Advice that was not followed counts until the advice that takes its place, and advice that was
// followed goes on: ten earn 10·(.096 − .06048) an hour, in 14 days 119.35, however often they are
// advised.
func TestPastAgain(t *testing.T) {
	list := programtest.Write(t, "prices.csv", offersOf("m5.large"))
	for _, followed := range []bool{false, true} {
		past := filepath.Join(t.TempDir(), "past.json")
		text := ""
		for _, days := range []int{28, 35, 42} {
			bill := pastBill(t, days, func(b *textBill, h int, at time.Time) {
				row := reportRow(at, "m5.large", 10, nil)
				if followed && h >= 28*24 {
					maps.Copy(row, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": "0.6048", "reservation/ReservationARN": "ri-new",
						"reservation/StartTime": "2026-03-30T00:00:00.000Z", "reservation/EndTime": "2027-03-30T00:00:00.000Z"})
				}
				b.add(row)
			})
			text, _ = tested.Must(t, "-bill", bill, "-prices", list, "-past", past, "-model", "naive")
		}
		says(t, text, "all past orders, if bought as advised: earned 119.35, 119.35 forecast") // 179.02 before
		if followed {
			says(t, text, "2026-03-30: 10 of 1y-standard-no-upfront for m5.large in eu-west-1, linux, 10 bought since: earned 119.35 in 14 days")
		} else {
			says(t, text, "2026-03-30: 10 of 1y-standard-no-upfront for m5.large in eu-west-1, linux, 0 bought since, advised again on 2026-04-06: earned 59.67 in 7 days")
		}
	}
}

// A kind becomes a family of a smaller unit, and its advice is judged in its own; days without a
// row are missing.
func TestPastUnits(t *testing.T) {
	past := filepath.Join(t.TempDir(), "past.json")
	list := programtest.Write(t, "prices.csv", offersOf("m5.large", "m5.xlarge"))
	text := ""
	for _, days := range []int{28, 56} {
		bill := pastBill(t, days, func(b *textBill, h int, at time.Time) {
			if day := h / 24; day >= 40 && day < 44 {
				return
			}
			b.add(focusRow(at, "m5.xlarge", 5, nil))
			if h >= 28*24 {
				b.add(focusRow(at, "m5.large", 1, nil))
			}
		})
		text, _ = tested.Must(t, "-bill", bill, "-prices", list, "-past", past, "-model", "naive")
	}
	// 5·2·(.096 − .06048) an hour in 24 days; use of 5.5 xlarge.
	says(t, text, "5 of 1y-standard-no-upfront for m5.xlarge in eu-west-1, linux, 0 bought since: earned 204.60 in 24 days, 204.60 forecast; use 5.5 on average, 5.0 forecast")
	gone := programtest.Write(t, "gone.csv", offersOf("c5.xlarge"))
	other := pastBill(t, 56, func(b *textBill, h int, at time.Time) { b.add(focusRow(at, "c5.xlarge", 2, nil)) })
	text, _ = tested.Must(t, "-bill", other, "-prices", gone, "-past", past)
	says(t, text, "the advice of 2026-03-30 for m5.xlarge in eu-west-1, linux in units of instance is not judged")
}

// A savings plan is kept with what it pays for: in two weeks like those before it earns what it was
// said to save.
func TestPastPlan(t *testing.T) {
	past := filepath.Join(t.TempDir(), "past.json")
	list := programtest.Write(t, "prices.csv", offersOf("m5.xlarge", "c5.xlarge"))
	plan := programtest.Write(t, "rates.csv", ratesOf("No Upfront", map[string]float64{"m5.xlarge": .192 * .7, "c5.xlarge": .192 * .72}))
	text := ""
	for _, days := range []int{28, 42} {
		bill := pastBill(t, days, func(b *textBill, h int, at time.Time) {
			b.add(focusRow(at, "m5.xlarge", office(10, 2)(h), nil), focusRow(at, "c5.xlarge", office(2, 10)(h), nil))
		})
		text, _ = tested.Must(t, "-bill", bill, "-prices", list, "-prices", plan, "-past", past, "-model", "seasonal-naive", "-futures", "2")
	}
	// By day money pays for m5.xlarge at .7 of the price, by night for c5.xlarge at .72: 1.075 an hour
	// is worth 1.075/.7 and 1.075/.72 on demand.
	says(t, text, "2026-03-30: 1.075 an hour of 1y-compute-no-upfront, 0 bought since: earned 147.63 in 14 days, 147.63 forecast")
}
