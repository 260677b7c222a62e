package sim

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// A Cloud is where instances are leased. Its zero value is a cloud with the
// Options's meter, price and boot times, without a limit.
type Cloud struct {
	Name   string
	Meter  pricing.Meter // the zero value is Config.Meter
	Hourly pricing.Money // the on-demand price of an instance-hour, 0 is Config.Hourly
	Boot   Boot          // nil is Config.Boot

	// Discount is for sustained use, by calendar months counted from
	// Options.Epoch; the zero value is none.
	Discount pricing.SustainedUse

	// Quota is the most instances at once, 0 is no limit.
	Quota int
	// Ask, if not nil, decides on requests: the cloud may refuse or delay them.
	Ask Ask
	// Portfolio, if not nil, buys reservations of this cloud. Several clouds are
	// chosen from by what is reserved; with one cloud nothing depends on it. The
	// meter has to be hourly.
	Portfolio Portfolio

	// Scheduler decides which of the jobs of this cloud starts when; nil is
	// EASY backfilling, or with one cloud Config.Scheduler. No two clouds may
	// share one.
	Scheduler schedule.Scheduler
}

// An Ask decides at a time on a request of n > 0 instances: whether the cloud
// grants it, as a whole, and after what delay beyond the usual boot time they are
// up. What it refuses may be asked again after Config.RetryEvery.
//
// The whole request counts, for all jobs that it is for: a cloud that never grants
// more than k may be asked for more although each job needs less, and refuse for ever.
// Jobs that no cloud ever grants instances to end the simulation with an error, which
// names the cloud that refused last; a Quota is the limit that requests keep to.
type Ask func(now time.Duration, n int) (delay time.Duration, granted bool)

// RefuseSome returns an [Ask] that refuses a request with the given probability,
// whatever its size, and delays none. It draws one number from rnd for each
// request. It panics unless 0 ≤ probability ≤ 1, and if rnd is nil.
func RefuseSome(probability float64, rnd *rand.Rand) Ask {
	if !(probability >= 0 && probability <= 1) {
		panic("sim: probability that is not between 0 and 1")
	}
	if rnd == nil {
		panic("sim: nil source of randomness")
	}
	return func(time.Duration, int) (time.Duration, bool) {
		return 0, rnd.Float64() >= probability
	}
}

// A Portfolio buys reservations for a cloud, week by week.
//
// Observe takes the instances that were charged for in each of the 168 hours of
// the week that has passed, at all clouds together (the sum of what will be their
// CloudResult.Hours), and appends to dst the reservations that serve in the week to
// come, in any order: what runs elsewhere now could run here if it were reserved.
// demand is not to be kept or modified. An error ends the simulation.
//
// A portfolio of package reserve fits with a few lines: see the example.
type Portfolio interface {
	Observe(dst []placement.Reservation, demand []int) ([]placement.Reservation, error)
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
			return wrongCloud("Meter", i, err)
		}
		switch {
		case full.Meter.Minimum > maxTime || full.Meter.Increment > maxTime:
			return badCloud("Meter", i, ErrRange, "%v and steps of %v: want at most %.0f s", full.Meter.Minimum, full.Meter.Increment, maxTime.Seconds())
		case cl.Hourly < 0:
			return badCloud("Hourly", i, ErrRange, "%v is negative", cl.Hourly)
		case cl.Quota < 0:
			return badCloud("Quota", i, ErrRange, "%d is negative: want a number of instances, or 0 for no limit", cl.Quota)
		case cl.Portfolio != nil && !hourly(full.Meter):
			return badCloud("Portfolio", i, ErrRange, "the meter is not hourly: reservations are for hours")
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
				return wrongCloud("Discount", i, err)
			}
			if c.Mode == Individual {
				return badCloud("Discount", i, ErrRange, "each user's use is another's: want no discount in mode individual")
			}
		}
		if c.Mode != SEC || c.Bound {
			switch {
			case i > 0:
				return badCloud("", i, ErrRange, "only mode sec, not bound, runs on several clouds")
			case cl.Quota > 0, cl.Ask != nil:
				return badCloud("", i, ErrRange, "only mode sec, not bound, has quotas and refusals")
			case cl.Portfolio != nil:
				return badCloud("Portfolio", i, ErrRange, "only mode sec, not bound, buys reservations")
			}
		}
	}
	if len(c.Clouds) > 1 && c.Scheduler != nil {
		return badInput("Scheduler", -1, ErrRange, "%d clouds cannot share one: want one in each cloud, or none", len(c.Clouds))
	}
	return nil
}

// largest returns the most instances that a job may need, and whether there is
// a limit.
func (c *Options) largest() (most int, limited bool) {
	for _, cl := range c.Clouds {
		if cl.Quota == 0 {
			return 0, false
		}
		most = max(most, cl.Quota)
	}
	return most, len(c.Clouds) > 0
}

// badCloud returns an error about a cloud, or about one of its fields.
func badCloud(field string, index int, sentinel error, format string, args ...any) error {
	return wrongCloud(field, index, fmt.Errorf("%w: "+format, append([]any{sentinel}, args...)...))
}

func wrongCloud(field string, index int, err error) error {
	name := fmt.Sprintf("Clouds[%d]", index)
	if field != "" {
		name += "." + field
	}
	return &InputError{name, -1, err}
}

