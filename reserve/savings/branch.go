package savings

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// Whole reservations beside a savings plan, by branch and bound.
//
// Prices of slots bound plans that may buy fractions of reservations. Where demand is a few
// instances, half a reservation saves much, and no plan can have it. So the plans are divided
// into parts: at most 2 reservations of type i are active in period w, or at least 3. In each
// part fractions save less. Parts that hold no cheaper plan than the best known are left out,
// and the others are divided again, until the least bound of a part is near the best plan.
//
// # The program
//
// Between two slots at which something begins or ends, nothing changes but usage. In such a
// period w let R_iw reservations of type i be active, and A_w money an hour. What the period
// then costs on demand, F_w(R_w, A_w), is convex. It is the sum over its slots of what is left
// when the money has paid for the usage with the highest p_i/q_i first. The program is
//
//	minimise   Σ fees·r + Σ paid slots·a + Σ θ_w
//	subject to θ_w ≥ F_w(R_w, A_w),     R_w, A_w the sums of the r, a that are active,
//
// with bounds on r, a and, in a part, on some R_iw. The dual simplex of simplex.go solves the
// program with cuts in place of F_w (Benders 1962; Kelley 1960). F_w at one point has prices
// ν_t of its slots, and is everywhere at least linear in R_w, A_w with these prices. A pass adds
// the cuts of all periods at the values of the program and begins again, until the values cost
// what the program says. The first point of a pass is half way to the best values so far, which
// saves passes. A part keeps the cuts of all others, since F_w is the same in all.
//
// # The bound of a part
//
// Let ν_t ≥ 0 and y_iw be any numbers, and 0 ≤ λ_it ≤ min(p_i, q_i·ν_t), or 0 ≤ λ_it ≤ p_i for a
// type that the savings plan does not pay for.
//
// Proposition. Take a part of all plans by the limits l ≤ R ≤ u, and its plans that buy m to b at
// each single purchase. None of these costs less than
//
//	Σ_it λ_it·d_it - Σ_t ν_t·H_t + Σ_iw min(y_iw·l_iw, y_iw·u_iw)
//	+ Σ_j min over m_j..b_j of r·(fee_j - Σ_t λ_it - Σ_w y_iw)
//	+ Σ_s min over m_s..b_s of a·(paid_s - Σ_t ν_t),
//
// with j over purchases of reservations, s over commitments, and the inner sums over the
// slots and periods in which j or s is active.
//
// Proof. The usage of the plan costs at least Σ λ_it·(d_it - R_it) - Σ ν_t·(H_t + A_t). An instance
// on demand costs p_i ≥ λ_it. An instance from the savings plan takes q_i money, which is worth
// q_i·ν_t ≥ λ_it; a type that the plan does not pay for has none. And λ_it·max(0, d_it - R_it) is
// at least λ_it·(d_it - R_it). Within the limits Σ y_iw·R_iw is at least the third term. So the
// plan costs at least the first three terms and Σ_j r_j·(fee_j - Σ λ - Σ y) + Σ_s a_s·(paid_s - Σ
// ν). ∎
//
// Some optimal plan buys no more than the bounds, since what is beyond serves nothing. A purchase
// has no more units than the most that its type needs in the term. A commitment has no more money
// than all usage of a slot of the term takes, in whole units. No class is bought that costs at
// least as much as another whose term holds its term. All parts together hold all such plans, so
// the least of their bounds is a bound for the problem.
//
// The prices of the program are ν, λ and y. They are rounded to integers first, and the bound is
// computed from these exactly. A part without plans has a line of the simplex that cannot be met.
// A multiple of the line is added to y, which lifts the bound above the best plan.
//
// # Plans
//
// The values of a part, rounded in five ways, are plans. The best of them by the program is priced
// with the best commitments. The level that is divided has a fraction that matters most: far from
// whole, dear and for long, in the middle of the periods in which it does not change. The part
// nearer to the values is next, and if a part is closed, the part of the least bound.
//
// With a goal of 0, a part is divided until no plan of the part can be cheaper, or all its
// reservations are fixed: the plan offered is then the best of the part. Money is divided too, if a
// unit costs so much that whole units matter.
//
// The work is counted in operations and not in seconds, so that all machines give the same result.
//
// What the search gains over the rounds of joint.go alone was measured on three job logs, 3,600
// hours each, with weekly purchases. The gap is 46 to 1,400 times smaller, and the plan costs .02
// to .4% less:
//
//	PLIMSOLL_SHARED=DIR go test -run NONE -bench Logs -benchtime 1x ./reserve/savings

// A limit is the bounds of a variable: of a level, or of a purchase if period is -1. The other side
// of the division begins step above lo.
type limit struct {
	level
	column       int
	lo, hi, step float64
	before       int // the limit before in the same part, -1 for none
}

// A node is a part of all plans: those within its limits. None costs less than bound, which is
// nanos.
type node struct {
	last  int // limit
	bound float64
	nanos wide.Int
}

