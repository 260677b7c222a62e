package flow

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/allocs"
)

// smoothProblem returns a problem of several classes on a sine with steps of levels, which scaling
// solves.
func smoothProblem(r *rand.Rand, slots int) Problem {
	p := Problem{Demand: make([]int, slots), Price: 1 + r.Int64N(600)}
	period := 200 + 500*r.Float64()
	height := period * (.6 + .35*r.Float64())
	for t := range p.Demand {
		p.Demand[t] = int(height * (1.2 + math.Sin(float64(t)*2*math.Pi/period)))
	}
	for range 5 + r.IntN(5) {
		term := 2 + r.IntN(300)
		p.Classes = append(p.Classes, Class{Term: term, Fee: 1 + int64(float64(p.Price)*float64(term)*(.3+.6*r.Float64()))})
	}
	return p
}

// On small problems of all kinds, the method's plan and potentials prove each other, and the cost is the simplex's.
func TestScalingEqualsSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 48)) // seed 47, 48
	var s Solver
	var c scaling
	paths, improved, beyond, taken, gaveUp := 0, 0, 0, 0, 0
	for i := range 1500 {
		p := randomProblem(r, 1+i%200, 1+i%40, 6, false)
		if len(p.Demand) == 0 || len(p.Classes) == 0 {
			continue
		}
		if i%2 == 0 { // a walk
			for t := 1; t < len(p.Demand); t++ {
				p.Demand[t] = max(0, p.Demand[t-1]+r.IntN(3)-1)
			}
		}
		if i%3 == 0 {
			p.Held = make([]int, len(p.Demand))
			for t := range p.Held {
				p.Held[t] = r.IntN(p.Demand[t] + 3)
			}
		}
		for k := range p.Classes {
			p.Classes[k].Fees, p.Classes[k].Max = nil, 0
			if p.Classes[k].Term >= len(p.Demand) {
				beyond++
			}
		}
		var stats Stats
		y := make([]int64, len(p.Demand)+1)
		if !c.solve(&p, y, &stats) {
			t.Fatalf("given up: %+v", p)
		}
		plan := c.appendPurchases(nil)
		if err := Verify(p, plan, y); err != nil {
			t.Fatalf("%v: %+v", err, p)
		}
		if y[0] != 0 {
			t.Fatalf("potential %d of node 0: %+v", y[0], p)
		}
		_, got := Cost(p, plan)
		if want := check(t, &s, bySimplex(p)); int64(got) != want {
			t.Fatalf("cost %d, the simplex's %d: %+v", got, want, p)
		}
		paths += stats.Paths
		if len(plan) > 0 {
			taken++
		}

		// From any purchases and numbers: a third of the optimal plan is lost, something is bought for nothing,
		// and the potentials are off by up to a fee, or are no potentials at all.
		c.load(&p, y, &stats)
		for _, q := range plan {
			if r.IntN(3) > 0 {
				c.buy(q)
			}
		}
		for range r.IntN(3) {
			c.buy(Purchase{r.IntN(len(p.Demand)), r.IntN(len(p.Classes)), 1 + r.IntN(5)})
		}
		off := p.Classes[0].Fee + 1
		for v := range y {
			if i%5 == 0 {
				y[v] = 0
			}
			y[v] += r.Int64N(2*off) - off
		}
		stats = Stats{}
		if !c.improve(&p) {
			gaveUp++
			continue
		}
		plan = c.appendPurchases(plan[:0])
		if err := Verify(p, plan, y); err != nil {
			t.Fatalf("improved: %v: %+v", err, p)
		}
		if y[0] != 0 {
			t.Fatalf("potential %d of node 0: %+v", y[0], p)
		}
		improved += stats.Paths
	}
	if paths < 10_000 || improved < 10_000 || beyond < 100 || taken < 600 || gaveUp > 15 {
		t.Errorf("%d and %d paths, %d terms beyond the horizon, %d plans with purchases, %d given up", paths, improved, beyond, taken, gaveUp)
	}
}

