package lpbound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// value is what x costs in the program that the simplex solves, and by how much x exceeds the limit of a row.
// The cost has the perturbation in it, and the price of what is outside the bounds of a column.
func value(s *simplex, x []float64) (cost, over float64) {
	n := s.n
	for j := range s.n * s.classes {
		cost += s.fee[j]*x[j] + s.big*max(0, s.lo[j]-x[j], x[j]-s.hi[j])
	}
	for r := range s.rows {
		N := float64(s.inv[r]) + s.delta[r]
		for c := range s.classes {
			for i := range n {
				if s.level[c] >= 0 && s.has(s.place(r), s.span(c*n+i)) {
					N += x[c*n+i]
				}
			}
		}
		prev := 0.0
		for a := range s.size[r] {
			at := float64(s.val[s.off[r]+a])
			part := min(N, at) - prev
			if a > 0 { // the perturbation may take N below 0, where a unit is worth as much as the first
				part = max(0, part)
			}
			cost -= part * s.worth(r, a)
			prev = at
		}
		if s.hard[r] {
			over = max(over, N-prev)
		}
	}
	return cost, over
}

// exact holds the state between two steps against what it stands for: the inverse, the prices, and where
// the rows are.
func exact(t *testing.T, s *simplex) {
	t.Helper()
	if off := inverseError(s); off > 1e-9 {
		t.Fatalf("K·w is off by %g", off)
	}
	for c, j := range s.colsK[:s.p] {
		d := s.cost(int(j))
		for r := range s.rows {
			if s.has(s.place(r), s.span(int(j))) {
				d -= s.y[r]
			}
		}
		if math.Abs(d) > 1e-9*s.big {
			t.Fatalf("basic column %d has the reduced cost %v", j, d)
		}
		if int(s.pos[j]) != c {
			t.Fatalf("basic column %d is at %d, not at %d", j, c, s.pos[j])
		}
	}
	for r := range s.rows {
		if q := int(s.kpos[r]); q >= 0 {
			if int(s.rowsK[q]) != r || s.N[r] != float64(s.val[s.off[r]+s.seg[r]]) {
				t.Fatalf("active row %d at place %d: %v, not at a breakpoint", r, q, s.N[r])
			}
			continue
		}
		if s.y[r] != s.worth(r, s.seg[r]) {
			t.Fatalf("row %d has the price %v, and a unit is worth %v", r, s.y[r], s.worth(r, s.seg[r]))
		}
		if a := s.seg[r]; a > 0 && s.N[r] < float64(s.val[s.off[r]+a-1])-1e-7 || a < s.size[r] && s.N[r] > float64(s.val[s.off[r]+a])+1e-7 {
			t.Fatalf("row %d: %v is not in piece %d", r, s.N[r], a)
		}
	}
}

// pivots makes steps until no price disagrees, and holds each against its definition: it goes to the best point of
// its edge, and the weights of Devex are the largest seen of (alpha of the variable / alpha of the one that enters)².
func pivots(t *testing.T, s *simplex) (steps int) {
	t.Helper()
	n := s.n
	s.clean(false)
	for ; ; steps++ {
		exact(t, s)
		col, row, sign, _ := s.choose()
		if col < 0 && row < 0 {
			return steps
		}
		if steps > s.limit() {
			t.Fatal("the simplex does not end")
		}
		before := *s
		for _, v := range []*[]float64{&before.x, &before.w, &before.weight, &before.rowWeight, &before.N} {
			*v = slices.Clone(*v)
		}
		for _, v := range []*[]int32{&before.colsK, &before.rowsK, &before.pos, &before.kpos} {
			*v = slices.Clone(*v)
		}
		before.rowAt = slices.Clone(s.rowAt)
		if !s.step(col, row, sign) {
			t.Fatal("a step without an end")
		}
		s.prices()

		// The best point of the edge.
		best, over := value(s, s.x)
		if over > 1e-7 {
			t.Fatalf("step %d goes %v over a limit", steps, over)
		}
		for _, part := range []float64{0, .5, .9, .999, 1.001, 1.1, 1.5, 3} {
			x := slices.Clone(before.x)
			for j := range x {
				x[j] += part * (s.x[j] - before.x[j])
			}
			if cost, over := value(s, x); over < 1e-7 && cost < best-1e-7*s.big {
				t.Fatalf("step %d ends at %v, at %v of the way the cost is %v", steps, best, part, cost)
			}
		}

		// Which variable has left, and the row of the tableau that belongs to it.
		alpha := make([]float64, before.p) // by active row
		leaving, weight := -1, 0.0
		own := place{-1, -1}
		for r := range s.rows {
			if s.kpos[r] >= 0 && (before.kpos[r] < 0) {
				leaving, own, weight = r, s.place(r), s.rowWeight[r]
				for c, j := range before.colsK[:before.p] {
					if s.has(own, s.span(int(j))) {
						for q := range alpha {
							alpha[q] += before.w[c*before.stride+q]
						}
					}
				}
			}
		}
		for j := range s.n * s.classes {
			if s.pos[j] < 0 && before.pos[j] >= 0 {
				c := int(before.pos[j])
				leaving, weight = s.rows+j, s.weight[j]
				copy(alpha, before.w[c*before.stride:][:before.p])
			}
		}
		if leaving < 0 { // it went from one bound to the other, or from one breakpoint to another
			if !slices.Equal(before.weight, s.weight) || !slices.Equal(before.rowWeight, s.rowWeight) {
				t.Fatal("weights change without an exchange")
			}
			continue
		}
		of := func(j int) float64 { // alpha of a column
			f := 0.0
			at := s.span(j)
			for q, place := range before.rowAt[:before.p] {
				if s.has(place, at) {
					f -= alpha[q]
				}
			}
			if own.k >= 0 && s.has(own, at) {
				f++
			}
			return f
		}
		var pivot, first float64
		if col >= 0 {
			pivot, first = of(col), before.weight[col]
		} else {
			pivot, first = alpha[before.kpos[row]], before.rowWeight[row]
		}
		scale := first / (pivot * pivot)
		near := func(name string, i int, got, old, alpha float64) {
			if want := max(old, alpha*alpha*scale); math.Abs(got-want) > 1e-6*want {
				t.Fatalf("step %d: weight of %s %d is %v, want %v of %v", steps, name, i, got, want, old)
			}
		}
		if math.Abs(weight-max(scale, 1)) > 1e-6*weight {
			t.Fatalf("step %d: weight of what leaves is %v, want %v", steps, weight, max(scale, 1))
		}
		for j := range n * s.classes {
			if s.level[j/n] >= 0 && before.pos[j] < 0 && s.pos[j] < 0 {
				near("column", j, s.weight[j], before.weight[j], of(j))
			}
		}
		for q, r := range before.rowsK[:before.p] {
			if s.kpos[r] >= 0 {
				near("row", int(r), s.rowWeight[r], before.rowWeight[r], alpha[q])
			}
		}
	}
}

