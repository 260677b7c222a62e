package federation

import "github.com/plimsoll/plimsoll/pricing"

// A centre that goes in the middle of a run.
//
// The federations of [Liu21] do not change. Here a membership can end in two ways, which
// differ in what goes on:
//
//	Leave  The centre takes back what it has lent, gives back what it has
//	       borrowed, and goes on alone. Tasks stay where they are, so that none is
//	       interrupted, and go on there on demand.
//	Fail   Nothing runs in the centre any more. Other centres' tasks go on at home,
//	       where their data is: on free reservations first and on demand
//	       otherwise, as Alg. 3, lines 2, 3 and 15 serve them. Its own tasks end with
//	       it, except for what runs elsewhere, which goes on, and is paid for.
//
// Both take effect at the end of a slot: a reservation that is lent in a slot is lent
// for all of the slot. A lease is paid for the slots that it lasted. Bookings with
// negative counts pay back what was booked for later slots, and new bookings replace it.
// So for each slot the sum over bookings is what runs, and the ledger needs no special
// case. Traffic was sent and is not paid back, and nothing is charged for going home.
//
// The sharer keeps the bookings that have not ended. Invariant: in each slot from now
// on, they add up to what runs. Bookings that have ended are swept out whenever the list
// has doubled. So keeping it takes amortised constant time a booking, and memory for
// about twice as many bookings as run at once.

// live is a booking with its prices, so that it can be cut.
type live struct {
	Booking
	share, onDemand pricing.Money
}

// forget sweeps out bookings that have ended, if the list is long.
func (s *Sharer) forget() {
	if len(s.live) < s.sweep {
		return
	}
	n := 0
	for _, b := range s.live {
		if b.End > s.now {
			s.live[n] = b
			n++
		}
	}
	s.live = s.live[:n]
	s.sweep = max(64, 2*n)
}

// charge sets the price of a booking's slots.
func (b *live) charge() {
	b.Lease = b.share * pricing.Money(b.Reserved) * pricing.Money(b.Slots())
	b.Bought = b.onDemand * pricing.Money(b.OnDemand) * pricing.Money(b.Slots())
}

// refund returns the booking that takes back r reservations and o instances on
// demand from slot on.
func (b live) refund(slot, r, o int) Booking {
	b.Start, b.Reserved, b.OnDemand, b.Traffic, b.Sent = max(b.Start, slot), -r, -o, 0, 0
	b.charge()
	return b.Booking
}

// Leave takes a centre out of the federation from slot on. The centre neither lends nor
// borrows any more, and its tasks are served at home. Leases to it and from it end with
// the slot before; their tasks go on where they are, on demand. Leave appends the
// bookings that say so to dst, among them refunds with negative counts.
//
// Call Leave before adding tasks that start in slot or later, and after all tasks that
// start before. The error is an [*InputError], and nothing has changed then: [ErrRange]
// for an unknown centre or slot, [ErrOrder] if a task of a later slot has been added,
// [ErrGone] if the centre has gone before. Time: linear in the bookings that have not
// ended, times their slots. Leave panics before the first Reset.
func (s *Sharer) Leave(dst []Booking, centre, slot int) ([]Booking, error) {
	if err := s.checkGo(centre, slot, left); err != nil {
		return dst, err
	}
	s.now = slot
	s.gone[centre] = left
	for k, n := 0, len(s.live); k < n; k++ {
		b := &s.live[k]
		if b.End <= slot || b.Reserved == 0 || b.Home == b.Centre || b.Home != centre && b.Centre != centre {
			continue
		}
		r := b.Reserved
		dst = append(dst, b.refund(slot, r, 0))
		after := *b
		after.Start, after.Reserved, after.OnDemand, after.Traffic, after.Sent = max(b.Start, slot), 0, r, 0, 0
		after.charge()
		dst = append(dst, after.Booking)
		for t := after.Start; t < after.End; t++ {
			s.free[b.Centre*s.slots+t] += r
		}
		b.Reserved, b.OnDemand = 0, b.OnDemand+r
	}
	return dst, nil
}

// Fail says that a centre fails: from slot on nothing runs there. Other centres' tasks
// go on at home, on free reservations and on demand. As tasks of their home they also
// take reservations that are kept for its tasks to come. The centre's own tasks end,
// except for what runs elsewhere; more of its tasks are refused with [ErrGone]. Fail
// appends the bookings that say so to dst. Bookings with negative counts whose Home and
// Centre are both the failed centre say what its tasks lost.
//
// Order, errors, the panic and time are those of [Sharer.Leave]. A centre that has left can still
// fail.
func (s *Sharer) Fail(dst []Booking, centre, slot int) ([]Booking, error) {
	if err := s.checkGo(centre, slot, failed); err != nil {
		return dst, err
	}
	s.now = slot
	s.gone[centre] = failed
	for k, n := 0, len(s.live); k < n; k++ {
		b := s.live[k]
		if b.End <= slot || b.Centre != centre {
			continue
		}
		dst = append(dst, b.refund(slot, b.Reserved, b.OnDemand))
		s.live[k].End = slot // ended, and to be swept out
		if b.Home == centre || s.gone[b.Home] == failed {
			continue
		}
		part := Task{ID: b.Task, Home: b.Home, Start: max(b.Start, slot), End: b.End}
		dst = s.book(dst, part, b.Home, b.Reserved+b.OnDemand, s.row(s.free, b.Home, part), Rates{Elsewhere: s.centres[b.Home].OnDemand}, nil, 0)
	}
	return dst, nil
}

// checkGo checks that a centre can leave or fail.
func (s *Sharer) checkGo(centre, slot, become int) error {
	switch {
	case s.centres == nil:
		panic("federation: Leave or Fail before Reset")
	case centre < 0 || centre >= len(s.centres):
		return badInput("Centre", -1, ErrRange, "centre %d: want 0 to %d", centre, len(s.centres)-1)
	case slot < 0 || slot > s.slots:
		return badInput("Slot", -1, ErrRange, "slot %d: want 0 to %d", slot, s.slots)
	case slot < s.now:
		return badInput("Slot", -1, ErrOrder, "slot %d: want %d or later, the slot of the last task or event", slot, s.now)
	case s.gone[centre] >= become:
		return badInput("Centre", -1, ErrGone, "centre %d has left or failed before: want one that is there", centre)
	}
	return nil
}

// The states of a centre in the federation, each worse than the one before.
const (
	member = iota
	left
	failed
)
