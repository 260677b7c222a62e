package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The ledger is double entry: what one party pays, another party receives. So the sums over
// all parties agree, however prices were rounded. A booking is at most three payments:
//
//	Lease      Home to Centre          price × reservations × slots
//	OnDemand   Home to the provider    price × instances × slots
//	Traffic    Home to the provider    price per instance × instances, once
//
// Fees are paid to the provider when reservations are bought, whoever uses them later.

// A Statement is what a centre paid and received, and for what.
type Statement struct {
	Fees     pricing.Money // paid for reservations
	OnDemand pricing.Money // paid for instances on demand, at home and elsewhere
	Traffic  pricing.Money // paid for data sent
	Paid     pricing.Money // paid to other centres for leases
	Received pricing.Money // received from other centres for leases

	Own       int   // instance-slots of its tasks on its own reservations
	Borrowed  int   // instance-slots of its tasks on others' reservations
	Lent      int   // instance-slots of others' tasks on its reservations
	Bought    int   // instance-slots of its tasks on demand at home
	Elsewhere int   // instance-slots of its tasks on demand in other centres
	Sent      int64 // bytes
}

// Cost returns what the centre's users paid in the end, C_i of [Liu21] Alg. 3: all that
// was paid, less what was received. It panics if that does not fit; what a [Ledger] states
// fits.
func (s Statement) Cost() pricing.Money {
	sum := wide.FromInt64(int64(s.Fees))
	for _, m := range [...]pricing.Money{s.OnDemand, s.Traffic, s.Paid} {
		sum = sum.Plus(wide.FromInt64(int64(m)))
	}
	return fitting(sum.Minus(wide.FromInt64(int64(s.Received))))
}

// fitting returns a sum that fits in Money.
func fitting(sum wide.Int) pricing.Money {
	m, ok := sum.Int64()
	if !ok {
		panic("federation: cost that does not fit")
	}
	return pricing.Money(m)
}

// A Ledger adds up bookings: who paid what to whom. [Ledger.Reset] makes it ready. A
// Ledger keeps its memory, O(centres²), and allocates nothing once it has seen as many
// centres.
type Ledger struct {
	centres int
	fees    []pricing.Money
	flows   []flow // from home to centre; on the diagonal leased is own use
	money   uint64 // sum of all magnitudes posted, which bounds every other sum
	slots   uint64
	bytes   uint64
}

// A flow is what the tasks of one home did in one centre.
type flow struct {
	leased, onDemand       int // instance-slots
	lease, bought, traffic pricing.Money
	sent                   int64
}

// maxCentres bounds a ledger, which has a flow for each two centres: 192 MiB.
const maxCentres = 1 << 11

// Reset makes l an empty ledger for the given number of centres. It panics if centres is
// not from 1 to 2048.
func (l *Ledger) Reset(centres int) {
	if centres < 1 {
		panic("federation: a ledger for no centre")
	}
	if centres > maxCentres {
		panic("federation: a ledger for more than 2048 centres")
	}
	l.centres, l.money, l.slots, l.bytes = centres, 0, 0, 0
	l.fees = append(l.fees[:0], make([]pricing.Money, centres)...)
	l.flows = append(l.flows[:0], make([]flow, centres*centres)...)
}

// PostFee posts what a centre paid for reservations. The error is an [*pricing.InputError], and
// nothing was posted then: [ErrRange] for a negative fee or an unknown centre,
// [ErrOverflow] for a sum that does not fit.
func (l *Ledger) PostFee(centre int, fee pricing.Money) error {
	if centre < 0 || centre >= l.centres {
		return badInput("Centre", -1, ErrRange, "centre %d: want 0 to %d", centre, l.centres-1)
	}
	if fee < 0 {
		return badInput("Fee", -1, ErrRange, "%v: want 0 or more", fee)
	}
	money, ok := plus(l.money, true, int64(fee))
	if !ok {
		return badInput("Fee", -1, ErrOverflow, "%v more does not fit: want a smaller fee", fee)
	}
	l.money = money
	l.fees[centre] += fee
	return nil
}

// plus returns sum plus the magnitude of n, and whether it fits in an int64.
func plus(sum uint64, ok bool, n int64) (uint64, bool) {
	sum, fits := wide.AddUint(sum, wide.Magnitude(n))
	return sum, ok && fits && sum <= math.MaxInt64
}