// restored begins afresh, and says whether some plan is within the limits of all rows and the bounds of all columns.
func restored(s *simplex) bool {
	s.afresh()
	return !s.over()
}

// Each step of the simplex is right by itself, also from a basis that the bounds of a branch have made infeasible.
// The optimum under the bounds of a branch is that of the same problem with caps, and certify proves it.
func TestStepsByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(79, 80)) // seed 79, 80
	var v, ref Solver
	s := &v.s
	steps, branches, outside, siblings, over, rooms := 0, 0, 0, 0, 0, 0
	for it := range 240 {
		p := small(r, it%32)
		if it >= 200 {
			p = medium(r, it)
			if p.periods() > 40 {
				continue
			}
		}
		if p.MaxClass == nil {
			p.MaxClass = make([][]int, len(p.Classes))
		}
		solve(t, &v, p, Options{MaxNodes: -1})
		s.start()
		if it%2 == 0 { // the kernel grows out of its room, again and again
			s.w, s.stride = nil, 0
			s.reserve(min(1, s.rows))
			rooms++
		}
		s.work, s.budget = 0, math.MaxInt64
		steps += pivots(t, s)
		if it%2 == 0 && s.stride > max(s.rows, 1) || s.stride < s.p {
			t.Fatalf("problem %d: room for %d rows of %d, %d are active", it, s.stride, s.rows, s.p)
		}
		n := s.n
		at := -1 // the column of the branch before
		var oldLo, oldHi float64
		for k := range 4 {
			if s.p == 0 {
				break
			}
			s.settle(false)
			if k == 3 && at >= 0 && s.pos[at] < 0 && (s.x[at] != oldLo || s.x[at] != oldHi) {
				// The sibling of a branch: a column that is not basic moves.
				if s.hi[at] < oldHi {
					s.lo[at], s.hi[at] = s.hi[at]+1, oldHi
				} else {
					s.lo[at], s.hi[at] = oldLo, s.lo[at]-1
				}
				siblings++
			} else {
				j := int(s.colsK[r.IntN(s.p)])
				at, oldLo, oldHi = j, s.lo[j], s.hi[j]
				if x := s.x[j]; r.IntN(3) == 0 {
					s.lo[j] = max(s.lo[j], min(s.hi[j], math.Floor(x)+1+float64(r.IntN(2))))
				} else {
					s.hi[j] = min(s.hi[j], max(s.lo[j], math.Ceil(x)-1-float64(r.IntN(2))))
				}
				if s.x[j] < s.lo[j] || s.x[j] > s.hi[j] {
					outside++
				}
				if s.lo[j] == oldLo && s.hi[j] == oldHi {
					at = -1
				}
			}
			if s.restart(); s.over() {
				if over++; !restored(s) {
					break
				}
			}
			steps += pivots(t, s)
			bound := v.certify(true)
			s.settle(false)
			lowest, within := true, true
			q := *p
			q.MaxClass = nil
			for c := range p.Classes {
				most := make([]int, n)
				for i := range most {
					j := c*n + i
					lowest = lowest && s.lo[j] == 0
					within = within && s.x[j] > s.lo[j]-1e-5 && s.x[j] < s.hi[j]+1e-5
					most[i] = int(min(s.hi[j], 1<<30))
				}
				q.MaxClass = append(q.MaxClass, most)
			}
			if !within { // a limit forbids what the branch wants
				if restored(s) {
					t.Fatalf("problem %d: columns are outside their bounds, and all at their lower bounds are within all limits", it)
				}
				break
			}
			branches++
			if got := s.objective(); math.Abs(got-float64(bound)) > 1e-8*got+float64(s.unit) {
				t.Fatalf("problem %d: a branch costs %v, and the bound is %d", it, got, bound)
			}
			if !lowest {
				continue
			}
			if want, err := ref.Solve(&q, Options{MaxNodes: -1}); err != nil || math.Abs(float64(want.LP-bound)) > 1e-9*float64(bound) {
				t.Fatalf("problem %d: the bound of a branch is %d, that of the problem with caps %d, %v", it, bound, want.LP, err)
			}
		}
	}
	t.Logf("%d steps, %d branches, %d from outside, %d siblings, %d over a limit, %d kernels without room", steps, branches, outside, siblings, over, rooms)
	if steps < 900 || branches < 150 || outside < 120 || siblings < 20 || rooms < 50 {
		t.Errorf("%d steps, %d branches, %d of them from outside, %d siblings, %d kernels without room: too few to test anything", steps, branches, outside, siblings, rooms)
	}
}

