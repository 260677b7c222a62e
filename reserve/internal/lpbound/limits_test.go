package lpbound

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Problems at the limits of their numbers of instances and of their amounts, and beyond.
func TestMalformed(t *testing.T) {
	const most = 1 << 30
	for _, c := range []struct {
		name string
		set  func(p *Problem)
		want error
	}{
		{"none", func(p *Problem) {}, nil},
		{"free on demand", func(p *Problem) { p.OnDemand, p.Classes = 0, nil }, nil},
		{"most demand", func(p *Problem) { p.Demand[1] = most }, nil},
		{"too much demand", func(p *Problem) { p.Demand[1] = most + 1 }, ErrInput},
		{"free class", func(p *Problem) { p.Classes[0].Fee = 0 }, nil},
		{"rate of on demand", func(p *Problem) { p.Classes[0].Rate = 10 }, nil},
		{"fees", func(p *Problem) { p.Fees = [][]int64{{1, 0}, {2, 2}} }, nil},
		{"held", func(p *Problem) { p.Held = [][]int{nil, {0, most}} }, nil},
		{"held at the lower use price", func(p *Problem) { p.Held = [][]int{{0, most}, nil} }, nil},
		{"held at both use prices", func(p *Problem) { p.Held = [][]int{{0, most / 2}, {0, most / 2}} }, nil},
		{"held, too many", func(p *Problem) { p.Held = [][]int{{1, most + 1}, nil} }, ErrInput},
		{"held, too many together", func(p *Problem) { p.Held = [][]int{{1, most}, {0, 1}} }, ErrInput},
		{"class limit too large", func(p *Problem) { p.MaxClass = [][]int{{1, most + 1}, nil} }, ErrInput},
		{"active limit too large", func(p *Problem) { p.MaxActive = []int{0, most + 1} }, ErrInput},
		{"active limit largest", func(p *Problem) { p.MaxActive = []int{0, most} }, nil},
		{"cost of a period", func(p *Problem) { p.Demand[0], p.Demand[1], p.OnDemand = most, most, 1<<33 }, ErrOverflow},
		{"cost of two periods", func(p *Problem) { p.Demand[0], p.Demand[2], p.OnDemand = most, most, 1<<32 }, ErrOverflow},
		{"cost of one", func(p *Problem) { p.Demand[0], p.Demand[2], p.OnDemand = most, 0, 1<<32 }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Problem{Demand: []int{1, 2, 3}, Period: 2, OnDemand: 10, Classes: []Class{{Term: 1, Fee: 5}, {Term: 2, Fee: 6, Rate: 1}}}
			c.set(p)
			var v Solver
			if _, err := v.Solve(p, Options{MaxNodes: -1}); !errors.Is(err, c.want) {
				t.Errorf("Solve: %v, want %v", err, c.want)
			}
			if err := v.Begin(p); !errors.Is(err, c.want) {
				t.Errorf("Begin: %v, want %v", err, c.want)
			}
		})
	}
}

// A plan whose fees do not fit 64 bits has no cost.
func TestPlanTooDear(t *testing.T) {
	p := &Problem{Demand: []int{9, 9}, OnDemand: 10, Classes: []Class{{Term: 1, Fee: math.MaxInt64 / 2}}}
	most := 1 // an int of 32 bits holds no larger number than a plan may
	if k := 31; math.MaxInt > math.MaxInt32 {
		most = 1 << k
	}
	for _, c := range []struct {
		plan []int
		want error
	}{
		{[]int{0, 1}, nil},
		{[]int{1, 1}, ErrOverflow}, // with 180 on demand, less 20
		{[]int{3, 0}, ErrOverflow},
		{[]int{1, most}, ErrOverflow},
	} {
		if _, _, err := verify(p, c.plan, nil); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.plan, err, c.want)
		}
	}
	p = &Problem{Demand: []int{1, 1, 1}, OnDemand: 10, Classes: []Class{{Term: 2, Fee: 9, Rate: 1}, {Term: 1, Fee: 8}}, MaxActive: []int{2, 1, 2}}
	if _, _, err := verify(p, []int{0, 2, 0, 0, 1, 0}, nil); err != errPlan {
		t.Errorf("a plan above a limit: %v", err)
	}
}

