package reserve

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// The front of mean cost against risk.
//
// Let C_s(R) be the cost of the purchases R on path s, and w_s the probability of the path.
// CVaR is the mean cost of the worst share 1 − α of the probability. For a weight λ of risk,
//
//	minimise   (1 − λ)·Σ w_s·C_s(R) + λ·CVaR(R).
//
// CVaR is itself a maximum over weights: CVaR = max Σ q_s·C_s over
//
//	Q = {q : Σ q_s = 1, 0 ≤ q_s ≤ w_s/(1 − α)}.
//
// So for every q of Q, the least mean cost with the weights (1 − λ)·w + λ·q is a lower
// bound. [Exact] solves that problem, and its plan is a candidate. The bound is concave in
// q, and C(R) at the plan found is a supergradient. Front climbs with Polyak's steps, half
// as long as the gap allows, and projects q into Q each time. Front keeps the best plan and
// the best bound. The mean of the plans found, rounded to whole purchases, is a candidate
// too: if two plans are equally good at the best q, the best whole plan is mostly between
// them. No rate of convergence is known; the gap says how near the plan is.
//
// At λ = 0 the plan is that of Exact, and its gap is 0. At λ > 0 a whole plan may have to
// leave a gap: the best mixture of plans need not be a plan.
//
// Time: a solve of Exact and O(slots × paths) for each round.

// A FrontPoint is a plan on the front of mean cost against risk, and how good it is.
type FrontPoint struct {
	// Risk is λ, the weight of CVaR beside the mean, from 0 to 1, in thousandths.
	Risk float64
	// Purchases are sorted by slot and class.
	Purchases []pricing.Purchase
	// Mean is the mean cost, CVaR the mean cost of the worst paths.
	Mean, CVaR pricing.Money
	// Gap is how far (1−λ)·Mean + λ·CVaR is above the proved lower bound at most, as a
	// share of the bound.
	Gap float64
}

// frontGap ends the rounds of a point: amounts of a million are then right to a cent.
const frontGap = 1e-8

// Front returns one plan for p's paths for each element of risks. A risk is the weight λ of
// CVaR: 0 asks for the least mean cost, 1 for the least CVaR. nil stands for eleven risks
// from 0 to 1. CVaR is the mean cost of the worst 1 − level of the probability; level is
// from 0.01 to below 1, such as 0.95. Each risk takes at most the given number of rounds,
// with one solve each; 0 stands for 60.
//
// The same problem gives the same front. A point of greater Risk exceeds the CVaR of
// another point by at most the gaps of both.
//
// The error is that of [Exact.Solve], [ErrRange] for a level, a risk or a number of
// rounds out of range, or [ErrUnsupported] for a problem without paths. Front allocates.
func (e *Exact) Front(p *Problem, level float64, risks []float64, rounds int) ([]FrontPoint, error) {
	if !(level >= .01 && level < 1) {
		return nil, badInput("level", -1, ErrRange, "%v: want a share from 0.01 to below 1", level)
	}
	if risks == nil {
		for l := range 11 {
			risks = append(risks, float64(l)/10)
		}
	}
	for i, r := range risks {
		if !(r >= 0 && r <= 1) {
			return nil, badInput("risks", i, ErrRange, "%v: want a weight from 0 to 1", r)
		}
	}
	if rounds < 0 {
		return nil, badInput("rounds", -1, ErrRange, "%d: want a number of solves, or 0 for 60", rounds)
	}
	rounds = cmp.Or(rounds, 60)
	if err := p.wantPaths(); err != nil {
		return nil, err
	}
	f := front{e: e, p: p}
	f.weights, f.parts = p.pathWeights()
	f.load(level)
	var list []FrontPoint
	for _, risk := range risks {
		point, err := f.point(risk, rounds)
		if err != nil {
			return nil, err
		}
		list = append(list, point)
	}
	return list, nil
}

// A front is the work of Front. Weights of q are in units of 1/grain.
type front struct {
	e       *Exact
	p       *Problem
	weights []int64
	parts   int64
	level   float64
	grain   int64
	caps    []int64   // of q
	q       []int64   // the current weights, and the start of the next point
	target  []float64 // q before it is rounded
	exact   []int64
	costs   []float64 // of a plan on each path, in nanos
	best    FrontPoint
	value   float64 // of best
	sum     map[spot]float64
}

// A spot is the slot and class of a purchase.
type spot struct{ slot, class int }

// load chooses the grain and the caps, and starts at the paths' own weights.
func (f *front) load(level float64) {
	n := len(f.weights)
	// Rounding the caps down takes n at most of the sum grain/(1-level) ≥ grain + 2·n.
	f.level, f.grain = level, int64(max(10_000, 200*n))
	f.caps, f.q = make([]int64, n), make([]int64, n)
	f.target, f.exact, f.costs = make([]float64, n), make([]int64, n), make([]float64, n)
	for i, w := range f.weights {
		f.caps[i] = int64(float64(f.grain) * float64(w) / float64(f.parts) / (1 - level) * (1 - 1e-12))
		f.target[i] = float64(f.grain) * float64(w) / float64(f.parts)
	}
	f.round()
}

// project puts target back into Q: the nearest weights within the caps.
func (f *front) project() {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, x := range f.target {
		lo, hi = min(lo, x-float64(f.caps[i])), max(hi, x)
	}
	for range 100 { // bisection of the shift
		mid := (lo + hi) / 2
		sum := 0.0
		for i, x := range f.target {
			sum += min(float64(f.caps[i]), max(0, x-mid))
		}
		if sum > float64(f.grain) {
			lo = mid
		} else {
			hi = mid
		}
	}
	for i, x := range f.target {
		f.target[i] = min(float64(f.caps[i]), max(0, x-hi))
	}
	f.round()
}

