package joint

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/fleet/internal/group"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Plan is a plan of a whole fleet: the commitments of its savings plan, and what these cost
// together with the reservations and the usage of all groups.
type Plan struct {
	// Commitments are sorted by slot, an hour. Each is Hourly money an hour, Units times
	// Unit, for the term of the savings plan.
	Commitments []savings.Commitment
	Unit        pricing.Money
	// Cost is Fees, of the reservations of all groups, plus Committed and OnDemand.
	Cost, Fees, Committed, OnDemand pricing.Money
	// No plan of the fleet costs less than Bound. It is 0 where Bounded is false.
	Bound   pricing.Money
	Bounded bool
	// Unused is the part of the commitments that pays for nothing.
	Unused pricing.Money
	Groups int64
}

// Gap returns by which share of the bound the cost is above the bound: +Inf without a bound.
func (p *Plan) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// ErrOverflow says that a fleet's amounts do not fit.
var ErrOverflow = errors.New("the amounts of the fleet do not fit")

// Commit returns the plan that commits the best for the usage that the groups leave, with the
// bound that sum proves: sum is what all groups answered to worth. next is what the hours of
// the commitment are worth beside these reservations, for the next pass. A nil worth, for
// groups planned without a savings plan, proves no bound unless the terms have no savings plan
// either.
//
// Time: that of package savings for at most mostTypes types, below a second for a year.
func Commit(x *group.Terms, sum *Sum, worth group.Worth) (plan Plan, next group.Worth, err error) {
	l, err := newLines(x, sum)
	if err != nil {
		return Plan{}, nil, err
	}
	next = make(group.Worth, x.Hours)
	plan = Plan{Groups: sum.Groups, Unit: pricing.Money(l.unit)}
	if x.Term > 0 && l.peak > 0 {
		var solver savings.Solver
		found, err := solver.Solve(l.problem())
		if err != nil {
			return Plan{}, nil, fmt.Errorf("the savings plan of the fleet: %w", err)
		}
		plan.Commitments = slices.Clone(found.Commitments)
		worthOf(next, &found.Certificate)
	}
	if err := l.price(&plan, sum); err != nil {
		return Plan{}, nil, err
	}
	if worth != nil || x.Term == 0 {
		if plan.Bound, err = bound(x, sum, worth); err != nil {
			return Plan{}, nil, err
		}
		plan.Bounded = true
	}
	return plan, next, nil
}

// bound returns the bound that sum proves at worth, or an error if worth proves none.
func bound(x *group.Terms, sum *Sum, worth group.Worth) (pricing.Money, error) {
	if t := unfair(x, worth); t >= 0 {
		return 0, fmt.Errorf("a commitment of hour %d would be worth more than its price: these worths prove no bound", t)
	}
	total := amount(sum.Bound.Hi, sum.Bound.Lo)
	held, product := new(big.Int), new(big.Int)
	for t, h := range heldOf(x) {
		if h > 0 && worth != nil {
			held.Add(held, product.Mul(big.NewInt(h), big.NewInt(worth[t])))
		}
	}
	held.Add(held, big.NewInt(group.Parts-1)) // rounded up
	total.Sub(total, held.Rsh(held, 40))
	if total.Sign() < 0 { // what is held may be worth more than all else
		return 0, nil
	}
	if !total.IsInt64() {
		return 0, fmt.Errorf("%w in an amount of money: no plan costs less than %v nanos", ErrOverflow, total)
	}
	return pricing.Money(total.Int64()), nil
}

// unfair returns the first hour whose commitment would be worth more than its price, or -1.
func unfair(x *group.Terms, worth group.Worth) int {
	term := int(x.Term / time.Hour)
	sums := make([]wide.Int, len(worth)+1)
	for t, w := range worth {
		if w < 0 || w > group.MostWorth {
			return t
		}
		sums[t+1] = sums[t].Plus(wide.FromInt64(w))
	}
	for t := range worth {
		price := wide.ProductInt(group.Parts, int64(x.Charged(t, term)))
		if x.Term > 0 && x.Open(t) && price.Less(sums[min(len(worth), t+term)].Minus(sums[t])) {
			return t
		}
	}
	return -1
}

