package joint

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A program is the linear program of a fleet of few groups; see branch.go. Its columns are the
// purchases, and then what each period costs on demand.
type program struct {
	x      *group.Terms
	groups []*record.Group
	demand [][]int // that contracts leave, by group and hour
	order  []int   // the groups that the savings plan pays for, in the order in which it pays
	held   []int64 // money, by hour
	starts []int   // of the periods, and the number of hours
	buys   []buy
	first  []int         // of buys, by group; the commitments come last
	cuts   map[int]*cut  // by row
	levels map[level]int // their rows
	rows   []level       // the levels that have rows, in the order in which they were added
	lp     simplex
	worths group.Worth // of the last bound
	work   int64
}

// A buy is a purchase of units of a class, or of money of the savings plan if group is -1. It
// is active from the period from to before the period to.
type buy struct {
	group, class, slot int
	from, to           int   // hours, until newProgram knows the periods
	fee                int64 // nanos for a unit, or paid hours of money
	most               int64 // no optimal plan buys more
}

// A level is the number of units of a group that are active in a period.
type level struct{ group, period int }

// A cut is a lower bound on what a period costs on demand: prices of its hours, and the active
// units of each group at which it was taken. A unit more was of use in hours with more demand.
type cut struct {
	period int
	worth  []float64
	have   []float64 // by group
}

const (
	// Bounds are in parts of 2^-partBits of a nano.
	partBits = 8
	// Prices of a unit-hour and money an hour, in nanos, are at most so much.
	mostRate  = 1 << 50
	mostMoney = 1 << 60
	// mostPrice is the largest price of a level, in units of the currency.
	mostPrice = 1e7
)

// newProgram returns the program of the groups, or nil if it is too large.
func newProgram(x *group.Terms, groups []*record.Group) *program {
	p := &program{x: x, groups: groups, held: heldOf(x), cuts: map[int]*cut{}, levels: map[level]int{}}
	borders := []int{0, x.Hours}
	dates := 0
	for t := range x.Hours {
		if x.Open(t) {
			dates++
		}
	}
	if dates*(len(groups)+1) > mostColumns {
		return nil
	}
	for i, g := range groups {
		p.demand = append(p.demand, x.AppendUnheld(nil, g))
		if group.Covered(g) {
			p.order = append(p.order, i)
		}
		if g.List.OnDemand > mostRate || g.Savings > mostRate {
			return nil
		}
		begin := len(p.buys)
		for c := range g.List.Classes {
			k := &g.List.Classes[c]
			for t := range x.Hours {
				if !x.Open(t) {
					continue
				}
				b := buy{group: i, class: c, slot: t, from: t, to: min(x.Hours, t+int(k.Term/time.Hour))}
				fee, err := x.Cost(&record.Order{Class: k.Name, Units: 1, Start: x.At(t), Term: k.Term, Upfront: k.Upfront, Hourly: k.Hourly})
				if err != nil {
					return nil
				}
				b.fee = int64(fee)
				b.most = int64(slices.Max(p.demand[i][b.from:b.to]))
				p.buys = append(p.buys, b)
			}
		}
		p.buys = p.buys[:begin+undominated(p.buys[begin:])]
		for _, b := range p.buys[begin:] {
			borders = append(borders, b.from, b.to)
		}
		p.first = append(p.first, begin)
	}
	slices.SortFunc(p.order, func(a, b int) int {
		ga, gb := groups[a], groups[b]
		return cmp.Or(Rates{ga.List.OnDemand, ga.Savings}.compare(Rates{gb.List.OnDemand, gb.Savings}), cmp.Compare(a, b))
	})
	p.first = append(p.first, len(p.buys))
	term := int(x.Term / time.Hour)
	money := make([]int64, x.Hours)
	for t := range money {
		for i, g := range groups {
			if group.Covered(g) {
				m, ok := wide.Mul(int64(g.Savings), int64(p.demand[i][t]))
				if !ok || m > mostMoney-money[t] {
					return nil
				}
				money[t] += m
			}
		}
	}
	for t := range x.Hours {
		if x.Open(t) {
			to := min(x.Hours, t+term)
			borders = append(borders, t, to)
			p.buys = append(p.buys, buy{group: -1, slot: t, from: t, to: to, fee: int64(x.Charged(t, term)), most: slices.Max(money[t:to])})
		}
	}
	p.first = append(p.first, len(p.buys))
	slices.Sort(borders)
	p.starts = slices.Compact(borders)
	if len(p.buys)+len(p.starts) > mostColumns {
		return nil
	}
	for i := range p.buys {
		b := &p.buys[i]
		b.from, _ = slices.BinarySearch(p.starts, b.from)
		b.to, _ = slices.BinarySearch(p.starts, b.to)
	}
	// The columns: purchases, then what each period costs on demand.
	n := len(p.buys)
	cost, hi := make([]float64, n+p.periods()), make([]float64, n+p.periods())
	for j, b := range p.buys {
		cost[j], hi[j] = float64(b.fee)/1e9, float64(b.most)
		if b.group < 0 {
			cost[j], hi[j] = float64(b.fee), float64(b.most)/1e9
		}
	}
	for w := range p.periods() {
		cost[n+w], hi[n+w] = 1, math.Inf(1)
	}
	p.lp.begin(cost, hi)
	return p
}

