package savings

import (
	"cmp"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
	"github.com/plimsoll/plimsoll/pricing"
)

// A program is the linear program of branch.go. Its columns are the purchases, and then what
// each period costs on demand.
type program struct {
	p      *Problem
	slots  int
	demand [][]int // by type and slot
	order  []int   // the types that the savings plan pays for, in the order in which it pays
	held   []int64 // money an hour, by slot
	starts []int   // of the periods, and the number of slots
	buys   []buy
	all    []buy   // the buys of a class, before some are left out
	first  []int   // of buys, by type; the commitments come last
	cuts   []cut   // by row
	levels []int   // the variable of the row of a level, by type and period, or -1
	rows   []level // the levels that have rows, in the order in which they were added
	lp     simplex
	worths []int64 // of the last bound
	work   int64

	row         []entry
	worth       []float64
	shares      []float64
	extra       []float64 // added to the prices of levels, by variable
	sums        []wide.Int
	prefix      []wide.Int
	multipliers []int64
	money       []int64
}

// A buy is a purchase of reservations of a class, or of money of the savings plan if typ is -1.
// It is active from the period from to before the period to.
type buy struct {
	typ, class, slot int
	from, to         int   // slots, until load knows the periods
	fee              int64 // nanos for a unit, or paid slots of money
	most             int64 // no optimal plan buys more
}

// A level is the number of reservations of a type that are active in a period.
type level struct{ typ, period int }

// A cut is a lower bound on what a period costs on demand, taken at so many active reservations of each
// type. One more reservation is of use in the slots whose demand is higher.
type cut struct {
	period int       // -1 for no cut
	worth  []float64 // prices of the slots of the period
	have   []float64 // by type
}

const (
	// Bounds are in parts of 2^-partBits of a nano.
	partBits = 8
	// Prices of an instance-hour and money an hour, in nanos, are at most so much.
	mostRate  = 1 << 50
	mostMoney = 1 << 60
	// mostPrice is the largest price of a level, in units of the currency.
	mostPrice = 1e7
	// A program has so many columns at most: a date of purchase is a column for each class, so
	// that 40 types with weekly dates in a year fit.
	mostColumns = 2200
)

// load states p, and reports false if the program is too large.
func (g *program) load(p *Problem, m Market) bool {
	g.p, g.slots, g.work = p, len(p.Types[0].Demand), 0
	held, ok := p.heldMoney(g.held, g.slots)
	if g.held = held; !ok {
		return false
	}
	g.demand, g.order, g.buys, g.first, g.rows = g.demand[:0], g.order[:0], g.buys[:0], g.first[:0], g.rows[:0]
	dates := 0
	for t := range g.slots {
		if p.sold(t) {
			dates++
		}
	}
	if len(p.Others) > 0 || dates*(len(p.Types)+1) > mostColumns || g.slots == 0 {
		return false
	}
	g.starts = append(g.starts[:0], 0, g.slots)
	for i := range p.Types {
		y := &p.Types[i]
		g.demand = append(g.demand, y.Demand)
		if y.paid() {
			g.order = append(g.order, i)
		}
		if y.OnDemand > mostRate || y.Plan > mostRate || !g.reservations(i, m) {
			return false
		}
	}
	slices.SortFunc(g.order, func(a, b int) int {
		ya, yb := &p.Types[a], &p.Types[b]
		return cmp.Or(Rates{ya.OnDemand, ya.Plan}.Compare(Rates{yb.OnDemand, yb.Plan}), cmp.Compare(a, b))
	})
	g.first = append(g.first, len(g.buys))
	if !g.commitments() {
		return false
	}
	g.first = append(g.first, len(g.buys))
	slices.Sort(g.starts)
	g.starts = slices.Compact(g.starts)
	if len(g.buys)+len(g.starts) > mostColumns {
		return false
	}
	for i := range g.buys {
		b := &g.buys[i]
		b.from, _ = slices.BinarySearch(g.starts, b.from)
		b.to, _ = slices.BinarySearch(g.starts, b.to)
	}
	g.columns()
	return true
}

