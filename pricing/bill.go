package pricing

import (
	"math"
	"slices"
	"time"
)

// The bill of a demand.
//
// Given the instances needed in each slot and the reservations bought, what does
// it cost? Eq. (1) of [Niu16] gives the reservations of class k that are active
// in slot i, those bought in the last term:
//
//	S_ik = Σ R_lk    over i - T_k/τ < l ≤ i
//
// Eq. (2) gives the price of the j-th instance in slot i. Its first case is
// printed as P_h if S_ih ≤ j; it means j ≤ S_ih. So
// mended, with the classes 1..h from the least to the most discounted,
//
//	P_h    if j ≤ S_ih
//	P_l    if S_i,l+1 + ... + S_ih < j ≤ S_il + ... + S_ih
//	P_0    otherwise, on demand
//
// which says that the provider applies reservations to running instances from the
// most heavily discounted class down. So no one has to look at single instances:
// class by class, most discounted first, S_ik reservations serve
// min(S_ik, what is left of the demand in slot i).
//
// Invariant: before class k, rest[i] is the number of instances in slot i that
// the classes before k do not serve.
//
// A class costs O(slots + its purchases): the changes of S_ik are written to the
// slots where terms begin and end, and summed on the way. Classes without a
// purchase cost nothing. Memory O(slots + classes + purchases), kept.
//
// Departures. The paper charges hourly prices for used hours only; here a class
// says how it is billed. The most discounted class is the one with the lowest
// price for using a reservation that one has, which is nothing if it is billed
// Always (its order among others of the kind decides only which of them idles).
// Demand and purchases share their slots, while the paper buys weekly and folds
// the hours of a week into U_ij > 1. Buying at every 168th of hourly slots is the
// same thing, and keeps the hours.

// A Purchase is Count reservations of one class bought at the beginning of a
// slot. They are active from there on for the slots of one term, or to the end of
// the demand. Several purchases of a class in one slot add up.
type Purchase struct {
	Slot  int // index into the demand
	Class int // index into List.Classes
	Count int // ≥ 0
}

// A Holding is inventory: Count reservations of one class that were bought before
// the demand begins and are active in the slots before Until. Their hours within
// the horizon are billed; the fee is spent, and not in the bill.
type Holding struct {
	Class int // index into List.Classes
	Count int // ≥ 0
	Until int // ≥ 0
}

// ClassBill is what the reservations of one class cost. The horizon is the end of
// the demand. Each amount is rounded half to even once; with prices per hour and
// slots of whole hours only Residual can need it.
type ClassBill struct {
	Reservations int64 // bought; inventory is not among them
	Upfront      Money // their upfront prices
	Hourly       Money // hourly prices within the horizon
	Committed    Money // hourly prices after the horizon that are owed all the same: classes billed Always
	Residual     Money // worth of the unused terms at the horizon: prorated upfront, and Committed
	UsedSlots    int64 // instance-slots of demand that the reservations served
	IdleSlots    int64 // instance-slots within the horizon that they were active and unused
}

// Total returns the total cost of the class in [Niu16]: Upfront + Hourly + Committed.
func (c ClassBill) Total() Money { return c.Upfront + c.Hourly + c.Committed }

// Pure returns the pure cost of the class in [Niu16] section 5.1.3, Total -
// Residual: what would have been paid if the unused parts of the terms could be
// returned for their share of the price.
func (c ClassBill) Pure() Money { return c.Total() - c.Residual }

// Bill is what a demand costs. Total counts in full what was bought, as if
// everything were worthless at the horizon; Pure as if unused terms could be
// returned. To compare plans over a demand that goes on after the horizon, Pure
// is the fairer one. All sums have been checked for overflow.
type Bill struct {
	Slot          time.Duration // length of a slot
	Classes       []ClassBill   // by class, in the order of the list
	OnDemand      Money         // what no reservation served, on demand
	OnDemandSlots int64         // instance-slots of it

	Upfront   Money // Σ over the classes, as are the next three
	Hourly    Money // without OnDemand
	Committed Money
	Residual  Money

	Total Money // Upfront + Hourly + Committed + OnDemand
	Pure  Money // Total - Residual
}

// Hours returns a number of instance-slots in hours.
func (b *Bill) Hours(slots int64) float64 { return float64(slots) * b.Slot.Hours() }

// Biller computes bills. The zero value is ready. It keeps its memory between
// calls and allocates nothing once it has seen the largest input. It must not be
// used by two goroutines at once.
type Biller struct {
	rest   []int       // demand not yet served by a class
	change []int64     // change of the active reservations from slot to slot
	next   []int       // next purchase of the same class, -1 at the end
	head   []int       // first purchase of a class, -1 if there is none
	order  []int       // classes, most discounted first
	bills  []ClassBill // result
}

