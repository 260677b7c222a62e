package reserve

import (
	"math"
	"math/big"
	"slices"

	"github.com/plimsoll/plimsoll/pricing"
)

// What uncertainty costs.
//
// Three numbers explain the mean cost of a plan for paths:
//
//	PathCosts    what the plan's purchases cost on each path
//	MeanPath     what the best plan for the mean demand of each slot costs on all paths;
//	             a tool that knows one number a slot makes that plan
//	Hindsight    the mean over the paths of the optimum for the path alone, with all
//	             purchases decided after the path is seen
//
// For an optimal plan, Cost − Hindsight is the expected value of perfect information: the most that a perfect
// forecast is worth. MeanPath − Cost is what planning with paths saves.
//
// A purchase loses money on a path if it serves so few slots that on demand would have
// been cheaper, by the order of serving of [AppendUses].
//
// Time: a solve of [Exact] for each path and two more, and for each path O(slots ×
// purchases active in one).

// An Outlook says what the purchases of a plan for paths cost on each path, and what
// not knowing the path costs.
type Outlook struct {
	// Cost is the mean cost of the purchases, as of [Cost].
	Cost pricing.Money
	// PathCosts has the cost on each path, in the order of Problem.Paths.
	PathCosts []pricing.Money
	// Losses has the probability that a purchase loses money, for each purchase.
	Losses []float64
	// MeanPath is the mean cost of the best plan for the mean path. Hindsight is the mean
	// over the paths of a lower bound on the cost of any plan for the path: the
	// optimum's cost, where Exact proves it. Cost − Hindsight is the expected value of
	// perfect information, MeanPath − Cost what is lost by planning for the mean path.
	MeanPath, Hindsight pricing.Money
}

// Outlook returns the cost of purchases on each path of p, and the cost of not knowing the path.
// purchases must be sorted by slot and class.
//
// The error is that of [Exact.Solve] or [Cost], or [ErrUnsupported] if p has no Paths, such as a
// problem with Chances. Outlook solves p for each path, and allocates.
func (e *Exact) Outlook(p *Problem, purchases []pricing.Purchase) (Outlook, error) {
	var o Outlook
	if err := p.wantPaths(); err != nil {
		return o, err
	}
	var err error
	if o.Cost, err = Cost(p, purchases); err != nil {
		return o, err
	}
	weights, parts := p.pathWeights()
	purchases = slices.Clone(purchases) // they may be in e's memory
	o.Losses = make([]float64, len(purchases))
	hindsight := make([]pricing.Money, len(p.Paths))
	var uses []Use
	for i, path := range p.Paths {
		q := p.known(path)
		cost, err := Cost(&q, purchases)
		if err != nil {
			return o, err
		}
		o.PathCosts = append(o.PathCosts, cost)
		if uses, err = AppendUses(uses[:0], &q, purchases); err != nil {
			return o, err
		}
		for k, u := range uses {
			if u.Saved < 0 {
				o.Losses[k] += float64(weights[i]) / float64(parts)
			}
		}
		plan, err := e.Solve(&q)
		if err != nil {
			return o, err
		}
		hindsight[i] = plan.Bound
	}
	o.Hindsight = meanOf(hindsight, weights, parts)
	q := p.known(p.meanPath(weights, parts))
	plan, err := e.Solve(&q)
	if err != nil {
		return o, err
	}
	o.MeanPath, err = Cost(p, plan.Purchases)
	return o, err
}

// wantPaths is the error of what needs paths.
func (p *Problem) wantPaths() error {
	if err := p.checkDemand(); err != nil {
		return err
	}
	if p.Paths == nil {
		return badInput("Paths", -1, ErrUnsupported, "there are none: want a problem with paths")
	}
	return nil
}

// known returns the problem with a known demand in the place of the paths.
func (p *Problem) known(demand []int) Problem {
	q := *p
	q.Demand, q.Paths, q.Weights, q.Chances, q.Tree = demand, nil, nil, nil, nil
	return q
}

// pathWeights returns the weights of the paths as whole numbers, and their sum.
func (p *Problem) pathWeights() (weights []int64, parts int64) {
	weights = make([]int64, len(p.Paths))
	if p.Weights == nil {
		for i := range weights {
			weights[i] = 1
		}
	} else {
		var t tally
		t.parts = denominator(fineParts, p.Weights, nil)
		t.share(len(weights), func(i int) float64 { return p.Weights[i] }, weights)
	}
	for _, w := range weights {
		parts += w
	}
	return weights, parts
}

// meanOf returns the mean of amounts, rounded down.
func meanOf(amounts []pricing.Money, weights []int64, parts int64) pricing.Money {
	sum, x := new(big.Int), new(big.Int)
	for i, a := range amounts {
		sum.Add(sum, x.Mul(big.NewInt(int64(a)), big.NewInt(weights[i])))
	}
	return pricing.Money(sum.Div(sum, big.NewInt(parts)).Int64())
}

// meanPath returns the mean demand of each slot, rounded to whole instances, halves to
// even.
func (p *Problem) meanPath(weights []int64, parts int64) []int {
	mean := make([]int, p.slots())
	for t := range mean {
		sum := 0.0
		for i, path := range p.Paths {
			sum += float64(path[t]) * float64(weights[i])
		}
		mean[t] = int(math.RoundToEven(sum / float64(parts)))
	}
	return mean
}

// AppendQuantile appends to dst the q-quantile of the demand of each slot of p. The q-quantile is
// the least number that the demand exceeds with a probability of at most 1 − q. A tool that takes
// one number for each slot may plan for this demand; [Cost] returns the cost of such a plan for p.
//
// The error is that of a malformed problem, or [ErrRange] if q is not from 0 to 1.
func (p *Problem) AppendQuantile(dst []int, q float64) ([]int, error) {
	if !(q >= 0 && q <= 1) {
		return dst, badInput("q", -1, ErrRange, "%v: want a probability from 0 to 1", q)
	}
	if err := p.checkDemand(); err != nil {
		return dst, err
	}
	if p.Tree != nil {
		if err := new(scenario).check(p); err != nil {
			return dst, err
		}
		at := p.atOnce()
		return at.AppendQuantile(dst, q)
	}
	var t tally
	if err := t.load(p, fineParts); err != nil {
		return dst, err
	}
	for s := range p.slots() {
		steps := t.of(s)
		above, d := int64(0), 0 // weight of demands of more than d
		for _, st := range steps {
			if float64(above+st.weight) > (1-q)*float64(t.parts)*(1+tolerance) {
				d = st.demand
				break
			}
			above += st.weight
		}
		dst = append(dst, d)
	}
	return dst, nil
}
