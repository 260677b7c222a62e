package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/internal/replay"
)

// A site is the part of the cluster that is at one cloud.
type site struct {
	index int
	cloud Cloud
	easy  schedule.EASY
	schd  schedule.Scheduler

	held, busy  int
	booting     int
	up          int           // idle instances
	idle        []idleSpan    // what is taken first is last
	due         time.Duration // no idle instance is due before
	long        int           // Σ nodes of waiting jobs with estimates above Short
	nextRelease time.Duration // see Simulator.release
	skipped     bool          // a check, because jobs waited

	jobs, leases int
	paid         replay.Sum
	cost         pricing.Money
	usage        usage
	course       course // only where there are several
	hours        []int  // see CloudResult; from summed on, differences
	part         []part // where not byHour: what is to be added to them
	summed       int
	byHour       bool
	reserved     []placement.Reservation
}

func (c *site) reset(index int, cloud Cloud, epoch time.Time) {
	c.index, c.cloud = index, cloud
	if c.schd = cloud.Scheduler; c.schd == nil {
		c.schd = &c.easy
	}
	c.schd.Reset(0)
	c.held, c.busy, c.booting = 0, 0, 0
	c.up, c.idle, c.due = 0, c.idle[:0], schedule.Never
	c.long, c.nextRelease, c.skipped = 0, schedule.Never, false
	c.jobs, c.leases = 0, 0
	c.paid, c.cost = replay.Sum{}, 0
	c.usage.reset(cloud.Discount, cloud.Hourly, epoch)
	c.hours, c.part = c.hours[:0], c.part[:0]
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
func (c *site) spare() int {
	_, wanted := c.schd.Waiting()
	return max(0, c.up+c.booting-wanted)
}

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
	c.paid.Add(charged, n)
	c.count(start+charged, -n)
	var cost pricing.Money
	var err error
	if c.usage.on {
		c.usage.end(start+charged, n)
		cost, err = c.cloud.Meter.StartUp.Mul(int64(n))
	} else {
		cost, err = replay.Cost(c.cloud.Meter, c.cloud.Hourly, length, n)
	}
	if err == nil {
		c.cost, err = c.cost.Add(cost)
	}
	return err
}

// count adds n to the number of charged instances from the time at on. A negative n ends charges.
//
// With an hourly meter, a lease counts once in each hour of the trace in which one of its charged
// hours begins. The first is the hour in which the lease begins. The last is the hour before the
// one in which its charge ends. With another meter, a lease counts in each
// hour of the trace for the part of the hour that is charged. So a lease that begins at the time at
// counts for the rest of the present hour, and fully from the next hour on.
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
	whole, rest, _ := wide.Product(uint64(n), uint64(d)).Over(uint64(time.Hour)) // d ≤ 1 h, so whole is at most n
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

// charged returns what all leases were charged for, and sums up their cost.
func (s *Simulator) charged() (all replay.Sum, err error) {
	err = s.err
	for _, c := range s.sites {
		if err == nil {
			var cost pricing.Money
			if cost, err = c.usage.close(); err == nil {
				c.cost, err = c.cost.Add(cost)
			}
		}
		if err == nil {
			s.res.Cost, err = s.res.Cost.Add(c.cost)
		}
		all.Plus(c.paid)
		c.sum(len(c.hours))
	}
	return all, err
}