// Grow makes room for inputs of the given sizes.
func (b *Biller) Grow(slots, classes, purchases int) {
	b.rest = slices.Grow(b.rest[:0], slots)
	b.change = slices.Grow(b.change[:0], slots)
	b.next = slices.Grow(b.next[:0], purchases)
	b.head = slices.Grow(b.head[:0], classes)
	b.order = slices.Grow(b.order[:0], classes)
	b.bills = slices.Grow(b.bills[:0], classes)
}

// Bill returns the cost of running demand[i] instances in slot i, each slot of the
// given length, with the given purchases, in any order. A reservation applies
// even if its class is dearer than on demand, as providers do it.
//
// The result's Classes belong to b and are valid until the next call. The inputs
// are not modified.
//
// The error is that of [List.Validate], or an [*InputError]: with Field "demand"
// and [ErrRange] for a negative number; with "purchases.slot", "purchases.class"
// or "purchases.count" and ErrRange for an index that does not exist, a negative
// count, and a term that is not a whole number of slots; with [ErrOverflow] where
// the cost does not fit in [Money] or instance-slots in an int64. It panics if
// slot is not positive. Time O(n·m + p) for n slots, m classes with a purchase
// and p purchases.
func (b *Biller) Bill(l List, demand []int, slot time.Duration, purchases []Purchase) (Bill, error) {
	return b.BillHeld(l, demand, slot, purchases, nil)
}

// BillHeld is [Biller.Bill] with an inventory. Of one class, what is held and what
// is bought serve alike. An InputError about the inventory has a Field that begins
// with "held".
func (b *Biller) BillHeld(l List, demand []int, slot time.Duration, purchases []Purchase, held []Holding) (Bill, error) {
	if slot <= 0 {
		panic("pricing: slot that is not positive")
	}
	if err := l.Validate(); err != nil {
		return Bill{}, err
	}
	n := len(demand)
	for i, d := range demand {
		if d < 0 {
			return Bill{}, badInput("demand", i, ErrRange, "%d instances are negative", d)
		}
	}
	b.Grow(n, len(l.Classes), len(purchases))
	b.rest = append(b.rest[:0], demand...)
	b.bills = b.bills[:len(l.Classes)]
	clear(b.bills)
	if err := b.group(l, n, slot, purchases); err != nil {
		return Bill{}, err
	}
	for i, h := range held {
		switch {
		case h.Class < 0 || h.Class >= len(l.Classes):
			return Bill{}, badInput("held.class", i, ErrRange, "the list has %d classes, none with the index %d", len(l.Classes), h.Class)
		case h.Count < 0 || h.Until < 0:
			return Bill{}, badInput("held", i, ErrRange, "%d reservations until slot %d: want none negative", h.Count, h.Until)
		}
	}
	for _, k := range b.order {
		if err := b.serve(l.Classes[k], k, slot, purchases, held); err != nil {
			return Bill{}, err
		}
	}
	return b.total(l, slot)
}

// group lists the purchases by class and puts the classes in order.
func (b *Biller) group(l List, n int, slot time.Duration, purchases []Purchase) error {
	b.order, b.head = b.order[:0], b.head[:0]
	for k := range l.Classes {
		b.order = append(b.order, k)
		b.head = append(b.head, -1)
	}
	sortByDiscount(b.order, l.Classes)
	b.next = b.next[:len(purchases)]
	for i, p := range purchases {
		switch {
		case p.Class < 0 || p.Class >= len(l.Classes):
			return badInput("purchases.class", i, ErrRange, "the list has %d classes, none with the index %d", len(l.Classes), p.Class)
		case p.Slot < 0 || p.Slot >= n:
			return badInput("purchases.slot", i, ErrRange, "the demand has %d slots, none with the index %d", n, p.Slot)
		case p.Count < 0:
			return badInput("purchases.count", i, ErrRange, "%d reservations are negative", p.Count)
		case l.Classes[p.Class].Term%slot != 0:
			return badInput("purchases.class", i, ErrRange, "the term %v of %s is not a whole number of slots of %v",
				l.Classes[p.Class].Term, quote(l.Classes[p.Class].Name), slot)
		}
		b.next[i] = b.head[p.Class]
		b.head[p.Class] = i
	}
	return nil
}

// sortByDiscount sorts class indices, most discounted first: by use price, then
// hourly price, then index.
func sortByDiscount(order []int, classes []Class) {
	slices.SortFunc(order, func(i, j int) int {
		a, b := &classes[i], &classes[j]
		switch p, q := a.UsePrice(), b.UsePrice(); {
		case p != q && p < q, p == q && a.Hourly < b.Hourly:
			return -1
		case p != q || a.Hourly != b.Hourly:
			return 1
		}
		return i - j
	})
}

