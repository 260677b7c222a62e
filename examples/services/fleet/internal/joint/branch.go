package joint

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Branch and bound for a fleet of few groups.
//
// The search of search.go bounds plans that may buy fractions of reservations. In a fleet of few
// units half a reservation saves much, and no plan can have it. So the plans are divided into parts:
// at most 2 units of group g are active in period w, or at least 3. In each part fractions save less.
// Parts that hold no cheaper plan than the best known are left out, and the others are divided
// again, until the least bound of a part is near the best plan.
//
// # The program
//
// Between two hours at which something begins or ends, nothing changes but usage. In such a
// period w let R_gw units of group g be active, and A_w money an hour. What the period then costs
// on demand, F_w(R_w, A_w), is convex, and is the sum over its hours of what is left when the money
// has paid for the usage with the highest p_g/q_g first. The program is
//
//	minimise   Σ fees·r + Σ paid hours·a + Σ θ_w
//	subject to θ_w ≥ F_w(R_w, A_w),     R_w, A_w the sums of the r, a that are active,
//
// with bounds on r, a and, in a part, on some R_gw. The dual simplex of simplex.go solves it with
// cuts in place of F_w (Benders 1962; Kelley 1960): F_w at one point has prices ν_t of its hours, and
// is at least linear in R_w, A_w with these prices everywhere. A pass adds the cuts of all
// periods at the values of the program and begins again, until the values cost what the program
// says. The first point of a pass is half way to the best values so far, which saves passes. A part
// keeps the cuts of all others, since F_w is the same in all.
//
// # The bound of a part
//
// Let ν_t ≥ 0 and y_gw be any numbers, and 0 ≤ λ_gt ≤ min(p_g, q_g·ν_t).
//
// Proposition. Take a part of all plans by the limits l ≤ R ≤ u, and its plans that buy no more than b
// at each single purchase. None of these costs less than
//
//	Σ_gt λ_gt·d_gt - Σ_t ν_t·H_t + Σ_gw min(y_gw·l_gw, y_gw·u_gw)
//	+ Σ_j min(0, b_j·(fee_j - Σ_t λ_gt - Σ_w y_gw)) + Σ_s min(0, b_s·(paid_s - Σ_t ν_t)),
//
// with j over purchases of reservations, s over commitments, and the inner sums over the
// hours and periods in which j or s is active.
//
// Proof. As in doc.go, the usage of the plan costs at least Σ λ_gt·(d_gt - R_gt) - Σ ν_t·(H_t + A_t):
// a unit on demand costs p_g ≥ λ_gt, a unit from the savings plan takes q_g money, which is worth
// q_g·ν_t ≥ λ_gt, and λ_gt·max(0, d_gt - R_gt) is at least λ_gt·(d_gt - R_gt). Within the limits Σ y_gw·R_gw is at least
// its third term. So the plan costs at least the first three terms and Σ_j r_j·(fee_j - Σ λ - Σ y) +
// Σ_s a_s·(paid_s - Σ ν), and 0 ≤ r_j ≤ b_j, 0 ≤ a_s ≤ b_s. ∎
//
// Some optimal plan buys no more than the bounds, since what is beyond serves nothing. A purchase has no
// more units than the most that its group needs in the term. A commitment has no more money than all usage
// of an hour of the term takes. No class is bought that costs at least as much as another whose term
// holds its term. All parts together hold
// all such plans, so the least of their bounds is a bound for the fleet.
//
// The prices of the program are ν, λ and y. They are rounded to integers first, and the
// bound is computed from these exactly. So floats choose plans and parts, and prove nothing. A part
// without plans has a line of the simplex that cannot be met. A multiple of the line is added to y,
// which lifts the bound above the best plan.
//
// # Plans
//
// The values of a part, rounded in five ways, are plans; the best of them by the program is
// priced as any plan of a fleet, with the best commitments. The level that is divided has a fraction
// that matters most: units far from whole, dear and for long, in the middle of the
// periods in which it does not change. The part nearer to the values is next, and if a part is
// closed, the part of the least bound.
//
// The work is counted in operations and not in seconds, so that all machines give the same
// result.

// A limit is the bounds of a variable: of a level, or of a purchase if period is -1.
type limit struct {
	level
	column int
	lo, hi float64
}

// A node is a part of all plans: those within its limits. None costs less than bound, which is
// nanos.
type node struct {
	limits []limit
	bound  float64
	nanos  wide.Int
}

// A tree looks for a plan with a gap of at most goal.
type tree struct {
	*program
	goal   float64
	budget int64                             // of work
	cost   Total                             // of the best plan
	least  float64                           // the same
	best   map[record.Key][]pricing.Purchase // its orders; nil if the known plan is the best
	open   []node
	closed wide.Int // the least bound of the nodes that are closed
	nodes  int
	worth  group.Worth // of the hours, by the first node
	have   [][]float64 // by group and period, for active
	money  []float64
}