func (p *program) periods() int { return len(p.starts) - 1 }

// undominated moves the purchases that no other replaces at the same fee or less to the front,
// and returns their number.
func undominated(buys []buy) int {
	all := slices.Clone(buys)
	n := 0
	for _, b := range all {
		if !slices.ContainsFunc(all, func(o buy) bool {
			return o.from <= b.from && o.to >= b.to && o.fee <= b.fee &&
				(o.from < b.from || o.to > b.to || o.fee < b.fee || o.class < b.class)
		}) {
			buys[n] = b
			n++
		}
	}
	return n
}

// active sets have, by group and period, to the units that values buy, and money, by period, to
// the money an hour.
func (p *program) active(values []float64, have [][]float64, money []float64) {
	clear(money)
	for _, h := range have {
		clear(h)
	}
	for j, b := range p.buys {
		if values[j] == 0 {
			continue
		}
		to := money
		if b.group >= 0 {
			to = have[b.group]
		}
		for w := b.from; w < b.to; w++ {
			to[w] += values[j]
		}
	}
}

// cost returns what period w costs on demand beside so many active units of each group and so
// much money. If worth is not nil, it is set to the prices of the hours.
func (p *program) cost(w int, have []float64, money float64, worth []float64) float64 {
	sum := 0.0
	from, to := p.starts[w], p.starts[w+1]
	p.work += int64((to - from) * len(p.groups) * 4)
	for i, g := range p.groups {
		if !group.Covered(g) {
			left := 0.0
			for _, d := range p.demand[i][from:to] {
				left += max(0, float64(d)-have[i])
			}
			sum += float64(left * g.List.OnDemand.Float64())
		}
	}
	for t := from; t < to; t++ {
		free := money + float64(p.held[t])/1e9
		price := 0.0
		for _, i := range p.order {
			left := float64(p.demand[i][t]) - have[i]
			if left <= 0 {
				continue
			}
			g := p.groups[i]
			q, on := g.Savings.Float64(), g.List.OnDemand.Float64()
			need := float64(left * q)
			if need <= free {
				free -= need
				continue
			}
			if price == 0 {
				price = on / q
			}
			sum += float64((need - free) * (on / q))
			free = 0
		}
		if worth != nil {
			worth[t-from] = price
		}
	}
	return sum
}

// share returns what a unit more of group i would save in an hour of a cut.
func (p *program) share(c *cut, i, t int) float64 {
	if float64(p.demand[i][t]) <= c.have[i] {
		return 0
	}
	g := p.groups[i]
	on := g.List.OnDemand.Float64()
	if !group.Covered(g) {
		return on
	}
	return min(on, g.Savings.Float64()*c.worth[t-p.starts[c.period]])
}