// A bound from forged prices: by hand, and beyond all reason.
func TestBoundByHand(t *testing.T) {
	p := &Problem{Demand: []int{1, 2}, OnDemand: 10, Classes: []Class{{Term: 2, Fee: 8}}}
	for _, c := range []struct {
		y    []int64
		want int64
	}{
		{[]int64{0, 0}, 0}, // all worth is given away
		{[]int64{4, 4}, 12},
		// The fee is short by 2, and at most two are useful: 3 + 2·7 - 2·2 = 13, and a plan costs
		// 30 or less by a multiple of 2.
		{[]int64{3, 7}, 14},
		{[]int64{10, 10}, 30 - 2*12 - 2*2}, // bought in either slot
		{[]int64{12, 10}, 30 - 2*14 - 2*2}, // no instance is worth more than 10
		{[]int64{maxPrice + 1, 0}, math.MinInt64},
		{[]int64{maxPrice, 1}, math.MinInt64},
	} {
		_, bound, err := verify(p, []int{0, 0}, c.y)
		if err != nil {
			t.Fatal(err)
		}
		if bound != c.want {
			t.Errorf("%v: %d, want %d", c.y, bound, c.want)
		}
	}
}

// A price of 2⁵⁸ is the largest that proves something, of either sign and of any row.
func TestBoundLargestPrices(t *testing.T) {
	const most = maxPrice
	for _, c := range []struct {
		name     string
		onDemand int64
		active   []int
		y        []int64
		want     int64
	}{
		{"largest", most, nil, []int64{most}, most},
		{"on demand above", most + 1, nil, []int64{0}, math.MinInt64},
		{"above", most, nil, []int64{most + 1}, math.MinInt64},
		// One instance at 2⁵⁸ more than it is worth, and four idle ones at 2⁵⁸.
		{"negative", most, []int{5}, []int64{-most}, most - 2*most - 4*most},
		{"below", most, []int{5}, []int64{-most - 1}, math.MinInt64},
	} {
		p := &Problem{Demand: []int{1}, OnDemand: c.onDemand, Classes: []Class{{Term: 1, Fee: most}}, MaxActive: c.active}
		if _, bound, err := verify(p, []int{0}, c.y); err != nil || bound != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, bound, err, c.want)
		}
	}
}

// A bound is lifted to the next cost that a plan can have: with fees and prices in units of
// 6, a bound of 16 proves 18 if on demand alone costs 30.
func TestBoundLifted(t *testing.T) {
	p := &Problem{Demand: []int{1, 4}, OnDemand: 6, Classes: []Class{{Term: 2, Fee: 12}}}
	for y, want := range map[int64]int64{0: 0, 1: 6, 2: 12, 3: 12, 4: 18, 5: 24, 6: 24} {
		_, bound, err := verify(p, []int{0, 0}, []int64{0, y})
		if err != nil || bound != want { // 4 instances at y each
			t.Errorf("%d: %d, want %d: %v", y, bound, want, err)
		}
	}
	p.OnDemand = 9 // now the unit is 3
	if _, bound, err := verify(p, []int{0, 0}, []int64{0, 1}); err != nil || bound != 6 {
		t.Errorf("unit 3: %d, want 6: %v", bound, err)
	}
	p.Classes[0].Rate = 4 // and a unit is 1: a use saves 5
	if _, bound, err := verify(p, []int{0, 0}, []int64{0, 1}); err != nil || bound != 24 {
		t.Errorf("unit 1: %d, want 45 - 21: %v", bound, err)
	}
}

