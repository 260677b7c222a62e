package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/allocs"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// A warm Simulator allocates nothing, neither for an event nor for a run.
func TestRunAllocatesNothing(t *testing.T) {
	src := rand.NewPCG(1, 2)
	rnd := rand.New(src)
	conservative := new(schedule.Conservative)
	for name, cfg := range map[string]Options{
		"local":        {Mode: Local, Nodes: 64},
		"conservative": {Mode: Local, Nodes: 64, Scheduler: conservative},
		"individual":   {Mode: Individual},
		"nowait":       {Mode: NoWait},
		"sec":          {},
		"sum":          {Expansion: schedule.SumSize, Placement: placement.MinMarginFirst},
		"bound":        {bound: true},
		"random":       {Placement: placement.Random, Rand: rnd},
		"clouds": {Reformat: time.Second, Clouds: []Cloud{
			{Portfolio: halfPeak, Quota: 300},
			{Meter: pricing.GCE2014, Hourly: 1920 * pricing.Milli, Discount: pricing.GCE2014SustainedUse},
		}},
	} {
		n := 5000
		if name == "conservative" {
			n = 500
		}
		logs := [][]trace.Job{flood(n, 7, 150*time.Second, 1), flood(n, 5, 90*time.Second, 2), flood(n/2, 7, 10*time.Second, 3), flood(n/10, 7, time.Second, 4)}
		var s Simulator
		one := func(jobs []trace.Job) {
			src.Seed(1, 2)
			if _, err := s.Run(jobs, cfg); err != nil {
				t.Fatal(name, err)
			}
		}
		for _, jobs := range logs {
			one(jobs)
		}
		for k, jobs := range logs {
			if n := allocs.Once(func() { one(jobs) }); n != 0 {
				t.Errorf("%s, log %d: %v allocations", name, k, n)
			}
		}
	}
}
