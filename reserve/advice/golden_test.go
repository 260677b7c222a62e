package advice

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// The answer in words stays as it is, in the cases that differ in what there is to say:
// terms of no whole weeks, prices of use, nothing to buy, nothing held, a contract that has
// a name, an order of nothing ahead, many later orders.
func TestGoldenCases(t *testing.T) {
	weeks := newUser(4)
	weeks.Slot = 7 * 24 * time.Hour
	for i := range weeks.Paths {
		weeks.Paths[i] = weeks.Paths[i][:104]
	}
	used := newUser(3)
	used.Offers[0].Class = pricing.Class{Name: "1y-light", Term: year, Upfront: money("350"), Hourly: money("0.08"), Billed: pricing.WhenUsed}
	used.Offers[1].Class = pricing.Class{Name: "1y-medium", Term: year, Hourly: money("0.1"), Billed: pricing.Always}
	used.Offers[2].Withdrawn = true
	used.Held = append(used.Held, Contract{Class: "1y-medium", Units: 2, Expires: monday.AddDate(0, 7, 0)})
	dear := newUser(2)
	dear.Kind = ""
	for k := range dear.Offers {
		dear.Offers[k].Hourly = money("0.3")
	}
	dear.Held = nil
	full := newUser(1)
	full.FullHorizon = true
	for _, c := range []struct {
		name string
		r    *Request
	}{{"weeks", weeks}, {"used", used}, {"dear", dear}, {"full", full}} {
		paths := len(c.r.Paths)
		a, err := Advise(c.r)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if len(c.r.Paths) != paths || a.Verify() != nil {
			t.Errorf("%s: %v", c.name, a.Verify())
		}
		file := "testdata/" + c.name + ".txt"
		if *update {
			if err := os.WriteFile(file, []byte(a.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), a.Text()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if !slices.IsSortedFunc(a.Later, func(x, y Later) int { return x.When.Compare(y.When) }) {
			t.Errorf("%s: later orders out of order: %+v", c.name, a.Later)
		}
	}
}
