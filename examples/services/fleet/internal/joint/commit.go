package joint

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
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
	// Cost is Fees, of the reservations of all groups, plus Committed and OnDemand. Of groups with
	// paths OnDemand is the mean over the paths, rounded to a nano for each group.
	Cost, Fees, Committed, OnDemand Total
	// No plan of the fleet costs less than Bound. It is 0 where Bounded is false.
	Bound   Total
	Bounded bool
	// Unused is the part of the commitments that pays for nothing.
	Unused Total
	Groups int64
	// Failed is why the fleet has no savings plan of its own, or no bound, and begins with
	// [group.Overflow]; "" where nothing failed. The plans of the groups hold all the same.
	Failed string `json:",omitempty"`
}

// Gap returns by which share of the bound the cost is above the bound: +Inf without a bound.
func (p *Plan) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// Enough is the gap that a plan of a fleet should have at most.
const Enough = 1e-3

// Commit returns the plan that commits the best for the usage that the groups leave, with the
// bound that sum proves, or that of the price if it is better: sum is what all groups answered
// to the price. next is what the hours of the commitment are worth beside these reservations,
// for the next pass. A nil Worth, for groups planned without a savings plan, proves no bound
// unless the terms have no savings plan either.
//
// Amounts that are too large for the savings plan are no error: see [Plan].Failed. An error
// says that sum or price is not of this fleet.
//
// Time: that of package savings for at most mostTypes types, below a second for a year.
func Commit(x *group.Terms, sum *Sum, price *Price) (plan Plan, next group.Worth, err error) {
	plan, next, err = commit(x, sum, price.Worth)
	price.raise(&plan)
	if err == nil && plan.Failed == "" && !plan.Bounded && sum.Groups > 0 {
		plan.Failed = group.Overflow + ": the usage of the sample is too large for amounts of money, so that the hours of the savings plan have no price and the fleet no bound: want the largest accounts apart"
	}
	return plan, next, err
}

