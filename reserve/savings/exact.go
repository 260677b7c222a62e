package savings

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/internal/flow"
)

// Savings plans, exactly.
//
// A savings plan is a commitment to pay c an hour, for a term. In each hour the
// commitment pays for usage. Usage of type i costs q_i an instance-hour at the rates of the
// plan, and p_i > q_i on demand. The commitment pays for the type with the greatest
// p_i/q_i first, and for a fraction of an instance-hour where c ends. All other usage
// runs on demand, and the unused part of c is lost. Minimise the commitments plus the
// cost on demand. Commitments are whole numbers of units of u.
//
// The hour is convex. Lay the usage of a slot on a line of money at plan rates: the types
// in the order of p_i/q_i, each with the length q_i·d_i. N units of commitment pay for the
// line up to N·u, so unit N saves
//
//	δ(N) = ∫ p/q over ((N-1)·u, N·u],
//
// a mean of the ratio over a step of fixed length, and 0 beyond the end of the line. The
// ratio falls along the line, and so do the means: δ(1) ≥ δ(2) ≥ … ≥ 0. Only a unit that
// straddles the end of a type has a mean of its own. So for k types δ has at most 2k runs
// of equal values: one for each type and one for each end.
//
// The flow. A run that ends at unit D_j, and whose value exceeds that of the next run by
// v_j, adds v_j·max(0, D_j - N) to the cost on demand. That is the cost of a slot with the
// demand D_j at the price v_j, and commitments are the reservations that serve the slot. So
// each slot becomes m consecutive slots, where m is the largest number of runs of any slot.
// Terms become m times as long, and purchases are possible in the first slot of each m. The
// minimum-cost flow of prepaid reservations (package reserve/internal/flow) solves this
// problem.
//
// Exactness. All ratios are multiples of 1/Λ, where Λ is the least common multiple of the
// plan rates. Plan rates are odd amounts such as 0.1553 and 1.1721, and with three types
// and three years Λ does not fit in the integers of the flow. Where Λ fits, the optimum
// of the flow is the optimum. Otherwise the flow gets the values of units rounded down to
// about eight digits, and gives a plan, dual prices and a lower bound. Then repair.go
// makes the plan optimal for the true values, in integers of 128 bits. Seven types of
// four decimals do not fit in 128 bits either: the plan then comes with the lower bound
// of the flow, about 10⁻⁸ below the cost.
//
// Time: that of a flow of m·slots slots. With three years of hours that is 3 to 30 ms for
// one type and 20 to 250 ms for five (BenchmarkSavings). Memory: about 150 bytes for each
// slot of the flow, and 150 for each slot of the problem.

// exact finds commitments of least cost for given demands.
type exact struct {
	// the problem in integers
	problem     *Problem
	slots, term int
	types       []payer // those that a plan pays for, in the order of payment
	unit        int64   // û, the unit in grains, the greatest amount that divides all plan rates
	grain       int64   // nanos
	held        []int   // units per slot
	units       int64   // U, what a unit costs in a slot: integers of the flow
	shift       int     // values of the flow have so many more bits
	scaled      bool    // values of the flow are the true ones
	true128     bool    // the true ones fit in 128 bits, in units of units128
	units128    wide.Int
	limit       int64 // of units, if not 0: for tests of what happens when it is too low

	// the flow
	space  []run
	steps  []flow.Step
	first  []int32
	fees   []int64
	solver flow.Solver
	class  [1]flow.Class
	bought []flow.Purchase

	// the plan
	active      []int // units, by slot
	buy         []int
	commitments []Commitment
	values      []uint128
	repair      repair
	sum         sum
}

// A payer is a type that a plan pays for.
type payer struct {
	index   int
	demand  []int
	price   int64 // p, nanos
	plan    int64 // q, nanos
	rate    int64 // q in grains
	value   int64 // what a grain saves, in integers of the flow with shift more bits
	true128 wide.Int
}

// solveExact returns a plan of least cost for p, which is checked and has n slots, without regard to
// classes. Types with the same ratio of rates are paid for in the order of their plan rates, the
// lowest first, as AWS does, and then in the order of Types.
func (s *exact) solveExact(p *Problem, n int) (Plan, error) {
	if err := s.load(p, n); err != nil {
		return Plan{}, err
	}
	if err := s.solve(); err != nil {
		return Plan{}, err
	}
	return s.plan(p)
}

