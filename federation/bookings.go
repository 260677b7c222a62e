package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// AppendBookings books the plan that Solve found last, for the same centres and tasks,
// and appends the bookings to dst: bookings at home by task, then bookings elsewhere by
// task and centre. Reservations go to a centre's own tasks before guests, and in each
// group to the first tasks, slot by slot. The rest is on demand. opts say what is paid
// for a lease; Order and Excess do not change the plan. With a Lending, a part pays the
// price at what is idle when the part is booked. Unless Excess is AtHomePrice, the
// bookings on demand and their traffic cost Optimum.Cost.
//
// The error is an [*InputError] about a Lending or about amounts that are too large; dst
// is then unchanged. It panics if an option is none of the constants, or if the numbers
// of tasks, centres or slots differ from those that Solve had. Time: linear in the slots
// of all parts.
func (o *Optimizer) AppendBookings(dst []Booking, centres []Centre, tasks []Task, opts Options) ([]Booking, error) {
	opts.check()
	slots, err := checkCentres(centres)
	if err != nil {
		return dst, err
	}
	if len(tasks) != o.count || len(centres) != o.centres || slots != o.slots {
		panic("federation: AppendBookings with another problem than Solve")
	}
	n := o.centres
	o.free = grow.To(o.free, n*slots)
	for j, c := range centres {
		copy(o.free[j*slots:], c.Reserved)
	}
	if opts.Lending != nil {
		if err := o.lend.load(centres, opts.Lending); err != nil {
			return dst, err
		}
	}
	from := len(dst)
	for _, guests := range []bool{false, true} {
		next := 0
		for k, t := range tasks {
			moves := next < len(o.tasks) && int(o.tasks[next].index) == k
			if !moves {
				if !guests {
					dst, err = o.book(dst, centres, t, k, t.Home, t.Instances, opts)
				}
			} else {
				for j, d := range o.x[next*n : next*n+n] {
					if d > 0 && guests == (j != t.Home) && err == nil {
						dst, err = o.book(dst, centres, t, k, j, int(d), opts)
					}
				}
				next++
			}
			if err != nil {
				return dst[:from], err
			}
		}
	}
	return dst, nil
}

// book books d instances of task t in centre j.
func (o *Optimizer) book(dst []Booking, centres []Centre, t Task, k, j, d int, opts Options) ([]Booking, error) {
	home := centres[t.Home]
	lease, bought := pricing.Money(0), home.OnDemand
	var send, traffic pricing.Money
	if j != t.Home {
		bought = opts.excessPriceOf(home, centres[j])
		if opts.Lending == nil {
			lease = opts.priceOf(home, centres[j])
		} else if row := o.lend.row(j); len(row) > 0 {
			lease = row[0] // the highest
		}
		var err error
		if send, err = home.trafficFor(t.Disk); err == nil {
			traffic, err = send.Mul(int64(d))
		}
		if err != nil || t.Disk > math.MaxInt64/int64(d) {
			return dst, badInput("Tasks.Disk", k, ErrOverflow, "%d instances of %d bytes of task %d do not fit: want fewer or smaller instances", d, t.Disk, t.ID)
		}
	}
	// The most that the part could pay.
	if most, err := max(lease, bought).Mul(int64(d)); err != nil || most > math.MaxInt64/4/pricing.Money(t.Slots()) || traffic > math.MaxInt64/2 {
		return dst, badInput("Tasks.Instances", k, ErrOverflow, "the cost of %d instances over %d slots of task %d does not fit: want fewer instances", d, t.Slots(), t.ID)
	}
	free := o.free[j*o.slots:]
	for s := t.Start; s < t.End; {
		b := Booking{Task: t.ID, Home: t.Home, Centre: j, Start: s, Reserved: min(d, free[s])}
		if opts.Lending != nil {
			lease = o.asked(t.Home, j, free[s])
		}
		for ; s < t.End && min(d, free[s]) == b.Reserved && (opts.Lending == nil || o.asked(t.Home, j, free[s]) == lease); s++ {
			free[s] -= b.Reserved
		}
		b.End, b.OnDemand = s, d-b.Reserved
		if j != t.Home && b.Start == t.Start {
			b.Sent, b.Traffic = t.Disk*int64(d), traffic
		}
		dst = append(dst, b.charged(lease, bought))
	}
	return dst, nil
}

// asked returns the price of lender when idle of its instances are; 0 if none is, or if
// it is home itself.
func (o *Optimizer) asked(home, lender, idle int) pricing.Money {
	if home == lender || idle <= 0 {
		return 0
	}
	return o.lend.row(lender)[idle-1]
}
