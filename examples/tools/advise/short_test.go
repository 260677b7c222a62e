package main

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// A bill of one hour, 25 hours, 15 days and 30 days: nothing is ordered on less than two weeks and a
// sixteenth of the term, unless -little-history says so, and where the futures have no spread there is no risk.
func TestShortHistories(t *testing.T) {
	bill := func(hours int) string {
		var b textBill
		hourly((hours+23)/24, func(h int, at time.Time) {
			if h < hours {
				b.add(focusRow(at, "m5.large", 2+float64(h*h%5), nil))
			}
		})
		return programtest.Write(t, "bill.csv", b.String())
	}
	list := programtest.Write(t, "prices.csv", offersOf("m5.large"))
	for name, c := range map[string]struct {
		hours int
		short bool
		want  []string
		order bool
	}{
		"an hour":                {1, false, []string{"known for 1 hour", "nothing is ordered", "the history is too short", "-little-history"}, false},
		"an hour, all the same":  {1, true, []string{"–", "For this one future no plan"}, true},
		"25 hours":               {25, false, []string{"known for 25 hours", "nothing is ordered"}, false},
		"25 hours, all the same": {25, true, nil, true},
		"15 days":                {15 * 24, false, []string{"known for 15 days", "nothing is ordered"}, false},
		"30 days":                {30 * 24, false, []string{"For these 20 futures no plan"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"-bill", bill(c.hours), "-prices", list}
			if c.short {
				args = append(args, "-little-history")
			}
			text, _ := tested.Must(t, args...)
			programtest.Narrow(t, text, 80)
			says(t, strings.ReplaceAll(text, "\n  ", " "), c.want...)
			if ordered := strings.Contains(text, "Sign on"); ordered != c.order {
				t.Errorf("ordered: %v\n%s", ordered, text)
			}
		})
	}
}
