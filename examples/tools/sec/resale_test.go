package main

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// By hand. An instance is needed for the first 4 of 8 weeks, 672 hours, at 1 an hour; a term
// of 16 weeks costs 800. Without sales the plan stays on demand, 672. Sold after 4 weeks for
// half of the rest, 800·12/16/2 = 300, the reservation costs 500. Somebody who bought it,
// and sells what is left after 8 weeks for half, gets 200 of 800.
func TestMarket(t *testing.T) {
	list := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "c", Term: 16 * weekHours * time.Hour, Upfront: 800 * pricing.Unit}}}
	hours := make([]int, 8*weekHours)
	for h := range 4 * weekHours {
		hours[h] = 1
	}
	m, err := market(list, hours, 800*pricing.Unit, rest{upfront: 400 * pricing.Unit}, .5)
	if err != nil {
		t.Fatal(err)
	}
	want := marketplace{share: .5, sold: 600 * pricing.Unit, whole: 672 * pricing.Unit, plan: 500 * pricing.Unit, bought: 1, early: 1}
	if m != want {
		t.Errorf("%+v, want %+v", m, want)
	}
	// The buyer owes the hours that are left.
	if cost, err := (rest{100, 30}).sold(1000, .25); err != nil || cost != 945 {
		t.Errorf("%d, %v", cost, err)
	}
}

// Sold for all that it has cost, the rest leaves the pure cost. Sales never make a plan dearer.
func TestResaleOfDataStar(t *testing.T) {
	path := shared.File(t, "traces/SDSC-DS-2004-2.1-cln.swf.gz")
	for share, want := range map[string]string{
		"1":     `"pure_cost":798731.035589041,"saving":0.640575,"cost_sold":798731.035589041,"hindsight_cost":1019`,
		"0.704": `"cost_sold":985146.`,
	} {
		got, _ := tested.Must(t, "-trace", path, "-mode", "hybrid", "-resale", share, "-json")
		if !strings.Contains(got, want) {
			t.Errorf("%s: want %s: %s", share, want, got)
		}
	}
}

func TestResaleFlag(t *testing.T) {
	path := programtest.Write(t, "log", small)
	for _, share := range []string{"1.01", "-0.1", "x", "NaN"} {
		tested.Mistake(t, "number from 0 to 1", "-trace", path, "-resale", share)
	}
	text, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "hybrid", "-resale", "0.5")
	if !strings.Contains(text, "A marketplace that pays 50.0% of the rest") {
		t.Errorf("no marketplace:\n%s", text)
	}
	if text, _ = tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "hybrid", "-json"); strings.Contains(text, "cost_sold") {
		t.Errorf("a marketplace that nobody asked for:\n%s", text)
	}
}
