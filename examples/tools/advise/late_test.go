package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Ends of bills that differ, as accounts, services and files report: ten m5.large are used day and
// night by each of two accounts, and ten c5.xlarge by the first, and reservations pay. Part(hour) is
// the share of the second account's use that is in its bill.
func lateBills(days int, part func(h int) float64) (a, b *textBill) {
	a, b = &textBill{}, &textBill{}
	hourly(days, func(h int, at time.Time) {
		a.add(focusRow(at, "m5.large", 10, fields{"SubAccountId": "a"}), focusRow(at, "c5.xlarge", 10, fields{"SubAccountId": "a"}))
		if n := math.Floor(10 * part(h)); n > 0 {
			b.add(focusRow(at, "m5.large", n, fields{"SubAccountId": "b"}))
		}
	})
	return a, b
}

// What is late alone is left out of what is forecast, and said with its money.
func TestLateAlone(t *testing.T) {
	const days = 42
	until := func(hours int, left float64) func(h int) float64 {
		return func(h int) float64 {
			if h >= hours {
				return left
			}
			return 1
		}
	}
	for name, c := range map[string]struct {
		part        func(h int) float64
		args        []string
		least, most int // m5.large
		says        string
	}{
		"nothing":               {until(24*days, 1), nil, 20, 20, ""},
		"an account, a day":     {until(24*(days-1), .5), nil, 20, 20, "b alone: the last 24 hours, from 2026-04-12 00:00 on, have 50% of what is usual then, and use of about USD 12 lacks: clouds report late"},
		"an account, 12 hours":  {until(24*days-12, 0), nil, 20, 20, "b alone: the last 12 hours"},
		"a file of three days":  {until(24*(days-3), 0), nil, 20, 20, "b alone: the last 72 hours"},
		"a file of ten days":    {until(24*(days-10), 0), nil, 20, 20, "ends on 2026-04-03 00:00, and the bill on 2026-04-13 00:00: use of about USD 230 lacks. Until then count the 1 kind of the file"},
		"a fall, as is said":    {until(24*(days-3), 0), []string{"-keep-tail"}, 0, 12, "but these hours count, as -keep-tail says"},
		"a file ends, and that": {until(24*(days-10), 0), []string{"-keep-tail"}, 0, 12, "use of about USD 230 lacks, which counts as 0"},
		"a fall of four days":   {until(24*(days-4), .5), nil, 0, 16, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := lateBills(days, c.part)
			second := []string{"-bill", programtest.Write(t, "b.csv", b.String())}
			got, text := advised(t, "a", a, offersOf("m5.large", "c5.xlarge"), append(c.args, second...)...)
			m5, c5 := got["m5.large in eu-west-1, linux"], got["c5.xlarge in eu-west-1, linux"]
			if m5 < c.least || m5 > c.most || c5 != 10 {
				t.Errorf("%v is ordered: want %d to %d of m5.large, and 10 of c5.xlarge\n%s", got, c.least, c.most, text)
			}
			says(t, text, c.says)
			if c.says == "" && strings.Contains(text, "lacks") { // that the level fell is said
				t.Errorf("use lacks:\n%s", text)
			}
		})
	}
}

// A kind alone is late, as a service of its own is; the other kind keeps its hours.
func TestLateKind(t *testing.T) {
	var b textBill
	hourly(35, func(h int, at time.Time) {
		n := 8.0
		if h >= 24*34 {
			n = 2
		}
		b.add(focusRow(at, "m5.large", 10, nil), focusRow(at, "c5.xlarge", n, nil))
	})
	got, text := advised(t, "kind", &b, offersOf("m5.large", "c5.xlarge"))
	if m5, c5 := got["m5.large in eu-west-1, linux"], got["c5.xlarge in eu-west-1, linux"]; m5 != 10 || c5 != 8 {
		t.Errorf("%v\n%s", got, text)
	}
	says(t, text, "c5.xlarge in eu-west-1, linux alone: the last 24 hours, from 2026-04-05 00:00 on, have 25% of what is usual then, and use of about USD 28 lacks")
}

// A day that was disturbed hides no tail, and takes no order away.
func TestDisturbedDay(t *testing.T) {
	for name, c := range map[string]struct {
		low, tail int // days; hours of the last day
		want      int
		says      string
	}{
		"early":            {20, 0, 10, "18 hours, from 2026-03-22 06:00 on, have 10% of what is usual before and after, and use of about USD 16 lacks"},
		"of the last week": {37, 0, 10, "18 hours, from 2026-04-08 06:00 on, have 10%"}, // 0 before
		"the last but one": {40, 0, 10, "18 hours, from 2026-04-11 06:00 on, have 10%"},
		"before the tail":  {35, 24, 10, "the last 24 hours of the bill, from 2026-04-12 00:00 on, have 50%"},
		"beside the tail":  {40, 24, 10, "the last 42 hours of the bill, from 2026-04-11 06:00 on, have 33%"},
	} {
		t.Run(name, func(t *testing.T) {
			var b textBill
			hourly(42, func(h int, at time.Time) {
				n := 10.0
				switch {
				case h/24 == c.low && h%24 > 5:
					n = 1
				case h >= 24*42-c.tail:
					n = 5
				}
				b.add(focusRow(at, "m5.large", n, nil))
			})
			got, text := advised(t, "disturbed", &b, offersOf("m5.large"))
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
}
