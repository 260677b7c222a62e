package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// benchPlan times a warm planner; with an optimum it reports how much the plan
// costs above it.
func benchPlan(b *testing.B, a reserve.Planner, p *reserve.Problem, optimum pricing.Money) {
	plan, err := a.AppendPlan(nil, p)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if plan, err = a.AppendPlan(plan[:0], p); err != nil {
			b.Fatal(err)
		}
	}
	if optimum > 0 { // after the loop, whose beginning forgets metrics
		b.ReportMetric(mustBill(b, p, plan).Float64()/optimum.Float64()-1, "gap-ratio")
	}
}

// BenchmarkPlan has the sizes of [Liu21]'s evaluation, of three years of hours,
// and of as many with very many instances; days of 24 hours and years, which
// short and long terms make different problems.
func BenchmarkPlan(b *testing.B) {
	day := prepaid(60, 750, 24) // 12.5 busy slots a day
	year := pricing.List{OnDemand: 2400 * pricing.Milli, Classes: []pricing.Class{
		{Name: "1y-heavy", Term: 8760 * time.Hour, Upfront: 5000 * pricing.Unit, Hourly: 361 * pricing.Milli},
	}}
	for _, size := range []struct{ slots, instances int }{{600, 1700}, {26_280, 300}, {26_280, 100_000}} {
		demand := anyDemand(rand.New(rand.NewPCG(3, 4)), size.slots, size.instances) // seed 3, 4
		for _, list := range []struct {
			name string
			list pricing.List
		}{{"24h", day}, {"8760h", year}} {
			p := &reserve.Problem{Demand: demand, Slot: time.Hour, Prices: list.list}
			for _, a := range []reserve.Planner{&reserve.HGR{}, &Periodic{}, &SEC{}, &Constant{}} {
				b.Run(fmt.Sprintf("alg=%s/slots=%d/instances=%d/term=%s", nameOf(a), size.slots, size.instances, list.name), func(b *testing.B) {
					benchPlan(b, a, p, 0)
				})
			}
		}
	}
}

// BenchmarkReference has the reference demands, for which the optimum is known.
func BenchmarkReference(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	for _, row := range readTable(b, "hourly-reference") {
		p := &reserve.Problem{Demand: readDemand(b, row[0]), Slot: time.Hour, Prices: readList(b, row[1])}
		for _, a := range planners(0) {
			b.Run(fmt.Sprintf("alg=%s/demand=%s/classes=%s", nameOf(a), row[0], row[1]), func(b *testing.B) {
				benchPlan(b, a, p, money(b, row[2]))
			})
		}
	}
	for _, row := range readTable(b, "weekly-reference") {
		p := &reserve.Problem{Demand: weeks(readDemand(b, row[0])), Slot: time.Hour, Prices: readList(b, row[1]), Every: 168}
		if row[2] == "pure" {
			p.Horizon = reserve.Pure
		}
		b.Run(fmt.Sprintf("alg=sec/demand=%s/classes=%s/cost=%s", row[0], row[1], row[2]), func(b *testing.B) {
			benchPlan(b, &SEC{}, p, money(b, row[6]))
		})
		b.Run(fmt.Sprintf("alg=eq5/demand=%s/classes=%s/cost=%s", row[0], row[1], row[2]), func(b *testing.B) {
			var c reserve.Competitive
			bound, err := c.Bound(p)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if bound, err = c.Bound(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1-bound.Float64()/money(b, row[6]).Float64(), "gap-ratio")
		})
	}
}
