package sim

import (
	"cmp"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// A Cloud is where instances are leased. Its zero value is a cloud with the
// Options's meter, price and boot times, without a limit.
type Cloud struct {
	Name   string
	Meter  pricing.Meter             // the zero value is Options.Meter
	Hourly pricing.Money             // the on-demand price of an instance-hour, 0 is Options.Hourly
	Boot   func(n int) time.Duration // nil is Options.Boot

	// Discount is for sustained use, by calendar months counted from
	// Options.Epoch; the zero value is none.
	Discount pricing.SustainedUse

	// Quota is the most instances at once, 0 is no limit.
	Quota int
	// Portfolio, if not nil, buys reservations of this cloud, week by week. The meter must be
	// hourly. With several clouds, reservations change the choice of the cloud for an instance.
	// With one cloud, reservations change nothing in the simulation.
	//
	// The function receives, as demand, the number of instances charged in each of the 168 hours of
	// the past week, at all clouds together: the sum of their CloudResult.Hours. The reason: an
	// instance that runs in another cloud now could run here if it were reserved. The function
	// appends to dst the reservations that serve in the coming week, in any order. It must not keep
	// or modify demand. An error ends the simulation. A portfolio of package reserve/rules fits
	// with a few lines: see the example.
	Portfolio func(dst []placement.Reservation, demand []int) ([]placement.Reservation, error)

	// Scheduler decides which of the jobs of this cloud starts when; nil is
	// EASY backfilling, or with one cloud Options.Scheduler. No two clouds may
	// share one.
	Scheduler schedule.Scheduler
}

// week is how often portfolios look at the demand.
const week = weekHours * time.Hour

const weekHours = 168

// filledIn returns the cloud with the Config's values for zero ones.
func (c Cloud) filledIn(cfg *Options) Cloud {
	if c.Meter == (pricing.Meter{}) {
		c.Meter = cfg.Meter
	}
	if c.Hourly == 0 {
		c.Hourly = cfg.Hourly
	}
	if c.Boot == nil {
		c.Boot = cfg.Boot
	}
	if c.Scheduler == nil {
		c.Scheduler = cfg.Scheduler
	}
	return c
}

// hourly reports whether leases are charged by hours begun.
func hourly(m pricing.Meter) bool { return m.Minimum == time.Hour && m.Increment == time.Hour }

// checkClouds checks the list of clouds.
func (c *Options) checkClouds() error {
	for i := range c.Clouds {
		cl := &c.Clouds[i]
		full := cl.filledIn(c)
		if err := full.Meter.Validate(); err != nil {
			return badCloud("Meter", i, err, "")
		}
		switch {
		case full.Meter.Minimum > replay.MaxTime || full.Meter.Increment > replay.MaxTime:
			return badCloud("Meter", i, ErrRange, "%v and steps of %v: want at most %.0f s", full.Meter.Minimum, full.Meter.Increment, replay.MaxTime.Seconds())
		case cl.Hourly < 0:
			return badCloud("Hourly", i, ErrRange, "%v: want 0 or more", cl.Hourly)
		case cl.Quota < 0:
			return badCloud("Quota", i, ErrRange, "%d: want a number of instances, or 0 for no limit", cl.Quota)
		case cl.Portfolio != nil && !hourly(full.Meter):
			return badCloud("Portfolio", i, ErrRange, "the meter is not hourly: want hours, which reservations are for")
		}
		if c.Mode == Local {
			switch {
			case cl.Meter != (pricing.Meter{}):
				return badCloud("Meter", i, ErrRange, "a local cluster leases nothing: want no meter in mode local")
			case cl.Discount != (pricing.SustainedUse{}):
				return badCloud("Discount", i, ErrRange, "a local cluster leases nothing: want no discount in mode local")
			}
		}
		if cl.Discount != (pricing.SustainedUse{}) {
			if err := cl.Discount.Validate(); err != nil {
				return badCloud("Discount", i, err, "")
			}
			if c.Mode == Individual {
				return badCloud("Discount", i, ErrRange, "each user's use is another's: want no discount in mode individual")
			}
		}
		if c.Mode != SEC || c.bound {
			switch {
			case i > 0:
				return badInput("Clouds", i, ErrRange, "%d clouds: want mode sec for several", len(c.Clouds))
			case cl.Quota > 0:
				return badInput("Clouds", i, ErrRange, "a quota: want mode sec for it")
			case cl.Portfolio != nil:
				return badCloud("Portfolio", i, ErrRange, "a portfolio: want mode sec for reservations")
			}
		}
	}
	if len(c.Clouds) > 1 && c.Scheduler != nil {
		return badInput("Scheduler", -1, ErrRange, "%d clouds cannot share one: want one in each cloud, or none", len(c.Clouds))
	}
	return nil
}

// largest returns the most instances that a job may need by the quotas.
func (c *Options) largest() (most int) {
	for _, cl := range c.Clouds {
		if cl.Quota == 0 {
			return math.MaxInt
		}
		most = max(most, cl.Quota)
	}
	return cmp.Or(most, math.MaxInt)
}

// badCloud returns an error about a field of a cloud.
func badCloud(field string, index int, sentinel error, format string, args ...any) error {
	return badInput("Clouds."+field, index, sentinel, format, args...)
}
