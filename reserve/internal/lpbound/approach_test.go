package lpbound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// billed is what real purchases x cost, written from the statement of the problem alone: slot
// by slot, the cheapest running reservations first. over is the worst excess over a limit.
func billed(p *Problem, x []float64) (cost, over float64) {
	n := p.periods()
	order := make([]int, len(p.Classes))
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(a, b int) int { return int(min(1, max(-1, p.Classes[a].Rate-p.Classes[b].Rate))) })
	for i := range n {
		active := make([]float64, len(p.Classes))
		held, all := 0.0, 0.0
		for c, cl := range p.Classes {
			if p.Held != nil && p.Held[c] != nil {
				active[c] = float64(p.Held[c][i])
				held += active[c]
			}
			for s := max(0, i-cl.Term+1); s <= i; s++ {
				active[c] += x[c*n+s]
			}
			all += active[c]
			cost += x[c*n+i] * float64(p.fee(c, i))
			over = max(over, -x[c*n+i])
			if p.MaxClass != nil && p.MaxClass[c] != nil {
				over = max(over, x[c*n+i]-float64(p.MaxClass[c][i]))
			}
		}
		if p.MaxActive != nil {
			over = max(over, all-max(held, float64(p.MaxActive[i])))
		}
		for t := i * max(p.Period, 1); t < min((i+1)*max(p.Period, 1), len(p.Demand)); t++ {
			d := float64(p.Demand[t])
			for _, c := range order {
				use := min(d, active[c])
				d -= use
				cost += use * float64(p.Classes[c].Rate)
			}
			cost += d * float64(p.OnDemand)
		}
	}
	return cost, over
}

// Approach comes near the optimum of the simplex, from both sides, and what it claims is so:
// the cost of its purchases, billed slot by slot, and the bound of its prices.
func TestApproachMeetsTheSimplex(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	var v, ref Solver
	steps := 0
	for it := range 3000 {
		p := small(r, it%32)
		want := solve(t, &ref, p, Options{MaxNodes: -1})
		begin(t, &v, p)
		first := v.Approach(0, 0)
		begun := first.Bound
		if first.Steps != 0 || begun > want.LP {
			t.Fatalf("case %d: begins with %d steps and bound %d, optimum %d", it, first.Steps, begun, want.LP)
		}
		if it < 200 {
			// The claim holds at every time, not only at the end.
			for _, limit := range []int{1, 2, 30, 200} {
				mid := v.Approach(1e-3, limit)
				if mid.Steps > limit || mid.Bound < begun {
					t.Fatalf("case %d: %d steps of %d, bound %d after %d", it, mid.Steps, limit, mid.Bound, begun)
				}
				begun = mid.Bound
				if v.approach.checked != v.approach.balance.Steps {
					t.Fatalf("case %d: ends after %d steps, and has looked at those of %d", it, v.approach.balance.Steps, v.approach.checked)
				}
				checkApproached(t, p, &mid)
			}
		}
		got := v.Approach(1e-3, 20_000)
		checkApproached(t, p, &got)
		if got.Bound < begun || got.Bound > want.LP {
			t.Fatalf("case %d: bound %d after %d, optimum %d", it, got.Bound, begun, want.LP)
		}
		near := 1.002
		if p.MaxActive != nil {
			near = 1.005 // excess has a price, which can be many times the optimum
		} else if got.Relaxed < float64(want.LP)*(1-1e-9)-1 {
			t.Fatalf("case %d: cost %v below the optimum %d", it, got.Relaxed, want.LP)
		}
		if got.Relaxed > float64(want.LP)*near+1 || float64(got.Bound) < float64(want.LP)*.998-1 {
			t.Fatalf("case %d: %+v\nafter %d steps between %d and %.0f, optimum %d", it, p, got.Steps, got.Bound, got.Relaxed, want.LP)
		}
		steps += got.Steps
		if it%20 == 0 { // from used memory it is the same
			duals, x := slices.Clone(got.Duals), slices.Clone(got.X)
			begin(t, &v, p)
			if again := v.Approach(1e-3, 20_000); it >= 200 && (!slices.Equal(again.Duals, duals) || !slices.Equal(again.X, x)) {
				t.Fatalf("case %d: the second time differs", it)
			}
		}
	}
	// The refinements are there for speed: 87.4 with them.
	if mean := float64(steps) / 3000; mean > 92 {
		t.Errorf("%.1f steps a problem", mean)
	}
}

