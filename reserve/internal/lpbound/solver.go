package lpbound

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Options of a solve. The zero value is the default.
type Options struct {
	// MaxNodes ends branch and bound after so many linear programs; 0 means
	// 1000, a negative number no branching at all (the rounded plan is returned).
	MaxNodes int

	// Work ends the simplex after so much of it, over all linear programs: a
	// step counts the rows, the columns and the square of the kernel, about as
	// many nanoseconds. 0 means no limit.
	Work int64
}

// Result of a solve. Plan and Duals belong to the solver and are valid until
// its next call.
type Result struct {
	Plan    []int   // purchases, [class*periods + period]
	Cost    int64   // what Plan costs, nano units
	Bound   int64   // no plan costs less, nano units; equals Cost when Plan is optimal
	LP      int64   // the linear program's bound, nano units, Bound >= LP
	Duals   []int64 // certificate of LP: [level*periods + period]
	Stalled bool    // an iteration limit was reached; plan and bounds hold all the same
}

// Solver solves problems; its zero value is ready. It keeps its memory: once it
// has seen the largest size, Solve allocates nothing.
type Solver struct {
	s      simplex
	plan   []int // best so far
	trial  []int
	cost   int64
	duals  []int64
	root   []int64
	alt    []int64
	active []int64
	sum    []int64
	stack  []branch
	nodes  int     // linear programs after the first
	open   []int32 // columns that repair may touch

	approach approach
}

// branch is a bound change on the way to a node, its sibling still to do.
type branch struct {
	j        int
	lo, hi   float64 // bounds of column j before
	nlo, nhi float64 // bounds of the sibling
	bound    int64   // lower bound of the node that was split
	second   bool    // the sibling is being explored
}

// Solve finds the linear program's bound with its certificate and a plan. Where
// the program's solution is integral the plan is optimal and Bound equals Cost;
// otherwise it is rounded, repaired, and improved by branch and bound.
func (v *Solver) Solve(p *Problem, opt Options) (Result, error) {
	s := &v.s
	if err := s.load(p); err != nil {
		return Result{}, err
	}
	cols := s.n * s.classes
	s.start()
	if s.work, s.budget = 0, opt.Work; s.budget == 0 {
		s.budget = math.MaxInt64
	}
	v.plan, v.trial = grow.To(v.plan, cols), grow.To(v.trial, cols)
	v.duals, v.alt, v.root = grow.To(v.duals, s.rows), grow.To(v.alt, s.rows), grow.To(v.root, s.rows)
	v.active, v.sum = grow.To(v.active, s.rows), grow.To(v.sum, s.n+1)
	v.open = grow.To(v.open, repairColumns)
	res := Result{Stalled: !s.run(s.limit())}
	lp := v.certify(false)
	copy(v.root, v.duals)
	res.LP, res.Bound, res.Duals = lp, lp, v.root
	s.settle(false)
	v.cost, v.nodes = math.MaxInt64, 0
	if err := v.round(); err != nil {
		return Result{}, err
	}
	if v.cost > lp && opt.MaxNodes >= 0 {
		limit := opt.MaxNodes
		if limit == 0 {
			limit = 1000
		}
		var err error
		if res.Bound, err = v.search(lp, limit, res.Stalled); err != nil {
			return Result{}, err
		}
	}
	res.Plan, res.Cost = v.plan, v.cost
	return res, nil
}

func (s *simplex) limit() int { return s.iterations + 1000 + 100*(s.rows+s.n*s.classes) }

// fractional is the column furthest from an integer, or -1.
func (v *Solver) fractional() int {
	s := &v.s
	best, at := integral, -1
	for _, j := range s.colsK[:s.p] {
		x := s.x[j]
		if d := math.Abs(x - math.Round(x)); d > best {
			best, at = d, int(j)
		}
	}
	return at
}

const integral = 1e-5 // x is integral within this; fractions are ratios of small integers