// The options of branch and bound: no node more than allowed, and a gap that is not good
// enough is closed. Whatever ends the search, the bound holds.
func TestSearchLimits(t *testing.T) {
	p := counterexamples[2].p() // linear program 83.55925, rounded 84.608 (a gap of 1.2395%), optimum 83.898
	var v Solver
	for _, c := range []struct {
		opt         Options
		cost, bound int64
		nodes       bool
	}{
		{Options{MaxNodes: -1}, 84_608e6, 83_559_250_000, false},
		{Options{}, 83_898e6, 83_898e6, true},
	} {
		res, err := v.Solve(p, c.opt)
		if err != nil || res.Cost != c.cost || res.Bound != c.bound || (v.nodes > 0) != c.nodes {
			t.Errorf("%+v: bound %d, cost %d, %d nodes, %v", c.opt, res.Bound, res.Cost, v.nodes, err)
		}
	}
	r := rand.New(rand.NewPCG(71, 72))
	ended, most, total, steps := 0, 0, 0, 0
	for it := range 6000 {
		p := fractional(r)
		if it < 320 {
			p = small(r, it%32)
		}
		root := solve(t, &v, p, Options{MaxNodes: -1})
		rounded := root.Cost
		if it >= 320 && v.fractional() < 0 {
			continue
		}
		best := solve(t, &v, p, Options{})
		cost, nodes := best.Cost, v.nodes
		if rounded < cost || nodes == 0 && rounded != cost {
			t.Fatalf("%+v: rounded %d, cost %d after %d nodes", p, rounded, cost, nodes)
		}
		for j, most := range v.s.cap { // a search that ends by itself leaves no bound of a branch
			if v.s.lo[j] != 0 || v.s.hi[j] != most {
				t.Fatalf("%+v: column %d is left between %v and %v", p, j, v.s.lo[j], v.s.hi[j])
			}
		}
		most, total, steps = max(most, nodes), total+nodes, steps+v.s.iterations
		for _, most := range []int{1, 2, 3} {
			res := solve(t, &v, p, Options{MaxNodes: most})
			if v.nodes > most || res.Bound > cost || res.Bound < res.LP || res.Cost < cost ||
				v.nodes < most && res.Bound != res.Cost {
				t.Fatalf("%+v: %d nodes of %d: bound %d, cost %d, optimum %d", p, v.nodes, most, res.Bound, res.Cost, cost)
			}
			if err := verifyResult(p, &res); err != nil {
				t.Fatal(err)
			}
			if nodes > most && v.nodes == most {
				ended++
			}
		}
		res, err := v.Solve(p, Options{Work: 1})
		if err != nil || res.Bound > cost || res.Cost < cost || !res.Stalled && v.s.iterations > 1 {
			t.Fatalf("%+v: a limit of work: %+v, optimum %d, %v", p, res, cost, err)
		}
		if err := verifyResult(p, &res); err != nil {
			t.Fatal(err)
		}
	}
	// The rules of the simplex are there for speed: 1966 steps over all nodes.
	if ended < 3 || most > 30 || total > 10 || steps > 1990 {
		t.Errorf("%d searches ended by their limit; up to %d nodes, %d in all, %d steps", ended, most, total, steps)
	}
}

