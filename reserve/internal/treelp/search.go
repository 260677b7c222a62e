package treelp

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Whole purchases, where the linear program's are not.
//
// Branch and bound, depth first: a column with x purchases, x a fraction, has at most ⌊x⌋ of them
// or at least ⌈x⌉. The side that is nearer comes first. What at least so many purchases serve is
// taken off the demand, and at most so many is a bound of the simplex. Each linear program rounded
// to the nearest whole numbers is a plan, too.

type search struct {
	best     []int // the cheapest plan
	bestCost float64
	plan     []int
	cover    []int
	left     int // linear programs that may still be solved
}

// A search solves at most so many linear programs, and at most as many as have so many nodes in all,
// but a few: the trees with a gap that we know are small, and need some ten.
const (
	searches    = 200
	searchNodes = 400_000
)

// Search turns the solution into whole purchases, which Bought returns. It reports whether no whole
// plan costs less.
func (s *Solver) Search() (optimal bool) {
	s.bestCost = math.Inf(1)
	s.left = min(searches, 4+searchNodes/s.n)
	s.exact()
	s.branch(s.bound())
	return s.left > 0
}

// Bought returns the number of purchases of class k in node v, after Search.
func (s *Solver) Bought(v, k int) int { return s.best[v*s.k+k] }

// branch looks for plans below the linear program that was solved, whose optimum is bound.
func (s *Solver) branch(bound float64) {
	j := s.round()
	if j < 0 || bound >= s.bestCost*(1-1e-15) {
		return
	}
	x := s.count[j]
	least, most := s.least[j], s.most[j]
	down := int(math.Floor(x)) + least
	for i := range 2 {
		if i == 0 == (x-math.Floor(x) < .5) {
			s.most[j] = float64(down-least)*s.scale + 1 + float64(j%1021)
		} else {
			s.least[j] = down + 1
			if s.most[j] = most; most < math.Inf(1) {
				s.most[j] = most - float64(down+1-least)*s.scale
			}
		}
		if s.left--; s.left > 0 {
			s.solve()
			s.exact()
			s.branch(s.bound())
		}
		s.least[j], s.most[j] = least, most
	}
}

// round rounds the solution to a plan, keeps it if it is the cheapest, and returns the column that
// is farthest from a whole number, -1 if all are whole.
func (s *Solver) round() (worst int) {
	s.plan = grow.To(s.plan, s.n*s.k)
	worst, far := -1, 1e-6
	for j, x := range s.count {
		r := math.Round(x)
		if d := math.Abs(x - r); d > far {
			worst, far = j, d
		}
		s.plan[j] = s.least[j] + max(0, int(r))
	}
	cost := 0.0
	for j, x := range s.plan {
		cost += float64(x) * float64(s.cost[j])
	}
	for v, a := range s.covered(s.plan) {
		cost += float64(max(0, s.p.Demand[v]-a)) * float64(s.price[v])
	}
	if cost < s.bestCost {
		s.bestCost = cost
		s.best = append(s.best[:0], s.plan...)
	}
	return worst
}

// bound is what the linear program's solution costs.
func (s *Solver) bound() (cost float64) {
	for j, x := range s.count {
		cost += (x + float64(s.least[j])) * float64(s.cost[j])
	}
	K := s.k
	for v := range s.n { // s.dn has the purchases on the way to each node, from exact
		a := 0.0
		for k := range K {
			a += s.dn[v*K+k]
			if e := int(s.anc[v*K+k]); e >= 0 {
				a -= s.dn[e*K+k]
			}
		}
		cost += max(0, float64(s.need[v])-a) * float64(s.price[v])
	}
	return cost
}

// covered returns how many reservations of a plan are active in each node. It is valid until the
// next call.
func (s *Solver) covered(plan []int) []int {
	K := s.k
	s.cover = grow.To(s.cover, s.n*(K+1))
	sum, active := s.cover[:s.n*K], s.cover[s.n*K:]
	for v := range s.n {
		a := 0
		for k := range K {
			j := v*K + k
			sum[j] = plan[j]
			if u := int(s.p.Parent[v]); u >= 0 {
				sum[j] += sum[u*K+k]
			}
			a += sum[j]
			if e := int(s.anc[j]); e >= 0 {
				a -= sum[e*K+k]
			}
		}
		active[v] = a
	}
	return active
}
