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
// bound. [Exact] solves that problem, and its plan is a candidate. The best q belongs to the
// best mixture of plans: a mixture θ has the costs Σ θ_k·C(R_k), and q is its worst share.
// Front keeps all plans found, and finds the best mixture of them by steps of Frank and
// Wolfe from one plan to another. Its worst share, smoothed a little so that the steps
// converge, is the next q. A plan that q finds again makes the smoothing finer.
//
// The mixture, rounded to whole purchases, is a candidate too, and so are the neighbours of
// the best plan with one reservation more or less. No rate of convergence is known; the gap
// says how near the plan is.
//
// At λ = 0 Front returns the plan of Exact, or a plan found for an earlier risk whose mean cost is
// no higher. Its gap is at most that of Exact's plan, if no weight is rounded (see below). So it is
// 0 if the use of all classes costs the same and the amounts fit (TestFrontGap). At λ > 0 a gap may
// remain even for the best plan, since the best mixture of plans need not be a plan.
//
// Weights. Exact takes whole numbers of parts as weights. The common denominator of (1 − λ)·w + λ·q
// grows with the paths and with the digits of w. If the denominator is above the greatest number of
// parts V for which all amounts fit in 64 bits, each of the two terms of a weight is rounded down
// to parts of 1/V, and a path without demand has the rest. So every plan costs the same fees, and
// no more on demand, than with the weights proper: the bound stays a bound. It is lower by less
// than 2/V of what each path pays on demand, which is much where the optimum is next to nothing.
// Mean is that of [Cost], which takes such weights to fewer digits.
//
// Time: a solve of Exact and O(slots × paths) for each round.

// A FrontPoint is a plan on the front of mean cost against risk, and how good it is.
type FrontPoint struct {
	// Risk is λ, the weight of CVaR beside the mean, from 0 to 1, rounded to thousandths.
	Risk float64
	// Purchases are sorted by slot and class.
	Purchases []pricing.Purchase
	// Mean is the mean cost, CVaR the mean cost of the worst paths.
	Mean, CVaR pricing.Money
	// Gap is how far (1−λ)·Mean + λ·CVaR is above the proved lower bound at most, as a
	// share of the bound.
	Gap float64
}

// mostFront bounds the slots of the linear program of a round, where classes have several use
// prices: more take seconds a round.
const mostFront = mostExpanded / 64

// frontGap ends the rounds of a point: amounts of a million are then right to a cent.
const frontGap = 1e-8

// Front returns one plan for p's paths for each element of risks. A risk is the weight λ of the
// CVaR of the cost, beside the weight 1 − λ of the mean cost: 0 asks for the least mean cost, 1 for
// the least CVaR. If risks is nil, Front uses the eleven risks 0, 0.1, …, 1. CVaR is the mean cost
// of the worst paths, which together have the probability 1 − level. level is from 0.01 to below 1,
// such as 0.95. rounds limits the solves for each risk; 0 stands for 60.
//
// The same problem and the same list of risks give the same front. If all points have a Gap of 0, a
// point of greater Risk has no greater CVaR. Otherwise take two points with the risks κ < λ. The
// CVaR of the point λ exceeds the CVaR of the point κ by at most ((1−κ)·e_λ + (1−λ)·e_κ)/(λ−κ). e_κ
// is the Gap of the point κ times the lower bound of that point, and e_λ is the Gap of the point λ
// times its bound.
//
// The error is that of [Exact.Solve], [ErrRange] if level, a risk or rounds is out of range, or
// [ErrUnsupported] if p has no paths. Front allocates.
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
	f, err := e.newFront(p, level)
	if err != nil {
		return nil, err
	}
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

// A front is the work of Front. Weights q are in units of 1/grain.
type front struct {
	e       *Exact
	p       *Problem
	weights []int64
	parts   int64
	level   float64
	grain   int64
	caps    []int64   // of q
	q       []int64   // the weights that are solved for
	target  []float64 // q before it is rounded
	exact   []int64
	most    int64     // the most parts that exact may sum to
	costs   []float64 // of a plan on each path, in nanos
	best    FrontPoint
	value   float64 // of best
	market  market  // of the problem, to evaluate plans
	dual    dual

	// The plans found, of all points.
	plans  []candidate
	theta  []float64 // the mixture
	mixing []float64 // its costs
	along  []float64 // the same, moved along a step
}

// A candidate is a plan that was found.
type candidate struct {
	purchases []pricing.Purchase
	costs     []float64
}

// newFront returns the work of Front before its first point.
func (e *Exact) newFront(p *Problem, level float64) (*front, error) {
	if err := p.wantPaths(); err != nil {
		return nil, err
	}
	f := &front{e: e, p: p}
	f.weights, f.parts = p.pathWeights()
	if err := f.market.loadAny(p); err != nil {
		return nil, err
	}
	f.load(level)
	f.most = min(f.market.finest, math.MaxInt64/int64(max(1, f.market.tally.peak())))
	if len(usePrices(nil, p, &f.market)) > 1 {
		f.most = min(f.most, int64(mostFront/max(1, p.slots())))
	}
	f.most = max(1, f.most)
	return f, nil
}