func commit(x *group.Terms, sum *Sum, worth group.Worth) (plan Plan, next group.Worth, err error) {
	l, err := newLines(x, sum)
	if err != nil {
		return Plan{}, nil, err
	}
	next = make(group.Worth, x.Hours)
	plan = Plan{Groups: sum.Groups, Unit: pricing.Money(l.unit)}
	switch {
	case l.dearest >= 0:
		plan.Failed = fmt.Sprintf("%s: the usage of hour %d costs more than %v an hour, so that no savings plan is planned: want the largest accounts apart", group.Overflow, l.dearest, pricing.Money(math.MaxInt64))
	case x.Term > 0 && l.peak > 0:
		var solver savings.Solver
		found, err := solver.Solve(l.problem())
		if err != nil {
			return Plan{}, nil, fmt.Errorf("the savings plan of the fleet: %w", err)
		}
		plan.Commitments = slices.Clone(found.Commitments)
		worthOf(next, &found.Certificate)
	}
	l.price(&plan, sum)
	if _, err := plan.Committed.Money(); err != nil {
		plan.Failed = fmt.Sprintf("%s: its commitments would cost %v in all, so that none is planned: want the largest accounts apart", group.Overflow, plan.Committed)
		plan.Commitments = nil
		l.price(&plan, sum)
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
func bound(x *group.Terms, sum *Sum, worth group.Worth) (Total, error) {
	if t := unfair(x, worth); t >= 0 {
		return Total{}, fmt.Errorf("a commitment of hour %d would be worth more than its price: these worths prove no bound", t)
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
		return Total{}, nil
	}
	return totalOf(total), nil
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
	// cheaper is how many of the rates are below those on demand. They come first. Only
	// money that is committed anyway pays at the others.
	cheaper int
	peak    int64 // the dearest hour at the rates of the plan, in nanos
	dearest int   // the first hour that is dearer than 64 bits hold, -1 if none is
	unit    int64 // of commitment, in nanos
}

func newLines(x *group.Terms, sum *Sum) (*lines, error) {
	l := &lines{x: x, rates: sum.rates(), held: heldOf(x), dearest: -1, unit: int64(pricing.Milli)}
	for _, r := range l.rates {
		if len(sum.Left[r]) != x.Hours {
			return nil, fmt.Errorf("the usage at %v an hour has %d hours: want %d", r.OnDemand, len(sum.Left[r]), x.Hours)
		}
		for t, d := range sum.Left[r] {
			if d < 0 {
				return nil, fmt.Errorf("the usage at %v an hour is %d units in hour %d: want none negative", r.OnDemand, d, t)
			}
		}
		l.left = append(l.left, sum.Left[r])
		if r.Plan < r.OnDemand {
			l.cheaper++
		}
	}
	for t := range x.Hours {
		line := wide.Int{}
		for i, r := range l.rates[:l.cheaper] {
			line.AddProduct(int64(r.Plan), l.left[i][t])
		}
		money, ok := line.Int64()
		if !ok && l.dearest < 0 {
			l.dearest = t
		}
		l.peak = max(l.peak, money)
	}
	for l.peak/l.unit >= 10*finest {
		l.unit *= 10
	}
	return l, nil
}

// problem states the savings plan of the fleet for at most mostTypes types, whose demands are
// units of commitment. Neighbouring ratios of rates are one type with their mean ratio. Only
// the choice of the commitments depends on that: price takes each pair of rates alone. Nor does
// the choice depend on what a unit costs, so that units of a fleet whose total does not fit in
// 64 bits cost less here.
func (l *lines) problem() *savings.Problem {
	x := l.x
	p := &savings.Problem{Slot: time.Hour, Term: x.Term, Every: x.Every, Horizon: x.Horizon}
	for _, h := range x.Held {
		p.Held = append(p.Held, savings.Held{Units: int(min(int64(h.Hourly)/l.unit, math.MaxInt32)), Until: x.Index(h.Until)})
	}
	// The money of each pair at the rates of the plan, and of all.
	total, most, sums := 0.0, 0.0, make([]float64, l.cheaper)
	for i, left := range l.left[:l.cheaper] {
		for _, d := range left {
			sums[i] += float64(d)
		}
		sums[i] *= l.rates[i].Plan.Float64()
		total += sums[i]
		most += sums[i] * min(mostRatio, l.rates[i].ratio())
	}
	unit := l.unit
	for most *= float64(pricing.Unit); most > 1<<62 && unit > 1000; most /= 10 {
		unit /= 10
	}
	p.Unit = pricing.Money(unit)
	done := 0.0
	for from := 0; from < l.cheaper; {
		goal := float64(len(p.Types)+1) / mostTypes * total
		to, money, worth := from, 0.0, 0.0
		for ; to < l.cheaper && (to == from || done+sums[to]/2 <= goal || len(p.Types) == mostTypes-1); to++ {
			done += sums[to]
			money += sums[to]
			worth += sums[to] * l.rates[to].ratio()
		}
		ratio := l.rates[from].ratio()
		if money > 0 {
			ratio = worth / money
		}
		// Ratios of three decimals keep the integers of package savings small.
		more := max(1, int64(math.Round(min(ratio-1, mostRatio)*1000))) * (unit / 1000)
		y := savings.Type{Plan: pricing.Money(unit), OnDemand: pricing.Money(unit + more), Demand: make([]int, x.Hours)}
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
func (l *lines) price(plan *Plan, sum *Sum) {
	x := l.x
	active := make([]wide.Int, x.Hours)
	for t, h := range l.held {
		active[t] = wide.FromInt64(h)
	}
	committed, unused := new(big.Int), new(big.Int)
	term := int(x.Term / time.Hour)
	for i := range plan.Commitments {
		c := &plan.Commitments[i]
		c.Hourly = pricing.Money(int64(c.Units) * l.unit)
		for t := c.Slot; t < min(x.Hours, c.Slot+term); t++ {
			active[t] = active[t].Plus(wide.FromInt64(int64(c.Hourly)))
		}
		committed.Add(committed, new(big.Int).Mul(big.NewInt(int64(c.Hourly)), big.NewInt(int64(x.Charged(c.Slot, term)))))
	}
	paid := make([]wide.Int, len(l.rates)) // by the savings plan, at its rates
	used := make([]wide.Int, len(l.rates)) // units
	for t, free := range active {
		for i, r := range l.rates {
			d := l.left[i][t]
			used[i] = used[i].Plus(wide.FromInt64(d))
			pays := wide.ProductInt(int64(r.Plan), d)
			if free.Less(pays) {
				pays = free
			}
			paid[i] = paid[i].Plus(pays)
			free = free.Minus(pays)
		}
		unused.Add(unused, amount(free.Hi, free.Lo))
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
	plan.Cost, plan.Fees, plan.Committed = totalOf(cost), totalOf(fees), totalOf(committed)
	plan.OnDemand, plan.Unused = totalOf(onDemand), totalOf(unused)
}
