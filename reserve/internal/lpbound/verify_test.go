package lpbound

import (
	"errors"
	"fmt"
)

// ErrClaim says that a claimed amount is another.
var ErrClaim = errors.New("claimed amount differs from the computed one")

// Verify computes, in integers and from the problem alone, what plan costs and
// the lower bound that duals prove. It checks the plan against every limit of
// the problem. Nothing that the solver claims is believed: compare the returned
// amounts with the claims, or use [VerifyClaim].
func Verify(p *Problem, plan []int, duals []int64) (cost, bound int64, err error) {
	var m model
	if err := m.load(p); err != nil {
		return 0, 0, err
	}
	if cost, err = m.planCost(plan, make([]int64, m.rows)); err != nil {
		return 0, 0, err
	}
	if bound, err = m.bound(duals, make([]int64, m.n+1), nil, nil); err != nil {
		return 0, 0, err
	}
	return cost, bound, nil
}

// VerifyClaim is [Verify] for a claimed cost and bound: it fails unless the
// plan costs what is claimed and the duals prove at least the claimed bound.
func VerifyClaim(p *Problem, plan []int, duals []int64, cost, bound int64) error {
	c, b, err := Verify(p, plan, duals)
	switch {
	case err != nil:
		return err
	case c != cost:
		return fmt.Errorf("%w: the plan costs %d, not %d", ErrClaim, c, cost)
	case b < bound:
		return fmt.Errorf("%w: the duals prove %d, not %d", ErrClaim, b, bound)
	case b > c:
		return fmt.Errorf("%w: bound %d above cost %d", ErrClaim, b, c)
	}
	return nil
}

// Gap is by which share of the bound the relaxation's cost is above the bound.
func (a *Approached) Gap() float64 { return a.Relaxed/float64(a.Bound) - 1 }
