package federation

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// Does a lending price tempt centres to reserve what they do not need? [Liu21] says that
// F/τ does not. A counterexample (TestOverReserving): terms have 3 slots and cost 9, and a
// centre has a term for each three slots of its demand 1 0 0 1 1 1 0 0 1. A task of another
// centre runs in slots 1 to 7. It costs 70 on demand at home, and 40 to send. It would find
// slots 1, 2, 6 and 7 idle, and stays: 4·3 + 3·10 + 40 is 82. A needless term for slots 3 to 5
// leaves all seven slots idle, and the task comes: 7·3 + 40 is 61. The centre pays 9 for the
// term, and receives 21.
//
// So a price is checked by trying: each centre in turn buys one more reservation for each
// start, and the tasks are shared again.

// A Temptation is a reservation that costs a centre more than it saves the centre alone,
// and that pays off because others rent it.
type Temptation struct {
	Centre int
	Start  int           // slot in which the reservation begins; it lasts a term
	Alone  pricing.Money // what the centre alone would lose by it, 0 or more
	Gain   pricing.Money // what the centre gains by it in the federation, above 0
}

// AppendTemptations appends to dst the temptations of all centres under the given
// options: the greatest gain first; ties go to the lower centre, then the earlier start.
// Each reservation is tried by itself; two reservations together may tempt although
// neither tempts alone. The whole fee counts, also of a term that outlives the slots.
//
// limit is the work limit: how many reservations are tried, spread evenly over centres and starts.
// A limit of 0 tries all of them, centres times slots. Each reservation takes the time of one
// [Share].
//
// The error is an [*pricing.InputError], as from Share; AppendTemptations then returns dst
// unchanged. AppendTemptations panics if an option is none of the constants or limit is negative.
// AppendTemptations allocates.
func AppendTemptations(dst []Temptation, centres []Centre, tasks []Task, opts Options, limit int) ([]Temptation, error) {
	if limit < 0 {
		panic("federation: negative limit")
	}
	if len(centres) > maxCentres {
		return dst, badInput("Centres", -1, ErrRange, "%d centres: want at most %d", len(centres), maxCentres)
	}
	var s Sharer
	var l Ledger
	var bookings []Booking
	costs := func(to []pricing.Money, more []Centre) error {
		err := s.Reset(more, opts)
		if err == nil {
			bookings, err = s.Share(bookings[:0], tasks)
		}
		if err != nil {
			return err
		}
		l.Reset(len(more))
		if err := l.Post(bookings...); err != nil {
			return err
		}
		for i := range more {
			to[i] = l.Statement(i).Cost()
		}
		return nil
	}
	before, after := make([]pricing.Money, len(centres)), make([]pricing.Money, len(centres))
	if err := costs(before, centres); err != nil {
		return dst, err
	}
	slots := len(centres[0].Reserved)
	all := len(centres) * slots
	if limit == 0 || limit > all {
		limit = all
	}
	more := slices.Clone(centres)
	need := make([]int, slots)
	from, of := len(dst), -1
	for try := range limit {
		k := int(int64(try) * int64(all) / int64(limit))
		i, start := k/slots, k%slots
		c := centres[i]
		if i != of {
			of = i
			clear(need)
			if err := AddDemand(need, tasks, i); err != nil {
				return dst[:from], err
			}
		}
		saved := pricing.Money(0) // alone
		u := slices.Clone(c.Reserved)
		for t := start; t < min(start+c.Term, slots); t++ {
			if need[t] > u[t] {
				saved += c.OnDemand
			}
			u[t]++
		}
		alone := c.Fee - saved
		if alone < 0 {
			continue // worth its fee without the others
		}
		more[i].Reserved = u
		err := costs(after, more)
		more[i].Reserved = c.Reserved
		if err != nil {
			return dst[:from], err
		}
		if gain := before[i] - after[i] - c.Fee; gain > 0 {
			dst = append(dst, Temptation{i, start, alone, gain})
		}
	}
	slices.SortFunc(dst[from:], func(a, b Temptation) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(a.Centre, b.Centre), cmp.Compare(a.Start, b.Start))
	})
	return dst, nil
}