// Columns that are far outside narrow bounds go to one bound, and on to the other where that still pays.
func TestStepsFromFarOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86)) // seed 85, 86
	var v Solver
	s := &v.s
	steps, within := 0, 0
	for it := range 600 {
		p := small(r, it%32)
		if it%2 == 0 {
			if p = medium(r, it/2); p.periods() > 32 {
				continue
			}
		}
		solve(t, &v, p, Options{MaxNodes: -1})
		if s.p < 2 {
			continue
		}
		for _, j := range s.colsK[:s.p] {
			if r.IntN(3) > 0 {
				continue
			}
			if at := math.Round(s.x[j]) + float64(r.IntN(7)-3); at >= s.lo[j] && at <= s.hi[j] {
				s.lo[j], s.hi[j] = at, min(s.hi[j], at+float64(r.IntN(2)))
			}
		}
		if s.restart(); s.over() && !restored(s) {
			continue
		}
		steps += pivots(t, s)
		bound := v.certify(true)
		if s.settle(false); !slices.ContainsFunc(s.colsK[:s.p], func(j int32) bool { return s.x[j] < s.lo[j]-1e-5 || s.x[j] > s.hi[j]+1e-5 }) {
			if within++; math.Abs(s.objective()-float64(bound)) > 1e-8*math.Abs(float64(bound))+float64(s.unit) {
				t.Fatalf("problem %d: a branch costs %v, and the bound is %d", it, s.objective(), bound)
			}
		} else if restored(s) {
			t.Fatalf("problem %d: columns are outside their bounds, and all at their lower bounds are within all limits", it)
		}
	}
	t.Logf("%d steps, %d problems within bounds", steps, within)
	if steps < 300 || within < 100 {
		t.Errorf("%d steps, %d problems within their bounds: too few to test anything", steps, within)
	}
}

// What a reservation more or less changes is the difference between the costs of two plans, and nothing is
// allowed that breaks a limit.
func TestChangeByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82)) // seed 81, 82
	var v Solver
	s := &v.s
	allowed, forbidden := 0, 0
	for it := range 600 {
		p := small(r, it%32)
		solve(t, &v, p, Options{MaxNodes: -1})
		clear(v.trial)
		cost, err := s.planCost(v.trial, v.active)
		for range 40 {
			if err != nil {
				break // more is held than may be active
			}
			j, d := r.IntN(len(v.trial)), 1-2*r.IntN(2)
			got := v.change(j, d)
			next := slices.Clone(v.trial)
			next[j] += d
			want, err := s.planCost(next, make([]int64, s.rows))
			if next[j] < 0 || float64(next[j]) > s.cap[j] {
				err = errPlan
			}
			if err == nil && s.level[j/s.n] < 0 {
				t.Fatal("a class that saves nothing has no cap")
			}
			if err != nil {
				if forbidden++; got != math.MaxInt64 {
					t.Fatalf("problem %d: %d of column %d beside %v changes %d: %v", it, d, j, v.trial, got, err)
				}
				continue
			}
			allowed++
			if got != want-cost {
				t.Fatalf("problem %d: %d of column %d beside %v changes %d, want %d", it, d, j, v.trial, got, want-cost)
			}
			v.apply(j, d)
			active := make([]int64, s.rows)
			if cost, _ = s.planCost(v.trial, active); !slices.Equal(v.trial, next) || !slices.Equal(active, v.active) {
				t.Fatalf("problem %d: %v with %v active, want %v with %v", it, v.trial, v.active, next, active)
			}
		}
	}
	if allowed < 1000 || forbidden < 1000 {
		t.Errorf("%d changes, %d forbidden: too few to test anything", allowed, forbidden)
	}
}