// On smooth demand Solve uses the method. Its cost is the simplex's, also for several instances
// held, for the largest numbers, and in the memory of another problem, where it allocates nothing.
func TestScalingOnSmoothDemand(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 50)) // seed 49, 50
	var s, simplex Solver
	plan := make([]Purchase, 0, 100_000)
	for i := range 5 {
		p := smoothProblem(r, leastSlots+100*(4-i))
		switch i {
		case 1:
			p.Held = make([]int, len(p.Demand))
			for t := range p.Held {
				p.Held[t] = 50
			}
		case 2: // the greatest prices whose potentials fit, times the slots
			most := int64(1)<<61/int64(2*len(p.Demand)+4) - 1
			top := p.Price
			for _, c := range p.Classes {
				top = max(top, c.Fee)
			}
			p.Price *= most / top
			for k := range p.Classes {
				p.Classes[k].Fee *= most / top
			}
		case 3: // the greatest demand whose flows fit
			slots := int64(len(p.Demand))
			more := int64(1)<<61/(8*(slots+2))/slots - 2000
			more = min(more, math.MaxInt/2) // where an int has 32 bits
			for t := range p.Demand {
				p.Demand[t] += int(more)
			}
		}
		got := check(t, &s, p)
		if s.Stats.Paths == 0 || s.Stats.Joined < s.Stats.Paths || s.Stats.Phases != 0 || !s.scaling {
			t.Fatalf("problem %d: %+v", i, s.Stats)
		}
		if want := check(t, &simplex, bySimplex(p)); got != want {
			t.Fatalf("problem %d: cost %d, the simplex's %d", i, got, want)
		}
		if i != 2 && i != 3 {
			if n := allocs.Once(func() {
				s.Solve(p)
				plan = s.AppendPurchases(plan[:0])
			}); n != 0 {
				t.Errorf("problem %d: %v allocations", i, n)
			}
		}
		if err := s.Solve(Problem{Price: 10, Classes: p.Classes[:1]}); err != nil || len(s.AppendPurchases(nil)) > 0 {
			t.Errorf("%v, and purchases without a slot: of problem %d", err, i)
		}
	}
}

// Solve goes from method to method: the simplex alone solves what it is done with soon, as with terms of years.
// Where the trees of paths take too long, as with very high demand, the simplex goes on where it was: from its own
// plan as anew. The rule would not let all of these come to it.
func TestScalingIsBounded(t *testing.T) {
	var s, simplex Solver
	sine := func(height float64) []int {
		d := make([]int, leastSlots)
		for t := range d {
			d[t] = int(height * (1.2 + math.Sin(float64(t)*2*math.Pi/720)))
		}
		return d
	}
	days := func(terms ...int) (classes []Class) {
		for _, d := range terms {
			classes = append(classes, Class{Term: 24 * d, Fee: int64(14_400 * float64(d) * (.66 - .05*math.Log2(float64(d))))})
		}
		return classes
	}
	steps := func(height, step float64) []int {
		d := sine(height)
		for t := range d {
			d[t] = int(step) * (d[t] / int(step))
		}
		return d
	}
	r := rand.New(rand.NewPCG(0, 9)) // seed 0, 9
	wave, at, to := make([]int, leastSlots), 0., 0.
	for t := range wave {
		if t%200 == 0 {
			to = float64(r.IntN(4000))
		}
		at += (to - at) / 100
		wave[t] = int(at)
	}
	for _, c := range []struct {
		p              Problem
		improves       bool
		paths, scaling bool
	}{
		{Problem{Demand: wave, Price: 600, Classes: days(1, 3, 10, 30)}, true, true, false},
		{Problem{Demand: sine(30), Price: 600, Classes: days(1, 2, 3, 5, 7, 10, 14, 21, 28, 30)}, true, true, true},
		{Problem{Demand: steps(4e8, 1e7), Price: 600, Classes: days(1, 2, 3, 5, 7, 10, 14, 21, 28, 30)}, true, true, true},
		{Problem{Demand: sine(400), Price: 600, Classes: days(1, 2, 3, 5, 7, 10, 14, 21, 28, 30)}, false, true, true},
		{Problem{Demand: sine(4e8), Price: 600, Classes: days(1, 2, 3, 5, 7, 10, 14, 21, 28, 30)}, false, true, false},
		{Problem{Demand: sine(400), Price: 600, Classes: days(365, 400, 500, 730, 1095)}, false, false, false},
	} {
		solve := func() {
			if err := s.init(c.p); err != nil {
				t.Fatal(err)
			}
			s.smooth, s.improves = true, c.improves
			s.solve()
		}
		solve()
		plan := s.AppendPurchases(nil)
		if err := Verify(c.p, plan, s.Potentials()); err != nil {
			t.Fatal(err)
		}
		_, cost := Cost(c.p, plan)
		got := int64(cost)
		if (s.Stats.Paths > 0) != c.paths || s.scaling != c.scaling {
			t.Errorf("%d slots, %v: %v %+v", len(c.p.Demand), c.p.Classes, s.improves, s.Stats)
		}
		if want := check(t, &simplex, bySimplex(c.p)); got != want {
			t.Errorf("cost %d, the simplex's %d: %+v", got, want, s.Stats)
		}
		if n := allocs.Once(solve); n != 0 {
			t.Errorf("%v allocations when warm", n)
		}
	}
}