// serve lets the reservations of class k serve what demand is left, and fills in
// their bill.
func (b *Biller) serve(c Class, k int, slot time.Duration, purchases []Purchase, held []Holding) error {
	if b.head[k] < 0 && !slices.ContainsFunc(held, func(h Holding) bool { return h.Class == k }) {
		return nil
	}
	n := len(b.rest)
	term := int64(c.Term / slot)
	b.change = b.change[:n]
	clear(b.change)
	bill := &b.bills[k]
	var active, used int64  // used ≤ inside: it cannot overflow
	var inside, beyond wide // instance-slots of the terms within and after the horizon
	for i := b.head[k]; i >= 0; i = b.next[i] {
		p := purchases[i]
		count, left := int64(p.Count), int64(n-p.Slot)
		if bill.Reservations > math.MaxInt64-count {
			return badInput("purchases.count", i, ErrOverflow, "the reservations of %s do not fit in an int64", quote(c.Name))
		}
		bill.Reservations += count
		b.change[p.Slot] += count
		if term < left {
			b.change[p.Slot+int(term)] -= count
		}
		inside = inside.plus(product(uint64(count), uint64(min(term, left))))
		beyond = beyond.plus(product(uint64(count), uint64(max(0, term-left))))
	}
	for _, h := range held {
		if h.Class != k {
			continue
		}
		end := min(h.Until, n)
		if end > 0 {
			active += int64(h.Count)
		}
		if end > 0 && end < n {
			b.change[end] -= int64(h.Count)
		}
		inside = inside.plus(product(uint64(h.Count), uint64(end)))
	}
	if inside.length() > 63 || beyond.length() > 63 {
		return badInput("purchases.count", b.head[k], ErrOverflow, "the instance-slots of %s do not fit in an int64", quote(c.Name))
	}
	for i, r := range b.rest {
		active += b.change[i]
		u := min(int64(r), active)
		b.rest[i] = int(int64(r) - u)
		used += u
	}
	bill.UsedSlots = used
	bill.IdleSlots = int64(inside[0]) - used
	billed, owed := inside[0], beyond[0]
	if c.Billed == WhenUsed {
		billed, owed = uint64(used), 0
	}
	var ok [4]bool
	bill.Upfront, ok[0] = product(uint64(c.Upfront), uint64(bill.Reservations)).money(wide{1}, HalfEven)
	bill.Hourly, ok[1] = hours(c.Hourly, billed, slot)
	bill.Committed, ok[2] = hours(c.Hourly, owed, slot)
	unused, fits := product(uint64(c.Upfront), beyond[0]).money(wide{uint64(term)}, HalfEven)
	bill.Residual, ok[3] = sum(unused, bill.Committed)
	if !fits || ok != [4]bool{true, true, true, true} {
		return badInput("classes", k, ErrOverflow, "the cost of %s does not fit in an amount of money", quote(c.Name))
	}
	return nil
}

// hours returns what a number of instance-slots costs at a price per hour,
// rounded half to even, and whether that fits.
func hours(hourly Money, slots uint64, slot time.Duration) (Money, bool) {
	return product(uint64(hourly), slots).times(uint64(slot)).money(wide{uint64(time.Hour)}, HalfEven)
}

// sum adds amounts that are not negative, and reports whether the sum fits.
func sum(amounts ...Money) (total Money, ok bool) {
	for _, m := range amounts {
		if total > math.MaxInt64-m {
			return 0, false
		}
		total += m
	}
	return total, true
}

// total adds up the bill.
func (b *Biller) total(l List, slot time.Duration) (Bill, error) {
	bill := Bill{Slot: slot, Classes: b.bills}
	for i, r := range b.rest {
		if bill.OnDemandSlots > math.MaxInt64-int64(r) {
			return Bill{}, badInput("demand", i, ErrOverflow, "the instance-slots on demand do not fit in an int64")
		}
		bill.OnDemandSlots += int64(r)
	}
	var fits bool
	bill.OnDemand, fits = hours(l.OnDemand, uint64(bill.OnDemandSlots), slot)
	for _, c := range b.bills {
		var ok [4]bool
		bill.Upfront, ok[0] = sum(bill.Upfront, c.Upfront)
		bill.Hourly, ok[1] = sum(bill.Hourly, c.Hourly)
		bill.Committed, ok[2] = sum(bill.Committed, c.Committed)
		bill.Residual, ok[3] = sum(bill.Residual, c.Residual)
		fits = fits && ok == [4]bool{true, true, true, true}
	}
	var ok bool
	bill.Total, ok = sum(bill.Upfront, bill.Hourly, bill.Committed, bill.OnDemand)
	if !ok || !fits {
		return Bill{}, badInput("demand", -1, ErrOverflow, "its cost does not fit in an amount of money")
	}
	bill.Pure = bill.Total - bill.Residual
	return bill, nil
}
