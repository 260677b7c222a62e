package sim

import (
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Each lease costs one fee more than without a fee for each start. This also holds where the
// use is billed by the month under a discount.
func TestStartUpFee(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 71))
	var jobs []trace.Job
	for i := range 60 {
		jobs = append(jobs, job(int64(i+1), float64(i*7), 3+float64(rng.IntN(200)), 1+rng.IntN(4)))
	}
	for name, c := range map[string]Cloud{
		"plain":    {Hourly: 600 * pricing.Milli, Meter: pricing.GCE2014},
		"hourly":   {Hourly: 600 * pricing.Milli, Meter: pricing.EC2Hourly},
		"discount": {Hourly: 600 * pricing.Milli, Meter: pricing.GCE2014, Discount: pricing.GCE2014SustainedUse},
	} {
		cost := func(fee pricing.Money) (pricing.Money, CloudResult) {
			c := c
			c.Meter.StartUp = fee
			r := run(t, jobs, Options{Clouds: []Cloud{c}})
			if r.Cost != r.Clouds[0].Cost {
				t.Errorf("%s: costs %v, its cloud %v", name, r.Cost, r.Clouds[0].Cost)
			}
			return r.Cost, r.Clouds[0]
		}
		free, without := cost(0)
		const fee = 70 * pricing.Milli
		got, with := cost(fee)
		if with.Leases != without.Leases || with.Leases == 0 || got-free != fee*pricing.Money(with.Leases) {
			t.Errorf("%s: %v with fees, %v without, for %d leases", name, got, free, with.Leases)
		}
	}
}
