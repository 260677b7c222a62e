package main

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// Account a uses ten by day and account b ten by night. Where they share reservations ten pay; an
// account that shares none uses its own half of the time, which does not.
func TestAlone(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		owner := "b"
		if office(1, 0)(h) > 0 {
			owner = "a"
		}
		b.add(focusRow(at, "m5.large", 10, fields{"SubAccountId": owner, "Tags": `{"team":"team ` + owner + `"}`}), focusRow(at, "m5.large", 3, fields{"SubAccountId": "c", "Tags": "{}"}))
	})
	for name, c := range map[string]struct {
		args []string
		want int
		says string
	}{
		"all share":           {nil, 13, ""},
		"b does not":          {[]string{"-alone", "b"}, 3, ""},
		"c does not":          {[]string{"-alone", "c"}, 13, "3 instances 0.00 1,589.41 – linux, of c"},
		"a team does not":     {[]string{"-owner", "Tags:team", "-alone", "team b"}, 3, ""},
		"a column of no bill": {[]string{"-owner", "Cost Centre"}, 13, "no column Cost Centre: rows count for their account"},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := advised(t, "alone", &b, offersOf("m5.large"), c.args...)
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
	bill := programtest.Write(t, "bill.csv", b.String())
	type owned struct {
		Owner, Billed, Effective string
		Rows                     int
		Share                    float64
	}
	list := show[owned](t, "owners", "-bill", bill)
	if len(list) != 3 || list[0] != (owned{"a", "322.56", "322.56", 336, .384615}) || list[2] != (owned{"c", "193.536", "193.536", 672, .230769}) {
		t.Errorf("%+v", list)
	}
	if list := show[owned](t, "owners", "-bill", bill, "-owner", "Tags:team"); len(list) != 3 || list[0].Owner != "a" || list[1].Owner != "team a" || list[2].Owner != "team b" {
		t.Errorf("%+v", list)
	}
	tested.Mistakes(t, t.TempDir(), []programtest.Wrong{{Args: []string{"-bill", bill, "-alone", "d"}, Want: "-alone d: want an owner that uses instances in the bill"}})
}

// Reservations of an account that shares none serve that account alone.
func TestHeldAlone(t *testing.T) {
	var b textBill
	hourly(28, func(h int, at time.Time) {
		b.add(reportRow(at, "m5.large", 4, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": "0.24", "lineItem/UsageAccountId": "b",
			"reservation/ReservationARN": "ri-b", "reservation/EndTime": "2027-03-01T00:00:00.000Z"}),
			reportRow(at, "m5.large", 6, fields{"lineItem/UsageAccountId": "b"}), reportRow(at, "m5.large", 7, fields{"lineItem/UsageAccountId": "a"}))
	})
	got, text := advised(t, "alone", &b, offersOf("m5.large"), "-alone", "b")
	if got["m5.large in eu-west-1, linux"] != 7 || got["m5.large in eu-west-1, linux, of b"] != 6 {
		t.Errorf("%v\n%s", got, text)
	}
	says(t, text, "held: 4 instances of ri-b, until 2027-03-01")
}