// byBounds is the optimum by another search: what a node buys at least is held and paid for, so that each node is
// a problem of its own, of which the linear program alone is solved.
func byBounds(t *testing.T, p *Problem, paid int64, best *int64, nodes *int) {
	t.Helper()
	*nodes++
	var v Solver
	res := solve(t, &v, p, Options{MaxNodes: -1})
	*best = min(*best, paid+res.Cost)
	if paid+res.LP >= *best {
		return
	}
	n := p.periods()
	j := slices.IndexFunc(v.s.x[:n*len(p.Classes)], func(x float64) bool { return math.Abs(x-math.Round(x)) > integral })
	if j < 0 {
		if res.Cost-res.LP > res.Cost/1e9 { // prices are rounded to nanos
			t.Fatalf("an integral program of %d has the plan of %d", res.LP, res.Cost)
		}
		return
	}
	c, i, most := j/n, j%n, int(v.s.x[j])
	with := func() *Problem {
		q := *p
		q.Held, q.MaxClass = make([][]int, len(p.Classes)), make([][]int, len(p.Classes))
		for c := range p.Classes {
			q.Held[c], q.MaxClass[c] = make([]int, n), slices.Repeat([]int{1 << 20}, n)
			if p.Held != nil {
				copy(q.Held[c], p.Held[c])
			}
			if p.MaxClass != nil {
				copy(q.MaxClass[c], p.MaxClass[c])
			}
		}
		return &q
	}
	down := with()
	down.MaxClass[c][i] = most
	byBounds(t, down, paid, best, nodes)
	up := with()
	up.MaxClass[c][i] -= most + 1
	for k := i; k < min(i+p.Classes[c].Term, n); k++ {
		up.Held[c][k] += most + 1
	}
	byBounds(t, up, paid+int64(most+1)*p.fee(c, i), best, nodes)
}

// Searches of many nodes end at the optimum: another search, whose nodes know nothing of each other, finds the same.
func TestSearchesOfManyNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86)) // seed 85, 86
	var v Solver
	trees, nodes, others := 0, 0, 0
	for it := range 800 {
		p := medium(r, it)
		if p.MaxActive != nil { // what is held may exceed it
			continue
		}
		if it >= 400 {
			p = fractional(r)
		}
		res := solve(t, &v, p, Options{})
		nodesOf := v.nodes
		if nodesOf < 4 || nodesOf > 100 {
			continue
		}
		best := int64(math.MaxInt64)
		byBounds(t, p, 0, &best, &others)
		if res.Bound != best || res.Cost != best {
			t.Errorf("problem %d: bound %d, cost %d after %d nodes, want %d", it, res.Bound, res.Cost, nodesOf, best)
		}
		trees, nodes = trees+1, nodes+nodesOf
	}
	t.Logf("%d searches of %d nodes, %d by the other way", trees, nodes, others)
	if trees < 2 || nodes < 60 {
		t.Errorf("%d searches of %d nodes: too few to test anything", trees, nodes)
	}
}

// fractional draws problems in the manner of the third and fourth counterexample: one class with a use price and
// one prepaid, of one term. A hundredth of their linear programs are fractional, more than of others.
func fractional(r *rand.Rand) *Problem {
	n, term := 15+r.IntN(30), 3+r.IntN(6)
	p, pure := &Problem{OnDemand: 10 * nanos}, r.IntN(2) == 0
	for range n {
		p.Demand = append(p.Demand, r.IntN(7))
	}
	rate := 5000e6 + r.Int64N(2500)*1e6
	light := int64(term) * (p.OnDemand - rate) * int64(15+r.IntN(40)) / 100e6 * 1e6
	p.Classes = []Class{{term, light, rate}, {term, light + int64(term)*rate*int64(80+r.IntN(25))/100e6*1e6, 0}}
	if pure {
		proRata(p)
	}
	return p
}

// inverseError returns by how much K times its inverse is off, at most.
func inverseError(s *simplex) (most float64) {
	for q := range s.p {
		for c2 := range s.p {
			sum := 0.0
			for c := range s.p {
				if s.has(s.place(int(s.rowsK[q])), s.span(int(s.colsK[c]))) {
					sum += s.w[c*s.stride+c2]
				}
			}
			if q == c2 {
				sum--
			}
			most = max(most, math.Abs(sum))
		}
	}
	return most
}

