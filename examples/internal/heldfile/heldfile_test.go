package heldfile

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/pricing"
)

var list = pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{
	{Name: "1y", Term: 8760 * time.Hour, Upfront: 5000 * pricing.Unit, Billed: pricing.Always},
	{Name: "sp", Term: 8760 * time.Hour, Hourly: 600 * pricing.Milli, Billed: pricing.Always},
}}

var monday = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

func read(t *testing.T, text string, now time.Time) ([]pricing.Holding, error) {
	t.Helper()
	return Holdings("-held", programtest.Write(t, "held.json", text), list, time.Hour, now)
}

// A contract has a count, or a spend an hour of which the class's price says how many instances
// it serves: 5.2/0.6 is 8. It ends on a day, after a span, or after slots, and not if it ended.
func TestHoldings(t *testing.T) {
	for text, want := range map[string][]pricing.Holding{
		`[]`: nil,
		`[{"class": "1y", "count": 12, "until": 30}]`:                          {{Class: 0, Count: 12, Until: 30}},
		`[{"class": "1y", "count": 12, "until": "90m"}]`:                       {{Class: 0, Count: 12, Until: 1}},
		`[{"id": "sp-3", "class": "sp", "spend": 5.2, "until": "2026-11-25"}]`: {{Class: 1, Count: 8, Until: 48}},
		`[{"class": "1y", "count": 1, "until": "2026-11-23"}]`:                 nil,
		`[{"class": "1y", "count": 1, "until": "2020-01-01"}]`:                 nil,
	} {
		got, err := read(t, text, monday)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, d)
		}
		if got, err = read(t, programtest.Gzip(text), monday); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s as gzip: %v, %v", text, got, err)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                         "want an array of objects",
		`[] []`:                      "there is more after the array",
		`[{"klass": "1y"}]`:          `unknown field "klass"`,
		`[{"count": 1, "until": 3}]`: "contract 0: no class and no type",
		`[{"class": "1y", "count": -1, "until": 3}]`:                "a count of -1",
		`[{"class": "1y", "count": 3000000000, "until": 3}]`:        "a count of 3000000000",
		`[{"class": "1y", "until": 3}]`:                             "no count: want a whole number",
		`[{"class": "1y", "spend": -1, "until": 3}]`:                "spend -1: want 0 or more",
		`[{"class": "1y", "count": 1, "spend": 1, "until": 3}]`:     "want one of them",
		`[{"class": "1y", "count": 1}]`:                             "until <nil>: want a day",
		`[{"class": "1y", "count": 1, "until": "soon"}]`:            "until soon: want a day",
		`[{"class": "1y", "count": 1, "until": "-3h"}]`:             "until -3h: want a day",
		`[{"class": "1y", "count": 1, "until": 1.5}]`:               "until 1.5: want a day",
		`[{"class": "1y", "count": 1, "until": -1}]`:                "until -1: want a day",
		`[{"class": "5y", "count": 1, "until": 1}]`:                 `class: "5y": want 1y or sp`,
		`[{"type": "m5.large", "count": 1, "until": 1}]`:            "class: ",
		`[{"class": "1y", "spend": 3, "until": 1}]`:                 "has no price an hour: want a count",
		`[{"class": "sp", "count": 1, "until": 8760}]`:              `8760 slots: want fewer than the term of "sp"`,
		`[{"class": "1y", "count": 1, "until": 8759}, {"id": "x"}]`: "contract 1: until <nil>",
	} {
		if _, err := read(t, text, monday); cli.Status(err) != cli.Mistake || !strings.HasPrefix(err.Error(), "-held ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := read(t, `[{"class": "1y", "count": 1, "until": "2026-12-24"}]`, time.Time{}); cli.Status(err) != cli.Mistake ||
		!strings.Contains(err.Error(), "the demand has no dates") {
		t.Errorf("a day without dates: %v", err)
	}
}
