package flow

import (
	"errors"
	"math/bits"

	"github.com/plimsoll/plimsoll/internal/grow"
)

// Class is one prepaid class: Fee buys one instance for Term slots from the
// slot of the purchase on (or up to the horizon, whichever is first).
type Class struct {
	Term int   // slots, at least 1
	Fee  int64 // whole cost of one purchase, at least 0
	// Fees, if not nil, replaces Fee: Fees[s] is the whole cost of a purchase
	// at slot s, and a negative one says that slot s is not for sale. This
	// carries allowed dates, fees that change, and fees pro rata at the
	// horizon.
	Fees []int64
	// Max, if above 0, caps the purchases of this class at each slot.
	Max int
}

// Problem is what Solve minimises; see the package comment. No field is
// modified.
type Problem struct {
	Demand  []int
	Price   int64   // of one instance on demand for one slot, above 0
	Prices  []int64 // if not nil, the price per slot, in place of Price
	Classes []Class
	Held    []int // if not nil, instances already held in each slot
	// MaxActive, if not nil, caps the active instances (held and bought
	// together) in each slot; a negative entry is no cap.
	MaxActive []int
	// Steps are the costs of the slots if First is not nil, in the place of Demand, Price and
	// Prices. The steps of slot t are Steps[First[t]:First[t+1]], in the order of falling
	// Demand, with Demand and Price above 0. First has one element more than there are slots.
	Steps []Step
	First []int32
}

// Purchase says: buy Count of class Class at slot Slot.
type Purchase struct {
	Slot, Class, Count int
}

var (
	ErrInput      = errors.New("flow: input out of range")
	ErrOverflow   = errors.New("flow: problem too large for int64")
	ErrInfeasible = errors.New("flow: more instances held than may be active")
)