// cut adds the cut of period w at so many active units and so much money.
func (p *program) cut(w int, have []float64, worth []float64) {
	c := &cut{period: w, worth: slices.Clone(worth), have: slices.Clone(have)}
	from, to := p.starts[w], p.starts[w+1]
	p.work += int64((to - from) * len(p.groups) * 4)
	constant, money := 0.0, 0.0
	for t := from; t < to; t++ {
		v := c.worth[t-from]
		money += v
		constant -= float64(v * (float64(p.held[t]) / 1e9))
	}
	var row []entry
	row = append(row, entry{len(p.buys) + w, 1})
	for i := range p.groups {
		sum := 0.0
		for t := from; t < to; t++ {
			s := p.share(c, i, t)
			sum += s
			constant += float64(s * float64(p.demand[i][t]))
		}
		row = p.over(row, i, w, sum)
	}
	row = p.over(row, len(p.groups), w, money)
	p.cuts[p.lp.add(row, constant, math.Inf(1))] = c
}

// over adds to a row the active units of a group in a period, or the money.
func (p *program) over(row []entry, i, w int, a float64) []entry {
	if a == 0 {
		return row
	}
	for j := p.first[i]; j < p.first[i+1]; j++ {
		if b := &p.buys[j]; b.from <= w && w < b.to {
			row = append(row, entry{j, a})
		}
	}
	return row
}

// bound returns the bound of the proposition in branch.go, in nanos, from the prices of p.lp's
// basis. The bound is for plans whose purchases and levels are within the bounds of p.lp. extra is
// added to the prices of levels. bound reports false if an amount does not fit.
func (p *program) bound(extra map[int]float64) (wide.Int, bool) {
	x := p.x
	var total wide.Int // in parts of 2^-partBits nanos
	k := len(p.groups)
	worth := make([]float64, x.Hours)
	shares := make([]float64, k*x.Hours)
	for r := range p.lp.rows {
		v := p.lp.n + r
		c := p.cuts[v]
		if c == nil || p.lp.rows[r] == nil {
			continue
		}
		y := p.lp.reduced(v)
		if y <= 0 {
			continue
		}
		from, to := p.starts[c.period], p.starts[c.period+1]
		for t := from; t < to; t++ {
			worth[t] += float64(y * c.worth[t-from])
			for i := range k {
				shares[i*x.Hours+t] += float64(y * p.share(c, i, t))
			}
		}
	}
	p.work += int64(k * x.Hours * 10)
	sums := make([]wide.Int, x.Hours+1)
	// rest adds a purchase at its reduced cost.
	rest := func(reduced wide.Int, lo, hi int64) bool {
		n := lo
		if reduced.Sign() < 0 {
			n = hi
		}
		r, ok := reduced.Int64()
		if !ok {
			return n == 0
		}
		total.AddProduct(r, n)
		return true
	}
	worths := make(group.Worth, x.Hours)
	p.worths = worths
	for t, v := range worth {
		worths[t] = int64(min(math.Ldexp(v, 40), group.MostWorth))
		if h := p.held[t]; h > 0 {
			total = total.Minus(shiftUp(wide.ProductInt(worths[t], h), 40-partBits))
		}
	}
	for i, g := range p.groups {
		for t, d := range p.demand[i] {
			s := int64(math.Ldexp(shares[i*x.Hours+t]*1e9, partBits))
			most := int64(g.List.OnDemand) << partBits
			if group.Covered(g) {
				if hi, lo := bits.Mul64(uint64(g.Savings), uint64(worths[t])); hi < 1<<30 {
					most = min(most, int64(hi<<(24+partBits)|lo>>(40-partBits)))
				}
			}
			s = max(0, min(s, most))
			total.AddProduct(s, int64(d))
			sums[t+1] = sums[t].Plus(wide.FromInt64(s))
		}
		// A level's multiplier is of all purchases that are active there.
		multipliers := make([]int64, p.periods()+1)
		for _, l := range p.rows {
			if l.group != i {
				continue
			}
			v := p.levels[l]
			m := p.lp.reduced(v) + extra[v]
			if math.Abs(m) > mostPrice {
				return total, false
			}
			y := int64(math.Ldexp(m*1e9, partBits))
			lo, hi := p.lp.lo[v], p.lp.hi[v]
			if y > 0 {
				total.AddProduct(y, int64(lo))
			} else if y < 0 {
				if math.IsInf(hi, 1) {
					continue
				}
				total.AddProduct(y, int64(hi))
			}
			multipliers[l.period] += y
		}
		prefix := make([]wide.Int, p.periods()+1)
		for w, m := range multipliers[:p.periods()] {
			prefix[w+1] = prefix[w].Plus(wide.FromInt64(m))
		}
		for j := p.first[i]; j < p.first[i+1]; j++ {
			b := &p.buys[j]
			r := wide.ProductInt(b.fee, 1<<partBits).Minus(sums[p.starts[b.to]].Minus(sums[p.starts[b.from]])).Minus(prefix[b.to].Minus(prefix[b.from]))
			if !rest(r, int64(p.lp.lo[j]), int64(p.lp.hi[j])) {
				return total, false
			}
		}
	}
	for t, v := range worths {
		sums[t+1] = sums[t].Plus(wide.FromInt64(v))
	}
	for j := p.first[k]; j < p.first[k+1]; j++ {
		b := &p.buys[j]
		r := wide.ProductInt(b.fee, group.Parts).Minus(sums[p.starts[b.to]].Minus(sums[p.starts[b.from]]))
		if r.Sign() < 0 {
			over, ok := r.Neg().Int64()
			if !ok {
				return total, false
			}
			total = total.Minus(shiftUp(wide.ProductInt(over, b.most), 40-partBits))
		}
	}
	return wide.Int{Hi: total.Hi >> partBits, Lo: uint64(total.Hi)<<(64-partBits) | total.Lo>>partBits}, true
}

