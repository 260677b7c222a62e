package savings

import (
	"math"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/wide"
)

// bound returns the bound of the proposition in branch.go, in nanos, from the prices of the
// simplex's basis. The bound is for plans whose purchases and levels are within the bounds of the
// simplex. g.extra is added to the prices of levels. bound reports false if an amount does not fit.
func (g *program) bound() (wide.Int, bool) {
	g.prices()
	var total wide.Int // in parts of 2^-partBits nanos
	for t, v := range g.worth {
		g.worths[t] = int64(min(math.Ldexp(v, worthBits), mostWorth))
		if h := g.held[t]; h > 0 {
			total = total.Minus(shiftUp(wide.ProductInt(g.worths[t], h), worthBits-partBits))
		}
	}
	for i := range g.demand {
		if !g.boundType(i, &total) {
			return total, false
		}
	}
	for t, v := range g.worths {
		g.sums[t+1] = g.sums[t].Plus(wide.FromInt64(v))
	}
	k := len(g.demand)
	for j := g.first[k]; j < g.first[k+1]; j++ {
		b := &g.buys[j]
		r := wide.ProductInt(b.fee, 1<<worthBits).Minus(g.sums[g.starts[b.to]].Minus(g.sums[g.starts[b.from]]))
		size, ok := r.Int64()
		if r.Sign() < 0 {
			if size, ok = r.Neg().Int64(); !ok {
				return total, false
			}
			total = total.Minus(shiftUp(wide.ProductInt(size, g.nanos(g.lp.hi[j], b.most)), worthBits-partBits))
		} else if g.lp.lo[j] > 0 && ok {
			total = total.Plus(shiftDown(wide.ProductInt(size, g.nanos(g.lp.lo[j], b.most)), worthBits-partBits))
		}
	}
	return shiftDown(total, partBits), true
}

// nanos returns so much money in whole units of commitment, at most the most.
func (g *program) nanos(money float64, most int64) int64 {
	if money*1e9 >= float64(most)*(1-1e-12) {
		return most
	}
	unit := int64(g.p.unitOf())
	return min(most, int64(math.Round(money*1e9/float64(unit)))*unit)
}

// prices sets g.worth and g.shares to the prices of slots and of instances by the basis.
func (g *program) prices() {
	clear(g.worth)
	clear(g.shares)
	for r := range g.cuts {
		c := &g.cuts[r]
		if c.period < 0 || !g.lp.live[r] {
			continue
		}
		y := g.lp.reduced(g.lp.n + r)
		if y <= 0 {
			continue
		}
		from, to := g.starts[c.period], g.starts[c.period+1]
		for t := from; t < to; t++ {
			g.worth[t] += float64(y * c.worth[t-from])
			for i := range g.demand {
				g.shares[i*g.slots+t] += float64(y * g.share(c, i, t))
			}
		}
	}
	g.work += int64(len(g.demand) * g.slots * 10)
}

// boundType adds the terms of type i to a bound, and reports false if an amount does not fit.
func (g *program) boundType(i int, total *wide.Int) bool {
	y := &g.p.Types[i]
	for t, d := range g.demand[i] {
		s := int64(math.Ldexp(g.shares[i*g.slots+t]*1e9, partBits))
		most := int64(y.OnDemand) << partBits
		if y.paid() {
			if hi, lo := bits.Mul64(uint64(y.Plan), uint64(g.worths[t])); hi < 1<<30 {
				most = min(most, int64(hi<<(64-worthBits+partBits)|lo>>(worthBits-partBits)))
			}
		}
		s = max(0, min(s, most))
		total.AddProduct(s, int64(d))
		g.sums[t+1] = g.sums[t].Plus(wide.FromInt64(s))
	}
	// A level's multiplier is of all purchases that are active there.
	clear(g.multipliers)
	for _, l := range g.rows {
		if l.typ != i {
			continue
		}
		v := g.levels[i*g.periods()+l.period]
		m := g.lp.reduced(v)
		if v < len(g.extra) {
			m += g.extra[v]
		}
		if math.Abs(m) > mostPrice {
			return false
		}
		y := int64(math.Ldexp(m*1e9, partBits))
		lo, hi := g.lp.lo[v], g.lp.hi[v]
		if y > 0 {
			total.AddProduct(y, int64(lo))
		} else if y < 0 {
			if math.IsInf(hi, 1) {
				continue
			}
			total.AddProduct(y, int64(hi))
		}
		g.multipliers[l.period] += y
	}
	for w, m := range g.multipliers {
		g.prefix[w+1] = g.prefix[w].Plus(wide.FromInt64(m))
	}
	for j := g.first[i]; j < g.first[i+1]; j++ {
		b := &g.buys[j]
		reduced := wide.ProductInt(b.fee, 1<<partBits).Minus(g.sums[g.starts[b.to]].Minus(g.sums[g.starts[b.from]])).Minus(g.prefix[b.to].Minus(g.prefix[b.from]))
		count := int64(g.lp.lo[j])
		if reduced.Sign() < 0 {
			count = int64(g.lp.hi[j])
		}
		if r, ok := reduced.Int64(); ok {
			total.AddProduct(r, count)
		} else if count != 0 {
			return false
		}
	}
	return true
}

// shiftUp returns v/2^n, rounded up.
func shiftUp(v wide.Int, n int) wide.Int {
	return shiftDown(v.Plus(wide.FromInt64(1<<n-1)), n)
}

// shiftDown returns v/2^n, rounded down, for n from 1 to 63.
func shiftDown(v wide.Int, n int) wide.Int {
	return wide.Int{Hi: v.Hi >> n, Lo: uint64(v.Hi)<<(64-n) | v.Lo>>n}
}
