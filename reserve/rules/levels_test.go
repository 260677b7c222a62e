package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/seeded"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// eachLevel is Levels without what makes it fast: it runs the recursion over all costly slots
// for each band of levels.
type eachLevel struct {
	// Class is the class to buy, an index into the price list.
	Class int

	single single
	order  []uint64 // demand, falling, and slot, in one number
	costly []int32  // busy slots with nothing left over, rising
	spare  []int32  // the other busy slots, rising
	joined []int32  // slots that are about to join either
	left   []int64  // what is left over, by spare slot
	cover  []int64  // changes of the active reservations of all levels: a Fenwick tree
	buy    []int    // by slot / every

	// Of one level:
	cost   []int64 // V at costly slots; cost[i] is that of those before the i-th
	start  []int32 // of the reservation that is to end with a slot, -1 for none
	before []int32 // costly slots before start
	plan   []int   // starts, rising
}

func (a *eachLevel) AppendPlan(dst []pricing.Purchase, p *reserve.Problem) ([]pricing.Purchase, error) {
	s := &a.single
	if err := s.load(p, a.Class); err != nil {
		return dst, err
	}
	if err := s.refuseDates(p, a.Class); err != nil {
		return dst, err
	}
	n := len(s.demand)
	if n == 0 || s.gain <= 0 {
		return dst, nil
	}
	a.prepare()
	for i := 0; i < n; {
		level := a.demand(i) // the highest of a band of levels
		if level == 0 {
			break
		}
		from := i
		a.joined = a.joined[:0]
		for ; i < n && a.demand(i) == level; i++ {
			t := int32(uint32(a.order[i]))
			if a.left[t] = a.covered(int(t)); a.left[t] == 0 {
				a.joined = append(a.joined, t)
			}
		}
		a.costly = merge(a.costly, a.joined)
		a.joined = a.joined[:0]
		for _, key := range a.order[from:i] {
			if t := int32(uint32(key)); a.left[t] > 0 {
				a.joined = append(a.joined, t)
			}
		}
		a.spare = merge(a.spare, a.joined)
		next := 0
		if i < n {
			next = a.demand(i)
		}
		for level > next {
			a.decide(p.Horizon)
			level -= a.apply(level - next)
		}
	}
	for i, count := range a.buy {
		if count > 0 {
			dst = append(dst, pricing.Purchase{Slot: i * s.every, Class: a.Class, Count: count})
		}
	}
	return dst, nil
}

// prepare sorts the slots and empties everything.
func (a *eachLevel) prepare() {
	n := len(a.single.demand)
	a.order = slices.Grow(a.order[:0], n)
	for t, d := range a.single.demand {
		a.order = append(a.order, uint64(^uint32(d))<<32|uint64(t))
	}
	slices.Sort(a.order)
	a.spare = slices.Grow(a.spare[:0], n)
	a.joined = slices.Grow(a.joined[:0], n)
	a.left = grow.Zero(a.left, n)
	a.cover = grow.Zero(a.cover, n+1)
	a.buy = grow.Zero(a.buy, (n-1)/a.single.every+1)
	a.costly = slices.Grow(a.costly[:0], n)
	a.cost = grow.To(a.cost, n+1)
	a.start = grow.To(a.start, n)
	a.before = grow.To(a.before, n)
	a.plan = a.plan[:0]
}

// demand returns the demand of the i-th slot in their order.
func (a *eachLevel) demand(i int) int { return int(^uint32(a.order[i] >> 32)) }

// merge merges slots that rise into others that do and has room for them.
func merge(slots, joined []int32) []int32 {
	i, j := len(slots)-1, len(joined)-1
	slots = slots[:len(slots)+len(joined)]
	for k := len(slots) - 1; j >= 0; k-- {
		if i >= 0 && slots[i] > joined[j] {
			slots[k] = slots[i]
			i--
		} else {
			slots[k] = joined[j]
			j--
		}
	}
	return slots
}

// decide plans for one level.
func (a *eachLevel) decide(horizon reserve.Horizon) {
	s := &a.single
	n, tau, every := len(s.demand), s.class.Term, s.every
	pure := horizon == reserve.Pure
	costly := a.costly
	cost, starts, before := a.cost[:len(costly)+1], a.start[:len(costly)], a.before[:len(costly)]
	fee, gain := s.class.Fee, s.gain
	cost[0] = 0
	head, tail := int32(0), int32(0)                    // costly slots before the earliest, the latest start for slot t
	late, lateStart, lateHead := int64(-1), 0, int32(0) // the best start beyond n-τ
	for i, slot := range costly {
		t := int(slot)
		// The earliest start is the best: V does not fall with its slot.
		start := max(0, t-tau+1)
		if every > 1 {
			start = (start + every - 1) / every * every
		}
		for int(costly[head]) < start {
			head++
		}
		with, at, bought := cost[head]+fee, start, head
		if pure {
			with = cost[head] + s.class.FeeFor(n-start)
			// But beyond n-τ a later one costs less, and the latest that
			// serves t is the best of those since the last costly slot.
			if b := t - t%every; b > n-tau {
				for int(costly[tail]) < b {
					tail++
				}
				if c := cost[tail] + s.class.FeeFor(n-b); late < 0 || c < late {
					late, lateStart, lateHead = c, b, tail
				}
			}
			if late >= 0 && late < with {
				with, at, bought = late, lateStart, lateHead
			}
		}
		if without := cost[i] + gain; with <= without {
			cost[i+1], starts[i], before[i] = with, int32(at), bought
		} else {
			cost[i+1], starts[i] = without, -1
		}
	}
	a.plan = a.plan[:0]
	for i := len(a.costly) - 1; i >= 0; {
		if a.start[i] < 0 {
			i--
			continue
		}
		a.plan = append(a.plan, int(a.start[i]))
		i = int(a.before[i]) - 1
	}
	slices.Reverse(a.plan)
	for i := 1; i < len(a.plan); i++ { // apart
		a.plan[i] = max(a.plan[i], a.plan[i-1]+tau)
		if a.plan[i] >= n { // has nothing left to serve: its fee is 0
			a.plan = a.plan[:i]
		}
	}
}

