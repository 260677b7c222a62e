package lpbound

import (
	"errors"
	"slices"

	"github.com/plimsoll/plimsoll/internal/grow"
	"github.com/plimsoll/plimsoll/internal/wide"
)

// Class is one way to reserve. A reservation bought at the start of period i
// is active in periods i..i+Term-1. Whoever runs on it pays Rate per used
// slot; a class billed for every slot ("always") has Rate 0 and the hourly
// price times its term inside Fee.
type Class struct {
	Term int   // periods, >= 1
	Fee  int64 // nano currency units for the whole term, >= 0
	Rate int64 // nano currency units per used slot, 0 <= Rate <= Problem.OnDemand
}

// Problem says what is needed and what can be bought. Purchases happen at the
// start of a period of Period slots; the demand is padded with zeros to whole
// periods. A nil limit means no limit. Tables are indexed [class][period].
type Problem struct {
	Demand   []int // instances needed in each slot, >= 0
	Period   int   // slots per period; 0 means 1
	OnDemand int64 // nano currency units per instance and slot
	Classes  []Class

	Fees [][]int64 // if not nil, the fee by class and period, in place of Fee

	Held      [][]int // reservations of a class already active in a period
	MaxClass  [][]int // most purchases of a class at a date; 0 forbids the date
	MaxActive []int   // most active reservations in a period, held ones included
}

// What can be wrong with a problem, or with a plan.
var (
	ErrInput    = errors.New("lpbound: more than 2^30 instances")
	ErrOverflow = errors.New("lpbound: amount exceeds int64")
	errPlan     = errors.New("lpbound: plan breaks the problem's limits")
)

// periods returns the number of purchase dates.
func (p *Problem) periods() int {
	l := max(p.Period, 1)
	return (len(p.Demand) + l - 1) / l
}

// fee is what one reservation of class c bought at period i costs.
func (p *Problem) fee(c, i int) int64 {
	if p.Fees != nil {
		return p.Fees[c][i]
	}
	return p.Classes[c].Fee
}

// check returns ErrInput for a number of instances beyond 2³⁰. Package reserve, which states the
// problem, sees to all else that the fields say.
func (p *Problem) check() error {
	large := func(list []int) bool { return len(list) > 0 && slices.Max(list) > 1<<30 }
	if large(p.Demand) || large(p.MaxActive) || slices.ContainsFunc(p.Held, large) || slices.ContainsFunc(p.MaxClass, large) {
		return ErrInput
	}
	return nil
}

// A model is the problem as a linear program of rows and columns, with n periods. Column c*n+i is
// the number of purchases of class c in period i.
//
// Rows are by level and period. The L levels are the distinct use prices below the price on
// demand. Level 0 is the highest of these prices, and level L-1 the lowest. Row k*n+i is
//
//	N[k][i] = the number of active reservations of levels k..L-1 in period i.
//
// price[k] is the use price of level k-1 less the use price of level k; price[0] is the price on
// demand less the use price of level 0. A reservation of level k saves price[0] + … + price[k] in
// each slot in which it is used. It counts in the rows of levels 0 to k, and row j contributes
// price[j] to its saving.
//
// A period has several slots with different demands. Of N reservations of a row, the v-th is used
// in the slots whose demand is at least v. The saving of a row is therefore a concave function of
// N. Its breakpoints val are the demands of the slots. Between breakpoint a-1 (or 0) and
// breakpoint a, one more reservation saves price[k]*cnt[a], where cnt[a] is the number of slots
// with a demand of at least val[a]. Above the last breakpoint one more reservation saves nothing.
//
// A row is hard if N has a limit (Problem.MaxActive; rows of level 0 only). The limit is then the
// last breakpoint of the row. Between the breakpoint before it and the limit, cnt may be 0.
type model struct {
	n, levels, rows, classes int

	level  []int // of each class; -1: as dear as on demand, never worth buying
	term   []int
	price  []float64 // per level
	priceI []int64
	fee    []float64 // per column
	feeI   []int64
	cap    []float64 // per column, +Inf if none
	off    []int32   // per row: its breakpoints are val[off:off+size]
	size   []int32
	hard   []bool
	val    []int32
	cnt    []int32
	inv    []int32 // per row: held reservations

	base   int64 // cost of the empty plan without any inventory: on demand only
	unit   int64 // every plan's cost differs from base by a multiple of unit
	rates  []int64
	sorted []int
}

// load translates p; the model keeps its memory between calls.
func (m *model) load(p *Problem) error {
	if err := p.check(); err != nil {
		return err
	}
	m.n, m.classes = p.periods(), len(p.Classes)
	m.loadLevels(p)
	m.loadColumns(p)
	if err := m.loadHeld(p); err != nil {
		return err
	}
	return m.loadRows(p)
}