// Post posts bookings. The error is an [*pricing.InputError], and none of them was posted then:
// [ErrRange] for an unknown centre or for slots that do not exist, [ErrOverflow] for
// amounts whose sum does not fit.
func (l *Ledger) Post(bookings ...Booking) error {
	money, slots, bytes, ok := l.money, l.slots, l.bytes, true
	for k, b := range bookings {
		switch {
		case b.Home < 0 || b.Home >= l.centres || b.Centre < 0 || b.Centre >= l.centres:
			return badInput("Bookings.Centre", k, ErrRange, "from centre %d to centre %d: want 0 to %d", b.Home, b.Centre, l.centres-1)
		case b.Start < 0 || b.End <= b.Start:
			return badInput("Bookings.End", k, ErrRange, "a booking of task %d starts in slot %d and ends before slot %d: want a start of 0 or more and a later end", b.Task, b.Start, b.End)
		}
		for _, a := range [...]pricing.Money{b.Lease, b.Bought, b.Traffic} {
			money, ok = plus(money, ok, int64(a))
		}
		bytes, ok = plus(bytes, ok, b.Sent)
		for _, n := range [...]int{b.Reserved, b.OnDemand} {
			all, fits := wide.Mul(int64(n), int64(b.End-b.Start))
			slots, ok = plus(slots, ok && fits, all)
		}
		if !ok {
			return badInput("Bookings", k, ErrOverflow, "the sums up to this booking of task %d do not fit in 64 bits: want fewer or smaller bookings", b.Task)
		}
	}
	l.money, l.slots, l.bytes = money, slots, bytes
	for _, b := range bookings {
		f := &l.flows[b.Home*l.centres+b.Centre]
		f.leased += b.Reserved * b.Slots()
		f.onDemand += b.OnDemand * b.Slots()
		f.lease += b.Lease
		f.bought += b.Bought
		f.traffic += b.Traffic
		f.sent += b.Sent
	}
	return nil
}

// Flow returns the part of the home's statement that its tasks in another centre cause:
// Paid, Borrowed, OnDemand, Elsewhere, Traffic and Sent. It panics if there is no such
// centre, or if both are the same.
func (l *Ledger) Flow(home, centre int) Statement {
	if home < 0 || home >= l.centres || centre < 0 || centre >= l.centres || home == centre {
		panic("federation: no such two centres")
	}
	f := l.flows[home*l.centres+centre]
	return Statement{Paid: f.lease, Borrowed: f.leased, OnDemand: f.bought, Elsewhere: f.onDemand, Traffic: f.traffic, Sent: f.sent}
}

// plus returns the sum of two statements.
func (s Statement) plus(x Statement) Statement {
	s.Fees += x.Fees
	s.OnDemand += x.OnDemand
	s.Traffic += x.Traffic
	s.Paid += x.Paid
	s.Received += x.Received
	s.Own += x.Own
	s.Borrowed += x.Borrowed
	s.Lent += x.Lent
	s.Bought += x.Bought
	s.Elsewhere += x.Elsewhere
	s.Sent += x.Sent
	return s
}

// Statement returns a centre's statement. It panics if there is no such centre.
func (l *Ledger) Statement(centre int) Statement {
	if centre < 0 || centre >= l.centres {
		panic("federation: no such centre")
	}
	home := l.flows[centre*l.centres+centre]
	s := Statement{Fees: l.fees[centre], Own: home.leased, Bought: home.onDemand, OnDemand: home.bought, Traffic: home.traffic, Sent: home.sent}
	for j := range l.centres {
		if j != centre {
			in := l.flows[j*l.centres+centre]
			s = s.plus(l.Flow(centre, j)).plus(Statement{Received: in.lease, Lent: in.leased})
		}
	}
	return s
}

// AppendStatements appends all centres' statements to dst.
func (l *Ledger) AppendStatements(dst []Statement) []Statement {
	for i := range l.centres {
		dst = append(dst, l.Statement(i))
	}
	return dst
}

// Total returns what the federation paid: the sum of all statements. What was paid for
// leases was received by another centre, so the [Statement.Cost] of Total is what the
// provider received.
func (l *Ledger) Total() (sum Statement) {
	for i := range l.centres {
		sum = sum.plus(l.Statement(i))
	}
	return sum
}