// heldOf returns the money an hour that is committed before the first hour.
func heldOf(x *group.Terms) []int64 {
	held := make([]int64, x.Hours)
	for _, h := range x.Held {
		for t := range x.Index(h.Until) {
			held[t] += int64(h.Hourly)
		}
	}
	return held
}

// amount returns a 128-bit integer.
func amount(hi int64, lo uint64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(hi), 64)
	return v.Add(v, new(big.Int).SetUint64(lo))
}

// worthOf sets worth to the worths that a certificate proves, rounded down.
func worthOf(worth group.Worth, c *savings.Certificate) {
	parts, most := amount(int64(c.Parts.Hi), c.Parts.Lo), big.NewInt(group.MostWorth)
	for t, v := range c.Values {
		share := amount(int64(v.Hi), v.Lo)
		if share.Lsh(share, 40).Quo(share, parts).Cmp(most) > 0 {
			share = most
		}
		worth[t] = share.Int64()
	}
}

const (
	// mostTypes is the number of types that the savings plan is computed for. A price list
	// has a hundred ratios of rates, most of them close to others.
	mostTypes = 12
	// finest is how many units of commitment the dearest hour has, at least. It has at most
	// ten times as many, unless a unit of 0.001 leaves fewer.
	finest = 100_000
)

// lines are the hours of a fleet as package savings lays them out: the usage of each pair of
// rates, in the order in which a savings plan pays.
type lines struct {
	x     *group.Terms
	rates []Rates
	left  [][]int64
	held  []int64
	peak  int64 // the dearest hour at the rates of the plan, in nanos
	unit  int64 // of commitment, in nanos
}

func newLines(x *group.Terms, sum *Sum) (*lines, error) {
	l := &lines{x: x, rates: sum.rates(), held: heldOf(x), unit: int64(pricing.Milli)}
	for _, r := range l.rates {
		if len(sum.Left[r]) != x.Hours {
			return nil, fmt.Errorf("the usage at %v an hour has %d hours: want %d", r.OnDemand, len(sum.Left[r]), x.Hours)
		}
		l.left = append(l.left, sum.Left[r])
	}
	for t := range x.Hours {
		line := int64(0)
		for i, r := range l.rates {
			cost, ok1 := wide.Mul(int64(r.Plan), l.left[i][t])
			to, ok2 := wide.Add(line, cost)
			if !ok1 || !ok2 || l.left[i][t] < 0 {
				return nil, fmt.Errorf("%w in 64 bits: the usage of hour %d", ErrOverflow, t)
			}
			line = to
		}
		l.peak = max(l.peak, line)
	}
	for l.peak/l.unit >= 10*finest {
		l.unit *= 10
	}
	return l, nil
}