// loadLevels finds the distinct rates below on demand, dearest first.
func (m *model) loadLevels(p *Problem) {
	m.level, m.term = grow.To(m.level, m.classes), grow.To(m.term, m.classes)
	m.rates = m.rates[:0] // negative, so that they ascend
	for _, cl := range p.Classes {
		if cl.Rate < p.OnDemand {
			m.rates = append(m.rates, -cl.Rate)
		}
	}
	slices.Sort(m.rates)
	m.rates = slices.Compact(m.rates)
	m.levels = len(m.rates)
	m.rows = m.levels * m.n
	m.price, m.priceI = grow.To(m.price, m.levels), grow.To(m.priceI, m.levels)
	m.unit = 0
	above := p.OnDemand
	for k, r := range m.rates {
		m.priceI[k] = above + r
		m.price[k] = float64(m.priceI[k])
		m.unit = wide.GCD(m.unit, m.priceI[k])
		above = -r
	}
	for c, cl := range p.Classes {
		m.term[c] = min(cl.Term, max(m.n, 1))
		m.level[c], _ = slices.BinarySearch(m.rates, -cl.Rate)
		if cl.Rate == p.OnDemand {
			m.level[c] = -1
		}
	}
}

// loadColumns sets the fees and the caps of the columns.
func (m *model) loadColumns(p *Problem) {
	n, C := m.n, m.classes
	m.fee, m.feeI, m.cap = grow.To(m.fee, C*n), grow.To(m.feeI, C*n), grow.To(m.cap, C*n)
	for c := range C {
		for i := range n {
			j := c*n + i
			m.feeI[j] = p.fee(c, i)
			m.fee[j] = float64(m.feeI[j])
			m.unit = wide.GCD(m.unit, m.feeI[j])
			m.cap[j] = inf
			if p.MaxClass != nil && p.MaxClass[c] != nil {
				m.cap[j] = float64(p.MaxClass[c][i])
			}
			if m.level[c] < 0 {
				m.cap[j] = 0
			}
		}
	}
}

// loadHeld sets the inventory of the rows.
func (m *model) loadHeld(p *Problem) error {
	m.inv = grow.Zero(m.inv, m.rows)
	for c := range p.Held {
		for k := 0; k <= m.level[c]; k++ {
			for i, v := range p.Held[c] {
				at := &m.inv[k*m.n+i]
				if int(*at)+v > 1<<30 {
					return ErrInput
				}
				*at += int32(v)
			}
		}
	}
	return nil
}

// loadRows sets the staircases: one per period, shared by the levels; level 0 has its own
// where MaxActive cuts it off.
func (m *model) loadRows(p *Problem) error {
	n := m.n
	m.off, m.size, m.hard = grow.To(m.off, m.rows), grow.To(m.size, m.rows), grow.To(m.hard, m.rows)
	m.val, m.cnt = m.val[:0], m.cnt[:0]
	m.base = 0
	slots := max(p.Period, 1)
	for i := range n {
		m.sorted = append(m.sorted[:0], p.Demand[i*slots:min((i+1)*slots, len(p.Demand))]...)
		slices.Sort(m.sorted)
		off := int32(len(m.val))
		var use int64
		for a, d := range m.sorted {
			use += int64(d) // at most Period * 2^30
			if d == 0 || a > 0 && m.sorted[a-1] == d {
				continue
			}
			m.val = append(m.val, int32(d))
			m.cnt = append(m.cnt, int32(len(m.sorted)-a))
		}
		size := int32(len(m.val)) - off
		cost, ok := wide.Mul(use, p.OnDemand)
		if !ok {
			return ErrOverflow
		}
		if m.base, ok = wide.Add(m.base, cost); !ok {
			return ErrOverflow
		}
		for k := range m.levels {
			m.off[k*n+i], m.size[k*n+i], m.hard[k*n+i] = off, size, false
		}
		if p.MaxActive != nil && m.levels > 0 {
			m.cutOff(i, max(int32(p.MaxActive[i]), m.inv[i]))
		}
	}
	return nil
}

// cutOff gives level 0 of period i a staircase that ends at a limit.
func (m *model) cutOff(i int, limit int32) {
	off, size := m.off[i], m.size[i]
	start := int32(len(m.val))
	for a := off; a < off+size && m.val[a] < limit; a++ {
		m.val, m.cnt = append(m.val, m.val[a]), append(m.cnt, m.cnt[a])
	}
	next := int32(0)
	if at := off + int32(len(m.val)) - start; at < off+size {
		next = m.cnt[at]
	}
	m.val, m.cnt = append(m.val, limit), append(m.cnt, next)
	m.off[i], m.size[i], m.hard[i] = start, int32(len(m.val))-start, true
}