// search explores the tree of column bounds depth first, the nearer integer
// first. It returns a lower bound on every plan.
// stalled says that the program at hand did not reach its optimum: if its x is integral, x is
// a plan, but not the best of the node, whose bound stays.
func (v *Solver) search(lp int64, limit int, stalled bool) (int64, error) {
	s := &v.s
	v.stack = v.stack[:0]
	bound := lp
	left := int64(math.MaxInt64) // least bound of the nodes that were left so
	for {
		// Here the node at hand is solved, unperturbed, with this bound.
		if j := v.fractional(); bound < v.cost && j >= 0 {
			x := s.x[j]
			b := branch{j: j, lo: s.lo[j], hi: s.hi[j], bound: bound}
			down, up := math.Floor(x), math.Ceil(x)
			if x-down < up-x {
				b.nlo, b.nhi = up, b.hi
				s.hi[j] = down
			} else {
				b.nlo, b.nhi = b.lo, down
				s.lo[j] = up
			}
			v.stack = append(v.stack, b)
		} else {
			if stalled {
				left = min(left, bound)
			}
			// Back up to the last sibling that may still hold a better plan.
			found := false
			for len(v.stack) > 0 && !found {
				b := &v.stack[len(v.stack)-1]
				if b.second || b.bound >= v.cost {
					s.lo[b.j], s.hi[b.j] = b.lo, b.hi
					v.stack = v.stack[:len(v.stack)-1]
					continue
				}
				b.second, found = true, true
				s.lo[b.j], s.hi[b.j] = b.nlo, b.nhi
			}
			if !found {
				return min(v.cost, left), nil
			}
		}
		if v.nodes == limit || s.work > s.budget || v.cost <= lp {
			least := min(v.cost, left)
			for _, b := range v.stack {
				least = min(least, b.bound)
			}
			return least, nil
		}
		v.nodes++
		if s.restart(); s.over() {
			if s.afresh(); s.over() {
				bound, stalled = math.MaxInt64, false // no plan lies within the node's bounds
				continue
			}
		}
		stalled = !s.run(s.limit()) // the bound below holds all the same
		bound = max(v.certify(true), v.stack[len(v.stack)-1].bound)
		s.settle(false)
		if bound < v.cost {
			if err := v.round(); err != nil {
				return lp, err
			}
		}
	}
}

// restart moves nonbasic columns into their new bounds and takes up the
// perturbation again.
func (s *simplex) restart() {
	for j := range s.n * s.classes {
		if s.pos[j] < 0 {
			s.x[j] = min(max(s.x[j], s.lo[j]), s.hi[j])
		}
	}
	s.settle(true)
	for r := range s.rows {
		if s.kpos[r] < 0 {
			s.seg[r] = s.find(r, s.N[r])
		}
	}
}

// over says whether a row is above its limit. A step keeps within the limits but does not come back to them.
func (s *simplex) over() bool {
	for r := range s.rows {
		if s.hard[r] && s.N[r] > float64(s.val[s.off[r]+s.size[r]-1]) {
			return true
		}
	}
	return false
}

// afresh puts every column at its lower bound and leaves the basis empty. If a row is above its limit then, no plan
// within the bounds is below it.
func (s *simplex) afresh() {
	s.p = 0
	for j := range s.x {
		s.pos[j], s.weight[j] = -1, 1
	}
	copy(s.x, s.lo)
	for r := range s.rows {
		s.kpos[r], s.rowWeight[r] = -1, 1
	}
	s.restart()
}

// certify rounds the current prices to integers, into duals, and evaluates the
// bound they prove, for the whole problem or for the node at hand.
func (v *Solver) certify(node bool) int64 {
	s := &v.s
	var lo, hi []float64
	if node {
		lo, hi = s.lo, s.hi
	}
	for r := range s.rows {
		v.duals[r] = int64(math.Round(s.y[r]))
		v.alt[r] = int64(math.Floor(s.y[r] + 1e-3))
		if !s.hard[r] {
			v.duals[r], v.alt[r] = max(v.duals[r], 0), max(v.alt[r], 0)
		}
	}
	near, low := s.bound(v.duals, v.sum, lo, hi), s.bound(v.alt, v.sum, lo, hi)
	if low > near {
		copy(v.duals, v.alt)
		return low
	}
	return near
}