// load turns p into integers.
func (s *exact) load(p *Problem, n int) error {
	s.problem, s.slots, s.term = p, n, p.span(p.Term)
	unit := int64(p.unitOf())

	s.types = s.types[:0]
	s.grain = unit
	for i := range p.Types {
		y := &p.Types[i]
		if y.paid() {
			s.types = append(s.types, payer{index: i, demand: y.Demand, price: int64(y.OnDemand), plan: int64(y.Plan)})
			s.grain = wide.GCD(s.grain, int64(y.Plan))
		}
	}
	slices.SortFunc(s.types, func(a, b payer) int {
		ah, al := bits.Mul64(uint64(a.price), uint64(b.plan))
		bh, bl := bits.Mul64(uint64(b.price), uint64(a.plan))
		return cmp.Or(cmp.Compare(bh, ah), cmp.Compare(bl, al), cmp.Compare(a.plan, b.plan), cmp.Compare(a.index, b.index))
	})
	if s.unit = unit / s.grain; s.unit > 1<<30 {
		return badInput("Unit", -1, ErrOverflow, "%v: want at most %v, 2^30 times the greatest common divisor of unit and rates", p.unitOf(), pricing.Money(s.grain)<<30)
	}
	for i := range s.types {
		s.types[i].rate = s.types[i].plan / s.grain
	}
	for t := range n { // the length of the line in grains
		line, ok := int64(0), true
		for i := range s.types {
			w, fits := wide.Mul(s.types[i].rate, int64(s.types[i].demand[t]))
			line, ok = wide.Add(line, w)
			if !ok || !fits || line/s.unit > math.MaxInt32 {
				return badInput("Types.Demand", s.types[i].index, ErrOverflow, "in slot %d all usage costs more than %d units of %v", t, math.MaxInt32, p.unitOf())
			}
		}
	}
	s.held = grow.Zero(s.held, n)
	s.active = grow.Zero(s.active, n)
	for _, h := range p.Held {
		if h.Until > 0 && n > 0 {
			s.held[min(h.Until, n)-1] += h.Count
		}
	}
	for t := n - 2; t >= 0; t-- {
		s.held[t] += s.held[t+1]
		if s.held[t] > math.MaxInt32 {
			return badInput("Held", -1, ErrOverflow, "%d units in slot %d: want at most %d", s.held[t], t, math.MaxInt32)
		}
	}
	return s.scale(unit)
}

// charged returns the slots for which a commitment made at slot t is paid for.
func (s *exact) charged(t int) int { return s.problem.charged(s.slots, s.term, t) }

// scale chooses the integers of the flow. Let the unit of commitments be u nanos an hour; u is the
// argument unit. A grain is the greatest amount that divides u and all plan rates. u is û grains,
// and the plan rate of type i is rate_i grains. Let p_i be the price on demand of type i, and q_i
// its plan rate. In the integers of the flow, a unit costs s.units in each slot. A grain that pays
// for type i saves value(i) = s.units/û · p_i/q_i.
//
// Both are whole for the following s.units. Let g be the greatest common divisor of u and of all
// p_i, in nanos. In multiples of g, a grain saves (p_i/g)/rate_i and a unit costs u/g. Let d_i be
// the denominator of (p_i/g)/rate_i in lowest terms. Multiply by the least common multiple of the
// d_i. If the products do not fit, scale rounds the values.
func (s *exact) scale(unit int64) error {
	s.units, s.shift, s.true128 = 1, 0, false
	if s.scaled = len(s.types) == 0 || s.slots == 0; s.scaled {
		return nil
	}
	g := unit
	for i := range s.types {
		g = wide.GCD(g, s.types[i].price)
	}
	first := &s.types[0]
	ratio := first.price/first.plan + 1 // above what a unit can save, in units

	// The flow wants (2·slots+4)·(the largest price or fee) below 2⁶¹.
	most := int64(1) << 60 / int64(4*len(s.types)*s.slots+4)
	most /= max(ratio, int64(s.term))
	if s.limit > 0 {
		most = min(most, s.limit)
	}

	lcm, ok := wide.Int{Lo: 1}, true
	for i := range s.types {
		y := &s.types[i]
		d := y.rate / wide.GCD(y.rate, y.price/g)
		if ok {
			_, rest := over(lcm, d)
			lcm, ok = times(lcm, d/wide.GCD(d, rest))
		}
	}
	if ok {
		s.units128, s.true128 = times(lcm, unit/g)
		for i := range s.types {
			y := &s.types[i]
			c := wide.GCD(y.rate, y.price/g)
			q, _ := over(lcm, y.rate/c)
			y.true128, _ = times(q, y.price/g/c) // below units128·ratio, which has to fit
		}
	}
	// Sums of prices or fees along a path, of at most so many slots and fees, have
	// to fit as well.
	if s.true128 {
		x, ok1 := times(s.units128, 4*max(ratio, int64(s.term)))
		_, ok2 := times(x, int64(s.slots)+1)
		s.true128 = ok1 && ok2
	}
	s.scaled = s.true128 && s.units128.Hi == 0 && s.units128.Lo <= uint64(max(0, most))
	if s.scaled {
		s.units, s.shift = int64(s.units128.Lo), 0
		for i := range s.types {
			s.types[i].value = int64(s.types[i].true128.Lo)
		}
		return nil
	}
	if most < 1000 && s.limit == 0 {
		return badInput("Types", -1, ErrOverflow, "%d slots, a term of %d and rates of %v and %v are too much for 64 bits",
			s.slots, s.term, pricing.Money(first.price), pricing.Money(first.plan))
	}
	s.units = most
	s.shift = 61 - bits.Len64(uint64(most)) - bits.Len64(uint64(ratio)) // 2 or more: most·ratio ≤ 2⁵⁷
	for i := range s.types {
		y := &s.types[i]
		hi, lo := bits.Mul64(uint64(s.units)<<s.shift/uint64(s.unit), uint64(y.price))
		v, _ := bits.Div64(hi, lo, uint64(y.plan)) // below 2⁶¹/û, as p/q is below ratio
		y.value = int64(v)
	}
	return nil
}

