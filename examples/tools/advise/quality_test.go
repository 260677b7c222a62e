package main

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// The numbers of -show quality, for people and for machines: of a bill with a late day, a gap of four
// days, a kind without a price, a kind of days, and two kinds that look like one.
func TestQuality(t *testing.T) {
	var b textBill
	windows := fields{"SkuPriceDetails": `{"InstanceType":"m5.large","OperatingSystem":"Windows"}`}
	hourly(40, func(h int, at time.Time) {
		day := h / 24
		if day >= 20 && day < 24 {
			return
		}
		n := 10.0
		if day == 39 {
			n = 4
		}
		b.add(focusRow(at, "m5.large", n, nil), focusRow(at, "m5.large", n, windows), focusRow(at, "c5.xlarge", n, nil))
		if h == 0 {
			b.add(focusRow(at, "m5.xlarge", 24, fields{"ChargePeriodEnd": stamp(at.Add(24 * time.Hour))}))
		}
	})
	args := []string{"-bill", programtest.Write(t, "bill.csv", b.String()), "-prices", programtest.Write(t, "prices.csv", offersOf("m5.large", "m5.xlarge")), "-show", "quality"}
	text, _ := tested.Must(t, args...)
	programtest.Narrow(t, text, 80)
	says(t, text, "use is all there until 2026-04-10 00:00; 1 gaps, 1 suspected doubles", "in 2 of 4 kinds", "by the day 24",
		"have 40% of the least use", "have the same use in every hour", "1 of 4 kinds have rows of days")
	type row struct {
		What, From, To, Text, One, Other, Cost, Planned, Doubled string
		HourlyHours                                              string  `json:"hourly_hours"`
		DailyHours                                               string  `json:"daily_hours"`
		Present, Percent                                         float64 // of one, and of a hundred
		Kinds, Matched                                           int
	}
	found := map[string]int{}
	for _, x := range read[row](t, first(tested.Must(t, append(args, "-json")...))) {
		found[x.What]++
		switch x.What {
		case "planned":
			// What is planned is m5: the large of linux, of which as much is suspected, and a day of an xlarge.
			if x.Kinds != 4 || x.Matched != 2 || x.Percent > 5 {
				t.Errorf("%+v", x)
			}
		case "tail":
			if x.From != "2026-04-10T00:00:00Z" || x.To != "2026-04-11T00:00:00Z" || x.Present != .4 {
				t.Errorf("%+v", x)
			}
		case "gap":
			if x.From != "2026-03-22T00:00:00Z" || x.To != "2026-03-26T00:00:00Z" {
				t.Errorf("%+v", x)
			}
		case "double":
			if !strings.Contains(x.One+x.Other, "windows") {
				t.Errorf("%+v", x)
			}
		}
	}
	if found["doubt"] != 5 || found["granularity"] != 1 || found["tail"]*found["gap"]*found["double"]*found["planned"] != 1 {
		t.Errorf("%v", found)
	}
}