// reservations adds the purchases of the classes of type i. It reports false if a fee does not fit.
func (g *program) reservations(i int, m Market) bool {
	begin := len(g.buys)
	for c := range g.p.Classes {
		k := &g.p.Classes[c]
		if k.Type != i || k.Withdrawn {
			continue
		}
		for t := range g.slots {
			if !g.p.sold(t) {
				continue
			}
			b := buy{typ: i, class: c, slot: t, from: t, to: min(g.slots, t+g.p.span(k.Class.Term))}
			var ok bool
			if b.fee, ok = m.Fee(c, t); !ok {
				return false
			}
			b.most = int64(slices.Max(g.demand[i][b.from:b.to]))
			g.buys = append(g.buys, b)
		}
	}
	g.all = append(g.all[:0], g.buys[begin:]...)
	g.buys = g.buys[:begin]
	for _, b := range g.all {
		if !dominated(g.all, b) {
			g.buys = append(g.buys, b)
			g.starts = append(g.starts, b.from, b.to)
		}
	}
	g.first = append(g.first, begin)
	return true
}

// dominated reports whether another purchase of all replaces b at the same fee or less.
func dominated(all []buy, b buy) bool {
	for _, o := range all {
		if o.from <= b.from && o.to >= b.to && o.fee <= b.fee &&
			(o.from < b.from || o.to > b.to || o.fee < b.fee || o.class < b.class) {
			return true
		}
	}
	return false
}

// commitments adds the purchases of the savings plan. It reports false if the money of a slot is
// too much.
func (g *program) commitments() bool {
	g.money = grow.Zero(g.money, g.slots)
	for t := range g.money {
		for i := range g.p.Types {
			if y := &g.p.Types[i]; y.paid() {
				m, ok := wide.Mul(int64(y.Plan), int64(g.demand[i][t]))
				if !ok || m > mostMoney-g.money[t] {
					return false
				}
				g.money[t] += m
			}
		}
	}
	term, unit := g.p.span(g.p.Term), int64(g.p.unitOf())
	for t := range g.slots {
		if g.p.sold(t) {
			to := min(g.slots, t+term)
			most := (slices.Max(g.money[t:to]) + unit - 1) / unit * unit
			g.starts = append(g.starts, t, to)
			g.buys = append(g.buys, buy{typ: -1, slot: t, from: t, to: to, fee: int64(g.p.charged(g.slots, term, t)), most: most})
		}
	}
	return true
}

// columns sets the columns of the simplex: purchases, then what each period costs on demand.
func (g *program) columns() {
	n, periods := len(g.buys), g.periods()
	g.lp.begin(n + periods)
	for j, b := range g.buys {
		g.lp.cost[j], g.lp.hi[j] = float64(b.fee)/1e9, float64(b.most)
		if b.typ < 0 {
			g.lp.cost[j], g.lp.hi[j] = float64(b.fee), float64(b.most)/1e9
		}
	}
	for w := range periods {
		g.lp.cost[n+w], g.lp.hi[n+w] = 1, math.Inf(1)
	}
	g.lp.reset()
	g.cuts = g.cuts[:0]
	g.levels = grow.To(g.levels, len(g.p.Types)*periods)
	for l := range g.levels {
		g.levels[l] = -1
	}
	g.worth, g.worths = grow.To(g.worth, g.slots), grow.Zero(g.worths, g.slots)
	g.shares = grow.To(g.shares, len(g.p.Types)*g.slots)
	g.sums, g.prefix = grow.Zero(g.sums, g.slots+1), grow.Zero(g.prefix, periods+1)
	g.multipliers = grow.To(g.multipliers, periods)
}

func (g *program) periods() int { return len(g.starts) - 1 }

// active sets have, by type and period, to the reservations that values buy, and money, by period,
// to the money an hour.
func (g *program) active(values []float64, have [][]float64, money []float64) {
	clear(money)
	for _, h := range have {
		clear(h)
	}
	for j, b := range g.buys {
		if values[j] == 0 {
			continue
		}
		to := money
		if b.typ >= 0 {
			to = have[b.typ]
		}
		for w := b.from; w < b.to; w++ {
			to[w] += values[j]
		}
	}
}

