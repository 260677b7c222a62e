package pricing

import (
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// The bill of a demand.
//
// Input: the instances needed in each slot, and the reservations bought. Output:
// the cost. Eq. (1) of [Niu16] gives the reservations of class k that are active in
// slot i, which are those bought within the last term:
//
//	S_ik = Σ R_lk    over i - T_k/τ < l ≤ i
//
// Eq. (2) gives the price of the j-th instance in slot i. The paper prints the
// first case as P_h if S_ih ≤ j, and means j ≤ S_ih. Corrected, with the classes
// 1..h from the least to the most discounted, the price is
//
//	P_h    if j ≤ S_ih
//	P_l    if S_i,l+1 + ... + S_ih < j ≤ S_il + ... + S_ih
//	P_0    otherwise, on demand
//
// So the provider applies reservations to running instances from the most
// discounted class down, and single instances do not matter: class by class, most
// discounted first, S_ik reservations serve min(S_ik, the rest of the demand in
// slot i).
//
// Invariant: before class k, rest[i] is the number of instances in slot i that
// the classes before k do not serve.
//
// A class takes O(slots + its purchases) time: the changes of S_ik are written to
// the slots where terms begin and end, and summed on the way. A class without a
// purchase takes no time. Memory O(slots + classes + purchases), kept.
//
// Departures. The paper charges hourly prices for used hours only; here a class
// says how it is billed. The most discounted class is the class with the lowest use
// price, which is 0 for a class billed Always. Among several classes billed Always,
// the order only decides which of them idles. Demand and purchases share their
// slots, while the paper buys weekly and folds the hours of a week into U_ij > 1.
// Buying at every 168th of hourly slots is the same, and keeps the hours.

// A Purchase is Count reservations of one class bought at the beginning of a
// slot. The reservations are active from that slot on for the slots of one term, or
// to the end of the demand. Several purchases of a class in one slot add up.
type Purchase struct {
	Slot  int // index into the demand
	Class int // index into List.Classes; List.Find returns it for a name
	Count int // ≥ 0
}

// A Holding is inventory: Count reservations of one class that were bought before
// the demand begins and are active in the slots before Until. Their hours within
// the horizon are billed. Their fee is spent already and not in the bill.
type Holding struct {
	Class int // index into List.Classes; List.Find returns it for a name
	Count int // ≥ 0
	Until int // ≥ 0
}

// ClassBill is the cost of the reservations of one class. The horizon is the end of
// the demand. Each amount is rounded half to even once; with slots of whole hours
// only Residual can need rounding.
type ClassBill struct {
	Reservations int64 // reservations bought, without the inventory
	Upfront      Money // their upfront prices
	Hourly       Money // hourly prices within the horizon
	Committed    Money // hourly prices owed after the horizon, of classes billed Always
	Residual     Money // value of the unused terms at the horizon: prorated upfront, plus Committed
	UsedSlots    int64 // instance-slots of demand that the reservations served
	IdleSlots    int64 // instance-slots within the horizon in which a reservation was active and unused
}

// Total returns the total cost of the class in [Niu16]: Upfront + Hourly + Committed. It
// panics if that does not fit; what a [Biller] bills fits.
func (c ClassBill) Total() Money {
	cost, ok := wide.FromInt64(int64(c.Upfront)).Plus(wide.FromInt64(int64(c.Hourly))).Plus(wide.FromInt64(int64(c.Committed))).Int64()
	if !ok {
		panic("pricing: bill of a class that does not fit")
	}
	return Money(cost)
}

// A Bill is the cost of a demand. The horizon is the end of the demand. Total counts every purchase
// in full, as if the part of a term after the horizon had no value. Pure is the pure cost of
// [Niu16] section 5.1.3. For Pure, the seller takes back the part of each term after the horizon,
// for its share of the price. If demand goes on after the horizon, compare plans by Pure. All sums
// have been checked for overflow.
type Bill struct {
	Slot          time.Duration // length of a slot
	Classes       []ClassBill   // by class, in the order of the list
	OnDemand      Money         // cost of the demand that no reservation served
	OnDemandSlots int64         // instance-slots of that demand

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
// calls and allocates nothing once it has seen the largest input. Two goroutines
// must not use it at once.
type Biller struct {
	rest   []int       // demand not yet served by a class
	change []int64     // change of the active reservations from slot to slot
	next   []int       // next purchase of the same class, -1 at the end
	head   []int       // first purchase of a class, -1 if there is none
	order  []int       // classes, most discounted first
	bills  []ClassBill // result
}

// grow makes room for inputs of the given sizes.
func (b *Biller) grow(slots, classes, purchases int) {
	b.rest, b.change = grow.To(b.rest, slots), grow.To(b.change, slots)
	b.next = grow.To(b.next, purchases)
	b.head, b.order, b.bills = grow.To(b.head, classes), grow.To(b.order, classes), grow.To(b.bills, classes)
}

// Bill returns the cost of running demand[i] instances in slot i, with the given purchases. The
// parameter slot is the length of each slot. Purchases may come in any order. A reservation serves
// demand even if the use of its class costs more than on demand, as at the providers.
//
// The Classes of the result belong to b and are valid until the next call. Bill does not modify the
// inputs.
//
// The error is that of [List.Validate], or an [*InputError] that unwraps to
//
//   - [ErrRange], with the Field "demand", for a negative number,
//   - [ErrRange], with the Field "purchases.Slot", "purchases.Class" or "purchases.Count", for an
//     index that does not exist, a term that is not a whole number of slots, or a negative count,
//   - [ErrOverflow] for a cost that does not fit in [Money], or instance-slots that do not fit in
//     an int64.
//
// Bill panics if slot is not positive. Time O(n·m + p) for n slots, m classes with a purchase and p
// purchases.
func (b *Biller) Bill(l List, demand []int, slot time.Duration, purchases []Purchase) (Bill, error) {
	return b.BillHeld(l, demand, slot, purchases, nil)
}

// BillHeld is [Biller.Bill] with an inventory. Held and bought reservations of one
// class serve alike. An InputError about the inventory has a Field that begins with
// "held".
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
			return Bill{}, badInput("demand", i, ErrRange, "%d instances: want 0 or more", d)
		}
	}
	b.grow(n, len(l.Classes), len(purchases))
	b.rest = append(b.rest[:0], demand...)
	b.bills = b.bills[:len(l.Classes)]
	clear(b.bills)
	if err := b.group(l, n, slot, purchases); err != nil {
		return Bill{}, err
	}
	for i, h := range held {
		switch {
		case h.Class < 0 || h.Class >= len(l.Classes):
			return Bill{}, badInput("held.Class", i, ErrRange, "class %d: want an index of the %d classes", h.Class, len(l.Classes))
		case h.Count < 0 || h.Until < 0:
			return Bill{}, badInput("held", i, ErrRange, "%d reservations until slot %d: want 0 or more of both", h.Count, h.Until)
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
			return badInput("purchases.Class", i, ErrRange, "class %d: want an index of the %d classes", p.Class, len(l.Classes))
		case p.Slot < 0 || p.Slot >= n:
			return badInput("purchases.Slot", i, ErrRange, "slot %d: want an index of the %d slots of demand", p.Slot, n)
		case p.Count < 0:
			return badInput("purchases.Count", i, ErrRange, "%d reservations: want 0 or more", p.Count)
		case l.Classes[p.Class].Term%slot != 0:
			return badInput("purchases.Class", i, ErrRange, "%s with a term of %v: want a whole number of slots of %v",
				inputerr.Quote(l.Classes[p.Class].Name), l.Classes[p.Class].Term, slot)
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

// serve lets the reservations of class k serve the rest of the demand, and fills in
// the bill of the class.
func (b *Biller) serve(c Class, k int, slot time.Duration, purchases []Purchase, held []Holding) error {
	if b.head[k] < 0 && !slices.ContainsFunc(held, func(h Holding) bool { return h.Class == k }) {
		return nil
	}
	n := len(b.rest)
	term := int64(c.Term / slot)
	b.change = b.change[:n]
	clear(b.change)
	bill := &b.bills[k]
	var active, used int64  // used ≤ inside: no overflow
	var inside, beyond long // instance-slots of the terms within and after the horizon
	for i := b.head[k]; i >= 0; i = b.next[i] {
		p := purchases[i]
		count, left := int64(p.Count), int64(n-p.Slot)
		if bill.Reservations > math.MaxInt64-count {
			return badInput("purchases.Count", i, ErrOverflow, "the reservations of %s: want fewer than 2⁶³", inputerr.Quote(c.Name))
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
		return badInput("purchases.Count", b.head[k], ErrOverflow, "the instance-slots of %s: want fewer than 2⁶³", inputerr.Quote(c.Name))
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
	bill.Upfront, ok[0] = product(uint64(c.Upfront), uint64(bill.Reservations)).money(long{1}, HalfEven)
	bill.Hourly, ok[1] = hours(c.Hourly, billed, slot)
	bill.Committed, ok[2] = hours(c.Hourly, owed, slot)
	unused, fits := product(uint64(c.Upfront), beyond[0]).money(long{uint64(term)}, HalfEven)
	bill.Residual, ok[3] = sum(unused, bill.Committed)
	if !fits || ok != [4]bool{true, true, true, true} {
		return badInput("Classes", k, ErrOverflow, "the cost of %s: want at most 9223372036.854775807", inputerr.Quote(c.Name))
	}
	return nil
}

// hours returns the cost of a number of instance-slots at a price per hour, rounded
// half to even, and whether it fits.
func hours(hourly Money, slots uint64, slot time.Duration) (Money, bool) {
	return product(uint64(hourly), slots).times(uint64(slot)).money(long{uint64(time.Hour)}, HalfEven)
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
			return Bill{}, badInput("demand", i, ErrOverflow, "the instance-slots on demand: want fewer than 2⁶³")
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
		return Bill{}, badInput("demand", -1, ErrOverflow, "the total cost: want at most 9223372036.854775807")
	}
	bill.Pure = bill.Total - bill.Residual
	return bill, nil
}
