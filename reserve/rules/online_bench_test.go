package rules

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/forecast"
	"github.com/plimsoll/plimsoll/forecast/smoothing"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// cc2 is the price list of [Niu16] section 8.5: heavy and light classes of one and
// three years, all billed by use as the paper does.
var cc2 = pricing.List{OnDemand: 2400 * pricing.Milli, Classes: []pricing.Class{
	{Name: "1y-light", Term: 52 * 168 * time.Hour, Upfront: 1762 * pricing.Unit, Hourly: 904 * pricing.Milli, Billed: pricing.WhenUsed},
	{Name: "1y-heavy", Term: 52 * 168 * time.Hour, Upfront: 5000 * pricing.Unit, Hourly: 361 * pricing.Milli, Billed: pricing.WhenUsed},
	{Name: "3y-light", Term: 156 * 168 * time.Hour, Upfront: 2710 * pricing.Unit, Hourly: 904 * pricing.Milli, Billed: pricing.WhenUsed},
	{Name: "3y-heavy", Term: 156 * 168 * time.Hour, Upfront: 7670 * pricing.Unit, Hourly: 361 * pricing.Milli, Billed: pricing.WhenUsed},
}}

// BenchmarkOnline decides on purchases at the end of each of 156 weeks of hours, for
// a demand of 300 instances on average that grows, with noise and a daily cycle. It
// reports the milliseconds of the slowest decision beside the mean, and what the
// portfolio cost over the optimum with hindsight.
func BenchmarkOnline(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 9)) // seed 8, 9
	demand := make([]int, 156*168)
	level := 0.0
	for t := range demand {
		if t%168 == 0 {
			level = (200 + float64(t/168)*200/156) * math.Exp(.2*rng.NormFloat64())
		}
		demand[t] = int(level * (1 + .3*math.Sin(float64(t)*math.Pi/12) + .2*rng.NormFloat64()))
		demand[t] = max(0, demand[t])
	}
	years := cc2 // of 365 days, which weeks do not divide
	years.Classes = slices.Clone(cc2.Classes)
	for k := range years.Classes {
		c := &years.Classes[k]
		c.Term = c.Term / (52 * 168) * 8760
	}
	all := []int{40, 40, 40, 40}
	for _, c := range []struct {
		name    string
		prices  pricing.List
		planner reserve.Planner
		q       float64
		caps    []int
	}{
		{"planner=exact/terms=weeks", cc2, new(reserve.Exact), .4, nil},
		{"planner=exact/terms=years", years, new(reserve.Exact), .4, nil},
		{"planner=exact/terms=weeks/capped", cc2, new(reserve.Exact), .4, all},
		{"planner=exact/terms=years/capped", years, new(reserve.Exact), .4, all},
		{"planner=greedy/terms=weeks", cc2, new(SEC), .4, nil},
		{"planner=greedy/terms=years", years, new(SEC), .4, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := &reserve.Problem{Demand: demand, Slot: time.Hour, Every: 168, Prices: c.prices, Horizon: reserve.Pure}
			f := new(forecast.Predictor)
			o := Online{Forecaster: f, Planner: c.planner, Quantile: c.q, Caps: c.caps}
			var plan []pricing.Purchase
			slowest := time.Duration(math.MaxInt64) // of a run, in the quietest one
			decisions := 0
			for b.Loop() {
				*f = forecast.Predictor{Model: &smoothing.Simple{Alpha: .05}}
				if err := o.Reset(p); err != nil {
					b.Fatal(err)
				}
				plan = plan[:0]
				worst := time.Duration(0)
				for t := 0; t+168 < len(demand); t += 168 {
					begin := time.Now()
					var err error
					if plan, err = o.Observe(plan, demand[t:t+168]); err != nil {
						b.Fatal(err)
					}
					worst = max(worst, time.Since(begin))
					decisions++
				}
				slowest = min(slowest, worst)
			}
			b.StopTimer()
			r, err := regretOf(p, plan)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(r.Ratio(), "cost-ratio")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(decisions), "ms/decision")
			b.ReportMetric(float64(slowest.Microseconds())/1e3, "ms-slowest")
		})
	}
}
