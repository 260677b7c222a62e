package lpbound

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

const nanos = 1_000_000_000

// small draws a problem small enough for brute force. kind bits: 1 inventory,
// 2 class caps and dates, 8 active caps.
func small(r *rand.Rand, kind int) *Problem {
	n := 2 + r.IntN(5)
	p := &Problem{Period: 1 + r.IntN(3), OnDemand: int64(2+r.IntN(18)) * nanos}
	pure := r.IntN(3) == 0
	top := 1 + r.IntN(3)
	for range n*p.Period - r.IntN(p.Period) {
		p.Demand = append(p.Demand, r.IntN(top+1))
	}
	classes := 1 + r.IntN(3)
	if n > 4 {
		classes = min(classes, 2)
	}
	for range classes {
		term := 1 + r.IntN(n)
		rate := r.Int64N(p.OnDemand/nanos) * nanos
		// Break-even between a fifth and all of the term, in odd units.
		most := (p.OnDemand - rate) / nanos * int64(term*p.Period)
		fee := int64(float64(most*nanos) * (0.2 + 0.8*r.Float64()))
		if kind >= 16 {
			fee = (1 + r.Int64N(most)) * nanos
		}
		p.Classes = append(p.Classes, Class{Term: term, Rate: rate, Fee: fee})
	}
	table := func(top int) []int {
		v := make([]int, n)
		for i := range v {
			v[i] = r.IntN(top + 1)
		}
		return v
	}
	for c := range p.Classes {
		if kind&1 != 0 {
			p.Held = append(p.Held, table(1))
		}
		if kind&2 != 0 {
			if r.IntN(2) == 0 {
				p.MaxClass = append(p.MaxClass, table(2))
			} else {
				p.MaxClass = append(p.MaxClass, nil)
			}
		}
		_ = c
	}
	if kind&8 != 0 {
		p.MaxActive = table(3)
	}
	if pure {
		proRata(p)
	}
	return p
}

// proRata charges the part of each fee that lies inside the horizon, rounded to nearest.
func proRata(p *Problem) {
	n := p.periods()
	p.Fees = make([][]int64, len(p.Classes))
	for c, cl := range p.Classes {
		for i := range n {
			part := big.NewInt(2 * int64(min(cl.Term, n-i)))
			part.Mul(part, big.NewInt(cl.Fee)).Add(part, big.NewInt(int64(cl.Term)))
			p.Fees[c] = append(p.Fees[c], part.Div(part, big.NewInt(2*int64(cl.Term))).Int64())
		}
	}
}

// brute is the optimum by enumeration, written from the statement of the
// problem alone: slot by slot, cheapest running reservations first.
func brute(p *Problem) int64 {
	n, C := p.periods(), len(p.Classes)
	order := make([]int, C)
	for c := range order {
		order[c] = c
	}
	slices.SortFunc(order, func(a, b int) int { return int(min(1, max(-1, p.Classes[a].Rate-p.Classes[b].Rate))) })
	top := 0
	for _, d := range p.Demand {
		top = max(top, d)
	}
	active := make([][]int, C)
	held := make([]int, n)
	for c := range active {
		active[c] = make([]int, n)
		if p.Held != nil {
			copy(active[c], p.Held[c])
		}
		for i, v := range active[c] {
			held[i] += v
		}
	}
	best := int64(math.MaxInt64)
	var rec func(i, c int, cost int64)
	rec = func(i, c int, cost int64) {
		if cost >= best {
			return
		}
		if i == n {
			best = cost
			return
		}
		if c == C { // bill period i, go on
			if p.MaxActive != nil {
				sum := 0
				for k := range C {
					sum += active[k][i]
				}
				if sum > max(p.MaxActive[i], held[i]) {
					return
				}
			}
			for t := i * p.Period; t < min((i+1)*p.Period, len(p.Demand)); t++ {
				d := p.Demand[t]
				for _, k := range order {
					use := min(d, active[k][i])
					d -= use
					cost += int64(use) * p.Classes[k].Rate
				}
				cost += int64(d) * p.OnDemand
			}
			rec(i+1, 0, cost)
			return
		}
		most := top
		if p.MaxClass != nil && p.MaxClass[c] != nil {
			most = min(most, p.MaxClass[c][i])
		}
		end := min(n, i+p.Classes[c].Term)
		x := 0
		for ; x <= most; x++ {
			rec(i, c+1, cost+int64(x)*p.fee(c, i))
			for t := i; t < end; t++ {
				active[c][t]++
			}
		}
		for t := i; t < end; t++ {
			active[c][t] -= x
		}
	}
	rec(0, 0, 0)
	return best
}

// objective is the value of the linear program at x and N.
func (s *simplex) objective() float64 {
	t := float64(s.base)
	for j, x := range s.x[:s.n*s.classes] {
		t += x * s.fee[j]
	}
	for r := range s.rows {
		prev := 0.0
		for a := range s.size[r] {
			if s.N[r] <= prev {
				break
			}
			at := float64(s.val[s.off[r]+a])
			t -= (min(s.N[r], at) - prev) * s.worth(r, a)
			prev = at
		}
	}
	return t
}

// Solve finds the optimum of small problems, by brute force over all plans, and its claims hold.
func TestAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Solver
	total, frac, rounded, nonint := 0, 0, 0, 0
	worstGap, worstRound := 0.0, 0.0
	for it := range 8000 {
		p := small(r, it%32)
		res, err := s.Solve(p, Options{MaxNodes: -1})
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if obj := s.s.objective(); math.Abs(obj-float64(res.LP)) > 0.6*nanos && obj-float64(res.LP) > 1e-6*obj || obj < float64(res.LP)-float64(s.s.unit) {
			t.Fatalf("%+v: primal %.3f, dual %d", p, obj, res.LP)
		}
		lp, heur := res.LP, res.Cost
		if s.fractional() >= 0 {
			nonint++
		}
		res = solve(t, &s, p, Options{})
		want := brute(p)
		if res.Cost != want || res.Bound != want || lp > want || heur < want {
			t.Fatalf("case %d %+v:\ngot cost %d bound %d lp %d heuristic %d, want %d; plan %v", it, p, res.Cost, res.Bound, lp, heur, want, res.Plan)
		}
		if err := verifyResult(p, &res); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		var fresh Solver
		again, err := fresh.Solve(p, Options{})
		if err != nil || again.Cost != res.Cost || !slices.Equal(again.Plan, res.Plan) || !slices.Equal(again.Duals, res.Duals) {
			t.Fatalf("fresh solver differs: %v", p)
		}
		total++
		if lp < want {
			frac++
			worstGap = max(worstGap, float64(want-lp)/float64(want))
		}
		if heur > want {
			rounded++
			worstRound = max(worstRound, float64(heur-want)/float64(want))
		}
	}
	t.Logf("%d cases: fractional %d, LP below optimum %d (worst %.2f%%), rounding above optimum %d (worst %.2f%%)\n", total, nonint, frac, 100*worstGap, rounded, 100*worstRound)
}
