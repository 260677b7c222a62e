package federation

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// An ascent looks for prices that prove a high lower bound on the cost of every plan, and holds the
// memory of the search.
//
// The Lagrangian bound. Let p_j be the price on demand of centre j, and u_j(t) the number of its
// reservations in slot t. Choose a price π_j(t) between 0 and p_j for each centre and slot. Suppose
// that each instance in centre j pays π_j(t) in slot t, with or without a reservation. Suppose also
// that each reservation of centre j earns π_j(t), used or not. Task k has d_k instances, and
// send_kj is the cost of sending the data of an instance to centre j. Then any plan costs at least
//
//	L(π) = Σ_k d_k·min_j( send_kj + Σ_{t in k} π_j(t) )  −  Σ_j Σ_t π_j(t)·u_j(t).
//
// Proof. Let n_j(t) be the number of instances that the plan has in centre j in slot t. Since 0 ≤
// π_j(t) ≤ p_j, the plan pays on demand p_j·(n_j(t) − u_j(t))⁺ ≥ π_j(t)·(n_j(t) − u_j(t)). Add this
// inequality up over all centres and slots, and add the cost of sending data. The right side is
// then the cost of sending and the prices π that all instances pay, less the last term of L. Each
// instance of task k pays at least the minimum over the centres, for prices and sending together. □
//
// All such prices prove a bound, and one pass over tasks and slots computes the bound. The best
// prices give the value of the linear relaxation, in which tasks are divided into fractions: L is
// the dual of the relaxation. With one or two centres the best bound equals the optimum
// (twocentre.go). With three or more centres the best bound can be lower. u_j(t) counts at most as
// many reservations as all tasks need in slot t.
//
// Subgradient steps look for good prices. In each step, each instance takes its cheapest centre. In
// each slot, the price of a centre rises if the centre then has more instances than reservations,
// and falls if the centre has fewer. Each direction is combined with the previous direction, as in
// Sherali and Ulular (Applied Mathematics and Optimization 20, 1989). The length of a step is
// Polyak's, in proportion to the difference between the plan's cost and L at the present prices.
//
// Prices are whole nanos, and L is computed exactly. Only the steps are in float64: rounding
// changes the prices that are tried, but not the bound that the prices prove. Products are rounded
// before they are added, and all machines therefore try the same prices.
//
// Time: a step is linear in tasks times centres and slots times centres.
type ascent struct {
	sums      []int64 // of prices, slot by slot, slots+1 of them, so that what a task needs is together
	over      []int64 // subgradient
	direction []float64
	exact     []float64 // the prices that are tried, before rounding
	tried     []int64
}

// These constants rule the steps of raise. The direction of a step is the subgradient plus the
// previous direction, which is first scaled to deflect times the length of the subgradient. After
// patience steps without a better bound, all further steps are shorter by the factor ease. Polyak's
// steps aim at the plan's cost, and that cost can be a little above every bound.
//
// The constants give the best bound of these combinations: deflect 1 and 3, patience 10, 20 and 40,
// and ease 0.5 and 0.7. The comparison took 1,000 steps on each of the three logs of [Liu21], with
// HGR's reservations. The worst combination gives a bound that is lower by 33 in a million.
const (
	deflect  = 3
	patience = 20
	ease     = 0.7
)

// value is L(π). It leaves the subgradient in s.over. If x is not nil, it writes to x
// the plan in which each instance is where it is cheapest, in the first such centre.
func (s *ascent) value(m *model, prices, x []int64) int64 {
	n, slots := m.centres, m.slots
	s.sums, s.over = grow.To(s.sums, n*(slots+1)), grow.To(s.over, n*(slots+1))
	clear(s.over)
	clear(x)
	total := int64(0)
	for j := range n {
		base := m.base[j*slots:][:slots]
		at := int64(0)
		for t, p := range prices[j*slots:][:slots] {
			s.sums[t*n+j] = at
			at += p
			total += p * base[t]
		}
		s.sums[slots*n+j] = at
	}
	for k := range m.tasks {
		t := &m.tasks[k]
		from, to := s.sums[int(t.start)*n:][:n], s.sums[int(t.end)*n:][:n]
		// The least first, without a branch to guess; then the first centre that has it.
		home := int(t.home)
		best := to[home] - from[home] - t.send
		for j, p := range to {
			best = min(best, p-from[j])
		}
		where := 0
		for where != home && to[where]-from[where] != best || where == home && to[home]-from[home]-t.send != best {
			where++
		}
		best += t.send
		total += best * t.n
		if x != nil {
			x[k*n+where] = t.n
		}
		row := s.over[where*(slots+1):][:slots+1]
		row[t.start] += t.n
		row[t.end] -= t.n
	}
	for j := range n {
		at := int64(0)
		row := s.over[j*(slots+1):][:slots+1]
		for t, b := range m.base[j*slots:][:slots] {
			at += row[t]
			row[t] = at + b
		}
	}
	return total
}

// raise improves prices with the given bound, towards target.
func (s *ascent) raise(m *model, prices []int64, bound, target int64, limit int) (best int64, steps int) {
	n, slots := m.centres, m.slots
	s.direction, s.tried = grow.To(s.direction, n*slots), grow.To(s.tried, n*slots)
	clear(s.direction)
	s.exact = grow.To(s.exact, n*slots)
	for i, p := range prices {
		s.tried[i], s.exact[i] = p, float64(p)
	}
	relax, last := 1.0, 0
	length := 0.0 // of the direction, squared
	for best = bound; steps < limit && best < target; steps++ {
		value := s.value(m, s.tried, nil)
		if steps-last > patience {
			relax *= ease
			last = steps
		}
		if value > best {
			best, last = value, steps
			copy(prices, s.tried)
		}
		// A push that would take a price out of its range is left out.
		now := 0.0
		for j, top := range m.price {
			over, tried := s.over[j*(slots+1):][:slots], s.tried[j*slots:][:slots]
			for t, g := range over {
				if p := tried[t]; g > 0 && p == top || g < 0 && p == 0 {
					over[t] = 0
				} else {
					now += float64(float64(g) * float64(g))
				}
			}
		}
		weight := 0.0
		if length > 0 {
			weight = deflect * math.Sqrt(now/length)
		}
		length = 0
		for j, top := range m.price {
			over, tried, direction := s.over[j*(slots+1):][:slots], s.tried[j*slots:][:slots], s.direction[j*slots:][:slots]
			for t, g := range over {
				d := float64(g) + float64(weight*direction[t])
				if p := tried[t]; d > 0 && p == top || d < 0 && p == 0 {
					d = 0
				}
				direction[t] = d
				length += float64(d * d)
			}
		}
		if length == 0 {
			break
		}
		step := relax * float64(target-value) / length
		for j, top := range m.price {
			tried, direction, exact := s.tried[j*slots:][:slots], s.direction[j*slots:][:slots], s.exact[j*slots:][:slots]
			for t, d := range direction {
				p := min(max(exact[t]+float64(step*d), 0), float64(top))
				exact[t] = p
				tried[t] = min(int64(math.Round(p)), top)
			}
		}
	}
	return best, steps
}
