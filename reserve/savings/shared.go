package savings

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// One savings plan for many groups, whose totals may exceed 64 bits.
//
// The caller chooses a fair worth ν of the slots. Each group then plans by itself: it buys the
// reservations of least cost if a slot costs min(p, q·ν_t). A [Sum] adds up, by rates and slot, the
// usage that the reservations of the groups do not serve, in any order. [Commit] then finds the
// commitments for all groups. The proposition of joint.go holds for the
// groups together, with the sum of the groups' bounds in place of Σ reserve_i. So the bound holds
// however the worth was found, and whatever any group reserves. A bad worth only makes a bad bound.
//
// The commitments are those of a savings plan alone for the usage in the Sum. To choose them, Commit
// joins pairs of rates with neighbouring ratios to one type, and takes coarser units. Commit then
// computes the cost of the chosen commitments exactly, pair by pair, in 128 bits. Both steps include
// rates of the plan that are not below on demand, since money committed for one group may pay for
// such usage of another group.
//
// Amounts are rounded as follows. A group's bound is rounded to the nearest nano, and a Sum takes one
// nano off each. Worths are rounded down, the worth of held commitments is rounded up. The usage on
// demand is rounded up to a nano for each pair of rates.

// A Shared is a plan of many groups: the commitments of its savings plan, and what these cost
// together with the reservations and the usage of all groups.
type Shared struct {
	// Commitments are sorted by slot, an hour. Each is Hourly money an hour, Units times
	// Unit, for the term of the savings plan.
	Commitments []Commitment
	Unit        pricing.Money
	// Cost is Fees, of the reservations of all groups, plus Committed and OnDemand. Of groups with
	// paths OnDemand is the mean over the paths, rounded to a nano for each group.
	Cost, Fees, Committed, OnDemand Total
	// No plan of the groups costs less than Bound. It is 0 where Bounded is false.
	Bound   Total
	Bounded bool
	// Unused is the part of the commitments that pays for nothing.
	Unused Total
	Groups int64
	// Failed is why there are no commitments, and begins with "overflow"; "" where nothing failed. The
	// plans of the groups hold all the same.
	Failed string `json:",omitempty"`
}

// Gap returns by which share of the bound the cost is above the bound: +Inf without a bound.
func (p *Shared) Gap() float64 {
	if p.Cost == p.Bound {
		return 0
	}
	return p.Cost.Float64()/p.Bound.Float64() - 1
}

// Commit plans one savings plan that many groups of demand share. Each group plans its own
// reservations, and answers with the usage that the reservations do not serve. Commit chooses
// commitments for that usage of all groups together. p has the terms of the savings plan, and slots
// is the number of hours. p.Slot must be an hour. p.Term is 0 if there is no savings plan. Commit
// does not use p.Types.
//
// The caller makes several passes over the groups. In a pass, each group plans with a worth of
// commitment for each slot, and sum adds up the answers of the groups. worth is the worth of this
// pass. next, which Commit returns, is the worth for the next pass.
//
// plan.Bound is the lower bound that sum and worth prove. If worth is nil, there is no bound,
// unless there is no savings plan.
//
// If amounts are too large for the savings plan, there is no error, and [Shared].Failed says so.
// The error is for a sum or a worth that does not belong to p.
//
// Commit takes as long as [Solver] takes for up to a dozen types: below a second for a year.
func Commit(p *Problem, slots int, sum *Sum, worth []int64) (plan Shared, next []int64, err error) {
	l, err := newLines(p, slots, sum)
	if err != nil {
		return Shared{}, nil, err
	}
	next = make([]int64, slots)
	plan = Shared{Groups: sum.Groups, Unit: pricing.Money(l.unit)}
	switch {
	case l.dearest >= 0:
		plan.Failed = fmt.Sprintf("overflow: the usage of hour %d costs more than %v an hour, so that no savings plan is planned: want the largest accounts apart", l.dearest, pricing.Money(math.MaxInt64))
	case p.Term > 0 && l.peak > 0:
		var solver Solver
		found, err := solver.Solve(l.problem())
		if err != nil {
			return Shared{}, nil, fmt.Errorf("the shared savings plan: %w", err)
		}
		plan.Commitments = slices.Clone(found.Commitments)
		for t, v := range found.Certificate.Values {
			next[t] = share(v, found.Certificate.Parts)
		}
	}
	l.price(&plan, sum)
	if _, err := plan.Committed.Money(); err != nil {
		plan.Failed = fmt.Sprintf("overflow: its commitments would cost %v in all, so that none is planned: want the largest accounts apart", plan.Committed)
		plan.Commitments = nil
		l.price(&plan, sum)
	}
	if worth != nil || p.Term == 0 {
		if plan.Bound, err = sharedBound(p, l.held, sum, worth); err != nil {
			return Shared{}, nil, err
		}
		plan.Bounded = true
	}
	return plan, next, nil
}

// sharedBound returns the bound that sum proves at worth, or an error if worth proves none.
func sharedBound(p *Problem, held []int64, sum *Sum, worth []int64) (Total, error) {
	if t := Unfair(p, worth); t >= 0 {
		return Total{}, fmt.Errorf("a commitment of slot %d would be worth more than its price: these worths prove no bound", t)
	}
	total := sum.Bound.big()
	paid, product := new(big.Int), new(big.Int)
	for t, h := range held {
		if h > 0 && worth != nil {
			paid.Add(paid, product.Mul(big.NewInt(h), big.NewInt(worth[t])))
		}
	}
	paid.Add(paid, big.NewInt(1<<worthBits-1)) // rounded up
	total.Sub(total, paid.Rsh(paid, worthBits))
	if total.Sign() < 0 { // what is held may be worth more than all else
		return Total{}, nil
	}
	return totalOf(total), nil
}

