package elastic

import (
	"time"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// Spot clouds. A spot cloud charges the price of its history that is in force when an hour
// of an instance begins. While the price is above the bid, the cloud is closed: it launches
// nothing. When the price rises above the bid, the cloud ends all its instances at once, and
// the hour that it cuts short is free. That is pricing.EC2SpotHourly, Amazon's rule until
// 2017 and the rule of [Huang13]. TestSpotMeter compares the two.
//
// A job that runs there loses all of its work, and goes back to its place in the queue. Its
// queued time is then all the time from its submission to its last start.
//
// A policy sees the present price, and nothing of the bid or of prices to come. Prices
// change between evaluations, and each change ends the rest of a policy.

// A Spot is what a spot cloud charges, and when it ends instances.
type Spot struct {
	History pricing.SpotHistory // of the price of an instance-hour; after its End the last price holds
	From    time.Duration       // the time of the history at which the simulation begins
	Bid     pricing.Money       // the most that is paid for an instance-hour; > 0
}

// lowest returns the least price from the beginning of the simulation on.
func (s *Spot) lowest() pricing.Money {
	h := &s.History
	least := h.At(s.From)
	for _, p := range h.Prices[h.Index(s.From):] {
		least = min(least, p)
	}
	return least
}

func (s *Spot) check(i int, c *CloudOptions) error {
	if err := s.History.Validate(); err != nil {
		return badEnvironment("Spot.History", i, err, "")
	}
	switch h := &s.History; {
	case c.Price != 0:
		return badEnvironment("Price", i, ErrRange, "%v an hour with a spot price: want one of them", c.Price)
	case s.From < h.Start() || s.From > h.End:
		return badEnvironment("Spot.From", i, ErrRange, "%v: want a time of the history, which has prices from %v to %v", s.From, h.Start(), h.End)
	case s.Bid <= 0:
		return badEnvironment("Spot.Bid", i, ErrRange, "%v an hour: want more than 0", s.Bid)
	case c.Limit == NoLimit && s.lowest() == 0:
		return badEnvironment("Limit", i, ErrUnbounded, "none, and the spot price falls to 0: want a limit, such as 512")
	}
	return nil
}

// price sets the price of a spot cloud at the present moment, and when it changes next.
func (e *Simulator) price(i int) {
	p, c := &e.places[i], &e.snap.Clouds[i]
	at := e.now + p.spot.From
	c.Price = p.spot.History.At(at)
	c.Closed = c.Price > p.spot.Bid
	p.change = schedule.Never
	if next, ok := p.spot.History.Next(at); ok {
		p.change = next - p.spot.From
	}
}

// reprice carries a change of a spot price out.
func (e *Simulator) reprice(i int) {
	e.wake()
	e.price(i)
	e.sortPlaces()
	if e.snap.Clouds[i].Closed {
		e.revoke(i)
	}
}

// revoke ends all instances of a spot cloud.
func (e *Simulator) revoke(i int) {
	p, c, r := &e.places[i], &e.snap.Clouds[i], &e.res.Infrastructures[i]
	for k := range c.Instances {
		in := &c.Instances[k]
		if in.State == Stopping && in.Due == schedule.Never {
			continue
		}
		if in.State == Busy && p.job[k] >= 0 {
			e.requeue(i, p.job[k])
		}
		if in.Due != schedule.Never && in.Due > e.now { // the hour that is cut short is free
			paid := p.spot.History.At(in.Due - hour + p.spot.From)
			r.Hours--
			r.Cost -= paid
			e.res.Cost -= paid
			e.earn(paid)
		}
		if in.State != Stopping {
			p.stopping++
			r.Revoked++
		}
		in.State, in.Due, in.Ready = Stopping, schedule.Never, e.now
	}
	p.idle, p.due = 0, schedule.Never
}

// requeue puts a job whose instances were ended back to its place in the queue.
func (e *Simulator) requeue(i int, index int32) {
	p, r := &e.places[i], &e.res.Infrastructures[i]
	for k := range p.job {
		if p.job[k] == index {
			p.job[k] = -1
		}
	}
	j := schedule.Job{ID: int64(index), User: e.jobs[index].User, Submit: e.jobs[index].Submit, Estimate: e.jobs[index].Estimate, Nodes: e.jobs[index].Nodes}
	r.Requeued++
	p.lost.Add(e.now-e.res.Starts[index], j.Nodes)
	e.res.Starts[index], e.res.Places[index], e.ends[index] = -1, -1, -1
	e.since = e.now
	e.cores += j.Nodes
	e.head--
	k := e.head
	for ; k+1 < len(e.queue) && e.queue[k+1].ID < j.ID; k++ {
		e.queue[k] = e.queue[k+1]
	}
	e.queue[k] = j
}