// consistent holds the state at the end of a linear program against what it stands for: K
// times its inverse, the values of columns and rows, the prices, and that no price
// disagrees.
func consistent(t *testing.T, s *simplex) {
	t.Helper()
	if off := inverseError(s); off > 1e-7 {
		t.Fatalf("K·w is off by %g", off)
	}
	n := s.n
	for r := range s.rows {
		k, i := r/n, r%n
		N := float64(s.inv[r])
		for c := range s.classes {
			for j := range n {
				if s.has(place{int32(k), int32(i)}, s.span(c*n+j)) && s.level[c] >= 0 {
					N += s.x[c*n+j]
				}
			}
		}
		if math.Abs(N-s.N[r]) > 1e-5 {
			t.Fatalf("row %d: %v active, said to be %v", r, N, s.N[r])
		}
	}
	for j := range s.n * s.classes {
		if s.pos[j] < 0 && s.level[j/n] >= 0 && s.x[j] != s.lo[j] && s.x[j] != s.hi[j] {
			t.Fatalf("column %d, which is not basic, is at %v, not at %v or %v", j, s.x[j], s.lo[j], s.hi[j])
		}
		if s.x[j] < s.lo[j]-1e-5 || s.x[j] > s.hi[j]+1e-5 {
			t.Fatalf("column %d: %v outside %v to %v", j, s.x[j], s.lo[j], s.hi[j])
		}
		if s.level[j/n] < 0 {
			continue
		}
		d := s.fee[j]
		for r := range s.rows {
			if s.has(s.place(r), s.span(j)) {
				d -= s.y[r]
			}
		}
		tol := 1e-7*s.fee[j] + 1
		if d < -tol && s.x[j] < s.hi[j]-1e-5 || d > tol && s.x[j] > s.lo[j]+1e-5 {
			t.Fatalf("column %d: reduced cost %v at %v of %v to %v", j, d, s.x[j], s.lo[j], s.hi[j])
		}
	}
}

// medium draws a problem that is too large to enumerate, and needs dozens of rows in the kernel. it chooses
// the limits and the inventory.
func medium(r *rand.Rand, it int) *Problem {
	n := 20 + r.IntN(80)
	p := &Problem{Period: 1 + r.IntN(6), OnDemand: 2400e6}
	top := 5 + r.IntN(60)
	for t := range n * p.Period {
		p.Demand = append(p.Demand, r.IntN(top)+top*(t/(5*p.Period)%3)/2)
	}
	for range 1 + r.IntN(5) {
		term := 2 + r.IntN(n/2)
		rate := r.Int64N(24) * 100e6
		p.Classes = append(p.Classes, Class{term, int64(float64(term*p.Period) * float64(p.OnDemand-rate) * (.2 + .7*r.Float64())), rate})
	}
	table := func(top int) []int {
		v := make([]int, n)
		for i := range v {
			v[i] = r.IntN(top + 1)
		}
		return v
	}
	for range p.Classes {
		if it%2 == 0 {
			p.Held = append(p.Held, table(top/4))
		}
		if it%5 == 1 {
			p.MaxClass = append(p.MaxClass, table(3))
		}
	}
	if it%4 == 2 {
		p.MaxActive = table(3 * top)
	}
	if it%3 == 0 {
		proRata(p)
	}
	return p
}