// checkApproached holds the claims of a against the problem.
func checkApproached(t *testing.T, p *Problem, a *Approached) {
	t.Helper()
	cost, over := billed(p, a.X)
	if p.MaxActive == nil {
		if over > 0 {
			t.Fatalf("%+v: %v over a limit: %v", p, over, a.X)
		}
		if math.Abs(cost-a.Relaxed) > 1e-9*cost+1 {
			t.Fatalf("%+v: purchases %v cost %v, not %v", p, a.X, cost, a.Relaxed)
		}
	} else if cost > a.Relaxed+1e-9*cost+1 {
		t.Fatalf("%+v: purchases cost %v, claimed %v", p, cost, a.Relaxed)
	}
	// No purchase without a cap is worth more than its fee.
	n := p.periods()
	var rates []int64
	for _, cl := range p.Classes {
		if cl.Rate < p.OnDemand && !slices.Contains(rates, cl.Rate) {
			rates = append(rates, cl.Rate)
		}
	}
	slices.SortFunc(rates, func(a, b int64) int { return int(max(-1, min(1, b-a))) })
	for c, cl := range p.Classes {
		for i := range n {
			worth := int64(0)
			for k, rate := range rates {
				for t := i; t < min(n, i+cl.Term) && rate >= cl.Rate; t++ {
					worth += a.Duals[k*n+t]
				}
			}
			if cl.Rate < p.OnDemand && (p.MaxClass == nil || p.MaxClass[c] == nil) && worth > p.fee(c, i) {
				t.Fatalf("%+v: prices %v make class %d at %d worth %d, more than its fee %d", p, a.Duals, c, i, worth, p.fee(c, i))
			}
		}
	}
	_, bound, err := verify(p, make([]int, len(a.X)), a.Duals)
	if err != nil || bound != a.Bound {
		t.Fatalf("%+v: prices %v prove %d, not %d: %v", p, a.Duals, bound, a.Bound, err)
	}
}

// Prices that are right from the beginning never move. Then the steps of the purchases must
// not grow without end: in this problem no step of 20,000 found a plan within a quarter.
func TestApproachFromTheRightPrices(t *testing.T) {
	p := &Problem{Demand: []int{2, 2, 3}, OnDemand: 10 * nanos, Classes: []Class{{Term: 1, Fee: 899406389, Rate: 7 * nanos}}}
	var v Solver
	begin(t, &v, p)
	// All seven instance-slots reserved: 7·(7 + 0.899406389).
	const want = 55_295_844_723
	got := v.Approach(1e-4, 1000)
	if got.Bound > want || got.Bound < want-7 || // prices are rounded down
		got.Relaxed > want*1.0001 || got.Steps > 100 {
		t.Errorf("%+v, want %d", got, int64(want))
	}
	if g := got.Gap(); math.Abs(g-(got.Relaxed-float64(got.Bound))/want) > 1e-12 {
		t.Errorf("gap %v of %v above %d", g, got.Relaxed, got.Bound)
	}
}

// Begin is at the prices of [Niu16] Eq. (5), which hold without any step.
func TestApproachBeginsCompetitive(t *testing.T) {
	flat := func(n, d int) []int { return slices.Repeat([]int{d}, n) }
	for _, c := range []struct {
		name string
		p    Problem
		want int64
	}{
		// One class: Eq. (5) is the least of on demand and the fee's share, a slot.
		{"fee below demand", Problem{Demand: flat(6, 2), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 12}}}, 6 * 2 * 4},
		{"fee above demand", Problem{Demand: flat(6, 2), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 60}}}, 6 * 2 * 10},
		// A used slot costs 3 + 12/3 on the first class, 8 on the second, so that the hull from
		// (0, 10) falls to 3 at a share of 4.
		{"use price", Problem{Demand: flat(6, 1), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 12, Rate: 3}}}, 6 * 7},
		{"two use prices", Problem{Demand: flat(6, 1), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 12, Rate: 3}, {Term: 2, Fee: 12}}}, 6 * 6},
		{"nothing for sale", Problem{Demand: flat(4, 1), OnDemand: 10, Classes: []Class{{Term: 2, Fee: 4}}, MaxClass: [][]int{{0, 0, 0, 0}}}, 4 * 10},
		{"held and nothing for sale", Problem{Demand: flat(4, 2), OnDemand: 10, Classes: []Class{{Term: 2, Fee: 4, Rate: 1}},
			Held: [][]int{{1, 1, 0, 2}}, MaxClass: [][]int{{0, 0, 0, 0}}}, 80 - 9*4},
		// The window is cut at the horizon, so that the last purchase is dearer a slot.
		{"horizon", Problem{Demand: flat(5, 1), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 12}}}, 5 * 4},
		{"only on the last day", Problem{Demand: flat(5, 1), OnDemand: 10, Classes: []Class{{Term: 3, Fee: 8}}, MaxClass: [][]int{{0, 0, 0, 0, 1}}}, 5 * 8},
	} {
		var v Solver
		begin(t, &v, &c.p)
		got := v.Approach(math.Inf(1), 0)
		if got.Bound > c.want || got.Bound < c.want-int64(len(c.p.Demand)) { // prices are rounded down
			t.Errorf("%s: begins at %d, want %d", c.name, got.Bound, c.want)
		}
	}
}