// Unfair returns the first slot whose commitment would be worth more than its price, in parts of 2⁻⁴⁰
// of money on demand per money at plan rates, or -1 if worth is fair. Only a fair worth proves a bound.
func Unfair(p *Problem, worth []int64) int {
	if p.Term == 0 {
		return -1
	}
	term := p.span(p.Term)
	sums := make([]wide.Int, len(worth)+1)
	for t, w := range worth {
		if w < 0 || w > mostWorth {
			return t
		}
		sums[t+1] = sums[t].Plus(wide.FromInt64(w))
	}
	for t := range worth {
		price := wide.ProductInt(1<<worthBits, int64(p.charged(len(worth), term, t)))
		if p.sold(t) && price.Less(sums[min(len(worth), t+term)].Minus(sums[t])) {
			return t
		}
	}
	return -1
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
	p       *Problem
	rates   []Rates
	left    [][]int64
	held    []int64
	peak    int64 // the dearest hour at the rates of the plan, in nanos
	dearest int   // the first hour that is dearer than 64 bits hold, -1 if none is
	unit    int64 // of commitment, in nanos
}

func newLines(p *Problem, slots int, sum *Sum) (*lines, error) {
	held, ok := p.heldMoney(nil, slots)
	if !ok {
		return nil, badInput("Held", -1, ErrOverflow, "the held commitments come to more than %v an hour", pricing.Money(math.MaxInt64))
	}
	l := &lines{p: p, rates: sum.Rates(), held: held, dearest: -1, unit: int64(pricing.Milli)}
	for _, r := range l.rates {
		if len(sum.Left[r]) != len(held) {
			return nil, fmt.Errorf("the usage at %v an hour has %d slots: want %d", r.OnDemand, len(sum.Left[r]), len(held))
		}
		for t, d := range sum.Left[r] {
			if d < 0 {
				return nil, fmt.Errorf("the usage at %v an hour is %d units in slot %d: want none negative", r.OnDemand, d, t)
			}
		}
		l.left = append(l.left, sum.Left[r])
	}
	for t := range held {
		line := wide.Int{}
		for i, r := range l.rates {
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
// units of commitment. Pairs of rates with neighbouring ratios become one type with their mean ratio.
// Only the choice of the commitments depends on that: price takes each pair alone. If totals would not
// fit in 64 bits, a unit costs less here: the choice depends on the ratios only.
func (l *lines) problem() *Problem {
	p := &Problem{Slot: time.Hour, Term: l.p.Term, Every: l.p.Every, Closed: l.p.Closed, Horizon: l.p.Horizon}
	for _, h := range l.p.Held {
		p.Held = append(p.Held, pricing.Holding{Count: int(min(int64(h.Count)*int64(l.p.unitOf())/l.unit, math.MaxInt32)), Until: h.Until})
	}
	// The money of each pair at the rates of the plan, and of all.
	total, most, sums := 0.0, 0.0, make([]float64, len(l.rates))
	for i, left := range l.left {
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
		more := int64(math.Round(min(ratio-1, mostRatio) * 1000))
		if ratio > 1 {
			more = max(1, more)
		}
		y := Type{Plan: pricing.Money(unit), OnDemand: max(1, pricing.Money(unit+more*(unit/1000))), Demand: make([]int, len(l.held))}
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
func (l *lines) price(plan *Shared, sum *Sum) {
	n := len(l.held)
	active := make([]wide.Int, n)
	for t, h := range l.held {
		active[t] = wide.FromInt64(h)
	}
	committed, unused := new(big.Int), new(big.Int)
	term := int(l.p.Term / time.Hour)
	for i := range plan.Commitments {
		c := &plan.Commitments[i]
		c.Hourly = pricing.Money(int64(c.Units) * l.unit)
		for t := c.Slot; t < min(n, c.Slot+term); t++ {
			active[t] = active[t].Plus(wide.FromInt64(int64(c.Hourly)))
		}
		committed.Add(committed, new(big.Int).Mul(big.NewInt(int64(c.Hourly)), big.NewInt(int64(l.p.charged(n, term, c.Slot)))))
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
	onDemand := sum.OnDemand.big()
	for i, r := range l.rates {
		p := big.NewInt(int64(r.OnDemand))
		cost := amount(used[i].Hi, used[i].Lo)
		onDemand.Add(onDemand, cost.Mul(cost, p))
		saved := amount(paid[i].Hi, paid[i].Lo)
		onDemand.Sub(onDemand, saved.Mul(saved, p).Quo(saved, big.NewInt(int64(r.Plan))))
	}
	fees := sum.Fees.big()
	cost := new(big.Int).Add(committed, onDemand)
	cost.Add(cost, fees)
	plan.Cost, plan.Fees, plan.Committed = totalOf(cost), totalOf(fees), totalOf(committed)
	plan.OnDemand, plan.Unused = totalOf(onDemand), totalOf(unused)
}
