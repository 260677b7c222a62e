package sim

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/heaps"
	"github.com/plimsoll/plimsoll/pricing"
)

// A usage computes costs under a sustained-use discount while instances come and go.
//
// Package pricing stacks charged times up to inferred instances. Rank k is the inferred instance
// number k: it is in use while k or more instances are charged for. An instance counts from its
// request to the end of its charged time, which may come after its release. A queue holds the ends
// that are still to come. A change of the number of instances touches only the ranks between the
// old and the new number. So a lease takes O(log E) with E ends in the queue, and the end of a
// month takes O(ranks).
type usage struct {
	on       bool
	discount pricing.SustainedUse
	hourly   pricing.Money
	epoch    time.Time

	from, to time.Duration              // the present month
	n        int                        // instances charged for now
	used     []time.Duration            // by rank: in this month, without what runs on
	since    []time.Duration            // by rank up to n: since when it is used
	ends     heaps.Queue[time.Duration] // how many end then is the tie
	cost     pricing.Money              // of the months before
	err      error
}

func (u *usage) reset(discount pricing.SustainedUse, hourly pricing.Money, epoch time.Time) {
	*u = usage{
		on: discount != pricing.SustainedUse{}, discount: discount, hourly: hourly, epoch: epoch,
		used: u.used[:0], since: u.since[:0], ends: u.ends,
	}
	u.ends.Reset()
	if u.on {
		y, m, _ := epoch.Date()
		u.from = time.Date(y, m, 1, 0, 0, 0, 0, epoch.Location()).Sub(epoch)
		u.to = u.monthAfter(0)
	}
}

// monthAfter returns the end of the month in which a time is.
func (u *usage) monthAfter(at time.Duration) time.Duration {
	y, m, _ := u.epoch.Add(at).Date()
	return time.Date(y, m+1, 1, 0, 0, 0, 0, u.epoch.Location()).Sub(u.epoch)
}

// begin counts n more instances from now on.
func (u *usage) begin(now time.Duration, n int) {
	u.advance(now)
	for range n {
		if u.n == len(u.used) {
			u.used, u.since = append(u.used, 0), append(u.since, 0)
		}
		u.since[u.n] = now
		u.n++
	}
}

// end says until when n instances are charged for, which is not before now.
func (u *usage) end(at time.Duration, n int) { u.ends.Push(at, int64(n)) }

// advance brings ends and months up to now, those of now included.
func (u *usage) advance(now time.Duration) {
	for u.ends.Len() > 0 && u.ends.Min().Key <= now {
		e := u.ends.Pop()
		u.months(e.Key)
		for range e.Tie {
			u.n--
			u.used[u.n] += e.Key - u.since[u.n]
		}
	}
	u.months(now)
}

// months closes the months that end at a time or before.
func (u *usage) months(at time.Duration) {
	for u.to <= at {
		u.bill(u.to)
		u.from = u.to
		u.to = u.monthAfter(u.from)
	}
}

// bill adds up what the present month costs until a time in it.
func (u *usage) bill(until time.Duration) {
	for k := range u.used {
		if k < u.n {
			u.used[k] += until - u.since[k]
			u.since[k] = until
		}
		if u.used[k] == 0 || u.err != nil {
			continue
		}
		cost, err := u.discount.Cost(u.hourly, u.used[k], u.to-u.from)
		if err == nil {
			u.cost, err = u.cost.Add(cost)
		}
		u.used[k], u.err = 0, err
	}
}

// upTo makes used hold for the ranks from one on.
func (u *usage) upTo(now time.Duration, rank int) {
	u.advance(now)
	for k := rank; k < u.n; k++ {
		u.used[k] += now - u.since[k]
		u.since[k] = now
	}
}

// close ends the account and returns what all months cost, each inferred
// instance of each month rounded half to even.
func (u *usage) close() (pricing.Money, error) {
	if u.on {
		for u.ends.Len() > 0 {
			u.advance(u.ends.Min().Key)
		}
		u.bill(u.to)
	}
	return u.cost, u.err
}
