package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Each lease costs one fee more than without a fee for each start. This also holds where the
// use is billed by the month under a discount, and where some requests are refused.
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
		for _, refuses := range []bool{false, true} {
			cost := func(fee pricing.Money) (pricing.Money, CloudResult) {
				c := c
				c.Meter.StartUp = fee
				if refuses {
					c.Ask = func(now time.Duration, n int) (time.Duration, bool) { return 0, (int(now/time.Second)+n)%3 > 0 }
				}
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
				t.Errorf("%s, refuses %v: %v with fees, %v without, for %d leases", name, refuses, got, free, with.Leases)
			}
			if refuses && (with.Refused == 0 || with.Jobs != 60) {
				t.Errorf("%s: %d refused, %d jobs", name, with.Refused, with.Jobs)
			}
		}
	}
}

// Clouds that never refuse, or always, are allowed.
func TestRefuseSomeEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for probability, want := range map[float64]int{0: 1000, 1: 0, .5: 500} {
		ask, granted := RefuseSome(probability, rng), 0
		for range 1000 {
			if delay, ok := ask(0, 3); ok {
				granted++
			} else if delay != 0 {
				t.Errorf("a delay of %v", delay)
			}
		}
		if granted < want-60 || granted > want+60 || want%1000 == 0 && granted != want {
			t.Errorf("%v: %d of 1000 granted", probability, granted)
		}
	}
}