// newTree returns the tree of a program, for plans that cost less than a known one.
func newTree(p *program, cost Total, goal float64, budget int64) *tree {
	t := &tree{program: p, goal: goal, budget: budget, cost: cost, least: cost.Float64(), closed: wide.Int{Hi: math.MaxInt64}}
	t.have, t.money = make([][]float64, len(p.groups)), make([]float64, p.periods())
	for i := range t.have {
		t.have[i] = make([]float64, p.periods())
	}
	return t
}

// good reports whether a node with such a bound may be closed.
func (t *tree) good(bound float64) bool { return bound*(1+t.goal) >= t.least }

// offer considers the plan that whole values are.
func (t *tree) offer(values []float64) error {
	plan, _, err := commit(t.x, t.sum(values), nil)
	if err != nil || plan.Failed != "" {
		return err
	}
	t.work += int64(t.x.Hours * 1000)
	if c := plan.Cost.Float64(); c < t.least {
		t.least, t.cost, t.best = c, plan.Cost, t.given(values)
	}
	return nil
}

// value returns the cost of values by the program.
func (t *tree) value(values []float64) float64 {
	t.active(values, t.have, t.money)
	sum := 0.0
	for j := range t.buys {
		sum += float64(t.lp.cost[j] * values[j])
	}
	have := make([]float64, len(t.groups))
	for w := range t.periods() {
		for i := range have {
			have[i] = t.have[i][w]
		}
		sum += t.program.cost(w, have, t.money[w], nil)
	}
	return sum
}

