package main

import (
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
