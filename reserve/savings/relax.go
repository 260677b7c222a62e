package savings

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/pricing"
)

// The linear program of mixed.go, approached.
//
// The rounds of mixed.go jump between corners, and their average comes near the best worths
// slowly. The program itself is a game of purchases against prices. The primal-dual hybrid
// gradient method solves it by steps that cost a few operations for each slot, type and class.
// Package reserve/internal/lpbound has the same method for several use prices, and explains
// steps, anchors and reflections. Here all amounts are money at the rates of the plan:
//
//	minimise   Σ (fee/q_i)·r + Σ charged·c + Σ (p_i/q_i)·o_it
//	subject to R_it + s_it + o_it ≥ q_i·d_it           price λ_it, at most p_i/q_i
//	           Σ_i s_it ≤ H_t + active c_t            price ν_t
//
// The method ends after a fixed number of steps. Its ν, lowered where a term would be worth more
// than its price, gives a bound as any ν does, and its reservations, rounded, a plan.

const (
	// The method looks at its worths and reservations after so many steps.
	relaxSteps = 500
	// It ends at this gap, after 16 times as many steps, or after relaxWork steps times slots times
	// types, but not before relaxSteps.
	relaxGap  = 5e-5
	relaxWork = 1e8
	// The balance stays within this factor of the first one. Without it, purchases or prices that
	// are right do not move, which takes the balance to zero or to infinity, and the method stops.
	farthest = 100
)

// A part is a vector of the game: the iterate, the anchor, the anchor before, and the inverse
// of the step of each block of n elements.
type part struct {
	x, anchor, before []float64
	norm              []float64
}

func (v *part) reset(n int, norm []float64) {
	v.x, v.anchor, v.before = grow.Zero(v.x, n), grow.Zero(v.anchor, n), grow.Zero(v.before, n)
	v.norm = norm
}

// step moves a block of v along its slopes, by length/norm of each, between 0 and most (nil is no
// limit), and then towards the anchor: w is the weight of the reflected point, which goes to at.
// It returns the weighted square of the distance before the reflection.
func (v *part) step(block int, slope, most []float64, length, w float64, at []float64) (moved float64) {
	n := len(slope)
	x, anchor, at := v.x[block*n:][:n], v.anchor[block*n:][:n], at[:n]
	length /= v.norm[block]
	for t, s := range slope {
		to := x[t] + s*length
		if to < 0 {
			to = 0
		}
		if most != nil && to > most[t] {
			to = most[t]
		}
		d := to - x[t]
		moved += d * d
		to += d
		at[t] = to
		x[t] = w*to + (1-w)*anchor[t]
	}
	return moved * v.norm[block]
}

// moved returns the weighted square of the distance that v has gone since the anchor before.
func (v *part) moved() (sum float64) {
	if len(v.norm) == 0 {
		return 0
	}
	n := len(v.x) / len(v.norm)
	for b, norm := range v.norm {
		s := 0.0
		for j := b * n; j < (b+1)*n; j++ {
			d := v.x[j] - v.before[j]
			s += d * d
		}
		sum += s * norm
	}
	return sum
}

// relaxed is the memory of the method.
type relaxed struct {
	buy, commit, use  part // r by class, c, s by type
	lambda, nu        part
	norms             []float64
	sums, image, have []float64
	total             []float64
	slope, most       []float64
	omega, omega0     float64 // the balance of the steps of prices and purchases, and the first one
	steps, since      int
	first, last       float64 // lengths of steps since the anchor
}

// ready begins at the best worths, the best plan, and no use of its commitments.
func (g *relaxed) ready(m *Mixed, p *MixedProblem, n int) error {
	k, classes := len(p.Types), len(p.Classes)
	term := int(p.Term / p.Slot)
	every := max(1, p.Every)
	g.norms = grow.Zero(g.norms, classes+2*k+2)
	norm := func(from, count int) []float64 { return g.norms[from : from+count] }
	g.buy.reset(classes*n, norm(0, classes))
	g.use.reset(k*n, norm(classes, k))
	g.lambda.reset(k*n, norm(classes+k, k))
	g.commit.reset(n, norm(classes+2*k, 1))
	g.nu.reset(n, norm(classes+2*k+1, 1))
	g.sums, g.image = grow.To(g.sums, n+1), grow.To(g.image, n)
	g.have, g.total = grow.To(g.have, n), grow.To(g.total, n)
	g.slope, g.most = grow.To(g.slope, n), grow.To(g.most, n)
	rate := func(i int) float64 { return float64(p.Types[i].Plan) }
	for i := range k {
		g.lambda.norm[i], g.use.norm[i] = 1, 2
	}
	for c := range classes {
		i := p.Classes[c].Type
		g.buy.norm[c] = float64(min(m.terms[c], n))
		g.lambda.norm[i] += float64(min(m.terms[c], n)/every + 1)
	}
	g.commit.norm[0] = float64(min(term, n))
	g.nu.norm[0] = float64(k + min(term, n)/every + 1)
	// Both sides of a step are to have about the same length, if all were to be found. Much of the
	// prices is there already: an eighth instead of half makes the prices' steps shorter.
	high, far := 1.0, 1.0
	for i := range k {
		top := float64(p.Types[i].OnDemand) / rate(i)
		for _, d := range p.Types[i].Demand {
			high += top * top * g.lambda.norm[i]
			x := rate(i) * float64(d)
			far += x * x / g.lambda.norm[i]
		}
	}
	g.omega = math.Sqrt(high/far) / 8
	g.omega0 = g.omega
	g.steps, g.since = 0, 0
	for t, v := range m.bestWorth {
		g.nu.x[t] = math.Ldexp(float64(v), -worthBits)
	}
	for i := range k {
		for t := i * n; t < (i+1)*n; t++ {
			g.lambda.x[t] = math.Ldexp(float64(m.bestLambda[t]), -m.shift) / rate(i)
		}
	}
	for _, r := range m.bestPlan {
		g.buy.x[r.Class*n+r.Slot] = float64(r.Count) * rate(p.Classes[r.Class].Type)
	}
	s, err := m.final(p, n)
	if err != nil {
		return err
	}
	m.savings.given = m.savings.given[:0]
	for _, c := range s.Commitments {
		g.commit.x[c.Slot] = float64(c.Units) * float64(p.unitOf())
	}
	for _, v := range [...]*part{&g.buy, &g.commit, &g.use, &g.lambda, &g.nu} {
		copy(v.before, v.x)
		copy(v.anchor, v.x)
	}
	return nil
}