// set sets the bounds of all variables to those of a node.
func (t *tree) set(n *node) {
	lp := &t.lp
	for j, b := range t.buys {
		if b.group >= 0 {
			lp.lo[j], lp.hi[j] = 0, float64(b.most)
		}
	}
	for _, l := range t.rows {
		v := t.levels[l]
		lp.lo[v], lp.hi[v] = 0, t.top(l)
	}
	for _, l := range n.limits {
		v := l.column
		if l.period >= 0 {
			var ok bool
			if v, ok = t.levels[l.level]; !ok {
				v = lp.add(t.over(nil, l.group, l.period, 1), 0, t.top(l.level))
				t.levels[l.level] = v
				t.rows = append(t.rows, l.level)
			}
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
)

// separate cuts off values that are too cheap, and returns what they cost.
func (t *tree) separate(values []float64) (cost float64, added int) {
	t.active(values, t.have, t.money)
	for j := range t.buys {
		cost += float64(t.lp.cost[j] * values[j])
	}
	have, worth := make([]float64, len(t.groups)), make([]float64, t.x.Hours)
	for w := range t.periods() {
		for i := range have {
			have[i] = t.have[i][w]
		}
		to := worth[:t.starts[w+1]-t.starts[w]]
		f := t.program.cost(w, have, t.money[w], to)
		cost += f
		if f-values[len(t.buys)+w] > tinyMiss*(f+.1) {
			t.cut(w, have, to)
			added++
		}
	}
	return cost, added
}

// visit solves a node: it raises its bound, offers plans, and returns where to branch.
func (t *tree) visit(n *node) (at limit, branch bool, err error) {
	t.set(n)
	lp := &t.lp
	raise := func(extra map[int]float64) {
		if b, ok := t.program.bound(extra); ok && (n.nanos.Less(b)) {
			n.nanos, n.bound = b, Total{b}.Float64()
		}
	}
	// A pass cuts off the values of the program, and first those half way to the best values.
	var centre []float64
	least := math.Inf(1)
	for pass := 1; pass <= mostPasses && t.work <= t.budget; pass++ {
		if pass%10 == 0 { // the nodes of large programs need many
			if err := t.round(); err != nil {
				return at, false, err
			}
			t.tidy()
		}
		before := lp.work
		how, line := lp.solve(t.least / (1 + t.goal) * (1 + tinyShare))
		if how == beyond {
			raise(nil)
			if t.good(n.bound) {
				return at, false, nil
			}
			how, line = lp.solve(math.Inf(1))
		}
		t.work += lp.work - before
		if how == empty {
			// A multiple of the line, which has no solution, lifts the bound as far as one likes.
			for scale := 1.0; scale < 1e6 && !t.good(n.bound); scale *= 16 {
				raise(t.ray(line, scale))
			}
			return at, false, nil
		}
		if how == stuck {
			lp.reset()
			break
		}
		low, values := lp.objective(), slices.Clone(lp.value[:len(lp.cost)])
		if centre != nil {
			for j := range values {
				values[j] = (values[j] + centre[j]) / 2
			}
			high, added := t.separate(values)
			if high < least {
				least, centre = high, values
			}
			if least-low <= t.goal/passGoal*low {
				break
			}
			if added > 0 {
				continue
			}
			values = slices.Clone(lp.value[:len(lp.cost)])
		}
		high, added := t.separate(values)
		if high < least {
			least, centre = high, values
		}
		if least-low <= t.goal/passGoal*low || added == 0 {
			break
		}
	}
	raise(nil)
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
	return at, branch, nil
}

// ray returns multipliers for a line that has no solution within the bounds.
func (t *tree) ray(line int, scale float64) map[int]float64 {
	lp := &t.lp
	v := lp.basic[line]
	sign := scale
	if lp.value[v] > lp.hi[v] {
		sign = -scale
	}
	extra := map[int]float64{v: sign}
	for j, a := range lp.tab[line] {
		if o := lp.other[j]; o >= lp.n && t.cuts[o] == nil {
			extra[o] = -sign * a
		}
	}
	return extra
}

// tidy drops cuts that are far from tight.
func (t *tree) tidy() {
	lp := &t.lp
	if len(lp.tab) < 3*t.periods()+len(t.rows) {
		return
	}
	for r := range lp.rows {
		v := lp.n + r
		if c := t.cuts[v]; c != nil && lp.rows[r] != nil && lp.at[v] >= 0 && lp.value[v]-lp.lo[v] > farAway*(1+math.Abs(lp.lo[v])) {
			if lp.drop(v) {
				delete(t.cuts, v)
			}
		}
	}
}

// round offers plans near the values of the program.
func (t *tree) round() error {
	var best []float64
	least := math.Inf(1)
	for _, up := range [...]float64{.5, .3, .7, .1, .9} {
		values := slices.Clone(t.lp.value[:len(t.buys)])
		for i := range t.groups {
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
		if v := t.value(values); v < least {
			least, best = v, values
		}
	}
	if least < t.least*(1+nearLeast) {
		return t.offer(best)
	}
	return nil
}

// choose returns the limit of the first side, nearest to the values.
func (t *tree) choose() (at limit, ok bool) {
	lp := &t.lp
	t.active(lp.value, t.have, t.money)
	most := 0.0
	for i, g := range t.groups {
		have := t.have[i]
		for w := 0; w < t.periods(); {
			to := w + 1
			for to < t.periods() && math.Abs(have[to]-have[w]) < tinyWhole {
				to++
			}
			far := math.Abs(have[w] - math.Round(have[w]))
			if far > tinyWhole {
				weight := far * g.List.OnDemand.Float64() * float64(t.starts[to]-t.starts[w])
				if weight > most {
					most, ok = weight, true
					mid := (w + to - 1) / 2
					at = limit{level: level{i, mid}, column: -1, lo: math.Floor(have[w]), hi: have[w]}
				}
			}
			w = to
		}
	}
	if ok {
		return at, true
	}
	for j, b := range t.buys {
		if b.group >= 0 {
			v := lp.value[j]
			if far := math.Abs(v - math.Round(v)); far > tinyWhole && far > most {
				most, ok = far, true
				at = limit{level: level{b.group, -1}, column: j, lo: math.Floor(v), hi: v}
			}
		}
	}
	return at, ok
}

// search looks through the tree.
func (t *tree) search() error {
	n := node{bound: math.Inf(-1), nanos: wide.Int{Hi: math.MinInt64}}
	shut := func(n *node) {
		if n.nanos.Less(t.closed) {
			t.closed = n.nanos
		}
	}
	for {
		t.nodes++
		at, branch, err := t.visit(&n)
		if err != nil {
			return err
		}
		if t.nodes == 1 {
			t.worth = slices.Clone(t.worths)
		}
		if branch {
			below, above := at, at
			below.lo, below.hi = 0, at.lo
			above.lo, above.hi = at.lo+1, math.Inf(1)
			first, second := below, above
			if at.hi-at.lo > .5 {
				first, second = above, below
			}
			other := n
			other.limits = append(slices.Clone(n.limits), second)
			n.limits = append(slices.Clone(n.limits), first)
			t.open = append(t.open, other)
			if t.work < t.budget {
				continue
			}
		}
		shut(&n)
		// The open node of the least bound.
		i := -1
		for k := range t.open {
			if i < 0 || t.open[k].bound < t.open[i].bound {
				i = k
			}
		}
		if i < 0 {
			return nil
		}
		if t.good(t.open[i].bound) || t.work >= t.budget {
			for k := range t.open {
				shut(&t.open[k])
			}
			return nil
		}
		n = t.open[i]
		t.open = slices.Delete(t.open, i, i+1)
	}
}

// top returns a number of units that a level does not exceed. It is finite: a variable at an upper
// bound must have one in all nodes.
func (t *tree) top(l level) float64 {
	sum := 0.0
	for j := t.first[l.group]; j < t.first[l.group+1]; j++ {
		if b := &t.buys[j]; b.from <= l.period && l.period < b.to {
			sum += float64(b.most)
		}
	}
	return sum
}