// load chooses the grain and the caps.
func (f *front) load(level float64) {
	n := len(f.weights)
	// Rounding the caps down takes n at most of the sum grain/(1-level) ≥ grain + 2·n.
	f.level, f.grain = level, int64(max(10_000, 200*n))
	if f.parts > mostParts { // fine weights, of which the least one gets 200 parts as well
		least := f.parts
		for _, w := range f.weights {
			if w > 0 {
				least = min(least, w)
			}
		}
		f.grain = max(f.grain, min(200*(f.parts/least), 1<<40))
	}
	f.caps, f.q = make([]int64, n), make([]int64, n)
	f.target, f.exact, f.costs = make([]float64, n), make([]int64, n), make([]float64, n)
	f.mixing, f.along = make([]float64, n), make([]float64, n)
	for i, w := range f.weights {
		f.caps[i] = int64(float64(f.grain) * float64(w) / float64(f.parts) / (1 - level) * (1 - 1e-12))
	}
}

// project replaces target by the nearest weights of Q.
func (f *front) project() {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, x := range f.target {
		lo, hi = min(lo, x-float64(f.caps[i])), max(hi, x)
	}
	for range 45 { // bisection of the shift
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
}

// share sets target to the worst share of costs, smoothed: the weights q of Q for which
// Σ q·costs − soft/2·|q − w|² is greatest.
func (f *front) share(costs []float64, soft float64) {
	for i, w := range f.weights {
		f.target[i] = float64(f.grain) * (float64(w)/float64(f.parts) + costs[i]/soft)
	}
	f.project()
}

// round sets q to whole numbers near target, within the caps, that sum to grain. It rounds all
// numbers down, and then adds 1 to those with the largest remainders; of equal remainders the
// first gets 1 first. What is still missing goes to the same numbers in turn, up to their caps.
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
	// target sums to grain, but for the rounding of floats, which may be coarse where costs are far
	// apart.
	for most := int64(1); left > 0; most = left {
		for _, i := range order {
			by := min(left, most, f.caps[i]-f.q[i])
			f.q[i] += by
			left -= by
		}
	}
}

// riskParts is the denominator to which risks are rounded for the weights of a bound.
const riskParts = 1000

// point finds the plan for a risk.
func (f *front) point(risk float64, rounds int) (FrontPoint, error) {
	l, of := int64(math.Round(risk*riskParts)), int64(riskParts)
	risk = float64(l) / riskParts
	f.value = math.Inf(1)
	for k := range f.plans {
		copy(f.costs, f.plans[k].costs)
		if err := f.judge(f.plans[k].purchases, risk); err != nil {
			return FrontPoint{}, err
		}
	}
	bound, soft := math.Inf(-1), 0.0
	for range rounds {
		if soft == 0 {
			f.start(risk)
			spread := 0.0
			for i, c := range f.mixing {
				spread = max(spread, c-f.mixing[0], f.mixing[0]-c)
				f.target[i] = float64(f.grain) * float64(f.weights[i]) / float64(f.parts)
			}
			if len(f.plans) > 0 {
				soft = max(spread, 1) * float64(len(f.q)) * (1 - f.level)
			}
		}
		if soft > 0 {
			f.correct(risk, soft)
		}
		f.round()
		purchases, least, err := f.solve(l, of)
		if err != nil {
			return FrontPoint{}, err
		}
		bound = max(bound, least)
		known := slices.ContainsFunc(f.plans, func(c candidate) bool { return slices.Equal(c.purchases, purchases) })
		if !known {
			if err := f.try(purchases, risk); err != nil {
				return FrontPoint{}, err
			}
			f.plans = append(f.plans, candidate{purchases, slices.Clone(f.costs)})
			f.theta = append(f.theta, 0)
		}
		if risk == 0 || f.value <= bound*(1+frontGap) {
			break
		}
		if known && soft > 0 {
			if f.mixed(risk) <= bound*(1+frontGap) { // no mixture is better
				break
			}
			soft /= 4
		}
	}
	if risk > 0 {
		// The mixture may exceed MaxActive when it is rounded.
		if err := f.try(f.whole(), risk); err != nil && !errors.Is(err, ErrForged) {
			return FrontPoint{}, err
		}
		if err := f.improve(bound, risk); err != nil {
			return FrontPoint{}, err
		}
	}
	point := f.best
	point.Risk = risk
	if f.value > bound*(1+1e-14) { // more than the rounding of floats
		point.Gap = f.value/bound - 1
	}
	return point, nil
}

// solve returns the best plan for the weights of the risk l/of and of q, and its cost with
// them, which no plan's value is below.
func (f *front) solve(l, of int64) ([]pricing.Purchase, float64, error) {
	t := &f.e.market.tally
	t.given, t.whole = f.exact, f.combine(l, of)
	plan, err := f.e.Solve(f.p)
	t.given = nil
	return slices.Clone(plan.Purchases), float64(plan.Bound), err
}

