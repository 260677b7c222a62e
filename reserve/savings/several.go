package savings

import (
	"math"
	"math/big"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// Several savings plans beside reservations.
//
// Offer k pays q_ki money an hour for an instance of type i. In each slot the pair (k, i) with the
// greatest p_i/q_ki pays first. Minimise all fees and commitments plus the cost on demand.
//
// The bound. Let ν_k be a fair worth of offer k, in the sense of joint.go. Then no plan costs less
// than
//
//	L(ν) = Σ_i reserve_i(min(p_i, min_k q_ki·ν_kt)) - Σ_kt ν_kt·u·H_kt.
//
// The least is over the offers k that pay for i; it is p_i if none does.
//
// The proof is that of joint.go: what offer k pays for i is worth q_ki·ν_kt, and its money is worth
// no more than its price. The bound holds for every order in which offers pay. So if another order
// were cheaper than the provider's order, the gap includes the difference.
//
// The plan. The first-order method of relax.go approaches the linear program of all offers. Its
// prices are ν, and its purchases, rounded, are a plan. Each time that the method stops, a search
// by coordinates improves three plans at their true cost: the plan of the method, the reservations
// that are best at its prices, and no purchases. A step of the search changes one purchase, or
// moves units from one offer to another. The steps are halved down to one unit. No guarantee is
// known but the gap. If there are few plans, all are tried, and the bound follows from reservations
// with ν = 0.

const (
	// severalWork bounds the evaluations of a slot times pairs in one search by coordinates.
	severalWork = 2e7
	// The method ends after relaxWork times as much steps times slots, types and offers.
	severalSteps = 4
	// All plans are tried if their number times slots times pairs is at most this.
	fewPlans = 1e6
)

// A several is the memory of the search by coordinates.
type several struct {
	order       []pair
	moves       []move
	count, best []int     // by move
	least       float64   // what best costs, nanos an hour
	money       []float64 // by offer and slot, with what is held
	have        []int     // reservations, by type and slot
	costs       []float64 // on demand, by slot
	next        []float64
	left, free  []float64 // of a slot: usage by type, money by offer
	held        []int     // units, by offer and slot
	work        int
}

// A move is a purchase of one unit of an offer, or one reservation of a class if offer is -1.
type move struct {
	offer, class, typ int
	from, to          int
	fee               float64
	most              int
}

// solveSeveral solves a problem with several offers.
func (s *Solver) solveSeveral(p *Problem, n int) (Plan, error) {
	if err := s.loadFees(p, n); err != nil {
		return Plan{}, err
	}
	g := &s.several
	g.load(s, p, n)
	s.bounded = false
	s.worth = grow.Zero(s.worth, n*p.offers())
	s.reservations, s.bestPlan = s.reservations[:0], s.bestPlan[:0]
	if err := s.prove(p, n); err != nil { // worth nothing: all bounds are at least 0
		return Plan{}, err
	}
	g.least = math.Inf(1)
	if s.Work >= 0 && g.few(n) {
		g.begin(p, n)
		g.all(p, n, 0)
		plan, err := s.severalPlan(p, n)
		plan.Searched = true
		return plan, err
	}
	g.search(p, n) // from no purchases
	if n > 0 {
		if err := s.game.ready(s, p, n); err != nil {
			return Plan{}, err
		}
	}
	for steps := relaxSteps; n > 0; steps += relaxSteps {
		if s.least = g.least; s.near(branchGap) {
			break
		}
		s.relax(p, n, steps)
		g.round(s, p, n)
		g.search(p, n)
		if err := s.prove(p, n); err != nil {
			return Plan{}, err
		}
		if p.reserves() {
			g.round(s, p, n)
			g.search(p, n)
		}
		if steps >= 16*relaxSteps || float64(steps*n*len(p.Types)*p.offers()) >= severalSteps*relaxWork {
			break
		}
	}
	return s.severalPlan(p, n)
}

// severalPlan returns the best plan with its amounts and its certificate.
func (s *Solver) severalPlan(p *Problem, n int) (Plan, error) {
	g := &s.several
	plan := Plan{Unit: p.unitOf()}
	for j, m := range g.moves {
		switch {
		case g.best[j] == 0:
		case m.offer < 0:
			plan.Reservations = append(plan.Reservations, pricing.Purchase{Slot: m.from, Class: m.class, Count: g.best[j]})
		default:
			plan.Commitments = append(plan.Commitments, Commitment{Slot: m.from, Units: g.best[j], Hourly: plan.Unit * pricing.Money(g.best[j]), Offer: m.offer})
		}
	}
	sortPurchases(plan.Reservations)
	slices.SortStableFunc(plan.Commitments, func(a, b Commitment) int { return a.Slot - b.Slot })
	s.proof = grow.To(s.proof, len(s.bestWorth))
	for x, v := range s.bestWorth {
		s.proof[x] = uint128{0, uint64(v)}
	}
	plan.Certificate = Certificate{Values: s.proof, Parts: uint128{0, 1 << worthBits}, Prices: s.bestLambda, Shift: s.shift}
	rest, reserved, err := p.served(n, plan.Reservations)
	if err != nil {
		return Plan{}, err
	}
	var v verifier
	if err := v.load(rest, n, plan.Commitments); err != nil {
		return Plan{}, err
	}
	bound := new(big.Rat).SetInt(amount(s.bound.Hi, s.bound.Lo))
	bound.Mul(bound, new(big.Rat).SetFrac(
		new(big.Int).Lsh(big.NewInt(1), uint(max(0, -s.shift))), new(big.Int).Lsh(big.NewInt(1), uint(max(0, s.shift)))))
	fits := true
	for _, a := range append(v.sums(&plan, reserved), fraction{&plan.Bound, "", bound.Num(), bound.Denom()}) {
		m := v.money(a.sum, a.den)
		fits = fits && m.IsInt64()
		*a.of = pricing.Money(m.Int64())
	}
	plan.Bound = max(0, plan.Bound)
	if !fits {
		return Plan{}, badInput("Types.Demand", -1, ErrOverflow, "the cost does not fit in an amount of money")
	}
	return plan, nil
}

// load sets the moves of p, and begins with no purchases.
func (g *several) load(s *Solver, p *Problem, n int) {
	g.order, g.moves = p.pairs(), g.moves[:0]
	for t := range n {
		if !p.sold(t) {
			continue
		}
		for k := range p.offers() {
			term := p.term(k)
			m := move{offer: k, class: -1, from: t, to: min(n, t+term), fee: float64(p.unitOf()) * float64(p.charged(n, term, t))}
			for at := t; at < m.to; at++ { // no slot needs more
				money := 0.0
				for i := range p.Types {
					money += float64(p.rate(k, i)) * float64(p.Types[i].Demand[at])
				}
				m.most = max(m.most, int(min(math.MaxInt32/2, math.Ceil(money/float64(p.unitOf())))))
			}
			g.moves = append(g.moves, m)
		}
		for c := range p.Classes {
			if i := p.Classes[c].Type; !p.Classes[c].Withdrawn {
				m := move{offer: -1, class: c, typ: i, from: t, to: min(n, t+s.terms[c]), fee: math.Ldexp(float64(s.fees[c*n+t]), -s.shift)}
				m.most = slices.Max(p.Types[i].Demand[t:m.to])
				g.moves = append(g.moves, m)
			}
		}
	}
	g.count, g.best = grow.Zero(g.count, len(g.moves)), grow.Zero(g.best, len(g.moves))
	g.money, g.have = grow.To(g.money, n*p.offers()), grow.To(g.have, n*len(p.Types))
	g.costs, g.next = grow.To(g.costs, n), grow.To(g.next, n)
	g.left, g.free = grow.To(g.left, len(p.Types)), grow.To(g.free, p.offers())
	g.held = s.heldUnits
}

// round sets the counts to the purchases of the first-order method, and to s.reservations.
func (g *several) round(s *Solver, p *Problem, n int) {
	for j, m := range g.moves {
		g.count[j] = 0
		if m.offer >= 0 {
			g.count[j] = min(m.most, max(0, int(math.Round(s.game.commit.X[m.offer*n+m.from]/float64(p.unitOf())))))
		}
	}
	for _, r := range s.reservations {
		for j, m := range g.moves {
			if m.offer < 0 && m.class == r.Class && m.from == r.Slot {
				g.count[j] = r.Count
			}
		}
	}
}

// slot returns what slot t costs on demand.
func (g *several) slot(p *Problem, n, t int) float64 {
	for i := range g.left {
		g.left[i] = float64(max(0, p.Types[i].Demand[t]-g.have[i*n+t]))
	}
	for k := range g.free {
		g.free[k] = g.money[k*n+t]
	}
	for _, x := range g.order {
		left, free, q := &g.left[x.typ], &g.free[x.offer], float64(x.rate)
		if need := float64(*left * q); need <= *free {
			*free -= need
			*left = 0
		} else {
			*left -= *free / q
			*free = 0
		}
	}
	cost := 0.0
	for i, left := range g.left {
		cost += float64(left * float64(p.Types[i].OnDemand))
	}
	g.work += len(g.order) + len(g.left)
	return cost
}

// change adds so many purchases of move j to what is active.
func (g *several) change(p *Problem, n, j, by int) {
	m := &g.moves[j]
	for t := m.from; t < m.to; t++ {
		if m.offer >= 0 {
			g.money[m.offer*n+t] += float64(by) * float64(p.unitOf())
		} else {
			g.have[m.typ*n+t] += by
		}
	}
	g.count[j] += by
}

// try makes more of move j and of move o, -1 for none, if that is cheaper, and reports whether it
// is.
func (g *several) try(p *Problem, n, j, by, o, other int) bool {
	if g.count[j]+by < 0 || g.count[j]+by > g.moves[j].most {
		return false
	}
	m := &g.moves[j]
	from, to, saved := m.from, m.to, -m.fee*float64(by)
	g.change(p, n, j, by)
	if o >= 0 {
		to = max(to, g.moves[o].to)
		saved -= g.moves[o].fee * float64(other)
		g.change(p, n, o, other)
	}
	scale := 0.0
	for t := from; t < to; t++ {
		g.next[t] = g.slot(p, n, t)
		saved += g.costs[t] - g.next[t]
		scale += g.costs[t]
	}
	if saved > tinyGoal*(scale+m.fee) {
		copy(g.costs[from:to], g.next[from:to])
		return true
	}
	g.change(p, n, j, -by)
	if o >= 0 {
		g.change(p, n, o, -other)
	}
	return false
}

// begin sets what is active to what is held and bought.
func (g *several) begin(p *Problem, n int) {
	for x, units := range g.held {
		g.money[x] = float64(units) * float64(p.unitOf())
	}
	clear(g.have)
	for j, count := range g.count {
		g.count[j] = 0
		g.change(p, n, j, count)
	}
}

// few reports whether all plans can be tried.
func (g *several) few(n int) bool {
	plans := float64(n * len(g.order))
	for _, m := range g.moves {
		plans *= float64(m.most + 1)
	}
	return plans <= fewPlans
}

// all tries all counts of the moves from j on, and keeps the best.
func (g *several) all(p *Problem, n, j int) {
	if j == len(g.moves) {
		for t := range n {
			g.costs[t] = g.slot(p, n, t)
		}
		g.keep()
		return
	}
	for range g.moves[j].most {
		g.all(p, n, j+1)
		g.change(p, n, j, 1)
	}
	g.all(p, n, j+1)
	g.change(p, n, j, -g.moves[j].most)
}

// keep keeps the counts if they are the best.
func (g *several) keep() {
	cost := 0.0
	for _, c := range g.costs {
		cost += c
	}
	for j, count := range g.count {
		cost += float64(g.moves[j].fee * float64(count))
	}
	if cost < g.least {
		g.least = cost
		copy(g.best, g.count)
	}
}

// search makes the counts better by coordinates, and keeps the best.
func (g *several) search(p *Problem, n int) {
	g.begin(p, n)
	most := 1
	for _, m := range g.moves {
		most = max(most, m.most)
	}
	for t := range n {
		g.costs[t] = g.slot(p, n, t)
	}
	g.work = 0
	step := 1
	for step < most {
		step *= 2
	}
	for ; step >= 1; step /= 2 {
		for better := true; better && g.work < severalWork; {
			better = false
			for j := range g.moves {
				better = g.around(p, n, j, step) || better
			}
		}
	}
	g.keep()
}

// around tries a step of move j by itself, and steps from j to the other moves of its slot.
func (g *several) around(p *Problem, n, j, step int) (better bool) {
	if step > g.moves[j].most || g.work >= severalWork {
		return false
	}
	better = g.try(p, n, j, step, -1, 0) || g.try(p, n, j, -step, -1, 0)
	if g.count[j] < step {
		return better
	}
	for o := j - 1; o >= 0 && g.moves[o].from == g.moves[j].from; o-- {
		better = g.swap(p, n, j, o, step) || better
	}
	for o := j + 1; o < len(g.moves) && g.moves[o].from == g.moves[j].from; o++ {
		better = g.swap(p, n, j, o, step) || better
	}
	return better
}

// swap tries a step less of move j, and as much of move o at the same slot as serves about the
// same.
func (g *several) swap(p *Problem, n, j, o, step int) bool {
	other := step
	switch a, b := &g.moves[j], &g.moves[o]; {
	case a.offer < 0 && b.offer >= 0:
		other = int(math.Ceil(float64(step) * float64(p.rate(b.offer, a.typ)) / float64(p.unitOf())))
	case a.offer >= 0 && b.offer < 0:
		other = int(math.Ceil(float64(step) * float64(p.unitOf()) / max(1, float64(p.rate(a.offer, b.typ)))))
	}
	if g.count[j] < step || other == 0 || g.count[o]+other > g.moves[o].most {
		return false
	}
	return g.try(p, n, j, -step, o, other)
}