// The rule: several classes of one fee each, and demand that rises and falls at many slots and seldom turns. Where
// fewer slots change, it rises and falls at about as many, and the simplex's plan is the start.
func TestSmooth(t *testing.T) {
	T := leastSlots
	of := func(n int, at func(t int) int) []int {
		d := make([]int, n)
		for t := range d {
			d[t] = at(t)
		}
		return d
	}
	classes := func(n int, more ...Class) []Class {
		return append(slices.Repeat([]Class{{Term: 24, Fee: 100}}, n), more...)
	}
	hill := of(T, func(t int) int { return min(t%1024, 1024-t%1024) }) // four of them: 2,048 rises, 2,047 falls
	times := func(n int, demand []int) []int { return of(len(demand), func(t int) int { return n * demand[t] }) }
	half := of(T, func(t int) int { return hill[t] / 2 })
	// level rises by one at so many slots and falls at so many, and turns at the end of each run but the last.
	level := func(up, down, runs int) []int {
		d, v, at := make([]int, T), T, 0
		for i := range runs {
			n, step := up/((runs+1)/2), 1
			if i%2 == 1 {
				n, step = down/(runs/2), -1
			}
			if i == 0 {
				n += up % ((runs + 1) / 2)
			} else if i == 1 {
				n += down % (runs / 2)
			}
			for range n {
				d[at] = v
				at++
				v += step
			}
		}
		for ; at < T; at++ {
			d[at] = v
		}
		return d
	}
	turns := func(n int) []int { return of(T, func(t int) int { return max(t%(2*n)-n, n-t%(2*n)) }) }
	for name, c := range map[string]struct {
		p    Problem
		want string // "" is the simplex alone
	}{
		"five classes, a change at every slot":     {Problem{Price: 10, Demand: hill, Classes: classes(5)}, "anew"},
		"four, a change less than two":             {Problem{Price: 10, Demand: hill, Classes: classes(4)}, ""},
		"eight, every other slot":                  {Problem{Price: 10, Demand: half, Classes: classes(8)}, "anew"},
		"seven, every other slot":                  {Problem{Price: 10, Demand: half, Classes: classes(7)}, "from"},
		"a change at each 20th slot":               {Problem{Price: 10, Demand: level(205, 205, 5), Classes: classes(5)}, "from"},
		"one change less, both ways":               {Problem{Price: 10, Demand: level(204, 204, 5), Classes: classes(5)}, ""},
		"falls at nine tenths as many":             {Problem{Price: 10, Demand: level(400, 360, 5), Classes: classes(5)}, "from"},
		"one fall less":                            {Problem{Price: 10, Demand: level(400, 359, 5), Classes: classes(5)}, ""},
		"rises at nine tenths as many":             {Problem{Price: 10, Demand: level(360, 400, 5), Classes: classes(5)}, "from"},
		"one rise less":                            {Problem{Price: 10, Demand: level(359, 400, 5), Classes: classes(5)}, ""},
		"a valley":                                 {Problem{Price: 10, Demand: of(T, func(t int) int { return max(t, T-t) }), Classes: classes(5)}, ""},
		"three turns":                              {Problem{Price: 10, Demand: level(400, 400, 4), Classes: classes(5)}, ""},
		"four":                                     {Problem{Price: 10, Demand: level(400, 400, 5), Classes: classes(5)}, "from"},
		"a change of four at every slot":           {Problem{Price: 10, Demand: times(4, hill), Classes: classes(5)}, "anew"},
		"of five":                                  {Problem{Price: 10, Demand: times(5, hill), Classes: classes(5)}, ""},
		"half an instance a slot, five classes":    {Problem{Price: 10, Demand: times(4, level(256, 256, 5)), Classes: classes(5)}, "from"},
		"a little more":                            {Problem{Price: 10, Demand: times(4, level(257, 256, 5)), Classes: classes(5)}, ""},
		"a hill of any height":                     {Problem{Price: 10, Demand: of(T, func(t int) int { return 9 * min(t, T-1-t) }), Classes: classes(5)}, "anew"},
		"a hill with few changes":                  {Problem{Price: 10, Demand: level(400, 400, 2), Classes: classes(5)}, ""},
		"a hill, and a valley":                     {Problem{Price: 10, Demand: of(T, func(t int) int { return max(min(t, 2000-t), t-3000) }), Classes: classes(5)}, ""},
		"growth":                                   {Problem{Price: 10, Demand: of(T, func(t int) int { return t }), Classes: classes(64)}, ""},
		"a fall":                                   {Problem{Price: 10, Demand: of(T, func(t int) int { return T - t }), Classes: classes(64)}, ""},
		"what rises slowly falls at once":          {Problem{Price: 10, Demand: of(T, func(t int) int { return t % 256 }), Classes: classes(64)}, ""},
		"too few slots":                            {Problem{Price: 10, Demand: hill[:T-1], Classes: classes(5)}, ""},
		"what is held counts":                      {Problem{Price: 10, Demand: hill, Held: hill, Classes: classes(5)}, ""},
		"one class":                                {Problem{Price: 10, Demand: hill, Classes: classes(1)}, ""},
		"64 classes":                               {Problem{Price: 10, Demand: hill, Classes: classes(64)}, "anew"},
		"65 classes":                               {Problem{Price: 10, Demand: hill, Classes: classes(65)}, ""},
		"a turn in 65 slots":                       {Problem{Price: 10, Demand: turns(65), Classes: classes(5)}, "anew"},
		"a turn in 60 slots":                       {Problem{Price: 10, Demand: turns(60), Classes: classes(5)}, ""},
		"steps on the way are no turns":            {Problem{Price: 10, Demand: of(T, func(t int) int { return hill[t] / 4 * 4 }), Classes: classes(20)}, "anew"},
		"fees by slot":                             {Problem{Price: 10, Demand: hill, Classes: classes(5, Class{Term: 24, Fees: make([]int64, T)})}, ""},
		"at most three":                            {Problem{Price: 10, Demand: hill, Classes: classes(5, Class{Term: 24, Fee: 1, Max: 3})}, ""},
		"a class that is free":                     {Problem{Price: 10, Demand: hill, Classes: classes(5, Class{Term: 24})}, ""},
		"prices by slot":                           {Problem{Prices: make([]int64, T), Demand: hill, Classes: classes(5)}, ""},
		"a cap":                                    {Problem{Price: 10, Demand: hill, MaxActive: make([]int, T), Classes: classes(5)}, ""},
		"costs with steps, in the place of demand": {Problem{First: make([]int32, T+1), Demand: hill, Classes: classes(5)}, ""},
	} {
		got := ""
		switch anew, from := c.p.smooth(); {
		case anew && from:
			got = "both"
		case anew:
			got = "anew"
		case from:
			got = "from"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The first of equal classes is bought. No path is needed where the slots take all, as where no more is asked for
// than is held.
func TestScalingTies(t *testing.T) {
	for name, c := range map[string]struct {
		p     Problem
		want  []Purchase
		paths bool
	}{
		"no slots":         {Problem{Price: 2, Classes: []Class{{Term: 1, Fee: 2}}}, nil, false},
		"equal classes":    {Problem{Price: 2, Demand: []int{3, 3}, Classes: []Class{{Term: 1, Fee: 2}, {Term: 2, Fee: 3}, {Term: 2, Fee: 3}}}, []Purchase{{0, 1, 3}}, true},
		"equal to the end": {Problem{Price: 2, Demand: []int{3, 3}, Classes: []Class{{Term: 9, Fee: 3}, {Term: 2, Fee: 3}}}, []Purchase{{0, 0, 3}}, true},
		"more is held":     {Problem{Price: 2, Demand: []int{1, 3, 2, 0}, Held: []int{1, 700, 3, 0}, Classes: []Class{{Term: 2, Fee: 1}, {Term: 3, Fee: 1}}}, nil, false},
	} {
		var s scaling
		var stats Stats
		y := make([]int64, len(c.p.Demand)+1)
		if !s.solve(&c.p, y, &stats) {
			t.Fatalf("%s: given up", name)
		}
		plan := s.appendPurchases(nil)
		if err := Verify(c.p, plan, y); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(plan, c.want) || (stats.Paths > 0) != c.paths {
			t.Errorf("%s: %v and %d paths, want %v", name, plan, stats.Paths, c.want)
		}
	}
}