// combine sets exact to the weights for the risk l/of and q, and returns the number of parts in
// their unit. The weights sum to that number, or to less if they are rounded down.
func (f *front) combine(l, of int64) (parts int64) {
	scaled, ok1 := wide.Mul(of, f.parts)
	parts, ok2 := wide.Mul(scaled, f.grain)
	if ok1 && ok2 {
		g := parts
		for i, w := range f.weights {
			f.exact[i] = (of-l)*w*f.grain + l*f.q[i]*f.parts
			g = wide.GCD(g, f.exact[i])
		}
		for i := range f.exact {
			f.exact[i] /= g
		}
		if parts /= g; parts <= f.most {
			return parts
		}
	}
	for i, w := range f.weights {
		f.exact[i] = portion(f.most, (of-l)*w, of*f.parts) + portion(f.most, l*f.q[i], of*f.grain)
	}
	return f.most
}

// portion returns ⌊n·a/b⌋ for 0 ≤ a ≤ b.
func portion(n, a, b int64) int64 {
	q, _, _ := wide.Product(uint64(n), uint64(a)).Over(uint64(b))
	return int64(q)
}

// improve tries one reservation more and one less at each place where the mixture has some,
// as long as that lowers the value, and at most improvements times in all.
func (f *front) improve(bound, risk float64) error {
	tries := 0
	for again := true; again; {
		again = false
		for _, k := range places(f.mixture()) {
			for _, by := range [...]int{-1, 1} {
				if tries++; tries > improvements || f.value <= bound*(1+frontGap) {
					return nil
				}
				before := f.value
				purchases, ok := f.changed(k, by)
				if !ok {
					continue
				}
				if err := f.try(purchases, risk); err != nil && !errors.Is(err, ErrForged) {
					return err
				}
				again = again || f.value < before
			}
		}
	}
	return nil
}

// improvements limits the tries of improve: a try takes a fraction of a round.
const improvements = 400

// changed returns the best plan with by reservations more at a place, if it can have them.
func (f *front) changed(k spot, by int) ([]pricing.Purchase, bool) {
	list := make([]pricing.Purchase, 0, len(f.best.Purchases)+1)
	count := by
	for _, b := range f.best.Purchases {
		if b.Slot == k.slot && b.Class == k.class {
			count += b.Count
		} else {
			list = append(list, b)
		}
	}
	if limit, _ := f.p.most(k.class); count < 0 || limit > 0 && count > limit {
		return nil, false
	}
	if count > 0 {
		list = append(list, pricing.Purchase{Slot: k.slot, Class: k.class, Count: count})
	}
	sortPurchases(list)
	return list, true
}

// try evaluates purchases, and keeps them if they are the best so far.
func (f *front) try(purchases []pricing.Purchase, risk float64) error {
	if err := f.evaluate(purchases); err != nil {
		return err
	}
	return f.judge(purchases, risk)
}

// judge keeps purchases whose costs are f.costs if they are the best so far.
func (f *front) judge(purchases []pricing.Purchase, risk float64) error {
	mean := 0.0
	for i, c := range f.costs {
		mean += c * float64(f.weights[i])
	}
	mean /= float64(f.parts)
	tail := f.tail()
	if v := (1-risk)*mean + risk*tail; v < f.value {
		exact, err := Cost(f.p, purchases)
		if err != nil {
			return err
		}
		f.value = (1-risk)*float64(exact) + risk*tail
		f.best = FrontPoint{Purchases: purchases, Mean: exact, CVaR: pricing.Money(math.RoundToEven(tail))}
	}
	return nil
}

// evaluate sets f.costs to the cost of purchases on each path, in nanos.
func (f *front) evaluate(purchases []pricing.Purchase) error {
	m, p := &f.market, f.p
	if err := checkPurchases(p, m, purchases); err != nil {
		return err
	}
	if err := f.dual.load(p, m, purchases); err != nil {
		return err
	}
	// Costs are in units of 1/(parts of the problem): what runs on demand counts for all.
	n, parts, fees := p.slots(), float64(m.tally.parts), 0.0
	for _, b := range purchases {
		fees += float64(m.classes[b.Class].feeFor(n-b.Slot)) * float64(b.Count)
	}
	unit := float64(m.common) / float64(m.scale)
	for i, path := range p.Paths {
		sum, short := 0.0, int64(0)
		for _, d := range path {
			short += int64(d)
		}
		sum = float64(short) * float64(f.dual.least)
		for k, w := range f.dual.worth {
			short = 0
			total := f.dual.total[k*(n+1) : k*(n+1)+n]
			for t, d := range path {
				short += max(0, int64(d)-total[t])
			}
			sum += float64(short) * float64(w)
		}
		f.costs[i] = (sum*parts + fees) * unit
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
