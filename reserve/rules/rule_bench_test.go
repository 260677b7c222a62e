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

// BenchmarkObserve is one slot of a daily pattern with noise, shown a term ahead.
func BenchmarkObserve(b *testing.B) {
	for _, term := range []int{24, 720, 8760} {
		o := reserve.Offer{Price: 60, Fee: 60 * int64(term) * 52 / 100, Term: term}
		rng := rand.New(rand.NewPCG(1, 1)) // seed 1, 1
		d := make([]int, 1<<16)
		for i := range d {
			d[i] = 1000 + 400*((i/12)%2) + rng.IntN(300)
		}
		rules := onlineRules(0)
		for _, name := range []string{"wang", "wang-random", "history", "rho", "rho-mended", "rho-deferred", "robust"} {
			b.Run(fmt.Sprintf("rule=%s/term=%d", name, term), func(b *testing.B) {
				rule := rules[name]
				if err := rule.Reset(o); err != nil {
					b.Fatal(err)
				}
				for i := range 2 * term {
					rule.Observe(d[i], d[i+1:i+term])
				}
				i := 2 * term
				b.ReportAllocs()
				for b.Loop() {
					rule.Observe(d[i], d[i+1:i+term])
					if i++; i == len(d)-term {
						i = 0
					}
				}
			})
		}
	}
}

// BenchmarkRule plans whole demand files with windows of a term and forecasts
// with errors, and reports how much the plans cost above the optimum.
func BenchmarkRule(b *testing.B) {
	if os.Getenv(shared.Env) == "" {
		b.Skip(shared.Env, " is not set")
	}
	var exact reserve.Exact
	for _, term := range []string{"day", "month"} {
		for _, demand := range []string{"sdsc-ds", "sdsc-blue", "lanl-cm5", "unilu-gaia", "hpc2n"} {
			p := &reserve.Problem{Demand: readDemand(b, demand), Slot: time.Hour, Prices: readList(b, term+"-reservation")}
			plan, err := exact.AppendPlan(nil, p)
			if err != nil {
				b.Fatal(err)
			}
			optimum := mustBill(b, p, plan)
			for _, name := range []string{"wang", "history", "rho", "rho-mended", "rho-deferred", "robust"} {
				for _, percent := range []int{0, 20, 40} {
					if percent > 0 && (name == "wang" || name == "history") {
						continue // which see no forecast
					}
					b.Run(fmt.Sprintf("rule=%s/term=%s/demand=%s/error=%d", name, term, demand, percent), func(b *testing.B) {
						rule := onlineRules(0)[name]
						gap := overOptimum(b, rule, p, percent, optimum) - 1
						var plan []pricing.Purchase
						b.ReportAllocs()
						for b.Loop() {
							if plan, err = rule.AppendPlan(plan[:0], p); err != nil {
								b.Fatal(err)
							}
						}
						b.ReportMetric(gap, "gap-ratio")
					})
				}
			}
			b.Run(fmt.Sprintf("rule=wang-random/term=%s/demand=%s/error=0", term, demand), func(b *testing.B) {
				var a WangRandom
				o, err := reserve.OfferOf(p, 0)
				if err != nil {
					b.Fatal(err)
				}
				all, err := appendThresholds(nil, o)
				if err != nil {
					b.Fatal(err)
				}
				mean := 0.0
				var plan []pricing.Purchase
				for _, x := range all {
					if plan, err = a.appendPlanAt(plan[:0], p, x.slots); err != nil {
						b.Fatal(err)
					}
					mean += x.prob * mustBill(b, p, plan).Float64()
				}
				b.ReportAllocs()
				for b.Loop() {
					if plan, err = a.appendPlanAt(plan[:0], p, int64(len(all)+1)/2); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(mean/optimum.Float64()-1, "gap-ratio")
			})
		}
	}
}
