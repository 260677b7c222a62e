package spotsim

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
	"github.com/plimsoll/plimsoll/schedule/spot"
)

// What would take more than about a minute, or times beyond the range of a Duration, is an
// error before the work.
func TestTooMuchWork(t *testing.T) {
	good := Task{Task: spot.Task{Deadline: 2 * time.Hour, Estimate: time.Hour, Instances: 1}}
	cfg := Options{History: steps(2*time.Hour, []time.Duration{0}, pricing.Unit), OnDemand: pricing.Unit}
	for _, c := range []struct {
		name string
		set  func(*Task, *Options)
		want string
	}{
		{"looks", func(_ *Task, c *Options) { c.Handover.Interval = 2 },
			"spotsim: Options.Handover: value out of range: looks every 2ns for up to 3h0m0s at the task at index 0: want at most 2²⁸, such as with a longer Interval"},
		{"looks after a restart", func(t *Task, c *Options) {
			c.Handover.Interval = 2
			t.Checkpoints = spot.Checkpoints{Every: 30 * time.Minute, Restart: 10 * time.Minute}
		},
			"spotsim: Options.Handover: value out of range: looks every 2ns for up to 3h10m0s at the task at index 0: want at most 2²⁸, such as with a longer Interval"},
		{"looks until the last price", func(_ *Task, c *Options) {
			c.Handover.Interval = time.Second
			c.History = steps(replay.MaxTime, []time.Duration{0, replay.MaxTime}, 2*pricing.Unit, pricing.Unit)
		}, "spotsim: Options.Handover: value out of range: looks every 1s for up to 640512h56m49.213693951s at the task at index 0: want at most 2²⁸, such as with a longer Interval"},
		{"a last price after 292 years", func(_ *Task, c *Options) {
			c.History = steps(math.MaxInt64, []time.Duration{0, math.MaxInt64 - 1}, 3*pricing.Unit, pricing.Unit/2)
		}, "spotsim: Options.History: value out of range: a price is set at 2562047h47m16.854775806s: want at most 640511h56m49.213693951s"},
		{"a minimum of 292 years", func(_ *Task, c *Options) {
			c.Spot = pricing.SpotMeter{Meter: pricing.Meter{Minimum: math.MaxInt64, Increment: 1}}
		},
			"spotsim: Options.Spot: value out of range: a minimum or an increment of 2562047h47m16.854775807s: want at most 640511h56m49.213693951s"},
		{"an increment of 292 years", func(_ *Task, c *Options) { c.Meter = pricing.Meter{Increment: math.MaxInt64} },
			"spotsim: Options.Meter: value out of range: a minimum or an increment of 2562047h47m16.854775807s: want at most 640511h56m49.213693951s"},
	} {
		task, o := good, cfg
		c.set(&task, &o)
		_, err := new(Simulator).Run([]Task{task}, o)
		if !errors.Is(err, spot.ErrRange) || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}
