package main

import (
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/federation"
	"github.com/plimsoll/plimsoll/pricing"
)

// A sharing is what a federation costs with the plans of its centres.
type sharing struct {
	centres []federation.Statement
	total   federation.Statement
	cost    pricing.Money
	held    int64
	moved   [][]int64 // bytes from one centre to another
}

// hours are the instance-hours of reservations: those used by any centre, and all.
func (s *sharing) hours() (used, held int64) { return int64(s.total.Own + s.total.Lent), s.held }

// hoursOf are the used hours of the reservations of one centre.
func (s *sharing) hoursOf(i int) int64 { return int64(s.centres[i].Own + s.centres[i].Lent) }

// used is the used share of the reserved hours.
func (s *sharing) used() float64 { return utilisation(s.hours()) }

// tasks are the jobs of all centres in the window's hours, cut off at the window's end.
func tasks(centres []*centre) []federation.Task {
	var all []federation.Task
	for i, c := range centres {
		for k, j := range c.jobs {
			end := min(len(c.demand), int((j.Submit+j.Run+time.Hour-1)/time.Hour))
			all = append(all, federation.Task{
				ID: len(all), Home: i, Start: int(j.Submit / time.Hour), End: end,
				Instances: j.Nodes, Disk: c.disk[k] * megabyte,
			})
		}
	}
	return all
}

const (
	megabyte = 1_000_000
	gigabyte = 1000 * megabyte
)

// members are the centres with their reservations, for package federation. A centre keeps
// the instances that its own tasks are expected to need; the true demand, [Liu21] Eq. (19),
// if expected is nil.
func members(centres []*centre, plans []*plan, expected [][]int) []federation.Centre {
	list := make([]federation.Centre, len(centres))
	for i, c := range centres {
		list[i] = federation.Centre{
			Reserved: plans[i].active, Demand: c.demand,
			OnDemand: c.OnDemand, Fee: c.Reservation, Term: term, Traffic: c.Traffic,
		}
		if expected != nil {
			list[i].Demand = expected[i]
		}
		for _, user := range centres {
			list[i].Delay = append(list[i].Delay, user.delay(&c.site))
		}
	}
	return list
}

// A sharer shares one plan after another, in the same memory.
type sharer struct {
	sharer    federation.Sharer
	ledger    federation.Ledger
	optimizer federation.Optimizer
	bookings  []federation.Booking
}

// share runs the tasks on the plans by Algorithm 3. Centres keep the expected demand, or
// the true demand if expected is nil.
func (s *sharer) share(centres []*centre, plans []*plan, expected [][]int, tasks []federation.Task, how *reading) (*sharing, error) {
	if how.open {
		expected = make([][]int, len(centres)) // nothing
	}
	err := s.sharer.Reset(members(centres, plans, expected), how.options)
	if err == nil {
		s.bookings, err = s.sharer.Share(s.bookings[:0], tasks)
	}
	if err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	s.ledger.Reset(len(centres))
	for i, c := range centres {
		if err := s.ledger.PostFee(i, c.Reservation*pricing.Money(plans[i].count)); err != nil {
			return nil, cli.Mistakef("%w", err)
		}
	}
	if err := s.ledger.Post(s.bookings...); err != nil {
		return nil, cli.Mistakef("%w", err)
	}
	r := &sharing{centres: s.ledger.AppendStatements(nil), total: s.ledger.Total()}
	r.cost = r.total.Cost()
	for i := range centres {
		r.held += plans[i].held
		r.moved = append(r.moved, make([]int64, len(centres)))
		for j := range centres {
			if i != j {
				r.moved[i][j] = s.ledger.Flow(i, j).Sent
			}
		}
	}
	return r, nil
}
