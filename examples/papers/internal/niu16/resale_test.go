package niu16

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/semielastic"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
)

// By hand. An instance is needed for the first 4 of 8 weeks, 672 hours, at 1 an hour; a term
// of 16 weeks costs 800. Without sales the plan stays on demand, 672. Sold after 4 weeks for
// half of the rest, 800·12/16/2 = 300, the reservation costs 500. Somebody who bought it,
// and sells what is left after 8 weeks for half, gets 200 of 800.
func TestMarket(t *testing.T) {
	list := pricing.List{OnDemand: pricing.Unit, Classes: []pricing.Class{{Name: "c", Term: 16 * semielastic.WeekHours * time.Hour, Upfront: 800 * pricing.Unit}}}
	hours := make([]int, 8*semielastic.WeekHours)
	for h := range 4 * semielastic.WeekHours {
		hours[h] = 1
	}
	m, err := market(list, hours, 800*pricing.Unit, semielastic.Rest{Upfront: 400 * pricing.Unit}, .5)
	if err != nil {
		t.Fatal(err)
	}
	want := marketplace{share: .5, sold: 600 * pricing.Unit, whole: 672 * pricing.Unit, plan: 500 * pricing.Unit, bought: 1, early: 1}
	if m != want {
		t.Errorf("%+v, want %+v", m, want)
	}
	// The buyer owes the hours that are left.
	if cost, err := sold(semielastic.Rest{Upfront: 100, Hours: 30}, 1000, .25); err != nil || cost != 945 {
		t.Errorf("%d, %v", cost, err)
	}
}

// Sold for all that it has cost, the rest leaves the pure cost. Sales never make a plan dearer.
func TestResaleOfDataStar(t *testing.T) {
	log, err := semielastic.Load(shared.File(t, "traces/SDSC-DS-2004-2.1-cln.swf.gz"), 16, 1, 1, cli.Quiet())
	if err != nil {
		t.Fatal(err)
	}
	r := semielastic.Runner{Log: log, Prices: pricing.CC28XLarge2013()}
	run, err := r.Run(semielastic.Hybrid, standard(log))
	if err != nil {
		t.Fatal(err)
	}
	all, err := market(r.Prices, run.Hours, run.Paid, run.Left, 1)
	if want := "798731.035589041"; err != nil || all.sold != run.Pure || run.Pure.String() != want || all.plan >= all.whole {
		t.Errorf("at 1: %+v, %v, pure %v, want %s", all, err, run.Pure, want)
	}
	if part, err := market(r.Prices, run.Hours, run.Paid, run.Left, .704); err != nil || part.sold.Fixed(0) != "985146" || part.plan <= all.plan {
		t.Errorf("at .704: %+v, %v", part, err)
	}
}

// What a plan with sales saves is of the cost without: 600 of 800 are a quarter less.
func TestWorth(t *testing.T) {
	if got := (&marketplace{whole: 800, plan: 600}).worth(); got != .25 {
		t.Errorf("sales are worth %v, want .25", got)
	}
}