// shiftUp returns v/2^n, rounded up.
func shiftUp(v wide.Int, n int) wide.Int {
	v = v.Plus(wide.FromInt64(1<<n - 1))
	return wide.Int{Hi: v.Hi >> n, Lo: uint64(v.Hi)<<(64-n) | v.Lo>>n}
}

// given returns the purchases of each group that whole numbers of units are.
func (p *program) given(values []float64) map[record.Key][]pricing.Purchase {
	given := map[record.Key][]pricing.Purchase{}
	for i, g := range p.groups {
		list := []pricing.Purchase{}
		for j := p.first[i]; j < p.first[i+1]; j++ {
			if n := int(values[j]); n > 0 {
				list = append(list, pricing.Purchase{Slot: p.buys[j].slot, Class: p.buys[j].class, Count: n})
			}
		}
		slices.SortFunc(list, byPurchase)
		given[g.Key] = list
	}
	return given
}

// sum returns the sum of the groups with these purchases.
func (p *program) sum(values []float64) *Sum {
	var sum Sum
	left := make([]int, p.x.Hours)
	for i, g := range p.groups {
		change := make([]int, p.periods()+1)
		fees := wide.Int{}
		for j := p.first[i]; j < p.first[i+1]; j++ {
			b := &p.buys[j]
			change[b.from] += int(values[j])
			change[b.to] -= int(values[j])
			fees.AddProduct(b.fee, int64(values[j]))
		}
		active := 0
		for w := range p.periods() {
			active += change[w]
			for t := p.starts[w]; t < p.starts[w+1]; t++ {
				left[t] = max(0, p.demand[i][t]-active)
			}
		}
		sum.add(g, 0, 1, left, 1)
		sum.Fees = sum.Fees.Plus(fees)
	}
	return &sum
}