// round sets q to whole numbers near target, within the caps, of the sum grain.
func (f *front) round() {
	left := f.grain
	order := make([]int, len(f.q))
	for i, x := range f.target {
		f.q[i] = min(f.caps[i], int64(max(0, x)))
		left -= f.q[i]
		order[i] = i
	}
	rest := func(i int) float64 { return f.target[i] - float64(f.q[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rest(b), rest(a)) })
	for left != 0 {
		for _, i := range order {
			switch {
			case left > 0 && f.q[i] < f.caps[i]:
				f.q[i]++
				left--
			case left < 0 && f.q[i] > 0:
				f.q[i]--
				left++
			}
		}
	}
}

// riskParts is the denominator to which risks are rounded for the weights of a bound.
const riskParts = 1000

// point finds the plan for a risk.
func (f *front) point(risk float64, rounds int) (FrontPoint, error) {
	l, of := int64(math.Round(risk*riskParts)), int64(riskParts)
	risk = float64(l) / riskParts
	f.value, f.sum = math.Inf(1), map[spot]float64{}
	if f.best.Purchases != nil || f.best.Mean != 0 { // the last point's plan
		if err := f.try(f.best.Purchases, risk); err != nil {
			return FrontPoint{}, err
		}
	}
	bound := math.Inf(-1)
	for round := range rounds {
		total := int64(0)
		for i, w := range f.weights {
			f.exact[i] = (of-l)*w*f.grain + l*f.q[i]*f.parts
			total += f.exact[i]
		}
		g := total
		for _, x := range f.exact {
			g = wide.GCD(g, x)
		}
		for i := range f.exact {
			f.exact[i] /= g
		}
		f.e.market.tally.given = f.exact
		plan, err := f.e.Solve(f.p)
		f.e.market.tally.given = nil
		if err != nil {
			return FrontPoint{}, err
		}
		least := float64(plan.Bound)
		bound = max(bound, least)
		purchases := slices.Clone(plan.Purchases)
		if err := f.try(purchases, risk); err != nil {
			return FrontPoint{}, err
		}
		slope := slices.Clone(f.costs)
		if risk == 0 || f.value <= bound*(1+frontGap) {
			break
		}
		f.mix(purchases, round)
		if round%8 == 7 {
			// The mean of plans may exceed MaxActive when it is rounded.
			if err := f.try(f.mixed(), risk); err != nil && !errors.Is(err, ErrForged) {
				return FrontPoint{}, err
			}
		}
		// A step to where the slope promises half of the gap.
		mean, norm := 0.0, 0.0
		for _, c := range slope {
			mean += c / float64(len(slope))
		}
		for _, c := range slope {
			norm += (c - mean) * (c - mean)
		}
		if norm == 0 {
			break
		}
		step := ((f.value-bound)/2 + max(0, bound-least)) / (risk * norm) * float64(f.grain)
		for i, c := range slope {
			f.target[i] = float64(f.q[i]) + step*(c-mean)
		}
		f.project()
	}
	point := f.best
	point.Risk = risk
	if f.value > bound*(1+1e-14) { // more than the rounding of floats
		point.Gap = f.value/bound - 1
	}
	return point, nil
}

// try evaluates purchases, and keeps them if they are the best so far.
func (f *front) try(purchases []pricing.Purchase, risk float64) error {
	mean, err := Cost(f.p, purchases)
	if err != nil {
		return err
	}
	for i, path := range f.p.Paths {
		q := f.p.known(path)
		c, err := Cost(&q, purchases)
		if err != nil {
			return err
		}
		f.costs[i] = float64(c)
	}
	tail := f.tail()
	if v := (1-risk)*float64(mean) + risk*tail; v < f.value {
		f.value = v
		f.best = FrontPoint{Purchases: purchases, Mean: mean, CVaR: pricing.Money(math.RoundToEven(tail))}
	}
	return nil
}

// tail returns CVaR of the costs.
func (f *front) tail() float64 {
	order := make([]int, len(f.costs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(f.costs[b], f.costs[a]), cmp.Compare(a, b)) })
	left, sum := (1-f.level)*float64(f.parts), 0.0
	for _, i := range order {
		w := min(left, float64(f.weights[i]))
		sum += w * f.costs[i]
		if left -= w; left <= 0 {
			break
		}
	}
	return sum / ((1 - f.level) * float64(f.parts))
}

// mix adds purchases to the mean of those met, in which later ones count more.
func (f *front) mix(purchases []pricing.Purchase, round int) {
	share := 2 / float64(round+2)
	for k := range f.sum {
		f.sum[k] *= 1 - share
	}
	for _, b := range purchases {
		f.sum[spot{b.Slot, b.Class}] += share * float64(b.Count)
	}
}

// mixed returns the mean of the purchases met in whole numbers: rounded so that the sum
// over the slots so far is right within half, class by class, and within the caps.
func (f *front) mixed() (list []pricing.Purchase) {
	var keys []spot
	for k := range f.sum {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b spot) int { return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.class, b.class)) })
	carry := make([]float64, len(f.p.Prices.Classes))
	for _, k := range keys {
		x := f.sum[k] + carry[k.class]
		count := math.Floor(x + .5)
		if limit, _ := f.p.most(k.class); limit > 0 {
			count = min(count, float64(limit))
		}
		carry[k.class] = x - count
		if count > 0 {
			list = append(list, pricing.Purchase{Slot: k.slot, Class: k.class, Count: int(count)})
		}
	}
	return list
}