// cost returns what period w costs on demand beside so many active reservations of each type and
// so much money. If worth is not nil, it is set to the prices of the slots.
func (g *program) cost(w int, have []float64, money float64, worth []float64) float64 {
	sum := 0.0
	from, to := g.starts[w], g.starts[w+1]
	g.work += int64((to - from) * len(g.demand) * 4)
	for i := range g.demand {
		if y := &g.p.Types[i]; !y.paid() {
			left := 0.0
			for _, d := range g.demand[i][from:to] {
				left += max(0, float64(d)-have[i])
			}
			sum += float64(left * y.OnDemand.Float64())
		}
	}
	for t := from; t < to; t++ {
		free := money + float64(g.held[t])/1e9
		price := 0.0
		for _, i := range g.order {
			left := float64(g.demand[i][t]) - have[i]
			if left <= 0 {
				continue
			}
			q, on := g.p.Types[i].Plan.Float64(), g.p.Types[i].OnDemand.Float64()
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

// share returns what a reservation more of type i would save in a slot of a cut.
func (g *program) share(c *cut, i, t int) float64 {
	if float64(g.demand[i][t]) <= c.have[i] {
		return 0
	}
	y := &g.p.Types[i]
	on := y.OnDemand.Float64()
	if !y.paid() {
		return on
	}
	return min(on, y.Plan.Float64()*c.worth[t-g.starts[c.period]])
}

// cut adds the cut of period w at so many active reservations and the prices of its slots.
func (g *program) cut(w int, have []float64, worth []float64) {
	c := cut{w, worth, have}
	from, to := g.starts[w], g.starts[w+1]
	g.work += int64((to - from) * len(g.demand) * 4)
	constant, money := 0.0, 0.0
	for t := from; t < to; t++ {
		v := c.worth[t-from]
		money += v
		constant -= float64(v * (float64(g.held[t]) / 1e9))
	}
	row := append(g.row[:0], entry{len(g.buys) + w, 1})
	for i := range g.demand {
		sum := 0.0
		for t := from; t < to; t++ {
			s := g.share(&c, i, t)
			sum += s
			constant += float64(s * float64(g.demand[i][t]))
		}
		row = g.over(row, i, w, sum)
	}
	g.row = g.over(row, len(g.demand), w, money)
	_, kept := g.add(g.row, constant, math.Inf(1))
	kept.period, kept.worth, kept.have = w, append(kept.worth[:0], worth...), append(kept.have[:0], have...)
}

// add adds a row, and returns its variable and its cut, for the caller to set.
func (g *program) add(row []entry, lo, hi float64) (v int, c *cut) {
	v = g.lp.add(row, lo, hi)
	r := v - g.lp.n
	if r == cap(g.cuts) {
		g.cuts = append(g.cuts, cut{})
	}
	g.cuts = g.cuts[:max(len(g.cuts), r+1)]
	return v, &g.cuts[r]
}

// limit returns the variable of the row of a level. It adds the row if there is none.
func (g *program) limit(l level, top float64) int {
	at := &g.levels[l.typ*g.periods()+l.period]
	if *at < 0 {
		g.row = g.over(g.row[:0], l.typ, l.period, 1)
		v, c := g.add(g.row, 0, top)
		*at, c.period = v, -1
		g.rows = append(g.rows, l)
	}
	return *at
}

// over adds to a row the active reservations of a type in a period, or the money.
func (g *program) over(row []entry, i, w int, a float64) []entry {
	if a == 0 {
		return row
	}
	for j := g.first[i]; j < g.first[i+1]; j++ {
		if b := &g.buys[j]; b.from <= w && w < b.to {
			row = append(row, entry{j, a})
		}
	}
	return row
}

// appendPurchases appends to dst the reservations that whole values are, by slot and class.
func (g *program) appendPurchases(dst []pricing.Purchase, values []float64) []pricing.Purchase {
	for j := range g.first[len(g.demand)] {
		if n := int(values[j]); n > 0 {
			dst = append(dst, pricing.Purchase{Slot: g.buys[j].slot, Class: g.buys[j].class, Count: n})
		}
	}
	sortPurchases(dst)
	return dst
}