// A cap of 2³⁰, which no plan reaches, is none: the same steps, prices and purchases.
func TestApproachUncapped(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66)) // seed 65, 66
	var v, ref Solver
	for it := range 200 {
		p := small(r, it%2)
		q := *p
		for range p.Classes {
			q.MaxClass = append(q.MaxClass, slices.Repeat([]int{uncapped}, p.periods()))
		}
		begin(t, &v, p)
		begin(t, &ref, &q)
		want, got := v.Approach(1e-3, 1000), ref.Approach(1e-3, 1000)
		if got.Steps != want.Steps || got.Bound != want.Bound || !slices.Equal(got.Duals, want.Duals) || !slices.Equal(got.X, want.X) {
			t.Fatalf("problem %d: with caps %+v, without %+v", it, got, want)
		}
	}
}

// How near the method comes in a given number of steps is what its refinements are there for. Each kind of
// limit has its own mean.
func TestApproachQuality(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68)) // seed 67, 68
	var v Solver
	kinds := []string{"plain", "dates", "active", "one breakpoint"}
	for kind, most := range [][2]float64{{-2.3, -3.84}, {-3.46, -6.5}, {-1.16, -2.53}, {-1.9, -3.7}} {
		var logs [2]float64
		const cases = 20
		for range cases {
			n := 40 + r.IntN(80)
			p := &Problem{Period: 1 + r.IntN(4), OnDemand: 2400e6}
			if kind == 3 {
				p.Period = 1
			}
			top := 5 + r.IntN(60)
			for t := range n * p.Period {
				p.Demand = append(p.Demand, 1+r.IntN(top)+top*(t/(5*p.Period)%3)/2)
			}
			for range 2 + r.IntN(4) {
				term := 2 + r.IntN(n/2)
				rate := r.Int64N(24) * 100e6
				p.Classes = append(p.Classes, Class{term, int64(float64(term*p.Period) * float64(p.OnDemand-rate) * (.2 + .7*r.Float64())), rate})
			}
			switch kind {
			case 1:
				for range p.Classes {
					dates := make([]int, n)
					for i := 0; i < n; i += 7 {
						dates[i] = uncapped
					}
					p.MaxClass = append(p.MaxClass, dates)
				}
			case 2:
				p.MaxActive = slices.Repeat([]int{top}, n)
			}
			begin(t, &v, p)
			for i, steps := range []int{100, 400} {
				got := v.Approach(0, steps)
				if got.Steps > steps {
					t.Fatalf("%+v", got)
				}
				logs[i] += math.Log10(max(1e-9, got.Gap())) / cases
			}
		}
		t.Logf("%s: gaps of 10^%.3f after 100 steps, 10^%.3f after 400", kinds[kind], logs[0], logs[1])
		if logs[0] > most[0] || logs[1] > most[1] {
			t.Errorf("%s: gaps of 10^%.3f after 100 steps, 10^%.3f after 400; want 10^%.2f and 10^%.2f", kinds[kind], logs[0], logs[1], most[0], most[1])
		}
	}
}