// A run is a maximal run of units that save the same in a slot.
type run struct {
	end   int // the last unit
	value int64
}

// runs appends the runs of slot t to dst, in integers of the flow. Those that
// save nothing are left out.
func (s *exact) runs(dst []run, t int) []run {
	end := 0
	emit := func(count, value int64) {
		end += int(count)
		value >>= s.shift
		if k := len(dst); k > 0 && dst[k-1].value == value {
			dst[k-1].end = end
		} else if value > 0 {
			dst = append(dst, run{end, value})
		}
	}
	filled, saved := int64(0), int64(0) // of a unit that is not full yet
	for i := range s.types {
		y := &s.types[i]
		w := y.rate * int64(y.demand[t])
		if filled > 0 {
			part := min(w, s.unit-filled)
			filled += part
			saved += part * y.value
			w -= part
			if filled < s.unit {
				continue
			}
			emit(1, saved)
		}
		if w >= s.unit {
			emit(w/s.unit, s.unit*y.value)
		}
		filled = w % s.unit
		saved = filled * y.value
	}
	if filled > 0 {
		emit(1, saved)
	}
	return dst
}

// solve finds the commitments: s.buy, s.active and, with the true values, s.values.
func (s *exact) solve() error {
	n := s.slots
	s.buy = grow.Zero(s.buy, n)
	s.values = grow.To(s.values, n)
	clear(s.values)
	s.steps, s.first = s.steps[:0], grow.To(s.first, n+1)
	s.fees = grow.To(s.fees, n)
	for t := range n {
		s.first[t] = int32(len(s.steps))
		s.space = s.runs(s.space[:0], t)
		below := int64(0)
		for _, r := range slices.Backward(s.space) {
			s.steps = append(s.steps, flow.Step{Demand: r.end, Price: r.value - below})
			below = r.value
		}
		s.fees[t] = -1
		if s.problem.sold(t) {
			s.fees[t] = s.units * int64(s.charged(t))
		}
	}
	s.first[n] = int32(len(s.steps))
	if len(s.steps) == 0 {
		copy(s.active, s.held)
		return nil
	}
	fp := flow.Problem{Steps: s.steps, First: s.first, Held: s.held, Classes: s.class[:]}
	s.class[0] = flow.Class{Term: min(s.term, n), Fees: s.fees}
	if err := s.solver.Solve(fp); err != nil {
		return badInput("Types.Demand", -1, ErrOverflow, "the demands are too large for 64 bits: %w", err)
	}
	s.bought = s.solver.AppendPurchases(s.bought[:0])
	for _, b := range s.bought {
		s.buy[b.Slot] += b.Count
	}
	s.activate()
	y := s.solver.Potentials()
	for t := range n {
		s.values[t] = uint128{0, uint64(y[t+1] - y[t])}
	}
	return nil
}

// activate computes the active units of each slot.
func (s *exact) activate() {
	sum := 0
	for t := range s.slots {
		sum += s.buy[t]
		if t >= s.term {
			sum -= s.buy[t-s.term]
		}
		s.active[t] = s.held[t] + sum
	}
}

// plan makes the plan optimal for the true values, if it is not, and adds it up.
func (s *exact) plan(p *Problem) (Plan, error) {
	plan := Plan{Unit: p.unitOf(), Certificate: Certificate{Values: s.values, Parts: uint128{0, uint64(s.units)}}}
	optimal := s.scaled
	var bound wide.Int // in integers of the flow
	if !optimal {
		bound = s.bound()
		if s.true128 && s.mend() {
			optimal = true
			plan.Certificate.Parts = unsigned(s.units128)
		}
	}
	s.commitments = s.commitments[:0]
	for t, units := range s.buy {
		if units > 0 {
			s.commitments = append(s.commitments, Commitment{Slot: t, Units: units, Hourly: p.unitOf() * pricing.Money(units)})
		}
	}
	plan.Commitments = s.commitments
	if !s.add(p, &plan, optimal, bound) {
		return Plan{}, badInput("Types.Demand", -1, ErrOverflow, "the cost does not fit in an amount of money")
	}
	return plan, nil
}

// bound returns what the flow's plan costs, with the values of units rounded down:
// the least of that problem, and no plan costs less in the true one.
func (s *exact) bound() (sum wide.Int) {
	for t := range s.slots {
		if s.buy[t] > 0 {
			sum = sum.Plus(wide.ProductInt(s.units*int64(s.charged(t)), int64(s.buy[t])))
		}
		from := s.active[t]
		s.space = s.runs(s.space[:0], t)
		for _, r := range s.space {
			if r.end > from {
				sum = sum.Plus(wide.ProductInt(r.value, int64(r.end-from)))
				from = r.end
			}
		}
	}
	return sum
}
