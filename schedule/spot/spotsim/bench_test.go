package spotsim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
)

// A task on spot over a synthetic history with spikes every eight hours, by rule:
// time a task, share of deadlines met, cost as a part of that on demand, and
// clusters interrupted a task.
func BenchmarkSpotRun(b *testing.B) {
	mk := spikyMarkets(2, 1)[1]
	for _, saves := range []bool{false, true} {
		tasks := randomTasks(&mk.history, 100, saves, rand.New(rand.NewPCG(8, 1)))
		for _, w := range ways() {
			name := "rule=" + w.name
			if saves {
				name += "/checkpoints=60m"
			}
			b.Run(name, func(b *testing.B) {
				cfg := Options{
					History: mk.history, OnDemand: mk.onDemand, Setup: 5 * time.Minute,
					Spot: pricing.EC2SpotHourly, Meter: pricing.EC2Hourly,
					Handover: w.handover, Medium: w.medium, Low: w.low, Alone: w.alone,
				}
				var s Simulator
				var r Result
				var err error
				for b.Loop() {
					if r, err = s.Run(tasks, cfg); err != nil {
						b.Fatal(err)
					}
				}
				n := float64(len(tasks))
				b.ReportMetric(float64(b.Elapsed().Microseconds())/n/float64(b.N), "µs/task")
				b.ReportMetric(float64(r.Met)/n, "met-ratio")
				b.ReportMetric(r.Cost.Float64()/r.OnDemandOnly.Float64(), "cost-ratio")
				b.ReportMetric(float64(r.Interruptions)/n, "interruptions/task")
			})
		}
	}
}