// A step is what the method says, with the matrix written out: columns go against their reduced costs, rows to
// where what they are short meets what a unit is worth, and both are reflected and drawn to the anchor. The short
// step is the same.
func TestApproachStepByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(87, 88)) // seed 87, 88
	var v Solver
	m, a := &v.s.model, &v.approach
	short, inside := 0, 0
	for it := range 240 {
		p := small(r, it%32)
		begin(t, &v, p)
		n := m.n
		entries := func(visit func(r, j int)) {
			for j := range n * m.classes {
				for r := range m.rows {
					if at := v.s.span(j); m.level[j/n] >= 0 && v.s.has(v.s.place(r), at) {
						visit(r, j)
					}
				}
			}
		}
		sigma := make([]float64, m.rows) // the inverse of the columns of a row that can be bought
		entries(func(r, j int) {
			if m.cap[j] > 0 {
				sigma[r]++
			}
		})
		for r := range sigma {
			if sigma[r] = 1 / max(1, sigma[r]); sigma[r] != a.sigma[r] {
				t.Fatalf("problem %d: row %d has the step %v, want %v", it, r, a.sigma[r], sigma[r])
			}
		}
		for range 6 {
			a.balance.Begin(a.balance.Omega * (.5 + r.Float64()))
			for range r.IntN(4) {
				a.balance.Moved(1, 1) // no step that ends is shorter
			}
			w, omega := a.balance.Weight(), a.balance.Omega
			x, y := slices.Clone(a.x.X), slices.Clone(a.y.X)
			wantX, image := slices.Clone(x), slices.Clone(x)
			reduced := slices.Clone(m.fee)
			entries(func(r, j int) { reduced[j] -= y[r] })
			far := 0.0
			for j := range x {
				if m.level[j/n] < 0 {
					continue
				}
				tau := float64(m.term[j/n] * (m.level[j/n] + 1)) // entries of a whole window
				to := min(max(0, x[j]-reduced[j]/tau/omega), m.cap[j])
				far += (to - x[j]) * (to - x[j]) * tau
				image[j] = 2*to - x[j]
				wantX[j] = w*image[j] + (1-w)*a.x.Anchor[j]
			}
			active := make([]float64, m.rows)
			entries(func(r, j int) { active[r] += image[j] })
			dx, dy := a.step(m)
			if math.Abs(dx-far) > 1e-6*far+1e-6 {
				t.Fatalf("problem %d: columns go %v, want %v", it, dx, far)
			}
			for j := range x {
				if math.Abs(a.x.X[j]-wantX[j]) > 1e-9*(1+math.Abs(x[j])+m.fee[j]/omega) {
					t.Fatalf("problem %d: column %d goes to %v, want %v", it, j, a.x.X[j], wantX[j])
				}
			}
			far = 0
			for r := range y {
				to := ((a.y.X[r]-(1-w)*a.y.Anchor[r])/w + y[r]) / 2
				far += (to - y[r]) * (to - y[r]) / sigma[r]
				tol := 1e-9 * (1 + math.Abs(to) + math.Abs(y[r]) + m.price[r/n]*float64(p.Period))
				// What is active if the row is where its price says, and what a unit more and less is worth there.
				N := active[r] + float64(m.inv[r]) + (to-y[r])/sigma[r]/omega
				near := 1e-6 * (1 + math.Abs(N) + math.Abs(active[r]) + tol/sigma[r]/omega)
				worth := func(N float64) float64 {
					for k := m.off[r]; k < m.off[r]+m.size[r]; k++ {
						if N <= float64(m.val[k]) {
							return m.price[r/n] * float64(m.cnt[k])
						}
					}
					if m.hard[r] {
						return math.Inf(-1)
					}
					return 0
				}
				least, most := worth(N+near), worth(N-near)
				if to < least-tol || to > most+tol {
					t.Fatalf("problem %d: row %d goes to %v, a unit beside %v is worth %v to %v", it, r, to, N, least, most)
				}
				if least < most {
					inside++
				}
			}
			if math.Abs(dy-far) > 1e-6*far+1e-6 {
				t.Fatalf("problem %d: rows go %v, want %v", it, dy, far)
			}
			if a.single {
				short++
			}
			copy(a.x.Anchor, a.x.X) // another anchor
		}
	}
	if short < 60 || inside < 100 {
		t.Errorf("%d short steps, %d rows at a breakpoint: too few to test anything", short, inside)
	}
}

// The short step is that of problems in which each row has one breakpoint and no limit: it is as good as the
// general one, but for rounding.
func TestApproachShortStep(t *testing.T) {
	class := []Class{{Term: 2, Fee: 5}}
	for name, c := range map[string]struct {
		p    Problem
		want bool
	}{
		"one breakpoint":         {Problem{Demand: []int{3, 0, 1}, OnDemand: 4, Classes: class}, true},
		"one breakpoint a week":  {Problem{Demand: []int{3, 3, 0, 0}, Period: 2, OnDemand: 4, Classes: class}, true},
		"two breakpoints a week": {Problem{Demand: []int{3, 2, 0, 0}, Period: 2, OnDemand: 4, Classes: class}, false},
		"a limit":                {Problem{Demand: []int{0, 0, 0}, OnDemand: 4, Classes: class, MaxActive: []int{1, 1, 1}}, false},
	} {
		var v Solver
		if err := v.Begin(&c.p); err != nil || v.approach.single != c.want {
			t.Errorf("%s: the short step %v, want %v: %v", name, v.approach.single, c.want, err)
		}
	}
}