// round turns the current x into integral plans, to nearest and down, repairs
// them, and keeps the cheapest seen.
func (v *Solver) round() error {
	s := &v.s
	whole := true
	for pass := range 2 {
		for j, x := range s.x[:s.n*s.classes] {
			f := math.Round(x)
			if math.Abs(x-f) > integral {
				whole = false
				if pass == 1 {
					f = math.Floor(x)
				}
			}
			v.trial[j] = int(max(f, 0))
		}
		if err := v.offer(!whole); err != nil {
			return err
		}
		if whole {
			break
		}
	}
	return nil
}

// offer keeps trial if it is feasible and the cheapest seen, repaired first.
func (v *Solver) offer(repair bool) error {
	s := &v.s
	cost, err := s.planCost(v.trial, v.active)
	if err != nil {
		if err == ErrOverflow {
			return err
		}
		return nil // over a limit: not a plan
	}
	if repair {
		cost = v.repair(cost)
	}
	if cost < v.cost {
		v.cost = cost
		v.plan, v.trial = v.trial, v.plan
	}
	return nil
}

// repair buys or drops single reservations in the columns where the linear
// program hesitated, and moves one from such a column to another, while that
// lowers the cost. active holds N, as planCost left it.
func (v *Solver) repair(cost int64) int64 {
	s := &v.s
	v.open = v.open[:0]
	for _, j := range s.colsK[:s.p] {
		if math.Abs(s.x[j]-math.Round(s.x[j])) > integral && len(v.open) < repairColumns {
			v.open = append(v.open, j)
		}
	}
	for changed, rounds := true, 0; changed && rounds < repairRounds; rounds++ {
		changed = false
		for _, j := range v.open {
			j := int(j)
			for _, d := range [2]int{1, -1} {
				first := v.change(j, d)
				if first == math.MaxInt64 {
					continue
				}
				v.apply(j, d)
				best, at := min(first, 0), -1
				for _, k := range v.open {
					if k := int(k); k != j {
						if c := v.change(k, -d); c != math.MaxInt64 && first+c < best {
							best, at = first+c, k
						}
					}
				}
				if at >= 0 {
					v.apply(at, -d)
				}
				if best < 0 {
					cost, changed = cost+best, true
				} else {
					v.apply(j, -d)
				}
			}
		}
	}
	return cost
}

// The repair looks at so many columns and so often, which bounds its time; the
// reference cases never need it.
const (
	repairColumns = 64
	repairRounds  = 8
)

// change is by how much d = ±1 of column j changes the cost of trial; MaxInt64
// if a limit forbids it.
func (v *Solver) change(j, d int) int64 {
	s := &v.s
	if x := v.trial[j] + d; x < 0 || float64(x) > s.cap[j] {
		return math.MaxInt64
	}
	at := s.span(j)
	i, e, lev := int(at.i), int(at.e), int(at.lev)
	total := int64(d) * s.feeI[j]
	for k := 0; k <= lev; k++ {
		for t := i; t < e; t++ {
			r := k*s.n + t
			N := v.active[r] + int64(s.inv[r])
			if d < 0 {
				N--
			}
			a := s.find(r, float64(N)+0.5)
			if s.hard[r] && d > 0 && N >= int64(s.val[s.off[r]+s.size[r]-1]) {
				return math.MaxInt64
			}
			if a < s.size[r] {
				total -= int64(d) * s.priceI[k] * int64(s.cnt[s.off[r]+a])
			}
		}
	}
	return total
}

func (v *Solver) apply(j, d int) {
	s := &v.s
	v.trial[j] += d
	at := s.span(j)
	i, e, lev := int(at.i), int(at.e), int(at.lev)
	for k := 0; k <= lev; k++ {
		for t := i; t < e; t++ {
			v.active[k*s.n+t] += int64(d)
		}
	}
}
