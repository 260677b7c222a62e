package flow

import (
	"fmt"
	"math/bits"
)

// Verify checks, without using anything of the solver, that plan is feasible
// and that y proves it optimal, by complementary slackness: with
// z_t = y[t+1]-y[t] and the net on-demand flow x_t = demand - held - bought,
//
//	x_t > 0 and not at its bound   =>  z_t  = price
//	x_t < 0 and not at its bound   =>  z_t  = 0
//	x_t = 0                        =>  0 <= z_t <= price
//	x_t at its bound demand - cap  =>  z_t <= the slope above the bound
//
// With Steps, z_t is between two sums of prices: of the steps whose demand exceeds the
// active instances, and of the steps whose demand is at least as large. For
// class k at slot s, of which r of at most Max are bought,
//
//	y[end]-y[s]-fee <= 0 if r < Max, and >= 0 if r > 0.
//
// It returns nil, or says what is wrong. The potentials must be small enough
// that their differences do not overflow; Verify checks that too.
func Verify(p Problem, plan []Purchase, y []int64) error {
	T := p.slots()
	if len(y) != T+1 {
		return fmt.Errorf("flow: %d potentials for %d slots", len(y), T)
	}
	for t, v := range y {
		if v < -(1<<61) || v > 1<<61 {
			return fmt.Errorf("flow: potential %d out of range", t)
		}
	}
	K := len(p.Classes)
	bought := make([]int64, K*T)
	diff := make([]int64, T+1)
	for i, q := range plan {
		if q.Slot < 0 || q.Slot >= T || q.Class < 0 || q.Class >= K || q.Count < 1 {
			return fmt.Errorf("flow: purchase %d: no such slot, class or count", i)
		}
		c := &p.Classes[q.Class]
		if c.Fees != nil && c.Fees[q.Slot] < 0 {
			return fmt.Errorf("flow: purchase %d: class %d not for sale at slot %d", i, q.Class, q.Slot)
		}
		bought[q.Class*T+q.Slot] += int64(q.Count)
		diff[q.Slot] += int64(q.Count)
		diff[q.Slot+min(c.Term, T-q.Slot)] -= int64(q.Count)
	}
	var act int64
	for t := range T {
		act += diff[t]
		active := act
		if p.Held != nil {
			active += int64(p.Held[t])
		}
		full := false
		if p.MaxActive != nil && p.MaxActive[t] >= 0 {
			if active > int64(p.MaxActive[t]) {
				return fmt.Errorf("flow: slot %d: more active than allowed", t)
			}
			full = active == int64(p.MaxActive[t])
		}
		above, below := int64(0), int64(0) // slopes for fewer active ones and for more
		for _, st := range p.stepsOf(t, new([1]Step)) {
			if int64(st.Demand) >= active {
				above += st.Price
			}
			if int64(st.Demand) > active {
				below += st.Price
			}
		}
		z := y[t+1] - y[t]
		if z > above {
			return fmt.Errorf("flow: slot %d: dual price %d above %d", t, z, above)
		}
		if z < below && !full {
			return fmt.Errorf("flow: slot %d: dual price %d below %d", t, z, below)
		}
	}
	for k := range p.Classes {
		c := &p.Classes[k]
		for t := range T {
			f := c.Fee
			if c.Fees != nil {
				if f = c.Fees[t]; f < 0 {
					continue
				}
			}
			v := y[t+min(c.Term, T-t)] - y[t] - f
			r := bought[k*T+t]
			if c.Max > 0 && r > int64(c.Max) {
				return fmt.Errorf("flow: slot %d class %d: %d bought, %d allowed", t, k, r, c.Max)
			}
			if v > 0 && (c.Max == 0 || r < int64(c.Max)) {
				return fmt.Errorf("flow: slot %d class %d: a purchase more would pay (%d)", t, k, v)
			}
			if v < 0 && r > 0 {
				return fmt.Errorf("flow: slot %d class %d: a purchase less would pay (%d)", t, k, v)
			}
		}
	}
	return nil
}

// Cost returns the cost of a plan, in 128 bits: on demand where demand is not
// covered, plus the fees.
func Cost(p Problem, plan []Purchase) (hi, lo uint64) {
	T := p.slots()
	diff := make([]int64, T+1)
	add := func(n, c int64) {
		h, l := bits.Mul64(uint64(n), uint64(c))
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi, _ = bits.Add64(hi, h, carry)
	}
	for _, q := range plan {
		c := &p.Classes[q.Class]
		f := c.Fee
		if c.Fees != nil {
			f = c.Fees[q.Slot]
		}
		add(int64(q.Count), f)
		diff[q.Slot] += int64(q.Count)
		diff[q.Slot+min(c.Term, T-q.Slot)] -= int64(q.Count)
	}
	var act int64
	for t := range T {
		act += diff[t]
		active := act
		if p.Held != nil {
			active += int64(p.Held[t])
		}
		for _, st := range p.stepsOf(t, new([1]Step)) {
			if x := int64(st.Demand) - active; x > 0 {
				add(x, st.Price)
			}
		}
	}
	return hi, lo
}