// init checks the problem and, unless byFee solves it, sets up the basis of all slots on demand.
func (s *Solver) init(p Problem) error {
	T := len(p.Demand)
	s.steps = p.First != nil
	if s.steps {
		T = len(p.First) - 1
		if err := p.checkSteps(); err != nil {
			return err
		}
	}
	s.prob, s.T = p, T
	s.Stats = Stats{}
	s.n = int64(T + 2)
	if T >= 1<<30 || len(p.Classes) >= 1<<20 {
		return ErrOverflow
	}
	if !s.steps && p.Prices == nil && p.Price < 1 ||
		p.Prices != nil && len(p.Prices) != T ||
		p.Held != nil && len(p.Held) != T ||
		p.MaxActive != nil && len(p.MaxActive) != T {
		return ErrInput
	}
	maxPrice := p.Price
	for _, v := range p.Prices {
		if v < 1 {
			return ErrInput
		}
		maxPrice = max(maxPrice, v)
	}
	for t := range T {
		if s.steps {
			sum := int64(0)
			for _, st := range p.Steps[p.First[t]:p.First[t+1]] {
				if sum += min(st.Price, inf); sum >= inf {
					return ErrOverflow
				}
			}
			maxPrice = max(maxPrice, sum)
		}
	}
	s.general = s.steps || p.Prices != nil || p.MaxActive != nil
	s.capped = false
	// A potential difference along a tree path is at most T prices and T fees.
	worst := maxPrice
	for _, c := range p.Classes {
		if c.Term < 1 || c.Fee < 0 || c.Max < 0 || c.Fees != nil && len(c.Fees) != T {
			return ErrInput
		}
		worst = max(worst, c.Fee)
		for _, f := range c.Fees {
			worst = max(worst, f)
		}
		if c.Max > 0 {
			s.general, s.capped = true, true
		}
	}
	if hi, l := bits.Mul64(uint64(worst), uint64(2*T+4)); hi != 0 || l >= 1<<61 {
		return ErrOverflow
	}

	// No flow of a basic solution exceeds the sum of all supplies, which is at
	// most twice the sum of the demands (plus caps at their bounds).
	var total uint64
	for t, d := range p.Demand {
		if d < 0 {
			return ErrInput
		}
		total += uint64(d)
		if p.Held != nil {
			if p.Held[t] < 0 {
				return ErrInput
			}
			total += uint64(p.Held[t])
		}
		if total >= 1<<60 {
			return ErrOverflow
		}
	}
	s.y = grow.To(s.y, T+1)
	s.phases, s.falling = p.phases()
	if s.falling {
		return s.checkTotal(total)
	}
	anew, from := p.smooth()
	s.scaling, s.smooth, s.improves = false, anew || from, from

	s.x = grow.To(s.x, T)
	s.seg = grow.To(s.seg, T+1)
	s.sid = grow.To(s.sid, T+1)
	s.rt = grow.To(s.rt, T+1)
	s.off = grow.To(s.off, T+1)
	s.buf = grow.To(s.buf, T+2)
	s.paths = grow.To(s.paths, 2*T+4)
	s.pa, s.pb = s.paths[:T+2:T+2], s.paths[T+2:]
	s.pcs = grow.To(s.pcs, T+2)
	s.cand = grow.To(s.cand, T/minBlock+1)
	s.cnd2 = grow.To(s.cnd2, T/minBlock+1)
	s.links = grow.To(s.links, 3*(T+1))
	s.head, s.next, s.prev = s.links[:T+1], s.links[T+1:2*T+2], s.links[2*T+2:]
	for t := range s.head {
		s.head[t] = -1
	}
	s.live = false
	nw := T>>6 + 1
	s.w0 = grow.To(s.w0, nw)
	s.w1 = grow.To(s.w1, nw>>6+1)
	clear(s.w0)
	clear(s.w1)
	clear(s.seg)
	s.it = 0

	s.sign = -1
	if p.MaxActive != nil {
		s.sign = 1
	}
	for t, d := range p.Demand {
		v := int64(d)
		if p.Held != nil {
			v -= int64(p.Held[t])
		}
		s.x[t] = v*s.n + s.sign*int64(t+1)
	}
	if s.general {
		s.wbuf = grow.To(s.wbuf, T+1)
		if !s.steps {
			s.price = grow.To(s.price, T)
			s.lo = grow.To(s.lo, T)
		}
		if s.steps {
			var err error
			if total, err = s.initSteps(&p, total); err != nil {
				return err
			}
		} else if p.Prices != nil {
			copy(s.price, p.Prices)
		} else {
			for t := range s.price {
				s.price[t] = p.Price
			}
		}
		if !s.steps {
			for t := range s.lo {
				s.lo[t] = noLow
			}
		}
		s.cap = grow.To(s.cap, len(p.Classes))
		for k, c := range p.Classes {
			s.cap[k] = inf
			if c.Max > 0 {
				total += uint64(c.Max) * uint64(T)
				if uint64(c.Max) >= 1<<32 {
					return ErrOverflow
				}
				s.cap[k] = int64(c.Max) * s.n
			}
		}
		for t, m := range p.MaxActive {
			if m < 0 || s.steps {
				continue
			}
			room := int64(m)
			v := int64(p.Demand[t])
			if p.Held != nil {
				room -= int64(p.Held[t])
				v -= int64(p.Held[t])
			}
			if room < 0 {
				return ErrInfeasible
			}
			if uint64(room) <= 2*total { // no basic flow reaches more
				s.lo[t] = (v - room) * s.n
			}
		}
		if s.capped {
			s.upper = grow.To(s.upper, (len(p.Classes)*T+63)/64)
			clear(s.upper)
		}
	}
	if err := s.checkTotal(total); err != nil {
		return err
	}
	if T > 0 {
		s.setLeft(0)
		s.seg[0] = seg{exit: int32(T), pnode: -1}
		if s.rising() {
			s.start()
		}
	}
	return nil
}

// checkTotal checks that flows of a total of supplies fit, n times enlarged.
func (s *Solver) checkTotal(total uint64) error {
	if hi, l := bits.Mul64(total+1, uint64(8*s.n)); hi != 0 || l >= 1<<61 {
		return ErrOverflow
	}
	return nil
}