// apply buys the plan for as many levels as it is the same for, at most the
// given number, and returns their number.
func (a *eachLevel) apply(levels int) int {
	tau := a.single.class.Term
	same := int64(levels)
	end, next := 0, 0 // of the last reservation begun; the next one's index
	for _, t := range a.spare {
		for next < len(a.plan) && a.plan[next] <= int(t) {
			end = a.plan[next] + tau
			next++
		}
		if int(t) >= end {
			same = min(same, a.left[t])
		}
	}
	end, next = 0, 0
	a.joined = a.joined[:0]
	rest := a.spare[:0]
	for _, t := range a.spare {
		for next < len(a.plan) && a.plan[next] <= int(t) {
			end = a.plan[next] + tau
			next++
		}
		if int(t) >= end {
			a.left[t] -= same
			if a.left[t] == 0 {
				a.joined = append(a.joined, t)
				continue
			}
		}
		rest = append(rest, t)
	}
	a.spare = rest
	a.costly = merge(a.costly, a.joined)
	for _, t := range a.plan {
		a.buy[t/a.single.every] += int(same)
		a.change(t, same)
		a.change(t+tau, -same)
	}
	return int(same)
}

// change adds x to the active reservations from slot t on.
func (a *eachLevel) change(t int, x int64) {
	for i := t + 1; i < len(a.cover); i += i & -i {
		a.cover[i] += x
	}
}

// covered returns the number of reservations that are active in slot t.
func (a *eachLevel) covered(t int) (x int64) {
	for i := t + 1; i > 0; i -= i & -i {
		x += a.cover[i]
	}
	return x
}

// Levels plans as the recursion over all slots does, at any size.
func TestLevelsEachLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 4)) // seed 22, 4
	var a Levels
	var b eachLevel
	bought := 0
	for i := range 3000 {
		n := 1 + r.IntN(400)
		switch { // most small, and some beyond a block of values
		case i >= 1000:
			n = 1 + r.IntN(12)
		case i%100 == 0:
			n = 2*valueBlock + r.IntN(400)
		}
		p := &reserve.Problem{Slot: time.Hour, Horizon: reserve.Horizon(r.IntN(2))}
		peak := []int{2, 10, 100, 100_000}[r.IntN(4)]
		level, kind := peak/2, r.IntN(4)
		for t := range n {
			switch kind {
			case 0: // all differ
				level = r.IntN(peak + 1)
			case 1: // a walk
				level = max(0, level+r.IntN(peak/10+3)-(peak/10+3)/2)
			case 2: // steps
				if r.IntN(30) == 0 {
					level = r.IntN(peak + 1)
				}
			case 3: // ramps
				level = peak * (t % 50) / 50
			}
			p.Demand = append(p.Demand, level)
		}
		every := 1 + max(0, r.IntN(10)-5)
		p.Every = every
		term := every * (1 + r.IntN(60/every))
		if i >= 1000 {
			peak, term = min(peak, 10), every*(1+r.IntN(4))
		}
		p.Prices = prepaid(10, pricing.Money(1+r.IntN(10*term)), term)
		if r.IntN(3) == 0 {
			p.Held = []pricing.Holding{{Count: r.IntN(peak + 1), Until: r.IntN(n + 1)}}
		}
		got, err1 := a.AppendPlan(nil, p)
		want, err2 := b.AppendPlan(nil, p)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("problem %d: %+v\ngot  %v\nwant %v", i, p, got, want)
		}
		bought += len(got)
	}
	if bought < 1000 {
		seeded.TooFew(t, "%d purchases: too few to test anything", bought)
	}
}

// BenchmarkLevels has demands that mostly differ from slot to slot.
func BenchmarkLevels(b *testing.B) {
	for _, term := range []int{24, 720} {
		for _, n := range []int{16_384, 65_536, 262_144} {
			p := &reserve.Problem{Demand: anyDemand(rand.New(rand.NewPCG(3, 4)), n, 100_000), Slot: time.Hour, Prices: prepaid(60, pricing.Money(31*term), term)}
			b.Run(fmt.Sprintf("alg=level/slots=%d/term=%dh", n, term), func(b *testing.B) { benchPlan(b, &Levels{}, p, 0) })
		}
	}
}
