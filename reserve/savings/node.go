package savings

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// A part of all plans: its bound, its plans, and where it is divided. See branch.go.

// offer considers the plan that whole values are.
func (t *Branch) offer(values []float64) error {
	t.trialList = t.appendPurchases(t.trialList[:0], values)
	cost, ok, err := t.market.Cost(t.trialList)
	if err != nil || !ok {
		return err
	}
	t.work += int64(t.slots * 1000)
	if c := cost.Float64(); c < t.least {
		t.least, t.cost, t.found = c, cost, true
		t.best = append(t.best[:0], t.trialList...)
	}
	return nil
}

// period returns what period w costs on demand beside t.have and t.money.
func (t *Branch) period(w int, worth []float64) float64 {
	for i := range t.at {
		t.at[i] = t.have[i][w]
	}
	return t.program.cost(w, t.at, t.money[w], worth)
}

// fees returns what the purchases of values cost, and sets t.have and t.money.
func (t *Branch) fees(values []float64) (cost float64) {
	t.active(values, t.have, t.money)
	for j := range t.buys {
		cost += float64(t.lp.cost[j] * values[j])
	}
	return cost
}

// total returns the cost of values by the program.
func (t *Branch) total(values []float64) float64 {
	sum := t.fees(values)
	for w := range t.periods() {
		sum += t.period(w, nil)
	}
	return sum
}

// set sets the bounds of all variables to those of a node.
func (t *Branch) set(n *node) {
	lp := &t.lp
	for j, b := range t.buys {
		lp.lo[j], lp.hi[j] = 0, float64(b.most)
		if b.typ < 0 {
			lp.hi[j] = float64(b.most) / 1e9
		}
	}
	for _, l := range t.rows {
		v := t.limit(l, 0)
		lp.lo[v], lp.hi[v] = 0, t.top(l)
	}
	t.chain = t.chain[:0]
	for at := n.last; at >= 0; at = t.limits[at].before {
		t.chain = append(t.chain, at)
	}
	slices.Reverse(t.chain)
	for _, at := range t.chain {
		l := &t.limits[at]
		v := l.column
		if l.period >= 0 {
			v = t.limit(l.level, t.top(l.level))
		}
		lp.lo[v], lp.hi[v] = max(lp.lo[v], l.lo), min(lp.hi[v], l.hi)
	}
}

const (
	mostPasses = 300
	passGoal   = 8    // the passes of a node end at this part of the goal
	tinyMiss   = 1e-6 // a cut of a period must raise its cost by this share
	tinyWhole  = 1e-5 // by how much a whole number may be off
	farAway    = 1e-3 // a cut so far from its bound is dropped
	nearLeast  = 2e-3 // plans that the program says cost so much more are not offered
	// For the values of the program against rounding, next to the bound of a node.
	tinyShare = 1e-9
	// A plan that is cheaper by this share may be missed, as floats compare plans.
	tinyGoal = 1e-9
	// Whole units of commitment matter if one costs this share of all.
	coarse = 1. / 400
)

// separate cuts off values that are too cheap, and returns what they cost.
func (t *Branch) separate(values []float64) (cost float64, added int) {
	miss := tinyMiss
	if t.whole {
		miss = tinyGoal
	}
	cost = t.fees(values)
	for w := range t.periods() {
		to := t.worth[:t.starts[w+1]-t.starts[w]]
		f := t.period(w, to)
		cost += f
		if f-values[len(t.buys)+w] > miss*(f+.1) {
			t.cut(w, t.at, to)
			added++
		}
	}
	return cost, added
}

// raise raises the bound of a node to the one that the prices of the program prove.
func (t *Branch) raise(n *node) {
	if b, ok := t.program.bound(); ok && n.nanos.Less(b) {
		n.nanos, n.bound = b, Total{b}.Float64()
	}
}

// visit solves a node: it raises its bound, offers plans, and returns where to branch.
func (t *Branch) visit(n *node) (at limit, branch bool, err error) {
	t.set(n)
	if closed, err := t.passes(n); closed || err != nil {
		return at, false, err
	}
	t.raise(n)
	t.tidy()
	if t.good(n.bound) {
		return at, false, nil
	}
	if err := t.round(); err != nil {
		return at, false, err
	}
	if t.good(n.bound) {
		return at, false, nil
	}
	at, branch = t.choose()
	if !branch && t.whole { // the plan offered is the best of the node
		n.nanos, n.bound = t.cost.nanos, t.least
	}
	return at, branch, nil
}

// passes cuts off the values of the program, and first those half way to the best values, until
// they cost what the program says. It reports whether the node is closed.
func (t *Branch) passes(n *node) (closed bool, err error) {
	lp := &t.lp
	columns := lp.n
	t.values, t.centre = grow.To(t.values, columns), grow.To(t.centre, columns)
	centred, least := false, math.Inf(1)
	for pass := 1; pass <= mostPasses && t.work <= t.budget; pass++ {
		if pass%10 == 0 { // the nodes of large programs need many
			if err := t.round(); err != nil {
				return false, err
			}
			t.tidy()
		}
		before := lp.work
		how, line := lp.solve(t.least / (1 + t.goal) * (1 + tinyShare))
		if how == beyond {
			t.raise(n)
			if t.good(n.bound) {
				return true, nil
			}
			how, line = lp.solve(math.Inf(1))
		}
		t.work += lp.work - before
		if how == empty {
			t.empty(n, line)
			return true, nil
		}
		if how == stuck {
			lp.reset()
			return false, nil
		}
		low := lp.objective()
		// look separates t.values, and keeps them if they are the best.
		look := func() (added int) {
			high, added := t.separate(t.values)
			if high < least {
				least, centred = high, true
				t.values, t.centre = t.centre, t.values
			}
			return added
		}
		copy(t.values, lp.value)
		if centred {
			for j := range t.values {
				t.values[j] = (t.values[j] + t.centre[j]) / 2
			}
			added := look()
			if least-low <= t.goal/passGoal*low {
				return false, nil
			}
			if added > 0 {
				continue
			}
			copy(t.values, lp.value)
		}
		if added := look(); least-low <= t.goal/passGoal*low || added == 0 {
			return false, nil
		}
	}
	return false, nil
}