// At the end of a linear program the basis is what it claims to be, on problems that are too
// large to enumerate and need dozens of rows in the kernel; the value is the bound, and the
// work stays what it was.
func TestSimplexConsistent(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	var v Solver
	steps, kernel := 0, 0
	for it := range 60 {
		p := medium(r, it)
		n := p.periods()
		res, err := v.Solve(p, Options{MaxNodes: -1})
		if err != nil || res.Stalled {
			t.Fatalf("problem %d: %v, stalled %v", it, err, res.Stalled)
		}
		consistent(t, &v.s)
		relaxed := v.s.objective()
		cost, over := billed(p, v.s.x[:n*len(p.Classes)])
		if over > 1e-5 || math.Abs(cost-relaxed) > 1e-9*cost {
			t.Fatalf("problem %d: x costs %v, said to be %v; %v over", it, cost, relaxed, over)
		}
		if math.Abs(relaxed-float64(res.LP)) > 1e-8*relaxed {
			t.Fatalf("problem %d: value %v, bound %d", it, relaxed, res.LP)
		}
		if err := verifyResult(p, &res); err != nil {
			t.Fatal(err)
		}
		// Rounding and repair end near the bound.
		if float64(res.Cost) > 1.02*float64(res.LP) {
			t.Errorf("problem %d: rounded to %d above %d", it, res.Cost, res.LP)
		}
		steps, kernel = steps+v.s.iterations, max(kernel, v.s.maxP)
		plan, rounded := slices.Clone(res.Plan), res.Cost
		if it%6 == 0 {
			res, err = v.Solve(p, Options{MaxNodes: 15})
			if err != nil || res.Cost > rounded || res.Bound < res.LP || res.Bound > res.Cost {
				t.Fatalf("problem %d: %+v, %v", it, res, err)
			}
		} else if again, err := v.Solve(p, Options{MaxNodes: -1}); err != nil || !slices.Equal(again.Plan, plan) {
			t.Fatalf("problem %d: the second time differs: %v", it, err)
		}
	}
	// Pricing by reference weights is there for speed: 2803 steps.
	if steps > 2840 || kernel != 79 {
		t.Errorf("%d steps, kernels of up to %d rows", steps, kernel)
	}
}

// The work that an option allows is not exceeded by more than one step: a step counts the rows, the columns and the
// square of the kernel.
func TestWork(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84)) // seed 83, 84
	var v Solver
	cut := 0
	for it := range 40 {
		p := medium(r, it)
		all := solve(t, &v, p, Options{MaxNodes: -1})
		size, whole := int64(v.s.rows+len(v.s.fee)), v.s.iterations
		for _, steps := range []int{1, 2, 7, 30, 60, 200} {
			res := solve(t, &v, p, Options{MaxNodes: -1, Work: int64(steps) * size})
			if v.s.iterations > steps+1 || v.s.work > int64(steps+9)*size+2*int64(v.s.maxP*v.s.maxP) && res.Stalled {
				t.Errorf("problem %d: %d steps for the work of %d, counted as %d of %d", it, v.s.iterations, steps, v.s.work, int64(steps)*size)
			}
			if res.Stalled {
				cut++
			} else if v.s.iterations != whole {
				t.Errorf("problem %d: %d steps, %d without a limit", it, v.s.iterations, whole)
			}
			if res.Stalled == (res.LP == all.LP) && res.LP != all.LP || res.LP > all.LP {
				t.Errorf("problem %d: bound %d, %d without a limit", it, res.LP, all.LP)
			}
		}
	}
	if cut < 40 {
		t.Errorf("%d programs cut short: too few to test anything", cut)
	}
}

// Fees that take a plan beyond 64 bits before what it saves comes off are an overflow, not a plan without a cost.
func TestRoundedPlanTooDear(t *testing.T) {
	p := &Problem{Demand: []int{1 << 30}, OnDemand: 1<<33 - 1, Classes: []Class{{Term: 1, Fee: 1 << 32}}}
	if res, err := new(Solver).Solve(p, Options{}); err != ErrOverflow {
		t.Errorf("%+v, %v", res, err)
	}
	p.Demand[0] = 1 << 29
	if res, err := new(Solver).Solve(p, Options{}); err != nil || res.Cost != 1<<61 || res.Bound != res.Cost {
		t.Errorf("%+v, %v", res, err)
	}
}