// A Market says what purchases cost.
type Market interface {
	// Fee returns what a reservation costs, in nanos, that is bought at a slot where purchases are
	// possible, and whether that fits. A class is an index of Problem.Classes.
	Fee(class, slot int) (nanos int64, ok bool)
	// Cost returns what a plan with the given reservations costs, sorted by slot and class, with the
	// commitments and all other usage, and whether that fits. The list is valid until Cost returns.
	Cost(list []pricing.Purchase) (cost Total, ok bool, err error)
}

// A Branch looks for the reservations that cost least beside a savings plan, by branch and bound.
// The zero value is ready. A Branch keeps its memory, and allocates nothing once its memory
// suffices. [Solver] calls it for small problems. A caller who plans many groups passes what it
// knows of the rest by a [Market].
type Branch struct {
	program
	goal   float64
	whole  bool // divide until everything is fixed
	budget int64
	market Market
	cost   Total   // of the best plan
	least  float64 // the same
	found  bool
	best   []pricing.Purchase
	open   []node
	limits []limit
	closed wide.Int // the least bound of the nodes that are closed
	nodes  int
	root   []int64     // worths of the slots, by the first node
	have   [][]float64 // by type and period, for active
	money  []float64
	at     []float64 // reservations by type, for one period

	values, centre, trial []float64
	trialList             []pricing.Purchase
	chain                 []int
}

// Load states p for [Branch.Search]. Load reports false if p is too large: more than some 2,000
// dates of purchases, counted for each class. p must not change before Search.
func (t *Branch) Load(p *Problem, m Market) bool {
	t.market = m
	return t.program.load(p, m)
}

// Columns returns the size of the linear program: one of 700 takes a second or so, one of 2,000 up
// to a minute.
func (t *Branch) Columns() int { return t.lp.n }

// Search looks for plans that cost less than known, until the gap is at most goal, or the work, in
// operations, is spent. A goal of 0 divides until all reservations are fixed: then Market.Cost must
// be the least cost beside the given reservations, for the bound to hold.
func (t *Branch) Search(known Total, goal float64, work int64) error {
	t.goal, t.whole, t.budget = max(goal, tinyGoal), goal == 0, work
	t.cost, t.least, t.found = known, known.Float64(), false
	t.closed, t.nodes = wide.Int{Hi: math.MaxInt64}, 0
	t.open, t.limits, t.best = t.open[:0], t.limits[:0], t.best[:0]
	k, periods := len(t.demand), t.periods()
	for len(t.have) < k {
		t.have = append(t.have, nil)
	}
	t.have = t.have[:k]
	for i := range t.have {
		t.have[i] = grow.Zero(t.have[i], periods)
	}
	t.money, t.at = grow.Zero(t.money, periods), grow.To(t.at, k)
	return t.search()
}

// Best returns the reservations of the best plan, valid until the next call, and whether Search has
// found one that costs less than the plan that was known.
func (t *Branch) Best() (list []pricing.Purchase, found bool) { return t.best, t.found }

// Bound returns an amount that no plan costs less than.
func (t *Branch) Bound() Total { return Total{t.closed} }

// Worth returns what money of the savings plan is worth in each slot, in parts of 2⁻⁴⁰, by the
// linear program of all plans. Worth is valid until the next call.
func (t *Branch) Worth() []int64 { return t.root }

// good reports whether a node with such a bound may be closed.
func (t *Branch) good(bound float64) bool { return bound*(1+t.goal) >= t.least }

// shut closes a node.
func (t *Branch) shut(n *node) {
	if n.nanos.Less(t.closed) {
		t.closed = n.nanos
	}
}

// limited returns a node with one more limit.
func (t *Branch) limited(n node, l limit) node {
	l.before = n.last
	t.limits = append(t.limits, l)
	n.last = len(t.limits) - 1
	return n
}

// search looks through the tree.
func (t *Branch) search() error {
	n := node{last: -1, bound: math.Inf(-1), nanos: wide.Int{Hi: math.MinInt64}}
	for {
		t.nodes++
		at, branch, err := t.visit(&n)
		if err != nil {
			return err
		}
		if t.nodes == 1 {
			t.root = append(t.root[:0], t.worths...)
		}
		if branch {
			below, above := at, at
			below.lo, below.hi = 0, at.lo
			above.lo, above.hi = at.lo+at.step, math.Inf(1)
			first, second := below, above
			if at.hi-at.lo > at.step/2 {
				first, second = above, below
			}
			t.open = append(t.open, t.limited(n, second))
			n = t.limited(n, first)
			if t.work < t.budget {
				continue
			}
		}
		t.shut(&n)
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
				t.shut(&t.open[k])
			}
			return nil
		}
		n = t.open[i]
		t.open = slices.Delete(t.open, i, i+1)
	}
}

// top returns a number of reservations that a level does not exceed. It is finite: a variable at an
// upper bound must have one in all nodes.
func (t *Branch) top(l level) float64 {
	sum := 0.0
	for j := t.first[l.typ]; j < t.first[l.typ+1]; j++ {
		if b := &t.buys[j]; b.from <= l.period && l.period < b.to {
			sum += float64(b.most)
		}
	}
	return sum
}