// empty lifts the bound of a node without plans: a multiple of the line of the simplex that has no
// solution lifts the bound as far as one likes.
func (t *Branch) empty(n *node, line int) {
	for scale := 1.0; scale < 1e6 && !t.good(n.bound); scale *= 16 {
		t.ray(line, scale)
		t.raise(n)
	}
	t.extra = t.extra[:0]
}

// ray sets t.extra to multipliers for a line that has no solution within the bounds.
func (t *Branch) ray(line int, scale float64) {
	lp := &t.lp
	t.extra = grow.Zero(t.extra, len(lp.at))
	v := lp.basic[line]
	sign := scale
	if lp.value[v] > lp.hi[v] {
		sign = -scale
	}
	t.extra[v] = sign
	for j, a := range lp.tabRow(line) {
		if o := lp.other[j]; o >= lp.n && t.cuts[o-lp.n].period < 0 {
			t.extra[o] = -sign * a
		}
	}
}

// tidy drops cuts that are far from tight.
func (t *Branch) tidy() {
	lp := &t.lp
	if len(lp.basic) < 3*t.periods()+len(t.rows) {
		return
	}
	for r := range lp.rows {
		v := lp.n + r
		if t.cuts[r].period >= 0 && lp.live[r] && lp.at[v] >= 0 && lp.value[v]-lp.lo[v] > farAway*(1+math.Abs(lp.lo[v])) {
			lp.drop(v)
		}
	}
}

// round offers plans near the values of the program.
func (t *Branch) round() error {
	least, columns := math.Inf(1), len(t.buys)
	t.trial = grow.To(t.trial, 2*columns)
	values, best := t.trial[:columns], t.trial[columns:2*columns]
	for _, up := range [...]float64{.5, .3, .7, .1, .9} {
		copy(values, t.lp.value)
		for i := range t.demand {
			for j := t.first[i]; j < t.first[i+1]; {
				class := t.buys[j].class
				sum, bought := 0.0, 0.0
				for ; j < t.first[i+1] && t.buys[j].class == class; j++ {
					sum += values[j]
					n := max(0, math.Floor(sum+up+tinyWhole)-bought)
					values[j] = n
					bought += n
				}
			}
		}
		if v := t.total(values); v < least {
			least = v
			values, best = best, values
		}
	}
	if least < t.least*(1+nearLeast) {
		return t.offer(best)
	}
	return nil
}

// choose returns the limit of the first side, nearest to the values: of a level, else of a single
// purchase.
func (t *Branch) choose() (at limit, ok bool) {
	lp := &t.lp
	t.active(lp.value, t.have, t.money)
	most := 0.0
	for i := range t.demand {
		have := t.have[i]
		for w := 0; w < t.periods(); {
			to := w + 1
			for to < t.periods() && math.Abs(have[to]-have[w]) < tinyWhole {
				to++
			}
			far := math.Abs(have[w] - math.Round(have[w]))
			if far > tinyWhole {
				weight := far * t.p.Types[i].OnDemand.Float64() * float64(t.starts[to]-t.starts[w])
				if weight > most {
					most, ok = weight, true
					mid := (w + to - 1) / 2
					at = limit{level: level{i, mid}, column: -1, lo: math.Floor(have[w]), hi: have[w], step: 1}
				}
			}
			w = to
		}
	}
	if ok {
		return at, true
	}
	for j, b := range t.buys {
		if b.typ >= 0 {
			v := lp.value[j]
			if far := math.Abs(v - math.Round(v)); far > tinyWhole && far > most {
				most, ok = far, true
				at = limit{level: level{b.typ, -1}, column: j, lo: math.Floor(v), hi: v, step: 1}
			}
		}
	}
	if ok || !t.whole {
		return at, ok
	}
	return t.chooseWhole()
}

// chooseWhole returns where to divide a part whose values buy whole reservations: at money, if whole
// units of it matter, or at reservations that are not fixed.
func (t *Branch) chooseWhole() (at limit, ok bool) {
	lp := &t.lp
	unit, most := t.p.unitOf().Float64(), tinyWhole
	for j, b := range t.buys {
		if b.typ < 0 && lp.lo[j] < lp.hi[j] && unit*lp.cost[j] > t.least*coarse {
			units := lp.value[j] / unit
			// What is nearer than twice the tolerance of the simplex cannot be cut off.
			if far := math.Abs(units - math.Round(units)); far > most && far*unit > 2*tinyBound*(1+lp.value[j]) {
				most, ok = far, true
				at = limit{level: level{-1, -1}, column: j, lo: math.Floor(units) * unit, hi: lp.value[j], step: unit}
			}
		}
	}
	for j, b := range t.buys {
		if b.typ >= 0 && lp.lo[j] < lp.hi[j] && !ok {
			x := math.Round(lp.value[j])
			at = limit{level: level{b.typ, -1}, column: j, lo: max(lp.lo[j], x-1), hi: x, step: 1}
			ok = true
		}
	}
	return at, ok
}