// An inverse that is off by a millionth shows in the values of the active rows: it is refined, which
// squares the error, and values and prices are right again. Where nothing shows, all says so.
func TestCleanRefines(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 78)) // seed 77, 78
	var v Solver
	s := &v.s
	tried := 0
	for it := range 40 {
		n := 20 + r.IntN(40)
		p := &Problem{Period: 2, OnDemand: 2400e6}
		for range 2 * n {
			p.Demand = append(p.Demand, r.IntN(40))
		}
		for range 3 {
			term, rate := 2+r.IntN(n/2), r.Int64N(20)*100e6
			p.Classes = append(p.Classes, Class{term, int64(float64(2*term) * float64(p.OnDemand-rate) * (.3 + .5*r.Float64())), rate})
		}
		solve(t, &v, p, Options{MaxNodes: -1})
		if s.p < 3 {
			continue
		}
		x, y := slices.Clone(s.x), slices.Clone(s.y)
		noise := []float64{1e-6, 1e-12}[it%2]
		for c := range s.p {
			for q := range s.p {
				s.w[c*s.stride+q] += noise * (2*r.Float64() - 1)
			}
		}
		before := inverseError(s)
		s.clean(it%2 == 1)
		if after := inverseError(s); after > 100*before*before+1e-13 {
			t.Fatalf("problem %d: the inverse is off by %g after %g", it, after, before)
		}
		if worst := s.settle(false); worst > 1e-8 { // without the perturbation
			t.Fatalf("problem %d: an active row is off by %g", it, worst)
		}
		consistent(t, s)
		// A program that ends has an inverse that was refined at the end, though the error is too small to show.
		for c := range s.p {
			for q := range s.p {
				s.w[c*s.stride+q] += 1e-12 * (2*r.Float64() - 1)
			}
		}
		if !s.run(s.limit()) || inverseError(s) > 1e-13 {
			t.Fatalf("problem %d: the program ends with an inverse that is off by %g", it, inverseError(s))
		}
		s.settle(false)
		for j := range x {
			if math.Abs(x[j]-s.x[j]) > 1e-7 {
				t.Fatalf("problem %d: column %d was %v, is %v", it, j, x[j], s.x[j])
			}
		}
		for i := range y {
			if math.Abs(y[i]-s.y[i]) > 1e-7*2400e6 {
				t.Fatalf("problem %d: price %d was %v, is %v", it, i, y[i], s.y[i])
			}
		}
		tried++
	}
	if tried < 20 {
		t.Errorf("%d problems: too few to test anything", tried)
	}
}

// Prices of a linear program may be fractions. The bound is the better one of those that prices rounded to nearest
// and down prove, and only the price of a limit may be negative. What is just below an integer is that integer.
func TestBoundOfFractionalPrices(t *testing.T) {
	r := rand.New(rand.NewPCG(89, 90)) // seed 89, 90
	var v Solver
	down, nearest := 0, 0
	for it := range 600 {
		p := small(r, it%32)
		p.OnDemand /= nanos
		for c := range p.Classes {
			cl := &p.Classes[c]
			cl.Fee, cl.Rate = cl.Fee/nanos, cl.Rate/nanos
		}
		res := solve(t, &v, p, Options{MaxNodes: -1})
		s := &v.s
		for r2 := range s.y {
			s.y[r2] += .999*float64(r.IntN(3)) - 1 + r.Float64()*float64(r.IntN(2))
		}
		var bounds [2]int64
		for i, round := range []func(float64) float64{math.Round, func(y float64) float64 { return math.Floor(y + .001) }} {
			y := make([]int64, s.rows)
			for r := range y {
				if y[r] = int64(round(s.y[r])); !s.hard[r] {
					y[r] = max(0, y[r])
				}
			}
			_, bounds[i], _ = verify(p, res.Plan, y)
		}
		got := v.certify(false)
		if got != max(bounds[0], bounds[1]) {
			t.Fatalf("%+v: bound %d; rounded prices prove %d, rounded down %d", p, got, bounds[0], bounds[1])
		}
		if _, proved, err := verify(p, res.Plan, v.duals); err != nil || proved != got {
			t.Fatalf("%+v: bound %d, the prices prove %d, %v", p, got, proved, err)
		}
		if bounds[0] > bounds[1] {
			nearest++
		} else if bounds[0] < bounds[1] {
			down++
		}
	}
	if nearest < 30 || down < 30 {
		t.Errorf("to nearest %d times, down %d times: too few to test anything", nearest, down)
	}
}