// problem states the savings plan of the fleet for at most mostTypes types, whose demands are
// units of commitment. Neighbouring ratios of rates are one type with their mean ratio. Only
// the choice of the commitments depends on that: price takes each pair of rates alone.
func (l *lines) problem() *savings.Problem {
	x := l.x
	p := &savings.Problem{Slot: time.Hour, Term: x.Term, Unit: pricing.Money(l.unit), Every: x.Every, Horizon: x.Horizon}
	for _, h := range x.Held {
		p.Held = append(p.Held, savings.Held{Units: int(min(int64(h.Hourly)/l.unit, math.MaxInt32)), Until: x.Index(h.Until)})
	}
	// The money of each pair at the rates of the plan, and of all.
	total, sums := 0.0, make([]float64, len(l.rates))
	for i, left := range l.left {
		for _, d := range left {
			sums[i] += float64(d)
		}
		sums[i] *= l.rates[i].Plan.Float64()
		total += sums[i]
	}
	done := 0.0
	for from := 0; from < len(l.rates); {
		goal := float64(len(p.Types)+1) / mostTypes * total
		to, money, worth := from, 0.0, 0.0
		for ; to < len(l.rates) && (to == from || done+sums[to]/2 <= goal || len(p.Types) == mostTypes-1); to++ {
			done += sums[to]
			money += sums[to]
			worth += sums[to] * l.rates[to].ratio()
		}
		ratio := l.rates[from].ratio()
		if money > 0 {
			ratio = worth / money
		}
		// Ratios of three decimals keep the integers of package savings small.
		more := max(1, int64(math.Round(min(ratio-1, mostRatio)*1000))) * (l.unit / 1000)
		y := savings.Type{Plan: pricing.Money(l.unit), OnDemand: pricing.Money(l.unit + more), Demand: make([]int, x.Hours)}
		for t := range y.Demand {
			line := int64(0)
			for i := from; i < to; i++ {
				line += int64(l.rates[i].Plan) * l.left[i][t]
			}
			y.Demand[t] = int((line + l.unit/2) / l.unit)
		}
		p.Types = append(p.Types, y)
		from = to
	}
	return p
}

// mostRatio is far above what a savings plan saves.
const mostRatio = 1000

func (r Rates) ratio() float64 { return r.OnDemand.Float64() / r.Plan.Float64() }

// price fills in the amounts of plan: what the commitments, the usage that they do not pay
// for and the reservations cost. It is exact but for one rounding of each pair of rates, up to
// a nano.
func (l *lines) price(plan *Plan, sum *Sum) error {
	x := l.x
	active := l.held
	committed, unused := new(big.Int), new(big.Int)
	term := int(x.Term / time.Hour)
	for i := range plan.Commitments {
		c := &plan.Commitments[i]
		c.Hourly = pricing.Money(int64(c.Units) * l.unit)
		for t := c.Slot; t < min(x.Hours, c.Slot+term); t++ {
			active[t] += int64(c.Hourly)
		}
		committed.Add(committed, new(big.Int).Mul(big.NewInt(int64(c.Hourly)), big.NewInt(int64(x.Charged(c.Slot, term)))))
	}
	paid := make([]wide.Int, len(l.rates)) // by the savings plan, at its rates
	used := make([]wide.Int, len(l.rates)) // units
	for t, free := range active {
		for i, r := range l.rates {
			d := l.left[i][t]
			used[i] = used[i].Plus(wide.FromInt64(d))
			pays := min(free, int64(r.Plan)*d)
			paid[i] = paid[i].Plus(wide.FromInt64(pays))
			free -= pays
		}
		unused.Add(unused, big.NewInt(free))
	}
	onDemand := amount(sum.OnDemand.Hi, sum.OnDemand.Lo)
	for i, r := range l.rates {
		p := big.NewInt(int64(r.OnDemand))
		cost := amount(used[i].Hi, used[i].Lo)
		onDemand.Add(onDemand, cost.Mul(cost, p))
		saved := amount(paid[i].Hi, paid[i].Lo)
		onDemand.Sub(onDemand, saved.Mul(saved, p).Quo(saved, big.NewInt(int64(r.Plan))))
	}
	fees := amount(sum.Fees.Hi, sum.Fees.Lo)
	cost := new(big.Int).Add(committed, onDemand)
	cost.Add(cost, fees)
	for _, v := range []struct {
		to  *pricing.Money
		sum *big.Int
	}{{&plan.Cost, cost}, {&plan.Fees, fees}, {&plan.Committed, committed}, {&plan.OnDemand, onDemand}, {&plan.Unused, unused}} {
		if !v.sum.IsInt64() {
			return fmt.Errorf("%w in an amount of money: the fleet costs %v nanos: want less than 2⁶³, or the fleet in parts", ErrOverflow, cost)
		}
		*v.to = pricing.Money(v.sum.Int64())
	}
	return nil
}