// A site is the part of the cluster that is at one cloud.
type site struct {
	index int
	cloud Cloud
	easy  schedule.EASY
	schd  schedule.Scheduler

	held, busy  int
	booting     int
	idle        []placement.Instance
	idleOf      []int32       // the lease of each idle instance
	long        int           // Σ nodes of waiting jobs with estimates above Short
	nextRelease time.Duration // see Simulator.release
	skipped     bool          // a check, because jobs waited
	closed      time.Duration // until then it is not asked, because it has refused

	jobs, leases, refused int
	paid                  span
	cost                  pricing.Money
	usage                 usage
	levels                []Level // only where there are several
	hours                 []int   // see CloudResult; from summed on, differences
	part                  []part  // where not byHour: what is to be added to them
	summed                int
	byHour                bool
	reserved              []placement.Reservation
}

func (c *site) reset(index int, cloud Cloud, epoch time.Time) {
	c.index, c.cloud = index, cloud
	if c.schd = cloud.Scheduler; c.schd == nil {
		c.schd = &c.easy
	}
	c.schd.Reset(0)
	c.held, c.busy, c.booting = 0, 0, 0
	c.idle, c.idleOf = c.idle[:0], c.idleOf[:0]
	c.long, c.nextRelease, c.skipped, c.closed = 0, schedule.Never, false, 0
	c.jobs, c.leases, c.refused = 0, 0, 0
	c.paid, c.cost = span{}, 0
	c.usage.reset(cloud.Discount, cloud.Hourly, epoch)
	c.levels, c.hours, c.part = c.levels[:0], c.hours[:0], c.part[:0]
	c.summed, c.reserved = 0, c.reserved[:0]
	c.byHour = hourly(cloud.Meter)
}

// queued keeps the sums over the queue: job enters (1) or leaves (-1) it.
func (c *site) queued(j schedule.Job, short time.Duration, sign int) {
	if j.Estimate > short {
		c.long += sign * j.Nodes
	}
}

// spare returns how many instances are idle or boot and no waiting job needs.
func (c *site) spare() int { return max(0, len(c.idle)+c.booting-c.schd.Waiting().Nodes) }

// begin accounts for the begin of n leases.
func (c *site) begin(now time.Duration, n int) {
	c.leases += n
	c.count(now, n)
	if c.usage.on {
		c.usage.begin(now, n)
	}
}

// pay accounts for the end of n leases of a length from start on.
func (c *site) pay(start, length time.Duration, n int) error {
	charged := c.cloud.Meter.Charged(length)
	c.paid.add(charged, n)
	c.count(start+charged, -n)
	var one pricing.Money
	var err error
	if c.usage.on {
		c.usage.end(start+charged, n)
		one = c.cloud.Meter.StartUp
	} else {
		one, err = c.cloud.Meter.Cost(c.cloud.Hourly, length)
	}
	if err == nil {
		one, err = one.Mul(int64(n))
	}
	if err == nil {
		c.cost, err = c.cost.Add(one)
	}
	return err
}

// count notes that from a time on n more instances are charged for.
//
// With an hourly meter a lease counts in the hours of the trace in which one of
// its own begins: from that of its begin up to, and without, that of its end.
// Otherwise it counts in each hour for the part in which it is charged for: fully
// from the next hour on, and for the rest of this one.
func (c *site) count(at time.Duration, n int) {
	hour := int(at / time.Hour)
	if c.byHour {
		c.room(hour)
		c.hours[hour] += n
		return
	}
	c.room(hour + 1)
	c.hours[hour+1] += n
	c.part[hour].add(n, time.Hour-at%time.Hour)
}

// A part is instances charged for in parts of an hour: a whole number of them for all
// of it, and a rest below an hour. As one time the sum would not fit beyond 2.5 million
// instances.
type part struct {
	whole int
	rest  time.Duration
}

// add adds n instances, or takes -n away, for d of the hour.
func (p *part) add(n int, d time.Duration) {
	sign := 1
	if n < 0 {
		n, sign = -n, -1
	}
	high, low := bits.Mul64(uint64(n), uint64(d))
	whole, rest := bits.Div64(high, low, uint64(time.Hour)) // d ≤ 1 h, so it is at most n
	p.whole += sign * int(whole)
	p.rest += time.Duration(sign) * time.Duration(rest)
	switch {
	case p.rest < 0:
		p.whole, p.rest = p.whole-1, p.rest+time.Hour
	case p.rest >= time.Hour:
		p.whole, p.rest = p.whole+1, p.rest-time.Hour
	}
}

// rounded returns the nearest number of instances.
func (p part) rounded() int { return p.whole + int((p.rest+time.Hour/2)/time.Hour) }

// room makes an hour, and those before it, exist.
func (c *site) room(hour int) {
	for len(c.hours) <= hour {
		c.hours = append(c.hours, 0)
		if !c.byHour {
			c.part = append(c.part, part{})
		}
	}
}

// sum turns the differences of the hours before one into numbers of instances.
func (c *site) sum(before int) {
	for c.summed < before {
		if c.summed > 0 {
			c.hours[c.summed] += c.hours[c.summed-1]
		}
		c.summed++
	}
}

// hour returns the instances charged for in an hour that is summed up.
func (c *site) hour(k int) int {
	if c.byHour {
		return c.hours[k]
	}
	return c.hours[k] + c.part[k].rounded()
}
