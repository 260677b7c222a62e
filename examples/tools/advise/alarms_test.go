package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/pricing/usage"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bills without a fault, of a few machines of several owners that come and go, or stay for hours: one
// in ten at most is said to be late somewhere, and no group to be disturbed. Seed 99.
func TestFewFalseAlarms(t *testing.T) {
	const runs, days = 60, 42
	late, disturbed := 0, 0
	for run := range runs {
		rng := rand.New(rand.NewPCG(99, uint64(run)))
		var c usage.Collector
		c.Begin("a bill", "test")
		row := usage.Row{Account: "p", Currency: "USD", Charge: usage.OnDemand}
		for owner := range 1 + rng.IntN(5) {
			for kind := range 1 + rng.IntN(4) {
				mean, day, weekend, n := .5+20*rng.Float64()*rng.Float64(), 2*rng.Float64(), rng.Float64(), 0.0
				for h := range 24 * days {
					m := mean
					switch busy := h%24 >= 8 && h%24 < 18; {
					case busy && h/24%7 < 5:
						m *= 1 + day
					case busy:
						m *= 1 + day*weekend
					}
					if run%2 == 0 || rng.IntN(8) == 0 || h == 0 {
						n = distuv.Poisson{Lambda: m, Src: rng}.Rand()
					}
					if n == 0 {
						continue
					}
					row.Owner, row.Start = fmt.Sprint(owner), begin.Add(time.Duration(h)*time.Hour)
					row.End, row.Hours, row.Billed = row.Start.Add(time.Hour), usage.Units(int64(n)), usage.Units(int64(n))
					row.Kind = usage.Kind{Provider: "aws", Type: fmt.Sprintf("m%d.large", kind)}
					if err := c.Add(&row); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		b, err := c.Bill()
		if err != nil {
			t.Fatal(err)
		}
		r := &results{o: &options{}, bill: b, quality: b.Quality(), start: begin}
		if r.quality.Tail.Before(b.End) || len(r.quality.Late) > 0 {
			late++
		}
		for i := range b.Demand {
			g := &group{slot: time.Hour}
			g.demand, _ = b.Demand[i].Instances(nil, r.start, g.slot, 24*days, pricing.HalfUp)
			r.leaveDisturbed(g)
		}
		disturbed += len(r.doubts)
	}
	if t.Logf("%d of %d bills are late, %d groups disturbed", late, runs, disturbed); late > runs/10 || disturbed > 0 {
		t.Error("too many: want a tenth, and none")
	}
}
