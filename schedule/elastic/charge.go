package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// What instances are charged, and when idle ones are given back for lack of credits.

// earn adds to the credits, or takes from them, and records the level.
func (e *Simulator) earn(m pricing.Money) {
	left, err := e.left.Add(m)
	if err != nil {
		e.fail(badInput("Budget", -1, err, ""))
		return
	}
	e.left = left
	if e.resting && left-e.covered >= e.enough {
		e.wake()
	}
	r := &e.res
	n := len(r.Credits)
	if n == 0 {
		r.LowestCredits, r.LowestLaunch = left, left
	}
	r.LowestCredits = min(r.LowestCredits, left)
	if n > 0 && r.Credits[n-1].At == e.now {
		r.Credits[n-1].Credits = left
	} else if n == 0 || m != 0 {
		r.Credits = append(r.Credits, CreditLevel{e.now, left})
	}
}

// pay charges n instance-hours in a cloud.
func (e *Simulator) pay(cloud, n int) {
	r := &e.res.Infrastructures[cloud]
	r.Hours += int64(n)
	price := e.snap.Clouds[cloud].Price
	if price == 0 || n == 0 {
		return
	}
	cost, err := price.Mul(int64(n))
	if err != nil {
		e.fail(badEnvironment("Price", cloud-1, err, "%d instances", n))
		return
	}
	e.spend(cloud, cost)
}

// spend notes what a cloud costs.
func (e *Simulator) spend(cloud int, cost pricing.Money) {
	r := &e.res.Infrastructures[cloud]
	var err error
	if r.Cost, err = r.Cost.Add(cost); err == nil {
		e.res.Cost, err = e.res.Cost.Add(cost)
	}
	if err != nil {
		e.fail(badEnvironment("Price", cloud-1, err, "all instances"))
		return
	}
	e.earn(-cost)
}

// charges charges the instances that are due now: first those that are paid for in any case.
func (e *Simulator) charges() {
	for _, needed := range [...]bool{true, false} {
		for i := range e.places {
			if e.places[i].due == e.now && !e.places[i].free {
				e.charge(i, needed)
			}
		}
	}
}

// charge charges the due instances of a cloud. With needed, it charges the instances that
// are paid for in any case; then the others, as long as the credits stay at the debt or
// above. What is not paid for is given back.
func (e *Simulator) charge(cloud int, needed bool) {
	p, c := &e.places[cloud], &e.snap.Clouds[cloud]
	due := schedule.Never
	n, freed := 0, 0
	for k := range c.Instances {
		in := &c.Instances[k]
		if in.Due == e.now {
			busy := in.State == Busy
			switch {
			case in.State == Stopping: // it takes longer to go, see Release
				if needed {
					in.Due = schedule.Never
					n++
				}
			case busy || c.Price == 0 || in.State == Booting && !e.cfg.Budget.Covered:
				if busy && e.cfg.Budget.Covered {
					e.covered -= c.Price
				}
				in.Due += hour
				n++
			case needed: // not yet
			case less(e.left-e.covered+e.cfg.Budget.Debt, c.Price, n) >= c.Price:
				in.Due += hour
				n++
			default:
				e.stop(cloud, k)
				in.Due = schedule.Never
				freed++
			}
		}
		due = min(due, in.Due)
	}
	p.due = due
	e.pay(cloud, n)
	if freed > 0 {
		e.decide(Decision{Cloud: cloud, Count: freed, Reason: pastDebt})
	}
}

// settle charges the instances of an infrastructure without a price for the hours that have
// begun before a time. Nothing but the number of hours depends on these charges, so they
// are no events.
func (e *Simulator) settle(i int, before time.Duration) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	if !p.free || p.due >= before {
		return
	}
	p.due = schedule.Never
	for k := range c.Instances {
		in := &c.Instances[k]
		if in.Due < before {
			hours := (before - in.Due + hour - 1) / hour
			in.Due += hours * hour
			if in.State == Stopping { // it takes longer to go, see Release
				hours, in.Due = 1, schedule.Never
			}
			e.res.Infrastructures[i].Hours += int64(hours)
		}
		p.due = min(p.due, in.Due)
	}
}
