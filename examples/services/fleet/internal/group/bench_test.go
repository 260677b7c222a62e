package group_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// BenchmarkPlan plans curves of the made-up fleet: without a savings plan and at prices that
// change with the hour, each with and without the check of the certificate.
func BenchmarkPlan(b *testing.B) {
	f := generate.Fleet{Seed: 1, Curves: 100_000}
	x := f.Terms()
	priced := make(group.Worth, x.Hours)
	for t := range priced {
		switch {
		case t%24 < 6:
		case t%24 < 16:
			priced[t] = group.Parts * 13 / 10
		default:
			priced[t] = group.Parts * int64(t%17) / 15
		}
	}
	for _, worth := range []group.Worth{nil, priced} {
		for _, trust := range []bool{false, true} {
			b.Run(fmt.Sprintf("priced=%v/verify=%v", worth != nil, !trust), func(b *testing.B) {
				var c generate.Curves
				var g record.Group
				p := group.Planner{Trust: trust}
				i := 0
				for b.Loop() {
					c.At(&f, i*97%f.Curves, &g)
					i++
					if _, failure := p.Plan(&x, &g, worth); failure != nil {
						b.Fatal(failure.Reason)
					}
				}
			})
		}
	}
}