// prefix sets sums to the sums of the first 0, 1, … elements of x.
func (g *relaxed) prefix(x []float64) {
	sum := 0.0
	g.sums[0] = 0
	for t, v := range x {
		sum += v
		g.sums[t+1] = sum
	}
}

// active adds to each slot the purchases of image that are active there.
func (g *relaxed) active(term int, have []float64) {
	sum := 0.0
	for t, v := range g.image {
		sum += v
		if t >= term {
			sum -= g.image[t-term]
		}
		have[t] += sum
	}
}

// relax makes steps until there are so many. It leaves worths in m.worth, which satisfy the
// conditions of a bound, and reservations in m.reservations.
func (m *Mixed) relax(p *MixedProblem, n, steps int) {
	g := &m.game
	k := len(p.Types)
	term := int(p.Term / p.Slot)
	scale := math.Ldexp(1, -m.shift)
	unit := float64(p.unitOf())
	for g.steps < steps {
		g.steps++
		w := float64(g.since+1) / float64(g.since+2)
		dx, dy := 0.0, 0.0
		for t := range g.total {
			g.total[t] = float64(m.savings.held[t]) * unit
		}
		g.prefix(g.nu.x)
		for t := range n {
			g.slope[t] = g.sums[t] - g.sums[min(n, t+term)] + float64(p.charged(n, t))
			if !p.sold(t) {
				g.slope[t] = math.Inf(1)
			}
		}
		dx += g.commit.step(0, g.slope, nil, -1/g.omega, w, g.image)
		g.active(term, g.total)
		for i := range k {
			y := &p.Types[i]
			q := float64(y.Plan)
			lambda := g.lambda.x[i*n : (i+1)*n]
			clear(g.have)
			for t, d := range y.Demand {
				g.most[t] = q * float64(d)
			}
			if y.Plan < y.OnDemand {
				for t, price := range lambda {
					g.slope[t] = g.nu.x[t] - price
				}
				dx += g.use.step(i, g.slope, g.most, -1/g.omega, w, g.have)
				for t, s := range g.have {
					g.total[t] -= s
				}
			}
			g.prefix(lambda)
			for c := range p.Classes {
				if p.Classes[c].Type != i || p.Classes[c].Withdrawn {
					continue
				}
				each := scale / q
				for t, fee := range m.fees[c*n : (c+1)*n] {
					g.slope[t] = g.sums[t] - g.sums[min(n, t+m.terms[c])] + float64(fee)*each
					if fee < 0 {
						g.slope[t] = math.Inf(1)
					}
				}
				dx += g.buy.step(c, g.slope, nil, -1/g.omega, w, g.image)
				g.active(m.terms[c], g.have)
			}
			for t, served := range g.have {
				g.slope[t] = g.most[t] - served
				g.most[t] = float64(y.OnDemand) / q
			}
			dy += g.lambda.step(i, g.slope, g.most, g.omega, w, g.image)
		}
		for t, left := range g.total {
			g.slope[t] = -left
		}
		dy += g.nu.step(0, g.slope, nil, g.omega, w, g.image)
		g.since++
		g.anchor(math.Sqrt(dx*g.omega + dy/g.omega))
	}
	for t, v := range g.nu.x {
		m.worth[t] = int64(max(0, min(math.Ldexp(v, worthBits), mostWorth)))
	}
	m.lower(p, n, m.worth)
	m.reservations = m.reservations[:0]
	for c := range p.Classes {
		q := float64(p.Types[p.Classes[c].Type].Plan)
		sum, bought := 0.0, 0
		for t, v := range g.buy.x[c*n : (c+1)*n] {
			sum += max(0, v) / q
			if count := int(math.Floor(sum+.5)) - bought; count > 0 {
				m.reservations = append(m.reservations, pricing.Purchase{Slot: t, Class: c, Count: count})
				bought += count
			}
		}
	}
	sortPurchases(m.reservations)
}

// anchor moves the anchor to the iterate if the length of the last step says so.
func (g *relaxed) anchor(length float64) {
	if g.since == 1 {
		g.first, g.last = length, math.Inf(1)
	}
	if !(g.since > 1 && length <= .2*g.first || length <= .8*g.first && length > g.last ||
		g.since > 10 && float64(g.since) > .36*float64(g.steps)) {
		g.last = length
		return
	}
	far := g.buy.moved() + g.commit.moved() + g.use.moved()
	if high := g.lambda.moved() + g.nu.moved(); far > 0 && high > 0 {
		g.omega = math.Sqrt(g.omega * math.Sqrt(high/far))
		g.omega = min(max(g.omega, g.omega0/farthest), g.omega0*farthest)
	}
	for _, v := range [...]*part{&g.buy, &g.commit, &g.use, &g.lambda, &g.nu} {
		copy(v.before, v.x)
		copy(v.anchor, v.x)
	}
	g.since = 0
}
